//! What `make install` leaves: programs outside the tree are built against it through pkg-config
//! alone, and run. What `make ocr-install` leaves: the same through a makefile that names things as
//! those of existing OCR programs do.
//!
//! Installs what `make` has built before; nothing is built here, since cargo is running.

#[path = "install/packages.rs"]
mod packages;
mod support;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Not one of the repository's: all there is to it is what it includes and what it links.
const OUTSIDE: &str = r#"
#include "ocr.h"
#include "extensions/ocr-opencl.h"
#include "extensions/ocr-stats.h"
#include <math.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrStats_t stats = { 0 };
    ocrStatsGet(&stats);
    ocrPrintf("arguments: %d, root: %.0f, workers: %d\n", (int)ocrGetArgc(depv[0].ptr),
              sqrt((double)(stats.workers * stats.workers)), (int)stats.workers);
    ocrShutdown();
    return NULL_GUID;
}
"#;

/// To stand in it instead of its end.
const ONLY_A_KERNEL: &str = r#"
    ocrGuid_t tmpl, edt;
    size_t items = 1;
    ocrOpenclTemplateCreate(&tmpl, "kernel void k() {}", NULL, "k", 0, 0, NULL);
    ocrOpenclTaskCreate(&edt, tmpl, 1, NULL, &items, NULL, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_GUID, NULL);
"#;

/// Finds OCR as the makefiles of existing programs do; how it links is for the test to say.
const MAKEFILE: &str = r#"
OCR_TYPE    ?= x86
OCR_ROOT    ?= ../ocr
OCR_INSTALL ?= $(OCR_ROOT)/install
LIBRARY     := $(OCR_INSTALL)/lib/libocr_$(OCR_TYPE)
CFLAGS      := -Werror -I. -I$(OCR_INSTALL)/include -DOCR_TYPE_H=$(OCR_TYPE).h

all: shared static

outside.o: outside.c $(LIBRARY).so
	$(CC) $(CFLAGS) -c -o $@ $<
library.o: outside.c
	$(CC) -I$(OCR_ROOT)/inc -c -o $@ $<
shared: outside.o
	$(CC) -o $@ $^ -L$(OCR_INSTALL)/lib -locr_$(OCR_TYPE) -lpthread -lm
static: library.o
	$(CC) -o $@ $^ $(LIBRARY).a -pthread -lm -ldl

run-shared run-static: run-%: %
	LD_LIBRARY_PATH=$(OCR_INSTALL)/lib OCR_CONFIG=none $(OCR_INSTALL)/bin/ocrrun_$(OCR_TYPE) ./$< one two
"#;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn fresh_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the folder of an earlier run can be removed");
    }
    fs::create_dir_all(&folder).expect("target/ can be written");
    folder
}

/// Runs a command that has to succeed; the standard output.
fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A make that has nothing to do with the one that may have started this test.
fn make_command() -> Command {
    let mut make = Command::new("make");
    for variable in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"] {
        make.env_remove(variable);
    }
    for variable in ["PREFIX", "DESTDIR", "LIBDIR", "OCR_INSTALL"] {
        make.env_remove(variable);
    }
    make.arg("-s");
    make
}

/// The makefile of this tree.
fn make(words: &[String]) {
    succeed(make_command().args(words).current_dir(root()));
}

/// An installation that all tests use and none changes.
fn installed() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = fresh_folder("install").join("usr");
        make(&["install-files".into(), format!("PREFIX={}", prefix.display())]);
        prefix
    })
}

/// What pkg-config answers, in words; none, and a word why, where there is no pkg-config.
fn pkg_config(args: &[&str]) -> Option<Vec<String>> {
    let name = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    if Command::new(&name).arg("--version").output().is_err() {
        eprintln!("skipped: there is no {name}");
        return None;
    }
    let path = installed().join("lib/pkgconfig");
    let mut command = Command::new(name);
    command.args(args).arg("ocr").env("PKG_CONFIG_PATH", path);
    Some(succeed(&mut command).split_whitespace().map(String::from).collect())
}

fn compile(source: &Path, program: &Path, flags: &[String]) {
    let mut command = support::compiler("CC", "cc");
    // From elsewhere, so that nothing of this tree is found by chance.
    let elsewhere = program.parent().expect("it is in a folder");
    command.args(["-std=gnu11", "-Wall", "-Werror", "-o"]).arg(program).arg(source).args(flags).current_dir(elsewhere);
    succeed(&mut command);
}

