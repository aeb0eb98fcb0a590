//! The standard input of `ocr compare` and `ocr tune`: each run gets all of it.
//!
//! | standard input | what a run gets |
//! |---|---|
//! | a file, or a device such as `/dev/null` | the file, from where it stood when `ocr` was started |
//! | a pipe or a socket | a pipe with the bytes that have come, and with those that come while it runs |
//! | a terminal | nothing |
//!
//! Bytes from a pipe can be read once, so they are kept in a file for later runs. The pipe is read only as far as a run
//! wants it, so no run waits for the end of an input that it does not read.

use ocr_base::output_file::without_signals;
use ocr_base::text::Readable;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, PipeReader, PipeWriter, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// How many bytes of a pipe are kept at most.
const MOST: u64 = 4 << 30;

/// The standard input for all runs.
pub(crate) enum Input {
    /// Each run gets an empty input.
    None,
    /// Each run reads a file from this offset on, in bytes.
    File(File, u64),
    /// Each run gets the bytes of a pipe, which can be read once.
    Stream(Stream),
}

/// A pipe, and the bytes that have been read from it.
pub(crate) struct Stream {
    /// The pipe, which is read once.
    source: File,
    /// The file that has the bytes so far.
    kept: File,
    /// How many bytes have been read so far.
    length: u64,
    /// How many bytes are kept at most.
    most: u64,
    /// Whether the pipe has been read to its end.
    ended: bool,
}

/// The standard input of one run.
pub(crate) struct Given<'a> {
    /// The standard input, for [`std::process::Command::stdin`].
    pub(crate) stdin: Stdio,
    /// Writes to the standard input while the run goes on. None where nothing has to be written.
    pub(crate) feed: Option<Feed<'a>>,
}

/// Writes the bytes of a pipe to the standard input of a run.
pub(crate) struct Feed<'a> {
    stream: &'a mut Stream,
    to: PipeWriter,
}

impl Input {
    /// The standard input of this process, to be given to each run. The bytes of a pipe are kept in `folder`. The error
    /// is a text for the user.
    pub(crate) fn new(folder: &Path) -> Result<Input, String> {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            return Ok(Input::None);
        }
        let unusable = |error: io::Error| format!("the standard input cannot be used: {error}");
        let mut source = File::from(stdin.as_fd().try_clone_to_owned().map_err(unusable)?);
        match source.stream_position() {
            Ok(start) => Ok(Input::File(source, start)),
            Err(_) => Stream::new(source, folder, MOST).map(Input::Stream),
        }
    }

    /// The standard input of the next run.
    pub(crate) fn give(&mut self) -> io::Result<Given<'_>> {
        let (stdin, feed) = match self {
            Input::None => (Stdio::null(), None),
            Input::File(file, start) => {
                file.seek(SeekFrom::Start(*start))?;
                (file.try_clone()?.into(), None)
            }
            Input::Stream(stream) => {
                let (from, to) = io::pipe()?;
                set_nonblocking(to.as_fd())?;
                (from.into(), Some(Feed { stream, to }))
            }
        };
        Ok(Given { stdin, feed })
    }
}

impl Stream {
    fn new(source: File, folder: &Path, most: u64) -> Result<Stream, String> {
        let path = folder.join("input");
        let kept = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(|error| format!("{} cannot be made: {error}", Readable::path(&path)))?;
        // The system frees the file's memory when no process has it open any more, however the command ends.
        let _ = std::fs::remove_file(&path);
        Ok(Stream { source, kept, length: 0, most, ended: false })
    }

    /// Reads bytes that have come, into `place`, and keeps them. Returns how many. The error is a text for the user.
    fn read(&mut self, place: &mut [u8]) -> Result<usize, String> {
        let count = match self.source.read(place) {
            Ok(count) => count,
            // Another process may read the pipe, too, and have taken the bytes.
            Err(error) if is_passing(&error) => return Ok(0),
            Err(error) => return Err(format!("the standard input cannot be read: {error}")),
        };
        self.ended = count == 0;
        if self.length + count as u64 > self.most {
            return Err(format!(
                "the standard input has more than {} bytes, which is the most that is kept for several runs; have \
                 them read a file: < FILE",
                self.most
            ));
        }
        let kept = without_signals(|| self.kept.write_all_at(&place[..count], self.length));
        kept.map_err(|error| {
            format!(
                "the standard input cannot be kept for the next run: {error}; set TMPDIR to a folder with more room, or \
                 have the runs read a file: < FILE"
            )
        })?;
        self.length += count as u64;
        Ok(count)
    }
}

