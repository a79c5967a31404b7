//! Retention on heavy-tailed streams: items that come back with given frequencies.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::UpdateRule;
use super::retention::{OP, Retention, Run, check_positions, collect, readout, trained};
use crate::Error;
use workbench_ground::check::{above_zero, not_negative, within};
use workbench_ground::stats::{Stream, Streams, orthonormal, unit_sphere};
use workbench_ground::work;

/// Where the keys of items come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keys {
    /// Independent, uniform on the unit sphere: nearly orthogonal.
    Sphere,
    /// Orthonormal; at most d_k of them.
    Orthonormal,
}

/// A stream in which items come back: `steps` draws with fixed probabilities, then every chosen item is asked for.
///
/// Item k (rank $k+1$) has one key and one value in each run; frequent items come again and again. Everything is drawn anew in
/// each run from the stream `(name, run)`, keys and values first, so that rules and the expectation see the same.
///
/// ```
/// use workbench_gradient_memory::{DeltaRule, Frequencies};
/// let rule = DeltaRule::new(4, 2, 1.0)?;
/// let kept = Frequencies::new(vec![0.9, 0.1], 5).runs(50).retention(&rule, &workbench_ground::stats::Streams::new(1), "items")?;
/// assert!(kept.at(0)?.low > kept.at(1)?.high); // the frequent item is kept better
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Frequencies {
    probabilities: Vec<f64>,
    steps: usize,
    keys: Keys,
    ranks: Vec<usize>,
    runs: usize,
}

impl Frequencies {
    /// `steps` draws with the given probabilities, which sum to 1; keys on the sphere, all ranks, 100 runs.
    pub fn new(probabilities: Vec<f64>, steps: usize) -> Frequencies {
        Frequencies { ranks: (1..=probabilities.len()).collect(), probabilities, steps, keys: Keys::Sphere, runs: 100 }
    }

    /// Where the keys come from.
    pub fn keys(mut self, keys: Keys) -> Frequencies {
        self.keys = keys;
        self
    }

    /// The ranks that are reported, from 1 to the number of items.
    pub fn ranks(mut self, ranks: &[usize]) -> Frequencies {
        self.ranks = ranks.to_vec();
        self
    }

    /// Number of independent runs.
    pub fn runs(mut self, runs: usize) -> Frequencies {
        self.runs = runs;
        self
    }

    /// What `rule`, restarted from zero in each run, keeps of each rank.
    ///
    /// **Source**: ours. **Errors**: as [`crate::retention_by_age`]; probabilities that are negative or do not sum to 1 within 1e-9; more
    /// orthonormal keys than dimensions. Can be stopped, as there.
    pub fn retention(&self, rule: &dyn UpdateRule, streams: &Streams, name: &str) -> Result<Retention, Error> {
        let at = self.check()?;
        let one = |i: usize| -> Result<Run, Error> {
            let (keys, values, order) = self.draw(rule.weights().dim(), streams, name, i)?;
            trained(rule, &keys, &values, &order, &at)
        };
        collect(rule.name(), ("rank", &self.ranks), self.runs, &one)
    }

    /// The exact expectation, over the draws of items, of the overlaps of the delta rule; the same keys and values, run by run.
    ///
    /// The mean memory obeys $\mathbb E W_{t+1}=\mathbb E W_t\,(I-\eta C)+\eta B$ with $C=\sum_xp(x)\,k_xk_x^\top$,
    /// $B=\sum_xp(x)\,v_xk_x^\top$, so $\mathbb E W_T=\eta B\sum_{t< T}(I-\eta C)^t$: along an eigenvector of C with eigenvalue l, what is
    /// missing falls as $(1-\eta l)^T$. For orthonormal keys the overlap of an item is $1-(1-\eta p)^T$.
    ///
    /// **Source**: ours. **Shapes**: `dim` is `(d_v, d_k)`. **Errors**: as [`Frequencies::retention`]; `eta` not above 0. The errors
    /// of the result are those of the mean memory.
    pub fn expected_delta(
        &self,
        eta: f64,
        dim: (usize, usize),
        streams: &Streams,
        name: &str,
    ) -> Result<Retention, Error> {
        above_zero(OP, "eta", eta)?;
        let at = self.check()?;
        let p = Array1::from(self.probabilities.clone());
        let one = |i: usize| -> Result<Run, Error> {
            let (keys, values, _) = self.draw(dim, streams, name, i)?;
            let weighted = &keys * &p.view().insert_axis(Axis(1));
            let shrink = Array2::<f64>::eye(dim.1) - eta * keys.t().dot(&weighted);
            let w = eta * values.t().dot(&weighted).dot(&geometric_sum(&shrink, self.steps)?);
            Ok(readout(&w, &keys, &values, &at))
        };
        collect(format!("delta rule, η = {eta}, expected"), ("rank", &self.ranks), self.runs, &one)
    }

