//! ROUGE-L (Lin 2004): the longest common subsequence of words.

use std::collections::HashMap;

use quipu_language::words;

/// Longest texts compared, in words.
const MOST_WORDS: usize = 2000;

/// ROUGE-L F1 of two texts over normalised words, with equal weights of recall and precision, as in
/// the usual package.
pub fn rouge_l(given: &str, gold: &str) -> f64 {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut read = |text: &str| -> Vec<usize> {
        words(text)
            .into_iter()
            .take(MOST_WORDS)
            .map(|word| {
                let next = numbers.len();
                *numbers.entry(word.text).or_insert(next)
            })
            .collect()
    };
    let (given, gold) = (read(given), read(gold));
    let common = longest_common_subsequence(&given, &gold);
    let (precision, recall) = (super::share(common, given.len()), super::share(common, gold.len()));
    if common == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
}

fn longest_common_subsequence(a: &[usize], b: &[usize]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        let mut left = 0;
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            *cell = if x == y { diagonal + 1 } else { above.max(left) };
            (diagonal, left) = (above, *cell);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &str, gold: &str, expected: f64) {
        assert!((rouge_l(given, gold) - expected).abs() < 1e-9, "{given} / {gold}: {}", rouge_l(given, gold));
    }

    #[test]
    fn longest_common_subsequences_as_lin_has_them() {
        check("police killed the gunman", "police kill the gunman", 0.75);
        check("the gunman kill police", "police kill the gunman", 0.5);
        check("The cat, the CAT", "the cat the cat", 1.0);
        check("a b c d e", "a c e", 0.75);
        check("", "a", 0.0);
        check("x", "y", 0.0);
    }
}
