//! What `OCR_RETRY` asks for: how often an EDT whose function crashes, or whose kernel fails, runs again.

use super::values::word;
use std::fmt;

/// The most times that an EDT may run again; more is a typing error.
const MAX_RETRIES: u32 = 1000;

/// Whether an EDT whose function crashes, or whose kernel fails, is undone and runs again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retry {
    /// It is not: the crash ends the program, and a kernel runs only where it has not failed.
    Off,
    /// An EDT runs again this number of times, at least once.
    Times(u32),
    /// The first attempt of each EDT is undone on purpose when its function has returned, to test that it can be.
    Verify,
}

impl Retry {
    /// Whether EDTs run as attempts.
    pub fn is_on(self) -> bool {
        self != Retry::Off
    }

    /// Whether an EDT that has failed runs again, so that kernels have to be undone, too.
    pub fn runs_again(self) -> bool {
        matches!(self, Retry::Times(_))
    }

    /// What the setting is for an EDT whose `OCR_HINT_EDT_RETRY` has this value; the setting itself if it has none.
    pub fn with_hint(self, hint: Option<u64>) -> Retry {
        match (self, hint) {
            (_, Some(0)) => Retry::Off,
            (Retry::Times(_), Some(times)) => Retry::Times(times.min(MAX_RETRIES.into()) as u32),
            (retry, _) => retry,
        }
    }
}

impl fmt::Display for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Retry::Off => f.write_str("off"),
            Retry::Times(times) => times.fmt(f),
            Retry::Verify => f.write_str("verify"),
        }
    }
}

pub(super) fn parse_retry(text: &str) -> Result<Retry, String> {
    match &*word(text) {
        "off" | "0" => Ok(Retry::Off),
        "verify" => Ok(Retry::Verify),
        text => (text.parse().ok().filter(|times| (1..=MAX_RETRIES).contains(times)).map(Retry::Times))
            .ok_or_else(|| format!("\"{text}\" is neither off, verify, nor a number from 1 to {MAX_RETRIES}")),
    }
}
