//! `ocr compare --verify`: whether kernels leave in blocks what their functions leave, in one run of a program.

use super::find_devices;
use super::options::{CompareOptions, Devices};
use crate::output::{self, CommandError, print};
use crate::run::{Program, RunError, Runner, how_it_ended};
use crate::table::{Align, Table, terminal_width, wrap};
use ocr::config::Settings;
use ocr::report::RedundantReport;
use ocr_base::text::counted;
use std::process::ExitStatus;

/// What the runtime is asked for where the user has not said it.
const USUAL: (&str, &str) = ("OCR_REDUNDANT", "2");

/// Runs the program, and shows what came of each template.
pub(crate) fn verify(options: &CompareOptions) -> Result<(), CommandError> {
    let (settings, _) = Settings::load(&mut vec!["ocr".into()]).map_err(CommandError::usage)?;
    let (devices, names) = match find_devices(options.devices.as_ref(), &settings)? {
        Devices::Some { setting, names } => (setting, names),
        Devices::None(why) => return Err(CommandError::failed(format!("no kernel can be verified: {why}"))),
    };
    let mut runner = Runner::new(options.timeout, &[]).map_err(CommandError::failed)?;
    let devices = devices.as_deref().map(|devices| ("OCR_DEVICES", devices));
    let redundant = settings.redundant.is_none().then_some(USUAL);
    let program =
        Program { words: &options.program, variables: devices.into_iter().chain(redundant).collect(), recorded: false };
    let (status, report) = match runner.run_openly(&program) {
        Ok(ended) => ended,
        Err(RunError::NotStarted(message)) => return Err(CommandError::usage(message)),
        Err(RunError::Input(message)) => return Err(CommandError::failed(message)),
        Err(RunError::Failed { how, tail }) => return Err(CommandError::failed(format!("{how} {tail}"))),
        Err(RunError::Interrupted(signal)) => return Err(CommandError::interrupted(signal)),
    };
    // The files of the run are removed.
    drop(runner);
    let templates = report.map_err(CommandError::failed)?.redundant;
    let verdict = Verified::of(status, &templates);
    if options.json {
        let json = serde_json::json!({
            "devices": names,
            "templates": templates,
            "alike": matches!(verdict, Verified::Alike(_)),
            "verdict": verdict.text(),
        });
        print(&output::json(&json))?;
    } else {
        let left_out = templates.iter().filter(|report| !report.not_compared.is_empty());
        let left_out: String = left_out.map(|report| wrap(&format!("{}.", report.text()))).collect();
        let verdict = wrap(&format!("{} Devices: {names}.", verdict.text()));
        print(&format!("{}{left_out}{verdict}", table(&templates)))?;
    }
    match verdict {
        Verified::Alike(_) => Ok(()),
        other => Err(CommandError::failed(other.text())),
    }
}

/// A row for each template that has kernels.
fn table(templates: &[RedundantReport]) -> String {
    if templates.is_empty() {
        return String::new();
    }
    let columns = [
        ("template", Align::Left),
        ("EDTs alike", Align::Right),
        ("different", Align::Right),
        ("not compared", Align::Right),
    ];
    let columns = columns.iter().map(|(title, align)| (title.to_string(), *align));
    let mut table = Table::new(columns.collect());
    for report in templates {
        let left_out: u64 = report.not_compared.iter().map(|left_out| left_out.edts).sum();
        let numbers = [report.alike, report.different, left_out].map(|number| number.to_string());
        table.row([vec![report.template.clone()], numbers.to_vec()].concat());
    }
    format!("\n{}\n", table.text_in(terminal_width()))
}

/// What the run says of the kernels.
enum Verified {
    /// The number of EDTs whose variants have left the same.
    Alike(u64),
    /// The number of EDTs whose variants have left different contents.
    Different(u64),
    /// No EDT was compared.
    Nothing,
    /// The program has failed by itself, in these words.
    Failed(String),
}

impl Verified {
    fn of(status: ExitStatus, templates: &[RedundantReport]) -> Verified {
        let sum = |of: fn(&RedundantReport) -> u64| templates.iter().map(of).sum::<u64>();
        match (sum(|report| report.alike), sum(|report| report.different)) {
            (_, different) if different != 0 => Verified::Different(different),
            _ if !status.success() => Verified::Failed(how_it_ended(status)),
            (0, _) => Verified::Nothing,
            (alike, _) => Verified::Alike(alike),
        }
    }

    fn text(&self) -> String {
        match self {
            Verified::Alike(edts) => {
                format!("{} left the same as kernels and as their C functions.", counted(*edts, "EDT"))
            }
            Verified::Different(edts) => format!(
                "{} left something else as kernels than as their C functions: the messages of the run name the blocks.",
                counted(*edts, "EDT")
            ),
            Verified::Nothing => {
                "No EDT was compared: none has both a C function and a kernel that could run, or the table says why."
                    .to_string()
            }
            Verified::Failed(how) => format!("The program has failed ({how}), so its kernels are not verified."),
        }
    }
}
