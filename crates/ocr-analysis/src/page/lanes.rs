//! The lanes of a run and what is drawn on them, as columns for the page.
//!
//! EDTs stand in the order of their lanes, and by time on each. If there are more EDTs than a page takes, neighbours on
//! a lane are merged to one bar. The bar has the template that took most of its time, and says how many EDTs it stands
//! for. What is known of single EDTs is left out then.
//!
//! `data.js` reads what is written here.

use super::curves::{WorkerLane, curves};
use super::pack::{Column, base64};
use crate::diagnosis::{IdleTimes, PARTS, PlaceTime};
use crate::recorded::{NEVER, RecordedEdt, RecordedEstimate, RecordedRun};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A lane of the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PageLane {
    /// The EDTs of a worker, by its number in the recording.
    Worker(u32),
    /// The kernels in a queue of a device, by the device's place and the number of the queue.
    Kernels(u8, u32),
    /// The copies to a device, by its place.
    In(u8),
    /// The copies from a device, by its place.
    Out(u8),
}

impl PageLane {
    fn of(edt: &RecordedEdt) -> PageLane {
        match edt.place {
            0 => PageLane::Worker(edt.lane),
            place => PageLane::Kernels(place, edt.lane),
        }
    }

    /// The key by which lanes are sorted: the place, then EDTs before copies, then the number of the worker or queue.
    fn key(self) -> (u8, u8, u32) {
        match self {
            PageLane::Worker(owner) => (0, 0, owner),
            PageLane::Kernels(place, lane) => (place, 0, lane),
            PageLane::In(place) => (place, 1, 0),
            PageLane::Out(place) => (place, 2, 0),
        }
    }

    fn json(self, run: &RecordedRun, is_only: bool) -> Value {
        let (place, kind, _) = self.key();
        let name = match self {
            PageLane::Worker(owner) => {
                run.threads.get(&owner).map_or(format!("thread {owner}"), |thread| thread.name.clone())
            }
            PageLane::Kernels(..) if is_only => "kernels".to_string(),
            PageLane::Kernels(_, lane) => format!("kernels, queue {lane}"),
            PageLane::In(_) => "copies in".to_string(),
            PageLane::Out(_) => "copies out".to_string(),
        };
        let kind = match kind {
            0 => "edts",
            1 => "in",
            _ => "out",
        };
        json!({ "name": name, "place": place, "kind": kind })
    }
}

/// The lanes of a run, and the EDTs on them.
struct PageLanes {
    /// The lanes in the order in which they are drawn.
    lanes: Vec<PageLane>,
    /// For each lane, the numbers of its EDTs, by time.
    edts: Vec<Vec<u32>>,
}

impl PageLanes {
    fn of(run: &RecordedRun) -> PageLanes {
        let mut all: BTreeMap<(u8, u8, u32), (PageLane, Vec<u32>)> = BTreeMap::new();
        let mut lane = |lane: PageLane| {
            all.entry(lane.key()).or_insert((lane, Vec::new()));
        };
        run.workers().for_each(|(owner, _)| lane(PageLane::Worker(owner)));
        for copy in run.copies.iter().filter(|copy| copy.bytes != 0) {
            lane(if copy.to_device { PageLane::In(copy.place) } else { PageLane::Out(copy.place) });
        }
        for place in run.devices.keys() {
            let ran = run.edts.iter().filter(|edt| edt.place == *place);
            let queues: BTreeSet<u32> = ran.filter(|edt| edt.begin != NEVER).map(|edt| edt.lane).collect();
            if queues.is_empty() {
                lane(PageLane::Kernels(*place, 0));
            }
        }
        for (number, edt) in run.edts.iter().enumerate() {
            if edt.begin != NEVER {
                let lane = PageLane::of(edt);
                let entry = all.entry(lane.key()).or_insert((lane, Vec::new()));
                entry.1.push(number as u32);
            }
        }
        let mut all: Vec<(PageLane, Vec<u32>)> = all.into_values().collect();
        // Workers are sorted by their nodes, then by their names, shorter ones first: `ocr-worker-10` comes behind
        // `ocr-worker-9`.
        all.sort_by_key(|(lane, _)| {
            let (place, kind, number) = lane.key();
            let (node, name) = match lane {
                PageLane::Worker(owner) => run.threads.get(owner).map_or((0, ""), |its| (its.node, &its.name)),
                _ => (0, ""),
            };
            (place, kind, node, name.len(), name, number)
        });
        let (lanes, mut edts): (Vec<PageLane>, Vec<Vec<u32>>) = all.into_iter().unzip();
        for edts in &mut edts {
            edts.sort_by_key(|edt| run.edts[*edt as usize].begin);
        }
        PageLanes { lanes, edts }
    }

