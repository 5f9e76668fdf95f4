//! A small shop as a workspace, and helpers that run SQL over it.
#![allow(dead_code, reason = "each test program uses its own part")]

pub mod checks;
pub mod heard;

use anyhow::Result;
use quipu_graph::{ImportConfig, Input};
use quipu_index::{ImportRequest, Workspace};
use quipu_query::{
    Bound, CellValue, Found, Plan, QueryError, RowSet, RunLimits, Tables, Values, bind, count_tables, plan,
    read_sql, run,
};

pub struct Shop {
    pub workspace: Workspace,
    pub tables: Tables,
    pub values: Values,
    /// Whether its IRIs are no other graph's.
    pub has_own_namespace: bool,
    _folder: tempfile::TempDir,
}

impl Shop {
    pub async fn open() -> Result<Self> {
        let shop = Self::of("shop.ttl", include_str!("../shop.ttl")).await?;
        Ok(Self { has_own_namespace: true, ..shop })
    }

    /// A workspace of one file with a text.
    pub async fn of(file: &str, text: &str) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let dump = folder.path().join(file);
        std::fs::write(&dump, text)?;
        let place = folder.path().join("workspace");
        let graph = ImportConfig::new("shop", vec![Input::File(dump)]);
        Workspace::import(&place, &ImportRequest { graph, embedder: None, progress: None }).await?;
        let workspace = Workspace::open(&place)?;
        let tables = count_tables(workspace.graph().as_ref()).await?;
        let values = Values::read(&workspace, &tables).await?;
        Ok(Self { workspace, tables, values, has_own_namespace: false, _folder: folder })
    }

    /// The identifier of the table with a title.
    pub fn id_of(&self, title: &str) -> String {
        let table = self.tables.tables.iter().find(|table| table.title == title);
        table.map_or_else(String::new, |table| table.id.clone())
    }

    pub fn bound(&self, sql: &str) -> Result<Bound, QueryError> {
        let query = read_sql(sql, Some(jiff::civil::date(2023, 3, 1)))?;
        bind(query, &self.tables, &self.values, &Found::default())
    }

    pub fn plan(&self, sql: &str) -> Result<Plan, QueryError> {
        plan(&self.bound(sql)?.query, &self.tables)
    }

    pub async fn rows(&self, sql: &str) -> Result<RowSet, QueryError> {
        run(&self.workspace, &self.plan(sql)?, &RunLimits::default()).await
    }

    /// The rows as lines, with ` | ` between cells; unordered queries are sorted.
    pub async fn lines(&self, sql: &str) -> Vec<String> {
        let plan = match self.plan(sql) {
            Ok(plan) => plan,
            Err(error) => return vec![format!("error: {error}")],
        };
        let rows = match run(&self.workspace, &plan, &RunLimits::default()).await {
            Ok(rows) => rows,
            Err(error) => return vec![format!("failed: {error}\n{}", plan.sparql())],
        };
        heard::hear(self, sql, &plan, &rows);
        let mut lines: Vec<String> = rows.rows.iter().map(|row| line_of(row)).collect();
        if !plan.ordered {
            lines.sort();
        }
        lines
    }
}

pub fn line_of(row: &[Option<CellValue>]) -> String {
    let cell = |cell: &Option<CellValue>| cell.as_ref().map_or("-".into(), |cell| cell.name.clone());
    row.iter().map(cell).collect::<Vec<String>>().join(" | ")
}
