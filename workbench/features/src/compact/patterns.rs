//! Sets of patterns: random ones, codes with a known distance, and the worst that the theorem allows.

use super::{Error, Signs};
use ndarray::Array2;
use std::collections::HashSet;
use workbench_ground::check::{position, positive, same, within};
use workbench_ground::stats::Stream;

/// Largest number of patterns a constructor makes.
const MOST_PATTERNS: f64 = 5e6;

/// The memories $\xi^1,\dots,\xi^M\in\{-1,+1\}^N$.
///
/// ```
/// use workbench_features::compact::Patterns;
/// let code = Patterns::reed_muller(1, 4)?; // 32 words of length 16, any two at least 8 apart
/// assert_eq!((code.len(), code.dim(), code.min_distance()?), (32, 16, 8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patterns {
    n: usize,
    rows: Vec<Signs>,
}

impl Patterns {
    /// Patterns from a matrix of $\pm1$.
    ///
    /// **Shapes**: `(M, N)`. **Errors**: an entry that is not $\pm1$, no rows, no columns.
    pub fn new(matrix: &Array2<f64>) -> Result<Patterns, Error> {
        let rows: Result<Vec<Signs>, Error> = matrix.rows().into_iter().map(|row| Signs::new(&row.to_vec())).collect();
        Patterns::from_signs(rows?)
    }

    /// Patterns from vectors of one length.
    ///
    /// **Errors**: no vectors, different lengths.
    pub fn from_signs(rows: Vec<Signs>) -> Result<Patterns, Error> {
        const OP: &str = "Patterns::from_signs";
        positive(OP, "the number of patterns M", rows.len())?;
        let n = rows[0].dim();
        for row in &rows {
            same(OP, ("length of a pattern", row.dim()), ("length of the first", n))?;
        }
        Ok(Patterns { n, rows })
    }

    /// `m` independent uniformly random patterns of length `n`.
    ///
    /// **Errors**: `m` or `n` of zero.
    pub fn random(m: usize, n: usize, stream: &mut Stream) -> Result<Patterns, Error> {
        few("Patterns::random", m as f64)?;
        let rows: Result<Vec<Signs>, Error> = (0..m).map(|_| Signs::random(n, stream)).collect();
        Patterns::from_signs(rows?)
    }

    /// All sums modulo 2 of the generators: a linear code, $2^{\text{generators}}$ words if they are independent.
    ///
    /// **Errors**: no generators, different lengths, generators that depend on each other, too many words.
    pub fn linear(generators: &[Signs]) -> Result<Patterns, Error> {
        const OP: &str = "Patterns::linear";
        positive(OP, "the number of generators", generators.len())?;
        few(OP, 2f64.powi(generators.len().min(1000) as i32))?;
        let mut rows = vec![Signs::plus(generators[0].dim())?];
        for g in generators {
            let first = ("length of the first", rows[0].dim());
            same(OP, ("length of a generator", g.dim()), first)?;
            let shifted: Vec<Signs> = rows.iter().map(|row| row.xor(g)).collect();
            rows.extend(shifted);
        }
        let distinct: HashSet<&Signs> = rows.iter().collect();
        let all = ("2^(number of generators)", rows.len());
        same(OP, ("distinct words", distinct.len()), all)?;
        Patterns::from_signs(rows)
    }

    /// Reed-Muller code RM(order, m): $N=2^m$, distance $2^{m-\text{order}}$, $\sum_{j\le\text{order}}\binom mj$ generators.
    ///
    /// RM(1, m) are the rows of a Hadamard matrix and their negatives.
    ///
    /// **Errors**: `m` of zero or above 20, `order` above `m`, too many words.
    pub fn reed_muller(order: usize, m: usize) -> Result<Patterns, Error> {
        const OP: &str = "Patterns::reed_muller";
        positive(OP, "m", m)?;
        position(OP, "m", m, 21)?;
        position(OP, "order", order, m + 1)?;
        let n = 1usize << m;
        let mut generators = Vec::new();
        // A generator is a product of coordinates: minus one at the points where all bits of `mask` are set.
        for mask in (0..n).filter(|mask| mask.count_ones() as usize <= order) {
            let places: Vec<usize> = (0..n).filter(|point| point & mask == mask).collect();
            generators.push(Signs::plus(n)?.flipped_at(&places)?);
        }
        Patterns::linear(&generators)
    }

