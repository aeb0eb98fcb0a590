//! What stands in a checkpoint, in order: the program and its arguments, the files from which functions are, what EDTs
//! run, the objects, and the calls on labels that wait for their objects.

use crate::check::history::Who;
use crate::engine::state::deferred::{Deferred, DeferredBy, DeferredCall};
use crate::engine::state::runtime::Runtime;
use crate::graph::{Dependence, GraphCall};
use crate::object::code::{Code, CodeName, Kernel, WorkKind};
use crate::object::edt::Mode;
use crate::object::guid::Guid;
use crate::object::saved::{Module, Saved, malformed};
use crate::symbols;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;

/// The files that this process has loaded.
pub(super) fn modules() -> Vec<Module> {
    let module = |start| {
        let (build, file) = symbols::build_of(start)?;
        Some(Module { build, file: file.display().to_string(), start: Some(start) })
    };
    symbols::loaded().into_iter().filter_map(module).collect()
}

/// Passes the program's full name and its arguments: these words, or those of the checkpoint. They are none where the
/// system does not tell.
pub(super) fn pass_command(file: &mut Saved<'_>, own: &[OsString]) -> io::Result<Vec<OsString>> {
    let count = file.word(own.len())?;
    let word = |at| file.bytes(own.get(at).map_or(&[], |word: &OsString| word.as_bytes())).map(OsStr::from_bytes);
    (0..count).map(word).map(|word| word.map(OsStr::to_os_string)).collect()
}

/// Passes all that a run has through a checkpoint; `command` is how it was started, and `own` what it has loaded.
pub(super) fn pass(
    runtime: &'static Runtime,
    file: &mut Saved<'_>,
    command: &[OsString],
    own: &[Module],
) -> io::Result<()> {
    pass_command(file, command)?;
    file.modules(own)?;
    // What follows is read as this build of the runtime has written it. The program has at least `mainEdt` in it.
    file.function(pass as *const () as usize)?;
    let own = if file.restores() { Vec::new() } else { runtime.objects.code_table.all() };
    for at in 0..file.word(own.len())? {
        let code = pass_code(runtime, file, own.get(at).copied())?;
        file.add_code(code);
    }
    let slow = runtime.has_attempts();
    runtime.objects.pass(file, slow)?;
    pass_deferred(runtime, file)
}

/// The kinds of work by the numbers that stand for them.
const KINDS: [WorkKind; 7] = [
    WorkKind::Program,
    WorkKind::Main,
    WorkKind::Copy,
    WorkKind::Partition,
    WorkKind::Waiter,
    WorkKind::Writer,
    WorkKind::Elsewhere,
];

fn text(file: &mut Saved<'_>, own: &str) -> io::Result<String> {
    String::from_utf8(file.bytes(own.as_bytes())?.to_vec()).map_err(|_| malformed())
}

