//! Runs random graphs and compares them with an oracle that runs them one task after the other: values
//! in blocks, the order of tasks, exclusive and constant access, finish scopes, every kind of event,
//! labels that several EDTs create on, maps with creators, contents passed by value, copies, divided blocks
//! and their parts, files, priorities, waiting in a call, C functions and kernels on one device and on all of all
//! platforms, with 1 to 16 workers and pauses in between. In some of them kernels and copies fail, and run again as
//! attempts. In others each seed decides which faults there are: EDTs that crash, commands that fail, lost and slow
//! devices, wrong bits.
//!
//! All of it goes through the C interface, which has what the graphs do, and shows what the oracle looks at: addresses,
//! statuses, GUIDs. `ocr::tasks` hides both, and has random graphs of its own in `tests/tasks.rs`.
//!
//! * `stress/graph.rs`, `collective.rs`, `value.rs`, `copy.rs`, `parts.rs`, `far.rs`, `maps.rs`, `files.rs`:
//!   what a graph is, as plain data
//! * `stress/generate.rs`, `settle.rs`: random ones, by `proptest`, which also looks for smaller ones
//!   that fail
//! * `stress/reduce.rs`: smaller ones still
//! * `stress/oracle.rs`: what must come of one
//! * `stress/run.rs`, `shared.rs`, `create.rs`, `body.rs`, `kernel.cl`, `ends.rs`, `api.rs`: the graph as
//!   an OCR program
//! * `stress/faults.rs`: what goes wrong in them
//! * `stress/child.rs`: the process that the programs run in
//!
//! Settings, from the environment:
//!
//! * `OCR_STRESS_CASES=N`: `N` graphs for each test
//! * `OCR_STRESS_MINUTES=N`, `OCR_STRESS_SECONDS=N`: graphs for this time for each test; both are added
//! * `OCR_STRESS_SEED=N`: the graphs; otherwise others each time
//! * `OCR_STRESS_WORKERS=N`, `OCR_STRESS_SCHED=NAME`: only with these numbers of workers, only with this policy;
//!   several are separated by commas
//! * `OCR_STRESS_TASKS=N`: at most `N` tasks in a graph
//! * `OCR_STRESS_REPLAY=FILE`: only the case in this file, `OCR_STRESS_CASES` times
//! * `OCR_TEST_NO_OPENCL=1`: without kernels
//! * `OCR_TEST_ROOT=FOLDER`: temporary files go below FOLDER/target

#[path = "stress/api.rs"]
mod api;
#[path = "stress/body.rs"]
mod body;
#[path = "stress/child.rs"]
mod child;
#[path = "stress/collective.rs"]
mod collective;
#[path = "stress/copy.rs"]
mod copy;
#[path = "stress/create.rs"]
mod create;
#[path = "stress/ends.rs"]
mod ends;
#[path = "stress/far.rs"]
mod far;
#[path = "stress/faults.rs"]
mod faults;
#[path = "stress/files.rs"]
mod files;
#[path = "stress/generate.rs"]
mod generate;
#[path = "stress/graph.rs"]
mod graph;
#[path = "stress/maps.rs"]
mod maps;
#[path = "stress/oracle.rs"]
mod oracle;
#[path = "stress/parts.rs"]
mod parts;
#[path = "stress/reduce.rs"]
mod reduce;
#[path = "stress/run.rs"]
mod run;
#[path = "stress/settle.rs"]
mod settle;
#[path = "stress/shared.rs"]
mod shared;
mod support;
#[path = "stress/value.rs"]
mod value;

