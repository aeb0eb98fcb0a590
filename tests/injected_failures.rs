//! OpenCL that fails: each call that the runtime makes, at once, and each command after it was enqueued, with what
//! platforms are known to do with the commands behind one that has failed. Whatever fails, a program ends right, or
//! with a message and a status that is not 0: never with a wrong result, and never not at all.
//!
//! `tests/injector/opencl.c` is the library in which calls fail. `OCR_TEST_INJECT=all` tries all; otherwise every so
//! many is tried, each time others of the same kinds.

mod support;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A run takes a second or two, when the device does not end what is behind a failure; machines may be slow.
const WATCHDOG: Duration = Duration::from_secs(120);

/// Functions that the runtime calls, and how often in a run of one of the programs at least, about.
const CALLS: &[(&str, &[u32])] = &[
    ("clGetPlatformIDs", &[1, 2]),
    ("clGetPlatformInfo", &[1, 3]),
    ("clGetDeviceIDs", &[1, 2]),
    ("clGetDeviceInfo", &[1, 9]),
    ("clCreateSubDevices", &[1]),
    ("clCreateContext", &[1]),
    ("clCreateCommandQueue", &[1, 4, 5]),
    ("clCreateProgramWithSource", &[1, 2]),
    ("clBuildProgram", &[1, 2]),
    ("clGetProgramInfo", &[1]),
    ("clCreateKernel", &[1, 3]),
    ("clGetKernelInfo", &[1, 2]),
    ("clGetKernelArgInfo", &[1, 7]),
    ("clSetKernelArg", &[1, 2, 12, 30]),
    ("clCreateBuffer", &[1, 2, 7]),
    ("clEnqueueNDRangeKernel", &[1, 2, 9]),
    ("clEnqueueWriteBuffer", &[1, 2, 9]),
    ("clEnqueueFillBuffer", &[1]),
    ("clEnqueueReadBuffer", &[1, 2, 5]),
    ("clEnqueueMapBuffer", &[1, 2, 5]),
    ("clEnqueueUnmapMemObject", &[1, 2, 9]),
    ("clFlush", &[1, 2, 3, 4, 5, 8, 13]),
    ("clGetEventInfo", &[1, 2, 7, 20]),
    ("clGetEventProfilingInfo", &[1, 2, 7, 20]),
    ("clSetEventCallback", &[1, 2, 4]),
    ("clWaitForEvents", &[1, 2]),
    ("clReleaseEvent", &[1, 5]),
    ("clReleaseMemObject", &[1, 3]),
    ("clReleaseKernel", &[1]),
    ("clReleaseProgram", &[1]),
    ("clReleaseCommandQueue", &[1]),
    ("clReleaseContext", &[1]),
];

/// The program without C functions.
const KERNELS: &str = "chains of kernels alone";

/// The program whose C functions are so slow that a policy by measured times leaves most EDTs to the device.
const SLOW: &str = "slow functions";

/// The program whose kernels are held back, and what it is run with.
const MANY: &str = "many kernels";
const FOR_MANY: &[&str] = &[
    "clSetUserEventStatus:1:now",
    "clSetUserEventStatus:2:now",
    "clSetUserEventStatus:1+:now",
    "clCreateUserEvent:1:now",
    "clCreateUserEvent:1+:now",
    "clEnqueueNDRangeKernel:300:now",
    "clEnqueueNDRangeKernel:300:skipped:never",
    "clEnqueueNDRangeKernel:400:skipped:complete",
    "clEnqueueNDRangeKernel:400:later:Qnever",
    "clEnqueueWriteBuffer:1:skipped:Qcomplete",
    "clEnqueueWriteBuffer:2:skipped:never",
    "clEnqueueFillBuffer:300:later:Qnever",
    "clEnqueueFillBuffer:1+:now",
    "clFlush:9:now",
    "clFlush:9+:now",
    "clGetEventInfo:50:now",
    "clGetEventInfo:50+:now",
    "clSetEventCallback:2+:now",
];

/// Those that enqueue a command, and which of their calls fail later.
const COMMANDS: &[(&str, &[u32])] = &[
    ("clEnqueueNDRangeKernel", &[1, 2, 4, 9, 13]),
    ("clEnqueueWriteBuffer", &[1, 2, 3, 5, 8, 13]),
    ("clEnqueueFillBuffer", &[1]),
    ("clEnqueueReadBuffer", &[1, 2, 5]),
    ("clEnqueueMapBuffer", &[1, 2, 5]),
    ("clEnqueueUnmapMemObject", &[1, 2, 5, 9]),
];

/// What becomes of commands behind one that has failed.
const BEHIND: &[&str] = &["run", "ended", "failed", "complete", "never", "Qfailed", "Qcomplete", "Qnever"];

const POLICIES: &[&str] = &["device", "eager", "static:1:1", "cpu", "eft"];

/// What fails on one of two devices, so that the other one runs it: at once, and later.
const ON_ONE_DEVICE: &[&str] = &[
    "clEnqueueNDRangeKernel:1:now",
    "clEnqueueNDRangeKernel:4:now",
    "clEnqueueNDRangeKernel:1+:now",
    "clEnqueueNDRangeKernel:3+:now",
    "clEnqueueNDRangeKernel:1+:skipped:failed",
    "clEnqueueNDRangeKernel:3:skipped:never",
    "clEnqueueNDRangeKernel:2:later:Qcomplete",
    "clEnqueueWriteBuffer:1+:now",
    "clEnqueueWriteBuffer:2:skipped:Qnever",
    "clEnqueueUnmapMemObject:1+:now",
];

/// How a device holds blocks: in the host's memory, by copies, by copies where not all blocks fit.
const MEMORIES: &[&[(&str, &str)]] =
    &[&[("OCR_DEVICE_FORCE_COPIES", "1")], &[], &[("OCR_DEVICE_FORCE_COPIES", "1"), ("OCR_DEVICE_MEMORY", "24K")]];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What is run, and the first line that it prints if it ends right.
