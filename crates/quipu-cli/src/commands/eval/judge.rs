//! `quipu eval judge`: compares the judge with answers labelled by people.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use quipu_eval::{ModelJudge, agreement_to_text, judge_agreement_on, read_labelled};
use quipu_model::{OpenOptions, open_language_model};

use crate::output::{print_json, stdout};
use crate::progress::spinner;

const NONE: &str = "none";

#[derive(Debug, Args)]
pub(in crate::commands) struct Judge {
    /// JSON lines with question, gold, answer and label (true, false or miss); with a domain,
    /// agreement is also given by domain
    file: PathBuf,
    /// The language model that judges answers that the rules do not decide, or none
    #[arg(long, value_name = "NAME", default_value = NONE)]
    judge: String,
    /// Take every nth line only, so that about N lines are left
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Judge {
    pub(super) async fn run(self) -> Result<()> {
        let shown = self.file.display().to_string();
        let text = std::fs::read_to_string(&self.file).with_context(|| format!("cannot read {shown}"))?;
        let mut cases = read_labelled(&text).context(shown)?;
        if let Some(limit) = self.limit {
            let each = cases.len().div_ceil(limit.max(1)).max(1);
            cases = cases.into_iter().step_by(each).collect();
        }
        let judge = if self.judge == NONE {
            None
        } else {
            let name = self.judge.clone();
            let loading = spinner("loading the judge");
            let model =
                tokio::task::spawn_blocking(move || open_language_model(&name, &OpenOptions::default()));
            let model = model.await;
            loading.finish_and_clear();
            Some(ModelJudge::new(model.context("the judge's thread is gone")??))
        };
        let working = spinner("judging");
        let agreement = judge_agreement_on(judge.as_ref(), &cases).await;
        working.finish_and_clear();
        let agreement = agreement?;
        if self.json {
            return print_json(&agreement);
        }
        writeln!(
            stdout(),
            "{} ({} model calls)",
            agreement_to_text(&self.judge, &agreement),
            agreement.calls
        )?;
        Ok(())
    }
}
