//! Answers a nested question from the inside out. For "the capital of the most populous country
//! that borders Chad" it first finds the country, by whole paths and calculation, then its capital.
//! No model makes either choice.

use quipu_language::{Nested, nested, quantity, wanted};

use super::{MOST_LISTED, PathsConfig, operations_in_names, run_unread};
use crate::answer::{
    AnswerError, AnswerTable, Event, Evidence, Outcome, PlanStart, Planned, Question, Stage,
};
use crate::ledger::Context;
use crate::link::{Anchor, Mentioned, apart, mentions};

/// A question whose inner part was answered.
pub struct Settled {
    /// The question with the entity's name in the place of its description.
    pub question: Question,
    /// The entities found: several for "the three largest".
    anchors: Vec<Anchor>,
    plan: Option<Box<Planned>>,
    evidence: Vec<Evidence>,
    confidence: f64,
}

/// Answers the question inside the question. `None` if there is no inner question, if the graph has
/// no answer to it, or if it has more answers than the question asks for.
///
/// # Errors
/// The graph's, the embedder's.
pub async fn settle(
    context: &Context<'_>,
    question: &Question,
    config: &PathsConfig,
) -> Result<Option<Settled>, AnswerError> {
    let text = question.text();
    let nested = nested(text).filter(|_| context.anchors.is_empty() && context.embedder().is_some());
    let Some(Nested { span, extreme }) = nested else { return Ok(None) };
    let described = text.get(span.clone()).unwrap_or_default();
    // "The Longest Day" is a name, and so may be "highest point".
    let mentioned = {
        let _timer = context.ledger.enter(Stage::Link);
        mentions(context, text).await?
    };
    let named = |mention: &Mentioned| mention.span.start <= span.start && extreme < mention.span.end;
    let named = mentioned.iter().any(named);
    let within = |mention: &&Mentioned| span.start <= mention.span.start && mention.span.end <= span.end;
    let inside: Vec<_> = mentioned.iter().filter(within).collect();
    if inside.is_empty() || named || wanted(text).compares || !operations_in_names(context, text).is_empty() {
        return Ok(None);
    }
    let inner = Question::new(&format!("What is {described}?"), question.asked_at().clone())?;
    context.trace.report(Stage::Plan, Event::Read { reading: format!("first, {described}") });
    let mut outcome = Box::pin(run_unread(context, &inner, config, 0)).await?.outcome;
    let plan = outcome.plan.take();
    let several = quantity(described).and_then(|quantity| quantity.places.most()).is_some();
    let most = if several { MOST_LISTED } else { 1 };
    let found = outcome.table.as_ref().map(AnswerTable::values).unwrap_or_default();
    let keys: Vec<&str> = found.iter().filter_map(|value| value.key.as_deref()).collect();
    if found.is_empty() || found.len() > most || keys.len() < found.len() {
        return Ok(None);
    }
    let [mut said, behind] =
        [text.get(..span.start), text.get(span.end..)].map(|t| t.unwrap_or_default().to_owned());
    let mut anchors = Vec::new();
    let nodes = context.graph().resolve(&keys).await?;
    for (at, (value, node)) in found.iter().zip(nodes).enumerate() {
        let (Some(node), name) = (node, &value.name) else { return Ok(None) };
        said += match at {
            0 => "",
            _ if at + 1 == found.len() => " and ",
            _ => ", ",
        };
        let span = said.len()..said.len() + name.len();
        said += name;
        let reason = format!("{described}, by calculation");
        anchors.push(Anchor { node, name: name.clone(), score: 1.0, reason, span });
    }
    let question = Question::new(&[said, behind].concat(), question.asked_at().clone())?;
    context.trace.report(Stage::Plan, Event::Restated { question: question.text().to_owned() });
    Ok(Some(Settled { question, anchors, plan, confidence: outcome.confidence, evidence: outcome.evidence }))
}

impl Settled {
    /// Whether several entities were found.
    pub(super) fn is_several(&self) -> bool {
        self.anchors.len() > 1
    }

    /// The mentions of the question, with the found entities in the place of their description.
    pub fn among(&self, mut mentioned: Vec<Mentioned>) -> Vec<Mentioned> {
        mentioned.retain(|mention| self.anchors.iter().all(|anchor| apart(&mention.span, &anchor.span)));
        let found = self.anchors.iter().map(|anchor| Mentioned {
            text: anchor.name.clone(),
            span: anchor.span.clone(),
            candidates: vec![anchor.clone()],
            score: 1.0,
            chosen: true,
        });
        mentioned.splice(0..0, found);
        mentioned
    }

    /// Adds the evidence of the inner question to the outcome, and takes the lower confidence of
    /// the two.
    pub fn complete(self, mut outcome: Outcome) -> Outcome {
        // The outer part's plan alone does not answer the whole question.
        let plan = match (outcome.plan.take(), self.plan) {
            (Some(outer), Some(inner)) if matches!(outer.start, PlanStart::Entity(node, _) if self.anchors.iter().any(|a| a.node == node)) =>
            {
                let said = format!("{} ({})", outer.said, inner.said);
                Some(Box::new(Planned { start: PlanStart::Found(inner), said, ..*outer }))
            }
            _ => None,
        };
        let mut evidence = self.evidence;
        let known: Vec<String> = evidence.iter().map(|piece| piece.id.clone()).collect();
        evidence.extend(outcome.evidence.into_iter().filter(|piece| !known.contains(&piece.id)));
        Outcome { evidence, plan, confidence: outcome.confidence.min(self.confidence), ..outcome }
    }
}
