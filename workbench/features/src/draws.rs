//! Projections: independent rows, and rows that are orthogonal within blocks.

use super::Error;
use ndarray::{Array2, ArrayView1, Axis, s};
use rand_distr::{ChiSquared, Distribution};
use workbench_ground::check::{finite, positive};
use workbench_ground::stats::{Stream, normal_array2, orthonormalized};

/// How the projections of a map are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias = "ORF")]
#[doc(alias = "orthogonal random features")]
pub enum Ensemble {
    /// Independent rows of $\mathcal N(0,I)$.
    Independent,
    /// Orthogonal within blocks of at most `dim` rows; each row keeps its Gaussian law (norms drawn from the chi law).
    BlockOrthogonal,
    /// Orthogonal within blocks, every row of length $\sqrt{\mathrm{dim}}$ ("regularised"): cheaper to draw and often more accurate, but no
    /// row is Gaussian and the kernel estimate is biased, see [`moments::fixed_norm_bias`](super::moments::fixed_norm_bias).
    FixedNorm,
}

/// Projections $\omega_1,\dots,\omega_n$, the rows of a matrix.
///
/// **Source**: A.1, around Eq. 9. **Shapes**: `rows` is `(n_projections, dim)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Draws {
    rows: Array2<f64>,
    ensemble: Option<Ensemble>,
}

