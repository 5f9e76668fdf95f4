//! Limits the concurrent searches in the C++ library, which has one working space for each core and
//! refuses more searches.

use std::sync::{Condvar, Mutex, PoisonError};

/// A count of free places.
pub(super) struct Permits {
    free: Mutex<usize>,
    returned: Condvar,
}

impl Permits {
    /// One permit for each core.
    pub(super) fn for_this_machine() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { free: Mutex::new(cores), returned: Condvar::new() }
    }

    /// Waits for a permit. Dropping it frees its place.
    pub(super) fn take(&self) -> Permit<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free =
            self.returned.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Permit(self)
    }
}

/// One taken place.
pub(super) struct Permit<'a>(&'a Permits);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.returned.notify_one();
    }
}
