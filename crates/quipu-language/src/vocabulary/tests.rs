//! The files, and what single words mean.

use std::collections::HashSet;

use super::*;

#[test]
fn the_files_are_read_and_each_list_has_a_reason() {
    for (file, text) in [("en", include_str!("en.toml")), ("de", include_str!("de.toml"))] {
        let read: Lexicon = toml::from_str(text).unwrap();
        assert_eq!(read.code, file);
        let lists = toml::from_str::<toml::Table>(text).unwrap();
        let is_list = |value: &&toml::Value| value.is_table() || value.is_array();
        let each = |value: &toml::Value| match value {
            toml::Value::Array(rows) => rows.clone(),
            one => vec![one.clone()],
        };
        for list in lists.values().filter(is_list).flat_map(each) {
            assert!(list.get("reason").is_some_and(toml::Value::is_str), "{file}: {list}");
        }
        assert!(read.irregular.verbs.iter().all(|verb| verb.contains(' ')), "{file}");
        assert!(
            !read.words.is_empty() && !read.orders.is_empty() && !read.numerals.cardinals.words.is_empty()
        );
    }
    let unread = toml::from_str::<toml::Table>(include_str!("unread.toml")).unwrap();
    for language in unread["languages"].as_array().unwrap() {
        assert!(language.get("reason").is_some_and(toml::Value::is_str), "{language}");
    }
    let english = Language::english();
    assert!(english.meanings("not").iter().any(|meaning| meaning.means == "negation" && meaning.sure));
    assert!(english.meanings("novel").is_empty());
}

#[test]
fn a_question_shows_its_language() {
    for (question, code) in [
        ("Who wrote Die Blechtrommel?", "en"),
        ("Die Zeit publisher", "en"),
        ("capital Peru", "en"),
        ("Was Lima founded in 1535?", "en"),
        ("Who succeeded Ursula von der Leyen?", "en"),
        ("Ursula von der Leyen spouse", "en"),
        ("Who composed Der Ring des Nibelungen?", "en"),
        ("Wen Jiabao birthplace", "en"),
        ("Tod Browning films", "en"),
        ("War and Peace author", "en"),
        ("Wer schrieb The Lord of the Rings?", "de"),
        ("Was ist Perus Hauptstadt?", "de"),
        ("Hat Peru eine Küste?", "de"),
        ("War Horse director", "en"),
        ("Der Untergang director", "en"),
        ("Man of Steel", "en"),
        ("Was kostet das Rad?", "de"),
        ("Grenzt Portugal an Frankreich?", "de"),
        ("Liegt Cusco in Peru?", "de"),
        ("Hat Peru mehr Einwohner als Chile?", "de"),
        ("Hauptstadt von Peru", "en"),
        ("Welche Stadt ist die größte?", "de"),
        ("Nenne alle Flüsse in Peru", "de"),
        ("Wer schrieb Emma?", "de"),
        ("Ist Lima die Hauptstadt von Peru?", "de"),
        ("Welche Sprachen spricht man in The Gambia?", "de"),
    ] {
        assert_eq!(Language::of(question).code(), code, "{question}");
    }
}

#[test]
fn german_words_change_at_their_ends() {
    let german = Language::all().find(|language| language.code() == "de").unwrap();
    for (noun, singular) in
        [("länder", "land"), ("städte", "stadt"), ("flüsse", "fluss"), ("sprachen", "sprache")]
    {
        assert!(german.is_noun(noun, singular), "{noun}");
    }
    for (word, known) in [("einwohner", "einwohnerzahl"), ("schrieb", "geschrieben"), ("brücken", "brücke")]
    {
        assert!(german.is_form(word, known), "{word} {known}");
    }
    let superlative = |word| german.meanings(word).iter().any(|meaning| meaning.means == "superlative");
    assert!(["größtem", "zweitgrößte", "bevölkerungsreichsten", "häufigster"].into_iter().all(superlative));
    assert_eq!(german.end_asked_for("niedrigstem", Ordered::Numbers), Some(End::Ascending));
    let words = crate::words_of("Welche ist die drittgrößte Stadt?");
    assert_eq!(place_asked_for(&words, 3), Some(3));
    assert_eq!(place_asked_for(&crate::words_of("der zweite höchste Berg"), 1), Some(2));
    assert_eq!(with_superlatives("Ist Peru größer als Chile?"), "ist peru größte als chile");
    assert_eq!((german.scale("millionen"), german.parts_thousands('.')), (Some(1e6), true));
    assert_eq!(german.measured("höchste", "Einwohnerzahl"), Measured::Unknown);
}

