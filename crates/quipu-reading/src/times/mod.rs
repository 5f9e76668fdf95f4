//! Times: years, longer and shorter periods, the last of several times, and what lasts.

pub(crate) mod last_time;
pub(crate) mod lasting;
pub(crate) mod periods;
pub(crate) mod years;
