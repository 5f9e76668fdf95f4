//! Numbers: counts, extremes, comparisons, differences, shares, units and amounts.

pub(crate) mod ages;
pub(crate) mod bounds;
pub(crate) mod comparatives;
pub(crate) mod counted;
pub(crate) mod currencies;
pub(crate) mod differences;
pub(crate) mod each;
pub(crate) mod extremes;
pub(crate) mod firsts;
pub(crate) mod limited;
pub(crate) mod measurements;
pub(crate) mod measures;
pub(crate) mod order_of_things;
pub(crate) mod repeated;
pub(crate) mod shares;
pub(crate) mod units;
