//! Norms against the width d under the initialisation and the rates of Appendix C.1.

use super::learned::{LearnedMemory, Readout};
use super::learned_training::{LearnedTraining, TrainedParts};
use super::method::BatchSize;
use super::rule::DescentRule;
use crate::data::target::Target;
use crate::data::zipf::Zipf;
use crate::error_curve::ErrorCurve;
use crate::store::embedding::Embeddings;
use crate::store::embedding::fill_normal;
use ndarray::{Array1, Array2, ArrayView1, s};
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::{positive, within};
use workbench_ground::stats::{Stream, Streams};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// How embeddings start in Appendix C.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingStart {
    /// Uniform on the unit sphere.
    Sphere,
    /// Entries $\mathcal N(0,1/d)$.
    Gaussian,
}

impl EmbeddingStart {
    /// Inputs and outputs of this kind.
    ///
    /// **Errors**: a zero size.
    pub fn draw(&self, n: usize, m: usize, d: usize, stream: &mut Stream) -> Result<Embeddings, Error> {
        match self {
            EmbeddingStart::Sphere => Embeddings::spherical(n, m, d, stream),
            EmbeddingStart::Gaussian => {
                let mut parts = [Array2::zeros((n, d)), Array2::zeros((m, d))];
                for part in &mut parts {
                    fill_normal(part.iter_mut(), stream);
                    *part /= (d as f64).sqrt();
                }
                let [inputs, outputs] = parts;
                Embeddings::from_parts(inputs, outputs)
            }
        }
    }
}

/// Norms against d, one value per run: $\lVert e_x\rVert$, $\lVert u_y\rVert$ and $\lVert We_x\rVert$.
///
/// **Source**: Appendix C.1, initialisations. W is drawn entry by entry and not kept.
///
/// **Errors**: no dimensions, no runs, [`Error::Stopped`]. Cost: `d^2` Gaussians per run.
pub fn initial_norms(
    kind: EmbeddingStart,
    dims: &[usize],
    runs: usize,
    streams: &Streams,
    name: &str,
) -> Result<[ErrorCurve; 3], Error> {
    let rows = over_widths("initial_norms", dims, runs, streams, name, &|d, stream| {
        let e = kind.draw(1, 1, d, stream)?;
        let x = e.inputs.row(0);
        let (mut square, mut row) = (0.0, vec![0.0; d]);
        for i in 0..d {
            if i % 256 == 255 {
                work::check("initial_norms", i, d)?;
            }
            fill_normal(row.iter_mut(), stream);
            square += ArrayView1::from(&row).dot(&x).powi(2) / d as f64;
        }
        Ok(vec![norm(&x), norm(&e.outputs.row(0)), square.sqrt()])
    })?;
    curves(dims, rows)
}

/// What one update of W does, against d.
#[derive(Clone, Debug)]
pub struct UpdateNorms {
    /// $\lVert W'e_x\rVert$ for an input in the update.
    pub seen: ErrorCurve,
    /// $\lVert W'e_x\rVert$ for an input that is not.
    pub unseen: ErrorCurve,
    /// $\lVert(W'-W)e_x\rVert$ for an input in the update.
    pub change_seen: ErrorCurve,
    /// $\lVert(W'-W)e_x\rVert$ for an input that is not.
    pub change_unseen: ErrorCurve,
    /// Mean size of an entry of `delta W`.
    pub entry: ErrorCurve,
}

/// One row for each dimension: the mean of each norm over runs.
impl Tabulated for UpdateNorms {
    fn columns(&self) -> Result<Columns, Error> {
        let norms = [
            ("seen", &self.seen),
            ("unseen", &self.unseen),
            ("change seen", &self.change_seen),
            ("change unseen", &self.change_unseen),
            ("entry", &self.entry),
        ];
        side_by_side("Norms after an update of W", &norms)
    }
}

/// An update of W that is made in every width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryUpdate {
    /// Whether each entry is replaced by its sign.
    pub sign: bool,
    /// Terms of the sum, at least one.
    pub terms: usize,
    /// The power of d that is the rate.
    pub power: f64,
}

