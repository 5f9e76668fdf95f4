//! Measures of other things: "the population of the symphony" is not that of the town in which
//! its composer was born.

use quipu_language::Language;
use quipu_query::{ColumnRef, Comparison, Expression, Item, Kind, Place, Query, Tables, words_of};

use crate::Nearness;
use crate::things::kinds::naming_words;

/// From this similarity on, a relation is said in other words.
const SAID: f64 = 0.6;

/// The title of a measure that a query gives of another thing than the one that the question names,
/// if the question speaks neither of that other thing nor of a relation on the way to it. Parts of
/// values and other things without names belong to the thing itself: a price and its amount.
pub(crate) fn measure_of_another(
    question: &str,
    left_out: &[String],
    query: &Query,
    near: &Nearness,
    tables: &Tables,
) -> Option<String> {
    let mut words = words_of(question);
    let language = Language::of_words(&words);
    // "The landlord of the inn" is a step in other words.
    let is_role = |(at, word): (usize, &String)| {
        left_out.contains(word) && words.get(at + 1).is_some_and(|of| language.is_of(of) || language.owns(of))
    };
    if words.iter().enumerate().any(is_role) {
        return None;
    }
    let items = &query.select()?.items;
    let measure = |expression: &Expression| {
        let Expression::Column(of) = expression else { return None };
        let place = of.place.filter(|place| place.column > 0)?;
        let kind = tables.column(place)?.kind;
        matches!(kind, Kind::Number { .. } | Kind::Date).then_some(place)
    };
    // A measure may be given beside the thing that it belongs to.
    let is_name = |item: &&Item| matches!(&item.expression, Expression::Column(of) if of.place.is_some_and(|place| place.column == 0));
    let measured = items.iter().filter(|item| !is_name(item));
    let given: Option<Vec<Place>> = measured.map(|item| measure(&item.expression)).collect();
    let given = given.filter(|given| !given.is_empty())?;
    let mut named: Vec<usize> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut relations: Vec<Place> = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, of, value) = part
            && let (Expression::Column(of), Expression::Terms(_, name)) = (&**of, &**value)
        {
            named.extend(of.place.and_then(|place| tables.leads_to(place)));
            names.extend(words_of(name));
        }
        if let Expression::Column(ColumnRef { place: Some(place), .. }) = part
            && place.column > 0
            && tables.leads_to(*place).is_some()
        {
            relations.push(*place);
        }
    });
    let [thing] = named.as_slice() else { return None };
    words.retain(|word| !names.contains(word));
    let owner = given.first()?.table;
    if owner == *thing || relations.is_empty() || !query.order.is_empty() {
        return None;
    }
    let used: Vec<usize> = query.tables().into_iter().filter_map(|(_, at)| at).collect();
    let is_plain = |at: &usize| {
        tables.table(*at).is_some_and(|table| {
            !table.unnamed
                && !tables.holds_values(*at)
                && !tables.holds_statements(*at)
                && table.within.is_none()
        })
    };
    let is_said = |title: &str| {
        naming_words(title, language).iter().any(|of| {
            let is_it = |word: &String| {
                language.is_form(word, of)
                    || language.other_words(word).iter().any(|other| words_of(other).contains(of))
            };
            words.iter().any(is_it) || near.from(of).is_some_and(|near| near >= SAID)
        })
    };
    let titled = |at: usize| tables.table(at).is_some_and(|table| is_said(&table.title));
    let kinds = used.iter().filter(|at| *at != thing).any(|at| titled(*at));
    let ways = relations.iter().any(|place| tables.column(*place).is_some_and(|of| is_said(&of.title)));
    let is_shortened = || {
        let stand_for = tables.abbreviations(&words, |word| language.meanings(word).is_empty());
        stand_for.iter().any(|one| relations.contains(&one.place))
    };
    if kinds || ways || !used.iter().all(is_plain) || is_shortened() {
        return None;
    }
    tables.column(*given.first()?).map(|column| column.title.clone())
}
