//! Threads that wait for an event in a call: of the program, or of a worker whose EDT waits.
//!
//! What stands for such a thread in the graph is an EDT with the flag [`WAITER`]: its first pre-slot
//! is connected to the event, so events of every kind are waited for in the same way, chains of
//! them too, and a data block is brought from the device where it is. It acquires the block in RO
//! mode, which excludes nobody. It never runs: when it has its block, whoever brought it so far
//! wakes the thread (`Context::wake`).
//!
//! When the run ends and no EDT runs any more, the waiting ends, too, unless the answer is on its way already
//! (`Runtime::answer_comes`), or may be: while other threads of the program are in calls, or kernels run, what they lead
//! to may end in one. An EDT that stands for a thread and is in the queue of a block stays there.
//!
//! While an EDT of this kind waits, the message about a hang shows it as the thread.

use super::Runtime;
use super::context::Context;
use super::create::{NotCreated, Output};
use super::departure;
use super::own::Own;
use super::seats::Away;
use crate::graph::Refused;
use crate::memory;
use crate::object::edt::{Edt, Mode, WAITER, WAITING};
use crate::object::event::TRIGGERED;
use crate::object::guid::Guid;
use crate::object::place::Place;
use crate::object::waiting::Wake;
use crate::object::work::EdtDep;
use crate::report::tally::{Label, Wait};
use crate::sync::{Spin, dawdle};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// What the waiting EDTs are called in messages.
pub const WAITER_NAME: &str = "ocrLegacyBlockProgress";

/// What an event was satisfied with.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The data block, or `NULL_GUID`.
    pub data: Guid,
    /// Its memory; null without.
    pub address: *mut u8,
    /// Its size in bytes.
    pub size: u64,
}

// SAFETY: it says where memory is; who may use that when, the program has to know.
unsafe impl Send for Answer {}

/// No data.
const NOTHING: Answer = Answer {
    data: Guid::NULL,
    address: ptr::null_mut(),
    size: 0,
};

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoAnswer {
    /// The GUID names no event.
    NoSuchEvent,
    /// No memory.
    OutOfMemory,
    /// The runtime ends.
    Ending,
    /// The caller has paused the runtime: nobody could satisfy the event.
    Paused,
}

#[derive(Clone, Copy)]
enum State {
    Waiting,
    Answered(Answer),
    Ending,
}

/// Whether an answer is on its way to a thread that waits.
enum Comes {
    Yes,
    /// Its EDT is in the queue of a block, or just being given that; or it waits for an event that may be about to be
    /// satisfied.
    Perhaps,
    No,
}

/// A thread that waits.
struct Sleeper {
    state: Mutex<State>,
    changed: Condvar,
    /// Its EDT is in the queue of a block, or a device could not bring the block.
    stuck: AtomicBool,
}

/// All threads that wait.
#[derive(Default)]
pub struct Waits(Mutex<Vec<Weak<Sleeper>>>);

impl Waits {
    fn add(&self, sleeper: &Arc<Sleeper>) {
        let mut all = self.0.lock();
        all.retain(|other| other.strong_count() != 0);
        all.push(Arc::downgrade(sleeper));
    }

    /// Ends all waiting. Those that waited count as work in flight, as if they had an answer.
    pub(super) fn cancel_all(&self, runtime: &Runtime) {
        for sleeper in self.0.lock().iter().filter_map(Weak::upgrade) {
            sleeper.wake(runtime, State::Ending);
        }
    }
}

impl Sleeper {
    fn new() -> Arc<Sleeper> {
        Arc::new(Sleeper {
            state: Mutex::new(State::Waiting),
            changed: Condvar::new(),
            stuck: AtomicBool::new(false),
        })
    }

    /// Ends the waiting, if it has not ended: the thread is work in flight from before it is woken until
    /// it has gone on so far that it is seen to do so. An answer outdoes the end of the program, for
    /// those that know that it comes (`wait_for_last`).
    fn wake(&self, runtime: &Runtime, with: State) {
        runtime.begin_outside();
        dawdle(8);
        let waited = {
            let mut state = self.state.lock();
            let waited = matches!(*state, State::Waiting);
            if waited || matches!((*state, with), (State::Ending, State::Answered(_))) {
                *state = with;
                self.changed.notify_one();
            }
            waited
        };
        if !waited {
            runtime.end_outside();
        }
    }

