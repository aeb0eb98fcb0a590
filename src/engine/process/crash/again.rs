//! Whether a thread may leave the function of an EDT that has crashed, so that the EDT is undone and runs again
//! (`engine/attempt`). When in doubt it may not: the crash is reported as without attempts, with the reason.
//!
//! | what is the case | may it? |
//! |---|---|
//! | the thread runs no attempt | no, and nothing is said of it |
//! | in verification mode | no, and nothing is said of it |
//! | the thread is in a call of the runtime, or carries out what was held | no: a lock of the runtime may be held |
//! | the attempt is open | no: what the EDT has done is seen by others |
//! | as many attempts as the setting allows have crashed, were too late, or were kernels that failed | no |
//! | the function is written in Rust | no: its frames have destructors, which would not run |
//! | an exception of C++ is on its way, or is being handled | no: the C++ library has it in its books |
//! | `abort` after a message of the C library that is no assertion of the program's | no: it has found its memory corrupted, with a lock held |
//! | `SIGABRT` that another thread has sent to this one | no: the thread may be anywhere |
//! | another `abort`, as of a failed assertion | yes: the C library holds no lock when it raises the signal |
//! | another file than the program, the C library, `libm`, the loader and the runtime "has called" what crashed | no: a lock may be held there |
//! | the instruction is in the program, or in the file that has the EDT's function | yes: that holds no lock of others |
//! | it is in a function of the C library for strings or memory, which these have called | yes: such a function holds no lock |
//! | it is nowhere, and these have called a function there, as by a null pointer | yes |
//! | it is anywhere else: in the C library, its allocator among that, in another library | no: a lock may be held there |
//! | the frame below the function was written over | no: so may be what is above |
//! | the C library is no file of its own, as with `-static`, or one before 2.36, which may abort without a message | no: nothing of it can be told apart |
//! | the process was made by `fork` in the function | no, and nothing is said of it: it has no other thread |
//!
//! A thread whose function is beyond its time limit (`late.rs`) asks the same wherever it is. For it the instruction
//! has to be in the program itself: not in a function for strings, of which it may have come to another part, nor
//! nowhere. It may not leave a handler of the program's for a signal, which may have interrupted what holds a lock;
//! this is seen on x86-64 alone. Nor may it leave where the program has an allocator of its own, whose locks are not
//! known. Of these reasons some may pass, so it is asked again.
//!
//! "Have called" is read from the return address where the function begins: at the stack pointer, or in the link
//! register. A function of the C library that another of the same has called, as `strlen` in `printf`, has one in
//! there. Whether another file "has called" is decided by any word between the stack pointer and the function's frame that is an address of such a
//! file: a stale one refuses, and permits nothing. A lock of the program's own that the EDT holds stays held, and so
//! does the guard of a static variable of C++ that is being made: the program has to know that. What is loaded is
//! looked at when the run begins. The handler of the signal asks, so nothing here allocates or takes a lock.

use crate::engine::attempt::point::{LATE, LeftCrash, Point, here};
use crate::engine::state::attempt::{AttemptPhase, WhyOpen};
use crate::engine::state::context::Context;
use crate::engine::state::fork;
use crate::engine::state::handlers::is_ours;
use crate::engine::state::user_call::is_called_by_rust;
use crate::message::Text;
use crate::stack;
use std::ffi::{CStr, c_int, c_void};
use std::fmt::{self, Write};
use std::mem::transmute;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Why the EDT that has crashed does not run again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotAgain {
    /// It has run as often as the setting allows.
    Often(u32),
    InCall,
    Open(WhyOpen),
    InRust,
    Exception,
    Corrupted,
    Sent,
    Elsewhere,
    Unknown,
    Overwritten,
    /// The allocator is in the program.
    OwnAllocator,
}

/// What becomes of a function that is beyond its time limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LateFate {
    /// The thread runs no attempt that could be undone.
    NoAttempt,
    /// The function of the attempt has returned.
    Over,
    /// The thread leaves the function when the handler returns.
    Left,
    /// It cannot be left here.
    Ends(NotAgain),
}

/// By what a thread comes to ask whether it may leave the function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause<'a> {
    /// An instruction that cannot be executed.
    Fault,
    /// `abort`, and what the C library has said before.
    Abort(Option<&'a CStr>),
    /// The time limit.
    Late,
}

/// What becomes of a crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CrashFate {
    /// The thread runs no attempt that a crash could undo.
    NoAttempt,
    /// The thread leaves the function when the handler returns.
    Left,
    /// The crash ends the process.
    Ends(NotAgain),
}

