//! What OpenCL needs of the machine, and ends the process without: libraries that can be loaded, and for PoCL a folder
//! for what it compiles, and a linker. What merely hides a device is looked at by `ocr info`.

use ocr_base::output_file::without_signals;
use std::ffi::{CStr, CString, OsString};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::{env, fs, io, ptr};

/// Whether a platform is PoCL, by its name.
pub fn is_pocl(platform: &str) -> bool {
    platform == "Portable Computing Language"
}

/// Whether the process has loaded a library of this name.
pub fn is_loaded(name: &str) -> bool {
    open_library(name, libc::RTLD_NOLOAD).is_ok()
}

/// Why the system cannot load a library; none if it can, and it is loaded then.
pub fn load_failure(name: &str) -> Option<String> {
    open_library(name, 0).err()
}

/// Whether a library that can be loaded has what OpenCL has.
pub(crate) fn is_opencl(name: &str) -> bool {
    open_library(name, 0).is_ok_and(|handle| {
        // SAFETY: the library is loaded and stays, and the name is a C string.
        let found = unsafe { libc::dlsym(handle.as_ptr(), c"clGetPlatformIDs".as_ptr()) };
        !found.is_null()
    })
}

/// The library stays loaded: closing a driver that has threads ends badly.
fn open_library(name: &str, flags: libc::c_int) -> Result<NonNull<libc::c_void>, String> {
    let c_name = CString::new(name).map_err(|_| "its name holds a zero byte".to_string())?;
    // SAFETY: the name is a C string. What a library does when it is loaded is trusted, as OpenCL trusts its drivers.
    let handle = unsafe { libc::dlopen(c_name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL | flags) };
    if let Some(handle) = NonNull::new(handle) {
        return Ok(handle);
    }
    // SAFETY: `dlerror` has no preconditions.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return Err("the system gives no reason".to_string());
    }
    // SAFETY: the message is a C string, which stays until this thread calls the loader again.
    let message = unsafe { CStr::from_ptr(message) };
    Err(message.to_string_lossy().into_owned())
}

/// Where PoCL keeps what it compiles, and what says so.
fn pocl_cache(variable: impl Fn(&str) -> Option<OsString>) -> (PathBuf, &'static str) {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    if let Some(folder) = set("POCL_CACHE_DIR") {
        return (folder.into(), "POCL_CACHE_DIR");
    }
    if let Some(folder) = set("XDG_CACHE_HOME") {
        return (Path::new(&folder).join("pocl/kcache"), "XDG_CACHE_HOME");
    }
    match variable("HOME") {
        Some(folder) => (Path::new(&folder).join(".cache/pocl/kcache"), "HOME"),
        None => (PathBuf::from("/tmp/pocl/kcache"), "no HOME"),
    }
}

/// What PoCL ends the process for when it is asked for its devices: it takes an empty name as one.
pub(crate) fn pocl_cache_is_empty(variable: impl Fn(&str) -> Option<OsString>) -> Option<&'static str> {
    let is_empty = variable("POCL_CACHE_DIR").is_some_and(|value| value.is_empty());
    is_empty.then_some(
        "POCL_CACHE_DIR is set and empty, for which PoCL would end the process, so that it is not asked for devices: unset \
         it, or set it to the whole name of a folder",
    )
}

/// The system has no /sys, or leaves too few threads: PoCL ends the process for that when it is asked for its devices.
/// At that time LLVM has a handler of its own for the signal, so that no message of the runtime would say why.
pub(crate) fn pocl_fault_of_system() -> Option<String> {
    if !Path::new("/sys/devices/system/cpu").exists() {
        return Some(
            "there is no /sys here, for which PoCL would end the process, so that it is not asked for devices: mount it \
             (mount -t sysfs sysfs /sys; container runtimes have an option)"
                .into(),
        );
    }
    // SAFETY: the call takes a number.
    let cores = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }.max(1) as usize;
    let named = ["POCL_CPU_MAX_CU_COUNT", "POCL_MAX_PTHREAD_COUNT"].map(|name| env::var(name).ok()?.parse().ok());
    let wanted = named.into_iter().flatten().min().map_or(cores, |most: usize| most.clamp(1, cores));
    let started = startable(wanted);
    (started < wanted).then(|| {
        format!(
            "PoCL starts {} and would end the process where the system leaves {started}, so that it is not asked for \
             devices: raise the limit (ulimit -u; that of a container), or set POCL_MAX_PTHREAD_COUNT to fewer",
            ocr_base::text::counted(wanted as u64, "thread")
        )
    })
}

