//! A model's slips that the question's own words reveal: an order from the wrong end, or either of
//! two things if both are asked for.

use std::collections::HashSet;

use quipu_language::{
    End, Language, Ordered, Side, are_ages, are_ranks, are_scores, behind_restated, has_open_ends, month,
    side_of, subject_of,
};
use quipu_query::{
    Aggregate, Arithmetic, Body, ColumnRef, Comparison, Doubt, Expression, Function, Kind, Mend, Query,
    Source, Tables, words_of,
};

/// Corrects the ends of orders: "the youngest" has the latest date of birth, whatever the model
/// wrote. Of several orders, those whose superlative the question puts before the thing ordered.
/// Does nothing if the question asks for several ends of one order.
pub fn right_ends(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let asked = superlatives(&words, query);
    let orders = Orders::of(query, tables);
    let mut mend = None;
    each_query(query, &mut |query| {
        let of_order = orders.asked_of(query, &asked, &words, tables);
        mend = right_end(&words, &of_order, query, tables).or(mend.take());
    });
    mend
}

/// Takes the first of an order where a model leaves it out and the question names no rank: "who was
/// born earlier" is not the second of the two.
pub(crate) fn from_the_first(question: &str, query: &mut Query) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let ranks = |word: &String| {
        language.ordinal(word).is_some()
            || language.cardinal(word).is_some_and(|number| number > 1)
            || language.is_after(word)
            || word.chars().any(|c| c.is_ascii_digit())
            || language.meanings(word).iter().any(|meaning| meaning.means == "negation")
    };
    if query.offset != 1 || query.limit != Some(1) || words.iter().any(ranks) || !compares_two(query) {
        return None;
    }
    query.offset = 0;
    Some(Mend { text: "the first is asked for".into(), doubt: Doubt::Little })
}

/// Whether a query is about two named things.
fn compares_two(query: &Query) -> bool {
    let conditions = query.select().and_then(|select| select.filter.as_ref());
    let mut conditions = conditions.map(Expression::conjuncts).unwrap_or_default().into_iter();
    conditions.any(|condition| match condition {
        Expression::InList(_, list) => list.len() == 2,
        Expression::Or(a, b) => [a, b].iter().all(|side| matches!(***side, Expression::Compare(..))),
        _ => false,
    })
}

/// Corrects the end of one order.
fn right_end(
    words: &[String],
    asked: &[(usize, String)],
    query: &mut Query,
    tables: &Tables,
) -> Option<Mend> {
    let language = Language::of_words(words);
    let all =
        [Ordered::Numbers, Ordered::Dates, Ordered::Years, Ordered::Ages, Ordered::Ranks, Ordered::Scores];
    let (at, word) = asked.first()?;
    // "The highest in the charts, 1 being the top": both ask for one end.
    let agree = |of: &Ordered| {
        asked.iter().all(|(_, other)| language.end_asked_for(other, *of) == language.end_asked_for(word, *of))
    };
    let all: Vec<Ordered> = all.into_iter().filter(agree).collect();
    let (of, title, end) = order_of(query, tables).filter(|(of, ..)| all.contains(of))?;
    // "The most affordable" has the least price: for amounts, "most" decides only beside the
    // column's name.
    let next = words.get(at + 1);
    let is_beside = next.is_some_and(|next| words_of(&title).iter().any(|word| language.is_form(next, word)));
    if language.is_quantity(word) && title != NUMBER && !is_beside {
        return None;
    }
    if language.end_asked_for(word, of).is_none_or(|wanted| wanted == end) {
        return None;
    }
    turn(query);
    let (least, most) = match of {
        Ordered::Numbers | Ordered::Ages | Ordered::Ranks | Ordered::Scores => ("least", "greatest"),
        Ordered::Dates | Ordered::Years => ("earliest", "latest"),
    };
    let asked = if end == End::Ascending { most } else { least };
    Some(Mend { text: format!("“{word}” asks for the {asked} {title}"), doubt: Doubt::Little })
}

