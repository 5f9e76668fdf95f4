//! The content of a query: the words, values, columns and operations that are compared with a
//! question's words.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use quipu_language::{Language, UnitNamed, are_reasons, deed_of_heads, is_unit, month, role_of_heads};
use quipu_query::{
    Aggregate, Arithmetic, Body, ColumnRef, Comment, Comparison, Expression, Function, Join, Place, Query,
    Select, SetOperator, Source, Tables, are_initials_within, is_short_for, words_of,
};

/// The content of a query.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) words: HashSet<String>,
    /// The words of its tables' titles.
    things: HashSet<String>,
    /// The telling words of the graph's comments on its columns and tables.
    pub(crate) comments: HashSet<String>,
    pub(crate) does: HashSet<&'static str>,
    /// The rank in an order at which its rows begin.
    pub(crate) place: Option<u64>,
    /// Titles of the columns other than names, and how often each is used.
    pub(crate) columns: BTreeMap<String, usize>,
    /// The uses among these that are no steps.
    pub(crate) repeated: BTreeMap<String, usize>,
    /// The values that it compares with.
    pub(crate) values: BTreeSet<String>,
    /// Numbers by which it multiplies or divides values other than times.
    pub(crate) factors: BTreeSet<String>,
    /// Numbers that are upper bounds of values.
    pub(crate) at_most: BTreeSet<String>,
}

/// The roles that a SELECT's conditions give to the rows of its table: apprentices, if
/// `apprentice_of` is fixed to somebody, and product managers, if that is their kind.
fn roles_of_rows(select: &Select, alias: Option<&str>, tables: &Tables) -> Vec<String> {
    let conditions = select.filter.iter().flat_map(Expression::conjuncts);
    let held = conditions.clone().filter_map(|condition| match condition {
        Expression::Compare(Comparison::Equal, of, _) | Expression::InQuery(of, _) => Some(of),
        _ => None,
    });
    let is_kind = |column: &ColumnRef| {
        let relation =
            column.place.and_then(|place| tables.column(place)).and_then(|of| of.relation.as_ref());
        column.table.as_deref() == alias && relation.is_some_and(|of| tables.type_relations.contains(of))
    };
    let kinds = conditions.filter_map(|condition| match condition {
        Expression::Compare(Comparison::Equal, of, value) => match (&**of, &**value) {
            (Expression::Column(column), Expression::Terms(_, kind)) if is_kind(column) => Some(kind.clone()),
            _ => None,
        },
        _ => None,
    });
    let places = held.filter_map(|of| match &**of {
        Expression::Column(column) if column.table.as_deref() == alias => column.place,
        _ => None,
    });
    let titles = places.filter(|place| place.column > 0).filter_map(|place| tables.column(place));
    let roles = titles.flat_map(|column| [role_of_heads(&column.title), deed_of_heads(&column.title)]);
    roles.flatten().chain(kinds).collect()
}

/// The titles of the columns with which a join equates a column: a city that is joined by the
/// country's capital is that capital.
fn joined_with(column: &ColumnRef, select: &Select, tables: &Tables) -> Vec<String> {
    let joins = select.from.iter().filter_map(|from| match &from.join {
        Join::Inner(on) | Join::Left(on) => on.as_ref(),
    });
    let conditions = joins.chain(&select.filter).flat_map(Expression::conjuncts);
    let others = conditions.filter_map(|condition| match condition {
        Expression::Compare(Comparison::Equal, a, b) => match (&**a, &**b) {
            (Expression::Column(a), Expression::Column(b)) if a == column => Some(b),
            (Expression::Column(a), Expression::Column(b)) if b == column => Some(a),
            _ => None,
        },
        _ => None,
    });
    let of_another = others.filter_map(|other| other.place.filter(|place| place.column > 0));
    of_another.filter_map(|place| Some(tables.column(place)?.title.clone())).collect()
}

/// Relative difference up to which two numbers are one.
const EXACT: f64 = 1e-9;

impl Said {
    pub(crate) fn of(query: &Query, tables: &Tables) -> Self {
        let mut said = Self::default();
        said.query(query, tables);
        query.visit(&mut |part| said.expression(part, tables));
        said
    }

    /// Titles of the given columns and their tables, and the roles that conditions give to the rows
    /// ("apprentice of"); for a count the columns that it counts in.
    pub(crate) fn given(query: &Query, tables: &Tables) -> Vec<String> {
        let Some(select) = query.select() else { return Vec::new() };
        let mut given = Vec::new();
        for item in &select.items {
            item.expression.visit(&mut |part| {
                let Expression::Column(column) = part else { return };
                let Some(place) = column.place else { return };
                let of = tables.column(place).filter(|_| place.column > 0);
                given.extend(of.map(|column| column.title.clone()));
                let comment = of.and_then(|column| tables.comment(column));
                given.extend(comment.map(|comment| comment.text.clone()));
                given.extend(joined_with(column, select, tables));
                if place.column == 0 {
                    given.extend(roles_of_rows(select, column.table.as_deref(), tables));
                }
                given.extend(tables.table(place.table).map(|table| table.title.clone()));
                given.extend(
                    tables.leads_to(place).and_then(|at| tables.table(at)).map(|table| table.title.clone()),
                );
            });
        }
        given
    }

