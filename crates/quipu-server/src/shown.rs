//! The values of an answer as the page shows them: kinds of columns, values that decided, places on
//! a map.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use jiff::civil::Date;
use quipu_answer::{Answer, Evidence, EvidenceContent, Value};
use quipu_graph::{Direction, Graph, GraphError, NodeId, RelationId, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::overview::{ColumnKind, readable};

/// Most entities whose places are looked up for one answer.
const MOST_PLACES: usize = 200;
/// The methods' title for a column that the question does not name.
const NAMELESS: &str = "answer";
/// Most columns of values that decided.
const MOST_DECIDING: usize = 2;
const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// An answer's values for display.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub(crate) struct Shown {
    /// The columns: the answer's own, then the values that decided.
    columns: Vec<ShownColumn>,
    /// The rows, with a cell for each column.
    rows: Vec<Vec<Option<Value>>>,
    /// Whether the order of the rows is part of the answer.
    ordered: bool,
    /// Number of omitted rows.
    left_out: u64,
    /// The places of the answer's entities, if the graph states them.
    places: Vec<PlaceView>,
}

/// A column of values.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ShownColumn {
    /// Its title.
    title: String,
    /// The kind of its values.
    kind: ColumnKind,
    /// Whether its numbers are codes or years, which are written without separators.
    plain: bool,
    /// The unit of its numbers.
    unit: Option<String>,
    /// Whether its values decided the choice or the order of the rows.
    decided: bool,
}

/// The place of an entity.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
struct PlaceView {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// Degrees north.
    latitude: f64,
    /// Degrees east.
    longitude: f64,
}

/// How a graph states coordinates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Coordinates {
    /// It does not state them.
    None,
    /// By two relations.
    Pair(RelationId, RelationId),
    /// By relations to texts such as `Point(-77.03 -12.04)`.
    Points(Vec<RelationId>),
}

#[derive(Debug, Deserialize)]
struct Words {
    latitude: Vec<Reasoned>,
    longitude: Vec<Reasoned>,
    point: Vec<Reasoned>,
    year: Vec<Reasoned>,
    unit: Vec<Reasoned>,
    code: Vec<Reasoned>,
    count: Vec<Reasoned>,
}

#[derive(Debug, Deserialize)]
struct Reasoned {
    words: Vec<String>,
}

static WORDS: LazyLock<Option<Words>> = LazyLock::new(|| toml::from_str(include_str!("words.toml")).ok());

/// Whether `name` equals one of the words of a list.
fn is_one(list: fn(&Words) -> &[Reasoned], name: &str) -> bool {
    let name = words_of(name).join(" ");
    WORDS.as_ref().is_some_and(|all| list(all).iter().any(|entry| entry.words.contains(&name)))
}

/// Whether `title` contains one of the words of a list.
fn has_one(list: fn(&Words) -> &[Reasoned], title: &str) -> bool {
    words_of(title).iter().any(|word| is_one(list, word))
}

/// Whether the values of a column are codes, such as telephone numbers; a number of things is none.
pub(crate) fn names_codes(title: &str) -> bool {
    let begins = |words: &[String]| is_one(|words| &words.count, &words.join(" "));
    let counts = words_of(title).get(..2).is_some_and(begins);
    !counts && has_one(|words| &words.code, title)
}

/// Whether the values of a column are coordinates, which are drawn on a map.
fn names_coordinates(title: &str) -> bool {
    is_one(|words| &words.latitude, title) || is_one(|words| &words.longitude, title)
}

/// `birthPlace` and `birth_place` are "birth" and "place".
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins = letter.is_uppercase() && before.is_lowercase();
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

impl Coordinates {
    /// The coordinates of a graph, by the names of its relations.
    pub(crate) fn of(graph: &dyn Graph) -> Self {
        let named = |list: fn(&Words) -> &[Reasoned]| {
            let fits = |(_, info): &(u32, &quipu_graph::RelationInfo)| {
                let last = info.key.rsplit(['/', '#']).next().unwrap_or_default();
                is_one(list, &info.name) || is_one(list, last)
            };
            (0..).zip(graph.relations()).filter(fits).map(|(at, _)| RelationId(at)).collect::<Vec<_>>()
        };
        match (named(|words| &words.latitude).first(), named(|words| &words.longitude).first()) {
            (Some(latitude), Some(longitude)) => Self::Pair(*latitude, *longitude),
            _ => match named(|words| &words.point) {
                points if points.is_empty() => Self::None,
                points => Self::Points(points),
            },
        }
    }