/// The extremes that a query takes.
pub(crate) struct Orders {
    count: usize,
    /// Whether each is taken of another table: of "the oldest and the youngest employee" both are
    /// of one.
    apart: bool,
}

impl Orders {
    pub(crate) fn of(query: &Query, tables: &Tables) -> Self {
        let (mut count, mut places) = (0, Vec::new());
        each_query(&mut query.clone(), &mut |query| {
            if order_of(query, tables).is_some() || ordered_date(query, tables).is_some() {
                count += 1;
                places.push(extreme_of(query).and_then(|column| Some(column.place?.table)));
            }
        });
        let distinct: HashSet<_> = places.iter().collect();
        Self { count, apart: distinct.len() == places.len() }
    }

    /// The superlatives that ask for the extreme of one of the queries.
    pub(crate) fn asked_of(
        &self,
        query: &Query,
        asked: &[(usize, String)],
        words: &[String],
        tables: &Tables,
    ) -> Vec<(usize, String)> {
        match self.count {
            1 => asked.to_vec(),
            _ if self.apart => of_things(asked, words, query, tables),
            _ => Vec::new(),
        }
    }
}

/// The only superlative that stands before a noun for the things that a query orders: "smallest" in
/// "the most populous city of the smallest country", for a query that orders countries. Empty if
/// none or several do.
fn of_things(
    asked: &[(usize, String)],
    words: &[String],
    query: &Query,
    tables: &Tables,
) -> Vec<(usize, String)> {
    /// Words from a superlative to its noun: "most populous city".
    const NEAR: usize = 2;
    let language = Language::of_words(words);
    let title = extreme_of(query)
        .and_then(|column| tables.table(column.place?.table))
        .filter(|table| !table.is_links())
        .map(|table| words_of(&table.title))
        .unwrap_or_default();
    let Some(kind) = title.last() else { return Vec::new() };
    let stands_before = |at: usize| {
        let next = (at + 1..=at + NEAR).take_while(|next| !asked.iter().any(|(other, _)| other == next));
        next.filter_map(|next| words.get(next)).any(|noun| language.is_noun(noun, kind))
    };
    let of_kind: Vec<_> = asked.iter().filter(|(at, _)| stands_before(*at)).cloned().collect();
    if of_kind.len() == 1 { of_kind } else { Vec::new() }
}

/// The column whose extreme a query takes, by an order or by MIN or MAX.
pub(crate) fn extreme_of(query: &Query) -> Option<&ColumnRef> {
    let of = match (query.order.first(), query.limit) {
        (Some(order), Some(_)) => &order.expression,
        _ => query.select()?.items.iter().find_map(|item| match &item.expression {
            Expression::Aggregate { function: Aggregate::Min | Aggregate::Max, of, .. } => of.as_deref(),
            _ => None,
        })?,
    };
    match of {
        Expression::Column(column) => Some(column),
        _ => None,
    }
}

/// Replaces a day that the question does not contain by the question's year or month: "added in
/// 2021" is not 30 January, and "after 2020" does not begin on 2 January 2020.
pub(crate) fn right_dates(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = &mut select.filter else { return };
        each_condition(filter, &mut |condition| {
            let Expression::Compare(comparison, of, value) = condition else { return };
            let (Expression::Column(column), Expression::Text(text)) = (&**of, &mut **value) else { return };
            let kind = column.place.and_then(|place| tables.column(place)).map(|column| column.kind);
            if kind != Some(Kind::Date) {
                return;
            }
            if matches!(comparison, Comparison::Greater | Comparison::AtLeast)
                && let Some(first) = first_day_after(&words, text)
            {
                let said = text.get(..4).unwrap_or_default();
                mend = Some(Mend {
                    text: format!("“after {said}” begins with the next year"),
                    doubt: Doubt::Little,
                });
                (*comparison, *text) = (Comparison::AtLeast, first);
                return;
            }
            if *comparison == Comparison::Equal
                && let Some(said) = date_said(&words, text)
            {
                mend = Some(Mend {
                    text: format!("the question says {said}, not {text}"),
                    doubt: Doubt::Little,
                });
                *text = said;
            }
        });
    });
    mend
}

