//! Whether a program does the same in each run: pairs of EDTs that use one object in a way that depends on which comes
//! first, with nothing in the graph that orders them.
//!
//! One recorded run is enough, also by one worker, since what counts is not when EDTs ran, but which of them the
//! program has ordered: the happens-before relation of OCR's memory model, extended to all objects as in "Consistency
//! model for runtime objects in the Open Community Runtime" (Dokulil, 2018). Two EDTs that hold a block in mode EW
//! never run at once, but which comes first is not determined by that. Such a pair is distinguished from a race:
//! programs that add to a sum in this way are right, whatever the order.
//!
//! | file | what |
//! |---|---|
//! | `gather.rs` | what each EDT did to which object, and what orders that, from the records |
//! | `gather/called.rs` | what a call does to that |
//! | `gather/channels.rs` | which satisfaction of a channel event each dependence gets |
//! | `things.rs` | what is gathered: actors, uses of blocks, events, deeds |
//! | `order.rs` | which of two points of a run comes before the other |
//! | `find.rs` | pairs that nothing orders |
//! | `say.rs` | these in words, with the edge that is missing |

mod find;
mod gather;
mod order;
mod say;
mod things;

use ocr_trace::nodes::RunFiles;
use serde::Serialize;
use std::path::Path;

/// What kind of finding it is.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum RaceKind {
    /// What the program does depends on the order, and nothing determines that.
    Race,
    /// The runtime does one after the other, in an order that nothing determines. A program whose result does not
    /// depend on it is right.
    Order,
}

/// A pair of EDTs that nothing orders, with how many others there are of the same templates.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct RaceFinding {
    /// Whether it is a race.
    pub kind: RaceKind,
    /// What the pair does to the object, in a few words that are the same in each version.
    pub rule: &'static str,
    /// The object: its kind and GUID.
    pub object: String,
    /// The EDT that came first in this run, with its template and GUID.
    pub first: String,
    /// The other one.
    pub second: String,
    /// All of this in a sentence.
    pub sentence: String,
    /// The edge that is missing, and how to add it.
    pub advice: String,
    /// How many further pairs of these templates do the same to a block, an event or an EDT.
    pub more: u64,
}

/// What was found in a recording.
#[derive(Serialize, Clone, Debug, Default)]
pub struct RaceFindings {
    /// The name of the recording.
    pub name: String,
    /// How many EDTs the run had.
    pub edts: u64,
    /// How many blocks the run had.
    pub blocks: u64,
    /// How many events the run had.
    pub events: u64,
    /// The races, and behind them what is not determined otherwise.
    pub findings: Vec<RaceFinding>,
    /// Sentences about what could not be looked at.
    pub notes: Vec<String>,
    /// Sentences about what the recording lacks.
    pub gaps: Vec<String>,
}

impl RaceFindings {
    /// How many kinds of pairs are races.
    pub fn races(&self) -> usize {
        let all = self.findings.iter();
        all.filter(|finding| finding.kind == RaceKind::Race).count()
    }
}

/// Looks for pairs of EDTs in a recording that nothing orders.
///
/// # Errors
/// A text that says why the file cannot be read.
pub fn check(path: &Path) -> Result<RaceFindings, String> {
    let files = RunFiles::open(path)?;
    let (nodes, there) = (files.first().run.node.nodes, files.files().count());
    if there < nodes as usize {
        return Err(format!(
            "{}: {}. Without them it is not known what orders the EDTs of the others",
            files.name,
            files.faults.first().map_or("recordings of other nodes are missing", String::as_str)
        ));
    }
    let mut gathered = gather::gather(&files)?;
    let mut order = order::Order::new(std::mem::take(&mut gathered.edges));
    Ok(find::find(files.name.clone(), &gathered, &mut order))
}