    /// Places of the numbers and units that the query has in another unit: "ten minutes" for 600
    /// seconds.
    pub(crate) fn converted(&self, words: &[String]) -> HashSet<usize> {
        let language = Language::of_words(words);
        let values: Vec<f64> = self.values.iter().filter_map(|value| value.parse().ok()).collect();
        if values.is_empty() {
            return HashSet::new();
        }
        let mut units: Vec<String> = self.columns.keys().flat_map(|title| words_of(title)).collect();
        // The difference of two dates is one of days.
        units.extend(self.does.contains("difference").then(|| "day".to_owned()));
        let units: Vec<UnitNamed> = units.iter().map(|unit| language.unit_named(unit)).collect();
        let holds = |number: f64| values.iter().any(|value| (value - number).abs() <= number.abs() * EXACT);
        let fits = |number: f64, word: &str| {
            let unit = LazyCell::new(|| language.unit_named(word));
            language.scale(word).is_some_and(|scale| holds(number * scale))
                || units
                    .iter()
                    .filter_map(|own| language.factor_between(&unit, own))
                    .any(|factor| holds(number * factor))
        };
        // "Longer than a week".
        let one = |word: &String| language.is_function_word(word).then_some(1.0);
        let cardinal =
            |word: &String| language.cardinal(word).map(|number| number as f64).or_else(|| one(word));
        let number = |word: &String| word.parse().ok().or_else(|| cardinal(word));
        let mut places = HashSet::new();
        for (at, unit) in words.iter().enumerate().skip(1) {
            let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
            // "0.4 litres" are three words.
            let decimal =
                before(2).zip(before(1)).and_then(|(whole, part)| format!("{whole}.{part}").parse().ok());
            // "Half an hour", and "half a million".
            let half = before(2).zip(before(1)).and_then(|(half, article)| {
                (language.means_half(half) && language.is_any_article(article)).then_some(0.5)
            });
            let readings = [(2, half), (2, decimal), (1, before(1).and_then(number))];
            let fitting =
                readings.into_iter().find(|(_, number)| number.is_some_and(|number| fits(number, unit)));
            places.extend(fitting.into_iter().flat_map(|(back, _)| at - back..=at));
        }
        places
    }

    /// Whether the query mentions a word, in this form or another; a number in letters, in digits.
    pub(crate) fn names(&self, word: &str, language: Language) -> bool {
        // "Kept by" speaks of keepers.
        let acts = self.words.iter().any(|word| language.is_by(word));
        let is_it = |known: &String| {
            let is_other = language.is_form(word, known) || language.is_of_one_root(word, known);
            is_other || (acts && language.is_agent(word, known))
        };
        let digits = language.cardinal(word).map(|number| number.to_string());
        // "Who wrote the story" speaks of writers.
        let is_other = |other: &String| {
            let parts = words_of(other);
            parts.iter().all(|part| self.words.iter().any(|known| language.is_form(part, known)))
        };
        let is_unit = |known: &String| language.is_unit_called(word, known);
        let mut countries = language.countries_of(word);
        countries.any(|name| name.split(' ').all(|part| self.words.contains(part)))
            || self.words.contains(digits.as_deref().unwrap_or(word))
            || self.words.iter().any(is_it)
            || (language.is_unit(word) && self.words.iter().any(is_unit))
            || self.words.iter().any(|known| language.is_of_power(word, known))
            || self.things.iter().any(|thing| ends_with_noun(thing, word) || is_short_for(thing, word))
            || self.columns.keys().any(|title| language.is_role_by_deed(word, title))
            || self.states_month(word)
            || self.values.iter().any(|value| are_initials_within(word, value))
            || (!language.is_extreme(word) && language.other_words(word).iter().any(is_other))
            || self
                .comments
                .iter()
                .any(|known| language.is_form(word, known) || language.is_agent(word, known))
    }

    /// Takes the words of a comment for words of the query, except those that change a meaning.
    fn comment(&mut self, comment: Option<&Comment>) {
        let Some(comment) = comment else { return };
        let language = Language::of(&comment.text);
        let tells = |word: &String| language.meanings(word).is_empty() && !language.is_extreme(word);
        self.comments.extend(words_of(&comment.text).into_iter().filter(tells));
    }

