//! Words that name a relation of a query's own tables, which the query does not use.

use std::collections::HashSet;

use quipu_language::{Language, is_code_word, meanings_at};
use quipu_query::{Column, Comparison, Expression, Kind, Place, Query, Source, Tables, words_of};

use crate::said::Said;

/// The word of the question, among those that a query leaves out, that is the whole title of a
/// column of its tables which holds things like one that the query names. "Of which country is
/// Casablanca the capital" is not answered by the country of a city of that name, if countries have
/// a column `capital` of cities.
pub(crate) fn column_left_out(
    left_out: &[String],
    query: &Query,
    tables: &Tables,
    language: Language,
) -> Option<String> {
    let named = named_tables(query, tables);
    let holds_such = |column: &&Column| matches!(column.kind, Kind::Entity(Some(of)) if named.contains(&of));
    let titles: Vec<String> = query
        .tables()
        .into_iter()
        .filter_map(|(_, at)| tables.table(at?))
        .flat_map(|table| table.columns.iter().skip(1))
        .filter(holds_such)
        .filter_map(|column| {
            // "Sequel of" is called by one word too.
            let mut title = words_of(&column.title);
            title.retain(|word| !language.is_function_word(word));
            <[String; 1]>::try_from(title).ok().map(|[title]| title)
        })
        .collect();
    // A father is a `parent`, whatever the query names; who is married has a `spouse`.
    let used: Vec<String> = Said::of(query, tables).columns.into_keys().collect();
    let is_unused = |names: &dyn Fn(&str) -> bool| {
        let all = query.tables().into_iter().filter_map(|(_, at)| tables.table(at?));
        let mut titles = all.flat_map(|table| table.columns.iter().skip(1)).map(|column| &column.title);
        titles.any(|title| names(title) && !used.contains(title))
    };
    let has_kin = is_unused(&|title| language.is_kin(title));
    let has_spouse = is_unused(&|title| language.is_partner(title));
    let of_relatives = || {
        let is_relative = |word: &&String| {
            has_kin && language.is_kin(word)
                || has_spouse && (language.marries(word) || language.is_partner(word))
        };
        left_out.iter().find(is_relative).cloned()
    };
    let is_called = |word: &&String| titles.iter().any(|title| language.is_form(word, title));
    left_out.iter().find(is_called).cloned().or_else(of_relatives)
}

/// The name of a relation that stands in a question word for word, if a query uses other relations
/// only: what "is in country" asks is not what "plays for country" tells. Names of one word, of
/// codes ("semester id", which is the semester), or of words that the query speaks of anyway show
/// nothing.
pub(crate) fn named_in_full(words: &[String], said: &Said, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let is_spoken_of = |word: &String| said.words.iter().any(|of| of == word || language.is_form(word, of));
    let is_left_out = |title: &str| {
        let title = words_of(title);
        let telling = title.iter().filter(|word| language.meanings(word).is_empty()).count();
        let is_code = title.last().is_some_and(|last| is_code_word(last));
        let is_long = !is_code && (title.len() > 2 && telling > 0 || telling > 1);
        is_long && !title.iter().all(is_spoken_of) && words.windows(title.len()).any(|window| window == title)
    };
    let mut titles = tables.columns().filter(|(place, _)| place.column > 0).map(|(_, column)| &column.title);
    titles.find(|title| !said.columns.contains_key(*title) && is_left_out(title)).cloned()
}

/// The verb with which a question about a thing ends, if a query leaves it out and gives the thing
/// itself: "what is the lighthouse closest to the wreck made of" does not ask which lighthouse it
/// is.
pub(crate) fn end_left_out(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let [asks, be, the, noun, .., verb, last] = words else { return None };
    let begins = language.asks_by_a_noun(asks) && language.is_be(be) && language.is_article(the);
    let ends = language.is_preposition(last) && left_out.contains(verb);
    let Expression::Column(given) = &query.select()?.items.first()?.expression else { return None };
    let table = tables.leads_to(given.place?).and_then(|at| tables.table(at))?;
    let is_it = words_of(&table.title).pop().is_some_and(|title| language.is_noun(noun, &title));
    (begins && ends && is_it).then(|| verb.clone())
}

