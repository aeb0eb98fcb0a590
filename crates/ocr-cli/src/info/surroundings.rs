//! Why OpenCL may have fewer devices than the user expects: `.icd` files of which no driver was loaded, and variables
//! that choose among a platform's devices.

use ocr::device::{Inventory, is_loaded, is_pocl, load_failure};
use ocr_base::text::Readable;
use std::ffi::OsString;
use std::path::Path;
use std::{env, fs};

/// Adds what this file finds to the notes and warnings of an inventory.
pub(crate) fn look(found: &mut Inventory) {
    let variable = |name: &str| env::var_os(name);
    let of_pocl = found.devices.iter().filter(|device| is_pocl(&device.platform));
    let names: Vec<&str> = of_pocl.map(|device| &*device.name).collect();
    let ignored = if names.is_empty() { None } else { drivers_without_device(&names, variable) };
    let is_without = |platform: &&String| {
        let mut devices = found.devices.iter();
        !devices.any(|device| platform.starts_with(&device.platform))
    };
    let hidden = found.platforms.iter().filter(is_without);
    let hidden = hidden.filter_map(|name| Some(format!("platform {name}: {}", choosers(name, variable)?)));
    let mut notes: Vec<String> = hidden.collect();
    notes.extend(found.icd_files.iter().filter_map(|file| icd_fault(file)));
    found.notes.extend(notes);
    found.warnings.extend(ignored);
}

/// Whether it is a file with a driver's name in it. Others, named by a variable, are drivers themselves.
fn is_icd(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "icd")
}

/// Why the loader of OpenCL has not taken the driver that a `.icd` file names; none if it has.
fn icd_fault(file: &Path) -> Option<String> {
    let shown = file.display();
    if !is_icd(file) {
        let failure = load_failure(&shown.to_string())?;
        return Some(format!("the system could not load {shown} ({failure})"));
    }
    let content = match fs::read(file) {
        Ok(content) => content,
        Err(error) => return Some(format!("{shown} cannot be read: {error}")),
    };
    let (name, oddities) = driver_of(&content);
    if name.is_empty() {
        return Some(format!("{shown} names no library: write the driver's name into it"));
    }
    if is_loaded(&name) {
        return None;
    }
    let why = match (oddities.is_empty(), load_failure(&name)) {
        (true, None) => "it can be loaded, but has given no platform".to_string(),
        (true, Some(error)) => format!(
            "the system could not load it ({error}): install the driver, write its whole path into the file, or take the \
             file away"
        ),
        (false, failure) => format!(
            "there is {} in the file, and the loader may take that for a part of the name{}: the file should be that \
             name and a newline, and nothing else",
            oddities.join(", and "),
            failure
                .map_or(String::new(), |error| format!("; without it the system could not load it either ({error})"))
        ),
    };
    Some(format!("{shown} names {name}: {why}"))
}

/// The library that a `.icd` file means, and what a loader may stumble over.
fn driver_of(content: &[u8]) -> (String, Vec<&'static str>) {
    let mut oddities = Vec::new();
    let without_mark = content.strip_prefix(b"\xef\xbb\xbf");
    if without_mark.is_some() {
        oddities.push("a byte order mark before the name");
    }
    let text = String::from_utf8_lossy(without_mark.unwrap_or(content)).into_owned();
    let mut lines = text.split('\n');
    let is_blank = |line: &&str| line.trim().is_empty();
    let Some(line) = lines.clone().find(|line| !is_blank(line)) else {
        return (String::new(), oddities);
    };
    if lines.next().is_some_and(|first| is_blank(&first)) {
        oddities.push("an empty line before the name");
    }
    let end = match line.strip_suffix('\r') {
        Some(line) => {
            oddities.push("a carriage return at the end of the line (as Windows ends lines)");
            line
        }
        None => line,
    };
    if end != end.trim() {
        oddities.push("a blank beside the name");
    }
    (end.trim().to_string(), oddities)
}

