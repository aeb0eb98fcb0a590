//! Holds the layering of `docs/design.md`, section 2: which room of `src/` may import which, and that no circle of
//! imports joins files of two rooms. It reads the paths `crate::…` and `super::…` of each file, outside of comments,
//! texts and test modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, and what each may import besides itself. A room of the engine may import the rooms of it that stand
/// before it, and the C boundary all of them.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("sync", &[]),
    ("text", &[]),
    ("abi", &[]),
    ("status", &["abi"]),
    ("message", &["output_file"]),
    ("directory", &["text", "message"]),
    ("cores", &["text"]),
    ("output_file", &["text", "apart"]),
    ("apart", &[]),
    ("heap", &["message", "sync"]),
    ("trace", &["text", "diag", "output_file", "apart"]),
    ("symbols", &["text", "heap"]),
    ("model", &["sync", "output_file"]),
    (
        "object",
        &[
            "sync", "symbols", "heap", "text", "model", "status", "trace",
        ],
    ),
    ("diag", &["object", "output_file", "message"]),
    ("graph", &["object", "sync", "heap", "trace"]),
    ("memory", &["object", "sync"]),
    ("sched", &["object", "sync", "model"]),
    ("simulate", &["sched", "object", "model"]),
    (
        "device",
        &[
            "object",
            "sync",
            "text",
            "model",
            "trace",
            "cores",
            "output_file",
        ],
    ),
    ("platform", &["device", "text", "config", "model"]),
    (
        "check",
        &["abi", "object", "diag", "sync", "text", "heap", "status"],
    ),
    (
        "report",
        &[
            "object",
            "diag",
            "sync",
            "check",
            "sched",
            "symbols",
            "text",
            "trace",
            "model",
            "simulate",
            "output_file",
        ],
    ),
    (
        "config",
        &["device", "sched", "diag", "text", "directory", "model"],
    ),
    ("engine::state", BELOW_THE_ENGINE),
    ("engine::strict", BELOW_THE_ENGINE),
    ("engine::life", BELOW_THE_ENGINE),
    ("engine::calls", BELOW_THE_ENGINE),
    ("engine::workers", BELOW_THE_ENGINE),
    ("engine::process", BELOW_THE_ENGINE),
    ("engine::run", BELOW_THE_ENGINE),
    ("capi", BELOW_THE_ENGINE),
    ("tasks", &["capi"]),
];

/// What the engine is built on.
const BELOW_THE_ENGINE: &[&str] = &[
    "abi",
    "graph",
    "memory",
    "sched",
    "device",
    "platform",
    "object",
    "model",
    "check",
    "report",
    "config",
    "cores",
    "diag",
    "heap",
    "message",
    "text",
    "directory",
    "output_file",
    "apart",
    "symbols",
    "status",
    "sync",
    "trace",
];

/// A file of `src/`, by its module path without `crate`.
type Module = Vec<String>;

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src can be read").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => rust_files(&path, found),
            false if path.extension().is_some_and(|e| e == "rs") => found.push(path),
            false => {}
        }
    }
}

fn module_of(path: &Path, src: &Path) -> Module {
    let relative = path
        .strip_prefix(src)
        .expect("below src")
        .with_extension("");
    let mut names: Module = relative
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if names
        .last()
        .is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str()))
    {
        names.pop();
    }
    names
}

/// The text without comments, texts in quotes and test modules.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut depth_of_tests = None;
    let mut depth = 0usize;
    let mut test_follows = false;
    for line in text.lines() {
        let line = without_texts(line);
        let begins_tests = line.trim_start().starts_with("#[cfg(") && line.contains("test");
        if depth_of_tests.is_none() && test_follows && line.contains('{') {
            depth_of_tests = Some(depth);
        }
        let item = test_follows;
        test_follows = begins_tests || test_follows && !line.contains(['{', ';']);
        depth += line.matches('{').count();
        depth -= line.matches('}').count().min(depth);
        match depth_of_tests {
            Some(outer) if depth <= outer => depth_of_tests = None,
            Some(_) => {}
            None if item => {}
            None => code.push_str(&line),
        }
        code.push('\n');
    }
    code
}

/// A line without its comment and without what stands in quotes. Texts of several lines have no paths in them.
fn without_texts(line: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quoted => drop(chars.next()),
            '"' => quoted = !quoted,
            '/' if !quoted && chars.peek() == Some(&'/') => break,
            '{' | '}' if quoted => {}
            c if !quoted => out.push(c),
            _ => {}
        }
    }
    out.replace("'{'", "").replace("'}'", "")
}

/// All paths that begin with `crate` or `super`, with the braces of `use` taken apart, as absolute ones.
fn paths_of(code: &str, module: &Module) -> Vec<Module> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            // `pub(super)` and `pub(in crate::…)` say how far a name can be seen, and import nothing.
            let visibility = code[..at].ends_with("pub(") || code[..at].ends_with("pub(in ");
            if visibility || before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            take_path(&code[at..], &[], &mut |path| {
                found.push(absolute(path, module));
            });
        }
    }
    found
}

fn absolute(path: &[String], module: &Module) -> Module {
    let ups = path.iter().take_while(|name| *name == "super").count();
    let rest = &path[ups..];
    match ups {
        0 => rest[1..].to_vec(),
        _ => {
            let base = &module[..module.len().saturating_sub(ups)];
            base.iter().chain(rest).cloned().collect()
        }
    }
}

