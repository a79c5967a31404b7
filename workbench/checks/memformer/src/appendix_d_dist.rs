//! Appendix D: the distance.
//!
//! **Claim** (`memformer/dist`). Dist(M, I) = min over alpha of |M - alpha I|_F / |M|_F with alpha = (1/d) sum_i M_ii.
//!
//! The printed alpha must be the minimiser, which golden sections look for without knowing it. What follows from it is not printed, and
//! known answers for what computes it: the distance is then sqrt(1 - (tr M)^2 / (d |M|_F^2)), does not change with multiples of M, is 0 for
//! multiples of I and 1 without trace, and for independent Gaussian entries its mean is a ratio of Gamma functions. Wrong twins: the trace
//! for its mean, and the median of the diagonal.

use ndarray::Array2;
use workbench_ground::stats::{mean, normal_array2, quantile};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{distance_at, distance_to_identity, expected_distance};

use super::task_law::DIM;
use crate::vocabulary::{ROUNDING, largest_of};

/// Random matrices.
pub const CHECK: Check = Check {
    claim: "memformer/dist",
    metric: "difference of distances",
    against: "a matrix for which another α comes nearer",
    protocol: &["d = 5"],
    choices: &["matrices of independent Gaussian entries"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("matrices")?;
    let (mut distances, mut trace_off, mut median_off) = (Vec::new(), Vec::new(), Vec::new());
    for _ in s.cases("matrices", 300, 3000)? {
        let m = normal_array2(&mut stream, DIM, DIM);
        let (printed, trace) = (distance_to_identity(&m)?, m.diag().sum());
        let label = "printed α against a search for the least distance";
        s.printed(ROUNDING).same(label, (printed - searched(&m)?).abs());
        let squares = m.iter().map(|v| v * v).sum::<f64>();
        let closed = (1.0 - trace * trace / (DIM as f64 * squares)).sqrt();
        s.support(ROUNDING).same("closed form", (printed - closed).abs());
        s.support(ROUNDING).same("after multiplication by -3", (distance_to_identity(&(-3.0 * &m))? - printed).abs());
        trace_off.push(distance_at(&m, trace)? - printed);
        let mut diagonal = m.diag().to_vec();
        diagonal.sort_by(f64::total_cmp);
        median_off.push(distance_at(&m, diagonal[DIM / 2])? - printed);
        distances.push(printed);
    }
    // Of the median matrix: the least excess of thousands is a matter of chance.
    let wrong = s.twin(ROUNDING).over(distances.len(), "matrices");
    wrong.same("the trace for α: median excess over the minimum", quantile(&trace_off, 0.5)?.value);
    wrong.same("the median of the diagonal for α: median excess", quantile(&median_off, 0.5)?.value);
    let (m, eye) = (normal_array2(&mut stream, DIM, DIM), Array2::<f64>::eye(DIM));
    let without = &m - &(m.diag().sum() / DIM as f64 * &eye);
    let (multiple, traceless) = (distance_to_identity(&(2.5 * &eye))?, distance_to_identity(&without)?);
    let label = "distance of a multiple of I, and 1 minus that of a matrix without trace";
    s.support(ROUNDING).same(label, largest_of([multiple, (1.0 - traceless).abs()]));
    let label = "mean distance of Gaussian matrices against Γ(d²/2)²/(Γ((d²-1)/2)Γ((d²+1)/2))";
    s.support(Margin::ZERO).of("matrices").near(label, expected_distance(DIM)?, mean(&distances)?);
    s.note("not defined for M = 0: a model that starts at zero has no distance");
    Ok(())
}

/// The least distance over alpha by golden sections.
fn searched(m: &Array2<f64>) -> Result<f64, Failure> {
    let (mut low, mut high) = (-5.0, 5.0);
    for _ in 0..80 {
        let step = 0.618_033_988_75 * (high - low);
        let (a, b) = (high - step, low + step);
        if distance_at(m, a)? < distance_at(m, b)? {
            high = b;
        } else {
            low = a;
        }
    }
    Ok(distance_at(m, 0.5 * (low + high))?)
}
