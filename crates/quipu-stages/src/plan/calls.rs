//! Plans the calls to an API: which operations, with which arguments. Alignment finds the entities,
//! code reads the dates, shared words choose among options. No model is asked.

use quipu_graph::{ApiGraph, DateForm, Fill, FoundEntity, KindId, Operation, OperationId, Taken, ValueType};
use quipu_index::{Aligned, Workspace};
use quipu_language::{TimeFrame, place_said};

use super::fit::shared_words;
use super::subject::Subject;
use crate::answer::{AnswerError, Question};

/// Most months, or years, or days asked for one parameter.
const MOST_DATES: i64 = 7;
/// Candidates tried for one name; the second is tried only if the first returns nothing.
const MOST_CANDIDATES: usize = 2;
/// A candidate with a lower score is not the entity that the name means.
const LEAST_SCORE: f64 = 0.3;
/// A candidate with this score or less may be a different entity: the search's only result, or a
/// name that shares only some letters.
const DOUBTFUL: f64 = 0.6;

/// A call to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCall {
    /// The operation.
    pub operation: OperationId,
    /// Values by parameter.
    pub arguments: Vec<(String, Vec<String>)>,
    /// The entity that the call is about; it heads the table of results.
    pub about: String,
    /// The entity itself, whose records may be cached already.
    pub entity: Option<FoundEntity>,
    /// How well the operation fits the question, for the order of calls.
    pub fit: f32,
}

/// A name in the question with the entities that it may mean, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignedName {
    /// The name as the question writes it.
    pub name: String,
    /// The entities, best first.
    pub candidates: Vec<FoundEntity>,
}

/// Aligns the names of a subject with entities of the API.
///
/// # Errors
/// The service's.
pub async fn align_names(
    api: &ApiGraph,
    subject: &Subject,
    frames: &[TimeFrame],
) -> Result<Vec<AlignedName>, AnswerError> {
    let mut names = Vec::new();
    for named in &subject.entities {
        // A model lists days and kinds among the names.
        if is_time(&named.name, frames) || named.name.eq_ignore_ascii_case(&named.kind) {
            continue;
        }
        let kind = api.service().kinds.iter().position(|kind| kind.name == named.kind);
        let mut aligned = match kind {
            Some(kind) => candidates(api, KindId(kind), &named.name).await?,
            None => Vec::new(),
        };
        let others = other_kinds(api, kind, &subject.domain);
        // The model may confuse two kinds of team, or name a kind of another API. The name itself
        // is still right, so the field's other kinds are tried too.
        for other in &others {
            if !aligned.is_empty() {
                break;
            }
            aligned = candidates(api, *other, &named.name).await?;
        }
        for kind in kind.map(KindId).into_iter().chain(others.iter().copied()) {
            if aligned.is_empty() {
                aligned = Workspace::align_by_words(api, kind, &named.name).await?;
            }
        }
        // "The capital of Ghana" is not a name, even if a search finds something for it; "Ghana"
        // is.
        if aligned.first().is_none_or(|best| best.score <= DOUBTFUL) {
            let kinds = kind.map(KindId).into_iter().chain(others);
            if let Some(inner) = inner_name(api, &named.name, kinds).await? {
                names.push(inner);
                continue;
            }
        }
        let candidates = aligned.into_iter().map(|aligned| aligned.entity).collect();
        names.push(AlignedName { name: named.name.clone(), candidates });
    }
    Ok(names)
}

/// Whether a name is no more than one of the question's times: "July 15th, 2023".
fn is_time(name: &str, frames: &[TimeFrame]) -> bool {
    let name = format!(" {} ", plain(name));
    frames.iter().any(|frame| format!(" {} ", plain(&frame.text)).contains(&name))
}

async fn candidates(api: &ApiGraph, kind: KindId, name: &str) -> Result<Vec<Aligned>, AnswerError> {
    let found = Workspace::align(api, kind, name).await?;
    let good = found.into_iter().filter(|aligned| aligned.score >= LEAST_SCORE);
    Ok(good.take(MOST_CANDIDATES).collect())
}

/// Finds a capitalised name inside a phrase that is not a name itself. The first kind with a sure
/// candidate wins.
async fn inner_name(
    api: &ApiGraph,
    phrase: &str,
    kinds: impl Iterator<Item = KindId>,
) -> Result<Option<AlignedName>, AnswerError> {
    let inner = names_in(phrase);
    for kind in kinds {
        for name in &inner {
            let found = candidates(api, kind, name).await?;
            let sure: Vec<FoundEntity> =
                found.into_iter().filter(|aligned| aligned.score > DOUBTFUL).map(|a| a.entity).collect();
            if !sure.is_empty() {
                return Ok(Some(AlignedName { name: name.clone(), candidates: sure }));
            }
        }
    }
    Ok(None)
}

