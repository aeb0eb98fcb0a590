//! What runs learn is kept in files: what becomes of it when files are damaged or cannot be written, when programs run
//! at the same time, and when a kernel or a program has changed; and the command that shows it.

use ocr_place::model::{Content, KeptTimes, ModelEntry, ModelKey, Params, Store, ToldBy, today};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// An example with a template that has a C function and a kernel: 512 EDTs.
fn example() -> PathBuf {
    let path = root().join("build/examples/vector-scale-variants");
    assert!(path.exists(), "no {}: run `make` first", path.display());
    path
}

/// A directory that is not there.
fn fresh(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("models-{name}"));
    if path.is_dir() {
        let _ = fs::set_permissions(&path, Permissions::from_mode(0o700));
        fs::remove_dir_all(&path).expect("it is ours");
    }
    let _ = fs::remove_file(&path);
    path
}

/// A command without settings of the environment, and with these: half of the EDTs on devices, models in a directory.
fn command(program: &Path, models: &Path, settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program);
    for (variable, _) in std::env::vars().filter(|(name, _)| name.starts_with("OCR_")) {
        command.env_remove(variable);
    }
    command
        .env("OCR_WORKERS", "2")
        .env("OCR_DEVICES", "all")
        .env("OCR_SCHED", "static:1:1")
        .env("OCR_MODELS", models)
        .envs(settings.iter().copied())
        .stdin(Stdio::null());
    command
}

/// Runs the example, which must come to the right end, and returns what it said on the standard error.
fn run(program: &Path, models: &Path, settings: &[(&str, &str)]) -> String {
    let output = command(program, models, settings).output();
    let output = output.expect("it can be started");
    let [out, errors] = texts(&output);
    assert!(output.status.success() && out.contains("8 times: ok"), "{out}{errors}");
    assert!(!errors.contains("ocr: error"), "{errors}");
    errors
}

