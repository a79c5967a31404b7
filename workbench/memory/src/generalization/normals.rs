//! Counter-based Gaussians in single precision: the numbers of any row can be computed again without the others.
//!
//! Row `r` is a function of a 256-bit key and of `r`: ChaCha with 8 rounds (the generator of the crate's named streams, with `r`
//! as its stream number) gives words, the Box-Muller map makes two Gaussians of two words. Eight blocks are computed side by side
//! in lanes that the compiler turns into vector instructions. Only plain additions, multiplications and square roots are used,
//! in a fixed order and never fused, so every machine gets the same bits.

// Loops over lanes keep their plain form: the compiler turns it into vector instructions.
#![allow(clippy::needless_range_loop)]

use workbench_ground::vectorized;

/// Blocks computed side by side.
const LANES: usize = 8;
/// Gaussians that one call makes: 16 words from each lane.
pub(crate) const CHUNK: usize = 16 * LANES;
/// The largest absolute value that a Gaussian can take, `sqrt(2 * 32 ln 2)` and a little for rounding.
#[cfg(test)]
const LARGEST: f32 = 6.67;

type Words = [[u32; LANES]; 16];

#[inline(always)]
fn quarter_round(x: &mut Words, a: usize, b: usize, c: usize, d: usize) {
    for (i, j, k, turn) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        for l in 0..LANES {
            x[i][l] = x[i][l].wrapping_add(x[j][l]);
            x[k][l] = (x[k][l] ^ x[i][l]).rotate_left(turn);
        }
    }
}

/// The words of the blocks `block .. block + LANES` of stream `row`: word i of block `block + l` is at `[i][l]`.
#[inline(always)]
fn chacha8(key: &[u32; 8], row: u64, block: u64) -> Words {
    let mut start = [[0u32; LANES]; 16];
    for (slot, constant) in start.iter_mut().zip([0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]) {
        *slot = [constant; LANES];
    }
    for (slot, word) in start[4..12].iter_mut().zip(key) {
        *slot = [*word; LANES];
    }
    for l in 0..LANES {
        let counter = block + l as u64;
        start[12][l] = counter as u32;
        start[13][l] = (counter >> 32) as u32;
    }
    start[14] = [row as u32; LANES];
    start[15] = [(row >> 32) as u32; LANES];
    let mut x = start;
    for _ in 0..4 {
        quarter_round(&mut x, 0, 4, 8, 12);
        quarter_round(&mut x, 1, 5, 9, 13);
        quarter_round(&mut x, 2, 6, 10, 14);
        quarter_round(&mut x, 3, 7, 11, 15);
        quarter_round(&mut x, 0, 5, 10, 15);
        quarter_round(&mut x, 1, 6, 11, 12);
        quarter_round(&mut x, 2, 7, 8, 13);
        quarter_round(&mut x, 3, 4, 9, 14);
    }
    for i in 0..16 {
        for l in 0..LANES {
            x[i][l] = x[i][l].wrapping_add(start[i][l]);
        }
    }
    x
}

