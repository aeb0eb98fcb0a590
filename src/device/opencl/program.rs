//! Programs and kernels, each built once.

use crate::device::host::shapes::Shapes;
use crate::device::host::signature::{ArgKind, Signature};
use crate::device::opencl::discovery::{RawDevice, number, text};
use crate::device::opencl::error::{log_with_source, names_fault};
use crate::device::opencl::limits::{GroupSizes, count_constants};
use crate::device::opencl::raw::{OpenclContext, OpenclKernel, Program};
use crate::device::opencl::surroundings::{is_pocl, pocl_cache_fault, pocl_load_fault};
use crate::device::opencl::types::{TypeAnswer, measure, try_sizes};
use crate::device::{BuildError, DeviceError, DeviceInfo, DeviceKind, KernelOnDevice, KernelSpec};
use cl3::error_codes::{
    CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS, CL_INVALID_KERNEL_NAME,
};
use cl3::kernel::{CL_KERNEL_LOCAL_MEM_SIZE, get_kernel_work_group_data};
use cl3::program::{
    CL_PROGRAM_BUILD_LOG, CL_PROGRAM_KERNEL_NAMES, CL_PROGRAM_NUM_KERNELS, get_program_build_data,
    get_program_data,
};
use ocr_base::text::{Counted, Readable};
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;

/// A kernel that is ready to be given arguments.
pub(crate) struct BuiltKernel {
    pub(crate) kernel: OpenclKernel,
    pub(crate) name: String,
    pub(crate) signature: Signature,
    /// What work-groups it may have.
    pub(crate) groups: GroupSizes,
    /// For each argument, the scalar that it is set to, if it is.
    pub(crate) scalars: Vec<Option<u64>>,
    /// In which shapes it was launched.
    pub(crate) shapes: Shapes,
}

/// A source and its build options.
type ProgramKey = (Arc<[u8]>, Vec<u8>);

#[derive(Default)]
pub(crate) struct Programs {
    programs: HashMap<ProgramKey, Program>,
    /// The types of a source that are not built in.
    types: HashMap<ProgramKey, HashMap<String, TypeAnswer>>,
    ids: HashMap<(ProgramKey, String), usize>,
    pub(crate) kernels: Vec<BuiltKernel>,
}

impl Programs {
    /// The kernel, built unless it is there. A failed build is not remembered: asked again, the
    /// compiler gives the same answer.
    pub(crate) fn build(
        &mut self,
        context: &OpenclContext,
        info: &DeviceInfo,
        spec: &KernelSpec,
    ) -> Result<KernelOnDevice, BuildError> {
        let name = &spec.kernel;
        let program_key = (Arc::clone(&spec.source), spec.options.clone());
        let key = (program_key.clone(), name.clone());
        if let Some(&id) = self.ids.get(&key) {
            return Ok(self.answer(id));
        }
        let other = |what: String, code: Option<i32>| {
            BuildError::Other(DeviceError {
                device: info.name.clone(),
                what,
                code,
            })
        };
        if !self.programs.contains_key(&program_key) {
            let program = compile(context, info, spec)?;
            self.programs.insert(program_key.clone(), program);
        }
        let program = &self.programs[&program_key];
        let no_such_kernel = |available| BuildError::NoSuchKernel {
            name: name.clone(),
            available,
        };
        let c_name =
            CString::new(name.as_str()).map_err(|_| no_such_kernel(kernel_names(program)))?;
        let kernel = program.kernel(&c_name).map_err(|code| {
            let available = kernel_names(program);
            let is_there = available.contains(name);
            match code {
                CL_INVALID_KERNEL_NAME if !is_there => no_such_kernel(available),
                _ => other(format!("creating kernel '{name}'"), Some(code)),
            }
        })?;
        let needed = number(get_kernel_work_group_data(
            kernel.raw(),
            info.id.0,
            CL_KERNEL_LOCAL_MEM_SIZE,
        ));
        // PoCL says nothing of it at a launch, and ends the process there.
        if needed > info.local_memory {
            let has = info.local_memory;
            let what = format!(
                "kernel '{name}' needs {} of local memory, and the device has {has} (CL_DEVICE_LOCAL_MEM_SIZE)",
                Counted(needed, "byte")
            );
            return Err(other(what, None));
        }
        let mut signature = Signature::of(kernel.raw());
        self.complete(context, info, spec, &kernel, &mut signature)?;
        if let Err(what) = count_constants(info, &signature) {
            return Err(other(format!("kernel '{name}' {what}"), None));
        }
        let groups = GroupSizes::of(&kernel, info, &spec.options);
        let id = self.kernels.len();
        self.kernels.push(BuiltKernel {
            kernel,
            name: name.clone(),
            scalars: vec![None; signature.args.len()],
            shapes: Shapes::default(),
            signature,
            groups,
        });
        self.ids.insert(key, id);
        Ok(self.answer(id))
    }

