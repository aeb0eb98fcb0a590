use super::*;
use crate::model::file::Content;

#[test]
fn copies_are_kept_by_direction() {
    let entry = |direction, day, ns| CopyEntry {
        direction,
        day,
        samples: CopySamples { latency_ns: vec![ns], ps_per_kib: vec![] },
    };
    let (to, from) = (Direction::ToDevice, Direction::FromDevice);
    let today = 1000;
    let mut kept = Content { place: "a place".into(), ..Content::default() };
    kept.merge(vec![], vec![entry(from, 900, 5), entry(to, 100, 6)], 900, true);
    assert_eq!(Content::parse(kept.text().as_bytes()), kept);
    // The newer one replaces the older one of its direction, and an old one goes.
    kept.merge(vec![], vec![entry(from, today, 7)], today, true);
    assert_eq!(kept.copies, [entry(from, today, 7)]);
    let text = kept.text();
    for wrong in [text.replace("latency=7", "latency=8"), text.replace("copies=from", "copies=by")] {
        let found = Content::parse(wrong.as_bytes());
        assert!(found.copies.is_empty() && found.damage.is_some());
    }
}
