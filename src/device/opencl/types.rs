//! The sizes of types that are not built in (`struct`, `union`, `enum`, `typedef`), as the compiler tells them.
//!
//! OpenCL says what an argument's type is called, and not how large it is; and a platform may take whatever size it is
//! given (PoCL 3.1 does for such types). So the source is compiled once more, with the same options, and kernels behind
//! it that are never run: each demands a work-group whose sizes are made of `sizeof` of one type, and OpenCL
//! answers what a kernel demands. Where that does not work, the sizes that a platform takes are
//! tried, and believed where it refuses all others.

use crate::device::host::signature::{ArgKind, Form};
use crate::device::opencl::discovery::RawDevice;
use crate::device::opencl::raw::{OpenclContext, OpenclKernel};
use opencl3::kernel::CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
use std::ffi::{CStr, CString};

/// The numbers of a work-group are small: its size is one that devices have (256 at most).
const DIGIT: usize = 16;
/// What is added to a number, since a work-group has no dimension of size 0.
const SHIFT: usize = 1;

const NUMBER: usize = 1;
const FLOAT: usize = 2;
/// A size that is not known exactly is at least this number of bytes.
const MOST: usize = DIGIT * DIGIT * DIGIT - 1;

/// What the compiler says of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TypeAnswer {
    /// The type is a value of this kind.
    Kind(ArgKind),
    /// The type is a value, and the platform does not tell its size.
    Value,
    /// The type is no value, or the source has no such type behind its kernels.
    Nothing,
}

/// How large the types of these names are, and how they are given, for kernels of this source: in the same order.
pub(crate) fn measure(
    context: &OpenclContext,
    device: RawDevice,
    source: &[u8],
    options: &CStr,
    names: &[&str],
) -> Vec<TypeAnswer> {
    let ask = |names: &[&str], with_form| ask(context, device, source, options, names, with_form);
    ask(names, true).unwrap_or_else(|| {
        // One that does not compile is not to hide the others, and a compiler may know no __builtin_types_compatible_p.
        let alone = |name: &&str| {
            let again = (names.len() > 1).then(|| ask(&[name], true)).flatten();
            again.or_else(|| ask(&[name], false)).map_or(TypeAnswer::Nothing, |told| told[0])
        };
        names.iter().map(alone).collect()
    })
}

