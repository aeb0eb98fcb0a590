//! The results of a comparison's runs, as tables, notes and a verdict.

use crate::compare::because::because;
use crate::compare::best::{Candidate, Runs, Verdict, best_place, listed, verdict};
use crate::compare::options::{CompareOptions, Devices, Purpose};
use crate::compare::race::{Race, Told};
use crate::compare::row::{Measured, Row};
use crate::compare::same::{self, Values};
use crate::devices::DeviceNames;
use crate::output::CommandError;
use crate::output::{own_words, words};
use crate::run::{Run, TimeForm};
use crate::table::{Align, Table, bytes, seconds, wrap};
use crate::times::Times;
use ocr_analysis::diagnosis::Facts;
use ocr_analysis::page::{Page, PageRun};
use ocr_analysis::reasons::{Reasons, SeenRun, reasons};
use ocr_analysis::recorded;
use ocr_base::text::duration;
use ocr_place::policy;

/// A comparison of policies, as far as it has been run.
pub(crate) struct Comparison<'a> {
    /// The arguments of the command.
    pub(crate) options: &'a CompareOptions,
    /// A row for each policy that is not left out.
    pub(crate) rows: Vec<Row>,
    /// For each key of `--same`, the values that the runs printed.
    pub(crate) values: Vec<Values>,
    /// Sentences that one must know to judge the rows, each with the policies that it is about.
    pub(crate) notes: Vec<(String, Vec<String>)>,
    /// Whether a run was under another policy than that of its row.
    is_overruled: bool,
    /// How runs said how long they took: each form, and the policy under which it came first.
    forms: Vec<(TimeForm, String)>,
    /// Which policies are shown to be slower than others.
    race: Race,
    /// How the command was interrupted, in words. None where it was not.
    pub(crate) interrupted: Option<String>,
}

