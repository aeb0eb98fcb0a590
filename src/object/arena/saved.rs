//! An arena in a checkpoint: which slots were handed out, its labels, and each slot that was ever used. What is free in
//! the file is in the depot of the new run.

use super::label::SavedLabels;
use super::{Arena, Bits, Slot};
use crate::object::header::State;
use crate::object::saved::{Saved, malformed};
use std::io;
use std::ops::Range;

impl<T: Slot> Arena<T> {
    /// Passes the arena through a checkpoint; `pass` passes what is in a slot beside its header, live or free. An arena
    /// that is filled has had no object.
    pub(in crate::object) fn pass(
        &self,
        file: &mut Saved<'_>,
        pass: impl Fn(&mut Saved<'_>, u32, &T) -> io::Result<()>,
    ) -> io::Result<()> {
        let start = self.zone.indices().start;
        let own = self.depot.lock().fresh;
        let fresh = file.word(own)?;
        let mut labels = if file.restores() { SavedLabels::default() } else { self.saved_labels() };
        file.table(&mut labels)?;
        if !file.restores() {
            let used = (fresh != start).then(|| self.used_of(start..fresh)).into_iter().flatten();
            for index in used.filter(|&index| !self.slot(index).header().is_new()) {
                file.word(index)?;
                pass(file, index, self.slot(index))?;
            }
            return file.word(0u32).map(|_| ());
        }
        self.make_chunks(fresh)?;
        loop {
            let index = file.word(0u32)?;
            if index == 0 {
                break;
            }
            if !(start..fresh).contains(&index.into()) {
                return Err(malformed());
            }
            self.note_use(index);
            pass(file, index, self.slot(index))?;
        }
        self.put_free(start..fresh, &labels);
        self.restore_labels(labels);
        Ok(())
    }

    /// Gives what is free of these slots, and not set apart for labels, to the depot.
    fn put_free(&self, slots: Range<u64>, labels: &SavedLabels) {
        let depot = &mut self.depot.lock();
        for index in slots.map(|index| index as u32).filter(|&index| !labels.has(index)) {
            let word = self.slot(index).header().peek();
            // A slot in its last generation may have been retired.
            if word.state() == T::State::FREE && !word.is_label() && word.freed().is_some() {
                self.note_use(index);
                depot.put(Bits::one(index));
            }
        }
    }

    fn make_chunks(&self, fresh: u64) -> io::Result<()> {
        let depot = &mut self.depot.lock();
        let indices = self.zone.indices();
        if fresh < indices.start || fresh > indices.end || depot.fresh != indices.start {
            return Err(malformed());
        }
        for index in (indices.start..fresh).step_by(Self::PER_CHUNK).chain((indices.start..fresh).last()) {
            self.chunk_for(index as u32, false).ok_or(io::ErrorKind::OutOfMemory)?;
        }
        depot.fresh = fresh;
        Ok(())
    }
}
