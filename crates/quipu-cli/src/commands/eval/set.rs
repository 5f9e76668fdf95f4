//! `--set key=value`: what methods do, by name.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Result;
use quipu_answer::{
    AnchorConfig, AnchorGrounding, AskOptions, CriticKind, Guide, HybridConfig, MethodConfig, Modules,
    Predictor, PseudoConfig, Ranking, RelationFilter, RouterKind, Verification,
};
use quipu_eval::AnchorSetting;

use crate::commands::ask::{KEPT_BY_SIMILARITY, KEPT_PATHS};
use crate::failure::WrongUsage;

/// Keys with what they set, for the help and for messages.
pub(super) const KEYS: &str = "anchors=open|gold, key_prefix=TEXT, max_hops=N, multi_hop=yes|no, llm_calls=N, seconds=N, \
evidence_tokens=N, kerag.max_hops=N, kerag.filter=model|similarity[:N]|paths[:N]|off, kerag.reasoning=yes|no, kerag.least_confidence=X, auto.sure=X, auto.sure_calculated=X, auto.least_confidence=X, auto.cards=yes|no, auto.untyped_sure=X, auto.untyped_least_confidence=X, \
auto.untyped_cards=yes|no, auto.untyped_sure_with_cards=X, auto.llm_calls=N, query.repair=yes|no, query.samples=N, \
query.temperature=X, query.sure=X, query.least_confidence=X, query.table_bytes=N, query.tokens=N, query.hints=yes|no, paths.max_hops=N, \
paths.mentions=N, paths.candidates=N, paths.run=N, paths.new_cards=N, paths.meet=N, paths.sure=X, paths.least_confidence=X, tokens=N, \
anchor.anchors=N, anchor.relations_scored=N, anchor.width=N, anchor.depth=N, anchor.candidates=N, anchor.shown=N, \
anchor.predictor=model|index, anchor.grounding=fused|relations|off, anchor.guide=paths|similarity|model, anchor.parallel=yes|no, \
pseudo.nearest=N, pseudo.least_similarity=X, pseudo.verification=model|similarity|off, pseudo.answer=marked|model, pseudo.relations=N, \
pseudo.sources=all|one, pseudo.most_triples=N, pseudo.around=N, pseudo.whole=N, anchor.triple_filter=yes|no, anchor.model_alone=yes|no, tog.width=N, tog.depth=N, question_match.k=N, question_match.whole=N, \
question_match.nearby=N, text.passages=N, tool_use.rounds=N, react.rounds=N, self_consistency.samples=N, \
self_consistency.temperature=X, corrective.passages=N, corrective.relations=N, corrective.radius=N, \
text.mode=hybrid|bm25|dense, text.compose=yes|no, hybrid.rounds=N, \
hybrid.modules=both|text|graph, hybrid.critic=model|off|oracle, hybrid.context=yes|no, hybrid.experiences=N, hybrid.read=N, \
hybrid.router=graph|model, hybrid.ranking=words|similarity, hybrid.accept=X, hybrid.radius=N, hybrid.likelihood=yes|no, hybrid.compose=yes|no";

/// What was set, in the order in which it was set.
#[derive(Debug, Clone, Default)]
pub(super) struct Assignments(Vec<(String, String)>);

impl Assignments {
    pub(super) fn parse(set: &[String]) -> Result<Self> {
        let pair = |text: &String| {
            let (key, value) = text.split_once('=').ok_or_else(|| {
                WrongUsage(format!("--set {text}: key=value was expected; the keys are {KEYS}"))
            })?;
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        };
        let assignments = Self(set.iter().map(pair).collect::<Result<_>>()?);
        // Said before anything is asked, whatever the method.
        assignments.apply(&mut AskOptions::default())?;
        assignments.anchors()?;
        Ok(assignments)
    }

    /// As results record it.
    pub(super) fn as_settings(&self) -> BTreeMap<String, String> {
        self.0.iter().cloned().collect()
    }

