//! How the contributions to a collective event are combined: `redOp_t` of
//! `extensions/ocr-reduction-event.h`.
//!
//! Contributions are combined from the first contributor to the last, whatever order they came in,
//! so a sum of real numbers is the same in every run, and an operator need not commute.

use serde::{Deserialize, Serialize};

/// A valid `redOp_t`. From bit 0: associative (1), commutative (1), bytes of an element less one
/// (3), signed (1), real (1), operation (3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Operator(u16);

const REAL: u16 = 1 << 6;
const SIGNED: u16 = 1 << 5;
const BITS: u32 = 10;

/// What is done with two elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    Add,
    Multiply,
    Minimum,
    Maximum,
    And,
    Or,
    ExclusiveOr,
}

impl Operator {
    /// The operator with these bits; `None` where there is no such element or operation.
    pub fn from_bits(bits: u16) -> Option<Operator> {
        let operator = Operator(bits);
        let bitwise = matches!(operator.operation()?, Operation::And | Operation::Or | Operation::ExclusiveOr);
        let valid = match operator.bytes() {
            4 | 8 if bits & REAL != 0 => !bitwise,
            1 | 2 | 4 | 8 => bits & REAL == 0,
            _ => false,
        };
        (valid && bits >> BITS == 0).then_some(operator)
    }

    fn operation(self) -> Option<Operation> {
        Some(match self.0 >> 7 & 7 {
            0 => Operation::Add,
            1 => Operation::Multiply,
            2 => Operation::Minimum,
            3 => Operation::Maximum,
            4 => Operation::And,
            5 => Operation::Or,
            6 => Operation::ExclusiveOr,
            _ => return None,
        })
    }

    /// The bits that it was made of.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The size of an element.
    pub fn bytes(self) -> usize {
        (self.0 >> 2 & 7) as usize + 1
    }

    /// Combines contributions, which stand one behind the other in `all`, to `result`, which is as
    /// long as each of them. There is at least one.
    pub fn combine(self, all: &[u8], result: &mut [u8]) {
        match (self.bytes(), self.0 & REAL != 0, self.0 & SIGNED != 0) {
            (1, _, false) => self.combine_as::<u8>(all, result),
            (2, _, false) => self.combine_as::<u16>(all, result),
            (4, false, false) => self.combine_as::<u32>(all, result),
            (8, false, false) => self.combine_as::<u64>(all, result),
            (1, _, true) => self.combine_as::<i8>(all, result),
            (2, _, true) => self.combine_as::<i16>(all, result),
            (4, false, true) => self.combine_as::<i32>(all, result),
            (8, false, true) => self.combine_as::<i64>(all, result),
            (4, true, _) => self.combine_as::<f32>(all, result),
            _ => self.combine_as::<f64>(all, result),
        }
    }

    fn combine_as<T: Element>(self, all: &[u8], result: &mut [u8]) {
        let (first, others) = all.split_at(result.len());
        result.copy_from_slice(first);
        for other in others.chunks_exact(result.len()) {
            match self.operation() {
                Some(Operation::Add) => fold(other, result, T::add),
                Some(Operation::Multiply) => fold(other, result, T::multiply),
                Some(Operation::Minimum) => fold(other, result, T::minimum),
                Some(Operation::Maximum) => fold(other, result, T::maximum),
                Some(Operation::And) => fold(other, result, T::and),
                Some(Operation::Or) => fold(other, result, T::or),
                Some(Operation::ExclusiveOr) => fold(other, result, T::exclusive_or),
                None => unreachable!("a valid operator has an operation"),
            }
        }
    }
}

fn fold<T: Element>(other: &[u8], result: &mut [u8], f: impl Fn(T, T) -> T) {
    let size = size_of::<T>();
    for (place, other) in result.chunks_exact_mut(size).zip(other.chunks_exact(size)) {
        f(T::load(place), T::load(other)).store(place);
    }
}

/// A number that contributions consist of.
trait Element: Copy {
    fn load(bytes: &[u8]) -> Self;
    fn store(self, bytes: &mut [u8]);
    fn add(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn minimum(self, other: Self) -> Self;
    fn maximum(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn exclusive_or(self, other: Self) -> Self;
}

/// Integers wrap around. Of a number and a NaN the minimum and the maximum are the number. Bits of
/// real numbers are not combined: `from_bits` refuses that.
macro_rules! element {
    ($type:ty, $min:expr, $max:expr, $add:expr, $multiply:expr, $and:expr, $or:expr, $xor:expr) => {
        impl Element for $type {
            fn load(bytes: &[u8]) -> Self {
                match bytes.try_into() {
                    Ok(bytes) => <$type>::from_ne_bytes(bytes),
                    Err(_) => unreachable!("elements are taken in their size"),
                }
            }
            fn store(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }
            fn add(self, other: Self) -> Self {
                $add(self, other)
            }
            fn multiply(self, other: Self) -> Self {
                $multiply(self, other)
            }
            fn minimum(self, other: Self) -> Self {
                $min(self, other)
            }
            fn maximum(self, other: Self) -> Self {
                $max(self, other)
            }
            fn and(self, other: Self) -> Self {
                $and(self, other)
            }
            fn or(self, other: Self) -> Self {
                $or(self, other)
            }
            fn exclusive_or(self, other: Self) -> Self {
                $xor(self, other)
            }
        }
    };
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        element!(
            $type, Ord::min, Ord::max, <$type>::wrapping_add, <$type>::wrapping_mul,
            |a, b| a & b, |a, b| a | b, |a, b| a ^ b
        );
    )*};
}

