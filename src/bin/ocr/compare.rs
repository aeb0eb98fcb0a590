//! `ocr compare`: the same program under several placement policies, in one table.

use crate::input::Input;
use crate::run::{Fault, Folder, Program, Run};
use crate::table::{Align, Table, bytes, seconds, wrap};
use crate::{Failure, print};
use clap::builder::{OsStringValueParser, TypedValueParser};
use ocr::config::{DEFAULT_ORIGIN, Settings};
use ocr::device::{DeviceKind, Inventory, Selection, discover};
use ocr::policy;
use ocr::report::duration;
use ocr::text::Readable;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};

/// Below the options in the help.
pub(crate) const AFTER_HELP: &str = "\
Each run gets OCR_SCHED and OCR_REPORT, and OCR_DEVICES as said above; other settings are left as \
they are. The policy `cpu` uses devices only for kernels without a C function. Where there is no \
device, the other policies are left out, and the reason is said.

Each run gets the standard input from its beginning: a file is read again, and what comes from a \
pipe is kept in a temporary file (at most 4 GiB, in TMPDIR). A terminal is given to no run: there \
the standard input is empty.

In the program's output and in names, a byte that is not UTF-8 is shown as \\xHH.

Some OpenCL drivers compile a kernel at its first launch, and keep the result; the warm-up runs \
keep that out of the figures.

The exit status is 1 if a run failed or values of --same differ.

Example:
  ocr compare --show distance,gcups --same distance -- build/examples/levenshtein a.fa b.fa";

/// What to run, and what to show of it.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Policies, in the order of the rows; the first is what the others are measured against.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "cpu,device,static:1:1,eager,eft"
    )]
    policies: Vec<String>,

    /// Measured runs of each policy; the table shows the fastest.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Runs before those, not measured, of each policy that uses kernels.
    #[arg(long, value_name = "RUNS", default_value_t = 1)]
    warm_up: u32,

    /// Devices for the policies that use kernels, as in OCR_DEVICES. By default what OCR_DEVICES or
    /// the settings file says; if they say nothing, GPUs and accelerators, or where there is none
    /// of these, all devices.
    #[arg(long, value_name = "DEVICES")]
    devices: Option<Selection>,

    /// A column for each KEY, from a line `KEY: value` of the program's output.
    #[arg(long, value_name = "KEY", value_delimiter = ',', value_parser = key())]
    show: Vec<String>,

    /// Values that must be the same in all runs, the warm-up included.
    #[arg(long, value_name = "KEY", value_delimiter = ',', value_parser = key())]
    same: Vec<String>,

    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
}

/// A key, which is compared with the program's output as that is shown.
fn key() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|key| Readable::os(&key).to_string())
}

/// Where kernels can run.
enum Devices {
    /// On these, by name; `setting` is what the runs get as `OCR_DEVICES`, if that has to be set.
    Some {
        setting: Option<String>,
        names: String,
    },
    /// Nowhere, for this reason.
    None(String),
}

/// What came of one policy.
struct Row {
    policy: String,
    /// The fastest run, or what went wrong.
    result: Result<Run, (String, String)>,
}

/// Compares, and shows the table.
pub(crate) fn compare(options: &Options) -> Result<(), Failure> {
    // A wrong option reads as the program, since the program's own arguments may look like options.
    let first = Readable::os(&options.program[0]).to_string();
    if first.starts_with('-') {
        return Err(Failure::usage(format!(
            "there is no option {first}; ocr compare --help lists them (a program of that name: ./{first})"
        )));
    }
    for name in &options.policies {
        policy::parse(name).map_err(|message| Failure::usage(format!("--policies: {message}")))?;
    }
    let (settings, _) = Settings::load(&mut vec!["ocr".into()]).map_err(Failure::usage)?;
    let devices = if options.policies.iter().all(|name| name == "cpu") {
        Devices::None("the policy cpu uses devices only for kernels without a C function".into())
    } else {
        find_devices(options, &settings)?
    };
    let folder = Folder::new().map_err(Failure::failed)?;
    let mut input = Input::new(folder.path()).map_err(Failure::failed)?;
    let program = Program {
        words: &options.program,
        folder: folder.path(),
    };

    let mut comparison = Comparison::new(options);
    let mut left_out = Vec::new();
    for name in &options.policies {
        let devices = match &devices {
            Devices::Some { setting, .. } => setting.as_deref(),
            Devices::None(_) if name == "cpu" => None,
            Devices::None(_) => {
                left_out.push(name.as_str());
                continue;
            }
        };
        comparison.add(&program, &mut input, name, devices)?;
    }
    print(&comparison.text(&devices, &left_out))?;
    comparison.verdict()
}

