//! B.1: what the cell sees of a gradient.
//!
//! **Claim** (`mnemosyne/gradient-preprocessing`). Gradients are preprocessed as in the document's reference \[2\]: a gradient $g$ becomes
//! $(\ln|g|/p,\operatorname{sgn}g)$ if $|g|\ge e^{-p}$ and $(-1,e^pg)$ otherwise, with $p=10$.
//!
//! The map is only cited, so what can be asked is whether the cell is given that map: the built one against an independent writing of it. That
//! it is a sound map as it stands there, without a jump where its two branches meet, with every sign kept, and the same for a factor at every
//! size, is a footing. Refuted by an input that is not that of the map. How large its inputs are, and what it is worth in training, is shown
//! beside it.

use workbench_display::{Table, columns};
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::Preprocess;

use super::optimizer_laboratory::{BANK, TRAININGS, horizon, networks, over_tasks};
use crate::vocabulary::{ROUNDING, largest_of};

const UNIT: Margin = Margin::ours(
    "inputs of order one",
    1.0,
    "a cell with layers of width 16 and weights of order one is given inputs within its own range",
);
const SIZES: Margin = Margin::ours(
    "a third of the range",
    0.3,
    "sizes three decades apart, a thousandth of what training meets, must differ by a visible part of the range",
);

/// The map of \[2\].
pub const CHECK: Check = Check {
    claim: "mnemosyne/gradient-preprocessing",
    metric: "jump at the switch; difference from the same map with cuts for branches; what a factor of a thousand changes in the first input, less ln(1000)/p",
    against: "an input that is not that of the map",
    choices: &[
        "the map printed in [2], p = 10",
        "gradients from 1 down to 1e-12, ten in each decade, of both signs",
        TRAININGS,
    ],
    departures: &[
        "the document only cites the map; the form printed in [2] is taken, not that of its public code (p = 5, an epsilon in the logarithm)",
        BANK,
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let p = s.knob("p", 10.0, 1.0..)?;
    let (switch, slope) = (f64::exp(-p), f64::exp(p));
    let built = |g: f64| {
        let mut inputs = [0.0; 2];
        Preprocess::Paper { p }.apply(g, &mut inputs);
        inputs
    };
    // The branches as one formula each, with cuts in place of the condition.
    let cut = |g: f64| [(g.abs().ln() / p).max(-1.0), (slope * g).clamp(-1.0, 1.0)];
    let undivided = |g: f64| [g.abs().ln().max(-p), (slope * g).clamp(-1.0, 1.0)];
    let thousand = 1000f64.ln() / p;
    let upside_down = |g: f64| if g.abs() < switch { [-1.0, switch * g] } else { [g.abs().ln() / p, g.signum()] };
    let apart = |a: [f64; 2], b: [f64; 2]| largest_of([(a[0] - b[0]).abs(), (a[1] - b[1]).abs()]);
    let size = |x: [f64; 2]| apart(x, [0.0; 2]);

    for sign in s.each("signs", [1.0, -1.0]) {
        let (below, above) = (sign * switch * (1.0 - 1e-15), sign * switch * (1.0 + 1e-15));
        s.support(ROUNDING).same("jump of an input where the branches meet", apart(built(below), built(above)));
        let wrong = apart(upside_down(below), upside_down(above));
        s.twin(ROUNDING).largest().same("e^{−p} for e^p below the switch: jump", wrong);
    }
    let decades = (0..=120).map(|k| 10f64.powf(-f64::from(k) / 10.0));
    for g in s.each("gradients", decades.flat_map(|size| [size, -size])) {
        let (plus, minus) = (built(g), built(-g));
        s.printed(ROUNDING).same("distance from the same map written with cuts", apart(plus, cut(g)));
        let label = "inputs of g and −g: sizes apart, or signs not opposite";
        s.support(Margin::ZERO).same(label, apart(plus, [minus[0], -minus[1]]));
        s.twin(ROUNDING).largest().same("logarithm not divided by p: distance from it", apart(undivided(g), cut(g)));
        s.aside(UNIT).same("largest input over 12 decades", size(plus));
    }
    let above = (0..=120).map(|k| 10f64.powf(-f64::from(k) / 10.0)).filter(|g| g * 1e-3 >= switch);
    for g in s.each("gradients", above) {
        let (plus, small) = (built(g), built(1e-3 * g));
        let label = "change of the first input by a factor of 1000, less ln(1000)/p";
        s.support(ROUNDING).same(label, (plus[0] - small[0] - thousand).abs());
        let label = "the gradient itself in the place of its logarithm: the same";
        s.twin(ROUNDING).same(label, (g - 1e-3 * g - thousand).abs());
        let changed = (plus[0] - small[0]).hypot(plus[1] - small[1]);
        s.aside(SIZES).at_least("what a factor of 1000 changes in the inputs, least", changed);
    }
    s.table(table(s)?);
    Ok(())
}

fn table(s: &Sheet) -> Result<Table, Failure> {
    let steps = horizon(s)?;
    let of = |recipe, step| over_tasks(s, recipe, networks(s), steps, step);
    let gain = |step| Ok(paired_difference(&of("light", step)?, &of("raw", step)?)?);
    let gains = [gain(100), gain(steps)].into_iter().collect::<Result<Vec<_>, Failure>>()?;
    let frame = columns(vec![
        ("after steps", [100.0, steps as f64].into()),
        ("difference", gains.iter().map(|gain| gain.value).collect::<Vec<f64>>().into()),
        ("from", gains.iter().map(|gain| gain.low).collect::<Vec<f64>>().into()),
        ("to", gains.iter().map(|gain| gain.high).collect::<Vec<f64>>().into()),
    ])?;
    Ok(Table::new(frame)
        .title("Log loss with the map minus log loss with plain gradients, light cell")
        .caption("Pairs of trainings from the same seeds, mean over networks of Figure 10; 99.9 % intervals. It decides nothing: the document says how, and not why.")
        .digits(3))
}
