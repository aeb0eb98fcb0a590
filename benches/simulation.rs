//! What `ocr simulate` predicts, against what runs take: the three larger examples, under each policy, with one worker
//! and with two. Each is recorded under `static:1:1`, where functions and kernels run, and replayed under the others.
//!
//! `cargo bench --bench simulation`. What each figure means and what is expected: `benches/README.md`.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Case, Source, Table, built, fail, median, wanted};

/// The policies that are predicted, besides the one that is recorded.
const POLICIES: [&str; 5] = ["cpu", "eft", "eager", "heteroprio", "device"];
/// How often each is run; the shortest counts, since nothing but other programs lengthens a run.
const ROUNDS: usize = 5;

/// An example with its options.
struct Job {
    name: &'static str,
    files: &'static [&'static str],
    options: &'static [&'static str],
}

const JOBS: [Job; 3] = [
    Job {
        name: "levenshtein",
        files: &["examples/levenshtein.c", "examples/common/edit-distance.c"],
        options: &["--quiet", "--random", "100000"],
    },
    Job { name: "seismic", files: &["examples/seismic.c"], options: &["--iterations", "200"] },
    Job { name: "cholesky", files: &["examples/cholesky.c"], options: &[] },
];

/// What `ocr simulate` says of a recording under these policies.
fn simulate(ocr: &Path, recording: &Path, policies: &[&str]) -> Value {
    let mut command = Command::new(ocr);
    command.arg("simulate").arg(recording).args(["--json", "--policy", &policies.join(",")]);
    let output = command.output().unwrap_or_else(|error| fail(&format!("{}: {error}", ocr.display())));
    if !output.status.success() {
        fail(&format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| fail(&format!("{command:?}: {error}")))
}

/// The shortest of some recorded runs under a policy, in seconds, and its recording.
struct Shortest {
    seconds: f64,
    recording: PathBuf,
}

/// Runs an example under each policy, alternating, and keeps the shortest recording of each.
fn runs(ocr: &Path, job: &Job, program: &Path, workers: usize, policies: &[&str]) -> Vec<Option<Shortest>> {
    let folder = support::root().join("build/benches/simulation");
    let _ = std::fs::create_dir_all(&folder);
    let models = folder.join(format!("models-{}-{workers}", job.name));
    let mut shortest: Vec<Option<Shortest>> = policies.iter().map(|_| None).collect();
    let rounds = if support::measuring() { ROUNDS } else { 1 };
    for round in 0..rounds {
        for (policy, shortest) in policies.iter().zip(&mut shortest) {
            let name = format!("{}-{workers}-{}-{round}.ocrtrace", job.name, policy.replace(':', "-"));
            let recording = folder.join(name);
            let _ = std::fs::remove_file(&recording);
            Case::new(policy, program, job.options, workers, "seconds")
                .with("OCR_DEVICES", "all")
                .with("OCR_SCHED", policy)
                .with("OCR_MODELS", &models.display().to_string())
                .with("OCR_TRACE", &recording.display().to_string())
                .run();
            let seconds = simulate(ocr, &recording, &["cpu"])["recorded"]["seconds"].as_f64().unwrap_or(f64::NAN);
            if shortest.as_ref().is_none_or(|known| seconds < known.seconds) {
                *shortest = Some(Shortest { seconds, recording });
            }
        }
    }
    shortest
}

fn main() {
    let Some(ocr) = built("build/bin/ocr", "make") else {
        return println!("left out: build/bin/ocr is missing: run `make` first");
    };
    let headings = ["example", "workers", "policy", "predicted ms", "real ms", "predicted / real"];
    let mut table = Table::new("What `ocr simulate` predicts", &headings);
    let mut off = Vec::new();
    for job in JOBS.iter().filter(|job| wanted(&format!("simulation/{}", job.name))) {
        let source = Source { name: job.name, files: job.files, flags: &["-O3", "-march=native"], ocr: true };
        let program = source.compile();
        for workers in [1, 2] {
            let all = [&["static:1:1"], &POLICIES[..]].concat();
            let shortest = runs(&ocr, job, &program, workers, &all);
            let [Some(recorded), real @ ..] = &shortest[..] else {
                continue;
            };
            let predicted = simulate(&ocr, &recorded.recording, &POLICIES);
            for (policy, real) in POLICIES.iter().zip(real) {
                let rows = predicted["simulated"].as_array().map_or(&[][..], Vec::as_slice);
                let row = rows.iter().find(|row| row["policy"] == *policy);
                let seconds = row.and_then(|row| row["seconds"].as_f64());
                let (Some(seconds), Some(real)) = (seconds, real) else {
                    continue;
                };
                let ratio = seconds / real.seconds;
                off.push(ratio.ln().abs());
                let ms = |seconds: f64| format!("{:.1}", 1e3 * seconds);
                let cells = [ms(seconds), ms(real.seconds), format!("{ratio:.2}")];
                let first = [job.name.to_string(), workers.to_string(), (*policy).to_string()];
                table.row(&[&first[..], &cells].concat());
            }
        }
    }
    if off.is_empty() {
        return;
    }
    table.print();
    let worst = off.iter().copied().fold(0.0, f64::max);
    println!("off by {:.0} % in the median, {:.0} % at worst", 100.0 * median(&off).exp_m1(), 100.0 * worst.exp_m1());
}
