//! Folders in which the commands of a document work.

use super::documents::{fences, root};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with the files of a document.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    /// What commands find in their environment besides.
    pub(crate) environment: Vec<(&'static str, PathBuf)>,
}

impl Folder {
    /// A new one, with what the source tree has, too.
    pub(crate) fn new(name: &str, document: &str) -> Folder {
        let folder = Folder::bare(name, document);
        for link in ["include", "build", "examples", "kernels"] {
            symlink(root().join(link), folder.path.join(link)).expect("target/ can be written");
        }
        folder
    }

    /// A new one with the document's files alone.
    pub(crate) fn bare(name: &str, document: &str) -> Folder {
        assert!(root().join("build/lib/libocr.a").exists(), "no build/lib/libocr.a: run `make` first");
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("readme-{name}-{}", document.replace(['/', '.'], "-")));
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("the folder of an earlier run can be removed");
        }
        fs::create_dir_all(&folder).expect("target/ can be written");
        for fence in fences(document) {
            if let Some(file) = fence.mark.as_deref().and_then(|it| it.strip_prefix("file: ")) {
                fs::write(folder.join(file), fence.text).expect("target/ can be written");
            }
        }
        Folder { path: folder, environment: Vec::new() }
    }

    /// Runs a command line as it stands in the document.
    pub(crate) fn run(&self, line: &str) -> Output {
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

    /// Runs the commands of a fence, which are the lines that begin with `$ `, and compares what they print with the
    /// lines behind each.
    pub(crate) fn run_all(&self, fence: &str) {
        for (line, shown) in commands(fence) {
            let printed = self.run(line).stdout;
            assert_eq!(String::from_utf8_lossy(&printed), shown, "{line}");
        }
    }

    /// Runs the commands of a fence, whatever they print.
    pub(crate) fn try_all(&self, fence: &str) {
        for (line, _) in commands(fence) {
            self.run(line);
        }
    }
}

/// The commands of a fence, each with the lines behind it.
fn commands(fence: &str) -> Vec<(&str, String)> {
    let mut commands = Vec::new();
    for line in fence.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command, String::new())),
            (None, Some((_, shown))) => *shown += &format!("{line}\n"),
            (None, None) => panic!("no command comes before {line}"),
        }
    }
    commands
}
