//! What keeps a launch from starting, and what a message says about it.

use opencl3::error_codes as code;
use std::rc::Rc;

/// Why a launch cannot start.
pub(crate) enum StartError {
    /// Memory is held by launches that have not finished.
    Later,
    /// The launch can never start.
    Fault(Fault),
}

/// What is wrong with a launch. It is no error of its own: the engine gets a
/// [`LaunchError`](crate::device::LaunchError), which is made of this and of what the launch has done so far.
pub(crate) struct Fault {
    pub(crate) cause: String,
    pub(crate) code: Option<i32>,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn new(cause: impl Into<String>) -> Self {
        Fault { cause: cause.into(), code: None, hint: None }
    }

    pub(crate) fn opencl(cause: impl Into<String>, code: i32) -> Self {
        Fault { code: Some(code), ..Fault::new(cause) }
    }

    /// Whether less memory in use could have helped.
    pub(crate) fn is_memory(&self) -> bool {
        matches!(
            self.code,
            Some(code::CL_MEM_OBJECT_ALLOCATION_FAILURE | code::CL_OUT_OF_RESOURCES | code::CL_OUT_OF_HOST_MEMORY)
        )
    }
}

impl From<Fault> for StartError {
    fn from(fault: Fault) -> Self {
        StartError::Fault(fault)
    }
}

/// Why a command has failed.
pub(crate) struct Blame {
    pub(crate) cause: String,
    pub(crate) code: Option<i32>,
}
/// What a failed command leaves at a block that it uses.
#[derive(Clone)]
pub(crate) struct FailureMark {
    pub(crate) why: Rc<Blame>,
    /// The content of the buffer is not what it should be. Otherwise the command is a kernel that has read it.
    pub(crate) content: bool,
}