/// Variables that say to a platform which of its devices to have, and a part of the platform's name, in lower
/// case. Empty: of any.
const CHOOSERS: &[(&str, &str)] = &[
    ("POCL_DEVICES", "portable computing language"),
    ("RUSTICL_ENABLE", "rusticl"),
    ("CUDA_VISIBLE_DEVICES", "nvidia"),
    ("ROCR_VISIBLE_DEVICES", "amd"),
    ("HIP_VISIBLE_DEVICES", "amd"),
    ("GPU_DEVICE_ORDINAL", "amd"),
    ("ZE_AFFINITY_MASK", "intel"),
];

/// Why a platform may have no device: the variables that choose among its devices, as they are set.
fn choosers(platform: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    let platform = platform.to_lowercase();
    let mut set = Vec::new();
    for (name, _) in CHOOSERS.iter().filter(|of| platform.contains(of.1)) {
        match variable(name) {
            Some(value) => set.push(format!("{name}=\"{}\"", Readable::os(&value))),
            // Rusticl has devices by default nowhere.
            None if *name == "RUSTICL_ENABLE" => {
                return Some(format!(
                    "it has only those of the drivers that {name} names, which is not set (llvmpipe, iris, radeonsi...)"
                ));
            }
            None => {}
        }
    }
    if set.is_empty() {
        return None;
    }
    Some(format!(
        "which devices it has is chosen by {}: unset that, or name devices that it knows{}",
        set.join(" and "),
        if platform.contains("portable") { " (pthread or cpu, basic)" } else { "" }
    ))
}

/// The names that drivers of PoCL have for themselves, and how the names of their devices begin, where those are
/// others.
const DRIVERS: &[(&str, &str)] = &[("cpu", "pthread"), ("pthread", "cpu"), ("basic", "cpu-minimal")];

