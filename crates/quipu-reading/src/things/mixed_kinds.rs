//! Rows of several kinds in one table, of which a question asks for one: in triples without types
//! theatres, workshops and schools are all things that lie in a town.

use quipu_language::Language;
use quipu_query::{Column, Comparison, Expression, Place, Query, Rows, Tables, Values, words_of};

/// The noun of a question that some names of a table's rows hold ("Goose Market Theatre"), if a
/// query takes all rows of that table, whatever their kind. A relation that leads to some of them,
/// or a property that some lack, may be what makes them that kind. Where all have the same
/// properties, they are of one kind, whatever their names.
pub(crate) fn all_kinds_taken(
    words: &[String],
    query: &Query,
    tables: &Tables,
    values: &Values,
) -> Option<String> {
    /// From this share of names on, in percent, all rows are of the kind.
    const NEARLY_ALL: usize = 90;
    /// A property of fewer rows, in percent, is that of some kind of them.
    const MOST_OF_A_KIND: usize = 70;
    let language = Language::of_words(words);
    let used = query.places();
    let narrows = |place: &Place, table: usize, rows: u64| {
        let is_led_to = place.column > 0 && tables.leads_to(*place) == Some(table);
        let is_lacked = place.table == table
            && place.column > 0
            && tables.column(*place).is_some_and(|of| of.filled * 100 < rows * NEARLY_ALL as u64);
        is_led_to || is_lacked
    };
    query.tables().into_iter().filter_map(|(_, at)| at).find_map(|at| {
        let table = tables.table(at).filter(|table| matches!(table.source, Rows::Ends { .. }))?;
        let noun = words.iter().find(|word| language.is_noun(word, &table.title))?;
        let (holding, all) = values.names_of_kind(at, noun);
        let some = values.names_tell(at, noun) && holding * 100 < all * NEARLY_ALL;
        let is_of_some = |of: &Column| of.filled > 0 && of.filled * 100 < table.rows * MOST_OF_A_KIND as u64;
        let is_mixed = table.columns.iter().skip(1).any(is_of_some);
        let narrowed = used.iter().any(|place| narrows(place, at, table.rows));
        (some && is_mixed && !narrowed).then(|| noun.clone())
    })
}

/// A text in small letters that a query takes for the name of a thing, if nothing is called so: of
/// a count that finds none. "How many puppets did A carve" does not ask for what is made at a
/// workshop called "puppets".
pub(crate) fn counts_what_nothing_is_called(
    question: &str,
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let mut found = None;
    query.visit(&mut |part| {
        let Expression::Compare(_, of, value) = part else { return };
        let (Some(place), Expression::Text(text)) = (of.place(), &**value) else { return };
        let is_small = words_of(text).iter().all(|word| !quipu_language::is_written_as_name(question, word));
        if tables.leads_to(place).is_some() && is_small {
            found = Some(text.clone());
        }
    });
    found
}

/// Whether a query wants one thing to be two: `person = 'Ada' AND person = 'Ben'` holds for nobody,
/// so that "no" or "none" tells nothing.
pub(crate) fn wants_one_to_be_two(query: &Query) -> bool {
    let is_equality = |condition: &'_ Expression| match condition {
        Expression::Compare(Comparison::Equal, of, value) => match (&**of, &**value) {
            (Expression::Column(of), Expression::Terms(terms, _)) => Some((of.clone(), terms.clone())),
            _ => None,
        },
        _ => None,
    };
    let mut found = false;
    query.visit(&mut |part| {
        if !matches!(part, Expression::And(..)) {
            return;
        }
        let equal: Vec<_> = part.conjuncts().into_iter().filter_map(is_equality).collect();
        found |= equal.iter().enumerate().any(|(at, (of, terms))| {
            let mut others = equal.iter().skip(at + 1);
            others.any(|(other, held)| other == of && terms.iter().all(|term| !held.contains(term)))
        });
    });
    found
}

/// The noun behind "the most" that a query only looks for in names, while it orders by the number
/// of something else: the workshop with the most seats did not make the most puppets.
pub(crate) fn most_in_a_name(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let noun = words.windows(3).find_map(|three| match three {
        [the, most, noun] if language.is_article(the) && language.is_quantity(most) => Some(noun),
        _ => None,
    })?;
    let by = query.order.first()?.expression.place()?;
    let title = words_of(&tables.column(by)?.title);
    let mut in_a_name = false;
    query.visit(&mut |part| {
        if let Expression::Like(_, text) = part {
            in_a_name |= words_of(text).iter().any(|word| language.is_noun(noun, word));
        }
    });
    let is_by_it = title.iter().any(|of| language.is_form(noun, of));
    (in_a_name && !is_by_it).then(|| noun.clone())
}