    /// The workers. Threads that are none, and have called in, are left out.
    fn of_workers(&self, run: &RecordedRun) -> Vec<WorkerLane<'_>> {
        let all = self.lanes.iter().zip(&self.edts);
        let workers = all.filter_map(|(lane, edts)| match lane {
            PageLane::Worker(owner) => {
                let thread = run.threads.get(owner).filter(|its| its.is_worker)?;
                Some((edts.as_slice(), thread.done.unwrap_or(NEVER)))
            }
            _ => None,
        });
        workers.collect()
    }

    /// How many queues of a device ran kernels.
    fn queues(&self, place: u8) -> usize {
        let of = |lane: &&PageLane| matches!(lane, PageLane::Kernels(its, _) if *its == place);
        self.lanes.iter().filter(of).count()
    }
}

/// A bar of the chart. Times are in nanoseconds.
#[derive(Clone, Copy)]
struct Bar {
    begin: u64,
    end: u64,
    /// The number of the template that took most of the bar's time.
    template: u32,
    /// How much of the bar's time EDTs ran.
    busy: u64,
    /// How many EDTs the bar stands for.
    edts: u64,
}

/// The bars of one lane, each of at most `each` neighbours. Neighbours with a gap of more than `longest` nanoseconds
/// between them are not merged.
fn merged(run: &RecordedRun, edts: &[u32], each: usize, longest: u64) -> Vec<Bar> {
    let mut bars = Vec::new();
    let mut at = 0;
    while at < edts.len() {
        let first = &run.edts[edts[at] as usize];
        let mut bar = Bar { begin: first.begin, end: first.begin, template: first.template, busy: 0, edts: 0 };
        let mut times: BTreeMap<u32, u64> = BTreeMap::new();
        while at < edts.len() && bar.edts < each as u64 {
            let edt = &run.edts[edts[at] as usize];
            // A gap that could be seen in the chart stays.
            if bar.edts != 0 && edt.begin > bar.end.saturating_add(longest) {
                break;
            }
            let end = if edt.end == NEVER { run.end } else { edt.end };
            let busy = end.saturating_sub(edt.begin.max(bar.end));
            bar.end = bar.end.max(end);
            bar.busy += busy;
            bar.edts += 1;
            *times.entry(edt.template).or_default() += busy;
            at += 1;
        }
        let most = times.iter().max_by_key(|(_, ns)| **ns);
        bar.template = most.map_or(bar.template, |(template, _)| *template);
        bars.push(bar);
    }
    bars
}

/// How many bits of a time that the page shows in three digits are kept.
const DIGITS: u32 = 10;

/// A time without the bits that nobody sees. What is behind them says nothing, and would be most of a page.
fn rounded(ns: u64) -> u64 {
    let bits = u64::BITS - ns.leading_zeros();
    let unseen = bits.saturating_sub(DIGITS);
    ns >> unseen << unseen
}

/// Adds a time to a column: 0 for [`NEVER`], otherwise 1 more than how long it was before the time `before`. So most
/// numbers are small. They are rounded.
fn maybe(column: &mut Column, time: u64, before: u64) {
    match time {
        NEVER => column.add(0),
        time => column.add(1 + rounded(before.saturating_sub(time))),
    }
}

/// Everything that is drawn of a run, with at most `most` bars for EDTs. `times` say what the time of each place went
/// into, and `short` gives the short name of a device, by its place.
pub(super) fn lanes<'a>(
    run: &RecordedRun,
    most: usize,
    times: &IdleTimes,
    short: impl Fn(u8) -> Option<&'a str>,
) -> Value {
    let lanes = PageLanes::of(run);
    let count: usize = lanes.edts.iter().map(Vec::len).sum();
    let each = count.div_ceil(most.max(1)).max(1);
    let names = lanes.lanes.iter();
    let names = names.map(|lane| lane.json(run, lanes.queues(lane.key().0) == 1));
    let mut templates: Vec<&str> = run.templates.iter().map(|its| its.name.as_str()).collect();
    templates.push("of an unknown template");
    let places = times.places.iter().map(|place| {
        json!({
            "place": place.place,
            "name": short(place.place).unwrap_or(&place.name),
            "units": place.units,
            "idle": base64(&idle(place)),
        })
    });
    json!({
        "lanes": names.collect::<Vec<_>>(),
        "templates": templates,
        "can": run.templates.iter().map(|its| its.places).collect::<Vec<_>>(),
        "places": places.collect::<Vec<_>>(),
        "edts": count,
        "each": each,
        "bars": bars(run, &lanes, each),
        "details": (each == 1).then(|| details(run, &lanes)),
        "copies": copies(run, &lanes, most),
        "curves": curves(run, &lanes.of_workers(run), times.span),
    })
}

