//! Lanes on a queue of their own: what is held back, and what lets it go.

use crate::device::opencl::lane::{BEHIND, COMPUTE, HELD, LaneNeeds, Lanes, Ticket};
use crate::device::opencl::raw::{CommandQueue, CommandState, OpenclContext, OpenclKernel};
use crate::device::tests::*;

const MOST: usize = 2 * HELD;

struct Lab {
    /// Dropped first: nothing is released behind a gate.
    lanes: Lanes<()>,
    context: OpenclContext,
    kernel: OpenclKernel,
}

impl Lab {
    /// Lanes of which two compute; none where there is no device.
    fn new() -> Option<Lab> {
        let device = device()?.id;
        let context = OpenclContext::new(device).expect("a context");
        let program = context.program(b"kernel void nothing() {}").expect("text");
        program.build(device, c"").expect("it builds");
        let kernel = program.kernel(c"nothing").expect("a kernel");
        let queue = |_| CommandQueue::new(&context, device).expect("a queue");
        let lanes = Lanes::new((0..COMPUTE + 2).map(queue).collect(), false);
        Some(Lab { lanes, context, kernel })
    }

    /// Enqueues an empty kernel, which is held back.
    fn send(&mut self, needs: &LaneNeeds) -> Ticket {
        self.lanes.let_go_enough();
        self.lanes.hold(&self.context, MOST);
        let lane = self.lanes.choose(needs);
        let waits = self.lanes.waits(lane, needs).expect("events");
        // SAFETY: the kernel has no arguments, so none is unset, and no buffer has to outlive it.
        let event = unsafe { (self.lanes.queue(lane)).run(&self.kernel, &range(1, None), &waits) };
        self.lanes.push(lane, event.expect("it is enqueued"), *needs, ())
    }

    /// The device is asked to execute what is in a lane, as it may do of itself.
    fn urge(&self, lane: usize) {
        self.lanes.queue(lane).flush().expect("a flush");
        std::thread::sleep(Duration::from_millis(20));
    }

    fn is_done(&mut self, ticket: Ticket) -> bool {
        let pending = self.lanes.pending(ticket).expect("it has not been taken");
        let state = pending.event.state();
        assert!(!matches!(state, CommandState::Failed(_) | CommandState::Untold(_)), "{state:?}");
        state == CommandState::Done
    }

    fn finish(&mut self, ticket: Ticket) {
        let pending = self.lanes.pending(ticket).expect("it has not been taken");
        pending.event.wait().expect("it does not fail");
    }
}

fn needs(ticket: Ticket) -> LaneNeeds {
    let mut needs = LaneNeeds::default();
    needs.add(ticket);
    needs
}

#[test]
fn commands_are_held_back_until_there_are_enough() {
    let Some(mut lab) = Lab::new() else { return };
    let held: Vec<Ticket> = (0..HELD).map(|_| lab.send(&LaneNeeds::default())).collect();
    // Behind one gate they are in one lane.
    let lane = held[0].lane;
    assert!(held.iter().all(|ticket| ticket.lane == lane), "{held:?}");
    lab.urge(lane);
    assert!(!held.iter().any(|&ticket| lab.is_done(ticket)));
    // One more lets them go, and is held back itself, in the other lane.
    let next = lab.send(&LaneNeeds::default());
    assert_ne!(next.lane, lane);
    lab.finish(held[HELD - 1]);
    lab.urge(next.lane);
    assert!(!lab.is_done(next));
    lab.lanes.flush();
    lab.finish(next);
}

#[test]
fn as_many_are_held_back_as_the_device_has_to_do() {
    let Some(mut lab) = Lab::new() else { return };
    let mut tickets = Vec::new();
    for _ in 0..3 * HELD + 2 * MOST {
        tickets.push(lab.send(&LaneNeeds::default()));
    }
    // No thread looks what has ended. Each gate is in the lane that has less.
    let gates: Vec<usize> =
        tickets.chunk_by(|a, b| a.lane == b.lane).map(<[crate::device::opencl::lane::Ticket]>::len).collect();
    lab.lanes.flush();
    for &ticket in &tickets {
        lab.finish(ticket);
    }
    assert_eq!(gates, [HELD, HELD, MOST, MOST, HELD], "{tickets:?}");
}

#[test]
fn what_needs_a_command_that_is_held_back_goes_with_it() {
    let Some(mut lab) = Lab::new() else { return };
    let first = lab.send(&LaneNeeds::default());
    lab.lanes.flush();
    lab.finish(first);
    // What has been done is no reason for a lane; what has not, is.
    let held = lab.send(&LaneNeeds::default());
    let after = lab.send(&needs(held));
    assert_eq!(after.lane, held.lane);
    let both = {
        let mut both = needs(held);
        both.add_all(&needs(after));
        lab.send(&both)
    };
    assert_eq!(both.lane, held.lane);
    lab.urge(held.lane);
    assert!(!lab.is_done(held) && !lab.is_done(both));
    lab.lanes.flush();
    lab.finish(both);
    assert!(lab.is_done(held) && lab.is_done(after));
}

#[test]
fn nothing_behind_a_command_that_has_failed_by_the_books_is_believed() {
    let Some(mut lab) = Lab::new() else { return };
    let sent: Vec<Ticket> = (0..3).map(|_| lab.send(&LaneNeeds::default())).collect();
    let lane = sent[0].lane;
    lab.lanes.flush();
    lab.finish(sent[2]);
    let (_, outcome) = lab.lanes.pop_done(lane).expect("it has ended");
    assert_eq!(outcome, Ok(()));
    // OpenCL calls all complete, and the manager knows that what the first has used was no good.
    lab.lanes.fail(lane);
    for _ in &sent[1..] {
        let (_, outcome) = lab.lanes.pop_done(lane).expect("it has ended");
        assert_eq!(outcome, Err(BEHIND));
    }
}
