//! Questions for others than a thing that they name: who acted in a film with A is not A, and not
//! everybody else either.

use quipu_language::{Language, Measured, is_written_as_name, meanings_at};
use quipu_query::{
    Aggregate, Body, Comparison, Doubt, Expression, Item, Kind, Mend, Place, Query, Tables, words_of,
};

use crate::said::Said;

/// Leaves a named thing out of the things that share something with it. For a bound query.
pub(crate) fn others_than_itself(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    if !words.iter().any(|word| language.speaks_of_sharing(word)) {
        return None;
    }
    let select = query.select().filter(|select| select.group.is_empty())?;
    let [item] = select.items.as_slice() else { return None };
    let given = item.expression.clone();
    let place = place_of(&given)?;
    let compares_itself = |condition: &Expression| matches!(condition, Expression::Compare(_, of, _) | Expression::InList(of, _) if **of == given);
    if select.filter.iter().flat_map(Expression::conjuncts).any(compares_itself) {
        return None;
    }
    let is_one_kind = |other: Place| match (tables.leads_to(place), tables.leads_to(other)) {
        (Some(kind), Some(other)) => kind == other,
        (None, None) => {
            place == other && tables.column(place).is_some_and(|column| column.kind == Kind::Entity(None))
        }
        _ => false,
    };
    let mut named: Vec<Expression> = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, of, name) = part
            && let Expression::Terms(terms, _) = &**name
            && terms.len() == 1
            && place_of(of).is_some_and(is_one_kind)
            && !named.contains(name)
        {
            named.push((**name).clone());
        }
    });
    let [name @ Expression::Terms(_, text)] = named.as_slice() else { return None };
    let text = format!("the answer leaves out “{text}” itself");
    let other = Expression::Compare(Comparison::Unequal, Box::new(given), Box::new(name.clone()));
    let Body::Select(select) = &mut query.body else { return None };
    select.filter = Some(Expression::both(select.filter.take(), other));
    Some(Mend { text, doubt: Doubt::None })
}

fn place_of(expression: &Expression) -> Option<Place> {
    if let Expression::Column(column) = expression { column.place } else { None }
}

/// Whether a query leaves a named thing out of those that share something with it.
pub(crate) fn leaves_out_itself(query: &Query) -> bool {
    let (mut named, mut denied) = (Vec::new(), Vec::new());
    query.visit(&mut |part| {
        if let Expression::Compare(comparison, _, value) = part
            && matches!(**value, Expression::Terms(..))
        {
            match comparison {
                Comparison::Equal => named.push((**value).clone()),
                Comparison::Unequal => denied.push((**value).clone()),
                _ => {}
            }
        }
    });
    denied.iter().any(|value| named.contains(value))
}

/// The prefix of "co-wrote", if the thing that the query names is held by a column that the
/// question does not mention: whoever wrote what A directed did not co-write with A.
pub(crate) fn shares_by_another(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let prefix = words.iter().find(|word| language.is_sharing_prefix(word))?;
    let [item] = query.select()?.items.as_slice() else { return None };
    let given = place_of(&item.expression).filter(|place| place.column > 0)?;
    let is_said = |place: Place| {
        let title = tables.column(place).map(|column| words_of(&column.title)).unwrap_or_default();
        title.iter().any(|of_title| words.iter().any(|word| language.is_form(word, of_title)))
    };
    let mut by_another = false;
    query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, of, value) = part
            && matches!(**value, Expression::Terms(..))
            && let Some(place) = place_of(of).filter(|place| place.column > 0)
        {
            by_another |= place != given && !is_said(place);
        }
    });
    by_another.then(|| prefix.clone())
}

