//! The machine on which a recording is replayed: that of the recording, or another one that the user asks for.

use crate::recorded::{RecordedRun, RecordedThread, Transfer, median};
use ocr_place::cores::{divide, units_of};
use ocr_place::place::Place;
use ocr_place::simulate::{LentCores, MachineModel, SimulatedDevice};
use std::str::FromStr;

/// The link of a device where nothing is known: nanoseconds of a short copy, and bytes per second of a long one.
const USUAL: (f64, f64) = (10_000.0, 8e9);

/// How the machine is to differ from that of the recording.
#[derive(Clone, Default, Debug)]
pub struct Wish {
    /// How many workers are wanted. None for as many as in the recording.
    pub workers: Option<usize>,
    /// The devices that are wanted. Empty for those of the recording.
    pub devices: Vec<DeviceWish>,
    /// Whether idle workers run EDTs, too, that devices run.
    pub duplicates: bool,
}

/// Some equal devices, described by comparison with the first device of the recording.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeviceWish {
    /// How many times as fast as the recorded device each is.
    pub speed: f64,
    /// Bytes per second of a long copy. None for the recorded bandwidth.
    pub bandwidth: Option<f64>,
    /// Nanoseconds of a short copy. None for the recorded latency.
    pub latency_ns: Option<f64>,
    /// How many of these devices there are.
    pub count: usize,
}

/// A number with a unit, times the unit's factor. None where the text has no unit of `units`, or no number from 0 on.
fn number(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (digits, factor) = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))?;
    let value = digits.trim().parse::<f64>().ok()? * factor;
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// Nanoseconds, of a text such as `10us`.
///
/// # Errors
/// A text for the user.
pub fn nanoseconds(text: &str) -> Result<f64, String> {
    let ns = number(text, &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]);
    ns.ok_or_else(|| "a time is written as 10us, 500ns or 1ms".to_string())
}

