//! Contributions to collective events (extension of OCR 1.2). The last contribution to a generation
//! makes a data block of all of them, which is then the program's like any other.

use crate::check::history::ActCause;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::graph::GraphError;
use crate::object::guid::Guid;
use ocr_base::text::Counted;

impl Context {
    /// Adds the next contribution of the contributor in `slot`. If it is the last one to its
    /// generation, those that wait for that are satisfied when this returns.
    ///
    /// # Safety
    /// `data` is valid for reads of as many bytes as the event's contributions have, if there is
    /// such an event.
    pub(crate) unsafe fn contribute(&mut self, event: Guid, data: *const u8, slot: u32) -> Result<(), GraphError> {
        let inside = self.runtime.objects.events.collective(event);
        let inside = inside.ok_or(GraphError::NoSuchObject)?;
        let bytes = inside.params.bytes();
        // SAFETY: the caller promises that `data` is valid for reads of as many bytes as the event's contributions
        // have, which is `bytes`. The reference ends with this call.
        let data = unsafe { std::slice::from_raw_parts(data, bytes) };
        let Some(complete) = inside.contribute(slot, data)? else {
            return Ok(());
        };
        let Ok((block, address)) = self.create_block(bytes as u64, true) else {
            // The contributions of the others have been taken: there is no way back.
            fatal(&format!(
                "no memory for a result of the collective event {event}, of {}",
                Counted(bytes as u64, "byte")
            ))
        };
        if let Some(check) = &self.runtime.check {
            check.made_block(&self.runtime.objects, block, bytes as u64, (ActCause::Contribution, self.who()));
        }
        // SAFETY: the block has just been created, with `bytes` bytes, and no other thread knows it.
        let result = unsafe { std::slice::from_raw_parts_mut(address, bytes) };
        // What has not been written yet must not be read: the memory is as it was found.
        result.fill(0);
        inside.combine(&complete, result);
        // The block has just been created here, so its release cannot fail.
        let _ = self.release_block(block);
        self.graph().deliver(&inside, complete, block);
        self.work_off();
        Ok(())
    }
}
