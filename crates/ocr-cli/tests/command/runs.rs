//! Runs that are interrupted, that never end, that leave something in the background, or that print much.

use super::{ocr, script};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// An empty folder for what a test leaves, and one in it for temporary files.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("runs-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("tmp")).expect("target/ can be written");
    folder
}

/// A program that ends well a number of times, and then goes on without end in a shell of a shell, with a process that
/// leaves the group. The numbers of its processes are in the folder.
fn endless(name: &str, folder: &Path, good: usize, more: &str) -> String {
    let text = format!(
        "cd '{}'\necho x >>count\nif [ $(wc -l <count) -gt {good} ]; then\n\
         {more}\n\
         setsid sh -c 'echo $$ >left; exec sleep 100000' &\n\
         sh -c 'echo $$ >inner; sleep 100000; true' &\n\
         while [ ! -s left ] || [ ! -s inner ]; do sleep 0.02; done\n\
         echo $$ >outer\n\
         wait\nfi\n\
         echo seconds: 2; echo cost: 3\nreport 1",
        folder.display()
    );
    script(name, &text)
}

fn start(args: &[&str], folder: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ocr"));
    let heeds_signals = || {
        // SAFETY: the call takes a number and a disposition, and is allowed between fork and exec.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        Ok(())
    };
    // A shell has what it runs in the background ignore SIGINT, and these tests with it.
    // SAFETY: the closure makes one system call, and takes no lock and no memory.
    unsafe { command.pre_exec(heeds_signals) };
    command
        .args(args)
        .env("TMPDIR", folder.join("tmp"))
        .env("OCR_DEVICES", "none")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command can be started")
}

/// The number of a process, which it has written to a file.
fn number(folder: &Path, name: &str) -> Option<libc::pid_t> {
    fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok()
}

/// Whether a process is there that has not ended.
fn lives(process: libc::pid_t) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat"));
    status.is_ok_and(|text| !text.contains(") Z ") && !text.contains(") X "))
}

/// Checks that nothing is left of the endless program: no process, and no file.
fn nothing_is_left(folder: &Path) {
    for name in ["outer", "inner", "left"] {
        let process = number(folder, name).expect("it has begun");
        assert!(!lives(process), "{name} goes on");
    }
    let files: Vec<_> = fs::read_dir(folder.join("tmp")).expect("it is there").collect();
    assert!(files.is_empty(), "{files:?}");
}

#[test]
fn what_was_measured_is_shown_where_a_command_is_interrupted() {
    for (signal, name, status) in [(libc::SIGINT, "SIGINT", 130), (libc::SIGTERM, "SIGTERM", 143)] {
        // The second one does not end by the signal that asks it to.
        let more = if signal == libc::SIGTERM { "trap '' TERM" } else { "" };
        for (command, args) in
            [("compare", &["--policies=cpu", "--runs=9"][..]), ("tune", &["--vary=env:X=a,b,c", "--metric=cost"])]
        {
            let folder = folder(&format!("{command}-{name}"));
            let program = endless(&format!("endless-{command}-{name}"), &folder, 6, more);
            let args = [&[command], args, &[&program]].concat();
            let child = start(&args, &folder);
            while number(&folder, "outer").is_none() {
                sleep(Duration::from_millis(20));
            }
            // SAFETY: the call takes numbers.
            unsafe { libc::kill(child.id() as libc::pid_t, signal) };
            let output = child.wait_with_output().expect("it ends");
            let stdout = String::from_utf8_lossy(&output.stdout);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(status), "{stdout}{stderr}");
            let says = format!("Interrupted by {name} after 6 runs: what was measured until then is shown.");
            assert!(stdout.contains(&says), "no `{says}` in\n{stdout}{stderr}");
            let measured = if command == "tune" { "Best so far: X=" } else { "\ncpu" };
            assert!(stdout.contains(measured), "{stdout}");
            assert!(stderr.contains(&format!("interrupted by {name}")), "{stderr}");
            nothing_is_left(&folder);
        }
    }
}

