//! The plug-in that calls MPI: where it is looked for, how it is loaded, and the table by which it is called. `mpi.c`
//! beside this file is what it is made of.
//!
//! | where a plug-in is looked for | why |
//! |---|---|
//! | the file that `OCR_MPI` names | the user says so |
//! | the folder `ocr` beside the library, or beside the program where that has the library in it | an installation may be moved |
//! | `../lib/ocr` of it | a program in `bin/` that has the library in it |
//! | `ocr` in the folders for libraries of the system | other programs that have the library in them |

use crate::link::block::BlockBytes;
use crate::link::launcher::LaunchedProcess;
use crate::link::names;
use crate::link::{KNOWN, LONGEST_MESSAGE, LinkEvent, NodePlace};
use ocr_base::text::Readable;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The folders for libraries of the system, each with a folder `ocr` where plug-ins are installed.
const OF_SYSTEM: &[&str] = &[
    "/usr/local/lib",
    "/usr/lib",
    "/usr/lib64",
    #[cfg(target_arch = "x86_64")]
    "/usr/lib/x86_64-linux-gnu",
    #[cfg(target_arch = "aarch64")]
    "/usr/lib/aarch64-linux-gnu",
];

/// The file of a plug-in with this name.
fn file_of(name: &str) -> String {
    format!("libocr-mpi-{name}.so")
}

/// The folders in which plug-ins may be. `home` is the file that has the library in it.
pub(crate) fn folders(home: &Path) -> Vec<PathBuf> {
    let home = home.canonicalize().unwrap_or_else(|_| home.to_path_buf());
    let beside = home.parent().into_iter().flat_map(|folder| [folder.join("ocr"), folder.join("../lib/ocr")]);
    beside.chain(OF_SYSTEM.iter().map(|folder| Path::new(folder).join("ocr"))).collect()
}

/// The plug-ins that are installed, of those with these names, each with its name.
pub(crate) fn installed(names: &[&'static str], home: &Path) -> Vec<(&'static str, PathBuf)> {
    let folders = folders(home);
    let of = |name: &&'static str| {
        let files = folders.iter().map(|folder| folder.join(file_of(name)));
        Some((*name, files.into_iter().find(|file| file.is_file())?))
    };
    names.iter().filter_map(of).collect()
}

/// The plug-ins that a program finds which has the library in it and is where this one is, each with the name of its
/// MPI.
pub fn mpi_plugins() -> Vec<(&'static str, PathBuf)> {
    installed(KNOWN, &std::env::current_exe().unwrap_or_default())
}

/// Why no plug-in can be chosen, for the end of a message.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum PluginChoiceError {
    /// None is installed, of these files.
    Nothing(Vec<String>),
    /// Several are, of which each might suit.
    Several(Vec<PathBuf>),
}

/// The plug-in for a launch: the one that the user names, or the one that suits. Without a launcher any may.
pub(crate) fn choose(
    launch: Option<&LaunchedProcess>,
    named: Option<&Path>,
    home: &Path,
) -> Result<PathBuf, PluginChoiceError> {
    if let Some(named) = named {
        return Ok(named.to_path_buf());
    }
    let names = launch.map_or(KNOWN, |launch| launch.launcher.plugins());
    let mut found: Vec<PathBuf> = installed(names, home).into_iter().map(|(_, file)| file).collect();
    match found.len() {
        0 => Err(PluginChoiceError::Nothing(names.iter().map(|name| file_of(name)).collect())),
        1 => Ok(found.remove(0)),
        _ => Err(PluginChoiceError::Several(found)),
    }
}

/// The number of the table's form. `OCR_LINK_VERSION` in `mpi.c` has to be the same.
const VERSION: u32 = 2;

/// `ocrLinkPlace_t` of `mpi.c`.
#[repr(C)]
#[derive(Default)]
struct RawPlace {
    node: i32,
    nodes: i32,
    local_node: i32,
    local_nodes: i32,
}

const SENT: i32 = 1;
const ARRIVED: i32 = 2;
const TAKEN: i32 = 4;

/// The lane of messages, and that of the contents of blocks.
const MESSAGES: i32 = 0;
const BLOCKS: i32 = 1;

