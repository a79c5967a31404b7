//! Eq. 15 and the display before it: series against integrals.
//!
//! **Claim** (`heavy-tailed/eq-15`). With g_k = p e^(-kpT), k = 2 ln 2, p(c) = 1/T: int_1^N g_k - 1/T <= int_2^c g_k(x - 1) + int_c^N g_k
//! <= sum_{x >= 2} g_k <= E(f^) <= sum g_1 <= int_1^N g_k + 1/T, and for N to infinity E(f^) is of the order of int_1^inf p e^(-Tp) dx ±
//! 1/T.
//!
//! Each link is counted on its own. The last member has the factor k, the series that it bounds has not; as g_k < g_1 it should be too
//! small, by the order of the sum, and g_1 should mend it. Against Eq. 15 would count sides with another ratio than one far out, or a
//! difference larger than 1/T.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{LOG_FACTOR, SeriesAndIntegrals, Zipf, rank_integral, series_and_integrals};

use super::proof_of_lemma_3::{Broken, exceeds};
use super::sections_b_2_to_b_4::{LIMIT, ONE, floats};
use crate::vocabulary::{EXACT, Largest, Least};

/// The chain on a grid, Eq. 15 over decades.
#[derive(Clone, Debug)]
pub struct SeriesAgainstIntegrals {
    /// Exponents of the laws in the chain.
    pub alphas: Vec<f64>,
    /// Numbers of inputs.
    pub inputs: Vec<usize>,
    /// Sample sizes.
    pub sizes: Vec<usize>,
    /// Exponents of the laws of Eq. 15, above one.
    pub infinite: Vec<f64>,
    /// Last power of ten of T in Eq. 15.
    pub decades: u32,
}

impl Default for SeriesAgainstIntegrals {
    fn default() -> SeriesAgainstIntegrals {
        SeriesAgainstIntegrals {
            alphas: vec![0.5, 1.0, 1.2, 1.5, 2.0, 3.0],
            inputs: vec![100, 1000, 10_000, 100_000],
            sizes: vec![10, 30, 100, 1000, 10_000, 100_000, 1_000_000],
            infinite: vec![1.5, 2.0, 3.0],
            decades: 10,
        }
    }
}

/// The display presupposes that p(c) = 1/T at a rank from 2 to N.
fn has_split(law: &Zipf, inputs: usize, t: usize) -> bool {
    let c = (law.constant() * t as f64).powf(1.0 / law.alpha());
    (2.0..=inputs as f64).contains(&c)
}

#[derive(Default)]
struct Links {
    printed: [Broken; 5],
    first_four: Broken,
    mended: Broken,
    bare: Broken,
    room: [Least; 5],
}

impl Links {
    fn see(&mut self, m: &SeriesAndIntegrals, t: f64) {
        let links = [
            (m.whole, m.split),
            (m.split, m.series),
            (m.series, m.error),
            (m.error, m.upper_series),
            (m.upper_series, m.upper_printed),
        ];
        for (k, (low, high)) in links.into_iter().enumerate() {
            self.printed[k].see(exceeds(low, high));
            self.room[k].see((high - low) / m.error);
        }
        self.first_four.see(links[..4].iter().any(|(low, high)| exceeds(*low, *high)));
        self.mended.see(exceeds(m.upper_series, m.upper));
        self.bare.see(exceeds(m.whole + 1.0 / t, m.split));
    }
}

/// Both sides of Eq. 15 for one law, T = 1, 10, ...
struct Sides {
    alpha: f64,
    ratios: Vec<f64>,
    /// With e^(-kTp) in the integral, at the last T.
    faster: f64,
}

impl SeriesAgainstIntegrals {
    fn links(&self) -> Result<Links, Failure> {
        let mut links = Links::default();
        for alpha in &self.alphas {
            for inputs in &self.inputs {
                let law = Zipf::new(*alpha, *inputs)?;
                for t in self.sizes.iter().filter(|t| has_split(&law, *inputs, **t)) {
                    links.see(&series_and_integrals(&law, *t)?, *t as f64);
                }
            }
        }
        Ok(links)
    }

    fn times(&self) -> Vec<usize> {
        (0..=self.decades).map(|k| 10usize.pow(k)).collect()
    }

