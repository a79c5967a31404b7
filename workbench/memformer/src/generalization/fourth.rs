//! Fourth-order terms in the features of a linear class: how much its empirical risk scatters, and what that costs.

use super::chi;
use super::class::{Covariates, Kind, LinearClass};
use crate::Error;
use ndarray_linalg::Inverse;

impl LinearClass {
    /// The limit of $N\,\mathbb E[R(\hat\theta)-\min R]$ for the empirical minimiser over N prompts: $\operatorname{tr}(M^{-1}V)$, with
    /// $M=\mathbb E\,\phi\phi^\top$ and $V=\mathbb E[\mathrm{residual}^2\phi\phi^\top]$ at the best parameters.
    ///
    /// It is finite because the loss has all moments; excess risk therefore falls as $1/N$ and not as the $N^{-1/2}$ of uniform
    /// convergence.
    ///
    /// **Source**: classical asymptotics of least squares; the moments are exact. **Errors**: signs, a failed solve.
    ///
    /// ```
    /// use workbench_memformer::LinearClass;
    /// // One rate in one dimension, many examples: H = 1, so the class is exact and no prompt misleads.
    /// let class = LinearClass::one_step(1_000_000, 1, 1)?;
    /// assert!(class.excess_constant()? < 1e-4);
    /// # Ok::<(), workbench_memformer::Error>(())
    /// ```
    pub fn excess_constant(&self) -> Result<f64, Error> {
        const OP: &str = "LinearClass::excess_constant";
        self.normal_only(OP)?;
        let best = self.best()?;
        match &self.kind {
            Kind::OneStep(sizes) => {
                let pair = self.pair(OP, best[0])?;
                let groups = sizes.iter().enumerate();
                // Of M only the diagonal is not zero.
                Ok(groups
                    .map(|(i, size)| {
                        let noise = *size as f64 / self.d as f64 * pair.squares + 2.0 * pair.of_group(*size);
                        noise / self.moments[[i + 1, i + 1]]
                    })
                    .sum())
            }
            Kind::Polynomial(steps) => {
                let inverse = self.normal_equations().0.inv().map_err(Error::linear_algebra(OP))?;
                let (width, mut sum) = (steps + 1, 0.0);
                let mut powers = vec![0.0; width * width];
                self.krylov(OP, *steps)?.each(OP, 2, &mut |weight, t| {
                    t.powers(&mut powers);
                    let x = |k: usize| &powers[k * width..(k + 1) * width];
                    let left: Vec<f64> =
                        (0..width).map(|i| x(0)[i] - (0..*steps).map(|k| best[k] * x(k + 1)[i]).sum::<f64>()).collect();
                    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
                    let size = dot(&left, &left);
                    for i in 0..*steps {
                        for j in 0..*steps {
                            let (a, b) = (x(i + 1), x(j + 1));
                            let both = size * dot(a, b) + 2.0 * dot(&left, a) * dot(&left, b);
                            sum += weight * inverse[[i, j]] * both;
                        }
                    }
                })?;
                Ok(chi::moment(self.d, 2) * sum)
            }
        }
    }

    /// $\mathbb E\lVert g\rVert^4$, exact: what the variance of empirical moments is made of.
    ///
    /// **Errors**: signs (their g is bounded: see [`LinearClass::feature_bound`]).
    pub fn fourth_moment(&self) -> Result<f64, Error> {
        const OP: &str = "LinearClass::fourth_moment";
        self.normal_only(OP)?;
        match &self.kind {
            Kind::OneStep(sizes) => {
                // g is <q, K q> with K = w w^T + sum_P x_P x_P^T: its square has the mean (tr K)^2 + 2 tr K^2 over the query q.
                let pair = self.pair(OP, 0.0)?;
                let (d, square) = (self.d as f64, chi::moment(self.d, 2));
                let trace = square + 2.0 * pair.squares + pair.fourth;
                let groups: f64 = sizes
                    .iter()
                    .map(|size| {
                        let k = *size as f64;
                        2.0 * pair.of_group(*size) + k * (k + 2.0) / (d * (d + 2.0)) * pair.fourth
                    })
                    .sum();
                Ok(trace + 2.0 * (square + groups))
            }
            Kind::Polynomial(steps) => {
                let width = steps + 1;
                let (mut powers, mut sum) = (vec![0.0; width * width], 0.0);
                self.krylov(OP, *steps)?.each(OP, 2, &mut |weight, t| {
                    t.powers(&mut powers);
                    let dot = |a: usize, b: usize| -> f64 {
                        (0..width).map(|i| powers[a * width + i] * powers[b * width + i]).sum()
                    };
                    let trace: f64 = (0..width).map(|k| dot(k, k)).sum();
                    let squares: f64 =
                        (0..width).flat_map(|a| (0..width).map(move |b| (a, b))).map(|(a, b)| dot(a, b).powi(2)).sum();
                    sum += weight * (trace * trace + 2.0 * squares);
                })?;
                Ok(chi::moment(self.d, 2) * sum)
            }
        }
    }

