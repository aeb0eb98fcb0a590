//! The interface for safe Rust: values, modes, finish EDTs, panics, calls outside of EDTs, handles of another run,
//! kernels, and random graphs against what a loop makes of them.
//!
//! `tests/stress.rs` has random graphs, too, of far more kinds. It drives the C interface: most of what its graphs do
//! is not in `ocr::tasks`, such as channels, labels, copies, parts of blocks and waiting in a call, and its oracle
//! looks at what safe Rust hides, such as addresses, statuses and GUIDs. What the two interfaces share is the runtime
//! below. So the graphs here are of what `ocr::tasks` adds: modes as slices, needs as tuples and vectors, values,
//! nested scopes.

mod support;

use ocr::capi::sys;
use ocr::tasks::{Block, Event, Ew, Latch, NdRange, Needs, Ro, Task, Template, finish, run, spawn};
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Barrier};

/// What a run panics with.
fn panic_of<R: Send + Sync + 'static>(f: impl FnOnce() -> R + Send + 'static) -> String {
    panic_in(|| run(f))
}

/// What a function panics with.
fn panic_in<R>(f: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(f)) else {
        panic!("there was no panic");
    };
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| text.to_string())).expect("a panic with a text")
}

#[test]
fn values_go_from_edt_to_edt() {
    let task = run(|| {
        let one = spawn((), |()| vec![1, 2, 3]);
        let two = spawn((), |()| String::from("four"));
        spawn((one, two), |(numbers, text)| format!("{numbers:?} {text}"))
    });
    assert_eq!(task.get().as_deref(), Some("[1, 2, 3] four"));
}

#[test]
fn a_block_is_written_alone_and_read_together() {
    let sums = run(|| {
        let block = Block::<u64>::zeroed(1000);
        let writers: Vec<Task<()>> = (0..20)
            .map(|_| {
                spawn(block.ew(), |block| {
                    for element in block {
                        // Not atomic: two at a time would lose some.
                        *element = std::hint::black_box(*element) + 1;
                    }
                })
            })
            .collect();
        let readers =
            (0..20).map(|_| spawn((block.ro(), all(writers.clone())), |(block, ())| block.iter().sum::<u64>()));
        readers.collect::<Vec<_>>()
    });
    assert!(sums.iter().all(|sum| sum.get() == Some(20_000)));
}

/// An EDT that has ended when all of these have.
fn all(tasks: Vec<Task<()>>) -> Task<()> {
    spawn(tasks, |_| ())
}

#[test]
fn a_shared_block_is_written_by_atomics() {
    let sum = run(|| {
        let block = Block::new(&[0u32; 3]);
        let writers = (0..50).map(|_| {
            spawn(block.rw(), |block| {
                for element in block {
                    element.fetch_add(1, Relaxed);
                }
            })
        });
        let end = all(writers.collect());
        spawn((block.ro(), end), |(block, ())| block.to_vec())
    });
    assert_eq!(sum.get(), Some(vec![50; 3]));
}

#[test]
fn a_finish_edt_waits_for_its_descendants() {
    let count = Arc::new(AtomicU64::new(0));
    let counted = count.clone();
    let seen = run(move || {
        fn tree(depth: u32, count: Arc<AtomicU64>) {
            count.fetch_add(1, Relaxed);
            for _ in 0..if depth == 0 { 0 } else { 3 } {
                let count = count.clone();
                spawn((), move |()| tree(depth - 1, count));
            }
        }
        let counting = counted.clone();
        let whole = finish((), move |()| tree(5, counting));
        spawn(whole, move |()| counted.load(Relaxed))
    });
    assert_eq!(seen.get(), Some(364));
    assert_eq!(count.load(Relaxed), 364);
}

#[test]
fn events_and_latches_let_edts_go_on() {
    let seen = run(|| {
        let (event, latch) = (Event::new(), Latch::new(10));
        let order = Arc::new(AtomicU64::new(0));
        let (before, after) = (order.clone(), order);
        let late = spawn((event.clone(), latch.clone()), move |((), ())| after.load(Relaxed));
        for _ in 0..10 {
            let (before, latch) = (before.clone(), latch.clone());
            spawn((), move |()| {
                before.fetch_add(1, Relaxed);
                latch.count_down();
            });
        }
        event.satisfy();
        late
    });
    assert_eq!(seen.get(), Some(10));
}

#[test]
fn a_panic_in_an_edt_is_that_of_the_run() {
    let message = panic_of(|| {
        spawn((), |()| panic!("what has gone wrong"));
    });
    assert_eq!(message, "what has gone wrong");
    // The next run is as good as any.
    assert_eq!(run(|| 5), 5);
}

