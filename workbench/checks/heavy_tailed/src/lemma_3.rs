//! Lemma 3: which inputs a memory of finite dimension forgets.
//!
//! **Claims** (`heavy-tailed/lemma-3-upper`, Eq. 21; `heavy-tailed/lemma-3-lower`, Eq. 22). For M >= 4, d > 8 ln M and any q: [N] -> R,
//! with c_gamma = ln M + gamma ln d, E[E(f_q)] <= inf_gamma 2 d^-gamma + p{x: d q^2 <= 16 c_gamma (Q_inf + 8 c_gamma ||q||^2 / d)}, and
//! E[E(f_q)] >= p{x: 3 (d+1) q^2 <= Q_inf} / 20.
//!
//! Errors are integrated over the input embeddings and averaged over draws of the outputs, so a cell of the grid has an interval that is
//! narrow in proportion, however rare failures are. The upper bound is refuted by an error above it; the formula holds q^2 and cannot see a
//! sign, so a negative weight is tried. The lower bound is refuted by an error below it, just inside of its set.

use std::sync::Arc;

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, normal_cdf};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{Profile, Scheme, Target, Zipf, lemma3_lower, lemma3_upper, powers_of_two};

use super::many_classes::{at_threshold, five_thousand};
use super::profiles::{BOUND, Draws, MANY, beside_a_heavy_one, draws, even, expected_error};

