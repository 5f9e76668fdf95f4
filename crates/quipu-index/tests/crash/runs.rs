//! Runs each command in separate processes, each interrupted at another place.

use std::cell::Cell;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use crate::commands::{COMMANDS, Command, give, prepare, state};
use crate::endpoint;
use crate::faults::{self, Fault};

/// First argument of a process that runs a command.
const CHILD: &str = "as-child";
/// Faults of each kind for each command, unless all are tried.
const FEW: u64 = 2;
/// Random moments per command by default.
const FEW_MOMENTS: u64 = 1;
/// Moments of a command's time that it can be killed at.
const SHARES: u64 = 10_000;
/// Seconds after which a command ends by a signal: it hangs.
const MOST_SECONDS: u32 = 120;

pub fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, command, folder, fault, at] = words.as_slice()
        && first == CHILD
    {
        return child(command, Path::new(folder), Fault::named(fault).unwrap(), at.parse().unwrap());
    }
    let number =
        |name: &str| -> Option<u64> { std::env::var(name).ok().map(|number| number.parse().unwrap()) };
    let (moments, allocations) = (number("QUIPU_CRASH"), number("QUIPU_CRASH_ALLOCATIONS"));
    let served = tempfile::tempdir().unwrap();
    let address = endpoint::start(served.path());
    let random = Random::new(number("QUIPU_CRASH_SEED"));
    println!("QUIPU_CRASH_SEED={}", random.seed);
    let mut total = Counts::default();
    // As in other test programs, a word selects the commands whose names contain it.
    let word = words.iter().find(|word| !word.starts_with('-'));
    for command in
        COMMANDS.iter().filter(|command| word.is_none_or(|word| command.name.contains(word))).copied()
    {
        let trial = Trial::new(command, &address);
        let mut counts = Counts::default();
        trial.break_files(moments, &mut counts);
        trial.kill(moments, &random, &mut counts);
        trial.fail_allocations(allocations, &random, &mut counts);
        println!("{}: {counts}", command.name);
        total.add(&counts);
    }
    println!("in all: {total}");
}

fn child(command: &str, folder: &Path, fault: Fault, at: u64) {
    // The first ends this process if it hangs: a thread waits for another that failed. After the
    // second, a process that ends by a signal leaves no file with its memory.
    // SAFETY: both take numbers only.
    unsafe {
        libc::alarm(MOST_SECONDS);
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
    }
    let place = folder.join("workspace");
    prepare(folder);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    faults::begin(fault, at, &place);
    let outcome = runtime.block_on(give(command, folder, &place));
    let calls = faults::end();
    println!("{calls}");
    if let Err(error) = outcome {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

#[derive(Default)]
struct Counts {
    /// File operations of the command.
    operations: u64,
    /// Interrupted runs.
    broken: u64,
    /// Of these, the numbers that left the state before and the state after.
    before: u64,
    after: u64,
    /// Allocations of the command.
    allocations: u64,
    /// Runs with a failed allocation: ended by a signal, failed with an error, or finished.
    ended: u64,
    failed: u64,
    finished: u64,
    /// Runs that made fewer allocations than others, so that none failed.
    missed: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.operations += other.operations;
        self.broken += other.broken;
        self.before += other.before;
        self.after += other.after;
        self.allocations += other.allocations;
        self.ended += other.ended;
        self.failed += other.failed;
        self.finished += other.finished;
        self.missed += other.missed;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { operations, broken, before, after, allocations, ended, failed, finished, missed } = self;
        write!(formatter, "{operations} file operations, {allocations} allocations, ")?;
        write!(formatter, "{broken} runs broken off: ")?;
        write!(formatter, "{before} left the state before, {after} the state after; ")?;
        write!(formatter, "after a failed allocation {ended} ended, {failed} gave an error, ")?;
        write!(formatter, "{finished} finished, {missed} did not come to it")
    }
}

/// A command, with the states before and after it.
struct Trial<'a> {
    command: Command,
    /// Of the endpoint.
    address: &'a str,
    folder: tempfile::TempDir,
    before: String,
    after: String,
    /// Files after the command.
    files: Vec<String>,
    operations: u64,
    took: Duration,
}

/// How a command ended.
enum Outcome {
    /// As usual, after this number of calls of the kind that its fault counts.
    Done(u64),
    /// With an error.
    Failed,
    /// By a signal.
    Ended,
}

