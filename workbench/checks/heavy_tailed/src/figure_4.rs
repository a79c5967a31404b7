//! Figure 4: iterates of the update map, and the powers of p that they follow.
//!
//! **Claims**. `heavy-tailed/fig-4-left`: the iterates f^n(0) over n, f: q -> q + gamma / (1 + exp(q) / M), for several learning rates;
//! they reach a saturation phase (C.2). `heavy-tailed/fig-4-right`: with n_x in proportion to p(x), p(x) in proportion to (x + 3)^{-2}, n_N
//! = 1, the weights q(x) = f^{n_x}(0) for gamma = 10, 0.1, 0.001 are well mapped by p^rho with rho = 0.05, 0.35, 1.
//!
//! The map is Euler's method with step gamma for dq/dt = 1/(1 + e^q/M), whose solution obeys q + e^q/M = t + 1/M: the distance from it has
//! to fall in proportion to gamma, which tries the code, and q grows as ln n in the end. Refuted on the left by iterates out of order or
//! another growth. On the right "maps well" is asked against the other two powers of the caption, on a plain axis: refuted by a rate that
//! another power maps better. How far the stated power is, and the same on logarithms, where a power is a straight line and rare inputs
//! decide, stand beside it.

use workbench_display::{Figure, Panel, Table, Values, columns};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{IdealUpdate, Zipf};

use super::population_gradient::CLASSES;
use super::powers_of_width::POWER;
use super::rescaled_descents::exponent;
use crate::vocabulary::{ROUNDING, largest_of, least_of};

const RATIO: Margin = Margin::ours(
    "ratio",
    1.25,
    "a quarter up or down, the most that passes for the same curve on a logarithmic axis over a few decades",
);
const AXIS: Margin = Margin::ours(
    "part of the axis",
    0.15,
    "a seventh of the largest weight: what an eye may let pass where three curves share a plain axis",
);

/// Left panel.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-4-left",
    metric: "first step, order of iterates and of their increments, power of ln n late, power of gamma in the distance from the flow",
    against: "an iterate that falls or an increment that grows; a growth other than ln n",
    protocol: &["f as in Eq. 11 from zero"],
    choices: &[
        "the caption gives neither rates nor M: those of the right panel and two between, M = 5; a million iterates",
    ],
    run: left,
    ..Check::DEFAULT
};

/// Right panel.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-4-right",
    metric: "largest difference of weights and power of p on a plain axis, both one at x = 1: that of the stated power less that of another",
    against: "a rate that one of the other two powers maps better",
    protocol: &["p(x) in proportion to (x + 3)^-2, n_x = p(x)/p(N), ρ = 0.05, 0.35, 1 for γ = 10, 0.1, 0.001"],
    choices: &[
        "the caption gives neither N nor M nor axes: N = 100 and M = 5 as elsewhere, others beside them; between whole numbers of visits along the line",
    ],
    rivals: &[
        "the other two powers of the caption; beside them the best single power of p on a grid from 0 to 1 in steps of 1/400",
    ],
    run: right,
    ..Check::DEFAULT
};

/// Learning rates: those of the right panel, and two between.
const RATES: [f64; 5] = [10.0, 1.0, 0.1, 0.01, 0.001];
/// Rates and exponents of the caption.
const STATED: [(f64, f64); 3] = [(10.0, 0.05), (0.1, 0.35), (0.001, 1.0)];
/// Where the distance from the flow is taken: gamma n.
const TIME: f64 = 10.0;

