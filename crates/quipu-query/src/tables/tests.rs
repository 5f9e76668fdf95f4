//! Words, identifiers, and tables shown within a budget: on tables made in memory, as large as
//! graphs come.

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{
    Column, Kind, Place, Relevance, RenderConfig, Rendered, Rows, Table, Tables, identifier, words_of,
};
use crate::sql::read_sql;
use crate::syntax::Expression;

/// Tables with identifiers made as a count makes them.
#[derive(Default)]
struct Maker {
    tables: Vec<Table>,
    taken: HashSet<String>,
}

impl Maker {
    fn table(&mut self, title: &str, columns: impl IntoIterator<Item = (String, Kind)>) -> usize {
        let at = self.tables.len();
        let mut taken = HashSet::from(["name".to_owned()]);
        let mut all = vec![column("name", "name".into(), Kind::Entity(Some(at)))];
        for (title, kind) in columns {
            let id = identifier(&title, "value", &mut taken);
            all.push(column(&title, id, kind));
        }
        self.tables.push(Table {
            id: identifier(title, "thing", &mut self.taken),
            title: title.to_owned(),
            rows: 10,
            source: Rows::Types(vec![format!("http://made.test/{at}")]),
            columns: all,
            within: None,
            kinds: Vec::new(),
            unnamed: false,
        });
        at
    }

    fn links(&mut self, heads: usize, tails: usize) {
        let [head, tail] = [heads, tails].map(|at| self.tables[at].title.clone());
        let id = identifier(&format!("{head} {tail}"), "link", &mut self.taken);
        let end = |at: usize, title: &str| column(title, title.replace(' ', "_"), Kind::Entity(Some(at)));
        self.tables.push(Table {
            id,
            title: format!("{head} {tail}"),
            rows: 20,
            source: Rows::Links { relation: "http://made.test/link".into(), heads },
            columns: vec![end(heads, &head), end(tails, &tail)],
            within: None,
            kinds: Vec::new(),
            unnamed: false,
        });
    }

    fn tables(self) -> Tables {
        Tables { tables: self.tables, ..Tables::default() }
    }
}

fn column(title: &str, id: String, kind: Kind) -> Column {
    Column {
        id,
        title: title.to_owned(),
        relation: None,
        kind,
        filled: 10,
        distinct: 10,
        examples: vec!["one".into(), "another".into()],
        range: None,
        references: None,
        mixed: false,
        only_here: false,
        years: false,
        minutes: false,
        unit: None,
    }
}

/// A word for each number below 343,000, another for each.
fn word(number: usize) -> String {
    let (consonants, vowels) = (b"bdfgklmnprstvz", b"aeiou");
    let syllable = |digit: usize| {
        [consonants[digit % consonants.len()], vowels[digit / consonants.len() % vowels.len()]]
            .map(char::from)
    };
    [number % 70, number / 70 % 70, number / 4_900].into_iter().flat_map(syllable).collect()
}

fn shown(rendered: &Rendered, tables: &Tables) -> BTreeSet<String> {
    let of = |place: &Place| tables.tables[place.table].id.clone();
    rendered.shown.iter().map(of).collect()
}

#[test]
fn the_tables_asked_of_are_shown_of_thousands() {
    let mut maker = Maker::default();
    for class in 0..5_000 {
        let kinds = [Kind::Text, Kind::Number { text: false }, Kind::Date, Kind::Flag];
        let columns = (0..12).map(|at| (format!("{} {}", word(class * 12 + at), at), kinds[at % 4]));
        maker.table(&format!("{} kind", word(class)), columns.collect::<Vec<_>>());
    }
    let (bird, colour) = (maker.table("wading bird", []), maker.table("plumage colour", []));
    maker.links(bird, colour);
    let tables = maker.tables();
    let question = "Which plumage colour do most wading birds have?";
    for bytes in [300, 1_000, 4_400, 20_000] {
        let config = RenderConfig { bytes, ..RenderConfig::default() };
        let rendered = tables.render(&Relevance::by_words(&tables, question), &config);
        assert!(rendered.text.len() <= bytes, "{} of {bytes}", rendered.text.len());
        let ids = shown(&rendered, &tables);
        for id in ["wading_bird", "plumage_colour"] {
            assert!(
                ids.contains(id) && rendered.text.contains(&format!("CREATE TABLE {id} (")),
                "{bytes}: {ids:?}"
            );
        }
        assert!(!rendered.whole);
        assert_eq!(rendered.text.lines().count(), ids.len(), "a line for each table");
    }
    let rendered = tables.render(&Relevance::by_words(&tables, question), &RenderConfig::default());
    assert!(rendered.text.contains("wading_bird_plumage_colour"), "and the table that joins them");
}

