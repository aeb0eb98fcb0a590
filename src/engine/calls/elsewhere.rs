//! EDTs that another node creates for this one.
//!
//! EDTs that have a finish scope on the node of their creator have one here, too, the *guest*: it stays open until all
//! that they have led to on this node has ended. Then the creator's node is told how many of its EDTs that were, and
//! counts them out of its own scope. What such an EDT creates on further nodes is counted here in the same way. So a
//! scope closes when all has ended, on whatever node, and takes one message each time a node has run out of its EDTs.
//!
//! *No EDT is counted twice or lost*: an EDT comes into the open guest of its scope, or into a new one, under the lock
//! of the table. A guest is taken out of the table under that lock, when its count has come to 0, and so after the last
//! that could come into it. *No guest is taken for another one*: its slot is used anew after that. The address of the
//! creator's scope is, when that has closed, and so when all its guests have been told of.

use crate::engine::life::create_request::{CreateError, EdtRequest, Output};
use crate::engine::nodes::new_edt::NewEdt;
use crate::engine::nodes::outbox;
use crate::engine::nodes::work::NodeWork;
use crate::engine::state::context::Context;
use crate::engine::state::elsewhere::{GuestScope, ScopeElsewhere};
use crate::engine::state::fatal::fatal;
use crate::graph::finish::Closes;
use crate::object::guid::Guid;
use crate::object::scope::Scope;
use std::collections::BTreeMap;
use std::ptr;
use std::ptr::NonNull;

/// Takes EDTs out of the finish scope of their creator, on another node, that they were counted into: all that they
/// have led to here has ended, or they were not created. `scope` is 0 for none.
pub(crate) fn scope_done(node: u32, scope: u64, edts: u64) {
    if scope != 0 {
        outbox::post(node, NodeWork::ScopeDone { scope, edts });
    }
}

/// How many GUIDs go with one message.
const MOST_GUIDS: usize = 4096;

/// What is for each node of these.
fn by_node(edts: Vec<Guid>, node: impl Fn(Guid) -> u32) -> BTreeMap<u32, Vec<Guid>> {
    let mut all: BTreeMap<u32, Vec<Guid>> = BTreeMap::new();
    edts.into_iter().for_each(|edt| all.entry(node(edt)).or_default().push(edt));
    all
}

impl Context {
    /// Ends the program, since a call is about an object that another node has.
    pub(crate) fn refuse_elsewhere(&self, call: &str, guid: Guid, owner: u32) -> ! {
        fatal(&format!(
            "{call} is about {guid} of node {owner}, in {}. On several nodes this call is for objects of the node that calls \
             it: call it where the object was created, or run the program on one node.",
            self.who()
        ))
    }

    /// Ends the program where an object is to be created on a label that another node has, and that node cannot do it:
    /// a template, or an EDT whose template has kernels alone, or that does not fit a message.
    pub(crate) fn refuse_label_elsewhere(&self, label: Guid) {
        if outbox::is_open()
            && let Some(owner) = self.runtime.objects.owner_elsewhere(label)
        {
            self.refuse_elsewhere("A creation on a label", label, owner);
        }
    }

    /// Counts an EDT that another node will create into the finish scope of the running EDT. Returns the scope, as that
    /// node gets to know it; 0 where there is none.
    pub(crate) fn enter_scope_from_elsewhere(&mut self) -> u64 {
        let scope = self.current.and_then(crate::object::edt::Edt::finish_scope);
        scope.map_or(0, |scope| {
            self.credit.check_in(scope);
            ptr::from_ref(scope) as u64
        })
    }

    /// What EDTs have led to on another node has ended, or they were not created: they leave the scope that they were
    /// counted into, of which [`Context::enter_scope_from_elsewhere`] has answered the address.
    pub(crate) fn leave_scope_from_elsewhere(&mut self, scope: u64, edts: u64) {
        let scope = scope as usize as *const Scope;
        for _ in 0..edts {
            // SAFETY: the scope is null, or one of this node's that the EDT was counted into. So it is open, and its
            // slot lives as long as the runtime.
            let scope = unsafe { scope.as_ref() };
            self.check_out(scope);
        }
        self.work_off();
    }

    /// The GUID of an EDT that is to be created on another node, with so many words for its parameters and index space,
    /// or `NULL_GUID` where that node has to give it one.
    pub(crate) fn guid_elsewhere(&mut self, node: u32, depc: u32, words: usize) -> Guid {
        let edts = &self.runtime.objects.edts;
        edts.lend(&mut self.caches.edts, node, depc, words).unwrap_or(Guid::NULL)
    }

    /// Holds an EDT of this node back until the calls of the running EDT are confirmed. False if it does not wait.
    pub(crate) fn hold_until_confirmed(&mut self, edt: Guid) -> bool {
        let Some(held) = self.graph().hold_back(edt) else { return false };
        if !outbox::keep_held(held) {
            self.let_go(vec![held]);
        }
        true
    }

    /// EDTs that this node has made for others are gone there.
    pub(crate) fn take_back_lent(&mut self, made: &[Guid]) {
        for &edt in made.iter().filter(|&&edt| self.runtime.objects.zone.is_lent(edt)) {
            self.runtime.objects.edts.take_back(&mut self.caches.edts, edt);
        }
    }

