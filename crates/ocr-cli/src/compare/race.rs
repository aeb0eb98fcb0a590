//! Which policies are shown to be slower than others, and whether more runs are worth their time.
//!
//! The runs are looked at after some rounds, and after the last one. At each look the policy with the least median is
//! compared with each other one that is still in the race, by the test of `ranks.rs`. A policy that is shown to be
//! slower leaves the race. The race ends when one is left, when those that are left hardly differ, or after the last
//! round.
//!
//! Where all policies take the same time, one of them is called faster in at most the part [`ERROR`] of all races: that
//! part is shared by the looks, and at each look by all pairs of policies in both directions. The first look has half
//! of it.

use crate::ranks::{ERROR, Lead, least_runs};
use crate::times::Times;

/// The most rounds of a race whose rounds are not given.
const MOST: usize = 20;

/// Up to how many times as fast a policy may be for its lead to be too small to matter, so that no round is spent on
/// it.
const SMALL: f64 = 1.03;

/// A race of policies.
pub(crate) struct Race {
    /// After how many rounds the runs are looked at.
    looks: Vec<usize>,
    /// The rounds after which an order can be shown at the earliest.
    enough: usize,
    /// How many pairs of policies there are, in both directions.
    pairs: usize,
    /// For each policy that has left the race: the policy that is faster, and by how much.
    told: Vec<Option<Told>>,
}

/// What is shown of a policy that is slower than another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Told {
    /// The index of the policy that is faster.
    pub(crate) than: usize,
    /// How many times as fast that one is.
    pub(crate) lead: Lead,
}

impl Race {
    /// A race of some policies. `rounds` has the least number of rounds and the greatest; none leaves both to the race.
    pub(crate) fn new(policies: usize, rounds: Option<(usize, usize)>) -> Race {
        let pairs = (policies * policies.saturating_sub(1)).max(1);
        let each = |looks: usize| share(0, looks) / pairs as f64;
        let (least, most) = rounds.unwrap_or((least_runs(each(2)), MOST));
        let most = most.max(least);
        let mut looks = Vec::new();
        // A look at which nothing can be shown would only take its part from the others.
        let mut at = least.max(least_runs(each(2)));
        while at < most {
            looks.push(at);
            at += at.div_ceil(2);
        }
        looks.push(most);
        let enough = least_runs(each(looks.len()));
        Race { looks, enough, pairs, told: vec![None; policies] }
    }

    /// How many rounds there are at least.
    pub(crate) fn least(&self) -> usize {
        self.looks[0]
    }

    /// How many rounds there are at most.
    pub(crate) fn most(&self) -> usize {
        self.looks[self.looks.len() - 1]
    }

    /// After how many rounds an order can be shown at the earliest.
    pub(crate) fn enough(&self) -> usize {
        self.enough
    }

    /// What is shown of a policy. None for one that is in the race.
    pub(crate) fn told(&self, policy: usize) -> Option<Told> {
        self.told[policy]
    }

    /// Looks at the runs after a round, if it is time to. `times` has the times of each policy, and none for one that
    /// has failed. Returns whether more rounds are worth their time.
    pub(crate) fn look(&mut self, round: usize, times: &[Option<Times>]) -> bool {
        let Some(look) = self.looks.iter().position(|&at| at == round) else {
            return round < self.most();
        };
        let error = share(look, self.looks.len()) / self.pairs as f64;
        let racing: Vec<(usize, &Times)> = (times.iter().enumerate())
            .filter(|&(policy, _)| self.told[policy].is_none())
            .filter_map(|(policy, times)| Some((policy, times.as_ref()?)))
            .collect();
        let median = |one: &&(usize, &Times)| one.1.median();
        let best = racing.iter().min_by(|one, other| median(one).total_cmp(&median(other)));
        let Some(&(best, fastest)) = best else {
            return false;
        };
        let mut is_open = false;
        for (policy, times) in racing {
            if policy == best {
                continue;
            }
            let lead = Lead::of(fastest.sorted(), times.sorted(), error);
            if lead.is_told() {
                self.told[policy] = Some(Told { than: best, lead });
            } else {
                is_open |= lead.most > SMALL;
            }
        }
        is_open && round < self.most()
    }
}

