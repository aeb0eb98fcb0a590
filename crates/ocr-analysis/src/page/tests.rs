use super::*;
use crate::recorded::{
    Edge, NEVER, RecordedDevice, RecordedEdt, RecordedEstimate, RecordedTemplate, RecordedThread, Transfer,
};
use flate2::read::ZlibDecoder;
use ocr_place::policy::{Certainty, Expected, Why};
use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

/// A name that would end a script, and one that was not UTF-8 before it was read.
const NAMES: [&str; 2] = ["</script><script>alert(1)</script>&<!--", "bad\\xff name"];

fn edt(place: u8, lane: u32, begin: u64, end: u64) -> RecordedEdt {
    RecordedEdt {
        guid: 0x2800_0000_0000_0000 + begin,
        template: u32::from(place),
        depc: 2,
        paramc: 1,
        satisfied: 2,
        bytes: 4096,
        created: 0,
        runnable: begin / 2,
        begin,
        end,
        place,
        lane,
        ..RecordedEdt::default()
    }
}

/// Two workers and a device with two queues and copies.
fn run(policy: &str, edts: u64) -> RecordedRun {
    let thread = |name: &str| RecordedThread { name: name.into(), is_worker: true, ..RecordedThread::default() };
    let template = |name: &str| RecordedTemplate { name: name.into(), places: 0b11 };
    let device = RecordedDevice { name: NAMES[1].into(), ..RecordedDevice::default() };
    let each = |n: u64| match n % 4 {
        0 => edt(0, 7, 1000 * n, 1000 * n + 3000),
        1 => edt(0, 8, 1000 * n, 1000 * n + 500),
        2 => edt(1, 2, 1000 * n, 1000 * n + 2000),
        _ => edt(1, 3, 1000 * n, 1000 * n + 1500),
    };
    RecordedRun {
        end: 1000 * edts + 4000,
        status: Some(0),
        about: [("sched", policy), ("workers", "2"), ("program", NAMES[0])]
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .into(),
        templates: NAMES.map(template).into(),
        threads: [(7, thread("ocr-worker-0")), (8, thread("ocr-worker-1"))].into(),
        devices: [(1, device)].into(),
        edts: (0..edts).map(each).collect(),
        edges: (1..edts as u32).map(|to| Edge { from: to - 1, to, at: if to % 2 == 0 { NEVER } else { 10 } }).collect(),
        labels: [(0x2800_0000_0000_0000, NAMES[0].to_string())].into(),
        estimates: (0..2)
            .map(|place| RecordedEstimate {
                edt: 0,
                at: 0,
                place,
                expected: Expected { queue_ns: 100, copy_ns: 50, run_ns: (place == 0).then_some(2500) },
                certainty: Certainty::Measured,
                factor: 1.0,
                why: Why::Planned,
                is_chosen: place == 0,
                is_first: place == 0,
            })
            .collect(),
        copies: (0..10)
            .map(|n| Transfer {
                place: 1,
                to_device: n % 2 == 0,
                block: 0x1800_0000_0000_0000 + n,
                bytes: 1 << 20,
                begin: 1000 * n,
                end: 1000 * n + 700,
            })
            .collect(),
        // The device's memory, by the counter of its bytes.
        counters: [((3, 1), vec![(0, 0), (5000, 1 << 20), (9000, 3 << 20)])].into(),
        identity: format!("ocr-run:{policy}"),
        ..RecordedRun::default()
    }
}

fn page(most: usize) -> String {
    let table = PageTable {
        columns: vec![("policy".into(), Align::Left), ("seconds".into(), Align::Right), ("bound".into(), Align::Right)],
        rows: vec![vec!["eft".into(), "1.234".into(), "90 %".into()], vec!["cpu".into(), "failed (status 3)".into()]],
    };
    let mut runs = ["eft", "cpu"].map(|policy| PageRun::with(policy, &run(policy, 40), most));
    if let [Some(eft), _] = &mut runs {
        eft.own = Some(20e-6);
    }
    Page {
        command: "ocr compare",
        command_line: Some("ocr compare --html".into()),
        title: NAMES[0].into(),
        verdict: "eft is best: it is 2.00 times as fast as cpu.".into(),
        reasons: Reasons { why: vec!["cpu: it was <slow>.".into()], next: vec!["Try & see.".into()] },
        table: Some(table),
        remarks: "One run each.\n".into(),
        runs: runs.into_iter().flatten().collect(),
    }
    .text()
}

