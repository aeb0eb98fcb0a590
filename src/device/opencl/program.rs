//! Programs and kernels: each is built once, and stays as long as a template has it.
//!
//! A program is *held* by each template that has a kernel of it. Of the programs that nothing holds any more the last
//! [`KEPT`] stay, since programs make and destroy a template of the same kernel again and again. The others are
//! released. An EDT may outlive its template: a launch that comes after the release has the program compiled again
//! ([`Programs::ready`]), from the source that the kernel keeps.

use crate::device::host::shapes::Shapes;
use crate::device::host::signature::{ArgKind, Signature};
use crate::device::opencl::discovery::{RawDevice, number, text};
use crate::device::opencl::error::{log_with_source, names_fault};
use crate::device::opencl::limits::{GroupSizes, count_constants};
use crate::device::opencl::raw::{OpenclContext, OpenclKernel, Program};
use crate::device::opencl::surroundings::{is_pocl, pocl_cache_fault, pocl_load_fault};
use crate::device::opencl::types::{TypeAnswer, measure, try_sizes};
use crate::device::{BuildError, DeviceError, DeviceInfo, DeviceKind, KernelOnDevice, KernelSpec};
use ocr_base::text::{Counted, Readable};
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS, CL_INVALID_KERNEL_NAME};
use opencl3::kernel::{CL_KERNEL_LOCAL_MEM_SIZE, get_kernel_work_group_data};
use opencl3::program::{
    CL_PROGRAM_BUILD_LOG, CL_PROGRAM_KERNEL_NAMES, CL_PROGRAM_NUM_KERNELS, get_program_build_data, get_program_data,
};
use std::collections::{HashMap, VecDeque};
use std::ffi::CString;
use std::sync::Arc;

/// The number of programs that stay compiled though no template has a kernel of them.
pub(crate) const KEPT: usize = 16;

/// What is known of a kernel, and the kernel itself where it is there.
pub(crate) struct BuiltKernel {
    /// None while its program is released.
    opencl: Option<OpenclKernel>,
    /// The index of its program.
    program: usize,
    spec: KernelSpec,
    pub(crate) signature: Signature,
    /// What work-groups it may have.
    pub(crate) groups: GroupSizes,
    /// For each argument, the scalar that it is set to, if it is.
    pub(crate) scalars: Vec<Option<u64>>,
    /// In which shapes it was launched.
    pub(crate) shapes: Shapes,
}

impl BuiltKernel {
    pub(crate) fn name(&self) -> &str {
        &self.spec.kernel
    }

    /// The kernel, ready to be given arguments. A launch begins with [`Programs::ready`], after which it is there.
    pub(crate) fn opencl(&self) -> &OpenclKernel {
        self.opencl.as_ref().expect("the launch made it ready")
    }
}

/// A source and its build options.
type ProgramKey = (Arc<[u8]>, Vec<u8>);

/// What is compiled of one source.
#[derive(Default)]
struct Compiled {
    /// None while it is released.
    program: Option<Program>,
    /// The number of kernels of it that templates have: a template counts once for each.
    held: usize,
    /// Its types that are not built in.
    types: HashMap<String, TypeAnswer>,
}

/// The programs and kernels of one device.
#[derive(Default)]
pub(crate) struct Programs {
    programs: Vec<Compiled>,
    numbers: HashMap<ProgramKey, usize>,
    ids: HashMap<(ProgramKey, String), usize>,
    pub(crate) kernels: Vec<BuiltKernel>,
    /// Programs that are compiled and that nothing holds: the one that was needed last is the last.
    unheld: VecDeque<usize>,
}

impl Programs {
    /// The kernel, built unless it is there; one more template has it. A failed build is not remembered: asked again,
    /// the compiler gives the same answer.
    pub(crate) fn build(
        &mut self,
        context: &OpenclContext,
        info: &DeviceInfo,
        spec: &KernelSpec,
    ) -> Result<KernelOnDevice, BuildError> {
        let source = (Arc::clone(&spec.source), spec.options.clone());
        let number = *self.numbers.entry(source.clone()).or_insert_with(|| {
            self.programs.push(Compiled::default());
            self.programs.len() - 1
        });
        let key = (source, spec.kernel.clone());
        let built = match self.ids.get(&key) {
            Some(&id) if self.kernels[id].opencl.is_some() => Ok(id),
            Some(&id) => self.make_again(context, info, id).map(|()| id),
            None => self.build_first(context, info, number, spec),
        };
        let compiled = &mut self.programs[number];
        match built {
            Ok(id) => {
                compiled.held += 1;
                self.unheld.retain(|&other| other != number);
                self.ids.insert(key, id);
                Ok(KernelOnDevice { id, signature: self.kernels[id].signature.clone() })
            }
            Err(error) => {
                self.keep_or_release(number);
                Err(error)
            }
        }
    }

    /// A template that had the kernel is gone.
    pub(crate) fn release(&mut self, id: usize) {
        let number = self.kernels[id].program;
        self.programs[number].held -= 1;
        self.keep_or_release(number);
    }

    /// Makes a kernel ready to be launched, whose program may have been released.
    ///
    /// # Errors
    /// What the compiler or OpenCL says: it may have no memory this time.
    pub(crate) fn ready(&mut self, context: &OpenclContext, info: &DeviceInfo, id: usize) -> Result<(), BuildError> {
        let kernel = &self.kernels[id];
        if kernel.opencl.is_some() {
            return Ok(());
        }
        let number = kernel.program;
        let made = self.make_again(context, info, id);
        self.keep_or_release(number);
        made
    }

