//! What several tests need: words of the environment, and the compilers that it names.

// No test needs all of it.
#![allow(dead_code)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the sources: where this was compiled, or `OCR_TEST_ROOT` for tests that were carried to another
/// machine.
pub(crate) fn root() -> PathBuf {
    let carried = env::var_os("OCR_TEST_ROOT").map(PathBuf::from);
    carried.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")))
}

/// Compares a file of the repository with the text that it should have, or writes it where `OCR_BLESS` is set. `test`
/// is the test program that does so.
pub(crate) fn compare_or_bless(test: &str, name: &str, text: &str) {
    let path = root().join(name);
    if is_set("OCR_BLESS") {
        fs::write(&path, text).unwrap_or_else(|error| panic!("{name}: {error}"));
        return;
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(there == text, "{name} is out of date: write it with `OCR_BLESS=1 cargo test --test {test}`");
}

/// The files below a folder whose names end in one of these extensions, sorted.
pub(crate) fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if extensions.iter().any(|e| path.extension() == Some(e.as_ref())) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

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
