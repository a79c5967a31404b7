//! The best gates: of outputs in closed form, of layers by Newton steps from every corner.

use super::answers::{Answers, final_answers};
use super::experts::{Gated, weighted};
use crate::{Batch, Error, Part};
use ndarray::{Array1, Array2};
use ndarray_linalg::{Eigh, UPLO};
use workbench_ground::check::{positive, same_shape, within};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// Directions below this share of the largest eigenvalue are rounding.
const CUT: f64 = 1e-13;
/// Newton or projected steps from one start at most.
const STEPS: usize = 200;
/// More heads than this make too many faces of the simplex.
const MOST: usize = 12;

/// Which gates are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GateKind {
    /// Any real numbers, as Section 4.2 has it.
    Free,
    /// Numbers that sum to one, as footnote 2 has it: an affine combination.
    SumToOne,
    /// Numbers of zero or more that sum to one: a convex combination, what a softmax gives.
    Convex,
}

/// Gates and the mean squared error that they reach.
#[derive(Clone, Debug, PartialEq)]
pub struct GateFit {
    /// One gate for each head.
    pub gates: Vec<f64>,
    /// Mean squared error on the prompts that they were fitted to.
    pub loss: f64,
}

/// One row for each head.
impl Tabulated for GateFit {
    fn columns(&self) -> Result<Columns, Error> {
        let heads: Vec<usize> = (0..self.gates.len()).collect();
        let title = format!("Gates with a mean squared error of {:.3e}", self.loss);
        Ok(Columns::new(&title).with("head", heads).with("gate", &self.gates))
    }
}

/// The gates of *outputs* that make the mean of $(\langle w^\ast,x\rangle-\sum_h\alpha_h\mathrm{Head}_h)^2$ least: exact least squares.
///
/// Each head runs alone on the prompt and only the answers are combined, as in the proof of Theorem 4.1. Convex gates are found by
/// solving on every face of the simplex.
///
/// **Source**: Theorem 4.1 and Appendix A.4. **Errors**: no head, several batches, more than twelve heads for convex gates.
/// Cost B H^2 (convex: and 2^H H^3).
///
/// ```
/// use ndarray::Array2;
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Answers, Architecture, GateKind, Parameters, Prompts, TaskLaw, best_output_gates};
/// let statistics = Prompts::draw(&TaskLaw::isotropic(2)?, 20, 50, &mut Streams::new(1).stream("p")?)?.statistics()?;
/// let head = |rate: f64| {
///     let mut head = Parameters::neutral(Architecture::new(2, 2)?);
///     head.set_a(0, &(rate * Array2::eye(2)))?;
///     head.set_a(1, &(rate * Array2::eye(2)))?;
///     Answers::of(&head, &statistics)
/// };
/// let heads = [head(0.2)?, head(0.8)?];
/// let loss = |kind| best_output_gates(&heads, kind).map(|fit| fit.loss);
/// assert!(loss(GateKind::Free)? < loss(GateKind::SumToOne)?);
/// assert!(loss(GateKind::SumToOne)? < loss(GateKind::Convex)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best_output_gates(heads: &[Answers], kind: GateKind) -> Result<GateFit, Error> {
    const OP: &str = "best_output_gates";
    let outputs = final_answers(heads)?;
    let truth = &heads[0].truth;
    let count = heads.len();
    let size = truth.len() as f64;
    let (normal, right, power) =
        (outputs.t().dot(&outputs) / size, outputs.t().dot(truth) / size, truth.dot(truth) / size);
    let loss = |gates: &Array1<f64>| (gates.dot(&normal.dot(gates)) - 2.0 * gates.dot(&right) + power).max(0.0);
    let all: Vec<usize> = (0..count).collect();
    let gates = match kind {
        GateKind::Free => least(OP, &normal, &right)?,
        GateKind::SumToOne => on_plane(OP, &normal, &right, &all)?,
        GateKind::Convex => {
            few(OP, count)?;
            let mut best: Option<(f64, Array1<f64>)> = None;
            for face in 1u32..1 << count {
                let members: Vec<usize> = all.iter().copied().filter(|h| face >> h & 1 == 1).collect();
                let gates = on_plane(OP, &normal, &right, &members)?;
                let value = loss(&gates);
                if gates.iter().all(|g| *g >= 0.0) && best.as_ref().is_none_or(|(least, _)| value < *least) {
                    best = Some((value, gates));
                }
            }
            // Every corner is a face of its own.
            best.map_or_else(|| Array1::zeros(count), |(_, gates)| gates)
        }
    };
    // The loss from the answers themselves: the quadratic form loses digits where it is small.
    let missed = truth - &outputs.dot(&gates);
    Ok(GateFit { loss: missed.dot(&missed) / size, gates: gates.to_vec() })
}

