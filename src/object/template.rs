//! EDT templates: what the EDTs made from them do, and how many parameters and pre-slots they have.
//!
//! States: free, live. Creating an EDT reads its template without writing to it, so that a million
//! creations do not fight for its cache line: the fields are atomics, read between two looks at
//! the header. If both looks see the same word, live and in the GUID's generation, the fields belong
//! to it: a slot is reused only in a later generation, and that of a label with another count, unless
//! 2^28 templates came and went on it between the two looks.

use super::arena::{Arena, Cache, LabelTakenError, Labels, Slot};
use super::code::Code;
use super::guid::{Guid, Kind};
use super::header::{COUNT_MAX, Header, Word, states};
use super::hints::{HintSet, Hints};
use super::saved::{Saved, malformed};
use super::zone::Zone;
use ocr_base::sync::{AtomicBool, AtomicPtr, AtomicU32, Ordering, fence};
use std::io;

/// `EDT_PARAM_UNK`: each EDT says how many it has. The header has a cast, which `bindgen` does not read.
pub(crate) const PARAM_UNK: u32 = -1i32 as u32;
/// `EDT_PARAM_DEF`: as many as the template says.
pub(crate) const PARAM_DEF: u32 = -2i32 as u32;

states! {
    /// The states of a template.
    pub(crate) enum TemplateState {
        /// The template's GUID is accepted.
        Live = 1,
        /// The generations of the slot are used up: no call accepts this state, and the slot is never given again.
        Retired = 2,
    }
}

/// A template, as long as the program has it.
#[repr(C, align(64))]
pub(crate) struct Template {
    header: Header<TemplateState>,
    paramc: AtomicU32,
    depc: AtomicU32,
    needs_slow_path: AtomicBool,
    work: AtomicPtr<Code>,
}

// SAFETY: zero is a free template; the size is 64; the fields are fixed.
unsafe impl Slot for Template {
    type State = TemplateState;

    fn header(&self) -> &Header<TemplateState> {
        &self.header
    }
}

/// What a template says about the EDTs that are made of it.
#[derive(Clone, Copy)]
pub struct TemplateView {
    /// Number of parameters, or [`PARAM_UNK`].
    pub paramc: u32,
    /// Number of pre-slots, or [`PARAM_UNK`].
    pub depc: u32,
    /// Whether more must be done for its EDTs than usually is: it has hints, in [`Templates::hints`], or
    /// strict mode is on.
    pub needs_slow_path: bool,
    /// What the EDTs run, interned.
    pub work: &'static Code,
}

#[derive(Default)]
pub struct Templates {
    templates: Arena<Template>,
    /// The hints of those that have some.
    pub hints: Hints,
}

impl Templates {
    /// Makes a store without templates, of a node.
    pub fn new(zone: Zone) -> Templates {
        Templates { templates: Arena::new(zone), hints: Hints::default() }
    }

    /// Creates a template. `None` when memory is used up.
    pub fn create(&self, cache: &mut Cache, view: TemplateView) -> Option<Guid> {
        let (index, template) = self.templates.allocate(cache)?;
        Some(template.begin(index, view))
    }

    /// Creates a template on a label.
    pub fn create_on(&self, label: Guid, view: TemplateView) -> Result<Guid, LabelTakenError> {
        let template = self.templates.claim(label)?;
        Ok(template.begin(label.index(), view))
    }

    /// The labels that templates can be created on.
    pub fn labels(&self) -> &dyn Labels {
        &self.templates
    }

    fn get(&self, guid: Guid) -> Option<&Template> {
        (guid.kind() == Some(Kind::Template)).then(|| self.templates.get(guid.index()))?
    }

    /// The header's word of the slot with this index, whatever is in it.
    pub(crate) fn word(&self, index: u32) -> Option<Word<TemplateState>> {
        self.templates.get(index).map(|template| template.header.peek())
    }

    /// What the template of this GUID says, if it exists.
    #[inline]
    pub fn view(&self, guid: Guid) -> Option<TemplateView> {
        self.get(guid)?.view(guid.generation())
    }

