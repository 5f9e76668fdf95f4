//! Compares the kinds of things that a question's nouns name with those that a query or a path
//! gives.

use quipu_language::{Language, are_places, asking_clause, asks_for, asks_for_an_agent, without_request};
use quipu_query::{
    Aggregate, Comparison, Expression, Item, Kind, PathStep, Place, Query, Rows, Select, Table, Tables,
    Values, words_of,
};

/// Words that may stand between the question word and the noun: "which professional football team".
const MOST_BETWEEN: usize = 3;

/// The words of a title that name something. Words that questions also use otherwise count only if
/// the title has no others, as that of the kind `order`.
pub(crate) fn naming_words(title: &str, language: Language) -> Vec<String> {
    let mut all = words_of(title);
    all.retain(|of| !language.is_function_word(of));
    let naming: Vec<String> = all.iter().filter(|of| language.meanings(of).is_empty()).cloned().collect();
    if naming.is_empty() { all } else { naming }
}

/// The nouns that may name the kind of answer: those after "which", "what" and "how many" at the
/// question's beginning. Elsewhere "which" begins a clause: "the airports from which flights
/// depart".
pub fn nouns(question: &str) -> Vec<String> {
    let language = Language::of(question);
    let words = without_request(asking_clause(question));
    let asks = |at: usize| {
        let word = words.get(at);
        let counts =
            word.is_some_and(|word| language.meanings(word).iter().any(|meaning| meaning.means == "count"));
        word.is_some_and(|word| language.asks_by_a_noun(word)) || (at > 0 && counts)
    };
    // "Country where it has its seat".
    if let [noun, next, ..] = words.as_slice()
        && language.meanings(noun).is_empty()
        && language.begins_a_relative(next)
    {
        return vec![noun.clone()];
    }
    // "Name every dog that …".
    let asks_to = |word: &&String| language.meanings(word).iter().any(|meaning| meaning.means == "asking");
    let imperatives = words.iter().take_while(asks_to).count();
    if let Some([every, noun, ..]) = words.get(imperatives..)
        && language.groups_all(every)
        && language.meanings(noun).is_empty()
        && !language.owns(noun)
    {
        return vec![noun.clone()];
    }
    // "In which", "at how many".
    let behind = (0..=2).find(|at| asks(*at)).map_or(words.len(), |at| at + 1);
    let behind = words.get(behind..).unwrap_or_default().iter();
    // "Which country's museums" asks for countries.
    let is_noun = |word: &&String| language.meanings(word).is_empty() && !language.owns(word);
    behind.take_while(is_noun).take(MOST_BETWEEN).cloned().collect()
}

/// The tables of typed things whose name a noun is, in the singular or plural: "produced" does not
/// name the producers.
pub(crate) fn called(noun: &str, language: Language, tables: &Tables) -> Vec<usize> {
    let is_typed = |at: &usize| tables.table(*at).is_some_and(|of| matches!(of.source, Rows::Types(_)));
    things_called(noun, language, tables).into_iter().filter(is_typed).collect()
}

/// The same of all things, also of those whose kind has its name from a model.
pub(crate) fn things_called(noun: &str, language: Language, tables: &Tables) -> Vec<usize> {
    let is_it = |title: &str| words_of(title).pop().is_some_and(|last| language.is_noun(noun, &last));
    let all = tables.tables.iter().enumerate();
    let called =
        |table: &Table| !table.is_links() && (is_it(&table.title) || is_called(noun, language, table));
    all.filter(|(_, table)| called(table)).map(|(at, _)| at).collect()
}

/// Whether a noun is the whole name of a table's class, by its title or its IRI: the class
/// `Charger` may have the label "charge point".
pub(crate) fn is_called(noun: &str, language: Language, table: &Table) -> bool {
    let is_whole = |name: &str| matches!(words_of(name).as_slice(), [only] if language.is_noun(noun, only));
    let class = match &table.source {
        Rows::Types(types) if !table.is_made() => types.first().and_then(|iri| iri.rsplit(['/', '#']).next()),
        _ => None,
    };
    is_whole(&table.title) || class.is_some_and(is_whole)
}

