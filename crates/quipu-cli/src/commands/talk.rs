//! `quipu ask` without a question, in a terminal: a conversation with line editing, a history and
//! completion of names.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use jiff::Zoned;
use quipu_answer::{
    Answer, AnswerTable, AskOptions, Conversation, Engine, NamedMethod, Question, Speaker, Turn,
};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Editor, Helper};

use crate::output::{FAINT, STRONG, counted, stdout};
use crate::{failure, progress, views};

const PROMPT: &str = "> ";
/// Turns given to the engine, which reads the last ones.
const MOST_TURNS: usize = 20;
/// Lines kept in the history file.
const MOST_LINES: usize = 1000;
/// Names offered as completions.
const MOST_NAMES: usize = 20;
/// Most words of a name's beginning that completion looks up.
const MOST_WORDS: usize = 5;
/// Fewest letters that completion looks up.
const FEWEST_LETTERS: usize = 2;

/// The commands of a conversation, with their help.
const COMMANDS: [(&str, &str); 7] = [
    ("/plan", "the queries behind the last answer; /plan QUESTION reads a question and runs nothing"),
    ("/reading", "/reading 2 answers the last question by another reading that was offered"),
    ("/why", "the steps to the last answer, stage by stage"),
    ("/method", "how questions are answered; /method NAME chooses another way"),
    ("/new", "forget the conversation"),
    ("/help", "this list"),
    ("/quit", "end the conversation; Ctrl-D does the same"),
];

const TALKING: views::View = views::View { explain: false, reading: 0, talking: true };

/// How one question is asked.
#[derive(Debug, Clone, Copy, Default)]
struct Asking {
    plan_only: bool,
    /// The number of a reading, from 1; 0 leaves the choice to the method.
    reading: usize,
}

/// A conversation with a workspace.
pub(super) struct Talk {
    engine: Engine,
    options: AskOptions,
    turns: Vec<Turn>,
    /// The last question as typed, and its answer.
    last: Option<(String, Answer)>,
}

