//! Admission: limits the concurrent and the waiting requests, takes clients in turn, and tells the
//! others when to come back.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::error::{ApiError, Kind};

/// Most seconds that a client is told to wait.
const LONGEST_WAIT: f64 = 60.0;
/// Bits of an IPv6 address that its owner cannot choose.
const NETWORK_BITS: u32 = 64;

/// The client of a request, for the order of turns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) enum Who {
    /// The user who started the program.
    #[default]
    Owner,
    /// The holder of a key, by the key's name.
    Key(String),
    /// The sender at an address.
    Address(IpAddr),
}

impl Who {
    /// The sender at an address; for IPv6, its network.
    pub(crate) fn at(address: IpAddr) -> Self {
        Self::Address(match address {
            IpAddr::V4(_) => address,
            IpAddr::V6(address) => {
                let network = u128::MAX << (u128::BITS - NETWORK_BITS);
                Ipv6Addr::from_bits(address.to_bits() & network).into()
            }
        })
    }
}

/// Admits a limited number of requests and lets a limited number wait. A free place goes to the
/// client with the fewest running requests; on a tie, to the one that was admitted longest ago.
#[derive(Debug)]
pub(crate) struct Gate(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    size: usize,
    queue: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    working: usize,
    waiting: Vec<Waiting>,
    clients: HashMap<Who, Place>,
    /// Counter of arrivals and admissions.
    moment: u64,
    /// Recent average duration of the work, in seconds.
    usual: f64,
}

/// The state of a client with running or waiting requests.
#[derive(Debug, Default)]
struct Place {
    working: usize,
    waiting: usize,
    let_in: u64,
}

#[derive(Debug)]
struct Waiting {
    who: Who,
    came: u64,
    /// Sends the permit at its turn; dropped if it had to make room.
    turn: oneshot::Sender<Permit>,
}

/// The right to work; released on drop.
#[derive(Debug)]
pub(crate) struct Permit {
    gate: Arc<Shared>,
    who: Who,
    since: Instant,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.gate.leave(&self.who, self.since.elapsed());
    }
}

/// Removes a request that stops waiting from the queue.
struct InQueue<'a> {
    gate: &'a Shared,
    came: u64,
}

impl Drop for InQueue<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.state.lock();
        if let Some(at) = state.waiting.iter().position(|waiting| waiting.came == self.came) {
            state.take(at);
        }
    }
}

impl Gate {
    pub(crate) fn new(size: usize, queue: usize) -> Self {
        let state = Mutex::new(State { usual: 1.0, ..State::default() });
        Self(Arc::new(Shared { size: size.max(1), queue, state }))
    }

    /// Enters, after waiting `at_most` in the queue.
    ///
    /// # Errors
    /// 429 with a time to retry: the queue is full, or the wait was too long.
    pub(crate) async fn enter(&self, who: &Who, at_most: Duration) -> Result<Permit, ApiError> {
        let (turn, in_queue) = {
            let mut state = self.0.state.lock();
            if state.working < self.0.size && state.waiting.is_empty() {
                state.let_in(who);
                return Ok(self.0.permit(who));
            }
            if state.waiting.len() >= self.0.queue && !state.make_room(who) {
                let message = "the server is busy and its queue is full; try again a little later";
                return Err(self.0.busy(&state, message));
            }
            let (sender, turn) = oneshot::channel();
            let came = state.next_moment();
            state.clients.entry(who.clone()).or_default().waiting += 1;
            state.waiting.push(Waiting { who: who.clone(), came, turn: sender });
            (turn, InQueue { gate: &self.0, came })
        };
        let outcome = tokio::time::timeout(at_most, turn).await;
        drop(in_queue);
        match outcome {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) => {
                let message = "the server is busy and its queue is full of your requests; try again later";
                Err(self.0.busy(&self.0.state.lock(), message))
            }
            Err(_) => {
                let message = "the server is busy: the request reached its time limit while it waited";
                Err(self.0.busy(&self.0.state.lock(), message))
            }
        }
    }

    /// Number of waiting requests.
    pub(crate) fn waiting(&self) -> usize {
        self.0.state.lock().waiting.len()
    }

    /// Number of running requests.
    pub(crate) fn working(&self) -> usize {
        self.0.state.lock().working
    }
}

