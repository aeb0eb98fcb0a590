//! The README keeps its word: its programs compile and print what it shows, its tables are those of
//! the code, and what the documents point to is there.
//!
//! In the README, a line `<!-- file: NAME -->` before a fence makes the fence's text the file NAME,
//! and `<!-- run -->` has the commands of the fence (lines that begin with `$ `) run in order, in a
//! folder with these files and with `include`, `build`, `examples` and `kernels`. The lines after a
//! command are its standard output. `<!-- run: installed -->` is the same after an installation, in
//! a folder with the files alone, and `<!-- try -->` asks only that the command succeeds. `cc` is what
//! `CC` names, if it is set.

mod support;

use ocr::config::SETTINGS;
use ocr::policy::{DEFAULT, POLICIES};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The fences of a text that have a comment in front: the comment, and the text in the fence.
fn marked_fences(text: &str) -> Vec<(String, String)> {
    let mut fences = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let comment = line
            .strip_prefix("<!-- ")
            .and_then(|rest| rest.strip_suffix(" -->"));
        let Some(comment) = comment else { continue };
        let fence = lines.next().unwrap_or_default();
        assert!(fence.starts_with("```"), "no fence follows {line}");
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        fences.push((comment.to_string(), body.join("\n") + "\n"));
    }
    fences
}

/// The marked fences of the README that have this comment.
fn fences(wanted: &str) -> Vec<String> {
    let fences = marked_fences(&read("README.md")).into_iter();
    let fences: Vec<String> = fences
        .filter(|(comment, _)| comment == wanted)
        .map(|(_, text)| text)
        .collect();
    assert!(!fences.is_empty(), "the README has no <!-- {wanted} -->");
    fences
}

/// A folder in which the README's commands work.
struct Folder {
    path: PathBuf,
    /// What commands find in their environment besides.
    environment: Vec<(&'static str, PathBuf)>,
}

impl Folder {
    /// A new one with the README's files and with what the source tree has.
    fn new(name: &str) -> Folder {
        let folder = Folder::bare(name);
        for link in ["include", "build", "examples", "kernels"] {
            symlink(root().join(link), folder.path.join(link)).expect("target/ can be written");
        }
        folder
    }

    /// A new one with the README's files alone.
    fn bare(name: &str) -> Folder {
        assert!(
            root().join("build/lib/libocr.a").exists(),
            "no build/lib/libocr.a: run `make` first"
        );
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("readme-{name}"));
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("the folder of an earlier run can be removed");
        }
        fs::create_dir_all(&folder).expect("target/ can be written");
        for (comment, text) in marked_fences(&read("README.md")) {
            if let Some(file) = comment.strip_prefix("file: ") {
                fs::write(folder.join(file), text).expect("target/ can be written");
            }
        }
        Folder {
            path: folder,
            environment: Vec::new(),
        }
    }

    /// Runs a command line as it stands in the README.
    fn run(&self, line: &str) -> Output {
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
        let line = match line.strip_prefix("cc ") {
            Some(rest) => format!("{compiler} {rest}"),
            None => line.to_string(),
        };
        let mut command = Command::new("sh");
        command.arg("-c").arg(&line).current_dir(&self.path);
        for (variable, _) in std::env::vars().filter(|(name, _)| name.starts_with("OCR_")) {
            command.env_remove(variable);
        }
        // No test writes to the cache of the user.
        command.env("OCR_MODELS", "off");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let output = command.output().expect("there is a shell");
        assert!(
            output.status.success(),
            "{line}: {}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    /// Runs the commands of a fence and compares what they print.
    fn run_all(&self, fence: &str) {
        for part in fence.split("$ ").skip(1) {
            let (line, shown) = part.split_once('\n').expect("a line ends");
            let printed = self.run(line).stdout;
            assert_eq!(String::from_utf8_lossy(&printed), shown, "{line}");
        }
    }
}

#[test]
fn programs_print_what_the_readme_shows() {
    let folder = Folder::new("programs");
    for fence in fences("run") {
        folder.run_all(&fence);
    }
}

#[test]
fn commands_that_the_readme_shows_succeed() {
    let folder = Folder::new("commands");
    for fence in fences("try") {
        for line in fence.lines().filter_map(|line| line.strip_prefix("$ ")) {
            folder.run(line);
        }
    }
}

#[test]
fn the_installed_library_is_found_by_pkg_config() {
    let pkg_config = Command::new("pkg-config").arg("--version").output();
    if pkg_config.is_err() {
        eprintln!("there is no pkg-config: building against the installed library was not tried");
        return;
    }
    let mut folder = Folder::bare("installed");
    let prefix = folder.path.join("prefix");
    let installed = Command::new("make")
        .args(["--no-print-directory", "install-files"])
        .arg(format!("PREFIX={}", prefix.display()))
        .env_remove("DESTDIR")
        .env_remove("LIBDIR")
        .env_remove("MAKEFLAGS")
        .current_dir(root())
        .stdout(Stdio::null())
        .status()
        .expect("there is a make");
    assert!(installed.success(), "make install-files: {installed}");
    folder.environment = vec![
        ("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")),
        ("LD_LIBRARY_PATH", prefix.join("lib")),
    ];
    for fence in fences("run: installed") {
        folder.run_all(&fence);
    }
}