impl<'a> Trial<'a> {
    fn new(command: Command, address: &'a str) -> Self {
        // In memory, if the system has such a folder: `faults` tracks synced data, so the disk is
        // not needed.
        let memory = Path::new("/dev/shm");
        let folder =
            if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
        let template = folder.path().join("template");
        std::fs::create_dir(&template).unwrap();
        for earlier in command.before {
            run(earlier, &template, address, Fault::Kill, 0);
        }
        let mut trial = Self {
            command,
            address,
            before: told(&template),
            after: String::new(),
            files: Vec::new(),
            operations: 0,
            took: Duration::ZERO,
            folder,
        };
        let fresh = trial.fresh();
        let started = Instant::now();
        let Outcome::Done(operations) = trial.give(&fresh, Fault::Kill, 0) else {
            panic!("{}: it fails by itself", command.name)
        };
        trial.operations = operations;
        trial.took = started.elapsed();
        trial.after = told(&fresh);
        trial.files = files(&fresh);
        assert_ne!(trial.before, trial.after, "{}", command.name);
        trial
    }

    fn give(&self, folder: &Path, fault: Fault, at: u64) -> Outcome {
        run(self.command.name, folder, self.address, fault, at)
    }

    /// The number of calls that a fault of this kind can strike.
    fn count(&self, fault: Fault) -> u64 {
        match self.give(&self.fresh(), fault, 0) {
            Outcome::Done(calls) => calls,
            _ => panic!("{}, {fault:?}: it fails by itself", self.command.name),
        }
    }

    /// The state before the command, in a folder that is reused.
    fn fresh(&self) -> PathBuf {
        let fresh = self.folder.path().join("fresh");
        let _ = std::fs::remove_dir_all(&fresh);
        copy_all(&self.folder.path().join("template"), &fresh);
        fresh
    }

    /// Breaks each file operation, or a few of them, in each way.
    fn break_files(&self, moments: Option<u64>, counts: &mut Counts) {
        counts.operations = self.operations;
        for (number, fault) in (1..).zip(Fault::OF_FILES) {
            let operations = if fault == Fault::FailRead { self.count(fault) } else { self.operations };
            let step = if moments.is_some() { 1 } else { (operations / FEW).max(1) };
            // Different operations for each fault.
            for at in (number.min(step)..=operations).step_by(usize::try_from(step).unwrap()) {
                self.strike(fault, at, counts);
            }
        }
    }

    /// Kills the command at random moments.
    fn kill(&self, moments: Option<u64>, random: &Random, counts: &mut Counts) {
        for _ in 0..moments.unwrap_or(FEW_MOMENTS) / COMMANDS.len() as u64 + 1 {
            let folder = self.fresh();
            let share = random.below(SHARES) as f64 / SHARES as f64;
            let mut process =
                process(self.command.name, &folder, self.address, Fault::Kill, 0).spawn().unwrap();
            std::thread::sleep(self.took.mul_f64(share));
            process.kill().unwrap();
            process.wait().unwrap();
            self.check(&folder, &format!("killed at {share:.3} of its time"), false, counts);
        }
    }

    /// Fails allocations: one in each of equal parts of the command, the same in each run of the
    /// harness, and as many random ones. By default only one of the former for each kind of fault;
    /// each of all if `number` is large enough.
    fn fail_allocations(&self, number: Option<u64>, random: &Random, counts: &mut Counts) {
        let runs = (COMMANDS.len() * Fault::OF_ALLOCATIONS.len()) as u64;
        for (kind, fault) in (0..).zip(Fault::OF_ALLOCATIONS) {
            let allocations = self.count(fault);
            counts.allocations = counts.allocations.max(allocations);
            // Some commands make no large one.
            let parts = number.unwrap_or_default().div_ceil(2 * runs).max(1).min(allocations);
            // The kinds have different places within the parts.
            let (place, places) = (2 * kind + 1, 2 * Fault::OF_ALLOCATIONS.len() as u64);
            let even = (0..parts).map(|part| (part * places + place) * allocations / (parts * places));
            let more = if number.is_some() && parts < allocations { parts } else { 0 };
            let others = (0..more).map(|_| random.below(allocations));
            for at in even.chain(others).map(|at| at + 1) {
                match self.strike(fault, at, counts) {
                    Outcome::Done(calls) if calls < at => counts.missed += 1,
                    Outcome::Done(_) => counts.finished += 1,
                    Outcome::Failed => counts.failed += 1,
                    Outcome::Ended => counts.ended += 1,
                }
            }
        }
        assert!(counts.ended > 0, "{}: no allocation failed", self.command.name);
    }