#[test]
fn a_language_without_words_is_named() {
    for (question, language) in [
        ("Quelle est la capitale du Pérou ?", Some("French")),
        ("¿Cuál es la capital de los Países Bajos?", Some("Spanish")),
        ("Hoeveel inwoners heeft de stad Lima?", Some("Dutch")),
        ("Qual è la capitale della Francia?", Some("Italian")),
        ("Qui a écrit Emma ?", Some("French")),
        ("¿Quién escribió Emma?", Some("Spanish")),
        ("Who directed La Haine?", None),
        ("Who wrote Le Rouge et le Noir?", None),
        ("Who coached Donny van de Beek?", None),
        ("Who is in the film Le Roi et la Reine?", None),
        ("Wer führte bei El Topo Regie?", None),
        ("largest city Peru population", None),
    ] {
        assert_eq!(Language::unread(question), language, "{question}");
    }
}

#[test]
fn units_are_made_of_smaller_ones() {
    for language in Language::all() {
        for row in &language.words().conversions.phrases {
            let [from, many, into]: [&str; 3] = row.split(' ').collect::<Vec<_>>().try_into().unwrap();
            let many: f64 = many.parse().unwrap();
            assert_eq!(language.unit_factor(from, into), Some(many), "{row}");
            assert_eq!(language.unit_factor(into, from), Some(1.0 / many), "{row}");
        }
    }
    let english = Language::english();
    assert_eq!(english.unit_factor("minutes", "sec"), Some(60.0));
    assert_eq!(english.unit_factor("towns", "sec"), None);
}

#[test]
fn figures_follow_the_languages_separators() {
    let german = Language::of("Welche sind unter 0,5 Liter?");
    for (language, text, number) in [
        (Language::english(), "1,000", Some(1_000.0)),
        (Language::english(), "2.5", Some(2.5)),
        (german, "0,5", Some(0.5)),
        (german, "1.000", Some(1_000.0)),
        (german, "2.5", Some(2.5)),
        (german, "viele", None),
    ] {
        assert_eq!(language.figures(text), number, "{} {text}", language.name());
    }
}

#[test]
fn some_words_compare_only_where_a_value_follows() {
    let sure = |question: &str| {
        let words = crate::words_of(question);
        (0..words.len()).any(|at| meanings_at(&words, at).iter().any(|meaning| meaning.sure))
    };
    for compares in ["ships under 500 tons", "ports below the average", "films that are longer"] {
        assert!(sure(compares), "{compares}");
    }
    for places in [
        "which genres do they fall under",
        "the bridge over which it leads",
        "is it under or over",
        "who is the hall named after",
        "which makers, I mean the clubs",
    ] {
        assert!(!sure(places), "{places}");
    }
}

#[test]
fn a_superlative_asks_for_one_end_of_an_order() {
    use Ordered::{Ages, Dates, Numbers, Ranks, Years};
    assert!(are_ranks("chart position") && !are_ranks("ranking points"));
    for (word, of, end) in [
        ("oldest", Numbers, None),
        ("oldest", Ages, Some(End::Descending)),
        ("highest", Ages, Some(End::Descending)),
        ("oldest", Dates, Some(End::Ascending)),
        ("oldest", Years, Some(End::Ascending)),
        ("longest", Dates, Some(End::Ascending)),
        ("longest", Years, Some(End::Ascending)),
        ("longest", Numbers, Some(End::Descending)),
        ("shortest", Dates, Some(End::Descending)),
        ("newest", Numbers, None),
        ("newest", Dates, Some(End::Descending)),
        ("cheapest", Numbers, Some(End::Ascending)),
        ("best", Numbers, None),
        ("highest", Ranks, Some(End::Ascending)),
        ("top", Ranks, Some(End::Ascending)),
        ("top", Numbers, None),
    ] {
        assert_eq!(Language::english().end_asked_for(word, of), end, "{word} {of:?}");
    }
}

#[test]
fn an_ordinal_is_a_place_only_before_a_superlative() {
    let place = |question: &str| {
        let words = crate::words_of(question);
        (0..words.len()).find_map(|at| place_asked_for(&words, at))
    };
    assert_eq!(place("the second largest ship"), Some(2));
    assert_eq!(place("the 3rd most common colour"), Some(3));
    assert_eq!(place("the second widest picture"), Some(2));
    assert_eq!(place("the second world war"), None);
    assert_eq!(place("the largest ship"), None);
}

