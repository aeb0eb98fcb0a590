//! Rules about data blocks: which go to and fro between host and device, and for which EDTs wait.

use super::look::{LIMITS, Look, Seen, bytes, percent, time};
use crate::recorded::NEVER;
use ocr_base::text::counted;
use ocr_trace::format::{MODE_EW, MODE_RW};
use rustc_hash::FxHashMap;

/// The name of a block in a sentence: its label, or its GUID; and its size.
pub(super) fn block_name(look: &Look<'_>, guid: u64) -> String {
    let size = bytes(look.run.blocks.get(&guid).copied().unwrap_or(0));
    match look.run.labels.get(&guid) {
        Some(label) => format!("\"{label}\" (0x{guid:x}, {size})"),
        None => format!("0x{guid:x} ({size})"),
    }
}

/// The templates of the EDTs that used a block, in the host's memory or on a device; that with most EDTs first.
fn users(look: &Look<'_>, guid: u64, on_host: bool) -> Vec<u32> {
    let mut many: FxHashMap<u32, u64> = FxHashMap::default();
    for its in &look.run.uses {
        let edt = &look.run.edts[its.edt as usize];
        let same = look.run.block_guids.get(its.block as usize) == Some(&guid);
        if same && edt.begin != NEVER && (edt.place == 0) == on_host {
            *many.entry(edt.template).or_default() += 1;
        }
    }
    let mut users: Vec<(u64, u32)> = many.into_iter().map(|(template, many)| (many, template)).collect();
    users.sort_unstable_by(|one, other| other.cmp(one));
    users.into_iter().map(|(_, template)| template).collect()
}

/// The rule *to and fro*: a block is copied to a device and back again and again.
pub(super) fn to_and_fro(look: &Look<'_>) -> Option<Seen> {
    /// How often a block went in each direction, how many bytes that was, and how long it took.
    #[derive(Default)]
    struct Way {
        to: u64,
        from: u64,
        bytes: u64,
        ns: u64,
        place: u8,
    }
    let mut ways: FxHashMap<u64, Way> = FxHashMap::default();
    for copy in look.run.copies.iter().filter(|copy| copy.bytes != 0) {
        let way = ways.entry(copy.block).or_default();
        *(if copy.to_device { &mut way.to } else { &mut way.from }) += 1;
        way.bytes += copy.bytes;
        way.ns += copy.end.saturating_sub(copy.begin);
        way.place = copy.place;
    }
    ways.retain(|_, way| way.to.min(way.from) >= LIMITS.seen / 2);
    let copying: u64 = ways.values().map(|way| way.ns).sum();
    let moved: u64 = ways.values().map(|way| way.bytes).sum();
    let many = ways.len() as u64;
    let (guid, way) = ways.into_iter().max_by_key(|(guid, way)| (way.bytes, *guid))?;
    if !look.counts(copying as f64) {
        return None;
    }
    let (hosts, kernels) = (users(look, guid, true), users(look, guid, false));
    let without = hosts.iter().find(|&&template| !look.can_run(template, way.place));
    let between = without.or(hosts.first()).copied()?;
    let others = match many {
        1 => String::new(),
        _ => format!(" {} of {} blocks did so.", bytes(moved), many),
    };
    let device = look.run.place_name(way.place);
    let kernel = kernels.first().map_or("", |&template| look.template(template)).to_string();
    let name = look.template(between);
    let (why, advice) = if without.is_some() {
        (
            format!("EDTs of {name}, which has no kernel, stand between those of {kernel}"),
            format!(
                "Give {name} a kernel, too (ocrEdtTemplateAddKernel), or keep {kernel} on the workers (OCR_SCHED=cpu)."
            ),
        )
    } else {
        (
            format!("EDTs of {name} ran on the workers between those of {kernel} on the device"),
            "Keep EDTs that use the same block in one place: OCR_SCHED=cpu or OCR_SCHED=device does.".to_string(),
        )
    };
    let seen = Seen::saves((copying as f64).min(look.ns))
        .at(way.place)
        .of(between)
        .word("block", block_name(look, guid))
        .word("device", device)
        .word("times", (way.to + way.from).to_string())
        .word("bytes", bytes(way.bytes))
        .word("took", time(way.ns as f64))
        .word("why", why)
        .word("others", others)
        .word("advice", advice);
    Some(seen)
}

/// The rule *exclusive*: EDTs queue for one block that each of them writes.
pub(super) fn exclusive(look: &Look<'_>) -> Option<Seen> {
    let mut waits: FxHashMap<u64, (u64, u64)> = FxHashMap::default();
    for grant in &look.run.grants {
        let edt = &look.run.edts[grant.edt as usize];
        if edt.runnable != NEVER {
            let (many, ns) = waits.entry(grant.block).or_default();
            *many += 1;
            *ns += grant.at.saturating_sub(edt.runnable);
        }
    }
    let all: u64 = waits.values().map(|(_, ns)| ns).sum();
    let (guid, (many, ns)) = waits.into_iter().max_by_key(|(guid, (_, ns))| (*ns, *guid))?;
    let waited = look.idle(super::idle::Idleness::Data).max(look.chain.blocks as f64);
    // Where workers had others to run meanwhile, it costs little.
    let costs = waited.min(look.beyond_the_bound());
    // One block must be most of it; otherwise no block is the cause.
    if many < LIMITS.seen || 2 * ns < all || !look.counts(costs) {
        return None;
    }
    // The mode and the template of those that waited.
    let mut modes: FxHashMap<(u8, u32), u64> = FxHashMap::default();
    for (its, &mode) in look.run.uses.iter().zip(&look.run.modes) {
        let edt = &look.run.edts[its.edt as usize];
        let same = look.run.block_guids.get(its.block as usize) == Some(&guid);
        if same && edt.granted != NEVER {
            *modes.entry((mode, edt.template)).or_default() += 1;
        }
    }
    let ((mode, template), _) = modes.into_iter().max_by_key(|(key, many)| (*many, *key))?;
    // An EDT in mode RO waits for no other.
    let (mode, advice) = match mode {
        MODE_EW => (
            "EW",
            "Where they write different parts, give each part a block of its own. An EDT that goes on without it can release it \
             before (ocrDbRelease). What only reads the block should have it in \
             mode CONST, in which several read at once, or in RO, if it may change meanwhile. In mode RW several EDTs write \
             at once.",
        ),
        MODE_RW => (
            "RW",
            "EDTs that have it in mode CONST or EW, or on a device, keep it from them. Where they use different parts, give each \
             part a block of its own; what may see it change can read it in mode RO.",
        ),
        _ => (
            "CONST",
            "EDTs that write it keep it from them. Release it in these as soon as it is written (ocrDbRelease), and give readers \
             a copy, or mode RO, if they may see it change.",
        ),
    };
    let seen = Seen::saves(costs)
        .of(template)
        .word("many", counted(many, "EDT"))
        .word("template", look.template(template))
        .word("block", block_name(look, guid))
        .word("mode", mode)
        .word("waited", time(ns as f64 / many as f64))
        .word("part", percent(waited / look.ns))
        .word("advice", advice);
    Some(seen)
}