    /// Runs the command with one fault, and checks what it left.
    fn strike(&self, fault: Fault, at: u64, counts: &mut Counts) -> Outcome {
        let folder = self.fresh();
        let outcome = self.give(&folder, fault, at);
        let succeeded = matches!(outcome, Outcome::Done(_));
        self.check(&folder, &format!("{fault:?} at {at}"), succeeded, counts);
        outcome
    }

    /// Checks that an interrupted command left the state before or the state after, and that the
    /// next run succeeds as usual.
    fn check(&self, folder: &Path, what: &str, succeeded: bool, counts: &mut Counts) {
        let what = format!("{}, {what}", self.command.name);
        let state = told(folder);
        counts.broken += 1;
        let is_after = state == self.after;
        assert!(
            is_after || state == self.before,
            "{what}: a third state:\n{state}\nfiles: {:#?}",
            files(folder)
        );
        assert!(is_after || !succeeded, "{what}: it told of no error");
        *(if is_after { &mut counts.after } else { &mut counts.before }) += 1;
        if is_after && !self.command.again {
            return;
        }
        self.give(folder, Fault::Kill, 0);
        assert_eq!(told(folder), self.after, "{what}: the same command once more");
        assert_eq!(files(folder), self.files, "{what}: what is left over");
    }
}

fn process(command: &str, folder: &Path, address: &str, fault: Fault, at: u64) -> Process {
    let mut process = Process::new(std::env::current_exe().unwrap());
    process.args([CHILD, command, folder.to_str().unwrap(), &format!("{fault:?}"), &at.to_string()]);
    process.env(endpoint::ADDRESS, address);
    process.env("RUST_BACKTRACE", "0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    process
}

/// Runs a command to its end.
fn run(command: &str, folder: &Path, address: &str, fault: Fault, at: u64) -> Outcome {
    let output = process(command, folder, address, fault, at).output().unwrap();
    let what = format!("{command}, {fault:?} at {at}");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!told.contains("panicked at"), "{what}: {told}");
    match (output.status.code(), output.status.signal()) {
        (Some(0), _) => Outcome::Done(String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()),
        (Some(_), _) => Outcome::Failed,
        // A failed allocation aborts.
        (None, Some(libc::SIGKILL | libc::SIGABRT)) => Outcome::Ended,
        (None, Some(libc::SIGALRM)) => panic!("{what}: it hangs: {told}"),
        (None, signal) => panic!("{what}: signal {signal:?}: {told}"),
    }
}

/// Random numbers, the same ones for the same seed.
struct Random {
    seed: u64,
    state: Cell<u64>,
}

impl Random {
    /// Without a seed each run of the harness has its own.
    fn new(seed: Option<u64>) -> Self {
        let seed = seed.unwrap_or_else(|| RandomState::new().build_hasher().finish());
        Self { seed, state: Cell::new(seed) }
    }

    /// A number below `bound`, which is not 0 (splitmix64).
    fn below(&self, bound: u64) -> u64 {
        self.state.set(self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut mixed = self.state.get();
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

fn told(folder: &Path) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(state(&folder.join("workspace")))
}

/// The files below a workspace, in order; all generations get one name.
fn files(folder: &Path) -> Vec<String> {
    fn gather(folder: &Path, name: &str, found: &mut Vec<String>) {
        for entry in folder.read_dir().into_iter().flatten().map(|entry| entry.unwrap()) {
            let own = entry.file_name().into_string().unwrap();
            let shown = if own.starts_with("gen-") { "generation".into() } else { own };
            // Tantivy gives its segments random names.
            let shown = match shown.split_once('.') {
                Some((stem, kind)) if stem.len() == 32 => format!("SEGMENT.{kind}"),
                // The number of an API's reading.
                _ => shown.replace(".1.", ".").replace(".2.", "."),
            };
            let name = format!("{name}/{shown}");
            if entry.path().is_dir() { gather(&entry.path(), &name, found) } else { found.push(name) }
        }
    }
    let mut found = Vec::new();
    gather(&folder.join("workspace"), "", &mut found);
    found.sort();
    found
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap().map(|entry| entry.unwrap()) {
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_all(&entry.path(), &place);
        } else {
            std::fs::copy(entry.path(), place).unwrap();
        }
    }
}
