//! The kernels of a template, as another node builds them.
//!
//! Their text goes once to each node, in parts that fit messages, before the first EDT that may run them there. From
//! then on the sender names them by the address of its [`Code`](crate::object::code::Code), which lives as long as the
//! run and never changes: a template that gets another kernel has another one.

use crate::engine::nodes::functions;
use crate::engine::nodes::new_edt::{read_home, write_home};
use crate::engine::nodes::wire::{Reader, Writer};
use crate::link::LONGEST_MESSAGE;
use crate::object::code::{Kernel, NdRangeFunction};
use std::mem;

/// How many bytes of a text go with a message.
pub(crate) const PART: usize = LONGEST_MESSAGE / 2;

/// Whether other nodes find the functions that kernels have. They do not find one that is in no file.
pub(crate) fn can_go(kernels: &[Kernel]) -> bool {
    kernels.iter().all(|kernel| kernel.range.is_none_or(|range| functions::home_of_address(range as usize).is_some()))
}

/// The text of kernels.
pub(crate) fn text_of(kernels: &[Kernel]) -> Vec<u8> {
    let mut out = Writer::default();
    for kernel in kernels {
        out.bytes(&kernel.source);
        out.bytes(&kernel.options);
        out.text(&kernel.name);
        out.u32(kernel.result_slot);
        let home = kernel.range.and_then(|range| functions::home_of_address(range as usize));
        write_home(&mut out, home.as_ref());
    }
    out.0
}

/// The kernels of a text, which are built nowhere, and the names of those whose function this process does not have.
/// None where that is no whole text.
pub(crate) fn read(text: &[u8]) -> Option<(Vec<Kernel>, Vec<String>)> {
    let mut from = Reader(text);
    let (mut kernels, mut left_out) = (Vec::new(), Vec::new());
    while !from.0.is_empty() {
        let (source, options) = (from.bytes()?.into(), from.bytes()?.to_vec());
        let (name, result_slot) = (from.text()?, from.u32()?);
        let range = match read_home(&mut from)? {
            None => None,
            Some(home) => {
                let Some(at) = functions::find_address(&home) else {
                    left_out.push(name);
                    continue;
                };
                // SAFETY: the other node has found a function of this type at this distance in a file with the same
                // build ID, which is loaded here.
                Some(unsafe { mem::transmute::<usize, NdRangeFunction>(at) })
            }
        };
        kernels.push(Kernel { source, options, name, range, result_slot, built: Vec::new() });
    }
    Some((kernels, left_out))
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use crate::engine::nodes::new_edt::FunctionHome;
    use crate::object::code::{NO_RESULT, NdRange};

    unsafe extern "C" fn range(_: u32, _: *const u64, _: u32, _: *const u64, _: *mut NdRange) {}

    #[test]
    fn kernels_are_read_from_their_text() {
        let kernel = |name: &str, range: Option<NdRangeFunction>, result_slot| Kernel {
            source: b"__kernel void \xff() {}".as_slice().into(),
            options: b"-DX=\xfe".to_vec(),
            name: name.into(),
            range,
            result_slot,
            built: Vec::new(),
        };
        let all = [kernel("one", Some(range), 3), kernel("", None, NO_RESULT)];
        assert!(can_go(&all));
        let text = text_of(&all);
        assert!(read(&text).is_some_and(|read| read == (all.to_vec(), Vec::new())));
        assert!(read(&text[..text.len() - 1]).is_none());
        let mut of_other = Writer::default();
        of_other.bytes(b"");
        of_other.bytes(b"");
        of_other.text("three");
        of_other.u32(0);
        write_home(&mut of_other, Some(&FunctionHome { build: "no file of this process".into(), distance: 8 }));
        let both = [of_other.0, text].concat();
        assert!(read(&both).is_some_and(|read| read == (all.to_vec(), vec!["three".to_string()])));
        assert!(read(&[]).is_some_and(|(read, _)| read.is_empty()));
    }
}
