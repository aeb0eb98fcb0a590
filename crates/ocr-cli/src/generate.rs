//! `ocr generate`, which `make` runs: man pages and completions for shells, from the options themselves.
//!
//! Besides what the help says, a page of a command has the exit status, the files that the command reads and writes,
//! and the other pages. The table of the settings is a page of its own, `ocr-settings(7)`.

use crate::output::{CommandError, EXIT_STATUS};
use clap::{Arg, ArgAction, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use ocr::config::SETTINGS;
use ocr_base::output_file::OutputFile;
use ocr_base::text::Readable;
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
    /// Writes man pages below a folder such as /usr/share/man.
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
    ("share/ocr/suppressions", "Suppressions for ThreadSanitizer."),
    ("$TMPDIR, /tmp", "Reports and recordings of the runs that ocr starts, removed at its end."),
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
        write(&folder.join(format!("man1/{own}.1")), &text)?;
    }
    let text = settings(&names);
    write(&folder.join(format!("man7/{SETTINGS_PAGE}.7")), text.as_bytes())
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
    let mut page = title(&name(&command), 1).into_bytes();
    let synopsis = synopsis(&command);
    let man = Man::new(command);
    man.render_name_section(&mut page)?;
    page.extend(synopsis.into_bytes());
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if is_topmost {
        man.render_subcommands_section(&mut page)?;
    }
    let mut more = Roff::default();
    if let Some(details) = details {
        more.section("NOTES");
        more.paragraphs(&details);
    }
    more.section("EXIT STATUS");
    for (status, what) in EXIT_STATUS {
        more.item(&status.to_string(), what);
    }
    more.section("ENVIRONMENT");
    more.paragraphs("The settings of the runtime are variables, such as OCR_WORKERS and OCR_SCHED: see");
    more.reference(SETTINGS_PAGE, 7, ".");
    more.section("FILES");
    for (file, what) in FILES {
        more.item(file, what);
    }
    more.section("SEE ALSO");
    for other in others {
        more.reference(other, 1, ",");
    }
    more.reference(SETTINGS_PAGE, 7, "");
    page.extend(more.text.into_bytes());
    Ok(page)
}

/// The first line of a man page.
fn title(name: &str, section: u8) -> String {
    format!(".TH \"{name}\" \"{section}\" \"\" \"ocr {}\" \"Open Community Runtime\"\n", env!("CARGO_PKG_VERSION"))
}

/// The synopsis of a command: each option with the values that it takes, and what comes behind the options.
fn synopsis(command: &Command) -> String {
    let mut roff = Roff::default();
    roff.section("SYNOPSIS");
    let mut text = format!("\\fB{}\\fR", escaped(&name(command).replace('-', " ")));
    let shown = command.get_arguments().filter(|one| !one.is_hide_set());
    let (behind, options): (Vec<&Arg>, Vec<&Arg>) = shown.partition(|one| one.is_positional());
    for one in options.into_iter().chain(behind) {
        let words = words(one);
        text += &if one.is_required_set() { format!(" {words}") } else { format!(" [{words}]") };
    }
    if command.has_subcommands() {
        text += " \\fICOMMAND\\fR";
    }
    roff.text + &text + "\n"
}

/// The words of an argument, as a user writes them.
fn words(one: &Arg) -> String {
    let mut names: Vec<String> = Vec::new();
    names.extend(one.get_short().map(|letter| format!("\\fB\\-{letter}\\fR")));
    names.extend(one.get_long().map(|name| format!("\\fB\\-\\-{}\\fR", escaped(name))));
    let mut words = names.join("|");
    if one.get_action().takes_values() {
        let known = one.get_possible_values();
        let known = known.iter().filter(|value| !value.is_hide_set());
        let known: Vec<String> = known.map(|value| escaped(value.get_name())).collect();
        let value = match one.get_value_names() {
            _ if !known.is_empty() => known.join("|"),
            Some(names) => {
                let names = names.iter().map(|name| format!("\\fI{}\\fR", escaped(name)));
                names.collect::<Vec<_>>().join(" ")
            }
            None => format!("\\fI{}\\fR", escaped(&one.get_id().as_str().to_uppercase())),
        };
        if !words.is_empty() {
            words.push(' ');
        }
        words += &value;
    }
    let has_many = one.get_num_args().is_some_and(|range| range.max_values() > 1);
    if has_many || matches!(one.get_action(), ArgAction::Append) {
        words += "...";
    }
    words
}

/// The name of the man page of all settings.
const SETTINGS_PAGE: &str = "ocr-settings";