/// How many threads the system lets this process start now, at most so many.
fn startable(most: usize) -> usize {
    let (end, ends) = std::sync::mpsc::channel::<()>();
    let ends = std::sync::Arc::new(std::sync::Mutex::new(ends));
    let start = |_: &usize| {
        let ends = ends.clone();
        // Each waits until the channel is closed: one in the call, and the others for the lock.
        let wait = move || drop(ends.lock().map(|ends| ends.recv()));
        std::thread::Builder::new().name("ocr-tried".into()).stack_size(64 << 10).spawn(wait).ok()
    };
    let started: Vec<_> = (0..most).map_while(|at| start(&at)).collect();
    drop(end);
    let count = started.len();
    started.into_iter().for_each(|thread| drop(thread.join()));
    count
}

/// What keeps PoCL from compiling, or from loading what it has compiled: of the folder for that.
pub(crate) fn pocl_cache_fault() -> Option<String> {
    cache_fault().map(|(_, text)| text)
}

/// What keeps PoCL from loading what it has compiled, for which it ends the process.
pub(crate) fn pocl_load_fault() -> Option<String> {
    let (no_code, text) = cache_fault()?;
    no_code.then_some(text)
}

/// Whether code cannot be loaded from the folder, or nothing can be written there; and the words.
fn cache_fault() -> Option<(bool, String)> {
    let (folder, from) = pocl_cache(|name| env::var_os(name));
    if from == "POCL_CACHE_DIR" && folder.as_os_str().len() == 1 {
        let text = format!(
            "PoCL keeps what it compiles in the folder that {from} names, and takes a name of one letter ({}) for none: set \
             {from} to the whole name of a folder",
            folder.display()
        );
        return Some((false, text));
    }
    let fault = try_folder(&folder).err()?;
    let (what, error) = match &fault {
        FolderError::Folder(error) => ("which cannot be made", error),
        FolderError::Write(error) => ("in which nothing can be written", error),
        FolderError::Load(error) => ("from which no code can be loaded (is it mounted noexec?)", error),
    };
    let text = format!(
        "PoCL keeps what it compiles in the folder {} (by {from}), {what}: {error}. Set POCL_CACHE_DIR to a folder in which \
         this user may write, on a file system with free space that is not mounted noexec",
        folder.display()
    );
    Some((matches!(fault, FolderError::Load(_)), text))
}

/// The platform that is being asked for its devices, and all that have been asked so far; null: none.
static ASKED: [AtomicPtr<String>; 2] = [const { AtomicPtr::new(ptr::null_mut()) }; 2];

/// Notes that a platform is asked for its devices now, or that its answer has come. The texts stay: a handler of a
/// signal may read them. Release: pairs with the load in [`asked_platforms`].
pub(crate) fn note_asked(platform: Option<&str>) {
    let keep = |text: String| ptr::from_mut(Box::leak(Box::new(text)));
    let now = platform.map_or(ptr::null_mut(), |platform| keep(platform.to_string()));
    ASKED[0].store(now, Ordering::Release);
    let (_, all) = asked_platforms();
    if let Some(platform) = platform
        && !all.is_some_and(|all| all.contains(platform))
    {
        let all = all.map_or(String::new(), |all| format!("{all}, "));
        ASKED[1].store(keep(format!("{all}{platform}")), Ordering::Release);
    }
}

/// The platform that is being asked for its devices, and all that have been asked so far; for the handler of a signal.
pub fn asked_platforms() -> (Option<&'static str>, Option<&'static str>) {
    let read = |place: &AtomicPtr<String>| {
        let text = place.load(Ordering::Acquire);
        // SAFETY: it is null, or a text that `note_asked` has made and that is never freed nor changed.
        unsafe { text.as_ref() }.map(String::as_str)
    };
    (read(&ASKED[0]), read(&ASKED[1]))
}

/// What can be said where OpenCL has ended the process by itself, in sentences that follow another; empty where nothing
/// is known. PoCL compiles and links kernels when they are first launched, too.
pub fn why_ended() -> String {
    const WITHOUT: &str = " OCR_DEVICES=none has programs run without OpenCL.";
    if let (Some(platform), _) = asked_platforms() {
        return format!(" The driver is that of platform {platform}, which was asked for its devices.{WITHOUT}");
    }
    if LACKING.get().is_none() {
        return WITHOUT.to_string();
    }
    if let Some(fault) = pocl_cache_fault() {
        return format!(" {fault}.");
    }
    let (folder, from) = pocl_cache(|name| env::var_os(name));
    let free =
        free_bytes(&folder).map_or(String::new(), |free| format!(", on whose file system {free} bytes are free"));
    let linker = lacking().map_or(String::new(), |text| format!(" Here, {text}."));
    format!(
        " PoCL does that where it cannot write what it compiles, also when a kernel is first launched: that goes to the \
         folder {} (by {from}){free}. Make room there, or set POCL_CACHE_DIR to a folder with more.{linker}",
        folder.display()
    )
}