    /// Simplex code: $2^m$ words of length $2^m-1$, every two exactly $2^{m-1}$ apart.
    ///
    /// **Errors**: `m` of zero or above 20.
    pub fn simplex(m: usize) -> Result<Patterns, Error> {
        const OP: &str = "Patterns::simplex";
        positive(OP, "m", m)?;
        position(OP, "m", m, 21)?;
        let n = (1usize << m) - 1;
        let generator = |bit: usize| {
            let places: Vec<usize> = (0..n).filter(|point| (point + 1) >> bit & 1 == 1).collect();
            Signs::plus(n)?.flipped_at(&places)
        };
        let generators: Result<Vec<Signs>, Error> = (0..m).map(generator).collect();
        Patterns::linear(&generators?)
    }

    /// Cyclic code of length `n` with this generator polynomial (bit j is the coefficient of $x^j$).
    ///
    /// BCH codes: `(15, 0x1D1)` has distance 5 and 128 words, `(15, 0x537)` distance 7 and 32 words; the Golay code is `(23, 0xAE3)`.
    ///
    /// **Errors**: a polynomial of degree `n` or more, or zero; too many words.
    pub fn cyclic(n: usize, polynomial: u64) -> Result<Patterns, Error> {
        const OP: &str = "Patterns::cyclic";
        positive(OP, "the length N", n)?;
        positive(OP, "the generator polynomial", polynomial)?;
        let degree = 63 - polynomial.leading_zeros() as usize;
        position(OP, "degree of the polynomial", degree, n.min(64))?;
        let taps: Vec<usize> = (0..=degree).filter(|j| polynomial >> j & 1 == 1).collect();
        let shifted = |by: usize| Signs::plus(n)?.flipped_at(&taps.iter().map(|j| j + by).collect::<Vec<_>>());
        let generators: Result<Vec<Signs>, Error> = (0..n - degree).map(shifted).collect();
        Patterns::linear(&generators?)
    }

    /// Extended Golay code: 4096 words of length 24, any two at least 8 apart.
    pub fn golay() -> Result<Patterns, Error> {
        Patterns::cyclic(23, 0xAE3)?.with_parity()
    }

    /// Every pattern with one more entry, the product of all others: an odd distance grows by one.
    fn with_parity(&self) -> Result<Patterns, Error> {
        let longer = |row: &Signs| {
            let mut entries = row.to_array().to_vec();
            entries.push(entries.iter().product());
            Signs::new(&entries)
        };
        let rows: Result<Vec<Signs>, Error> = self.rows.iter().map(longer).collect();
        Patterns::from_signs(rows?)
    }