struct Program {
    name: &'static str,
    path: PathBuf,
    arguments: Vec<String>,
    wanted: String,
}

/// Builds a file with the C compiler; skips nothing: without one the test fails.
fn build(folder: &Path, name: &str, arguments: &[&str], after: &[&str]) -> PathBuf {
    let target = folder.join(name);
    let mut command = support::compiler("CC", "cc");
    command
        .args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-I"])
        .arg(root().join("include"))
        .args(arguments)
        .arg("-o")
        .arg(&target)
        .args(after);
    let status = command.current_dir(root()).status().expect("a C compiler");
    assert!(status.success(), "{name} cannot be built");
    target
}

/// The edit distance of two texts, row by row.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

fn programs(folder: &Path) -> Vec<Program> {
    let library = root().join("build/lib/libocr.a");
    let library = library.to_str().expect("a path in UTF-8");
    let after = [library, "-lpthread", "-lm", "-ldl"];
    let chains = build(folder, "chains", &["tests/injector/chains.c"], &after);
    let mut state = 1u64;
    let mut text = |length: usize| -> Vec<u8> {
        let letter = |_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            b'a' + (state >> 60) as u8
        };
        (0..length).map(letter).collect()
    };
    let (a, b) = (text(500), text(430));
    let files = [("a", &a), ("b", &b)].map(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("target can be written");
        path.to_str().expect("a path in UTF-8").to_string()
    });
    let [first, second] = files;
    let levenshtein = ["--quiet", "--tile", "128"].map(str::to_string);
    vec![
        Program { name: "chains", path: chains.clone(), arguments: vec![], wanted: "right".to_string() },
        Program {
            name: "levenshtein",
            path: root().join("build/examples/levenshtein"),
            arguments: levenshtein.into_iter().chain([first, second]).collect(),
            wanted: format!("distance: {}", distance(&a, &b)),
        },
        Program {
            name: KERNELS,
            path: chains.clone(),
            arguments: vec!["kernels".to_string()],
            wanted: "right".to_string(),
        },
        Program { name: SLOW, path: chains.clone(), arguments: vec!["slow".to_string()], wanted: "right".to_string() },
        Program { name: MANY, path: chains, arguments: vec!["many".to_string()], wanted: "right".to_string() },
    ]
}

/// One run.
struct Case<'a> {
    program: &'a Program,
    inject: String,
    policy: &'static str,
    memory: &'static [(&'static str, &'static str)],
    /// Whether there are two devices, of which commands fail on the first one alone.
    two_devices: bool,
    /// More of the environment.
    with: Vec<(&'static str, String)>,
}

/// How a run has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Right,
    Error,
}

/// A run that has ended as it may.
struct Run {
    end: End,
    /// Its standard error.
    said: String,
}

impl Case<'_> {
    fn name(&self) -> String {
        let memory = self.memory.iter().map(|(name, value)| format!("{name}={value}"));
        let more = self.with.iter().map(|(name, value)| format!("{name}={value}"));
        let all: Vec<String> = memory.chain(more).collect();
        format!(
            "{} with OCR_INJECT={} OCR_SCHED={} {}{}",
            self.program.name,
            self.inject,
            self.policy,
            all.join(" "),
            if self.two_devices { " on one of two devices" } else { "" }
        )
    }

    /// Runs it, and says how it has ended, or what is wrong with that.
    fn run(&self, folder: &Path, number: usize) -> Result<Run, String> {
        let [out, errors] = ["out", "errors"].map(|name| folder.join(format!("{number}.{name}")));
        let file = |path: &Path| File::create(path).expect("target can be written");
        let mut child = command(self.program, folder)
            .env("OCR_INJECT", &self.inject)
            .env("OCR_SCHED", self.policy)
            .env("OCR_DEVICES", "all")
            .env("OCR_WORKERS", "2")
            // Where commands begin only at a flush, one that fails is missed.
            .envs((self.inject.starts_with("clFlush")).then_some(("OCR_INJECT_LAZY", "1")))
            .envs(self.memory.iter().copied())
            .envs(self.two_devices.then_some(("OCR_INJECT_DEVICE", "0")))
            .envs((self.two_devices).then_some(("POCL_DEVICES", "pthread basic")))
            .envs(self.with.iter().map(|(name, value)| (*name, value)))
            .stdout(file(&out))
            .stderr(file(&errors))
            .spawn()
            .expect("the program can be started");
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("it is a child") {
                break Some(status);
            }
            if started.elapsed() > WATCHDOG {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            thread::sleep(Duration::from_millis(3));
        };
        let [printed, said] = [out, errors].map(|path| {
            let text = std::fs::read(&path).expect("it was written");
            let _ = std::fs::remove_file(&path);
            String::from_utf8_lossy(&text).into_owned()
        });
        let wrong = |what: &str| Err(format!("{}: {what}\n{printed}{said}", self.name()));
        let Some(status) = status else {
            return wrong("it does not end");
        };
        match status.code() {
            Some(0) if printed.lines().next() == Some(&self.program.wanted) => Ok(Run { end: End::Right, said }),
            Some(0) => wrong("a wrong result, and status 0"),
            Some(3) => wrong("a wrong result"),
            Some(2) => wrong("the settings are refused, so that nothing was tried"),
            // A call may have returned an error, which the program has looked at.
            Some(_) if said.contains("ocr: error: ") || said.contains("check failed") => {
                Ok(Run { end: End::Error, said })
            }
            _ => wrong(&format!("{status}, without a message")),
        }
    }
}