#[test]
fn what_a_question_asks_for() {
    for (question, expected) in [
        ("Is Peru larger than Chile?", Some("yes_or_no")),
        ("Does Chile or Peru have more inhabitants?", None),
        ("Could you tell me which towns lie in Peru?", None),
        ("Can you please tell me who wrote it?", Some("person")),
        ("how many towns lie in Peru", Some("count")),
        ("When was it opened?", Some("date")),
        ("Does Chile or Peru have more than 20 towns?", Some("yes_or_no")),
        ("How much more does it cost?", Some("amount")),
    ] {
        assert_eq!(asks_for(question), expected, "{question}");
    }
    let better = |question: &str| asks_for_the_better(&crate::words_of(question));
    assert!(better("What's dearer, the pump or the drill?") && better("Who is older, Ada or Bo?"));
    assert!(!better("Which river is in Peru or Chile?"));
    assert!(asks_for_units("How many years lie between the two?"));
    assert!(asks_for_units("How many more minutes did it take?"));
    assert!(!asks_for_units("How many paintings are two years old?"));
    assert!(asks_twice("Which is the oldest, and how old is it?"));
    assert!(!asks_twice("Which are the oldest and the youngest?"));
    let two = |question: &str| asks_for_two(&crate::words_of(question), &HashSet::new());
    assert!(two("What are the name and the rating of the best ones?"));
    assert!(two("Show each album of Ada together with the studio that it was made in"));
    assert!(!two("Which singers sang together with Ada?"));
    assert!(!two("Which of them lie in Peru and are larger than those of Chile?"));
    assert_eq!((month("september"), month("sep"), month("seps")), (Some(9), Some(9), None));
}

#[test]
fn places_of_a_list_are_said_in_words() {
    for (said, expected) in [
        ("the number one song on the chart", Some(1)),
        ("which song stood in second place", Some(2)),
        ("the top song of the week", Some(1)),
        ("the top five songs", None),
        ("how many songs are on the chart", None),
    ] {
        assert_eq!(place_said(&crate::words_of(said)), expected, "{said}");
    }
}

#[test]
fn places_that_no_order_has() {
    let found = |question| impossible_place(question);
    assert_eq!(found("What is the -5th largest city?"), Some("-5th"));
    assert_eq!(found("the 0th largest city"), Some("0th"));
    assert_eq!(found("the 99999999999999999999th largest city"), Some("99999999999999999999th"));
    assert_eq!(found("the top 0 cities"), Some("0"));
    for fine in
        ["the 5th largest city", "the top 10 cities", "the film of 1999", "at -5 degrees", "21st century"]
    {
        assert_eq!(found(fine), None, "{fine}");
    }
}

