//! The variance of the noise against a rival class, split by the class that causes it.

use ndarray::Array2;
use workbench_ground::Error;
use workbench_ground::check::{position, positive, same, within};

/// $\operatorname{Var}(Z_y\mid u,e_x)/\lVert e_x\rVert^2$, split into three sources.
///
/// **Source**: Eq. 26 with $y=y'$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseSplit {
    /// Inputs of the competing class y: $Q_y(1-G_{yf})^2$.
    pub rival: f64,
    /// Other inputs of the own class f: $(Q_f-q^2)(1-G_{yf})^2$.
    pub own: f64,
    /// Inputs of all other classes k: $\sum_kQ_k(G_{ky}-G_{kf})^2$.
    pub others: f64,
}

impl NoiseSplit {
    /// The whole variance.
    pub fn total(&self) -> f64 {
        self.rival + self.own + self.others
    }
}

/// The split for given output embeddings.
///
/// **Source**: Eq. 26 with $y=y'$.
///
/// **Shapes**: `gram` is $UU^\top$, `(M, M)`; `energy` has $Q_y$ for each class; `class` is f, `rival` is y, `weight` is $q(x)$.
///
/// **Errors**: sizes that do not match, a class that does not exist, a rival equal to the class.
pub fn noise_split(
    gram: &Array2<f64>,
    energy: &[f64],
    class: usize,
    rival: usize,
    weight: f64,
) -> Result<NoiseSplit, Error> {
    const OP: &str = "noise_split";
    let m = energy.len();
    same(OP, ("the Gram matrix", gram.dim()), ("classes by classes", (m, m)))?;
    classes(OP, m, class, rival)?;
    let gap = (1.0 - gram[[rival, class]]).powi(2);
    Ok(NoiseSplit {
        rival: energy[rival] * gap,
        own: (energy[class] - weight * weight) * gap,
        others: (0..m)
            .filter(|&k| k != class && k != rival)
            .map(|k| energy[k] * (gram[[k, rival]] - gram[[k, class]]).powi(2))
            .sum(),
    })
}

/// The mean of [`noise_split`] over output embeddings uniform on the sphere.
///
/// $\mathbb E(1-G)^2=1+1/d$, and $\mathbb E(G_{ky}-G_{kf})^2=\mathbb E\lVert u_y-u_f\rVert^2/d=2/d$: only the third part carries a factor
/// $1/d$.
///
/// **Source**: Eq. 26 with $y=y'$, under the output embeddings of Eq. 1.
///
/// **Errors**: as [`noise_split`]; `dim = 0`.
///
/// ```
/// use workbench_memory::mean_noise_split;
/// let split = mean_noise_split(&[1.0, 2.0, 3.0], 0, 1, 0.5, 10)?;
/// assert!((split.rival - 2.2).abs() < 1e-15 && (split.own - 0.825).abs() < 1e-15 && (split.others - 0.6).abs() < 1e-15);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn mean_noise_split(
    energy: &[f64],
    class: usize,
    rival: usize,
    weight: f64,
    dim: usize,
) -> Result<NoiseSplit, Error> {
    const OP: &str = "mean_noise_split";
    positive(OP, "dim (d)", dim)?;
    classes(OP, energy.len(), class, rival)?;
    let d = dim as f64;
    let third: f64 = (0..energy.len()).filter(|&k| k != class && k != rival).map(|k| energy[k]).sum();
    Ok(NoiseSplit {
        rival: energy[rival] * (1.0 + 1.0 / d),
        own: (energy[class] - weight * weight) * (1.0 + 1.0 / d),
        others: 2.0 / d * third,
    })
}

fn classes(op: &'static str, m: usize, class: usize, rival: usize) -> Result<(), Error> {
    for index in [class, rival] {
        position(op, "class", index, m)?;
    }
    let allowed = "a class other than that of the input";
    within(op, "rival", rival as f64, class != rival, allowed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use workbench_ground::stats::{Streams, mean, unit_sphere};

    #[test]
    fn the_parts_are_the_variance_of_the_noise() {
        // Eq. 26 written out: (u_y - u_f)^T (sum_x q^2 u u^T) (u_y - u_f).
        let u = unit_sphere(&mut Streams::new(1).stream("u").unwrap(), 4, 6);
        let (q, labels) = ([0.7, 0.4, 0.9, 0.2, 0.5, 0.3], [0, 0, 1, 2, 3, 1]);
        let mut energy = [0.0; 4];
        q.iter().zip(labels).for_each(|(q, y)| energy[y] += q * q);
        let difference = &u.row(1) - &u.row(0);
        let direct: f64 = (1..6).map(|x| (q[x] * u.row(labels[x]).dot(&difference)).powi(2)).sum();
        let split = noise_split(&u.dot(&u.t()), &energy, 0, 1, q[0]).unwrap();
        assert!((split.total() - direct).abs() < 1e-14);
    }

    #[test]
    fn means_are_means() {
        let mut stream = Streams::new(2).stream("u").unwrap();
        let energy = [1.0, 0.5, 2.0, 0.7];
        let (mut rival, mut own, mut others) = (vec![], vec![], vec![]);
        for _ in 0..4000 {
            let u = unit_sphere(&mut stream, 4, 7);
            let s = noise_split(&u.dot(&u.t()), &energy, 2, 1, 0.6).unwrap();
            rival.push(s.rival);
            own.push(s.own);
            others.push(s.others);
        }
        let expected = mean_noise_split(&energy, 2, 1, 0.6, 7).unwrap();
        assert!(mean(&rival).unwrap().contains(expected.rival));
        assert!(mean(&own).unwrap().contains(expected.own));
        assert!(mean(&others).unwrap().contains(expected.others));
    }

    #[test]
    fn refuses_bad_input() {
        let gram = Array2::eye(3);
        assert!(matches!(noise_split(&gram, &[1.0; 2], 0, 1, 0.1), Err(Error::Shape { .. })));
        assert!(matches!(noise_split(&gram, &[1.0; 3], 0, 3, 0.1), Err(Error::NoSuch { .. })));
        assert!(matches!(noise_split(&gram, &[1.0; 3], 1, 1, 0.1), Err(Error::Parameter { .. })));
        assert!(matches!(mean_noise_split(&[1.0; 3], 0, 1, 0.1, 0), Err(Error::Zero { .. })));
    }
}
