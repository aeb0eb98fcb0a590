//! The `-ocr:` arguments of a command line.

use super::{Description, Request, find};
use crate::directory::from_start;
use ocr_base::text::Readable;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Options of OCR-Vx that say which machines there are, or when a run is saved to go on from there. They are taken
/// out of the arguments as well, and have no effect.
const WITHOUT_VALUE: &[&str] = &["client", "load"];
const WITH_VALUE: &[&str] = &["boot-file", "fake-nodes", "master-addr", "master-of", "port", "save"];

/// What `-ocr:` arguments have given.
#[derive(Clone)]
pub struct GivenArguments {
    pub(super) settings: Vec<(&'static Description, OsString)>,
    /// The settings file, by its full name if it was named by an argument.
    pub file: Option<PathBuf>,
    /// What they ask for besides.
    pub request: Request,
}

impl GivenArguments {
    /// The settings of a command line without `-ocr:` arguments.
    pub const NOTHING: GivenArguments = GivenArguments { settings: Vec::new(), file: None, request: Request::Run };

    /// Adds what was given later, which wins.
    pub fn add(&mut self, later: GivenArguments) {
        self.settings.extend(later.settings);
        self.file = later.file.or(self.file.take());
        self.request = later.request;
    }

    /// Takes `-ocr:` arguments out of `args`, whose first is the program's name.
    pub fn take_from(args: &mut Vec<OsString>) -> Result<GivenArguments, String> {
        let mut given = GivenArguments::NOTHING;
        let mut rest = Vec::with_capacity(args.len());
        let mut words = std::mem::take(args).into_iter();
        rest.extend(words.next());
        while let Some(word) = words.next() {
            // OCR-Vx writes its options with two hyphens.
            let bytes = word.as_bytes();
            let Some(option) = bytes.strip_prefix(b"-ocr:").or_else(|| bytes.strip_prefix(b"--ocr:")) else {
                rest.push(word);
                continue;
            };
            let (option, mut value) = match option.iter().position(|&byte| byte == b'=') {
                Some(at) => {
                    let value = option[at + 1..].to_vec();
                    (&option[..at], Some(OsString::from_vec(value)))
                }
                None => (option, None),
            };
            let (text, option) = (Readable(bytes), Readable(option).to_string());
            let mut value = || value.take().or_else(|| words.next()).ok_or_else(|| format!("{text} wants a value"));
            match option.as_str() {
                "help" => given.request = Request::Help,
                "version" => given.request = Request::Version,
                // Drivers of programs append `-ocr:cfg $OCR_CONFIG`, and this runtime needs no file.
                "cfg" => given.file = value().ok().map(settings_file).transpose()?,
                "num-threads" => given.settings.push((find("workers")?, value()?)),
                name if WITHOUT_VALUE.contains(&name) => {}
                name if WITH_VALUE.contains(&name) => drop(value()?),
                name => {
                    let setting = find(name).map_err(|message| format!("{text}: {message}"))?;
                    given.settings.push((setting, value()?));
                }
            }
        }
        *args = rest;
        Ok(given)
    }
}

/// The full name of a settings file that an argument has named. An empty one is as none.
fn settings_file(name: OsString) -> Result<PathBuf, String> {
    if name.is_empty() {
        Ok(PathBuf::new())
    } else {
        from_start(Path::new(&name)).map_err(|error| format!("-ocr:cfg: {error}"))
    }
}
