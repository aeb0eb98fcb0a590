//! How long copies to devices and back take.
//!
//! Each way to or from a device has a latency and a bandwidth. The first values are those of a platform description, if
//! there is one, or usual ones of such links. What the run measures corrects them. A copy in which the latency is most
//! of the time is a sample of the latency, and any other copy is one of the bandwidth. Each value is the median of the
//! last eleven such samples. Samples that earlier runs have kept count as if they had been measured now.

use crate::model::PLACES;
use crate::model::samples::Samples;
#[cfg(loom)]
use loom::sync::Mutex;
use ocr_base::sync::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::Mutex;
use std::sync::OnceLock;

/// Which way a copy goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Direction {
    /// From the host to the device.
    ToDevice,
    /// From the device to the host.
    FromDevice,
}

impl Direction {
    /// Both directions, in the order of their numbers.
    pub const ALL: [Direction; 2] = [Direction::ToDevice, Direction::FromDevice];
}

/// The samples of copies to a device or from it, the oldest first; at most eleven of each kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CopySamples {
    /// How long short copies took, in nanoseconds.
    pub latency_ns: Vec<u64>,
    /// Picoseconds for each KiB of long ones.
    pub ps_per_kib: Vec<u64>,
}

impl CopySamples {
    /// The medians: nanoseconds of a short copy, and bytes per second of a long one. Each is none where there is no
    /// sample.
    pub fn medians(&self) -> (Option<f64>, Option<f64>) {
        let median = |samples: &[u64]| {
            let mut all = Samples::default();
            samples.iter().for_each(|&value| all.add(value));
            (all.len() != 0).then(|| all.median() as f64)
        };
        let bandwidth = median(&self.ps_per_kib).map(|ps| 1024.0 * 1e12 / ps);
        (median(&self.latency_ns), bandwidth)
    }
}

/// Nanoseconds of a short copy, where none was measured.
const USUAL_LATENCY_NS: f64 = 10_000.0;
/// Bytes per nanosecond of a long copy, where none was measured.
const USUAL_BANDWIDTH: f64 = 8.0;

/// How long copies take, by direction and by the device's index among those in use.
#[derive(Default)]
pub struct Transfers(OnceLock<Box<DeviceWays>>);

type DeviceWays = [[OnceLock<Box<TransferWay>>; 2]; PLACES];

/// Copies to one device, or from it. Latency and time for a byte are published as the bits of an `f64`, one word each.
/// A lookup may read one of them from before a sample and the other from behind it, and each is right by itself.
struct TransferWay {
    latency_ns: AtomicU64,
    /// Nanoseconds for each byte. 0 says that nothing is copied, since the device shares the host's memory.
    ns_per_byte: AtomicU64,
    samples: Mutex<WaySamples>,
}

#[derive(Default)]
struct WaySamples {
    latency_ns: Samples,
    /// Picoseconds for each KiB, a unit in which whole numbers are exact enough.
    per_kib: Samples,
    /// Whether this run has added a sample, beside those of earlier runs.
    is_new: bool,
}

impl TransferWay {
    /// A way with this latency, and a bandwidth in bytes per nanosecond.
    fn new(latency_ns: f64, bandwidth: f64) -> TransferWay {
        TransferWay {
            latency_ns: AtomicU64::new(latency_ns.to_bits()),
            ns_per_byte: AtomicU64::new((1.0 / bandwidth).to_bits()),
            samples: Mutex::default(),
        }
    }

    /// The latency in nanoseconds, and the nanoseconds for each byte.
    fn get(&self) -> (f64, f64) {
        let number = |word: &AtomicU64| f64::from_bits(word.load(Ordering::Relaxed));
        (number(&self.latency_ns), number(&self.ns_per_byte))
    }

    fn add_latency(&self, samples: &mut WaySamples, ns: u64) {
        samples.latency_ns.add(ns);
        let median = samples.latency_ns.median() as f64;
        self.latency_ns.store(median.to_bits(), Ordering::Relaxed);
    }

    fn add_per_kib(&self, samples: &mut WaySamples, per_kib: u64) {
        samples.per_kib.add(per_kib);
        let median = samples.per_kib.median() as f64 / 1024.0 / 1000.0;
        self.ns_per_byte.store(median.to_bits(), Ordering::Relaxed);
    }
}