/// All failures, each with a program, a policy and a kind of memory, so that all of these meet all of those.
fn cases<'a>(programs: &'a [Program], all: bool) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    let mut turn = 0;
    let mut add = |inject: String, every: usize| {
        for program in programs.iter().filter(|program| program.name != SLOW) {
            let many = program.name == MANY;
            if many != FOR_MANY.contains(&&*inject) {
                continue;
            }
            for &policy in POLICIES {
                for &memory in MEMORIES {
                    turn += 1;
                    if all || turn % every == 0 || many && policy == "device" {
                        let inject = inject.clone();
                        let with = Vec::new();
                        cases.push(Case { program, inject, policy, memory, two_devices: false, with });
                    }
                }
            }
        }
    };
    for (function, numbers) in CALLS {
        for number in *numbers {
            add(format!("{function}:{number}:now"), 37);
        }
        add(format!("{function}:1+:now"), 37);
    }
    for (function, numbers) in COMMANDS {
        for number in *numbers {
            for how in ["later", "skipped"] {
                for behind in BEHIND {
                    add(format!("{function}:{number}:{how}:{behind}"), 61);
                }
            }
        }
        for behind in BEHIND {
            add(format!("{function}:2+:skipped:{behind}"), 61);
        }
    }
    for inject in FOR_MANY {
        add(inject.to_string(), usize::MAX);
    }
    cases
}

/// Builds the library in which calls fail, and the programs, in a folder of the test's own.
fn prepare(name: &str) -> (PathBuf, Vec<Program>) {
    let folder = root().join("target/injected-failures").join(name);
    std::fs::create_dir_all(&folder).expect("target can be written");
    let injector = ["-shared", "-fPIC", "tests/injector/opencl.c"];
    build(&folder, "libinjector.so", &injector, &["-Wl,--no-as-needed", "-l:libOpenCL.so.1", "-lpthread", "-ldl"]);
    let programs = programs(&folder);
    // Each program runs once before failures are injected, so that its kernels are in the cache.
    for program in &programs {
        let run = command(program, &folder)
            .env("OCR_SCHED", "device")
            .env("OCR_DEVICES", "all")
            .env("OCR_WORKERS", "2")
            .output()
            .expect("the program can be started");
        assert!(run.status.success(), "{}: {}", program.name, String::from_utf8_lossy(&run.stderr));
    }
    (folder, programs)
}

/// A run of a program through the injector. It writes no models, and each test has a cache of kernels of its own. A run
/// that a failure ends while PoCL compiles may leave something half-done there: with one cache for all tests, an
/// assertion of PoCL (`program->data[device_i]`) has once ended a run of another test.
fn command(program: &Program, folder: &Path) -> Command {
    let mut command = Command::new(&program.path);
    command
        .args(&program.arguments)
        .env("OPENCL_DYLIB_PATH", folder.join("libinjector.so"))
        .env("POCL_CACHE_DIR", folder.join("pocl-cache"))
        .env("OCR_MODELS", "off")
        .stdin(Stdio::null());
    command
}

/// Runs those that OCR_TEST_INJECT_ONLY leaves, several at a time. Fails where one ends as none may.
fn run_all<'a>(folder: &Path, cases: &'a [Case<'a>]) -> Vec<(&'a Case<'a>, Run)> {
    let only = std::env::var("OCR_TEST_INJECT_ONLY").unwrap_or_default();
    let cases: Vec<&Case> = cases.iter().filter(|case| case.name().contains(&only)).collect();
    let (next, runs, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let threads = thread::available_parallelism().map_or(2, usize::from).min(8);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(number) else {
                        return;
                    };
                    match case.run(folder, number) {
                        Ok(run) => runs.lock().expect("no panic").push((*case, run)),
                        Err(text) => {
                            eprintln!("{text}");
                            wrong.lock().expect("no panic").push(case.name());
                        }
                    }
                }
            });
        }
    });
    let (runs, wrong) = (runs.into_inner().expect("no panic"), wrong.into_inner().expect("no panic"));
    let right = runs.iter().filter(|(_, run)| run.end == End::Right).count();
    println!("{} runs: {right} right, {} with an error", cases.len(), runs.len() - right);
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    runs
}

#[test]
fn what_fails_ends_right_or_with_an_error() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("any");
    let all = std::env::var("OCR_TEST_INJECT").is_ok_and(|word| word == "all");
    run_all(&folder, &cases(&programs, all));
}

/// A device that takes no launch any more, while a policy by measured times has left it most EDTs: workers run them
/// all.
#[test]
fn a_device_that_fails_for_good_leaves_its_edts_to_workers() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("for-good");
    let slow = programs.iter().filter(|program| program.name == SLOW);
    let cases: Vec<Case> = slow
        .flat_map(|program| {
            [1, 5, 20, 60].into_iter().flat_map(move |number| {
                ["eft", "heteroprio"].map(|policy| Case {
                    program,
                    inject: format!("clEnqueueNDRangeKernel:{number}+:now"),
                    policy,
                    memory: MEMORIES[number % 2],
                    two_devices: false,
                    with: Vec::new(),
                })
            })
        })
        .collect();
    for (case, run) in run_all(&folder, &cases) {
        assert_eq!(run.end, End::Right, "{}: {}", case.name(), run.said);
    }
}

