//! What OpenCL devices the machine has, and, where there are none, what is missing.

use crate::device::opencl::error::code_name;
use crate::device::opencl::loader::{
    LIBRARY, LIBRARY_OVERRIDE, icd_files, icd_place, is_static, library_names, loaded_library, passed_over, variables,
};
use crate::device::opencl::surroundings::{
    is_pocl, load_failure, pocl_cache_fault, pocl_cache_is_empty, pocl_fault_of_system,
};
use crate::device::opencl::{surroundings, threads};
use ocr_base::lock::{Mutex, rank};
use ocr_base::text::Readable;
use opencl3::device::{
    CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_MAX_COMPUTE_UNITS,
    CL_DEVICE_MAX_CONSTANT_ARGS, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
    CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_MAX_WORK_ITEM_SIZES, CL_DEVICE_NAME, CL_DEVICE_TYPE,
    CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_VENDOR,
    CL_DEVICE_VERSION, CL_DRIVER_VERSION, get_device_data, get_device_ids,
};
use opencl3::error_codes::{CL_PLATFORM_NOT_FOUND_KHR, DLOPEN_RUNTIME_LOAD_FAILED};
use opencl3::platform::platform::{CL_PLATFORM_NAME, CL_PLATFORM_VERSION, get_platform_data, get_platform_ids};
use opencl3::types::cl_device_id;
use rustc_hash::FxHashMap;
use std::fmt;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// The kinds of OpenCL devices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeviceKind {
    /// The cores of the machine itself (`CL_DEVICE_TYPE_CPU`).
    Cpu,
    /// A graphics processor (`CL_DEVICE_TYPE_GPU`).
    Gpu,
    /// A dedicated accelerator (`CL_DEVICE_TYPE_ACCELERATOR`).
    Accelerator,
    /// A device of any other type.
    Other,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceKind::Cpu => "CPU",
            DeviceKind::Gpu => "GPU",
            DeviceKind::Accelerator => "accelerator",
            DeviceKind::Other => "other device",
        })
    }
}

/// One OpenCL device, as `ocr info` shows it.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Its number on this machine.
    pub index: usize,
    /// `CL_DEVICE_NAME`; behind it ` #` and `index`, where several devices of the machine have that name.
    pub name: String,
    /// The maker, as `CL_DEVICE_VENDOR` says it.
    pub vendor: String,
    /// `CL_PLATFORM_NAME` of the platform it belongs to.
    pub platform: String,
    /// The version of OpenCL that the platform supports, as `CL_PLATFORM_VERSION` says it.
    pub platform_version: String,
    /// The driver's own version, as `CL_DRIVER_VERSION` says it.
    pub driver_version: String,
    /// The version of OpenCL that the device supports, as `CL_DEVICE_VERSION` says it.
    pub device_version: String,
    /// What kind of device it is, by `CL_DEVICE_TYPE`.
    pub kind: DeviceKind,
    /// The number of compute units (`CL_DEVICE_MAX_COMPUTE_UNITS`).
    pub compute_units: u32,
    /// Bytes of the device's memory (`CL_DEVICE_GLOBAL_MEM_SIZE`); 0 where OpenCL does not tell.
    pub global_memory: u64,
    /// Bytes of `local` memory for a work-group (`CL_DEVICE_LOCAL_MEM_SIZE`).
    pub local_memory: u64,
    /// `CL_DEVICE_MAX_MEM_ALLOC_SIZE`: bytes of the largest buffer.
    pub max_buffer: u64,
    /// `CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE`: bytes of the largest buffer of `constant` memory.
    pub max_constant_buffer: u64,
    /// `CL_DEVICE_MAX_CONSTANT_ARGS`: pointers to `constant` memory that a kernel takes.
    pub max_constant_args: u32,
    /// The most work-items of a work-group (`CL_DEVICE_MAX_WORK_GROUP_SIZE`).
    pub max_work_group: usize,
    /// `CL_DEVICE_MAX_WORK_ITEM_SIZES`: work-items of a work-group, per dimension.
    pub max_work_items: [usize; 3],
    /// Whether it shares its memory with the host, so that nothing needs to be copied.
    pub host_unified: bool,
    pub(crate) id: RawDevice,
}

/// A device's id, usable from every thread. A root device is never released, and a part of one lives as long as the
/// manager that has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RawDevice(pub(crate) cl_device_id);

impl RawDevice {
    /// The id of a device that is known from an earlier run, which OpenCL is never given.
    const NONE: RawDevice = RawDevice(std::ptr::null_mut());
}

