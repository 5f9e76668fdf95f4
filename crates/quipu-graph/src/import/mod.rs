//! Importing: turns dumps of any size into a store, in bounded memory.
//!
//! Threads parse blocks of lines into batches, each with its own dictionary, and spill them sorted
//! by the hash of the terms. Merging the spilled terms gives the ids. The triples are then
//! translated, sorted in chunks in both directions, and merged into the adjacency. Every stage
//! reads and writes sequentially.

mod assemble;
mod batch;
mod config;
mod external_sort;
mod intern;
mod merge_terms;
mod naming;
mod nodes;
mod read;
mod report;
mod sort_triples;
mod tables;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use parking_lot::Mutex;

pub use report::TableReport;

pub use config::{ImportConfig, ImportProgress, ImportReport, ImportStage, ProgressSink, SkippedLine};

use crate::error::io_error;
use crate::naming::NAMING;
use crate::readable::readable_relation;
use crate::store::adjacency::Adjacency;
use crate::store::catalogue::{CatalogueEntry, write_catalogue};
use crate::store::checks::write_checks;
use crate::store::columns::{DocumentPlace, NameColumn, write_document_index};
use crate::store::dictionary::Dictionary;
use crate::store::file::FileWriter;
use crate::store::manifest::{Counts, Manifest};
use crate::store::schema::{count_schema, write_schema};
use crate::{GraphError, NodeId, Profile, ProfileChoice, RelationInfo, RelationRole};
use assemble::{Assembled, Plan, assemble};
use batch::{Gathered, RelationTable, Run};
use external_sort::SortedTriples;
use merge_terms::{MergedTerms, mapping_path, merge_terms};
use naming::name_unlabelled;
use read::{Counted, read_inputs};
use sort_triples::sort_triples;
use watch::Watch;

/// Folder of the spill files, within the store's. It is removed at the end of the import.
const SPILL: &str = "spill";

/// Waits for a thread and propagates its panic.
fn join<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Imports the inputs into a store in `folder`, which is created or must be empty. The files of a
/// failed or killed import are not a store, because the manifest is written last.
/// [`Generations`](crate::Generations) replaces an old store by a finished one.
pub fn import(config: &ImportConfig, folder: &Path) -> Result<ImportReport, GraphError> {
    let spill = folder.join(SPILL);
    std::fs::create_dir_all(&spill).map_err(io_error("cannot create", &spill))?;
    let outcome =
        Import { config, folder, spill: spill.clone(), watch: Watch::new(config), seconds: Vec::new() }.run();
    let removed = std::fs::remove_dir_all(&spill).map_err(io_error("cannot remove", &spill));
    let report = outcome?;
    removed?;
    Ok(report)
}

/// A running import.
struct Import<'a> {
    config: &'a ImportConfig,
    folder: &'a Path,
    spill: PathBuf,
    watch: Watch<'a>,
    seconds: Vec<(&'static str, f64)>,
}

/// The relations in the order of their ids.
struct Relations {
    keys: Vec<String>,
    roles: Vec<(RelationRole, usize)>,
    /// Id of each provisional number.
    ids: Vec<u32>,
}