    /// Waits when the run has ended, as long as an answer `comes`, or may be what others do leads to one.
    fn wait_for_last(
        &self,
        mut comes: impl FnMut() -> Comes,
        mut others_act: impl FnMut() -> bool,
    ) -> State {
        let mut state = self.state.lock();
        loop {
            // In this order: what a call leads to is there when it has ended.
            let (act, comes) = MutexGuard::unlocked(&mut state, || (others_act(), comes()));
            let answered = matches!(*state, State::Answered(_));
            if answered || !(matches!(comes, Comes::Yes) || act && matches!(comes, Comes::Perhaps))
            {
                return *state;
            }
            self.changed.wait_for(&mut state, Duration::from_millis(1));
        }
    }

    fn wait(&self) -> State {
        let mut state = self.state.lock();
        loop {
            match *state {
                State::Waiting => self.changed.wait(&mut state),
                other => return other,
            }
        }
    }
}

/// The function of the waiting EDTs, which do not run.
unsafe extern "C" fn nothing(_: u32, _: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
    Guid::NULL
}

impl Context {
    /// Waits, in a call of this name, until an event is satisfied. In an EDT, another thread runs EDTs
    /// meanwhile.
    pub fn wait_for(&mut self, event: Guid, call: &'static str) -> Result<Answer, NoAnswer> {
        let runtime = self.runtime;
        if !event.is_event() {
            return Err(NoAnswer::NoSuchEvent);
        }
        if self.has_paused() {
            return Err(NoAnswer::Paused);
        }
        let sleeper = Sleeper::new();
        let edt = self.create_waiter(event, &sleeper)?;
        // Not before: whoever ends all waiting would take away an answer that is on its way.
        runtime.waits.add(&sleeper);
        let label = None;
        let mut state = self.sleep(&sleeper, Wait { call, event, label });
        if matches!(state, State::Ending) {
            let calls = &self.tally.now.calls;
            calls.set_idle(true);
            state = sleeper.wait_for_last(
                || runtime.answer_comes(edt, event, &sleeper),
                || runtime.registry.others_call(&self.tally) || runtime.any_launch(),
            );
            calls.set_idle(false);
        }
        match state {
            State::Answered(answer) => {
                self.answered.add(self.holder(), answer.data);
                self.has_belongings |= self.current.is_some();
                Ok(answer)
            }
            _ => {
                // If it can be destroyed, nobody will wake this thread. If not, it is in the queue of a block that
                // nobody gives back any more, or somebody is about to wake this thread, and has the sleeper.
                if self.destroy_edt(edt).is_ok() {
                    // SAFETY: made by `into_raw` for the EDT, which is no more.
                    drop(unsafe { Arc::from_raw(Arc::as_ptr(&sleeper)) });
                }
                Err(NoAnswer::Ending)
            }
        }
    }

    /// Waits, in a call of this name, until it is with a label as wanted: `watch` is given what is to be
    /// called then, once. False if the program ends meanwhile, or the caller has paused it.
    pub fn wait_until(
        &mut self,
        label: Label,
        call: &'static str,
        watch: impl FnOnce(Wake),
    ) -> bool {
        let runtime = self.runtime;
        if self.has_paused() {
            return false;
        }
        let sleeper = Sleeper::new();
        let waits = sleeper.clone();
        watch(Box::new(move || {
            waits.wake(runtime, State::Answered(NOTHING));
        }));
        runtime.waits.add(&sleeper);
        let (event, label) = (Guid::NULL, Some(label));
        matches!(
            self.sleep(&sleeper, Wait { call, event, label }),
            State::Answered(_)
        )
    }

    /// Sleeps until it is woken, with an answer or because the program has ended.
    fn sleep(&mut self, sleeper: &Sleeper, wait: Wait) -> State {
        let runtime = self.runtime;
        departure::check_fork(wait.call);
        *self.tally.now.waits.lock() = Some(wait);
        // A thread that runs EDTs, or an EDT that has left its seat.
        let worker = self.local.is_some() || self.away != Away::No;
        if worker {
            self.settle_up();
            self.leave_seat();
        } else {
            runtime.resting.begin();
        }
        dawdle(8);
        runtime.cancel_if_over();
        dawdle(8);
        runtime.check_halt();
        let calls = &self.tally.now.calls;
        calls.set_idle(true);
        let state = sleeper.wait();
        calls.set_idle(false);
        if worker {
            self.come_back();
        } else {
            // It is one of the program's free threads again, and seen as that.
            runtime.resting.end();
            runtime.end_outside();
        }
        *self.tally.now.waits.lock() = None;
        state
    }

