//! How messages name an EDT and a data block.

use super::code::Code;
use super::edt::Edt;
use super::guid::Guid;
use std::fmt;

/// An EDT as messages name it: its GUID, and the name of its template.
pub(crate) struct EdtName<'a> {
    guid: Guid,
    work: &'a Code,
}

impl<'a> EdtName<'a> {
    pub(crate) fn of(edt: &'a Edt) -> EdtName<'a> {
        EdtName::new(edt.guid(), edt.work())
    }

    /// Where there may be no EDT any more.
    pub(crate) fn new(guid: Guid, work: &'a Code) -> EdtName<'a> {
        EdtName { guid, work }
    }
}

impl fmt::Display for EdtName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EDT {} ({})", self.guid, self.work.name)
    }
}

/// A data block as messages name it.
pub(crate) struct BlockName(pub(crate) Guid);

impl fmt::Display for BlockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the data block {}", self.0)
    }
}