    /// What `rule` keeps of items that were seen exactly once, by the age of that occurrence: `bins` equal groups of ages, the newest
    /// first. One value for each run and bin, the mean over its items.
    ///
    /// Early against late without the effect of frequency: every item here had one chance.
    ///
    /// **Source**: ours. **Errors**: as [`Frequencies::retention`]; a run in which a bin holds no item.
    pub fn once_seen(
        &self,
        rule: &dyn UpdateRule,
        bins: usize,
        streams: &Streams,
        name: &str,
    ) -> Result<Retention, Error> {
        self.check()?;
        let one = |i: usize| -> Result<Run, Error> {
            let (keys, values, order) = self.draw(rule.weights().dim(), streams, name, i)?;
            let once = self.binned(&order, bins)?;
            let at: Vec<usize> = once.iter().map(|o| o.item).collect();
            let (overlaps, errors, total) = trained(rule, &keys, &values, &order, &at)?;
            Ok((by_bin(&once, bins, overlaps.view()), by_bin(&once, bins, errors.view()), total))
        };
        collect(rule.name(), ("age", &self.bin_ages(bins)?), self.runs, &one)
    }

    /// The exact expectation of [`Frequencies::once_seen`] for the delta rule, given the keys and the times of these occurrences.
    ///
    /// Given that x came once, a steps ago, the steps since are draws of the *other* items, so the overlap has the expectation
    /// $\eta\,k^\top(I-\eta C_{-x})^ak$ with $C_{-x}=\sum_{y\ne x}p(y)\,k_yk_y^\top/(1-p(x))$: a sum of $(1-\eta l)^a$ over the
    /// eigenvalues l of the traffic. Sums over items have exactly this expectation; means over a bin have it up to the small
    /// correlation between the number of such items and the traffic. The errors of the result are left at zero.
    ///
    /// **Source**: ours. **Errors**: as [`Frequencies::once_seen`]; `eta` not above 0. Cost O(items steps d_k^2) for each run.
    pub fn expected_delta_once_seen(
        &self,
        eta: f64,
        dim: (usize, usize),
        bins: usize,
        streams: &Streams,
        name: &str,
    ) -> Result<Retention, Error> {
        above_zero(OP, "eta", eta)?;
        self.check()?;
        let one = |i: usize| -> Result<Run, Error> {
            let (keys, _, order) = self.draw(dim, streams, name, i)?;
            let once = self.binned(&order, bins)?;
            let p = Array1::from(self.probabilities.clone());
            let traffic = keys.t().dot(&(&keys * &p.view().insert_axis(Axis(1))));
            let mut kept = Array1::zeros(once.len());
            for (o, into) in once.iter().zip(&mut kept) {
                work::check(OP, i, self.runs)?;
                let (k, p) = (keys.row(o.item), self.probabilities[o.item]);
                let mut image = k.to_owned();
                for step in 0..o.age {
                    if step % 64 == 63 {
                        work::check(OP, i, self.runs)?;
                    }
                    // C_{-x} z without forming it.
                    let others = (traffic.dot(&image) - &(p * k.dot(&image) * &k)) / (1.0 - p);
                    image.scaled_add(-eta, &others);
                }
                *into = eta * k.dot(&image);
            }
            Ok((by_bin(&once, bins, kept.view()), Array1::zeros(bins), kept.sum()))
        };
        collect(format!("delta rule, η = {eta}, expected"), ("age", &self.bin_ages(bins)?), self.runs, &one)
    }

    /// Keys, values and the order of items of run `i`.
    fn draw(&self, dim: (usize, usize), streams: &Streams, name: &str, i: usize) -> Result<Draw, Error> {
        let (d_v, d_k) = dim;
        above_zero(OP, "d_k", d_k as f64)?;
        above_zero(OP, "d_v", d_v as f64)?;
        let mut stream = streams.restart_replicate(name, i)?;
        let last = self.probabilities.len() - 1;
        let (keys, values) = items(self.keys, last + 1, d_k, d_v, &mut stream)?;
        let mut cumulative = self.probabilities.clone();
        let mut sum = 0.0;
        for c in &mut cumulative {
            sum += *c;
            *c = sum;
        }
        let order = (0..self.steps)
            .map(|_| {
                let u = stream.uniform();
                cumulative.partition_point(|c| *c <= u).min(last)
            })
            .collect();
        Ok((keys, values, order))
    }

