//! When a run opens OpenCL: not before a kernel is likely to be used, by what earlier runs have found and learned.

mod support;

use serde_json::Value;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A folder for one test, with a directory of models.
struct Place(PathBuf);

/// What a run has printed and reported.
struct Ran {
    status: Option<i32>,
    stdout: String,
    stderr: String,
    report: Value,
}

fn folder(name: &str) -> PathBuf {
    let folder = support::root().join("target/opening").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target/ can be written");
    folder
}

/// The program, compiled once, and models of a run of it that has found devices and built its kernel. None where there
/// is no CPU device alone.
fn prepared() -> Option<&'static (PathBuf, PathBuf)> {
    static PREPARED: OnceLock<Option<(PathBuf, PathBuf)>> = OnceLock::new();
    let prepare = || {
        let folder = folder("program");
        let program = folder.join("program");
        let built = support::compiler("CC", "cc")
            .args(["-std=gnu11", "-Wall", "-Werror", "-Iinclude", "-Itests/c", "-o"])
            .arg(&program)
            .args(["tests/opening/program.c", "build/lib/libocr.a", "-lpthread", "-lm", "-ldl"])
            .current_dir(support::root())
            .status();
        assert!(built.expect("there is a C compiler").success());
        let ran = run(&program, &folder.join("models"), "short", &[]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        assert!(ran.stdout.starts_with("added: open"), "nothing is known: {}", ran.stdout);
        let found = fs::read_to_string(folder.join("models/devices.json")).expect("it is kept");
        let is_cpu = found.contains("\"is_cpu\":true") && !found.contains("\"is_cpu\":false");
        is_cpu.then_some((program, folder.join("models")))
    };
    if support::is_without_opencl() {
        return None;
    }
    let prepared = PREPARED.get_or_init(prepare).as_ref();
    if prepared.is_none() {
        eprintln!("not tested: the only devices are no CPU devices");
    }
    prepared
}

/// Runs the program with this argument, this directory of models, and these settings.
fn run(program: &Path, models: &Path, mode: &str, settings: &[(&str, &str)]) -> Ran {
    let report = models.with_extension("json");
    let _ = fs::remove_file(&report);
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.as_bytes().starts_with(b"OCR_") {
            command.env_remove(name);
        }
    }
    command.arg(mode).env("OCR_MODELS", models).env("OCR_REPORT", &report).env("OCR_DEVICES", "all");
    let output = command.envs(settings.iter().copied()).output().expect("it can be started");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        status: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        report: fs::read(&report).map_or(Value::Null, |text| serde_json::from_slice(&text).expect("JSON")),
    }
}

impl Place {
    /// With the models of an earlier run.
    fn with_models(name: &str) -> Option<Place> {
        let (_, models) = prepared()?;
        let place = Place(folder(name));
        fs::create_dir(place.models()).expect("it is ours");
        for file in fs::read_dir(models).expect("it is there").flatten() {
            fs::copy(file.path(), place.models().join(file.file_name())).expect("it can be copied");
        }
        Some(place)
    }

    /// Without.
    fn fresh(name: &str) -> Option<Place> {
        prepared()?;
        Some(Place(folder(name)))
    }

    fn models(&self) -> PathBuf {
        self.0.join("models")
    }

    /// A run that ends well.
    fn run(&self, mode: &str, settings: &[(&str, &str)]) -> Ran {
        let (program, _) = prepared().expect("it was asked before");
        let ran = run(program, &self.models(), mode, settings);
        assert_eq!(ran.status, Some(0), "{mode}: {}{}", ran.stdout, ran.stderr);
        ran
    }
}

impl Ran {
    /// Whether OpenCL was open when the kernel was added, and at the end.
    fn is(&self, added: &str, end: &str) {
        let said = |when: &str| self.stdout.lines().find_map(|line| line.strip_prefix(when));
        assert_eq!((said("added: "), said("end: ")), (Some(added), Some(end)), "{}", self.stderr);
        assert_eq!(self.seconds("opening_seconds") > 0.0, end == "open", "{}", self.report);
    }

    fn seconds(&self, name: &str) -> f64 {
        self.report[name].as_f64().expect("it is reported")
    }

    fn kernels(&self) -> u64 {
        self.report["kernel_edts"].as_u64().expect("it is reported")
    }
}

