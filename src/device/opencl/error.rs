//! What can go wrong with a device, said so that a person can act on it.

use crate::device::LaunchRange;
use ocr_base::text::Readable;
use opencl3::error_codes::error_text;
use std::fmt;

/// An OpenCL status code by name and number, `CL_OUT_OF_RESOURCES (-5)`.
pub fn code_name(code: i32) -> String {
    format!("{} ({code})", error_text(code))
}

/// Something failed that is not about one launch or one build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceError {
    /// The name of the device that it is about.
    pub device: String,
    /// What was being done, and to what: "creating a command queue".
    pub what: String,
    /// OpenCL's status, where it was OpenCL that refused.
    pub code: Option<i32>,
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device '{}': {}", self.device, self.what)?;
        match self.code {
            Some(code) => write!(f, " failed: {}", code_name(code)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DeviceError {}

/// Why there is no kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// The source does not compile for this device.
    Compile {
        /// The device that the source was compiled for.
        device: String,
        /// The status that OpenCL returned.
        code: i32,
        /// The options it was compiled with.
        options: String,
        /// The compiler's log, the offending source lines shown with their numbers.
        log: String,
    },
    /// The source compiles and has no kernel of this name.
    NoSuchKernel {
        /// The name of the kernel that was asked for.
        name: String,
        /// The kernels that there are.
        available: Vec<String>,
    },
    /// An error that has no message of its own.
    Other(DeviceError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Compile { device, code, options, log } => {
                let code = code_name(*code);
                if names_fault(log) {
                    write!(f, "the source does not compile for '{device}': {code} with options '{options}'\n{log}")
                } else {
                    write!(
                        f,
                        "the source could not be compiled for '{device}': {code} with options '{options}'; the compiler \
                     names no fault in it, and it may be right where memory, space for files or a part of OpenCL is \
                     missing\n{log}"
                    )
                }
            }
            BuildError::NoSuchKernel { name, available } if available.is_empty() => {
                write!(
                    f,
                    "the source has no kernel '{name}', and no other kernel: a kernel is declared as kernel void {name}(...)"
                )
            }
            // PoCL gives its own functions such names, by macros that do not spare the program's kernels.
            BuildError::NoSuchKernel { name, available } if available.contains(&format!("_cl_{name}")) => {
                write!(
                    f,
                    "OpenCL C has a function '{name}' of its own, and the compiler takes the kernel's name for that \
                     one's: give the kernel another name"
                )
            }
            BuildError::NoSuchKernel { name, available } => {
                write!(f, "the source has no kernel '{name}'; its kernels are: {}", available.join(", "))
            }
            BuildError::Other(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}

/// Why a launch did not run, or did not finish.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaunchError {
    /// The device of the launch, by its name.
    pub device: String,
    /// The kernel's name; empty where the launch named none that was built.
    pub kernel: String,
    /// The index space of the launch.
    pub range: LaunchRange,
    /// The arguments as they would stand in a listing, in order.
    pub arguments: Vec<String>,
    /// What OpenCL refused or what failed, in words.
    pub cause: String,
    /// OpenCL's status, where it was OpenCL that refused.
    pub code: Option<i32>,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
    /// True if the blocks hold what they held before: the kernel never started, or they do so in another place.
    pub inputs_intact: bool,
    /// True if the device takes no launch any more, so that another attempt there would fail, too.
    pub takes_no_more: bool,
}

impl LaunchError {
    /// Which kernel has failed, where and why, in one line.
    pub fn what_failed(&self) -> String {
        let code = self.code.map_or(String::new(), |code| format!(": {}", code_name(code)));
        format!("kernel '{}' on device '{}': {}{code}", self.kernel, self.device, self.cause)
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what_failed())?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  {hint}")?;
        }
        write!(f, "\n  range: {}", self.range)?;
        for argument in &self.arguments {
            write!(f, "\n  argument {argument}")?;
        }
        if !self.inputs_intact {
            write!(f, "\n  the kernel may have begun: blocks it writes are not to be trusted")?;
        }
        Ok(())
    }
}

