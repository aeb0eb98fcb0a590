//! What `ocr tune` varies: settings of the runtime, variables of the environment, and options of the program.

use crate::run::nearest;
use ocr::config::SETTINGS;
use ocr_base::text::{Readable, is_control};
use ocr_place::policy;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::str::FromStr;

/// The most values that a range may stand for. A range with more is taken for a typing error.
const MOST_VALUES: usize = 10_000;

/// How a value gets to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The value is that of this variable of the environment.
    Variable(String),
    /// The value is that of this option among the program's arguments.
    Option(String),
}

/// One thing that is varied, and its values.
#[derive(Clone, Debug)]
pub(crate) struct Dimension {
    /// The name as it was given: `workers`, `policy`, `arg:--tile`, `env:NAME`.
    pub(crate) name: String,
    /// How the values get to a run.
    pub(crate) target: Target,
    /// The values in the order in which they were given. There is at least one, and no two are the same.
    pub(crate) values: Vec<String>,
}

impl Dimension {
    /// Whether the values are placement policies.
    pub(crate) fn is_policy(&self) -> bool {
        self.target == Target::Variable("OCR_SCHED".into())
    }

    /// Whether the values are numbers of workers.
    pub(crate) fn is_workers(&self) -> bool {
        self.target == Target::Variable("OCR_WORKERS".into())
    }

    /// A value with its name, as tables and sentences show it: `workers=4`, `--tile=256`. `value` is its index.
    pub(crate) fn shown(&self, value: usize) -> String {
        let name = self.name.strip_prefix("arg:");
        let name = name.or_else(|| self.name.strip_prefix("env:"));
        format!("{}={}", name.unwrap_or(&self.name), self.values[value])
    }
}

impl FromStr for Dimension {
    type Err = String;

    /// Reads `NAME=VALUES`. The error is a text for the user.
    fn from_str(text: &str) -> Result<Dimension, String> {
        let (name, values) =
            text.split_once('=').ok_or_else(|| format!("\"{text}\" has no values: write NAME=VALUE,VALUE"))?;
        let target = target(name)?;
        let mut dimension = Dimension { name: name.into(), target, values: Vec::new() };
        for item in items(values) {
            for value in range(&item).unwrap_or_else(|| Ok(vec![item.clone()]))? {
                if !dimension.values.contains(&value) {
                    dimension.values.push(value);
                }
            }
        }
        if dimension.is_policy() {
            dimension.values.iter().try_for_each(|name| policy::parse(name).map(drop))?;
        }
        Ok(dimension)
    }
}

/// How the values of a name get to a run. The error is a text for the user.
fn target(name: &str) -> Result<Target, String> {
    if let Some(option) = name.strip_prefix("arg:") {
        return if option.len() > 1 && option.starts_with('-') && option != "--" {
            Ok(Target::Option(option.into()))
        } else {
            Err(format!("arg:{option}: the name of an option begins with a hyphen, as in arg:--tile=256,512"))
        };
    }
    let variable = match name.strip_prefix("env:") {
        Some(variable) => variable,
        None => {
            let name = if name == "policy" { "sched" } else { name };
            let setting = SETTINGS.iter().find(|setting| setting.name == name);
            setting.map(|setting| setting.variable).ok_or_else(|| {
                let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
                let near = nearest(name, known.iter().copied().chain(["policy"]));
                let near = near.map_or(String::new(), |near| format!(" (do you mean {near}?)"));
                format!(
                    "\"{name}\" cannot be varied{near}: write policy, arg:--OPTION, env:VARIABLE, or a setting ({})",
                    known.join(", ")
                )
            })?
        }
    };
    match variable {
        "" => Err("env: has no name: write env:VARIABLE=VALUE,VALUE".into()),
        "OCR_REPORT" => Err("OCR_REPORT cannot be varied: it is how runs tell their times".into()),
        _ => Ok(Target::Variable(variable.into())),
    }
}

/// The values that stand between commas. `\,` is a comma inside a value.
fn items(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = items.len() - 1;
        match letter {
            '\\' if letters.next_if_eq(&',').is_some() => items[last].push(','),
            ',' => items.push(String::new()),
            _ => items[last].push(letter),
        }
    }
    items
}