impl Import<'_> {
    fn run(mut self) -> Result<ImportReport, GraphError> {
        let chosen = match &self.config.profile {
            ProfileChoice::Auto => None,
            ProfileChoice::Named(name) => Some(Profile::named(name)?),
            ProfileChoice::File(path) => Some(Profile::from_file(path)?),
        };
        let counted = Counted::default();
        let (gathered, tables) = self.timed("reading", |import| import.read(&counted))?;
        let Gathered { relations, documents, runs, called_kinds, .. } = gathered;
        let (runs, relations) = (runs.into_inner(), relations.into_inner());
        if runs.is_empty() {
            return Err(GraphError::Empty);
        }
        let profile = match chosen {
            Some(profile) => profile,
            None => {
                let keys = relations.keys.iter().map(String::as_str);
                Profile::detect(&keys.zip(relations.statements.iter().copied()).collect::<Vec<_>>())?
            }
        };
        let relations = order_relations(relations, &called_kinds.into_inner(), &profile);
        let merged = self.timed("merging terms", |import| import.merge(&runs))?;
        let counts = Counts {
            entities: merged.entities,
            literals: merged.literals,
            relations: relations.keys.len() as u64,
            ..Counts::default()
        };
        let mut manifest = Manifest::new(&self.config.name, counts, &self.config.languages, profile);
        manifest.files.clone_from(&merged.files);
        manifest.files.push(documents.into_inner().finish()?);
        self.write_documents(&runs, &mut manifest)?;
        let assembled = self.triples(&runs, &relations, &merged, &manifest)?;
        self.timed("summarising", |import| import.conclude(&assembled, relations, &mut manifest))?;
        Ok(ImportReport { tables, ..self.report(&counted, &manifest) })
    }

    fn timed<T>(
        &mut self,
        stage: &'static str,
        run: impl FnOnce(&Self) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        let start = Instant::now();
        let outcome = run(self);
        self.seconds.push((stage, start.elapsed().as_secs_f64()));
        outcome
    }

    fn read(&self, counted: &Counted) -> Result<(Gathered, Vec<TableReport>), GraphError> {
        let gathered = Gathered {
            spill: self.spill.clone(),
            relations: Mutex::new(RelationTable::default()),
            documents: Mutex::new(FileWriter::create(self.folder, "documents.texts")?),
            runs: Mutex::new(Vec::new()),
            called_kinds: Mutex::default(),
        };
        let tables = read_inputs(self.config, &gathered, counted, &self.watch)?;
        Ok((gathered, tables.reports()))
    }

    fn merge(&self, runs: &[Run]) -> Result<MergedTerms, GraphError> {
        let config = self.config;
        let merged =
            merge_terms(self.folder, &self.spill, runs, &config.languages, config.memory, &self.watch)?;
        for run in runs {
            remove(&run.terms_path(&self.spill))?;
        }
        Ok(merged)
    }

    /// Writes the index of the documents. If a node has several, the first in the file of texts
    /// wins.
    fn write_documents(&self, runs: &[Run], manifest: &mut Manifest) -> Result<(), GraphError> {
        let mut places = Vec::new();
        for run in runs.iter().filter(|run| !run.documents.is_empty()) {
            let path = mapping_path(&self.spill, run.number);
            let ids = std::fs::read(&path).map_err(io_error("cannot read", &path))?;
            places.extend(run.documents.iter().map(|document| DocumentPlace {
                node: crate::bytes::u32_at(&ids, document.node as usize).unwrap_or_default(),
                offset: document.offset,
                length: document.length,
            }));
        }
        places.sort_unstable();
        places.dedup_by_key(|place| place.node);
        manifest.counts.documents = places.len() as u64;
        manifest.files.push(write_document_index(self.folder, &places)?);
        Ok(())
    }

    fn triples(
        &mut self,
        runs: &[Run],
        relations: &Relations,
        merged: &MergedTerms,
        manifest: &Manifest,
    ) -> Result<Assembled, GraphError> {
        let (memory, threads) = (self.config.memory, self.config.threads);
        let chunks = self.timed("sorting", |import| {
            let chunks = sort_triples(&import.spill, runs, &relations.ids, memory, threads, &import.watch)?;
            for run in runs {
                remove(&run.triples_path(&import.spill))?;
                remove(&mapping_path(&import.spill, run.number))?;
            }
            Ok(chunks)
        })?;
        self.timed("writing", |import| {
            let plan = Plan {
                folder: import.folder,
                manifest,
                roles: &relations.roles,
                language_ranks: &merged.language_ranks,
                memory,
            };
            let buffers = memory as usize / 8;
            std::thread::scope(|scope| {
                let mut forward = SortedTriples::spawn(scope, chunks.forward, buffers)?;
                let mut backward = SortedTriples::spawn(scope, chunks.backward, buffers)?;
                assemble(&plan, &mut forward, &mut backward, &import.watch)
            })
        })
    }

    /// Names entities without a label; writes catalogue, schema, the page sums of all files and,
    /// last, the manifest. The manifest makes the folder a store.
    fn conclude(
        &self,
        assembled: &Assembled,
        mut relations: Relations,
        manifest: &mut Manifest,
    ) -> Result<(), GraphError> {
        manifest.files.extend(assembled.files.iter().cloned());
        if assembled.types == 0 {
            // What is stated in texts is a property like others.
            for ((role, _), key) in relations.roles.iter_mut().zip(&relations.keys) {
                if *role == RelationRole::Type {
                    *role = manifest.profile.role(key).0;
                }
            }
        }
        name_unlabelled(self.folder, assembled, &mut relations, manifest)?;
        manifest.counts.triples = assembled.triples;
        manifest.counts.types = assembled.types;
        let catalogue = self.catalogue(assembled, relations, manifest)?;
        manifest.files.push(write_catalogue(self.folder, &catalogue)?);
        let infos: Vec<RelationInfo> = catalogue.into_iter().map(|entry| entry.info).collect();
        let schema = match &assembled.type_sets {
            Some(sets) if assembled.types > 0 => {
                count_schema(&Adjacency::open(self.folder, manifest)?, &infos, sets)?
            }
            _ => Vec::new(),
        };
        manifest.counts.schema_edges = schema.len() as u64;
        manifest.files.push(write_schema(self.folder, &schema)?);
        manifest.files.push(write_checks(self.folder, &manifest.files)?);
        self.watch.check()?;
        manifest.write(self.folder)
    }

    fn catalogue(
        &self,
        assembled: &Assembled,
        relations: Relations,
        manifest: &Manifest,
    ) -> Result<Vec<CatalogueEntry>, GraphError> {
        let dictionary = Dictionary::open(self.folder, manifest)?;
        let names = NameColumn::open(self.folder, manifest)?;
        let entities = manifest.counts.entities;
        let mut entries = Vec::with_capacity(relations.keys.len());
        let numbers = assembled.relations.iter().zip(&assembled.heads_ends);
        for ((key, (role, _)), (counts, heads_end)) in
            relations.keys.into_iter().zip(relations.roles).zip(numbers)
        {
            let node = dictionary.find_entity(&key)?.map(NodeId);
            let bearer = dictionary.find_entity(&manifest.profile.label_bearer(&key))?;
            let label = match bearer {
                Some(bearer) => names.get(bearer)?.and_then(|name| name.0.checked_sub(entities)),
                None => None,
            };
            let name = match label {
                Some(label) => dictionary.literal(label)?.0.to_owned(),
                None => readable_relation(&key),
            };
            let info = RelationInfo {
                key,
                name,
                role,
                triples: counts.triples,
                heads: counts.heads,
                tails: counts.tails,
            };
            entries.push(CatalogueEntry { info, node, heads_end: *heads_end });
        }
        Ok(entries)
    }

    fn report(self, counted: &Counted, manifest: &Manifest) -> ImportReport {
        let counts = &manifest.counts;
        let mut skipped_lines = counted.skipped_lines.lock().clone();
        skipped_lines.sort();
        let mut open_ended = counted.open_ended.lock().clone();
        open_ended.sort();
        ImportReport {
            statements: counted.statements.load(Ordering::Relaxed),
            triples: counts.triples,
            entities: counts.entities,
            literals: counts.literals,
            relations: counts.relations,
            types: counts.types,
            documents: counts.documents,
            bytes: manifest.files.iter().map(|entry| entry.bytes).sum(),
            profile: manifest.profile.name.clone(),
            skipped: counted.skipped.load(Ordering::Relaxed),
            skipped_lines,
            open_ended,
            tables: Vec::new(),
            seconds: self.seconds,
        }
    }
}