const NO: &str = "not open";
const OPEN: &str = "open";

#[test]
fn functions_alone_open_nothing() {
    let Some(place) = Place::fresh("functions") else { return };
    place.run("functions", &[]).is(NO, NO);
    place.run("short", &[("OCR_SCHED", "cpu")]).is(NO, NO);
    place.run("short", &[("OCR_DEVICES", "none")]).is(NO, NO);
}

#[test]
fn kernels_that_an_earlier_run_has_not_needed_open_nothing() {
    let Some(place) = Place::with_models("short") else { return };
    let ran = place.run("short", &[("OCR_STATS", "1")]);
    ran.is(NO, NO);
    assert!(ran.stderr.contains("OpenCL was not opened: by what"), "{}", ran.stderr);
    place.run("short", &[("OCR_CHECK", "strict")]).is(NO, NO);
    place.run("short", &[("OCR_MODELS", "off")]).is(OPEN, OPEN);
}

#[test]
fn a_cpu_device_that_no_kernel_may_use_is_not_asked_for() {
    let Some(place) = Place::fresh("auto") else { return };
    let auto = [("OCR_DEVICES", "auto")];
    place.run("short", &auto).is(OPEN, OPEN);
    let ran = place.run("short", &auto);
    ran.is(NO, NO);
    let notes = ran.report["notes"].to_string();
    assert!(notes.contains("a CPU device is used only for kernels without a C function"), "{notes}");
    assert_eq!(place.run("kernel", &auto).kernels(), 1);
}

#[test]
fn what_needs_a_device_opens_it() {
    let Some(place) = Place::with_models("needed") else { return };
    let ran = place.run("kernel", &[("OCR_STATS", "1")]);
    ran.is(NO, OPEN);
    assert_eq!(ran.kernels(), 1);
    assert!(ran.seconds("building_seconds") > 0.0, "{}", ran.report);
    for line in ["ocr: opening OpenCL took ", "ocr: building kernels took "] {
        assert!(ran.stderr.contains(line), "{}", ran.stderr);
    }
    let ran = place.run("asks", &[]);
    ran.is(NO, OPEN);
    assert_eq!(ran.kernels(), 1, "an EDT that was there has the kernel: {}", ran.report);
    for _ in 0..5 {
        let ran = place.run("all", &[]);
        ran.is(NO, OPEN);
        assert_eq!(ran.kernels(), 16, "no kernel is lost: {}", ran.report);
    }
}

#[test]
fn policies_that_do_not_know_times_open_devices_at_once() {
    let Some(place) = Place::with_models("policies") else { return };
    for policy in ["device", "eager", "heteroprio", "static:1:1"] {
        place.run("short", &[("OCR_SCHED", policy)]).is(OPEN, OPEN);
    }
    place.run("short", &[("OCR_BIND", "fixed")]).is(OPEN, OPEN);
    let ran = place.run("short", &[("OCR_SCHED", "device")]);
    assert!(ran.kernels() > 0, "{}", ran.report);
}

#[test]
fn functions_that_take_longer_than_all_that_are_known_open_devices() {
    let Some(place) = Place::with_models("ends") else { return };
    // The process ends while they are opened.
    for _ in 0..5 {
        place.run("exits", &[]);
    }
    // The end comes while they are opened.
    let ran = place.run("ends", &[]);
    assert!(ran.stdout.starts_with("added: not open"), "{}", ran.stdout);
    assert!(ran.seconds("opening_seconds") > 0.0, "{}", ran.report);
    let Some(place) = Place::with_models("long") else { return };
    place.run("long", &[]).is(NO, OPEN);
    // It is known now, and does not count as another one.
    assert_eq!(place.run("ends", &[]).seconds("opening_seconds"), 0.0);
    // A run that goes on opens them in the end.
    place.run("long", &[]).is(NO, OPEN);
}

