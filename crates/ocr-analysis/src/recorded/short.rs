//! Short names of devices: what is printed on the device, without drivers, marks and counts of cores.

/// How many letters a short name has, or so.
const LONG: usize = 28;

/// What OpenCL drivers for CPUs put before the name of the processor.
const DRIVERS: [&str; 4] = ["cpu-", "pthread-", "basic-", "tbb-"];

/// Words that say nothing beside the name of a device.
const EMPTY: [&str; 5] = ["CPU", "Processor", "with", "APU", "@"];

/// The short name of a device; the whole name where nothing would be left of it.
fn short(name: &str) -> String {
    let mut rest = name;
    if let Some(behind) = DRIVERS.iter().find_map(|driver| name.strip_prefix(driver)) {
        rest = behind;
        // The processor's architecture as LLVM calls it: `haswell-`, `x86-64-v3-`.
        while let Some((first, behind)) = rest.split_once('-') {
            if first.contains(' ') || first.starts_with(|c: char| c.is_ascii_uppercase()) {
                break;
            }
            rest = behind;
        }
    }
    let plain = ["(R)", "(TM)", "(r)", "(tm)"];
    let plain = plain.iter().fold(rest.to_string(), |text, mark| text.replace(mark, ""));
    // What stands in brackets, or behind the clock, is about drivers and revisions.
    let plain = plain.split([':', '(', '[', '@']).next().unwrap_or_default();
    let mut out = String::new();
    for word in plain.split_whitespace() {
        if EMPTY.contains(&word) || word.ends_with("-Core") || out.chars().count() + word.chars().count() >= LONG {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out += word;
    }
    if out.is_empty() { name.to_string() } else { out }
}

/// The short names of several devices, which are numbered where they would be the same.
pub(crate) fn short_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let all: Vec<String> = names.into_iter().map(short).collect();
    let numbered = |(at, name): (usize, &String)| {
        let alike = |names: &[String]| names.iter().filter(|other| *other == name).count();
        match alike(&all) {
            1 => name.clone(),
            _ => format!("{name} ({})", alike(&all[..=at])),
        }
    };
    all.iter().enumerate().map(numbered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_device() {
        for (long, name) in [
            ("cpu-haswell-AMD EPYC 7713 64-Core Processor", "AMD EPYC 7713"),
            ("pthread-x86-64-v3-Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz", "Intel Xeon Platinum 8259CL"),
            ("pthread-AMD Ryzen 7 5800X 8-Core Processor", "AMD Ryzen 7 5800X"),
            ("NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"),
            ("Intel(R) UHD Graphics 620 [0x5917]", "Intel UHD Graphics 620"),
            ("AMD Radeon RX 6800 XT (navi21, LLVM 15.0.7)", "AMD Radeon RX 6800 XT"),
            ("gfx90a:sramecc+:xnack-", "gfx90a"),
            ("gpu", "gpu"),
            ("(R)", "(R)"),
            ("bad\\xff name", "bad\\xff name"),
        ] {
            assert_eq!(short(long), name, "{long}");
        }
        let two = ["cpu-haswell-A B", "cpu-znver3-A B", "C"];
        assert_eq!(short_names(two), ["A B (1)", "A B (2)", "C"]);
    }
}
