//! Requests for a checkpoint from outside, as `ocr checkpoint` makes them: both ends.
//!
//! A run that makes checkpoints listens on a socket whose name has the number of its process (`unix(7)`, abstract).
//! Neither a signal nor a file in the directory does as well:
//!
//! - A signal ends a process that has no handler for it. Whether it has one may change between a look and the signal,
//!   as by `exec`. The handler would also take a signal from the program.
//! - A socket is gone when its process is, so nobody waits for one that has ended, and nothing is left behind. A file
//!   would stay, and the number in its name may become that of another process.
//! - The name is in no directory: one that is gone, cannot be written or has a long name does not matter.
//!
//! As everybody can use such a name, each side asks the system who the other one is.
//!
//! | who | sends |
//! |---|---|
//! | the one who asks | nothing: the connection is the request |
//! | the program | answers ([`CheckpointAnswer`]), each a letter, a text and a zero byte; no last one if the run ends |
//!
//! The thread that listens has a table of descriptors of its own, and serves one connection after the other. It knows
//! the run by a channel to the thread that makes checkpoints alone, so it need not end before the run does.

use ocr_base::apart::{self, Kept};
use ocr_base::text::read_file;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, Thread};
use std::time::Duration;

/// What somebody who asks is told.
#[derive(Clone, Debug)]
pub(super) enum CheckpointAnswer {
    /// It cannot be made now, and is tried again.
    Waits(String),
    /// It is there, under this name.
    Made(PathBuf),
    /// It is not made.
    Refused(String),
}

impl CheckpointAnswer {
    fn to_bytes(&self) -> Vec<u8> {
        let (letter, text) = match self {
            CheckpointAnswer::Waits(why) => (b'w', why.as_bytes()),
            CheckpointAnswer::Made(path) => (b'm', path.as_os_str().as_bytes()),
            CheckpointAnswer::Refused(why) => (b'r', why.as_bytes()),
        };
        [&[letter], text, &[0]].concat()
    }

    /// Reads an answer, without the zero byte.
    fn of(bytes: &[u8]) -> Option<CheckpointAnswer> {
        let (letter, text) = bytes.split_first()?;
        let words = || String::from_utf8_lossy(text).into_owned();
        match letter {
            b'w' => Some(CheckpointAnswer::Waits(words())),
            b'm' => Some(CheckpointAnswer::Made(OsStr::from_bytes(text).into())),
            b'r' => Some(CheckpointAnswer::Refused(words())),
            _ => None,
        }
    }
}

/// The name of a process's socket.
fn address(process: u32) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("ocr-checkpoint-{process}"))
}

/// Who is at the other end.
fn peer(stream: &UnixStream) -> io::Result<libc::ucred> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut len = size_of::<libc::ucred>() as libc::socklen_t;
    let (level, option) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
    // SAFETY: both addresses are of variables, and `len` has the size of the first.
    let done = unsafe { libc::getsockopt(stream.as_raw_fd(), level, option, (&raw mut peer).cast(), &raw mut len) };
    if done == 0 { Ok(peer) } else { Err(io::Error::last_os_error()) }
}

/// Starts the thread that listens, and returns the system's number of it. The thread that makes checkpoints gets, from
/// `requests`, where each answer goes. A request that it drops without the last one ends with the run.
pub(super) fn listen(requests: Sender<Sender<CheckpointAnswer>>, maker: Thread) -> io::Result<libc::pid_t> {
    let (tell, told) = channel();
    let work = move |own: io::Result<()>| {
        let begun = own.and_then(|()| UnixListener::bind_addr(&address(std::process::id())?));
        match begun {
            Ok(listener) => {
                // SAFETY: `gettid` has no preconditions.
                let _ = tell.send(Ok(unsafe { libc::gettid() }));
                serve(&listener, &requests, &maker);
            }
            Err(error) => drop(tell.send(Err(error))),
        }
    };
    // It is not waited for: it ends with the first request behind the run, or with the process.
    drop(apart::spawn("asked", Kept::Nothing, work)?);
    told.recv().unwrap_or_else(|gone| Err(io::Error::other(gone)))
}