/// Kernels without C functions, on two devices of which one fails: the other one runs them, and a note says so. What
/// was given to a device whose memory is the host's may be half written.
#[test]
fn what_fails_on_one_device_runs_on_the_other() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("two-devices");
    let mut cases = Vec::new();
    for program in programs.iter().filter(|program| program.name == KERNELS) {
        for (at, inject) in ON_ONE_DEVICE.iter().enumerate() {
            for (turn, &memory) in MEMORIES.iter().enumerate() {
                cases.push(Case {
                    program,
                    inject: inject.to_string(),
                    policy: POLICIES[(at + turn) % POLICIES.len()],
                    memory,
                    two_devices: true,
                    with: Vec::new(),
                });
            }
        }
    }
    // The other device gives up a buffer at the moment in which a kernel fails: one run in twenty was wrong.
    let program = programs.iter().find(|program| program.name == KERNELS).expect("it is one of them");
    let inject = || "clEnqueueNDRangeKernel:1+:skipped:failed".to_string();
    let (policy, memory) = ("eager", MEMORIES[2]);
    let again = || Case { program, inject: inject(), policy, memory, two_devices: true, with: Vec::new() };
    cases.extend(std::iter::repeat_with(again).take(20));
    let mut elsewhere = 0;
    for (case, run) in run_all(&folder, &cases) {
        let name = case.name();
        let told = run.said.contains(" went to device '");
        // One that fails once is tried again where it was.
        if case.inject.starts_with("clEnqueueNDRangeKernel:") && case.inject.ends_with("+:now") {
            let is_so = run.end == End::Right && told;
            assert!(is_so, "{name} is not run elsewhere: {}", run.said);
        }
        elsewhere += usize::from(run.end == End::Right && told);
    }
    println!("{elsewhere} of them went on on the other device");
}

/// One of two devices cannot be opened: a warning names the device and the reason, and the program goes on with the
/// other.
#[test]
fn a_device_that_cannot_be_opened_beside_another_is_named() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("unopened");
    // Each device has a context of its own, and the first is refused.
    let how = [("OCR_INJECT", "clCreateContext:1:now"), ("POCL_DEVICES", "pthread basic"), ("OCR_SCHED", "device")];
    let (is_right, said) = odd(&programs[0], &folder, &how);
    assert!(is_right, "{said}");
    let is_named = said.lines().any(|line| {
        line.starts_with("ocr: warning: device '")
            && line.contains("creating a context failed: CL_")
            && line.ends_with("The device is not used; the others are.")
    });
    assert!(is_named, "{said}");
}

/// A driver may wait for all commands in the release of a buffer, and with a lock that other threads of its need to end
/// them. Buffers go while commands run, since blocks are destroyed or the device's memory is bounded.
#[test]
fn buffers_are_released_while_nothing_is_enqueued() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("quiet");
    for (program, policy, memory) in programs
        .iter()
        .flat_map(|program| ["device", "eager"].map(|policy| (program, policy)))
        .flat_map(|(program, policy)| ["1G", "20K"].map(|memory| (program, policy, memory)))
    {
        let child = command(program, &folder)
            .env("OCR_INJECT_QUIET", "1")
            .env("OCR_SCHED", policy)
            // Commands of one device do not keep the buffers of another.
            .env("OCR_DEVICES", "0")
            .env("OCR_DEVICE_FORCE_COPIES", "1")
            .env("OCR_DEVICE_MEMORY", memory)
            .env("OCR_WORKERS", "2")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let output = ended(child);
        let [out, said] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        let what = format!("{} under {policy} with {memory}: {said}", program.name);
        assert!(output.status.success(), "{what}");
        assert!(out.contains(&program.wanted), "{what}");
    }
}

