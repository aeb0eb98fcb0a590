//! Checkpoints: runs that are killed go on from them, and what is no whole checkpoint of this program is refused.

mod support;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// A folder for one test, in which checkpoints are.
struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Place {
        let folder = support::root().join("target/checkpoint").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("target/ can be written");
        Place(folder)
    }

    /// Compiles a program, with more words for the compiler.
    fn program(&self, source: &str, words: &[&str]) -> PathBuf {
        let program = self.0.join(format!("program{}", words.len()));
        let built = support::compiler("CC", "cc")
            .args(["-std=gnu11", "-O2", "-Wall", "-Werror", "-Iinclude", "-Itests/c", "-Itests/checkpoint", "-o"])
            .arg(&program)
            .args(words)
            .args([source, "build/lib/libocr.a", "-lpthread", "-lm", "-ldl"])
            .current_dir(support::root())
            .status();
        assert!(built.expect("there is a C compiler").success());
        program
    }

    fn checkpoints(&self) -> PathBuf {
        self.0.join("checkpoints")
    }

    /// The names of checkpoints, in order.
    fn names(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.checkpoints()).into_iter().flatten();
        let mut names: Vec<PathBuf> = entries.map(|entry| entry.expect("a name").path()).collect();
        names.retain(|name| name.extension().is_some_and(|end| end == "ocr"));
        names.sort();
        names
    }

    /// A run with checkpoints, one each so many seconds where `every` says so; one that goes on if it is `restored`.
    fn command(&self, program: &Path, every: Option<&str>, restored: bool) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OCR_")) {
            command.env_remove(name);
        }
        command.env("OCR_MODELS", "off").env("OCR_DEVICES", "none").env("OCR_WORKERS", "2").current_dir(&self.0);
        let directory = self.checkpoints();
        if let Some(every) = every {
            command.env("OCR_CHECKPOINT", format!("{}{every}", directory.display()));
        }
        if restored {
            command.env("OCR_RESTORE", directory);
        }
        command
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn answer(command: &mut Command) -> Output {
    command.output().expect("the program can be started")
}

#[track_caller]
fn assert_ends(ran: &Output, stdout: &str) {
    assert_eq!((ran.status.code(), text(&ran.stdout).as_str()), (Some(0), stdout), "{}", text(&ran.stderr));
}

#[track_caller]
fn assert_killed(ran: &Output) {
    assert_eq!(ran.status.signal(), Some(libc::SIGKILL), "{}{}", text(&ran.stdout), text(&ran.stderr));
}

#[track_caller]
fn assert_says(ran: &Output, status: i32, words: &str) {
    let stderr = text(&ran.stderr);
    assert!(ran.status.code() == Some(status) && stderr.contains(words), "{:?}: {stderr}", ran.status);
}

const KINDS: &str = "tests/checkpoint/kinds.c";
const ENDED: &str = "all kinds have ended\n";

#[test]
fn objects_of_all_kinds_go_on() {
    let place = Place::new("kinds");
    let program = place.program(KINDS, &[]);
    for before in ["1", "2"] {
        let _ = fs::remove_dir_all(place.checkpoints());
        assert_killed(&answer(place.command(&program, Some(""), false).env("OCR_WORKERS", before)));
        assert_eq!(place.names().len(), 1);
        for (workers, retry) in [("1", "off"), ("2", "off"), ("3", "off"), ("2", "1")] {
            let mut command = place.command(&program, None, true);
            let ran = answer(command.env("OCR_WORKERS", workers).env("OCR_RETRY", retry));
            assert_ends(&ran, ENDED);
        }
    }
}

#[test]
fn what_is_no_checkpoint_of_this_program_is_refused() {
    let place = Place::new("refused");
    let program = place.program(KINDS, &[]);
    assert_says(&answer(&mut place.command(&program, None, true)), 2, "has no checkpoint: No such file");
    fs::create_dir(place.checkpoints()).expect("target/ can be written");
    assert_says(&answer(&mut place.command(&program, None, true)), 2, "has no checkpoint. Name the directory");
    assert_killed(&answer(&mut place.command(&program, Some(""), false)));
    let other = place.program(KINDS, &["-DOTHER=1", "-g"]);
    assert_says(&answer(&mut place.command(&other, None, true)), 1, "written by another build of ");
    let mut strict = place.command(&program, None, true);
    assert_says(&answer(strict.env("OCR_CHECK", "strict")), 2, "in strict mode");
    // Another version, with a checksum that is right.
    let name = &place.names()[0];
    let mut bytes = fs::read(name).expect("it is there");
    bytes[8] = 77;
    let end = bytes.len() - 16;
    let sum = u64::from(crc32fast::hash(&bytes[..end]));
    bytes[end + 8..].copy_from_slice(&sum.to_le_bytes());
    fs::write(name, bytes).expect("it can be written");
    assert_says(&answer(&mut place.command(&program, None, true)), 2, "it has version 77 of the format");
}

/// The options of a short run of the seismic example.
const SEISMIC: [&str; 6] = ["--width", "256", "--height", "256", "--iterations", "3000"];

fn checksum(ran: &Output) -> String {
    let stdout = text(&ran.stdout);
    let line = stdout.lines().find(|line| line.starts_with("checksum"));
    line.unwrap_or_else(|| panic!("{stdout}{}", text(&ran.stderr))).to_string()
}

