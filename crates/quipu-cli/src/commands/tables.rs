//! `quipu tables`: the graph as tables, in the form for a model, and SQL over them without a model.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use quipu::Workspace;
use quipu_query::RenderConfig;

use crate::output::{Align, FAINT, Table, stdout, visible};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder
    workspace: PathBuf,
    /// Show only the tables that this question may need
    question: Option<String>,
    /// Run this SELECT over the tables; names are bound to the graph as in a model's query
    #[arg(long, value_name = "SELECT")]
    sql: Option<String>,
    /// Print the SPARQL that the SELECT becomes, and do not run it
    #[arg(long, requires = "sql")]
    sparql: bool,
    /// Maximum size of the tables shown, in bytes
    #[arg(long, value_name = "N", default_value_t = usize::MAX)]
    bytes: usize,
    /// Time limit for the SELECT, in seconds
    #[arg(long, value_name = "S", default_value_t = 30)]
    timeout: u64,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let workspace = Workspace::open(&self.workspace)?;
        let mut out = stdout();
        let Some(sql) = &self.sql else {
            let bytes = match self.question {
                Some(_) => self.bytes.min(RenderConfig::default().bytes),
                None => self.bytes,
            };
            let (text, whole) = workspace.tables(self.question.as_deref(), bytes).await?;
            write!(out, "{text}")?;
            if !whole {
                writeln!(out, "{FAINT}and more tables, which do not fit{FAINT:#}")?;
            }
            return Ok(());
        };
        if self.sparql {
            writeln!(out, "{}", workspace.plan_sql(sql).await?.sparql())?;
            return Ok(());
        }
        let answer = workspace.sql(sql, Duration::from_secs(self.timeout)).await?;
        let titles: Vec<(&str, Align)> =
            answer.table.columns.iter().map(|title| (title.as_str(), Align::Left)).collect();
        let mut table = Table::new(&titles);
        for row in &answer.table.rows {
            table.push_all(row.iter().map(|cell| cell.as_ref().map_or("", |value| value.name.as_str())));
        }
        table.print(&mut out)?;
        if answer.table.left_out > 0 {
            writeln!(out, "{FAINT}and more; add a LIMIT and an OFFSET{FAINT:#}")?;
        }
        writeln!(out, "\n{FAINT}{}{FAINT:#}", visible(&answer.words))?;
        for mend in &answer.mends {
            writeln!(out, "{FAINT}mended: {}{FAINT:#}", visible(mend))?;
        }
        Ok(())
    }
}
