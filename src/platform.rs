//! The platform description: one file, in TOML, that says what units a machine has and how fast the links between
//! them are. `ocr info --write-platform FILE` writes it with what it has found and measured; people may change it;
//! `OCR_PLATFORM` has a run read it. Then its values answer the questions of `ocr-pdl.h`. When devices are opened,
//! `begin_transfers` of `engine/devices/open.rs` takes the speed of each link ([`Platform::link`]) as a first guess of
//! what copies take.
//!
//! The words are those of PDL, the platform description language of OCR-Vx: *units* with a *role*, their memory, and
//! the *links* between them. Units are the host, which is the Master since programs begin there, and its OpenCL
//! devices, which are Workers. A Hybrid is both, such as a node among several; that is not written today, but it is
//! read.
//!
//! Each link says where its numbers come from: `measured` with the day, or `given` by somebody. A file of another
//! version, with a key or a value that makes no sense, or that says of this machine what is not so, is refused with
//! a message that names the place: a policy that believes a wrong number goes wrong unseen.

use crate::config::Set;
use crate::device::{DeviceInfo, DeviceKind, LinkSpeed};
use ocr_base::text::Readable;
pub use ocr_place::model::Direction;
use serde::Deserialize;
use std::fmt;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The version of the file that this runtime writes, and the only one that it reads.
pub const VERSION: i64 = 1;

/// What a unit is to the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub enum UnitRole {
    /// Programs begin there, and it gives work to the others.
    Master,
    /// The unit gets work from others, and gives it on.
    Hybrid,
    /// The unit gets work, and gives none.
    Worker,
}

impl UnitRole {
    /// Its word in the file and in `ocr-pdl.h`.
    pub fn word(self) -> &'static str {
        match self {
            UnitRole::Master => "Master",
            UnitRole::Hybrid => "Hybrid",
            UnitRole::Worker => "Worker",
        }
    }
}

/// What kind of hardware a unit is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub enum UnitKind {
    /// Cores of the machine's processors.
    #[serde(rename = "CPU")]
    Cpu,
    /// A graphics processor, which the file calls "GPU".
    #[serde(rename = "GPU")]
    Gpu,
    /// An accelerator that is no graphics processor.
    #[serde(rename = "accelerator")]
    Accelerator,
    /// Hardware of any other kind.
    #[serde(rename = "other")]
    Other,
}

impl UnitKind {
    /// Its word in the file and in `ocr-pdl.h`.
    pub fn word(self) -> &'static str {
        match self {
            UnitKind::Cpu => "CPU",
            UnitKind::Gpu => "GPU",
            UnitKind::Accelerator => "accelerator",
            UnitKind::Other => "other",
        }
    }
}

impl From<DeviceKind> for UnitKind {
    fn from(kind: DeviceKind) -> UnitKind {
        match kind {
            DeviceKind::Cpu => UnitKind::Cpu,
            DeviceKind::Gpu => UnitKind::Gpu,
            DeviceKind::Accelerator => UnitKind::Accelerator,
            DeviceKind::Other => UnitKind::Other,
        }
    }
}

/// The machine's cores and memory.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Host {
    /// Its host name.
    pub name: String,
    /// What it is to the devices.
    pub role: UnitRole,
    /// What kind of hardware the unit is.
    pub kind: UnitKind,
    /// Its cores, whether or not a process may use them.
    pub compute_units: u64,
    /// How many bytes of memory the unit has.
    pub memory: u64,
}

/// An OpenCL device, as the file describes it.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DescribedDevice {
    /// Its number on this machine, as `ocr info` prints it.
    pub index: usize,
    /// The name of the device.
    pub name: String,
    /// The OpenCL platform that it belongs to.
    pub platform: String,
    /// What it is to the host.
    pub role: UnitRole,
    /// What kind of hardware the unit is.
    pub kind: UnitKind,
    /// How many compute units OpenCL says that it has.
    pub compute_units: u64,
    /// How many bytes of memory the unit has.
    pub memory: u64,
    /// Bytes of memory that the work-items of a group share.
    pub local_memory: u64,
    /// The most work-items in a group.
    pub max_work_group: u64,
    /// Whether its memory is the host's, so that nothing is copied.
    pub shares_memory: bool,
}

/// How fast bytes go from one unit to another: a transfer of N bytes takes the latency and N times 1 / bandwidth.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PlatformLink {
    /// `host`, or `device` and a number.
    pub from: String,
    /// The other end: `host`, or `device` and a number.
    pub to: String,
    /// Nanoseconds that a transfer takes whatever its size.
    pub latency_ns: f64,
    /// Bytes per second of a long transfer.
    pub bandwidth: f64,
    /// `measured` and the day, or `given`.
    pub source: String,
}

