//! `ocr generate`, which `make` runs: man pages and completions for shells, from the options themselves.
//!
//! Besides what the help says, a page has the exit status, the environment (the table of the settings), the files that
//! the command reads and writes, and the other pages.

use crate::output::{CommandError, EXIT_STATUS};
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use ocr::config::SETTINGS;
use ocr_base::output_file::OutputFile;
use ocr_base::text::Readable;
use roff::{Roff, bold, roman};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The arguments of `ocr generate`.
#[derive(clap::Args)]
pub(crate) struct GenerateOptions {
    #[command(subcommand)]
    what: GenerateCommand,
}

#[derive(clap::Subcommand)]
enum GenerateCommand {
    /// Writes man pages of section 1.
    Man {
        /// The folder, which is made.
        folder: PathBuf,
    },
    /// Writes completions below a folder such as /usr/share, for bash, zsh and fish.
    Completions {
        /// The folder, which is made.
        folder: PathBuf,
    },
}

/// For each shell, the file below share/ where it looks for completions.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/ocr"),
    (Shell::Zsh, "zsh/site-functions/_ocr"),
    (Shell::Fish, "fish/vendor_completions.d/ocr.fish"),
];

/// The files that a man page lists, and what they are.
const FILES: [(&str, &str); 4] = [
    (
        "$XDG_CACHE_HOME/ocr/models, ~/.cache/ocr/models",
        "What runs have learned of how long EDTs take, where OCR_MODELS does not name another directory.",
    ),
    (
        "share/ocr/kernels, share/ocr/examples",
        "Below the folder of the installation: OpenCL kernels and sources of the examples.",
    ),
    (
        "share/ocr/suppressions",
        "Suppressions for ThreadSanitizer.",
    ),
    (
        "$TMPDIR, /tmp",
        "Reports and recordings of the runs that ocr starts, removed at its end.",
    ),
];

/// Writes the man pages or the completions.
pub(crate) fn generate(options: &GenerateOptions, all: &Command) -> Result<(), CommandError> {
    let (folder, done) = match &options.what {
        GenerateCommand::Man { folder } => (folder, man(folder, all)),
        GenerateCommand::Completions { folder } => (folder, completions(folder, all)),
    };
    done.map_err(|error| CommandError::failed(format!("{}: {error}", Readable::path(folder))))
}

fn completions(folder: &Path, all: &Command) -> io::Result<()> {
    for (shell, name) in COMPLETIONS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut visible(all), "ocr", &mut text);
        write(&folder.join(name), &text)?;
    }
    Ok(())
}

fn man(folder: &Path, all: &Command) -> io::Result<()> {
    let mut command = visible(all);
    command.build();
    let mut pages = Vec::new();
    collect(&command, &mut pages);
    let names: Vec<String> = pages.iter().map(name).collect();
    for page in pages {
        let own = name(&page);
        let others = names.iter().filter(|name| **name != own);
        let text = text(page, &others.map(String::as_str).collect::<Vec<_>>())?;
        write(&folder.join(format!("{own}.1")), &text)?;
    }
    Ok(())
}

/// The command as users see it, without the subcommands that are for `make` alone.
fn visible(all: &Command) -> Command {
    let shown = all.get_subcommands().filter(|one| !one.is_hide_set());
    let shown: Vec<Command> = shown.cloned().collect();
    let mut visible = Command::new("ocr").version(env!("CARGO_PKG_VERSION"));
    if let Some(about) = all.get_about() {
        visible = visible.about(about.clone());
    }
    visible.subcommands(shown)
}

/// Adds the command and all its subcommands to the pages, each for a page of its own.
fn collect(command: &Command, pages: &mut Vec<Command>) {
    pages.push(command.clone());
    for below in command.get_subcommands() {
        if below.get_name() != "help" {
            collect(below, pages);
        }
    }
}

/// The name of a command's man page, such as `ocr-trace-show`.
fn name(command: &Command) -> String {
    let name = command.get_display_name().unwrap_or("ocr");
    name.replace(' ', "-")
}

/// The man page of a command. `others` are the names of the other pages.
fn text(command: Command, others: &[&str]) -> io::Result<Vec<u8>> {
    let details = command.get_after_help().map(ToString::to_string);
    let is_topmost = name(&command) == "ocr";
    let title = format!(
        ".TH \"{}\" \"1\" \"\" \"ocr {}\" \"Open Community Runtime\"\n",
        name(&command),
        env!("CARGO_PKG_VERSION")
    );
    let man = Man::new(command);
    let mut page = title.into_bytes();
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if is_topmost {
        man.render_subcommands_section(&mut page)?;
    }
    let mut more = Roff::new();
    if let Some(details) = details {
        more.control("SH", ["NOTES"]);
        paragraphs(&mut more, &details);
    }
    more.control("SH", ["EXIT STATUS"]);
    for (status, what) in EXIT_STATUS {
        item(&mut more, &status.to_string(), what);
    }
    more.control("SH", ["ENVIRONMENT"]);
    paragraphs(
        &mut more,
        "The settings of the runtime. Programs take them as arguments, too, as -ocr:workers 4.",
    );
    for setting in SETTINGS {
        item(&mut more, setting.variable, setting.what);
    }
    item(
        &mut more,
        "OCR_CONFIG",
        "a TOML file with settings, whose name ends in .toml",
    );
    more.control("SH", ["FILES"]);
    for (file, what) in FILES {
        item(&mut more, file, what);
    }
    more.control("SH", ["SEE ALSO"]);
    for (at, other) in others.iter().enumerate() {
        let end = if at + 1 < others.len() { "," } else { "" };
        more.control("BR", [other, &*format!("(1){end}")]);
    }
    page.extend(more.to_roff().into_bytes());
    Ok(page)
}

/// Writes a file, and makes its folder if need be.
fn write(file: &Path, text: &[u8]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    OutputFile::new(file)?.write(|out| out.write_all(text))
}

/// Appends an item: a word, and what is said of it.
fn item(page: &mut Roff, word: &str, what: &str) {
    page.control("TP", [])
        .text([bold(word)])
        .text([roman(what)]);
}

/// Appends paragraphs, which an empty line separates in `text`. Lines that begin with blanks stay as they are.
fn paragraphs(page: &mut Roff, text: &str) {
    for (at, paragraph) in text.split("\n\n").enumerate() {
        if at > 0 {
            page.control("PP", []);
        }
        let mut is_literal = false;
        for line in paragraph.lines() {
            if line.starts_with(' ') != is_literal {
                is_literal = !is_literal;
                page.control(if is_literal { "nf" } else { "fi" }, []);
            }
            page.text([roman(line)]);
        }
        if is_literal {
            page.control("fi", []);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_blanks_stay_as_they_are() {
        let mut page = Roff::new();
        paragraphs(&mut page, "One.\n  a-b\n  .b\n\nTwo.");
        let text = page.to_roff();
        assert_eq!(text, "One.\n.nf\n  a\\-b\n  .b\n.fi\n.PP\nTwo.\n");
    }
}
