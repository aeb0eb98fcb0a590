//! What is known of redundant runs (`OCR_REDUNDANT`): the EDTs that run as kernels and as their function, and what came
//! of comparing them. The steps are in `life/redundant.rs`.
//!
//! | an EDT is | from | to |
//! |---|---|---|
//! | placed | the policy would have chosen a place ([`Redundant::begin`]) | it has its blocks |
//! | prepared | its kernels are about to run on copies of these ([`Redundant::prepare`]) | its function has returned |
//! | gone | what was left is compared ([`Redundant::take`]) | |
//!
//! One that cannot be prepared stays as it was placed until its function has returned, and nothing is compared.

use crate::config::Redundancy;
use crate::object::code::Code;
use crate::object::edt::Mode;
use crate::object::guid::Guid;
use crate::report::{NotCompared, RedundantReport};
use ocr_base::lock::{Mutex, rank};
use ocr_base::text::counted;
use ocr_place::place::Place;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many EDTs of a template have their differences told, each in a message.
const TOLD: u64 = 3;

/// The redundant runs of a run of the program.
pub(crate) struct Redundant {
    /// What the setting asks for.
    pub(crate) how: Redundancy,
    books: Mutex<rank::Redundant, Books>,
    /// Whose turn it is among the devices. Relaxed: any device is right.
    turn: AtomicUsize,
}

#[derive(Default)]
struct Books {
    edts: HashMap<Guid, RedundantEdt>,
    /// The EDTs of the runtime's own that run kernels: for which EDT, and which of its runs.
    kernels: HashMap<Guid, (Guid, usize)>,
    /// What such EDTs run, by the work of the program's EDT and the place.
    works: HashMap<(usize, Place), &'static Code>,
    templates: BTreeMap<String, RedundantReport>,
}

/// An EDT that runs as kernels and as its function.
#[derive(Default)]
pub(crate) struct RedundantEdt {
    /// The mode that each pre-slot has asked for.
    pub(crate) modes: Vec<Mode>,
    /// Its distinct blocks. None before it is prepared.
    pub(crate) blocks: Vec<RedundantBlock>,
    /// Its runs as a kernel.
    pub(crate) runs: Vec<KernelRun>,
    /// Whether its function has created other EDTs.
    pub(crate) has_created: bool,
}

/// A block of such an EDT.
pub(crate) struct RedundantBlock {
    /// The block.
    pub(crate) guid: Guid,
    /// The first pre-slot that has it.
    pub(crate) slot: u32,
    /// A copy that the function is shown in place of the block, which others may write meanwhile. None: it has the
    /// block.
    pub(crate) shown: Option<Guid>,
    /// The copy that each of the kernels has.
    pub(crate) copies: Vec<Guid>,
}

/// A run as a kernel.
pub(crate) struct KernelRun {
    /// The EDT of the runtime's own.
    pub(crate) edt: Guid,
    /// The device.
    pub(crate) place: Place,
    /// Which kernel of the template.
    pub(crate) variant: usize,
    /// Why it has failed, if it has.
    pub(crate) error: Option<KernelFailure>,
}

/// Why a kernel has left nothing to compare.
#[derive(Clone)]
pub(crate) struct KernelFailure {
    /// The reason, for people.
    pub(crate) text: String,
    /// Whether the kernel had not begun.
    pub(crate) intact: bool,
}

/// What came of an EDT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RedundantOutcome {
    /// All that was compared is alike.
    Alike,
    /// It is not.
    Different,
    /// Nothing was compared, for this reason.
    NotCompared(&'static str),
}

impl Redundant {
    pub(crate) fn new(how: Redundancy) -> Redundant {
        Redundant { how, books: Mutex::default(), turn: AtomicUsize::new(0) }
    }

    /// How many runs as a kernel an EDT has.
    pub(crate) fn kernel_runs(&self) -> usize {
        self.how.runs - 1
    }

    /// A number that goes on by one for each EDT, so that devices take turns.
    pub(crate) fn next_turn(&self) -> usize {
        self.turn.fetch_add(1, Ordering::Relaxed)
    }

    /// An EDT was placed whose pre-slots have asked for these modes.
    pub(crate) fn begin(&self, edt: Guid, modes: Vec<Mode>) {
        self.books.lock().edts.insert(edt, RedundantEdt { modes, ..RedundantEdt::default() });
    }

    /// Whether an EDT that has its blocks waits for its kernels to run.
    pub(crate) fn awaits(&self, edt: Guid) -> bool {
        self.books.lock().edts.get(&edt).is_some_and(|edt| edt.runs.is_empty())
    }

    /// The kernels of an EDT are about to run on copies of its blocks.
    pub(crate) fn prepare(&self, edt: Guid, blocks: Vec<RedundantBlock>, runs: Vec<KernelRun>) {
        let mut books = self.books.lock();
        for (number, run) in runs.iter().enumerate() {
            books.kernels.insert(run.edt, (edt, number));
        }
        if let Some(known) = books.edts.get_mut(&edt) {
            (known.blocks, known.runs) = (blocks, runs);
        }
    }

