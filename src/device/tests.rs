//! The room as the engine uses it, on whatever device there is (PoCL will do). Without OpenCL these
//! tests say so and pass.

mod ahead;
mod ends;
mod lanes;
mod settle;

use crate::device::*;
use crate::object::arena::Cache;
use crate::object::data_block::DataBlock;
use crate::object::data_block::{BlockState, DataBlocks};
use ocr_place::place::Place;
use parking_lot::{Condvar, Mutex};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

const PLACE: Place = Place::device(0);
const MIB: u64 = 1 << 20;

const SOURCE: &str = "
kernel void fill(int value, global int *out) { out[get_global_id(0)] = value; }
kernel void add(int value, global const int *in, global int *out)
{ out[get_global_id(0)] = in[get_global_id(0)] + value; }
kernel void sum(global const int *a, global const int *b, global int *out)
{ out[get_global_id(0)] = (a ? a[get_global_id(0)] : 1000) + b[get_global_id(0)]; }
typedef uint word;
kernel void odd(word a, uchar b, float c, long d, global float *out)
{ out[0] = a; out[1] = b; out[2] = c; out[3] = d; }
kernel void slow(global int *out)
{ int x = out[0]; for (int i = 0; i < 20000000; i++) x = x * 1664525 + 1013904223; out[0] = x; }
kernel void tile(local int *t, global int *out) { out[0] = 1; }
";

/// What would be reported to the engine.
#[derive(Default)]
struct Told {
    launched: HashMap<usize, Result<u64, Box<LaunchError>>>,
    fetched: HashMap<usize, Result<(), DeviceError>>,
    forgotten: Vec<usize>,
    broke_down: bool,
    answers: usize,
}

#[derive(Default)]
struct Listener {
    told: Mutex<Told>,
    news: Condvar,
}

impl Listener {
    fn record(&self, what: impl FnOnce(&mut Told)) {
        let mut told = self.told.lock();
        what(&mut told);
        told.answers += 1;
        self.news.notify_all();
    }

    fn wait<T>(&self, mut found: impl FnMut(&mut Told) -> Option<T>) -> T {
        let mut told = self.told.lock();
        loop {
            if let Some(found) = found(&mut told) {
                return found;
            }
            let late = self.news.wait_for(&mut told, Duration::from_secs(60));
            assert!(!late.timed_out(), "no answer");
        }
    }
}

/// The token of a launch that cannot be reported to the engine.
const BREAKS: usize = usize::MAX;

impl ManagerEvents for Listener {
    fn enqueued(&self, token: usize) {
        assert_ne!(token, BREAKS, "this panic is meant");
        self.record(|t| assert!(!t.launched.contains_key(&token), "answered before"));
    }
    fn launched(&self, token: usize, result: Result<KernelTime, Box<LaunchError>>) {
        self.record(|t| assert!(t.launched.insert(token, result.map(|time| time.ns)).is_none(), "answered twice"));
    }
    fn fetched(&self, token: usize, result: Result<(), DeviceError>) {
        self.record(|t| assert!(t.fetched.insert(token, result).is_none(), "answered twice"));
    }
    fn forgotten(&self, block: &'static DataBlock) {
        self.record(|t| t.forgotten.push(std::ptr::from_ref(block) as usize));
    }
    fn lost(&self, _: Place, error: DeviceError) {
        panic!("{error}");
    }
    fn broke_down(&self) {
        self.record(|t| t.broke_down = true);
    }
}

/// A manager and what it said.
struct Bench {
    manager: DeviceManager,
    listener: Arc<Listener>,
    next: std::cell::Cell<usize>,
}

fn device() -> Option<DeviceInfo> {
    static FOUND: OnceLock<Inventory> = OnceLock::new();
    let found = FOUND.get_or_init(discover);
    if found.devices.is_empty() {
        say_line!("skipped: {}", found.explain_absence());
    }
    found.devices.first().cloned()
}

