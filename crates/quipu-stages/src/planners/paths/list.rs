//! Questions about a list of entities: "the total population of Norway, Sweden and Denmark" asks
//! the same of each.

use quipu_language::{Language, Operation};

use crate::link::Mentioned;

/// The question's words before a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct List {
    /// Whether they ask for one of the entities: "which of Norway, Sweden and Denmark".
    one_of: bool,
    /// Whether "or" stands between the entities: what any of them leads to is asked for.
    pub(super) either: bool,
}

impl List {
    /// Whether the entities' values are to be combined or compared.
    pub(super) fn compares(self, operation: Option<Operation>) -> bool {
        let together = matches!(operation, Some(Operation::Sum | Operation::Average | Operation::Difference));
        together || (self.one_of && operation.is_some_and(Operation::chooses))
    }
}

/// Reads the mentions as one list, if only commas and "and" stand between them; else `None`. One
/// thing with both of two is asked of no list.
pub(super) fn listed(question: &str, mentioned: &[Mentioned]) -> Option<List> {
    let mut spans: Vec<_> = mentioned.iter().map(|m| m.span.clone()).filter(|s| !s.is_empty()).collect();
    spans.sort_by_key(|span| span.start);
    if spans.len() < 2 || spans.len() < mentioned.len() {
        return None;
    }
    let language = Language::of(question);
    let mut between = spans.windows(2).map(|pair| match pair {
        [a, b] => question.get(a.end..b.start).unwrap_or_default(),
        _ => "",
    });
    let joined = between.clone().all(|between| language.joins_names(between));
    let is_or = |between: &str| between.split_whitespace().any(|word| language.offers_a_choice(word));
    let before = spans.first().and_then(|first| question.get(..first.start)).unwrap_or_default();
    let is_list = joined && !language.asks_for_one_with_both(before);
    is_list.then(|| List { one_of: language.asks_for_one_of(before), either: between.any(is_or) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed_in(question: &str, names: &[&str]) -> Option<List> {
        let mention = |name: &&str| {
            let start = question.find(*name).unwrap();
            Mentioned {
                text: (*name).to_owned(),
                span: start..start + name.len(),
                candidates: Vec::new(),
                score: 1.0,
                chosen: true,
            }
        };
        let mentioned: Vec<Mentioned> = names.iter().map(mention).collect();
        listed(question, &mentioned)
    }

    fn check(question: &str, names: &[&str], expected: Option<bool>) {
        assert_eq!(listed_in(question, names).map(|list| list.one_of), expected, "{question}");
    }

    #[test]
    fn one_with_both_is_asked_of_no_list() {
        let names = ["Orle", "Berg"];
        assert_eq!(listed_in("who has crossed both Orle and Berg?", &names), None);
        assert!(listed_in("the lengths of both Orle and Berg", &names).is_some());
    }

    #[test]
    fn or_asks_for_what_any_of_them_leads_to() {
        let either = |question| listed_in(question, &["Orle", "Berg"]).map(|list| list.either);
        assert_eq!(either("what flows into the Orle or the Berg?"), Some(true));
        assert_eq!(either("what flows into the Orle and the Berg?"), Some(false));
    }

    #[test]
    fn a_list_has_nothing_but_its_joints_between() {
        let three = ["Orle", "Berg", "Ansa"];
        check("how long are the Orle, the Berg and the Ansa together?", &three, Some(false));
        check("which of the Orle, the Berg and the Ansa is longest?", &three, Some(true));
        check("between Orle, Berg or Ansa, which is longest?", &three, Some(true));
        check("does the Orle flow into the Berg and the Ansa?", &three, None);
        check("how long is the Orle?", &three[..1], None);
    }
}
