//! EDTs of the runtime's own, which are created, wait, run and end as those of the program do, but before
//! them: what a call has begun is brought to its end, and its memory given back, though the program goes on to
//! create EDTs.

use crate::engine::life::create_request::{CreateError, EdtRequest, Output};
use crate::engine::state::context::Context;
use crate::object::code::{Code, EdtFunction, WorkKind};
use crate::object::edt::ExplicitRange;
use crate::object::guid::Guid;
use crate::object::hints::{EDT_PRIORITY, HintSet};
use crate::object::template::{PARAM_DEF, TemplateView};
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

/// An EDT that is created in the middle of a step, in no finish scope.
pub(crate) struct InternalEdtInStep<'a> {
    /// What it runs.
    pub work: &'static Code,
    pub params: &'a [u64],
    /// How many pre-slots it has; at least one, which keeps it from running.
    pub depc: u32,
    /// The work-items of a kernel, where the program has given them.
    pub range: Option<&'a ExplicitRange>,
    /// The event that its end satisfies.
    pub output: Output,
}

impl Context {
    /// Creates such an EDT, with open pre-slots.
    pub(crate) fn create_internal_edt(&mut self, own: InternalEdt<'_>) -> Result<Guid, CreateError> {
        let work = Code::of_runtime(own.function, own.kind);
        let view = self.runtime.template(work, own.params.len() as u32, own.depc);
        let current = self.current;
        if !own.in_scope {
            self.on_behalf_of = self.current.take();
        }
        let created = self.create_own(view, own.params, None, own.output, Context::create_edt);
        self.current = current;
        self.on_behalf_of = None;
        created
    }

    /// Creates an EDT of the runtime's own with open pre-slots, in the middle of a step, with which what that leads to
    /// is worked off.
    pub(crate) fn create_internal_in_step(&mut self, own: InternalEdtInStep<'_>) -> Result<Guid, CreateError> {
        let (paramc, depc, work) = (own.params.len() as u32, own.depc, own.work);
        let view = TemplateView { paramc, depc, needs_slow_path: true, work };
        let current = self.current.take();
        self.on_behalf_of = current;
        let created = self.create_own(view, own.params, own.range, own.output, Context::create_in_step);
        self.current = current;
        self.on_behalf_of = None;
        created
    }

    /// Has `create` create an EDT that runs before those of the program.
    fn create_own(
        &mut self,
        view: TemplateView,
        params: &[u64],
        range: Option<&ExplicitRange>,
        output: Output,
        create: impl FnOnce(&mut Context, &EdtRequest<'_>) -> Result<(), CreateError>,
    ) -> Result<Guid, CreateError> {
        let templates = &self.runtime.objects.templates;
        let template = templates.create(&mut self.caches.templates, view);
        let template = template.ok_or(CreateError::OutOfMemory)?;
        let mut first = HintSet::default();
        first.set(EDT_PRIORITY, u64::MAX);
        let mut edt = Guid::NULL;
        let request = EdtRequest {
            template,
            paramc: PARAM_DEF,
            paramv: match params {
                [] => ptr::null(),
                params => params.as_ptr(),
            },
            depc: PARAM_DEF,
            depv: ptr::null(),
            finish: false,
            range,
            hints: Some(&first),
            guid: NonNull::new(&mut edt),
            label: None,
            output,
        };
        let created = create(self, &request);
        templates.destroy(&mut self.caches.templates, template);
        created.map(|()| edt)
    }
}