impl DeviceInfo {
    /// A CPU device as an earlier run has found it. It cannot be opened.
    pub fn of_earlier_run(
        index: usize,
        name: String,
        platform: String,
        driver_version: String,
        units: u32,
    ) -> DeviceInfo {
        DeviceInfo {
            index,
            name,
            vendor: String::new(),
            platform,
            platform_version: String::new(),
            driver_version,
            device_version: String::new(),
            kind: DeviceKind::Cpu,
            compute_units: units,
            global_memory: 0,
            local_memory: 0,
            max_buffer: 0,
            max_constant_buffer: 0,
            max_constant_args: 0,
            max_work_group: 0,
            max_work_items: [0; 3],
            host_unified: true,
            id: RawDevice::NONE,
        }
    }
}

// SAFETY: the id is an opaque name that OpenCL accepts from any thread; nothing here reads through it.
unsafe impl Send for RawDevice {}
// SAFETY: the id is an opaque name that OpenCL accepts from any thread; a shared reference allows no more than copying
// it.
unsafe impl Sync for RawDevice {}

/// What became of loading the OpenCL library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoaderState {
    /// The library was found and loaded.
    Loaded {
        /// The file, where the system says it.
        path: Option<PathBuf>,
    },
    /// The library could not be loaded.
    Missing {
        /// The names that were tried, in order.
        tried: Vec<String>,
    },
    /// The program is linked statically, and can load no library.
    Static,
    /// OpenCL has ended a process that asked for its devices.
    Ended {
        /// How, and what was asked, in sentences.
        why: String,
    },
    /// This process was made by `fork` when OpenCL had been asked for devices already. Drivers have threads, which are
    /// in the first process alone, and a thread that waits for them here waits indefinitely.
    Forked {
        /// The process that has asked.
        first: u32,
    },
}

/// The process in which OpenCL was first asked; 0: none. Relaxed: a process that was forked since has it from before.
static FIRST: AtomicU32 = AtomicU32::new(0);

/// The process in which OpenCL was first asked, if that is another one, from which this was forked.
fn forked_from() -> Option<u32> {
    let this = std::process::id();
    let first = FIRST.compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed);
    first.err().filter(|&first| first != this)
}

/// What there is on this machine.
#[derive(Clone, Debug)]
pub struct Inventory {
    /// All devices of all platforms, in a stable order; [`DeviceInfo::index`] is the position.
    pub devices: Vec<DeviceInfo>,
    /// Whether the OpenCL library could be loaded, and which one was.
    pub loader: LoaderState,
    /// The `.icd` files (or driver libraries) that the loader finds platforms by.
    pub icd_files: Vec<PathBuf>,
    /// The platforms' names and versions.
    pub platforms: Vec<String>,
    /// Whatever OpenCL refused to answer, and what it could not load, for people.
    pub notes: Vec<String>,
    /// What the user has set, and does not take effect.
    pub warnings: Vec<String>,
    /// The [`variables`] as they were before OpenCL was asked.
    pub variables: Vec<u8>,
}

/// What finds out more where a device is missing.
pub const ASK_INFO: &str = "`ocr info` checks the .icd files and the variables that choose among devices.";

/// Has `tell` called with the name of each platform before it is asked for its devices, which may end the process, and
/// finds the devices as [`discover`] does.
pub fn discover_telling(tell: fn(&str)) -> Inventory {
    *TELL.lock() = Some(tell);
    discover()
}

/// What is called with the name of a platform before it is asked.
static TELL: Mutex<rank::TellDiscovery, Option<fn(&str)>> = Mutex::new(None);

/// Finds the machine's OpenCL devices, loading OpenCL if need be. Never fails: what is wrong is in
/// the answer.
pub fn discover() -> Inventory {
    // One at a time: PoCL 3.1 hands out devices that another thread's first question is still
    // setting up, and crashes on them.
    static ASKING: Mutex<rank::AskingOpencl, ()> = Mutex::new(());
    // Before anything that another thread of the first process may have held.
    if let Some(first) = forked_from() {
        return Inventory { loader: LoaderState::Forked { first }, ..Inventory::none() };
    }
    let _asking = ASKING.lock();
    // On a thread of its own, so that what OpenCL starts is known by it.
    let asking = match threads::spawn("list", ask) {
        Ok(asking) => asking,
        Err(error) => {
            let mut found = Inventory::none();
            (found.notes).push(format!("no thread can be started to ask OpenCL: {error}"));
            return found;
        }
    };
    asking.join().unwrap_or_else(|panic| resume_unwind(panic))
}

