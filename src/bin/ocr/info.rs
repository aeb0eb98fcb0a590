//! `ocr info`: what a program that is started here would get, and why.

use crate::table::{bytes, wrap};
use crate::{Failure, print};
use ocr::config::{DEFAULT_ORIGIN, Settings};
use ocr::device::{DeviceInfo, Inventory, LoaderState, discover};
use ocr::sched::policy::{DEFAULT, POLICIES};
use ocr::text::{Readable, read_file};
use std::fmt::Write;

/// What to show.
#[derive(clap::Args)]
pub struct Options {
    /// Shows the workers and devices alone.
    #[arg(long)]
    short: bool,
    /// Ends with status 1 if there is no OpenCL device.
    #[arg(long)]
    require_device: bool,
}

/// Shows everything.
pub fn info(options: &Options) -> Result<(), Failure> {
    let (settings, _) = Settings::load(&mut vec!["ocr".into()]).map_err(Failure::usage)?;
    let inventory = discover();
    let mut text = format!("ocr {}, OCR API 1.1.0\n\n", env!("CARGO_PKG_VERSION"));
    text += &format!("Workers: {}\n\n", workers(&settings));
    text += &wrap(&devices(&inventory, &settings));
    if !options.short {
        text += &settings_and_policies(&settings);
    }
    print(&text)?;
    match options.require_device && inventory.devices.is_empty() {
        true => Err(Failure::failed("there is no OpenCL device")),
        false => Ok(()),
    }
}

fn workers(settings: &Settings) -> String {
    let workers = *settings.workers;
    if settings.workers.origin != DEFAULT_ORIGIN {
        return format!("{workers} ({})", settings.workers.origin);
    }
    let machine = std::fs::read_to_string("/sys/devices/system/cpu/online").ok();
    let machine = machine.as_deref().and_then(count);
    let status = read_file("/proc/self/status").unwrap_or_default();
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
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

/// How many numbers are in a list like `0-3,8`.
fn count(list: &str) -> Option<usize> {
    list.trim().split(',').try_fold(0, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some(sum + (last + 1).checked_sub(first)?)
    })
}

fn devices(inventory: &Inventory, settings: &Settings) -> String {
    let selection = &settings.devices;
    let mut text = format!(
        "Devices (OCR_DEVICES={}, {}):\n",
        selection.value, selection.origin
    );
    if inventory.devices.is_empty() {
        let why = inventory.explain_absence();
        return text + &format!("  none. {why}\n  Everything runs on the workers.\n");
    }
    let (used, problem) = match inventory.select(selection) {
        Ok(used) => (used, None),
        Err(message) => (Vec::new(), Some(message)),
    };
    let fallback = match used.is_empty() {
        true => inventory.fallback(selection),
        false => Vec::new(),
    };
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
    for note in &inventory.notes {
        text += &format!("  Note: {note}\n");
    }
    text
}

fn describe(text: &mut String, device: &DeviceInfo, use_of: &str) {
    let units = match device.compute_units {
        1 => "1 compute unit".to_string(),
        units => format!("{units} compute units"),
    };
    let shared = if device.host_unified {
        "shared with the host"
    } else {
        "of its own"
    };
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "  {}: {}\n     {}, {units}, {} of memory {shared}\n     {} ({}), driver {}\n     {use_of}\n",
        device.index,
        device.name,
        device.kind,
        bytes(device.global_memory),
        device.platform,
        device.device_version,
        device.driver_version,
    );
}

fn settings_and_policies(settings: &Settings) -> String {
    let mut text = String::from("\nSettings (a program lists them for -ocr:help):\n");
    let rows = settings.rows();
    let width = rows
        .iter()
        .map(|(_, value, _)| value.chars().count())
        .max()
        .unwrap_or(0);
    for (name, value, origin) in rows {
        text += &format!("  {name:<14} {value:<width$}  {origin}\n");
    }
    text += "\nPolicies (OCR_SCHED, -ocr:sched):\n";
    for policy in POLICIES {
        let default = if policy.name == DEFAULT {
            " (default)"
        } else {
            ""
        };
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