    fn steps(&self) -> Vec<Step> {
        let relations = match self {
            Self::None => Vec::new(),
            Self::Pair(latitude, longitude) => vec![*latitude, *longitude],
            Self::Points(points) => points.clone(),
        };
        relations.into_iter().map(|relation| Step { relation, direction: Direction::Forward }).collect()
    }
}

/// The values of an answer with those that decided; `None` if the answer has neither a table nor
/// places.
///
/// # Errors
/// The graph's.
pub(crate) async fn shown(
    graph: &dyn Graph,
    coordinates: &Coordinates,
    answer: &Answer,
) -> Result<Option<Shown>, GraphError> {
    let mut shown = table(answer).unwrap_or_default();
    let keys = located(answer, graph, coordinates);
    shown.places = places(graph, coordinates, &keys).await?;
    Ok((!shown.rows.is_empty() || !shown.places.is_empty()).then_some(shown))
}

/// The answer's table with the kinds of its columns and the values that decided.
fn table(answer: &Answer) -> Option<Shown> {
    let table = answer.table.as_ref().filter(|table| !table.rows.is_empty())?;
    let mut titles: Vec<String> = table.columns.iter().map(|title| readable(title)).collect();
    let mut rows = table.rows.clone();
    let own = titles.len();
    if let ([title], Some(relation)) = (titles.as_mut_slice(), relation_of(answer, &rows)) {
        // A method without column names: the relation names the values.
        if title == NAMELESS {
            *title = relation;
        }
    }
    if own == 1 {
        for (title, values) in deciding(answer, &rows) {
            titles.push(title);
            for (row, value) in rows.iter_mut().zip(values) {
                row.push(value);
            }
        }
    }
    let column = |(at, title): (usize, String)| {
        let values: Vec<&Value> = rows.iter().filter_map(|row| row.get(at)?.as_ref()).collect();
        ShownColumn::of(title, &values, at >= own)
    };
    let columns = titles.into_iter().enumerate().map(column).collect();
    Some(Shown { columns, rows, ordered: table.ordered, left_out: table.left_out, places: Vec::new() })
}

/// The relation whose literals are the rows, by the cited evidence; `None` if a row is something
/// else.
fn relation_of(answer: &Answer, rows: &[Vec<Option<Value>>]) -> Option<String> {
    let cited = answer.evidence.iter().filter(|piece| answer.citations.contains(&piece.id));
    let stated: Vec<(&str, &str)> = cited
        .filter_map(|piece| match &piece.content {
            EvidenceContent::Triple { relation, tail, .. } => Some((relation.as_str(), tail.as_str())),
            _ => None,
        })
        .collect();
    let (relation, _) =
        stated.iter().find(|(_, tail)| rows.iter().flatten().flatten().any(|value| value.name == *tail))?;
    let holds = |row: &Vec<Option<Value>>| {
        row.iter()
            .flatten()
            .all(|value| value.key.is_none() && stated.contains(&(*relation, value.name.as_str())))
    };
    rows.iter().all(holds).then(|| readable(relation))
}

/// Literals of the rows' entities in the cited evidence, by relation: the values that ranked or
/// chose them. A relation counts if every row has exactly one value of it.
fn deciding(answer: &Answer, rows: &[Vec<Option<Value>>]) -> Vec<(String, Vec<Option<Value>>)> {
    let row_keys: Option<Vec<&str>> = rows.iter().map(|row| row.first()?.as_ref()?.key.as_deref()).collect();
    let Some(row_keys) = row_keys else { return Vec::new() };
    let mut stated: Vec<(&str, &str, HashMap<&str, &str>)> = Vec::new();
    let mut twice: HashSet<&str> = HashSet::new();
    for piece in answer.evidence.iter().filter(|piece| answer.citations.contains(&piece.id)) {
        let EvidenceContent::Triple { relation, tail, keys: Some(keys), .. } = &piece.content else {
            continue;
        };
        let [head, id, end] = keys.as_ref();
        // The key of a literal is its text.
        if end != tail {
            continue;
        }
        let at = stated.iter().position(|(known, ..)| known == id);
        let at = at.unwrap_or_else(|| {
            stated.push((id, relation, HashMap::new()));
            stated.len() - 1
        });
        let Some((_, _, values)) = stated.get_mut(at) else { continue };
        if values.insert(head, tail).is_some_and(|other| other != tail) {
            twice.insert(id);
        }
    }
    let whole = |(id, relation, values): (&str, &str, HashMap<&str, &str>)| {
        let cell = |key: &&str| {
            let name = (*values.get(key)?).to_owned();
            Some(Some(Value { key: None, name, datatype: None }))
        };
        let cells: Option<Vec<Option<Value>>> = row_keys.iter().map(cell).collect();
        cells.filter(|_| !twice.contains(id)).map(|cells| (readable(relation), cells))
    };
    stated.into_iter().filter_map(whole).take(MOST_DECIDING).collect()
}

