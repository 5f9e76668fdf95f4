//! The words and signs of Cypher that occur in the writing of graphs.

/// A word, a literal or a sign.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A name, in backticks or not; keywords are names too.
    Name(String),
    /// A string without its quotes.
    Text(String),
    /// A number as written.
    Number(String),
    /// Any other sign.
    Sign(char),
}

/// A text's tokens and its first comment. Everything else (fences, other signs of prose) is left
/// out.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Option<String>) {
    let mut lexer = Lexer { rest: text, tokens: Vec::new(), comment: None };
    while lexer.step() {}
    (lexer.tokens, lexer.comment)
}

struct Lexer<'t> {
    rest: &'t str,
    tokens: Vec<Token>,
    comment: Option<String>,
}

impl<'t> Lexer<'t> {
    /// Reads one token; `false` at the end.
    fn step(&mut self) -> bool {
        self.rest = self.rest.trim_start();
        let Some(first) = self.rest.chars().next() else { return false };
        match first {
            '`' if self.rest.starts_with("```") => self.fence(),
            '/' if self.rest.starts_with("//") => self.line_comment(),
            '/' if self.rest.starts_with("/*") => self.block_comment(),
            '\'' | '"' | '’' | '‘' | '“' | '”' => self.string(first),
            '`' => self.quoted_name(),
            _ if first.is_alphabetic() || first == '_' => self.name(),
            _ if first.is_ascii_digit() => self.number(),
            '.' if self.rest.chars().nth(1).is_some_and(|c| c.is_ascii_digit()) => self.number(),
            _ => {
                self.tokens.push(Token::Sign(first));
                self.rest = self.rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
        true
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let rest = self.rest;
        let bytes = rest.floor_char_boundary(bytes.min(rest.len()));
        let (taken, after) = rest.split_at(bytes);
        self.rest = after;
        taken
    }

    fn line(&self) -> usize {
        self.rest.find('\n').unwrap_or(self.rest.len())
    }

    /// A fence and the language's name behind it.
    fn fence(&mut self) {
        self.take(3);
        let word = self.rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(self.rest.len());
        let after = self.rest.get(word..).unwrap_or_default();
        // If code follows the fence on the same line, the fence names no language.
        if after.is_empty() || after.starts_with(['\n', '\r']) {
            self.take(word);
        }
    }

    fn line_comment(&mut self) {
        let line = self.line();
        let text = self.take(line);
        self.remember(text.trim_start_matches('/'));
    }

    fn block_comment(&mut self) {
        let end = self.rest.find("*/").map_or(self.rest.len(), |at| at + 2);
        let text = self.take(end);
        self.remember(text.trim_matches(['/', '*']));
    }

    fn remember(&mut self, comment: &str) {
        self.comment.get_or_insert_with(|| comment.trim().to_owned());
    }

    fn name(&mut self) {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let name = self.take(end).to_owned();
        self.tokens.push(Token::Name(name));
    }

    fn quoted_name(&mut self) {
        self.take(1);
        let line = self.line();
        let end = self.rest.find('`').filter(|end| *end < line);
        let name = self.take(end.unwrap_or(line)).to_owned();
        if end.is_some() {
            self.take(1);
        }
        self.tokens.push(Token::Name(name));
    }

    /// `1905`, `1_000`, `3.14`, `6.02e23`, `2.`; a range's `1..3` is two numbers.
    fn number(&mut self) {
        let mut end = 0;
        let mut before = ' ';
        for (at, sign) in self.rest.char_indices() {
            let after = self.rest.get(at + 1..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
            let part = match sign {
                '0'..='9' => true,
                '_' | '.' => after.is_ascii_digit() && before != '.',
                'e' | 'E' => {
                    before.is_ascii_digit() && (after.is_ascii_digit() || after == '-' || after == '+')
                }
                '-' | '+' => matches!(before, 'e' | 'E'),
                _ => false,
            };
            if !part {
                break;
            }
            end = at + sign.len_utf8();
            before = sign;
        }
        let number = self.take(end.max(1)).replace('_', "");
        self.tokens.push(Token::Number(number));
    }

    /// A string ends at its quote or at the end of the line. A quote does not end it if the next
    /// characters show that it is an apostrophe.
    fn string(&mut self, open: char) {
        self.take(open.len_utf8());
        let mut text = String::new();
        let mut escaped = false;
        let mut end = self.rest.len();
        let mut behind = end;
        for (at, sign) in self.rest.char_indices() {
            let after = self.rest.get(at + sign.len_utf8()..).unwrap_or_default();
            if escaped {
                text.push(match sign {
                    'n' | 't' | 'r' => ' ',
                    other => other,
                });
                escaped = false;
            } else if sign == '\\' {
                escaped = true;
            } else if sign == '\n' || (closes(open, sign) && ends_here(after)) {
                end = at;
                behind = at + sign.len_utf8();
                break;
            } else {
                text.push(sign);
            }
        }
        self.take(behind.max(end));
        self.tokens.push(Token::Text(text.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
}

fn closes(open: char, sign: char) -> bool {
    match open {
        '“' | '”' => matches!(sign, '“' | '”' | '"'),
        '‘' | '’' => matches!(sign, '‘' | '’' | '\''),
        open => sign == open,
    }
}

/// Whether a string may end before `after`: a value is followed by a separator, a bracket, an
/// operator or the line's end.
fn ends_here(after: &str) -> bool {
    let same_line = after.trim_start_matches([' ', '\t']);
    let word = same_line.len() == after.len();
    match same_line.chars().next() {
        None | Some('\n' | '\r' | ',' | '}' | ')' | ']' | ';' | '+' | '`') => true,
        // `name: 'Kauwboy' year: 2012`: a comma is missing.
        Some(next) => !word && next.is_alphabetic() && names_a_property(same_line),
    }
}

fn names_a_property(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    text.get(end..).is_some_and(|after| after.trim_start().starts_with(':'))
}
