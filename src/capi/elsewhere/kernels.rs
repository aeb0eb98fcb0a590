//! Templates of other nodes, and EDTs with kernels that go to other nodes.
//!
//! A caller that has another node create an EDT of a template with kernels waits, the first time, until that node has
//! built them, as `ocrEdtTemplateAddKernel` waits at home. Later EDTs name the kernels, whose text goes once.
//!
//! An EDT of kernels alone needs a device. Where no hint names a node, it runs on the first of these that has one for
//! it: the creator's, the template's, the others. So a program has the same results whichever nodes have devices.
//!
//! A node that has a copy of a template is told when that changes, and waited for: who is told of the change by the
//! program makes EDTs of what the template is by then.

use super::{WantedEdt, answer_of, asked, create_edt, owner, settle_but};
use crate::capi::{bytes, opencl, text, variants, with};
use crate::engine::calls::kernels::NewKernel;
use crate::engine::life::hints::node_of;
use crate::engine::nodes::new_edt::TemplateText;
use crate::engine::nodes::work::{Call, CallAnswer};
use crate::engine::nodes::{functions, kernels, outbox};
use crate::engine::state::context::Context;
use crate::object::code::{Code, EdtFunction, Kernel, NdRangeFunction};
use crate::object::guid::{Guid, Kind};
use crate::status::Status;
use std::ffi::c_char;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The copy of another node's template that this one has, or makes.
pub(super) fn copy_of_template(owner: u32, template: Guid) -> Option<Guid> {
    loop {
        let look = |context: &mut Context| {
            let elsewhere = context.runtime.elsewhere.lock();
            (elsewhere.templates.get(&template).copied(), elsewhere.kernels.changes)
        };
        let (known, changes) = with((None, 0), look);
        if known.is_some() {
            return known;
        }
        settle_but(owner);
        let text = outbox::ask(owner, Call::DescribeTemplate(template))?.template?;
        let made = with(None, |context| {
            context.build_for(owner, &text);
            let copy = context.template_of(owner, &text)?;
            let mut elsewhere = context.runtime.elsewhere.lock();
            let is_new = elsewhere.kernels.changes == changes;
            let known = if is_new { *elsewhere.templates.entry(template).or_insert(copy) } else { Guid::NULL };
            drop(elsewhere);
            if known != copy {
                // Another thread has made one meanwhile, or this one says what the template was before.
                context.runtime.objects.templates.destroy(&mut context.caches.templates, copy);
            }
            Some(known)
        });
        match made {
            Some(Guid::NULL) => {}
            made => return made,
        }
    }
}

/// Destroys the copy of another node's template that this one has.
pub(super) fn forget_template(template: Guid) {
    with((), |context| {
        let copy = context.runtime.elsewhere.lock().templates.remove(&template);
        if let Some(copy) = copy {
            context.runtime.objects.templates.destroy(&mut context.caches.templates, copy);
        }
    });
}

/// Has another node build the kernels of a template of this one, unless it has. Whether a device of it has one. None if
/// it cannot have EDTs of the template, or the program ends.
pub(super) fn built_on(node: u32, text: &TemplateText, work: &'static Code) -> Option<bool> {
    if text.kernels == 0 {
        return Some(false);
    }
    let name = (node, text.kernels);
    let known = with(None, |context| context.runtime.elsewhere.lock().kernels.ready.get(&name).copied());
    if known.is_some() {
        return known;
    }
    with((), |context| context.send_kernels(node, work));
    let answer = outbox::ask(node, Call::BuildKernels(text.clone())).filter(|answer| answer.status == 0)?;
    let has_device = answer.value != 0;
    with((), |context| _ = context.runtime.elsewhere.lock().kernels.ready.insert(name, has_device));
    Some(has_device)
}

/// The node on which an EDT runs if its template has kernels alone, no hint names a node, and this one has no device
/// for it: `first` is asked first. None if the EDT stays here.
pub(super) fn with_device(here: u32, first: Option<u32>, template: Guid) -> Option<u32> {
    let (text, work) = with(None, |context| context.describe_template(template))?;
    if !work.devices.is_empty() {
        return None;
    }
    let (_, nodes) = outbox::place()?;
    let others = (0..nodes).filter(|&node| node != here && Some(node) != first);
    first.into_iter().chain(others).find(|&node| built_on(node, &text, work) == Some(true))
}

/// `ocrOpenclTaskCreate`: None if the EDT is all this node's.
pub(super) fn create_task(node: u32, words: &[u64]) -> Option<Status> {
    let &[guid, template, work_dim, offset, global, local, paramc, paramv, depc, depv, properties, affinity, output] =
        words
    else {
        return None;
    };
    if !(1..=3).contains(&(work_dim as u32)) || global == 0 {
        return None;
    }
    let (affinity, sizes) = (Guid::from_bits(affinity), [offset, global, local].map(|place| place as *const usize));
    let range = |template| {
        // SAFETY: programs that call `ocrOpenclTaskCreate` promise that there are `work_dim` numbers at each place, or
        // that it is null.
        unsafe { opencl::range(template, work_dim as u32, sizes, affinity) }
    };
    let words = [guid, template, paramc, paramv, depc, depv, properties, 0, output];
    let on = match node_of(affinity) {
        None if !affinity.is_null() => Some(node),
        on => on,
    };
    create_edt(node, &words, WantedEdt { on, range: Some(&range) })
}

