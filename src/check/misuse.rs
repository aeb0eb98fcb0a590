//! A misuse, as it is told: what is wrong, where, the objects with their history, the rule, and what
//! to change in the program.

use super::calls::Role;
use super::history::Who;
use super::names::{all_of, one_of};
use super::{CallRecord, Check};
use crate::object::edt::Mode;
use crate::object::guid::Guid;
use crate::object::template::{PARAM_DEF, PARAM_UNK};
use std::fmt;

/// A misuse of the interface.
pub(crate) struct Misuse {
    what: String,
    place: String,
    stories: Vec<String>,
    rule: String,
    advice: String,
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "strict mode: {}\n  {}", self.what, self.place)?;
        for story in &self.stories {
            write!(f, "\n  {story}")?;
        }
        write!(
            f,
            "\n  the rule: {}\n  what to do: {}",
            self.rule, self.advice
        )
    }
}

impl Misuse {
    /// The misuse of a call that had returned 0 and waited for a labeled GUID.
    pub(super) fn of_a_call_that_waited(mut self: Box<Misuse>) -> Box<Misuse> {
        self.place += "\n  It returned 0, and was refused when the labeled GUID that it waited for got its object.";
        self
    }
}

impl Check {
    /// A misuse by a call. First it is told what has become of the objects that it is about, in this order,
    /// then who created the other objects that the call was given. The rule is of the function's clause;
    /// one more may stand at its end, as in "(see 1.4.3)".
    pub(super) fn by_call(
        &self,
        made: &CallRecord<'_>,
        what: String,
        objects: &[Guid],
        rule: &str,
        advice: &str,
    ) -> Box<Misuse> {
        let call = made.call;
        let (rule, also) = match rule.rsplit_once(" (see ") {
            Some((rule, also)) => match also.trim_end_matches(')') {
                also if call.clause.ends_with(also) => (rule, String::new()),
                also => (rule, format!("; {also}")),
            },
            None => (rule, String::new()),
        };
        let stories = self.stories(objects, made.guids(), made.act.ticket);
        let caller = self.history.caller(made.act.who);
        Box::new(Misuse {
            what: format!("{}: {what}", call.shown()),
            place: format!("in {caller}: {}", self.written(made)),
            stories,
            rule: format!("{rule} ({}{also})", call.clause),
            advice: advice.to_string(),
        })
    }

    /// A misuse by what an EDT did or returned; `who` ran when that was seen.
    pub(super) fn by_edt(
        &self,
        who: Who,
        place: String,
        what: String,
        objects: &[Guid],
        rule: &str,
        advice: &str,
    ) -> Box<Misuse> {
        let kernel = self.history.get(who.edt).and_then(|record| record.kernel);
        let ran = kernel.map(|kernel| format!("; it ran as {kernel}"));
        Box::new(Misuse {
            what,
            place: place + &ran.unwrap_or_default(),
            stories: self.stories(objects, [who.edt], 0),
            rule: rule.to_string(),
            advice: advice.to_string(),
        })
    }

    /// What has become of these objects, and, in a line for each, who created these others.
    fn stories(
        &self,
        objects: &[Guid],
        others: impl IntoIterator<Item = Guid>,
        ticket: u64,
    ) -> Vec<String> {
        let mut told: Vec<Guid> = Vec::new();
        let mut is_new = |guid: &Guid| {
            let new = !told.contains(guid);
            told.push(*guid);
            new
        };
        let history = &self.history;
        let known = objects.iter().copied();
        let known = known.filter(|&guid| history.what(guid).is_some() && is_new(&guid));
        let mut stories: Vec<String> = known.map(|guid| history.story(guid, ticket)).collect();
        let others = others.into_iter();
        let others = others.filter(|&guid| history.knows(guid) && is_new(&guid));
        stories.extend(others.map(|guid| {
            let created = history.creation(guid).unwrap_or_default();
            format!("{}, {created}", history.name(guid))
        }));
        stories
    }

    /// A call with its arguments, as far as they can be shown.
    fn written(&self, made: &CallRecord<'_>) -> String {
        let args = made.call.args.iter().enumerate().map(|(at, (name, role))| {
            let number = made.number(at);
            match role {
                Role::Out | Role::Function | Role::Text | Role::Other if number == 0 => {
                    format!("{name} NULL")
                }
                Role::Out | Role::Function | Role::Text | Role::Other => format!("{name} given"),
                Role::Properties(_, names) => {
                    format!("{name} {}", all_of(names, number as u16 as u32))
                }
                Role::OneOf(names) => format!("{name} {}", one_of(names, number as u32)),
                Role::Count => match u32::try_from(number) {
                    Ok(number) => format!("{name} {}", count(number)),
                    Err(_) => format!("{name} {number}"),
                },
                Role::Number => format!("{name} {}", number as i64),
                Role::Mode => match Mode::from_bits(number as u32) {
                    Some(mode) => format!("{name} {}", mode.name()),
                    None => format!("{name} {}", number as u32),
                },
                _ => format!("{name} {}", made.guid(at)),
            }
        });
        let args: Vec<String> = args.collect();
        format!("{}({})", made.call.shown(), args.join(", "))
    }
}

/// A number of parameters or pre-slots, as the program writes it.
pub(crate) fn count(number: u32) -> String {
    match number {
        PARAM_UNK => "EDT_PARAM_UNK".to_string(),
        PARAM_DEF => "EDT_PARAM_DEF".to_string(),
        _ => number.to_string(),
    }
}
