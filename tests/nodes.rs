//! Programs on several nodes: results, exit statuses, and what is said where the processes of a launch cannot be one
//! program, or one of them is gone. Each test runs under every MPI that is there, of Open MPI and MPICH: its `mpirun`
//! and the plug-in that `make` has made. Where none is, the tests say so and pass.
//!
//! What Open MPI needs as root, in a container, and with more processes than cores, is set here and nowhere in the
//! library.

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A run that takes longer than this is ended: it hangs.
const WATCHDOG: Duration = Duration::from_secs(300);

/// An MPI that is installed.
#[derive(Clone, Copy)]
struct Mpi {
    name: &'static str,
    launcher: &'static str,
    options: &'static [&'static str],
}

const ALL: [Mpi; 2] = [
    Mpi { name: "openmpi", launcher: "mpirun.openmpi", options: &["--oversubscribe", "--bind-to", "none"] },
    Mpi { name: "mpich", launcher: "mpirun.mpich", options: &[] },
];

impl Mpi {
    fn plugin(self) -> PathBuf {
        support::root().join(format!("build/lib/ocr/libocr-mpi-{}.so", self.name))
    }

    fn is_there(self) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        self.plugin().is_file() && std::env::split_paths(&path).any(|folder| folder.join(self.launcher).is_file())
    }

    /// A command that starts so many processes of what is added.
    fn command(self, nodes: usize) -> Command {
        let mut command = Command::new(self.launcher);
        command.args(self.options).args(["-n", &nodes.to_string()]);
        let of_root = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"];
        command.envs(of_root.map(|name| (name, "1"))).env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
        // Two launchers that begin at a time fail where both make the folder that they share.
        command.env(FOLDER_OF_LAUNCHER, folder_of_launcher());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("OCR_") {
                command.env_remove(name);
            }
        }
        command
    }
}

/// What tells the launcher of Open MPI where its files are to be.
const FOLDER_OF_LAUNCHER: &str = "OMPI_MCA_orte_tmpdir_base";

/// A new folder with a short name: Open MPI makes names of sockets in it.
fn folder_of_launcher() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("ocr-{}-{number}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    folder
}

/// The MPIs under which tests run. Says once what is missing.
fn installed() -> Vec<Mpi> {
    let found: Vec<Mpi> = ALL.into_iter().filter(|mpi| mpi.is_there()).collect();
    for missing in ALL.into_iter().filter(|mpi| !mpi.is_there()) {
        eprintln!(
            "not run under {}: there is no {}, or no {} (make)",
            missing.name,
            missing.launcher,
            missing.plugin().display()
        );
    }
    found
}

/// Compiles a file of `tests/nodes` with these options, into the folder for tests.
fn compile(name: &str, source: &str, options: &[&str]) -> PathBuf {
    compile_by(support::compiler("CC", "cc"), name, source, options)
}

/// [`compile`] by this compiler.
fn compile_by(mut compiler: Command, name: &str, source: &str, options: &[&str]) -> PathBuf {
    let folder = support::root().join("target/nodes");
    fs::create_dir_all(&folder).expect("target/ can be written");
    let program = folder.join(name);
    let library = support::root().join("build/lib");
    let built = compiler
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-DOCR_ASSERT", "-Iinclude", "-o"])
        .arg(&program)
        .arg(Path::new("tests/nodes").join(source))
        .args(options)
        .args(["-Lbuild/lib", "-locr"])
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .current_dir(support::root())
        .status();
    assert!(built.expect("there is a C compiler").success(), "run make first");
    program
}

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compile("program", "program.c", &[]))
}

/// An empty folder for one run.
fn folder(name: &str, mpi: Mpi) -> PathBuf {
    let folder = support::root().join("target/nodes").join(format!("{name}-{}", mpi.name));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target/ can be written");
    folder
}

/// How a run ended, and what it said.
#[derive(Debug)]
struct Answer {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Answer {
    /// How often a text is in either output.
    fn count(&self, text: &str) -> usize {
        self.stdout.matches(text).count() + self.stderr.matches(text).count()
    }

