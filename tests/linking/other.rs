// A static library in Rust that knows nothing of OCR. It allocates, panics and starts a thread.
#[unsafe(no_mangle)]
pub extern "C" fn other_library() -> i32 {
    let words: Vec<String> = (0..10).map(|at| at.to_string()).collect();
    let caught = std::panic::catch_unwind(|| panic!("on purpose"));
    let length = std::thread::spawn(move || words.concat().len()).join();
    length.expect("the thread ends") as i32 + i32::from(caught.is_err())
}