impl Feed<'_> {
    /// Writes to a run the bytes that it reads, until it has all, does not read any more, or has ended. The caller
    /// closes the other end of `ended` when the run has ended. The error is a text for the user.
    pub(crate) fn feed(mut self, ended: &PipeReader) -> Result<(), String> {
        let mut buffer = vec![0; 1 << 16];
        let (mut given, mut next, mut end) = (0, 0, 0);
        loop {
            if next == end {
                next = 0;
                end = match self.next(&mut buffer, given, ended)? {
                    Some(count) => count,
                    None => return Ok(()),
                };
                given += end as u64;
                continue;
            }
            match wait_for([ended.as_fd(), self.to.as_fd()], [libc::POLLIN, libc::POLLOUT], None) {
                [0, 0] => continue,
                [0, _] => {}
                _ => return Ok(()),
            }
            match self.to.write(&buffer[next..end]) {
                Ok(count) => next += count,
                Err(error) if is_passing(&error) => {}
                // The run does not read any more.
                Err(_) => return Ok(()),
            }
        }
    }

    /// Reads bytes that follow the first `given` ones, into `place`, and returns how many. These are 0 where none has
    /// come yet. None where the pipe has ended, or the run does not read any more.
    fn next(&mut self, place: &mut [u8], given: u64, ended: &PipeReader) -> Result<Option<usize>, String> {
        let stream = &mut *self.stream;
        if given < stream.length {
            let count = stream.kept.read_at(place, given);
            let count =
                count.map_err(|error| format!("what was kept of the standard input cannot be read: {error}"))?;
            return match count {
                0 => Err("what was kept of the standard input has gone".into()),
                count => Ok(Some(count)),
            };
        }
        if stream.ended {
            return Ok(None);
        }
        let files = [ended.as_fd(), self.to.as_fd(), stream.source.as_fd()];
        match wait_for(files, [libc::POLLIN, 0, libc::POLLIN], None) {
            [0, 0, 0] => Ok(Some(0)),
            [0, 0, _] => stream.read(place).map(Some),
            _ => Ok(None),
        }
    }
}

/// Whether a read or write that failed may work the next time.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Waits until one of the files is ready for its events, or has an end or an error, at most as long as `limit` says.
/// Returns for each file what it is ready for; all are 0 where the time is over, or a signal has ended the wait.
pub(crate) fn wait_for<const N: usize>(
    files: [BorrowedFd<'_>; N],
    events: [libc::c_short; N],
    limit: Option<Duration>,
) -> [libc::c_short; N] {
    let ms = limit.map_or(-1, |limit| {
        // Rounded up, so that no wait is shorter than it should be.
        libc::c_int::try_from(limit.as_millis() + 1).unwrap_or(libc::c_int::MAX)
    });
    let mut at = 0;
    let mut polled = files.map(|file| {
        at += 1;
        libc::pollfd { fd: file.as_raw_fd(), events: events[at - 1], revents: 0 }
    });
    // SAFETY: the address is that of an array with `N` elements, which the call may write. Their descriptors are
    // borrowed, so they stay open.
    unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, ms) };
    polled.map(|file| file.revents)
}

/// Lets writes to a file return at once where there is no room.
fn set_nonblocking(file: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: `F_SETFL` takes a number and no pointer, and the descriptor is borrowed, so it is open.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Folder;
    use std::os::fd::OwnedFd;
    use std::thread;

    fn stream(folder: &Folder, most: u64) -> (Input, PipeWriter) {
        let (from, to) = io::pipe().expect("a pipe");
        let source = File::from(OwnedFd::from(from));
        let stream = Stream::new(source, folder.path(), most).expect("the folder is new");
        (Input::Stream(stream), to)
    }

    /// The output of a command that is given the input, and the result of feeding it.
    fn run(input: &mut Input, words: &[&str]) -> (Vec<u8>, Result<(), String>) {
        let given = input.give().expect("a pipe");
        let (end, ended) = io::pipe().map(|(from, to)| (to, from)).expect("a pipe");
        thread::scope(|scope| {
            let feeding = given.feed.map(|feed| scope.spawn(|| feed.feed(&ended)));
            let mut command = std::process::Command::new(words[0]);
            command.args(&words[1..]).stdin(given.stdin).stdout(Stdio::piped());
            let child = command.spawn().expect("it is there");
            drop(command);
            let output = child.wait_with_output().expect("it ends");
            drop(end);
            let fed = feeding.map_or(Ok(()), |feeding| feeding.join().expect("no panic"));
            (output.stdout, fed)
        })
    }

    #[test]
    fn each_run_gets_all_of_a_pipe() {
        let folder = Folder::new().expect("a folder");
        let (mut input, mut to) = stream(&folder, MOST);
        let text: Vec<u8> = (0..300_000_u32).flat_map(u32::to_ne_bytes).collect();
        let writing = {
            let text = text.clone();
            thread::spawn(move || to.write_all(&text).expect("it is read"))
        };
        // One reads only the beginning, and one nothing.
        let (first, _) = run(&mut input, &["head", "-c", "100000"]);
        assert!(first == text[..100_000]);
        assert!(run(&mut input, &["true"]).1.is_ok());
        for _ in 0..2 {
            let (all, fed) = run(&mut input, &["cat"]);
            assert!(all == text && fed.is_ok(), "{} bytes, {fed:?}", all.len());
        }
        writing.join().expect("no panic");
    }

    #[test]
    fn an_input_that_nobody_reads_is_not_waited_for() {
        let folder = Folder::new().expect("a folder");
        let (mut input, _to) = stream(&folder, MOST);
        assert!(run(&mut input, &["true"]).1.is_ok());
    }

    #[test]
    fn too_much_is_told() {
        let folder = Folder::new().expect("a folder");
        let (mut input, mut to) = stream(&folder, 10);
        to.write_all(b"eleven byte").expect("there is room");
        drop(to);
        let message = run(&mut input, &["cat"]).1.expect_err("too much");
        assert!(message.contains("more than 10 bytes"), "{message}");
    }
}
