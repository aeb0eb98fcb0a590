//! Devices whose kernels can be undone: what they write is on the host when they are answered.

use super::*;
use ocr_place::place::PlaceSet;

fn with_attempts() -> Option<Bench> {
    bench(DeviceSettings { attempts: true, ..DeviceSettings::default() })
}

/// Where the content of a block is valid. What this returns holds no lock.
fn valid(block: &DataBlock) -> PlaceSet {
    block.copies().valid
}

/// Where a content is that a kernel has written, on the device and on the host.
fn both_places() -> PlaceSet {
    let mut both = PlaceSet::only(PLACE);
    both.insert(Place::HOST);
    both
}

#[test]
fn what_a_kernel_writes_is_on_the_host_when_it_is_answered() {
    let Some(bench) = with_attempts() else {
        return;
    };
    let (a, b) = (ints(&[1; 256]), block(1024));
    bench.run("add", 256, &[1], &[reads(a), writes(b)]);
    assert_eq!((valid(b), read(b, 255)), (both_places(), 2));
    bench.run("add", 256, &[5], &[reads(b), writes(b)]);
    assert_eq!((valid(b), read(b, 0)), (both_places(), 7));
    let counters = bench.manager.counters();
    assert_eq!((counters.bytes_to_device, counters.bytes_from_device), (1024, 2 * 1024));
    // What is there already is not asked for.
    bench.fetch(b);
    assert_eq!(bench.manager.counters().bytes_from_device, 2 * 1024);
    assert_eq!(bench.manager.load(), 0);
}

#[test]
fn kernels_that_share_what_they_write_are_settled_one_after_the_other() {
    let Some(bench) = with_attempts() else {
        return;
    };
    let (a, other) = (ints(&[0; 1024]), ints(&[3; 1024]));
    let outs: Vec<_> = (0..50).map(|_| block(4096)).collect();
    let mut tokens = Vec::new();
    for &out in &outs {
        tokens.push(bench.send("add", 1024, &[1], &[reads(a), writes(a)]));
        // It reads what the one before writes, whether that is settled or not.
        tokens.push(bench.send("add", 1024, &[100], &[reads(a), writes(out)]));
        tokens.push(bench.send("add", 1024, &[1], &[reads(other), writes(other)]));
    }
    for token in tokens {
        bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
    }
    assert_eq!([read(a, 0), read(a, 1023), read(other, 7)], [50, 50, 53]);
    for (number, out) in (101..).zip(outs) {
        assert_eq!((read(out, 0), read(out, 1023)), (number, number));
    }
}

#[test]
fn the_host_has_the_content_from_before_while_a_kernel_writes() {
    let Some(bench) = with_attempts() else {
        return;
    };
    let a = ints(&[1, 2]);
    let token = bench.send("slow", 1, &[], &[writes(a)]);
    // A fetch for a reader is answered at once, and brings nothing that may be undone.
    bench.fetch(a);
    let seen = (read(a, 0), read(a, 1));
    if !bench.listener.told.lock().launched.contains_key(&token) {
        assert_eq!(seen, (1, 2));
    }
    bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
    assert_ne!(read(a, 0), 1, "it has written");
    assert_eq!((valid(a), read(a, 1)), (both_places(), 2));
}

#[test]
fn blocks_that_are_forgotten_or_evicted_lose_nothing() {
    let settings = DeviceSettings { attempts: true, memory_limit: Some(4 * 4096), ..DeviceSettings::default() };
    let Some(bench) = bench(settings) else {
        return;
    };
    let blocks: Vec<_> = (0..20).map(|_| block(4096)).collect();
    for round in 0..3 {
        for (number, &block) in blocks.iter().enumerate() {
            match round {
                0 => bench.run("fill", 1024, &[number as u64], &[writes(block)]),
                _ => bench.run("add", 1024, &[1000], &[reads(block), writes(block)]),
            }
        }
    }
    for (number, &block) in blocks.iter().enumerate() {
        assert_eq!(read(block, 1023), number as i32 + 2000);
        bench.forget(block);
        assert_eq!(valid(block), PlaceSet::only(Place::HOST));
    }
    let counters = bench.manager.counters();
    assert!(counters.evictions > 0);
    assert_eq!(counters.write_backs, 0, "what is evicted is on the host");
}
