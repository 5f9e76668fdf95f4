//! Tables: files of rows under a header, with an entity in each row and a property in each column.
//! This module detects tables and the types of their cells. `import::tables` finds the references
//! between them.

use std::io::Read;
use std::sync::LazyLock;

use csv::{ByteRecord, Reader, ReaderBuilder, Trim};
use serde::Deserialize;

use super::dates::{self, Orders};
use crate::naming::singular;

/// Rows that are read to distinguish a table from triples.
const LOOKED_AT: usize = 50;
/// Rows with a number in the third column that make the file a table. Fewer could be triples with
/// numbers as tails.
const SURE_ROWS: usize = 3;

/// Words of headers and cells, from `headers.toml`.
#[derive(Debug, Default, Deserialize)]
struct Conventions {
    naming: Words,
    identifying: Words,
    roles: Words,
    nothing: Words,
    holds: Words,
    fails: Words,
    between: Words,
}

#[derive(Debug, Default, Deserialize)]
struct Words {
    words: Vec<String>,
}

/// Conventions of tables. The file is compiled in, and a test reads it.
static CONVENTIONS: LazyLock<Conventions> =
    LazyLock::new(|| toml::from_str(include_str!("headers.toml")).unwrap_or_default());

pub(crate) const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// The rows of a table, including the header.
pub(crate) fn rows<R: Read>(reader: R, delimiter: u8) -> Reader<R> {
    ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .quoting(is_quoting(delimiter))
        .trim(Trim::All)
        .from_reader(reader)
}

/// Whether quotes enclose cells. Between tabs a quote is a plain character, as in inches.
pub(crate) fn is_quoting(delimiter: u8) -> bool {
    delimiter != b'\t'
}

/// The delimiter of a table: the most frequent one in its first line.
pub(crate) fn delimiter(start: &[u8]) -> u8 {
    let line =
        start.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let count = |delimiter: &u8| memchr::memchr_iter(*delimiter, line).count();
    // On a tie the last one wins, so the comma is the default.
    [b';', b'\t', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// Whether a file in columns is a table. Three columns may be triples: then the header must decide.
pub(super) fn is_table(start: &[u8], whole: bool) -> bool {
    let mut records: Vec<Vec<String>> = Vec::new();
    let mut reader = rows(start, delimiter(start));
    let mut record = ByteRecord::new();
    while records.len() <= LOOKED_AT && reader.read_byte_record(&mut record).unwrap_or(false) {
        records.push(record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect());
    }
    // The last row of a partial file may be incomplete.
    if !whole && records.len() > 1 {
        records.pop();
    }
    let Some((header, rows)) = records.split_first() else { return false };
    if rows.is_empty() || !is_header(header) {
        return false;
    }
    match header.len() {
        0 | 1 => false,
        3 => speaks_for_a_table(header, rows),
        // Triples never have this many columns. Rows of another length are errors in the table,
        // unless half of the rows have one.
        columns => rows.iter().filter(|row| row.len() == columns).count() * 2 > rows.len(),
    }
}

/// Whether all cells are distinct names, without numbers and dates.
fn is_header(cells: &[String]) -> bool {
    let named: Vec<&String> = cells.iter().filter(|cell| !cell.is_empty()).collect();
    let different =
        named.iter().enumerate().all(|(at, cell)| !named.iter().take(at).any(|other| other == cell));
    // "X", "Y" and "no" are headers, although such a cell says yes or no.
    let is_word = |cell: &str| cell.bytes().all(|byte| byte.is_ascii_alphabetic());
    // Days in words of people head columns, as years do not.
    let is_day =
        |cell: &str| matches!(Cell::of(cell), Cell::Date | Cell::Slashed(_)) && !dates::is_date(cell);
    let names = |cell: &&String| Cell::of(cell) == Cell::Text || is_word(cell) || is_day(cell);
    different && named.len() * 2 > cells.len() && named.iter().all(names)
}

fn speaks_for_a_table(header: &[String], rows: &[Vec<String>]) -> bool {
    let recurs = |column: usize| rows.iter().any(|row| row.get(column) == header.get(column));
    if (0..3).any(recurs) {
        return false;
    }
    let words: Vec<String> = header.iter().map(|cell| words(cell)).collect();
    let all_different = || different(rows.iter().filter_map(|row| row.first()));
    // "Code, group, description": in triples, heads repeat.
    let identifies = |known: &String| {
        let before = words.first().and_then(|word| word.strip_suffix(known.as_str()));
        before.is_some_and(|before| before.is_empty() || before.ends_with(' '))
    };
    if CONVENTIONS.identifying.words.iter().any(identifies) && rows.len() > 1 && all_different() {
        return true;
    }
    let names =
        |word: &String| CONVENTIONS.naming.words.contains(word) || word == "id" || word.ends_with(" id");
    match words.iter().position(names) {
        // "Name" may be a relation: in triples, heads repeat.
        Some(1) if !all_different() => return false,
        Some(_) => return true,
        None => {}
    }
    let typed = |column: usize| {
        let cells: Vec<&String> = rows.iter().filter_map(|row| row.get(column)).collect();
        !cells.is_empty() && cells.iter().all(|cell| Cell::of(cell) != Cell::Text)
    };
    // A relation is never a number.
    typed(1) || (typed(2) && rows.len() >= SURE_ROWS && all_different())
}

fn different<'a>(cells: impl Iterator<Item = &'a String>) -> bool {
    let mut seen = std::collections::HashSet::new();
    cells.into_iter().all(|cell| seen.insert(cell))
}

/// A header's cell as words: `unitPrice`, `unit_price` and `Unit Price` are equal.
pub(crate) fn words(cell: &str) -> String {
    crate::readable::readable_relation(cell).to_lowercase()
}

/// The possible type of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    Nothing,
    Text,
    Integer,
    Decimal,
    /// `1,234,567.8`.
    Grouped,
    Boolean,
    Date,
    /// `28/02/2024`: its column tells whether the day comes first.
    Slashed(Orders),
    DateTime,
}

