//! What the programs of `tests/c` show, by what they say in their heads: `// misuse: ID` of the rules that strict mode
//! reports, and `// clause: CLAUSE` of the rest. A rule without a program fails here, and so does a clause of the
//! specification, which `tests/c/clauses.txt` lists: a program that breaks a rule of it does not count. The lists
//! `docs/rules.md` and `docs/clauses.md` are made from that: `OCR_BLESS=1 cargo test --test rules` writes them.

#[path = "support/directives.rs"]
#[allow(dead_code)]
mod directives;
#[path = "../src/check/rules/generate.rs"]
#[allow(dead_code)]
mod generate;
#[path = "support/harness_tests.rs"]
mod harness_tests;
#[path = "support/snapshot.rs"]
mod snapshot;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A function of a header, with the clauses of OCR 1.1.0 that the comment before it ends with.
type Function = (String, Vec<String>);

/// What a program may show that is no clause: what the runtime says where a program hangs, crashes or leaves objects,
/// how it lives in a process, and that programs of some size run.
const TOPICS: [&str; 5] = ["hang", "crash", "leak", "process", "application"];

/// A program, and what it shows.
struct Program {
    name: String,
    text: String,
    clauses: Vec<String>,
    deviates: Vec<String>,
    misuses: Vec<String>,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn programs() -> Vec<Program> {
    let files = support::files_below(&root().join("tests/c"), &["c", "cpp"]);
    let programs = files.into_iter().map(|file| {
        let text = fs::read_to_string(&file).expect("a program");
        let values = |key: &str| -> Vec<String> {
            // A line for one revision says what the program shows, too.
            let lines = directives::lines(&text).filter(|line| line.key == key);
            let words = lines.flat_map(|line| line.value.split([' ', ',']));
            let words = words.filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        };
        Program {
            name: file.file_name().expect("a name").to_string_lossy().into(),
            clauses: values("clause"),
            deviates: values("deviates"),
            misuses: values("misuse"),
            text,
        }
    });
    let mut programs: Vec<Program> = programs.collect();
    // Lists have them in this order, whatever folder they are in.
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    programs
}

/// The functions that a header declares.
fn functions_in(header: &Path) -> Vec<Function> {
    let text = fs::read_to_string(header).expect("a header");
    let mut functions = Vec::new();
    for part in text.split("/*").skip(1) {
        let (comment, code) = part.split_once("*/").expect("a comment ends");
        let clauses = clauses_in(&comment.replace("\n *", " "));
        for line in code.lines() {
            // A declaration begins at the start of a line, and macros do not count.
            let Some((before, _)) = line.split_once('(') else {
                continue;
            };
            let name = before.rsplit([' ', '*']).next().unwrap_or_default();
            if before.starts_with([' ', '#', '}']) || !before.contains(' ') || name.is_empty() {
                continue;
            }
            functions.push((name.to_owned(), clauses.clone()));
        }
    }
    functions
}

/// The clauses behind the last `OCR 1.1.0, ` of a comment.
fn clauses_in(comment: &str) -> Vec<String> {
    let Some((_, rest)) = comment.rsplit_once("OCR 1.1.0, ") else {
        return Vec::new();
    };
    let mut clauses = Vec::new();
    for word in rest.split_whitespace() {
        let clause = word.trim_end_matches(['.', ',', ';', ':', ')']);
        if is_clause(clause) {
            clauses.push(clause.to_owned());
        } else if word != "and" {
            break;
        }
        if word.ends_with(['.', ';', ')']) {
            break;
        }
    }
    clauses
}

/// The letter of the appendix that a clause is in, and its numbers.
fn appendix(clause: &str) -> (Option<char>, &str) {
    for letter in ['A', 'B'] {
        let numbers = clause.strip_prefix(letter).and_then(|c| c.strip_prefix('.'));
        if let Some(numbers) = numbers {
            return (Some(letter), numbers);
        }
    }
    (None, clause)
}

fn is_clause(word: &str) -> bool {
    let (_, numbers) = appendix(word);
    !numbers.is_empty() && numbers.split('.').all(|n| n.parse::<u32>().is_ok())
}

/// All headers, by name.
fn headers() -> Vec<(String, Vec<Function>)> {
    let files = support::files_below(&root().join("include"), &["h"]);
    let headers = files.into_iter().map(|file| {
        let name = file.file_name().expect("a name").to_string_lossy();
        (name.into_owned(), functions_in(&file))
    });
    headers.collect()
}

/// The functions of OCR 1.1.0, by clause.
fn functions_by_clause() -> BTreeMap<Clause, BTreeSet<String>> {
    let mut found: BTreeMap<Clause, BTreeSet<String>> = BTreeMap::new();
    for (_, functions) in headers() {
        for (function, clauses) in functions {
            for clause in clauses {
                found.entry(Clause(clause)).or_default().insert(function.clone());
            }
        }
    }
    found
}

/// The headers without their comments.
fn code_of_headers() -> String {
    let files = support::files_below(&root().join("include"), &["h"]).into_iter();
    let texts = files.map(|file| fs::read_to_string(file).expect("a header"));
    let code = texts.flat_map(|text| {
        let parts = text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
        parts.map(str::to_owned).collect::<Vec<_>>()
    });
    code.collect()
}

/// The identifiers in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c != '_' && !c.is_alphanumeric())
}

