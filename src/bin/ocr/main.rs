//! The command `ocr`.
fn main() {}
