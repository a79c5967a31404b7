//! Eq. 28: the upper bound for any output embeddings.
//!
//! **Claim** (`heavy-tailed/eq-28`). For any u and q, E_e[E(f_q)] <= sum_x p(x) min{1, sum_{y != f} (1 + R_y)^{-d chi_{u,x} / 2}} with
//! chi_{u,x} = min_y 1[<u_f, u_y - u_f> <= 0], which is 1 for normalised u.
//!
//! Given u the error lies between the largest and the sum of Student tails P(t_d > sqrt(d R_y)), so it suffices that the sum stays below
//! the right side, whatever d is. Outputs are random, of random lengths, antipodal, or a simplex; two families are simulated too. Lemma 3,
//! whose proof this is, prints q : [N] -> R, so a negative weight is tried. Against the claim would count one family whose tails exceed the
//! right side, or a normalised output that another one hides.

use ndarray::{Array2, Axis, concatenate};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, normal_array2, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{GivenOutputs, Profile, simplex, student_tail};

use super::proof_of_lemma_3::{BOUND, Broken, MANY, below, enough, even, in_turn, simulate};
use crate::vocabulary::{EXACT, Largest, by_scale};

const HIDDEN: Margin = Margin::new(
    "hidden outputs",
    1.0,
    "without a single output that another one hides, the other value of chi has not been tried",
);

/// Right sides beyond this are too close to one, or too small for a quotient of doubles, to say anything.
const INFORMATIVE: std::ops::Range<f64> = 1e-250..1.0 - 1e-9;

/// Student tails and simulations against the right side.
#[derive(Clone, Debug)]
pub struct AnyOutputs {
    /// Dimensions.
    pub dims: Vec<usize>,
    /// Numbers of classes of the random families.
    pub classes: Vec<usize>,
    /// Memories of each simulated family; by scale if 0.
    pub memories: usize,
}

impl Default for AnyOutputs {
    fn default() -> AnyOutputs {
        AnyOutputs { dims: vec![3, 8, 30, 100], classes: vec![2, 4, 6], memories: 0 }
    }
}

/// Output embeddings as rows, and whether all have norm one.
struct Family {
    rows: Array2<f64>,
    normalised: bool,
}

impl AnyOutputs {
    fn families(&self, stream: &mut Stream) -> Result<Vec<Family>, Failure> {
        let mut families = Vec::new();
        for &d in &self.dims {
            for &m in &self.classes {
                let rows = unit_sphere(stream, m, d);
                families.push(Family { rows, normalised: true });
                let rows = unit_sphere(stream, m, d) * normal_array2(stream, m, 1).mapv(f64::exp);
                families.push(Family { rows, normalised: false });
            }
            let half = unit_sphere(stream, 2, d);
            let rows = concatenate(Axis(0), &[half.view(), (-&half).view()])?;
            families.push(Family { rows, normalised: true });
            if d == 3 {
                let rows = simplex(3)?;
                families.push(Family { rows, normalised: true });
            }
        }
        Ok(families)
    }
}

