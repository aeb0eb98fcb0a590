//! What arguments a kernel takes, as the compiler tells it, and which values fit them.

use crate::device::BlockArg;
use crate::device::opencl::discovery::{number, text};
use ocr_base::text::Counted;
use opencl3::kernel::{
    CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ACCESS_QUALIFIER, CL_KERNEL_ARG_ADDRESS_CONSTANT,
    CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_NAME,
    CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_TYPE_PIPE, CL_KERNEL_ARG_TYPE_QUALIFIER, CL_KERNEL_NUM_ARGS,
    get_kernel_arg_data, get_kernel_data,
};
use opencl3::types::cl_kernel;

/// What may stand in an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// A pointer to `global` memory: a block.
    Buffer,
    /// A pointer to `constant` memory: a block, for which the device may have a limit of its own.
    Constant,
    /// A value of this many bytes: a parameter.
    Scalar {
        /// The size of the argument.
        bytes: usize,
        /// How a parameter's word becomes the value.
        form: Form,
    },
    /// A pointer to `local` memory: nothing can be given for it.
    Local,
    /// An image, a sampler, a pipe or a queue: nothing can be given for it.
    Unsupported,
    /// A value of a type that is not built in, and whose size the compiler has not reported: nothing can be given for
    /// it.
    Unsized,
    /// An argument about which the platform tells nothing: nothing can be given for it.
    Unknown,
}

/// How a parameter's word becomes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A number, or bits of which nothing is known: the low bytes of the word. The others extend it, by zeros or its
    /// sign.
    Number,
    /// A `float` or `half`: the low bytes of the word. The others are 0, since the bits stand for no number whose sign
    /// could be extended.
    Float,
    /// A `struct`, a `union` or a vector: the bytes of the word that come first in memory.
    Bytes,
}

/// The arguments of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// What may stand in each.
    pub args: Vec<ArgKind>,
    /// Each argument as in the source, `global float *a`; empty where the platform does not tell.
    pub(crate) texts: Vec<String>,
    /// The names of the types that are not built in, of arguments that are [`ArgKind::Unsized`].
    pub(crate) unsized_types: Vec<(usize, String)>,
}

impl Signature {
    /// Asks OpenCL about a kernel.
    pub(crate) fn of(kernel: cl_kernel) -> Self {
        let count = number(get_kernel_data(kernel, CL_KERNEL_NUM_ARGS)) as usize;
        let mut signature =
            Signature { args: Vec::with_capacity(count), texts: Vec::with_capacity(count), unsized_types: Vec::new() };
        for index in 0..count {
            let (kind, type_name, text) = describe(kernel, index as u32);
            if kind == ArgKind::Unsized {
                signature.unsized_types.push((index, type_name));
            }
            signature.args.push(kind);
            signature.texts.push(text);
        }
        signature
    }

    /// The argument, for the middle of a message: `argument 0, 'int n'`.
    pub(crate) fn named(&self, index: usize) -> String {
        match self.texts.get(index).map_or("", |text| text) {
            "" => format!("argument {index} (OpenCL does not tell its type)"),
            text => format!("argument {index}, '{text}'"),
        }
    }

    /// All arguments, as in the source.
    fn list(&self) -> String {
        let text = |text: &String| {
            if text.is_empty() { "one of a type that OpenCL does not tell".to_string() } else { text.clone() }
        };
        let texts: Vec<String> = self.texts.iter().map(text).collect();
        texts.join(", ")
    }

    /// Checks the arguments against `paramc` parameters and `depc` pre-slots, of which only the first `blocks` are sure
    /// to have blocks: the kernel need not have arguments for the others.
    ///
    /// # Errors
    /// As for [`Signature::check`].
    pub fn check_slots(&self, paramc: usize, blocks: usize, depc: usize) -> Result<(), String> {
        let takes = self.args.len().checked_sub(paramc);
        let takes = takes.filter(|takes| (blocks..=depc).contains(takes));
        self.check(paramc, takes.unwrap_or(depc))
    }