    fn expect(&self, status: i32, texts: &[&str]) {
        assert_eq!(self.status, Some(status), "{self:?}");
        for text in texts {
            assert_eq!(self.count(text), 1, "{text}: {self:?}");
        }
    }
}

/// A run that goes on. Its outputs are files, which nobody has to read meanwhile.
struct Running {
    child: Child,
    out: PathBuf,
    /// The folder for the files of the launcher.
    of_launcher: Option<PathBuf>,
}

impl Running {
    fn start(command: &mut Command, out: &Path) -> Running {
        let file = |name: &str| fs::File::create(out.join(name)).expect("target/ can be written");
        let of_launcher = command.get_envs().find(|(name, _)| *name == FOLDER_OF_LAUNCHER);
        let of_launcher = of_launcher.and_then(|(_, folder)| folder.map(PathBuf::from));
        let child = command.stdin(Stdio::piped()).stdout(file("stdout")).stderr(file("stderr")).spawn();
        Running { child: child.expect("mpirun can be started"), out: out.to_path_buf(), of_launcher }
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.out.join(name)).unwrap_or_default()).into_owned()
    }

    /// Waits until this is true; ends the run if it takes too long.
    fn wait_until(&mut self, what: &str, is_true: impl Fn(&mut Running) -> bool) {
        let begin = Instant::now();
        while !is_true(self) {
            if begin.elapsed() > WATCHDOG {
                let _ = self.child.kill();
                panic!("{what} does not come: {} {}", self.read("stdout"), self.read("stderr"));
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends the standard input, and waits for the end of the run.
    fn end(mut self) -> Answer {
        drop(self.child.stdin.take());
        self.wait_until("the end", |run| run.child.try_wait().expect("it is a child").is_some());
        let status = self.child.wait().expect("it is a child").code();
        if let Some(folder) = &self.of_launcher {
            let _ = fs::remove_dir_all(folder);
        }
        Answer { status, stdout: self.read("stdout"), stderr: self.read("stderr") }
    }
}

fn run(command: &mut Command, out: &Path) -> Answer {
    Running::start(command, out).end()
}

/// Runs the program on so many nodes.
fn run_program(mpi: Mpi, nodes: usize, out: &Path, args: &[&str]) -> Answer {
    run(mpi.command(nodes).arg(program()).args(args).env("OCR_TEST_FOLDER", out), out)
}

/// The process of each rank, by the number of the rank.
fn processes(out: &Path) -> Vec<i32> {
    let pid = |rank: usize| fs::read_to_string(out.join(format!("{rank}.pid"))).ok()?.trim().parse().ok();
    (0..).map_while(pid).collect()
}

#[test]
fn several_processes_are_one_program() {
    for mpi in installed() {
        for nodes in [1, 2, 4] {
            let out = folder("sum", mpi);
            let answer = run_program(mpi, nodes, &out, &["sum"]);
            answer.expect(
                0,
                &["mainEdt on rank 0, 2 arguments", "sum 5050 on rank 0", "the program has exited on rank 0"],
            );
            assert_eq!(answer.count("rank"), 3, "{answer:?}");
            assert_eq!(processes(&out).len(), nodes);
        }
    }
}

#[test]
fn the_standard_input_is_node_0s() {
    for mpi in installed() {
        let out = folder("input", mpi);
        let mut running = Running::start(mpi.command(3).arg(program()).arg("lines"), &out);
        let mut stdin = running.child.stdin.take().expect("a pipe");
        stdin.write_all(b"one\ntwo\n").expect("it is read");
        drop(stdin);
        running.end().expect(0, &["rank 0 reads one", "rank 0 reads two"]);
    }
}

/// Each process ends with the status of the program, whatever the launcher makes of that: a shell between the two
/// writes it down, and ends with 0, so that no launcher ends the others.
#[test]
fn all_nodes_end_with_one_status() {
    let cases: [(&[&str], i32, &str); 6] = [
        (&["sum"], 0, "sum 5050"),
        (&["abort", "5"], 5, "mainEdt"),
        (&["exit", "3"], 3, "mainEdt"),
        (&["exit", "0"], 0, "mainEdt"),
        (&["hang"], 1, "ocr: error: the program hangs"),
        (&["close"], 1, "could be written to its standard output"),
    ];
    for mpi in installed() {
        for (args, status, text) in cases {
            let out = folder("status", mpi);
            let script = format!(
                "rank=$OMPI_COMM_WORLD_RANK$PMI_RANK; '{}' {}; echo $? >'{}'/$rank.status",
                program().display(),
                args.join(" "),
                out.display()
            );
            let answer = run(mpi.command(3).args(["sh", "-c", &script]), &out);
            assert_eq!(answer.count(text), 1, "{args:?}: {answer:?}");
            for rank in 0..3 {
                let said = fs::read_to_string(out.join(format!("{rank}.status"))).unwrap_or_default();
                assert_eq!(said.trim(), status.to_string(), "rank {rank} of {args:?} under {}: {answer:?}", mpi.name);
            }
        }
    }
}

/// The launcher passes the status on, too; of a crash it makes what it likes.
#[test]
fn the_launcher_ends_with_the_status() {
    for mpi in installed() {
        let out = folder("launcher", mpi);
        for (args, status) in [(["abort", "5"], 5), (["exit", "3"], 3)] {
            run_program(mpi, 2, &out, &args).expect(status, &["mainEdt"]);
        }
        for (what, text) in [("crash", "crashed with SIGSEGV"), ("assert", "crashed with SIGABRT")] {
            let answer = run_program(mpi, 4, &out, &[what]);
            assert_ne!(answer.status, Some(0), "{answer:?}");
            assert_eq!(answer.count(text), 1, "{answer:?}");
            assert_eq!(answer.count("is gone"), 0, "it has said that it crashes: {answer:?}");
        }
    }
}

/// MPI installs handlers and starts threads. A hang is found all the same, and SIGUSR1 tells what runs.
#[test]
fn mpi_leaves_signals_and_threads_to_the_runtime() {
    for mpi in installed() {
        run_program(mpi, 2, &folder("hang", mpi), &["hang"])
            .expect(1, &["ocr: error: the program hangs", "mainEdt on rank 0"]);
        let out = folder("signals", mpi);
        let mut running = Running::start(mpi.command(2).arg(program()).arg("wait").env("OCR_TEST_FOLDER", &out), &out);
        running.wait_until("mainEdt", |run| run.read("stdout").contains("waits"));
        let pids = processes(&out);
        // SAFETY: the call sends signals to processes that this test has started, which have not been waited for.
        unsafe { libc::kill(pids[0], libc::SIGUSR1) };
        running.wait_until("the snapshot", |run| run.read("stderr").contains("runs EDT"));
        // SAFETY: as above.
        unsafe { libc::kill(pids[1], libc::SIGUSR1) };
        running.wait_until("the snapshot of node 1", |run| run.read("stderr").matches("have run").count() > 1);
        running.end().expect(0, &["1 running"]);
    }
}

#[test]
fn a_plugin_that_does_not_suit_is_an_error() {
    let all = installed();
    let other = compile("other-version.so", "other-version.c", &["-fPIC", "-shared"]);
    for &mpi in &all {
        let out = folder("plugin", mpi);
        for (file, text) in [
            (PathBuf::from("/nowhere/plugin.so"), "/nowhere/plugin.so cannot be loaded"),
            (support::root().join("build/lib/libocr.so"), "is no plug-in of this runtime"),
            (other.clone(), "has form 4711 of the interface"),
        ] {
            let mut command = mpi.command(2);
            run(command.arg(program()).arg("sum").env("OCR_MPI", file), &out).expect(2, &["ocr: error:", text]);
        }
        for wrong in all.iter().filter(|wrong| wrong.name != mpi.name) {
            let mut command = mpi.command(3);
            let answer = run(command.arg(program()).arg("sum").env("OCR_MPI", wrong.plugin()), &out);
            answer.expect(2, &["ocr: error:", "has started 3 processes", "knows of 1", "OCR_MPI"]);
            assert_eq!(answer.count("mainEdt"), 0, "{answer:?}");
        }
        // A library without plug-ins beside it.
        fs::copy(support::root().join("build/lib/libocr.so.0"), out.join("libocr.so.0")).expect("make has made it");
        let mut command = mpi.command(2);
        let answer = run(command.arg(program()).arg("sum").env("LD_LIBRARY_PATH", &out), &out);
        if !answer.stdout.contains("sum 5050") {
            answer.expect(2, &["ocr: error:", "has started 2 processes", "there is no plug-in for it", "OCR_NODES=1"]);
        }
    }
}

#[test]
fn nodes_that_differ_are_an_error() {
    for mpi in installed() {
        let out = folder("differ", mpi);
        let other = compile("program-other", "program.c", &["-O1"]);
        let mut command = mpi.command(1);
        command.arg(program()).args(["sum", ":", "-n", "1"]).arg(other).arg("sum");
        let words = ["ocr: error:", "different builds of the program", "On node 0 (process", "on node 1 (process"];
        let answer = run(&mut command, &out);
        answer.expect(2, &words);
        assert_eq!(answer.count("mainEdt"), 0, "{answer:?}");
        let mut command = mpi.command(1);
        command.arg(program()).args(["sum", ":", "-n", "1"]).arg(program()).args(["-ocr:check", "strict", "sum"]);
        let words =
            ["ocr: error:", "different settings", "check is \"off\", by default", "it is \"strict\", by -ocr:check"];
        run(&mut command, &out).expect(2, &words);
    }
}

fn elsewhere() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compile("elsewhere", "elsewhere.c", &["-pthread"]))
}

/// Runs the program with objects on several nodes.
fn run_elsewhere(mpi: Mpi, nodes: usize, args: &[&str]) -> Answer {
    run_elsewhere_with(mpi, nodes, args, &[])
}

/// [`run_elsewhere`] with these variables.
fn run_elsewhere_with(mpi: Mpi, nodes: usize, args: &[&str], variables: &[(&str, &str)]) -> Answer {
    let out = folder(&format!("elsewhere-{nodes}-{}", args.join("-")), mpi);
    run(mpi.command(nodes).arg(elsewhere()).args(args).envs(variables.iter().copied()), &out)
}

/// An EDT goes from node to node, with a block that it writes.
#[test]
fn a_chain_of_edts_goes_over_all_nodes() {
    for mpi in installed() {
        for nodes in [1, 2, 3] {
            let answer = run_elsewhere(mpi, nodes, &["chain", "200"]);
            answer.expect(0, &[&format!("right: 200 on node {}", 200 % nodes)]);
        }
    }
}

#[test]
fn a_finish_scope_waits_for_all_nodes() {
    for mpi in installed() {
        for (nodes, node) in [(2, "0"), (2, "1"), (3, "2")] {
            run_elsewhere(mpi, nodes, &["scope", "12", node]).expect(0, &["right: 156"]);
        }
    }
}

/// An event of each type that takes blocks, on one node, satisfied on another, and waited for on a third.
#[test]
fn events_are_satisfied_and_waited_for_from_all_nodes() {
    for mpi in installed() {
        for (nodes, node) in [(2, "0"), (2, "1"), (3, "1")] {
            run_elsewhere(mpi, nodes, &["events", "5", node]).expect(0, &["right: 30"]);
        }
    }
}

/// Blocks of many pieces, which all nodes read and write in turn; empty ones as well.
#[test]
fn blocks_of_all_sizes_go_to_other_nodes_and_back() {
    for mpi in installed() {
        for size in ["0", "1", "65279", "65280", "65281", "1000003"] {
            run_elsewhere(mpi, 2, &["blocks", "8", "0", size]).expect(0, &["right: 8"]);
        }
    }
}

/// An EDT, and a finish EDT, that has returned another node's event has what that event gets.
#[test]
fn edts_return_events_of_other_nodes() {
    for mpi in installed() {
        for (nodes, node, check) in [(2, "1", "off"), (3, "2", "off"), (2, "0", "off"), (2, "1", "strict")] {
            let answer = run_elsewhere_with(mpi, nodes, &["returned", "1", node], &[("OCR_CHECK", check)]);
            answer.expect(0, &["right: 2 on node 0"]);
        }
    }
}

/// As on one node, an event passes on the GUID of a block that is gone.
#[test]
fn what_an_event_was_satisfied_with_goes_to_other_nodes() {
    for mpi in installed() {
        for nodes in [1, 2] {
            run_elsewhere(mpi, nodes, &["passed"]).expect(0, &["right: 1"]);
        }
    }
}

/// The scope would close too early if such EDTs left it twice.
#[test]
fn edts_that_another_node_refuses_leave_their_scope_once() {
    for mpi in installed() {
        let answer = run_elsewhere(mpi, 2, &["refused"]);
        answer.expect(0, &["right: 20"]);
        assert_eq!(answer.count("ocrEdtCreate about an object of node 1 failed there"), 10, "{answer:?}");
    }
}

