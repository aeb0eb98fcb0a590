//! Why one policy is better than others, and what to try next, by the recordings of their runs.

use ocr::report::duration;
use ocr::report::why::{Cause, Facts, Variant};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many pieces of advice a comparison lists at most below "What to try next".
const NEXT: usize = 3;

/// The part of a run from which on a difference is worth telling.
const WORTH: f64 = 0.05;

/// Sentences below the verdict.
#[derive(Serialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Reasons {
    /// Why the other policies are slower. Of a single run, what made it long.
    pub(crate) why: Vec<String>,
    /// What to try next with the policy that is advised.
    pub(crate) next: Vec<String>,
}

/// The reasons for the policy that is advised. `alike` are policies that are not shown to be slower. `seen` has the
/// facts of each recorded run, with its policy. Of a single run, its causes are the reasons.
pub(crate) fn reasons(advised: Option<&str>, alike: &[String], seen: &[(&str, &Facts)]) -> Reasons {
    if let [(policy, facts)] = seen {
        return Reasons {
            why: facts.causes.iter().map(|its| its.text.clone()).collect(),
            next: next(policy, facts, seen),
        };
    }
    let best = seen.iter().find(|(policy, _)| Some(*policy) == advised);
    let Some(&(best, facts)) = best else {
        return Reasons::default();
    };
    let others = seen
        .iter()
        .filter(|(policy, _)| *policy != best && !alike.iter().any(|known| known == policy));
    Reasons {
        why: others
            .map(|(other, slow)| format!("{other}: {}", against(best, facts, slow)))
            .collect(),
        next: next(best, facts, seen),
    }
}

/// What to try next with a policy: the advice of its causes, without sentences that advise a policy which has been
/// tried.
fn next(policy: &str, facts: &Facts, seen: &[(&str, &Facts)]) -> Vec<String> {
    let is_tried = |sentence: &str| {
        seen.iter()
            .any(|(known, _)| *known != policy && sentence.contains(&format!("OCR_SCHED={known}")))
    };
    let mut next: Vec<String> = Vec::new();
    for cause in &facts.causes {
        let sentences = cause.advice.split_inclusive(". ");
        let left: String = sentences.filter(|sentence| !is_tried(sentence)).collect();
        let left = left.trim().to_string();
        if !left.is_empty() && !next.contains(&left) && next.len() < NEXT {
            next.push(left);
        }
    }
    next
}

/// A sentence on why a run was slower than that of the policy `best`.
fn against(best: &str, fast: &Facts, slow: &Facts) -> String {
    // Causes are about the whole run. The seconds that a program prints may leave a part of it out.
    let is_slower = slow.seconds > fast.seconds;
    let reason = (missing(best, fast, slow))
        .or_else(|| {
            let cause = cause(fast, slow).filter(|_| is_slower);
            cause.map(|cause| cause.text.clone())
        })
        .or_else(|| longer(best, fast, slow));
    match reason {
        Some(reason) => reason,
        None if is_slower => "the recordings do not tell why it is slower.".into(),
        None => format!(
            "its recorded run took {}, which is no longer than that of {best}, so the recordings do not tell why it is slower.",
            duration(slow.seconds)
        ),
    }
}

/// A sentence on EDTs of a template that the policy `best` ran in a place, and the slower one in others alone. None if
/// there are no such EDTs.
fn missing(best: &str, fast: &Facts, slow: &Facts) -> Option<String> {
    let all: u64 = fast.variants.iter().map(|its| its.ns).sum();
    let find = |facts: &'_ Facts, its: &Variant, here: bool| -> Option<Variant> {
        let alike = facts
            .variants
            .iter()
            .filter(|other| other.name == its.name && (other.place == its.place) == here);
        alike.max_by_key(|other| other.edts).cloned()
    };
    let is_missing = |its: &&Variant| {
        its.ns as f64 >= WORTH * all as f64
            && find(slow, its, true).is_none()
            && find(slow, its, false).is_some()
    };
    let its = fast.variants.iter().filter(is_missing);
    let its = its.max_by_key(|its| its.edts)?;
    let alike = fast.variants.iter().filter(|other| other.name == its.name);
    let edts: u64 = alike.map(|other| other.edts).sum();
    let instead = find(slow, its, false)?;
    Some(format!(
        "it ran no EDT of {} on {}, where {best} ran {} of {edts}, {} each. It ran them on {}, {} each.",
        its.name,
        name(fast, its.place),
        its.edts,
        duration(its.mean() / 1e9),
        name(slow, instead.place),
        duration(instead.mean() / 1e9),
    ))
}

/// The cause that costs the slower run most, beyond what the same cause costs the faster run. None if none costs much.
fn cause<'f>(fast: &Facts, slow: &'f Facts) -> Option<&'f Cause> {
    let known = |cause: &Cause| {
        let alike = fast
            .causes
            .iter()
            .find(|its| (its.rule, its.place) == (cause.rule, cause.place));
        alike.map_or(0.0, |its| its.costs)
    };
    let more = slow
        .causes
        .iter()
        .map(|cause| (cause.costs - known(cause), cause));
    let most = more.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (most.0 >= WORTH * slow.seconds).then_some(most.1)
}

