//! The numbers by which the readings of an answer are asked for.

/// The number that asks for the reading at `position` (from 0) of an answer. `asked` is the number that was asked
/// for, 0 for none: that reading comes first, and the others follow in their own order.
pub fn number_of(asked: usize, position: usize) -> usize {
    match asked {
        0 | 1 => position + 1,
        asked if position == 0 => asked,
        asked if position < asked => position,
        _ => position + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_keeps_its_number_whichever_is_answered() {
        let numbers = |asked| [0, 1, 2, 3].map(|position| number_of(asked, position));
        assert_eq!(numbers(0), [1, 2, 3, 4]);
        assert_eq!(numbers(1), [1, 2, 3, 4]);
        assert_eq!(numbers(3), [3, 1, 2, 4]);
    }
}
