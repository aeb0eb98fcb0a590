//! Why one policy is better than others, and what to try next, by the recordings of their runs.

use crate::diagnosis::{Facts, Finding, LIMITS, RuleId, Variant};
use ocr_base::text::duration;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many pieces of advice a comparison lists at most below "What to try next".
const NEXT: usize = 3;

/// The sentences that stand below the verdict.
#[derive(Serialize, Clone, Debug, Default, PartialEq)]
pub struct Reasons {
    /// Why the other policies are slower. Of a single run, what made it long.
    pub why: Vec<String>,
    /// What to try next with the policy that is advised.
    pub next: Vec<String>,
}

/// A recorded run of a policy.
#[derive(Clone, Copy)]
pub struct SeenRun<'a> {
    /// The name of the policy.
    pub policy: &'a str,
    /// The facts about the run.
    pub facts: &'a Facts,
    /// The seconds that the program itself has printed. None where it prints none.
    pub own: Option<f64>,
}

impl SeenRun<'_> {
    /// How many seconds of the run, from its first EDT's begin to its last one's end, are not in those that the program
    /// prints. 0 where that is too little to tell.
    pub fn left_out(&self) -> f64 {
        let left_out = self.own.map_or(0.0, |own| self.facts.seconds - own);
        if left_out < LIMITS.cost * self.facts.seconds {
            return 0.0;
        }
        left_out
    }

    /// The seconds by which runs are compared.
    fn seconds(&self) -> f64 {
        self.facts.seconds - self.left_out()
    }

    /// How many of these seconds the run would save at most without what was found. A program that leaves out a part of
    /// its run leaves out the start, in which it has created no EDTs yet.
    fn saves(&self, finding: &Finding) -> f64 {
        let saves = seconds(finding);
        match finding.rule {
            RuleId::NoWork => (saves - self.left_out()).max(0.0),
            _ => saves,
        }
    }
}

/// How many seconds of its run a finding saves at most; 0 where that is not known.
fn seconds(finding: &Finding) -> f64 {
    finding.saves_ns.unwrap_or(0) as f64 / 1e9
}

/// The reasons for the policy that is advised. `alike` are policies that are not shown to be slower. `seen` has
/// the recorded run of each policy. Of a single run, its causes are the reasons.
pub fn reasons(advised: Option<&str>, alike: &[String], seen: &[SeenRun<'_>]) -> Reasons {
    if let [run] = seen {
        let findings = run.facts.findings.iter();
        return Reasons { why: findings.map(|its| its.text.clone()).collect(), next: next(run, seen, false) };
    }
    let best = seen.iter().find(|run| Some(run.policy) == advised);
    let Some(best) = best else {
        return Reasons::default();
    };
    let others = seen.iter().filter(|run| run.policy != best.policy && !alike.iter().any(|known| known == run.policy));
    Reasons {
        why: others.map(|slow| format!("{}: {}", slow.policy, against(best, slow))).collect(),
        next: next(best, seen, alike.iter().any(|known| known != best.policy)),
    }
}

/// What to try next with a policy: the advice of its causes, without sentences that advise a policy which has been
/// tried. Where another policy is as good (`is_even`), the place in which EDTs run makes no difference, and none is
/// advised.
fn next(run: &SeenRun<'_>, seen: &[SeenRun<'_>], is_even: bool) -> Vec<String> {
    let is_tried = |sentence: &str| {
        let mut others = seen.iter().filter(|other| other.policy != run.policy);
        others.any(|other| sentence.contains(&format!("OCR_SCHED={}", other.policy)))
    };
    let mut next: Vec<String> = Vec::new();
    let is_of_place = |finding: &&Finding| matches!(finding.rule, RuleId::Placement | RuleId::Unused);
    for finding in run.facts.findings.iter().filter(|finding| !(is_even && is_of_place(finding))) {
        let sentences = finding.advice.split_inclusive(". ");
        let left: String = sentences.filter(|sentence| !is_tried(sentence)).collect();
        let mut left = left.trim().to_string();
        if run.saves(finding) < LIMITS.cost * seconds(finding) {
            left += &format!(
                " That shortens the run, and hardly the seconds that the program prints: they leave out {} of it.",
                duration(run.left_out())
            );
        }
        if !left.is_empty() && !next.contains(&left) && next.len() < NEXT {
            next.push(left);
        }
    }
    next
}

