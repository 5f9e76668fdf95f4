//! An answer as text: the answer, its reading, its evidence, its cost.

use std::collections::HashSet;
use std::io::{self, Write};

use quipu_answer::{Answer, Evidence, EvidenceContent, Note};
use quipu_server::{Shape, Sureness, Trust};

use super::readings::print_readings;
use super::remarks::{CAUTION, View, print_cost, print_remarks};
use super::values::print_values;
use crate::output::{Align, FAINT, STRONG, Table, prose, visible};

/// Entities of a ranking that are shown; `--json` has them all.
const MOST_RANKED: usize = 5;
/// More evidence than this is for programs (`--json`).
const MOST_EVIDENCE: usize = 12;

/// Writes the answer for a person.
pub(crate) fn print_answer(answer: &Answer, view: View, out: &mut impl Write) -> io::Result<()> {
    print_words(answer, out)?;
    print_remarks(answer, out)?;
    print_readings(answer, view, trust_line(answer).as_deref(), out)?;
    print_ranking(answer, out)?;
    print_evidence(answer, out)?;
    print_cost(answer, out)
}

/// The answer in words, or its values as a table.
fn print_words(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    match (&answer.table, Shape::of(answer)) {
        (None, _) | (_, Shape::Sentence) => writeln!(out, "{STRONG}{}{STRONG:#}", prose(&answer.answer)),
        (Some(table), shape) => {
            print_values(table, shape, out)?;
            writeln!(out)
        }
    }
}

/// Says whether the values stand in the evidence and how sure the reading is. Doubt is coloured.
fn trust_line(answer: &Answer) -> Option<String> {
    let trust = Trust::of(answer)?;
    // A note already states that no source holds the values.
    let line = if answer.notes.contains(&Note::ModelAlone) { trust.reading.clone() } else { trust.line() };
    let style = if trust.values_held && trust.sureness != Sureness::Doubtful { FAINT } else { CAUTION };
    Some(format!("{style}{}{style:#}", prose(&line)))
}

/// The best entities of a ranking, each with its path through the graph.
fn print_ranking(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    if answer.ranked.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    for (rank, entity) in (1..).zip(answer.ranked.iter().take(MOST_RANKED)) {
        let paths = entity.paths.iter().map(|path| visible(path)).collect::<Vec<_>>().join("; ");
        writeln!(
            out,
            "{rank}. {}  {FAINT}{}  {paths}{FAINT:#}",
            visible(&entity.name),
            visible(&entity.key)
        )?;
    }
    Ok(())
}

fn print_evidence(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    if answer.evidence.is_empty() {
        return Ok(());
    }
    let cited: HashSet<&str> = answer.citations.iter().map(String::as_str).collect();
    let mut evidence: Vec<&Evidence> = answer.evidence.iter().collect();
    evidence.sort_by_key(|piece| !cited.contains(piece.id.as_str()));
    // With a single source every line would repeat it.
    let stated = evidence.iter().filter(|piece| !is_calculated(piece));
    let several = stated.map(|piece| piece.source.as_str()).collect::<HashSet<&str>>().len() > 1;
    let mut columns =
        vec![("", Align::Left), ("head", Align::Left), ("relation", Align::Left), ("tail", Align::Left)];
    columns.extend(several.then_some(("source", Align::Left)));
    let mut table = Table::new(&columns);
    for piece in evidence.iter().take(MOST_EVIDENCE) {
        let mark = if cited.contains(piece.id.as_str()) { "✓" } else { "" };
        let [head, relation, tail] = cells(&piece.content);
        let source = if is_calculated(piece) { "" } else { &piece.source };
        match several {
            true => table.push([mark, &head, &relation, &tail, source]),
            false => table.push([mark, &head, &relation, &tail]),
        }
    }
    writeln!(out)?;
    table.print(out)?;
    let hidden = evidence.len().saturating_sub(MOST_EVIDENCE);
    if hidden > 0 {
        writeln!(out, "{FAINT}and {hidden} more (--json has them all){FAINT:#}")?;
    }
    Ok(())
}