    /// The work that `make` makes for a kernel of this work in this place, made once.
    pub(crate) fn work(&self, of: &Code, place: Place, make: impl FnOnce() -> &'static Code) -> &'static Code {
        let key = (std::ptr::from_ref(of).addr(), place);
        let known = self.books.lock().works.get(&key).copied();
        known.unwrap_or_else(|| {
            let made = make();
            self.books.lock().works.insert(key, made);
            made
        })
    }

    /// Notes why a kernel has failed that runs on copies. False if it does not run on copies.
    pub(crate) fn fails(&self, kernel: Guid, why: impl FnOnce() -> KernelFailure) -> bool {
        let mut books = self.books.lock();
        let Some(&(edt, number)) = books.kernels.get(&kernel) else {
            return false;
        };
        if let Some(run) = books.edts.get_mut(&edt).and_then(|edt| edt.runs.get_mut(number)) {
            run.error = Some(why());
        }
        true
    }

    /// The function of an EDT creates another one.
    pub(crate) fn creates(&self, edt: Guid) {
        if let Some(edt) = self.books.lock().edts.get_mut(&edt) {
            edt.has_created = true;
        }
    }

    /// What the function of an EDT is to be shown of its pre-slots: the modes, and for blocks that others may write
    /// meanwhile the copies. None if it is not one of those that are compared.
    pub(crate) fn shown(&self, edt: Guid) -> Option<(Vec<Mode>, HashMap<Guid, Guid>)> {
        let books = self.books.lock();
        let edt = books.edts.get(&edt)?;
        let copies = edt.blocks.iter().filter_map(|block| Some((block.guid, block.shown?)));
        Some((edt.modes.clone(), copies.collect()))
    }

    /// Takes an EDT out whose function has returned.
    pub(crate) fn take(&self, edt: Guid) -> Option<RedundantEdt> {
        let mut books = self.books.lock();
        let taken = books.edts.remove(&edt)?;
        for run in &taken.runs {
            books.kernels.remove(&run.edt);
        }
        Some(taken)
    }

    /// Counts what came of an EDT of a template. Whether a difference of it is to be told in full.
    pub(crate) fn came_of(&self, template: &str, outcome: RedundantOutcome) -> bool {
        let mut books = self.books.lock();
        let new = || RedundantReport { template: template.to_string(), ..RedundantReport::default() };
        let report = books.templates.entry(template.to_string()).or_insert_with(new);
        match outcome {
            RedundantOutcome::Alike => report.alike += 1,
            RedundantOutcome::Different => report.different += 1,
            RedundantOutcome::NotCompared(why) => {
                report.not_compared_since(NotCompared { why: why.to_string(), edts: 1 })
            }
        }
        report.different <= TOLD
    }

    /// Counts blocks of an EDT that were not compared, since the function had released them.
    pub(crate) fn released(&self, template: &str, blocks: u64) {
        if let Some(report) = self.books.lock().templates.get_mut(template) {
            report.released_blocks += blocks;
        }
    }

    /// What came of all templates, for the report.
    pub(crate) fn reports(&self) -> Vec<RedundantReport> {
        self.books.lock().templates.values().cloned().collect()
    }

    /// A sentence about each template, for the end of the run.
    pub(crate) fn notes(&self) -> Vec<String> {
        let reports = self.reports();
        if reports.is_empty() {
            let nothing =
                "OCR_REDUNDANT has compared nothing: no EDT has run that has a C function, and a kernel for a \
                           device in use"
                    .to_string();
            return vec![nothing];
        }
        reports.iter().map(|report| format!("OCR_REDUNDANT: {}", report.text())).collect()
    }

    /// How many EDTs have left something else as a kernel than as their function.
    pub(crate) fn different(&self) -> u64 {
        self.books.lock().templates.values().map(|report| report.different).sum()
    }

    /// What the status of the run says of them, as people read it. None if all is alike.
    pub(crate) fn complaint(&self) -> Option<String> {
        let different = self.different();
        (different != 0).then(|| {
            let edts = counted(different, "EDT");
            format!(
                "the program ends with status 1: {edts} left something else as a kernel than as the C function (see the \
                 errors above)"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redundant() -> Redundant {
        Redundant::new(Redundancy { runs: 2, tolerance: None })
    }

    #[test]
    fn an_edt_waits_for_its_kernels_until_it_is_prepared() {
        let redundant = redundant();
        let (edt, kernel) = (Guid::from_bits(1), Guid::from_bits(2));
        assert!(!redundant.awaits(edt));
        redundant.begin(edt, vec![Mode::Rw]);
        assert!(redundant.awaits(edt));
        let run = KernelRun { edt: kernel, place: Place::device(0), variant: 0, error: None };
        redundant.prepare(edt, Vec::new(), vec![run]);
        assert!(!redundant.awaits(edt));
        let failure = || KernelFailure { text: "it is broken".to_string(), intact: true };
        assert!(!redundant.fails(edt, failure));
        assert!(redundant.fails(kernel, failure));
        redundant.creates(edt);
        let taken = redundant.take(edt).expect("it is there");
        assert!(taken.has_created && taken.runs[0].error.as_ref().is_some_and(|error| error.intact));
        assert!(redundant.take(edt).is_none() && !redundant.fails(kernel, failure));
    }

    #[test]
    fn what_came_of_a_template_is_counted() {
        let redundant = redundant();
        assert!(redundant.notes()[0].contains("has compared nothing"));
        assert!(redundant.complaint().is_none());
        for _ in 0..2 {
            redundant.came_of("tile", RedundantOutcome::Alike);
            redundant.came_of("tile", RedundantOutcome::NotCompared("it is late"));
        }
        assert!(redundant.complaint().is_none());
        let told: Vec<bool> = (0..4).map(|_| redundant.came_of("tile", RedundantOutcome::Different)).collect();
        assert_eq!(told, [true, true, true, false]);
        assert_eq!(redundant.different(), 4);
        assert!(redundant.complaint().is_some_and(|text| text.contains("4 EDTs left something else")));
        let text = &redundant.notes()[0];
        assert!(text.contains("2 left the same") && text.contains("2 were not compared, since it is late"), "{text}");
    }
}
