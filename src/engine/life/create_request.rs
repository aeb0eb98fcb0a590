//! What a program asks for when it creates an EDT, and whether that is right (OCR 1.1.0, 2.7.3).

use crate::check::count;
use crate::engine::state::context::Context;
use crate::graph::GraphError;
use crate::object::arena::{CreateOnLabelError, LabelTakenError};
use crate::object::edt::ExplicitRange;
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::object::hints::HintSet;
use crate::object::link::MAX_SLOTS;
use crate::object::template::{PARAM_DEF, PARAM_UNK, TemplateView};
use std::borrow::Cow;
use std::ptr::NonNull;

/// The arguments of `ocrEdtCreate`, as the caller gives them.
pub(crate) struct EdtRequest<'a> {
    /// The GUID of the template.
    pub template: Guid,
    /// Number of parameters, or `PARAM_DEF`.
    pub paramc: u32,
    /// The parameters; null if there are none.
    pub paramv: *const u64,
    /// Number of pre-slots, or `PARAM_DEF`.
    pub depc: u32,
    /// What the pre-slots are connected to, or null.
    pub depv: *const Guid,
    /// Whether it is a finish EDT.
    pub finish: bool,
    /// An index space given at creation.
    pub range: Option<&'a ExplicitRange>,
    /// Hints that come on top of the template's.
    pub hints: Option<&'a HintSet>,
    /// Gets the GUID before the EDT can run; none for an anonymous EDT. Programs let it, and the
    /// place of the output event, overlap with the arrays: these are read before.
    pub guid: Option<NonNull<Guid>>,
    /// The labeled GUID that it is to have; `guid` is given, too.
    pub label: Option<LabelRequest>,
    /// What becomes of the output event.
    pub output: Output,
}

/// The labeled GUID of a new EDT.
#[derive(Clone, Copy)]
pub(crate) struct LabelRequest {
    /// The labeled GUID that the EDT is to have.
    pub guid: Guid,
    /// Whether the creator says that no other creates on it (`GUID_PROP_IS_LABELED` alone).
    pub alone: bool,
    /// Whether it is no label, but the GUID that another node has given to an EDT for this one.
    pub is_made: bool,
}

/// The output event of a new EDT.
#[derive(Clone, Copy)]
pub(crate) enum Output {
    /// No output event is wanted.
    None,
    /// A new once event; gets its GUID.
    New(NonNull<Guid>),
    /// An event that exists (`EDT_PROP_OEVT_VALID`).
    Given(Guid),
}

/// Why an EDT is not created.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum CreateError {
    /// There is no such template.
    NoTemplate,
    /// Another argument is wrong; says which.
    Arguments(Cow<'static, str>),
    /// Parameters and no array of them, or the reverse. A warning has said which.
    Parameters,
    /// An EDT without GUID must be given all its dependences.
    Anonymous,
    /// `depv` names something that is not there or cannot be a dependence.
    Dependence(GraphError),
    /// The label has an object, or is none.
    Label(LabelTakenError),
    OutOfMemory,
}

impl From<CreateOnLabelError> for CreateError {
    fn from(why: CreateOnLabelError) -> CreateError {
        match why {
            CreateOnLabelError::OutOfMemory => CreateError::OutOfMemory,
            CreateOnLabelError::Label(why) => CreateError::Label(why),
        }
    }
}

/// What the arguments of a call mean, where they are right.
pub(crate) struct CheckedRequest<'a> {
    pub template: TemplateView,
    /// Number of parameters.
    pub paramc: u32,
    /// Number of pre-slots.
    pub depc: u32,
    /// What the pre-slots are connected to; empty if the call does not say that.
    pub sources: &'a [Guid],
}

/// Warns that a call has created no EDT, and why. Most programs do not look at the status that the call returns.
#[cold]
pub(crate) fn warn_no_edt(context: &Context, why: impl std::fmt::Display) {
    warning!("no EDT was created, in {}: {why}", context.who());
}

fn resolve(given: u32, of_template: u32) -> Option<u32> {
    match (given, of_template) {
        (PARAM_UNK, _) | (PARAM_DEF, PARAM_UNK) => None,
        (PARAM_DEF, count) => Some(count),
        (count, PARAM_UNK) => Some(count),
        (count, fixed) => (count == fixed).then_some(count),
    }
}

