//! Appendix D: the distance.
//!
//! **Claim** (`memformer/dist`). Dist(M, I) = min over alpha of |M - alpha I|_F / |M|_F with alpha = (1/d) sum_i M_ii.
//!
//! The printed alpha must be the minimiser, which golden sections look for without knowing it; the distance is then
//! sqrt(1 - (tr M)^2 / (d |M|_F^2)), does not change with multiples of M, is 0 for multiples of I and 1 without trace, and for independent
//! Gaussian entries its mean is a ratio of Gamma functions. Wrong twins: the trace for its mean, and the median of the diagonal.

use ndarray::Array2;
use workbench_ground::stats::{Stream, mean, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{distance_at, distance_to_identity, expected_distance};

use super::section_3_3::DIM;
use crate::vocabulary::{Largest, Least, ROUNDING, by_scale, largest_of};

/// Random matrices.
#[derive(Clone, Debug, Default)]
pub struct Distance {
    /// How many; by scale if 0.
    pub matrices: usize,
}

#[derive(Default)]
struct Seen {
    search: Largest,
    closed: Largest,
    scaled: Largest,
    median: Least,
    trace: Least,
    distances: Vec<f64>,
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

impl Seen {
    fn see(&mut self, m: &Array2<f64>) -> Result<(), Failure> {
        let (printed, trace) = (distance_to_identity(m)?, m.diag().sum());
        let squares = m.iter().map(|v| v * v).sum::<f64>();
        self.search.see((printed - searched(m)?).abs());
        let closed = (1.0 - trace * trace / (DIM as f64 * squares)).sqrt();
        self.closed.see((printed - closed).abs());
        self.scaled.see((distance_to_identity(&(-3.0 * m))? - printed).abs());
        let mut diagonal = m.diag().to_vec();
        diagonal.sort_by(f64::total_cmp);
        self.median.see(distance_at(m, diagonal[DIM / 2])? - printed);
        self.trace.see(distance_at(m, trace)? - printed);
        self.distances.push(printed);
        Ok(())
    }
}

/// The distance of a multiple of I, and what that of a matrix without trace lacks to one.
fn ends(stream: &mut Stream) -> Result<f64, Failure> {
    let (m, eye) = (normal_array2(stream, DIM, DIM), Array2::<f64>::eye(DIM));
    let without = &m - &(m.diag().sum() / DIM as f64 * &eye);
    let (multiple, traceless) = (distance_to_identity(&(2.5 * &eye))?, distance_to_identity(&without)?);
    Ok(largest_of([multiple, (1.0 - traceless).abs()]))
}

impl TypedCheck for Distance {
    const CLAIM: &'static str = "memformer/dist";
    const PLAN: Plan = Plan::new(
        "difference of distances; mean distance of Gaussian matrices",
        "a matrix for which another α comes nearer",
        &[ROUNDING],
    )
    .protocol(&["d = 5, Gaussian matrices"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("matrices")?;
        let (count, mut seen) = (by_scale(self.matrices, setting.scale().pick(300, 3000)), Seen::default());
        for _ in 0..count {
            seen.see(&normal_array2(&mut stream, DIM, DIM))?;
        }
        let same = |label: &str, error: f64| Finding::identity(label, error, ROUNDING).cases(count).unit("matrices");
        let evidence = Evidence::of(same("printed α against a search for the least distance", seen.search.0))
            .and(same("closed form", seen.closed.0))
            .and(same("after multiplication by -3", seen.scaled.0))
            .and(Finding::identity(
                "distance of a multiple of I, and 1 minus that of a matrix without trace",
                ends(&mut stream)?,
                ROUNDING,
            ))
            .and(
                Finding::near(
                    "mean distance of Gaussian matrices against Γ(d²/2)²/(Γ((d²-1)/2)Γ((d²+1)/2))",
                    expected_distance(DIM)?,
                    0.0,
                    mean(&seen.distances)?,
                )
                .unit("matrices"),
            )
            .twin(same("the trace for α: least excess over the minimum", seen.trace.0))
            .twin(same("the median of the diagonal for α: least excess", seen.median.0))
            .note("not defined for M = 0: a model that starts at zero has no distance");
        Ok(evidence.into())
    }
}