    /// The worst set that Theorem A.1 allows: `petals` competitors that all sit as close to one input as their distance to the first
    /// pattern and to each other permits, and that all profit from one and the same flip.
    ///
    /// The first pattern is all plus; competitor $\mu$ is minus on a common core of `radius` places, on one common place (number
    /// `radius`), and on `radius + gap - 1` places of its own. Any two patterns are at least $2\,\text{radius}+\text{gap}$ apart. The
    /// input that is minus on the core has distance `radius` to the first and `radius + gap` to every competitor.
    ///
    /// **Errors**: `gap` below 2 (no room for a place of their own), no petals.
    ///
    /// ```
    /// use workbench_features::compact::Patterns;
    /// let worst = Patterns::sunflower(8, 1, 2)?;
    /// assert_eq!((worst.len(), worst.dim(), worst.min_distance()?), (9, 18, 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sunflower(petals: usize, radius: usize, gap: usize) -> Result<Patterns, Error> {
        const OP: &str = "Patterns::sunflower";
        positive(OP, "the number of petals", petals)?;
        within(OP, "gap", gap as f64, gap >= 2, "a gap of at least 2")?;
        let own = radius + gap - 1;
        let n = radius + 1 + petals * own;
        few(OP, petals as f64 * own as f64)?;
        let center = Signs::plus(n)?;
        let mut rows = vec![center.clone()];
        for petal in 0..petals {
            let first = radius + 1 + petal * own;
            let places: Vec<usize> = (0..=radius).chain(first..first + own).collect();
            rows.push(center.flipped_at(&places)?);
        }
        Patterns::from_signs(rows)
    }

    /// Number of patterns M.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Length N.
    pub fn dim(&self) -> usize {
        self.n
    }

    /// Pattern number `mu`, from 0.
    ///
    /// **Errors**: `mu` beyond the set.
    pub fn pattern(&self, mu: usize) -> Result<Signs, Error> {
        position("Patterns::pattern", "pattern", mu, self.len())?;
        Ok(self.rows[mu].clone())
    }

    pub(crate) fn rows(&self) -> &[Signs] {
        &self.rows
    }

    /// The first `m` patterns.
    ///
    /// **Errors**: `m` of zero or above M.
    pub fn first(&self, m: usize) -> Result<Patterns, Error> {
        position("Patterns::first", "number of patterns", m, self.len() + 1)?;
        Patterns::from_signs(self.rows[..m].to_vec())
    }

    /// The smallest Hamming distance between two patterns; $N+1$ for a single one, which has no neighbour.
    ///
    /// **Errors**: stopped. Cost $M^2N/128$.
    pub fn min_distance(&self) -> Result<usize, Error> {
        let mut least = self.n + 1;
        for (i, a) in self.rows.iter().enumerate() {
            workbench_ground::work::check("Patterns::min_distance", i, self.len())?;
            for b in &self.rows[..i] {
                least = least.min(a.apart(b));
            }
        }
        Ok(least)
    }

    /// Hamming distances of all patterns to `input`.
    ///
    /// **Errors**: another length.
    pub fn distances(&self, input: &Signs) -> Result<Vec<usize>, Error> {
        let here = ("N", self.n);
        same("Patterns::distances", ("length of the input", input.dim()), here)?;
        Ok(self.rows.iter().map(|row| row.apart(input)).collect())
    }

    /// The patterns as a matrix `(M, N)` of $\pm1$.
    pub fn to_array(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.len(), self.n), |(mu, i)| self.rows[mu].get(i))
    }
}

