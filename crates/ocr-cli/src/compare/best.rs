//! Says in words which policy is best, by the times of its runs alone.

use crate::compare::race::Told;
use crate::ranks::{CONFIDENCE, ERROR, Lead};
use crate::times::Times;
use serde::Serialize;

/// Up to how many times the least median that of a policy may be which is advised because it needs the least setting.
const NEAR: f64 = 1.1;

/// A policy whose runs all ended well.
pub(crate) struct Candidate<'a> {
    /// The name of the policy, as in `OCR_SCHED`.
    pub(crate) policy: &'a str,
    /// How long the runs of the policy took.
    pub(crate) times: &'a Times,
    /// By how much another policy is shown to be faster, and which one: its index among the candidates. None where none
    /// is.
    pub(crate) told: Option<Told>,
}

/// Which policy is best, and which one to use.
#[derive(Serialize, Debug, PartialEq)]
pub(crate) struct Verdict {
    /// The policy with the least median, where there are two or more to compare.
    pub(crate) best: Option<String>,
    /// The other policies that are not distinguished from the best one.
    pub(crate) alike: Vec<String>,
    /// The policy to use. None where the runs do not say it.
    #[serde(rename = "use")]
    pub(crate) advice: Option<String>,
    /// The confidence at which the others are shown to be slower, from 0 to 1. None where none is.
    pub(crate) confidence: Option<f64>,
    /// How many times as fast the best policy is as the next that is shown to be slower.
    pub(crate) lead: Option<Lead>,
    /// The verdict as a sentence.
    pub(crate) text: String,
}

impl Verdict {
    /// A verdict without a best policy, whose text says why.
    pub(crate) fn none(text: String) -> Verdict {
        Verdict { best: None, alike: Vec::new(), advice: None, confidence: None, lead: None, text }
    }
}

/// The best single place: the index of the faster one of the policies `cpu` and `device`. None unless both have run.
pub(crate) fn best_place(candidates: &[Candidate<'_>]) -> Option<usize> {
    let find = |name| candidates.iter().position(|candidate| candidate.policy == name);
    let (cpu, device) = (find("cpu")?, find("device")?);
    let is_cpu = candidates[cpu].times.median() <= candidates[device].times.median();
    Some(if is_cpu { cpu } else { device })
}

/// What one must know of the runs to judge them.
pub(crate) struct Runs<'a> {
    /// Whether there are policies whose runs failed.
    pub(crate) others_failed: bool,
    /// The policy of a program for which none is set.
    pub(crate) default: &'a str,
    /// With how many runs of each policy an order can be shown at the earliest.
    pub(crate) enough: usize,
}

