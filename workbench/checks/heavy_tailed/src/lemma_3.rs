//! Lemma 3: which inputs a memory of finite dimension forgets.
//!
//! **Claims** (`heavy-tailed/lemma-3-upper`, Eq. 21; `heavy-tailed/lemma-3-lower`, Eq. 22). For M >= 4, d > 8 ln M and any q: [N] -> R,
//! with c_gamma = ln M + gamma ln d, E[E(f_q)] <= inf_gamma 2 d^-gamma + p{x: d q^2 <= 16 c_gamma (Q_inf + 8 c_gamma ||q||^2 / d)}, and
//! E[E(f_q)] >= p{x: 3 (d+1) q^2 <= Q_inf} / 20.
//!
//! Errors are integrated over the input embeddings and averaged over draws of the outputs, so a cell of the grid has an interval that is
//! narrow in proportion, however rare failures are. Against the upper bound would count an error above it; the formula holds q^2 and
//! cannot see a sign, so a negative weight is tried. Against the lower bound: an error below it, just inside of its set.

use std::sync::Arc;

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, normal_cdf};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{Profile, Scheme, Target, Zipf, lemma3_lower, lemma3_upper, powers_of_two};

use super::many_classes_b_1::{at_threshold, less, share_lost};
use super::proof_of_lemma_3::{
    BOUND, Draws, MANY, above, below, beside_a_heavy_one, draws, enough, even, expected_error,
};
use crate::vocabulary::{largest_of, least_of};

/// A configuration of the Zipf grid: its error between the two bounds.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Classes M.
    pub n_classes: usize,
    /// The weighting scheme.
    pub scheme: String,
    /// Dimension d.
    pub dim: usize,
    /// Expected error.
    pub error: Estimate,
    /// Right side of Eq. 22.
    pub lower: f64,
    /// Right side of Eq. 21.
    pub upper: f64,
    /// Masses, weights and energies.
    pub profile: Profile,
}

/// Zipf law with alpha = 2 and N infinite, three targets, five schemes, d = 2^6 to 2^42; `draws` of outputs for each M, by scale if 0.
pub fn grid(setting: &Setting, draws: usize) -> Result<Arc<Vec<Cell>>, Failure> {
    setting.shared(&format!("lemma 3: grid, {draws} draws"), |own| cells(own, draws))
}

fn cells(setting: &Setting, n_draws: usize) -> Result<Vec<Cell>, Failure> {
    let Draws { four, five, sixteen } = &*draws(setting, n_draws)?;
    let law = Zipf::infinite(2.0)?;
    let schemes = [
        Scheme::power(1.0)?,
        Scheme::power(0.5)?,
        Scheme::uniform().top(4)?,
        Scheme::uniform().top(64)?,
        Scheme::power(1.0)?.top(16)?,
    ];
    let targets = [(four, Target::modulo(4)?, 4), (five, Target::heavy(5, 20)?, 4), (sixteen, Target::modulo(16)?, 12)];
    let mut cells = Vec::new();
    for (draws, target, step) in targets {
        for scheme in &schemes {
            for dim in powers_of_two(6, 42, step)? {
                let profile = Profile::population(&law, &target, scheme, dim)?;
                cells.push(Cell {
                    n_classes: target.n_classes(),
                    scheme: scheme.label(),
                    dim,
                    error: expected_error(draws, &profile, dim)?,
                    lower: lemma3_lower(&profile, dim)?,
                    upper: lemma3_upper(&profile, dim)?,
                    profile,
                });
            }
        }
    }
    Ok(cells)
}

/// The upper bound, Eq. 21.
#[derive(Clone, Debug)]
pub struct Upper {
    /// Draws of output embeddings; by scale if 0.
    pub draws: usize,
    /// Dimension in which two inputs are stored, one of them with a negative weight.
    pub dim: usize,
}

impl Default for Upper {
    fn default() -> Upper {
        Upper { draws: 0, dim: 1 << 10 }
    }
}

/// The weight just outside of the set of Eq. 21 with ln M in the place of c_gamma, for the other three of four classes.
fn outside_without_gamma(dim: usize) -> f64 {
    let (d, c) = (dim as f64, 4f64.ln());
    let (front, spread) = (16.0 * c / d, 8.0 * c / d);
    // q^2 = front (1 + spread (1 + 3 q^2)), since ||q||^2 = 1 + 3 q^2.
    (1.0001 * front * (1.0 + spread) / (1.0 - 3.0 * front * spread)).sqrt()
}

