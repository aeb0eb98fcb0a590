//! What is said where OpenCL lacks something of the machine: folders, drivers, a linker, a library.

use super::{Answer, example, is_pocl_alone, ocr, root};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Runs an example that has a kernel and no C function, on a CPU device if there is one, with variables of the
/// environment.
fn vector_scale(before: &[&str], variables: &[(&str, &str)]) -> Answer {
    let example = example("vector-scale");
    let words: Vec<&str> = (before.iter().copied()).chain([example.as_str()]).collect();
    let mut command = Command::new(words[0]);
    for (variable, _) in std::env::vars() {
        let of_pocl = variable.starts_with("POCL_");
        if of_pocl || variable.starts_with("OCR_") || variable.starts_with("XDG_") {
            command.env_remove(variable);
        }
    }
    command.env("OCR_MODELS", "off");
    command.args(&words[1..]).envs(variables.iter().copied());
    let output = command.stdin(Stdio::null()).output();
    let output = output.expect("it can be started");
    Answer {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// An empty folder of this name.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("target/ can be written");
    path
}

/// As for a user without a home, but for the superuser, too: below a file there is no folder.
#[test]
fn pocl_without_a_folder_is_explained() {
    if !is_pocl_alone() {
        return;
    }
    let cache = root().join("Cargo.toml/cache").display().to_string();
    let set = [("POCL_CACHE_DIR", &*cache)];
    let says = ["Cargo.toml/cache (by POCL_CACHE_DIR), which cannot be made: "];
    let answer = vector_scale(&[], &set);
    assert_ne!(answer.status, Some(0));
    answer.says(&says).says(&["Set POCL_CACHE_DIR to a folder"]);
    let text = ocr(&["info"], &set).is(0, &["none. "]).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(says[0]), "{text}");
}

#[test]
fn variables_that_leave_pocl_without_a_device_are_named() {
    if !is_pocl_alone() {
        return;
    }
    for (name, value, says) in [
        ("POCL_CACHE_DIR", "", "is not used: POCL_CACHE_DIR is set and empty, for which PoCL would end the process"),
        ("POCL_DEVICES", "", "chosen by POCL_DEVICES=\"\""),
        ("POCL_DEVICES", "bogus", "chosen by POCL_DEVICES=\"bogus\""),
    ] {
        let set = [(name, value)];
        let text = ocr(&["info", "--short"], &set).is(0, &[]).stdout;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // Later versions may have devices even so.
        if text.contains(", driver ") {
            continue;
        }
        assert!(text.contains(says), "no `{says}` in\n{text}");
        let answer = vector_scale(&[], &set);
        assert_eq!(answer.status, Some(1), "{}", answer.stderr);
        assert!(!answer.stderr.contains("corrupted"), "{}", answer.stderr);
        answer.says(&[if name == "POCL_DEVICES" { "`ocr info` checks" } else { says }]);
    }
}

/// A list of which a part is right is used, and `ocr info` names the rest of it.
#[test]
fn drivers_of_pocl_that_give_no_device_are_named() {
    if !is_pocl_alone() {
        return;
    }
    let set = [("POCL_DEVICES", "pthread bogus")];
    let says = "POCL_DEVICES is \"pthread bogus\", but the driver \"bogus\" has given no device";
    let text = ocr(&["info", "--short"], &set).is(0, &[]).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(says), "no `{says}` in\n{text}");
    let answer = vector_scale(&[], &set);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    let right = ocr(&["info", "--short"], &[("POCL_DEVICES", "pthread")]).is(0, &[]);
    assert!(!right.stdout.contains("given no device"), "{}", right.stdout);
}

/// LLVM ends the process in the middle of a launch, from a thread of its own.
#[test]
fn a_folder_of_pocl_that_is_full_at_a_launch_is_explained() {
    if !is_pocl_alone() {
        return;
    }
    let cache = folder("small");
    let cache = cache.display().to_string();
    let set = [("POCL_CACHE_DIR", &*cache)];
    let mut ended = false;
    // Some sizes are enough for the build, and not for the launch.
    for size in ["16k", "48k", "96k"] {
        let mount = format!("mount -t tmpfs -o size={size} tmpfs '{cache}'");
        let runs = format!("{mount} || exit 77; exec \"$0\"");
        let answer = vector_scale(&["unshare", "-m", "sh", "-c", &runs], &set);
        if matches!(answer.status, Some(77)) || answer.stderr.contains("unshare") {
            eprintln!("skipped: nothing can be mounted here");
            return;
        }
        if answer.status == Some(0) {
            continue;
        }
        ended = true;
        assert!(answer.stderr.contains("ocr: error: "), "{}", answer.stderr);
        assert!(!answer.stderr.contains("corrupted"), "{}", answer.stderr);
        answer.says(&[&cache, "POCL_CACHE_DIR"]);
    }
    assert!(ended, "PoCL has room for all it compiles in 16 KiB");
}

