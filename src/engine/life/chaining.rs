//! Kernels enqueued ahead: behind the one they wait for, before that has ended.
//!
//! Without this, a chain of kernel EDTs costs a way through two threads for each link: OpenCL tells the
//! manager that a kernel has ended, the manager ends its EDT, and only then the next kernel can be
//! enqueued, while the device does nothing. But once a kernel is enqueued, it is known what its EDT
//! will return, and OpenCL can keep the order. So when the *first* EDT's kernel has been enqueued,
//! the EDT that waits for its output event, and for nothing else, is its *follower*: it gets its
//! data as if the first had ended, and its kernel is enqueued behind.
//!
//! # What must hold
//!
//! - No EDT but the follower sees anything of the first EDT's end before it has ended. So there is a
//!   follower only if it is the one pre-slot that waits for the event; pre-slots that come later
//!   wait as usual. It counts as an EDT that has its dependences from then on, as it might have
//!   anyway, since the first could have ended at that moment.
//! - The kernels run one after the other: the manager orders launches that use one block if one of
//!   them writes it ([`crate::device`], "lanes"). So they must have such a block in common.
//! - The rules of blocks. The follower gets each of its blocks if it would get it at once, with no EDT in
//!   the queue; or the first, if it alone has the block (but for RO) and no EDT waits for it, hands its
//!   hold on, which is in EW mode then, so that no other EDT can come in before both have ended. A block
//!   that is written once is not given to a second writer before the first has released it. If
//!   neither can be, the follower gets its blocks as usual when the first has ended. So no EDT that
//!   waits for a block is passed, and none waits while it holds one out of order.
//! - The follower ends after the first, whichever the manager sees first: its answer is kept until then.
//! - If the first fails, its follower does ([`crate::device::ManagerEvents`]). Where the first runs anew, the follower
//!   then gives its blocks back and waits for the output event of the first, as if it had never been taken from there.
//!   The first goes on when all that follow it were answered: one that was not enqueued yet is refused
//!   ([`crate::device::Launch::follows`]).
//!
//! Strict mode, which looks at the holders of each block, goes without. All of this happens on the
//! manager's thread, whose context has the books; a launch that is not enqueued at once has a follower
//! when it is.

use crate::engine::state::chained::LaunchResult;
use crate::engine::state::chained::{Enqueued, Follower};
use crate::engine::state::context::Context;
use crate::engine::state::end::Interrupt;
use crate::memory;
use crate::object::data_block::DataBlock;
use crate::object::edt::{Edt, EdtRef, NO_SLOT, PreSlot, SlotInfo};
use crate::object::guid::Guid;

impl Context {
    /// The kernel of an EDT has been enqueued.
    pub(crate) fn enqueued(&mut self, first: &'static Edt) {
        let runtime = self.runtime;
        if !first.has_output_inside()
            || self.chained.enqueued.len() >= *runtime.settings.device_ahead
            || runtime.check.is_some()
            || runtime.end.is_ending()
            || runtime.end.is_called_to(Interrupt::CHECKPOINT)
        {
            return;
        }
        let place = first.place.get();
        let fits = |edt: &Edt| edt.work().kernel_on(place).is_some();
        let result = result_of(first);
        let Some(successor) = self.graph().take_follower(first, result, fits) else {
            return;
        };
        let (edt, link) = successor;
        let successor = edt.get();
        self.chained.followers.insert(token(first), Follower { edt, link });
        // Placed as if the first had ended: what is enqueued ahead is no load.
        let used = runtime.devices.used(place);
        used.begin_chained();
        self.place(successor);
        self.order_blocks(successor);
        if successor.place.get() == place && self.acquire_for_successor(first, successor) {
            self.tally.counts.kernels_ahead.add(1);
            let (first, answer) = (token(first), None);
            let enqueued = Enqueued { first, answer };
            self.chained.enqueued.insert(token(successor), enqueued);
            self.locked(successor);
        } else {
            used.end_chained();
        }
        self.work_off();
    }

    /// Whether the answer is kept for later, since the EDT's kernel was enqueued behind one whose answer
    /// has not come.
    pub(crate) fn keeps(&mut self, edt: &Edt, answer: LaunchResult) -> Result<(), LaunchResult> {
        if self.chained.enqueued.is_empty() {
            return Err(answer);
        }
        match self.chained.enqueued.get_mut(&token(edt)) {
            Some(kept) => {
                kept.answer = Some(answer);
                Ok(())
            }
            None => Err(answer),
        }
    }

    /// The launch that this EDT's follows, if it was enqueued ahead.
    pub(crate) fn follows(&self, edt: &Edt) -> Option<usize> {
        if self.chained.enqueued.is_empty() {
            return None;
        }
        Some(self.chained.enqueued.get(&token(edt))?.first)
    }

    /// An answer was kept: whether it was the one for which an EDT waits that is to run anew.
    pub(crate) fn set_aside(&mut self, edt: &Edt) -> Option<(&'static Edt, LaunchResult)> {
        if self.chained.aside.is_empty() {
            return None;
        }
        let mut first = token(edt);
        while let Some(enqueued) = self.chained.enqueued.get(&first) {
            first = enqueued.first;
        }
        let (edt, error) = self.chained.aside.remove(&first)?;
        Some((edt.get(), Err(error)))
    }

