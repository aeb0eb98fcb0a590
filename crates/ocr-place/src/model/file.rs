//! The file in which what runs have learned of one place is kept: plain text, a line for each size of a variant,
//! with a tab between two fields.
//!
//! ```text
//! ocr-models 2
//! place  pthread-Intel(R) Xeon(R) ... driver 3.1
//! day=20782  program=jacobi:1f0c...  template=sweep+0x1a30  variant=kernel sweep 77ab...  bytes=8192  alone=812,790  beside=1020  order=aba  check=5d0c12aa
//! ```
//!
//! - `day` is the last one on which a run has used the line, counted from the first of January 1970.
//! - `only` has the parameters of an EDT, where all that have run had the same; `param` has the index and the value of
//!   a parameter that decides how long an EDT takes. At most one of them stands behind `bytes`.
//! - `alone` and `beside` have samples in nanoseconds, the oldest first.
//! - `order` says of the last eleven samples of both kinds, the oldest first, which ran alone (a) and which beside
//!   others (b). Where `order` is missing, the samples that ran alone are taken for the newest.
//! - `first` has the nanoseconds of the shortest launch in which the kernel may have been compiled. A line has it where
//!   there are no samples, and has no `order` then.
//! - `check` is a sum over the line before it. A line that does not fit its check is left out: the file was cut, a disk
//!   has lost bits, or somebody has edited the line.
//!
//! A file of version 1 has neither `only` nor `param`, and is read. One of another version is not read at all. The file
//! of a device also has lines about copies (`copy_entry.rs`).

use crate::model::class::KeptTimes;
use crate::model::copy_entry::CopyEntry;
use crate::model::line::{checked, hash, list, sample, samples, unchecked, value};
use crate::model::samples::KEPT;
use crate::model::shape::{NAMED, PARAMS, Params};
use crate::model::split::ToldBy;
use std::fmt::Write;

/// The first line of each file that this runtime writes. Files with another first line are not read.
pub(crate) const FIRST_LINE: &str = "ocr-models 2";
/// The first line of files of an earlier version that are read, too.
const EARLIER_LINE: &str = "ocr-models 1";
/// How many lines about EDTs a file has at most; those used last are kept.
pub(crate) const MOST: usize = if cfg!(miri) { 20 } else { 2000 };
/// A line that no run has used for more than this many days is not kept.
pub(crate) const DAYS: u64 = 180;
/// The most bytes of a name. Of a longer one, the beginning and a hash of the whole name are kept.
const LONGEST: usize = 120;

/// A variant of a template of a program.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ModelKey {
    /// The name of the program, with what distinguishes it from other programs of that name and from its earlier
    /// builds.
    pub program: String,
    /// The name of the template, with what distinguishes its function from others of that name.
    pub template: String,
    /// "function", or the name of a kernel with what distinguishes the kernel from earlier versions of it.
    pub variant: String,
}

/// What is known of the EDTs that run one variant with one size of blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelEntry {
    /// The variant that these EDTs run.
    pub key: ModelKey,
    /// The sum of the sizes of an EDT's blocks, in bytes.
    pub bytes: u64,
    /// What else distinguishes these EDTs from others of the template.
    pub told_by: ToldBy,
    /// The day on which a run has used the entry last, counted from the first of January 1970.
    pub day: u64,
    /// How long these EDTs took.
    pub times: KeptTimes,
}

/// What was found in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Content {
    /// The place that the file is about.
    pub place: String,
    /// The entries about EDTs whose lines fit their check.
    pub entries: Vec<ModelEntry>,
    /// The entries about copies whose lines fit their check; a run writes at most one for each direction.
    pub copies: Vec<CopyEntry>,
    /// A text that says what is wrong with the other lines, or with the whole file. None if nothing is.
    pub damage: Option<String>,
}

impl ModelKey {
    /// A key of these names, as they can stand in a line of the file: control characters are escaped, and names that
    /// are too long are cut.
    pub fn new(program: &str, template: &str, variant: &str) -> ModelKey {
        ModelKey { program: name(program), template: name(template), variant: name(variant) }
    }
}

