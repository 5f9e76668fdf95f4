//! What a question's words say of a query. No model: where the nearness of meanings counts, it is handed in.

mod bounds;

pub use bounds::bounds;
