//! Documents by their words: BM25 (Robertson and Zaragoza, 2009) over an inverted list that is made in memory when first asked
//! for and kept by the engine. About 12 bytes a distinct word of a document: 117,000 glosses take a second and 20 MB.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use quipu_graph::NodeId;
use quipu_index::words;

use crate::AnswerError;
use crate::context::Context;

/// The usual saturation of a word's frequency and weight of a document's length.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// Documents read between two looks at the question's time.
const BATCH: usize = 4096;

/// The words of a graph's documents.
#[derive(Debug, Default)]
pub struct DocumentWords {
    made: Mutex<Option<Arc<Inverted>>>,
}

#[derive(Debug, Default)]
struct Inverted {
    nodes: Vec<NodeId>,
    /// Words of each document.
    lengths: Vec<f32>,
    /// For each word, the documents that hold it and how often.
    lists: HashMap<Box<str>, Vec<(u32, u32)>>,
}

impl DocumentWords {
    /// The `k` entities whose documents fit the words of a text best, best first.
    ///
    /// # Errors
    /// The graph's; [`AnswerError::Exhausted`] when the question's time ends first.
    pub fn best(&self, context: &Context<'_>, text: &str, k: usize) -> Result<Vec<NodeId>, AnswerError> {
        let mut made = self.made.lock();
        let inverted = match &*made {
            Some(inverted) => Arc::clone(inverted),
            None => {
                let inverted = Arc::new(Inverted::of_documents(context)?);
                *made = Some(Arc::clone(&inverted));
                inverted
            }
        };
        drop(made);
        Ok(inverted.best(text, k))
    }
}

impl Inverted {
    fn of_documents(context: &Context<'_>) -> Result<Self, AnswerError> {
        let mut inverted = Self::default();
        // An endpoint's graph has no documents.
        let documents = context.workspace.embedded().into_iter().flat_map(|graph| graph.all_documents());
        for (number, document) in documents.enumerate() {
            if number.is_multiple_of(BATCH) {
                context.check_time()?;
            }
            let (node, text) = document?;
            inverted.add(node, text);
        }
        Ok(inverted)
    }

    fn add(&mut self, node: NodeId, text: &str) {
        let Ok(number) = u32::try_from(self.nodes.len()) else { return };
        let words = words(text);
        self.nodes.push(node);
        self.lengths.push(length(words.len()));
        for word in words {
            let list = match self.lists.get_mut(word.text.as_str()) {
                Some(list) => list,
                None => self.lists.entry(word.text.into()).or_default(),
            };
            match list.last_mut() {
                Some((last, times)) if *last == number => *times += 1,
                _ => list.push((number, 1)),
            }
        }
    }

    fn best(&self, text: &str, k: usize) -> Vec<NodeId> {
        let count = length(self.nodes.len());
        let average = self.lengths.iter().sum::<f32>() / count.max(1.0);
        let mut asked: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
        asked.sort_unstable();
        asked.dedup();
        let mut scores: HashMap<u32, f32> = HashMap::new();
        for word in &asked {
            let Some(list) = self.lists.get(word.as_str()) else { continue };
            let holding = length(list.len());
            let rarity = (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln();
            for (number, times) in list {
                let times = length(*times as usize);
                let own = usize::try_from(*number).ok().and_then(|at| self.lengths.get(at)).copied();
                let longer = 1.0 - B + B * own.unwrap_or(average) / average.max(1.0);
                *scores.entry(*number).or_default() += rarity * times * (K1 + 1.0) / (times + K1 * longer);
            }
        }
        let mut ranked: Vec<(u32, f32)> = scores.into_iter().collect();
        ranked.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        let node = |(number, _): (u32, f32)| self.nodes.get(usize::try_from(number).ok()?).copied();
        ranked.into_iter().take(k).filter_map(node).collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and documents, for weights")]
fn length(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_and_short_documents_count_more() {
        let mut inverted = Inverted::default();
        let documents = [
            "a river of the north",
            "a river that flows through the old town of the fishermen and their many boats and houses",
            "the fishermen",
            "a town",
        ];
        for (number, text) in (0..).zip(documents) {
            inverted.add(NodeId(number), text);
        }
        let best = |text: &str| inverted.best(text, 4).into_iter().map(|node| node.0).collect::<Vec<_>>();
        assert_eq!(best("Fishermen?"), [2, 1]);
        assert_eq!(best("a river"), [0, 1, 3]);
        assert_eq!(best("the fishermen of the town").first(), Some(&1));
        assert_eq!(best("nothing such"), [0u64; 0]);
        assert_eq!(inverted.best("river", 1).len(), 1);
    }
}
