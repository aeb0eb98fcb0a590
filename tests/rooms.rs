//! Holds what the crates of the workspace cannot: which room of `src/` may import which (`docs/design.md`, section 2),
//! and that no circle of imports joins files, in the runtime and in each crate beside it. It reads the paths of each
//! file, outside of comments, texts and test modules. A name that a `mod.rs` passes on counts as that of the file which
//! defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, and what each may import besides itself. A room of the engine may import the rooms of it that stand
/// before it, and the C boundary all of them.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("abi", &[]),
    ("status", &["abi"]),
    ("diag", &["message"]),
    ("message", &[]),
    ("directory", &["message"]),
    ("cores", &[]),
    ("stack", &[]),
    ("heap", &["message"]),
    ("trace", &["diag"]),
    ("symbols", &["heap"]),
    ("object", &["abi", "symbols", "heap", "status", "trace"]),
    ("graph", &["object", "heap", "trace"]),
    ("memory", &["object"]),
    ("sched", &["object"]),
    ("device", &["object", "diag", "trace", "cores", "stack"]),
    ("platform", &["device", "config"]),
    ("check", &["abi", "object", "diag", "heap", "status"]),
    ("report", &["object", "diag", "check", "sched", "symbols", "trace"]),
    ("config", &["device", "sched", "diag", "directory"]),
    ("link", &[]),
    ("protocol", &[]),
    ("engine::state", BELOW_THE_ENGINE),
    ("engine::nodes", BELOW_THE_ENGINE),
    ("engine::devices", BELOW_THE_ENGINE),
    ("engine::strict", BELOW_THE_ENGINE),
    ("engine::attempt", BELOW_THE_ENGINE),
    ("engine::life", BELOW_THE_ENGINE),
    ("engine::calls", BELOW_THE_ENGINE),
    ("engine::workers", BELOW_THE_ENGINE),
    ("engine::checkpoint", BELOW_THE_ENGINE),
    ("engine::process", BELOW_THE_ENGINE),
    ("engine::run", BELOW_THE_ENGINE),
    ("capi", BELOW_THE_ENGINE),
    // What the boundary hands on: the mark of a call from Rust, and the count that a template leaves open.
    ("tasks", &["capi", "engine::state", "object"]),
];

/// What the engine is built on.
const BELOW_THE_ENGINE: &[&str] = &[
    "abi",
    "graph",
    "memory",
    "sched",
    "device",
    "platform",
    "protocol",
    "object",
    "check",
    "report",
    "config",
    "cores",
    "diag",
    "heap",
    "message",
    "directory",
    "link",
    "stack",
    "symbols",
    "status",
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
    let relative = path.strip_prefix(src).expect("below src").with_extension("");
    let mut names: Module = relative.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
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

/// The paths that begin with one of these names, with the braces of `use` taken apart.
fn paths_from<'a>(code: &str, names: impl Iterator<Item = &'a str>) -> Vec<Module> {
    let mut found = Vec::new();
    for name in names {
        for (at, _) in code.match_indices(&format!("{name}::")) {
            let before = code[..at].chars().next_back();
            // `pub(super)` and `pub(in crate::…)` say how far a name can be seen, and import nothing.
            let visibility = code[..at].ends_with("pub(") || code[..at].ends_with("pub(in ");
            if visibility || before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            take_path(&code[at..], &[], &mut |path| found.push(path.to_vec()));
        }
    }
    found
}

/// A path from the root of the crate, for one that begins with `crate`, `self`, `super` or a file of the module's own.
fn absolute(path: &[String], module: &Module) -> Module {
    let ups = path.iter().take_while(|name| *name == "super").count();
    let below = module.len().saturating_sub(ups);
    let (base, rest) = match path[0].as_str() {
        "crate" => (&module[..0], &path[1..]),
        "self" => (&module[..], &path[1..]),
        _ => (&module[..below], &path[ups..]),
    };
    let itself = |name: &&String| *name != "self";
    base.iter().chain(rest.iter().filter(itself)).cloned().collect()
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
                let blank = inside[inner - 1..].len() - inside[inner - 1..].trim_start_matches([' ', '\n', ',']).len();
                inner += blank;
                if inside[inner - 1..].starts_with('}') || inside[inner - 1..].is_empty() {
                    return at + inner + 1;
                }
                let taken = take_path(&inside[inner - 1..], &path, found);
                inner += taken.max(1);
            }
        }
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
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
        let name = text.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
        let name = name.map(|name| name.trim_start_matches("strict_").trim_end_matches("_once"));
        name.is_some_and(|name| MACROS.contains(&name))
    };
    code.match_indices("!(").any(|(at, _)| called(&code[..at]))
}

