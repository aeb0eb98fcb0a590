//! `ocr models`: shows and removes what runs have learned of how long EDTs and copies take.

mod entries;
mod json;

use self::entries::{direction, matches, shows_copies};
use crate::output::{CommandError, print};
use crate::table::{Align, Table, bytes, fit};
use ocr::config::Settings;
use ocr_base::text::{counted, duration};
use ocr_place::model::{Content, CopyEntry, ModelEntry, Store, StoredFile as File, ToldBy, today};
use std::collections::BTreeSet;
use std::io::Write;

/// The text of the help below the options.
pub(crate) const AFTER_HELP: &str = "\
Policies that place EDTs by the time that they take learn that while a program runs, and keep it for the next run: in \
$XDG_CACHE_HOME/ocr/models or ~/.cache/ocr/models, or in the directory that OCR_MODELS names. It is safe to remove all of it: \
it is learned again.";

/// The arguments of `ocr models`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ModelsOptions {
    #[command(subcommand)]
    action: Option<Action>,

    /// Writes the list as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Lists the places of which something is known (this is what `ocr models` alone does).
    List {
        /// Writes JSON.
        #[arg(long)]
        json: bool,
    },
    /// Shows how long EDTs have taken.
    Show {
        /// A part of the name of a program, template, kernel or place; without it, all are shown.
        filter: Option<String>,
        /// Writes JSON.
        #[arg(long)]
        json: bool,
    },
    /// Removes what is known.
    #[command(group = clap::ArgGroup::new("what").required(true).args(["filter", "all"]))]
    Remove {
        /// A part of the name of a program, template, kernel or place.
        filter: Option<String>,
        /// Removes all of it.
        #[arg(long)]
        all: bool,
    },
}

/// Lists, shows or removes what runs have learned.
pub(crate) fn models(options: &ModelsOptions) -> Result<(), CommandError> {
    let (settings, _) = Settings::load(&mut vec!["ocr".into()]).map_err(CommandError::usage)?;
    let list_it = Action::List { json: options.json };
    let action = options.action.as_ref().unwrap_or(&list_it);
    let is_json = match action {
        Action::List { json } | Action::Show { json, .. } => *json,
        Action::Remove { .. } => false,
    };
    let Some(store) = settings.models.store() else {
        let why = match &*settings.models.origin {
            ocr::config::DEFAULT_ORIGIN => "there is no cache directory (HOME is not set)".into(),
            origin => format!("{origin} says so"),
        };
        return print(&if is_json { json::none(&why) } else { format!("No models are kept: {why}.\n") });
    };
    let files = store.files().map_err(CommandError::failed)?;
    match action {
        Action::List { json: true } => print(&json::list(&store, readable(&files))),
        Action::List { .. } => print(&fit(&list(&store, &files))),
        Action::Show { filter, json } => {
            let filter = filter.as_deref();
            print(&if *json {
                json::show(&store, readable(&files), filter)
            } else {
                fit(&show(&store, &files, filter))
            })
        }
        Action::Remove { filter, .. } => remove(&store, &files, filter.as_deref()),
    }
}

/// The contents of the files that can be read. Notes on the standard error tell of what is damaged or cannot be read.
fn readable(files: &[File]) -> impl Iterator<Item = &Content> {
    files.iter().filter_map(|(path, content)| {
        let problem = match content {
            Ok(content) => content.damage.as_ref().map(|damage| format!("{}: {damage}", path.display())),
            Err(error) => Some(error.clone()),
        };
        if let Some(problem) = problem {
            // Unlike `eprintln!` this does not panic where the reader has ended.
            let _ = writeln!(std::io::stderr(), "ocr: note: {problem}");
        }
        content.as_ref().ok().filter(|content| !content.place.is_empty())
    })
}

/// The lines about copies to a place and back.
fn copies(content: &Content) -> String {
    let line = |copy: &CopyEntry| {
        let (latency_ns, bandwidth) = copy.samples.medians();
        let short = latency_ns.map_or("not known".into(), |ns| duration(ns / 1e9));
        let long = bandwidth.map_or("not known".into(), |bandwidth| format!("{:.2} GB/s", bandwidth / 1e9));
        let samples = copy.samples.latency_ns.len() + copy.samples.ps_per_kib.len();
        format!(
            "copies {} the device: short ones take {short}, long ones go at {long}; {}, {}\n",
            direction(copy),
            counted(samples as u64, "sample"),
            ago(copy.day)
        )
    };
    content.copies.iter().map(line).collect()
}

/// The words for how long ago a day was, counted from the first of January 1970.
fn ago(day: u64) -> String {
    match today().saturating_sub(day) {
        0 => "today".into(),
        1 => "yesterday".into(),
        days => format!("{days} days ago"),
    }
}

/// A name without the part behind the last separator, which distinguishes it from other things of that name.
fn short(name: &str, separator: char) -> &str {
    name.rsplit_once(separator).map_or(name, |(name, _)| name)
}

/// A name without what stands behind the last separator, but for its first digits where another name of these differs
/// in that alone: an earlier build of a program, or another version of a kernel.
fn distinct(name: &str, separator: char, all: &BTreeSet<&str>) -> String {
    const DIGITS: usize = 4;
    let known_as = short(name, separator);
    let is_alike = |other: &&str| short(other, separator) == known_as;
    if all.iter().filter(|other| is_alike(other)).count() < 2 {
        return known_as.into();
    }
    name.chars().take(known_as.len() + 1 + DIGITS).collect()
}