fn bench(settings: DeviceSettings) -> Option<Bench> {
    let info = device()?;
    let listener = Arc::new(Listener::default());
    let events: Arc<dyn ManagerEvents> = listener.clone();
    let manager = DeviceManager::start(&info, PLACE, settings, events).expect("it starts");
    let next = std::cell::Cell::new(1);
    Some(Bench { manager, listener, next })
}

fn copying() -> DeviceSettings {
    DeviceSettings { force_copies: true, ..DeviceSettings::default() }
}

/// The ways in which a device may hold blocks: shared with the host, copied.
fn both() -> Vec<Bench> {
    [DeviceSettings::default(), copying()].into_iter().filter_map(bench).collect()
}

fn block(bytes: u64) -> &'static DataBlock {
    static BLOCKS: OnceLock<DataBlocks> = OnceLock::new();
    let blocks = BLOCKS.get_or_init(DataBlocks::default);
    let block = blocks.allocate(&mut Cache::default(), bytes, false).expect("a slot");
    block.header.publish(block.header.peek().with_state(BlockState::Live));
    block
}

/// A block of ints that the host wrote.
fn ints(values: &[i32]) -> &'static DataBlock {
    let block = block(4 * values.len() as u64);
    write(block, values);
    block
}

fn write(block: &DataBlock, values: &[i32]) {
    assert!(4 * values.len() as u64 <= block.size());
    let host = block.host_memory().expect("memory").cast::<i32>();
    for (i, value) in values.iter().enumerate() {
        // SAFETY: `i` is below the number of values, which fit into the block by the assertion above.
        let at = unsafe { host.add(i) };
        // SAFETY: the place is in bounds and aligned, since blocks are aligned for an `i32`; no other thread uses the
        // block now.
        unsafe { at.write(*value) };
    }
    block.copies().wrote(Place::HOST);
}

fn read(block: &DataBlock, index: usize) -> i32 {
    assert!(block.copies().valid.contains(Place::HOST));
    assert!(4 * (index as u64) < block.size());
    let host = block.host_memory().expect("memory").cast::<i32>();
    // SAFETY: the element `index` is within the block, by the assertion above.
    let at = unsafe { host.add(index) };
    // SAFETY: in bounds, aligned, written by the host or a fetch, and no thread writes it now.
    unsafe { at.read() }
}

fn range(global: usize, local: Option<usize>) -> LaunchRange {
    LaunchRange { work_dim: 1, offset: [0; 3], global: [global, 1, 1], local: local.map(|l| [l, 1, 1]) }
}

fn reads(block: &'static DataBlock) -> Option<BlockArg> {
    Some(BlockArg { block, writes: false, lazy: false })
}

fn writes(block: &'static DataBlock) -> Option<BlockArg> {
    Some(BlockArg { block, writes: true, lazy: false })
}

impl Bench {
    fn token(&self) -> usize {
        self.next.replace(self.next.get() + 1)
    }

    fn kernel(&self, name: &str) -> KernelOnDevice {
        self.manager.build(&spec(SOURCE, name)).expect("it builds")
    }

    fn send(&self, name: &str, n: usize, params: &[u64], blocks: &[Option<BlockArg>]) -> usize {
        self.send_range(name, range(n, None), params, blocks)
    }

    fn send_range(&self, name: &str, range: LaunchRange, params: &[u64], blocks: &[Option<BlockArg>]) -> usize {
        let token = self.token();
        self.manager.launch(Launch {
            token,
            kernel: self.kernel(name).id,
            range,
            params: params.iter().copied().collect(),
            blocks: blocks.iter().copied().collect(),
            awaited: true,
            follows: None,
        });
        token
    }

    fn answer(&self, token: usize) -> Result<u64, Box<LaunchError>> {
        self.listener.wait(|told| told.launched.remove(&token))
    }

