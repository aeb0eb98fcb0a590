//! What a program of `tests/c` says about itself: the lines `// key: value` of its text, which `tests/c/check.h`
//! describes. A line may begin with the name of a revision, `// [strict] key: value`, and holds for that one alone.

use std::process::ExitStatus;

/// How a program is run: a program that names several in `// revisions:` is run in each of these ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Revision {
    /// As programs are that name no revision.
    Plain,
    /// With `OCR_CHECK=strict`.
    Strict,
}

impl Revision {
    pub(crate) const ALL: [Self; 2] = [Self::Plain, Self::Strict];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Strict => "strict",
        }
    }

    fn of(name: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        (all.find(|revision| revision.name() == name)).ok_or_else(|| format!("`{name}` is no revision (plain, strict)"))
    }
}

/// Which exit status passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expected {
    Code(i32),
    NonZero,
}

impl Expected {
    pub(crate) fn is_met_by(self, status: ExitStatus) -> bool {
        match self {
            Self::Code(code) => status.code() == Some(code),
            Self::NonZero => !status.success(),
        }
    }
}

/// A line that says something of a program.
pub(crate) struct Line<'a> {
    /// The revision for which it holds. None if it holds for all.
    pub(crate) revision: Option<&'a str>,
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    /// All of it.
    text: &'a str,
}

/// The lines of a program that say something of it.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().filter_map(|text| {
        let rest = text.strip_prefix("// ")?;
        let named = rest.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        let (revision, rest) = match named {
            Some((revision, rest)) => (Some(revision), rest),
            None => (None, rest),
        };
        let (key, value) = rest.split_once(':')?;
        // Prose has a colon, too, but its first words are more than one, or begin with a capital.
        let is_key = !key.contains(|c: char| c != '-' && !c.is_ascii_lowercase());
        is_key.then_some(Line { revision, key, value: value.trim(), text })
    })
}

/// What the lines of a program ask for in one of its revisions.
#[derive(Debug)]
pub(crate) struct Directives {
    /// None where the program names no revisions.
    pub(crate) revision: Option<Revision>,
    pub(crate) args: Vec<String>,
    pub(crate) status: Expected,
    pub(crate) stdout: Vec<String>,
    pub(crate) stdout_lines: Vec<(usize, String)>,
    pub(crate) stderr: Vec<String>,
    pub(crate) stderr_without: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) workers: Vec<u32>,
    pub(crate) needs_opencl: bool,
    pub(crate) needs_halt: bool,
    pub(crate) needs_signals: bool,
    /// Whether it has EDTs on purpose that nothing orders.
    pub(crate) is_unordered: bool,
    /// Whether something is not ordered that shows in some runs alone.
    pub(crate) is_unordered_at_times: bool,
    /// Whether its EDTs cannot run twice, of which the first time is undone.
    pub(crate) runs_once: bool,
    /// Whether it cannot run on several nodes.
    pub(crate) on_one_node: bool,
}

impl Directives {
    /// What a program asks for, once for each of its revisions.
    pub(crate) fn of_all(text: &str) -> Result<Vec<Self>, String> {
        let revisions = revisions(text)?;
        if revisions.is_empty() {
            return Ok(vec![Self::of_one(text, None)?]);
        }
        let all = revisions.into_iter();
        all.map(|revision| Self::of_one(text, Some(revision))).collect()
    }

    fn of_one(text: &str, revision: Option<Revision>) -> Result<Self, String> {
        let mut directives = Self {
            revision,
            args: Vec::new(),
            status: Expected::Code(0),
            stdout: Vec::new(),
            stdout_lines: Vec::new(),
            stderr: Vec::new(),
            stderr_without: Vec::new(),
            env: Vec::new(),
            workers: Vec::new(),
            needs_opencl: false,
            needs_halt: false,
            needs_signals: false,
            is_unordered: false,
            is_unordered_at_times: false,
            runs_once: false,
            on_one_node: false,
        };
        let mut take = |line: Line<'_>| {
            (directives.take(line.key, line.value)).ok_or_else(|| format!("bad directive `{}`", line.text))
        };
        // What holds for this revision alone replaces what holds for all, wherever it stands.
        (lines(text).filter(|line| line.revision.is_none())).try_for_each(&mut take)?;
        let own = revision.map(Revision::name);
        (lines(text).filter(|line| line.revision.is_some() && line.revision == own)).try_for_each(take)?;
        if revision == Some(Revision::Strict) {
            (directives.env).push(("OCR_CHECK".to_owned(), "strict".to_owned()));
        }
        if directives.workers.is_empty() {
            // With mainEdt alone, a program that is ended on purpose does the same with any number of workers.
            let edts = text.matches("ocrEdtDep_t depv[]").count();
            directives.workers = match (directives.status, edts) {
                (Expected::Code(0), _) | (_, 0 | 2..) => vec![1, 2, 8],
                (_, 1) => vec![2],
            };
        }
        Ok(directives)
    }

    /// Takes one directive in; none if it cannot be understood.
    fn take(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "args" => self.args = value.split_whitespace().map(str::to_owned).collect(),
            "status" if value == "nonzero" => self.status = Expected::NonZero,
            "status" => self.status = Expected::Code(value.parse().ok()?),
            "stdout" => self.stdout.push(value.to_owned()),
            "stdout-lines" => {
                let (count, line) = value.split_once(' ')?;
                self.stdout_lines.push((count.parse().ok()?, line.to_owned()));
            }
            "stderr" => self.stderr.push(value.to_owned()),
            // Each misuse is named by the ID of its rule. `tests/rules.rs` reads these two as well.
            "misuse" => {
                let ids = value.split_whitespace();
                self.stderr.extend(ids.map(|id| format!("the rule: [{id}] ")));
            }
            "clause" | "deviates" if !value.is_empty() => {}
            "stderr-without" => self.stderr_without.push(value.to_owned()),
            "env" => {
                let (name, value) = value.split_once('=')?;
                self.env.push((name.to_owned(), value.to_owned()));
            }
            "workers" => {
                self.workers = value.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
            }
            "needs" if value == "opencl" => self.needs_opencl = true,
            "needs" if value == "halt" => self.needs_halt = true,
            "needs" if value == "signals" => self.needs_signals = true,
            "unordered" if !value.is_empty() => self.is_unordered = true,
            "unordered-at-times" if !value.is_empty() => self.is_unordered_at_times = true,
            "once" if !value.is_empty() => self.runs_once = true,
            "one-node" if !value.is_empty() => self.on_one_node = true,
            "revisions" => {}
            _ => return None,
        }
        Some(())
    }
}

/// The revisions that a program names; none where it is run in one way alone.
fn revisions(text: &str) -> Result<Vec<Revision>, String> {
    let mut revisions = Vec::new();
    for line in lines(text).filter(|line| line.key == "revisions") {
        if line.revision.is_some() || !revisions.is_empty() || line.value.is_empty() {
            return Err(format!("bad directive `{}`", line.text));
        }
        for name in line.value.split_whitespace() {
            let revision = Revision::of(name)?;
            if revisions.contains(&revision) {
                return Err(format!("`{}` names {name} twice", line.text));
            }
            revisions.push(revision);
        }
    }
    for line in lines(text) {
        let Some(name) = line.revision else {
            let sets_check = line.key == "env" && line.value.starts_with("OCR_CHECK=");
            if sets_check && !revisions.is_empty() {
                return Err(format!("`{}` beside `// revisions:`", line.text));
            }
            continue;
        };
        if !revisions.contains(&Revision::of(name)?) {
            return Err(format!("`{}`: the program has no revision {name}", line.text));
        }
    }
    Ok(revisions)
}