/// The numbers of a range such as `1..8`, `0..32+8` (steps of 8) or `64..1024x2` (each twice the one before), with both
/// ends. None if the item is no range. The error is a text for the user.
fn range(item: &str) -> Option<Result<Vec<String>, String>> {
    let (first, rest) = item.split_once("..")?;
    let first: u64 = first.parse().ok()?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit());
    let (last, step) = rest.split_at(digits.unwrap_or(rest.len()));
    let last: u64 = last.parse().ok()?;
    let (add, times): (u64, u64) = match step.split_at_checked(1) {
        None => (1, 1),
        Some(("+", step)) => (step.parse().ok()?, 1),
        Some(("x", factor)) => (0, factor.parse().ok()?),
        Some(_) => return None,
    };
    if first > last || (add == 0 && (times < 2 || first == 0)) {
        return Some(Err(format!("{item} is no range: write 1..8, 0..32+8 or 64..1024x2")));
    }
    let next = |number: &u64| number.checked_mul(times)?.checked_add(add);
    let numbers = std::iter::successors(Some(first), next).take_while(|&number| number <= last);
    let values: Vec<String> = numbers.take(MOST_VALUES + 1).map(|number| number.to_string()).collect();
    Some(if values.len() > MOST_VALUES {
        Err(format!("{item} has more than {MOST_VALUES} values"))
    } else {
        Ok(values)
    })
}

/// Checks that no two dimensions set the same thing, and that no argument of the program outranks one. The error is a
/// text for the user.
pub(crate) fn check(dimensions: &[Dimension], words: &[OsString]) -> Result<(), String> {
    for (at, dimension) in dimensions.iter().enumerate() {
        let same = |other: &&Dimension| other.target == dimension.target;
        if let Some(other) = dimensions[..at].iter().find(same) {
            return Err(format!("{} and {} set the same thing", other.name, dimension.name));
        }
        let Target::Variable(variable) = &dimension.target else {
            continue;
        };
        let outranks = |word: &&OsString| setting_of(word) == Some(variable);
        if let Some(word) = words[1..].iter().find(outranks) {
            return Err(format!(
                "the argument {} outranks what varies {}: leave it away",
                Readable::os(word),
                dimension.name
            ));
        }
    }
    Ok(())
}

/// The variable of the setting that an argument such as `-ocr:workers` gives. None for other arguments.
fn setting_of(word: &OsStr) -> Option<&'static str> {
    let word = word.to_str()?;
    let option = word.strip_prefix("-ocr:").or_else(|| word.strip_prefix("--ocr:"))?;
    let name = match option.split('=').next()? {
        "num-threads" => "workers",
        name => name,
    };
    let setting = SETTINGS.iter().find(|setting| setting.name == name);
    setting.map(|setting| setting.variable)
}

/// The program's words with a value for an option: in place of the value that the option has there, or at the end.
pub(crate) fn with_option(words: &[OsString], option: &str, value: &str) -> Vec<OsString> {
    let with_equals = |option: &str| OsString::from(format!("{option}={value}"));
    let options = 1..words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut all = words[..1].to_vec();
    let mut is_there = false;
    let mut at = options.start;
    while at < options.end {
        let word = words[at].as_bytes();
        let rest = word.strip_prefix(option.as_bytes());
        match rest {
            Some([]) => {
                all.extend([words[at].clone(), value.into()]);
                is_there = true;
                // The next word is the option's value, which is replaced.
                at += 1;
            }
            Some([b'=', ..]) => {
                all.push(with_equals(option));
                is_there = true;
            }
            _ => all.push(words[at].clone()),
        }
        at += 1;
    }
    if !is_there && option.len() == 2 {
        all.extend([option.into(), value.into()]);
    } else if !is_there {
        all.push(with_equals(option));
    }
    all.extend_from_slice(&words[options.end..]);
    all
}

