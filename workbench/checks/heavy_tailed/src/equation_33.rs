//! Eq. 33: the lower bound for quasi-orthogonal outputs.
//!
//! **Claim** (`heavy-tailed/eq-33`). R_y <= q^2 (1+eta)^2 / sum q(x)^2 (1[f_*(x) = y] (1-eta)^2 + 1[f_*(x) = f] (1+eta)^2) <= q^2 /
//! ((1-eta)/(1+eta) Q_y + Q_f - q^2), hence with c = .079 E_e[E(f_q)] >= c sum_x p(x) 1[(d+1) q^2 <= (1-eta)/(1+eta) Q_inf].
//!
//! Dividing the middle member by (1+eta)^2 gives the fraction squared, which is smaller: the second sign should break. But for unit
//! vectors R_y <= q^2 / (Q_y + Q_f - q^2), so the last member and Eq. 33 are reached by a shorter way. Against the bound would count an
//! error below it just inside of its set, also where the tested input's own class holds the largest energy.

use workbench_ground::stats::{Stream, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{GivenOutputs, Profile, SURVIVAL_CONSTANT, quasi_lower};

use super::many_classes_b_1::{FAR, at_threshold, equal_classes};
use super::proof_of_lemma_3::{BOUND, above, below, even, simulate};
use super::quasi_orthogonal_ratio::{certified, links};
use crate::vocabulary::{Least, ROUNDING, by_scale};

/// The two signs, and the bound at its threshold.
#[derive(Clone, Debug)]
pub struct QuasiOrthogonalLower {
    /// Dimensions beside the first one above the number of classes.
    pub dims: Vec<usize>,
    /// Simulated memories; by scale if 0.
    pub memories: usize,
}

impl Default for QuasiOrthogonalLower {
    fn default() -> QuasiOrthogonalLower {
        QuasiOrthogonalLower { dims: vec![40, 1000, 1 << 30], memories: 0 }
    }
}

#[derive(Default)]
struct Seen {
    /// Error over the bound with the fraction to the power 0, 1, 2.
    by_power: [Least; 3],
    cells: [usize; 3],
    too_far: Least,
    far_cells: usize,
}

/// A tested input of mass one and weight `q`, of class 0 or of that of the heavy input.
fn beside(q: f64, own: bool, m: usize) -> Result<Profile, Failure> {
    Ok(Profile::from_weights(&[0.0, 1.0], &[1.0, q], &[0, usize::from(!own)], m)?)
}

impl Seen {
    fn see(&mut self, at_d: &GivenOutputs, eta: f64) -> Result<(), Failure> {
        let (m, d) = (at_d.n_classes(), at_d.dim());
        let edge = |factor: f64, power: i32| {
            let fraction = ((1.0 - eta) / (1.0 + eta)).powi(power);
            (factor * fraction / (d as f64 + 1.0)).sqrt() * (1.0 - 1e-9)
        };
        for own in [false, true] {
            for power in 0..3 {
                let weight = edge(1.0, power);
                // In the heavy input's class the tested input adds to the energy.
                let weight = if own { weight / (1.0 - weight * weight).sqrt() } else { weight };
                let profile = beside(weight, own, m)?;
                let bound = quasi_lower(&profile, d, eta, power)?;
                if bound > 0.0 {
                    self.by_power[power as usize].see(at_d.error_between(&profile)?.0 / bound);
                    self.cells[power as usize] += 1;
                }
            }
        }
        if m > 2 && eta < 0.05 {
            let far = beside(edge(4.0, 1), false, m)?;
            self.too_far.see(at_d.error_between(&far)?.0 / SURVIVAL_CONSTANT);
            self.far_cells += 1;
        }
        Ok(())
    }
}

impl QuasiOrthogonalLower {
    fn families(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        for given in certified(setting)?.iter() {
            let m = given.n_classes();
            for d in std::iter::once(m + 1).chain(self.dims.iter().copied()) {
                let at_d = GivenOutputs::from_gram(given.gram().clone(), d.max(m))?;
                seen.see(&at_d, given.coherence())?;
            }
        }
        Ok(seen)
    }

    /// Seven weak inputs and a heavy one, M = 4, d = 20: simulated error over the right side.
    fn simulated(&self, setting: &Setting, stream: &mut Stream) -> Result<Finding, Failure> {
        let outputs = unit_sphere(stream, 4, 20);
        let (weights, labels) = ([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0], [1, 2, 3, 0, 1, 2, 3, 0]);
        let runs = by_scale(self.memories, setting.scale().pick(1000, 5000));
        let seen = simulate(&outputs, &weights, &labels, runs, stream)?;
        let bound = quasi_lower(&even(&weights, &labels, 4)?, 20, GivenOutputs::new(&outputs)?.coherence(), 1)?;
        let label = "simulated error over the right side, M = 4, d = 20";
        Ok(Finding::at_least(label, BOUND, seen.affine(1.0 / bound, 0.0)?).unit("memories"))
    }
}

impl TypedCheck for QuasiOrthogonalLower {
    const CLAIM: &'static str = "heavy-tailed/eq-33";
    const PLAN: Plan = Plan::new(
        "one member of the chain over the next; error over the right side at its threshold",
        "a member above the next one; an error below the right side",
        &[BOUND, ROUNDING],
    )
    .protocol(&["c = .079; normalised outputs with their exact coherence"])
    .departures(&["weights just inside of the set, with the heaviest class another one or the tested input's own"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (links, seen) = (links(setting)?, self.families(setting)?);
        let simulated = self.simulated(setting, &mut setting.stream("eq 33")?)?;
        let stands =
            above("error over the bound of Eq. 33 at its threshold, smallest", seen.by_power[1].0, seen.cells[1]);
        let (k, q) = (16, (1.0 / (FAR as f64 + 1.0)).sqrt() * (1.0 - 1e-9));
        let right = quasi_lower(&equal_classes(k, q)?, FAR, 0.0, 1)?;
        let ((largest, _), (_, sum)) = (at_threshold(k, 1.0, 1.0)?, at_threshold(k, 1.0, k as f64)?);
        let evidence = Evidence::of(below(
            "second ≤ as printed: left over right, largest",
            links.upper_printed.0,
            links.cells,
        ))
            .misprint(
                "the second ≤ needs the fraction squared, and is then an equality; Eq. 33 as printed follows from R ≤ q²/(Q_y + Q_f - q²)",
                vec![
                    links.upper[0].none("first ≤"),
                    Finding::identity(
                        "second ≤ with the fraction squared: relative difference of the two sides",
                        links.upper_squared.0,
                        ROUNDING,
                    )
                    .cases(links.cells)
                    .unit("cells"),
                    links.upper[1].none("R ≤ q²/(Q_y + Q_f - q²) ≤ printed last member"),
                    stands,
                    simulated,
                    above(
                        "the same bound with the fraction to the power 0, smallest",
                        seen.by_power[0].0,
                        seen.cells[0],
                    ),
                    above(
                        "16 classes of equal energy, at the threshold: largest tail over the right side",
                        largest / right,
                        1,
                    ),
                ],
            )
            .twin(above(
                "‖q‖² in the place of Q∞, 16 classes of equal energy: sum of tails over the right side",
                sum / SURVIVAL_CONSTANT,
                1,
            ))
            .twin(above("threshold four times as far", seen.too_far.0, seen.far_cells));
        Ok(evidence.into())
    }
}
