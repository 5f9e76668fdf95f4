//! A graph as tables, SQL read over them, the plan as SPARQL, its running, its evidence and its words; what a question's words say of a
//! query ([`asked`]); the graphs that models write as Cypher. No model in it.

pub mod asked;
mod bind;
mod cypher;
mod error;
mod evidence;
mod level;
mod plan;
mod run;
mod say;
mod sql;
mod syntax;
mod tables;
mod values;
mod walk;

pub use bind::{Bound, Doubt, Mend, asks_tables, bind, with_groups, with_measures, with_things};
pub use cypher::{PseudoGraph, PseudoNode, PseudoTail, PseudoTriple};
pub use error::QueryError;
pub use evidence::{Stated, StatedTriple, stated};
pub use level::{Level, run_level};
pub use plan::{Plan, PlanColumn, ValueKind, plan};
pub use run::{CellValue, RowSet, RunLimits, is_too_much, run};
pub use say::{say, titles};
pub use sql::{compared_queries, read_sql};
pub use syntax::*;
pub use tables::*;
pub use values::{Found, How, Match, Mention, Values};
pub use walk::{Made, PathFrom, PathStart, PathStep, met_by, path_query};