    /// Replaces what EDTs made from now on do. `change` makes the new work of the old one; it is
    /// called again if another thread has changed the template meanwhile. What it has made then, or of a template that
    /// is gone by now, is of no use: `unused` is told of it.
    pub fn change<E>(
        &self,
        guid: Guid,
        mut change: impl FnMut(TemplateView) -> Result<&'static Code, E>,
        unused: impl Fn(TemplateView, &'static Code),
    ) -> Option<Result<(), E>> {
        loop {
            let view = self.view(guid)?;
            // `change` may build kernels, so it runs without the lock.
            let work = match change(view) {
                Ok(work) => work,
                Err(error) => return Some(Err(error)),
            };
            let replace = || {
                let template = self.get(guid)?;
                let _locked = template.header.lock(guid.generation())?;
                let is_same = std::ptr::eq(template.work.load(Ordering::Relaxed), view.work);
                if is_same {
                    template.set_work(work);
                }
                Some(is_same)
            };
            let is_replaced = replace();
            if is_replaced == Some(true) {
                return Some(Ok(()));
            }
            unused(view, work);
            is_replaced?;
        }
    }

    /// Adds hints to a template, for EDTs made from now on. False if there is none.
    pub fn add_hints(&self, guid: Guid, hints: &HintSet) -> bool {
        let locked = self.get(guid).and_then(|template| Some((template, template.header.lock(guid.generation())?)));
        let Some((template, _locked)) = locked.filter(|(_, locked)| locked.word.state() == TemplateState::Live) else {
            return false;
        };
        self.hints.add(guid, hints);
        template.needs_slow_path.store(true, Ordering::Relaxed);
        true
    }

    /// Destroys a template, and says what its EDTs do; those are not affected. None if there is no such template.
    pub fn destroy(&self, cache: &mut Cache, guid: Guid) -> Option<&'static Code> {
        let template = self.get(guid)?;
        let locked = template.header.lock(guid.generation())?;
        let mut locked = Some(locked).filter(|locked| locked.word.state() == TemplateState::Live)?;
        // Written under the lock that is held.
        let work = template.work.load(Ordering::Relaxed);
        // SAFETY: a live template has a work, and works live as long as the runtime.
        let work: &'static Code = unsafe { &*work };
        if template.needs_slow_path.load(Ordering::Relaxed) {
            self.hints.drop_of(guid);
        }
        match locked.word.freed() {
            Some(freed) => {
                // How many templates there were, which tells those of one label apart.
                let count = locked.word.count().wrapping_add(1) & COUNT_MAX;
                locked.word = freed.with_count(count);
                drop(locked);
                self.templates.free(cache, freed, guid.index());
            }
            // The generations of the slot are used up: a state that `view` does not accept.
            None => locked.word = locked.word.with_state(TemplateState::Retired),
        }
        Some(work)
    }

    /// The GUIDs of all templates that are not destroyed.
    pub fn live(&self) -> impl Iterator<Item = Guid> {
        let live = self.templates.live().filter(|(_, word, _)| word.state() == TemplateState::Live);
        live.map(|(index, word, _)| Guid::new(Kind::Template, word.generation(), index))
    }

    /// Passes all templates through a checkpoint. `slow` is whether all of them need the slow path in this run.
    pub(super) fn pass(&self, file: &mut Saved<'_>, slow: bool) -> io::Result<()> {
        self.templates.pass(file, |file, _, template| {
            let word = template.header.pass(file)?;
            if word.state() == TemplateState::Free {
                return Ok(());
            }
            template.paramc.store(file.word(template.paramc.load(Ordering::Relaxed))?, Ordering::Relaxed);
            template.depc.store(file.word(template.depc.load(Ordering::Relaxed))?, Ordering::Relaxed);
            let slow_path = file.word(template.needs_slow_path.load(Ordering::Relaxed))?;
            template.needs_slow_path.store(slow_path || slow, Ordering::Relaxed);
            let work = file.code(template.work.load(Ordering::Relaxed))?;
            template.work.store(work.cast_mut(), Ordering::Release);
            if word.state() == TemplateState::Live && work.is_null() { Err(malformed()) } else { Ok(()) }
        })?;
        self.hints.pass(file)
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, cache: &mut Cache) {
        self.templates.drain(cache);
    }
}

impl Template {
    /// Makes a slot that this thread has taken a template.
    fn begin(&self, index: u32, view: TemplateView) -> Guid {
        // A reader that sees what follows sees also that the slot's last template is gone.
        fence(Ordering::Release);
        self.paramc.store(view.paramc, Ordering::Relaxed);
        self.depc.store(view.depc, Ordering::Relaxed);
        self.needs_slow_path.store(view.needs_slow_path, Ordering::Relaxed);
        self.set_work(view.work);
        let word = self.header.peek().with_state(TemplateState::Live);
        self.header.publish(word);
        Guid::new(Kind::Template, word.generation(), index)
    }