impl<'a> Comparison<'a> {
    /// Makes a comparison of policies that have not run yet.
    pub(crate) fn new(options: &'a CompareOptions, policies: &[&str]) -> Comparison<'a> {
        let rows = policies.iter().map(|&policy| Row {
            policy: policy.into(),
            runs: Vec::new(),
            failure: None,
            bound: None,
            facts: None,
            own: None,
            page: None,
        });
        let rounds = options.runs.map(|rounds| (rounds.0, rounds.1));
        Comparison {
            options,
            rows: rows.collect(),
            values: vec![Vec::new(); options.same.len()],
            notes: Vec::new(),
            is_overruled: false,
            forms: Vec::new(),
            race: Race::new(policies.len(), rounds),
            interrupted: None,
        }
    }

    /// The policy of a row, if it is to run for this purpose. None if one of its runs has failed, or if it need not be
    /// measured any more.
    pub(crate) fn policy_to_run(&self, row: usize, purpose: Purpose) -> Option<&str> {
        let is_told = purpose == Purpose::Measure && self.race.told(row).is_some();
        let row = &self.rows[row];
        (row.failure.is_none() && !is_told).then_some(&row.policy)
    }

    /// How many rounds of measured runs there are, at least and at most.
    pub(crate) fn rounds(&self) -> (usize, usize) {
        (self.race.least(), self.race.most())
    }

    /// Notes that a round of measured runs has ended. Returns whether another one is wanted.
    pub(crate) fn round_ended(&mut self, round: usize) -> bool {
        let times: Vec<Option<Times>> = self.rows.iter().map(Row::times).collect();
        self.race.look(round, &times)
    }

    /// How many policies the next round of measured runs has.
    pub(crate) fn racing(&self) -> usize {
        let rows = 0..self.rows.len();
        rows.filter(|&row| self.policy_to_run(row, Purpose::Measure).is_some()).count()
    }

    /// Notes that a run of a row's policy has failed: how, and the end of its standard error.
    pub(crate) fn failed(&mut self, row: usize, how: String, tail: String) {
        self.rows[row].failure = Some((how, tail));
    }

    /// Adds a run of a row's policy that has ended well.
    pub(crate) fn ran(&mut self, row: usize, mut run: Run, purpose: Purpose) {
        let policy = self.rows[row].policy.clone();
        if !self.forms.iter().any(|(form, _)| *form == run.form()) {
            self.forms.push((run.form(), policy.clone()));
        }
        same::see(&self.options.same, &mut self.values, &run, &policy);
        // The score of a part of a run says nothing of the whole run.
        if let Some(score) = run.report.score.as_ref().filter(|score| !score.partial)
            && purpose != Purpose::WarmUp
        {
            self.rows[row].bound = Some(score.mixed / score.seconds).filter(|part| part.is_finite());
        }
        match run.recording.take() {
            Some(Ok(recording)) => self.recorded(row, &recording, run.own_seconds()),
            Some(Err(message)) => self.note(&policy, format!("nothing is said of why: {message}")),
            None => {}
        }
        if purpose != Purpose::Measure {
            return;
        }
        if run.report.policy != policy {
            self.is_overruled = true;
            let text = format!("ran under {} instead: the program's arguments say so", run.report.policy);
            self.note(&policy, text);
        }
        if run.programs > 1 {
            let text = format!(
                "{} programs of the runtime ran in each run: EDTs and bytes are those of all of them, and so are seconds \
                 where the runtime counts them, in sum. Bounds and reasons are of the one that took longest",
                run.programs
            );
            self.note(&policy, text);
        }
        for text in run.report.notes.iter().chain(&run.report.remarks) {
            self.note(&policy, text.clone());
        }
        let show = self.options.show.iter();
        let shown = show.map(|key| run.value(key).map(String::from)).collect();
        self.rows[row].runs.push(Measured {
            seconds: run.seconds(),
            is_own: run.own_seconds().is_some(),
            shown,
            programs: run.programs,
            report: run.report,
        });
    }

    /// Adds the recorded run of a row's policy. `own` are the seconds that the program has printed in it.
    fn recorded(&mut self, row: usize, run: &recorded::RecordedRun, own: Option<f64>) {
        let runs = self.rows.len();
        let its = &mut self.rows[row];
        its.own = own;
        if self.options.html.is_some() {
            its.page = PageRun::new(&its.policy, run, runs);
            if let Some(page) = &mut its.page {
                page.own = own;
            }
            its.facts = its.page.as_ref().map(|page| page.facts.clone());
        } else {
            its.facts = Facts::of(run);
        }
    }

    /// Adds a sentence about a policy. One sentence about several policies is kept once.
    fn note(&mut self, policy: &str, text: String) {
        let at = self.notes.iter().position(|(known, _)| *known == text);
        let at = at.unwrap_or_else(|| {
            self.notes.push((text, Vec::new()));
            self.notes.len() - 1
        });
        let policies = &mut self.notes[at].1;
        if !policies.iter().any(|known| known == policy) {
            policies.push(policy.into());
        }
    }

    /// The run with the time in the middle, for each policy under which all runs went well.
    pub(crate) fn finished(&self) -> impl Iterator<Item = &Measured> {
        self.rows.iter().filter_map(Row::middle)
    }

    /// The policy of the best single place, and its median time in seconds. None unless both single places have run.
    pub(crate) fn place(&self) -> Option<(&str, f64)> {
        if !self.is_one_form() {
            return None;
        }
        let times = self.times();
        let (policy, times, _) = &times[best_place(&candidates(&times))?];
        Some((policy, times.median()))
    }

    /// Whether all runs have said alike how long they took, so that their times can be compared.
    fn is_one_form(&self) -> bool {
        self.forms.len() < 2
    }

    /// What differs in how runs said how long they took, for a sentence.
    fn forms_in_words(&self) -> String {
        let forms = self.forms.iter();
        let forms: Vec<String> =
            forms.map(|(form, policy)| format!("{} (first under {policy})", form.words())).collect();
        listed(&forms.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The times of each policy under which all runs went well, and what is shown of it.
    fn times(&self) -> Vec<(&str, Times, Option<Told>)> {
        let went_well = |row: usize| self.rows[row].times().is_some();
        // Rows that failed are left out, so the others get other indices.
        let index = |row: usize| (0..row).filter(|&before| went_well(before)).count();
        let rows = self.rows.iter().enumerate();
        rows.filter_map(|(at, row)| {
            let told = self.race.told(at).filter(|told| went_well(told.than));
            let told = told.map(|told| Told { than: index(told.than), ..told });
            Some((row.policy.as_str(), row.times()?, told))
        })
        .collect()
    }

    /// Which policy is best. None where no policy has run.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        let times = self.times();
        if times.is_empty() {
            return None;
        }
        if self.is_overruled {
            return Some(Verdict::none(
                "No policy is called best: the program's arguments say which one it runs under. Leave them away to compare."
                    .into(),
            ));
        }
        let mut keys = self.options.same.iter().zip(&self.values);
        if let Some((key, _)) = keys.find(|(_, seen)| seen.len() > 1) {
            return Some(Verdict::none(format!(
                "No policy is called best: {key} differs between runs, so some of them did not do the work."
            )));
        }
        if !self.is_one_form() {
            return Some(Verdict::none(format!(
                "No policy is called best: in the line \"seconds: ...\" the program prints {}, so the times are not those of the \
                 same work.",
                self.forms_in_words()
            )));
        }
        let runs =
            Runs { others_failed: times.len() < self.rows.len(), default: policy::DEFAULT, enough: self.race.enough() };
        verdict(&candidates(&times), &runs)
    }

    /// The devices that the runs had.
    fn devices(&self) -> DeviceNames {
        let reports = self.finished().map(|run| &run.report);
        let names = reports.flat_map(|report| {
            let devices = report.devices.iter().map(|device| device.name.as_str());
            let variants = report.variants.iter();
            devices.chain(variants.filter_map(|variant| variant.device.as_deref()))
        });
        DeviceNames::new(names)
    }

    /// The comparison as text: tables, notes, failures, the verdict, and reasons for it.
    pub(crate) fn text(&self, devices: &Devices, left_out: &[&str]) -> String {
        let names = self.devices();
        let table = if self.rows.is_empty() { String::new() } else { self.table().text() };
        let mut text = table + &self.variants() + &wrap(&self.remarks(devices, left_out));
        text += &self.failures();
        if let Some(how) = &self.interrupted {
            text += &format!("\n{}", wrap(how));
        }
        if let Some(verdict) = self.verdict() {
            let why = because(&self.rows).map_or(String::new(), |why| wrap(&names.short(&why)));
            text += &format!("\n{why}{}", wrap(&verdict.text));
        }
        let reasons = self.reasons();
        for (title, sentences) in [("Why", reasons.why), ("What to try next", reasons.next)] {
            if !sentences.is_empty() {
                let lines: String = sentences.iter().map(|line| format!("  {line}\n")).collect();
                text += &format!("\n{title}:\n{}", wrap(&names.short(&lines)));
            }
        }
        text
    }

    /// Why the policy that is advised is better than others, and what to try next. Empty where no run was recorded.
    pub(crate) fn reasons(&self) -> Reasons {
        let Some(verdict) = self.verdict() else {
            return Reasons::default();
        };
        // If another policy than the best one is advised, the best one is not shown to be faster than it.
        let equals = [verdict.alike, verdict.best.iter().cloned().collect()].concat();
        let advised = verdict.advice.or(verdict.best);
        let ran = self.rows.iter().filter(|row| row.failure.is_none());
        let seen =
            ran.filter_map(|row| Some(SeenRun { policy: &row.policy, facts: row.facts.as_ref()?, own: row.own }));
        let seen: Vec<SeenRun<'_>> = seen.collect();
        reasons(advised.as_deref(), &equals, &seen)
    }

    /// The comparison as a page for a browser. The recorded runs are moved there.
    pub(crate) fn page(&mut self, devices: &Devices, left_out: &[&str]) -> Page<'static> {
        let verdict = self.verdict().map_or(String::new(), |verdict| {
            let why = because(&self.rows).map_or(String::new(), |why| why + "\n");
            why + &verdict.text
        });
        Page {
            command: "ocr compare",
            command_line: Some(own_words()),
            title: words(&self.options.program),
            verdict,
            reasons: self.reasons(),
            table: (!self.rows.is_empty()).then(|| self.table().into_page()),
            remarks: self.remarks(devices, left_out) + &self.failures(),
            runs: self.rows.iter_mut().filter_map(|row| row.page.take()).collect(),
        }
    }

    /// The words for what the seconds are: those that the program prints, or those of the runtime.
    pub(crate) fn whose(&self) -> &'static str {
        match self.finished().next() {
            _ if !self.is_one_form() => "seconds that are not comparable",
            Some(run) if run.is_own => "the seconds that the program prints",
            _ => "seconds from the start of the runtime to its end",
        }
    }

