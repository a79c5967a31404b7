//! Figure 4: the update map on its own.
//!
//! **Claims**. `heavy-tailed/fig-4-left`: the iterates f^n(0) over n, f: q -> q + gamma / (1 + exp(q) / M), for several learning rates;
//! they reach a saturation phase. `heavy-tailed/fig-4-right`: with n_x in proportion to p(x), p(x) in proportion to (x + 3)^{-2}, n_N = 1,
//! the weights q(x) = f^{n_x}(0) for gamma = 10, 0.1, 0.001 are well mapped by p^rho with rho = 0.05, 0.35, 1.
//!
//! The map is Euler's method with step gamma for dq/dt = 1/(1 + e^q/M), whose solution obeys q + e^q/M = t + 1/M: the distance from it has
//! to fall in proportion to gamma, and q grows as ln n in the end. Iterates out of order or another growth count against the left panel.
//! On the right "maps well" is asked on logarithms, where a power is a straight line, and on a plain axis, where the frequent inputs
//! decide; a ratio or a difference beyond the margin counts against it.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{IdealUpdate, Zipf};

use super::appendix_c_1::{POWER, at_power};
use super::section_3_gradient::CLASSES;
use crate::vocabulary::{Largest, Least, ROUNDING, largest_of, least_of};

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

/// Learning rates: those of the right panel, and two between.
const RATES: [f64; 5] = [10.0, 1.0, 0.1, 0.01, 0.001];
/// Rates and exponents of the caption.
const STATED: [(f64, f64); 3] = [(10.0, 0.05), (0.1, 0.35), (0.001, 1.0)];
/// Where the distance from the flow is taken: gamma n.
const TIME: f64 = 10.0;

/// Left panel.
#[derive(Clone, Debug)]
pub struct Left {
    /// Iterates.
    pub last: usize,
    /// Classes M; the caption names none.
    pub classes: usize,
}

impl Default for Left {
    fn default() -> Left {
        Left { last: 1_000_000, classes: CLASSES }
    }
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

impl Left {
    fn map(&self, rate: f64) -> Result<IdealUpdate, Failure> {
        Ok(IdealUpdate::printed(rate, self.classes)?)
    }

    /// Growth with ln n in the last tenth of the logarithms, of a map.
    fn late(&self, f: &IdealUpdate) -> f64 {
        let q = f.iterates(self.last);
        (q[self.last] - q[self.last / 10]) / 10f64.ln()
    }

    fn figure(&self) -> Result<Figure, Failure> {
        let n: Vec<f64> = (0..=60).map(|k| 10f64.powf(k as f64 / 10.0).floor()).collect();
        let mut panel = Panel::new("").x_label("n").y_label("fⁿ(0)").log_x().log_y().legend_below();
        for (k, rate) in RATES.into_iter().enumerate() {
            let f = self.map(rate)?;
            let flow: Vec<f64> = n.iter().map(|n| f.flow(*n)).collect();
            panel = panel.points(&format!("γ = {rate}"), &n, &f.after(&n)?).colour(k).theory("", &n, &flow).colour(k);
        }
        Ok(Figure::new("Weights saturate as the logarithm of the visits").panel(panel).caption(&format!(
            "M = {}. Dots are iterates, dashed lines the flow q + e^{{q}}/M = γn + 1/M.",
            self.classes
        )))
    }
}

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-4-left";
    const PLAN: Plan = Plan::new(
        "first step, order of iterates and of their increments, power of ln n late, power of gamma in the distance from the flow",
        "an iterate that falls or an increment that grows; a growth other than ln n; a flow that is not approached",
        &[ROUNDING, POWER],
    )
    .protocol(&["f as in Eq. 11 from zero, a million iterates"])
    .departures(&["the caption gives neither rates nor M: those of the right panel and two between, M = 5"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let m = self.classes as f64;
        let (mut first, mut wrong_first, mut disorder) = (Largest::default(), Largest::default(), 0);
        for rate in RATES {
            let q = self.map(rate)?.iterates(self.last);
            let exact = rate * m / (m + 1.0);
            first.see((q[1] / exact - 1.0).abs());
            wrong_first.see((IdealUpdate::new(rate, m - 1.0, 1.0)?.apply(0.0) / exact - 1.0).abs());
            let shrinks = |w: &[f64]| w[2] - w[1] <= (w[1] - w[0]) * (1.0 + 1e-6) + 1e-13;
            disorder += q.windows(3).filter(|w| !(w[1] > w[0] && shrinks(w))).count();
        }
        let late = |label: &str, f: &IdealUpdate| at_power(label, 1.0, Estimate::exact(self.late(f)));
        let order = |label: &str, power: f64| at_power(label, 1.0, Estimate::exact(power));
        let evidence = Evidence::of(late("growth with ln n from n = 10⁵ to 10⁶, γ = 10", &self.map(10.0)?))
            .and(late("growth with ln n from n = 10⁵ to 10⁶, γ = 0.1", &self.map(0.1)?))
            .and(
                Finding::identity("iterates out of order or with growing increments", disorder as f64, 0.0)
                    .cases(RATES.len() * self.last)
                    .unit("iterates"),
            )
            .and(order(
                "power of γ in the distance from the flow at γn = 10",
                power_of_rate(self.classes, |rate| self.map(rate))?,
            ))
            .and(Finding::identity("first step over γM/(M+1), minus one", first.0, ROUNDING).cases(5).unit("rates"))
            .twin(late("exp(2q) in the place of exp(q): growth with ln n, γ = 10", &IdealUpdate::new(10.0, m, 2.0)?))
            .twin(order(
                "flow with M − 1: power of γ in the distance from it",
                power_of_rate(self.classes, |rate| Ok(IdealUpdate::new(rate, m - 1.0, 1.0)?))?,
            ))
            .twin(
                Finding::identity(
                    "M − 1 in the place of M: first step over γM/(M+1), minus one",
                    wrong_first.0,
                    ROUNDING,
                )
                .cases(5)
                .unit("rates"),
            )
            .note(format!(
                "saturation is growth with ln n, not a limit; γ = 0.001 is on its way there: {:.2}",
                self.late(&self.map(0.001)?)
            ));
        Ok(Checked::from(evidence).figure(self.figure()?))
    }
}

/// Right panel.
#[derive(Clone, Debug)]
pub struct Right {
    /// Inputs N; the caption names none.
    pub inputs: usize,
    /// Classes M.
    pub classes: usize,
}

impl Default for Right {
    fn default() -> Right {
        Right { inputs: 100, classes: CLASSES }
    }
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
        super::appendix_c_2::exponent(&self.p, &self.q)
    }

