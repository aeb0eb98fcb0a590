//! Cases run in a process of their own, many in one: a crash, a hang or a fatal error of the runtime
//! ends that process, and the test goes on.

use crate::faults::Counts;
use crate::graph::Case;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The variable that makes a process one that runs cases.
pub(crate) const VARIABLE: &str = "OCR_STRESS_CHILD";

/// What a process says of a case.
#[derive(Serialize, Deserialize)]
struct Answer {
    failures: Vec<String>,
    counts: Counts,
    resident_kib: u64,
}

/// The other process: a case a line in, an answer a line out.
pub(crate) fn serve() {
    let mut line = String::new();
    // No other thread: the runtime looks whether there are some before it calls a hang a hang.
    while std::io::stdin().read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        let Ok(case) = serde_json::from_str::<Case>(&line) else {
            eprintln!("this is not a case: {line}");
            std::process::exit(2);
        };
        let (failures, counts) = crate::run::run(&case);
        let answer = Answer { failures, counts, resident_kib: resident_kib() };
        match serde_json::to_string(&answer) {
            Ok(text) => println!("{text}"),
            Err(error) => eprintln!("{error}"),
        }
        line.clear();
    }
}

fn resident_kib() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0u64) * 4
}

/// A process that runs cases.
pub(crate) struct Runner {
    process: Option<Process>,
    log: PathBuf,
    /// Whether it is to have several devices.
    several: bool,
    /// What fails there; nothing if it is empty.
    failing: Vec<(&'static str, String)>,
    /// The most memory that a process has used.
    pub(crate) resident_kib: u64,
    /// What has gone wrong on purpose.
    pub(crate) counts: Counts,
}

struct Process {
    child: Child,
    answers: Receiver<String>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder of logs and of graphs that fail. Where the tests were carried to another machine, the one that was there
/// when they were compiled may be missing.
pub(crate) fn folder() -> PathBuf {
    match std::env::var_os("OCR_TEST_ROOT") {
        Some(root) => PathBuf::from(root).join("target"),
        None => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
    }
}

impl Runner {
    /// With `several`, PoCL shows two devices there, unless `POCL_DEVICES` says which. `failing` is more of the
    /// environment, by which calls of OpenCL fail.
    pub(crate) fn new(name: &str, several: bool, failing: Vec<(&'static str, String)>) -> Runner {
        let log = folder().join(format!("stress-{name}-{}.log", std::process::id()));
        Runner { process: None, log, several, failing, resident_kib: 0, counts: Counts::default() }
    }

    fn start(&self) -> Result<Process, String> {
        let say = |error: std::io::Error| format!("no process for the cases: {error}");
        let log = File::create(&self.log).map_err(say)?;
        let program = std::env::current_exe().map_err(say)?;
        let mut command = Command::new(program);
        // Settings come with the case.
        for setting in ocr::config::SETTINGS {
            command.env_remove(setting.variable);
        }
        if self.several {
            // As many as a GPU has, whose kernels run beside each other.
            command.env("OCR_DEVICE_QUEUES", "16");
        }
        if self.several && std::env::var_os("POCL_DEVICES").is_none() {
            command.env("POCL_DEVICES", "pthread basic");
        }
        let mut child = command
            .env(VARIABLE, "1")
            // No test writes to the cache of the user.
            .env("OCR_MODELS", "off")
            .envs(self.failing.iter().map(|(name, value)| (*name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(say)?;
        let (send, answers) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if send.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        Ok(Process { child, answers })
    }

    /// Runs a case; the error says what went wrong. Without an answer for so long, it hangs.
    pub(crate) fn run(&mut self, case: &Case, patience: Duration) -> Result<(), String> {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.start()?,
        };
        let mut text = serde_json::to_string(case).map_err(|error| error.to_string())?;
        text.push('\n');
        // If the process has ended, that is seen when it does not answer.
        if let Some(stdin) = &mut process.child.stdin {
            let _ = stdin.write_all(text.as_bytes());
        }
        match process.answers.recv_timeout(patience) {
            Ok(line) => {
                let answer: Answer =
                    serde_json::from_str(&line).map_err(|error| format!("{error} in the answer {line}"))?;
                self.resident_kib = self.resident_kib.max(answer.resident_kib);
                self.counts.add(&answer.counts);
                if answer.failures.is_empty() {
                    self.process = Some(process);
                    return Ok(());
                }
                Err(format!("{}\n{}", answer.failures.join("\n"), self.said()))
            }
            Err(RecvTimeoutError::Timeout) => {
                let stacks = stacks(process.child.id());
                Err(format!("hangs: no answer for {patience:?}\n{stacks}{}", self.said()))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = process.child.wait().map(|status| status.to_string());
                let status = status.unwrap_or_else(|error| error.to_string());
                Err(format!("the process ended: {status}\n{}", self.said()))
            }
        }
    }

    /// The end of what the process has printed.
    fn said(&self) -> String {
        let mut text = Vec::new();
        if let Ok(mut file) = File::open(&self.log) {
            let length = file.seek(SeekFrom::End(0)).unwrap_or(0);
            let _ = file.seek(SeekFrom::Start(length.saturating_sub(4000)));
            let _ = file.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.process = None;
        let _ = std::fs::remove_file(&self.log);
    }
}

/// Where the threads of a process are, if there is a debugger.
fn stacks(process: u32) -> String {
    let output = Command::new("gdb")
        .args(["-p", &process.to_string(), "-batch", "-ex", "thread apply all bt 12"])
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => format!("gdb cannot be run, which would show the threads: {error}\n"),
    }
}
