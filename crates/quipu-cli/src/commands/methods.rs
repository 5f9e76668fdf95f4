//! `quipu methods`: the methods and their settings.

use std::io::Write as _;

use anyhow::Result;
use clap::Args;
use quipu_answer::{Method, NamedMethod, Setting, settings};
use serde::Serialize;

use crate::output::{Align, Table, print_json, stdout};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// List the parameters of this method; without it, list all methods
    method: Option<Method>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed {
    methods: Vec<Described>,
    /// The settings of every method: limits, hops, planner, fallback.
    settings: Vec<&'static Setting>,
}

#[derive(Serialize)]
struct Described {
    name: &'static str,
    about: &'static str,
    planners: Vec<&'static str>,
    settings: Vec<&'static Setting>,
}

impl Described {
    fn of(method: Method) -> Self {
        let planners = NamedMethod::all().filter(|named| named.method == method);
        let planners: Vec<&str> = planners.map(|named| named.planner.name()).collect();
        let planners = if planners.len() > 1 { planners } else { Vec::new() };
        let prefix = format!("{}.", method.name());
        let own = settings().iter().filter(|setting| setting.key.starts_with(&prefix)).collect();
        Self { name: method.name(), about: method.about(), planners, settings: own }
    }
}

impl Arguments {
    pub(super) fn run(self) -> Result<()> {
        let common: Vec<&Setting> = settings().iter().filter(|setting| !setting.key.contains('.')).collect();
        let methods: Vec<Described> = match self.method {
            Some(method) => vec![Described::of(method)],
            None => Method::ALL.iter().copied().map(Described::of).collect(),
        };
        if self.json {
            return print_json(&Listed { methods, settings: common });
        }
        let mut out = stdout();
        if let (Some(method), Some(described)) = (self.method, methods.first()) {
            writeln!(out, "{}: {}\n", method.name(), described.about)?;
            print(&described.settings, &mut out)?;
            if !described.planners.is_empty() {
                writeln!(out, "\n--planner {}", described.planners.join("|"))?;
            }
            return Ok(writeln!(
                out,
                "\n`quipu methods` lists the parameters of every method. To set one: --set KEY=VALUE"
            )?);
        }
        let mut table = Table::new(&[("method", Align::Whole), ("", Align::Left)]);
        for method in &methods {
            table.push([method.name, method.about]);
        }
        table.print(&mut out)?;
        writeln!(
            out,
            "\nParameters of every method (--set KEY=VALUE; those of one method: quipu methods NAME):\n"
        )?;
        print(&common, &mut out)
    }
}

fn print(settings: &[&Setting], out: &mut impl std::io::Write) -> Result<()> {
    if settings.is_empty() {
        return Ok(writeln!(out, "The method has no parameters.")?);
    }
    let mut table = Table::new(&[
        ("key", Align::Whole),
        ("takes", Align::Whole),
        ("default", Align::Whole),
        ("", Align::Left),
    ]);
    for setting in settings {
        table.push([&setting.key, &setting.takes.to_string(), &setting.default, &setting.about]);
    }
    Ok(table.print(out)?)
}
