//! Information projection that leaves the top P, and its lower bound for a Zipf law: B.3, finite data.
//!
//! **Claims.** (`heavy-tailed/b3-kl-swap`) To get x out of the top P one should exchange p(x) and p(P), so that KL(p'||p) =
//! (p(x) - p(P)) ln(p(x)/p(P)). (`heavy-tailed/b3-kl-zipf`) For x < P/2 it is at least (p(x) - p(2x)) ln(p(P/2)/p(P)) >=
//! c_alpha x^-alpha (1 - 2^-alpha) alpha ln 2 = c'_alpha p(x), with c'_alpha = c_alpha (1 - 2^-alpha) alpha ln 2.
//!
//! The law nearest to p with x outside its top P has a closed form: x is pooled with the last ranks at their geometric mean. The first is
//! refuted by a law that is nearer than the exchange, or by an exchange after which x is still among the top P; its nearest law is at least
//! (1 - 2^(-alpha/2))^2 p(x) away, which is where the proof wants to go. The second is refuted by one of the four signs.

use std::f64::consts::LN_2;

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{
    TieBreak, Zipf, divergence, exchange_constant, exchange_divergence, exchanged, leaving_top, projection_constant,
    top_projection,
};

use super::exponents::{ONE, SUM_ROUNDING};
use crate::vocabulary::{ROUNDING, largest_of};

const NEAREST: Margin = Margin::statistical(
    "nearest",
    0.05,
    "templates of 200 samples are a grid of 1/200; the nearest one is within a few percent",
);

/// The exchange against the nearest law.
pub const EXCHANGE: Check = Check {
    claim: "heavy-tailed/b3-kl-swap",
    metric: "divergence of the exchanged law; inputs ahead of x in it; nearest law over exchange",
    against: "an exchange after which x is among the top P; a law without x in its top P that is nearer",
    protocol: &["Zipf laws with N = ∞, x < P"],
    choices: &["all x < P, P up to 200, α from 1.1 to 3; for the exchange the first P + 1 ranks matter only"],
    departures: &["templates of 200 samples on four inputs as a route to the nearest law that knows no closed form"],
    run: exchange,
    ..Check::DEFAULT
};

const ALPHAS: [f64; 4] = [1.1, 1.5, 2.0, 3.0];

fn exchange(s: &Sheet) -> Done {
    s.step(
        "the information projection is not the exchange (which has to be with P + 1, too): the nearest law pools x with the last ranks at \
         their geometric mean. For x < P/2 it is at least (1 − 2^(−α/2))² p(x) away, a constant times p(x) as the proof wants",
    );
    for alpha in ALPHAS {
        let p = Zipf::infinite(alpha)?.probabilities(201);
        for top in [2, 3, 5, 10, 20, 50, 100, 200] {
            for x in s.each("pairs of x and P", 1..top) {
                let (own, last) = (p[x - 1], p[top - 1]);
                let inside = |law: &[f64]| law.iter().filter(|a| **a > law[x - 1]).count() < top;
                let moved = exchanged(&p, x, top)?;
                let nearest = top_projection(&p, x, top)?.divergence;
                let over = nearest / exchange_divergence(own, p[top]);
                s.printed(ONE).at_least("nearest law over exchange, smallest", over);
                let label = "exchange with P: x is still among the top P";
                s.printed(Margin::ZERO).never(label, inside(&moved));
                let label = "exchange with P + 1: x among the top P";
                s.changed(Margin::ZERO).never(label, inside(&exchanged(&p, x, top + 1)?));

                let (there, back) = (divergence(&moved, &p)?, divergence(&p, &moved)?);
                let formula = exchange_divergence(own, last);
                let off = largest_of([(there - formula).abs(), (back - formula).abs()]);
                let label = "divergence of the exchanged law minus the formula, both orders";
                s.printed(SUM_ROUNDING).same(label, off);
                let with_sum = (own + last) * (own / last).ln();
                let label = "p(x) + p(P) in the formula: its best relative difference";
                s.twin(SUM_ROUNDING).same(label, (with_sum / there - 1.0).abs());

                s.changed(ONE).at_most("nearest law over exchange, largest", over);
                if 2 * x < top {
                    let over = nearest / (projection_constant(alpha) * own);
                    s.changed(ONE).at_least("x < P/2: nearest law over (1 − 2^(−α/2))² p(x), smallest", over);
                    let over = nearest / (exchange_constant(alpha) * own);
                    let label = "x < P/2: nearest law over (1 − 2^−α) α ln 2 p(x), the bound of the exchange, smallest";
                    s.twin(ONE).least().at_least(label, over);
                }
            }
        }
    }
    let p = Zipf::new(2.0, 4)?.probabilities(4);
    let nearest = -leaving_top(&p, 200, 1, 2, TieBreak::Rare)?.ln_largest / 200.0;
    let over = nearest / top_projection(&p, 1, 2)?.divergence;
    let label = "nearest of all templates of 200 samples over the closed form, N = 4, P = 2";
    s.changed(ONE).at_least(label, over);
    s.changed(NEAREST).equals("nearest of all templates against the closed form, as an equality", 1.0, over);
    let over = nearest / exchange_divergence(p[0], p[2]);
    s.twin(NEAREST).equals("nearest of all templates over the exchange", 1.0, over);
    Ok(())
}