    pub(super) fn anchors(&self) -> Result<AnchorSetting> {
        match self.last("anchors") {
            None | Some("open") => Ok(AnchorSetting::Open),
            Some("gold") => Ok(AnchorSetting::Gold),
            Some(other) => {
                Err(WrongUsage(format!("--set anchors={other}: open or gold was expected")).into())
            }
        }
    }

    /// What stands before the question file's keys in the graph.
    pub(super) fn key_prefix(&self) -> Option<&str> {
        self.last("key_prefix")
    }

    fn last(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Sets what the options hold.
    pub(super) fn apply(&self, options: &mut AskOptions) -> Result<()> {
        for (key, value) in &self.0 {
            set(options, key, value)?;
        }
        Ok(())
    }
}

fn set(options: &mut AskOptions, key: &str, value: &str) -> Result<()> {
    let AskOptions { config, limits, .. } = options;
    match key {
        "anchors" | "key_prefix" => {}
        "max_hops" => {
            config.kerag.max_hops = parse(key, value)?;
            config.paths.walk.max_hops = parse(key, value)?;
        }
        "multi_hop" => {
            if !yes_or_no(key, value)? {
                config.kerag.max_hops = 1;
                config.paths.walk.max_hops = 1;
            }
        }
        "tokens" => limits.tokens = parse(key, value)?,
        "llm_calls" => limits.llm_calls = parse(key, value)?,
        "seconds" => limits.time = Duration::from_secs(parse(key, value)?),
        "evidence_tokens" => limits.evidence_tokens = parse(key, value)?,
        "kerag.max_hops" => config.kerag.max_hops = parse(key, value)?,
        "kerag.filter" => config.kerag.filter = filter(value)?,
        "kerag.reasoning" => config.kerag.reasoning = yes_or_no(key, value)?,
        "kerag.least_confidence" => config.kerag.least_confidence = parse(key, value)?,
        "auto.sure" => config.auto.typed.sure = parse(key, value)?,
        "auto.sure_calculated" => config.auto.typed.sure_calculated = parse(key, value)?,
        "auto.least_confidence" => config.auto.typed.least_confidence = parse(key, value)?,
        "auto.cards" => config.auto.typed.cards = yes_or_no(key, value)?,
        "auto.untyped_sure" => config.auto.untyped.sure = parse(key, value)?,
        "auto.untyped_least_confidence" => config.auto.untyped.least_confidence = parse(key, value)?,
        "auto.untyped_sure_with_cards" => config.auto.untyped.sure_with_cards = parse(key, value)?,
        "auto.untyped_cards" => config.auto.untyped.cards = yes_or_no(key, value)?,
        "auto.llm_calls" => config.auto.llm_calls = parse(key, value)?,
        "query.repair" => config.query.repair = yes_or_no(key, value)?,
        "query.samples" => config.query.samples = parse(key, value)?,
        "query.temperature" => config.query.temperature = parse(key, value)?,
        "query.sure" => config.query.sure = parse(key, value)?,
        "query.least_confidence" => config.query.least_confidence = parse(key, value)?,
        "query.table_bytes" => config.query.table_bytes = parse(key, value)?,
        "query.tokens" => config.query.tokens = parse(key, value)?,
        "query.hints" => config.query.hints = yes_or_no(key, value)?,
        "paths.max_hops" => config.paths.walk.max_hops = parse(key, value)?,
        "paths.mentions" => config.paths.mentions = parse(key, value)?,
        "paths.candidates" => config.paths.candidates = parse(key, value)?,
        "paths.run" => config.paths.run = parse(key, value)?,
        "paths.new_cards" => config.paths.new_cards = parse(key, value)?,
        "paths.meet" => config.paths.meet = parse(key, value)?,
        "paths.sure" => config.paths.sure = parse(key, value)?,
        "paths.least_confidence" => config.paths.least_confidence = parse(key, value)?,
        _ if key.starts_with("pseudo.") => set_pseudo(&mut config.pseudo, key, value)?,
        _ if key.starts_with("anchor.") => set_anchor(&mut config.anchor, key, value)?,
        _ if key.starts_with("hybrid.") => set_hybrid(&mut config.hybrid, key, value)?,
        _ => set_baseline(config, key, value)?,
    }
    Ok(())
}

fn modules(value: &str) -> Result<Modules> {
    match value {
        "both" => Ok(Modules::Both),
        "text" => Ok(Modules::Text),
        "graph" => Ok(Modules::Graph),
        _ => {
            Err(WrongUsage(format!("--set hybrid.modules={value}: both, text or graph was expected")).into())
        }
    }
}

/// The oracle is told each question's answers when the question is asked.
fn critic(value: &str) -> Result<CriticKind> {
    match value {
        "model" => Ok(CriticKind::Model),
        "off" => Ok(CriticKind::Off),
        "oracle" => Ok(CriticKind::Oracle(Vec::new())),
        _ => {
            Err(WrongUsage(format!("--set hybrid.critic={value}: model, off or oracle was expected")).into())
        }
    }
}

fn router(value: &str) -> Result<RouterKind> {
    match value {
        "graph" => Ok(RouterKind::Graph),
        "model" => Ok(RouterKind::Model),
        _ => Err(WrongUsage(format!("--set hybrid.router={value}: graph or model was expected")).into()),
    }
}

fn ranking(value: &str) -> Result<Ranking> {
    match value {
        "words" => Ok(Ranking::Words),
        "similarity" => Ok(Ranking::Similarity),
        _ => {
            Err(WrongUsage(format!("--set hybrid.ranking={value}: words or similarity was expected")).into())
        }
    }
}

fn set_hybrid(hybrid: &mut HybridConfig, key: &str, value: &str) -> Result<()> {
    match key {
        "hybrid.rounds" => hybrid.rounds = parse(key, value)?,
        "hybrid.modules" => hybrid.modules = modules(value)?,
        "hybrid.critic" => hybrid.critic = critic(value)?,
        "hybrid.context" => hybrid.validation_context = yes_or_no(key, value)?,
        "hybrid.experiences" => hybrid.experiences = parse(key, value)?,
        "hybrid.read" => hybrid.read = parse(key, value)?,
        "hybrid.router" => hybrid.router = router(value)?,
        "hybrid.ranking" => hybrid.ranking = ranking(value)?,
        "hybrid.accept" => hybrid.accept = parse(key, value)?,
        "hybrid.radius" => hybrid.requirements.radius = parse(key, value)?,
        "hybrid.likelihood" => hybrid.likelihood = yes_or_no(key, value)?,
        "hybrid.compose" => hybrid.compose = yes_or_no(key, value)?,
        _ => return Err(unknown(key)),
    }
    Ok(())
}

fn set_anchor(anchor: &mut AnchorConfig, key: &str, value: &str) -> Result<()> {
    match key {
        "anchor.anchors" => anchor.anchors = parse(key, value)?,
        "anchor.relations_scored" => anchor.relations_scored = parse(key, value)?,
        "anchor.width" => anchor.width = parse(key, value)?,
        "anchor.depth" => anchor.depth = parse(key, value)?,
        "anchor.candidates" => anchor.candidates = parse(key, value)?,
        "anchor.shown" => anchor.shown = parse(key, value)?,
        "anchor.predictor" => {
            anchor.predictor =
                one_of(key, value, &[("model", Predictor::Model), ("index", Predictor::Index)])?;
        }
        "anchor.grounding" => {
            let all = [
                ("fused", AnchorGrounding::Fused),
                ("relations", AnchorGrounding::Relations),
                ("off", AnchorGrounding::Off),
            ];
            anchor.grounding = one_of(key, value, &all)?;
        }
        "anchor.guide" => {
            let all = [("paths", Guide::Paths), ("similarity", Guide::Similarity), ("model", Guide::Model)];
            anchor.guide = one_of(key, value, &all)?;
        }
        "anchor.parallel" => {
            if !yes_or_no(key, value)? {
                anchor.anchors = 1;
            }
        }
        "anchor.triple_filter" => anchor.triple_filter = yes_or_no(key, value)?,
        "anchor.model_alone" => anchor.model_alone = yes_or_no(key, value)?,
        _ => return Err(unknown(key)),
    }
    Ok(())
}

fn set_pseudo(pseudo: &mut PseudoConfig, key: &str, value: &str) -> Result<()> {
    match key {
        "pseudo.nearest" => pseudo.nearest = parse(key, value)?,
        "pseudo.least_similarity" => pseudo.least_similarity = parse(key, value)?,
        "pseudo.verification" => {
            let all = [
                ("paths", Verification::Paths),
                ("model", Verification::Model),
                ("similarity", Verification::Similarity),
                ("off", Verification::Off),
            ];
            pseudo.verification = one_of(key, value, &all)?;
        }
        "pseudo.least_fit" => pseudo.least_fit = parse(key, value)?,
        "pseudo.answer" => {
            let all = [("marked", false), ("model", true)];
            pseudo.always_compose = one_of(key, value, &all)?;
        }
        "pseudo.relations" => pseudo.relations = parse(key, value)?,
        "pseudo.sources" => pseudo.all_sources = one_of(key, value, &[("all", true), ("one", false)])?,
        "pseudo.most_triples" => pseudo.most_triples = parse(key, value)?,
        "pseudo.around" => pseudo.around = parse(key, value)?,
        "pseudo.whole" => pseudo.whole = parse(key, value)?,
        _ => return Err(unknown(key)),
    }
    Ok(())
}

fn set_baseline(config: &mut MethodConfig, key: &str, value: &str) -> Result<()> {
    match key {
        "tog.width" => config.tog.width = parse(key, value)?,
        "tog.depth" => config.tog.depth = parse(key, value)?,
        "question_match.k" => config.question_match.k = parse(key, value)?,
        "question_match.whole" => config.question_match.whole = parse(key, value)?,
        "question_match.nearby" => config.question_match.nearby = parse(key, value)?,
        "text.mode" => {
            config.text.mode = value.parse().map_err(|error| WrongUsage(format!("--set {key}={error}")))?;
        }
        "text.compose" => config.text.compose = yes_or_no(key, value)?,
        "text.passages" => config.text.passages = parse(key, value)?,
        "tool_use.rounds" => config.tool_use.rounds = parse(key, value)?,
        "react.rounds" => config.react.rounds = parse(key, value)?,
        "self_consistency.samples" => config.self_consistency.samples = parse(key, value)?,
        "self_consistency.temperature" => config.self_consistency.temperature = parse(key, value)?,
        "corrective.passages" => config.corrective.passages = parse(key, value)?,
        "corrective.relations" => config.corrective.relations = parse(key, value)?,
        "corrective.radius" => config.corrective.radius = parse(key, value)?,
        _ => return Err(unknown(key)),
    }
    Ok(())
}

fn unknown(key: &str) -> anyhow::Error {
    WrongUsage(format!("--set {key}: there is no such key; the keys are {KEYS}")).into()
}

fn one_of<T: Copy>(key: &str, value: &str, all: &[(&str, T)]) -> Result<T> {
    all.iter().find(|(name, _)| *name == value).map(|(_, what)| *what).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        WrongUsage(format!("--set {key}={value}: {} was expected", names.join(" or "))).into()
    })
}

