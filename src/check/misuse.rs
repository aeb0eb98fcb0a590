//! A misuse, as it is reported: what is wrong, where, the objects with their history, the rule, and what
//! to change in the program.

use super::calls::{Role, in_full};
use super::history::Who;
use super::rules::Broken;
use super::{CallRecord, Check};
use crate::abi::names::{all_of, one_of};
use crate::object::edt::Mode;
use crate::object::guid::Guid;
use crate::object::template::{PARAM_DEF, PARAM_UNK};
use std::fmt;

/// A misuse of the interface.
pub(crate) struct Misuse {
    what: String,
    place: String,
    histories: Vec<String>,
    rule: String,
    advice: String,
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "strict mode: {}\n  {}", self.what, self.place)?;
        for history in &self.histories {
            write!(f, "\n  {history}")?;
        }
        write!(f, "\n  the rule: {}\n  what to do: {}", self.rule, self.advice)
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
    /// A misuse by a call. The report says first what has become of the objects that it is about, in this order. Then
    /// come the creators of the other objects that the call was given. The rule is of the function's clause, and of
    /// that which it names.
    pub(super) fn by_call(&self, call: &CallRecord<'_>, objects: &[Guid], broken: impl Into<Broken>) -> Box<Misuse> {
        let (spec, broken) = (call.spec, broken.into());
        let mut clause = spec.clause();
        if !broken.see.is_empty() && !clause.ends_with(broken.see) {
            clause += "; ";
            clause += broken.see;
        }
        let caller = self.history.caller(call.act.who);
        Box::new(Misuse {
            what: format!("{}: {}", spec.shown(), broken.title),
            place: format!("in {caller}: {}", self.written(call)),
            histories: self.histories(objects, call.guids(), call.act.ticket),
            rule: format!("[{}] {} ({clause})", broken.id, broken.rule),
            advice: broken.advice,
        })
    }

    /// A misuse by what an EDT did or returned; `who` is the EDT or thread that ran when that was seen.
    pub(super) fn by_edt(&self, who: Who, place: String, objects: &[Guid], broken: impl Into<Broken>) -> Box<Misuse> {
        let broken = broken.into();
        let kernel = self.history.get(who.edt).and_then(|record| record.kernel);
        let ran = kernel.map(|kernel| format!("; it ran as {kernel}"));
        let clause = match broken.see {
            "" => String::new(),
            see => format!(" ({})", in_full(see)),
        };
        Box::new(Misuse {
            what: broken.title,
            place: place + &ran.unwrap_or_default(),
            histories: self.histories(objects, [who.edt], 0),
            rule: format!("[{}] {}{clause}", broken.id, broken.rule),
            advice: broken.advice,
        })
    }

    /// What has become of these objects, and, in a line for each, the creators of the others.
    fn histories(&self, objects: &[Guid], others: impl IntoIterator<Item = Guid>, ticket: u64) -> Vec<String> {
        let mut told: Vec<Guid> = Vec::new();
        let mut is_new = |guid: &Guid| {
            let new = !told.contains(guid);
            told.push(*guid);
            new
        };
        let history = &self.history;
        let known = objects.iter().copied();
        let known = known.filter(|&guid| history.what(guid).is_some() && is_new(&guid));
        let mut histories: Vec<String> = known.map(|guid| history.text(guid, ticket)).collect();
        let others = others.into_iter();
        let others = others.filter(|&guid| history.knows(guid) && is_new(&guid));
        histories.extend(others.map(|guid| {
            let created = history.creation(guid).unwrap_or_default();
            format!("{}, {created}", history.name(guid))
        }));
        histories
    }

    /// A call with its arguments, as far as they can be shown.
    fn written(&self, call: &CallRecord<'_>) -> String {
        let args = call.spec.args.iter().enumerate().map(|(at, (name, role))| {
            let number = call.number(at);
            match role {
                role if role.is_pointer() && number == 0 => format!("{name} NULL"),
                role if role.is_pointer() => format!("{name} given"),
                Role::Properties(names, _) => {
                    format!("{name} {}", all_of(names, number as u16 as u32))
                }
                Role::OneOf(names) => format!("{name} {}", one_of(names, number as u32)),
                Role::ParamCount | Role::DepCount => match u32::try_from(number) {
                    Ok(number) => format!("{name} {}", count(number)),
                    Err(_) => format!("{name} {number}"),
                },
                Role::Number | Role::Slot => format!("{name} {}", number as i64),
                Role::Mode => match Mode::from_bits(number as u32) {
                    Some(mode) => format!("{name} {}", mode.name()),
                    None => format!("{name} {}", number as u32),
                },
                _ => format!("{name} {}", call.guid(at)),
            }
        });
        let args: Vec<String> = args.collect();
        format!("{}({})", call.spec.shown(), args.join(", "))
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