/// The chain of bounds for a Zipf law.
pub const ZIPF_BOUND: Check = Check {
    claim: "heavy-tailed/b3-kl-zipf",
    metric: "relative difference of two members",
    against: "one of the four signs",
    protocol: &["Zipf laws, x < P/2, the divergence of the exchange"],
    choices: &["all x < P/2, P up to 200, N = ∞, P/2 a whole number or not"],
    run: zipf_bound,
    ..Check::DEFAULT
};

fn zipf_bound(s: &Sheet) -> Done {
    s.misprint(
        "c'_α x^−α in the place of c'_α p(x), as p(x) already holds c_α; the display after it has first c'_α p(x), then c'_α P^−α",
    );
    let (printed, changed) = (s.printed(ROUNDING), s.changed(ROUNDING));
    for alpha in ALPHAS {
        let law = Zipf::infinite(alpha)?;
        let (p, c, whole) = (law.probabilities(202), law.constant(), exchange_constant(alpha));
        for top in 3..=200 {
            for x in s.each("pairs of x and P", 1..usize::div_ceil(top, 2)) {
                let (own, last) = (p[x - 1], p[top - 1]);
                let half = c * (0.5 * top as f64).powf(-alpha); // p at P/2, a whole number or not
                let middle = (own - p[2 * x - 1]) * (half / last).ln();
                let third = c * (x as f64).powf(-alpha) * whole;
                let off = |member: f64| (member / third - 1.0).abs();
                printed.same("last sign: relative difference of c'_α p(x), worst pair", off(c * whole * own));
                let label = "first ≥: pairs that break it";
                s.printed(Margin::ZERO).never(label, exchange_divergence(own, last) < middle);
                changed.same("second ≥ is an equality, relative", off(middle));
                changed.same("last sign with c'_α x^−α, which is (1 − 2^−α) α ln 2 p(x), relative", off(whole * own));
                let label = "(1 − 2^−α) α without ln 2: its best relative difference";
                s.twin(ROUNDING).same(label, off(whole / LN_2 * own));
            }
        }
    }
    s.figure(figure()?);
    Ok(())
}

fn figure() -> Result<Figure, Failure> {
    let (law, top) = (Zipf::infinite(2.0)?, 200usize);
    let p = law.probabilities(top + 2);
    let (mut ranks, mut exchange, mut nearest) = (Vec::new(), Vec::new(), Vec::new());
    for x in 1..top / 2 {
        ranks.push(x as f64);
        exchange.push(exchange_divergence(p[x - 1], p[top - 1]) / p[x - 1]);
        nearest.push(top_projection(&p, x, top)?.divergence / p[x - 1]);
    }
    let level = |value: f64| vec![value; ranks.len()];
    let panel = Panel::new("α = 2, P = 200")
        .x_label("x")
        .y_label("divergence / p(x)")
        .log_x()
        .log_y()
        .line("exchange with P", &ranks, &exchange)
        .colour(0)
        .theory("(1 − 2^{−α}) α ln 2", &ranks, &level(exchange_constant(2.0)))
        .colour(0)
        .line("nearest law", &ranks, &nearest)
        .colour(1)
        .theory("(1 − 2^{−α/2})²", &ranks, &level(projection_constant(2.0)))
        .colour(1);
    Ok(Figure::new("The nearest law is much nearer than the exchange").panel(panel).caption(
        "The constant of the paper bounds the exchange from below; the nearest law crosses it. The lower broken line bounds the nearest law.",
    ))
}