impl Cell {
    pub(crate) fn of(text: &str) -> Self {
        if text.is_empty()
            || CONVENTIONS.nothing.words.iter().any(|nothing| text.eq_ignore_ascii_case(nothing))
        {
            return Self::Nothing;
        }
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, fraction) =
            digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if fraction.is_none_or(all_digits) {
            // A number with a leading zero is a code, like a postcode.
            if all_digits(whole) && (whole == "0" || !whole.starts_with('0')) {
                return if fraction.is_some() { Self::Decimal } else { Self::Integer };
            }
            let mut groups = whole.split(',');
            let first =
                groups.next().is_some_and(|first| all_digits(first) && first.len() <= 3 && first != "0");
            if first && whole.contains(',') && groups.all(|group| group.len() == 3 && all_digits(group)) {
                return Self::Grouped;
            }
        }
        match text {
            _ if truth(text).is_some() => Self::Boolean,
            _ if dates::date(text).is_some() => Self::Date,
            _ if dates::date_and_time(text).is_some() => Self::DateTime,
            _ => Orders::of(text).map_or(Self::Text, Self::Slashed),
        }
    }
}

/// Whether a cell says true or false.
fn truth(text: &str) -> Option<bool> {
    let is_word = |word: &String| {
        text.eq_ignore_ascii_case(word)
            && (text.get(1..) == word.get(1..)
                || (word.len() > 2 && text.bytes().all(|letter| letter.is_ascii_uppercase())))
    };
    let says = |words: &Words| words.words.iter().any(is_word);
    says(&CONVENTIONS.holds).then_some(true).or_else(|| says(&CONVENTIONS.fails).then_some(false))
}

/// The type of all cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Decimal,
    Boolean,
    Date,
    /// Dates with slashes, in the orders that all of them allow.
    Slashed(Orders),
    DateTime,
}