/// Ends a year that a query only begins: "bought in 2023" is not bought since 2023.
pub(crate) fn within_its_year(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let goes_on = |word: &String| language.is_after(word) || language.begins_a_time(word);
    if words.iter().any(goes_on) {
        return None;
    }
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let conditions: Vec<&Expression> = select.filter.iter().flat_map(Expression::conjuncts).collect();
        let begins = conditions.iter().find_map(|condition| {
            let Expression::Compare(Comparison::AtLeast, of, value) = condition else { return None };
            let (Expression::Column(column), Expression::Text(first)) = (&**of, &**value) else {
                return None;
            };
            let is_date = column.place.and_then(|place| tables.column(place))?.kind == Kind::Date;
            let year = first.strip_suffix("-01-01").filter(|_| is_date)?;
            // "In 2023 or later" goes on.
            let says_in = |at: usize| {
                let is_it = words.get(at).is_some_and(|said| said == year);
                let before = at.checked_sub(1).and_then(|before| words.get(before));
                let mut behind = words.iter().skip(at + 1).take(2);
                is_it
                    && before.is_some_and(|before| language.is_inside(before))
                    && !behind.any(|word| {
                        let mut meanings = language.meanings(word).iter();
                        meanings.any(|of| matches!(of.means.as_str(), "comparison" | "time"))
                    })
            };
            let next = year.parse::<u32>().ok()? + 1;
            let is_said = (0..words.len()).any(says_in);
            is_said.then(|| (of.clone(), format!("{next:04}-01-01"), year.to_owned()))
        });
        let Some((of, end, year)) = begins else { return };
        let is_bound = |condition: &&Expression| matches!(condition, Expression::Compare(Comparison::Less | Comparison::AtMost, other, _) if *other == of);
        if conditions.iter().any(is_bound) {
            return;
        }
        let before = Expression::Compare(Comparison::Less, of, Box::new(Expression::Text(end)));
        select.filter = Some(Expression::both(select.filter.take(), before));
        mend = Some(Mend { text: format!("“in {year}” ends with that year"), doubt: Doubt::Little });
    });
    mend
}

/// The first day after the year of a bound, if the question says "after" that year and the bound is
/// the year or its first day.
fn first_day_after(words: &[String], bound: &str) -> Option<String> {
    let language = Language::of_words(words);
    let (year, day) = bound.split_once('-').unwrap_or((bound, "01-01"));
    let number: u32 = year.parse().ok().filter(|_| year.len() == 4 && day == "01-01")?;
    let says_after = |at: usize| {
        // "In or after 2020" begins with the year itself. "After May 2020" and "after 2020-05-01"
        // say more than the year.
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let goes_on = words.get(at + 2).is_some_and(|next| next.chars().all(|c| c.is_ascii_digit()));
        words.get(at).is_some_and(|word| language.is_after(word))
            && words.get(at + 1).is_some_and(|said| said == year)
            && !goes_on
            && !before.is_some_and(|before| language.offers_a_choice(before))
    };
    (0..words.len()).any(says_after).then(|| format!("{:04}-01-01", number + 1))
}

/// The year or the month in the question, if the query has a day in it: "in 2021", "in March 2021".
/// `None` if the question gives more of the date, or in another form.
fn date_said(words: &[String], date: &str) -> Option<String> {
    let [year, _, day] = date.split('-').collect::<Vec<_>>().try_into().ok()?;
    if date.len() != 10 || day.len() != 2 {
        return None;
    }
    let at = words.iter().position(|word| word == year)?;
    let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
    let language = Language::of_words(words);
    let says_in = |word: Option<&String>| word.is_some_and(|word| language.stands_before_a_date(word));
    match before(1).and_then(|word| month(word)) {
        Some(month) if says_in(before(2)) => Some(format!("{year}-{month:02}")),
        None if says_in(before(1)) => Some(year.to_owned()),
        _ => None,
    }
}

