use super::*;
use std::os::unix::ffi::OsStringExt;

fn words(text: &str) -> Vec<OsString> {
    text.split(' ').map(OsString::from).collect()
}

#[test]
fn runtime_options_are_taken_out() {
    let mut args = words("prog a -ocr:workers 3 b -ocr:sched=static:1:2 --ocr:num-threads 5 c");
    let given = GivenArguments::take_from(&mut args).expect("right");
    assert_eq!(args, words("prog a b c"));
    assert_eq!((given.file, given.request), (None, Request::Run));
    let given: Vec<_> = given.settings.iter().map(|(s, v)| (s.name, v.to_str().expect("UTF-8"))).collect();
    assert_eq!(given, [("workers", "3"), ("sched", "static:1:2"), ("workers", "5")]);
}

#[test]
fn options_of_other_implementations_are_taken_out() {
    let mut args = words("prog a --ocr:load b --ocr:save 60 --ocr:fake-nodes=2 c --ocr:client d");
    let given = GivenArguments::take_from(&mut args).expect("right");
    assert_eq!(args, words("prog a b c d"));
    assert!(given.settings.is_empty());
}

#[test]
fn a_settings_file_need_not_be_named() {
    let mut args = words("prog a -ocr:cfg");
    let given = GivenArguments::take_from(&mut args).expect("right");
    assert_eq!((args, given.file), (words("prog a"), None));
}

#[test]
fn models_are_off_or_in_a_directory() {
    assert_eq!(parse_models(OsStr::new("off")), Ok(Models::Off));
    assert_eq!(parse_models(OsStr::new("0")), Ok(Models::Off));
    let models = parse_models(OsStr::new("/tmp/models")).expect("a directory");
    assert_eq!(models, Models::In("/tmp/models".into()));
    assert_eq!(models.to_string(), "/tmp/models");
}

#[test]
fn retries_are_off_a_number_or_verified() {
    for (text, retry) in [("off", Retry::Off), ("0", Retry::Off), ("3", Retry::Times(3)), ("Verify", Retry::Verify)] {
        assert_eq!(parse_retry(text), Ok(retry));
    }
    for text in ["-1", "1001", "twice", ""] {
        assert!(parse_retry(text).is_err(), "{text}");
    }
    assert_eq!([Retry::Off, Retry::Times(3), Retry::Verify].map(|retry| retry.to_string()), ["off", "3", "verify"]);
}

#[test]
fn a_hint_goes_before_the_number_of_retries() {
    let all = [Retry::Off, Retry::Times(3), Retry::Verify];
    let with = |hint| all.map(|retry| retry.with_hint(hint));
    assert_eq!(with(None), all);
    assert_eq!(with(Some(0)), [Retry::Off; 3]);
    assert_eq!(with(Some(7)), [Retry::Off, Retry::Times(7), Retry::Verify]);
    assert_eq!(with(Some(u64::MAX))[1], Retry::Times(1000));
}

#[test]
fn words_are_the_same_in_capital_letters() {
    for text in ["Off", "OFF", " off "] {
        assert_eq!(parse_models(OsStr::new(text)), Ok(Models::Off));
        assert_eq!(parse_patience(text), Ok(None));
        assert_eq!(parse_flag(text), Ok(false));
        assert_eq!(parse_checks(text), Ok(Checks::Off));
        assert_eq!(parse_bind(text), Ok(Bind::Off));
    }
    assert_eq!(parse_checks("Strict"), Ok(Checks::Strict));
    assert_eq!(parse_flag("True"), Ok(true));
    let mut args = words("p -ocr:sched=Static:1:2 -ocr:devices=NONE");
    let given = GivenArguments::take_from(&mut args).expect("right");
    let settings = Settings::with(&given).expect("right");
    assert_eq!(*settings.sched, "static:1:2");
    assert_eq!(*settings.devices, Selection::None);
    // A directory may be called so.
    assert!(matches!(parse_models(OsStr::new("./Off")), Ok(Models::In(_))));
}

#[test]
fn the_program_name_is_left_alone() {
    let mut args = words("-ocr:help x");
    let given = GivenArguments::take_from(&mut args).expect("right");
    assert_eq!(given.request, Request::Run);
    assert_eq!(args, words("-ocr:help x"));
}

#[test]
fn wrong_options_say_what_is_right() {
    let message = GivenArguments::take_from(&mut words("p -ocr:worker 2")).map(|_| ()).unwrap_err();
    assert!(message.contains("\"worker\" (do you mean workers?); there are: workers,"), "{message}");
    let message = GivenArguments::take_from(&mut words("p -ocr:zzz 2")).map(|_| ()).unwrap_err();
    assert!(!message.contains("do you mean"), "{message}");
    let message = GivenArguments::take_from(&mut words("p -ocr:workers")).map(|_| ()).unwrap_err();
    assert!(message.contains("wants a value"), "{message}");
}

#[test]
fn misspelt_variables_are_told() {
    let names = ["OCR_WORKRES", "OCR_CHECKS", "OCR_CHECK", "OCR_TYPE", "OCR_ROOT", "PATH"];
    let names = names.into_iter().map(OsString::from);
    let odd = OsString::from_vec(b"OCR_REPOR\xff".to_vec());
    let told = misspelt(names.chain([odd]));
    let told: Vec<_> = told.iter().map(|(name, near)| (name.as_str(), *near)).collect();
    assert_eq!(told, [("OCR_WORKRES", "OCR_WORKERS"), ("OCR_CHECKS", "OCR_CHECK"), ("OCR_REPOR\\xff", "OCR_REPORT")]);
}