/// A clause, in the order of the specification.
#[derive(Clone, PartialEq, Eq)]
struct Clause(String);

impl Clause {
    fn numbers(&self) -> (Option<char>, Vec<u32>) {
        let (letter, numbers) = appendix(&self.0);
        let numbers = numbers.split('.').map(|n| n.parse().unwrap_or_default());
        (letter, numbers.collect())
    }
}

impl Ord for Clause {
    fn cmp(&self, other: &Clause) -> std::cmp::Ordering {
        self.numbers().cmp(&other.numbers())
    }
}

impl PartialOrd for Clause {
    fn partial_cmp(&self, other: &Clause) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// What a clause is about, and why no program is to show it, if none is.
struct Subject {
    words: String,
    nothing_to_test: Option<String>,
}

/// The clauses of the specification: `tests/c/clauses.txt`.
fn clauses() -> BTreeMap<Clause, Subject> {
    let text = fs::read_to_string(root().join("tests/c/clauses.txt")).expect("the list of clauses");
    let mut clauses = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split(" | ");
        let (clause, words) = (columns.next().unwrap_or_default(), columns.next());
        let words = words.filter(|words| is_clause(clause) && !words.is_empty());
        let subject = Subject {
            words: words.unwrap_or_else(|| panic!("tests/c/clauses.txt: {line}")).into(),
            nothing_to_test: columns.next().map(str::to_owned),
        };
        assert!(columns.next().is_none(), "tests/c/clauses.txt: {line}");
        let before = clauses.insert(Clause(clause.into()), subject);
        assert!(before.is_none(), "tests/c/clauses.txt has {clause} twice");
    }
    clauses
}

/// The clause or the header that a rule is of.
fn place_of(id: &str) -> String {
    let place = id.strip_prefix("OCR-").unwrap_or(id);
    let place = place.rsplit_once('-').map_or(place, |(place, _)| place);
    if is_clause(place) { place.to_owned() } else { format!("ocr-{place}.h") }
}

fn fail_with(what: &str, list: &[String]) {
    assert!(list.is_empty(), "{what}:\n  {}", list.join("\n  "));
}

#[test]
fn each_rule_is_provoked() {
    let rules = generate::read(&root()).rules;
    let programs = programs();
    let known: BTreeSet<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    let provoked: BTreeSet<&str> = (programs.iter().flat_map(|program| &program.misuses)).map(String::as_str).collect();
    let lacks =
        |a: &BTreeSet<&str>, b: &BTreeSet<&str>| -> Vec<String> { a.difference(b).map(ToString::to_string).collect() };
    fail_with("rules that no program in tests/c provokes (// misuse: ID)", &lacks(&known, &provoked));
    fail_with("programs name rules that there are not", &lacks(&provoked, &known));
}

#[test]
fn each_program_says_what_it_shows() {
    let headers: Vec<String> = headers().into_iter().map(|(name, _)| name).collect();
    let clauses = clauses();
    let is_known = |place: &str| {
        clauses.contains_key(&Clause(place.into()))
            || TOPICS.contains(&place)
            || headers.iter().any(|name| name == place)
    };
    let mut wrong = Vec::new();
    for program in programs() {
        if program.clauses.is_empty() && program.misuses.is_empty() {
            wrong.push(format!("{}: neither `// clause:` nor `// misuse:`", program.name));
        }
        for clause in program.clauses.iter().filter(|clause| !is_known(clause)) {
            wrong.push(format!("{}: {clause} is no clause, header or topic", program.name));
        }
        let told =
            directives::lines(&program.text).any(|line| line.key == "stderr" && line.value.starts_with("the rule: "));
        if told && program.misuses.is_empty() {
            wrong.push(format!("{}: `// misuse:` lacks", program.name));
        }
    }
    fail_with("programs in tests/c that do not say what they show (tests/c/check.h)", &wrong);
}

