//! Writes query results: as a table for people, as JSON, CSV or N-Triples for programs.

use std::io::Write;

use oxrdf::{Term, Triple, Variable};
use sparesults::{QueryResultsFormat, QueryResultsSerializer, QuerySolution};
use spareval::{QueryEvaluationError, QueryResults, QuerySolutionIter};

use super::bounds::Ended;
use crate::{GraphError, QueryOptions};

/// Rows that determine a table's column widths.
const MEASURED: usize = 1000;
/// Characters of the widest column.
const WIDEST: usize = 80;

/// How query results are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QueryFormat {
    /// Aligned columns; constructed triples as N-Triples.
    #[default]
    Table,
    /// SPARQL 1.1 results in JSON.
    Json,
    /// SPARQL 1.1 results in CSV.
    Csv,
    /// SPARQL 1.1 results in TSV.
    Tsv,
    /// SPARQL 1.1 results in XML.
    Xml,
    /// N-Triples; for CONSTRUCT and DESCRIBE only.
    NTriples,
}

impl QueryFormat {
    /// Reads a format's name: `table`, `json`, `csv`, `tsv`, `xml` or `ntriples`.
    pub fn parse(name: &str) -> Result<Self, GraphError> {
        Ok(match name {
            "table" => Self::Table,
            "json" => Self::Json,
            "csv" => Self::Csv,
            "tsv" => Self::Tsv,
            "xml" => Self::Xml,
            "ntriples" => Self::NTriples,
            _ => {
                let reason =
                    format!("unknown result format `{name}`; known: table, json, csv, tsv, xml, ntriples");
                return Err(GraphError::Usage(reason));
            }
        })
    }

    fn serializer(self) -> Option<QueryResultsSerializer> {
        let format = match self {
            Self::Json => QueryResultsFormat::Json,
            Self::Csv => QueryResultsFormat::Csv,
            Self::Tsv => QueryResultsFormat::Tsv,
            Self::Xml => QueryResultsFormat::Xml,
            Self::Table | Self::NTriples => return None,
        };
        Some(QueryResultsSerializer::from_format(format))
    }
}

/// The reason why results could not be written.
pub(crate) enum WriteError {
    Evaluation(QueryEvaluationError),
    Io(std::io::Error),
    Format(String),
    TooMany(u64),
    Ended(Ended),
}

impl From<QueryEvaluationError> for WriteError {
    fn from(error: QueryEvaluationError) -> Self {
        Self::Evaluation(error)
    }
}

impl From<std::io::Error> for WriteError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes results; returns their number.
///
/// `checked` runs before each result and fails on an error that the evaluation does not report.
pub(crate) fn write(
    results: QueryResults<'_>,
    checked: impl Fn() -> Result<(), GraphError>,
    options: &QueryOptions,
    out: &mut dyn Write,
) -> Result<u64, WriteError> {
    let format = options.format;
    let failed = |error: GraphError| QueryEvaluationError::Dataset(Box::new(error));
    if format == QueryFormat::NTriples && !matches!(results, QueryResults::Graph(_)) {
        let reason = "N-Triples is for CONSTRUCT and DESCRIBE; write SELECT and ASK as table, json or csv";
        return Err(WriteError::Format(reason.into()));
    }
    let count = match results {
        QueryResults::Boolean(value) => {
            checked().map_err(failed)?;
            match format.serializer() {
                Some(serializer) => drop(serializer.serialize_boolean_to_writer(&mut *out, value)?),
                None => writeln!(out, "{value}")?,
            }
            1
        }
        QueryResults::Solutions(solutions) => {
            let variables = solutions.variables().to_vec();
            let solutions = solutions.map(|solution| {
                checked().map_err(failed)?;
                solution
            });
            write_solutions(&variables, solutions, options, out)?
        }
        QueryResults::Graph(triples) => {
            let triples = triples.map(|triple| {
                checked().map_err(failed)?;
                triple
            });
            return write_triples(triples, options, out);
        }
    };
    // The other formats end with a line break already.
    if format == QueryFormat::Json {
        writeln!(out)?;
    }
    out.flush()?;
    Ok(count)
}