/// Where the word `use` stands in a statement that passes names on: `pub use`, with attributes before it or without.
fn passes_on(statement: &str) -> Option<usize> {
    let mut lines = statement.trim_start().lines();
    let first = lines.find(|line| !line.trim_start().starts_with("#["));
    let is_public = first.is_some_and(|line| line.trim_start().starts_with("pub"));
    statement.find("use ").filter(|_| is_public)
}

/// The files of a crate: their code, and which names each passes on.
struct Sources {
    code: BTreeMap<Module, String>,
    /// For a name that a file passes on, by `pub use`, the path of it.
    passed_on: BTreeMap<Module, BTreeMap<String, Module>>,
}

/// Stand in for other crates, or for a room, in models of the protocols alone.
const IN_MODELS: &[&str] = &["heap::models", "sched::models", "trace::models"];

impl Sources {
    /// The files below a folder, without tests and models, which may look everywhere.
    fn below(folder: &Path) -> Sources {
        let mut files = Vec::new();
        rust_files(folder, &mut files);
        let mut code = BTreeMap::new();
        for path in files {
            let module = module_of(&path, folder);
            let is_test = module
                .iter()
                .any(|name| name.ends_with("tests") || ["loom_models", "test_support"].contains(&name.as_str()));
            if !is_test && !IN_MODELS.contains(&module.join("::").as_str()) {
                let text = fs::read_to_string(&path).expect("a source can be read");
                code.insert(module, code_of(&text));
            }
        }
        Sources::new(code)
    }

    fn new(code: BTreeMap<Module, String>) -> Sources {
        let mut sources = Sources { code, passed_on: BTreeMap::new() };
        let modules = sources.code.keys();
        sources.passed_on = modules.map(|module| (module.clone(), sources.passed_on_by(module))).collect();
        sources
    }

    /// The names by which a path of a file may begin.
    fn begins(&self, module: &Module) -> BTreeSet<&str> {
        let own = self
            .code
            .keys()
            .filter(|other| other.len() == module.len() + 1 && other.starts_with(module) && !module.is_empty());
        let own = own.filter_map(|other| other.last()).map(String::as_str);
        own.chain(["crate", "self", "super"]).collect()
    }

    fn passed_on_by(&self, module: &Module) -> BTreeMap<String, Module> {
        let begins = self.begins(module);
        let mut names = BTreeMap::new();
        for statement in self.code[module].split(';') {
            if let Some(at) = passes_on(statement) {
                // The root of a crate names its files without a word before them.
                let text = if module.is_empty() {
                    format!("crate::{}", &statement[at + 4..])
                } else {
                    statement[at + 4..].to_string()
                };
                for path in paths_from(&text, begins.iter().copied()) {
                    let path = absolute(&path, module);
                    names.extend(path.last().cloned().map(|name| (name, path.clone())));
                }
            }
        }
        names
    }

    /// The file that a path leads to: of its longest beginning that is a file, or of what that file passes on.
    fn file_of(&self, path: &[String]) -> Option<Module> {
        let length = (0..=path.len()).rev().find(|&n| self.code.contains_key(&path[..n]))?;
        let file = path[..length].to_vec();
        let passed_on = path.get(length).and_then(|name| self.passed_on[&file].get(name));
        match passed_on {
            Some(target) if !target.starts_with(&path[..=length]) => {
                let whole: Module = target.iter().chain(&path[length + 1..]).cloned().collect();
                self.file_of(&whole)
            }
            _ => Some(file),
        }
    }

    /// The files that a file imports.
    fn imports_of(&self, module: &Module) -> BTreeSet<Module> {
        let mut code = String::new();
        for statement in self.code[module].split_inclusive(';') {
            if passes_on(statement).is_none() {
                code.push_str(statement);
            }
        }
        let paths = paths_from(&code, self.begins(module).into_iter());
        let paths: Vec<Module> = paths.iter().map(|path| absolute(path, module)).collect();
        let mut found = BTreeSet::new();
        for path in paths {
            // A file that is imported by its name: what is used of it may come from a file further on.
            let through = if self.code.contains_key(&path) && !path.is_empty() {
                paths_from(&code, path.last().map(String::as_str).into_iter())
            } else {
                Vec::new()
            };
            let whole = |rest: &Module| path.iter().chain(&rest[1..]).cloned().collect::<Module>();
            if through.is_empty() {
                found.extend(self.file_of(&path));
            } else {
                found.extend(through.iter().filter_map(|rest| self.file_of(&whole(rest))));
            }
        }
        found.remove(module);
        found
    }

