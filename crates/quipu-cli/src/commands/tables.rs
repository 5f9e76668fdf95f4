//! `quipu tables`: the graph as tables, as a model is shown it, and SQL over them without a model.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use quipu_query::{
    Expression, Relevance, RenderConfig, RunLimits, Values, bind, open_tables, plan, read_sql, run, say,
};

use super::workspace;
use crate::failure::WrongUsage;
use crate::output::{Align, FAINT, Table, stdout, visible};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder
    workspace: PathBuf,
    /// Show what this question can need only
    question: Option<String>,
    /// Run this SELECT over the tables; names are bound to the graph as those that a model writes
    #[arg(long, value_name = "SELECT")]
    sql: Option<String>,
    /// Print the SPARQL that the SELECT becomes, and do not run it
    #[arg(long, requires = "sql")]
    sparql: bool,
    /// Most bytes of the tables shown
    #[arg(long, value_name = "N", default_value_t = usize::MAX)]
    bytes: usize,
    /// Most seconds of the SELECT
    #[arg(long, value_name = "S", default_value_t = 30)]
    timeout: u64,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let workspace = workspace::open(&self.workspace)?;
        let tables = open_tables(&workspace).await?;
        let mut out = stdout();
        let Some(sql) = &self.sql else {
            let relevance = Relevance::by_words(&tables, self.question.as_deref().unwrap_or_default());
            let bytes = match self.question {
                Some(_) => self.bytes.min(RenderConfig::default().bytes),
                None => self.bytes,
            };
            let rendered = tables.render(&relevance, &RenderConfig { bytes, ..RenderConfig::default() });
            write!(out, "{}", rendered.text)?;
            if !rendered.whole {
                writeln!(out, "{FAINT}and more tables, which do not fit{FAINT:#}")?;
            }
            return Ok(());
        };
        let today = jiff::Zoned::now().date();
        let query = read_sql(sql, Some(today)).map_err(wrong)?;
        let values = Values::read(&workspace, &tables).await?;
        let mut texts = Vec::new();
        query.visit(&mut |part| {
            if let Expression::Text(text) = part {
                texts.push(text.clone());
            }
        });
        let found = values.find(&workspace, &tables, &texts).await?;
        let bound = bind(query, &tables, &values, &found).map_err(wrong)?;
        let plan = plan(&bound.query, &tables).map_err(wrong)?;
        if self.sparql {
            writeln!(out, "{}", plan.sparql())?;
            return Ok(());
        }
        let limits = RunLimits { time: Duration::from_secs(self.timeout), ..RunLimits::default() };
        let rows = run(&workspace, &plan, &limits).await?;
        let titles: Vec<(&str, Align)> =
            plan.columns.iter().map(|column| (column.title.as_str(), Align::Left)).collect();
        let mut table = Table::new(&titles);
        for row in &rows.rows {
            let cells = row.iter().map(|cell| cell.as_ref().map_or("", |cell| cell.name.as_str()));
            table.push_all(cells);
        }
        table.print(&mut out)?;
        if rows.more {
            writeln!(out, "{FAINT}and more; add a LIMIT and an OFFSET{FAINT:#}")?;
        }
        writeln!(out, "\n{FAINT}{}{FAINT:#}", visible(&say(&bound.query, &tables)))?;
        for mend in &bound.mends {
            writeln!(out, "{FAINT}mended: {}{FAINT:#}", visible(&mend.text))?;
        }
        Ok(())
    }
}

/// What is wrong with the SELECT is wrong usage; what is wrong with the graph is not.
fn wrong(error: quipu_query::QueryError) -> anyhow::Error {
    if error.is_of_the_text() { WrongUsage(error.to_string()).into() } else { error.into() }
}
