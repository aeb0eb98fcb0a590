//! All interleavings of a few nodes and EDTs, by the code of both tables.
//!
//! | file | what it has |
//! |---|---|
//! | `model.rs` | the nodes, and all that can happen next |
//! | `search.rs` | all states, breadth first |
//! | `broken.rs` | rules that are left out |

mod broken;
mod model;
mod search;

use broken::Broken;
use model::{Cell, Destroyed, Mode, Reached, Setting};
use search::search;
use std::collections::BTreeSet;

const READ_OR_WRITE: &[Mode] = &[Mode::Const, Mode::Ew];
const ALL_MODES: &[Mode] = &[Mode::Ro, Mode::Const, Mode::Ew];

const SETTING: Setting = Setting {
    edts: &[2, 2],
    modes: READ_OR_WRITE,
    along: 1,
    late: 1,
    has_threads: true,
    is_created: false,
    destroyed: Destroyed::Never,
    broken: None,
};

/// What is gone through, the smallest first. The largest are for builds that are optimized.
fn settings() -> Vec<Setting> {
    let mut settings = vec![
        Setting { edts: &[1, 1], modes: ALL_MODES, destroyed: Destroyed::AnyTime, ..SETTING },
        Setting { edts: &[1, 2], modes: ALL_MODES, ..SETTING },
        Setting { edts: &[1, 1], is_created: true, destroyed: Destroyed::AtEnd, ..SETTING },
        Setting { edts: &[0, 2], is_created: true, destroyed: Destroyed::AtEnd, ..SETTING },
        Setting { edts: &[1, 1], is_created: true, destroyed: Destroyed::AnyTime, ..SETTING },
        Setting { edts: &[1, 1, 1], late: 0, ..SETTING },
        Setting { edts: &[2, 2], late: 0, ..SETTING },
        Setting { edts: &[1, 1, 1], has_threads: false, destroyed: Destroyed::AnyTime, ..SETTING },
        Setting { edts: &[3, 3], has_threads: false, ..SETTING },
    ];
    if !cfg!(debug_assertions) {
        settings.extend([
            Setting { edts: &[1, 2], is_created: true, destroyed: Destroyed::AtEnd, ..SETTING },
            Setting { edts: &[2, 3], late: 0, ..SETTING },
            Setting { edts: &[2, 2, 2], late: 0, has_threads: false, ..SETTING },
        ]);
    }
    settings
}

/// What happens to a copy, in the order of the columns of [`COPY`] and [`WANTED`].
const AT_BORROWER: &[&str] = &[
    "an EDT needs it",
    "an EDT will need it",
    "Content",
    "its bytes are here",
    "its creator has it",
    "Recall",
    "the stand-in has it",
    "the owner is told",
    "NoBlock",
];

/// Whether each of these happens to a copy in a state (`x`), or never does (`-`). While one copy is leaving, the next
/// is on its way or here: so the owner is told of the former in each state.
const COPY: &[(&str, &str)] = &[
    ("away", "xxx----xx"),
    ("arriving", "xx-xxx-xx"),
    ("to write", "xx---x-xx"),
    ("to read", "xx---x-xx"),
    ("recalled, to write", "xx----xxx"),
    ("recalled, to read", "xx----xxx"),
];

/// Whether each of [`AT_BORROWER`] happens (`x`), or never does (`-`), where a block is wanted, or a copy of it is
/// leaving. A block that is wanted was asked for, unless a copy is leaving.
const WANTED: &[(&str, &str)] = &[
    ("not wanted", "xxxxxxx-x"),
    ("wanted to read", "xxxxxxx-x"),
    ("wanted to write", "xxxxxxx-x"),
    ("leaving", "xxxx-xxxx"),
    ("leaving, not asked", "xxxx-xxxx"),
    // The node has asked while its first copy, which it has created, was on its way.
    ("leaving, wanted to read", "xxxx-x-xx"),
    ("leaving, wanted to write", "xxxx-xxxx"),
];

/// What happens at the owner, in the order of the columns of [`LOANS`].
const AT_OWNER: &[&str] = &[
    "Want",
    "an EDT will need it",
    "an EDT joins the queue",
    "the stand-in has it",
    "a copy goes along",
    "the content was posted",
    "Content",
    "Left",
];

/// The same for the loan to the node that it is about, or for that which is least far where it is about none.
const LOANS: &[(&str, &str)] = &[
    ("here", "xxxxx---"),
    ("lending", "xxxxxx--"),
    ("lent to write", "xxx-----"),
    ("lent to read", "xxxxx---"),
    ("recalled, to write", "xxx---x-"),
    ("recalled, to read", "xxxxx--x"),
];

/// Each cell is reached, or never is, as the table says.
fn assert_cells(table: &[(&'static str, &str)], inputs: &[&'static str], reached: &BTreeSet<Cell>) {
    let row = |(state, marks): &(&'static str, &str)| {
        assert_eq!(marks.len(), inputs.len());
        let state = *state;
        let of_row: Vec<Cell> = inputs
            .iter()
            .zip(marks.chars())
            .filter(|(_, mark)| *mark == 'x')
            .map(|(input, _)| (state, *input))
            .collect();
        of_row
    };
    let expected: BTreeSet<Cell> = table.iter().flat_map(row).collect();
    let unreached: Vec<&Cell> = expected.difference(reached).collect();
    let impossible: Vec<&Cell> = reached.difference(&expected).collect();
    assert!(unreached.is_empty() && impossible.is_empty(), "never reached: {unreached:?}; reached: {impossible:?}");
}

#[test]
#[cfg_attr(miri, ignore = "it takes hours there")]
fn all_interleavings_keep_the_rules() {
    let mut reached = Reached::default();
    for setting in settings() {
        match search(&setting, &mut reached) {
            Ok(found) => println!("{} states, {} of them ends: {setting:?}", found.states, found.ends),
            Err(fault) => panic!("{fault}, with {setting:?}"),
        }
    }
    assert_cells(COPY, AT_BORROWER, &reached.borrower);
    assert_cells(WANTED, AT_BORROWER, &reached.wanted);
    assert_cells(LOANS, AT_OWNER, &reached.owner);
}

#[test]
#[cfg_attr(miri, ignore = "it takes hours there")]
fn each_rule_is_needed() {
    let finds = |broken| {
        let fault = |setting| search(&Setting { broken: Some(broken), ..setting }, &mut Reached::default()).err();
        settings().into_iter().find_map(fault)
    };
    for &broken in Broken::ALL {
        let Some(fault) = finds(broken) else { panic!("nothing is wrong without {broken:?}") };
        println!("{broken:?}: {fault}");
    }
}
