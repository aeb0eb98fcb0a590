//! What the runs of an EDT as kernels have left otherwise than its function, and how that is told. The steps that lead
//! here are in `redundant.rs`.
//!
//! The function counts, since what it leaves is what the program goes on with. With two runs as a kernel, two of three
//! decide who is wrong: if both kernels differ from the function and agree, the variants do not do the same; if one
//! agrees with the function, the other has gone wrong by itself.

use crate::engine::state::difference::{Difference, difference};
use crate::engine::state::redundant::{KernelRun, Redundant, RedundantBlock, RedundantEdt, RedundantOutcome};
use crate::engine::state::runtime::Runtime;
use crate::object::edt::{Edt, PreSlot};
use crate::object::guid::Guid;
use crate::object::name::{BlockName, EdtName};
use ocr_base::text::counted;

/// What a kernel has left otherwise than the function.
enum Deviation {
    /// The first block that differs, by its number, how, and how many others do.
    Block(usize, Difference, u64),
    /// What is passed on: what the function has returned, and the block of the kernel's result slot.
    Passed(Guid, Guid),
    /// The kernel has failed after it had begun.
    Failed(String),
}

/// What came of comparing the runs of an EDT.
pub(crate) struct ComparedRuns {
    /// By run as a kernel. None: it has left what the function has.
    deviations: Vec<Option<Deviation>>,
    /// Whether there are two runs as a kernel, and they have left the same.
    kernels_agree: bool,
    /// How many blocks the function had released.
    released: u64,
    /// Why nothing was compared, if nothing was.
    not_compared: Option<&'static str>,
}

impl ComparedRuns {
    /// Compares them. The function of the EDT has returned this, and the EDT holds its blocks still.
    pub(crate) fn new(
        runtime: &Runtime,
        redundant: &Redundant,
        edt: &Edt,
        ran: &RedundantEdt,
        result: Guid,
    ) -> ComparedRuns {
        let content = |guid: Guid| {
            let block = runtime.objects.data_blocks.pinned(guid);
            // SAFETY: the host memory of a block has its size, and is there. The EDT holds the block, in a mode in
            // which no other writes it, or it is a copy that only this EDT knows.
            unsafe { std::slice::from_raw_parts(block.host_ptr(), block.size() as usize) }
        };
        let tolerance = redundant.how.tolerance;
        let is_left =
            |block: &RedundantBlock| block.shown.is_some() || !edt.slots()[block.slot as usize].info().released;
        let left: Vec<(usize, &RedundantBlock)> =
            ran.blocks.iter().enumerate().filter(|(_, block)| is_left(block)).collect();
        let deviation = |(number, run): (usize, &KernelRun)| {
            if let Some(failure) = &run.error {
                return Some(Deviation::Failed(failure.text.clone()));
            }
            let mut differ = left.iter().filter_map(|&(at, block)| {
                let of_function = content(block.shown.unwrap_or(block.guid));
                Some((at, difference(of_function, content(block.copies[number]), tolerance)?))
            });
            if let Some((at, first)) = differ.next() {
                return Some(Deviation::Block(at, first, differ.count() as u64));
            }
            let result_slot = edt.work().kernels[run.variant].result_slot;
            let passed = edt.slots().get(result_slot as usize).map_or(Guid::NULL, PreSlot::data);
            (edt.is_awaited() && passed != result).then_some(Deviation::Passed(result, passed))
        };
        let is_unbegun = |run: &KernelRun| run.error.as_ref().is_some_and(|failure| failure.intact);
        let not_compared = if edt.flags.get().is_finish() && ran.has_created {
            Some("the function leaves work to EDTs that it creates")
        } else if ran.runs.iter().any(is_unbegun) {
            Some("the kernel could not be launched")
        } else if left.is_empty() {
            Some("the function had released all blocks before it returned")
        } else {
            None
        };
        let deviations = match not_compared {
            None => ran.runs.iter().enumerate().map(deviation).collect(),
            Some(_) => Vec::new(),
        };
        let agree = |&(_, block): &(usize, &RedundantBlock)| match block.copies[..] {
            [first, second] => difference(content(first), content(second), tolerance).is_none(),
            _ => false,
        };
        let kernels_agree = left.iter().all(agree) && ran.runs.iter().all(|run| run.error.is_none());
        ComparedRuns { deviations, kernels_agree, released: (ran.blocks.len() - left.len()) as u64, not_compared }
    }