#[test]
fn sizes_and_counts() {
    assert_eq!(parse_bytes("64M"), Ok(64 << 20));
    assert_eq!(parse_bytes("1GiB"), Ok(1 << 30));
    for wrong in ["", "M", "-1", "0", "1.5G", "12X", "99999999999G"] {
        assert!(parse_bytes(wrong).is_err(), "{wrong}");
    }
    for wrong in ["0", "-1", "two", "100000"] {
        assert!(parse_workers(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_privileged_program_takes_no_names_of_files() {
    let folder = std::env::temp_dir();
    let mut words: Vec<OsString> = ["program", "-ocr:workers=3", "-ocr:devices=all"].map(Into::into).into();
    for name in ["report", "trace", "halt-dot", "platform", "checkpoint", "restore", "models", "sched", "mpi"] {
        words.push(format!("-ocr:{name}={}/x", folder.display()).into());
    }
    words.push("-ocr:cfg=/nowhere/settings.toml".into());
    let given = GivenArguments::take_from(&mut words).expect("they are right");
    let settings = Settings::read(&given, true).expect("the file is not read");
    let outputs = [&settings.report, &settings.trace, &settings.halt_dot];
    let files = outputs.into_iter().chain([&settings.platform, &settings.restore, &settings.mpi]);
    for file in files {
        assert_eq!(file.value, None, "{}", file.origin);
    }
    assert_eq!(settings.checkpoint.value, None);
    assert_eq!(*settings.models, Models::Off);
    assert_eq!(*settings.devices, Selection::None);
    assert_eq!(*settings.sched, policy::DEFAULT);
    assert_eq!(*settings.workers, 3);
    assert!(Settings::read(&given, false).is_err());
    // The name of a policy of the runtime is no file.
    let mut words: Vec<OsString> = ["program", "-ocr:sched=CPU"].map(Into::into).into();
    let given = GivenArguments::take_from(&mut words).expect("they are right");
    let settings = Settings::read(&given, true).expect("a policy");
    assert_eq!(*settings.sched, "cpu");
}

/// The file of a policy keeps its name as it was given, and is not loaded before a run begins.
#[test]
fn a_policy_may_be_a_file() {
    let mut words: Vec<OsString> = ["program", "-ocr:sched=./No/Such.SO:1"].map(Into::into).into();
    let given = GivenArguments::take_from(&mut words).expect("they are right");
    let settings = Settings::read(&given, false).expect("a name");
    assert_eq!(*settings.sched, "./No/Such.SO:1");
}

/// A table of two other settings.
#[allow(unreachable_pub)]
mod with_others {
    use super::super::*;

    /// What the settings are read from, beside those of the runtime.
    pub(super) struct Values(pub(super) super::super::Values);

    impl std::ops::Deref for Values {
        type Target = super::super::Values;
        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }

    settings! { cores;
        /// How many sheep there are.
        sheep: usize = cores, utf8(parse_count), "sheep", "OCR_SHEEP", "how many sheep there are; default: one for each core";

        /// The file that gets their names.
        flock: Option<PathBuf> = None, file, "flock", "OCR_FLOCK", "a file that gets their names", names files: None;
    }

    pub(super) fn read(given: &[(&'static str, &str)], is_privileged: bool) -> Result<Settings, String> {
        let given = given.iter().map(|&(name, text)| (name, (text.into(), format!("$OCR_{name}"))));
        let values =
            super::super::Values { given: given.collect(), file: None, is_privileged, ignored: RefCell::default() };
        Values(values).settings()
    }
}

#[test]
fn one_entry_adds_a_setting() {
    let default = with_others::read(&[], false).expect("right");
    assert_eq!((&default.file, default.on_machine), (&None, (0, 1)));
    assert_eq!((*default.sheep, &*default.sheep.origin), (default.cores, DEFAULT_ORIGIN));
    let given = [("sheep", "7"), ("flock", "/names")];
    let settings = with_others::read(&given, false).expect("right");
    assert_eq!(*settings.sheep, 7);
    let rows = settings.rows();
    assert_eq!(rows[0], ("sheep", "7".to_string(), "$OCR_sheep"));
    assert_eq!(rows[1], ("flock", "/names".to_string(), "$OCR_flock"));
    let shown: Vec<_> = with_others::SETTINGS.iter().map(|it| (it.name, it.variable, it.what)).collect();
    assert_eq!(shown[1], ("flock", "OCR_FLOCK", "a file that gets their names"));
    // A wrong value says where it was given, and a program with more rights than its user takes no name of a file.
    let wrong = with_others::read(&[("sheep", "many")], false).expect_err("no number");
    assert!(wrong.contains("$OCR_sheep"), "{wrong}");
    let privileged = with_others::read(&given, true).expect("right");
    assert_eq!((*privileged.sheep, privileged.flock.value), (7, None));
}

#[test]
fn the_help_names_every_policy() {
    let its = SETTINGS.iter().find(|setting| setting.variable == "OCR_SCHED").expect("there is such a setting");
    for entry in ocr_place::policy::POLICIES {
        assert!(its.what.contains(entry.usage), "{} does not name {}", its.what, entry.usage);
    }
}