/// The nouns of a question that name a table of typed things.
pub fn nouns_of_kinds<'a>(words: &'a [String], tables: &Tables) -> Vec<&'a String> {
    let language = Language::of_words(words);
    let is_kind = |word: &str| {
        let mut kinds = called(word, language, tables).into_iter();
        kinds.any(|kind| tables.table(kind).is_some_and(|table| !table.is_made()))
    };
    words.iter().filter(|word| language.meanings(word).is_empty() && is_kind(word)).collect()
}

/// The kinds that a question may ask for: films and directors for "which film director". Empty if
/// no table has such a name. A noun that the graph itself does not have excludes no other things: a
/// director is a person too.
fn asked_for(question: &str, tables: &Tables) -> Vec<usize> {
    let language = Language::of(question);
    let mut kinds: Vec<usize> =
        nouns(question).iter().flat_map(|noun| called(noun, language, tables)).collect();
    kinds.retain(|kind| tables.table(*kind).is_some_and(|table| !table.is_made()));
    kinds
}

/// Whether the things of a table may be among those of others: the tables are the same, one
/// contains the other, or both are in one table.
pub(crate) fn is_among(kind: usize, kinds: &[usize], tables: &Tables) -> bool {
    let above = |kind: usize| tables.table(kind).and_then(|table| table.within);
    let types = |kind: usize| match tables.table(kind).map(|table| &table.source) {
        Some(Rows::Types(types)) => types.as_slice(),
        _ => &[],
    };
    let is_of_the_graph = |kind: usize| tables.table(kind).is_some_and(|table| !table.is_made());
    kinds.iter().any(|other| {
        *other == kind
            || above(kind) == Some(*other)
            || above(*other) == Some(kind)
            || (above(kind).is_some_and(is_of_the_graph) && above(kind) == above(*other))
            || types(kind).iter().any(|of| types(*other).contains(of))
    })
}

/// Whether a relation leads only to things of the kind that a question names: "what cities are
/// there in Peru" asks for no rivers, although they too lie in Peru.
pub fn leads_to_what_is_asked(question: &str, last: &PathStep, tables: &Tables) -> bool {
    let asked = asked_for(question, tables);
    let places = tables.columns().filter(|(place, column)| {
        place.column > 0 && !column.mixed && column.relation.as_deref() == Some(&last.relation)
    });
    let kind = |place: Place| match tables.table(place.table).map(|table| &table.source) {
        _ if !last.backward => tables.leads_to(place),
        Some(Rows::Links { heads, .. }) => Some(*heads),
        _ => Some(place.table),
    };
    let is_typed =
        |kind: &usize| matches!(tables.table(*kind).map(|table| &table.source), Some(Rows::Types(_)));
    let kinds: Vec<usize> = places.filter_map(|(place, _)| kind(place)).filter(is_typed).collect();
    let cannot_act = |kind: &usize| cannot_act(*kind, tables);
    if asks_for_an_agent(question) && !kinds.is_empty() && kinds.iter().all(cannot_act) {
        return false;
    }
    asked.is_empty() || kinds.iter().all(|kind| is_among(*kind, &asked, tables))
}

/// Whether the things of a table cannot do what a question says of an agent: places, and records
/// without names. "Who repaired the bike" asks for no repair.
fn cannot_act(kind: usize, tables: &Tables) -> bool {
    // Things called by codes, such as work orders, do nothing.
    tables.table(kind).is_some_and(|table| is_record(table) || are_places(&table.title))
}