/// Calls `found` with each path that begins here; returns how many bytes of the text belong to it.
fn take_path(text: &str, before: &[String], found: &mut impl FnMut(&[String])) -> usize {
    let mut path = before.to_vec();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if let Some(inside) = rest.strip_prefix('{') {
            let mut inner = 1;
            loop {
                let blank = inside[inner - 1..].len()
                    - inside[inner - 1..]
                        .trim_start_matches([' ', '\n', ','])
                        .len();
                inner += blank;
                if inside[inner - 1..].starts_with('}') || inside[inner - 1..].is_empty() {
                    return at + inner + 1;
                }
                let taken = take_path(&inside[inner - 1..], &path, found);
                inner += taken.max(1);
            }
        }
        let name: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if name.is_empty() {
            break;
        }
        at += name.len();
        path.push(name);
        match text[at..].strip_prefix("::") {
            Some(_) => at += 2,
            None => break,
        }
    }
    found(&path);
    at
}

fn room_of(module: &[String]) -> String {
    match module {
        [first, second, ..] if first == "engine" => format!("engine::{second}"),
        [first, ..] => first.clone(),
        [] => "lib".into(),
    }
}

/// Whether a file writes messages by the macros of `diag`, which need no path.
fn speaks(code: &str) -> bool {
    const MACROS: &[&str] = &["say_text", "say_line", "error", "warning", "note"];
    let called = |text: &str| {
        let name = text
            .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
            .next();
        let name = name.map(|name| name.trim_start_matches("strict_").trim_end_matches("_once"));
        name.is_some_and(|name| MACROS.contains(&name))
    };
    code.match_indices("!(").any(|(at, _)| called(&code[..at]))
}

/// What each file of the library imports: the files, by module.
fn imports() -> BTreeMap<Module, BTreeSet<Module>> {
    imports_below("src")
}

/// What each file below a folder imports of that folder. The command is a crate of its own within `src`, and models and
/// test files may look everywhere.
fn imports_below(folder: &str) -> BTreeMap<Module, BTreeSet<Module>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    files.retain(|path| !path.starts_with(src.join("bin")));
    let modules: BTreeMap<Module, PathBuf> = files
        .into_iter()
        .map(|path| (module_of(&path, &src), path))
        .collect();
    let is_test = |module: &Module| {
        module
            .iter()
            .any(|name| ["tests", "loom_models", "models", "test_support"].contains(&name.as_str()))
    };
    let mut imports = BTreeMap::new();
    for (module, path) in &modules {
        if is_test(module) {
            continue;
        }
        let text = fs::read_to_string(path).expect("a source can be read");
        let mut named = BTreeSet::new();
        for path in paths_of(&code_of(&text), module) {
            // The longest prefix that is a file; what `lib.rs` and maps re-export counts as theirs.
            let file = (0..=path.len())
                .rev()
                .map(|n| path[..n].to_vec())
                .find(|m| modules.contains_key(m));
            if let Some(file) = file.filter(|file| file != module && !file.is_empty()) {
                named.insert(file);
            }
        }
        if *module != ["diag"] && speaks(&code_of(&text)) {
            named.insert(vec!["diag".into()]);
        }
        imports.insert(module.clone(), named);
    }
    imports
}

#[test]
fn rooms_import_those_below_them_alone() {
    let ranks: Vec<&str> = MAY_IMPORT.iter().map(|(room, _)| *room).collect();
    let mut wrong = Vec::new();
    for (module, named) in imports() {
        let room = room_of(&module);
        if room == "lib" || module == ["engine"] {
            continue;
        }
        let Some(rank) = ranks.iter().position(|name| *name == room) else {
            wrong.push(format!("{} is in no room of the table", module.join("::")));
            continue;
        };
        for other in named {
            let target = room_of(&other);
            let allowed = target == room
                || MAY_IMPORT[rank].1.contains(&target.as_str())
                || room == "capi" && target.starts_with("engine")
                || room.starts_with("engine::")
                    && target.starts_with("engine::")
                    && ranks
                        .iter()
                        .position(|name| *name == target)
                        .is_some_and(|below| below < rank);
            if !allowed {
                wrong.push(format!(
                    "{} imports {}",
                    module.join("::"),
                    other.join("::")
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "imports that the table of rooms does not allow:\n  {}",
        wrong.join("\n  ")
    );
}

/// What a run is and what a thread of it has name each other, so their files are one circle, within this room.
const ONE_KNOT: &str = "engine::state";

#[test]
fn no_circle_of_imports_joins_two_files() {
    assert_no_circle(&imports());
}

#[test]
fn no_circle_of_imports_joins_two_files_of_the_command() {
    assert_no_circle(&imports_below("src/bin/ocr"));
}

fn assert_no_circle(imports: &BTreeMap<Module, BTreeSet<Module>>) {
    let reach = |from: &Module| {
        let mut seen = BTreeSet::new();
        let mut next = vec![from.clone()];
        while let Some(module) = next.pop() {
            for other in imports.get(&module).into_iter().flatten() {
                // A folder's `mod.rs` names its files, and they may name what it has.
                if !other.starts_with(&module)
                    && !module.starts_with(other)
                    && seen.insert(other.clone())
                {
                    next.push(other.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = imports
        .keys()
        .map(|module| (module, reach(module)))
        .collect();
    let circles: Vec<String> = reached
        .iter()
        .flat_map(|(module, seen)| seen.iter().map(move |other| (*module, other)))
        .filter(|(module, other)| {
            room_of(module) != ONE_KNOT
                && module < other
                && reached
                    .get(other)
                    .is_some_and(|back| back.contains(*module))
        })
        .map(|(module, other)| format!("{} and {}", module.join("::"), other.join("::")))
        .collect();
    assert!(
        circles.is_empty(),
        "files that import each other, directly or through others:\n  {}",
        circles.join("\n  ")
    );
}
