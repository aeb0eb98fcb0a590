//! `benches/c/grid.h` for a Rust program: the same code as for the C programs, from a shared library.

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::transmute;
use std::time::Instant;

/// `GridTasks`.
#[repr(C)]
struct Tasks {
    count: u32,
    task: [u32; 5],
}

/// The functions of `grid.h`.
#[derive(Clone, Copy)]
pub(crate) struct Grid {
    next: extern "C" fn() -> bool,
    point: extern "C" fn(f64),
    end: extern "C" fn() -> u64,
    most: extern "C" fn() -> u64,
    has: extern "C" fn(u64) -> bool,
    dependences: extern "C" fn(u64) -> *const Tasks,
    dependents: extern "C" fn(u64) -> *const Tasks,
    run: extern "C" fn(u64),
}

/// The time since then.
pub(crate) fn nanoseconds(since: Instant) -> f64 {
    since.elapsed().as_nanos() as f64
}

/// What a library calls by this name.
fn symbol(library: *mut c_void, name: &str) -> *mut c_void {
    let text = CString::new(name).expect("a name");
    // SAFETY: the library is loaded, the name ends with 0.
    let symbol = unsafe { libc::dlsym(library, text.as_ptr()) };
    assert!(!symbol.is_null(), "the library has no {name}");
    symbol
}

/// A function of the library.
macro_rules! function {
    ($library:expr, $name:literal, $type:ty) => {
        // SAFETY: the type is that of the function's declaration in `grid.h`.
        unsafe { transmute::<*mut c_void, $type>(symbol($library, $name)) }
    };
}

impl Grid {
    /// Loads the library and gives it the arguments.
    pub(crate) fn open(library: &str, arguments: &[&str]) -> Grid {
        let path = CString::new(library).expect("a path");
        // SAFETY: the library is the bench's own; it runs nothing when it is loaded.
        let loaded = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        assert!(!loaded.is_null(), "{library} cannot be loaded");
        let texts = arguments.iter().map(|text| CString::new(*text));
        let texts: Vec<CString> = texts.map(|text| text.expect("no 0 in it")).collect();
        let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let begin = function!(loaded, "gridBegin", extern "C" fn(c_int, *const *const c_char));
        begin(pointers.len() as c_int, pointers.as_ptr());
        Grid {
            next: function!(loaded, "gridNext", extern "C" fn() -> bool),
            point: function!(loaded, "gridPoint", extern "C" fn(f64)),
            end: function!(loaded, "gridEnd", extern "C" fn() -> u64),
            most: function!(loaded, "gridMost", extern "C" fn() -> u64),
            has: function!(loaded, "gridHas", extern "C" fn(u64) -> bool),
            dependences: function!(loaded, "gridDependences", extern "C" fn(u64) -> *const Tasks),
            dependents: function!(loaded, "gridDependents", extern "C" fn(u64) -> *const Tasks),
            run: function!(loaded, "gridRun", extern "C" fn(u64)),
        }
    }

    /// `gridNext`.
    pub(crate) fn next(self) -> bool {
        (self.next)()
    }

    /// `gridPoint`.
    pub(crate) fn point(self, nanoseconds: f64) {
        (self.point)(nanoseconds);
    }

    /// `gridEnd`.
    pub(crate) fn end(self) -> u64 {
        (self.end)()
    }

    /// `gridMost`.
    pub(crate) fn most(self) -> u64 {
        (self.most)()
    }

    /// `gridHas`.
    pub(crate) fn has(self, task: u64) -> bool {
        (self.has)(task)
    }

    /// `gridRun`.
    pub(crate) fn run(self, task: u64) {
        (self.run)(task);
    }

    /// `gridDependences`; `task` is below `gridEnd`.
    pub(crate) fn dependences<'a>(self, task: u64) -> &'a [u32] {
        // SAFETY: the tables stay where they are; they change between two points only, when no
        // thread runs tasks.
        let tasks = unsafe { &*(self.dependences)(task) };
        &tasks.task[..tasks.count as usize]
    }

    /// `gridDependents`; `task` is below `gridEnd`.
    pub(crate) fn dependents<'a>(self, task: u64) -> &'a [u32] {
        // SAFETY: as above.
        let tasks = unsafe { &*(self.dependents)(task) };
        &tasks.task[..tasks.count as usize]
    }
}