use child::Runner;
use faults::Counts;
use generate::Aim;
use graph::Case;
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use std::env;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// Graphs of one seed.
const BATCH: u32 = 100;
/// After this long without an answer a case hangs. Generous: it is no statement about speed.
const PATIENCE: Duration = Duration::from_secs(120);
/// The same while a smaller graph is looked for, which would otherwise take hours.
const SHRINKING_PATIENCE: Duration = Duration::from_secs(10);
/// How often a smaller graph runs without failing before it counts as one that does not fail.
const ATTEMPTS: u32 = 50;
/// What fails in the test `failures`, one after the other, as `tests/injector/opencl.c` reads it. A kernel may need
/// nine copies to the device before it runs. With a failure in each eighth, four come in a row at times, and the device
/// takes no launch any more.
const FAILURES: [&str; 5] = [
    "clEnqueueNDRangeKernel:7/:skipped:failed",
    "clEnqueueReadBuffer:9/:later:run",
    "clEnqueueNDRangeKernel:11/:later:complete",
    "clEnqueueWriteBuffer:37/:skipped:ended",
    "clEnqueueReadBuffer:13/:now",
];
/// The test with faults of all kinds.
const FAULTS: &str = "faults";
/// How long smaller graphs are looked for, by each of two ways.
const SHRINKING: Duration = Duration::from_secs(120);

fn main() {
    if env::var_os(child::VARIABLE).is_some() {
        child::serve();
        return;
    }
    let mut arguments = Arguments::from_args();
    // The cases have the cores for themselves.
    arguments.test_threads = Some(1);
    let no_opencl = support::is_without_opencl();
    let trials = match env::var_os("OCR_STRESS_REPLAY") {
        Some(file) => vec![Trial::test("replay", move || replay(file.into()))],
        None => vec![
            Trial::test("functions", || stress("functions", false, false, 16_000, vec![]).map(drop)),
            Trial::test("kernels", || stress("kernels", true, false, 700, vec![]).map(drop))
                .with_ignored_flag(no_opencl),
            Trial::test("failures", failures).with_ignored_flag(no_opencl),
            Trial::test("faults", faults).with_ignored_flag(no_opencl),
            Trial::test("devices", || {
                tell_of_platforms();
                stress("devices", true, true, 100, vec![]).map(drop)
            })
            .with_ignored_flag(no_opencl),
        ],
    };
    libtest_mimic::run(&arguments, trials).exit();
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    match text.parse() {
        Ok(number) => Some(number),
        Err(_) => panic!("{variable}={text} is not a number"),
    }
}

fn list(variable: &str, default: &[&str]) -> Vec<String> {
    match env::var(variable) {
        Ok(text) => text.split(',').map(str::to_owned).collect(),
        Err(_) => default.iter().copied().map(str::to_owned).collect(),
    }
}

/// Says on what the graphs run that use several devices. Two of one platform can be had of PoCL; another platform is
/// the machine's.
fn tell_of_platforms() {
    let inventory = ocr::device::discover();
    let names = inventory.platforms.join(", ");
    if inventory.platforms.len() < 2 {
        eprintln!(
            "devices: the one OpenCL platform is {names}; what goes wrong between devices of two platforms is not looked for. \
             Install another one, or name a folder with the .icd files of several in OCL_ICD_VENDORS"
        );
    } else {
        eprintln!("devices: the OpenCL platforms are {names}");
    }
}

fn aim(kernels: bool, several: bool) -> Result<Aim, Failed> {
    let workers = list("OCR_STRESS_WORKERS", &["1", "2", "3", "4", "8", "16"]);
    let policies: &[&str] = if kernels { &["eft", "eager", "device", "static:1:1", "cpu"] } else { &["eager"] };
    Ok(Aim {
        workers: workers.iter().map(|text| text.parse()).collect::<Result<_, _>>()?,
        policies: list("OCR_STRESS_SCHED", policies),
        kernels,
        several,
        faults: false,
        tasks: number("OCR_STRESS_TASKS").unwrap_or(40) as usize,
    })
}