impl Shared {
    fn permit(self: &Arc<Self>, who: &Who) -> Permit {
        Permit { gate: self.clone(), who: who.clone(), since: Instant::now() }
    }

    fn leave(self: &Arc<Self>, who: &Who, took: Duration) {
        let mut state = self.state.lock();
        state.usual = 0.8 * state.usual + 0.2 * took.as_secs_f64();
        state.working -= 1;
        state.change(who, |place| place.working -= 1);
        let mut sent = Vec::new();
        while state.working < self.size {
            let Some(next) = state.next() else { break };
            let Waiting { who, turn, .. } = state.take(next);
            state.let_in(&who);
            sent.push((turn, self.permit(&who)));
        }
        drop(state);
        for (turn, permit) in sent {
            // If the receiver is gone, the permit is dropped, and the next request has its turn.
            let _ = turn.send(permit);
        }
    }

    fn busy(&self, state: &State, message: &str) -> ApiError {
        let ahead = state.waiting.len() + self.size;
        #[expect(clippy::cast_precision_loss, reason = "a queue of at most some thousands")]
        let wait = state.usual * ahead as f64 / self.size as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 60")]
        let seconds = wait.clamp(1.0, LONGEST_WAIT).ceil() as u64;
        ApiError::new(Kind::Busy, "server_busy", message).after(seconds)
    }
}

impl State {
    fn next_moment(&mut self) -> u64 {
        self.moment += 1;
        self.moment
    }

    /// Changes the state of a client; one without requests is removed.
    fn change(&mut self, who: &Who, change: impl FnOnce(&mut Place)) {
        let Some(place) = self.clients.get_mut(who) else { return };
        change(place);
        if place.working + place.waiting == 0 {
            self.clients.remove(who);
        }
    }

    fn let_in(&mut self, who: &Who) {
        self.working += 1;
        let moment = self.next_moment();
        let place = self.clients.entry(who.clone()).or_default();
        place.working += 1;
        place.let_in = moment;
    }

    /// Index of the next waiting request.
    fn next(&self) -> Option<usize> {
        let rank = |waiting: &Waiting| {
            let place = self.clients.get(&waiting.who);
            place.map(|place| (place.working, place.let_in, waiting.came))
        };
        (0..self.waiting.len()).min_by_key(|at| self.waiting.get(*at).and_then(rank))
    }

    fn take(&mut self, at: usize) -> Waiting {
        let waiting = self.waiting.remove(at);
        self.change(&waiting.who, |place| place.waiting -= 1);
        waiting
    }

