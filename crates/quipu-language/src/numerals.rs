//! Numbers in words. English only.

const CARDINALS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];
const ORDINALS: [&str; 20] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
];

/// `three`.
pub fn cardinal(word: &str) -> Option<usize> {
    CARDINALS.iter().position(|listed| *listed == word)
}

/// `third`, `3rd`; from 1.
pub(crate) fn ordinal(word: &str) -> Option<usize> {
    let spelled = ORDINALS.iter().position(|listed| *listed == word).map(|at| at + 1);
    let figure = || ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending));
    spelled.or_else(|| figure()?.parse().ok().filter(|number| *number > 0))
}

/// `3rd`.
pub(crate) fn ordinal_figure(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_words_and_in_figures() {
        assert_eq!((cardinal("three"), cardinal("3"), cardinal("third")), (Some(3), None, None));
        assert_eq!(["third", "3rd", "21st", "st", "0th", "three"].map(ordinal), {
            [Some(3), Some(3), Some(21), None, None, None]
        });
        assert_eq!([1, 2, 3, 4, 11, 12, 22, 113].map(ordinal_figure), {
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "22nd", "113th"]
        });
    }
}
