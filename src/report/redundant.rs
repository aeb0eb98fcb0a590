//! What a report says of EDTs that ran as kernels and as their function (`OCR_REDUNDANT`).

use ocr_base::text::counted;
use serde::{Deserialize, Serialize};

/// What came of the EDTs of a template.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct RedundantReport {
    /// The name of the template.
    pub template: String,
    /// How many EDTs left the same as kernels and as their function.
    pub alike: u64,
    /// How many EDTs left something else.
    pub different: u64,
    /// How many blocks of these EDTs were not compared, since the function had released them before it returned.
    pub released_blocks: u64,
    /// The EDTs that were not compared.
    pub not_compared: Vec<NotCompared>,
}

/// EDTs that were not compared.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct NotCompared {
    /// The reason, after "since".
    pub why: String,
    /// How many EDTs these are.
    pub edts: u64,
}

impl RedundantReport {
    /// Adds EDTs that were not compared.
    pub fn not_compared_since(&mut self, more: NotCompared) {
        match self.not_compared.iter_mut().find(|known| known.why == more.why) {
            Some(known) => known.edts += more.edts,
            None => self.not_compared.push(more),
        }
    }

    /// Adds what came of the same template in another program.
    pub fn add(&mut self, other: RedundantReport) {
        self.alike += other.alike;
        self.different += other.different;
        self.released_blocks += other.released_blocks;
        for more in other.not_compared {
            self.not_compared_since(more);
        }
    }

    /// All of that in a sentence without its end.
    pub fn text(&self) -> String {
        let (alike, different) = (self.alike, self.different);
        let mut text = match alike + different {
            0 => format!("no EDT of {:?} was compared", self.template),
            compared => {
                let edts = counted(compared, "EDT");
                let same =
                    if different == 0 { "all left the same".to_string() } else { format!("{alike} left the same") };
                format!("{edts} of {:?} ran as the C function and as a kernel: {same}", self.template)
            }
        };
        if different != 0 {
            text += &format!(", {different} did not");
        }
        if self.released_blocks != 0 {
            let blocks = counted(self.released_blocks, "data block");
            text += &format!(", without {blocks} that the function had released before it returned");
        }
        for NotCompared { why, edts } in &self.not_compared {
            let verb = if *edts == 1 { "was" } else { "were" };
            text += &format!("; {edts} {verb} not compared, since {why}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_several_programs_are_one() {
        let late = |edts| NotCompared { why: "it is late".to_string(), edts };
        let mut all = RedundantReport { template: "tile".to_string(), alike: 2, ..RedundantReport::default() };
        assert_eq!(all.text(), "2 EDTs of \"tile\" ran as the C function and as a kernel: all left the same");
        let other = RedundantReport {
            template: "tile".to_string(),
            alike: 1,
            different: 3,
            released_blocks: 1,
            not_compared: vec![late(1)],
        };
        all.add(other.clone());
        all.add(other);
        assert_eq!((all.alike, all.different, all.released_blocks), (4, 6, 2));
        assert_eq!(all.not_compared, [late(2)]);
        assert!(all.text().contains("4 left the same, 6 did not, without 2 data blocks"), "{}", all.text());
        let none = RedundantReport { alike: 0, different: 0, released_blocks: 0, ..all };
        assert_eq!(none.text(), "no EDT of \"tile\" was compared; 2 were not compared, since it is late");
    }
}
