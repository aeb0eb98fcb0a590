//! What the EDT that runs on a thread changes of its blocks, as a recording tells it: mode RW says that an EDT may
//! write, and most that have it write a part of the block, or nothing.
//!
//! Before the function runs, words of each block that it may write are kept, and compared when it has returned or
//! releases the block. A block that it gives to others in its midst (by a dependence, an event or a release) has its
//! checksum kept, by which it is seen that the EDT goes on to write it. At most `LOOKED_AT` bytes of a block are looked
//! at, and of blocks that were given away `MOST_LOOKED_AT` words while the EDT runs.

use crate::engine::state::contents::Contents;
use crate::engine::state::context::Context;
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use crate::trace::events;
use crate::trace::format::{CHANGED, CHANGED_SINCE_GIVEN, LOOKED_AT, NOT_LOOKED_AT};
use std::sync::atomic::Ordering;

/// How many of the blocks that were given away last are looked at again at each call that others may begin by, and at
/// the end.
const LOOKED_AT_AGAIN: usize = 16;

/// How many words of blocks that were given away are looked at while an EDT runs: a mebibyte, which takes 0.1 to 1 ms.
/// An EDT that creates thousands of others would otherwise take several times as long where it is recorded. Whether
/// such an EDT goes on to write what it has given away is not seen.
const MOST_LOOKED_AT: usize = (1 << 20) / 8;

/// A checksum of words.
fn checksum(words: impl Iterator<Item = u64>) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    words.fold(1, |sum, word| (sum ^ word).wrapping_mul(MULTIPLIER).rotate_left(29))
}

/// Which 64ths of some words differ, and which words, by their numbers modulo 32.
fn differences(before: &[u64], now: &[u64]) -> (u64, u32) {
    let part = before.len().div_ceil(64).max(1);
    let (mut parts, mut words) = (0, 0);
    for (at, (before, now)) in before.iter().zip(now).enumerate() {
        if before != now {
            parts |= 1 << (at / part).min(63);
            words |= 1 << (at % 32);
        }
    }
    (parts, words)
}

impl Contents {
    /// The words in `now` were looked at, of a block that was given away.
    fn spend(&mut self) {
        self.left = self.left.saturating_sub(self.now.len());
    }
}

impl Context {
    /// Appends the words of a block that are looked at. None if it is not in the host's memory, or is gone.
    fn words_of(&self, guid: Guid, into: &mut Vec<u64>) -> Option<()> {
        const LINE: usize = 64;
        let (block, locked) = self.runtime.objects.data_blocks.lock(guid)?;
        let check = self.runtime.check.as_ref();
        // Strict mode lets no thread touch a block that no EDT holds.
        let is_closed = check.is_some_and(|check| check.contents.closed.has(guid, &locked));
        if is_closed || !block.copies_seen(&locked).host_ready() {
            return None;
        }
        let (start, size) = (block.host_ptr().cast_const(), block.size() as usize);
        // All of a small block; of a large one, lines at equal distances.
        let (lines, apart) = if size <= LOOKED_AT {
            (size.div_ceil(LINE), LINE)
        } else {
            (LOOKED_AT / LINE, (size / (LOOKED_AT / LINE)) & !7)
        };
        for line in 0..lines {
            let line = line * apart;
            let end = size.min(line + LINE);
            for at in (line..end & !7).step_by(8) {
                let word = start.wrapping_add(at).cast::<u64>();
                // SAFETY: the word is within the block, whose memory stays as long as its lock is held; host memory of
                // blocks is aligned to 16, and the part of one to 8, of which `at` is a multiple. The read is volatile
                // and unaligned ones are not made, since the program may write to it now.
                into.push(unsafe { word.read_volatile() });
            }
            if end % 8 != 0 && end == size {
                let mut rest = 0;
                for at in (end & !7)..end {
                    // SAFETY: the byte is within the block, whose memory stays as long as its lock is held. The read is
                    // volatile, since the program may write to it now.
                    rest = rest << 8 | u64::from(unsafe { start.wrapping_add(at).read_volatile() });
                }
                into.push(rest);
            }
        }
        Some(())
    }

    /// Keeps what the blocks of an EDT contain that is about to run and may write them.
    #[cold]
    pub(crate) fn contents_begin(&mut self, edt: &Edt) {
        let mut contents = std::mem::take(&mut self.contents);
        contents.words.clear();
        contents.before.clear();
        contents.given.clear();
        contents.left = MOST_LOOKED_AT;
        for (_, slot) in edt.blocks() {
            if slot.info().mode.writes() {
                let first = contents.words.len();
                let count = self
                    .words_of(slot.data(), &mut contents.words)
                    .map_or(usize::MAX, |()| contents.words.len() - first);
                contents.before.push((slot.data(), first, count));
            }
        }
        self.contents = contents;
    }

