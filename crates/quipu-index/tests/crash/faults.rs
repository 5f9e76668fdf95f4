//! The file operations of this program, of which the Nth fails or ends the process. They override
//! the C library's functions of the same names, so that all calls of this program (Rust's standard
//! library, Tantivy) pass through here unnoticed. The direct writes of C and C++ libraries
//! (usearch's graph) do not.

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use libc::{mode_t, off_t, size_t, ssize_t};

use crate::allocations::{self, BUFFER};

/// The fault at the chosen call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The call fails, as on a full disk (or, for a sync, on a broken one).
    Fail,
    /// The call fails, and so does every later one except removals.
    FailFromThenOn,
    /// The process is killed before the call.
    Kill,
    /// The process is killed, and half of each file written since its last sync is lost.
    PowerLoss,
    /// A read fails, as from a broken disk. Of this fault only reads are counted.
    FailRead,
    /// An allocation fails (`allocations.rs`). Of this fault and the next three only allocations
    /// are counted.
    FailAllocation,
    /// The allocation fails, and so does every later one.
    FailAllocationsFromThenOn,
    /// As `FailAllocation`, of the large allocations only.
    FailBuffer,
    /// As `FailAllocationsFromThenOn`, of the large allocations only.
    FailBuffersFromThenOn,
}

impl Fault {
    pub const OF_FILES: [Self; 5] =
        [Self::Fail, Self::FailFromThenOn, Self::Kill, Self::PowerLoss, Self::FailRead];
    pub const OF_ALLOCATIONS: [Self; 4] = [
        Self::FailAllocation,
        Self::FailAllocationsFromThenOn,
        Self::FailBuffer,
        Self::FailBuffersFromThenOn,
    ];

    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::OF_FILES.into_iter().chain(Self::OF_ALLOCATIONS);
        all.find(|fault| format!("{fault:?}") == name)
    }
}

struct Plan {
    fault: Fault,
    at: u64,
    /// The folder whose unsynced files lose data.
    folder: PathBuf,
    /// Length and time of change of synced files, by inode.
    on_disk: HashMap<u64, (u64, i64, i64)>,
}

static PLAN: Mutex<Option<Plan>> = Mutex::new(None);
/// Whether calls are counted.
static COUNTING: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);

/// Counts calls from now on and triggers `fault` at call `at`, counted from 1; 0: never.
pub fn begin(fault: Fault, at: u64, folder: &Path) {
    match fault {
        Fault::FailAllocation => return allocations::begin(1, at, false),
        Fault::FailAllocationsFromThenOn => return allocations::begin(1, at, true),
        Fault::FailBuffer => return allocations::begin(BUFFER, at, false),
        Fault::FailBuffersFromThenOn => return allocations::begin(BUFFER, at, true),
        _ => {}
    }
    let mut on_disk = HashMap::new();
    visit(folder, &mut |file| {
        if let Ok(file) = file.metadata() {
            on_disk.insert(file.ino(), stamp(&file));
        }
    });
    *PLAN.lock().unwrap() = Some(Plan { fault, at, folder: folder.to_owned(), on_disk });
    COUNTING.store(true, Ordering::SeqCst);
}

/// Ends counting; returns the number of calls.
pub fn end() -> u64 {
    COUNTING.store(false, Ordering::SeqCst);
    CALLS.load(Ordering::SeqCst) + allocations::end()
}

fn stamp(file: &std::fs::Metadata) -> (u64, i64, i64) {
    (file.len(), file.mtime(), file.mtime_nsec())
}

/// Visits each file below a folder.
fn visit(folder: &Path, each: &mut dyn FnMut(&Path)) {
    for path in folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() { visit(&path, each) } else { each(&path) }
    }
}

/// Whether the current call fails.
fn fails(removes: bool) -> bool {
    if !COUNTING.load(Ordering::SeqCst) {
        return false;
    }
    // Held until the process ends, so that no other thread continues.
    let mut plan = PLAN.lock().unwrap();
    let Some(plan) = plan.as_mut().filter(|plan| plan.fault != Fault::FailRead) else { return false };
    let call = CALLS.fetch_add(1, Ordering::SeqCst) + 1;
    match plan.fault {
        _ if plan.at == 0 => false,
        Fault::Fail => call == plan.at,
        Fault::FailFromThenOn => call >= plan.at && !removes,
        Fault::Kill | Fault::PowerLoss if call < plan.at => false,
        Fault::Kill => die(),
        Fault::PowerLoss => {
            COUNTING.store(false, Ordering::SeqCst);
            lose(plan);
            die()
        }
        // Counted elsewhere.
        _ => false,
    }
}

/// Whether the current read fails.
fn read_fails() -> bool {
    if !COUNTING.load(Ordering::SeqCst) {
        return false;
    }
    let plan = PLAN.lock().unwrap();
    let Some(plan) = plan.as_ref().filter(|plan| plan.fault == Fault::FailRead) else { return false };
    CALLS.fetch_add(1, Ordering::SeqCst) + 1 == plan.at
}

fn lose(plan: &Plan) {
    visit(&plan.folder, &mut |path| {
        let Ok(file) = path.metadata() else { return };
        if plan.on_disk.get(&file.ino()) != Some(&stamp(&file)) {
            let opened = std::fs::File::options().write(true).open(path);
            let _ = opened.and_then(|opened| opened.set_len(file.len() / 2));
        }
    });
}