    /// Where the kernel takes all parameters and has no argument for the last pre-slots, and one of these
    /// has a block: a message for people that names the first.
    pub(crate) fn without_argument(&self, paramc: usize, blocks: &[Option<BlockArg>]) -> Option<String> {
        let takes = self.args.len().checked_sub(paramc)?;
        let mut beyond = blocks.iter().enumerate().skip(takes);
        let (slot, block) = beyond.find_map(|(slot, arg)| Some((slot, arg.as_ref()?.block.guid())))?;
        Some(format!(
            "the kernel has no argument for pre-slot {slot}, which has the data block {block}: it takes {} ({}) for {} \
             and {}. A last pre-slot without an argument can only order: connect it in \
             mode DB_MODE_NULL, or satisfy it with NULL_GUID; or give the kernel a pointer for it",
            plural(self.args.len(), "argument"),
            self.list(),
            plural(paramc, "parameter"),
            plural(blocks.len(), "pre-slot"),
        ))
    }

    /// Whether `paramc` parameters, then `depc` blocks, are what the kernel takes.
    ///
    /// # Errors
    /// A message for people that names the first argument that does not agree, its type and name.
    pub fn check(&self, paramc: usize, depc: usize) -> Result<(), String> {
        if self.args.len() != paramc + depc {
            let list = if self.args.is_empty() { String::new() } else { format!(" ({})", self.list()) };
            return Err(format!(
                "the kernel takes {}{list}, and is given {} and {}",
                plural(self.args.len(), "argument"),
                plural(paramc, "parameter"),
                plural(depc, "block"),
            ));
        }
        for (i, kind) in self.args.iter().enumerate() {
            let fault = match kind {
                ArgKind::Scalar { bytes, .. } if i < paramc && *bytes <= 8 => continue,
                ArgKind::Buffer | ArgKind::Constant if i >= paramc => continue,
                ArgKind::Scalar { bytes, .. } if i < paramc => format!(
                    "a value of {bytes} bytes, and a parameter has 8: give the kernel its parts as parameters of \
                     their own, or all of it in a data block, by a pointer"
                ),
                ArgKind::Scalar { .. } => "a value, and blocks go to pointers: the parameters come first".to_string(),
                ArgKind::Buffer | ArgKind::Constant => "a pointer, and parameters go to values".to_string(),
                ArgKind::Local => "a pointer to local memory, for which nothing can be given: \
                                   declare the array in the kernel"
                    .to_string(),
                ArgKind::Unsupported => {
                    "an image, a sampler, a pipe or a queue, for which nothing can be given: let the kernel read a \
                     data block, by a pointer"
                        .to_string()
                }
                ArgKind::Unsized => "of a type whose size the compiler of this device does not tell, so that \
                                     nothing can be given for it: declare the type before the kernel, outside of its \
                                     parameters, or take built-in types, or a pointer to a data block"
                    .to_string(),
                ArgKind::Unknown => "of a type that the device's OpenCL does not tell, so that nothing can be given \
                                     for it: it knows no -cl-kernel-arg-info and does not check what is given"
                    .to_string(),
            };
            let given = if i < paramc { format!("parameter {i}") } else { format!("the block of slot {}", i - paramc) };
            return Err(format!("{}, gets {given}; it is {fault}", self.named(i)));
        }
        Ok(())
    }
}

fn plural(n: usize, word: &str) -> String {
    Counted(n as u64, word).to_string()
}

/// What may stand in an argument, its type's name, and its declaration.
fn describe(kernel: cl_kernel, index: u32) -> (ArgKind, String, String) {
    let ask = |what| get_kernel_arg_data(kernel, index, what);
    let address = ask(CL_KERNEL_ARG_ADDRESS_QUALIFIER);
    let type_name = text(ask(CL_KERNEL_ARG_TYPE_NAME));
    if address.is_err() || type_name.is_empty() {
        return (ArgKind::Unknown, String::new(), String::new());
    }
    let address = number(address) as u32;
    let name = text(ask(CL_KERNEL_ARG_NAME));
    let access = ask(CL_KERNEL_ARG_ACCESS_QUALIFIER);
    let has_access = access.is_ok() && number(access) as u32 != CL_KERNEL_ARG_ACCESS_NONE;
    let qualifier = number(ask(CL_KERNEL_ARG_TYPE_QUALIFIER));
    let is_pipe = qualifier & u64::from(CL_KERNEL_ARG_TYPE_PIPE) != 0;
    let (kind, space) = match address {
        _ if has_access || is_pipe || is_opaque(&type_name) => (ArgKind::Unsupported, ""),
        CL_KERNEL_ARG_ADDRESS_GLOBAL => (ArgKind::Buffer, "global "),
        CL_KERNEL_ARG_ADDRESS_CONSTANT => (ArgKind::Constant, "constant "),
        CL_KERNEL_ARG_ADDRESS_LOCAL => (ArgKind::Local, "local "),
        _ => match built_in(&type_name) {
            Some((bytes, form)) => (ArgKind::Scalar { bytes, form }, ""),
            None => (ArgKind::Unsized, ""),
        },
    };
    let declaration = declaration(space, &type_name, &name);
    (kind, type_name, declaration)
}

