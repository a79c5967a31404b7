//! Inputs of the tests that share the fuzzer's properties.

/// SplitMix64: the same inputs on every machine.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    /// A text put together from these fragments, some of them damaged.
    pub fn mix(&mut self, fragments: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..self.below(14) {
            let mut fragment = fragments[self.below(fragments.len())].to_vec();
            match self.below(12) {
                0 if !fragment.is_empty() => {
                    let at = self.below(fragment.len());
                    fragment[at] = u8::try_from(self.below(256)).unwrap();
                }
                1 => fragment.truncate(self.below(fragment.len() + 1)),
                _ => {}
            }
            bytes.extend(fragment);
        }
        bytes
    }
}