/// MPI counts bytes by numbers of 31 bits.
const LONGEST_PART: usize = 1 << 30;

/// `ocrLinkEvent_t` of `mpi.c`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RawEvent {
    kind: i32,
    node: i32,
    bytes: u64,
    token: u64,
}

/// `ocrLink_t` of `mpi.c`.
#[repr(C)]
struct Table {
    version: u32,
    size: u32,
    interface: *const c_char,
    init: unsafe extern "C" fn(*mut RawPlace) -> c_int,
    library: unsafe extern "C" fn() -> *const c_char,
    send: unsafe extern "C" fn(i32, i32, *const c_void, u64, u64) -> c_int,
    receive: unsafe extern "C" fn(*mut c_void, u64, u64) -> c_int,
    take: unsafe extern "C" fn(i32, *mut c_void, u64, u64) -> c_int,
    poll: unsafe extern "C" fn(*mut RawEvent, i32) -> i32,
    abort: unsafe extern "C" fn(i32),
    end: unsafe extern "C" fn() -> c_int,
    words: unsafe extern "C" fn(c_int) -> *const c_char,
}

/// How many messages may arrive before somebody looks. `RECEIVES` in `mpi.c` is the most that can be posted.
const RECEIVES: usize = 16;

/// A plug-in that is loaded. It stays as long as the process: MPI cannot be unloaded.
pub(crate) struct Plugin {
    file: PathBuf,
    table: &'static Table,
    /// The bytes of messages on their way out, by token. A `Vec` that moves leaves its bytes where they are.
    sending: HashMap<u64, Vec<u8>>,
    /// The blocks of which parts are on their way, in or out, each by the token of its first part; how many parts.
    blocks: HashMap<u64, (usize, BlockBytes)>,
    /// The first parts of those of which a part is on its way, by that one's token; and, of one that is taken, by what
    /// the caller knows it.
    parts: HashMap<u64, (u64, Option<u64>)>,
    next: u64,
    /// What messages arrive in; the token of a receive is its number here.
    arriving: Vec<Box<[u8]>>,
    events: [RawEvent; 64],
}

impl Plugin {
    /// Loads a plug-in. The error is for people.
    pub(crate) fn load(file: &Path) -> Result<Plugin, String> {
        let shown = Readable::path(file);
        let name = CString::new(file.as_os_str().as_bytes()).map_err(|_| format!("{shown} is no name of a file"))?;
        names::hide()?;
        // SAFETY: the name is a C string. The constructors of the plug-in and of its MPI run, which the user has
        // installed to be loaded.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_NODELETE) };
        if handle.is_null() {
            return Err(format!("the plug-in {shown} cannot be loaded: {}", load_error()));
        }
        // SAFETY: the handle is that of a library which stays, and the name is a C string.
        let found = unsafe { libc::dlsym(handle, c"ocrLink".as_ptr()) };
        if found.is_null() {
            return Err(format!("{shown} is no plug-in of this runtime: it has no ocrLink"));
        }
        // SAFETY: each table that has this name begins with the number of its form, an aligned word, and is constant.
        let version = unsafe { found.cast::<u32>().read() };
        if version != VERSION {
            return Err(format!(
                "the plug-in {shown} has form {version} of the interface, and this library (ocr {}) has form {VERSION}: \
                 they are of different releases. Install the plug-in of this library, or make it by `make mpi-plugin`",
                env!("CARGO_PKG_VERSION")
            ));
        }
        // SAFETY: the number says that it is this table, which is constant and stays with the library.
        let table = unsafe { &*found.cast::<Table>() };
        if table.size as usize != size_of::<Table>() {
            return Err(format!("the plug-in {shown} has a table of {} bytes: it is damaged", table.size));
        }
        Ok(Plugin {
            file: file.to_path_buf(),
            table,
            sending: HashMap::new(),
            blocks: HashMap::new(),
            parts: HashMap::new(),
            next: 0,
            arriving: Vec::new(),
            events: [RawEvent::default(); 64],
        })
    }

