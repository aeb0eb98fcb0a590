//! A program that was started for a run: waiting for its end, and ending it with all that it has started.
//!
//! A run is a group of processes of its own. A wrapper, such as a script, is in the group with what it starts.
//! Processes that leave the group become children of the command when their parents have ended, so they are found, too.
//! What a run leaves in the background is not waited for. It is ended only where the run itself is.

use crate::input::wait_for;
use crate::signals::Signals;
use std::env;
use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long programs have to end when they are asked to, before they are killed.
const GRACE: Duration = Duration::from_secs(3);

/// How often is looked whether processes have ended whose ends wake no thread.
const LOOK: Duration = Duration::from_millis(20);

/// Why the wait for a program is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WaitEnd {
    /// The program has ended.
    Ended,
    /// The time that it had is over.
    Late,
    /// The command is to end, by this signal.
    Signal(i32),
}

/// Has a program be the first of a group of processes, which gets SIGTERM if the command is killed.
pub(crate) fn in_group(command: &mut Command) {
    let begins = || {
        // The signal comes when the thread ends that has started the program. That thread waits for the program.
        // SAFETY: `PR_SET_PDEATHSIG` takes a number and no pointer.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) };
        Ok(())
    };
    command.process_group(0);
    // SAFETY: the closure makes one system call, which is allowed between fork and exec: it takes no lock and no
    // memory.
    unsafe { command.pre_exec(begins) };
}

/// Children that the process had before the command began, which whoever has started it gave it: a shell has a program
/// behind `> >(tee log)` be one.
static OTHERS: OnceLock<Vec<libc::pid_t>> = OnceLock::new();

/// The environment that the command was started with.
static ENVIRONMENT: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();

/// The environment that the command was started with, which is what runs are to have. Drivers change that of a process
/// which asks them for devices, and a program that inherits the change may find other devices: PoCL sets
/// `HWLOC_PLUGINS_PATH`, and under NVIDIA's no program found a GPU.
pub(crate) fn environment() -> &'static [(OsString, OsString)] {
    ENVIRONMENT.get_or_init(|| env::vars_os().collect())
}

/// Has processes whose parents have ended become children of the command.
pub(crate) fn adopt() {
    OTHERS.get_or_init(all_children);
    // Without it, such processes are not found, and nothing else is lost.
    // SAFETY: `PR_SET_CHILD_SUBREAPER` takes a number and no pointer.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
}

/// Waits until a child has ended, and closes `end` then. The child can be waited for once more.
pub(crate) fn close_at_end(child: u32, end: PipeWriter) {
    let mut about = MaybeUninit::<libc::siginfo_t>::uninit();
    let options = libc::WEXITED | libc::WNOWAIT;
    loop {
        // SAFETY: the address is that of room for what the call writes, which is not read.
        let done = unsafe { libc::waitid(libc::P_PID, child, about.as_mut_ptr(), options) };
        let is_passing = io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
        if done == 0 || !is_passing {
            break;
        }
    }
    drop(end);
}

/// Waits until `ended` is closed at its other end, the time is over, or a signal has come.
pub(crate) fn wait(ended: &PipeReader, limit: Option<Duration>, signals: &Signals) -> WaitEnd {
    let last = limit.map(|limit| Instant::now() + limit);
    loop {
        if let Some(signal) = signals.come() {
            return WaitEnd::Signal(signal);
        }
        let left = last.map(|last| last.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return WaitEnd::Late;
        }
        let files = [ended.as_fd(), signals.file()];
        if wait_for(files, [libc::POLLIN; 2], left)[0] != 0 {
            return WaitEnd::Ended;
        }
    }
}