/// Lets a run go on for some time and kills it. What it has said if it has ended before.
fn killed_after(mut run: Child, time: Duration) -> Option<Output> {
    thread::sleep(time);
    let ended = run.try_wait().expect("it is a child").is_some();
    run.kill().expect("it is a child");
    let ran = run.wait_with_output().expect("it is a child");
    ended.then_some(ran)
}

fn piped(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program can be started")
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_with_the_same_result() {
    let place = Place::new("killed");
    let program = place.program("examples/seismic.c", &[]);
    let whole = checksum(&answer(place.command(&program, None, false).args(SEISMIC)));
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut kills = 0;
    let (mut rounds, mut restores) = (0, 0);
    while kills < 20 || restores == 0 {
        let _ = fs::remove_dir_all(place.checkpoints());
        // One run, which is begun and goes on until it ends. It gets more time from kill to kill, so that it does.
        for most_us in (1..).map(|times| times * 50_000) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let restored = !place.names().is_empty();
            let mut command = place.command(&program, Some(":0.02"), restored);
            let workers = if random & 1 == 0 { "1" } else { "2" };
            // A run that began anew, without options, would have another result.
            let options: &[&str] = if restored { &[] } else { &SEISMIC };
            let run = piped(command.args(options).env("OCR_WORKERS", workers));
            if let Some(ran) = killed_after(run, Duration::from_micros(random % most_us)) {
                assert_eq!(checksum(&ran), whole, "after {kills} kills: {}", text(&ran.stderr));
                restores += usize::from(restored);
                break;
            }
            kills += 1;
        }
        rounds += 1;
    }
    eprintln!("{kills} kills in {rounds} runs, of which {restores} ended after a restore");
}

#[test]
fn the_checkpoint_before_a_damaged_one_is_used() {
    let place = Place::new("damaged");
    let program = place.program("examples/seismic.c", &[]);
    let ran = answer(place.command(&program, Some(":0.02"), false).args(SEISMIC));
    let whole = checksum(&ran);
    // The run's end may come between a checkpoint's writing and the removal of the one that it replaces.
    let mut names = place.names();
    assert!((2..=3).contains(&names.len()), "the last two stay: {names:?}");
    let newest = names.pop().expect("there are two");
    let last = fs::read(&newest).expect("it is there");
    let mut flipped = last.clone();
    flipped[last.len() / 2] ^= 4;
    let cases = [
        (&last[..last.len() / 2], "it is torn"),
        (&last[..last.len() - 1], "it is torn"),
        (&last[..5], "it ends in its first bytes"),
        (&[], "it ends in its first bytes"),
        (&flipped, "its checksum is wrong"),
    ];
    for (bytes, why) in cases {
        fs::write(&newest, bytes).expect("it can be written");
        let ran = answer(&mut place.command(&program, None, true));
        assert!(text(&ran.stderr).contains(why), "{}", text(&ran.stderr));
        assert_eq!(checksum(&ran), whole, "{why}");
    }
    for older in names {
        fs::write(older, &last[..100]).expect("it can be written");
    }
    assert_says(&answer(&mut place.command(&program, None, true)), 2, "no checkpoint that is whole");
}

#[test]
fn a_run_goes_on_where_its_checkpoint_cannot_be_written() {
    let place = Place::new("full");
    let program = place.program("examples/seismic.c", &[]);
    let whole = checksum(&answer(place.command(&program, None, false).args(SEISMIC)));
    // A limit of file size in place of a full disk: both are an error in the middle of the file.
    let mut limited = place.command(Path::new("sh"), Some(":0.02"), false);
    let ran = answer(limited.args(["-c", "ulimit -f 100; exec \"$@\"", "sh"]).arg(&program).args(SEISMIC));
    assert_eq!(checksum(&ran), whole);
    assert_says(&ran, 0, "cannot be written to ");
    assert_eq!(fs::read_dir(place.checkpoints()).expect("it is there").count(), 0, "nothing is left of it");
    fs::remove_dir(place.checkpoints()).expect("it is empty");
    fs::write(place.checkpoints(), "a file").expect("target/ can be written");
    let ran = answer(place.command(&program, Some(":0.02"), false).args(SEISMIC));
    assert_eq!(checksum(&ran), whole);
    assert_says(&ran, 0, "cannot be written to ");
}

#[test]
fn a_program_that_hangs_is_ended() {
    let place = Place::new("hang");
    let program = place.program("tests/checkpoint/hang.c", &[]);
    for (what, words) in [
        ("event", "the program hangs: no EDT is ready"),
        ("mutex", "the program hangs: every thread of the process waits"),
    ] {
        for every in ["", ":0.05"] {
            let mut command = place.command(&program, Some(every), false);
            let ran = answer(command.arg(what).env("OCR_PATIENCE", "1"));
            assert_says(&ran, 1, words);
        }
    }
}

#[test]
fn kernels_go_on() {
    if support::is_without_opencl() {
        return;
    }
    let place = Place::new("kernels");
    let program = place.program("tests/checkpoint/kernels.c", &[]);
    let opencl = |command: &mut Command, copies: &str| {
        answer(command.env("OCR_DEVICES", "all").env("OCR_DEVICE_FORCE_COPIES", copies))
    };
    for copies in ["0", "1"] {
        let _ = fs::remove_dir_all(place.checkpoints());
        let ran = opencl(&mut place.command(&program, Some(""), false), copies);
        if ran.status.code() == Some(77) {
            eprintln!("not tested: {}", text(&ran.stderr));
            return;
        }
        assert_killed(&ran);
        let ran = opencl(&mut place.command(&program, None, true), copies);
        assert_ends(&ran, "the kernels have run\n");
    }
}