/// The description of a machine: its units, and the links between them.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Platform {
    version: i64,
    /// The cores and the memory of the machine.
    pub host: Host,
    /// The OpenCL devices, in the order of their numbers.
    #[serde(default, rename = "device")]
    pub devices: Vec<DescribedDevice>,
    /// The links between the host and them.
    #[serde(default, rename = "link")]
    pub links: Vec<PlatformLink>,
}

/// The version alone, since a file of another one may be made of anything.
#[derive(Deserialize)]
struct Versioned {
    version: i64,
}

const HOST: &str = "host";

/// How a device is called in a link.
fn end_of(device: usize) -> String {
    format!("device {device}")
}

impl Platform {
    /// The description that a setting names, if it names one. The error, for people, says also where the host is
    /// not this machine.
    pub fn of(setting: &Set<Option<PathBuf>>) -> Result<Option<Platform>, String> {
        let Some(path) = &setting.value else {
            return Ok(None);
        };
        let read = Platform::read(path).and_then(|platform| {
            let here = platform.check_host();
            here.map_err(|error| format!("the platform description {}: {error}", Readable::path(path)))?;
            Ok(platform)
        });
        read.map(Some).map_err(|error| format!("{}: {error}", setting.origin))
    }

    /// Reads a file. The error is for people, and names it.
    pub fn read(path: &Path) -> Result<Platform, String> {
        let file = Readable::path(path);
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("the platform description {file} cannot be read: {error}"))?;
        Platform::parse(&text).map_err(|error| format!("the platform description {file} is not usable: {error}"))
    }

    /// Reads a description from TOML. The error says what is wrong, for people.
    pub fn parse(text: &str) -> Result<Platform, String> {
        let said = |error: toml::de::Error| error.to_string().trim_end().to_string();
        let version = toml::from_str::<Versioned>(text).map_err(said)?.version;
        if version != VERSION {
            return Err(format!(
                "it has version {version}, and this runtime reads version {VERSION}. Have it written anew: \
                 ocr info --write-platform FILE"
            ));
        }
        let platform: Platform = toml::from_str(text).map_err(said)?;
        platform.check()?;
        Ok(platform)
    }

    /// Whether the values make sense together.
    fn check(&self) -> Result<(), String> {
        if self.host.compute_units == 0 {
            return Err("[host]: compute-units is 0".to_string());
        }
        let mut devices = self.devices.iter().enumerate();
        if let Some((_, twice)) = devices.find(|&(at, device)| {
            let mut before = self.devices[..at].iter();
            before.any(|other| other.index == device.index)
        }) {
            return Err(format!("there are two devices with index {}", twice.index));
        }
        for (at, link) in self.links.iter().enumerate() {
            let name = format!("the link from \"{}\" to \"{}\"", link.from, link.to);
            let known = |end: &str| end == HOST || self.devices.iter().any(|device| end_of(device.index) == end);
            if let Some(unknown) = [&link.from, &link.to].into_iter().find(|end| !known(end)) {
                return Err(format!(
                    "{name}: there is no unit \"{unknown}\": a link is between \"{HOST}\" and \"{}\" or another \
                     device's index",
                    end_of(0)
                ));
            }
            if link.from == link.to {
                return Err(format!("{name} leads nowhere"));
            }
            let ends = |link: &PlatformLink| (link.from.clone(), link.to.clone());
            if self.links[..at].iter().any(|other| ends(other) == ends(link)) {
                return Err(format!("{name} is there twice"));
            }
            if !(link.latency_ns.is_finite() && link.latency_ns >= 0.0) {
                return Err(format!("{name}: latency-ns is {}, which no link has", link.latency_ns));
            }
            if !(link.bandwidth.is_finite() && link.bandwidth > 0.0) {
                return Err(format!(
                    "{name}: bandwidth is {}; it is in bytes per second, and more than 0",
                    link.bandwidth
                ));
            }
            let day = link.source.strip_prefix("measured ");
            if link.source != GIVEN && !day.is_some_and(is_day) {
                return Err(format!(
                    "{name}: source is \"{}\"; it is \"{GIVEN}\", or \"measured\" and a day such as 2026-01-31",
                    link.source
                ));
            }
        }
        Ok(())
    }

    /// Whether what it says of the host is so. The error says what is not.
    pub fn check_host(&self) -> Result<(), String> {
        let (said, here) = (&self.host, Host::here());
        let refused = |what: String| Err(format!("it is not of this machine: {what}{ADVICE}"));
        if said.compute_units != here.compute_units {
            let (said, here) = (said.compute_units, here.compute_units);
            return refused(format!("its host has {said} cores, and this one has {here}"));
        }
        if said.name != here.name {
            let (said, here) = (&said.name, &here.name);
            return refused(format!("its host is \"{said}\", and this one is \"{here}\""));
        }
        match at_most("memory", said.memory, here.memory) {
            Some(what) => refused(format!("its host has {what}")),
            None => Ok(()),
        }
    }

    /// Whether what it says of devices is so. The error says what is not. Of those that it does not name,
    /// nothing is said.
    pub fn check_devices(&self, found: &[DeviceInfo]) -> Result<(), String> {
        for device in &self.devices {
            let Some(here) = found.iter().find(|here| here.index == device.index) else {
                return Err(format!(
                    "it is not of this machine: there is no device {}, \"{}\"{ADVICE}",
                    device.index, device.name
                ));
            };
            let kind = UnitKind::from(here.kind);
            let pairs = [
                ("name", &device.name, &here.name),
                ("platform", &device.platform, &here.platform),
                ("kind", &device.kind.word().to_string(), &kind.word().to_string()),
            ];
            if let Some((what, said, is)) = pairs.into_iter().find(|(_, said, is)| said != is) {
                return Err(format!(
                    "it is not of this machine: device {} has the {what} \"{is}\" here, and not \"{said}\"{ADVICE}",
                    device.index
                ));
            }
            let sizes = [
                ("memory", device.memory, here.global_memory),
                ("local-memory", device.local_memory, here.local_memory),
                ("max-work-group", device.max_work_group, here.max_work_group as u64),
            ];
            let wrong = sizes.into_iter().find_map(|(what, said, here)| at_most(what, said, here));
            if let Some(what) = wrong {
                return Err(format!("it is not of this machine: device {} has {what}{ADVICE}", device.index));
            }
        }
        Ok(())
    }

    /// What it says of a device, by the number that `ocr info` prints.
    pub fn device(&self, index: usize) -> Option<&DescribedDevice> {
        self.devices.iter().find(|device| device.index == index)
    }

    /// The link between the host and a device, if it is known.
    pub fn link(&self, device: usize, direction: Direction) -> Option<&PlatformLink> {
        let device = end_of(device);
        let (from, to) = match direction {
            Direction::ToDevice => (HOST, &*device),
            Direction::FromDevice => (&*device, HOST),
        };
        (self.links.iter()).find(|link| link.from == from && link.to == to)
    }

    /// The machine with these devices, of which each link may have been measured.
    pub fn found(devices: &[(DeviceInfo, Option<[LinkSpeed; 2]>)]) -> Platform {
        let source = format!("measured {}", today());
        let mut links = Vec::new();
        for (info, speeds) in devices {
            let ends = [(HOST.to_string(), end_of(info.index)), (end_of(info.index), HOST.to_string())];
            for ((from, to), speed) in ends.into_iter().zip(speeds.iter().flatten()) {
                links.push(PlatformLink {
                    from,
                    to,
                    latency_ns: speed.latency_ns,
                    bandwidth: speed.bandwidth,
                    source: source.clone(),
                });
            }
        }
        Platform {
            version: VERSION,
            host: Host::here(),
            devices: devices.iter().map(|(info, _)| DescribedDevice::of(info)).collect(),
            links,
        }
    }

    /// The text of its file, with comments for a user who changes it.
    pub fn text(&self) -> String {
        let mut text = String::from(HEAD);
        // Writing to a string cannot fail.
        let _ = write!(text, "version = {}\n\n{}", self.version, self.host);
        for device in &self.devices {
            let _ = write!(text, "\n{device}");
        }
        for link in &self.links {
            let _ = write!(text, "\n{link}");
        }
        text
    }
}

