//! Potters, their pieces and their prizes: pupils who were "never apprenticed to anyone", noun
//! patterns that are values, roles before names, counts of things by a number of theirs.

use crate::common::checks::{faults, graph, weighed};
use crate::common::{Shop, answers, asked_rows};
use quipu_reading::Nearness;

async fn pottery() -> Shop {
    graph(
        ":apprenticedTo rdfs:label \"apprenticed to\" . :wonPrize rdfs:label \"won prize\" . \
         :madeBy rdfs:label \"made by\" . :yearMade rdfs:label \"year made\" . \
         :z a :Prize ; rdfs:label \"Stoneware Laurel\" . :z2 a :Prize ; rdfs:label \"Ember Prize\" . \
         :a a :Potter ; rdfs:label \"Ada Farr\" ; :wonPrize :z ; :email \"ada@farr.example\" . \
         :b a :Potter ; rdfs:label \"Bo Szep\" ; :apprenticedTo :a , :e ; :wonPrize :z ; :email \"bo@szep.example\" ; :spouse :a . \
         :c a :Potter ; rdfs:label \"Cy Nash\" ; :apprenticedTo :b , :a ; :wonPrize :z2 ; :email \"cy@nash.example\" . \
         :e a :Potter ; rdfs:label \"Eda Holt\" ; :apprenticedTo :c ; :wonPrize :z , :z2 . \
         :p1 a :Piece ; rdfs:label \"Smoked Urn\" ; :form \"urn\" ; :heightCm 50 ; :madeBy :a ; :yearMade 1990 . \
         :p2 a :Piece ; rdfs:label \"Tide Table\" ; :form \"urn\" ; :heightCm 90 ; :madeBy :a ; :yearMade 1991 . \
         :p3 a :Piece ; rdfs:label \"Plate with an Urn\" ; :form \"plate\" ; :heightCm 99 ; :madeBy :b ; :yearMade 1990 . \
         :w a :Kiln ; rdfs:label \"Top Kiln\" . :w2 a :Kiln ; rdfs:label \"Low Kiln\" . \
         :t1 a :Shelf ; rdfs:label \"S1\" ; :standsIn :w ; :loadKg 200 . \
         :t2 a :Shelf ; rdfs:label \"S2\" ; :standsIn :w ; :loadKg 200 . \
         :t3 a :Shelf ; rdfs:label \"S3\" ; :standsIn :w2 ; :loadKg 300 .",
    )
    .await
}

