//! What several tests need: words of the environment, and the compilers that it names.

// No test needs all of it.
#![allow(dead_code)]

use std::env;
use std::process::Command;

/// Whether a variable is set to something; 0 and nothing are as if it were not.
pub(crate) fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Whether kernels are left out: `OCR_TEST_NO_OPENCL`.
pub(crate) fn is_without_opencl() -> bool {
    is_set("OCR_TEST_NO_OPENCL")
}

/// The compiler that a variable names, which may be several words ("ccache gcc"), or the usual one.
pub(crate) fn compiler(variable: &str, default: &str) -> Command {
    let named = env::var(variable).unwrap_or_default();
    let mut words = named.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(default));
    command.args(words);
    command
}