/// A sentence that says for which template the EDTs of the slower run took longer than those of the faster run. None where
/// no template did.
fn longer(best: &str, fast: &Facts, slow: &Facts) -> Option<String> {
    let sums = |facts: &Facts| {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for its in &facts.variants {
            *sums.entry(its.name.clone()).or_default() += its.ns;
        }
        sums
    };
    let (fast, slow) = (sums(fast), sums(slow));
    let more = |name: &String| {
        let known = fast.get(name).copied().unwrap_or(0);
        slow[name].saturating_sub(known)
    };
    let name = slow.keys().max_by_key(|name| more(name))?;
    let all: u64 = slow.values().sum();
    if (more(name) as f64) < WORTH * all as f64 {
        return None;
    }
    Some(format!(
        "its EDTs of {name} took {} together where they ran, and under {best} {}.",
        duration(slow[name] as f64 / 1e9),
        duration(fast.get(name).copied().unwrap_or(0) as f64 / 1e9)
    ))
}

/// The name of a place in a sentence.
fn name(facts: &Facts, place: u8) -> String {
    match facts.place(place) {
        Some(its) if place == 0 && its.units == 1 => "the worker".into(),
        _ if place == 0 => "the workers".into(),
        Some(its) => its.name.clone(),
        None => format!("device {}", place - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ocr::report::why::{CAUSES, PARTS, PlaceTime, Rule, Times};

    /// A run of so many milliseconds with so many EDTs of a template on the worker and on the device, and how long each took.
    fn facts(ms: u64, on: &[(u8, u64, u64)], causes: &[(Rule, u64, &str)]) -> Facts {
        let place = |place, name: &str| PlaceTime {
            place,
            name: name.into(),
            units: 1,
            busy: 0,
            idle: [0; CAUSES],
            parts: vec![[0; CAUSES]; PARTS],
        };
        Facts {
            seconds: ms as f64 / 1e3,
            score: None,
            times: Times {
                span: [0, ms * 1_000_000],
                places: vec![place(0, "workers"), place(1, "gpu")],
            },
            moved: Default::default(),
            variants: (on.iter())
                .map(|(place, edts, each)| Variant {
                    template: 0,
                    name: "tile".into(),
                    place: *place,
                    edts: *edts,
                    ns: edts * each * 1_000_000,
                })
                .collect(),
            causes: (causes.iter())
                .map(|(rule, ms, advice)| Cause {
                    rule: *rule,
                    place: Some(1),
                    costs: *ms as f64 / 1e3,
                    text: format!("It is {rule:?}."),
                    advice: advice.to_string(),
                })
                .collect(),
        }
    }

    #[test]
    fn a_policy_that_leaves_a_place_out_is_told_so() {
        let cpu = facts(100, &[(0, 10, 10)], &[]);
        let eft = facts(20, &[(0, 2, 10), (1, 8, 2)], &[]);
        let said = reasons(Some("eft"), &[], &[("cpu", &cpu), ("eft", &eft)]);
        assert_eq!(
            said.why,
            [
                "cpu: it ran no EDT of tile on gpu, where eft ran 8 of 10, 2.00 ms each. It ran them on the worker, 10.0 ms each."
            ]
        );
        let said = reasons(
            Some("eft"),
            &["cpu".into()],
            &[("cpu", &cpu), ("eft", &eft)],
        );
        assert!(said.why.is_empty());
        assert_eq!(
            reasons(None, &[], &[("cpu", &cpu), ("eft", &eft)]),
            Reasons::default()
        );
    }

    #[test]
    fn what_costs_more_than_under_the_best_is_the_reason() {
        let both: &[(u8, u64, u64)] = &[(0, 5, 10), (1, 5, 10)];
        let fixed = facts(100, both, &[(Rule::Tail, 60, ""), (Rule::Share, 50, "")]);
        let eft = facts(60, both, &[(Rule::Tail, 55, "")]);
        let said = reasons(Some("eft"), &[], &[("static:1:1", &fixed), ("eft", &eft)]);
        assert_eq!(said.why, ["static:1:1: It is Share."]);
        // No cause: the EDTs themselves took longer.
        let slow = facts(100, &[(0, 5, 20), (1, 5, 10)], &[]);
        let said = reasons(Some("eft"), &[], &[("eager", &slow), ("eft", &eft)]);
        assert_eq!(
            said.why,
            ["eager: its EDTs of tile took 150 ms together where they ran, and under eft 100 ms."]
        );
        let same = facts(61, both, &[]);
        let said = reasons(Some("eft"), &[], &[("eager", &same), ("eft", &eft)]);
        assert_eq!(
            said.why,
            ["eager: the recordings do not tell why it is slower."]
        );
        // Where the whole run was no longer, single EDTs may have been.
        let said = reasons(
            Some("eft"),
            &[],
            &[("eager", &slow), ("eft", &facts(101, both, &[]))],
        );
        assert!(
            said.why[0].starts_with("eager: its EDTs of tile"),
            "{said:?}"
        );
        let said = reasons(Some("eft"), &[], &[("eager", &eft), ("eft", &same)]);
        assert!(
            said.why[0].contains("no longer than that of eft"),
            "{said:?}"
        );
    }

    #[test]
    fn what_was_tried_is_not_advised() {
        let advice = "Try OCR_SCHED=eft. Fixed shares that fit are OCR_SCHED=static:10:1.";
        let fixed = facts(
            100,
            &[],
            &[
                (Rule::Share, 60, advice),
                (Rule::Unused, 0, "Try OCR_SCHED=eft."),
            ],
        );
        let eft = facts(120, &[], &[]);
        let said = reasons(
            Some("static:1:1"),
            &[],
            &[("static:1:1", &fixed), ("eft", &eft)],
        );
        assert_eq!(
            said.next,
            ["Fixed shares that fit are OCR_SCHED=static:10:1."]
        );
        // Of a single run, its causes are the reasons.
        let said = reasons(None, &[], &[("static:1:1", &fixed)]);
        assert_eq!(said.why, ["It is Share.", "It is Unused."]);
        assert_eq!(said.next, [advice, "Try OCR_SCHED=eft."]);
    }
}
