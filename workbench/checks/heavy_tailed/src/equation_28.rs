//! Eq. 28: the upper bound for any output embeddings.
//!
//! **Claim** (`heavy-tailed/eq-28`). For any u and q, E_e[E(f_q)] <= sum_x p(x) min{1, sum_{y != f} (1 + R_y)^{-d chi_{u,x} / 2}} with
//! chi_{u,x} = min_y 1[<u_f, u_y - u_f> <= 0], which is 1 for normalised u.
//!
//! Given u the error lies between the largest and the sum of Student tails P(t_d > sqrt(d R_y)), so it suffices that the sum stays below
//! the right side, whatever d is. Outputs are random, of random lengths, antipodal, or a simplex; two families are simulated too. Weights are at
//! least 0, as in Eq. 2; that Lemma 3, whose proof this is, prints q : [N] -> R is charged there, and a negative weight stands beside the rest.
//! Refuted by one family whose tails exceed the right side, or a normalised output that another one hides.

use ndarray::{Array2, Axis, concatenate};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Stream, normal_array2, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{GivenOutputs, Profile, simplex, student_tail};

use super::profiles::{BOUND, MANY, even, in_turn, simulate};
use crate::vocabulary::EXACT;

const HIDDEN: Margin = Margin::ours(
    "hidden outputs",
    1.0,
    "without a single output that another one hides, the other value of chi has not been tried",
);

/// Student tails and simulations against the right side.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-28",
    metric: "sum of Student tails, or simulated error, over the right side; outputs hidden by another",
    against: "a family whose tails or whose simulated error exceed the right side; a hidden output among normalised ones",
    protocol: &["any outputs; weights of at least 0, as in Eq. 2"],
    choices: &["output families, weights and sizes"],
    run,
    ..Check::DEFAULT
};

/// Right sides beyond this are too close to one, or too small for a quotient of doubles, to say anything.
const INFORMATIVE: std::ops::Range<f64> = 1e-250..1.0 - 1e-9;

fn run(s: &Sheet) -> Done {
    s.see("heavy-tailed/lemma-3-upper");
    let mut stream = s.stream("outputs")?;
    let families = families(&mut stream)?;
    grid(s, &families)?;
    let given = GivenOutputs::equiangular(4, 0.0, 100)?;
    let signed: Profile = in_turn(&[-1.0, 0.5], 4)?;
    let (low, high) = given.error_between(&signed)?;
    let label = "a negative weight: error over the right side, weights (-1, 1/2), d = 100";
    s.aside(BOUND).of("cells").at_most(label, low / given.chernoff_bound(&signed)?);
    let label = "with q in χ, weights (-1, 1/2), d = 100: Student tails over the right side";
    s.aside(BOUND).of("cells").at_most(label, high / signed_bound(&given, &signed)?);

    // One light input that has all the mass, beside 23 of weight one.
    let (mut weights, mut masses) = ([1.0; 24], [0.0; 24]);
    (weights[23], masses[23]) = (0.1, 1.0);
    let labels: Vec<usize> = (0..24).map(|x| x % 4).collect();
    let given = GivenOutputs::equiangular(4, 0.0, 4000)?;
    let profile = Profile::from_weights(&masses, &weights, &labels, 4)?;
    let (low, high) = given.error_between(&profile)?;
    let label = "all the mass on one light input of 24: Student tails over the right side";
    s.printed(BOUND).of("cells").at_most(label, high / given.chernoff_bound(&profile)?);
    let label = "1/N in the place of p(x): Student tails of one light input that has all the mass over the right side";
    s.twin(BOUND).of("cells").at_most(label, low / given.chernoff_bound(&even(&weights, &labels, 4)?)?);

    let four = families.iter().skip(8).filter(|(rows, _)| rows.nrows() == 4);
    let runs = s.knob("memories", s.scale().pick(400, 3000), 2..)?;
    for (name, (rows, _)) in ["normalised outputs", "outputs of random lengths"].iter().zip(four) {
        // The error lies between the two Student forms, and below the right side.
        let (given, m) = (GivenOutputs::new(rows)?, rows.nrows());
        let weights: Vec<f64> = (1..=12).map(|x| 1.0 / f64::from(x)).collect();
        let labels: Vec<usize> = (1..=12).map(|x| x % 4 % m).collect();
        let profile = even(&weights, &labels, m)?;
        let seen = simulate(rows, &weights, &labels, runs, &mut stream)?;
        let ((low, high), right) = (given.error_between(&profile)?, given.chernoff_bound(&profile)?);
        let (known, over) = (s.support(BOUND).of("memories"), s.printed(BOUND).of("memories"));
        known.at_least(format!("{name}: simulated error over Σ p max_y P(Z_y > 0)"), seen.affine(1.0 / low, 0.0)?);
        known.at_most(format!("{name}: simulated error over Σ p Σ_y P(Z_y > 0)"), seen.affine(1.0 / high, 0.0)?);
        over.at_most(format!("{name}: simulated error over the right side"), seen.affine(1.0 / right, 0.0)?);
    }
    s.figure(figure());
    Ok(())
}

