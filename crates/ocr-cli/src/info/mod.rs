//! `ocr info`: what a program that is started here would get, and why.
//!
//! | file | what it has |
//! |---|---|
//! | `shares.rs` | which devices a selection means, and how cores would be shared |
//! | `surroundings.rs` | why OpenCL may have fewer devices than the user expects |
//! | `json.rs` | the answer as JSON |

mod json;
mod shares;
mod surroundings;

use crate::info::shares::{chosen, cpu_units, lends, shares};
use crate::output::{CommandError, output_file, print, print_beside};
use crate::table::{bytes, fit, wrap};
use ocr::config::{Bind, DEFAULT_ORIGIN, Settings};
use ocr::device::{DeviceInfo, Inventory, LoaderState, discover, discover_telling, measure_links};
use ocr::platform::Platform;
use ocr_base::text::counted;
use ocr_base::text::{Readable, read_file};
use ocr_place::policy::{DEFAULT, POLICIES};
use std::fmt::{self, Write as _};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The arguments of `ocr info`.
#[derive(clap::Args)]
pub(crate) struct InfoOptions {
    /// Shows the workers and devices alone.
    #[arg(long)]
    short: bool,
    /// Writes what the machine has into a file, for OCR_PLATFORM, and shows nothing else: its devices, their memory,
    /// and how fast copies to them and back are. The copies are measured now, so nothing else should run meanwhile.
    /// A file that is there is left as it is.
    #[arg(long, value_name = "FILE")]
    write_platform: Option<PathBuf>,
    /// Ends with status 1 if there is no OpenCL device.
    #[arg(long)]
    require_device: bool,
    /// Asks OpenCL for its devices, and prints the platforms' names before: for a process that is to survive it.
    #[arg(long, hide = true)]
    ask: bool,
    /// Shows everything as JSON.
    #[arg(long, conflicts_with_all = ["short", "write_platform"])]
    json: bool,
}