/// Passes what EDTs run: this code, or one that is made.
fn pass_code(runtime: &'static Runtime, file: &mut Saved<'_>, own: Option<&'static Code>) -> io::Result<&'static Code> {
    let name = text(file, own.map_or("", |code| code.name.given()))?;
    let is_of_program = file.word(own.is_some_and(|code| code.name.is_of_program()))?;
    let number = own.and_then(|code| KINDS.iter().position(|&kind| kind == code.kind));
    let kind = *KINDS.get(file.word(number.unwrap_or(0))?).ok_or_else(malformed)?;
    // SAFETY: `EdtFunction` is the type of a pointer to a function.
    let function = unsafe { file.pointer(own.and_then(|code| code.function)) }?;
    let mut kernels = Vec::new();
    for at in 0..file.word(own.map_or(0, |code| code.kernels.len()))? {
        kernels.push(pass_kernel(file, own.map(|code| &code.kernels[at]))?);
    }
    if let Some(own) = own {
        return Ok(own);
    }
    let name = match function {
        Some(function) if is_of_program => CodeName::of_program(function, &name),
        _ => CodeName::fixed(&name),
    };
    Ok(runtime.restored_work(Code { name, kind, function, kernels, ..Code::of_kernels("") }))
}

fn pass_kernel(file: &mut Saved<'_>, own: Option<&Kernel>) -> io::Result<Kernel> {
    Ok(Kernel {
        source: file.bytes(own.map_or(&[], |kernel| &kernel.source))?.into(),
        options: file.bytes(own.map_or(&[], |kernel| &kernel.options))?.to_vec(),
        name: text(file, own.map_or("", |kernel| &kernel.name))?,
        // SAFETY: `NdRangeFunction` is the type of a pointer to a function.
        range: unsafe { file.pointer(own.and_then(|kernel| kernel.range)) }?,
        result_slot: file.word(own.map_or(0, |kernel| kernel.result_slot))?,
        built: Vec::new(),
    })
}

/// Passes the calls that wait for objects on labels. No thread waits.
fn pass_deferred(runtime: &Runtime, file: &mut Saved<'_>) -> io::Result<()> {
    let mut own = runtime.deferred.all(|label, waits| match waits {
        Deferred::GraphCall(DeferredCall { given, by, who, rest, is_split, again, admitted }) => {
            let (given, rest, again) = (words_of(*given), words_of(*rest), *again as u64);
            let is_result = matches!(by, DeferredBy::Result);
            let flags = [is_result, *is_split, *admitted].map(u64::from);
            Some((label, *who, given, rest, [flags[0], flags[1], flags[2], again]))
        }
        Deferred::Thread(_) => None,
    });
    let none = || (Guid::NULL, Who::NOBODY, [0; 6], [0; 6], [0; 4]);
    let count = file.word(own.len())?;
    if file.restores() {
        own = std::iter::repeat_with(none).take(count).collect();
    }
    for (label, who, given, rest, others) in own {
        let label = file.word(label)?;
        let (edt, work) = (file.word(who.edt)?, file.code(who.work.map_or(std::ptr::null(), std::ptr::from_ref))?);
        let mut words = given.into_iter().chain(rest).chain(others).map(|word| file.word(word));
        let words: Vec<u64> = words.by_ref().collect::<io::Result<_>>()?;
        if !file.restores() {
            continue;
        }
        let [given, rest] = [&words[..6], &words[6..12]].map(call_of);
        let (given, rest) = given.zip(rest).ok_or_else(malformed)?;
        // SAFETY: the pointer is null, or of a code of the table, which lives as long as the runtime.
        let who = Who { edt, work: unsafe { work.as_ref() }, ..Who::NOBODY };
        let call = DeferredCall {
            rest,
            is_split: words[13] != 0,
            admitted: words[14] != 0,
            again: words[15] as usize,
            ..match words[12] {
                0 => DeferredCall::new(given, who),
                _ => DeferredCall::from(DeferredBy::Result, given, who),
            }
        };
        let is_there = || false;
        // So it waits.
        let _ = runtime.deferred.wait(label, Deferred::GraphCall(call), is_there);
    }
    Ok(())
}

/// A call on the graph as numbers, the first of which says which it is.
fn words_of(call: GraphCall) -> [u64; 6] {
    match call {
        GraphCall::Dependence(of) => {
            let [source, destination] = [of.source, of.destination].map(Guid::bits);
            [0, source, of.post_slot.into(), destination, of.slot.into(), of.mode as u64]
        }
        GraphCall::Destruction { event } => [1, event.bits(), 0, 0, 0, 0],
        GraphCall::Satisfaction { event, increment, data, called } => {
            [2, event.bits(), increment.into(), data.bits(), called.into(), 0]
        }
    }
}

fn call_of(words: &[u64]) -> Option<GraphCall> {
    let &[kind, first, second, third, fourth, fifth] = words else { return None };
    let (first, third) = (Guid::from_bits(first), Guid::from_bits(third));
    Some(match kind {
        0 => GraphCall::Dependence(Dependence {
            source: first,
            post_slot: second as u32,
            destination: third,
            slot: fourth as u32,
            mode: Mode::from_bits(fifth as u32)?,
        }),
        1 => GraphCall::Destruction { event: first },
        2 => GraphCall::Satisfaction { event: first, increment: second != 0, data: third, called: fourth != 0 },
        _ => return None,
    })
}