    /// The words for how many workers the runs had. The numbers differ between policies only where a device gets cores
    /// of the workers.
    fn workers(&self) -> String {
        let mut counts: Vec<(usize, Vec<&str>)> = Vec::new();
        for row in &self.rows {
            let Some(run) = row.middle() else { continue };
            let workers = run.report.workers;
            match counts.iter_mut().find(|(known, _)| *known == workers) {
                Some((_, policies)) => policies.push(&row.policy),
                None => counts.push((workers, vec![&row.policy])),
            }
        }
        if let [(workers, _)] = &counts[..] {
            return workers.to_string();
        }
        let words = counts.iter();
        let words = words.map(|(workers, policies)| format!("{workers} ({})", policies.join(", ")));
        words.collect::<Vec<_>>().join(", ")
    }

    /// The sentences below the table: how to read it, and what one must know to judge it.
    fn remarks(&self, devices: &Devices, left_out: &[&str]) -> String {
        let mut text = String::new();
        if self.finished().next().is_some() {
            let whose = self.whose();
            let counts = self.rows.iter().filter(|row| row.middle().is_some());
            let counts: Vec<usize> = counts.map(|row| row.runs.len()).collect();
            let (least, most) = (counts.iter().min(), counts.iter().max());
            text += &match (least.copied().unwrap_or(0), most.copied().unwrap_or(0)) {
                (_, 1) => format!("\nOne run each; {whose}."),
                (least, most) if least == most => {
                    format!("\nThe median of {most} runs each, and their spread; {whose}.")
                }
                (least, most) => {
                    format!("\nThe median of {least} to {most} runs each, and their spread; {whose}.")
                }
            };
            if let [(TimeForm::OtherText, _)] = &self.forms[..] {
                text += " The line \"seconds: ...\" of the program has no number alone, so it is not used.";
            }
            text += &format!(" Workers: {}.", self.workers());
            let used = self.devices();
            if !used.is_empty() {
                text += &format!(" Devices: {}.", used.told());
            } else if let Devices::Some { names, .. } = devices {
                text += &format!(" Devices: {names}.");
            }
            text.push('\n');
        }
        if let Some((place, _)) = self.place() {
            let first = self.rows.first().map_or("", |row| &row.policy);
            text += &format!("Speed-up: over {first}, the first policy. Over {place}: over the best single place.\n");
        }
        if self.has_bounds() {
            text += "Bound: the part of the time of the recorded run that no schedule of the same EDTs in the same places can save.\n";
        }
        if self.rows.iter().any(|row| row.facts.is_some()) {
            text += "Bounds and reasons are of one more run of each policy, which was recorded. Its time is that from the first \
                     EDT's begin to the last one's end.";
            if self.rows.iter().any(|row| row.own.is_some()) {
                text += " The seconds that the program prints may leave a part of it out.";
            }
            text += "\n";
            for (policy, times) in self.slow_recordings() {
                text += &format!(
                    "{policy}: the recorded run took {times:.1} times as long as the measured ones, so bound and reasons are \
                     of a slower run. The machine was busy, or the recording itself took the time.\n"
                );
            }
        }
        for (at, key) in self.options.show.iter().enumerate() {
            let mut runs = self.finished().peekable();
            if runs.peek().is_some() && runs.all(|run| run.shown[at].is_none()) {
                text += &format!("The program prints no line \"{key}: ...\".\n");
            }
        }
        for (key, seen) in self.options.same.iter().zip(&self.values) {
            if let [(value, _)] = &seen[..]
                && value != "(missing)"
            {
                text += &format!("In all runs, {key} is {value}.\n");
            }
        }
        if let (Devices::None(why), false) = (devices, left_out.is_empty()) {
            text += &format!("Left out: {}. {why}\n", left_out.join(", "));
        }
        let names = self.devices();
        for (note, policies) in &self.notes {
            text += &format!("{}: {}\n", policies.join(", "), names.short(note));
        }
        if self.has_nothing_to_choose() {
            text += "The program has no kernels, so policies have nothing to choose: which one is set has no effect.\n";
        }
        text
    }

