//! Why OpenCL may have refused to enqueue a kernel.

use crate::device::Launch;
use crate::device::opencl::fault::Fault;
use crate::device::opencl::manager::Manager;
use ocr_base::text::Counted;
use opencl3::error_codes as code;
use opencl3::kernel::{CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_WORK_GROUP_SIZE};

impl Manager {
    /// Why OpenCL may have refused a kernel.
    pub(crate) fn enqueue_fault(&self, launch: &Launch, status: i32) -> Fault {
        let kernel = &self.programs.kernels[launch.kernel];
        let ask = |what| kernel.opencl().work_group_number(self.device.info.id, what);
        let dims = (launch.range.work_dim as usize).min(3);
        let hint = match status {
            code::CL_INVALID_WORK_GROUP_SIZE | code::CL_INVALID_WORK_ITEM_SIZE => {
                let mut hint = format!(
                    "a work-group of this kernel may have {} work-items on this device ({} for \
                     any kernel)",
                    ask(CL_KERNEL_WORK_GROUP_SIZE),
                    self.device.info.max_work_group
                );
                if let Some(local) = launch.range.local {
                    let items: f64 = local[..dims].iter().map(|&size| size as f64).product();
                    hint.push_str(&format!("; the range asks for {items}"));
                    let sizes = launch.range.global.into_iter().zip(local);
                    for (d, (global, local)) in sizes.enumerate().take(dims) {
                        if local == 0 || !global.is_multiple_of(local) {
                            hint.push_str(&format!(
                                "; the global size {global} of dimension {d} is no multiple of \
                                 the local size {local}"
                            ));
                        }
                    }
                }
                let required = ask(CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
                if required != 0 {
                    hint.push_str(&format!("; its source demands a work-group size (first dimension: {required})"));
                }
                hint
            }
            code::CL_INVALID_GLOBAL_WORK_SIZE => "the global size must be at least 1 in each dimension".to_string(),
            code::CL_INVALID_WORK_DIMENSION => "a range has 1 to 3 dimensions".to_string(),
            code::CL_INVALID_GLOBAL_OFFSET => {
                "the global offset and size together exceed what the device can count".to_string()
            }
            code::CL_OUT_OF_RESOURCES => "the kernel needs more registers or local memory than \
                                          the device has for such a work-group: try a smaller one"
                .to_string(),
            code::CL_MEM_OBJECT_ALLOCATION_FAILURE => format!(
                "the device's memory is full ({} of buffers here); OCR_DEVICE_MEMORY \
                 bounds what is used of it",
                Counted(self.buffers.bytes, "byte")
            ),
            _ => String::new(),
        };
        Fault { cause: "enqueuing it failed".to_string(), code: Some(status), hint: (!hint.is_empty()).then_some(hint) }
    }
}
