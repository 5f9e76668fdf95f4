//! Runs a method over questions: one row a question, written immediately, so that a killed run can
//! be resumed.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::stream::{FuturesUnordered, StreamExt as _};
use jiff::Zoned;
use quipu_answer::{
    Answer, AnswerError, AskOptions, Engine, Event, EventSink, Evidence, EvidenceContent, Exhausted, Page,
    Question, TimedEvent,
};
use quipu_language::normalise;
use tokio::task::JoinSet;

use crate::EvalError;
use crate::folder::{ResultsFolder, TraceRow};
use crate::gold::PreparedQuestion;
use crate::judge::model::judge_without_model;
use crate::judge::{Judge, JudgeCase, Judged, ModelJudge, Verdict};
use crate::manifest::AnchorSetting;
use crate::metrics::{GivenTable, GoldAnswer, Score, score, score_rows, share};
use crate::oracle::Oracle;
use crate::row::{Ended, ErrorClass, Row, RowCost, StageCost};

/// Time after its own limit at which a question is abandoned.
const GRACE: Duration = Duration::from_secs(60);

/// One method under one model, over all questions.
pub struct RunConfig<'a> {
    /// The workspace with its models.
    pub engine: &'a Engine,
    /// Options of each question.
    pub options: AskOptions,
    /// The language model's name in results.
    pub llm: String,
    /// Whether the gold anchors are given.
    pub anchors: AnchorSetting,
    /// Whether the critic of `hybrid` is an oracle that knows each question's gold answers.
    pub oracle: bool,
    /// Time of asking for questions without their own: the start of the run, so that a replay asks
    /// the same.
    pub now: Zoned,
    /// Judges the cases that rules do not decide.
    pub judge: Option<&'a ModelJudge>,
    /// Questions asked in parallel.
    pub parallel: usize,
    /// Rows whose times a replay copies.
    pub measured: Option<&'a [Row]>,
}

/// Limit on the model calls of a whole evaluation. It is checked before each question, so running
/// questions may exceed it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// The limit; `None`: no limit.
    pub calls: Option<u64>,
    /// Calls so far, including the judge's, without cached ones.
    pub spent: u64,
}

