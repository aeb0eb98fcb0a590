//! What `OCR_CHECKPOINT` asks for: where checkpoints of the run are written, and how often.

use crate::directory::from_start;
use ocr_base::text::Readable;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where checkpoints are written, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckpointSetting {
    /// The directory.
    pub directory: PathBuf,
    /// The time between two of them; none where they are made on request alone.
    pub every: Option<Duration>,
}

impl fmt::Display for CheckpointSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Readable::path(&self.directory).fmt(f)?;
        self.every.map_or(Ok(()), |every| write!(f, ":{}", every.as_secs_f64()))
    }
}

/// The longest time between two checkpoints that is no typing error, in seconds.
const MOST_SECONDS: f64 = 1e7;

/// A directory, or a directory, a colon and a number of seconds. What stands behind the last colon and is no number is
/// a part of the name.
pub(super) fn parse_checkpoint(text: &OsStr) -> Result<Option<CheckpointSetting>, String> {
    let bytes = text.as_bytes();
    let split = bytes.iter().rposition(|&byte| byte == b':').map(|at| (&bytes[..at], &bytes[at + 1..]));
    let number = split.and_then(|(name, rest)| {
        let seconds = std::str::from_utf8(rest).ok()?.parse::<f64>().ok()?;
        Some((name, seconds))
    });
    let (name, every) = match number {
        None => (bytes, None),
        Some((name, seconds)) if seconds > 0.0 && seconds <= MOST_SECONDS => {
            (name, Some(Duration::from_secs_f64(seconds)))
        }
        Some((_, seconds)) => {
            return Err(format!("{seconds} is no time between two checkpoints: it is a number of seconds above 0"));
        }
    };
    if name.is_empty() {
        return Err(format!("\"{}\" names no directory", Readable::os(text)));
    }
    let directory = from_start(Path::new(OsStr::from_bytes(name))).map_err(|error| error.to_string())?;
    Ok(Some(CheckpointSetting { directory, every }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_behind_the_last_colon_is_a_time() {
        let parsed = |text: &str| {
            let setting = parse_checkpoint(OsStr::new(text)).map(|setting| setting.expect("a directory"))?;
            Ok::<_, String>((setting.directory.display().to_string(), setting.every))
        };
        let half = Some(Duration::from_millis(500));
        assert_eq!(parsed("/a/b"), Ok(("/a/b".into(), None)));
        assert_eq!(parsed("/a/b:0.5"), Ok(("/a/b".into(), half)));
        assert_eq!(parsed("/a:7/b:c"), Ok(("/a:7/b:c".into(), None)));
        for wrong in ["/a:0", "/a:-1", "/a:nan", "/a:inf", ":1"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
