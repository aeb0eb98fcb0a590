//! Snapshots of what programs say: their text without what differs from run to run, and how two such texts differ.

use std::collections::HashMap;
use std::fmt::Write as _;

/// The values of one kind that a text has named, in the order in which it names them.
type Seen = HashMap<String, usize>;

/// A text in which GUIDs, addresses, numbers of threads and processes, times and paths are placeholders: `<GUID 1>` is
/// the first GUID of the text wherever it stands, and `<GUID 2>` the next one.
pub(crate) fn normalised(text: &str) -> String {
    let mut scan = Scan { rest: text, out: String::new(), seen: HashMap::new() };
    while !scan.rest.is_empty() {
        let known = scan.hexadecimal() || scan.path() || scan.number();
        if !known {
            scan.pass();
        }
    }
    scan.out
}

/// The largest hexadecimal number that stays: the bytes with which memory is filled, and what is close to a null
/// pointer.
const LARGEST_KEPT: u64 = 0xff;
/// The smallest GUID: the kind of its object is in the upper bits. What lies below is an address.
const SMALLEST_GUID: u64 = 1 << 56;
/// Before a number, that it is the system's of a thread or a process.
const NUMBERED: [&str; 3] = ["thread ", "process ", "PID "];
/// Behind a number, that it is a time.
const UNITS: [&str; 5] = ["ns", "us", "ms", "s", "min"];

/// A text that has been looked at up to `rest`.
struct Scan<'a> {
    rest: &'a str,
    out: String,
    seen: HashMap<&'static str, Seen>,
}

impl<'a> Scan<'a> {
    /// Takes that many bytes, for which the output gets a placeholder.
    fn replace(&mut self, kind: &'static str, length: usize) {
        let (value, rest) = self.rest.split_at(length);
        let seen = self.seen.entry(kind).or_default();
        let next = seen.len() + 1;
        let number = *seen.entry(value.to_owned()).or_insert(next);
        let _ = write!(self.out, "<{kind} {number}>");
        self.rest = rest;
    }

    /// Takes a word, or one character between words, as it is.
    fn pass(&mut self) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut length = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        if length == 0 {
            length = self.rest.chars().next().map_or(0, char::len_utf8);
        }
        let (word, rest) = self.rest.split_at(length);
        self.out.push_str(word);
        self.rest = rest;
    }

    /// A GUID or an address.
    fn hexadecimal(&mut self) -> bool {
        let Some(digits) = self.rest.strip_prefix("0x") else {
            return false;
        };
        let count = digits.find(|c: char| !c.is_ascii_hexdigit());
        let count = count.unwrap_or(digits.len());
        match u64::from_str_radix(&digits[..count], 16) {
            Ok(SMALLEST_GUID..) => self.replace("GUID", 2 + count),
            Ok(value) if value > LARGEST_KEPT => self.replace("address", 2 + count),
            _ => return false,
        }
        true
    }

    /// A file by its whole name. What follows, such as the number of a line, stays.
    fn path(&mut self) -> bool {
        let follows = self.out.chars().next_back();
        let begins = follows.is_none_or(|c| c.is_whitespace() || "\"'`(=".contains(c));
        if !self.rest.starts_with('/') || !begins {
            return false;
        }
        let is_end = |c: char| c.is_whitespace() || "\"'`(),;:".contains(c);
        let length = self.rest.find(is_end).unwrap_or(self.rest.len());
        let length = self.rest[..length].trim_end_matches('.').len();
        if length == 1 {
            return false;
        }
        self.replace("path", length);
        true
    }

    /// The number of a thread or a process, or a time.
    fn number(&mut self) -> bool {
        let end = |c: char| !c.is_ascii_digit();
        let whole = self.rest.find(end).unwrap_or(self.rest.len());
        if whole == 0 {
            return false;
        }
        if NUMBERED.iter().any(|before| self.out.ends_with(before)) {
            self.replace("number", whole);
            return true;
        }
        let mut length = whole;
        if let Some(digits) = self.rest[whole..].strip_prefix('.') {
            let fraction = digits.find(end).unwrap_or(digits.len());
            if fraction != 0 {
                length += 1 + fraction;
            }
        }
        let unit = self.rest[length..].strip_prefix(' ');
        let unit = unit.and_then(|unit| unit.split(|c: char| !c.is_alphanumeric()).next());
        if unit.is_some_and(|unit| UNITS.contains(&unit)) {
            self.replace("time", length);
            return true;
        }
        false
    }
}

/// How many lines that are the same are shown before and behind those that are not.
const AROUND: usize = 2;

/// How a text differs from what it should be, line by line: `-` lacks, `+` is too much.
pub(crate) fn difference(want: &str, got: &str) -> String {
    let (want, got): (Vec<&str>, Vec<&str>) = (want.lines().collect(), got.lines().collect());
    // common[i][j]: how many lines want[i..] and got[j..] have in common, in order.
    let mut common = vec![vec![0; got.len() + 1]; want.len() + 1];
    for i in (0..want.len()).rev() {
        for j in (0..got.len()).rev() {
            common[i][j] =
                if want[i] == got[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < want.len() || j < got.len() {
        if i < want.len() && j < got.len() && want[i] == got[j] {
            lines.push((' ', want[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == got.len() || i < want.len() && common[i + 1][j] >= common[i][j + 1] {
            lines.push(('-', want[i]));
            i += 1;
        } else {
            lines.push(('+', got[j]));
            j += 1;
        }
    }
    let mut text = String::new();
    let mut left_out = false;
    for (at, (mark, line)) in lines.iter().enumerate() {
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(lines.len());
        let is_near = lines[around].iter().any(|&(mark, _)| mark != ' ');
        if is_near {
            let _ = writeln!(text, "{mark} {line}");
        } else if !left_out {
            text.push_str("  ...\n");
        }
        left_out = !is_near;
    }
    text
}
