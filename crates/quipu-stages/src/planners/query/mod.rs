//! Answers questions by queries: the model writes SQL over the graph's tables; code binds it to the
//! graph, runs it, and chooses among readings (DESIGN §8).

mod above_types;
mod answer;
mod ask;
mod askers_nouns;
mod kinds;
mod near;
mod path;
mod preamble;
mod read;
mod spelling;
mod sql;

use std::sync::Arc;

use jiff::Zoned;
use quipu_language::impossible_place;
use quipu_query::{Mention, Relevance, RenderConfig, read_sql, words_of};
use quipu_reading::{
    Candidate, FEATURES, OfPath, PathFit, TableQuestion, best_confidence, choose, columns_lacking, features,
    names_left_out, of_the_path, speaks_of, words_tried,
};

use crate::answer::{AnswerError, Event, Outcome, Planned, Question, Stage};
use crate::ledger::Context;
use crate::plan::solved_queries;
use crate::retrieve::{GraphTables, graph_tables};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ask::{Asked, PromptParts};
use near::AskedTokens;

pub use kinds::gives_told_kind;
pub use path::{is_far_from_role, is_of_named_kinds, measures_what_is_asked};
pub use preamble::without_preamble;
use read::Failure;
pub use sql::ask_sql;

/// Parameters of `query`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueryConfig {
    /// Whether a failed query is sent back once with the reason.
    pub repair: bool,
    /// Other queries that the model is asked for in one call if the first reading is doubtful.
    #[schemars(range(max = 16))]
    pub alternatives: u32,
    /// Temperature of these if an endpoint writes them.
    #[schemars(range(max = 2))]
    pub temperature: f32,
    /// Below this confidence, the first reading is doubtful.
    pub sure: f64,
    /// Below this confidence, a reading is no answer.
    pub least_confidence: f64,
    /// Most bytes of the tables shown to the model, if they are chosen for the question; half as
    /// many again if all tables of the graph are shown.
    #[schemars(range(max = 20000))]
    pub table_bytes: usize,
    /// Most tokens computed for one question: prompts, without the beginnings that an earlier
    /// request computed, and replies. A repair or alternatives that would exceed it are skipped.
    #[schemars(range(max = 20000))]
    pub tokens: u64,
    /// Whether the prompt lists values of the graph that the question's words may mean.
    pub hints: bool,
}

impl Default for QueryConfig {
    /// One repair, four alternatives below .6, no answer below .6, 4,400 bytes of tables, 4,000
    /// tokens, hints.
    fn default() -> Self {
        Self {
            repair: true,
            alternatives: 4,
            temperature: 0.7,
            sure: 0.6,
            least_confidence: 0.6,
            table_bytes: 4_400,
            tokens: 4_000,
            hints: true,
        }
    }
}

/// A question over the graph's tables.
pub struct Asking<'a> {
    question: &'a Question,
    graph: Arc<GraphTables>,
    /// The question's words as the embedder's tokens, if there is an embedder.
    asked: Option<AskedTokens>,
    config: &'a QueryConfig,
    /// The names in the question from tables whose names are not kept in memory.
    named: Vec<Mention>,
}

impl Asking<'_> {
    /// The question with the tables and values that it is asked of.
    fn of_tables(&self) -> TableQuestion<'_> {
        TableQuestion {
            text: self.question.text(),
            tables: &self.graph.tables,
            values: &self.graph.values,
            named: &self.named,
        }
    }
}

/// A path of the graph that is a reading of the question beside the model's queries.
pub struct PathReading<'a> {
    /// The path, with the operation on its values.
    pub plan: &'a Planned,
    /// How well it fits the question.
    pub fit: PathFit,
}

/// Asks for the nouns of the tables that the graph does not name, unless they are known.
///
/// # Errors
/// The graph's, the embedder's, the model's.
pub async fn name_tables(context: &Context<'_>) -> Result<(), AnswerError> {
    kinds::named_tables(context).await.map(drop)
}

/// Lets the model read the graph's tables ahead of the first question, and name those that the
/// graph does not name. False, without a call, if the tables are chosen for each question: no
/// prompt begins with them then.
///
/// # Errors
/// The graph's, the embedder's, the model's.
pub async fn read_ahead(context: &Context<'_>, config: &QueryConfig) -> Result<bool, AnswerError> {
    if !context.workspace.has_graph() || !shows_all_tables(context, config).await? {
        return Ok(false);
    }
    let graph = kinds::named_tables(context).await?;
    let question = Question::new("?", Zoned::now())?;
    let asking = Asking { question: &question, graph, asked: None, config, named: Vec::new() };
    ask::read_ahead(context, &ask::prompt(&asking, Vec::new())).await
}

