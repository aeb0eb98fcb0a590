//! Which entries a filter means, and the words for them, in the text and in JSON.

use ocr_place::model::{Content, CopyEntry, Direction, ModelEntry};

/// Whether the place or a name of an entry contains the filter. True without a filter.
pub(crate) fn matches(content: &Content, entry: &ModelEntry, filter: Option<&str>) -> bool {
    let key = &entry.key;
    let names = [&content.place, &key.program, &key.template, &key.variant];
    filter.is_none_or(|filter| names.iter().any(|name| name.contains(filter)))
}

/// Whether the place of a file, or the word "copies", contains the filter, so that what is known of copies is meant.
/// True without a filter.
pub(crate) fn shows_copies(content: &Content, filter: Option<&str>) -> bool {
    filter.is_none_or(|filter| content.place.contains(filter) || "copies".contains(filter))
}

/// The word for which way copies go: to the device, or from it.
pub(crate) fn direction(copy: &CopyEntry) -> &'static str {
    match copy.direction {
        Direction::ToDevice => "to",
        Direction::FromDevice => "from",
    }
}
