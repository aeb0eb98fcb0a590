//! What arguments a kernel takes, as the compiler tells it, and which values fit them.

use opencl3::kernel::{
    CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ACCESS_QUALIFIER, CL_KERNEL_ARG_ADDRESS_CONSTANT,
    CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
    CL_KERNEL_ARG_NAME, CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_NUM_ARGS, get_kernel_arg_data,
    get_kernel_data,
};
use opencl3::types::cl_kernel;

use super::BlockArg;
use super::discovery::{number, text};

/// What may stand in an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// A pointer to `global` or `constant` memory: a block.
    Buffer,
    /// A value of this many bytes: a parameter.
    Scalar {
        /// Its size.
        bytes: usize,
    },
    /// A pointer to `local` memory: nothing can be given for it.
    Local,
    /// An image, a sampler or a pipe: nothing can be given for it.
    Unsupported,
    /// A value whose size is not known before the first launch (a `typedef`, a `struct`), or an
    /// argument about which the platform tells nothing.
    Unknown,
}

/// The arguments of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// What may stand in each.
    pub args: Vec<ArgKind>,
    /// Each as in the source, `global float *a`; `argument` where the platform does not tell.
    pub(super) texts: Vec<String>,
}

impl Signature {
    /// Asks OpenCL about a kernel.
    pub(super) fn of(kernel: cl_kernel) -> Self {
        let count = number(get_kernel_data(kernel, CL_KERNEL_NUM_ARGS)) as u32;
        let (args, texts) = (0..count).map(|i| describe(kernel, i)).unzip();
        Signature { args, texts }
    }

