//! The README and the guide keep their word: their programs compile and print what is shown, the tables are those of
//! the code, their sentences are short, and what the documents point to is there.
//!
//! In the README and in the chapters of `docs/guide/src`, a comment in front of a fence says what the fence is. Each
//! fence of C or of a console has one.
//!
//! | comment | the fence |
//! |---|---|
//! | `<!-- file: NAME -->` | is the file NAME |
//! | `<!-- run -->` | has commands, the lines that begin with `$ `; the lines after a command are its standard output |
//! | `<!-- run: opencl -->` | has commands that need an OpenCL device |
//! | `<!-- run: installed -->` | has commands that work after an installation |
//! | `<!-- try -->`, `<!-- try: opencl -->` | has commands that succeed, whatever they print |
//! | `<!-- not run: REASON -->` | is not run |
//!
//! Fences of Rust without a comment are doc tests of the crate, which takes in the chapters that have some
//! (`src/tasks/mod.rs`).
//!
//! The fences of one document are run in order, in a folder with its files and with `include`, `build`, `examples` and
//! `kernels`; those after an installation in one with its files alone. `cc` is what `CC` names, if it is set.

mod support;

#[path = "readme/documents.rs"]
mod documents;
#[path = "readme/folder.rs"]
mod folder;

use documents::{CHAPTERS, between, broken, chapters, documents_that_run, fences, prose, read, root};
use folder::Folder;
use ocr::config::SETTINGS;
use ocr::hints::HINTS;
use ocr::report::tally::COUNTERS;
use ocr_place::policy::{DEFAULT, POLICIES};
use std::fs;
use std::process::{Command, Stdio};

fn has_device() -> bool {
    !support::is_without_opencl() && !ocr::device::discover().devices.is_empty()
}

/// Does something with each document on a thread of its own. A failure of one is that of all.
fn for_each(documents: &[String], act: impl Fn(&str) + Sync) {
    std::thread::scope(|scope| {
        for document in documents {
            let act = &act;
            let thread = std::thread::Builder::new().name(document.clone());
            let begun = thread.spawn_scoped(scope, move || act(document));
            begun.expect("a thread can be started");
        }
    });
}

#[test]
fn programs_and_commands_do_what_the_documents_show() {
    let has_device = has_device();
    let is_to_run = |document: &str| {
        let has = |fence: documents::Fence| {
            let mark = fence.mark.unwrap_or_default();
            mark.starts_with("run") || mark.starts_with("try")
        };
        fences(document).into_iter().any(has)
    };
    let mut documents = documents_that_run();
    documents.retain(|document| is_to_run(document));
    for_each(&documents, |document| {
        let folder = Folder::new("programs", document);
        for fence in fences(document) {
            match fence.mark.as_deref() {
                Some("run") => folder.run_all(&fence.text),
                Some("try") => folder.try_all(&fence.text),
                Some("run: opencl") if has_device => folder.run_all(&fence.text),
                Some("try: opencl") if has_device => folder.try_all(&fence.text),
                Some("run: opencl" | "try: opencl") => {
                    eprintln!("no OpenCL device: not run, of {document}:\n{}", fence.text);
                }
                _ => {}
            }
        }
    });
}

