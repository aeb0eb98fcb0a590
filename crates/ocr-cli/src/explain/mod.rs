//! `ocr explain`: why a recorded run took as long as it did, and what to change.

use crate::devices::DeviceNames;
use crate::output::{self, CommandError, check_input, print};
use crate::table::{Align, Table, bytes, terminal_width, wrap};
use clap::Args;
use ocr_analysis::diagnosis::ERRORS;
use ocr_analysis::explain::{
    EdtView, Explained, ExplainedChoice, ExplainedPlace, ExplainedTemplate, PlaceOfTemplate, Subject, Truth, Whole,
    find,
};
use ocr_analysis::recorded::{self, RecordedRun};
use ocr_base::text::{counted, duration};
use std::path::PathBuf;

/// The text of the help below the options.
pub(crate) const AFTER_HELP: &str = "\
Without an EDT or a template it says what to change in the program or its settings, with the figures on which that rests, and \
which decisions of the placement policy have cost most. What the policy expected is in recordings of runs under eft.

Example:
  OCR_TRACE=a.trace build/examples/levenshtein a.fa b.fa
  ocr explain a.trace
  ocr explain a.trace tileEdt
  ocr explain a.trace 'tileEdt#17'";

/// The arguments of `ocr explain`.
#[derive(Args)]
pub(crate) struct ExplainOptions {
    /// The recording of a run that was started with OCR_TRACE=FILE.
    file: PathBuf,

    /// An EDT: its GUID as messages print it (0x...), its label, or TEMPLATE#N, the N-th of a template; or the name of
    /// a template.
    subject: Option<String>,

    /// Decisions that are listed, at most.
    #[arg(long, default_value_t = 10, value_name = "N")]
    decisions: usize,

    /// Writes JSON.
    #[arg(long)]
    json: bool,
}

/// Explains a recorded run, an EDT or a template, and prints that.
pub(crate) fn explain(options: &ExplainOptions) -> Result<(), CommandError> {
    check_input(&options.file)?;
    let run = recorded::read(&options.file).map_err(CommandError::failed)?;
    let subject = options.subject.as_deref().map(|word| find(&run, word));
    let subject = subject.transpose().map_err(CommandError::failed)?;
    let explained = Explained::new(&run).ok_or_else(|| {
        CommandError::failed(format!("in the recording {} no EDT has ended, so there is nothing to explain", run.name))
    })?;
    let ((member, value), text) = match subject {
        None => {
            let whole = explained.whole(options.decisions);
            let text = text_of_run(&run, &whole);
            (("run", serde_json::json!(whole)), text)
        }
        Some(Subject::Edt(number)) => {
            let edt = explained.edt(number);
            let text = text_of_edt(&edt);
            (("edt", serde_json::json!(edt)), text)
        }
        Some(Subject::Templates(numbers)) => {
            let all = numbers.iter().map(|&number| explained.template(number));
            let all: Vec<ExplainedTemplate> = all.collect();
            let texts: Vec<String> = all.iter().map(text_of_template).collect();
            (("templates", serde_json::json!(all)), texts.join("\n"))
        }
    };
    if options.json {
        let mut json = serde_json::json!({ "file": run.name, "run": null, "edt": null, "templates": null });
        json[member] = value;
        return print(&output::json(&json));
    }
    print(&text)
}

/// A length of time, as text.
fn time(ns: u64) -> String {
    duration(ns as f64 / 1e9)
}

/// A moment of the run as text: the time since its begin, exact to a microsecond.
fn moment(ns: u64) -> String {
    format!("{:.3} ms", ns as f64 / 1e6)
}

fn moment_or_none(ns: Option<u64>) -> String {
    ns.map_or_else(|| "-".to_string(), moment)
}

fn time_or_none(ns: Option<u64>) -> String {
    ns.map_or_else(|| "-".to_string(), time)
}

fn table(columns: &[(&str, Align)]) -> Table {
    let columns = columns.iter().map(|(title, align)| (title.to_string(), *align));
    Table::new(columns.collect())
}