/// For each part of the run, the share of each cause of idle time as a byte, where 255 stands for the whole part.
fn idle(place: &PlaceTime) -> Vec<u8> {
    let all = place.busy + place.idle.iter().sum::<u64>();
    let part = (all as f64 / PARTS as f64).max(1.0);
    let shares = place.parts.iter().flatten();
    shares.map(|ns| (255.0 * *ns as f64 / part).round().min(255.0) as u8).collect()
}

/// The bars for EDTs: how many each lane has, and columns over the bars of all lanes.
fn bars(run: &RecordedRun, lanes: &PageLanes, each: usize) -> Value {
    let [mut begin, mut length, mut template, mut idle, mut edts] = std::array::from_fn(|_| Column::default());
    let unknown = run.templates.len() as u32;
    // A gap of more than half a pixel of a wide page can be seen.
    let longest = run.end / 4000;
    let mut counts = Vec::new();
    for of in &lanes.edts {
        let mut last = 0;
        let bars = merged(run, of, each, longest);
        counts.push(bars.len());
        for bar in bars {
            begin.add_signed(bar.begin.wrapping_sub(last) as i64);
            length.add(bar.end - bar.begin);
            template.add_difference(i64::from(bar.template.min(unknown)));
            if each > 1 {
                idle.add((bar.end - bar.begin) - bar.busy.min(bar.end - bar.begin));
                edts.add(bar.edts);
            }
            last = bar.end;
        }
    }
    let mut value = json!({
        "counts": counts,
        "begin": begin.packed(),
        "length": length.packed(),
        "template": template.packed(),
    });
    if each > 1 {
        value["idle"] = idle.packed().into();
        value["edts"] = edts.packed().into();
    }
    value
}

/// For each EDT, the number of the dependence that was satisfied last; `u32::MAX` for an EDT without one.
fn last_edges(run: &RecordedRun) -> Vec<u32> {
    let when = |number: u32| {
        let edge = run.edges.get(number as usize)?;
        match edge.at {
            NEVER => Some(run.edts[edge.from as usize].end),
            at => Some(at),
        }
    };
    let mut last = vec![u32::MAX; run.edts.len()];
    for (number, edge) in (0..).zip(&run.edges) {
        let known = &mut last[edge.to as usize];
        // If several dependences were satisfied at one time, the one that was recorded last counts.
        if when(number) >= when(*known) {
            *known = number;
        }
    }
    last
}

/// What is known of each EDT, as columns in the order of the bars. Times are how long before the EDT's begin something
/// was.
fn details(run: &RecordedRun, lanes: &PageLanes) -> Value {
    let order: Vec<u32> = lanes.edts.iter().flatten().copied().collect();
    let mut position = vec![0_u32; run.edts.len()];
    for (at, edt) in order.iter().enumerate() {
        position[*edt as usize] = at as u32 + 1;
    }
    let last = last_edges(run);
    let brought = run.brought();
    const NAMES: [&str; 15] = [
        "guidHigh",
        "guidLow",
        "created",
        "runnable",
        "placed",
        "granted",
        "asked",
        "brought",
        "launched",
        "parent",
        "last",
        "lastAt",
        "bytes",
        "slots",
        "parameters",
    ];
    let mut columns: [Column; NAMES.len()] = std::array::from_fn(|_| Column::default());
    let mut labels = BTreeMap::new();
    for (at, number) in order.iter().enumerate() {
        let edt = &run.edts[*number as usize];
        let [asked, arrived] = brought[*number as usize];
        let [
            guid_high,
            guid_low,
            created,
            runnable,
            placed,
            granted,
            asked_for,
            brought,
            launched,
            parent,
            latest,
            latest_at,
            bytes,
            slots,
            parameters,
        ] = &mut columns;
        guid_high.add_difference((edt.guid >> 32) as i64);
        guid_low.add_difference((edt.guid & 0xffff_ffff) as i64);
        maybe(created, edt.created, edt.begin);
        maybe(runnable, edt.runnable, edt.begin);
        maybe(placed, edt.placed, edt.begin);
        maybe(granted, edt.granted, edt.begin);
        maybe(asked_for, asked, edt.begin);
        maybe(brought, arrived, edt.begin);
        maybe(launched, edt.launched, edt.begin);
        let place_of = |edt: u32| position.get(edt as usize).copied().unwrap_or(0);
        parent.add_difference(i64::from(place_of(edt.parent)));
        let edge = run.edges.get(last[*number as usize] as usize);
        latest.add_difference(edge.map_or(0, |edge| i64::from(place_of(edge.from))));
        maybe(latest_at, edge.map_or(NEVER, |edge| edge.at), edt.begin);
        bytes.add_difference(edt.bytes as i64);
        slots.add(u64::from(edt.depc));
        parameters.add(u64::from(edt.paramc));
        if let Some(label) = run.labels.get(&edt.guid) {
            labels.insert(at, label);
        }
    }
    let mut value = json!({ "labels": labels, "estimates": estimates(run, &position) });
    for (name, column) in NAMES.iter().zip(&columns) {
        value[*name] = column.packed().into();
    }
    value
}