fn left(s: &Sheet) -> Done {
    let (last, m) = (s.knob("iterates", 1_000_000, 1000..)?, s.knob("classes M", CLASSES, 2..)?);
    let map = |rate: f64| IdealUpdate::printed(rate, m);
    // Growth with ln n in the last tenth of the logarithms.
    let late = |f: &IdealUpdate| {
        let q = f.iterates(last);
        (q[last] - q[last / 10]) / 10f64.ln()
    };
    let (power, twin) = (s.printed(POWER), s.twin(POWER));
    for rate in [10.0, 0.1] {
        power.equals(format!("growth with ln n from n = 10⁵ to 10⁶, γ = {rate}"), 1.0, late(&map(rate)?));
    }
    let doubled = IdealUpdate::new(10.0, m as f64, 2.0)?;
    twin.equals("exp(2q) in the place of exp(q): growth with ln n, γ = 10", 1.0, late(&doubled));
    let order = power_of_rate(m, |rate| Ok(map(rate)?))?;
    s.support(POWER).equals("power of γ in the distance from the flow at γn = 10", 1.0, order);
    let one_less = |rate: f64| IdealUpdate::new(rate, m as f64 - 1.0, 1.0);
    let order = power_of_rate(m, |rate| Ok(one_less(rate)?))?;
    twin.equals("flow with M − 1: power of γ in the distance from it", 1.0, order);
    let mut disorder = 0;
    for rate in s.each("rates", RATES) {
        let q = map(rate)?.iterates(last);
        let exact = rate * m as f64 / (m as f64 + 1.0);
        s.printed(ROUNDING).same("first step over γM/(M+1), minus one", (q[1] / exact - 1.0).abs());
        let wrong = (one_less(rate)?.apply(0.0) / exact - 1.0).abs();
        s.twin(ROUNDING).largest().same("M − 1 in the place of M: first step over γM/(M+1), minus one", wrong);
        let shrinks = |w: &[f64]| w[2] - w[1] <= (w[1] - w[0]) * (1.0 + 1e-6) + 1e-13;
        disorder += q.windows(3).filter(|w| !(w[1] > w[0] && shrinks(w))).count();
    }
    let iterates = s.printed(Margin::ZERO).over(RATES.len() * (last - 1), "triples of iterates");
    iterates.same("iterates out of order or with growing increments", disorder as f64);
    s.note(format!(
        "saturation is growth with ln n, not a limit; γ = 0.001 is on its way there: {:.2}",
        late(&map(0.001)?)
    ));
    s.figure(flows(m)?);
    Ok(())
}

fn flows(m: usize) -> Result<Figure, Failure> {
    let n: Vec<f64> = (0..=60).map(|k| 10f64.powf(k as f64 / 10.0).floor()).collect();
    let mut panel = Panel::new("").x_label("n").y_label("fⁿ(0)").log_x().log_y().legend_below();
    for (k, rate) in RATES.into_iter().enumerate() {
        let f = IdealUpdate::printed(rate, m)?;
        let flow: Vec<f64> = n.iter().map(|n| f.flow(*n)).collect();
        panel = panel.points(&format!("γ = {rate}"), &n, &f.after(&n)?).colour(k).theory("", &n, &flow).colour(k);
    }
    Ok(Figure::new("Weights saturate as the logarithm of the visits")
        .panel(panel)
        .caption(&format!("M = {m}. Dots are iterates, dashed lines the flow q + e^{{q}}/M = γn + 1/M.")))
}

/// Power of the rate in the distance of the iterates from this flow at the time [`TIME`], from 0.1 to 0.001.
fn power_of_rate(classes: usize, flow: impl Fn(f64) -> Result<IdealUpdate, Failure>) -> Result<f64, Failure> {
    let gap = |rate: f64| -> Result<f64, Failure> {
        let n = (TIME / rate).round();
        let q = IdealUpdate::printed(rate, classes)?.after(&[n])?[0];
        Ok((q - flow(rate)?.flow(n)).abs())
    };
    Ok((gap(0.1)? / gap(0.001)?).log10() / 2.0)
}