fn die() -> ! {
    // SAFETY: takes numbers only; this process ends here.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    std::process::abort()
}

/// Records that a file is synced.
fn is_on_disk(file: c_int) {
    if !COUNTING.load(Ordering::SeqCst) {
        return;
    }
    // SAFETY: all bytes zero is a value of this plain structure, which the call then fills.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the structure has the size that the call expects.
    if unsafe { libc::fstat(file, &raw mut status) } == 0
        && let Some(plan) = PLAN.lock().unwrap().as_mut()
    {
        let stamp = (status.st_size.unsigned_abs(), status.st_mtime, status.st_mtime_nsec);
        plan.on_disk.insert(status.st_ino, stamp);
    }
}

/// Whether a descriptor is a regular file, not a terminal, a pipe or a socket.
fn is_file(file: c_int) -> bool {
    // SAFETY: as in `is_on_disk`.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: as in `is_on_disk`.
    let found = unsafe { libc::fstat(file, &raw mut status) } == 0;
    found && status.st_mode & libc::S_IFMT == libc::S_IFREG
}

fn refuse(error: c_int) -> c_int {
    // SAFETY: returns the address of this thread's own error number.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// The system call with this number and these arguments.
macro_rules! system {
    ($number:ident, $($argument:expr),*) => {
        // SAFETY: the arguments are those that the caller gave to the C function with the same
        // meaning.
        unsafe { libc::syscall(libc::$number, $($argument as c_long),*) }
    };
}

#[unsafe(no_mangle)]
extern "C" fn read(file: c_int, bytes: *mut c_void, count: size_t) -> ssize_t {
    if is_file(file) && read_fails() {
        return refuse(libc::EIO) as ssize_t;
    }
    system!(SYS_read, file, bytes, count) as ssize_t
}

#[unsafe(no_mangle)]
extern "C" fn pread64(file: c_int, bytes: *mut c_void, count: size_t, at: off_t) -> ssize_t {
    if read_fails() {
        return refuse(libc::EIO) as ssize_t;
    }
    system!(SYS_pread64, file, bytes, count, at) as ssize_t
}

#[unsafe(no_mangle)]
extern "C" fn write(file: c_int, bytes: *const c_void, count: size_t) -> ssize_t {
    if is_file(file) && fails(false) {
        return refuse(libc::ENOSPC) as ssize_t;
    }
    system!(SYS_write, file, bytes, count) as ssize_t
}

#[unsafe(no_mangle)]
extern "C" fn writev(file: c_int, parts: *const libc::iovec, count: c_int) -> ssize_t {
    if is_file(file) && fails(false) {
        return refuse(libc::ENOSPC) as ssize_t;
    }
    system!(SYS_writev, file, parts, count) as ssize_t
}

#[unsafe(no_mangle)]
extern "C" fn pwrite64(file: c_int, bytes: *const c_void, count: size_t, at: off_t) -> ssize_t {
    if fails(false) {
        return refuse(libc::ENOSPC) as ssize_t;
    }
    system!(SYS_pwrite64, file, bytes, count, at) as ssize_t
}

#[unsafe(no_mangle)]
extern "C" fn ftruncate64(file: c_int, length: off_t) -> c_int {
    if fails(false) {
        return refuse(libc::ENOSPC);
    }
    system!(SYS_ftruncate, file, length) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn fsync(file: c_int) -> c_int {
    if fails(false) {
        return refuse(libc::EIO);
    }
    let done = system!(SYS_fsync, file) as c_int;
    if done == 0 {
        is_on_disk(file);
    }
    done
}

#[unsafe(no_mangle)]
extern "C" fn fdatasync(file: c_int) -> c_int {
    if fails(false) {
        return refuse(libc::EIO);
    }
    let done = system!(SYS_fdatasync, file) as c_int;
    if done == 0 {
        is_on_disk(file);
    }
    done
}

#[unsafe(no_mangle)]
extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    if fails(false) {
        return refuse(libc::ENOSPC);
    }
    system!(SYS_renameat, libc::AT_FDCWD, from, libc::AT_FDCWD, to) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn linkat(
    from_folder: c_int,
    from: *const c_char,
    to_folder: c_int,
    to: *const c_char,
    flags: c_int,
) -> c_int {
    if fails(false) {
        return refuse(libc::ENOSPC);
    }
    system!(SYS_linkat, from_folder, from, to_folder, to, flags) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn mkdir(path: *const c_char, mode: mode_t) -> c_int {
    if fails(false) {
        return refuse(libc::ENOSPC);
    }
    system!(SYS_mkdirat, libc::AT_FDCWD, path, mode) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    if flags & libc::O_CREAT != 0 && fails(false) {
        return refuse(libc::ENOSPC);
    }
    system!(SYS_openat, libc::AT_FDCWD, path, flags, mode) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn unlink(path: *const c_char) -> c_int {
    if fails(true) {
        return refuse(libc::EIO);
    }
    system!(SYS_unlinkat, libc::AT_FDCWD, path, 0) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int {
    if fails(true) {
        return refuse(libc::EIO);
    }
    system!(SYS_unlinkat, folder, path, flags) as c_int
}
