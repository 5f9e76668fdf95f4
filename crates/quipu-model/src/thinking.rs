//! `<think>` blocks, which reasoning models write before their answer.

/// Splits a reply into the answer and the text of its `<think>` blocks. A block without an end
/// extends to the end of the reply.
pub(crate) fn split_thinking(reply: &str) -> (String, Option<String>) {
    const OPEN: &str = "<think>";
    const CLOSE: &str = "</think>";
    let (mut answer, mut thinking) = (String::new(), String::new());
    let mut rest = reply;
    // Some templates open the block themselves, so that the reply holds only its end.
    if let Some((before, after)) = rest.split_once(CLOSE)
        && !before.contains(OPEN)
    {
        thinking.push_str(before.trim());
        rest = after;
    }
    while let Some((before, after)) = rest.split_once(OPEN) {
        answer.push_str(before);
        let (block, remainder) = after.split_once(CLOSE).unwrap_or((after, ""));
        if !thinking.is_empty() {
            thinking.push('\n');
        }
        thinking.push_str(block.trim());
        rest = remainder;
    }
    answer.push_str(rest);
    if thinking.is_empty() {
        return (if reply.contains(CLOSE) { answer.trim_start().to_owned() } else { answer }, None);
    }
    (answer.trim_start().to_owned(), Some(thinking))
}

#[cfg(test)]
mod tests {
    use super::split_thinking;

    fn check(reply: &str, answer: &str, thinking: Option<&str>) {
        assert_eq!(split_thinking(reply), (answer.to_owned(), thinking.map(str::to_owned)));
    }

    #[test]
    fn blocks_are_cut_off() {
        check("plain ", "plain ", None);
        check("<think>\nhm\n</think>\n\nanswer", "answer", Some("hm"));
        check("hm\n</think>\nanswer", "answer", Some("hm"));
        check("<think>never ends", "", Some("never ends"));
        check("<think></think>\nanswer", "answer", None);
        check("<think>a</think>x<think>b</think>y", "xy", Some("a\nb"));
    }
}
