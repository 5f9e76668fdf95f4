//! `quipu eval head-to-tail`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use quipu_answer::Engine;
use quipu_eval::{HeadToTailConfig, head_to_tail, read_templates};
use quipu_index::Workspace;

use crate::output::{counted, write_lines};

#[derive(Debug, Args)]
pub(in crate::commands) struct HeadToTail {
    /// The workspace's folder
    workspace: PathBuf,
    /// Questions of each of head, torso and tail
    #[arg(long, value_name = "N", default_value_t = HeadToTailConfig::default().per_bucket)]
    per_bucket: usize,
    /// A JSON object of relation keys and questions with `_` for the entity; without it, the
    /// relations' cards or names are used
    #[arg(long, value_name = "FILE")]
    templates: Option<PathBuf>,
    /// Leave out questions with more answers than this
    #[arg(long, value_name = "N", default_value_t = HeadToTailConfig::default().most_answers)]
    most_answers: u64,
    /// Seed of all choices
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Write here instead of to standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl HeadToTail {
    pub(super) async fn run(self) -> Result<()> {
        let engine = Engine::new(Arc::new(Workspace::open(&self.workspace)?), None, None)?;
        let templates = self.templates.as_deref().map(read_templates).transpose()?;
        let Self { per_bucket, most_answers, seed, .. } = self;
        let config = HeadToTailConfig { per_bucket, most_answers, seed };
        let made = head_to_tail(&engine, templates.as_ref(), &config).await?;
        write_lines(self.out.as_deref(), &made.questions)?;
        for bucket in &made.buckets {
            tell!(
                "{}: {} with {} triples or more, {}",
                bucket.name,
                counted(bucket.entities as u64, "entity", "entities"),
                bucket.least_degree,
                counted(bucket.questions as u64, "question", "questions")
            );
        }
        Ok(())
    }
}