/// One update $W'=W+d^{\mathrm{power}}\,\mathrm{step}(\Delta W)$ with $\Delta W=\sum_j\alpha_ju_{y_j}e_{x_j}^\top$ of `terms` terms,
/// $\alpha_j$ uniform in $[\tfrac12,1]$.
///
/// `step` is the identity, or the sign entry by entry. W is known only through its products with the few inputs: along orthonormal
/// directions they are independent $\mathcal N(0,I/d)$, which is their exact law.
///
/// **Source**: Appendix C.1, Updates to W.
///
/// **Errors**: no dimensions, runs or terms, a power that is not finite, [`Error::Stopped`].
///
/// Cost per run: `terms d`, with the sign `terms d^2`.
pub fn memory_update_norms(
    update: MemoryUpdate,
    dims: &[usize],
    runs: usize,
    streams: &Streams,
    name: &str,
) -> Result<UpdateNorms, Error> {
    const OP: &str = "memory_update_norms";
    let MemoryUpdate { sign, terms, power } = update;
    positive(OP, "terms", terms)?;
    within(OP, "power of d", power, true, "a finite number")?;
    let rows = over_widths(OP, dims, runs, streams, name, &|d, stream| {
        let e = Embeddings::spherical(terms + 1, terms, d, stream)?;
        let alphas: Vec<f64> = (0..terms).map(|_| 0.5 + 0.5 * stream.uniform()).collect();
        let rate = (d as f64).powf(power);
        // `W e` of the first and the last input through their orthonormal directions.
        let (first, last) = (e.inputs.row(0), e.inputs.row(terms));
        let mut g = Array2::<f64>::zeros((2, d));
        fill_normal(g.iter_mut(), stream);
        g /= (d as f64).sqrt();
        let along = first.dot(&last);
        let across = (1.0 - along * along).max(0.0).sqrt();
        let w_first = g.row(0).to_owned();
        let w_last = &g.row(0) * along + &g.row(1) * across;
        let (mut d_first, mut d_last) = (Array1::<f64>::zeros(d), Array1::<f64>::zeros(d));
        let mut entry = 0.0;
        if sign {
            let mut row = Array1::<f64>::zeros(d);
            for i in 0..d {
                if i % 256 == 255 {
                    work::check(OP, i, d)?;
                }
                row.fill(0.0);
                for (j, alpha) in alphas.iter().enumerate() {
                    row.scaled_add(alpha * e.outputs[[j, i]], &e.inputs.row(j));
                }
                entry += row.fold(0.0, |s, v| s + v.abs());
                row.mapv_inplace(f64::signum);
                d_first[i] = row.dot(&first);
                d_last[i] = row.dot(&last);
            }
        } else {
            for (j, alpha) in alphas.iter().enumerate() {
                let x = e.inputs.row(j);
                d_first.scaled_add(alpha * x.dot(&first), &e.outputs.row(j));
                d_last.scaled_add(alpha * x.dot(&last), &e.outputs.row(j));
            }
            // The mean entry of a rank-one term is enough for its order; several terms are summed on some rows.
            let sample = d.min(64);
            for i in 0..sample {
                let mut row = Array1::<f64>::zeros(d);
                for (j, alpha) in alphas.iter().enumerate() {
                    row.scaled_add(alpha * e.outputs[[j, i]], &e.inputs.row(j));
                }
                entry += row.fold(0.0, |s, v| s + v.abs()) * d as f64 / sample as f64;
            }
        }
        d_first *= rate;
        d_last *= rate;
        Ok(vec![
            norm(&(&w_first + &d_first).view()),
            norm(&(&w_last + &d_last).view()),
            norm(&d_first.view()),
            norm(&d_last.view()),
            entry / (d * d) as f64,
        ])
    })?;
    let [seen, unseen, change_seen, change_unseen, entry] = curves(dims, rows)?;
    Ok(UpdateNorms { seen, unseen, change_seen, change_unseen, entry })
}

/// Norms after joint updates of W and both embeddings, against d.
#[derive(Clone, Debug)]
pub struct JointNorms {
    /// $\lVert e'_x\rVert$ of the most frequent input.
    pub input: ErrorCurve,
    /// $\lVert u'_y\rVert$ of its class.
    pub output: ErrorCurve,
    /// $\lVert W'e'_x\rVert$.
    pub hidden: ErrorCurve,
    /// $\lVert W'^\top u'_y\rVert$.
    pub backward: ErrorCurve,
    /// $\lVert e'_x-e_x\rVert$.
    pub input_change: ErrorCurve,
    /// $\lVert u'_y-u_y\rVert$.
    pub output_change: ErrorCurve,
}

/// One row for each dimension: the mean of each norm over runs.
impl Tabulated for JointNorms {
    fn columns(&self) -> Result<Columns, Error> {
        let norms = [
            ("input", &self.input),
            ("output", &self.output),
            ("hidden", &self.hidden),
            ("backward", &self.backward),
            ("input change", &self.input_change),
            ("output change", &self.output_change),
        ];
        side_by_side("Norms after joint updates", &norms)
    }
}

