//! What `ocr` shows on a terminal: lines that fit it, devices that are written once, names without control characters,
//! and what shells complete.

use super::compare::terminal;
use super::{data, example, has_device, ocr, script};
use std::io::Read;
use std::process::{Command, Stdio};

/// What a command prints to a terminal that has this number of columns by `COLUMNS`.
fn shown(args: &[&str], columns: &str, settings: &[(&str, &str)]) -> String {
    let settings = [&[("COLUMNS", columns)], settings].concat();
    ocr(args, &settings).stdout
}

#[test]
fn lines_fit_the_terminal() {
    let program = script("narrow", "report 1; echo seconds: 2; echo distance: 123456");
    let all = [("OCR_DEVICES", "all")];
    let policies = if has_device() { "--policies=cpu,eft" } else { "--policies=cpu" };
    let compare = ["compare", policies, "--runs=4", "--show=distance", &program];
    let tune = ["tune", "--vary=workers=3,4", "--vary=env:ABCDEFGHIJKLMNOP=a,b", &program];
    let list: [&[&str]; 6] =
        [&["info"], &compare, &tune, &["models", "list"], &["tune", "--help"], &["compare", "--help"]];
    for args in list {
        for columns in [60, 80] {
            let text = shown(args, &columns.to_string(), &all);
            for line in text.lines() {
                let is_word = !line.trim().contains(' ');
                // A command line for a shell, and a path, stay whole.
                let is_whole = line.starts_with("Use: ") || line.contains('/') || is_word;
                assert!(line.chars().count() <= columns || is_whole, "{columns}: {line}\n{text}");
            }
        }
    }
    // The columns that do not fit stand below, beside the policy.
    let text = shown(&compare, "60", &all);
    let tables = text.lines().filter(|line| line.starts_with("policy "));
    assert!(tables.count() >= 2, "{text}");
    // Without a terminal, and without COLUMNS, a row is one line.
    let text = ocr(&compare, &all).stdout;
    assert_eq!(text.lines().filter(|line| line.starts_with("policy ")).count(), 1, "{text}");
}

#[test]
fn the_width_of_a_terminal_is_asked_for() {
    let (mut reader, terminal) = terminal();
    let size = libc::winsize { ws_row: 20, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the descriptor is open, and the address is that of the size that the call reads.
    let set = unsafe { libc::ioctl(std::os::fd::AsRawFd::as_raw_fd(&terminal), libc::TIOCSWINSZ, &raw const size) };
    assert_eq!(set, 0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ocr"));
    command
        .args(["compare", "--policies=cpu", "--runs=2", &script("asked", "report 1")])
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .stdout(Stdio::from(terminal))
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("the command can be started");
    // It holds the terminal's other end, whose last close ends the reading.
    drop(command);
    let mut text = Vec::new();
    let _ = reader.read_to_end(&mut text);
    assert!(child.wait().expect("it ends").success());
    let text = String::from_utf8_lossy(&text);
    assert!(text.lines().all(|line| line.trim_end().chars().count() <= 60), "{text}");
    assert!(text.contains("to devices"), "{text}");
}

#[test]
fn a_device_is_told_once() {
    if !has_device() {
        return;
    }
    let (human, orangutan) = (data("human-mt.fa"), data("orangutan-mt.fa"));
    let levenshtein = example("levenshtein");
    let args =
        ["compare", "--policies=device,eft", "--runs=1", "--bounds", "--", &levenshtein, "--quiet", &human, &orangutan];
    let json = ocr(&[&["compare", "--json"], &args[1..]].concat(), &[("OCR_DEVICES", "all")]).is(0, &[]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let devices = &json["policies"][0]["runs"][0]["report"]["devices"];
    let text = ocr(&args, &[("OCR_DEVICES", "all")]).is(0, &["Devices:"]).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for device in devices.as_array().expect("devices") {
        let name = device["name"].as_str().expect("a name");
        assert_eq!(text.matches(name).count(), 1, "{name} in\n{text}");
    }
}

#[test]
fn names_have_no_control_characters() {
    let program = script("clears", "report 1; printf 'sum: a\\033[2Jb\\007\\n'; printf '\\033[31mred\\n' >&2; exit $1");
    let args = ["compare", "--policies=cpu", "--runs=1", "--show=sum", "--same=sum", &program];
    let well = ocr(&[&args[..], &["0"]].concat(), &[]).is(0, &["a\\x1b[2Jb\\x07"]);
    let failed = ocr(&[&args[..], &["3"]].concat(), &[]).is(1, &["\\x1b[31mred"]);
    let vary = "--vary=env:X=\u{1b}[31m,\u{9b}a";
    let tuned = ocr(&["tune", vary, &script("control", "report 1")], &[]).is(0, &["X=$'\\x1b[31m'"]);
    let wrong = [
        ocr(&["compare", "--policies=\u{1b}[31m", "x"], &[]),
        ocr(&["compare", "--\u{1b}[31m", "x"], &[]),
        ocr(&["explain", "/nonexistent/\u{1b}[31m"], &[]),
        ocr(&["compare", "/nonexistent/\u{1b}[31m"], &[]),
    ];
    // What clap itself says of a value has no sequence that it knows.
    let clap = ocr(&["compare", "--runs=\u{7}\u{1b}[31m", "x"], &[]);
    let command = ocr(&["\u{9b}31m\u{1b}[31m"], &[]);
    for answer in wrong.iter().chain([&well, &failed, &tuned, &clap, &command]) {
        let all = format!("{}{}", answer.stdout, answer.stderr);
        assert!(!all.chars().any(|letter| letter.is_control() && letter != '\n'), "{all:?}");
    }
    for answer in &wrong {
        assert!(answer.stderr.contains("\\x1b[31m"), "{}", answer.stderr);
        assert_ne!(answer.status, Some(0));
    }
}

#[test]
fn completions_offer_policies() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("completions");
    std::fs::create_dir_all(&folder).expect("target/ can be written");
    ocr(&["generate", "completions", &folder.display().to_string()], &[]).is(0, &[]);
    let mut found = 0;
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if text.contains("--policies") && path.extension().is_none_or(|form| form != "1") {
                let all = ["eft", "cpu", "device", "static:1:1", "heteroprio"];
                found += usize::from(all.iter().all(|policy| text.replace("\\:", ":").contains(policy)));
            }
        }
    }
    assert!(found >= 2, "bash, zsh and fish");
}