/// A configuration of the Zipf grid: its error between the two bounds.
pub struct Cell {
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

/// Zipf law with alpha = 2 and N infinite, three targets, five schemes, d = 2^6 to 2^42.
pub fn grid(setting: &Setting) -> Result<Arc<Vec<Cell>>, Failure> {
    setting.shared("lemma 3: grid", |own| {
        let Draws { four, five, sixteen } = &*draws(own)?;
        let law = Zipf::infinite(2.0)?;
        let schemes = [
            Scheme::power(1.0)?,
            Scheme::power(0.5)?,
            Scheme::uniform().top(4)?,
            Scheme::uniform().top(64)?,
            Scheme::power(1.0)?.top(16)?,
        ];
        let targets =
            [(four, Target::modulo(4)?, 4), (five, Target::heavy(5, 20)?, 4), (sixteen, Target::modulo(16)?, 12)];
        let mut cells = Vec::new();
        for (draws, target, step) in targets {
            for scheme in &schemes {
                for dim in powers_of_two(6, 42, step)? {
                    let profile = Profile::population(&law, &target, scheme, dim)?;
                    cells.push(Cell {
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
    })
}

/// The upper bound, Eq. 21.
pub const UPPER: Check = Check {
    claim: "heavy-tailed/lemma-3-upper",
    metric: "upper end of the expected error over the right side; error less right side where the latter is tiny",
    against: "an error above the right side, for weights of either sign",
    protocol: &["M >= 4, d > 8 ln M, q : [N] → ℝ"],
    choices: &[
        "laws, targets and schemes; d reaches 2^42, because the bound is above one for moderate d",
        "the infimum over gamma is exact, at the points where an input leaves the set",
    ],
    run: upper,
    ..Check::DEFAULT
};

fn upper(s: &Sheet) -> Done {
    s.condition("for q ≥ 0, where Lemma 3 prints any q : [N] → ℝ: the bound holds q² and cannot see a sign");
    let (grid, draws, d) = (grid(s)?, draws(s)?, 1 << 10);
    let two = |weights: [f64; 2]| -> Result<Estimate, Failure> {
        let profile = even(&weights, &[0, 1], 4)?;
        Ok(expected_error(&draws.four, &profile, d)?.affine(1.0, -lemma3_upper(&profile, d)?)?)
    };
    let label = |weights: &str| format!("two inputs with weights {weights}: error less the right side");
    s.printed(Margin::ZERO).of("draws").at_most(label("(-1, 1)"), two([-1.0, 1.0])?);
    s.changed(Margin::ZERO).of("draws").at_most(label("(1, 1)"), two([1.0, 1.0])?);
    let informative: Vec<&Cell> = grid.iter().filter(|cell| cell.upper < 1.0).collect();
    for cell in s.each("cells", &informative) {
        let label =
            "weights of at least 0: upper end of the error over the right side, largest where the latter is below one";
        s.changed(BOUND).at_most(label, cell.error.high / cell.upper);
    }
    s.support(MANY).of("cells").at_least("configurations whose right side is below one", informative.len() as f64);
    let label = "without 8 c_γ ‖q‖²/d, 5000 classes, d = 300, γ = 1: error less the right side";
    s.twin(Margin::ZERO).of("draws").at_most(label, five_thousand(s, "lemma 3, many classes")?);
    let outside = beside_a_heavy_one(outside_without_gamma(d))?;
    let label = "c_γ = ln M, so that the right side just outside of the set is 0: error there";
    s.twin(Margin::ZERO).of("draws").at_most(label, expected_error(&draws.four, &outside, d)?);
    s.figure(figure(&grid));
    Ok(())
}

/// The weight just outside of the set of Eq. 21 with ln M in the place of c_gamma, for the other three of four classes.
fn outside_without_gamma(dim: usize) -> f64 {
    let (d, c) = (dim as f64, 4f64.ln());
    let (front, spread) = (16.0 * c / d, 8.0 * c / d);
    // q^2 = front (1 + spread (1 + 3 q^2)), since ||q||^2 = 1 + 3 q^2.
    (1.0001 * front * (1.0 + spread) / (1.0 - 3.0 * front * spread)).sqrt()
}

fn figure(grid: &[Cell]) -> Figure {
    let mut figure = Figure::new("The expected error lies between the two bounds of Lemma 3").columns(2);
    for (scheme, name) in [("p^1", "q = p"), ("1, top 4", "q = 1 on the top 4")] {
        let kept: Vec<&Cell> = grid.iter().filter(|c| c.profile.n_classes() == 4 && c.scheme == scheme).collect();
        let of = |value: &dyn Fn(&Cell) -> f64| -> Vec<f64> { kept.iter().map(|c| value(c)).collect() };
        let d = of(&|c| c.dim as f64);
        let panel = Panel::new(&format!("{name}, M = 4")).x_label("dimension d").y_label("error").log_x().log_y();
        let panel = panel
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

/// The lower bound, Eq. 22.
pub const LOWER: Check = Check {
    claim: "heavy-tailed/lemma-3-lower",
    metric: "lower end of the expected error over the right side",
    against: "an error below the right side",
    protocol: &["M >= 4, d > 8 ln M"],
    choices: &[
        "M = 4, d from the first dimension above 8 ln M on; M = 5 and 16 from d = 64 on; M = 65, 64 of equal energy",
    ],
    run: lower,
    ..Check::DEFAULT
};

fn lower(s: &Sheet) -> Done {
    let (draws, far) = (draws(s)?, 1 << 40);
    let (mut tightest, mut at) = (f64::INFINITY, String::new());
    // The first dimension is the first one above 8 ln 4.
    for d in [12, 24, 200, 1 << 12, far] {
        for (name, profile) in s.each("cells", adversarial(d)?) {
            let ratio = expected_error(&draws.four, &profile, d)?.low / lemma3_lower(&profile, d)?;
            s.printed(BOUND).at_least("adversarial cases: lower end of the error over the right side, smallest", ratio);
            if ratio < tightest {
                (tightest, at) = (ratio, format!("{name}, d = {d}"));
            }
        }
    }
    s.note(format!(
        "tightest: {at}. There the exact pairwise probability is P(t_d > 3^-1/2), {:.3} as d grows",
        normal_cdf(-(3f64.powf(-0.5)))
    ));
    for cell in s.each("cells", grid(s)?.iter().filter(|cell| cell.lower > 0.0)) {
        let label = "Zipf grid: lower end of the error over the right side, smallest";
        s.printed(BOUND).at_least(label, cell.error.low / cell.lower);
    }
    let label = "64 classes of equal energy, at the threshold: largest tail over the right side";
    s.printed(BOUND).of("cells").at_least(label, at_threshold(64, 3.0, 1.0)?.0 / 0.05);
    let twin = s.twin(BOUND).of("cells");
    let label = "‖q‖² in the place of Q∞, 64 classes of equal energy: sum of tails over the right side";
    twin.at_least(label, at_threshold(64, 3.0, 64.0)?.1 / 0.05);
    // Inputs of mass one that a wrong set counts, so that the right side is a twentieth.
    for (label, signal, d) in [
        ("the 3 on the other side, (d+1) q² ≤ 3 Q∞", 3.0, far),
        ("without d + 1, 3 q² ≤ Q∞, d = 1000", 1001.0 / 3.0, 1000),
        ("the comparison turned, (d+1) q² = 40 Q∞, d = 1000", 40.0, 1000),
    ] {
        let profile = beside_a_heavy_one((signal / (d as f64 + 1.0)).sqrt())?;
        twin.at_least(label, expected_error(&draws.four, &profile, d)?.high / 0.05);
    }
    Ok(())
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
