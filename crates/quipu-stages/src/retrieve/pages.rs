//! Pages given with a question: cleaned and cut into snippets, the nearest to the question selected
//! (self-verification paper §4.2).

use std::collections::HashSet;

use quipu_index::inner_product;
use quipu_index::text::{ChunkLimits, Format, chunks, html};

use crate::answer::{AnswerError, Evidence, MOST_PASSAGE, Page, Stage, cell};
use crate::ledger::Context;
use crate::plan::shared_words;

/// The least characters of a snippet, unless the page is shorter.
const LEAST_SNIPPET: usize = 120;
/// Most snippets of one question compared by embedding; of more, those that share the most words
/// with it.
const MOST_COMPARED: usize = 320;
/// The weight of shared words beside similarity.
const WORDS: f32 = 0.3;

/// A page's snippets as (heading, text): the search engine's, then those of the page itself.
fn snippets_of(page: &Page) -> Vec<(String, String)> {
    let start = page.text.trim_start().chars().take(200).collect::<String>().to_lowercase();
    let is_html = start.starts_with("<!") || start.starts_with('<') || start.contains("<html");
    let text = if is_html { html(&page.text) } else { page.text.clone() };
    let limits = ChunkLimits { least: LEAST_SNIPPET, most: MOST_PASSAGE };
    let mut found = vec![(dated(page.name.clone(), page), without_tags(&page.snippet))];
    for chunk in chunks(&text, Format::Markdown, limits) {
        let heading = match chunk.heading {
            Some(heading) if !page.name.contains(&heading) => format!("{}, {heading}", page.name),
            _ => page.name.clone(),
        };
        found.push((dated(heading, page), text.get(chunk.start..chunk.end).unwrap_or_default().to_owned()));
    }
    found.retain(|(_, text)| !text.trim().is_empty());
    found
}

/// A heading with the day of the page's last change, if known.
fn dated(heading: String, page: &Page) -> String {
    match page.last_modified.trim() {
        "" => heading,
        day => format!("{heading}, last modified {day}"),
    }
}

/// The text of a snippet, which may contain tags and character references:
/// `AT&amp;T <b>shares</b>`.
fn without_tags(snippet: &str) -> String {
    if snippet.contains(['<', '&']) { html(snippet).trim().to_owned() } else { snippet.trim().to_owned() }
}

/// The `k` snippets nearest to the question, best first, each once: the search engine's snippets
/// and those of the pages' own text.
///
/// # Errors
/// The embedder's.
pub async fn nearest_snippets(
    context: &Context<'_>,
    question: &str,
    pages: &[Page],
    k: usize,
) -> Result<Vec<Evidence>, AnswerError> {
    let snippets = each_once(pages.iter().flat_map(|page| of_page(page, snippets_of(page))));
    nearest_of(context, question, &snippets, k, WORDS).await
}

/// The search engine's snippets as in self-verification (§4.2): all of them, in their order, for at
/// most `few` pages; for more pages the `k` nearest to the question in meaning. A page without a
/// snippet, such as a file, contributes passages of its text.
///
/// # Errors
/// The embedder's.
pub async fn given_snippets(
    context: &Context<'_>,
    question: &str,
    pages: &[Page],
    few: usize,
    k: usize,
) -> Result<Vec<Evidence>, AnswerError> {
    let given = |page: &Page| {
        let snippet = without_tags(&page.snippet);
        if snippet.is_empty() { snippets_of(page) } else { vec![(described(page), snippet)] }
    };
    let snippets = each_once(pages.iter().flat_map(|page| of_page(page, given(page))));
    let all_given = pages.iter().all(|page| !page.snippet.trim().is_empty());
    if pages.len() <= few && all_given {
        return Ok(snippets.iter().map(as_evidence).collect());
    }
    nearest_of(context, question, &snippets, k, 0.0).await
}

/// Name, date and address of a page (Prompt 4 of the paper).
fn described(page: &Page) -> String {
    let heading = dated(page.name.clone(), page);
    if page.url.is_empty() { heading } else { format!("{heading}, {}", page.url) }
}

/// The pages sorted by the similarity of their snippets to the question, best first.
///
/// # Errors
/// The embedder's.
pub async fn ranked_pages<'p>(
    context: &Context<'_>,
    question: &str,
    pages: &'p [Page],
) -> Result<Vec<&'p Page>, AnswerError> {
    let shown = |page: &Page| snippets_of(page).into_iter().next().unwrap_or_default();
    let first: Vec<(String, String)> = pages.iter().map(shown).collect();
    let texts: Vec<(&str, &str)> =
        first.iter().map(|(heading, text)| (heading.as_str(), text.as_str())).collect();
    let order = by_meaning(context, question, &texts, pages.len(), 0.0).await?;
    Ok(order.into_iter().filter_map(|at| pages.get(at)).collect())
}

/// A snippet: its source, its heading, its text.
type Snippet = (String, String, String);

fn of_page(page: &Page, snippets: Vec<(String, String)>) -> Vec<Snippet> {
    let source = if page.url.is_empty() { "pages" } else { &page.url };
    snippets.into_iter().map(|(heading, text)| (source.to_owned(), heading, text)).collect()
}

fn each_once(snippets: impl Iterator<Item = Snippet>) -> Vec<Snippet> {
    let mut seen = HashSet::new();
    snippets.filter(|(_, _, text)| seen.insert(text.clone())).collect()
}

fn as_evidence((source, heading, text): &Snippet) -> Evidence {
    Evidence::passage(source, &cell(heading), text)
}

async fn nearest_of(
    context: &Context<'_>,
    question: &str,
    snippets: &[Snippet],
    k: usize,
    words: f32,
) -> Result<Vec<Evidence>, AnswerError> {
    let texts: Vec<(&str, &str)> =
        snippets.iter().map(|(_, heading, text)| (heading.as_str(), text.as_str())).collect();
    let best = by_meaning(context, question, &texts, k, words).await?;
    Ok(best.into_iter().filter_map(|at| snippets.get(at)).map(as_evidence).collect())
}

/// Positions of the `k` texts (with their headings) nearest to the question: by meaning if there is
/// an embedder, and by shared words.
///
/// # Errors
/// The embedder's.
pub async fn nearest_texts(
    context: &Context<'_>,
    question: &str,
    texts: &[(&str, &str)],
    k: usize,
) -> Result<Vec<usize>, AnswerError> {
    by_meaning(context, question, texts, k, WORDS).await
}

/// The same; `words` is the weight of shared words beside similarity. Without an embedder only
/// shared words count.
async fn by_meaning(
    context: &Context<'_>,
    question: &str,
    texts: &[(&str, &str)],
    k: usize,
    words: f32,
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
            let similar = inner_product(asked.row(0), vector);
            if let Some(score) = scores.get_mut(*at) {
                *score = similar + words * shares.get(*at).copied().unwrap_or(0.0);
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