    /// The power of p at which this is least, and its value there.
    fn best(&self, of: fn(&Shape) -> f64) -> (f64, f64) {
        let at = |k: usize| {
            let rho = k as f64 / 400.0;
            let shape = Shape { p: self.p.clone(), q: self.q.clone(), rho };
            (rho, of(&shape))
        };
        let lesser = |a: (f64, f64), b: (f64, f64)| if b.1 < a.1 { b } else { a };
        (0..=400).map(at).fold((0.0, f64::INFINITY), lesser)
    }
}

impl Right {
    fn shapes(&self, n: usize, m: usize) -> Result<Vec<Shape>, Failure> {
        STATED.into_iter().map(|(rate, rho)| Shape::new(n, rate, m as f64, 1.0, rho)).collect()
    }

    /// Over N and M: fitted exponents, ratios and differences; and the least ratio at the middle rate.
    fn table(&self) -> Result<(Table, f64), Failure> {
        let (mut ns, mut ms, mut least) = (Vec::new(), Vec::new(), Least::default());
        let mut numbers: [Vec<f64>; 9] = Default::default();
        for n in [50, 100, 200, 1000] {
            for m in [2, 5, 100] {
                let shapes = self.shapes(n, m)?;
                ns.push(n as i64);
                ms.push(m as i64);
                for (k, shape) in shapes.iter().enumerate() {
                    numbers[k].push(shape.fitted());
                    numbers[3 + k].push(shape.ratio());
                    numbers[6 + k].push(shape.difference());
                }
                least.see(shapes[1].ratio());
            }
        }
        let names = [
            "ρ, γ = 10",
            "ρ, γ = 0.1",
            "ρ, γ = 0.001",
            "ratio, 10",
            "ratio, 0.1",
            "ratio, 0.001",
            "axis, 10",
            "axis, 0.1",
            "axis, 0.001",
        ];
        let mut list = vec![("N", ns.into()), ("M", ms.into())];
        list.extend(names.into_iter().zip(numbers).map(|(name, column)| (name, column.into())));
        let table = Table::new(columns(list)?)
            .title("Which power of p?")
            .caption("ρ: least squares on logarithms. Ratio and part of a plain axis: how far the weights are from the stated power at most.")
            .columns(11)
            .rows(12)
            .digits(2);
        Ok((table, least.0))
    }