fn parse<T: FromStr>(key: &str, value: &str) -> Result<T> {
    value.parse().map_err(|_| WrongUsage(format!("--set {key}={value}: a number was expected")).into())
}

fn yes_or_no(key: &str, value: &str) -> Result<bool> {
    match value {
        "yes" | "true" | "on" => Ok(true),
        "no" | "false" | "off" => Ok(false),
        _ => Err(WrongUsage(format!("--set {key}={value}: yes or no was expected")).into()),
    }
}

fn filter(value: &str) -> Result<RelationFilter> {
    let (kind, keep) = value.split_once(':').unwrap_or((value, ""));
    match (kind, keep) {
        ("model", "") => Ok(RelationFilter::Model),
        ("off", "") => Ok(RelationFilter::Off),
        ("similarity", "") => Ok(RelationFilter::Similarity { keep: KEPT_BY_SIMILARITY }),
        ("paths", "") => Ok(RelationFilter::Paths { keep: KEPT_PATHS }),
        ("paths", keep) => Ok(RelationFilter::Paths { keep: parse("kerag.filter", keep)? }),
        ("similarity", keep) => Ok(RelationFilter::Similarity { keep: parse("kerag.filter", keep)? }),
        _ => Err(WrongUsage(format!(
            "--set kerag.filter={value}: model, similarity[:N], paths[:N] or off was expected"
        ))
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assignments(set: &[&str]) -> Result<Assignments> {
        Assignments::parse(&set.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn keys_reach_the_options() {
        let set = assignments(&[
            "max_hops=2",
            "kerag.filter=similarity:7",
            "paths.least_confidence=0.5",
            "anchors=gold",
            "anchor.guide=model",
            "anchor.parallel=no",
            "tog.width=5",
        ])
        .unwrap();
        let mut options = AskOptions::default();
        set.apply(&mut options).unwrap();
        assert_eq!((options.config.kerag.max_hops, options.config.paths.walk.max_hops), (2, 2));
        assert_eq!(options.config.kerag.filter, RelationFilter::Similarity { keep: 7 });
        assert_eq!(options.config.paths.least_confidence, 0.5);
        assert_eq!(set.anchors().unwrap(), AnchorSetting::Gold);
        assert_eq!((options.config.anchor.guide, options.config.anchor.anchors), (Guide::Model, 1));
        assert_eq!(options.config.tog.width, 5);
        assert_eq!(set.as_settings()["max_hops"], "2");
    }

    #[test]
    fn every_switch_of_the_open_world_changes_what_runs() {
        let before = MethodConfig::default();
        for (text, changed) in [
            ("anchor.grounding=off", true),
            ("anchor.grounding=relations", true),
            ("anchor.parallel=no", true),
            ("anchor.parallel=yes", false),
            ("anchor.triple_filter=no", true),
            ("anchor.guide=similarity", true),
            ("anchor.guide=model", true),
            ("anchor.predictor=index", true),
            ("anchor.anchors=1", true),
            ("anchor.anchors=2", true),
            ("anchor.anchors=3", false),
            ("anchor.anchors=4", true),
            ("anchor.relations_scored=3", true),
            ("anchor.relations_scored=5", false),
            ("anchor.relations_scored=7", true),
            ("anchor.width=5", true),
            ("anchor.depth=2", true),
            ("anchor.candidates=50", true),
            ("anchor.shown=7", true),
            ("anchor.model_alone=yes", true),
            ("pseudo.verification=similarity", true),
            ("pseudo.verification=off", true),
            ("pseudo.answer=model", true),
            ("pseudo.relations=0", true),
            ("pseudo.sources=one", true),
            ("pseudo.nearest=5", true),
            ("pseudo.least_similarity=0.5", true),
            ("pseudo.most_triples=10", true),
            ("pseudo.around=100", true),
            ("pseudo.whole=0", true),
        ] {
            let mut options = AskOptions::default();
            assignments(&[text]).unwrap().apply(&mut options).unwrap();
            assert_eq!(options.config != before, changed, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_set_is_said_with_what_can() {
        for (text, expected) in [
            ("beam=3", "the keys are anchors=open|gold"),
            ("max_hops", "key=value was expected"),
            ("max_hops=two", "a number was expected"),
            ("anchors=silver", "open or gold"),
            ("kerag.filter=luck", "paths[:N] or off"),
            ("kerag.reasoning=maybe", "yes or no"),
            ("anchor.guide=luck", "paths or similarity or model was expected"),
            ("anchor.beam=3", "there is no such key"),
        ] {
            let error = assignments(&[text]).unwrap_err();
            assert!(error.is::<WrongUsage>() && error.to_string().contains(expected), "{text}: {error}");
        }
    }
}
