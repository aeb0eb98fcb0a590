//! Says in words which policy is best, by the times of its runs alone.

use serde::Serialize;

/// How many runs of each policy are needed to tell a difference from chance. Where two policies take the same time, the
/// three runs of one are all faster than those of the other once in twenty times. Of two runs each, this happens once
/// in six times.
const ENOUGH: usize = 3;

/// Up to how many times the least median another one counts as near, so that more runs are not worth their time.
const NEAR: f64 = 1.1;

/// How long the runs of a policy took, in seconds.
pub(crate) struct Times {
    /// The times from the fastest run to the slowest; never empty.
    sorted: Vec<f64>,
}

impl Times {
    /// The times of runs, which may be in any order. None where there is no run.
    pub(crate) fn new(mut seconds: Vec<f64>) -> Option<Times> {
        seconds.sort_by(f64::total_cmp);
        (!seconds.is_empty()).then_some(Times { sorted: seconds })
    }

    /// The time in the middle, or the mean of the two times there.
    pub(crate) fn median(&self) -> f64 {
        let count = self.sorted.len();
        (self.sorted[(count - 1) / 2] + self.sorted[count / 2]) / 2.0
    }

    /// The time in the middle, or the faster of the two times there: one that a run took.
    pub(crate) fn middle(&self) -> f64 {
        self.sorted[(self.sorted.len() - 1) / 2]
    }

    /// The fastest and the slowest time. Of ten runs and more, a tenth on either side is left out, since these may be
    /// accidents.
    pub(crate) fn spread(&self) -> (f64, f64) {
        let left_out = self.sorted.len() / 10;
        let last = self.sorted.len() - 1;
        (self.sorted[left_out], self.sorted[last - left_out])
    }

    /// Whether the spreads of two policies overlap, so that the difference of their medians tells nothing.
    pub(crate) fn is_like(&self, other: &Times) -> bool {
        let ((fast, slow), (other_fast, other_slow)) = (self.spread(), other.spread());
        fast <= other_slow && other_fast <= slow
    }
}

/// A policy whose runs all ended well.
pub(crate) struct Candidate<'a> {
    /// The name of the policy, as in `OCR_SCHED`.
    pub(crate) policy: &'a str,
    /// How long the runs of the policy took.
    pub(crate) times: &'a Times,
}

/// Which policy is best, and which one to use.
#[derive(Serialize, Debug, PartialEq)]
pub(crate) struct Verdict {
    /// The policy with the least median, where there are two or more to compare.
    pub(crate) best: Option<String>,
    /// The other policies whose times differ from those of the best one by no more than the spread of the runs.
    pub(crate) alike: Vec<String>,
    /// The policy to use. None where the runs do not say it.
    #[serde(rename = "use")]
    pub(crate) advice: Option<String>,
    /// The verdict as a sentence.
    pub(crate) text: String,
}

impl Verdict {
    /// A verdict without a best policy, whose text says why.
    pub(crate) fn none(text: String) -> Verdict {
        Verdict {
            best: None,
            alike: Vec::new(),
            advice: None,
            text,
        }
    }
}

