//! Why a file or a map has given no object, and a creator has created none.

use crate::abi::Api;
use crate::check::calls::MAPPED;
use crate::check::history::Who;
use crate::check::rules::{self, advice};
use crate::check::{CallRecord, Check, Misuse};
use crate::object::Objects;
use crate::status::Status;

impl Check {
    /// A map was not created.
    pub(super) fn refused_map_creation(&self, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        if call.number(1) == 0 {
            return Some(self.by_call(call, &[], rules::MapEmpty));
        }
        let missing = self.missing_array(call, 3);
        let (number, array, count) = missing.or_else(|| self.missing_array(call, 5))?;
        let broken = rules::CreatorArrayNull { array, number, count };
        Some(self.by_call(call, &[], broken))
    }

    /// `ocrMapGet` returned `status`; none where that is due to the machine, or was reported already.
    pub(super) fn refused_map(&self, objects: &Objects, call: &CallRecord<'_>, status: Status) -> Option<Box<Misuse>> {
        if call.spec.api != Api::ocrMapGet {
            return None;
        }
        let (guid, index) = (call.guid(1), call.number(2));
        match (status, objects.maps.get(guid)) {
            (Status::ENOENT, _) => Some(self.by_call(call, &[guid], rules::CreatorWithoutObject { guid, index })),
            (Status::EPEND, _) => Some(self.by_call(call, &[guid], rules::CreatorsInCircle { index, guid })),
            (_, None) => {
                let broken = rules::NoSuchMap {
                    name: call.spec.args[1].0,
                    guid,
                    wanted: "a map of ocrMapCreate",
                    advice: advice::MAP_NOT_THERE,
                };
                Some(self.by_call(call, &[], broken))
            }
            (_, Some(map)) => {
                let size = map.size();
                let broken = rules::MapIndexOutOfRange { index, size };
                (index >= size).then(|| self.by_call(call, &[guid], broken))
            }
        }
    }

    /// A create function with the property of a creator was refused, and nothing else explains it.
    pub(super) fn refused_mapped(&self, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let mapped = call.properties() & MAPPED != 0;
        mapped.then(|| {
            let name = call.spec.args[0].0;
            self.by_call(call, &[], rules::NotOfACreator { name })
        })
    }

    /// A file was not released, or has given no chunk; none where the status tells of the machine, or the call is
    /// another one.
    pub(super) fn refused_file(&self, objects: &Objects, call: &CallRecord<'_>, status: Status) -> Option<Box<Misuse>> {
        let (at, chunk) = match call.spec.api {
            Api::ocrFileRelease => (0, false),
            Api::ocrFileGetChunk => (1, true),
            _ => return None,
        };
        let guid = call.guid(at);
        let Some(file) = objects.files.get(guid) else {
            let broken = rules::FileNotOpen { guid };
            return (status == Status::EINVAL).then(|| self.by_call(call, &[], broken));
        };
        let path = &file.path;
        match status {
            Status::EBUSY if chunk => Some(self.by_call(call, &[], rules::ChunksOverlap { path })),
            Status::EINVAL if chunk => Some(self.by_call(call, &[], rules::ChunkTooFar { path })),
            _ => None,
        }
    }

    /// `ocrFileOpen` with a mode that is none.
    pub(crate) fn wrong_file_mode(&self, call: &CallRecord<'_>, mode: &str) -> Box<Misuse> {
        let (call, who): (_, Who) = (call.spec.shown(), call.act.who);
        let seen = format!("seen in {call}, called by {who}");
        self.by_edt(who, seen, &[who.edt], rules::NoSuchFileMode { call, mode })
    }
}
