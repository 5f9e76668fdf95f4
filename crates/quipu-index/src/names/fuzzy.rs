//! Keys within one or two edits of a text, by walking finite-state maps beside a band of the
//! edit-distance table.
//!
//! For the characters walked so far, the band holds the distance to each prefix of the query whose
//! length differs from theirs by at most the limit (optimal string alignment: a transposition of
//! neighbours is one edit). Where no more edit is allowed, the walk follows only the query's next
//! characters, so that most of it is a handful of direct transitions instead of every branch of
//! every node.
//!
//! Near its root a map of many names has nearly every branch, so errors at a name's start are
//! expensive. A second map with reversed keys makes them cheap: of `e` edits, either fewer than `e`
//! fall into the query's first half (walked forwards, with `e − 1` allowed there), or all do, and
//! the second half is exact (walked backwards).
#![expect(
    clippy::indexing_slicing,
    reason = "cells are below BAND, positions are compared with the query's length"
)]

use fst::raw::Node;

use super::finite_map::FiniteMap;

/// Most edits of a search.
const MOST_EDITS: u8 = 2;
const BAND: usize = 2 * MOST_EDITS as usize + 1;

type Row = [u8; BAND];

/// A key within the limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Near {
    /// The key's bytes.
    pub(super) key: Vec<u8>,
    /// Its value in the map.
    pub(super) value: u64,
    /// Its edit distance.
    pub(super) distance: u8,
}