/// On a device that does not share the memory of its host, as far as the runtime knows.
#[test]
fn kernels_write_blocks_of_other_nodes() {
    let of_devices = [("OCR_DEVICES", "all"), ("OCR_SCHED", "device"), ("OCR_DEVICE_FORCE_COPIES", "1")];
    for mpi in installed() {
        let answer = run_elsewhere_with(mpi, 2, &["kernel"], &of_devices);
        answer.expect(0, &["right: "]);
        if answer.count("right: there is no device") != 0 {
            eprintln!("not run under {}: there is no OpenCL device", mpi.name);
        }
    }
}

/// The settings by which kernels run wherever there is a device, and each node has one.
const ON_DEVICES: [(&str, &str); 2] = [("OCR_DEVICES", "all"), ("OCR_SCHED", "device")];

/// The settings by which no node has a device.
const NO_DEVICES: [(&str, &str); 1] = [("OCR_DEVICES", "none")];

/// Runs the program whose EDTs have kernels.
fn run_kernels(mpi: Mpi, nodes: usize, args: &[&str], variables: &[(&str, &str)]) -> Answer {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| compile("kernels", "kernels.c", &[]));
    let out = folder(&format!("kernels-{nodes}-{}", args[0]), mpi);
    run(mpi.command(nodes).arg(program).args(args).envs(variables.iter().copied()), &out)
}

/// Whether nodes have OpenCL devices here. Says where they have none.
fn has_devices(mpi: Mpi) -> bool {
    let has = run_kernels(mpi, 1, &["anywhere"], &ON_DEVICES).count("kernels 8") == 1;
    if !has {
        eprintln!("not run under {}: there is no OpenCL device", mpi.name);
    }
    has
}

/// Eight EDTs a node, of a template that is gone before they run; EDTs that nodes make of another one's template; one
/// that gets its kernel from another node; a text that fits no message. The results are those of functions, and the
/// kernels have the parameters and work-items that they have at home. On one node the hint of affinity names the
/// workers.
#[test]
fn kernels_of_templates_run_on_all_nodes() {
    for mpi in installed() {
        let devices = has_devices(mpi);
        for nodes in [1u64, 2, 4] {
            let numbers = 8 * nodes;
            let all = [
                ("variants", numbers * (numbers + 1) / 2, numbers),
                ("third", 2 * nodes * nodes, nodes * nodes),
                ("added", 4 * nodes, 2 * nodes),
                ("large", 7, 1),
            ];
            for (what, sum, kernels) in all {
                let answer = run_kernels(mpi, nodes as usize, &[what], &NO_DEVICES);
                answer.expect(0, &[&format!("sum {sum}, kernels 0, items 0")]);
                if devices {
                    let answer = run_kernels(mpi, nodes as usize, &[what], &ON_DEVICES);
                    let of_kernels = if nodes == 1 { [0, 0] } else { [kernels, sum] };
                    let [kernels, items] = of_kernels;
                    answer.expect(0, &[&format!("sum {sum}, kernels {kernels}, items {items}")]);
                }
            }
            for (place, check) in [("home", "off"), ("round", "off"), ("round", "strict")] {
                let variables = [ON_DEVICES[0], ON_DEVICES[1], ("OCR_PLACE", place), ("OCR_CHECK", check)];
                let answer = run_kernels(mpi, nodes as usize, &["anywhere"], &variables);
                let kernels = if devices { "kernels 8, items 36" } else { "kernels 0, items 0" };
                answer.expect(0, &[&format!("sum 36, {kernels}")]);
            }
        }
    }
}

/// Copies of a template are made anew when it has changed.
#[test]
fn a_template_that_changes_is_another_one_on_all_nodes() {
    for mpi in installed() {
        for nodes in [1, 2, 3] {
            let sum = 2 * nodes * nodes * 11 + 80;
            run_kernels(mpi, nodes, &["late"], &NO_DEVICES).expect(0, &[&format!("sum {sum}, kernels 0, items 0")]);
            if has_devices(mpi) {
                let answer = run_kernels(mpi, nodes, &["late"], &ON_DEVICES);
                let expected = match nodes {
                    1 => format!("sum {sum}, kernels 0, items 0"),
                    _ => format!("sum {}, kernels 2, items 7", sum - 63),
                };
                answer.expect(0, &[&expected]);
            }
        }
    }
}

/// Without a hint an EDT of kernels alone goes where a device is. With one for a node that has none, the program ends.
#[test]
fn edts_of_kernels_alone_run_where_a_device_is() {
    for mpi in installed().into_iter().filter(|&mpi| has_devices(mpi)) {
        for what in ["alone", "hinted"] {
            for nodes in [1, 2] {
                let answer = run_kernels(mpi, nodes, &[what], &ON_DEVICES);
                answer.expect(0, &["sum 10, kernels 4, items 44"]);
            }
        }
        for (without, what) in [("0", "alone"), ("1", "alone"), ("1", "hinted")] {
            let mut command = mpi.command(2);
            let settings = format!(
                "test ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} = {without} && export OCR_DEVICES=none || export OCR_DEVICES=all; exec \"$0\" {what}"
            );
            command.args(["sh", "-c", &settings]).arg(compile("kernels", "kernels.c", &[]));
            let answer = run(command.env("OCR_PLACE", "round"), &folder(&format!("kernels-without-{without}"), mpi));
            if what == "alone" {
                answer.expect(0, &["sum 10, kernels 4, items 44"]);
            } else {
                assert_ne!(answer.status, Some(0), "{answer:?}");
                assert_eq!(answer.count("(alone) has no variant that can run on node 1"), 1, "{answer:?}");
            }
        }
    }
}

/// The function runs there, as at home.
#[test]
fn a_kernel_that_another_node_cannot_build_is_reported() {
    for mpi in installed().into_iter().filter(|&mpi| has_devices(mpi)) {
        let out = folder("kernels-broken-file", mpi);
        let answer = run_kernels(mpi, 2, &["broken", &out.display().to_string()], &ON_DEVICES);
        answer.expect(0, &["sum 5, kernels 0, items 0", "cannot be used on node 1"]);
    }
}

/// As on one node, what an event was satisfied with may be known when it is gone, and a label is waited for.
#[test]
fn dependences_on_other_nodes_may_come_late_or_early() {
    for mpi in installed() {
        run_elsewhere(mpi, 2, &["gone"]).expect(0, &["right: 1", "came too late"]);
        run_elsewhere(mpi, 2, &["labels"]).expect(0, &["right: 3"]);
    }
}

#[test]
fn edts_of_any_form_have_dependences_on_other_nodes() {
    for mpi in installed() {
        run_elsewhere(mpi, 2, &["given"]).expect(0, &["right: 1 on node 1"]);
        for count in ["7168", "8200", "20000"] {
            run_elsewhere(mpi, 2, &["many", count]).expect(0, &[&format!("right: {count} dependences")]);
        }
    }
}

#[test]
fn calls_that_pass_a_guid_on_take_those_of_other_nodes() {
    for mpi in installed() {
        run_elsewhere(mpi, 2, &["ask"]).expect(0, &["right: asked on node 1"]);
    }
}

/// To lend a block is not to write it.
#[test]
fn a_block_that_is_written_once_is_read_on_other_nodes() {
    for mpi in installed() {
        for check in ["off", "strict"] {
            let answer = run_elsewhere_with(mpi, 2, &["single"], &[("OCR_CHECK", check)]);
            answer.expect(0, &["right: 4711 on node 1"]);
            assert_eq!(answer.count("wants to write"), 0, "{answer:?}");
        }
    }
}

/// The program is no hang while a thread of it, on any node, may call the runtime.
#[test]
fn a_thread_of_the_program_on_another_node_is_waited_for() {
    for mpi in installed() {
        run_elsewhere(mpi, 2, &["thread"]).expect(0, &["right: 0"]);
    }
}

/// What an EDT of another node asks for meanwhile is lost, and no error.
#[test]
fn an_edt_may_go_on_while_the_program_ends() {
    for mpi in installed() {
        let answer = run_elsewhere(mpi, 2, &["straggle"]);
        answer.expect(0, &["right: 0"]);
        assert_eq!(answer.count("ocr: error"), 0, "{answer:?}");
    }
}

