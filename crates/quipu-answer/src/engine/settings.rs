//! What methods do, set by name: `kerag.max_hops=2`. One list of keys for the command line, for evaluations and for requests.

use std::str::FromStr;
use std::time::Duration;

use super::AskOptions;
use crate::answer::AnswerError;
use crate::methods::{
    AnchorConfig, AnchorGrounding, CriticKind, Guide, HybridConfig, MethodConfig, Modules, Predictor,
    PseudoConfig, Ranking, RelationFilter, RouterKind, Verification,
};

/// The keys of [`set_option`] with what they take, for help and messages.
pub const SETTING_KEYS: &str = "max_hops=N, multi_hop=yes|no, llm_calls=N, seconds=N, evidence_tokens=N, kerag.max_hops=N, \
kerag.filter=model|similarity[:N]|paths[:N]|off, kerag.reasoning=yes|no, \
kerag.least_confidence=X, auto.sure=X, auto.sure_calculated=X, auto.least_confidence=X, \
auto.cards=yes|no, auto.untyped_sure=X, auto.untyped_least_confidence=X, \
auto.untyped_cards=yes|no, auto.untyped_sure_with_cards=X, auto.llm_calls=N, \
query.repair=yes|no, query.samples=N, query.temperature=X, query.sure=X, \
query.least_confidence=X, query.table_bytes=N, query.tokens=N, query.hints=yes|no, \
paths.max_hops=N, paths.mentions=N, paths.candidates=N, paths.run=N, paths.new_cards=N, \
paths.meet=N, paths.sure=X, paths.least_confidence=X, tokens=N, anchor.anchors=N, \
anchor.relations_scored=N, anchor.width=N, anchor.depth=N, anchor.candidates=N, anchor.shown=N, \
anchor.predictor=model|index, anchor.grounding=fused|relations|off, \
anchor.guide=similarity|model, anchor.parallel=yes|no, pseudo.nearest=N, \
pseudo.least_similarity=X, pseudo.verification=model|similarity|off, \
pseudo.answer=marked|model, pseudo.relations=N, pseudo.sources=all|one, pseudo.most_triples=N, \
pseudo.around=N, pseudo.whole=N, pseudo.model_alone=yes|no, anchor.triple_filter=yes|no, anchor.model_alone=yes|no, \
tog.width=N, tog.depth=N, question_match.k=N, question_match.whole=N, question_match.nearby=N, \
text.passages=N, tool_use.rounds=N, react.rounds=N, self_consistency.samples=N, \
self_consistency.temperature=X, corrective.passages=N, corrective.relations=N, \
corrective.radius=N, text.mode=hybrid|bm25|dense, text.compose=yes|no, hybrid.rounds=N, \
hybrid.modules=both|text|graph, hybrid.critic=model|off|oracle, hybrid.context=yes|no, \
hybrid.experiences=N, hybrid.read=N, hybrid.router=graph|model, \
hybrid.ranking=words|similarity, hybrid.accept=X, hybrid.radius=N, hybrid.likelihood=yes|no, \
hybrid.compose=yes|no";

/// Paths that the relation filter by paths keeps.
pub const KEPT_PATHS: usize = 3;
/// Relations that the relation filter by similarity keeps, as the KERAG paper has it (App. E).
pub const KEPT_BY_SIMILARITY: usize = 30;

/// The most that a request may set, so that none takes a server's time or memory beyond what the defaults are made for.
/// Hops, widths and radii multiply one another; the rest are numbers of things that are read or embedded. The
/// question's limits are not among them: a server bounds these itself.
const MOST: [(&str, f64); 24] = [
    ("max_hops", 4.0),
    ("kerag.max_hops", 4.0),
    ("kerag.filter", 100.0),
    ("paths.max_hops", 4.0),
    ("paths.candidates", 5.0),
    ("anchor.anchors", 5.0),
    ("anchor.width", 10.0),
    ("anchor.depth", 5.0),
    ("tog.width", 10.0),
    ("tog.depth", 5.0),
    ("hybrid.radius", 2.0),
    ("hybrid.rounds", 8.0),
    ("corrective.radius", 2.0),
    ("query.samples", 10.0),
    ("query.temperature", 2.0),
    ("self_consistency.samples", 10.0),
    ("self_consistency.temperature", 2.0),
    ("query.table_bytes", 20_000.0),
    ("query.tokens", 20_000.0),
    ("pseudo.around", 600.0),
    ("pseudo.whole", 2000.0),
    ("question_match.whole", 20_000.0),
    ("question_match.nearby", 1000.0),
    ("question_match.k", 100.0),
];
/// The same of all other numbers.
const MOST_OF_OTHERS: f64 = 100.0;
/// Limits of the question, which a server holds against its own.
const LIMITS: [&str; 4] = ["llm_calls", "tokens", "seconds", "evidence_tokens"];

