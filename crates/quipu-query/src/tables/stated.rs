//! Numbers that the graph states as texts: plain ones ("1,500"), durations (`PT1H30M`), numbers
//! with a unit behind them ("12.5 kW").

use quipu_graph::NodeSummary;
use quipu_language::{Language, minutes_of};

use super::words_of;

/// The numbers of a column whose texts are all durations, or all numbers with one unit.
pub(super) struct Stated {
    /// The column's title, with the unit.
    pub(super) title: String,
    /// The different numbers, the least first.
    pub(super) numbers: Vec<String>,
    /// The unit that the texts name; `None` of durations, which become minutes.
    pub(super) unit: Option<String>,
}

impl Stated {
    /// The numbers of a column with this title and these values.
    pub(super) fn of(title: &str, tails: &[&NodeSummary]) -> Option<Self> {
        if let Some(numbers) = in_minutes(tails) {
            return Some(Self { title: format!("{title} in minutes"), numbers, unit: None });
        }
        let (unit, numbers) = in_one_unit(tails)?;
        let is_said = words_of(title).contains(&unit.to_lowercase());
        let title = if is_said { title.to_owned() } else { format!("{title} in {unit}") };
        Some(Self { title, numbers, unit: Some(unit) })
    }
}

/// The different minutes of values that are all durations.
fn in_minutes(tails: &[&NodeSummary]) -> Option<Vec<String>> {
    let minutes: Option<Vec<f64>> =
        tails.iter().map(|tail| minutes_of(&tail.literal.as_ref()?.lexical)).collect();
    let mut minutes = minutes.filter(|minutes| !minutes.is_empty())?;
    minutes.sort_by(f64::total_cmp);
    minutes.dedup();
    Some(minutes.into_iter().map(|minutes| ((minutes * 100.0).round() / 100.0).to_string()).collect())
}

/// The unit that follows the number in all of several texts, and the different numbers.
fn in_one_unit(tails: &[&NodeSummary]) -> Option<(String, Vec<String>)> {
    /// Fewest numbers that show a unit: a single text may be a name.
    const LEAST: usize = 2;
    let mut unit: Option<&str> = None;
    let mut numbers: Vec<&str> = Vec::new();
    for tail in tails {
        let text = tail.literal.as_ref()?.lexical.trim();
        let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+')))?;
        let (number, own) = (text.get(..end)?.trim(), text.get(end..)?.trim());
        if !is_plain_number(number) || *unit.get_or_insert(own) != own {
            return None;
        }
        numbers.push(number);
    }
    let unit = unit.filter(|unit| Language::english().is_unit_symbol(unit))?;
    let value = |number: &&str| number.replace(',', "").parse::<f64>().unwrap_or(f64::NAN);
    numbers.sort_by(|a, b| value(a).total_cmp(&value(b)));
    numbers.dedup();
    (numbers.len() >= LEAST).then(|| (unit.to_owned(), numbers.into_iter().map(str::to_owned).collect()))
}

/// Whether a text is a number and not a code: codes begin with zeros. Commas may separate
/// thousands.
pub(crate) fn is_plain_number(text: &str) -> bool {
    let text = text.trim();
    let plain = without_commas(text);
    let text = plain.as_deref().unwrap_or(text);
    let leading_zero = text.len() > 1 && text.starts_with('0') && !text.starts_with("0.");
    !leading_zero && text.parse::<f64>().is_ok_and(f64::is_finite) && text.bytes().any(|b| b.is_ascii_digit())
}

/// A number without the commas between its thousands; `None` if it has none, or commas elsewhere.
fn without_commas(text: &str) -> Option<String> {
    let whole = text.split('.').next().unwrap_or(text).trim_start_matches(['-', '+']);
    let (first, rest) = whole.split_once(',')?;
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_of_thousands = (1..=3).contains(&first.len())
        && digits(first)
        && rest.split(',').all(|part| part.len() == 3 && digits(part));
    is_of_thousands.then(|| text.replace(',', ""))
}
