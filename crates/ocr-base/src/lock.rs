//! Locks with ranks: which lock may be taken while which is held, in one table.
//!
//! Each lock of the runtime has a rank, which is a type. A rank names the ranks that a thread may take under it, and
//! these stand behind it in the table: so the table has no circle, or it does not compile. A thread that keeps to the
//! table never waits in a circle of locks.
//!
//! Builds with debug assertions check that threads keep to the table; `make verify JOBS=ranks` tests such a build. A
//! thread that takes a lock which may not be taken under the last one it holds panics there, with the names of both.
//! What is only tried (`try_lock`) waits for nothing, and is not checked. In other builds a rank costs nothing.
//!
//! To add a lock, add its rank to `ranks!`, and declare it as `Mutex<rank::NAME, T>`.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// The rank of a lock: its place in the table of [`rank`].
pub trait Rank: 'static {
    /// Its place in the table, from 0.
    const PLACE: usize;
    /// Its name in the table.
    const NAME: &'static str;
    /// The ranks that may be taken while a lock of this one is the last that was taken, a bit each.
    const UNDER: u128;
}

/// Makes a type of each rank. The ranks in brackets may be taken under it.
macro_rules! ranks {
    ($($(#[$doc:meta])* $name:ident [$($under:ident),*];)*) => {
        enum RankPlace { $($name),* }

        $(
            $(#[$doc])*
            pub enum $name {}

            impl Rank for $name {
                const PLACE: usize = RankPlace::$name as usize;
                const NAME: &'static str = stringify!($name);
                const UNDER: u128 = 0 $(| 1 << RankPlace::$under as u32)*;
            }

            const _: () = {
                $(assert!(
                    RankPlace::$under as usize > RankPlace::$name as usize,
                    "a rank names one that stands before it"
                );)*
            };
        )*

        /// How many ranks there are: one bit each has to do.
        const COUNT: usize = [$(RankPlace::$name as usize),*].len();
        const _: () = assert!(COUNT <= u128::BITS as usize);

        /// The name of each rank, and the ranks that may be taken under it, by place.
        #[cfg(any(debug_assertions, test))]
        pub(super) const RANKS: [(&str, u128); COUNT] = [$(($name::NAME, $name::UNDER)),*];
    };
}

pub mod rank;

/// Notes, as long as it lives, that the thread holds a lock of this rank. Builds that do not check ranks note nothing.
struct HeldRank<R: Rank> {
    #[cfg(any(debug_assertions, test))]
    before: u128,
    rank: PhantomData<fn() -> R>,
}

#[cfg(any(debug_assertions, test))]
mod check {
    use super::{HeldRank, Rank};
    use std::cell::Cell;
    use std::marker::PhantomData;

    thread_local! {
        /// The ranks of the locks that this thread holds, a bit each.
        static HELD: Cell<u128> = const { Cell::new(0) };
    }

    impl<R: Rank> HeldRank<R> {
        /// Notes that a lock is going to be waited for. Panics where the table forbids it.
        #[track_caller]
        pub(super) fn waits() -> HeldRank<R> {
            let held = HELD.get();
            if let Some(last) = held.checked_ilog2() {
                let (name, under) = super::rank::RANKS[last as usize];
                assert!(
                    under >> R::PLACE & 1 != 0,
                    "the lock {} is taken under {name}, which the table of ranks does not allow",
                    R::NAME,
                );
            }
            HeldRank::tried()
        }

        /// Notes that a lock was taken without waiting.
        pub(super) fn tried() -> HeldRank<R> {
            let before = HELD.get();
            HELD.set(before | 1 << R::PLACE);
            HeldRank { before: before & 1 << R::PLACE, rank: PhantomData }
        }
    }

    impl<R: Rank> Drop for HeldRank<R> {
        fn drop(&mut self) {
            HELD.set(HELD.get() & !(1 << R::PLACE) | self.before);
        }
    }
}

#[cfg(not(any(debug_assertions, test)))]
impl<R: Rank> HeldRank<R> {
    #[inline(always)]
    fn waits() -> HeldRank<R> {
        HeldRank { rank: PhantomData }
    }

    #[inline(always)]
    fn tried() -> HeldRank<R> {
        HeldRank { rank: PhantomData }
    }
}

/// A mutex of a rank.
pub struct Mutex<R: Rank, T: ?Sized> {
    rank: PhantomData<fn() -> R>,
    inner: parking_lot::Mutex<T>,
}

/// The hold on a [`Mutex`].
pub struct MutexGuard<'a, R: Rank, T: ?Sized> {
    inner: parking_lot::MutexGuard<'a, T>,
    _held: HeldRank<R>,
}

impl<R: Rank, T> Mutex<R, T> {
    /// A mutex that no thread holds.
    pub const fn new(value: T) -> Mutex<R, T> {
        Mutex { rank: PhantomData, inner: parking_lot::Mutex::new(value) }
    }

    /// What the mutex has.
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<R: Rank, T: ?Sized> Mutex<R, T> {
    /// Waits for the mutex.
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> MutexGuard<'_, R, T> {
        let held = HeldRank::waits();
        MutexGuard { inner: self.inner.lock(), _held: held }
    }

    /// Takes the mutex if no thread holds it.
    #[inline]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, R, T>> {
        let inner = self.inner.try_lock()?;
        Some(MutexGuard { inner, _held: HeldRank::tried() })
    }

    /// What the mutex has, which no other thread can hold meanwhile.
    #[inline]
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }
}