    /// Drops the last request of the client with the most waiting ones, if it has more than `who`
    /// will have.
    fn make_room(&mut self, who: &Who) -> bool {
        let waits = |who: &Who| self.clients.get(who).map_or(0, |place| place.waiting);
        let last_of_most = |at: &usize| {
            let waiting = self.waiting.get(*at);
            waiting.map(|waiting| (waits(&waiting.who), waiting.came))
        };
        let Some(at) = (0..self.waiting.len()).max_by_key(last_of_most) else { return false };
        let most = self.waiting.get(at).map_or(0, |waiting| waits(&waiting.who));
        if most <= waits(who) + 1 {
            return false;
        }
        self.take(at);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(5);
    const LATE: Duration = Duration::from_secs(60);

    fn key(name: &str) -> Who {
        Who::Key(name.into())
    }

    type Entering = tokio::task::JoinHandle<Result<Permit, ApiError>>;

    /// Starts to enter, and returns once the request waits.
    async fn waiting(gate: &Arc<Gate>, name: &str) -> Entering {
        let before = gate.waiting();
        let entering = tokio::spawn({
            let (gate, who) = (gate.clone(), key(name));
            async move { gate.enter(&who, LATE).await }
        });
        while gate.waiting() == before {
            tokio::task::yield_now().await;
        }
        entering
    }

    #[tokio::test]
    async fn beyond_the_queue_one_is_sent_away() {
        let gate = Arc::new(Gate::new(1, 1));
        let inside = gate.enter(&key("ana"), LATE).await.unwrap();
        let second = waiting(&gate, "ana").await;
        let refused = gate.enter(&key("ana"), LATE).await.unwrap_err();
        assert_eq!((refused.kind, refused.code), (Kind::Busy, "server_busy"));
        assert!(refused.retry_after.is_some());
        drop(inside);
        drop(second.await.unwrap().unwrap());
        assert_eq!((gate.waiting(), gate.working()), (0, 0));
        assert!(gate.0.state.lock().clients.is_empty(), "nothing is kept of who left");
    }

    #[tokio::test]
    async fn waiting_has_an_end() {
        let gate = Gate::new(1, 5);
        let _inside = gate.enter(&key("ana"), LATE).await.unwrap();
        assert_eq!(gate.enter(&key("ana"), SOON).await.unwrap_err().kind, Kind::Busy);
        assert_eq!(gate.waiting(), 0);
    }

    #[tokio::test]
    async fn each_client_has_its_turn() {
        let gate = Arc::new(Gate::new(1, 9));
        let inside = gate.enter(&key("ana"), LATE).await.unwrap();
        let (first, second) = (waiting(&gate, "ana").await, waiting(&gate, "ana").await);
        let other = waiting(&gate, "ben").await;
        drop(inside);
        let other = other.await.unwrap().unwrap();
        assert!(!first.is_finished() && !second.is_finished());
        let again = waiting(&gate, "ben").await;
        drop(other);
        let first = first.await.unwrap().unwrap();
        assert!(!again.is_finished() && !second.is_finished());
        drop(first);
        drop(again.await.unwrap().unwrap());
        drop(second.await.unwrap().unwrap());
    }

    #[tokio::test]
    async fn the_place_of_one_who_left_goes_to_the_next() {
        let gate = Arc::new(Gate::new(1, 9));
        let inside = gate.enter(&key("ana"), LATE).await.unwrap();
        let (gone, stays) = (waiting(&gate, "ana").await, waiting(&gate, "ana").await);
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        assert_eq!(gate.waiting(), 1);
        drop(inside);
        drop(stays.await.unwrap().unwrap());
        assert_eq!((gate.waiting(), gate.working()), (0, 0));
    }

    #[tokio::test]
    async fn a_full_queue_makes_room_for_who_has_less_of_it() {
        let gate = Arc::new(Gate::new(1, 2));
        let inside = gate.enter(&key("ana"), LATE).await.unwrap();
        let first = waiting(&gate, "ana").await;
        let last = waiting(&gate, "ana").await;
        let other = tokio::spawn({
            let gate = gate.clone();
            async move { gate.enter(&key("ben"), LATE).await }
        });
        assert_eq!(last.await.unwrap().unwrap_err().kind, Kind::Busy);
        let more = gate.enter(&key("ben"), LATE).await.unwrap_err();
        assert_eq!(more.kind, Kind::Busy, "as many as the other has are enough");
        drop(inside);
        drop(other.await.unwrap().unwrap());
        drop(first.await.unwrap().unwrap());
    }

    #[test]
    fn a_network_of_addresses_is_one_client() {
        let at = |address: &str| Who::at(address.parse().unwrap());
        assert_eq!(at("2001:db8::1"), at("2001:db8::ffff:1"));
        assert_ne!(at("2001:db8::1"), at("2001:db8:0:1::1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
    }
}