/// The word "same" where a query names nothing to share with and compares no two rows either:
/// "which composers were born in the same year".
pub(crate) fn same_as_nothing(words: &[String], left_out: &[String], query: &Query) -> Option<String> {
    let language = Language::of_words(words);
    // "The share of the claims" is a part of them.
    let is_part = |at: usize| words.get(at + 1).is_some_and(|next| language.is_of(next));
    let is_same = |(at, word): &(usize, &String)| {
        language.speaks_of_company(word) && left_out.contains(word) && !is_part(*at)
    };
    let (_, same) = words.iter().enumerate().find(is_same)?;
    let (mut names, mut pairs) = (false, false);
    query.visit(&mut |part| match part {
        Expression::Terms(..) => names = true,
        Expression::Compare(_, a, b) => {
            let (a, b) = (place_of(a), place_of(b));
            pairs |= a.is_some() && a == b;
        }
        _ => {}
    });
    // "The beds of both floors together" are added up.
    let adds = |item: &Item| {
        matches!(item.expression, Expression::Aggregate { function: Aggregate::Sum | Aggregate::Count, .. })
    };
    let groups =
        query.select().is_none_or(|select| !select.group.is_empty() || select.items.iter().all(adds));
    (!names && !pairs && !groups).then(|| same.clone())
}

/// Whether a query compares a property of things with the same property of others, although the
/// question names none and speaks of none: "courses of their minor" compares no minor with a minor.
pub(crate) fn compares_with_itself(question: &str, query: &Query) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let speaks = |word: &String| language.speaks_of_company(word) || language.speaks_of_others(word);
    let (mut names, mut pairs, mut extremes) = (false, false, false);
    query.visit(&mut |part| match part {
        Expression::Terms(..) => names = true,
        Expression::Compare(Comparison::Equal, a, b) if a != b => {
            let (a, b) = (place_of(a), place_of(b));
            pairs |= a == b && a.is_some_and(|place| place.column > 0);
        }
        // The oldest of each region: no other one there is older.
        Expression::Compare(Comparison::Greater | Comparison::Less, a, b) if a != b => {
            extremes |= place_of(a).is_some() && place_of(a) == place_of(b);
        }
        _ => {}
    });
    pairs && !names && !extremes && !words.iter().any(speaks)
}

/// Whether a query gives the things that have a named thing's value of a property, although the
/// question mentions neither the property nor a sharing of it: whoever was born in Ada's year is
/// not her husband.
pub(crate) fn shares_an_unsaid_value(question: &str, query: &Query, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    if words.iter().any(|word| language.speaks_of_sharing(word) || language.speaks_of_company(word)) {
        return false;
    }
    let is_said = |title: &str| {
        let is_form = |word: &String| words_of(title).iter().any(|of| language.is_form(word, of));
        words.iter().any(|word| is_form(word) || language.measured(word, title) == Measured::Alike)
    };
    let mut shares = false;
    query.visit(&mut |part| {
        let (of, within) = match part {
            Expression::Compare(Comparison::Equal, of, value) => (of, value.query()),
            Expression::InQuery(of, within) => (of, Some(&**within)),
            _ => return,
        };
        let Some(place) = place_of(of).filter(|place| place.column > 0) else { return };
        let Some(column) = tables.column(place) else { return };
        let items = within.and_then(Query::select).map(|select| select.items.as_slice());
        let Some([item]) = items else { return };
        let is_value = !matches!(column.kind, Kind::Entity(_));
        shares |= is_value && place_of(&item.expression) == Some(place) && !is_said(&column.title);
    });
    shares
}

/// The word of a name that a reading only rules out, if the question denies nothing: "who wrote a
/// film with A" does not ask for everybody but A.
pub(crate) fn only_denied(words: &[String], query: &Query) -> Option<String> {
    let language = Language::of_words(words);
    let denies = |(at, word): (usize, &String)| {
        let of_word = meanings_at(words, at);
        of_word.iter().any(|meaning| matches!(meaning.means.as_str(), "negation" | "only"))
            || language.speaks_of_others(word)
    };
    if words.iter().enumerate().any(denies) {
        return None;
    }
    let (mut denied, mut all) = (Vec::new(), Vec::new());
    query.visit(&mut |part| match part {
        Expression::Compare(Comparison::Unequal, _, value) => {
            if let Expression::Terms(_, text) = &**value {
                denied.push(text.clone());
            }
        }
        Expression::Terms(_, text) => all.push(text.clone()),
        _ => {}
    });
    let uses = |names: &[String], name: &String| names.iter().filter(|other| *other == name).count();
    let name = denied.iter().find(|name| uses(&all, name) == uses(&denied, name))?;
    words_of(name).into_iter().next()
}

