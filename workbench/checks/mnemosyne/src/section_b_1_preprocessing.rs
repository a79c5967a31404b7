//! B.1: what the cell sees of a gradient.
//!
//! **Claim** (`mnemosyne/gradient-preprocessing`). Gradients are preprocessed as in the document's reference \[2\]: a gradient $g$ becomes
//! $(\ln|g|/p,\operatorname{sgn}g)$ if $|g|\ge e^{-p}$ and $(-1,e^pg)$ otherwise, with $p=10$.
//!
//! The map is only cited, so what can be asked is whether it is a sound map as it stands there: without a jump where its two branches meet,
//! blind to nothing but size, and bounded over all sizes that training meets. Against it: a jump, a lost sign, an input that grows with
//! the gradient. What it is worth in training is shown beside it.

use workbench_display::{Table, columns};
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_optimizer::Preprocess;

use super::section_b_1::{BANK, TRAININGS, horizon, networks, over_tasks};
use crate::vocabulary::{Largest, ROUNDING, least_of};

const UNIT: Margin = Margin::new(
    "inputs of order one",
    1.0,
    "a cell with layers of width 16 and weights of order one is given inputs within its own range",
);
const SIZES: Margin = Margin::new(
    "a third of the range",
    0.3,
    "sizes three decades apart, a thousandth of what training meets, must differ by a visible part of the range",
);

/// The map of \[2\].
#[derive(Clone, Debug)]
pub struct Transform {
    /// $p$.
    pub p: f64,
    /// Decades of gradients, from 1 downwards.
    pub decades: u32,
    /// Steps of the runs in the table; by scale if 0.
    pub steps: usize,
}

impl Default for Transform {
    fn default() -> Transform {
        Transform { p: 10.0, decades: 12, steps: 0 }
    }
}

type Map<'a> = dyn Fn(f64) -> [f64; 2] + 'a;

/// The branches as one formula each, with cuts in place of the condition.
fn cut(p: f64, g: f64) -> [f64; 2] {
    [(g.abs().ln() / p).max(-1.0), (p.exp() * g).clamp(-1.0, 1.0)]
}

impl Transform {
    fn built(&self, g: f64) -> [f64; 2] {
        let mut inputs = [0.0; 2];
        Preprocess::Paper { p: self.p }.apply(g, &mut inputs);
        inputs
    }

    /// Gradients over all decades, ten in each, of both signs.
    fn gradients(&self) -> Vec<f64> {
        let sizes = (0..=10 * self.decades).map(|k| 10f64.powf(-f64::from(k) / 10.0));
        sizes.flat_map(|size| [size, -size]).collect()
    }

    /// The largest jump across the switch, of both signs.
    fn jump(&self, map: &Map<'_>) -> f64 {
        let (at, mut largest) = ((-self.p).exp(), Largest::default());
        for sign in [1.0, -1.0] {
            let (below, above) = (map(sign * at * (1.0 - 1e-15)), map(sign * at * (1.0 + 1e-15)));
            below.iter().zip(above).for_each(|(a, b)| largest.see((a - b).abs()));
        }
        largest.0
    }

    fn off_formula(&self) -> f64 {
        let mut largest = Largest::default();
        for g in self.gradients() {
            let (ours, right) = (self.built(g), cut(self.p, g));
            ours.iter().zip(right).for_each(|(a, b)| largest.see((a - b).abs()));
        }
        largest.0
    }

    /// How far the inputs of $g$ and $-g$ are from equal sizes and opposite signs.
    fn odd(&self) -> f64 {
        let mut largest = Largest::default();
        for g in self.gradients() {
            let (plus, minus) = (self.built(g), self.built(-g));
            largest.see((plus[0] - minus[0]).abs());
            largest.see((plus[1] + minus[1]).abs());
        }
        largest.0
    }

    fn most(&self, map: &Map<'_>) -> f64 {
        let mut largest = Largest::default();
        for g in self.gradients() {
            map(g).iter().for_each(|x| largest.see(x.abs()));
        }
        largest.0
    }

