//! Vectors of signs, kept as bits.

use super::Error;
use ndarray::Array1;
use rand::RngCore;
use workbench_ground::check::{position, positive, same};
use workbench_ground::stats::Stream;

/// A vector in $\{-1,+1\}^N$, one bit for each entry (a set bit is $-1$).
///
/// Inner products come from Hamming distances: $\xi^\top\sigma=N-2d(\xi,\sigma)$.
///
/// ```
/// use workbench_features::compact::Signs;
/// let x = Signs::new(&[1.0, -1.0, 1.0])?;
/// assert_eq!((x.get(1), x.flipped(1)?.get(1)), (-1.0, 1.0));
/// assert_eq!(x.distance(&Signs::plus(3)?)?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signs {
    n: usize,
    words: Vec<u64>,
}

impl Signs {
    /// The vector with these entries.
    ///
    /// **Errors**: an entry that is not exactly $\pm1$ (NaN and infinities included), no entries.
    pub fn new(entries: &[f64]) -> Result<Signs, Error> {
        const OP: &str = "Signs::new";
        let mut signs = Signs::blank(OP, entries.len())?;
        for (index, &value) in entries.iter().enumerate() {
            if value == -1.0 {
                signs.flip(index);
            } else if value != 1.0 {
                let allowed = "+1 and -1 only; take the sign first";
                return Err(Error::entry(OP, "the pattern", index, value, allowed));
            }
        }
        Ok(signs)
    }

    /// The vector of `n` plus ones.
    ///
    /// **Errors**: `n` of zero.
    pub fn plus(n: usize) -> Result<Signs, Error> {
        Signs::blank("Signs::plus", n)
    }

    /// The vector with $-1$ at the set bits of `bits` (lowest bit first).
    ///
    /// **Errors**: `n` of zero or above 64; bits beyond `n`.
    pub fn from_bits(n: usize, bits: u64) -> Result<Signs, Error> {
        const OP: &str = "Signs::from_bits";
        if n > 64 || (n < 64 && bits >> n != 0) {
            let top = ("highest set bit plus one", 64 - bits.leading_zeros() as usize);
            return Err(Error::shape(OP, top, ("N (at most 64)", n), "give no bits beyond N"));
        }
        let mut signs = Signs::blank(OP, n)?;
        signs.words[0] = bits;
        Ok(signs)
    }

    /// A uniformly random vector.
    ///
    /// **Errors**: `n` of zero.
    pub fn random(n: usize, stream: &mut Stream) -> Result<Signs, Error> {
        let mut signs = Signs::blank("Signs::random", n)?;
        for word in &mut signs.words {
            *word = stream.next_u64();
        }
        if !n.is_multiple_of(64) {
            signs.words[n / 64] &= (1u64 << (n % 64)) - 1;
        }
        Ok(signs)
    }

    fn blank(op: &'static str, n: usize) -> Result<Signs, Error> {
        positive(op, "the length N", n)?;
        let words = vec![0; n.div_ceil(64)];
        Ok(Signs { n, words })
    }

    /// The length N.
    pub fn dim(&self) -> usize {
        self.n
    }

    /// Entry `i`, +1 or -1.
    ///
    /// **Panics** if `i` is beyond the vector, as indexing does.
    #[inline]
    pub fn get(&self, i: usize) -> f64 {
        if self.bit(i) { -1.0 } else { 1.0 }
    }

    #[inline]
    pub(crate) fn bit(&self, i: usize) -> bool {
        self.words[i >> 6] >> (i & 63) & 1 == 1
    }

    #[inline]
    pub(crate) fn flip(&mut self, i: usize) {
        self.words[i >> 6] ^= 1 << (i & 63);
    }

    /// The vector with entry `i` negated: `neg(x, i)` of A.2.
    ///
    /// **Errors**: `i` beyond the vector.
    pub fn flipped(&self, i: usize) -> Result<Signs, Error> {
        position("Signs::flipped", "entry", i, self.n)?;
        let mut other = self.clone();
        other.flip(i);
        Ok(other)
    }

