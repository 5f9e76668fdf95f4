//! Readings of single events, and of links from one thing to another of its kind.

use quipu_reading::{Candidate, Nearness, PathFit, TableQuestion, features};

use crate::common::checks::{candidate, faults, graph, weighed};
use crate::common::{Shop, answers};

/// Trees of a variety, which is bred from others, and what was picked from them.
async fn trees() -> Shop {
    graph(
        ":v1 a :Variety ; rdfs:label \"Iron Bess\" . :v2 a :Variety ; rdfs:label \"Candle Pippin\" ; :bredFrom :v1, :v3 . \
         :v3 a :Variety ; rdfs:label \"Wren\" . :t1 a :Tree ; rdfs:label \"Old Gate\" ; :ofVariety :v1 . \
         :t2 a :Tree ; rdfs:label \"Swing\" ; :ofVariety :v2 . \
         :p1 a :Picking ; rdfs:label \"First picking\" ; :fromTree :t1 ; :weightKg 60 . \
         :p2 a :Picking ; rdfs:label \"Second picking\" ; :fromTree :t1 ; :weightKg 70 . \
         :p3 a :Picking ; rdfs:label \"Third picking\" ; :fromTree :t2 ; :weightKg 120 .",
    )
    .await
}

#[tokio::test]
async fn a_link_that_is_joined_at_the_end_that_is_named_leads_nowhere() {
    let trees = trees().await;
    let question = "Name the trees whose variety has Iron Bess as one of its parents.";
    let fault = "stays at one end of a link";
    let same = "SELECT tree.name FROM tree JOIN variety_bred_from ON tree.of_variety = variety_bred_from.bred_from \
                WHERE variety_bred_from.bred_from = 'Iron Bess'";
    let found = faults(&trees, question, same).await;
    assert!(found.contains(&fault), "{found:?}");
    let other = "SELECT tree.name FROM tree JOIN variety_bred_from ON tree.of_variety = variety_bred_from.variety \
                 WHERE variety_bred_from.bred_from = 'Iron Bess'";
    assert!(!faults(&trees, question, other).await.contains(&fault));
    assert_eq!(answers(&trees, question, other).await, ["Swing"]);
    let any =
        "SELECT tree.name FROM tree JOIN variety_bred_from ON tree.of_variety = variety_bred_from.variety";
    let bred = "Which trees are of a variety that was bred from another?";
    assert!(!faults(&trees, bred, any).await.contains(&fault));
    // Nor does a path with the same rows know the link.
    let variety = "SELECT name FROM tree WHERE of_variety = 'Iron Bess'";
    let path = candidate(&trees, question, variety, Nearness::default()).await;
    let path = Candidate { path: Some(PathFit { share: 0.9, doubts: 0, steps: 1 }), ..path };
    let query = candidate(&trees, question, same, Nearness::default()).await;
    let asking = TableQuestion { text: question, tables: &trees.tables, values: &trees.values, named: &[] };
    let found = features(&asking, &[path, query]).remove(0).1.faults;
    assert!(found.contains(&fault), "{found:?}");
}

#[tokio::test]
async fn a_session_of_picking_is_a_picking() {
    let trees = trees().await;
    let sql = "SELECT COUNT(*) FROM picking";
    let left_out =
        async |question: &str| weighed(&trees, question, sql, Nearness::default(), &[]).await.1.names;
    assert_eq!(left_out("How many picking sessions are there?").await, [""; 0]);
    assert_eq!(left_out("How many trees are there in sessions?").await.last().unwrap(), "sessions");
}

#[tokio::test]
async fn nothing_is_added_up_of_one_event() {
    let trees = trees().await;
    let sum = "SELECT from_tree FROM picking GROUP BY from_tree HAVING SUM(weight_kg) > 110";
    let fault = "adds up what one has";
    for question in [
        "Which trees gave more than 110 kilos in one picking?",
        "Which trees gave 110 kilos in a single picking?",
    ] {
        assert!(faults(&trees, question, sum).await.contains(&fault), "{question}");
    }
    for question in ["Which trees gave more than 110 kilos?", "Which trees gave more than one picking?"] {
        assert!(!faults(&trees, question, sum).await.contains(&fault), "{question}");
    }
    let one = "SELECT DISTINCT from_tree FROM picking WHERE weight_kg > 110";
    let question = "Which trees have at some point given us more than 110 kilos in one picking?";
    assert_eq!(answers(&trees, question, one).await, ["Swing"]);
    assert!(!faults(&trees, question, one).await.contains(&fault));
}

