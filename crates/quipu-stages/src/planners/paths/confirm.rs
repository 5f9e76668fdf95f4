//! Yes-or-no questions about one entity: "is Emma a comedy?", "was Lima founded in 1535?", "is its
//! area over 300?".
//!
//! The question claims something that a path could reach: a name, a value, a bound. A "no" needs a
//! path that is surely meant and leads to other things of that kind, and all of them must have been
//! compared.

use std::collections::HashSet;
use std::ops::Range;

use quipu_graph::{LiteralValue, NodeId, Step};
use quipu_language::{Condition, Language, same_value, value_of_node, values_said, words};

use super::check::{SURE_OF_NO, unsure, verdict};
use super::{PathsConfig, RunPath, is_measure};
use crate::answer::{AnswerError, Outcome};
use crate::ledger::Context;
use crate::link::{Mentioned, apart, names_passed_over};

/// From this value on, a question word counts as explained.
const EXPLAINED: f32 = 0.55;
/// Most values of a path that are compared with a claim.
const MOST_ENDS: usize = 1000;

/// The entity in the question, and the parts of the question that it may ask to confirm.
pub(super) struct Confirmation<'a> {
    pub(super) question: &'a str,
    pub(super) condition: Option<&'a Condition>,
    pub(super) mentioned: &'a [Mentioned],
    pub(super) runs: &'a [RunPath],
}

/// A claim: something that a path may lead to.
struct Claim {
    /// Its words, normalised.
    words: Vec<String>,
    /// The entities that they may name.
    nodes: Vec<NodeId>,
    /// The number or date that they require.
    measure: Option<Measure>,
    /// Whether they count the noun that follows: "3 films", "5 million inhabitants".
    of_something: bool,
}

enum Measure {
    /// "in 1535"
    Is(String),
    /// "above 15 million"
    Satisfies(Condition),
}

/// A path that leads to the kind of thing claimed.
struct Fitting<'a> {
    run: &'a RunPath,
    confidence: f64,
    /// The claimed entities or values that it reaches.
    reached: Vec<NodeId>,
    /// Whether it reaches none, but some ends could not be read or compared.
    open: bool,
}

impl Fitting<'_> {
    /// Sorting order: first a path that confirms with enough confidence, then the path with the
    /// most confidence.
    fn rank(&self, config: &PathsConfig) -> (bool, f64) {
        (!self.reached.is_empty() && self.confidence >= config.least_confidence, self.confidence)
    }
}