/// One line that the person typed.
#[derive(Debug, PartialEq, Eq)]
enum Typed<'a> {
    Nothing,
    Question(&'a str),
    Plan(&'a str),
    Why,
    Method(&'a str),
    Reading(&'a str),
    New,
    Help,
    Quit,
    Unknown(&'a str),
}

impl<'a> Typed<'a> {
    fn of(line: &'a str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "" => Self::Nothing,
            "/plan" => Self::Plan(rest.trim()),
            "/why" => Self::Why,
            "/method" => Self::Method(rest.trim()),
            "/reading" => Self::Reading(rest.trim()),
            "/new" => Self::New,
            "/help" | "/?" => Self::Help,
            "/quit" | "/exit" | "/q" => Self::Quit,
            word if word.starts_with('/') => Self::Unknown(word),
            _ => Self::Question(line),
        }
    }
}

impl Talk {
    pub(super) fn new(engine: Engine, options: AskOptions) -> Self {
        // For `/why`.
        let options = AskOptions { keep_trace: true, ..options };
        Self { engine, options, turns: Vec::new(), last: None }
    }

    /// Runs the conversation until the person ends it.
    pub(super) async fn run(mut self) -> Result<()> {
        let mut editor = Lines::open(&self.engine)?;
        self.greet();
        loop {
            let (back, line) = editor.next().await?;
            editor = back;
            let Some(line) = line else { return Ok(()) };
            match Typed::of(&line) {
                Typed::Quit => return Ok(()),
                typed => self.answer(typed).await?,
            }
        }
    }

    fn greet(&self) {
        let info = self.engine.workspace().info();
        tell!(
            "{STRONG}{}{STRONG:#}: {}, {}. {FAINT}Ask a question; /help lists the commands, Ctrl-D ends.{FAINT:#}",
            info.graph.name,
            counted(info.graph.entities, "entity", "entities"),
            counted(info.graph.triples, "triple", "triples")
        );
    }

    async fn answer(&mut self, typed: Typed<'_>) -> Result<()> {
        let last = |what: &str| tell!("no question was asked yet; {what}");
        match (typed, &self.last) {
            (Typed::Nothing | Typed::Quit, _) => {}
            (Typed::Question(text), _) => self.ask(text, Asking::default()).await?,
            (Typed::Plan(""), None) => last("/plan QUESTION reads a question and runs nothing"),
            (Typed::Plan(""), Some((_, answer))) if answer.readings.is_empty() => {
                tell!("the method {} gives no readings; /why explains the answer", answer.method);
            }
            (Typed::Plan(""), Some((_, answer))) => {
                views::print_plans(answer, TALKING, &mut stdout())?;
            }
            (Typed::Plan(text), _) => self.ask(text, Asking { plan_only: true, reading: 0 }).await?,
            (Typed::Reading(_), None) => last("/reading N answers by another reading that an answer offers"),
            (Typed::Reading(number), Some((text, _))) => match number.parse() {
                Ok(reading @ 1..) => {
                    let text = text.clone();
                    // Removes the turn's previous answer.
                    let asked = self.turns.iter().rposition(|turn| turn.speaker == Speaker::Person);
                    let taken_back = asked.map(|at| self.turns.split_off(at));
                    self.ask(&text, Asking { plan_only: false, reading }).await?;
                    if self.turns.is_empty() {
                        self.turns.extend(taken_back.into_iter().flatten());
                    }
                }
                _ => tell!("readings are numbered from 1: /reading 2"),
            },
            (Typed::Why, None) => last("/why explains an answer"),
            (Typed::Why, Some((_, answer))) => {
                views::print_explanation(answer.trace.as_deref().unwrap_or_default(), &mut stdout())?;
            }
            (Typed::Method(""), _) => {
                let names: Vec<String> = NamedMethod::all().map(|named| named.to_string()).collect();
                tell!("the method is {}; known methods: {}", self.options.name(), names.join(", "));
            }
            (Typed::Method(name), _) => match name.parse::<NamedMethod>() {
                Ok(named) => {
                    self.options.method = named.method;
                    self.options.config.planner = named.planner;
                    tell!("questions are answered by {named}");
                }
                Err(error) => tell!("{error}"),
            },
            (Typed::New, _) => {
                self.turns.clear();
                self.last = None;
                tell!("the conversation is forgotten");
            }
            (Typed::Help, _) => help(),
            (Typed::Unknown(word), _) => tell!("unknown command {word}; /help lists the commands"),
        }
        Ok(())
    }

    /// Asks a question and shows the answer. A failure or an interruption is shown, and the
    /// conversation continues.
    async fn ask(&mut self, text: &str, asking: Asking) -> Result<()> {
        let Asking { plan_only, reading } = asking;
        let question = match Question::new(text, Zoned::now()) {
            Ok(question) => question,
            Err(error) => {
                tell!("{error}");
                return Ok(());
            }
        };
        if let Err(reason) = quipu_server::check_readings(self.options.method, reading, plan_only) {
            tell!("{reason}");
            return Ok(());
        }
        let watch = progress::QuestionWatch::new();
        let conversation = Conversation { turns: self.turns.clone(), ..Conversation::default() };
        let sink = Some(watch.sink());
        let options = AskOptions { conversation, plan_only, reading, sink, ..self.options.clone() };
        let answer = tokio::select! {
            answer = self.engine.ask(&question, &options) => Some(answer),
            // Without this signal, the question cannot be interrupted.
            Ok(()) = tokio::signal::ctrl_c() => None,
        };
        watch.finish();
        match answer {
            None => tell!("interrupted"),
            Some(Err(error)) => {
                if let Some(message) = failure::message(&error.into()) {
                    tell!("{message}");
                }
            }
            Some(Ok(answer)) => {
                let (mut out, view) = (stdout(), views::View { reading, ..TALKING });
                match plan_only {
                    true => views::print_plans(&answer, view, &mut out)?,
                    false => views::print_answer(&answer, view, &mut out)?,
                }
                if !plan_only {
                    self.remember(text, &answer);
                }
                self.last = Some((text.to_owned(), answer));
            }
        }
        Ok(())
    }

    fn remember(&mut self, text: &str, answer: &Answer) {
        self.turns.push(Turn::new(Speaker::Person, text));
        let values = answer.table.iter().flat_map(AnswerTable::values).cloned().collect();
        self.turns.push(Turn { values, ..Turn::new(Speaker::Answer, answer.answer.as_str()) });
        let forgotten = self.turns.len().saturating_sub(MOST_TURNS);
        self.turns.drain(..forgotten);
    }
}

fn help() {
    for (word, does) in COMMANDS {
        tell!("{STRONG}{word:8}{STRONG:#} {does}");
    }
    tell!("The arrow keys bring earlier lines back, Tab completes names, Ctrl-C stops a question.");
}

/// Reads lines, and keeps a history of them.
struct Lines {
    editor: Editor<Names, FileHistory>,
    history: Option<PathBuf>,
}

impl Lines {
    fn open(engine: &Engine) -> Result<Self> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .max_history_size(MOST_LINES)
            .context("the history cannot be kept")?
            .auto_add_history(true)
            .build();
        let mut editor = Editor::with_config(config).context("cannot read from this terminal")?;
        editor.set_helper(Some(Names { engine: engine.clone() }));
        let history = history_file(|name| std::env::var_os(name).filter(|value| !value.is_empty()));
        if let Some(path) = &history {
            // The first conversation has no history.
            let _ = editor.load_history(path);
        }
        Ok(Self { editor, history })
    }

    /// The next line; `None` at the end of the input.
    async fn next(mut self) -> Result<(Self, Option<String>)> {
        let read = tokio::task::spawn_blocking(move || {
            let line = self.read();
            line.map(|line| (self, line))
        });
        read.await.context("the terminal's thread is gone")?
    }

    fn read(&mut self) -> Result<Option<String>> {
        loop {
            match self.editor.readline(PROMPT) {
                Ok(line) => {
                    self.keep();
                    return Ok(Some(line));
                }
                Err(ReadlineError::Eof) => return Ok(None),
                Err(ReadlineError::Interrupted) => tell!("/quit or Ctrl-D ends it"),
                Err(ReadlineError::Signal(_)) => {}
                Err(error) => return Err(error).context("the terminal cannot be read from"),
            }
        }
    }

    /// Writes the history. The first failure is shown, later ones are not.
    fn keep(&mut self) {
        let Some(path) = self.history.take() else { return };
        let folder = path.parent().unwrap_or(Path::new("."));
        let kept = std::fs::create_dir_all(folder)
            .map_err(ReadlineError::from)
            .and_then(|()| self.editor.save_history(&path));
        match kept {
            Ok(()) => self.history = Some(path),
            Err(error) => tell!("{FAINT}lines are not remembered: {}: {error}{FAINT:#}", path.display()),
        }
    }
}

/// The history file, in the user's folder for the state of programs.
fn history_file(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Option<PathBuf> {
    let state = variable("XDG_STATE_HOME").map(PathBuf::from);
    let folder = state.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".local/state")))?;
    Some(folder.join("quipu/history"))
}

