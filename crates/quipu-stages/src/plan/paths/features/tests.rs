//! A few relations of films, and vectors whose cosines are known: each word has an axis of its own.

use std::collections::HashSet;
use std::sync::LazyLock;

use quipu_graph::{Direction, EmbeddedGraph, ImportConfig, Input, InputFormat};

use super::*;
use crate::plan::{CARDS_FILE, Cards, StepSamples};

const TRIPLES: &str = "\
Kauwboy\tdirected_by\tBoudewijn Koole
Kauwboy\tstarred_actors\tRick Lens
Kauwboy\trelease_year\t2012
Boudewijn Koole\tborn_in\tLeidschendam
Little Bird\tremake_of\tKauwboy
";

const KEYS: [&str; 5] = ["directed_by", "starred_actors", "release_year", "born_in", "remake_of"];

const CARDS: &str = r#"
[relation.directed_by]
head_kind = "film"
tail_kind = "person"
forward = "the directors of X"
backward = "the films directed by X"
words_forward = ["director"]
words_backward = ["films"]

[relation.starred_actors]
head_kind = "film"
tail_kind = "person"
forward = "the actors in X"
backward = "the films with X"
words_forward = ["actors", "cast"]
words_backward = ["films"]

[relation.release_year]
head_kind = "film"
tail_kind = "year"
forward = "the release year of X"
backward = "the films released in X"
words_forward = []
words_backward = ["films"]

[relation.born_in]
head_kind = "person"
tail_kind = "town"
forward = "the birthplace of X"
backward = "the people born in X"
words_forward = ["birthplace"]
words_backward = ["people"]

[relation.remake_of]
head_kind = "film"
tail_kind = "film"
forward = "the original of X"
backward = "the remakes of X"
words_forward = ["original"]
words_backward = ["remakes"]
"#;

/// The forms of a word are on one axis; words that are not here have no vector.
const AXES: [&[&str]; 10] = [
    &["directed", "director", "directors"],
    &["starred", "actor", "actors", "cast"],
    &["released", "release"],
    &["year"],
    &["born", "birthplace"],
    &["film", "films"],
    &["person", "people"],
    &["town"],
    &["remake", "remakes"],
    &["original"],
];

fn vector(text: &str) -> [f32; AXES.len()] {
    let says = |forms: &[&str]| text.split(' ').any(|word| forms.contains(&word));
    let values = AXES.map(|forms| f32::from(u8::from(says(forms))));
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(1.0);
    values.map(|value| value / length)
}

struct Films {
    /// Along each relation.
    steps: HashMap<&'static str, Step>,
    lexicon: Lexicon,
}

impl Films {
    /// Along each relation and against it.
    fn all(&self) -> Vec<Step> {
        self.steps.values().flat_map(|step| [*step, step.reversed()]).collect()
    }
}

static FILMS: LazyLock<Films> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let [dump, store] = ["films.tsv", "store"].map(|name| folder.path().join(name));
    std::fs::write(&dump, TRIPLES).unwrap();
    std::fs::write(folder.path().join(CARDS_FILE), CARDS).unwrap();
    let import = ImportConfig::new("films", vec![Input::File(dump)]);
    quipu_graph::import(&ImportConfig { format: Some(InputFormat::Tsv), ..import }, &store).unwrap();
    let graph = EmbeddedGraph::open(&store).unwrap();
    let relation = |key: &str| graph.find_relation(key).unwrap();
    let along = |key| Step { relation: relation(key), direction: Direction::Forward };
    let steps = HashMap::from(KEYS.map(|key| (key, along(key))));
    let cards = Cards::open(folder.path()).unwrap();
    let list: Vec<Step> = steps.values().copied().collect();
    let lexicon = Lexicon::new(Language::english(), &graph, &cards, &StepSamples::default(), &list);
    Films { steps, lexicon }
});

fn along(key: &str) -> Step {
    FILMS.steps[key]
}

fn against(key: &str) -> Step {
    along(key).reversed()
}