#[tokio::test]
async fn who_was_never_a_pupil_has_no_master() {
    let shop = pottery().await;
    let asked = "Which Stoneware Laurel winners were never apprenticed to anyone?";
    let turned = "SELECT p.name FROM potter_won_prize w JOIN potter p ON w.potter = p.name \
                  WHERE w.won_prize = 'Stoneware Laurel' AND NOT EXISTS \
                  (SELECT 1 FROM potter_apprenticed_to t WHERE t.apprenticed_to = p.name)";
    assert_eq!(answers(&shop, asked, turned).await, ["Ada Farr"]);
    let masters = "Which Stoneware Laurel winners never had a pupil?";
    assert_eq!(answers(&shop, masters, turned).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_noun_that_is_a_value_is_no_part_of_a_name() {
    let shop = pottery().await;
    let named = "SELECT name FROM piece WHERE name LIKE '%urn%' ORDER BY height_cm DESC LIMIT 2";
    assert_eq!(answers(&shop, "Which are the two tallest urns?", named).await, ["Tide Table", "Smoked Urn"]);
    let within = "Which are the two tallest pieces with an urn in their names?";
    assert_eq!(answers(&shop, within, named).await, ["Plate with an Urn", "Smoked Urn"]);
}

#[tokio::test]
async fn things_are_counted_and_not_the_values_that_limit_them() {
    let shop = pottery().await;
    let values = "SELECT k.name, COUNT(DISTINCT s.load_kg) FROM shelf s JOIN kiln k ON s.stands_in = k.name \
                  WHERE s.load_kg > 100 GROUP BY k.name";
    let asked = "Which kilns have shelves for more than 100 kg, and how many each?";
    assert_eq!(asked_rows(&shop, asked, values).await, ["Low Kiln | 1", "Top Kiln | 2"]);
    let rows = "SELECT k.name, COUNT(*) FROM shelf s JOIN kiln k ON s.stands_in = k.name \
                WHERE s.load_kg > 100 GROUP BY k.name";
    assert_eq!(asked_rows(&shop, asked, rows).await, ["Low Kiln | 1", "Top Kiln | 2"]);
    let loads = "How many different loads do the shelves of each kiln have above 100 kg?";
    assert_eq!(asked_rows(&shop, loads, values).await, ["Low Kiln | 1", "Top Kiln | 1"]);
}

#[tokio::test]
async fn a_role_before_a_name_is_a_step() {
    let shop = pottery().await;
    let fault = "leaves out a step";
    let year = "SELECT name FROM piece WHERE year_made = (SELECT year_made FROM piece WHERE name = 'Smoked Urn') \
                AND name <> 'Smoked Urn'";
    let maker = "SELECT name FROM piece WHERE made_by = (SELECT made_by FROM piece WHERE name = 'Smoked Urn') \
                 AND name <> 'Smoked Urn'";
    let asked = "What other pieces are there by the maker of Smoked Urn?";
    assert!(faults(&shop, asked, year).await.contains(&fault));
    assert!(!faults(&shop, asked, maker).await.contains(&fault));
    let all = "SELECT email FROM potter p JOIN potter_won_prize w ON w.potter = p.name \
               WHERE w.won_prize = 'Stoneware Laurel'";
    assert!(faults(&shop, "I need the email of the head of Stoneware Laurel", all).await.contains(&fault));
    assert!(!faults(&shop, "I need the email of the winner of Stoneware Laurel", all).await.contains(&fault));
}

#[tokio::test]
async fn pupils_and_conditions_are_not_left_out() {
    let shop = pottery().await;
    let own = "SELECT won_prize FROM potter_won_prize WHERE potter = 'Ada Farr'";
    let pupils = "Which prizes did Ada Farr's students win?";
    assert!(faults(&shop, pupils, own).await.contains(&"leaves out a step"));
    assert!(!faults(&shop, "Which prizes did Ada Farr win?", own).await.contains(&"leaves out a step"));
    let loads = "SELECT name FROM shelf WHERE load_kg > 250";
    let lent = "Which shelves carry over 250 kg that you can borrow and keep?";
    assert!(faults(&shop, lent, loads).await.contains(&"leaves out a condition"));
    let carry = "Which are the shelves that carry over 250 kg?";
    assert!(!faults(&shop, carry, loads).await.contains(&"leaves out a condition"));
}

#[tokio::test]
async fn a_spouse_and_a_master_are_not_the_named_ones_themselves() {
    let shop = pottery().await;
    let winners = "SELECT p.name FROM potter p JOIN potter_won_prize w ON w.potter = p.name \
                   WHERE w.won_prize = 'Ember Prize'";
    let fault = "leaves out a column";
    assert!(faults(&shop, "Who is married to a winner of the Ember Prize?", winners).await.contains(&fault));
    assert!(!faults(&shop, "Who is a winner of the Ember Prize?", winners).await.contains(&fault));
    let masters = "SELECT p.name FROM potter p JOIN potter_apprenticed_to t ON t.apprenticed_to = p.name \
                   WHERE t.apprenticed_to IN (SELECT potter FROM potter_won_prize \
                   WHERE won_prize = 'Ember Prize')";
    let pupils = "SELECT t.potter FROM potter_apprenticed_to t WHERE t.apprenticed_to IN \
                  (SELECT potter FROM potter_won_prize WHERE won_prize = 'Ember Prize')";
    let asked = "Which potters learned their craft from somebody who won the Ember Prize?";
    let fault = "stays at one end of a link";
    assert!(faults(&shop, asked, masters).await.contains(&fault));
    assert!(!faults(&shop, asked, pupils).await.contains(&fault));
    // Pupils are those apprenticed to somebody.
    let winners = "SELECT t.potter FROM potter_apprenticed_to t JOIN potter_won_prize w \
                   ON t.potter = w.potter WHERE t.apprenticed_to = 'Ada Farr'";
    let asked = "Which of Ada Farr's students went on to win a prize?";
    assert_eq!(faults(&shop, asked, winners).await, Vec::<&str>::new());
    // Whom she taught, not who taught her.
    let taught = "SELECT apprenticed_to FROM potter_apprenticed_to WHERE potter = 'Ada Farr'";
    assert_eq!(answers(&shop, "Whom did Ada Farr teach?", taught).await, ["Bo Szep", "Cy Nash"]);
}

#[tokio::test]
async fn what_one_may_do_with_a_thing_is_not_that_it_is_there() {
    let shop = pottery().await;
    let there = "SELECT EXISTS (SELECT 1 FROM piece WHERE form = 'plate' AND made_by = 'Bo Szep')";
    let fault = "leaves out a deed";
    assert!(faults(&shop, "Is it safe to eat off a plate made by Bo Szep?", there).await.contains(&fault));
    assert!(!faults(&shop, "Is it true that Bo Szep made a plate?", there).await.contains(&fault));
}

#[tokio::test]
async fn a_misspelt_word_of_a_name_does_not_shorten_it() {
    let shop = pottery().await;
    let named = |question: &str| {
        let mentions = shop.values.mentions(question);
        let names = mentions.iter().flat_map(|mention| &mention.matches).flat_map(|found| &found.shown);
        names.cloned().collect::<Vec<_>>()
    };
    assert_eq!(named("Who won the Stoneware Laurle?"), ["Stoneware Laurel"]);
    // Another word is no typing error, nor is a short one, and two names resemble "Kiln".
    assert!(named("Who won the Stoneware Medal?").is_empty());
    assert!(named("Who fires at Tip Kiln?").is_empty());
}

#[tokio::test]
async fn initials_stand_for_a_part_of_a_name() {
    let shop = graph(
        ":b a :Beer ; rdfs:label \"Rotfuchs India Pale Ale\" ; :ibu 60 . \
         :b2 a :Beer ; rdfs:label \"Rotfuchs Porter\" ; :ibu 30 . \
         :b3 a :Beer ; rdfs:label \"Almgold India Pale Ale\" ; :ibu 50 .",
    )
    .await;
    let asked = "How bitter is the Rotfuchs IPA by its ibu?";
    let sql = "SELECT ibu FROM beer WHERE name = 'Rotfuchs IPA'";
    assert_eq!(answers(&shop, asked, sql).await, ["60"]);
    let mentions = shop.values.mentions(asked);
    assert_eq!(mentions.first().map(|mention| mention.text.as_str()), Some("Rotfuchs IPA"));
    let (_, found) = weighed(&shop, asked, sql, Nearness::default(), &[]).await;
    assert!(!found.names.contains(&"ipa".to_owned()), "{found:?}");
    // Of no such name.
    assert!(shop.values.mentions("How bitter is the Rotfuchs APA?").is_empty());
}
