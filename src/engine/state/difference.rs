//! How the content that one run of an EDT has left in a block differs from that of another run.
//!
//! Without a tolerance, two contents are alike if all bits are the same. With one, they are rows of numbers of its
//! type, and two numbers are alike if they are equal, both are no number (NaN), or both are finite and apart by no more
//! than the part of the larger one that the tolerance gives. Bytes behind the last whole number are compared as they
//! are.

use crate::config::{FloatType, Redundancy, Tolerance};
use std::fmt;

/// Where, and how much, two contents differ.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Difference {
    /// How many units differ: numbers of the tolerance's type, or bytes.
    units: u64,
    /// How many there are.
    of: u64,
    /// The type of the numbers that were compared. None: bytes were.
    float: Option<FloatType>,
    /// The offset of the first byte that differs, or of the first number.
    offset: usize,
    /// What stands there in each content.
    found: [Vec<u8>; 2],
    /// By which part of the larger number two numbers differ at most. Infinite where one of two is not finite.
    greatest: Option<f64>,
    /// The tolerance with which the contents would be alike, where bytes were compared and a small one would do.
    accepted_by: Option<Tolerance>,
}

/// Numbers that differ by no more than this part may do so since they were rounded elsewhere.
const ROUNDED: f64 = 1e-3;

/// Numbers of 4 bytes that differ look like ones of 8 bytes that are further apart than this, unless they are the first
/// of such two.
const ROUNDED_F64: f64 = 1e-8;

/// How many bytes of a difference are shown.
const SHOWN: usize = 8;

/// The number that begins a slice, which is long enough.
fn number(float: FloatType, bytes: &[u8]) -> f64 {
    match float {
        FloatType::F32 => bytes.first_chunk().map_or(0.0, |bytes| f64::from(f32::from_ne_bytes(*bytes))),
        FloatType::F64 => bytes.first_chunk().map_or(0.0, |bytes| f64::from_ne_bytes(*bytes)),
    }
}

/// By which part of the larger one two numbers differ: 0 if they are alike, infinite if they cannot be compared.
fn apart(left: f64, right: f64) -> f64 {
    if left == right || left.is_nan() && right.is_nan() {
        return 0.0;
    }
    if !left.is_finite() || !right.is_finite() {
        return f64::INFINITY;
    }
    let larger = left.abs().max(right.abs());
    // Halves do not overflow.
    (left / 2.0 - right / 2.0).abs() / (larger / 2.0)
}

/// Whether a number of this type is one that programs compute with: 0, or none of the tiny ones as which integers read.
fn is_usual(float: FloatType, value: f64) -> bool {
    let least = match float {
        FloatType::F32 => f64::from(f32::MIN_POSITIVE),
        FloatType::F64 => f64::MIN_POSITIVE,
    };
    value == 0.0 || value.is_finite() && value.abs() >= least
}

/// The tolerance with which two contents of this type would be alike, if all that differs are usual numbers that are
/// apart by no more than `most`.
fn accepted_as(float: FloatType, most: f64, left: &[u8], right: &[u8]) -> Option<Tolerance> {
    let width = float.bytes();
    if !left.len().is_multiple_of(width) {
        return None;
    }
    let mut greatest: f64 = 0.0;
    for (left, right) in left.chunks_exact(width).zip(right.chunks_exact(width)).filter(|(left, right)| left != right) {
        let (left, right) = (number(float, left), number(float, right));
        let apart = apart(left, right);
        if !is_usual(float, left) || !is_usual(float, right) || apart > most {
            return None;
        }
        greatest = greatest.max(apart);
    }
    // The next power of ten, with some room: another run may be apart by a little more.
    let relative = 10f64.powi((2.0 * greatest.max(f64::MIN_POSITIVE)).log10().ceil() as i32);
    Some(Tolerance { float, relative })
}

/// How two contents of one size differ. None if they are alike.
pub(crate) fn difference(left: &[u8], right: &[u8], tolerance: Option<Tolerance>) -> Option<Difference> {
    if left == right {
        return None;
    }
    match tolerance {
        None => bits_apart(left, right),
        Some(tolerance) => numbers_apart(left, right, tolerance),
    }
}