/// What `look` finds where a question, its mention in brackets, is compared with all steps.
/// `phrases` have vectors too.
fn compared<T>(question: &str, phrases: &[&str], look: impl FnOnce(&Comparison) -> T) -> T {
    let (before, rest) = question.split_once('[').unwrap();
    let (mention, behind) = rest.split_once(']').unwrap();
    let span = before.len()..before.len() + mention.len();
    let asked = Asked::new(&[before, mention, behind].concat(), span, &[]);
    let (language, lexicon, steps) = (Language::english(), &FILMS.lexicon, FILMS.all());
    let labels: HashSet<&str> = steps.iter().flat_map(|step| lexicon.labels(*step)).collect();
    let tokens = asked.tokens(&labels);
    let telling = tokens.tokens.iter().map(|token| token.text.as_str());
    let others = |word| language.other_words(word).iter().map(String::as_str);
    let mut texts: Vec<&str> = vec![&asked.masked];
    texts.extend(asked.head_words());
    texts.extend(telling.flat_map(|word| std::iter::once(word).chain(others(word))));
    texts.extend(labels.iter().copied());
    texts.extend(phrases.iter().copied());
    let values = texts.iter().flat_map(|text| vector(text)).collect();
    let vectors = Vectors::new(language, &texts, Embeddings::new(AXES.len(), values));
    let comparison = Comparison::new(&asked, &tokens, &steps, lexicon, &vectors);
    look(&comparison)
}

/// How well a path fits a question.
fn fit(question: &str, path: &[Step]) -> Features {
    let [phrase, plain] = [FILMS.lexicon.phrase(path), FILMS.lexicon.plain_phrase(path)];
    let phrases = [phrase.as_str(), plain.as_str()];
    compared(question, &phrases, |comparison| comparison.features(path, phrases, 0.0, false))
}

/// How well a path explains each word of a question.
fn coverage(question: &str, path: &[Step]) -> Vec<Coverage> {
    compared(question, &[], |comparison| comparison.coverage(path))
}

#[track_caller]
fn close(got: f32, expected: f32) {
    assert!((got - expected).abs() < 1e-5, "{got} {expected}");
}

#[test]
fn the_names_stand_in_the_order_of_the_values() {
    let features = Features {
        phrase: 1.0,
        plain_phrase: 2.0,
        verbatim: 3.0,
        alignment: 4.0,
        least_asked: 5.0,
        least_covered: 6.0,
        kind: 7.0,
        label: 8.0,
        back_unsaid: 9.0,
        regret: 10.0,
        telling_regret: 11.0,
        chain: 12.0,
        kind_regret: 13.0,
        again_unsaid: 14.0,
        short: 15.0,
        back_at_start: 16.0,
        no_company: 17.0,
    };
    let fields = format!("{features:?}");
    for (name, value) in FEATURE_NAMES.iter().zip(features.values()) {
        assert!(fields.contains(&format!(" {name}: {value:?}")), "{name} is not {value}: {fields}");
    }
}

#[test]
fn what_speaks_for_a_path_raises_its_score_and_what_speaks_against_it_lowers_it() {
    let nothing = Features::default();
    assert_eq!(nothing.score(), 0.0);
    for better in [
        Features { phrase: 1.0, ..nothing },
        Features { plain_phrase: 1.0, ..nothing },
        Features { verbatim: 1.0, ..nothing },
        Features { alignment: 1.0, ..nothing },
        Features { least_asked: 1.0, ..nothing },
        Features { least_covered: 1.0, ..nothing },
        Features { kind: 1.0, ..nothing },
        Features { label: 1.0, ..nothing },
        Features { regret: 1.0, ..nothing },
        Features { telling_regret: 1.0, ..nothing },
        Features { chain: 1.0, ..nothing },
        Features { kind_regret: 1.0, ..nothing },
    ] {
        assert!(better.score() >= 0.0, "{better:?}");
    }
    for worse in [
        Features { back_unsaid: 1.0, ..nothing },
        Features { again_unsaid: 1.0, ..nothing },
        Features { short: 1.0, ..nothing },
        Features { back_at_start: 1.0, ..nothing },
        Features { no_company: 1.0, ..nothing },
    ] {
        assert!(worse.score() < 0.0, "{worse:?}");
    }
}