/// The content of the block is sent when the node that waits for it has ended its run: nobody waits for it in vain.
#[test]
fn a_block_is_on_its_way_while_the_program_ends() {
    for mpi in installed() {
        let answer = run_elsewhere(mpi, 3, &["leave"]);
        answer.expect(0, &["on node 0"]);
        assert_eq!(answer.count("ocr: "), 0, "{answer:?}");
    }
}

/// The variable that has messages from node 0 to node 1 be slow under this MPI.
fn slow_pair(mpi: Mpi) -> String {
    let compiler = Command::new(format!("mpicc.{}", mpi.name));
    let slow = compile_by(compiler, &format!("slow-pair-{}.so", mpi.name), "slow-pair.c", &["-fPIC", "-shared"]);
    format!("LD_PRELOAD={}", slow.display())
}

/// What an EDT has asked of one node has happened before what follows from its later calls for others, though messages
/// to the first are slow. A dependence that came late would be refused.
#[test]
fn no_call_is_overtaken_by_what_follows_from_a_later_one() {
    for mpi in installed() {
        let out = folder("overtake", mpi);
        let slow = slow_pair(mpi);
        for way in ["0", "1", "2", "3", "4"] {
            let mut command = mpi.command(3);
            command.arg("env").arg(&slow).args(["OCR_GONE_EVENTS=0", "OCR_WORKERS=2"]);
            let answer = run(command.arg(elsewhere()).args(["overtake", "20", way]), &out);
            answer.expect(0, &["right: 0"]);
        }
    }
}

/// A call that was sent has returned 0, whatever its owner says of it later: that is reported.
#[test]
fn a_sent_call_that_is_refused_is_reported() {
    for mpi in installed() {
        let answer = run_elsewhere(mpi, 2, &["late"]);
        answer.expect(0, &["right: 0", "ocr: warning: ocrAddDependence about an object of node 1 failed there with"]);
    }
}

/// What the nodes of a run have sent each other, by the report: messages, confirmations, batches and bytes of blocks of
/// each pair.
fn sent_in(out: &Path) -> Vec<(u64, u64, [u64; 4])> {
    let text = fs::read_to_string(out.join("report.json")).expect("the run has a report");
    let report: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let number = |of: &serde_json::Value, name: &str| of[name].as_u64().unwrap_or_else(|| panic!("{name}: {text}"));
    let nodes = report["nodes"].as_array().unwrap_or_else(|| panic!("it has nodes: {text}"));
    let of_node = |node: &serde_json::Value| {
        let from = number(node, "node");
        let pairs = node["sent"].as_array().cloned().unwrap_or_default();
        let counts = ["messages", "confirmations", "batches", "bytes"];
        pairs.into_iter().map(move |pair| (from, number(&pair, "to"), counts.map(|name| number(&pair, name))))
    };
    nodes.iter().flat_map(of_node).collect()
}

/// The table in docs/guide/src/nodes.md has these numbers. A run has some messages at its begin and end besides.
#[test]
fn messages_of_what_programs_do_most_are_counted() {
    let Some(&mpi) = installed().first() else { return };
    let program = compile("messages", "messages.c", &[]);
    let run_on = |nodes, what: &str, times: u64| {
        let out = folder(&format!("messages-{what}"), mpi);
        let mut command = mpi.command(nodes);
        command.arg(&program).args([what, &times.to_string()]).env("OCR_REPORT", out.join("report.json"));
        run(&mut command, &out).expect(0, &["done on node 0"]);
        sent_in(&out)
    };
    let run_for = |what: &str, times| run_on(2, what, times);
    let of_each = [
        ("hop", 1),
        ("hop-read", 1),
        ("hop-write", 3),
        ("linked", 1),
        ("new", 1),
        ("new-three", 1),
        ("new-larger", 3),
        ("read", 3),
        ("write", 3),
        ("pass", 2),
        ("pass-write", 4),
        ("satisfy", 1),
        ("decrement", 1),
        ("output", 3),
    ];
    for (what, wanted) in of_each {
        let sent = run_for(what, 100);
        let messages: u64 = sent.iter().map(|(.., [messages, ..])| messages).sum();
        assert_eq!(messages / 100, wanted, "{what}: {sent:?}");
    }
    // The number says which node makes the dependences, of EDTs of node 1 on an event of node 0; "+" is for those that
    // are not in `depv`. Few are sent before node 1 keeps its own, and one message says that the event has triggered.
    for (what, nodes, wanted) in
        [("fan-0", 2, 1000), ("fan-0+", 2, 1000), ("fan-1", 2, 0), ("fan-1+", 3, 0), ("fan-2", 3, 2000)]
    {
        let sent = run_on(nodes, what, 1000);
        let messages: u64 = sent.iter().map(|(.., [messages, ..])| messages).sum();
        assert!((wanted..wanted + 30).contains(&messages), "{what}: {sent:?}");
    }
    // A block that an EDT there has got stays, and is not sent again.
    for (what, times, wanted) in [("hop-read", 100, 8), ("new", 100, 50 << 14), ("pass", 100, 800)] {
        let sent = run_for(what, times);
        let bytes = sent.iter().find(|pair| pair.0 == 0).map(|(.., [.., bytes])| *bytes);
        assert_eq!(bytes, Some(wanted), "{what}: {sent:?}");
    }
    // Of sixty blocks, that which an EDT acquires first is free at the end alone. The others have come before.
    let sent = run_for("ahead", 1);
    let bytes = sent.iter().find(|pair| pair.0 == 0).map(|(.., [.., bytes])| *bytes);
    assert!(bytes >= Some(59_000), "{sent:?}");
    let sent = run_for("children", 1000);
    let of = |from, to| sent.iter().find(|pair| (pair.0, pair.1) == (from, to)).expect("they have sent each other").2;
    let [[there, _, batches, _], [back, confirmations, ..]] = [of(0, 1), of(1, 0)];
    assert!((1000..1020).contains(&there) && back < 20, "each is one message: {sent:?}");
    assert!(confirmations <= batches && confirmations < 500, "a batch is confirmed as a whole: {sent:?}");
}

/// Many EDTs on all nodes wait for one event, of any kind and satisfied with anything. The dependences are made before
/// it triggers, meanwhile or afterwards, by all nodes for all nodes.
#[test]
fn many_edts_wait_for_one_event() {
    let program = compile("fan", "fan.c", &[]);
    let (nothing, block, value) = ("0", "1", "2");
    let (late, meanwhile, early) = ("0", "1", "2");
    // The first takes more than one message for what it names, each with the content.
    let mut cases = vec![["sticky", late, value, "400", "3"], ["sticky", late, value, "2", "6000"]];
    cases.push(["latch", late, nothing, "40", "3"]);
    for with in [nothing, block, value] {
        let kinds = ["once", "output", "sticky", "idempotent", "counted", "channel"];
        cases.extend(kinds.map(|kind| [kind, late, with, "40", "3"]));
        cases.extend(["sticky", "idempotent", "counted"].map(|kind| [kind, meanwhile, with, "40", "3"]));
        cases.push(["sticky", early, with, "40", "3"]);
    }
    for mpi in installed() {
        let slow = slow_pair(mpi);
        for (nodes, case) in [4, 2, 3].into_iter().cycle().zip(&cases) {
            let out = folder(&format!("fan-{}", case.join("-")), mpi);
            let mut command = mpi.command(nodes);
            if nodes == 3 {
                // A dependence that came late would be refused.
                command.args(["env", &slow, "OCR_GONE_EVENTS=0"]);
            }
            run(command.arg(&program).args(case), &out).expect(0, &["right: all have run"]);
        }
        for time in 0..5 {
            let mut command = mpi.command(2);
            command.arg(&program).arg("freed").env("OCR_WORKERS", "2");
            run(&mut command, &folder(&format!("fan-freed-{time}"), mpi)).expect(0, &["right: all have run"]);
        }
        let out = folder("fan-traced", mpi);
        let mut command = mpi.command(3);
        let recording = out.join("fan.ocrtrace");
        command.arg(&program).args(["sticky", late, block, "40", "3"]).env("OCR_TRACE", &recording);
        run(&mut command, &out).expect(0, &["right: all have run"]);
        let check = Command::new("build/bin/ocr").arg("check").arg(&recording).current_dir(support::root()).output();
        let check = check.expect("run make first");
        assert!(check.status.success(), "{check:?}");
    }
}

