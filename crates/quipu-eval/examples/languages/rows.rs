//! Turns rows of cells into an answer's table, in the same way for all languages.

use std::collections::HashSet;

use oxrdf::Term;
use quipu_answer::{AnswerTable, Value, asks_yes_or_no};
use quipu_query::{
    CellValue, Expression, Query, QueryError, RunLimits, asks_tables, bind, plan, read_sql, run, with_groups,
};

use crate::Graph;

/// The rows of SQL in the model's own words.
pub async fn of_sql(graph: &Graph, text: &str) -> Result<AnswerTable, QueryError> {
    of_query(graph, read_sql(text, Some(jiff::Zoned::now().date()))?).await
}

/// The rows of an unbound query.
pub async fn of_query(graph: &Graph, query: Query) -> Result<AnswerTable, QueryError> {
    let mut texts = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Text(text) = part {
            texts.push(text.clone());
        }
    });
    let found = graph.values.find(&graph.workspace, &graph.tables, &texts).await?;
    let mut bound = bind(query, &graph.tables, &graph.values, &found)?;
    if !asks_tables(&bound.query) {
        return Err(QueryError::Unbound("the query asks nothing of the tables".into()));
    }
    with_groups(&mut bound.query);
    let plan = plan(&bound.query, &graph.tables)?;
    Ok(table(run(&graph.workspace, &plan, &RunLimits::default()).await?.rows))
}

/// Rows of cells as an answer's table: equal rows once, rows without a value dropped.
pub fn table(rows: Vec<Vec<Option<CellValue>>>) -> AnswerTable {
    let is_truth = |term: &Term| matches!(term, Term::Literal(literal) if literal.datatype().as_str().ends_with("#boolean"));
    let alone = matches!(rows.as_slice(), [row] if row.len() == 1);
    let value = |cell: CellValue| {
        let name = match cell.name.as_str() {
            "true" if alone && is_truth(&cell.term) => "yes".to_owned(),
            "false" if alone && is_truth(&cell.term) => "no".to_owned(),
            _ => cell.name,
        };
        Value { key: cell.key, name, datatype: None }
    };
    let mut seen = HashSet::new();
    let rows = rows
        .into_iter()
        .filter(|row| row.iter().any(Option::is_some))
        .map(|row| row.into_iter().map(|cell| cell.map(value)).collect::<Vec<_>>())
        .filter(|row| seen.insert(row.clone()))
        .collect();
    AnswerTable { rows, ..AnswerTable::default() }
}

/// A yes-or-no question that was read as a list question: yes if there are results.
pub fn yes_or_no(question: &str, table: AnswerTable) -> AnswerTable {
    let is_said = |row: &Vec<Option<Value>>| {
        row.iter().flatten().any(|value| value.name == "yes" || value.name == "no")
    };
    if !asks_yes_or_no(question) || table.rows.iter().any(is_said) {
        return table;
    }
    let yes = table.rows.iter().flatten().flatten().any(|value| value.name != "0" && value.name != "false");
    let name = if yes { "yes" } else { "no" }.to_owned();
    AnswerTable { rows: vec![vec![Some(Value { key: None, name, datatype: None })]], ..table }
}

#[cfg(test)]
mod tests {
    use super::yes_or_no;
    use quipu_answer::{AnswerTable, Value};

    fn check(question: &str, cells: &[&str], expected: &[&str]) {
        let cell = |name: &&str| vec![Some(Value { key: None, name: (*name).to_owned(), datatype: None })];
        let table = AnswerTable { rows: cells.iter().map(cell).collect(), ..AnswerTable::default() };
        let found = yes_or_no(question, table);
        let names: Vec<&str> =
            found.rows.iter().flatten().flatten().map(|value| value.name.as_str()).collect();
        assert_eq!(names, expected, "{question}");
    }

    #[test]
    fn rows_say_yes_to_a_question_for_yes_or_no() {
        check("Is the Gull insured?", &["Gull"], &["yes"]);
        check("Is the Gull insured?", &[], &["no"]);
        check("Are there red ships?", &["0"], &["no"]);
        check("Is it?", &["no"], &["no"]);
        check("Which ships are red?", &["Tern", "Gull"], &["Tern", "Gull"]);
    }
}