impl Kind {
    /// The type after one more cell.
    pub(crate) fn with(before: Option<Self>, cell: Cell) -> Option<Self> {
        let kind = match cell {
            Cell::Nothing => return before,
            Cell::Text => Self::Text,
            Cell::Integer => Self::Integer,
            Cell::Decimal | Cell::Grouped => Self::Decimal,
            Cell::Boolean => Self::Boolean,
            Cell::Date => Self::Date,
            Cell::Slashed(orders) => Self::Slashed(orders),
            Cell::DateTime => Self::DateTime,
        };
        Some(match (before, kind) {
            (None, kind) => kind,
            (Some(before), kind) if before == kind => kind,
            (Some(Self::Slashed(before)), Self::Slashed(orders)) => Self::Slashed(before.and(orders)),
            (Some(Self::Integer | Self::Decimal), Self::Integer | Self::Decimal) => Self::Decimal,
            (Some(Self::Date | Self::DateTime), Self::Date | Self::DateTime) => Self::DateTime,
            _ => Self::Text,
        })
    }

    /// The lexical form of a cell and the datatype, as RDF writes them; `None` if the cell marks a
    /// missing value.
    pub(crate) fn literal(self, text: &str) -> Option<(String, &'static str)> {
        if text.is_empty() || (self != Self::Text && Cell::of(text) == Cell::Nothing) {
            return None;
        }
        let plain = |text: &str| text.trim_start_matches('+').replace(',', "");
        Some(match self {
            Self::Text => (text.to_owned(), ""),
            Self::Integer => (plain(text), "integer"),
            Self::Decimal => (plain(text), "decimal"),
            Self::Boolean => (truth(text)?.to_string(), "boolean"),
            Self::Date => (dates::date(text)?, "date"),
            Self::Slashed(orders) => match orders.read(text) {
                Some(date) => (date, "date"),
                None => (text.to_owned(), ""),
            },
            Self::DateTime => match dates::date_and_time(text) {
                Some((date, time)) => {
                    // RDF requires seconds.
                    let seconds = if time.matches(':').count() == 1 { ":00" } else { "" };
                    (format!("{date}T{time}{seconds}"), "dateTime")
                }
                None => (format!("{}T00:00:00", dates::date(text)?), "dateTime"),
            },
        })
    }
}

/// The sign between the values of a cell that may hold several.
pub(crate) fn between(cell: &str) -> Option<&'static str> {
    CONVENTIONS.between.words.iter().find(|sign| cell.contains(sign.as_str())).map(String::as_str)
}

/// Whether a sign between values stands within single names too.
pub(crate) fn stands_in_names(sign: &str) -> bool {
    CONVENTIONS.between.words.last().is_some_and(|last| last == sign)
}

/// The position of the first column with one of these headers, in the order of the words.
fn called(headers: &[String], wanted: &Words, kind: &str) -> Option<usize> {
    let is_called = |header: &str, word: &str| {
        let before = header.strip_suffix(word).and_then(|before| before.strip_suffix(' '));
        header == word || before.is_some_and(|named| is_kind(named, kind) || abbreviates(named, kind))
    };
    let own = |word: &String| headers.iter().position(|header| is_called(header, word));
    wanted.words.iter().find_map(own)
}

/// The column of the rows' names, by its header.
pub(crate) fn naming(headers: &[String], kind: &str) -> Option<usize> {
    let itself = || headers.iter().position(|header| is_kind(header, kind));
    called(headers, &CONVENTIONS.naming, kind).or_else(itself)
}

/// Whether a header ends like one for names: `display name`.
pub(crate) fn ends_like_a_name(header: &str) -> bool {
    let ends = |word: &String| header.strip_suffix(word.as_str()).is_some_and(|before| before.ends_with(' '));
    CONVENTIONS.naming.words.iter().any(ends)
}

/// The column of the rows' ids, by its header.
pub(crate) fn identifying(headers: &[String], kind: &str) -> Option<usize> {
    called(headers, &CONVENTIONS.identifying, kind)
}

/// Whether a word is the name of a kind, in the singular or the plural. The name without its last
/// letter is compared too, because the singular of `movies` by its ending is wrong.
fn is_kind(word: &str, kind: &str) -> bool {
    // Headers are in small letters, names of files may have capitals.
    let kind = &kind.to_lowercase();
    word == kind || kind.strip_suffix('s') == Some(word) || singular(word) == singular(kind)
}

