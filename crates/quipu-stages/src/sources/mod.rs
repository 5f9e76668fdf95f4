//! Several sources for one question: each is a workspace with its learnt data, and the APIs beside
//! its graph. Their graphs are walked as one. If a source is down, that is reported, and the rest
//! answer.

mod learnt;

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::time::Instant;

use quipu_graph::{ApiGraph, BETWEEN_SOURCES};
use quipu_language::{normalise, same_value};

use crate::answer::{AnswerError, Claim, Evidence, EvidenceContent, Note, Outcome, Question, Status};
use crate::ledger::{BestSoFar, Context, is_down};
use crate::link::{Mentioned, mentions};
use crate::plan::{domain_of, fit_of};

pub use learnt::MoreMemories;

/// A way to answer a question from one source: a method, or only a planner.
pub trait Way {
    /// Whether it walks one graph, so that several graphs are joined for it.
    fn walks_one_graph(&self) -> bool;
    /// Whether it reads the documents of a graph's entities. Those of several workspaces are read
    /// one after another.
    fn reads_documents(&self) -> bool;
    /// Answers from one source.
    fn ask(
        &self,
        context: &Context<'_>,
        question: &Question,
    ) -> impl Future<Output = Result<Outcome, AnswerError>> + Send;
}

/// For methods that walk one graph. Joins all graphs into one and asks it; asks each API by itself.
/// If the method reads documents and a workspace has some, each workspace is asked by itself: no
/// path leads from the documents of one to those of another. The most confident answer wins; other
/// answers are noted as contradictions.
///
/// # Errors
/// The model's; those of a source only if no other source is left.
pub async fn ask_each(
    context: &Context<'_>,
    question: &Question,
    way: &impl Way,
    best: &BestSoFar,
) -> Result<Outcome, AnswerError> {
    let mut asked = Asked { context, question, way, best, outcomes: Vec::new(), failed: None };
    let mut workspaces = context.workspaces();
    let documents = workspaces.iter().any(|one| one.workspace.documents().is_some());
    let walks = way.walks_one_graph() && !(way.reads_documents() && documents);
    let joint = context.joint().filter(|_| walks);
    let joined = joint.as_ref().map(|joint| joint.workspace);
    if let Some(joint) = joint {
        workspaces.retain(|one| !one.workspace.has_graph());
        workspaces.insert(0, joint);
    } else if way.walks_one_graph() && workspaces.len() > 1 {
        workspaces = naming(&mut asked, workspaces).await?;
    }
    let started = Instant::now();
    let mut down = joined.map(|joined| joined.down(started)).unwrap_or_default();
    for workspace in workspaces {
        let mut outcome = ask_workspace(&workspace, question, way, best).await;
        // After a failure of one joined source, the others are asked without it.
        if let Err(error) = &outcome
            && is_down(error)
            && joined.is_some_and(|joined| std::ptr::eq(joined, workspace.workspace))
        {
            let rest = ask_workspace(&workspace, question, way, best).await;
            outcome = rest.or(outcome);
        }
        match outcome {
            Err(error) if is_down(&error) => asked.down(&workspace, error),
            outcome => asked.take(&workspace, outcome?),
        }
    }
    let outcome = asked.surest();
    if let Some(joined) = joined {
        down.extend(joined.down(started));
        down.sort();
        down.dedup_by(|one, other| one.0 == other.0);
        down.into_iter().for_each(|(source, reason)| context.trace.note(Note::SourceDown { source, reason }));
        if let Ok(outcome) = &outcome {
            tell_of_contradictions(context, &outcome.evidence);
        }
    }
    outcome
}

/// If another source matches the same words better by this much, a mention means something else
/// here.
const WEAKER: f64 = 0.2;

/// Drops the mentions of each source that another source matches much better: "Margit Carstensen"
/// is not a similar name if one graph has her.
pub fn without_weaker(all: &mut [Vec<Mentioned>]) {
    let known: Vec<(Range<usize>, f64)> =
        all.iter().flatten().filter_map(|m| Some((m.span.clone(), m.best()?.score))).collect();
    let is_weaker = |mention: &Mentioned| {
        let score = mention.best().map_or(0.0, |anchor| anchor.score);
        let overlaps = |span: &Range<usize>| span.start < mention.span.end && mention.span.start < span.end;
        known.iter().any(|(span, other)| overlaps(span) && *other > score + WEAKER)
    };
    for mentioned in all {
        mentioned.retain(|mention| !is_weaker(mention));
    }
}