    /// Items seen exactly once, with their age and bin.
    fn binned(&self, order: &[usize], bins: usize) -> Result<Vec<Once>, Error> {
        let mut sights = vec![(0usize, 0usize); self.probabilities.len()];
        for (t, &item) in order.iter().enumerate() {
            sights[item] = (sights[item].0 + 1, self.steps - 1 - t);
        }
        let once: Vec<Once> = sights
            .iter()
            .enumerate()
            .filter(|(_, (count, _))| *count == 1)
            .map(|(item, &(_, age))| Once { item, age, bin: age * bins / self.steps })
            .collect();
        match (0..bins).find(|b| once.iter().all(|o| o.bin != *b)) {
            None => Ok(once),
            Some(_) => {
                let next = "use fewer bins, or more items of low frequency";
                Err(Error::empty(OP, "a bin of ages", next))
            }
        }
    }

    /// Middle ages of the bins.
    fn bin_ages(&self, bins: usize) -> Result<Vec<usize>, Error> {
        let allowed = "a number from 1 to the number of steps";
        within(OP, "bins", bins as f64, (1..=self.steps).contains(&bins), allowed)?;
        Ok((0..bins).map(|b| (2 * b + 1) * self.steps / (2 * bins)).collect())
    }

    /// Checks the law and turns ranks into indices.
    fn check(&self) -> Result<Vec<usize>, Error> {
        above_zero(OP, "steps", self.steps as f64)?;
        for &p in &self.probabilities {
            not_negative(OP, "probability", p)?;
        }
        let total: f64 = self.probabilities.iter().sum();
        let name = "sum of the probabilities";
        within(OP, name, total, (total - 1.0).abs() <= 1e-9, "probabilities with sum 1")?;
        // Rank 0 wraps to the largest number and is refused with the others.
        let at: Vec<usize> = self.ranks.iter().map(|r| r.wrapping_sub(1)).collect();
        check_positions("rank", &at, self.probabilities.len())?;
        Ok(at)
    }
}

/// Keys, values, and the items in the order in which they come.
type Draw = (Array2<f64>, Array2<f64>, Vec<usize>);

/// An item that was seen exactly once.
struct Once {
    item: usize,
    age: usize,
    bin: usize,
}

/// Means of `values`, one for each item of `once`, over the bins; every bin holds an item.
fn by_bin(once: &[Once], bins: usize, values: ArrayView1<f64>) -> Array1<f64> {
    let mut sums = Array1::<f64>::zeros(bins);
    let mut counts = Array1::<f64>::zeros(bins);
    for (o, v) in once.iter().zip(values) {
        sums[o.bin] += v;
        counts[o.bin] += 1.0;
    }
    sums / counts
}

/// `I + A + ... + A^{n-1}`, by doubling.
fn geometric_sum(a: &Array2<f64>, n: usize) -> Result<Array2<f64>, Error> {
    let identity = Array2::<f64>::eye(a.nrows());
    let mut sum = Array2::<f64>::zeros(a.dim());
    let mut power = identity.clone();
    let bits = usize::BITS - n.leading_zeros();
    for bit in (0..bits).rev() {
        work::check(OP, (bits - 1 - bit) as usize, bits as usize)?;
        sum = &sum + &power.dot(&sum);
        power = power.dot(&power);
        if n >> bit & 1 == 1 {
            sum = &identity + &a.dot(&sum);
            power = power.dot(a);
        }
    }
    Ok(sum)
}