#[test]
fn a_run_that_never_ends_counts_as_failed() {
    for (name, more) in [("asked", ""), ("killed", "trap '' TERM")] {
        let folder = folder(&format!("never-{name}"));
        let program = endless(&format!("never-{name}"), &folder, 0, more);
        let child = start(&["compare", "--policies=cpu", "--timeout=2", &program], &folder);
        let output = child.wait_with_output().expect("it ends");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{stdout}");
        assert!(stdout.contains("no end within 2.00 s"), "{stdout}");
        assert!(stdout.contains("--timeout says so; --timeout SECONDS gives it more"), "{stdout}");
        // It need not have come so far as to write its numbers.
        for name in ["outer", "inner", "left"] {
            assert!(number(&folder, name).is_none_or(|process| !lives(process)), "{name} goes on");
        }
    }
    // The others go on.
    let folder = folder("one-never");
    let log = folder.join("log").display().to_string();
    let text = format!("if [ $X = b ]; then sleep 100000; fi; echo $X >>'{log}'; echo cost: 5; report 1");
    let program = script("one-never", &text);
    ocr(&["tune", "--vary=env:X=a,b,c", "--metric=cost", "--timeout=5", &program], &[])
        .is(0, &["Left out: X=b: no end within 5.00 s:", "b fails."]);
    ocr(&["compare", "--help"], &[]).is(0, &["--timeout <SECONDS>", "20 times the longest run"]);
}

#[test]
fn what_a_run_leaves_in_the_background_is_not_waited_for() {
    let folder = folder("background");
    let file = folder.join("numbers");
    let text = format!("sleep 100000 & echo $! >>'{}'\necho seconds: 3\nreport 1", file.display());
    let program = script("background", &text);
    let child = start(&["compare", "--policies=cpu", "--runs=2", &program], &folder);
    let output = child.wait_with_output().expect("it ends");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("3.000"), "{stdout}");
    let numbers = fs::read_to_string(&file).expect("they were written");
    let numbers: Vec<libc::pid_t> = numbers.lines().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(numbers.len(), 3);
    for number in numbers {
        assert!(lives(number), "a program may leave a server for later runs");
        // SAFETY: the call takes numbers. The process is a child of the program above.
        unsafe { libc::kill(number, libc::SIGKILL) };
    }
    assert_eq!(fs::read_dir(folder.join("tmp")).expect("it is there").count(), 0);
}

#[test]
fn what_runs_print_goes_to_files() {
    let folder = folder("prints");
    // More than the command may have of memory, before the line that counts and behind it.
    let much = "head -c 150000000 /dev/zero | tr '\\0' x";
    let program = script("prints-much", &format!("{much}; echo; echo seconds: 4; {much}\nreport 1"));
    let limited =
        format!("ulimit -v 250000; exec '{}' compare --policies=cpu --runs=1 '{program}'", env!("CARGO_BIN_EXE_ocr"));
    let output =
        Command::new("sh").args(["-c", &limited]).env("TMPDIR", folder.join("tmp")).output().expect("there is a shell");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stdout.contains("4.000"), "{stdout}{stderr}");
    assert_eq!(fs::read_dir(folder.join("tmp")).expect("it is there").count(), 0);
}

/// Drivers of OpenCL, which the command asks for devices, change the environment of its process.
#[test]
fn runs_have_the_environment_of_the_command() {
    let folder = folder("environment");
    let library = folder.join("libchanges-variables.so");
    let built = Command::new(std::env::var("CC").unwrap_or("cc".into()))
        .args(["-std=gnu11", "-shared", "-fPIC", "tests/opening/changes-variables.c", "-o"])
        .arg(&library)
        .args(["-Wl,--no-as-needed", "-l:libOpenCL.so.1"])
        .current_dir(super::root())
        .status();
    if !built.expect("there is a C compiler").success() {
        eprintln!("not tested: the linker finds no libOpenCL.so.1");
        return;
    }
    let settings = [("OPENCL_DYLIB_PATH", library.to_str().expect("UTF-8"))];
    if ocr(&["info", "--require-device"], &settings).status != Some(0) {
        eprintln!("not tested: there is no OpenCL device");
        return;
    }
    let file = folder.join("variables");
    let program = script("environment", &format!("env >'{}'\necho seconds: 1\nreport 1", file.display()));
    let settings = [settings[0], ("KEPT", "as it was")];
    ocr(&["compare", "--policies=device", "--devices=all", "--runs=1", &program], &settings).is(0, &["1.000"]);
    let variables = fs::read_to_string(&file).expect("they were written");
    assert!(variables.contains("KEPT=as it was\n"), "{variables}");
    assert!(!variables.contains("OCL_ICD_FILENAMES="), "{variables}");
}
