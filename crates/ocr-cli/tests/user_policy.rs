//! Policies of users: files that `OCR_SCHED`, `ocr compare`, `ocr simulate` and `ocr tune` load. The policy is the
//! example `examples/policy/fastest.c`, and `user_policy/wrong.c` has policies that are wrong.

#[path = "../../../tests/support/mod.rs"]
mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Settings of runs in which the example has a choice between a worker and a device.
const BOTH_PLACES: [(&str, &str); 4] =
    [("OCR_DEVICES", "all"), ("OCR_WORKERS", "1"), ("POCL_MAX_PTHREAD_COUNT", "1"), ("OCR_MODELS", "off")];

/// A new folder for what one test builds and writes.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(ROOT).join("target/user-policy-tests").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target/ can be written");
    folder
}

/// A command in a folder, with no settings of the runtime but those that are given.
fn output(folder: &Path, program: impl AsRef<OsStr>, words: &[&str], settings: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.as_bytes().starts_with(b"OCR_") {
            command.env_remove(name);
        }
    }
    command.args(words).envs(settings.iter().copied()).current_dir(folder);
    command.output().expect("it can be started")
}

fn ocr(folder: &Path, words: &[&str], settings: &[(&str, &str)]) -> (i32, String, String) {
    said(output(folder, env!("CARGO_BIN_EXE_ocr"), words, settings))
}

