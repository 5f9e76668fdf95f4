//! Expressions and the days that they mean.

use quipu_graph::Manifest;

use super::*;

/// The calendar of the American stock exchanges, from the manifest that ships.
pub(super) fn exchanges() -> Calendar {
    Manifest::read(Manifest::built_in("crag").unwrap(), "crag").unwrap().calendar.unwrap()
}

/// Asked on Wednesday 28 February 2024.
fn check(text: &str, expected: &[&str]) {
    check_with(text, None, expected);
}

fn check_with(text: &str, open: Option<&Calendar>, expected: &[&str]) {
    let frames = time_frames_with(text, date(2024, 2, 28), open);
    let shown: Vec<String> = frames.iter().map(|f| format!("{}..{}", f.from, f.to)).collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn dates_in_full() {
    check("who won on 2022-10-11?", &["2022-10-11..2022-10-11"]);
    check("released May 13, 1968", &["1968-05-13..1968-05-13"]);
    check("released on the 3rd of May 1968", &["1968-05-03..1968-05-03"]);
    check("released on 13 May 1968", &["1968-05-13..1968-05-13"]);
    check("born on February 30, 1968", &[]);
}

#[test]
fn years_need_a_word_that_makes_them_years() {
    check("what is 1984 about", &[]);
    check("films of 1984", &["1984-01-01..1984-12-31"]);
    check("songs from May 1968", &["1968-05-01..1968-05-31"]);
    check("albums of the 1990s", &["1990-01-01..1999-12-31"]);
    check("revenue in Q3 2021", &["2021-07-01..2021-09-30"]);
}

#[test]
fn a_number_before_an_event_of_the_service_is_a_year() {
    check("who won the 2015 oscars", &[]);
    check_with("who won the 2015 oscars", Some(&exchanges()), &["2015-01-01..2015-12-31"]);
}

#[test]
fn relative_to_the_day_of_asking() {
    check("what happened yesterday", &["2024-02-27..2024-02-27"]);
    check("the price last Tuesday", &["2024-02-20..2024-02-20"]);
    check("the price last Wednesday", &["2024-02-21..2024-02-21"]);
    check("the game next Wednesday", &["2024-03-06..2024-03-06"]);
    check("the high over the past week", &["2024-02-19..2024-02-25"]);
    check("growth over the past five years", &["2019-02-28..2024-02-28"]);
    check("founded two years ago", &["2022-02-28..2022-02-28"]);
    check("due in ten days", &["2024-03-09..2024-03-09"]);
    check("films this year", &["2024-01-01..2024-12-31"]);
    check("the close of 14 July last year", &["2023-07-14..2023-07-14"]);
    check("sales in March of last year", &["2023-03-01..2023-03-31"]);
    check("on January 5 this year", &["2024-01-05..2024-01-05"]);
    check("the second half of last year", &["2023-07-01..2023-12-31"]);
    check("sales last quarter", &["2023-10-01..2023-12-31"]);
}

#[test]
fn open_and_closed_ranges() {
    check("awards between 1990 and 1995", &["1990-01-01..1995-12-31"]);
    check("presidents from 1990 to 1995", &["1990-01-01..1995-12-31"]);
    check("albums since 2020", &["2020-01-01..2024-02-28"]);
    check("albums before 2020", &["-009999-01-01..2019-12-31"]);
    check("the day after 2023-12-31", &["2024-01-01..2024-01-01"]);
    check("between 1995 and 1990", &["1990-01-01..1990-12-31"]);
}

#[test]
fn several_in_one_question() {
    check("more in 2019 or in 2020?", &["2019-01-01..2019-12-31", "2020-01-01..2020-12-31"]);
}

/// "Last Tues" is the Tuesday of the previous week (self-verification paper §4.1.2); "the most
/// recent Tuesday" is the nearest one.
#[test]
fn weekdays_by_week_and_by_nearness() {
    check("its open price on last tues", &["2024-02-20..2024-02-20"]);
    check("on the tues of the past week", &["2024-02-20..2024-02-20"]);
    check("on the tuesday from the past week", &["2024-02-20..2024-02-20"]);
    check("Friday last week", &["2024-02-23..2024-02-23"]);
    check("this past Friday", &["2024-02-23..2024-02-23"]);
    check("on the most recent tues", &["2024-02-27..2024-02-27"]);
    check("on the last Tuesday", &["2024-02-27..2024-02-27"]);
    check("this Monday", &["2024-02-26..2024-02-26"]);
    check("last weekend", &["2024-02-24..2024-02-25"]);
    check("the sun and the sat dish", &[]);
}

#[test]
fn open_days_leave_out_weekends_and_holidays() {
    let calendar = exchanges();
    let check = |text, expected: &[&str]| check_with(text, Some(&calendar), expected);
    check("volume on the last trading day", &["2024-02-27..2024-02-27"]);
    check("on the previous trading day", &["2024-02-27..2024-02-27"]);
    check("the most recent trading session", &["2024-02-27..2024-02-27"]);
    check("on the next business day", &["2024-02-29..2024-02-29"]);
    check("the first day of trading in january 2024", &["2024-01-02..2024-01-02"]);
    check("the last trading day of 2023", &["2023-12-29..2023-12-29"]);
    check("over the past three trading days", &["2024-02-23..2024-02-27"]);
    check("over the past two days of trading", &["2024-02-26..2024-02-27"]);
    check("the first day of January 2024", &["2024-01-01..2024-01-01"]);
    let monday = time_frames_with("the last trading day", date(2024, 2, 20), Some(&calendar));
    assert_eq!((monday[0].from, monday[0].to), (date(2024, 2, 16), date(2024, 2, 16)));
}

#[test]
fn without_a_calendar_no_phrase_means_an_open_day() {
    check("volume on the last trading day", &[]);
    check("over the past three trading days", &[]);
    check("the last trading day of 2023", &["2023-01-01..2023-12-31"]);
    let always_open = Calendar { words: vec!["market day".into()], ..Calendar::default() };
    check_with("on the last trading day", Some(&always_open), &[]);
    check_with("on the last market day", Some(&always_open), &["2024-02-27..2024-02-27"]);
}

#[test]
fn figures_seasons_and_parts() {
    check("lost games in 2022-12", &["2022-12-01..2022-12-31"]);
    check("on 02/13/2024", &["2024-02-13..2024-02-13"]);
    check("paid out in 2024 q1", &["2024-01-01..2024-03-31"]);
    check("the second quarter of 2021", &["2021-04-01..2021-06-30"]);
    check("the second half of 2021", &["2021-07-01..2021-12-31"]);
    check("sold in H1 2021", &["2021-01-01..2021-06-30"]);
    check("the third half of 2021", &["2021-01-01..2021-12-31"]);
    check("the 2021-22 season", &["2021-07-01..2022-06-30"]);
    check("wars of 1990-2000", &["1990-01-01..2000-12-31"]);
    check("hits of the 90s", &["1990-01-01..1999-12-31"]);
    check("painters of the 19th century", &["1801-01-01..1900-12-31"]);
    check("the summer of 1999", &["1999-06-01..1999-08-31"]);
    check("her 2002 songs", &["2002-01-01..2002-12-31"]);
    check("at the end of last year", &["2023-12-31..2023-12-31"]);
    check("the first week of March 2023", &["2023-03-01..2023-03-07"]);
    check("last november", &["2023-11-01..2023-11-30"]);
    check("and/or 9/11", &[]);
}

#[test]
fn days_beside_days() {
    check("the previous day", &["2024-02-27..2024-02-27"]);
    check("the day before yesterday", &["2024-02-26..2024-02-26"]);
    check("its price right now", &["2024-02-28..2024-02-28"]);
    check("returns year to date", &["2024-01-01..2024-02-28"]);
    check("in the past couple of years", &["2022-02-28..2024-02-28"]);
    check("the day after 2023-12-31", &["2024-01-01..2024-01-01"]);
    check("last time, the first time, this time", &[]);
}

#[test]
fn a_frame_holds_days_months_and_years() {
    let frame = time_frames("in February 2024", date(2024, 2, 28)).remove(0);
    for (text, expected) in [
        ("2024-02-01", true),
        ("2024-02-29 09:30:00 EST", true),
        ("2024-03-01", false),
        ("2024-02", true),
        ("2024", true),
        ("2023", false),
        ("February", false),
    ] {
        assert_eq!(frame.holds(text), expected, "{text}");
    }
}

/// The same grammar, with the words of another file.
#[test]
fn german_tells_time_in_its_own_words() {
    check("Wer starb am 13. Mai 1968?", &["1968-05-13..1968-05-13"]);
    check("Welche Brücken wurden im Jahr 1911 gebaut?", &["1911-01-01..1911-12-31"]);
    check("Welche Filme gab es seit 2020?", &["2020-01-01..2024-02-28"]);
    check("Welche Städte wurden vor 1500 gegründet?", &["-009999-01-01..1499-12-31"]);
    check("Was geschah vor drei Wochen?", &["2024-02-07..2024-02-07"]);
    check("Wie viele Spiele gab es letzte Woche?", &["2024-02-19..2024-02-25"]);
    check("Welche Wahlen waren zwischen 1990 und 1995?", &["1990-01-01..1995-12-31"]);
    check("Welche Maler lebten im 19. Jahrhundert?", &["1801-01-01..1900-12-31"]);
    check("Welche Hits der 1990er hat er geschrieben?", &["1990-01-01..1999-12-31"]);
    check("Was ist vorgestern geschehen?", &["2024-02-26..2024-02-26"]);
}