    /// Records what the EDT that has returned has changed. Neither this nor [`Context::contents_begin`] is part of the
    /// time that the EDT took.
    #[cold]
    pub(crate) fn contents_end(&mut self) {
        let mut contents = std::mem::take(&mut self.contents);
        for &(block, first, count) in &contents.before {
            let words = contents.words.get(first..first.saturating_add(count));
            self.record_changed(block, words, &mut contents.now);
        }
        for &(block, print) in &contents.given {
            self.record_given(block, print, &mut contents.now);
        }
        contents.before.clear();
        contents.given.clear();
        self.contents = contents;
    }

    /// Records what has changed of a block that had these words; none where it was not looked at.
    fn record_changed(&self, block: Guid, words: Option<&[u64]>, now: &mut Vec<u64>) {
        now.clear();
        let words = words.filter(|words| self.words_of(block, now).is_some() && now.len() == words.len());
        match words.map(|words| differences(words, now)) {
            None => events::changed(block.bits(), NOT_LOOKED_AT, 0, 0),
            Some((0, _)) => {}
            Some((parts, words)) => events::changed(block.bits(), CHANGED, parts, words),
        }
    }

    /// Records that a block has changed since it was given to others, if it has. Returns its checksum now.
    fn record_given(&self, block: Guid, print: u64, now: &mut Vec<u64>) -> u64 {
        now.clear();
        if self.words_of(block, now).is_none() {
            return print;
        }
        let is = checksum(now.iter().copied());
        if is != print {
            events::changed(block.bits(), CHANGED_SINCE_GIVEN, 0, 0);
        }
        is
    }

    /// A call follows by which others may get a block, which is perhaps one that the EDT which runs may write.
    pub(crate) fn contents_given(&mut self, block: Guid) {
        if self.current.is_none() || !block.is_data_block() {
            return;
        }
        let holder = self.holder();
        let is_creator = self.runtime.objects.data_blocks.lock(block);
        let is_creator = is_creator.is_some_and(|(block, _locked)| block.creator.load(Ordering::Relaxed) == holder);
        let writes = is_creator || self.slot_of(block).is_some_and(|slot| slot.info().mode.writes());
        let mut contents = std::mem::take(&mut self.contents);
        if writes && contents.left > 0 && !contents.given.iter().any(|(known, _)| *known == block) {
            contents.now.clear();
            if self.words_of(block, &mut contents.now).is_some() {
                contents.spend();
                if contents.given.len() == LOOKED_AT_AGAIN {
                    contents.given.remove(0);
                }
                contents.given.push((block, checksum(contents.now.iter().copied())));
            }
        }
        self.contents = contents;
    }

    /// A call follows by which others may begin. What was given away and is written up to here is written before them.
    pub(crate) fn contents_go_on(&mut self) {
        if self.current.is_none() || self.contents.given.is_empty() {
            return;
        }
        let mut contents = std::mem::take(&mut self.contents);
        for at in 0..contents.given.len() {
            let (block, print) = contents.given[at];
            contents.given[at].1 = self.record_given(block, print, &mut contents.now);
            contents.spend();
        }
        if contents.left == 0 {
            contents.given.clear();
        }
        self.contents = contents;
    }

    /// A call follows by which the EDT that runs releases a block: what it has changed of that is reported now.
    pub(crate) fn contents_released(&mut self, block: Guid) {
        if self.current.is_none() {
            return;
        }
        let mut contents = std::mem::take(&mut self.contents);
        if let Some(at) = contents.before.iter().position(|(known, ..)| *known == block) {
            let (_, first, count) = contents.before.swap_remove(at);
            let words = contents.words.get(first..first.saturating_add(count));
            self.record_changed(block, words, &mut contents.now);
        }
        self.contents = contents;
        self.contents_given(block);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_in_words_and_halves_in_parts() {
        let before = vec![0; 512];
        let with = |at: &[usize]| {
            let mut now = before.clone();
            at.iter().for_each(|&at| now[at] = 1);
            differences(&before, &now)
        };
        let (first, second) = (with(&[0]), with(&[1]));
        assert_eq!(first.0, second.0, "they share a 64th");
        assert_eq!(first.1 & second.1, 0);
        let low: Vec<usize> = (0..256).collect();
        let high: Vec<usize> = (256..512).collect();
        assert_eq!(with(&low).0 & with(&high).0, 0);
        assert_eq!(with(&[]), (0, 0));
        assert_ne!(checksum([1, 2].into_iter()), checksum([2, 1].into_iter()));
    }
}