/// Builds both programs with these flags, and runs them.
fn build_and_run(folder: &Path, flags: &[String], library_path: Option<&Path>) {
    let outside = folder.join("outside.c");
    fs::write(&outside, OUTSIDE).expect("target/ can be written");
    let hello = installed().join("share/ocr/examples/hello.c");
    for (source, args, says) in
        [(&hello, &[][..], "hello, world"), (&outside, &["one", "two"], "arguments: 3, root: 2, workers: 2")]
    {
        let program = folder.join(source.file_stem().expect("it has a name"));
        compile(source, &program, flags);
        let mut command = Command::new(&program);
        command.args(args).env("OCR_WORKERS", "2");
        // No test writes to the cache of the user.
        command.env("OCR_MODELS", "off");
        match library_path {
            Some(path) => command.env("LD_LIBRARY_PATH", path),
            None => command.env_remove("LD_LIBRARY_PATH"),
        };
        let output = succeed(&mut command);
        assert!(output.contains(says), "{output}");
    }
}

/// Whether a program asks for the shared library when it starts.
fn needs_shared_library(program: &Path) -> bool {
    let needs = succeed(Command::new("readelf").arg("-d").arg(program));
    needs.contains("[libocr.so.0]")
}

#[test]
fn programs_link_the_shared_library() {
    let Some(flags) = pkg_config(&["--cflags", "--libs"]) else {
        return;
    };
    let folder = fresh_folder("install-shared");
    // -lm is what a program itself needs of the C library.
    let flags: Vec<String> = flags.into_iter().chain(["-lm".into()]).collect();
    build_and_run(&folder, &flags, Some(&installed().join("lib")));
    assert!(needs_shared_library(&folder.join("hello")));
}

#[test]
fn programs_link_the_static_library() {
    let Some(flags) = pkg_config(&["--cflags", "--libs", "--static"]) else {
        return;
    };
    let folder = fresh_folder("install-static");
    let flags: Vec<String> = flags
        .into_iter()
        .map(|flag| match flag.as_str() {
            "-locr" => "-l:libocr.a".into(),
            _ => flag,
        })
        .collect();
    build_and_run(&folder, &flags, None);
    assert!(!needs_shared_library(&folder.join("hello")));
}

#[test]
fn pkg_config_knows_the_version() {
    let Some(version) = pkg_config(&["--modversion"]) else {
        return;
    };
    assert_eq!(version, [env!("CARGO_PKG_VERSION")]);
}

#[test]
fn installed_programs_find_what_they_need() {
    let bin = installed().join("bin");
    let share = installed().join("share/ocr");
    let info = succeed(Command::new(bin.join("ocr")).arg("--version"));
    assert!(info.contains(env!("CARGO_PKG_VERSION")), "{info}");
    let data = share.join("examples/data");
    let output = succeed(
        Command::new(bin.join("ocr-levenshtein"))
            .arg("--quiet")
            .arg(data.join("human-mt.fa"))
            .arg(data.join("orangutan-mt.fa"))
            .env_remove("OCR_KERNELS")
            // Where there is no source tree around it.
            .current_dir("/"),
    );
    assert!(output.lines().any(|line| line == "distance: 3315"), "{output}");
    for (name, options) in
        [("seismic", "--width 60 --height 50 --iterations 9 --check"), ("cholesky", "--size 90 --tile 32 --check")]
    {
        let output = Command::new(bin.join(format!("ocr-{name}")))
            .args(options.split(' '))
            .env_remove("OCR_KERNELS")
            .current_dir("/")
            .output()
            .expect("it is installed");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("\ncheck: ok"), "{name}: {text}");
        // It says so where it does not find its kernels.
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
    }
    for name in ["levenshtein", "seismic", "cholesky"] {
        assert!(share.join(format!("kernels/{name}.cl")).exists());
    }
    let suppressions = fs::read_to_string(share.join("suppressions/thread.supp"));
    assert!(suppressions.expect("it is installed").contains("race:"));
}

