//! What runs remember of earlier ones: how long EDTs and copies have taken, in files of the user's (`model::Store`).
//!
//! What is known of a variant is read when its kernels are added, and what this run has learned of it is written at the
//! end of the run. Nothing that goes wrong there is an error of the program: a place of which nothing can be read is
//! one of which nothing is known.
//!
//! What a variant was known by must still be what it is. A kernel is known by its source and its build options. A
//! function is known by the file that it is from, by size and by when that was written, and by where it stands in that
//! file: so a program that was compiled again begins anew.

use crate::config::Models;
use crate::device::DeviceInfo;
use crate::engine::state::learned::{KnownEntries, Remembered};
use crate::engine::state::runtime::Runtime;
use crate::object::code::{Code, Kernel};
use crate::symbols;
use ocr_base::output_file::apart;
use ocr_base::text::{Readable, read_file};
use ocr_place::model::{CopyEntry, Direction, ModelEntry, ModelKey, Store, hash, today};
use ocr_place::place::Place;
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

impl Remembered {
    /// Makes it for a run whose policy asks how long variants take or does not, with the setting of where models are
    /// kept.
    pub(crate) fn new(reads: bool, models: &Models) -> Remembered {
        Remembered { store: models.store(), reads, ..Remembered::default() }
    }

    /// Whether this run keeps what it learns.
    pub(crate) fn is_kept(&self) -> bool {
        self.store.is_some()
    }

    /// What tells a variant that was built for a device from all others.
    pub(crate) fn hash_of_built(&self, work: &Code, kernel: &Kernel, info: &DeviceInfo) -> u64 {
        let of = [self.program(), template_name(work), kernel_name(kernel), name_of_device(info)];
        hash(of.join("\0").as_bytes())
    }

    fn program(&self) -> String {
        let mut program = self.program.lock();
        let make = || {
            let exe = Path::new("/proc/self/exe");
            let name = std::fs::read_link(exe).unwrap_or_default();
            let name = name.file_name().unwrap_or_default();
            format!("{}:{}", Readable::os(name), identity(exe))
        };
        program.get_or_insert_with(make).clone()
    }

    /// What a work is known by in a place; none where it does not run there.
    fn key(&self, work: &Code, place: Place) -> Option<ModelKey> {
        let variant = match place {
            Place::HOST => work.function.map(|_| "function".to_string()),
            place => {
                let (variant, _) = work.kernel_on(place)?;
                Some(kernel_name(&work.kernels[variant]))
            }
        }?;
        Some(ModelKey::new(&self.program(), &template_name(work), &variant))
    }
}

/// What tells a file from others, and from what it was before it was written anew.
fn identity(file: &Path) -> String {
    let path = std::fs::canonicalize(file).unwrap_or_else(|_| file.into());
    let mut about = path.as_os_str().as_bytes().to_vec();
    if let Ok(found) = std::fs::metadata(file) {
        for number in [found.size() as i64, found.mtime(), found.mtime_nsec()] {
            about.extend(number.to_le_bytes());
        }
    }
    format!("{:016x}", hash(&about))
}

/// Templates of one name, as a function that makes templates gives them, are distinguished by their functions.
fn template_name(work: &Code) -> String {
    let name = work.name.given();
    let Some(function) = work.function else {
        return name.to_string();
    };
    match symbols::home_of(function as *const () as usize) {
        None => name.to_string(),
        Some((file, within)) if file == Path::new("/proc/self/exe") => {
            format!("{name}+{within:#x}")
        }
        Some((file, within)) => format!("{name}+{within:#x} of {}", identity(&file)),
    }
}

fn kernel_name(kernel: &Kernel) -> String {
    let mut all = kernel.source.to_vec();
    all.push(0);
    all.extend(&kernel.options);
    format!("kernel {} {:016x}", kernel.name, hash(&all))
}

/// How a device is called in the files.
fn name_of_device(info: &DeviceInfo) -> String {
    format!("kernels on {}, {}, driver {}", info.name, info.platform, info.driver_version)
}

/// The processor, as it calls itself.
fn processor() -> String {
    let about = read_file("/proc/cpuinfo").unwrap_or_default();
    let models = about.lines().filter(|line| line.starts_with("model name"));
    let mut names = models.filter_map(|line| Some(line.split_once(':')?.1.trim()));
    let name = names.next().unwrap_or(std::env::consts::ARCH);
    format!("functions on {name}")
}