#[test]
fn a_block_that_is_needed_twice_is_refused_where_slices_would_overlap() {
    let message = panic_of(|| {
        let block = Block::new(&[1u8]);
        spawn((block.ew(), block.ro()), |(_, _)| ());
    });
    assert!(message.contains("needs one data block twice"), "{message}");
    let message = panic_of(|| {
        let block = Block::new(&[1u8]);
        spawn(vec![block.ew(), block.ew()], |_| ());
    });
    assert!(message.contains("needs one data block twice"), "{message}");
    let sum = run(|| {
        let block = Block::new(&[3u8]);
        spawn((block.ro(), block.ro()), |(one, other)| one[0] + other[0])
    });
    assert_eq!(sum.get(), Some(6));
}

#[test]
fn an_edt_that_is_refused_leaves_nothing_that_waits() {
    let sum = run(|| {
        let block = Block::new(&[3u8]);
        let template = Template::<0, (Ew<u8>, Ro<u8>)>::new(|[], (_, _)| ());
        let refused = [
            panic_in(|| spawn((block.ew(), block.ro()), |(_, _)| ())),
            panic_in(|| finish((block.ew(), block.ro()), |(_, _)| ())),
            panic_in(|| template.spawn([], (block.ew(), block.ro()))),
        ];
        assert!(refused.iter().all(|it| it.contains("needs one data block twice")));
        spawn(block.ro(), |block| block[0])
    });
    assert_eq!(sum.get(), Some(3));
}

#[test]
fn only_edts_call_the_runtime() {
    let refused = |message: String| assert!(message.contains("outside of an EDT"), "{message}");
    refused(panic_in(Event::new));
    refused(panic_in(|| Block::new(&[1])));
    refused(panic_in(|| spawn((), |()| ())));
    refused(panic_in(|| Template::<0, ()>::new(|[], ()| ())));
    // Threads that an EDT has started are in none, though the run goes on.
    run(move || {
        let (event, block) = (Event::new(), Block::new(&[1]));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                refused(panic_in(Event::new));
                refused(panic_in(|| event.satisfy()));
                refused(panic_in(|| spawn(block.ro(), |_| ())));
            });
        });
        event.satisfy();
        spawn(event, |()| ())
    });
}

/// Whether the block is there of which this is the only handle, after something was done with that.
fn outlives(act: fn(Ro<u8>)) -> bool {
    run(move || {
        let need = Block::new(&[1u8]).ro();
        let mut sources = Vec::new();
        need.sources(&mut sources);
        act(need);
        let mut bytes = 0;
        // SAFETY: the place is valid.
        let status = unsafe { sys::ocrDbGetSize(sources[0].0, &mut bytes) };
        status == 0
    })
}

#[test]
fn a_block_goes_with_its_last_handle_or_with_the_run() {
    assert!(!outlives(drop));
    // Not there: between the look at the handle's run and the call that destroys the block, the run might end.
    assert!(outlives(|need| std::thread::spawn(|| drop(need)).join().unwrap()));
}

#[test]
fn a_handle_is_good_for_one_run() {
    let block = run(|| Block::new(&[1u32]));
    let message = panic_of(move || {
        // A block of the second run may have the same GUID.
        let _other = Block::new(&[0u64; 9]);
        spawn(block.ro(), |block| block[0]);
    });
    assert!(message.contains("after its run"), "{message}");
}

/// Runs a test of this file in a process of its own, with these settings. True in that process.
fn in_a_process(name: &str, settings: &[(&str, &str)]) -> bool {
    said_in_a_process(name, settings).is_none()
}

/// What a test of this file says on the standard error in a process of its own. None in that process.
fn said_in_a_process(name: &str, settings: &[(&str, &str)]) -> Option<String> {
    const CHILD: &str = "OCR_TASKS_CHILD";
    if support::is_set(CHILD) {
        return None;
    }
    let program = std::env::current_exe().expect("this program is a file");
    let mut command = Command::new(program);
    command.args(["--exact", name, "--nocapture"]);
    command.envs(settings.iter().copied()).env(CHILD, "1");
    let output = command.output().expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", output.status);
    Some(said.into_owned())
}

#[test]
fn a_panic_outside_of_edts_is_not_told_as_the_runtimes() {
    let name = "a_panic_outside_of_edts_is_not_told_as_the_runtimes";
    let Some(said) = said_in_a_process(name, &[]) else {
        assert_eq!(run(|| 5), 5);
        let refused = panic_in(|| Block::new(&[1u32]));
        assert!(refused.contains("outside of an EDT"), "{refused}");
        assert_eq!(panic_in(|| panic!("of the program")), "of the program");
        return;
    };
    assert!(said.contains("of the program"), "{said}");
    assert!(!said.contains("the runtime has failed"), "{said}");
}