/// Decides what becomes of a crash, and has the thread leave the function if that may be. `said` is what the C library
/// has said before it called `abort`.
pub(super) fn leave_if_possible(
    (signal, is_abort): (libc::c_int, bool),
    context: *mut libc::c_void,
    said: Option<&CStr>,
) -> CrashFate {
    let Some(point) = here().filter(|_| fork::is_first()) else {
        return CrashFate::NoAttempt;
    };
    let instruction = if is_abort { None } else { stack::instruction(context) };
    let cause = if is_abort { Cause::Abort(said) } else { Cause::Fault };
    match may_leave(point, cause, (context, instruction)) {
        Ok(()) => {
            if let Some(said) = said.filter(|_| is_abort) {
                forget_message(said);
            }
            point.leave(LeftCrash { signal, instruction: instruction.unwrap_or(0) }, context);
            CrashFate::Left
        }
        Err(why) => why.map_or(CrashFate::NoAttempt, CrashFate::Ends),
    }
}

/// Decides what becomes of a function that is beyond its time limit, and has the thread leave it if that may be.
pub(super) fn leave_if_late(is_attempt: bool, context: *mut libc::c_void) -> LateFate {
    if !is_attempt {
        return LateFate::NoAttempt;
    }
    let (Some(instruction), Some(stack_pointer)) = (stack::instruction(context), stack::stack_pointer(context)) else {
        return LateFate::NoAttempt;
    };
    let Some(point) = here().filter(|point| point.is_in_function(instruction, stack_pointer)) else {
        return LateFate::Over;
    };
    match may_leave(point, Cause::Late, (context, Some(instruction))) {
        Ok(()) => {
            point.leave(LeftCrash { signal: LATE, instruction }, context);
            LateFate::Left
        }
        Err(why) => why.map_or(LateFate::NoAttempt, LateFate::Ends),
    }
}

/// Whether the thread may leave the function: the table above, but for its first row. The error is the reason, or none
/// where nothing is said.
fn may_leave(
    point: &Point,
    cause: Cause<'_>,
    (context, instruction): (*const libc::c_void, Option<usize>),
) -> Result<(), Option<NotAgain>> {
    let progress = point.progress.get();
    let refuse = |why: NotAgain| Err(Some(why));
    if progress.is_verified() {
        return Err(None);
    }
    if point.is_in_runtime() {
        return refuse(NotAgain::InCall);
    }
    if let AttemptPhase::Open(why) = progress.phase() {
        return refuse(NotAgain::Open(why));
    }
    if !progress.may_run_again() {
        return refuse(NotAgain::Often(progress.number()));
    }
    if is_called_by_rust() {
        return refuse(NotAgain::InRust);
    }
    // The C++ library may allocate for its answer: not where the thread may be in the allocator.
    if cause != Cause::Late && has_exception() {
        return refuse(NotAgain::Exception);
    }
    // SAFETY: the pointer is null, or that of what `look_at_code` has leaked. Acquire: pairs with the store there.
    let code = unsafe { CODE.load(Ordering::Acquire).as_ref() };
    let Some(code) = code.filter(|code| code.tells_c_apart) else {
        return refuse(NotAgain::Unknown);
    };
    let mut handlers = None;
    match cause {
        Cause::Abort(said) => {
            if !said.is_none_or(is_of_program_itself) {
                return refuse(NotAgain::Corrupted);
            }
            if !context.is_null() && !stack::sends_itself(context, libc::SIGABRT) {
                return refuse(NotAgain::Sent);
            }
        }
        Cause::Fault if !instruction.is_some_and(|at| is_of_program(at, code, point, context)) => {
            return refuse(NotAgain::Elsewhere);
        }
        Cause::Late if code.allocates => return refuse(NotAgain::OwnAllocator),
        Cause::Late if !instruction.is_some_and(|at| code.is_of_program(at, point.function)) => {
            return refuse(NotAgain::Elsewhere);
        }
        Cause::Fault => {}
        Cause::Late if has_exception() => return refuse(NotAgain::Exception),
        Cause::Late => handlers = stack::return_of_handlers(context),
    }
    if !point.is_intact() {
        return refuse(NotAgain::Overwritten);
    }
    // A thread whose stack pointer is not in its stack runs on another one, of the program's own.
    let calls = stack::words_to(context, point.frame());
    let may_hold = |word| Some(word) == handlers || code.is_of_others(word, point.function);
    if calls.is_none_or(|mut words| words.any(may_hold)) {
        return refuse(NotAgain::Elsewhere);
    }
    Ok(())
}

