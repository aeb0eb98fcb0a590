//! Dependences that come too late: their source is a once, latch or output event that has triggered and is gone.
//!
//! Which of the two comes first is often chance, and where EDTs begin later it always comes out well. So such a
//! dependence is made with what the event was satisfied with, as long as that is known
//! ([`remains`](crate::object::remains)) and the data block is there; a note tells of it, once. In strict mode it ends
//! the program, and with `OCR_GONE_EVENTS=0` it is refused. A counted event is not served from: it goes when it has had
//! as many dependences as it was created for, so one more is never in time. Nor is a label, which may as well mean the
//! next object.
//!
//! Between the looks of this thread others may destroy the block, connect the pre-slot or destroy the destination. Then
//! the consequence is that of a call that names the block itself.

use crate::engine::state::context::Context;
use crate::engine::state::deferred::{DeferredBy, DeferredCall};
use crate::graph::{Dependence, GraphCall, GraphError};
use crate::object::Objects;
use crate::object::guid::Guid;
use crate::object::name::{BlockName, EdtName};
use crate::object::remains::Remains;

/// A dependence that came too late, and what is still known of its source.
pub(crate) struct LateDependence {
    asked: Dependence,
    remains: Remains,
}

impl Context {
    /// Whether a call was refused since it is a dependence that came too late, and can be served.
    #[cold]
    pub(crate) fn find_late(&mut self, why: GraphError, refused: &DeferredCall) -> Option<LateDependence> {
        let runtime = self.runtime;
        let GraphCall::Dependence(asked) = refused.given else {
            return None;
        };
        let source = asked.source;
        if runtime.check.is_some() || why != GraphError::NoSuchObject || !source.is_event() {
            return None;
        }
        let is_on = *runtime.settings.gone_events != 0;
        let Some(remains) = is_on.then(|| runtime.objects.remains_of(source)).flatten() else {
            // If the program hangs, this may be why.
            let objects = &runtime.objects;
            let was_there = !source.is_label() && objects.can_have_been(source);
            if was_there && objects.event_kind(source).is_none() {
                let describe = || format!("{} on {source}", cause(refused));
                runtime.registry.late.add(describe);
            }
            return None;
        };
        // Not a block that was passed on by value, either, which goes with those that have it.
        let is_there = self.graph().check_source(remains.data).is_ok();
        is_there.then_some(LateDependence { asked, remains })
    }

    /// Makes a dependence that came too late, with what its source was satisfied with.
    #[cold]
    pub(crate) fn serve_late(&mut self, late: LateDependence, refused: &DeferredCall) -> Result<(), GraphError> {
        let LateDependence { asked, remains } = late;
        // An EDT may have run, and be gone, when the dependence is made.
        let waits = self.runtime.objects.name_of_destination(asked);
        let served = GraphCall::Dependence(Dependence { source: remains.data, ..asked });
        let served = DeferredCall::from(refused.by, served, refused.who);
        let made = self.make(&served);
        made.or_else(|why| self.wait_or_refuse(why, served))?;
        note_once!(
            "{} came too late: {} was satisfied before{}, and was gone. {waits} gets {}, which the runtime still knew. \
             Which comes first is chance. Add the dependence before the event \
             can trigger, let the event be sticky, or set OCR_GONE_EVENTS to remember more. OCR_CHECK=strict ends the \
             program here.",
            cause(refused),
            name_of_source(asked.source),
            satisfied_by(asked.source, &remains),
            name_of_data(remains.data),
        );
        Ok(())
    }
}

/// Which call the dependence is of, and who has made it.
fn cause(refused: &DeferredCall) -> String {
    match refused.by {
        DeferredBy::Call(api) => format!("{} in {}", api.shown(), refused.who),
        DeferredBy::Result => format!("the event that {} returned", refused.who),
    }
}

fn name_of_source(source: Guid) -> String {
    match source.edt_of_output() {
        None => format!("the event {source}"),
        Some(_) => format!("the output event {source}"),
    }
}

/// What has satisfied the event, in words that follow.
fn satisfied_by(source: Guid, remains: &Remains) -> String {
    match (source.edt_of_output(), remains.by) {
        (Some(edt), Some(work)) => format!(" by the end of {}", EdtName::new(edt, work)),
        (_, Some(work)) => format!(" by an EDT of the template {}", work.name),
        (_, None) => String::new(),
    }
}

fn name_of_data(data: Guid) -> String {
    if data.is_null() {
        "what it was satisfied with, no data block".into()
    } else {
        format!("what it was satisfied with, {}", BlockName(data))
    }
}

impl Objects {
    /// What a dependence is for, in words that begin a sentence.
    fn name_of_destination(&self, asked: Dependence) -> String {
        let (destination, slot) = (asked.destination, asked.slot);
        let edt = self.edts.lock(destination);
        let name = match edt.map(|(edt, _locked)| (edt.guid(), edt.work())) {
            Some((guid, work)) => EdtName::new(guid, work).to_string(),
            None if destination.is_edt() => format!("EDT {destination}"),
            None => format!("Event {destination}"),
        };
        format!("Pre-slot {slot} of {name}")
    }
}