    /// Whether a word is the month that the query states: "June" of `'2024-06%'` or of a month that
    /// is 6.
    fn states_month(&self, word: &str) -> bool {
        let Some(month) = month(word) else { return false };
        let in_dates = format!("-{month:02}");
        let is_date = |value: &String| {
            value.match_indices(&in_dates).any(|(at, part)| {
                let next = value.as_bytes().get(at + part.len());
                next.is_none_or(|next| !next.is_ascii_digit())
            })
        };
        self.values.iter().any(is_date)
            || (self.words.contains("month") && self.values.contains(&month.to_string()))
    }

    fn text(&mut self, text: &str) {
        self.words.extend(words_of(text));
    }

    fn query(&mut self, query: &Query, tables: &Tables) {
        if query.limit.is_some() || !query.order.is_empty() {
            self.does.extend(["superlative", "time"]);
        }
        if query.limit == Some(1) && !query.order.is_empty() {
            // "Which is larger, A or B": the first of the two.
            self.does.insert("comparison");
        }
        if let Some(limit) = query.limit {
            self.text(&limit.to_string());
            self.place = self.place.max(Some(query.offset + 1));
        }
        match &query.body {
            Body::Set { left, right, operator, .. } => {
                if *operator == SetOperator::Except {
                    self.does.extend(["negation", "only"]);
                }
                self.query(left, tables);
                self.query(right, tables);
            }
            Body::Select(select) => {
                if !select.group.is_empty() {
                    self.does.insert("group");
                }
                if let Some(having) = &select.having {
                    having.visit(&mut |part| self.does.extend(is_one(part).then_some("only")));
                }
                for from in &select.from {
                    match &from.source {
                        Source::Table(name, at) => {
                            let table = at.and_then(|at| tables.table(at));
                            let title = table.map_or(name, |table| &table.title);
                            self.comment(table.and_then(|table| tables.comment_on_rows(table)));
                            self.things.extend(words_of(title));
                            self.text(title);
                            // "Not among the heads of kept by" speaks of keepers.
                            let tail =
                                table.filter(|table| table.is_links()).and_then(|table| table.columns.get(1));
                            tail.into_iter().for_each(|tail| self.text(&tail.title));
                        }
                        Source::Derived(query) => self.query(query, tables),
                    }
                }
                // "The author who is the author of …" is one step, although its column stands on
                // both sides.
                for place in select.items.iter().filter_map(|item| chosen_by_itself(&item.expression, select))
                {
                    let title = tables.column(place).map(|column| column.title.clone()).unwrap_or_default();
                    *self.repeated.entry(title).or_default() += 2;
                }
                for expression in select.expressions() {
                    let mut queries = Vec::new();
                    expression.visit(&mut |part| queries.extend(part.query()));
                    queries.into_iter().for_each(|query| self.query(query, tables));
                }
            }
        }
    }

    fn expression(&mut self, expression: &Expression, tables: &Tables) {
        match expression {
            Expression::Column(column) => {
                let place = column.place.and_then(|place| Some((place, tables.column(place)?)));
                let Some((place, of)) = place else { return self.text(&column.name) };
                self.text(&of.title);
                self.text(&of.id);
                self.comment(tables.comment(of));
                self.does.extend(are_reasons(&of.title).then_some("reason"));
                if place.column > 0 {
                    *self.columns.entry(of.title.clone()).or_default() += 1;
                }
                if place.column == 0
                    && let Some(table) = tables.table(place.table)
                {
                    self.text(&table.title);
                }
                if let Some(target) = tables.leads_to(place).and_then(|table| tables.table(table)) {
                    self.text(&target.title);
                }
            }
            Expression::Text(text) | Expression::Terms(_, text) | Expression::Like(_, text) => {
                self.text(text);
                self.values.insert(text.clone());
            }
            Expression::Number(number) => {
                self.text(number);
                self.values.insert(number.clone());
            }
            Expression::Not(inner) => {
                // Nothing before it comes first, and "x IS NOT NULL" is no negation.
                let first = matches!(&**inner, Expression::Exists(query) if compares_itself(query));
                self.does.extend(first.then_some(["superlative", "group"]).into_iter().flatten());
                let denies = !first && !matches!(**inner, Expression::IsNull(_));
                self.does.extend(denies.then_some("negation"));
                // "Only in A": in A, and in no other.
                self.does.extend(inner.query().is_some().then_some("only"));
            }
            Expression::IsNull(_) => drop(self.does.insert("negation")),
            Expression::Compare(comparison, _, value) => match comparison {
                Comparison::Unequal => drop(self.does.insert("negation")),
                Comparison::Equal => {
                    let is_zero = matches!(&**value, Expression::Number(number) if number == "0");
                    let denies = matches!(**value, Expression::Flag(false)) || is_zero;
                    self.does.extend(denies.then_some("negation"));
                }
                Comparison::Less | Comparison::AtMost | Comparison::Greater | Comparison::AtLeast => {
                    self.does.extend(["comparison", "time"]);
                    if let (Comparison::AtMost, Expression::Number(number)) = (comparison, &**value) {
                        self.at_most.insert(number.clone());
                    }
                }
            },
            Expression::Aggregate { function, .. } => {
                self.does.insert(match function {
                    Aggregate::Count => "count",
                    Aggregate::Sum => "sum",
                    Aggregate::Avg => "average",
                    Aggregate::Min | Aggregate::Max => "superlative",
                    Aggregate::Concat => "list",
                });
            }
            Expression::Arithmetic(operation, left, right) => {
                self.factor(*operation, left, right, tables);
                self.arithmetic(*operation, expression);
            }
            Expression::Call(Function::DaysBetween | Function::YearsBetween, _) => {
                self.does.extend(["difference", "comparison", "time"]);
            }
            Expression::Call(Function::Year, _) => self.text("year"),
            Expression::Call(Function::Month, _) => self.text("month"),
            Expression::Call(Function::Length, _) => drop(self.does.insert("letters")),
            _ => {}
        }
    }