    fn run(&self, name: &str, n: usize, params: &[u64], blocks: &[Option<BlockArg>]) {
        let token = self.send(name, n, params, blocks);
        self.answer(token).unwrap_or_else(|e| panic!("{e}"));
    }

    fn fetch(&self, block: &'static DataBlock) {
        let token = self.token();
        self.manager.fetch(block, token);
        self.listener.wait(|told| told.fetched.remove(&token)).unwrap_or_else(|e| panic!("{e}"));
    }

    fn forget(&self, block: &'static DataBlock) {
        self.manager.forget(block);
        let address = std::ptr::from_ref(block) as usize;
        self.listener.wait(|told| {
            let at = told.forgotten.iter().position(|&b| b == address)?;
            Some(told.forgotten.remove(at))
        });
    }
}

fn spec(source: &str, kernel: &str) -> KernelSpec {
    KernelSpec { source: source.as_bytes().into(), options: Vec::new(), kernel: kernel.to_string() }
}

#[test]
fn kernels_read_and_write_blocks() {
    for bench in both() {
        let (a, b) = (ints(&[1, 2, 3, 4]), block(16));
        bench.run("add", 4, &[10], &[reads(a), writes(b)]);
        assert!(b.copies().resident.contains(PLACE));
        bench.fetch(b);
        assert_eq!([0, 1, 2, 3].map(|i| read(b, i)), [11, 12, 13, 14]);
        // The host changes what the device has: the device must see it.
        write(a, &[5, 6, 7, 8]);
        bench.run("add", 4, &[u64::MAX], &[reads(a), writes(b)]);
        bench.fetch(b);
        assert_eq!([0, 1, 2, 3].map(|i| read(b, i)), [4, 5, 6, 7]);
        // Written by the device while the host has its copy, and in place.
        bench.run("add", 4, &[1], &[reads(b), writes(b)]);
        assert!(b.copies().valid.contains(PLACE));
        bench.fetch(b);
        assert_eq!([0, 1, 2, 3].map(|i| read(b, i)), [5, 6, 7, 8]);
    }
}

#[test]
fn sharing_memory_copies_nothing() {
    let Some(bench) = bench(DeviceSettings::default()) else {
        return;
    };
    if !device().is_some_and(|d| d.host_unified) {
        return say_line!("skipped: the device has its own memory");
    }
    let (a, b) = (ints(&[1; 1024]), block(4096));
    for round in 0..3 {
        write(a, &[round; 1024]);
        bench.run("add", 1024, &[1], &[reads(a), writes(b)]);
        bench.fetch(b);
        assert_eq!(read(b, 1023), round + 1);
    }
    let counters = bench.manager.counters();
    assert_eq!((counters.bytes_to_device, counters.bytes_from_device), (0, 0));
    assert_eq!(counters.kernels, 3);
}

#[test]
fn a_block_moves_once_for_many_readers() {
    let Some(bench) = bench(copying()) else {
        return;
    };
    let a = ints(&[7; 256]);
    let outs: Vec<_> = (0..10).map(|_| block(1024)).collect();
    let tokens: Vec<_> = outs.iter().map(|&out| bench.send("add", 256, &[1], &[reads(a), writes(out)])).collect();
    for token in tokens {
        bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
    }
    let counters = bench.manager.counters();
    assert_eq!(counters.bytes_to_device, 1024);
    assert_eq!((counters.uploads, counters.cache_hits), (1, 9));
    for out in outs {
        bench.fetch(out);
        assert_eq!(read(out, 255), 8);
    }
    // What is at the host already is not brought again.
    bench.fetch(a);
    assert_eq!(bench.manager.counters().bytes_from_device, 10 * 1024);
}

