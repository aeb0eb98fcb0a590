//! An EDT as a policy of a user sees it, and what is said of an answer about it.

use super::layout::{NO_PLACE, PolicyEdt, PolicyOption, PolicyTime, UNKNOWN};
use crate::model::Shape;
use crate::place::Place;
use crate::policy::interface::{Candidate, Choices, KeptEdt, VariantTimes};
use std::ptr;

/// An EDT as the policy sees it.
pub(super) struct DescribedEdt<'a> {
    pub(super) edt: PolicyEdt,
    /// What `edt` points to. Neither is changed, so they stay where they are.
    pub(super) options: Vec<PolicyOption>,
    _params: Vec<u64>,
    pub(super) token: usize,
    pub(super) times: &'a dyn VariantTimes,
    pub(super) shape: Shape,
    is_spread: bool,
    pub(super) is_taken: bool,
}

/// An answer of a policy that cannot be followed: the EDT, and what is said before and behind its name.
pub(super) struct AnswerError {
    pub(super) edt: Option<usize>,
    pub(super) before: String,
    pub(super) behind: String,
}

impl AnswerError {
    pub(super) fn new(edt: usize, before: impl Into<String>, behind: impl Into<String>) -> AnswerError {
        AnswerError { edt: Some(edt), before: before.into(), behind: behind.into() }
    }

    /// One that is about no EDT in particular.
    pub(super) fn of_none(what: impl Into<String>) -> AnswerError {
        AnswerError { edt: None, before: what.into(), behind: String::new() }
    }
}

impl<'a> DescribedEdt<'a> {
    fn new(
        token: usize,
        priority: u64,
        times: &'a dyn VariantTimes,
        shape: Shape,
        is_spread: bool,
        mut options: Vec<PolicyOption>,
    ) -> Box<DescribedEdt<'a>> {
        options.sort_by_key(|option| option.place);
        let params = shape.params.values().to_vec();
        Box::new(DescribedEdt {
            edt: PolicyEdt {
                kind: ptr::from_ref(times).addr() as u64,
                priority,
                bytes: shape.bytes,
                params: params.as_ptr(),
                options: options.as_ptr(),
                paramCount: params.len() as u32,
                optionCount: options.len() as u32,
            },
            options,
            _params: params,
            token,
            times,
            shape,
            is_spread,
            is_taken: false,
        })
    }

    /// An EDT that a place is chosen for.
    pub(super) fn to_choose(choices: &Choices<'a>) -> Box<DescribedEdt<'a>> {
        let blocks = choices.blocks;
        let option = |place: Place| PolicyOption {
            place: number(place),
            behind: NO_PLACE,
            copyNs: blocks.copy_ns(place).unwrap_or(UNKNOWN),
            bytes: blocks.bytes_at(place),
        };
        let options = choices.places().map(option).collect();
        DescribedEdt::new(choices.edt, 0, choices.times, blocks.shape(), choices.is_spread, options)
    }

    pub(super) fn may_run_in(&self, place: Place) -> bool {
        let mut options = self.options.iter();
        options.any(|option| option.place == number(place))
    }

    pub(super) fn time(&self, place: Place) -> PolicyTime {
        let (times, shape) = (self.times, &self.shape);
        let known = |ns: Option<u64>| ns.unwrap_or(UNKNOWN);
        PolicyTime {
            runNs: known(times.expected(place, shape)),
            atMostNs: known(times.at_most(place, shape)),
            newestNs: known(times.newest(place, shape)),
            aloneNs: known(times.latency(place, shape, false)),
            besideNs: known(times.latency(place, shape, true)),
            slowdown: times.slowdown(place, shape).unwrap_or(0.0),
            error: times.error(place),
            certainty: times.certainty(place, shape) as u32,
            isSpread: u32::from(self.is_spread && place == Place::HOST),
        }
    }
}

impl DescribedEdt<'static> {
    pub(super) fn to_keep(kept: &KeptEdt) -> Box<DescribedEdt<'static>> {
        let option = |candidate: &Candidate| PolicyOption {
            place: number(candidate.place),
            behind: candidate.behind.map_or(NO_PLACE, number),
            copyNs: candidate.copy_ns,
            bytes: UNKNOWN,
        };
        let options = kept.candidates.iter().map(option).collect();
        DescribedEdt::new(kept.edt, kept.priority, kept.times, kept.shape, kept.is_spread, options)
    }
}

/// The number of a place in the interface.
pub(super) fn number(place: Place) -> u32 {
    place.number() as u32
}

/// A place as messages name it.
pub(super) fn named(place: u32) -> String {
    match Place::numbered(place as usize) {
        Some(Place::HOST) => "place 0 (the host)".into(),
        Some(device) => format!("place {place} ({device})"),
        None => format!("place {place}"),
    }
}

/// The answer is about a place in which the EDT cannot run.
pub(super) fn cannot_run(described: &DescribedEdt<'_>, before: String) -> AnswerError {
    let places: Vec<String> = described.options.iter().map(|one| named(one.place)).collect();
    let behind = format!(", which cannot run there: it may run in {}", places.join(" and "));
    AnswerError::new(described.token, before, behind)
}
