//! The estimated cost of a question, as text.

use std::io::{self, Write};

use quipu_answer::{Estimate, Estimated};

use crate::output::{Align, FAINT, Table, counted, prose};

/// Writes the usual and the highest cost of a question.
pub(crate) fn print_estimate(estimate: &Estimate, out: &mut impl Write) -> io::Result<()> {
    let Estimate { method, llm, expected, most } = estimate;
    if most.calls == 0 {
        return writeln!(out, "{}", prose(&format!("{method} needs no model call for this question.")));
    }
    let mut table = Table::new(&[
        ("", Align::Left),
        ("calls", Align::Right),
        ("tokens", Align::Right),
        ("cost", Align::Right),
    ]);
    for (name, Estimated { calls, tokens, cost }) in [("expected", expected), ("at most", most)] {
        let cost = cost.as_ref().map_or_else(|| "not known".to_owned(), ToString::to_string);
        table.push([name, &calls.to_string(), counted(*tokens, "", "").trim(), &cost]);
    }
    table.print(out)?;
    writeln!(out, "\n{FAINT}{}{FAINT:#}", prose(&format!("{method} with {llm}; no model was asked")))
}

#[cfg(test)]
mod tests {
    use quipu_answer::Cost;

    use super::*;
    use crate::views::sample::plain;

    fn shown(estimate: &Estimate) -> String {
        let mut out = Vec::new();
        print_estimate(estimate, &mut out).unwrap();
        plain(out)
    }

    #[test]
    fn what_is_usual_stands_above_the_most() {
        let cost = |amount| Some(Cost { amount, currency: "USD".into() });
        let expected = Estimated { calls: 1, tokens: 1020, cost: cost(0.000_21) };
        let most = Estimated { calls: 4, tokens: 32_768, cost: cost(0.0123) };
        let estimate = Estimate { method: "auto", llm: "openai:m".into(), expected, most };
        insta::assert_snapshot!(shown(&estimate), @r"
                  calls  tokens         cost
        expected      1   1,020  0.00021 USD
        at most       4  32,768    0.012 USD

        auto with openai:m; no model was asked
        ");
        let free = Estimate { expected: Estimated::default(), most: Estimated::default(), ..estimate };
        assert_eq!(shown(&free), "auto needs no model call for this question.\n");
    }
}
