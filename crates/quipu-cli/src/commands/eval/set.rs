//! `--set key=value`: what methods do, by name.

use std::collections::BTreeMap;

use anyhow::Result;
use quipu_answer::{AskOptions, SETTING_KEYS, set_option};
use quipu_eval::AnchorSetting;

use crate::failure::WrongUsage;

/// Keys of evaluations alone, with what they set; [`SETTING_KEYS`] has the others.
pub(super) const EVAL_KEYS: &str = "anchors=open|gold, key_prefix=TEXT";

/// What was set, in the order in which it was set.
#[derive(Debug, Clone, Default)]
pub(super) struct Assignments(Vec<(String, String)>);

impl Assignments {
    pub(super) fn parse(set: &[String]) -> Result<Self> {
        let pair = |text: &String| {
            let (key, value) = text.split_once('=').ok_or_else(|| {
                WrongUsage(format!(
                    "--set {text}: key=value was expected; the keys are {EVAL_KEYS}, {SETTING_KEYS}"
                ))
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
            if !matches!(key.as_str(), "anchors" | "key_prefix") {
                set_option(options, key, value).map_err(|error| WrongUsage(format!("--set {error}")))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use quipu_answer::{Guide, MethodConfig, RelationFilter};

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
            ("beam=3", "the keys are max_hops=N"),
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
