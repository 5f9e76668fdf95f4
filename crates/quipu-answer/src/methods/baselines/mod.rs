//! What the methods are measured against.

pub(super) mod io;