/// A hang names the event, whichever node keeps the dependence. One on an event that is gone is refused.
#[test]
fn many_edts_wait_in_vain_for_one_event() {
    let program = compile("fan-in-vain", "fan.c", &[]);
    for mpi in installed() {
        let of = |what| run(mpi.command(2).arg(&program).arg(what), &folder(&format!("fan-{what}"), mpi));
        let never = of("never");
        never.expect(1, &["ocr: error: the program hangs"]);
        assert_eq!(never.count(" of node 1 waits on the sticky event"), 8, "{never:?}");
        assert_eq!(never.count(" of node 0\n"), 12, "{never:?}");
        let destroyed = of("destroyed");
        destroyed.expect(1, &["ocr: error: the program hangs", "failed there with OCR_EINVAL"]);
    }
}

/// Random graphs on several nodes come to what they come to on one, also where messages of one pair of nodes are slow.
/// `OCR_STRESS_CASES` is how many run in each way, from a number on that is drawn and shown; without it, the same few.
#[test]
fn random_graphs_have_one_result() {
    let program = compile("graphs", "graphs.c", &[]);
    let cases = std::env::var("OCR_STRESS_CASES").ok().and_then(|cases| cases.parse::<u64>().ok());
    let first = cases.map_or(0, |_| u64::from(std::process::id()) << 20);
    println!("the first graph is number {first}");
    for mpi in installed() {
        let slow = slow_pair(mpi);
        for (nodes, is_slow) in [(1, false), (2, false), (3, false), (3, true), (4, false), (8, false)] {
            for number in first..first + cases.unwrap_or(3) {
                let out = folder(&format!("graphs-{nodes}-{is_slow}-{number}"), mpi);
                let mut command = mpi.command(nodes);
                command.args(["env", &format!("OCR_WORKERS={}", 1 + number % 2)]);
                if is_slow {
                    command.arg(&slow);
                }
                let edts = (10 + number * 37 % 300).to_string();
                run(command.arg(&program).args([&number.to_string(), &edts]), &out).expect(0, &["right: "]);
            }
        }
    }
}

/// A function is found by its address on another node, where files are loaded elsewhere.
#[test]
fn a_pointer_to_a_function_is_good_for_templates_everywhere() {
    for mpi in installed() {
        for nodes in [2, 3] {
            run_elsewhere(mpi, nodes, &["pointer"]).expect(0, &["right: 0"]);
        }
    }
}

/// MPI calls the system's functions, though the program has functions of their names.
#[test]
fn functions_may_have_names_of_the_systems() {
    let program = compile("names", "names.c", &[]);
    for mpi in installed() {
        let out = folder("names", mpi);
        run(mpi.command(2).arg(&program), &out).expect(0, &["right: the last EDT on node 0"]);
    }
}

/// A call for an object of another kind, or one that can never be right, is refused with the status of one node.
#[test]
fn what_cannot_be_right_is_refused_at_once() {
    for mpi in installed() {
        for nodes in [1, 2] {
            run_elsewhere(mpi, nodes, &["codes"]).expect(0, &["right: 0"]);
        }
    }
}

/// In strict mode the owner of an object says what is wrong with a call of another node, and names the EDT there. What
/// is wrong with the arguments alone, the caller's node says.
#[test]
fn strict_mode_names_what_other_nodes_do_wrong() {
    let program = compile("strict", "strict.c", &[]);
    let of_node_1 = " of node 1: ";
    let cases = [
        ("twice", "OCR-1.4.3-d", "was satisfied twice", of_node_1),
        ("gone", "OCR-2.6.2-a", "was used after it had been destroyed", of_node_1),
        ("slot", "OCR-2.8.1-d", "slot 99 is out of range", of_node_1),
        ("taken", "OCR-2.8.1-f", "pre-slot 0 is connected already", of_node_1),
        ("destroyed", "OCR-2.6.2-a", "was destroyed twice", of_node_1),
        ("bare", "OCR-2.6.1-b", "that was created without EVT_PROP_TAKES_ARG", of_node_1),
        ("kind", "OCR-arguments-e", "is an EDT", ": ocrEventDestroy(guid "),
        ("unheld", "OCR-2.5.3-b", "the EDT has not acquired the data block", ": ocrDbRelease(db "),
        ("data", "OCR-arguments-e", "is an EDT", ": ocrEventSatisfy(eventGuid "),
        ("written", "OCR-2.5.3-c", "a data block was written while EDT", " held it in mode DB_MODE_CONST"),
    ];
    for mpi in installed() {
        for (misuse, rule, what, whom) in cases {
            let out = folder("strict", mpi);
            let answer = run(mpi.command(2).arg(&program).arg(misuse).env("OCR_CHECK", "strict"), &out);
            answer.expect(1, &["ocr: error: strict mode: ", &format!("the rule: [{rule}]"), what]);
            assert!(answer.stderr.contains(&format!("(misuser){whom}")), "{misuse}: {answer:?}");
            assert_eq!(answer.count("is gone: its process"), 0, "{misuse}: {answer:?}");
            assert_eq!(answer.count("panicked"), 0, "{misuse}: {answer:?}");
        }
        let out = folder("strict", mpi);
        let answer = run(mpi.command(2).arg(&program).arg("none").env("OCR_CHECK", "strict"), &out);
        answer.expect(0, &[]);
        assert_eq!(answer.count("ocr: error"), 0, "{answer:?}");
    }
}

/// An EDT of another node than 0 ends the program, crashes, or waits for what never comes.
#[test]
fn edts_of_other_nodes_end_the_program() {
    for mpi in installed() {
        run_elsewhere(mpi, 2, &["shutdown"]).expect(0, &["on node 1"]);
        let answer = run_elsewhere(mpi, 2, &["abort"]);
        answer.expect(7, &["on node 1"]);
        run_elsewhere(mpi, 2, &["abort-0"]).expect(0, &["on node 1"]);
        let answer = run_elsewhere(mpi, 3, &["crash"]);
        assert_ne!(answer.status, Some(0), "{answer:?}");
        assert_eq!(answer.count("crashed with SIGSEGV"), 1, "{answer:?}");
        assert_eq!(answer.count("is gone"), 0, "{answer:?}");
        let answer = run_elsewhere(mpi, 3, &["exit"]);
        answer.expect(3, &["on node 1"]);
        assert_eq!(answer.count("is gone"), 0, "{answer:?}");
        run_elsewhere(mpi, 3, &["exit-0"]).expect(0, &["on node 1", "node 1 has called exit(0)"]);
        run_elsewhere(mpi, 2, &["hang"]).expect(1, &["on node 1", "ocr: error: the program hangs", "No EDT waits"]);
    }
}

/// Node 0 says what waits on all nodes, and on what of which node.
#[test]
fn one_message_says_what_waits_on_all_nodes() {
    for mpi in installed() {
        let answer = run_elsewhere(mpi, 3, &["waits"]);
        answer.expect(1, &["ocr: error: the program hangs", "\n  on node 0:\n", "\n  on node 1:\n"]);
        let names = |node, text: &str| {
            let lines = answer.stderr.lines().filter(|line| line.contains(&format!(" of node {node} waits on {text}")));
            lines.filter(|line| line.trim().starts_with("pre-slot ")).count()
        };
        assert_eq!((names(0, "the sticky event"), names(1, "the sticky event")), (1, 1), "{answer:?}");
        assert_eq!(names(1, "the once event"), 1, "{answer:?}");
        assert_eq!(answer.count("on node 2"), 0, "{answer:?}");
    }
}

/// What EDTs of all nodes do with labels, ranges and maps of node 0 is as on one node.
#[test]
fn labels_and_maps_are_used_from_all_nodes() {
    let program = compile("labels", "labels.c", &[]);
    let parts = ["events", "blocks", "edts", "wait", "tuples", "creator", "sums", "again", "copy", "progress"];
    for mpi in installed() {
        for nodes in [1, 2, 3] {
            for part in parts {
                let out = folder(&format!("labels-{nodes}-{part}"), mpi);
                run(mpi.command(nodes).arg(&program).args([part, "20"]), &out).expect(0, &["right: "]);
            }
        }
    }
}

