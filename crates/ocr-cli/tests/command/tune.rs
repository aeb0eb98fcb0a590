//! `ocr tune`, on programs that print what they would take: nothing here depends on a clock.

use super::{NO_LIBRARY, has_device, ocr, planted, script};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// A program that prints a cost, which is least for tiles of 4 (`--tile`) and three workers, and logs that it has run.
fn program(name: &str, more: &str) -> (String, PathBuf) {
    let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tune-log-{name}"));
    let _ = fs::remove_file(&log);
    let text = format!(
        "tile=9 before=\n\
         for word; do\n\
         case $word in --tile=*) tile=${{word#--tile=}};; esac\n\
         if [ \"$before\" = --tile ]; then tile=$word; fi\n\
         before=$word\n\
         done\n\
         away() {{ if [ $1 -lt $2 ]; then echo $(($2 - $1)); else echo $(($1 - $2)); fi; }}\n\
         echo \"$tile $OCR_WORKERS $OCR_SCHED\" >>'{}'\n\
         echo cost: $((100 + 10 * $(away $tile 4) + 7 * $(away ${{OCR_WORKERS:-3}} 3)))\n\
         echo arguments: $#\n\
         {more}\n\
         report 9",
        log.display()
    );
    (script(&format!("tune-{name}"), &text), log)
}

fn runs(log: &PathBuf) -> usize {
    let log = fs::read_to_string(log).expect("the runs were logged");
    log.lines().count()
}

/// What it says as JSON.
fn json(args: &[&str], settings: &[(&str, &str)]) -> Value {
    let args = [&["tune", "--json"], args].concat();
    let answer = ocr(&args, settings).is(0, &[]);
    serde_json::from_str(&answer.stdout).expect("JSON")
}

#[test]
fn tune_finds_the_best_setting_and_says_how_to_use_it() {
    let (program, log) = program("best", "");
    let varied = ["--vary=arg:--tile=1..8", "--vary=workers=1..4"];
    let rest = ["--metric=cost", "--same=arguments", "--", &program, "a b", "--tile", "2"];
    let answer = json(&[&varied[..], &rest].concat(), &[]);
    assert_eq!(answer["settings"], 32);
    assert_eq!(answer["candidates"], 32);
    let best = &answer["best"];
    let want = serde_json::json!({"arg:--tile": "4", "workers": "3"});
    assert_eq!((&best["values"], &best["median"]), (&want, &100.0.into()));
    assert_eq!(answer["environment"]["OCR_WORKERS"], "3");
    let words = [&program, "a b", "--tile", "4"];
    assert_eq!(answer["arguments"], serde_json::json!(words));
    let command = format!("OCR_WORKERS=3 {program} 'a b' --tile 4");
    assert_eq!(answer["command"], command);
    assert_eq!(answer["same"]["arguments"], "3");
    assert_eq!(answer["runs"], runs(&log));
    assert!(runs(&log) <= 200, "the budget");
    assert_eq!(answer["not_run"], serde_json::json!([]));
    assert_eq!(answer["dimensions"][0]["no_effect"], false);
    // One worker more or less costs 7, and each of seven runs says so.
    assert_eq!(answer["next"]["order"]["faster"], 49.0);
    assert_eq!(answer["next"]["is_sure"], true);
    assert_eq!(answer["alike"], serde_json::json!([]));
    let tiles = &answer["dimensions"][0];
    assert_eq!(tiles["name"], "arg:--tile");
    let ratios: Vec<f64> = (tiles["values"].as_array().expect("all values").iter())
        .filter_map(|value| value["over_best"].as_f64())
        .collect();
    assert_eq!(ratios, [1.3, 1.2, 1.1, 1.0, 1.1, 1.2, 1.3, 1.4]);
    // The same in words.
    let text = ocr(&[&["tune"], &varied[..], &rest].concat(), &[]).is(
        0,
        &[
            "32 settings; ",
            "the values of \"cost\" that the program prints",
            "\nBest: --tile=4 workers=3, told apart from the next at a confidence of 95 %.\n",
            "Duel: in 49 of 49 pairs",
            "so it is told to be faster",
            "How flat: none of the ",
            "arg:--tile: 8 takes 1.40 times as long as 4, which is best.",
            &format!("\nUse: {command}\n"),
        ],
    );
    assert_eq!(text.stderr, "", "no terminal, no progress");
    // With few runs, a sample of the settings begins, and neighbours lead to the best one.
    let _ = fs::remove_file(&log);
    let few = ["--runs-budget=60", "--seed=3"];
    let answer = json(&[&varied[..], &few, &rest].concat(), &[]);
    assert!(answer["candidates"].as_u64() < Some(32), "{answer:#}");
    assert!(runs(&log) <= 60);
    let median = answer["best"]["median"].as_f64().expect("a number");
    assert!(median <= 107.0, "{answer:#}");
    let said = ocr(&[&["tune"], &varied[..], &few, &rest].concat(), &[]);
    said.is(0, &["were drawn by chance (--seed 3)", "a budget of 60 runs"]);
}

