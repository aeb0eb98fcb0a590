//! How `ocr compare` runs policies in turns, and what it makes of their times.

use super::{data, example, has_device, ocr, script};
use std::ffi::CStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program for comparisons: it logs under which policy it runs, and takes some seconds, by its own account, which are
/// the numbers of a policy one after the other, and then from the beginning.
fn in_turns(name: &str, seconds: &[(&str, &str)]) -> (String, PathBuf) {
    let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("command-log-{name}"));
    let _ = fs::remove_file(&log);
    let cases: Vec<String> = seconds.iter().map(|(policy, seconds)| format!("{policy}) set -- {seconds};;")).collect();
    let text = format!(
        "report 9\necho $OCR_SCHED >>'{0}'\ncase $OCR_SCHED in {1} esac\nshift $((($(grep -c $OCR_SCHED '{0}') - 1) % $#))\n\
         echo seconds: $1\necho count: $#",
        log.display(),
        cases.join(" ")
    );
    (script(name, &text), log)
}

#[test]
fn compare_lets_policies_take_turns_and_says_which_is_best() {
    if !has_device() {
        return;
    }
    let all = [("OCR_DEVICES", "all")];
    let seconds = [
        ("cpu", "9 4 4.4 4.2 4.1 4.3 4.25"),
        ("device", "9 8 6 7 6.5 7.5 7.2"),
        ("eager", "9 2.1 2.2 2 2.05 2.15 2.12"),
    ];
    let (program, log) = in_turns("turns", &seconds);
    let policies = "--policies=cpu,device,eager";
    let answer = ocr(&["compare", policies, "--runs=6", "--show=count", &program], &all).is(
        0,
        &[
            "\neager is best, at a confidence of 95 %: it is 2.00 times as fast as cpu (1.89 to 2.12 times), which\n  is the next",
            "over cpu",
        ],
    );
    assert!(answer.stdout.ends_with("OCR_SCHED=eager.\n"));
    assert_eq!(answer.stderr, "", "no terminal, no progress");
    // The times, and what else the run in the middle has shown.
    for (policy, row) in [
        ("cpu", "cpu 4.225 4.000..4.400 1.00 1.00 7 5 2.0 KiB 1 B 4"),
        ("device", "device 7.100 6.000..8.000 0.60 0.60 7 5 2.0 KiB 1 B 4"),
        ("eager", "eager 2.110 2.000..2.200 2.00 2.00 7 5 2.0 KiB 1 B 6"),
    ] {
        assert_eq!(answer.row(policy).join(" "), row, "{}", answer.stdout);
    }
    // Every second round of the measured runs goes backwards.
    let order = fs::read_to_string(&log).expect("the runs were logged");
    let forth = "cpu\ndevice\neager\n";
    let back = "eager\ndevice\ncpu\n";
    assert_eq!(order, [forth, &[forth, back].concat().repeat(3)].concat());
    // Half as long in the middle, and some runs are slower than some of the others: more runs are made, up to the
    // bound.
    let slow_and_fast = [("cpu", "4"), ("device", "1 2 5 1 5 1")];
    let (program, log) = in_turns("spread", &slow_and_fast);
    let args = ["compare", "--policies=cpu,device", &program];
    let answer = ocr(&args, &all)
        .is(0, &[])
        .has(&["device and cpu are not told apart by 20 runs of each, at a confidence of 95 %. Use OCR_SCHED=device."]);
    assert!(!answer.stdout.contains("best,"), "{}", answer.stdout);
    let runs = |log: &PathBuf| {
        let log = fs::read_to_string(log).expect("the runs were logged");
        log.lines().count()
    };
    assert_eq!(runs(&log), 2 * 21);
    // Equal policies: none is shown to be faster, and where runs hardly vary, no more are made than need be.
    let (program, log) = in_turns("equal", &[("cpu", "4 4.01 4.02"), ("device", "4.01 4 4.02")]);
    let args = ["compare", "--policies=cpu,device", &program];
    let answer = ocr(&args, &all).is(0, &[]);
    answer.has(&["are not told apart by 5 runs of each, at a confidence of 95 %. Use OCR_SCHED="]);
    assert_eq!(runs(&log), 2 * 6);
    // One that is shown to be slower is not run any more.
    let seconds = [("cpu", "9"), ("device", "1 2 3"), ("eager", "1.1 2.1 2.8")];
    let (program, log) = in_turns("leaves", &seconds);
    ocr(&["compare", policies, &program], &all)
        .is(0, &[])
        .has(&["The median of 5 to 20 runs each", "are the fastest, and not told apart by 20 runs of each"]);
    let order = fs::read_to_string(&log).expect("the runs were logged");
    let of = |policy: &str| order.lines().filter(|line| *line == policy).count();
    assert_eq!((of("cpu"), of("device"), of("eager")), (6, 21, 21));
    // So few runs tell nothing, however far the policies are apart.
    let (program, _) = in_turns("few", &[("cpu", "1"), ("device", "9")]);
    let args = ["compare", "--policies=cpu,device", "--runs=3", &program];
    let answer = ocr(&args, &all).is(0, &[]);
    answer.has(&["so few runs do not tell a difference from chance. Give --runs 4 or more."]);
    // Runs that print no seconds, or no number of seconds, are not compared with others.
    for (name, printed) in [("none", ":"), ("ms", "echo seconds: 9000 ms")] {
        let text = format!("report 9\nif [ $OCR_SCHED = cpu ]; then echo seconds: 1; else {printed}; fi");
        let program = script(&format!("form-{name}"), &text);
        let args = ["compare", "--policies=cpu,device", &program];
        let answer = ocr(&args, &all).is(1, &[]).has(&[
            "No policy is called best: in the line \"seconds: ...\" the program prints a number (first under cpu) and ",
        ]);
        let answer = answer.says(&["the times of the runs cannot be compared"]);
        assert!(!answer.stdout.contains("times as fast"), "{}", answer.stdout);
        assert_eq!(answer.row("device")[3], "-", "no speed-up\n{}", answer.stdout);
    }
    let program = script("form-alike", "report 9; echo seconds: 9000 ms");
    let args = ["compare", "--policies=cpu,device", &program];
    ocr(&args, &all).is(0, &[]).has(&[
        "seconds from the start of the runtime to its end",
        "of the program has no number alone, so it is not used",
    ]);
    // A policy fails in its second run, and is left out from there on.
    let log = log.with_extension("fails");
    let _ = fs::remove_file(&log);
    let text = format!(
        "echo $OCR_SCHED >>'{0}'\nif [ $OCR_SCHED$(grep -c cpu '{0}') = cpu2 ]; then exit 3; fi\nreport 1",
        log.display()
    );
    let program = script("fails-later", &text);
    let args = ["compare", "--policies=eager,cpu", &program];
    ocr(&args, &all)
        .is(1, &["Only the runs of eager ended well: there is nothing to compare with."])
        .says(&["the program failed under cpu"]);
    let order = fs::read_to_string(&log).expect("the runs were logged");
    assert!(order.starts_with("eager\ncpu\neager\ncpu\neager\neager\n"), "{order}");
    assert_eq!(order.matches("cpu").count(), 2);
    // Runs that differ in what they compute, or are all under one policy, say nothing about policies.
    let program = script("other-results", "report 1\necho sum: $OCR_SCHED");
    ocr(&["compare", policies, "--same=sum", &program], &all)
        .is(1, &["No policy is called best: sum differs between runs"]);
    let levenshtein = example("levenshtein");
    let (human, orangutan) = (data("human-mt.fa"), data("orangutan-mt.fa"));
    let args = ["compare", policies, "--", &levenshtein, "-ocr:sched=eager", "--quiet", &human, &orangutan];
    ocr(&args, &all).is(0, &["ran under eager instead", "No policy is called best: the program's arguments"]);
}

