//! From planned calls to evidence: makes the calls, follows links, trims the records.

use std::collections::HashSet;
use std::sync::Arc;

use futures::future::try_join_all;
use parking_lot::Mutex;
use quipu_graph::{ApiGraph, Fill, Graph as _, GraphError, KindId, OperationId, Record, ValueType};
use quipu_index::text::{ChunkLimits, Format, chunks};
use quipu_language::{TimeFrame, is_naming_field};
use quipu_stages::answer::{
    AnswerError, Event, Evidence, EvidenceContent, MOST_PASSAGE, Note, Question, Stage,
};
use quipu_stages::ledger::Context;
use quipu_stages::plan::{
    AlignedName, PlannedCall, Subject, align_names, fit_of_operations, plain_words, plan_calls,
};
use quipu_stages::prune::trim_records;
use quipu_stages::retrieve::{best_within_budget, nearest_texts};

use super::links::{
    LinkField, MOST_LINKED, asked_links, described, is_asked_beyond, link_fields, name_links, of_the_named,
    of_the_said, spoken,
};

/// Most calls for the question itself.
const MOST_CALLS: usize = 16;
/// After this many failures and no answer, a service counts as down and is not called again.
const MOST_FAILED: usize = 3;
/// An operation whose fit is below this share of the best one's is not called.
const LEAST_FIT: f32 = 0.6;
/// Most linked values that a further operation is called with.
const MOST_FURTHER: usize = 6;
/// A longer field is prose; tables show shorter fields whole.
const PROSE: usize = 300;
/// Most ids of a field that are named although the question does not ask for the field.
const MOST_NAMED: usize = 12;
/// From this many records on, those that name themselves are rows of one table.
const LEAST_TABLE: usize = 3;
/// Most passages kept from the prose of one call.
const MOST_PASSAGES: usize = 6;

/// The evidence from APIs.
#[derive(Debug, Default)]
pub struct ApiFindings {
    /// Records and passages, the best call's first.
    pub evidence: Vec<Evidence>,
    /// Pieces that did not fit the budget.
    pub left_out: usize,
    /// Sources that failed, with the error.
    pub missing: Vec<(String, GraphError)>,
}

/// Calls the APIs that know the subject's field. A failing source is reported, and the others
/// answer.
///
/// # Errors
/// The embedder's; the indexes'.
pub async fn retrieve_from_apis(
    context: &Context<'_>,
    apis: &[&ApiGraph],
    question: &Question,
    subject: &Subject,
    frames: &[TimeFrame],
    operations: usize,
) -> Result<ApiFindings, AnswerError> {
    let mut findings = ApiFindings::default();
    for api in apis {
        let failed = Mutex::default();
        let inquiry = Inquiry { context, api, question, subject, frames, operations, failed };
        let mut asked = inquiry.run().await;
        // An entity that the field's own kinds do not know may still have an article in an
        // encyclopedia.
        let nothing = matches!(&asked, Ok(evidence) if evidence.is_empty());
        if let (true, Some(subject)) = (nothing, subject.in_general(api)) {
            let inquiry = Inquiry { subject: &subject, failed: Mutex::default(), ..inquiry };
            asked = inquiry.run().await;
        }
        match asked {
            Ok(evidence) => findings.evidence.extend(evidence),
            Err(AnswerError::Graph(error)) => {
                let name = api.describe().name.clone();
                let reason = format!("source {name} failed: {error}");
                context.trace.report(Stage::Retrieve, Event::Degraded { reason });
                context.trace.note(Note::SourceDown { source: name.clone(), reason: error.to_string() });
                findings.missing.push((name, error));
            }
            Err(error) => return Err(error),
        }
    }
    // A record reached in two ways would say the same in two tables.
    let mut seen: HashSet<(String, String)> = HashSet::new();
    findings.evidence.retain(|piece| match &piece.content {
        EvidenceContent::Record(record) => seen.insert((piece.source.clone(), record.said())),
        _ => true,
    });
    let evidence = std::mem::take(&mut findings.evidence);
    (findings.evidence, findings.left_out) = best_within_budget(context, evidence);
    Ok(findings)
}