/// A name as it can stand in a field: control characters are escaped, and one above [`LONGEST`] bytes is cut.
fn name(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    if out.len() > LONGEST {
        let hash = hash(out.as_bytes());
        let most = LONGEST - 20;
        let end = (0..=most).rev().find(|&at| out.is_char_boundary(at));
        out.truncate(end.unwrap_or(0));
        let _ = write!(out, "...{hash:016x}");
    }
    out
}

/// The field `order` of these times: a letter for each of the last samples, the oldest first; `b` if it ran beside
/// others, otherwise `a`. Samples of one kind may have been outvoted by newer ones: where none of a kind is left, the
/// text begins.
fn order(times: &KeptTimes) -> String {
    let (mut alone, mut beside) = (times.alone.len(), times.beside.len());
    let mut letters = Vec::new();
    for at in 0..(alone + beside).min(KEPT) {
        let (left, letter) = if times.lately >> at & 1 != 0 { (&mut beside, 'b') } else { (&mut alone, 'a') };
        let Some(less) = left.checked_sub(1) else {
            break;
        };
        *left = less;
        letters.push(letter);
    }
    letters.iter().rev().collect()
}

/// [`KeptTimes::lately`] by the text of the field `order`. None where the text has another letter than `a` and `b`, or
/// more of one kind than the line has samples of that kind.
fn kinds(order: &str, alone: usize, beside: usize) -> Option<u32> {
    let count = |kind: char| order.chars().filter(|&letter| letter == kind).count();
    let (a, b) = (count('a'), count('b'));
    let fits = a <= alone && b <= beside && a + b == order.len() && a + b <= KEPT;
    let letters = order.chars();
    fits.then(|| letters.fold(0, |kinds, letter| kinds << 1 | u32::from(letter == 'b')))
}

/// [`KeptTimes::lately`] of a line without `order`: the samples that ran alone are taken for the newest.
fn beside_first(alone: usize, beside: usize) -> u32 {
    let count = beside.min(KEPT.saturating_sub(alone));
    ((1 << count) - 1) << alone.min(KEPT)
}

/// What a field says of the parameters; none where it is another field.
fn read_told_by(field: &str) -> Option<Option<ToldBy>> {
    if let Some(values) = value(field, "only") {
        let values: Option<Vec<u64>> = values.split(',').map(|word| word.parse().ok()).collect();
        let values = values.filter(|values| values.len() <= PARAMS);
        return Some(values.map(|values| ToldBy::Only(Params::first_of(&values))));
    }
    let read = |text: &str| {
        let (index, value) = text.split_once(':')?;
        let index = index.parse().ok().filter(|index| *index <= NAMED)?;
        let value = value.parse().ok()?;
        Some(ToldBy::Param { index, value })
    };
    value(field, "param").map(read)
}

impl ModelEntry {
    /// The entry as a line of the file, with its check and without a line feed.
    fn line(&self) -> String {
        let ModelKey { program, template, variant } = &self.key;
        let mut line = format!(
            "day={}\tprogram={program}\ttemplate={template}\tvariant={variant}\tbytes={}",
            self.day, self.bytes
        );
        // Writing to a string cannot fail.
        let _ = match self.told_by {
            ToldBy::Bytes => Ok(()),
            ToldBy::Only(params) => write!(line, "\tonly={}", list(params.values())),
            ToldBy::Param { index, value } => write!(line, "\tparam={index}:{value}"),
        };
        let _ = write!(line, "\talone={}\tbeside={}", list(&self.times.alone), list(&self.times.beside));
        if self.samples() != 0 {
            let _ = write!(line, "\torder={}", order(&self.times));
        }
        if let Some(ns) = self.times.first {
            let _ = write!(line, "\tfirst={ns}");
        }
        checked(line)
    }

