use super::*;
use crate::model::KeptTimes;
use crate::model::file::ModelKey;
use std::os::unix::fs::PermissionsExt;

/// A directory of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ocr-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    fn store(&self) -> Store {
        Store::new(self.0.join("deep/models"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn entry(template: &str, ns: u64) -> ModelEntry {
    ModelEntry {
        key: ModelKey::new("program:1", template, "function"),
        bytes: 64,
        told_by: Default::default(),
        day: today(),
        times: KeptTimes { alone: vec![ns], ..KeptTimes::default() },
    }
}

#[test]
fn the_directory_is_that_of_the_user() {
    let with = |set: &[(&str, &str)]| {
        let found = Store::of_user(|name| {
            let found = set.iter().find(|(known, _)| *known == name)?;
            Some(found.1.into())
        });
        found.map(|store| store.directory().display().to_string())
    };
    let home = ("HOME", "/home/x");
    assert_eq!(with(&[]), None);
    assert_eq!(with(&[("HOME", "")]), None);
    assert_eq!(with(&[home]).as_deref(), Some("/home/x/.cache/ocr/models"));
    assert_eq!(
        Store::of_user(|name| Some(if name == "HOME" { "/h" } else { "/c" }.into())).map(|store| store.directory),
        Some("/c/ocr/models".into())
    );
    assert_eq!(
        Store::of_user(|name| Some(if name == "HOME" { "/h" } else { "c" }.into())).map(|store| store.directory),
        Some("/h/.cache/ocr/models".into())
    );
}

#[test]
fn what_is_added_is_there_and_by_others_too() {
    let folder = Folder::new("store-add");
    let (one, other) = (folder.store(), folder.store());
    assert_eq!(one.read("a").expect("nothing").entries, []);
    one.add("a", vec![entry("x", 1)], vec![], today(), true).expect("written");
    other.add("a", vec![entry("y", 2)], vec![], today(), true).expect("written");
    one.add("a", vec![entry("x", 3)], vec![], today(), true).expect("written");
    assert_eq!(one.read("a").expect("read").entries, [entry("x", 3), entry("y", 2)]);
    assert_eq!(one.read("b").expect("another place").entries, []);
    assert_eq!(one.files().expect("listed").len(), 1);
}

#[test]
fn many_writers_lose_nothing_and_damage_nothing() {
    let folder = Folder::new("store-many");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let mut store = folder.store();
            store.tries = u32::MAX;
            scope.spawn(move || {
                for round in 0..25 {
                    let template = format!("{writer} {round}");
                    store.add("a", vec![entry(&template, 1)], vec![], today(), true).expect("written");
                    assert_eq!(store.read("a").expect("read").damage, None);
                }
            });
        }
    });
    assert_eq!(folder.store().read("a").expect("read").entries.len(), 100);
}

#[test]
fn what_cannot_be_read_is_told_and_replaced() {
    let folder = Folder::new("store-damaged");
    let store = folder.store();
    store.add("a", vec![entry("x", 1)], vec![], today(), true).expect("written");
    let path = store.path("a");
    std::fs::write(&path, "ocr-models 7\nwhatever\n").expect("written");
    let found = store.read("a").expect("read");
    assert!(found.entries.is_empty() && found.damage.expect("damage").contains("another version"));
    store.add("a", vec![entry("x", 1)], vec![], today(), true).expect("written");
    assert_eq!(store.read("a").expect("read").entries.len(), 1);
    let large = File::create(&path).expect("created");
    large.set_len(LARGEST + 1).expect("a hole");
    assert!(store.read("a").expect_err("too large").contains("too large"));
    std::fs::remove_file(&path).expect("removed");
    std::fs::create_dir(&path).expect("created");
    assert!(store.read("a").is_err() && store.add("a", vec![], vec![], today(), true).is_err());
    let left = std::fs::read_dir(store.directory()).expect("listed").flatten();
    let unfinished = left.filter(|e| e.path().to_string_lossy().contains(UNFINISHED));
    assert_eq!(unfinished.count(), 0);
}

#[test]
fn a_directory_that_cannot_be_written_is_told() {
    let folder = Folder::new("store-unwritable");
    std::fs::create_dir_all(&folder.0).expect("created");
    std::fs::write(folder.0.join("deep"), "a file").expect("written");
    let error = folder.store().add("a", vec![entry("x", 1)], vec![], today(), true);
    assert!(error.expect_err("no directory").contains("deep/models"));
    assert_eq!(folder.store().files().map(|files| files.len()).ok(), None);
    // Root may write everywhere.
    let locked = folder.0.join("locked");
    std::fs::create_dir(&locked).expect("created");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o500)).expect("set");
    let written = Store::new(locked.clone()).add("a", vec![entry("x", 1)], vec![], today(), true);
    assert_eq!(written.is_ok(), File::create(locked.join("probe")).is_ok());
}

#[test]
fn entries_and_files_are_removed() {
    let folder = Folder::new("store-remove");
    let store = folder.store();
    store.add("a", vec![entry("x", 1), entry("y", 1)], vec![], today(), true).expect("written");
    let path = store.path("a");
    let only = |name: &'static str| move |_: &Content, e: &ModelEntry| e.key.template == name;
    assert_eq!(store.remove(&path, only("z"), |_| false, false), Ok(0));
    assert_eq!(store.remove(&path, only("x"), |_| false, false), Ok(1));
    assert_eq!(store.read("a").expect("read").entries, [entry("y", 1)]);
    assert_eq!(store.remove(&path, only("y"), |_| false, false), Ok(1));
    assert!(!path.exists());
    std::fs::write(&path, "garbage").expect("written");
    assert_eq!(store.remove(&path, only("y"), |_| false, false), Ok(0));
    assert_eq!(store.remove(&path, |_, _| true, |_| true, true), Ok(0));
    assert!(!path.exists());
}

#[test]
fn a_file_that_is_about_no_place_is_none_of_models() {
    let folder = Folder::new("other");
    let store = folder.store();
    assert_eq!(store.read_other("found"), None);
    store.change_other("found", |before| before.is_none().then(|| b"one".to_vec())).expect("it is written");
    store.change_other("found", |before| (before != Some(b"one".to_vec())).then(Vec::new)).expect("it stays");
    assert_eq!(store.read_other("found"), Some(b"one".to_vec()));
    assert_eq!(store.files().map(|files| files.len()), Ok(0));
}

#[test]
fn a_lock_that_is_a_named_pipe_stops_nothing() {
    let folder = Folder::new("store-pipe");
    std::fs::create_dir_all(folder.0.join("deep/models")).expect("created");
    let pipe =
        std::ffi::CString::new(folder.0.join("deep/models").join(LOCK).display().to_string()).expect("it has no 0");
    // SAFETY: the name ends with a 0.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    let store = folder.store();
    store.add("a", vec![entry("x", 1)], vec![], today(), true).expect("written");
    assert_eq!(store.read("a").expect("read").entries.len(), 1);
}