/// The text of a table, each line indented by two blanks.
fn indented(table: &Table) -> String {
    let text = table.text_in(terminal_width().map(|width| width - 2));
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// The explanation of a run as a whole, as text.
pub(crate) fn text_of_run(run: &RecordedRun, whole: &Whole) -> String {
    let about = |name: &str| run.about.get(name).map_or("?", String::as_str);
    let mut head = format!(
        "{}: {} in {}, policy {}; {} could run in more than one place.\n",
        run.name,
        counted(whole.edts, "EDT"),
        time(whole.span_ns),
        about("sched"),
        whole.with_choice
    );
    let names = device_names(run);
    if !names.is_empty() {
        head += &format!("Devices: {}.\n", names.told());
    }
    for note in &whole.notes {
        head += &format!("Note: {}.\n", names.short(note));
    }
    if let Some(score) = &whole.score {
        let text = score.text().replace("from the first", "From the first");
        head += &format!("{}.\n", text.replace("\nof ", ".\nOf "));
    }
    let mut text = wrap(&head);
    text += "\nWhat to change\n";
    let mut sentences = String::new();
    for finding in &whole.findings {
        let most = finding.saves_ns.map_or_else(String::new, |ns| format!(" It could save {} at most.", time(ns)));
        let text = format!("  - {} {}{most}\n", finding.text, finding.advice);
        sentences += &names.short(&text);
    }
    if whole.findings.is_empty() {
        sentences += &format!("  - {}\n", nothing(whole));
    }
    text += &wrap(&sentences);
    text + &text_of_decisions(whole, &names)
}

/// The devices of a run.
fn device_names(run: &RecordedRun) -> DeviceNames {
    DeviceNames::new(run.devices.values().map(|device| device.name.as_str()))
}

/// The sentence for a run to which no rule has an advice.
fn nothing(whole: &Whole) -> String {
    const GOOD: f64 = 1.1;
    match &whole.score {
        Some(score) if score.ratio() <= GOOD => format!(
            "Nothing: the run took {:.2} times what no schedule of these EDTs on these places beats.",
            score.ratio()
        ),
        _ => "No rule finds something to change. `ocr trace export` shows the run in a viewer.".to_string(),
    }
}

/// The tables of the decisions that have cost most, and of their causes.
fn text_of_decisions(whole: &Whole, names: &DeviceNames) -> String {
    if whole.with_choice == 0 {
        return "\nNo EDT could run in more than one place, so there was nothing to decide.\n".to_string();
    }
    if whole.costly == 0 {
        return format!("\nOf {}, none has cost anything.\n", counted(whole.with_choice, "decision"));
    }
    let mut text = "\nWhat decisions have cost, by template\n".to_string();
    let mut rows = table(&[
        ("template", Align::Left),
        ("on", Align::Left),
        ("better on", Align::Left),
        ("decisions", Align::Right),
        ("cost", Align::Right),
        ("why", Align::Left),
    ]);
    for total in &whole.causes {
        rows.row(vec![
            total.template.clone(),
            names.in_table(&total.place),
            names.in_table(&total.better),
            total.count.to_string(),
            time(total.cost_ns),
            total.cause.words().to_string(),
        ]);
    }
    text += &indented(&rows);
    text += &wrap(&format!(
        "\nDecisions that have cost most, of {} that have cost something among {} (a cost is how much later an EDT ended than \
         it would have in the best other place; the run would not be shorter by all of it)\n",
        whole.costly, whole.with_choice
    ));
    let mut rows = table(&[
        ("EDT", Align::Left),
        ("decided", Align::Right),
        ("ended", Align::Right),
        ("on", Align::Left),
        ("could end", Align::Right),
        ("on", Align::Left),
        ("cost", Align::Right),
        ("why", Align::Left),
    ]);
    for one in &whole.decisions {
        rows.row(vec![
            one.name.clone(),
            moment(one.decided_ns),
            moment(one.end_ns),
            names.in_table(&one.place),
            moment(one.better_end_ns),
            names.in_table(&one.better),
            time(one.cost_ns),
            one.cause.words().to_string(),
        ]);
    }
    text += &indented(&rows);
    text
}

fn text_of_template(template: &ExplainedTemplate) -> String {
    let mut text = format!(
        "Template {}: {}, {} of them ended\n\n",
        template.name,
        counted(template.created, "EDT"),
        template.ended
    );
    let mut rows = table(&[
        ("place", Align::Left),
        ("EDTs", Align::Right),
        ("least", Align::Right),
        ("median", Align::Right),
        ("longest", Align::Right),
        ("ns/byte", Align::Right),
        ("predicted", Align::Right),
        ("error", Align::Right),
    ]);
    for place in &template.places {
        rows.row(row_of_place(place));
    }
    text += &indented(&rows);
    for place in &template.places {
        text += &wrap(&sentence_of_place(place));
    }
    text
}

fn row_of_place(place: &PlaceOfTemplate) -> Vec<String> {
    let measured = |at: usize| time_or_none(place.measured_ns.map(|times| times[at]));
    let predictions = place.predictions.as_ref();
    let none = || "-".to_string();
    vec![
        place.place.clone(),
        if place.variant { place.edts.to_string() } else { "no variant".to_string() },
        measured(0),
        measured(1),
        measured(2),
        place.ns_per_byte.map_or_else(none, |ns| format!("{ns:.3}")),
        time_or_none(predictions.map(|predictions| predictions.predicted_ns)),
        predictions.map_or_else(none, |predictions| format!("{:.0} %", 100.0 * predictions.median_error)),
    ]
}

fn sentence_of_place(place: &PlaceOfTemplate) -> String {
    if !place.variant {
        return format!("There is no variant for {}, so none can run there.\n", place.place);
    }
    let Some(predictions) = &place.predictions else {
        return match place.edts {
            0 => format!("None ran on {}.\n", place.place),
            _ => {
                format!("On {}, nothing was predicted: the policy does not estimate, or had no choice.\n", place.place)
            }
        };
    };
    let parts: Vec<String> = (ERRORS.iter().zip(predictions.errors))
        .map(|(most, count)| format!("{count} by up to {:.0} %", 100.0 * most))
        .collect();
    let guesses = match predictions.guesses {
        0 => String::new(),
        guesses => format!("; {guesses} were guesses"),
    };
    format!(
        "On {}, {} were off: {}, {} by more{guesses}.\n",
        place.place,
        counted(predictions.count, "prediction"),
        parts.join(", "),
        predictions.errors[ERRORS.len()]
    )
}

fn text_of_edt(edt: &EdtView) -> String {
    let mut head = format!("{}, {} of data blocks\n", edt.name, bytes(edt.bytes));
    if let Some(created) = edt.created_ns {
        let by = edt.creator.as_ref().map_or_else(String::new, |creator| format!(" by {creator}"));
        head += &format!("It was created at {}{by}.\n", moment(created));
    }
    if let Some(runnable) = edt.runnable_ns {
        let after = edt.after.as_ref().map_or_else(String::new, |after| {
            let did = if after.by_its_end { "had ended" } else { "had done what it waited for" };
            format!(", when {} {did}, at {}", after.name, moment(after.at_ns))
        });
        head += &format!("It was runnable at {}{after}.\n", moment(runnable));
    } else {
        head += "It was not runnable.\n";
    }
    for waited in &edt.waited_for {
        head += &format!(
            "It waited for data block {}, which others had, until {} after that.\n",
            waited.block,
            time(waited.waited_ns)
        );
    }
    let mut text = wrap(&head);
    for choice in &edt.choices {
        text += &text_of_choice(choice);
    }
    if edt.choices.is_empty() {
        text += match edt.places.len() {
            0 | 1 => "\nIt could run in one place only, so nothing was decided.\n",
            _ => "\nThe policy does not estimate: where it went is all that is known of its decision.\n",
        };
    }
    for duplicate in &edt.duplicates {
        let end = duplicate.end_ns.map_or_else(String::new, |end| format!(" to {}", moment(end)));
        let kernel = duplicate.kernel_end_ns.map_or_else(String::new, |end| format!(", to {}", moment(end)));
        text += &wrap(&format!(
            "\nA worker called its C function, too, from {}{end}, while its kernel was on {}; {}{kernel}.\n",
            moment(duplicate.begin_ns),
            duplicate.place,
            duplicate.what
        ));
    }
    match &edt.truth {
        None => text += "\nIt has not ended.\n",
        Some(truth) => text += &text_of_truth(edt, truth),
    }
    text + &text_of_places(edt)
}

/// How well a time was known, and between which bounds it may be.
fn known(place: &ExplainedPlace) -> String {
    match place.bounds_ns {
        Some([least, most]) => format!("{}, {} to {}", place.known, time(least), time(most)),
        None => place.known.to_string(),
    }
}

fn text_of_choice(choice: &ExplainedChoice) -> String {
    let to = choice.chosen.as_ref().map_or_else(String::new, |place| format!(": {place}"));
    let mut text = wrap(&format!("\nAt {}, {}{to}\n", moment(choice.at_ns), choice.why));
    let mut rows = table(&[
        ("place", Align::Left),
        ("queue", Align::Right),
        ("copies", Align::Right),
        ("run", Align::Right),
        ("end in", Align::Right),
        ("time of the run", Align::Left),
    ]);
    for place in &choice.considered {
        rows.row(vec![
            format!("{}{}", place.place, if place.chosen { " *" } else { "" }),
            time(place.queue_ns),
            time(place.copies_ns),
            time_or_none(place.run_ns),
            time_or_none(place.end_ns),
            known(place),
        ]);
    }
    text += &indented(&rows);
    text
}

fn text_of_truth(edt: &EdtView, truth: &Truth) -> String {
    let unit = if truth.unit == truth.place { String::new() } else { format!(" ({})", truth.unit) };
    let mut text = wrap(&format!(
        "\nIt ran on {}{unit} from {} to {}\n",
        truth.place,
        moment(truth.begin_ns),
        moment(truth.end_ns)
    ));
    let last = edt.choices.last();
    let expected = last.and_then(|choice| {
        let mut considered = choice.considered.iter();
        considered.find(|place| place.place == truth.place)
    });
    let mut rows = table(&[("part", Align::Left), ("expected", Align::Right), ("measured", Align::Right)]);
    let parts = [
        ("queue", expected.map(|one| one.queue_ns), truth.queue_ns),
        ("copies", expected.map(|one| one.copies_ns), truth.copies_ns),
        ("both, until it began", expected.map(|one| one.queue_ns.max(one.copies_ns)), Some(truth.wait_ns)),
        ("run", expected.and_then(|one| one.run_ns), Some(truth.run_ns)),
    ];
    for (part, expected, measured) in parts {
        rows.row(vec![part.to_string(), time_or_none(expected), time_or_none(measured)]);
    }
    text += &indented(&rows);
    text
}

fn text_of_places(edt: &EdtView) -> String {
    if edt.places.len() < 2 {
        return String::new();
    }
    let mut text = "\nSeen from behind, by the medians of the run\n".to_string();
    let mut rows =
        table(&[("place", Align::Left), ("free at", Align::Right), ("run", Align::Right), ("end at", Align::Right)]);
    for place in &edt.places {
        rows.row(vec![
            place.place.clone(),
            moment_or_none(place.free_ns),
            time_or_none(place.run_ns),
            moment_or_none(place.end_ns),
        ]);
    }
    text += &indented(&rows);
    text += &match (&edt.better, &edt.truth) {
        (Some(better), _) => wrap(&format!(
            "On {} it would have ended {} earlier: {}.\n",
            better.place,
            time(better.cost_ns),
            better.cause.words()
        )),
        (None, Some(_)) => "It would not have ended earlier elsewhere, as far as is known.\n".to_string(),
        (None, None) => String::new(),
    };
    text
}