/// Runs random graphs on an OpenCL of which each so many calls fail, or commands end with an error. All kernels are
/// attempts. Where one of them fails, so do others that are behind it, and each may run again often enough.
fn failures() -> Result<(), Failed> {
    let library = injector()?;
    for (turn, inject) in FAILURES.into_iter().enumerate() {
        let failing = vec![
            (faults::LIBRARY, library.clone()),
            ("OCR_INJECT", inject.to_string()),
            ("OCR_INJECT_CODE", "-36".to_string()),
            ("OCR_RETRY", "1000".to_string()),
        ];
        eprintln!("failures: OCR_INJECT={inject}");
        stress("failures", true, turn % 2 == 1, 20, failing)?;
    }
    Ok(())
}

/// Runs random graphs in which EDTs crash, commands fail, devices are lost or slow, or a bit is wrong that a kernel or
/// a function writes: on one device, and on two.
fn faults() -> Result<(), Failed> {
    let library = injector()?;
    let mut all = Counts::default();
    for (several, cases) in [(false, 400), (true, 600)] {
        let failing = vec![(faults::LIBRARY, library.clone()), ("OCR_INJECT_CODE", "-36".to_string())];
        all.add(&stress(FAULTS, true, several, cases, failing)?);
    }
    eprintln!("faults: {all:?}");
    let missing = all.missing();
    // A few graphs may have none of them.
    if number("OCR_STRESS_CASES").is_none() && !missing.is_empty() {
        return Err(format!("in all these graphs there were no {}", missing.join(", no ")).into());
    }
    Ok(())
}

/// Builds the library in which calls fail.
fn injector() -> Result<String, Failed> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let library = child::folder().join("libstress-injector.so");
    let status = support::compiler("CC", "cc")
        .args(["-std=gnu11", "-O1", "-shared", "-fPIC", "tests/injector/opencl.c", "-o"])
        .arg(&library)
        .args(["-Wl,--no-as-needed", "-l:libOpenCL.so.1", "-lpthread", "-ldl"])
        .current_dir(root)
        .status()?;
    if !status.success() {
        return Err("the library in which calls fail cannot be built".into());
    }
    Ok(library.display().to_string())
}