/// The same as [`set_option`] for a request from elsewhere: numbers are bounded.
///
/// # Errors
/// [`AnswerError::Usage`]: as there, or a number that is larger than a request may set.
pub fn set_option_of_request(options: &mut AskOptions, key: &str, value: &str) -> Result<(), AnswerError> {
    let number = value.rsplit(':').next().and_then(|number| number.parse::<f64>().ok());
    let most = MOST.iter().find(|(name, _)| *name == key).map_or(MOST_OF_OTHERS, |(_, most)| *most);
    if let Some(number) = number
        && !LIMITS.contains(&key)
        && !(0.0..=most).contains(&number)
    {
        return Err(AnswerError::Usage(format!("{key}={value}: from 0 to {most} was expected")));
    }
    if (key, value) == ("hybrid.critic", "oracle") {
        return Err(AnswerError::Usage(format!("{key}={value}: the oracle is for evaluations")));
    }
    set_option(options, key, value)
}

/// Sets one of [`SETTING_KEYS`].
///
/// # Errors
/// [`AnswerError::Usage`]: there is no such key, or it does not take this value.
pub fn set_option(options: &mut AskOptions, key: &str, value: &str) -> Result<(), AnswerError> {
    let AskOptions { config, limits, .. } = options;
    match key {
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

fn modules(value: &str) -> Result<Modules, AnswerError> {
    match value {
        "both" => Ok(Modules::Both),
        "text" => Ok(Modules::Text),
        "graph" => Ok(Modules::Graph),
        _ => Err(AnswerError::Usage(format!("hybrid.modules={value}: both, text or graph was expected"))),
    }
}

/// The oracle is told each question's answers when the question is asked.
fn critic(value: &str) -> Result<CriticKind, AnswerError> {
    match value {
        "model" => Ok(CriticKind::Model),
        "off" => Ok(CriticKind::Off),
        "oracle" => Ok(CriticKind::Oracle(Vec::new())),
        _ => Err(AnswerError::Usage(format!("hybrid.critic={value}: model, off or oracle was expected"))),
    }
}

fn router(value: &str) -> Result<RouterKind, AnswerError> {
    match value {
        "graph" => Ok(RouterKind::Graph),
        "model" => Ok(RouterKind::Model),
        _ => Err(AnswerError::Usage(format!("hybrid.router={value}: graph or model was expected"))),
    }
}

fn ranking(value: &str) -> Result<Ranking, AnswerError> {
    match value {
        "words" => Ok(Ranking::Words),
        "similarity" => Ok(Ranking::Similarity),
        _ => Err(AnswerError::Usage(format!("hybrid.ranking={value}: words or similarity was expected"))),
    }
}

fn set_hybrid(hybrid: &mut HybridConfig, key: &str, value: &str) -> Result<(), AnswerError> {
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

fn set_anchor(anchor: &mut AnchorConfig, key: &str, value: &str) -> Result<(), AnswerError> {
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
            let all = [("similarity", Guide::Similarity), ("model", Guide::Model)];
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

fn set_pseudo(pseudo: &mut PseudoConfig, key: &str, value: &str) -> Result<(), AnswerError> {
    match key {
        "pseudo.nearest" => pseudo.nearest = parse(key, value)?,
        "pseudo.least_similarity" => pseudo.least_similarity = parse(key, value)?,
        "pseudo.verification" => {
            let all = [
                ("model", Verification::Model),
                ("similarity", Verification::Similarity),
                ("off", Verification::Off),
            ];
            pseudo.verification = one_of(key, value, &all)?;
        }
        "pseudo.model_alone" => pseudo.model_alone = yes_or_no(key, value)?,
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

fn set_baseline(config: &mut MethodConfig, key: &str, value: &str) -> Result<(), AnswerError> {
    match key {
        "tog.width" => config.tog.width = parse(key, value)?,
        "tog.depth" => config.tog.depth = parse(key, value)?,
        "question_match.k" => config.question_match.k = parse(key, value)?,
        "question_match.whole" => config.question_match.whole = parse(key, value)?,
        "question_match.nearby" => config.question_match.nearby = parse(key, value)?,
        "text.mode" => {
            config.text.mode = value.parse().map_err(|error| AnswerError::Usage(format!("{key}={error}")))?;
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

fn unknown(key: &str) -> AnswerError {
    AnswerError::Usage(format!("{key}: there is no such key; the keys are {SETTING_KEYS}"))
}

fn one_of<T: Copy>(key: &str, value: &str, all: &[(&str, T)]) -> Result<T, AnswerError> {
    all.iter().find(|(name, _)| *name == value).map(|(_, what)| *what).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        AnswerError::Usage(format!("{key}={value}: {} was expected", names.join(" or ")))
    })
}

fn parse<T: FromStr>(key: &str, value: &str) -> Result<T, AnswerError> {
    value.parse().map_err(|_| AnswerError::Usage(format!("{key}={value}: a number was expected")))
}

fn yes_or_no(key: &str, value: &str) -> Result<bool, AnswerError> {
    match value {
        "yes" | "true" | "on" => Ok(true),
        "no" | "false" | "off" => Ok(false),
        _ => Err(AnswerError::Usage(format!("{key}={value}: yes or no was expected"))),
    }
}

fn filter(value: &str) -> Result<RelationFilter, AnswerError> {
    let (kind, keep) = value.split_once(':').unwrap_or((value, ""));
    match (kind, keep) {
        ("model", "") => Ok(RelationFilter::Model),
        ("off", "") => Ok(RelationFilter::Off),
        ("similarity", "") => Ok(RelationFilter::Similarity { keep: KEPT_BY_SIMILARITY }),
        ("paths", "") => Ok(RelationFilter::Paths { keep: KEPT_PATHS }),
        ("paths", keep) => Ok(RelationFilter::Paths { keep: parse("kerag.filter", keep)? }),
        ("similarity", keep) => Ok(RelationFilter::Similarity { keep: parse("kerag.filter", keep)? }),
        _ => Err(AnswerError::Usage(format!(
            "kerag.filter={value}: model, similarity[:N], paths[:N] or off was expected"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_is_listed_can_be_set() {
        for listed in SETTING_KEYS.split(", ") {
            let (key, takes) = listed.split_once('=').unwrap();
            for value in takes.split('|') {
                let value = match value {
                    "N" | "X" => "1",
                    value => value.split('[').next().unwrap(),
                };
                set_option(&mut AskOptions::default(), key, value).unwrap();
                let bounded = set_option_of_request(&mut AskOptions::default(), key, value);
                assert_eq!(bounded.is_ok(), value != "oracle", "{key}={value}");
            }
        }
    }

    #[test]
    fn every_bound_is_of_a_key() {
        for (key, most) in MOST {
            assert!(SETTING_KEYS.contains(&format!("{key}=")), "{key}");
            let most = if key == "kerag.filter" { format!("paths:{most}") } else { most.to_string() };
            set_option_of_request(&mut AskOptions::default(), key, &most).unwrap();
        }
    }

    #[test]
    fn a_request_sets_no_more_than_is_good_for_a_server() {
        let refused = |key, value| set_option_of_request(&mut AskOptions::default(), key, value).unwrap_err();
        for (key, value) in [
            ("kerag.max_hops", "9"),
            ("kerag.filter", "similarity:1000000"),
            ("anchor.shown", "101"),
            ("query.temperature", "NaN"),
            ("query.temperature", "inf"),
            ("auto.sure", "-1"),
        ] {
            let error = refused(key, value).to_string();
            assert!(error.contains("from 0 to") || error.contains("number"), "{key}={value}: {error}");
        }
        assert!(refused("beam", "3").to_string().contains("there is no such key"));
        let mut options = AskOptions::default();
        set_option_of_request(&mut options, "tokens", "1000000").unwrap();
        assert_eq!(options.limits.tokens, 1_000_000);
    }
}