    /// If the kernel of an EDT that nothing is before has failed, and it may run anew: those that follow it wait for
    /// its end. None if not all of them have been answered: then it is set aside.
    pub(crate) fn without_followers(&mut self, edt: &'static Edt, answer: LaunchResult) -> Option<LaunchResult> {
        let mut error = match answer {
            Err(error) if error.inputs_intact => error,
            answer => return Some(answer),
        };
        let mut chain = vec![edt];
        while let Some(successor) = self.chained.followers.get(&token(chain[chain.len() - 1])) {
            let successor = successor.edt;
            chain.push(successor.get());
            let Some(enqueued) = self.chained.enqueued.get(&successor.token()) else {
                // The successor was never launched.
                break;
            };
            match &enqueued.answer {
                None => {
                    let set_aside = (EdtRef::new(edt), error);
                    self.chained.aside.insert(token(edt), set_aside);
                    return None;
                }
                Some(Err(also)) if also.inputs_intact => {}
                // The successor has written what the first kernel would read.
                Some(_) => {
                    error.inputs_intact = false;
                    return Some(Err(error));
                }
            }
        }
        let mut pairs = chain.windows(2).rev();
        if !pairs.all(|pair| self.unfollow(pair[0], pair[1])) {
            // The program has destroyed the event that would tell it when the first has ended.
            error.inputs_intact = false;
        }
        Some(Err(error))
    }

    /// Has a follower wait for the end of the first. False if it cannot.
    fn unfollow(&mut self, first: &'static Edt, edt: &'static Edt) -> bool {
        let Some(successor) = self.chained.followers.remove(&token(first)) else {
            return false;
        };
        if self.chained.enqueued.remove(&token(edt)).is_some() {
            self.runtime.devices.used(edt.place.get()).end_chained();
            let blocks = &self.runtime.objects.data_blocks;
            for (_, slot) in edt.blocks() {
                let (block, info) = (blocks.pinned(slot.data()), slot.info());
                let held = first.blocks().map(|(_, held)| held);
                let mut held = held.filter(|held| held.data() == slot.data());
                match held.find(|_| info.handed) {
                    Some(held) => self.hand_back(first, held, block),
                    None => {
                        let left = memory::release_unused(block, info.mode, &mut self.steps.granted);
                        self.dispose_if(block, left);
                    }
                }
            }
        }
        self.graph().put_back_follower(first, edt, successor.link)
    }

    /// An EDT has a block again that it had handed on.
    fn hand_back(&mut self, first: &Edt, held: &PreSlot, block: &DataBlock) {
        held.set_info(SlotInfo { released: false, ..held.info() });
        let (mode, place) = (held.info().held_mode(), first.place.get());
        memory::hand_back(block, mode, place, &mut self.steps.granted);
    }

    /// An EDT with this token has ended: lets its follower begin if it could not be enqueued ahead. If
    /// its answer has come, that must be looked at now.
    pub(crate) fn follow(&mut self, first: usize) -> Option<(&'static Edt, LaunchResult)> {
        if self.chained.followers.is_empty() {
            return None;
        }
        let successor = self.chained.followers.remove(&first)?.edt.get();
        match self.chained.enqueued.remove(&token(successor)) {
            Some(enqueued) => {
                self.runtime.devices.used(successor.place.get()).end_chained();
                Some((successor, enqueued.answer?))
            }
            None => {
                self.acquire_rest(successor);
                None
            }
        }
    }

    /// The answer that was kept for the follower of an EDT, in a run that ends.
    pub(crate) fn kept_behind(&mut self, first: &Edt) -> Option<(&'static Edt, LaunchResult)> {
        let successor = self.chained.followers.remove(&token(first))?.edt.get();
        let answer = self.chained.enqueued.remove(&token(successor))?.answer?;
        Some((successor, answer))
    }

    /// Acquires all blocks of a follower, without waiting. False if that cannot be, and then it has none.
    fn acquire_for_successor(&mut self, first: &Edt, successor: &Edt) -> bool {
        let blocks = &self.runtime.objects.data_blocks;
        let of_first = |data: Guid| {
            let mut held = first.blocks().map(|(_, slot)| slot);
            held.find(|slot| slot.data() == data && !slot.info().released)
        };
        let ordered = successor.blocks().any(|(_, slot)| {
            of_first(slot.data()).is_some_and(|held| {
                let writes = held.info().mode.writes() || slot.info().mode.writes();
                writes && blocks.pinned(slot.data()).size() != 0
            })
        });
        if !ordered {
            return false;
        }
        let mut had: Vec<(&PreSlot, SlotInfo, Option<&PreSlot>)> = Vec::new();
        for (_, slot) in successor.blocks() {
            let (data, info) = (slot.data(), slot.info());
            if memory::try_acquire(blocks, data, successor, info.mode) {
                had.push((slot, info, None));
                continue;
            }
            let held = of_first(data);
            let held = held.filter(|held| memory::hand_on(blocks.pinned(data), held.info().held_mode()));
            if let Some(held) = held {
                // The end of the first does not release it any more.
                held.set_info(SlotInfo { released: true, ..held.info() });
                slot.set_info(SlotInfo { handed: true, ..info });
                had.push((slot, info, Some(held)));
                continue;
            }
            for (slot, info, held) in had {
                let block = blocks.pinned(slot.data());
                match held {
                    Some(held) => {
                        slot.set_info(info);
                        self.hand_back(first, held, block);
                    }
                    None => {
                        let left = memory::release_unused(block, info.mode, &mut self.steps.granted);
                        self.dispose_if(block, left);
                    }
                }
            }
            successor.begin_locking();
            return false;
        }
        successor.cursor.set(NO_SLOT);
        true
    }
}

/// What an EDT whose kernel runs returns.
pub(crate) fn result_of(edt: &Edt) -> Guid {
    let kernel = &edt.work().kernels[edt.variant.get() as usize];
    let slot = edt.slots().get(kernel.result_slot as usize);
    slot.map_or(Guid::NULL, crate::object::edt::PreSlot::data)
}

fn token(edt: &Edt) -> usize {
    EdtRef::new(edt).token()
}
