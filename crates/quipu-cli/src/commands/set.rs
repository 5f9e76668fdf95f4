//! `--set key=value`: settings of methods, by name.

use std::collections::BTreeMap;

use anyhow::Result;
use quipu_answer::{AskOptions, set_option};
use quipu_eval::AnchorSetting;

use crate::failure::WrongUsage;

/// The help of `--set` in evaluations.
pub(super) const EVAL_HELP: &str = "Set parameters of methods (`quipu methods` lists the keys) and of the evaluation: \
anchors=open|gold, key_prefix=TEXT, hybrid.critic=oracle";

/// Applies each `key=value` to the options.
pub(super) fn assign(options: &mut AskOptions, set: &[String]) -> Result<()> {
    for text in set {
        let (key, value) = pair(text)?;
        set_option(options, &key, &value).map_err(|error| WrongUsage(format!("--set {error}")))?;
    }
    Ok(())
}

fn pair(text: &str) -> Result<(String, String)> {
    let (key, value) = text.split_once('=').ok_or_else(|| {
        WrongUsage(format!("--set {text}: key=value was expected; `quipu methods` lists the keys"))
    })?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// The assignments of `--set`, in their order; later ones win.
#[derive(Debug, Clone, Default)]
pub(super) struct Assignments(Vec<(String, String)>);

impl Assignments {
    pub(super) fn parse(set: &[String]) -> Result<Self> {
        let assignments = Self(set.iter().map(|text| pair(text)).collect::<Result<_>>()?);
        // Reported before anything is asked, whatever the method.
        assignments.apply(&mut AskOptions::default())?;
        assignments.anchors()?;
        Ok(assignments)
    }

    /// The assignments as results record them.
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

    /// The prefix that turns the question file's keys into the graph's.
    pub(super) fn key_prefix(&self) -> Option<&str> {
        self.last("key_prefix")
    }

    /// Whether an oracle is the critic of `hybrid`.
    pub(super) fn oracle(&self) -> bool {
        self.last("hybrid.critic") == Some("oracle")
    }

    fn last(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Applies the methods' parameters to the options, and skips the evaluation's own.
    pub(super) fn apply(&self, options: &mut AskOptions) -> Result<()> {
        for (key, value) in &self.0 {
            let of_evaluation = matches!(
                (key.as_str(), value.as_str()),
                ("anchors" | "key_prefix", _) | ("hybrid.critic", "oracle")
            );
            if !of_evaluation {
                set_option(options, key, value).map_err(|error| WrongUsage(format!("--set {error}")))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use quipu_answer::{CriticKind, Guide};

    use super::*;

    fn assignments(set: &[&str]) -> Result<Assignments> {
        Assignments::parse(&set.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn keys_reach_the_options() {
        let set = assignments(&["max_hops=2", "kerag.keep=7", "anchors=gold", "anchor.guide=model"]).unwrap();
        let mut options = AskOptions::default();
        set.apply(&mut options).unwrap();
        assert_eq!((options.config.kerag.max_hops, options.config.paths.walk.max_hops), (2, 2));
        assert_eq!((options.config.kerag.keep, options.config.anchor.guide), (7, Guide::Model));
        assert_eq!(set.anchors().unwrap(), AnchorSetting::Gold);
        assert_eq!(set.as_settings()["max_hops"], "2");
    }

    #[test]
    fn the_oracle_is_of_evaluations_alone() {
        let set = assignments(&["hybrid.critic=oracle"]).unwrap();
        assert!(set.oracle());
        let later = assignments(&["hybrid.critic=oracle", "hybrid.critic=off"]).unwrap();
        assert!(!later.oracle());
        let mut options = AskOptions::default();
        later.apply(&mut options).unwrap();
        assert_eq!(options.config.hybrid.critic, CriticKind::Off);
        let asked = assign(&mut AskOptions::default(), &["hybrid.critic=oracle".to_owned()]);
        assert!(asked.unwrap_err().to_string().contains("model or off was expected"));
    }

    #[test]
    fn what_cannot_be_set_is_said_with_what_can() {
        for (text, expected) in [
            ("kerag.max_hop=3", "the nearest is kerag.max_hops"),
            ("max_hops", "key=value was expected"),
            ("max_hops=two", "a whole number"),
            ("anchors=silver", "open or gold"),
            ("kerag.filter=luck", "model or similarity or off was expected"),
        ] {
            let error = assignments(&[text]).unwrap_err();
            assert!(error.is::<WrongUsage>() && error.to_string().contains(expected), "{text}: {error}");
        }
    }
}