/// The keys at the smallest occurring distance from 1 to `limit`, at most `most`. `backwards` is
/// the map of the reversed keys, if there is one. Damage of a map's page is reported by its file
/// afterwards.
pub(super) fn nearest(
    keys: &FiniteMap,
    backwards: Option<&FiniteMap>,
    text: &str,
    limit: u8,
    most: usize,
) -> Vec<Near> {
    let query: Vec<char> = text.chars().collect();
    for edits in 1..=limit.min(MOST_EDITS) {
        let mut found = match backwards {
            Some(backwards) => both_ways(keys, backwards, &query, edits, most),
            None => walk(keys, &query, vec![edits; query.len() + 2], edits, most),
        };
        found.retain(|near| near.distance > 0);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

fn both_ways(keys: &FiniteMap, backwards: &FiniteMap, query: &[char], edits: u8, most: usize) -> Vec<Near> {
    let half = query.len() / 2;
    let forward = (0..query.len() + 2).map(|prefix| if prefix <= half { edits - 1 } else { edits }).collect();
    let mut found = walk(keys, query, forward, edits, most);
    let exact = query.len() - half;
    let caps = (0..query.len() + 2).map(|prefix| if prefix < exact { 0 } else { edits }).collect();
    let reversed: Vec<char> = query.iter().rev().copied().collect();
    for near in walk(backwards, &reversed, caps, edits, most) {
        let key: String = String::from_utf8_lossy(&near.key).chars().rev().collect();
        if let Some(Some(value)) = keys.get(&key)
            && !found.iter().any(|other| other.key == key.as_bytes())
        {
            found.push(Near { key: key.into_bytes(), value, distance: near.distance });
        }
    }
    found
}

fn walk(keys: &FiniteMap, query: &[char], caps: Vec<u8>, limit: u8, most: usize) -> Vec<Near> {
    let mut walk = Walk { keys, query, caps, limit, path: Vec::new(), found: Vec::new(), most };
    walk.start();
    walk.found
}

struct Walk<'a> {
    keys: &'a FiniteMap,
    query: &'a [char],
    /// Most edits for each prefix of the query, by its length; non-decreasing, `limit` at the end.
    caps: Vec<u8>,
    limit: u8,
    path: Vec<u8>,
    found: Vec<Near>,
    most: usize,
}

/// The state of the walk: the last two rows of the table and the last character.
#[derive(Clone, Copy)]
struct Place {
    row: Row,
    before: Row,
    last: char,
    /// Characters walked.
    depth: usize,
    /// Sum of the outputs on the way; at most `u64::MAX`, as in [`FiniteMap`].
    output: u64,
}

impl Walk<'_> {
    fn start(&mut self) {
        let far = self.limit + 1;
        let half = usize::from(self.limit);
        let mut row = [far; BAND];
        for (prefix, (cell, distance)) in row[half..=2 * half].iter_mut().zip(0..).enumerate() {
            *cell = if self.caps.get(prefix).is_some_and(|cap| distance <= *cap) { distance } else { far };
        }
        let place = Place { row, before: [far; BAND], last: '\0', depth: 0, output: 0 };
        if let Some(root) = self.keys.root() {
            self.visit(root, place);
        }
    }

    fn visit(&mut self, node: Node<'_>, place: Place) {
        if self.found.len() >= self.most {
            return;
        }
        let half = usize::from(self.limit);
        if node.is_final()
            && let Some(cell) = (self.query.len() + half).checked_sub(place.depth)
            && cell <= 2 * half
            && place.row[cell] <= self.limit
        {
            let value = place.output.saturating_add(node.final_output().value());
            self.found.push(Near { key: self.path.clone(), value, distance: place.row[cell] });
        }
        if self.may_err(&place) {
            self.follow_all(&node, &place);
        } else {
            self.follow_expected(&node, &place);
        }
    }

    /// Whether some alignment has an edit left for the next character.
    fn may_err(&self, place: &Place) -> bool {
        (0..=2 * usize::from(self.limit)).any(|cell| {
            let position = (place.depth + cell).checked_sub(usize::from(self.limit));
            let cap = position.and_then(|position| self.caps.get(position + 1));
            cap.is_some_and(|cap| place.row[cell] < *cap)
        })
    }

    /// Without edits left, only the query's own next characters keep the distance.
    fn follow_expected(&mut self, node: &Node<'_>, place: &Place) {
        let half = usize::from(self.limit);
        let mut tried = ['\0'; 2 * BAND];
        let mut count = 0;
        for cell in 0..=2 * half {
            // Prefix of the query for this cell.
            let Some(position) = (place.depth + cell).checked_sub(half) else { continue };
            let same = (place.row[cell] <= self.limit).then(|| self.query.get(position)).flatten();
            let swapped = (self.caps.get(position + 1).is_some_and(|cap| place.before[cell] < *cap)
                && position >= 1
                && self.query.get(position) == Some(&place.last))
            .then(|| self.query[position - 1]);
            for character in same.copied().into_iter().chain(swapped) {
                if !tried[..count].contains(&character) {
                    tried[count] = character;
                    count += 1;
                    self.follow(node, place, character);
                }
            }
        }
    }

    /// Follows one character from a node, if there is a transition.
    fn follow(&mut self, node: &Node<'_>, place: &Place, character: char) {
        let mut buffer = [0; 4];
        let mut output = place.output;
        let mut address = node.addr();
        let bytes = character.encode_utf8(&mut buffer).as_bytes();
        for &byte in bytes {
            let Some(at) = self.keys.node(address) else { return };
            let Some(index) = at.find_input(byte) else { return };
            let transition = at.transition(index);
            output = output.saturating_add(transition.out.value());
            address = transition.addr;
        }
        let before = self.path.len();
        self.path.extend_from_slice(bytes);
        self.step(address, place, character, output);
        self.path.truncate(before);
    }

    fn follow_all(&mut self, node: &Node<'_>, place: &Place) {
        for transition in node.transitions() {
            let output = place.output.saturating_add(transition.out.value());
            self.path.push(transition.inp);
            let following = match transition.inp {
                ..0x80 => 0,
                0xc0..0xe0 => 1,
                0xe0..0xf0 => 2,
                _ => 3,
            };
            self.rest_of_character(transition.addr, place, output, following);
            self.path.pop();
        }
    }

    /// Walks the remaining bytes of a character, then steps.
    fn rest_of_character(&mut self, address: usize, place: &Place, output: u64, following: usize) {
        if following > 0 {
            let Some(node) = self.keys.node(address) else { return };
            for transition in node.transitions() {
                self.path.push(transition.inp);
                let output = output.saturating_add(transition.out.value());
                self.rest_of_character(transition.addr, place, output, following - 1);
                self.path.pop();
            }
            return;
        }
        let start = (0..self.path.len()).rev().find(|&at| self.path[at] & 0xc0 != 0x80).unwrap_or(0);
        let character = match self.path[start..] {
            [byte] => char::from(byte),
            ref bytes => match std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next()) {
                Some(character) => character,
                None => return,
            },
        };
        self.step(address, place, character, output);
    }

    /// Computes the next row of the table and continues if it is within the limit.
    fn step(&mut self, address: usize, place: &Place, character: char, output: u64) {
        let (far, half) = (self.limit + 1, usize::from(self.limit));
        let mut row = [far; BAND];
        let mut least = far;
        for cell in 0..=2 * half {
            let Some(position) = (place.depth + 1 + cell).checked_sub(half) else { continue };
            if position > self.query.len() {
                break;
            }
            let mut distance = if cell < 2 * half { place.row[cell + 1] + 1 } else { far };
            if position >= 1 {
                let differs = u8::from(self.query[position - 1] != character);
                distance = distance.min(place.row[cell] + differs);
                if cell > 0 {
                    distance = distance.min(row[cell - 1] + 1);
                }
                if position >= 2
                    && differs == 1
                    && self.query[position - 2] == character
                    && self.query[position - 1] == place.last
                {
                    distance = distance.min(place.before[cell] + 1);
                }
            }
            row[cell] = if distance <= self.caps[position] { distance } else { far };
            least = least.min(row[cell]);
        }
        if least <= self.limit
            && let Some(node) = self.keys.node(address)
        {
            let next = Place { row, before: place.row, last: character, depth: place.depth + 1, output };
            self.visit(node, next);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fst::raw::Fst;

    use super::*;
    use crate::container::{Container, ContainerWriter, Kind};

    /// Optimal string alignment over the whole table.
    fn distance(left: &str, right: &str) -> usize {
        let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let mut least = (table[i - 1][j] + 1)
                        .min(table[i][j - 1] + 1)
                        .min(table[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]));
                    if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                };
            }
        }
        table[left.len()][right.len()]
    }

    fn map<'a>(entries: impl Iterator<Item = (&'a str, u64)>) -> FiniteMap {
        written(Fst::from_iter_map(entries).unwrap().as_bytes())
    }

    fn written(map: &[u8]) -> FiniteMap {
        const KIND: Kind = Kind { magic: *b"QPTEST\0\0", version: 1, oldest: 1, title: "test file" };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map");
        let mut file = ContainerWriter::create(&path, KIND, 1).unwrap();
        file.write_section("map", map).unwrap();
        file.finish().unwrap();
        // Opened like a large file, so that every node is checked.
        FiniteMap::open(Container::open_unchecked(&path, KIND).unwrap().section("map").unwrap()).unwrap()
    }

    #[test]
    fn outputs_of_a_damaged_map_add_up_to_no_place() {
        let (large, more) = ([0x42; 8], [0x21; 8]);
        let values = [u64::from_le_bytes(large), u64::from_le_bytes(large) + u64::from_le_bytes(more)];
        let whole = Fst::from_iter_map(["ab", "ac"].into_iter().zip(values)).unwrap();
        let mut bytes = whole.as_bytes().to_vec();
        let at = bytes.windows(8).position(|window| window == large).unwrap();
        bytes[at..at + 8].fill(0xff);
        let damaged = written(&bytes);
        assert_eq!(damaged.get("ac"), Some(Some(u64::MAX)));
        assert_eq!(damaged.starting_with("ac", 9), Some(vec![("ac".to_owned(), u64::MAX)]));
        for text in ["acx", "xac", "xc", "ca"] {
            assert!(nearest(&damaged, None, text, 2, 9).iter().all(|near| near.value == u64::MAX), "{text}");
        }
    }

    fn check(keys: &BTreeSet<String>, text: &str) {
        let forwards = map(keys.iter().map(String::as_str).zip(1..));
        let least =
            keys.iter().map(|key| distance(key, text)).filter(|distance| (1..=2).contains(distance)).min();
        let expected: BTreeSet<String> =
            keys.iter().filter(|key| Some(distance(key, text)) == least).cloned().collect();
        let reversed: BTreeSet<String> = keys.iter().map(|key| key.chars().rev().collect()).collect();
        let backwards = map(reversed.iter().map(|key| (key.as_str(), 0)));
        for backwards in [None, Some(&backwards)] {
            let near = nearest(&forwards, backwards, text, 2, 1000);
            let found: BTreeSet<String> = near
                .into_iter()
                .map(|near| {
                    assert_eq!(Some(usize::from(near.distance)), least);
                    let key = String::from_utf8(near.key).unwrap();
                    assert_eq!(forwards.get(&key), Some(Some(near.value)));
                    assert_eq!(forwards.key_of(near.value).as_ref(), Some(&key));
                    key
                })
                .collect();
            assert_eq!(found, expected, "{text:?} in {keys:?}, backwards {}", backwards.is_some());
        }
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_the_whole_table(
            keys in proptest::collection::btree_set("[abé日]{0,6}", 1..40),
            text in "[abé日]{0,6}",
        ) {
            check(&keys, &text);
        }
    }

    #[test]
    fn edits_of_every_kind_are_found() {
        let keys: BTreeSet<String> = ["quentin tarantino", "quenten", "łódź"].map(str::to_owned).into();
        for text in
            ["uqentin tarantino", "qentin tarantino", "quentin tarantinoo", "xuentin taratnino", "lódź"]
        {
            check(&keys, text);
        }
    }
}
