//! Messages that are made without memory, for where there is none, and for handlers of signals.

use ocr_base::output_file::without_signals;
use std::fmt::{self, Write};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};

/// A message of limited length, on the stack.
pub(crate) struct Text {
    bytes: [u8; 1024],
    len: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = &mut self.bytes[self.len..];
        let len = text.len().min(room.len());
        room[..len].copy_from_slice(&text.as_bytes()[..len]);
        self.len += len;
        Ok(())
    }
}

/// The device and the file of the standard error when the process began, and 1; 2 instead where it was closed then, and
/// 0 where that is not known yet. Relaxed: the process has one thread when they are written.
static AT_START: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

const WAS_OPEN: u64 = 1;
const WAS_CLOSED: u64 = 2;

/// What the system says of the standard error. None where it is closed.
fn about_standard_error() -> Option<libc::stat> {
    let mut about = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the place is large enough for the answer. POSIX allows the call in a handler.
    let result = unsafe { libc::fstat(libc::STDERR_FILENO, about.as_mut_ptr()) };
    // SAFETY: a result of 0 says that the call has filled the structure.
    (result == 0).then(|| unsafe { about.assume_init() })
}

/// Looks at the standard error as the process begins.
pub(crate) fn keep_standard_error() {
    let about = about_standard_error();
    let [device, file, state] = &AT_START;
    if let Some(about) = &about {
        device.store(about.st_dev, Ordering::Relaxed);
        file.store(about.st_ino, Ordering::Relaxed);
    }
    let is_open = if about.is_some() { WAS_OPEN } else { WAS_CLOSED };
    state.store(is_open, Ordering::Relaxed);
}

/// Looks again as a program with its own `main` begins a run: what it has put in the place of the standard error
/// before, as a file of messages, stays that.
pub(crate) fn keep_standard_error_of_run() {
    if AT_START[2].load(Ordering::Relaxed) == WAS_OPEN && about_standard_error().is_some() {
        keep_standard_error();
    }
}

/// Whether descriptor 2 is for messages. A program may close it and open a file of its own, which gets the number. So
/// it is for messages where it is the file that it was when the process, or a run of a program with its own `main`,
/// began. It is also where the program has put a terminal, another device, a pipe, or a file that is appended to in its
/// place, as for a log. Other files are taken for data, and so are all that have come to a number that was closed when
/// the process began. For handlers of signals, too.
pub(crate) fn has_standard_error() -> bool {
    // Miri asks the system only about files that it has opened itself.
    if cfg!(miri) {
        return true;
    }
    let Some(about) = about_standard_error() else {
        return false;
    };
    let [device, file, state] = &AT_START;
    match state.load(Ordering::Relaxed) {
        WAS_OPEN => {}
        WAS_CLOSED => return false,
        _ => return true,
    }
    let before = (device.load(Ordering::Relaxed), file.load(Ordering::Relaxed));
    if before == (about.st_dev, about.st_ino) {
        return true;
    }
    match about.st_mode & libc::S_IFMT {
        libc::S_IFCHR | libc::S_IFIFO => true,
        libc::S_IFREG => {
            // SAFETY: with `F_GETFL`, `fcntl` gets numbers and no pointer. POSIX allows the call in a handler.
            let flags = unsafe { libc::fcntl(libc::STDERR_FILENO, libc::F_GETFL) };
            flags != -1 && flags & libc::O_APPEND != 0
        }
        _ => false,
    }
}

/// Writes what `write` writes to the standard error.
pub(crate) fn say(write: impl FnOnce(&mut Text) -> fmt::Result) {
    let mut text = Text { bytes: [0; 1024], len: 0 };
    // Writing into memory does not fail.
    let _ = write(&mut text);
    if !has_standard_error() {
        return;
    }
    // SAFETY: `text.bytes` is an array that lives during the call, and `text.len` is not more than
    // its length.
    without_signals(|| unsafe { libc::write(libc::STDERR_FILENO, text.bytes.as_ptr().cast(), text.len) });
}
