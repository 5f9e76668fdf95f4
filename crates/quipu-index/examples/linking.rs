//! Measures linking without a language model: `linking KB.tsv QUESTIONS.jsonl... [--misses N]`.
//!
//! A question counts as linked when its gold topic entities are the first candidates of its first
//! mentions, as many as there are gold entities. "Any" counts gold entities that are a candidate of
//! any mention, alternatives included.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use quipu_graph::NodeId;
use quipu_index::{
    Mention, MentionConfig, MentionDetector, NameEntry, NameIndex, NameIndexConfig, NameIndexWriter,
    NameKind, Vocabulary,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Question {
    question: String,
    topic_entities: Vec<String>,
}

fn main() -> Result<()> {
    let mut misses = 0;
    let mut paths = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--misses" {
            misses = arguments.next().context("--misses needs a number")?.parse()?;
        } else {
            paths.push(argument);
        }
    }
    let [graph, questions @ ..] = paths.as_slice() else {
        anyhow::bail!("usage: linking KB.tsv QUESTIONS.jsonl... [--misses N]");
    };
    let folder = tempfile::tempdir()?;
    let (index, relations) = index(Path::new(graph), &folder.path().join("names.qix"))?;
    let vocabulary = Vocabulary::new(relations.iter().map(String::as_str));
    let detector = MentionDetector::new(&index, &vocabulary);
    for path in questions {
        measure(&detector, Path::new(path), misses)?;
    }
    Ok(())
}

fn index(graph: &Path, path: &Path) -> Result<(NameIndex, BTreeSet<String>)> {
    let text = std::fs::read_to_string(graph).with_context(|| graph.display().to_string())?;
    let mut degrees: BTreeMap<&str, u64> = BTreeMap::new();
    let mut relations = BTreeSet::new();
    for line in text.lines() {
        if let [head, relation, tail] = line.split('\t').collect::<Vec<_>>()[..] {
            *degrees.entry(head).or_default() += 1;
            *degrees.entry(tail).or_default() += 1;
            relations.insert(relation.rsplit("__").next().unwrap_or(relation).replace('_', " "));
        }
    }
    let mut writer = NameIndexWriter::create(path, &NameIndexConfig::default())?;
    for (node, (name, degree)) in degrees.into_iter().enumerate() {
        writer.push(&NameEntry {
            node: NodeId(node as u64),
            name,
            kind: NameKind::Label,
            degree,
            label: None,
        })?;
    }
    writer.finish()?;
    Ok((NameIndex::open(path)?, relations))
}

fn measure(detector: &MentionDetector<'_>, path: &Path, misses: usize) -> Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let (mut first, mut any, mut total, mut shown) = (0, 0, 0, 0);
    let mut times: Vec<Duration> = Vec::new();
    let mut extra: HashMap<usize, usize> = HashMap::new();
    for line in text.lines() {
        let question: Question = serde_json::from_str(line)?;
        let start = Instant::now();
        let mentions = detector.detect(&question.question, &MentionConfig::default())?;
        times.push(start.elapsed());
        let gold: BTreeSet<&str> = question.topic_entities.iter().map(String::as_str).collect();
        let best: BTreeSet<&str> = mentions.iter().take(gold.len()).filter_map(best_name).collect();
        let all: BTreeSet<&str> = mentions
            .iter()
            .flat_map(|mention| mention.candidates.iter().map(|candidate| candidate.name.as_str()))
            .collect();
        total += 1;
        any += usize::from(gold.is_subset(&all));
        let chosen = mentions.iter().filter(|mention| mention.chosen).count();
        *extra.entry(chosen.saturating_sub(gold.len())).or_default() += 1;
        if best == gold {
            first += 1;
        } else if shown < misses {
            shown += 1;
            println!("  miss: {:?} gold {gold:?}", question.question);
            for mention in mentions.iter().take(4) {
                let chosen = if mention.chosen { '*' } else { ' ' };
                println!("     {chosen} {:.2} {:?} → {:?}", mention.score, mention.text, best_name(mention));
            }
        }
    }
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    println!(
        "{}: first {:.3}, any {:.3}, {} questions, {:.0} with more chosen than gold, median {median:?}",
        path.display(),
        f64::from(first) / f64::from(total),
        any as f64 / f64::from(total),
        total,
        extra.iter().filter(|(count, _)| **count > 0).map(|(_, questions)| *questions as f64).sum::<f64>(),
    );
    Ok(())
}

fn best_name(mention: &Mention) -> Option<&str> {
    mention.candidates.first().map(|candidate| candidate.name.as_str())
}