/// Has another process ask OpenCL for its devices, since a driver may end the process that does. The error says how it
/// has ended, and whose driver that was, in sentences.
fn ask_in_child() -> Result<(), String> {
    const WITHOUT: &str = "OCR_DEVICES=none has programs run without OpenCL.";
    let cannot = |error: std::io::Error| {
        format!("No process can be started to ask OpenCL for its devices, which a driver may end: {error}. {WITHOUT}")
    };
    let program = std::env::current_exe().map_err(cannot)?;
    let mut child = Command::new(program);
    child.args(["info", "--ask"]).stdin(Stdio::null());
    let output = child.output().map_err(cannot)?;
    if output.status.success() {
        return Ok(());
    }
    let asked = String::from_utf8_lossy(&output.stdout);
    let what = match asked.lines().last() {
        Some(platform) => format!("The driver of platform {platform} ended"),
        None => "A driver of OpenCL, or its loader, ended".to_string(),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().rev().take(3).collect();
    let said = match said.iter().rev().copied().collect::<Vec<_>>().join("; ") {
        text if text.is_empty() => String::new(),
        text => format!(" and said: {}", Readable(text.as_bytes())),
    };
    Err(format!(
        "{what} a process that asked for its devices ({}){said}. It would end a program that adds a kernel. PoCL does so \
         where there is no /sys, or where it can start no thread (\"ulimit -a\", limits of a container). {WITHOUT}",
        output.status
    ))
}

/// Shows what a program would get, or writes a platform description.
pub(crate) fn info(options: &InfoOptions) -> Result<(), CommandError> {
    if options.ask {
        discover_telling(|platform| {
            // The process that has started this one reads it.
            let _ = writeln!(std::io::stdout(), "{}", platform.replace('\n', " "));
        });
        return Ok(());
    }
    let (settings, _) = Settings::load(&mut vec!["ocr".into()]).map_err(CommandError::usage)?;
    let mut inventory = match ask_in_child() {
        Ok(()) => discover(),
        Err(why) => Inventory::ended(why),
    };
    surroundings::look(&mut inventory);
    if let Some(file) = &options.write_platform {
        return write_platform(file, &inventory);
    }
    let platform = Platform::of(&settings.platform).map_err(CommandError::usage)?;
    if let Some(platform) = &platform {
        let so = platform.check_devices(&inventory.devices);
        so.map_err(|error| CommandError::usage(format!("{}: {error}", settings.platform.origin)))?;
    }
    print(&if options.json {
        json::json(&settings, &inventory, platform.as_ref())
    } else {
        text(options, &settings, &inventory, platform.as_ref())
    })?;
    if options.require_device && inventory.devices.is_empty() {
        Err(CommandError::failed("there is no OpenCL device"))
    } else {
        Ok(())
    }
}

/// Which plug-ins for MPI are installed, by which several processes of a launcher are one program.
fn plugins() -> String {
    let found = ocr::mpi_plugins();
    let list = found.iter().map(|(name, file)| format!("{name} ({})", Readable::path(file)));
    match found.len() {
        0 => "Nodes: 1. No plug-in for MPI is installed, by which processes of mpirun would be one program.\n\n"
            .to_string(),
        _ => format!(
            "Nodes: 1, or as many as a launcher such as mpirun starts, by a plug-in for MPI: {}\n\n",
            list.collect::<Vec<_>>().join(", ")
        ),
    }
}

/// What a program would get, as text.
fn text(options: &InfoOptions, settings: &Settings, inventory: &Inventory, platform: Option<&Platform>) -> String {
    let mut text = format!("ocr {}, OCR API 1.1.0\n\n", env!("CARGO_PKG_VERSION"));
    text += &format!("Workers: {}\n\n", workers(settings));
    text += &wrap(&devices(inventory, settings));
    text += &wrap(&sharing(inventory, settings));
    text += &platform.map_or(String::new(), links);
    if !options.short {
        text += &wrap(&plugins());
        text += &settings_and_policies(settings);
    }
    fit(&text)
}

/// Measures the links of the devices, and writes a platform description. A file that is there is left as it is.
fn write_platform(file: &Path, inventory: &Inventory) -> Result<(), CommandError> {
    let refused = |error: std::io::Error| match error.kind() {
        ErrorKind::AlreadyExists => CommandError::failed(format!(
            "{} is there already, and may have values that somebody has given: remove it, or name another file",
            Readable::path(file)
        )),
        _ => CommandError::failed(format!("the description {} cannot be written: {error}", Readable::path(file))),
    };
    // The check comes before the measurement, so that the message comes at once. A file that another program makes
    // meanwhile is kept, too.
    let output = output_file("the description", file, [("", file); 0])?.only_new();
    if output.plain().is_some() && !output.is_new() {
        return Err(refused(ErrorKind::AlreadyExists.into()));
    }
    let devices = inventory.devices.iter().map(|info| {
        let speeds = measure_links(info).inspect_err(|error| {
            let _ =
                writeln!(std::io::stderr(), "ocr: warning: the links to device {} are left out: {error}", info.index);
        });
        (info.clone(), speeds.ok())
    });
    let platform = Platform::found(&devices.collect::<Vec<_>>());
    let text = platform.text();
    let written = output.write(|out| out.write_all(text.as_bytes()));
    written.map_err(refused)?;
    let answer = format!(
        "{} describes {} with {} device{}. OCR_PLATFORM={0} has programs read it.\n",
        Readable::path(file),
        platform.host.name,
        platform.devices.len(),
        if platform.devices.len() == 1 { "" } else { "s" },
    );
    print_beside(Some(&output), &answer)
}

/// The sentence on which cores workers and CPU devices would have, where a program uses both.
fn sharing(inventory: &Inventory, settings: &Settings) -> String {
    let units = cpu_units(inventory, settings);
    if units == 0 {
        return String::new();
    }
    let begin = format!(
        "Cores (OCR_BIND={}, {}): workers and the compute units of CPU devices",
        settings.bind.value, settings.bind.origin
    );
    let cores = settings.cores;
    if settings.bind.value == Bind::Off {
        return format!("{begin} share all {cores}.\n");
    }
    if lends(units, settings) {
        return format!(
            "Cores (OCR_BIND={}, {}): all {cores} are the workers'; CPU devices have some for as long as kernels use them better \
             than C functions. OCR_BIND=fixed gives each side cores of its own.\n",
            settings.bind.value, settings.bind.origin
        );
    }
    let is_fixed = settings.are_workers_fixed();
    match shares(units, settings) {
        Some(shares) => format!(
            "{begin} have cores of their own where kernels have C functions beside them: {} on {}, {} on {}.\n",
            counted(shares.workers as u64, "worker"),
            shares.of_workers,
            counted(shares.units as u64, "compute unit"),
            shares.of_devices,
        ),
        None if is_fixed && cores > 1 => {
            format!("{begin} share all {cores}, since {} leaves none for a device.\n", settings.workers.origin)
        }
        None => format!("{begin} share {}.\n", counted(cores as u64, "core")),
    }
}

/// The lines about the links of a platform description.
fn links(platform: &Platform) -> String {
    let mut text = String::from("Links (OCR_PLATFORM):\n");
    for link in &platform.links {
        // Writing to a string cannot fail.
        let _ = fmt::Write::write_fmt(
            &mut text,
            format_args!(
                "  {} to {}: {:.1} µs, {}/s ({})\n",
                link.from,
                link.to,
                link.latency_ns / 1e3,
                bytes(link.bandwidth as u64),
                link.source
            ),
        );
    }
    text
}

/// The words for how many workers there would be, and why.
fn workers(settings: &Settings) -> String {
    let workers = *settings.workers;
    if settings.workers.origin != DEFAULT_ORIGIN {
        return format!("{workers} ({})", settings.workers.origin);
    }
    let machine = std::fs::read_to_string("/sys/devices/system/cpu/online").ok();
    let machine = machine.as_deref().and_then(count);
    let status = read_file("/proc/self/status").unwrap_or_default();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let why = match (machine, allowed.and_then(count)) {
        (Some(machine), Some(allowed)) if workers < allowed && allowed < machine => {
            format!(
                "of the machine's {machine} cores the affinity mask allows {allowed}, and the \
                 cgroup's quota {workers}"
            )
        }
        (Some(machine), Some(allowed)) if workers < allowed => {
            format!("the cgroup's quota allows that many of the machine's {machine} cores")
        }
        (Some(machine), Some(_)) if workers < machine => {
            format!("the affinity mask allows that many of the machine's {machine} cores")
        }
        (Some(machine), _) if workers == machine => "all cores of the machine".into(),
        _ => "the cores that the process may use".into(),
    };
    format!("{workers} ({why})")
}

/// How many numbers are in a list like `0-3,8`. None if it is no such list.
fn count(list: &str) -> Option<usize> {
    list.trim().split(',').try_fold(0, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some(sum + (last + 1).checked_sub(first)?)
    })
}