/// The gates of *layers* with the least loss on a batch.
///
/// Heads share one state, so that the answer is a polynomial of degree L in the gates. Damped Newton steps (for convex gates:
/// projected gradient steps) from every one-hot gate, from the mean of the heads and from the model's own gates; the best end is
/// returned. Experts that are multiples of each other leave directions without curvature, along which gates stay where they started.
///
/// **Source**: Section 4.2. **Errors**: another dimension, a stop request. Cost: some 100 (H + 1) passes over the batch.
pub fn best_layer_gates(model: &Gated, batch: &Batch, kind: GateKind) -> Result<GateFit, Error> {
    const OP: &str = "best_layer_gates";
    let count = model.gates().len();
    let mut starts: Vec<Array1<f64>> =
        (0..count).map(|h| Array1::from_shape_fn(count, |i| f64::from(u8::from(i == h)))).collect();
    starts.push(Array1::from_elem(count, 1.0 / count as f64));
    starts.push(match kind {
        GateKind::Free => Array1::from(model.gates().to_vec()),
        _ => onto_simplex(&Array1::from(model.gates().to_vec())),
    });
    // Of equal starts, as all are for one head, the first is enough.
    let mut different: Vec<Array1<f64>> = Vec::with_capacity(starts.len());
    for start in starts {
        if !different.contains(&start) {
            different.push(start);
        }
    }
    let of = different.len();
    let mut best: Option<GateFit> = None;
    for (i, start) in different.into_iter().enumerate() {
        work::check(OP, i, of)?;
        let end = match kind {
            GateKind::Free => newton(model, batch, start, &Array2::eye(count))?,
            GateKind::SumToOne => newton(model, batch, start, &sum_zero(count))?,
            GateKind::Convex => projected(model, batch, start)?,
        };
        if best.as_ref().is_none_or(|fit| end.loss < fit.loss) {
            best = Some(end);
        }
    }
    best.ok_or(Error::zero(OP, "the number of heads (H)"))
}

/// Mean loss of layer gates, and its gradient in them.
///
/// **Source**: ours, for the gates of Section 4.2.
/// **Errors**: another number of gates, another dimension, a stop request.
pub fn layer_gate_gradient(model: &Gated, batch: &Batch, gates: &[f64]) -> Result<(f64, Vec<f64>), Error> {
    let here = model.with_gates(gates)?;
    let merged = here.merged();
    let (loss, gradient) = batch.loss_and_gradient(&merged)?;
    let d = merged.architecture().dim();
    let matrices = &gradient.values()[merged.architecture().range(Part::Preconditioners)];
    let of_head = |head| {
        let inner = |(l, g): (usize, &[f64])| g.iter().zip(&weighted(head, l)).map(|(g, a)| g * a).sum::<f64>();
        matrices.chunks_exact(d * d).enumerate().map(inner).sum::<f64>()
    };
    Ok((loss, here.heads().iter().map(of_head).collect()))
}

/// Damped Newton steps on start + span(basis); the Hessian by differences of exact gradients, its eigenvalues taken positive.
fn newton(model: &Gated, batch: &Batch, start: Array1<f64>, basis: &Array2<f64>) -> Result<GateFit, Error> {
    const OP: &str = "best_layer_gates";
    let value = |gates: &Array1<f64>| -> Result<(f64, Array1<f64>), Error> {
        let (loss, gradient) = layer_gate_gradient(model, batch, &gates.to_vec())?;
        Ok((loss, basis.t().dot(&Array1::from(gradient))))
    };
    let mut gates = start;
    let (mut loss, mut gradient) = value(&gates)?;
    let free = basis.ncols();
    for step in 0..STEPS {
        work::check(OP, step, STEPS)?;
        if free == 0 || !loss.is_finite() {
            break;
        }
        let width = 1e-5 * (1.0 + gates.iter().fold(0.0, |m: f64, g| m.max(g.abs())));
        let mut hessian = Array2::zeros((free, free));
        for k in 0..free {
            let aside = |sign: f64| value(&(&gates + &(sign * width * &basis.column(k))));
            let column = (aside(1.0)?.1 - aside(-1.0)?.1) / (2.0 * width);
            hessian.column_mut(k).assign(&column);
        }
        if hessian.iter().any(|v| !v.is_finite()) {
            break;
        }
        let (values, vectors) =
            (0.5 * (&hessian + &hessian.t())).eigh(UPLO::Lower).map_err(Error::linear_algebra(OP))?;
        let top = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let rotated = vectors.t().dot(&gradient);
        let (mut damping, mut moved) = (1e-9 * top, false);
        for _ in 0..30 {
            let step =
                Array1::from_shape_fn(free, |i| -rotated[i] / (values[i].abs() + damping).max(f64::MIN_POSITIVE));
            let next = &gates + &basis.dot(&vectors.dot(&step));
            let (there, slope) = value(&next)?;
            if there < loss {
                moved = loss - there > 1e-13 * loss;
                (gates, loss, gradient) = (next, there, slope);
                break;
            }
            damping = (4.0 * damping).max(1e-6 * top);
        }
        if !moved {
            break;
        }
    }
    Ok(GateFit { gates: gates.to_vec(), loss })
}