/// Serves all who ask, until the run has ended.
fn serve(listener: &UnixListener, requests: &Sender<Sender<CheckpointAnswer>>, maker: &Thread) {
    // SAFETY: `geteuid` has no preconditions.
    let own = unsafe { libc::geteuid() };
    loop {
        let Ok((mut stream, _)) = listener.accept() else {
            // The system has no memory, or no file, for the moment.
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        if !peer(&stream).is_ok_and(|peer| [0, own].contains(&peer.uid)) {
            continue;
        }
        let (answer, answers) = channel();
        if requests.send(answer).is_err() {
            return;
        }
        maker.unpark();
        for answer in answers {
            // Who asks may have gone. Signals are blocked here.
            if stream.write_all(&answer.to_bytes()).is_err() {
                break;
            }
        }
    }
}

/// Asks a process for a checkpoint, and waits until that is there: its name. `note` gets why it takes long. The error
/// is for people.
pub fn ask_for_checkpoint(process: u32, mut note: impl FnMut(String)) -> Result<PathBuf, String> {
    let number = process.cast_signed();
    // SAFETY: the call takes numbers. The signal 0 is none: it asks whether another one might be sent.
    if unsafe { libc::kill(number, 0) } != 0 {
        let is_there = io::Error::last_os_error().raw_os_error() == Some(libc::EPERM);
        return Err(if is_there {
            format!("process {process} belongs to somebody else, who can ask for its checkpoint, as root can")
        } else {
            format!("there is no process {process}")
        });
    }
    let stream = address(process).and_then(|address| UnixStream::connect_addr(&address));
    let stream = stream.ok().filter(|stream| peer(stream).is_ok_and(|peer| peer.pid == number));
    let stream = stream.ok_or_else(|| why_silent(process))?;
    let mut last = String::new();
    for bytes in BufReader::new(stream).split(0) {
        match bytes.ok().and_then(|bytes| CheckpointAnswer::of(&bytes)) {
            Some(CheckpointAnswer::Made(path)) => return Ok(path),
            Some(CheckpointAnswer::Refused(why)) => {
                return Err(format!("process {process} makes no checkpoint: {why}"));
            }
            Some(CheckpointAnswer::Waits(why)) if last != why => {
                note(format!("the checkpoint of process {process} has to wait: {why}"));
                last = why;
            }
            Some(CheckpointAnswer::Waits(_)) => {}
            None => break,
        }
    }
    Err(format!("process {process}, or its run, has ended before the checkpoint was made"))
}

/// Why a process that is there does not listen.
fn why_silent(process: u32) -> String {
    let about = Path::new("/proc").join(process.to_string());
    let read = |name: &str| read_file(about.join(name)).unwrap_or_default();
    let status = read("status");
    if status.is_empty() || status.contains("\nState:\tZ") {
        return format!("process {process} has ended");
    }
    let mut threads = fs::read_dir(about.join("task")).into_iter().flatten().flatten();
    let is_worker = |name: String| name.starts_with("ocr-worker-");
    if threads.any(|thread| read_file(thread.path().join("comm")).is_ok_and(is_worker)) {
        format!(
            "process {process} makes no checkpoints: it was started without OCR_CHECKPOINT=DIR, or a warning at its \
             start says why. If it has just begun, ask again, and if it is in a container, ask there"
        )
    } else {
        format!("process {process} ({}) is no OCR program, or does not run yet", read("comm").trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        for answer in [
            CheckpointAnswer::Waits("an EDT takes long".into()),
            CheckpointAnswer::Made(OsStr::from_bytes(b"/a\n/b\xff").into()),
            CheckpointAnswer::Refused(String::new()),
        ] {
            let bytes = answer.to_bytes();
            let read = CheckpointAnswer::of(bytes.strip_suffix(&[0]).expect("its end"));
            assert_eq!(format!("{read:?}"), format!("{:?}", Some(answer)));
        }
        assert!(CheckpointAnswer::of(b"").is_none() && CheckpointAnswer::of(b"?").is_none());
    }
}
