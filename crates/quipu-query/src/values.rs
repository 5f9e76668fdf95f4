//! The values of columns: finds the graph's terms for a text as people write it.

mod inexact;
mod names;
mod peoples;
mod read;
mod short_forms;
mod written;

use std::collections::{BTreeMap, HashMap, HashSet};

use oxrdf::Term;
use quipu_graph::{NodeId, iri_of_key};
use quipu_index::{LookupConfig, MatchReason, Workspace};
use quipu_language::{Language, normalise, without_possessive};

use crate::QueryError;
use crate::tables::{Kind, Place, Rows, Tables, words_of};
pub use inexact::are_initials_within;
use names::shared_by_all;
use read::{MOST_OF_COLUMN, read_values, shared_values};
pub(crate) use read::{entity_term, literal_term};
pub use short_forms::shortens;
use written::{Written, is_code};

/// Most values of all columns together.
const MOST: u64 = 300_000;
/// Most values of one column at an endpoint, where each column is a request of its own.
const MOST_OF_COLUMN_ASKED: u64 = 2_000;
/// Most columns whose values are read from an endpoint.
const MOST_COLUMNS_ASKED: usize = 40;
/// Candidates that the name index returns for a table too large to be kept.
const CANDIDATES: usize = 20;
/// Least similarity (Jaro-Winkler) of a text and the name that it misspells.
const LEAST_SIMILAR: f64 = 0.92;
/// Shorter texts do not count as misspelt: "Peru" is not "Perm".
const LEAST_LENGTH: usize = 5;
/// Fewest letters of a name in a question.
const SHORTEST_NAME: usize = 3;

/// Names looked at for a few of them.
const SPREAD: usize = 60;
/// Shorter words do not count as a part of a name.
const LEAST_PART: usize = 3;

/// How a text was found among values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Equal to the value, apart from case and accents.
    Exact,
    /// Equal to the value, apart from the division into words: "true neutral" and `trueNeutral`.
    Joined,
    /// The value contains all words of the text.
    Part,
    /// Equal to the value, apart from a typing error.
    Near,
}

/// Values that a text may mean, all found the same way.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The column.
    pub place: Place,
    /// The terms.
    pub terms: Vec<Term>,
    /// The values as the graph writes them, the first few.
    pub shown: Vec<String>,
    /// How they were found.
    pub how: How,
}

/// A part of a question that names values.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// The words of the question.
    pub text: String,
    /// The values.
    pub matches: Vec<Match>,
}

#[derive(Debug, Default)]
struct List {
    entries: Vec<(String, Term)>,
    exact: HashMap<String, Vec<usize>>,
    joined: HashMap<String, Vec<usize>>,
    by_word: HashMap<String, Vec<usize>>,
    /// The words with which nearly all of them begin and end: "lot" of "Lot M-725".
    shared: Vec<String>,
}

/// The values of a graph's columns, those that fit memory.
#[derive(Debug, Default)]
pub struct Values {
    lists: BTreeMap<Place, List>,
    /// Tables whose names are looked up in the workspace's index instead.
    large: HashSet<usize>,
}

/// The name index's matches for the texts of one query, for tables too large to be kept, and the
/// things that the question is known to mean.
#[derive(Debug, Clone, Default)]
pub struct Found {
    names: HashMap<(usize, String), Match>,
    meant: Vec<Term>,
}

impl Found {
    /// The same where a name that several things have means those with these keys: the things of
    /// earlier turns, and those that the caller chose.
    #[must_use]
    pub fn with_meant<'a>(self, keys: impl IntoIterator<Item = &'a str>) -> Self {
        Self { meant: keys.into_iter().filter_map(entity_term).collect(), ..self }
    }

    /// Whether a name was found in a table whose names are not kept.
    pub fn holds(&self, text: &str) -> bool {
        let name = normalise(text);
        self.names.keys().any(|(_, known)| *known == name)
    }

    /// Those of a name's terms that are meant; all if nothing tells.
    pub(crate) fn those_meant(&self, terms: &[Term]) -> Vec<Term> {
        let meant: Vec<Term> = terms.iter().filter(|term| self.meant.contains(term)).cloned().collect();
        if meant.is_empty() { terms.to_vec() } else { meant }
    }
}