#[test]
fn kernels_hand_blocks_to_kernels_without_moving_them() {
    for bench in both() {
        let (a, b) = (block(4096), block(4096));
        bench.run("fill", 1024, &[1], &[writes(a)]);
        for _ in 0..10 {
            bench.run("add", 1024, &[1], &[reads(a), writes(b)]);
            bench.run("add", 1024, &[1], &[reads(b), writes(a)]);
        }
        let counters = bench.manager.counters();
        assert_eq!(counters.bytes_to_device + counters.bytes_from_device, 0);
        assert_eq!(counters.uploads + counters.fetches, 0);
        bench.fetch(a);
        assert_eq!(read(a, 1023), 21);
    }
}

#[test]
fn launches_that_were_not_waited_for_are_ordered_by_their_buffers() {
    for bench in both() {
        let a = ints(&[0; 1024]);
        let tokens: Vec<_> = (0..200).map(|_| bench.send("add", 1024, &[1], &[reads(a), writes(a)])).collect();
        // Asked for while kernels that write it are in flight: what comes is whole.
        bench.fetch(a);
        for token in tokens {
            bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
        }
        bench.fetch(a);
        assert_eq!((read(a, 0), read(a, 1023)), (200, 200));
        assert_eq!(bench.manager.load(), 0);
    }
}

#[test]
fn bounded_memory_evicts_and_writes_back() {
    for force_copies in [true, false] {
        let settings = DeviceSettings { memory_limit: Some(MIB), force_copies, ..DeviceSettings::default() };
        let Some(bench) = bench(settings) else { return };
        let n = MIB as usize / 16;
        let blocks: Vec<_> = (0..12).map(|_| block(MIB / 4)).collect();
        // All at once: most must wait until there is room.
        let tokens: Vec<_> =
            blocks.iter().enumerate().map(|(i, &b)| bench.send("fill", n, &[i as u64], &[writes(b)])).collect();
        for token in tokens {
            bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
        }
        let counters = bench.manager.counters();
        assert!(counters.resident_bytes <= MIB);
        assert!(counters.evictions >= 8, "{counters:?}");
        assert_eq!(counters.evictions, counters.write_backs);
        for (i, &b) in blocks.iter().enumerate() {
            bench.run("add", n, &[100], &[reads(b), writes(b)]);
            bench.fetch(b);
            assert_eq!(read(b, n - 1), i as i32 + 100);
        }
        let resident = blocks.iter().filter(|b| b.copies().resident.contains(PLACE));
        assert_eq!(resident.count(), 4);
    }
}

/// Short kernels are held back where many come at once. An eviction waits for what is behind them in its
/// lane, so they have to go first.
#[test]
fn kernels_that_are_held_back_do_not_stand_in_the_way_of_an_eviction() {
    for force_copies in [true, false] {
        let settings = DeviceSettings { memory_limit: Some(MIB), force_copies, ..DeviceSettings::default() };
        let Some(bench) = bench(settings) else { return };
        let blocks: Vec<_> = (0..6).map(|_| block(MIB / 4)).collect();
        let answers = |tokens: Vec<usize>| {
            for token in tokens {
                bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
            }
        };
        let fill = bench.kernel("fill").id;
        let send = |value: u64, block| {
            let token = bench.token();
            bench.manager.launch(Launch {
                token,
                kernel: fill,
                range: range(1, None),
                params: [value].into_iter().collect(),
                blocks: [writes(block)].into_iter().collect(),
                awaited: true,
                follows: None,
            });
            token
        };
        // From these the manager learns that the kernels are short.
        answers((0..400).map(|i| send(i, blocks[i as usize % 4])).collect());
        let (manager, other) = (&bench.manager, SOURCE.replace("1664525", "22695477"));
        std::thread::scope(|scope| {
            // While the compiler works, what is sent gathers, and is met at once.
            let building = scope.spawn(move || manager.build(&spec(&other, "slow")).is_ok());
            std::thread::sleep(Duration::from_millis(2));
            let mut tokens: Vec<_> = (0..20).map(|i| send(i, blocks[0])).collect();
            let token = bench.token();
            bench.manager.fetch(blocks[0], token);
            tokens.extend((4..6).map(|i| send(i, blocks[i as usize])));
            answers(tokens);
            let fetched = bench.listener.wait(|told| told.fetched.remove(&token));
            fetched.unwrap_or_else(|e| panic!("{e}"));
            assert!(building.join().expect("no panic"));
        });
        assert_eq!(read(blocks[0], 0), 19);
        bench.fetch(blocks[5]);
        assert_eq!(read(blocks[5], 0), 5);
        assert!(bench.manager.counters().evictions >= 2);
    }
}