/// Whether an `abort` of the EDT that this thread runs as an attempt would be undone, for a fault that is injected.
pub(crate) fn would_undo_abort() -> bool {
    // SAFETY: the pointer is null, or that of what `look_at_code` has leaked. Acquire: pairs with the store there.
    let code = unsafe { CODE.load(Ordering::Acquire).as_ref() };
    let is_sound = !is_called_by_rust() && !has_exception() && code.is_some_and(|code| code.tells_c_apart);
    is_sound && is_ours(libc::SIGABRT)
}

/// Whether a message of the C library is that of an assertion of the program's. It has assertions of its own, too, in
/// its allocator among others.
fn is_of_program_itself(said: &CStr) -> bool {
    is_assertion(said) && !said.to_bytes().starts_with(b"Fatal glibc error")
}

/// Writes what the attempt of this thread has printed by `ocrPrintf` and what was held, as the process ends.
pub(super) fn write_held_text() {
    let Some(context) = here().and_then(|_| Context::get()) else {
        return;
    };
    // SAFETY: a thread with a point is a worker, whose context is alive. What a call of the runtime was about to do
    // with it is never done. If it was about to hold one more step, the steps are there as before or with that one: a
    // vector has its new memory before it gives up the old, and counts an element that is written.
    let attempt = unsafe { &*context }.attempt.as_deref();
    for text in attempt.into_iter().flat_map(|attempt| attempt.texts()) {
        // SAFETY: the text has as many bytes as are written, and POSIX allows the call in a handler.
        unsafe { libc::write(libc::STDOUT_FILENO, text.as_ptr().cast(), text.len()) };
    }
}

/// Whether a message of the C library is that of an assertion.
pub(super) fn is_assertion(said: &CStr) -> bool {
    let word = b"ssertion";
    said.to_bytes().windows(word.len()).any(|part| part == word)
}

impl NotAgain {
    /// Whether it is another way a moment later, if the function goes on.
    pub(super) fn may_pass(self) -> bool {
        matches!(self, NotAgain::InCall | NotAgain::Exception | NotAgain::Elsewhere)
    }

    /// Says why the EDT does not run again, as a line of the message. It `crashed` or `was` where it cannot be left.
    pub(super) fn tell(self, text: &mut Text, was: &str) -> fmt::Result {
        text.write_str(match here() {
            Some(point) if point.is_of_duplicate() => {
                "  OCR_DUPLICATES: a function that ran beside the kernel of its EDT cannot be left, "
            }
            _ => "  OCR_RETRY: the EDT does not run again, ",
        })?;
        match self {
            NotAgain::Often(1) => text.write_str("as it has run once"),
            NotAgain::Often(number) => write!(text, "as this was attempt {number} of {number}, and all have failed"),
            NotAgain::InCall => write!(text, "as it {was} in a call of the runtime, which may hold a lock"),
            NotAgain::Open(WhyOpen::Called(api)) => {
                write!(text, "as it had called {}, and what came before cannot be undone after that", api.shown())
            }
            NotAgain::Open(WhyOpen::ManyCalls) => text.write_str("as it had made more calls than are held back"),
            NotAgain::Open(WhyOpen::Shares(block)) => {
                write!(text, "as it shares the data block {block}, in RW mode, with others: EW mode keeps them out")
            }
            NotAgain::Open(WhyOpen::NoMemory) => text.write_str("as there was no memory for a copy of its data blocks"),
            NotAgain::InRust => text.write_str("as a function in Rust cannot be left without its destructors"),
            NotAgain::Exception => text.write_str("as an exception of C++ was on its way"),
            NotAgain::Corrupted => text.write_str("as the C library itself has ended the program, and may hold a lock"),
            NotAgain::Elsewhere => write!(
                text,
                "as it {was} in a library, or in what a library has called, and that may hold a lock: only in the \
                 program, or in a string function that it has called, is it known that none is held",
            ),
            NotAgain::Sent => text.write_str("as another thread has sent the signal, so that this one may hold a lock"),
            NotAgain::Unknown => text.write_str(
                "as locks of the C library cannot be told here: it has to be a shared library, of version 2.36 or later",
            ),
            NotAgain::Overwritten => text.write_str("as it has written over the stack beyond its own variables"),
            NotAgain::OwnAllocator => text.write_str("as the program has an allocator of its own, which may hold a lock"),
        }?;
        text.write_str(".\n")
    }
}