/// What is said where `POCL_DEVICES` names drivers of PoCL that have given no device, beside others that have.
/// `devices` are the names of PoCL's devices. A driver of GPUs calls a device by its own name, so it is not
/// always known to which driver one belongs.
fn drivers_without_device(devices: &[&str], variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    let value = variable("POCL_DEVICES")?;
    let value = Readable::os(&value).to_string();
    let mut others = devices.to_vec();
    let mut without = Vec::new();
    for driver in value.split_whitespace() {
        let is_its = |device: &&str| {
            let mut names = vec![driver];
            names.extend(DRIVERS.iter().filter(|of| of.0 == driver).map(|of| of.1));
            let rest = names.iter().find_map(|name| device.strip_prefix(name));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        match others.iter().position(is_its) {
            Some(at) => {
                others.swap_remove(at);
            }
            None => without.push(format!("\"{driver}\"")),
        }
    }
    if without.len() <= others.len() {
        return None;
    }
    let who = match (&without[..], others.len()) {
        ([driver], _) => format!("the driver {driver} has given no device"),
        (drivers, 0) => format!("the drivers {} have given no device", drivers.join(" and ")),
        (drivers, some) => {
            format!("{} of the drivers {} have given no device", drivers.len() - some, drivers.join(", "))
        }
    };
    Some(format!(
        "POCL_DEVICES is \"{value}\", but {who}: PoCL does not know it, or it has no hardware here. The others are used. Name \
         drivers that this PoCL has (pthread or cpu, basic), or unset POCL_DEVICES"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_lines_of_icd_files_are_named() {
        let odd = |content: &str| driver_of(content.as_bytes());
        let plain = ("libx.so".to_string(), Vec::new());
        assert_eq!(odd("libx.so\n"), plain);
        assert_eq!(odd("libx.so"), plain);
        assert_eq!(odd("libx.so\nmore\n"), plain);
        for (content, part) in [
            ("libx.so\r\n", "carriage return"),
            (" libx.so\n", "blank"),
            ("libx.so \r\n", "blank"),
            ("\n\nlibx.so\n", "empty line"),
            ("\u{feff}libx.so\n", "byte order mark"),
        ] {
            let (name, oddities) = odd(content);
            assert_eq!(name, "libx.so");
            assert!(oddities.iter().any(|oddity| oddity.contains(part)), "{content:?}: {oddities:?}");
        }
        assert_eq!(odd("\r\n \n").0, "");
    }

    #[test]
    fn icd_files_that_help_nobody_say_why() {
        let folder = env::temp_dir().join(format!("ocr-icd-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("x.icd");
        let fault = |content: &str| {
            fs::write(&file, content).expect("a file");
            icd_fault(&file).unwrap_or_default()
        };
        let text = fault("/no/such/driver.so\n");
        assert!(text.contains("could not load it (/no/such/driver.so: "), "{text}");
        let text = fault("/no/such/driver.so\r\n");
        assert!(text.contains("carriage return") && text.contains("without it"), "{text}");
        assert!(fault("\n").contains("names no library"));
        assert_eq!(fault("libc.so.6\n"), "");
        fs::remove_dir_all(&folder).expect("it is ours");
        assert!(icd_fault(&file).is_some_and(|text| text.contains("cannot be read")));
    }

    #[test]
    fn variables_that_hide_devices_are_named() {
        let with = |platform: &str, set: &[(&str, &str)]| {
            let find = |name: &str| set.iter().find(|of| of.0 == name).map(|of| of.1.into());
            choosers(platform, find).unwrap_or_default()
        };
        let pocl = "Portable Computing Language";
        assert_eq!(with(pocl, &[("CUDA_VISIBLE_DEVICES", "")]), "");
        let text = with(pocl, &[("POCL_DEVICES", "bogus")]);
        assert!(text.contains("POCL_DEVICES=\"bogus\""), "{text}");
        assert!(with(pocl, &[("POCL_DEVICES", "")]).contains("POCL_DEVICES=\"\""));
        assert!(with("rusticl", &[]).contains("RUSTICL_ENABLE names, which is not set"));
        let text = with("NVIDIA CUDA", &[("CUDA_VISIBLE_DEVICES", "-1")]);
        assert!(text.contains("CUDA_VISIBLE_DEVICES=\"-1\""), "{text}");
    }

    #[test]
    fn drivers_that_give_no_device_are_named() {
        let said = |set: &str, devices: &[&str]| {
            drivers_without_device(devices, |name| (name == "POCL_DEVICES").then(|| set.into()))
        };
        let (pthread, basic, gpu) = ("pthread-haswell-Intel(R) Xeon(R)", "basic-haswell", "NVIDIA A100");
        // Each has given one, by its own name or by that which later versions have for it.
        assert_eq!(said("pthread", &[pthread]), None);
        assert_eq!(said("basic pthread", &[pthread, basic]), None);
        assert_eq!(said("pthread pthread", &[pthread, pthread]), None);
        assert_eq!(said("pthread", &["cpu-haswell-x"]), None);
        assert_eq!(said("basic cpu", &["cpu-minimal-x", "cpu-haswell-x"]), None);
        assert_eq!(said("cuda pthread", &[pthread, gpu]), None);
        assert_eq!(said("cuda", &[gpu, gpu]), None);
        let text = said("pthread bogus", &[pthread]).expect("one has given none");
        assert!(text.contains("POCL_DEVICES is \"pthread bogus\", but the driver \"bogus\" has"), "{text}");
        assert!(text.contains("Name drivers"), "{text}");
        let text = said("pthreads basic pthread", &[pthread, basic]).expect("a typing error");
        assert!(text.contains("the driver \"pthreads\" has"), "{text}");
        let text = said("a b pthread", &[pthread]).expect("two have given none");
        assert!(text.contains("drivers \"a\" and \"b\" have"), "{text}");
        let text = said("cuda bogus", &[gpu]).expect("one has given none");
        assert!(text.contains("1 of the drivers \"cuda\", \"bogus\""), "{text}");
        assert_eq!(drivers_without_device(&[pthread], |_| None), None);
    }
}
