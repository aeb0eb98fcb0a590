//! Collective events of a random graph: who contributes what, and what must come of it.

use crate::graph::{Block, Graph, Kind, Task};
use crate::oracle::{block_hash, mix, word_set};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Position in [`Graph::collectives`].
pub(crate) type Collective = usize;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CollectiveSpec {
    pub(crate) reduction: Reduction,
    /// How far a contributor may be ahead: as little as the graph allows, or without limit.
    pub(crate) bound: Option<u32>,
    /// Whether it and the events that depend on it have labels and are created by all who need them.
    pub(crate) raced: bool,
    /// Whether they stand in maps, and have no labels.
    #[serde(default)]
    pub(crate) mapped: bool,
    /// By generation, and by the slot of the contributor.
    pub(crate) turns: Vec<Vec<TurnSpec>>,
    /// By generation, the block with the result.
    pub(crate) results: Vec<Block>,
}

impl CollectiveSpec {
    pub(crate) fn slots(&self) -> usize {
        self.turns[0].len()
    }

    /// By generation, and in each by slot.
    pub(crate) fn all_turns(&self, collective: Collective) -> impl Iterator<Item = Turn> + use<> {
        let slots = self.slots();
        (0..self.turns.len())
            .flat_map(move |generation| (0..slots).map(move |slot| Turn { collective, generation, slot }))
    }
}

/// The contribution of one contributor to one generation, with the dependence on its slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Turn {
    pub(crate) collective: Collective,
    pub(crate) generation: usize,
    pub(crate) slot: usize,
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (collective, generation) = (self.collective, self.generation);
        write!(f, "c{collective}, generation {generation}, slot {}", self.slot)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TurnSpec {
    /// The task that contributes at the end of its body; otherwise the first EDT does, before all tasks.
    pub(crate) by: Option<Task>,
    /// The kind of the event that depends on the generation.
    pub(crate) kind: Kind,
    /// Whether the dependence comes before the contribution.
    pub(crate) early: bool,
    /// Whether a pre-slot of a child depends on the generation, without an event between.
    pub(crate) direct: bool,
}

/// How elements are combined, and what they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Reduction {
    pub(crate) bytes: usize,
    pub(crate) signed: bool,
    pub(crate) real: bool,
    pub(crate) operator: Operator,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Operator {
    Add,
    Multiply,
    Minimum,
    Maximum,
    And,
    Or,
    ExclusiveOr,
}

impl Operator {
    pub(crate) const ALL: [Operator; 7] = [
        Operator::Add,
        Operator::Multiply,
        Operator::Minimum,
        Operator::Maximum,
        Operator::And,
        Operator::Or,
        Operator::ExclusiveOr,
    ];
}

impl Reduction {
    /// Sums of words.
    pub(crate) const SIMPLE: Reduction = Reduction { bytes: 4, signed: false, real: false, operator: Operator::Add };

    /// `redOp_t`.
    pub(crate) fn bits(self) -> u16 {
        (self.bytes as u16 - 1) << 2 | (self.signed as u16) << 5 | (self.real as u16) << 6 | (self.operator as u16) << 7
    }

    /// What a contributor that has seen `hash` contributes.
    fn contribution(self, hash: u32, words: u32) -> Vec<u8> {
        let elements = 4 * words as usize / self.bytes;
        let element = |at| {
            let low = word_set(hash, at);
            if self.real {
                // Small enough that no product of them is infinite.
                self.real_bytes((f64::from(low % 1000) - 500.0) / 7.0)
            } else {
                (u64::from(mix(low, 1)) << 32 | u64::from(low)).to_le_bytes()
            }
        };
        (0..elements).flat_map(|at| element(at).into_iter().take(self.bytes)).collect()
    }

    /// The first bytes are the element.
    fn real_bytes(self, value: f64) -> [u8; 8] {
        match self.bytes {
            4 => u64::from((value as f32).to_bits()).to_le_bytes(),
            _ => value.to_le_bytes(),
        }
    }

    fn real_of(self, element: [u8; 8]) -> f64 {
        match self.bytes {
            4 => f32::from_bits(u64::from_le_bytes(element) as u32).into(),
            _ => f64::from_le_bytes(element),
        }
    }

    fn integer_of(self, element: [u8; 8]) -> i128 {
        let bits = u64::from_le_bytes(element);
        let unused = 64 - 8 * self.bytes;
        if self.signed { ((bits << unused) as i64 >> unused).into() } else { bits.into() }
    }

    fn combine(self, a: [u8; 8], b: [u8; 8]) -> [u8; 8] {
        if self.real {
            // A sum or product of two floats, rounded from the one of doubles, is the float's own.
            let (a, b) = (self.real_of(a), self.real_of(b));
            return self.real_bytes(match self.operator {
                Operator::Add => a + b,
                Operator::Multiply => a * b,
                Operator::Minimum => a.min(b),
                _ => a.max(b),
            });
        }
        let (a, b) = (self.integer_of(a), self.integer_of(b));
        let value = match self.operator {
            Operator::Add => a + b,
            Operator::Multiply => a.wrapping_mul(b),
            Operator::Minimum => a.min(b),
            Operator::Maximum => a.max(b),
            Operator::And => a & b,
            Operator::Or => a | b,
            Operator::ExclusiveOr => a ^ b,
        };
        (value as u64).to_le_bytes()
    }

    /// All contributions, from that of slot 0, combined to words.
    fn result(self, contributions: &[Vec<u8>]) -> Vec<u32> {
        let element = |contribution: &Vec<u8>, at: usize| {
            let mut element = [0; 8];
            element[..self.bytes].copy_from_slice(&contribution[at..][..self.bytes]);
            element
        };
        let mut result = Vec::new();
        for at in (0..contributions[0].len()).step_by(self.bytes) {
            let elements = contributions.iter().map(|one| element(one, at));
            let combined = elements.reduce(|a, b| self.combine(a, b));
            result.extend(combined.into_iter().flatten().take(self.bytes));
        }
        let words = result.as_chunks::<4>().0;
        words.iter().copied().map(u32::from_le_bytes).collect()
    }
}

impl Graph {
    /// What is contributed in a turn; `hashes` is what tasks have seen.
    fn hash_of(&self, turn: Turn, hashes: &[u32]) -> u32 {
        let Turn { collective, generation, slot } = turn;
        let block = self.collectives[collective].results[generation];
        let by = self.turn(turn).by;
        mix(by.map_or(block_hash(block), |task| hashes[task]), (64 * generation + slot) as u32)
    }

    pub(crate) fn contribution(&self, turn: Turn, hashes: &[u32]) -> Vec<u8> {
        let spec = &self.collectives[turn.collective];
        let words = self.blocks[spec.results[turn.generation]].words;
        let hash = self.hash_of(turn, hashes);
        spec.reduction.contribution(hash, words)
    }

    /// The result of a generation.
    pub(crate) fn result(&self, collective: Collective, generation: usize, hashes: &[u32]) -> Vec<u32> {
        let spec = &self.collectives[collective];
        let turns = (0..spec.slots()).map(|slot| Turn { collective, generation, slot });
        let contributions: Vec<_> = turns.map(|turn| self.contribution(turn, hashes)).collect();
        spec.reduction.result(&contributions)
    }
}
