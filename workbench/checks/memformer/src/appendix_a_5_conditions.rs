//! Appendix A.5: boundedness, sub-Gaussian losses and the closing note.
//!
//! **Claim** (`memformer/a5-conditions`, conditions (i) to (iii)). A loss that is bounded or sub-Gaussian, a compact Theta and continuity
//! give uniform convergence. Such conditions are typically satisfied when the data are bounded or sub-Gaussian and the loss is the square.
//!
//! A sub-Gaussian variable has E[l^k]^{1/k} <= C sqrt(k). For A_l = a_l Sigma^{-1} and Gaussian data, those of Section 3.3, the loss is a
//! product of three independent factors, chi^2_1 chi^2_d |prod (I - a_l T) e_1|^2, so its moments are exact: the note is refuted if they
//! grow faster than sqrt(k). Bounded data are signs, where no loss may be above its bound, and with one example all prompts are
//! enumerated. What takes the place of condition (i) is a finite variance. Wrong twins: normal data under the bound of signs; the bound
//! from the variance with N in place of its root.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{LinearClass, WhitenedOptimum, best_whitened, whitened_moment};

use super::linear_classes::{Class, DELTA, NORMAL, above_the_bound, repeats};
use super::task_law::{DIM, EXAMPLES};

const SUB_GAUSSIAN: Margin =
    Margin::printed("sub-Gaussian", 0.5, "what the word says: E[ℓᵏ]^(1/k) grows at most as the root of k");
const PRODUCT: Margin =
    Margin::statistical("query and target", 2.0, "χ²₁χ²_d alone, which every loss here contains, grows as k²");
const WHOLE: Margin =
    Margin::printed("of its bound", 1.0, "a loss above its bound is a counterexample, whatever its size");
const ATTAINED: Margin = Margin::rounding("attained", 1e-12, "a largest value of sums of whole numbers, and its bound");
const SECOND_ROUTE: Margin =
    Margin::rounding("second route", 1e-9, "alternating sums of the binomial theorem lose up to six of sixteen digits");

/// Orders of moments by number of layers, as far as the quadrature is quick.
const ORDERS: [&[usize]; 3] = [&[1, 2, 4, 8, 16, 32, 64], &[1, 2, 4, 8, 16, 24], &[1, 2, 4, 6]];

