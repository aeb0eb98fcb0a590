use super::*;
use crate::recorded::{Edge, Idle, RecordedDevice, RecordedEdt, RecordedTemplate, RecordedThread, Transfer};
use std::collections::HashMap;

fn edt(place: u8, lane: u32, begin: u64, end: u64) -> RecordedEdt {
    RecordedEdt {
        guid: begin.wrapping_add(1),
        template: u32::from(place != 0),
        bytes: 64,
        created: 0,
        runnable: begin,
        begin,
        end,
        place,
        lane,
        ..RecordedEdt::default()
    }
}

/// Two threads, a device with two queues and copies; one EDT goes on, and one kernel seems to begin before the one
/// before it has ended.
fn run() -> RecordedRun {
    let template = |name: &str| RecordedTemplate { name: name.into(), places: 1 };
    let thread = |name: &str| RecordedThread { name: name.into(), is_worker: true, ..RecordedThread::default() };
    let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];
    RecordedRun {
        end: 1000,
        process: 77,
        about: [("program".to_string(), "a \"b\"".to_string())].into(),
        templates: vec![template("host"), template("kernel é")],
        edts: vec![
            edt(0, 5, 10, 20),
            edt(0, 6, 25, 300),
            edt(1, 2, 30, 50),
            edt(1, 2, 48, 60),
            edt(0, 5, 400, NEVER),
            edt(1, 3, NEVER, NEVER),
        ],
        edges: edges.map(|(from, to)| Edge { from, to, at: NEVER }).to_vec(),
        // The last one has run nothing.
        threads: [(5, "worker-0"), (6, "worker-1"), (7, "worker-2")].map(|(owner, name)| (owner, thread(name))).into(),
        devices: [(1, RecordedDevice { name: "gpu".into(), ..RecordedDevice::default() })].into(),
        copies: vec![Transfer { place: 1, to_device: true, block: 9, bytes: 4096, begin: 26, end: 29 }],
        labels: [(11, "first é".to_string())].into(),
        counters: [((1, 0), vec![(10, 3), (20, 300)])].into(),
        // One worker becomes idle when the other has an EDT again.
        idle: [(5, 0, 10), (6, 2, 25), (5, 25, 400)].map(|(thread, begin, end)| Idle { thread, begin, end }).to_vec(),
        ..RecordedRun::default()
    }
}

/// A field of a message, as it is in a file.
#[derive(Clone, Debug)]
enum Field {
    Number(u64),
    Bytes(Vec<u8>),
}

impl Field {
    fn number(&self) -> u64 {
        match self {
            Field::Number(number) => *number,
            Field::Bytes(_) => panic!("it is no number: {self:?}"),
        }
    }

    fn message(&self) -> HashMap<u32, Vec<Field>> {
        match self {
            Field::Number(_) => panic!("it is no message: {self:?}"),
            Field::Bytes(bytes) => decode(bytes),
        }
    }

    fn text(&self) -> String {
        match self {
            Field::Number(_) => panic!("it is no text: {self:?}"),
            Field::Bytes(bytes) => String::from_utf8(bytes.clone()).expect("UTF-8"),
        }
    }
}

/// Reads a message by the rules of the form alone.
fn decode(mut bytes: &[u8]) -> HashMap<u32, Vec<Field>> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for at in 0.. {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let mut fields: HashMap<u32, Vec<Field>> = HashMap::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            1 => {
                let (word, rest) = bytes.split_at(8);
                bytes = rest;
                Field::Number(u64::from_le_bytes(word.try_into().expect("8")))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (inner, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(inner.to_vec())
            }
            other => panic!("wire type {other}"),
        };
        fields.entry((key >> 3) as u32).or_default().push(field);
    }
    fields
}

fn exported(form: ViewerForm, arrows: usize) -> (Vec<u8>, Exported) {
    let mut bytes = Vec::new();
    let exported = export(&run(), form, arrows, &mut bytes).expect("memory takes it");
    (bytes, exported)
}

