//! The lines of a snapshot about data blocks: which EDT waits for one, and which others hold it.

use super::text::{list, mode_name};
use super::{BlockWait, Holder, Snapshot};
use crate::object::name::BlockName;
use ocr_base::text::Counted;

impl Snapshot<'_> {
    /// The line for an EDT that waits for a block. Empty if the block is not known.
    pub(super) fn block_wait(&self, wait: &BlockWait) -> String {
        let Some(block) = self.blocks.get(&wait.block) else {
            return String::new();
        };
        let created = self.creation(wait.block);
        let created = created.map_or(String::new(), |by| format!(", {by}"));
        let mut text = format!(
            "\n  {} waits{} for the data block {} ({}{created}) in mode {}: ",
            wait.node.map_or_else(|| self.waiter(&wait.edt), |node| format!("node {node}")),
            wait.node.map_or_else(|| format!(" on pre-slot {}", wait.slot), |_| String::new()),
            self.object(wait.block),
            Counted(block.size, "byte"),
            mode_name(wait.mode)
        );
        text += &if block.modes.is_empty() {
            "others wait for it before".to_string()
        } else {
            format!("it is held in mode {}", block.modes.join(" and "))
        };
        if !block.holders.is_empty() {
            text += &format!(" by {}", list(&block.holders, |holder| self.holder(holder)));
        }
        text
    }

    /// A holder of a block, in words.
    fn holder(&self, holder: &Holder) -> String {
        match holder {
            Holder::Thread(at) => {
                format!("{}, which created it and has not released it (ocrDbRelease)", self.inputs.threads[*at].name())
            }
            Holder::Running(edt, true) => {
                format!("{}, which created it and has not ended", self.edt(edt))
            }
            Holder::Running(edt, false) => format!("{}, which has not ended", self.edt(edt)),
            Holder::Ready(edt) => format!("{} ({})", self.edt(edt), self.ready_as()),
            Holder::OnDevice(edt, at) => {
                let number = self.inputs.devices.get(*at).map_or(*at, |(number, _)| *number);
                format!("{}, which device {number} has", self.edt(edt))
            }
            Holder::Waiting(edt, block) => {
                format!("{}, which waits for the data block {}", self.edt(edt), self.object(*block))
            }
            Holder::Part(part, size) => format!(
                "its part, the data block {} ({}), which has not been destroyed (ocrDbDestroy)",
                self.object(*part),
                Counted(*size, "byte")
            ),
            Holder::Node(node) => format!("node {node}, which says what its EDTs wait for"),
            Holder::Whole(whole) => {
                format!("ocrDbPartition, until {}, of which it is a part, can be had", BlockName(*whole))
            }
        }
    }
}