/// Ends a child, its group, and all that they have started: they are asked to, and killed where they do not end. A
/// signal that comes meanwhile has them killed at once.
///
/// The child is not waited for before its group has got the last signal. Until then the system gives its number, which
/// is that of the group, to no other.
pub(crate) fn end(child: &mut Child, signals: &Signals) {
    let group = child.id() as libc::pid_t;
    send(-group, libc::SIGTERM);
    let mut asked = vec![group];
    // Also what has left the group, and becomes an orphan only now.
    let mut ask_orphans = |orphans: &[libc::pid_t]| {
        for &orphan in orphans {
            if !asked.contains(&orphan) {
                asked.push(orphan);
                send(orphan, libc::SIGTERM);
            }
        }
    };
    if signals.come().is_some() {
        signals.forget();
    }
    let last = Instant::now() + GRACE;
    while Instant::now() < last {
        forget_ended(child.id());
        // In this order: what ends between leaves its children to this process. So nothing is left only where, behind
        // the end of the group, there was no other child, not even one that has ended.
        let is_over = has_ended(group) && !goes_on(group);
        let mut others = children();
        others.retain(|&other| other != group);
        if is_over && others.is_empty() {
            let _ = child.wait();
            return;
        }
        ask_orphans(&others);
        if wait_for([signals.file()], [libc::POLLIN], Some(LOOK)) != [0] {
            break;
        }
    }
    send(-group, libc::SIGKILL);
    // It may have gone to another group.
    let _ = child.kill();
    let _ = child.wait();
    // Each one that is killed may leave children, which are adopted then.
    for _ in 0..100 {
        forget_ended(child.id());
        let orphans = children();
        if orphans.is_empty() {
            return;
        }
        orphans.iter().for_each(|&orphan| send(orphan, libc::SIGKILL));
        sleep(LOOK);
    }
}

/// The children of this process that it has not had from the beginning, of which some may have ended.
fn children() -> Vec<libc::pid_t> {
    let others = OTHERS.get().map_or(&[][..], Vec::as_slice);
    let mut all = all_children();
    all.retain(|child| !others.contains(child));
    all
}

fn all_children() -> Vec<libc::pid_t> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok());
    let lists: Vec<String> = lists.collect();
    let children = lists.iter().flat_map(|list| list.split_whitespace());
    children.filter_map(|child| child.parse().ok()).collect()
}

/// Frees what the system keeps of processes that runs have left, and that have ended. `but` is left to its owner.
pub(crate) fn forget_ended(but: u32) {
    for orphan in children() {
        if orphan == but as libc::pid_t {
            continue;
        }
        let mut status = 0;
        // SAFETY: the address is that of a number that the call may write.
        unsafe { libc::waitpid(orphan, &raw mut status, libc::WNOHANG) };
    }
}

/// The state of a process, and its group. None if it is gone.
fn state_of(process: libc::pid_t) -> Option<(u8, libc::pid_t)> {
    let text = std::fs::read(format!("/proc/{process}/stat")).ok()?;
    // They stand behind the name, which is in parentheses and may have any bytes: state, parent, group.
    let behind = text.get(text.iter().rposition(|&byte| byte == b')')? + 1..)?;
    let mut fields = behind.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    let state = *fields.next()?.first()?;
    let group = fields.nth(1)?;
    Some((state, std::str::from_utf8(group).ok()?.parse().ok()?))
}

/// Whether a process with this state has not ended: else it is only kept for its parent.
fn is_live(state: u8) -> bool {
    !matches!(state, b'Z' | b'X')
}

fn has_ended(process: libc::pid_t) -> bool {
    state_of(process).is_none_or(|(state, _)| !is_live(state))
}

/// Whether a process of a group has not ended.
fn goes_on(group: libc::pid_t) -> bool {
    let all = std::fs::read_dir("/proc").into_iter().flatten();
    let mut all = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    all.any(|process| state_of(process).is_some_and(|(state, of)| of == group && is_live(state)))
}

fn send(process: libc::pid_t, signal: libc::c_int) {
    // SAFETY: the call takes numbers.
    unsafe { libc::kill(process, signal) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group goes on while one of its processes does, and its number is nobody else's before the first is waited for.
    #[test]
    fn a_group_goes_on_until_its_last_process_has_ended() {
        let until = |is_so: &dyn Fn() -> bool| {
            while !is_so() {
                sleep(Duration::from_millis(1));
            }
        };
        // `cat` has the input of the shell, and ends when that is closed.
        let mut child = (Command::new("sh").args(["-c", "exec 3<&0; cat <&3 >/dev/null & exit 7"]))
            .stdin(std::process::Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("a shell");
        let group = child.id() as libc::pid_t;
        until(&|| has_ended(group));
        assert!(goes_on(group));
        assert_eq!(state_of(group), Some((b'Z', group)));
        drop(child.stdin.take());
        until(&|| !goes_on(group));
        assert_eq!(state_of(group), Some((b'Z', group)), "it is there until it is waited for");
        assert_eq!(child.wait().expect("its end").code(), Some(7));
        assert_eq!(state_of(group), None);
    }
}
