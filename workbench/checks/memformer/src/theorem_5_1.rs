//! Theorem 5.1: methods learned from N prompts hold on others.
//!
//! **Claim** (`memformer/thm-5-1`). For methods with parameters theta in a compact set and the empirical minimiser over N independent
//! prompts, with probability at least 1 - delta, E l(theta_hat) <= min E l(theta) + eps(N, delta) with eps -> 0.
//!
//! The excess risk is exact for every sample, for classes of 1 to 20 rates, for three steps with scalar weights, and for data of signs, which
//! are bounded as the theorem asks. An excess that stays counts against it, or one that falls more slowly than the root of N, which is what
//! the theory that the proof names gives. Theory of least squares says more, N E[excess] -> tr(M^{-1} V), a constant that is known exactly:
//! the estimator stands on meeting it. Wrong twins: samples of prompts with half as many examples, which are not drawn from the law that
//! the risk is taken over; and the constant without the squared residual, which is the number of parameters.

use std::sync::Arc;

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, mean, power_fit_runs, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{LearningCurve, LinearClass};

use super::linear_classes::{Class, DELTA, bars, curve, means, repeats, sizes};

const RATE: Margin =
    Margin::new("at least the root of N", -0.5, "the rate of uniform convergence, which is what the proof uses");
const LIMIT: Margin = Margin::new(
    "limit of least squares",
    0.4,
    "a term that is forgotten or counted twice would change the limit by a half or more",
);

/// The classes, in the order of tables and figures.
const CLASSES: [Class; 6] =
    [Class::Rates(1), Class::Rates(2), Class::Rates(8), Class::Rates(20), Class::ThreeSteps, Class::Signs];
/// The first so many have a limit that three hundred runs can reach.
const REACHED: usize = 4;
/// Where exponents are fitted: beyond the sizes at which the box holds many rates back.
const WINDOW: (f64, f64) = (512.0, 1e5);

/// Excess risk against the number of prompts.
#[derive(Clone, Debug)]
pub struct Learnability {
    /// Independent samples of each size; by scale if 0.
    pub runs: usize,
    /// Examples of the twin's prompts, in place of twenty.
    pub shorter: usize,
}

impl Default for Learnability {
    fn default() -> Learnability {
        Learnability { runs: 0, shorter: 10 }
    }
}

struct Seen {
    curves: Vec<Arc<LearningCurve>>,
    /// Exponents of the mean excess in N.
    slopes: Vec<Estimate>,
    /// N times the mean excess at the largest N.
    scaled: Vec<Estimate>,
    /// tr(M^{-1} V); not known for signs.
    limits: Vec<f64>,
    /// Exponent of the excess of what was learned from shorter prompts.
    misled: Estimate,
    /// Runs on signs whose excess is above twice the explicit bound, at the worst N.
    beyond: Estimate,
}

/// Excess of what is learned from prompts with another number of examples.
fn misled(setting: &Setting, sizes: &[usize], examples: usize) -> Result<Array2<f64>, Failure> {
    let class = Class::Rates(2).linear()?;
    let other = LinearClass::one_step(examples, 20, 2)?;
    let least = class.risk(&class.best()?)?;
    let mut excess = Array2::zeros((setting.scale().pick(30, 60), sizes.len()));
    for run in 0..excess.nrows() {
        let (mut sample, mut stream) = (other.empty(), setting.streams().replicate("shorter prompts", run)?);
        for (c, size) in sizes.iter().enumerate() {
            let more = size - sample.count();
            other.extend(&mut sample, more, &mut stream)?;
            excess[[run, c]] = class.risk(&sample.minimiser(0.0, 1.0)?)? - least;
        }
    }
    Ok(excess)
}

impl Learnability {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut boot = setting.stream("theorem bootstrap")?;
        let (mut curves, mut slopes, mut scaled) = (Vec::new(), Vec::new(), Vec::new());
        for class in CLASSES {
            let curve = curve(setting, class, self.runs)?;
            slopes.push(power_fit_runs(&curve.sizes, &curve.excess, WINDOW, 2000, &mut boot)?.slope);
            let last = curve.sizes.len() - 1;
            scaled.push(mean(&curve.excess.column(last).to_vec())?.affine(curve.sizes[last], 0.0)?);
            curves.push(curve);
        }
        let mut limits = Vec::new();
        for class in &CLASSES[..=REACHED] {
            limits.push(class.linear()?.excess_constant()?);
        }
        let sizes = sizes(setting);
        let wrong = misled(setting, &sizes, self.shorter)?;
        let misled = power_fit_runs(&curves[1].sizes, &wrong, WINDOW, 2000, &mut boot)?.slope;
        let (signs, bounded) = (&curves[REACHED + 1], Class::Signs.linear()?);
        let (mut worst, (low, high)) = (0, Class::Signs.bounds());
        for (n, excess) in sizes.iter().zip(signs.excess.columns()) {
            let bound = 2.0 * bounded.net_bound(low, high, *n, DELTA.value)?;
            worst = worst.max(excess.iter().filter(|e| **e > bound).count());
        }
        Ok(Seen { beyond: proportion(worst, signs.excess.nrows())?, curves, slopes, scaled, limits, misled })
    }
}

