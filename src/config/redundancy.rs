//! What `OCR_REDUNDANT` asks for: how many runs each EDT has, and how far their numbers may be apart.

use super::values::word;
use std::fmt;

/// How EDTs that have a C function and a kernel are run, so that what these leave can be compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Redundancy {
    /// How many runs an EDT has: one as its function, and one or two as a kernel.
    pub runs: usize,
    /// How far numbers may be apart. None: all bits must be the same.
    pub tolerance: Option<Tolerance>,
}

/// How far the numbers of two contents may be apart.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// The type of the numbers.
    pub float: FloatType,
    /// The part of the larger of two numbers by which they may be apart.
    pub relative: f64,
}

/// The type of the numbers that blocks are compared as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatType {
    /// `float`, of 4 bytes.
    F32,
    /// `double`, of 8 bytes.
    F64,
}

impl FloatType {
    /// How many bytes a number has.
    pub fn bytes(self) -> usize {
        match self {
            FloatType::F32 => 4,
            FloatType::F64 => 8,
        }
    }

    /// How far numbers may be apart where the setting names the type alone.
    fn usual(self) -> f64 {
        match self {
            FloatType::F32 => 1e-5,
            FloatType::F64 => 1e-12,
        }
    }
}

impl fmt::Display for FloatType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FloatType::F32 => "f32",
            FloatType::F64 => "f64",
        })
    }
}

impl fmt::Display for Redundancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.runs)?;
        match self.tolerance {
            None => Ok(()),
            Some(Tolerance { float, relative }) => write!(f, ":{float}:{relative:e}"),
        }
    }
}

/// Reads the setting. The error is for people.
pub(super) fn parse_redundancy(text: &str) -> Result<Option<Redundancy>, String> {
    let lower = word(text);
    let mut parts = lower.split(':').map(str::trim);
    let mut read = || {
        let runs = match parts.next()? {
            "off" | "0" | "1" => return parts.next().is_none().then_some(None),
            "2" => 2,
            "3" => 3,
            _ => return None,
        };
        let float = match parts.next() {
            None => return Some(Some(Redundancy { runs, tolerance: None })),
            Some("f32") => FloatType::F32,
            Some("f64") => FloatType::F64,
            Some(_) => return None,
        };
        let relative = match parts.next() {
            None => float.usual(),
            Some(number) => number.parse().ok().filter(|part| (0.0..1.0).contains(part))?,
        };
        let tolerance = Some(Tolerance { float, relative });
        parts.next().is_none().then_some(Some(Redundancy { runs, tolerance }))
    };
    read().ok_or_else(|| {
        format!(
            "\"{text}\" is none of off, 2 and 3, nor 2 or 3 with the type of numbers and the part of a number by which \
             two may be apart, as 2:f32 or 2:f64:1e-9"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let read = parse_redundancy(text).ok()?;
        Some(read.map_or("off".to_string(), |read| read.to_string()))
    }

    #[test]
    fn a_number_of_runs_may_have_a_type_and_a_tolerance() {
        for (text, wanted) in [
            ("off", "off"),
            ("0", "off"),
            ("1", "off"),
            ("2", "2"),
            ("3", "3"),
            ("2:f32", "2:f32:1e-5"),
            (" 3:F64 ", "3:f64:1e-12"),
            ("2:f64:0.25", "2:f64:2.5e-1"),
            ("2:f32:0", "2:f32:0e0"),
        ] {
            assert_eq!(read(text).as_deref(), Some(wanted), "{text}");
        }
        for wrong in
            ["", "4", "2:", "2:1e-5", "2:f16", "2:f32:", "2:f32:1", "2:f32:nan", "2:f32:-1", "2:f32:1e-5:1", "off:f32"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
