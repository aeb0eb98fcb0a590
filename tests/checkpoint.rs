//! Checkpoints: runs that are killed go on from them, and what is no whole checkpoint of this program is refused. The
//! command `ocr` asks for one from outside, and has a run go on.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
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

/// `OCR_TEST_KILLS` is how many runs are killed at least (20).
#[test]
fn a_run_that_is_killed_again_and_again_ends_with_the_same_result() {
    let least = std::env::var("OCR_TEST_KILLS").map_or(20, |text| text.parse().expect("OCR_TEST_KILLS is a number"));
    let place = Place::new("killed");
    let program = place.program("examples/seismic.c", &[]);
    let whole = checksum(&answer(place.command(&program, None, false).args(SEISMIC)));
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut kills = 0;
    let (mut rounds, mut restores) = (0, 0);
    while kills < least || restores == 0 {
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

/// The first checkpoint has a block of 8 MiB whole; later ones have what has changed, and need the first one.
#[test]
fn what_an_earlier_checkpoint_has_is_not_written_again() {
    let place = Place::new("parts");
    let program = place.program("tests/checkpoint/parts.c", &[]);
    assert_killed(&answer(&mut place.command(&program, Some(""), false)));
    let lengths = |place: &Place| -> Vec<u64> {
        place.names().iter().map(|name| fs::metadata(name).expect("it is there").len()).collect()
    };
    let before = lengths(&place);
    let [first, rest @ ..] = &before[..] else { panic!("no checkpoint") };
    // One byte in 64 KiB was changed of the large block, and a small block.
    assert!(*first > 8 << 20 && rest.len() >= 2 && rest.iter().all(|len| *len < 256 << 10), "{before:?}");
    assert_ends(&answer(&mut place.command(&program, None, true)), "all bytes are right\n");
    // A run that goes on with checkpoints in the same directory refers to the same file.
    assert_ends(&answer(&mut place.command(&program, Some(":0.01"), true)), "all bytes are right\n");
    assert!(place.names().len() <= 12, "{:?}", place.names());

    // Where the first file is damaged, those that need it are, too.
    let name = &place.names()[0];
    let whole = fs::read(name).expect("it is there");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    fs::write(name, &flipped).expect("it can be written");
    let ran = answer(&mut place.command(&program, None, true));
    assert_says(&ran, 2, "it needs a part of checkpoint-000001.ocr, which has been changed since");
    assert_says(&ran, 2, "no checkpoint that is whole");
    fs::remove_file(name).expect("it is there");
    let ran = answer(&mut place.command(&program, None, true));
    assert_says(&ran, 2, "it needs checkpoint-000001.ocr, which cannot be read");
    // A run with such a directory writes all anew, and that is whole.
    let names = place.names();
    let last = names.last().and_then(|name| name.file_stem()?.to_str()?.strip_prefix("checkpoint-"));
    let last = last.expect("there are some left");
    assert_killed(&answer(place.command(&program, Some(""), false).env("EARLIER", last)));
    assert_ends(&answer(&mut place.command(&program, None, true)), "all bytes are right\n");
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

const ASKED: &str = "tests/checkpoint/asked.c";

/// The command `ocr`, with these words.
fn ocr(place: &Place, words: &[&str]) -> Command {
    let mut command = place.command(&support::root().join("build/bin/ocr"), None, false);
    command.args(words);
    command
}

/// The command that asks a process for a checkpoint.
fn ask(place: &Place, process: u32) -> Command {
    ocr(place, &["checkpoint", &process.to_string()])
}

/// A program that has begun, and has told so.
struct Begun(Child);

impl Begun {
    fn new(command: &mut Command) -> Begun {
        let mut run = piped(command);
        let mut line = [0; 6];
        run.stdout.as_mut().expect("it is piped").read_exact(&mut line).expect("it begins");
        assert_eq!(&line, b"begun\n");
        Begun(run)
    }

    fn id(&self) -> u32 {
        self.0.id()
    }

    fn kill(mut self) {
        self.0.kill().expect("it is a child");
        self.0.wait().expect("it is a child");
    }

    /// Has it end.
    fn end(self, place: &Place) -> Output {
        place.write("end");
        self.0.wait_with_output().expect("it is a child")
    }
}

impl Place {
    fn write(&self, name: &str) {
        fs::write(self.0.join(name), "").expect("target/ can be written");
    }
}

/// A command that asks a program whose EDT takes long, and waits since then.
fn waits(place: &Place, process: u32) -> Child {
    let mut asks = piped(&mut ask(place, process));
    let mut line = String::new();
    BufReader::new(asks.stderr.as_mut().expect("it is piped")).read_line(&mut line).expect("it is text");
    assert!(line.ends_with("has to wait: an EDT takes long\n"), "{line}");
    asks
}

/// That the command has printed the name of a checkpoint that is there.
#[track_caller]
fn assert_made(ran: &Output) -> PathBuf {
    assert!(ran.status.success(), "{:?}: {}", ran.status, text(&ran.stderr));
    let made = PathBuf::from(text(&ran.stdout).trim_end());
    assert_eq!(fs::read(&made).map(|bytes| bytes[..8].to_vec()).ok().as_deref(), Some(&b"OCRCHECK"[..]), "{made:?}");
    made
}

#[test]
fn a_program_that_is_asked_makes_a_checkpoint_and_goes_on_from_it() {
    let place = Place::new("asked");
    let program = place.program(ASKED, &[]);
    for every in ["", ":1000"] {
        let run =
            Begun::new(place.command(&program, Some(every), false).args(["two  words", "-ocr:workers", "1", "x"]));
        // At once, one after the other, and at the same time.
        assert_made(&answer(&mut ask(&place, run.id())));
        let last = assert_made(&answer(&mut ask(&place, run.id())));
        assert_eq!(place.names().last(), Some(&last));
        let asks = [0; 4].map(|_| piped(&mut ask(&place, run.id())));
        for ran in asks.map(|asks| asks.wait_with_output().expect("it is a child")) {
            assert!(ran.status.success(), "{}", text(&ran.stderr));
        }
        run.kill();
        place.write("end");
        assert_ends(&answer(&mut ocr(&place, &["restore", "checkpoints"])), "ended with two  words x\n");
        let given = ["restore", "checkpoints", "--", "-ocr:workers=1", "y"];
        assert_ends(&answer(&mut ocr(&place, &given)), "ended with -ocr:workers=1 y\n");
        fs::remove_file(place.0.join("end")).expect("it is there");
    }
}

#[test]
fn checkpoints_that_are_asked_for_come_beside_others() {
    let place = Place::new("beside");
    let program = place.program(ASKED, &[]);
    let run = Begun::new(&mut place.command(&program, Some(":0.001"), false));
    for _ in 0..20 {
        let ran = answer(&mut ask(&place, run.id()));
        assert!(ran.status.success() && text(&ran.stdout).ends_with(".ocr\n"), "{}", text(&ran.stderr));
    }
    assert_ends(&run.end(&place), "ended with\n");
}

#[test]
fn who_asks_waits_for_a_long_edt() {
    let place = Place::new("long");
    let program = place.program(ASKED, &[]);
    let run = Begun::new(place.command(&program, Some(""), false).arg("long"));
    let first = waits(&place, run.id());
    // While the first is on its way.
    let second = piped(&mut ask(&place, run.id()));
    place.write("go");
    for asks in [first, second] {
        assert_made(&asks.wait_with_output().expect("it is a child"));
    }
    assert_ends(&run.end(&place), "ended with long\n");
}

#[test]
fn who_asks_and_goes_keeps_nobody() {
    let place = Place::new("goes");
    let program = place.program(ASKED, &[]);
    let run = Begun::new(place.command(&program, Some(""), false).arg("long"));
    let mut gone = waits(&place, run.id());
    gone.kill().expect("it is a child");
    gone.wait().expect("it is a child");
    let next = piped(&mut ask(&place, run.id()));
    place.write("go");
    assert_made(&next.wait_with_output().expect("it is a child"));
    assert_ends(&run.end(&place), "ended with long\n");
}

#[test]
fn who_asks_is_told_that_the_program_has_ended() {
    let place = Place::new("ends");
    let program = place.program(ASKED, &[]);
    let long = || Begun::new(place.command(&program, Some(""), false).arg("long"));
    let says = "or its run, has ended before the checkpoint was made";
    let run = long();
    let asks = waits(&place, run.id());
    run.kill();
    assert_says(&asks.wait_with_output().expect("it is a child"), 1, says);
    // The run ends in the EDT that was waited for.
    let run = long();
    let asks = waits(&place, run.id());
    place.write("end");
    place.write("go");
    assert_ends(&run.end(&place), "ended with long\n");
    assert_says(&asks.wait_with_output().expect("it is a child"), 1, says);
}

#[test]
fn a_checkpoint_that_cannot_be_made_is_refused_with_a_reason() {
    let place = Place::new("refuses");
    let program = place.program(ASKED, &[]);
    let run = Begun::new(place.command(&program, Some(""), false).arg("file"));
    assert_says(&answer(&mut ask(&place, run.id())), 1, "makes no checkpoint: a file is open (ocrFileOpen)");
    run.kill();
    // The folder goes, and comes again as another thing.
    let run = Begun::new(&mut place.command(&program, Some(""), false));
    assert_made(&answer(&mut ask(&place, run.id())));
    fs::remove_dir_all(place.checkpoints()).expect("it is there");
    assert_made(&answer(&mut ask(&place, run.id())));
    fs::remove_dir_all(place.checkpoints()).expect("it is there");
    fs::write(place.checkpoints(), "a file").expect("target/ can be written");
    assert_says(&answer(&mut ask(&place, run.id())), 1, "makes no checkpoint: it cannot be written to ");
    fs::remove_file(place.checkpoints()).expect("it is there");
    assert_made(&answer(&mut ask(&place, run.id())));
    run.kill();
    let run = Begun::new(&mut place.command(&program, None, false));
    assert_says(&answer(&mut ask(&place, run.id())), 1, "it was started without OCR_CHECKPOINT=DIR");
    run.kill();
    let mut strict = place.command(&program, Some(""), false);
    let run = Begun::new(strict.env("OCR_CHECK", "strict"));
    assert_says(&answer(&mut ask(&place, run.id())), 1, "or a warning at its start says why");
    run.kill();
}

#[test]
fn who_makes_no_checkpoints_is_told_apart() {
    let place = Place::new("others");
    assert_says(&answer(&mut ocr(&place, &["checkpoint", "0"])), 2, "0 is not in 1..");
    let mut other = Command::new("cat").stdin(Stdio::piped()).spawn().expect("there is a cat");
    let stat = format!("/proc/{}/stat", other.id());
    let until = |says: &str| {
        while !fs::read_to_string(&stat).expect("it is a child").contains(says) {
            thread::yield_now();
        }
    };
    until("(cat)");
    assert_says(&answer(&mut ask(&place, other.id())), 1, "(cat) is no OCR program");
    // Its end is seen, but nobody has waited for it.
    drop(other.stdin.take());
    until(") Z ");
    assert_says(&answer(&mut ask(&place, other.id())), 1, " has ended");
    other.wait().expect("it is a child");
    assert_says(&answer(&mut ask(&place, other.id())), 1, "there is no process ");
    // SAFETY: `geteuid` has no preconditions.
    let is_root = unsafe { libc::geteuid() } == 0;
    let mut asks = ask(&place, 1);
    if is_root {
        asks.uid(65534);
    }
    match asks.output() {
        Ok(ran) => assert_says(&ran, 1, "process 1 belongs to somebody else"),
        Err(error) => eprintln!("not tested as another user: {error}"),
    }
}

#[test]
fn what_cannot_be_restored_is_said() {
    let place = Place::new("restores");
    let restored = || answer(&mut ocr(&place, &["restore", "checkpoints"]));
    assert_says(&restored(), 1, "checkpoints has no checkpoint: No such file");
    fs::create_dir(place.checkpoints()).expect("target/ can be written");
    assert_says(&restored(), 1, "checkpoints has no checkpoint. Name the directory");
    let program = place.program(ASKED, &[]);
    let run = Begun::new(&mut place.command(&program, Some(""), false));
    let older = assert_made(&answer(&mut ask(&place, run.id())));
    let newer = assert_made(&answer(&mut ask(&place, run.id())));
    place.write("end");
    run.kill();
    // The warning comes once, by the program.
    fs::write(&newer, &fs::read(&newer).expect("it is there")[..100]).expect("it can be written");
    let ran = restored();
    assert_ends(&ran, "ended with\n");
    assert_eq!(text(&ran.stderr).matches("it is torn").count(), 1, "{}", text(&ran.stderr));
    // A signal meets the program.
    fs::remove_file(place.0.join("end")).expect("it is there");
    let mut killed = piped(&mut ocr(&place, &["restore", "checkpoints"]));
    while fs::read_link(format!("/proc/{}/exe", killed.id())).ok().as_ref() != Some(&program) {
        assert!(killed.try_wait().expect("it is a child").is_none(), "it has ended before");
    }
    killed.kill().expect("it is a child");
    assert_killed(&killed.wait_with_output().expect("it is a child"));
    fs::rename(place.program(ASKED, &["-DOTHER=1", "-g"]), &program).expect("target/ can be written");
    assert_says(&restored(), 1, "written by another build of ");
    fs::remove_file(&program).expect("it is there");
    assert_says(&restored(), 1, "is of a program that is not there: ");
    fs::write(&older, "").expect("it can be written");
    assert_says(&restored(), 1, "no checkpoint that is whole");
}