    /// The policies whose recorded run took much longer than the measured ones by the seconds that the program prints,
    /// and how many times as long.
    fn slow_recordings(&self) -> impl Iterator<Item = (&str, f64)> {
        const MUCH: f64 = 1.5;
        let rows = self.rows.iter().filter_map(|row| {
            let measured = row.middle().filter(|run| run.is_own)?;
            Some((row.policy.as_str(), row.own? / measured.seconds))
        });
        rows.filter(|(_, times)| times.is_finite() && *times > MUCH)
    }

    /// Whether several policies have run a program in which no template has a kernel.
    fn has_nothing_to_choose(&self) -> bool {
        let mut runs = self.finished();
        self.finished().count() > 1
            && runs.all(|run| run.report.variants.is_empty() && run.report.counts.kernel_edts == 0)
    }

    /// The table of what EDTs of templates with kernels ran as, and how long. It mostly says why one policy is faster
    /// than another.
    fn variants(&self) -> String {
        let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
        let names = self.devices();
        for row in &self.rows {
            for variant in row.middle().iter().flat_map(|run| &run.report.variants) {
                let cells = vec![
                    variant.template.clone(),
                    row.policy.clone(),
                    match &variant.device {
                        Some(device) => format!("kernel on {}", names.in_table(device)),
                        None => "function".to_string(),
                    },
                    variant.edts.to_string(),
                    duration(variant.mean()),
                ];
                rows.push((&variant.template, cells));
            }
        }
        if rows.is_empty() {
            return String::new();
        }
        // The rows of one template under all policies stand together.
        rows.sort_by_key(|(template, _)| *template);
        let words = ["template", "policy", "ran as"];
        let numbers = ["EDTs", "time of each"];
        let left = words.map(|title| (title.to_string(), Align::Left));
        let right = numbers.map(|title| (title.to_string(), Align::Right));
        let mut table = Table::new(left.into_iter().chain(right).collect());
        rows.into_iter().for_each(|(_, cells)| table.row(cells));
        format!("\n{}", table.text())
    }