    /// What each file imports.
    fn imports(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let modules = self.code.keys().filter(|module| !module.is_empty());
        modules
            .map(|module| {
                let mut named = self.imports_of(module);
                named.remove(&Vec::new());
                if *module != ["diag"] && speaks(&self.code[module]) {
                    named.insert(vec!["diag".into()]);
                }
                (module.clone(), named)
            })
            .collect()
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Tests go through all states of the protocol: so it must not depend on anything that they do not see.
#[test]
fn the_protocol_is_values_alone() {
    let sources = Sources::below(&root().join("src"));
    let mut of_room = sources.code.iter().filter(|(module, _)| room_of(module) == "protocol").peekable();
    assert!(of_room.peek().is_some(), "the room is where it was");
    for (module, code) in of_room {
        let names = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_more = |name: &&str| ["thread", "time", "net", "sync", "cell", "unsafe", "static"].contains(name);
        let found: Vec<&str> = names.filter(is_more).collect();
        assert!(found.is_empty(), "{} has {found:?}", module.join("::"));
    }
}

#[test]
fn rooms_import_those_below_them_alone() {
    let ranks: Vec<&str> = MAY_IMPORT.iter().map(|(room, _)| *room).collect();
    let mut wrong = Vec::new();
    let sources = Sources::below(&root().join("src"));
    for (module, mut named) in sources.imports() {
        // What a file passes on is imported by others, but it must be able to see that.
        let passed_on = sources.passed_on[&module].values();
        named.extend(passed_on.filter_map(|path| sources.file_of(path)));
        named.remove(&Vec::new());
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
                    && ranks.iter().position(|name| *name == target).is_some_and(|below| below < rank);
            if !allowed {
                wrong.push(format!("{} imports {}", module.join("::"), other.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that the table of rooms does not allow:\n  {}", wrong.join("\n  "));
}

#[test]
fn no_circle_of_imports_joins_files_of_the_runtime() {
    assert_no_circle(&Sources::below(&root().join("src")).imports());
}

#[test]
fn no_circle_of_imports_joins_files_of_a_crate() {
    let crates = fs::read_dir(root().join("crates")).expect("the folder of crates can be read");
    for entry in crates {
        let sources = Sources::below(&entry.expect("a crate").path().join("src"));
        assert_no_circle(&sources.imports());
    }
}

fn assert_no_circle(imports: &BTreeMap<Module, BTreeSet<Module>>) {
    let circles = circles_of(imports);
    let shown = circles.iter().map(|circle| {
        let files: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
        files.join(", ")
    });
    assert!(
        circles.is_empty(),
        "files that import each other, directly or through others:\n  {}",
        Vec::from_iter(shown).join("\n  ")
    );
}

/// The largest sets of files of which each imports all others, directly or through others. The `mod.rs` of a folder may
/// name its files, and they may name what it has: so within a folder, paths through its `mod.rs` do not count.
fn circles_of(imports: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reach = |from: &Module| {
        let mut seen = BTreeSet::new();
        let mut next = vec![from.clone()];
        while let Some(module) = next.pop() {
            for other in imports.get(&module).into_iter().flatten() {
                if imports.contains_key(other) && seen.insert(other.clone()) {
                    next.push(other.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = imports.keys().map(|module| (module, reach(module))).collect();
    let mut circles = Vec::new();
    let mut done = BTreeSet::new();
    for (module, seen) in &reached {
        if !seen.contains(*module) || done.contains(*module) {
            continue;
        }
        let back = |other: &&Module| reached[*other].contains(*module);
        let circle: BTreeSet<Module> = seen.iter().filter(back).cloned().collect();
        done.extend(circle.iter().cloned());
        let shortest = circle.iter().min_by_key(|module| module.len());
        let folder = shortest.expect("it has files").clone();
        if !circle.iter().all(|module| module.starts_with(&folder)) {
            circles.push(circle);
            continue;
        }
        let inside = circle.iter().filter(|module| **module != folder);
        let inside: BTreeMap<Module, BTreeSet<Module>> = inside
            .map(|module| (module.clone(), &imports[module] & &circle))
            .map(|(module, mut named)| {
                named.remove(&folder);
                (module, named)
            })
            .collect();
        circles.extend(circles_of(&inside));
    }
    circles
}

/// The circles of files with these texts.
fn circles_in(files: &[(&str, &str)]) -> Vec<String> {
    let code = files.iter().map(|(name, text)| {
        let module = name.split("::").map(String::from).collect::<Module>();
        (module, code_of(text))
    });
    let circles = circles_of(&Sources::new(code.collect()).imports());
    let joined = circles.iter().map(|circle| {
        let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
        names.join(" ")
    });
    joined.collect()
}

#[test]
fn circles_through_the_file_of_a_folder_are_seen() {
    let watchdog = ("watchdog", "use crate::crash::report;");
    // What the folder's file does itself, and what it passes on.
    let own = ("crash", "mod write;\npub fn report() { write::all() }");
    let passes_on = ("crash", "mod write;\n#[cfg(unix)]\npub use write::report;");
    let write = ("crash::write", "use crate::watchdog::bark;");
    let all = "crash crash::write watchdog";
    assert_eq!(circles_in(&[watchdog, own, write]), [all]);
    assert_eq!(circles_in(&[watchdog, passes_on, write]), ["crash::write watchdog"]);
    // A file of the folder that the other one gets nothing of.
    let apart = ("crash", "mod write;\npub fn report() {}");
    assert!(circles_in(&[watchdog, apart, write]).is_empty());
    // Within a folder, its file may name the others, and they it.
    let upward = ("crash::write", "use super::report;");
    assert!(circles_in(&[own, upward]).is_empty());
    let next = ("crash::next", "use super::write::all;");
    let back = ("crash::write", "use super::next::all;");
    assert_eq!(circles_in(&[own, next, back]), ["crash::next crash::write"]);
    // A file whose name is that of models is one like any other.
    let models = ("models", "use crate::json::list;");
    assert_eq!(circles_in(&[models, ("json", "use crate::models::show;")]), ["json models"]);
}

/// The files of a folder that are modules, by their names; tests and models left out.
fn modules_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder of sources can be read");
    let names = entries.map(|entry| {
        let path = entry.expect("the folder can be read").path();
        let is_module = path.is_dir() || path.extension().is_some_and(|e| e == "rs");
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        name.filter(|_| is_module)
    });
    let apart = ["mod", "lib", "main", "rules"];
    let is_test = |name: &str| name.contains("test") || name.contains("models");
    names.flatten().filter(|name| !apart.contains(&name.as_str()) && !is_test(name)).collect()
}

/// The comment at the head of a file.
fn head_of(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().take_while(|line| line.starts_with("//!")).map(|line| format!("{line}\n")).collect()
}

/// Whether a head names a file, as `file.rs`, `folder/`, or by a link to the module.
fn names_file(head: &str, name: &str) -> bool {
    head.match_indices(name).any(|(at, _)| {
        let before = head[..at].chars().next_back();
        let after = head[at + name.len()..].chars().next();
        before.is_some_and(|c| "`/:[@".contains(c)) && after.is_some_and(|c| "`./:".contains(c))
    })
}

/// Adds the files of a folder that neither its head nor the heads above it name.
fn add_unnamed(folder: &Path, above: &str, wrong: &mut Vec<String>) {
    let own = ["mod.rs", "lib.rs", "main.rs"].map(|name| head_of(&folder.join(name))).concat();
    let heads = format!("{above}{own}{}", head_of(&folder.with_extension("rs")));
    let modules = modules_in(folder);
    // A header of the C interface has the file of its name, with the functions that it declares.
    let is_of_header = |name: &str| {
        let header = format!("ocr-{}.h", name.replace('_', "-"));
        folder.ends_with("capi")
            && ["include", "include/extensions"].iter().any(|it| root().join(it).join(&header).exists())
    };
    for name in &modules {
        if modules.len() > 2 && !names_file(&heads, name) && !is_of_header(name) {
            wrong.push(folder.join(name).display().to_string());
        }
        if folder.join(name).is_dir() {
            add_unnamed(&folder.join(name), &heads, wrong);
        }
    }
}

/// A reader finds a file by the table of its room, in three steps from `docs/design.md`.
#[test]
fn the_heads_of_rooms_name_their_files() {
    let mut wrong = Vec::new();
    add_unnamed(&root().join("src"), "", &mut wrong);
    for entry in fs::read_dir(root().join("crates")).expect("the folder of crates can be read") {
        add_unnamed(&entry.expect("a crate").path().join("src"), "", &mut wrong);
    }
    assert!(wrong.is_empty(), "files that no head of their rooms names:\n  {}", wrong.join("\n  "));
}
