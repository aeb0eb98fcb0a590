//! What is said of a program that crashes: which EDT did it, or what the thread is, and what the address looks
//! like (`address.rs`).
//!
//! The handler runs on the thread that crashed, in the middle of whatever it did, perhaps with memory that is
//! overwritten. So it allocates nothing, takes no lock, only reads, and says first what is sure. If it
//! crashes itself, the system ends the program: all signals are blocked then, or (`sigfpe.rs`) the second crash
//! says nothing.
//!
//! | what comes | what happens |
//! |---|---|
//! | an EDT that reads a data block which strict mode has closed, since no EDT holds it | the thread that watches tells of the rule, and ends the program with status 1; if it does not, what follows |
//! | the first thread that crashes | tells it, gives the signal back to the system, and returns: the instruction is tried again, and the system ends the program as it would have |
//! | another that crashes meanwhile | waits until that has been reported, and a second more; then it lets the system end the program itself |
//! | a signal that somebody has sent | gives the signal back to the system, and returns or raises it again |
//!
//! An EDT that runs as an attempt and crashes may be undone and run again: then its thread leaves the function, and
//! nothing is said here (`again.rs`). So may one that is beyond its time limit, which is reported in the same way
//! (`late.rs`).
//!
//! A thread that writes into a recording whose file somebody has made shorter has done nothing wrong: it goes on
//! (`trace/recording.rs`).
//!
//! `abort` sends `SIGABRT` to its own thread: that is reported, too, and raised again.
//!
//! Then what the program has printed is written, where the instruction is, the name of the EDT's function, if that had
//! to be looked for, and in strict mode its history. That takes memory and locks: the thread that watches does it
//! (`report.rs`), while the one that crashed waits for some seconds.

mod address;
pub(crate) mod again;
pub(crate) mod late;
mod report;

use crate::device::{self, THREAD_NAME, asked_platforms, lacking};
use crate::engine::life::range;
use crate::engine::nodes::ending;
use crate::engine::process::crash::again::CrashFate;
pub(crate) use crate::engine::process::crash::report::say_if_asked;
use crate::engine::state::context::Context;
use crate::engine::state::handlers::{Handler, WithInfo};
use crate::engine::state::runtime::Runtime;
use crate::engine::state::seats::OF_RUNTIME;
use crate::engine::strict::is_runtimes;
use crate::message::{Text, say};
use crate::object::data_block::{Former, former_at};
use crate::object::edt::{Edt, EdtState};
use crate::stack;
use crate::trace;
use ocr_base::text::{Counted, Readable};
use std::ffi::CStr;
use std::fmt;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const SIGNALS: [(libc::c_int, &str); 6] = [
    (libc::SIGILL, "SIGILL"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGABRT, "SIGABRT"),
];

/// Whether a thread tells of a crash, which ends the program. Relaxed where it is used: it orders nothing, and of the
/// threads that swap one is the first.
static TOLD: AtomicBool = AtomicBool::new(false);

/// The crash has been reported in full.
static DONE: AtomicBool = AtomicBool::new(false);

/// Tells of crashes while the handlers live. `retries` is whether EDTs run as attempts.
pub(crate) fn listen(retries: bool) -> impl Iterator<Item = Handler> {
    TOLD.store(false, Ordering::Relaxed);
    DONE.store(false, Ordering::Relaxed);
    report::begin();
    if retries {
        again::look_at_code();
    }
    let flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: `handle` has the form that SA_SIGINFO asks for, which is among the flags. As the head of this file says,
    // it allocates nothing and takes no lock, so it may interrupt anything.
    let begin = move |(signal, _)| unsafe { Handler::begin(signal, handler_address(), flags) };
    SIGNALS.into_iter().filter_map(begin)
}

/// The address of the handler.
pub(crate) fn handler_address() -> usize {
    handle as WithInfo as usize
}

