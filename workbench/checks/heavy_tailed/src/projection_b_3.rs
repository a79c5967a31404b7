//! B.3, finite data: the information projection, and its lower bound for a Zipf law.
//!
//! **Claims.** (`heavy-tailed/b3-kl-swap`) To get x out of the top P one should exchange p(x) and p(P), so that KL(p'||p) =
//! (p(x) - p(P)) ln(p(x)/p(P)). (`heavy-tailed/b3-kl-zipf`) For x < P/2 it is at least (p(x) - p(2x)) ln(p(P/2)/p(P)) >=
//! c_alpha x^-alpha (1 - 2^-alpha) alpha ln 2 = c'_alpha p(x), with c'_alpha = c_alpha (1 - 2^-alpha) alpha ln 2.
//!
//! The law nearest to p with x outside its top P has a closed form: x is pooled with the last ranks at their geometric mean. Against the
//! first speaks an exchange after which x is still among the top P, or that costs more than the nearest law; against the second one of
//! the four signs.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    TieBreak, Zipf, divergence, exchange_constant, exchange_divergence, exchanged, leaving_top, projection_constant,
    top_projection,
};

use super::sections_b_2_to_b_4::{Cases, ONE, SUM_ROUNDING};
use crate::vocabulary::{ROUNDING, largest_of, least_of};

const NEAREST: Margin = Margin::new(
    "nearest",
    0.05,
    "templates of 200 samples are a grid of 1/200; the nearest one is within a few percent",
);
const SAME: Margin = Margin::new("same", 0.99, "the cheapest way out costs as much as the exchange, to a percent");

/// The exchange against the nearest law.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Exponents of the law.
    pub alphas: Vec<f64>,
    /// Thresholds P.
    pub tops: Vec<usize>,
}

impl Default for Exchange {
    fn default() -> Exchange {
        Exchange { alphas: vec![1.1, 1.5, 2.0, 3.0], tops: vec![2, 3, 5, 10, 20, 50, 100, 200] }
    }
}

#[derive(Default)]
struct Exchanges {
    formula: Vec<f64>,
    /// The formula with p(x) + p(P), relative.
    sum: Vec<f64>,
    still_in: Cases,
    next_in: Cases,
    /// Nearest law over the exchange with P + 1.
    ratio: Vec<f64>,
}

impl Exchange {
    fn pairs(&self) -> Result<Exchanges, Failure> {
        let mut found = Exchanges::default();
        let most_tops = self.tops.iter().max().copied().unwrap_or(2);
        for alpha in &self.alphas {
            let p = Zipf::infinite(*alpha)?.probabilities(most_tops + 1);
            for &top in &self.tops {
                for x in 1..top {
                    found.see(&p, x, top)?;
                }
            }
        }
        Ok(found)
    }
}

impl Exchanges {
    fn see(&mut self, p: &[f64], x: usize, top: usize) -> Result<(), Failure> {
        let (own, last) = (p[x - 1], p[top - 1]);
        let ahead = |law: &[f64]| law.iter().filter(|a| **a > law[x - 1]).count();
        let (moved, next) = (exchanged(p, x, top)?, exchanged(p, x, top + 1)?);
        let (there, back) = (divergence(&moved, p)?, divergence(p, &moved)?);
        let formula = exchange_divergence(own, last);
        self.formula.push(largest_of([(there - formula).abs(), (back - formula).abs()]));
        self.sum.push(((own + last) * (own / last).ln() / there - 1.0).abs());
        self.still_in.see(ahead(&moved) < top);
        self.next_in.see(ahead(&next) < top);
        self.ratio.push(top_projection(p, x, top)?.divergence / exchange_divergence(own, p[top]));
        Ok(())
    }
}

