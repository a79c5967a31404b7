//! Energy of the largest class: B.2, sentence before Eq. 42, with footnote 1.
//!
//! **Claim** (`heavy-tailed/q-infty-approximation`). When q is chosen independently of p(y|x), Q_inf is about p_* ||q||^2 with
//! p_* = max_y p(y). Footnote: scaling q class by class until all Q_y are equal would be better, but does not change the big picture.
//!
//! The ratio is exact for any exponent, target and number of classes. "One can expect ... about" stands before "up to constants and
//! logarithmic term", and Theorem 1's constants depend on rho, alpha and M. Refuted by a ratio that grows or falls with the number of
//! inputs by more than a logarithm (that it is one where q^2 is p itself the check stands on); the footnote by an exponent of the error
//! that moves when the classes are equalised. How far the constants are from one, in M too, stands beside it.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{ErrorCurve, Profile, Scheme, Target, Zipf};

use super::exponents::{EXPONENT_IN_D, ONE, draws, far, last_exponent, target};
use crate::vocabulary::{ROUNDING, largest_of};

const HALF: Margin = Margin::ours("half", 0.5, "about, if it were within a factor of two");
const TWICE: Margin = Margin::ours("twice", 2.0, "about, if it were within a factor of two");
const EXPONENT_IN_N: Margin = Margin::statistical(
    "exponent in N",
    0.024,
    "half of what one power of ln N would add between 10^8 and 10^10, which the document hides",
);

/// The ratio over exponents and classes, and the footnote.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/q-infty-approximation",
    metric: "exponent in N of Q∞ over p_* ‖q‖²; slope of ln(error / error) in ln d when the classes are equalised",
    against: "a ratio with a power of N; an exponent that moves when the classes are equalised",
    protocol: &["Zipf law, f_*(x) = x mod M, q = p^ρ"],
    choices: &[
        "α = 2; N = 10^8 and 10^10 for the exponent, 10^4 beside it; ρ from 1/8 to 2, M = 2 to 100",
        "random balanced labels beside x mod M, so that the ratio is not one of a pattern",
    ],
    run,
    ..Check::DEFAULT
};

/// Inputs; alpha = 2.
const INPUTS: usize = 10_000;

fn run(s: &Sheet) -> Done {
    along_n(s)?;
    along_rho(s)?;
    random_labels(s)?;
    footnote(s)
}

/// Exponent of the ratio between 10^8 and 10^10 inputs, by sums over groups of ranks.
fn along_n(s: &Sheet) -> Done {
    let laws = [Zipf::new(2.0, 100_000_000)?, Zipf::new(2.0, 10_000_000_000)?];
    let exponent = |by_size: [f64; 2]| last_exponent(&[1e8, 1e10], &by_size);
    for (rho, m) in
        s.each("pairs of ρ and M", [0.125, 0.25, 0.5, 1.0, 2.0].map(|rho| [2, 5, 20].map(|m| (rho, m))).concat())
    {
        let target = Target::modulo(m)?;
        let profile = |k: usize, rho: f64| Profile::population(&laws[k], &target, &Scheme::power(rho)?, 2);
        let ratio = |k: usize| {
            let (q, p) = (profile(k, rho)?, profile(k, 0.5)?);
            Ok::<_, Failure>(q.largest_energy() / q.total_energy() / (p.largest_energy() / p.total_energy()))
        };
        let ratios = [ratio(0)?, ratio(1)?];
        let label = "exponent in N of Q∞ over p_* ‖q‖², ρ from 1/8 to 2, M = 2, 5, 20: farthest from zero";
        s.printed(EXPONENT_IN_N).equals(label, 0.0, exponent(ratios));
        if (rho, m) == (0.25, 5) {
            // At half the power the energy is the sum of q.
            let sums = |k: usize| {
                let (q, sum) = (profile(k, rho)?.total_energy(), profile(k, 0.5 * rho)?.total_energy());
                Ok::<_, Failure>(ratios[k] * q / sum.powi(2))
            };
            let label = "(Σ q)² in place of ‖q‖², ρ = 1/4, M = 5: exponent in N";
            s.twin(EXPONENT_IN_N).equals(label, 0.0, exponent([sums(0)?, sums(1)?]));
        }
    }
    Ok(())
}