fn over(c: f64, n: &[f64]) -> Vec<f64> {
    n.iter().map(|n| c / n).collect()
}

fn figure(seen: &Seen) -> Result<Figure, Failure> {
    let sizes = &seen.curves[0].sizes;
    let labelled = |title: &str| {
        let panel = Panel::new(title).x_label("prompts N").y_label("mean excess risk");
        panel.log_x().log_y().legend_below()
    };
    let mut panels = [labelled("one step, d = 20"), labelled("other classes")];
    for (i, (class, curve)) in CLASSES.iter().zip(&seen.curves).enumerate() {
        let [value, low, high] = bars(&means(&curve.excess)?);
        let side = usize::from(i >= REACHED);
        let [a, b] = panels;
        let draw = |panel: Panel| panel.error_bars(&class.name(), sizes, &value, &low, &high).colour(i);
        panels = if side == 0 { [draw(a), b] } else { [a, draw(b)] };
    }
    let [mut left, mut right] = panels;
    for i in [0, REACHED - 1] {
        let name = format!("limit, {}", CLASSES[i].name());
        left = left.theory(&name, sizes, &over(seen.limits[i], sizes)).colour(i);
    }
    right = right.theory("limit, 3 steps", sizes, &over(seen.limits[REACHED], sizes)).colour(REACHED);
    Ok(Figure::new("The excess risk falls as 1/N").panel(left).panel(right).columns(2).caption(
        "Lines: tr(M⁻¹V)/N, exact. With few prompts many rates do better than it, because the box holds them back; three steps reach it \
         later, since rare prompts make up much of it.",
    ))
}

fn table(seen: &Seen) -> Result<Table, Failure> {
    let names: Vec<String> = CLASSES.iter().map(|class| class.name()).collect();
    let exponents: Vec<f64> = seen.slopes.iter().map(|s| s.value).collect();
    let scaled: Vec<f64> = seen.scaled.iter().map(|s| s.value).collect();
    let mut limits: Vec<String> = seen.limits.iter().map(|limit| format!("{limit:.3}")).collect();
    limits.push("not known".to_string());
    Ok(Table::new(columns(vec![
        ("class", names.into()),
        ("exponent in N", exponents.into()),
        ("N × mean excess, largest N", scaled.into()),
        ("its limit tr(M⁻¹V)", limits.into()),
    ])?)
    .title("How fast learning goes")
    .digits(3))
}

impl TypedCheck for Learnability {
    const CLAIM: &'static str = "memformer/thm-5-1";
    const PLAN: Plan = Plan::new(
        "exponent of the mean excess risk in the number of prompts; runs above the bound",
        "an excess that stays, or that falls more slowly than the root of N",
        &[RATE, LIMIT, DELTA],
    )
    .protocol(&[
        "Θ a box; N = 16 to 4096 (16,384 at paper scale), 300 (500) samples of each size, a third for p = 8 and 20 at quick scale; exponents from N = 512 on",
    ])
    .departures(&[
        "classes whose prediction is linear in θ, so that risks and minimisers are exact; whitened coordinates",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let falls = |i: usize| {
            let label = format!("{}: exponent of the mean excess in N", CLASSES[i].name());
            Finding::at_most(label, RATE, seen.slopes[i]).unit("runs")
        };
        let meets = |i: usize, limit: f64, label: &str| -> Result<Finding, Failure> {
            let label = format!("{}: N × mean excess at the largest N over {label}", CLASSES[i].name());
            let ratio = seen.scaled[i].affine(1.0 / limit, 0.0)?;
            Ok(Finding::equals(label, 1.0, LIMIT, ratio).unit("runs"))
        };
        let mut evidence = Evidence::of(falls(3));
        for i in [0, 1, 2, 4, 5] {
            evidence = evidence.and(falls(i));
        }
        for i in 0..REACHED {
            evidence = evidence.support(meets(i, seen.limits[i], "tr(M⁻¹V)")?);
        }
        let evidence = evidence
            .and(
                Finding::at_most("signs: share of runs above twice the bound by a net, worst N", DELTA, seen.beyond)
                    .unit("runs"),
            )
            .twin(
                Finding::at_most("learned from prompts of half as many examples, p = 2: exponent", RATE, seen.misled)
                    .unit("runs"),
            )
            .twin(meets(3, 20.0, "p, the residual left out")?)
            .note(format!(
                "{} runs; for Gaussian data the conclusion holds although condition (i) does not, see a5-conditions",
                repeats(setting, self.runs)
            ));
        Ok(Checked::from(evidence).table(table(&seen)?).figure(figure(&seen)?))
    }
}