    /// How runs failed. Policies under which they failed alike are named together.
    fn failures(&self) -> String {
        let mut failures: Vec<(&(String, String), Vec<&str>)> = Vec::new();
        for row in &self.rows {
            let Some(failure) = &row.failure else {
                continue;
            };
            match failures.iter_mut().find(|(known, _)| *known == failure) {
                Some((_, policies)) => policies.push(&row.policy),
                None => failures.push((failure, vec![&row.policy])),
            }
        }
        let mut text = String::new();
        for ((how, tail), policies) in failures {
            text += &format!("\n{}: {how}:\n", policies.join(", "));
            for line in tail.lines() {
                text += &format!("  {line}\n");
            }
        }
        text
    }

    /// Whether the table has a column of bounds.
    fn has_bounds(&self) -> bool {
        self.rows.iter().any(|row| row.bound.is_some())
    }

    /// The main table, with a row for each policy.
    fn table(&self) -> Table {
        let place = self.place();
        let has_spread = self.rows.iter().any(|row| row.runs.len() > 1);
        let mut columns = vec![("policy".to_string(), Align::Left)];
        let mut number = |title: String| columns.push((title, Align::Right));
        number("seconds".into());
        if has_spread {
            number("spread".into());
        }
        number("speed-up".into());
        if let Some((place, _)) = place {
            number(format!("over {place}"));
        }
        if self.has_bounds() {
            number("bound".into());
        }
        for title in ["function EDTs", "kernel EDTs", "to devices", "from devices"] {
            number(title.into());
        }
        let show = self.options.show.iter().enumerate();
        columns.extend(show.map(|(at, key)| (key.clone(), self.align(at))));
        let mut table = Table::new(columns);
        for row in &self.rows {
            let mut cells = vec![row.policy.clone()];
            if let Some((how, _)) = &row.failure {
                cells.push(how.clone());
            }
            if let (Some(times), Some(run)) = (row.times(), row.middle()) {
                let over = |base: Option<f64>| {
                    let ratio = base.map(|base| base / times.median());
                    let ratio = ratio.filter(|value| value.is_finite());
                    ratio.map_or("-".into(), |value| format!("{value:.2}"))
                };
                cells.push(seconds(times.median()));
                if has_spread {
                    let (fast, slow) = times.spread();
                    cells.push(format!("{}..{}", seconds(fast), seconds(slow)));
                }
                cells.push(over(self.base()));
                if let Some((_, place)) = place {
                    cells.push(over(Some(place)));
                }
                if self.has_bounds() {
                    let bound = row.bound.map(|bound| format!("{:.0} %", bound * 100.0));
                    cells.push(bound.unwrap_or("-".into()));
                }
                cells.extend([
                    run.report.counts.function_edts.to_string(),
                    run.report.counts.kernel_edts.to_string(),
                    bytes(run.report.bytes_in()),
                    bytes(run.report.bytes_out()),
                ]);
                let shown = run.shown.iter();
                cells.extend(shown.map(|value| value.clone().unwrap_or("-".into())));
            }
            table.row(cells);
        }
        table
    }

