//! Lemma 1: finite data, infinite memory.
//!
//! **Claim** (`heavy-tailed/lemma-1`, Eq. 14). A memory that answers every input it has seen, and errs on all others, has after T samples
//! of a Zipf law with exponent alpha > 1 the expected error T^(-1 + 1/alpha), up to constants.
//!
//! The expected error is the sum of p (1 - p)^T, exact to twelve digits also for infinitely many inputs. The substitution u = T C
//! x^-alpha predicts its limit too, C^(1/alpha) Gamma(1 - 1/alpha)/alpha. Against the lemma would count a product T^(1 - 1/alpha) E(f^)
//! that drifts, or an exponent that differs. With N inputs the law of powers ends near T = N^alpha; the proof lets N go to infinity.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{Zipf, data_exponent, power_law, unseen_integral_constant_printed, unseen_mass_constant};

use super::sections_b_2_to_b_4::{EXACT_EXPONENT, FLAT, LIMIT, floats, last_exponent, spread};

/// Order and limit of the unseen mass.
#[derive(Clone, Debug)]
pub struct InfiniteMemory {
    /// Exponents of the laws, each above one.
    pub alphas: Vec<f64>,
    /// Sample sizes are 10, 100, ... up to this power of ten.
    pub decades: u32,
}

impl Default for InfiniteMemory {
    fn default() -> InfiniteMemory {
        InfiniteMemory { alphas: vec![1.2, 1.5, 2.0, 3.0], decades: 8 }
    }
}

/// One law: its unseen mass, and that times T^(1 - 1/alpha) over the predicted limit.
struct Curve {
    alpha: f64,
    errors: Vec<f64>,
    over_limit: Vec<f64>,
}

fn unseen(law: &Zipf, sizes: &[usize]) -> Vec<f64> {
    sizes.iter().map(|size| law.unseen_mass(*size)).collect()
}

impl InfiniteMemory {
    fn sizes(&self) -> Vec<usize> {
        (1..=self.decades).map(|k| 10usize.pow(k)).collect()
    }

    fn curve(&self, alpha: f64) -> Result<Curve, Failure> {
        let law = Zipf::infinite(alpha)?;
        let (limit, exponent) = (unseen_mass_constant(&law)?, data_exponent(alpha)?);
        let sizes = self.sizes();
        let errors = unseen(&law, &sizes);
        let over = |(error, size): (&f64, f64)| error * size.powf(exponent) / limit;
        let over_limit = errors.iter().zip(floats(&sizes)).map(over).collect();
        Ok(Curve { alpha, errors, over_limit })
    }

    /// The last product over its limit, with the constant that the proof prints, or with T^(1/alpha).
    fn wrong_limits(&self, alpha: f64) -> Result<[f64; 2], Failure> {
        let law = Zipf::infinite(alpha)?;
        let size = 10usize.pow(self.decades);
        let (error, t, exponent) = (law.unseen_mass(size), size as f64, data_exponent(alpha)?);
        let printed = law.constant().powf(1.0 / alpha) * unseen_integral_constant_printed(alpha)?;
        let right = unseen_mass_constant(&law)?;
        Ok([error * t.powf(exponent) / printed, error * t.powf(1.0 / alpha) / right])
    }

    fn figure(&self, curves: &[Curve], ended: &[f64]) -> Result<Figure, Failure> {
        let t = floats(&self.sizes());
        let (mut left, mut right) = (Panel::new("exact sums"), Panel::new("distance from the limit"));
        for (k, curve) in curves.iter().enumerate() {
            let alpha = curve.alpha;
            let limit = unseen_mass_constant(&Zipf::infinite(alpha)?)?;
            let law = power_law(&t, limit, -data_exponent(alpha)?);
            let distance: Vec<f64> = curve.over_limit.iter().map(|ratio| (ratio - 1.0).abs()).collect();
            left = left
                .points(&format!("α = {alpha}"), &t, &curve.errors)
                .colour(k)
                .theory(&format!("limit, α = {alpha}"), &t, &law)
                .colour(k);
            right = right.points(&format!("α = {alpha}"), &t, &distance).colour(k);
        }
        let left = left.line("α = 2, N = 1000", &t, &ended).colour(5).x_label("T").y_label("unseen mass");
        let right = right.theory("1/T", &t, &power_law(&t, 1.0, -1.0)).x_label("T").y_label("|sum over limit − 1|");
        Ok(Figure::new("The unseen mass is a power of T from the first samples on")
            .panel(left.log_x().log_y().y_limits(1e-7, 1.0).legend_below())
            .panel(right.log_x().log_y().y_limits(1e-10, 1.0).legend_below())
            .columns(2)
            .caption(
                "Left: dots are exact sums over infinitely many inputs, dashed lines the predicted limits without a free constant; \
                 with N = 1000 the power law ends near T = N^{α}. Right: how far sum and limit are apart.",
            ))
    }
}

impl TypedCheck for InfiniteMemory {
    const CLAIM: &'static str = "heavy-tailed/lemma-1";
    const PLAN: Plan = Plan::new(
        "exponent in T of the exact unseen mass over the last decade; the mass over its predicted limit",
        "an exponent that is not -1 + 1/alpha, or a product T^(1 - 1/alpha) E(f^) that drifts",
        &[EXACT_EXPONENT, LIMIT, FLAT],
    )
    .protocol(&["Zipf laws with N = ∞, as the proof takes them; T = 10 to 10^8"])
    .departures(&[
        "the statement says x in [N]; with finite N the power law ends near T = N^alpha, run as a wrong twin",
    ]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let t = floats(&self.sizes());
        let curves = self.alphas.iter().map(|alpha| self.curve(*alpha));
        let curves = curves.collect::<Result<Vec<Curve>, Failure>>()?;
        let (mut exponents, mut limits) = (Vec::new(), Vec::new());
        for curve in &curves {
            let (alpha, stated) = (curve.alpha, -data_exponent(curve.alpha)?);
            let found = Estimate::exact(last_exponent(&t, &curve.errors));
            exponents.push(Finding::equals(format!("exponent in T, α = {alpha}"), stated, EXACT_EXPONENT, found));
            let found = Estimate::exact(curve.over_limit[curve.over_limit.len() - 1]);
            limits.push(Finding::equals(format!("unseen mass over its limit, α = {alpha}"), 1.0, LIMIT, found));
        }
        let products: Vec<f64> = curves.iter().flat_map(|curve| curve.over_limit.clone()).collect();
        let drift = Finding::at_most(
            "largest over smallest product T^(1−1/α) E, all T and α",
            FLAT,
            Estimate::exact(spread(&products)),
        );
        let ended = unseen(&Zipf::new(2.0, 1000)?, &self.sizes());
        let [printed, other_power] = self.wrong_limits(3.0)?;
        let mut all = exponents.into_iter().chain([drift.cases(products.len()).unit("products")]).chain(limits);
        let first = all.next().ok_or("a law to look at is needed: give one alpha at least")?;
        let evidence = all
            .fold(Evidence::of(first), Evidence::and)
            .twin(Finding::equals(
                "N = 1000 inputs, all seen by then: exponent, α = 2",
                -0.5,
                EXACT_EXPONENT,
                Estimate::exact(last_exponent(&t, &ended)),
            ))
            .twin(Finding::equals("T^(1/α) E over the limit, α = 3", 1.0, LIMIT, Estimate::exact(other_power)))
            .twin(Finding::equals(
                "over the limit with the constant that the proof prints, α = 3",
                1.0,
                LIMIT,
                Estimate::exact(printed),
            ));
        Ok(Checked::from(evidence).figure(self.figure(&curves, &ended)?))
    }
}
