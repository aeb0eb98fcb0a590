//! What stands in place of the recording in loom models, where nothing is recorded.

/// Whether a run is recorded.
pub(crate) fn is_on() -> bool {
    false
}

/// The functions of `trace/events.rs`, which do nothing here.
pub(crate) mod events {
    pub(crate) fn satisfied(_edt: u64, _slot: u32, _data: u64, _mode: u8) {}
    pub(crate) fn linked(_edt: u64, _slot: u32, _source: (u64, u32), _mode: u8) {}
    pub(crate) fn follows(_edt: u64, _first: u64) {}
    pub(crate) fn block(_block: u64, _size: u64) {}
    pub(crate) fn block_gone(_block: u64) {}
    pub(crate) fn manager(_place: u8, _units: u32, _name: &str) {}

    #[derive(Default)]
    pub(crate) struct DeviceTimes;

    pub(crate) struct Ended {
        pub(crate) place: usize,
        pub(crate) lane: usize,
        pub(crate) times: Option<[u64; 3]>,
        pub(crate) share_ns: u64,
        pub(crate) behind: u64,
    }

    impl DeviceTimes {
        pub(crate) fn kernel(&mut self, _: &Ended, _token: usize) {}
        pub(crate) fn copy(&mut self, _: &Ended, _block: u64, _bytes: u64, _to_device: bool) {}
    }
}