/// What a program has said and how it has ended. One that does not end is killed.
fn ended(mut child: Child) -> Output {
    let started = Instant::now();
    while child.try_wait().expect("it is a child").is_none() {
        if started.elapsed() > WATCHDOG {
            child.kill().expect("it is there");
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it is a child")
}

/// Has a program run on an odd OpenCL. Returns whether it has ended with status 0 and its result, and what it said.
fn odd(program: &Program, folder: &Path, how: &[(&str, &str)]) -> (bool, String) {
    let child = command(program, folder)
        .env("OCR_DEVICES", "all")
        .env("OCR_WORKERS", "2")
        .envs(how.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let output = ended(child);
    let [out, said] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    let is_right = output.status.success() && out.lines().next() == Some(&program.wanted);
    let is_told = output.status.code() == Some(1) && said.contains("ocr: error: ");
    assert!(is_right || is_told, "{how:?}: {}: {out}{said}", output.status);
    (is_right, said.into_owned())
}

/// The statuses by which OpenCL says that memory, or registers, are short.
const SHORT: &[&str] = &["-4", "-5", "-6"];

/// A launch that is refused for memory each time, and that copies a block each time which the host holds for writing:
/// its C function runs, or the program ends with a message.
#[test]
fn a_launch_that_is_refused_for_memory_is_not_tried_indefinitely() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, _) = prepare("short");
    let library = root().join("build/lib/libocr.a");
    let library = library.to_str().expect("a path in UTF-8");
    let after = [library, "-lpthread", "-lm", "-ldl"];
    let path = build(&folder, "held", &["tests/injector/held.c"], &after);
    let calls = [
        "clEnqueueNDRangeKernel:1+:now",
        "clEnqueueNDRangeKernel:2+:now",
        "clEnqueueNDRangeKernel:1:now",
        "clSetKernelArg:1+:now",
        "clSetKernelArg:3+:now",
        "clEnqueueWriteBuffer:1+:now",
        "clCreateBuffer:2+:now",
    ];
    for arguments in [vec![], vec!["kernels".to_string()]] {
        let program = Program { name: "held", path: path.clone(), arguments, wanted: "right".to_string() };
        for (turn, call) in calls.iter().enumerate() {
            for code in SHORT {
                let memory = MEMORIES[turn % 2];
                let mut how = vec![("OCR_INJECT", *call), ("OCR_INJECT_CODE", code), ("OCR_SCHED", "device")];
                how.extend(memory);
                let (is_right, said) = odd(&program, &folder, &how);
                // One that is refused once is tried again.
                let once = call.ends_with(":1:now");
                let refused = !once && !call.starts_with("clEnqueueWrite");
                assert!(is_right || !once, "{how:?}: {said}");
                if program.arguments.is_empty() {
                    assert!(is_right, "{how:?}: {said}");
                    assert!(!refused || said.contains("ran its C function"), "{how:?}: {said}");
                } else {
                    assert!(!refused || !is_right, "{how:?}: {said}");
                }
            }
        }
    }
}

/// A device for which all calls fail from one on: where nothing was on it alone the program ends right, and says so.
#[test]
fn a_device_that_is_lost_ends_a_run_only_with_its_data() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("lost");
    let calls = [
        "clEnqueueNDRangeKernel:3:now",
        "clFlush:1:now",
        "clFlush:9:now",
        "clEnqueueWriteBuffer:4:now",
        "clEnqueueReadBuffer:2:now",
        "clEnqueueMapBuffer:2:now",
        "clSetKernelArg:12:now",
        "clGetEventInfo:30:now",
        "clCreateCommandQueue:5:now",
    ];
    let without = [KERNELS, MANY];
    for program in programs.iter().filter(|program| !without.contains(&program.name)) {
        for (turn, call) in calls.iter().enumerate() {
            // A device that neither ends a command nor says so is taken for one that takes long.
            for lost in ["failed", "mute"] {
                let mut how = vec![
                    ("OCR_INJECT", *call),
                    ("OCR_INJECT_LOST", lost),
                    ("OCR_INJECT_CODE", "-36"),
                    ("OCR_SCHED", POLICIES[turn % POLICIES.len()]),
                ];
                how.extend(MEMORIES[turn % 2]);
                let (is_right, said) = odd(program, &folder, &how);
                assert!(is_right || said.contains("half written") || said.contains("its data"), "{how:?}: {said}");
            }
        }
        // Before the first kernel has ended nothing is on it.
        let how = [
            ("OCR_INJECT", "clFlush:1:now"),
            ("OCR_INJECT_LOST", "failed"),
            ("OCR_SCHED", "device"),
            ("OCR_DEVICE_FORCE_COPIES", "1"),
        ];
        let (is_right, said) = odd(program, &folder, &how);
        assert!(is_right, "{}: {said}", program.name);
        assert!(said.contains("The device is not used any more"), "{said}");
        // Nor before there is a kernel.
        for call in ["clCreateProgramWithSource:1:now", "clBuildProgram:1:now", "clCreateKernel:1:now"] {
            let how = [("OCR_INJECT", call), ("OCR_INJECT_LOST", "failed"), ("OCR_INJECT_CODE", "-36")];
            let (is_right, said) = odd(program, &folder, &how);
            assert!(is_right && said.contains("cannot be used"), "{} {call}: {said}", program.name);
        }
    }
    // A copy was seen to have ended, and the kernel that it needs cannot be asked any more.
    let program = &programs[0];
    for number in 20..60 {
        let call = format!("clGetEventInfo:{number}:now");
        let mut how = vec![("OCR_INJECT", call.as_str()), ("OCR_INJECT_LOST", "mute"), ("OCR_INJECT_CODE", "-36")];
        how.push(("OCR_SCHED", "static:1:1"));
        let (is_right, said) = odd(program, &folder, &how);
        assert!(is_right || said.contains("half written") || said.contains("its data"), "{how:?}: {said}");
    }
    // A launch is refused, and nobody asks the device for anything else: the other one runs all kernels.
    for program in programs.iter().filter(|program| program.name == KERNELS) {
        let how = [
            ("OCR_INJECT", "clEnqueueNDRangeKernel:1:now"),
            ("OCR_INJECT_LOST", "failed"),
            ("OCR_INJECT_CODE", "-36"),
            ("OCR_INJECT_DEVICE", "0"),
            ("POCL_DEVICES", "pthread basic"),
            ("OCR_SCHED", "device"),
            ("OCR_DEVICE_FORCE_COPIES", "1"),
        ];
        let (is_right, said) = odd(program, &folder, &how);
        assert!(is_right && said.contains(" went to device '"), "{said}");
    }
}

/// What a run says at its end where kernels were undone.
fn undone_kernels(said: &str) -> bool {
    said.lines().any(|line| line.starts_with("ocr: note: OCR_RETRY: ") && line.contains(" failed and w"))
}

/// With attempts, a kernel that has failed runs again where it was if it can run nowhere else: all failures that pass
/// are survived, and in place, too, where a device has the host's memory.
#[test]
fn kernels_that_fail_are_undone_and_run_again() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("again");
    let program = programs.iter().find(|program| program.name == KERNELS).expect("it is one of them");
    let mut cases = Vec::new();
    let mut turn = 0;
    let mut add = |inject: String, code: &str| {
        for policy in ["device", "eft"] {
            turn += 1;
            let with = vec![("OCR_RETRY", "4".to_string()), ("OCR_INJECT_CODE", code.to_string())];
            let memory = MEMORIES[turn % MEMORIES.len()];
            cases.push(Case { program, inject: inject.clone(), policy, memory, two_devices: false, with });
        }
    };
    for number in [1, 2, 4, 9, 13] {
        add(format!("clEnqueueNDRangeKernel:{number}:now"), "-36");
        for (at, behind) in BEHIND.iter().enumerate() {
            let how = ["later", "skipped"][(at + number) % 2];
            add(format!("clEnqueueNDRangeKernel:{number}:{how}:{behind}"), "-5");
        }
        let behind = BEHIND[number % BEHIND.len()];
        for function in ["clEnqueueWriteBuffer", "clEnqueueReadBuffer"] {
            add(format!("{function}:{number}:now"), "-36");
            add(format!("{function}:{number}:later:{behind}"), "-5");
            add(format!("{function}:{number}:skipped:{behind}"), "-5");
        }
    }
    for (case, run) in run_all(&folder, &cases) {
        assert_eq!(run.end, End::Right, "{}: {}", case.name(), run.said);
        assert!(undone_kernels(&run.said), "{}: {}", case.name(), run.said);
    }
}

