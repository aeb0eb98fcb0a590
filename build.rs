//! Makes the Rust view of the C interface, and compiles the few lines that must be C.

use std::env;
use std::path::PathBuf;

/// The headers whose functions the library defines. `src/capi/` has a file for each.
const HEADERS: &[&str] = &[
    "ocr.h",
    "extensions/ocr-affinity.h",
    "extensions/ocr-db-by-value.h",
    "extensions/ocr-db-info.h",
    "extensions/ocr-db-partitioning.h",
    "extensions/ocr-debug.h",
    "extensions/ocr-file.h",
    "extensions/ocr-heterogeneous.h",
    "extensions/ocr-legacy.h",
    "extensions/ocr-labeling.h",
    "extensions/ocr-map-creator.h",
    "extensions/ocr-opencl.h",
    "extensions/ocr-reduction-event.h",
    "extensions/ocr-pause.h",
    "extensions/ocr-pdl.h",
    "extensions/ocr-runtime-itf.h",
    "extensions/ocr-stats.h",
    "extensions/ocr-variants.h",
];

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo:rerun-if-changed=include");
    println!("cargo:rerun-if-changed=src/capi/shim.c");

    let includes: String = HEADERS
        .iter()
        .map(|name| format!("#include \"{name}\"\n"))
        .collect();
    bindgen::Builder::default()
        .header_contents("all.h", &includes)
        .clang_arg("-Iinclude")
        .allowlist_file(".*include/ocr.*\\.h|.*include/extensions/.*\\.h")
        .blocklist_function("mainEdt")
        .default_enum_style(bindgen::EnumVariation::Consts)
        .prepend_enum_name(false)
        .layout_tests(false)
        .derive_default(true)
        .generate_comments(false)
        .generate()
        .unwrap_or_else(|error| {
            panic!(
                "the headers in include/ cannot be read: {error}\n\
                 bindgen needs libclang: on Debian, install libclang-dev, or run `make setup`."
            )
        })
        .write_to_file(out.join("ocr_h.rs"))
        .expect("OUT_DIR can be written");

    cc::Build::new()
        .file("src/capi/shim.c")
        .include("include")
        .std("c11")
        .warnings(true)
        .extra_warnings(true)
        .compile("ocr_shim");
}
