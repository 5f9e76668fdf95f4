//! Metamorphic testing (Chen et al. 1998): questions about a graph's own facts and their twins,
//! which are negated, reversed, composed once too often, mistyped, and so on. The required relation
//! between the answers is known without gold answers, so the suite runs on any workspace.
//!
//! Facts are drawn from the graph, questions come from `templates.toml`, and a method answers them.
//! A refusal satisfies every rule; an answer that breaks its rule is wrong.

mod facts;
mod judge;
mod report;
mod templates;

use jiff::Zoned;
use quipu_answer::{AskOptions, Engine, Question, Status};
use quipu_index::Workspace;
use serde::{Deserialize, Serialize};

use crate::EvalError;
use crate::perturb::mistyped_name;
use crate::random::Random;
use facts::{Fact, Source};
use judge::{Against, judge};
pub use judge::{Held, Said, SaidHow, Unit};
pub use report::{KindCounts, MetamorphicReport, TwinOutcome};
pub use templates::Rule;
use templates::{BaseTemplate, End, Need, Templates, Truth, TwinTemplate, UnitTemplate, Words, filled};

/// Settings of a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetamorphicConfig {
    /// Most facts; each has at most one twin of each kind.
    pub facts: usize,
    /// Seed of all choices.
    pub seed: u64,
}

impl Default for MetamorphicConfig {
    fn default() -> Self {
        Self { facts: 20, seed: 0 }
    }
}

/// The questions of a suite.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MetamorphicSuite {
    /// Cases by fact.
    pub cases: Vec<Case>,
    /// Kinds of twin, in the order of the tables.
    pub kinds: Vec<String>,
    /// Seed of all choices.
    pub seed: u64,
}

/// A fact with its questions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Case {
    /// The fact in words: head, relation, tail.
    pub fact: [String; 3],
    /// Base questions of the twins.
    pub bases: Vec<Base>,
    /// The twins.
    pub twins: Vec<Twin>,
}

/// A question about the fact.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Base {
    /// The row of the templates.
    pub name: String,
    /// The question.
    pub question: String,
    /// The right answer, by the graph.
    pub truth: Vec<String>,
}

/// A question whose answer must satisfy a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Twin {
    /// The change of the base.
    pub kind: String,
    /// Index of its base in [`Case::bases`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// The question.
    pub question: String,
    /// The rule.
    pub rule: Rule,
    /// The graph's statements about it; for [`Rule::Complement`] all things of its kind, if the
    /// graph tells them and they are few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stated: Vec<String>,
    /// The unit that it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
}

/// Draws facts of a workspace's graph and writes their questions; the same for the same graph and
/// seed.
///
/// # Errors
/// Errors of the graph and the index; [`EvalError::Usage`] if the graph has no suitable fact.
pub async fn metamorphic_suite(
    workspace: &Workspace,
    config: &MetamorphicConfig,
) -> Result<MetamorphicSuite, EvalError> {
    let templates = Templates::read()?;
    let source = Source::of(workspace)?;
    let mut random = Random::new(config.seed);
    let facts = source.draw(config.facts, &mut random).await?;
    if config.facts == 0 {
        return Err(EvalError::Usage("a suite over 0 facts asks nothing: raise the limit".into()));
    }
    if facts.is_empty() {
        let message = "no fact of the graph can be asked about: its entities share their names, or have none";
        return Err(EvalError::Usage(message.into()));
    }
    let mut writer = Writer { templates: &templates, source: &source, random: &mut random, turn: 0 };
    let mut cases = Vec::with_capacity(facts.len());
    for fact in &facts {
        cases.push(writer.case(fact).await?);
    }
    let kinds = templates.kinds().into_iter().map(str::to_owned).collect();
    Ok(MetamorphicSuite { cases, kinds, seed: config.seed })
}

/// Asks all questions of a suite in sequence and judges the answers. `asked` gets each twin's
/// outcome.
///
/// # Errors
/// None from questions; a failed question is counted.
pub async fn metamorphic(
    engine: &Engine,
    options: &AskOptions,
    suite: &MetamorphicSuite,
    now: &Zoned,
    asked: impl FnMut(&TwinOutcome),
) -> MetamorphicReport {
    let ask = async |text: &str| ask_engine(engine, options, now, text).await;
    let outcomes = ask_suite(suite, ask, asked).await;
    MetamorphicReport::of(suite, &options.name(), engine.model_name(), outcomes)
}