    /// Begins MPI, which waits for the other processes of the launch. The error is for people.
    pub(crate) fn begin(&mut self) -> Result<NodePlace, String> {
        let mut place = RawPlace::default();
        // SAFETY: the place is this function's, and the plug-in was loaded as the table says.
        let code = unsafe { (self.table.init)(&raw mut place) };
        self.check(code)?;
        for token in 0..RECEIVES {
            self.arriving.push(vec![0; LONGEST_MESSAGE].into_boxed_slice());
            self.post(token)?;
        }
        let [node, nodes, local, locals] =
            [place.node, place.nodes, place.local_node, place.local_nodes].map(|number| number.max(0) as u32);
        Ok(NodePlace { node, nodes, local, locals })
    }

    /// The plug-in's file, and the MPI library that it uses, in that one's words. After [`Plugin::begin`].
    pub(crate) fn about(&self) -> String {
        // SAFETY: the call has no preconditions after `init`, and returns a C string that stays.
        let library = text(unsafe { (self.table.library)() });
        let library = library.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{} ({library})", Readable::path(&self.file))
    }

    /// The MPI that it was compiled for.
    pub(crate) fn interface(&self) -> String {
        text(self.table.interface)
    }

    /// Posts a receive into one of the places for messages.
    fn post(&mut self, token: usize) -> Result<(), String> {
        let place = &mut self.arriving[token];
        // SAFETY: the place has so many bytes, stays where it is as long as this plug-in, and is not touched until the
        // plug-in says that a message has arrived in it.
        let code = unsafe { (self.table.receive)(place.as_mut_ptr().cast(), LONGEST_MESSAGE as u64, token as u64) };
        self.check(code)
    }

    fn check(&self, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the call takes any number, and returns a C string that stays until the next call.
        let why = text(unsafe { (self.table.words)(code) });
        Err(format!("{} says: {why}", self.interface()))
    }

    /// Begins to send a message to another node. The error is for people.
    pub(crate) fn send(&mut self, to: u32, bytes: Vec<u8>) -> Result<(), String> {
        let token = self.next;
        self.next += 1;
        let bytes = self.sending.entry(token).or_insert(bytes);
        // SAFETY: the bytes stay where they are, unchanged, until the plug-in says that they are sent.
        let code = unsafe { (self.table.send)(to as i32, MESSAGES, bytes.as_ptr().cast(), bytes.len() as u64, token) };
        if code != 0 {
            self.sending.remove(&token);
        }
        self.check(code)
    }

    /// Begins to send the content of a block, which the other node takes: its blocks come in their order. The error is
    /// for people.
    pub(crate) fn send_block(&mut self, to: u32, bytes: BlockBytes) -> Result<(), String> {
        self.begin_block(bytes, None, |table, at, length, token| {
            // SAFETY: the memory stays, and nobody writes to it, until the plug-in says that it is sent.
            unsafe { (table.send)(to as i32, BLOCKS, at.cast_const().cast(), length, token) }
        })
    }

    /// Takes the content of the next block that another node sends to this one, of so many bytes. [`LinkEvent::Taken`]
    /// says when it is there. The error is for people.
    pub(crate) fn take(&mut self, from: u32, place: BlockBytes, id: u64) -> Result<(), String> {
        self.begin_block(place, Some(id), |table, at, length, token| {
            // SAFETY: the memory stays, and nobody uses it, until the plug-in says that all has come.
            unsafe { (table.take)(from as i32, at.cast(), length, token) }
        })
    }

    /// Begins a request for each part of a block.
    fn begin_block(
        &mut self,
        bytes: BlockBytes,
        id: Option<u64>,
        begin: impl Fn(&Table, *mut u8, u64, u64) -> c_int,
    ) -> Result<(), String> {
        let first = self.next;
        let parts: Vec<_> = bytes.parts(LONGEST_PART).collect();
        // Where one fails, the memory stays: MPI may have begun with the others.
        self.blocks.insert(first, (parts.len(), bytes));
        for (at, length) in parts {
            let token = self.next;
            self.next += 1;
            self.parts.insert(token, (first, id));
            self.check(begin(self.table, at, length as u64, token))?;
        }
        Ok(())
    }