#[test]
fn confidence_grows_with_what_the_path_explains_and_with_its_share() {
    let half = Features { alignment: 0.5, least_covered: 0.5, ..Features::default() };
    let more = [
        half.confidence(0.6),
        Features { alignment: 0.6, ..half }.confidence(0.5),
        Features { least_covered: 0.6, ..half }.confidence(0.5),
    ];
    assert!(more.iter().all(|more| *more > half.confidence(0.5)), "{more:?}");
    for alignment in [-1e9, 0.0, 1.0, 1e9] {
        let confidence = Features { alignment, ..half }.confidence(1.0);
        assert!((0.0..=1.0).contains(&confidence), "{confidence}");
    }
}

#[test]
fn the_step_that_the_question_says_fits_best() {
    let question = "who directed [Kauwboy]";
    let said = fit(question, &[along("directed_by")]);
    assert_eq!((said.regret, said.telling_regret, said.kind_regret), (0.0, 0.0, 0.0));
    close(said.verbatim, 1.0);
    assert_eq!(fit(question, &[along("starred_actors")]).regret, -1.0);
    for other in FILMS.all().into_iter().filter(|step| *step != along("directed_by")) {
        let other = fit(question, &[other]);
        assert!(said.score() > other.score() && said.regret >= other.regret, "{other:?}");
    }
}

#[test]
fn each_word_asks_for_a_step_of_its_own() {
    let question = "what is the birthplace of the director of [Kauwboy]";
    let [directed, starred, born] = ["directed_by", "starred_actors", "born_in"].map(along);
    let said = fit(question, &[directed, born]);
    close(said.alignment, 1.0);
    assert_eq!((said.least_asked, said.least_covered, said.regret), (1.0, 1.0, 0.0));
    let half = fit(question, &[directed]);
    close(half.alignment, 0.5);
    assert_eq!((half.least_asked, half.least_covered), (1.0, 0.0));
    for other in [&[directed][..], &[born], &[starred, born]] {
        let other = fit(question, other);
        assert!(said.score() > other.score() && said.regret > other.regret, "{other:?}");
    }
}

#[test]
fn a_step_that_explains_words_of_two_runs_is_worse_than_two_steps() {
    let question = "which films are directed by the director of [Kauwboy]";
    let step = along("directed_by");
    assert!(fit(question, &[step, step.reversed()]).regret > fit(question, &[step]).regret);
}

#[test]
fn what_is_asked_for_is_compared_with_what_the_path_leads_to() {
    let when = fit("when was [Kauwboy] released", &[along("release_year")]);
    assert_eq!((when.kind, when.label, when.kind_regret), (1.0, 1.0, 0.0));
    let who = fit("who directed [Kauwboy]", &[along("release_year")]);
    assert_eq!((who.kind, who.label, who.kind_regret), (0.0, 0.0, -1.0));
}

#[test]
fn turning_back_is_unsaid_unless_the_question_shares_or_says_the_relation_twice() {
    let unsaid = |question: &str, key: &str| fit(question, &[along(key), against(key)]).back_unsaid;
    assert_eq!(unsaid("who directed [Kauwboy]", "directed_by"), 1.0);
    assert_eq!(unsaid("which films share a director with [Kauwboy]", "directed_by"), 0.0);
    assert_eq!(unsaid("which films are directed by the director of [Kauwboy]", "directed_by"), 0.0);
    // The two halves of a name say it once.
    assert_eq!(unsaid("what year was [Kauwboy] released", "release_year"), 1.0);
    assert_eq!(unsaid("what films were released in the release year of [Kauwboy]", "release_year"), 0.0);
    // One step does not turn.
    assert_eq!(fit("who directed [Kauwboy]", &[along("directed_by")]).back_unsaid, 0.0);
}

