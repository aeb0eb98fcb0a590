//! `ocr info`.

use super::{NO_LIBRARY, example, has_device, is_pocl_alone, ocr};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread::available_parallelism;

#[test]
fn info_shows_settings_with_their_origin() {
    let settings = [("OCR_WORKERS", "3"), ("OCR_SCHED", "static:1:2")];
    ocr(&["info"], &settings).is(
        0,
        &[
            "Workers: 3 ($OCR_WORKERS)",
            "static:1:2  $OCR_SCHED",
            "Devices (OCR_DEVICES=auto, default)",
            "the first free place",
        ],
    );
    let short = ocr(&["info", "--short"], &[]).is(0, &["Workers: "]);
    assert!(!short.stdout.contains("Settings"), "{}", short.stdout);
}

#[test]
fn info_refuses_wrong_settings() {
    for (variable, value, says) in [
        ("OCR_WORKERS", "0", "$OCR_WORKERS: \"0\" is not a number"),
        ("OCR_BIND", "1", "$OCR_BIND: \"1\" is none of auto, fixed, cores, off"),
        ("OCR_SCHED", "fast", "there is no policy \"fast\""),
        ("OCR_DEVICES", "big", "'big' names no devices"),
        ("OCR_CONFIG", "/nonexistent.toml", "/nonexistent.toml"),
    ] {
        ocr(&["info"], &[(variable, value)]).is(2, &[]).says(&[says]);
        ocr(&["compare", "/bin/true"], &[(variable, value)]).is(2, &[]).says(&[says]);
    }
}

