//! Whether all threads of the process are asleep for good: each waits for another one to wake it, with no limit
//! of time, and none is left to do so.
//!
//! A thread sleeps so where it waits for a mutex, a condition variable, a semaphore or the end of another thread: on a
//! *futex* that no other process can reach; or in `pause`. The system tells of each thread in which call it is
//! (`/proc/self/task/N/syscall`) and how often it has given up its processor (`status`).
//!
//! Threads are looked at one by one, while others may run. So there are two rounds. If in both each thread
//! sleeps, the threads are the same, and none has given up its processor since the first, then each has slept
//! from its first look to its second, and all of them between the rounds. If nothing else could
//! wake one of them then, nothing ever does. Three things could, and are asked for: a device at work, between the
//! rounds; a handler of a signal, which the program has; and another process, which can reach memory that is
//! shared. Where the system does not say what a thread does, it counts as one that runs.
//!
//! OpenCL's threads are looked at as all others: somebody may wait for one that compiles a kernel. Those of PoCL sleep
//! so when they have nothing to do, those too that it has started for the program itself. They might call a callback of
//! the program's at the end of a command. But none has begun while they sleep, and who would enqueue one sleeps, too. A
//! thread of a driver may also wait for files or for a time, as NVIDIA's does, which looks at its device ten times a
//! second. It sleeps, however often: while no device has work, it has no thread to wake.
//! The threads that join this process with other nodes (`src/link/threads.rs`) wait for a time, too, and look for
//! messages. They sleep, however often, since they have no objects of the program and wake none of its threads.

use crate::device;
use crate::engine::process::bell;
use crate::engine::state::handlers::handled_by_program;
use crate::engine::state::runtime::Runtime;
use crate::link::threads::LinkThreads;
use ocr_base::text::read_file;
use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often the threads are looked at, if one of them runs: a millisecond lies between two looks.
const TRIES: usize = 5;

/// The threads that sleep so, by the system's numbers, and how often each has given up its processor.
type Sleepers = BTreeMap<i32, u64>;

impl Runtime {
    /// The threads of the process but this one and the one that watches, if nothing can happen any more since all of
    /// them sleep for good.
    pub(crate) fn all_threads_blocked(&self) -> Option<Vec<i32>> {
        // They do nothing for others before those go on by themselves.
        let idle = [&self.checkpoints.waits, &self.checkpoints.listens].map(|number| number.load(Ordering::Relaxed));
        if handled_by_program().is_some() {
            return None;
        }
        // A thread that the runtime has just had look at files may be about to end.
        let first = (0..TRIES).find_map(|_| {
            sleepers(idle).or_else(|| {
                std::thread::sleep(Duration::from_millis(1));
                None
            })
        })?;
        if self.in_flight.load(Ordering::SeqCst) != 0 || self.end.is_ending() {
            return None;
        }
        let second = sleepers(idle)?;
        (first == second).then(|| first.into_keys().collect())
    }
}

/// Looks at all threads once, but at those that do nothing for them. None if one of them does not sleep in a wait
/// without a limit.
fn sleepers(idle: [libc::pid_t; 2]) -> Option<Sleepers> {
    // SAFETY: `gettid` has no preconditions.
    let this = unsafe { libc::gettid() };
    let mut sleepers = Sleepers::new();
    for task in fs::read_dir("/proc/self/task").ok()? {
        let id = task.ok()?.file_name().into_string().ok()?;
        let number = id.parse().ok()?;
        if ![this, bell::thread()].contains(&number) && !idle.contains(&number) {
            match switches_of_sleeper(&id).or_else(|| looks(&id, number).then_some(0)) {
                Some(switches) => {
                    sleepers.insert(number, switches);
                }
                None if has_ended(&id) => {}
                None => return None,
            }
        }
    }
    Some(sleepers)
}

/// Whether a thread has ended: the system lists it for a moment longer.
fn has_ended(id: &str) -> bool {
    let status = read_file(format!("/proc/self/task/{id}/status"));
    status.map_or(true, |status| ["\nState:\tX", "\nState:\tZ"].iter().any(|state| status.contains(state)))
}

/// How often a thread that sleeps so has given up its processor.
fn switches_of_sleeper(id: &str) -> Option<u64> {
    let call = fs::read_to_string(format!("/proc/self/task/{id}/syscall")).ok()?;
    if !is_pause(&call) {
        let wait = FutexWait::parse(&call)?;
        if !wait.is_private && !is_private_memory(wait.address) {
            return None;
        }
    }
    let status = read_file(format!("/proc/self/task/{id}/status")).ok()?;
    // A debugger may have stopped it in a call that is over.
    if !status.contains("\nState:\tS") {
        return None;
    }
    let mut lines = status.lines();
    let switches = lines.find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
    switches.trim().parse().ok()
}

/// Whether a thread is a driver's or the link's that waits for files or for a time.
fn looks(id: &str, number: i32) -> bool {
    read_file(format!("/proc/self/task/{id}/syscall")).is_ok_and(|call| is_look(&call))
        && (device::threads_of_drivers().contains(&number) || LinkThreads::now().contains(number))
}

/// Whether a call waits for files or for a time, by its number.
fn is_look(call: &str) -> bool {
    const LOOKS: [libc::c_long; 5] =
        [libc::SYS_ppoll, libc::SYS_epoll_pwait, libc::SYS_pselect6, libc::SYS_clock_nanosleep, libc::SYS_nanosleep];
    #[cfg(target_arch = "x86_64")]
    const OLD: [libc::c_long; 3] = [libc::SYS_poll, libc::SYS_epoll_wait, libc::SYS_select];
    #[cfg(not(target_arch = "x86_64"))]
    const OLD: [libc::c_long; 0] = [];
    let number = call.split_whitespace().next().and_then(|n| n.parse().ok());
    number.is_some_and(|number| LOOKS.contains(&number) || OLD.contains(&number))
}