    /// Keeps the factor of a value that is not a time.
    fn factor(&mut self, operation: Arithmetic, left: &Expression, right: &Expression, tables: &Tables) {
        if !matches!(operation, Arithmetic::Divide | Arithmetic::Multiply) {
            return;
        }
        for (by, of) in [(left, right), (right, left)] {
            if let Expression::Number(by) = by
                && !keeps_time(of, tables)
            {
                self.factors.insert(by.clone());
            }
        }
    }

    fn arithmetic(&mut self, operation: Arithmetic, whole: &Expression) {
        match operation {
            Arithmetic::Divide => {
                self.does.extend(["ratio", "percentage"]);
                let adds = whole.parts().iter().all(|part| part.has_aggregate());
                self.does.extend(adds.then_some("average"));
            }
            Arithmetic::Subtract => self.does.extend(["difference", "comparison", "time"]),
            Arithmetic::Add | Arithmetic::Multiply => {}
        }
    }
}

/// Whether a subquery compares a value of its rows with the same value of the rows around it.
fn compares_itself(query: &Query) -> bool {
    let filter = query.select().and_then(|select| select.filter.as_ref());
    filter.map(Expression::conjuncts).unwrap_or_default().into_iter().any(|condition| match condition {
        Expression::Compare(Comparison::Greater | Comparison::Less, left, right) => {
            let (Expression::Column(left), Expression::Column(right)) = (&**left, &**right) else {
                return false;
            };
            left.place.is_some() && left.place == right.place && left.table != right.table
        }
        _ => false,
    })
}

/// Whether a noun ends with another that says the same in short: a shipyard is a yard.
fn ends_with_noun(whole: &str, noun: &str) -> bool {
    /// The least letters of the short noun, and of the part before it.
    const LEAST: [usize; 2] = [4, 3];
    let before = whole.strip_suffix(noun).map(str::len);
    noun.len() >= LEAST[0] && before.is_some_and(|before| before >= LEAST[1])
}

/// Whether a value is a time: it counts days, or its column's name has a unit of time.
fn keeps_time(value: &Expression, tables: &Tables) -> bool {
    let mut keeps = false;
    value.visit(&mut |part| {
        keeps |= match part {
            Expression::Call(Function::DaysBetween | Function::YearsBetween, _) => true,
            Expression::Column(column) => {
                let title = column.place.and_then(|place| tables.column(place)).map(|column| &column.title);
                title.is_some_and(|title| words_of(title).iter().any(|word| is_unit(word)))
            }
            _ => false,
        };
    });
    keeps
}

/// The column that a SELECT gives and also fixes: a column equal to one of the same column.
fn chosen_by_itself(item: &Expression, select: &Select) -> Option<Place> {
    let Expression::Column(given) = item else { return None };
    let is_it = |of: &Expression| of == item;
    let chosen = select.filter.iter().flat_map(Expression::conjuncts).any(|condition| match condition {
        Expression::Compare(Comparison::Equal, of, value) => {
            is_it(of) && matches!(**value, Expression::Scalar(_))
        }
        Expression::InQuery(of, _) => is_it(of),
        _ => false,
    });
    given.place.filter(|place| chosen && place.column > 0)
}

/// Whether an expression says that a count is one.
fn is_one(expression: &Expression) -> bool {
    let Expression::Compare(comparison, of, value) = expression else { return false };
    let Expression::Number(number) = &**value else { return false };
    let bound = match comparison {
        Comparison::Equal | Comparison::AtMost => "1",
        Comparison::Less => "2",
        _ => return false,
    };
    of.has_aggregate() && number == bound
}