fn texts(output: &Output) -> [String; 2] {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// The command `ocr models` with these words: what it prints, what it says on the standard error, its status.
fn models(directory: &Path, words: &[&str]) -> (String, String, Option<i32>) {
    let mut command = command(Path::new(env!("CARGO_BIN_EXE_ocr")), directory, &[]);
    let output = command.arg("models").args(words).output();
    let output = output.expect("it can be started");
    let [out, errors] = texts(&output);
    (out, errors, output.status.code())
}

/// What is kept, by file; each file is whole.
fn kept(directory: &Path) -> Vec<(PathBuf, Content)> {
    let files = Store::new(directory.into()).files().expect("it can be listed");
    let whole = files.into_iter().map(|(path, content)| {
        let content = content.expect("it can be read");
        assert_eq!(content.damage, None, "{}", path.display());
        (path, content)
    });
    whole.collect()
}

fn entries(directory: &Path) -> Vec<ModelEntry> {
    let files = kept(directory).into_iter();
    files.flat_map(|(_, content)| content.entries).collect()
}

fn kernels(directory: &Path) -> Vec<ModelEntry> {
    let entries = entries(directory).into_iter();
    entries.filter(|entry| entry.key.variant.starts_with("kernel ")).collect()
}

/// Whether there is a device, so that something is learned.
fn has_device() -> bool {
    let mut command = command(Path::new(env!("CARGO_BIN_EXE_ocr")), Path::new("off"), &[]);
    let output = command.args(["info", "--require-device"]).output();
    let found = output.expect("it can be started").status.success();
    if !found {
        eprintln!("skipped: there is no OpenCL device");
    }
    found
}

#[test]
fn every_policy_adds_what_it_has_measured() {
    let directory = fresh("cpu");
    let mut before = 0;
    for policy in ["cpu", "cpu", "eager", "static:1:1", "random:1", "eft"] {
        run(&example(), &directory, &[("OCR_SCHED", policy)]);
        let found = entries(&directory);
        let functions = found.iter().filter(|entry| entry.key.variant == "function");
        let samples = functions.map(ModelEntry::samples).sum::<usize>();
        // What `eft` has measured may outvote older samples.
        let least = if policy == "eft" { 1 } else { before.max(1) };
        assert!(samples >= least, "{policy}: {found:?}");
        before = samples;
    }
    if has_device() {
        assert_ne!(kernels(&directory), []);
    }
}

/// Policies that choose for themselves what runs on devices add what they have measured there, too.
#[test]
fn policies_with_devices_add_what_they_have_measured() {
    let own = root().join("build/examples/policy/fastest.so");
    assert!(own.exists(), "no {}: run `make` first", own.display());
    let own = own.to_str().expect("UTF-8");
    for (number, policy) in ["device", "heteroprio", "locality", own].into_iter().enumerate() {
        let directory = fresh(&format!("adds-{number}"));
        let samples = || entries(&directory).iter().map(ModelEntry::samples).sum::<usize>();
        run(&example(), &directory, &[("OCR_SCHED", policy)]);
        let first = samples();
        assert!(first > 0, "{policy} keeps nothing");
        // Under this one each EDT is a kernel.
        if policy == "device" && has_device() {
            assert_ne!(kernels(&directory), [], "{policy}");
        }
        run(&example(), &directory, &[("OCR_SCHED", policy)]);
        assert!(samples() > 0, "{policy}");
    }
}

/// Nobody reads what no policy asks for: who does not read a file does not find it damaged.
#[test]
fn policies_that_do_not_ask_read_nothing() {
    let directory = fresh("not-read");
    run(&example(), &directory, &[("OCR_SCHED", "static:1:1")]);
    let files: Vec<PathBuf> = kept(&directory).into_iter().map(|(path, _)| path).collect();
    assert!(!files.is_empty());
    let damage = || files.iter().for_each(|path| fs::write(path, "damaged").expect("it can be written"));
    for policy in ["cpu", "device", "eager", "locality", "random:1", "static:1:1"] {
        damage();
        assert_eq!(run(&example(), &directory, &[("OCR_SCHED", policy)]), "", "{policy}");
    }
    damage();
    let said = run(&example(), &directory, &[("OCR_SCHED", "eft")]);
    assert!(said.contains("learned is lost in part or whole"), "{said}");
}

/// Strict mode makes functions slower, so what was measured there is of no use to other runs.
#[test]
fn strict_mode_keeps_nothing() {
    let directory = fresh("strict");
    run(&example(), &directory, &[("OCR_SCHED", "eager"), ("OCR_CHECK", "strict")]);
    assert_eq!(entries(&directory), []);
    run(&example(), &directory, &[("OCR_SCHED", "eager")]);
    assert_ne!(entries(&directory), []);
}

/// Rows of one template are told from each other by what their EDTs differ in, and builds of one program by the first
/// digits behind their names.
#[test]
fn rows_are_shown_with_what_distinguishes_them() {
    let directory = fresh("rows");
    let entry = |program: &str, told_by: ToldBy| ModelEntry {
        key: ModelKey::new(program, "work+0x10", "function"),
        bytes: 64,
        told_by,
        day: today(),
        times: KeptTimes { alone: vec![1_000_000], ..KeptTimes::default() },
    };
    let entries = vec![
        entry("twice:1a2b3c4d", ToldBy::Bytes),
        entry("twice:ffeeddcc", ToldBy::Only(Params::first_of(&[7, 1000]))),
        entry("once:00112233", ToldBy::Param { index: 1, value: 64 }),
        entry("once:00112233", ToldBy::Param { index: ToldBy::NAMED, value: 4096 }),
    ];
    let store = Store::new(directory.clone());
    store.add("a place", entries, Vec::new(), today(), true).expect("it can be written");
    let (out, errors, status) = models(&directory, &["show"]);
    assert!(status == Some(0) && errors.is_empty(), "{errors}");
    let has_row = |words: [&str; 2]| {
        let count = out.lines().filter(|line| words.iter().all(|word| line.contains(word))).count();
        assert_eq!(count, 1, "{words:?} in\n{out}");
    };
    assert!(out.lines().any(|line| line.contains(" parameters ")), "{out}");
    has_row(["twice:1a2b ", " any "]);
    has_row(["twice:ffee ", " (7, 1000) "]);
    has_row(["once ", " [1] = 64 "]);
    has_row(["once ", " product 4096 "]);
}

#[test]
fn runs_keep_what_they_learn_and_the_command_shows_it() {
    let directory = fresh("kept");
    let (out, _, status) = models(&directory, &[]);
    assert!(status == Some(0) && out.contains("Nothing is known"), "{out}");
    if !has_device() {
        return;
    }
    for _ in 0..2 {
        assert_eq!(run(&example(), &directory, &[]), "");
        let found = entries(&directory);
        assert!(found.len() >= 2, "{found:?}");
        for entry in &found {
            assert_eq!((entry.bytes, entry.day), (65536 * 4, today()));
            assert!((1..=22).contains(&entry.samples()), "{entry:?}");
            assert!(entry.key.template.starts_with("scaleEdt+0x"), "{entry:?}");
        }
    }
    let (out, errors, status) = models(&directory, &["list"]);
    assert!(status == Some(0) && errors.is_empty(), "{errors}");
    for text in ["functions on ", "kernels on ", " today\n"] {
        assert!(out.contains(text), "no `{text}` in\n{out}");
    }
    let (out, _, _) = models(&directory, &["show"]);
    for text in ["vector-scale-variants", "scaleEdt+0x", "vector_scale ", "256.0 KiB", "s "] {
        assert!(out.contains(text), "no `{text}` in\n{out}");
    }
    let (out, _, _) = models(&directory, &["show", "vector_scale"]);
    assert!(out.contains("kernels on ") && !out.contains("functions on "), "{out}");
    let (out, _, status) = models(&directory, &["show", "nobody"]);
    assert!(status == Some(0) && out.contains("Nothing is known of \"nobody\""), "{out}");
    let (_, errors, status) = models(&directory, &["remove", "nobody"]);
    assert!(status == Some(1) && errors.contains("nothing is known of"), "{errors}");
    let (_, errors, status) = models(&directory, &["remove"]);
    assert!(status == Some(2) && errors.contains("ocr models remove <FILTER|--all>"), "{errors}");
    let (out, _, status) = models(&directory, &["remove", "vector_scale"]);
    assert!(status == Some(0) && out.contains("Removed 1 entry, and 1 file"), "{out}");
    assert!(kernels(&directory).is_empty() && !entries(&directory).is_empty());
    assert_eq!(models(&directory, &["remove", "--all"]).2, Some(0));
    assert_eq!(kept(&directory), []);
}

#[test]
fn damaged_files_are_told_once_and_written_anew() {
    if !has_device() {
        return;
    }
    let directory = fresh("damaged");
    run(&example(), &directory, &[]);
    let whole: Vec<(PathBuf, Vec<u8>)> =
        kept(&directory).into_iter().map(|(path, _)| (path.clone(), fs::read(path).expect("it is there"))).collect();
    type Damage = fn(&[u8]) -> Vec<u8>;
    let damages: [(&str, Damage); 6] = [
        ("cut in half", |whole| whole[..whole.len() / 2].to_vec()),
        ("empty", |_| Vec::new()),
        ("of another version", |whole| {
            let text = String::from_utf8_lossy(whole).replacen("models 2", "models 9", 1);
            text.into_bytes()
        }),
        ("garbage", |whole| whole.iter().map(|byte| byte ^ 0x5a).collect()),
        ("other numbers", |whole| {
            let text = String::from_utf8_lossy(whole).replace("bytes=26", "bytes=99");
            text.into_bytes()
        }),
        ("numbers that are none", |whole| {
            let text = String::from_utf8_lossy(whole).replace("bytes=", "bytes=1e9,-1,NaN");
            text.into_bytes()
        }),
    ];
    for (what, damage) in damages {
        for (path, whole) in &whole {
            fs::write(path, damage(whole)).expect("it can be written");
        }
        let (_, errors, status) = models(&directory, &["show"]);
        assert_eq!((errors.matches("ocr: note: ").count(), status), (whole.len(), Some(0)), "{what}");
        let said = run(&example(), &directory, &[("OCR_SCHED", "eft")]);
        assert_eq!(said.matches("ocr: note: ").count(), whole.len(), "{what}: {said}");
        assert!(said.contains("learned is lost in part or whole"), "{what}: {said}");
        run(&example(), &directory, &[]);
        // They are whole again.
        assert_eq!(kept(&directory).len(), whole.len(), "{what}");
        assert_eq!(run(&example(), &directory, &[]), "", "{what}");
    }
}

#[test]
fn what_cannot_be_read_or_written_fails_nothing() {
    if !has_device() {
        return;
    }
    let file = fresh("a-file");
    fs::write(&file, "not a directory").expect("target/ can be written");
    let under_file = file.join("deep");
    let locked = fresh("locked");
    fs::create_dir_all(&locked).expect("target/ can be written");
    fs::set_permissions(&locked, Permissions::from_mode(0o500)).expect("it is ours");
    // Root may write everywhere but here.
    let system = Path::new("/proc/ocr-models");
    for directory in [&*file, &under_file, &locked, system] {
        assert_eq!(run(&example(), directory, &[]), "", "{}", directory.display());
        let said = run(&example(), directory, &[("OCR_STATS", "1")]);
        let about = |text: &str| said.lines().filter(|line| line.contains(text)).count();
        assert!(about("ocr: note: what this run has learned cannot be kept: ") <= 1, "{said}");
        if directory == system {
            assert_eq!(about("cannot be kept: /proc/ocr-models: "), 1, "{said}");
        }
    }
    let blocked = fresh("blocked");
    run(&example(), &blocked, &[]);
    for (path, _) in kept(&blocked) {
        fs::remove_file(&path).expect("it is there");
        fs::create_dir(&path).expect("target/ can be written");
    }
    assert_eq!(run(&example(), &blocked, &[]), "");
    let said = run(&example(), &blocked, &[("OCR_STATS", "1"), ("OCR_SCHED", "eft")]);
    assert!(said.contains("what earlier runs have learned cannot be read: "), "{said}");
    let (_, errors, status) = models(&blocked, &["list"]);
    assert!(status == Some(0) && errors.contains("it is no file"), "{errors}");
}

#[test]
fn programs_that_run_at_once_damage_nothing() {
    if !has_device() {
        return;
    }
    let (directory, programs) = (fresh("at-once"), fresh("programs"));
    fs::create_dir_all(&programs).expect("target/ can be written");
    let programs = ["one", "two", "three"].map(|name| {
        let path = programs.join(name);
        fs::copy(example(), &path).expect("it can be copied");
        path
    });
    let kernels = root().join("kernels");
    let kernels = [("OCR_KERNELS", kernels.to_str().expect("UTF-8"))];
    let start = |program: &PathBuf| {
        let mut command = command(program, &directory, &kernels);
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("it can be started")
    };
    // Each program twice.
    let running: Vec<_> = programs.iter().chain(&programs).map(start).collect();
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success() && output.stderr.is_empty(), "{}", texts(&output)[1]);
    }
    for (path, content) in kept(&directory) {
        assert!(!content.entries.is_empty(), "{}", path.display());
    }
    // The last one to write has found what the others had written, unless it got no lock.
    for program in &programs {
        run(program, &directory, &kernels);
    }
    let found = entries(&directory);
    for name in ["one:", "two:", "three:"] {
        let of = found.iter().filter(|entry| entry.key.program.starts_with(name));
        assert!(of.count() >= 2, "{name} {found:?}");
    }
}

