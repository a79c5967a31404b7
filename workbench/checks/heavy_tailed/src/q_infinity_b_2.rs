//! B.2, sentence before Eq. 42, with footnote 1: the energy of the largest class.
//!
//! **Claim** (`heavy-tailed/q-infty-approximation`). When q is chosen independently of p(y|x), Q_inf is about p_* ||q||^2 with
//! p_* = max_y p(y). Footnote: scaling q class by class until all Q_y are equal would be better, but does not change the big picture.
//!
//! The ratio is exact for any exponent, target and number of classes. "About" is read as within a factor of two. Against it speaks a ratio
//! beyond that; against the footnote an exponent of the error that moves when the classes are equalised.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{ErrorCurve, Profile, Scheme, Target, Zipf};

use super::sections_b_2_to_b_4::{EXPONENT_IN_D, ONE, draws, far, ratios, target};
use crate::vocabulary::{ROUNDING, largest_of, least_of};

const HALF: Margin = Margin::new("half", 0.5, "our reading of about: within a factor of two");
const TWICE: Margin = Margin::new("twice", 2.0, "our reading of about: within a factor of two");

/// The ratio over exponents and classes, and the footnote.
#[derive(Clone, Debug)]
pub struct LargestEnergy {
    /// Exponent of the law.
    pub alpha: f64,
    /// Inputs.
    pub inputs: usize,
    /// Numbers of classes, with `f_*(x) = x mod M`.
    pub classes: Vec<usize>,
    /// Random targets with five classes.
    pub targets: usize,
    /// `(alpha, rho)` at which the classes are equalised.
    pub equalised: Vec<(f64, f64)>,
}

impl Default for LargestEnergy {
    fn default() -> LargestEnergy {
        LargestEnergy {
            alpha: 2.0,
            inputs: 10_000,
            classes: vec![2, 5, 20, 100],
            targets: 40,
            equalised: vec![(2.0, 1.0), (2.0, 0.5), (1.5, 1.0)],
        }
    }
}

/// The largest class's share of the sum of `weight^power`, by listing the inputs.
fn share(weights: &[f64], target: &Target, power: i32) -> f64 {
    let mut energy = vec![0.0; target.n_classes()];
    for (x, q) in (1usize..).zip(weights) {
        energy[target.class(x)] += q.powi(power);
    }
    largest_of(&energy) / energy.iter().sum::<f64>()
}

/// The ratio `Q_inf / (p_* ||q||^2)` with M classes along rho, and p_*.
struct Along {
    classes: usize,
    p_star: f64,
    ratios: Vec<f64>,
}

/// One case of the footnote.
struct Footnote {
    name: String,
    slope: Estimate,
    ratios: Vec<f64>,
}

impl LargestEnergy {
    fn weights(&self, rho: f64) -> Result<Vec<f64>, Failure> {
        let law = Zipf::new(self.alpha, self.inputs)?;
        Ok(Scheme::power(rho)?.population_weights(&law, 2)?)
    }

    fn along(&self, rhos: &[f64]) -> Result<Vec<Along>, Failure> {
        let weights: Vec<Vec<f64>> = rhos.iter().map(|rho| self.weights(*rho)).collect::<Result<_, _>>()?;
        let half = self.weights(0.5)?;
        let one = |&classes: &usize| {
            let target = Target::modulo(classes)?;
            let p_star = share(&half, &target, 2);
            let ratios = weights.iter().map(|q| share(q, &target, 2) / p_star).collect();
            Ok(Along { classes, p_star, ratios })
        };
        self.classes.iter().map(one).collect()
    }

    /// Ratios with random labels at rho = 1/8 and 1.
    fn random(&self, setting: &Setting) -> Result<[Vec<f64>; 2], Failure> {
        let mut stream = setting.stream("random targets")?;
        let (flat, half, steep) = (self.weights(0.125)?, self.weights(0.5)?, self.weights(1.0)?);
        let mut found = [Vec::new(), Vec::new()];
        for _ in 0..self.targets {
            let target = Target::balanced_random(5, self.inputs, &mut stream)?;
            let p_star = share(&half, &target, 2);
            found[0].push(share(&flat, &target, 2) / p_star);
            found[1].push(share(&steep, &target, 2) / p_star);
        }
        Ok(found)
    }

    fn footnote(&self, setting: &Setting) -> Result<Vec<Footnote>, Failure> {
        let (draws, target, (dims, x)) = (draws(setting)?, target()?, far()?);
        let mut list = Vec::new();
        for &(alpha, rho) in &self.equalised {
            let (law, scheme) = (Zipf::infinite(alpha)?, Scheme::power(rho)?);
            let plain = draws.curve(&law, &target, &scheme, &dims)?;
            let mut columns = Vec::new();
            for d in &dims {
                let even = Profile::population(&law, &target, &scheme, *d)?.equalised()?;
                columns.push(draws.expected_error(&even, *d)?);
            }
            let even = ErrorCurve::from_columns(x.clone(), &columns)?;
            let mut boot = setting.stream(&format!("bootstrap, footnote {alpha} {rho}"))?;
            list.push(Footnote {
                name: format!("α = {alpha}, ρ = {rho}"),
                slope: even.relative_slope(&plain, &mut boot)?,
                ratios: ratios(&even.means(), &plain.means()),
            });
        }
        Ok(list)
    }