/// What stands in both contents from an offset on, as far as it is shown.
fn found(contents: [&[u8]; 2], offset: usize, bytes: usize) -> [Vec<u8>; 2] {
    contents.map(|content| content[offset..].iter().take(bytes).copied().collect())
}

fn bits_apart(left: &[u8], right: &[u8]) -> Option<Difference> {
    let mut differ = (0..).zip(left.iter().zip(right)).filter(|(_, (left, right))| left != right).map(|(at, _)| at);
    let offset = differ.next()?;
    let types = [(FloatType::F64, ROUNDED_F64), (FloatType::F32, ROUNDED), (FloatType::F64, ROUNDED)];
    Some(Difference {
        units: 1 + differ.count() as u64,
        of: left.len() as u64,
        float: None,
        offset,
        found: found([left, right], offset, SHOWN),
        greatest: None,
        accepted_by: types.into_iter().find_map(|(float, most)| accepted_as(float, most, left, right)),
    })
}

fn numbers_apart(left: &[u8], right: &[u8], tolerance: Tolerance) -> Option<Difference> {
    let Tolerance { float, relative } = tolerance;
    let width = float.bytes();
    let whole = left.len() / width * width;
    let (mut units, mut first, mut greatest) = (0, None, 0f64);
    let pairs = left[..whole].chunks_exact(width).zip(right[..whole].chunks_exact(width));
    for (at, (left, right)) in pairs.enumerate().filter(|(_, (left, right))| left != right) {
        let apart = apart(number(float, left), number(float, right));
        if apart > relative {
            units += 1;
            first = first.or(Some(at * width));
            greatest = greatest.max(apart);
        }
    }
    let Some(offset) = first else {
        // The rest is no number.
        let rest = bits_apart(&left[whole..], &right[whole..])?;
        return Some(Difference { offset: whole + rest.offset, accepted_by: None, ..rest });
    };
    Some(Difference {
        units,
        of: (whole / width) as u64,
        float: Some(float),
        offset,
        found: found([left, right], offset, width),
        greatest: Some(greatest),
        accepted_by: None,
    })
}

/// Bytes as messages show them, with the number that they are.
struct Shown<'a>(&'a [u8], Option<FloatType>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(FloatType::F32) => write!(f, "{:e}", number(FloatType::F32, self.0) as f32),
            Some(FloatType::F64) => write!(f, "{:e}", number(FloatType::F64, self.0)),
            None => {
                let bytes: Vec<String> = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
                f.write_str(&bytes.join(" "))
            }
        }
    }
}

impl Difference {
    /// The difference in words, after "how the block differs: ". `left` and `right` say what has left the two contents.
    pub(crate) fn text(&self, left: &str, right: &str) -> String {
        let what = match self.float {
            None => "bytes".to_string(),
            Some(float) => format!("numbers of type {float}"),
        };
        let verb = if self.units == 1 { "differs" } else { "differ" };
        let mut text = format!("{} of {} {what} {verb}, the first at offset {}: ", self.units, self.of, self.offset);
        let [one, other] = &self.found;
        text += &format!("{} there after {left}, ", Shown(one, self.float));
        text += &format!("{} after {right}", Shown(other, self.float));
        if let Some(greatest) = self.greatest {
            text += &format!("; two are apart by {greatest:.1e} of the larger at most");
        }
        text
    }

    /// The setting with which the contents would be alike.
    pub(crate) fn advice(&self, runs: usize) -> Option<String> {
        let tolerance = self.accepted_by?;
        let setting = Redundancy { runs, tolerance: Some(tolerance) };
        Some(format!(
            "If the block has numbers of type {}, they are apart by little, as where operations are rounded in another \
             order: OCR_REDUNDANT={setting} takes them for alike.",
            tolerance.float
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_ne_bytes()).collect()
    }

    fn f64s(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_ne_bytes()).collect()
    }

    const F32: Option<Tolerance> = Some(Tolerance { float: FloatType::F32, relative: 1e-5 });
    const F64: Option<Tolerance> = Some(Tolerance { float: FloatType::F64, relative: 1e-9 });