/// What the parameters of the EDTs of an entry are, as far as they tell it from others.
fn parameters(told_by: ToldBy) -> String {
    match told_by {
        ToldBy::Bytes => "any".into(),
        ToldBy::Only(params) => {
            let values: Vec<String> = params.values().iter().map(u64::to_string).collect();
            format!("({})", values.join(", "))
        }
        ToldBy::Param { index, value } if index == ToldBy::NAMED => format!("product {value}"),
        ToldBy::Param { index, value } => format!("[{index}] = {value}"),
    }
}

/// The table of places of which something is known.
fn list(store: &Store, files: &[File]) -> String {
    let columns = [
        ("place", Align::Left),
        ("programs", Align::Right),
        ("variants", Align::Right),
        ("sizes", Align::Right),
        ("last used", Align::Left),
    ];
    let mut table = Table::new(columns.map(|(title, align)| (title.into(), align)).into());
    let mut any = false;
    for content in readable(files) {
        let keys: BTreeSet<_> = content.entries.iter().map(|entry| &entry.key).collect();
        let programs: BTreeSet<_> = keys.iter().map(|key| &key.program).collect();
        let days = content.entries.iter().map(|entry| entry.day);
        let last = days.chain(content.copies.iter().map(|copy| copy.day)).max();
        table.row(vec![
            content.place.clone(),
            programs.len().to_string(),
            keys.len().to_string(),
            content.entries.len().to_string(),
            last.map_or("-".into(), ago),
        ]);
        any = true;
    }
    let directory = store.directory().display();
    if any {
        format!("{directory}:\n\n{}", table.text())
    } else {
        format!("Nothing is known: there are no models in {directory}.\n")
    }
}

/// The tables of how long EDTs have taken, for entries that the filter matches.
fn show(store: &Store, files: &[File], filter: Option<&str>) -> String {
    let columns = [
        ("program", Align::Left),
        ("template", Align::Left),
        ("variant", Align::Left),
        ("bytes", Align::Right),
        ("parameters", Align::Left),
        ("alone", Align::Right),
        ("beside others", Align::Right),
        ("first launch", Align::Right),
        ("samples", Align::Right),
        ("last used", Align::Left),
    ];
    let mut text = String::new();
    for content in readable(files) {
        let entries = content.entries.iter();
        let mut entries: Vec<&ModelEntry> = entries.filter(|e| matches(content, e, filter)).collect();
        let copies = if shows_copies(content, filter) { copies(content) } else { String::new() };
        if entries.is_empty() && copies.is_empty() {
            continue;
        }
        entries.sort_by_key(|entry| (&entry.key, entry.bytes, entry.told_by));
        let keys = || entries.iter().map(|entry| &entry.key);
        let programs: BTreeSet<&str> = keys().map(|key| &*key.program).collect();
        let variants: BTreeSet<&str> = keys().map(|key| &*key.variant).collect();
        let mut table = Table::new(columns.map(|(title, align)| (title.into(), align)).into());
        for entry in &entries {
            let key = &entry.key;
            table.row(vec![
                distinct(&key.program, ':', &programs),
                key.template.clone(),
                match key.variant.strip_prefix("kernel ") {
                    Some(_) => distinct(&key.variant, ' ', &variants)["kernel ".len()..].into(),
                    None => key.variant.clone(),
                },
                bytes(entry.bytes),
                parameters(entry.told_by),
                median(&entry.times.alone),
                median(&entry.times.beside),
                median(entry.times.first.as_slice()),
                entry.samples().to_string(),
                ago(entry.day),
            ]);
        }
        text += &format!("{}:\n\n", content.place);
        if !entries.is_empty() {
            text += &format!("{}\n", table.text());
        }
        if !copies.is_empty() {
            text += &format!("{copies}\n");
        }
    }
    match (text.is_empty(), filter) {
        (false, _) => text,
        (true, Some(filter)) => format!("Nothing is known of \"{filter}\".\n"),
        (true, None) => list(store, &[]),
    }
}

/// The median of some nanoseconds as text; "-" if there are none.
fn median(samples: &[u64]) -> String {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len().saturating_sub(1) / 2;
    let median = sorted.get(middle);
    median.map_or("-".into(), |&ns| duration(ns as f64 / 1e9))
}

/// Removes the entries that the filter matches, and says how many went. Without a filter all files go.
fn remove(store: &Store, files: &[File], filter: Option<&str>) -> Result<(), CommandError> {
    let (mut entries, mut emptied) = (0, 0);
    for (path, content) in files {
        // A file that cannot be read goes only where all files go.
        if content.is_err() && filter.is_some() {
            continue;
        }
        let goes = |content: &Content, entry: &ModelEntry| matches(content, entry, filter);
        let copies_go = |content: &Content| shows_copies(content, filter);
        let gone = store.remove(path, goes, copies_go, filter.is_none());
        entries += gone.map_err(CommandError::failed)?;
        emptied += usize::from(!path.exists());
    }
    match (entries, emptied, filter) {
        (0, 0, Some(filter)) => Err(CommandError::failed(format!(
            "nothing is known of \"{filter}\"; `ocr models show` says of what something is"
        ))),
        (0, 0, None) => print("There was nothing to remove.\n"),
        _ => print(&format!(
            "Removed {}, and {} in which nothing else was.\n",
            counted(entries as u64, "entry").replace("entrys", "entries"),
            counted(emptied as u64, "file")
        )),
    }
}
