//! `ocr simulate`: recorded runs on machines that need not exist. What is compared does not depend on the clock.

#[path = "../../../tests/support/mod.rs"]
mod support;

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command in the folder of the sources, with no settings of the runtime but those that are added.
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.as_bytes().starts_with(b"OCR_") {
            command.env_remove(name);
        }
    }
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    command
}

/// The recording of a run of `benches/c/variants.c`, which has EDTs of a function and a kernel.
fn record(name: &str, arguments: &[&str], settings: &[(&str, &str)]) -> PathBuf {
    record_program(name, &["benches/c/variants.c"], arguments, settings)
}

/// The recording of a run of a program in C.
fn record_program(name: &str, sources: &[&str], arguments: &[&str], settings: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("target/simulate-tests").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target/ can be written");
    let (program, file) = (folder.join("program"), folder.join("run.trace"));
    let built = support::compiler("CC", "cc")
        .args(["-std=gnu11", "-O2", "-Iinclude", "-Iexamples", "-o"])
        .arg(&program)
        .args(sources)
        .args(["build/lib/libocr.a", "-lpthread", "-lm", "-ldl"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .status();
    assert!(built.expect("there is a C compiler").success());
    let mut run = command(program);
    run.args(arguments).env("OCR_TRACE", &file).env("OCR_MODELS", "off");
    let output = run.envs(settings.iter().copied()).output().expect("it can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    file
}

/// What `ocr simulate` says: its status, its answer, and errors.
fn simulate(file: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut ocr = command(env!("CARGO_BIN_EXE_ocr"));
    let output = ocr.arg("simulate").arg(file).args(arguments).output().expect("it can be started");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("it exits");
    (status, text(output.stdout), text(output.stderr))
}

/// The JSON that it writes.
fn json(file: &Path, arguments: &[&str]) -> serde_json::Value {
    let (status, text, errors) = simulate(file, &[arguments, &["--json"]].concat());
    assert_eq!(status, 0, "{errors}");
    serde_json::from_str(&text).expect("JSON")
}

fn seconds(value: &serde_json::Value) -> f64 {
    value["simulated"][0]["seconds"].as_f64().expect("a number")
}

/// The EDTs that ran, the same whatever the policy.
fn edts(row: &serde_json::Value) -> u64 {
    let places = row["edts"].as_array().expect("places");
    places.iter().map(|many| many.as_u64().expect("a number")).sum()
}

#[test]
fn a_run_without_devices_is_simulated() {
    let settings = [("OCR_DEVICES", "none"), ("OCR_WORKERS", "1")];
    let file = record("host", &["independent", "64", "200000", "200000", "1"], &settings);
    let answer = json(&file, &[]);
    let all = answer["edts"].as_u64().expect("a number");
    assert!(all > 64, "{answer:#}");
    assert_eq!(edts(&answer["recorded"]), all);
    for row in answer["simulated"].as_array().expect("rows") {
        assert_eq!(edts(row), all, "{answer:#}");
    }
    assert!(answer["off"].is_number() && answer["recorded_machine"] == true, "{answer:#}");
    // Of another machine, it is said what compares the simulation with the run.
    let (status, text, errors) = simulate(&file, &["--workers", "3", "--policy", "cpu"]);
    assert_eq!(status, 0, "{errors}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("With --policy eft, and without --workers and --device, ocr simulate says it."), "{text}");
    // Nothing is random, and no schedule beats the bounds.
    assert_eq!(simulate(&file, &[]), simulate(&file, &[]));
    let times: Vec<f64> = ["1", "2", "4", "32"]
        .map(|workers| {
            let answer = json(&file, &["--workers", workers, "--policy", "cpu"]);
            let mixed = answer["bounds"]["mixed"].as_f64().expect("a number");
            // Virtual time is in whole nanoseconds: each EDT of a chain may be rounded down by less than one.
            let least = mixed - 1e-9 * all as f64;
            assert!(seconds(&answer) >= least, "{answer:#}");
            assert_eq!(answer["simulated"].as_array().map(Vec::len), Some(1));
            seconds(&answer)
        })
        .to_vec();
    assert!(times.windows(2).all(|pair| pair[1] <= 1.01 * pair[0]), "{times:?}");
    assert!(times[3] < times[0], "{times:?}");
    // A page has a chart of each policy.
    let page = file.with_extension("html");
    let page_name = page.display().to_string();
    let (status, _, errors) = simulate(&file, &["--policy=cpu,eft", "--html", &page_name]);
    assert_eq!(status, 0, "{errors}");
    let text = fs::read_to_string(&page).expect("the page is there");
    for part in ["\"policy\":\"cpu\"", "\"policy\":\"eft\"", "In the simulation, ", "<h1>"] {
        assert!(text.contains(part), "no {part} in the page");
    }
    // There is no device to compare one with, and a message says so.
    let (status, _, errors) = simulate(&file, &["--device", "speed=2x"]);
    assert_eq!(status, 1);
    assert!(errors.contains("the recording has no device"), "{errors}");
}

#[test]
fn a_run_with_kernels_is_simulated_on_faster_devices() {
    if support::is_without_opencl() {
        return;
    }
    let settings =
        [("OCR_DEVICES", "all"), ("OCR_WORKERS", "1"), ("POCL_MAX_PTHREAD_COUNT", "1"), ("OCR_SCHED", "static:1:1")];
    let file = record("kernels", &["wavefront", "8", "200000", "200000", "1"], &settings);
    let here = json(&file, &["--policy", "static:1:1,eft"]);
    assert!(edts(&here["simulated"][0]) > 64);
    assert!(here["simulated"][0]["edts"][1].as_u64() > Some(0), "{here:#}");
    let with = |device: &str| json(&file, &["--policy", "device", "--device", device]);
    let (same, faster) = (with("speed=1x"), with("speed=100x,count=2"));
    assert_eq!(faster["places"].as_array().map(Vec::len), Some(3));
    assert!(seconds(&faster) < seconds(&same), "{faster:#}");
    // Blocks are copied where the device has memory of its own, and each copy has its latency.
    let slow = with("speed=1x,bandwidth=1GB/s,latency=100ms");
    assert!(seconds(&slow) > 0.1 && slow["simulated"][0]["bytes_moved"].as_u64() > Some(0));
    let (status, text, errors) = simulate(&file, &["--device", "speed=10x", "--cold"]);
    assert_eq!(status, 0, "{errors}");
    for sentence in ["recorded (static:1:1)", "No schedule ends before", "knew nothing of how long"] {
        assert!(text.contains(sentence), "no `{sentence}` in\n{text}");
    }
    // On nodes kernels are not simulated, so a run with some says nothing of how exact that is.
    let nodes = json(&file, &["--nodes", "1"]);
    assert!(nodes["off"].is_null() && nodes["notes"].to_string().contains("used devices"), "{nodes:#}");
}

/// Blocks of a wavefront, each a kernel or a function that cuts it into tiles. Of either variant some ran, and policies
/// have all blocks as the other one.
#[test]
fn a_block_is_simulated_as_a_kernel_or_as_its_tiles() {
    if support::is_without_opencl() {
        return;
    }
    let settings =
        [("OCR_DEVICES", "all"), ("OCR_WORKERS", "1"), ("POCL_MAX_PTHREAD_COUNT", "1"), ("OCR_SCHED", "static:1:1")];
    let sources = ["examples/levenshtein.c", "examples/common/edit-distance.c"];
    let arguments = ["--quiet", "--random", "8000", "--seed", "1", "--block", "2048", "--tile", "512"];
    let file = record_program("blocks", &sources, &arguments, &settings);
    let answer = json(&file, &["--policy", "static:1:1,device,cpu,eft"]);
    let counts = |row: &serde_json::Value| [0, 1].map(|place| row["edts"][place].as_u64().expect("a number"));
    let [of_workers, kernels] = counts(&answer["recorded"]);
    // Four by four blocks, each of four by four tiles.
    let functions = 16 - kernels;
    assert!(kernels > 0 && functions > 0, "{answer:#}");
    let others = of_workers - 17 * functions;
    let row = |at: usize| &answer["simulated"][at];
    assert_eq!(counts(row(1)), [others, 16], "{answer:#}");
    assert_eq!(counts(row(2)), [others + 17 * 16, 0], "{answer:#}");
    for at in [0, 3] {
        let [of_workers, kernels] = counts(row(at));
        assert_eq!(of_workers, others + 17 * (16 - kernels), "{answer:#}");
    }
    // Under `cpu` OpenCL is not started, which bounds count.
    let mixed = answer["bounds"]["mixed"].as_f64().expect("a number");
    for row in [&answer["recorded"], row(0), row(1), row(3)] {
        assert!(row["seconds"].as_f64() >= Some(mixed * 0.999), "{answer:#}");
    }
    // What was simulated is explained as if it had been recorded.
    let (status, text, errors) = simulate(&file, &["--policy", "device", "--explain"]);
    assert!(status == 0 && text.contains("supposed to create"), "{text}{errors}");
}

#[test]
fn a_run_is_simulated_on_several_nodes() {
    let settings = [("OCR_DEVICES", "none"), ("OCR_WORKERS", "1")];
    let file = record("nodes", &["independent", "64", "200000", "200000", "1"], &settings);
    let answer = json(&file, &["--nodes", "1,2,1024", "--workers", "2", "--place", "round", "--latency", "5us"]);
    assert_eq!((&answer["workers"], &answer["place"]), (&2.into(), &"round".into()));
    assert_eq!((answer["latency"].as_f64(), answer["bandwidth"].as_f64()), (Some(5e-6), Some(1e10)));
    let rows = answer["simulated"].as_array().expect("rows");
    let of = |name: &str| -> Vec<f64> { rows.iter().map(|row| row[name].as_f64().expect("a number")).collect() };
    assert_eq!(of("nodes"), [1.0, 2.0, 1024.0]);
    // Nothing is sent on one node, which others are compared with. EDTs without blocks and ends are one message each.
    assert!(of("messages")[0] == 0.0 && of("bytes")[0] == 0.0 && of("speed_up")[0] == 1.0, "{answer:#}");
    assert!(of("messages")[1] >= 30.0 && of("batches")[1] >= 1.0, "{answer:#}");
    for row in rows {
        let least = row["bound"].as_f64().expect("a number") - 1e-6;
        assert!(row["seconds"].as_f64() >= Some(least) && row["limit"].is_string(), "{answer:#}");
    }
    assert!(of("seconds")[1] < of("seconds")[0], "{answer:#}");
    // All stay at home where nothing says otherwise, and the answer says why.
    let (status, text, errors) = simulate(&file, &["--nodes", "2", "--place", "home"]);
    assert_eq!(status, 0, "{errors}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["node 0 has 100 % of the work", "knows no hints of affinity", "Link: 2.00 us and 10 GB/s"] {
        assert!(words.contains(part), "no `{part}` in\n{text}");
    }
    // With the recorded workers, one node is compared with the run.
    let (_, text, _) = simulate(&file, &["--nodes", "1"]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("The simulation of the recorded nodes takes"), "{text}");
    assert_eq!(simulate(&file, &["--nodes", "3"]), simulate(&file, &["--nodes", "3"]));
    for (option, why) in [
        ("--bandwidth=999B/s", "--bandwidth: less than a kilobyte a second"),
        ("--latency=2s", "--latency: 2.00 s is more than a second"),
        ("--overhead=1001ms", "--overhead: 1.00 s is more than a second"),
    ] {
        let (status, _, errors) = simulate(&file, &["--nodes", "2", option]);
        assert!(status == 2 && errors.contains(why), "{errors}");
    }
}

#[test]
fn what_cannot_be_simulated_is_told() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let (status, _, errors) = simulate(&root.join("Cargo.toml"), &[]);
    assert!(status == 1 && errors.contains("is no recording of a run"), "{errors}");
    let (status, _, errors) = simulate(&root.join("nowhere"), &[]);
    assert!(status == 1 && errors.contains("nowhere"), "{errors}");
    for (arguments, why) in [
        (["--nodes", "0"], "0 is not in 1..=1024"),
        (["--nodes", "5000"], "5000 is not in 1..=1024"),
        (["--nodes=2", "--latency=2parsec"], "a time is written as 10us"),
        (["--nodes=2", "--bandwidth=0GB/s"], "a bandwidth is written as 12GB/s"),
        (["--nodes=2", "--overhead=1"], "a time is written as 10us"),
        (["--nodes=2", "--place=best"], "neither home, round nor bytes"),
        (["--nodes=2", "--policy=eft"], "cannot be used with"),
        (["--place", "home"], "required"),
        (["--policy", "best"], "there is no policy \"best\""),
        (["--device", "speed=fast"], "a speed is written as 10x"),
        (["--workers", "0"], "0"),
    ] {
        let (status, _, errors) = simulate(&root.join("Cargo.toml"), &arguments);
        assert!(status == 2 && errors.contains(why), "{errors}");
    }
}