#[test]
fn each_fence_of_code_is_marked() {
    let known = |mark: &str| {
        ["run", "run: opencl", "run: installed", "try", "try: opencl"].contains(&mark)
            || mark.starts_with("file: ")
            || mark.starts_with("not run: ")
    };
    let mut wrong = Vec::new();
    for document in documents_that_run() {
        for fence in fences(&document) {
            let is_code = ["c", "console"].contains(&fence.language.as_str());
            match fence.mark {
                Some(mark) if !known(&mark) => wrong.push(format!("{document}: <!-- {mark} --> is no mark")),
                None if is_code => wrong.push(format!("{document}: no mark is before\n{}", fence.text)),
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fences_of_rust_are_doc_tests() {
    let tasks = read("src/tasks/mod.rs");
    for document in documents_that_run() {
        let is_test = |fence: &documents::Fence| fence.language.starts_with("rust") && fence.mark.is_none();
        if fences(&document).iter().any(is_test) {
            let included = format!("include_str!(\"../../{document}\")");
            assert!(tasks.contains(&included), "src/tasks/mod.rs has no {included}");
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
    let is_installed = |fence: &documents::Fence| fence.mark.as_deref() == Some("run: installed");
    let mut documents = documents_that_run();
    documents.retain(|document| fences(document).iter().any(is_installed));
    assert!(!documents.is_empty(), "no document has <!-- run: installed -->");
    let prefix = Folder::bare("prefix", "README.md").path;
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
    for_each(&documents, |document| {
        let mut folder = Folder::bare("installed", document);
        folder.environment =
            vec![("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")), ("LD_LIBRARY_PATH", prefix.join("lib"))];
        for fence in fences(document).iter().filter(|fence| is_installed(fence)) {
            folder.run_all(&fence.text);
        }
    });
}

#[test]
fn the_kernel_program_runs_as_a_function_and_as_a_kernel() {
    let folder = Folder::new("kernel", "docs/guide/src/kernels.md");
    folder.run("cc -Iinclude square.c build/lib/libocr.a -lpthread -ldl -lm -o square");
    let kernels = |settings: &str| {
        let printed = folder.run(&format!("OCR_REPORT=report.json {settings} ./square"));
        assert_eq!(printed.stdout, b"999 squared is 998001\n", "{settings}");
        let file = folder.path.join("report.json");
        let report = fs::read(&file).expect("the report was written");
        // It would keep the name from the next run.
        fs::remove_file(file).expect("it is ours");
        let report: serde_json::Value = serde_json::from_slice(&report).expect("it is JSON");
        report["kernel_edts"].as_u64()
    };
    assert_eq!(kernels("OCR_DEVICES=none"), Some(0));
    if has_device() {
        assert_eq!(kernels("OCR_DEVICES=all OCR_SCHED=device"), Some(1));
    } else {
        eprintln!("no OpenCL device: the kernel was not run");
    }
}

#[test]
fn the_guide_lists_the_settings() {
    let rows: String =
        SETTINGS.iter().map(|it| format!("| `{}` | `-ocr:{}` | {} |\n", it.variable, it.name, it.what)).collect();
    let table = documents::table("docs/guide/src/settings.md", "| variable | argument | meaning |");
    assert!(table == rows, "the table is\n{table}\nand should be\n{rows}");
}

#[test]
fn the_guide_lists_the_counters() {
    let row = |(name, what): &(&str, &str)| format!("| `{name}` | {what} |\n");
    let rows: String = COUNTERS.iter().map(row).collect();
    let table = documents::table("docs/guide/src/runs/comparing.md", "| counter | counts |");
    assert!(table == rows, "the table is\n{table}\nand should be\n{rows}");
}

#[test]
fn the_guide_lists_the_hints() {
    let guide = "docs/guide/src/tutorial/labels-and-hints.md";
    let row = |name: &str, text: &str| format!("| `{name}` | {text} |\n");
    let with = HINTS.iter().filter_map(|it| Some(row(it.name, it.effect.ok()?)));
    let without = HINTS.iter().filter_map(|it| Some(row(it.name, it.effect.err()?)));
    for (head, rows) in [
        ("| hint | effect |", with.collect::<String>()),
        ("| hint without effect | why |", without.collect::<String>()),
    ] {
        let table = documents::table(guide, head);
        assert!(table == rows, "the table is\n{table}\nand should be\n{rows}");
    }
}

#[test]
fn the_guide_lists_the_policies() {
    let row = |it: &ocr_place::policy::PolicyEntry| {
        let default = if it.name == DEFAULT { " (default)" } else { "" };
        format!("| `{}`{default} | {} |\n", it.usage, it.what)
    };
    let rows: String = POLICIES.iter().map(row).collect();
    let table = documents::table("docs/guide/src/placement.md", "| policy | EDTs go |");
    assert!(table == rows, "the table is\n{table}\nand should be\n{rows}");
}

#[test]
fn the_guide_names_each_chapter_once() {
    let summary = read(&format!("{CHAPTERS}/SUMMARY.md"));
    let named = between(&summary, "](", ')');
    let wrong = chapters().into_iter().filter(|chapter| {
        let name = chapter.strip_prefix(CHAPTERS).expect("it is a chapter");
        let times = named.iter().filter(|it| name.strip_prefix('/') == Some(**it));
        times.count() != 1
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "not once in SUMMARY.md: {}", wrong.join(", "));
}

/// A sentence of more words is hard to follow.
const WORDS: usize = 30;

#[test]
fn sentences_of_documents_are_short() {
    let mut long = Vec::new();
    for document in documents::all_documents() {
        for sentence in documents::sentences(&document) {
            let has_letter = |word: &&str| word.chars().any(char::is_alphanumeric);
            let words = sentence.split_whitespace().filter(has_letter).count();
            if words > WORDS {
                long.push(format!("{document}: {words} words: {}", sentence.trim()));
            }
        }
    }
    assert!(long.is_empty(), "more than {WORDS} words:\n{}", long.join("\n"));
}

#[test]
fn the_readme_and_the_design_fit_on_a_few_pages() {
    for (document, most, elsewhere) in
        [("README.md", 130, "the guide"), ("docs/design.md", 200, "the head of a room, or to the guide")]
    {
        let lines = read(document).lines().count();
        assert!(lines <= most, "{document}: {lines} lines, more than {most}: what explains belongs to {elsewhere}");
    }
}

/// The documents whose links and paths are looked at: all but `docs/compatibility.md`, which names files and targets of
/// other projects.
fn documents_that_point() -> Vec<String> {
    let others = [
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "SUPPORT.md",
        "docs/design.md",
        "docs/guide/src/implementations.md",
        "docs/guide/src/speed.md",
        "docs/verification.md",
        "docs/performance.md",
        "docs/scaling.md",
        "docs/trace-format.md",
        "docs/guide/src/SUMMARY.md",
        "benches/README.md",
    ];
    let mut documents = documents_that_run();
    documents.extend(others.map(str::to_string));
    let crates = fs::read_dir(root().join("crates")).expect("the folder of crates can be read");
    let names = crates.map(|entry| entry.expect("a crate").file_name());
    documents.extend(names.map(|name| format!("crates/{}/README.md", name.to_string_lossy())));
    documents
}

#[test]
fn files_that_the_documents_name_exist() {
    let rooms = ["src/", "include/", "kernels/", "examples/", "tests/", "benches/", "docs/", "crates/"];
    let mut missing = Vec::new();
    for document in documents_that_point() {
        let text = prose(&read(&document));
        missing.extend(between(&text, "](", ')').into_iter().filter_map(|link| broken(&document, link)));
        // Names in capitals stand for any name.
        let is_path = |word: &&str| {
            rooms.iter().any(|room| word.starts_with(room))
                && !word.contains(|c: char| c.is_ascii_uppercase() || " *<".contains(c))
        };
        for path in text.split('`').skip(1).step_by(2).filter(is_path) {
            if !root().join(path).exists() {
                missing.push(format!("{document}: {path} is not there"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
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
    for document in documents_that_point() {
        let text = read(&document);
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