/// Five thousand classes with energy one, d = 300, a probe with d q^2 = 16 c_1 Q_inf: its error less 2/d, all that the right side has at gamma = 1
/// without the term in ||q||^2.
fn without_the_norm(setting: &Setting) -> Result<Finding, Failure> {
    let (m, d) = (5000usize, 300usize);
    let c = (m as f64).ln() + (d as f64).ln();
    let q = (16.0 * c / d as f64).sqrt() * (1.0 + 1e-9);
    let runs = setting.scale().pick(30, 80);
    let share = share_lost(None, (m, d), q, runs, &mut setting.stream("lemma 3, many classes")?)?;
    less("without 8 c_γ ‖q‖²/d, 5000 classes, d = 300, γ = 1: error less the right side", share, 2.0 / d as f64)
}

fn figure(grid: &[Cell]) -> Figure {
    let mut figure = Figure::new("The expected error lies between the two bounds of Lemma 3").columns(2);
    for (scheme, name) in [("p^1", "q = p"), ("1, top 4", "q = 1 on the top 4")] {
        let kept: Vec<&Cell> = grid.iter().filter(|c| c.n_classes == 4 && c.scheme == scheme).collect();
        let of = |value: &dyn Fn(&Cell) -> f64| -> Vec<f64> { kept.iter().map(|c| value(c)).collect() };
        let d = of(&|c| c.dim as f64);
        let panel = Panel::new(&format!("{name}, M = 4"))
            .x_label("dimension d")
            .y_label("error")
            .log_x()
            .log_y()
            .y_limits(1e-6, 2.0)
            .line("error", &d, &of(&|c| c.error.value.max(1e-12)))
            .theory("upper bound, Eq. 21", &d, &of(&|c| c.upper))
            .points("lower bound, Eq. 22", &d, &of(&|c| if c.lower > 0.0 { c.lower } else { f64::NAN }))
            .legend_below();
        figure = figure.panel(panel);
    }
    figure.caption(
        "Exact expected errors, α = 2, N = ∞. Left: the bounds run parallel to the error, up to logarithms. Right: four inputs are \
         stored; their own error vanishes and the rest of the law remains. The upper bound sees this from some dimension on, the lower \
         one counts a twentieth of it.",
    )
}

