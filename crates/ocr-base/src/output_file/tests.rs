use super::signals::no_signals;
use super::*;
use std::fs::Permissions;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::{ptr, thread};

/// A folder for one test, which is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let name = format!("ocr-output-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).expect("it is new");
        Folder(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let listed = fs::read_dir(&self.0).expect("it is there").flatten();
        let names = listed.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn output(path: &Path) -> OutputFile {
    OutputFile::new(path).expect("it can be written")
}

#[test]
fn a_content_that_fails_leaves_the_old_one() {
    let folder = Folder::new("fails");
    let (one, other) = (folder.file("one"), folder.file("other"));
    fs::write(&one, "old").expect("it can be written");
    fs::hard_link(&one, &other).expect("the file system has further names");
    for path in [&one, &folder.file("new")] {
        let written = output(path).write(|out| {
            out.write_all(&[1; 100_000])?;
            Err::<(), _>(io::Error::other("the end"))
        });
        assert_eq!(written.expect_err("it fails").to_string(), "the end");
    }
    assert_eq!(fs::read(&one).expect("it is there"), b"old");
    assert_eq!(folder.names(), ["one", "other"]);
}

#[test]
fn a_file_that_is_mapped_while_it_grows_gets_its_name_early_if_nothing_is_lost() {
    let folder = Folder::new("early");
    let path = folder.file("plain");
    let new = output(&path).begin().expect("there is room");
    assert!(new.is_named_early());
    let mut file = new.finish().expect("it gets its name");
    file.write_all(b"content").expect("there is room");
    assert_eq!(fs::read(&path).expect("it is there"), b"content");
    // With a further name it is copied at the end.
    fs::hard_link(&path, folder.file("other")).expect("the file system has further names");
    let new = output(&path).begin().expect("there is room");
    assert!(!new.is_named_early());
    new.file().write_all(b"more").expect("there is room");
    new.finish().expect("it is copied");
    assert_eq!(fs::read(folder.file("other")).expect("it is there"), b"more");
    // And what is no plain file.
    let (mut from, to) = io::pipe().expect("a pipe");
    let name = format!("/dev/fd/{}", to.as_raw_fd());
    let piped = output(Path::new(&name));
    assert!(piped.plain().is_none() && piped.is_descriptor(to.as_raw_fd()));
    let new = piped.begin().expect("there is room");
    assert!(!new.is_named_early());
    new.file().write_all(b"piped").expect("there is room");
    new.finish().expect("it is copied");
    drop(to);
    let mut text = String::new();
    io::Read::read_to_string(&mut from, &mut text).expect("it has an end");
    assert_eq!(text, "piped");
    assert_eq!(folder.names(), ["other", "plain"]);
}

#[test]
fn what_is_cleared_is_removed_or_emptied() {
    let folder = Folder::new("cleared");
    let (plain, closed) = (folder.file("plain"), folder.file("closed"));
    let linked = folder.file("linked");
    fs::write(&plain, "old").expect("there is room");
    fs::write(&closed, "old").expect("there is room");
    fs::set_permissions(&closed, Permissions::from_mode(0o600)).expect("it is ours");
    fs::write(folder.file("target"), "old").expect("there is room");
    std::os::unix::fs::symlink("target", &linked).expect("it is new");
    for path in [&plain, &closed, &linked] {
        output(path).clear().expect("it is ours");
    }
    assert_eq!(folder.names(), ["closed", "linked", "target"]);
    for name in ["closed", "target"] {
        assert_eq!(fs::read(folder.file(name)).expect("it stays"), b"", "{name}");
    }
    let about = closed.metadata().expect("it stays");
    assert_eq!(about.mode() & 0o777, 0o600);
}

#[test]
fn a_new_file_takes_the_place_of_none_that_came_in_between() {
    let folder = Folder::new("new");
    let path = folder.file("new");
    let mine = output(&path).only_new();
    let yours = output(&path);
    yours.write(|out| out.write_all(b"yours")).expect("there is room");
    let refused = mine.write(|out| out.write_all(b"mine"));
    let error = refused.expect_err("it is there");
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).expect("it is there"), b"yours");
    assert_eq!(folder.names(), ["new"]);
}

#[test]
fn a_full_pipe_that_does_not_wait_is_waited_for() {
    let (mut from, to) = io::pipe().expect("a pipe");
    // SAFETY: with `F_SETFL`, `fcntl` gets a number and no pointer, and `to` owns the descriptor.
    unsafe { libc::fcntl(to.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    let piped = output(Path::new(&format!("/dev/fd/{}", to.as_raw_fd())));
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut from, &mut bytes).map(|_| bytes)
    });
    let content = vec![7; 1 << 20];
    piped.write(|out| out.write_all(&content)).expect("it is read");
    drop(to);
    assert!(reader.join().expect("no panic").expect("it is read") == content);
}

#[test]
fn nobody_at_the_end_of_a_pipe_is_an_error() {
    // As in a C program, where the signal ends the process.
    // SAFETY: no other test of this process sends the signal, nor wants it.
    let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let (from, to) = io::pipe().expect("a pipe");
    let piped = output(Path::new(&format!("/dev/fd/{}", to.as_raw_fd())));
    drop(from);
    let error = piped.write(|out| out.write_all(b"x")).expect_err("nobody reads");
    assert!(error.to_string().contains("nobody reads"), "{error}");
    // SAFETY: the handling is the one from before.
    unsafe { libc::signal(libc::SIGPIPE, before) };
}

#[test]
fn a_signal_of_the_program_stays() {
    let mut mine = no_signals();
    // SAFETY: the set is a variable, and the signal exists.
    unsafe { libc::sigaddset(&raw mut mine, libc::SIGXFSZ) };
    let mut before = no_signals();
    // SAFETY: both sets are variables.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const mine, &raw mut before) };
    // SAFETY: the thread is this one, and the signal is held back.
    unsafe { libc::raise(libc::SIGXFSZ) };
    without_signals(|| ());
    let mut left = no_signals();
    // SAFETY: the set is a variable.
    unsafe { libc::sigpending(&raw mut left) };
    // SAFETY: the set is a variable, and the signal exists.
    assert_eq!(
        // SAFETY: the set is a variable, which `sigpending` has written.
        unsafe { libc::sigismember(&raw const left, libc::SIGXFSZ) },
        1
    );
    // SAFETY: the set is a variable; no more of the signal is wanted.
    unsafe { libc::sigwaitinfo(&raw const mine, ptr::null_mut()) };
    // SAFETY: the set is a variable.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
}

#[test]
fn descriptors_of_work_apart_are_its_own() {
    let file = File::open("/dev/null").expect("it is there");
    let kept = file.as_raw_fd();
    // No other test has that number of files open.
    const FAR: RawFd = 977;
    apart(|| {
        // SAFETY: the call takes numbers. Outside of this thread nothing gets the second one.
        assert_eq!(unsafe { libc::dup2(kept, FAR) }, FAR);
        // SAFETY: the call takes a number. Outside of this thread the descriptor stays as it is.
        unsafe { libc::close(kept) };
    });
    assert!(is_open(kept));
    assert!(!is_open(FAR));
}