impl Draws {
    /// Rows drawn independently from $\mathcal N(0,I)$.
    ///
    /// **Errors**: a zero size.
    ///
    /// ```
    /// use workbench_features::Draws;
    /// use workbench_ground::stats::Streams;
    /// let draws = Draws::independent(8, 3, &mut Streams::new(1).stream("w")?)?;
    /// assert_eq!(draws.rows().dim(), (8, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn independent(n_projections: usize, dim: usize, stream: &mut Stream) -> Result<Draws, Error> {
        Draws::draw(Ensemble::Independent, n_projections, dim, stream)
    }

    /// Rows orthogonal within blocks of `dim`, each with the law $\mathcal N(0,I)$.
    ///
    /// Directions: QR of a Gaussian block, made uniform by the signs of R's diagonal. Lengths: independent, from the chi law with `dim`
    /// degrees of freedom. A last block may be shorter.
    ///
    /// **Source**: A.1, sentence after Eq. 9. **Errors**: a zero size, a failed factorisation. **Cost** O(n dim^2).
    ///
    /// ```
    /// use workbench_features::Draws;
    /// use workbench_ground::stats::Streams;
    /// let draws = Draws::block_orthogonal(6, 4, &mut Streams::new(1).stream("w")?)?;
    /// let (a, b) = (draws.rows().row(0), draws.rows().row(3));
    /// assert!(a.dot(&b).abs() < 1e-14 * a.dot(&a));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn block_orthogonal(n_projections: usize, dim: usize, stream: &mut Stream) -> Result<Draws, Error> {
        Draws::draw(Ensemble::BlockOrthogonal, n_projections, dim, stream)
    }

    /// Rows drawn from the named ensemble.
    ///
    /// **Errors**: a zero size, a failed factorisation.
    pub fn draw(ensemble: Ensemble, n_projections: usize, dim: usize, stream: &mut Stream) -> Result<Draws, Error> {
        const OP: &str = "Draws::draw";
        positive(OP, "number of projections", n_projections)?;
        positive(OP, "dimension N", dim)?;
        let rows = if ensemble == Ensemble::Independent {
            normal_array2(stream, n_projections, dim)
        } else {
            let mut rows = Array2::zeros((n_projections, dim));
            for mut block in rows.axis_chunks_iter_mut(Axis(0), dim) {
                let n = block.nrows();
                // All of a block is drawn, but a row waits for those before it alone.
                let drawn = normal_array2(stream, dim, dim).reversed_axes();
                block.assign(&orthonormalized(drawn.slice_move(s![..n, ..])));
            }
            let chi2 = ChiSquared::new(dim as f64).map_err(|_| Error::zero(OP, "dimension N"))?;
            for mut row in rows.axis_iter_mut(Axis(0)) {
                row *= match ensemble {
                    Ensemble::FixedNorm => (dim as f64).sqrt(),
                    _ => chi2.sample(stream).sqrt(),
                };
            }
            rows
        };
        Ok(Draws { rows, ensemble: Some(ensemble) })
    }

    /// Projections chosen by the caller.
    ///
    /// **Errors**: a zero size, an entry that is not finite.
    pub fn from_rows(rows: Array2<f64>) -> Result<Draws, Error> {
        const OP: &str = "Draws::from_rows";
        positive(OP, "number of projections", rows.nrows())?;
        positive(OP, "dimension N", rows.ncols())?;
        finite(OP, "rows", &rows)?;
        Ok(Draws { rows, ensemble: None })
    }

    /// The same projections with their mirror images: $\omega_1,\dots,\omega_n,-\omega_1,\dots,-\omega_n$.
    pub fn with_mirror_images(&self) -> Draws {
        let mut rows = Array2::zeros((2 * self.len(), self.dim()));
        rows.slice_mut(s![..self.len(), ..]).assign(&self.rows);
        rows.slice_mut(s![self.len().., ..]).assign(&-&self.rows);
        Draws { rows, ensemble: None }
    }

    /// The projections, one per row.
    pub fn rows(&self) -> &Array2<f64> {
        &self.rows
    }

    /// One projection.
    pub fn row(&self, i: usize) -> ArrayView1<'_, f64> {
        self.rows.row(i)
    }

    /// Number of projections.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.rows.nrows()
    }

    /// Dimension N of the vectors that are mapped.
    pub fn dim(&self) -> usize {
        self.rows.ncols()
    }

    /// The law they were drawn from; `None` for rows given by the caller.
    pub fn ensemble(&self) -> Option<Ensemble> {
        self.ensemble
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn blocks_are_orthogonal_and_signs_are_fair() {
        let mut stream = Streams::new(5).stream("w").unwrap();
        let draws = Draws::block_orthogonal(10, 4, &mut stream).unwrap();
        let gram = draws.rows().dot(&draws.rows().t());
        for i in 0..10 {
            for j in 0..10 {
                let same_block = i / 4 == j / 4 && i != j;
                let cosine = gram[(i, j)] / (gram[(i, i)] * gram[(j, j)]).sqrt();
                assert_eq!(cosine.abs() < 1e-14, same_block, "{i} {j} {cosine}");
            }
        }
        // QR alone would fix the sign of each entry's law; with the sign of R taken out the mean is zero.
        let mean: f64 =
            (0..400).map(|_| Draws::block_orthogonal(1, 3, &mut stream).unwrap().rows()[(0, 0)]).sum::<f64>() / 400.0;
        assert!(mean.abs() < 4.0 / 20.0, "{mean}");
    }

    #[test]
    fn fixed_norms_are_the_root_of_the_dimension() {
        let mut stream = Streams::new(5).stream("w").unwrap();
        let draws = Draws::draw(Ensemble::FixedNorm, 7, 5, &mut stream).unwrap();
        assert!(draws.rows().rows().into_iter().all(|r| (r.dot(&r) - 5.0).abs() < 1e-13));
        assert_eq!(draws.ensemble(), Some(Ensemble::FixedNorm));
    }

    #[test]
    fn mirror_images() {
        let draws = Draws::from_rows(ndarray::array![[1.0, -2.0]]).unwrap();
        assert_eq!(*draws.with_mirror_images().rows(), ndarray::array![[1.0, -2.0], [-1.0, 2.0]]);
    }

    #[test]
    fn refuses_bad_input() {
        let mut stream = Streams::new(5).stream("w").unwrap();
        for ensemble in [Ensemble::Independent, Ensemble::BlockOrthogonal, Ensemble::FixedNorm] {
            assert!(matches!(Draws::draw(ensemble, 0, 3, &mut stream), Err(Error::Zero { .. })));
            assert!(matches!(Draws::draw(ensemble, 3, 0, &mut stream), Err(Error::Zero { .. })));
        }
        let nan = Draws::from_rows(ndarray::array![[1.0, f64::NAN]]);
        assert!(matches!(nan, Err(Error::NotFinite { at, .. }) if at == [1]));
    }
}