    /// The median time of the first policy in seconds, against which the others are measured. None if it failed.
    pub(crate) fn base(&self) -> Option<f64> {
        if !self.is_one_form() {
            return None;
        }
        Some(self.rows.first()?.times()?.median())
    }

    /// How the column of a key of `--show` is aligned: to the right if all its values are numbers. `at` is the index of
    /// the key.
    fn align(&self, at: usize) -> Align {
        let mut values = self.finished().filter_map(|run| run.shown[at].as_ref());
        if values.all(|value| value.parse::<f64>().is_ok()) { Align::Right } else { Align::Left }
    }

    /// The error for the exit status: where a run failed, values of `--same` differ, or no policy could be run.
    pub(crate) fn check(&self) -> Result<(), CommandError> {
        let mut complaints = same::complaints(&self.options.same, &self.values, "under");
        let failed: Vec<&str> =
            self.rows.iter().filter(|row| row.failure.is_some()).map(|row| row.policy.as_str()).collect();
        if !failed.is_empty() {
            complaints.push(format!("the program failed under {}", failed.join(", ")));
        }
        if self.rows.is_empty() {
            complaints.push("no policy could be run".into());
        }
        if !self.is_one_form() {
            complaints.push(format!(
                "the times of the runs cannot be compared: in the line \"seconds: ...\" stands {}",
                self.forms_in_words()
            ));
        }
        if complaints.is_empty() { Ok(()) } else { Err(CommandError::failed(complaints.join("; "))) }
    }
}

/// The policies and their times, as candidates for the best one.
fn candidates<'t>(times: &'t [(&'t str, Times, Option<Told>)]) -> Vec<Candidate<'t>> {
    let times = times.iter();
    let candidates = times.map(|(policy, times, told)| Candidate { policy, times, told: *told });
    candidates.collect()
}
