//! The kernels that are installed, and those of `tests/stress`, are right OpenCL C 1.2, 2.0 and 3.0, with all optional
//! features of these and with none: by what libclang says, which the build needs anyway. No OpenCL implementation has
//! to be there, and none has all of these.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use clang::diagnostic::Severity;
use clang::{Clang, Index};

const STANDARDS: &[&[&str]] = &[
    &["-cl-std=CL1.2"],
    &["-cl-std=CL2.0"],
    // A pointer without an address space is one to private memory, and a generic one.
    &["-cl-std=CL3.0", "-Xclang", "-cl-ext=-all"],
    &["-cl-std=CL3.0", "-Xclang", "-cl-ext=+all"],
];

const KINDS: &[&str] = &["-DOCR_DEVICE_CPU=1", "-DOCR_DEVICE_GPU=1"];

/// Other definitions that the programs of these kernels give.
const DEFINES: &[&str] = &["-DNOTHING", "-DPLANES=2"];

fn kernels() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["kernels", "tests/stress"] {
        let before = found.len();
        for entry in fs::read_dir(root.join(folder)).expect("the folder is there") {
            let path = entry.expect("a folder can be read").path();
            if path.extension().is_some_and(|e| e == "cl") {
                found.push(path);
            }
        }
        assert!(found.len() > before, "{folder} has no kernels");
    }
    found
}

/// What libclang has against an OpenCL source.
fn complaints(index: &Index, path: &Path, arguments: &[&str]) -> Vec<String> {
    let unit =
        index.parser(path).arguments(arguments).parse().unwrap_or_else(|e| panic!("{}: libclang: {e}", path.display()));
    let diagnostics = unit.get_diagnostics();
    let bad = diagnostics.iter().filter(|d| d.get_severity() >= Severity::Warning);
    bad.map(|d| d.formatter().format()).collect()
}

/// The folder of headers of libclang's own. The build needs it, too, for those of C. libclang looks for it beside the
/// file that it was loaded from, where a distribution may have no more than a link.
fn own_headers() -> PathBuf {
    let version = clang::get_version();
    let major: String =
        (version.chars()).skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let mut roots: Vec<PathBuf> = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
        .iter()
        .flat_map(|lib| {
            let own = format!("{lib}/llvm-{major}/lib/clang");
            [PathBuf::from(own), Path::new(lib).join("clang")]
        })
        .collect();
    if let Some(place) = env::var_os("LIBCLANG_PATH") {
        let place = PathBuf::from(place);
        roots.insert(0, place.join("clang"));
        roots.insert(1, place.with_file_name("clang"));
    }
    let found = roots.iter().find_map(|root| {
        let versions = fs::read_dir(root).ok()?;
        let of_major = versions.filter_map(Result::ok).map(|v| v.path()).filter(|v| {
            let name = v.file_name().unwrap_or_default().to_string_lossy();
            name.split('.').next() == Some(&major)
        });
        let mut with_header = (of_major.map(|v| v.join("include"))).filter(|v| v.join("opencl-c-base.h").exists());
        with_header.next()
    });
    found.unwrap_or_else(|| {
        panic!(
            "{version} has no opencl-c-base.h below any of {roots:?} (Debian package \
             libclang-common-{major}-dev)"
        )
    })
}

fn arguments<'a>(headers: &'a str, standard: &[&'a str], kind: &'a str, define: &'a str) -> Vec<&'a str> {
    let target = ["-x", "cl", "-target", "spir64-unknown-unknown"];
    // The built-in functions are declared by a header of the compiler's.
    let builtins = ["-Xclang", "-finclude-default-header"];
    let headers = ["-isystem", headers];
    [&target[..], &headers, &builtins, standard, &[kind, define]].concat()
}

#[test]
fn kernels_are_right_in_every_opencl_c() {
    let clang = Clang::new().expect("libclang is there, as for the build");
    let index = Index::new(&clang, false, false);
    let headers = own_headers().display().to_string();
    let mut bad = Vec::new();
    for path in kernels() {
        for standard in STANDARDS {
            for kind in KINDS {
                for define in DEFINES {
                    let arguments = arguments(&headers, standard, kind, define);
                    for complaint in complaints(&index, &path, &arguments) {
                        bad.push(format!("{} {kind} {define}: {complaint}", standard.join(" ")));
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