/// Moments, and bounds.
pub const CHECK: Check = Check {
    claim: "memformer/a5-conditions",
    metric: "growth exponent of E[ℓᵏ]^(1/k) in k, exact; losses over their bound; share of samples above a bound",
    against: "Gaussian data whose loss has moments that grow faster than the root of k; bounded data with a loss above its bound",
    protocol: &["Gaussian data of Section 3.3, in whitened coordinates; bounded data"],
    choices: &[
        "Gaussian data at the best multiples of Σ⁻¹; bounded data are signs, with d = 4, at the far corner of the box [0, 1]⁴",
    ],
    departures: &["continuity is not run: the loss is a polynomial in θ"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.weaker(
        "sub-Gaussian data do not make the loss sub-Gaussian: for Gaussian data it is neither that nor bounded, and its finite variance leads to uniform convergence; bounded data are right",
    );
    let all = (1..=3).map(moments).collect::<Result<Vec<_>, _>>()?;
    let (one, three) = (all[0].exponent(), all[2].exponent());
    s.printed(SUB_GAUSSIAN).at_most("one layer, Gaussian data: growth exponent of E[ℓᵏ]^(1/k) from k = 32 to 64", one);
    s.aside(PRODUCT).at_least("one layer: growth exponent, at least that of χ²₁χ²_d", one);
    s.printed(SUB_GAUSSIAN).at_most("three layers, Gaussian data: growth exponent from k = 4 to 6", three);
    s.aside(PRODUCT).at_least("three layers: growth exponent, at least that of χ²₁χ²_d", three);

    let (signs, mut stream) = (Class::Signs.linear()?, s.stream("largest losses")?);
    // tau^2 K on the box [0, 1]^4.
    let bound = 5.0 * signs.feature_bound()?;
    for _ in s.cases("prompts", 20_000, 200_000)? {
        let mut prompt = signs.empty();
        signs.extend(&mut prompt, 1, &mut stream)?;
        let loss = prompt.risk(&[1.0; 4])?;
        // The bound is far away here; where all prompts are enumerated it is nearer, and decides.
        s.support(WHOLE).at_most("data of signs: largest loss over its bound", loss / bound);
    }
    let features = LinearClass::one_step_of_signs(1, 4, 4)?.feature_bound()?;
    let (bound_of_one, mut largest) = (5.0 * features, 0.0f64);
    for code in s.each("prompts", 0..1u32 << 12) {
        let [x, query, target] = [0, 4, 8].map(|from| four_signs(code >> from));
        // One example: H w* = x <x, w*>, and all rates are one.
        let left = dot(&query, &target) - dot(&query, &x) * dot(&x, &target);
        let label = "signs, one example, all 4096 prompts: largest loss over its bound";
        s.both_forms(WHOLE).at_most(label, left * left / bound_of_one);
        // Features: <q, w>, and q_c x_c <x, w> for each coordinate c.
        largest = largest.max(dot(&query, &target).powi(2) + 4.0 * dot(&x, &target).powi(2));
    }
    let label = "signs, one example, all 4096 prompts: largest ‖g‖² against its bound, relative";
    s.support(ATTAINED).same(label, (largest / features - 1.0).abs());
    let label =
        "normal data, d = 4, one layer: 32nd root of E ℓ³², which the largest loss exceeds, over the bound of signs";
    s.twin(WHOLE).at_most(label, whitened_moment(&[1.0], EXAMPLES, 4, 32)?.powf(1.0 / 32.0) / bound);

    let label = "Gaussian data, worst N: share of samples above the bound from the variance";
    s.changed(DELTA).of("samples").at_most(label, above_the_bound(s, NORMAL, repeats(s), 0.5)?);
    let label = "bound with N in place of its root: share of samples above it";
    s.twin(DELTA).of("samples").at_most(label, above_the_bound(s, NORMAL, repeats(s), 1.0)?);

    let rate = all[0].best.steps[0];
    let exact = whitened_moment(&[rate], EXAMPLES, DIM, 4)?;
    s.support(SECOND_ROUTE).same(
        "fourth moment of one layer against the binomial theorem, relative",
        (by_binomials(rate, EXAMPLES, DIM, 4) / exact - 1.0).abs(),
    );
    s.note("Chebyshev's bound depends on δ as δ^(-1/2); medians of means would give the root of a logarithm");
    s.table(table(&all)?);
    s.figure(figure(&all));
    Ok(())
}

/// Moments of the loss at the best parameters of one depth.
struct Moments {
    best: WhitenedOptimum,
    orders: Vec<f64>,
    /// E[l^k]^{1/k} / E l.
    roots: Vec<f64>,
}

impl Moments {
    /// Growth exponent between the last two orders.
    fn exponent(&self) -> f64 {
        let last = self.orders.len() - 1;
        (self.roots[last] / self.roots[last - 1]).ln() / (self.orders[last] / self.orders[last - 1]).ln()
    }
}

fn moments(layers: usize) -> Result<Moments, Failure> {
    let best = best_whitened(EXAMPLES, DIM, layers)?;
    let (mut orders, mut roots) = (Vec::new(), Vec::new());
    for k in ORDERS[layers - 1] {
        let k_th = whitened_moment(&best.steps, EXAMPLES, DIM, *k)?;
        orders.push(*k as f64);
        roots.push(k_th.powf(1.0 / *k as f64) / best.loss);
    }
    Ok(Moments { best, orders, roots })
}

/// Four signs from the last four bits.
fn four_signs(code: u32) -> [f64; 4] {
    [0, 1, 2, 3].map(|i| f64::from(code >> i & 1) * 2.0 - 1.0)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// E s^j for a chi-squared variable with k degrees of freedom.
fn chi_squared(k: usize, j: usize) -> f64 {
    (0..j).map(|i| (k + 2 * i) as f64).product()
}

fn choose(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

/// E l^k of one layer by the binomial theorem: l = q w ((1 - a s / n)^2 + a^2 s t / n^2) with chi-squared q, w, s, t of 1, d, n and d - 1
/// degrees of freedom.
fn by_binomials(a: f64, n: usize, d: usize, k: usize) -> f64 {
    let rate = a / n as f64;
    let mut sum = 0.0;
    for j in 0..=k {
        let across = choose(k, j) * rate.powi(2 * j as i32) * chi_squared(d - 1, j);
        for m in 0..=2 * (k - j) {
            sum += across * choose(2 * (k - j), m) * (-rate).powi(m as i32) * chi_squared(n, m + j);
        }
    }
    chi_squared(1, k) * chi_squared(d, k) * sum
}

fn figure(all: &[Moments]) -> Figure {
    let k: Vec<f64> = (0..=24).map(|i| 2f64.powf(0.25 * f64::from(i))).collect();
    let roots: Vec<f64> = k.iter().map(|k| k.sqrt()).collect();
    let mut panel = Panel::new("Gaussian data, n = 20, d = 5").log_x().log_y().legend_below();
    for (l, of) in all.iter().enumerate() {
        let name = if l == 0 { "1 layer, exact".to_string() } else { format!("{} layers, exact", l + 1) };
        panel = panel.line(&name, &of.orders, &of.roots).colour(l);
    }
    let panel = panel.theory("√k: sub-Gaussian", &k, &roots).colour(4);
    let panel = panel.theory("k: sub-exponential", &k, &k).colour(5);
    Figure::new("The moments of the loss grow faster than those of any sub-Gaussian variable")
        .panel(panel.x_label("order k").y_label("E[ℓᵏ]^(1/k) / E ℓ"))
        .caption("At the best parameters of each depth. A sub-Gaussian loss would stay below a multiple of the lowest curve.")
}

fn table(all: &[Moments]) -> Result<Table, Failure> {
    let of = |f: fn(&Moments) -> f64| all.iter().map(f).collect::<Vec<f64>>();
    Ok(Table::new(columns(vec![
        ("layers", (1..=all.len()).map(|l| l as f64).collect::<Vec<f64>>().into()),
        ("least mean loss", of(|m| m.best.loss).into()),
        ("E ℓ² / (E ℓ)²", of(|m| m.roots[1] * m.roots[1]).into()),
        ("growth exponent, last orders", of(|m| m.exponent()).into()),
    ])?)
    .title("Deeper methods have heavier tails")
    .digits(3))
}