#[test]
fn examples_build_from_what_is_installed() {
    let Some(flags) = pkg_config(&["--cflags", "--libs", "--static"]) else {
        return;
    };
    let folder = fresh_folder("install-examples");
    let examples = installed().join("share/ocr/examples");
    let include = format!("-I{}", examples.display());
    let part = examples.join("common/edit-distance.c");
    for (name, parts) in [("levenshtein", &[part.display().to_string()][..]), ("seismic", &[]), ("cholesky", &[])] {
        let own = ["-O2".into(), include.clone()];
        let flags = [&own[..], parts, &flags, &["-lm".into()]].concat();
        compile(&examples.join(format!("{name}.c")), &folder.join(name), &flags);
    }
}

#[test]
fn uninstall_leaves_nothing_behind() {
    let folder = fresh_folder("install-destdir");
    let destination = format!("DESTDIR={}", folder.display());
    make(&["install-files".into(), destination.clone(), "PREFIX=/opt/x".into()]);
    let description = fs::read_to_string(folder.join("opt/x/lib/pkgconfig/ocr.pc"));
    let description = description.expect("ocr.pc is installed");
    assert!(description.starts_with("prefix=/opt/x\n"), "{description}");
    make(&["uninstall".into(), destination, "PREFIX=/opt/x".into()]);
    let left = succeed(Command::new("find").arg(&folder).args(["!", "-type", "d"]));
    assert_eq!(left, "");
}

/// Where the libraries are is said by the prefix, so that pkg-config finds them in an installation that was moved.
#[test]
fn the_description_follows_the_prefix() {
    let folder = fresh_folder("install-description");
    let destination = format!("DESTDIR={}", folder.display());
    let description = |words: &[&str], file: &str| {
        let mut all = vec!["install-files".to_string(), destination.clone()];
        all.extend(words.iter().map(|word| word.to_string()));
        make(&all);
        fs::read_to_string(folder.join(file)).expect("ocr.pc is installed")
    };
    for (words, file, says) in [
        (&["PREFIX=/opt/x"][..], "opt/x/lib/pkgconfig/ocr.pc", "prefix=/opt/x\nlibdir=${prefix}/lib\n"),
        (
            &["PREFIX=/opt/x", "LIBDIR=/opt/x/lib/here"],
            "opt/x/lib/here/pkgconfig/ocr.pc",
            "prefix=/opt/x\nlibdir=${prefix}/lib/here\n",
        ),
        (
            &["PREFIX=/opt/x", "LIBDIR=/opt/xy/lib"],
            "opt/xy/lib/pkgconfig/ocr.pc",
            "prefix=/opt/x\nlibdir=/opt/xy/lib\n",
        ),
        (&["PREFIX=/opt/x y"], "opt/x y/lib/pkgconfig/ocr.pc", "prefix=/opt/x\\ y\nlibdir=${prefix}/lib\n"),
    ] {
        let text = description(words, file);
        assert!(text.starts_with(says), "{words:?}: {text}");
    }
}

#[test]
fn folders_with_characters_that_mean_something_else_are_refused() {
    let folder = fresh_folder("install-strange");
    for strange in ["&", "$", "$$", "\\", "'", "|", "\"", "`", ";", "#", "%", "\t"] {
        for (variable, target) in
            [("PREFIX", "install-files"), ("LIBDIR", "install-files"), ("OCR_INSTALL", "ocr-install-files")]
        {
            let place = format!("{}/a{strange}b", folder.display());
            for from_environment in [false, true] {
                let mut make = make_command();
                make.arg(target).current_dir(root());
                if from_environment {
                    make.env(variable, &place);
                } else {
                    make.arg(format!("{variable}={place}"));
                }
                let output = make.output().expect("there is a make");
                let errors = String::from_utf8_lossy(&output.stderr);
                assert!(!output.status.success(), "{variable} with {strange} was taken");
                assert!(errors.contains("choose a folder without it"), "{variable} with {strange}: {errors}");
            }
        }
    }
    let left = fs::read_dir(&folder).expect("it is there").count();
    assert_eq!(left, 0, "something was installed");
}

