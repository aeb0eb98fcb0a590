//! What kernels write comes to the host before it is asked for, while the host wants it.

use crate::device::tests::*;
use std::time::Duration;

/// A device that shares the host's memory, where the host has asked for a block once.
fn wanted_once() -> Option<Bench> {
    let bench = bench(DeviceSettings::default())?;
    if !device()?.host_unified {
        say_line!("skipped: the device has its own memory");
        return None;
    }
    let block = block(64);
    bench.run("fill", 16, &[1], &[writes(block)]);
    assert!(!is_on_host(block), "nothing had been asked for");
    bench.fetch(block);
    Some(bench)
}

fn is_on_host(block: &DataBlock) -> bool {
    block.copies().valid.contains(Place::HOST)
}

/// Waits until the block is on the host, where no thread has asked for it.
fn comes(block: &DataBlock) {
    while !is_on_host(block) {
        std::thread::sleep(Duration::from_micros(50));
    }
}

#[test]
fn a_block_comes_to_the_host_unasked_where_one_was_wanted_before() {
    let Some(bench) = wanted_once() else { return };
    let (a, b) = (block(64), block(64));
    bench.run("fill", 16, &[7], &[writes(a)]);
    comes(a);
    assert_eq!(read(a, 15), 7);
    bench.run("add", 16, &[1], &[reads(a), writes(b)]);
    comes(b);
    assert_eq!(read(b, 15), 8);
    assert_eq!(bench.manager.counters().fetches, 1, "one was asked for");
    // The host writes what has come: the device sees it, and what it makes of it comes, too.
    write(b, &[20; 16]);
    bench.run("add", 16, &[2], &[reads(b), writes(b)]);
    comes(b);
    assert_eq!(read(b, 15), 22);
}

#[test]
fn a_block_that_is_lazy_stays_until_it_is_asked_for() {
    let Some(bench) = wanted_once() else { return };
    let (lazy, other) = (block(64), block(64));
    bench.run("fill", 16, &[7], &[Some(BlockArg { block: lazy, writes: true, lazy: true })]);
    bench.run("add", 16, &[1], &[reads(lazy), writes(other)]);
    // Fetches come in the order of their kernels.
    comes(other);
    assert!(!is_on_host(lazy));
    bench.fetch(lazy);
    assert_eq!((read(lazy, 15), read(other, 15)), (7, 8));
}

#[test]
fn a_fetch_that_is_asked_for_meanwhile_is_answered_once() {
    let Some(bench) = wanted_once() else { return };
    for round in 0..100 {
        let block = block(64);
        let token = bench.send("fill", 16, &[round], &[writes(block)]);
        bench.fetch(block);
        bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
        bench.fetch(block);
        assert_eq!(read(block, 15), round as i32);
        bench.forget(block);
    }
}

#[test]
fn what_only_kernels_use_stops_coming() {
    let Some(bench) = wanted_once() else { return };
    let (a, b) = (block(64), block(64));
    let mut in_vain = 0;
    bench.run("fill", 16, &[0], &[writes(a)]);
    for round in 0..200 {
        let (from, to) = if round % 2 == 0 { (a, b) } else { (b, a) };
        bench.run("add", 16, &[1], &[reads(from), writes(to)]);
        in_vain += u32::from(is_on_host(from));
    }
    assert!(in_vain < 100, "{in_vain} of 200 came in vain");
    assert!(!is_on_host(a));
    bench.fetch(a);
    assert_eq!(read(a, 15), 200);
}