#[test]
fn tune_says_where_nothing_makes_a_difference() {
    let (program, _) = program("flat", "");
    let args = ["tune", "--vary=env:X=a,b,c", "--metric=cost", &program];
    ocr(&args, &[]).is(
        0,
        &[
            "Fastest: X=a, but it is not told apart from others.",
            "2 of the 2 other settings in the last stage are not told apart from the best",
            "env:X: the setting has no effect that the runs show",
            "which does not tell them apart.",
            &format!("Use: X=a {program}"),
        ],
    );
}

#[test]
fn tune_says_nothing_that_contradicts_itself() {
    // The first is faster by little. In all runs, or in those before the duel alone, some of its runs are slower than
    // some of the others.
    for (name, noise) in [("all", "n % 7"), ("early", "(n <= 12) * (n * 3 % 7)")] {
        let more = format!("n=$(wc -l <'LOG'); echo \"price: $((100 + {noise} + ${{X:-0}}))\"");
        let (_, log) = program(&format!("breath-{name}"), "");
        let more = more.replace("LOG", &log.display().to_string());
        let (program, log) = program(&format!("breath-{name}"), &more);
        for values in ["0,3,6", "0,1", "0,3", "0,20", "0,3,20,40"] {
            let _ = fs::remove_file(&log);
            let vary = format!("--vary=env:X={values}");
            let text = ocr(&["tune", &vary, "--metric=price", &program], &[]);
            let text = text.is(0, &[]).stdout;
            let is_told = text.contains("told apart from the next at a confidence");
            assert!(is_told != text.contains("it is not told apart from others"), "{text}");
            assert!(!text.contains("cannot be told") && !text.contains("sure"), "{text}");
            assert!(!is_told || !text.contains("alike"), "{text}");
            if name == "early" && values == "0,3" {
                assert!(is_told, "{text}");
            }
        }
    }
}

#[test]
fn tune_says_where_the_budget_ended_it() {
    let (program, _) = program("slope", "echo price: $((1000 + ${X:-0} + ${Y:-0}))");
    let vary = ["tune", "--vary=env:X=0..300", "--vary=env:Y=0..300", "--metric=price"];
    let few = [&vary[..], &["--runs-budget=40", &program]].concat();
    ocr(&few, &[]).is(0, &["Budget: it ended the search on the slope: ", "--runs-budget 80."]);
    let enough = [&vary[..], &["--runs-budget=400", &program]].concat();
    let text = ocr(&enough, &[]).is(0, &["X=0 Y=0"]).stdout;
    assert!(!text.contains("on the slope"), "{text}");
}

#[test]
fn tune_names_a_setting_that_runs_do_not_follow() {
    // The report says three workers, whatever was asked for.
    let (program, _) = program("ignores", "");
    let args = ["--vary=workers=2,3,4", "--metric=arguments", &program];
    let text = ["tune"].into_iter().chain(args).collect::<Vec<_>>();
    ocr(&text, &[]).is(
        0,
        &[
            "workers: the setting has no effect that the runs show, so it need not be varied. The runs had 3",
            "workers with each of the values, so the runtime has not followed the setting.",
        ],
    );
    assert_eq!(json(&args, &[])["dimensions"][0]["no_effect"], true);
}

#[test]
fn tune_leaves_out_times_of_another_form() {
    let more = "if [ \"$X\" = b ]; then echo seconds: 1 ms; else echo seconds: 5; fi";
    let (program, _) = program("forms", more);
    ocr(&["tune", "--vary=env:X=a,b,c", &program], &[]).is(
        0,
        &[
            "Left out: X=b: has a time that is not comparable:",
            "prints a text that is no number, and with the first setting that ran it printed a number",
        ],
    );
}

#[test]
fn tune_calls_no_setting_best_that_is_alone() {
    let (program, _) = program("alone", "if [ $X = b ]; then exit 3; fi");
    let args = ["tune", "--vary=env:X=a,b", "--metric=cost", &program];
    let text = ocr(&args, &[]).is(0, &["Only X=a is left, so it was compared with nothing."]).stdout;
    assert!(!text.contains("Best:"), "{text}");
}