/// Gradient steps projected onto the simplex, with a length that adapts.
fn projected(model: &Gated, batch: &Batch, start: Array1<f64>) -> Result<GateFit, Error> {
    let value = |gates: &Array1<f64>| layer_gate_gradient(model, batch, &gates.to_vec());
    let mut gates = onto_simplex(&start);
    let (mut loss, mut gradient) = value(&gates)?;
    let largest = gradient.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
    let mut length = if largest > 0.0 { 0.5 / largest } else { 1.0 };
    for step in 0..STEPS {
        work::check("best_layer_gates", step, STEPS)?;
        let next = onto_simplex(&(&gates - &(length * &Array1::from(gradient.clone()))));
        let (there, slope) = value(&next)?;
        if there < loss {
            let gained = loss - there;
            (gates, loss, gradient) = (next, there, slope);
            length *= 2.0;
            if gained < 1e-12 * loss {
                break;
            }
        } else {
            length *= 0.3;
            if length * largest < 1e-12 {
                break;
            }
        }
    }
    Ok(GateFit { gates: gates.to_vec(), loss })
}

/// The nearest point with entries of zero or more that sum to one.
pub(super) fn onto_simplex(point: &Array1<f64>) -> Array1<f64> {
    let mut sorted = point.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (i, v) in sorted.iter().enumerate() {
        sum += v;
        let candidate = (sum - 1.0) / (i + 1) as f64;
        if *v > candidate {
            shift = candidate;
        }
    }
    point.mapv(|v| (v - shift).max(0.0))
}

/// Columns that span the vectors whose entries sum to zero, (H, H - 1).
fn sum_zero(count: usize) -> Array2<f64> {
    Array2::from_shape_fn((count, count.saturating_sub(1)), |(i, k)| {
        if i == k {
            1.0
        } else if i == count - 1 {
            -1.0
        } else {
            0.0
        }
    })
}

/// Least squares with sum one over some members, zero elsewhere.
fn on_plane(
    op: &'static str,
    normal: &Array2<f64>,
    right: &Array1<f64>,
    members: &[usize],
) -> Result<Array1<f64>, Error> {
    let k = members.len();
    let small = Array2::from_shape_fn((k, k), |(i, j)| normal[[members[i], members[j]]]);
    let side = Array1::from_shape_fn(k, |i| right[members[i]]);
    let (start, basis) = (Array1::from_elem(k, 1.0 / k as f64), sum_zero(k));
    let inside = if k > 1 {
        let reduced = basis.t().dot(&small).dot(&basis);
        let target = basis.t().dot(&(&side - &small.dot(&start)));
        &start + &basis.dot(&least(op, &reduced, &target)?)
    } else {
        start
    };
    let mut gates = Array1::zeros(normal.nrows());
    for (i, h) in members.iter().enumerate() {
        gates[*h] = inside[i];
    }
    Ok(gates)
}

/// The solution of normal equations with the least norm.
fn least(op: &'static str, normal: &Array2<f64>, right: &Array1<f64>) -> Result<Array1<f64>, Error> {
    same_shape(op, "the right side", right.shape(), &[normal.nrows()])?;
    let (values, vectors) = normal.eigh(UPLO::Lower).map_err(Error::linear_algebra(op))?;
    let floor = CUT * values.iter().fold(0.0, |m: f64, v| m.max(*v));
    let rotated = vectors.t().dot(right);
    let kept = Array1::from_shape_fn(values.len(), |i| if values[i] > floor { rotated[i] / values[i] } else { 0.0 });
    Ok(vectors.dot(&kept))
}