#[test]
fn packets_have_tracks_slices_and_arrows() {
    let (bytes, exported) = exported(ViewerForm::Perfetto, ARROWS);
    assert_eq!(exported, Exported { slices: 6, arrows: 5, left_out: 0 });
    let mut tracks: HashMap<u64, (String, Option<u64>)> = HashMap::new();
    let mut names: HashMap<u64, String> = HashMap::new();
    let mut slices: HashMap<u64, Vec<(u64, u64, String)>> = HashMap::new();
    let mut open: HashMap<u64, (u64, String)> = HashMap::new();
    let mut arrows: HashMap<u64, [u32; 2]> = HashMap::new();
    let mut labels = Vec::new();
    let mut counted: HashMap<String, Vec<(u64, u64)>> = HashMap::new();
    for (at, packet) in decode(&bytes)[&1].iter().enumerate() {
        let packet = packet.message();
        assert_eq!(packet[&10][0].number(), 1);
        assert_eq!(packet[&13][0].number(), if at == 0 { 1 } else { 2 });
        if let Some(descriptor) = packet.get(&60) {
            let descriptor = descriptor[0].message();
            let name = descriptor.get(&2).map_or(String::new(), |name| name[0].text());
            let parent = descriptor.get(&5).map(|parent| parent[0].number());
            assert!(parent.is_none_or(|parent| tracks.contains_key(&parent)));
            tracks.insert(descriptor[&1][0].number(), (name, parent));
            continue;
        }
        for interned in packet.get(&12).into_iter().flatten() {
            for name in interned.message().get(&2).into_iter().flatten() {
                let name = name.message();
                names.insert(name[&1][0].number(), name[&2][0].text());
            }
        }
        let (time, event) = (packet[&8][0].number(), packet[&11][0].message());
        let track = event[&11][0].number();
        assert!(tracks.contains_key(&track));
        match event[&9][0].number() {
            1 => {
                let name = names[&event[&10][0].number()].clone();
                assert!(open.insert(track, (time, name)).is_none(), "slices overlap");
                for annotation in event.get(&4).into_iter().flatten() {
                    let text = annotation.message().get(&6).map(|text| text[0].text());
                    labels.extend(text.map(|text| (time, text)));
                }
                for (field, end) in [(47, 0), (48, 1)] {
                    for id in event.get(&field).into_iter().flatten() {
                        arrows.entry(id.number()).or_default()[end] += 1;
                    }
                }
            }
            2 => {
                let (begin, name) = open.remove(&track).expect("it has begun");
                assert!(begin <= time);
                slices.entry(track).or_default().push((begin, time, name));
            }
            4 => {
                let (name, _) = &tracks[&track];
                let values: &mut Vec<_> = counted.entry(name.clone()).or_default();
                values.push((time, event[&30][0].number()));
            }
            other => panic!("an event of type {other}"),
        }
    }
    assert!(open.is_empty());
    assert_eq!(labels, [(10, "first é".to_string())]);
    assert_eq!(counted["ready EDTs"], [(10, 3), (20, 300)]);
    let idle = [(0, 1), (2, 2), (10, 1), (25, 1), (400, 0)];
    assert_eq!(counted["idle workers"], idle);
    assert!(arrows.len() == 5 && arrows.values().all(|ends| *ends == [1, 1]), "{arrows:?}");
    let of = |name: &str| {
        let (track, _) = tracks.iter().find(|(_, (track, _))| track == name).expect("a track");
        slices[track].clone()
    };
    let slice = |begin, end, name: &str| (begin, end, name.to_string());
    assert_eq!(of("worker-0"), [slice(10, 20, "host"), slice(400, 1000, "host")]);
    assert_eq!(of("worker-1"), [slice(25, 300, "host")]);
    assert_eq!(of("kernels, queue 2"), [slice(30, 50, "kernel é"), slice(50, 60, "kernel é")]);
    assert_eq!(of("copies in"), [slice(26, 29, "copy in")]);
}