/// Whether OpenCL C itself has a type of this name that is neither a value nor a pointer.
fn is_opaque(type_name: &str) -> bool {
    let is_image = || type_name.starts_with("image") && type_name.ends_with("_t");
    matches!(type_name, "sampler_t" | "event_t" | "queue_t" | "clk_event_t" | "reserve_id_t") || is_image()
}

fn declaration(space: &str, type_name: &str, name: &str) -> String {
    let (base, star) = match type_name.strip_suffix('*') {
        Some(base) => (base.trim_end(), "*"),
        None => (type_name, ""),
    };
    format!("{space}{base} {star}{name}").trim_end().to_string()
}

/// Bytes and form of an OpenCL C type that can be passed by value; `None` for a name that is not built in.
fn built_in(name: &str) -> Option<(usize, Form)> {
    let name = name.trim();
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = match &name[base.len()..] {
        "" => 1,
        // Three lanes take the room of four.
        "3" => 4,
        digits => digits.parse::<usize>().ok().filter(|n| matches!(n, 2 | 4 | 8 | 16))?,
    };
    let (bytes, form) = match base {
        "char" | "uchar" | "signed char" | "unsigned char" => (1, Form::Number),
        "short" | "ushort" | "unsigned short" => (2, Form::Number),
        "int" | "uint" | "unsigned int" | "unsigned" => (4, Form::Number),
        "long" | "ulong" | "unsigned long" | "double" => (8, Form::Number),
        "half" => (2, Form::Float),
        "float" => (4, Form::Float),
        _ => return None,
    };
    let form = if lanes == 1 { form } else { Form::Bytes };
    Some((bytes * lanes, form))
}

/// Whether the value fits an argument of `bytes` bytes: unsigned, or by sign extension.
fn fits(value: u64, bytes: usize) -> bool {
    if bytes >= 8 {
        return bytes == 8;
    }
    let spare = 64 - 8 * bytes as u32;
    let unsigned = (value << spare) >> spare;
    let signed = (((value << spare) as i64) >> spare) as u64;
    value == unsigned || value == signed
}

impl Form {
    /// The bytes of a value of `bytes` bytes, at most 8, for which this word is given; `None` if it does not fit.
    pub(crate) fn value_of(self, word: &[u8; 8], bytes: usize) -> Option<&[u8]> {
        let number = u64::from_ne_bytes(*word);
        let swapped = cfg!(target_endian = "big");
        let (first, rest) = match self {
            // What comes first in memory is what is low there, or high.
            Form::Bytes if swapped => (&word[..bytes], &word[bytes..]),
            _ if swapped => (&word[8 - bytes..], &word[..8 - bytes]),
            _ => (&word[..bytes], &word[bytes..]),
        };
        let fits = match self {
            Form::Number => fits(number, bytes),
            Form::Bytes if !swapped => fits(number, bytes),
            Form::Float | Form::Bytes => rest.iter().all(|&byte| byte == 0),
        };
        fits.then_some(first)
    }
}

