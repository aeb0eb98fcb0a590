//! Fingerprints of what blocks contain, to find writes by EDTs that may not write.
//!
//! When the only writer of a block is done with it, the content is *sealed*: its fingerprint is kept
//! with the version that the block has from then on (`Copies::version` counts writes that have
//! ended). As long as the version is the same and no EDT or thread holds the block for writing, the content
//! must not change. If it does, an EDT wrote that held the block in RO or CONST mode, or that did not hold it any more.
//! A fingerprint counts only if no writer held the block before and after it was taken, with the same version: a writer
//! that came and went meanwhile has changed the version.
//!
//! In the same way it is seen that an EDT writes a block after it has satisfied an event with it, or has made another
//! ready that has it in mode RO or RW: the fingerprints before that call and at its release differ, and no other that
//! may write the block has begun in between.

use super::closed::Closed;
use super::history::{Act, What, Who};
use super::overlap::{GivenBlock, Overlap, Since};
use super::rules::{self, Broken, advice};
use super::{Check, Misuse};
use crate::object::data_block::DataBlock;
use crate::object::edt::Mode;
use crate::object::guid::Guid;
use ocr_base::lock::{Mutex, rank};
use std::collections::HashMap;

/// A content that must not change.
#[derive(Clone, Copy)]
struct Sealed {
    version: u32,
    print: u64,
    by: Who,
    /// Whether `by` went on then, behind `ocrDbRelease`.
    called: bool,
    /// The EDT that has last found it so, and when, if others have than `by`.
    found: Option<(Who, When)>,
    /// Which EDTs have run since it was last as it should be.
    since: Since,
}

/// What is known of the contents of the blocks of a run.
#[derive(Default)]
pub(crate) struct BlockContents {
    /// Which EDTs run, and have run.
    pub meanwhile: Overlap,
    /// Which blocks no thread can touch.
    pub closed: Closed,
    seals: Mutex<rank::Seals, HashMap<Guid, Sealed>>,
    /// When an EDT first passed on a block that it holds for writing, by EDT and block.
    passed: Mutex<rank::PassedBlocks, HashMap<(Guid, Guid), PassedBlock>>,
    /// How many EDTs have begun to run that hold a block for writing.
    begun: Mutex<rank::BegunEdts, HashMap<Guid, u64>>,
}

/// An event was satisfied with a block, or an EDT that only reads it can begin.
struct PassedBlock {
    /// The event, or the EDT.
    to: Guid,
    /// The mode in which the EDT has the block.
    mode: Option<Mode>,
    act: Act,
    before: ContentBefore,
}

/// A block before it was passed on. Taken before the call that does so: an EDT that gets the block may begin during
/// that.
#[derive(Clone, Copy)]
pub(crate) struct ContentBefore {
    /// The checksum of what the block contained then.
    print: Checksum,
    /// How many EDTs had begun then that write the block, by `BlockContents::begun`.
    begun: u64,
}

/// A fingerprint that was taken while no other thread could write.
#[derive(Clone, Copy)]
pub(crate) struct Checksum {
    version: u32,
    print: u64,
    /// The time before it was taken: an EDT that ran then, or later, may have written what it does not show.
    since: Since,
}

/// When a content was looked at.
#[derive(Clone, Copy)]
pub(crate) enum When {
    /// An EDT that has the block now is about to run.
    Begin,
    /// An EDT that holds it in this mode, through this pre-slot, gives it back.
    Held(Mode, Option<u32>),
    /// An EDT that has released it ends.
    Released,
    /// It is not used any more.
    Freed,
    /// At the end of the program.
    Shutdown,
}

impl ContentBefore {
    /// Takes it of a block that the caller alone holds for writing; none if others hold it so.
    pub(crate) fn take(contents: &BlockContents, block: &DataBlock) -> Option<ContentBefore> {
        // This comes first: an EDT that begins to write meanwhile may have changed what the fingerprint is of.
        let begun = contents.begun(block.guid());
        let print = Checksum::take(contents, block, 1)?;
        Some(ContentBefore { print, begun })
    }
}