/// The JSON in a page.
fn data(page: &str) -> Value {
    let (_, data) = page.split_once("id=\"data\">").expect("there is a script");
    let (data, _) = data.split_once("</script>").expect("it ends");
    serde_json::from_str(data).expect("JSON")
}

/// The numbers of a column.
fn unpacked(column: &Value) -> Vec<u64> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = column.as_str().expect("a text").trim_end_matches('=');
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.bytes() {
        let digit = digits.iter().position(|digit| *digit == letter);
        bits = bits << 6 | digit.expect("base64") as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    let mut plain = Vec::new();
    ZlibDecoder::new(&bytes[..]).read_to_end(&mut plain).expect("zlib");
    let (mut numbers, mut number, mut shift) = (Vec::new(), 0, 0);
    for byte in plain {
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            numbers.push(number);
            (number, shift) = (0, 0);
        }
    }
    numbers
}

#[test]
fn a_page_has_what_it_was_given() {
    let page = page(1000);
    for text in [
        "eft is best: it is 2.00 times as fast as cpu.",
        "cpu: it was &lt;slow&gt;.",
        "Try &amp; see.",
        "<td class=\"number\">1.234</td>",
        "<td colspan=\"2\">failed (status 3)</td>",
        "One run each.",
        "The seconds that the program printed are 20.0 us of it, and leave 20.5 us out.",
        "10.0 MiB",
        "ocr compare, version",
        "bad\\xff name",
    ] {
        assert!(page.contains(text), "no `{text}` in the page");
    }
    assert!(!page.contains("{{"), "a part was left out");
    let data = data(&page);
    let run = &data["runs"][0];
    assert_eq!(data["runs"].as_array().map(Vec::len), Some(2));
    assert_eq!(run["policy"], "eft");
    assert_eq!(run["templates"][0], NAMES[0]);
    assert_eq!(run["lanes"][0]["name"], "ocr-worker-0");
    assert_eq!(run["bars"]["counts"], json!([10, 10, 10, 10, 0, 0]));
    assert_eq!(run["copies"]["counts"], json!([0, 0, 0, 0, 5, 5]));
    // The first lane has an EDT of 3000 ns every 4000 ns: signed differences from the end of the one before.
    let begin = unpacked(&run["bars"]["begin"]);
    assert_eq!(begin[..3], [0, 2000, 2000]);
    assert_eq!(unpacked(&run["bars"]["length"])[..11].to_vec(), [[3000; 10].as_slice(), &[500]].concat());
    // The second lane's first EDT, number 1, waited for number 0, which is the first of all.
    let details = &run["details"];
    let latest = unpacked(&details["last"]);
    assert_eq!(latest.len(), 40);
    assert_eq!(details["labels"]["0"], NAMES[0]);
    // Names of runs are on pages of one run alone, which a run can have written.
    assert!(page.contains("<meta name=\"run\" content=\"\">"));
    let curves = run["curves"].as_array().expect("a list");
    let names: Vec<_> = curves.iter().map(|its| (&its["name"], &its["peak"])).collect();
    assert_eq!(
        names,
        [
            (&json!("ready EDTs"), &json!(20)),
            (&json!("idle workers"), &json!(2)),
            (&json!("bytes on the device"), &json!(3 << 20)),
        ]
    );
    // Of the workers, one has an EDT at the begin, then both, then the first.
    assert_eq!(unpacked(&curves[1]["at"])[..4], [0, 1000, 500, 1500]);
    assert_eq!(curves[2]["count"], 3);
}

#[test]
fn a_page_of_one_run_says_whose_it_is_at_its_begin() {
    let mut run = run("eft", 8);
    run.identity = "ocr-run:1-2-3-4-5".into();
    let page = of_run(&run).expect("EDTs have ended").text();
    let at = page.find("ocr-run:1-2-3-4-5").expect("it is there");
    assert!(at < 1000, "it is at {at}");
    run.edts.clear();
    let why = of_run(&run).err().expect("there is nothing");
    assert!(why.contains("no EDT has ended"), "{why}");
}

