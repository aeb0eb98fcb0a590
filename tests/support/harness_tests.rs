//! What the harness of the C programs (`tests/c_programs.rs`) does with what they say about themselves, and with what
//! they print.

use super::directives::{Directives, Expected, Revision};
use super::snapshot::{difference, normalised};

fn error(text: &str) -> String {
    Directives::of_all(text).expect_err("an error")
}

#[test]
fn a_program_without_revisions_is_run_in_one_way() {
    let text = "// Prose: with a colon.\n// a note: as well\n// status: 3\n// env: OCR_CHECK=strict\n";
    let all = Directives::of_all(text).expect("directives");
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].revision, None);
    assert_eq!(all[0].status, Expected::Code(3));
    assert_eq!(all[0].env, [("OCR_CHECK".into(), "strict".into())]);
}

#[test]
fn a_line_may_hold_for_one_revision_alone() {
    let text = "// [strict] status: 1\n// status: 0\n// [strict] misuse: OCR-1-a\n// stderr: both\n\
                // [plain] stderr: one\n// revisions: plain strict\n// workers: 1\n";
    let [plain, strict] = &Directives::of_all(text).expect("directives")[..] else {
        panic!("two revisions");
    };
    assert_eq!(plain.revision, Some(Revision::Plain));
    assert_eq!(plain.status, Expected::Code(0));
    assert_eq!(plain.stderr, ["both", "one"]);
    assert!(plain.env.is_empty());
    assert_eq!(strict.revision, Some(Revision::Strict));
    assert_eq!(strict.status, Expected::Code(1));
    assert_eq!(strict.stderr, ["both", "the rule: [OCR-1-a] "]);
    assert_eq!(strict.env, [("OCR_CHECK".into(), "strict".into())]);
}

#[test]
fn the_default_of_workers_is_that_of_the_revision() {
    let text = "// revisions: plain strict\n// [strict] status: 1\nmainEdt(ocrEdtDep_t depv[])";
    let all = Directives::of_all(text).expect("directives");
    assert_eq!(all[0].workers, [1, 2, 8]);
    assert_eq!(all[1].workers, [2]);
}

#[test]
fn what_is_wrong_with_revisions_is_an_error() {
    assert!(error("// revisions: plain lenient").contains("`lenient` is no revision"));
    assert!(error("// revisions: plain plain").contains("twice"));
    assert!(error("// revisions:").contains("bad directive"));
    assert!(error("// revisions: plain\n// revisions: strict").contains("bad directive"));
    assert!(error("// revisions: plain\n// [plain] revisions: strict").contains("bad"));
    assert!(error("// [strict] status: 1").contains("no revision strict"));
    assert!(error("// revisions: plain\n// [strict] status: 1").contains("no revision strict"));
    assert!(error("// revisions: plain\n// [other] status: 1").contains("`other` is no"));
    assert!(error("// revisions: strict\n// env: OCR_CHECK=strict").contains("beside"));
    assert!(error("// revisions: strict\n// [strict] nonsense: 1").contains("bad directive"));
    assert!(error("// nonsense: 1").contains("bad directive"));
}

#[test]
fn what_differs_from_run_to_run_is_a_placeholder() {
    let text = "EDT 0x2000000000000080 of 0x1800000000000001, not 0x2000000000000080 (f)\n\
                SIGSEGV at address 0x7f0010203040 of byte 0xa5, near 0x0\n\
                thread 4711 (ocr-worker-1) of process 4700, thread 4711: pre-slot 12\n\
                after 0.123 s and 12 us, 3 steps, 1.5 MiB\n\
                the file \"/tmp/a b\" (/usr/src/x.c:12: check), /dev/stderr. 1/2 and/or\n";
    assert_eq!(
        normalised(text),
        "EDT <GUID 1> of <GUID 2>, not <GUID 1> (f)\n\
         SIGSEGV at address <address 1> of byte 0xa5, near 0x0\n\
         thread <number 1> (ocr-worker-1) of process <number 2>, thread <number 1>: pre-slot 12\n\
         after <time 1> s and <time 2> us, 3 steps, 1.5 MiB\n\
         the file \"<path 1> b\" (<path 2>:12: check), <path 3>. 1/2 and/or\n"
    );
}

#[test]
fn letters_of_all_languages_stay() {
    assert_eq!(normalised("größe → ä/ö 5s\n"), "größe → ä/ö 5s\n");
}

#[test]
fn a_difference_shows_what_lacks_and_what_is_new() {
    let want = "a\nb\nc\nd\ne\nf\ng\n";
    assert_eq!(difference(want, "a\nb\nc\nd\ne\nF\ng\n"), "  ...\n  d\n  e\n- f\n+ F\n  g\n");
    assert_eq!(difference("a\n", "a\nb\n"), "  a\n+ b\n");
    assert_eq!(difference("", "b\n"), "+ b\n");
}
