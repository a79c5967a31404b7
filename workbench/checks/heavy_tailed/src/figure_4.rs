//! Figure 4: iterates of the update map, and the powers of p that they follow.
//!
//! **Claims**. `heavy-tailed/fig-4-left`: the iterates f^n(0) over n, f: q -> q + gamma / (1 + exp(q) / M), for several learning rates;
//! they reach a saturation phase. `heavy-tailed/fig-4-right`: with n_x in proportion to p(x), p(x) in proportion to (x + 3)^{-2}, n_N = 1,
//! the weights q(x) = f^{n_x}(0) for gamma = 10, 0.1, 0.001 are well mapped by p^rho with rho = 0.05, 0.35, 1.
//!
//! The map is Euler's method with step gamma for dq/dt = 1/(1 + e^q/M), whose solution obeys q + e^q/M = t + 1/M: the distance from it has
//! to fall in proportion to gamma, and q grows as ln n in the end. Refuted on the left by iterates out of order or another growth.
//! On the right "maps well" is asked on logarithms, where a power is a straight line, and on a plain axis, where the frequent inputs
//! decide; refuted by a ratio or a difference beyond the margin.

use workbench_display::{Figure, Panel, Table, Values, columns};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{IdealUpdate, Zipf};

use super::population_gradient::CLASSES;
use super::powers_of_width::POWER;
use super::rescaled_descents::exponent;
use crate::vocabulary::{ROUNDING, largest_of, least_of};

const RATIO: Margin = Margin::new(
    "ratio",
    1.25,
    "a quarter up or down, the most that passes for the same curve on a logarithmic axis over a few decades",
);
const AXIS: Margin = Margin::new(
    "part of the axis",
    0.15,
    "a seventh of the largest weight: what an eye may let pass where three curves share a plain axis",
);

/// Left panel.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-4-left",
    metric: "first step, order of iterates and of their increments, power of ln n late, power of gamma in the distance from the flow",
    against: "an iterate that falls or an increment that grows; a growth other than ln n; a flow that is not approached",
    protocol: &["f as in Eq. 11 from zero, a million iterates"],
    departures: &["the caption gives neither rates nor M: those of the right panel and two between, M = 5"],
    run: left,
    ..Check::DEFAULT
};

/// Right panel.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-4-right",
    metric: "largest ratio of weights and stated power, with the best common factor; largest difference on a plain axis, both one at x = 1",
    against: "a ratio or a difference beyond the margin at one of the three rates",
    protocol: &["n_x = p(x)/p(N), between whole numbers of visits along the line"],
    departures: &[
        "the caption gives neither N nor M nor axes: N = 100 and M = 5 as elsewhere, others in the table, both axes",
    ],
    rivals: &[
        "the best single power of p on a grid from 0 to 1 in steps of 1/400, in the largest ratio and on a plain axis",
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
    power.equals("power of γ in the distance from the flow at γn = 10", 1.0, order);
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
    let iterates = s.printed(Margin::ZERO).over(RATES.len() * last, "iterates");
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
    let name = |k: usize| format!("γ = {} against p^{}", STATED[k].0, STATED[k].1);
    for k in [1, 0, 2] {
        s.printed(RATIO).at_most(format!("{}: largest ratio", name(k)), shapes[k].ratio());
        let label = format!("{}: largest difference on a plain axis", name(k));
        s.printed(AXIS).at_most(label, shapes[k].difference());
    }
    let [fast, middle, slow] = &shapes;
    s.weaker("γ = 10 and 0.001 as stated; γ = 0.1 only on a plain axis, where the frequent inputs decide: on logarithms its exponent bends from 0.2 at frequent to 1 at rare inputs, and no single power follows");
    let (ratio, power) = (s.changed(RATIO), s.changed(POWER));
    s.changed(AXIS).at_most(format!("{}: plain axis", name(1)), middle.difference());
    let label = "γ = 0.1: the power of p nearest on a plain axis";
    power.equals(label, STATED[1].1, middle.best(Shape::difference).0);
    ratio.at_most(format!("{}: ratio", name(0)), fast.ratio());
    ratio.at_most(format!("{}: ratio", name(2)), slow.ratio());
    power.equals("γ = 0.1: exponent between x = 1 and 4", 0.2, middle.local(0, 3));
    power.equals("γ = 0.1: exponent between the last four inputs", 1.0, middle.local(n - 4, n - 1));
    ratio.at_least("γ = 0.1: largest ratio from the best single power", middle.best(Shape::ratio).1);
    other_sizes(s)?;
    let straight = |rate: f64, rho: f64| Shape::new(n, rate, m as f64, 1e-9, rho);
    let label = "no saturation at γ = 10, against p^0.05: ratio";
    s.twin(RATIO).at_most(label, straight(10.0, 0.05)?.ratio());
    let label = "no saturation at γ = 0.1, against p^0.35: plain axis";
    s.twin(AXIS).at_most(label, straight(0.1, 0.35)?.difference());
    s.figure(weights(&shapes, n, m));
    Ok(())
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

/// Over N and M: fitted exponents, ratios and differences; and the least ratio at the middle rate.
fn other_sizes(s: &Sheet) -> Done {
    let sizes = [50, 100, 200, 1000].map(|n| [2, 5, 100].map(|m| (n, m))).concat();
    let all = sizes.iter().map(|(n, m)| shapes(*n, *m)).collect::<Result<Vec<_>, Failure>>()?;
    let label = "γ = 0.1 against p^0.35: least of the largest ratios, N = 50 to 1000 and three M";
    s.changed(RATIO).at_least(label, least_of(all.iter().map(|[_, middle, _]| middle.ratio())));
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