impl Values {
    /// Reads the values of all columns that are small enough.
    ///
    /// # Errors
    /// The graph's.
    pub async fn read(workspace: &Workspace, tables: &Tables) -> Result<Self, QueryError> {
        let graph = workspace.graph().as_ref();
        let mut values = Self::default();
        let mut wanted: Vec<(u64, Place)> = Vec::new();
        for (place, column) in tables.columns() {
            let of_links = tables.table(place.table).is_some_and(super::tables::Table::is_links);
            let is_listed = match column.kind {
                // The values of a column that refers to a table are that table's, except for texts
                // and other entities among them.
                Kind::Entity(Some(_)) => place.column == 0 && !of_links || column.mixed,
                Kind::Entity(None) | Kind::Text => true,
                Kind::Number { .. } | Kind::Date | Kind::Flag => false,
            };
            if is_listed && tables.widest(place) == place {
                wanted.push((column.distinct.max(1), place));
            }
        }
        wanted.sort_unstable();
        let asked = workspace.embedded().is_none();
        let of_column = if asked { MOST_OF_COLUMN_ASKED } else { MOST_OF_COLUMN };
        let mut left = MOST;
        let mut kept = Vec::new();
        for (number, (count, place)) in wanted.into_iter().enumerate() {
            if count > of_column || count > left || (asked && number >= MOST_COLUMNS_ASKED) {
                if place.column == 0 {
                    values.large.insert(place.table);
                }
                continue;
            }
            left -= count;
            kept.push(place);
        }
        let mut shared = shared_values(graph, tables, &kept, of_column).await?;
        for place in kept {
            let list = List::new(read_values(graph, tables, place, shared.remove(&place)).await?);
            values.lists.insert(place, list);
        }
        Ok(values)
    }

    /// Looks up texts in the workspace's name index, for tables whose names are not kept here.
    ///
    /// # Errors
    /// Those of index and graph.
    pub async fn find(
        &self,
        workspace: &Workspace,
        tables: &Tables,
        texts: &[String],
    ) -> Result<Found, QueryError> {
        let mut found = Found::default();
        if self.large.is_empty() {
            return Ok(found);
        }
        let graph = workspace.graph().as_ref();
        let config = LookupConfig { k: CANDIDATES, ..LookupConfig::default() };
        for text in texts {
            let candidates = workspace.lookup(text, &config).await?;
            let nodes: Vec<NodeId> = candidates.iter().map(|candidate| candidate.node).collect();
            let summaries = graph.summaries(&nodes).await?;
            let types: Vec<NodeId> = summaries.iter().flat_map(|summary| summary.types.clone()).collect();
            let keys: HashMap<NodeId, String> =
                graph.summaries(&types).await?.into_iter().map(|s| (s.node, s.key)).collect();
            for table in &self.large {
                let of_table = |types: &[NodeId]| match tables.table(*table).map(|table| &table.source) {
                    Some(Rows::Types(iris)) => types.iter().any(|t| {
                        keys.get(t).is_some_and(|key| iris.iter().any(|iri| iri_of_key(key) == *iri))
                    }),
                    Some(Rows::Ends { .. }) => true,
                    _ => false,
                };
                let rows = candidates.iter().zip(&summaries).filter(|(_, summary)| of_table(&summary.types));
                let mut best: Option<Match> = None;
                let mut nearest = LEAST_SIMILAR;
                for (candidate, summary) in rows {
                    let how = match candidate.reason {
                        MatchReason::Exact | MatchReason::Alias => How::Exact,
                        MatchReason::Fuzzy { .. } if text.chars().count() >= LEAST_LENGTH => How::Near,
                        MatchReason::Fuzzy { .. }
                        | MatchReason::Trigram { .. }
                        | MatchReason::Dense { .. } => continue,
                    };
                    let Some(term) = entity_term(&summary.key) else { continue };
                    let place = Place { table: *table, column: 0 };
                    if how == How::Near {
                        // Of several names only the most similar one is meant.
                        let similar = strsim::jaro_winkler(&normalise(text), &normalise(&candidate.matched));
                        if similar < nearest {
                            continue;
                        }
                        if similar > nearest && best.as_ref().is_some_and(|best| best.how == How::Near) {
                            best = None;
                        }
                        nearest = similar;
                    }
                    let new = Match { place, terms: vec![term], shown: vec![summary.name.clone()], how };
                    match &mut best {
                        Some(known) if known.how == how => {
                            known.terms.extend(new.terms);
                            known.shown.extend(new.shown);
                        }
                        Some(known) if known.how < how => {}
                        _ => best = Some(new),
                    }
                }
                found.names.extend(best.map(|best| ((*table, normalise(text)), best)));
            }
        }
        Ok(found)
    }

