//! How relations are called that hold names and kinds: the data of `profiles/naming.toml`. The
//! singular of a kind's name.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::readable_relation;

/// Words of relations that hold names.
#[derive(Default, Deserialize)]
pub(crate) struct Naming {
    before: Words,
    whole: Words,
    of_a_class: Words,
    qualified: Words,
    given: Words,
    family: Words,
    name: Words,
    kind: Words,
}

#[derive(Default, Deserialize)]
struct Words {
    words: Vec<String>,
    /// Words that mean the same with a word for a name behind or before them.
    #[serde(default)]
    before_name: Vec<String>,
}

/// How much of a name a relation holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NamePart {
    /// A whole name; the rank among such relations, 0 is the most preferred.
    Whole(usize),
    /// A name if the things are of the class that the relation's key names.
    OfClass,
    /// A name with an adjective: `legalName`.
    Qualified,
    Given,
    Family,
}

/// The words of the built-in file. A test reads it; if it were broken, only labels would be names.
pub(crate) static NAMING: LazyLock<Naming> =
    LazyLock::new(|| toml::from_str(include_str!("../profiles/naming.toml")).unwrap_or_default());

/// Whether a relation holds one part of a name: a given name or a family name.
pub fn holds_part_of_name(relation: &str) -> bool {
    matches!(NAMING.part(relation), Some(NamePart::Given | NamePart::Family))
}

/// The singular of an English plural, by its ending: `countries` gives `country`, `branches`
/// `branch`. The names of
/// files and of the paths of APIs are plural, headers and parameters are not.
pub(crate) fn singular(noun: &str) -> String {
    let Some(stem) = noun.strip_suffix('s').filter(|stem| !stem.ends_with('s')) else {
        return noun.to_owned();
    };
    let hissing =
        stem.strip_suffix('e').filter(|root| ["ch", "sh", "ss", "x"].iter().any(|end| root.ends_with(end)));
    match (stem.strip_suffix("ie").filter(|root| root.len() > 1), hissing) {
        (Some(root), _) => format!("{root}y"),
        (None, Some(root)) => root.to_owned(),
        (None, None) => stem.to_owned(),
    }
}

impl Naming {
    /// The part of a name that a relation with this key holds, by the key's words alone.
    pub(crate) fn part(&self, key: &str) -> Option<NamePart> {
        let words = self.words_of_relation(key);
        let is_name = |word: &str| self.name.words.iter().any(|known| known == word);
        let is_in = |list: &Words| {
            let says = |word: &str| list.before_name.iter().any(|known| known == word);
            let in_two = words.split_once(' ').is_some_and(|(first, second)| {
                (says(first) && is_name(second)) || (is_name(first) && says(second))
            });
            in_two || list.words.contains(&words)
        };
        if is_in(&self.given) {
            return Some(NamePart::Given);
        }
        if is_in(&self.family) {
            return Some(NamePart::Family);
        }
        if let Some(rank) = self.whole.words.iter().position(|known| *known == words) {
            return Some(NamePart::Whole(rank));
        }
        let class = self.class_in(&words)?;
        let is_qualified = self.qualified.words.iter().any(|word| word == class);
        Some(if is_qualified { NamePart::Qualified } else { NamePart::OfClass })
    }

    /// Whether a relation with this key leads to the kinds of things.
    pub(crate) fn leads_to_kinds(&self, key: &str) -> bool {
        self.kind.words.contains(&words_of_key(key))
    }

    /// Whether a label is that of a relation to kinds: a graph may number its relations.
    #[inline]
    pub(crate) fn says_kind(&self, label: &str) -> bool {
        self.kind.words.iter().any(|word| word.eq_ignore_ascii_case(label))
    }

    /// The class in a relation like `productName`, in words.
    fn class_in<'a>(&self, words: &'a str) -> Option<&'a str> {
        let (class, last) = words.rsplit_once(' ')?;
        self.of_a_class.words.iter().any(|word| word == last).then_some(class)
    }

    /// Whether a relation like `productName` names the things of a class.
    pub(crate) fn is_of_class(&self, relation: &str, class: &str) -> bool {
        let words = self.words_of_relation(relation);
        self.class_in(&words).is_some_and(|named| named == words_of_key(class))
    }

    /// The words of a relation's key without the verb before its noun.
    fn words_of_relation(&self, key: &str) -> String {
        let words = words_of_key(key);
        let noun =
            words.split_once(' ').filter(|(first, _)| self.before.words.iter().any(|word| word == first));
        noun.map(|(_, noun)| noun.to_owned()).unwrap_or(words)
    }
}

/// A key's words in small letters.
fn words_of_key(key: &str) -> String {
    readable_relation(key).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_hold_names_or_parts_of_them() {
        let part = |key: &str| NAMING.part(key);
        assert!(part("http://corp.example/v/name") < part("http://corp.example/v/title"));
        assert!(matches!(part("hasName"), Some(NamePart::Whole(_))));
        assert_eq!(part("http://corp.example/v/productName"), Some(NamePart::OfClass));
        assert_eq!(part("http://corp.example/v/legalName"), Some(NamePart::Qualified));
        assert_eq!(part("http://corp.example/v/firstName"), Some(NamePart::Given));
        assert_eq!(part("family_name"), Some(NamePart::Family));
        for (given, family) in [("FST_NM", "LST_NM"), ("first_nme", "l_name"), ("name_first", "NameLast")] {
            assert_eq!((part(given), part(family)), (Some(NamePart::Given), Some(NamePart::Family)));
        }
        assert_ne!(part("first_port"), Some(NamePart::Given));
        assert_eq!(part("http://corp.example/v/naming"), None);
        assert!(NAMING.is_of_class("http://a/v/sales_order_name", "http://a/v/SalesOrder"));
        assert!(!NAMING.is_of_class("http://a/v/managerName", "http://a/v/SalesOrder"));
    }

    #[test]
    fn a_plural_loses_its_ending() {
        let pairs = [("countries", "country"), ("suppliers", "supplier"), ("ties", "tie"), ("tvs", "tv")];
        for (plural, one) in pairs {
            assert_eq!(singular(plural), one);
        }
        assert_eq!(["address", "sheep"].map(singular), ["address", "sheep"]);
    }

    #[test]
    fn every_list_has_its_reason() {
        let file: toml::Table = toml::from_str(include_str!("../profiles/naming.toml")).unwrap();
        for (name, list) in &file {
            assert!(list.get("reason").is_some_and(toml::Value::is_str), "{name}");
        }
        let naming: Naming = file.try_into().unwrap();
        assert!(!naming.given.words.is_empty() && !naming.family.words.is_empty());
    }
}