/// The devices for policies that use kernels.
fn find_devices(options: &Options, settings: &Settings) -> Result<Devices, Failure> {
    let inventory = discover();
    let given = settings.devices.origin != DEFAULT_ORIGIN;
    let (selection, setting) = match &options.devices {
        Some(selection) => (selection.clone(), Some(selection.to_string())),
        None if given => (settings.devices.value.clone(), None),
        None if has_other_than_cpu(&inventory) => (Selection::Auto, None),
        None => (Selection::All, Some("all".to_string())),
    };
    let wanted = selection != Selection::None;
    if wanted && inventory.devices.is_empty() && options.devices.is_none() {
        return Ok(Devices::None(inventory.explain_absence()));
    }
    let chosen = match inventory.select(&selection) {
        Ok(chosen) => chosen,
        // What is asked for here and now has to be there.
        Err(message) if options.devices.is_some() => {
            return Err(Failure::usage(format!("--devices: {message}")));
        }
        Err(message) => {
            return Ok(Devices::None(format!(
                "{}: {message}",
                settings.devices.origin
            )));
        }
    };
    if chosen.is_empty() {
        let why = match selection {
            Selection::None => "no device is to be used",
            _ => "there is neither a GPU nor an accelerator; --devices all uses CPU devices, too",
        };
        let origin = match options.devices {
            Some(_) => "--devices",
            None => &settings.devices.origin,
        };
        return Ok(Devices::None(format!("{why} ({origin}: {selection})")));
    }
    let names: Vec<String> = chosen
        .iter()
        .map(|&index| &inventory.devices[index])
        .map(|device| format!("{} ({})", device.name, device.kind))
        .collect();
    Ok(Devices::Some {
        setting,
        names: names.join(", "),
    })
}

fn has_other_than_cpu(inventory: &Inventory) -> bool {
    let mut devices = inventory.devices.iter();
    devices.any(|device| matches!(device.kind, DeviceKind::Gpu | DeviceKind::Accelerator))
}

/// The rows, and what was noticed while they were made.
struct Comparison<'a> {
    options: &'a Options,
    rows: Vec<Row>,
    /// For each key of `--same`: each value, and the policy that gave it first.
    values: Vec<Vec<(String, String)>>,
    /// What must be known to judge the rows: the sentence, and the policies it is about.
    notes: Vec<(String, Vec<String>)>,
}

