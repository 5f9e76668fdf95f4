//! Small mutations of inputs, the same in every run.

/// Makes new inputs from old ones.
#[derive(Debug)]
pub struct Mutator(u64);

/// Tokens that parsers look for, and numbers that break them.
const TOKENS: [&[u8]; 24] = [
    b"\"",
    b"'",
    b"<",
    b">",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"\\",
    b"\n",
    b"\t",
    b"\0",
    b"@",
    b"^^",
    b"_:",
    b"\xff",
    b"\xc3\x28",
    b"\xef\xbb\xbf",
    b"-1",
    b"99999999999999999999",
    b"\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"e999",
];

impl Mutator {
    /// Equal seeds give equal mutations.
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        // Xorshift: good enough for mutations.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap_or(0)
    }

    /// One of `inputs` with one to four mutations, some of which insert parts of the others.
    pub fn next(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = inputs[self.below(inputs.len())].clone();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len() + 1);
            match self.below(8) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = u8::try_from(self.below(256)).unwrap_or(0),
                2 => bytes.truncate(at),
                3 => {
                    let end = (at + self.below(16)).min(bytes.len());
                    bytes.drain(at..end);
                }
                4 => {
                    let other = &inputs[self.below(inputs.len())];
                    let from = self.below(other.len() + 1);
                    let part = other[from..other.len().min(from + 1 + self.below(64))].to_vec();
                    bytes.splice(at..at, part);
                }
                5 => {
                    let end = (at + 1 + self.below(32)).min(bytes.len());
                    let part = bytes[at..end].repeat(2 + self.below(30));
                    bytes.splice(at..end, part);
                }
                _ => {
                    let token = TOKENS[self.below(TOKENS.len())];
                    bytes.splice(at..at, token.iter().copied());
                }
            }
        }
        bytes
    }
}