    /// What it says, if the slot is a live template in this generation.
    #[inline]
    fn view(&self, generation: u32) -> Option<TemplateView> {
        loop {
            let before = self.header.peek();
            if before.generation() != generation || before.state() != TemplateState::Live {
                return None;
            }
            let paramc = self.paramc.load(Ordering::Relaxed);
            let depc = self.depc.load(Ordering::Relaxed);
            let needs_slow_path = self.needs_slow_path.load(Ordering::Relaxed);
            // Pairs with the store in `set_work`: the work is seen whole.
            let work = self.work.load(Ordering::Acquire);
            // The loads above come before the second look.
            fence(Ordering::Acquire);
            if self.header.peek() == before {
                // SAFETY: a live template has a work, and works live as long as the runtime.
                let work = unsafe { &*work };
                return Some(TemplateView { paramc, depc, needs_slow_path, work });
            }
        }
    }

    fn set_work(&self, work: &'static Code) {
        // Pairs with the load in `view`.
        self.work.store(std::ptr::from_ref(work).cast_mut(), Ordering::Release);
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use loom::sync::Arc;

    fn work() -> &'static Code {
        unsafe extern "C" fn nothing(_: u32, _: *mut u64, _: u32, _: *mut super::super::code::EdtDep) -> Guid {
            Guid::NULL
        }
        Box::leak(Box::new(Code::of_function(nothing, "nothing")))
    }

    /// A template is destroyed, and another made in its slot, while a thread creates an EDT from the first:
    /// it gets what the first one says, or nothing.
    #[test]
    fn a_template_is_read_whole_or_not_at_all() {
        let code_table = [work() as *const Code as usize, work() as *const Code as usize];
        loom::model(move || {
            let view = |number: u32| TemplateView {
                paramc: number,
                depc: number,
                needs_slow_path: number != 0,
                // SAFETY: both addresses are of a `Code` that was leaked, so it stays and no thread writes it.
                work: unsafe { &*(code_table[number as usize] as *const Code) },
            };
            let template = Arc::new(Template {
                header: Header::new(),
                paramc: AtomicU32::new(0),
                depc: AtomicU32::new(0),
                needs_slow_path: AtomicBool::new(false),
                work: AtomicPtr::new(std::ptr::null_mut()),
            });
            let first = template.begin(1, view(0)).generation();
            let other = template.clone();
            let reader = loom::thread::spawn(move || other.view(first));
            let mut locked = template.header.lock(first).expect("live");
            locked.word = locked.word.freed().expect("generations left");
            drop(locked);
            template.begin(1, view(1));
            if let Some(seen) = reader.join().expect("no panic") {
                assert_eq!((seen.paramc, seen.depc, seen.needs_slow_path), (0, 0, false));
                assert!(std::ptr::eq(seen.work, view(0).work));
            }
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::convert::Infallible;

    fn code(name: &str) -> &'static Code {
        Box::leak(Box::new(Code::of_kernels(name)))
    }

    #[test]
    fn what_was_made_for_a_template_that_is_another_by_now_is_of_no_use() {
        let (templates, mut cache) = (Templates::default(), Cache::default());
        let [first, other, late, last] = ["first", "other", "late", "last"].map(code);
        let view = TemplateView { paramc: 0, depc: 0, needs_slow_path: false, work: first };
        let template = templates.create(&mut cache, view).expect("memory");
        let set = |work: &'static Code| move |_: TemplateView| Ok::<_, Infallible>(work);
        let unused = RefCell::new(Vec::new());
        let note = |view: TemplateView, work: &'static Code| {
            unused.borrow_mut().push((view.work.name.to_string(), work.name.to_string()));
        };
        // Another thread is first.
        let changed = templates.change(
            template,
            |view| {
                if std::ptr::eq(view.work, first) {
                    let done = templates.change(template, set(other), |_, _| panic!("nobody comes between"));
                    assert!(done.is_some_and(|done| done.is_ok()));
                    return set(late)(view);
                }
                set(last)(view)
            },
            note,
        );
        assert!(changed.is_some_and(|done| done.is_ok()));
        assert!(templates.view(template).is_some_and(|view| std::ptr::eq(view.work, last)));
        assert_eq!(unused.take(), [("first".to_string(), "late".to_string())]);
        // It is destroyed meanwhile.
        let cache = RefCell::new(cache);
        let destroy = |view| {
            let gone = templates.destroy(&mut cache.borrow_mut(), template);
            assert!(gone.is_some());
            set(late)(view)
        };
        assert!(templates.change(template, destroy, note).is_none());
        assert_eq!(unused.take(), [("last".to_string(), "late".to_string())]);
    }
}