/// The runs of capitalised words in a phrase, without a run that is the whole phrase.
fn names_in(phrase: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    let mut open = false;
    for word in phrase.split_whitespace() {
        let capital = word.starts_with(char::is_uppercase);
        match runs.last_mut().filter(|_| open) {
            Some(run) if capital => {
                run.push(' ');
                run.push_str(word);
            }
            _ if capital => runs.push(word.to_owned()),
            _ => {}
        }
        open = capital;
    }
    runs.retain(|run| run != phrase);
    runs
}

/// The other kinds of the same field that an operation takes, helpers aside. If the API lacks the
/// name's own kind, `field` stands in for the kind's field.
fn other_kinds(api: &ApiGraph, kind: Option<usize>, field: &str) -> Vec<KindId> {
    let service = api.service();
    let own = kind.and_then(|kind| service.kinds.get(kind)).map(|kind| kind.domain.as_str());
    let domain = own.unwrap_or(field);
    let of_field =
        |at: &usize| Some(*at) != kind && service.kinds.get(*at).is_some_and(|other| other.domain == domain);
    let asked = |at: &usize| {
        let takes = |operation: &&Operation| operation.parameter_for(KindId(*at)).is_some();
        service.operations.iter().filter(|operation| !operation.helper).any(|operation| takes(&operation))
    };
    (0..service.kinds.len()).filter(of_field).filter(asked).map(KindId).collect()
}

/// The calls that the question's entities and dates allow, best operation first.
pub fn plan_calls(
    api: &ApiGraph,
    subject: &Subject,
    question: &Question,
    frames: &[TimeFrame],
    names: &[AlignedName],
    fits: &[f32],
) -> Vec<PlannedCall> {
    let mut calls = Vec::new();
    for (at, operation) in api.service().operations.iter().enumerate() {
        let fitting = operation.domain.is_empty() || operation.domain == subject.domain;
        if operation.helper || !fitting {
            continue;
        }
        let fit = fits.get(at).copied().unwrap_or(0.0);
        let planner = Planner { question, frames, operation };
        for (arguments, entity) in planner.arguments(names) {
            let about = entity.as_ref().map_or(String::new(), |entity| called(api, entity, names));
            calls.push(PlannedCall { operation: OperationId(at), arguments, about, entity, fit });
        }
    }
    calls.sort_by(|left, right| right.fit.total_cmp(&left.fit).then(left.operation.cmp(&right.operation)));
    calls
}

/// The heading of a table: the entity's official name. A symbol ("KO") is headed by the question's
/// name for it ("Coca-Cola").
fn called(api: &ApiGraph, entity: &FoundEntity, names: &[AlignedName]) -> String {
    let stands_for_another = api.service().kind(entity.kind).is_some_and(|kind| kind.of.is_some());
    let said = names.iter().find(|name| name.candidates.contains(entity)).map(|name| name.name.as_str());
    match said {
        Some(said) if stands_for_another && !said.eq_ignore_ascii_case(&entity.key) => said.to_owned(),
        _ => entity.official.clone(),
    }
}

/// Whether a parameter takes whole days, by the format that the document states.
fn is_day(format: &str) -> bool {
    matches!(format, "date" | "date-time")
}

type Arguments = Vec<(String, Vec<String>)>;

struct Planner<'a> {
    question: &'a Question,
    frames: &'a [TimeFrame],
    operation: &'a Operation,
}