/// EDTs of several nodes read a block at a time, and none sees it half written.
#[test]
fn blocks_are_read_and_written_by_all_nodes() {
    let program = compile("readers", "readers.c", &[]);
    let parts = [["rounds", "20", "10"], ["rounds", "20", "20000"], ["mix", "60", "10"], ["mix", "60", "20000"]];
    for mpi in installed() {
        for nodes in [1, 2, 3] {
            for part in parts {
                let out = folder(&format!("readers-{nodes}-{}", part.join("-")), mpi);
                run(mpi.command(nodes).arg(&program).args(part), &out).expect(0, &["right: "]);
            }
        }
        // A block stays on each node that reads it: it goes to node 1 to be written, and back, and there to be read.
        let mut command = mpi.command(2);
        command.arg(&program).args(["steps", "100", "20000"]).env("OCR_STATS", "1");
        run(&mut command, &folder("steps", mpi)).expect(0, &["right: 0", "alone), 320000 bytes of blocks"]);
    }
}

/// Small blocks go with what starts EDTs that read them, while EDTs of all nodes write them. Where the words are many,
/// some blocks are too large for that.
#[test]
fn blocks_that_go_along_are_never_older_than_what_an_edt_may_know() {
    let program = compile("along", "along.c", &[]);
    for mpi in installed() {
        let slow = slow_pair(mpi);
        for (nodes, is_slow) in [(1, false), (2, false), (3, false), (3, true), (4, false)] {
            for (seed, words) in [("1", "10"), ("2", "10"), ("3", "4000")] {
                let out = folder(&format!("along-{nodes}-{is_slow}-{seed}"), mpi);
                let mut command = mpi.command(nodes);
                command.args(["env", if seed == "1" { "OCR_WORKERS=1" } else { "OCR_WORKERS=2" }]);
                if is_slow {
                    command.arg(&slow);
                }
                let answer = run(command.arg(&program).args(["10", "40", seed, words]), &out);
                answer.expect(0, &["right: all chains have ended"]);
            }
        }
    }
}

/// The message comes from a node that has a block or label, or needs it, and is the only one.
#[test]
fn objects_that_stay_on_their_node_say_so() {
    let cases = [
        ("chunk", "to write it, which is a chunk of a file. On several nodes"),
        ("foreign-label", "A creation on a label is about"),
    ];
    for mpi in installed() {
        for (what, text) in cases {
            let out = folder(what, mpi);
            let answer = run(mpi.command(2).arg(elsewhere()).arg(what).arg(out.join("file")), &out);
            answer.expect(1, &["ocr: error:", text]);
        }
    }
}

/// A chunk of a file is read on other nodes.
#[test]
fn a_chunk_of_a_file_is_read_on_other_nodes() {
    for mpi in installed() {
        let out = folder("chunk-to-read", mpi);
        let mut command = mpi.command(2);
        command.arg(elsewhere()).arg("chunk-to-read").arg(out.join("file"));
        run(&mut command, &out).expect(0, &["right: 4711 on node 1"]);
    }
}

fn values() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compile("values", "values.c", &[]))
}

/// Runs a part of that program on some numbers of nodes, with the objects on each node in turn.
fn run_values(part: &str) {
    for mpi in installed() {
        for (nodes, there) in [(1, "0"), (2, "0"), (2, "1"), (3, "1"), (4, "3")] {
            for workers in ["1", "3"] {
                let out = folder(&format!("values-{part}-{nodes}-{there}-{workers}"), mpi);
                let mut command = mpi.command(nodes);
                command.arg(values()).args([part, there]).env("OCR_WORKERS", workers);
                run(&mut command, &out).expect(0, &["right: "]);
            }
        }
    }
}

/// EDTs and events of any node get contents by value, in one message or behind it, from EDTs and events of any other.
#[test]
fn contents_are_passed_by_value_to_all_nodes() {
    run_values("value");
}

/// A block is divided by an EDT of another node, which has it. EDTs of all nodes write and read its parts, and destroy
/// them or have them copied back.
#[test]
fn parts_are_made_and_used_by_all_nodes() {
    run_values("parts");
}

/// All nodes acquire parts, parts of parts and other blocks in one order, or EDTs would wait for each other.
#[test]
fn parts_are_acquired_in_one_order() {
    run_values("order");
}

/// EDTs that run on other nodes when the program ends have what they wait for in calls, as on one node; what never
/// comes they wait for in vain.
#[test]
fn edts_of_all_nodes_are_served_until_they_end() {
    let program = compile("ends", "ends.c", &[]);
    for mpi in installed() {
        for nodes in [2, 3] {
            let of = |what: &str| {
                let out = folder(&format!("ends-{nodes}-{what}"), mpi);
                let answer = run(mpi.command(nodes).arg(&program).arg(what), &out);
                assert_eq!(answer.count("ocr: error"), 0, "{answer:?}");
                answer
            };
            of("served").expect(0, &["asked all on node 0", "answered all on node 1"]);
            of("vain").expect(0, &["waited in vain on node 1"]);
            of("looks").expect(0, &["ocr: warning: the run ends without"]);
        }
    }
}

/// The seismic example on two nodes has the result of one, to the last bit.
#[test]
fn an_example_has_one_result_on_any_number_of_nodes() {
    let checksum = |answer: &Answer| {
        let line = answer.stdout.lines().find(|line| line.starts_with("checksum: "));
        line.map(str::to_string).unwrap_or_else(|| panic!("no checksum: {answer:?}"))
    };
    for mpi in installed() {
        let out = folder("seismic", mpi);
        let of = |nodes: usize| {
            let mut command = mpi.command(nodes);
            command.arg(support::root().join("build/examples/seismic")).env("OCR_DEVICES", "none");
            command.args(["--width", "256", "--height", "256", "--iterations", "40", "--bands", "6", "--check"]);
            let answer = run(&mut command, &out);
            assert_eq!((answer.status, answer.count("check: ok")), (Some(0), 1), "{answer:?}");
            checksum(&answer)
        };
        let one = of(1);
        assert_eq!([of(2), of(3)], [one.clone(), one]);
    }
}

/// What the launcher's variables say alone, without one.
#[test]
fn more_nodes_than_there_may_be_are_an_error() {
    let out = folder("limit", ALL[1]);
    let mut command = Command::new(program());
    command.arg("sum").envs([("PMI_SIZE", "5000"), ("PMI_RANK", "0")]);
    run(&mut command, &out).expect(2, &["ocr: error:", "5000 processes", "at most 4096 nodes"]);
}

/// One node is as no launcher, and so is `OCR_NODES=1`: then each process runs the whole program.
#[test]
fn mpi_is_loaded_for_several_nodes_alone() {
    let out = folder("maps", ALL[0]);
    run(Command::new(program()).arg("maps"), &out).expect(0, &["no MPI is loaded"]);
    for mpi in installed() {
        run_program(mpi, 1, &out, &["maps"]).expect(0, &["no MPI is loaded"]);
        run_program(mpi, 2, &out, &["maps"]).expect(0, &["\nMPI is loaded"]);
        let answer = run(mpi.command(2).arg(program()).arg("maps").env("OCR_NODES", "1"), &out);
        assert_eq!((answer.status, answer.count("no MPI is loaded")), (Some(0), 2), "{answer:?}");
    }
    let needed = Command::new("readelf").arg("-d").arg(support::root().join("build/lib/libocr.so")).output();
    let needed = needed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    assert!(!needed.contains("libmpi"), "{needed}");
}

/// A program that an EDT starts inherits what the launcher has said, and is a program of its own.
#[test]
fn a_child_of_a_node_runs_alone() {
    for mpi in installed() {
        let out = folder("child", mpi);
        let answer = run_program(mpi, 2, &out, &["child", &program().display().to_string()]);
        answer.expect(0, &["sum 5050", "the child has ended with 0", "the fork has ended with 0"]);
    }
}

/// Processes of a launch that each run alone have children that run alone, too.
#[test]
fn a_child_of_a_process_that_runs_alone_runs_alone() {
    let own_main = compile("own-main", "own-main.c", &[]);
    for mpi in installed() {
        let out = folder("alone", mpi);
        for command in [[].as_slice(), &["-ocr:nodes", "1"]] {
            let parent = if command.is_empty() { &own_main } else { program() };
            let answer = run(mpi.command(2).arg(parent).args(command).arg("child").arg(program()), &out);
            assert_eq!(answer.status, Some(0), "{answer:?}");
            assert_eq!(answer.count("sum 5050"), 2, "{command:?}: {answer:?}");
            assert_eq!(answer.count("the child has ended with 0"), 2, "{command:?}: {answer:?}");
        }
    }
}