macro_rules! reals {
    ($($type:ty)*) => {$(
        element!(
            $type, <$type>::min, <$type>::max, |a, b| a + b, |a, b| a * b,
            |a, _| a, |a, _| a, |a, _| a
        );
    )*};
}

integers! { u8 u16 u32 u64 i8 i16 i32 i64 }
reals! { f32 f64 }

#[cfg(test)]
mod tests {
    use super::*;

    /// The operations, by their numbers.
    const ALL: [fn(i128, i128) -> i128; 7] = [
        |a, b| a + b,
        |a, b| a.wrapping_mul(b),
        |a, b| a.min(b),
        |a, b| a.max(b),
        |a, b| a & b,
        |a, b| a | b,
        |a, b| a ^ b,
    ];

    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    /// All integer types and operations against numbers that are wide enough to be right.
    #[test]
    fn integers_are_combined_as_wide_ones_cut_to_size() {
        let mut state = 1;
        for (bytes, signed) in [1, 2, 4, 8].into_iter().flat_map(|b| [(b, false), (b, true)]) {
            for (operation, model) in (0u16..).zip(ALL) {
                let bits = operation << 7 | (signed as u16) << 5 | (bytes as u16 - 1) << 2;
                let operator = Operator::from_bits(bits).expect("an operator");
                assert_eq!(operator.bytes(), bytes);
                let wide = |word: u64| {
                    let shift = 64 - 8 * bytes as u32;
                    if signed { ((word << shift) as i64 >> shift) as i128 } else { (word << shift >> shift) as i128 }
                };
                let words: Vec<u64> = (0..5 * 7).map(|_| random(&mut state)).collect();
                let all: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()[..bytes].to_vec()).collect();
                let mut result = vec![0; 7 * bytes];
                operator.combine(&all, &mut result);
                for at in 0..7 {
                    let right = (0..5).map(|rank| wide(words[7 * rank + at])).reduce(|a, b| wide(model(a, b) as u64));
                    let mut word = [0; 8];
                    word[..bytes].copy_from_slice(&result[at * bytes..][..bytes]);
                    let right = right.expect("five contributions");
                    assert_eq!(wide(u64::from_le_bytes(word)), right, "{operator:?}");
                }
            }
        }
    }

    #[test]
    fn reals_are_combined_in_the_order_of_contributors() {
        let numbers = [1e16, 1.0, -1e16, 3.0, -0.5];
        let models: [fn(f64, f64) -> f64; 4] = [|a, b| a + b, |a, b| a * b, f64::min, f64::max];
        for (operation, model) in models.into_iter().enumerate() {
            for bytes in [4, 8] {
                let bits = (operation as u16) << 7 | REAL | SIGNED | (bytes - 1) << 2 | 3;
                let operator = Operator::from_bits(bits).expect("an operator");
                let right = numbers.into_iter().reduce(model).expect("numbers");
                let mut result = [0; 8];
                if bytes == 8 {
                    let all: Vec<u8> = numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
                    operator.combine(&all, &mut result);
                    assert_eq!(f64::from_ne_bytes(result), right);
                } else {
                    let all = numbers.iter().flat_map(|&n| (n as f32).to_ne_bytes());
                    operator.combine(&all.collect::<Vec<u8>>(), &mut result[..4]);
                    let right =
                        numbers.into_iter().reduce(|a, b| model(a as f32 as f64, b as f32 as f64) as f32 as f64);
                    let result = [result[0], result[1], result[2], result[3]];
                    assert_eq!(Some(f32::from_ne_bytes(result) as f64), right);
                }
            }
        }
        let minimum = Operator::from_bits(2 << 7 | REAL | 7 << 2).expect("an operator");
        let mut result = [0; 8];
        let all = [f64::NAN.to_ne_bytes(), 2f64.to_ne_bytes()].concat();
        minimum.combine(&all, &mut result);
        assert_eq!(f64::from_ne_bytes(result), 2.0);
    }

    #[test]
    fn what_is_no_operator_is_refused() {
        for bits in 0..=u16::MAX {
            let (size, real, operation) = (bits >> 2 & 7, bits & REAL != 0, bits >> 7 & 7);
            let right =
                bits < 1024 && matches!(size, 0 | 1 | 3 | 7) && operation != 7 && (!real || size >= 3 && operation < 4);
            assert_eq!(Operator::from_bits(bits).is_some(), right, "{bits:#x}");
        }
    }
}