#[test]
fn a_worker_that_was_stopped_is_not_idle() {
    let run = RecordedRun {
        end: 100,
        edts: [(10, 30), (20, 25), (40, NEVER)].map(|(begin, end)| edt(0, 7, begin, end)).into(),
        ..RecordedRun::default()
    };
    // The second EDT ran while the first one waited in a call; the last one goes on.
    let workers: [curves::WorkerLane<'_>; 3] = [(&[0, 1], 35), (&[2], NEVER), (&[], 5)];
    let wanted = [(0, 3), (5, 2), (10, 1), (30, 2), (35, 1), (40, 0), (100, 1), (NEVER, 0)];
    assert_eq!(curves::idle(&run, &workers), wanted);
}

#[test]
fn copies_of_no_bytes_have_no_lanes() {
    let mut run = run("eft", 8);
    let count = |run: &RecordedRun| {
        let drawn = PageRun::with("eft", run, 1000).expect("it is there").drawn;
        let lanes = drawn["lanes"].as_array().expect("a list");
        let copies = lanes.iter().filter(|lane| lane["kind"] != "edts").count();
        (copies, unpacked(&drawn["copies"]["bytes"]).len())
    };
    assert_eq!(count(&run), (2, 10));
    for copy in run.copies.iter_mut().filter(|copy| copy.to_device) {
        copy.bytes = 0;
    }
    assert_eq!(count(&run), (1, 5));
    run.copies.iter_mut().for_each(|copy| copy.bytes = 0);
    assert_eq!(count(&run), (0, 0));
}

#[test]
fn devices_have_short_names_and_the_whole_ones_once() {
    let whole = "pthread-skylake-avx512-Intel(R) Xeon(R) Processor";
    let mut run = run("eft", 8);
    if let Some(device) = run.devices.get_mut(&1) {
        device.name = whole.into();
    }
    run.name_devices();
    let mut page = of_run(&run).expect("EDTs have ended");
    page.verdict = format!("{whole} was busy.");
    let text = page.text();
    assert!(text.contains("Intel Xeon was busy."), "{text}");
    // In the list about the machine, and where the pointer is on the short name in a table.
    let left = text.replace(&format!("title=\"{whole}\""), "");
    assert_eq!(left.matches(whole).count(), 1);
    assert_eq!(data(&text)["runs"][0]["places"][1]["name"], "Intel Xeon");
}

#[test]
fn templates_have_histograms() {
    let page = page(1000);
    // Each of two templates in its place, in two runs.
    assert_eq!(page.matches("<svg class=\"spread\"").count(), 4);
    assert!(page.contains("Histogram: 0.50 us to 3.00 us, median 3.00 us"));
    assert_eq!(page.matches("<title>10 EDTs, ").count(), 8);
}

/// Runs a script after those of the page that need no browser. None where there is no Node.
fn in_node(script: &str) -> Option<String> {
    let before = "const document = { getElementById: () => ({ textContent: '{}' }) };\n";
    let page =
        concat!(include_str!("time.js"), include_str!("data.js"), include_str!("levels.js"), include_str!("find.js"));
    let ran =
        Command::new("node").args(["--input-type=module", "--eval"]).arg(format!("{before}{page}{script}")).output();
    let ran = match ran {
        Ok(ran) => ran,
        Err(error) => {
            eprintln!("skipped: node cannot be started: {error}");
            return None;
        }
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(String::from_utf8_lossy(&ran.stdout).trim().to_string())
}

#[test]
fn the_scripts_find_by_guid_label_and_template() {
    let script = "
        const low = Float64Array.from([5, 0xf0000001, 7, 5]);
        const details = { guidHigh: Float64Array.from([1, 0x28000000, 1, 2]), guidLow: low, labels: { 2: 'The Last' },
            copyHigh: Float64Array.from([1]), copyLow: Float64Array.from([5]) };
        const run = { begin: Float64Array.from([30, 10, 20, 0]), template: [0, 1, 1, 0], templates: ['tileEdt', 'main'],
            copies: { begin: Float64Array.from([3]) } };
        const all = ['0x28000000F0000001', '28000000f0000001', '0x100000005', 'TILE', 'last', '0x9', 'none'];
        console.log(JSON.stringify(all.map((text) => foundIn(run, details, text))));
        console.log(JSON.stringify([foundIn(run, null, 'main'), foundIn(run, null, '0x5'), guidOf('0x'), guidOf('beef')]));";
    let Some(said) = in_node(script) else { return };
    let lines: Vec<Value> = (said.lines()).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let found = |edts: &[u32], copies: &[u32]| json!({ "edts": edts, "copies": copies });
    assert_eq!(
        lines[0],
        json!([
            found(&[1], &[]),
            found(&[1], &[]),
            found(&[0], &[0]),
            found(&[3, 0], &[]),
            found(&[2], &[]),
            found(&[], &[]),
            found(&[], &[]),
        ])
    );
    let none = Value::Null;
    assert_eq!(lines[1], json!([found(&[1, 2], &[]), found(&[], &[]), none, none]));
}

#[test]
fn the_scripts_say_what_ran_in_a_range() {
    let script = "
        const times = (all) => Float64Array.from(all);
        const of = (begin, end, key) => new Levels(times(begin), times(end), Uint16Array.from(key), null);
        const run = { template: [0, 1, 0], templates: ['a', 'b'], many: null, copies: { bytes: [10, 20] } };
        run.lanes = [
            // The second EDT ran while the first one waited in a call.
            { place: 0, first: 0, isCopies: false, levels: of([0, 20], [100, 30], [0, 1]) },
            { place: 1, first: 2, isCopies: false, levels: of([60], [80], [0]) },
            { place: 1, first: 0, isCopies: true, levels: of([0, 40], [10, 90], [0, 0]) },
        ];
        console.log(JSON.stringify([ranIn(run, 25, 70), ranIn(run, 200, 300)]));";
    let Some(said) = in_node(script) else { return };
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(
        said[0],
        json!({
            "rows": [
                { "place": 0, "template": 0, "edts": 1, "ns": 45, "longest": 100 },
                { "place": 1, "template": 0, "edts": 1, "ns": 10, "longest": 20 },
                { "place": 0, "template": 1, "edts": 1, "ns": 5, "longest": 10 },
            ],
            "places": [{ "place": 0, "lanes": 1, "ns": 45 }, { "place": 1, "lanes": 1, "ns": 10 }],
            "copies": { "count": 1, "bytes": 0 },
        })
    );
    assert_eq!((&said[1]["rows"], &said[1]["copies"]["count"]), (&json!([]), &json!(0)));
}

#[test]
fn names_cannot_end_a_script() {
    let page = page(1000);
    assert!(!page.contains("alert(1)</script>"), "a name is not escaped");
    assert!(page.contains("\\u003c/script>\\u003cscript>alert(1)"));
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(page.matches("<!--").count(), 0);
}

#[test]
fn a_page_loads_nothing() {
    let page = page(1000);
    for word in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(word), "the page has {word}");
    }
}