#[test]
fn what_may_have_changed_is_found_anew() {
    let Some(place) = Place::with_models("changed") else { return };
    place.run("short", &[("POCL_NO_SUCH_SETTING", "1")]).is(OPEN, OPEN);
    let file = place.models().join("devices.json");
    for change in ["\"day\":2", "\"built\":[", "\"driver\":\""] {
        let there = fs::read_to_string(place.models().join("devices.json")).expect("it is there");
        let mut text = there.clone();
        text.insert(there.find(change).expect("it is there") + change.len(), '1');
        assert_ne!(text, there);
        fs::write(&file, text).expect("it is ours");
        place.run("short", &[]).is(OPEN, OPEN);
        place.run("short", &[]).is(NO, NO);
    }
    fs::write(&file, "{").expect("it is ours");
    place.run("short", &[]).is(OPEN, OPEN);
    place.run("short", &[]).is(NO, NO);
}

/// What OpenCL itself changes in the environment does not make the next run ask again.
#[test]
fn what_opencl_changes_in_the_environment_is_no_change() {
    let Some(place) = Place::fresh("variables") else { return };
    let library = place.0.join("libchanges-variables.so");
    let built = support::compiler("CC", "cc")
        .args(["-std=gnu11", "-Wall", "-Werror", "-shared", "-fPIC", "tests/opening/changes-variables.c", "-o"])
        .arg(&library)
        .args(["-Wl,--no-as-needed", "-l:libOpenCL.so.1"])
        .current_dir(support::root())
        .status();
    if !built.expect("there is a C compiler").success() {
        eprintln!("not tested: the linker finds no libOpenCL.so.1");
        return;
    }
    let settings = [("OPENCL_DYLIB_PATH", library.to_str().expect("UTF-8"))];
    place.run("short", &settings).is(OPEN, OPEN);
    place.run("short", &settings).is(NO, NO);
    place.run("short", &[]).is(OPEN, OPEN);
}

/// The devices are gone, and nothing says so before they are to be opened.
#[test]
fn devices_that_are_gone_are_missed_by_nobody_who_does_not_need_them() {
    let Some(place) = Place::fresh("gone") else { return };
    let vendors = place.0.join("vendors");
    fs::create_dir(&vendors).expect("it is ours");
    let icd = fs::read_dir("/etc/OpenCL/vendors").into_iter().flatten().flatten();
    let Some(driver) = icd.filter_map(|file| fs::read_to_string(file.path()).ok()).next() else {
        eprintln!("not tested: no platform is found by /etc/OpenCL/vendors");
        return;
    };
    let icd = vendors.join("driver.icd");
    fs::write(&icd, &driver).expect("it is ours");
    let settings = [("OCL_ICD_VENDORS", vendors.to_str().expect("UTF-8"))];
    let first = place.run("short", &settings);
    if first.report["devices"].as_array().is_none_or(Vec::is_empty) {
        eprintln!("not tested: the loader does not know OCL_ICD_VENDORS, or the first platform has no device");
        return;
    }
    place.run("short", &settings).is(NO, NO);
    let written = fs::metadata(&icd).and_then(|about| about.modified()).expect("it has a time");
    fs::write(&icd, "x".repeat(driver.len())).expect("it is ours");
    let file = fs::File::options().write(true).open(&icd).expect("it is ours");
    file.set_modified(written).expect("it is ours");
    drop(file);
    let models = fs::read(place.models().join("devices.json")).expect("it is kept");
    for mode in ["short", "asks", "ends", "long"] {
        fs::write(place.models().join("devices.json"), &models).expect("it is ours");
        let ran = place.run(mode, &settings);
        // The run before that has shown how long the function can take: OpenCL may be opened from the start on, by a
        // thread beside mainEdt.
        assert!(ran.stdout.starts_with("added: not open") || mode == "long", "{mode}: {}", ran.stdout);
        assert_eq!(ran.kernels(), 0);
        assert_eq!(ran.stdout.contains("devices: none"), mode == "asks", "{}", ran.stdout);
    }
    // That they are gone is kept, and the next run asks again.
    place.run("short", &settings).is(OPEN, OPEN);
    fs::write(place.models().join("devices.json"), &models).expect("it is ours");
    let (program, _) = prepared().expect("it was asked before");
    let ran = run(program, &place.models(), "kernel", &settings);
    // The run in mode "long" has shown how long the function can take, so that whether OpenCL is open when the template
    // has its kernel is a race of mainEdt with the thread that opens it.
    assert_ne!(ran.status, Some(0), "{}", ran.stdout);
    assert!(ran.stderr.contains("OpenCL"), "{}", ran.stderr);
}
