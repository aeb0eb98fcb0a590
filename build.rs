//! Makes the Rust view of the C interface, and compiles the few lines that must be C.

use std::env;
use std::path::PathBuf;

/// The headers whose functions the library defines. The head of `src/capi/mod.rs` says where each is.
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

/// Macros of the headers that `bindgen` does not see as constants, because there is a cast in them.
const PROPERTIES: &[&str] = &[
    "DB_COPY_PARTITION",
    "DB_COPY_PARTITION_BACK",
    "DB_PROP_LID",
    "DB_PROP_MAPPED",
    "DB_PROP_NO_ACQUIRE",
    "DB_PROP_NO_HINT",
    "DB_PROP_SINGLE_ASSIGNMENT",
    "EDT_PROP_FINISH",
    "EDT_PROP_LONG",
    "EDT_PROP_LID",
    "EDT_PROP_MAPPED",
    "EDT_PROP_NO_HINT",
    "EDT_PROP_OEVT_VALID",
    "EVT_PROP_LID",
    "EVT_PROP_MAPPED",
    "EVT_PROP_TAKES_ARG",
    "GUID_PROP_IS_LABELED",
    "GUID_PROP_CHECK",
    "GUID_PROP_BLOCK",
    "LEGACY_PROP_WAIT_FOR_CREATE",
    "LEGACY_PROP_WAIT_IF_CREATED",
    "OCR_DB_PARTITION_STATIC",
    "LEGACY_PROP_CHECK",
    "OCR_FILE_EXISTS",
];

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo:rerun-if-changed=include");
    println!("cargo:rerun-if-changed=src/capi/shim.c");

    let includes: String = HEADERS
        .iter()
        .map(|name| format!("#include \"{name}\"\n"))
        .collect();
    // The name of a macro becomes the name of a constant with its value.
    let properties: String = PROPERTIES
        .iter()
        .map(|name| {
            format!(
                "enum {{ VALUE_OF_{name} = {name} }};\n#undef {name}\n\
                 static const u16 {name} = VALUE_OF_{name};\n"
            )
        })
        .collect();
    bindgen::Builder::default()
        .header_contents("all.h", &(includes + &properties))
        .clang_arg("-Iinclude")
        .allowlist_var(PROPERTIES.join("|"))
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