async fn ask_engine(engine: &Engine, options: &AskOptions, now: &Zoned, text: &str) -> Said {
    let failed = |reason: String| Said {
        ended: SaidHow::Failed,
        values: Vec::new(),
        reason: Some(reason),
        remarks: Vec::new(),
    };
    let question = match Question::new(text, now.clone()) {
        Ok(question) => question,
        Err(error) => return failed(error.to_string()),
    };
    match crate::runner::ask(engine, question, options.clone()).await {
        Err(failure) => failed(failure.reason),
        Ok(answer) => {
            let is_answer = answer.status == Status::Answered && !answer.answers.is_empty();
            let mends = answer.readings.into_iter().next().map(|reading| reading.mends).unwrap_or_default();
            // As a reader of the JSON sees them.
            let notes = answer.notes.iter().filter_map(|note| serde_json::to_string(note).ok());
            Said {
                ended: if is_answer { SaidHow::Answered } else { SaidHow::Refused },
                values: answer.answers,
                reason: answer.reason,
                remarks: notes.chain(mends).collect(),
            }
        }
    }
}

/// The bases' answers by case, and the twins' outcomes.
#[derive(Debug, Clone, PartialEq, Default)]
struct Outcomes {
    bases: Vec<(Base, Said)>,
    twins: Vec<TwinOutcome>,
}

async fn ask_suite(
    suite: &MetamorphicSuite,
    ask: impl AsyncFn(&str) -> Said,
    mut asked: impl FnMut(&TwinOutcome),
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for case in &suite.cases {
        let mut bases = Vec::with_capacity(case.bases.len());
        for base in &case.bases {
            bases.push((base, ask(&base.question).await));
        }
        for twin in &case.twins {
            let said = ask(&twin.question).await;
            let base = twin.base.and_then(|at| bases.get(at));
            let truth = base.map_or(&[][..], |(base, _)| &base.truth);
            let against = Against {
                base: base.map(|(_, said)| said),
                truth,
                stated: &twin.stated,
                unit: twin.unit.as_ref(),
            };
            let outcome = TwinOutcome {
                kind: twin.kind.clone(),
                question: twin.question.clone(),
                rule: twin.rule,
                held: judge(twin.rule, &said, &against),
                said,
                base: base.map(|(base, said)| (base.question.clone(), said.values.clone())),
                expected: if twin.rule == Rule::Stated { twin.stated.clone() } else { truth.to_vec() },
            };
            asked(&outcome);
            outcomes.twins.push(outcome);
        }
        outcomes.bases.extend(bases.into_iter().map(|(base, said)| (base.clone(), said)));
    }
    outcomes
}

/// Writes the questions of facts.
struct Writer<'a> {
    templates: &'a Templates,
    source: &'a Source<'a>,
    random: &'a mut Random,
    /// Number of facts so far: the rows of one kind take turns.
    turn: usize,
}