/// A file that is loaded: where its instructions are.
struct LoadedFile {
    /// Its lowest address.
    start: usize,
    code: Vec<Range<usize>>,
}

/// What is known of what is loaded.
struct LoadedCode {
    files: Vec<LoadedFile>,
    /// The C library's, by its number in `files`.
    of_c: Option<usize>,
    /// The runtime's own, which is the program's where that is linked with `libocr.a`.
    of_runtime: Option<usize>,
    /// The numbers in `files` of the files that hold no lock while they call others: the loader, `libm`, and the file
    /// that the kernel maps (vDSO).
    harmless: Vec<usize>,
    /// Where functions for strings and memory begin.
    strings: Vec<usize>,
    /// Whether the C library is a file of its own, and says why it aborts.
    tells_c_apart: bool,
    /// Whether the allocator is in the program's own file.
    allocates: bool,
}

/// What is loaded, for the handler. It stays from one run to the next, and each run adds its own.
static CODE: AtomicPtr<LoadedCode> = AtomicPtr::new(ptr::null_mut());

/// Where the C++ library tells of exceptions; 0 where there is none.
static EXCEPTIONS: AtomicUsize = AtomicUsize::new(0);

/// Functions that hold no lock, and call nothing that does.
const STRING_FUNCTIONS: [&CStr; 23] = [
    c"memcpy",
    c"memmove",
    c"memset",
    c"memcmp",
    c"memchr",
    c"memrchr",
    c"rawmemchr",
    c"strlen",
    c"strnlen",
    c"strcpy",
    c"strncpy",
    c"stpcpy",
    c"strcat",
    c"strncat",
    c"strcmp",
    c"strncmp",
    c"strchr",
    c"strchrnul",
    c"strrchr",
    c"strspn",
    c"strcspn",
    c"strpbrk",
    c"strstr",
];

/// The most bytes that a function for strings has.
const LONGEST: usize = 4096;

/// Looks at what is loaded: in a handler it would be too late.
pub(super) fn look_at_code() {
    let mut files: Vec<LoadedFile> = Vec::new();
    // SAFETY: `note_file` has the form that the call asks for, and gets the vector, which stays until it returns.
    unsafe { libc::dl_iterate_phdr(Some(note_file), (&raw mut files).cast()) };
    let file_of = |address: usize| files.iter().position(|file| file.has(address));
    let strings = STRING_FUNCTIONS.iter().map(|name| symbol(name)).filter(|&address| address != 0).collect();
    let of_c = file_of(symbol(c"abort"));
    // SAFETY: `getauxval` has no preconditions.
    let of_system = |entry| unsafe { libc::getauxval(entry) } as usize;
    let starts = [of_system(libc::AT_BASE), of_system(libc::AT_SYSINFO_EHDR)];
    let starts = starts.map(|start| files.iter().position(|file| start != 0 && file.start == start));
    let harmless = starts.into_iter().chain([file_of(symbol(c"ldexpl"))]).flatten().collect();
    let of_runtime = file_of(look_at_code as *const () as usize);
    EXCEPTIONS.store(symbol(c"__cxa_get_globals_fast"), Ordering::Relaxed);
    let tells_c_apart = of_c.is_some_and(|file| file != 0) && says_why_it_aborts();
    let allocates = file_of(symbol(c"malloc")) == Some(0);
    let code = LoadedCode { files, of_c, of_runtime, harmless, strings, tells_c_apart, allocates };
    let code = Box::leak(Box::new(code));
    // Release: pairs with the load in the handler, which may run on another thread.
    CODE.store(code, Ordering::Release);
}

/// Whether the C library always says why it aborts: glibc does from 2.36 on. Before that, its allocator's assertions
/// look as `abort` by the program does.
fn says_why_it_aborts() -> bool {
    let address = symbol(c"gnu_get_libc_version");
    if address == 0 {
        return false;
    }
    // SAFETY: the address is that of `gnu_get_libc_version`, which takes nothing and answers with a pointer.
    let version = unsafe { transmute::<usize, extern "C" fn() -> *const libc::c_char>(address) }();
    // SAFETY: the C library answers with a text of its own that stays.
    let version = unsafe { CStr::from_ptr(version) }.to_string_lossy();
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(2), Some(36))
}

/// The address of a function that is loaded; 0 if there is none.
fn symbol(name: &CStr) -> usize {
    // SAFETY: `dlsym` takes any handle of its own and a text that ends with a zero, as this one does.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as usize }
}

