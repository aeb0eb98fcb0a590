//! How cores are lent and given back: who looks when is in the table of [`super`].

use super::{CHANGES, LOOK, Lending, LendingState};
use crate::cores::{self, CoreSet};
use crate::device;
use crate::engine::state::devices::{Devices, OpenDevice};
use crate::engine::state::runtime::Runtime;
use crate::trace;
use crate::trace::events;
use crate::trace::format::Counter;
use ocr_place::cores::{lent_for, workers_beside};
use ocr_place::place::Place;
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl Devices {
    /// A launch is about to be sent to a device, by a worker or not: if the device computes on the cores of the
    /// workers, it gets some.
    pub(crate) fn lend(&self, runtime: &Runtime, device: Place, by_worker: bool) {
        if let Some(lending) = self.lending_for(device) {
            lending.begin(runtime, self.in_use(), by_worker);
        }
    }

    /// The manager of a device is about to sleep: sees whether the device is to have more cores of the workers', or
    /// fewer. For how long the manager sleeps then, at most.
    pub(crate) fn look_at_lent(&self, runtime: &Runtime, device: Place) -> Option<Duration> {
        // A manager may sleep before all devices are there.
        self.in_use().get(device.device_index()?)?;
        self.lending_for(device)?.look(runtime, self.in_use())
    }

    /// Waits for the launches that were sent, when the workers have ended. Devices take no others.
    pub(crate) fn end_launches(&self, runtime: &Runtime) {
        let give_all = || {
            if let Some(lending) = self.sharing.lending() {
                lending.end(runtime, self.in_use());
            }
        };
        give_all();
        for used in self.in_use() {
            used.manager.end_launches();
        }
        give_all();
    }
}

impl Lending {
    /// A launch is about to be sent.
    fn begin(&self, runtime: &Runtime, used: &[OpenDevice], by_worker: bool) {
        if self.lent.load(Ordering::Relaxed) != 0 {
            return;
        }
        let mut state = self.state.lock();
        if self.lent.load(Ordering::Relaxed) == 0 && !state.is_over {
            let is_busy = is_host_busy(runtime, by_worker);
            let lent = lent_for(self.cores, launches(used) + 1, is_busy);
            self.lend(runtime, used, &mut state, lent);
        }
    }

    /// The manager of a device is about to sleep. For how long at most, as far as cores are concerned.
    fn look(&self, runtime: &Runtime, used: &[OpenDevice]) -> Option<Duration> {
        let lent = self.lent.load(Ordering::Relaxed);
        let launches = launches(used);
        if lent == 0 && launches == 0 {
            return None;
        }
        let mut state = self.state.lock();
        if state.is_over {
            return None;
        }
        let lent = self.lent.load(Ordering::Relaxed);
        let since = state.changed.map_or(LOOK, |changed| changed.elapsed());
        // A thread that waits for a core which no other needs gets it at once.
        let at_once = launches == 0 && (lent == self.cores || runtime.queues.any_work());
        if since < LOOK && !at_once && lent != 0 {
            return Some(LOOK - since);
        }
        let wanted = lent_for(self.cores, launches, is_host_busy(runtime, false));
        self.lend(runtime, used, &mut state, wanted);
        (wanted != 0).then_some(LOOK)
    }

    /// The workers have ended. Kernels that still run have all cores, and so have the threads of drivers, which are
    /// there after the run. Called again when the kernels have ended.
    fn end(&self, runtime: &Runtime, used: &[OpenDevice]) {
        let mut state = self.state.lock();
        state.is_over = true;
        let lent = lent_for(self.cores, launches(used), false);
        self.lend(runtime, used, &mut state, lent);
    }

    fn lend(&self, runtime: &Runtime, used: &[OpenDevice], state: &mut LendingState, lent: usize) {
        let before = self.lent.load(Ordering::Relaxed);
        if before == lent {
            return;
        }
        let now = Instant::now();
        if let Some(changed) = state.changed.replace(now) {
            state.lent_time += (now - changed) * before as u32;
        }
        self.lent.store(lent, Ordering::Relaxed);
        let part = |lent: usize| if lent == self.cores { 0 } else { lent };
        if part(before) == part(lent) {
            return;
        }
        if part(lent) != 0 && part(before) == 0 {
            state.stood += 1;
        }
        let workers = workers_beside(self.workers, lent, self.cores);
        runtime.seats.limit_to(runtime, workers);
        if self.binds {
            self.bind(runtime, used, state, part(lent));
            if trace::is_on() {
                record(used, part(lent));
            }
        }
        // Where no thread is bound, kernels have all.
        let is_part = part(lent) != 0 && !state.drivers.is_empty();
        let part = if is_part { lent as f64 / self.cores as f64 } else { 1.0 };
        if state.parts.len() == CHANGES {
            state.parts.pop_front();
        }
        state.parts.push_back((Instant::now(), part));
    }