impl Budget {
    /// Whether no further question may be asked.
    pub fn is_spent(&self) -> bool {
        self.calls.is_some_and(|calls| self.spent >= calls)
    }
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunOutcome {
    /// One row for each asked question, in the questions' order.
    pub rows: Vec<Row>,
    /// Questions not asked because of the budget.
    pub left: usize,
}

/// Asks all questions except those in `done`. `progress` gets each finished row, the earlier ones
/// first.
///
/// # Errors
/// Only for results that cannot be written; a failed question is a row with a zero.
pub async fn run(
    config: &RunConfig<'_>,
    questions: &[PreparedQuestion],
    done: &[Row],
    mut folder: Option<&mut ResultsFolder>,
    budget: &mut Budget,
    mut progress: impl FnMut(&Row),
) -> Result<RunOutcome, EvalError> {
    let method = config.options.name();
    let of_this = |row: &&Row| row.method == method && row.llm == config.llm;
    let mut by_id: HashMap<String, Row> =
        done.iter().filter(of_this).map(|row| (row.id.clone(), row.clone())).collect();
    let is_done = |by_id: &HashMap<String, Row>, q: &PreparedQuestion| by_id.contains_key(&q.question.id);
    for question in questions {
        if let Some(row) = by_id.get(&question.question.id) {
            progress(row);
        }
    }
    let waiting: Vec<&PreparedQuestion> = questions.iter().filter(|q| !is_done(&by_id, q)).collect();
    let mut waiting = waiting.into_iter();
    let mut working = FuturesUnordered::new();
    loop {
        while working.len() < config.parallel.max(1) && !budget.is_spent() {
            let Some(question) = waiting.next() else { break };
            working.push(answer_question(config, question));
        }
        let Some(done) = working.next().await else { break };
        budget.spent += u64::from(done.calls);
        if let Some(folder) = folder.as_deref_mut() {
            folder.add(&done.row, &done.trace)?;
        }
        progress(&done.row);
        by_id.insert(done.row.id.clone(), done.row);
    }
    let rows: Vec<Row> = questions.iter().filter_map(|q| by_id.remove(&q.question.id)).collect();
    Ok(RunOutcome { left: questions.len() - rows.len(), rows })
}

/// A question's result with the data beside its row.
pub(crate) struct Done {
    pub(crate) row: Row,
    trace: TraceRow,
    /// Calls that reached a model.
    calls: u32,
}

/// Asks one question and scores its answer.
pub(crate) async fn answer_question(config: &RunConfig<'_>, prepared: &PreparedQuestion) -> Done {
    let gold = &prepared.question;
    let started = Instant::now();
    let events: Arc<Mutex<Vec<TimedEvent>>> = Arc::default();
    let seen = events.clone();
    let sink = move |event: &TimedEvent| lock(&seen).push(event.clone());
    let anchors = if config.anchors == AnchorSetting::Gold { gold.anchors().to_vec() } else { Vec::new() };
    let pages = match gold.pages.is_empty() {
        true => config.options.pages.clone(),
        false => gold.pages.iter().map(page).collect(),
    };
    let conversation = gold.conversation();
    let sink: EventSink = Arc::new(sink);
    let mut options = AskOptions { sink: Some(sink), anchors, pages, conversation, ..config.options.clone() };
    if config.oracle {
        options.critic = Some(Arc::new(Oracle::of(&prepared.gold)));
    }
    let asked_at = gold.asked_at().unwrap_or_else(|| config.now.clone());
    let answered = match Question::new(&gold.question, asked_at) {
        Ok(question) => ask(config.engine, question, options).await,
        Err(error) => Err(Failure { class: ErrorClass::Failed, reason: error.to_string() }),
    };
    let events = std::mem::take(&mut *lock(&events));
    let mut row = match &answered {
        Ok(answer) => answered_row(config, prepared, answer, &events),
        Err(failure) => {
            let cost = RowCost { seconds: started.elapsed().as_secs_f64(), ..cost_of_events(&events) };
            let reason = Some(failure.reason.clone());
            Row {
                ended: Ended::Failed,
                error: Some(failure.class),
                cost,
                reason,
                ..empty_row(config, prepared)
            }
        }
    };
    let calls = answered.as_ref().map_or(row.cost.llm_calls, |answer| answer.usage.llm_calls);
    judge_row(config, prepared, &mut row).await;
    row.error = error_of(prepared, &row, config);
    let same = |other: &&Row| other.id == row.id && other.method == row.method && other.llm == row.llm;
    if let Some(measured) = config.measured.and_then(|rows| rows.iter().find(same)) {
        row.take_times(measured);
    }
    let evidence = answered.map(|answer| answer.evidence).unwrap_or_default();
    let trace =
        TraceRow { id: row.id.clone(), method: row.method.clone(), llm: row.llm.clone(), evidence, events };
    Done { calls: calls + row.cost.judge_calls, row: row.rounded(), trace }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why there is no answer, not even an abstention.
pub(crate) struct Failure {
    class: ErrorClass,
    pub(crate) reason: String,
}

/// A question's page in the form for methods.
fn page(page: &crate::Page) -> Page {
    let crate::Page { name, url, snippet, last_modified, html } = page.clone();
    Page { name, url, snippet, last_modified, text: html }
}

/// Asks in a separate task, so that a crash ends only this question.
pub(crate) async fn ask(engine: &Engine, question: Question, options: AskOptions) -> Result<Answer, Failure> {
    let limit = options.limits.time.saturating_add(GRACE);
    let engine = engine.clone();
    let mut task = JoinSet::new();
    task.spawn(async move { engine.ask(&question, &options).await });
    let failed = |reason: String| Failure { class: ErrorClass::Failed, reason };
    match tokio::time::timeout(limit, task.join_next()).await {
        Err(_) => {
            let reason = format!("given up after {} s", limit.as_secs());
            Err(Failure { class: ErrorClass::TimedOut, reason })
        }
        Ok(Some(Ok(Ok(answer)))) => Ok(answer),
        Ok(Some(Ok(Err(error)))) => {
            let timed_out = matches!(
                error,
                AnswerError::Exhausted(Exhausted::Seconds(_))
                    | AnswerError::Model(quipu_model::ModelError::TimedOut { .. })
            );
            let class = if timed_out { ErrorClass::TimedOut } else { ErrorClass::Failed };
            Err(Failure { class, reason: error.to_string() })
        }
        Ok(Some(Err(crash))) => Err(failed(format!("crashed: {crash}"))),
        Ok(None) => Err(failed("the task was lost".into())),
    }
}

fn empty_row(config: &RunConfig<'_>, prepared: &PreparedQuestion) -> Row {
    let gold = &prepared.question;
    Row {
        id: gold.id.clone(),
        method: config.options.name(),
        llm: config.llm.clone(),
        question: gold.question.clone(),
        ended: Ended::Failed,
        answer: String::new(),
        answers: Vec::new(),
        answer_keys: Vec::new(),
        table: Vec::new(),
        gold: prepared.gold.clone(),
        unanswerable: gold.has_no_answer(),
        score: Score::NOTHING,
        judged: Judged { verdict: Verdict::Missing, by: Judge::Rule, reason: None },
        error: None,
        anchors: None,
        gold_anchors: prepared.anchors.clone(),
        linked: None,
        evidence_recall: None,
        evidence: Vec::new(),
        citations: Vec::new(),
        grounded: false,
        confidence: 0.0,
        cost: RowCost::default(),
        reason: None,
        hops: gold.hops,
        kind: gold.kind.clone(),
        domain: gold.domain.clone(),
        popularity: gold.popularity.clone(),
    }
}

fn answered_row(
    config: &RunConfig<'_>,
    prepared: &PreparedQuestion,
    answer: &Answer,
    events: &[TimedEvent],
) -> Row {
    let empty = empty_row(config, prepared);
    let ended = Ended::from(answer.status);
    let keys: Vec<Vec<String>> =
        answer.answers.iter().map(|value| keys_of(value, &answer.evidence)).collect();
    let gold = &prepared.question;
    let score = if gold.has_no_answer() {
        let right = match ended {
            Ended::Abstained => gold.unanswerable,
            Ended::InvalidQuestion => true,
            Ended::Answered | Ended::Failed => false,
        };
        if right { Score::FULL } else { Score::NOTHING }
    } else if ended == Ended::Answered {
        score_of_answer(prepared, answer, &keys)
    } else {
        Score::NOTHING
    };
    let score = with_ranking(score, answer, prepared);
    let anchors = linked_names(events);
    Row {
        ended,
        answer: answer.answer.clone(),
        answers: answer.answers.clone(),
        table: table_of(answer),
        answer_keys: if keys.iter().all(Vec::is_empty) { Vec::new() } else { keys },
        score,
        linked: linked(anchors.as_deref(), &prepared.anchors),
        anchors,
        evidence_recall: evidence_recall(&answer.evidence, &prepared.gold),
        evidence: answer.evidence.iter().map(|evidence| evidence.id.clone()).collect(),
        citations: answer.citations.clone(),
        grounded: answer.grounded,
        confidence: answer.confidence,
        cost: cost_of(answer),
        reason: answer.reason.clone(),
        ..empty
    }
}

/// Scores of values and of rows.
fn score_of_answer(prepared: &PreparedQuestion, answer: &Answer, keys: &[Vec<String>]) -> Score {
    let table = GivenTable::of(answer, keys);
    let of_values = if prepared.table.is_of_file() {
        score_rows(&table, &answer.answer, &prepared.table, &prepared.gold)
    } else {
        let given: Vec<(String, Vec<String>)> =
            answer.answers.iter().cloned().zip(keys.iter().cloned()).collect();
        score(&given, &answer.answer, &prepared.gold, prepared.question.any_of)
    };
    Score { rows: Some(prepared.table.score(&table)), ..of_values }
}

/// The texts of the answer's table.
fn table_of(answer: &Answer) -> Vec<Vec<Option<String>>> {
    let rows = answer.table.iter().flat_map(|table| &table.rows);
    rows.map(|row| row.iter().map(|cell| cell.as_ref().map(|value| value.name.clone())).collect()).collect()
}

/// For a ranking of entities, the ranking metrics come from the ranking itself, not from the
/// composed answer.
fn with_ranking(of_values: Score, answer: &Answer, prepared: &PreparedQuestion) -> Score {
    let gold = &prepared.question;
    if answer.ranked.is_empty() || gold.has_no_answer() {
        return of_values;
    }
    let ranked = answer.ranked.iter().map(|entity| (entity.name.clone(), vec![entity.key.clone()]));
    let of_ranking = score(&ranked.collect::<Vec<_>>(), &answer.answer, &prepared.gold, gold.any_of);
    Score {
        hit_at_1: of_ranking.hit_at_1,
        hit_at_5: of_ranking.hit_at_5,
        recall_at_20: of_ranking.recall_at_20,
        mrr: of_ranking.mrr,
        ..of_values
    }
}

/// Keys of the entities with this name in the evidence, if keys differ from names.
fn keys_of(value: &str, evidence: &[Evidence]) -> Vec<String> {
    let name = normalise(value);
    let mut keys = Vec::new();
    for piece in evidence {
        let named: Vec<(&String, &String)> = match &piece.content {
            EvidenceContent::Triple { head, tail, keys: Some(of), .. } => {
                let [head_key, _, tail_key] = of.as_ref();
                vec![(head, head_key), (tail, tail_key)]
            }
            EvidenceContent::Passage { entity, place, .. } => {
                place.key.iter().map(|key| (entity, key)).collect()
            }
            EvidenceContent::Triple { .. }
            | EvidenceContent::Record(_)
            | EvidenceContent::Calculation { .. } => {
                continue;
            }
        };
        for (shown, key) in named {
            if shown != key && !keys.contains(key) && normalise(shown) == name {
                keys.push(key.clone());
            }
        }
    }
    keys
}

/// Names of the anchors that linking chose last.
fn linked_names(events: &[TimedEvent]) -> Option<Vec<String>> {
    events.iter().rev().find_map(|event| match &event.event {
        Event::Linked { mentions } => {
            let best = mentions.iter().filter_map(|mention| mention.candidates.first());
            Some(best.map(|candidate| candidate.name.clone()).collect())
        }
        _ => None,
    })
}

fn linked(anchors: Option<&[String]>, gold: &[String]) -> Option<bool> {
    let anchors: Vec<String> = anchors?.iter().map(|name| normalise(name)).collect();
    (!gold.is_empty()).then(|| gold.iter().all(|name| anchors.contains(&normalise(name))))
}

/// Share of the gold answers that the evidence states or a passage of it mentions.
fn evidence_recall(evidence: &[Evidence], gold: &[GoldAnswer]) -> Option<f64> {
    let holds = |answer: &GoldAnswer, piece: &Evidence| {
        let passage = match &piece.content {
            EvidenceContent::Passage { passage, .. } => answer.occurs_in(passage),
            EvidenceContent::Record(record) => {
                record.fields.iter().any(|field| answer.occurs_in(&field.value))
            }
            EvidenceContent::Triple { .. } | EvidenceContent::Calculation { .. } => false,
        };
        passage || piece.values().iter().any(|value| answer.is(value, &[]))
    };
    let found = gold.iter().filter(|answer| evidence.iter().any(|piece| holds(answer, piece))).count();
    (!gold.is_empty()).then(|| share(found, gold.len()))
}

fn cost_of(answer: &Answer) -> RowCost {
    let usage = &answer.usage;
    let waited: f64 = usage.by_stage.iter().map(|stage| stage.model_seconds).sum();
    let by_stage = usage.by_stage.iter().map(|stage| {
        let cost = StageCost {
            llm_calls: stage.llm_calls + stage.cached_calls,
            tokens: stage.prompt_tokens + stage.completion_tokens,
            seconds: stage.seconds,
        };
        (stage.stage.clone(), cost)
    });
    RowCost {
        llm_calls: usage.llm_calls + usage.cached_calls,
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
        judge_calls: 0,
        requests: usage.requests,
        seconds: usage.seconds,
        engine_seconds: (usage.seconds - waited).max(0.0),
        by_stage: by_stage.collect(),
    }
}

/// The cost of a failed question until its failure.
fn cost_of_events(events: &[TimedEvent]) -> RowCost {
    let mut cost = RowCost::default();
    let mut by_stage: BTreeMap<String, StageCost> = BTreeMap::new();
    for event in events {
        let Event::ModelCalled { usage, .. } = &event.event else { continue };
        let calls = usage.llm_calls + usage.cached_calls;
        cost.llm_calls += calls;
        cost.prompt_tokens += usage.prompt_tokens;
        cost.completion_tokens += usage.completion_tokens;
        let stage = by_stage.entry(event.stage.name().into()).or_default();
        stage.llm_calls += calls;
        stage.tokens += usage.prompt_tokens + usage.completion_tokens;
        stage.seconds += usage.seconds;
    }
    RowCost { by_stage, ..cost }
}

/// CRAG's verdict: by the question's outcome, by equal sets, by rules, by the model.
async fn judge_row(config: &RunConfig<'_>, prepared: &PreparedQuestion, row: &mut Row) {
    let gold = &prepared.question;
    let certain = match row.ended {
        Ended::Abstained if gold.unanswerable => Some(Verdict::Accurate),
        Ended::Abstained | Ended::Failed => Some(Verdict::Missing),
        Ended::InvalidQuestion if gold.has_no_answer() => Some(Verdict::Accurate),
        Ended::InvalidQuestion => Some(Verdict::Hallucination),
        Ended::Answered if gold.has_no_answer() => Some(Verdict::Hallucination),
        Ended::Answered if row.score.exact == 1.0 => Some(Verdict::Accurate),
        Ended::Answered => None,
    };
    if let Some(verdict) = certain {
        row.judged = Judged { verdict, by: Judge::Rule, reason: None };
        return;
    }
    let names: Vec<String> = prepared.gold.iter().map(|answer| answer.name.clone()).collect();
    let case = JudgeCase {
        question: &gold.question,
        gold: &names,
        any_of: gold.any_of,
        prediction: &row.answer,
        values: &row.answers,
    };
    row.judged = match config.judge {
        None => judge_without_model(&case),
        Some(judge) => match judge.judge(&case).await {
            Ok((judged, calls)) => {
                row.cost.judge_calls = calls;
                judged
            }
            Err(error) => {
                let reason = Some(format!("the judge failed: {error}"));
                Judged { reason, ..judge_without_model(&case) }
            }
        },
    };
}

/// The error class; `None` if the first value is right.
fn error_of(prepared: &PreparedQuestion, row: &Row, config: &RunConfig<'_>) -> Option<ErrorClass> {
    if row.error.is_some() || row.score.hit_at_1 == 1.0 {
        return row.error;
    }
    let out_of_time = Exhausted::Seconds(config.options.limits.time.as_secs()).to_string();
    let abstained = row.ended != Ended::Answered;
    Some(if abstained && row.reason.as_deref() == Some(&out_of_time) {
        ErrorClass::TimedOut
    } else if prepared.question.has_no_answer() {
        if abstained { ErrorClass::WronglyAbstained } else { ErrorClass::ShouldAbstain }
    } else if row.score.lenient == 1.0 {
        ErrorClass::Format
    } else if row.linked == Some(false) {
        ErrorClass::Linking
    } else if row.retrieved() == Some(false) {
        ErrorClass::Retrieval
    } else if abstained {
        ErrorClass::WronglyAbstained
    } else {
        ErrorClass::Composition
    })
}
