//! Numbers as ordinals in English messages.

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
    use crate::Language;

    #[test]
    fn numbers_are_read_in_words_and_in_figures() {
        let english = Language::english();
        let cardinals = ["three", "3", "third"].map(|word| english.cardinal(word));
        assert_eq!(cardinals, [Some(3), None, None]);
        assert_eq!(["third", "3rd", "21st", "st", "0th", "three"].map(|word| english.ordinal(word)), {
            [Some(3), Some(3), Some(21), None, None, None]
        });
        assert_eq!([1, 2, 3, 4, 11, 12, 22, 113].map(ordinal_figure), {
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "22nd", "113th"]
        });
    }
}