fn said(output: Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| {
        // Lines are broken where they are full.
        let text = String::from_utf8_lossy(bytes);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let status = output.status.code().expect("it exits");
    (status, text(&output.stdout), text(&output.stderr))
}

/// Compiles a C file into the folder.
fn compile(folder: &Path, name: &str, source: &str, words: &[&str]) {
    let built = support::compiler("CC", "cc")
        .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-o"])
        .arg(folder.join(name))
        .arg(source)
        .args(words)
        .current_dir(ROOT)
        .status();
    assert!(built.expect("there is a C compiler").success(), "{source}");
}

fn compile_policy(folder: &Path, name: &str, source: &str, words: &[&str]) {
    compile(folder, name, source, &[&["-shared", "-fPIC", "-fvisibility=hidden"], words].concat());
}

/// The program `variants` and the policy `fastest.so`, in a folder of their own.
fn with_example(test: &str) -> PathBuf {
    let folder = folder(test);
    let libraries = ["build/lib/libocr.a", "-lpthread", "-lm", "-ldl"];
    compile(&folder, "variants", "benches/c/variants.c", &libraries);
    compile_policy(&folder, "fastest.so", "examples/policy/fastest.c", &[]);
    folder
}

fn wrong(folder: &Path, name: &str) -> String {
    let file = format!("{name}.so");
    let define = format!("-DWRONG_{}", name.to_uppercase());
    compile_policy(folder, &file, "crates/ocr-cli/tests/user_policy/wrong.c", &[&define]);
    format!("./{file}")
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A run under the policy keeps its promise: each EDT ran once, in both places, and the recording names the policy.
#[test]
fn a_run_under_a_policy_of_a_user_is_recorded_explained_and_simulated() {
    if support::is_without_opencl() {
        return;
    }
    let folder = with_example("run");
    let words = ["wavefront", "10", "200000", "200000", "2"];
    for check in ["off", "strict"] {
        let settings = [
            ("OCR_SCHED", "./fastest.so"),
            ("OCR_REPORT", "report.json"),
            ("OCR_TRACE", "run.trace"),
            ("OCR_CHECK", check),
        ];
        let _ = fs::remove_file(folder.join("report.json"));
        let settings = [&BOTH_PLACES[..], &settings].concat();
        let (status, _, errors) = said(output(&folder, folder.join("variants"), &words, &settings));
        assert_eq!(status, 0, "{errors}");
        let report = json(&fs::read_to_string(folder.join("report.json")).expect("a report"));
        assert_eq!(report["policy"], "./fastest.so", "{report:#}");
        // How many ran where follows from the first times that were measured, which a busy machine makes long.
        let variants = report["variants"].as_array().expect("variants").iter();
        let computed: Vec<_> = variants.filter(|its| its["template"] == "compute").collect();
        assert_eq!(computed.len(), 2, "{report:#}");
        let edts = |its: &&serde_json::Value| its["edts"].as_u64().expect("a number");
        assert_eq!(computed.iter().map(edts).sum::<u64>(), 200, "{report:#}");
    }
    let (status, text, errors) = ocr(&folder, &["explain", "run.trace"], &[]);
    assert!(status == 0 && text.contains("policy ./fastest.so"), "{text}{errors}");
    // The policies of the runtime, and that of the recording where it is asked for.
    let (status, text, errors) = ocr(&folder, &["simulate", "run.trace"], &[]);
    assert!(status == 0 && text.contains("recorded (./fastest.so)"), "{text}{errors}");
    assert!(text.contains("With --policy ./fastest.so, and without"), "{text}");
    let words = ["simulate", "run.trace", "--policy", "cpu,device,./fastest.so,eft", "--json"];
    let (status, text, errors) = ocr(&folder, &words, &[]);
    assert_eq!(status, 0, "{errors}");
    let answer = json(&text);
    let rows = answer["simulated"].as_array().expect("rows");
    assert_eq!(rows[2]["policy"], "./fastest.so");
    let seconds = |row: usize| rows[row]["seconds"].as_f64().expect("a number");
    // Under `cpu` the workers would have both cores.
    assert!(seconds(2) < 1.2 * seconds(1), "{answer:#}");
    assert!(answer["off"].is_number(), "{answer:#}");
    assert_eq!(ocr(&folder, &words, &[]), (0, text, errors), "nothing is random");
    let words = ["simulate", "run.trace", "--policy", "./fastest.so", "--explain"];
    let (status, text, errors) = ocr(&folder, &words, &[]);
    assert!(status == 0 && text.contains("under ./fastest.so, simulated"), "{text}{errors}");
    // What a recording names is not loaded, since the recording may be another person's: this file would end the
    // command.
    fs::write(
        folder.join("ends.c"),
        "#include <unistd.h>\n__attribute__((constructor)) static void end(void) { _exit(9); }\n",
    )
    .expect("a file");
    let source = folder.join("ends.c").display().to_string();
    compile_policy(&folder, "fastest.so", &source, &[]);
    for command in ["simulate", "explain"] {
        let (status, _, errors) = ocr(&folder, &[command, "run.trace"], &[]);
        assert_eq!(status, 0, "{command}: {errors}");
    }
    // A file that is gone is not missed, unless somebody asks for it.
    fs::remove_file(folder.join("fastest.so")).expect("it was there");
    let (status, _, errors) = ocr(&folder, &["simulate", "run.trace"], &[]);
    assert_eq!(status, 0, "{errors}");
    let (status, _, errors) = ocr(&folder, &["explain", "run.trace"], &[]);
    assert_eq!(status, 0, "{errors}");
    let words = ["simulate", "run.trace", "--policy", "./fastest.so"];
    let (status, _, errors) = ocr(&folder, &words, &[]);
    assert!(status == 2 && errors.contains("there is no file ./fastest.so"), "{errors}");
}

#[test]
fn policies_of_users_are_compared_and_tuned() {
    if support::is_without_opencl() {
        return;
    }
    let folder = with_example("compare");
    let program = ["--", "./variants", "independent", "32", "100000", "100000", "2"];
    let words = ["compare", "--runs", "1", "--policies", "cpu,./fastest.so"];
    let words = [&words[..], &program].concat();
    let (status, text, errors) = ocr(&folder, &words, &BOTH_PLACES);
    assert_eq!(status, 0, "{text}{errors}");
    assert!(text.contains("./fastest.so"), "{text}");
    assert!(!text.contains("another policy"), "{text}");
    let words = ["compare", "--bounds", "--runs", "1", "--json", "--policies", "cpu,./fastest.so"];
    let words = [&words[..], &program].concat();
    let (status, text, errors) = ocr(&folder, &words, &BOTH_PLACES);
    assert_eq!(status, 0, "{text}{errors}");
    let answer = json(&text);
    assert_eq!(answer["policies"][1]["policy"], "./fastest.so", "{answer:#}");
    let words = ["tune", "--vary", "policy=cpu,./fastest.so", "--runs-budget", "18"];
    let (status, text, errors) = ocr(&folder, &[&words[..], &program].concat(), &BOTH_PLACES);
    assert!(status == 0 && text.contains("./fastest.so"), "{text}{errors}");
    let words = ["compare", "--policies", "cpu,./nowhere.so"];
    let (status, _, errors) = ocr(&folder, &[&words[..], &program].concat(), &BOTH_PLACES);
    assert!(status == 2 && errors.contains("--policies: there is no file ./nowhere.so"), "{errors}");
}

/// What is wrong with a file is said before the program begins, with the whole name of the file.
#[test]
fn wrong_files_are_refused() {
    let folder = folder("wrong-files");
    let libraries = ["build/lib/libocr.so", "-Wl,-rpath,build/lib"];
    let libraries = [&libraries[..], &["-lpthread"]].concat();
    compile(&folder, "hello", "examples/hello.c", &libraries);
    fs::write(folder.join("text.so"), "no library").expect("it can be written");
    let numbers = wrong(&folder, "numbers");
    for (policy, why) in [
        ("./nowhere.so", "there is no file "),
        ("./", "is no file"),
        ("./text.so", "cannot be loaded: "),
        (&wrong(&folder, "name"), "defines no ocrPolicy"),
        (&wrong(&folder, "version"), "is of version 2 of the interface, and this runtime has version 1"),
        (&wrong(&folder, "null"), "has no function `choose`: it is NULL"),
        (&numbers, "refuses to begin without numbers"),
        (&format!("{numbers}:6"), "refuses the numbers 6"),
        (&format!("{numbers}:seven"), "numbers alone may follow the file"),
    ] {
        let settings = [("OCR_SCHED", policy), ("OCR_DEVICES", "none")];
        let library = format!("{ROOT}/build/lib");
        let settings = [&settings[..], &[("LD_LIBRARY_PATH", library.as_str())]].concat();
        let (status, text, errors) = said(output(&folder, folder.join("hello"), &[], &settings));
        assert!(status != 0 && text.is_empty(), "{policy}: {status} {text}");
        let begins = errors.starts_with("ocr: error: $OCR_SCHED: ");
        assert!(begins && errors.contains(why), "{policy}: {errors}");
        let is_named = errors.contains(&folder.canonicalize().expect("a folder").display().to_string());
        assert!(is_named || policy.ends_with("seven"), "{policy}: {errors}");
    }
    // One that is right runs, from wherever the program goes.
    let library = format!("{ROOT}/build/lib");
    let settings = [("OCR_SCHED", &*format!("{numbers}:7")), ("OCR_DEVICES", "none"), ("LD_LIBRARY_PATH", &*library)];
    let (status, _, errors) = said(output(&folder, folder.join("hello"), &[], &settings));
    assert!(status == 0 && errors.is_empty(), "{errors}");
}

/// A policy that keeps EDTs is notified of the end of each, also where nothing asks how long they take.
#[test]
fn a_policy_is_told_of_each_end() {
    if support::is_without_opencl() {
        return;
    }
    let folder = with_example("counting");
    compile_policy(&folder, "counting.so", "crates/ocr-cli/tests/user_policy/counting.c", &[]);
    let settings = [&BOTH_PLACES[..], &[("OCR_SCHED", "./counting.so")]].concat();
    let words = ["independent", "40", "1000", "1000", "2"];
    let (status, _, errors) = said(output(&folder, folder.join("variants"), &words, &settings));
    assert!(status == 0 && errors.is_empty(), "{errors}");
}

/// An answer that cannot be followed ends the program with the name of the file and of the EDT.
#[test]
fn wrong_answers_end_the_program() {
    if support::is_without_opencl() {
        return;
    }
    let folder = with_example("wrong-answers");
    for (name, why) in [
        ("place", "chose place 9 (device 8) for EDT 0x"),
        ("kept", "answered OCR_POLICY_KEPT for EDT 0x"),
        ("forgets", "and gives them to no place, though none of its EDTs runs"),
    ] {
        let policy = wrong(&folder, name);
        let settings = [&BOTH_PLACES[..], &[("OCR_SCHED", &*policy)]].concat();
        let words = ["independent", "4", "1000", "1000", "1"];
        let (status, _, errors) = said(output(&folder, folder.join("variants"), &words, &settings));
        assert!(status != 0, "{errors}");
        let file = folder.canonicalize().expect("a folder").join(format!("{name}.so"));
        let begin = format!("ocr: error: the policy {} ", file.display());
        assert!(errors.contains(&begin) && errors.contains(why), "{errors}");
        assert!(name == "forgets" || errors.contains("(compute)"), "{errors}");
    }
}