/// Curves over the same dimensions as columns of one table.
fn side_by_side(title: &str, curves: &[(&str, &ErrorCurve)]) -> Result<Columns, Error> {
    let mut columns = Columns::new(title).x("d", curves[0].1.x()).log_x().log_y();
    for (name, curve) in curves {
        let norms = (0..curve.x().len()).map(|i| curve.at(i));
        columns = columns.with(name, norms.collect::<Result<Vec<_>, Error>>()?);
    }
    Ok(columns)
}

/// Learning rates that are powers of the width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WidthRates {
    /// The factor common to both.
    pub base: f64,
    /// The power of d in the rate of W.
    pub memory: f64,
    /// The power of d in the rate of the embeddings.
    pub embeddings: f64,
}

/// Norms after `updates` joint updates with batch one at rates that are powers of d.
///
/// Norms are those of the most frequent input and its class; after one update some runs have not visited it, and their change is zero.
/// Norms beyond 1e150 enter as 1e150.
///
/// **Source**: Appendix C.1, Updates to embeddings.
///
/// **Errors**: zero sizes, powers that are not finite, [`Error::Stopped`]. Cost per run: `updates M d^2`.
pub fn joint_update_norms(
    rule: DescentRule,
    rates: WidthRates,
    updates: usize,
    dims: &[usize],
    runs: usize,
    streams: &Streams,
    name: &str,
) -> Result<JointNorms, Error> {
    const OP: &str = "joint_update_norms";
    positive(OP, "number of dimensions", dims.len())?;
    let (law, target) = (Zipf::new(2.0, 20)?, Target::modulo(5)?);
    let mut rows = vec![vec![vec![0.0; dims.len()]; runs]; 6];
    for (k, &d) in dims.iter().enumerate() {
        let training = LearnedTraining::new(law.clone(), target.clone(), d, Readout::Linear, TrainedParts::Everything)
            .rule(rule)
            .rate(rates.base)?
            .width_powers(rates.memory, rates.embeddings)
            .batch(BatchSize::Samples(1))
            .steps(updates);
        let trained = training.run(streams, &format!("{name}, d = {d}"), runs)?;
        for i in 0..trained.len() {
            let values = joint_norms(&trained.start(i)?, &trained.model(i)?);
            for (rows, value) in rows.iter_mut().zip(values) {
                rows[i][k] = if value.is_finite() { value.min(1e150) } else { 1e150 };
            }
        }
    }
    let mut made = rows.into_iter().map(|rows| curve(dims, &rows)).collect::<Result<Vec<_>, _>>()?.into_iter();
    let mut next = || made.next().ok_or(Error::zero(OP, "norms"));
    Ok(JointNorms {
        input: next()?,
        output: next()?,
        hidden: next()?,
        backward: next()?,
        input_change: next()?,
        output_change: next()?,
    })
}

/// The input most moved and its class.
fn joint_norms(start: &LearnedMemory, end: &LearnedMemory) -> [f64; 6] {
    let moved = |a: &Array2<f64>, b: &Array2<f64>, i: usize| norm(&(&b.row(i) - &a.row(i)).view());
    // Rank 1 has class 1 mod 5.
    let (x, y) = (0, 1);
    let (e, u) = (end.inputs.row(x), end.outputs.row(y));
    [
        norm(&e),
        norm(&u),
        norm(&end.memory.dot(&e).view()),
        norm(&end.memory.t().dot(&u).view()),
        moved(&start.inputs, &end.inputs, x),
        moved(&start.outputs, &end.outputs, y),
    ]
}

fn norm(v: &ArrayView1<f64>) -> f64 {
    v.dot(v).sqrt()
}

/// The values of one run in one dimension.
type OneWidth<'a> = dyn Fn(usize, &mut Stream) -> Result<Vec<f64>, Error> + Sync + 'a;

/// One row of values for each run and dimension, `[dimension][run][value]`.
fn over_widths(
    op: &'static str,
    dims: &[usize],
    runs: usize,
    streams: &Streams,
    name: &str,
    one: &OneWidth<'_>,
) -> Result<Vec<Vec<Vec<f64>>>, Error> {
    positive(op, "number of dimensions", dims.len())?;
    positive(op, "runs", runs)?;
    for &d in dims {
        positive(op, "dim (d)", d)?;
    }
    dims.iter()
        .enumerate()
        .map(|(k, &d)| {
            (0..runs)
                .into_par_iter()
                .map(|i| {
                    work::check(op, k, dims.len())?;
                    one(d, &mut streams.restart_replicate(&format!("{name}, d = {d}"), i)?)
                })
                .collect()
        })
        .collect()
}

fn curves<const K: usize>(dims: &[usize], rows: Vec<Vec<Vec<f64>>>) -> Result<[ErrorCurve; K], Error> {
    let made = (0..K)
        .map(|part| {
            let runs = rows[0].len();
            let table: Vec<Vec<f64>> = (0..runs).map(|i| rows.iter().map(|by_run| by_run[i][part]).collect()).collect();
            curve(dims, &table)
        })
        .collect::<Result<Vec<_>, Error>>()?;
    made.try_into().map_err(|_| Error::zero("width study", "values"))
}