/// Whether a word of a header abbreviates the name of a kind: `veh` of vehicles, `stn` of stations,
/// `dept` of departments. It begins like the name and goes on with some of its consonants.
fn abbreviates(word: &str, kind: &str) -> bool {
    /// Shortest abbreviation.
    const SHORTEST: usize = 3;
    let kind = singular(&kind.to_lowercase());
    let shared = word.bytes().zip(kind.bytes()).take_while(|(short, whole)| short == whole).count();
    let (Some(rest), Some(whole)) = (word.get(shared..), kind.get(shared..)) else { return false };
    let mut left = whole.chars();
    let follows = |letter: char| !"aeiou".contains(letter) && left.any(|next| next == letter);
    let letters = word.bytes().all(|byte| byte.is_ascii_lowercase());
    shared > 0 && letters && word.len() >= SHORTEST && word.len() < kind.len() && rest.chars().all(follows)
}

/// Whether a column's header names a table: `supplier`, `supplier_id`, `suppliers` or `supp_id` for
/// `suppliers.csv`.
pub(crate) fn speaks_of(header: &str, kind: &str) -> bool {
    let named = without_id(header);
    let last = named.rsplit(' ').next().unwrap_or(named);
    let is_id = named.len() < header.len();
    [named, last].iter().any(|word| is_kind(word, kind) || (is_id && abbreviates(word, kind)))
}

/// Whether a header's last word abbreviates the name of a kind: `ref by pat` of patients.
pub(crate) fn ends_like(header: &str, kind: &str) -> bool {
    header.rsplit_once(' ').is_some_and(|(_, last)| abbreviates(last, kind))
}

/// `supplier id` as `supplier`.
fn without_id(header: &str) -> &str {
    let ends = &CONVENTIONS.identifying.words;
    ends.iter().find_map(|word| header.strip_suffix(word.as_str())?.strip_suffix(' ')).unwrap_or(header)
}

/// Whether a header ends like one for ids, behind another word: `dr id`.
pub(crate) fn ends_like_an_id(header: &str) -> bool {
    without_id(header).len() < header.len()
}

/// The words of a header before the header of a table's ids: "head" of `head dr id`, nothing of
/// `dr id`. `None` if it ends otherwise, or if the ids' header is no more than `id`.
pub(crate) fn before_ids<'h>(header: &'h str, ids: &str) -> Option<&'h str> {
    let before = header.strip_suffix(ids).filter(|_| ends_like_an_id(ids))?;
    (before.is_empty() || before.ends_with(' ')).then(|| before.trim_end())
}

/// Whether a header is one that the ids of any table may have: `code`.
pub(crate) fn is_any_id(header: &str) -> bool {
    CONVENTIONS.identifying.words.iter().any(|word| word == header)
}

/// Whether a header is that of a kind's own ids and names the kind: `asset tag` of assets.
pub(crate) fn is_key_of(header: &str, kind: &str, ids: &str) -> bool {
    header == ids && header.contains(' ') && header.split(' ').any(|word| is_kind(word, kind))
}

/// Whether a header says what things do or who did it: `booked by`, `reports to`.
pub(crate) fn ends_like_a_role(header: &str) -> bool {
    header.rsplit_once(' ').is_some_and(|(_, last)| CONVENTIONS.roles.words.iter().any(|word| word == last))
}