    /// Creates the EDT that stands for this thread.
    fn create_waiter(&mut self, event: Guid, sleeper: &Arc<Sleeper>) -> Result<Guid, NoAnswer> {
        let param = Arc::into_raw(sleeper.clone()) as u64;
        let created = self.create_own(Own {
            function: nothing,
            name: WAITER_NAME,
            params: &[param],
            depc: 2,
            output: Output::None,
            // The scope of the caller may be what is waited for.
            in_scope: false,
        });
        let edt = *created.as_ref().unwrap_or(&Guid::NULL);
        let linked = created.is_ok() && {
            if let Some((waiter, _locked)) = self.runtime.objects.edts.lock(edt) {
                waiter.flags.set(waiter.flags.get() | WAITER);
            }
            // The second pre-slot has kept it from going on.
            self.connect_waiter(event, edt)
                .and_then(|()| {
                    self.with_graph(|graph| graph.add_dependence(Guid::NULL, edt, 1, Mode::Null))
                })
                .is_ok()
        };
        if linked {
            return Ok(edt);
        }
        let _ = self.destroy_edt(edt);
        // SAFETY: made above, and the EDT, if there was one, is no more.
        drop(unsafe { Arc::from_raw(Arc::as_ptr(sleeper)) });
        Err(match created {
            Err(NotCreated::OutOfMemory) => NoAnswer::OutOfMemory,
            _ => NoAnswer::NoSuchEvent,
        })
    }

    /// Connects the EDT that stands for a thread to the event; where another thread opens that, when it has:
    /// it waits for nobody.
    fn connect_waiter(&mut self, event: Guid, edt: Guid) -> Result<(), Refused> {
        let spin = Spin::default();
        loop {
            match self.with_graph(|graph| graph.add_dependence(event, edt, 0, Mode::Ro)) {
                Err(Refused::Opening) => spin.wait(),
                connected => return connected,
            }
        }
    }

    /// Wakes the thread that an EDT stands for, which has what it waited for.
    pub(super) fn wake(&mut self, edt: &'static Edt) {
        let data = edt.slots()[0].data();
        let mut answer = Answer { data, ..NOTHING };
        for (_, slot) in edt.blocks() {
            let block = self.runtime.objects.data_blocks.pinned(slot.data());
            if let Some(check) = &self.runtime.check {
                // Who gets the address uses it without holding the block.
                check.contents.closed.keep_open(slot.data());
            }
            answer.address = block.host_ptr();
            answer.size = block.size();
            let mode = slot.info().mode;
            let left = memory::release(block, mode, Place::HOST, &mut self.granted);
            self.dispose_if(block, left);
        }
        let sleeper = edt.params()[0] as *const Sleeper;
        self.runtime.objects.edts.free(&mut self.caches.edts, edt);
        // SAFETY: made by `into_raw` for this EDT, which gets here once.
        let sleeper = unsafe { Arc::from_raw(sleeper) };
        sleeper.wake(self.runtime, State::Answered(answer));
    }
}

/// The EDT that stands for a thread waits for what may never come, as the turn at a block, or does not any more.
pub(super) fn set_stuck(edt: &Edt, stuck: bool) {
    sleeper_of(edt).stuck.store(stuck, Ordering::SeqCst);
}

/// The thread that an EDT stands for, which has not been woken.
fn sleeper_of(edt: &Edt) -> &Sleeper {
    let sleeper = edt.params()[0] as *const Sleeper;
    // SAFETY: made by `into_raw` for this EDT, to which it belongs until that is gone.
    unsafe { &*sleeper }
}

impl Runtime {
    /// When the run ends and no EDT runs any more, nobody will satisfy anything: ends all waiting.
    /// Called by who ends the run, who is the last to stop running EDTs, and who begins to wait.
    pub(super) fn cancel_if_over(&self) {
        let over = self.end.is_ending() && self.seats.lock().at_work(self) == 0;
        if over {
            self.waits.cancel_all(self);
        }
    }

    /// Whether somebody is about to bring what a thread waits for that this EDT stands for. When the run has
    /// ended, that is left of what was satisfied before: by a call that still goes on, or from a device.
    fn answer_comes(&self, edt: Guid, event: Guid, sleeper: &Sleeper) -> Comes {
        let waits = self.objects.edts.lock(edt).and_then(|(edt, locked)| {
            let connected = !edt.slots()[0].is_unconnected();
            (locked.word.state() == WAITING).then_some(connected)
        });
        match waits {
            // The event may be another one on the label, and the pre-slot open again.
            Some(connected) if connected && self.is_satisfied(event) => Comes::Yes,
            // Somebody may be on the way from an event that this one depends on.
            Some(true) => Comes::Perhaps,
            Some(false) => Comes::No,
            None if sleeper.stuck.load(Ordering::SeqCst) => Comes::Perhaps,
            None => Comes::Yes,
        }
    }

    /// Whether an event has been satisfied and still exists.
    pub fn is_satisfied(&self, event: Guid) -> bool {
        let event = self.objects.events.lock(event);
        event.is_some_and(|(_, locked)| locked.word.state() == TRIGGERED)
    }
}
