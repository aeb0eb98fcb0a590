//! What strict mode says of a program that crashes: which EDT did it, and what the address looks like.
//!
//! The handler runs on the thread that crashed, in the middle of whatever it did. So it allocates
//! nothing, takes no lock, and only reads: the EDT that the thread runs, and the blocks that this EDT
//! holds, which stay until it gives them back. Then the instruction is tried again, and the system ends the
//! program as it would have.

use super::context::Context;
use super::signals::Handler;
use crate::object::edt::Edt;
use std::fmt::{self, Write};

const SIGNALS: [(libc::c_int, &str); 3] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
];

/// Addresses below are those of members of an object at a null pointer.
const NULL_PAGE: usize = 4096;
/// So far behind a block an access may have been meant for it.
const NEAR: usize = 1 << 20;

/// Tells of crashes while the handlers live.
pub(super) fn listen() -> impl Iterator<Item = Handler> {
    let flags = libc::SA_SIGINFO | libc::SA_RESETHAND;
    let tell = tell as *const () as usize;
    // SAFETY: the handler only reads, and writes to the standard error.
    let begin = move |(signal, _)| unsafe { Handler::begin(signal, tell, flags) };
    SIGNALS.into_iter().filter_map(begin)
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

extern "C" fn tell(signal: libc::c_int, info: *const libc::siginfo_t, _: *const libc::c_void) {
    let Some(edt) = Context::running_here() else {
        // Not in an EDT: nothing is known that a debugger would not say better.
        return;
    };
    // SAFETY: the system gives a valid one.
    let info = unsafe { &*info };
    // SAFETY: these signals come with an address, unless somebody sent them.
    let address = unsafe { info.si_addr() } as usize;
    let mut text = Text {
        bytes: [0; 1024],
        len: 0,
    };
    let name = SIGNALS.iter().find(|(number, _)| *number == signal);
    let name = name.map_or("a signal", |(_, name)| name);
    // Writing into memory does not fail.
    let _ = write!(
        text,
        "ocr: error: EDT {} ({}) crashed",
        edt.guid(),
        edt.work().name
    );
    let _ = write!(text, " with {name}");
    let _ = match signal {
        libc::SIGFPE => {
            text.write_str(": an integer was divided by zero, or the quotient is too large")
        }
        _ => reason(&mut text, edt, address, info.si_code),
    };
    let _ = text.write_str("\n");
    // SAFETY: the bytes that were written.
    unsafe { libc::write(libc::STDERR_FILENO, text.bytes.as_ptr().cast(), text.len) };
}

/// What the address looks like.
fn reason(text: &mut Text, edt: &Edt, address: usize, code: libc::c_int) -> fmt::Result {
    /// Linux says so where the processor does not tell the address.
    const SI_KERNEL: libc::c_int = 0x80;
    if code == SI_KERNEL {
        return text.write_str(
            " at an address that no memory has. Strict mode fills the memory of destroyed data blocks \
             with bytes 0xdb, so a pointer that is read there is such an address.",
        );
    }
    write!(text, " at address {address:#x}")?;
    if address < NULL_PAGE {
        return text.write_str(
            ", that of a null pointer. depv[i].ptr is NULL where the pre-slot was satisfied with \
             NULL_GUID or its mode is DB_MODE_NULL, and for a block of 0 bytes.",
        );
    }
    let Some(blocks) = Context::blocks_here() else {
        return Ok(());
    };
    for (at, slot) in edt.blocks().filter(|(_, slot)| !slot.info().released) {
        let (guid, block) = (slot.data(), blocks.pinned(slot.data()));
        let end = block.host_ptr() as usize + block.size() as usize;
        if (end..end.saturating_add(NEAR)).contains(&address) {
            let (behind, size) = (address - end, block.size());
            return write!(
                text,
                ", {behind} bytes behind the end of the data block {guid} on its pre-slot {at}, which \
                 has {size} bytes."
            );
        }
    }
    Ok(())
}
