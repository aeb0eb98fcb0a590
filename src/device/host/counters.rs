//! What a device manager did, in numbers that any thread may read.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// What a device manager has done so far.
        #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
        pub struct DeviceCounters {
            $($(#[$doc])* pub $name: u64,)*
        }

        /// The cells behind [`DeviceCounters`]. Only the manager's thread adds; each number stands alone,
        /// so nothing orders them and `Relaxed` is enough.
        #[derive(Default)]
        pub(crate) struct Cells {
            $(pub(crate) $name: CounterCell,)*
        }

        impl Cells {
            pub(crate) fn read(&self) -> DeviceCounters {
                DeviceCounters { $($name: self.$name.0.load(Relaxed),)* }
            }
        }
    };
}

counters! {
    /// Kernels that finished without error.
    kernels,
    /// Launches that were answered with an error.
    failures,
    /// Time in kernels, nanoseconds, summed over queues.
    kernel_ns,
    /// Bytes copied from host memory to the device; 0 where memory is shared.
    bytes_to_device,
    /// Bytes copied from the device to host memory; 0 where memory is shared.
    bytes_from_device,
    /// Blocks that had to be made valid on the device for a launch (copied, or mapped over).
    uploads,
    /// Blocks that were brought to the host because an EDT or a call asked for them. One that has come before is not
    /// counted.
    fetches,
    /// Blocks that a launch found valid on the device.
    cache_hits,
    /// Buffers that were released to make room for others.
    evictions,
    /// Evictions that first had to copy the block to the host.
    write_backs,
    /// Programs that are compiled at present.
    programs,
    /// Bytes of device buffers at present.
    resident_bytes,
}

/// One number: written by one thread, read by any.
#[derive(Default)]
pub(crate) struct CounterCell(AtomicU64);

impl CounterCell {
    pub(crate) fn add(&self, amount: u64) {
        // A load and a store instead of a locked addition: there is one writer.
        self.0.store(self.0.load(Relaxed).wrapping_add(amount), Relaxed);
    }

    pub(crate) fn set(&self, value: u64) {
        self.0.store(value, Relaxed);
    }
}
