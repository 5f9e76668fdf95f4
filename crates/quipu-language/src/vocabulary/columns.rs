//! What words say of the columns of tables: the kinds, shares and rates that they hold.

use super::{Language, Words, listed};

/// Shorter nouns with such an ending are no roles: "door".
const LEAST_ROLE: usize = 5;

impl Language {
    /// Whether a word behind a superlative tells the order of rows: "down".
    pub fn tells_a_direction(self, word: &str) -> bool {
        self.words().directions.has(word)
    }

    /// Whether a column's title says that it holds shares: `germ_pct`.
    pub fn holds_shares(self, title: &str) -> bool {
        crate::words_of(title).iter().any(|word| self.words().percentages.has(word))
    }

    /// Whether a word before an article halves what follows: "half an hour".
    pub fn means_half(self, word: &str) -> bool {
        self.words().halves.has(word)
    }

    /// Whether a noun ends like one for what somebody does: "conductor".
    pub fn ends_like_a_role(self, noun: &str) -> bool {
        let endings = &self.words().endings.roles;
        noun.chars().count() > LEAST_ROLE && endings.any(|ending| noun.ends_with(ending))
    }

    /// Whether a column of this title holds the kinds of its things: "category".
    pub fn names_kinds(self, word: &str) -> bool {
        self.words().kind_columns.has(word)
    }

    /// Whether a word behind a noun names an attribute with it: "number" of "phone number".
    pub fn makes_an_attribute(self, word: &str) -> bool {
        self.words().attributes.has(word)
    }

    /// Whether a word behind a superlative says nothing: "the biggest single invoice".
    pub fn is_sole(self, word: &str) -> bool {
        self.words().sole.has(word)
    }

    /// Whether a word before a kind of event asks of each by itself: "in a single picking".
    pub fn is_of_one(self, word: &str) -> bool {
        self.words().of_one.has(word)
    }

    /// Whether a word behind a kind of event adds nothing: "sessions" of "picking sessions".
    pub fn is_row_noun(self, word: &str) -> bool {
        self.words().row_nouns.has(word)
    }

    /// Whether a word asks for an average without saying so: "usually".
    pub fn is_usual(self, word: &str) -> bool {
        self.words().usual.has(word)
    }

    /// Whether a word compares how long something has lasted: "has worked here longer".
    pub fn is_longer(self, word: &str) -> bool {
        self.words().lasted.longer.has(word)
    }

    /// Whether a word behind "how far" asks for a depth: "below".
    pub fn asks_for_a_depth(self, word: &str) -> bool {
        self.words().below.has(word)
    }

    /// Whether a word at the end of a relation's name is no noun for things: "aboard".
    pub fn is_adverb(self, word: &str) -> bool {
        self.words().adverbs.has(word)
    }

    /// Whether a word names a relative: "father".
    pub fn is_kin(self, word: &str) -> bool {
        self.walks().kin.has(word)
    }

    /// Whether a word names a relative of a relative: "grandson".
    pub fn is_kin_of_kin(self, word: &str) -> bool {
        let list = self.walks();
        !list.twice.is_empty() && word.strip_prefix(&list.twice).is_some_and(|kin| list.kin.has(kin))
    }

    /// The two steps to a relative: "brother" and "parent" for "uncle".
    pub fn steps_to_kin(self, word: &str) -> Option<[&'static str; 2]> {
        let row = self.walks().by_steps.iter().find(|row| row.words.has(word))?;
        match row.others.as_slice() {
            [kin, of_whom] => Some([kin, of_whom]),
            _ => None,
        }
    }

