//! What the functions of finish EDTs would have created where their kernels ran instead.
//!
//! A finish EDT may have a kernel that does a large piece of work at once, and a function that creates the EDTs which
//! do it. A recording has either of them for each such EDT. Where it has the kernel, the function is *supposed* to
//! create what it has created for another EDT of the template: the one whose scope took the median of time, of those
//! with as many bytes of blocks, or else of all. No scope is supposed where all EDTs of the template ran as kernels.
//!
//! Supposed EDTs stand behind the recorded ones. They have the times, places and dependences of those that they are
//! like. Where these used blocks of their finish EDT, they use those of their own. Blocks that were created within the
//! scope are shared by all that are like them.

use super::scopes::{NOBODY, Scopes};
use super::{Edge, NEVER, RecordedEdt, RecordedRun, RecordedUse};
use rustc_hash::FxHashMap;

/// A run with the EDTs that kernels have stood for.
pub(crate) struct Supposed {
    /// The run, with supposed EDTs behind those that were recorded. What no graph needs is left out.
    pub(crate) run: RecordedRun,
    /// For each supposed EDT, the number of the recorded EDT that it is like.
    pub(crate) like: Vec<u32>,
}

/// A recorded finish EDT that ran as a function, and all EDTs of its scope in the order of their creation.
struct RanScope {
    head: u32,
    members: Vec<u32>,
}

/// The EDTs by the scope in which they are.
struct ByScope(Vec<(u32, u32)>);

impl ByScope {
    fn of(scopes: &Scopes) -> ByScope {
        let all = scopes.of.iter().enumerate().filter(|(_, scope)| **scope != NOBODY);
        let mut all: Vec<(u32, u32)> = all.map(|(edt, &scope)| (scope, edt as u32)).collect();
        all.sort_unstable();
        ByScope(all)
    }