/// One question to one API.
struct Inquiry<'a> {
    context: &'a Context<'a>,
    api: &'a ApiGraph,
    question: &'a Question,
    subject: &'a Subject,
    frames: &'a [TimeFrame],
    operations: usize,
    /// The errors of failed calls; the results of the others stand.
    failed: Mutex<Vec<GraphError>>,
}

/// The result of a call.
struct Answered {
    operation: OperationId,
    about: String,
    records: Vec<Record>,
}

/// The result of a call along a link.
struct Further {
    /// The place of the call whose records have the link.
    from: usize,
    /// The link's field.
    link: String,
    answered: Answered,
}

impl Inquiry<'_> {
    async fn run(&self) -> Result<Vec<Evidence>, AnswerError> {
        let names = match align_names(self.api, self.subject, self.frames).await {
            Err(AnswerError::Index(quipu_index::IndexError::Graph(error))) => return Err(error.into()),
            other => other?,
        };
        let fits = fit_of_operations(self.context, self.api, self.question.text()).await?;
        let planned = plan_calls(self.api, self.subject, self.question, self.frames, &names, &fits);
        let chosen = self.choose(&planned);
        let mut answered = Vec::new();
        let mut served: HashSet<(OperationId, &str)> = HashSet::new();
        for call in chosen {
            let name = call.entity.as_ref().and_then(|entity| {
                names.iter().find(|name| name.candidates.contains(entity)).map(|name| name.name.as_str())
            });
            // The next candidate of a name is called only if the one before gave nothing.
            let first = name
                .and_then(|name| names.iter().find(|n| n.name == name))
                .and_then(|n| n.candidates.first());
            if name.is_some_and(|name| served.contains(&(call.operation, name)))
                && first != call.entity.as_ref()
            {
                continue;
            }
            let own = call.entity.as_ref().map(|entity| entity.kind);
            let records = of_the_named(self.or_nothing(self.records(call).await), &names, own);
            let records = of_the_said(records, self.question.text());
            if answered.is_empty() && self.failed.lock().len() >= MOST_FAILED {
                break;
            }
            if records.is_empty() {
                continue;
            }
            served.extend(name.map(|name| (call.operation, name)));
            answered.push(Answered { operation: call.operation, about: call.about.clone(), records });
        }
        let best = fits.iter().copied().fold(0.0, f32::max);
        let further = self.further(&answered, &fits, best).await?;
        self.leave_to_the_linked(&mut answered, &further, &names);
        answered.extend(further.into_iter().map(|further| further.answered));
        let mut evidence = Vec::new();
        for one in &answered {
            evidence.extend(self.evidence(one).await?);
        }
        let first = self.failed.lock().drain(..).next();
        match first {
            Some(error) if evidence.is_empty() => Err(error.into()),
            Some(error) => {
                let source = self.api.describe().name.clone();
                self.context.trace.note(Note::SourceDown { source, reason: error.to_string() });
                Ok(evidence)
            }
            None => Ok(evidence),
        }
    }

    /// The result of a call, or nothing if it failed. The failure is reported and does not end the
    /// question.
    fn or_nothing<T: Default>(&self, given: Result<T, GraphError>) -> T {
        given.unwrap_or_else(|error| {
            let reason = format!("an API call failed: {error}");
            self.context.trace.report(Stage::Retrieve, Event::Degraded { reason });
            self.failed.lock().push(error);
            T::default()
        })
    }

    /// The calls of the best operations.
    fn choose<'b>(&self, planned: &'b [PlannedCall]) -> Vec<&'b PlannedCall> {
        let best = planned.first().map_or(0.0, |call| call.fit);
        let mut kept: Vec<OperationId> = Vec::new();
        let mut chosen = Vec::new();
        for call in planned.iter().filter(|call| call.fit >= best * LEAST_FIT) {
            if !kept.contains(&call.operation) {
                if kept.len() >= self.operations {
                    continue;
                }
                kept.push(call.operation);
            }
            chosen.push(call);
        }
        chosen.truncate(MOST_CALLS);
        let name =
            |id: &OperationId| self.api.service().operation(*id).map(|operation| operation.name.clone());
        let kept: Vec<String> = kept.iter().filter_map(name).collect();
        let dropped = planned.len() - chosen.len();
        self.context
            .trace
            .report(Stage::Plan, Event::Filtered { hop: 1, kept, dropped, by: "similarity".into() });
        chosen
    }

    /// The records of a call; for an entity that is known already, its own records.
    async fn records(&self, call: &PlannedCall) -> Result<Vec<Record>, GraphError> {
        let operation = self.api.service().operation(call.operation);
        if let (Some(operation), Some(entity)) = (operation, &call.entity)
            && operation.gives == Some(entity.kind)
            && self.api.service().kind(entity.kind).is_some_and(|kind| !kind.id.is_empty())
        {
            return Ok(self.api.records_of(entity.kind, &entity.key).await?.to_vec());
        }
        Ok(self.api.call(call.operation, &call.arguments).await?.to_vec())
    }

    /// One more hop, along the links that the question asks for: the linked entities, and the
    /// results of operations on them.
    async fn further(
        &self,
        answered: &[Answered],
        fits: &[f32],
        best: f32,
    ) -> Result<Vec<Further>, AnswerError> {
        let mut found = Vec::new();
        for (from, one) in answered.iter().enumerate() {
            let kept =
                trim_records(self.context, self.question.text(), self.frames, &one.records).await?.records;
            let shown: HashSet<&str> = kept.iter().map(|record| record.path.as_str()).collect();
            let shown: Vec<Record> =
                one.records.iter().filter(|record| shown.contains(record.path.as_str())).cloned().collect();
            for field in self.asked_links(one.operation, &shown).await? {
                let mut along = self.linked(one, &field).await;
                along.extend(self.started(field.kind, &field.values, fits, best).await?);
                let link = &field.name;
                found.extend(along.into_iter().map(|answered| Further {
                    from,
                    link: link.clone(),
                    answered,
                }));
            }
        }
        Ok(found)
    }

    /// Removes from records the fields that the question asks of what they link to: of Ghana with
    /// its capital, its own population, if "the population of the capital" is asked for.
    fn leave_to_the_linked(&self, answered: &mut [Answered], further: &[Further], names: &[AlignedName]) {
        for Further { from, link, answered: linked } in further {
            let Some(one) = answered.get_mut(*from) else { continue };
            let has = |name: &str| linked.records.iter().any(|record| !record.values(name).is_empty());
            let operation = one.operation;
            let link_said = described(self.api, operation, link);
            let is_beyond = |name: &str| {
                name != link
                    && has(name)
                    && is_asked_beyond(
                        self.question.text(),
                        names,
                        &described(self.api, operation, name),
                        &link_said,
                    )
            };
            for record in &mut one.records {
                record.fields.retain(|field| !is_beyond(&field.name));
            }
        }
    }

    async fn asked_links(
        &self,
        operation: OperationId,
        records: &[Record],
    ) -> Result<Vec<LinkField>, AnswerError> {
        let named: Vec<String> =
            self.subject.entities.iter().flat_map(|entity| plain_words(&entity.name)).collect();
        asked_links(self.context, self.api, operation, (self.question.text(), &named), records).await
    }

    /// The entities behind the ids of a field, grouped by the record that links to them.
    async fn linked(&self, from: &Answered, field: &LinkField) -> Vec<Answered> {
        let details = self.api.service().kind(field.kind).and_then(|kind| kind.details);
        let Some(operation) = details else { return Vec::new() };
        let (mut found, mut left) = (Vec::new(), MOST_LINKED);
        for record in &from.records {
            let own =
                record.fields.iter().filter(|own| own.name == field.name && own.link == Some(field.kind));
            let ids = own.flat_map(|own| &own.values).filter(|id| field.values.contains(id));
            let ids: Vec<&String> = ids.take(left).collect();
            left -= ids.len();
            let fetched = try_join_all(ids.into_iter().map(|id| self.api.records_of(field.kind, id))).await;
            let fetched: Vec<Arc<Vec<Record>>> = self.or_nothing(fetched);
            let table = format!("{}: {}", record.table, spoken(&field.name));
            let mut records: Vec<Record> =
                fetched.iter().flat_map(|all| all.iter().filter(|r| !r.nested)).cloned().collect();
            for linked in &mut records {
                linked.table.clone_from(&table);
                linked.label = None;
            }
            if !records.is_empty() {
                let about = record.label.clone().unwrap_or_else(|| from.about.clone());
                found.push(Answered { operation, about, records });
            }
        }
        found
    }

    /// The results of operations that start from the kind of a link and fit the question.
    async fn started(
        &self,
        kind: KindId,
        values: &[String],
        fits: &[f32],
        best: f32,
    ) -> Result<Vec<Answered>, AnswerError> {
        let mut found = Vec::new();
        for (at, operation) in self.api.service().operations.iter().enumerate() {
            let fit = fits.get(at).copied().unwrap_or(0.0);
            let same_field = operation.domain.is_empty() || operation.domain == self.subject.domain;
            let starts = operation.starts_from() == Some(kind) && operation.gives != Some(kind);
            let helper = operation.helper || !same_field || !starts || fit < best * LEAST_FIT;
            let taken = operation.takes.iter().find(|taken| taken.fill == Fill::Kind(kind));
            let (false, Some(taken)) = (helper, taken) else { continue };
            let mut values: Vec<String> = values.iter().take(MOST_FURTHER).cloned().collect();
            values.dedup();
            let lists = matches!(taken.parameter.value_type, ValueType::List | ValueType::IntegerList);
            let calls: Vec<Vec<String>> =
                if lists { vec![values] } else { values.into_iter().map(|v| vec![v]).collect() };
            for values in calls {
                let about = match values.as_slice() {
                    [only] => self.or_nothing(self.api.label(kind, only).await),
                    _ => String::new(),
                };
                let arguments = [(taken.parameter.name.clone(), values)];
                let called = self.api.call(OperationId(at), &arguments).await;
                let records = self.or_nothing(called).to_vec();
                found.push(Answered { operation: OperationId(at), about, records });
            }
        }
        Ok(found)
    }

    async fn evidence(&self, one: &Answered) -> Result<Vec<Evidence>, AnswerError> {
        let source = &self.api.describe().name;
        let mut records = one.records.clone();
        let mut links = self.asked_links(one.operation, &records).await?;
        // An id tells nothing, also where the question does not ask for what it links to.
        let few = link_fields(&records).into_iter().filter(|field| field.values.len() <= MOST_NAMED);
        links.extend(few.filter(|field| !links.contains(field)).collect::<Vec<_>>());
        self.or_nothing(name_links(self.api, &mut records, &links).await);
        let mut trimmed = trim_records(self.context, self.question.text(), self.frames, &records).await?;
        let prose = take_prose(&mut trimmed.records, &one.about);
        in_one_table(&mut trimmed.records);
        let texts: Vec<(&str, &str)> = prose.iter().map(|(of, text)| (of.as_str(), text.as_str())).collect();
        let best = nearest_texts(self.context, self.question.text(), &texts, MOST_PASSAGES).await?;
        let passage = |at: usize| prose.get(at).map(|(of, text)| Evidence::passage(source, of, text));
        let mut evidence: Vec<Evidence> = best.into_iter().filter_map(passage).collect();
        let records = trimmed.records.iter().filter(|record| !record.fields.is_empty());
        evidence.extend(records.map(|record| Evidence::of_record(source, &one.about, record)));
        Ok(evidence)
    }
}