/// The noun of the things that a question asks for, if a reading speaks of it only where it denies:
/// "which presenters do not host a show" is not answered by the people who present none.
pub(crate) fn kind_only_denied(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let begins = |word: &&String| language.asks_by_a_noun(word) || language.is_any_article(word);
    let tells = |word: &&String| language.meanings(word).is_empty();
    let run: Vec<&String> = words.iter().skip_while(begins).take_while(tells).collect();
    let noun = run.iter().find(|word| language.is_plural(word)).or(run.first())?;
    let mut asserted = query.clone();
    let Body::Select(select) = &mut asserted.body else { return None };
    let filter = select.filter.take()?;
    let denies = |condition: &&Expression| match condition {
        Expression::Not(of) => matches!(**of, Expression::InQuery(..) | Expression::Exists(_)),
        _ => false,
    };
    // "Which digs have no funding university" asks for no universities.
    let given = match &select.items.first()?.expression {
        Expression::Column(column) => column.place.filter(|place| place.column == 0),
        _ => None,
    };
    let title = given.and_then(|place| tables.table(place.table)).map(|table| words_of(&table.title));
    let last = title.unwrap_or_default().pop();
    let lacked = lacked_noun(words).filter(|lacked| {
        last.as_ref().is_some_and(|last| language.is_noun(lacked, last) && !language.is_noun(noun, last))
    });
    if lacked.is_some() && filter.conjuncts().iter().any(denies) {
        return lacked.cloned();
    }
    let kept = filter.conjuncts().into_iter().filter(|condition| !denies(condition)).cloned();
    select.filter = kept.fold(None, |all, next| Some(Expression::both(all, next)));
    let speaks = |query: &Query| Said::of(query, tables).names(noun, language);
    (speaks(query) && !speaks(&asserted)).then(|| (*noun).clone())
}

/// The noun of what things lack: the university of "digs with no funding university".
fn lacked_noun(words: &[String]) -> Option<&String> {
    let language = Language::of_words(words);
    let at = words.iter().position(|word| language.denies_a_thing(word))?;
    let tells = |word: &&String| language.meanings(word).is_empty();
    words.get(at + 1..)?.iter().skip_while(|word| !tells(word)).take_while(tells).last()
}

/// A reflexive word, if no two columns of the query are held against each other beyond the links,
/// or against one thing: "a company that they founded themselves" is no company that somebody
/// founded. "In Oslo itself" only stresses the name.
pub(crate) fn reflexive_left_out(question: &str, words: &[String], query: &Query) -> Option<String> {
    let language = Language::of_words(words);
    let at = words.iter().position(|word| language.is_reflexive(word))?;
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    if before.is_some_and(|name| is_written_as_name(question, name)) {
        return None;
    }
    let (mut compared, mut held) = (0, Vec::new());
    query.visit(&mut |part| {
        let Expression::Compare(comparison, left, right) = part else { return };
        match (&**left, &**right) {
            (Expression::Column(_), Expression::Column(_)) => compared += 1,
            (Expression::Column(of), Expression::Terms(terms, _)) if *comparison == Comparison::Equal => {
                held.push((of.place, terms));
            }
            _ => {}
        }
    });
    let is_again =
        held.iter().any(|(place, terms)| held.iter().any(|(other, same)| other != place && same == terms));
    // "A company that itself belongs to whom": the parent of the parent.
    let given = |query: &Query| place_of(&query.select()?.items.first()?.expression);
    let mut is_chain = false;
    query.visit(&mut |part| {
        let of_inner = part.query().and_then(given).filter(|place| place.column > 0);
        is_chain |= of_inner.is_some() && of_inner == given(query);
    });
    if is_chain {
        return None;
    }
    let joins = query.select().map_or(0, |select| select.from.len().saturating_sub(1));
    (compared <= joins && !is_again).then(|| words.get(at).cloned()).flatten()
}