    /// All EDTs of a scope and of the scopes in it.
    fn members(&self, run: &RecordedRun, head: u32) -> Vec<u32> {
        let (mut found, mut open) = (Vec::new(), vec![head]);
        while let Some(scope) = open.pop() {
            let first = self.0.partition_point(|(one, _)| *one < scope);
            let its = self.0[first..].iter().take_while(|(one, _)| *one == scope).map(|(_, edt)| *edt);
            for edt in its {
                found.push(edt);
                if run.edts[edt as usize].finish {
                    open.push(edt);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

impl RecordedRun {
    /// Whether an EDT is a finish EDT that can run as a function and as a kernel, and has ended.
    pub(crate) fn is_of_two_grains(&self, edt: &RecordedEdt) -> bool {
        let places = self.templates.get(edt.template as usize).map_or(0, |template| template.places);
        edt.finish && edt.time().is_some() && places & 1 != 0 && places != 1
    }

    /// The run with what functions would have created in place of the kernels that ran. None if that is nothing.
    pub(crate) fn supposed(&self) -> Option<Supposed> {
        let of_two = |edt: &u32| self.is_of_two_grains(&self.edts[*edt as usize]);
        let (functions, kernels): (Vec<u32>, Vec<u32>) =
            (0..self.edts.len() as u32).filter(of_two).partition(|edt| self.edts[*edt as usize].place == 0);
        if functions.is_empty() || kernels.is_empty() {
            return None;
        }
        let (models, of_kernels) = self.models(&functions, &kernels);
        let members = || models.iter().flat_map(|model| model.members.iter().copied());
        members().next()?;
        let heads = models.iter().map(|model| model.head);
        let used_by = members().chain(heads).chain(of_kernels.iter().map(|(kernel, _)| *kernel));
        let uses = by_edt(used_by, self.uses.iter().map(|uses| uses.edt));
        let edges = by_edt(members(), self.edges.iter().map(|edge| edge.to));
        let mut made = Supposed { run: self.graph_alone(), like: Vec::new() };
        for &(kernel, model) in &of_kernels {
            made.add(self, kernel, &models[model], &uses, &edges);
        }
        (!made.like.is_empty()).then_some(made)
    }

    /// What a graph needs of the run.
    fn graph_alone(&self) -> RecordedRun {
        RecordedRun {
            name: self.name.clone(),
            about: self.about.clone(),
            status: self.status,
            end: self.end,
            cut: self.cut.clone(),
            templates: self.templates.clone(),
            edts: self.edts.clone(),
            edges: self.edges.clone(),
            devices: self.devices.clone(),
            blocks: self.blocks.clone(),
            labels: self.labels.clone(),
            block_bytes: self.block_bytes.clone(),
            block_guids: self.block_guids.clone(),
            uses: self.uses.clone(),
            ..RecordedRun::default()
        }
    }

    /// Scopes that functions have opened, and for each kernel which of them its function is supposed to open. A kernel
    /// whose EDT has a scope all the same was tried and has failed, or the recording is damaged: it gets none.
    fn models(&self, functions: &[u32], kernels: &[u32]) -> (Vec<RanScope>, Vec<(u32, usize)>) {
        let scopes = Scopes::of(self, self.edts.len());
        // For each EDT, what it and its scope took; none where one of these has not ended.
        let mut took: Vec<Option<u64>> = self.edts.iter().map(RecordedEdt::time).collect();
        let mut has_scope = vec![false; self.edts.len()];
        for edt in (0..self.edts.len()).rev() {
            let of = scopes.of[edt] as usize;
            if of < edt {
                has_scope[of] = true;
                took[of] = took[of].zip(took[edt]).map(|(all, one)| all.saturating_add(one));
            }
        }
        let mut by_bytes: FxHashMap<(u32, u64), Vec<(u64, u32)>> = FxHashMap::default();
        let mut by_template: FxHashMap<u32, Vec<(u64, u32)>> = FxHashMap::default();
        for &head in functions {
            if let Some(took) = took[head as usize] {
                let edt = &self.edts[head as usize];
                by_bytes.entry((edt.template, edt.bytes)).or_default().push((took, head));
                by_template.entry(edt.template).or_default().push((took, head));
            }
        }
        let sorted = by_bytes.values_mut().chain(by_template.values_mut());
        sorted.for_each(|heads| heads.sort_unstable());
        let by_scope = ByScope::of(&scopes);
        let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
        let (mut models, mut of_kernels) = (Vec::new(), Vec::new());
        for &kernel in kernels.iter().filter(|kernel| !has_scope[**kernel as usize]) {
            let edt = &self.edts[kernel as usize];
            let alike = by_bytes.get(&(edt.template, edt.bytes)).or_else(|| by_template.get(&edt.template));
            if let Some(&(_, head)) = alike.and_then(|heads| heads.get(heads.len() / 2)) {
                let model = *numbers.entry(head).or_insert_with(|| {
                    models.push(RanScope { head, members: by_scope.members(self, head) });
                    models.len() - 1
                });
                of_kernels.push((kernel, model));
            }
        }
        (models, of_kernels)
    }
}

/// For each of these EDTs, the numbers of the things that are of it. `of` is the EDT of each thing.
fn by_edt(edts: impl Iterator<Item = u32>, of: impl Iterator<Item = u32>) -> FxHashMap<u32, Vec<u32>> {
    let mut found: FxHashMap<u32, Vec<u32>> = edts.map(|edt| (edt, Vec::new())).collect();
    for (number, edt) in of.enumerate() {
        if let Some(its) = found.get_mut(&edt) {
            its.push(number as u32);
        }
    }
    found
}

impl Supposed {
    /// Adds what the function of `kernel`, an EDT of `run`, would have created if it had done what that of `model` did.
    /// `uses` and `edges` are numbers of the run's uses, and of the dependences that lead to an EDT.
    fn add(
        &mut self,
        run: &RecordedRun,
        kernel: u32,
        model: &RanScope,
        uses: &FxHashMap<u32, Vec<u32>>,
        edges: &FxHashMap<u32, Vec<u32>>,
    ) {
        let first = self.run.edts.len() as u32;
        let copy_of = |edt: u32| match model.members.binary_search(&edt) {
            Ok(at) => Some(first + at as u32),
            Err(_) => (edt == model.head).then_some(kernel),
        };
        let [head, own] = [model.head, kernel].map(|edt| &run.edts[edt as usize]);
        let used = |edt: u32| uses[&edt].iter().map(|&number| &run.uses[number as usize]);
        let blocks: FxHashMap<u32, u32> =
            used(model.head).zip(used(kernel)).map(|(theirs, own)| (theirs.block, own.block)).collect();
        for &member in &model.members {
            let edt = &run.edts[member as usize];
            let number = self.run.edts.len() as u32;
            self.run.edts.push(RecordedEdt { parent: copy_of(edt.parent).unwrap_or(NOBODY), ..edt.clone() });
            self.like.push(member);
            for &at in &uses[&member] {
                let its = run.uses[at as usize];
                let block = blocks.get(&its.block).copied().unwrap_or(its.block);
                self.run.uses.push(RecordedUse { edt: number, block, ..its });
            }
            for &at in &edges[&member] {
                let edge = run.edges[at as usize];
                let Some(from) = copy_of(edge.from) else {
                    continue;
                };
                // What the head did in a part of its time, the function does in the same part of the kernel's.
                let at = match (edge.at, head.time(), own.time()) {
                    (at, Some(took), Some(takes)) if at != NEVER && edge.from == model.head => {
                        let part = at.saturating_sub(head.begin) as f64 / took.max(1) as f64;
                        own.begin + (takes as f64 * part.min(1.0)) as u64
                    }
                    (at, ..) => at,
                };
                self.run.edges.push(Edge { from, to: number, at });
            }
        }
    }
}