#[test]
fn a_question_of_a_column_shows_its_table() {
    let mut maker = Maker::default();
    for class in 0..500 {
        maker.table(
            &word(class),
            (0..12).map(|at| (format!("{} measure", word(class * 12 + at)), Kind::Text)),
        );
    }
    let at = maker.table("zone", [("tidal range".to_owned(), Kind::Number { text: false })]);
    let tables = maker.tables();
    let question = "How great is the tidal range?";
    let rendered = tables.render(&Relevance::by_words(&tables, question), &RenderConfig::default());
    assert!(rendered.shown.contains(&Place { table: at, column: 1 }), "{}", rendered.text);
    let mut raised = Relevance::default();
    raised.raise(Place { table: 7, column: 3 }, 0.9);
    let rendered = tables.render(&raised, &RenderConfig { bytes: 900, ..RenderConfig::default() });
    assert!(rendered.shown.contains(&Place { table: 7, column: 3 }), "{}", rendered.text);
}

#[test]
fn small_graphs_are_shown_whole() {
    let mut maker = Maker::default();
    maker.table("city", [("population".to_owned(), Kind::Number { text: false })]);
    let tables = maker.tables();
    let rendered = tables.render(&Relevance::default(), &RenderConfig::default());
    assert!(rendered.whole);
    assert_eq!(rendered.text, "CREATE TABLE city (name TEXT /* 'one', 'another' */, population REAL);\n");
    assert_eq!(rendered.shown.len(), 2);
}

#[test]
fn one_table_of_hundreds_of_columns_is_shown_in_part() {
    let mut maker = Maker::default();
    maker.table("station", (0..424).map(|at| (format!("{} reading", word(at)), Kind::Text)));
    let tables = maker.tables();
    let asked = word(399);
    let question = format!("What is the {asked} reading of the station?");
    let relevance = Relevance::by_words(&tables, &question);
    for bytes in [120, 500, 4_400] {
        let config = RenderConfig { bytes, ..RenderConfig::default() };
        let rendered = tables.render(&relevance, &config);
        assert!(rendered.text.len() <= bytes, "{}", rendered.text);
        assert!(rendered.text.starts_with("CREATE TABLE station (name TEXT"), "{}", rendered.text);
        assert!(rendered.text.contains(&format!("{asked}_reading")), "{bytes}: {}", rendered.text);
        assert!(rendered.shown.len() <= config.columns + 1);
    }
    let all = tables.render(&relevance, &RenderConfig { bytes: 1 << 20, ..RenderConfig::default() });
    assert_eq!((all.shown.len(), all.whole), (425, true));
}

#[test]
fn examples_are_shown_where_they_tell_something() {
    let mut maker = Maker::default();
    maker.table(
        "bird",
        [
            ("weight".to_owned(), Kind::Number { text: true }),
            ("seen".to_owned(), Kind::Date),
            ("rare".to_owned(), Kind::Flag),
            ("status".to_owned(), Kind::Text),
        ],
    );
    let table = &mut maker.tables[0];
    table.columns[1].examples = vec!["1,200".into(), "300".into()];
    table.columns[2].examples = vec!["2020-01-01".into(), "2021-01-01".into()];
    table.columns[4].examples = vec!["it's */ 'safe'".into(), "two\nlines".into()];
    table.columns[4].distinct = 2;
    let few = maker.tables();
    let text = few.render(&Relevance::default(), &RenderConfig::default()).text;
    assert_eq!(
        text,
        "CREATE TABLE bird (name TEXT /* 'one', 'another' */, weight REAL, seen DATE /* '2020-01-01' */, \
         rare BOOLEAN, status TEXT /* 'it''s * / ''safe''', 'twolines' */);\n"
    );
    let mut codes = few;
    codes.tables[0].columns[1].distinct = 2;
    let text = codes.render(&Relevance::default(), &RenderConfig::default()).text;
    assert!(text.contains("weight REAL /* 1200, 300 */"), "{text}");
}