#[test]
fn a_program_with_its_own_main_joins_when_it_says_so() {
    let program = compile("own-main", "own-main.c", &[]);
    for mpi in installed() {
        let out = folder("own", mpi);
        let answer = run(mpi.command(2).arg(&program), &out);
        assert_eq!((answer.status, answer.count("main\n"), answer.count("over")), (Some(0), 2, 2), "{answer:?}");
        let answer = run(mpi.command(2).arg(&program).env("OCR_NODES", "mpi"), &out);
        answer.expect(0, &["run 1", "run 2", "over"]);
        assert_eq!(answer.count("main\n"), 2, "{answer:?}");
        run(mpi.command(2).arg(&program).arg("7").env("OCR_NODES", "mpi"), &out).expect(7, &["run 1", "run 2", "over"]);
        // The other nodes have objects of the first run.
        let answer = run(mpi.command(2).arg(&program).arg("away").env("OCR_NODES", "mpi"), &out);
        answer.expect(1, &["run 1", "ocr: error: ocrLegacyInit: an earlier run of this program has used other nodes"]);
        assert_eq!(answer.count("run 2"), 0, "{answer:?}");
    }
}

/// MPI knows of one process and is ended. It cannot begin anew, neither for the second run nor in a child.
#[test]
fn a_process_that_mpi_finds_alone_has_a_second_run() {
    let own_main = compile("own-main", "own-main.c", &[]);
    for mpi in installed() {
        let out = folder("single", mpi);
        // What root needs is set by this, and the launcher's part is left out.
        let with_root = mpi.command(1);
        let mut command = Command::new(&own_main);
        for (name, value) in with_root.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.arg("child").arg(program()).env("OCR_NODES", "mpi").env("OCR_MPI", mpi.plugin());
        let answer = run(&mut command, &out);
        answer.expect(0, &["main\n", "run 1", "sum 5050", "the child has ended with 0", "run 2", "over"]);
    }
}

/// The first process of a machine without the plug-in says so, though it is not rank 0: the others wait for it in MPI.
#[test]
fn a_plugin_that_one_machine_lacks_is_an_error() {
    for mpi in installed() {
        let out = folder("lacks", mpi);
        let mut command = mpi.command(1);
        command.arg(program()).args(["sum", ":", "-n", "1", "env", "OCR_MPI=/nowhere/plugin.so", "MPI_LOCALRANKID=0"]);
        let text = "/nowhere/plugin.so cannot be loaded";
        let mut running = Running::start(command.arg(program()).arg("sum"), &out);
        running.wait_until("the error", |run| run.read("stderr").contains(text));
        // The launcher of MPICH goes on, and would end after minutes.
        // SAFETY: the call sends a signal to a process that this test has started, which has not been waited for.
        unsafe { libc::kill(running.child.id() as i32, libc::SIGTERM) };
        // With which status a launcher ends that was asked to, is the launcher's.
        let answer = running.end();
        assert_eq!((answer.count(text), answer.count("mainEdt")), (1, 0), "{answer:?}");
    }
}

/// A message that fails is reported once, though MPI fails each time that it is asked.
#[test]
fn messages_that_fail_end_all_nodes_once() {
    for mpi in installed() {
        let out = folder("failing", mpi);
        let compiler = Command::new(format!("mpicc.{}", mpi.name));
        let failing =
            compile_by(compiler, &format!("failing-{}.so", mpi.name), "failing-sends.c", &["-fPIC", "-shared"]);
        let mut command = mpi.command(1);
        command.arg("env").arg(format!("LD_PRELOAD={}", failing.display())).arg(program()).arg("stay");
        command.args([":", "-n", "1"]).arg(program()).arg("stay");
        let mut running = Running::start(&mut command, &out);
        // The program does not end by itself.
        running.wait_until("the end", |run| run.child.try_wait().expect("it is a child").is_some());
        let answer = running.end();
        assert_ne!(answer.status, Some(0), "{answer:?}");
        for text in ["ocr: error: a node cannot be reached any more", "a thread reports the loss"] {
            assert_eq!(answer.count(text), 1, "{text}: {answer:?}");
        }
    }
}

#[test]
fn a_node_that_is_killed_ends_all() {
    for mpi in installed() {
        for killed in [0, 1] {
            let out = folder("killed", mpi);
            let mut running =
                Running::start(mpi.command(3).arg(program()).arg("stay").env("OCR_TEST_FOLDER", &out), &out);
            running.wait_until("mainEdt", |run| run.read("stdout").contains("waits"));
            let pids = processes(&out);
            // SAFETY: the call ends a process that this test has started, which has not been waited for.
            unsafe { libc::kill(pids[killed], libc::SIGKILL) };
            // The program does not end by itself.
            running.wait_until("the end", |run| run.child.try_wait().expect("it is a child").is_some());
            let answer = running.end();
            assert_ne!(answer.status, Some(0), "{answer:?}");
            // A launcher may end the others before they can say anything, and says it itself: MPICH's mostly, and that
            // of Open MPI where it is the first to see it.
            if mpi.name == "openmpi" {
                let words = format!("ocr: error: node {killed} (process {} on ", pids[killed]);
                let by_launcher = answer.stderr.contains(&format!("process rank {killed} with PID"));
                assert!(answer.count(&words) == 1 || by_launcher, "{answer:?}");
                assert_eq!(answer.count("is gone"), answer.count(&words), "{answer:?}");
            }
        }
    }
}

#[test]
fn a_node_that_is_stopped_is_waited_for() {
    for mpi in installed() {
        let out = folder("stopped", mpi);
        let mut running = Running::start(mpi.command(2).arg(program()).arg("wait").env("OCR_TEST_FOLDER", &out), &out);
        running.wait_until("mainEdt", |run| run.read("stdout").contains("waits"));
        let stopped = processes(&out)[1];
        // SAFETY: the call stops a process that this test has started, which has not been waited for.
        unsafe { libc::kill(stopped, libc::SIGSTOP) };
        drop(running.child.stdin.take());
        running.wait_until("the note", |run| run.read("stderr").contains("If its process is stopped"));
        // SAFETY: as above; it goes on.
        unsafe { libc::kill(stopped, libc::SIGCONT) };
        running.end().expect(0, &["the program has ended on node 0, and node 1 (process"]);
    }
}

/// Nodes of one machine share its cores, and the report says so.
#[test]
fn nodes_share_the_cores_of_their_machine() {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    for mpi in installed() {
        let out = folder("cores", mpi);
        let report = out.join("report.json");
        let workers = |nodes: usize, variables: &[(&str, &str)]| {
            let mut command = mpi.command(nodes);
            // A report of an earlier run of this job would keep the name.
            let _ = fs::remove_file(&report);
            command.arg(program()).arg("sum").env("OCR_REPORT", &report).envs(variables.iter().copied());
            run(&mut command, &out).expect(0, &["sum 5050"]);
            let text = fs::read_to_string(&report).expect("the report is written");
            let report: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
            (report["workers"].as_u64(), text)
        };
        let (number, text) = workers(2, &[]);
        assert_eq!(number, Some((cores / 2).max(1) as u64), "{text}");
        assert!(text.contains("The program ran on 2 nodes"), "{text}");
        assert_eq!(workers(2, &[("OCR_WORKERS", "3")]).0, Some(3));
        assert_eq!(workers(1, &[]).0, Some(cores as u64));
    }
}

/// Has the command `ocr` do something, and expects that it ends so. What it says.
fn ocr(words: &[&str], file: &Path, is_right: bool) -> String {
    let output = Command::new(support::root().join("build/bin/ocr")).args(words).arg(file).output();
    let output = output.expect("make has made the command");
    let [said, errors] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert_eq!(output.status.success(), is_right, "{words:?}: {said}{errors}");
    said + &errors
}

/// Runs the program on so many nodes, and has it recorded into the file of this name in a folder of the run.
fn record(mpi: Mpi, nodes: usize, args: &[&str], name: &str) -> PathBuf {
    let out = folder(&format!("recorded-{nodes}-{}-{name}", args.join("-")), mpi);
    let file = out.join(name);
    let answer = run(mpi.command(nodes).arg(elsewhere()).args(args).env("OCR_TRACE", &file), &out);
    assert_eq!((answer.status, answer.count("right")), (Some(0), 1), "{answer:?}");
    file
}