fn ask() -> Inventory {
    let mut found = Inventory::none();
    if is_static() {
        found.loader = LoaderState::Static;
        return found;
    }
    // The crate that loads the library looks at text alone.
    if let Some(name) = std::env::var_os(LIBRARY_OVERRIDE)
        && name.to_str().is_none()
    {
        let name = Readable::os(&name);
        (found.notes).push(format!("{LIBRARY_OVERRIDE} is \"{name}\", which is not UTF-8, and is not used"));
    }
    let platforms = match get_platform_ids() {
        Ok(platforms) => platforms,
        Err(DLOPEN_RUNTIME_LOAD_FAILED) => {
            found.loader = LoaderState::Missing { tried: library_names() };
            return found;
        }
        Err(code) => {
            if code != CL_PLATFORM_NOT_FOUND_KHR {
                found.notes.push(format!("clGetPlatformIDs failed: {}", code_name(code)));
            }
            Vec::new()
        }
    };
    let path = loaded_library();
    found.warnings = passed_over(path.as_deref());
    found.loader = LoaderState::Loaded { path };
    for platform in platforms {
        let ask = |what| text(get_platform_data(platform, what));
        let name = ask(CL_PLATFORM_NAME);
        let version = ask(CL_PLATFORM_VERSION);
        found.platforms.push(format!("{name} ({version})"));
        let env = |name: &str| std::env::var_os(name);
        let fault = || pocl_cache_is_empty(env).map(str::to_string).or_else(pocl_fault_of_system);
        if is_pocl(&name)
            && let Some(fault) = fault()
        {
            (found.notes).push(format!("platform {name} is not used: {fault}"));
            continue;
        }
        let why_none = || {
            let fault = is_pocl(&name).then(pocl_cache_fault).flatten();
            fault.map_or(String::new(), |why| format!(": {why}"))
        };
        if let Some(tell) = *TELL.lock() {
            tell(&name);
        }
        match threads::watch_platform(&name, || get_device_ids(platform, CL_DEVICE_TYPE_ALL)) {
            Ok(ids) => {
                if ids.is_empty() {
                    (found.notes).push(format!("platform {name} has no device{}", why_none()));
                }
                for id in ids {
                    let index = found.devices.len();
                    let device = describe(index, id, name.clone(), version.clone());
                    found.devices.push(device);
                }
            }
            Err(code) => {
                found.notes.push(format!("platform {name}: clGetDeviceIDs failed: {}{}", code_name(code), why_none()));
            }
        }
    }
    if found.devices.iter().any(|device| is_pocl(&device.platform)) {
        surroundings::look_for_linker();
    }
    distinguish(&mut found.devices);
    found
}

/// Numbers devices of one name, as a machine with two alike has them: their names alone would not show in
/// statistics and messages which of them did what.
fn distinguish(devices: &mut [DeviceInfo]) {
    let mut named: FxHashMap<String, usize> = FxHashMap::default();
    for device in &*devices {
        *named.entry(device.name.clone()).or_default() += 1;
    }
    for device in devices.iter_mut().filter(|device| named[&device.name] > 1) {
        device.name = format!("{} #{}", device.name, device.index);
    }
}

