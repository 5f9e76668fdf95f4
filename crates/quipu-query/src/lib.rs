//! A graph as tables, SQL over them, its plan as SPARQL, and the run's rows, evidence and wording;
//! and the graphs that models write as Cypher. This crate calls no model.
//!
//! ```
//! use quipu_graph::{ImportConfig, Input};
//! use quipu_index::{ImportRequest, Workspace};
//! use quipu_query::{Found, RunLimits, Values, bind, open_tables, plan, read_sql, run};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("towns.csv");
//! std::fs::write(&file, "town,country,people\nLima,Peru,10092000\nCusco,Peru,428450\nQuito,Ecuador,1763000\n")?;
//! let place = folder.path().join("workspace");
//! let graph = ImportConfig::new("towns", vec![Input::File(file)]);
//! Workspace::import(&place, &ImportRequest { graph, embedder: None, progress: None }).await?;
//!
//! // The graph as tables, and SQL over them. Names need not be those of the graph to the letter.
//! let workspace = Workspace::open(&place)?;
//! let tables = open_tables(&workspace).await?;
//! let values = Values::read(&workspace, &tables).await?;
//! let sql = "SELECT name FROM towns WHERE country = 'peru' ORDER BY people DESC LIMIT 1";
//! let bound = bind(read_sql(sql, None)?, &tables, &values, &Found::default())?;
//!
//! let plan = plan(&bound.query, &tables)?;
//! assert!(plan.sparql().starts_with("SELECT"), "{}", plan.sparql());
//! let rows = run(&workspace, &plan, &RunLimits::default()).await?;
//! let largest = rows.rows[0][0].as_ref().map(|cell| cell.name.as_str());
//! assert_eq!(largest, Some("Lima"));
//! # Ok(())
//! # }
//! ```

mod bind;
mod cypher;
mod error;
mod evidence;
mod level;
mod mend;
mod place;
mod plan;
mod run;
mod say;
mod sql;
mod syntax;
mod tables;
mod values;
mod walk;

pub use bind::{Bound, asks_tables, bind, with_groups, with_measures, with_things};
pub use cypher::{PseudoGraph, PseudoNode, PseudoTail, PseudoTriple};
pub use error::QueryError;
pub use evidence::{Stated, StatedTriple, stated};
pub use level::{Level, run_level};
pub use mend::{Doubt, Mend};
pub use plan::{Behind, Plan, PlanColumn, ValueKind, plan, without_conditions};
pub use run::{CellValue, RowSet, RunLimits, is_too_much, run};
pub use say::{say, say_in_full};
pub use sql::{read_sql, with_bracketed_sides};
pub use syntax::*;
pub use tables::*;
pub use values::{Found, How, Match, Mention, Values, are_initials_within, names_written, shortens};
pub use walk::{Made, PathFrom, PathStart, PathStep, all_in_order, met_by, path_query};
