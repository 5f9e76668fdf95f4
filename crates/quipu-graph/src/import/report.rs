//! The report of an import on tables.

use std::path::PathBuf;

/// How an import read a table, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableReport {
    /// The file.
    pub path: PathBuf,
    /// The kind of the rows' entities.
    pub kind: String,
    /// Rows.
    pub rows: u64,
    /// The header of the column that names the rows; empty if their numbers do.
    pub named_by: String,
    /// Columns that refer to entities, with the kinds of these.
    pub references: Vec<(String, String)>,
    /// Columns whose cells hold several values, with the sign between these.
    pub lists: Vec<(String, String)>,
}