#[test]
fn each_clause_has_a_program() {
    let programs = programs();
    let shown: BTreeSet<&String> = programs.iter().flat_map(|p| &p.clauses).collect();
    let clauses = clauses();
    let mut gaps = Vec::new();
    for (Clause(clause), subject) in &clauses {
        match (&subject.nothing_to_test, shown.contains(clause)) {
            (None, false) => gaps.push(format!("{clause}: {}", subject.words)),
            (Some(why), true) => gaps.push(format!("{clause} has one, but there is `{why}`")),
            (Some(why), false) if why.is_empty() => gaps.push(format!("{clause}: why not?")),
            _ => {}
        }
    }
    fail_with("clauses without a program that says `// clause:`, and without a reason in tests/c/clauses.txt", &gaps);
    let rules = generate::read(&root()).rules;
    let of_rules = rules.iter().map(|rule| place_of(&rule.id));
    let of_rules = of_rules.filter(|place| is_clause(place)).map(Clause);
    let cited = functions_by_clause().into_keys().chain(of_rules);
    let unknown = cited.filter(|clause| !clauses.contains_key(clause));
    fail_with(
        "clauses of headers and rules that tests/c/clauses.txt does not list",
        &unknown.map(|clause| clause.0).collect::<Vec<_>>(),
    );
    // What an extension adds is in no clause.
    let lacks = |(header, functions): (String, Vec<Function>)| {
        let alone = functions.into_iter().find(|(_, clauses)| clauses.is_empty());
        let (function, _) = alone.filter(|_| !shown.contains(&header))?;
        Some(format!("{header}, for instance {function}"))
    };
    fail_with(
        "headers without a program that says `// clause:`, with functions of no clause",
        &headers().into_iter().filter_map(lacks).collect::<Vec<_>>(),
    );
}

/// The clauses that the entries of the guide's chapter about OCR 1.1.0 are about: what stands in bold letters at the
/// beginning of each.
fn deviations() -> BTreeSet<Clause> {
    let chapter = root().join("docs/guide/src/porting/ocr-1.1.md");
    let text = fs::read_to_string(chapter).expect("the chapter");
    let entries = text.lines().filter_map(|line| line.strip_prefix("**"));
    let heads = entries.map(|entry| entry.split_once("**").expect("bold letters end").0);
    let clauses = heads.flat_map(|head| {
        let words = head.split(' ').map(|word| word.trim_end_matches([',', '.']));
        let listed = words.take_while(|word| is_clause(word) || *word == "and");
        let listed: Vec<Clause> = listed.filter(|word| *word != "and").map(|word| Clause(word.into())).collect();
        assert!(!listed.is_empty(), "an entry begins with clauses, not with `{head}`");
        listed
    });
    clauses.collect()
}

/// The chapter says that a clause which it does not list is followed as it stands. So what a program shows that differs
/// is listed there, and what is listed is shown.
#[test]
fn each_deviation_is_listed_and_shown() {
    let (clauses, listed) = (clauses(), deviations());
    let unknown = listed.iter().filter(|clause| !clauses.contains_key(clause));
    fail_with(
        "clauses of docs/guide/src/porting/ocr-1.1.md that tests/c/clauses.txt does not list",
        &unknown.map(|clause| clause.0.clone()).collect::<Vec<_>>(),
    );
    let mut wrong = Vec::new();
    let programs = programs();
    for (clause, subject) in &clauses {
        let shows = |program: &&Program| program.deviates.contains(&clause.0);
        let by = programs.iter().find(shows);
        match (listed.contains(clause), by) {
            (true, None) => wrong.push(format!(
                "{} ({}) is listed, and no program in tests/c says `// deviates: {}`",
                clause.0, subject.words, clause.0
            )),
            (false, Some(by)) => wrong.push(format!(
                "{} shows how {} ({}) is not followed, and the chapter does not list that",
                by.name, clause.0, subject.words
            )),
            _ => {}
        }
    }
    for program in &programs {
        let strange = (program.deviates.iter()).filter(|at| !clauses.contains_key(&Clause((*at).clone())));
        wrong.extend(strange.map(|at| format!("{}: {at} is no clause", program.name)));
    }
    fail_with("docs/guide/src/porting/ocr-1.1.md and tests/c differ", &wrong);
}

#[test]
fn each_function_has_a_program() {
    let programs = programs();
    // The headers themselves use some, in macros that programs use.
    let code = code_of_headers();
    let in_headers = |function: &str| words(&code).filter(|word| *word == function).count() > 1;
    let called: BTreeSet<&str> = programs.iter().flat_map(|program| words(&program.text)).collect();
    let uses = |function: &str| called.contains(function) || in_headers(function);
    let unused: Vec<String> = headers()
        .into_iter()
        .flat_map(|(header, functions)| {
            let unused = functions.into_iter().filter(|(function, _)| !uses(function));
            unused.map(move |(function, _)| format!("{function} of {header}")).collect::<Vec<_>>()
        })
        .collect();
    fail_with("functions that no program in tests/c calls", &unused);
}