#[test]
fn what_a_second_panic_has_is_not_dropped() {
    /// What comes of a panic, and panics when it is dropped.
    struct Payload;
    impl Drop for Payload {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let name = "what_a_second_panic_has_is_not_dropped";
    if !in_a_process(name, &[("OCR_WORKERS", "2")]) {
        return;
    }
    let both = || {
        let both = Arc::new(Barrier::new(2));
        for _ in 0..2 {
            let both = both.clone();
            spawn((), move |()| {
                both.wait();
                std::panic::panic_any(Payload);
            });
        }
    };
    let payload = catch_unwind(|| run(both)).expect_err("both EDTs panic");
    assert!(payload.is::<Payload>());
    std::mem::forget(payload);
    assert_eq!(run(|| 5), 5);
}

#[test]
fn a_run_inside_a_run_is_refused() {
    let message = panic_of(|| run(|| ()));
    assert!(message.contains("use finish"), "{message}");
}

#[test]
fn a_latch_that_is_counted_too_far_panics() {
    let message = panic_of(|| Latch::new(0).count_down());
    assert!(message.contains("more often"), "{message}");
}

#[test]
fn blocks_without_elements_and_of_pairs() {
    let seen = run(|| {
        let (empty, pairs) = (Block::<u64>::new(&[]), Block::new(&[[1u16, 2], [3, 4]]));
        spawn((empty.ew(), pairs.ro()), |(empty, pairs)| (empty.len(), pairs.to_vec()))
    });
    assert_eq!(seen.get(), Some((0, vec![[1, 2], [3, 4]])));
}

const ADD: &str = "kernel void add(ulong by, global const uint *from, global uint *to) {
    to[get_global_id(0)] = from[get_global_id(0)] + (uint)by;
}";

#[test]
fn kernels_stand_beside_functions() {
    let sum = run(|| {
        let add = Template::<1, (Ro<u32>, Ew<u32>)>::new(|[by], (from, to)| {
            for (from, to) in from.iter().zip(to) {
                *to = from + by as u32;
            }
        });
        // SAFETY: a work-item for each element writes that element alone, and both blocks have as many.
        let add = unsafe { add.kernel(ADD, "", "add", |_, bytes| NdRange::new(&[bytes[0] / 4])) };
        let numbers: Vec<u32> = (0..1000).collect();
        let mut from = Block::new(&numbers);
        let mut end = spawn((), |()| ());
        for step in 0..10 {
            let to = Block::<u32>::zeroed(1000);
            end = add.spawn_after(end, [step], (from.ro(), to.ew()));
            from = to;
        }
        spawn((from.ro(), end), |(numbers, ())| numbers.to_vec())
    });
    let expected: Vec<u32> = (45..1045).collect();
    assert_eq!(sum.get(), Some(expected));
}

#[test]
fn kernels_in_a_chain_give_what_functions_give() {
    let end = run(|| {
        let twice = Template::<1, Ew<u32>>::new(|[by], x| {
            for x in x {
                *x = x.wrapping_mul(3).wrapping_add(by as u32);
            }
        });
        let source = "kernel void step(ulong by, global uint *x) {
            x[get_global_id(0)] = x[get_global_id(0)] * 3 + (uint)by;
        }";
        // SAFETY: a work-item for each element reads and writes that element alone.
        let twice = unsafe { twice.kernel(source, "", "step", |_, bytes| NdRange::new(&[bytes[0] / 4])) };
        let block = Block::new(&[1u32, 2, 3, 4]);
        // All are the same step, so their order does not count.
        let steps = (0..20).map(|_| twice.spawn([7], block.ew())).collect();
        spawn((block.ro(), all(steps)), |(block, ())| block.to_vec())
    });
    let expected = [1u32, 2, 3, 4].map(|x| (0..20).fold(x, |x, _| x.wrapping_mul(3).wrapping_add(7)));
    assert_eq!(end.get().as_deref(), Some(&expected[..]));
}

#[test]
fn the_range_of_a_kernel_is_no_edt_and_its_panic_is_that_of_the_run() {
    if support::is_without_opencl() || ocr::device::discover().devices.is_empty() {
        eprintln!("no OpenCL device: no kernel was asked for its range");
        return;
    }
    let name = "the_range_of_a_kernel_is_no_edt_and_its_panic_is_that_of_the_run";
    let settings = [("OCR_DEVICES", "all"), ("OCR_SCHED", "device")];
    if !in_a_process(name, &settings) {
        return;
    }
    let later = Arc::new(AtomicU64::new(0));
    let counted = later.clone();
    let message = panic_of(move || {
        let template = Template::<1, (Ro<u32>, Ew<u32>)>::new(|_, (_, _)| ());
        // SAFETY: `range` gives no index space.
        let template = unsafe { template.kernel(ADD, "", "add", |_, _| panic_by_event()) };
        let (from, to) = (Block::new(&[1u32]), Block::new(&[0u32]));
        let done = template.spawn([1], (from.ro(), to.ew()));
        spawn(done, move |()| counted.fetch_add(1, Relaxed))
    });
    assert!(message.contains("outside of an EDT"), "{message}");
    assert_eq!(later.load(Relaxed), 0);
    assert_eq!(run(|| 5), 5);
}

