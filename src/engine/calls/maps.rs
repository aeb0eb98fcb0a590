//! Maps whose objects are created when they are first asked for (OCR-Vx).
//!
//! The thread that asks first runs the creator, in the call. Others wait until the object is there, as for a label:
//! their workers run other EDTs meanwhile. The object is an ordinary one with an ordinary GUID, which
//! the map keeps; nothing else knows that it is mapped.

use crate::abi::Api;
use crate::check::history::What;
use crate::engine::state::context::Context;
use crate::object::guid::{Guid, Kind};
use crate::object::map::{CreationStep, CreatorMap};
use crate::report::tally::Label;
use crate::status::Status;
use std::ptr;
use std::sync::Arc;

/// What a thread that asks for an object gets.
pub(crate) enum MapAnswer {
    Object(Guid),
    /// The creator must be run with this identifier; then [`Context::end_creation`].
    Create(Arc<CreatorMap>, Guid),
}

/// Why there is no object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MapError {
    /// There is no such map, or it has no such index.
    NoSuchIndex,
    /// The creator of that index waits for this call.
    Circle,
    /// The program ends, or the caller has paused it.
    Ending,
    /// The creator has not created it; what the create function has answered, if it was called.
    Creator(Option<Status>),
    /// No identifier is left for the object.
    OutOfMemory,
}

impl Context {
    /// Enters a map. `None` when GUIDs are used up.
    pub(crate) fn create_map(&mut self, map: CreatorMap) -> Option<Guid> {
        let objects = &self.runtime.objects;
        let map = objects.maps.add(&objects.numbers, map)?;
        if let Some(check) = &self.runtime.check {
            check.created(objects, map, What::Map, (Api::ocrMapCreate, self.who()));
        }
        Some(map)
    }

    /// Destroys a map, not its objects. False if there is none.
    pub(crate) fn destroy_map(&mut self, map: Guid) -> bool {
        let known = self.runtime.objects.maps.remove(map).is_some();
        if let Some(check) = self.runtime.check.as_ref().filter(|_| known) {
            check.ended(map, (Api::ocrMapDestroy, self.who()));
        }
        known
    }

    /// The object of an index of a map, or what must be done for it.
    pub(crate) fn ask_map(&mut self, guid: Guid, index: u64) -> Result<MapAnswer, MapError> {
        let objects = &self.runtime.objects;
        let map = objects.maps.get(guid).ok_or(MapError::NoSuchIndex)?;
        if index >= map.size() {
            return Err(MapError::NoSuchIndex);
        }
        if let Some(object) = map.object(index) {
            return Ok(MapAnswer::Object(object));
        }
        let thread = self.thread();
        loop {
            let begun = objects.creations.begin((guid, &map), index, thread);
            match begun.ok_or(MapError::OutOfMemory)? {
                CreationStep::Made(object) => return Ok(MapAnswer::Object(object)),
                CreationStep::Create(local) => return Ok(MapAnswer::Create(map, local)),
                CreationStep::Circle => return Err(MapError::Circle),
                CreationStep::Wait(local) => {
                    let label = Label::Mapped(guid, index);
                    let goes_on = self.wait_until(label, Api::ocrMapGet, |wake| {
                        objects.creations.watch(local, wake);
                    });
                    objects.creations.goes_on(thread);
                    if !goes_on {
                        return Err(MapError::Ending);
                    }
                }
            }
        }
    }

    /// The program's creator has returned, having created `local` or nothing: what threads that wait for the object are
    /// answered.
    pub(crate) fn end_creation(&mut self, local: Guid) -> Result<Guid, MapError> {
        let ended = self.runtime.objects.creations.end(local);
        ended.map_err(MapError::Creator)
    }

    /// Whether the caller is a creator that was given this identifier and has not used it.
    pub(crate) fn is_creating(&self, local: Guid) -> bool {
        local.kind() == Some(Kind::Local) && self.runtime.objects.creations.is_open(local, self.thread())
    }

    /// A creator has tried to create its object.
    pub(crate) fn mapped(&mut self, local: Guid, created: Result<Guid, Status>) {
        let creations = &self.runtime.objects.creations;
        match created {
            Ok(object) => creations.made(local, object),
            Err(status) => creations.failed(local, status),
        }
    }

    /// The program has destroyed an object, with success: a map that has made it makes another one when it
    /// is asked again.
    pub(crate) fn unmap(&self, object: Guid) {
        self.runtime.objects.creations.destroyed(object);
    }

    /// What tells this thread from others that run creators.
    fn thread(&self) -> usize {
        ptr::from_ref(self) as usize
    }
}
