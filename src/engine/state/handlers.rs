//! Signal handlers of the runtime, which leave to the program those that it has.
//!
//! OpenCL installs handlers, too, when it is first asked for its devices: PoCL one for `SIGFPE`, which skips the
//! division by zero that a kernel does, and LLVM, with which PoCL compiles, one for each signal that may end the
//! program. [`Handlers::keep`] puts back what each signal did before, be it a handler or what the system does by
//! itself: LLVM's would remove its temporary files and end the program as the system does. That of `SIGFPE` is wanted
//! while kernels run (`process/sigfpe.rs`), and goes when the run ends. A program that asks OpenCL for devices itself
//! has it install the same handlers. They count as the drivers' as well ([`is_of_driver`]), and that of `SIGUSR1` is
//! replaced again by the thread that watches.

use crate::symbols::{self, Loaded};
use ocr_base::lock::{Mutex, rank};
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;

/// What a signal does: a function with flags and a mask, nothing, or what the system does by itself.
pub(crate) type Action = libc::sigaction;

/// A handler with `SA_SIGINFO`: the signal, what the system says of it, and the context of the thread that it
/// interrupts.
pub(crate) type WithInfo = extern "C" fn(libc::c_int, *const libc::siginfo_t, *const libc::c_void);

/// The signals that LLVM has handlers for, but that of division by zero. The program may install one for another
/// meanwhile.
const OF_LLVM: [libc::c_int; 15] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGSEGV,
    libc::SIGQUIT,
    libc::SIGSYS,
    libc::SIGXCPU,
    libc::SIGXFSZ,
];

/// Handlers that OpenCL has installed, for runs that begin later.
static OF_OPENCL: Mutex<rank::HandlersOfOpencl, Vec<(libc::c_int, usize)>> = Mutex::new(Vec::new());

/// The functions that the runtime has installed as handlers: those of the last run stay when it has ended.
static OURS: Mutex<rank::HandlersOfRuntime, Vec<usize>> = Mutex::new(Vec::new());

/// The handlers that are installed while a run lives.
pub(crate) struct Handlers {
    installed: Mutex<rank::Handlers, Vec<Handler>>,
    /// Installs a handler of `SIGFPE` that comes before OpenCL's, where OpenCL has one. It is given what the signal did
    /// before OpenCL was asked.
    come_before: fn(&Action) -> Option<Handler>,
}

impl Handlers {
    pub(crate) fn new(come_before: fn(&Action) -> Option<Handler>) -> Handlers {
        Handlers { installed: Mutex::default(), come_before }
    }

    /// Installs these handlers beside those that are installed.
    pub(crate) fn add(&self, handlers: impl IntoIterator<Item = Handler>) {
        self.installed.lock().extend(handlers);
    }

    /// Does what may have OpenCL install handlers, and then has signals do again what they did before.
    pub(crate) fn keep<T>(&self, work: impl FnOnce() -> T) -> T {
        let mut handlers = self.installed.lock();
        let actions = OF_LLVM.map(action_of);
        let division = action_of(libc::SIGFPE);
        let before = functions();
        let result = work();
        // The handler of division by zero stays (`process/sigfpe.rs`).
        let is_new = |of: &(libc::c_int, usize)| !before.contains(of) && OF_LLVM.contains(&of.0);
        OF_OPENCL.lock().extend(functions().into_iter().filter(is_new));
        for (signal, earlier) in OF_LLVM.into_iter().zip(actions) {
            put_back(signal, earlier);
        }
        handlers.extend(division.and_then(|before| (self.come_before)(&before)));
        result
    }

    /// Installs a handler of the runtime again over that of an OpenCL driver, which the program has loaded meanwhile.
    pub(crate) fn take_back(&self, signal: libc::c_int) {
        // Somebody who asks OpenCL has the lock, and takes care of the handlers.
        let Some(installed) = self.installed.try_lock() else {
            return;
        };
        let ours = installed.iter().find(|handler| handler.signal == signal);
        if let Some((ours, now)) = ours.zip(action_of(signal))
            && !ours.is_on()
            && is_function(&now)
            && is_of_driver(now.sa_sigaction)
        {
            // SAFETY: it was this signal's action before, and its function is the runtime's, made fit for that.
            unsafe { install(signal, &ours.ours) };
        }
    }

    /// Takes all of these handlers off, and puts back what was there before.
    pub(crate) fn end(&self) {
        self.installed.lock().clear();
    }
}