#[test]
fn changed_kernels_and_programs_begin_anew() {
    if !has_device() {
        return;
    }
    const FAKE: u64 = 123_456_789;
    let (directory, sources, programs) = (fresh("changed"), fresh("sources"), fresh("anew"));
    for folder in [&sources, &programs] {
        fs::create_dir_all(folder).expect("target/ can be written");
    }
    let program = programs.join("program");
    fs::copy(example(), &program).expect("it can be copied");
    let source = sources.join("vector-scale.cl");
    let text = fs::read_to_string(root().join("kernels/vector-scale.cl")).expect("it is there");
    fs::write(&source, &text).expect("target/ can be written");
    // Two of the EDTs run on a device, and the first of them does not count, so what was known before is seen beside
    // them.
    let kernels_from = sources.to_str().expect("UTF-8");
    let few = [("OCR_KERNELS", kernels_from), ("OCR_SCHED", "static:255:1")];
    run(&program, &directory, &few);
    let [first] = &kernels(&directory)[..] else { panic!("{:?}", entries(&directory)) };
    let first = first.key.clone();
    for (path, content) in kept(&directory) {
        let store = Store::new(directory.clone());
        fs::remove_file(path).expect("it is there");
        let fake = content.entries.into_iter().map(|entry| ModelEntry {
            times: KeptTimes { alone: vec![FAKE; 11], beside: vec![FAKE; 11], ..KeptTimes::default() },
            ..entry
        });
        store.add(&content.place, fake.collect(), content.copies, today(), true).expect("it can be written");
    }
    let fakes = |entry: &ModelEntry| {
        let samples = entry.times.alone.iter().chain(&entry.times.beside);
        samples.filter(|&&ns| ns == FAKE).count()
    };
    // The same kernel, so what is known of it is taken in.
    run(&program, &directory, &few);
    let found = kernels(&directory);
    assert!(found.len() == 1 && found[0].samples() == 22 && (1..22).contains(&fakes(&found[0])), "{found:?}");
    // Another kernel of the same name.
    fs::write(&source, format!("{text}\n/* changed */\n")).expect("target/ can be written");
    run(&program, &directory, &few);
    let found = kernels(&directory);
    let [new] = &found.iter().filter(|entry| entry.key != first).collect::<Vec<_>>()[..] else { panic!("{found:?}") };
    assert!(fakes(new) == 0 && new.samples() <= 2, "{new:?}");
    // Another program of the same name: nothing of the former is taken in.
    let changed = fs::File::options().append(true).open(&program);
    let changed = changed.and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH));
    changed.expect("the program is ours");
    run(&program, &directory, &few);
    let found = entries(&directory);
    let new: Vec<_> = found.iter().filter(|entry| entry.key.program != first.program).collect();
    assert!(new.len() == 2 && new.iter().all(|entry| fakes(entry) == 0), "{new:?}");
}

