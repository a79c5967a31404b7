//! Prompts as tokens in rows, and shorter prompts with the same moments.
//!
//! A layer sees the keys through S = Z M Z^T / n only, and moves all of them by the same map of a token. Any other keys with the same S
//! therefore lead to the same answer: d + 1 of them are enough, the rows of a triangular factor of S. Where n is larger than d + 1, they
//! take the examples' place. Weights that tell tokens apart (`HadamardWeight::Full`) see more than S: there the prompts stay as they are.

use ndarray::{Array2, s};
use rayon::prelude::*;
use workbench_ground::{Error, work};
use workbench_memformer::Prompts;

/// Tokens of all prompts, `(B, keys + 1, d + 1)`: n examples and the query.
pub(super) fn whole(op: &'static str, prompts: &Prompts) -> Result<Vec<f64>, Error> {
    gather(op, prompts, |z| z.t().iter().copied().collect())
}

/// The same for d + 1 keys in place of more examples than that.
pub(super) fn short(op: &'static str, prompts: &Prompts) -> Result<Vec<f64>, Error> {
    let (n, width) = (prompts.examples(), prompts.dim() + 1);
    if n <= width {
        return whole(op, prompts);
    }
    gather(op, prompts, |z| {
        let keys = z.slice(s![.., ..n]);
        let mut rows = factor(keys.dot(&keys.t())).into_raw_vec_and_offset().0;
        rows.extend(z.column(n));
        rows
    })
}

/// What `each` makes of every prompt's tokens, in order.
fn gather(
    op: &'static str,
    prompts: &Prompts,
    each: impl Fn(Array2<f64>) -> Vec<f64> + Sync,
) -> Result<Vec<f64>, Error> {
    /// Prompts between two looks at a stop request.
    const LOOK: usize = 256;
    let batch = prompts.batch();
    let mut out = Vec::new();
    for from in (0..batch).step_by(LOOK) {
        work::check(op, from, batch)?;
        let rows: Vec<Vec<f64>> = (from..(from + LOOK).min(batch))
            .into_par_iter()
            .map(|b| prompts.tokens(b).map(&each))
            .collect::<Result<_, _>>()?;
        rows.into_iter().for_each(|row| out.extend(row));
    }
    Ok(out)
}

/// An upper triangular R with R^T R = S for a symmetric S without negative eigenvalues; a row of zeros where S has no more rank.
fn factor(mut s: Array2<f64>) -> Array2<f64> {
    let width = s.nrows();
    let least = f64::EPSILON * width as f64 * s.diag().iter().fold(0.0, |m: f64, v| m.max(*v));
    let mut rows = Array2::zeros((width, width));
    for k in 0..width {
        let pivot = s[[k, k]];
        if pivot <= least {
            continue;
        }
        let root = pivot.sqrt();
        for j in k..width {
            rows[[k, j]] = s[[k, j]] / root;
        }
        for i in k + 1..width {
            for j in i..width {
                s[[i, j]] -= rows[[k, i]] * rows[[k, j]];
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;
    use workbench_memformer::TaskLaw;

    #[test]
    fn shorter_prompts_have_the_same_moments() {
        // The responses are combinations of the covariates: the moments have rank d only.
        for (d, n) in [(1, 9), (4, 7), (5, 40)] {
            let law = TaskLaw::isotropic(d).unwrap();
            let prompts = Prompts::draw(&law, n, 3, &mut Streams::new(5).stream("p").unwrap()).unwrap();
            let (width, rows) = (d + 1, short("x", &prompts).unwrap());
            assert_eq!(rows.len(), 3 * (width + 1) * width);
            for b in 0..3 {
                let z = prompts.tokens(b).unwrap();
                let keys = z.slice(s![.., ..n]);
                let want = keys.dot(&keys.t());
                let own = Array2::from_shape_vec(
                    (width + 1, width),
                    rows[b * (width + 1) * width..][..(width + 1) * width].to_vec(),
                );
                let own = own.unwrap();
                let got = own.slice(s![..width, ..]).t().dot(&own.slice(s![..width, ..]));
                let scale = want.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
                assert!((got - &want).iter().all(|v| v.abs() < 1e-13 * scale), "{d} {n}");
                assert_eq!(own.row(width), z.column(n));
            }
        }
        let few =
            Prompts::draw(&TaskLaw::isotropic(4).unwrap(), 3, 2, &mut Streams::new(5).stream("p").unwrap()).unwrap();
        assert_eq!(short("x", &few).unwrap(), whole("x", &few).unwrap());
    }
}
