//! What stands in the documents: fences with their marks, tables, links, sentences.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the guide's chapters.
pub(crate) const CHAPTERS: &str = "docs/guide/src";

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The documents in a folder and below it, by their names from the root on.
fn documents_below(folder: &Path) -> BTreeSet<String> {
    let mut documents = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            documents.append(&mut documents_below(&path));
        } else if path.extension().is_some_and(|it| it == "md") {
            let name = path.strip_prefix(root()).expect("it is below the root");
            documents.insert(name.to_str().expect("names are UTF-8").to_string());
        }
    }
    documents
}

/// The chapters of the guide, by their names from the root on; without the list of chapters.
pub(crate) fn chapters() -> Vec<String> {
    let mut chapters = documents_below(&root().join(CHAPTERS));
    chapters.remove(&format!("{CHAPTERS}/SUMMARY.md"));
    chapters.into_iter().collect()
}

/// All documents of the repository. What was built has others.
pub(crate) fn all_documents() -> Vec<String> {
    let mut documents = Vec::new();
    for entry in fs::read_dir(root()).expect("the root is there") {
        let name = entry.expect("the root can be read").file_name();
        let name = name.to_str().expect("names are UTF-8");
        if name.ends_with(".md") {
            documents.push(name.to_string());
        }
    }
    for folder in [".packaging", "benches", "crates", "docs", "examples", "src", "tests"] {
        documents.extend(documents_below(&root().join(folder)));
    }
    documents
}

/// The documents whose programs and commands are run: the README and the guide.
pub(crate) fn documents_that_run() -> Vec<String> {
    let mut documents = chapters();
    documents.push("README.md".to_string());
    documents
}

/// A fence of a document.
pub(crate) struct Fence {
    /// What stands in the comment in front of it, if there is one.
    pub(crate) mark: Option<String>,
    /// The language, such as `console`.
    pub(crate) language: String,
    /// The lines between the two ends.
    pub(crate) text: String,
}

pub(crate) fn fences(document: &str) -> Vec<Fence> {
    let text = read(document);
    let mut fences = Vec::new();
    let mut mark = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            fences.push(Fence { mark: mark.take(), language: language.to_string(), text: body.join("\n") + "\n" });
            continue;
        }
        assert!(mark.is_none(), "{document}: no fence follows <!-- {} -->", mark.unwrap_or_default());
        mark = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")).map(str::to_string);
    }
    fences
}

/// The rows of the table that has this line of titles, each with a line end.
pub(crate) fn table(document: &str, titles: &str) -> String {
    let text = read(document);
    let (_, rest) =
        text.split_once(&format!("\n{titles}\n")).unwrap_or_else(|| panic!("{document} has no table {titles}"));
    let rows = rest.lines().skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| format!("{row}\n")).collect()
}

/// What stands between two marks, without line breaks.
pub(crate) fn between<'a>(text: &'a str, open: &str, close: char) -> Vec<&'a str> {
    text.split(open)
        .skip(1)
        .filter_map(|rest| rest.split_once(close))
        .map(|(inside, _)| inside)
        .filter(|inside| !inside.contains('\n'))
        .collect()
}

/// A text without its fences.
pub(crate) fn prose(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_end = line.starts_with("```");
        is_code ^= is_end;
        !is_code && !is_end
    });
    lines.map(|line| format!("{line}\n")).collect()
}

/// What a heading is called in a link to it.
fn anchor(heading: &str) -> String {
    let letters = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ if letter.is_alphanumeric() => Some(letter.to_ascii_lowercase()),
        _ => None,
    });
    letters.collect()
}

/// What is wrong with a link of a document; none where it leads somewhere.
pub(crate) fn broken(document: &str, link: &str) -> Option<String> {
    if link.contains("://") {
        return None;
    }
    let (path, part) = link.split_once('#').map_or((link, None), |(path, part)| (path, Some(part)));
    let folder = root().join(document);
    let folder = folder.parent().expect("a file is in a folder");
    let target: PathBuf = match path {
        "" => root().join(document),
        path => folder.join(path),
    };
    let Ok(target) = target.canonicalize() else {
        return Some(format!("{document}: {link} is not there"));
    };
    let book = root().join(CHAPTERS).canonicalize().expect("the guide is there");
    if document.starts_with(CHAPTERS) && !target.starts_with(&book) {
        return Some(format!("{document}: {link} leads out of the guide, where the book has nothing"));
    }
    let part = part?;
    let text = fs::read_to_string(&target).unwrap_or_default();
    let headings = prose(&text);
    let mut headings = headings.lines().filter(|line| line.starts_with('#'));
    let is_there = headings.any(|line| anchor(line.trim_start_matches('#').trim()) == part);
    (!is_there).then(|| format!("{document}: {link}: there is no such heading"))
}

/// The sentences of a document's paragraphs and lists, without tables and headings. What stands in backticks is a word.
pub(crate) fn sentences(document: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in prose(&read(document)).lines() {
        let line = line.trim();
        let is_apart = ["#", "|", "<!--", "!["].iter().any(|it| line.starts_with(it));
        let number = line.trim_start_matches(|it: char| it.is_ascii_digit());
        let begins = line.starts_with("- ") || (number.len() < line.len() && number.starts_with(". "));
        if is_apart || begins || line.is_empty() {
            blocks.push(String::new());
        }
        if !is_apart {
            let block = blocks.last_mut().expect("there is one");
            block.push_str(line);
            block.push(' ');
        }
    }
    let mut sentences = Vec::new();
    for block in blocks {
        let mut sentence = String::new();
        for (index, piece) in block.split('`').enumerate() {
            if index % 2 == 1 {
                sentence.push('X');
                continue;
            }
            let mut rest = piece;
            while let Some(at) = rest.find(['.', '?', '!']) {
                let (before, after) = rest.split_at(at + 1);
                sentence.push_str(before);
                rest = after;
                if rest.is_empty() || rest.starts_with([' ', '*', ')']) {
                    sentences.push(std::mem::take(&mut sentence));
                }
            }
            sentence.push_str(rest);
        }
        sentences.push(sentence);
    }
    sentences
}