#[test]
fn compare_tells_all_runs_as_json() {
    let (program, _) = in_turns("json", &[("cpu", "9 3 1 2")]);
    let args = ["compare", "--json", "--policies=cpu", "--runs=3", "--show=count,none", "--same=none", &program];
    let answer = ocr(&args, &[]);
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).expect("it is JSON");
    answer.is(1, &[]).says(&["the program prints no line \"none: ...\""]);
    let policy = &json["policies"][0];
    assert_eq!(policy["policy"], "cpu");
    assert_eq!(policy["median"], 2.0);
    assert_eq!(policy["spread"], serde_json::json!([1.0, 3.0]));
    let seconds: Vec<f64> =
        (policy["runs"].as_array().expect("all runs").iter()).filter_map(|run| run["seconds"].as_f64()).collect();
    assert_eq!(seconds, [3.0, 1.0, 2.0]);
    let first = &policy["runs"][0];
    assert_eq!(first["shown"], serde_json::json!({"count": "3", "none": null}));
    assert_eq!(first["report"]["kernel_edts"], 5);
    assert_eq!(json["same"]["none"][0]["value"], serde_json::Value::Null);
    assert_eq!(json["verdict"]["use"], serde_json::Value::Null);
    let failed = ocr(&["compare", "--json", "--policies=cpu", &script("json-fails", "echo no >&2; exit 3")], &[]);
    let json: serde_json::Value = serde_json::from_str(&failed.stdout).expect("it is JSON");
    let how = serde_json::json!({"how": "failed (status 3)", "said": "no"});
    assert_eq!(json["policies"][0]["failure"], how);
    assert_eq!(json["verdict"], serde_json::Value::Null);
    failed.is(1, &[]);
}