    /// Relations of which a relative's word names those of one sex: "parent" for "mother".
    pub fn relatives_of_either_sex(self, word: &str) -> &'static [String] {
        self.walks().relatives.iter().find(|row| row.words.has(word)).map_or(&[], |row| &row.others)
    }

    /// Whether a word for a relative names a relation: "father" names `sire`, and `parent` too.
    pub fn calls_kin(self, word: &str, relation: &str) -> bool {
        let others = self.walks().others(word).iter().chain(self.relatives_of_either_sex(word));
        self.is_kin(word) && others.into_iter().any(|other| self.is_noun(other, relation))
    }

    /// Whether a word names who somebody is married to: "wife".
    pub fn is_partner(self, word: &str) -> bool {
        self.words().partners.has(word)
    }

    /// Whether a word is a verb for having a spouse: "married".
    pub fn marries(self, word: &str) -> bool {
        self.words().marries.has(word)
    }

    /// Whether a word before a role names another person than the role alone: "deputy".
    pub fn names_a_deputy(self, word: &str) -> bool {
        self.words().deputies.has(word)
    }

    /// Whether a word means any person: "people".
    pub fn means_people(self, word: &str) -> bool {
        self.walks().people.has(word)
    }

    /// The code of the currency that a word names: "EUR" for "euros".
    pub fn currency_code(self, word: &str) -> Option<&'static str> {
        let mut rows = self.words().currencies.codes.iter().filter_map(|row| row.split_once(' '));
        rows.find(|(_, names)| listed(names).any(|name| name == word)).map(|(code, _)| code)
    }

    /// The two-letter code of the language that a word names: "de" for "German".
    pub fn language_code(self, word: &str) -> Option<&'static str> {
        let mut rows = self.words().language_codes.pairs.iter().filter_map(|row| row.split_once(' '));
        rows.find(|(_, name)| *name == word).map(|(code, _)| code)
    }

    /// Whether a value is how data state the gender that a word names: "F" for women.
    pub fn is_gender(self, word: &str, value: &str) -> bool {
        let mut rows = self.words().genders.pairs.iter().filter_map(|row| row.split_once(' '));
        rows.any(|(said, values)| said == word && listed(values).any(|of| of.eq_ignore_ascii_case(value)))
    }

    /// Values by which data state the gender that a word for a relative tells: "F" for "mother".
    pub fn genders_told_by(self, relative: &str) -> Vec<&'static str> {
        let genders = &self.words().genders;
        let told = genders.told_by.iter().find(|row| row.words.has(relative));
        let is_told = |said: &str| told.is_some_and(|row| row.others.iter().any(|noun| noun == said));
        let rows = genders.pairs.iter().filter_map(|row| row.split_once(' '));
        rows.filter(|(said, _)| is_told(said)).flat_map(|(_, values)| listed(values)).collect()
    }

    /// Whether a word names those of a gender: "men".
    pub fn names_a_gender(self, word: &str) -> bool {
        let mut rows = self.words().genders.pairs.iter().filter_map(|row| row.split_once(' '));
        rows.any(|(said, _)| said == word)
    }

    /// Whether a value states a gender as data do: "F".
    pub fn states_a_gender(self, value: &str) -> bool {
        let mut rows = self.words().genders.pairs.iter().filter_map(|row| row.split_once(' '));
        rows.any(|(_, values)| listed(values).any(|of| of.eq_ignore_ascii_case(value)))
    }

    /// Whether a word of a column's title says that it holds genders: "sex".
    pub fn tells_genders(self, word: &str) -> bool {
        self.words().genders.columns.has(word)
    }

    /// Whether a word of a column's title says that it holds the units of a number beside it.
    pub fn titles_a_unit(self, word: &str) -> bool {
        self.words().unit_columns.has(word) || self.words().currencies.columns.has(word)
    }

    /// Whether a word of a column's title says that it holds currencies.
    pub fn is_currency(self, word: &str) -> bool {
        self.words().currencies.columns.has(word)
    }

    /// Whether a word of a column's title says that it holds amounts of money: "price".
    pub fn is_amount_of_money(self, word: &str) -> bool {
        listed(&self.words().currencies.amounts).any(|amount| self.is_noun(word, amount))
    }

    /// Whether a word in a column's title says that its values are per unit of time: "rate".
    pub fn tells_a_rate(self, word: &str) -> bool {
        self.words().rates.tells.has(word)
    }

    /// Whether such a rate may be per this unit: "night".
    pub fn may_be_rated(self, unit: &str) -> bool {
        let is_unit = |list: &Words| list.has(unit) || list.has(&self.singular(unit));
        is_unit(&self.words().rates.units)
    }

    /// Whether a column's title says that its values are per this unit: `daily_rate` and "day".
    pub fn is_per_unit(self, title: &str, unit: &str) -> bool {
        let unit = self.singular(unit);
        self.words().rates.per_unit.iter().any(|row| {
            let mut row = row.split_whitespace();
            let is_unit = row.next() == Some(unit.as_str());
            is_unit && row.any(|word| crate::words_of(title).iter().any(|of| of == word))
        })
    }

    /// The unit per which a question asks: "day" of "by the day" and "per day".
    pub fn unit_of_a_rate(self, words: &[String]) -> Option<&String> {
        let of = &self.words().rates;
        (0..words.len()).filter(|at| words.get(*at).is_some_and(|word| of.before.has(word))).find_map(|at| {
            let mut behind = words.iter().skip(at + 1).skip_while(|word| self.is_any_article(word));
            behind.next().filter(|unit| self.may_be_rated(unit))
        })
    }

    /// Whether a word says how often something is paid: "yearly".
    pub fn tells_a_period(self, word: &str) -> bool {
        self.words().rates.periods.has(word)
    }
}