    /// The parts of a question that are names, word for word, in tables whose names are not kept
    /// here. Only words with capitals are looked up.
    ///
    /// # Errors
    /// Those of index and graph.
    pub async fn named(
        &self,
        workspace: &Workspace,
        tables: &Tables,
        question: &str,
    ) -> Result<Vec<Mention>, QueryError> {
        if self.large.is_empty() {
            return Ok(Vec::new());
        }
        /// Most names that are looked up.
        const MOST_NAMED: usize = 8;
        let mut seen = HashSet::new();
        let mut texts = names_written(question);
        let is_name = |text: &String| {
            text.chars().count() >= SHORTEST_NAME && quipu_language::month(&text.to_lowercase()).is_none()
        };
        texts.retain(|text| is_name(text) && !self.holds(text) && seen.insert(normalise(text)));
        texts.truncate(MOST_NAMED);
        let found = self.find(workspace, tables, &texts).await?;
        let of_text = |text: String| {
            let name = normalise(&text);
            let of_name =
                found.names.iter().filter(|((_, known), found)| *known == name && found.how == How::Exact);
            let mut matches: Vec<Match> = of_name.map(|(_, found)| found.clone()).collect();
            matches.sort_by_key(|found| found.place);
            Mention { text, matches }
        };
        Ok(texts.into_iter().map(of_text).filter(|mention| !mention.matches.is_empty()).collect())
    }

    /// The values of a column that a text means, by the surest kind of match that finds any; `None`
    /// if nothing is similar.
    pub fn lookup(&self, tables: &Tables, found: &Found, place: Place, text: &str) -> Option<Match> {
        let at = match tables.column(place)?.kind {
            Kind::Entity(Some(table)) => tables.widest(Place { table, column: 0 }),
            _ => tables.widest(place),
        };
        let of_list = |at: Place| self.lists.get(&at).and_then(|list| list.lookup(at, text));
        let of_table = of_list(at)
            .or_else(|| found.names.get(&(at.table, normalise(text))).filter(|_| at.column == 0).cloned());
        let text_among_entities = of_list(tables.widest(place)).filter(|_| tables.widest(place) != at);
        let found = of_table.into_iter().chain(text_among_entities).min_by_key(|found| found.how);
        found.map(|found| Match { place, ..found })
    }

    /// Whether a text is a value of any column, apart from case and the division into words.
    pub fn holds(&self, text: &str) -> bool {
        let written = Written::of(text);
        self.lists.iter().any(|(place, list)| list.whole(*place, &written).is_some())
    }

