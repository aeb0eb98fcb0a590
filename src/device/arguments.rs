//! From a launch's parameters and blocks to a kernel's arguments.

use std::ffi::c_void;
use std::ptr;

use opencl3::error_codes as code;
use opencl3::types::cl_mem;

use super::Launch;
use super::fault::Fault;
use super::manager::{Manager, Use};
use super::program::BuiltKernel;
use super::signature::{ArgKind, fits};

impl Manager {
    /// Sets the kernel's arguments: parameters, then blocks.
    /// `uses` are its distinct blocks, in the order in which they first appear.
    pub(super) fn set_arguments(&mut self, launch: &Launch, uses: &[Use]) -> Result<(), Fault> {
        let kernel = &mut self.programs.kernels[launch.kernel];
        for (i, value) in launch.params.iter().enumerate() {
            set_scalar(kernel, i, *value)?;
        }
        let mut uses = uses.iter().peekable();
        // The pre-slots beyond have no block (`Signature::check_slots`).
        let arguments = kernel.signature.args.len() - launch.params.len();
        for (slot, arg) in launch.blocks.iter().take(arguments).enumerate() {
            let id = arg.filter(|arg| arg.block.size() > 0).and_then(|arg| {
                // Most blocks stand in one slot, and need not be looked up again.
                match uses.next_if(|used| ptr::eq(self.buffers.get(used.id).block, arg.block)) {
                    Some(used) => Some(used.id),
                    None => self.buffers.find(arg.block),
                }
            });
            let mem = id.and_then(|id| self.buffers.get(id).mem.as_ref().map(|mem| mem.raw()));
            let value: *const c_void = mem
                .as_ref()
                .map_or(ptr::null(), |m| ptr::from_ref(m).cast());
            let index = launch.params.len() + slot;
            // SAFETY: `value` is null or points to the handle of a buffer that the table keeps.
            unsafe { kernel.kernel.set(index as u32, size_of::<cl_mem>(), value) }
                .map_err(|code| refused(kernel, index, code))?;
        }
        Ok(())
    }
}

fn refused(kernel: &BuiltKernel, index: usize, code: i32) -> Fault {
    Fault::opencl(
        format!(
            "argument {index}, '{}', was refused",
            kernel.signature.texts[index]
        ),
        code,
    )
}

/// Sets a scalar argument from the low bytes of a value that fits it.
///
/// A kernel object keeps its arguments, this thread alone sets them, and a scalar is a copy: one that
/// has the value already is left as it is. (Not so a buffer, whose handle may name another one by
/// now.)
fn set_scalar(kernel: &mut BuiltKernel, index: usize, value: u64) -> Result<(), Fault> {
    if kernel.scalars[index] == Some(value) {
        return Ok(());
    }
    kernel.scalars[index] = None;
    let given = match kernel.signature.args[index] {
        ArgKind::Scalar { bytes } => Some(bytes),
        // 0: not yet known.
        _ => Some(kernel.sizes[index]).filter(|&bytes| bytes != 0),
    };
    let sizes: &[usize] = match &given {
        Some(bytes) => std::slice::from_ref(bytes),
        None => &[8, 4, 2, 1],
    };
    let mut last = code::CL_INVALID_ARG_SIZE;
    for &bytes in sizes {
        // The bits of a float stand for no integer, so there is no sign to extend.
        let float = kernel.signature.is_float(index) && value >> 32 != 0;
        if float || !fits(value, bytes) {
            return Err(Fault::new(format!(
                "argument {index}, '{}', has {bytes} bytes, and the parameter's value {value} \
                 ({value:#x}) does not fit",
                kernel.signature.texts[index]
            )));
        }
        let word = value.to_ne_bytes();
        let low = if cfg!(target_endian = "big") {
            &word[8 - bytes..]
        } else {
            &word[..bytes]
        };
        // SAFETY: `low` holds `bytes` bytes, and the argument is a value of that size or refused.
        match unsafe { kernel.kernel.set(index as u32, bytes, low.as_ptr().cast()) } {
            Ok(()) => {
                kernel.sizes[index] = bytes;
                kernel.scalars[index] = Some(value);
                return Ok(());
            }
            Err(status) => last = status,
        }
        if last != code::CL_INVALID_ARG_SIZE {
            break;
        }
    }
    Err(refused(kernel, index, last))
}

/// Each argument as in a listing: `0: int n = 5`.
pub(super) fn describe_arguments(kernel: Option<&BuiltKernel>, launch: &Launch) -> Vec<String> {
    let name = |i: usize| {
        kernel
            .and_then(|k| k.signature.texts.get(i).cloned())
            .unwrap_or_else(|| "(not in the kernel)".to_string())
    };
    let params = launch.params.iter().enumerate().map(|(i, value)| {
        if kernel.is_some_and(|k| k.signature.is_float(i)) {
            format!("{i}: {} = {}", name(i), f32::from_bits(*value as u32))
        } else if *value > 9 {
            format!("{i}: {} = {value} ({value:#x})", name(i))
        } else {
            format!("{i}: {} = {value}", name(i))
        }
    });
    let first = launch.params.len();
    let blocks = launch.blocks.iter().enumerate().map(|(slot, arg)| {
        let i = first + slot;
        match arg {
            None => format!("{i}: {} = null (slot {slot})", name(i)),
            Some(arg) => format!(
                "{i}: {} = block {} of {} bytes, {} (slot {slot})",
                name(i),
                arg.block.guid(),
                arg.block.size(),
                if arg.writes { "written" } else { "read" }
            ),
        }
    });
    params.chain(blocks).collect()
}