/// Completes commands, methods and the graph's names.
struct Names {
    engine: Engine,
}

impl Helper for Names {}
impl Hinter for Names {
    type Hint = String;
}
impl Highlighter for Names {}
impl Validator for Names {}

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..position).unwrap_or(line);
        if let Some(begun) = before.strip_prefix("/method ") {
            let names = NamedMethod::all().map(|named| named.to_string());
            return Ok((position - begun.len(), names.filter(|name| name.starts_with(begun)).collect()));
        }
        if before.starts_with('/') && !before.contains(char::is_whitespace) {
            let words = COMMANDS.iter().map(|(word, _)| *word).filter(|word| word.starts_with(before));
            let spaced = |word: &str| match word {
                // Their arguments follow.
                "/method" | "/reading" => format!("{word} "),
                word => word.to_owned(),
            };
            return Ok((0, words.map(spaced).collect()));
        }
        for start in beginnings(before) {
            let begun = before.get(start..).unwrap_or_default();
            // An unreadable index is reported when a question is asked.
            let names = self.engine.workspace().names().starting_with(begun, MOST_NAMES).unwrap_or_default();
            if !names.is_empty() {
                return Ok((start, names));
            }
        }
        Ok((position, Vec::new()))
    }
}

/// The places at which the name being typed may begin, the longest name first.
fn beginnings(before: &str) -> Vec<usize> {
    let starts = before.char_indices().filter(|(at, letter)| {
        let previous = before.get(..*at).and_then(|text| text.chars().next_back());
        letter.is_alphanumeric() && previous.is_none_or(|previous| !previous.is_alphanumeric())
    });
    let starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    let enough = |start: &&usize| {
        before.get(**start..).is_some_and(|begun| begun.trim().chars().count() >= FEWEST_LETTERS)
    };
    let from = starts.len().saturating_sub(MOST_WORDS);
    starts.get(from..).unwrap_or_default().iter().filter(enough).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_questions_or_commands() {
        assert_eq!(Typed::of("  who?  "), Typed::Question("who?"));
        assert_eq!(Typed::of("/plan  how many towns?"), Typed::Plan("how many towns?"));
        assert_eq!(Typed::of("/method query"), Typed::Method("query"));
        assert_eq!(Typed::of("/exit"), Typed::Quit);
        assert_eq!(Typed::of("/fly away"), Typed::Unknown("/fly"));
        assert_eq!(Typed::of(" "), Typed::Nothing);
    }

    #[test]
    fn a_name_may_begin_at_each_of_the_last_words() {
        let begun = |text: &'static str| -> Vec<&str> {
            beginnings(text).into_iter().map(|at| text.get(at..).unwrap()).collect()
        };
        assert_eq!(
            begun("Who made the Falcon Dr"),
            ["Who made the Falcon Dr", "made the Falcon Dr", "the Falcon Dr", "Falcon Dr", "Dr"]
        );
        assert_eq!(begun("“Lim"), ["Lim"]);
        assert_eq!(begun("is L"), ["is L"]);
        assert!(begun("").is_empty());
    }

    #[test]
    fn lines_are_remembered_where_the_desktop_rules_say() {
        let home = |name: &str| (name == "HOME").then(|| "/home/ana".into());
        assert_eq!(history_file(home), Some("/home/ana/.local/state/quipu/history".into()));
        assert_eq!(history_file(|_| None), None);
    }
}
