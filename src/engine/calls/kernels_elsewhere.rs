//! Templates that one node describes to another one, with their kernels.
//!
//! A node that is to run EDTs of a template with kernels gets the text of these once, and builds them for its own
//! devices. It does so on another thread than that of the link, which goes on. It keeps them in a template that no
//! program knows, as long as it runs: so EDTs that come later have them, whatever has become of the template at its
//! home, and kernels that had no device are built later, as at home (`kernels.rs`).

use crate::engine::nodes::new_edt::TemplateText;
use crate::engine::nodes::work::{Call, NodeWork};
use crate::engine::nodes::{functions, kernels, outbox};
use crate::engine::state::context::Context;
use crate::engine::state::elsewhere::KernelsName;
use crate::object::code::{Code, CodeName, Kernel};
use crate::object::guid::Guid;
use crate::object::template::{PARAM_UNK, TemplateView};
use std::ptr;
use std::time::Duration;

/// How long a thread sleeps that waits for kernels, before it looks again.
const PAUSE: Duration = Duration::from_micros(100);

impl Context {
    /// The text of a template, by which another node makes it anew, and what its EDTs do. None if there is no such
    /// template, or a function of it is in no file.
    pub(crate) fn describe_template(&self, template: Guid) -> Option<(TemplateText, &'static Code)> {
        let TemplateView { paramc, depc, work, .. } = self.runtime.objects.templates.view(template)?;
        let function = match work.function {
            Some(function) => Some(functions::home_of(function)?),
            None if work.kernels.is_empty() => return None,
            None => None,
        };
        let can_go = kernels::can_go(&work.kernels);
        if !can_go && function.is_none() {
            return None;
        }
        let kernels = if work.kernels.is_empty() || !can_go { 0 } else { ptr::from_ref(work) as u64 };
        Some((TemplateText { function, name: work.name.given().into(), paramc, depc, kernels }, work))
    }

    /// Describes a template to another node, which is told of it when the template changes.
    pub(crate) fn describe_template_to(&self, node: u32, template: Guid) -> Option<TemplateText> {
        // Before the look, so that no change is missed.
        self.runtime.elsewhere.lock().kernels.described.entry(template).or_default().insert(node);
        let (text, work) = self.describe_template(template)?;
        if text.kernels != 0 {
            self.send_kernels(node, work);
        }
        Some(text)
    }

    /// Sends another node the text of a work's kernels, unless it has got that.
    pub(crate) fn send_kernels(&self, to: u32, work: &'static Code) {
        let kernels = ptr::from_ref(work) as u64;
        if work.kernels.is_empty() || !self.runtime.elsewhere.lock().kernels.sent.insert((to, kernels)) {
            return;
        }
        self.send_text(to, kernels, &work.kernels);
    }

    /// Sends another node the text of kernels, which it knows by `called` from then on.
    pub(crate) fn send_text(&self, to: u32, called: u64, all: &[Kernel]) {
        let text = kernels::text_of(all);
        let mut parts = text.chunks(kernels::PART).peekable();
        while let Some(part) = parts.next() {
            let call = Call::KernelText { kernels: called, part: part.to_vec(), is_last: parts.peek().is_none() };
            outbox::post(to, NodeWork::Call { id: 0, by: None, call });
        }
    }

    /// The next part of a text has come.
    pub(crate) fn kernel_text_comes(&self, of: KernelsName, part: &[u8], is_last: bool) {
        let mut elsewhere = self.runtime.elsewhere.lock();
        let arriving = elsewhere.kernels.arriving.entry(of).or_default();
        arriving.bytes.extend(part);
        arriving.is_whole = is_last;
    }

    /// Whether the kernels of a template that another node, `from`, has described have been built here.
    pub(crate) fn has_built(&self, from: u32, text: &TemplateText) -> bool {
        text.kernels == 0 || self.runtime.elsewhere.lock().kernels.kept.contains_key(&(from, text.kernels))
    }