/// Orders the relations by key, so that their ids do not depend on the order of the threads.
/// `called` holds what is called like a relation to kinds, with the relation that calls it so.
fn order_relations(table: RelationTable, called: &[(String, String)], profile: &Profile) -> Relations {
    let mut keyed: Vec<(String, u32)> = table.keys.into_iter().zip(0..).collect();
    keyed.sort_unstable();
    let statements = keyed.iter().map(|(_, number)| table.statements.get(*number as usize).copied());
    let statements: Vec<u64> = statements.map(Option::unwrap_or_default).collect();
    let mut ids = vec![0; keyed.len()];
    for ((_, provisional), id) in keyed.iter().zip(0u32..) {
        if let Some(place) = ids.get_mut(*provisional as usize) {
            *place = id;
        }
    }
    let keys: Vec<String> = keyed.into_iter().map(|(key, _)| key).collect();
    let mut roles: Vec<(RelationRole, usize)> = keys.iter().map(|key| profile.role(key)).collect();
    // A graph with a vocabulary of its own may state kinds by a relation of its own, and by
    // `rdf:type` only that its relations are properties.
    let of_types = roles.iter().zip(&statements).filter(|(role, _)| role.0 == RelationRole::Type);
    let typed: u64 = of_types.map(|(_, statements)| statements).sum();
    let is_label = |relation: &str| profile.role(relation).0 == RelationRole::Label;
    let is_called = |key: &str| {
        let bearer = profile.label_bearer(key);
        called.iter().any(|(thing, by)| *thing == bearer && is_label(by))
    };
    for ((role, key), statements) in roles.iter_mut().zip(&keys).zip(&statements) {
        let may_be = role.0 == RelationRole::Ordinary && *statements > typed;
        if may_be && (NAMING.leads_to_kinds(key) || is_called(key)) {
            *role = (RelationRole::Type, 0);
        }
    }
    Relations { keys, roles, ids }
}

fn remove(path: &Path) -> Result<(), GraphError> {
    std::fs::remove_file(path).map_err(io_error("cannot remove", path))
}
