//! `ocr compare --verify`: kernels and functions in one run, by what they leave.

use super::{NO_LIBRARY, example, has_device, ocr, root, script};
use std::path::PathBuf;
use std::process::Command;

/// The program of `tests/c` with this path, without its end.
fn program(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}"));
    let compiler = std::env::var("CC").unwrap_or("cc".into());
    let built = Command::new(compiler)
        .args(["-std=gnu11", "-O2", "-Iinclude", "-Itests/c", "-o"])
        .arg(&program)
        .args([&format!("tests/c/{path}.c"), "build/lib/libocr.a", "-lpthread", "-lm", "-ldl"])
        .current_dir(root())
        .status();
    assert!(built.expect("there is a C compiler").success());
    program.display().to_string()
}

#[test]
fn verify_says_whether_kernels_leave_what_functions_leave() {
    if !has_device() {
        return;
    }
    let right = example("vector-scale-variants");
    let answer = ocr(&["compare", "--verify", "--", &right], &[]);
    let answer = answer
        .is(0, &["64 blocks of 65536 elements times 3, 8 times: ok", "scaleEdt         512          0             0"]);
    answer.has(&["512 EDTs left the same as kernels and as their C functions. Devices: "]).says(&[]);
    // As the user has said it.
    let wrong = program("extensions/variants/kernel_redundant_bits");
    for (redundant, status, says) in
        [("off", 1, " of 400 bytes differ"), ("3:f32:1e-4", 0, ""), ("2:f32:0", 1, "numbers of type f32")]
    {
        let settings = [("OCR_REDUNDANT", redundant)];
        ocr(&["compare", "--verify", &wrong], &settings).is(status, &["grows"]).says(&[says]);
    }
    let json = ocr(&["compare", "--verify", "--json", &wrong], &[]).is(1, &[]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("it is JSON");
    let templates = serde_json::json!([
        {"template": "grows", "alike": 0, "different": 1, "released_blocks": 0, "not_compared": []}
    ]);
    assert_eq!((&json["templates"], &json["alike"]), (&templates, &false.into()), "{json}");
}

#[test]
fn verify_says_why_nothing_is_known() {
    ocr(&["compare", "--verify", "/bin/true"], NO_LIBRARY).is(1, &[]).says(&["no kernel can be verified: "]);
    ocr(&["compare", "--verify", "--runs=3", "/bin/true"], &[]).is(2, &[]).says(&["--verify", "--runs"]);
    if !has_device() {
        return;
    }
    let nothing = script("verify-nothing", "report 1");
    ocr(&["compare", "--verify", &nothing], &[]).is(1, &["No EDT was compared"]).says(&["No EDT was compared"]);
    let fails = script("verify-fails", "report 1\nexit 7");
    ocr(&["compare", "--verify", &fails], &[]).is(1, &["has failed (status 7)"]);
    ocr(&["compare", "--verify", "/bin/true"], &[]).is(1, &[]).says(&["it wrote no report"]);
    ocr(&["compare", "--verify", "/nonexistent"], &[]).is(2, &[]);
}