    fn figure(&self, shapes: &[Shape]) -> Figure {
        let x: Vec<f64> = (1..=self.inputs).map(|x| x as f64).collect();
        let (mut log, mut plain) = (
            Panel::new("logarithms").x_label("x").y_label("weight, sum one").log_x().log_y().legend_below(),
            Panel::new("plain axis").x_label("x").y_label("weight, one at x = 1").log_x().legend_below(),
        );
        let over = |list: &[f64], by: f64| list.iter().map(|v| v / by).collect::<Vec<f64>>();
        for (k, (shape, (rate, rho))) in shapes.iter().zip(STATED).enumerate() {
            let power = shape.power();
            let (sq, sp): (f64, f64) = (shape.q.iter().sum(), power.iter().sum());
            let (name, stated) = (format!("q, γ = {rate}"), format!("p^{{{rho}}}"));
            log = log.line(&name, &x, &over(&shape.q, sq)).colour(k).theory(&stated, &x, &over(&power, sp)).colour(k);
            plain = plain
                .line(&name, &x, &over(&shape.q, shape.q[0]))
                .colour(k)
                .theory(&stated, &x, &over(&power, power[0]))
                .colour(k);
        }
        Figure::new("γ = 10 and 0.001 follow a power of p, γ = 0.1 on a plain axis only")
            .panel(log)
            .panel(plain)
            .columns(2)
            .caption(&format!(
                "N = {}, M = {}. Full lines are weights, dashed lines the stated powers.",
                self.inputs, self.classes
            ))
    }
}

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-4-right";
    const PLAN: Plan = Plan::new(
        "largest ratio of weights and stated power, with the best common factor; largest difference on a plain axis, both one at x = 1",
        "a ratio or a difference beyond the margin at one of the three rates",
        &[RATIO, AXIS, POWER],
    )
    .protocol(&["n_x = p(x)/p(N), between whole numbers of visits along the line"])
    .departures(&["the caption gives neither N nor M nor axes: N = 100 and M = 5 as elsewhere, others in the table, both axes"])
    .rivals(&["the best single power of p on a grid from 0 to 1 in steps of 1/400, in the largest ratio and on a plain axis"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let shapes = self.shapes(self.inputs, self.classes)?;
        let (table, least) = self.table()?;
        let m = self.classes as f64;
        let ratio = |label: String, shape: &Shape| Finding::at_most(label, RATIO, Estimate::exact(shape.ratio()));
        let axis = |label: String, shape: &Shape| Finding::at_most(label, AXIS, Estimate::exact(shape.difference()));
        let name = |k: usize| format!("γ = {} against p^{}", STATED[k].0, STATED[k].1);
        let mut printed = Vec::new();
        for k in [1, 0, 2] {
            printed.push(ratio(format!("{}: largest ratio", name(k)), &shapes[k]));
        }
        for k in [1, 0, 2] {
            printed.push(axis(format!("{}: largest difference on a plain axis", name(k)), &shapes[k]));
        }
        let middle = &shapes[1];
        let last = self.inputs - 1;
        let beyond = |label: &str, value: f64| Finding::at_least(label, RATIO, Estimate::exact(value));
        let at = |label: &str, stated: f64, value: f64| at_power(label, stated, Estimate::exact(value));
        let changed = vec![
            axis(format!("{}: plain axis", name(1)), middle),
            at("γ = 0.1: the power of p nearest on a plain axis", STATED[1].1, middle.best(Shape::difference).0),
            ratio(format!("{}: ratio", name(0)), &shapes[0]),
            ratio(format!("{}: ratio", name(2)), &shapes[2]),
            at("γ = 0.1: exponent between x = 1 and 4", 0.2, middle.local(0, 3)),
            at("γ = 0.1: exponent between the last four inputs", 1.0, middle.local(last - 3, last)),
            beyond("γ = 0.1: largest ratio from the best single power", middle.best(Shape::ratio).1),
            beyond("γ = 0.1 against p^0.35: least of the largest ratios, N = 50 to 1000 and three M", least),
        ];
        let evidence = Evidence::from(printed.remove(0));
        let evidence = printed
            .into_iter()
            .fold(evidence, Evidence::and)
            .weaker(
                "γ = 10 and 0.001 as stated; γ = 0.1 only on a plain axis, where the frequent inputs decide: on logarithms its exponent bends from 0.2 at frequent to 1 at rare inputs, and no single power follows",
                changed,
            )
            .twin(ratio(
                "no saturation at γ = 10, against p^0.05: ratio".to_string(),
                &Shape::new(self.inputs, 10.0, m, 1e-9, 0.05)?,
            ))
            .twin(axis(
                "no saturation at γ = 0.1, against p^0.35: plain axis".to_string(),
                &Shape::new(self.inputs, 0.1, m, 1e-9, 0.35)?,
            ));
        Ok(Checked::from(evidence).table(table).figure(self.figure(&shapes)))
    }
}
