#![no_main]

#[allow(dead_code)]
#[path = "../properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // The first byte says how many messages may pass.
    let Some((most, bytes)) = data.split_first() else { return };
    properties::frame_limit(bytes, u64::from(*most));
});