#[test]
fn words_end_where_people_end_them() {
    for (name, expected) in [
        ("hasACValue", "has ac value"),
        ("true_neutral", "true neutral"),
        ("HTTPServer2", "http server2"),
        ("Straße", "straße"),
        ("中国", "中国"),
        ("birthDate", "birth date"),
        ("birth-date (local)", "birth date local"),
        ("area (km²)", "area km2"),
        ("CO₂", "co2"),
        ("x1Y2", "x1 y2"),
        ("ABC", "abc"),
        ("Ünïcode NAME", "ünïcode name"),
        ("O'Hara", "o hara"),
        ("", ""),
        ("***", ""),
    ] {
        assert_eq!(words_of(name).join(" "), expected, "{name}");
    }
}

#[test]
fn identifiers_say_what_the_name_says() {
    for (name, expected) in [
        ("Birth Date", "birth_date"),
        ("hasACValue", "has_ac_value"),
        ("2nd name", "value_2nd_name"),
        ("Straße", "straße"),
        ("中国", "中国"),
        ("area (km²)", "area_km2"),
        ("٣ parts", "parts"),
        ("İstanbul", "istanbul"),
        ("***", "value"),
        ("", "value"),
        ("distinct", "distinct_value"),
        ("from", "from_value"),
    ] {
        assert_eq!(identifier(name, "value", &mut HashSet::new()), expected, "{name}");
    }
    let long = identifier(&"very long name ".repeat(20), "value", &mut HashSet::new());
    assert!(long.len() <= 48 && long.starts_with("very_long_name"), "{long}");
    let cut = identifier(&"äöü".repeat(40), "value", &mut HashSet::new());
    assert!(cut.len() <= 48 && cut.starts_with("äöü"), "{cut}");
}

#[test]
fn equal_names_get_different_identifiers() {
    let mut taken = HashSet::new();
    let ids = ["Name", "name", "NAME", "na-me", "na me", "name 2", "name"]
        .map(|name| identifier(name, "value", &mut taken));
    assert_eq!(ids, ["name", "name_2", "name_3", "na_me", "na_me_2", "name_2_2", "name_4"]);
}

/// A name as a graph may have it: words, keywords, signs, other scripts.
fn name() -> impl Strategy<Value = String> {
    let odd =
        "(order|group|select|name|distinct|Ärger|中国|العربية|हिन्दी|№|x²|٣|\\*/|;|\"|'|\n|İ|ǅ|ß|_|-|9){0,4}";
    prop_oneof![3 => "[a-zA-Z0-9 _()-]{0,20}", 3 => odd, 1 => "\\PC{0,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Whatever the names are, each identifier finds its own column again, bare and in SQL.
    #[test]
    fn identifiers_are_read_back(names in proptest::collection::vec(name(), 1..12)) {
        let mut maker = Maker::default();
        for table in names.chunks(4) {
            maker.table(&table[0], table.iter().map(|title| (title.clone(), Kind::Text)));
        }
        let tables = maker.tables();
        for (at, table) in tables.tables.iter().enumerate() {
            prop_assert_eq!(tables.find(&table.id), Some(at), "{:?}", &table.id);
            for (place, column) in table.columns.iter().enumerate() {
                prop_assert_eq!(table.find(&column.id), Some(place), "{:?}", &column.id);
                let sql = format!("SELECT {c}, t.{c} FROM {} AS t WHERE {c} = 'x'", table.id, c = column.id);
                let read = read_sql(&sql, None);
                prop_assert!(read.is_ok(), "{}: {:?}", sql, read);
                let query = read.unwrap();
                for item in &query.select().unwrap().items {
                    let Expression::Column(read) = &item.expression else { panic!("{sql}") };
                    prop_assert_eq!(&read.name, &column.id);
                }
            }
        }
        let rendered = tables.render(&Relevance::default(), &RenderConfig { bytes: 1 << 20, columns: 99 });
        prop_assert_eq!(rendered.text.lines().count(), tables.tables.len());
    }
}