    /// Finds out what OpenCL does not tell of a kernel's arguments: the sizes of types that are not built in, and all of
    /// it where the platform tells nothing.
    fn complete(
        &mut self,
        context: &OpenclContext,
        info: &DeviceInfo,
        spec: &KernelSpec,
        kernel: &OpenclKernel,
        signature: &mut Signature,
    ) -> Result<(), BuildError> {
        let source = (Arc::clone(&spec.source), spec.options.clone());
        let types = self.types.entry(source).or_default();
        let mut names: Vec<&str> = Vec::new();
        for (_, name) in &signature.unsized_types {
            if !types.contains_key(name) && !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        if !names.is_empty() {
            let options = options(info, spec, "")?;
            let kinds = measure(context, info.id, &spec.source, &options, &names);
            types.extend(names.into_iter().map(str::to_string).zip(kinds));
        }
        for (index, name) in std::mem::take(&mut signature.unsized_types) {
            let kind = match types.get(&name) {
                Some(TypeAnswer::Kind(kind)) => Some(*kind),
                Some(TypeAnswer::Value) => try_sizes(kernel, index, true),
                Some(TypeAnswer::Nothing) | None => None,
            };
            if let Some(kind) = kind {
                signature.args[index] = kind;
            }
        }
        for (index, kind) in signature.args.iter_mut().enumerate() {
            if *kind == ArgKind::Unknown
                && let Some(found) = try_sizes(kernel, index, false)
            {
                *kind = found;
            }
        }
        Ok(())
    }

    fn answer(&self, id: usize) -> KernelOnDevice {
        KernelOnDevice {
            id,
            signature: self.kernels[id].signature.clone(),
        }
    }
}

fn compile(
    context: &OpenclContext,
    info: &DeviceInfo,
    spec: &KernelSpec,
) -> Result<Program, BuildError> {
    let other = |what: &str, code: Option<i32>| {
        BuildError::Other(DeviceError {
            device: info.name.clone(),
            what: what.to_string(),
            code,
        })
    };
    if spec.source.contains(&0) {
        return Err(other("the kernel source holds a zero byte", None));
    }
    let program = context
        .program(&spec.source)
        .map_err(|code| other("creating a program", Some(code)))?;
    let with = |extra: &str| options(info, spec, extra);
    let mut result = program.build(info.id, &with(" -cl-kernel-arg-info")?);
    if result == Err(CL_INVALID_BUILD_OPTIONS) {
        // Before OpenCL 1.2 there is no such option; the arguments are then unknown.
        result = program.build(info.id, &with("")?);
    }
    match result {
        Ok(()) => {
            let loads_code = info.kind == DeviceKind::Cpu && is_pocl(&info.platform);
            match loads_code.then(pocl_load_fault).flatten() {
                None => Ok(program),
                Some(fault) => Err(other(&fault, None)),
            }
        }
        Err(code) => {
            let log = build_log(&program, info.id);
            if !names_fault(&log)
                && is_pocl(&info.platform)
                && let Some(fault) = pocl_cache_fault()
            {
                let what =
                    format!("the source could not be compiled, and may be right: {fault}; it");
                return Err(other(&what, Some(code)));
            }
            if code == CL_BUILD_PROGRAM_FAILURE
                || code == CL_INVALID_BUILD_OPTIONS
                || !log.is_empty()
            {
                Err(BuildError::Compile {
                    device: info.name.clone(),
                    code,
                    options: Readable(&spec.options).to_string(),
                    log: log_with_source(&log, &spec.source),
                })
            } else {
                Err(other("building a program", Some(code)))
            }
        }
    }
}

/// The options of a build: the program's, and the runtime's own.
fn options(info: &DeviceInfo, spec: &KernelSpec, extra: &str) -> Result<CString, BuildError> {
    let kind = match info.kind {
        DeviceKind::Cpu => "-DOCR_DEVICE_CPU=1",
        DeviceKind::Gpu | DeviceKind::Accelerator | DeviceKind::Other => "-DOCR_DEVICE_GPU=1",
    };
    let added = format!(" {kind}{extra}");
    CString::new([spec.options.trim_ascii(), added.as_bytes()].concat()).map_err(|_| {
        BuildError::Other(DeviceError {
            device: info.name.clone(),
            what: "the build options hold a zero byte".to_string(),
            code: None,
        })
    })
}

fn build_log(program: &Program, device: RawDevice) -> String {
    text(get_program_build_data(
        program.raw(),
        device.0,
        CL_PROGRAM_BUILD_LOG,
    ))
}

fn kernel_names(program: &Program) -> Vec<String> {
    // Where there are none, PoCL leaves the answer as it is.
    let count = get_program_data(program.raw(), CL_PROGRAM_NUM_KERNELS);
    if number(count) == 0 {
        return Vec::new();
    }
    text(get_program_data(program.raw(), CL_PROGRAM_KERNEL_NAMES))
        .split(';')
        .filter(|name| !name.is_empty())
        .map(str::to_string)
        .collect()
}
