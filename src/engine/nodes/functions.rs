//! Functions of the program, as other nodes find them: by the file that they are in and their distance from where that
//! is loaded. The files are the same on all nodes, and each process may have them elsewhere.

use crate::engine::nodes::new_edt::FunctionHome;
use crate::engine::nodes::outbox;
use crate::engine::nodes::work::Call;
use crate::object::code::EdtFunction;
use crate::symbols;
use ocr_base::lock::{Mutex, rank};
use std::collections::HashMap;

/// What was found. A file that is loaded stays, as long as a template has one of its functions.
#[derive(Default)]
struct Known {
    /// The builds of files, by where these are loaded.
    builds: HashMap<usize, String>,
    /// Functions of this process, by their addresses.
    homes: HashMap<usize, FunctionHome>,
    /// Functions that other nodes have described, by their addresses here.
    functions: HashMap<FunctionHome, usize>,
    /// Functions that the program has by their addresses on other nodes, and where these are here; none where no node
    /// knows the address.
    elsewhere: HashMap<usize, Option<usize>>,
}

static KNOWN: Mutex<rank::FunctionHomes, Option<Known>> = Mutex::new(None);

/// What tells the file apart that is loaded at this address.
fn build_at(start: usize) -> Option<String> {
    if let Some(known) = KNOWN.lock().as_ref().and_then(|known| known.builds.get(&start).cloned()) {
        return Some(known);
    }
    let (build, _) = symbols::build_of(start)?;
    KNOWN.lock().get_or_insert_default().builds.insert(start, build.clone());
    Some(build)
}

/// How other nodes find the function of an EDT. None for one that is in no file, such as one that was compiled at run
/// time.
pub(crate) fn home_of(function: EdtFunction) -> Option<FunctionHome> {
    home_of_address(function as *const () as usize)
}

/// How other nodes find the function at this address, as [`home_of`] says.
pub(crate) fn home_of_address(at: usize) -> Option<FunctionHome> {
    if let Some(known) = KNOWN.lock().as_ref().and_then(|known| known.homes.get(&at).cloned()) {
        return Some(known);
    }
    let start = symbols::loaded_at(at)?.start;
    let home = FunctionHome { build: build_at(start)?, distance: (at - start) as u64 };
    KNOWN.lock().get_or_insert_default().homes.insert(at, home.clone());
    Some(home)
}

/// The function of an EDT here that another node has described. None where its file is not loaded here.
pub(crate) fn find(home: &FunctionHome) -> Option<EdtFunction> {
    let at = find_address(home)?;
    // SAFETY: the other node has found an EDT's function at this distance in a file with the same build ID, which is
    // loaded here. So the address is that of a function of this type.
    Some(unsafe { std::mem::transmute::<usize, EdtFunction>(at) })
}

/// The address here of the function that another node has described, as [`find`] says.
pub(crate) fn find_address(home: &FunctionHome) -> Option<usize> {
    if let Some(known) = KNOWN.lock().as_ref().and_then(|known| known.functions.get(home).copied()) {
        return Some(known);
    }
    let start = symbols::loaded().into_iter().find(|&start| build_at(start).as_ref() == Some(&home.build))?;
    let at = start.checked_add(usize::try_from(home.distance).ok()?)?;
    symbols::loaded_at(at).filter(|there| there.start == start)?;
    KNOWN.lock().get_or_insert_default().functions.insert(home.clone(), at);
    Some(at)
}

/// The function that a program means by a pointer. On several nodes it may have the pointer from another one, in whose
/// process files are loaded elsewhere: the nodes say what they have at that address. The same function if none has one
/// there, or several have others.
pub(crate) fn meant(function: EdtFunction) -> EdtFunction {
    let at = function as *const () as usize;
    if !outbox::is_open() || home_of_address(at).is_some() {
        return function;
    }
    let known = KNOWN.lock().as_ref().and_then(|known| known.elsewhere.get(&at).copied());
    let Some(here) = known.unwrap_or_else(|| ask_for(at)) else { return function };
    // SAFETY: the program has said that a function of this type is at the address, on the node that it has it from.
    // That is at this distance in a file with the same build ID, which is loaded here.
    unsafe { std::mem::transmute::<usize, EdtFunction>(here) }
}

/// The address here of what other nodes have at an address of theirs.
fn ask_for(at: usize) -> Option<usize> {
    let answers = outbox::ask_others(Call::FindFunction(at as u64));
    let have_all_answered = answers.iter().all(|(_, answer)| answer.is_some());
    let answers = answers.into_iter();
    let homes: Vec<FunctionHome> = answers.filter_map(|(_, answer)| answer?.template?.function).collect();
    let home = homes.first().filter(|first| homes.iter().all(|home| home == *first));
    let here = home.and_then(find_address);
    if have_all_answered {
        KNOWN.lock().get_or_insert_default().elsewhere.insert(at, here);
    }
    here
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use crate::object::code::EdtDep;
    use crate::object::guid::Guid;

    unsafe extern "C" fn edt(_: u32, _: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
        Guid::NULL
    }

    #[test]
    fn a_function_is_found_by_its_home() {
        let home = home_of(edt).expect("it is in the program");
        let found = find(&home).expect("the program is loaded");
        assert_eq!(found as *const () as usize, edt as *const () as usize);
        assert!(find(&FunctionHome { build: "none".into(), ..home.clone() }).is_none());
        assert!(find(&FunctionHome { distance: 1 << 40, ..home }).is_none());
    }
}