    /// Makes a kernel whose program was released.
    fn make_again(&mut self, context: &OpenclContext, info: &DeviceInfo, id: usize) -> Result<(), BuildError> {
        let kernel = &self.kernels[id];
        let (number, spec) = (kernel.program, kernel.spec.clone());
        let made = self.make_kernel(context, info, number, &spec)?;
        let kernel = &mut self.kernels[id];
        kernel.opencl = Some(made);
        // Nothing that was set or compiled for the kernel before is known to this one.
        kernel.scalars.fill(None);
        kernel.shapes = Shapes::default();
        Ok(())
    }

    /// The number of programs that are compiled.
    pub(crate) fn compiled(&self) -> u64 {
        let compiled = self.programs.iter().filter(|one| one.program.is_some());
        compiled.count() as u64
    }

    /// Keeps a program that was needed. If nothing holds it, the one that nothing has needed for the longest time may
    /// go.
    fn keep_or_release(&mut self, number: usize) {
        let compiled = &self.programs[number];
        if compiled.held > 0 || compiled.program.is_none() {
            return;
        }
        self.unheld.retain(|&other| other != number);
        self.unheld.push_back(number);
        while self.unheld.len() > KEPT {
            let Some(oldest) = self.unheld.pop_front() else {
                return;
            };
            // OpenCL keeps what commands that were enqueued still need (`clReleaseKernel`, `clReleaseProgram`).
            for kernel in &mut self.kernels {
                if kernel.program == oldest {
                    kernel.opencl = None;
                }
            }
            self.programs[oldest].program = None;
        }
    }

    fn build_first(
        &mut self,
        context: &OpenclContext,
        info: &DeviceInfo,
        number: usize,
        spec: &KernelSpec,
    ) -> Result<usize, BuildError> {
        let name = &spec.kernel;
        let kernel = self.make_kernel(context, info, number, spec)?;
        let needed = get_kernel_work_group_data(kernel.raw(), info.id.0, CL_KERNEL_LOCAL_MEM_SIZE);
        let needed = self::number(needed);
        // PoCL says nothing of it at a launch, and ends the process there.
        if needed > info.local_memory {
            let has = info.local_memory;
            let what = format!(
                "kernel '{name}' needs {} of local memory, and the device has {has} (CL_DEVICE_LOCAL_MEM_SIZE)",
                Counted(needed, "byte")
            );
            return Err(other(info, what, None));
        }
        let mut signature = Signature::of(kernel.raw());
        let types = &mut self.programs[number].types;
        complete(types, context, info, spec, &kernel, &mut signature)?;
        if let Err(what) = count_constants(info, &signature) {
            return Err(other(info, format!("kernel '{name}' {what}"), None));
        }
        let groups = GroupSizes::of(&kernel, info, &spec.options);
        self.kernels.push(BuiltKernel {
            opencl: Some(kernel),
            program: number,
            spec: spec.clone(),
            scalars: vec![None; signature.args.len()],
            shapes: Shapes::default(),
            signature,
            groups,
        });
        Ok(self.kernels.len() - 1)
    }

    /// Creates a kernel of the program with this number, and compiles that first where it is not there.
    fn make_kernel(
        &mut self,
        context: &OpenclContext,
        info: &DeviceInfo,
        number: usize,
        spec: &KernelSpec,
    ) -> Result<OpenclKernel, BuildError> {
        if self.programs[number].program.is_none() {
            self.programs[number].program = Some(compile(context, info, spec)?);
        }
        let Some(program) = &self.programs[number].program else {
            unreachable!("it was compiled");
        };
        let name = &spec.kernel;
        let no_such_kernel = |available| BuildError::NoSuchKernel { name: name.clone(), available };
        let c_name = CString::new(name.as_str()).map_err(|_| no_such_kernel(kernel_names(program)))?;
        program.kernel(&c_name).map_err(|code| {
            let available = kernel_names(program);
            let is_there = available.contains(name);
            match code {
                CL_INVALID_KERNEL_NAME if !is_there => no_such_kernel(available),
                _ => other(info, format!("creating kernel '{name}'"), Some(code)),
            }
        })
    }
}

/// Finds out what OpenCL does not tell of a kernel's arguments: the sizes of types that are not built in, and all of
/// it where the platform tells nothing. `types` are those of its program that are known.
fn complete(
    types: &mut HashMap<String, TypeAnswer>,
    context: &OpenclContext,
    info: &DeviceInfo,
    spec: &KernelSpec,
    kernel: &OpenclKernel,
    signature: &mut Signature,
) -> Result<(), BuildError> {
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

/// An error of this device that is not about the program's text.
fn other(info: &DeviceInfo, what: String, code: Option<i32>) -> BuildError {
    BuildError::Other(DeviceError { device: info.name.clone(), what, code })
}

fn compile(context: &OpenclContext, info: &DeviceInfo, spec: &KernelSpec) -> Result<Program, BuildError> {
    let other = |what: &str, code| other(info, what.to_string(), code);
    if spec.source.contains(&0) {
        return Err(other("the kernel source holds a zero byte", None));
    }
    let program = context.program(&spec.source).map_err(|code| other("creating a program", Some(code)))?;
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
                let what = format!("the source could not be compiled, and may be right: {fault}; it");
                return Err(other(&what, Some(code)));
            }
            if code == CL_BUILD_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS || !log.is_empty() {
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
    CString::new([spec.options.trim_ascii(), added.as_bytes()].concat())
        .map_err(|_| other(info, "the build options hold a zero byte".to_string(), None))
}

fn build_log(program: &Program, device: RawDevice) -> String {
    text(get_program_build_data(program.raw(), device.0, CL_PROGRAM_BUILD_LOG))
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