/// Whether the things of a table are records: they have no names, or only codes.
pub(crate) fn is_record(table: &Table) -> bool {
    let names = table.columns.first().map(|name| name.examples.as_slice()).unwrap_or_default();
    let is_code = |name: &String| name.contains(|c: char| c.is_ascii_digit()) && !name.contains(' ');
    table.unnamed || (!names.is_empty() && names.iter().all(is_code))
}

/// Whether a thing of these types is of a kind that a question names.
pub fn is_what_is_asked(question: &str, types: &[String], tables: &Tables) -> bool {
    let asked = asked_for(question, tables);
    kinds_of(types, tables).iter().any(|kind| is_among(*kind, &asked, tables))
}

/// Whether a question takes the first of things of another kind than these types: "the longest
/// bridge" is no river.
pub fn orders_another_kind(question: &str, types: &[String], tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let ends = |word: &String| language.looks_superlative(word) || language.means(word, "superlative");
    let behind = words.iter().position(ends).and_then(|at| words.get(at + 1..)).unwrap_or_default();
    let is_noun = |word: &&String| language.meanings(word).is_empty() && !language.owns(word);
    let named = behind.iter().take_while(is_noun).take(MOST_BETWEEN).last();
    let mut asked = named.map(|noun| called(noun, language, tables)).unwrap_or_default();
    asked.extend(asked_for(question, tables));
    let own = kinds_of(types, tables);
    !asked.is_empty() && !own.is_empty() && !own.iter().any(|kind| is_among(*kind, &asked, tables))
}

/// The tables with things of some types.
fn kinds_of(types: &[String], tables: &Tables) -> Vec<usize> {
    let is_of = |rows: &Rows| matches!(rows, Rows::Types(iris) if iris.iter().any(|iri| types.contains(iri)));
    (0..).zip(&tables.tables).filter(|(_, table)| is_of(&table.source)).map(|(at, _)| at).collect()
}