#[test]
fn forms_of_everyday_words_are_everyday() {
    let english = Language::english();
    for word in ["border", "borders", "bordering", "bordered", "sharing", "lakes", "hosted"] {
        assert_eq!(english.is_everyday_form(word), word != "hosted", "{word}");
    }
    let lists = english.words();
    let function = |word: &&str| english.is_function_word(word);
    let both: Vec<&str> = lists.common.words.iter().filter(function).collect();
    assert!(both.is_empty(), "{both:?}");
    let twice: Vec<&str> =
        listed(&lists.grammar.words).filter(|word| english.means(word, "function")).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn an_opening_that_asks_for_a_description_is_left_out() {
    for (question, thing) in [
        ("Tell me about Peru", "Peru"),
        ("could you please tell me more about the Falcon Drill?", "the Falcon Drill"),
        ("Who is Dr. Ada Quist?", "Dr. Ada Quist"),
        ("what's BR-12.", "BR-12"),
        ("Falcon Drill", "Falcon Drill"),
        ("Erzähl mir etwas über Peru!", "Peru"),
        // An opening with nothing behind it may be a name.
        ("Who is", "Who is"),
        // The rest is no name; the graph will not have it.
        ("Who is the mayor of Lima?", "the mayor of Lima"),
    ] {
        assert_eq!(thing_to_describe(question), thing, "{question}");
    }
}

#[test]
fn a_question_may_ask_whether_a_thing_is_of_a_kind() {
    let check = |question: &str, expected: Option<(&str, &str)>| {
        assert_eq!(kind_asked_of(question), expected, "{question}");
    };
    check("Is Lima a capital?", Some(("Lima", "capital")));
    check("is the Press 12 a spare part?", Some(("the Press 12", "spare part")));
    check("Ist Lima eine Stadt?", Some(("Lima", "Stadt")));
    check("Was Once Upon a Time a film?", Some(("Once Upon a Time", "film")));
    check("Is Lima a city in Peru?", None);
    check("Is there a capital?", Some(("there", "capital")));
    check("Is Lima the capital of Peru?", None);
    check("Is a capital?", None);
    check("Does Lima have a port?", None);
}

#[test]
fn a_choice_of_sexes_asks_for_the_sex() {
    for (question, person) in [
        ("Is Ada Moor's pupil a man or a woman?", Some("Ada Moor's pupil")),
        ("was Kim male or female", Some("Kim")),
        ("Is a man or a woman?", None),
        ("Is Ada a woman?", None),
        ("Is Ada's human or woman?", None),
        ("Which dog is male or female?", None),
    ] {
        assert_eq!(sex_asked_of(question), person, "{question}");
    }
}

#[test]
fn words_of_one_root_differ_by_their_endings() {
    let english = Language::english();
    for (word, other, expected) in [
        ("neurologists", "neurology", true),
        ("photographer", "photography", true),
        ("electrical", "electric", true),
        ("thistlebury", "thistledown", false),
        ("harrow", "harrowgate", false),
        ("botany", "botanist", false),
        ("station", "station", false),
    ] {
        assert_eq!(english.is_of_one_root(word, other), expected, "{word} {other}");
    }
}

#[test]
fn a_question_behind_another_asks_by_itself() {
    for (question, expected) in [
        ("Do we have an address of Ada, and if so, what is it?", None),
        ("Is the pump running or what state is it in?", None),
        ("Is it on loan, and if so, who has it?", Some("person")),
        ("Is the pump red or blue?", Some("yes_or_no")),
        ("Is it true or not?", Some("yes_or_no")),
    ] {
        assert_eq!(asks_for(question), expected, "{question}");
    }
}

#[test]
fn one_measure_has_several_titles() {
    let english = Language::english();
    assert!(english.are_of_one_measure("running time", "minutes long"));
    assert!(!english.are_of_one_measure("running time", "height"));
    assert!(!english.are_of_one_measure("capital", "mayor"));
    assert_eq!(english.measured("highest", "elev m"), Measured::Alike);
    assert_eq!(english.measured("longest serving", "name"), Measured::Unknown);
    assert_eq!(english.measured("serving", "start dt"), Measured::Alike);
    assert_ne!(english.measured("longest", "start dt"), Measured::Alike);
    assert!(english.ends_like_a_role("conductor") && !english.ends_like_a_role("orchestra"));
    assert!(!english.ends_like_a_role("door"));
}

#[test]
fn words_that_compare_nothing() {
    let sure = |question: &str, word: &str| {
        let words = crate::words_of(question);
        let at = words.iter().position(|known| known == word).unwrap();
        meanings_at(&words, at).iter().any(|meaning| meaning.sure)
    };
    assert!(!sure("it took over from an older model", "over"));
    assert!(!sure("how many days until it arrives", "until"));
    assert!(sure("which offers last until 2020", "until"));
    assert!(!sure("guests who booked a suite, cancelled or not", "not"));
    assert!(sure("guests who have not booked", "not"));
    assert!(!sure("since when has she been here", "since"));
}

#[test]
fn the_longest_may_ask_since_when() {
    let asks = |question: &str| {
        let words = crate::words_of(question);
        let at = words.iter().position(|word| word == "longest").unwrap();
        super::asks_since_when(&words, at)
    };
    assert!(asks("which lock has been around the longest"));
    assert!(asks("which client has been with the company the longest"));
    assert!(asks("which mill has stood the longest"));
    assert!(!asks("which has been the longest"));
    assert!(!asks("the longest that has been built"));
    assert!(!asks("which is the longest"));
}

#[test]
fn a_question_begins_behind_what_is_needed() {
    for (question, behind) in [
        ("Need the e-mail of Ada Farr", "e mail of ada farr"),
        ("We're looking for tall urns", "tall urns"),
        ("I need to know who made it", "who made it"),
        ("Need for Haste director", "need for haste director"),
    ] {
        assert_eq!(without_request(question).join(" ").replace('-', " "), behind);
    }
}