/// The first noun of a question, if it is the whole name of a property that is no thing and a query
/// leaves it out: "email of the person in charge" is not answered by the person.
pub(crate) fn property_left_out(words: &[String], left_out: &[String], tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let noun = words.iter().find(|word| language.meanings(word).is_empty())?;
    let at = words.iter().position(|word| word == noun)?;
    let is_of = words.get(at + 1).is_some_and(|next| language.is_of(next));
    let is_called =
        |title: &str| matches!(words_of(title).as_slice(), [only] if language.is_noun(noun, only));
    let is_kind = tables.tables.iter().any(|table| is_called(&table.title));
    let is_it = |(place, column): (Place, &Column)| {
        place.column > 0 && !matches!(column.kind, Kind::Entity(_)) && is_called(&column.title)
    };
    (is_of && !is_kind && left_out.contains(noun) && tables.columns().any(is_it)).then(|| noun.clone())
}

/// The role between what a question asks for and a name, if a query leaves it out and gives a
/// property of the named thing itself: the country of "the maker of the rocket" is not the rocket's
/// own.
pub(crate) fn step_left_out(words: &[String], left_out: &[String], query: &Query) -> Option<String> {
    let language = Language::of_words(words);
    let select = query.select()?;
    let [Source::Table(_, Some(table))] =
        select.from.iter().map(|from| &from.source).collect::<Vec<_>>().as_slice()
    else {
        return None;
    };
    let (mut names_it, mut goes_on) = (false, false);
    select.filter.iter().flat_map(Expression::conjuncts).for_each(|condition| match condition {
        Expression::Compare(Comparison::Equal, of, value) => match (&**of, &**value) {
            (Expression::Column(of), Expression::Terms(..)) => {
                names_it |= of.place == Some(Place { table: *table, column: 0 });
            }
            (_, value) => goes_on |= value.query().is_some(),
        },
        other => goes_on |= other.query().is_some(),
    });
    if !names_it || goes_on {
        return None;
    }
    let tells = |word: &&String| language.meanings(word).is_empty();
    let is_role = |at: &usize| {
        let is_the =
            at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|the| language.is_article(the));
        let asked = words.get(..at.saturating_sub(1)).unwrap_or_default();
        let mut said = asked.iter().filter(tells).filter(|word| !left_out.contains(word));
        let of = words.get(at + 1).is_some_and(|of| language.is_of(of));
        is_the && of && words.get(*at).is_some_and(|role| left_out.contains(role)) && said.next().is_some()
    };
    (0..words.len()).find(is_role).and_then(|at| words.get(at)).cloned()
}

/// The verb by which a question asks for an agent, if a query leaves it out, gives a column that
/// the question does not mention, and uses no column with that verb in its title, although the
/// thing has one: "who founded the guild" is not answered by its leader, if guilds have a `founded
/// year`.
pub(crate) fn deed_left_out(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let deed = words.get(1).filter(|deed| left_out.contains(deed))?;
    let Expression::Column(given) = &query.select()?.items.first()?.expression else { return None };
    let given = given.place.filter(|place| place.column > 0)?;
    let title = words_of(&tables.column(given)?.title);
    if title.iter().any(|of| words.iter().any(|word| language.is_form(word, of))) {
        return None;
    }
    let others = tables.table(given.table)?.columns.iter().skip(1);
    let mut titles = others.map(|column| words_of(&column.title));
    titles
        .any(|title| title.len() <= 2 && title.iter().any(|of| language.is_form(deed, of)))
        .then(|| deed.clone())
}

/// The participle that ends a question for an agent about what something has, if a query leaves it
/// out: who employs the leader of an expedition is not that leader.
pub(crate) fn last_deed_left_out(words: &[String], left_out: &[String]) -> Option<String> {
    let language = Language::of_words(words);
    let [by, whom, be, between @ .., deed] = words else { return None };
    let asks = language.is_by(by) && language.is_question_word(whom) && language.is_be(be);
    let has_owner = between.iter().any(|word| language.is_of(word));
    (asks && has_owner && left_out.contains(deed)).then(|| deed.clone())
}