    /// Some names of a table's rows, spread over them, each with another last word if there are
    /// enough.
    pub fn some_names(&self, table: usize, most: usize) -> Vec<String> {
        let Some(list) = self.lists.get(&Place { table, column: 0 }) else { return Vec::new() };
        let step = (list.entries.len() / SPREAD).max(1);
        let (mut seen, mut names) = (HashSet::new(), Vec::new());
        for (name, _) in list.entries.iter().step_by(step) {
            if names.len() < most && seen.insert(words_of(name).pop()) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The table of an entity; `None` if the names of its table are not kept.
    pub fn table_of(&self, thing: &Term) -> Option<usize> {
        let holds = |list: &List| list.entries.iter().any(|(_, term)| term == thing);
        let mut lists = self.lists.iter().filter(|(place, _)| place.column == 0);
        lists.find(|(_, list)| holds(list)).map(|(place, _)| place.table)
    }

    /// The same by the entity's key.
    pub fn table_of_key(&self, key: &str) -> Option<usize> {
        self.table_of(&entity_term(key)?)
    }

    /// Whether all values of a column are kept, so that a value that is not found does not exist.
    pub fn knows(&self, tables: &Tables, place: Place) -> bool {
        let column = tables.column(place);
        let at = match column.map(|column| column.kind) {
            Some(Kind::Entity(Some(table))) => tables.widest(Place { table, column: 0 }),
            _ => tables.widest(place),
        };
        let is_mixed = column.is_some_and(|column| column.mixed);
        self.lists.contains_key(&at) && (!is_mixed || self.lists.contains_key(&tables.widest(place)))
    }

    /// The parts of a question that are values of columns, word for word apart from case, a plural,
    /// and one word of several that is misspelt, initials or a year elsewhere; the longest first,
    /// none within another. A code ("KV-1291") also names the few values that contain it.
    pub fn mentions(&self, question: &str) -> Vec<Mention> {
        const LONGEST: usize = 8;
        let words: Vec<&str> = question.split_whitespace().collect();
        let mut covered = vec![false; words.len()];
        let mut mentions = Vec::new();
        for length in (1..=LONGEST.min(words.len())).rev() {
            for (start, run) in words.windows(length).enumerate() {
                let taken =
                    covered.get(start..start + length).is_some_and(|span| span.iter().any(|taken| *taken));
                let text = run.join(" ");
                let text = text.trim_matches(|c: char| !c.is_alphanumeric());
                let text = without_possessive(text);
                if taken || text.is_empty() || (length == 1 && text.len() < 3) {
                    continue;
                }
                let written = Written::of(text);
                let mut found: Vec<Match> =
                    self.lists.iter().filter_map(|(place, list)| list.whole(*place, &written)).collect();
                if found.is_empty() && length > 1 {
                    found = self.of_plural(text);
                }
                if found.is_empty() && length > 1 {
                    found = self.of_initials(text);
                }
                if found.is_empty() && length > 1 {
                    found = self.of_moved_year(text);
                }
                if found.is_empty() && length > 1 {
                    found = self.of_misspelt(text);
                }
                if found.is_empty() && length == 1 && is_code(text) {
                    found = self.of_code(text);
                }
                if found.is_empty() && length == 1 {
                    found = self.of_people(&words, start);
                }
                if found.is_empty() && length == 1 {
                    found = self.of_short_form(text);
                }
                if !found.is_empty() {
                    covered.iter_mut().skip(start).take(length).for_each(|taken| *taken = true);
                    mentions.push(Mention { text: text.to_owned(), matches: found });
                }
            }
        }
        mentions
    }

    /// The values of which several words are the plural: "bus drivers" of the job "Bus driver".
    fn of_plural(&self, text: &str) -> Vec<Match> {
        let singulars = Language::of(text).singulars(&text.to_lowercase());
        let whole = |singular: &String| {
            let written = Written::of(singular);
            self.lists.iter().filter_map(|(place, list)| list.whole(*place, &written)).collect::<Vec<_>>()
        };
        singulars.iter().map(whole).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The values that contain a code; none if they are too many for the code to name one.
    fn of_code(&self, code: &str) -> Vec<Match> {
        /// A code that stands in more values of a column is a family of codes.
        const MOST_NAMED: usize = 2;
        let parts = self.lists.iter().filter_map(|(place, list)| list.part(*place, code));
        parts.filter(|found| found.terms.len() <= MOST_NAMED).collect()
    }

    /// The words of a question that occur in values without being one: "dragons" in
    /// `GoldDragonAdult`. The longest runs come first, none within another. A run may not contain a
    /// word that `skip` rejects; it gets each word in lower case. A word that nearly all values of
    /// a column share tells none of them apart.
    pub fn parts(&self, question: &str, skip: impl Fn(&str) -> bool) -> Vec<Mention> {
        const LONGEST: usize = 4;
        let mut words = words_of(question);
        let language = Language::of_words(&words);
        let mut mentions = Vec::new();
        for length in (1..=LONGEST.min(words.len())).rev() {
            for start in 0..=words.len() - length {
                let Some(run) = words.get(start..start + length) else { continue };
                let is_part = |word: &String| word.chars().count() >= LEAST_PART && !skip(word);
                if !run.iter().all(is_part) {
                    continue;
                }
                let text = run.join(" ");
                let tells =
                    |list: &List| !list.shared.iter().any(|shared| *shared == language.singular(&text));
                let lists = self.lists.iter().filter(|(_, list)| tells(list));
                let matches: Vec<Match> =
                    lists.filter_map(|(place, list)| list.part(*place, &text)).collect();
                if !matches.is_empty() {
                    mentions.push(Mention { text, matches });
                    words.iter_mut().skip(start).take(length).for_each(String::clear);
                }
            }
        }
        mentions
    }
}

/// The names that a question writes with capitals, each a run of such words. Nothing in a language
/// that writes its nouns so.
pub fn names_written(question: &str) -> Vec<String> {
    let language = Language::of(question);
    if language.nouns_have_capitals() {
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    let mut goes_on = false;
    for (at, word) in question.split_whitespace().enumerate() {
        let of_word = words_of(word);
        let begins = at == 0 && of_word.iter().all(|word| !language.meanings(word).is_empty());
        if !word.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_uppercase) || begins {
            goes_on = false;
            continue;
        }
        let owns = of_word.len() > 1 && of_word.last().is_some_and(|last| language.owns(last));
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = if owns { without_possessive(bare) } else { bare };
        match names.last_mut().filter(|_| goes_on) {
            Some(name) => name.extend([" ", bare]),
            None => names.push(bare.to_owned()),
        }
        let telling = of_word.len() - usize::from(owns);
        let is_abbreviated = word.ends_with('.') && telling == 1 && word.chars().count() <= 4;
        goes_on = !owns && (is_abbreviated || word.ends_with(char::is_alphanumeric));
    }
    names
}

impl List {
    fn new(entries: Vec<(String, Term)>) -> Self {
        let mut list = Self { entries, ..Self::default() };
        let names: Vec<Vec<String>> = list.entries.iter().map(|(name, _)| words_of(name)).collect();
        let (first, last) =
            (shared_by_all(&names, <[String]>::first), shared_by_all(&names, <[String]>::last));
        list.shared = first.iter().chain(&last).cloned().collect();
        for (at, (words, (name, _))) in names.into_iter().zip(&list.entries).enumerate() {
            list.exact.entry(normalise(name)).or_default().push(at);
            list.joined.entry(words.concat()).or_default().push(at);
            let telling = match words.as_slice() {
                [one, rest @ ..] if Some(one) == first.as_ref() && !rest.is_empty() => rest,
                [rest @ .., one] if Some(one) == last.as_ref() && !rest.is_empty() => rest,
                _ => &[],
            };
            if !telling.is_empty() {
                list.exact.entry(telling.join(" ")).or_default().push(at);
                list.joined.entry(telling.concat()).or_default().push(at);
            }
            let mut words = words;
            words.sort_unstable();
            words.dedup();
            for word in words {
                list.by_word.entry(word).or_default().push(at);
            }
        }
        list
    }

    fn whole(&self, place: Place, text: &Written) -> Option<Match> {
        let Written { normal, words, joined } = text;
        let exact = self.exact.get(normal).map(|at| (at, How::Exact));
        let joined = self.joined.get(joined).filter(|_| !joined.is_empty()).map(|at| (at, How::Joined));
        let (all, how) = exact.or(joined)?;
        // "Paper Clock" and "The Paper Clock" are two things, if both are there.
        let language = Language::of_words(words);
        let names = |at: &usize| self.entries.get(*at).map(|(name, _)| words_of(name)).unwrap_or_default();
        let adds_article = |long: &[String], short: &[String]| {
            long.split_first().is_some_and(|(first, rest)| rest == short && language.is_any_article(first))
        };
        let is_other = |name: &Vec<String>| adds_article(name, words) || adds_article(words, name);
        let has_it = all.iter().any(|at| names(at) == *words);
        let kept = all.iter().copied().filter(|at| !has_it || !is_other(&names(at)));
        Some(self.matched(place, kept, how))
    }

    fn lookup(&self, place: Place, text: &str) -> Option<Match> {
        let found = self
            .whole(place, &Written::of(text))
            .or_else(|| self.with_initials(place, text))
            .or_else(|| self.with_moved_year(place, text))
            .or_else(|| self.of_people(place, text))
            .or_else(|| self.part(place, text));
        let found = found.or_else(|| self.near(place, text));
        // "Queen Mary" without the queen is only a whole name's Mary, or the one part of a name.
        let called = |rest: &str| {
            self.whole(place, &Written::of(rest))
                .or_else(|| self.part(place, rest).filter(|found| found.terms.len() == 1))
        };
        let found = found.or_else(|| called(&without_honours(text)?));
        found.or_else(|| self.shortened(place, text))
    }

    /// Values that contain all words of the text, each in some form.
    fn part(&self, place: Place, text: &str) -> Option<Match> {
        let (words, language) = (words_of(text), Language::of(text));
        let mut kept: Option<HashSet<usize>> = None;
        for word in &words {
            let forms = std::iter::once(word.clone()).chain(language.singulars(word));
            let at: HashSet<usize> =
                forms.flat_map(|form| self.by_word.get(&form).into_iter().flatten().copied()).collect();
            kept = Some(match kept {
                None => at,
                Some(kept) => kept.intersection(&at).copied().collect(),
            });
        }
        let mut kept: Vec<usize> = kept?.into_iter().collect();
        kept.sort_unstable();
        (!kept.is_empty()).then(|| self.matched(place, kept, How::Part))
    }

    fn near(&self, place: Place, text: &str) -> Option<Match> {
        let text = normalise(text);
        if text.chars().count() < LEAST_LENGTH {
            return None;
        }
        let score = |name: &String| strsim::jaro_winkler(&text, name);
        let best = self
            .exact
            .iter()
            .map(|(name, at)| (score(name), name, at))
            .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))?;
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let same_digits = digits(best.1) == digits(&text);
        (best.0 >= LEAST_SIMILAR && same_digits)
            .then(|| self.matched(place, best.2.iter().copied(), How::Near))
    }

    fn matched(&self, place: Place, at: impl IntoIterator<Item = usize>, how: How) -> Match {
        const SHOWN: usize = 3;
        let entries: Vec<&(String, Term)> = at.into_iter().filter_map(|at| self.entries.get(at)).collect();
        let shown = entries.iter().take(SHOWN).map(|(name, _)| name.clone()).collect();
        let mut terms: Vec<Term> = Vec::new();
        let mut seen = HashSet::new();
        for (_, term) in entries {
            if seen.insert(term) {
                terms.push(term.clone());
            }
        }
        Match { place, terms, shown, how }
    }
}

/// A name without the forms of address before it: "Okafor" of "Ms. Okafor". `None` if it has none,
/// or nothing else.
fn without_honours(text: &str) -> Option<String> {
    let language = Language::of(text);
    let is_honour = |word: &&str| words_of(word).iter().all(|word| language.has_honour(word));
    let rest: Vec<&str> = text.split_whitespace().skip_while(is_honour).collect();
    let rest = rest.join(" ");
    (!rest.is_empty() && rest.len() < text.trim().len()).then_some(rest)
}