/// Each node has a recording of its own, and the tools read them as one run: with the workers of all nodes, each EDT
/// once, and what one node leads to on another.
#[test]
fn all_nodes_record_one_run() {
    let of_all: [(&[&str], Option<usize>); 5] = [
        (&["chain", "20"], Some(22)),
        (&["scope", "5"], Some(33)),
        (&["events", "5"], Some(63)),
        (&["returned", "5"], None),
        (&["labels", "3"], None),
    ];
    for mpi in installed() {
        for (args, edts) in of_all {
            for nodes in [2, 3] {
                let file = record(mpi, nodes, args, "t.ocrtrace");
                for node in 1..nodes {
                    assert!(file.with_file_name(format!("t.node{node}.ocrtrace")).is_file());
                }
                let found = ocr(&["trace", "check"], &file, true);
                assert!(found.contains("whole, and nothing is wrong"), "{args:?}: {found}");
                if let Some(edts) = edts {
                    assert!(found.contains(&format!(", {edts} EDTs")), "{args:?}: {found}");
                }
            }
        }
        let file = record(mpi, 2, &["chain", "20"], "t.ocrtrace");
        // The eighth is on node 1 and was created by the seventh, on node 0.
        let said = ocr(&["explain"], &file, true);
        assert!(said.contains("22 EDTs"), "{said}");
        let output =
            Command::new(support::root().join("build/bin/ocr")).arg("explain").arg(&file).arg("hop#8").output();
        let said = String::from_utf8_lossy(&output.expect("it is there").stdout).into_owned();
        for text in ["by EDT 0x", "(hop)", "It ran on workers (node 1, ocr-worker-"] {
            assert!(said.contains(text), "no `{text}`: {said}");
        }
    }
}

/// A recorded run of a program on two nodes, in a folder of its own.
fn recorded_run(mpi: Mpi, program: &Path, args: &[&str], variables: &[(&str, &str)]) -> PathBuf {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let out = folder(&format!("recorded-{name}-{}", args.join("-")), mpi);
    let file = out.join("t.ocrtrace");
    let mut command = mpi.command(2);
    command.arg(program).args(args).env("OCR_TRACE", &file).env("OCR_DEVICES", "none").env("OCR_WORKERS", "1");
    let answer = run(command.envs(variables.iter().copied()), &out);
    assert_eq!(answer.status, Some(0), "{answer:?}");
    file
}

/// Causes that only programs on several nodes have come first, and are not named where all is on one node.
#[test]
fn causes_of_several_nodes_are_named() {
    let program = compile("causes", "causes.c", &["-O2"]);
    let causes: [(&str, &[&str]); 2] = [
        ("answers", &["EDTs of asker wait for other nodes", "create objects on the node that uses them"]),
        ("between_nodes", &["goes from node to node", "for EDTs of mover", "Run the EDTs that use it on one node"]),
    ];
    for mpi in installed() {
        for (rule, words) in causes {
            let explain = |args: &[&str]| {
                let said = ocr(&["explain", "--json"], &recorded_run(mpi, &program, args, &[]), true);
                let json: serde_json::Value = serde_json::from_str(&said).expect("it is JSON");
                json["run"]["findings"].as_array().expect("a list").clone()
            };
            let found = explain(&[rule]);
            assert_eq!(found.first().map(|its| &its["rule"]), Some(&rule.into()), "{found:#?}");
            let said = format!("{} {}", found[0]["text"], found[0]["advice"]);
            for word in words {
                assert!(said.contains(word), "no `{word}` in {said}");
            }
            let found = explain(&[rule, "control"]);
            assert!(found.iter().all(|its| its["rule"] != rule), "{found:#?}");
        }
    }
}

/// Pairs of EDTs on any nodes that nothing orders are found, and right programs have none.
#[test]
fn races_are_found_on_several_nodes() {
    let program = compile("pairs", "../../crates/ocr-cli/tests/check/pairs.c", &[]);
    // Of the other programs of that file, `late` is not found on several nodes, and the rest were not tried there.
    let names = [
        "writers",
        "reader",
        "default-mode",
        "parts",
        "destroyed-event",
        "channel",
        "latch",
        "finish",
        "returned",
        "event-again",
    ];
    for mpi in installed() {
        for name in names {
            let check = |how: &str, is_right: bool| {
                let file = recorded_run(mpi, &program, &[name, how], &[("OCR_PLACE", "round")]);
                ocr(&["check"], &file, is_right)
            };
            let said = check("wrong", false);
            assert!(said.contains("race: ") && said.contains("nothing orders them"), "{name}: {said}");
            let said = check("right", true);
            assert!(said.contains("all that matters is ordered by the program"), "{name}: {said}");
        }
    }
}

/// Without the recordings of all nodes it is not known what orders EDTs.
#[test]
fn races_are_not_looked_for_where_a_recording_is_missing() {
    for mpi in installed() {
        let file = record(mpi, 2, &["chain", "14"], "t.ocrtrace");
        ocr(&["check"], &file, true);
        fs::remove_file(file.with_file_name("t.node1.ocrtrace")).expect("it is there");
        let said = ocr(&["check"], &file, false);
        assert!(said.contains("the run had 2 nodes") && said.contains("it is not known what orders"), "{said}");
    }
}

/// Files that are not of this run are passed over, and nodes without one are named.
#[test]
fn a_node_whose_recording_is_missing_is_named() {
    for mpi in installed() {
        let earlier = record(mpi, 2, &["chain", "10"], "t.ocrtrace").with_file_name("t.node1.ocrtrace");
        let file = record(mpi, 2, &["chain", "12"], "t.ocrtrace");
        let other = file.with_file_name("t.node1.ocrtrace");
        fs::copy(&earlier, &other).expect("target/ can be written");
        let said = ocr(&["trace", "check"], &file, false);
        for text in ["cut: the run had 2 nodes, and the recordings of these are not in the", "is of another run"] {
            assert!(said.contains(text), "no `{text}`: {said}");
        }
        assert!(!said.contains("wrong: "), "{said}");
        fs::remove_file(&other).expect("it is there");
        let said = ocr(&["trace", "show"], &file, true);
        assert!(said.contains("the run had 2 nodes") && said.contains("node 0, ocr-worker-0"), "{said}");
    }
}

/// The recording of a node that is killed is whole up to then.
#[test]
fn a_node_that_is_killed_leaves_its_recording() {
    for mpi in installed() {
        let out = folder("killed-recorded", mpi);
        let file = out.join("t.ocrtrace");
        let mut command = mpi.command(2);
        command.arg(program()).arg("stay").env("OCR_TEST_FOLDER", &out).env("OCR_TRACE", &file);
        let mut running = Running::start(&mut command, &out);
        let of_killed = out.join("t.node1.ocrtrace");
        running.wait_until("mainEdt", |run| run.read("stdout").contains("waits") && of_killed.is_file());
        let killed = processes(&out)[1];
        // SAFETY: the call ends a process that this test has started, which has not been waited for.
        unsafe { libc::kill(killed, libc::SIGKILL) };
        // The program does not end by itself.
        running.wait_until("the end", |run| run.child.try_wait().expect("it is a child").is_some());
        running.end();
        let said = ocr(&["trace", "check"], &file, false);
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("the recording of node 1 (process {killed} on ")), "{said}");
        assert!(!said.contains("wrong: ") && said.contains("begun and not ended: EDT"), "{said}");
    }
}

/// A file for viewers is made by node 0, of all nodes.
#[test]
fn a_page_shows_the_workers_of_all_nodes() {
    for mpi in installed() {
        let page = record(mpi, 2, &["events", "5"], "t.html");
        let text = fs::read_to_string(&page).expect("node 0 has written it");
        for node in 0..2 {
            assert!(text.contains(&format!("node {node}, ocr-worker-0")));
        }
        assert!(page.with_file_name("t.node1.html.recording").is_file());
    }
}

/// The command compares programs that a launcher starts, each with the recordings of all its nodes.
#[test]
fn programs_of_a_launcher_are_compared() {
    for mpi in installed() {
        let out = folder("compared", mpi);
        let launched = mpi.command(2);
        let mut command = Command::new(support::root().join("build/bin/ocr"));
        command.args(["compare", "--policies", "cpu,eager", "--runs", "2", "--bounds", "--json", "--"]);
        command.arg(launched.get_program()).args(launched.get_args()).arg(elsewhere()).args(["events", "5"]);
        command.envs(launched.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let answer = run(&mut command, &out);
        assert_eq!(answer.status, Some(0), "{answer:?}");
        assert_eq!(answer.stdout.matches("\"programs\": 1").count(), 4, "{answer:?}");
        assert_eq!(answer.stdout.matches("\"failure\": null").count(), 2, "{answer:?}");
        assert_eq!(answer.stdout.matches("\"edts\": 63").count(), 2, "{answer:?}");
    }
}
