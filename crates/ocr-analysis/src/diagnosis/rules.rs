//! The table of rules: when each says something, in which words, and with which advice.
//!
//! A rule that is not sure says nothing. What a finding saves is by how much the run would be shorter at most without
//! its cause. Findings overlap, so what they save does not add up.
//!
//! A rule with a better word for a symptom names the rules of that symptom under `instead of`; those are silent then.
//! A name in braces stands for a figure, which the function of the rule gives.

use super::ground::Ground;
use super::look::{LIMITS, Look, Seen};
use super::{blocks, cores, creation, decided, ends, graph, kernels, nodes, places, quiet, shape, system, waits};
use serde::Serialize;
use std::cmp::Reverse;

/// A rule of a table whose rules have names of the type `Id`.
pub struct Rule<Id: 'static = RuleId> {
    /// The name of the rule.
    pub id: Id,
    /// When the rule says something, for people.
    pub said_if: &'static str,
    /// Looks for what the rule is about.
    when: fn(&Look<'_>) -> Vec<Seen>,
    /// What is said.
    text: &'static str,
    /// What to change.
    advice: &'static str,
    /// The rules that are about a symptom of the same cause.
    instead_of: &'static [Id],
}

/// Something that a rule has found in a run.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Finding<Id = RuleId> {
    /// The rule that has found it.
    pub rule: Id,
    /// The place that it is about. None if it is about no single place.
    pub place: Option<u8>,
    /// The template that it is about. None if it is about no single template.
    pub template: Option<String>,
    /// How many nanoseconds shorter the run would be at most without it. None where that is not known.
    pub saves_ns: Option<u64>,
    /// What was found, in sentences with figures.
    pub text: String,
    /// What to change, in sentences.
    pub advice: String,
}

