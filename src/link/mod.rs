//! How bytes go from one node to another. A node is a process of a program that a launcher, such as `mpirun`, has
//! started several times. This room knows bytes and the numbers of nodes, and nothing of OCR.
//!
//! | file | what it has |
//! |---|---|
//! | `launcher.rs` | whether a launcher has started the process, which one, and how many processes there are |
//! | `plugin.rs` | which plug-in is used, how it is loaded, and the table by which it is called |
//! | `bell.rs` | by what the thread that makes the calls is woken, by other nodes of the machine, too |
//! | `block.rs` | the content of a block on its way |
//! | `mpi.c` | the plug-in for MPI, which the compiler of each MPI compiles: no part of the library |
//! | `threads.rs` | which threads of the process are those of the link |
//! | `names.rs` | functions of the program that have the names of the system's |
//!
//! The library is not linked with MPI, since each implementation has an interface of its own, and most programs run
//! without one. So what calls MPI is a plug-in, `libocr-mpi-openmpi.so` or `libocr-mpi-mpich.so`, which is loaded when
//! a launcher is found. It is loaded for itself alone (`RTLD_LOCAL`): no name of MPI reaches the program.
//!
//! One thread makes all calls of a link. None of them waits for another node but [`begin`](plugin::Plugin::begin) and
//! [`end`](plugin::Plugin::end).

pub(crate) mod bell;
pub(crate) mod block;
pub(crate) mod launcher;
mod names;
pub(crate) mod plugin;
pub(crate) mod threads;

/// Which node this process is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodePlace {
    /// Its number, from 0.
    pub(crate) node: u32,
    /// How many nodes there are.
    pub(crate) nodes: u32,
    /// Its number among the nodes of its machine, from 0.
    pub(crate) local: u32,
    /// How many nodes are on its machine.
    pub(crate) locals: u32,
}

/// The names of the plug-ins that `make` makes, in those of their files.
pub(crate) const KNOWN: &[&str] = &["openmpi", "mpich"];

/// No message has more bytes than this.
pub(crate) const LONGEST_MESSAGE: usize = 64 << 10;

/// What has happened on a link.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum LinkEvent {
    /// A message has come. Those of one node come in the order in which they were sent.
    Arrived {
        /// The node that has sent it.
        from: u32,
        bytes: Vec<u8>,
    },
    /// The content of a block is where [`take`](plugin::Plugin::take) was told.
    Taken {
        /// By which the caller knows it.
        id: u64,
    },
    /// A message or a receive has failed; the node is that of the message, where that is known.
    Failed { node: Option<u32> },
}
