//! Nouns for the classes that the graph lacks above types of the same relations: the noun that all
//! names of the types end with ("MusicEvent", "DanceEvent"), else the general noun that is closest
//! to them in meaning. No model is asked.

use quipu_index::inner_product;
use quipu_language::{Language, words_of};
use quipu_query::Unnamed;

use crate::answer::{AnswerError, Stage};
use crate::ledger::Context;

/// The noun for people.
const PERSON: &str = "person";
/// A word for the event from which people have their age.
const BORN: &str = "born";

/// The general noun that is closest to the types of each table, each noun once and none that is
/// `taken` by a table. Explorers and scientists who were born are persons.
pub(super) async fn above_types(
    context: &Context<'_>,
    tables: &[Unnamed],
    taken: &[&str],
) -> Result<Vec<String>, AnswerError> {
    let mut nouns: Vec<&str> = Language::english().general_nouns().collect();
    nouns.retain(|noun| !taken.iter().any(|title| title.eq_ignore_ascii_case(noun)));
    // The last word of a name says the kind: a space agency is an agency.
    let heads: Vec<String> = (tables.iter())
        .flat_map(|table| &table.types)
        .map(|name| words_of(name).pop().unwrap_or_else(|| name.clone()))
        .collect();
    let texts: Vec<&str> = nouns.iter().copied().chain(heads.iter().map(String::as_str)).collect();
    let vectors = context.embed(Stage::Plan, &texts).await?;
    let mut kept: Vec<String> = Vec::new();
    let mut first = nouns.len();
    for table in tables {
        let is_free = |noun: &String| !kept.contains(noun) && nouns.contains(&noun.as_str());
        let person = || are_people(table).then(|| PERSON.to_owned()).filter(is_free);
        if let Some(noun) = in_common(&table.types).or_else(person) {
            first += table.types.len();
            kept.push(noun);
            continue;
        }
        let own = first..first + table.types.len();
        first = own.end;
        let near = |noun: usize| {
            own.clone().map(|of| inner_product(vectors.row(noun), vectors.row(of))).sum::<f32>()
        };
        let free = (0..nouns.len())
            .filter(|at| nouns.get(*at).is_some_and(|noun| !kept.iter().any(|other| other == noun)));
        let nearest = free.max_by(|a, b| near(*a).total_cmp(&near(*b)));
        kept.push(nearest.and_then(|at| nouns.get(at)).copied().unwrap_or_default().to_owned());
    }
    Ok(kept)
}

/// Whether the rows of a table are people: all their types are called by what people do, and they
/// were born.
fn are_people(table: &Unnamed) -> bool {
    let english = Language::english();
    let is_role = |name: &String| words_of(name).last().is_some_and(|last| english.ends_like_a_role(last));
    let is_birth = |title: &String| english.tells_the_event(BORN, title);
    table.types.iter().all(is_role) && table.columns.iter().any(is_birth)
}

/// The word that all names of several types end with.
fn in_common(types: &[String]) -> Option<String> {
    let last = |name: &String| words_of(name).pop();
    let noun = last(types.first().filter(|_| types.len() > 1)?)?;
    types.iter().all(|name| last(name).as_ref() == Some(&noun)).then_some(noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn types_with_one_last_word_are_called_by_it() {
        assert_eq!(in_common(&all(&["MusicEvent", "TheaterEvent"])).as_deref(), Some("event"));
        assert_eq!(in_common(&all(&["hatchback", "saloon"])), None);
        assert_eq!(in_common(&all(&["MusicEvent"])), None);
    }

    #[test]
    fn explorers_who_were_born_are_people() {
        let table = |columns: &[&str], types: &[&str]| Unnamed {
            table: 0,
            key: String::new(),
            columns: all(columns),
            arriving: Vec::new(),
            examples: Vec::new(),
            types: all(types),
        };
        assert!(are_people(&table(&["prize won", "date of birth"], &["explorer", "scientist"])));
        assert!(!are_people(&table(&["power", "date of birth"], &["mammal", "bird"])));
        assert!(!are_people(&table(&["power"], &["printer", "scanner"])));
    }
}
