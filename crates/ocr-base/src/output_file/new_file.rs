//! A file that does not have its name yet.

use super::signals::without_signals;
use super::system::{InPlace, attributes, open_in_place, reserve};
use super::{OutputFile, OutputPlace};
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Seek};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

/// A file that does not have its name yet. It is removed if it never gets it.
#[derive(Debug)]
pub struct NewFile {
    pub(super) output: OutputFile,
    pub(super) file: File,
    /// Where it is meanwhile; none once it has its name or is gone.
    pub(super) path: Option<PathBuf>,
    /// Whether it may take the place of what has its name.
    pub(super) is_replacement: bool,
    /// Whether it would have been the same without that, but for the content.
    pub(super) is_alike: bool,
}

impl NewFile {
    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether [`finish`](NewFile::finish) gives this file its name, and does not copy it. The file can then be written
    /// when it has its name, too.
    pub fn is_named_early(&self) -> bool {
        self.is_replacement
    }

    /// Gives the file its name, or copies its content to where the name leads. Returns the file.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(self) -> io::Result<File> {
        let output = self.output.clone();
        without_signals(|| self.finish_here()).map_err(|error| output.said(error))
    }

    pub(super) fn finish_here(mut self) -> io::Result<File> {
        if let (true, OutputPlace::Plain(name), Some(path)) = (self.is_replacement, &self.output.place, &self.path) {
            match self.output.give_name(path, name) {
                Ok(()) => {
                    self.path = None;
                    return self.file.try_clone();
                }
                // It is a mount, or another user's file in a sticky folder.
                Err(_) if self.output.identity.is_some() => {}
                Err(error) => return Err(error),
            }
        }
        let bytes = self.file.metadata()?.len();
        self.file.rewind()?;
        let mut to = InPlace(self.output.open()?);
        let is_plain = self.output.plain().is_some();
        if is_plain {
            reserve(&to.0, bytes)?;
        }
        io::copy(&mut self.file, &mut to)?;
        if is_plain {
            to.0.set_len(bytes)?;
        }
        self.file.try_clone()
    }

    /// Gives the file the mode of the one that has the name. Returns whether it may take its place, since nothing would
    /// be lost, and whether it had that mode already.
    pub(super) fn look_like_old(&self) -> io::Result<(bool, bool)> {
        let OutputPlace::Plain(name) = &self.output.place else {
            return Ok((false, false));
        };
        let old = match fs::symlink_metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((true, true)),
            other => other?,
        };
        let new = self.file.metadata()?;
        let is_alike =
            old.is_file() && old.nlink() == 1 && (old.uid(), old.gid(), old.dev()) == (new.uid(), new.gid(), new.dev());
        if !is_alike {
            return Ok((false, false));
        }
        let has_mode = old.mode() == new.mode();
        let mode = Permissions::from_mode(old.mode() & 0o7777);
        self.file.set_permissions(mode)?;
        let before = open_in_place(name)?;
        Ok(match (attributes(&before), attributes(&self.file)) {
            (Ok(before), Ok(now)) => (before == now, before == now && has_mode),
            _ => (false, false),
        })
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}