    /// What a factor of a thousand in the gradient changes in the inputs, least over sizes above the switch.
    fn told_apart(&self, map: &Map<'_>) -> f64 {
        let large = self.gradients().into_iter().filter(|g| *g * 1e-3 >= (-self.p).exp());
        let apart = |g: f64| (map(g)[0] - map(1e-3 * g)[0]).hypot(map(g)[1] - map(1e-3 * g)[1]);
        least_of(large.map(apart))
    }

    fn table(&self, setting: &Setting) -> Result<Table, Failure> {
        let steps = horizon(setting, self.steps);
        let (mut at, mut gains, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for step in [100, steps] {
            let of = |recipe| over_tasks(setting, recipe, networks(setting), steps, step);
            let gain = paired_difference(&of("light")?, &of("raw")?)?;
            at.push(step as f64);
            gains.push(gain.value);
            low.push(gain.low);
            high.push(gain.high);
        }
        let frame = columns(vec![
            ("after steps", at.into()),
            ("difference", gains.into()),
            ("from", low.into()),
            ("to", high.into()),
        ])?;
        Ok(Table::new(frame)
            .title("Log loss with the map minus log loss with plain gradients, light cell")
            .caption("Pairs of trainings from the same seeds, mean over networks of Figure 10; 99.9 % intervals. It decides nothing: the document says how, and not why.")
            .digits(3))
    }
}

impl TypedCheck for Transform {
    const CLAIM: &'static str = "mnemosyne/gradient-preprocessing";
    const PLAN: Plan = Plan::new(
        "jump at the switch; difference from the same map with cuts for branches; largest input; what a factor of a thousand changes",
        "a jump, a lost sign, inputs that grow beyond one, sizes that look alike",
        &[ROUNDING, UNIT, SIZES],
    )
    .protocol(&["p = 10 as in [2]; gradients from 1 down to 1e-12, ten in each decade, of both signs"])
    .departures(&["the document only cites the map; the form printed in [2] is taken, not that of its public code (p = 5, an epsilon in the logarithm)", BANK, TRAININGS]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (p, own) = (self.p, |g: f64| self.built(g));
        let cases = self.gradients().len() as u64;
        let upside_down = move |g: f64| {
            let small = g.abs() < (-p).exp();
            if small { [-1.0, (-p).exp() * g] } else { [g.abs().ln() / p, g.signum()] }
        };
        let undivided = move |g: f64| [g.abs().ln().max(-p), (p.exp() * g).clamp(-1.0, 1.0)];
        let plain = |g: f64| [g, 0.0];
        let apart = |label: &str, map: &Map| {
            Finding::at_least(label, SIZES, workbench_ground::stats::Estimate::exact(self.told_apart(map)))
        };
        let bounded =
            |label: &str, map: &Map| Finding::identity(label, self.most(map), UNIT).cases(cases).unit("gradients");
        let evidence =
            Evidence::of(Finding::identity("jump of an input where the branches meet", self.jump(&own), ROUNDING))
                .and(
                    Finding::identity("distance from the same map written with cuts", self.off_formula(), ROUNDING)
                        .cases(cases)
                        .unit("gradients"),
                )
                .and(
                    Finding::identity("inputs of g and −g: sizes apart, or signs not opposite", self.odd(), 0.0)
                        .cases(cases)
                        .unit("gradients"),
                )
                .and(bounded("largest input over 12 decades", &own))
                .and(apart("what a factor of 1000 changes in the inputs, least", &own))
                .twin(Finding::identity("e^{−p} for e^p below the switch: jump", self.jump(&upside_down), ROUNDING))
                .twin(bounded("logarithm not divided by p: largest input", &undivided))
                .twin(apart("the gradient itself: what a factor of 1000 changes, least", &plain));
        Ok(Checked::from(evidence).table(self.table(setting)?))
    }
}