impl<'a> Comparison<'a> {
    fn new(options: &'a Options) -> Comparison<'a> {
        Comparison {
            options,
            rows: Vec::new(),
            values: vec![Vec::new(); options.same.len()],
            notes: Vec::new(),
        }
    }

    /// Runs a policy and makes its row. The error is for what concerns all policies alike.
    fn add(
        &mut self,
        program: &Program<'_>,
        input: &mut Input,
        policy: &str,
        devices: Option<&str>,
    ) -> Result<(), Failure> {
        let mut warm_up = match policy {
            "cpu" => 0,
            _ => self.options.warm_up,
        };
        let mut best: Option<Run> = None;
        let mut number = 0;
        while number < warm_up + self.options.runs {
            number += 1;
            match number.checked_sub(warm_up) {
                None | Some(0) => progress(&format!("{policy}: warm-up {number} of {warm_up}")),
                Some(run) => progress(&format!("{policy}: run {run} of {}", self.options.runs)),
            }
            let run = program.run(input, policy, devices);
            progress("");
            let run = match run {
                Ok(run) => run,
                Err(Fault::NotStarted(message)) => return Err(Failure::usage(message)),
                Err(Fault::Input(message)) => return Err(Failure::failed(message)),
                Err(Fault::Failed { how, tail }) => {
                    self.rows.push(Row {
                        policy: policy.into(),
                        result: Err((how, tail)),
                    });
                    return Ok(());
                }
            };
            self.keep_values(policy, &run);
            if number == 1 && run.report.kernel_edts != 0 {
                // What has kernels alone runs them under the policy cpu, too.
                warm_up = self.options.warm_up;
            }
            if number <= warm_up {
                continue;
            }
            if run.report.policy != policy {
                let text = format!(
                    "ran under {} instead: the program's arguments say so",
                    run.report.policy
                );
                self.note(policy, text);
            }
            for text in run.report.notes.iter().chain(&run.report.remarks) {
                self.note(policy, text.clone());
            }
            if best
                .as_ref()
                .is_none_or(|best| run.seconds() < best.seconds())
            {
                best = Some(run);
            }
        }
        self.rows.extend(best.map(|run| Row {
            policy: policy.into(),
            result: Ok(run),
        }));
        Ok(())
    }

    fn keep_values(&mut self, policy: &str, run: &Run) {
        for (key, seen) in self.options.same.iter().zip(&mut self.values) {
            let value = run.value(key).unwrap_or("(missing)");
            if !seen.iter().any(|(known, _)| known == value) {
                seen.push((value.into(), policy.into()));
            }
        }
    }

    fn note(&mut self, policy: &str, text: String) {
        let at = self.notes.iter().position(|(known, _)| *known == text);
        let at = at.unwrap_or_else(|| {
            self.notes.push((text, Vec::new()));
            self.notes.len() - 1
        });
        let policies = &mut self.notes[at].1;
        if !policies.iter().any(|known| known == policy) {
            policies.push(policy.into());
        }
    }

    fn finished(&self) -> impl Iterator<Item = &Run> {
        self.rows.iter().filter_map(|row| row.result.as_ref().ok())
    }

    /// Table and notes.
    fn text(&self, devices: &Devices, left_out: &[&str]) -> String {
        let mut text = String::new();
        if let Some(run) = self.finished().next() {
            text.push('\n');
            let whose = match run.own_seconds() {
                Some(_) => "the seconds that the program prints",
                None => "seconds from the start of the runtime to its end",
            };
            text += &match self.options.runs {
                1 => format!("One run each; {whose}."),
                runs => format!("The fastest of {runs} runs each; {whose}."),
            };
            let workers = run.report.workers;
            text += &format!(" Workers: {workers}.");
            if let Devices::Some { names, .. } = devices {
                text += &format!(" Devices: {names}.");
            }
            text.push('\n');
        }
        for key in &self.options.show {
            if self.finished().next().is_some()
                && self.finished().all(|run| run.value(key).is_none())
            {
                text += &format!("The program prints no line \"{key}: ...\".\n");
            }
        }
        for (key, seen) in self.options.same.iter().zip(&self.values) {
            if let [(value, _)] = &seen[..]
                && value != "(missing)"
            {
                text += &format!("In all runs, {key} is {value}.\n");
            }
        }
        if let (Devices::None(why), false) = (devices, left_out.is_empty()) {
            text += &format!("Left out: {}. {why}\n", left_out.join(", "));
        }
        for (note, policies) in &self.notes {
            text += &format!("{}: {note}\n", policies.join(", "));
        }
        let table = if self.rows.is_empty() {
            String::new()
        } else {
            self.table().text()
        };
        table + &self.variants() + &wrap(&text) + &self.failures()
    }

    /// What templates with kernels ran as, and how long: mostly why one policy is faster than another.
    fn variants(&self) -> String {
        let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
        for row in &self.rows {
            for variant in row.result.iter().flat_map(|run| &run.report.variants) {
                let cells = vec![
                    variant.template.clone(),
                    row.policy.clone(),
                    variant.device.clone().unwrap_or("function".into()),
                    variant.edts.to_string(),
                    duration(variant.mean()),
                ];
                rows.push((&variant.template, cells));
            }
        }
        if rows.is_empty() {
            return String::new();
        }
        // The same template under all policies together.
        rows.sort_by_key(|(template, _)| *template);
        let words = ["template", "policy", "ran as function, or as kernel on"];
        let numbers = ["EDTs", "time of each"];
        let left = words.map(|title| (title.to_string(), Align::Left));
        let right = numbers.map(|title| (title.to_string(), Align::Right));
        let mut table = Table::new(left.into_iter().chain(right).collect());
        rows.into_iter().for_each(|(_, cells)| table.row(cells));
        format!("\n{}", table.text())
    }

    /// How runs failed; once for policies under which the same happened.
    fn failures(&self) -> String {
        let mut failures: Vec<(&(String, String), Vec<&str>)> = Vec::new();
        for row in &self.rows {
            let Err(failure) = &row.result else { continue };
            match failures.iter_mut().find(|(known, _)| *known == failure) {
                Some((_, policies)) => policies.push(&row.policy),
                None => failures.push((failure, vec![&row.policy])),
            }
        }
        let mut text = String::new();
        for ((how, tail), policies) in failures {
            text += &format!("\n{}: {how}:\n", policies.join(", "));
            for line in tail.lines() {
                text += &format!("  {line}\n");
            }
        }
        text
    }

    fn table(&self) -> Table {
        let mut columns = vec![("policy".to_string(), Align::Left)];
        for title in [
            "seconds",
            "speed-up",
            "function EDTs",
            "kernel EDTs",
            "to devices",
            "from devices",
        ] {
            columns.push((title.into(), Align::Right));
        }
        columns.extend(
            self.options
                .show
                .iter()
                .map(|key| (key.clone(), self.align(key))),
        );
        let mut table = Table::new(columns);
        let base = self.rows.first().and_then(|row| row.result.as_ref().ok());
        for row in &self.rows {
            let mut cells = vec![row.policy.clone()];
            match &row.result {
                Err((how, _)) => cells.push(how.clone()),
                Ok(run) => {
                    let speed_up = base.map(|base| base.seconds() / run.seconds());
                    let speed_up = speed_up.filter(|value| value.is_finite());
                    cells.extend([
                        seconds(run.seconds()),
                        speed_up.map_or("-".into(), |value| format!("{value:.2}")),
                        run.report.function_edts.to_string(),
                        run.report.kernel_edts.to_string(),
                        bytes(run.report.bytes_in()),
                        bytes(run.report.bytes_out()),
                    ]);
                    let show = self.options.show.iter();
                    cells.extend(show.map(|key| run.value(key).unwrap_or("-").to_string()));
                }
            }
            table.row(cells);
        }
        table
    }

    /// Numbers are aligned to the right.
    fn align(&self, key: &str) -> Align {
        let mut values = self.finished().filter_map(|run| run.value(key));
        if values.all(|value| value.parse::<f64>().is_ok()) {
            Align::Right
        } else {
            Align::Left
        }
    }

    /// Whether all went well.
    fn verdict(&self) -> Result<(), Failure> {
        let mut complaints = Vec::new();
        for (key, seen) in self.options.same.iter().zip(&self.values) {
            let with: Vec<String> = seen
                .iter()
                .map(|(value, policy)| format!("{value} (first under {policy})"))
                .collect();
            match &seen[..] {
                [(value, _)] if value == "(missing)" => complaints.push(format!(
                    "the program prints no line \"{key}: ...\", so it cannot be compared"
                )),
                [] | [_] => {}
                _ => complaints.push(format!("{key} differs between runs: {}", with.join(", "))),
            }
        }
        let failed: Vec<&str> = self
            .rows
            .iter()
            .filter(|row| row.result.is_err())
            .map(|row| row.policy.as_str())
            .collect();
        if !failed.is_empty() {
            complaints.push(format!("the program failed under {}", failed.join(", ")));
        }
        if self.rows.is_empty() {
            complaints.push("no policy could be run".into());
        }
        if complaints.is_empty() {
            Ok(())
        } else {
            Err(Failure::failed(complaints.join("; ")))
        }
    }
}

/// Shows what goes on, if somebody looks; an empty text takes it away.
fn progress(text: &str) {
    let mut errors = std::io::stderr();
    if errors.is_terminal() {
        let _ = write!(errors, "\r\x1b[K{text}").and_then(|()| errors.flush());
    }
}
