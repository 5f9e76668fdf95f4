//! `/api/v1/feedback`: people's feedback on answers, stored and learnt from if these are enabled.

use std::io::Write as _;

use axum::extract::State;
use axum::routing::post;
use jiff::{Timestamp, Zoned};
use quipu_answer::{AnswerError, Engine, Question};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Answered;
use super::extract::Json;
use super::operations::Operations;
use crate::access::Client;
use crate::app::App;
use crate::error::{ApiError, Kind};
use crate::reply::ok;

/// The workspace's file of feedback, a JSON object a line.
const FILE: &str = "feedback.jsonl";
/// Most bytes of that file.
const MOST_KEPT: u64 = 64 << 20;

pub(super) fn operations(operations: &mut Operations) {
    let (body, reply) = (operations.schema::<Feedback>(), operations.schema::<Kept>());
    let feedback = Operations::describe("post", "/api/v1/feedback", "Questions", "Say whether an answer was right")
        .details(
            "With `feedback = true` in the configuration, the server appends the feedback to the workspace's `feedback.jsonl`, one JSON \
             object a line. With `learn_from_feedback = true`, a question with its right answers also becomes a solved example, which \
             helps to plan later questions; feedback that an answer was wrong removes the example learnt from it.",
        )
        .body(&[("application/json", body)])
        .replies("The feedback was kept", &[("application/json", reply)]);
    operations.add(feedback, Some(post(keep)));
}

/// Feedback on an answer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Feedback {
    /// The question.
    #[schemars(length(min = 1, max = 4096))]
    question: String,
    /// The workspace; the first one by default.
    #[serde(default)]
    workspace: Option<String>,
    /// The method that answered.
    #[serde(default)]
    method: Option<String>,
    /// Whether the answer was right.
    right: bool,
    /// The given answers.
    #[serde(default)]
    answers: Vec<String>,
    /// The correct answers.
    #[serde(default)]
    expected: Vec<String>,
    /// Any comment.
    #[serde(default)]
    comment: Option<String>,
}

/// The feedback was kept.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Kept {
    /// True.
    kept: bool,
    /// The path through the graph that the question is now an example of; null if nothing was
    /// learnt.
    learnt: Option<String>,
    /// Why nothing was learnt, if it could have been.
    not_learnt: Option<String>,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    at: String,
    client: &'a str,
    #[serde(flatten)]
    feedback: &'a Feedback,
}

async fn keep(State(app): State<App>, client: Client, Json(feedback): Json<Feedback>) -> Answered {
    if !app.config.feedback {
        let message =
            "feedback is not kept here; `feedback = true` in the server's configuration switches it on";
        return Err(ApiError::new(Kind::Forbidden, "feedback_off", message));
    }
    let name = app.workspace(&client, feedback.workspace.as_deref())?;
    let engine = app.workspaces.engine(&name).await?;
    let path = engine.path().join(FILE);
    let line = Line { at: Timestamp::now().to_string(), client: client.name(), feedback: &feedback };
    let mut line = serde_json::to_vec(&line).map_err(|error| ApiError::invalid(error.to_string()))?;
    line.push(b'\n');
    let add = move || {
        let mut file = std::fs::File::options().create(true).append(true).open(path)?;
        let full = file.metadata()?.len() >= MOST_KEPT;
        // A single write, so that lines of two requests do not mix.
        if full { Err(std::io::ErrorKind::StorageFull.into()) } else { file.write_all(&line) }
    };
    let written = tokio::task::spawn_blocking(add).await.map_err(std::io::Error::other).flatten();
    written
        .map_err(|error| ApiError::new(Kind::Unavailable, "feedback_not_kept", format!("{FILE}: {error}")))?;
    let mut kept = Kept { kept: true, ..Kept::default() };
    if app.config.learn_from_feedback {
        learn(&app, &client, &engine, &feedback, &mut kept).await?;
    }
    Ok(ok(&kept))
}

/// Makes the question a solved example of the path to exactly the right answers.
async fn learn(
    app: &App,
    client: &Client,
    engine: &Engine,
    feedback: &Feedback,
    kept: &mut Kept,
) -> Result<(), ApiError> {
    let right = if feedback.right { &feedback.answers } else { &feedback.expected };
    if !feedback.right {
        engine.forget_learnt(&feedback.question)?;
    }
    if right.is_empty() {
        return Ok(());
    }
    let time = app.config.question_time();
    // Finding the path is as much work as a question.
    let _permit = app.questions.enter(&client.who(), time).await?;
    let question = Question::new(&feedback.question, Zoned::now())?;
    match tokio::time::timeout(time, engine.add_example(&question, right)).await {
        Ok(Ok(example)) => kept.learnt = Some(example.way),
        Ok(Err(AnswerError::Usage(reason) | AnswerError::NotKept(reason))) => kept.not_learnt = Some(reason),
        Ok(Err(error)) => return Err(error.into()),
        Err(_) => kept.not_learnt = Some(format!("no path was found within {} s", time.as_secs())),
    }
    Ok(())
}