/// Whether the prompt shows all tables of the graph with all their columns.
///
/// # Errors
/// The graph's.
pub async fn shows_all_tables(context: &Context<'_>, config: &QueryConfig) -> Result<bool, AnswerError> {
    let graph = graph_tables(context).await?;
    let bytes = RenderConfig { bytes: config.table_bytes, ..RenderConfig::default() };
    Ok(graph.tables.render(&Relevance::default(), &bytes).whole)
}

/// Answers by the surest query.
///
/// # Errors
/// The graph's, the model's, and a limit that was reached.
pub async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &QueryConfig,
) -> Result<Outcome, AnswerError> {
    let asked = match context.workspace.has_graph() {
        true => without_preamble(context, question).await?,
        false => None,
    };
    let question = asked.as_ref().unwrap_or(question);
    run_beside(context, question, config, &[]).await.map(|queried| queried.outcome)
}

/// The answer of the surest reading.
pub struct Queried {
    /// The answer, or the reason why there is none.
    pub outcome: Outcome,
    /// Whether the first path was among the readings.
    pub weighed_path: bool,
    /// What the model's queries say of that path.
    pub of_path: OfPath,
}

/// The same, with paths among the readings that are chosen from.
pub async fn run_beside(
    context: &Context<'_>,
    question: &Question,
    config: &QueryConfig,
    paths: &[PathReading<'_>],
) -> Result<Queried, AnswerError> {
    let abstain = |reason: String| {
        let outcome = Outcome::abstain(reason, Vec::new());
        Ok(Queried { outcome, weighed_path: false, of_path: OfPath::Contest })
    };
    if !context.workspace.has_graph() {
        return abstain("this workspace has only APIs, and the method needs a graph to query".into());
    }
    if let Some(place) = impossible_place(question.text()) {
        return abstain(format!("“{place}” is not a valid rank"));
    }
    let graph = kinds::named_tables(context).await?;
    let graph = askers_nouns::as_called(context, graph, question.text()).await?;
    let respelt = spelling::respelt(context, question, &graph).await?;
    let question = respelt.as_ref().unwrap_or(question);
    let asked = AskedTokens::read(context, question.text()).await?;
    let named = graph.values.named(context.workspace, &graph.tables, question.text()).await?;
    let asking = Asking { question, graph, asked, config, named };
    if asking.graph.tables.tables.is_empty() {
        return abstain("the graph holds no tables: no entity has an ordinary relation".into());
    }
    let mut of_paths = Vec::new();
    let mut weighed_path = false;
    for (at, path) in paths.iter().enumerate() {
        let candidate = read::read_path(context, &asking, path).await?;
        weighed_path |= at == 0 && candidate.is_some();
        of_paths.extend(candidate);
    }
    let (candidates, failures) = {
        let _timer = context.ledger.enter(Stage::Plan);
        candidates(context, &asking, of_paths).await?
    };
    weigh(context, &asking, &candidates);
    let _timer = context.ledger.enter(Stage::Retrieve);
    let chosen = choose(&asking.of_tables(), &candidates);
    let outcome = answer::answer(context, &asking, chosen, failures).await?;
    let of_path = match weighed_path {
        true => of_the_path(&asking.of_tables(), &candidates),
        false => OfPath::Contest,
    };
    Ok(Queried { outcome, weighed_path, of_path })
}

/// Reports the features of each reading's confidence.
fn weigh(context: &Context<'_>, asking: &Asking<'_>, candidates: &[Candidate]) {
    for (candidate, (features, unexplained)) in
        candidates.iter().zip(features(&asking.of_tables(), candidates))
    {
        let named = FEATURES.iter().map(|name| (*name).to_owned()).zip(features.values()).collect();
        let cells = candidate.rows.rows.iter().flatten().flatten();
        context.trace.report(
            Stage::Plan,
            Event::Weighed {
                sql: candidate.bound.query.to_string(),
                features: named,
                confidence: features.confidence(),
                faults: unexplained.faults.iter().map(|fault| (*fault).to_owned()).collect(),
                left_out: unexplained.words().into_iter().map(str::to_owned).collect(),
                values: cells.take(TOLD).map(|cell| cell.name.clone()).collect(),
            },
        );
    }
}

/// Most values of a reading in the trace.
const TOLD: usize = 12;

/// Most tokens of each reply to one more request of the usual size; `None` if the question's calls
/// or tokens do not suffice for it.
fn room_for(context: &Context<'_>, config: &QueryConfig, replies: u32) -> Option<u32> {
    /// Tokens that a request adds to a reused beginning: the reason.
    const OWN: u64 = 100;
    /// A shorter reply may lack the end of its query.
    const LEAST: u32 = 120;
    let usage = context.ledger.usage();
    let computed = (usage.prompt_tokens + usage.completion_tokens).saturating_sub(usage.reused_tokens);
    let whole = usage.prompt_tokens / u64::from(usage.llm_calls.max(1));
    let next = if usage.reused_tokens > 0 { OWN } else { whole };
    let left = config.tokens.checked_sub(computed + next)? / u64::from(replies.max(1));
    let reply = u32::try_from(left).unwrap_or(u32::MAX).min(ask::MOST_TOKENS);
    (context.calls_left() > 0 && reply >= LEAST).then_some(reply)
}

/// The failure of a query that ignores a value in the question.
fn forgotten(asking: &Asking<'_>, prompt: &PromptParts, candidate: &Candidate) -> Option<Failure> {
    let tables = &asking.graph.tables;
    let query = &candidate.bound.query;
    let named = names_left_out(&asking.of_tables(), query).into_iter().next();
    let named = named.and_then(|(text, place)| {
        let (table, column) = tables.shown_as(place, &words_of(asking.question.text()))?;
        Some(format!("it does not use “{text}”, a value of {table}.{column}"))
    });
    // "How many demons" asks for the entities whose names contain the word.
    let in_names = || {
        let mut left_out = prompt.families.iter().filter(|(word, _)| !speaks_of(word, query, tables));
        left_out.next().map(|(word, hint)| format!("it does not use “{word}”: {hint}"))
    };
    let reason = named.or_else(in_names)?;
    Some(Failure { sql: query.to_string(), reason, declined: false, unbound: false })
}

/// The readings: the likeliest query, a repaired query if that failed, and the likeliest others if
/// the best reading is doubtful.
async fn candidates(
    context: &Context<'_>,
    asking: &Asking<'_>,
    of_paths: Vec<Candidate>,
) -> Result<(Vec<Candidate>, Vec<Failure>), AnswerError> {
    let (mut candidates, mut failures) = (of_paths, Vec::new());
    let examples = solved_queries(context, asking.question.text()).await?;
    let prompt = ask::prompt(asking, examples);
    let first = ask::write(context, &prompt, Asked::Likeliest, ask::MOST_TOKENS).await?;
    let is_sure =
        |candidates: &[Candidate]| best_confidence(&asking.of_tables(), candidates) >= asking.config.sure;
    let path_is_sure = is_sure(&candidates);
    let mut declined = false;
    match read::read(context, asking, &first).await? {
        Ok(candidate) => {
            let forgotten = forgotten(asking, &prompt, &candidate);
            candidates.push(candidate);
            if let Some(failure) = forgotten
                && asking.config.repair
                && !path_is_sure
                && let Some(most) = room_for(context, asking.config, 1)
            {
                let written = ask::write(context, &prompt, Asked::Again(&failure), most).await?;
                if let Ok(candidate) = read::read(context, asking, &written).await? {
                    candidates.push(candidate.repaired());
                }
            }
        }
        Err(failure) => {
            declined = failure.declined;
            let mends = asking.config.repair && failure.may_be_mended() && !path_is_sure;
            if mends && let Some(most) = room_for(context, asking.config, 1) {
                let written = ask::write(context, &prompt, Asked::Again(&failure), most).await?;
                failures.push(failure);
                match read::read(context, asking, &written).await? {
                    Ok(candidate) => candidates.push(candidate.repaired()),
                    Err(failure) => failures.push(failure),
                }
            } else {
                failures.push(failure);
            }
        }
    }
    // What the likeliest queries tried in vain. An alternative that fails says nothing of them.
    let tried = tried(&candidates, &failures);
    let failed = failures.iter().filter_map(|failure| read_sql(&failure.sql, None).ok());
    let lacking: Vec<String> =
        failed.flat_map(|query| columns_lacking(&query, &asking.graph.tables)).collect();
    let wants_others = asking.config.alternatives > 0 && !declined && !is_sure(&candidates);
    if wants_others && let Some(most) = room_for(context, asking.config, asking.config.alternatives) {
        for other in ask::write_others(context, &prompt, &first, asking.config, most).await? {
            match read::read(context, asking, &other).await? {
                Ok(candidate) => candidates.push(candidate),
                Err(failure) => failures.push(failure),
            }
        }
    }
    let declined = failures.iter().filter(|failure| failure.declined).count();
    for candidate in &mut candidates {
        candidate.tried.clone_from(&tried);
        candidate.lacking.clone_from(&lacking);
        candidate.declined = declined;
    }
    // The words alone may tell what no query of the model does. That it finds no table is then a
    // mistake of the model.
    if !context.plan_only() && !is_sure(&candidates) {
        candidates.extend(read::read_plain(context, asking).await?);
    }
    Ok((candidates, failures))
}

/// The words of the queries that failed or gave no rows.
fn tried(candidates: &[Candidate], failures: &[Failure]) -> Vec<String> {
    let empty = candidates.iter().filter(|candidate| candidate.finds_nothing());
    let failed = failures.iter().filter_map(|failure| read_sql(&failure.sql, None).ok());
    let empty = empty.flat_map(|candidate| words_tried(&candidate.bound.query));
    failed.flat_map(|query| words_tried(&query)).chain(empty).collect()
}