impl Confirmation<'_> {
    /// The answer to the claims; `None` if the question claims nothing that a path could reach.
    pub(super) async fn answer(
        &self,
        context: &Context<'_>,
        config: &PathsConfig,
    ) -> Result<Option<Outcome>, AnswerError> {
        let language = Language::of(self.question);
        let said = words(self.question);
        let texts: Vec<&str> = said.iter().map(|word| word.text.as_str()).collect();
        if texts.iter().any(|word| language.asks_for_a_thing(word)) {
            return Ok(None);
        }
        let claims = self.claims(context).await?;
        let mut best: Option<Fitting> = None;
        for claim in &claims {
            for fitting in self.fitting(context, claim).await? {
                if best.as_ref().is_none_or(|known| known.rank(config) < fitting.rank(config)) {
                    best = Some(fitting);
                }
            }
        }
        let Some(Fitting { run, confidence, reached, open }) = best else {
            let claims = self.condition.is_some() || language.asks_about_being(&texts);
            return Ok(claims.then(|| {
                let reason = "the graph has no value of the kind that the question asks to confirm";
                Outcome::abstain(reason, Vec::new())
            }));
        };
        let least = if reached.is_empty() { SURE_OF_NO } else { config.least_confidence };
        let phrase = run.path.named.replacen('X', &run.anchor.name, 1);
        if confidence < least {
            return Ok(Some(unsure(&phrase, confidence)));
        }
        if open {
            let reason = format!("not every value of “{phrase}” can be compared with the question");
            return Ok(Some(Outcome::abstain(reason, Vec::new())));
        }
        verdict(context, run, &reached, confidence).await.map(Some)
    }

    async fn claims(&self, context: &Context<'_>) -> Result<Vec<Claim>, AnswerError> {
        if let Some(condition) = self.condition {
            let of_something = self.is_followed_by_a_noun(&condition.span);
            let measure = Some(Measure::Satisfies(condition.clone()));
            return Ok(vec![Claim { words: Vec::new(), nodes: Vec::new(), measure, of_something }]);
        }
        let language = Language::of(self.question);
        let said = |text: &str| words(text).into_iter().map(|word| word.text).collect::<Vec<_>>();
        let values = values_said(self.question);
        let named = names_passed_over(context, self.question, self.mentioned).await?;
        // "The 1990s" is not the year 1990.
        let in_full = |mention: &Mentioned| {
            !mention.text.contains(|c: char| c.is_ascii_digit()) || values.contains(&mention.span)
        };
        let mut claims: Vec<Claim> = (named.into_iter())
            .filter(in_full)
            .map(|mention| Claim {
                words: said(&mention.text),
                nodes: mention.candidates.iter().map(|candidate| candidate.node).collect(),
                measure: None,
                of_something: false,
            })
            .filter(|claim| claim.words.iter().any(|word| language.tells(word)))
            .collect();
        for span in values.iter().filter(|span| self.mentioned.iter().all(|m| apart(&m.span, span))) {
            let value = self.question.get(span.clone()).unwrap_or_default();
            let measure = Some(Measure::Is(value.to_owned()));
            let of_something = self.is_followed_by_a_noun(span);
            claims.push(Claim { words: said(value), nodes: Vec::new(), measure, of_something });
        }
        Ok(claims)
    }

    fn is_followed_by_a_noun(&self, span: &Range<usize>) -> bool {
        let next = words(self.question).into_iter().find(|word| word.start >= span.end);
        next.is_some_and(|word| Language::of(self.question).tells(&word.text))
    }

    /// The paths that reach the claim, or other things of its kind.
    async fn fitting(&self, context: &Context<'_>, claim: &Claim) -> Result<Vec<Fitting<'_>>, AnswerError> {
        let around = context.graph().relations_of(&claim.nodes).await?;
        let arriving: HashSet<Step> = around.into_iter().flatten().map(|used| used.step.reversed()).collect();
        let mut fitting = Vec::new();
        for run in self.runs {
            // "Did she write 3 books" asks for no value of her books.
            if claim.of_something && run.path.steps.len() > 1 {
                continue;
            }
            let mut found = Fitting { run, confidence: 0.0, reached: Vec::new(), open: run.walk.cut };
            found.reached.extend(claim.nodes.iter().filter(|node| run.ends.binary_search(node).is_ok()));
            let mut of_kind = run.path.steps.last().is_some_and(|last| arriving.contains(last));
            if let Some(measure) = &claim.measure {
                of_kind |= found.measure(context, measure).await?;
            }
            if of_kind || !found.reached.is_empty() {
                found.open &= found.reached.is_empty();
                fitting.push(found);
            }
        }
        let share: f64 = fitting.iter().map(|found| found.run.path.probability).sum();
        for found in &mut fitting {
            let mut path = found.run.path.clone();
            path.explain(|word| claim.words.iter().any(|said| said == word));
            // If the question says nothing else ("is it a comedy"), it may mean any path to that
            // kind of thing.
            let said = path.features.least_covered < EXPLAINED;
            let of_its_kind = path.probability / share.max(f64::MIN_POSITIVE);
            found.confidence = path.confidence(if said { path.probability } else { of_its_kind });
        }
        Ok(fitting)
    }
}

impl Fitting<'_> {
    /// Compares the numbers and dates at the path's end with a claim. Returns whether there are
    /// any.
    async fn measure(&mut self, context: &Context<'_>, measure: &Measure) -> Result<bool, AnswerError> {
        let looked_at = self.run.ends.get(..MOST_ENDS);
        self.open |= looked_at.is_some_and(|ends| ends.len() < self.run.ends.len());
        let ends = context.graph().summaries(looked_at.unwrap_or(&self.run.ends)).await?;
        let mut any = false;
        for end in ends {
            let value = value_of_node(end.literal.as_ref(), &end.name);
            if !is_measure(&value) {
                continue;
            }
            any = true;
            match measure.holds(&value, &end.name) {
                Some(true) => self.reached.push(end.node),
                Some(false) => {}
                None => self.open = true,
            }
        }
        Ok(any)
    }
}

impl Measure {
    /// Whether a value of the graph meets the measure; `None` if they cannot be compared.
    fn holds(&self, value: &LiteralValue, stated: &str) -> Option<bool> {
        match self {
            Self::Is(said) => is_the_same(stated, said),
            Self::Satisfies(condition) => condition.holds(value),
        }
    }
}

/// Whether the graph's value is the question's value: rounded, or a day within the question's year.
/// `None` if the graph is less precise than the question, such as a year against a day.
fn is_the_same(stated: &str, said: &str) -> Option<bool> {
    if same_value(said, stated) { Some(true) } else { (!same_value(stated, said)).then_some(false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_as_far_as_both_are_known() {
        let check = |stated: &str, said: &str, expected: Option<bool>| {
            assert_eq!(is_the_same(stated, said), expected, "{stated} {said}");
        };
        check("1982", "1982", Some(true));
        check("1982", "1985", Some(false));
        check("1535-01-18", "1535", Some(true));
        check("1535-01-18", "20 March 1535", Some(false));
        check("1535-01-18", "18 January 1535", Some(true));
        check("1535", "18 January 1535", None);
        check("1536", "18 January 1535", Some(false));
        check("31989256", "32 million", Some(true));
        check("31989256", "40 million", Some(false));
        check("31989", "31,989", Some(true));
    }
}