#[test]
fn too_many_edts_are_merged_and_that_is_told() {
    let page = page(10);
    assert!(page.contains("40 EDTs are more than a page takes, so up to 4 neighbours are drawn as one bar"));
    let run = &data(&page)["runs"][0];
    assert_eq!((&run["each"], &run["details"]), (&json!(4), &Value::Null));
    let edts = unpacked(&run["bars"]["edts"]);
    assert_eq!(edts.iter().sum::<u64>(), 40);
    // What is busy and what is idle in a bar is all of it.
    let [idle, length] = ["idle", "length"].map(|name| unpacked(&run["bars"][name]));
    assert!(idle.iter().zip(&length).all(|(idle, length)| idle <= length));
    let busy: u64 = length.iter().sum::<u64>() - idle.iter().sum::<u64>();
    assert_eq!(busy, 10 * (3000 + 500 + 2000 + 1500));
}

#[test]
fn dates_are_those_of_the_calendar() {
    for (seconds, text) in [
        (0, "1970-01-01 00:00 UTC"),
        (951_782_399, "2000-02-28 23:59 UTC"),
        (951_782_400, "2000-02-29 00:00 UTC"),
        (1_709_251_199, "2024-02-29 23:59 UTC"),
        (1_709_251_200, "2024-03-01 00:00 UTC"),
        (4_107_542_400, "2100-03-01 00:00 UTC"),
        (1_798_761_599, "2026-12-31 23:59 UTC"),
    ] {
        assert_eq!(utc(seconds), text);
    }
}

/// A browser, if there is one.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let runs = |name: &&str| {
        let mut version = Command::new(name);
        let version = version.arg("--version").stdout(Stdio::null());
        version.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    names.into_iter().find(runs)
}

/// What a page is when its scripts have run, and what the browser says meanwhile.
fn browsed(browser: &str, name: &str, text: &str, fragment: &str) -> (String, String) {
    let file = std::env::temp_dir().join(format!("ocr-html-test-{}-{name}.html", std::process::id()));
    let profile = file.with_extension("profile");
    fs::write(&file, text).expect("temporary files can be written");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=20000"])
        .arg("--window-size=1280,900")
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}{fragment}", file.display()))
        .output()
        .expect("it starts");
    let _ = fs::remove_file(&file);
    let _ = fs::remove_dir_all(&profile);
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// What the page says of the EDT that is chosen, or why it cannot draw.
fn chosen(dom: &str) -> &str {
    let (_, rest) = dom.split_once("<aside id=\"detail\"").expect("the part is there");
    let (part, _) = rest.split_once("</aside>").expect("it ends");
    part
}