/// Does what may have a library install handlers, as MPI does when it is loaded, and then has all signals do again what
/// they did before.
pub(crate) fn keep_all<T>(work: impl FnOnce() -> T) -> T {
    let before: Vec<_> = (1..=libc::SIGRTMAX()).map(|signal| (signal, action_of(signal))).collect();
    let result = work();
    for (signal, earlier) in before {
        put_back(signal, earlier);
    }
    result
}

/// A handler that is installed while this lives.
pub(crate) struct Handler {
    signal: libc::c_int,
    ours: Action,
    /// What the signal does without it.
    below: Action,
}

impl Handler {
    /// Installs a handler; none if the program has one.
    ///
    /// # Safety
    /// `function` is a handler as `flags` say, and does what a handler of this signal may do.
    pub(crate) unsafe fn begin(signal: libc::c_int, function: usize, flags: libc::c_int) -> Option<Handler> {
        let below = action_of(signal)?;
        program_has_llvm();
        let of_opencl = OF_OPENCL.lock().contains(&(signal, below.sa_sigaction));
        let of_last_run = OURS.lock().contains(&below.sa_sigaction);
        let is_free = of_opencl || of_last_run || is_of_driver(below.sa_sigaction);
        if below.sa_sigaction != libc::SIG_DFL && !is_free {
            return None;
        }
        let mut ours = OURS.lock();
        if !ours.contains(&function) {
            ours.push(function);
        }
        drop(ours);
        // SAFETY: `function` is a handler as `flags` say, which the caller of this function promises.
        Some(unsafe { Handler::over(signal, action(function, flags), below) })
    }

    /// Installs a handler where there is this one.
    ///
    /// # Safety
    /// As for [`Handler::begin`].
    pub(crate) unsafe fn over(signal: libc::c_int, ours: Action, below: Action) -> Handler {
        // SAFETY: the caller promises, as for `begin`, that the handler does what one of this signal may do.
        unsafe { install(signal, &ours) };
        Handler { signal, ours, below }
    }

    fn is_on(&self) -> bool {
        let now = action_of(self.signal);
        now.is_some_and(|now| now.sa_sigaction == self.ours.sa_sigaction)
    }

    /// Leaves a signal to the system; may be called in a handler.
    pub(crate) fn give_back(signal: libc::c_int) {
        // SAFETY: the action names no function, so there is no handler that could do what it may not.
        unsafe { install(signal, &default_action()) };
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        // The program may have installed another since.
        if self.is_on() {
            // SAFETY: `below` was this signal's action when the handler was installed. So its function, if any, is a
            // handler of this signal, which the code that installed it made fit for that.
            unsafe { install(self.signal, &self.below) };
        }
    }
}

/// Has a signal do what it did earlier, if a library has installed another handler since. One of the program itself,
/// which another thread may have installed meanwhile, stays.
fn put_back(signal: libc::c_int, earlier: Option<Action>) {
    if let Some((now, earlier)) = action_of(signal).zip(earlier)
        && now.sa_sigaction != earlier.sa_sigaction
        && is_function(&now)
        && !is_of_program(now.sa_sigaction)
    {
        // SAFETY: `earlier` was this signal's action before the library was called. So its function, if any, is a
        // handler of this signal, which the code that installed it made fit for that.
        unsafe { install(signal, &earlier) };
    }
}

/// Whether a function is the program's own, and of no library but the runtime.
fn is_of_program(function: usize) -> bool {
    let start = start_of_file(function);
    start.is_some()
        && [start_of_file(program_headers()), start_of_file(put_back as *const () as usize)].contains(&start)
}

/// Where the headers of the program lie, in its own file.
fn program_headers() -> usize {
    // SAFETY: `getauxval` has no preconditions.
    unsafe { libc::getauxval(libc::AT_PHDR) as usize }
}

/// Where the file is loaded that this address is in: the program, or a library.
fn start_of_file(address: usize) -> Option<usize> {
    symbols::loaded_at(address).map(|file| file.start)
}

/// Whether a handler is of an OpenCL driver, or of LLVM, with which drivers compile: the program has loaded it by
/// asking OpenCL for devices itself.
///
/// Such a handler leads to no function of the program's: LLVM's removes temporary files and ends the program, or calls
/// what was given to LLVM, which takes a program that calls LLVM. Then its functions are among those that the program
/// finds, and the handler counts as the program's. So no hang is found where a handler of the program's might still
/// act.
///
/// Nothing here waits for the lock of the dynamic loader, since the thread that watches calls this.
fn is_of_driver(function: usize) -> bool {
    let Some(file) = symbols::loaded_at(function).filter(|file| !file.name.is_null()) else {
        return false;
    };
    if is_llvm(&file) {
        return !program_has_llvm();
    }
    // What each driver has for the loader of OpenCL (cl_khr_icd). PoCL has the first up to its release 6.
    let of_drivers: [&[u8]; 2] = [b"clIcdGetPlatformIDsKHR", b"clGetExtensionFunctionAddress"];
    of_drivers.iter().any(|name| symbols::defines(function, name)) && !is_of_program(function)
}