/// Output embeddings as rows, and whether all have norm one.
fn families(stream: &mut Stream) -> Result<Vec<(Array2<f64>, bool)>, Failure> {
    let mut families = Vec::new();
    for d in [3, 8, 30, 100] {
        for m in [2, 4, 6] {
            families.push((unit_sphere(stream, m, d), true));
            let rows = unit_sphere(stream, m, d) * normal_array2(stream, m, 1).mapv(f64::exp);
            families.push((rows, false));
        }
        let half = unit_sphere(stream, 2, d);
        families.push((concatenate(Axis(0), &[half.view(), (-&half).view()])?, true));
        if d == 3 {
            families.push((simplex(3)?, true));
        }
    }
    Ok(families)
}

/// Student tails over the right side, with weights of one sign and of both.
fn grid(s: &Sheet, families: &[(Array2<f64>, bool)]) -> Done {
    let (mut hidden, mut informative) = (0, 0);
    for (rows, normalised) in families {
        let given = GivenOutputs::new(rows)?;
        let m = given.n_classes();
        // (1 + R)^-d: the same family with the dimension doubled.
        let double = GivenOutputs::from_gram(given.gram().clone(), 2 * given.dim())?;
        for (n, rho) in s.each("cells", [(3usize, 0.0), (12, 0.0), (12, 0.5), (40, 1.0)]) {
            let weights: Vec<f64> = (1..=n).map(|x| (x as f64).powf(-2.0 * rho)).collect();
            let labels: Vec<usize> = (1..=n).map(|x| x % m).collect();
            let profile = even(&weights, &labels, m)?;
            let ((low, high), bound) = (given.error_between(&profile)?, given.chernoff_bound(&profile)?);
            if INFORMATIVE.contains(&bound) {
                informative += 1;
                let label = "sum of Student tails over the right side, largest where the latter is below one";
                s.printed(BOUND).at_most(label, high / bound);
            }
            let signs = weights.iter().enumerate().map(|(x, q)| if x % 3 == 2 { -q } else { *q });
            let profile_of_signs = even(&signs.collect::<Vec<f64>>(), &labels, m)?;
            let bound = signed_bound(&given, &profile_of_signs)?;
            if INFORMATIVE.contains(&bound) {
                let label = "with q in χ and every third weight negative: Student tails over the right side, largest";
                s.aside(BOUND).at_most(label, given.error_between(&profile_of_signs)?.1 / bound);
            }
            let twice = double.chernoff_bound(&profile)?;
            if twice > INFORMATIVE.start {
                s.twin(BOUND).largest().at_most("exponent -d in the place of -d/2", low / twice);
            }
        }
        for y in 0..m {
            let off_top = !given.is_on_top(y);
            hidden += i32::from(off_top);
            if *normalised {
                s.printed(EXACT).of("cases").never("χ = 1 for normalised outputs: cases that break it", off_top);
            }
        }
    }
    s.support(MANY).of("cells").at_least("cells whose right side is below one", f64::from(informative));
    s.support(HIDDEN).at_least("outputs with χ = 0 in the grid", f64::from(hidden));
    Ok(())
}

/// The right side with `chi = min_y 1[q(x) <u_f, u_y - u_f> <= 0]`.
fn signed_bound(given: &GivenOutputs, profile: &Profile) -> Result<f64, Failure> {
    let (gram, d) = (given.gram(), given.dim() as f64);
    let mut total = 0.0;
    for g in profile.groups() {
        let mut sum = 0.0;
        let on_top = (0..given.n_classes()).all(|y| g.weight * (gram[[g.class, y]] - gram[[g.class, g.class]]) <= 0.0);
        for y in (0..given.n_classes()).filter(|&y| y != g.class) {
            let ratio = given.ratio(profile, g, y)?;
            sum += if on_top { (-0.5 * d * ratio.ln_1p()).exp() } else { 1.0 };
        }
        total += g.mass * sum.min(1.0);
    }
    Ok(total)
}

fn figure() -> Figure {
    let dims: Vec<f64> = (1..=60).map(|k| (f64::from(k) / 60.0 * 3000f64.ln()).exp()).collect();
    let mut panel =
        Panel::new("two classes, d R held fixed").x_label("dimension d").y_label("bound / exact error").log_x();
    for (k, signal) in [1.0f64, 4.0, 9.0, 16.0].into_iter().enumerate() {
        let loss = |d: &f64| (-0.5 * d * (signal / d).ln_1p()).exp() / student_tail(signal.sqrt(), *d);
        let line: Vec<f64> = dims.iter().map(loss).collect();
        panel = panel.line(&format!("d R = {signal}"), &dims, &line).colour(k);
    }
    Figure::new("What Eq. 28 loses does not grow with the dimension")
        .panel(panel.hline("1", 1.0).legend_below())
        .caption(
            "For two classes the exact error is a Student tail. What the bound loses levels off in d and grows slowly with the signal, \
             like the square root of d R: the exponent is right.",
        )
}
