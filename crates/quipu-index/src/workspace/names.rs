//! Indexes the names of a graph: one thread reads them from the store, another normalises and sorts
//! them.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{SyncSender, sync_channel};

use quipu_graph::NodeId;

use super::progress::{LET_GO_STEP, NAMES_STEP, report, stop_if};
use super::source::Texts;
use super::{WorkspaceProgress, WorkspaceProgressSink};
use crate::{IndexError, NameEntry, NameIndexConfig, NameIndexWriter, NameKind};

/// Batches that wait between the two threads.
const WAITING: usize = 4;
/// Bytes of text after which a batch is sent.
const MOST_TEXT: usize = 256 << 10;

/// Indexes the names of all entities except `relations`: "capital" in a question must not become a
/// mention of the relation with this name.
pub(super) fn index_names(
    texts: Texts<'_>,
    relations: &HashSet<NodeId>,
    path: &Path,
    memory: usize,
    progress: Option<&WorkspaceProgressSink>,
    cancel: &AtomicBool,
) -> Result<(), IndexError> {
    let mut writer = NameIndexWriter::create(path, &NameIndexConfig { memory })?;
    let total = texts.store.entity_count();
    let (full, batches) = sync_channel(WAITING);
    let outcome = std::thread::scope(|scope| {
        let reading = scope.spawn(move || {
            let mut reader = Reader { texts, relations, full, batch: Batch::default() };
            reader.read(|done| {
                report(progress, WorkspaceProgress::Names { done, total });
                stop_if(cancel)
            })
        });
        // If the writer fails, the channel closes, and the reader ends on its next send.
        batches.into_iter().try_for_each(|batch| batch.write(&mut writer))?;
        crate::join(reading)
    });
    texts.store.let_go();
    outcome?;
    writer.finish()?;
    report(progress, WorkspaceProgress::Names { done: total, total });
    Ok(())
}

/// Names of some entities, concatenated into one text.
#[derive(Default)]
struct Batch {
    text: String,
    names: Vec<Name>,
}

struct Name {
    node: NodeId,
    kind: NameKind,
    degree: u64,
    name: Range<usize>,
    label: Range<usize>,
}

impl Batch {
    fn is_full(&self) -> bool {
        self.names.len() >= NAMES_STEP as usize || self.text.len() >= MOST_TEXT
    }

    fn push_text(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    fn write(&self, writer: &mut NameIndexWriter) -> Result<(), IndexError> {
        for &Name { node, kind, degree, ref name, ref label } in &self.names {
            let name = self.text.get(name.clone()).unwrap_or_default();
            writer.push(&NameEntry { node, name, kind, degree, label: self.text.get(label.clone()) })?;
        }
        Ok(())
    }
}

struct Reader<'a> {
    texts: Texts<'a>,
    relations: &'a HashSet<NodeId>,
    full: SyncSender<Batch>,
    batch: Batch,
}

impl Reader<'_> {
    /// Sends all names. After each batch `step` gets the number of entities done; its error ends
    /// the reading.
    fn read(&mut self, step: impl Fn(u64) -> Result<(), IndexError>) -> Result<(), IndexError> {
        let (mut node, mut label, mut degree, mut let_go_at) = (None, String::new(), 0, LET_GO_STEP);
        for name in self.texts.store.names() {
            let name = name?;
            if self.relations.contains(&name.node) {
                continue;
            }
            if self.batch.is_full() {
                step(name.node.0)?;
                if self.full.send(std::mem::take(&mut self.batch)).is_err() {
                    return Ok(());
                }
            }
            if node != Some(name.node) {
                node = Some(name.node);
                degree = self.texts.degree(name.node)?;
                if name.node.0 >= let_go_at {
                    let_go_at = name.node.0 + LET_GO_STEP;
                    self.texts.store.let_go();
                }
            }
            let kind = if name.is_alias { NameKind::Alias } else { NameKind::Label };
            let range = self.batch.push_text(&name.name);
            let label = if name.is_alias {
                self.batch.push_text(&label)
            } else {
                label.clear();
                label.push_str(&name.name);
                range.clone()
            };
            self.batch.names.push(Name { node: name.node, kind, degree, name: range, label });
        }
        // The writer's own error explains the closed channel.
        let _ = self.full.send(std::mem::take(&mut self.batch));
        Ok(())
    }
}