/// Calls a function with a condition and with each that "and" and "or" join in it.
pub(crate) fn each_condition(condition: &mut Expression, change: &mut dyn FnMut(&mut Expression)) {
    change(condition);
    if let Expression::And(left, right) | Expression::Or(left, right) = condition {
        each_condition(left, change);
        each_condition(right, change);
    }
}

/// Moves a name to the end of a relation on which the question has it: in "whom did A influence" A
/// acts, so A is a value of `influenced_by`. Only if both ends have one kind; otherwise the kinds
/// decide.
pub(crate) fn right_sides(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let asked: Vec<String> = words_of(question).iter().map(|word| quipu_language::normalise(word)).collect();
    let select = query.select()?;
    let (alias, tail, title, name) =
        select.filter.as_ref()?.conjuncts().into_iter().find_map(|condition| {
            let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
            let (Expression::Column(column), Expression::Terms(_, name)) = (&**of, &**value) else {
                return None;
            };
            let place = column.place?;
            let table = tables.table(place.table)?;
            // The relation that is given or compared.
            let given = select.items.iter().find_map(|item| match &item.expression {
                Expression::Column(given) if given.table == column.table => given.place,
                _ => None,
            });
            let tail_at = if table.is_links() { 1 } else { place.column.max(given?.column) };
            let (head, tail) = (table.columns.first()?, table.columns.get(tail_at).filter(|_| tail_at > 0)?);
            if head.kind != tail.kind || !matches!(head.kind, Kind::Entity(Some(_))) {
                return None;
            }
            // For tables of things, only a query of just the two ends can safely be turned.
            let is_alone = select.filter.iter().flat_map(Expression::conjuncts).count() == 1;
            if !table.is_links() && (select.from.len() > 1 || select.items.len() > 1 || !is_alone) {
                return None;
            }
            let words: Vec<String> =
                words_of(name).iter().map(|word| quipu_language::normalise(word)).collect();
            let start = asked.windows(words.len().max(1)).position(|window| window == words)?;
            let side = side_of(&asked, &(start..start + words.len()), &tail.title)?;
            let wanted = if side == Side::Tail { tail_at } else { 0 };
            (place.column != wanted)
                .then(|| (column.table.clone(), tail_at, tail.title.clone(), name.clone()))
        })?;
    turn_all(query, alias.as_deref(), tail, tables);
    let text = format!("the question puts {name} on the other side of “{title}”");
    Some(Mend { text, doubt: Doubt::Little })
}

/// Groups links within one kind by the end that the question asks for: in "which artist has
/// influenced most others" the artist acts, so `influenced_by` holds it.
pub(crate) fn right_groups(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let asked: Vec<String> = words.iter().map(|word| quipu_language::normalise(word)).collect();
    let select = query.select()?;
    let ([Expression::Column(column)], [from], None) =
        (select.group.as_slice(), select.from.as_slice(), &select.filter)
    else {
        return None;
    };
    let place = column.place?;
    let table = tables.table(place.table).filter(|table| table.is_links())?;
    let [head, tail] = table.columns.as_slice() else { return None };
    if head.kind != tail.kind || !matches!(head.kind, Kind::Entity(Some(_))) {
        return None;
    }
    let is_how = words.iter().take(2).any(|word| language.asks_for_a_degree(word));
    let groups = words.iter().flat_map(|word| language.meanings(word)).any(|of| of.means == "group");
    if is_how || groups {
        return None;
    }
    let subject = subject_of(&words)?;
    let wanted = match side_of(&asked, &subject, &tail.title)? {
        Side::Head => 0,
        Side::Tail => 1,
    };
    if place.column == wanted {
        return None;
    }
    let text = format!("the question asks for the other side of “{}”", tail.title);
    let alias = from.alias.clone();
    turn_all(query, Some(&alias), 1, tables);
    Some(Mend { text, doubt: Doubt::Little })
}

