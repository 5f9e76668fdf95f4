//! A pseudo-terminal: a command's output for a person, and its reaction to keys.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::pty::{OpenptyResult, Winsize, openpty};

/// Longer than anything that a test waits for, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running command in a terminal; it is killed on drop.
pub struct Terminal {
    child: Child,
    keys: File,
    shown: Arc<Mutex<String>>,
    /// Number of bytes of `shown` that were already matched.
    seen: usize,
    reader: Option<JoinHandle<()>>,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Terminal {
    /// Starts the command in a terminal with that many columns as its standard input, output and
    /// error.
    pub fn start(command: &mut Command, columns: u16) -> Self {
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let OpenptyResult { master: keys, slave: screen } = openpty(Some(&size), None).unwrap();
        for end in [&keys, &screen] {
            // Another test's command would keep the terminal open.
            fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
        }
        let stream = || Stdio::from(screen.try_clone().unwrap());
        command.env("TERM", "xterm").stdin(stream()).stdout(stream()).stderr(stream());
        let child = command.spawn().unwrap();
        // The command keeps this end of its streams; with it open, the terminal would never close.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let keys = File::from(keys);
        let (mut output, shown) = (keys.try_clone().unwrap(), Arc::new(Mutex::new(String::new())));
        let kept = shown.clone();
        let reader = std::thread::spawn(move || {
            let mut part = [0; 4096];
            let mut rest = Vec::new();
            // Reading fails once the terminal is closed everywhere.
            while let Ok(read @ 1..) = output.read(&mut part) {
                rest.extend_from_slice(&part[..read]);
                let whole = match std::str::from_utf8(&rest) {
                    Ok(text) => text.len(),
                    Err(error) => error.valid_up_to(),
                };
                kept.lock().unwrap().push_str(std::str::from_utf8(&rest[..whole]).unwrap());
                rest.drain(..whole);
            }
        });
        Self { child, keys, shown, seen: 0, reader: Some(reader) }
    }

    /// The command's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Types the text.
    pub fn type_keys(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until the text is shown, after the previously matched text; returns the output up to
    /// there.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) -> String {
        let begun = Instant::now();
        loop {
            let shown = self.shown.lock().unwrap().clone();
            let fresh = shown.get(self.seen..).unwrap_or_default();
            if let Some(at) = fresh.find(text) {
                let before = fresh[..at + text.len()].to_owned();
                self.seen += at + text.len();
                return before;
            }
            let ended =
                self.child.try_wait().unwrap().is_some() && self.reader.as_ref().unwrap().is_finished();
            assert!(
                !ended && begun.elapsed() < PATIENCE,
                "“{text}” was not shown (ended: {ended}): {fresh:?}, after {:?}",
                shown.get(..self.seen)
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the end. Returns the exit code and the whole output.
    #[track_caller]
    pub fn ended(mut self) -> (Option<i32>, String) {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "it does not end: {:?}", self.shown.lock().unwrap());
            std::thread::sleep(Duration::from_millis(10));
        }
        let code = self.child.wait().unwrap().code();
        self.reader.take().unwrap().join().unwrap();
        let shown = self.shown.lock().unwrap().clone();
        (code, shown)
    }
}

/// The final content of a terminal's screen, without styles: of a redrawn line only the last
/// version.
pub fn plain(shown: &str) -> String {
    anstream::adapter::strip_str(shown).to_string().replace('\r', "")
}