    /// Binds all threads, so that devices have so many cores of their own; 0: everybody has all. Where a device has no
    /// thread of a driver's, none is bound.
    fn bind(&self, runtime: &Runtime, used: &[OpenDevice], state: &mut LendingState, lent: usize) {
        let (of_workers, of_devices) = match lent {
            0 => (self.all.clone(), self.all.clone()),
            lent => self.all.split(self.all.count() * lent / self.cores),
        };
        let had_part = state.sides.is_some();
        if had_part {
            // Those that start threads first. So none is started later with the cores from before.
            let _ = runtime.seats.bind(&of_workers);
        }
        self.see_new(state, [&of_workers, &of_devices]);
        if state.drivers.is_empty() && !had_part {
            return;
        }
        // What the system refuses stays where it is, and is as fast as the system has it.
        if !had_part {
            let _ = runtime.seats.bind(&of_workers);
        }
        for &thread in &state.drivers {
            let _ = of_devices.bind(thread);
        }
        let cpus = used.iter().filter(|used| used.is_cpu());
        let managers = || cpus.clone().map(|used| used.manager.thread_number());
        for manager in managers() {
            let _ = of_devices.bind(manager);
        }
        // On its one core, a manager that goes first lengthens each kernel by what it does beside it.
        if lent == 1 {
            let have_to = managers().filter(|&manager| cores::let_others_finish(manager)).count();
            state.managers_wait |= have_to != 0;
        } else if state.managers_wait {
            managers().chain(state.drivers.iter().copied()).for_each(cores::go_first_again);
            state.managers_wait = false;
        }
        state.sides = (lent != 0).then_some((of_workers, of_devices));
    }

    /// Looks for threads that were started since the last look. Those of drivers are the devices' from now on, and the
    /// others get the cores that their side has now, if they have those that it had before.
    fn see_new(&self, state: &mut LendingState, now: [&CoreSet; 2]) {
        let there: Vec<i32> = device::threads_of_process().collect();
        state.drivers.retain(|thread| there.contains(thread));
        let mut seen = HashSet::with_capacity(there.len());
        for thread in there {
            if state.seen.contains(&thread) {
                seen.insert(thread);
                continue;
            }
            if self.is_told && device::is_thread_of_driver(thread) {
                state.drivers.push(thread);
                seen.insert(thread);
                continue;
            }
            let mut side = None;
            if let (Some((workers, devices)), Ok(cores)) = (&state.sides, CoreSet::of_thread(thread)) {
                let had = [workers, devices].into_iter().position(|had| *had == cores);
                side = had.map(|side| now[side]);
            }
            if let Some(cores) = side {
                let _ = cores.bind(thread);
            }
            // One that has a part is to follow its side again.
            if side.is_none_or(|cores| *cores == self.all) {
                seen.insert(thread);
            }
        }
        state.seen = seen;
    }
}

/// Records how many cores the CPU devices have from now on; 0 stands for all.
fn record(used: &[OpenDevice], lent: usize) {
    for (index, used) in used.iter().enumerate().filter(|(_, used)| used.is_cpu()) {
        let units = match lent {
            0 => used.whole_units as usize,
            lent => lent.min(used.whole_units as usize),
        };
        events::counter(Counter::Cores, Place::device(index).number() as u8, units as u64);
    }
}

/// How many launches the CPU devices have.
fn launches(used: &[OpenDevice]) -> usize {
    let cpus = used.iter().filter(|used| used.is_cpu());
    cpus.map(|used| used.manager.load()).sum()
}

/// Whether workers have something to do, but for the one that asks.
fn is_host_busy(runtime: &Runtime, by_worker: bool) -> bool {
    let state = runtime.queues.sleep.state();
    let at_rest = state.searching() + state.sleeping() + usize::from(by_worker);
    runtime.queues.any_work() || at_rest < runtime.workers_left()
}
