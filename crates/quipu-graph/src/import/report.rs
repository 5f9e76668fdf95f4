//! What an import tells of tables.

use std::path::PathBuf;

/// How a file that is a table was read, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableReport {
    /// The file.
    pub path: PathBuf,
    /// The kind of thing that each row is.
    pub kind: String,
    /// Rows.
    pub rows: u64,
    /// The header of the column that names the rows.
    pub named_by: String,
    /// Columns that lead to entities, and of which kind.
    pub references: Vec<(String, String)>,
}