/// What the policy expected of EDTs in the places that it considered, in the order of the EDTs on the page and by time.
/// Null where the policy has reported nothing. `position` is 1 more than the number of each EDT on the page; 0 for one
/// that is not there.
fn estimates(run: &RecordedRun, position: &[u32]) -> Value {
    let mut order: Vec<&RecordedEstimate> = run.estimates.iter().collect();
    order.retain(|one| position[one.edt as usize] != 0);
    // The sort is stable, so the estimates of each EDT stay in the order of time.
    order.sort_by_key(|one| position[one.edt as usize]);
    if order.is_empty() {
        return Value::Null;
    }
    let [mut edt, mut at, mut place, mut queue, mut copies, mut time, mut what] =
        std::array::from_fn(|_| Column::default());
    for one in &order {
        edt.add_difference(i64::from(position[one.edt as usize] - 1));
        let begin = run.edts[one.edt as usize].begin;
        at.add(rounded(begin.saturating_sub(one.at)));
        place.add(u64::from(one.place));
        queue.add(rounded(one.expected.queue_ns));
        copies.add(rounded(one.expected.copy_ns));
        time.add(one.expected.run_ns.map_or(0, |ns| rounded(ns).saturating_add(1)));
        // Bits from the lowest on: chosen, first of a choice, how certain the time is (2 bits), and what was done.
        let bits = u64::from(one.is_chosen) | u64::from(one.is_first) << 1;
        what.add(bits | (one.certainty as u64) << 2 | (one.why as u64) << 4);
    }
    json!({
        "count": order.len(),
        "edt": edt.packed(),
        "at": at.packed(),
        "place": place.packed(),
        "queue": queue.packed(),
        "copies": copies.packed(),
        "time": time.packed(),
        "what": what.packed(),
    })
}

/// The copies of some bytes, by lane and time. Those of none only hand a block over where both have one memory. If
/// there are more than `most`, neighbours are merged.
fn copies(run: &RecordedRun, lanes: &PageLanes, most: usize) -> Value {
    let [mut begin, mut length, mut bytes, mut high, mut low] = std::array::from_fn(|_| Column::default());
    let moving = run.copies.iter().filter(|copy| copy.bytes != 0).count();
    let each = moving.div_ceil(most.max(1)).max(1);
    let mut counts = Vec::new();
    for lane in &lanes.lanes {
        let (its, to_device) = match lane {
            PageLane::In(place) => (*place, true),
            PageLane::Out(place) => (*place, false),
            _ => {
                counts.push(0);
                continue;
            }
        };
        let of = run.copies.iter();
        let mut of: Vec<_> =
            of.filter(|copy| copy.place == its && copy.to_device == to_device && copy.bytes != 0).collect();
        of.sort_by_key(|copy| copy.begin);
        counts.push(of.len().div_ceil(each));
        let mut last = 0;
        for copies in of.chunks(each) {
            let first = copies[0];
            let end = copies.iter().map(|copy| copy.end).max().unwrap_or(0);
            begin.add_signed(first.begin.wrapping_sub(last) as i64);
            length.add(end.saturating_sub(first.begin));
            bytes.add(copies.iter().map(|copy| copy.bytes).sum());
            high.add_difference((first.block >> 32) as i64);
            low.add_difference((first.block & 0xffff_ffff) as i64);
            last = end.max(first.begin);
        }
    }
    json!({
        "each": each,
        "counts": counts,
        "begin": begin.packed(),
        "length": length.packed(),
        "bytes": bytes.packed(),
        "guidHigh": high.packed(),
        "guidLow": low.packed(),
    })
}