/// The word that a reading leaves out, if it takes several relations and no word of the question
/// tells of one: "which article describes A" has a kind, a name and that word alone, and does not
/// ask for the articles of A's discoverer.
pub(crate) fn no_relation_said(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let columns = query.places().into_iter().filter(|place| place.column > 0);
    let relations: HashSet<&str> =
        columns.filter_map(|place| tables.column(place)?.relation.as_deref()).collect();
    let mut named: HashSet<String> = HashSet::new();
    query.visit(&mut |part| {
        if let Expression::Terms(_, text) | Expression::Text(text) = part {
            named.extend(words_of(text));
        }
    });
    let kinds: Vec<String> = (query.tables().into_iter())
        .filter_map(|(_, at)| tables.table(at?).filter(|table| !table.is_links()))
        .flat_map(|table| words_of(&table.title))
        .collect();
    let is_kind = |word: &String| kinds.iter().any(|of| language.is_noun(word, of));
    let says_nothing =
        |word: &String| language.is_question_word(word) || language.is_be(word) || language.is_article(word);
    let tells_of_one = words.iter().any(|word| {
        !(named.contains(word) || left_out.contains(word) || is_kind(word) || says_nothing(word))
    });
    (relations.len() > 1 && !tells_of_one).then(|| left_out.first().cloned()).flatten()
}

/// The word that tells how many of some things are meant, if a query leaves it out: "how many of
/// the climbers were women" does not ask for all climbers.
pub(crate) fn part_left_out(words: &[String], left_out: &[String]) -> Option<String> {
    let language = Language::of_words(words);
    let many = words.iter().position(|word| language.wants_the_many(word))?;
    words.get(many + 1).filter(|word| language.is_of(word))?;
    // "How many of each are needed" asks for a number of each.
    words.get(many + 2).filter(|word| !language.means(word, "group"))?;
    let be = words.iter().skip(many + 2).position(|word| language.is_be(word))?;
    words.get(many + 3 + be).filter(|word| left_out.contains(word)).cloned()
}

/// The word behind a negation, if a query leaves it out and it stands in the title of a column of
/// its tables which the query does not use either, as half of it at least: "which books have not
/// been returned" is not answered by the books without a loan, if some loans lack `returned on`.
/// Elsewhere such a word may only tell which thing is meant.
pub(crate) fn denied_property(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let denies = |at: &usize| meanings_at(words, *at).iter().any(|meaning| meaning.means == "negation");
    let negation = (0..words.len()).find(denies)?;
    let mut used = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Column(column) = part {
            used.extend(column.place);
        }
    });
    let tells = |word: &String| language.meanings(word).is_empty();
    let columns = query.tables().into_iter().filter_map(|(_, at)| Some((at?, tables.table(at?)?)));
    let unused = columns.flat_map(|(table, of)| {
        let columns = of.columns.iter().enumerate().skip(1);
        let with_gaps = columns.filter(|(_, column)| column.filled < of.rows);
        with_gaps.map(move |(column, of)| (Place { table, column }, of))
    });
    let titles: Vec<Vec<String>> = unused
        .filter(|(place, _)| !used.contains(place))
        .map(|(_, column)| words_of(&column.title).into_iter().filter(tells).collect())
        .collect();
    let is_half = |word: &String, title: &Vec<String>| title.contains(word) && title.len() <= 2;
    let denied = words.iter().skip(negation + 1).find(|word| tells(word));
    denied.filter(|word| left_out.contains(word) && titles.iter().any(|title| is_half(word, title))).cloned()
}

/// The verb of a question that denies, if a query leaves it out and it names a relation that leads
/// to the things given: "which caver discovered no cave" is not answered by those who led no
/// survey, if caves are `discovered by` cavers.
pub(crate) fn denied_relation(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let denies = |at: usize| meanings_at(words, at).iter().any(|meaning| meaning.means == "negation");
    let Expression::Column(given) = &query.select()?.items.first()?.expression else { return None };
    let place = given.place.filter(|_| (0..words.len()).any(denies))?;
    let kind = tables.leads_to(place)?;
    let leads_there =
        |(place, _): &(Place, &Column)| place.column > 0 && tables.leads_to(*place) == Some(kind);
    let titles: Vec<Vec<String>> =
        tables.columns().filter(leads_there).map(|(_, column)| words_of(&column.title)).collect();
    let is_verb = |word: &&String| {
        titles.iter().any(|title| title.first().is_some_and(|verb| language.is_form(word, verb)))
    };
    left_out.iter().find(is_verb).cloned()
}

/// The tables of the things that a query names.
fn named_tables(query: &Query, tables: &Tables) -> Vec<usize> {
    let mut named = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, of, value) = part
            && let (Expression::Column(column), Expression::Terms(..)) = (&**of, &**value)
            && let Some(place) = column.place
        {
            let of = tables.column(place).and_then(|column| match column.kind {
                _ if place.column == 0 => Some(place.table),
                Kind::Entity(of) => of,
                _ => None,
            });
            named.extend(of);
        }
    });
    named
}
