//! What fails, what is forgotten, what is stopped.

use crate::device::opencl::program::KEPT;
use crate::device::tests::*;

#[test]
fn a_launch_that_never_fits_is_told_why() {
    let settings = DeviceSettings { memory_limit: Some(MIB), ..copying() };
    let Some(bench) = bench(settings) else { return };
    let (a, b) = (block(MIB), block(MIB));
    let token = bench.send("add", 16, &[1], &[reads(a), writes(b)]);
    let text = bench.answer(token).expect_err("too large").to_string();
    assert!(text.contains("2097152 bytes"), "{text}");
    assert!(text.contains("1048576 bytes"), "{text}");
    assert!(text.contains("OCR_DEVICE_MEMORY"), "{text}");
    // The launch after a failed one runs.
    bench.run("fill", 16, &[1], &[writes(a)]);
}

#[test]
fn a_refused_launch_says_everything() {
    for bench in both() {
        let a = ints(&[1, 2, 3]);
        let token = bench.send_range("fill", range(3, Some(2)), &[12], &[writes(a)]);
        let error = bench.answer(token).expect_err("3 is no multiple of 2");
        let text = error.to_string();
        assert!(error.inputs_intact, "{text}");
        for part in ["'fill'", "the global size 3 of dimension 0 is no multiple of the local size 2", "int value = 12"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let huge = range(1 << 20, Some(1 << 20));
        let token = bench.send_range("fill", huge, &[12], &[writes(a)]);
        let text = bench.answer(token).expect_err("too many").to_string();
        assert!(text.contains("this device permits"), "{text}");
        // The host's copy is still what it was, and the device goes on.
        assert_eq!(read(a, 2), 3);
        bench.run("fill", 3, &[5], &[writes(a)]);
        let token = bench.send("fill", 3, &[], &[writes(a)]);
        let text = bench.answer(token).expect_err("too few").to_string();
        assert!(text.contains("2 arguments"), "{text}");
        assert_eq!(bench.manager.counters().failures, 3);
    }
}

#[test]
fn builds_that_fail_say_why() {
    let Some(bench) = bench(DeviceSettings::default()) else {
        return;
    };
    let broken = "kernel void f(global int *a)\n{\n    a[0] = nonsense;\n}\n";
    let text = bench.manager.build(&spec(broken, "f")).expect_err("broken").to_string();
    assert!(text.contains("3 |     a[0] = nonsense;"), "{text}");
    assert!(text.contains("CL_BUILD_PROGRAM_FAILURE (-11)"), "{text}");
    let missing = bench.manager.build(&spec(SOURCE, "nope"));
    let text = missing.expect_err("missing").to_string();
    assert!(text.contains("'nope'") && text.contains("fill"), "{text}");
    let only = "#ifndef OCR_DEVICE_CPU\n#ifndef OCR_DEVICE_GPU\n#error which\n#endif\n#endif\n\
                kernel void f(global int *a) { a[0] = X; }";
    let with = KernelSpec { options: b"-DX=3".to_vec(), ..spec(only, "f") };
    let first = bench.manager.build(&with).expect("it builds");
    assert_eq!(bench.manager.build(&with).expect("it is there").id, first.id);
}

#[test]
fn programs_without_a_template_are_released_and_compiled_again() {
    let Some(bench) = bench(DeviceSettings::default()) else {
        return;
    };
    let build = |number: usize| {
        let source = format!("kernel void f(global int *out) {{ out[get_global_id(0)] = {number}; }}");
        bench.manager.build(&spec(&source, "f")).expect("it builds").id
    };
    // When a build is answered, what was sent before has been done.
    let compiled = || {
        let id = build(0);
        let programs = bench.manager.counters().programs as usize;
        bench.manager.release(id);
        programs
    };
    let kernels: Vec<usize> = (0..=KEPT + 1).map(build).collect();
    assert_eq!(compiled(), KEPT + 2, "each has a template");
    for &id in &kernels[1..=KEPT] {
        bench.manager.release(id);
    }
    assert_eq!(compiled(), KEPT + 2, "two are held, and the others are kept");
    bench.manager.release(kernels[KEPT + 1]);
    assert_eq!(compiled(), KEPT + 1, "the first that was released is gone");
    // An EDT whose template is gone, and its program with it.
    let out = block(16);
    let token = bench.token();
    bench.manager.launch(Launch {
        token,
        kernel: kernels[1],
        range: range(4, None),
        params: Default::default(),
        blocks: [writes(out)].into_iter().collect(),
        awaited: true,
        follows: None,
    });
    bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
    bench.fetch(out);
    assert_eq!([0, 1, 2, 3].map(|i| read(out, i)), [1; 4]);
    assert_eq!(compiled(), KEPT + 1, "another one had to go");
    // A template with the same kernel comes again.
    assert_eq!(build(2), kernels[2]);
    assert_eq!(compiled(), KEPT + 2);
}

#[test]
fn arguments_are_checked_before_there_is_a_launch() {
    let Some(bench) = bench(DeviceSettings::default()) else {
        return;
    };
    let add = bench.kernel("add").signature;
    assert_eq!(add.check(1, 2), Ok(()));
    assert!(matches!(add.args[0], ArgKind::Scalar { bytes: 4, .. }));
    let text = add.check(2, 1).expect_err("kinds");
    assert!(text.contains("int* in") || text.contains("int *in"), "{text}");
    assert!(add.check(1, 1).is_err());
    let tile = bench.kernel("tile").signature;
    assert!(tile.check(0, 2).expect_err("local").contains("local memory"));
}

#[test]
fn forgotten_blocks_leave_nothing_behind() {
    for bench in both() {
        let a = ints(&[1, 2, 3, 4]);
        bench.run("fill", 4, &[1], &[writes(a)]);
        bench.fetch(a);
        assert_eq!(bench.manager.counters().resident_bytes, 16);
        bench.forget(a);
        assert_eq!(bench.manager.counters().resident_bytes, 0);
        assert_eq!(a.copies().valid, ocr_place::place::PlaceSet::only(Place::HOST));
        assert!(a.copies().resident.is_empty());
        // While it is in use, it waits.
        let token = bench.send("slow", 1, &[], &[writes(a)]);
        bench.forget(a);
        bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
        bench.forget(block(16));
    }
}

#[test]
fn stopping_finishes_what_was_sent_and_answers_what_comes_later() {
    for bench in both() {
        let a = ints(&[0; 64]);
        let tokens: Vec<_> = (0..100).map(|_| bench.send("add", 64, &[1], &[reads(a), writes(a)])).collect();
        let bad = bench.send_range("fill", range(3, Some(2)), &[1], &[writes(a)]);
        let id = bench.kernel("fill").id;
        bench.manager.stop();
        bench.manager.stop();
        for token in tokens {
            bench.answer(token).unwrap_or_else(|e| panic!("{e}"));
        }
        assert!(bench.answer(bad).is_err());
        let token = bench.token();
        bench.manager.launch(Launch {
            token,
            kernel: id,
            range: range(1, None),
            params: [1].into_iter().collect(),
            blocks: [writes(a)].into_iter().collect(),
            awaited: true,
            follows: None,
        });
        let text = bench.answer(token).expect_err("stopped").to_string();
        assert!(text.contains("stopped"), "{text}");
        assert!(bench.manager.build(&spec(SOURCE, "fill")).is_err());
        bench.manager.fetch(a, 1_000_000);
        let fetched = |told: &mut Told| told.fetched.remove(&1_000_000);
        assert!(bench.listener.wait(fetched).is_err());
        bench.forget(a);
        assert_eq!(bench.manager.load(), 0);
    }
}

#[test]
fn a_panic_is_told() {
    let Some(bench) = bench(DeviceSettings::default()) else {
        return;
    };
    let kernel = bench.kernel("fill").id;
    bench.manager.launch(Launch {
        token: BREAKS,
        kernel,
        range: range(1, None),
        params: [1].into_iter().collect(),
        blocks: [writes(block(4))].into_iter().collect(),
        awaited: true,
        follows: None,
    });
    bench.listener.wait(|told| told.broke_down.then_some(()));
}
