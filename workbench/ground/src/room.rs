//! Room for many numbers that a computation walks through again and again.

/// `len` times `value`. On Linux the system is asked for large pages where a block of 2 MiB lies within: with pages of 4 KiB a walk through
/// tens of megabytes spends a tenth of its time on looking up addresses.
///
/// Nothing else depends on it: a system without such pages gives ordinary ones. Cost O(len).
pub fn room<T: Clone>(len: usize, value: T) -> Vec<T> {
    let mut room = Vec::with_capacity(len);
    #[cfg(target_os = "linux")]
    ask_for_large_pages(room.spare_capacity_mut());
    room.resize(len, value);
    room
}

#[cfg(target_os = "linux")]
fn ask_for_large_pages<T>(memory: &mut [T]) {
    const LARGE: usize = 2 << 20;
    let bytes = std::mem::size_of_val(memory);
    let start = memory.as_mut_ptr().cast::<u8>();
    let skip = start.align_offset(LARGE);
    if skip.saturating_add(LARGE) > bytes {
        return;
    }
    let whole = (bytes - skip) / LARGE * LARGE;
    // SAFETY: `skip + whole` bytes are within the vector's own memory, and begin at a page; the advice changes no content. Its failure
    // (no such pages) leaves everything as it was.
    unsafe {
        libc::madvise(start.add(skip).cast(), whole, libc::MADV_HUGEPAGE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_holds_what_it_is_given_at_any_size() {
        for len in [0, 1, 1000, 700_001] {
            let room = room(len, [0.5; 3]);
            assert!(room.len() == len && room.iter().all(|numbers| *numbers == [0.5; 3]));
        }
    }
}