/// Swaps the two ends of a relation in a whole query.
fn turn_all(query: &mut Query, alias: Option<&str>, tail: usize, tables: &Tables) {
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        for expression in select.expressions_mut() {
            turn_ends(expression, alias, tail, tables);
        }
        for order in &mut query.order {
            turn_ends(&mut order.expression, alias, tail, tables);
        }
    });
}

/// Swaps the two ends of a relation: the first column and the tail's.
fn turn_ends(expression: &mut Expression, alias: Option<&str>, tail: usize, tables: &Tables) {
    if let Expression::Column(column) = expression
        && column.table.as_deref() == alias
        && let Some(place) = &mut column.place
        && (place.column == 0 || place.column == tail)
    {
        place.column = tail - place.column;
        if let Some(other) = tables.column(*place) {
            column.name.clone_from(&other.id);
        }
    }
    for part in expression.parts_mut() {
        turn_ends(part, alias, tail, tables);
    }
}

/// The superlatives of a question with their places, outside the names that the query compares
/// with, and without "at least" and "at most".
pub(crate) fn superlatives(words: &[String], query: &Query) -> Vec<(usize, String)> {
    let language = Language::of_words(words);
    let mut named: HashSet<usize> = HashSet::new();
    query.visit(&mut |part| {
        if let Expression::Text(text) | Expression::Terms(_, text) | Expression::Like(_, text) = part {
            let name = words_of(text);
            let windows = words.windows(name.len().max(1)).enumerate();
            windows
                .filter(|(_, window)| *window == name)
                .for_each(|(at, _)| named.extend(at..at + name.len()));
        }
    });
    let is_one = |at: usize, word: &String| {
        let is_bound = at > 0 && words.get(at - 1).is_some_and(|before| language.makes_bound(before));
        let asks = language.meanings(word).iter().any(|meaning| meaning.means == "superlative")
            || language.looks_superlative(word)
            || language.end_asked_for(word, Ordered::Dates).is_some();
        asks && !is_bound && !named.contains(&at)
    };
    let found = words.iter().enumerate().filter(|(at, word)| is_one(*at, word));
    let found: Vec<(usize, String)> = found.map(|(at, word)| (at, word.clone())).collect();
    // "The deepest lock, I mean the one with the greatest rise" asks for one extreme.
    let again = behind_restated(words).filter(|from| found.iter().any(|(at, _)| at >= from));
    found.into_iter().filter(|(at, _)| again.is_none_or(|from| *at >= from)).collect()
}

/// The title of an order by a count.
const NUMBER: &str = "number";

/// The order by which a query gives a part of its rows, or the extreme that it takes: the kind of
/// values, the column's title, and the end that comes first.
pub(crate) fn order_of(query: &Query, tables: &Tables) -> Option<(Ordered, String, End)> {
    let end = |descending: bool| if descending { End::Descending } else { End::Ascending };
    if let (Some(order), Some(_)) = (query.order.first(), query.limit) {
        let (of, title) = ordered_by(&order.expression, tables)?;
        return Some((of, title, end(order.descending)));
    }
    let items = &query.select()?.items;
    let mut extremes = items.iter().filter_map(|item| match &item.expression {
        Expression::Aggregate {
            function: function @ (Aggregate::Min | Aggregate::Max),
            of: Some(of),
            ..
        } => Some((ordered_by(of, tables)?, *function == Aggregate::Max)),
        _ => None,
    });
    let ((of, title), most) = extremes.next()?;
    extremes.next().is_none().then(|| (of, title, end(most)))
}

