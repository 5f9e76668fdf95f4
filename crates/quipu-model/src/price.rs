//! Prices of tokens: exact amounts of money.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Usage;

/// Parts of a currency's unit in which amounts are counted: 10^-12, so that a token's price is a
/// whole number.
const PARTS: f64 = 1e12;
/// Tokens that a price refers to.
const MILLION: u128 = 1_000_000;

/// An amount of money without its currency, exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Amount(u64);

impl Amount {
    /// More than the cost of any question.
    pub const MAX: Self = Self(u64::MAX);

    /// From units of a currency; `None` for a negative or infinite number, NaN, or more than 10
    /// million.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within the range that was checked"
    )]
    pub fn of_units(units: f64) -> Option<Self> {
        (0.0..=1e7).contains(&units).then(|| Self((units * PARTS).round() as u64))
    }

    /// In units of its currency.
    #[expect(clippy::cast_precision_loss, reason = "for people and JSON")]
    pub fn units(self) -> f64 {
        self.0 as f64 / PARTS
    }

    /// The sum, at most [`Amount::MAX`].
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, at least zero.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The cost of `tokens` at this price for a million, rounded up.
    fn of_tokens(self, tokens: u64) -> Self {
        let parts = (u128::from(self.0) * u128::from(tokens)).div_ceil(MILLION);
        Self(u64::try_from(parts).unwrap_or(u64::MAX))
    }

    /// The number of tokens that it pays for, at `price` for a million.
    fn tokens_at(self, price: Self) -> u64 {
        match price.0 {
            0 => u64::MAX,
            price => u64::try_from(u128::from(self.0) * MILLION / u128::from(price)).unwrap_or(u64::MAX),
        }
    }
}

impl fmt::Display for Amount {
    /// Two decimals at least; an amount below a hundredth shows two significant digits: `1.20`,
    /// `0.00031`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut decimals = 2;
        let mut least = 100_000_000_000;
        while self.0 > 0 && self.0 < least && decimals < 12 {
            decimals += 1;
            least /= 10;
        }
        write!(f, "{:.decimals$}", self.units())
    }
}

/// A currency by its ISO 4217 code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency([u8; 3]);

impl Default for Currency {
    /// US dollars, the currency of most endpoints.
    fn default() -> Self {
        Self(*b"USD")
    }
}

impl TryFrom<String> for Currency {
    type Error = String;

    fn try_from(code: String) -> Result<Self, String> {
        match <[u8; 3]>::try_from(code.as_bytes()) {
            Ok(letters) if letters.iter().all(u8::is_ascii_uppercase) => Ok(Self(letters)),
            _ => Err(format!("{code:?}: expected an ISO 4217 currency code, such as USD or EUR")),
        }
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.to_string()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|letter| write!(f, "{}", char::from(*letter)))
    }
}

/// The price of a million tokens of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "PriceToml", into = "PriceToml")]
pub struct Price {
    /// Tokens of prompts.
    pub input: Amount,
    /// Prompt tokens that were computed for an earlier prompt.
    pub cached_input: Amount,
    /// Tokens of replies.
    pub output: Amount,
    /// The currency.
    pub currency: Currency,
}

/// Prices by the model's name in `--llm`: `openai:MODEL`.
pub type Prices = BTreeMap<String, Price>;

/// The form in files.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceToml {
    input: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cached_input: Option<f64>,
    output: f64,
    #[serde(default)]
    currency: Currency,
}

impl TryFrom<PriceToml> for Price {
    type Error = String;

    fn try_from(toml: PriceToml) -> Result<Self, String> {
        let amount = |units: f64| {
            Amount::of_units(units)
                .ok_or_else(|| format!("{units}: the price of a million tokens must be a number from 0"))
        };
        let input = amount(toml.input)?;
        let cached_input = toml.cached_input.map_or(Ok(input), amount)?;
        Ok(Self { input, cached_input, output: amount(toml.output)?, currency: toml.currency })
    }
}

impl From<Price> for PriceToml {
    fn from(price: Price) -> Self {
        let cached_input = (price.cached_input != price.input).then(|| price.cached_input.units());
        let (input, output) = (price.input.units(), price.output.units());
        Self { input, cached_input, output, currency: price.currency }
    }
}

impl Price {
    /// The cost of calls by their counted tokens.
    pub fn of(&self, usage: &Usage) -> Amount {
        let reused = usage.reused_tokens.min(usage.prompt_tokens);
        let fresh = self.input.of_tokens(usage.prompt_tokens - reused);
        fresh.plus(self.cached_input.of_tokens(reused)).plus(self.output.of_tokens(usage.completion_tokens))
    }

    /// The highest cost of a call: no part of its prompt is reused.
    pub fn at_most(&self, prompt: u64, reply: u64) -> Amount {
        self.input.of_tokens(prompt).plus(self.output.of_tokens(reply))
    }

    /// Tokens of a reply that an amount pays for.
    pub fn reply_tokens(&self, amount: Amount) -> u64 {
        amount.tokens_at(self.output)
    }

    /// The highest cost of this many tokens, of prompt or reply.
    pub fn dearest(&self, tokens: u64) -> Amount {
        self.input.max(self.output).of_tokens(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(toml: &str) -> Price {
        toml::from_str(toml).unwrap()
    }

    #[test]
    fn tokens_cost_what_a_million_costs() {
        let price = price("input = 0.15\ncached_input = 0.075\noutput = 0.6");
        let usage =
            Usage { prompt_tokens: 2000, reused_tokens: 1000, completion_tokens: 100, ..Usage::default() };
        assert_eq!(price.of(&usage), Amount::of_units(0.000_285).unwrap());
        assert_eq!(price.at_most(2000, 100), Amount::of_units(0.000_36).unwrap());
        assert_eq!(price.reply_tokens(Amount::of_units(0.000_06).unwrap()), 100);
        assert_eq!(price.currency.to_string(), "USD");
        // Without a price for cached input, reused tokens cost the same as others.
        let plain = self::price("input = 2\noutput = 3\ncurrency = 'EUR'");
        assert_eq!((plain.cached_input, plain.currency.to_string().as_str()), (plain.input, "EUR"));
    }

    #[test]
    fn amounts_show_at_least_two_digits() {
        let shown = |units: f64| Amount::of_units(units).unwrap().to_string();
        assert_eq!(shown(1.2), "1.20");
        assert_eq!(shown(0.05), "0.050");
        assert_eq!(shown(0.000_31), "0.00031");
        assert_eq!(shown(0.0), "0.00");
        assert_eq!(shown(12.345), "12.35");
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for wrong in [
            "input = -1\noutput = 1",
            "input = nan\noutput = 1",
            "input = 1\noutput = 1\ncurrency = 'dollars'",
            "input = 1\noutput = 1\ncurrency = '€'",
            "input = 1",
            "input = 1\noutput = 1\nper = 'token'",
        ] {
            assert!(toml::from_str::<Price>(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Amount::of_units(f64::INFINITY), None);
    }

    #[test]
    fn nothing_overflows() {
        let dear = price("input = 1e7\noutput = 1e7");
        assert_eq!(dear.at_most(u64::MAX, u64::MAX), Amount::MAX);
        assert_eq!(price("input = 0\noutput = 0").reply_tokens(Amount::default()), u64::MAX);
    }
}
