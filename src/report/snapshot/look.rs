//! Looks at the objects, one by one, for a snapshot. `mod.rs` says which lock guards what is read.

use super::{
    BlockWait, EXAMINED, HeldBlock, Holder, Maker, Name, OpenScope, OpenSlot, SHOWN, Snapshot, StandsFor, WaitingEdt,
    WaitingElsewhere,
};
use crate::object::data_block::Mark;
use crate::object::edt::{Edt, EdtState, Mode, PreSlot};
use crate::object::guid::{Guid, Kind};
use crate::object::link::{Link, Target};
use crate::object::scope::Scope;

/// The first parameters of an EDT that waits, in words. None if it has no parameters. Small parameters are shown as
/// decimal numbers; large ones are more likely GUIDs, addresses or bits.
fn params_of(edt: &Edt) -> Option<String> {
    /// How many parameters are shown at most.
    const FEW: usize = 4;
    /// From this value on a parameter is shown in hexadecimal digits.
    const LARGE: u64 = 1 << 32;
    let params = edt.params();
    let shown = params.iter().take(FEW).map(|&param| match param {
        small if small < LARGE => small.to_string(),
        large => format!("{large:#x}"),
    });
    let mut shown: Vec<String> = shown.collect();
    if params.len() > FEW {
        shown.push(format!("{} more", params.len() - FEW));
    }
    (!shown.is_empty()).then(|| shown.join(", "))
}