    /// Counts what came of it, and says what differs.
    pub(crate) fn tell(&self, runtime: &Runtime, redundant: &Redundant, edt: &Edt, ran: &RedundantEdt) {
        let template = edt.work().name.best();
        let deviation =
            self.deviations.iter().zip(&ran.runs).find_map(|(deviation, run)| Some((deviation.as_ref()?, run)));
        let outcome = match (self.not_compared, deviation) {
            (Some(why), _) => RedundantOutcome::NotCompared(why),
            (None, Some(_)) => RedundantOutcome::Different,
            (None, None) => RedundantOutcome::Alike,
        };
        let is_told = redundant.came_of(template, outcome);
        if self.not_compared.is_none() {
            redundant.released(template, self.released);
        }
        match (outcome, deviation) {
            (RedundantOutcome::Different, Some((deviation, run))) if is_told => {
                let text = text_of(deviation, run, runtime, edt, ran, redundant.how.runs);
                error!("{text}{}", self.decided(runtime, ran));
            }
            (RedundantOutcome::NotCompared(_), _) => {
                let failure = ran.runs.iter().find_map(|run| run.error.as_ref());
                if let Some(failure) = failure {
                    let text = &failure.text;
                    runtime.registry.note(format!("{} was not compared, since {text}", EdtName::of(edt)));
                }
            }
            _ => {}
        }
    }

    /// What the third run says of the other two; nothing where there are two.
    fn decided(&self, runtime: &Runtime, ran: &RedundantEdt) -> String {
        let device = |run: &KernelRun| &runtime.devices.used(run.place).info.name;
        match (&self.deviations[..], &ran.runs[..]) {
            ([Some(_), Some(_)], _) if self.kernels_agree => {
                " Two runs as a kernel have left the same, so the variants do \
                                                            not do the same."
                    .to_string()
            }
            ([Some(_), Some(_)], _) => {
                " No two of the three runs have left the same: the kernel leaves something else each \
                                       time, as where its work-items race."
                    .to_string()
            }
            ([None, Some(_)], [alike, _]) | ([Some(_), None], [_, alike]) => format!(
                " The other run as a kernel, on {}, has left what the function has: the kernel does not leave the same each \
                 time, as where its work-items race, or a device is broken.",
                device(alike)
            ),
            _ => String::new(),
        }
    }
}

/// A deviation in words.
fn text_of(
    deviation: &Deviation,
    run: &KernelRun,
    runtime: &Runtime,
    edt: &Edt,
    ran: &RedundantEdt,
    runs: usize,
) -> String {
    let device = &runtime.devices.used(run.place).info.name;
    let kernel = &edt.work().kernels[run.variant].name;
    let begin = format!("{}: its kernel \"{kernel}\" on {device}", EdtName::of(edt));
    match deviation {
        Deviation::Block(at, difference, others) => {
            let block = &ran.blocks[*at];
            let mode = ran.modes[block.slot as usize].name();
            let size = runtime.objects.data_blocks.pinned(block.guid).size();
            let differs = difference.text("the function", "the kernel");
            let others = match others {
                0 => String::new(),
                1 => " Another block of the EDT differs, too.".to_string(),
                others => format!(" {others} other blocks of the EDT differ, too."),
            };
            let advice = difference.advice(runs).map_or(String::new(), |advice| format!(" {advice}"));
            format!(
                "{begin} has left something else than its C function in {}, on pre-slot {} ({mode}, {}): \
                 {differs}.{others} Both had the same parameters and blocks.{advice}",
                BlockName(block.guid),
                block.slot,
                counted(size, "byte"),
            )
        }
        Deviation::Passed(returned, passed) => format!(
            "{begin} passes on {passed}, and its C function {returned}: the result slot of the kernel \
             (ocrEdtTemplateAddKernel) has to name the pre-slot whose block the function returns."
        ),
        Deviation::Failed(text) => format!("{begin} has failed, while its C function has run: {text}"),
    }
}