impl Signature {
    /// Whether the argument is a `float`.
    pub(crate) fn is_float(&self, index: usize) -> bool {
        let float = ArgKind::Scalar { bytes: 4, form: Form::Float };
        self.args.get(index) == Some(&float)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(args: &[(ArgKind, &str)]) -> Signature {
        Signature {
            args: args.iter().map(|a| a.0).collect(),
            texts: args.iter().map(|a| a.1.to_string()).collect(),
            unsized_types: Vec::new(),
        }
    }

    const fn number_of(bytes: usize) -> ArgKind {
        ArgKind::Scalar { bytes, form: Form::Number }
    }

    #[test]
    fn types_have_sizes() {
        assert_eq!(built_in("int"), Some((4, Form::Number)));
        assert_eq!(built_in("unsigned char"), Some((1, Form::Number)));
        assert_eq!(built_in("float"), Some((4, Form::Float)));
        assert_eq!(built_in("float3"), Some((16, Form::Bytes)));
        assert_eq!(built_in("uchar4"), Some((4, Form::Bytes)));
        assert_eq!(built_in("double16"), Some((128, Form::Bytes)));
        assert_eq!(built_in("int5"), None);
        assert_eq!(built_in("score_t"), None);
        assert_eq!(built_in("struct pair"), None);
    }

    #[test]
    fn words_become_values() {
        let value = |form: Form, number: u64, bytes| form.value_of(&number.to_ne_bytes(), bytes).map(<[u8]>::to_vec);
        let minus_two = -2i64 as u64;
        assert_eq!(value(Form::Number, minus_two, 4), Some((-2i32).to_ne_bytes().to_vec()));
        assert_eq!(value(Form::Number, 1 << 32, 4), None);
        assert_eq!(value(Form::Float, minus_two, 4), None);
        let half = u64::from(0.5f32.to_bits());
        assert_eq!(value(Form::Float, half, 4), Some(0.5f32.to_ne_bytes().to_vec()));
        let bytes = u64::from_ne_bytes([1, 2, 3, 0, 0, 0, 0, 0]);
        assert_eq!(value(Form::Bytes, bytes, 3), Some(vec![1, 2, 3]));
        assert_eq!(value(Form::Bytes, bytes, 2), None);
        assert_eq!(value(Form::Number, 1 << 63, 8), Some((1u64 << 63).to_ne_bytes().to_vec()));
    }

    #[test]
    fn values_fit_unsigned_or_by_sign() {
        assert!(fits(255, 1) && fits(u64::MAX, 1) && fits(0xFFFF_FFFF_FFFF_FF80, 1));
        assert!(!fits(256, 1) && !fits(0xFFFF_FFFF_FFFF_FF7F, 1));
        assert!(fits(0xFFFF_FFFF, 4) && fits(u64::MAX, 4) && !fits(1 << 32, 4));
        assert!(fits(u64::MAX, 8) && fits(1 << 63, 8));
        assert!(!fits(0, 16));
    }

    #[test]
    fn disagreements_are_named() {
        let kernel = signature(&[(number_of(4), "int n"), (ArgKind::Buffer, "global float *a")]);
        assert_eq!(kernel.check(1, 1), Ok(()));
        assert_eq!(kernel.check_slots(1, 1, 3), Ok(()));
        assert_eq!(kernel.check_slots(1, 0, 1), Ok(()));
        let message = kernel.check_slots(1, 2, 3).unwrap_err();
        assert!(message.contains("1 parameter and 3 blocks"), "{message}");
        assert!(kernel.check_slots(1, 0, 0).is_err() && kernel.check_slots(3, 0, 1).is_err());
        let message = kernel.check(0, 1).unwrap_err();
        assert!(message.contains("2 arguments (int n, global float *a)"), "{message}");
        assert!(message.contains("0 parameters and 1 block"), "{message}");
        let message = kernel.check(0, 2).unwrap_err();
        assert!(message.contains("argument 0, 'int n'"), "{message}");
        let message = kernel.check(2, 0).unwrap_err();
        assert!(message.contains("argument 1, 'global float *a'"), "{message}");
        let wide = signature(&[(number_of(16), "float4 v")]);
        assert!(wide.check(1, 0).unwrap_err().contains("16 bytes"));
        let local = signature(&[(ArgKind::Local, "local float *t")]);
        assert!(local.check(0, 1).unwrap_err().contains("local memory"));
        for (kind, word) in
            [(ArgKind::Unsized, "declare the type before the kernel"), (ArgKind::Unsupported, "a sampler")]
        {
            let refused = signature(&[(kind, "thing t")]);
            assert!(refused.check(1, 0).unwrap_err().contains(word));
            assert!(refused.check(0, 1).unwrap_err().contains("'thing t'"));
        }
        let untold = signature(&[(ArgKind::Unknown, ""), (ArgKind::Buffer, "")]);
        let message = untold.check(1, 1).unwrap_err();
        assert!(!message.contains("''") && message.contains("does not tell"), "{message}");
        let message = untold.check(1, 0).unwrap_err();
        assert!(message.contains("(one of a type that OpenCL does not tell, "), "{message}");
        let message = signature(&[]).check(0, 1).unwrap_err();
        assert!(message.contains("takes 0 arguments, and"), "{message}");
    }
}