    /// Reads a line of the file. None where the line is not as [`ModelEntry::line`] writes it.
    fn parse(line: &str) -> Option<ModelEntry> {
        let mut fields = unchecked(line)?.split('\t');
        let mut field = |name: &str| value(fields.next()?, name);
        let day = field("day")?.parse().ok()?;
        let key = ModelKey {
            program: field("program")?.into(),
            template: field("template")?.into(),
            variant: field("variant")?.into(),
        };
        let bytes = field("bytes")?.parse().ok()?;
        let mut rest = fields.next();
        let mut told_by = ToldBy::Bytes;
        if let Some(told) = rest.and_then(read_told_by) {
            told_by = told?;
            rest = fields.next();
        }
        let alone = samples(value(rest?, "alone")?)?;
        let beside = samples(value(fields.next()?, "beside")?)?;
        rest = fields.next();
        let mut lately = beside_first(alone.len(), beside.len());
        if let Some(order) = rest.and_then(|field| value(field, "order")) {
            lately = kinds(order, alone.len(), beside.len())?;
            rest = fields.next();
        }
        let mut first = None;
        if let Some(ns) = rest.and_then(|field| value(field, "first")) {
            first = Some(sample(ns)?);
            rest = fields.next();
        }
        let is_empty = alone.is_empty() && beside.is_empty() && first.is_none();
        let times = KeptTimes { alone, beside, lately, first };
        let entry = ModelEntry { key, bytes, told_by, day, times };
        (!is_empty && rest.is_none()).then_some(entry)
    }

    /// How many samples there are of both kinds.
    pub fn samples(&self) -> usize {
        self.times.alone.len() + self.times.beside.len()
    }
}

impl Content {
    /// Reads the bytes of a file. What is damaged is left out, and [`Content::damage`] says so.
    pub(crate) fn parse(bytes: &[u8]) -> Content {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        let mut content = Content::default();
        match lines.next() {
            Some(FIRST_LINE | EARLIER_LINE) => {}
            first => {
                let is_ours = first.is_some_and(|first| first.starts_with("ocr-models "));
                let what = if is_ours { "it is of another version of ocr" } else { "it is no file of models" };
                content.damage = Some(what.into());
                return content;
            }
        }
        let Some(place) = lines.next().and_then(|line| line.strip_prefix("place\t")) else {
            content.damage = Some("it does not say of what place it is".into());
            return content;
        };
        content.place = place.into();
        let mut wrong = 0;
        for line in lines.filter(|line| !line.is_empty()) {
            match (ModelEntry::parse(line), CopyEntry::parse(line)) {
                (Some(entry), _) => content.entries.push(entry),
                (None, Some(copies)) => content.copies.push(copies),
                (None, None) => wrong += 1,
            }
        }
        if wrong != 0 {
            let lines = if wrong == 1 { "line is" } else { "lines are" };
            content.damage = Some(format!("{wrong} {lines} damaged"));
        }
        content
    }

    /// The text of the file, with the check of each line.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{FIRST_LINE}\nplace\t{}\n", self.place);
        let copies = self.copies.iter().map(CopyEntry::line);
        for line in copies.chain(self.entries.iter().map(ModelEntry::line)) {
            text += &line;
            text.push('\n');
        }
        text
    }

    /// Adds what a run has learned, in place of what was known of the same variant and size, or of the same direction.
    /// Drops entries that are older than [`DAYS`], and the oldest ones above [`MOST`].
    /// Newer entries that do not have those of earlier runs in them come behind these.
    pub(crate) fn merge(&mut self, newer: Vec<ModelEntry>, copies: Vec<CopyEntry>, today: u64, has_read: bool) {
        self.copies.retain(|old| today.saturating_sub(old.day) <= DAYS);
        for new in copies {
            self.copies.retain(|old| old.direction != new.direction);
            self.copies.push(new);
        }
        self.copies.sort_by_key(|copies| copies.direction);
        let mut all = std::collections::HashMap::new();
        // Where another parameter decides by now, what was kept by the former one is of no use.
        let parameter = |entry: &ModelEntry| match entry.told_by {
            ToldBy::Param { index, .. } => Some(index),
            _ => None,
        };
        let by_now: std::collections::HashMap<_, _> =
            (newer.iter()).map(|entry| ((entry.key.clone(), entry.bytes), parameter(entry))).collect();
        let mut older = std::mem::take(&mut self.entries);
        older.retain(|entry| {
            let by_now = by_now.get(&(entry.key.clone(), entry.bytes));
            by_now.is_none_or(|by_now| *by_now == parameter(entry))
        });
        let older = older.into_iter();
        for mut entry in older.chain(newer) {
            // Whether others have run or not: these EDTs are distinguished by their bytes.
            let told_by = match entry.told_by {
                ToldBy::Only(_) => ToldBy::Bytes,
                told_by => told_by,
            };
            let key = (entry.key.clone(), entry.bytes, told_by);
            if !has_read && let Some(older) = all.remove(&key) {
                let older: ModelEntry = older;
                if entry.told_by != older.told_by {
                    entry.told_by = ToldBy::Bytes;
                }
                entry.times = older.times.then(&entry.times);
            }
            all.insert(key, entry);
        }
        let is_used = |entry: &ModelEntry| today.saturating_sub(entry.day) <= DAYS;
        let mut entries: Vec<ModelEntry> = all.into_values().filter(is_used).collect();
        entries.sort_unstable_by(|a, b| {
            let newest_first = b.day.cmp(&a.day);
            newest_first.then_with(|| (&a.key, a.bytes, a.told_by).cmp(&(&b.key, b.bytes, b.told_by)))
        });
        entries.truncate(MOST);
        self.entries = entries;
    }
}

