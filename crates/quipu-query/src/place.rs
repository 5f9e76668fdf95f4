//! The position of a column, which tables and the syntax of queries share.

use serde::{Deserialize, Serialize};

/// The position of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Position of the table.
    pub table: usize,
    /// Position of the column within it.
    pub column: usize,
}
