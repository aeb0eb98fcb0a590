//! Threads of this process as messages name them, by the system's number.

use super::read_file;

/// A thread, with the name that the system has for it.
pub fn thread_name(id: i32) -> String {
    if id == std::process::id() as i32 {
        return "the main thread".into();
    }
    match system_name(id) {
        Some(name) => format!("thread {id} ({name})"),
        None => format!("thread {id}"),
    }
}

/// A thread that is not one of the runtime's. A thread has the name of its creator until it is given another name, so a
/// name of the runtime's is left out.
pub fn other_thread_name(id: i32) -> String {
    match system_name(id) {
        Some(name) if name.starts_with("ocr-") => format!("thread {id}"),
        _ => thread_name(id),
    }
}

/// The system's name of a thread. None where there is no such thread.
pub fn system_name(id: i32) -> Option<String> {
    let name = read_file(format!("/proc/self/task/{id}/comm")).ok()?;
    Some(name.trim_end().into())
}
