//! What strict mode says of a program that crashes: which EDT did it, and what the address looks like.
//!
//! The handler runs on the thread that crashed, in the middle of whatever it did, perhaps with memory that is
//! overwritten. So it allocates nothing, takes no lock, only reads, and says first what is sure. If it
//! crashes itself, the system ends the program: all signals are blocked then, or (`division.rs`) the second crash
//! says nothing.
//!
//! | who comes | what it does |
//! |---|---|
//! | the first thread that crashes in an EDT | tells it, gives the signal back to the system, and returns: the instruction is tried again, and the system ends the program as it would have |
//! | another that crashes meanwhile | waits for that; after a second it lets the system end the program itself |
//! | a signal that somebody has sent, a thread that runs no EDT | gives the signal back to the system, and returns or raises it again |
//!
//! `abort` sends `SIGABRT` to its own thread: that is told, too, and raised again.

use super::context::Context;
use super::division::WithInfo;
use super::signals::Handler;
use super::stack;
use crate::object::edt::Edt;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

const SIGNALS: [(libc::c_int, &str); 4] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGABRT, "SIGABRT"),
];

/// Addresses below are those of members and elements of an object at a null pointer: the system maps
/// nothing there.
const NULL_PAGES: usize = 64 << 10;
/// So far behind a block an access may have been meant for it.
const NEAR: usize = 1 << 20;

/// Somebody tells of a crash, which ends the program. Relaxed where it is used: it orders nothing, and of
/// those who swap one is the first.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Tells of crashes while the handlers live.
pub(super) fn listen() -> impl Iterator<Item = Handler> {
    let flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: the handler only reads, and writes to the standard error.
    let begin = move |(signal, _)| unsafe { Handler::begin(signal, tell_address(), flags) };
    SIGNALS.into_iter().filter_map(begin)
}

/// The address of the handler.
pub(super) fn tell_address() -> usize {
    tell as WithInfo as usize
}

/// A message of limited length, on the stack.
struct Text {
    bytes: [u8; 1024],
    len: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = &mut self.bytes[self.len..];
        let len = text.len().min(room.len());
        room[..len].copy_from_slice(&text.as_bytes()[..len]);
        self.len += len;
        Ok(())
    }
}

/// The handler. Without strict mode it says nothing.
pub(super) extern "C" fn tell(
    signal: libc::c_int,
    info: *const libc::siginfo_t,
    context: *const libc::c_void,
) {
    // SAFETY: the system gives a valid one.
    let info = unsafe { &*info };
    // Positive codes are the system's, of what a thread did.
    let sent = info.si_code <= 0;
    let strict = Context::runtime_here().is_some_and(|runtime| runtime.check.is_some());
    if strict
        && (!sent || is_own_abort(signal, info))
        && let Some(edt) = Context::running_here()
    {
        match TOLD.swap(true, Ordering::Relaxed) {
            false => tell_of(signal, info, context, edt),
            // Not for ever: the instruction of the first may succeed when it is tried again.
            // SAFETY: it may be called in a handler.
            true => drop(unsafe { libc::sleep(1) }),
        }
    }
    Handler::give_back(signal);
    if sent {
        // It is blocked until the handler returns.
        // SAFETY: it ends the program, as the one that was sent.
        unsafe { libc::raise(signal) };
    }
}

/// Whether this is from `abort`, or another call of this process that names the thread.
fn is_own_abort(signal: libc::c_int, info: &libc::siginfo_t) -> bool {
    if signal != libc::SIGABRT || info.si_code != libc::SI_TKILL {
        return false;
    }
    // SAFETY: signals of this code come with the sender.
    let sender = unsafe { info.si_pid() };
    // SAFETY: a plain call.
    sender == unsafe { libc::getpid() }
}

const ABORTED: &str = ": it called abort(), as do a failed assert(), an exception that nothing catches, and \
    the C library where it finds its memory corrupted";

fn tell_of(signal: libc::c_int, info: &libc::siginfo_t, context: *const libc::c_void, edt: &Edt) {
    let name = SIGNALS.iter().find(|(number, _)| *number == signal);
    let name = name.map_or("a signal", |(_, name)| name);
    say(|text| {
        let (guid, function) = (edt.guid(), &edt.work().name);
        write!(
            text,
            "ocr: error: EDT {guid} ({function:.200}) crashed with {name}"
        )
    });
    say(|text| match signal {
        libc::SIGABRT => text.write_str(ABORTED),
        libc::SIGFPE => arithmetic(text, info.si_code),
        _ => {
            // SAFETY: these signals come with an address.
            let at = unsafe { info.si_addr() } as usize;
            match stack::is_full(at, context) {
                true => full_stack(text, at),
                false => address(text, edt, at, info.si_code),
            }
        }
    });
    say(|text| text.write_str(".\n"));
}

/// Writes what `write` writes to the standard error.
fn say(write: impl FnOnce(&mut Text) -> fmt::Result) {
    let mut text = Text {
        bytes: [0; 1024],
        len: 0,
    };
    // Writing into memory does not fail.
    let _ = write(&mut text);
    // SAFETY: the bytes that were written.
    unsafe { libc::write(libc::STDERR_FILENO, text.bytes.as_ptr().cast(), text.len) };
}

/// What went wrong in arithmetic.
fn arithmetic(text: &mut Text, code: libc::c_int) -> fmt::Result {
    const FPE_INTDIV: libc::c_int = 1;
    match code {
        FPE_INTDIV => {
            text.write_str(": an integer was divided by zero, or the quotient is too large")
        }
        _ => text.write_str(": a floating-point operation for which the program has traps on"),
    }
}

fn full_stack(text: &mut Text, address: usize) -> fmt::Result {
    write!(
        text,
        " at address {address:#x}: its stack is full. EDTs have {} MiB: put large arrays into data blocks or \
         on the heap, and instead of a deep recursion use a loop, or EDTs that create EDTs",
        stack::BYTES >> 20
    )
}

/// What the address looks like.
fn address(text: &mut Text, edt: &Edt, address: usize, code: libc::c_int) -> fmt::Result {
    /// Linux says so where the processor does not tell the address.
    const SI_KERNEL: libc::c_int = 0x80;
    if code == SI_KERNEL {
        return text.write_str(
            " at no address that there could be, or by a vector instruction at one that is not aligned. \
             Strict mode fills the memory of destroyed data blocks with bytes 0xdb: a pointer that is \
             read there is no address",
        );
    }
    write!(text, " at address {address:#x}")?;
    if address < NULL_PAGES {
        return text.write_str(
            ", close to a null pointer. If it is that of a pre-slot: depv[i].ptr is NULL where the \
             pre-slot was satisfied with NULL_GUID or its mode is DB_MODE_NULL, and for a block of 0 \
             bytes",
        );
    }
    let Some(runtime) = Context::runtime_here() else {
        return Ok(());
    };
    // No more than this: what was overwritten may go round in a circle.
    for (at, slot) in edt.blocks().take(1000) {
        let (guid, released) = (slot.data(), slot.info().released);
        let Some(block) = runtime
            .objects
            .data_blocks
            .slot_of(guid)
            .filter(|_| !released)
        else {
            continue;
        };
        let end = (block.host_ptr() as usize).saturating_add(block.size() as usize);
        if (end..end.saturating_add(NEAR)).contains(&address) {
            let (behind, size) = (address - end, block.size());
            return write!(
                text,
                ", {behind} bytes behind the end of the data block {guid} on its pre-slot {at}, which \
                 has {size} bytes"
            );
        }
    }
    Ok(())
}