/// `ocrEdtTemplateAddKernel` of another node's template.
pub(super) fn add_kernel(words: &[u64]) -> Option<Status> {
    let &[template, source, options, name, range, result_slot] = words else { return None };
    let owner = owner(Guid::from_bits(template))?;
    let [source, options, name] = [source, options, name].map(|text| text as *const c_char);
    if source.is_null() || name.is_null() || range == 0 {
        return Some(Status::EINVAL);
    }
    // SAFETY: programs that call `ocrEdtTemplateAddKernel` promise a C string, which is not null here.
    let source = unsafe { bytes(source) };
    // SAFETY: programs that call `ocrEdtTemplateAddKernel` promise a C string, or null.
    let options = unsafe { bytes(options) };
    // SAFETY: programs that call `ocrEdtTemplateAddKernel` promise a C string, which is not null here.
    let name = unsafe { text(name) };
    // SAFETY: the header asks for a function of this type, and it is not null.
    let range = unsafe { std::mem::transmute::<usize, NdRangeFunction>(range as usize) };
    let kernel = Kernel {
        source: source.into(),
        options: options.to_vec(),
        name,
        range: Some(range),
        result_slot: result_slot as u32,
        built: Vec::new(),
    };
    Some(add_variants(owner, Guid::from_bits(template), "", None, vec![kernel]))
}

/// `ocrEdtTemplateAddFunction` of another node's template.
pub(super) fn add_function(words: &[u64]) -> Option<Status> {
    let &[template, function, name] = words else { return None };
    let owner = owner(Guid::from_bits(template))?;
    if function == 0 {
        return Some(Status::EINVAL);
    }
    // SAFETY: programs that call `ocrEdtTemplateAddFunction` promise a C string, or null.
    let name = unsafe { text(name as *const c_char) };
    // SAFETY: the header asks for a function of this type, and it is not null.
    let function = unsafe { std::mem::transmute::<usize, EdtFunction>(function as usize) };
    Some(add_variants(owner, Guid::from_bits(template), &name, Some(functions::meant(function)), Vec::new()))
}

/// Has the owner of a template add variants to it.
fn add_variants(owner: u32, template: Guid, name: &str, function: Option<EdtFunction>, added: Vec<Kernel>) -> Status {
    if template.kind() != Some(Kind::Template) {
        return Status::EINVAL;
    }
    let home = function.and_then(functions::home_of);
    if home.is_none() && function.is_some() || !kernels::can_go(&added) {
        super::fatal(
            "A template of another node is given a function that is in no file. Add it on the node that has created the \
             template.",
        );
    }
    let mut called = 0;
    if !added.is_empty() {
        // No address of a work is odd.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        called = NEXT.fetch_add(2, Ordering::Relaxed);
        with((), |context| context.send_text(owner, called, &added));
    }
    let text = TemplateText { function: home, name: name.into(), paramc: 0, depc: 0, kernels: called };
    asked(owner, Call::AddVariants { template, text })
}

/// Adds the variants of a message to a template of this node.
fn add_here(from: u32, template: Guid, text: &TemplateText) -> Status {
    if let Some(home) = &text.function {
        let Some(function) = functions::find(home) else { return Status::EINVAL };
        return variants::add_function(template, function, &text.name);
    }
    let arrived = with(None, |context| context.wait_for_text((from, text.kernels)));
    let (added, left_out) = arrived.and_then(|bytes| kernels::read(&bytes)).unwrap_or_default();
    if !left_out.is_empty() {
        return Status::EINVAL;
    }
    for kernel in added {
        let Kernel { source, options, name, range, result_slot, .. } = &kernel;
        let new = NewKernel { source, options, name, range: *range, result_slot: *result_slot };
        let status = variants::add_new(template, &new);
        if !status.is_ok() {
            return status;
        }
    }
    Status::OK
}

/// Makes a call for another node that is about templates.
pub(super) fn make(from: u32, id: u64, call: Call) -> Option<CallAnswer> {
    match call {
        Call::DescribeTemplate(guid) => {
            let text = with(None, |context| context.describe_template_to(from, guid));
            Some(CallAnswer { template: text.map(Box::new), ..CallAnswer::default() })
        }
        Call::KernelText { kernels, part, is_last } => {
            with((), |context| context.kernel_text_comes((from, kernels), &part, is_last));
            Some(CallAnswer::default())
        }
        Call::TemplateChanged(template) => {
            with((), |context| {
                let mut elsewhere = context.runtime.elsewhere.lock();
                elsewhere.kernels.changes += 1;
                // A thread may be about to make an EDT of the copy, so that stays.
                elsewhere.templates.remove(&template);
            });
            Some(CallAnswer::default())
        }
        Call::BuildKernels(text) => apart(from, id, move || {
            let has_device = |context: &mut Context| {
                context.build_for(from, &text);
                Some(context.has_device_for(from, &text)).filter(|_| context.can_have(from, &text))
            };
            match with(None, has_device) {
                Some(has) => CallAnswer { value: has.into(), ..CallAnswer::default() },
                None => answer_of(Status::ECANCELED),
            }
        }),
        Call::AddVariants { template, text } => apart(from, id, move || answer_of(add_here(from, template, &text))),
        _ => None,
    }
}

/// Answers a call on a thread of its own, since it builds kernels: the link goes on meanwhile.
fn apart(from: u32, id: u64, act: impl FnOnce() -> CallAnswer + Send + 'static) -> Option<CallAnswer> {
    let started = thread::Builder::new().name("ocr-kernels".into()).spawn(move || outbox::answer(from, id, act()));
    started.is_err().then(|| answer_of(Status::ENOMEM))
}