fn curve(dims: &[usize], rows: &[Vec<f64>]) -> Result<ErrorCurve, Error> {
    let mut runs = Array2::zeros((rows.len(), dims.len()));
    for (i, row) in rows.iter().enumerate() {
        runs.slice_mut(s![i, ..]).assign(&ArrayView1::from(row));
    }
    ErrorCurve::new(dims.iter().map(|d| *d as f64).collect(), runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::rehearsal::{count, stop_after};
    use workbench_ground::tabulated::Values;

    #[test]
    fn runs_of_one_width_stop_one_by_one() {
        let streams = Streams::new(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let norms = || initial_norms(EmbeddingStart::Sphere, &[8], 20, &streams, "n");
        let (_, looks) = pool.install(|| count(norms));
        assert!(looks >= 20, "{looks}");
        assert!(matches!(pool.install(|| stop_after(5, norms)), Err(Error::Stopped(_))));
    }

    fn of(sign: bool, terms: usize, power: f64) -> MemoryUpdate {
        MemoryUpdate { sign, terms, power }
    }

    #[test]
    fn initial_norms_are_near_one() {
        let streams = Streams::new(1);
        for kind in [EmbeddingStart::Sphere, EmbeddingStart::Gaussian] {
            for curve in initial_norms(kind, &[16, 64], 200, &streams, "n").unwrap() {
                assert!(curve.means().iter().all(|m| (m - 1.0).abs() < 0.06));
            }
        }
    }

    #[test]
    fn hidden_vectors_have_their_joint_law() {
        // The shortcut for W e against W drawn in full: second moments of two inputs' images.
        let streams = Streams::new(1);
        let norms = memory_update_norms(of(false, 1, -40.0), &[8], 4000, &streams, "w").unwrap();
        let square = |c: &ErrorCurve| c.runs().mapv(|v| v * v).mean().unwrap();
        assert!((square(&norms.seen) - 1.0).abs() < 0.05 && (square(&norms.unseen) - 1.0).abs() < 0.05);
        assert!(norms.change_seen.means()[0] < 1e-30);
        let columns = norms.columns().unwrap();
        let names: Vec<&str> = columns.list.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["d", "seen", "unseen", "change seen", "change unseen", "entry"]);
        assert_eq!(columns.list[1].1, Values::from([norms.seen.at(0).unwrap()]));
    }

    #[test]
    fn one_term_by_hand() {
        let streams = Streams::new(2);
        // |delta W e_x| = alpha for the seen input; the sign of a rank-one matrix has |sign(u)| |sign(e) . e| = sqrt(d) |e|_1.
        let plain = memory_update_norms(of(false, 1, 0.0), &[32], 50, &streams, "p").unwrap();
        assert!(plain.change_seen.runs().iter().all(|c| (0.5..=1.0).contains(c)));
        let sign = memory_update_norms(of(true, 1, -1.0), &[32], 400, &streams, "s").unwrap();
        let expected = (2.0 / std::f64::consts::PI).sqrt();
        assert!((sign.change_seen.means()[0] - expected).abs() < 0.02);
    }

    #[test]
    fn joint_updates_run_and_refuse() {
        let streams = Streams::new(3);
        let stated = WidthRates { base: 1.0, memory: 0.0, embeddings: 0.0 };
        let odd = WidthRates { memory: f64::NAN, ..stated };
        let norms = joint_update_norms(DescentRule::Sgd, stated, 3, &[8, 16], 4, &streams, "j").unwrap();
        assert!(norms.input_change.means().iter().all(|c| *c > 0.0));
        let columns = norms.columns().unwrap();
        assert!(columns.list.len() == 7 && columns.list.iter().all(|(_, values)| values.len() == 2));
        assert_eq!(columns.list[6].0, "output change");
        assert!(joint_update_norms(DescentRule::Sgd, stated, 3, &[], 4, &streams, "j").is_err());
        assert!(joint_update_norms(DescentRule::Sgd, odd, 3, &[8], 4, &streams, "j").is_err());
        assert!(memory_update_norms(of(true, 0, -1.0), &[8], 4, &streams, "k").is_err());
        assert!(memory_update_norms(of(true, 1, f64::NAN), &[8], 4, &streams, "k").is_err());
        assert!(initial_norms(EmbeddingStart::Sphere, &[0], 4, &streams, "k").is_err());
        assert!(initial_norms(EmbeddingStart::Sphere, &[4], 0, &streams, "k").is_err());
    }
}