#[test]
fn one_block_may_stand_in_several_slots_and_slots_may_be_empty() {
    for bench in both() {
        let (a, b) = (ints(&[1, 2, 3, 4]), block(16));
        bench.run("sum", 4, &[], &[reads(a), reads(a), writes(a)]);
        bench.run("sum", 4, &[], &[None, reads(a), writes(b)]);
        bench.run("sum", 4, &[], &[reads(block(0)), reads(a), writes(b)]);
        bench.fetch(a);
        bench.fetch(b);
        assert_eq!([0, 1, 2, 3].map(|i| read(a, i)), [2, 4, 6, 8]);
        assert_eq!([0, 1, 2, 3].map(|i| read(b, i)), [1002, 1004, 1006, 1008]);
    }
}

#[test]
fn scalars_of_every_width_are_passed() {
    let Some(bench) = bench(DeviceSettings::default()) else {
        return;
    };
    let out = block(16);
    let float = |x: f32| u64::from(x.to_bits());
    let minus = -5i64 as u64;
    bench.run("odd", 1, &[70000, 200, float(-1.5), minus], &[writes(out)]);
    bench.fetch(out);
    let got = [0, 1, 2, 3].map(|i| f32::from_bits(read(out, i) as u32));
    assert_eq!(got, [70000.0, 200.0, -1.5, -5.0]);
    let token = bench.send("odd", 1, &[1, 256, 0, 0], &[writes(out)]);
    let text = bench.answer(token).expect_err("256").to_string();
    assert!(text.contains("argument 1, 'uchar b'"), "{text}");
    assert!(text.contains("does not fit"), "{text}");
}

#[test]
fn many_threads_send_at_once() {
    for bench in both() {
        let id = bench.kernel("add").id;
        let manager = &bench.manager;
        let listener = &bench.listener;
        std::thread::scope(|scope| {
            for thread in 0..4usize {
                scope.spawn(move || {
                    let a = ints(&[thread as i32; 256]);
                    for i in 0..50 {
                        let token = 10_000 * (thread + 1) + i;
                        manager.launch(Launch {
                            token,
                            kernel: id,
                            range: range(256, None),
                            params: [1].into_iter().collect(),
                            blocks: [reads(a), writes(a)].into_iter().collect(),
                            awaited: true,
                            follows: None,
                        });
                        if i % 10 == 9 {
                            let done = |told: &mut Told| told.launched.remove(&token);
                            listener.wait(done).unwrap_or_else(|e| panic!("{e}"));
                            manager.fetch(a, token);
                            let done = |told: &mut Told| told.fetched.remove(&token);
                            listener.wait(done).unwrap_or_else(|e| panic!("{e}"));
                            assert_eq!(read(a, 255), (thread + i + 1) as i32);
                        }
                    }
                });
            }
        });
        assert_eq!(manager.counters().kernels, 200);
    }
}

#[test]
fn the_time_of_kernels_is_counted() {
    for bench in both() {
        let begun = std::time::Instant::now();
        let a = ints(&[1; 16]);
        let token = bench.send("slow", 1, &[], &[writes(a)]);
        bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
        let (most, took) = (begun.elapsed(), bench.manager.counters().kernel_ns);
        let took = Duration::from_nanos(took);
        assert!(Duration::from_millis(1) < took && took <= most, "{took:?}");
    }
}
