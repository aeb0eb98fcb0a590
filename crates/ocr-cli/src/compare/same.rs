//! Values that a program must print alike in all runs (`--same`).

use crate::run::Run;

/// What stands for the value of a program that prints none.
const MISSING: &str = "(missing)";

/// The values of a key of `--same`: each different value, and the policy or setting under which it came first.
pub(crate) type Values = Vec<(String, String)>;

/// Adds what a run has printed for each key. `who` names its policy or setting.
pub(crate) fn see(keys: &[String], values: &mut [Values], run: &Run, who: &str) {
    for (key, seen) in keys.iter().zip(values) {
        let value = run.value(key).unwrap_or(MISSING);
        if !seen.iter().any(|(known, _)| known == value) {
            seen.push((value.into(), who.into()));
        }
    }
}

/// Sentences on what is wrong with the values. `word` stands before the policy or setting in them.
pub(crate) fn complaints(keys: &[String], values: &[Values], word: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for (key, seen) in keys.iter().zip(values) {
        let with: Vec<String> = seen.iter().map(|(value, who)| format!("{value} (first {word} {who})")).collect();
        match &seen[..] {
            [(value, _)] if value == MISSING => {
                complaints.push(format!("the program prints no line \"{key}: ...\", so it cannot be compared"))
            }
            [] | [_] => {}
            _ => complaints.push(format!("{key} differs between runs: {}", with.join(", "))),
        }
    }
    complaints
}
