//! An integer division by zero, where OpenCL has a handler for it.
//!
//! The processor traps it, and a C program ends by `SIGFPE`. In a kernel its result is any value, so PoCL
//! installs a handler that skips the instruction, on whatever thread. An EDT would go on with a wrong value
//! and without a message. So the runtime's handler comes before that one, with strict mode and without:
//!
//! | thread | what it does |
//! |---|---|
//! | one of OpenCL's, which run kernels | OpenCL's handler |
//! | another: a worker, or one of the program's own | what the signal did before OpenCL came: the program's handler, if it has one; otherwise it ends the program with the message of `crash` |
//!
//! In a program that was linked with OpenCL any thread but a worker may run a kernel, and counts as OpenCL's. When the
//! run ends the signal does again what it did before OpenCL came: a program with its own `main` goes on, and its
//! divisions by zero must be seen.
//!
//! A program that has used OpenCL before the run began has PoCL's handler as its own, and keeps it.

use crate::device::{is_thread_of_opencl, program_has_opencl};
use crate::engine::process::crash;
use crate::engine::state::context::Context;
use crate::engine::state::handlers::{
    Action, Handler, WithInfo, action_of, default_action, ignoring_action, is_function,
};
use std::sync::OnceLock;

type Simple = extern "C" fn(libc::c_int);

/// What `SIGFPE` did before the runtime's handler came.
struct EarlierHandler {
    opencl: Action,
    /// The program's handler, if it has one.
    program: Option<Action>,
    /// Whether the program ignores the signal: one that somebody sends, since the system lets no program ignore a
    /// division.
    ignored: bool,
    /// Whether the program was linked with OpenCL.
    linked: bool,
}

/// Written once, since OpenCL installs its handler once in the life of a process.
static BEFORE: OnceLock<EarlierHandler> = OnceLock::new();

/// Comes before the handler that OpenCL has installed, if it has. `earlier` is what the signal did until
/// then.
pub(crate) fn come_before(earlier: &Action) -> Option<Handler> {
    let now = action_of(libc::SIGFPE)?;
    if is_function(&now) && now.sa_sigaction != earlier.sa_sigaction {
        let is_program = is_function(earlier) && earlier.sa_sigaction != crash::handler_address();
        BEFORE.get_or_init(|| EarlierHandler {
            opencl: now,
            program: is_program.then_some(*earlier),
            ignored: earlier.sa_sigaction == libc::SIG_IGN,
            linked: program_has_opencl(),
        });
    }
    begin()
}

/// Comes before the handler that OpenCL installed when an earlier run of this process opened devices.
pub(crate) fn begin() -> Option<Handler> {
    let before = BEFORE.get()?;
    let opencl = before.opencl;
    let now = action_of(libc::SIGFPE)?;
    let by_itself = if before.ignored { ignoring_action() } else { default_action() };
    let below = before.program.unwrap_or(by_itself);
    // Known handlers are the program's, if it had one, none, one of this run, or OpenCL's. Another one is the program's
    // choice.
    let known = [below, opencl].map(|known| known.sa_sigaction);
    if !known.contains(&now.sa_sigaction) && now.sa_sigaction != crash::handler_address() {
        return None;
    }
    let ours = Action {
        sa_sigaction: divided as WithInfo as usize,
        // Intel's is called once, and then the signal is the system's. This one stays, for what the program does with
        // it.
        sa_flags: (opencl.sa_flags | libc::SA_SIGINFO) & !libc::SA_RESETHAND,
        ..opencl
    };
    // SAFETY: `divided` has the form that SA_SIGINFO asks for, which is among the flags. It reads a `OnceLock` that was
    // set before, and calls another handler of this signal, or `crash::handle`, which is one.
    Some(unsafe { Handler::over(libc::SIGFPE, ours, below) })
}

extern "C" fn divided(signal: libc::c_int, info: *const libc::siginfo_t, context: *const libc::c_void) {
    let before = BEFORE.get();
    // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the signal's `siginfo_t`, which is there
    // until the handler returns.
    let is_sent = unsafe { (*info).si_code } <= 0;
    if is_sent && before.is_some_and(|before| before.ignored) {
        return;
    }
    let is_worker = Context::runtime_here().is_some();
    let may_run_kernels = |before: &EarlierHandler| !is_worker && (before.linked || is_thread_of_opencl());
    let action =
        before.and_then(|before| if may_run_kernels(before) { Some(&before.opencl) } else { before.program.as_ref() });
    if action.is_some_and(|action| action.sa_flags & libc::SA_RESETHAND != 0) {
        // A handler that returns relies on being called once: the instruction is tried again.
        Handler::give_back(signal);
    }
    match action {
        Some(action) if action.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: SA_SIGINFO in the flags of an action says that its address is that of a function with these three
            // parameters. It is neither SIG_DFL nor SIG_IGN, since `come_before` keeps actions with a function alone.
            let handler = unsafe { std::mem::transmute::<usize, WithInfo>(action.sa_sigaction) };
            handler(signal, info, context);
        }
        Some(action) => {
            // SAFETY: without SA_SIGINFO in the flags of an action its address is that of a function with one
            // parameter. It is neither SIG_DFL nor SIG_IGN, since `come_before` keeps actions with a function alone.
            let handler = unsafe { std::mem::transmute::<usize, Simple>(action.sa_sigaction) };
            handler(signal);
        }
        None => crash::handle(signal, info, context),
    }
}
