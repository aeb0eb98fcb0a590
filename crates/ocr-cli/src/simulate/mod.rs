//! `ocr simulate`: a recorded run on a machine that need not exist.
//!
//! | file | what |
//! |---|---|
//! | `nodes.rs` | `ocr simulate --nodes`: a recorded run on several nodes |

mod nodes;

use crate::compare::best::gain;
use crate::compare::options::policy_name;
use crate::explain::text_of_run;
use crate::output::{self, CommandError, check_input, output_file, own_words, print_beside, recordings};
use crate::table::{Align, Table, bytes, fit, wrap};
use clap::Args;
use ocr_analysis::explain::{Explained, Whole};
use ocr_analysis::page::{Page, PageRun};
use ocr_analysis::reasons::{SeenRun, reasons};
use ocr_analysis::recorded;
use ocr_analysis::recorded::RecordedRun;
use ocr_analysis::replay::{DeviceWish, Replay, ReplayRow, Wish};
use ocr_base::text::counted;
use ocr_base::text::duration;
use ocr_place::policy;
use std::path::PathBuf;

/// The text of the help below the options.
pub(crate) const AFTER_HELP: &str = "\
The EDTs take the times that were measured, and the policies are those that the runtime uses. They know \
from the beginning how long EDTs take, as after an earlier run; with --cold they do not. Starting an EDT costs what it cost in the \
recorded run. That EDTs slow each other down is left out.

OCR_SCHED=static:1:1 has functions and kernels run, so that both times are known; OCR_DEVICES=all has a CPU device used \
beside functions, too.

Example:
  OCR_TRACE=a.trace OCR_SCHED=static:1:1 OCR_DEVICES=all build/examples/levenshtein a.fa b.fa
  ocr simulate a.trace --workers 16 --device speed=10x,bandwidth=12GB/s,latency=10us,count=2
  ocr simulate a.trace --nodes 1,2,4,8 --workers 1 --latency 2us --bandwidth 10GB/s";

/// The policies that are simulated besides that of the recording, where none is asked for.
const POLICIES: [&str; 5] = ["cpu", "device", "static:1:1", "eager", "eft"];

/// The arguments of `ocr simulate`.
#[derive(Args)]
pub(crate) struct SimulateOptions {
    /// The recording of a run that was started with OCR_TRACE=FILE.
    file: PathBuf,

    /// Workers; by default as many as the run had. With --nodes, those of each node.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=65536))]
    workers: Option<u32>,

    /// Devices in place of those of the run: speed=10x,bandwidth=12GB/s,latency=10us,count=4. Each may be left out; the
    /// speed is that of the run's first device times so much. May be given several times.
    #[arg(long, value_name = "DEVICE")]
    device: Vec<DeviceWish>,

    /// Policies, in the order of the rows; may be given several times.
    #[arg(long, value_name = "POLICY", value_delimiter = ',', value_parser = policy_name(), hide_possible_values = true)]
    policy: Vec<String>,

    /// Policies know nothing of how long EDTs take at the beginning.
    #[arg(long)]
    cold: bool,

    /// Idle workers run EDTs, too, that a device is late with, as with OCR_DUPLICATES, where a policy asks for that.
    #[arg(long)]
    duplicates: bool,

    /// Also explains what each policy has decided, as `ocr explain` does for a recorded run.
    #[arg(long)]
    explain: bool,

    /// Writes a page for a browser: what ran where and when under each policy, and why. It needs no other file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Writes JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    nodes: nodes::NodesOptions,
}

/// How many decisions are listed for each policy at most.
const DECISIONS: usize = 5;

