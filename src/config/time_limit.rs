//! What `OCR_TIME_LIMIT` asks for: how long the function of an EDT may run.

use super::values::{MAX_PATIENCE, word};
use std::fmt;
use std::time::Duration;

/// The most times of what a hint says; more is a typing error.
const MAX_TIMES: u32 = 1_000_000;

/// The least limit of a function, whatever its hint says: a system that runs other threads takes as long.
const LEAST: Duration = Duration::from_millis(100);

/// How long the function of an EDT may run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeLimit {
    /// All have this limit.
    Seconds(u64),
    /// An EDT with `OCR_HINT_EDT_TIME` has so many times that, and at least a tenth of a second. Others have none.
    TimesHint(u32),
}

impl TimeLimit {
    /// The limit of an EDT whose `OCR_HINT_EDT_TIME` has this value, in nanoseconds; none where it has no limit.
    pub fn of(self, hint: Option<u64>) -> Option<Duration> {
        match self {
            TimeLimit::Seconds(seconds) => Some(Duration::from_secs(seconds)),
            TimeLimit::TimesHint(times) => {
                let ns = hint.filter(|&ns| ns != 0)?.saturating_mul(times.into());
                Some(Duration::from_nanos(ns).max(LEAST))
            }
        }
    }

    /// The least limit that an EDT can have.
    pub fn least(self) -> Duration {
        match self {
            TimeLimit::Seconds(seconds) => Duration::from_secs(seconds),
            TimeLimit::TimesHint(_) => LEAST,
        }
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeLimit::Seconds(seconds) => seconds.fmt(f),
            TimeLimit::TimesHint(times) => write!(f, "{times}x"),
        }
    }
}

pub(super) fn parse_time_limit(text: &str) -> Result<Option<TimeLimit>, String> {
    let given = word(text);
    let number = |text: &str, most: u64| text.parse().ok().filter(|number| (1..=most).contains(number));
    let limit = match given.strip_suffix('x') {
        Some(times) => number(times, MAX_TIMES.into()).map(|times| TimeLimit::TimesHint(times as u32)),
        None if matches!(&*given, "off" | "0") => return Ok(None),
        None => number(&given, MAX_PATIENCE).map(TimeLimit::Seconds),
    };
    limit.map(Some).ok_or_else(|| {
        format!(
            "\"{text}\" is neither off, a number of seconds from 1 to {MAX_PATIENCE}, nor a number from 1 to {MAX_TIMES} \
             with an x, as in 10x, for so many times OCR_HINT_EDT_TIME"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_of_all_edts_or_by_their_hints() {
        let parse = |text| parse_time_limit(text).expect("it is right");
        assert_eq!((parse("off"), parse("3")), (None, Some(TimeLimit::Seconds(3))));
        let times = parse("10X").expect("it is one");
        let limits = [None, Some(0), Some(1), Some(30_000_000), Some(u64::MAX)].map(|hint| times.of(hint));
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!(limits, [None, None, ms(100), ms(300), Some(Duration::from_nanos(u64::MAX))]);
        for wrong in ["", "x", "0x", "-1", "1.5", "10 x", "1000001x"] {
            assert!(parse_time_limit(wrong).is_err(), "{wrong}");
        }
    }
}