/// Whether a file that is loaded is LLVM, by its name.
fn is_llvm(file: &Loaded) -> bool {
    if file.name.is_null() {
        return false;
    }
    // SAFETY: the loader keeps the name as long as the file is loaded, and drivers with threads stay.
    let name = unsafe { CStr::from_ptr(file.name) };
    let bytes = name.to_bytes();
    bytes.rsplit(|&byte| byte == b'/').next().unwrap_or(bytes).starts_with(b"libLLVM")
}

/// Whether the program was linked with LLVM. Looked up once, when a run begins. Where LLVM is loaded, that takes the
/// lock of the dynamic loader, which a thread may have that waits for this run in a constructor of a library.
fn program_has_llvm() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    let is_loaded = || symbols::loaded().into_iter().filter_map(symbols::loaded_at).any(|file| is_llvm(&file));
    *HAS.get_or_init(|| {
        if !is_loaded() {
            return false;
        }
        // SAFETY: `dlsym` takes any handle of its own and a text that ends with a zero, as this one does.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"LLVMContextCreate".as_ptr()) };
        !found.is_null()
    })
}

/// The signals that have a handler, each with the handler's address.
fn functions() -> Vec<(libc::c_int, usize)> {
    let handlers = (1..=libc::SIGRTMAX()).filter_map(|signal| {
        let action = action_of(signal)?;
        is_function(&action).then_some((signal, action.sa_sigaction))
    });
    handlers.collect()
}

/// A signal that may come at any time and for which the program, or a library of its own, has a handler.
pub(crate) fn handled_by_program() -> Option<libc::c_int> {
    // What a thread does itself brings them.
    const OWN: [libc::c_int; 7] =
        [libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV, libc::SIGSYS, libc::SIGTRAP];
    let of_opencl = OF_OPENCL.lock();
    let ours = OURS.lock();
    let is_program = |of: &(libc::c_int, usize)| {
        let is_known = of_opencl.contains(of) || ours.contains(&of.1);
        !OWN.contains(&of.0) && !is_known && !is_of_driver(of.1)
    };
    functions().into_iter().find(is_program).map(|of| of.0)
}

/// Whether a signal calls a handler of the runtime now.
pub(crate) fn is_ours(signal: libc::c_int) -> bool {
    action_of(signal).is_some_and(|now| OURS.lock().contains(&now.sa_sigaction))
}

/// What people call a signal.
pub(crate) fn name_of(signal: libc::c_int) -> String {
    let name = match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGCHLD => "SIGCHLD",
        libc::SIGPROF => "SIGPROF",
        other => return format!("signal {other}"),
    };
    name.into()
}

/// Whether it calls a function.
pub(crate) fn is_function(action: &Action) -> bool {
    ![libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction)
}

/// What a signal does now.
pub(crate) fn action_of(signal: libc::c_int) -> Option<Action> {
    let mut now = MaybeUninit::<Action>::uninit();
    // SAFETY: without a new action the call changes nothing, and `now` has room for the present one.
    let result = unsafe { libc::sigaction(signal, ptr::null(), now.as_mut_ptr()) };
    // SAFETY: a result of 0 says that `sigaction` has written the whole action.
    (result == 0).then(|| unsafe { now.assume_init() })
}

/// What the system does by itself.
pub(crate) fn default_action() -> Action {
    action(libc::SIG_DFL, 0)
}

/// The action by which a signal does nothing.
pub(crate) fn ignoring_action() -> Action {
    action(libc::SIG_IGN, 0)
}

/// An action during which no other handler runs on the thread.
fn action(function: usize, flags: libc::c_int) -> Action {
    // SAFETY: zero bytes are a valid `sigaction` with an empty mask.
    let mut action: Action = unsafe { std::mem::zeroed() };
    action.sa_sigaction = function;
    action.sa_flags = flags;
    // SAFETY: `sa_mask` is a signal set of this thread's own, which the call overwrites.
    unsafe { libc::sigfillset(&mut action.sa_mask) };
    action
}

/// # Safety
/// As for [`Handler::begin`].
unsafe fn install(signal: libc::c_int, action: &Action) {
    // SAFETY: `action` is a reference, and the caller promises, as for `begin`, that its handler does
    // what one of this signal may do.
    unsafe { libc::sigaction(signal, action, ptr::null_mut()) };
}