    /// What the slope would show of weights that are not the same: rho doubled.
    fn steeper(&self, setting: &Setting) -> Result<Estimate, Failure> {
        let (draws, target, (dims, _)) = (draws(setting)?, target()?, far()?);
        let law = Zipf::infinite(2.0)?;
        let plain = draws.curve(&law, &target, &Scheme::power(1.0)?, &dims)?;
        let steep = draws.curve(&law, &target, &Scheme::power(2.0)?, &dims)?;
        Ok(steep.relative_slope(&plain, &mut setting.stream("bootstrap, steeper weights")?)?)
    }
}

fn figure(rhos: &[f64], along: &[Along]) -> Figure {
    let mut panel =
        Panel::new("α = 2, N = 10^{4}, f(x) = x mod M").x_label("ρ").y_label("Q∞ / (p_* ‖q‖²)").log_y().hline("1", 1.0);
    for one in along {
        panel = panel.line(&format!("M = {}", one.classes), rhos, &one.ratios);
    }
    Figure::new("Q∞ ≈ p_* ‖q‖² is exact at ρ = 1/2 and nowhere else").panel(panel).caption(
        "Exact ratios, one at ρ = 1/2. Below, flat weights give every class the share 1/M; above, the most frequent input takes its class \
         up to the whole energy.",
    )
}

impl TypedCheck for LargestEnergy {
    const CLAIM: &'static str = "heavy-tailed/q-infty-approximation";
    const PLAN: Plan = Plan::new(
        "Q∞ over p_* ‖q‖², exact; slope of ln(error / error) in ln d when the classes are equalised",
        "a ratio beyond a factor of two; an exponent that moves when the classes are equalised",
        &[ROUNDING, HALF, TWICE, ONE, EXPONENT_IN_D],
    )
    .protocol(&["Zipf law, f_*(x) = x mod M, q = p^ρ"])
    .departures(&["random balanced labels beside x mod M, so that the ratio is not one of a pattern"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let rhos: Vec<f64> = (0..=32).map(|i| f64::from(i) / 16.0).collect();
        let along = self.along(&rhos)?;
        let (random, footnote) = (self.random(setting)?, self.footnote(setting)?);
        let all: Vec<f64> = along.iter().flat_map(|one| one.ratios.clone()).collect();
        let at_half: Vec<f64> = along.iter().map(|one| (one.ratios[8] - 1.0).abs()).collect();
        let outside = along.iter().map(|one| {
            let above = largest_of(&one.ratios) * one.p_star - 1.0;
            largest_of([above, 1.0 - least_of(&one.ratios) * one.p_star * one.classes as f64])
        });
        let outside: Vec<f64> = outside.collect();
        let errors: Vec<f64> = footnote.iter().flat_map(|one| one.ratios.clone()).collect();
        let exact = |value| Estimate::exact(value);
        let mut mended = vec![
            Finding::identity("distance of the ratio from one at ρ = 1/2, worst M", largest_of(&at_half), ROUNDING),
            Finding::at_most("largest excess over the two bounds", ROUNDING, exact(largest_of(&outside))),
            Finding::at_most("random labels, M = 5, ρ = 1/8: largest ratio", ONE, exact(largest_of(&random[0]))),
            Finding::at_least("random labels, M = 5, ρ = 1: smallest ratio", ONE, exact(least_of(&random[1]))),
            Finding::at_least("equalised over plain: smallest error ratio", HALF, exact(least_of(&errors))),
            Finding::at_most("equalised over plain: largest error ratio", ONE, exact(largest_of(&errors))),
        ];
        for one in &footnote {
            let label = format!("equalised: change of the slope in d, {}", one.name);
            mended.push(Finding::equals(label, 0.0, EXPONENT_IN_D, one.slope));
        }
        let five = Target::modulo(5)?;
        let weights = self.weights(0.5)?;
        let not_squared = share(&weights, &five, 1) / share(&weights, &five, 2);
        let of_five = along.iter().find(|one| one.classes == 5).ok_or("five classes are asked")?;
        let evidence = Evidence::of(Finding::at_least(
            "M = 5: Q∞ over p_* ‖q‖², smallest over ρ",
            HALF,
            exact(least_of(&of_five.ratios)),
        ))
            .and(Finding::at_least("Q∞ over p_* ‖q‖², smallest over ρ and M", HALF, exact(least_of(&all))))
            .and(Finding::at_most("Q∞ over p_* ‖q‖², largest over ρ and M", TWICE, exact(largest_of(&all))))
            .weaker(
                "equality at ρ = 1/2; otherwise the ratio lies between 1/(M p_*) and 1/p_*, a constant when M is fixed; equalising the \
                 classes changes constants only",
                mended,
            )
            .twin(Finding::identity(
                "q in place of q² in both energies, ρ = 1/2, M = 5: distance of the ratio from one",
                (not_squared - 1.0).abs(),
                ROUNDING,
            ))
            .twin(Finding::equals(
                "ρ = 2 in place of the equalised ρ = 1: change of the slope in d",
                0.0,
                EXPONENT_IN_D,
                self.steeper(setting)?,
            ));
        Ok(Checked::from(evidence).figure(figure(&rhos, &along)))
    }
}
