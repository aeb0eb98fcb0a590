//! Why a file was not released, or has given no chunk.

use super::{CallRecord, Check, Misuse};
use crate::object::Objects;
use crate::status::Status;

impl Check {
    /// A call returned `status`; none where that tells of the machine, or the call is another one.
    pub(super) fn refused_file(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
        status: Status,
    ) -> Option<Box<Misuse>> {
        let (at, chunk) = match made.call.name {
            "ocrFileRelease" => (0, false),
            "ocrFileGetChunk" => (1, true),
            _ => return None,
        };
        let guid = made.guid(at);
        match objects.files.get(guid) {
            None if status == Status::EINVAL => Some(self.by_call(
                made,
                format!("fileGuid ({guid}) is not the GUID of a file that is open"),
                &[],
                "a file can be used between ocrFileOpen and ocrFileRelease",
                "Release the file once, after the last ocrFileGetChunk. The chunks live on. In an EDT \
                 that has the descriptor, ocrFileGetGuid gives the GUID of the file.",
            )),
            Some(file) if chunk && status == Status::EBUSY => Some(self.by_call(
                made,
                format!(
                    "there is a chunk already in these bytes of the file \"{}\"",
                    file.path
                ),
                &[],
                "chunks of a file do not overlap; one that was destroyed counts until it has been \
                 written back",
                "Have EDTs that need the same bytes use the same chunk. To make another, destroy the \
                 first in an EDT that has acquired it, and create the other in one that depends on \
                 that EDT.",
            )),
            Some(file) if chunk && status == Status::EINVAL => Some(self.by_call(
                made,
                format!(
                    "offset and size are more than the file \"{}\" can have",
                    file.path
                ),
                &[],
                "a file has fewer than 2^63 bytes",
                "Pass where the part begins and how long it is, in bytes. Is one of them negative, or are they in the \
                 wrong order?",
            )),
            _ => None,
        }
    }
}