impl Transfers {
    fn way(&self, device: usize, direction: Direction) -> Option<&OnceLock<Box<TransferWay>>> {
        let ways = self.0.get_or_init(Box::default).get(device)?;
        Some(&ways[direction as usize])
    }

    /// Sets what is known of a device in use before its first copy: the latency in nanoseconds, and the bandwidth in
    /// bytes per second. Does nothing once a copy has been measured, or where a number makes no sense.
    pub fn begin(&self, device: usize, direction: Direction, latency_ns: f64, bandwidth: f64) {
        let makes_sense = latency_ns >= 0.0 && bandwidth > 0.0 && latency_ns.is_finite();
        if let Some(way) = self.way(device, direction).filter(|_| makes_sense) {
            way.get_or_init(|| Box::new(TransferWay::new(latency_ns, bandwidth / 1e9)));
        }
    }

    /// Says that a device in use shares the host's memory, so that nothing is copied.
    pub fn shares_memory(&self, device: usize) {
        for direction in [Direction::ToDevice, Direction::FromDevice] {
            if let Some(way) = self.way(device, direction) {
                way.get_or_init(|| Box::new(TransferWay::new(0.0, f64::INFINITY)));
            }
        }
    }

    /// How many nanoseconds a copy of `bytes` will take; 0 for no bytes.
    pub fn expected(&self, device: usize, direction: Direction, bytes: u64) -> u64 {
        if bytes == 0 {
            return 0;
        }
        let way = self.way(device, direction).and_then(OnceLock::get);
        let (latency_ns, ns_per_byte) = way.map_or((USUAL_LATENCY_NS, 1.0 / USUAL_BANDWIDTH), |way| way.get());
        (latency_ns + bytes as f64 * ns_per_byte) as u64
    }

    /// Notes that a copy of `bytes` took `ns` nanoseconds, from when nothing kept it from beginning. A copy of no bytes
    /// is not counted.
    pub fn sample(&self, device: usize, direction: Direction, bytes: u64, ns: u64) {
        let Some(way) = self.way(device, direction).filter(|_| bytes != 0) else {
            return;
        };
        let usual = || Box::new(TransferWay::new(USUAL_LATENCY_NS, USUAL_BANDWIDTH));
        let way = way.get_or_init(usual);
        let (latency_ns, ns_per_byte) = way.get();
        if ns_per_byte == 0.0 {
            return;
        }
        let moving_ns = bytes as f64 * ns_per_byte;
        // Nothing panics with the lock held, so it is never poisoned. Where another thread has the lock, this sample is
        // dropped: the other thread adds one of its own.
        let Ok(mut samples) = way.samples.try_lock() else {
            return;
        };
        samples.is_new = true;
        if moving_ns < latency_ns {
            let ns = (ns as f64 - moving_ns).max(1.0);
            way.add_latency(&mut samples, ns as u64);
        } else {
            // A latency that was guessed too high must not make a link look infinitely fast.
            let moving_ns = (ns as f64 - latency_ns).max(ns as f64 / 4.0);
            let per_kib = (moving_ns / bytes as f64 * 1024.0 * 1000.0).max(1.0);
            way.add_per_kib(&mut samples, per_kib as u64);
        }
    }

    /// Adds the samples that an earlier run has kept of copies to a device in use, or from it.
    pub fn seed(&self, device: usize, direction: Direction, kept: &CopySamples) {
        let Some(way) = self.way(device, direction) else {
            return;
        };
        let usual = || Box::new(TransferWay::new(USUAL_LATENCY_NS, USUAL_BANDWIDTH));
        let way = way.get_or_init(usual);
        // Nothing panics with the lock held, so it is never poisoned. Where memory is shared, nothing is copied.
        if way.get().1 != 0.0
            && let Ok(mut samples) = way.samples.try_lock()
        {
            for &ns in &kept.latency_ns {
                way.add_latency(&mut samples, ns);
            }
            for &per_kib in &kept.ps_per_kib {
                way.add_per_kib(&mut samples, per_kib);
            }
        }
    }