/// What a user may still write on the file system of a folder.
fn free_bytes(folder: &Path) -> Option<u64> {
    let name = CString::new(folder.as_os_str().as_bytes()).ok()?;
    let mut found = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the name is a C string, and the place is large enough for the answer.
    if unsafe { libc::statvfs(name.as_ptr(), found.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: the call has succeeded, so it has filled the structure.
    let found = unsafe { found.assume_init() };
    Some(found.f_bavail * found.f_frsize)
}

/// What is wrong with a folder.
enum FolderError {
    Folder(io::Error),
    Write(io::Error),
    Load(io::Error),
}

/// Writes a file there, and maps it for execution, as PoCL does.
fn try_folder(folder: &Path) -> Result<(), FolderError> {
    static TRIES: AtomicU64 = AtomicU64::new(0);
    fs::create_dir_all(folder).map_err(FolderError::Folder)?;
    // Relaxed: it makes names differ, and orders nothing.
    let number = TRIES.fetch_add(1, Ordering::Relaxed);
    let name = format!("ocr-tries-{}-{number}", std::process::id());
    let file = folder.join(name);
    let result = try_file(&file);
    let _ = fs::remove_file(&file);
    result
}

fn try_file(path: &Path) -> Result<(), FolderError> {
    const BYTES: usize = 4096;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o700);
    let mut file = options.open(path).map_err(FolderError::Write)?;
    let written = without_signals(|| file.write_all(&[0; BYTES]));
    written.map_err(FolderError::Write)?;
    // SAFETY: a new mapping of a file that is open and as long, where the system finds room.
    let mapped = unsafe {
        libc::mmap(ptr::null_mut(), BYTES, libc::PROT_READ | libc::PROT_EXEC, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
    };
    if mapped == libc::MAP_FAILED {
        return Err(FolderError::Load(io::Error::last_os_error()));
    }
    // SAFETY: the mapping was just made, and nothing refers to it.
    unsafe { libc::munmap(mapped, BYTES) };
    Ok(())
}

/// What PoCL lacks that it ends the process for, in the middle of a sentence; empty if nothing is known to be missing.
static LACKING: OnceLock<String> = OnceLock::new();

/// Looks for what PoCL ends the process without, while there is time for it.
pub(crate) fn look_for_linker() {
    LACKING.get_or_init(|| {
        let path = env::var_os("PATH").unwrap_or_default();
        let is_there = env::split_paths(&path).any(|folder| is_executable(&folder.join("ld")));
        if is_there {
            String::new()
        } else {
            format!(
                "there is no ld in PATH ({}), which PoCL may need to link kernels (Debian: binutils)",
                String::from_utf8_lossy(path.as_bytes())
            )
        }
    });
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// What OpenCL is known to lack, where it has ended the process; for the handler of a signal.
pub fn lacking() -> Option<&'static str> {
    LACKING.get().map(String::as_str).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_pocl_is_found_as_pocl_does() {
        let with = |set: &[(&str, &str)]| {
            let find = |name: &str| set.iter().find(|of| of.0 == name).map(|of| of.1.into());
            pocl_cache(find)
        };
        let all = [("POCL_CACHE_DIR", "/a"), ("XDG_CACHE_HOME", "/b"), ("HOME", "/c")];
        assert_eq!(with(&all), (PathBuf::from("/a"), "POCL_CACHE_DIR"));
        assert_eq!(with(&all[1..]).0, PathBuf::from("/b/pocl/kcache"));
        assert_eq!(with(&all[2..]).0, PathBuf::from("/c/.cache/pocl/kcache"));
    }

    #[test]
    fn an_empty_folder_of_pocl_is_none() {
        let with = |value: Option<&str>| pocl_cache_is_empty(|_| value.map(Into::into));
        assert!(with(Some("")).is_some());
        assert!(with(Some("/a")).is_none() && with(None).is_none());
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_found_out() {
        let folder = env::temp_dir().join(format!("ocr-cache-{}", std::process::id()));
        assert!(try_folder(&folder).is_ok());
        let left = fs::read_dir(&folder).expect("it was made").count();
        assert_eq!(left, 0);
        assert!(free_bytes(&folder).is_some());
        let file = folder.join("file");
        fs::write(&file, "").expect("a file");
        assert!(try_folder(&file.join("below")).is_err_and(|fault| matches!(fault, FolderError::Folder(_))));
        fs::remove_dir_all(&folder).expect("it is ours");
        assert!(try_folder(Path::new("/proc/self")).is_err());
    }
}
