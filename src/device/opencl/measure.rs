//! How fast bytes go to a device and back: timed copies, for the platform description.

use crate::device::opencl::discovery::DeviceInfo;
use crate::device::opencl::error::code_name;
use crate::device::opencl::raw::{Answer, CommandEvent, CommandQueue, Mem, OpenclContext, WaitList};
use crate::device::opencl::threads;
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::time::Instant;

/// What copies take: the latency, and the bytes at the bandwidth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinkSpeed {
    /// Nanoseconds of a copy of a few bytes.
    pub latency_ns: f64,
    /// How fast a long copy is, in bytes per second.
    pub bandwidth: f64,
}

/// The bytes of the copies, from the smallest, which gives the latency, to the largest.
const SIZES: [usize; 6] = [64, 4 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20];
/// How often a copy of `size` bytes is timed; the median counts. Short ones vary more, and cost nothing.
fn times_of(size: usize) -> usize {
    if size < 1 << 20 { 51 } else { 11 }
}
/// How often each is made before, as first uses of memory and of a driver's paths take longer.
const WARM_UP: usize = 3;

/// Copies blocks of several sizes to a device and back, and says how fast that was: to the device, and from it. It
/// takes part of a second, in which nothing else is to use the device. The error is for people.
pub fn measure_links(device: &DeviceInfo) -> Result<[LinkSpeed; 2], String> {
    let (device, name) = (device.clone(), device.name.clone());
    let measuring = threads::spawn("measure", move || measure(&device));
    let measuring = measuring.map_err(|error| format!("no thread can be started: {error}"))?;
    let answer = measuring.join().map_err(|_| "the thread has panicked".to_string())?;
    answer.map_err(|code| format!("the device \"{name}\" refuses to copy: {}", code_name(code)))
}

fn measure(device: &DeviceInfo) -> Answer<[LinkSpeed; 2]> {
    let context = OpenclContext::new(device.id)?;
    let queue = CommandQueue::new(&context, device.id)?;
    // 0: OpenCL does not tell.
    let most = match device.global_memory {
        0 => u64::MAX,
        memory => (memory / 8).max(SIZES[1] as u64),
    };
    let sizes: Vec<usize> = SIZES.into_iter().filter(|&size| size as u64 <= most).collect();
    let largest = sizes[sizes.len() - 1];
    let (mem, host) = (context.buffer(largest)?, HostMemory::new(largest));
    let mut times = [Vec::new(), Vec::new()];
    for &size in &sizes {
        for (direction, times) in times.iter_mut().enumerate() {
            let mut taken = Vec::new();
            for round in 0..WARM_UP + times_of(size) {
                let begun = Instant::now();
                copy(&queue, &mem, &host, size, direction == 0)?.wait()?;
                let nanoseconds = begun.elapsed().as_nanos() as f64;
                if round >= WARM_UP {
                    taken.push(nanoseconds);
                }
            }
            times.push((size as f64, median(&mut taken)));
        }
    }
    Ok(times.map(|times| speed(&times)))
}

fn copy(queue: &CommandQueue, mem: &Mem, host: &HostMemory, bytes: usize, to_device: bool) -> Answer<CommandEvent> {
    let waits = WaitList::<1>::none();
    let copied = if to_device {
        // SAFETY: the memory has `bytes` bytes, all written, and outlives the copy, which the caller waits for.
        unsafe { queue.write(mem, host.start, bytes, &waits) }
    } else {
        // SAFETY: the memory has `bytes` bytes, which no other thread uses, and outlives the copy.
        unsafe { queue.read(mem, host.start, bytes, false, &waits) }
    }?;
    if let Err(code) = queue.flush() {
        // The memory is given back when this fails.
        let _ = copied.wait();
        return Err(code);
    }
    Ok(copied)
}

/// Host memory to copy from and to, aligned as a block's, and written, so that its pages are there.
struct HostMemory {
    start: NonNull<u8>,
    layout: Layout,
}

impl HostMemory {
    fn new(bytes: usize) -> HostMemory {
        let layout = Layout::from_size_align(bytes, 4096).unwrap_or(Layout::new::<[u8; 4096]>());
        // SAFETY: the size of the layout is not 0, since the caller asks for one of `SIZES`, and the other layout has
        // 4096 bytes.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else { std::alloc::handle_alloc_error(layout) };
        // SAFETY: `alloc` has returned this memory just now, so `layout.size()` bytes of it may be written, and no
        // other thread knows it.
        unsafe { start.write_bytes(1, layout.size()) };
        HostMemory { start, layout }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and given back here alone. Where a copy has failed, it has ended.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Latency and bandwidth of copies that took these nanoseconds, by bytes. The smallest copy is all latency; the
/// bandwidth is what the largest adds to that. A clock that is too coarse for the difference leaves at least the
/// whole time of the largest.
fn speed(times: &[(f64, f64)]) -> LinkSpeed {
    let (Some(&(small, latency)), Some(&(large, longest))) = (times.first(), times.last()) else {
        return LinkSpeed { latency_ns: 0.0, bandwidth: 1.0 };
    };
    let added = if longest > 1.01 * latency { longest - latency } else { longest.max(1.0) };
    LinkSpeed { latency_ns: latency, bandwidth: (large - small).max(1.0) / added * 1e9 }
}

#[cfg(test)]
mod tests {
    use crate::device::discover;

    use super::*;

    #[test]
    fn speeds_follow_from_times() {
        let linear = |bytes: f64| (bytes, 1000.0 + bytes / 2.0);
        let found = speed(&[linear(0.0), linear(1e6), linear(1e7)]);
        assert_eq!(found.latency_ns, 1000.0);
        assert!((found.bandwidth - 2e9).abs() < 1e3, "{found:?}");
        let coarse = speed(&[(64.0, 5.0), (1e6, 5.0)]);
        assert!(coarse.bandwidth.is_finite() && coarse.bandwidth > 0.0);
        assert_eq!(median(&mut [9.0, 1.0, 5.0]), 5.0);
    }

    #[test]
    fn devices_that_are_there_are_measured() {
        for device in discover().devices {
            let speeds = measure_links(&device).expect("copies");
            for speed in speeds {
                assert!(speed.latency_ns > 0.0 && speed.bandwidth > 1e6, "{speed:?}");
            }
        }
    }
}
