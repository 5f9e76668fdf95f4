//! Pages that come with a question: cleaned, in snippets, the nearest to the question (self-verification paper §4.2).

use std::collections::HashSet;

use quipu_index::text::{ChunkLimits, Format, chunks, html};

use crate::answer::{AnswerError, Evidence, MOST_PASSAGE, Page, Stage, cell};
use crate::ledger::Context;
use crate::plan::shared_words;

/// Snippets of at least so many characters, where a page has them.
const LEAST_SNIPPET: usize = 120;
/// Most snippets whose meaning is compared for one question; those that share the most words with it where there are more.
const MOST_COMPARED: usize = 320;
/// How much shared words count beside similarity.
const WORDS: f32 = 0.3;

/// A page's snippets as (heading, text): the search engine's, then those of the page itpage.
fn snippets_of(page: &Page) -> Vec<(String, String)> {
    let start = page.text.trim_start().chars().take(200).collect::<String>().to_lowercase();
    let is_html = start.starts_with("<!") || start.starts_with('<') || start.contains("<html");
    let text = if is_html { html(&page.text) } else { page.text.clone() };
    let limits = ChunkLimits { least: LEAST_SNIPPET, most: MOST_PASSAGE };
    let mut found = vec![(page.name.clone(), without_tags(&page.snippet))];
    for chunk in chunks(&text, Format::Markdown, limits) {
        let heading = match chunk.heading {
            Some(heading) if !page.name.contains(&heading) => format!("{}, {heading}", page.name),
            _ => page.name.clone(),
        };
        found.push((heading, text.get(chunk.start..chunk.end).unwrap_or_default().to_owned()));
    }
    found.retain(|(_, text)| !text.trim().is_empty());
    found
}

/// A snippet may hold marks and entities: `AT&amp;T <b>shares</b>`.
fn without_tags(snippet: &str) -> String {
    if snippet.contains(['<', '&']) { html(snippet).trim().to_owned() } else { snippet.trim().to_owned() }
}

/// The `k` snippets of the pages nearest to the question, best first, each once.
///
/// # Errors
/// The embedder's.
pub async fn nearest_snippets(
    context: &Context<'_>,
    question: &str,
    pages: &[Page],
    k: usize,
) -> Result<Vec<Evidence>, AnswerError> {
    let mut seen = HashSet::new();
    let mut snippets: Vec<(&Page, String, String)> = Vec::new();
    for page in pages {
        for (heading, text) in snippets_of(page) {
            if seen.insert(text.clone()) {
                snippets.push((page, heading, text));
            }
        }
    }
    let texts: Vec<(&str, &str)> =
        snippets.iter().map(|(_, heading, text)| (heading.as_str(), text.as_str())).collect();
    let best = nearest_texts(context, question, &texts, k).await?;
    let evidence = |at: usize| {
        let (page, heading, text) = snippets.get(at)?;
        let source = if page.url.is_empty() { "pages" } else { &page.url };
        Some(Evidence::passage(source, &cell(heading), text))
    };
    Ok(best.into_iter().filter_map(evidence).collect())
}

/// Positions of the `k` texts (with their headings) nearest to the question: by meaning where there is an embedder, and by shared words.
///
/// # Errors
/// The embedder's.
pub async fn nearest_texts(
    context: &Context<'_>,
    question: &str,
    texts: &[(&str, &str)],
    k: usize,
) -> Result<Vec<usize>, AnswerError> {
    let lines: Vec<String> = texts.iter().map(|(heading, text)| format!("{heading}: {text}")).collect();
    let shares = shared_words(question, &lines);
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let by = |scores: &[f32], a: usize, b: usize| {
        let score = |at: usize| scores.get(at).copied().unwrap_or(0.0);
        score(b).total_cmp(&score(a)).then(a.cmp(&b))
    };
    order.sort_by(|a, b| by(&shares, *a, *b));
    if context.embedder().is_some() && !order.is_empty() {
        order.truncate(MOST_COMPARED);
        let compared: Vec<&str> = order.iter().filter_map(|at| lines.get(*at)).map(String::as_str).collect();
        let asked = context.embed(Stage::Retrieve, &[question]).await?;
        let vectors = context.embed(Stage::Retrieve, &compared).await?;
        let mut scores = vec![f32::MIN; lines.len()];
        for (at, vector) in order.iter().zip(vectors.rows()) {
            let similar: f32 = asked.row(0).iter().zip(vector).map(|(a, b)| a * b).sum();
            if let Some(score) = scores.get_mut(*at) {
                *score = similar + WORDS * shares.get(*at).copied().unwrap_or(0.0);
            }
        }
        order.sort_by(|a, b| by(&scores, *a, *b));
    }
    order.truncate(k);
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_snippets_with_headings() {
        let page = Page {
            name: "Harbour news".into(),
            snippet: "Orle &amp; <b>Lindau</b>".into(),
            text: "<html><nav>Home</nav><h1>Boats</h1><p>The Orle flows through Lindau.</p></html>".into(),
            ..Page::default()
        };
        let found = snippets_of(&page);
        assert_eq!(found[0], ("Harbour news".into(), "Orle & Lindau".into()));
        assert!(found[1].1.contains("flows through Lindau") && !found[1].1.contains('<'), "{found:?}");
        let plain = Page { name: "note".into(), text: "5 < 7 in plain text.".into(), ..Page::default() };
        assert_eq!(snippets_of(&plain), [("note".to_owned(), "5 < 7 in plain text.".to_owned())]);
    }
}