    /// A part of a block was sent, or has come. By what the caller knows the block, if it is taken and all of it is
    /// here.
    fn end_part(&mut self, token: u64) -> Option<u64> {
        let (first, id) = self.parts.remove(&token)?;
        let (left, _) = self.blocks.get_mut(&first)?;
        *left -= 1;
        if *left > 0 {
            return None;
        }
        self.blocks.remove(&first);
        id
    }

    /// Appends what has happened since the last call. Never waits.
    pub(crate) fn poll(&mut self, events: &mut Vec<LinkEvent>) {
        // SAFETY: the array has room for so many events.
        let found = unsafe { (self.table.poll)(self.events.as_mut_ptr(), self.events.len() as i32) };
        for at in 0..found.max(0) as usize {
            let event = self.events[at];
            match event.kind {
                SENT if self.sending.remove(&event.token).is_some() => {}
                SENT | TAKEN => events.extend(self.end_part(event.token).map(|id| LinkEvent::Taken { id })),
                ARRIVED => {
                    let token = event.token as usize;
                    let bytes = self.arriving[token][..event.bytes as usize].to_vec();
                    events.push(LinkEvent::Arrived { from: event.node as u32, bytes });
                    // The place is free again.
                    if self.post(token).is_err() {
                        events.push(LinkEvent::Failed { node: None });
                    }
                }
                _ => {
                    // The bytes stay: nobody says whether MPI still looks at them.
                    events.push(LinkEvent::Failed { node: u32::try_from(event.node).ok() });
                }
            }
        }
    }

    /// How many messages are still on their way out of this process, and contents of blocks in or out of it.
    pub(crate) fn under_way(&self) -> usize {
        self.sending.len() + self.blocks.len()
    }

    /// Has the launcher end all nodes with this status. Returns only if it cannot.
    pub(crate) fn abort(&mut self, status: i32) {
        // SAFETY: the call has no preconditions after `init`.
        unsafe { (self.table.abort)(status) };
    }

    /// Ends the link, when all messages are sent. May wait for the other nodes, which must do the same. The error is
    /// for people.
    pub(crate) fn end(&mut self) -> Result<(), String> {
        // SAFETY: `init` has succeeded, and nothing is called behind this.
        let code = unsafe { (self.table.end)() };
        self.check(code)?;
        self.arriving.clear();
        self.sending.clear();
        self.blocks.clear();
        Ok(())
    }
}

impl Drop for Plugin {
    /// Without [`Plugin::end`], requests may be posted still, and a thread of MPI may write a message into its place or
    /// read one that is sent. So the memory of all messages is never freed. The process ends soon.
    fn drop(&mut self) {
        std::mem::forget(std::mem::take(&mut self.arriving));
        std::mem::forget(std::mem::take(&mut self.sending));
        std::mem::forget(std::mem::take(&mut self.blocks));
    }
}

/// A C string of the plug-in.
fn text(from: *const c_char) -> String {
    if from.is_null() {
        return String::new();
    }
    // SAFETY: the functions of the table return null or a C string that stays during this call.
    Readable(unsafe { CStr::from_ptr(from) }.to_bytes()).to_string()
}

