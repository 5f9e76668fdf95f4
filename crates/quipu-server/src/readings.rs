//! The numbers for requesting an answer's readings, and the methods that give readings.

use quipu_answer::Method;

/// Checks that a method reads questions as queries. Any other method would ignore a requested
/// reading.
///
/// # Errors
/// The request for a reading, or only for the plan, from another method, with the methods to use.
pub fn check_readings(method: Method, reading: usize, plan_only: bool) -> Result<(), String> {
    let wants = reading > 0 || plan_only;
    if !wants || matches!(method, Method::Query | Method::Auto) {
        return Ok(());
    }
    Err(format!(
        "the method {} gives no readings; take {} or {}",
        method.name(),
        Method::Auto.name(),
        Method::Query.name()
    ))
}

/// The number that requests the reading at `position` (from 0) of an answer. `asked` is the
/// requested number, 0 for none: that reading comes first, and the others follow in their own
/// order.
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

    #[test]
    fn only_methods_with_readings_are_asked_for_one() {
        for method in Method::ALL.iter().copied() {
            let gives = ["auto", "query"].contains(&method.name());
            assert_eq!(check_readings(method, 2, false).is_ok(), gives, "{method:?}");
            assert_eq!(check_readings(method, 0, true).is_ok(), gives, "{method:?}");
            assert!(check_readings(method, 0, false).is_ok(), "{method:?}");
        }
    }
}
