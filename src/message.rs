//! Messages that are made without memory, for where there is none, and for handlers of signals.

use crate::output_file::without_signals;
use std::fmt::{self, Write};

/// A message of limited length, on the stack.
pub(crate) struct Text {
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

/// Writes what `write` writes to the standard error.
pub(crate) fn say(write: impl FnOnce(&mut Text) -> fmt::Result) {
    let mut text = Text {
        bytes: [0; 1024],
        len: 0,
    };
    // Writing into memory does not fail.
    let _ = write(&mut text);
    // SAFETY: `text.bytes` is an array that lives during the call, and `text.len` is not more than
    // its length.
    without_signals(|| unsafe {
        libc::write(libc::STDERR_FILENO, text.bytes.as_ptr().cast(), text.len)
    });
}