impl Planner<'_> {
    /// Every way to fill the parameters: one for each entity and each date. Empty if a required
    /// value is missing, or if no argument comes from the question.
    fn arguments(&self, names: &[AlignedName]) -> Vec<(Arguments, Option<FoundEntity>)> {
        let mut ways: Vec<(Arguments, Option<FoundEntity>)> = vec![(Vec::new(), None)];
        let mut from_question = self.operation.takes.is_empty();
        for taken in &self.operation.takes {
            let values = self.values(taken, names, &mut from_question);
            if values.is_empty() {
                if taken.parameter.required && !matches!(taken.fill, Fill::Fixed(_)) {
                    return Vec::new();
                }
                continue;
            }
            let mut next = Vec::new();
            for (arguments, entity) in &ways {
                for (value, found) in &values {
                    let mut arguments = arguments.clone();
                    arguments.push((taken.parameter.name.clone(), vec![value.clone()]));
                    next.push((arguments, found.clone().or_else(|| entity.clone())));
                }
            }
            ways = next;
        }
        if from_question { ways } else { Vec::new() }
    }

    fn values(
        &self,
        taken: &Taken,
        names: &[AlignedName],
        from_question: &mut bool,
    ) -> Vec<(String, Option<FoundEntity>)> {
        let bare = |values: Vec<String>| values.into_iter().map(|value| (value, None)).collect();
        match &taken.fill {
            Fill::Kind(kind) => {
                let of_kind =
                    names.iter().flat_map(|name| &name.candidates).filter(|found| found.kind == *kind);
                // Operations that search take the name; operations that look up take the id.
                let by_id = matches!(taken.parameter.value_type, ValueType::Integer | ValueType::IntegerList);
                let value =
                    |found: &FoundEntity| if by_id { found.key.clone() } else { self.text_of(*kind, found) };
                let values: Vec<_> = of_kind.map(|found| (value(found), Some(found.clone()))).collect();
                *from_question |= !values.is_empty();
                values
            }
            Fill::Date(form) => {
                let form = if is_day(&taken.parameter.format) { DateForm::Day } else { *form };
                // A service that takes days only is not asked for the first day of a year.
                let is_covered = |frame: &&TimeFrame| {
                    !is_day(&taken.parameter.format)
                        || i64::from((frame.to - frame.from).get_days()) < MOST_DATES
                };
                let mut dates: Vec<String> =
                    self.frames.iter().filter(is_covered).flat_map(|frame| dates_of(frame, form)).collect();
                // "The 2024 Jury Prize".
                if self.frames.is_empty() && form == DateForm::Year {
                    dates.extend(year_said(self.question.text()));
                }
                dates.dedup();
                *from_question |= !dates.is_empty();
                let is_open = self.frames.is_empty() || !is_day(&taken.parameter.format);
                if dates.is_empty() && taken.parameter.required && is_open {
                    dates = vec![now(self.question, form)];
                }
                bare(dates)
            }
            Fill::Number => bare(self.number().into_iter().collect()),
            Fill::Choice(options) => bare(chosen(self.question.text(), options).into_iter().collect()),
            Fill::Fixed(_) | Fill::Nothing => Vec::new(),
        }
    }

    /// The text to pass for an entity. A search that lists entities of this kind takes the name, so
    /// that it finds the same entity again.
    fn text_of(&self, kind: KindId, found: &FoundEntity) -> String {
        match self.operation.gives == Some(kind) && found.key.parse::<u64>().is_ok() {
            true => found.name.clone(),
            false => found.key.clone(),
        }
    }

    /// The number in the question outside its dates: a figure, or a rank in words ("number one").
    fn number(&self) -> Option<String> {
        let mut said = format!(" {} ", plain(self.question.text()));
        for frame in self.frames {
            said = said.replace(&format!(" {} ", plain(&frame.text)), " ");
        }
        let words: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
        let figure = words.iter().find(|word| word.parse::<u32>().is_ok()).cloned();
        figure.or_else(|| place_said(&words).map(|place| place.to_string()))
    }
}

/// The only number of a question that can be a year.
fn year_said(question: &str) -> Option<String> {
    let words = plain(question);
    let is_year =
        |word: &&str| word.len() == 4 && word.parse().is_ok_and(|year| (1800..=2100).contains(&year));
    let mut years = words.split(' ').filter(is_year);
    years.next().filter(|_| years.next().is_none()).map(str::to_owned)
}

/// Lower-cased words with single spaces.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The option that shares most words with the question; the first option if none shares any.
fn chosen(question: &str, options: &[(String, String)]) -> Option<String> {
    let texts: Vec<String> = options.iter().map(|(_, words)| words.clone()).collect();
    let shares = shared_words(question, &texts);
    let mut best = 0;
    for (at, share) in shares.iter().enumerate() {
        if *share > shares.get(best).copied().unwrap_or(0.0) {
            best = at;
        }
    }
    options.get(best).map(|(value, _)| value.clone())
}