const ADVICE: &str =
    ". Leave the setting out, correct the file, or have it written anew: ocr info --write-platform FILE";

const GIVEN: &str = "given";

const HEAD: &str = "\
# What this machine has, for OCR_PLATFORM (or -ocr:platform). Written by ocr info --write-platform.
# Change what you know better; of a link that you have changed, write source = \"given\".
#
# role: Master (programs begin there), Worker (gets work), Hybrid (both). kind: CPU, GPU, accelerator, other.
# memory in bytes, latency in nanoseconds, bandwidth in bytes per second: a transfer of N bytes takes
# latency-ns / 1e9 + N / bandwidth seconds. A device that shares the host's memory needs no transfers; its
# links say what they take with OCR_DEVICE_FORCE_COPIES=1.
";

impl Host {
    /// The host as it is described where there is no file.
    pub fn here() -> Host {
        Host {
            name: name().unwrap_or_else(|| "localhost".to_string()),
            role: UnitRole::Master,
            kind: UnitKind::Cpu,
            compute_units: cores(),
            memory: memory(),
        }
    }
}

impl DescribedDevice {
    /// What OpenCL tells of a device.
    pub fn of(info: &DeviceInfo) -> DescribedDevice {
        DescribedDevice {
            index: info.index,
            name: info.name.clone(),
            platform: info.platform.clone(),
            role: UnitRole::Worker,
            kind: info.kind.into(),
            compute_units: info.compute_units.into(),
            memory: info.global_memory,
            local_memory: info.local_memory,
            max_work_group: info.max_work_group as u64,
            shares_memory: info.host_unified,
        }
    }
}