fn right(s: &Sheet) -> Done {
    let (n, m) = (s.knob("inputs N", 100, 10..)?, s.knob("classes M", CLASSES, 2..)?);
    let shapes = shapes(n, m)?;
    for (k, (rate, stated)) in s.each("rates", STATED.into_iter().enumerate()) {
        let label = format!(
            "γ = {rate}: plain axis, difference from p^{stated} less that from the nearer of the other two powers"
        );
        s.printed(Margin::ZERO).at_most(label, ahead(&shapes[k]));
        // A power of p by itself is mapped by rho = 1, whatever the rate: what the map would be without saturation.
        if stated < 1.0 {
            let straight = Shape::new(n, rate, m as f64, 1e-9, stated)?;
            s.twin(Margin::ZERO).at_most(format!("γ = {rate} without saturation: the same"), ahead(&straight));
        }
    }
    let label = "N = 50 to 1000, M = 2 to 100: rates for which another power of the caption is nearer on a plain axis";
    other_sizes(s, label)?;
    let [fast, middle, slow] = &shapes;
    let name = |k: usize| format!("γ = {} against p^{}", STATED[k].0, STATED[k].1);
    for (k, shape) in [(1, middle), (0, fast), (2, slow)] {
        s.aside(AXIS).at_most(format!("{}: largest difference on a plain axis", name(k)), shape.difference());
        s.aside(RATIO).at_most(format!("{}: largest ratio", name(k)), shape.ratio());
    }
    let power = s.aside(POWER);
    for (k, shape) in [(1, middle), (0, fast), (2, slow)] {
        let label = format!("γ = {}: the power of p nearest on a plain axis", STATED[k].0);
        power.equals(label, STATED[k].1, shape.best(Shape::difference).0);
    }
    power.equals("γ = 0.1: exponent between x = 1 and 4, on logarithms", 0.2, middle.local(0, 3));
    power.equals("γ = 0.1: exponent between the last four inputs, on logarithms", 1.0, middle.local(n - 4, n - 1));
    s.aside(RATIO).at_least("γ = 0.1: largest ratio from the best single power", middle.best(Shape::ratio).1);
    s.figure(weights(&shapes, n, m));
    Ok(())
}

/// Largest difference on a plain axis from the stated power, less that from the nearer of the other two.
fn ahead(shape: &Shape) -> f64 {
    let from = |rho: f64| Shape { p: shape.p.clone(), q: shape.q.clone(), rho }.difference();
    let others = STATED.iter().filter(|(_, rho)| *rho != shape.rho).map(|(_, rho)| from(*rho));
    shape.difference() - least_of(others)
}

/// Weights of the map beside a power of p.
struct Shape {
    p: Vec<f64>,
    q: Vec<f64>,
    rho: f64,
}

impl Shape {
    fn new(n: usize, rate: f64, competitors: f64, stretch: f64, rho: f64) -> Result<Shape, Failure> {
        let p = Zipf::new(2.0, n)?.with_shift(3.0)?.probabilities(n);
        let visits: Vec<f64> = p.iter().map(|v| v / p[n - 1]).collect();
        let q = IdealUpdate::new(rate, competitors, stretch)?.after(&visits)?;
        Ok(Shape { p, q, rho })
    }

    fn power(&self) -> Vec<f64> {
        self.p.iter().map(|p| p.powf(self.rho)).collect()
    }

    /// Largest ratio of the two, up or down, with the common factor that makes it least: half the range of its logarithm.
    fn ratio(&self) -> f64 {
        let power = self.power();
        let logs = || self.q.iter().zip(&power).map(|(q, p)| (q / p).ln());
        let (low, high) = (least_of(logs()), largest_of(logs()));
        (0.5 * (high - low)).exp()
    }

    /// Largest difference of the two, both one at the first input.
    fn difference(&self) -> f64 {
        let power = self.power();
        let pairs = self.q.iter().zip(&power);
        largest_of(pairs.map(|(q, p)| (q / self.q[0] - p / power[0]).abs()))
    }

    /// Exponent in p between two inputs.
    fn local(&self, i: usize, j: usize) -> f64 {
        (self.q[i] / self.q[j]).ln() / (self.p[i] / self.p[j]).ln()
    }

