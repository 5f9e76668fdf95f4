//! Negation, "both", "all", "either", "other", and conditions that stand apart.

pub(crate) mod all_of;
pub(crate) mod alternatives;
pub(crate) mod apart;
pub(crate) mod both;
pub(crate) mod choices;
pub(crate) mod denied;
pub(crate) mod idle_joins;
pub(crate) mod lacking;
pub(crate) mod offered;
pub(crate) mod others;
pub(crate) mod provisos;