/// A text as TOML has it: what JSON escapes, TOML escapes so too, and one character more.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json.replace('\u{7f}', "\\u007f")
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "[host]")?;
        writeln!(f, "name = {}", quoted(&self.name))?;
        writeln!(f, "role = \"{}\"", self.role.word())?;
        writeln!(f, "kind = \"{}\"", self.kind.word())?;
        writeln!(f, "compute-units = {}", self.compute_units)?;
        writeln!(f, "memory = {}", self.memory)
    }
}

impl fmt::Display for DescribedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "[[device]]")?;
        writeln!(f, "index = {}", self.index)?;
        writeln!(f, "name = {}", quoted(&self.name))?;
        writeln!(f, "platform = {}", quoted(&self.platform))?;
        writeln!(f, "role = \"{}\"", self.role.word())?;
        writeln!(f, "kind = \"{}\"", self.kind.word())?;
        writeln!(f, "compute-units = {}", self.compute_units)?;
        writeln!(f, "memory = {}", self.memory)?;
        writeln!(f, "local-memory = {}", self.local_memory)?;
        writeln!(f, "max-work-group = {}", self.max_work_group)?;
        writeln!(f, "shares-memory = {}", self.shares_memory)
    }
}

impl fmt::Display for PlatformLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "[[link]]")?;
        writeln!(f, "from = {}", quoted(&self.from))?;
        writeln!(f, "to = {}", quoted(&self.to))?;
        writeln!(f, "latency-ns = {:.1}", self.latency_ns)?;
        writeln!(f, "bandwidth = {:.1}", self.bandwidth)?;
        writeln!(f, "source = {}", quoted(&self.source))
    }
}

/// What is wrong with a size, in words that follow "has": a part of a machine may be left to others, but no program can
/// have more than there is, or nothing. None where OpenCL says 0, which is not known.
fn at_most(what: &str, said: u64, here: u64) -> Option<String> {
    let wrong = here != 0 && (said == 0 || said > here);
    wrong.then(|| format!("{what} = {said}; here it is more than 0, and at most {here}"))
}

/// The host name of the machine; none if the system does not say it.
pub fn name() -> Option<String> {
    let name = ocr_base::text::read_file("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim_end().to_string())
}

/// The cores of the machine that are on, whether or not this process may use them.
fn cores() -> u64 {
    // SAFETY: `sysconf` has no preconditions, and touches no memory of the caller.
    let cores = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    u64::try_from(cores).unwrap_or(0).max(1)
}

/// Bytes of the machine's memory.
fn memory() -> u64 {
    // SAFETY: `sysconf` has no preconditions, and touches no memory of the caller.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    // SAFETY: `sysconf` has no preconditions, and touches no memory of the caller.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let number = |value| u64::try_from(value).unwrap_or(0);
    number(pages).saturating_mul(number(page))
}

/// The day of now, in UTC.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    day(since.map_or(0, |since| since.as_secs() / 86_400))
}

/// The day with this number since the first of January 1970, as year, month and day.
fn day(mut left: u64) -> String {
    let is_leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", left + 1)
}

/// Whether a text is a day, such as 2026-01-31.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return false;
    };
    let number = |text: &str, digits| {
        let right = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        right.then(|| text.parse::<u32>().ok()).flatten()
    };
    number(year, 4).is_some()
        && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
        && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
}

#[cfg(test)]
mod tests;
