//! Which OpenCL library there is, and where it looks for platforms.

use crate::device::opencl::surroundings::{is_opencl, load_failure};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The OpenCL library that is used where the user names no other.
pub(super) const LIBRARY: &str = "libOpenCL.so.1";
/// The variable that names others, with semicolons between them: the first that can be loaded is used.
pub(super) const LIBRARY_OVERRIDE: &str = "OPENCL_DYLIB_PATH";

/// Whether the process has no dynamic loader. With OpenCL it would have a second C library, and crash.
pub(super) fn is_static() -> bool {
    // SAFETY: `getauxval` has no preconditions.
    let headers = unsafe { libc::getauxval(libc::AT_PHDR) } as *const libc::Elf64_Phdr;
    // SAFETY: `getauxval` has no preconditions.
    let count = unsafe { libc::getauxval(libc::AT_PHNUM) } as usize;
    if headers.is_null() {
        return false;
    }
    // SAFETY: the system has loaded `count` headers of the program there, and they stay.
    let headers = unsafe { std::slice::from_raw_parts(headers, count) };
    headers.iter().all(|header| header.p_type != libc::PT_INTERP)
}

/// The libraries that are tried, in order.
pub(super) fn library_names() -> Vec<String> {
    let mut names: Vec<String> =
        std::env::var(LIBRARY_OVERRIDE).map(|paths| paths.split(';').map(str::to_string).collect()).unwrap_or_default();
    names.push(LIBRARY.to_string());
    names
}

/// The file that the OpenCL library was loaded from.
pub(super) fn loaded_library() -> Option<PathBuf> {
    // The loader does not say which of the names it took, but the system says what is mapped.
    let wanted: Vec<PathBuf> = library_names().iter().filter_map(|name| Path::new(name).canonicalize().ok()).collect();
    let maps = std::fs::read("/proc/self/maps").ok()?;
    let mapped = || {
        maps.split(|&byte| byte == b'\n').filter_map(|line| {
            let at = line.iter().position(|&byte| byte == b'/')?;
            Some(Path::new(OsStr::from_bytes(&line[at..])))
        })
    };
    mapped()
        .find(|path| wanted.iter().any(|w| w == path))
        .or_else(|| {
            mapped().find(|path| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"libOpenCL")))
        })
        .map(Path::to_path_buf)
}

/// Where the loader looks for platforms, and the variable that says so.
pub(super) fn icd_place() -> (PathBuf, Option<&'static str>) {
    let set = |name: &'static str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
        Some((PathBuf::from(value), Some(name)))
    };
    set("OCL_ICD_VENDORS")
        .or_else(|| set("OPENCL_VENDOR_PATH"))
        .unwrap_or_else(|| (PathBuf::from("/etc/OpenCL/vendors"), None))
}

/// The files by which the loader finds platforms, by name.
pub(super) fn icd_files() -> Vec<PathBuf> {
    let (place, _) = icd_place();
    if place.is_file() {
        return vec![place];
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(place)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "icd"))
        .collect();
    files.sort();
    files
}

/// Beginnings of the names of variables by which libraries and drivers of OpenCL find and choose devices.
const VARIABLES: [&[u8]; 13] = [
    b"CUDA_", b"GPU_", b"HIP_", b"HSA_", b"LD_", b"LIBOCL_", b"NEO", b"NVIDIA_", b"OCL_", b"OPENCL_", b"POCL_",
    b"ROCR_", b"ZE_",
];
/// What is there where a machine has a device of another kind than its cores.
const NODES: [&str; 4] = ["/dev/nvidiactl", "/dev/kfd", "/dev/dri", "/dev/accel"];

/// The variables by which libraries and drivers of OpenCL find and choose devices, with their values. OpenCL may change
/// them when it is asked for devices: with PoCL 5, `OCL_ICD_FILENAMES` is set then.
pub fn variables() -> Vec<u8> {
    let mut variables: Vec<_> = std::env::vars_os().collect();
    variables.retain(|(name, _)| VARIABLES.iter().any(|begin| name.as_bytes().starts_with(begin)));
    variables.sort();
    variables.iter().flat_map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat()).collect()
}

/// What says which devices OpenCL finds, as far as it can be told without asking: the [`variables`] before it was
/// asked, the files by which platforms are found, the library of earlier, and nodes of devices.
pub fn surroundings(variables: &[u8], library: Option<&Path>) -> Vec<u8> {
    let mut all = vec![u8::from(is_static())];
    all.extend(variables);
    let (place, _) = icd_place();
    let files = icd_files().into_iter().chain([place]).chain(NODES.map(PathBuf::from));
    for path in files.chain(library.map(Path::to_path_buf)) {
        let about = std::fs::metadata(&path).map(|about| (about.len(), about.mtime(), about.mtime_nsec()));
        all.extend(format!("{} {about:?}\0", path.display()).into_bytes());
    }
    all
}

/// What is said of the libraries that the user names, and that are not the one that is used, or are no OpenCL. The
/// first one that can be loaded is taken, whatever it is.
pub(super) fn passed_over(used: Option<&Path>) -> Vec<String> {
    let used = used.map_or(LIBRARY.to_string(), |used| used.display().to_string());
    let advice = format!("Name an OpenCL library with its whole path, or unset {LIBRARY_OVERRIDE}");
    let mut warnings = Vec::new();
    for name in library_names() {
        if name == LIBRARY {
            break;
        }
        if let Some(why) = load_failure(&name) {
            warnings.push(format!(
                "{LIBRARY_OVERRIDE} names {name}, which the system could not load ({why}); {used} is used instead. {advice}"
            ));
            continue;
        }
        if name.is_empty() {
            warnings.push(format!(
                "{LIBRARY_OVERRIDE} holds an empty name, which stands for the program itself, so that there is no \
                 device. {advice}"
            ));
        } else if !is_opencl(&name) {
            warnings.push(format!(
                "{LIBRARY_OVERRIDE} names {name}, which is loaded but is not OpenCL (it has no clGetPlatformIDs), so that \
                 there is no device. {advice}"
            ));
        }
        break;
    }
    warnings
}