/// Keeps the workspaces whose best match for a name in the question is about as good as any other
/// workspace's. If no workspace matches a name, all stay. Workspaces with APIs always stay, because
/// an API's knowledge is unknown without a request.
async fn naming<'c>(
    asked: &mut Asked<'_, 'c, impl Way>,
    workspaces: Vec<Context<'c>>,
) -> Result<Vec<Context<'c>>, AnswerError> {
    let (mut alive, mut mentioned) = (Vec::new(), Vec::new());
    for workspace in workspaces {
        match mentions(&workspace, asked.question.text()).await {
            Err(error) if is_down(&error) => asked.down(&workspace, error),
            found => {
                mentioned.push(found?);
                alive.push(workspace);
            }
        }
    }
    without_weaker(&mut mentioned);
    if mentioned.iter().all(Vec::is_empty) {
        return Ok(alive);
    }
    let all = alive.into_iter().zip(mentioned);
    let knows = |context: &Context<'_>, mentioned: &[Mentioned]| {
        !mentioned.is_empty() || !context.apis.is_empty() || context.api().is_some()
    };
    Ok(all.filter(|(context, mentioned)| knows(context, mentioned)).map(|(context, _)| context).collect())
}

/// Asks one workspace, its graph first. If the graph gives no answer, the APIs beside it are asked
/// until one answers, the best-fitting first: those that know a name in the question, or all of
/// them if none does. Without a graph, only the APIs are asked.
///
/// # Errors
/// As [`ask_each`].
pub async fn ask_workspace(
    context: &Context<'_>,
    question: &Question,
    way: &impl Way,
    best: &BestSoFar,
) -> Result<Outcome, AnswerError> {
    if context.apis.is_empty() || !way.walks_one_graph() {
        return way.ask(context, question).await;
    }
    let mut asked = Asked { context, question, way, best, outcomes: Vec::new(), failed: None };
    let mut apis = context.apis_alone();
    let graph = context.alone();
    if context.workspace.has_graph() {
        asked.ask(&graph).await?;
        if asked.outcomes.iter().any(|(_, outcome)| outcome.status != Status::Abstained) {
            return asked.surest();
        }
    } else {
        apis.insert(0, graph);
    }
    let knowing = knowing(&mut asked, apis).await?;
    for api in best_fit_first(context, question, knowing).await? {
        asked.ask(&api).await?;
        if asked.outcomes.iter().any(|(_, outcome)| outcome.status != Status::Abstained) {
            break;
        }
    }
    asked.surest()
}

/// Sorts APIs by how well their best operation fits the question.
async fn best_fit_first<'c>(
    context: &Context<'_>,
    question: &Question,
    apis: Vec<Context<'c>>,
) -> Result<Vec<Context<'c>>, AnswerError> {
    if apis.len() < 2 {
        return Ok(apis);
    }
    let operations = |api: &Context<'c>| api.api().map_or(&[][..], |api| &api.service().operations);
    let all: Vec<_> = apis.iter().flat_map(operations).collect();
    let mut fits = fit_of(context, question.text(), &all).await?.into_iter();
    let mut ranked: Vec<(f32, Context<'c>)> = Vec::new();
    for api in apis {
        let own = fits.by_ref().take(operations(&api).len());
        ranked.push((own.fold(0.0, f32::max), api));
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(ranked.into_iter().map(|(_, api)| api).collect())
}

/// Keeps the APIs of the question's field, by rules, that know a name in it; no model is asked. If
/// none knows a name, all APIs of the field.
async fn knowing<'c>(
    asked: &mut Asked<'_, 'c, impl Way>,
    apis: Vec<Context<'c>>,
) -> Result<Vec<Context<'c>>, AnswerError> {
    let graphs: Vec<&ApiGraph> = apis.iter().filter_map(Context::api).collect();
    let field = domain_of(asked.question.text(), &graphs);
    let of_field = |context: &Context<'_>| {
        let domains = context.api().map(|api| api.service().domains()).unwrap_or_default();
        field.as_deref().is_none_or(|field| domains.is_empty() || domains.contains(&field))
    };
    let mut knowing = Vec::new();
    let mut others = Vec::new();
    for api in apis.into_iter().filter(of_field) {
        match mentions(&api, asked.question.text()).await {
            Err(error) if is_down(&error) => asked.down(&api, error),
            Err(error) => return Err(error),
            Ok(found) if found.is_empty() => others.push(api),
            Ok(_) => knowing.push(api),
        }
    }
    Ok(if knowing.is_empty() { others } else { knowing })
}