impl When {
    /// At which moment a change was seen, in words; `who` is the EDT or thread that ran then.
    pub(super) fn seen(self, who: Who) -> String {
        match self {
            When::Begin => format!("seen before the start of {who}"),
            When::Held(..) => format!("seen when {who} gave the block back"),
            When::Released => format!("seen at the end of {who}"),
            When::Freed => "seen when the data block was freed".to_string(),
            When::Shutdown => "seen at the end of the program".to_string(),
        }
    }
}

impl Checksum {
    /// The fingerprint of a block's host copy; none if that is not the valid one, or if others than
    /// the `mine` writers that the caller answers for hold the block. The caller holds the block, or
    /// no other thread runs.
    pub(crate) fn take(contents: &BlockContents, block: &DataBlock, mine: u32) -> Option<Checksum> {
        Checksum::take_if(contents, block, |writers| writers == mine)
    }

    /// The fingerprint of a block's host copy, whichever EDTs hold the block for writing. The caller knows otherwise
    /// that they do not write.
    pub(crate) fn take_among(contents: &BlockContents, block: &DataBlock) -> Option<Checksum> {
        Checksum::take_if(contents, block, |_| true)
    }

    fn take_if(contents: &BlockContents, block: &DataBlock, fits: impl Fn(u32) -> bool) -> Option<Checksum> {
        let since = contents.meanwhile.now();
        let look = || {
            let locked = block.header.lock_pinned();
            let holders = block.holders.get();
            let copies = block.copies_seen(&locked);
            let writers = holders.rw + holders.ew as u32;
            (fits(writers) && copies.host_ready()).then_some(copies.version)
        };
        let before = look()?;
        contents.closed.open(block.guid());
        let print = fingerprint(block.host_ptr(), block.size() as usize);
        (look() == Some(before)).then_some(Checksum { version: before, print, since })
    }
}

/// A fingerprint of the `len` bytes of a block, which the caller holds, or which is not in use. Each word is multiplied
/// into the sum of those before it, so that no change of one word, nor an exchange of two, goes unseen.
pub(crate) fn fingerprint(start: *const u8, len: usize) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(MULTIPLIER).rotate_left(29);
    let mut sum = len as u64;
    for at in 0..len / 8 {
        let word = start.wrapping_add(8 * at).cast::<u64>();
        // SAFETY: the word is within the block, whose memory is there as long as the caller holds it; host memory of
        // blocks is aligned to 16. The read is volatile, since a program that misuses the block may write to it now.
        sum = mix(sum, unsafe { word.read_volatile() });
    }
    for at in len / 8 * 8..len {
        // SAFETY: the byte is within the block, whose memory is there as long as the caller holds it. The read is
        // volatile, since a program that misuses the block may write to it now.
        sum = mix(sum, unsafe { start.wrapping_add(at).read_volatile() } as u64);
    }
    sum
}

impl BlockContents {
    /// The only writer is about to give the block back: by a call, or as it ends.
    pub(crate) fn seal_at_release(&self, block: Guid, print: Checksum, by: Who, called: bool) {
        let seal = Sealed {
            // What the release makes of it.
            version: print.version.wrapping_add(1),
            print: print.print,
            by,
            called,
            found: None,
            since: print.since,
        };
        self.seals.lock().insert(block, seal);
    }

    /// An EDT that holds a block for writing begins: its function, or its kernel.
    pub(crate) fn begins_to_write(&self, block: Guid) {
        *self.begun.lock().entry(block).or_default() += 1;
    }

    fn begun(&self, block: Guid) -> u64 {
        self.begun.lock().get(&block).copied().unwrap_or(0)
    }

    /// Forgets a block, since it is gone.
    pub(crate) fn forget(&self, block: Guid) {
        self.closed.forget(block);
        self.seals.lock().remove(&block);
        self.begun.lock().remove(&block);
    }

    /// The EDT that is known to have written a block last.
    pub(super) fn last_writer(&self, block: Guid) -> Option<Who> {
        self.seals.lock().get(&block).map(|seal| seal.by)
    }