/// The word by which a question asks for another kind of thing than a query gives: "which country"
/// asks for no age, "who" for no number, "which band" for no album.
pub(crate) fn another_kind_asked_for(question: &str, query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of(question);
    let words = words_of(question);
    let select = query.select().filter(|select| !select.items.is_empty())?;
    let is_measure = |place: Place| {
        let kind = tables.column(place).map(|column| column.kind);
        matches!(kind, Some(Kind::Number { .. } | Kind::Date | Kind::Flag))
    };
    let gives = |expression: &Expression| match expression {
        Expression::Column(column) => column.place.is_some_and(is_measure),
        _ => false,
    };
    let gives_measures = select.items.iter().all(|item| gives(&item.expression));
    let takes_extremes = select.items.iter().all(|item| match &item.expression {
        Expression::Aggregate { function: Aggregate::Min | Aggregate::Max, of: Some(of), .. } => gives(of),
        _ => false,
    });
    if (gives_measures || takes_extremes) && asks_for(question) == Some("person") {
        return words.first().cloned();
    }
    // "Who built the canal" asks for no town, and "who repaired the bike" for no repair.
    let given = match select.items.first().map(|item| &item.expression) {
        Some(Expression::Column(given)) => {
            given.place.filter(|place| tables.column(*place).is_some_and(|column| !column.mixed))
        }
        _ => None,
    };
    let kind = given.and_then(|place| tables.leads_to(place));
    if asks_for_an_agent(question) && kind.is_some_and(|kind| cannot_act(kind, tables)) {
        return words.first().cloned();
    }
    let is_verb = |place: Place| {
        let title = tables.column(place).filter(|_| place.column > 0).map(|column| words_of(&column.title));
        let verb = words.get(1);
        title.into_iter().flatten().any(|word| verb.is_some_and(|verb| language.is_form(verb, &word)))
    };
    // "Who founded the supplier" may ask for a supplier's founder that is a supplier itself.
    if asks_for_an_agent(question)
        && !given.is_some_and(is_verb)
        && kind.is_some_and(|kind| is_acted_on(kind, &words, tables))
    {
        return words.first().cloned();
    }
    // The heads of links have the name of their kind: the games of "game won award" are no awards.
    let title = |place: Place| match place.column {
        0 => {
            let own = tables.table(place.table).filter(|table| !table.is_links());
            let heads = || tables.leads_to(place).and_then(|kind| tables.table(kind));
            own.or_else(heads).map(|table| &table.title)
        }
        _ => tables.column(place).map(|column| &column.title),
    };
    let is_called = |place: Place, noun: &str| {
        title(place).and_then(|title| words_of(title).pop()).is_some_and(|last| language.is_form(noun, &last))
    };
    let places = |noun: &str| -> Vec<Place> {
        let all = || tables.columns().map(|(place, _)| place);
        // A publisher is no year published.
        let is_noun = |place: &Place| {
            let last = title(*place).and_then(|title| words_of(title).pop());
            last.is_some_and(|last| language.are_one_noun(noun, &last))
        };
        let named: Vec<Place> = all().filter(is_noun).collect();
        if named.is_empty() { all().filter(|place| is_called(*place, noun)).collect() } else { named }
    };
    let counts = asks_for(question) == Some("count");
    let nouns = nouns(question);
    let noun =
        nouns.iter().find(|noun| !language.is_unit(noun) && !places(noun).is_empty()).filter(|_| !counts)?;
    if gives_measures && places(noun).into_iter().all(|place| !is_measure(place)) {
        return Some(noun.clone());
    }
    // Typed things that are not of the requested kind, in a column of another name.
    let asked = asked_for(question, tables);
    let (place, kind) = given.zip(kind)?;
    let is_typed = matches!(tables.table(kind).map(|table| &table.source), Some(Rows::Types(_)));
    // "Which treatments help against the pests" has no noun behind "treatments".
    let names_kind = nouns.iter().position(|noun| !called(noun, language, tables).is_empty());
    let of_kind = nouns.get(..=names_kind.map_or(0, |at| at + 1)).unwrap_or(&nouns);
    let is_said = of_kind.iter().any(|noun| is_called(place, noun));
    // "The newest car of each station" with its station.
    let is_given = |item: &Item| match &item.expression {
        Expression::Column(of) => {
            of.place.and_then(|place| tables.leads_to(place)).is_some_and(|kind| asked.contains(&kind))
        }
        _ => false,
    };
    let is_other = is_typed
        && !asked.is_empty()
        && !is_among(kind, &asked, tables)
        && !is_said
        && !select.items.iter().any(is_given);
    let title = tables.column(place).map(|column| column.title.clone()).unwrap_or_default();
    // "Which river does the bridge cross" does not ask for a river that this one flows into.
    let goes_on = place.column > 0
        && select.group.is_empty()
        && kind == place.table
        && asked.contains(&kind)
        && !is_held(select, query, tables)
        && !words_of(&title).iter().any(|of| words.iter().any(|word| language.is_form(word, of)));
    (is_other || goes_on).then(|| noun.clone())
}

/// Whether a question about an agent names a kind as what the agent acts on: "who manages the
/// depot" asks for no depot, but "who is the manager" for a manager.
fn is_acted_on(kind: usize, words: &[String], tables: &Tables) -> bool {
    let language = Language::of_words(words);
    let [_, verb, article, rest @ ..] = words else { return false };
    let title = tables.table(kind).map(|table| words_of(&table.title)).unwrap_or_default();
    !language.is_be(verb)
        && language.is_article(article)
        && rest.first().zip(title.last()).is_some_and(|(noun, last)| language.is_noun(noun, last))
}

/// Whether the row of a SELECT's first column is fixed to a named thing.
fn is_held(select: &Select, query: &Query, tables: &Tables) -> bool {
    let Some(Expression::Column(given)) = select.items.first().map(|item| &item.expression) else {
        return false;
    };
    let mut held = false;
    query.visit(&mut |part| {
        let Expression::Compare(Comparison::Equal, of, value) = part else { return };
        if let (Expression::Column(column), Expression::Terms(..)) = (&**of, &**value) {
            let is_name = column.place.is_some_and(|at| at.column == 0 && tables.column(at).is_some());
            held |= is_name && column.table == given.table;
        }
    });
    held
}

