//! Finite-state maps of the name index, read node by node with checks of the file's pages.

use fst::raw::{CompiledAddr, Fst, Node};

use crate::container::{Section, u64_at};

/// Bytes before a node's last one that determine its start: its state, its number of transitions,
/// their sizes.
const HEAD: usize = 4;
/// Bytes at the start and at the end of a map that opening reads; the last ones are `keys:u64
/// root:u64 checksum:u32`.
const ENDS: [usize; 2] = [16, 20];

/// A finite-state map in a section. Its methods return `None` if a page is damaged;
/// [`Container::damage`](crate::container::Container::damage) then reports the damage. The outputs
/// on the way to a value are added up to at most `u64::MAX`, which is an offset into no section.
pub(super) struct FiniteMap {
    fst: Fst<Section>,
    root: CompiledAddr,
}

impl FiniteMap {
    /// Opens the map in a section; an invalid map gives the reason.
    pub(super) fn open(section: Section) -> Result<Self, String> {
        let length = section.len();
        let [first, last] = ENDS;
        let start = section.get(0..first);
        let end = length.checked_sub(last).and_then(|start| section.get(start..length));
        let root = end.and_then(|end| usize::try_from(u64_at(end, size_of::<u64>())).ok());
        let (Some(_), Some(root)) = (start, root) else {
            return Err("its start or its end cannot be read".to_owned());
        };
        Ok(Self { fst: Fst::new(section).map_err(|error| error.to_string())?, root })
    }

    /// The start node of every walk.
    pub(super) fn root(&self) -> Option<Node<'_>> {
        self.node(self.root)
    }

    /// The node at an address.
    #[inline]
    pub(super) fn node(&self, address: CompiledAddr) -> Option<Node<'_>> {
        let (section, end) = (self.fst.as_inner(), address.checked_add(1)?);
        // Checks its last bytes first: they give its length.
        let head = address.saturating_sub(HEAD);
        section.check(head..end)?;
        let node = self.fst.node(address);
        let start = end.checked_sub(node.as_slice().len())?;
        if start < head {
            section.check(start..head)?;
        }
        Some(node)
    }

    /// The value of a key, if the map has the key.
    pub(super) fn get(&self, key: &str) -> Option<Option<u64>> {
        let mut node = self.root()?;
        let mut value = 0_u64;
        for byte in key.bytes() {
            let Some(index) = node.find_input(byte) else { return Some(None) };
            let transition = node.transition(index);
            value = value.saturating_add(transition.out.value());
            node = self.node(transition.addr)?;
        }
        Some(node.is_final().then(|| value.saturating_add(node.final_output().value())))
    }

    /// Keys with this beginning, with their values, in order; at most `most`.
    pub(super) fn starting_with(&self, start: &str, most: usize) -> Option<Vec<(String, u64)>> {
        let (mut node, mut value) = (self.root()?, 0_u64);
        for byte in start.bytes() {
            let Some(index) = node.find_input(byte) else { return Some(Vec::new()) };
            let transition = node.transition(index);
            value = value.saturating_add(transition.out.value());
            node = self.node(transition.addr)?;
        }
        let mut found = Vec::new();
        let mut open = vec![(node.addr(), value, start.as_bytes().to_vec())];
        while let Some((address, value, key)) = open.pop() {
            if found.len() >= most {
                break;
            }
            let node = self.node(address)?;
            // In reverse order, so that the first is popped next.
            for index in (0..node.len()).rev() {
                let transition = node.transition(index);
                let key = key.iter().copied().chain([transition.inp]).collect();
                open.push((transition.addr, value.saturating_add(transition.out.value()), key));
            }
            if node.is_final() {
                found.push((String::from_utf8(key).ok()?, value.saturating_add(node.final_output().value())));
            }
        }
        Some(found)
    }

    /// The key of a value, in a map whose values rise with its keys.
    pub(super) fn key_of(&self, value: u64) -> Option<String> {
        let mut node = self.root()?;
        let mut left = value;
        let mut key = Vec::new();
        while !node.is_final() || node.final_output().value() != left {
            // Outputs rise from transition to transition: the last one that does not exceed the
            // value leads to the key.
            let mut fitting = None;
            for transition in node.transitions() {
                if transition.out.value() > left {
                    break;
                }
                fitting = Some(transition);
            }
            let transition = fitting?;
            left -= transition.out.value();
            key.push(transition.inp);
            node = self.node(transition.addr)?;
        }
        String::from_utf8(key).ok()
    }
}
