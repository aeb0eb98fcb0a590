//! `ocr compare`: the same program under several placement policies, in one table, and which of them to use.

mod because;
pub(crate) mod best;
mod comparison;
mod json;
pub(crate) mod options;
mod row;
pub(crate) mod same;

use crate::compare::comparison::Comparison;
use crate::compare::options::{CompareOptions, Devices, Purpose};
use crate::input::Input;
use crate::output::{CommandError, output_file, print_beside};
use crate::progress::Progress;
use crate::run::{Folder, Program, RunError, check_words};
use crate::started;
use ocr::config::{DEFAULT_ORIGIN, Settings};
use ocr::device::{ASK_INFO, DeviceKind, Inventory, Selection, discover};
use ocr_base::output_file::OutputFile;
use ocr_place::policy;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Runs the program under each policy, and shows the table.
pub(crate) fn compare(options: &CompareOptions) -> Result<(), CommandError> {
    check_words(&options.program, "compare")?;
    for name in &options.policies {
        policy::parse(name)
            .map_err(|message| CommandError::usage(format!("--policies: {message}")))?;
    }
    let html = page_file(options)?;
    let (settings, _) = Settings::load(&mut vec!["ocr".into()]).map_err(CommandError::usage)?;
    let devices = if options.policies.iter().all(|name| name == "cpu") {
        Devices::None("the policy cpu uses devices only for kernels without a C function".into())
    } else {
        find_devices(options.devices.as_ref(), &settings)?
    };
    let folder = Folder::new().map_err(CommandError::failed)?;
    let mut input = Input::new(folder.path()).map_err(CommandError::failed)?;
    let program = Program {
        words: &options.program,
        folder: folder.path(),
    };

    let mut comparison = Comparison::new(options);
    let mut given = Vec::new();
    let mut left_out = Vec::new();
    for name in &options.policies {
        given.push(match &devices {
            Devices::Some { setting, .. } => setting.as_deref(),
            Devices::None(_) if name == "cpu" => None,
            Devices::None(_) => {
                left_out.push(name.as_str());
                continue;
            }
        });
        comparison.add(name);
    }
    run_in_turns(&mut comparison, &given, &program, &mut input)?;
    let text = if options.json {
        comparison.json(&devices, &left_out)
    } else {
        comparison.text(&devices, &left_out)
    };
    print_beside(html.as_ref(), &text)?;
    if let Some(file) = &html {
        comparison
            .page(&devices, &left_out)
            .write(file)
            .map_err(CommandError::failed)?;
    }
    comparison.check()
}

/// The file of the page, if one is wanted. It is neither the program, nor a file that its arguments or the standard input
/// name: these are read in each run.
fn page_file(options: &CompareOptions) -> Result<Option<OutputFile>, CommandError> {
    let Some(file) = options.html.as_deref() else {
        return Ok(None);
    };
    let mut words = options.program.iter();
    let program = words.next().and_then(|word| started::find(word));
    let program = program.iter().map(|file| ("the program", file.as_path()));
    // An argument may have the name behind an option: --input=FILE.
    let names = words.flat_map(|word| {
        let bytes = word.as_bytes();
        let value = bytes.iter().position(|&byte| byte == b'=');
        [Some(0), value.map(|at| at + 1)]
            .into_iter()
            .flatten()
            .map(|from| Path::new(OsStr::from_bytes(&bytes[from..])))
    });
    let arguments = names.map(|name| ("an argument of the program,", name));
    let stdin = ("the standard input,", Path::new("/dev/stdin"));
    let inputs = program.chain(arguments).chain([stdin]);
    output_file("the page", file, inputs).map(Some)
}

/// Runs the policies in turns. `given` has the value of `OCR_DEVICES` for each policy. A policy under which the program
/// has failed is left out from there on. The error is a failure that concerns all policies alike.
fn run_in_turns(
    comparison: &mut Comparison<'_>,
    given: &[Option<&str>],
    program: &Program<'_>,
    input: &mut Input,
) -> Result<(), CommandError> {
    let options = comparison.options;
    let rounds = [
        (Purpose::WarmUp, options.warm_up, "warm-up"),
        (Purpose::Measure, options.runs, "run"),
        (
            Purpose::Record,
            u32::from(options.records()),
            "recorded run",
        ),
    ];
    let each: u64 = rounds.iter().map(|&(_, rounds, _)| u64::from(rounds)).sum();
    let progress = Progress::new(each * given.len() as u64);
    for (purpose, rounds, what) in rounds {
        for round in 1..=rounds {
            for (index, devices) in given.iter().enumerate() {
                if let Some(policy) = comparison.policy_to_run(index) {
                    progress.begins(format!("{policy}: {what} {round} of {rounds}"));
                    let recorded = purpose == Purpose::Record;
                    match program.run(input, policy, *devices, recorded) {
                        Ok(run) => comparison.ran(index, run, purpose),
                        Err(RunError::NotStarted(message)) => {
                            return Err(CommandError::usage(message));
                        }
                        Err(RunError::Input(message)) => return Err(CommandError::failed(message)),
                        Err(RunError::Failed { how, tail }) => comparison.failed(index, how, tail),
                    }
                }
                progress.ended();
            }
        }
    }
    Ok(())
}

/// The devices for policies that use kernels. `asked` is the selection on the command line. The error is a selection on
/// the command line that names a device which is not there.
pub(crate) fn find_devices(
    asked: Option<&Selection>,
    settings: &Settings,
) -> Result<Devices, CommandError> {
    let inventory = discover();
    let given = settings.devices.origin != DEFAULT_ORIGIN;
    let (selection, setting) = match asked {
        Some(selection) => (selection.clone(), Some(selection.to_string())),
        None if given => (settings.devices.value.clone(), None),
        None if has_other_than_cpu(&inventory) => (Selection::Auto, None),
        None => (Selection::All, Some("all".to_string())),
    };
    let wanted = selection != Selection::None;
    if wanted && inventory.devices.is_empty() && asked.is_none() {
        return Ok(Devices::None(format!(
            "{} {ASK_INFO}",
            inventory.explain_absence()
        )));
    }
    let chosen = match inventory.select(&selection) {
        Ok(chosen) => chosen,
        // Devices that the command line names must be there.
        Err(message) if asked.is_some() => {
            return Err(CommandError::usage(format!("--devices: {message}")));
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
        let origin = match asked {
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

/// Whether the machine has a GPU or an accelerator.
fn has_other_than_cpu(inventory: &Inventory) -> bool {
    let mut devices = inventory.devices.iter();
    devices.any(|device| matches!(device.kind, DeviceKind::Gpu | DeviceKind::Accelerator))
}