/// What the platform tells of these types. None where the questions do not compile.
fn ask(
    context: &OpenclContext,
    device: RawDevice,
    source: &[u8],
    options: &CStr,
    names: &[&str],
    with_form: bool,
) -> Option<Vec<TypeAnswer>> {
    if !names.iter().all(|name| is_plain(name)) {
        return None;
    }
    let mut text = source.to_vec();
    // A last line may be a comment, or end with a backslash.
    text.extend_from_slice(b"\n\n");
    for word in words(names) {
        text.extend_from_slice(format!("#undef {word}\n").as_bytes());
    }
    for (at, name) in names.iter().enumerate() {
        text.extend_from_slice(questions(at, name, with_form).as_bytes());
    }
    let program = context.program(&text).ok()?;
    program.build(device, options).ok()?;
    let numbers = |kernel: String| {
        let name = CString::new(kernel).ok()?;
        let kernel = program.kernel(&name).ok()?;
        let numbers = kernel.work_group_numbers(device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
        // If the platform does not know the types, all of these numbers are 0.
        numbers.iter().all(|&n| n >= SHIFT).then_some(numbers)
    };
    let kind = |at| {
        let [low, middle, _] = numbers(size_kernel(at))?;
        let [high, form, _] = numbers(form_kernel(at))?;
        let digits = [high, middle, low];
        let bytes = (digits.iter()).fold(0, |sum, digit| sum * DIGIT + (digit - SHIFT));
        let form = match form - SHIFT {
            NUMBER => Form::Number,
            FLOAT => Form::Float,
            _ => Form::Bytes,
        };
        (bytes > 0).then_some(ArgKind::Scalar { bytes, form })
    };
    let told = |at| kind(at).map_or(TypeAnswer::Value, TypeAnswer::Kind);
    Some((0..names.len()).map(told).collect())
}

/// Whether it is a name, as `pair` or `struct pair`, that can stand in a source.
fn is_plain(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ' ';
    !name.is_empty() && name.chars().all(is_word)
}

/// What is meant as it is, whatever the source has made of it behind its kernel.
fn words<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let own = "sizeof struct char short int long signed unsigned float half double void";
    let mut words: Vec<&str> = own.split(' ').collect();
    for word in names.iter().flat_map(|name| name.split_whitespace()) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

fn size_kernel(at: usize) -> String {
    format!("ocr_argument_type_{at}_size")
}

fn form_kernel(at: usize) -> String {
    format!("ocr_argument_type_{at}_form")
}

/// Two kernels that are never run.
fn questions(at: usize, name: &str, with_form: bool) -> String {
    let is = |types: &[&str]| {
        let each = types.iter().map(|of| format!("__builtin_types_compatible_p({name}, {of})"));
        each.collect::<Vec<_>>().join(" + ")
    };
    // A member can be no sampler, image or queue, which have a size, too, and are no values.
    let size = format!("(sizeof({name}) + 0 * sizeof(struct {{ {name} ocr_member; }}))");
    let size = format!("({size} > {MOST} ? {MOST} : {size})");
    let numbers = is(&[
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned int",
        "long",
        "unsigned long",
    ]);
    // A double is as wide as a word, and so given like a number.
    let floats = is(&["float", "half"]);
    let form = if with_form { format!("{NUMBER} * ({numbers}) + {FLOAT} * ({floats})") } else { NUMBER.to_string() };
    let digit = |shift: usize| format!("{SHIFT} + ({size} >> {shift} & {})", DIGIT - 1);
    format!(
        "__kernel __attribute__((reqd_work_group_size({}, {}, 1))) void {}(void) {{}}\n\
         __kernel __attribute__((reqd_work_group_size({}, {SHIFT} + {form}, 1))) void {}(void) {{}}\n",
        digit(0),
        digit(4),
        size_kernel(at),
        digit(8),
        form_kernel(at),
    )
}

/// No value is larger, nor are the steps between them.
const TRIED: usize = 128;

/// The size that OpenCL takes for a value, or for an argument of which nothing is known, and refuses all others. A
/// platform that takes several does not look.
pub(crate) fn try_sizes(kernel: &OpenclKernel, index: usize, is_value: bool) -> Option<ArgKind> {
    let index = index as u32;
    let zeros = [0u64; TRIED / 8];
    if !is_value {
        // SAFETY: the value is null, which `Kernel::set` allows with any size: OpenCL reads nothing then.
        let without = |bytes| unsafe { kernel.set(index, bytes, std::ptr::null()) }.is_ok();
        // Local memory may have any size, buffers that of a handle, and a value is needed for all others.
        match (without(1), without(size_of::<usize>())) {
            (true, _) => return Some(ArgKind::Local),
            (false, true) => return Some(ArgKind::Buffer),
            (false, false) => {}
        }
    }
    // SAFETY: the zeros are at least `*bytes` bytes, and a handle of zeros is a null one, which names no object.
    let takes = |bytes: &usize| unsafe { kernel.set(index, *bytes, zeros.as_ptr().cast()) }.is_ok();
    let taken: Vec<usize> = (1..=TRIED).filter(takes).collect();
    let bytes = match taken[..] {
        [bytes] => bytes,
        // Three lanes take the room of four, and some platforms take three, too.
        [three, four] if three * 4 == four * 3 => four,
        _ => return None,
    };
    let form = Form::Number;
    Some(ArgKind::Scalar { bytes, form })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_words() {
        assert!(is_plain("struct pair") && is_plain("real_4"));
        assert!(!is_plain("") && !is_plain("float *") && !is_plain("a; b") && !is_plain("(anonymous)"));
    }

    #[test]
    fn what_a_source_redefines_is_undone() {
        let words = words(&["struct pair", "real"]);
        assert!(words.contains(&"pair") && words.contains(&"real") && words.contains(&"sizeof"));
        assert_eq!(words.iter().filter(|word| **word == "struct").count(), 1);
    }
}