#[test]
fn arrows_beyond_the_most_are_left_out_the_last_to_each_edt_last() {
    let (_, told) = exported(ViewerForm::Perfetto, 4);
    assert_eq!((told.arrows, told.left_out), (4, 1));
    let run = run();
    let (picture, _) = Picture::new(&run, 4);
    let mut ids: Vec<u64> = picture.arrows.to.values().flatten().copied().collect();
    ids.sort_unstable();
    // Two arrows lead to EDT 3, and the first of them is left out.
    assert_eq!(ids, [1, 2, 4, 5]);
}

#[test]
fn files_for_viewers_are_known_by_their_names() {
    let form = |name: &str| ViewerForm::of(Path::new(name));
    assert_eq!(form("a/b.pftrace"), Some(ViewerForm::Perfetto));
    assert_eq!(form("b.json"), Some(ViewerForm::Json));
    assert_eq!(form("b.html"), Some(ViewerForm::Html));
    assert_eq!(form("b.dot"), Some(ViewerForm::Dot));
    assert_eq!(form("b.graphml"), Some(ViewerForm::GraphMl));
    assert_eq!((form("b.trace"), form("json"), form(".json")), (None, None, None));
    for viewed in ["a/b.pftrace", "b.json", "b.html"] {
        let recording = recording_of(Path::new(viewed));
        assert_eq!(file_for(&recording, None), Path::new(viewed));
        assert_eq!(file_for(&recording, form(viewed)), Path::new(viewed));
    }
    // Another form than that of the name.
    assert_eq!(file_for(Path::new("b.json.recording"), Some(ViewerForm::Dot)), Path::new("b.json.recording.dot"));
    assert_eq!(file_for(Path::new("b.trace"), Some(ViewerForm::GraphMl)), Path::new("b.trace.graphml"));
    for (recording, viewed) in [("a/b.trace", "a/b.trace.pftrace"), ("b.recording", "b.recording.pftrace")] {
        assert_eq!(file_for(Path::new(recording), None), Path::new(viewed));
    }
}

#[test]
fn json_is_whole_and_says_the_same() {
    let (bytes, _) = exported(ViewerForm::Json, ARROWS);
    let all: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    let events = all["traceEvents"].as_array().expect("a list");
    let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!(["X", "s", "f", "C"].map(of), [6, 5, 5, 7]);
    let program = events.iter().find(|event| event["name"] == "process_name");
    assert_eq!(program.expect("a name")["args"]["name"], "a \"b\"");
    let labelled = events.iter().find(|event| event["ts"] == 0.01);
    assert_eq!(labelled.expect("an EDT")["details"]["label"], "first é");
    assert_eq!(labelled.expect("an EDT")["details"]["guid"], "0xb");
    // Speedscope takes slices for those of one function by their names and `args`, and a file whose events have times.
    let mut slices = events.iter().filter(|event| event["ph"] == "X");
    assert!(slices.all(|slice| slice.get("args").is_none()));
    assert!(events.iter().all(|event| event["ts"].is_number()));
    let names = events.iter().filter(|event| event["name"] == "thread_name");
    let names: Vec<&str> = names.filter_map(|event| event["args"]["name"].as_str()).collect();
    assert_eq!(names, ["worker-0", "worker-1", "worker-2", "gpu: kernels, queue 2", "gpu: copies in"]);
}

/// The text of a run as a graph.
fn graph_of(run: &RecordedRun, form: ViewerForm) -> (String, Exported) {
    let mut bytes = Vec::new();
    let exported = export(run, form, 0, &mut bytes).expect("memory takes it");
    (String::from_utf8(bytes).expect("UTF-8"), exported)
}

/// The run with a second dependence between two EDTs, a creation, and names with letters that mean something.
fn named() -> RecordedRun {
    let mut run = run();
    run.identity = "ocr-run:1-2-3-4-5".into();
    run.edges.push(run.edges[0]);
    run.edts[1].parent = 0;
    run.templates[0].name = "a<b & \"c\\\u{1b}".into();
    run.labels.insert(11, "]]> --> \"; }\nsecond".into());
    run
}