/// The dates of a frame in the form that a parameter takes: the frame itself if it is one day,
/// month or year, else the pieces that cover it. An open-ended or too long frame gives none.
fn dates_of(frame: &TimeFrame, form: DateForm) -> Vec<String> {
    let (from, to) = (frame.from, frame.to);
    let span = i64::from(to.year()) - i64::from(from.year());
    if span > MOST_DATES {
        return Vec::new();
    }
    let month = from == from.first_of_month() && to == from.last_of_month();
    let year = from == from.first_of_year() && to == from.last_of_year();
    let days = (to - from).get_days();
    let form = match form {
        DateForm::Any if from == to => DateForm::Day,
        DateForm::Any if month => DateForm::Month,
        DateForm::Any if year || span > 0 => DateForm::Year,
        // A week is covered by its month: that takes fewer calls, and later filters drop the other
        // days.
        DateForm::Any => DateForm::Month,
        other => other,
    };
    let months = span * 12 + i64::from(to.month()) - i64::from(from.month());
    match form {
        DateForm::Year => (from.year()..=to.year()).map(|year| year.to_string()).collect(),
        DateForm::Month if months < MOST_DATES => {
            let first = from.first_of_month();
            let name = |at: i64| {
                let day = first.checked_add(jiff::Span::new().months(at)).unwrap_or(first);
                format!("{:04}-{:02}", day.year(), day.month())
            };
            (0..=months).map(name).collect()
        }
        DateForm::Month => (from.year()..=to.year()).map(|year| year.to_string()).collect(),
        DateForm::Day | DateForm::Any if i64::from(days) < MOST_DATES => {
            let name = |at: i32| from.checked_add(jiff::Span::new().days(at)).unwrap_or(from).to_string();
            (0..=days).map(name).collect()
        }
        DateForm::Day | DateForm::Any => vec![from.to_string()],
    }
}

/// The time of asking, for a required date that the question does not give.
fn now(question: &Question, form: DateForm) -> String {
    let today = question.asked_at().date();
    match form {
        DateForm::Day => today.to_string(),
        DateForm::Month => format!("{:04}-{:02}", today.year(), today.month()),
        DateForm::Year | DateForm::Any => today.year().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quipu_language::time_frames;

    fn check(text: &str, form: DateForm, expected: &[&str]) {
        let frame = time_frames(text, jiff::civil::date(2024, 2, 28)).remove(0);
        assert_eq!(dates_of(&frame, form), expected, "{text} {form:?}");
    }

    #[test]
    fn dates_are_as_precise_as_the_question() {
        check("on 2022-10-11", DateForm::Any, &["2022-10-11"]);
        check("in 2022-12", DateForm::Any, &["2022-12"]);
        check("in 2022", DateForm::Any, &["2022"]);
        check("last week", DateForm::Any, &["2024-02"]);
        check(
            "last week",
            DateForm::Day,
            &[
                "2024-02-19",
                "2024-02-20",
                "2024-02-21",
                "2024-02-22",
                "2024-02-23",
                "2024-02-24",
                "2024-02-25",
            ],
        );
        check("in December 2022", DateForm::Year, &["2022"]);
        check("between 2019 and 2021", DateForm::Any, &["2019", "2020", "2021"]);
        check("from 2024-01-30 to 2024-02-02", DateForm::Any, &["2024-01", "2024-02"]);
        check("before 2020", DateForm::Year, &[]);
    }

    #[test]
    fn a_year_stands_before_a_noun() {
        assert_eq!(year_said("who won the 2024 Jury Prize?").as_deref(), Some("2024"));
        assert_eq!(year_said("who won in 2023 or 2024?"), None);
        assert_eq!(year_said("the route 66 motel"), None);
    }

    #[test]
    fn names_stand_inside_phrases() {
        assert_eq!(names_in("capital of Ghana"), ["Ghana"]);
        assert_eq!(names_in("the director of The Big Sleep and Rio Bravo"), ["The Big Sleep", "Rio Bravo"]);
        assert_eq!(names_in("Ghana"), [""; 0]);
        assert_eq!(names_in("ghana"), [""; 0]);
    }

    #[test]
    fn choices_follow_the_words() {
        let options = [("rank", "rank place"), ("weeks", "how many weeks long"), ("top", "peak highest")];
        let options: Vec<(String, String)> =
            options.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
        assert_eq!(chosen("what was its peak position?", &options).as_deref(), Some("top"));
        assert_eq!(chosen("for how many weeks was it there?", &options).as_deref(), Some("weeks"));
        assert_eq!(chosen("where did it stand?", &options).as_deref(), Some("rank"));
    }

    #[test]
    fn rare_words_of_the_question_count_more() {
        let texts = ["stock price daily", "stock dividends paid", "stock market cap"].map(str::to_owned);
        let shares = shared_words("when were dividends of the stock paid?", &texts);
        assert!(shares[1] > 2.0 * shares[0] && shares[0] == shares[2], "{shares:?}");
    }
}
