use super::*;
use crate::table::{Align, Table};
use flate2::read::ZlibDecoder;
use ocr_analysis::recorded::{
    Edge, NEVER, RecordedDevice, RecordedEdt, RecordedEstimate, RecordedTemplate, RecordedThread,
    Transfer,
};
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
    let thread = |name: &str| RecordedThread {
        name: name.into(),
        is_worker: true,
        ..RecordedThread::default()
    };
    let template = |name: &str| RecordedTemplate {
        name: name.into(),
        places: 0b11,
    };
    let device = RecordedDevice {
        name: NAMES[1].into(),
        ..RecordedDevice::default()
    };
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
        edges: (1..edts as u32)
            .map(|to| Edge {
                from: to - 1,
                to,
                at: if to % 2 == 0 { NEVER } else { 10 },
            })
            .collect(),
        labels: [(0x2800_0000_0000_0000, NAMES[0].to_string())].into(),
        estimates: (0..2)
            .map(|place| RecordedEstimate {
                edt: 0,
                at: 0,
                place,
                expected: Expected {
                    queue_ns: 100,
                    copy_ns: 50,
                    run_ns: (place == 0).then_some(2500),
                },
                certainty: Certainty::Measured,
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
        ..RecordedRun::default()
    }
}

fn page(most: usize) -> String {
    let mut table = Table::new(vec![
        ("policy".into(), Align::Left),
        ("seconds".into(), Align::Right),
        ("bound".into(), Align::Right),
    ]);
    table.row(vec!["eft".into(), "1.234".into(), "90 %".into()]);
    table.row(vec!["cpu".into(), "failed (status 3)".into()]);
    let mut runs = ["eft", "cpu"].map(|policy| PageRun::with(policy, &run(policy, 40), most));
    if let [Some(eft), _] = &mut runs {
        eft.own = Some(20e-6);
    }
    Page {
        command: "ocr compare",
        title: NAMES[0].into(),
        verdict: "eft is best: it is 2.00 times as fast as cpu.".into(),
        reasons: Reasons {
            why: vec!["cpu: it was <slow>.".into()],
            next: vec!["Try & see.".into()],
        },
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
    ZlibDecoder::new(&bytes[..])
        .read_to_end(&mut plain)
        .expect("zlib");
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
    assert_eq!(
        unpacked(&run["bars"]["length"])[..11].to_vec(),
        [[3000; 10].as_slice(), &[500]].concat()
    );
    // The second lane's first EDT, number 1, waited for number 0, which is the first of all.
    let details = &run["details"];
    let latest = unpacked(&details["last"]);
    assert_eq!(latest.len(), 40);
    assert_eq!(details["labels"]["0"], NAMES[0]);
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
    assert!(page.contains(
        "40 EDTs are more than a page takes, so up to 4 neighbours are drawn as one bar"
    ));
    let run = &data(&page)["runs"][0];
    assert_eq!((&run["each"], &run["details"]), (&json!(4), &Value::Null));
    let edts = unpacked(&run["bars"]["edts"]);
    assert_eq!(edts.iter().sum::<u64>(), 40);
    // What is busy and what is idle in a bar is all of it.
    let [idle, length] = ["idle", "length"].map(|name| unpacked(&run["bars"][name]));
    assert!(
        idle.iter()
            .zip(&length)
            .all(|(idle, length)| idle <= length)
    );
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
        version
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    names.into_iter().find(runs)
}

/// What a page is when its scripts have run, and what the browser says meanwhile.
fn browsed(browser: &str, name: &str, text: &str, fragment: &str) -> (String, String) {
    let file =
        std::env::temp_dir().join(format!("ocr-html-test-{}-{name}.html", std::process::id()));
    let profile = file.with_extension("profile");
    fs::write(&file, text).expect("temporary files can be written");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=20000"])
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
    let (_, rest) = dom
        .split_once("<aside id=\"detail\"")
        .expect("the part is there");
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
        (
            "edt",
            1000,
            "#run=1&edt=0&theme=dark",
            "What it waited for last",
        ),
        (
            "expected",
            1000,
            "#run=1&edt=0",
            "expected to run for 2.5 µs, and ran for 3 µs",
        ),
        (
            "policy",
            1000,
            "#run=0&edt=0",
            "2 places could run it. The policy eft lets an EDT wait for the place where it is expected to end first.",
        ),
        (
            "late",
            1000,
            "#run=1&edt=1",
            "for its end; the end was seen, and this EDT was runnable, then",
        ),
        (
            "chain",
            1000,
            "#run=0&edt=39&chain=1&from=5000&to=9000",
            "Mark all that led to it",
        ),
        ("merged", 10, "#run=0&edt=0", "Most of the time went into"),
    ] {
        let (dom, said) = browsed(browser, name, &page(most), fragment);
        assert!(!said.contains(":CONSOLE"), "{name}: {said}");
        let part = chosen(&dom);
        assert!(
            part.contains(wanted),
            "{name}: no `{wanted}` in {part}; {said}"
        );
        for text in [
            "data-ready=\"yes\"",
            "aria-pressed=\"false\"",
            "<i class=\"swatch dependences\">",
        ] {
            assert!(
                dom.contains(text),
                "{name}: no `{text}` in the page; {said}"
            );
        }
    }
    // An error is noticed.
    let broken = page(1000).replace("\"runs\":", "\"run\":");
    let (dom, said) = browsed(browser, "broken", &broken, "");
    assert!(
        said.contains(":CONSOLE") && chosen(&dom).contains("The chart cannot be drawn"),
        "{said}"
    );
}