/// The handler of signals that a crash causes.
pub(crate) extern "C" fn handle(signal: libc::c_int, info: *const libc::siginfo_t, context: *const libc::c_void) {
    // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the signal's `siginfo_t`, which is there, and
    // not written, until the handler returns.
    let info = unsafe { &*info };
    if is_in_recording(signal, info) {
        return;
    }
    // Positive codes are the system's, of what a thread did.
    let sent = info.si_code <= 0;
    // A thread of the program or of OpenCL has no context.
    let runtime = Context::runtime_here().or_else(Runtime::installed);
    if !sent && signal == libc::SIGSEGV && runtime.is_some_and(|runtime| may_go_on(runtime, info, context)) {
        return;
    }
    let is_abort = is_own_abort(signal, info);
    let mut not_again = None;
    if !sent && signal != libc::SIGTRAP || is_abort {
        match again::leave_if_possible((signal, is_abort), context.cast_mut(), said_text()) {
            CrashFate::Left => return,
            CrashFate::Ends(why) => not_again = Some(why),
            CrashFate::NoAttempt => {}
        }
    }
    if let Some(runtime) = runtime
        && (!sent || is_abort)
    {
        if !TOLD.swap(true, Ordering::Relaxed) {
            say_of(signal, info, context, runtime);
            if let Some(why) = not_again {
                say(|text| why.tell(text, "crashed"));
            }
            again::write_held_text();
            DONE.store(true, Ordering::Relaxed);
        } else {
            report::wait_until(|| DONE.load(Ordering::Relaxed));
            // SAFETY: `sleep` touches no memory of the caller, and is one of the functions that POSIX allows in a
            // handler.
            unsafe { libc::sleep(1) };
        }
    }
    // The signal ends the process now.
    ending::crashed(signal);
    Handler::give_back(signal);
    // A breakpoint is behind its instruction, which would not be tried again.
    if sent || signal == libc::SIGTRAP {
        // The signal is blocked until the handler returns.
        // SAFETY: `raise` touches no memory of the caller, and is one of the functions that POSIX allows in a handler.
        // The signal has no handler of the runtime any more, so this one is not entered again.
        unsafe { libc::raise(signal) };
    }
}

/// Whether a thread has come to a part of its recording that somebody has cut off the file. There is memory again then,
/// and the instruction is tried again; what has happened to the recording is said at the end of the run.
fn is_in_recording(signal: libc::c_int, info: &libc::siginfo_t) -> bool {
    if signal != libc::SIGBUS || info.si_code <= 0 {
        return false;
    }
    // SAFETY: the signal is SIGBUS and no process has sent it, and then the system fills in the address.
    let address = unsafe { info.si_addr() } as usize;
    trace::recording::absorb(address)
}

/// The address at which an instruction was tried again last, and how often in a row.
static TRIED: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));

/// Whether an instruction has been tried again so often that opening the block does not help: the pages are closed to
/// it for another reason.
fn is_in_vain(address: usize) -> bool {
    const OFTEN: usize = 1000;
    // A thread that comes between with another address has the count begin anew. Relaxed, since the swap orders
    // nothing.
    if TRIED.0.swap(address, Ordering::Relaxed) != address {
        TRIED.1.store(0, Ordering::Relaxed);
    }
    TRIED.1.fetch_add(1, Ordering::Relaxed) >= OFTEN
}

/// Whether a thread has come to a block that strict mode has closed and may touch it, or has written it, which is
/// reported later: the block is open then, and the instruction is tried again.
fn may_go_on(runtime: &'static Runtime, info: &libc::siginfo_t, context: *const libc::c_void) -> bool {
    let Some(check) = &runtime.check else {
        return false;
    };
    // SAFETY: the signal is SIGSEGV and no process has sent it, and then the system fills in the address.
    let address = unsafe { info.si_addr() } as usize;
    let Some(at) = check.closed_at(address) else {
        return false;
    };
    let of_program = Context::running_here().is_some_and(|edt| !is_runtimes(edt));
    if at.closed && of_program && !address::is_write(context) {
        return false;
    }
    if is_in_vain(address) {
        return false;
    }
    // If it is open, another thread has opened it meanwhile.
    check.open_now(at.block);
    true
}

/// Whether this is from `abort`, or another call of this process that names the thread.
fn is_own_abort(signal: libc::c_int, info: &libc::siginfo_t) -> bool {
    if signal != libc::SIGABRT || info.si_code != libc::SI_TKILL {
        return false;
    }
    // SAFETY: with the code SI_TKILL, which was compared above, the system fills in the sender.
    let sender = unsafe { info.si_pid() };
    // SAFETY: `getpid` has no preconditions.
    sender == unsafe { libc::getpid() }
}