fn items(
    kind: Keys,
    n: usize,
    d_k: usize,
    d_v: usize,
    stream: &mut Stream,
) -> Result<(Array2<f64>, Array2<f64>), Error> {
    let keys = match kind {
        Keys::Sphere => unit_sphere(stream, n, d_k),
        Keys::Orthonormal if n > d_k => {
            let allowed = "at most d_k, or keys on the sphere";
            return Err(Error::parameter(OP, "number of orthonormal keys", n as f64, allowed));
        }
        Keys::Orthonormal => orthonormal(stream, n, d_k)?,
    };
    Ok((keys, unit_sphere(stream, n, d_v)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeltaRule, Hebbian};
    use workbench_ground::rehearsal::stop_after;

    const FAR: f64 = 1.3;

    fn boxed(rule: impl UpdateRule + 'static) -> Box<dyn UpdateRule> {
        Box::new(rule)
    }

    #[test]
    fn ranks_follow_the_mean_memory() {
        let p: Vec<f64> = [8.0, 4.0, 2.0, 1.0, 1.0].map(|x| x / 16.0).to_vec();
        let streams = Streams::new(4);
        for (kind, d_k) in [(Keys::Orthonormal, 6), (Keys::Sphere, 3)] {
            let rule = boxed(DeltaRule::new(4, d_k, 0.5).unwrap());
            let stream = Frequencies::new(p.clone(), 30).keys(kind).runs(600);
            let seen = stream.retention(&rule, &streams, "ranks").unwrap();
            let mean = stream.expected_delta(0.5, (4, d_k), &streams, "ranks").unwrap();
            for (i, share) in p.iter().enumerate() {
                let gap = seen.minus(&mean, i).unwrap();
                assert!(gap.value.abs() < FAR * gap.half_width(), "{kind:?} {i} {gap}");
                if kind == Keys::Orthonormal {
                    let closed = 1.0 - (1.0 - 0.5 * share).powi(30);
                    assert!((mean.at(i).unwrap().value - closed).abs() < 1e-12);
                    assert!((closed - (1.0 - (1.0 - 0.25 * share).powi(30))).abs() > 1e-3, "half the step size");
                }
            }
        }
    }

    #[test]
    fn geometric_sums_by_hand() {
        let a = ndarray::array![[0.5, 1.0], [0.0, -0.5]];
        let mut power = Array2::<f64>::eye(2);
        let mut sum = Array2::<f64>::zeros((2, 2));
        for n in 0..12 {
            assert!((geometric_sum(&a, n).unwrap() - &sum).iter().all(|e| e.abs() < 1e-14), "{n}");
            sum += &power;
            power = power.dot(&a);
        }
        let stopped = stop_after(2, || geometric_sum(&a, 12));
        assert!(matches!(stopped, Err(Error::Stopped(stopped)) if (stopped.done, stopped.of) == (2, 4)));
    }

    #[test]
    fn items_seen_once_follow_the_traffic_of_the_others() {
        let weights: Vec<f64> = (1..=300).map(|x| 1.0 / f64::from(x)).collect();
        let total: f64 = weights.iter().sum();
        let p: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let streams = Streams::new(5);
        let stream = Frequencies::new(p, 80).runs(200);
        let rule = boxed(DeltaRule::new(8, 10, 0.6).unwrap());
        let seen = stream.once_seen(&rule, 4, &streams, "once").unwrap();
        let mean = stream.expected_delta_once_seen(0.6, (8, 10), 4, &streams, "once").unwrap();
        let twin = stream.expected_delta_once_seen(0.3, (8, 10), 4, &streams, "once").unwrap();
        assert_eq!(seen.positions(), [10.0, 30.0, 50.0, 70.0]);
        for i in 0..4 {
            let gap = seen.minus(&mean, i).unwrap();
            assert!(gap.value.abs() < FAR * gap.half_width(), "{i} {gap}");
        }
        let gap = seen.minus(&twin, 0).unwrap();
        assert!(gap.low > 0.05, "{gap}");
        assert!(seen.contrast(0, 3).unwrap().low > 0.1, "late pairs are kept better");
        let hebbian = stream.once_seen(&*boxed(Hebbian::new(8, 10, 0.6).unwrap()), 4, &streams, "once").unwrap();
        assert!(hebbian.contrast(0, 3).unwrap().contains(0.0));
        assert!(matches!(stream.once_seen(&rule, 60, &streams, "once"), Err(Error::Empty { .. })));
        assert!(matches!(stream.once_seen(&rule, 0, &streams, "once"), Err(Error::Parameter { .. })));
    }

    #[test]
    fn bad_laws() {
        let rule = boxed(DeltaRule::new(2, 2, 0.5).unwrap());
        let streams = Streams::new(1);
        let rank = |kind, p: &[f64], ranks: &[usize]| {
            let stream = Frequencies::new(p.to_vec(), 5).keys(kind).ranks(ranks).runs(2);
            stream.retention(&rule, &streams, "x").map(|_| ())
        };
        assert!(matches!(rank(Keys::Sphere, &[0.5, 0.4], &[1]), Err(Error::Parameter { .. })));
        assert!(matches!(rank(Keys::Sphere, &[1.5, -0.5], &[1]), Err(Error::Parameter { .. })));
        assert!(matches!(rank(Keys::Sphere, &[0.5, 0.5], &[0]), Err(Error::Parameter { .. })));
        assert!(matches!(rank(Keys::Sphere, &[0.5, 0.5], &[3]), Err(Error::Parameter { .. })));
        assert!(matches!(rank(Keys::Orthonormal, &[0.4, 0.3, 0.3], &[1]), Err(Error::Parameter { .. })));
        assert!(matches!(rank(Keys::Sphere, &[f64::NAN], &[1]), Err(Error::Parameter { .. })));
        assert!(matches!(rank(Keys::Sphere, &[], &[1]), Err(Error::Parameter { .. })));
    }
}
