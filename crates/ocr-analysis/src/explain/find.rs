//! Finds the EDT or the template that a word of the command line names.

use crate::recorded::RecordedRun;
use ocr_base::text::counted;
use std::collections::BTreeSet;

/// An EDT or templates that a word names.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The EDT of this number.
    Edt(u32),
    /// The templates of these numbers, which have one name.
    Templates(Vec<u32>),
}

/// How many similar names a message lists at most.
const NEAR: usize = 3;
/// The likeness from which on a name is similar, from 0 to 1, which is the same name.
const ALIKE: f64 = 0.6;

/// Finds what a word names: a GUID as messages print it, the name of a template, or the label of an EDT. `TEMPLATE#N`
/// is the N-th EDT of a template, from 1 on.
///
/// # Errors
/// A text with similar names, where there is no such EDT or template.
pub fn find(run: &RecordedRun, word: &str) -> Result<Subject, String> {
    if let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        let guid = u64::from_str_radix(digits, 16)
            .map_err(|_| format!("{word} is no GUID: after 0x there are up to 16 digits of 0 to f"))?;
        return by_guid(run, guid);
    }
    let templates = named(run, word);
    if !templates.is_empty() {
        return Ok(Subject::Templates(templates));
    }
    if let Some((name, number)) = word.rsplit_once('#')
        && let Ok(number) = number.parse::<u64>()
    {
        let templates = named(run, name);
        if !templates.is_empty() {
            return nth(run, name, &templates, number);
        }
    }
    let labelled = (0..run.edts.len() as u32).find(|&edt| {
        let label = run.labels.get(&run.edts[edt as usize].guid);
        label.is_some_and(|label| label == word)
    });
    labelled.map(Subject::Edt).ok_or_else(|| none(run, word))
}

/// The EDT with a GUID. The error is a text that says what the recording has in its place.
fn by_guid(run: &RecordedRun, guid: u64) -> Result<Subject, String> {
    let edt = run.edts.iter().position(|edt| edt.guid == guid);
    let edt = edt.map(|edt| Subject::Edt(edt as u32));
    edt.ok_or_else(|| {
        let what = if run.blocks.contains_key(&guid) {
            format!("0x{guid:x} is a data block, and no EDT")
        } else {
            format!("the recording has no EDT 0x{guid:x}")
        };
        match run.edts.first() {
            Some(first) => format!("{what}; its first EDT is 0x{:x} ({})", first.guid, run.template_name(first)),
            None => format!("{what}; it has no EDT at all"),
        }
    })
}

/// The templates of this name that have EDTs.
fn named(run: &RecordedRun, name: &str) -> Vec<u32> {
    let used: BTreeSet<u32> = run.edts.iter().map(|edt| edt.template).collect();
    let is_named = |&number: &u32| {
        let template = run.templates.get(number as usize);
        template.is_some_and(|template| template.name == name)
    };
    used.into_iter().filter(is_named).collect()
}

/// The EDT with a number, from 1 on, among those of some templates. The error is a text with the numbers that there
/// are.
fn nth(run: &RecordedRun, name: &str, templates: &[u32], number: u64) -> Result<Subject, String> {
    let of_it = |&edt: &u32| templates.contains(&run.edts[edt as usize].template);
    let mut edts = (0..run.edts.len() as u32).filter(of_it);
    let found = number.checked_sub(1).and_then(|before| edts.clone().nth(before as usize));
    found.map(Subject::Edt).ok_or_else(|| {
        let count = edts.by_ref().count() as u64;
        format!("there is no {name}#{number}: {name} has {}, from {name}#1 to {name}#{count}", counted(count, "EDT"))
    })
}

/// The message for a word that names nothing, with similar names.
fn none(run: &RecordedRun, word: &str) -> String {
    let name = word.rsplit_once('#').map_or(word, |(name, _)| name);
    let templates = run.templates.iter().map(|template| &template.name);
    let labels = (run.edts.iter()).filter_map(|edt| run.labels.get(&edt.guid));
    let names: BTreeSet<&String> = templates.chain(labels).collect();
    let likeness = |known: &str| {
        let [a, b] = [name, known].map(str::to_lowercase);
        let alike = strsim::normalized_damerau_levenshtein(&a, &b);
        let is_part = !a.is_empty() && (b.contains(&a) || a.contains(&b));
        if is_part { alike.max(ALIKE) } else { alike }
    };
    let mut near: Vec<(f64, &String)> = (names.into_iter())
        .map(|known| (likeness(known), known))
        .filter(|(alike, known)| *alike >= ALIKE && !known.is_empty())
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<String> = near.iter().take(NEAR).map(|(_, known)| format!("\"{known}\"")).collect();
    let hint = if near.is_empty() {
        "`ocr trace show` lists the templates".to_string()
    } else {
        format!("there is {}", near.join(", "))
    };
    format!("the recording has no EDT and no template \"{word}\"; {hint}")
}
