//! Changes that make a query fit the graph, and how doubtful they are.

/// A change that made a query fit the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mend {
    /// The change, in one sentence.
    pub text: String,
    /// How doubtful it is that the query still asks the same.
    pub doubt: Doubt,
}

/// How doubtful a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// Another spelling of the same.
    None,
    /// A colleague would do the same without asking.
    Little,
    /// A colleague would do the same, and say so beside the answer: a value is left out.
    Told,
    /// A colleague would ask.
    Much,
}