/// A kernel that fails each time, and can run nowhere else: the message has all attempts.
#[test]
fn a_kernel_that_fails_each_time_is_reported_with_all_attempts() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("each-time");
    let program = programs.iter().find(|program| program.name == KERNELS).expect("it is one of them");
    for inject in ["clEnqueueNDRangeKernel:1+:skipped:failed", "clEnqueueNDRangeKernel:1+:now"] {
        // After four commands in a row have failed, of this EDT or others, the device takes no launch any more: more
        // attempts are in vain.
        let in_a_row = inject.ends_with("failed");
        let in_vain = in_a_row.then_some(("1000", 1..=3));
        let twice = if in_a_row { 1..=2 } else { 2..=2 };
        for (times, attempts_before) in [("1", 1..=1), ("2", twice)].into_iter().chain(in_vain) {
            let how =
                [("OCR_INJECT", inject), ("OCR_INJECT_CODE", "-36"), ("OCR_SCHED", "device"), ("OCR_RETRY", times)];
            let (is_right, said) = odd(program, &folder, &how);
            assert!(!is_right, "{how:?}: {said}");
            let attempts = said.matches(" before: kernel '").count();
            assert!(attempts_before.contains(&attempts), "{attempts} of {attempts_before:?}: {how:?}: {said}");
            assert!(said.contains(&format!("attempt {attempts} before: kernel '")), "{how:?}: {said}");
            assert!(said.contains("has no C function to run instead, and no other device can"), "{how:?}: {said}");
        }
    }
}

/// Calls from which on a device is lost.
const LOSSES: &[&str] = &[
    "clEnqueueNDRangeKernel:3:now",
    "clEnqueueNDRangeKernel:9:now",
    "clEnqueueWriteBuffer:4:now",
    "clEnqueueReadBuffer:1:now",
    "clEnqueueReadBuffer:4:now",
    "clFlush:1:now",
    "clFlush:9:now",
    "clFlush:20:now",
    // Nothing is asked of the device any more that it could refuse.
    "clSetEventCallback:2:now",
];

/// With attempts, a device that is lost takes nothing with it: the program ends right, and one message says what was
/// lost.
#[test]
fn with_attempts_a_device_that_is_lost_takes_nothing_with_it() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("lost-again");
    let mut cases = Vec::new();
    for (at, program) in programs.iter().enumerate() {
        for (turn, inject) in LOSSES.iter().enumerate() {
            for (loss, lost) in ["failed", "mute", "never"].into_iter().enumerate() {
                // Other calls are not counted by device.
                let two_devices = (turn + loss) % 2 == 0 && inject.starts_with("clEnqueue");
                if program.name == KERNELS && !two_devices {
                    continue;
                }
                let memory = MEMORIES[(at + turn + loss) % 2];
                let policy = ["device", "eager", "static:1:1"][(at + turn) % 3];
                let with = vec![
                    ("OCR_RETRY", "1".to_string()),
                    ("OCR_INJECT_LOST", lost.to_string()),
                    ("OCR_INJECT_CODE", "-36".to_string()),
                ];
                cases.push(Case { program, inject: inject.to_string(), policy, memory, two_devices, with });
            }
        }
    }
    let mut lost = 0;
    for (case, run) in run_all(&folder, &cases) {
        assert_eq!(run.end, End::Right, "{}: {}", case.name(), run.said);
        let told = run.said.matches("The device is not used any more").count();
        assert!(told <= 1, "{}: {}", case.name(), run.said);
        assert!(told == 0 || run.said.contains("is on the host, too (OCR_RETRY)"), "{}: {}", case.name(), run.said);
        lost += told;
    }
    println!("in {lost} of them the device was given up");
    assert!(lost > 0 || cases.is_empty());
}

/// Failures at random: with attempts, each program ends right that has another place for its EDTs.
/// `OCR_TEST_INJECT_CASES` is how many are tried, `OCR_TEST_INJECT_SEED` which.
#[test]
fn with_attempts_random_failures_are_survived() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("random");
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("OCR_TEST_INJECT_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |now| now.as_nanos() as u64 % 1_000_000)
    });
    let mut state = seed;
    let mut below = |most: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % most
    };
    let count = number("OCR_TEST_INJECT_CASES").unwrap_or(60);
    let cases: Vec<Case> = (0..count)
        .map(|_| {
            let program = &programs[below(programs.len())];
            let two_devices = program.name == KERNELS || below(3) == 0;
            // Other calls are not counted by device.
            let (function, _) = if two_devices || below(2) == 0 {
                COMMANDS[below(COMMANDS.len())]
            } else {
                // Those that are called while kernels run.
                let running = ["clEnqueue", "clSetKernelArg", "clFlush", "clGetEvent", "clSetEvent", "clWait"];
                let calls: Vec<_> =
                    CALLS.iter().filter(|(name, _)| running.iter().any(|part| name.starts_with(part))).collect();
                *calls[below(calls.len())]
            };
            let most = [3, 12, 40, 150][below(4)];
            let at = 1 + below(most);
            let later = if below(3) == 0 { "+" } else { "" };
            let is_command = COMMANDS.iter().any(|(name, _)| *name == function);
            let how = if is_command { ["now", "later", "skipped"][below(3)] } else { "now" };
            let behind = BEHIND[below(BEHIND.len())];
            let mut with = vec![
                ("OCR_RETRY", (1 + below(3)).to_string()),
                ("OCR_INJECT_CODE", ["-5", "-36", "-59"][below(3)].to_string()),
            ];
            if below(4) == 0 {
                with.push(("OCR_INJECT_LOST", ["failed", "mute", "never"][below(3)].to_string()));
            }
            Case {
                program,
                inject: format!("{function}:{at}{later}:{how}:{behind}"),
                policy: POLICIES[below(POLICIES.len())],
                memory: if program.name == MANY { MEMORIES[below(2)] } else { MEMORIES[below(3)] },
                two_devices,
                with,
            }
        })
        .collect();
    let runs = run_all(&folder, &cases);
    let undone = runs.iter().filter(|(_, run)| undone_kernels(&run.said)).count();
    println!("OCR_TEST_INJECT_SEED={seed}: kernels were undone in {undone} runs");
    for (case, run) in runs {
        assert_eq!(run.end, End::Right, "OCR_TEST_INJECT_SEED={seed}: {}: {}", case.name(), run.said);
    }
}