/// The man page of all settings, of which each is a variable and an argument. `commands` are the names of other pages.
fn settings(commands: &[String]) -> String {
    let mut page = Roff { text: title(SETTINGS_PAGE, 7) };
    page.section("NAME");
    page.paragraphs("ocr-settings - settings of the Open Community Runtime");
    page.section("SYNOPSIS");
    page.text += "\\fIVARIABLE\\fR=\\fIVALUE\\fR... \\fIPROGRAM\\fR [\\fIARGUMENT\\fR]...\n.br\n\
        \\fIPROGRAM\\fR [\\fB\\-ocr:\\fINAME VALUE\\fR]... [\\fIARGUMENT\\fR]...\n";
    page.section("DESCRIPTION");
    page.paragraphs(
        "A program that is linked with the runtime takes settings from variables of the environment, and from its arguments. The \
         runtime takes the arguments out before the program sees them: -ocr:workers 4, -ocr:workers=4 and --ocr:workers 4 mean \
         the same.\n\nAn argument outranks the environment, and that outranks the file of settings. An empty variable is as \
         none. A wrong value ends the program with a message and status 2. A variable that looks like a setting and is none \
         is warned of. `ocr info` shows the value of each setting, and where it comes from.",
    );
    page.section("SETTINGS");
    for setting in SETTINGS {
        let words = format!("{}, -ocr:{}", setting.variable, setting.name);
        page.item(&words, setting.what);
    }
    page.section("FILE OF SETTINGS");
    page.paragraphs(
        "The names behind -ocr: also stand in a file in TOML, whose name ends in .toml:\n\n  workers = 4\n  sched = \"eft\"\n",
    );
    page.item("OCR_CONFIG, -ocr:cfg", "the file of settings; one whose name has another end is ignored");
    page.section("OTHER ARGUMENTS");
    page.item("-ocr:help", "prints the settings, and runs nothing");
    page.item("-ocr:version", "prints the version of the runtime, and runs nothing");
    page.section("SEE ALSO");
    for (at, command) in commands.iter().enumerate() {
        page.reference(command, 1, if at + 1 < commands.len() { "," } else { "" });
    }
    page.text
}

/// Writes a file, and makes its folder if need be.
fn write(file: &Path, text: &[u8]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    OutputFile::new(file)?.write(|out| out.write_all(text))
}

/// Sections of a man page.
#[derive(Default)]
struct Roff {
    text: String,
}

impl Roff {
    fn section(&mut self, title: &str) {
        self.text += &format!(".SH \"{title}\"\n");
    }

    /// Appends an item: a word, and what is said of it.
    fn item(&mut self, word: &str, what: &str) {
        self.text += &format!(".TP\n\\fB{}\\fR\n{}\n", escaped(word), escaped(what));
    }

    fn reference(&mut self, page: &str, section: u8, end: &str) {
        self.text += &format!(".BR {} ({section}){end}\n", escaped(page));
    }

    /// Appends paragraphs, which an empty line separates in `text`. Lines that begin with blanks stay as they are.
    fn paragraphs(&mut self, text: &str) {
        for (at, paragraph) in text.split("\n\n").enumerate() {
            if at > 0 {
                self.text += ".PP\n";
            }
            let mut is_literal = false;
            for line in paragraph.lines() {
                let stays = line.starts_with(' ');
                if stays != is_literal {
                    self.text += if stays { ".nf\n" } else { ".fi\n" };
                    is_literal = stays;
                }
                self.text += &format!("{}\n", escaped(line));
            }
            if is_literal {
                self.text += ".fi\n";
            }
        }
    }
}

/// A line of text as roff reads it.
fn escaped(line: &str) -> String {
    let text = line.replace('\\', "\\(rs").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_escaped() {
        assert_eq!(escaped("a-b\\c"), "a\\-b\\(rsc");
        assert_eq!(escaped(".x"), "\\&.x");
        let mut roff = Roff::default();
        roff.paragraphs("One.\n  a\n  b\n\nTwo.");
        assert_eq!(roff.text, "One.\n.nf\n  a\n  b\n.fi\n.PP\nTwo.\n");
    }

    #[test]
    fn a_synopsis_has_the_values_that_options_take() {
        let command = Command::new("ocr")
            .arg(Arg::new("file").required(true))
            .arg(Arg::new("more").num_args(0..))
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue))
            .arg(Arg::new("out").long("out-file").short('o').value_name("FILE"))
            .arg(Arg::new("ask").long("ask").hide(true))
            .arg(Arg::new("form").long("form").value_parser(["dot", "a-b"]))
            .arg(Arg::new("vary").long("vary").action(ArgAction::Append));
        let text = synopsis(&command).replace("\\fB", "").replace("\\fI", "");
        let text = text.replace("\\fR", "").replace("\\-", "-");
        let wanted = "ocr [--json] [-o|--out-file FILE] [--form dot|a-b] [--vary VARY...] FILE [MORE...]\n";
        assert_eq!(text.lines().nth(1).map(|line| format!("{line}\n")), Some(wanted.into()));
    }

    #[test]
    fn the_page_of_settings_has_the_whole_table() {
        let page = settings(&["ocr".into()]);
        for setting in SETTINGS {
            let item = format!(
                ".TP\n\\fB{}, {}{}\\fR\n{}\n",
                setting.variable,
                escaped("-ocr:"),
                escaped(setting.name),
                escaped(setting.what)
            );
            assert!(page.contains(&item), "no {item} in {page}");
        }
    }
}
