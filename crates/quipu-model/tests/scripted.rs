//! The scripted model passes the conformance suite too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use crate::common;
use common::conformance;
use quipu_model::{Constraint, Scripted, ScriptedModel};

#[tokio::test]
async fn it_passes_the_suite() {
    let model = ScriptedModel::new()
        .when(|request| match &request.constraint {
            Constraint::Choice(options) => options.first().map(|option| Scripted::Text(option.clone())),
            Constraint::JsonSchema(_) => Some("{\"hops\": 1, \"relations\": [\"capital\"]}".into()),
            _ => Some("Lima".into()),
        })
        .when_scoring(|request| {
            Some(
                request
                    .continuations
                    .iter()
                    .map(|text| if text.contains("Paris") { -2.0 } else { -50.0 })
                    .collect(),
            )
        });
    conformance(&model).await;
}