/// Runs as many random graphs as the settings say.
fn stress(
    name: &str,
    kernels: bool,
    several: bool,
    default_cases: u64,
    failing: Vec<(&'static str, String)>,
) -> Result<Counts, Failed> {
    let mut aim = aim(kernels, several)?;
    aim.faults = name == FAULTS;
    aim.tasks = if aim.faults { aim.tasks.min(20) } else { aim.tasks };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    let seed = number("OCR_STRESS_SEED").unwrap_or(now.as_secs() * 1_000_000);
    let asked = [("OCR_STRESS_MINUTES", 60), ("OCR_STRESS_SECONDS", 1)];
    let asked = asked.map(|(variable, seconds)| number(variable).map(|count| count * seconds));
    // The kinds of failures share the time of a test.
    let share = match name {
        FAULTS => 2,
        _ if failing.is_empty() => 1,
        _ => FAILURES.len() as u32,
    };
    let limit = (asked.iter().any(Option::is_some)).then(|| Duration::from_secs(asked.iter().flatten().sum()) / share);
    let cases = number("OCR_STRESS_CASES").unwrap_or(default_cases);
    let started = Instant::now();
    let runner = RefCell::new(Runner::new(name, several, failing));
    let (mut done, mut batch_seed) = (0, seed);
    loop {
        let left = match limit {
            Some(limit) if started.elapsed() >= limit => break,
            Some(_) => u64::from(BATCH),
            None if done >= cases => break,
            None => cases - done,
        };
        let size = left.min(u64::from(BATCH)) as u32;
        batch(&aim, batch_seed, size, &runner).map_err(|failure| failure.report(name, batch_seed, done))?;
        done += u64::from(size);
        batch_seed += 1;
    }
    eprintln!(
        "{name}: {done} graphs, seeds {seed} to {}, at most {} MiB",
        batch_seed - 1,
        runner.borrow().resident_kib / 1024
    );
    Ok(runner.into_inner().counts)
}

/// A case that fails, and how.
struct Failure {
    case: Option<Case>,
    first: Option<Case>,
    text: String,
}

/// Runs the graphs of one seed. One that fails is made smaller as long as it does.
fn batch(aim: &Aim, seed: u64, cases: u32, runner: &RefCell<Runner>) -> Result<(), Box<Failure>> {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 100_000,
        max_shrink_time: SHRINKING.as_millis() as u32,
        ..Config::default()
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let first: RefCell<Option<Case>> = RefCell::new(None);
    let last = RefCell::new(String::new());
    let mut proptest = TestRunner::new_with_rng(config, rng);
    let result = proptest.run(&generate::cases(aim), |case| {
        let shrinking = first.borrow().is_some();
        let (attempts, patience) = if shrinking { (ATTEMPTS, SHRINKING_PATIENCE) } else { (1, PATIENCE) };
        let Some(text) = fails(&mut runner.borrow_mut(), &case, attempts, patience) else {
            return Ok(());
        };
        if !shrinking {
            eprintln!("a graph fails; smaller ones are looked for:\n{text}");
            *first.borrow_mut() = Some(case);
        }
        *last.borrow_mut() = text.clone();
        Err(TestCaseError::fail(text))
    });
    match result {
        Ok(()) => Ok(()),
        Err(TestError::Fail(_, case)) => Err(Box::new(Failure {
            case: Some(reduce::reduce(case, SHRINKING, |case| {
                let runner = &mut runner.borrow_mut();
                let text = fails(runner, case, ATTEMPTS, SHRINKING_PATIENCE);
                let failed = text.is_some();
                if let Some(text) = text {
                    *last.borrow_mut() = text;
                }
                failed
            })),
            first: first.into_inner(),
            text: last.into_inner(),
        })),
        Err(TestError::Abort(reason)) => Err(Box::new(Failure { case: None, first: None, text: reason.to_string() })),
    }
}

/// Runs a case up to `attempts` times. The answer is what went wrong.
fn fails(runner: &mut Runner, case: &Case, attempts: u32, patience: Duration) -> Option<String> {
    (0..attempts).find_map(|_| runner.run(case, patience).err())
}

impl Failure {
    fn report(self, name: &str, seed: u64, done: u64) -> Failed {
        let Some(case) = self.case else {
            return self.text.into();
        };
        let mut text = format!(
            "{done} graphs passed, then one failed. The smallest that fails as well:\n{case:?}\n{}\n\n",
            self.text
        );
        let folder = child::folder();
        let cases = [("as found", self.first.as_ref()), ("smallest", Some(&case))];
        for (what, case) in cases {
            let file = folder.join(format!("{name}-{seed}-{}.json", what.replace(' ', "-")));
            let json = case.and_then(|case| serde_json::to_string(case).ok());
            if json.is_some_and(|json| std::fs::write(&file, json).is_ok()) {
                text += &format!(
                    "The graph {what} again: OCR_STRESS_REPLAY={} cargo test --release --test stress\n",
                    file.display()
                );
            }
        }
        text += &format!(
            "All of this seed: OCR_STRESS_SEED={seed} OCR_STRESS_CASES={BATCH} cargo test --release --test stress {name}\n"
        );
        text.into()
    }
}

/// Runs the case in a file again and again.
fn replay(file: PathBuf) -> Result<(), Failed> {
    let case: Case = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
    let failing = match &case.settings.faults {
        Some(_) => vec![(faults::LIBRARY, injector()?), ("OCR_INJECT_CODE", "-36".to_string())],
        None => Vec::new(),
    };
    let several = case.settings.spread || case.settings.faults.as_ref().is_some_and(faults::Faults::loses);
    let mut runner = Runner::new("replay", several, failing);
    let times = number("OCR_STRESS_CASES").unwrap_or(1000);
    for time in 0..times {
        if let Err(text) = runner.run(&case, SHRINKING_PATIENCE) {
            return Err(format!("{case:?}\n{text}\nafter {time} runs without failure").into());
        }
    }
    Ok(())
}