impl TypedCheck for Exchange {
    const CLAIM: &'static str = "heavy-tailed/b3-kl-swap";
    const PLAN: Plan = Plan::new(
        "divergence of the exchanged law; inputs ahead of x in it; nearest law over exchange",
        "an exchange after which x is among the top P; a law without x in its top P that is nearer",
        &[SUM_ROUNDING, SAME, ONE, NEAREST],
    )
    .protocol(&["Zipf laws with N = ∞, all x < P, P up to 200; for the exchange the first P + 1 ranks matter only"])
    .departures(&["templates of 200 samples on four inputs as a route to the nearest law that knows no closed form"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let found = self.pairs()?;
        let n = found.still_in.count();
        let p = Zipf::new(2.0, 4)?.probabilities(4);
        let nearest = -leaving_top(&p, 200, 1, 2, TieBreak::Rare)?.ln_largest / 200.0;
        let over = |value: f64| Estimate::exact(nearest / value);
        let evidence = Evidence::of(found.still_in.none("exchange with P: x is still among the top P", "pairs of x and P"))
            .and(
                Finding::identity(
                    "divergence of the exchanged law minus the formula, both orders",
                    largest_of(&found.formula),
                    SUM_ROUNDING,
                )
                    .cases(n)
                    .unit("pairs of x and P"),
            )
            .and(
                Finding::at_least("nearest law over exchange, smallest", SAME, Estimate::exact(least_of(&found.ratio)))
                    .cases(n)
                    .unit("pairs of x and P"),
            )
            .weaker(
                "the formula is right for the exchange; x leaves the top P by an exchange with P + 1, and that is not the cheapest way: the \
                 nearest law pools x with the last ranks at their geometric mean",
                vec![
                    found.next_in.none("exchange with P + 1: x among the top P", "pairs of x and P"),
                    Finding::at_most("nearest law over exchange, largest", ONE, Estimate::exact(largest_of(&found.ratio)))
                        .cases(n)
                        .unit("pairs of x and P"),
                    Finding::at_least(
                        "nearest of all templates of 200 samples over the closed form, N = 4, P = 2",
                        ONE,
                        over(top_projection(&p, 1, 2)?.divergence),
                    ),
                    Finding::equals(
                        "nearest of all templates against the closed form, as an equality",
                        1.0,
                        NEAREST,
                        over(top_projection(&p, 1, 2)?.divergence),
                    ),
                ],
            )
            .twin(Finding::equals(
                "nearest of all templates over the exchange",
                1.0,
                NEAREST,
                over(exchange_divergence(p[0], p[2])),
            ))
            .twin(Finding::identity("p(x) + p(P) in the formula: its best relative difference", least_of(&found.sum), SUM_ROUNDING));
        Ok(evidence.into())
    }
}

/// The chain of bounds for a Zipf law.
#[derive(Clone, Debug)]
pub struct ZipfBound {
    /// Exponents of the law.
    pub alphas: Vec<f64>,
    /// Thresholds P from 3 to this.
    pub tops: usize,
}

impl Default for ZipfBound {
    fn default() -> ZipfBound {
        ZipfBound { alphas: vec![1.1, 1.5, 2.0, 3.0], tops: 200 }
    }
}

#[derive(Default)]
struct Chain {
    first: Cases,
    second: Vec<f64>,
    printed: Vec<f64>,
    mended: Vec<f64>,
    /// With (1 - 2^-alpha) alpha, the logarithm of two left out.
    no_log: Vec<f64>,
    /// The nearest law over its own constant, and over that of the exchange.
    nearest: Vec<f64>,
    below: Cases,
}

impl ZipfBound {
    fn chain(&self) -> Result<Chain, Failure> {
        let mut found = Chain::default();
        for &alpha in &self.alphas {
            let law = Zipf::infinite(alpha)?;
            let p = law.probabilities(self.tops + 2);
            for top in 3..=self.tops {
                for x in 1..top.div_ceil(2) {
                    found.see(&law, &p, x, top)?;
                }
            }
        }
        Ok(found)
    }
}

impl Chain {
    fn see(&mut self, law: &Zipf, p: &[f64], x: usize, top: usize) -> Result<(), Failure> {
        let (c, alpha) = (law.constant(), law.alpha());
        let (own, whole) = (p[x - 1], exchange_constant(alpha));
        let half = c * (0.5 * top as f64).powf(-alpha); // p at P/2, a whole number or not
        let exchange = exchange_divergence(own, p[top - 1]);
        let middle = (own - p[2 * x - 1]) * (half / p[top - 1]).ln();
        let third = c * (x as f64).powf(-alpha) * whole;
        self.first.see(exchange < middle);
        self.second.push((middle / third - 1.0).abs());
        self.printed.push((c * whole * own / third - 1.0).abs());
        self.mended.push((whole * own / third - 1.0).abs());
        self.no_log.push((whole / std::f64::consts::LN_2 * own / third - 1.0).abs());
        let nearest = top_projection(p, x, top)?.divergence;
        self.nearest.push(nearest / (projection_constant(alpha) * own));
        self.below.see(nearest < whole * own);
        Ok(())
    }
}

fn figure() -> Result<Figure, Failure> {
    let (law, top) = (Zipf::infinite(2.0)?, 200usize);
    let p = law.probabilities(top + 2);
    let x: Vec<usize> = (1..top / 2).collect();
    let exchange: Vec<f64> = x.iter().map(|x| exchange_divergence(p[x - 1], p[top - 1]) / p[x - 1]).collect();
    let nearest = x.iter().map(|x| Ok(top_projection(&p, *x, top)?.divergence / p[x - 1]));
    let nearest = nearest.collect::<Result<Vec<f64>, Failure>>()?;
    let x: Vec<f64> = x.iter().map(|x| *x as f64).collect();
    let level = |value: f64| vec![value; x.len()];
    let panel = Panel::new("α = 2, P = 200")
        .x_label("x")
        .y_label("divergence / p(x)")
        .log_x()
        .log_y()
        .line("exchange with P", &x, &exchange)
        .colour(0)
        .theory("(1 − 2^{−α}) α ln 2", &x, &level(exchange_constant(2.0)))
        .colour(0)
        .line("nearest law", &x, &nearest)
        .colour(1)
        .theory("(1 − 2^{−α/2})²", &x, &level(projection_constant(2.0)))
        .colour(1);
    Ok(Figure::new("The nearest law is much nearer than the exchange").panel(panel).caption(
        "The constant of the paper bounds the exchange from below; the nearest law crosses it. The lower broken line bounds the nearest law.",
    ))
}

impl TypedCheck for ZipfBound {
    const CLAIM: &'static str = "heavy-tailed/b3-kl-zipf";
    const PLAN: Plan = Plan::new(
        "relative difference of two members; smallest nearest law over its bound",
        "one of the four signs; a nearest law below its bound",
        &[ROUNDING, ONE],
    )
    .protocol(&["all x < P/2, P up to 200, N = ∞, P/2 a whole number or not"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let found = self.chain()?;
        let n = found.first.count();
        let same = |label: &str, list: &[f64]| {
            Finding::identity(label, largest_of(list), ROUNDING).cases(n).unit("pairs of x and P")
        };
        let evidence = Evidence::of(same("last sign: relative difference of c'_α p(x), worst pair", &found.printed))
            .and(found.first.none("first ≥: pairs that break it", "pairs of x and P"))
            .misprint(
                "c'_α = (1 − 2^−α) α ln 2, as p(x) already holds c_α; that is the constant of the exchange, the nearest law has (1 − 2^(−α/2))²",
                vec![
                    same("second ≥ is an equality, relative", &found.second),
                    same("last sign with c'_α = (1 − 2^−α) α ln 2, relative", &found.mended),
                    Finding::at_least(
                        "nearest law over (1 − 2^(−α/2))² p(x), smallest",
                        ONE,
                        Estimate::exact(least_of(&found.nearest)),
                    )
                    .cases(n)
                    .unit("pairs of x and P"),
                ],
            )
            .twin(found.below.none("nearest law below (1 − 2^−α) α ln 2 p(x)", "pairs of x and P"))
            .twin(Finding::identity("(1 − 2^−α) α without ln 2: its best relative difference", least_of(&found.no_log), ROUNDING));
        Ok(Checked::from(evidence).figure(figure()?))
    }
}
