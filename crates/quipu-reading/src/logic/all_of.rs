//! Whether several named things all have a property: "do A, B and C all accept new patients".

use quipu_language::{Language, asks_yes_or_no};
use quipu_query::{Aggregate, Body, Comparison, Doubt, Expression, Mend, Query, words_of};

/// Asks for each of the named things whether it has the property, where a model compares their
/// counts with one another or with the number of the things. For a query that is not bound yet.
pub(crate) fn all_of_them(question: &str, query: &mut Query) -> Option<Mend> {
    let words = words_of(question);
    let Body::Select(select) = &mut query.body else { return None };
    let [item] = select.items.as_mut_slice() else { return None };
    let mut counts = Counts::default();
    if !asks_yes_or_no(question) || !select.from.is_empty() || !counts.read(&item.expression) {
        return None;
    }
    let many = counts.of_one.len();
    // "Do A and B have as many pupils" compares two counts.
    let takes_together = Language::of_words(&words).both(&words).is_some();
    let among_themselves = counts.compared > 1 || (counts.compared == 1 && takes_together);
    let with_their_number = counts.compared == 0
        && !counts.numbers.is_empty()
        && counts.numbers.iter().all(|number| number.parse() == Ok(many));
    if many < 2 || !(among_themselves || with_their_number) {
        return None;
    }
    let has = |count: Expression| {
        Expression::Compare(Comparison::Greater, Box::new(count), Box::new(Expression::Number("0".into())))
    };
    item.expression = counts
        .of_one
        .into_iter()
        .map(has)
        .reduce(|all, next| Expression::And(Box::new(all), Box::new(next)))?;
    let text = "each of the named things must have it".to_owned();
    Some(Mend { text, doubt: Doubt::Little })
}

/// Asks whether rows exist where a model joins queries for a number, "(SELECT 1 FROM …) AND (SELECT
/// 1 FROM …)", which have no value for a thing without such rows.
pub(crate) fn whether_each_exists(query: &mut Query) -> Option<Mend> {
    let Body::Select(select) = &mut query.body else { return None };
    let [item] = select.items.as_mut_slice() else { return None };
    let joins = matches!(item.expression, Expression::And(..) | Expression::Or(..) | Expression::Not(_));
    (select.from.is_empty() && joins && exists(&mut item.expression))
        .then(|| Mend { text: "whether there are such rows is asked".to_owned(), doubt: Doubt::None })
}

fn exists(expression: &mut Expression) -> bool {
    match expression {
        Expression::And(a, b) | Expression::Or(a, b) => {
            let a = exists(a);
            exists(b) || a
        }
        Expression::Not(of) => exists(of),
        Expression::Scalar(query) => {
            let Some(select) = query.select() else { return false };
            let [item] = select.items.as_slice() else { return false };
            let within = match &item.expression {
                Expression::Number(_) if !select.from.is_empty() => Expression::Exists(query.clone()),
                inner @ Expression::Exists(_) if select.from.is_empty() => inner.clone(),
                _ => return false,
            };
            *expression = within;
            true
        }
        _ => false,
    }
}

/// The counts of an expression that does nothing but equate them.
#[derive(Default)]
struct Counts {
    /// Those of one named thing each.
    of_one: Vec<Expression>,
    /// The numbers that they are equated with.
    numbers: Vec<String>,
    /// How often a count is equated with another.
    compared: usize,
}

impl Counts {
    /// Reads an expression; no if it does more.
    fn read(&mut self, expression: &Expression) -> bool {
        match expression {
            Expression::And(a, b) => self.read(a) && self.read(b),
            Expression::Compare(Comparison::Equal, a, b) => {
                let has_number = [a, b].iter().any(|side| matches!(***side, Expression::Number(_)));
                self.compared += usize::from(!has_number);
                self.read(a) && self.read(b)
            }
            Expression::Number(number) => {
                self.numbers.push(number.clone());
                true
            }
            Expression::Scalar(query) => {
                self.of_one.push(expression.clone());
                counts_one(query)
            }
            _ => false,
        }
    }
}

/// Whether a query counts what one named thing has.
fn counts_one(query: &Query) -> bool {
    let Some(select) = query.select() else { return false };
    let fixes = |condition: &Expression| matches!(condition, Expression::Compare(Comparison::Equal, _, value) if matches!(**value, Expression::Text(_)));
    let is_count = |of: &Expression| matches!(of, Expression::Aggregate { function: Aggregate::Count, .. });
    select.items.iter().all(|item| is_count(&item.expression))
        && select.filter.iter().flat_map(Expression::conjuncts).any(fixes)
}