/// Sentences on why a run was slower than that of the best policy.
fn against(best: &SeenRun<'_>, slow: &SeenRun<'_>) -> String {
    let is_slower = slow.seconds() > best.seconds();
    let cause = cause(best, slow).filter(|_| is_slower);
    let found = [missing(best.policy, best.facts, slow.facts), cause.map(|cause| cause.text.clone())];
    let found: Vec<String> = found.into_iter().flatten().collect();
    if !found.is_empty() {
        return found.join(" ");
    }
    match longer(best, slow) {
        Some(reason) => reason,
        None if is_slower => "the recordings do not tell why it is slower.".into(),
        None => format!(
            "its recorded run took {}, which is no longer than that of {}, so the recordings do not tell why it is slower.",
            duration(slow.seconds()),
            best.policy
        ),
    }
}

/// A sentence on EDTs of a template that the policy `best` ran in a place, and the slower one in others alone. None if
/// there are no such EDTs.
fn missing(best: &str, fast: &Facts, slow: &Facts) -> Option<String> {
    let all: u64 = fast.variants.iter().map(|its| its.ns).sum();
    let find = |facts: &'_ Facts, its: &Variant, here: bool| -> Option<Variant> {
        let alike = facts.variants.iter().filter(|other| other.name == its.name && (other.place == its.place) == here);
        alike.max_by_key(|other| other.edts).cloned()
    };
    let is_missing = |its: &&Variant| {
        its.ns as f64 >= LIMITS.cost * all as f64 && find(slow, its, true).is_none() && find(slow, its, false).is_some()
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

/// What costs the slower run most, beyond what the same costs the faster run. None if nothing costs much.
fn cause<'f>(fast: &SeenRun<'_>, slow: &SeenRun<'f>) -> Option<&'f Finding> {
    let known = |finding: &Finding| {
        let mut findings = fast.facts.findings.iter();
        let alike = findings.find(|its| (its.rule, its.place) == (finding.rule, finding.place));
        alike.map_or(0.0, |its| fast.saves(its))
    };
    let findings = slow.facts.findings.iter();
    let more = findings.map(|finding| (slow.saves(finding) - known(finding), finding));
    let most = more.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (most.0 >= LIMITS.cost * slow.seconds()).then_some(most.1)
}

/// A sentence that says for which template the EDTs of the slower run took longer than those of the best one. None
/// where no template did.
fn longer(best: &SeenRun<'_>, slow: &SeenRun<'_>) -> Option<String> {
    let sums = |facts: &Facts| {
        let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for its in &facts.variants {
            let (edts, ns) = sums.entry(its.name.clone()).or_default();
            (*edts, *ns) = (*edts + its.edts, *ns + its.ns);
        }
        sums
    };
    // What a program leaves out is in the EDT that starts the others, which is alone.
    let left_out = (slow.left_out() - best.left_out()).max(0.0) * 1e9;
    let (fast, all) = (sums(best.facts), sums(slow.facts));
    let known = |name: &str| fast.get(name).map_or(0, |(_, ns)| *ns);
    let more = |name: &str| match all[name] {
        (1, ns) => ns.saturating_sub(known(name)).saturating_sub(left_out as u64),
        (_, ns) => ns.saturating_sub(known(name)),
    };
    let name = all.keys().max_by_key(|name| more(name))?;
    let sum: u64 = all.values().map(|(_, ns)| ns).sum();
    if (more(name) as f64) < LIMITS.cost * sum as f64 {
        return None;
    }
    let what = match all[name].0 {
        1 => format!("its EDT of {name} took"),
        _ => format!("its EDTs of {name} together took"),
    };
    Some(format!(
        "{what} {}, and under {} {}.",
        duration(all[name].1 as f64 / 1e9),
        best.policy,
        duration(known(name) as f64 / 1e9)
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
    use crate::diagnosis::{CAUSES, IdleTimes, PARTS, PlaceTime};

    /// A run of `ms` milliseconds: of each place its number, how many EDTs of a template ran there, and how long each
    /// took.
    fn facts(ms: u64, on: &[(u8, u64, u64)], causes: &[(RuleId, u64, &str)]) -> Facts {
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
            times: IdleTimes { span: [0, ms * 1_000_000], places: vec![place(0, "workers"), place(1, "gpu")] },
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
            findings: (causes.iter())
                .map(|(rule, ms, advice)| Finding {
                    rule: *rule,
                    place: Some(1),
                    template: None,
                    saves_ns: Some(ms * 1_000_000),
                    text: format!("It is {rule:?}."),
                    advice: advice.to_string(),
                })
                .collect(),
        }
    }

    /// The recorded run of a policy whose program prints no seconds.
    fn seen<'a>(policy: &'a str, facts: &'a Facts) -> SeenRun<'a> {
        SeenRun { policy, facts, own: None }
    }

    #[test]
    fn a_policy_that_leaves_a_place_out_is_told_so() {
        let cpu = facts(100, &[(0, 10, 10)], &[]);
        let eft = facts(20, &[(0, 2, 10), (1, 8, 2)], &[]);
        let said = reasons(Some("eft"), &[], &[seen("cpu", &cpu), seen("eft", &eft)]);
        assert_eq!(
            said.why,
            [
                "cpu: it ran no EDT of tile on gpu, where eft ran 8 of 10, 2.00 ms each. It ran them on the worker, 10.0 ms each."
            ]
        );
        // Times of single EDTs may not explain all of it.
        let late = facts(100, &[(0, 10, 10)], &[(RuleId::SeenLate, 60, "")]);
        let said = reasons(Some("eft"), &[], &[seen("cpu", &late), seen("eft", &eft)]);
        assert!(said.why[0].ends_with("on the worker, 10.0 ms each. It is SeenLate."), "{said:?}");
        let said = reasons(Some("eft"), &["cpu".into()], &[seen("cpu", &cpu), seen("eft", &eft)]);
        assert!(said.why.is_empty());
        assert_eq!(reasons(None, &[], &[seen("cpu", &cpu), seen("eft", &eft)]), Reasons::default());
    }

    #[test]
    fn what_costs_more_than_under_the_best_is_the_reason() {
        let both: &[(u8, u64, u64)] = &[(0, 5, 10), (1, 5, 10)];
        let fixed = facts(100, both, &[(RuleId::Tail, 60, ""), (RuleId::Share, 50, "")]);
        let eft = facts(60, both, &[(RuleId::Tail, 55, "")]);
        let said = reasons(Some("eft"), &[], &[seen("static:1:1", &fixed), seen("eft", &eft)]);
        assert_eq!(said.why, ["static:1:1: It is Share."]);
        // No cause: the EDTs themselves took longer.
        let slow = facts(100, &[(0, 5, 20), (1, 5, 10)], &[]);
        let said = reasons(Some("eft"), &[], &[seen("eager", &slow), seen("eft", &eft)]);
        assert_eq!(said.why, ["eager: its EDTs of tile together took 150 ms, and under eft 100 ms."]);
        let same = facts(61, both, &[]);
        let said = reasons(Some("eft"), &[], &[seen("eager", &same), seen("eft", &eft)]);
        assert_eq!(said.why, ["eager: the recordings do not tell why it is slower."]);
        // Where the whole run was no longer, single EDTs may have been.
        let said = reasons(Some("eft"), &[], &[seen("eager", &slow), seen("eft", &facts(101, both, &[]))]);
        assert!(said.why[0].starts_with("eager: its EDTs of tile"), "{said:?}");
        let said = reasons(Some("eft"), &[], &[seen("eager", &eft), seen("eft", &same)]);
        assert!(said.why[0].contains("no longer than that of eft"), "{said:?}");
    }

    #[test]
    fn what_was_tried_is_not_advised() {
        let advice = "Try OCR_SCHED=eft. Fixed shares that fit are OCR_SCHED=static:10:1.";
        let fixed = facts(100, &[], &[(RuleId::Share, 60, advice), (RuleId::Unused, 0, "Try OCR_SCHED=eft.")]);
        let eft = facts(120, &[], &[]);
        let said = reasons(Some("static:1:1"), &[], &[seen("static:1:1", &fixed), seen("eft", &eft)]);
        assert_eq!(said.next, ["Fixed shares that fit are OCR_SCHED=static:10:1."]);
        // If there is a single run, its causes are the reasons.
        let said = reasons(None, &[], &[seen("static:1:1", &fixed)]);
        assert_eq!(said.why, ["It is Share.", "It is Unused."]);
        assert_eq!(said.next, [advice, "Try OCR_SCHED=eft."]);
    }

    #[test]
    fn no_place_is_advised_where_another_policy_is_as_good() {
        let look = "See what eft expected of each place.";
        let causes = [(RuleId::Placement, 60, look), (RuleId::Unused, 0, look), (RuleId::Tail, 50, "Divide the last.")];
        let (cpu, eft) = (facts(100, &[], &[]), facts(100, &[], &causes));
        let next = |equals: &[&str]| {
            let equals: Vec<String> = equals.iter().map(|name| name.to_string()).collect();
            reasons(Some("eft"), &equals, &[seen("cpu", &cpu), seen("eft", &eft)]).next
        };
        assert_eq!(next(&["eft"]), [look, "Divide the last."]);
        assert_eq!(next(&["cpu", "eft"]), ["Divide the last."]);
    }

    #[test]
    fn what_the_program_leaves_out_of_its_seconds_is_no_reason() {
        let both: &[(u8, u64, u64)] = &[(0, 5, 10), (1, 5, 10)];
        let create = "Create EDTs earlier.";
        let cpu = facts(100, both, &[(RuleId::NoWork, 40, create)]);
        let eft = facts(200, both, &[(RuleId::NoWork, 110, create), (RuleId::SeenLate, 50, "")]);
        let whole = [seen("cpu", &cpu), seen("eft", &eft)];
        let said = reasons(Some("cpu"), &[], &whole);
        assert_eq!(said.why, ["eft: It is NoWork."]);
        assert_eq!(said.next, [create]);
        let own = |run: SeenRun<'static>, ms: f64| SeenRun { own: Some(ms / 1e3), ..run };
        let (cpu, eft) = (Box::leak(Box::new(cpu)), Box::leak(Box::new(eft)));
        let part = [own(seen("cpu", cpu), 60.0), own(seen("eft", eft), 80.0)];
        let said = reasons(Some("cpu"), &[], &part);
        assert_eq!(said.why, ["eft: It is SeenLate."]);
        assert_eq!(
            said.next,
            [
                "Create EDTs earlier. That shortens the run, and hardly the seconds that the program prints: they leave out \
                 40.0 ms of it."
            ]
        );
        // Neither is what the EDT took that starts the others.
        let alone = |ms| &*Box::leak(Box::new(facts(ms, &[(0, 1, ms / 2)], &[])));
        let run = [seen("cpu", alone(100)), seen("eft", alone(200))];
        let said = reasons(Some("cpu"), &[], &run);
        assert_eq!(said.why, ["eft: its EDT of tile took 100 ms, and under cpu 50.0 ms."]);
        let said = reasons(Some("cpu"), &[], &[own(run[0], 60.0), own(run[1], 80.0)]);
        assert_eq!(said.why, ["eft: the recordings do not tell why it is slower."]);
        // A run that is longer only in what is left out is no slower.
        let said = reasons(Some("cpu"), &[], &[part[0], own(seen("eft", eft), 50.0)]);
        assert!(said.why[0].starts_with("eft: its recorded run took 50.0 ms, which is no longer"), "{said:?}");
    }
}