    /// The same for `depc` pre-slots, of which only the first `blocks` are sure to have blocks: the kernel need not have
    /// arguments for the others.
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
    pub(super) fn without_argument(
        &self,
        paramc: usize,
        blocks: &[Option<BlockArg>],
    ) -> Option<String> {
        let takes = self.args.len().checked_sub(paramc)?;
        let mut beyond = blocks.iter().enumerate().skip(takes);
        let (slot, block) =
            beyond.find_map(|(slot, arg)| Some((slot, arg.as_ref()?.block.guid())))?;
        Some(format!(
            "the kernel has no argument for pre-slot {slot}, which has the data block {block}: it takes {} ({}) for {} \
             and {}. A last pre-slot without an argument can only order: connect it in \
             mode DB_MODE_NULL, or satisfy it with NULL_GUID; or give the kernel a pointer for it",
            plural(self.args.len(), "argument"),
            self.texts.join(", "),
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
            return Err(format!(
                "the kernel takes {} ({}), and is given {} and {}",
                plural(self.args.len(), "argument"),
                self.texts.join(", "),
                plural(paramc, "parameter"),
                plural(depc, "block"),
            ));
        }
        for (i, (kind, text)) in self.args.iter().zip(&self.texts).enumerate() {
            let fault = match kind {
                ArgKind::Unknown => continue,
                ArgKind::Scalar { bytes } if i < paramc && *bytes <= 8 => continue,
                ArgKind::Buffer if i >= paramc => continue,
                ArgKind::Scalar { bytes } if i < paramc => {
                    format!("a value of {bytes} bytes, and a parameter has 8")
                }
                ArgKind::Scalar { .. } => {
                    "a value, and blocks go to pointers: the parameters come first".to_string()
                }
                ArgKind::Buffer => "a pointer, and parameters go to values".to_string(),
                ArgKind::Local => "a pointer to local memory, for which nothing can be given: \
                                   declare the array in the kernel"
                    .to_string(),
                ArgKind::Unsupported => {
                    "an image, sampler or pipe, for which nothing can be given".to_string()
                }
            };
            let given = match i < paramc {
                true => format!("parameter {i}"),
                false => format!("the block of slot {}", i - paramc),
            };
            return Err(format!(
                "argument {i}, '{text}', gets {given}; it is {fault}"
            ));
        }
        Ok(())
    }
}

fn plural(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

fn describe(kernel: cl_kernel, index: u32) -> (ArgKind, String) {
    let ask = |what| get_kernel_arg_data(kernel, index, what);
    let address = ask(CL_KERNEL_ARG_ADDRESS_QUALIFIER);
    if address.is_err() {
        return (ArgKind::Unknown, format!("argument {index}"));
    }
    let address = number(address) as u32;
    let type_name = text(ask(CL_KERNEL_ARG_TYPE_NAME));
    let name = text(ask(CL_KERNEL_ARG_NAME));
    let access = ask(CL_KERNEL_ARG_ACCESS_QUALIFIER);
    let is_image = access.is_ok() && number(access) as u32 != CL_KERNEL_ARG_ACCESS_NONE;
    let (kind, space) = match address {
        _ if is_image || type_name == "sampler_t" => (ArgKind::Unsupported, ""),
        CL_KERNEL_ARG_ADDRESS_GLOBAL => (ArgKind::Buffer, "global "),
        CL_KERNEL_ARG_ADDRESS_CONSTANT => (ArgKind::Buffer, "constant "),
        CL_KERNEL_ARG_ADDRESS_LOCAL => (ArgKind::Local, "local "),
        _ => match size_of_type(&type_name) {
            Some(bytes) => (ArgKind::Scalar { bytes }, ""),
            None => (ArgKind::Unknown, ""),
        },
    };
    (kind, declaration(space, &type_name, &name))
}

fn declaration(space: &str, type_name: &str, name: &str) -> String {
    let (base, star) = match type_name.strip_suffix('*') {
        Some(base) => (base.trim_end(), "*"),
        None => (type_name, ""),
    };
    format!("{space}{base} {star}{name}").trim_end().to_string()
}

/// Bytes of an OpenCL C type that can be passed by value; `None` for a name that is not built in.
fn size_of_type(name: &str) -> Option<usize> {
    let name = name.trim();
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = match &name[base.len()..] {
        "" => 1,
        // Three lanes take the room of four.
        "3" => 4,
        digits => digits
            .parse::<usize>()
            .ok()
            .filter(|n| matches!(n, 2 | 4 | 8 | 16))?,
    };
    let bytes = match base {
        "char" | "uchar" | "signed char" | "unsigned char" => 1,
        "short" | "ushort" | "unsigned short" | "half" => 2,
        "int" | "uint" | "unsigned int" | "unsigned" | "float" => 4,
        "long" | "ulong" | "unsigned long" | "double" => 8,
        _ => return None,
    };
    Some(bytes * lanes)
}

/// Whether the value fits an argument of so many bytes: unsigned, or by sign extension.
pub(super) fn fits(value: u64, bytes: usize) -> bool {
    if bytes >= 8 {
        return bytes == 8;
    }
    let spare = 64 - 8 * bytes as u32;
    let unsigned = (value << spare) >> spare;
    let signed = (((value << spare) as i64) >> spare) as u64;
    value == unsigned || value == signed
}

impl Signature {
    /// Whether the argument is a `float`, whose bits must not be mistaken for a negative number's.
    pub(super) fn is_float(&self, index: usize) -> bool {
        self.args.get(index) == Some(&ArgKind::Scalar { bytes: 4 })
            && self.texts[index].starts_with("float ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(args: &[(ArgKind, &str)]) -> Signature {
        Signature {
            args: args.iter().map(|a| a.0).collect(),
            texts: args.iter().map(|a| a.1.to_string()).collect(),
        }
    }

    #[test]
    fn types_have_sizes() {
        assert_eq!(size_of_type("int"), Some(4));
        assert_eq!(size_of_type("unsigned char"), Some(1));
        assert_eq!(size_of_type("float3"), Some(16));
        assert_eq!(size_of_type("uchar4"), Some(4));
        assert_eq!(size_of_type("double16"), Some(128));
        assert_eq!(size_of_type("int5"), None);
        assert_eq!(size_of_type("score_t"), None);
        assert_eq!(size_of_type("struct pair"), None);
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
        let kernel = signature(&[
            (ArgKind::Scalar { bytes: 4 }, "int n"),
            (ArgKind::Buffer, "global float *a"),
        ]);
        assert_eq!(kernel.check(1, 1), Ok(()));
        assert_eq!(kernel.check_slots(1, 1, 3), Ok(()));
        assert_eq!(kernel.check_slots(1, 0, 1), Ok(()));
        let message = kernel.check_slots(1, 2, 3).unwrap_err();
        assert!(message.contains("1 parameter and 3 blocks"), "{message}");
        assert!(kernel.check_slots(1, 0, 0).is_err() && kernel.check_slots(3, 0, 1).is_err());
        let message = kernel.check(0, 1).unwrap_err();
        assert!(
            message.contains("2 arguments (int n, global float *a)"),
            "{message}"
        );
        assert!(message.contains("0 parameters and 1 block"), "{message}");
        let message = kernel.check(0, 2).unwrap_err();
        assert!(message.contains("argument 0, 'int n'"), "{message}");
        let message = kernel.check(2, 0).unwrap_err();
        assert!(
            message.contains("argument 1, 'global float *a'"),
            "{message}"
        );
        let wide = signature(&[(ArgKind::Scalar { bytes: 16 }, "float4 v")]);
        assert!(wide.check(1, 0).unwrap_err().contains("16 bytes"));
        let local = signature(&[(ArgKind::Local, "local float *t")]);
        assert!(local.check(0, 1).unwrap_err().contains("local memory"));
    }
}