    /// Exponent by least squares on logarithms.
    fn fitted(&self) -> f64 {
        exponent(&self.p, &self.q)
    }

    /// The power of p at which this is least, and its value there.
    fn best(&self, of: fn(&Shape) -> f64) -> (f64, f64) {
        let powers = (0..=400).map(|k| f64::from(k) / 400.0);
        let all = powers.map(|rho| (rho, of(&Shape { p: self.p.clone(), q: self.q.clone(), rho })));
        all.fold((0.0, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a })
    }
}

/// At the three rates of the caption.
fn shapes(n: usize, m: usize) -> Result<[Shape; 3], Failure> {
    let [fast, middle, slow] = STATED.map(|(rate, rho)| Shape::new(n, rate, m as f64, 1.0, rho));
    Ok([fast?, middle?, slow?])
}

/// Over N and M: fitted exponents, ratios and differences; and whether another power is nearer.
fn other_sizes(s: &Sheet, label: &str) -> Done {
    let sizes = [50, 100, 200, 1000].map(|n| [2, 5, 100].map(|m| (n, m))).concat();
    let all = sizes.iter().map(|(n, m)| shapes(*n, *m)).collect::<Result<Vec<_>, Failure>>()?;
    for shape in s.each("rates and sizes", all.iter().flatten()) {
        s.aside(Margin::ZERO).never(label, ahead(shape) > 0.0);
    }
    let (ns, ms): (Vec<usize>, Vec<usize>) = sizes.into_iter().unzip();
    let mut list: Vec<(String, Values)> = vec![("N".to_string(), ns.into()), ("M".to_string(), ms.into())];
    type Measure = fn(&Shape) -> f64;
    for (name, of) in [("ρ, γ =", Shape::fitted as Measure), ("ratio,", Shape::ratio), ("axis,", Shape::difference)] {
        for (k, (rate, _)) in STATED.into_iter().enumerate() {
            let column: Vec<f64> = all.iter().map(|shapes| of(&shapes[k])).collect();
            list.push((format!("{name} {rate}"), column.into()));
        }
    }
    let list = list.iter().map(|(name, column)| (name.as_str(), column.clone())).collect();
    let table = Table::new(columns(list)?)
        .title("Which power of p?")
        .caption("ρ: least squares on logarithms. Ratio and part of a plain axis: how far the weights are from the stated power at most.")
        .columns(11)
        .rows(12)
        .digits(2);
    s.table(table);
    Ok(())
}

fn weights(shapes: &[Shape; 3], n: usize, m: usize) -> Figure {
    let x: Vec<f64> = (1..=n).map(|x| x as f64).collect();
    let axes = |title: &str, y: &str| Panel::new(title).x_label("x").y_label(y).log_x().legend_below();
    let (mut log, mut plain) =
        (axes("logarithms", "weight, sum one").log_y(), axes("plain axis", "weight, one at x = 1"));
    let over = |list: &[f64], by: f64| list.iter().map(|v| v / by).collect::<Vec<f64>>();
    for (k, (shape, (rate, rho))) in shapes.iter().zip(STATED).enumerate() {
        let power = shape.power();
        let (sq, sp): (f64, f64) = (shape.q.iter().sum(), power.iter().sum());
        let (name, stated) = (format!("q, γ = {rate}"), format!("p^{{{rho}}}"));
        let both = |panel: Panel, (q, p): (f64, f64)| {
            panel.line(&name, &x, &over(&shape.q, q)).colour(k).theory(&stated, &x, &over(&power, p)).colour(k)
        };
        log = both(log, (sq, sp));
        plain = both(plain, (shape.q[0], power[0]));
    }
    Figure::new("γ = 10 and 0.001 follow a power of p, γ = 0.1 on a plain axis only")
        .panel(log)
        .panel(plain)
        .columns(2)
        .caption(&format!("N = {n}, M = {m}. Full lines are weights, dashed lines the stated powers."))
}