    /// The sides, and the largest difference times T.
    fn sides(&self) -> Result<(Vec<Sides>, f64), Failure> {
        let (mut all, mut remainder) = (Vec::new(), Largest::default());
        for &alpha in &self.infinite {
            let law = Zipf::infinite(alpha)?;
            let integral = |s: f64| rank_integral(&law, s, 1.0, f64::INFINITY);
            let (mut ratios, mut last) = (Vec::new(), (1.0, 1.0));
            for size in self.times() {
                let (t, sum) = (size as f64, law.unseen_mass(size));
                let integral = integral(t)?;
                ratios.push(sum / integral);
                remainder.see((sum - integral).abs() * t);
                last = (t, sum);
            }
            let faster = last.1 / integral(LOG_FACTOR * last.0)?;
            all.push(Sides { alpha, ratios, faster });
        }
        Ok((all, remainder.0))
    }

    fn figure(&self, sides: &[Sides]) -> Result<Figure, Failure> {
        let (law, inputs) = (Zipf::new(2.0, 100_000)?, 100_000);
        let sizes: Vec<usize> = (2..=16).map(|k| 10f64.powf(0.5 * f64::from(k)) as usize).collect();
        let (mut x, mut members) = (Vec::new(), vec![Vec::new(); 6]);
        for t in sizes.into_iter().filter(|t| has_split(&law, inputs, *t)) {
            let m = series_and_integrals(&law, t)?;
            x.push(t as f64);
            let values = [m.whole, m.split, m.series, m.upper_series, m.upper_printed, m.upper];
            for (list, value) in members.iter_mut().zip(values) {
                list.push(value / m.error);
            }
        }
        let names = ["first", "second", "third", "fifth", "last, printed", "last, with e^{−pT}"];
        let mut left = Panel::new("α = 2, N = 10^{5}").x_label("T").y_label("member over error").log_x();
        for (k, name) in names.into_iter().enumerate() {
            left = left.line(name, &x, &members[k]).colour(k);
        }
        let mut right = Panel::new("N = ∞").x_label("T").y_label("error over integral").log_x();
        for (k, side) in sides.iter().enumerate() {
            right = right.line(&format!("α = {}", side.alpha), &floats(&self.times()), &side.ratios).colour(k);
        }
        Ok(Figure::new("Four links hold, the last one as printed does not")
            .panel(left.y_limits(0.6, 1.5).hline("error", 1.0).legend_below())
            .panel(right.y_limits(0.0, 1.6).hline("1", 1.0).legend_below())
            .columns(2)
            .caption("Left: members that bound the error from above have to lie above the grey line. Right: both sides of Eq. 15."))
    }
}

impl TypedCheck for SeriesAgainstIntegrals {
    const CLAIM: &'static str = "heavy-tailed/eq-15";
    const PLAN: Plan = Plan::new(
        "cases in which a link is broken by more than rounding; error over integral at the largest T; their difference times T",
        "a broken link; a ratio that is not one, or a difference above 1/T",
        &[EXACT, LIMIT, ONE],
    )
    .protocol(&["Zipf laws, alpha = 0.5 to 3, N up to 10^5, T up to 10^6; Eq. 15 with N = ∞ and T up to 10^10"])
    .departures(&["only cells in which p(c) = 1/T has a solution from 2 to N, which the display presupposes"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let links = self.links()?;
        let (sides, remainder) = self.sides()?;
        let worst = |f: fn(&Sides) -> f64| {
            let far = |a: &f64, b: &f64| (a - 1.0).abs().total_cmp(&(b - 1.0).abs());
            sides.iter().map(f).max_by(far).unwrap_or(f64::NAN)
        };
        let over = |label: &str, value: f64| Finding::equals(label, 1.0, LIMIT, Estimate::exact(value));
        let [one, two, three, four, five] = links.printed;
        let evidence = Evidence::of(five.none("link 5, as printed"))
            .and(over(
                "Eq. 15: error over integral at the largest T, worst α",
                worst(|side| side.ratios[side.ratios.len() - 1]),
            ))
            .and(one.none("link 1"))
            .and(two.none("link 2"))
            .and(three.none("link 3"))
            .and(four.none("link 4"))
            .misprint(
                "the last integral has the exponent -pT of the series it bounds, not -2 ln 2 pT",
                vec![
                    links.mended.none("link 5 with e^(−pT)"),
                    links.first_four.none("any of the other four links"),
                    Finding::at_most("Eq. 15: largest |error − integral| times T", ONE, Estimate::exact(remainder)),
                ],
            )
            .twin(links.bare.none("without the −1/T in the first member"))
            .twin(over("e^(−2 ln 2 Tp) in the integral of Eq. 15, worst α", worst(|side| side.faster)))
            .note(format!(
                "smallest room over the error, links 1 to 5: {}",
                links.room.map(|room| format!("{:.3}", room.0)).join(", ")
            ));
        Ok(Checked::from(evidence).figure(self.figure(&sides)?))
    }
}
