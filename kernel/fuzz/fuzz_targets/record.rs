#![no_main]

#[allow(dead_code)]
#[path = "../texts.rs"]
mod texts;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    texts::record(data);
});
