//! Goes through all states of a model, breadth first.

use super::model::{Doing, Fault, Reached, Setting, State, Step};
use std::collections::HashMap;
use std::collections::VecDeque;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// What was found, if no fault was.
pub(super) struct Found {
    pub(super) states: usize,
    pub(super) ends: usize,
}

/// Multiplies and rotates, which is quick and good enough: two of them tell states apart.
struct Mixer {
    low: u64,
    high: u64,
}

impl Mixer {
    fn add(&mut self, word: u64) {
        self.low = (self.low.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        self.high = (self.high.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.low ^ self.high.rotate_right(32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.add(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.add(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.add(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.add(number as u64);
    }
}

/// The name of a state, of 128 bits.
fn name_of(state: &State) -> u128 {
    let mut mixer = Mixer { low: 1, high: 2 };
    state.hash(&mut mixer);
    // The last words have gone through one multiplication alone.
    mixer.add(0);
    mixer.add(0);
    u128::from(mixer.low) << 64 | u128::from(mixer.high)
}

/// A name is as good as its hash.
#[derive(Default)]
struct OfName(u64);

impl Hasher for OfName {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("names are numbers");
    }

    fn write_u128(&mut self, name: u128) {
        self.0 = name as u64 ^ (name >> 64) as u64;
    }
}

/// The states that were seen, each with the one before it and the step between the two.
struct Seen {
    numbers: HashMap<u128, u32, BuildHasherDefault<OfName>>,
    before: Vec<(u32, Option<Step>)>,
}

impl Seen {
    /// The steps that have led to a state.
    fn path(&self, number: u32) -> Vec<Step> {
        let mut path = Vec::new();
        let mut at = number;
        while let (before, Some(step)) = self.before[at as usize] {
            path.push(step);
            at = before;
        }
        path.reverse();
        path
    }
}

/// Goes through all states. The fault that is found first, with the steps that lead to it.
pub(super) fn search(of: &Setting, reached: &mut Reached) -> Result<Found, Fault> {
    let begin = State::begin(of);
    let mut seen = Seen { numbers: HashMap::default(), before: vec![(0, None)] };
    seen.numbers.insert(name_of(&begin), 0);
    let mut next = VecDeque::from([(0, begin)]);
    // From each state to those that follow it, and which states are ends.
    let mut follow: Vec<(u32, u32)> = Vec::new();
    let mut ends = Vec::new();
    while let Some((number, state)) = next.pop_front() {
        let steps = state.steps(of);
        if state.is_final(of) {
            ends.push(number);
        } else if steps.is_empty() {
            return Err(format!("nothing can happen any more, after {:?}: {state:?}", seen.path(number)));
        }
        for step in steps {
            let mut doing = Doing { state: state.clone(), of, reached };
            let made = doing.make(step).err().or_else(|| doing.state.fault());
            let state = doing.state;
            if let Some(fault) = made {
                return Err(format!("{fault}, after {:?} and {step:?}: {state:?}", seen.path(number)));
            }
            let fresh = seen.before.len() as u32;
            let other = *seen.numbers.entry(name_of(&state)).or_insert(fresh);
            if other == fresh {
                seen.before.push((number, Some(step)));
                next.push_back((fresh, state));
            }
            follow.push((other, number));
        }
    }
    let states = seen.before.len();
    match without_end(states, &ends, &follow) {
        Some(lost) => Err(format!("the end cannot be reached after {:?}", seen.path(lost))),
        None => Ok(Found { states, ends: ends.len() }),
    }
}

/// The first state from which no end can be reached. `follow` has pairs of a state and one before it.
fn without_end(states: usize, ends: &[u32], follow: &[(u32, u32)]) -> Option<u32> {
    // Where the pairs of each state begin, in the order of states.
    let mut begins = vec![0u32; states + 1];
    follow.iter().for_each(|&(state, _)| begins[state as usize + 1] += 1);
    for at in 0..states {
        begins[at + 1] += begins[at];
    }
    let mut filled = begins.clone();
    let mut before = vec![0u32; follow.len()];
    for &(state, other) in follow {
        before[filled[state as usize] as usize] = other;
        filled[state as usize] += 1;
    }
    let mut is_good = vec![false; states];
    let mut open = ends.to_vec();
    ends.iter().for_each(|&end| is_good[end as usize] = true);
    while let Some(state) = open.pop() {
        for &other in &before[begins[state as usize] as usize..begins[state as usize + 1] as usize] {
            if !std::mem::replace(&mut is_good[other as usize], true) {
                open.push(other);
            }
        }
    }
    is_good.iter().position(|good| !good).map(|state| state as u32)
}
