//! Questions that offer a choice: "does Logistics or Finance have more employees" asks for one of
//! the two, not whether the first has more.

use quipu_language::{End, Language, Ordered, asks_for, asks_yes_or_no};
use quipu_query::{
    Arithmetic, Body, Comparison, Doubt, Expression, Function, How, Match, Mend, Mention, Place, Query,
    words_of,
};

use crate::TableQuestion;

/// Whether a question offers a choice of two and asks which is more or less: "does A or B have
/// more".
fn offers_two(question: &str) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    asks_for(question).is_none()
        && words.iter().any(|word| language.offers_a_choice(word))
        && words.iter().any(|word| language.means_comparison(word))
}

/// The two values whose comparison is all that a query gives. A difference compares them too: a
/// small model subtracts the counts that it was to compare.
fn compared(query: &Query) -> Option<(&Expression, &Expression)> {
    let [item] = query.select()?.items.as_slice() else { return None };
    let given = match &item.expression {
        Expression::Call(Function::Abs, values) => values.first()?,
        given => given,
    };
    match given {
        Expression::Compare(Comparison::Equal | Comparison::Unequal, ..) => None,
        Expression::Compare(_, left, right) | Expression::Arithmetic(Arithmetic::Subtract, left, right) => {
            Some((left, right))
        }
        _ => None,
    }
}

/// Gives the side with the greater value, or the lesser one if the question asks for that, instead
/// of true, false or the difference. For a bound query that only compares two values, each of one
/// named thing.
pub(crate) fn one_side(question: &str, query: &mut Query) -> Option<Mend> {
    if !offers_two(question) {
        return None;
    }
    let (left, right) = compared(query)?;
    let (left, right) = (left.clone(), right.clone());
    let named = named_in(&left).zip(named_in(&right)).filter(|(left, right)| left != right)?;
    let words = words_of(question);
    let language = Language::of_words(&words);
    let least = |word: &String| {
        let end = language.end_asked_for(word, Ordered::Numbers);
        language.means_comparison(word) && end == Some(End::Ascending)
    };
    let first = if words.iter().any(least) { Comparison::Less } else { Comparison::Greater };
    let is =
        |a: &Expression, b: &Expression| Expression::Compare(first, Box::new(a.clone()), Box::new(b.clone()));
    let cases = vec![(is(&left, &right), named.0), (is(&right, &left), named.1)];
    let Body::Select(select) = &mut query.body else { return None };
    let item = select.items.first_mut()?;
    item.expression = Expression::Case(cases, None);
    let text = "the question asks for one of the two, not for their comparison".to_owned();
    Some(Mend { text, doubt: Doubt::Little })
}

/// Whether a query answers a choice of two with true, false or a difference.
pub(crate) fn gives_no_choice(question: &str, query: &Query) -> bool {
    compared(query).is_some() && offers_two(question)
}

/// The only name that a value rests on.
fn named_in(value: &Expression) -> Option<Expression> {
    let mut named = Vec::new();
    let mut add = |part: &Expression| {
        if matches!(part, Expression::Terms(..)) && !named.contains(part) {
            named.push(part.clone());
        }
    };
    value.visit(&mut |part| {
        add(part);
        if let Some(query) = part.query() {
            query.visit(&mut |part| add(part));
        }
    });
    named.pop().filter(|_| named.is_empty())
}

/// Whether a query uses one of two names between which a question offers a choice, and not the
/// other: what is deeper than B is no answer to "which is deeper, A or B".
pub(crate) fn leaves_out_a_choice(asking: &TableQuestion<'_>, query: &Query) -> bool {
    let words = words_of(asking.text);
    let language = Language::of_words(&words);
    let offers = |at: usize| words.get(at).is_some_and(|word| language.offers_a_choice(word));
    if !(0..words.len()).any(offers) || asks_yes_or_no(asking.text) {
        return false;
    }
    let mut used = Vec::new();
    let mut terms_of = |part: &Expression| {
        if let Expression::Terms(terms, _) = part {
            used.extend(terms.iter().cloned());
        }
    };
    query.visit(&mut terms_of);
    let is_name = |found: &Match| found.place.column == 0 && found.how == How::Exact;
    let beside_the_choice = |mention: &Mention| {
        let name = words_of(&mention.text);
        let start = words.windows(name.len().max(1)).position(|said| said == name);
        start.is_some_and(|start| offers(start + name.len()) || start.checked_sub(1).is_some_and(offers))
    };
    let mentions = asking.values.mentions(asking.text).into_iter().chain(asking.named.iter().cloned());
    let offered: Vec<Mention> = mentions
        .filter(|mention| mention.matches.iter().any(is_name) && beside_the_choice(mention))
        .collect();
    let is_used = |mention: &Mention| {
        mention.matches.iter().any(|found| found.terms.iter().any(|term| used.contains(term)))
    };
    let count = offered.iter().filter(|mention| is_used(mention)).count();
    offered.len() == 2 && count == 1
}

/// The values that a question offers of the only column that a query about one thing gives, as the
/// question writes them: "is the pool fresh water or salt water". That there are rows is no yes
/// then; they tell which it is. Empty unless the question offers two, and if it denies or compares
/// anything.
pub fn offered_values(asking: &TableQuestion<'_>, query: &Query) -> Vec<String> {
    let Some(place) = given_of_one(query) else { return Vec::new() };
    let words = words_of(asking.text);
    let language = Language::of_words(&words);
    let is_plain = |word: &String| {
        let idle = |means: &str| matches!(means, "function" | "asking" | "yes_or_no");
        language.meanings(word).iter().all(|meaning| idle(&meaning.means))
            && !language.speaks_of_others(word)
            && !language.groups_all(word)
    };
    let or = words.iter().position(|word| language.offers_a_choice(word));
    if !asks_yes_or_no(asking.text) || !words.iter().all(is_plain) {
        return Vec::new();
    }
    let mut used = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Terms(terms, _) = part {
            used.extend(terms.iter().cloned());
        }
    });
    let is_offered =
        |found: &Match| found.place == place && !found.terms.iter().any(|term| used.contains(term));
    let mentions = asking.values.mentions(asking.text).into_iter().chain(asking.named.iter().cloned());
    let offered = mentions.filter(|mention| mention.matches.iter().any(is_offered));
    let offered: Vec<String> = offered.map(|mention| mention.text).collect();
    let starts = |text: &String| {
        let text = words_of(text);
        words.windows(text.len().max(1)).position(|said| said == text)
    };
    let first = offered.iter().filter_map(starts).min();
    let is_choice = offered.len() > 1 && first.zip(or).is_some_and(|(first, or)| first < or);
    if is_choice { offered } else { Vec::new() }
}

/// The only column that a query over one table gives of one named thing, unless it is the name.
fn given_of_one(query: &Query) -> Option<Place> {
    let select = query.select()?;
    let ([item], [_]) = (select.items.as_slice(), select.from.as_slice()) else { return None };
    let Expression::Column(given) = &item.expression else { return None };
    let is_name = |of: &Expression| matches!(of, Expression::Column(column) if column.place.is_some_and(|place| place.column == 0));
    let is_one = |condition: &Expression| match condition {
        Expression::Compare(Comparison::Equal, of, value) => {
            is_name(of) && matches!(&**value, Expression::Terms(terms, _) if terms.len() == 1)
        }
        _ => false,
    };
    let mut conditions = select.filter.iter().flat_map(Expression::conjuncts);
    given.place.filter(|place| place.column > 0 && conditions.any(is_one))
}
