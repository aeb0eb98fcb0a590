//! Whether the other nodes of this machine are still there: their processes, each by a descriptor that the system makes
//! readable when the process ends (pidfd). A process that is stopped has not ended.
//!
//! What the descriptor says is not believed alone. A program may close all descriptors that it does not know
//! (`closefrom`), and a file that it opens then gets the number. So the system is asked whether the process has ended.
//! A node whose descriptor says nothing useful is asked for every second.

use crate::engine::nodes::wire::Process;
use ocr_base::text::read_file;
use std::time::{Duration, Instant};

/// How often the system is asked about nodes that have no descriptor.
const PERIOD: Duration = Duration::from_secs(1);

/// The state of a process, and when it was started; none if there is none with this number.
fn look(pid: u32) -> Option<(char, u64)> {
    let text = read_file(format!("/proc/{pid}/stat")).ok()?;
    // The name may have anything in it, and stands in parentheses.
    let rest = text.rsplit_once(')')?.1;
    let mut words = rest.split_whitespace();
    let state = words.next()?.chars().next()?;
    // Field 22 of the file; the state is field 3.
    let start = words.nth(18)?.parse().ok()?;
    Some((state, start))
}

/// When a process was started, in the system's ticks since that began.
pub(super) fn start_of(pid: u32) -> Option<u64> {
    look(pid).map(|(_, start)| start)
}

/// Whether a process has ended. One that its parent has not waited for yet (a zombie) has, too.
pub(super) fn has_ended(process: &Process) -> bool {
    look(process.pid).is_none_or(|(state, start)| start != process.start || matches!(state, 'Z' | 'X'))
}

/// The other nodes of this machine that have not ended.
pub(super) struct Mates {
    processes: Vec<Process>,
    /// What `ppoll` waits for, one entry for each process: its descriptor, or -1.
    entries: Vec<libc::pollfd>,
    looked: Instant,
}

impl Mates {
    pub(super) fn new(processes: Vec<Process>) -> Mates {
        let entry = |process: &Process| {
            let pid = process.pid as libc::pid_t;
            // SAFETY: the call takes two numbers, and returns a new descriptor, which others see as any, or -1.
            let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
            libc::pollfd { fd: fd as libc::c_int, events: libc::POLLIN, revents: 0 }
        };
        let entries = processes.iter().map(entry).collect();
        Mates { processes, entries, looked: Instant::now() }
    }

    /// The numbers of the nodes that have not ended.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.processes.iter().map(|process| process.node)
    }

    /// The process of this node, if it is on this machine and has not ended.
    pub(super) fn find(&self, node: u32) -> Option<Process> {
        self.processes.iter().find(|process| process.node == node).copied()
    }

    /// Sleeps for this time, or until a node of this machine ends. Takes those out that have ended, and returns them.
    pub(super) fn wait(&mut self, time: Duration) -> Vec<Process> {
        let limit = libc::timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos() as _ };
        let (entries, count) = (self.entries.as_mut_ptr(), self.entries.len() as libc::nfds_t);
        // SAFETY: the entries are this structure's, and are so many. The limit is this function's.
        let found = unsafe { libc::ppoll(entries, count, &raw const limit, std::ptr::null()) };
        let is_time = self.looked.elapsed() >= PERIOD;
        if found <= 0 && !is_time {
            return Vec::new();
        }
        if is_time {
            self.looked = Instant::now();
        }
        self.ended(is_time)
    }

    /// Takes the nodes out whose processes have ended, and returns them. It asks the system about each node whose
    /// descriptor has become readable, and, if `all`, about each one without a descriptor.
    fn ended(&mut self, all: bool) -> Vec<Process> {
        let mut ended = Vec::new();
        let mut at = 0;
        while at < self.processes.len() {
            let entry = &mut self.entries[at];
            let is_told = entry.fd >= 0 && entry.revents != 0;
            if (is_told || all && entry.fd < 0) && has_ended(&self.processes[at]) {
                // The descriptor stays open: its number may be the program's by now.
                self.entries.remove(at);
                ended.push(self.processes.remove(at));
                continue;
            }
            if is_told {
                // The process has not ended, so the descriptor's number is another file's now.
                entry.fd = -1;
            }
            entry.revents = 0;
            at += 1;
        }
        ended
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use crate::link::bell::BellPlace;
    use std::process::{Child, Command};

    fn sleeper(node: u32) -> (Child, Process) {
        let child = Command::new("sleep").arg("1000").spawn().expect("sleep can be started");
        let pid = child.id();
        let start = start_of(pid).expect("it is there");
        (child, Process { node, pid, start, bell: BellPlace::default() })
    }

    /// Waits until the system has ended a process, and does not take it from its parent.
    fn wait_for_end(process: &Process) {
        while !has_ended(process) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn the_one_that_is_killed_has_ended_and_the_one_that_is_stopped_has_not() {
        let ((mut killed, first), (mut stopped, second)) = (sleeper(1), sleeper(2));
        let mut mates = Mates::new(vec![first, second]);
        // SAFETY: the process is this test's own.
        unsafe { libc::kill(second.pid as i32, libc::SIGSTOP) };
        assert_eq!(mates.wait(Duration::from_millis(1)), []);
        killed.kill().expect("it can be killed");
        wait_for_end(&first);
        assert_eq!(mates.wait(Duration::ZERO), [first]);
        assert_eq!(mates.nodes().collect::<Vec<_>>(), [2]);
        assert_eq!(mates.wait(Duration::ZERO), []);
        stopped.kill().expect("it can be killed");
        let _ = (killed.wait(), stopped.wait());
    }

    /// A program closes all descriptors, and opens a file that has something to read at once.
    #[test]
    fn a_descriptor_that_is_another_file_says_nothing() {
        let (mut child, process) = sleeper(1);
        let mut mates = Mates::new(vec![process]);
        let file = std::fs::File::open("/dev/null").expect("it is there");
        mates.entries[0].fd = std::os::fd::IntoRawFd::into_raw_fd(file);
        assert_eq!(mates.wait(Duration::from_secs(1)), []);
        assert_eq!(mates.entries[0].fd, -1);
        child.kill().expect("it can be killed");
        wait_for_end(&process);
        // It is asked for when it is time.
        mates.looked -= PERIOD;
        assert_eq!(mates.wait(Duration::ZERO), [process]);
        let _ = child.wait();
    }

    #[test]
    fn a_number_that_another_process_has_now_is_not_the_node() {
        let (mut child, process) = sleeper(1);
        assert!(!has_ended(&process));
        assert!(has_ended(&Process { start: process.start + 1, ..process }));
        child.kill().expect("it can be killed");
        let _ = child.wait();
    }
}