    /// Whether this node can make EDTs of a template that another node, `from`, has described.
    pub(crate) fn can_have(&self, from: u32, text: &TemplateText) -> bool {
        let kept = self.runtime.elsewhere.lock().kernels.kept.get(&(from, text.kernels)).copied();
        kept.is_some_and(|kept| !kept.is_null())
    }

    /// Whether a device of this node has one of the kernels of a template that another node, `from`, has described,
    /// and that are built.
    pub(crate) fn has_device_for(&self, from: u32, text: &TemplateText) -> bool {
        let kept = self.runtime.elsewhere.lock().kernels.kept.get(&(from, text.kernels)).copied();
        let view = kept.and_then(|kept| self.runtime.objects.templates.view(kept));
        view.is_some_and(|view| !view.work.devices.is_empty())
    }

    /// The text of kernels that another node has sent, if it is whole.
    fn take_text(&self, of: KernelsName) -> Option<Vec<u8>> {
        let arriving = &mut self.runtime.elsewhere.lock().kernels.arriving;
        if !arriving.get(&of)?.is_whole {
            return None;
        }
        arriving.remove(&of).map(|text| text.bytes)
    }

    /// The text of kernels that another node has sent, when it is whole. None where the program ends before that.
    pub(crate) fn wait_for_text(&self, of: KernelsName) -> Option<Vec<u8>> {
        loop {
            let text = self.take_text(of);
            if text.is_some() || !outbox::is_open() {
                return text;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Builds the kernels of a template that another node, `from`, has described, if that is not done. Waits until
    /// their text is here, or another thread has built them; or until the program ends.
    pub(crate) fn build_for(&mut self, from: u32, text: &TemplateText) {
        let name = (from, text.kernels);
        while !self.has_built(from, text) {
            match self.take_text(name) {
                Some(bytes) => {
                    // Where it cannot be kept, nobody waits for it either.
                    let kept = self.build_kept(text, &bytes).unwrap_or(Guid::NULL);
                    self.runtime.elsewhere.lock().kernels.kept.insert(name, kept);
                }
                None if !outbox::is_open() => return,
                None => std::thread::sleep(PAUSE),
            }
        }
    }

    /// A template with these kernels, built. A kernel whose function is not in this process is left out. None where the
    /// function of the EDTs is not, or no variant is left, or without memory.
    fn build_kept(&mut self, text: &TemplateText, kernels: &[u8]) -> Option<Guid> {
        let function = match &text.function {
            Some(home) => Some(functions::find(home)?),
            None => None,
        };
        let given = match function {
            Some(function) => CodeName::of_program(function, &text.name),
            None => CodeName::fixed(&text.name),
        };
        let (kernels, left_out) = kernels::read(kernels)?;
        if let Some(name) = left_out.first() {
            if function.is_none() && kernels.is_empty() {
                return None;
            }
            warning!(
                "kernel '{name}' of {} is left out on node {}: no file of this process has the function that gives its index                  space. Load that file on each node.",
                given.best(),
                self.runtime.objects.zone.node()
            );
        }
        let work = Code { name: given, function, kernels, ..Code::of_kernels("") };
        let view = self.runtime.template(work.clone(), PARAM_UNK, PARAM_UNK);
        let view = TemplateView { work: self.runtime.restored_work(work), ..view };
        self.runtime.objects.templates.create(&mut self.caches.templates, view)
    }

    /// Makes a template by the text that another node, `from`, has given. None where its function is not in this
    /// process, its kernels are not built, or without memory.
    pub(crate) fn template_of(&mut self, from: u32, text: &TemplateText) -> Option<Guid> {
        let view = if text.kernels == 0 {
            let function = functions::find(text.function.as_ref()?)?;
            self.runtime.template(Code::of_program(function, &text.name), text.paramc, text.depc)
        } else {
            let kept = self.runtime.elsewhere.lock().kernels.kept.get(&(from, text.kernels)).copied()?;
            let kept = self.runtime.objects.templates.view(kept)?;
            TemplateView { paramc: text.paramc, depc: text.depc, ..kept }
        };
        self.runtime.objects.templates.create(&mut self.caches.templates, view)
    }
}