const ABORTED: &str = ": it called abort(), as do a failed assert(), an exception that nothing catches, and \
    the C library where it finds its memory corrupted, freed twice, or not of malloc(): depv[i].ptr \
    and what ocrDbCreate stores are not to be freed, but the block destroyed (ocrDbDestroy)";

const GAVE_UP: &str = ": OpenCL itself has ended the program (abort), and the lines above may say why. PoCL does that where \
    it cannot link or load a kernel: see that ld is in PATH, and that the folder of POCL_CACHE_DIR, or ~/.cache/pocl without \
    that, has free space and is not mounted noexec. So it does where a kernel needs more local memory than the device has, \
    which newer versions do not tell before (ocr info lists what there is)";

const WHILE_ASKED: &str = "OpenCL itself has ended the program (abort) while it was asked for its devices, and the lines above \
    may say why. PoCL does that where there is no /sys, or where it can start no thread: see the limits of threads and memory \
    (\"ulimit -a\", those of a container)";

const ASSERTED: &str = ": OpenCL itself has ended the program (abort) by an assertion of its own, and the lines above may say \
    which. That is a fault of the driver. PoCL 3.1 has such a one with several devices of its driver \"basic\": have \
    POCL_DEVICES name basic once, or pthread";

/// How OpenCL has come to end the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GaveUp {
    Abort,
    Assertion,
}

/// Why OpenCL may have ended the program, whose driver that was, and how a program does without.
fn of_giving_up(text: &mut Text, how: GaveUp) -> fmt::Result {
    let (now, all) = asked_platforms();
    match (how, now) {
        (GaveUp::Assertion, _) => text.write_str(ASSERTED)?,
        (GaveUp::Abort, Some(_)) => write!(text, ": {WHILE_ASKED}")?,
        (GaveUp::Abort, None) => text.write_str(GAVE_UP)?,
    }
    if how == GaveUp::Abort && now.is_none() {
        lacking().map_or(Ok(()), |what| write!(text, ". Here, {what}"))?;
    }
    if let Some(platform) = now.or(all) {
        write!(text, ". The driver is that of {platform:.200}")?;
    }
    text.write_str(". OCR_DEVICES=none has programs run without OpenCL")
}

/// The text stands behind its size, an unsigned int.
const BEFORE_TEXT: usize = size_of::<libc::c_uint>();

/// Where the C library keeps what it says before it calls `abort` itself; null where that is not known.
fn said() -> *const *const libc::c_char {
    unsafe extern "C" {
        /// Found when the library is loaded (`src/capi/loader.c`).
        safe fn ocrWhatAbortSays() -> *const *const libc::c_char;
    }
    ocrWhatAbortSays()
}

/// What the C library has said before it has called `abort`, if it has.
fn said_text() -> Option<&'static CStr> {
    let said = said();
    if said.is_null() {
        return None;
    }
    // SAFETY: the pointer is not null here, and is that of a variable of the C library, which stays. The thread that
    // has written it has called `abort`: it is this one, or waits in `abort`.
    let text = unsafe { said.read_volatile() };
    if text.is_null() {
        return None;
    }
    let text = text.wrapping_byte_add(BEFORE_TEXT);
    // SAFETY: the C library keeps its message there, behind the size, as a text that ends with a zero, until the
    // process ends, or an EDT whose assertion has failed is undone.
    Some(unsafe { CStr::from_ptr(text) })
}

/// Whether a thread of OpenCL has called `abort` for reasons of its own, an assertion among them: not the C library
/// since memory is corrupted.
fn gave_up() -> Option<GaveUp> {
    if said().is_null() || !is_of_opencl() {
        return None;
    }
    match said_text() {
        None => Some(GaveUp::Abort),
        Some(text) => again::is_assertion(text).then_some(GaveUp::Assertion),
    }
}

const NO_INSTRUCTION: &str = ": it came to an instruction that is none. Compilers put such where the program is never to \
    come: behind __builtin_trap, or at the end of a C++ function that returns no value though it should";

const STRICT_SAYS: &str = "  OCR_CHECK=strict shows who created the EDT and what its pre-slots were connected to, \
    and finds many mistakes before they crash.\n";

const STRICT_FINDS: &str =
    "  OCR_CHECK=strict finds many mistakes before they crash, writes beyond data blocks among them.\n";