fn panic_by_event() -> NdRange {
    Event::new();
    NdRange::new(&[1])
}

/// How an EDT of a random graph uses a block.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    Read,
    Write,
    Add,
}

#[derive(Clone, Debug)]
struct Step {
    /// Each block at most once.
    uses: Vec<(usize, Use)>,
    nested: bool,
}

const BLOCKS: usize = 5;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let one = prop_oneof![Just(Use::Read), Just(Use::Write), Just(Use::Add)];
    let uses = proptest::collection::btree_map(0..BLOCKS, one, 0..4);
    let step = (uses, any::<bool>()).prop_map(|(uses, nested)| Step { uses: uses.into_iter().collect(), nested });
    proptest::collection::vec(step, 1..40)
}

/// The steps one after the other.
fn oracle(steps: &[Step]) -> Vec<u64> {
    let mut blocks = vec![1u64; BLOCKS];
    for (number, step) in steps.iter().enumerate() {
        let read: u64 = read(step, |block| blocks[block]);
        for (block, how) in &step.uses {
            blocks[*block] = changed(blocks[*block], *how, read, number);
        }
    }
    blocks
}

fn read(step: &Step, value: impl Fn(usize) -> u64) -> u64 {
    let read = step.uses.iter().filter(|(_, how)| *how == Use::Read);
    read.fold(0, |sum, (block, _)| sum.wrapping_mul(7).wrapping_add(value(*block)))
}

fn changed(value: u64, how: Use, read: u64, number: usize) -> u64 {
    match how {
        Use::Read => value,
        Use::Write => value.wrapping_mul(31).wrapping_add(read).wrapping_add(number as u64),
        Use::Add => value.wrapping_add(read).wrapping_add(number as u64),
    }
}

/// Whether the order of two uses of a block counts.
fn conflict(one: Use, other: Use) -> bool {
    !matches!((one, other), (Use::Read, Use::Read) | (Use::Add, Use::Add))
}

/// The EDT of a step, which waits for the earlier ones whose order counts. What works on the blocks is its child, or a
/// finish EDT's child, so that scopes count.
fn step_edt(number: usize, step: &Step, blocks: &[Block<u64>], before: Vec<Task<()>>) -> Task<()> {
    let of = |how: Use| {
        let uses = step.uses.iter().filter(move |(_, used)| *used == how);
        uses.map(|(block, _)| blocks[*block].clone()).collect::<Vec<_>>()
    };
    let (reads, writes, adds) = (of(Use::Read), of(Use::Write), of(Use::Add));
    let work = move || {
        let needs = (
            reads.iter().map(Block::ro).collect::<Vec<_>>(),
            writes.iter().map(Block::ew).collect::<Vec<_>>(),
            adds.iter().map(Block::rw).collect::<Vec<_>>(),
        );
        spawn(needs, move |(reads, writes, adds)| {
            let sum = reads.iter().fold(0u64, |sum, read| sum.wrapping_mul(7).wrapping_add(read[0]));
            for write in writes {
                write[0] = changed(write[0], Use::Write, sum, number);
            }
            for add in adds {
                add[0].fetch_add(sum.wrapping_add(number as u64), Relaxed);
            }
        });
    };
    let nested = step.nested;
    finish(before, move |_| {
        if nested {
            finish((), move |()| work());
        } else {
            work();
        }
    })
}

/// The steps as EDTs.
fn as_edts(steps: Vec<Step>) -> Vec<u64> {
    let end = run(move || {
        let blocks: Vec<_> = (0..BLOCKS).map(|_| Block::new(&[1u64])).collect();
        let mut tasks: Vec<Task<()>> = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let comes_before = |earlier: &Step| {
                let pairs = earlier.uses.iter().flat_map(|one| step.uses.iter().map(move |other| (one, other)));
                pairs.into_iter().any(|(one, other)| one.0 == other.0 && conflict(one.1, other.1))
            };
            let before = steps[..number].iter().zip(&tasks);
            let before = before.filter(|(earlier, _)| comes_before(earlier)).map(|(_, task)| task.clone());
            let before = before.collect();
            tasks.push(step_edt(number, step, &blocks, before));
        }
        let reads: Vec<_> = blocks.iter().map(Block::ro).collect();
        spawn((reads, tasks), |(blocks, _)| blocks.iter().map(|block| block[0]).collect::<Vec<_>>())
    });
    end.get().expect("the last EDT has run")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_graphs_end_as_a_loop_does(steps in steps()) {
        prop_assert_eq!(as_edts(steps.clone()), oracle(&steps));
    }
}