fn few(op: &'static str, count: f64) -> Result<(), Error> {
    if count <= MOST_PATTERNS {
        return Ok(());
    }
    let next = "take a smaller code";
    Err(Error::too_many(op, "patterns", count, MOST_PATTERNS, next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    /// Length, words and distance of each code, from the tables of any coding theory book.
    #[test]
    fn codes_have_their_textbook_parameters() {
        let check = |code: Result<Patterns, Error>, n, m, d| {
            let code = code.unwrap();
            assert_eq!((code.dim(), code.len(), code.min_distance().unwrap()), (n, m, d));
        };
        check(Patterns::reed_muller(0, 3), 8, 2, 8);
        check(Patterns::reed_muller(1, 3), 8, 16, 4);
        check(Patterns::reed_muller(1, 4), 16, 32, 8);
        check(Patterns::reed_muller(2, 4), 16, 2048, 4);
        check(Patterns::reed_muller(1, 5), 32, 64, 16);
        check(Patterns::simplex(3), 7, 8, 4);
        check(Patterns::simplex(4), 15, 16, 8);
        check(Patterns::cyclic(7, 0b1011), 7, 16, 3);
        check(Patterns::cyclic(15, 0x1D1), 15, 128, 5);
        check(Patterns::cyclic(15, 0x537), 15, 32, 7);
        check(Patterns::cyclic(15, 0x537).unwrap().with_parity(), 16, 32, 8);
        check(Patterns::golay(), 24, 4096, 8);
        check(Patterns::sunflower(8, 1, 2), 18, 9, 4);
        check(Patterns::sunflower(5, 0, 2), 6, 6, 2);
        check(Patterns::sunflower(4, 2, 3), 19, 5, 7);
    }

    #[test]
    fn every_two_words_of_a_simplex_code_are_equally_far() {
        let code = Patterns::simplex(4).unwrap();
        for a in code.rows() {
            let d = code.distances(a).unwrap();
            assert!(d.iter().all(|d| *d == 0 || *d == 8));
        }
    }

    #[test]
    fn the_sunflower_input_is_as_close_as_allowed() {
        let (radius, gap) = (2, 3);
        let set = Patterns::sunflower(6, radius, gap).unwrap();
        let input = set.pattern(0).unwrap().flipped_at(&[0, 1]).unwrap();
        let d = set.distances(&input).unwrap();
        assert_eq!(d[0], radius);
        assert!(d[1..].iter().all(|d| *d == radius + gap));
        let nearer = set.distances(&input.flipped(radius).unwrap()).unwrap();
        assert!(nearer[1..].iter().all(|d| *d == radius + gap - 1));
    }

    #[test]
    fn matrix_round_trip_and_bad_input() {
        let mut stream = Streams::new(1).stream("p").unwrap();
        let set = Patterns::random(5, 70, &mut stream).unwrap();
        assert_eq!(Patterns::new(&set.to_array()).unwrap(), set);
        assert_eq!(set.first(1).unwrap().min_distance().unwrap(), 71);
        assert!(matches!(Patterns::new(&ndarray::array![[1.0, 0.3]]), Err(Error::Entry { .. })));
        assert!(matches!(Patterns::new(&Array2::zeros((0, 3))), Err(Error::Zero { .. })));
        assert!(matches!(Patterns::new(&Array2::zeros((3, 0))), Err(Error::Zero { .. })));
        assert!(matches!(Patterns::random(0, 3, &mut stream), Err(Error::Zero { .. })));
        assert!(matches!(Patterns::random(3, 0, &mut stream), Err(Error::Zero { .. })));
        let two = vec![Signs::plus(3).unwrap(), Signs::plus(4).unwrap()];
        assert!(matches!(Patterns::from_signs(two.clone()), Err(Error::Shape { .. })));
        assert!(matches!(Patterns::linear(&two), Err(Error::Shape { .. })));
        assert!(matches!(
            Patterns::linear(&[Signs::plus(3).unwrap()]),
            Err(Error::Shape { left, right, .. }) if left == [1] && right == [2]
        ));
        assert!(matches!(Patterns::linear(&vec![Signs::plus(3).unwrap(); 40]), Err(Error::TooMany { .. })));
        assert!(matches!(Patterns::reed_muller(3, 2), Err(Error::NoSuch { .. })));
        assert!(matches!(Patterns::simplex(0), Err(Error::Zero { .. })));
        assert!(matches!(Patterns::cyclic(5, 0), Err(Error::Zero { .. })));
        assert!(matches!(Patterns::cyclic(5, 64), Err(Error::NoSuch { .. })));
        assert!(matches!(Patterns::sunflower(3, 1, 1), Err(Error::Parameter { name: "gap", .. })));
        assert!(matches!(set.pattern(5), Err(Error::NoSuch { index: 5, len: 5, .. })));
        assert!(matches!(set.first(6), Err(Error::NoSuch { .. })));
        assert!(matches!(set.distances(&Signs::plus(3).unwrap()), Err(Error::Shape { .. })));
    }
}