fn say_of(signal: libc::c_int, info: &libc::siginfo_t, context: *const libc::c_void, runtime: &'static Runtime) {
    let name = name_of(signal);
    // SAFETY: the signals that this is called for are SIGSEGV and SIGBUS of a thread's own doing, for which the system
    // fills in the address. For others the field is read as what the system has put there, and not used.
    let address = || unsafe { info.si_addr() } as usize;
    let faulted = matches!(signal, libc::SIGSEGV | libc::SIGBUS);
    let asked = range::asks_range_of();
    // What that does is no EDT's.
    let edt = Context::running_here().filter(|_| asked.is_none());
    if signal == libc::SIGSEGV
        && !address::is_write(context)
        && let (Some(edt), Some(at)) = (edt, address::released(runtime, address()))
    {
        report::end_for_read(edt, &at, stack::instruction(context));
    }
    if faulted && let Some(bytes) = stack::is_full_of_handlers(address(), context) {
        say(|text| full_of_handlers(text, (name, address()), bytes, edt.or(asked)));
        report::ask(None, None, stack::instruction(context));
        return;
    }
    say(|text| match edt.or(asked) {
        Some(edt) if asked.is_some() => {
            write!(text, "ocr: error: the range function for EDT {} crashed with {name}", CrashedEdt(edt))
        }
        Some(edt) => write!(text, "ocr: error: EDT {} crashed with {name}", CrashedEdt(edt)),
        None => write!(text, "ocr: error: {ThisThread} crashed with {name}"),
    });
    let gave_up = (signal == libc::SIGABRT).then(gave_up).flatten();
    let is_full = faulted && stack::is_full(address(), context);
    say(|text| match signal {
        libc::SIGABRT => match gave_up {
            Some(how) => of_giving_up(text, how),
            None => text.write_str(ABORTED),
        },
        libc::SIGILL | libc::SIGTRAP => text.write_str(NO_INSTRUCTION),
        libc::SIGFPE => arithmetic(text, info.si_code),
        _ if is_full => full_stack(text, address(), edt),
        _ => address::describe(text, (runtime, edt), address(), info.si_code, context),
    });
    if edt.is_none() && is_of_opencl() {
        let is_explained = is_full || gave_up.is_some();
        say(|text| name_on_devices(text, runtime, is_explained));
    }
    say(|text| text.write_str(".\n"));
    let at = match signal {
        // In the C library, which is no help.
        libc::SIGABRT => None,
        _ => stack::instruction(context),
    };
    let block = faulted.then(|| address::block(runtime, edt, address())).flatten();
    let told = match edt {
        None if is_of_opencl() => the_one_on_devices(runtime, faulted && address::is_null_page(address())),
        _ => edt,
    };
    report::ask(told, block, at);
    if runtime.check.is_none() && (edt.is_some() || !is_of_opencl()) {
        say(|text| text.write_str(edt.map_or(STRICT_FINDS, |_| STRICT_SAYS)));
    }
}

/// Whether the last run was in strict mode, and whether the process has its own `main`.
static WAS_STRICT: AtomicBool = AtomicBool::new(false);
static WAS_LEGACY: AtomicBool = AtomicBool::new(false);

/// The run is over. If the process, whose `main` is the runtime's then, is about to end, what crashes is reported until
/// it has. A program with its own `main` goes on: of its crashes those are reported that may have come to a block of
/// the run.
pub(crate) fn listen_to_the_end(strict: bool, legacy: bool) {
    WAS_STRICT.store(strict, Ordering::Relaxed);
    WAS_LEGACY.store(legacy, Ordering::Relaxed);
    let flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    let faults = [libc::SIGSEGV, libc::SIGBUS];
    for (signal, _) in SIGNALS {
        if legacy && !faults.contains(&signal) {
            continue;
        }
        // SAFETY: `handle_after_end` has the form that SA_SIGINFO asks for, which is among the flags. As the head of
        // this file says, it allocates nothing and takes no lock, so it may interrupt anything.
        let handler = unsafe { Handler::begin(signal, late_handler(), flags) };
        std::mem::forget(handler);
    }
}

/// The address of the handler for what comes after a run.
pub(crate) fn late_handler() -> usize {
    let function: WithInfo = handle_after_end;
    function as usize
}