/// Text for Markdown.
fn escaped(text: &str) -> String {
    text.replace('*', "\\*").replace('<', "\\<").replace('|', "\\|")
}

#[test]
fn the_list_of_rules_is_up_to_date() {
    let generate::Rules { rules, advice } = generate::read(&root());
    let programs = programs();
    let mut out = String::from(
        "# The rules of strict mode\n\n\
         <!-- Written by `OCR_BLESS=1 cargo test --test rules` from src/check/rules and the heads of tests/c. -->\n\n\
         With `OCR_CHECK=strict` the first misuse ends the program, with a message that names the rule by its ID. Each rule \
         is here with what the message says, what to do, and a program that breaks it. `{Words}` in braces stand for \
         what the message says of the case. Rules without a place are of the clause of the function that was called.\n",
    );
    let mut last = String::new();
    for rule in &rules {
        let place = place_of(&rule.id);
        if place != last {
            let title = if is_clause(&place) {
                format!("OCR 1.1.0, {place}")
            } else if place == "ocr-arguments.h" {
                "Arguments of any function".into()
            } else {
                format!("`{place}`")
            };
            let _ = write!(out, "\n## {title}\n");
            last = place;
        }
        let _ = write!(out, "\n### {}\n\n", rule.id);
        let see = match rule.see.as_str() {
            "" => String::new(),
            see => format!(" ({see})"),
        };
        let _ = writeln!(out, "- Rule: {}{see}.", escaped(&rule.rule));
        let _ = writeln!(out, "- What is wrong: {}", escaped(&rule.title));
        let _ = writeln!(out, "- What to do: {}", escaped(&rule.advice));
        let provoke = programs.iter().filter(|program| program.misuses.contains(&rule.id));
        let names: Vec<String> = provoke.map(|program| format!("`{}`", program.name)).collect();
        let _ = writeln!(out, "- Programs: {}", names.join(", "));
    }
    out.push_str("\n## Advice\n\nWhat `{advice}` above may be, by the case.\n\n");
    for text in advice.values() {
        let _ = writeln!(out, "- {}", escaped(text));
    }
    support::compare_or_bless("rules", "docs/rules.md", &out);
}

#[test]
fn the_list_of_clauses_is_up_to_date() {
    let programs = programs();
    let mut right: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut wrong: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for program in &programs {
        for clause in &program.clauses {
            right.entry(clause.clone()).or_default().push(program.name.clone());
        }
        for id in &program.misuses {
            wrong.entry(place_of(id)).or_default().insert(program.name.clone());
        }
    }
    let cell = |names: Vec<&String>| {
        let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let row = |place: &str, functions: &str| {
        let right = cell(right.get(place).into_iter().flatten().collect());
        let wrong = cell(wrong.get(place).into_iter().flatten().collect());
        format!("| {place} | {functions} | {right} | {wrong} |\n")
    };
    let functions = functions_by_clause();
    let mut out = String::from(
        "# Programs by what they show\n\n\
         <!-- Written by `OCR_BLESS=1 cargo test --test rules` from the headers, tests/c/clauses.txt and the heads of tests/c. -->\n\n\
         A row for each clause of OCR 1.1.0 that is about the interface, with the functions that it specifies. The programs \
         of `tests/c` show what it says, or break a rule of it. The test fails where nothing shows a clause.\n\n\
         | clause | about | functions | shown by | misused by |\n|---|---|---|---|---|\n",
    );
    for (clause, subject) in clauses() {
        let names = functions.get(&clause).into_iter().flatten().collect();
        let shown = match &subject.nothing_to_test {
            Some(why) => format!("nothing to test: {why}"),
            None => cell(right.get(&clause.0).into_iter().flatten().collect()),
        };
        let misused = cell(wrong.get(&clause.0).into_iter().flatten().collect());
        let _ = writeln!(out, "| {} | {} | {} | {shown} | {misused} |", clause.0, subject.words, cell(names));
    }
    out.push_str("\n## Extensions\n\n| header | functions | shown by | misused by |\n|---|---|---|---|\n");
    for (header, names) in headers() {
        if right.contains_key(&header) || wrong.contains_key(&header) {
            let names: BTreeSet<&String> = names.iter().map(|(name, _)| name).collect();
            out.push_str(&row(&header, &cell(names.into_iter().collect())));
        }
    }
    out.push_str("\n## What is not specified\n\n| topic | programs |\n|---|---|\n");
    for topic in TOPICS {
        let programs = cell(right.get(topic).into_iter().flatten().collect());
        let _ = writeln!(out, "| {topic} | {programs} |");
    }
    support::compare_or_bless("rules", "docs/clauses.md", &out);
}