impl ShownColumn {
    /// A column of these values.
    pub(crate) fn of(title: String, values: &[&Value], decided: bool) -> Self {
        let all = |fits: fn(&Value) -> bool| !values.is_empty() && values.iter().all(|value| fits(value));
        let years = has_one(|words| &words.year, &title) && all(is_year);
        let kind = if all(|value| value.key.is_some()) {
            ColumnKind::Entity
        } else if years || all(is_date) {
            ColumnKind::Date
        } else if all(is_number) {
            ColumnKind::Number
        } else if all(|value| matches!(value.name.as_str(), "true" | "false")) {
            ColumnKind::Flag
        } else {
            ColumnKind::Text
        };
        let unit =
            values.first().and_then(|value| unit(value, &title)).filter(|_| kind == ColumnKind::Number);
        let plain = years || names_codes(&title) || names_coordinates(&title);
        Self { title, kind, plain, unit, decided }
    }
}

fn is_number(value: &Value) -> bool {
    value.key.is_none()
        && value.name.len() <= 24
        && value.name.trim().parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_year(value: &Value) -> bool {
    let digits = value.name.strip_prefix('-').unwrap_or(&value.name);
    value.key.is_none() && digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A day, or a year with the datatype of years.
fn is_date(value: &Value) -> bool {
    let stated = |name: &str| value.datatype.as_deref() == Some(&*format!("{XSD}{name}"));
    let day = value.name.get(..10).is_some_and(|day| day.parse::<Date>().is_ok());
    value.key.is_none() && (day || ((stated("gYear") || stated("gYearMonth")) && value.name.len() >= 4))
}

/// The unit in a number's own datatype (`kilometre`), else in the title: `height (m)`, `area in
/// square kilometres`, `flight hours`.
fn unit(value: &Value, title: &str) -> Option<String> {
    let of_type = value.datatype.as_deref().filter(|datatype| !datatype.starts_with(XSD));
    let name = of_type.and_then(|datatype| datatype.rsplit(['/', '#']).next());
    let in_title = || {
        let open = title.rfind(['(', '['])?;
        title.get(open + 1..)?.strip_suffix([')', ']']).map(str::to_owned)
    };
    let behind_in = || title.split_once(" in ").map(|(_, unit)| unit.to_owned());
    let last = || {
        title
            .rsplit_once(' ')
            .map(|(_, last)| last)
            .filter(|last| is_one(|words| &words.unit, last))
            .map(str::to_owned)
    };
    let told = name.map(|name| words_of(name).join(" "));
    told.or_else(in_title).or_else(behind_in).or_else(last).filter(|unit| !unit.is_empty())
}

/// Keys of the entities to show on a map: the answer's own, and those whose coordinates it cites.
fn located(answer: &Answer, graph: &dyn Graph, coordinates: &Coordinates) -> Vec<String> {
    let steps = coordinates.steps();
    let relations: HashSet<&str> = steps
        .iter()
        .filter_map(|step| graph.relations().get(step.relation.0 as usize))
        .map(|info| info.key.as_str())
        .collect();
    if relations.is_empty() {
        return Vec::new();
    }
    let rows = answer.table.iter().flat_map(|table| &table.rows);
    let own = rows.filter_map(|row| row.iter().flatten().find_map(|value| value.key.clone()));
    let stated = |piece: &Evidence| match &piece.content {
        EvidenceContent::Triple { keys: Some(keys), .. } => {
            let [head, relation, _] = keys.as_ref();
            relations.contains(relation.as_str()).then(|| head.clone())
        }
        _ => None,
    };
    let cited = answer.evidence.iter().filter(|piece| answer.citations.contains(&piece.id));
    let mut seen = HashSet::new();
    own.chain(cited.filter_map(stated)).filter(|key| seen.insert(key.clone())).take(MOST_PLACES).collect()
}

async fn places(
    graph: &dyn Graph,
    coordinates: &Coordinates,
    keys: &[String],
) -> Result<Vec<PlaceView>, GraphError> {
    let steps = coordinates.steps();
    if keys.is_empty() || steps.is_empty() || graph.asks_for_each_node() {
        return Ok(Vec::new());
    }
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let nodes: Vec<NodeId> = graph.resolve(&keys).await?.into_iter().flatten().collect();
    let expansions = graph.expand(&nodes, Some(&steps), 1).await?;
    let ends: Vec<NodeId> = expansions.iter().flatten().flat_map(|found| found.nodes.clone()).collect();
    let texts: HashMap<NodeId, String> =
        ends.iter().copied().zip(graph.summaries(&ends).await?.into_iter().map(|end| end.name)).collect();
    let mut views = Vec::new();
    for (node, found) in graph.summaries(&nodes).await?.into_iter().zip(&expansions) {
        let text = |relation: &RelationId| {
            let of_it = found.iter().find(|expansion| expansion.step.relation == *relation)?;
            texts.get(of_it.nodes.first()?).map(String::as_str)
        };
        let point = match coordinates {
            Coordinates::None => None,
            Coordinates::Pair(latitude, longitude) => degrees(text(latitude), text(longitude)),
            Coordinates::Points(points) => points.iter().filter_map(text).find_map(read_point),
        };
        if let Some((latitude, longitude)) = point {
            views.push(PlaceView { id: node.key, name: node.name, latitude, longitude });
        }
    }
    Ok(views)
}

/// Degrees north and east, if both are valid.
fn degrees(latitude: Option<&str>, longitude: Option<&str>) -> Option<(f64, f64)> {
    let (latitude, longitude): (f64, f64) = (latitude?.trim().parse().ok()?, longitude?.trim().parse().ok()?);
    (latitude.abs() <= 90.0 && longitude.abs() <= 180.0).then_some((latitude, longitude))
}

/// Reads `Point(EAST NORTH)` of well-known text, and `NORTH EAST` or `NORTH,EAST`.
fn read_point(text: &str) -> Option<(f64, f64)> {
    let lower = text.to_lowercase();
    if let Some((_, rest)) = lower.split_once("point") {
        let inner = rest.trim().strip_prefix('(')?.split(')').next()?;
        let (east, north) = inner.trim().split_once(char::is_whitespace)?;
        return degrees(Some(north), Some(east));
    }
    let (north, east) = text.trim().split_once([',', ' '])?;
    degrees(Some(north), Some(east))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{answered, table as rows_of, value};

    fn column(title: &str, values: &[(&str, Option<&str>)]) -> ShownColumn {
        let values: Vec<Value> = values
            .iter()
            .map(|(name, kind)| Value { key: None, name: (*name).into(), datatype: kind.map(str::to_owned) })
            .collect();
        ShownColumn::of(title.into(), &values.iter().collect::<Vec<_>>(), false)
    }

    #[test]
    fn the_word_lists_are_read() {
        assert!(WORDS.is_some());
        assert!(is_one(|words| &words.longitude, "geo:long") && !is_one(|words| &words.latitude, "late"));
    }

    #[test]
    fn kinds_of_columns_are_told_by_their_values() {
        let kind = |title: &str, names: &[&str]| {
            let values: Vec<_> = names.iter().map(|name| (*name, None)).collect();
            let column = column(title, &values);
            (column.kind, column.plain)
        };
        assert_eq!(kind("people", &["7737002", "1.5"]), (ColumnKind::Number, false));
        assert_eq!(kind("people", &["7737002", "many"]), (ColumnKind::Text, false));
        assert_eq!(kind("release_year", &["2012", "2016"]), (ColumnKind::Date, true));
        assert_eq!(kind("flight hours", &["2012", "2016"]), (ColumnKind::Number, false));
        assert_eq!(kind("born on", &["1959-01-29"]), (ColumnKind::Date, false));
        assert_eq!(kind("postal code", &["01067"]), (ColumnKind::Number, true));
        assert_eq!(kind("phone number", &["5550142"]), (ColumnKind::Number, true));
        assert_eq!(kind("number of countries", &["41", "5"]), (ColumnKind::Number, false));
        assert_eq!(kind("longitude", &["-77.02824"]), (ColumnKind::Number, true));
        assert_eq!(kind("open", &["true", "false"]), (ColumnKind::Flag, false));
    }

    #[test]
    fn units_stand_in_titles_and_datatypes() {
        let metre = "http://dbpedia.org/datatype/squareKilometre";
        assert_eq!(column("area", &[("12", Some(metre))]).unit.as_deref(), Some("square kilometre"));
        let unit = |title: &str| column(title, &[("12", None)]).unit;
        assert_eq!(unit("height (m)").as_deref(), Some("m"));
        assert_eq!(unit("area in square kilometres").as_deref(), Some("square kilometres"));
        assert_eq!(unit("flight hours").as_deref(), Some("hours"));
        assert_eq!(unit("runway length m").as_deref(), Some("m"));
        assert_eq!((unit("rating"), unit("happy hour")), (None, None));
        let integer = format!("{XSD}integer");
        assert_eq!(column("people", &[("12", Some(&integer))]).unit, None);
        assert_eq!(column("motto (long)", &[("Onwards", None)]).unit, None);
    }

    #[test]
    fn what_ranked_the_rows_stands_beside_them() {
        let mut answer = answered(&["Lima", "Cusco"]);
        answer.table = Some(rows_of(&["town"], &[&["Lima"], &["Cusco"]]));
        let people = |town: &str, number: &str| {
            Evidence::triple("geo", [town, "number_of_people", number], [town, "n", number])
        };
        answer.evidence = vec![people("Lima", "10"), people("Cusco", "4"), people("Puno", "1")];
        answer.citations = answer.evidence.iter().take(2).map(|piece| piece.id.clone()).collect();
        let shown = table(&answer).unwrap();
        let titles: Vec<_> = shown.columns.iter().map(|c| (&*c.title, c.kind, c.decided)).collect();
        assert_eq!(
            titles,
            [("town", ColumnKind::Entity, false), ("number of people", ColumnKind::Number, true)]
        );
        assert_eq!(shown.rows[1][1].as_ref().unwrap().name, "4");
        // A row without a value: the relation did not decide.
        answer.citations.pop();
        assert_eq!(table(&answer).unwrap().columns.len(), 1);
        // Two values in one row: the deciding one is unknown.
        answer.evidence.push(people("Lima", "11"));
        answer.citations = answer.evidence.iter().map(|piece| piece.id.clone()).collect();
        assert_eq!(table(&answer).unwrap().columns.len(), 1);
        answer.table.as_mut().unwrap().rows[0][0] = Some(value("k", "Lima"));
        assert_eq!(table(&answer).unwrap().columns.len(), 1);
    }

    #[test]
    fn a_literal_is_called_by_its_relation() {
        let mut answer = answered(&["12"]);
        answer.table = Some(rows_of(&["answer"], &[&["12"]]));
        answer.table.as_mut().unwrap().rows[0][0] = Some(Value { name: "12".into(), ..Value::default() });
        answer.evidence = vec![Evidence::triple("geo", ["Oldham", "flight_hours", "12"], ["o", "h", "12"])];
        answer.citations = vec![answer.evidence[0].id.clone()];
        let column = &table(&answer).unwrap().columns[0];
        assert_eq!((&*column.title, column.unit.as_deref()), ("flight hours", Some("hours")));
        answer.citations.clear();
        assert_eq!(table(&answer).unwrap().columns[0].title, "answer");
    }

    #[test]
    fn points_are_read_as_they_are_written() {
        assert_eq!(read_point("Point(-77.03 -12.04)"), Some((-12.04, -77.03)));
        assert_eq!(read_point("<http://crs> POINT (10 50)"), Some((50.0, 10.0)));
        assert_eq!(read_point("50.5,10.25"), Some((50.5, 10.25)));
        assert_eq!(read_point("the old market"), None);
        assert_eq!(degrees(Some("95"), Some("10")), None);
    }
}