#[test]
fn the_same_step_twice_in_a_row_is_unsaid_unless_the_question_says_it_twice() {
    let unsaid = |question: &str, path: &[Step]| fit(question, path).again_unsaid;
    let remake = along("remake_of");
    assert_eq!(unsaid("what is the remake of [Kauwboy]", &[remake, remake]), 1.0);
    assert_eq!(unsaid("what is the remake of the remake of [Kauwboy]", &[remake, remake]), 0.0);
    assert_eq!(unsaid("what is the remake of [Kauwboy]", &[remake]), 0.0);
    // Back and forth is another matter.
    assert_eq!(unsaid("what is the remake of [Kauwboy]", &[remake, remake.reversed()]), 0.0);
}

#[test]
fn a_path_is_short_by_the_genitives_that_it_has_no_step_for() {
    let question = "what is the birthplace of the director of [Kauwboy]";
    let [directed, born] = ["directed_by", "born_in"].map(along);
    assert_eq!(fit(question, &[directed]).short, 1.0);
    assert_eq!(fit(question, &[directed, born]).short, 0.0);
    assert_eq!(fit(question, &[directed, directed.reversed(), directed]).short, 0.0);
}

#[test]
fn company_is_reached_by_turning_back() {
    let (alone, together) = ("who starred with [Rick Lens]", "who starred together with [Rick Lens]");
    let films = [against("starred_actors")];
    let turned = [against("starred_actors"), along("starred_actors")];
    assert_eq!((fit(together, &films).no_company, fit(together, &turned).no_company), (1.0, 0.0));
    assert_eq!(fit(alone, &films).no_company, 0.0);
    // What they starred in need not be said.
    close(fit(together, &turned).alignment, 1.0);
    close(fit(alone, &turned).alignment, 1.0 - SKIPPED_STEP);
}

#[test]
fn what_is_known_of_a_path_is_passed_on() {
    let path = [along("directed_by")];
    let features = |chain, back_at_start| {
        compared("who directed [Kauwboy]", &[], |c| c.features(&path, ["", ""], chain, back_at_start))
    };
    let (usual, strange) = (features(0.0, false), features(-1.0, true));
    assert_eq!((usual.chain, usual.back_at_start), (0.0, 0.0));
    assert_eq!((strange.chain, strange.back_at_start), (-1.0, 1.0));
}

#[test]
fn words_that_no_step_explains_are_told() {
    // "musical" says what Kauwboy is; "tv" is short, and "2012" is no word.
    let question = "which tv award did the director of the musical [Kauwboy] win in 2012";
    let unexplained = compared(question, &[], |comparison| comparison.unexplained().join(" "));
    assert_eq!(unexplained, "win award");
}

#[test]
fn a_path_covers_the_words_that_its_steps_explain() {
    let question = "what is the birthplace of the director of [Kauwboy]";
    let words = compared(question, &[], |comparison| comparison.words().to_vec());
    assert_eq!(words, ["director", "birthplace"]);
    let [directed, born] = ["directed_by", "born_in"].map(along);
    let all = |path: &[Step]| coverage(question, path).iter().map(|word| word.all).collect::<Vec<_>>();
    assert_eq!(all(&[directed]), [1.0, 0.0]);
    assert_eq!(all(&[directed, born]), [1.0, 1.0]);
    let best = coverage(question, &[directed]);
    assert!(best.iter().all(|word| word.best == 1.0 && word.best_telling == 1.0), "{best:?}");
}

#[test]
fn labels_of_the_other_direction_and_other_words_count_less() {
    // The words are "director" and "films".
    let question = "which films share a director with [Kauwboy]";
    close(coverage(question, &[along("directed_by")])[1].all, OTHER_DIRECTION);
    close(coverage(question, &[against("directed_by")])[1].all, 1.0);
    // "released" and "when", which asks for a year.
    let when = coverage("when was [Kauwboy] released", &[along("release_year")]);
    close(when[1].all, OTHER_WORD);
}

