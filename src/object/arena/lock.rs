//! The depot's lock in models. The checker follows it only where the depot is what a model is about: the models of
//! everything else have arenas, too, and would have many more interleavings with it.

use std::ops::{Deref, DerefMut};

pub(super) struct DepotMutex<T> {
    value: parking_lot::Mutex<T>,
    followed: Option<loom::sync::Mutex<()>>,
}

/// Lets go of the value first.
pub(super) struct DepotGuard<'a, T> {
    value: parking_lot::MutexGuard<'a, T>,
    _followed: Option<loom::sync::MutexGuard<'a, ()>>,
}

impl<T> DepotMutex<T> {
    pub(super) fn new(value: T) -> Self {
        DepotMutex { value: parking_lot::Mutex::new(value), followed: None }
    }

    /// Has the checker follow it from here on.
    pub(super) fn follow(&mut self) {
        self.followed = Some(loom::sync::Mutex::new(()));
    }

    pub(super) fn lock(&self) -> DepotGuard<'_, T> {
        let followed = self.followed.as_ref();
        DepotGuard { _followed: followed.map(|lock| lock.lock().expect("no panic")), value: self.value.lock() }
    }
}

impl<T> Deref for DepotGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for DepotGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}
