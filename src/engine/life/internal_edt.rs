//! EDTs of the runtime's own, which are created, wait, run and end as those of the program do, but before
//! them: what a call has begun is brought to its end, and its memory given back, though the program goes on to
//! create EDTs.

use crate::engine::life::create_request::{CreateError, EdtRequest, Output};
use crate::engine::state::context::Context;
use crate::object::code::{Code, EdtFunction, WorkKind};
use crate::object::guid::Guid;
use crate::object::hints::{EDT_PRIORITY, HintSet};
use crate::object::template::PARAM_DEF;
use std::ptr;
use std::ptr::NonNull;

/// An EDT that will be created.
pub(crate) struct InternalEdt<'a> {
    /// The function of the runtime that it runs.
    pub function: EdtFunction,
    /// The call of the program for which the EDT works, as messages tell it.
    pub kind: WorkKind,
    pub params: &'a [u64],
    /// How many pre-slots it has; at least one, which keeps it from running.
    pub depc: u32,
    /// The event that its end satisfies.
    pub output: Output,
    /// Whether it is in the caller's finish scope.
    pub in_scope: bool,
}

impl Context {
    /// Creates such an EDT, with open pre-slots.
    pub(crate) fn create_internal_edt(&mut self, own: InternalEdt<'_>) -> Result<Guid, CreateError> {
        let objects = &self.runtime.objects;
        let work = Code::of_runtime(own.function, own.kind);
        let view = self.runtime.template(work, own.params.len() as u32, own.depc);
        let template = objects.templates.create(&mut self.caches.templates, view);
        let template = template.ok_or(CreateError::OutOfMemory)?;
        let mut first = HintSet::default();
        first.set(EDT_PRIORITY, u64::MAX);
        let mut edt = Guid::NULL;
        let current = self.current;
        if !own.in_scope {
            self.on_behalf_of = self.current.take();
        }
        let created = self.create_edt(&EdtRequest {
            template,
            paramc: PARAM_DEF,
            paramv: match own.params {
                [] => ptr::null(),
                params => params.as_ptr(),
            },
            depc: PARAM_DEF,
            depv: ptr::null(),
            finish: false,
            range: None,
            hints: Some(&first),
            guid: NonNull::new(&mut edt),
            label: None,
            output: own.output,
        });
        self.current = current;
        self.on_behalf_of = None;
        objects.templates.destroy(&mut self.caches.templates, template);
        created.map(|()| edt)
    }
}