#[test]
fn makefiles_of_existing_programs_find_what_they_name() {
    let folder = fresh_folder("install-ocr");
    let install = format!("OCR_INSTALL={}", folder.join("ocr").display());
    // Twice: the second time, what the first has left is there.
    for _ in 0..2 {
        make(&["ocr-install-files".into(), install.clone()]);
    }
    let into_itself = folder.join("ocr/include/include");
    assert!(!into_itself.is_symlink(), "{}", into_itself.display());
    let app = folder.join("app");
    fs::create_dir(&app).expect("target/ can be written");
    fs::write(app.join("outside.c"), OUTSIDE).expect("target/ can be written");
    fs::write(app.join("Makefile"), MAKEFILE).expect("target/ can be written");
    for (target, is_shared) in [("shared", true), ("static", false)] {
        let mut make = make_command();
        make.arg(format!("run-{target}"))
            .env("OCR_ROOT", folder.join("ocr"))
            .env("OCR_INSTALL", folder.join("ocr"))
            .env("OCR_WORKERS", "2")
            .current_dir(&app);
        let output = succeed(&mut make);
        let says = "arguments: 3, root: 2, workers: 2";
        assert!(output.contains(says), "{target}: {output}");
        assert_eq!(needs_shared_library(&app.join(target)), is_shared, "{target}");
    }
}

#[test]
fn another_ocr_is_not_overwritten() {
    let folder = fresh_folder("install-another");
    let header = folder.join("include/extensions/ocr-affinity.h");
    fs::create_dir_all(header.parent().expect("it is in a folder")).expect("target/ is writable");
    fs::write(&header, "").expect("target/ can be written");
    let mut make = make_command();
    make.arg("ocr-install-files").env("OCR_INSTALL", &folder);
    let output = make.current_dir(root()).output().expect("there is a make");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it was installed");
    assert!(errors.contains("has another OCR in it"), "{errors}");
    assert!(!folder.join("lib").exists(), "something was installed");
}

/// What the message about a missing `mainEdt` advises is what helps.
#[test]
fn a_hidden_main_edt_is_mended_as_the_message_says() {
    let folder = fresh_folder("install-hidden");
    let lib = installed().join("lib");
    let (shared, archive) = (lib.join("libocr.so"), lib.join("libocr.a"));
    let exported = r#"__attribute__((visibility("default")))"#;
    let built = |name: &str, before: &str, library: &Path| {
        let source = folder.join(format!("{name}.c"));
        let text = OUTSIDE.replace("\nocrGuid_t mainEdt", &format!("\n{before} ocrGuid_t mainEdt"));
        fs::write(&source, text).expect("target/ can be written");
        let include = format!("-I{}", installed().join("include/ocr").display());
        let library = library.display().to_string();
        let flags = ["-fvisibility=hidden", &include, &library, "-pthread", "-lm", "-ldl"];
        compile(&source, &folder.join(name), &flags.map(String::from));
        let mut command = Command::new(folder.join(name));
        command.env("LD_LIBRARY_PATH", &lib);
        command
    };
    let output = built("hidden", "", &shared).output().expect("it was built");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    for says in ["neither mainEdt nor main", exported, "link libocr.a"] {
        assert!(errors.contains(says), "no {says}: {errors}");
    }
    for (name, before, library) in [("exported", exported, &shared), ("static", "", &archive)] {
        let output = succeed(&mut built(name, before, library));
        assert!(output.contains("arguments: 1"), "{name}: {output}");
    }
}

/// A program without a dynamic loader runs; for a kernel a message says what to do.
#[test]
fn a_static_program_has_no_devices() {
    let folder = fresh_folder("install-without-loader");
    let archive = installed().join("lib/libocr.a").display().to_string();
    let include = format!("-I{}", installed().join("include/ocr").display());
    let flags = ["-static", &include, &archive, "-pthread", "-lm", "-ldl"].map(String::from);
    let built = |name: &str, text: &str| {
        let source = folder.join(format!("{name}.c"));
        fs::write(&source, text).expect("target/ can be written");
        compile(&source, &folder.join(name), &flags);
        Command::new(folder.join(name))
    };
    let output = succeed(&mut built("function", OUTSIDE));
    assert!(output.contains("arguments: 1"), "{output}");
    let kernel = OUTSIDE.replace("ocrShutdown();", ONLY_A_KERNEL);
    let output = built("kernel", &kernel).output().expect("it was built");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("Link it without -static"), "{errors}");
}