/// Kernels run beside duplicates of their EDTs, and fail, or a copy does, before or after the function has returned.
/// Commands never end, and the device is lost. Each program ends right.
#[test]
fn failures_beside_duplicates_are_survived() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, _) = prepare("duplicates");
    let library = root().join("build/lib/libocr.a");
    let library = library.to_str().expect("a path in UTF-8");
    let after = [library, "-lpthread", "-lm", "-ldl"];
    let path = build(&folder, "duplicates", &["tests/injector/duplicates.c"], &after);
    let program = |function_us: &str, kernel_steps: &str| Program {
        name: "duplicates",
        path: path.clone(),
        arguments: vec![function_us.to_string(), kernel_steps.to_string()],
        wanted: "right".to_string(),
    };
    // The function ends first, or the kernel, or either.
    let programs = [program("10", "30000000"), program("60000", "3000000"), program("8000", "6000000")];
    let mut injections = vec![String::new()];
    for number in [1, 2, 4] {
        for how in ["now", "later:run", "later:failed", "skipped:never", "skipped:complete", "stuck:Qnever"] {
            injections.push(format!("clEnqueueNDRangeKernel:{number}:{how}"));
        }
        for function in ["clEnqueueReadBuffer", "clEnqueueWriteBuffer"] {
            injections.push(format!("{function}:{number}:now"));
            injections.push(format!("{function}:{number}:later:failed"));
            injections.push(format!("{function}:{number}:skipped:never"));
        }
        injections.push(format!("clFlush:{}:now", 3 * number));
    }
    let mut duplicates = 0;
    for (at, program) in programs.iter().enumerate() {
        for (turn, inject) in injections.iter().enumerate() {
            let mut how = vec![
                ("OCR_SCHED", "eft"),
                ("OCR_DUPLICATES", "1"),
                ("OCR_BIND", "off"),
                ("OCR_STATS", "1"),
                ("OCR_DEVICES", "0"),
                ("OCR_WORKERS", ["1", "2"][(at + turn) % 2]),
            ];
            if !inject.is_empty() {
                how.push(("OCR_INJECT", inject));
            }
            if turn % 4 == 3 {
                how.extend([("OCR_INJECT_LOST", ["failed", "mute", "never"][turn % 3]), ("OCR_INJECT_CODE", "-36")]);
            }
            let (is_right, said) = odd(program, &folder, &how);
            assert!(is_right, "{how:?}: {said}");
            duplicates += usize::from(said.contains("(OCR_DUPLICATES)"));
        }
    }
    println!("{duplicates} of {} runs had duplicates", programs.len() * injections.len());
    assert!(duplicates > 0);
}

/// Platforms with odd answers, by which no program is lost.
#[test]
fn odd_platforms_are_borne() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("odd");
    const COPIES: (&str, &str) = ("OCR_DEVICE_FORCE_COPIES", "1");
    for program in &programs {
        for how in [
            // Three queues are enough, also where blocks are evicted and commands fail.
            &[("OCR_INJECT_QUEUES", "3")][..],
            &[("OCR_INJECT_QUEUES", "3"), COPIES, ("OCR_DEVICE_MEMORY", "24K")],
            &[("OCR_INJECT_QUEUES", "4"), COPIES, ("OCR_DEVICE_MEMORY", "24K")],
            &[("OCR_INJECT_TWICE", "1"), ("OCR_SCHED", "device")],
            &[("OCR_INJECT_TWICE", "1"), COPIES, ("OCR_SCHED", "device")],
            &[("OCR_INJECT_NO_SIZE", "1"), COPIES, ("OCR_SCHED", "device")],
            &[("OCR_INJECT_SYNC", "1"), ("OCR_SCHED", "eft")],
            &[("OCR_INJECT_CLOCK", "1/1000"), ("OCR_SCHED", "eft")],
            &[("OCR_INJECT_CLOCK", "1/52"), ("OCR_SCHED", "eft"), COPIES],
            &[("OCR_INJECT_CLOCK", "3/2"), ("OCR_SCHED", "eft"), COPIES],
        ] {
            if program.name == MANY && how.contains(&("OCR_DEVICE_MEMORY", "24K")) {
                continue;
            }
            let trace = folder.join("odd.ocrtrace");
            let _ = std::fs::remove_file(&trace);
            let trace = trace.to_str().expect("a path in UTF-8");
            let mut how = how.to_vec();
            how.push(("OCR_TRACE", trace));
            let (is_right, said) = odd(program, &folder, &how);
            assert!(is_right, "{} with {how:?}: {said}", program.name);
            assert!(!said.contains("ran its C function"), "{how:?}: {said}");
            let check = Command::new(root().join("build/bin/ocr"))
                .args(["trace", "check", trace])
                .output()
                .expect("make has built the command");
            let text = String::from_utf8_lossy(&check.stdout);
            assert!(check.status.success(), "{} with {how:?}: {text}", program.name);
        }
        let how = [("OCR_INJECT_QUEUES", "3"), ("OCR_INJECT", "clEnqueueNDRangeKernel:2:later:Qnever"), COPIES];
        odd(program, &folder, &how);
    }
}