/// A noun before a name in the question, if the query uses the name for a thing of another kind:
/// "the pilot Emma" is no ship.
pub(crate) fn misnamed(words: &[String], query: &Query, tables: &Tables, values: &Values) -> Option<String> {
    let language = Language::of_words(words);
    let mut found = None;
    query.visit(&mut |part| {
        let Expression::Compare(Comparison::Equal, of, value) = part else { return };
        let (Expression::Column(column), Expression::Terms(terms, name)) = (&**of, &**value) else { return };
        let is_mixed = |place: Place| tables.column(place).is_some_and(|column| column.mixed);
        let kind = |term| match column.place {
            // The relation leads to several kinds, so the thing's own kind counts.
            Some(place) if is_mixed(place) => values.table_of(term),
            place => place.and_then(|place| tables.leads_to(place)),
        };
        let Some(noun) = noun_before(name, words) else { return };
        let mut kinds = terms.iter().map(kind).peekable();
        let is_another =
            |kind: Option<usize>| kind.is_some_and(|kind| is_another(noun, language, kind, tables));
        if kinds.peek().is_some() && kinds.all(is_another) {
            found = Some(noun.clone());
        }
    });
    found
}

/// The singular noun before a name that may say its kind: "the pilot Emma". After the name the
/// question must end or continue with a function word; in "the song Emma wrote" the noun names the
/// song. In "does the pilot Emma steer" it says her kind all the same. So does the noun before
/// "named": "which country is named Emma".
fn noun_before<'a>(name: &str, words: &'a [String]) -> Option<&'a String> {
    let language = Language::of_words(words);
    let name = words_of(name);
    let at = words.windows(name.len().max(1)).position(|window| *window == name)?;
    let behind = words.get(at + name.len());
    // "Where is the university Ada is employed at": the noun belongs to the last word. It does not
    // in "which country is the city Lima in".
    let is_last = at + name.len() + 1 == words.len();
    if !is_last && words.last().is_some_and(|last| language.is_preposition(last)) {
        return None;
    }
    let ends = behind.is_none_or(|next| !language.meanings(next).is_empty() || language.owns(next));
    let before = |by: usize| at.checked_sub(by).and_then(|at| words.get(at));
    if ends && before(1).is_some_and(|word| language.names_what_follows(word)) {
        let is_be = before(2).is_some_and(|word| language.is_be(word));
        return before(if is_be { 3 } else { 2 });
    }
    let the = before(2).is_some_and(|before| language.is_article(before));
    let is_subject = before(3).is_some_and(|before| language.stands_before_a_subject(before));
    before(1).filter(|_| the && (ends || is_subject))
}

fn is_another(noun: &str, language: Language, kind: usize, tables: &Tables) -> bool {
    let kinds = called(noun, language, tables);
    let is_singular = |at: &usize| {
        tables.table(*at).is_some_and(|table| words_of(&table.title).last().is_some_and(|last| last == noun))
    };
    if !kinds.iter().any(is_singular) {
        return false;
    }
    let is_typed = matches!(tables.table(kind).map(|table| &table.source), Some(Rows::Types(_)));
    is_typed && !kinds.is_empty() && !is_among(kind, &kinds, tables)
}

/// Whether the noun before a name asks for another kind of thing than these types.
pub fn is_called_another_kind(question: &str, name: &str, types: &[String], tables: &Tables) -> bool {
    let words = words_of(question);
    let Some(noun) = noun_before(name, &words) else { return false };
    let language = Language::of_words(&words);
    let kinds = kinds_of(types, tables);
    !kinds.is_empty() && kinds.iter().all(|kind| is_another(noun, language, *kind, tables))
}
