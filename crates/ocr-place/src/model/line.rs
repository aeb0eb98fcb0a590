//! What lines of the files of models are made of: fields with a tab between two of them, and a check at the end.

use crate::model::samples::KEPT;
use std::fmt::Write;

/// The longest time of a sample, a month in nanoseconds. A longer one is taken for damage.
const LONGEST_NS: u64 = 30 * 86_400 * 1_000_000_000;

/// A hash that is the same in every version of this runtime (FNV-1a).
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The check of a line: a number that stands behind it, and that a damaged line does not fit.
pub(crate) fn check(line: &str) -> u32 {
    let hash = hash(line.as_bytes());
    (hash ^ hash >> 32) as u32
}

/// A line with its check behind it.
pub(crate) fn checked(mut line: String) -> String {
    let check = check(&line);
    let _ = write!(line, "\tcheck={check:08x}");
    line
}

/// The part of a line before its check. None where the line has no check, or does not fit it.
pub(crate) fn unchecked(line: &str) -> Option<&str> {
    let (checked, sum) = line.rsplit_once("\tcheck=")?;
    let fits = sum.len() == 8 && u32::from_str_radix(sum, 16).ok()? == check(checked);
    fits.then_some(checked)
}

/// Samples as a field has them: numbers with a comma between two.
pub(crate) fn list(samples: &[u64]) -> String {
    let words: Vec<String> = samples.iter().map(u64::to_string).collect();
    words.join(",")
}

/// The value of a field, which stands behind its name and `=`. None where the field has another name.
pub(crate) fn value<'a>(field: &'a str, name: &str) -> Option<&'a str> {
    field.strip_prefix(name)?.strip_prefix('=')
}

/// The number of one sample. None for a text that is no number, for 0, and for one above [`LONGEST_NS`].
pub(crate) fn sample(text: &str) -> Option<u64> {
    let ns = text.parse().ok()?;
    (1..=LONGEST_NS).contains(&ns).then_some(ns)
}

/// The samples in the value of a field, which may have none. None where one of them is no sample, or there are more
/// than eleven.
pub(crate) fn samples(text: &str) -> Option<Vec<u64>> {
    let words = text.split(',').filter(|word| !word.is_empty());
    let samples: Option<Vec<u64>> = words.map(sample).collect();
    samples.filter(|all| all.len() <= KEPT)
}