macro_rules! rules {
    ($($id:ident: $said_if:literal, $when:path,
        text $text:literal, advice $advice:literal, instead of [$($other:ident)*];)*) => {
        /// The name of a rule.
        #[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[serde(rename_all = "snake_case")]
        pub enum RuleId {
            $(#[doc = $said_if] $id,)*
        }

        /// All rules. Of findings that save the same, that of the earlier rule comes first.
        pub const RULES: &[Rule<RuleId>] = &[$(Rule {
            id: RuleId::$id,
            said_if: $said_if,
            when: |look| $when(look).into_iter().collect(),
            text: $text,
            advice: $advice,
            instead_of: &[$(RuleId::$other),*],
        },)*];
    };
}

rules! {
    OtherThreads: "threads that run no EDTs used a tenth of what the process did, and workers lacked cores",
        cores::other_threads,
        text "Threads of the program's own, which run no EDTs, took cores from the workers: they used {others} ({share} of \
              what the process used), and workers were ready and had no core for {part} of the time that they needed.",
        advice "Let EDTs do what these threads do, let the threads sleep while they wait, or start fewer workers (OCR_WORKERS).",
        instead of [BusyMachine TooManyWorkers Small Starved NoWork Dependences Tail NearTheBound];
    TooManyWorkers: "there are more workers than cores, and they were ready and had none for a tenth of the time",
        cores::too_many_workers,
        text "There are more workers than cores: {workers} share {cores}, and were ready and had none for {part} of the time \
              that they needed. So EDTs seem to take longer than they do.",
        advice "Leave OCR_WORKERS out, or set it to {number}. More of them help only where EDTs sleep in system calls.",
        instead of [Small Starved NoWork Dependences Tail NearTheBound OneChain OneEdt FewLarge];
    BusyMachine: "workers were ready and had no core for a tenth of the time, and the process did not use all its cores",
        cores::busy_machine,
        text "The machine was busy with other programs: workers were ready and had no core for {part} of the time that they \
              needed ({without} together).",
        advice "Do not compare this run; run it again when the machine is quiet.",
        instead of [Starved NoWork Dependences Tail Placement SeenLate WrongModel UnknownTimes OtherPolicy
            NearTheBound Share WaitForData OneChain OneEdt FewLarge];
    FewWorkers: "fewer workers than cores had EDTs for nine tenths of the run, and others could have run beside them",
        cores::few_workers,
        text "{Workers} of {cores} {ran} used: the run had no more, and they were in EDTs for {busy} of it. With a worker for \
              each core, the same EDTs take {best} at best.",
        advice "Leave OCR_WORKERS out, or set it to {number}.",
        instead of [NearTheBound];
    OpenClStart: "starting OpenCL and compiling kernels took a tenth of the run", cores::opencl_start,
        text "OpenCL started and kernels were compiled for {waited} ({part} of the run), while {most} waited in calls of the \
              runtime.",
        advice "Where runs are that short, OCR_DEVICES=none saves the start; in longer runs it does not count.",
        instead of [NoWork Starved];
    Sleeps: "EDTs of a template were off their cores for a third of their time, and a tenth of the run", system::sleeps,
        text "EDTs of {template} sleep in the system: of {took} that one runs on average, its worker slept {slept}, and ran \
              nothing else. That was {part} of the run's time on workers.{lock}",
        advice "{advice}",
        instead of [Small Starved NearTheBound NoWork Tail LongLast OneChain OneEdt FewLarge Alone];
    InSystem: "EDTs of a template were in the system for a quarter of their time on cores, and a tenth of the run",
        system::in_system,
        text "EDTs of {template} keep the system busy: of {on_core} that one uses a core on average, it is in the system for \
              {in_system}; {what}.",
        advice "{advice}",
        instead of [NearTheBound OneEdt FewLarge];
    Answers: "EDTs waited for answers of other nodes for a third of their time, and a tenth of the run", nodes::answers,
        text "EDTs of {template} wait for other nodes: of {took} that one runs on average, it waits {waited} for their \
              answers, and its worker runs nothing else. That was {part} of the run's time on workers.",
        advice "Ask other nodes less often: create objects on the node that uses them (OCR_HINT_EDT_AFFINITY), and pass on what \
                is known of them, such as sizes and GUIDs, as parameters.",
        instead of [Small Starved NearTheBound NoWork Tail LongLast OneChain OneEdt FewLarge Alone Dependences
            SlowCreator OneCreator Tiny Polling];
    WaitsInCalls: "EDTs waited in calls of the runtime for a third of the run, and workers were idle for a tenth of it",
        waits::waits_in_calls,
        text "EDTs of {template} wait in calls such as ocrWait: {times} of them for {waited} on average. For {part} of the run \
              workers had nothing else to do.",
        advice "Divide {template} where it waits: create an EDT for the rest of it, which depends on the event.",
        instead of [NoWork Starved Dependences Tail NearTheBound OneChain OneEdt Gate SerialEnd Alone Small FewWorkers];
    SlowCreator: "one EDT creates most of the others, more slowly than they run, and workers have nothing to do meanwhile",
        creation::slow_creator,
        text "The EDT {creator} creates the others slowly: {created} EDTs, most of them of {template}, one every {gap}. \
              Each runs for {runs}, so workers have nothing to do in between.",
        advice "Let several EDTs create them, or move the work between two creations of {creator} into the EDTs.",
        instead of [NoWork Starved Tail Small NearTheBound Dependences Placement OneEdt OneChain FewLarge];
    OneCreator: "EDTs are so small that one EDT needs most of the run to create them", creation::one_creator,
        text "The EDTs are too small: one of {template} runs for {runs} in the median, and {creator} alone creates {created} \
              EDTs, one every {gap}. Creating them took {part} of the run.",
        advice "Give each EDT more work, about 100 us, as tiles of more elements, or let several EDTs create them.",
        instead of [NoWork Starved Tail Small NearTheBound Dependences Placement WaitForData OneEdt OneChain FewLarge
            Tiny];
    Tiny: "EDTs run for less than 5 us in the median, and creating one takes a quarter of that", creation::tiny,
        text "The EDTs are too small: in the median one of the {many} runs for {each}, and creating one takes {gap}.",
        advice "Let an EDT do more itself, about 100 us: divide work only down to pieces of that size.",
        instead of [Small NearTheBound Starved NoWork Dependences Tail WaitForData];
    Polling: "EDTs shorter than 100 us create the next one of their template again and again beside others, for a tenth of \
              the run", creation::polling,
        text "EDTs of {template} create the next one of them again and again, {many} times, {each} each, beside EDTs of \
              {other}: together they took {took} of workers.",
        advice "Where they look whether something has been done yet, let one EDT wait for an event that is satisfied then.",
        instead of [Small OneChain Tiny NoWork];
    ToAndFro: "blocks are copied to a device and back again and again, for a tenth of the run", blocks::to_and_fro,
        text "Data block {block} goes to and fro between the host and {device}: {times} copies of {bytes} together took \
              {took}. {why}.{others}",
        advice "{advice}",
        instead of [Copies WaitForData NeedlessCopies Small Dependences NoWork Share SeenLate Placement Starved Tail
            NearTheBound OneCreator SlowCreator OtherPolicy MissingVariant UnknownTimes WrongModel];
    WorkGroups: "kernels use at most half of their device, by the number or size of their work-groups, and all of it would \
                 save a tenth of the run", kernels::work_groups,
        text "Kernels of {template} leave most of {device} idle: {why}. They take {each} each in the median, and with all of \
              the device the run may be up to {part} shorter.",
        advice "{advice}",
        instead of [SlowKernel Share Placement NearTheBound OtherPolicy MissingVariant Starved Unused];
    SlowKernel: "a kernel takes twice as long as the function, and all cores as workers would be faster than the run",
        cores::slow_kernel,
        text "The kernel of {template} takes {times} times as long on {device} as the function on a worker: {kernel} against \
              {function}{known}. With {cores} workers on all cores, the same EDTs take about {all}.",
        advice "OCR_SCHED=cpu runs the functions alone, and the device takes no core from the workers. Or make the kernel \
                faster.",
        instead of [LongLast Share SeenLate Placement Starved Tail OtherPolicy WrongModel UnknownTimes MissingVariant
            NearTheBound Unused];
    BetweenNodes: "a block that EDTs write goes from node to node, and they wait for blocks for a tenth of the run",
        nodes::between_nodes,
        text "Data block {block} goes from node to node: {times} times, mostly for EDTs of {template}, which waited {waited} \
              for it on average. That was {part} of the run.",
        advice "Run the EDTs that use it on one node (OCR_HINT_EDT_AFFINITY), or give each node a block of its own.",
        instead of [Exclusive BlocksHeld WaitForData Starved Dependences Tail NearTheBound MissingVariant NoWork
            OneChain Small];
    Exclusive: "EDTs wait for one block that others have, for a tenth of the run", blocks::exclusive,
        text "EDTs wait for one data block: {many}, most of them of {template}, wanted {block} in mode {mode}, and waited \
              {waited} on average while others had it. That was {part} of the run.",
        advice "{advice}",
        instead of [BlocksHeld WaitForData Starved Dependences Tail NearTheBound MissingVariant NoWork];
    OneEdt: "one EDT takes most of the run, and longer than all of them divided among the workers", shape::one_edt,
        text "One EDT of {template} takes {took} ({part} of the run), more than all EDTs together if they were divided among \
              the workers ({area}).",
        advice "Divide {template} into EDTs that run beside each other.",
        instead of [Tail Dependences NoWork Starved NearTheBound LongLast SerialEnd];
    OneChain: "EDTs that wait for each other are most of the run, and longer than all of them divided among the workers",
        shape::one_chain,
        text "The run is one chain: {chain} that wait for each other take {took} of {run}, though all EDTs together need {area} \
              where workers share them. {many} of the chain are of {template}, {share} of its time.",
        advice "Let EDTs of {template} wait for no more than they use, divide each into EDTs that run beside each other, or make \
                them faster; more workers do not help.",
        instead of [Tail Dependences NoWork Starved NearTheBound SerialEnd Gate];
    FewLarge: "EDTs are so few and so large that workers are idle for a tenth of the run in any order", shape::few_large,
        text "The EDTs are too few and too large: {many} of {template} take {each} each in the median, which {workers} cannot \
              share evenly. In the best order they take {best}, and divided into small ones {area}.",
        advice "Divide {template} into smaller EDTs: several for each worker.",
        instead of [Dependences Tail NoWork Starved NearTheBound];
    LongLast: "long EDTs were ready, began after short ones, and ran beside idle workers for a tenth of the run",
        ends::long_last,
        text "Long EDTs begin last: one of {template} runs for {took}, where the median is {middle}. It was ready {waited} \
              before it began, and then ran beside idle workers. That was so {times}.",
        advice "Give {template} a higher priority (OCR_HINT_EDT_PRIORITY), or create its EDTs first.",
        instead of [Tail Dependences NoWork Starved];
    Alone: "one EDT runs alone at the end for a tenth of the run", ends::alone,
        text "The EDT {template} runs alone for {took} ({part} of the run): it waits for the others, and all workers wait \
              for it.",
        advice "Divide {template} into EDTs that run beside each other, or let it combine parts as they come, in a tree.",
        instead of [Tail Dependences NoWork Starved OneEdt OneChain];
    SerialEnd: "for the last tenth of the run or more, several EDTs ran one at a time", ends::serial_end,
        text "The run ends serially: for the last {took} ({part} of it) EDTs run one at a time, {edts} of {template} for most of \
              that. The other workers have nothing to do.",
        advice "Divide {template} into EDTs that run beside each other, or begin with them while others still run.",
        instead of [Alone Tail Dependences NoWork Starved NearTheBound];
    Gate: "a quarter of the EDTs wait for what one EDT does that runs alone for a tenth of the run", ends::gate,
        text "The EDT {template} runs alone for {took} ({part} of the run): {many} wait for what it does, and workers have \
              nothing else to run.",
        advice "Satisfy what they wait for as soon as that is known, let them wait for no more than they use, or divide \
                {template}.",
        instead of [Tail Dependences NoWork Starved NearTheBound];
    Share: "a place had more EDTs of a template than its speed allows, and the others were idle meanwhile", places::share,
        text "{Place} {was} too slow for the share: {edts} of {all} EDTs of {template} ran there, {each} each, and on \
              {other} {other_each} each. {at_once}With {part} of them there all would end together.",
        advice "{try}{fixed}",
        instead of [OtherPolicy];
    Small: "a place needed a quarter or more of its time in use to start EDTs, and their median is short", places::small,
        text "The EDTs are too small for {place}: in the median one runs for {median}, and to start it took {start}. That \
              was {part} of the run.",
        advice "Make fewer and {larger}.",
        instead of [];
    Copies: "a device waited for data for a tenth of the run, and copies ran for half of that", places::copies,
        text "Copies dominate on {place}: it waited for data for {part} of the run. Kernels took {kernels}, and copies of \
              {bytes} took {copying}.",
        advice "Do more with each block while it is there: several EDTs on the device in a row, or larger kernels over \
                the same data.",
        instead of [];
    WaitForData: "the workers, or a device without copies, waited for data for a tenth of the run", places::wait_for_data,
        text "{Place} waited for data for {part} of the run: for blocks that {held}.",
        advice "{advice}",
        instead of [];
    NeedlessCopies: "half as much again as needed was copied, and copying took a tenth of the run", places::needless_copies,
        text "{bytes} were copied, and EDTs in the same places need {least} at least: blocks left a device, and came back.",
        advice "Look at evictions with OCR_STATS=1: give the device more memory (OCR_DEVICE_MEMORY), or use fewer blocks \
                at once.",
        instead of [];
    Starved: "a few workers ran EDTs for much less time than the others", graph::starved,
        text "{names} ran EDTs for {less} of the run, and the other workers for {others}.",
        advice "Look for EDTs that others cannot take: a chain of EDTs, or hints for a place; and for workers that share a \
                core (ocr info).",
        instead of [];
    Dependences: "units were idle by dependences for a tenth of the run", graph::dependences,
        text "For {part} of the run, workers or devices were idle because all EDTs that could run there waited for \
              others; {many} EDTs ran at once on average.{chain}{beside}",
        advice "Divide the work into more EDTs that do not wait for each other, as smaller tiles, and give the longest \
                chain a higher priority (OCR_HINT_EDT_PRIORITY).",
        instead of [];
    Tail: "the last EDTs ran beside idle units for a tenth of the run", graph::tail,
        text "Too few EDTs were left at the end: units were done one after the other in the last {tail} ({part} of the \
              run). The longest EDT then, of {template}, took {took} on {place}.",
        advice "Divide the last EDTs into smaller ones.",
        instead of [];
    Placement: "a place idled for a tenth of the run while EDTs that could run there waited elsewhere", places::placement,
        text "{Place} idled for {part} of the run while EDTs that could run there waited elsewhere.",
        advice "{try}",
        instead of [];
    SeenLate: "a place idled for a tenth of the run because the ends of kernels were seen late", places::seen_late,
        text "{Place} idled for {part} of the run because the ends of kernels were seen late. EDTs that waited for a \
              kernel became runnable {late} after its end on average.",
        advice "Make fewer and larger kernels, so that fewer ends are waited for, or leave such EDTs to the workers.",
        instead of [];
    Unused: "a place ran nothing, though EDTs could run there", places::unused,
        text "{Place} ran nothing, though {edts} could run there.",
        advice "{try}",
        instead of [];
    NoWork: "units had no EDT at all for a tenth of the run", graph::no_work,
        text "For {part} of the run, workers or devices had nothing to do: the program had created no other EDT that could \
              run there.{creator}",
        advice "Create EDTs earlier, let several EDTs create them, or divide the work into more of them.",
        instead of [];
    NearTheBound: "no schedule of the same EDTs saves more than a tenth", graph::near_the_bound,
        text "No schedule of the same EDTs in the same places saves more than {part}: {what} takes {bound}.",
        advice "{advice}",
        instead of [];
    MissingVariant: "a template runs in one place only, of which it takes a good part, or of the chain that led to the \
                     end, and another place had nothing to do", decided::missing_variant,
        text "Template {template} runs on {place} only, and takes {share} {what}; {other} was busy for {busy} of the run.",
        advice "With {missing} it could run there, too.",
        instead of [];
    WrongModel: "predictions for a template were off by half, and decisions have cost much for that reason",
        decided::wrong_model,
        text "The model of template {template} on {place} was wrong: predicted {predicted}, measured {measured} in the \
              median of {edts}, an error of {error}.",
        advice "{advice}",
        instead of [];
    UnknownTimes: "decisions have cost much since times were not known", decided::unknown_times,
        text "When {edts} were placed, it was not known how long they take somewhere, and they ended {late} later than \
              they could have, together.",
        advice "{advice}",
        instead of [];
    BlocksHeld: "on the chain that led to the end, EDTs waited long for blocks that others had", decided::blocks_held,
        text "In the chain of {edts} that led to the end, EDTs waited {waited} ({part} of the run) for blocks that others \
              had.",
        advice "What only reads a block should have it in mode RO or CONST; what writes different parts of it can have a \
                block for each.",
        instead of [];
    OtherPolicy: "decisions without an estimate have cost much, and in simulation the default policy is faster",
        decided::other_policy,
        text "The same EDTs take {other} under OCR_SCHED={best} in simulation, and {same} under {policy}.",
        advice "Try OCR_SCHED={best}.",
        instead of [];
}

/// Puts words in the places of their names in braces.
fn fill(text: &str, words: &[(&'static str, String)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}').unwrap_or((after, ""));
        let its = words.iter().find(|(known, _)| *known == name);
        debug_assert!(its.is_some(), "no words for {name} in: {text}");
        filled += before;
        filled += its.map_or("", |(_, words)| words);
        rest = behind;
    }
    filled + rest
}

/// The rules whose evidence is when workers were idle. Where workers lacked cores, that is looked for in the run as it
/// would have been with a core for each worker.
const OF_IDLE_TIME: [RuleId; 12] = [
    RuleId::FewWorkers,
    RuleId::LongLast,
    RuleId::Alone,
    RuleId::SerialEnd,
    RuleId::Gate,
    RuleId::OneEdt,
    RuleId::OneChain,
    RuleId::FewLarge,
    RuleId::Dependences,
    RuleId::Tail,
    RuleId::NoWork,
    RuleId::NearTheBound,
];

/// A rule of a table that has seen something.
struct Said<'a, Id: 'static> {
    rule: &'a Rule<Id>,
    seen: Seen,
    /// Whether it was seen in the run as it would have been with a core for each worker.
    with_cores: bool,
}

/// What the rules find in a run; what saves most comes first.
pub(crate) fn findings(look: &Look<'_>) -> Vec<Finding> {
    let mut said = said_by(RULES, look);
    let with_cores = if cores::lacks_cores(look) { quiet::run(look) } else { None };
    if let Some(ground) = with_cores.as_ref().and_then(Ground::of) {
        let of_idle_time = |said: &Said<'_, RuleId>| OF_IDLE_TIME.contains(&said.rule.id);
        said.retain(|said| !of_idle_time(said));
        let there = said_by(RULES, &Look::at(&ground)).into_iter().filter(of_idle_time);
        said.extend(there.map(|said| Said { with_cores: true, ..said }));
    }
    findings_of(said, look)
}

/// What the rules of a table see in a run.
fn said_by<'a, Id: 'static>(rules: &'a [Rule<Id>], look: &Look<'_>) -> Vec<Said<'a, Id>> {
    let is_worth = |seen: &Seen| seen.saves_ns.is_none_or(|ns| ns as f64 >= LIMITS.worth * look.ns);
    let mut said = Vec::new();
    for rule in rules {
        let seen = (rule.when)(look).into_iter().filter(is_worth);
        said.extend(seen.map(|seen| Said { rule, seen, with_cores: false }));
    }
    said
}