    /// Blocks that have a seal.
    pub(crate) fn sealed(&self) -> Vec<Guid> {
        self.seals.lock().keys().copied().collect()
    }
}

impl Check {
    /// An EDT is about to satisfy an event with a block that it holds for writing. The first time counts. What it has
    /// written by then, others get without a release. `unwritten`: the EDT has created the block, and no thread has
    /// written it.
    pub(crate) fn passes(
        &self,
        event: Guid,
        block: Guid,
        act: Act,
        before: impl FnOnce() -> Option<ContentBefore>,
        unwritten: impl FnOnce() -> bool,
    ) -> Result<(), Box<Misuse>> {
        // A latch event ignores the block.
        let what = self.history.what(event);
        if !matches!(what, Some(What::Event(_))) || what == Some(What::LATCH) {
            return Ok(());
        }
        let key = (act.who.edt, block);
        if !self.contents.passed.lock().contains_key(&key)
            && let Some(before) = before()
        {
            let seal = self.contents.seals.lock().get(&block).copied();
            let written = match seal.filter(|seal| seal.version == before.print.version) {
                Some(seal) => seal.print != before.print.print,
                None => !unwritten(),
            };
            // If the event has not been created yet, it is not known whether it ignores the block.
            if written && what != Some(What::Event(0)) {
                return Err(self.not_released(event, block, act));
            }
            let passed = PassedBlock { to: event, mode: None, act, before };
            self.contents.passed.lock().insert(key, passed);
        }
        Ok(())
    }

    fn not_released(&self, event: Guid, block: Guid, act: Act) -> Box<Misuse> {
        let Act { call, who, .. } = act;
        let seen = format!("seen in {call}, called by {who}");
        self.by_edt(who, seen, &[block, event], rules::NotReleased { call })
    }

    /// The dependence that an EDT has added, of another one on a block that this one holds for writing, was the last:
    /// the other may begin, or has, as its mode waits for no other EDT.
    pub(crate) fn passes_on(&self, to: Guid, block: Guid, mode: Mode, act: Act, before: ContentBefore) {
        let mut passed = self.contents.passed.lock();
        passed.entry((act.who.edt, block)).or_insert(PassedBlock { to, mode: Some(mode), act, before });
    }

    /// An EDT, which can run now, gets a block through this pre-slot. Notes the EDT or thread that it comes from.
    pub(crate) fn gives(&self, to: Guid, slot: u32, block: Guid) {
        if let Some(act) = self.giver(to, slot, block) {
            self.contents.meanwhile.gives(GivenBlock { block, to, act });
        }
    }

    /// An EDT has destroyed a block. If it has passed it on before, that is a note. An EDT that has acquired it by then
    /// keeps it until the release (2.5.2), and a right program may know otherwise that it has.
    pub(crate) fn note_destroyed_early(&self, who: Who, block: Guid) {
        let Some(GivenBlock { to, act, .. }) = self.contents.meanwhile.given(who.edt, block) else {
            return;
        };
        strict_note_once!(
            "{who} destroyed {block} after it had passed it on to {to} ({}): whether that one has \
             acquired the block by then is chance; where it has not, the block is gone. Let {to} destroy the data block, or an \
             EDT behind it, by its output event (OCR 1.1.0, 2.5.2).",
            act.call,
            block = self.history.name(block),
            to = self.history.name(to)
        );
    }

    /// Notes that an EDT has written a block after it had passed it on to another EDT. That one gets the block without
    /// waiting and could run before the write. It is only a note: the reader may find either content, and a right
    /// program may not mind (1.4.4).
    fn note_written_late(&self, who: Who, block: Guid, reader: (Guid, Mode), act: Act) {
        strict_note_once!("{}.", self.written_late(who, block, reader, act));
    }