impl Snapshot<'_> {
    /// Enters the EDTs that have not ended: which wait, which run, and which events and scopes their ends lead to.
    pub(super) fn look_at_edts(&mut self) {
        for (guid, _) in self.objects.edts.live() {
            let Some((edt, locked)) = self.objects.edts.lock(guid) else {
                continue;
            };
            let state = locked.word.state();
            match state {
                EdtState::Waiting if edt.flags.get().is_waiter() => {
                    self.look_at_stand_in(edt);
                    continue;
                }
                EdtState::Waiting => self.waiting_count += 1,
                EdtState::Runnable => self.runnable_count += 1,
                _ => continue,
            }
            let name = Name { guid: edt.guid(), work: edt.work() };
            let address = std::ptr::from_ref(edt) as usize;
            if state == EdtState::Runnable && self.inputs.threads.iter().any(|of| of.running == address) {
                self.running.insert(address, name);
            }
            if self.waiting_count + self.runnable_count > EXAMINED {
                continue;
            }
            match edt.place.get().device_index() {
                Some(device) if state == EdtState::Runnable => self.on_devices.push((name, device)),
                None if state == EdtState::Runnable && !self.running.contains_key(&address) => {
                    self.past.push(name);
                }
                _ => {}
            }
            if let Some(scope) = edt.finish_scope() {
                self.add_scope(scope, name);
            }
            let output = edt.output();
            if !output.is_null() {
                let maker = Maker::Edt(name, state == EdtState::Waiting);
                self.makers.insert(output, maker);
            }
            if state == EdtState::Waiting {
                let slots = open_slots(edt);
                for link in slots.iter().filter_map(|slot| slot.link) {
                    self.event_of.insert(link.bits(), (edt.own_guid(), Guid::NULL));
                }
                let depc = edt.depc.get();
                self.waiting.push(WaitingEdt { name, depc, params: params_of(edt), slots });
            }
        }
    }

    /// Enters what an EDT that waits stands for, if that is a pre-slot of another node's object.
    fn look_at_stand_in(&mut self, edt: &Edt) {
        let role = self.inputs.nodes.as_ref().and_then(|nodes| (nodes.stands_for)(edt));
        let Some(StandsFor::PreSlot { node, destination, slot: at }) = role else { return };
        let link = edt.slots()[0].connected_mode().map(|_| edt.link_to(0));
        if let Some(link) = link {
            self.event_of.insert(link.bits(), (edt.own_guid(), Guid::NULL));
        }
        let more = self.inputs.nodes.as_ref().and_then(|nodes| nodes.with.get(&edt.own_guid()));
        let all = [(destination, at)].into_iter().chain(more.into_iter().flatten().copied());
        let waiting = |(destination, at)| WaitingElsewhere { node, destination, slot: OpenSlot { at, link } };
        self.waiting_elsewhere.extend(all.map(waiting));
    }

    /// Enters a scope that the EDT `member` keeps open, and the scopes around it.
    fn add_scope(&mut self, innermost: &Scope, member: Name) {
        let (mut scope, mut inner) = (innermost, None);
        // The scope of a finish EDT of another node has no EDT here, and no scope around it.
        while !scope.work.get().is_null() {
            let address = std::ptr::from_ref(scope) as usize;
            let known = self.scopes.contains_key(&address);
            let entry = self.scopes.entry(address).or_insert_with(|| OpenScope {
                edt: Name {
                    guid: scope.edt.get(),
                    // SAFETY: it is not null, so it is the address of a work, which lives as long as the runtime and is
                    // not written.
                    work: unsafe { &*scope.work.get() },
                },
                output: scope.output.get(),
                edts: Vec::new(),
                scopes: Vec::new(),
            });
            match inner {
                None => entry.edts.push(member),
                Some(inner) => entry.scopes.push(inner),
            }
            if known {
                return;
            }
            inner = Some(entry.edt);
            if !entry.output.is_null() {
                self.makers.insert(entry.output, Maker::Scope(address));
            }
            // SAFETY: the address is null or that of the scope around this one. An open scope keeps the scopes around
            // it open, and the lock of the EDT, which the caller holds, keeps the innermost scope open.
            let Some(outer) = (unsafe { scope.parent.get().as_ref() }) else {
                return;
            };
            scope = outer;
        }
    }

    /// Enters which pre-slots and events wait for each event.
    pub(super) fn look_at_events(&mut self) {
        for (guid, _) in self.objects.events.live() {
            let Some((event, _locked)) = self.objects.events.lock(guid) else {
                continue;
            };
            // The lists of a collective event are not guarded by its lock.
            let lists = match self.objects.events.inside(event) {
                Some(inside) if self.inputs.still => inside.waiting(),
                Some(_) => continue,
                None => vec![event.waiting.get()],
            };
            for list in lists {
                self.look_at_list(guid, list);
            }
        }
        for (edt, _) in self.objects.edts.live() {
            let output = (edt.kind() != Some(Kind::EdtHuge)).then(|| Guid::output_of(edt));
            let locked = output.and_then(|guid| self.objects.edts.lock_output(guid));
            if let (Some(guid), Some((_, _locked, list))) = (output, locked) {
                self.look_at_list(guid, list);
            }
        }
    }

    /// Enters what a list of an event leads to, whose lock the caller holds.
    fn look_at_list(&mut self, event: Guid, mut link: Link) {
        for _ in 0..EXAMINED {
            link = match link.target() {
                Target::Edt { kind, index, slot } => {
                    let Some(edt) = self.objects.edts.get(kind, index) else {
                        return;
                    };
                    if let Some((of, source)) = self.event_of.get_mut(&link.bits())
                        && *of == edt.own_guid()
                    {
                        *source = event;
                    }
                    edt.slots()[slot as usize].rest()
                }
                Target::Connector(index) => {
                    let (target, rest) = self.objects.events.look(index);
                    self.add_source(target, event);
                    rest
                }
                Target::Event { .. } => {
                    self.add_source(link, event);
                    Link::END
                }
                Target::End => break,
            };
        }
    }

    /// Enters that the event `source` satisfies the event that a link leads to, if it leads to one.
    fn add_source(&mut self, target: Link, source: Guid) {
        if let Target::Event { guid, .. } = target.target() {
            self.sources.entry(guid).or_default().push(source);
        }
    }

    /// Enters the blocks that EDTs wait for, and these EDTs.
    pub(super) fn look_at_blocks(&mut self) {
        for (guid, _) in self.objects.data_blocks.live() {
            let Some((block, _locked)) = self.objects.data_blocks.lock(guid) else {
                continue;
            };
            let (mut first, _) = block.queue.get();
            if first.is_null() {
                continue;
            }
            for _ in 0..EXAMINED {
                // SAFETY: the address is null or that of an EDT in the queue of this block, whose lock is held. An EDT
                // stays in the queue, and is not freed, until it is taken out under that lock.
                let Some(edt) = (unsafe { first.as_ref() }) else {
                    break;
                };
                let slot = edt.cursor.get();
                let role = self.inputs.nodes.as_ref().and_then(|nodes| (nodes.stands_for)(edt));
                let node = role.and_then(|role| if let StandsFor::Node(node) = role { Some(node) } else { None });
                self.block_waits.push(BlockWait {
                    node,
                    edt: Name { guid: edt.guid(), work: edt.work() },
                    slot,
                    mode: edt.slots()[slot as usize].info().mode,
                    block: guid,
                });
                first = edt.link.get();
            }
            let holders = block.holders.get();
            let modes = [(holders.ew, "EW"), (holders.rw != 0, "RW"), (holders.constant != 0, "CONST")];
            let held = HeldBlock {
                size: block.size(),
                modes: modes.iter().filter(|(held, _)| *held).map(|(_, name)| *name).collect(),
                holders: Vec::new(),
                creator: block.creator.load(std::sync::atomic::Ordering::Relaxed),
                closed: block.has(Mark::Closed),
            };
            self.blocks.insert(guid, held);
        }
    }

    /// Finds the holders of the blocks that EDTs wait for.
    pub(super) fn find_holders(&mut self) {
        let mut blocks = std::mem::take(&mut self.blocks);
        let order_of = |block| self.objects.data_blocks.partitions.order_of(block);
        let orders = self.block_waits.iter().map(|wait| order_of(wait.block));
        let orders: Vec<_> = orders.collect();
        for (&guid, block) in &mut blocks {
            let creator = block.creator;
            if let Some(&name) = self.running.get(&creator) {
                block.holders.push(Holder::Running(name, true));
            }
            let threads = self.inputs.threads.iter().enumerate();
            let mut threads = threads.filter(|(_, thread)| creator != 0 && thread.holder == creator);
            if let Some((at, _)) = threads.next() {
                block.holders.push(Holder::Thread(at));
            }
            // Only holders in a mode that conflicts with others count; an EDT in mode RO keeps no other waiting.
            let of_running = self.running.values().filter(|name| self.names(name, guid));
            let of_running = of_running.map(|&name| Holder::Running(name, false));
            block.holders.extend(of_running);
            let of_ready = self.ready().filter(|name| self.names(name, guid));
            let of_ready = of_ready.map(|&name| Holder::Ready(name));
            block.holders.extend(of_ready.take(SHOWN));
            let of_devices = self.on_devices.iter();
            let of_devices = of_devices.filter(|(name, _)| !self.waits_for_block(name) && self.names(name, guid));
            let of_devices = of_devices.map(|&(name, at)| Holder::OnDevice(name, at));
            block.holders.extend(of_devices.take(SHOWN));
            // An EDT acquires its blocks in one order for all. So an EDT that waits for a later block may hold this
            // one.
            let order = order_of(guid);
            let of_waiting = self.block_waits.iter().zip(&orders);
            let of_waiting = of_waiting.filter(|(_, other)| **other > order);
            let of_waiting = of_waiting.map(|(other, _)| other);
            let of_waiting = of_waiting.filter(|other| self.names(&other.edt, guid));
            let of_waiting = of_waiting.map(|other| Holder::Waiting(other.edt, other.block));
            block.holders.extend(of_waiting.take(SHOWN));
            let blocks = &self.objects.data_blocks;
            let whole = blocks.partitions.awaited(guid).map(Holder::Whole);
            let is_open = whole.is_none();
            block.holders.extend(whole);
            let lent = self.inputs.nodes.iter().flat_map(|nodes| &nodes.lent).filter(|(lent, _)| *lent == guid);
            let nodes: Vec<_> = lent.map(|&(_, node)| Holder::Node(node)).collect();
            if !nodes.is_empty() {
                block.holders.extend(nodes);
            } else if block.closed && is_open {
                block.holders.clear();
                let parts = blocks.partitions.parts_of(guid).into_iter();
                let sized = parts.filter_map(|part| {
                    let (block, _locked) = blocks.lock(part)?;
                    Some(Holder::Part(part, block.size()))
                });
                block.holders.extend(sized);
            }
        }
        self.blocks = blocks;
    }

    /// The EDTs that are ready to run on the host.
    pub(super) fn ready(&self) -> impl Iterator<Item = &Name> {
        let past = self.past.iter();
        past.filter(|name| !self.waits_for_block(name))
    }

    /// Whether an EDT is in the queue of a block.
    fn waits_for_block(&self, name: &Name) -> bool {
        let mut waits = self.block_waits.iter();
        waits.any(|wait| wait.edt.guid == name.guid)
    }

    /// Whether an EDT whose pre-slots are all satisfied has this block in one of them, in a mode that keeps others
    /// waiting.
    fn names(&self, edt: &Name, block: Guid) -> bool {
        let locked = self.objects.edts.lock(edt.guid);
        locked.is_some_and(|(edt, locked)| {
            let has = |slot: &PreSlot| {
                let info = slot.info();
                // A running EDT changes the mark of a released pre-slot, so the mark is read only while nothing
                // changes.
                let released = self.inputs.still && info.released;
                slot.data() == block && !released && !matches!(info.mode, Mode::Ro | Mode::Null)
            };
            locked.word.state() == EdtState::Runnable && edt.slots().iter().any(has)
        })
    }
}

/// The pre-slots of an EDT that are not satisfied.
fn open_slots(edt: &Edt) -> Vec<OpenSlot> {
    let slots = edt.slots().iter().enumerate();
    slots
        .filter_map(|(at, slot)| {
            let at = at as u32;
            let link = slot.connected_mode().map(|_| edt.link_to(at));
            (link.is_some() || slot.is_unconnected()).then_some(OpenSlot { at, link })
        })
        .collect()
}