#[test]
fn models_can_be_off_and_homes_missing() {
    let home = fresh("home");
    fs::create_dir_all(&home).expect("target/ can be written");
    let home_text = home.to_str().expect("UTF-8");
    let off = [("HOME", home_text), ("OCR_MODELS", "off"), ("XDG_CACHE_HOME", home_text)];
    run(&example(), &home, &off);
    assert!(!home.join(".cache/ocr").exists() && !home.join("ocr").exists());
    // Every policy keeps what it has measured.
    let mut plain = command(&example(), &home, &[("HOME", home_text), ("OCR_SCHED", "eager")]);
    plain.env_remove("OCR_MODELS").env_remove("XDG_CACHE_HOME");
    assert!(plain.output().expect("it can be started").status.success());
    assert!(home.join(".cache/ocr/models").exists());
    for policy in ["eager", "static:1:1"] {
        let mut homeless = command(&example(), &home, &[("OCR_SCHED", policy)]);
        for variable in ["HOME", "XDG_CACHE_HOME", "OCR_MODELS"] {
            homeless.env_remove(variable);
        }
        let output = homeless.output().expect("it can be started");
        assert!(output.status.success(), "{}", texts(&output)[1]);
    }
    let (out, _, status) = models(Path::new("off"), &[]);
    assert!(status == Some(0) && out.contains("$OCR_MODELS says so"), "{out}");
    let mut homeless = command(Path::new(env!("CARGO_BIN_EXE_ocr")), &home, &[]);
    for variable in ["HOME", "XDG_CACHE_HOME", "OCR_MODELS"] {
        homeless.env_remove(variable);
    }
    let output = homeless.arg("models").output().expect("it can be started");
    assert!(texts(&output)[0].contains("HOME is not set"), "{output:?}");
}