/// The name of a place's file. It begins with words that people recognize, and ends with a hash, so that no other place
/// has it.
pub(crate) fn file_name(place: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let mut words: String = place.chars().map(word).collect();
    while words.contains("--") {
        words = words.replace("--", "-");
    }
    words.truncate(60);
    format!("{}-{:016x}.models", words.trim_matches('-'), hash(place.as_bytes()))
}

/// The name of a place as it can stand in a line of the file.
pub(crate) fn place_name(place: &str) -> String {
    name(place)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::model::line::check;
    use proptest::prelude::*;

    fn entry(template: &str, bytes: u64, day: u64) -> ModelEntry {
        ModelEntry {
            key: ModelKey::new("program:12", template, "function"),
            bytes,
            told_by: ToldBy::Bytes,
            day,
            times: KeptTimes { alone: vec![100, 90, 110], beside: vec![200], lately: 0b0010, first: None },
        }
    }

    fn content(entries: Vec<ModelEntry>) -> Content {
        Content { place: "a place".into(), entries, copies: Vec::new(), damage: None }
    }

    #[test]
    fn names_stay_in_their_field() {
        let key = ModelKey::new("a\tb", "line\nfeed \u{7f}", &"x\u{1f600}".repeat(200));
        assert_eq!(key.program, "a\\u{9}b");
        assert!(key.variant.len() <= LONGEST && key.variant.contains("..."));
        let written = content(vec![ModelEntry { key, ..entry("", 7, 1) }]);
        assert_eq!(Content::parse(written.text().as_bytes()), written);
        let file = file_name("Intel(R) Xeon(R) CPU @ 2.20GHz/..");
        assert!(file.starts_with("Intel-R-Xeon-R-CPU-2-20GHz-") && !file.contains('/'));
        assert_ne!(file_name("a b"), file_name("a-b"));
    }

    #[test]
    fn what_is_damaged_is_left_out_and_told() {
        let whole = content(vec![entry("a", 64, 5), entry("b", 64, 5)]).text();
        let cases = [
            (whole.replace("alone=100", "alone=101"), 0),
            (whole.replace("template=b", "template=c"), 1),
            (whole.replace("beside=200", "beside=x"), 0),
            (whole.replace("\tbytes=64", ""), 0),
            (format!("{whole}garbage\n"), 2),
            (format!("{whole}\tcheck=\u{fffd}"), 2),
        ];
        for (text, left) in cases {
            let found = Content::parse(text.as_bytes());
            assert_eq!(found.entries.len(), left, "{text}");
            assert!(found.damage.is_some(), "{text}");
        }
        for text in ["", "ocr-models 3\nplace\tx\n", "ELF", "ocr-models 1\n", "ocr-models 1\nx"] {
            let found = Content::parse(text.as_bytes());
            assert!(found.damage.is_some() && found.entries.is_empty(), "{text}");
        }
        assert_eq!(Content::parse(whole.as_bytes()).damage, None);
    }

    #[test]
    fn numbers_that_make_no_sense_are_no_samples() {
        let good = entry("a", 64, 5);
        for alone in [vec![0], vec![u64::MAX], vec![1; KEPT + 1], vec![]] {
            let times = KeptTimes { alone, ..KeptTimes::default() };
            let written = content(vec![ModelEntry { times, ..good.clone() }]);
            assert!(Content::parse(written.text().as_bytes()).entries.is_empty());
        }
    }

    /// A line with these fields behind the bytes, and its check.
    fn line_with(fields: &str) -> String {
        let line = format!("day=5\tprogram=p:1\ttemplate=t\tvariant=function\tbytes=64\t{fields}");
        format!("{FIRST_LINE}\nplace\tx\n{line}\tcheck={:08x}\n", check(&line))
    }

    #[test]
    fn the_order_names_no_more_samples_than_there_are() {
        let times = KeptTimes { alone: vec![5, 6], beside: vec![7; 9], lately: 0b1000, first: None };
        // Older samples that ran alone have been outvoted.
        assert_eq!(order(&times), "aa");
        assert_eq!(kinds("aa", 2, 9), Some(0));
    }

    #[test]
    fn a_first_launch_and_the_order_of_samples_are_kept() {
        let first = KeptTimes { first: Some(700), ..KeptTimes::default() };
        let turns = KeptTimes { alone: vec![10; KEPT], beside: vec![20; KEPT], lately: 0b101_0101_0101, first: None };
        for times in [first, turns] {
            let written = content(vec![ModelEntry { times, ..entry("a", 64, 5) }]);
            assert_eq!(Content::parse(written.text().as_bytes()), written);
        }
        for wrong in [
            "alone=1\tbeside=\torder=b",
            "alone=1\tbeside=2\torder=ax",
            "alone=1\tbeside=2\torder=aab",
            "alone=\tbeside=\tfirst=0",
            "alone=\tbeside=\tfirst=",
            "alone=\tbeside=\tfirst=7\torder=",
            "alone=1\tbeside=\torder=a\tmore=1",
        ] {
            let found = Content::parse(line_with(wrong).as_bytes());
            assert!(found.entries.is_empty() && found.damage.is_some(), "{wrong}");
        }
    }

    #[test]
    fn lines_without_an_order_are_read() {
        let old = |alone: &str, beside: &str| {
            let text = line_with(&format!("alone={alone}\tbeside={beside}"));
            let content = Content::parse(text.as_bytes());
            assert_eq!(content.damage, None);
            assert_eq!(Content::parse(content.text().as_bytes()), content);
            content.entries[0].times.lately
        };
        assert_eq!(old("1,2,3", "4,5"), 0b11000);
        assert_eq!(old("", "4,5"), 0b11);
        let eleven = ["7"; KEPT].join(",");
        assert_eq!(old(&eleven, &eleven), 0);
    }

    #[test]
    fn newer_entries_replace_older_ones_and_old_ones_go() {
        let today = 1000;
        let mut kept =
            content(vec![entry("a", 64, today - 1), entry("b", 64, today - DAYS - 1), entry("c", 64, today - DAYS)]);
        let mut newer = entry("a", 64, today);
        newer.times.alone[0] = 1;
        kept.merge(vec![newer.clone(), entry("a", 128, today)], vec![], today, true);
        let found: Vec<_> = kept.entries.iter().map(|e| (&*e.key.template, e.bytes)).collect();
        assert_eq!(found, [("a", 64), ("a", 128), ("c", 64)]);
        assert_eq!(kept.entries[0], newer);
        let many = (0..MOST as u64 + 50).map(|bytes| entry("d", bytes, today));
        kept.merge(many.collect(), vec![], today, true);
        assert_eq!(kept.entries.len(), MOST);
        assert!(kept.entries.iter().all(|entry| entry.day == today));
    }

    proptest! {
        #[test]
        fn a_file_that_is_cut_or_changed_gives_true_entries_or_none(
            cut in 0usize..700, at in 0usize..700, bit in 0u8..8,
        ) {
            let whole = content((0..5).map(|n| entry("template", n, 3)).collect());
            let mut bytes = whole.text().into_bytes();
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            for bytes in [&bytes[..], &bytes[..cut.min(bytes.len())], &whole.text().as_bytes()[..cut.min(at)]] {
                let found = Content::parse(bytes);
                for entry in &found.entries {
                    prop_assert!(whole.entries.contains(entry), "{entry:?}");
                }
            }
        }

        #[test]
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut text = format!("{FIRST_LINE}\nplace\tx\n").into_bytes();
            text.extend(&bytes);
            prop_assert!(Content::parse(&text).entries.is_empty());
            prop_assert!(Content::parse(&bytes).damage.is_some());
        }
    }
}
