//! The ids of a semi-structured base's nodes, read before its edges. They show edges to unknown
//! nodes, and ids that two nodes share.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use xxhash_rust::xxh3::xxh3_64;

use super::config::ImportConfig;
use super::watch::Watch;
use crate::GraphError;
use crate::parse::input::{Input, Source, Work};
use crate::parse::{InputFormat, LineError, skb};

/// The ids in the files of nodes. Eight bytes an id.
#[derive(Default)]
pub(super) struct KnownNodes {
    ids: HashSet<u64>,
    /// Nodes whose id an earlier node has: number of the input, line.
    repeated: HashSet<(usize, u64)>,
}

impl KnownNodes {
    /// Reads the ids of all files of nodes. `None` if there are no such files, or if an input is
    /// standard input or a pipe, which cannot be read twice.
    pub(crate) fn read(config: &ImportConfig, watch: &Watch<'_>) -> Result<Option<Self>, GraphError> {
        if !config.inputs.iter().all(Input::can_be_read_twice) {
            return Ok(None);
        }
        let mut source = Source::new(config.inputs.clone(), config.format, Arc::new(AtomicU64::new(0)));
        let (mut known, mut any) = (Self::default(), false);
        while let Some(work) = source.next()? {
            watch.check()?;
            let Work::Lines { input, first_line, bytes } = work else { continue };
            if input.format != InputFormat::SkbNodes {
                source.skip();
                continue;
            }
            any = true;
            for (line, number) in bytes.split(|byte| *byte == b'\n').zip(first_line..) {
                // Invalid lines are reported in the second pass.
                let Some(id) = std::str::from_utf8(line).ok().and_then(skb::id) else { continue };
                if !known.ids.insert(xxh3_64(id.as_bytes())) {
                    known.repeated.insert((input.number, number));
                }
            }
        }
        Ok(any.then_some(known))
    }

    /// Refuses an edge to a node that no file describes.
    pub(super) fn check_edge(&self, ends: [&str; 2]) -> Result<(), LineError> {
        match ends.into_iter().find(|end| !self.ids.contains(&xxh3_64(end.as_bytes()))) {
            Some(missing) => Err(format!("an edge to {missing}, but no node has this id").into()),
            None => Ok(()),
        }
    }

    /// Refuses a node whose id an earlier node has.
    pub(super) fn check_node(&self, input: usize, line: u64, text: &str) -> Result<(), LineError> {
        if !self.repeated.contains(&(input, line)) {
            return Ok(());
        }
        let id = skb::id(text).unwrap_or_default();
        Err(format!("the id {id} appears twice: an earlier node has it").into())
    }
}