/// The title of the dates whose extreme a query takes, also of those whose ends have no clear
/// meaning: a death.
pub(crate) fn ordered_date(query: &Query, tables: &Tables) -> Option<String> {
    let column = tables.column(extreme_of(query)?.place?)?;
    (column.kind == Kind::Date).then(|| column.title.clone())
}

pub(crate) fn ordered_by(expression: &Expression, tables: &Tables) -> Option<(Ordered, String)> {
    match expression {
        Expression::Aggregate {
            function: Aggregate::Min | Aggregate::Max | Aggregate::Avg,
            of: Some(of),
            ..
        } => {
            return ordered_by(of, tables);
        }
        _ if expression.has_aggregate() => return Some((Ordered::Numbers, NUMBER.into())),
        _ => {}
    }
    if is_between_dates(expression, tables) {
        return Some((Ordered::Ages, AGE.into()));
    }
    let Expression::Column(column) = expression else { return None };
    let column = tables.column(column.place?).filter(|column| !has_open_ends(&column.title))?;
    let of = match column.kind {
        Kind::Date => Ordered::Dates,
        Kind::Number { .. } if are_ages(&column.title) => Ordered::Ages,
        Kind::Number { .. } if are_ranks(&column.title) => Ordered::Ranks,
        Kind::Number { .. } if are_scores(&column.title) => Ordered::Scores,
        Kind::Number { .. } if column.holds_years() => Ordered::Years,
        Kind::Number { .. } => Ordered::Numbers,
        _ => return None,
    };
    Some((of, column.title.clone()))
}

/// The title of a time between two dates.
const AGE: &str = "time or age";

/// Whether an expression is the time between two dates of a thing, such as its age at its end.
fn is_between_dates(expression: &Expression, tables: &Tables) -> bool {
    let sides = match expression {
        Expression::Arithmetic(Arithmetic::Subtract, later, earlier) => vec![&**later, &**earlier],
        Expression::Call(Function::DaysBetween | Function::YearsBetween, sides) => sides.iter().collect(),
        _ => return false,
    };
    let is_date = |side: &&Expression| match side {
        Expression::Column(column) => {
            column.place.and_then(|place| tables.column(place)).is_some_and(|of| of.kind == Kind::Date)
        }
        _ => false,
    };
    sides.len() == 2 && sides.iter().all(is_date)
}

/// Turns an order around.
fn turn(query: &mut Query) {
    if let (Some(order), Some(_)) = (query.order.first_mut(), query.limit) {
        order.descending = !order.descending;
        return;
    }
    let Body::Select(select) = &mut query.body else { return };
    for item in &mut select.items {
        if let Expression::Aggregate { function, .. } = &mut item.expression {
            *function = match *function {
                Aggregate::Min => Aggregate::Max,
                Aggregate::Max => Aggregate::Min,
                same => same,
            };
        }
    }
}

/// The conditions that must all hold.
pub(crate) fn conditions(filter: Expression) -> Vec<Expression> {
    match filter {
        Expression::And(left, right) => [conditions(*left), conditions(*right)].concat(),
        other => vec![other],
    }
}

/// Visits a query and all its subqueries.
pub(crate) fn each_query(query: &mut Query, change: &mut dyn FnMut(&mut Query)) {
    change(query);
    match &mut query.body {
        Body::Set { left, right, .. } => {
            each_query(left, change);
            each_query(right, change);
        }
        Body::Select(select) => {
            for from in &mut select.from {
                if let Source::Derived(query) = &mut from.source {
                    each_query(query, change);
                }
            }
            for expression in select.expressions_mut() {
                within(expression, change);
            }
        }
    }
}

fn within(expression: &mut Expression, change: &mut dyn FnMut(&mut Query)) {
    if let Some(query) = expression.query_mut() {
        each_query(query, change);
    }
    for part in expression.parts_mut() {
        within(part, change);
    }
}