/// The ratio along rho, from 0 to 2 in sixteenths.
fn along_rho(s: &Sheet) -> Done {
    let rhos: Vec<f64> = (0..=32).map(|i| f64::from(i) / 16.0).collect();
    let weights = rhos.iter().map(|rho| weights(*rho, INPUTS)).collect::<Result<Vec<_>, _>>()?;
    let law = Zipf::new(2.0, INPUTS)?.probabilities(INPUTS);
    let p_star = |target: &Target| share(&law, target, 1);
    let ratios = |target: &Target| {
        let p_star = p_star(target);
        weights.iter().map(|q| share(q, target, 2) / p_star).collect::<Vec<f64>>()
    };
    let five = Target::modulo(5)?;
    for ratio in s.each("exponents ρ", ratios(&five)) {
        s.aside(HALF).at_least("M = 5: Q∞ over p_* ‖q‖², smallest over ρ", ratio);
    }
    let not_squared = share(&weights[8], &five, 1) / p_star(&five);
    let label = "q in place of q² in both energies, ρ = 1/2, M = 5: distance of the ratio from one";
    s.twin(ROUNDING).same(label, (not_squared - 1.0).abs());

    let mut panel =
        Panel::new("α = 2, N = 10^{4}, f(x) = x mod M").x_label("ρ").y_label("Q∞ / (p_* ‖q‖²)").log_y().hline("1", 1.0);
    for classes in [2, 5, 20, 100] {
        let target = Target::modulo(classes)?;
        let ratios = ratios(&target);
        for ratio in s.each("pairs of ρ and M", &ratios) {
            s.aside(HALF).at_least("Q∞ over p_* ‖q‖², smallest over ρ and M", *ratio);
            s.aside(TWICE).at_most("Q∞ over p_* ‖q‖², largest over ρ and M", *ratio);
        }
        let label = "distance of the ratio from one at ρ = 1/2, where q² is p: worst M";
        for ratio in s.each("classes M", [ratios[8]]) {
            s.support(ROUNDING).same(label, (ratio - 1.0).abs());
        }
        panel = panel.line(&format!("M = {classes}"), &rhos, &ratios);
    }
    s.figure(Figure::new("Q∞ ≈ p_* ‖q‖² is exact at ρ = 1/2 and nowhere else").panel(panel).caption(
        "Exact ratios, one at ρ = 1/2. Below, flat weights give every class the share 1/M; above, the most frequent input takes its class \
         up to the whole energy.",
    ));
    Ok(())
}

fn weights(rho: f64, inputs: usize) -> Result<Vec<f64>, Failure> {
    Ok(Scheme::power(rho)?.population_weights(&Zipf::new(2.0, inputs)?, 2)?)
}

/// The largest class's share of the sum of `weight^power`, by listing the inputs.
fn share(weights: &[f64], target: &Target, power: i32) -> f64 {
    let mut energy = vec![0.0; target.n_classes()];
    for (x, q) in (1usize..).zip(weights) {
        energy[target.class(x)] += q.powi(power);
    }
    largest_of(&energy) / energy.iter().sum::<f64>()
}

/// Ratios with random labels of five classes.
fn random_labels(s: &Sheet) -> Done {
    let mut stream = s.stream("random targets")?;
    let (flat, steep) = (weights(0.125, INPUTS)?, weights(1.0, INPUTS)?);
    let law = Zipf::new(2.0, INPUTS)?.probabilities(INPUTS);
    for _ in s.cases("random targets", 40, 40)? {
        let target = Target::balanced_random(5, INPUTS, &mut stream)?;
        let p_star = share(&law, &target, 1);
        s.aside(HALF).at_least("random labels, M = 5, ρ = 1/8: smallest ratio", share(&flat, &target, 2) / p_star);
        s.aside(TWICE).at_most("random labels, M = 5, ρ = 1: largest ratio", share(&steep, &target, 2) / p_star);
    }
    Ok(())
}

/// The error with equalised classes over that without.
fn footnote(s: &Sheet) -> Done {
    let (draws, target, (dims, x)) = (draws(s)?, target()?, far()?);
    for (alpha, rho) in [(2.0, 1.0), (2.0, 0.5), (1.5, 1.0)] {
        let (law, scheme) = (Zipf::infinite(alpha)?, Scheme::power(rho)?);
        let plain = draws.curve(&law, &target, &scheme, &dims)?;
        let equalised = |d: &usize| -> Result<_, Failure> {
            let profile = Profile::population(&law, &target, &scheme, *d)?.equalised()?;
            Ok(draws.expected_error(&profile, *d)?)
        };
        let even = dims.iter().map(equalised).collect::<Result<Vec<_>, _>>()?;
        let even = ErrorCurve::from_columns(x.clone(), &even)?;
        let mut boot = s.stream(&format!("bootstrap, footnote {alpha} {rho}"))?;
        let label = format!("equalised: change of the slope in d, α = {alpha}, ρ = {rho}");
        s.printed(EXPONENT_IN_D).equals(label, 0.0, even.relative_slope(&plain, &mut boot)?);
        for (even, plain) in s.each("laws and dimensions", even.means().iter().zip(plain.means())) {
            s.aside(HALF).at_least("equalised over plain: smallest error ratio", even / plain);
            s.printed(ONE).at_most("equalised over plain: largest error ratio", even / plain);
        }
    }
    // What the slope would show of weights that are not the same.
    let law = Zipf::infinite(2.0)?;
    let plain = draws.curve(&law, &target, &Scheme::power(1.0)?, &dims)?;
    let steep = draws.curve(&law, &target, &Scheme::power(2.0)?, &dims)?;
    let change = steep.relative_slope(&plain, &mut s.stream("bootstrap, steeper weights")?)?;
    s.twin(EXPONENT_IN_D).equals("ρ = 2 in place of the equalised ρ = 1: change of the slope in d", 0.0, change);
    Ok(())
}
