//! Opens the file of a policy, and finds the policy in it. Errors are for people.

use super::layout::{PolicyCalls, VERSION};
use ocr_base::text::Readable;
use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The policy that a file defines. The file stays open as long as the process lives.
pub(super) fn open(file: &Path) -> Result<&'static PolicyCalls, String> {
    let name = Readable::path(file);
    match file.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!(
                "there is no file {name} with a policy (a policy whose name has a slash in it is a file); cc -shared -fPIC \
                 -o NAME.so NAME.c makes one"
            ));
        }
        Err(error) => return Err(format!("the policy {name} cannot be read: {error}")),
        Ok(data) if !data.is_file() => {
            return Err(format!("the policy {name} is no file; cc -shared -fPIC -o NAME.so NAME.c makes one"));
        }
        Ok(_) => {}
    }
    let path = CString::new(file.as_os_str().as_bytes())
        .map_err(|_| format!("the name of the policy {name} has a zero in it"))?;
    // SAFETY: the name is a text that ends with a zero. What the file runs when it is loaded is the user's own.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return Err(format!("the policy {name} cannot be loaded: {}", why()));
    }
    // SAFETY: the handle is that of a library which is open, and the name a text that ends with a zero.
    let found = unsafe { libc::dlsym(handle, c"ocrPolicy".as_ptr()) };
    if found.is_null() {
        return Err(format!(
            "the policy {name} defines no ocrPolicy: include ocr-policy.h, and define `const ocrPolicy_t ocrPolicy` in the file"
        ));
    }
    // SAFETY: a policy of any version begins with its version, and stays in memory: the library is never closed.
    let version = unsafe { found.cast::<u32>().read_unaligned() };
    if version != VERSION || !found.cast::<PolicyCalls>().is_aligned() {
        return Err(format!(
            "the policy {name} is of version {version} of the interface, and this runtime has version {VERSION}: compile it \
             with the ocr-policy.h of this runtime, and with OCR_POLICY_VERSION for its version"
        ));
    }
    // SAFETY: a policy of this version is of this type, constant, and stays in memory.
    let calls: &'static PolicyCalls = unsafe { &*found.cast::<PolicyCalls>() };
    check(calls).map_err(|lack| format!("the policy {name} {lack}"))?;
    Ok(calls)
}

/// What a policy lacks, or has too much.
pub(super) fn check(calls: &PolicyCalls) -> Result<(), String> {
    let lack = |function: &str| Err(format!("has no function `{function}`: it is NULL"));
    if calls.choose.is_none() {
        return lack("choose");
    }
    let keeps = match (calls.keep, calls.take) {
        (Some(_), None) => return lack("take"),
        (None, Some(_)) => return lack("keep"),
        (keep, _) => keep.is_some(),
    };
    let for_keepers = [("ended", calls.ended.is_some()), ("tick", calls.tick.is_some())];
    match for_keepers.iter().find(|(_, is_there)| *is_there && !keeps) {
        Some((function, _)) => {
            Err(format!("has a function `{function}` that is never called: `keep` and `take` are NULL"))
        }
        None => Ok(()),
    }
}

/// Why the dynamic loader has refused something.
fn why() -> String {
    // SAFETY: the call takes nothing, and the text that it returns lasts until this thread calls the loader again.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the dynamic loader does not say why".into();
    }
    // SAFETY: the text ends with a zero, and is read before this thread calls the loader again.
    let text = unsafe { CStr::from_ptr(text) };
    Readable(text.to_bytes()).to_string()
}
