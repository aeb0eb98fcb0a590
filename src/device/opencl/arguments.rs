//! From a launch's parameters and blocks to a kernel's arguments.

use crate::device::Launch;
use crate::device::host::signature::ArgKind;
use crate::device::opencl::fault::Fault;
use crate::device::opencl::job::BlockUse;
use crate::device::opencl::manager::Manager;
use crate::device::opencl::program::BuiltKernel;
use ocr_base::text::Counted;
use opencl3::types::cl_mem;
use std::ffi::c_void;
use std::ptr;

impl Manager {
    /// Sets the kernel's arguments: parameters, then blocks.
    /// `uses` are its distinct blocks, in the order in which they first appear.
    pub(crate) fn set_arguments(&mut self, launch: &Launch, uses: &[BlockUse]) -> Result<(), Fault> {
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
            let mem = id.and_then(|id| self.buffers.get(id).mem.as_ref().map(super::raw::Mem::raw));
            let value: *const c_void = mem.as_ref().map_or(ptr::null(), |m| ptr::from_ref(m).cast());
            let index = launch.params.len() + slot;
            // SAFETY: `value` is null or points to the handle of a buffer that the table keeps.
            unsafe { kernel.opencl().set(index as u32, size_of::<cl_mem>(), value) }
                .map_err(|code| refused(kernel, index, code))?;
        }
        Ok(())
    }
}

fn refused(kernel: &BuiltKernel, index: usize, code: i32) -> Fault {
    let cause = format!("{} was refused", kernel.signature.named(index));
    Fault::opencl(cause, code)
}

/// Sets a scalar argument from a value that fits it.
///
/// A kernel object keeps its arguments, this thread alone sets them, and a scalar is a copy: one that
/// has the value already is left as it is. (Not so a buffer, whose handle may name another one by
/// now.)
fn set_scalar(kernel: &mut BuiltKernel, index: usize, value: u64) -> Result<(), Fault> {
    if kernel.scalars[index] == Some(value) {
        return Ok(());
    }
    kernel.scalars[index] = None;
    let (bytes, form) = match kernel.signature.args[index] {
        ArgKind::Scalar { bytes, form } if bytes <= 8 => (bytes, form),
        _ => {
            let named = kernel.signature.named(index);
            return Err(Fault::new(format!("{named} takes no parameter")));
        }
    };
    let word = value.to_ne_bytes();
    let Some(bytes_of_value) = form.value_of(&word, bytes) else {
        return Err(Fault::new(format!(
            "{}, has {}, and the parameter's value {value} ({value:#x}) does not fit",
            kernel.signature.named(index),
            Counted(bytes as u64, "byte")
        )));
    };
    // SAFETY: `bytes_of_value` holds `bytes` bytes, and the argument is a value of that size or refused.
    unsafe { kernel.opencl().set(index as u32, bytes, bytes_of_value.as_ptr().cast()) }
        .map_err(|code| refused(kernel, index, code))?;
    kernel.scalars[index] = Some(value);
    Ok(())
}

/// Each argument as in a listing: `0: int n = 5`.
pub(crate) fn describe_arguments(kernel: Option<&BuiltKernel>, launch: &Launch) -> Vec<String> {
    let name = |i: usize| match kernel.and_then(|k| k.signature.texts.get(i)) {
        Some(text) if text.is_empty() => "(of a type that is not known)".to_string(),
        Some(text) => text.clone(),
        None => "(not in the kernel)".to_string(),
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
                "{i}: {} = block {} of {}, {} (slot {slot})",
                name(i),
                arg.block.guid(),
                Counted(arg.block.size(), "byte"),
                if arg.writes { "written" } else { "read" }
            ),
        }
    });
    params.chain(blocks).collect()
}