#[test]
fn compare_says_how_near_a_recorded_run_is_to_the_bound() {
    let hello = example("finish");
    let args = ["compare", "--policies=cpu", "--runs=1", "--bounds", &hello];
    let answer = ocr(&args, &[]).is(0, &["bound", "that no schedule of the same EDTs"]);
    let row = answer.row("cpu");
    assert_eq!(row[4], "%", "{}", answer.stdout);
    let part: u32 = row[3].parse().expect("a number");
    assert!((1..=100).contains(&part), "{}", answer.stdout);
}

#[test]
fn a_recorded_run_that_takes_much_longer_is_named() {
    let hello = example("hello");
    for (seconds, is_slow) in [("9", true), ("4", false)] {
        let text = format!("{hello}\nif [ -n \"$OCR_TRACE\" ]; then echo seconds: {seconds}; else echo seconds: 3; fi");
        let program = script(&format!("slow-recording-{seconds}"), &text);
        let answer = ocr(&["compare", "--policies=cpu", "--runs=1", "--bounds", &program], &[]).is(0, &["Bound: "]);
        let said = answer.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(said.contains("cpu: the recorded run took 3.0 times as long"), is_slow, "{said}");
    }
}

#[test]
fn compare_writes_a_page_and_tells_the_same_as_json() {
    let finish = example("finish");
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compare.html");
    let _ = fs::remove_file(&file);
    let page = format!("--html={}", file.display());
    let args = ["compare", "--policies=cpu", "--runs=1", "--json", &page, &finish];
    let answer = ocr(&args, &[]).is(0, &[]);
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
    let recorded = &json["policies"][0]["recorded"];
    let place = &recorded["times"][0];
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let idle = place["idle"].as_object().expect("causes");
    assert_eq!(idle.len(), 6, "{place}");
    // Busy and idle time of all workers are their time.
    let sum = number(&place["busy"]) + idle.values().map(number).sum::<f64>();
    let all = number(&recorded["seconds"]) * number(&place["units"]);
    assert!(sum > 0.0 && (sum - all).abs() < 0.5 * all, "{recorded:#}");
    assert_eq!(recorded["moved"]["least"], 0);
    assert!(recorded["findings"].is_array() && json["reasons"]["why"].is_array());
    let text = fs::read_to_string(&file).expect("the page is there");
    let (_, data) = text.split_once("id=\"data\">").expect("there are data");
    let (data, _) = data.split_once("</script>").expect("they end");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data["runs"][0]["policy"], "cpu");
    assert!(data["runs"][0]["edts"].as_u64() > Some(1), "{data:#}");
    let verdict = json["verdict"]["text"].as_str().expect("a sentence");
    assert!(text.contains(verdict), "the page has another verdict than {verdict}");
    let nowhere = ["compare", "--policies=cpu", "--runs=1", "--html=/nonexistent/x.html", &finish];
    ocr(&nowhere, &[]).is(1, &[]).says(&["the page /nonexistent/x.html cannot be written"]);
}

#[test]
fn compare_shows_a_bar_on_a_terminal() {
    let (mut reader, terminal) = terminal();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ocr"));
    command
        .args(["compare", "--policies=cpu", &script("bar", "report 1")])
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::from(terminal));
    let mut child = command.spawn().expect("the command can be started");
    // It holds the terminal's other end, whose last close ends the reading.
    drop(command);
    let mut text = Vec::new();
    // Linux says EIO, and not an end, where no process has a terminal open any more.
    let _ = reader.read_to_end(&mut text);
    assert!(child.wait().expect("it ends").success());
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains("0/5") && text.contains("cpu: warm-up 1 of 1"), "{text:?}");
    assert!(text.trim_end().ends_with("\u{1b}[2K"), "nothing is left of it: {text:?}");
}

/// A terminal: what reads it, and what a program writes to. No program that another test starts gets either.
pub(super) fn terminal() -> (File, File) {
    let open = |path: &str| {
        let mut options = File::options();
        let options = options.read(true).write(true).custom_flags(libc::O_NOCTTY);
        options.open(path).expect("there are terminals")
    };
    let reader = open("/dev/ptmx");
    let mut name = [0; 64];
    // SAFETY: it takes no pointers.
    let unlocked = unsafe { libc::unlockpt(reader.as_raw_fd()) };
    // SAFETY: it writes to `name` alone, whose length it gets.
    let named = unsafe { libc::ptsname_r(reader.as_raw_fd(), name.as_mut_ptr(), name.len()) };
    assert_eq!((unlocked, named), (0, 0), "the terminal is ours");
    // SAFETY: the call before has written a text to `name`, with a zero at its end.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) };
    let terminal = open(name.to_str().expect("its name is plain"));
    (reader, terminal)
}