#[test]
fn info_shows_names_that_are_not_utf8() {
    for (variable, value, status, says) in [
        ("OCR_REPORT", &b"\xff.json"[..], 0, "\\xff.json"),
        ("OCR_CONFIG", b"no\xff.toml", 2, "no\\xff.toml cannot be read"),
        ("OCR_SCHED", b"\xff", 2, "$OCR_SCHED: \"\\xff\" is not UTF-8"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ocr"));
        command.arg("info").env(variable, OsStr::from_bytes(value));
        let output = command.output().expect("the command can be started");
        let all = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
        assert_eq!(output.status.code(), Some(status), "{all}");
        assert!(all.contains(says), "no {says} in {all}");
    }
}

#[test]
fn info_says_which_devices_are_used() {
    if !has_device() {
        return;
    }
    ocr(&["info"], &[("OCR_DEVICES", "all")]).is(0, &["  0: ", "     used\n", "OpenCL library"]);
    ocr(&["info"], &[("OCR_DEVICES", "none")]).is(0, &["not used: OCR_DEVICES=none"]);
    ocr(&["info"], &[("OCR_DEVICES", "999")]).is(0, &["there is no device 999. The "]);
}

#[test]
fn info_says_why_there_is_no_device() {
    ocr(&["info"], NO_LIBRARY).is(0, &["none. ", "Everything runs on the workers"]);
    ocr(&["info", "--require-device"], NO_LIBRARY).is(1, &[]).says(&["there is no OpenCL device"]);
    // An empty library cannot be loaded, and the loader takes the system's instead, if there is one.
    ocr(&["info"], &[("OPENCL_DYLIB_PATH", "/nonexistent.so")]).is(0, &["Devices"]);
}

#[test]
fn info_says_who_would_have_which_cores() {
    let cores = available_parallelism().map_or(1, usize::from);
    if cores < 2 || !is_pocl_alone() {
        return;
    }
    let info = |settings: &[(&str, &str)]| {
        let text = ocr(&["info", "--short"], settings).is(0, &[]).stdout;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let holds = |settings: &[(&str, &str)], part: &str| {
        let text = info(settings);
        assert!(text.contains(part), "no `{part}` in {text}");
    };
    let lent = format!("Cores (OCR_BIND=auto, default): all {cores} are the workers'; CPU devices have some");
    holds(&[], &lent);
    holds(&[("OCR_BIND", "fixed")], "have cores of their own where");
    holds(&[("OCR_SCHED", "device")], "have cores of their own where");
    holds(&[("OCR_WORKERS", "1")], "beside them: 1 worker on ");
    let all = format!("share all {cores}");
    holds(&[("OCR_BIND", "off")], &all);
    let leaves_none = format!("{all}, since $OCR_WORKERS leaves none for a device");
    let workers = cores.to_string();
    holds(&[("OCR_WORKERS", &workers)], &lent);
    holds(&[("OCR_WORKERS", &workers), ("OCR_BIND", "fixed")], &leaves_none);
    assert!(!info(&[("OCR_DEVICES", "none")]).contains("Cores ("));
}

#[test]
fn info_lists_the_limits_of_devices() {
    if has_device() {
        ocr(&["info", "--short"], &[])
            .is(0, &["compute unit", "Limits: largest buffer ", "local memory ", "work-items in a work-group"]);
    }
}

/// A file that is not there.
fn new_file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path.display().to_string()
}

#[test]
fn info_writes_a_platform_description_and_reads_it() {
    let file = new_file("machine.toml");
    let answer = ocr(&["info", "--write-platform", &file], &[]);
    answer.is(0, &[&format!("{file} describes "), "OCR_PLATFORM="]);
    let text = fs::read_to_string(&file).expect("it was written");
    assert!(text.contains("version = 1\n\n[host]\n"), "{text}");
    let shown = ocr(&["info"], &[("OCR_PLATFORM", &file)]);
    let shown = shown.is(0, &["Links (OCR_PLATFORM):", &file]);
    if has_device() {
        for what in ["host to device 0: ", "device 0 to host: ", "/s (measured 20"] {
            assert!(shown.stdout.contains(what), "{}", shown.stdout);
        }
        let missing = text.replace("index = 0\n", "index = 99\n").replace("device 0", "device 99");
        let other = new_file("other-machine.toml");
        fs::write(&other, missing).expect("target/ can be written");
        let refused = ocr(&["info"], &[("OCR_PLATFORM", &other)]);
        refused.is(2, &[]).says(&["$OCR_PLATFORM: it is not of this machine: there is no device 99"]);
    }
    // What is there may have been changed by somebody.
    let again = ocr(&["info", "--write-platform", &file], &[]);
    again.is(1, &[]).says(&[&file, "is there already", "remove it"]);
    assert_eq!(fs::read_to_string(&file).ok(), Some(text.clone()));
    let nowhere = ocr(&["info", "--write-platform", "/nonexistent/machine.toml"], &[]);
    nowhere.is(1, &[]).says(&["the folder /nonexistent is not there"]);
    let without = new_file("no-devices.toml");
    ocr(&["info", "--write-platform", &without], NO_LIBRARY).is(0, &["with 0 devices"]);
    // A program reads it, by the variable or the argument, and does not run with one that is damaged.
    for (name, content, says) in [
        ("damaged.toml", text[..text.len() / 2].to_string(), "is not usable: "),
        (
            "version.toml",
            text.replace("version = 1", "version = 9"),
            "it has version 9, and this runtime reads version 1",
        ),
        ("unknown.toml", text.replace("[host]", "[hosts]"), "unknown field `hosts`"),
        ("cores.toml", text.replacen("compute-units = ", "compute-units = 7", 1), "its host has 7"),
    ] {
        let file = new_file(name);
        fs::write(&file, content).expect("target/ can be written");
        for (args, settings) in [(&[][..], &[("OCR_PLATFORM", &*file)][..]), (&["-ocr:platform", &*file][..], &[][..])]
        {
            let run = Command::new(example("hello"))
                .args(args)
                .env_remove("OCR_PLATFORM")
                .envs(settings.iter().copied())
                .output()
                .expect("it can be started");
            let said = String::from_utf8_lossy(&run.stderr);
            assert_eq!(run.status.code(), Some(2), "{said}");
            assert!(said.contains(says) && said.contains(name), "{said}");
        }
        ocr(&["info"], &[("OCR_PLATFORM", &file)]).is(2, &[]).says(&[says]);
    }
    let run = Command::new(example("hello")).args(["-ocr:platform", &file]).output().expect("it can be started");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