/// Simulates policies, and shows the results.
pub(crate) fn simulate(options: &SimulateOptions) -> Result<(), CommandError> {
    for name in &options.policy {
        policy::parse(name).map_err(|message| CommandError::usage(format!("--policy: {message}")))?;
    }
    check_input(&options.file)?;
    let html = options.html.as_deref();
    let html = html.map(|file| output_file("the page", file, recordings(&options.file)));
    let html = html.transpose()?;
    let run = recorded::read(&options.file).map_err(CommandError::failed)?;
    if !options.nodes.nodes.is_empty() {
        return nodes::on_nodes(&options.nodes, options.workers, &run, options.json);
    }
    let wish = Wish {
        workers: options.workers.map(|workers| workers as usize),
        devices: options.device.clone(),
        duplicates: options.duplicates,
    };
    let replay = Replay::new(&run, &wish).map_err(CommandError::failed)?;
    let recorded = &replay.recorded().policy;
    let mut policies = options.policy.clone();
    if policies.is_empty() {
        // A file that a recording names is not loaded unless the user names it, too: it runs code of its own.
        let known = policy::is_built_in(recorded);
        policies.extend(known.then(|| recorded.clone()));
        for name in POLICIES {
            if !policies.iter().any(|other| other == name) {
                policies.push(name.to_string());
            }
        }
    }
    let rows = policies.iter().map(|policy| replay.simulate(policy, options.cold));
    let rows: Vec<ReplayRow> = rows.collect::<Result<_, _>>().map_err(CommandError::failed)?;
    let explained = if options.explain {
        let explained = policies.iter();
        let explained = explained.map(|policy| explain(&run, &replay, policy, options));
        explained.collect::<Result<_, _>>().map_err(CommandError::failed)?
    } else {
        Vec::new()
    };
    if let Some(file) = &html {
        page(&run, &replay, &rows, options.cold)?.write(file).map_err(CommandError::failed)?;
    }
    if options.json {
        let json = json(&replay, &rows, options.cold, &explained);
        return print_beside(html.as_ref(), &json);
    }
    let mut text = text(&run.name, &replay, &rows, options.cold);
    for (run, whole) in &explained {
        text += &format!("\n{}", text_of_run(run, whole));
    }
    print_beside(html.as_ref(), &text)
}

/// The simulation of a policy as a run, and the explanation of that run. The error is a text for the user.
fn explain(
    run: &RecordedRun,
    replay: &Replay,
    policy: &str,
    options: &SimulateOptions,
) -> Result<(RecordedRun, Whole), String> {
    let mut simulated = replay.simulated(run, policy, options.cold)?;
    simulated.name = format!("{} under {policy}, simulated", run.name);
    let explained = Explained::new(&simulated).ok_or("no EDT has ended in the simulation")?;
    let whole = explained.whole(DECISIONS);
    Ok((simulated, whole))
}

/// The simulation as a page for a browser.
fn page(run: &RecordedRun, replay: &Replay, rows: &[ReplayRow], cold: bool) -> Result<Page<'static>, CommandError> {
    let mut runs = Vec::new();
    for row in rows {
        let simulated = replay.simulated(run, &row.policy, cold);
        let simulated = simulated.map_err(CommandError::failed)?;
        runs.extend(PageRun::new(&row.policy, &simulated, rows.len()));
    }
    let seen: Vec<SeenRun<'_>> = runs.iter().map(PageRun::seen).collect();
    let (best, verdict) = verdict(replay, rows);
    Ok(Page {
        command: "ocr simulate",
        command_line: Some(own_words()),
        title: (run.about.get("program")).map_or("?".into(), String::clone),
        verdict,
        reasons: reasons(best, &[], &seen),
        table: Some(table(replay, rows).into_page()),
        remarks: format!("Places: {}.\n", [&["workers".to_string()], replay.devices()].concat().join("; "))
            + &remarks(replay, rows, cold),
        runs,
    })
}

/// The policy that takes the least time, and sentences on how much that is. None and no sentence without a row.
fn verdict<'r>(replay: &Replay, rows: &'r [ReplayRow]) -> (Option<&'r str>, String) {
    let mut order: Vec<&ReplayRow> = rows.iter().collect();
    order.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    let [best, others @ ..] = &order[..] else {
        return (None, String::new());
    };
    let [_, _, mixed] = replay.bounds();
    let mut text = format!(
        "In the simulation, {} takes the least time: {}, {:.2} times as long as the least that any schedule needs.",
        best.policy,
        duration(best.seconds),
        best.seconds / mixed.max(1e-12)
    );
    if let Some(next) = others.first() {
        let gain = gain(best.seconds, next.seconds, &next.policy);
        text += &format!(" It is {gain}, the next.");
    }
    (Some(&best.policy), text)
}

/// By which part of its time the recorded run differs from the simulation of its policy on its machine: positive where
/// the simulation takes longer. None where that was not simulated.
fn off(replay: &Replay, rows: &[ReplayRow]) -> Option<f64> {
    let recorded = replay.recorded();
    let same = rows.iter().find(|row| row.policy == recorded.policy);
    let same = same.filter(|_| replay.is_recorded_machine() && recorded.seconds > 0.0)?;
    Some(same.seconds / recorded.seconds - 1.0)
}