/// Two independent Gaussians from two uniform words: radius `sqrt(-2 ln U)`, angle uniform.
///
/// U is an odd multiple of 2^-32 up to rounding, so no value exceeds 6.67 in size; the polynomials are those of the Cephes library
/// for logarithm, sine and cosine, good to a unit in the last place of single precision.
#[inline(always)]
fn box_muller(a: u32, b: u32) -> (f32, f32) {
    let u = ((a >> 1) as i32 as f32 + 0.5) * (1.0 / 2_147_483_648.0);
    // ln u = e ln 2 + ln(1 + m), 1 + m between sqrt(1/2) and sqrt 2.
    let shifted = u.to_bits().wrapping_sub(0x3f35_04f3);
    let e = (shifted as i32 >> 23) as f32;
    let m = f32::from_bits((shifted & 0x007f_ffff).wrapping_add(0x3f35_04f3)) - 1.0;
    let z = m * m;
    let mut p = 7.037_683_6e-2_f32;
    for coefficient in [
        -1.151_461e-1,
        1.167_699_9e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_8e-1,
        2.000_071_5e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ] {
        p = p * m + coefficient;
    }
    let ln = (p * m * z - 0.5 * z) + m + e * std::f32::consts::LN_2;
    let radius = (-2.0 * ln).max(0.0).sqrt();
    // An angle between -pi/4 and pi/4 from 30 bits; the other two bits choose the quadrant.
    let t = ((b & 0x3fff_ffff) as i32 - (1 << 29)) as f32 * (std::f32::consts::FRAC_PI_2 / 1_073_741_824.0);
    let t2 = t * t;
    let sine = t + t * t2 * (-1.666_665_5e-1 + t2 * (8.332_161e-3 + t2 * -1.951_529_6e-4));
    let cosine = 1.0 - 0.5 * t2 + t2 * t2 * (4.166_664_6e-2 + t2 * (-1.388_731_6e-3 + t2 * 2.443_315_7e-5));
    let swap = ((b << 1) as i32 >> 31) as u32;
    let sign = b & 0x8000_0000;
    let (s, c) = (sine.to_bits(), cosine.to_bits());
    let (f, g) = ((s & swap) | (c & !swap), (c & swap) | (s & !swap));
    (radius * f32::from_bits(f ^ sign), radius * f32::from_bits(g ^ sign))
}

/// The Gaussians of row `row` from position `first` on, `out.len()` of them.
///
/// `first` is a multiple of [`CHUNK`]. Within a chunk, words `2i` and `2i + 1` of lane `l` make the entries `2i * 8 + l` and
/// `(2i + 1) * 8 + l`. Cost: rounds the length up to a multiple of [`CHUNK`].
#[inline(always)]
fn fill_row(key: &[u32; 8], row: u64, first: usize, out: &mut [f32]) {
    for (k, piece) in out.chunks_mut(CHUNK).enumerate() {
        let words = chacha8(key, row, ((first / CHUNK + k) * LANES) as u64);
        let mut chunk = [0.0f32; CHUNK];
        for i in 0..8 {
            for l in 0..LANES {
                let (f, g) = box_muller(words[2 * i][l], words[2 * i + 1][l]);
                chunk[2 * i * LANES + l] = f;
                chunk[(2 * i + 1) * LANES + l] = g;
            }
        }
        piece.copy_from_slice(&chunk[..piece.len()]);
    }
}