/// Notes a file that is loaded.
///
/// # Safety
/// `info` is what `dl_iterate_phdr` passes, and `files` the vector of `look_at_code`.
unsafe extern "C" fn note_file(info: *mut libc::dl_phdr_info, _: usize, files: *mut c_void) -> c_int {
    // SAFETY: the loader passes a description that stays as it is during the call.
    let info = unsafe { &*info };
    // SAFETY: the caller passes the vector of `look_at_code`, which nothing else uses during the call.
    let files = unsafe { &mut *files.cast::<Vec<LoadedFile>>() };
    let parts = match info.dlpi_phnum {
        0 => &[],
        // SAFETY: the loader says how many headers there are, and they stay as long as the file is loaded.
        count => unsafe { std::slice::from_raw_parts(info.dlpi_phdr, count as usize) },
    };
    let code = parts.iter().filter(|part| part.p_type == libc::PT_LOAD && part.p_flags & libc::PF_X != 0);
    let range = |part: &libc::Elf64_Phdr| {
        let start = info.dlpi_addr as usize + part.p_vaddr as usize;
        start..start + part.p_memsz as usize
    };
    let lowest = parts.iter().filter(|part| part.p_type == libc::PT_LOAD).map(|part| range(part).start).min();
    files.push(LoadedFile { start: lowest.unwrap_or(0), code: code.map(range).collect() });
    0
}

impl LoadedFile {
    fn has(&self, address: usize) -> bool {
        self.code.iter().any(|range| range.contains(&address))
    }
}

impl LoadedCode {
    /// Whether an address is in the program's own file, which is the first, or in that of the EDT's function. A runtime
    /// of its own file, and the C library, are neither.
    fn is_of_program(&self, address: usize, function: usize) -> bool {
        let is_in = |file: usize| self.files.get(file).is_some_and(|file| file.has(address));
        let of_function = self.files.iter().position(|file| file.has(function));
        let files = [Some(0), of_function];
        files
            .into_iter()
            .flatten()
            .any(|file| Some(file) != self.of_c && is_in(file) && (file == 0 || Some(file) != self.of_runtime))
    }

    /// Whether an address is in a function for strings of the C library.
    fn is_in_strings(&self, address: usize) -> bool {
        let of_c = self.of_c.and_then(|file| self.files.get(file));
        let in_c = of_c.is_some_and(|file| file.has(address));
        in_c && self.strings.iter().any(|&start| (start..start + LONGEST).contains(&address))
    }

    /// Whether an address is in a file that may hold a lock while it calls others.
    fn is_of_others(&self, address: usize, function: usize) -> bool {
        let Some(file) = self.files.iter().position(|file| file.has(address)) else {
            return false;
        };
        let is_known = Some(file) == self.of_c || Some(file) == self.of_runtime || self.harmless.contains(&file);
        !is_known && !self.is_of_program(address, function)
    }

    /// Whether no code is there.
    fn is_nowhere(&self, address: usize) -> bool {
        !self.files.iter().any(|file| file.has(address))
    }
}

/// Whether an instruction is the program's, or one of a function for strings that the program has called.
fn is_of_program(instruction: usize, code: &LoadedCode, point: &Point, context: *const libc::c_void) -> bool {
    if code.is_of_program(instruction, point.function) {
        return true;
    }
    if !code.is_in_strings(instruction) && !code.is_nowhere(instruction) {
        return false;
    }
    stack::return_address(context).is_some_and(|caller| code.is_of_program(caller, point.function))
}

/// Whether this thread has an exception of C++ that is on its way, or is being handled.
fn has_exception() -> bool {
    /// What the C++ library keeps of a thread, by the ABI of C++ on Linux.
    #[repr(C)]
    struct OfThread {
        caught: *const c_void,
        uncaught: libc::c_uint,
    }
    let address = EXCEPTIONS.load(Ordering::Relaxed);
    if address == 0 {
        return false;
    }
    // SAFETY: the address is that of `__cxa_get_globals_fast`, which takes nothing and answers with a pointer.
    let of_thread = unsafe { transmute::<usize, extern "C" fn() -> *const OfThread>(address) }();
    // SAFETY: the C++ library answers with null, or with what it keeps of this thread as long as that lives.
    unsafe { of_thread.as_ref() }.is_some_and(|of_thread| !of_thread.caught.is_null() || of_thread.uncaught != 0)
}