#[test]
fn the_kernel_program_runs_as_a_function_and_as_a_kernel() {
    let folder = Folder::new("kernel");
    folder.run("cc -Iinclude square.c build/lib/libocr.a -lpthread -ldl -lm -o square");
    let kernels = |settings: &str| {
        let printed = folder.run(&format!("OCR_REPORT=report.json {settings} ./square"));
        assert_eq!(printed.stdout, b"999 squared is 998001\n", "{settings}");
        let report = fs::read(folder.path.join("report.json")).expect("the report was written");
        let report: serde_json::Value = serde_json::from_slice(&report).expect("it is JSON");
        report["kernel_edts"].as_u64()
    };
    assert_eq!(kernels("OCR_DEVICES=none"), Some(0));
    let opencl = !support::is_without_opencl() && !ocr::device::discover().devices.is_empty();
    if opencl {
        assert_eq!(kernels("OCR_DEVICES=all OCR_SCHED=device"), Some(1));
    } else {
        eprintln!("no OpenCL device: the kernel was not run");
    }
}

/// The rows of the first table after a heading, without its two first lines.
fn table_after(text: &str, heading: &str) -> String {
    let (_, rest) = text
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("the README has no {heading}"));
    let rows = rest
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2);
    rows.map(|row| format!("{row}\n")).collect()
}

#[test]
fn the_readme_lists_the_settings() {
    let rows: String = SETTINGS
        .iter()
        .map(|it| format!("| `{}` | `-ocr:{}` | {} |\n", it.variable, it.name, it.what))
        .collect();
    let table = table_after(&read("README.md"), "## Settings");
    assert!(
        table == rows,
        "the table is\n{table}\nand should be\n{rows}"
    );
}

#[test]
fn the_readme_lists_the_policies() {
    let row = |it: &ocr::policy::PolicyEntry| {
        let default = if it.name == DEFAULT { " (default)" } else { "" };
        format!("| `{}`{default} | {} |\n", it.usage, it.what)
    };
    let rows: String = POLICIES.iter().map(row).collect();
    let table = table_after(&read("README.md"), "## Placement policies");
    assert!(
        table == rows,
        "the table is\n{table}\nand should be\n{rows}"
    );
}

/// But for `docs/compatibility.md`, which names files and targets of other projects.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/design.md",
    "docs/opencl-implementations.md",
    "docs/performance.md",
    "docs/scaling.md",
    "benches/README.md",
];

/// What stands between two marks, without line breaks.
fn between<'a>(text: &'a str, open: &str, close: char) -> Vec<&'a str> {
    text.split(open)
        .skip(1)
        .filter_map(|rest| rest.split_once(close))
        .map(|(inside, _)| inside)
        .filter(|inside| !inside.contains('\n'))
        .collect()
}

#[test]
fn files_that_the_documents_name_exist() {
    let rooms = [
        "src/",
        "include/",
        "kernels/",
        "examples/",
        "tests/",
        "benches/",
        "docs/",
    ];
    let mut missing = Vec::new();
    for document in DOCUMENTS {
        let text = read(document);
        let folder = root().join(document);
        let folder = folder.parent().expect("a file is in a folder");
        for link in between(&text, "](", ')') {
            let path = link.split('#').next().unwrap_or_default();
            if !path.is_empty() && !link.contains("://") && !folder.join(path).exists() {
                missing.push(format!("{document}: {link}"));
            }
        }
        // Names in capitals stand for any name.
        let is_path = |word: &&str| {
            rooms.iter().any(|room| word.starts_with(room))
                && !word.contains(|c: char| c.is_ascii_uppercase() || " *<".contains(c))
        };
        for path in text.split('`').skip(1).step_by(2).filter(is_path) {
            if !root().join(path).exists() {
                missing.push(format!("{document}: {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "not there:\n{}", missing.join("\n"));
}

#[test]
fn make_targets_that_the_documents_name_exist() {
    let makefile = read("Makefile");
    let has_rule = |target: &str| {
        makefile.lines().any(|line| {
            let targets = line.split_once(':').map_or("", |(targets, _)| targets);
            !line.starts_with('\t') && targets.split_whitespace().any(|word| word == target)
        })
    };
    let mut missing = Vec::new();
    for document in DOCUMENTS {
        let text = read(document);
        let commands = between(&text, "`make ", '`').into_iter();
        for command in commands.chain(between(&text, "$ make ", '\n')) {
            let target = command.split_whitespace().next().unwrap_or_default();
            if !target.contains('=') && !has_rule(target) {
                missing.push(format!("{document}: make {target}"));
            }
        }
    }
    assert!(missing.is_empty(), "no rule for:\n{}", missing.join("\n"));
}

#[test]
fn the_changelog_has_this_version() {
    let heading = concat!("\n## [", env!("CARGO_PKG_VERSION"), "]");
    assert!(read("CHANGELOG.md").contains(heading), "{heading}");
}