/// What is left of what rules have seen, in the order in which it is said.
fn findings_of<Id: Copy + PartialEq + 'static>(mut said: Vec<Said<'_, Id>>, look: &Look<'_>) -> Vec<Finding<Id>> {
    let silent: Vec<(Id, bool)> =
        said.iter().flat_map(|its| its.rule.instead_of.iter().map(|&id| (id, its.seen.is_of_machine))).collect();
    // What is so with a core for each worker is so whatever the machine did.
    said.retain(|its| !silent.iter().any(|&(id, of_machine)| id == its.rule.id && !(of_machine && its.with_cores)));
    // The sort is stable, so the order of the table counts among equals.
    said.sort_by_key(|its| Reverse(its.seen.behind_ns.or(its.seen.saves_ns)));
    let finding = |Said { rule, seen, with_cores }: Said<'_, Id>| Finding {
        rule: rule.id,
        place: seen.place,
        template: seen.template.map(|number| look.template(number).to_string()),
        saves_ns: seen.saves_ns,
        text: (if with_cores { "With a core for each worker: " } else { "" }).to_string()
            + &fill(rule.text, &seen.words),
        advice: fill(rule.advice, &seen.words).trim().to_string(),
    };
    said.into_iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_where_their_names_do() {
        let words = [("a", "one".to_string()), ("b", "{a}".to_string())];
        assert_eq!(fill("{a} and {b}.", &words), "one and {a}.");
        assert_eq!(fill("none", &[]), "none");
    }

    /// A table with rules that are not in the other: what a rule needs is its entry and its function.
    #[allow(unreachable_pub)]
    mod with_two_more {
        use super::super::*;

        fn stray_sheep(_: &Look<'_>) -> Option<Seen> {
            Some(Seen::saves(1e6).word("many", "7 sheep"))
        }

        fn symptom(_: &Look<'_>) -> Option<Seen> {
            Some(Seen::saves(2e6))
        }

        rules! {
            Symptom: "always", symptom, text "Sheep are seen.", advice "Look away.", instead of [];
            StraySheep: "sheep are on the machine", stray_sheep,
                text "{many} have strayed.", advice "Fetch {many}.", instead of [Symptom];
        }
    }

    #[test]
    fn one_entry_adds_a_rule() {
        use with_two_more::{RULES, RuleId};
        let run = crate::recorded::RecordedRun {
            edts: vec![crate::recorded::RecordedEdt { begin: 0, end: 10_000_000, place: 0, ..Default::default() }],
            ..Default::default()
        };
        let ground = super::super::Ground::of(&run).expect("an EDT ran");
        let look = Look::at(&ground);
        let found = findings_of(said_by(RULES, &look), &look);
        // The symptom is silent beside its cause.
        let [found] = &found[..] else {
            panic!("one finding, and not {found:?}");
        };
        assert_eq!(found.rule, RuleId::StraySheep);
        assert_eq!(found.text, "7 sheep have strayed.");
        assert_eq!(found.advice, "Fetch 7 sheep.");
        assert_eq!(RULES[1].said_if, "sheep are on the machine");
        let json = serde_json::to_value(found).expect("it can be written");
        assert_eq!(json["rule"], "stray_sheep");
        assert_eq!(json["saves_ns"], 1_000_000);
    }

    #[test]
    fn no_rule_silences_itself_or_one_that_silences_it() {
        for rule in RULES {
            assert!(!rule.said_if.is_empty());
            for other in rule.instead_of {
                let its = RULES.iter().find(|its| its.id == *other);
                let its = its.expect("each rule is in the table");
                assert!(!its.instead_of.contains(&rule.id), "{:?} and {other:?}", rule.id);
            }
        }
    }
}
