#![no_main]

#[allow(dead_code)]
#[path = "../properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // The first bytes say where to cut.
    let (cuts, bytes) = data.split_at(data.len().min(8));
    let cuts: Vec<usize> = cuts.iter().map(|b| usize::from(*b)).collect();
    properties::splitter(bytes, &cuts);
    properties::display(bytes);
    properties::unsealed(bytes);
});
