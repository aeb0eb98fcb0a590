//! Models of the table of sizes: no size gets two classes, and a lookup finds what was published, or nothing.

use crate::model::run_times::RunTimes;
use crate::model::sizes::Sizes;
use loom::sync::Arc;
use loom::thread;

#[test]
fn loom_one_size_has_one_class() {
    loom::model(|| {
        let sizes = Arc::new(Sizes::default());
        let other = sizes.clone();
        let claims = thread::spawn(move || {
            let class = other.class_for(64).expect("room");
            std::ptr::from_ref(class).addr()
        });
        let mine = std::ptr::from_ref(sizes.class_for(64).expect("room")).addr();
        assert_eq!(claims.join().expect("the other thread"), mine);
        assert_eq!(sizes.each().count(), 1);
    });
}

#[test]
fn loom_two_sizes_have_two_classes_beside_a_lookup() {
    loom::model(|| {
        let sizes = Arc::new(Sizes::default());
        let other = sizes.clone();
        let claims = thread::spawn(move || {
            if let Some(class) = other.class_for(64) {
                class.add(640, false);
            }
        });
        if let Some(class) = sizes.class_for(4096) {
            class.add(40_960, false);
        }
        let found = sizes.expected(64).map(|estimate| estimate.ns);
        // From the class of its own, or from the other one, of which a 64th of the bytes takes an eighth of the time.
        assert!(matches!(found, None | Some(640 | 5119..=5121)), "{found:?}");
        claims.join().expect("the other thread");
        assert_eq!(sizes.each().count(), 2);
    });
}

#[test]
fn loom_a_lookup_beside_samples_finds_one_of_them() {
    loom::model(|| {
        let times = Arc::new(RunTimes::default());
        times.sample(1, 64, 500, false);
        let other = times.clone();
        let samples = thread::spawn(move || other.sample(1, 64, 300, false));
        let found = times.expected(1, 64).expect("one was there");
        assert!([300, 500].contains(&found.ns), "{found:?}");
        assert!((1..=2).contains(&found.samples));
        samples.join().expect("the other thread");
    });
}