impl TypedCheck for Upper {
    const CLAIM: &'static str = "heavy-tailed/lemma-3-upper";
    const PLAN: Plan = Plan::new(
        "upper end of the expected error over the right side; error less right side where the latter is tiny",
        "an error above the right side, for weights of either sign",
        &[BOUND, MANY],
    )
    .protocol(&["M >= 4, d > 8 ln M; the infimum over gamma is exact, at the points where an input leaves the set"])
    .departures(&["laws, targets and schemes are ours; d reaches 2^42, because the bound is above one for moderate d"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (grid, draws) = (grid(setting, self.draws)?, draws(setting, self.draws)?);
        let informative: Vec<&Cell> = grid.iter().filter(|c| c.upper < 1.0).collect();
        let worst = largest_of(informative.iter().map(|c| c.error.high / c.upper));
        let count = informative.len();
        let holds = below(
            "weights of at least 0: upper end of the error over the right side, largest where the latter is below one",
            worst,
            count,
        );
        let less = |weights: [f64; 2]| -> Result<Estimate, Failure> {
            let profile = even(&weights, &[0, 1], 4)?;
            let error = expected_error(&draws.four, &profile, self.dim)?;
            Ok(error.affine(1.0, -lemma3_upper(&profile, self.dim)?)?)
        };
        let label = |weights: &str| format!("two inputs with weights {weights}: error less the right side");
        let outside = beside_a_heavy_one(outside_without_gamma(self.dim))?;
        let evidence = Evidence::of(Finding::at_most(label("(-1, 1)"), 0.0, less([-1.0, 1.0])?).unit("draws"))
            .misprint(
                "q : [N] → ℝ should be q ≥ 0, as in Eq. 2; the bound holds q² and cannot see a sign",
                vec![holds, Finding::at_most(label("(1, 1)"), 0.0, less([1.0, 1.0])?).unit("draws")],
            )
            .support(enough("configurations whose right side is below one", count))
            .twin(without_the_norm(setting)?)
            .twin(
                Finding::at_most(
                    "c_γ = ln M, so that the right side just outside of the set is 0: error there",
                    0.0,
                    expected_error(&draws.four, &outside, self.dim)?,
                )
                .unit("draws"),
            );
        Ok(Checked::from(evidence).figure(figure(&grid)))
    }
}

/// The lower bound, Eq. 22.
#[derive(Clone, Debug)]
pub struct Lower {
    /// Draws of output embeddings; by scale if 0.
    pub draws: usize,
    /// Dimensions of the adversarial cases; the first is the first one above 8 ln 4.
    pub dims: Vec<usize>,
}

impl Default for Lower {
    fn default() -> Lower {
        Lower { draws: 0, dims: vec![12, 24, 200, 1 << 12, 1 << 40] }
    }
}

/// Weights just inside the set of Eq. 22: of other classes, of the dominant class itself, negative, or all inputs alike.
fn adversarial(d: usize) -> Result<Vec<(&'static str, Profile)>, Failure> {
    let edge = (1.0 / (3.0 * (d as f64 + 1.0))).sqrt() * (1.0 - 1e-9);
    let mut cases = vec![
        ("other classes", beside_a_heavy_one(edge)?),
        ("the class of the heavy input", Profile::from_weights(&[0.0, 1.0], &[1.0, edge], &[0, 0], 4)?),
        ("weights of both signs", Profile::from_weights(&[0.0, 0.5, 0.5], &[1.0, -edge, edge], &[0, 1, 0], 4)?),
    ];
    // Equal weights in one class: Q_inf = n q^2.
    let crowd = 3 * (d + 1);
    if crowd <= 30_000 {
        cases.push(("a crowd in one class", even(&vec![1.0; crowd], &vec![0; crowd], 4)?));
    }
    Ok(cases)
}

impl TypedCheck for Lower {
    const CLAIM: &'static str = "heavy-tailed/lemma-3-lower";
    const PLAN: Plan =
        Plan::new("lower end of the expected error over the right side", "an error below the right side", &[BOUND])
            .protocol(&["M = 4, 5 and 16, d from the first dimension above 8 ln M on"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (grid, draws) = (grid(setting, self.draws)?, draws(setting, self.draws)?);
        let over = |profile: &Profile, d: usize, bound: f64| -> Result<f64, Failure> {
            Ok(expected_error(&draws.four, profile, d)?.low / bound)
        };
        let (mut tightest, mut at, mut of) = (f64::INFINITY, String::new(), 0);
        for &d in &self.dims {
            for (name, profile) in adversarial(d)? {
                let ratio = over(&profile, d, lemma3_lower(&profile, d)?)?;
                of += 1;
                if ratio.is_nan() || ratio < tightest {
                    (tightest, at) = (ratio, format!("{name}, d = {d}"));
                }
            }
        }
        let counted: Vec<&Cell> = grid.iter().filter(|c| c.lower > 0.0).collect();
        let on_grid = counted.iter().map(|c| c.error.low / c.lower);
        // Inputs of mass one that a wrong set counts, so that the right side is a twentieth.
        let twin = |label: &str, signal: f64, d: usize| -> Result<Finding, Failure> {
            let profile = beside_a_heavy_one((signal / (d as f64 + 1.0)).sqrt())?;
            Ok(above(label, over(&profile, d, 0.05)?, 1))
        };
        let far = 1 << 40;
        let (largest, _) = at_threshold(64, 3.0, 1.0)?;
        let (_, sum) = at_threshold(64, 3.0, 64.0)?;
        let evidence = Evidence::of(above(
            "adversarial cases: lower end of the error over the right side, smallest",
            tightest,
            of,
        ))
        .and(above("Zipf grid: lower end of the error over the right side, smallest", least_of(on_grid), counted.len()))
        .and(above("64 classes of equal energy, at the threshold: largest tail over the right side", largest / 0.05, 1))
        .twin(above(
            "‖q‖² in the place of Q∞, 64 classes of equal energy: sum of tails over the right side",
            sum / 0.05,
            1,
        ))
        .twin(twin("the 3 on the other side, (d+1) q² ≤ 3 Q∞", 3.0, far)?)
        .twin(twin("without d + 1, 3 q² ≤ Q∞, d = 1000", 1001.0 / 3.0, 1000)?)
        .twin(twin("the comparison turned, (d+1) q² = 40 Q∞, d = 1000", 40.0, 1000)?)
        .note(format!(
            "tightest: {at}. There the exact pairwise probability is P(t_d > 3^-1/2), {:.3} as d grows",
            normal_cdf(-(3f64.powf(-0.5)))
        ));
        Ok(evidence.into())
    }
}