/// Writes constructed triples; returns their number.
pub(crate) fn write_triples(
    triples: impl Iterator<Item = Result<Triple, QueryEvaluationError>>,
    options: &QueryOptions,
    out: &mut dyn Write,
) -> Result<u64, WriteError> {
    let (mut count, format) = (0, options.format);
    if matches!(format, QueryFormat::Table | QueryFormat::NTriples) {
        for triple in triples {
            count = counted(count, options)?;
            writeln!(out, "{} .", triple?)?;
        }
    } else {
        let solutions = as_solutions(triples);
        let variables = solutions.variables().to_vec();
        count = write_solutions(&variables, solutions, options, out)?;
        if format == QueryFormat::Json {
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(count)
}

/// Triples as rows of subject, predicate and object.
fn as_solutions<'a>(
    triples: impl Iterator<Item = Result<Triple, QueryEvaluationError>> + 'a,
) -> QuerySolutionIter<'a> {
    let variables: Vec<Variable> =
        ["subject", "predicate", "object"].into_iter().map(Variable::new_unchecked).collect();
    let rows = triples.map(|triple| {
        triple.map(|triple| {
            vec![Some(triple.subject.into()), Some(triple.predicate.into()), Some(triple.object)]
        })
    });
    QuerySolutionIter::from_tuples(variables.into(), rows)
}

/// The count with one more result, checked against the limit.
fn counted(count: u64, options: &QueryOptions) -> Result<u64, WriteError> {
    match options.rows {
        Some(most) if count >= most => Err(WriteError::TooMany(most)),
        _ => Ok(count + 1),
    }
}

fn write_solutions(
    variables: &[Variable],
    solutions: impl Iterator<Item = Result<QuerySolution, QueryEvaluationError>>,
    options: &QueryOptions,
    out: &mut dyn Write,
) -> Result<u64, WriteError> {
    let Some(serializer) = options.format.serializer() else {
        return write_table(variables, solutions, options, out);
    };
    let mut writer = serializer.serialize_solutions_to_writer(&mut *out, variables.to_vec())?;
    let mut count = 0;
    for solution in solutions {
        count = counted(count, options)?;
        writer.serialize(&solution?)?;
    }
    writer.finish()?;
    Ok(count)
}

fn write_table(
    variables: &[Variable],
    solutions: impl Iterator<Item = Result<QuerySolution, QueryEvaluationError>>,
    options: &QueryOptions,
    out: &mut dyn Write,
) -> Result<u64, WriteError> {
    let header: Vec<String> = variables.iter().map(|variable| format!("?{}", variable.as_str())).collect();
    let mut rows =
        solutions.map(|solution| solution.map(|solution| solution.values().iter().map(cell).collect()));
    let measured: Vec<Vec<String>> = rows.by_ref().take(MEASURED).collect::<Result<_, _>>()?;
    let mut widths: Vec<usize> = header.iter().map(|name| name.chars().count()).collect();
    for row in &measured {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().min(WIDEST).max(*width);
        }
    }
    write_row(&header, &widths, out)?;
    let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    write_row(&rules, &widths, out)?;
    let mut count = 0;
    for row in measured.into_iter().map(Ok).chain(rows) {
        count = counted(count, options)?;
        write_row(&row?, &widths, out)?;
    }
    Ok(count)
}

fn write_row(cells: &[String], widths: &[usize], out: &mut dyn Write) -> std::io::Result<()> {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        let padding = width.saturating_sub(cell.chars().count());
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', padding + 2));
    }
    writeln!(out, "{}", line.trim_end())
}

/// A term as a table shows it: literals bare, IRIs in angle brackets, line breaks and tabs as
/// spaces, other control characters of terminals removed.
fn cell(term: &Option<Term>) -> String {
    let text = match term {
        None => String::new(),
        Some(Term::Literal(literal)) => literal.value().to_owned(),
        Some(other) => other.to_string(),
    };
    let steers = |c: &char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.replace(['\n', '\r', '\t'], " ").chars().filter(|c| !steers(c)).collect()
}

#[cfg(test)]
mod tests {
    use oxrdf::Literal;

    use super::*;

    #[test]
    fn a_label_cannot_steer_the_terminal() {
        let label = Literal::new_simple_literal("red\u{1b}[31m\nLima\u{202e}");
        assert_eq!(cell(&Some(label.into())), "red[31m Lima");
    }
}