/// The lines about the devices, and what each would be used for.
fn devices(inventory: &Inventory, settings: &Settings) -> String {
    let selection = &settings.devices;
    let mut text = format!("Devices (OCR_DEVICES={}, {}):\n", selection.value, selection.origin);
    if inventory.devices.is_empty() {
        let why = inventory.explain_absence();
        return text + &format!("  none. {why}\n  Everything runs on the workers.\n");
    }
    let (used, fallback, problem) = chosen(inventory, selection);
    for device in &inventory.devices {
        let use_of = if used.contains(&device.index) {
            "used".to_string()
        } else if fallback.contains(&device.index) {
            "used only for EDTs that have no C function: it shares the workers' cores \
             (OCR_DEVICES=all uses it for all kernels)"
                .to_string()
        } else {
            format!("not used: OCR_DEVICES={} leaves it out", selection.value)
        };
        describe(&mut text, device, &use_of);
    }
    if let Some(problem) = problem {
        text += &format!("  No device is used: {problem}\n");
    }
    if let LoaderState::Loaded { path: Some(path) } = &inventory.loader {
        text += &format!("  OpenCL library: {}\n", Readable::path(path));
    }
    for note in inventory.warnings.iter().chain(&inventory.notes) {
        text += &format!("  Note: {note}\n");
    }
    text
}

/// Appends the lines about a device. `use_of` says what it would be used for.
fn describe(text: &mut String, device: &DeviceInfo, use_of: &str) {
    let units = match device.compute_units {
        1 => "1 compute unit".to_string(),
        units => format!("{units} compute units"),
    };
    let shared = if device.host_unified { "shared with the host" } else { "of its own" };
    let memory = match device.global_memory {
        0 => "memory of unknown size".to_string(),
        known => format!("{} of memory", bytes(known)),
    };
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "  {}: {}\n     {}, {units}, {memory} {shared}\n     Limits: largest buffer {}, local memory {}, {} \
         work-items in a work-group\n     {} ({}), driver {}\n     {use_of}\n",
        device.index,
        device.name,
        device.kind,
        bytes(device.max_buffer),
        bytes(device.local_memory),
        device.max_work_group,
        device.platform,
        device.device_version,
        device.driver_version,
    );
}

/// The lines about the settings and the policies.
fn settings_and_policies(settings: &Settings) -> String {
    let mut text = String::from("\nSettings (a program lists them for -ocr:help):\n");
    let rows = settings.rows();
    let width = rows.iter().map(|(_, value, _)| value.chars().count()).max().unwrap_or(0);
    for (name, value, origin) in rows {
        text += &format!("  {name:<14} {value:<width$}  {origin}\n");
    }
    text += "\nPolicies (OCR_SCHED, -ocr:sched):\n";
    for policy in POLICIES {
        let default = if policy.name == DEFAULT { " (default)" } else { "" };
        text += &format!("  {:<14} {}{default}\n", policy.usage, policy.what);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn lists_of_cores_are_counted() {
        assert_eq!(count("0-3,8\n"), Some(5));
        assert_eq!(count("\t2"), Some(1));
        assert_eq!(count("x"), None);
        assert_eq!(count("3-1"), None);
    }
}
