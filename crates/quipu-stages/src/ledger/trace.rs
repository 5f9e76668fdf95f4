//! The trace: the reports of all stages on a question, and the remarks for the answer's reader.

use std::time::Instant;

use parking_lot::Mutex;
use quipu_model::ModelError;

use crate::answer::{Event, EventSink, Note, Stage, TimedEvent};

/// Collects the events of one question.
pub struct Trace {
    started: Instant,
    sink: Option<EventSink>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    events: Vec<TimedEvent>,
    notes: Vec<Note>,
}

impl Trace {
    /// Starts the clock. `sink` sees every event at once.
    pub fn new(sink: Option<EventSink>) -> Self {
        Self { started: Instant::now(), sink, state: Mutex::default() }
    }

    /// Reports an event.
    pub fn report(&self, stage: Stage, event: Event) {
        let event = TimedEvent { stage, at: self.started.elapsed().as_secs_f64(), event };
        if let Some(sink) = &self.sink {
            sink(&event);
        }
        self.state.lock().events.push(event);
    }

    /// Adds a remark for the answer's reader, each once.
    pub fn note(&self, note: Note) {
        let mut state = self.state.lock();
        if !state.notes.contains(&note) {
            state.notes.push(note);
        }
    }

    /// Notes once for the answer's reader that the model failed: a method may answer without it.
    pub(super) fn model_failed(&self, model: &str, error: &ModelError) {
        let mut state = self.state.lock();
        if !state.notes.iter().any(|note| matches!(note, Note::ModelFailed { .. })) {
            state.notes.push(Note::ModelFailed { model: model.to_owned(), reason: error.to_string() });
        }
    }

    /// The remarks so far.
    pub fn notes(&self) -> Vec<Note> {
        self.state.lock().notes.clone()
    }

    /// The events so far.
    pub fn events(&self) -> Vec<TimedEvent> {
        self.state.lock().events.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_sink_sees_each_event_as_it_happens() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = {
            let seen = seen.clone();
            Arc::new(move |e: &TimedEvent| seen.lock().push(e.stage))
        };
        let trace = Trace::new(Some(sink));
        trace.report(Stage::Retrieve, Event::Retrieved { evidence: 3, left_out: 0 });
        assert_eq!(*seen.lock(), [Stage::Retrieve]);
        assert_eq!(trace.events().len(), 1);
    }
}
