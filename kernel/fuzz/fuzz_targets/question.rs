#![no_main]

#[allow(dead_code)]
#[path = "../texts.rs"]
mod texts;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // The first byte says where the cursor stands.
    let Some((cursor, bytes)) = data.split_first() else { return };
    if let Ok(text) = std::str::from_utf8(bytes) {
        texts::question(text, usize::from(*cursor));
        texts::knobs(text);
    }
});