/// Bytes per second, of a text such as `12GB/s`.
///
/// # Errors
/// A text for the user.
pub fn bandwidth(text: &str) -> Result<f64, String> {
    let bandwidth = number(text, &[("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0)]);
    let bandwidth = bandwidth.filter(|bandwidth| *bandwidth > 0.0);
    bandwidth.ok_or_else(|| "a bandwidth is written as 12GB/s, 500MB/s or 10kB/s".to_string())
}

impl FromStr for DeviceWish {
    type Err = String;

    /// Reads a text such as `speed=10x,bandwidth=12GB/s,latency=10us,count=4`, of which each part may be left out. The
    /// error is a text for the user.
    fn from_str(text: &str) -> Result<DeviceWish, String> {
        let mut wish = DeviceWish { speed: 1.0, bandwidth: None, latency_ns: None, count: 1 };
        for word in text.split(',') {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let wrong = |form: &str| format!("\"{word}\": {form}");
            match name.trim() {
                "speed" => {
                    let speed = number(value, &[("x", 1.0), ("", 1.0)]);
                    wish.speed =
                        speed.filter(|speed| *speed > 0.0).ok_or_else(|| wrong("a speed is written as 10x or 0.5x"))?;
                }
                "bandwidth" => {
                    wish.bandwidth = Some(bandwidth(value).map_err(|form| wrong(&form))?);
                }
                "latency" => {
                    let form = "a latency is written as 10us, 500ns or 1ms";
                    wish.latency_ns = Some(nanoseconds(value).map_err(|_| wrong(form))?);
                }
                "count" => {
                    let count = value.parse().ok().filter(|count| (1..=Place::MAX_DEVICES).contains(count));
                    let form = format!("a count is a number from 1 to {}", Place::MAX_DEVICES);
                    wish.count = count.ok_or_else(|| wrong(&form))?;
                }
                _ => {
                    return Err(wrong(
                        "no property of a device; write speed=10x,bandwidth=12GB/s,latency=10us,count=4, of which each may \
                         be left out",
                    ));
                }
            }
        }
        Ok(wish)
    }
}

/// A machine on which a recording is replayed.
pub(super) struct ReplayMachine {
    pub(super) model: MachineModel,
    /// The names of the places, the host's first.
    pub(super) names: Vec<String>,
    /// Each group of equal devices, in words.
    pub(super) groups: Vec<String>,
    /// For each device, the place of the recording whose times it has, and how many times as fast as that it is.
    pub(super) like: Vec<(u8, f64)>,
    /// Groups of equal devices: the index of the first one, and how many there are.
    pub(super) alike: Vec<(usize, u32)>,
    /// Whether this is the machine of the recording.
    pub(super) is_recorded: bool,
    /// How workers and CPU devices share cores. None where that is not known, or each has its own.
    pub(super) shares: Option<CoreShares>,
    /// How many workers there are under a policy that uses no device, and so takes no core for one.
    pub(super) alone: usize,
}

/// How workers and CPU devices share the cores of the machine under each policy.
pub(super) struct CoreShares {
    cores: usize,
    workers: usize,
    /// Whether the user has asked for this number of workers.
    is_fixed: bool,
    /// The setting `OCR_BIND`.
    bind: String,
    /// For each CPU device its index, how many cores the whole device has, and how many those have to which the
    /// replay's times belong.
    devices: Vec<(usize, usize, usize)>,
    /// How many workers ran under the recorded policy, and whether that has CPU devices borrow cores. None on another
    /// machine.
    recorded: Option<(usize, bool)>,
}

/// Workers and CPU devices under a policy.
pub(super) struct SharedMachine {
    /// How many workers there are.
    pub(super) workers: usize,
    /// For each CPU device its index, and how many times as long its kernels take as in the replay's times.
    pub(super) slower: Vec<(usize, f64)>,
    /// The cores that devices borrow.
    pub(super) lends: Option<LentCores>,
}

impl CoreShares {
    fn of(run: &RecordedRun, wish: &Wish, recorded: usize) -> Option<CoreShares> {
        let about = |name: &str| run.about.get(name);
        let cores: usize = about("cores")?.parse().ok()?;
        let workers = wish.workers.or(about("workers")?.parse().ok())?;
        let devices = run.devices.keys().filter_map(|&place| {
            let cores = run.cores_of_device(place)?;
            Some((usize::from(place).checked_sub(1)?, cores.whole as usize, cores.share as usize))
        });
        let devices: Vec<_> = devices.collect();
        let may_be = wish.devices.is_empty() && wish.workers.is_none_or(|workers| workers <= cores);
        let mut shares = CoreShares {
            cores,
            workers,
            is_fixed: wish.workers.is_some() || about("workers-fixed")? == "true",
            bind: about("bind")?.clone(),
            devices,
            recorded: None,
        };
        let policy = about("sched").map_or("", String::as_str);
        let lends = shares.lends(super::asks_for_cores(policy));
        shares.recorded = wish.workers.is_none().then_some((recorded, lends));
        (may_be && !shares.devices.is_empty()).then_some(shares)
    }

    /// How many cores there are.
    pub(super) fn cores(&self) -> usize {
        self.cores
    }

    fn units(&self) -> usize {
        self.devices.iter().map(|(_, whole, _)| whole).sum()
    }

    /// How many workers and compute units have cores of their own, where each side has some.
    fn divided(&self) -> Option<(usize, usize)> {
        divide(self.cores, self.workers, self.is_fixed, self.units()).filter(|_| self.bind != "off")
    }

    /// Whether CPU devices borrow cores of the workers, under a policy that asks for that or does not.
    pub(super) fn lends(&self, asks: bool) -> bool {
        let has_room = self.divided().is_some_and(|(workers, _)| workers == self.workers);
        asks && self.bind == "auto" && !has_room
    }

    /// Workers and devices under a policy that asks for cores to be lent, or does not.
    pub(super) fn under(&self, asks: bool) -> SharedMachine {
        let lends = self.lends(asks);
        let divided = self.divided();
        let slower = self.devices.iter().map(|&(index, whole, timed)| {
            let units = match divided {
                Some((_, units)) if !lends => units_of(whole, self.units(), units),
                _ => whole,
            };
            (index, timed as f64 / units as f64)
        });
        let slower = slower.collect();
        let workers = match (self.recorded, divided) {
            _ if lends => self.workers,
            (Some((workers, false)), _) => workers,
            (_, Some((workers, _))) => workers,
            (_, None) => self.workers,
        };
        let devices = self.devices.iter().map(|(index, ..)| *index).collect();
        SharedMachine { workers, slower, lends: lends.then_some(LentCores { cores: self.cores, devices }) }
    }
}

/// A device of the recording, with latency and bandwidth by the medians of the shorter and of the longer half of its
/// copies. A device without copies is taken to share the host's memory.
fn link(run: &RecordedRun, place: u8) -> SimulatedDevice {
    let mut copies: Vec<&Transfer> = run.copies.iter().filter(|copy| copy.place == place && copy.bytes != 0).collect();
    if copies.is_empty() {
        return SimulatedDevice {
            latency_ns: 0.0,
            bandwidth: f64::INFINITY,
            shares_memory: true,
            ..SimulatedDevice::default()
        };
    }
    copies.sort_by_key(|copy| copy.bytes);
    let middle = |copies: &[&Transfer]| {
        let mut bytes: Vec<u64> = copies.iter().map(|copy| copy.bytes).collect();
        let mut ns: Vec<u64> = copies.iter().map(|copy| copy.end.saturating_sub(copy.begin)).collect();
        (median(&mut bytes) as f64, median(&mut ns) as f64)
    };
    let (short, long) = copies.split_at(copies.len() / 2);
    let (long_bytes, long_ns) = middle(long);
    let (short_bytes, short_ns) = if short.is_empty() { (0.0, 0.0) } else { middle(short) };
    let per_byte = if long_bytes > 2.0 * short_bytes && long_ns > short_ns {
        (long_ns - short_ns) / (long_bytes - short_bytes)
    } else {
        // All copies have about as many bytes, so the part of the time that is latency is not known.
        long_ns / long_bytes.max(1.0)
    };
    let per_byte = per_byte.max(1e-6);
    SimulatedDevice {
        latency_ns: (long_ns - long_bytes * per_byte).max(0.0),
        bandwidth: 1e9 / per_byte,
        shares_memory: false,
        ..SimulatedDevice::default()
    }
}

/// How many workers ran the work of the recording: those that were there when half of its EDTs had begun. The runtime
/// stops workers for the cores of a CPU device when the first kernel is added, which may be late in the time of a run
/// that starts OpenCL, and still before all of the work.
pub(super) fn workers(run: &RecordedRun) -> usize {
    let is_worker = |thread: &&RecordedThread| thread.is_worker;
    let seen = run.threads.values().filter(is_worker).count();
    let begun_with = run.about.get("workers").and_then(|text| text.parse().ok());
    let begun_with: usize = begun_with.unwrap_or(seen).max(1);
    // They stand still for a time where a device borrows their cores.
    if run.devices.keys().any(|&place| run.cores_of_device(place).is_some_and(|cores| cores.are_lent())) {
        return begun_with;
    }
    let mut begins: Vec<u64> = (run.edts.iter()).filter(|edt| edt.time().is_some()).map(|edt| edt.begin).collect();
    let middle = median(&mut begins);
    let gone = |thread: &&RecordedThread| thread.done.is_some_and(|done| done < middle);
    let gone = run.threads.values().filter(is_worker).filter(gone).count();
    // A thread that runs EDTs while another one waits in a call goes when that goes on. Its seat was the other one's.
    let helpers = seen.saturating_sub(begun_with);
    (begun_with.saturating_sub(gone.saturating_sub(helpers))).max(1)
}

/// The machine that is asked for. The error is a text for the user.
pub(super) fn of(run: &RecordedRun, wish: &Wish) -> Result<ReplayMachine, String> {
    let recorded = workers(run);
    let workers = wish.workers.unwrap_or(recorded);
    let begun_with = run.about.get("workers").and_then(|text| text.parse().ok());
    let last = run.devices.keys().copied().max().unwrap_or(0);
    let mut made = ReplayMachine {
        is_recorded: workers == recorded && wish.devices.is_empty(),
        alone: wish.workers.or(begun_with).unwrap_or(recorded).max(1),
        model: MachineModel { workers, duplicates: wish.duplicates, ..MachineModel::default() },
        shares: CoreShares::of(run, wish, recorded),
        names: vec!["workers".to_string()],
        groups: Vec::new(),
        like: Vec::new(),
        alike: Vec::new(),
    };
    if wish.devices.is_empty() {
        for place in 1..=last {
            let brings_behind_kernels = run.cores_of_device(place).is_some();
            let device = SimulatedDevice { brings_behind_kernels, ..link(run, place) };
            made.add(run.place_name(place), device, (place, 1.0), 1);
        }
    }
    if !wish.devices.is_empty() && last == 0 {
        return Err(
            "the recording has no device, so it does not tell how long kernels take that --device is compared with; \
             record a run with OCR_DEVICES=all, and OCR_SCHED=static:1:1 so that both variants run"
                .to_string(),
        );
    }
    for device in &wish.devices {
        let mut model = link(run, 1);
        if device.bandwidth.is_some() || device.latency_ns.is_some() {
            if model.shares_memory {
                (model.latency_ns, model.bandwidth) = USUAL;
            }
            model.shares_memory = false;
            model.latency_ns = device.latency_ns.unwrap_or(model.latency_ns);
            model.bandwidth = device.bandwidth.unwrap_or(model.bandwidth);
        }
        let name = match device.speed {
            1.0 => run.place_name(1),
            speed => format!("{} ({speed} times as fast)", run.place_name(1)),
        };
        made.add(name, model, (1, device.speed), device.count);
    }
    if made.model.devices.len() > Place::MAX_DEVICES {
        return Err(format!(
            "a machine has {} devices at most, and {} are asked for",
            Place::MAX_DEVICES,
            made.model.devices.len()
        ));
    }
    Ok(made)
}

impl ReplayMachine {
    /// Adds `count` equal devices, which have the times of `like`: a place of the recording, and how many times as fast
    /// they are.
    fn add(&mut self, name: String, device: SimulatedDevice, like: (u8, f64), count: usize) {
        self.alike.push((self.model.devices.len(), count as u32));
        self.groups.push(if count == 1 { name.clone() } else { format!("{count} devices {name}") });
        for number in 1..=count {
            self.model.devices.push(device);
            self.like.push(like);
            self.names.push(if count == 1 { name.clone() } else { format!("{name}, {number} of {count}") });
        }
    }
}