#[test]
fn a_kind_does_not_tell_steps_apart() {
    let films = coverage("which films share a director with [Kauwboy]", &[against("directed_by")]);
    assert_eq!((films[1].all, films[1].telling), (1.0, 0.0));
}

#[test]
fn the_word_that_says_what_the_mention_is_is_explained_by_where_the_path_starts() {
    // The words are "film" and "directed".
    let question = "who directed the film [Kauwboy]";
    assert_eq!(coverage(question, &[along("directed_by")])[0].all, 1.0);
    assert_eq!(coverage(question, &[along("born_in")])[0].all, 0.0);
    let said = fit(question, &[along("directed_by")]);
    assert_eq!((said.least_covered, said.regret), (1.0, 0.0));
    close(said.alignment, 1.0);
}

#[test]
fn a_kind_of_which_both_ends_are_asks_for_no_step_between_them() {
    let question = "which film did [Boudewijn Koole] make";
    let by_kind = fit(question, &[along("remake_of")]);
    assert_eq!((by_kind.least_asked, by_kind.regret), (0.0, -SKIPPED_STEP));
    let to_films = fit(question, &[against("directed_by")]);
    assert_eq!((to_films.least_asked, to_films.regret), (1.0, 0.0));
    let said = fit("which film is [Kauwboy] a remake of", &[along("remake_of")]);
    assert_eq!((said.least_asked, said.regret), (1.0, 0.0));
}

#[test]
fn a_phrase_is_verbatim_from_a_cosine_of_nine_tenths_on() {
    let asked = Asked::new("who directed Kauwboy", 13..20, &[]);
    let tokens = asked.tokens(&HashSet::new());
    let texts = [asked.masked.as_str(), "same", "near", "less near", "far"];
    let values = vec![1.0, 0.0, 1.0, 0.0, 0.95, 0.312, 0.9, 0.436, 0.6, 0.8];
    let vectors = Vectors::new(Language::english(), &texts, Embeddings::new(2, values));
    let comparison = Comparison::new(&asked, &tokens, &[], &FILMS.lexicon, &vectors);
    let verbatim = |phrases| comparison.features(&[], phrases, 0.0, false).verbatim;
    close(verbatim(["same", "far"]), 1.0);
    close(verbatim(["far", "same"]), 1.0);
    close(verbatim(["near", "far"]), 0.5);
    close(verbatim(["less near", "far"]), 0.0);
    assert_eq!(verbatim(["far", "far"]), 0.0);
}

#[test]
fn small_cosines_are_noise_and_forms_of_a_noun_are_one() {
    let texts = ["song", "same", "near", "far"];
    let values = vec![1.0, 0.0, 1.0, 0.0, 0.6, 0.8, 0.2, 0.98];
    let vectors = Vectors::new(Language::english(), &texts, Embeddings::new(2, values));
    let similarity = |other| vectors.similarity("song", other);
    close(similarity("same"), 1.0);
    close(similarity("near"), 0.5);
    close(similarity("far"), 0.0);
    assert_eq!((similarity("songs"), similarity("unheard of")), (1.0, 0.0));
}

#[test]
fn a_step_is_asked_for_by_the_word_that_asks_for_it_most() {
    let matrix = [vec![0.25, 0.75], vec![0.5, -1.0]];
    assert_eq!([asked(&matrix, 0), asked(&matrix, 1)], [0.5, 0.75]);
    assert_eq!(least_asked(&matrix, 2), 0.5);
    assert_eq!(asked(&[vec![-1.0]], 0), 0.0);
    assert_eq!((least_asked(&[], 2), least_asked(&matrix, 0)), (0.0, 0.0));
}

#[test]
fn forms_of_one_word_begin_alike() {
    for (a, b) in [("released", "release"), ("director", "directed"), ("years", "year"), ("ages", "age")] {
        assert!(alike(a, b) && alike(b, a), "{a} {b}");
    }
    for (a, b) in [("release", "year"), ("born", "birth"), ("relative", "religion")] {
        assert!(!alike(a, b) && !alike(b, a), "{a} {b}");
    }
}