/// Which of the candidates is best. None if there is none.
pub(crate) fn verdict(candidates: &[Candidate<'_>], runs: &Runs<'_>) -> Option<Verdict> {
    let median = |index: usize| candidates[index].times.median();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    // A policy that is shown to be slower is never the best.
    order.sort_by(|&one, &other| {
        let is_told = |index: usize| candidates[index].told.is_some();
        (is_told(one).cmp(&is_told(other))).then(median(one).total_cmp(&median(other)))
    });
    let name = |index: usize| candidates[index].policy;
    let (&best, others) = order.split_first()?;
    let Some(&first) = others.first() else {
        let what = if runs.others_failed {
            format!("Only the runs of {} ended well", name(best))
        } else {
            format!("Only {} was run", name(best))
        };
        return Some(Verdict::none(format!("{what}: there is nothing to compare with.")));
    };
    let times = candidates[best].times;
    let of = if runs.others_failed { "Of the policies whose runs ended well, " } else { "" };
    let faster = |than: usize| {
        let gain = gain(times.median(), median(than), name(than));
        match candidates[than].told {
            Some(told) if told.than == best => gain + &between(&told.lead),
            _ => gain,
        }
    };
    let mut verdict = Verdict::none(String::new());
    verdict.best = Some(name(best).into());
    if times.median() <= 0.0 {
        verdict.text =
            format!("The runs of {} took no time that could be measured: compare with more work.", name(best));
        return Some(verdict);
    }
    let (slower, alike): (Vec<usize>, Vec<usize>) = others.iter().partition(|&&other| candidates[other].told.is_some());
    verdict.alike = alike.iter().map(|&index| name(index).into()).collect();
    let mut equals = vec![best];
    equals.extend(&alike);
    let equal_names = listed(&equals.iter().map(|&index| name(index)).collect::<Vec<_>>());
    let fewest = equals.iter().map(|&index| candidates[index].times.sorted().len());
    let fewest = fewest.min().unwrap_or(0);
    if fewest < runs.enough {
        verdict.text = format!(
            "{of}{} was {}, but {equal_names} are not told apart: so few runs do not tell a difference from chance. Give --runs {} \
             or more.",
            name(best),
            faster(first),
            runs.enough
        );
        return Some(verdict);
    }
    let next = slower.first().copied();
    verdict.confidence = next.map(|_| 1.0 - ERROR);
    verdict.lead = next.and_then(|next| candidates[next].told).map(|told| told.lead);
    let place = best_place(candidates);
    let is_default = |index: usize| name(index) == runs.default;
    // Of equals, the one that needs the least setting is advised.
    let default = equals.iter().copied().find(|&index| is_default(index));
    let use_this = default.or(place.filter(|place| equals.contains(place))).unwrap_or(best);
    let gains = match (next, place) {
        (None, _) => None,
        (Some(next), Some(place)) if place == best => {
            Some((", a single place,", format!("{}, the next", faster(next))))
        }
        (Some(next), Some(place)) if place == next => {
            Some(("", format!("{}, which is the next and the best single place", faster(next))))
        }
        (Some(next), Some(place)) if slower.contains(&place) => {
            Some(("", format!("{}, the best single place, and {}, the next", faster(place), faster(next))))
        }
        (Some(next), _) => Some(("", format!("{}, the next", faster(next)))),
    };
    let is_alone = alike.is_empty();
    verdict.text = match gains {
        Some((is, gains)) if is_alone => {
            format!("{of}{}{is} is best, at {CONFIDENCE}: it is {gains}.", name(best))
        }
        Some((_, gains)) => format!(
            "{of}{equal_names} are the fastest, and not told apart by {fewest} runs of each, at {CONFIDENCE}. {} is {gains}.",
            name(best)
        ),
        None => format!("{of}{equal_names} are not told apart by {fewest} runs of each, at {CONFIDENCE}."),
    };
    // Nothing is advised that was much slower, even if that may be chance.
    if median(use_this) > NEAR * times.median() {
        verdict.text += &format!(
            " No policy is advised, since {} was {}, and that may be chance. More runs may tell: --runs {}.",
            name(best),
            faster(use_this),
            3 * fewest
        );
        return Some(verdict);
    }
    verdict.text += &if is_default(use_this) {
        format!(" Use OCR_SCHED={}, the default: nothing has to be set.", runs.default)
    } else {
        format!(" Use OCR_SCHED={}.", name(use_this))
    };
    verdict.advice = Some(name(use_this).into());
    Some(verdict)
}

/// The ratios between which that of two policies lies, for a sentence.
fn between(lead: &Lead) -> String {
    if lead.most.is_finite() { format!(" ({:.2} to {:.2} times)", lead.least, lead.most) } else { String::new() }
}

/// The words for how much faster a time of `seconds` is than a time of `other` seconds, which is that of `name`.
pub(crate) fn gain(seconds: f64, other: f64, name: &str) -> String {
    let ratio = other / seconds;
    match (ratio - 1.0) * 100.0 {
        percent if percent < 0.1 => format!("less than 0.1 % faster than {name}"),
        percent if percent < 9.95 => format!("{percent:.1} % faster than {name}"),
        _ => format!("{ratio:.2} times as fast as {name}"),
    }
}

/// Names as a list in a sentence: "a, b and c".
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::race::Race;

    /// The verdict on policies with the times of their runs, after a race with as many rounds.
    fn judged(policies: &[(&str, &[f64])], others_failed: bool) -> Option<Verdict> {
        let times: Vec<Option<Times>> = policies.iter().map(|(_, times)| Times::new(times.to_vec())).collect();
        let rounds = policies.first().map_or(1, |(_, times)| times.len());
        let mut race = Race::new(policies.len(), Some((rounds, rounds)));
        race.look(rounds, &times);
        let policies = policies.iter().zip(&times).enumerate();
        let candidates: Vec<Candidate<'_>> = policies
            .filter_map(|(at, (&(policy, _), times))| {
                Some(Candidate { policy, times: times.as_ref()?, told: race.told(at) })
            })
            .collect();
        let runs = Runs { others_failed, default: "eft", enough: race.enough() };
        verdict(&candidates, &runs)
    }

    /// Eight runs that take about `seconds` seconds.
    fn about(seconds: f64) -> Vec<f64> {
        let runs = (0..8).map(|run| seconds * (1.0 + 0.005 * f64::from(run - 4)));
        runs.collect()
    }

    fn text(policies: &[(&str, &[f64])]) -> String {
        judged(policies, false).map_or(String::new(), |verdict| verdict.text)
    }

    #[test]
    fn a_clear_winner_is_named_with_what_it_gains() {
        let [one, two, four, six] = [1.0, 2.0, 4.0, 6.0].map(about);
        let cpu: (&str, &[f64]) = ("cpu", &four);
        let device: (&str, &[f64]) = ("device", &six);
        let eager: (&str, &[f64]) = ("eager", &two);
        let verdict = judged(&[cpu, device, eager], false).expect("there are runs");
        assert_eq!(
            verdict.text,
            "eager is best, at a confidence of 95 %: it is 2.00 times as fast as cpu (1.96 to 2.04 times), which is the next and \
             the best single place. Use OCR_SCHED=eager."
        );
        assert_eq!(verdict.best.as_deref(), Some("eager"));
        assert_eq!(verdict.advice.as_deref(), Some("eager"));
        assert!(verdict.alike.is_empty());
        assert_eq!(verdict.confidence, Some(0.95));
        let lead = verdict.lead.expect("there is one");
        assert!(lead.least > 1.9 && lead.most < 2.1, "{lead:?}");
        let said = text(&[cpu, device, eager, ("eft", &one)]);
        assert!(
            said.starts_with("eft is best, at a confidence of 95 %: it is 4.00 times as fast as cpu (3.9"),
            "{said}"
        );
        assert!(
            said.contains("the best single place, and 2.00 times as fast as eager (1.9")
                && said.ends_with("the next. Use OCR_SCHED=eft, the default: nothing has to be set."),
            "{said}"
        );
        let said = text(&[device, ("cpu", &about(6.5))]);
        assert!(
            said.starts_with(
                "device, a single place, is best, at a confidence of 95 %: it is 8.3 % faster than cpu (1.0"
            ),
            "{said}"
        );
        assert!(said.ends_with(", the next. Use OCR_SCHED=device."), "{said}");
    }

    #[test]
    fn what_is_not_told_apart_is_not_called_best() {
        let (four, six) = (about(4.0), about(6.0));
        let cpu: (&str, &[f64]) = ("cpu", &four);
        let device: (&str, &[f64]) = ("device", &six);
        // Half as long in the middle, and still some runs take as long as those of the other.
        let mixed: &[f64] = &[2.0, 2.0, 2.0, 2.0, 2.0, 4.1, 4.2, 4.3];
        let verdict = judged(&[cpu, device, ("eager", mixed)], false).expect("there are runs");
        assert!(
            verdict.text.starts_with(
                "eager and cpu are the fastest, and not told apart by 8 runs of each, at a confidence of 95 %. eager is "
            ),
            "{}",
            verdict.text
        );
        assert!(
            verdict.text.ends_with(
                "No policy is advised, since eager was 2.00 times as fast as cpu, and that may be chance. More runs may tell: \
                 --runs 24."
            ),
            "{}",
            verdict.text
        );
        assert_eq!(verdict.alike, ["cpu"]);
        assert_eq!(verdict.advice, None);
        // The single place where nothing says that another is better; the default before it.
        let near = about(3.98);
        let verdict = judged(&[cpu, device, ("eager", &near)], false).expect("there are runs");
        assert!(verdict.text.ends_with(" Use OCR_SCHED=cpu."), "{}", verdict.text);
        let with_default = [cpu, device, ("eager", &near[..]), ("eft", &four[..])];
        let verdict = judged(&with_default, false).expect("there are runs");
        assert_eq!(verdict.advice.as_deref(), Some("eft"));
        assert_eq!(verdict.alike, ["cpu", "eft"]);
        assert_eq!(
            text(&[("cpu", &four), ("cpu", &four)]),
            "cpu and cpu are not told apart by 8 runs of each, at a confidence of 95 %. Use OCR_SCHED=cpu."
        );
    }

    #[test]
    fn what_cannot_be_judged_is_not() {
        assert_eq!(judged(&[], true), None);
        let one = judged(&[("cpu", &[1.0, 1.0, 1.0])], false).expect("there are runs");
        assert_eq!(one.text, "Only cpu was run: there is nothing to compare with.");
        assert_eq!((one.best, one.advice), (None, None));
        let one = judged(&[("cpu", &[1.0, 1.0, 1.0])], true).expect("there are runs");
        assert!(one.text.starts_with("Only the runs of cpu ended well"));
        // Three runs of each, however far apart.
        let few = judged(&[("cpu", &[1.0, 1.0, 1.1]), ("eft", &[9.0, 9.0, 9.1])], false);
        let few = few.expect("there are runs");
        assert_eq!(
            few.text,
            "cpu was 9.00 times as fast as eft, but cpu and eft are not told apart: so few runs do not tell a difference from \
             chance. Give --runs 4 or more."
        );
        assert_eq!((few.advice, few.confidence), (None, None));
        let none = judged(&[("cpu", &[0.0; 5]), ("eft", &[0.1; 5])], false);
        let none = none.expect("there are runs");
        assert!(none.text.contains("no time that could be measured"));
        assert_eq!(none.advice, None);
    }

    #[test]
    fn the_best_of_those_that_did_not_fail_is_called_that() {
        let (one, two) = (about(1.0), about(2.0));
        let verdict = judged(&[("eager", &one), ("cpu", &two)], true).expect("there are runs");
        assert!(verdict.text.starts_with(
            "Of the policies whose runs ended well, eager is best, at a confidence of 95 %: it is 2.00 times as fast as cpu ("
        ));
    }

    #[test]
    fn small_gains_are_percents() {
        assert_eq!(gain(1.0, 1.0004, "x"), "less than 0.1 % faster than x");
        assert_eq!(gain(1.0, 1.05, "x"), "5.0 % faster than x");
        assert_eq!(gain(1.0, 1.5, "x"), "1.50 times as fast as x");
    }
}
