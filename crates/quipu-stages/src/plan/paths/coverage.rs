//! How well a path explains each word of the question.

/// How well a path explains one word, and how well the best step around the anchor could.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Coverage {
    pub(super) all: f32,
    pub(super) telling: f32,
    pub(super) best: f32,
    pub(super) best_telling: f32,
}

impl Coverage {
    /// The greater of two, number by number.
    pub(super) fn most(self, other: Self) -> Self {
        Self {
            all: self.all.max(other.all),
            telling: self.telling.max(other.telling),
            best: self.best.max(other.best),
            best_telling: self.best_telling.max(other.best_telling),
        }
    }
}