vectorized! {
    /// The first `out.len()` Gaussians of row `row`.
    ///
    /// A function of its own on purpose: inlined into a loop over rows, the rounds lose their vector instructions.
    pub(crate) fn row_of_normals(key: &[u32; 8], row: u64, out: &mut [f32]) {
        fill_row(key, row, 0, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngCore, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use workbench_ground::stats::{largest_of, normal_cdf};

    fn key() -> [u32; 8] {
        std::array::from_fn(|i| 0x9e37_79b9u32.wrapping_mul(i as u32 + 1))
    }

    /// The words are those of the generator behind `stats::Stream`, with the row as stream number.
    #[test]
    fn words_are_those_of_chacha8() {
        let mut seed = [0u8; 32];
        for (bytes, word) in seed.chunks_mut(4).zip(key()) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        for (row, block) in [(0u64, 0u64), (7, 8), (u64::MAX - 2, 1 << 33)] {
            let mut outside = ChaCha8Rng::from_seed(seed);
            outside.set_stream(row);
            outside.set_word_pos(u128::from(block) * 16);
            let words = chacha8(&key(), row, block);
            for l in 0..LANES {
                for line in &words {
                    assert_eq!(line[l], outside.next_u32(), "row {row} lane {l}");
                }
            }
        }
    }

    /// The slow twin: standard library functions in double precision on the same words.
    #[test]
    fn the_map_is_box_muller() {
        let mut worst = 0.0f64;
        for i in 0..200_000u32 {
            let (a, b) = (i.wrapping_mul(0x9e37_79b9), i.wrapping_mul(0x85eb_ca6b).rotate_left(13));
            let (f, g) = box_muller(a, b);
            // Single precision holds U only to 24 bits; the twin starts from the same rounded U.
            let u = f64::from(((a >> 1) as f32 + 0.5) / 2f32.powi(31));
            let radius = (-2.0 * u.ln()).sqrt();
            let t = (f64::from(b & 0x3fff_ffff) - 2f64.powi(29)) * std::f64::consts::FRAC_PI_2 / 2f64.powi(30);
            let (s, c) = t.sin_cos();
            let (mut want_f, mut want_g) = if b >> 30 & 1 == 0 { (c, s) } else { (s, c) };
            if b >> 31 == 1 {
                (want_f, want_g) = (-want_f, -want_g);
            }
            worst = worst.max((f64::from(f) - radius * want_f).abs().max((f64::from(g) - radius * want_g).abs()));
        }
        assert!(worst < 3e-6, "{worst}"); // a few units of 2^-24 at radius 6
    }

    #[test]
    fn extreme_words_stay_finite() {
        for a in [0, 1, 2, u32::MAX - 1, u32::MAX] {
            for b in [0, 1 << 29, 1 << 30, 1 << 31, u32::MAX] {
                let (f, g) = box_muller(a, b);
                assert!(f.abs() <= LARGEST && g.abs() <= LARGEST, "{a} {b}: {f} {g}");
            }
        }
        let (f, g) = box_muller(0, 0);
        assert!(f.hypot(g) > 6.6);
    }

    #[test]
    fn rows_are_gaussian_and_independent() {
        let mut values = vec![0.0f32; 1 << 17];
        row_of_normals(&key(), 5, &mut values);
        let n = values.len() as f64;
        let moment = |k: i32| values.iter().map(|&v| f64::from(v).powi(k)).sum::<f64>() / n;
        // Five standard errors: 1, sqrt 2, sqrt 15 and sqrt 96 over sqrt n.
        for (k, want, deviation) in
            [(1, 0.0, 1.0), (2, 1.0, 2f64.sqrt()), (3, 0.0, 15f64.sqrt()), (4, 3.0, 96f64.sqrt())]
        {
            assert!((moment(k) - want).abs() < 5.0 * deviation / n.sqrt(), "moment {k}: {}", moment(k));
        }
        let mut sorted = values.clone();
        sorted.sort_by(f32::total_cmp);
        let gap = |(i, &v): (usize, &f32)| (normal_cdf(f64::from(v)) - (i as f64 + 0.5) / n).abs();
        let distance = largest_of(sorted.iter().enumerate().map(gap));
        assert!(distance * n.sqrt() < 2.2, "Kolmogorov distance {distance}"); // exceeded with probability 1e-4
        for lag in [1usize, 2, 8, 16, 128] {
            let product: f64 = values.windows(lag + 1).map(|w| f64::from(w[0]) * f64::from(w[lag])).sum();
            assert!((product / n).abs() < 5.0 / n.sqrt(), "lag {lag}");
        }
        let mut other = vec![0.0f32; 1 << 17];
        row_of_normals(&key(), 6, &mut other);
        let product: f64 = values.iter().zip(&other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        assert!((product / n).abs() < 5.0 / n.sqrt());
    }

    #[test]
    fn any_part_of_a_row_comes_again() {
        let mut whole = vec![0.0f32; 1000];
        row_of_normals(&key(), 9, &mut whole);
        for (first, len) in [(0usize, 3usize), (128, 872), (256, 100)] {
            let mut part = vec![0.0f32; len];
            fill_row(&key(), 9, first, &mut part); // also the build without vector features
            assert_eq!(part, whole[first..first + len]);
        }
    }
}