/// Makes one table of records that name themselves: its rows need no headings of their own.
fn in_one_table(records: &mut [Record]) {
    let names_itself = |record: &Record| {
        let has = |label: &String| {
            let named = record.fields.iter().enumerate().find(|(_, field)| field.values.contains(label));
            named.is_some_and(|(at, field)| at == 0 || is_naming_field(&field.name))
        };
        !record.nested && record.label.as_ref().is_some_and(has)
    };
    if records.len() >= LEAST_TABLE && records.iter().all(names_itself) {
        records.iter_mut().for_each(|record| record.label = None);
    }
}

/// Moves prose fields out of the records, as passages of (entity, text).
fn take_prose(records: &mut [Record], about: &str) -> Vec<(String, String)> {
    let mut prose = Vec::new();
    for record in records {
        let of = record.label.clone().unwrap_or_else(|| about.to_owned());
        record.fields.retain(|field| {
            let text = field.values.join("\n");
            let long = text.chars().count() > PROSE && field.values.len() == 1;
            if long {
                let limits = ChunkLimits { least: PROSE / 2, most: MOST_PASSAGE };
                for chunk in chunks(&text, Format::Plain, limits) {
                    prose.push((of.clone(), text.get(chunk.start..chunk.end).unwrap_or_default().to_owned()));
                }
            }
            !long
        });
    }
    prose
}