/// Chargers of a depot, the faults that follow from one another, and batteries.
async fn depot() -> Shop {
    graph(
        ":Charger rdfs:label \"charge point\" ; rdfs:subClassOf :Equipment . :Pantograph rdfs:subClassOf :Charger . \
         :PantographCharger rdfs:subClassOf :Charger . :Switchboard rdfs:subClassOf :Equipment . \
         :c1 a :Charger ; rdfs:label \"KR-1\" ; :maxOutput 150 . :c2 a :Charger ; rdfs:label \"KR-2\" ; :maxOutput 50 . \
         :c3 a :PantographCharger ; rdfs:label \"KR-3\" ; :maxOutput 300 . \
         :s1 a :Switchboard ; rdfs:label \"Main board\" ; :fedBy :t1 . :t1 a :Transformer ; rdfs:label \"North TX\" . \
         :Transformer rdfs:subClassOf :Equipment . :c1 :fedBy :s1 . :c2 :fedBy :s1 . :c3 :fedBy :s2 . \
         :s2 a :Switchboard ; rdfs:label \"Side board\" ; :fedBy :t1 . :e1 a :Equipment ; rdfs:label \"Old rig\" ; :fedBy :s2 . \
         :f1 a :Fault ; rdfs:label \"Arc flash\" ; :downtimeH 3 ; :contractor :k1 . \
         :f2 a :Fault ; rdfs:label \"Blown fuse\" ; :consequentTo :f1 ; :downtimeH 5 ; :contractor :k1 . \
         :f3 a :Fault ; rdfs:label \"Burnt contact\" ; :consequentTo :f2 ; :downtimeH 7 ; :contractor :k2 . \
         :k1 a :Contractor ; rdfs:label \"Garrow\" . :k2 a :Contractor ; rdfs:label \"Brightwater\" . \
         :stateOfHealth rdfs:label \"SoH (%)\" . \
         :b1 a :Battery ; rdfs:label \"B-1\" ; :chemistry \"LFP\" ; :stateOfHealth 80 . \
         :b2 a :Battery ; rdfs:label \"B-2\" ; :chemistry \"LFP\" ; :stateOfHealth 90 .",
    )
    .await
}

#[tokio::test]
async fn a_class_that_the_query_names_is_not_narrowed_by_a_word_of_its_subclass() {
    let depot = depot().await;
    let sql = "SELECT COUNT(*) FROM equipment WHERE kind = 'charge point'";
    let question = "How many chargers do we have in total?";
    assert_eq!(answers(&depot, question, sql).await, ["3"]);
}

#[tokio::test]
async fn a_narrower_class_is_a_fault_where_another_has_the_name() {
    let depot = depot().await;
    let fault = "takes a narrower kind";
    let narrow = "SELECT name FROM equipment WHERE kind = 'PantographCharger'";
    assert!(faults(&depot, "Which chargers are there?", narrow).await.contains(&fault));
    assert!(!faults(&depot, "Which pantograph chargers are there?", narrow).await.contains(&fault));
    let all = "SELECT name FROM equipment WHERE kind = 'charge point'";
    assert!(!faults(&depot, "Which chargers are there?", all).await.contains(&fault));
}

#[tokio::test]
async fn a_record_with_a_longer_name_joins_the_things_that_the_question_names() {
    let school = graph(
        r#":Instructor rdfs:label "instructor" . :CourseInstructor rdfs:label "course instructor" .
        :teacher rdfs:label "teacher" . :course rdfs:label "course" . :score rdfs:label "score" .
        :ada a :Instructor ; rdfs:label "Ada" . :bo a :Instructor ; rdfs:label "Bo" .
        :r1 a :CourseInstructor ; :teacher :ada ; :course "Logic" ; :score 4 .
        :r2 a :CourseInstructor ; :teacher :bo ; :course "Law" ; :score 2 ."#,
    )
    .await;
    let fault = "takes a narrower kind";
    let question = "What is the average score for each instructor?";
    let joined = "SELECT i.name, AVG(c.score) FROM course_instructor c JOIN instructor i ON c.teacher = i.name \
                  GROUP BY i.name";
    assert!(!faults(&school, question, joined).await.contains(&fault));
    let alone = "SELECT AVG(score) FROM course_instructor";
    assert!(faults(&school, question, alone).await.contains(&fault));
}