extern "C" fn handle_after_end(signal: libc::c_int, info: *const libc::siginfo_t, context: *const libc::c_void) {
    // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the signal's `siginfo_t`, which is there, and
    // not written, until the handler returns.
    let info = unsafe { &*info };
    if is_in_recording(signal, info) {
        return;
    }
    let sent = info.si_code <= 0;
    let is_own = !sent || is_own_abort(signal, info);
    if is_own && device::are_kernels_left() && device::is_thread_of_opencl() {
        // A kernel that was in vain runs on, or is compiled for its run, and the end of the process takes away what
        // that is made of. It must not end the process in another way: the thread stays here until that is over.
        loop {
            // SAFETY: `pause` has no preconditions, and is one of the functions that POSIX allows in a handler.
            unsafe { libc::pause() };
        }
    }
    // A handler of the program's, which it installed between two runs, may call this one in the second.
    if is_own && !Runtime::runs() {
        // SAFETY: `info` is the system's, and the field is always a part of it. It means an address for SIGSEGV and
        // SIGBUS of a thread's own doing, for which alone it is used below to tell of a block.
        let address = unsafe { info.si_addr() } as usize;
        let faulted = matches!(signal, libc::SIGSEGV | libc::SIGBUS);
        let former = faulted.then(|| former_at(address)).flatten();
        let of_block = former.is_some() || !address::is_null_page(address);
        if let Some(former) = former {
            say(|text| of_former(text, name_of(signal), former));
        } else if !was_legacy() || of_block && !stack::is_full(address, context) {
            say(|text| of_late(text, name_of(signal)));
        }
    }
    ending::crashed(signal);
    Handler::give_back(signal);
    if sent || signal == libc::SIGTRAP {
        // SAFETY: `raise` touches no memory of the caller, and is one of the functions that POSIX allows in a handler.
        // The signal has no handler of the runtime any more, so this one is not entered again.
        unsafe { libc::raise(signal) };
    }
}

fn was_legacy() -> bool {
    WAS_LEGACY.load(Ordering::Relaxed)
}

/// Where a run has ended, for the middle of a message.
fn behind() -> &'static str {
    if was_legacy() { "after ocrLegacyFinalize" } else { "when the OCR program had ended" }
}

fn of_former(text: &mut Text, name: &str, (block, at): (Former, usize)) -> fmt::Result {
    writeln!(
        text,
        "ocr: error: {ThisThread} crashed with {name} {}, at byte {at} of the data block {}, which had {}: data \
         blocks are gone with their run. Use it before, or copy what is needed of it.",
        behind(),
        block.guid,
        Counted(block.size as u64, "byte"),
    )
}

fn of_late(text: &mut Text, name: &str) -> fmt::Result {
    let why = if was_legacy() {
        "if by a pointer to a data block: those are gone with their run. Use them before, or copy what is needed"
    } else {
        "in a destructor, or a function given to atexit(), or since memory was overwritten or freed twice before"
    };
    let behind = behind();
    writeln!(text, "ocr: error: {ThisThread} crashed with {name} {behind}: {why}.")?;
    if WAS_STRICT.load(Ordering::Relaxed) { Ok(()) } else { text.write_str(STRICT_FINDS) }
}

fn name_of(signal: libc::c_int) -> &'static str {
    let name = SIGNALS.iter().find(|(number, _)| *number == signal);
    name.map_or("a signal", |(_, name)| name)
}

/// An EDT, for the middle of a message.
struct CrashedEdt<'a>(&'a Edt);

impl fmt::Display for CrashedEdt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:.200})", self.0.guid(), self.0.work().name.known())
    }
}

/// A thread that runs no EDT, as the subject at the beginning of a message.
struct ThisThread;

impl fmt::Display for ThisThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_of_opencl() {
            return f.write_str("a thread of OpenCL, which executes kernels,");
        }
        let mut name = [0; 16];
        match name_of_thread(&mut name) {
            // A thread has the name of the one that has made it, until it is given another.
            name if OF_RUNTIME.get() => {
                write!(f, "a thread of the runtime ({}), in no EDT,", Readable(name))
            }
            name if name.starts_with(b"ocr-") => f.write_str("a thread of the program, in no EDT,"),
            name => write!(f, "thread \"{}\", in no EDT,", Readable(name)),
        }
    }
}