#[derive(Default)]
struct Seen {
    worst: Largest,
    informative: usize,
    doubled: Largest,
    steeper: usize,
    normalised: Broken,
    hidden: usize,
    /// With a negative weight on every third input, and the sign of the weight in chi.
    signed: Largest,
    signed_cells: usize,
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

fn grid(families: &[Family]) -> Result<Seen, Failure> {
    let mut seen = Seen::default();
    for family in families {
        let given = GivenOutputs::new(&family.rows)?;
        let m = given.n_classes();
        for y in 0..m {
            let hidden = !given.is_on_top(y);
            seen.hidden += usize::from(hidden);
            if family.normalised {
                seen.normalised.see(hidden);
            }
        }
        // (1 + R)^-d: the same family with the dimension doubled.
        let double = GivenOutputs::from_gram(given.gram().clone(), 2 * given.dim())?;
        for (n, rho) in [(3usize, 0.0), (12, 0.0), (12, 0.5), (40, 1.0)] {
            let weights: Vec<f64> = (1..=n).map(|x| (x as f64).powf(-2.0 * rho)).collect();
            let labels: Vec<usize> = (1..=n).map(|x| x % m).collect();
            let profile = even(&weights, &labels, m)?;
            let ((low, high), bound) = (given.error_between(&profile)?, given.chernoff_bound(&profile)?);
            if INFORMATIVE.contains(&bound) {
                seen.worst.see(high / bound);
                seen.informative += 1;
            }
            let signs = weights.iter().enumerate().map(|(x, q)| if x % 3 == 2 { -q } else { *q });
            let profile_of_signs = even(&signs.collect::<Vec<f64>>(), &labels, m)?;
            let bound = signed_bound(&given, &profile_of_signs)?;
            if INFORMATIVE.contains(&bound) {
                seen.signed.see(given.error_between(&profile_of_signs)?.1 / bound);
                seen.signed_cells += 1;
            }
            let twice = double.chernoff_bound(&profile)?;
            if twice > INFORMATIVE.start {
                seen.doubled.see(low / twice);
                seen.steeper += 1;
            }
        }
    }
    Ok(seen)
}

/// A simulated family: its error between the two Student forms, and below the right side.
fn simulated(name: &str, family: &Family, runs: usize, stream: &mut Stream) -> Result<Vec<Finding>, Failure> {
    let given = GivenOutputs::new(&family.rows)?;
    let m = given.n_classes();
    let weights: Vec<f64> = (1..=12).map(|x| 1.0 / f64::from(x)).collect();
    let labels: Vec<usize> = (1..=12).map(|x| x % 4 % m).collect();
    let profile = even(&weights, &labels, m)?;
    let seen = simulate(&family.rows, &weights, &labels, runs, stream)?;
    let (low, high) = given.error_between(&profile)?;
    let over = |bound: f64| -> Result<Estimate, Failure> { Ok(seen.affine(1.0 / bound, 0.0)?) };
    let bound = given.chernoff_bound(&profile)?;
    Ok(vec![
        Finding::at_least(format!("{name}: simulated error over Σ p max_y P(Z_y > 0)"), BOUND, over(low)?)
            .unit("memories"),
        Finding::at_most(format!("{name}: simulated error over Σ p Σ_y P(Z_y > 0)"), BOUND, over(high)?)
            .unit("memories"),
        Finding::at_most(format!("{name}: simulated error over the right side"), BOUND, over(bound)?).unit("memories"),
    ])
}

/// One light input that has all the mass, beside 23 of weight one: the Student tails over the right side, and over the one that gives
/// every input the same mass.
fn one_light_input() -> Result<[f64; 2], Failure> {
    let (mut weights, mut masses) = ([1.0; 24], [0.0; 24]);
    (weights[23], masses[23]) = (0.1, 1.0);
    let labels: Vec<usize> = (0..24).map(|x| x % 4).collect();
    let given = GivenOutputs::equiangular(4, 0.0, 4000)?;
    let profile = Profile::from_weights(&masses, &weights, &labels, 4)?;
    let (low, high) = given.error_between(&profile)?;
    let (right, even) = (given.chernoff_bound(&profile)?, given.chernoff_bound(&even(&weights, &labels, 4)?)?);
    Ok([high / right, low / even])
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

impl TypedCheck for AnyOutputs {
    const CLAIM: &'static str = "heavy-tailed/eq-28";
    const PLAN: Plan = Plan::new(
        "sum of Student tails, or simulated error, over the right side; outputs hidden by another",
        "a family whose tails or whose simulated error exceed the right side; a hidden output among normalised ones",
        &[BOUND, MANY, EXACT, HIDDEN],
    )
    .protocol(&["weights of at least 0, as in Eq. 2; of both signs, as Lemma 3 has q : [N] → ℝ"])
    .departures(&["output families, weights and sizes are ours: the document leaves them open"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("outputs")?;
        let families = self.families(&mut stream)?;
        let seen = grid(&families)?;
        let runs = by_scale(self.memories, setting.scale().pick(400, 3000));
        let given = GivenOutputs::equiangular(4, 0.0, 100)?;
        let signed: Profile = in_turn(&[-1.0, 0.5], 4)?;
        let (low, high) = given.error_between(&signed)?;
        let [weighted, even] = one_light_input()?;
        let mut mended = vec![
            below(
                "sum of Student tails over the right side, largest where the latter is below one",
                seen.worst.0,
                seen.informative,
            ),
            below(
                "with q in χ and every third weight negative: Student tails over the right side, largest",
                seen.signed.0,
                seen.signed_cells,
            ),
            below(
                "with q in χ, weights (-1, 1/2), d = 100: Student tails over the right side",
                high / signed_bound(&given, &signed)?,
                1,
            ),
        ];
        let four = families.iter().skip(8).filter(|f| f.rows.nrows() == 4);
        for (name, family) in ["normalised outputs", "outputs of random lengths"].iter().zip(four) {
            mended.extend(simulated(name, family, runs, &mut stream)?);
        }
        mended.push(below("all the mass on one light input of 24: Student tails over the right side", weighted, 1));
        let evidence = Evidence::of(below(
            "a negative weight: error over the right side, weights (-1, 1/2), d = 100",
            low / given.chernoff_bound(&signed)?,
            1,
        ))
        .and(seen.normalised.none("χ = 1 for normalised outputs"))
        .misprint("χ = min_y 1[q(x) <u_f, u_y - u_f> ≤ 0]; for q ≥ 0, as in Eq. 2, it is the printed one", mended)
        .support(enough("cells whose right side is below one", seen.informative))
        .support(enough("such cells with weights of both signs", seen.signed_cells))
        .support(Finding::at_least("outputs with χ = 0 in the grid", HIDDEN, Estimate::exact(seen.hidden as f64)))
        .twin(below(
            "1/N in the place of p(x): Student tails of one light input that has all the mass over the right side",
            even,
            1,
        ))
        .twin(below("exponent -d in the place of -d/2", seen.doubled.0, seen.steeper));
        Ok(Checked::from(evidence).figure(figure()))
    }
}
