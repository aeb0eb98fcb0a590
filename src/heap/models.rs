//! What takes the place of `heap` in models, which have memory.

pub fn may_fail<T>(ask: impl FnOnce() -> T) -> T {
    ask()
}

pub fn is_low() -> bool {
    false
}

pub fn can_have(_bytes: usize) -> bool {
    true
}

pub fn kept_for_each() -> usize {
    0
}

pub fn hold(_bytes: usize) -> bool {
    true
}

pub fn let_go(_bytes: usize) {}

pub fn run_out(bytes: usize) -> ! {
    panic!("no memory of {bytes} bytes");
}
