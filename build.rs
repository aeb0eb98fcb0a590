//! Makes the Rust view of the C interface: its declarations, and its functions as an enum. Makes the rules of strict
//! mode types, and compiles the few lines that must be C.

#[path = "src/check/rules/generate.rs"]
mod rules;

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// The headers whose functions the library defines, and that of policies, which defines none. The head of
/// `src/capi/mod.rs` says where each is.
const HEADERS: &[&str] = &[
    "ocr.h",
    "ocr-policy.h",
    "extensions/ocr-affinity.h",
    "extensions/ocr-checkpoint.h",
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

/// What must be C.
const IN_C: &[&str] = &["src/capi/shim.c", "src/capi/loader.c"];

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
    for file in IN_C {
        println!("cargo:rerun-if-changed={file}");
    }
    println!("cargo:rerun-if-changed={}", rules::FOLDER);

    let includes: String = HEADERS.iter().map(|name| format!("#include \"{name}\"\n")).collect();
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
    let bindings = bindgen::Builder::default()
        .header_contents("all.h", &(includes + &properties))
        .clang_arg("-Iinclude")
        .allowlist_var(PROPERTIES.join("|"))
        .allowlist_file(".*include/ocr.*\\.h|.*include/extensions/.*\\.h")
        .blocklist_function("mainEdt")
        .blocklist_var("ocrPolicy")
        .default_enum_style(bindgen::EnumVariation::Consts)
        .prepend_enum_name(false)
        .layout_tests(false)
        .derive_default(true)
        .generate_comments(false)
        // The text is read below, and must not depend on whether the toolchain has rustfmt.
        .formatter(bindgen::Formatter::None)
        .generate()
        .unwrap_or_else(|error| {
            panic!(
                "the headers in include/ cannot be read: {error}\n\
                 bindgen needs libclang: on Debian, install libclang-dev, or run `make setup`."
            )
        })
        .to_string();
    let write = |name: &str, text: &str| {
        fs::write(out.join(name), text).expect("OUT_DIR can be written");
    };
    write("api.rs", &enum_of(&functions_in(&bindings)));
    write("ocr_h.rs", &bindings);
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    write("rules.rs", &rules::read(root.as_ref()).as_rust());

    // The models are without the interface, and without what C calls.
    if env::var_os("CARGO_CFG_LOOM").is_none() {
        compile_c();
    }
}

fn compile_c() {
    cc::Build::new().files(IN_C).include("include").std("c11").warnings(true).extra_warnings(true).compile("ocr_shim");
}

/// A function of the headers: its name, and those of its arguments.
type Function<'a> = (&'a str, Vec<&'a str>);

/// The functions that `bindgen` has found.
fn functions_in(bindings: &str) -> Vec<Function<'_>> {
    let declarations = bindings.split("pub fn ").skip(1);
    let functions = declarations.map(|text| {
        let (name, rest) = text.split_once('(').expect("a function has arguments");
        (name.trim(), arguments_in(rest))
    });
    functions.collect()
}

/// The names in a list of arguments, up to the parenthesis that ends it. The type of an argument may have such lists,
/// too.
fn arguments_in(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let (mut depth, mut begin) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ',' | ')' if depth == 0 => {
                let name = text[begin..at].split_once(':').map(|(name, _)| name.trim());
                names.extend(name);
                begin = at + 1;
                if c == ')' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

/// The functions as an enum, with their names and those of their arguments.
fn enum_of(functions: &[Function<'_>]) -> String {
    let mut variants = String::new();
    let mut table = String::new();
    for (name, arguments) in functions {
        let _ = writeln!(variants, "    /// `{name}`.\n    {name},");
        let _ = writeln!(table, "    (Api::{name}, \"{name}\", &{arguments:?}),");
    }
    format!(
        "/// A function of the C interface.\n\
         #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]\n\
         pub enum Api {{\n{variants}}}\n\n\
         /// The functions in the order of the headers, with their names and those of their arguments.\n\
         const FUNCTIONS: &[(Api, &str, &[&str])] = &[\n{table}];\n"
    )
}
