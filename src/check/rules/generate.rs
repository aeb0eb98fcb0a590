//! Reads the rules of strict mode from the tables of this folder, and writes them as Rust. `build.rs` and
//! `tests/rules.rs` have it; the library itself has what it writes.
//!
//! A table has rules and advice. A rule is a section with its ID, without `OCR-`, and these keys:
//!
//! * `name`: what the code calls it
//! * `title`: what is wrong
//! * `rule`: a sentence that holds in each right program
//! * `see`: the clauses of OCR 1.1.0 that say so, or a header; besides the clause of the function, if it is about a
//!   call
//! * `advice`: what to change in the program
//! * `like`: another rule of the table, which has those of `rule`, `see` and `advice` that this one lacks
//!
//! `{words}` in braces are what the code tells of the case. Where a rule has several pieces of advice, these stand in
//! the section `advice`, and `{advice}` is one of them. White space counts as one blank.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// The folder of the tables, from the root of the sources.
pub(crate) const FOLDER: &str = "src/check/rules";

/// A rule as its table has it, before it becomes a type.
#[derive(Clone, Debug)]
pub(crate) struct MisuseRule {
    /// Its stable name, which messages have: a clause, or a header, and a letter.
    pub id: String,
    /// The name of its type.
    pub name: String,
    /// What is wrong, in a few words.
    pub title: String,
    /// The sentence that says what a right program does.
    pub rule: String,
    /// Where that is said; empty: by the clause of the function.
    pub see: String,
    /// What the programmer is to do about it.
    pub advice: String,
}

/// The rules of all tables.
pub(crate) struct Rules {
    /// In the order of their IDs.
    pub rules: Vec<MisuseRule>,
    /// Pieces of advice that several cases of a rule have, by name.
    pub advice: BTreeMap<String, String>,
}

/// Reads the tables below the root of the sources.
pub(crate) fn read(root: &Path) -> Rules {
    let folder = root.join(FOLDER);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut rules: BTreeMap<String, MisuseRule> = BTreeMap::new();
    let mut advice = BTreeMap::new();
    for path in entries.map(|entry| entry.expect("an entry of a folder").path()) {
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let at = path.display();
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{at}: {e}"));
        let table: Table = text.parse().unwrap_or_else(|e| panic!("{at}: {e}"));
        for (id, section) in &table {
            let section = section.as_table();
            let section = section.unwrap_or_else(|| panic!("{at}: {id} is no section"));
            if id == "advice" {
                advice.extend(section.iter().map(|(name, text)| (name.clone(), plain(text))));
                continue;
            }
            let rule = MisuseRule::of(id, section, &table);
            let rule = rule.unwrap_or_else(|why| panic!("{at}: {id}: {why}"));
            assert!(rules.insert(id.clone(), rule).is_none(), "{at}: {id} is in another table, too");
        }
    }
    Rules { rules: rules.into_values().collect(), advice }
}

/// A text with single blanks.
fn plain(text: &Value) -> String {
    let words = text.as_str().unwrap_or_default().split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}

impl MisuseRule {
    fn of(id: &str, section: &Table, table: &Table) -> Result<MisuseRule, String> {
        const KEYS: [&str; 6] = ["name", "title", "rule", "see", "advice", "like"];
        if let Some(key) = section.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!("there is no key {key}"));
        }
        let letter = id.rsplit_once('-').map(|(_, letter)| letter);
        if !letter.is_some_and(|letter| letter.len() == 1 && ("a"..="z").contains(&letter)) {
            return Err("an ID ends with - and a small letter".into());
        }
        let like = match section.get("like").and_then(Value::as_str) {
            None => None,
            Some(id) => Some(
                (table.get(id).and_then(Value::as_table))
                    .ok_or_else(|| format!("there is no rule {id} in this table"))?,
            ),
        };
        let get = |key: &str| section.get(key).map(plain);
        let need = |key: &str| get(key).ok_or_else(|| format!("it has no {key}"));
        let inherit = |key: &str| get(key).or_else(|| like?.get(key).map(plain));
        let need_or_inherit = |key: &str| inherit(key).ok_or_else(|| format!("it has no {key}"));
        Ok(MisuseRule {
            id: format!("OCR-{id}"),
            name: need("name")?,
            title: need("title")?,
            rule: need_or_inherit("rule")?,
            see: inherit("see").unwrap_or_default(),
            advice: need_or_inherit("advice")?,
        })
    }

    /// What the code tells of a case, in the order in which the texts need it.
    fn words(&self) -> Vec<&str> {
        let mut words: Vec<&str> = Vec::new();
        for text in [&self.title, &self.rule, &self.advice] {
            for part in text.split('{').skip(1) {
                let word = part.split_once('}').map_or(part, |(word, _)| word);
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        words
    }
}

impl Rules {
    /// A type for each rule, whose fields are what its texts need, and what makes a broken rule of it.
    pub(crate) fn as_rust(&self) -> String {
        let mut out = String::new();
        for rule in &self.rules {
            out.push_str(&rule.as_rust());
        }
        out.push_str("/// What to do, where that depends on the case.\npub(crate) mod advice {\n");
        for (name, text) in &self.advice {
            let _ = writeln!(out, "    pub(crate) const {name}: &str = {text:?};");
        }
        out.push_str("}\n");
        out
    }
}

impl MisuseRule {
    fn as_rust(&self) -> String {
        let MisuseRule { id, name, title, rule, see, advice } = self;
        let words = self.words();
        let letters = ('A'..='Z').zip(&words);
        let join = |parts: Vec<String>| parts.join(", ");
        let types = join(letters.clone().map(|(t, _)| t.to_string()).collect());
        let bounds = join(letters.clone().map(|(t, _)| format!("{t}: Display")).collect());
        let fields = join(letters.map(|(t, w)| format!("pub {w}: {t}")).collect());
        let words = words.join(", ");
        let (types, bounds, fields, words) = if words.is_empty() {
            (String::new(), String::new(), ";".into(), String::new())
        } else {
            let braces = |inner: String| format!(" {{ {inner} }}");
            let angles = |inner: String| format!("<{inner}>");
            (angles(types), angles(bounds), braces(fields), braces(words))
        };
        format!(
            "/// [{id}] {rule}.\n\
             pub(crate) struct {name}{types}{fields}\n\
             impl{bounds} From<{name}{types}> for Broken {{\n    \
                 fn from(case: {name}{types}) -> Broken {{\n        \
                     let {name}{words} = case;\n        \
                     Broken {{\n            \
                         id: {id:?},\n            \
                         title: format!({title:?}),\n            \
                         rule: format!({rule:?}),\n            \
                         see: {see:?},\n            \
                         advice: format!({advice:?}),\n        \
                     }}\n    \
                 }}\n\
             }}\n\n"
        )
    }
}