    /// Tells other nodes which EDTs are gone that they have made for this one.
    fn tell_gone(&mut self) {
        for (creator, gone) in
            by_node(self.runtime.objects.edts.take_gone(), |edt| self.runtime.objects.zone.creator_of(edt))
        {
            gone.chunks(MOST_GUIDS).for_each(|gone| outbox::post(creator, NodeWork::Gone(gone.to_vec())));
        }
    }

    /// Lets EDTs go that were held back, on whatever nodes they are, by the GUIDs of their slots.
    pub(crate) fn let_go(&mut self, held: Vec<Guid>) {
        for (owner, held) in by_node(held, |edt| self.runtime.objects.zone.owner_of(edt)) {
            if owner == self.runtime.objects.zone.node() {
                held.into_iter().for_each(|edt| self.graph().end_hold(edt));
            } else {
                held.chunks(MOST_GUIDS).for_each(|held| outbox::post(owner, NodeWork::LetGo(held.to_vec())));
            }
        }
        self.work_off();
    }

    /// Creates an EDT for another node, `from`, which connects the pre-slots that are left open. The GUIDs of the EDT
    /// and of its output event. One that is not created leaves the scope of its creator here, and not there.
    pub(crate) fn create_edt_for(&mut self, from: u32, new: &NewEdt) -> Result<[Guid; 2], CreateError> {
        self.tell_gone();
        let created = self.try_to_create_for(from, new);
        // One that has come into its slot is told of when it is gone.
        let is_made = new.label().is_some_and(|label| label.is_made);
        if created.is_err() && is_made && !self.runtime.objects.edts.has_adopted(new.guid) {
            outbox::post(from, NodeWork::Gone(vec![new.guid]));
        }
        if created.is_ok() && new.guid.is_label() {
            self.created_on(new.guid);
            self.work_off();
        }
        created
    }

    fn try_to_create_for(&mut self, from: u32, new: &NewEdt) -> Result<[Guid; 2], CreateError> {
        let Some(template) = self.template_of(from, &new.template) else {
            scope_done(from, new.scope, 1);
            let why = format!("no file of this process has the function \"{}\"", new.template.name);
            return Err(CreateError::Arguments(why.into()));
        };
        let (mut edt, mut output) = (Guid::NULL, Guid::NULL);
        let request = EdtRequest {
            template,
            paramc: new.params.len() as u32,
            paramv: match &new.params[..] {
                [] => ptr::null(),
                params => params.as_ptr(),
            },
            depc: new.depc,
            depv: match &new.sources[..] {
                [] => ptr::null(),
                sources => sources.as_ptr(),
            },
            finish: new.finish,
            range: new.range.as_ref(),
            hints: None,
            guid: NonNull::new(&mut edt),
            label: new.label(),
            output: if new.output { NonNull::new(&mut output).map_or(Output::None, Output::New) } else { Output::None },
        };
        let created = self.in_scope_of((from, new.scope), |context| context.create_edt(&request));
        self.runtime.objects.templates.destroy(&mut self.caches.templates, template);
        created.unwrap_or(Err(CreateError::OutOfMemory)).map(|()| [edt, output])
    }

    /// Has EDTs created in the finish scope of another node's EDT, which has counted one into it for that. None without
    /// memory: then that one is counted out again.
    pub(crate) fn in_scope_of<T>(&mut self, of: ScopeElsewhere, create: impl FnOnce(&mut Context) -> T) -> Option<T> {
        let scope = match of {
            (_, 0) => None,
            (node, number) => {
                let scope = self.guest_for(of);
                if scope.is_none() {
                    scope_done(node, number, 1);
                    return None;
                }
                scope
            }
        };
        self.scope_elsewhere = scope.map_or(ptr::null(), ptr::from_ref);
        let created = create(self);
        self.scope_elsewhere = ptr::null();
        // The scope was kept open meanwhile.
        self.check_out(scope);
        self.work_off();
        Some(created)
    }

    /// The scope here that an EDT of another node's scope comes into. It is counted in once, for the caller. None
    /// without memory.
    fn guest_for(&mut self, of: ScopeElsewhere) -> Option<&'static Scope> {
        {
            let mut elsewhere = self.runtime.elsewhere.lock();
            let open = elsewhere.guest_for.get(&of).copied().filter(|scope| scope.enter());
            if let Some(scope) = open
                && let Some(guest) = elsewhere.guests.get_mut(&scope.index.get())
            {
                guest.edts += 1;
                return Some(scope);
            }
        }
        let scope = self.new_scope(ptr::null(), Guid::NULL, (Guid::NULL, ptr::null()))?;
        scope.is_guest.set(true);
        let mut elsewhere = self.runtime.elsewhere.lock();
        elsewhere.guests.insert(scope.index.get(), GuestScope { of, edts: 1 });
        elsewhere.guest_for.insert(of, scope);
        Some(scope)
    }

    /// A scope for EDTs of another node's scope closes: that node is told.
    #[cold]
    pub(crate) fn end_guest_scope(&self, scope: &Scope) {
        let mut elsewhere = self.runtime.elsewhere.lock();
        let Some(GuestScope { of, edts }) = elsewhere.guests.remove(&scope.index.get()) else { return };
        if elsewhere.guest_for.get(&of).is_some_and(|open| ptr::eq(*open, scope)) {
            elsewhere.guest_for.remove(&of);
        }
        drop(elsewhere);
        scope_done(of.0, of.1, edts);
    }
}
