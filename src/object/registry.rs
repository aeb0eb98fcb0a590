//! Objects of which a program has few, by GUID, shared out: a thread that works with one keeps it, also when it is
//! destroyed meanwhile.

use super::guid::{Guid, Kind};
use super::saved::Saved;
use super::zone::Zone;
use ocr_base::lock::{RwLock, rank};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Gives GUIDs of one kind, none of them twice.
#[derive(Default)]
pub struct Numbers {
    zone: Zone,
    given: AtomicU64,
}

impl Numbers {
    /// Those of a node.
    pub fn new(zone: Zone) -> Numbers {
        Numbers { zone, given: AtomicU64::new(0) }
    }

    /// Gives the next GUID. `None` when they are used up.
    pub fn next(&self, kind: Kind) -> Option<Guid> {
        // Only the number counts.
        let (index, generation) = self.zone.nth(self.given.fetch_add(1, Ordering::Relaxed) + 1)?;
        Some(Guid::new(kind, generation, index))
    }

    /// Passes through a checkpoint how many were given.
    pub(super) fn pass(&self, file: &mut Saved<'_>) -> io::Result<()> {
        self.given.store(file.word(self.given.load(Ordering::Relaxed))?, Ordering::Relaxed);
        Ok(())
    }

    /// Whether this is one of them, of whatever kind.
    pub fn gave(&self, guid: Guid) -> bool {
        let given = 1..=self.given.load(Ordering::Relaxed);
        self.zone.number_of(guid).is_some_and(|number| given.contains(&number))
    }
}

/// The objects of one type.
pub struct Registry<T> {
    all: RwLock<rank::Registry, HashMap<Guid, Arc<T>>>,
}

impl<T> Default for Registry<T> {
    fn default() -> Self {
        Registry { all: RwLock::default() }
    }
}

impl<T> Registry<T> {
    /// Enters an object, with the next of the GUIDs that all registries share. `None` when they are
    /// used up.
    pub fn add(&self, numbers: &Numbers, object: T) -> Option<Guid> {
        let guid = numbers.next(Kind::Registered)?;
        self.all.write().insert(guid, Arc::new(object));
        Some(guid)
    }

    /// The object with this GUID.
    pub fn get(&self, guid: Guid) -> Option<Arc<T>> {
        self.all.read().get(&guid).cloned()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.read().is_empty()
    }

    /// Passes all objects through a checkpoint, each by `pass`, which is given the object, or none where it is to be
    /// made.
    pub(super) fn pass(
        &self,
        file: &mut Saved<'_>,
        pass: impl Fn(&mut Saved<'_>, Option<&T>) -> io::Result<Option<Arc<T>>>,
    ) -> io::Result<()> {
        let mut guids: Vec<Guid> = self.all.read().keys().copied().collect();
        file.table(&mut guids)?;
        for guid in guids {
            if let Some(object) = pass(file, self.get(guid).as_deref())? {
                self.all.write().insert(guid, object);
            }
        }
        Ok(())
    }

    pub fn remove_all(&self) -> Vec<Arc<T>> {
        self.all.write().drain().map(|(_, object)| object).collect()
    }

    /// Takes an object out: its GUID names nothing from now on.
    pub fn remove(&self, guid: Guid) -> Option<Arc<T>> {
        self.all.write().remove(&guid)
    }
}
