//! What is wrong with the blocks that an EDT gets, and with what it returns.

use super::arguments::article;
use crate::check::history::{Ending, What, Who};
use crate::check::rules::{self, advice};
use crate::check::{Check, Misuse, is_alive, kind_of};
use crate::object::Objects;
use crate::object::code::WorkKind;
use crate::object::edt::Mode;
use crate::object::guid::Guid;
use std::collections::HashMap;

impl Check {
    /// Slots of an EDT that got one block in different modes; `modes` are (block, mode) by slot.
    pub(crate) fn mixed_modes(&self, who: Who, modes: impl Iterator<Item = (Guid, Mode)>) -> Result<(), Box<Misuse>> {
        let mut seen: HashMap<Guid, (usize, Mode)> = HashMap::new();
        for (slot, (block, mode)) in modes.enumerate() {
            if block.is_null() {
                continue;
            }
            let (first, before) = *seen.entry(block).or_insert((slot, mode));
            if before != mode {
                let seen = format!("seen before the start of {who}");
                let broken = rules::MixedModes { first, before: before.name(), slot, mode: mode.name() };
                return Err(self.by_edt(who, seen, &[who.edt, block], broken));
            }
        }
        Ok(())
    }

    /// An EDT's output event cannot depend on the event that the EDT returned.
    pub(crate) fn refused_result(&self, who: Who, result: Guid, why: &str) -> Box<Misuse> {
        let (seen, event) = (format!("seen at the end of {who}"), self.history.name(result));
        self.by_edt(who, seen, &[result], rules::ReturnedUsedUp { event, why })
    }

    /// What an EDT returned is no block and no event, or not any more. `used` if somebody gets it.
    /// `at` is the block, of those that the EDT holds, that begins at this address.
    pub(crate) fn wrong_result(
        &self,
        objects: &Objects,
        who: Who,
        result: Guid,
        used: bool,
        at: Option<Guid>,
    ) -> Option<Box<Misuse>> {
        if result.is_null() {
            return None;
        }
        let kind = self.named(objects, result);
        let awaited = objects.is_awaited(result);
        let fits = match kind {
            Some(kind) => kind == What::Block || kind.is_event(),
            None => kind_of(result).is_some() && self.can_have_been(objects, result),
        };
        let seen = format!("seen at the end of {who}");
        if !fits {
            let what = match kind {
                Some(kind) if awaited => format!("a labeled GUID for {}s", kind.name()),
                Some(kind) => article(kind.name()),
                None => match at {
                    Some(block) => format!("the address of {}", self.history.name(block)),
                    None => "no object".into(),
                },
            };
            let advice = match (kind, at) {
                (Some(What::Edt), _) => advice::RETURN_OUTPUT,
                (_, Some(_)) => advice::RETURN_GUID_OF_BLOCK,
                _ => advice::RETURN_NULL_GUID,
            };
            let broken = rules::ReturnedNoObject { guid: result, what, advice };
            return Some(self.by_edt(who, seen, &[result], broken));
        }
        // A content that is being passed on by value is not known to stay yet.
        let is_there = || awaited || is_alive(objects, result) || objects.data_blocks.can_be_named(result);
        (used && !is_there()).then(|| {
            let object = self.history.name(result);
            if who.work.is_some_and(|work| work.kind == WorkKind::Copy) {
                let call = WorkKind::Copy.call();
                let seen = format!("seen when {call} had copied");
                let broken = rules::CopyDestinationGone { block: object, call };
                return self.by_edt(who, seen, &[result], broken);
            }
            let end = self.history.get(result).and_then(|record| record.end);
            let destroyed = matches!(end, Some(Ending::Destroyed(_)));
            let advice = if destroyed || !kind.is_some_and(What::is_passing) {
                advice::RETURN_KEPT
            } else {
                advice::RETURN_LASTING
            };
            self.by_edt(who, seen, &[result], rules::ReturnedGone { object, advice })
        })
    }
}
