//! Finds the field of a question: precise rules first, then the model (self-verification paper
//! §4.1.1; KERAG App. I.1 asks only the model).
//!
//! The rules are the words in the API's manifest and the names that it lists. They decide only if
//! one field stands out.

use quipu_graph::{ApiGraph, KindId, Service};
use quipu_language::{Language, without_possessive};

/// Lower-cased words in the singular, without possessive endings.
pub fn plain_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .map(|word| word.trim_matches(['\'', '’']).to_lowercase())
        .map(|word| without_possessive(&word).to_owned())
        .map(|word| Language::english().singular(&word))
        .filter(|word| !word.is_empty())
        .collect()
}

/// The field whose words the question uses most; `None` if no field stands out.
pub fn domain_by_rules<'a>(question: &str, service: &'a Service) -> Option<&'a str> {
    let said = plain_words(question);
    let told = |fallback: bool| {
        let fields = service.domain_words.iter().filter(move |(_, field)| field.fallback == fallback);
        let mut weighed: Vec<(&str, usize)> = fields
            .map(|(name, field)| {
                let phrases: Vec<Vec<String>> =
                    field.words.iter().map(|phrase| plain_words(phrase)).collect();
                (name.as_str(), weight(&said, &phrases))
            })
            .filter(|(_, weight)| *weight > 0)
            .collect();
        weighed.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
        weighed
    };
    let mut weighed = told(false);
    if weighed.is_empty() {
        weighed = told(true);
    }
    match weighed.as_slice() {
        [(field, weight), rest @ ..] if rest.first().is_none_or(|(_, other)| other < weight) => Some(*field),
        _ => None,
    }
}

/// The number of words that the phrases cover. A phrase inside a longer match does not count again.
fn weight(said: &[String], phrases: &[Vec<String>]) -> usize {
    let mut covered = vec![false; said.len()];
    for phrase in phrases.iter().filter(|phrase| !phrase.is_empty()) {
        for (at, _) in
            said.windows(phrase.len()).enumerate().filter(|(_, window)| *window == phrase.as_slice())
        {
            covered.iter_mut().skip(at).take(phrase.len()).for_each(|word| *word = true);
        }
    }
    covered.into_iter().filter(|word| *word).count()
}

/// The names that an API lists and the text contains whole, with their kinds. A one-word name must
/// match in case too: "Heat" is a team, "heat" is not.
pub(super) fn listed_names(text: &str, api: &ApiGraph) -> Vec<(KindId, String)> {
    let said = plain_words(text);
    let written: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let mut found = Vec::new();
    for at in (0..api.service().kinds.len()).map(KindId) {
        for entity in api.listed(at) {
            let name = plain_words(&entity.name);
            let says = match name.len() {
                0 => false,
                1 => written.contains(&entity.name.as_str()),
                length => said.windows(length).any(|window| window == name.as_slice()),
            };
            if says {
                found.push((at, entity.name));
            }
        }
    }
    found
}

/// The field of the listed names that the question contains whole, such as team names. `None` if
/// they belong to different fields.
pub fn domain_by_names<'a>(question: &str, api: &'a ApiGraph) -> Option<&'a str> {
    let said = plain_words(question);
    let mut found: Option<&str> = None;
    for (at, kind) in api.service().kinds.iter().enumerate().filter(|(_, kind)| !kind.domain.is_empty()) {
        let says = |name: &str| {
            let name = plain_words(name);
            name.len() > 1 && said.windows(name.len()).any(|window| window == name.as_slice())
        };
        if api.listed(KindId(at)).iter().any(|entity| says(&entity.name)) {
            match found {
                Some(other) if other != kind.domain => return None,
                _ => found = Some(&kind.domain),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use quipu_graph::Manifest;

    use super::*;

    /// The service of the manifest that ships, without operations.
    fn crag() -> Service {
        let manifest = Manifest::read(Manifest::built_in("crag").unwrap(), "crag").unwrap();
        let mut service = Service::default();
        service.domain_words = manifest.domain;
        service
    }

    #[test]
    fn every_field_of_crag_has_rules() {
        let service = crag();
        let fields: Vec<&str> = service.domain_words.keys().map(String::as_str).collect();
        assert_eq!(fields, ["finance", "movie", "music", "open", "sports"]);
        let phrases = |words: &[String]| words.iter().all(|phrase| !plain_words(phrase).is_empty());
        assert!(service.domain_words.values().all(|field| field.words.len() > 20 && phrases(&field.words)));
    }

    #[test]
    fn a_service_without_words_decides_by_none() {
        assert_eq!(domain_by_rules("what is the stock price of a film?", &Service::default()), None);
    }

    #[test]
    fn rules_decide_where_one_field_stands_out() {
        for (question, expected) in [
            ("What was Orle Bank's closing price last Friday?", Some("finance")),
            ("what's the p/e ratio of harbour foods", Some("finance")),
            ("who won the Oscar for best picture in 1998?", Some("movie")),
            ("which songs are on their second album?", Some("music")),
            ("who is the opponent of the Reds in their next match?", Some("sports")),
            ("which country has the largest population?", Some("open")),
            ("how tall is the tower?", None),
            // Two fields weigh the same.
            ("which movie has the song?", None),
            // A longer phrase counts once.
            ("stock market", Some("finance")),
        ] {
            assert_eq!(domain_by_rules(question, &crag()), expected, "{question}");
        }
    }
}