fn is_calculated(piece: &Evidence) -> bool {
    matches!(piece.content, EvidenceContent::Calculation { .. })
}

fn cells(content: &EvidenceContent) -> [String; 3] {
    match content {
        EvidenceContent::Triple { head, relation, tail, .. } => [head, relation, tail].map(Clone::clone),
        EvidenceContent::Passage { entity, passage, .. } => {
            [entity.clone(), "document".into(), passage.clone()]
        }
        EvidenceContent::Record(record) => {
            let fields = record.fields.iter().map(|field| format!("{}: {}", field.name, field.value));
            [record.table.clone(), "record".into(), fields.collect::<Vec<_>>().join("; ")]
        }
        EvidenceContent::Calculation { operation, result, .. } => {
            ["calculated".into(), operation.clone(), result.clone()]
        }
    }
}

#[cfg(test)]
mod tests {
    use quipu_answer::Status;

    use super::*;
    use crate::views::sample::{answer, shown};

    #[test]
    fn answer_then_evidence_then_cost() {
        insta::assert_snapshot!(shown(&answer()), @r"
        The capital of Peru is Lima.
        The value stands in the graph. The method is sure (0.90).

           head  relation   tail
        ✓  Peru  capital    Lima
           Peru  continent  South America

        2 model calls · 1,234 tokens · 1.2 s · kerag with small
        ");
    }

    #[test]
    fn what_it_cost_is_said_where_the_price_is_known() {
        let mut paid = answer();
        paid.usage.cost = Some(quipu_answer::Cost { amount: 0.000_31, currency: "USD".into() });
        assert!(shown(&paid).contains("1,234 tokens · 0.00031 USD · 1.2 s"), "{}", shown(&paid));
    }

    #[test]
    fn of_several_sources_each_line_names_its_own() {
        let mut two = answer();
        two.evidence.push(Evidence::triple("atlas", ["Lima", "river", "Rímac"], ["l", "r", "w"]));
        two.evidence.push(Evidence::calculation("count of 2 values", "2", Vec::new()));
        insta::assert_snapshot!(shown(&two), @r"
        The capital of Peru is Lima.
        The value stands in the graph. The method is sure (0.90).

           head        relation           tail           source
        ✓  Peru        capital            Lima           geo
           Peru        continent          South America  geo
           Lima        river              Rímac          atlas
           calculated  count of 2 values  2

        2 model calls · 1,234 tokens · 1.2 s · kerag with small
        ");
    }

    #[test]
    fn an_abstention_says_why() {
        let abstained = Answer {
            status: Status::Abstained,
            answer: "I don't know.".into(),
            answers: Vec::new(),
            evidence: Vec::new(),
            citations: Vec::new(),
            reason: Some("nothing in the graph says who presides over Peru".into()),
            ..answer()
        };
        insta::assert_snapshot!(shown(&abstained), @r"
        I don't know.
        why: nothing in the graph says who presides over Peru

        2 model calls · 1,234 tokens · 1.2 s · kerag with small
        ");
    }

    #[test]
    fn what_is_not_in_the_evidence_is_marked() {
        let ungrounded = Answer { grounded: false, ..answer() };
        let text = shown(&ungrounded);
        assert!(text.contains("\nNot all of this stands in the evidence: take it with care. "), "{text}");
        let alone = Answer { notes: vec![Note::ModelAlone], confidence: 0.3, ..ungrounded };
        let text = shown(&alone);
        assert!(text.contains("no source confirms it.\nThe answer is doubtful (0.30).\n"), "{text}");
        assert!(!text.contains("in the evidence"), "{text}");
    }

    #[test]
    fn much_evidence_is_cut_but_never_what_is_cited() {
        let mut long = answer();
        for number in 0..40 {
            long.evidence.insert(0, Evidence::passage("geo", "Peru", &format!("passage {number}")));
        }
        let text = shown(&long);
        assert!(text.contains("✓  Peru  capital   Lima") || text.contains("Lima"), "{text}");
        assert!(text.contains("and 30 more"), "{text}");
    }
}