/// What the loader says of the call that has failed.
fn load_error() -> String {
    // SAFETY: the call has no preconditions, and returns null or a C string that stays until the next call.
    text(unsafe { libc::dlerror() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::fs;

    thread_local! {
        /// The memory that the plug-in of a test was given: where, and how many bytes.
        static GIVEN: RefCell<Vec<(*const u8, usize)>> = const { RefCell::new(Vec::new()) };
    }

    /// A plug-in whose requests are never over. It knows nothing of MPI.
    fn plugin_that_keeps() -> Plugin {
        extern "C" fn init(_: *mut RawPlace) -> c_int {
            0
        }
        extern "C" fn library() -> *const c_char {
            c"none".as_ptr()
        }
        extern "C" fn send(_: i32, _: i32, at: *const c_void, bytes: u64, _: u64) -> c_int {
            GIVEN.with_borrow_mut(|given| given.push((at.cast(), bytes as usize)));
            0
        }
        extern "C" fn receive(at: *mut c_void, bytes: u64, _: u64) -> c_int {
            GIVEN.with_borrow_mut(|given| given.push((at.cast_const().cast(), bytes as usize)));
            0
        }
        extern "C" fn take(_: i32, at: *mut c_void, bytes: u64, token: u64) -> c_int {
            receive(at, bytes, token)
        }
        extern "C" fn poll(_: *mut RawEvent, _: i32) -> i32 {
            0
        }
        extern "C" fn abort(_: i32) {}
        extern "C" fn end() -> c_int {
            0
        }
        extern "C" fn words(_: c_int) -> *const c_char {
            c"nothing".as_ptr()
        }
        let interface = c"none".as_ptr();
        let (version, size) = (VERSION, size_of::<Table>() as u32);
        let table = Table { version, size, interface, init, library, send, receive, take, poll, abort, end, words };
        Plugin {
            file: PathBuf::new(),
            table: Box::leak(Box::new(table)),
            sending: HashMap::new(),
            blocks: HashMap::new(),
            parts: HashMap::new(),
            next: 0,
            arriving: Vec::new(),
            events: [RawEvent::default(); 64],
        }
    }

    /// MPI may use that memory until it has ended, which it has not.
    #[test]
    #[cfg_attr(miri, ignore = "leaks memory on purpose")]
    fn the_memory_of_requests_that_are_not_over_stays() {
        let mut plugin = plugin_that_keeps();
        plugin.begin().expect("it begins");
        for place in &mut plugin.arriving {
            place.fill(7);
        }
        plugin.send(1, vec![7; LONGEST_MESSAGE]).expect("it is sent");
        plugin.send_block(1, vec![7; 100].into()).expect("it is sent");
        plugin.take(1, vec![7; 100].into(), 5).expect("it is taken");
        drop(plugin);
        let given = GIVEN.take();
        assert_eq!(given.len(), RECEIVES + 3);
        for (at, bytes) in given {
            // SAFETY: the plug-in has given so many bytes, and what this test shows is that they are not freed.
            let bytes = unsafe { std::slice::from_raw_parts(at, bytes) };
            assert!(bytes.iter().all(|&byte| byte == 7));
        }
    }

    /// A folder with a library in it and these plug-ins, for one test.
    fn place(test: &str, plugins: &[&str]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ocr-plugins-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("ocr")).expect("the folder for temporary files can be written");
        for name in plugins {
            fs::write(folder.join("ocr").join(file_of(name)), "").expect("it can be written");
        }
        fs::write(folder.join("libocr.so.0"), "").expect("it can be written");
        folder
    }

    #[test]
    #[cfg_attr(miri, ignore = "writes files")]
    fn the_plugin_beside_the_library_is_chosen() {
        let folder = place("one", &["mpich"]);
        let home = folder.join("libocr.so.0");
        let file = folder.canonicalize().expect("it is there").join("ocr/libocr-mpi-mpich.so");
        assert_eq!(installed(KNOWN, &home).first(), Some(&("mpich", file.clone())));
        // By the link that programs are linked with, too.
        std::os::unix::fs::symlink("libocr.so.0", folder.join("libocr.so")).expect("a link");
        assert_eq!(choose(None, None, &folder.join("libocr.so")), Ok(file));
        let named = Path::new("/there/x.so");
        assert_eq!(choose(None, Some(named), &home), Ok(named.to_path_buf()));
        fs::remove_dir_all(folder).expect("it goes away");
    }

    #[test]
    #[cfg_attr(miri, ignore = "writes files")]
    fn of_several_none_is_chosen() {
        let folder = place("several", KNOWN);
        let chosen = choose(None, None, &folder.join("libocr.so.0"));
        assert!(matches!(chosen, Err(PluginChoiceError::Several(files)) if files.len() == 2));
        fs::remove_dir_all(folder).expect("it goes away");
    }

    #[test]
    #[cfg_attr(miri, ignore = "loads a library")]
    fn what_is_no_plugin_is_refused() {
        let missing = Plugin::load(Path::new("/nowhere/x.so")).err().expect("it is not there");
        assert!(missing.contains("/nowhere/x.so") && missing.contains("cannot be loaded"), "{missing}");
        let other = Plugin::load(Path::new("libc.so.6")).err().expect("the C library is no plug-in");
        assert!(other.contains("no ocrLink"), "{other}");
    }
}
