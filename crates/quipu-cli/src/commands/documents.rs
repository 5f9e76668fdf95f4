//! `quipu documents`: documents for the entities of a workspace.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use quipu_index::text::{Format, TextFile};
use quipu_index::{AddedDocument, NamedEntity, Workspace};
use quipu_model::Embedder;

use super::workspace;
use crate::config::Settings;
use crate::failure::WrongUsage;
use crate::interrupt::stoppable;
use crate::output::{Align, Table, counted, grouped, stdout};
use crate::{engine, progress};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add files (Markdown, text, HTML, PDF) as documents of entities; a file added before is
    /// replaced
    Add(Add),
    /// List the documents that were added
    List {
        /// The workspace's folder
        workspace: PathBuf,
    },
    /// Remove documents that were added
    Remove {
        /// The workspace's folder
        workspace: PathBuf,
        /// Their files, as `list` shows them
        #[arg(value_name = "FILE", required = true)]
        files: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(super) struct Add {
    /// The workspace's folder
    workspace: PathBuf,
    /// Files, or folders of files
    #[arg(value_name = "FILE|DIR", required = true)]
    files: Vec<PathBuf>,
    /// The entity that the files are about, by id or name; without it, a field of the file or the
    /// file's name gives the entity
    #[arg(long, value_name = "NAME|ID", conflicts_with = "entity_field")]
    entity: Option<String>,
    /// The field that names the file's entity, in the lines between `---` at its head or in an
    /// HTML `meta` element
    #[arg(long, value_name = "FIELD", default_value = "entity")]
    entity_field: String,
    /// Leave out the vectors: passages are then found by their words, not by meaning
    #[arg(long)]
    no_embeddings: bool,
}

impl Command {
    pub(super) async fn run(self) -> Result<()> {
        match self {
            Self::Add(arguments) => arguments.run().await,
            Self::List { workspace } => list(&workspace),
            Self::Remove { workspace, files } => remove(&workspace, &files).await,
        }
    }
}

impl Add {
    async fn run(self) -> Result<()> {
        let embedder = embedder(&self.workspace, self.no_embeddings).await?;
        let (mut documents, mut left_out) = (Vec::new(), Vec::new());
        {
            let workspace = workspace::open(&self.workspace)?;
            for file in files_of(&self.files)? {
                match self.read(&workspace, &file).await? {
                    Ok(document) => documents.push(document),
                    Err(reason) => left_out.push((file, reason)),
                }
            }
        }
        for (file, reason) in &left_out {
            tell!("left out {}: {reason}", file.display());
        }
        let added = documents.len();
        if added > 0 {
            index(self.workspace, documents, embedder).await?;
        }
        tell!("added {}", counted(added as u64, "document", "documents"));
        if left_out.is_empty() {
            return Ok(());
        }
        bail!("{} left out", counted(left_out.len() as u64, "file was", "files were"))
    }

    /// Reads a file as a document, or says why it cannot be one.
    async fn read(&self, workspace: &Workspace, file: &Path) -> Result<Result<AddedDocument, String>> {
        let bytes = match std::fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let read = match TextFile::read(&name, &bytes) {
            Ok(read) => read,
            Err(error) => return Ok(Err(error.to_string())),
        };
        if read.text.trim().is_empty() {
            return Ok(Err("it holds no text".to_owned()));
        }
        let field = self.entity_field.to_lowercase();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let said = self.entity.clone().or_else(|| read.fields.get(&field).cloned());
        let (wanted, by_name) = match said {
            Some(said) => (said, false),
            None => (stem.into_owned(), true),
        };
        let mut found = workspace.named_entity(&wanted).await?;
        if by_name && found == NamedEntity::Unknown {
            found = workspace.named_entity(&wanted.replace(['_', '-'], " ")).await?;
        }
        Ok(match found {
            NamedEntity::One(entity) => Ok(AddedDocument {
                entity,
                title: file.display().to_string(),
                markdown: read.format == Format::Markdown,
                text: read.text,
            }),
            NamedEntity::Several(keys) => Err(format!(
                "{} entities are called “{wanted}” ({}); name the file's entity by its id, in the field {field} or with --entity",
                keys.len(),
                keys.join(", ")
            )),
            NamedEntity::Unknown => Err(format!(
                "no entity is called “{wanted}”; name the file's entity in the field {field} or with --entity"
            )),
        })
    }
}

/// The named files, and all readable files below the named folders, sorted by path.
fn files_of(places: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for place in places {
        if !place.is_dir() {
            if !place.exists() {
                return Err(WrongUsage(format!("there is no file {}", place.display())).into());
            }
            files.push(place.clone());
            continue;
        }
        let mut folders = vec![place.clone()];
        let mut below = Vec::new();
        while let Some(folder) = folders.pop() {
            let entries =
                std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
            for entry in entries {
                let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
                let kind =
                    entry.file_type().with_context(|| format!("cannot read {}", entry.path().display()))?;
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if TextFile::is_readable(&entry.file_name().to_string_lossy()) {
                    below.push(entry.path());
                }
            }
        }
        below.sort();
        files.extend(below);
    }
    Ok(files)
}

async fn embedder(folder: &Path, without: bool) -> Result<Option<Arc<dyn Embedder>>> {
    if without {
        return Ok(None);
    }
    let settings = Settings::load(Settings::default(), folder)?;
    let embedder = engine::load_embedder(&settings).await;
    Ok(Some(embedder.context("passages cannot be embedded (--no-embeddings leaves that out)")?))
}

async fn index(
    folder: PathBuf,
    documents: Vec<AddedDocument>,
    embedder: Option<Arc<dyn Embedder>>,
) -> Result<()> {
    let bar = progress::ImportBar::new();
    let sink = bar.sink();
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    let outcome = stoppable(cancel, move |handle| {
        handle.block_on(Workspace::add_documents(&folder, documents, embedder.as_deref(), Some(sink), &flag))
    })
    .await;
    bar.finish();
    outcome
}

fn list(folder: &Path) -> Result<()> {
    workspace::open(folder)?;
    let mut table =
        Table::new(&[("entity", Align::Left), ("characters", Align::Right), ("file", Align::Left)]);
    for document in Workspace::added_documents(folder)? {
        let characters = grouped(document.text.chars().count() as u64);
        table.push([&document.entity, &characters, &document.title]);
    }
    Ok(table.print(&mut stdout())?)
}

async fn remove(folder: &Path, files: &[String]) -> Result<()> {
    let has_vectors =
        workspace::open(folder)?.documents().is_some_and(quipu_index::DocumentIndex::has_vectors);
    let embedder = embedder(folder, !has_vectors).await?;
    let cancel = AtomicBool::new(false);
    let removed = Workspace::remove_documents(folder, files, embedder.as_deref(), &cancel).await?;
    tell!("removed {}", counted(removed as u64, "document", "documents"));
    if removed == 0 {
        bail!("none of these files was added; `quipu documents list` shows those that were");
    }
    Ok(())
}