/// The best single place: the index of the faster one of the policies `cpu` and `device`. None unless both have run.
pub(crate) fn best_place(candidates: &[Candidate<'_>]) -> Option<usize> {
    let find = |name| {
        candidates
            .iter()
            .position(|candidate| candidate.policy == name)
    };
    let (cpu, device) = (find("cpu")?, find("device")?);
    let is_cpu = candidates[cpu].times.median() <= candidates[device].times.median();
    Some(if is_cpu { cpu } else { device })
}

/// Which of the candidates is best. None if there is none. `others_failed` says that there are policies whose runs
/// failed, and `default` is the policy of a program for which none is set.
pub(crate) fn verdict(
    candidates: &[Candidate<'_>],
    others_failed: bool,
    default: &str,
) -> Option<Verdict> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&one, &other| {
        let [one, other] = [one, other].map(|index| candidates[index].times.median());
        one.total_cmp(&other)
    });
    let name = |index: usize| candidates[index].policy;
    let (&best, others) = order.split_first()?;
    let Some(&next) = others.first() else {
        let what = if others_failed {
            format!("Only the runs of {} ended well", name(best))
        } else {
            format!("Only {} was run", name(best))
        };
        return Some(Verdict::none(format!(
            "{what}: there is nothing to compare with."
        )));
    };
    let times = candidates[best].times;
    let of = if others_failed {
        "Of the policies whose runs ended well, "
    } else {
        ""
    };
    let faster = |than: usize| gain(times.median(), candidates[than].times.median(), name(than));
    let mut verdict = Verdict {
        best: Some(name(best).into()),
        alike: Vec::new(),
        advice: None,
        text: String::new(),
    };
    if times.median() <= 0.0 {
        verdict.text = format!(
            "The runs of {} took no time that could be measured: compare with more work.",
            name(best)
        );
        return Some(verdict);
    }
    let fewest = candidates
        .iter()
        .map(|candidate| candidate.times.sorted.len());
    if fewest.min().is_some_and(|fewest| fewest < ENOUGH) {
        verdict.text = format!(
            "{of}{} was {}, the next, but so few runs do not tell a difference from chance; give --runs {ENOUGH} or more.",
            name(best),
            faster(next)
        );
        return Some(verdict);
    }
    let place = best_place(candidates);
    let (alike, slower): (Vec<usize>, Vec<usize>) = others
        .iter()
        .partition(|&&other| times.is_like(candidates[other].times));
    verdict.alike = alike.iter().map(|&index| name(index).into()).collect();
    let mut equals = vec![best];
    equals.extend(&alike);
    // If several are equal, the one that needs the least setting is advised. One whose median is much slower is left
    // out, since more runs may show a difference.
    let is_near = |index: usize| candidates[index].times.median() <= times.median() * NEAR;
    let (near, far): (Vec<usize>, Vec<usize>) = equals.iter().partition(|&&index| is_near(index));
    let use_this = *near
        .iter()
        .find(|&&index| name(index) == default)
        .or_else(|| near.iter().find(|&&index| Some(index) == place))
        .unwrap_or(&best);
    verdict.text = if alike.is_empty() {
        match place {
            Some(place) if place == best => format!(
                "{of}{}, a single place, is best: it is {}, the next.",
                name(best),
                faster(next)
            ),
            Some(place) if place == next => format!(
                "{of}{} is best: it is {}, which is the next and the best single place.",
                name(best),
                faster(next)
            ),
            Some(place) => format!(
                "{of}{} is best: it is {}, the best single place, and {}, the next.",
                name(best),
                faster(place),
                faster(next)
            ),
            None => format!(
                "{of}{} is best: it is {}, the next.",
                name(best),
                faster(next)
            ),
        }
    } else {
        let mut text = format!(
            "{of}{} are the fastest, and what they differ by lies within the spread of the runs, so it is no difference.",
            listed(&equals.iter().map(|&index| name(index)).collect::<Vec<_>>())
        );
        match (place, slower.first()) {
            (Some(place), _) if equals.contains(&place) => {
                text += &format!(
                    " No policy is shown to be faster than {}, the best single place.",
                    name(place)
                );
            }
            (Some(place), Some(&next)) if place == next => {
                text += &format!(
                    " {} is {}, which is the next and the best single place.",
                    name(best),
                    faster(next)
                );
            }
            (Some(place), Some(&next)) => {
                text += &format!(
                    " {} is {}, the best single place, and {}, the next.",
                    name(best),
                    faster(place),
                    faster(next)
                );
            }
            (None, Some(&next)) => {
                text += &format!(" {} is {}, the next.", name(best), faster(next));
            }
            (_, None) => {}
        }
        text
    };
    verdict.text += &if name(use_this) == default {
        format!(" Use OCR_SCHED={default}, the default: nothing has to be set.")
    } else {
        format!(" Use OCR_SCHED={}.", name(use_this))
    };
    if !far.is_empty() {
        let more = 3 * times.sorted.len();
        verdict.text += &format!(" More runs may tell them apart: --runs {more}.");
    }
    verdict.advice = Some(name(use_this).into());
    Some(verdict)
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

    /// The verdict on policies with the times of their runs.
    fn judged(policies: &[(&str, &[f64])], others_failed: bool) -> Option<Verdict> {
        let times: Vec<Times> = policies
            .iter()
            .filter_map(|(_, times)| Times::new(times.to_vec()))
            .collect();
        let candidates: Vec<Candidate<'_>> = policies
            .iter()
            .zip(&times)
            .map(|(&(policy, _), times)| Candidate { policy, times })
            .collect();
        verdict(&candidates, others_failed, "eft")
    }

    fn text(policies: &[(&str, &[f64])]) -> String {
        judged(policies, false).map_or(String::new(), |verdict| verdict.text)
    }

    #[test]
    fn median_and_spread_are_those_of_the_runs() {
        let times = |seconds: &[f64]| Times::new(seconds.to_vec()).expect("there are runs");
        assert_eq!(times(&[3.0, 1.0, 9.0]).median(), 3.0);
        assert_eq!(times(&[3.0, 1.0, 9.0]).spread(), (1.0, 9.0));
        let even = times(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!((even.median(), even.middle()), (2.5, 2.0));
        assert_eq!(times(&[5.0]).spread(), (5.0, 5.0));
        // One of ten may be an accident, one of nine counts.
        let mut seconds = [1.0, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 90.0, 91.0];
        assert_eq!(times(&seconds).spread(), (2.0, 90.0));
        assert_eq!(times(&seconds[..9]).spread(), (1.0, 90.0));
        seconds.reverse();
        assert_eq!(times(&seconds).spread(), (2.0, 90.0));
        assert!(Times::new(Vec::new()).is_none());
    }

    #[test]
    fn a_clear_winner_is_named_with_what_it_gains() {
        let cpu: (&str, &[f64]) = ("cpu", &[4.0, 4.1, 4.2]);
        let device: (&str, &[f64]) = ("device", &[6.0, 6.1, 6.2]);
        let eager: (&str, &[f64]) = ("eager", &[2.0, 2.05, 2.1]);
        let verdict = judged(&[cpu, device, eager], false).expect("there are runs");
        assert_eq!(
            verdict.text,
            "eager is best: it is 2.00 times as fast as cpu, which is the next and the best single place. Use \
             OCR_SCHED=eager."
        );
        assert_eq!(verdict.best.as_deref(), Some("eager"));
        assert_eq!(verdict.advice.as_deref(), Some("eager"));
        assert!(verdict.alike.is_empty());
        assert_eq!(
            text(&[cpu, device, eager, ("eft", &[1.0, 1.025, 1.05])]),
            "eft is best: it is 4.00 times as fast as cpu, the best single place, and 2.00 times as fast as eager, the next. \
             Use OCR_SCHED=eft, the default: nothing has to be set."
        );
        assert_eq!(
            text(&[device, ("cpu", &[6.3, 6.32, 6.4])]),
            "device, a single place, is best: it is 3.6 % faster than cpu, the next. Use OCR_SCHED=device."
        );
        // Only one of the single places: which of them is best is not known.
        assert_eq!(
            text(&[cpu, eager]),
            "eager is best: it is 2.00 times as fast as cpu, the next. Use OCR_SCHED=eager."
        );
    }

    #[test]
    fn a_difference_within_the_spread_is_none() {
        let cpu: (&str, &[f64]) = ("cpu", &[4.0, 4.1, 4.2]);
        let device: (&str, &[f64]) = ("device", &[6.0, 6.1, 6.2]);
        // Half as long in the middle, and still one run of each overlaps.
        let verdict =
            judged(&[cpu, device, ("eager", &[2.0, 2.1, 4.0])], false).expect("there are runs");
        assert_eq!(
            verdict.text,
            "eager and cpu are the fastest, and what they differ by lies within the spread of the runs, so it is no \
             difference. No policy is shown to be faster than cpu, the best single place. Use OCR_SCHED=eager. More runs may \
             tell them apart: --runs 9."
        );
        assert_eq!(verdict.alike, ["cpu"]);
        assert_eq!(verdict.advice.as_deref(), Some("eager"));
        // The single place where nothing says that another is better; the default before it.
        let near: (&str, &[f64]) = ("eager", &[3.9, 4.0, 4.05]);
        let verdict = judged(&[cpu, device, near], false).expect("there are runs");
        assert!(verdict.text.ends_with(
            "No policy is shown to be faster than cpu, the best single place. Use OCR_SCHED=cpu."
        ));
        let verdict = judged(&[cpu, device, near, ("eft", &[4.0, 4.2, 4.3])], false);
        assert_eq!(
            verdict.expect("there are runs").advice.as_deref(),
            Some("eft")
        );
        let eager: (&str, &[f64]) = ("eager", &[2.0, 2.1, 2.2]);
        let eft: (&str, &[f64]) = ("eft", &[2.1, 2.2, 2.3]);
        let fixed: (&str, &[f64]) = ("static:1:1", &[2.15, 2.25, 2.3]);
        assert_eq!(
            text(&[cpu, device, fixed, eager, eft]),
            "eager, eft and static:1:1 are the fastest, and what they differ by lies within the spread of the runs, so it is \
             no difference. eager is 1.95 times as fast as cpu, which is the next and the best single place. Use \
             OCR_SCHED=eft, the default: nothing has to be set."
        );
        let locality: (&str, &[f64]) = ("locality", &[2.5, 2.6, 2.7]);
        assert!(
            text(&[cpu, device, locality, eager, eft]).contains(
                "eager is 1.95 times as fast as cpu, the best single place, and 1.24 times as fast as locality, the next."
            )
        );
        assert!(
            text(&[locality, eager, fixed]).contains(
                "eager is 1.24 times as fast as locality, the next. Use OCR_SCHED=eager."
            )
        );
        assert_eq!(
            text(&[eager, fixed]),
            "eager and static:1:1 are the fastest, and what they differ by lies within the spread of the runs, so it is no \
             difference. Use OCR_SCHED=eager."
        );
    }

    #[test]
    fn what_cannot_be_judged_is_not() {
        assert_eq!(judged(&[], true), None);
        let one = judged(&[("cpu", &[1.0, 1.0, 1.0])], false).expect("there are runs");
        assert_eq!(
            one.text,
            "Only cpu was run: there is nothing to compare with."
        );
        assert_eq!((one.best, one.advice), (None, None));
        let one = judged(&[("cpu", &[1.0, 1.0, 1.0])], true).expect("there are runs");
        assert!(one.text.starts_with("Only the runs of cpu ended well"));
        // Two runs of each, however far apart.
        let few = judged(&[("cpu", &[1.0, 1.1]), ("eft", &[9.0, 9.1])], false);
        let few = few.expect("there are runs");
        assert!(
            few.text
                .starts_with("cpu was 8.62 times as fast as eft, the next, but so few runs do not")
        );
        assert_eq!(few.advice, None);
        let none = judged(&[("cpu", &[0.0; 3]), ("eft", &[0.1; 3])], false);
        let none = none.expect("there are runs");
        assert!(none.text.contains("no time that could be measured"));
        assert_eq!(none.advice, None);
    }

    #[test]
    fn the_best_of_those_that_did_not_fail_is_called_that() {
        let policies: [(&str, &[f64]); 2] =
            [("eager", &[1.0, 1.1, 1.2]), ("cpu", &[2.0, 2.1, 2.2])];
        let verdict = judged(&policies, true).expect("there are runs");
        assert!(verdict.text.starts_with(
            "Of the policies whose runs ended well, eager is best: it is 1.91 times as fast as cpu, the next."
        ));
    }

    #[test]
    fn small_gains_are_percents() {
        assert_eq!(gain(1.0, 1.0004, "x"), "less than 0.1 % faster than x");
        assert_eq!(gain(1.0, 1.05, "x"), "5.0 % faster than x");
        assert_eq!(gain(1.0, 1.5, "x"), "1.50 times as fast as x");
    }
}
