//! Reads the name index.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use quipu_graph::NodeId;

use super::finite_map::FiniteMap;
use super::writer::title_case;
use super::{Candidate, KIND, LONGEST_KEY, MatchReason, NameKind, clip, fuzzy, rank, score};
use crate::IndexError;
use crate::container::{Container, Section};
use crate::varint::Cursor;
use quipu_language::{Word, fold, normalise};

/// Most nodes of one name that are read. A name with more (a category, a common personal name) is
/// cut after its best connected nodes.
const MOST_OF_A_NAME: usize = 320;
/// Most keys at the closest distance.
const MOST_NEAR: usize = 64;

/// Settings of a lookup.
#[derive(Debug, Clone)]
pub struct LookupConfig {
    /// Most candidates.
    pub k: usize,
    /// Most edits of the fuzzy stage, 0 to 2. Texts of up to three characters get at most one.
    pub max_edits: u8,
    /// Whether to include names that share words with the text.
    pub partial: bool,
    /// Whether inexact stages run even after an exact match. Their hits rank below it.
    pub alternatives: bool,
}

impl Default for LookupConfig {
    fn default() -> Self {
        Self { k: 10, max_edits: 2, partial: true, alternatives: false }
    }
}

/// The mapped name index.
pub struct NameIndex {
    container: Container,
    pub(super) keys: FiniteMap,
    backwards: FiniteMap,
    pub(super) names: Section,
    pub(super) words: FiniteMap,
    pub(super) postings: Section,
    pub(super) grams: FiniteMap,
    pub(super) gramlist: Section,
    pub(super) meta: Meta,
    translate: Option<Translate>,
}

/// Translates the nodes of an index's origin to those of a graph; `None`: the graph lacks the node.
pub(crate) type Translate = Arc<dyn Fn(NodeId) -> Option<NodeId> + Send + Sync>;

impl std::fmt::Debug for NameIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("NameIndex")
            .field("path", &self.container.path())
            .field("meta", &self.meta)
            .finish()
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Meta {
    pub(super) names: u64,
    pub(super) keys: u64,
    pub(super) greatest_degree: u64,
    pub(super) longest: u64,
}

impl Meta {
    /// Reads the section `meta`. `None` if the section is short, or if its numbers cannot be those
    /// of the section `names`.
    fn read(meta: &Section, names: &Section) -> Option<Self> {
        let number = |index: usize| meta.u64_at(8 * index);
        let meta =
            Self { names: number(0)?, keys: number(1)?, greatest_degree: number(3)?, longest: number(4)? };
        let fits =
            meta.keys <= meta.names && meta.names <= names.len() as u64 && meta.longest <= LONGEST_KEY as u64;
        fits.then_some(meta)
    }
}

/// One name of a block.
struct Named {
    node: NodeId,
    kind: NameKind,
    degree: u64,
    surface: String,
    label: Option<String>,
}

