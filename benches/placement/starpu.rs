//! The policy `eft` against StarPU's schedulers: the same graphs of the same functions and kernels, in turns.

use crate::support::{self, Case, Runs, Source, Table, fail, group, measuring, random_letters, root, short, wanted};
use criterion::Criterion;
use std::path::{Path, PathBuf};

/// Whether `eft` is ahead: its time over that of the scheduler.
const BAR: f64 = 1.0;

/// StarPU measures its tasks in the first number of runs at least, and in the second at most, until it knows them all.
const CALIBRATIONS: [usize; 2] = [2, 20];

/// StarPU measures the link to the device this number of times.
const LINKS: usize = 3;

/// A graph as an OCR program and as a StarPU program.
pub(crate) struct Graph<'a> {
    /// What the table calls it, and the group of criterion.
    pub(crate) what: String,
    pub(crate) group: String,
    /// The OCR program and its arguments.
    pub(crate) ours: (&'a Path, Vec<String>),
    /// The StarPU program and its arguments.
    pub(crate) theirs: (&'a Path, Vec<String>),
    /// The arguments with which the StarPU program measures how long its tasks take.
    pub(crate) calibration: Vec<String>,
    /// The figures of the time and of the kernels, of both.
    pub(crate) time: &'static str,
    pub(crate) kernels: [&'static str; 2],
    /// What both must agree on, if there is something.
    pub(crate) same: Option<&'static str>,
}

/// A StarPU program of `benches/c`, or none after a word of why.
pub(crate) fn compile(name: &str, files: &[&str], flags: &[&str]) -> Option<PathBuf> {
    let source = format!("benches/c/{name}.c");
    let files = [&[source.as_str()], files, &["-lOpenCL", "-lm"]].concat();
    support::starpu(name, &files, flags, "STARPU_USE_OPENCL")
}

/// An example, and a StarPU program that computes the same.
pub(crate) struct Application {
    /// The name of the example.
    name: &'static str,
    /// What both are made of besides.
    files: &'static [&'static str],
    /// What is added to the name in the table and in criterion's.
    which: String,
    ours: Vec<String>,
    theirs: Vec<String>,
    calibration: Vec<String>,
    same: &'static str,
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

/// The applications that are compared. Their tasks take some hundred microseconds at most.
pub(crate) fn applications() -> Vec<Application> {
    let mut all: Vec<Application> = ["bits", "dp"].map(distance).into();
    let (size, tile) = if measuring() { ("2048", "128") } else { ("256", "32") };
    all.push(Application {
        name: "cholesky",
        files: &[],
        which: size.into(),
        ours: texts(&["--size", size, "--tile", tile]),
        theirs: texts(&[size, tile]),
        calibration: texts(&[size, tile]),
        same: "log_determinant",
    });
    let (side, iterations, rows) = if measuring() { ("1024", "200", "128") } else { ("128", "10", "32") };
    let options = [["--width", side], ["--height", side], ["--iterations", iterations], ["--band-rows", rows]];
    all.push(Application {
        name: "seismic",
        files: &[],
        which: side.into(),
        ours: texts(&options.concat()),
        theirs: texts(&[side, side, iterations, rows]),
        calibration: texts(&[side, side, "20", rows]),
        same: "checksum",
    });
    all
}

/// The edit distance of random letters, by one of its methods.
fn distance(method: &str) -> Application {
    let length = match method {
        _ if !measuring() => 1000,
        "bits" => 100_000,
        _ => 20_000,
    };
    let [one, other] =
        random_letters(&format!("placement-{method}"), length).map(|path| path.to_string_lossy().into_owned());
    Application {
        name: "levenshtein",
        files: &["examples/common/edit-distance.c"],
        which: method.into(),
        ours: texts(&["--quiet", "--method", method, &one, &other]),
        theirs: texts(&[method, &one, &other]),
        calibration: texts(&[method, &one, &other]),
        same: "distance",
    }
}

impl Application {
    /// Compares the programs, if both can be had.
    pub(crate) fn compare(self, criterion: &mut Criterion, table: &mut Table, home: &Path) {
        let group = format!("placement/starpu/{}/{}", self.name, self.which);
        if !is_wanted(&group) {
            return; // before anything is compiled for it
        }
        let source = format!("examples/{}.c", self.name);
        let example =
            Source { name: self.name, files: &[&[source.as_str()], self.files].concat(), flags: &["-O3"], ocr: true };
        let peer = format!("starpu-{}", self.name);
        let Some(theirs) = compile(&peer, self.files, &["-O3"]) else {
            return;
        };
        let graph = Graph {
            what: format!("{} {}", self.name, self.which),
            group,
            ours: (&example.compile(), self.ours),
            theirs: (&theirs, self.theirs),
            calibration: self.calibration,
            time: "seconds",
            kernels: ["kernel_edts", "kernels"],
            same: Some(self.same),
        };
        compare(criterion, table, home, &graph);
    }
}

/// The schedulers of StarPU that are compared with, by the names that StarPU has for them.
pub(crate) fn schedulers() -> Vec<String> {
    let named = std::env::var("OCR_BENCH_STARPU").unwrap_or_else(|_| "dmdas".into());
    named.split(',').map(str::to_string).collect()
}

/// The headings of a table whose rows [`compare`] makes.
pub(crate) fn table() -> Table {
    let mut headings = vec!["ms".to_string(), "eft".into(), "kernels".into()];
    for scheduler in schedulers() {
        headings.extend([scheduler.clone(), "kernels".into(), format!("eft / {scheduler}"), "bar".into()]);
    }
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    Table::new("eft with models and StarPU, 1 worker and a device", &headings)
}

/// Whether the command line asks for a case of a group.
fn is_wanted(group: &str) -> bool {
    let schedulers = schedulers();
    let mut names = schedulers.iter().map(String::as_str).chain(["eft"]);
    names.any(|name| wanted(&format!("{group}/{name}")))
}

/// Compares the runtimes on a graph: each has measured it before, and then they run in turns.
pub(crate) fn compare(criterion: &mut Criterion, table: &mut Table, home: &Path, graph: &Graph) {
    if !is_wanted(&graph.group) {
        return;
    }
    let schedulers = schedulers();
    let models = Models::new();
    let mut cases = vec![ours(graph, &models)];
    cases[0].run();
    for scheduler in &schedulers {
        cases.push(theirs(graph, scheduler, home, &models));
    }
    let Some(runs) = group(criterion, &graph.group, None, &cases) else {
        return;
    };
    if let Some(same) = graph.same {
        let all: Vec<f64> = runs.iter().flat_map(|runs| runs.all(same)).collect();
        if all.iter().any(|value| *value != all[0]) {
            fail(&format!("{}: not one {same}: {all:?}", graph.what));
        }
    }
    let ms = |runs: &Runs| short(runs.time() / 1e6);
    let kernels = |at: usize| short(runs[at].median(graph.kernels[at.min(1)]));
    let mut cells = vec![graph.what.clone(), ms(&runs[0]), kernels(0)];
    for at in 1..runs.len() {
        let ratio = runs[at].faster_than(&runs[0]);
        let verdict = if ratio < BAR { "reached" } else { "not yet" };
        cells.extend([ms(&runs[at]), kernels(at), short(ratio), format!("< {BAR} {verdict}")]);
    }
    table.row(&cells);
}

/// The folder of models of both runtimes, for one graph: gone with this.
struct Models(PathBuf);

impl Models {
    fn new() -> Models {
        let folder = root().join(format!("build/benches/models-{}", std::process::id()));
        Models(folder)
    }

    /// A new folder of that name.
    fn of(&self, name: &str) -> String {
        let folder = self.0.join(name);
        let _ = std::fs::remove_dir_all(&folder);
        if let Err(error) = std::fs::create_dir_all(&folder) {
            fail(&format!("{}: {error}", folder.display()));
        }
        folder.to_string_lossy().into_owned()
    }
}

impl Drop for Models {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn case(name: &str, program: &Path, arguments: &[String], time: &str) -> Case {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Case::new(name, program, &arguments, 1, time).with("POCL_MAX_PTHREAD_COUNT", "1")
}

fn ours(graph: &Graph, models: &Models) -> Case {
    let (program, arguments) = &graph.ours;
    let device = std::env::var("OCR_BENCH_DEVICE").unwrap_or_else(|_| "0".into());
    case("eft", program, arguments, graph.time)
        .with("OCR_DEVICES", &device)
        .with("OCR_SCHED", "eft")
        .with("OCR_MODELS", &models.of("eft"))
}

/// A case of StarPU that knows how long both variants take.
fn theirs(graph: &Graph, scheduler: &str, home: &Path, models: &Models) -> Case {
    let (program, arguments) = &graph.theirs;
    let folder = models.of(scheduler);
    let with = |arguments: &[String]| {
        let case = case(scheduler, program, arguments, graph.time);
        set(case, scheduler, home).with("STARPU_PERF_MODEL_DIR", &folder)
    };
    let calibrating = with(&graph.calibration).with("STARPU_CALIBRATE", "1");
    let [least, most] = CALIBRATIONS;
    let mut known = false;
    for number in 1..=most {
        let figures = calibrating.run();
        let mut times = ["function_ns", "kernel_ns"].iter().flat_map(|key| figures.all(key));
        known = times.all(|ns| *ns > 0.0);
        if known && number >= least {
            break;
        }
    }
    if !known && measuring() {
        println!("{}: StarPU has no models after {most} runs", graph.what);
    }
    with(arguments)
}

/// What StarPU needs to know besides its models.
fn set(case: Case, scheduler: &str, home: &Path) -> Case {
    case.with("STARPU_HOME", &home.to_string_lossy())
        .with("STARPU_SCHED", scheduler)
        .with("STARPU_NOPENCL", "1")
        .with("STARPU_OPENCL_ON_CPUS", "1")
}

/// The folder in which StarPU keeps what it has measured of the link to its OpenCL device. None, after a word of why,
/// where it has no device that can be compared.
///
/// It measures the link once, and plans by that ever after, even if the machine was busy just then. So it measures it a
/// few times here, and the least latency counts.
pub(crate) fn home(program: &Path, arguments: &[&str]) -> Option<PathBuf> {
    let tries = if measuring() { LINKS } else { 1 };
    let mut best: Option<(f64, PathBuf)> = None;
    for number in 0..tries {
        let home = root().join(format!("build/benches/starpu-home/{number}"));
        let _ = std::fs::remove_dir_all(&home);
        if let Err(error) = std::fs::create_dir_all(&home) {
            fail(&format!("{}: {error}", home.display()));
        }
        let case = Case::new("starpu", program, arguments, 1, "ns_1").with("POCL_MAX_PTHREAD_COUNT", "1");
        let figures = set(case, "dmdas", &home).run();
        if figures.get("devices") == 0.0 {
            println!("left out: StarPU, for the reason above");
            return None;
        }
        let latency = figures.get("latency_ns");
        if best.as_ref().is_none_or(|(least, _)| latency < *least) {
            best = Some((latency, home));
        }
    }
    best.map(|(_, home)| home)
}