impl std::error::Error for LaunchError {}

/// Whether a build log says what is wrong with the source or the options.
pub(crate) fn names_fault(log: &str) -> bool {
    let is_fault = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.contains("error") || line.contains("invalid") || line_number(&line).is_some()
    };
    log.lines().any(is_fault)
}

/// A build log with the source lines it complains about, each once, after the log.
///
/// Compilers name a place as `file:line:column:`; whatever the file is called, there is one source.
pub(crate) fn log_with_source(log: &str, source: &[u8]) -> String {
    // Lines may end as on Windows.
    let source: Vec<u8> = source.iter().copied().filter(|&byte| byte != b'\r').collect();
    let source = Readable(&source).to_string();
    let mut lines: Vec<usize> = Vec::new();
    for text in log.lines() {
        if let Some(line) = line_number(text)
            && !lines.contains(&line)
        {
            lines.push(line);
        }
    }
    let mut out = log.trim_matches(['\0', '\n', ' ']).to_string();
    if out.is_empty() {
        out.push_str("(the compiler left no log)");
    }
    let mut shown = false;
    for line in lines.into_iter().take(20) {
        if let Some(text) = line.checked_sub(1).and_then(|i| source.lines().nth(i)) {
            if !shown {
                out.push_str("\nthe lines of the source:");
                shown = true;
            }
            out.push_str(&format!("\n{line:>6} | {text}"));
        }
    }
    out
}

/// The line number in `…:12:5: …`, or in `… line 12: …`.
fn line_number(text: &str) -> Option<usize> {
    let number = |s: &str| s.trim().parse::<usize>().ok();
    let parts: Vec<&str> = text.split(':').collect();
    for pair in parts.windows(3) {
        // The middle one and the last: a path before them may itself hold colons.
        if let (Some(line), Some(_)) = (number(pair[1]), number(pair[2])) {
            return Some(line);
        }
    }
    if parts.len() >= 3
        && let (Some(line), Some(_)) = (number(parts[0]), number(parts[1]))
    {
        return Some(line);
    }
    let after = text.split("line ").nth(1)?;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    number(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_are_found_in_the_logs_of_several_compilers() {
        assert_eq!(line_number("/tmp/x/a.cl:12:5: error: use of"), Some(12));
        assert_eq!(line_number("<kernel>:3:9: warning: unused"), Some(3));
        assert_eq!(line_number("1:7:2: error: expected ';'"), Some(7));
        assert_eq!(line_number("7:2: error: expected ';'"), Some(7));
        assert_eq!(line_number("\"a.cl\", line 44: error: x"), Some(44));
        assert_eq!(line_number("1 error generated."), None);
    }

    #[test]
    fn a_log_without_a_fault_accuses_no_source() {
        assert!(names_fault("error: /x/a.cl:1:2: expected ';'"));
        assert!(names_fault("Invalid build option: -x"));
        assert!(!names_fault("Device some-cpu failed to build the program\n"));
        assert!(!names_fault("(the compiler left no log)"));
    }

    #[test]
    fn a_log_shows_the_source_lines() {
        let text = log_with_source("a.cl:2:1: error: no\na.cl:2:3: error: no", b"one\ntwo\nthree");
        assert!(text.ends_with("the lines of the source:\n     2 | two"), "{text}");
        assert_eq!(log_with_source("\0", b"x"), "(the compiler left no log)");
    }

    #[test]
    fn a_kernel_that_is_not_there_is_not_among_those_that_are() {
        let missing = |available: &[&str]| {
            let available = available.iter().map(std::string::ToString::to_string).collect();
            let name = "any".to_string();
            BuildError::NoSuchKernel { name, available }.to_string()
        };
        assert!(missing(&["all"]).ends_with("its kernels are: all"));
        let text = missing(&["_cl_any"]);
        assert!(text.contains("give the kernel another name") && !text.contains("_cl_"), "{text}");
    }

    #[test]
    fn codes_are_named() {
        assert_eq!(code_name(-54), "CL_INVALID_WORK_GROUP_SIZE (-54)");
    }
}
