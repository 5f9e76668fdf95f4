//! Words for the people and things of a country: "Polish" of Poland.

use super::Language;

impl Language {
    /// Whether a word is an adjective or a noun for what is of a country, by the country's whole
    /// name: "Polish" of "poland", "American" of "united states".
    pub fn is_demonym(self, word: &str, country: &str) -> bool {
        self.countries_of(word).any(|name| name == country)
    }

    /// Whether a name in lower case is one of a country whose people the lists know.
    pub fn is_country(self, name: &str) -> bool {
        let mut countries = self.words().demonyms.pairs.iter().filter_map(|pair| pair.split_once(' '));
        countries.any(|(_, country)| country == name)
    }

    /// The names in lower case of the country whose people or things a word means, in the singular
    /// or the plural: "united kingdom" of "British" and "Brits".
    pub fn countries_of(self, word: &str) -> impl Iterator<Item = &'static str> {
        let word = word.to_lowercase();
        let mut forms = self.singulars(&word);
        forms.push(word);
        let pairs = self.words().demonyms.pairs.iter();
        pairs
            .filter_map(|pair| pair.split_once(' '))
            .filter_map(move |(demonym, country)| forms.iter().any(|form| form == demonym).then_some(country))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_people_has_the_names_of_its_country() {
        let english = Language::english();
        let of = |word: &str| english.countries_of(word).next();
        assert_eq!(of("Polish"), Some("poland"));
        assert_eq!(of("russians"), Some("russia"));
        assert_eq!(of("Brits"), Some("united kingdom"));
        assert_eq!(of("peru"), None);
        assert!(english.is_demonym("american", "united states") && english.is_demonym("polish", "poland"));
        assert!(!english.is_demonym("american", "united kingdom") && !english.is_demonym("american", "of"));
        assert!(english.is_country("united kingdom") && !english.is_country("london"));
    }
}
