//! Holds what names must be in `src/` and `crates/`: one name of a type means one thing, errors are `XError`, no type
//! has a name of the language's, and the files that comments name exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Names that two types of the library have, each with the reason.
const TWICE: &[(&str, &str)] = &[
    ("DepotMutex", "an alias: models have one of their own"),
    ("Mutex", "that of `ocr_base::lock`, and an alias of it with a rank, which models replace"),
    ("Event", "an event of `ocr::tasks` is what users of that crate see of an event"),
    ("NdRange", "an index space of `ocr::tasks` is what its users write for the one that a kernel gets"),
    ("Template", "a template of `ocr::tasks` is what users of that crate see of a template"),
    ("OfRun", "an alias or an empty enum: each build has one of them, with strict mode or without"),
];

/// Types that results have in place of a value and that are no `XError`, each with the reason.
const OTHER_ERRORS: &[(&str, &str)] = &[
    ("Fault", "what is wrong with a launch, of which its `LaunchError` is made"),
    ("LaunchResult", "the answer of a launch, given back where it is not kept for later"),
    ("Left", "a setting that `ocr tune` leaves out, and why"),
    ("Misuse", "what strict mode says before it ends the program"),
    ("Status", "a status code of the C interface"),
];

/// Names of the standard library that are known without looking them up.
const OF_THE_LANGUAGE: &[&str] = &[
    "Arc", "Box", "Cell", "Clone", "Command", "Condvar", "Copy", "Cow", "Default", "Display", "Drop", "Duration",
    "Error", "File", "Future", "HashMap", "HashSet", "Instant", "Iterator", "Layout", "Mutex", "NonNull", "Once",
    "OnceLock", "Option", "Ordering", "Path", "PathBuf", "Pin", "Range", "Rc", "Ref", "RefCell", "Result", "RwLock",
    "Send", "Sized", "String", "Sync", "Thread", "Vec", "Weak",
];

/// The command, which is a program of its own.
const COMMAND: &str = "crates/ocr-cli";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files of the sources, by their paths from the root: those of the runtime, and those of each crate beside it.
fn sources() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).expect("the folder of crates can be read");
    let names = crates.map(|entry| entry.expect("a crate").file_name());
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = names.map(|name| Path::new("crates").join(name).join("src")).collect();
    folders.push("src".into());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root().join(&folder)).expect("a folder of sources can be read");
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            if root().join(&path).is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "rs")
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).expect("a source can be read")
}

/// Whether a file has tests, or models and what stands in for other crates in them.
fn is_of_tests(path: &Path) -> bool {
    const MODELS: &[&str] = &["src/heap/models.rs", "src/sched/models.rs", "src/trace/models.rs"];
    let names: Vec<&str> = path.iter().filter_map(|name| name.to_str()).collect();
    MODELS.iter().any(|model| path == Path::new(model))
        || names.iter().any(|name| {
            let stem = name.trim_end_matches(".rs");
            stem.ends_with("tests") || ["loom_models", "test_support"].contains(&stem)
        })
}

/// The lines of a file that are in no module of tests or models. Such a module ends with a brace that stands below its
/// first line.
fn without_tests(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut is_hidden = false;
    let mut end: Option<String> = None;
    for line in text.lines() {
        let inner = line.trim_start();
        if is_hidden && inner.starts_with("mod ") && inner.ends_with('{') {
            end = Some(format!("{}}}", &line[..line.len() - inner.len()]));
        }
        is_hidden = inner.starts_with("#[cfg(") && (inner.contains("test") || inner.contains("(loom"));
        match &end {
            Some(last) if line == last => end = None,
            Some(_) => {}
            None => lines.push(line),
        }
    }
    lines
}

/// The name of the type that a line defines: a struct, an enum, a trait, a union, or an alias outside of a trait.
fn defined(line: &str) -> Option<&str> {
    let inner = line.trim_start();
    let is_inside = inner.len() != line.len();
    let inner = match inner.strip_prefix("pub") {
        Some(rest) => rest.trim_start_matches(|c: char| c != ' ').trim_start(),
        None => inner,
    };
    let inner = inner.strip_prefix("unsafe ").unwrap_or(inner);
    let (keyword, rest) = inner.split_once(' ')?;
    let defines = match keyword {
        "struct" | "enum" | "trait" | "union" => true,
        "type" => !is_inside,
        _ => false,
    };
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &rest[..end.unwrap_or(rest.len())];
    (defines && name.starts_with(char::is_uppercase)).then_some(name)
}

/// Where each type is defined, by its name: `path:line`. The library's, or those of the command, which is a program of
/// its own.
fn types(of_command: bool) -> BTreeMap<String, Vec<String>> {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in sources() {
        if !is_rust(&path) || is_of_tests(&path) || path.starts_with(COMMAND) != of_command {
            continue;
        }
        let text = read(&path);
        for name in without_tests(&text).into_iter().filter_map(defined) {
            let places = types.entry(name.to_string()).or_default();
            places.push(path.display().to_string());
        }
    }
    types
}