/// The name of the relation from a column with this header to rows of a kind: `supplier` for
/// `supplier id` and for `supp id`. `ids` is the header of the kind's own ids: `head doctor` for
/// `head dr id`, if doctors have a `dr id`.
pub(crate) fn relation_to(header: &str, kind: &str, ids: Option<&str>) -> String {
    let named = without_id(header);
    if named.rsplit(' ').next().is_some_and(|last| is_kind(last, kind)) {
        return named.to_owned();
    }
    let one = singular(&kind.to_lowercase());
    if ids.is_some_and(|ids| is_key_of(header, kind, ids)) {
        return one;
    }
    if let Some((before, _)) = header.rsplit_once(' ').filter(|_| ends_like(header, kind)) {
        return format!("{before} {one}");
    }
    let before = ids.and_then(|ids| before_ids(header, ids));
    let is_short = (ends_like_an_id(header) || ids == Some(header)) && abbreviates(named, kind);
    match before.or(is_short.then_some("")) {
        Some("") => one,
        Some(before) => format!("{before} {one}"),
        None => named.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conventions_are_read_and_each_has_a_reason() {
        let text = include_str!("headers.toml");
        let read: Conventions = toml::from_str(text).unwrap();
        let lists = [
            &read.naming,
            &read.identifying,
            &read.roles,
            &read.nothing,
            &read.holds,
            &read.fails,
            &read.between,
        ];
        assert!(lists.iter().all(|list| !list.words.is_empty()));
        assert_eq!(text.matches("\nreason = ").count(), lists.len());
    }

    #[test]
    fn headers_speak_of_tables_in_the_singular_and_the_plural() {
        let tables = [
            ("supplier id", "suppliers"),
            ("suppliers", "suppliers"),
            ("home country", "countries"),
            ("movie id", "movies"),
            ("bus", "bus"),
            ("branch id", "branches"),
        ];
        for (header, kind) in tables {
            assert!(speaks_of(header, kind), "{header} {kind}");
        }
        assert!(!speaks_of("suppliers count", "suppliers") && !speaks_of("price", "suppliers"));
        for (header, kind) in [("veh id", "vehicles"), ("mbr no", "members"), ("dept id", "departments")] {
            assert!(speaks_of(header, kind), "{header} {kind}");
            assert_eq!(relation_to(header, kind, None), singular(kind));
        }
        for (header, kind) in [("veh", "vehicles"), ("st id", "stations"), ("make id", "models")] {
            assert!(!speaks_of(header, kind), "{header} {kind}");
        }
        assert_eq!(relation_to("home country id", "countries", Some("country id")), "home country");
        assert_eq!(relation_to("dr id", "doctors", Some("dr id")), "doctor");
        assert_eq!(relation_to("head dr id", "doctors", Some("dr id")), "head doctor");
        assert_eq!(relation_to("boss", "people", Some("id")), "boss");
        assert_eq!(relation_to("ref by pat", "patients", Some("pat no")), "ref by patient");
        assert_eq!(relation_to("cust nr", "Customers", Some("customer nr")), "customer");
        assert!(speaks_of("main operator", "Operators") && !speaks_of("main operators", "Operas"));
        let headers = ["id", "movie name"].map(str::to_owned);
        assert_eq!((identifying(&headers, "movies"), naming(&headers, "movies")), (Some(0), Some(1)));
    }

    fn check(text: &str, expected: bool) {
        assert_eq!(is_table(text.as_bytes(), true), expected, "{text}");
    }

    #[test]
    fn tables_are_told_from_triples() {
        check("name,price,supplier\nFalcon Drill,129.99,Acme\n", true);
        check("cd,grp,dsc\nCIV,CSTP,Civil\nOPN,STAT,Open\n", true);
        check("code,knows,b\nada,knows,bob\nada,likes,cy\n", false);
        check("product,price,supplier\nFalcon Drill,129.99,Acme\n", true);
        check("city,country,people\nLima,Peru,10\nOslo,Norway,1\nBergen,Norway,0.3\n", true);
        check("city;country;people;mayor\nLima;Peru;10;Ana\n", true);
        check("name\tcountry\nLima\tPeru\n", true);
        check("head,relation,tail\nLima,capital of,Peru\n", false);
        check("Lima,capital of,Peru\nOslo,capital of,Norway\n", false);
        check("Peru,capital,Lima\nPeru,population,31989256\nPeru,area,1285216\n", false);
        check("Peru,capital,Lima\nBrazil,population,200\n", false);
        check("Q1,name,Lima\nQ2,land,Peru\nQ2,people,10\n", false);
        check("sku,name,price\nF1,Falcon Drill,129.99\nH1,Heron Sander,89\n", true);
        check("Lima,Peru\n", false);
        check("1,2,3,4\n5,6,7,8\n", false);
        check("x,y,colour,size\n1,2,red,3\n", true);
        check("name\nLima\n", false);
        check("name,price,supplier\n", false);
    }

    #[test]
    fn cells_tell_what_they_are() {
        for (text, expected) in [
            ("42", Cell::Integer),
            ("-3", Cell::Integer),
            ("0", Cell::Integer),
            ("0.5", Cell::Decimal),
            ("01234", Cell::Text),
            ("1,234,567", Cell::Grouped),
            ("12,34", Cell::Text),
            ("1.", Cell::Text),
            ("$5", Cell::Text),
            ("2024-02-28", Cell::Date),
            ("2024-13-28", Cell::Text),
            ("28.02.2024", Cell::Date),
            ("28.13.2024", Cell::Text),
            ("2024-02-28 12:30", Cell::DateTime),
            ("2024-02-28T12:30:59.5+01:00", Cell::DateTime),
            ("2024-02-28 noon", Cell::Text),
            ("TRUE", Cell::Boolean),
            ("yes", Cell::Boolean),
            ("No", Cell::Boolean),
            ("Y", Cell::Boolean),
            ("NO", Cell::Text),
            ("nope", Cell::Text),
            ("N/A", Cell::Nothing),
            ("", Cell::Nothing),
            ("é", Cell::Text),
        ] {
            assert_eq!(Cell::of(text), expected, "{text}");
        }
    }

    #[test]
    fn a_column_is_what_all_its_cells_are() {
        let kind = |cells: &[&str]| cells.iter().fold(None, |kind, cell| Kind::with(kind, Cell::of(cell)));
        assert_eq!(kind(&["1", "2.5", "n/a"]), Some(Kind::Decimal));
        assert_eq!(kind(&["1", "two"]), Some(Kind::Text));
        assert_eq!(kind(&["2024-02-28", "2024-02-28 12:30"]), Some(Kind::DateTime));
        assert_eq!(kind(&["", "-"]), None);
        let literal = |cells: &[&str]| kind(cells)?.literal(cells.first()?);
        assert_eq!(literal(&["01.09.2003", "2024-02-28"]), Some(("2003-09-01".into(), "date")));
        assert_eq!(literal(&["3/4/2024", "28/02/2024"]), Some(("2024-04-03".into(), "date")));
        assert_eq!(literal(&["3/4/2024", "5/6/2024"]), Some(("3/4/2024".into(), "")));
        assert_eq!(literal(&["1.9.2003 8:15", "2024-02-28"]), Some(("1.9.2003 8:15".into(), "")));
        assert_eq!(
            literal(&["1.9.2003 08:15", "2024-02-28"]),
            Some(("2003-09-01T08:15:00".into(), "dateTime"))
        );
        assert_eq!(Kind::Decimal.literal("1,234.5"), Some(("1234.5".into(), "decimal")));
        assert_eq!(Kind::Decimal.literal("n/a"), None);
        assert_eq!(kind(&["yes", "no", ""]), Some(Kind::Boolean));
        assert_eq!(kind(&["yes", "no", "with effort"]), Some(Kind::Text));
        assert_eq!(Kind::Boolean.literal("Yes"), Some(("true".into(), "boolean")));
        assert_eq!(Kind::Text.literal("n/a"), Some(("n/a".into(), "")));
        assert_eq!(
            Kind::DateTime.literal("2024-02-28 12:30"),
            Some(("2024-02-28T12:30:00".into(), "dateTime"))
        );
    }

    #[test]
    fn headers_tell_names_ids_and_other_tables() {
        let headers = |cells: &[&str]| cells.iter().map(|cell| words(cell)).collect::<Vec<_>>();
        assert_eq!(naming(&headers(&["id", "productName", "price"]), "products"), Some(1));
        assert_eq!(naming(&headers(&["country", "people"]), "countries"), Some(0));
        assert_eq!(identifying(&headers(&["supplier_id", "name"]), "suppliers"), Some(0));
        assert_eq!(identifying(&headers(&["supplier_id", "name"]), "products"), None);
        assert!(speaks_of("supplier id", "suppliers") && speaks_of("main supplier", "suppliers"));
        assert!(speaks_of("country", "countries") && !speaks_of("quantity", "suppliers"));
    }
}