#[test]
fn a_browser_shows_the_page_without_errors() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no Chromium");
        return;
    };
    for (name, most, fragment, wanted) in [
        ("plain", 1000, "", "Choose an EDT in the chart"),
        ("edt", 1000, "#run=1&edt=0&theme=dark", "What it waited for last"),
        ("expected", 1000, "#run=1&edt=0", "expected to run for 2.5 µs, and ran for 3 µs"),
        (
            "policy",
            1000,
            "#run=0&edt=0",
            "2 places could run it. The policy eft lets an EDT wait for the place where it is expected to end first.",
        ),
        ("late", 1000, "#run=1&edt=1", "for its end; the end was seen, and this EDT was runnable, then"),
        ("chain", 1000, "#run=0&edt=39&chain=1&from=5000&to=9000", "Mark all that led to it"),
        ("merged", 10, "#run=0&edt=0", "Most of the time went into"),
        ("guid", 1000, "#find=0x28000000000007d0", "0x28000000000007d0"),
        ("block", 1000, "#find=0x1800000000000003", "Copy from the device"),
        ("range", 1000, "#range=2000:12000", "10 µs were measured"),
        ("ran", 1000, "#range=0:40000", "In EDTs on the workers: 35 µs, 44 %."),
    ] {
        let (dom, said) = browsed(browser, name, &page(most), fragment);
        assert!(!said.contains(":CONSOLE"), "{name}: {said}");
        let part = chosen(&dom);
        assert!(part.contains(wanted), "{name}: no `{wanted}` in {part}; {said}");
        for text in ["data-ready=\"yes\"", "aria-pressed=\"false\"", "<i class=\"swatch dependences\">"] {
            assert!(dom.contains(text), "{name}: no `{text}` in the page; {said}");
        }
    }
    // An error is noticed.
    let broken = page(1000).replace("\"runs\":", "\"run\":");
    let (dom, said) = browsed(browser, "broken", &broken, "");
    assert!(said.contains(":CONSOLE") && chosen(&dom).contains("The chart cannot be drawn"), "{said}");
}

/// A script that writes into the page which of its parts are wider than their room, once the chart is drawn.
const LOOK: &str = "<script type=\"module\">
const look = setInterval(() => {
  if (!document.documentElement.dataset.ready) return;
  clearInterval(look);
  const isShown = (one) => one.tagName !== 'CAPTION' && one.clientWidth > 0;
  const parts = [...document.querySelectorAll('body *')].filter(isShown);
  const cut = parts.filter((one) => one.scrollWidth > one.clientWidth + 1);
  const text = cut.map((one) => `${one.tagName} ${one.id} ${one.className}: ${one.scrollWidth} in ${one.clientWidth}`);
  document.body.append(`cut: ${text.join('; ') || 'nothing'}.`);
}, 50);
</script></body>";

#[test]
fn nothing_is_cut_off_in_a_window_of_1280_pixels() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no Chromium");
        return;
    };
    let long = "compute_tile_of_the_upper_triangular_matrix_with_pivoting_edt";
    let device = "pthread-skylake-avx512-Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz";
    let runs = ["static:10:1", "heteroprio"].map(|policy| {
        let mut run = run(policy, 400);
        run.templates[1].name = long.into();
        run.labels.insert(run.edts[0].guid, long.repeat(3));
        if let Some(device_of_run) = run.devices.get_mut(&1) {
            device_of_run.name = device.into();
        }
        run
    });
    let titles = [
        "policy",
        "seconds",
        "spread",
        "speed-up",
        "bound",
        "EDTs on workers",
        "kernels on",
        "to",
        "from",
        "gcups",
        "x",
    ];
    let table = PageTable {
        columns: titles.map(|title| (title.to_string(), Align::Right)).into(),
        rows: vec![titles.map(|_| "1234.567 MiB".to_string()).into()],
    };
    let page = Page {
        command: "ocr compare",
        command_line: Some("ocr compare --html x.html -- ".to_string() + &"word ".repeat(90)),
        title: "build/examples/levenshtein".into(),
        verdict: format!("On {device} it took longer."),
        reasons: Reasons::default(),
        table: Some(table),
        remarks: String::new(),
        runs: (runs.iter()).filter_map(|run| PageRun::with(&run.about["sched"], run, 1000)).collect(),
    };
    let text = page.text().replace("</body>", LOOK);
    for fragment in ["#run=0&edt=0", "#range=0:40000", "#run=1&edt=150"] {
        let (dom, said) = browsed(browser, "cut", &text, fragment);
        let cut = dom.rsplit_once("cut: ").map_or("no answer", |(_, cut)| cut);
        assert!(cut.starts_with("nothing."), "{fragment}: {cut}; {said}");
    }
}