#[test]
fn tune_shows_what_the_recorded_run_of_the_best_says() {
    let program = planted("tune-sleeps");
    let args = ["--vary=env:X=a,b", "--runs-budget=20", "--", &program, "sleeps"];
    let settings = [("OCR_DEVICES", "none"), ("OCR_WORKERS", "2")];
    let answer = json(&args, &settings);
    let why = answer["reasons"]["why"][0].as_str().expect("a sentence");
    assert!(why.contains("EDTs of sleepEdt sleep in the system"), "{answer:#}");
    assert!(answer["runs"].as_u64() <= Some(20));
    let text = ocr(&[&["tune"], &args[..]].concat(), &settings);
    text.is(0, &["\nWhy the best setting takes its time:\n", "EDTs of sleepEdt sleep", "\nWhat to try next:\n"]);
    // What is varied is not advised.
    let args = ["--vary=workers=1,2", "--runs-budget=20", "--", &program, "sleeps"];
    let next = json(&args, &settings)["reasons"]["next"].to_string();
    assert!(!next.contains("OCR_WORKERS"), "{next}");
}

#[test]
fn tune_leaves_out_what_fails() {
    let fails = "if [ $OCR_WORKERS = 3 ]; then echo no three >&2; exit 4; fi";
    let (program, log) = program("fails", fails);
    let args = ["--vary=workers=1..4", "--metric=cost", &program];
    let text = ocr(&[&["tune"], &args[..]].concat(), &[])
        .is(0, &["is not told apart from others", "3 fails.", "Left out: workers=3: failed (status 4):\n  no three\n"]);
    assert!(text.stdout.contains("failed"), "{}", text.stdout);
    let _ = fs::remove_file(&log);
    let answer = json(&args, &[]);
    let logged = fs::read_to_string(&log).expect("it was logged");
    let of_three = logged.lines().filter(|line| line.starts_with("9 3 "));
    assert_eq!(of_three.count(), 1, "it is not tried again");
    let failed = &answer["failures"];
    assert_eq!(failed.as_array().map(Vec::len), Some(1), "{failed:#}");
    assert_eq!(failed[0]["values"]["workers"], "3");
    // With all of them.
    let args = ["tune", "--vary=workers=5,6", "--metric=price", &program];
    ocr(&args, &[]).is(1, &[]).says(&[
        "with no setting did the program run to its end",
        "Left out: workers=5; workers=6: has no value:\n  the program prints no line \"price: ...\"",
    ]);
}

#[test]
fn tune_notices_different_results() {
    let (program, log) = program("differs", "echo sum: $((tile * 2))");
    let args = ["tune", "--vary=arg:--tile=1..4", "--metric=cost", "--same=sum", &program];
    ocr(&args, &[]).is(1, &[]).says(&["sum differs between runs: 2 (first with --tile=1), 4 (first with --tile=2)"]);
    assert_eq!(runs(&log), 2, "there is no use in going on");
}

#[test]
fn tune_varies_policies_as_compare_does() {
    let (program, log) = program("policies", "");
    let args = ["tune", "--vary=policy=cpu,eft", "--metric=cost", &program];
    ocr(&args, NO_LIBRARY).is(1, &[]).says(&["Left out: eft.", "/nonexistent"]);
    let both = ["tune", "--vary=policy=cpu,eft", "--vary=arg:--tile=3,4", "--metric=cost", &program];
    ocr(&both, NO_LIBRARY).is(0, &["Left out: eft.", "Best: policy=cpu --tile=4, told apart"]);
    if has_device() {
        let answer = json(&args[1..], &[("OCR_DEVICES", "all")]);
        assert_eq!(answer["alike"].as_array().map(Vec::len), Some(1));
        let logged = fs::read_to_string(&log).expect("it was logged");
        assert!(logged.lines().any(|line| line.ends_with(" eft")), "{logged}");
    }
}

#[test]
fn tune_refuses_what_makes_no_sense() {
    let cases: [(&[&str], &str); 9] = [
        (&["--vary=workers=1", "/bin/true"], "only one setting"),
        (&["--vary=workers=1,x..", "--", "--vary=workers=2"], "no option --vary=workers=2"),
        (&["--vary=tile=1,2", "/bin/true"], "\"tile\" cannot be varied"),
        (&["--vary=policy=fast,cpu", "/bin/true"], "there is no policy \"fast\""),
        (&["--vary=workers=1,2", "--vary=env:OCR_WORKERS=1,2", "/bin/true"], "set the same thing"),
        (&["--vary=workers=1,2", "/bin/true", "-ocr:workers=2"], "outranks"),
        (&["--vary=workers=1,2", "--runs-budget=17", "/bin/true"], "at least 18 runs"),
        (&["--vary=workers=1,2", "/nonexistent"], "cannot be started"),
        (&["/bin/true"], "--vary"),
    ];
    for (args, says) in cases {
        ocr(&[&["tune"], args].concat(), &[]).is(2, &[]).says(&[says]);
    }
}
