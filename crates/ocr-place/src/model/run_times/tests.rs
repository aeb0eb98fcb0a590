use super::*;

fn expected(times: &RunTimes, place: usize, bytes: u64) -> Option<u64> {
    times.expected(place, bytes).map(|estimate| estimate.ns)
}

fn kept_of(times: &RunTimes, place: usize) -> Vec<(u64, KeptTimes)> {
    let mut kept = Vec::new();
    times.each_new(place, |bytes, _, times| kept.push((bytes, times)));
    kept.sort_unstable_by_key(|(bytes, _)| *bytes);
    kept
}

#[test]
fn places_and_sizes_are_told_apart() {
    let times = RunTimes::default();
    assert_eq!(expected(&times, 0, 64), None);
    for (place, bytes, ns) in [(0, 64, 100), (0, 128, 300), (1, 64, 20)] {
        times.sample(place, bytes, ns, false);
    }
    assert_eq!(expected(&times, 0, 64), Some(100));
    assert_eq!(expected(&times, 0, 128), Some(300));
    assert_eq!(expected(&times, 1, 64), Some(20));
    assert_eq!(expected(&times, 2, 64), None);
    assert_eq!(expected(&times, PLACES, 64), None);
    times.sample(PLACES, 64, 1, false);
    assert_eq!(expected(&times, 255, 64), None);
}

#[test]
fn how_long_an_edt_keeps_a_place_and_how_long_it_takes_are_two_things() {
    let times = RunTimes::default();
    assert_eq!(times.latency(1, 64, true), None);
    times.sample(1, 64, 20, true);
    times.sample_latency(1, 64, 300, true);
    assert_eq!(expected(&times, 1, 64), Some(20));
    assert_eq!(times.latency(1, 64, true), Some(300));
    assert_eq!(times.latency(1, 64, false), None);
    assert_eq!(times.latency(0, 64, true), None);
    assert_eq!(kept_of(&times, 1).len(), 1);
}

#[test]
fn a_first_launch_is_a_guess_until_there_is_a_sample() {
    let times = RunTimes::default();
    times.first(1, 64, 900);
    times.first(1, 64, 700);
    assert_eq!(expected(&times, 1, 64), Some(700));
    assert_eq!(times.error(1), None);
    let kept = kept_of(&times, 1);
    let first = KeptTimes { first: Some(700), ..KeptTimes::default() };
    assert_eq!(kept, [(64, first)]);
    // The next run guesses by it, too, and believes the first sample.
    let next = RunTimes::default();
    next.seed(1, 64, ToldBy::Bytes, &kept[0].1);
    assert_eq!(kept_of(&next, 1), [], "nothing is new");
    for times in [&times, &next] {
        let guess = times.expected(1, 64).expect("a guess");
        assert!(guess.ns == 700 && guess.samples == 0, "{guess:?}");
        times.sample(1, 64, 100, false);
        assert_eq!(expected(times, 1, 64), Some(100));
        assert_eq!(times.error(1), None, "a guess is not judged");
        let (_, kept) = &kept_of(times, 1)[0];
        assert!(kept.first.is_none() && kept.alone == [100], "{kept:?}");
    }
}

#[test]
fn what_ran_beside_others_counts_while_there_are_others() {
    let times = RunTimes::default();
    for _ in 0..11 {
        times.sample(0, 64, 100, false);
    }
    for round in 1..=3 {
        assert_eq!(expected(&times, 0, 64), Some(100), "{round}");
        times.sample(0, 64, 200, true);
    }
    assert_eq!(expected(&times, 0, 64), Some(200));
    // Alone again, and slower than before: noticed within ten.
    let noticed = (1..=10).find(|_| {
        times.sample(0, 64, 1000, false);
        expected(&times, 0, 64) == Some(1000)
    });
    assert!(noticed.is_some());
}

#[test]
fn a_place_that_becomes_ten_times_slower_is_noticed_within_ten() {
    for old_beside in [false, true] {
        for new_beside in [false, true] {
            let times = RunTimes::default();
            for _ in 0..40 {
                times.sample(1, 64, 1000, old_beside);
            }
            let noticed = (1..=10).find(|_| {
                times.sample(1, 64, 10_000, new_beside);
                expected(&times, 1, 64) == Some(10_000)
            });
            assert!(noticed.is_some(), "{old_beside} {new_beside}");
        }
    }
}