impl NameIndex {
    /// Maps the index. Checks header and table, and every byte of a file below 4 MB; in a larger
    /// file each page is checked on its first read.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        Self::from_container(Container::open(path, KIND)?)
    }

    /// Opens a file as if it were too large to be checked on opening.
    #[cfg(test)]
    pub(super) fn open_unchecked(path: &Path) -> Result<Self, IndexError> {
        Self::from_container(Container::open_unchecked(path, KIND)?)
    }

    /// The index with translated nodes. A node without a translation counts as damage.
    pub(crate) fn with_nodes(self, translate: Translate) -> Self {
        Self { translate: Some(translate), ..self }
    }

    fn from_container(container: Container) -> Result<Self, IndexError> {
        let path = container.path();
        let map = |name: &str| -> Result<FiniteMap, IndexError> {
            FiniteMap::open(container.section(name)?).map_err(|reason| {
                let of_section = || IndexError::corrupt(path, format!("section {name}: {reason}"));
                container.damage().unwrap_or_else(of_section)
            })
        };
        let names = container.section("names")?;
        let meta = Meta::read(&container.small_section("meta")?, &names)
            .ok_or_else(|| IndexError::corrupt(path, "its counts contradict each other"))?;
        Ok(Self {
            keys: map("keys")?,
            backwards: map("backkeys")?,
            names,
            words: map("words")?,
            postings: container.section("postings")?,
            grams: map("grams")?,
            gramlist: container.section("gramlist")?,
            meta,
            translate: None,
            container,
        })
    }

    /// Reads the whole file and compares its checksums.
    pub fn verify(&self) -> Result<(), IndexError> {
        self.container.verify()
    }

    /// Number of names.
    pub fn len(&self) -> u64 {
        self.meta.names
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.meta.names == 0
    }

    /// Length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.container.bytes()
    }

    /// The greatest degree of a named node, which scales the popularity prior.
    pub(crate) fn greatest_degree(&self) -> u64 {
        self.meta.greatest_degree
    }

    /// The number of words of the longest normalised name.
    pub fn longest_name(&self) -> usize {
        usize::try_from(self.meta.longest).unwrap_or(usize::MAX)
    }

    /// Nodes whose label or alias is the text, normalised; best first, at most `k`.
    pub fn exact(&self, text: &str, k: usize) -> Result<Vec<Candidate>, IndexError> {
        let key = normalise(text);
        self.exact_key(clip(&key), text, k)
    }

    /// Names that begin with the normalised text, those with most triples first, at most `k`. Only
    /// the first 256 such names are considered.
    pub fn starting_with(&self, text: &str, k: usize) -> Result<Vec<String>, IndexError> {
        /// Most names that are considered.
        const MOST: usize = 256;
        let start = normalise(text);
        self.guarded(|| {
            let mut found = Vec::new();
            if start.is_empty() {
                return Some(Vec::new());
            }
            for (key, block) in self.keys.starting_with(&start, MOST)? {
                for named in self.block(block, &key)? {
                    found.push((named.degree, named.surface));
                }
            }
            found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
            let mut names: Vec<String> = Vec::new();
            for (_, name) in found {
                if names.len() < k && !names.contains(&name) {
                    names.push(name);
                }
            }
            Some(names)
        })
    }

    /// The same for a text whose normalised form is known.
    pub(crate) fn exact_key(&self, key: &str, text: &str, k: usize) -> Result<Vec<Candidate>, IndexError> {
        self.guarded(|| {
            let mut found = Vec::new();
            if let Some(block) = self.keys.get(key)? {
                self.exact_block(block, key, text, &mut found)?;
            }
            rank(&mut found, k);
            Some(found)
        })
    }

    /// The numbers of leading words that together form a name, directly or with a final `s` of the
    /// last word removed.
    pub(crate) fn name_lengths(&self, words: &[Word]) -> Result<Vec<usize>, IndexError> {
        self.guarded(|| {
            let mut lengths = Vec::new();
            let mut node = self.keys.root()?;
            for (count, word) in (1..).zip(words) {
                let mut singular = false;
                let spaced = (count > 1).then_some(b' ').into_iter().chain(word.text.bytes());
                let last = word.text.len() + usize::from(count > 1);
                let mut walked = true;
                for (at, byte) in (1..).zip(spaced) {
                    singular = at == last && byte == b's' && node.is_final();
                    match node.find_input(byte) {
                        Some(index) => node = self.keys.node(node.transition_addr(index))?,
                        None => {
                            walked = false;
                            break;
                        }
                    }
                }
                if singular || (walked && node.is_final()) {
                    lengths.push(count);
                }
                if !walked {
                    break;
                }
            }
            Some(lengths)
        })
    }

    /// The nodes that a text may mean, best first: exact and alias matches, else the stages that
    /// allow errors. Empty for an empty text.
    pub fn lookup(&self, text: &str, config: &LookupConfig) -> Result<Vec<Candidate>, IndexError> {
        let key = normalise(text);
        let key = clip(&key);
        self.guarded(|| {
            let mut found = Vec::new();
            if key.is_empty() {
                return Some(found);
            }
            if let Some(block) = self.keys.get(key)? {
                self.exact_block(block, key, text, &mut found)?;
            }
            if found.is_empty() || config.alternatives {
                self.fuzzy(key, config.max_edits, &mut found)?;
                // Names that merely share words add nothing to a full list of better matches.
                if config.partial && (found.len() < config.k || config.alternatives) {
                    self.push_partial(key, &mut found)?;
                }
            }
            rank(&mut found, config.k);
            Some(found)
        })
    }

    /// Nodes whose name is at the closest distance from the text, at most `edits` and not zero;
    /// best first.
    pub fn fuzzy_matches(&self, text: &str, edits: u8, k: usize) -> Result<Vec<Candidate>, IndexError> {
        let key = normalise(text);
        self.guarded(|| {
            let mut found = Vec::new();
            self.fuzzy(clip(&key), edits, &mut found)?;
            rank(&mut found, k);
            Some(found)
        })
    }

    fn exact_block(&self, block: u64, key: &str, text: &str, into: &mut Vec<Candidate>) -> Option<()> {
        let (text, folded) = (text.trim(), fold(text.trim()));
        // In a text without any capital, a missing capital means nothing.
        let other_case = if text.contains(char::is_uppercase) { 0.96 } else { 0.993 };
        for named in self.block(block, key)? {
            let surface = match () {
                () if named.surface == text => 1.0,
                () if fold(&named.surface) == folded => other_case,
                () => 0.93,
            };
            let (reason, quality) = match named.kind {
                NameKind::Alias => (MatchReason::Alias, surface - 0.04),
                NameKind::Label | NameKind::Literal => (MatchReason::Exact, surface),
            };
            into.push(self.candidate(named, reason, quality)?);
        }
        Some(())
    }

    fn fuzzy(&self, key: &str, edits: u8, into: &mut Vec<Candidate>) -> Option<()> {
        let length = key.chars().count();
        let edits = if length <= 3 { edits.min(1) } else { edits };
        for near in fuzzy::nearest(&self.keys, Some(&self.backwards), key, edits, MOST_NEAR) {
            let found = String::from_utf8(near.key).ok()?;
            let quality = 0.95 - 1.2 * f64::from(near.distance) / (length + 1) as f64;
            for named in self.block(near.value, &found)? {
                into.push(self.candidate(named, MatchReason::Fuzzy { distance: near.distance }, quality)?);
            }
        }
        Some(())
    }

    fn push_partial(&self, key: &str, into: &mut Vec<Candidate>) -> Option<()> {
        for partial in self.partial(key)? {
            let reason = MatchReason::Trigram { similarity: partial.similarity as f32 };
            for named in self.block(partial.block, &partial.key)? {
                into.push(self.candidate(named, reason, 0.85 * partial.similarity)?);
            }
        }
        Some(())
    }

    fn candidate(&self, named: Named, reason: MatchReason, quality: f64) -> Option<Candidate> {
        Some(Candidate {
            node: self.translate.as_ref().map_or(Some(named.node), |translate| translate(named.node))?,
            name: named.label.unwrap_or_else(|| named.surface.clone()),
            matched: named.surface,
            reason,
            score: score(quality, named.degree, self.meta.greatest_degree),
            degree: named.degree,
        })
    }

    fn block(&self, offset: u64, key: &str) -> Option<Vec<Named>> {
        let mut cursor = Cursor::over(&self.names, offset)?;
        cursor.byte()?;
        let count = usize::try_from(cursor.number()?).ok()?;
        (0..count.min(MOST_OF_A_NAME)).map(|_| read_name(&mut cursor, key)).collect()
    }

    /// Runs a lookup. Three signs show that the file is damaged: the result `None`, a panic of the
    /// finite-state library (which trusts its bytes), and a damaged page, without which the result
    /// may be wrong.
    fn guarded<T>(&self, lookup: impl FnOnce() -> Option<T>) -> Result<T, IndexError> {
        let found = std::panic::catch_unwind(AssertUnwindSafe(lookup)).ok().flatten();
        match self.container.damage() {
            Some(damage) => Err(damage),
            None => found.ok_or_else(|| {
                IndexError::corrupt(
                    self.container.path(),
                    "the name index is damaged: an entry cannot be read",
                )
            }),
        }
    }
}

fn read_name(cursor: &mut Cursor<'_>, key: &str) -> Option<Named> {
    let flags = cursor.byte()?;
    let kind = match flags & 0b11 {
        0 => NameKind::Label,
        1 => NameKind::Alias,
        2 => NameKind::Literal,
        _ => return None,
    };
    let node = NodeId(cursor.number()?);
    let degree = cursor.number()?;
    let surface = match flags >> 2 & 0b11 {
        0 => key.to_owned(),
        1 => title_case(key),
        2 => cursor.text()?.to_owned(),
        _ => return None,
    };
    let label = if flags & 1 << 4 == 0 { None } else { Some(cursor.text()?.to_owned()) };
    Some(Named { node, kind, degree, surface, label })
}
