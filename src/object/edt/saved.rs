//! EDTs in a checkpoint. Of one that is runnable, the new run has what it was created with and its dependences: it is
//! placed and acquires its blocks anew.

use super::store::SizedEdt;
use super::{Edt, EdtFlags, EdtState, Edts, NO_SLOT, RANGE_WORDS};
use crate::object::arena::Arena;
use crate::object::guid::Kind;
use crate::object::saved::{Saved, malformed};
use crate::object::scope::Scope;
use ocr_place::place::Place;
use std::io;
use std::ptr;
use std::sync::atomic::Ordering;

impl Edts {
    /// Passes all EDTs through a checkpoint.
    pub(in crate::object) fn pass(&self, file: &mut Saved<'_>, scopes: &Arena<Scope>) -> io::Result<()> {
        fn of<const N: usize>(
            file: &mut Saved<'_>,
            kind: Kind,
            arena: &Arena<SizedEdt<N>>,
            scopes: &Arena<Scope>,
        ) -> io::Result<()> {
            arena.pass(file, |file, index, slot| slot.edt.pass(file, kind, index, scopes))
        }
        of(file, Kind::EdtSmall, &self.small, scopes)?;
        of(file, Kind::EdtMedium, &self.medium, scopes)?;
        of(file, Kind::EdtLarge, &self.large, scopes)?;
        of(file, Kind::EdtHuge, &self.huge, scopes)?;
        self.hints.pass(file)
    }
}

impl Edt {
    /// Passes the EDT in a slot, or what is left of one.
    fn pass(&self, file: &mut Saved<'_>, kind: Kind, index: u32, scopes: &Arena<Scope>) -> io::Result<()> {
        let word = self.header.pass(file)?;
        self.output.store(file.word(self.output.load(Ordering::Relaxed))?, Ordering::Relaxed);
        self.work.set(file.code(self.work.get())?);
        self.index.set(index);
        self.kind.set(kind as u8);
        if word.state() == EdtState::Free || word.state().names() {
            return Ok(());
        }
        if self.work.get().is_null() {
            return Err(malformed());
        }
        let scope = file.word(self.finish_scope().map_or(0, |scope| scope.index.get()))?;
        file.cell(&self.depc)?;
        file.cell(&self.paramc)?;
        self.flags.pass(file)?;
        if file.restores() {
            let scope = (scope != 0).then(|| scopes.get(scope).ok_or_else(malformed)).transpose()?;
            self.scope.set(scope.map_or(ptr::null(), ptr::from_ref));
            self.place.set(Place::HOST);
            self.first.set(NO_SLOT);
        }
        let range = if self.flags.get().has_range() { RANGE_WORDS } else { 0 };
        let words = 2 * self.depc.get() as usize + self.paramc.get() as usize + range;
        if !self.pass_words(file, words)? {
            return Ok(());
        }
        self.slots().iter().try_for_each(|slot| slot.pass(file))?;
        for at in 0..self.paramc.get() as usize + range {
            let place = self.params_ptr().wrapping_add(at);
            // SAFETY: `paramc` words, and those of a range, stand behind the pre-slots, and no thread writes them now.
            let word = file.word(unsafe { place.read() })?;
            if file.restores() {
                // SAFETY: `place` is one of the words behind the pre-slots, and no other thread knows the EDT yet.
                unsafe { place.write(word) };
            }
        }
        if file.restores() && word.state() == EdtState::Runnable {
            self.begin_anew();
        }
        Ok(())
    }

    /// A runnable EDT has no block, and is in no place.
    fn begin_anew(&self) {
        self.header.publish(self.header.peek().with_count(0));
        self.flags.remove(EdtFlags::FETCH | EdtFlags::DENIED);
        for slot in self.slots() {
            slot.satisfy(slot.data(), slot.info().mode);
        }
    }
}