    /// The vector with all entries of `places` negated, each as often as it is named.
    ///
    /// **Errors**: a place beyond the vector.
    pub fn flipped_at(&self, places: &[usize]) -> Result<Signs, Error> {
        let mut other = self.clone();
        for &i in places {
            position("Signs::flipped_at", "entry", i, self.n)?;
            other.flip(i);
        }
        Ok(other)
    }

    /// The vector with `k` entries, chosen at random, negated.
    ///
    /// **Errors**: `k` above N.
    pub fn corrupted(&self, k: usize, stream: &mut Stream) -> Result<Signs, Error> {
        position("Signs::corrupted", "number of flips k", k, self.n + 1)?;
        self.flipped_at(&stream.permutation(self.n)[..k])
    }

    /// Hamming distance: the number of entries in which the two differ.
    ///
    /// **Errors**: different lengths.
    pub fn distance(&self, other: &Signs) -> Result<usize, Error> {
        same("Signs::distance", ("left N", self.n), ("right N", other.n))?;
        Ok(self.apart(other))
    }

    /// The distance of two vectors known to have one length.
    #[inline]
    pub(crate) fn apart(&self, other: &Signs) -> usize {
        let bits = self.words.iter().zip(&other.words);
        bits.map(|(a, b)| (a ^ b).count_ones() as usize).sum()
    }

    /// The entries as numbers.
    pub fn to_array(&self) -> Array1<f64> {
        (0..self.n).map(|i| self.get(i)).collect()
    }

    pub(crate) fn xor(&self, other: &Signs) -> Signs {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a ^ b).collect();
        Signs { n: self.n, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn agrees_with_plain_arrays() {
        let mut stream = Streams::new(1).stream("signs").unwrap();
        for n in [1, 5, 63, 64, 65, 200] {
            let (x, y) = (Signs::random(n, &mut stream).unwrap(), Signs::random(n, &mut stream).unwrap());
            let (a, b) = (x.to_array(), y.to_array());
            assert_eq!(n as f64 - 2.0 * x.distance(&y).unwrap() as f64, a.dot(&b));
            assert_eq!(Signs::new(&a.to_vec()).unwrap(), x);
            let i = stream.below(n as u64) as usize;
            let z = x.flipped(i).unwrap();
            assert_eq!((z.get(i), z.distance(&x).unwrap()), (-x.get(i), 1));
            assert_eq!(x.corrupted(n / 2, &mut stream).unwrap().distance(&x).unwrap(), n / 2);
        }
    }

    #[test]
    fn refuses_bad_input() {
        for (entries, bad) in
            [(vec![1.0, 0.0], 1), (vec![f64::NAN], 0), (vec![1.0, -1.0, f64::INFINITY], 2), (vec![0.5], 0)]
        {
            assert!(matches!(Signs::new(&entries), Err(Error::Entry { at, .. }) if at == [bad]));
        }
        assert!(matches!(Signs::new(&[]), Err(Error::Zero { .. })));
        assert!(matches!(Signs::plus(0), Err(Error::Zero { .. })));
        assert!(matches!(
            Signs::from_bits(3, 8),
            Err(Error::Shape { left, right, .. }) if left == [4] && right == [3]
        ));
        assert!(matches!(Signs::from_bits(65, 0), Err(Error::Shape { .. })));
        let x = Signs::plus(3).unwrap();
        assert!(matches!(x.flipped(3), Err(Error::NoSuch { index: 3, len: 3, .. })));
        assert!(matches!(
            x.distance(&Signs::plus(4).unwrap()),
            Err(Error::Shape { left, right, .. }) if left == [3] && right == [4]
        ));
        let mut stream = Streams::new(1).stream("s").unwrap();
        assert!(matches!(x.corrupted(4, &mut stream), Err(Error::NoSuch { .. })));
    }
}