fn few(op: &'static str, count: usize) -> Result<(), Error> {
    positive(op, "the number of heads (H)", count)?;
    let allowed = "at most 12 heads for convex gates of outputs, or free gates";
    within(op, "the number of heads (H)", count as f64, count <= MOST, allowed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Parameters, Precision, Prompts, Statistics, TaskLaw};
    use workbench_ground::stats::{Stream, Streams};

    fn setup(depth: usize, count: usize) -> (Vec<Parameters>, Statistics, Stream) {
        let mut stream = Streams::new(5).stream("gates").unwrap();
        let heads = (0..count)
            .map(|h| {
                let mut head = Parameters::random(Architecture::new(depth, 2).unwrap(), 0.1, &mut stream).unwrap();
                for l in 0..depth {
                    let a = head.a(l).unwrap().to_owned() + Array2::<f64>::eye(2) * (0.2 + 0.3 * h as f64);
                    head.set_a(l, &a).unwrap();
                }
                head
            })
            .collect();
        let law = TaskLaw::isotropic(2).unwrap();
        let statistics = Prompts::draw(&law, 8, 200, &mut stream).unwrap().statistics().unwrap();
        (heads, statistics, stream)
    }

    #[test]
    fn output_gates_are_stationary_and_better_than_a_grid() {
        let (heads, statistics, _) = setup(2, 3);
        let answers: Vec<Answers> = heads.iter().map(|h| Answers::of(h, &statistics).unwrap()).collect();
        let outputs = final_answers(&answers).unwrap();
        let loss = |gates: &[f64]| {
            let missed = &answers[0].truth - &outputs.dot(&Array1::from(gates.to_vec()));
            missed.dot(&missed) / missed.len() as f64
        };
        for kind in [GateKind::Free, GateKind::SumToOne, GateKind::Convex] {
            let fit = best_output_gates(&answers, kind).unwrap();
            assert!((loss(&fit.gates) - fit.loss).abs() < 1e-12);
            assert_eq!(fit.columns().unwrap().list[1], ("gate".to_string(), (&fit.gates).into()));
            for i in 0..=20 {
                for j in 0..=20 {
                    let (a, b) = (f64::from(i) / 10.0 - 0.5, f64::from(j) / 10.0 - 0.5);
                    let gates = [a, b, 1.0 - a - b];
                    let allowed = kind != GateKind::Convex || gates.iter().all(|g| *g >= 0.0);
                    assert!(!allowed || loss(&gates) >= fit.loss - 1e-12, "{kind:?} {gates:?}");
                }
            }
            if kind != GateKind::Free {
                assert!((fit.gates.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn layer_gates_have_the_gradient_of_their_loss_and_beat_a_grid() {
        let (heads, statistics, _) = setup(3, 2);
        let batch = Batch::new(&statistics, Precision::Double).unwrap();
        let model = Gated::uniform(heads).unwrap();
        let (_, gradient) = layer_gate_gradient(&model, &batch, &[0.3, 0.4]).unwrap();
        let at = |gates: [f64; 2]| batch.loss(&model.with_gates(&gates).unwrap().merged()).unwrap();
        let difference = (at([0.3 + 1e-6, 0.4]) - at([0.3 - 1e-6, 0.4])) / 2e-6;
        assert!((gradient[0] / difference - 1.0).abs() < 1e-6);
        for kind in [GateKind::Free, GateKind::SumToOne, GateKind::Convex] {
            let fit = best_layer_gates(&model, &batch, kind).unwrap();
            for i in -10..=20 {
                for j in -10..=20 {
                    let gates = [f64::from(i) / 10.0, f64::from(j) / 10.0];
                    let allowed = match kind {
                        GateKind::Free => true,
                        GateKind::SumToOne => i + j == 10,
                        GateKind::Convex => i + j == 10 && i >= 0 && j >= 0,
                    };
                    assert!(!allowed || at(gates) >= fit.loss - 1e-9, "{kind:?} {gates:?} {fit:?}");
                }
            }
        }
    }

    #[test]
    fn projections_and_bad_input() {
        let near = onto_simplex(&ndarray::array![0.5, 2.0, -1.0]);
        assert_eq!(near, ndarray::array![0.0, 1.0, 0.0]);
        let near = onto_simplex(&ndarray::array![0.3, 0.3, 0.3]);
        assert!(near.iter().all(|v| (v - 1.0 / 3.0).abs() < 1e-15));
        assert!(best_output_gates(&[], GateKind::Free).is_err());
        let (heads, statistics, _) = setup(1, 1);
        let one = Answers::of(&heads[0], &statistics).unwrap();
        let many = vec![one.clone(); 13];
        assert!(best_output_gates(&many, GateKind::Convex).unwrap_err().to_string().contains("13"));
        assert_eq!(best_output_gates(&[one], GateKind::SumToOne).unwrap().gates, [1.0]);
        let model = Gated::uniform(heads).unwrap();
        let batch = Batch::new(&statistics, Precision::Double).unwrap();
        assert!(layer_gate_gradient(&model, &batch, &[1.0, 2.0]).is_err());
        let stopped = workbench_ground::rehearsal::stop_after(0, || best_layer_gates(&model, &batch, GateKind::Free));
        assert!(matches!(stopped, Err(Error::Stopped(_))));
    }
}