impl Runtime {
    /// The one work that does the same as this, which has got a kernel, or is to get one that is left unbuilt; with
    /// what earlier runs have learned of it.
    pub(crate) fn intern_with_kernels(&self, work: Code, is_left: bool) -> &'static Code {
        let work = self.objects.code_table.intern(work);
        if self.remembered.reads && (is_left || work.has_choice()) && work.times.begin_recall() {
            self.recall(work);
        }
        work
    }

    /// The places in which a work may run.
    fn places_of(work: &Code) -> impl Iterator<Item = Place> {
        let host = work.function.map(|_| Place::HOST);
        host.into_iter().chain(work.devices.iter().copied())
    }

    /// How a place is called in the files.
    fn name_of(&self, place: Place) -> String {
        if place == Place::HOST {
            return processor();
        }
        let used = self.devices.used(place);
        let info = &used.info;
        // A part of the device takes longer than the whole.
        let part = if info.compute_units == used.whole_units {
            String::new()
        } else {
            format!(", {} of {} units", info.compute_units, used.whole_units)
        };
        name_of_device(info) + &part
    }

    /// What is known of the times of a work in a place.
    pub(crate) fn remembered_of(&self, work: &Code, place: Place) -> Vec<ModelEntry> {
        let Some(store) = &self.remembered.store else {
            return Vec::new();
        };
        let mut places = self.remembered.places.lock();
        let known = places.entry(place).or_insert_with(|| apart(|| self.read_models(store, place)));
        let key = self.remembered.key(work, place);
        key.and_then(|key| known.get(&key)).cloned().unwrap_or_default()
    }

    /// What is known of the times of a kernel on a device that is not open.
    pub(crate) fn remembered_kernel(&self, work: &Code, kernel: &Kernel, info: &DeviceInfo) -> Vec<ModelEntry> {
        let read = |store: &Store| apart(|| store.read(&name_of_device(info)));
        let known = self.remembered.store.as_ref().and_then(|store| read(store).ok());
        let key = ModelKey::new(&self.remembered.program(), &template_name(work), &kernel_name(kernel));
        let entries = known.map_or(Vec::new(), |content| content.entries);
        entries.into_iter().filter(|entry| entry.key == key).collect()
    }

    fn recall(&self, work: &Code) {
        for place in Runtime::places_of(work) {
            for entry in self.remembered_of(work, place) {
                work.times.seed(place.number(), entry.bytes, entry.told_by, &entry.times);
            }
        }
    }

    fn read_models(&self, store: &Store, place: Place) -> KnownEntries {
        let mut known = KnownEntries::new();
        match store.read(&self.name_of(place)) {
            Ok(content) => {
                if let Some(damage) = content.damage {
                    self.registry.note_once(format!(
                        "what earlier runs have learned is lost in part or whole: {damage}. It is learned again, and the \
                         file is written anew. There is nothing to do, unless that is said again and again: then look who \
                         else writes the file, or name another directory in OCR_MODELS"
                    ));
                }
                for copies in &content.copies {
                    if let Some(device) = place.device_index() {
                        self.transfers.seed(device, copies.direction, &copies.samples);
                    }
                }
                for entry in content.entries {
                    known.entry(entry.key.clone()).or_default().push(entry);
                }
            }
            Err(error) => {
                let text = format!(
                    "what earlier runs have learned cannot be read: {error}. Make it a file that this user can read, remove \
                     it, or name another directory in OCR_MODELS (off: nothing is kept)"
                );
                self.registry.remark(text);
            }
        }
        known
    }

    /// Says in the report which templates' times could not be predicted.
    pub(crate) fn remark_wrong_models(&self) {
        if !self.policy.learns() {
            return;
        }
        self.objects.code_table.for_each(|work| {
            if work.times.has_failed() {
                self.registry.remark(format!(
                    "how long EDTs of template \"{}\" take does not follow from the sizes of their blocks, nor from one of \
                     their parameters: for a time, predictions were off by more than half. Give EDTs of other lengths a \
                     template of their own, or name the parameters whose product says it in OCR_HINT_EDT_TIME_PARAMS",
                    work.name
                ));
            }
        });
    }

    /// Keeps what this run has learned. In strict mode functions take longer, and that is of no use to others.
    pub(crate) fn keep_models(&self) {
        let Some(store) = (self.remembered.store.as_ref()).filter(|_| self.check.is_none()) else {
            return;
        };
        let cannot = |error: String| {
            self.registry.remark(format!(
                "what this run has learned cannot be kept: {error}. Let this user write there, name another directory in \
                 OCR_MODELS, or set OCR_MODELS=off"
            ));
        };
        if let Err(error) = self.keep_found(store) {
            cannot(error);
        }
        let today = today();
        let mut learned: HashMap<Place, Vec<ModelEntry>> = HashMap::new();
        self.objects.code_table.for_each(|work| {
            if !work.has_variants() {
                return;
            }
            for place in Runtime::places_of(work) {
                let Some(key) = self.remembered.key(work, place) else {
                    continue;
                };
                let entries = learned.entry(place).or_default();
                work.times.each_new(place.number(), |bytes, told_by, times| {
                    let key = key.clone();
                    entries.push(ModelEntry { key, bytes, told_by, day: today, times });
                });
            }
        });
        for (place, entries) in learned {
            let copies = self.learned_copies(place, today);
            if entries.is_empty() && copies.is_empty() {
                continue;
            }
            let has_read = self.remembered.reads;
            if let Err(error) = store.add(&self.name_of(place), entries, copies, today, has_read) {
                cannot(error);
            }
        }
    }

    /// What this run has learned of copies to a place and back.
    fn learned_copies(&self, place: Place, today: u64) -> Vec<CopyEntry> {
        let Some(device) = place.device_index() else {
            return Vec::new();
        };
        let entry = |direction| {
            Some(CopyEntry { direction, day: today, samples: self.transfers.new_samples(device, direction)? })
        };
        Direction::ALL.into_iter().filter_map(entry).collect()
    }
}