#[test]
fn one_name_of_a_type_means_one_thing() {
    let allowed: BTreeSet<&str> = TWICE.iter().map(|(name, _)| *name).collect();
    let mut wrong = Vec::new();
    let library = types(false);
    assert!(library.contains_key("DataBlock") && library.contains_key("Guid"));
    for (name, places) in library.iter().chain(&types(true)) {
        if places.len() > 1 && !allowed.contains(name.as_str()) {
            wrong.push(format!("{name} is defined in {}", places.join(", ")));
        }
    }
    for name in allowed {
        if library.get(name).is_none_or(|places| places.len() < 2) {
            wrong.push(format!("{name} is defined once: take it out of the list"));
        }
    }
    assert!(
        wrong.is_empty(),
        "name each by its room, as RecordedEdt and SimulatedDevice are:\n  {}",
        wrong.join("\n  ")
    );
}

/// What each `Result<..>` in a text has in place of a value, without `Box` around it.
fn errors(text: &str) -> Vec<&str> {
    let mut errors = Vec::new();
    for (at, begin) in text.match_indices("Result<") {
        let inside = &text[at + begin.len()..];
        let mut depth = 0;
        let mut last = None;
        let mut before = ' ';
        let end = inside.char_indices().find(|&(at, c)| {
            match c {
                '<' | '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                '>' if before != '-' => depth -= 1,
                ',' if depth == 0 && !inside[at + 1..].trim_start().starts_with('>') => last = Some(at + 1),
                _ => {}
            }
            before = c;
            depth < 0
        });
        if let (Some(last), Some((end, _))) = (last, end) {
            let error = inside[last..end].trim().trim_end_matches(',');
            let unboxed = error.strip_prefix("Box<").unwrap_or(error);
            let path = unboxed.trim_end_matches('>').split('<').next();
            errors.extend(path.and_then(|path| path.rsplit("::").next()));
        }
    }
    errors
}

#[test]
fn errors_have_names_that_say_so() {
    let known: BTreeMap<String, Vec<String>> = types(false).into_iter().chain(types(true)).collect();
    let allowed: BTreeSet<&str> = OTHER_ERRORS.iter().map(|(name, _)| *name).collect();
    let mut seen = BTreeSet::new();
    let mut wrong = BTreeSet::new();
    for path in sources().into_iter().filter(|path| is_rust(path)) {
        let text = read(&path);
        for error in errors(&text) {
            seen.insert(error.to_string());
            let is_named = error.ends_with("Error") || allowed.contains(error);
            if known.contains_key(error) && !is_named {
                wrong.insert(format!("{error} in {}", path.display()));
            }
        }
    }
    for name in ["GraphError", "LaunchError"].iter().chain(&allowed) {
        assert!(seen.contains(*name), "no result has a {name}");
    }
    assert!(wrong.is_empty(), "errors that are no XError:\n  {}", Vec::from_iter(wrong).join("\n  "));
}

#[test]
fn no_type_has_a_name_of_the_language() {
    let mut wrong = Vec::new();
    // Locks with ranks are used in place of those of the language everywhere.
    let is_lock = |places: &Vec<String>| places.iter().any(|it| it.contains("ocr-base/src/lock.rs"));
    for (name, places) in types(false).iter().chain(&types(true)) {
        if OF_THE_LANGUAGE.contains(&name.as_str()) && !is_lock(places) {
            wrong.push(format!("{name} in {}", places.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "types that have names of the standard library:\n  {}", wrong.join("\n  "));
}

/// What is in backticks in the comment of a line and has the form of a path of a source or a document.
fn paths_in_comment(line: &str) -> Vec<&str> {
    let begins =
        line.match_indices("//").map(|(at, _)| at).find(|at| line[..*at].matches('"').count().is_multiple_of(2));
    let comment = begins.map_or("", |at| &line[at..]);
    comment
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|quoted| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
            quoted.chars().all(is_name) && (quoted.ends_with(".rs") || quoted.ends_with(".md"))
        })
        .filter(|quoted| quoted.len() > ".rs".len() && !quoted.starts_with('.'))
        .collect()
}

/// Whether a comment of a file leads to one file: from the root, from the file's folder or one above it, or as the end
/// of a single path of the sources. The map of a folder, its `mod.rs`, may name each file below it.
fn leads_somewhere(named: &str, file: &Path, sources: &[PathBuf]) -> bool {
    let own = file.with_extension("");
    let mut folders = own.ancestors();
    if folders.any(|folder| root().join(folder).join(named).is_file()) {
        return true;
    }
    let mut ends = sources.iter().filter(|path| path.ends_with(named));
    if file.ends_with("mod.rs") {
        let folder = file.parent().expect("a file is in a folder");
        return ends.any(|path| path.starts_with(folder));
    }
    ends.count() == 1
}

#[test]
fn files_that_comments_name_exist() {
    let sources = sources();
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in sources.iter().filter(|path| is_rust(path)) {
        for (at, line) in read(file).lines().enumerate() {
            for named in paths_in_comment(line) {
                count += 1;
                if !leads_somewhere(named, file, &sources) {
                    wrong.push(format!("{}:{}: {named}", file.display(), at + 1));
                }
            }
        }
    }
    assert!(count > 100, "only {count} names of files were found");
    assert!(wrong.is_empty(), "comments name files that are not there, or that are several:\n  {}", wrong.join("\n  "));
}
