//! EDT templates: what the EDTs made from them do, and how many parameters and pre-slots they have.
//!
//! States: free, live. Creating an EDT reads its template without writing to it, so that a million
//! creations do not fight for its cache line: the fields are atomics, read between two looks at
//! the header. If both looks see the live generation of the GUID, the fields belong to it, since a
//! slot is reused only in a later generation.

use super::arena::{Arena, Cache, Slot};
use super::guid::{Guid, Kind};
use super::header::Header;
use super::work::Work;
use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering, fence};

const LIVE: u8 = 1;

/// A template.
#[repr(C, align(64))]
pub struct Template {
    header: Header,
    index: Cell<u32>,
    paramc: AtomicU32,
    depc: AtomicU32,
    work: AtomicPtr<Work>,
}

// SAFETY: `index` belongs to the arena's free lists, the rest is atomic.
unsafe impl Sync for Template {}

// SAFETY: zero is a free template; the size is 64; the fields are fixed.
unsafe impl Slot for Template {
    fn header(&self) -> &Header {
        &self.header
    }
    fn next_free(&self) -> &Cell<u32> {
        &self.index
    }
}

/// What a template says.
#[derive(Clone, Copy)]
pub struct TemplateView {
    /// Number of parameters, or `EDT_PARAM_UNK`.
    pub paramc: u32,
    /// Number of pre-slots, or `EDT_PARAM_UNK`.
    pub depc: u32,
    /// What its EDTs do.
    pub work: &'static Work,
}

/// The templates.
#[derive(Default)]
pub struct Templates(Arena<Template>);

impl Templates {
    /// Creates a template. `None` when memory is used up.
    pub fn create(&self, cache: &mut Cache, view: TemplateView) -> Option<Guid> {
        let (index, template) = self.0.allocate(cache)?;
        // A reader that sees what follows sees also that the slot's last template is gone.
        fence(Ordering::Release);
        template.paramc.store(view.paramc, Ordering::Relaxed);
        template.depc.store(view.depc, Ordering::Relaxed);
        template.set_work(view.work);
        let word = template.header.peek().with_state(LIVE);
        template.header.publish(word);
        Some(Guid::new(Kind::Template, word.generation(), index))
    }

    fn get(&self, guid: Guid) -> Option<&Template> {
        (guid.kind() == Some(Kind::Template)).then(|| self.0.get(guid.index()))?
    }

    /// What the template of this GUID says, if it exists.
    #[inline]
    pub fn view(&self, guid: Guid) -> Option<TemplateView> {
        let template = self.get(guid)?;
        let before = template.header.peek();
        let paramc = template.paramc.load(Ordering::Relaxed);
        let depc = template.depc.load(Ordering::Relaxed);
        // Pairs with the store in `set_work`: the work is seen whole.
        let work = template.work.load(Ordering::Acquire);
        // The loads above come before the second look.
        fence(Ordering::Acquire);
        let after = template.header.peek();
        let ours = |word: super::header::Word| {
            word.generation() == guid.generation() && word.state() == LIVE
        };
        if !ours(before) || !ours(after) {
            return None;
        }
        // SAFETY: a live template has a work, and works live as long as the runtime.
        let work = unsafe { &*work };
        Some(TemplateView { paramc, depc, work })
    }

    /// Replaces what EDTs made from now on do. `change` makes the new work of the old one; it is
    /// called again if somebody else has changed the template meanwhile.
    pub fn change<E>(
        &self,
        guid: Guid,
        mut change: impl FnMut(TemplateView) -> Result<&'static Work, E>,
    ) -> Option<Result<(), E>> {
        loop {
            let view = self.view(guid)?;
            // `change` may build kernels, so it runs without the lock.
            let work = match change(view) {
                Ok(work) => work,
                Err(error) => return Some(Err(error)),
            };
            let template = self.get(guid)?;
            let _locked = template.header.lock(guid.generation())?;
            if std::ptr::eq(template.work.load(Ordering::Relaxed), view.work) {
                template.set_work(work);
                return Some(Ok(()));
            }
        }
    }

    /// Destroys a template; EDTs made from it are not affected. False if there is none.
    pub fn destroy(&self, cache: &mut Cache, guid: Guid) -> bool {
        let Some(template) = self.get(guid) else {
            return false;
        };
        let Some(mut locked) = template.header.lock(guid.generation()) else {
            return false;
        };
        match locked.word.freed() {
            Some(freed) => {
                locked.word = freed;
                drop(locked);
                self.0.free(cache, guid.index());
            }
            // The generations of the slot are used up: a state that `view` does not accept.
            None => locked.word = locked.word.with_state(LIVE + 1),
        }
        true
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, cache: &mut Cache) {
        self.0.drain(cache);
    }
}

impl Template {
    fn set_work(&self, work: &'static Work) {
        // Pairs with the load in `view`.
        self.work
            .store(std::ptr::from_ref(work).cast_mut(), Ordering::Release);
    }
}
