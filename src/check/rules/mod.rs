//! The rules: what a right program keeps to, with a stable ID each, which messages have.
//!
//! They are data, in the tables `*.toml` beside this file; `generate.rs` says what a table looks like, and `build.rs`
//! makes a type of each rule by it. So the code names what a case has to tell, the compiler sees that nothing lacks,
//! and no rule stands here that nothing tells of. `docs/rules.md` lists them, with a program for each.
//!
//! An ID is `OCR-`, the clause of OCR 1.1.0 that the rule is of, or the extension's header without `ocr-` and `.h`, and
//! a letter. It stays what it is: the letter of a rule that is gone is not given to another one.

use std::fmt::Display;

/// A rule that a program has broken, with the words for the case.
pub(crate) struct Broken {
    /// The ID of the rule.
    pub id: &'static str,
    /// What is wrong, in a few words.
    pub title: String,
    /// The sentence that says what a right program does.
    pub rule: String,
    /// Where that is said, besides the function's clause, if it is about a call; may be empty.
    pub see: &'static str,
    /// What the programmer is to do about it.
    pub advice: String,
}

#[allow(clippy::useless_format)]
mod generated {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/rules.rs"));
}

pub(crate) use generated::*;