/// A word as text, quoted so that a shell reads it back.
pub(crate) fn quoted(word: &OsStr) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./:=,+@%".contains(byte);
    let bytes = word.as_bytes();
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return Readable(bytes).to_string();
    }
    if std::str::from_utf8(bytes).map_or(true, |text| text.contains(is_control)) {
        // Bash, zsh and POSIX since 2024 read `$'...'` with `\xHH`, which is how `Readable` writes bytes that are not
        // UTF-8, and control characters.
        let mut escaped = Vec::new();
        for &byte in bytes {
            if byte == b'\'' || byte == b'\\' {
                escaped.push(b'\\');
            }
            escaped.push(byte);
        }
        return format!("$'{}'", Readable::os(&OsString::from_vec(escaped)));
    }
    format!("'{}'", Readable(bytes).to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        Dimension::from_str(text).expect("it is right").values
    }

    fn refused(text: &str, says: &str) {
        let message = Dimension::from_str(text).expect_err("it is wrong");
        assert!(message.contains(says), "{text}: {message}");
    }

    #[test]
    fn values_are_lists_and_ranges() {
        assert_eq!(values("workers=1..4"), ["1", "2", "3", "4"]);
        assert_eq!(values("device-ahead=0..20+8"), ["0", "8", "16"]);
        assert_eq!(values("arg:--tile=64..512x2"), ["64", "128", "256", "512"]);
        assert_eq!(values("arg:--tile=7,64..128x2,128"), ["7", "64", "128"], "each once");
        assert_eq!(values("env:X=a\\,b,,c..d,1..x"), ["a,b", "", "c..d", "1..x"]);
        assert_eq!(values("policy=eft,static:1:1"), ["eft", "static:1:1"]);
        refused("workers", "has no values");
        refused("workers=4..1", "is no range");
        refused("workers=0..8x2", "is no range");
        refused("workers=1..8x1", "is no range");
        refused("arg:--n=1..100000", "more than 10000 values");
        refused("policy=eft,fast", "there is no policy \"fast\"");
        refused("tile=1,2", "\"tile\" cannot be varied");
        refused("arg:tile=1,2", "begins with a hyphen");
        refused("env:OCR_REPORT=a,b", "cannot be varied");
        refused("env:=a,b", "has no name");
    }

    #[test]
    fn what_contradicts_is_refused() {
        let all = |texts: &[&str], words: &[&str]| {
            let dimensions: Vec<Dimension> =
                texts.iter().map(|text| Dimension::from_str(text).expect("it is right")).collect();
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            check(&dimensions, &words)
        };
        assert_eq!(all(&["workers=1,2", "policy=cpu"], &["a"]), Ok(()));
        let same = all(&["policy=cpu", "env:OCR_SCHED=eft"], &["a"]);
        assert_eq!(same, Err("policy and env:OCR_SCHED set the same thing".into()));
        for word in ["-ocr:workers=2", "--ocr:workers", "-ocr:num-threads"] {
            let message = all(&["workers=1,2"], &["a", word]).expect_err("it outranks");
            assert!(message.contains(word), "{message}");
        }
        assert_eq!(all(&["workers=1,2"], &["a", "-ocr:sched=cpu"]), Ok(()));
    }

    #[test]
    fn an_option_takes_the_place_of_the_one_that_is_there() {
        let with = |line: &str, option: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let words = with_option(&words, option, "9");
            let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
            words.join(" ")
        };
        assert_eq!(with("p a --tile 4 b", "--tile"), "p a --tile 9 b");
        assert_eq!(with("p a --tile=4 b", "--tile"), "p a --tile=9 b");
        assert_eq!(with("p --tiles=4", "--tile"), "p --tiles=4 --tile=9");
        assert_eq!(with("p a b", "--tile"), "p a b --tile=9");
        assert_eq!(with("p a -- --tile 4", "--tile"), "p a --tile=9 -- --tile 4");
        assert_eq!(with("p a -n 4", "-n"), "p a -n 9");
        assert_eq!(with("p a", "-n"), "p a -n 9");
        assert_eq!(with("p a --tile", "--tile"), "p a --tile 9");
        assert_eq!(with("--tile a", "--tile"), "--tile a --tile=9");
    }

    #[test]
    fn a_shell_reads_the_words_back() {
        for (word, text) in [
            (&b"--tile=256"[..], "--tile=256"),
            (b"", "''"),
            (b"a b", "'a b'"),
            (b"it's", r"'it'\''s'"),
            (b"a\xff'", r"$'a\xff\''"),
            (b"a\x1bb", r"$'a\x1bb'"),
        ] {
            assert_eq!(quoted(OsStr::from_bytes(word)), text);
        }
    }
}