    #[test]
    fn bytes_are_counted_and_the_first_is_named() {
        assert_eq!(difference(&[], &[], None), None);
        assert_eq!(difference(&[1, 2, 3], &[1, 2, 3], None), None);
        let differs = difference(&[1, 2, 3, 4, 5], &[1, 9, 3, 4, 8], None).expect("two bytes");
        assert_eq!((differs.units, differs.of, differs.offset), (2, 5, 1));
        let text = differs.text("the function", "the kernel");
        let wanted = "2 of 5 bytes differ, the first at offset 1: 02 03 04 05 there after the function, 09 03 04 08 after the kernel";
        assert_eq!(text, wanted);
        assert_eq!(differs.advice(2), None);
    }

    #[test]
    fn numbers_may_be_apart_by_a_part_of_their_size() {
        let large = f32s(&[1e30, -1.0, 0.0]);
        assert_eq!(difference(&large, &f32s(&[1.000_001e30, -1.000_001, -0.0]), F32), None);
        let differs = difference(&large, &f32s(&[1.001e30, -1.0, 0.0]), F32).expect("a thousandth");
        assert_eq!((differs.units, differs.of, differs.offset), (1, 3, 0));
        let differs = difference(&large, &f32s(&[1e30, -1.0, 1e-30]), F32).expect("0 is alike to 0 alone");
        assert_eq!((differs.offset, differs.greatest), (8, Some(1.0)));
        assert_eq!(difference(&f64s(&[f64::MAX]), &f64s(&[f64::MAX * (1.0 - 1e-10)]), F64), None);
        assert!(difference(&f64s(&[f64::MAX]), &f64s(&[-f64::MAX]), F64).is_some());
    }

    #[test]
    fn what_is_not_finite_is_alike_to_itself_alone() {
        let (nan, other_nan) = (f32::NAN, f32::from_bits(f32::NAN.to_bits() | 1));
        assert_eq!(difference(&f32s(&[nan, f32::INFINITY]), &f32s(&[other_nan, f32::INFINITY]), F32), None);
        for (one, other) in [(f32::INFINITY, f32::MAX), (f32::INFINITY, f32::NEG_INFINITY), (nan, 1.0)] {
            let differs = difference(&f32s(&[one]), &f32s(&[other]), F32).expect("it differs");
            assert_eq!(differs.greatest, Some(f64::INFINITY));
        }
    }

    #[test]
    fn bytes_behind_the_last_number_are_compared_as_they_are() {
        let (mut one, mut other) = (f32s(&[1.0]), f32s(&[1.000_001]));
        one.push(7);
        other.push(7);
        assert_eq!(difference(&one, &other, F32), None);
        other[4] = 8;
        let differs = difference(&one, &other, F32).expect("a byte");
        assert_eq!((differs.units, differs.of, differs.offset, differs.float), (1, 1, 4, None));
    }

    #[test]
    #[cfg_attr(miri, ignore = "functions of real numbers are off by chance there")]
    fn a_tolerance_is_advised_where_it_would_do() {
        let advice = |one: &[u8], other: &[u8]| difference(one, other, None).expect("bits differ").accepted_by;
        let small = advice(&f32s(&[1.0, 3.0]), &f32s(&[1.0, 3.000_001]));
        assert_eq!(small, Some(Tolerance { float: FloatType::F32, relative: 1e-6 }));
        assert_eq!(difference(&f32s(&[3.0]), &f32s(&[3.000_001]), small), None);
        let small = advice(&f64s(&[1.0, 0.1]), &f64s(&[1.0, 0.1 + 1e-16])).expect("f64");
        assert_eq!(small.float, FloatType::F64);
        assert_eq!(advice(&f32s(&[1.0]), &f32s(&[1.1])), None, "they are far apart");
        let integers = |values: [u32; 2]| values.map(u32::to_ne_bytes).concat();
        assert_eq!(advice(&integers([1_000_000, 5]), &integers([1_000_001, 5])), None, "no usual numbers");
    }
}