    fn written_late(&self, who: Who, block: Guid, (to, mode): (Guid, Mode), act: Act) -> String {
        let (block, to) = (self.history.name(block), self.history.name(to));
        let (mode, call) = (mode.name(), act.call);
        let text = format!(
            "while {who} held it, {block} was written after {call} had made {to} ready to run, which has it in mode {mode}"
        );
        let own = format!(
            "whether {to} finds what was written is chance (OCR 1.1.0, 1.4.4 and 1.6.2). Call ocrDbRelease after the last \
             write and {call} then; or ask for"
        );
        text + &if mode == Mode::Ro.name() {
            format!(
                ". If {who} has written it, {own} DB_MODE_CONST, which waits until all who write the block have released \
             it. If it was {to}: who has a block in mode RO only reads it; ask for DB_MODE_RW or DB_MODE_EW"
            )
        } else {
            format!(": {own} DB_MODE_EW in ocrAddDependence, which waits until all who hold the block have released it")
        }
    }

    /// An EDT that holds a block for writing is about to give it back, with the content that `look` finds, if that can
    /// be known. When it passed the block on, it alone held it so. Another EDT that holds it so by now has written
    /// nothing if it has not begun.
    pub(crate) fn written_after_passing(
        &self,
        who: Who,
        block: Guid,
        look: impl FnOnce() -> Option<Checksum>,
    ) -> Result<(), Box<Misuse>> {
        let passed = self.contents.passed.lock().remove(&(who.edt, block));
        let Some(passed) = passed else {
            return Ok(());
        };
        let Some(now) = look() else {
            return Ok(());
        };
        let PassedBlock { to, mode, act, before } = passed;
        let other_wrote = before.print.version != now.version || before.begun != self.contents.begun(block);
        if other_wrote || before.print.print == now.print {
            return Ok(());
        }
        if let Some(mode) = mode {
            self.note_written_late(who, block, (to, mode), act);
            return Ok(());
        }
        let (suspects, ran) = self.suspects(before.print.since, who, &[]);
        let (by, others) = match suspects[..] {
            [] => (String::new(), String::new()),
            _ => (
                format!(", by {who} or by one that ran meanwhile: {ran}"),
                format!(
                    " If {who} writes nothing behind that call, look for another that does: who has the block in mode \
                     RO or CONST only reads it."
                ),
            ),
        };
        let mut objects = vec![block, to];
        objects.extend(&suspects);
        let seen = format!("seen when {who} gave the block back");
        let call = act.call;
        let broken = rules::WrittenAfterSatisfaction { call, by, others };
        Err(self.by_edt(who, seen, &objects, broken))
    }

    /// Compares a content with its seal; seals it if it is not.
    pub(crate) fn compare(&self, block: Guid, print: Checksum, who: Who, when: When) -> Result<(), Box<Misuse>> {
        let mut seals = self.contents.seals.lock();
        let known = seals.get(&block).copied();
        match known.filter(|seal| seal.version == print.version) {
            None => {
                let seal = Sealed {
                    version: print.version,
                    print: print.print,
                    by: who,
                    called: false,
                    found: None,
                    since: print.since,
                };
                seals.insert(block, seal);
                Ok(())
            }
            Some(mut seal) if seal.print == print.print => {
                if seal.by.edt != who.edt {
                    seal.found = Some((who, when));
                } else if matches!(when, When::Released) {
                    // Behind ocrDbRelease it has not written.
                    seal.called = false;
                }
                // Another thread that looks, too, may have begun to later.
                seal.since = seal.since.max(print.since);
                seals.insert(block, seal);
                Ok(())
            }
            Some(seal) => {
                drop(seals);
                Err(self.wrong_write(block, seal, who, when))
            }
        }
    }