/// A driver that ends the process when it is asked for its devices, as PoCL does without /sys.
#[test]
fn a_driver_that_ends_the_process_is_named() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("aborts");
    let program = command(&programs[0], &folder)
        .env("OCR_INJECT_ABORT", "1")
        .env("OCR_DEVICES", "all")
        .output()
        .expect("the program can be started");
    let said = String::from_utf8_lossy(&program.stderr);
    assert!(!program.status.success(), "{said}");
    for part in ["while it was asked for its devices", "Portable Computing Language", "OCR_DEVICES=none"] {
        assert!(said.contains(part), "no `{part}` in {said}");
    }
    for arguments in [&["info"][..], &["info", "--json"]] {
        let info = Command::new(root().join("build/bin/ocr"))
            .args(arguments)
            .env("OPENCL_DYLIB_PATH", folder.join("libinjector.so"))
            .env("OCR_INJECT_ABORT", "1")
            .output()
            .expect("make has built the command");
        let shown = String::from_utf8_lossy(&info.stdout);
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(info.status.success(), "{shown}");
        for part in ["platform Portable Computing Language ended", "OCR_DEVICES=none"] {
            assert!(shown.contains(part), "no `{part}` in {shown}");
        }
    }
}

/// PoCL ends the process where there is no /sys, and LLVM's handler would keep the runtime from saying so.
#[test]
fn pocl_is_not_asked_where_it_would_end_the_process() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("without-sys");
    // No file of this system changes: the process has mounts of its own.
    let alone = |words: &str| {
        let mut alone = Command::new("unshare");
        alone.args(["--mount", "sh", "-c", &format!("mount -t tmpfs none /sys && {words}"), "sh"]);
        alone
    };
    if !alone("true").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: this process may mount nothing");
        return;
    }
    let program = programs.iter().find(|program| program.name != KERNELS).expect("one has functions");
    for words in ["exec \"$@\"", "unset OPENCL_DYLIB_PATH; exec \"$@\""] {
        let run = command(program, &folder);
        let mut alone = alone(words);
        alone.arg(run.get_program()).args(run.get_args());
        alone.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = alone.env("OCR_DEVICES", "all").stdin(Stdio::null()).output().expect("it can be started");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}: {:?} {said}", output.status);
        assert!(said.contains("there is no /sys here"), "{words}: {said}");
    }
}

/// A kernel that is executed in the call that enqueues it takes as long in the statistics as in the recording.
#[test]
fn kernels_of_a_platform_without_threads_take_their_time() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("synchronous");
    let program = &programs[0];
    for policy in ["eft", "device"] {
        let how = [("OCR_INJECT_SYNC", "20000"), ("OCR_BIND", "fixed"), ("OCR_SCHED", policy), ("OCR_STATS", "1")];
        let (is_right, said) = odd(program, &folder, &how);
        assert!(is_right, "{said}");
        // Each takes 20 ms at least, in which the thread that enqueues it does nothing else.
        let lines = said.lines().filter(|line| line.contains(" as kernel on "));
        let times: Vec<f64> =
            lines.filter_map(|line| line.rsplit_once(", ")?.1.strip_suffix(" ms each")?.parse().ok()).collect();
        assert!(!times.is_empty() && times.iter().all(|&ms| ms >= 20.0), "{policy}: {said}");
    }
}

/// A device that cannot be divided has more compute units than cores, which the report does not pass over.
#[test]
fn a_device_that_is_not_divided_is_told() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("undivided");
    let program = &programs[0];
    let said = |inject: &str| {
        let mut command = command(program, &folder);
        command
            .env("OCR_INJECT", inject)
            .env("OCR_SCHED", "static:1:1")
            .env("OCR_DEVICES", "all")
            .env("OCR_STATS", "1")
            .env_remove("OCR_WORKERS");
        let output = command.output().expect("the program can be started");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{inject}: {said}");
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    const OWN: &str = "have cores of their own";
    let whole = said("clFlush:0:now");
    if !whole.contains(&format!("{OWN};")) {
        println!("skipped: there are no cores to share out here, or the device's threads cannot be bound: {whole}");
        return;
    }
    let undivided = said("clCreateSubDevices:1+:now");
    assert!(undivided.contains(&format!("{OWN}, though the device is not divided")), "{undivided}");
}

/// Commands that never end, of a kernel and of a copy: notes tell of them, and the program goes on.
#[test]
fn commands_that_never_end_are_told_and_told_again() {
    if support::is_without_opencl() {
        println!("skipped: OCR_TEST_NO_OPENCL");
        return;
    }
    let (folder, programs) = prepare("stuck");
    let program = programs.iter().find(|program| program.name == KERNELS);
    let program = program.expect("it is one of them");
    for (inject, says) in [
        ("clEnqueueNDRangeKernel:3:stuck", "(kernel \""),
        ("clEnqueueReadBuffer:1:stuck", "a device brings data blocks for EDT "),
    ] {
        let errors = folder.join("errors");
        let mut child = command(program, &folder)
            .env("OCR_INJECT", inject)
            .env("OCR_SCHED", "device")
            .env("OCR_DEVICES", "all")
            .env("OCR_DEVICE_FORCE_COPIES", "1")
            .env("OCR_WORKERS", "2")
            .env("OCR_PATIENCE", "1")
            .stdout(Stdio::null())
            .stderr(File::create(&errors).expect("target can be written"))
            .spawn()
            .expect("the program can be started");
        let started = Instant::now();
        let said = loop {
            let said = std::fs::read(&errors).expect("it is there");
            let said = String::from_utf8_lossy(&said).into_owned();
            let notes = said.matches("no command of a device has ended").count();
            let status = child.try_wait().expect("it is a child");
            if notes > 1 && said.ends_with('\n') {
                assert_eq!(status, None, "{inject}: it goes on: {said}");
                break said;
            }
            let goes_on = status.is_none() && started.elapsed() < WATCHDOG;
            if !goes_on {
                let _ = child.kill();
            }
            assert!(goes_on, "{inject}: no two notes, and {status:?}: {said}");
            thread::sleep(Duration::from_millis(20));
        };
        child.kill().expect("it is there");
        child.wait().expect("it is a child");
        for part in ["ocr: note: after ", "OCR_PATIENCE", says] {
            assert!(said.contains(part), "{inject}: no `{part}` in {said}");
        }
        assert!(!said.contains("ocr: error: "), "{inject}: {said}");
    }
}