impl Writer<'_> {
    async fn case(&mut self, fact: &Fact) -> Result<Case, EvalError> {
        let words = self.words(fact)?;
        let tail = fact.tail.name.clone();
        let mut case =
            Case { fact: [fact.head.name.clone(), fact.relation.clone(), tail], ..Case::default() };
        for kind in self.templates.kinds() {
            let rows: Vec<&TwinTemplate> =
                self.templates.twins.iter().filter(|twin| twin.kind == kind).collect();
            // The next row that fits the fact, in turn.
            for at in 0..rows.len() {
                let Some(row) = rows.get((self.turn + at) % rows.len()) else { continue };
                if let Some(twin) = self.twin(row, fact, &words, &mut case.bases).await? {
                    case.twins.push(twin);
                    break;
                }
            }
        }
        self.turn += 1;
        Ok(case)
    }

    /// The values of the placeholders.
    fn words(&mut self, fact: &Fact) -> Result<Words, EvalError> {
        let mut words: Words = [
            ("head", fact.head.name.clone()),
            ("relation", fact.relation.clone()),
            ("tail", fact.tail.name.clone()),
        ]
        .into();
        let typo = match mistyped_name(&fact.head.name, self.random) {
            // A mistyped name must not be another entity's name.
            Some(typo) if self.source.bearers(&typo)? == 0 => Some(typo),
            _ => None,
        };
        let absent = self.absent_name()?;
        let unit = self.other_unit(&fact.relation);
        let (second_relation, second_tail) = fact.second.clone().unzip();
        let optional = [
            ("kind", fact.kind.clone()),
            ("tail_kind", fact.tail_kind.clone()),
            ("second_relation", second_relation),
            ("second_tail", second_tail),
            ("typo", typo),
            ("absent", absent),
            ("unit", unit.map(|unit| unit.name.clone())),
        ];
        words.extend(optional.into_iter().filter_map(|(name, word)| Some((name, word?))));
        Ok(words)
    }

    /// The next unit in turn that a relation's name does not say: "height in miles" is in miles
    /// already.
    fn other_unit(&self, relation: &str) -> Option<&UnitTemplate> {
        let units = &self.templates.units;
        let relation = relation.to_lowercase();
        let is_other = |unit: &&UnitTemplate| !relation.contains(unit.name.trim_end_matches('s'));
        (0..units.len()).filter_map(|at| units.get((self.turn + at) % units.len())).find(is_other)
    }

    /// A made-up name that the graph lacks; `None` if it has them all.
    fn absent_name(&self) -> Result<Option<String>, EvalError> {
        let names = &self.templates.names;
        for at in 0..names.len() {
            if let Some(name) = names.get((self.turn + at) % names.len())
                && self.source.bearers(&name.name)? == 0
            {
                return Ok(Some(name.name.clone()));
            }
        }
        Ok(None)
    }

    /// The twin with its base, which is added if it is new; `None` if the row does not fit the
    /// fact.
    async fn twin(
        &self,
        row: &TwinTemplate,
        fact: &Fact,
        words: &Words,
        bases: &mut Vec<Base>,
    ) -> Result<Option<Twin>, EvalError> {
        let Some(question) = filled(&row.text, words).filter(|_| has(fact, &row.needs)) else {
            return Ok(None);
        };
        let stated = match row.from {
            None if row.rule == Rule::Complement => Some(self.source.things_like(&fact.tail).await?),
            None => Some(Vec::new()),
            Some(end) => {
                let from = if end == End::Head { fact.head.node } else { fact.tail.node };
                self.source.walk(from, fact.step, row.steps).await?
            }
        };
        let base = match &row.base {
            None => None,
            Some(name) => {
                let row = self.templates.bases.iter().find(|base| base.name == *name);
                let Some(base) = row.and_then(|row| base(row, fact, words)) else { return Ok(None) };
                let known = bases.iter().position(|known| known.name == base.name);
                Some(known.unwrap_or_else(|| {
                    bases.push(base);
                    bases.len() - 1
                }))
            }
        };
        let named = words.get("unit").filter(|_| row.rule == Rule::Unit);
        let unit = self.templates.units.iter().find(|unit| Some(&unit.name) == named);
        let unit = unit.map(|unit| Unit { name: unit.name.clone(), factors: unit.factors.clone() });
        let twin = |stated| Twin { kind: row.kind.clone(), base, question, rule: row.rule, stated, unit };
        Ok(stated.map(twin))
    }
}

/// The base question; `None` if the row does not fit the fact.
fn base(row: &BaseTemplate, fact: &Fact, words: &Words) -> Option<Base> {
    let truth = match row.truth {
        Truth::Tails => fact.tails.clone(),
        Truth::Heads => fact.heads.clone()?,
        Truth::Yes => vec!["yes".to_owned()],
    };
    let question = filled(&row.text, words).filter(|_| has(fact, &row.needs))?;
    Some(Base { name: row.name.clone(), question, truth })
}

fn has(fact: &Fact, needs: &[Need]) -> bool {
    needs.iter().all(|need| match need {
        Need::Number => fact.is_number(),
        Need::Entity => fact.is_of_entities(),
    })
}

#[cfg(test)]
mod tests;
