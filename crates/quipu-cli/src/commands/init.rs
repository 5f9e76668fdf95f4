//! `quipu init`: a configuration file with every setting explained.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;

/// Every setting, each commented out at its default.
const TEMPLATE: &str = include_str!("quipu.toml");

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder [default: this folder]
    #[arg(default_value = ".", hide_default_value = true)]
    workspace: PathBuf,
}

impl Arguments {
    /// Writes the file, unless it exists.
    pub(super) fn run(self) -> Result<()> {
        std::fs::create_dir_all(&self.workspace)
            .with_context(|| format!("cannot create {}", self.workspace.display()))?;
        let path = self.workspace.join("quipu.toml");
        File::create_new(&path)
            .and_then(|mut file| file.write_all(TEMPLATE.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?;
        tell!("{} lists every setting with its default; remove the # to change one", path.display());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::TEMPLATE;
    use crate::config::Settings;

    /// Lines that begin with `#` are settings; those with `##` are explanations.
    #[test]
    fn every_setting_of_the_template_is_one() {
        let settings: String = TEMPLATE
            .lines()
            .filter(|line| !line.starts_with("##"))
            .map(|line| format!("{}\n", line.strip_prefix('#').unwrap_or(line)))
            .collect();
        let read: Settings = toml::from_str(&settings).unwrap();
        let server = read.server.unwrap();
        assert_eq!((server.port, server.keys.len()), (7979, 1));
        assert_eq!(read.method, Some(quipu_answer::AskOptions::default().name()));
        let defaults = quipu_server::ServerConfig { keys: server.keys.clone(), ..Default::default() };
        assert_eq!(server, defaults, "the template shows the defaults");
        toml::from_str::<Settings>(TEMPLATE).unwrap();
    }
}