/// The answer of `ocr simulate --json`, which `docs/guide/src/json.md` describes.
fn json(replay: &Replay, rows: &[ReplayRow], cold: bool, explained: &[(RecordedRun, Whole)]) -> String {
    let [area, path, mixed] = replay.bounds();
    let value = serde_json::json!({
        "edts": replay.edts(),
        "workers": replay.workers(),
        "places": replay.places(),
        "bounds": { "area": area, "critical_path": path, "mixed": mixed },
        "cold": cold,
        "recorded": replay.recorded(),
        "recorded_machine": replay.is_recorded_machine(),
        "simulated": rows,
        "off": off(replay, rows),
        "notes": replay.notes(),
        "explained": explained.iter().map(|(_, whole)| whole).collect::<Vec<_>>(),
    });
    output::json(&value)
}

/// Numbers for the places as a text, with a blank between two.
fn by_place<T: ToString>(values: impl Iterator<Item = T>) -> String {
    let words: Vec<String> = values.map(|value| value.to_string()).collect();
    words.join(" ")
}

/// The text that shows the results of the simulation.
fn text(name: &str, replay: &Replay, rows: &[ReplayRow], cold: bool) -> String {
    let mut text =
        format!("{name}: {} on {}", counted(replay.edts() as u64, "EDT"), counted(replay.workers() as u64, "worker"));
    for device in replay.devices() {
        text += &format!("; {device}");
    }
    let [area, path, mixed] = replay.bounds();
    text += &format!(
        "\nNo schedule ends before {}: area bound {}, critical path {}.\n\n",
        duration(mixed),
        duration(area),
        duration(path)
    );
    text = fit(&text);
    text += &table(replay, rows).text();
    text.push('\n');
    text + &wrap(&remarks(replay, rows, cold))
}

/// The table of the recorded run and the simulated policies.
fn table(replay: &Replay, rows: &[ReplayRow]) -> Table {
    let [area, path, mixed] = replay.bounds();
    let columns = [
        ("policy", Align::Left),
        ("time", Align::Right),
        ("/ area", Align::Right),
        ("/ path", Align::Right),
        ("/ mixed", Align::Right),
        ("busy %", Align::Right),
        ("EDTs", Align::Right),
        ("copied", Align::Right),
    ];
    let columns = columns.map(|(title, align)| (title.to_string(), align));
    let mut table = Table::new(columns.to_vec());
    let mut add = |policy: String, row: &ReplayRow, bounded: bool| {
        let ratio = |bound: f64| {
            if bounded && bound > 0.0 { format!("{:.2}", row.seconds / bound) } else { "-".to_string() }
        };
        table.row(vec![
            policy,
            duration(row.seconds),
            ratio(area),
            ratio(path),
            ratio(mixed),
            by_place(row.busy.iter().map(|share| (100.0 * share).round())),
            by_place(row.edts.iter()),
            bytes(row.bytes_moved),
        ]);
    };
    let recorded = replay.recorded();
    add(format!("recorded ({})", recorded.policy), recorded, replay.is_recorded_machine());
    for row in rows {
        add(row.policy.clone(), row, true);
    }
    table
}

/// The sentences on how to read the table.
fn remarks(replay: &Replay, rows: &[ReplayRow], cold: bool) -> String {
    let recorded = replay.recorded();
    let mut remarks = match replay.places().len() {
        1 => "Busy shares and EDTs are those of the workers.\n".to_string(),
        2 => "Busy shares and EDTs are those of the workers, then of the device.\n".to_string(),
        _ => "Busy shares and EDTs are those of the workers, then of the devices in the order of their names above.\n"
            .to_string(),
    };
    remarks += if cold {
        "The policies knew nothing of how long EDTs take at the beginning.\n"
    } else {
        "The policies knew from the beginning how long EDTs take.\n"
    };
    remarks += &match off(replay, rows) {
        Some(off) => format!(
            "The simulation of {} on the machine of the recording takes {:.1} % {} than the recorded run.\n",
            recorded.policy,
            100.0 * off.abs(),
            if off < 0.0 { "less" } else { "more" }
        ),
        None if policy::is_file(&recorded.policy) || policy::is_built_in(&recorded.policy) => {
            format!(
                "The recorded run is of another machine or policy, so nothing says here how exact the simulation is. With \
             --policy {}, and without --workers and --device, ocr simulate says it.\n",
                recorded.policy
            )
        }
        None => format!(
            "The recorded run is of the policy {}, which this version does not have, so nothing says here how exact the \
             simulation is. Record a run under one of the policies above, by OCR_SCHED, and simulate that.\n",
            recorded.policy
        ),
    };
    for note in replay.notes() {
        remarks += &format!("Note: {note}.\n");
    }
    remarks
}