#[tokio::test]
async fn what_is_counted_is_not_averaged() {
    let depot = depot().await;
    let average = "SELECT contractor, AVG(downtime_h) FROM fault GROUP BY contractor";
    let fault = "averages what is counted";
    let counted = "How many hours of downtime are there per contractor?";
    assert!(faults(&depot, counted, average).await.contains(&fault));
    let averaged = "How many hours of downtime are there on average per contractor?";
    assert!(!faults(&depot, averaged, average).await.contains(&fault));
    let sum = "SELECT contractor, SUM(downtime_h) FROM fault GROUP BY contractor";
    assert!(!faults(&depot, counted, sum).await.contains(&fault));
}

#[tokio::test]
async fn a_relation_through_others_is_taken_over_all_levels() {
    let depot = depot().await;
    let sql = "SELECT COUNT(*) FROM fault WHERE consequent_to = 'Arc flash'";
    for question in [
        "How many faults trace back, directly or through another fault, to the arc flash?",
        "How many faults are ultimately consequent to the arc flash?",
    ] {
        assert_eq!(answers(&depot, question, sql).await, ["2"], "{question}");
    }
    assert_eq!(answers(&depot, "How many faults are consequent to the arc flash?", sql).await, ["1"]);
}

#[tokio::test]
async fn first_letters_stand_for_words_with_an_of_among_them() {
    let depot = depot().await;
    let sql = "SELECT chemistry, AVG(so_h) FROM battery GROUP BY chemistry";
    let question = "What is the mean state of health per chemistry?";
    let (_, found) = weighed(&depot, question, sql, Nearness::default(), &[]).await;
    assert!(found.names.is_empty(), "{:?}", found.names);
}

#[tokio::test]
async fn the_class_of_that_name_goes_before_a_class_that_ends_with_it() {
    let depot = depot().await;
    let sql = "SELECT name FROM equipment WHERE max_output >= 150";
    let mut found = answers(&depot, "Which chargers can deliver at least 150?", sql).await;
    found.sort();
    assert_eq!(found, ["KR-1", "KR-3"]);
}

/// Buses whose lengths and prices have their unit behind them.
async fn buses() -> Shop {
    graph(
        ":b1 a :Bus ; rdfs:label \"Dov\" ; :overallLength \"12.0 m\" ; :maxPower \"150 kW\" ; :bay \"3rd\" . \
         :b2 a :Bus ; rdfs:label \"Flora\" ; :overallLength \"18.1 m\" ; :maxPower \"1,050 kW\" ; :bay \"4th\" . \
         :b3 a :Bus ; rdfs:label \"Maud\" ; :overallLength \"9 m\" ; :maxPower \"75 kW\" ; :bay \"5th\" .",
    )
    .await
}

#[tokio::test]
async fn numbers_with_their_unit_behind_them_are_numbers() {
    let shop = buses().await;
    let ids: Vec<&str> = shop.tables.columns().map(|(_, column)| column.id.as_str()).collect();
    assert!(ids.contains(&"overall_length_in_m") && ids.contains(&"bay"), "{ids:?}");
    for (question, sql, expected) in [
        (
            "How many buses are more than 15 metres long?",
            "SELECT COUNT(*) FROM bus WHERE overall_length_in_m > 15",
            "1",
        ),
        (
            "How many buses are at least 12 m long?",
            "SELECT COUNT(*) FROM bus WHERE overall_length_in_m >= '12 m'",
            "2",
        ),
        (
            "Which bus is the longest?",
            "SELECT name FROM bus ORDER BY overall_length_in_m DESC LIMIT 1",
            "Flora",
        ),
        ("What is the total length of all buses?", "SELECT SUM(overall_length_in_m) FROM bus", "39.1"),
        ("How long is Maud?", "SELECT overall_length_in_m FROM bus WHERE name = 'Maud'", "9 m"),
        ("Which bus has the least power?", "SELECT name FROM bus ORDER BY max_power_in_k_w LIMIT 1", "Maud"),
        (
            "How many buses have less than 1 megawatt?",
            "SELECT COUNT(*) FROM bus WHERE max_power_in_k_w < 1000",
            "2",
        ),
    ] {
        assert_eq!(answers(&shop, question, sql).await, [expected], "{question}");
    }
}