/// Whether the call of a thread is `pause`, which ends by the handler of a signal, of which there is none.
fn is_pause(call: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    return call.split_whitespace().next() == Some(&libc::SYS_pause.to_string());
    // Others have no such call: the C library makes another one of it.
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = call;
        false
    }
}

/// A thread's wait on a futex, with no limit of time.
#[derive(PartialEq, Eq, Debug)]
struct FutexWait {
    address: u64,
    /// Whether its caller says that no other process uses this futex.
    is_private: bool,
}

impl FutexWait {
    /// Reads what the system says of a thread: the number of the call and its six arguments, or that it runs.
    fn parse(call: &str) -> Option<FutexWait> {
        /// The bits that name the operation: without whose the futex is, and by which clock a limit counts.
        const OPERATION: u64 = !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) as u32 as u64;
        const WAITS: [i32; 4] =
            [libc::FUTEX_WAIT, libc::FUTEX_WAIT_BITSET, libc::FUTEX_WAIT_REQUEUE_PI, libc::FUTEX_LOCK_PI];
        let mut words = call.split_whitespace();
        if words.next()?.parse() != Ok(libc::SYS_futex) {
            return None;
        }
        let mut argument = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
        let (address, operation, _value, limit) = (argument()?, argument()?, argument()?, argument()?);
        let is_wait = WAITS.iter().any(|&wait| operation & OPERATION == wait as u64);
        (is_wait && limit == 0)
            .then_some(FutexWait { address, is_private: operation & libc::FUTEX_PRIVATE_FLAG as u64 != 0 })
    }
}

/// Whether no other process can reach this memory. `pthread_join` waits on a futex that could be shared, and is
/// in such memory.
fn is_private_memory(address: u64) -> bool {
    let maps = read_file("/proc/self/maps").unwrap_or_default();
    maps.lines().any(|line| is_private_mapping(line, address))
}

/// Whether the address is in the mapping of this line ("first-end rwxp ..."), which is private.
fn is_private_mapping(line: &str, address: u64) -> bool {
    let mut words = line.split_whitespace();
    let (Some(range), Some(access)) = (words.next(), words.next()) else {
        return false;
    };
    let bounds = range.split('-');
    let mut bounds = bounds.filter_map(|bound| u64::from_str_radix(bound, 16).ok());
    let (Some(first), Some(end)) = (bounds.next(), bounds.next()) else {
        return false;
    };
    (first..end).contains(&address) && access.ends_with('p')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(operation: i32, limit: u64) -> Option<FutexWait> {
        let number = libc::SYS_futex;
        FutexWait::parse(&format!("{number} 0x7f00 {operation:#x} 0x0 {limit:#x} 0x0 0xffffffff 0x1 0x2\n"))
    }

    #[test]
    fn a_wait_without_limit_is_one() {
        let private = Some(FutexWait { address: 0x7f00, is_private: true });
        assert_eq!(wait(libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, 0), private);
        // The operation of a wait in a condition variable, and then that of `pthread_join`.
        assert_eq!(wait(0x189, 0), private);
        assert_eq!(wait(0x109, 0), Some(FutexWait { address: 0x7f00, is_private: false }));
        assert_eq!(wait(libc::FUTEX_WAIT, 0x7fff_0000), None);
        assert_eq!(wait(libc::FUTEX_WAKE, 0), None);
    }

    #[test]
    fn other_calls_and_running_threads_are_none() {
        assert_eq!(FutexWait::parse("running\n"), None);
        assert_eq!(FutexWait::parse("-1 0x7f00 0x7f00\n"), None);
        assert_eq!(FutexWait::parse(""), None);
        assert_eq!(FutexWait::parse("0 0x0 0x80 0x0 0x0 0x0 0x0 0x1 0x2\n"), None);
    }

    /// A driver's thread that looks at something is asleep; one of the program's is not.
    #[cfg_attr(miri, ignore = "there is no /proc")]
    #[test]
    fn who_looks_is_asleep_if_it_is_a_drivers() {
        use std::sync::mpsc::channel;
        let polls = |tell: std::sync::mpsc::Sender<i32>| {
            // SAFETY: `gettid` has no preconditions.
            let _ = tell.send(unsafe { libc::gettid() });
            // SAFETY: with a count of 0 `poll` reads and writes no entry, so a null pointer is allowed.
            unsafe { libc::poll(std::ptr::null_mut(), 0, 2_000) };
        };
        let looks_soon = |number: i32| {
            (0..100).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                looks(&number.to_string(), number)
            })
        };
        let (tell, told) = channel();
        let caller = device::spawn_thread_of_opencl("test", {
            let tell = tell.clone();
            // What a thread of OpenCL starts is OpenCL's.
            move || std::thread::spawn(move || polls(tell))
        });
        let driver = told.recv().expect("the thread says its number");
        assert!(looks_soon(driver), "a driver's");
        drop(caller);
        std::thread::spawn(move || polls(tell));
        let other = told.recv().expect("the thread says its number");
        assert!(!looks_soon(other), "the program's");
    }

    #[test]
    fn memory_is_private_or_not() {
        let line = "7f00-7f10 rw-p 00000000 00:00 0   [heap]";
        assert!(is_private_mapping(line, 0x7f00) && is_private_mapping(line, 0x7f0f));
        assert!(!is_private_mapping(line, 0x7f10));
        assert!(!is_private_mapping("7f00-7f10 rw-s 00000000 00:01 2 /dev/shm/x", 0x7f00));
    }
}