fn describe(index: usize, id: cl_device_id, platform: String, version: String) -> DeviceInfo {
    let string = |what| text(get_device_data(id, what));
    let number = |what| number(get_device_data(id, what));
    // OpenCL's type is a set: a CPU that is also the default device is a CPU.
    let bits = number(CL_DEVICE_TYPE);
    let kind = if bits & CL_DEVICE_TYPE_GPU != 0 {
        DeviceKind::Gpu
    } else if bits & CL_DEVICE_TYPE_ACCELERATOR != 0 {
        DeviceKind::Accelerator
    } else if bits & CL_DEVICE_TYPE_CPU != 0 {
        DeviceKind::Cpu
    } else {
        DeviceKind::Other
    };
    DeviceInfo {
        index,
        name: string(CL_DEVICE_NAME),
        vendor: string(CL_DEVICE_VENDOR),
        platform,
        platform_version: version,
        driver_version: string(CL_DRIVER_VERSION),
        device_version: string(CL_DEVICE_VERSION),
        kind,
        compute_units: number(CL_DEVICE_MAX_COMPUTE_UNITS) as u32,
        global_memory: number(CL_DEVICE_GLOBAL_MEM_SIZE),
        local_memory: number(CL_DEVICE_LOCAL_MEM_SIZE),
        max_buffer: number(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
        max_constant_buffer: number(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE),
        max_constant_args: number(CL_DEVICE_MAX_CONSTANT_ARGS) as u32,
        max_work_group: number(CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize,
        max_work_items: numbers(get_device_data(id, CL_DEVICE_MAX_WORK_ITEM_SIZES), usize::MAX),
        host_unified: kind == DeviceKind::Cpu || number(CL_DEVICE_HOST_UNIFIED_MEMORY) != 0,
        id: RawDevice(id),
    }
}

/// The text of an answer; empty where there is none.
pub(crate) fn text(answer: Result<Vec<u8>, i32>) -> String {
    let bytes = answer.unwrap_or_default();
    let is_text = |byte: &u8| !matches!(byte, b'\0' | b' ' | b'\n');
    let begin = bytes.iter().position(is_text).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(is_text).map_or(begin, |last| last + 1);
    Readable(&bytes[begin..end]).to_string()
}

/// The number in an answer of 4 or 8 bytes; 0 where there is none.
pub(crate) fn number(answer: Result<Vec<u8>, i32>) -> u64 {
    let bytes = answer.unwrap_or_default();
    let mut word = [0; 8];
    let len = bytes.len().min(8);
    word[..len].copy_from_slice(&bytes[..len]);
    // OpenCL answers in the host's order; only little-endian hosts put the low bytes first, and a
    // 4-byte answer must land in the low half on the others too.
    if cfg!(target_endian = "big") {
        word.rotate_right(8 - len);
    }
    u64::from_ne_bytes(word)
}

/// The first three numbers of the host's size in an answer; `missing` for those that are not there.
pub(crate) fn numbers(answer: Result<Vec<u8>, i32>, missing: usize) -> [usize; 3] {
    let bytes = answer.unwrap_or_default();
    let mut all = [missing; 3];
    for (place, bytes) in all.iter_mut().zip(bytes.chunks_exact(size_of::<usize>())) {
        if let Ok(word) = bytes.try_into() {
            *place = usize::from_ne_bytes(word);
        }
    }
    all
}

impl Inventory {
    /// No device is known, since OpenCL has ended the process that asked for them. `why` is in sentences.
    pub fn ended(why: String) -> Inventory {
        Inventory { loader: LoaderState::Ended { why }, ..Inventory::none() }
    }

    /// The devices that an earlier run has found.
    pub fn of_earlier_run(devices: Vec<DeviceInfo>) -> Inventory {
        Inventory { devices, ..Inventory::none() }
    }

    /// Nothing is known yet but where the loader looks.
    fn none() -> Inventory {
        Inventory {
            devices: Vec::new(),
            loader: LoaderState::Loaded { path: None },
            icd_files: icd_files(),
            platforms: Vec::new(),
            notes: Vec::new(),
            warnings: Vec::new(),
            variables: variables(),
        }
    }

    /// Why there is no device, or what there is: which OpenCL library, which `.icd` files, which
    /// platforms, and what to install. Several sentences, no newline at the end.
    pub fn explain_absence(&self) -> String {
        let path = match &self.loader {
            LoaderState::Static => {
                return "The program is linked statically, and such a one cannot load OpenCL. Link it without -static; \
                        -locr can stay static (-l:libocr.a)."
                    .to_string();
            }
            LoaderState::Ended { why } => return why.clone(),
            LoaderState::Forked { first } => {
                return format!(
                    "This process was made by fork() after process {first} had used OpenCL, whose drivers have threads \
                     there alone. Fork before the first kernel is added or a device is asked for, have the new process \
                     call exec(), or give its EDTs a C function beside the kernels."
                );
            }
            LoaderState::Missing { tried } => {
                let tried: Vec<String> = (tried.iter())
                    .map(|name| match load_failure(name) {
                        // Mostly the system repeats the name.
                        Some(why) if why.starts_with(name.as_str()) => why,
                        Some(why) => format!("{name}: {why}"),
                        None => name.clone(),
                    })
                    .collect();
                let mut out = format!(
                    "The OpenCL library could not be loaded (tried {}). Install an OpenCL loader \
                     (Debian: ocl-icd-libopencl1) and a driver for the device (for the CPU: \
                     pocl-opencl-icd), or name a library in {LIBRARY_OVERRIDE}.",
                    tried.join(", ")
                );
                self.add_notes(&mut out);
                return out;
            }
            LoaderState::Loaded { path } => {
                path.as_ref().map_or_else(|| LIBRARY.to_string(), |p| Readable::path(p).to_string())
            }
        };
        let icds = if self.icd_files.is_empty() {
            match icd_place() {
                (place, None) => format!("There is no .icd file in {}.", Readable::path(&place)),
                (place, Some(variable)) => {
                    format!("There is no .icd file in {}, where {variable} has it look.", Readable::path(&place))
                }
            }
        } else {
            let files: Vec<String> = (self.icd_files.iter()).map(|file| Readable::path(file).to_string()).collect();
            format!("The .icd files are {}.", files.join(", "))
        };
        let platforms = if self.platforms.is_empty() {
            "It found no platform. Install a driver for the device (for the CPU: \
             pocl-opencl-icd), and see that the library its .icd file names can be loaded."
                .to_string()
        } else {
            format!(
                "The platforms are {}, with {} device{}.",
                self.platforms.join(", "),
                self.devices.len(),
                if self.devices.len() == 1 { "" } else { "s" }
            )
        };
        let mut out = format!("The OpenCL library is {path}. {icds} {platforms}");
        self.add_notes(&mut out);
        out
    }

    fn add_notes(&self, out: &mut String) {
        for note in self.warnings.iter().chain(&self.notes) {
            out.push_str(&format!(" ({note})"));
        }
    }
}

#[cfg(test)]
impl DeviceInfo {
    /// A device that is not there.
    pub(crate) fn example(index: usize, kind: DeviceKind) -> Self {
        DeviceInfo {
            index,
            name: format!("device {index}"),
            vendor: String::new(),
            platform: "no platform".to_string(),
            platform_version: String::new(),
            driver_version: String::new(),
            device_version: String::new(),
            kind,
            compute_units: 1,
            global_memory: 1 << 30,
            local_memory: 1 << 16,
            max_buffer: 1 << 28,
            max_constant_buffer: 1 << 16,
            max_constant_args: 8,
            max_work_group: 256,
            max_work_items: [256; 3],
            host_unified: false,
            id: RawDevice(std::ptr::null_mut()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_can_be_asked() {
        let found = discover();
        for (i, device) in found.devices.iter().enumerate() {
            assert_eq!(device.index, i);
            assert!(!device.name.is_empty());
            assert!(device.compute_units > 0);
            assert!(device.max_work_group > 0);
        }
        let text = found.explain_absence();
        assert!(text.contains("OpenCL library"), "{text}");
        match &found.loader {
            LoaderState::Missing { .. }
            | LoaderState::Static
            | LoaderState::Ended { .. }
            | LoaderState::Forked { .. } => {
                assert!(found.devices.is_empty());
            }
            LoaderState::Loaded { path } => {
                assert!(path.as_ref().is_none_or(|p| p.exists()), "{path:?}");
            }
        }
    }

    #[test]
    fn devices_of_one_name_are_numbered() {
        let mut devices: Vec<_> = (0..3).map(|index| DeviceInfo::example(index, DeviceKind::Gpu)).collect();
        devices[2].name = devices[0].name.clone();
        distinguish(&mut devices);
        let names: Vec<_> = devices.iter().map(|device| &*device.name).collect();
        assert_eq!(names, ["device 0 #0", "device 1", "device 0 #2"]);
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut none = Inventory {
            devices: Vec::new(),
            loader: LoaderState::Missing { tried: vec!["/x/y.so".to_string(), LIBRARY.to_string()] },
            icd_files: Vec::new(),
            platforms: Vec::new(),
            notes: Vec::new(),
            warnings: Vec::new(),
            variables: Vec::new(),
        };
        let text = none.explain_absence();
        assert!(text.contains("(tried /x/y.so: "), "{text}");
        assert!(text.contains(", libOpenCL.so.1"), "{text}");
        none.loader = LoaderState::Loaded { path: Some(PathBuf::from("/lib/libOpenCL.so.1")) };
        let text = none.explain_absence();
        assert!(text.contains("/lib/libOpenCL.so.1"), "{text}");
        assert!(text.contains("no platform"), "{text}");
    }

    #[test]
    fn numbers_of_both_widths_are_read() {
        assert_eq!(number(Ok(7u32.to_ne_bytes().to_vec())), 7);
        assert_eq!(number(Ok((1u64 << 40).to_ne_bytes().to_vec())), 1 << 40);
        assert_eq!(number(Err(-30)), 0);
    }
}