    /// A bound on $\lVert g\rVert^2$ that holds for every prompt of signs: $d^2+(\mathrm{largest\;group})\,d^3$.
    ///
    /// $\lvert\langle q,w\rangle\rvert$ and the entries of $Hw$ are at most d. **Errors**: normal data, for which there is none.
    pub fn feature_bound(&self) -> Result<f64, Error> {
        match (&self.kind, self.covariates) {
            (Kind::OneStep(sizes), Covariates::Signs) => {
                let d = self.d as f64;
                let largest = sizes.iter().copied().max().unwrap_or(1) as f64;
                Ok(d * d + largest * d.powi(3))
            }
            _ => Err(Error::unavailable(
                "LinearClass::feature_bound",
                "a bound on features of normal data",
                "use fourth_moment, or data of signs",
            )),
        }
    }

    fn normal_only(&self, op: &'static str) -> Result<(), Error> {
        match self.covariates {
            Covariates::Normal => Ok(()),
            Covariates::Signs => Err(Error::unavailable(
                op,
                "an exact moment for signs",
                "use normal data, or the bound on features of signs",
            )),
        }
    }

    /// Fourth-order moments of u = w - theta H w and g = H w, with w ~ N(0, I).
    ///
    /// H w = |w| (s e + sqrt(s) xi) / n with e = w / |w|, s chi-squared with n and |xi|^2 = t chi-squared with d - 1 degrees of freedom.
    fn pair(&self, op: &'static str, theta: f64) -> Result<Pair, Error> {
        let (n, d) = (self.n as f64, self.d as f64);
        let (first, second) = (chi::rule(op, self.n, 4)?, chi::rule(op, self.d - 1, 2)?);
        let length = chi::moment(self.d, 2);
        let (mut squares, mut inner, mut fourth) = (0.0, 0.0, 0.0);
        for (s, ws) in first.nodes.iter().zip(&first.weights) {
            for (t, wt) in second.nodes.iter().zip(&second.weights) {
                let weight = ws * wt * length;
                let (along, across) = (s / n, s * t / (n * n));
                let left = 1.0 - theta * along;
                let g = along * along + across;
                squares += weight * (left * left + theta * theta * across) * g;
                inner += weight * (left * along - theta * across).powi(2);
                fourth += weight * g * g;
            }
        }
        // E u_i u_j g_k g_l = A d_ij d_kl + B (d_ik d_jl + d_il d_jk) for a pair whose law no rotation changes.
        let mixed = if self.d == 1 { 0.0 } else { (inner - squares / d) / (d * d + d - 2.0) };
        let straight = (squares - 2.0 * d * mixed) / (d * d);
        Ok(Pair { squares, fourth, straight, mixed })
    }
}

/// Moments of a pair of vectors u and g.
struct Pair {
    /// E |u|^2 |g|^2.
    squares: f64,
    /// E |g|^4.
    fourth: f64,
    straight: f64,
    mixed: f64,
}

impl Pair {
    /// E (sum over a group of u_c g_c)^2.
    fn of_group(&self, size: usize) -> f64 {
        let k = size as f64;
        k * (self.straight + (k + 1.0) * self.mixed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::class::tests::features;
    use super::*;
    use ndarray::Array1;

    #[test]
    fn fourth_moments_and_noise_by_sampling() {
        // Many examples: with few of them, what the best polynomial leaves is so rare and large that sampling misses half of it.
        let many = [
            LinearClass::one_step(20, 5, 2).unwrap(),
            LinearClass::one_step(20, 1, 1).unwrap(),
            LinearClass::polynomial(60, 3, 2).unwrap(),
        ];
        for (k, class) in many.iter().enumerate() {
            let drawn = features(class, 400_000, &format!("fourth {k}"));
            let exact = class.fourth_moment().unwrap();
            let seen = drawn.iter().map(|g| g.iter().map(|v| v * v).sum::<f64>().powi(2)).sum::<f64>() / 400_000.0;
            // Eighth moments of products of normals: a few percent of scatter at this size.
            assert!((seen / exact - 1.0).abs() < 0.15, "{k}: {seen} {exact}");
            let (best, inverse) = (class.best().unwrap(), class.normal_equations().0.inv().unwrap());
            let noise = drawn.iter().map(|g| {
                let left = g[0] - best.iter().zip(&g[1..]).map(|(t, f)| t * f).sum::<f64>();
                let f = Array1::from(g[1..].to_vec());
                left * left * f.dot(&inverse.dot(&f))
            });
            let seen = noise.sum::<f64>() / 400_000.0;
            let exact = class.excess_constant().unwrap();
            assert!((seen / exact - 1.0).abs() < 0.15, "{k}: {seen} {exact}");
        }
    }

    #[test]
    fn signs_stay_below_their_bound() {
        let class = LinearClass::one_step_of_signs(1, 3, 3).unwrap();
        let bound = class.feature_bound().unwrap();
        let drawn = features(&class, 5000, "signs");
        let largest = drawn.iter().map(|g| g.iter().map(|v| v * v).sum::<f64>()).fold(0.0, f64::max);
        assert!(largest <= bound && largest > 0.3 * bound, "{largest} {bound}");
        assert!(class.fourth_moment().is_err() && class.excess_constant().is_err());
        assert!(LinearClass::one_step(2, 2, 1).unwrap().feature_bound().is_err());
    }
}