/// The name of this thread.
fn name_of_thread(place: &mut [u8; 16]) -> &[u8] {
    // SAFETY: with PR_GET_NAME the call writes 16 bytes at most, for which `place` has room. It is a bare system call,
    // which may be made in a handler.
    unsafe { libc::prctl(libc::PR_GET_NAME, place.as_mut_ptr()) };
    let name = CStr::from_bytes_until_nul(place).ok();
    name.map(CStr::to_bytes).unwrap_or_default()
}

fn is_of_opencl() -> bool {
    name_of_thread(&mut [0; 16]).starts_with(THREAD_NAME.as_bytes())
}

/// The EDTs that have a device as their place: one of their kernels may have crashed.
fn on_devices(runtime: &Runtime) -> impl Iterator<Item = &Edt> {
    let all = runtime.objects.edts.look();
    all.filter(|edt| edt.header.peek().state() == EdtState::Runnable && edt.place.get().device_index().is_some())
}

/// The one of them whose kernel has crashed, if that is sure: where the address is close to a null pointer, the only
/// one without a data block on a pre-slot.
fn the_one_on_devices(runtime: &Runtime, is_at_null: bool) -> Option<&Edt> {
    let lacks = |edt: &&Edt| !is_at_null || address::without_block(edt).next().is_some();
    let mut edts = on_devices(runtime).filter(lacks);
    edts.next().filter(|_| edts.next().is_none())
}

/// Names the EDTs that are on devices. What their kernels may have done follows unless the message says before why.
fn name_on_devices(text: &mut Text, runtime: &Runtime, is_explained: bool) -> fmt::Result {
    /// The most EDTs that the message names.
    const FEW: usize = 4;
    for (at, edt) in on_devices(runtime).take(FEW).enumerate() {
        let begin = match at {
            0 if is_explained => ". On devices are EDT ",
            0 => {
                ". A kernel that it executes may use an index beyond a block, or one of a pre-slot that was \
                  satisfied with NULL_GUID, or need too much local memory. On devices are EDT "
            }
            _ => ", EDT ",
        };
        write!(text, "{begin}{}", CrashedEdt(edt))?;
        for (at, slot) in address::without_block(edt).take(FEW).enumerate() {
            let begin = match at {
                0 => ", without a data block on pre-slot ",
                _ => ", ",
            };
            write!(text, "{begin}{slot}")?;
        }
    }
    Ok(())
}

/// What went wrong in arithmetic.
fn arithmetic(text: &mut Text, code: libc::c_int) -> fmt::Result {
    const FPE_INTDIV: libc::c_int = 1;
    match code {
        FPE_INTDIV => text.write_str(": an integer was divided by zero, or the quotient is too large"),
        _ => text.write_str(": a floating-point operation for which the program has traps on"),
    }
}

/// A handler of the program's has filled the alternative stack, which has `bytes` bytes: what it has interrupted is not
/// at fault.
fn full_of_handlers(text: &mut Text, (name, address): (&str, usize), bytes: usize, edt: Option<&Edt>) -> fmt::Result {
    write!(
        text,
        "ocr: error: a signal handler of the program crashed with {name} at address {address:#x}: the alternative stack, which \
         SA_ONSTACK has it run on, is full. It has {} KiB here",
        bytes >> 10
    )?;
    if let Some(edt) = edt {
        write!(text, ", in a thread that was running EDT {}", CrashedEdt(edt))?;
    }
    text.write_str(
        ". Let the handler need less, for instance by static variables in place of large arrays, or give the thread a larger \
         stack by sigaltstack().\n",
    )
}

fn full_stack(text: &mut Text, address: usize, edt: Option<&Edt>) -> fmt::Result {
    write!(text, " at address {address:#x}: its stack is full. ")?;
    match edt {
        Some(_) => write!(
            text,
            "EDTs have {} MiB: put large arrays into data blocks or on the heap, and instead of a deep recursion use a \
             loop, or EDTs that create EDTs",
            stack::BYTES >> 20
        ),
        None if is_of_opencl() => text.write_str(
            "What the work-items of a work-group keep may be there: declare smaller arrays in the kernel, or have fewer \
             work-items in a work-group. OpenCL on CPUs may take the size of that stack from \"ulimit -s\"",
        ),
        None => text.write_str(
            "Put large arrays on the heap, and instead of a deep recursion use a loop; pthread_attr_setstacksize gives \
             a thread more, and \"ulimit -s\" the one of main",
        ),
    }
}