/// The part of all races in which a look may call one of equal policies faster.
fn share(look: usize, looks: usize) -> f64 {
    match (look, looks) {
        (0, 1) => ERROR,
        (0, _) => ERROR / 2.0,
        _ => ERROR / 2.0 / (looks - 1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random numbers by the generator splitmix64.
    struct Random(u64);

    impl Random {
        /// A number between 0 and 1.
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = self.0;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^= word >> 31;
            ((word >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        }
    }

    /// The whole race of policies whose runs take these times. Returns it and the number of rounds.
    fn run(
        policies: usize,
        rounds: Option<(usize, usize)>,
        mut time: impl FnMut(usize, usize) -> f64,
    ) -> (Race, usize) {
        let mut race = Race::new(policies, rounds);
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); policies];
        for round in 1.. {
            for (policy, times) in times.iter_mut().enumerate() {
                if race.told(policy).is_none() {
                    times.push(time(policy, round));
                }
            }
            let seen: Vec<Option<Times>> = times.iter().cloned().map(Times::new).collect();
            if !race.look(round, &seen) {
                return (race, round);
            }
        }
        unreachable!("a race ends");
    }

    /// Whether a race has called one of its policies faster.
    fn tells(race: &Race) -> bool {
        race.told.iter().any(Option::is_some)
    }

    type Distribution = (&'static str, fn(&mut Random) -> f64);

    /// How times of runs may be distributed: about the same, often slowed down, and now and then by any factor.
    const DISTRIBUTIONS: [Distribution; 4] = [
        ("even", |random| 1.0 + 0.1 * random.next()),
        ("exponential", |random| 1.0 - 0.2 * random.next().ln()),
        ("heavy", |random| random.next().powf(-1.0)),
        ("two modes", |random| if random.next() < 0.3 { 1.5 } else { 1.0 } + 0.01 * random.next()),
    ];

    #[test]
    fn of_equal_policies_none_is_called_faster_more_often_than_is_said() {
        const RACES: usize = 1500;
        for (name, draw) in DISTRIBUTIONS {
            for policies in [2, 3, 5] {
                for rounds in [None, Some((3, 3)), Some((6, 6)), Some((4, 12))] {
                    let mut random = Random(policies as u64);
                    let wrong = (0..RACES).filter(|_| {
                        // A machine that is busy now and then slows a whole round down.
                        let mut busy = (0, 1.0);
                        let (race, _) = run(policies, rounds, |_, round| {
                            if busy.0 != round {
                                busy = (round, 1.0 + random.next());
                            }
                            busy.1 * draw(&mut random)
                        });
                        tells(&race)
                    });
                    let wrong = wrong.count();
                    assert!(
                        wrong as f64 <= ERROR * RACES as f64,
                        "{name}, {policies} policies, {rounds:?}: {wrong} of {RACES}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_difference_of_three_tenths_is_found() {
        const RACES: usize = 300;
        for (name, draw) in DISTRIBUTIONS {
            for policies in [2, 5] {
                let mut random = Random(7);
                let mut found = 0;
                for _ in 0..RACES {
                    let (race, _) =
                        run(policies, None, |policy, _| draw(&mut random) * if policy == 1 { 1.0 } else { 1.3 });
                    let others = (0..policies).filter(|&policy| policy != 1);
                    found += usize::from(others.clone().all(|other| race.told(other).is_some()));
                    assert!(race.told(1).is_none() || name == "heavy" || name == "two modes");
                }
                // Where a run takes any time, no test can distinguish that from chance by so few runs.
                let least = match name {
                    "heavy" => 0,
                    "two modes" | "exponential" => RACES / 3,
                    _ => RACES * 99 / 100,
                };
                assert!(found >= least, "{name}, {policies} policies: {found} of {RACES}");
            }
        }
    }

    #[test]
    fn a_race_is_no_longer_than_it_need_be() {
        // All is shown at the first look: two policies, and five.
        let far = |policy: usize, round: usize| (1 + policy) as f64 + 0.01 * round as f64;
        let (race, rounds) = run(2, None, far);
        assert_eq!((rounds, race.told(0), race.told(1).map(|told| told.than)), (5, None, Some(0)));
        let (race, rounds) = run(5, None, far);
        assert_eq!((rounds, race.told.iter().flatten().count()), (6, 4));
        // Nothing to tell, and hardly any difference.
        let (race, rounds) = run(2, None, |policy, round| 1.0 + 0.001 * (policy + round) as f64);
        assert_eq!((rounds, tells(&race)), (5, false));
        // Too wide to tell, up to the bound.
        let (race, rounds) = run(2, None, |policy, round| [1.0, 2.0][(policy + round) % 2]);
        assert_eq!((rounds, tells(&race)), (MOST, false));
        // The rounds that are asked for, and no more.
        for runs in [1, 2, 3, 7] {
            let (race, rounds) = run(2, Some((runs, runs)), far);
            assert_eq!((rounds, tells(&race)), (runs, runs >= race.enough()));
        }
        assert_eq!(Race::new(2, Some((3, 3))).enough(), 4);
        assert_eq!(Race::new(1, Some((3, 3))).least(), 3);
        let (race, _) = run(1, None, far);
        assert!(!tells(&race));
    }
}
