//! Measuring methods on question sets.