/// Has the C library forget a message, unless another thread has said something since: what it says before the next
/// `abort` counts then. The page of the message stays mapped, since the handler of another thread may be reading it.
fn forget_message(judged: &CStr) {
    let said = super::said();
    if said.is_null() {
        return;
    }
    let judged = judged.as_ptr().wrapping_byte_sub(super::BEFORE_TEXT).cast_mut();
    // SAFETY: the pointer is not null here, and is that of a variable of the C library, which stays, and which threads
    // exchange atomically, as the C library does.
    let variable = unsafe { AtomicPtr::from_ptr(said.cast_mut().cast::<*mut libc::c_char>()) };
    // Relaxed: the text is not read behind it.
    let _ = variable.compare_exchange(judged, ptr::null_mut(), Ordering::Relaxed, Ordering::Relaxed);
}

#[cfg(all(test, not(loom), not(miri)))]
mod tests {
    use super::*;
    use crate::config::Retry;
    use crate::engine::state::attempt::AttemptProgress;
    use crate::object::code::EdtDep;
    use crate::object::guid::Guid;

    unsafe extern "C" fn function(_: u32, _: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
        Guid::NULL
    }

    fn point(change: impl FnOnce(&mut AttemptProgress)) -> Point {
        let mut progress = AttemptProgress::begin(Retry::Times(1));
        change(&mut progress);
        Point::new(progress, function)
    }

    /// What is decided of an abort after a message.
    fn of_abort(point: &Point, said: Option<&CStr>) -> Result<(), Option<NotAgain>> {
        may_leave(point, Cause::Abort(said), (ptr::null(), None))
    }

    #[test]
    fn the_first_reason_is_told() {
        look_at_code();
        // No function runs: the frame is not there.
        let overwritten = Err(Some(NotAgain::Overwritten));
        assert_eq!(of_abort(&point(|_| ()), None), overwritten);
        assert_eq!(of_abort(&point(|_| ()), Some(c"x: Assertion `y' failed.")), overwritten);
        let corrupted = Err(Some(NotAgain::Corrupted));
        assert_eq!(of_abort(&point(|_| ()), Some(c"free(): invalid pointer")), corrupted);
        let of_malloc = c"Fatal glibc error: malloc assertion failure in sysmalloc: x";
        assert_eq!(of_abort(&point(|_| ()), Some(of_malloc)), corrupted);
        let in_call = {
            let point = point(|_| ());
            point.inside(|| of_abort(&point, None))
        };
        assert_eq!(in_call, Err(Some(NotAgain::InCall)));
        let open = point(|progress| _ = progress.open(WhyOpen::ManyCalls));
        assert_eq!(of_abort(&open, None), Err(Some(NotAgain::Open(WhyOpen::ManyCalls))));
        let again = point(|progress| {
            progress.crashes();
            progress.again();
        });
        assert_eq!(of_abort(&again, None), Err(Some(NotAgain::Often(2))));
        let late = |point: &Point| may_leave(point, Cause::Late, (ptr::null(), None)).err().flatten();
        assert_eq!(late(&point(|_| ())), Some(NotAgain::Elsewhere));
        assert_eq!([&open, &again].map(late), [NotAgain::Open(WhyOpen::ManyCalls), NotAgain::Often(2)].map(Some));
        assert!(NotAgain::Elsewhere.may_pass() && !NotAgain::Often(2).may_pass());
        assert_eq!(of_abort(&Point::new(AttemptProgress::begin(Retry::Verify), function), None), Err(None));
    }

    #[test]
    fn code_is_told_apart() {
        look_at_code();
        // SAFETY: the pointer is that of what was just leaked.
        let code = unsafe { &*CODE.load(Ordering::Acquire) };
        let function = function as *const () as usize;
        assert!(code.is_of_program(function, function), "the test is the program, and has the runtime in it");
        let [malloc, memcpy] = [symbol(c"malloc"), symbol(c"memcpy")];
        assert!(!code.is_of_program(malloc, function) && !code.is_in_strings(malloc));
        assert!(!code.is_of_program(memcpy, function) && code.is_in_strings(memcpy + 1));
        assert!(code.is_nowhere(0) && !code.is_nowhere(malloc));
        assert!(!code.is_of_others(malloc, function) && !code.is_of_others(function, function));
        // SAFETY: `getauxval` has no preconditions.
        let loader = unsafe { libc::getauxval(libc::AT_BASE) } as usize;
        assert!(code.harmless.iter().any(|&file| code.files[file].start == loader));
        assert!(!has_exception());
    }
}