impl<R: Rank, T: Default> Default for Mutex<R, T> {
    fn default() -> Mutex<R, T> {
        Mutex::new(T::default())
    }
}

impl<R: Rank, T: ?Sized + fmt::Debug> fmt::Debug for Mutex<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<R: Rank, T: ?Sized> MutexGuard<'_, R, T> {
    /// Gives the mutex up while `act` runs, and waits for it again.
    pub fn unlocked<U>(guard: &mut Self, act: impl FnOnce() -> U) -> U {
        parking_lot::MutexGuard::unlocked(&mut guard.inner, act)
    }
}

impl<R: Rank, T: ?Sized> Deref for MutexGuard<'_, R, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<R: Rank, T: ?Sized> DerefMut for MutexGuard<'_, R, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

/// A reader-writer lock of a rank.
pub struct RwLock<R: Rank, T> {
    rank: PhantomData<fn() -> R>,
    inner: parking_lot::RwLock<T>,
}

/// The hold of a reader on a [`RwLock`].
pub struct RwLockReadGuard<'a, R: Rank, T> {
    inner: parking_lot::RwLockReadGuard<'a, T>,
    _held: HeldRank<R>,
}

/// The hold of a writer on a [`RwLock`].
pub struct RwLockWriteGuard<'a, R: Rank, T> {
    inner: parking_lot::RwLockWriteGuard<'a, T>,
    _held: HeldRank<R>,
}

impl<R: Rank, T> RwLock<R, T> {
    /// A lock that no thread holds.
    pub const fn new(value: T) -> RwLock<R, T> {
        RwLock { rank: PhantomData, inner: parking_lot::RwLock::new(value) }
    }

    /// Waits until no writer holds the lock.
    #[inline]
    #[track_caller]
    pub fn read(&self) -> RwLockReadGuard<'_, R, T> {
        let held = HeldRank::waits();
        RwLockReadGuard { inner: self.inner.read(), _held: held }
    }

    /// Waits until no thread holds the lock.
    #[inline]
    #[track_caller]
    pub fn write(&self) -> RwLockWriteGuard<'_, R, T> {
        let held = HeldRank::waits();
        RwLockWriteGuard { inner: self.inner.write(), _held: held }
    }

    /// What the lock has, which no other thread can hold meanwhile.
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }
}

impl<R: Rank, T: Default> Default for RwLock<R, T> {
    fn default() -> RwLock<R, T> {
        RwLock::new(T::default())
    }
}

impl<R: Rank, T> Deref for RwLockReadGuard<'_, R, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<R: Rank, T> Deref for RwLockWriteGuard<'_, R, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<R: Rank, T> DerefMut for RwLockWriteGuard<'_, R, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

/// A condition variable, with which a thread waits for a change of what a [`Mutex`] has.
#[derive(Default, Debug)]
pub struct Condvar(parking_lot::Condvar);

impl Condvar {
    /// A condition variable for which no thread waits.
    pub const fn new() -> Condvar {
        Condvar(parking_lot::Condvar::new())
    }

    /// Gives the mutex up until the thread is woken.
    pub fn wait<R: Rank, T: ?Sized>(&self, guard: &mut MutexGuard<'_, R, T>) {
        self.0.wait(&mut guard.inner);
    }

    /// Gives the mutex up until the thread is woken or so much time has gone. True if the time has gone.
    pub fn wait_for<R: Rank, T: ?Sized>(&self, guard: &mut MutexGuard<'_, R, T>, time: Duration) -> bool {
        self.0.wait_for(&mut guard.inner, time).timed_out()
    }

    /// Wakes one thread. True if one waited.
    pub fn notify_one(&self) -> bool {
        self.0.notify_one()
    }

    /// Wakes all threads that wait, and says how many.
    pub fn notify_all(&self) -> usize {
        self.0.notify_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Takes two locks, one under the other, and says whether the table allows it.
    fn allows<A: Rank, B: Rank>() -> bool {
        let (outer, inner) = (Mutex::<A, _>::new(1), Mutex::<B, _>::new(2));
        let both = AssertUnwindSafe(|| {
            let _outer = outer.lock();
            let _inner = inner.lock();
        });
        catch_unwind(both).is_ok()
    }

    #[test]
    fn locks_are_taken_in_the_order_of_the_table_alone() {
        assert!(allows::<rank::TestOuter, rank::TestInner>());
        assert!(!allows::<rank::TestInner, rank::TestOuter>());
        // Two locks of one rank have no order.
        assert!(!allows::<rank::TestOuter, rank::TestOuter>());
    }

    #[test]
    fn what_is_tried_or_given_up_is_no_hindrance() {
        let (outer, inner) = (Mutex::<rank::TestOuter, _>::new(1), Mutex::<rank::TestInner, _>::new(2));
        let held = inner.lock();
        assert!(outer.try_lock().is_some());
        drop(held);
        let again = outer.lock();
        assert!(outer.try_lock().is_none());
        assert_eq!(*again + *inner.lock(), 3);
    }

    #[test]
    fn readers_and_writers_have_a_rank_too() {
        let lock = RwLock::<rank::TestInner, _>::new(1);
        *lock.write() += 1;
        assert_eq!(*lock.read(), 2);
        let outer = Mutex::<rank::TestOuter, _>::new(1);
        let wrong = AssertUnwindSafe(|| {
            let _inner = lock.read();
            let _outer = outer.lock();
        });
        assert!(catch_unwind(wrong).is_err());
    }
}
