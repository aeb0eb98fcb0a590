//! What is installed for people and for other tools: man pages, completions, a package for CMake; and what is packed:
//! the crate, and the archive of a release with its recipe for Spack.

use super::{OUTSIDE, fresh_folder, installed, make, needs_shared_library, root, succeed};
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let names = entries.map(|entry| entry.expect("it can be read").file_name());
    let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    names.sort();
    names
}

#[test]
fn man_pages_tell_of_all_commands() {
    let pages = installed().join("share/man/man1");
    // The makefile names them, so that they can be taken away again.
    let installed = names(&pages);
    assert_eq!(installed, names(&root().join("build/share/man/man1")));
    assert!(installed.contains(&"ocr-tune.1".to_string()));
    for page in &installed {
        let text = fs::read_to_string(pages.join(page)).expect("it is text");
        let mut parts = vec!["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"];
        if page != "ocr.1" {
            parts.push("OPTIONS");
        }
        for part in parts {
            let heading = format!(".SH {part}\n");
            let quoted = format!(".SH \"{part}\"\n");
            assert!(text.contains(&heading) || text.contains(&quoted), "{page}: no {part}");
        }
        for says in ["OCR_WORKERS", ".BR ocr"] {
            assert!(text.contains(says), "{page}: no {says}");
        }
        assert!(!text.contains("generate"), "{page}");
    }
    // As a reader sees it, where there is one.
    let mut man = Command::new("man");
    man.args(["-l", "--warnings"]).arg(pages.join("ocr-tune.1"));
    man.arg(pages.join("../man7/ocr-settings.7"));
    man.envs([("MANPAGER", "cat"), ("LC_ALL", "C.UTF-8"), ("MANWIDTH", "100")]);
    match man.output() {
        Ok(output) if output.status.success() && !output.stdout.is_empty() => {
            let text = String::from_utf8_lossy(&output.stdout);
            // Lines are broken, and filled with blanks, as they fit.
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains("--vary <NAME=VALUES>"), "{text}");
            assert!(text.contains("[--runs-budget N]"), "{text}");
            assert!(text.contains("OCR_WORKERS, -ocr:workers"), "{text}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        }
        _ => eprintln!("skipped: there is no man that shows pages"),
    }
}

#[test]
fn the_page_of_settings_and_the_guide_are_installed() {
    let share = installed().join("share");
    let read = |name: &str| fs::read_to_string(share.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
    let settings = read("man/man7/ocr-settings.7");
    assert!(settings.contains("OCR_WORKERS") && settings.contains(".TH \"ocr-settings\" \"7\""));
    let export = read("man/man1/ocr-trace-export.1");
    let synopsis = "[\\fB\\-\\-format\\fR perfetto|json|html|dot|graphml]";
    assert!(export.contains(synopsis), "{export}");
    assert!(export.contains(".BR ocr\\-settings (7)"));
    // Each chapter that the table of contents names.
    let contents = read("doc/ocr/guide/SUMMARY.md");
    let chapters = contents.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let chapters: Vec<String> = chapters.map(|(name, _)| read(&format!("doc/ocr/guide/{name}"))).collect();
    assert!(chapters.len() > 20 && chapters.iter().all(|text| text.starts_with("# ")));
}

#[test]
fn shells_complete_the_command() {
    let share = installed().join("share");
    let script = share.join("bash-completion/completions/ocr");
    let complete = |words: &str| {
        let line = format!(
            ". '{}'; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             $(complete -p ocr | sed 's/.*-F \\([^ ]*\\).*/\\1/') ocr \"${{COMP_WORDS[COMP_CWORD]}}\" \
             \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        succeed(Command::new("bash").arg("-c").arg(line))
    };
    assert_eq!(complete("ocr tu").trim(), "tune");
    assert_eq!(complete("ocr tune --runs").trim(), "--runs-budget");
    assert_eq!(complete("ocr trace sh").trim(), "show");
    assert_eq!(complete("ocr gener").trim(), "");
    for name in ["zsh/site-functions/_ocr", "fish/vendor_completions.d/ocr.fish"] {
        let text = fs::read_to_string(share.join(name)).expect("it is installed");
        assert!(text.contains("runs-budget") && !text.contains("generate"), "{name}");
    }
}

const PROJECT: &str = r#"
cmake_minimum_required(VERSION 3.16)
project(outside C)
find_package(ocr @VERSION@ REQUIRED)
add_executable(shared outside.c)
target_link_libraries(shared ocr::ocr m)
add_executable(static outside.c)
target_link_libraries(static ocr::static)
"#;

#[test]
fn cmake_finds_an_installation_that_was_moved() {
    if Command::new("cmake").arg("--version").output().is_err() {
        eprintln!("skipped: there is no cmake");
        return;
    }
    let folder = fresh_folder("install-cmake");
    // Libraries in a folder of their own, as distributions have them.
    let before = folder.join("before");
    make(&[
        "install-files".into(),
        format!("PREFIX={}", before.display()),
        format!("LIBDIR={}/lib/of-this-machine", before.display()),
    ]);
    let moved = folder.join("moved to");
    fs::rename(&before, &moved).expect("target/ can be written");
    let project = folder.join("project");
    fs::create_dir(&project).expect("target/ can be written");
    fs::write(project.join("outside.c"), OUTSIDE).expect("target/ can be written");
    let configured = |version: &str, name: &str| {
        let text = PROJECT.replace("@VERSION@", version);
        fs::write(project.join("CMakeLists.txt"), text).expect("target/ can be written");
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(&project).arg("-B").arg(folder.join(name));
        let place = moved.join("lib/of-this-machine/cmake/ocr");
        cmake.arg(format!("-Docr_DIR={}", place.display()));
        cmake.output().expect("there is a cmake")
    };
    let version = env!("CARGO_PKG_VERSION");
    let (minor, _) = version.rsplit_once('.').expect("it has three numbers");
    let output = configured(minor, "build");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    succeed(Command::new("cmake").arg("--build").arg(folder.join("build")));
    for (name, is_shared) in [("shared", true), ("static", false)] {
        let program = folder.join("build").join(name);
        let mut run = Command::new(&program);
        run.envs([("OCR_WORKERS", "2"), ("OCR_MODELS", "off")]);
        assert!(succeed(&mut run).contains("arguments: 1, root: 2, workers: 2"));
        assert_eq!(needs_shared_library(&program), is_shared, "{name}");
    }
    // Another minor version is another interface.
    for wanted in ["0.99", "1.0"] {
        let output = configured(wanted, wanted);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "version {wanted} was found");
        assert!(errors.contains("requested version"), "{errors}");
    }
    // There are no components, so none is found; one that may be missing is no fault.
    let with_component = format!("{minor} COMPONENTS nonsense");
    let output = configured(&with_component, "component");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "a component was found");
    assert!(errors.contains("no component \"nonsense\""), "{errors}");
    let output = configured(&format!("{minor} OPTIONAL_COMPONENTS nonsense"), "optional");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

#[test]
fn the_packages_of_cargo_have_what_they_are_built_of() {
    let files_of = |package: &str| {
        let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let mut list = Command::new(cargo);
        list.args(["package", "--list", "--allow-dirty", "--offline", "--package", package]).current_dir(root());
        succeed(&mut list)
    };
    let library = [
        "Cargo.lock",
        "build.rs",
        "include/extensions/ocr-hints.h",
        "src/capi/shim.c",
        "src/capi/loader.c",
        "README.md",
        "LICENSE-MIT",
    ];
    let command = ["src/main.rs", "README.md"];
    let analysis = ["src/lib.rs", "src/page/page.html", "README.md"];
    let places = ["src/lib.rs", "src/policy/eft.rs", "README.md"];
    for (package, needed) in
        [("ocr", &library[..]), ("ocr-cli", &command), ("ocr-analysis", &analysis), ("ocr-place", &places)]
    {
        let list = files_of(package);
        let files: Vec<&str> = list.lines().collect();
        for file in needed {
            assert!(files.contains(file), "no {file} in {package}");
        }
    }
    let list = files_of("ocr");
    let is_other =
        |file: &&str| ["tests/", "benches/", ".ci/", "crates/"].iter().any(|folder| file.starts_with(folder));
    assert_eq!(list.lines().find(is_other), None);
}

#[test]
fn an_archive_is_always_the_same() {
    if !root().join(".git").exists() {
        eprintln!("skipped: this is no checkout of git");
        return;
    }
    let archive = root().join(format!("build/dist/ocr-{}.tar.gz", env!("CARGO_PKG_VERSION")));
    let made = || {
        make(&["dist".into()]);
        fs::read(&archive).expect("it was made")
    };
    let first = made();
    assert!(first == made(), "two archives of one commit differ");
    let list = succeed(Command::new("tar").arg("-tzf").arg(&archive));
    let folder = concat!("ocr-", env!("CARGO_PKG_VERSION"), "/");
    assert!(list.lines().all(|line| line.starts_with(folder)), "{list}");
    for file in ["Makefile", "Cargo.lock", "README.md", "include/ocr.h", "LICENSE-MIT"] {
        assert!(list.contains(&format!("{folder}{file}\n")), "no {file}");
    }
    // Spack checks the archive, and reads Python.
    let recipe = archive.with_file_name("spack/packages/ocr/package.py");
    let text = fs::read_to_string(&recipe).expect("it was made");
    let sum = succeed(Command::new("sha256sum").arg(&archive));
    let sum = sum.split(' ').next().expect("a sum");
    let line = format!("version(\"{}\", sha256=\"{sum}\")", env!("CARGO_PKG_VERSION"));
    for says in [&line, concat!("rust@", env!("CARGO_PKG_RUST_VERSION"), ":")] {
        assert!(text.contains(says), "no {says} in {text}");
    }
    let read = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
    let mut python = Command::new("python3");
    match python.args(["-c", read]).arg(&recipe).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => eprintln!("skipped: there is no python3"),
    }
}
