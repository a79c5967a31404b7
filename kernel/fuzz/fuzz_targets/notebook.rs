#![no_main]

#[allow(dead_code)]
#[path = "../texts.rs"]
mod texts;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        texts::notebook(text);
    }
});