#[test]
fn pocl_without_a_linker_is_explained() {
    if !is_pocl_alone() {
        return;
    }
    let cache = folder("no-linker").display().to_string();
    let set = [("POCL_CACHE_DIR", &*cache), ("PATH", "/nonexistent")];
    let answer = vector_scale(&[], &set);
    if answer.status == Some(0) {
        eprintln!("skipped: this PoCL needs no ld");
        return;
    }
    assert!(!answer.stderr.contains("corrupted"), "{}", answer.stderr);
    answer.says(&[
        "OpenCL itself has ended the program (abort), and the lines above may say why",
        "there is no ld in PATH (/nonexistent)",
    ]);
}

/// Mounts need the superuser, and not each sandbox lets that one.
#[test]
fn folders_that_pocl_cannot_use_are_explained() {
    if !is_pocl_alone() {
        return;
    }
    let cache = folder("mounted");
    let cache = cache.display().to_string();
    let set = [("POCL_CACHE_DIR", &*cache)];
    for (options, says) in [
        ("noexec", "from which no code can be loaded (is it mounted noexec?): "),
        ("ro", "(by POCL_CACHE_DIR), in which nothing can be written: Read-only file system"),
    ] {
        let mount = format!("mount -t tmpfs -o {options} tmpfs '{cache}'");
        let unshare = ["unshare", "-m", "sh", "-c"];
        let tried = Command::new(unshare[0]).args(&unshare[1..]).arg(&mount).output();
        if !tried.is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: nothing can be mounted here");
            return;
        }
        let runs = format!("{mount} && exec \"$0\"");
        let words = [&unshare[..], &[&runs]].concat();
        let answer = vector_scale(&words, &set);
        assert_eq!(answer.status, Some(1), "{}", answer.stderr);
        let wrong = ["does not compile", "corrupted"];
        assert!(!wrong.iter().any(|word| answer.stderr.contains(word)), "{}", answer.stderr);
        answer.says(&[says, "Set POCL_CACHE_DIR to a folder"]);
    }
}

#[test]
fn icd_files_that_name_no_driver_are_explained() {
    if !is_pocl_alone() {
        return;
    }
    let driver = fs::read_dir("/etc/OpenCL/vendors").ok().and_then(|mut found| found.next()?.ok());
    let Some(driver) = driver.and_then(|file| fs::read_to_string(file.path()).ok()) else {
        eprintln!("skipped: there is no .icd file in /etc/OpenCL/vendors");
        return;
    };
    let driver = driver.trim();
    let vendors = folder("vendors");
    let file = vendors.join("one.icd");
    let place = vendors.display().to_string();
    let set = [("OCL_ICD_VENDORS", &*place)];
    let info = |content: &str| {
        fs::write(&file, content).expect("it is ours");
        let text = ocr(&["info", "--short"], &set).is(0, &[]).stdout;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (content, says) in [
        ("/nonexistent/driver.so\n".to_string(), "could not load it (/nonexistent/driver.so: "),
        (String::new(), "names no library"),
        (format!("{driver}\r\n"), "a carriage return at the end of the line"),
        (format!("{driver} \n"), "a blank beside the name"),
        (format!("\n{driver}\n"), "an empty line before the name"),
    ] {
        let text = info(&content);
        // A loader that takes it is right, too.
        let taken = text.contains(", driver ") && !content.starts_with('/') && !content.is_empty();
        assert!(taken || text.contains(says), "no `{says}` in\n{text}");
    }
    // One without a newline is as good.
    let text = info(driver);
    assert!(text.contains(", driver ") && !text.contains("one.icd names"), "{text}");
    fs::write(vendors.join("two.icd"), "/nonexistent/driver.so\n").expect("it is ours");
    let text = info(driver);
    assert!(text.contains(", driver ") && text.contains("two.icd names /nonexistent/driver.so: "), "{text}");
    vector_scale(&[], &set).is(0, &["ok"]);
}

#[test]
fn a_library_that_is_passed_over_is_told() {
    if !is_pocl_alone() {
        return;
    }
    let set = [("OPENCL_DYLIB_PATH", "/nonexistent/libOpenCL.so")];
    let warning = "OPENCL_DYLIB_PATH names /nonexistent/libOpenCL.so, which the system could not load (";
    let answer = vector_scale(&[], &set).is(0, &["ok"]);
    answer.says(&[&format!("ocr: warning: {warning}"), "cannot open shared object file", "is used instead"]);
    ocr(&["info", "--short"], &set).is(0, &["Note: OPENCL_DYLIB_PATH names"]);
    for empty in ["", ";libOpenCL.so.1"] {
        let answer = vector_scale(&[], &[("OPENCL_DYLIB_PATH", empty)]);
        assert_eq!(answer.status, Some(1));
        answer.says(&["OPENCL_DYLIB_PATH holds an empty name", "or unset OPENCL_DYLIB_PATH"]);
    }
    let answer = vector_scale(&[], &[("OPENCL_DYLIB_PATH", "libc.so.6")]);
    assert_eq!(answer.status, Some(1));
    answer.says(&["libc.so.6, which is loaded but is not OpenCL"]);
    let good = vector_scale(&[], &[("OPENCL_DYLIB_PATH", "libOpenCL.so.1")]);
    assert!(!good.stderr.contains("OPENCL_DYLIB_PATH"), "{}", good.stderr);
}