    /// Which other EDTs have run since then, and may have written a block: of each function one, but not of more than a
    /// few. The text names them. `released` are those that have released the block.
    fn suspects(&self, since: Since, but: Who, released: &[Guid]) -> (Vec<Guid>, String) {
        /// The most functions that the message names.
        const FEW: usize = 4;
        let ran = self.contents.meanwhile.ran(since).into_iter();
        let ran: Vec<Guid> = ran.filter(|&edt| edt != but.edt).collect();
        let mut functions = Vec::new();
        let mut named = Vec::new();
        for &edt in &ran {
            let work = self.history.get(edt).and_then(|record| record.work);
            let work = work.map(|work| &work.name);
            if !functions.contains(&work) && named.len() < FEW {
                functions.push(work);
                named.push(edt);
            }
        }
        let name = |edt: &Guid| {
            if released.contains(edt) {
                self.history.name(*edt) + ", which has released it"
            } else {
                self.history.name(*edt)
            }
        };
        let mut words = named.iter().map(name).collect::<Vec<_>>().join("; ");
        if ran.len() > named.len() {
            words += &format!("; and {} more", ran.len() - named.len());
        }
        (named, words)
    }

    fn wrong_write(&self, block: Guid, seal: Sealed, who: Who, when: When) -> Box<Misuse> {
        // How an EDT got the block says where its mode was asked for.
        let mut objects = match when {
            When::Held(..) | When::Released => vec![who.edt, block],
            _ => vec![block],
        };
        let mut seen = when.seen(who);
        let (suspects, ran) = self.suspects(seal.since, who, &self.who_released(block, who));
        match when {
            When::Held(mode, slot) => {
                if let Some(link) = slot.and_then(|at| self.history.connection_beyond(who.edt, at)) {
                    seen += &format!("; {link}");
                }
                objects.extend(&suspects);
                let by = if ran.is_empty() {
                    String::new()
                } else {
                    format!(", by that or by one that ran meanwhile: {ran}")
                };
                let broken = rules::WrittenReadOnly { who, mode: mode.name(), slot: through(slot), by };
                self.by_edt(who, seen, &objects, broken)
            }
            When::Released => {
                objects.extend(&suspects);
                let broken = if ran.is_empty() {
                    Broken::from(rules::WrittenReleased)
                } else {
                    rules::WrittenReleasedByOthers { ran, who }.into()
                };
                self.by_edt(who, seen, &objects, broken)
            }
            When::Begin | When::Freed | When::Shutdown => {
                let done = if seal.called {
                    "called ocrDbRelease for it, which may have written it afterwards"
                } else {
                    "was done with it"
                };
                let found = match seal.found {
                    Some((by, when)) => format!(", and still ({})", when.seen(by)),
                    None => String::new(),
                };
                let since = if ran.is_empty() {
                    "; since then ran no other EDT".to_string()
                } else {
                    format!("; since then ran {ran}")
                };
                let advice = match seal.called {
                    true => advice::UNHELD_BEHIND_RELEASE,
                    false if ran.is_empty() => advice::UNHELD_BY_NO_EDT,
                    false => advice::UNHELD_BY_POINTER,
                };
                let broken = rules::WrittenUnheld { writer: seal.by, done, found, since, advice };
                self.by_edt(who, seen, &objects, broken)
            }
        }
    }
}

/// How an EDT holds a block, behind the mode: nothing of one that it has created.
pub(super) fn through(slot: Option<u32>) -> String {
    slot.map_or(String::new(), |at| format!(", through pre-slot {at}"))
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn every_byte_counts() {
        for len in [1, 7, 8, 9, 16, 63] {
            let mut words = [0u64; 8];
            let start = words.as_mut_ptr().cast::<u8>();
            let plain = fingerprint(start, len);
            for at in 0..len {
                // SAFETY: `at` is less than `len`, and `len` is at most 64, the bytes of `words`, which nothing else
                // borrows now.
                unsafe { start.wrapping_add(at).write(1) };
                assert_ne!(fingerprint(start, len), plain, "{at} of {len}");
                // SAFETY: `at` is less than `len`, and `len` is at most 64, the bytes of `words`, which nothing else
                // borrows now.
                unsafe { start.wrapping_add(at).write(0) };
            }
            assert_eq!(fingerprint(start, len), plain);
            assert_ne!(fingerprint(start, len - 1), plain);
        }
        let swapped = [fingerprint([1u64, 2].as_ptr().cast(), 16), fingerprint([2u64, 1].as_ptr().cast(), 16)];
        assert_ne!(swapped[0], swapped[1]);
    }
}