/// The answers of the sources to one question.
struct Asked<'a, 'c, W> {
    context: &'a Context<'c>,
    question: &'a Question,
    way: &'a W,
    best: &'a BestSoFar,
    outcomes: Vec<(Claim, Outcome)>,
    failed: Option<AnswerError>,
}

impl<W: Way> Asked<'_, '_, W> {
    async fn ask(&mut self, source: &Context<'_>) -> Result<(), AnswerError> {
        match self.way.ask(source, self.question).await {
            Err(error) if is_down(&error) => self.down(source, error),
            outcome => self.take(source, outcome?),
        }
        Ok(())
    }

    fn take(&mut self, source: &Context<'_>, outcome: Outcome) {
        let best = self.outcomes.iter().map(|(_, o)| o.confidence).fold(0.0, f64::max);
        if outcome.status == Status::Answered && outcome.confidence > best {
            self.best.keep(outcome.clone());
        }
        self.outcomes.push((claim(source, outcome.answers.join(", ")), outcome));
    }

    fn down(&mut self, source: &Context<'_>, error: AnswerError) {
        source.note_down(&error);
        self.failed = Some(error);
    }

    /// The most confident answer; an error if every source failed.
    fn surest(mut self) -> Result<Outcome, AnswerError> {
        self.outcomes.sort_by(|(_, a), (_, b)| {
            let key = |o: &Outcome| (o.status == Status::Answered, o.confidence);
            key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let answered = self.outcomes.iter().skip(1).filter(|(_, o)| o.status == Status::Answered);
        let others: Vec<Claim> = answered.map(|(claim, _)| claim.clone()).collect();
        match (self.outcomes.into_iter().next(), self.failed) {
            (Some((first, outcome)), _) => {
                if others.iter().any(|other| !same_answers(&other.value, &first.value)) {
                    let claims = std::iter::once(first).chain(others).collect();
                    let about = self.question.text().to_owned();
                    self.context.trace.note(Note::Contradiction { about, claims });
                }
                Ok(outcome)
            }
            (None, Some(error)) => Err(error),
            (None, None) => Ok(Outcome::abstain("no source was asked", Vec::new())),
        }
    }
}

/// The claim of a source, with its date.
pub(crate) fn claim(source: &Context<'_>, value: String) -> Claim {
    let date = source.read_on().map(|date| date.to_string()).unwrap_or_default();
    Claim { source: source.graph().describe().name.clone(), date, value }
}

/// Notes a contradiction if sources give one value each for the same relation of an entity, and the
/// values differ.
pub fn tell_of_contradictions(context: &Context<'_>, evidence: &[Evidence]) {
    let all: Vec<Claim> = context.sources().iter().map(|source| claim(source, String::new())).collect();
    let known = |name: &str| all.iter().position(|claim| claim.source == name);
    let mut said: BTreeMap<(String, String), Vec<(String, Claim)>> = BTreeMap::new();
    for piece in evidence {
        let EvidenceContent::Triple { head, relation, tail, .. } = &piece.content else { continue };
        let staters = match known(&piece.source) {
            Some(_) => vec![piece.source.as_str()],
            None => piece.source.split(BETWEEN_SOURCES).collect(),
        };
        for source in staters {
            let of_source = known(source).and_then(|at| all.get(at));
            let date = of_source.map(|claim| claim.date.clone()).unwrap_or_default();
            let claim = Claim { source: source.to_owned(), date, value: tail.clone() };
            let about = (normalise(head), normalise(relation));
            said.entry(about).or_default().push((format!("{head} | {relation}"), claim));
        }
    }
    for mut claims in said.into_values() {
        claims.sort_by_key(|(_, claim)| known(&claim.source));
        let sources: HashSet<&str> = claims.iter().map(|(_, claim)| claim.source.as_str()).collect();
        let one_each = sources.len() == claims.len() && sources.len() > 1;
        let Some((about, first)) = claims.first() else { continue };
        if one_each && claims.iter().any(|(_, claim)| !same_value(&claim.value, &first.value)) {
            let about = about.clone();
            let claims = claims.iter().map(|(_, claim)| claim.clone()).collect();
            context.trace.note(Note::Contradiction { about, claims });
        }
    }
}

/// Whether two lists share a value. Such lists do not contradict each other, because one graph may
/// know more than another.
fn same_answers(one: &str, other: &str) -> bool {
    one.split(", ").any(|one| other.split(", ").any(|other| same_value(one, other)))
}
