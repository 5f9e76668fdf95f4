//! The stages of answering, the methods built from them, the trace, the answer and its evidence.