    /// The samples of copies to a device, or from it, for later runs. None where this run has added none.
    pub fn new_samples(&self, device: usize, direction: Direction) -> Option<CopySamples> {
        let samples = self.way(device, direction)?.get()?.samples.try_lock().ok()?;
        samples.is_new.then(|| CopySamples {
            latency_ns: samples.latency_ns.iter().collect(),
            ps_per_kib: samples.per_kib.iter().collect(),
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use Direction::{FromDevice, ToDevice};

    fn near(found: u64, want: f64) -> bool {
        (found as f64 - want).abs() / want < 0.1
    }

    #[test]
    fn first_values_hold_until_copies_say_otherwise() {
        let transfers = Transfers::default();
        transfers.begin(0, ToDevice, 20_000.0, 2e9);
        assert_eq!(transfers.expected(0, ToDevice, 2_000_000), 1_020_000);
        assert_eq!(transfers.expected(0, ToDevice, 0), 0);
        // The link is half as fast, and starts as slowly.
        let time = |bytes: f64| 20_000.0 + bytes;
        for _ in 0..11 {
            transfers.sample(0, ToDevice, 4_000_000, time(4e6) as u64);
            transfers.sample(0, ToDevice, 64, time(64.0) as u64);
        }
        for bytes in [64, 100_000, 1_000_000, 50_000_000] {
            let found = transfers.expected(0, ToDevice, bytes);
            assert!(near(found, time(bytes as f64)), "{bytes}: {found}");
        }
        // The other way is another link.
        assert_ne!(transfers.expected(0, FromDevice, 50_000_000), 50_020_000);
    }

    #[test]
    fn links_that_nobody_has_described_are_learned() {
        for (latency, per_byte) in [(500.0, 0.02), (30_000.0, 0.5), (2_000_000.0, 10.0)] {
            let transfers = Transfers::default();
            let time = |bytes: u64| latency + per_byte * bytes as f64;
            for round in 0..200 {
                let bytes = [256, 1 << 12, 1 << 20, 1 << 24][round % 4];
                transfers.sample(2, FromDevice, bytes, time(bytes) as u64);
            }
            for bytes in [256, 1 << 22] {
                let found = transfers.expected(2, FromDevice, bytes);
                let error = (found as f64 - time(bytes)).abs() / time(bytes);
                assert!(error < 0.35, "{latency} {per_byte} {bytes}: {found}");
            }
        }
    }

    #[test]
    fn a_copy_that_was_held_up_does_not_count() {
        let transfers = Transfers::default();
        transfers.begin(1, ToDevice, 1000.0, 1e9);
        for round in 0..100 {
            let ns = 1_001_000 * if round % 5 == 0 { 300 } else { 1 };
            transfers.sample(1, ToDevice, 1_000_000, ns);
        }
        assert!(near(transfers.expected(1, ToDevice, 1_000_000), 1_001_000.0));
    }

    #[test]
    fn what_is_kept_can_be_taken_in_again() {
        let (first, second) = (Transfers::default(), Transfers::default());
        for round in 1..=20 {
            first.sample(1, ToDevice, 64, 2_000 + round);
            first.sample(1, ToDevice, 4 << 20, 5_000_000 + round);
        }
        assert_eq!(first.new_samples(1, FromDevice), None);
        let kept = first.new_samples(1, ToDevice).expect("samples");
        assert_eq!((kept.latency_ns.len(), kept.ps_per_kib.len()), (11, 11));
        let (latency, bandwidth) = kept.medians();
        assert!((1_900.0..2_020.0).contains(&latency.expect("a median")));
        assert!(near(bandwidth.expect("a median") as u64, (4 << 20) as f64 / 5e-3));
        second.begin(1, ToDevice, 1e6, 1e6);
        second.seed(1, ToDevice, &kept);
        for bytes in [64, 1 << 20] {
            assert_eq!(first.expected(1, ToDevice, bytes), second.expected(1, ToDevice, bytes));
        }
        assert_eq!(second.new_samples(1, ToDevice), None, "this run has added none");
        // What was kept is of no use where nothing is copied.
        second.shares_memory(2);
        second.seed(2, ToDevice, &kept);
        assert_eq!(second.expected(2, ToDevice, 1 << 30), 0);
    }

    #[test]
    fn nothing_is_copied_to_a_device_that_shares_memory() {
        let transfers = Transfers::default();
        transfers.shares_memory(3);
        transfers.sample(3, ToDevice, 1 << 20, 1 << 20);
        assert_eq!(transfers.expected(3, ToDevice, u64::MAX), 0);
        assert_eq!(transfers.expected(3, FromDevice, 1 << 30), 0);
        assert_eq!(transfers.expected(PLACES, ToDevice, 0), 0);
        transfers.begin(4, ToDevice, f64::NAN, 0.0);
        assert!(transfers.expected(4, ToDevice, 1 << 20) > 0);
    }
}
