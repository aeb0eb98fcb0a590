//! Placement: which variant of an EDT runs, and where. A policy is a file of this folder.
//!
//! A policy is asked for each EDT that more than one place could run, when the EDT has become runnable
//! ([`Policy::choose`]). It decides from what it gets and never waits. A policy that wants to decide later, when a
//! place is free, answers [`Choice::Kept`] and has a [`Keeper`]. The keeper gets the EDT when the EDT has its blocks,
//! and places ask the keeper for EDTs.
//!
//! A policy sees the machine, its clock included, through [`Machine`] alone, so that it can run in a simulation.
//! `docs/guide/src/placement.md` says how to add a policy. `user` has those that users write in C.
//!
//! | file | what it has |
//! |---|---|
//! | `interface.rs` | what policies and the runtime say to each other; how sure a time is (`Certainty`: one sample is *measured*) |
//! | `told.rs` | what a policy reports of its choices to a recorded run |
//! | `eft.rs` | the default: every EDT goes where it is expected to end first |
//! | `queue.rs`, `places.rs`, `doubt.rs` | for policies that estimate: what is before a place; when an EDT would end in each (`end_of_new`); whether an unknown one is worth a trial |
//! | `variant.rs` | whether an EDT runs as function or kernel on shared cores |
//! | `heteroprio.rs`, `locality.rs` | by the ratio of times; by where the bytes are |
//! | `cpu.rs`, `device.rs`, `eager.rs`, `turns.rs`, `random.rs` | one kind of place; the first that is free; by turns (`static:C:D`); by chance |
//! | `user/` | policies of users, in C |

mod cpu;
mod device;
mod doubt;
mod eager;
mod eft;
mod heteroprio;
mod interface;
mod locality;
mod places;
mod queue;
mod random;
mod told;
mod turns;
mod user;
mod variant;

pub use interface::{
    BlockPlaces, Candidate, Choice, Choices, Keeper, KeptEdt, Machine, Policy, PolicyEntry, PolicyFault, Taken,
    VariantTimes, least_loaded,
};
pub use told::{Certainty, Considered, Expected, Why};
pub use user::{is_file, layout};
pub use variant::can_kernel_win;

use std::path::{Path, PathBuf};

/// All policies, in the order in which `ocr` lists them.
pub const POLICIES: &[PolicyEntry] = &[
    eft::ENTRY,
    cpu::ENTRY,
    device::ENTRY,
    turns::ENTRY,
    eager::ENTRY,
    heteroprio::ENTRY,
    locality::ENTRY,
    random::ENTRY,
];

/// The policy that is used when none is asked for.
pub const DEFAULT: &str = eft::ENTRY.name;

/// The policy that `text` names, as in `OCR_SCHED`; a name with a slash is that of a file, which is loaded and runs
/// code of its own. The error is a text that lists the policies that there are, or says what the policy of that name
/// needs.
pub fn parse(text: &str) -> Result<Box<dyn Policy>, String> {
    parse_from(text, |file| Ok(file.to_path_buf()))
}

/// The same, where `full_name` says where a file of a name is.
pub fn parse_from(
    text: &str,
    full_name: impl FnOnce(&Path) -> Result<PathBuf, String>,
) -> Result<Box<dyn Policy>, String> {
    if is_file(text) {
        return user::load(text, full_name);
    }
    let mut words = text.split(':');
    let name = words.next().unwrap_or_default();
    let Some(entry) = POLICIES.iter().find(|entry| entry.name == name) else {
        let known: Vec<_> = POLICIES.iter().map(|entry| entry.usage).collect();
        let file = if name.ends_with(".so") {
            format!("; the policy of a file has a slash in its name, as ./{text}")
        } else {
            String::new()
        };
        return Err(format!("there is no policy \"{text}\"; there are: {}{file}", known.join(", ")));
    };
    let args: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
    (args.as_deref()).and_then(|args| (entry.make)(args)).ok_or_else(|| wrong_numbers(entry, text, args.as_deref()))
}

/// Whether `text` names a policy of the runtime itself: nothing is loaded.
pub fn is_built_in(text: &str) -> bool {
    !is_file(text) && parse(text).is_ok()
}

/// What is wrong with the numbers behind a policy's name; `args` are none where they are no numbers.
fn wrong_numbers(entry: &PolicyEntry, text: &str, args: Option<&[u64]>) -> String {
    let PolicyEntry { name, usage, what, .. } = entry;
    let wanted = usage.split(':').skip(1).count();
    let example = format!("{name}{}", ":1".repeat(wanted));
    let needs = match wanted {
        0 => format!("{name} takes no numbers"),
        _ if args.is_some_and(|args| args.len() == wanted) => {
            format!("{name} needs other numbers, as {example}; {usage} means: {what}")
        }
        1 => format!("{name} needs a number, as {example}"),
        2 => format!("{name} needs two numbers, as {example}"),
        more => format!("{name} needs {more} numbers, as {example}"),
    };
    format!("\"{text}\" is no policy: {needs}")
}

#[cfg(test)]
mod tests;