/// The numbers of an EDT where [`resolve`] has none: its own ones where the template has others, as programs for OCR-Vx
/// give them, which does not look at the template's. Strict mode refuses that (OCR 1.1.0, 2.7.3).
#[cold]
#[inline(never)]
fn other_counts(request: &EdtRequest<'_>, template: &TemplateView, strict: bool) -> Result<(u32, u32), CreateError> {
    let own = |given, of_template| match given {
        PARAM_UNK | PARAM_DEF => resolve(given, of_template),
        count => Some(count),
    };
    let paramc = own(request.paramc, template.paramc);
    let depc = own(request.depc, template.depc).filter(|&depc| depc < MAX_SLOTS);
    let (Some(paramc), Some(depc), false) = (paramc, depc, strict) else {
        return Err(CreateError::Arguments(wrong_counts(request, template).into()));
    };
    warning_once!(
        "an EDT of the template {} of \"{}\" has paramc {paramc} and depc {depc}, as \
         the call says; its template says paramc {} and depc {}. EDT_PARAM_UNK in the template leaves a number open.",
        request.template,
        template.work.name,
        count(template.paramc),
        count(template.depc)
    );
    Ok((paramc, depc))
}

/// How paramv contradicts the number of parameters.
#[cold]
#[inline(never)]
fn wrong_parameters(request: &EdtRequest<'_>, template: &TemplateView, paramc: u32) -> String {
    let what = match paramc {
        0 => "paramv must be NULL where there are no parameters, as paramc is 0".to_string(),
        _ => format!("paramv is NULL, but paramc is {paramc}"),
    };
    format!("{what} (the template {} of \"{}\")", request.template, template.work.name)
}

/// Which numbers contradict each other.
fn wrong_counts(request: &EdtRequest<'_>, template: &TemplateView) -> String {
    let [paramc, depc] = [request.paramc, request.depc].map(count);
    let [of_params, of_deps] = [template.paramc, template.depc].map(count);
    let why = match (request.paramc, request.depc) {
        (PARAM_UNK, _) | (_, PARAM_UNK) => "EDT_PARAM_UNK is for templates",
        (PARAM_DEF, _) if template.paramc == PARAM_UNK => "the number of parameters is open",
        (_, PARAM_DEF) if template.depc == PARAM_UNK => "the number of pre-slots is open",
        (_, depc) if depc >= MAX_SLOTS && depc != PARAM_DEF => "there are too many pre-slots",
        _ => "a count is not the template's",
    };
    format!(
        "{why} (paramc {paramc}, depc {depc}; the template {} of \"{}\" has paramc {of_params}, depc {of_deps})",
        request.template, template.work.name
    )
}

impl Context {
    /// Checks the arguments, but for what the pre-slots will be connected to, which [`Context::check_sources`] does.
    #[inline(always)]
    pub(crate) fn check_request<'a>(&self, request: &EdtRequest<'a>) -> Result<CheckedRequest<'a>, CreateError> {
        let objects = &self.runtime.objects;
        let template = objects.templates.view(request.template).ok_or(CreateError::NoTemplate)?;
        let counts = (
            resolve(request.paramc, template.paramc),
            resolve(request.depc, template.depc).filter(|&depc| depc < MAX_SLOTS),
        );
        let (paramc, depc) = match counts {
            (Some(paramc), Some(depc)) => (paramc, depc),
            _ => other_counts(request, &template, self.runtime.check.is_some())?,
        };
        if (paramc == 0) != request.paramv.is_null() {
            warn_no_edt(self, wrong_parameters(request, &template, paramc));
            return Err(CreateError::Parameters);
        }
        if request.guid.is_none() && depc != 0 && request.depv.is_null() {
            return Err(CreateError::Anonymous);
        }
        let sources: &[Guid] = if depc == 0 || request.depv.is_null() {
            &[]
        } else {
            // SAFETY: `depv` is not null, and programs that call `ocrEdtCreate` promise that it has `depc` elements.
            unsafe { std::slice::from_raw_parts(request.depv, depc as usize) }
        };
        if let Output::Given(event) = request.output {
            match objects.event_kind(event) {
                None => {
                    return Err(CreateError::Arguments("the output event does not exist".into()));
                }
                Some(EventKind::Collective) => {
                    return Err(CreateError::Arguments("a collective event cannot be an output event".into()));
                }
                Some(_) => {}
            }
        }
        Ok(CheckedRequest { template, paramc, depc, sources })
    }

    /// Looks at what the pre-slots will be connected to. Why the first of these cannot be that, if there is one.
    #[inline(always)]
    pub(crate) fn check_sources(
        &mut self,
        request: &EdtRequest<'_>,
        sources: &[Guid],
    ) -> Result<Option<GraphError>, CreateError> {
        for &source in sources {
            if source != Guid::UNINITIALIZED {
                if let Err(why) = self.graph().check_source(source) {
                    return Ok(Some(why));
                }
            } else if request.guid.is_none() {
                return Err(CreateError::Anonymous);
            }
        }
        Ok(None)
    }
}