#[test]
fn a_graph_has_each_edt_and_each_edge_once() {
    let (dot, exported) = graph_of(&named(), ViewerForm::Dot);
    let all = Exported { slices: 6, arrows: 6, left_out: 0 };
    assert_eq!(exported, all);
    let lines: Vec<&str> = dot.lines().collect();
    assert_eq!(lines[0], "// ocr-run:1-2-3-4-5");
    assert_eq!(dot.matches(" -> ").count(), 6);
    assert!(dot.contains("  e0 -> e1;\n  e0 -> e1 [style=dashed];\n  e0 -> e2;\n"), "{dot}");
    let first = r#"  e0 [label="a<b & \"c\\\\x1b\n0xb\n]]> --> \"; }\nsecond\nworker-0: 0.01 us"];"#;
    assert!(lines.contains(&first), "{dot}");
    assert!(dot.contains("worker-0: has not ended") && dot.contains("has not begun"));
    let (xml, exported) = graph_of(&named(), ViewerForm::GraphMl);
    assert_eq!(exported, all);
    assert!(xml.lines().nth(1).is_some_and(|line| line == "<!-- ocr-run:1-2-3-4-5 -->"));
    assert_eq!((xml.matches("<node ").count(), xml.matches("<edge ").count()), (6, 6));
    let first = "    <node id=\"e0\"><data key=\"t\">a&lt;b &amp; &quot;c\\\\x1b</data><data key=\"g\">0xb</data>\
                 <data key=\"l\">]]&gt; --&gt; &quot;; }\nsecond</data><data key=\"p\">worker-0</data>\
                 <data key=\"c\">0</data><data key=\"r\">10</data><data key=\"b\">10</data><data key=\"e\">20</data></node>";
    assert!(xml.contains(first), "{xml}");
    // What is not known is left out.
    assert!(xml.contains("<data key=\"b\">400</data></node>"), "{xml}");
    let created = "<edge source=\"e0\" target=\"e1\"><data key=\"k\">creation</data></edge>";
    assert_eq!(xml.matches(created).count(), 1);
}

#[test]
fn others_read_the_graphs() {
    let (xml, _) = graph_of(&named(), ViewerForm::GraphMl);
    let script = "import sys, xml.etree.ElementTree as tree\n\
        root = tree.fromstring(sys.argv[1])\n\
        keys = {key.get('id') for key in root if key.tag.endswith('key')}\n\
        assert all(data.get('key') in keys for data in root.iter() if data.tag.endswith('data'))\n\
        print(len([one for one in root.iter() if one.tag.endswith('}node')]))";
    let (dot, _) = graph_of(&named(), ViewerForm::Dot);
    for (program, args, wanted) in [
        ("python3", ["-c", script, &xml], "6"),
        ("sh", ["-c", "command -v dot >/dev/null || exit 77; printf %s \"$0\" | dot -Tplain", &dot], "graph"),
    ] {
        match std::process::Command::new(program).args(args).output() {
            Ok(ran) if ran.status.code() == Some(77) => eprintln!("skipped: there is no Graphviz"),
            Ok(ran) => {
                assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
                assert!(String::from_utf8_lossy(&ran.stdout).starts_with(wanted));
            }
            Err(error) => eprintln!("skipped: {program} cannot be started: {error}"),
        }
    }
}

proptest::proptest! {
    /// Checked in the arithmetic of the viewers that read the file, of which some count from the first event.
    #[test]
    fn slices_of_json_do_not_overlap(
        first in 0_u64..1 << 40,
        more in 0_u64..1 << 40,
        length in 0_u64..1 << 40,
        bits in 0_u32..40,
    ) {
        let begin = first + more;
        let end = begin + (length >> bits);
        let [first, ts, next] = [first, begin, end].map(|ns| ns as f64 / 1e3);
        let dur = json::length(begin, end);
        proptest::prop_assert!(dur >= 0.0 && ts + dur <= next);
        proptest::prop_assert!((ts - first) + dur <= next - first);
        proptest::prop_assert!((end - begin) as f64 - dur * 1e3 <= 0.51);
    }
}