#[test]
fn the_newest_samples_outvote_older_ones_within_five() {
    for (before, after) in [(1000, 1300), (1000, 700), (1000, 20_000)] {
        for kinds in 0..16u32 {
            let times = RunTimes::default();
            for round in 0..40 {
                times.sample(0, 64, before + round % 3, round % 2 == 0);
            }
            let noticed = (0..5).find(|round| {
                times.sample(0, 64, after, (kinds >> (round % 4)) & 1 != 0);
                expected(&times, 0, 64) == Some(after)
            });
            assert!(noticed.is_some(), "{after} {kinds:b}");
        }
    }
    // Two in a row that were interrupted are not enough.
    let times = RunTimes::default();
    for round in 0..40 {
        times.sample(0, 64, if round % 7 > 4 { 90_000 } else { 1000 }, false);
        assert!(expected(&times, 0, 64) == Some(1000), "{round}");
    }
}

#[test]
fn hints_are_used_where_nothing_is_known() {
    let times = RunTimes::default();
    times.guess(5000);
    assert_eq!(expected(&times, 3, 64), Some(5000));
    times.sample(3, 64, 70, false);
    assert_eq!(expected(&times, 3, 64), Some(70));
    assert_eq!(expected(&times, 2, 64), Some(5000));
}

#[test]
fn predictions_that_fail_are_told_and_forgiven() {
    let times = RunTimes::default();
    assert!(!times.fails(0) && times.error(0).is_none());
    // What one takes depends on something else than the size.
    for round in 0..40u64 {
        times.sample(0, 64, 1000 << (round * 7 % 5), false);
    }
    assert!(times.fails(0), "{:?}", times.error(0));
    assert!(times.error(0).expect("predictions") > 0.5);
    for _ in 0..30 {
        times.sample(0, 64, 1000, false);
    }
    assert!(!times.fails(0) && times.has_failed());
    assert_eq!(times.error(0), Some(0.0));
}

#[test]
fn few_predictions_are_not_judged() {
    let times = RunTimes::default();
    for round in 0..8 {
        assert!(!times.fails(0), "{round}");
        times.sample(0, 64, 1000 << round, false);
    }
    times.sample(0, 64, 1000 << 9, false);
    assert!(times.fails(0));
}

#[test]
fn what_is_kept_can_be_taken_in_again() {
    let (first, second) = (RunTimes::default(), RunTimes::default());
    for ns in 1..=20 {
        first.sample(0, 64, ns, ns % 2 == 0);
    }
    first.sample(0, 128, 7, false);
    let kept = kept_of(&first, 0);
    let (bytes, of_128) = &kept[1];
    assert!(*bytes == 128 && of_128.alone == [7] && of_128.beside.is_empty());
    for (bytes, times) in &kept {
        second.seed(0, *bytes, ToldBy::Bytes, times);
    }
    for bytes in [64, 128] {
        assert_eq!(first.expected(0, bytes), second.expected(0, bytes));
    }
    assert_eq!(kept_of(&second, 0), [], "nothing is new");
}

#[test]
fn what_ran_beside_others_long_ago_is_not_what_ran_last() {
    let (first, second) = (RunTimes::default(), RunTimes::default());
    for beside in [true, false] {
        for _ in 0..11 {
            first.sample(0, 64, if beside { 900 } else { 100 }, beside);
        }
    }
    second.seed(0, 64, ToldBy::Bytes, &kept_of(&first, 0)[0].1);
    assert_eq!(expected(&second, 0, 64), Some(100));
    // The runs go on alike.
    for round in 0..4 {
        for times in [&first, &second] {
            times.sample(0, 64, 900, true);
        }
        assert_eq!(expected(&first, 0, 64), expected(&second, 0, 64), "{round}");
    }
    assert_eq!(expected(&second, 0, 64), Some(900));
}

#[test]
fn threads_lose_samples_at_most() {
    let times = RunTimes::default();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let times = &times;
            scope.spawn(move || {
                for round in 0..if cfg!(miri) { 20 } else { 20_000u64 } {
                    let bytes = 64 << (round % 3);
                    times.sample(0, bytes, bytes * 10 + thread, round % 2 == 0);
                    let found = times.expected(0, bytes);
                    assert!(found.is_none_or(|e| (bytes * 10..bytes * 10 + 4).contains(&e.ns)));
                }
            });
        }
    });
    assert!(!times.fails(0));
}
