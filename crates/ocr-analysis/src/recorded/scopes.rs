//! The finish scopes of a recorded run: which EDTs are in which, and what waits for them.

use super::{NEVER, RecordedRun};

/// The number that stands for no EDT.
pub(crate) const NOBODY: u32 = u32::MAX;

/// The finish scopes of a run.
pub(crate) struct Scopes {
    /// For each EDT, the finish EDT in whose scope it is; [`NOBODY`] for none.
    pub(crate) of: Vec<u32>,
    /// For each finish EDT, the EDT of its scope that was the last to end; [`NOBODY`] for other EDTs.
    pub(crate) last: Vec<u32>,
}

impl Scopes {
    /// The scopes of a run. EDTs from the number `recorded` on are only supposed, and end no scope.
    pub(crate) fn of(run: &RecordedRun, recorded: usize) -> Scopes {
        let count = run.edts.len();
        let mut of = vec![NOBODY; count];
        for (number, edt) in run.edts.iter().enumerate() {
            // EDTs are in the order of their creation, so the parent's scope is known.
            if (edt.parent as usize) < number {
                let is_finish = run.edts[edt.parent as usize].finish;
                of[number] = if is_finish { edt.parent } else { of[edt.parent as usize] };
            }
        }
        let mut last = vec![NOBODY; count];
        let end = |number: u32| match run.edts[..recorded].get(number as usize) {
            Some(edt) if edt.end != NEVER => Some(edt.end),
            _ => None,
        };
        for number in (0..count as u32).rev() {
            let at = number as usize;
            if run.edts[at].finish && end(number) > end(last[at]) {
                last[at] = number;
            }
            let latest = if run.edts[at].finish { last[at] } else { number };
            if let Some(scope) = last.get_mut(of[at] as usize)
                && end(latest) > end(*scope)
            {
                *scope = latest;
            }
        }
        Scopes { of, last }
    }

    /// The finish EDT whose scope the EDT `to` waits for, where it waits for the end of `from`. This is the outermost
    /// scope that ended with `from` and in which `to` is not. None if no scope ended with `from`.
    pub(crate) fn awaited(&self, run: &RecordedRun, from: u32, to: u32) -> Option<u32> {
        let mut scope = if run.edts[from as usize].finish { from } else { self.of[from as usize] };
        let mut found = None;
        while scope != NOBODY && self.last[scope as usize] == from && !self.contains(scope, to) {
            found = Some(scope);
            scope = self.of[scope as usize];
        }
        found
    }

    /// Whether an EDT is in the scope of a finish EDT, directly or within another scope.
    pub(crate) fn contains(&self, scope: u32, edt: u32) -> bool {
        let mut at = self.of[edt as usize];
        // A finish EDT has a lower number than the EDTs in its scope.
        while at != NOBODY && at > scope {
            at = self.of[at as usize];
        }
        at == scope
    }
}
