//! Section 2, Data: a Zipf law over inputs, one right answer for each.
//!
//! **Claim** (`heavy-tailed/data-model`). Inputs follow p(x) ~ x^-alpha on [N] with alpha > 1, y = f_*(x) is deterministic, and the data
//! are T independent samples. The figures also use alpha = 1/2 and 1, which a finite N allows.
//!
//! A definition can fail in the program that stands for it. Only counts are ever needed of a data set, and they are drawn from their joint
//! law without a loop over samples: binomials down to rank T^(1/alpha), then inversion of the exact tail. Counts are held against the law
//! by a chi-square test with pooled tail, frequencies against x^-alpha by their slope, and the normaliser against known values of the zeta
//! function. Independent samples scatter: the variance of each count over the data sets is that of a binomial. Counts that fit an exponent
//! three percent smaller as well would say nothing, nor would counts that are as regular as rounded means.

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, mean, zeta_tail};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{ErrorCurve, Zipf, chi_square_fit};

use super::section_2_model::{CLASSES, P_VALUE, none, target};
use crate::vocabulary::{Largest, ROUNDING, largest_of, least_of};

const SLOPE: Margin =
    Margin::new("slope of frequencies", 0.01, "a law with another exponent in the second digit is another law");

const SCATTER: Margin = Margin::new(
    "scatter of counts",
    0.25,
    "a quarter; eighty variances of thirty data sets each leave the mean uncertain by a tenth",
);

/// Zeta at 3/2, 2 and 3, as tabulated.
const ZETA: [(f64, f64); 3] = [
    (1.5, 2.612_375_348_685_488),
    (2.0, std::f64::consts::PI * std::f64::consts::PI / 6.0),
    (3.0, 1.202_056_903_159_594_2),
];

/// Counts and frequencies of five laws.
#[derive(Clone, Debug)]
pub struct ZipfData {
    /// Samples T of a data set.
    pub samples: usize,
    /// Data sets from which a slope is taken.
    pub data_sets: usize,
    /// Ranks over which it is taken.
    pub ranks: usize,
    /// Wrong exponents of the first twin, as a share of the right ones.
    pub wrong: f64,
}

impl Default for ZipfData {
    fn default() -> ZipfData {
        ZipfData { samples: 1_000_000, data_sets: 30, ranks: 20, wrong: 0.97 }
    }
}

struct Seen {
    laws: Vec<Zipf>,
    p_values: Vec<f64>,
    wrong_p: Vec<f64>,
    curves: Vec<ErrorCurve>,
    shifted: ErrorCurve,
}

/// The same law with another exponent.
fn with_exponent(law: &Zipf, alpha: f64) -> Result<Zipf, Failure> {
    Ok(match law.n_inputs() {
        Some(n) => Zipf::new(alpha, n)?,
        None => Zipf::infinite(alpha)?.with_shift(law.shift())?,
    })
}

impl ZipfData {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let laws = vec![
            Zipf::new(0.5, 100)?,
            Zipf::new(1.0, 1000)?,
            Zipf::infinite(1.5)?,
            Zipf::infinite(2.0)?,
            Zipf::infinite(2.0)?.with_shift(3.0)?,
        ];
        let mut stream = setting.stream("counts")?;
        let (mut p_values, mut wrong_p) = (Vec::new(), Vec::new());
        for law in &laws {
            let counts = law.sample_counts(self.samples, &mut stream)?;
            p_values.push(chi_square_fit(&counts, law, 10.0)?.p_value);
            let wrong = with_exponent(law, self.wrong * law.alpha())?;
            wrong_p.push(chi_square_fit(&counts, &wrong, 10.0)?.p_value);
        }
        let curves = laws[..4].iter().map(|law| self.frequencies(law, &mut stream)).collect::<Result<Vec<_>, _>>()?;
        let shifted = Zipf::infinite(2.0)?.with_shift(1.0)?;
        let shifted = self.frequencies(&shifted, &mut setting.stream("counts, ranks from zero")?)?;
        Ok(Seen { laws, p_values, wrong_p, curves, shifted })
    }

    /// Frequency against rank, data sets as units.
    fn frequencies(&self, law: &Zipf, stream: &mut Stream) -> Result<ErrorCurve, Failure> {
        let mut rows = Array2::zeros((self.data_sets, self.ranks));
        for mut row in rows.rows_mut() {
            for (x, count) in law.sample_counts(self.samples, stream)?.seen {
                if let Some(frequency) = row.get_mut(x - 1) {
                    *frequency = count as f64 / self.samples as f64;
                }
            }
        }
        let ranks = (1..=self.ranks).map(|x| x as f64).collect();
        Ok(ErrorCurve::new(ranks, rows)?)
    }

    fn figure(&self, seen: &Seen) -> Figure {
        let mut panel = Panel::new(&format!("{:.0e} samples", self.samples as f64))
            .x_label("rank x")
            .y_label("frequency")
            .log_x()
            .log_y();
        for (k, (curve, law)) in seen.curves.iter().zip(&seen.laws).enumerate() {
            let exact = law.probabilities(self.ranks);
            panel = panel
                .points(&format!("α = {}", law.alpha()), curve.x(), &curve.means())
                .colour(k)
                .theory(if k == 0 { "p(x)" } else { "" }, curve.x(), &exact)
                .colour(k);
        }
        Figure::new("Drawn data follow their Zipf laws")
            .panel(panel.legend_below())
            .caption(&format!(
                "Dots: mean frequencies of {} data sets. Dashed, in the same colour: the probabilities. N = 100, 1000, ∞ and ∞.",
                self.data_sets
            ))
    }
}

/// Variance over the data sets of each count over `T p (1 - p)`; `of` is what is done with a count first.
fn scatter(seen: &Seen, samples: usize, of: impl Fn(f64, f64) -> f64) -> Result<Estimate, Failure> {
    let (total, mut quotients) = (samples as f64, Vec::new());
    for (curve, law) in seen.curves.iter().zip(&seen.laws) {
        for (column, p) in curve.runs().columns().into_iter().zip(law.probabilities(curve.x().len())) {
            let counts: Vec<f64> = column.iter().map(|f| of(f * total, total * p)).collect();
            let sets = counts.len() as f64;
            let middle = counts.iter().sum::<f64>() / sets;
            let square: f64 = counts.iter().map(|count| (count - middle).powi(2)).sum();
            quotients.push(square / (sets - 1.0) / (total * p * (1.0 - p)));
        }
    }
    Ok(mean(&quotients)?)
}

/// Largest relative error of the normaliser: against tabulated values, and of a finite law plus the tail against the whole.
fn normaliser() -> Result<f64, Failure> {
    let mut error = Largest::default();
    for (alpha, zeta) in ZETA {
        let whole = 1.0 / Zipf::infinite(alpha)?.constant();
        let parts = 1.0 / Zipf::new(alpha, 1_000_000_000)?.constant() + zeta_tail(alpha, 1_000_000_001);
        error.see((whole / zeta - 1.0).abs());
        error.see((parts / whole - 1.0).abs());
    }
    Ok(error.0)
}

impl TypedCheck for ZipfData {
    const CLAIM: &'static str = "heavy-tailed/data-model";
    const PLAN: Plan = Plan::new(
        "chi-square test of counts with pooled tail; slope of log frequency against log rank, data sets as units; variance of counts",
        "counts that the law does not explain, a slope that is not −α, a normaliser that is not ζ(α), a label that is not x mod M",
        &[P_VALUE, SLOPE, ROUNDING, SCATTER],
    )
    .protocol(&[
        "α = 1/2 and 1 on finite N, α = 3/2 and 2 on N = ∞, and α = 2 with x + 3 in place of x as in Figure 4",
        "a million samples",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let tests = seen.p_values.len();
        // Bonferroni's correction.
        let smallest = least_of(&seen.p_values) * tests as f64;
        let largest_wrong = largest_of(&seen.wrong_p);
        let mut boot = setting.stream("bootstrap, data")?;
        let mut evidence = Evidence::of(
            Finding::at_least(
                "smallest chi-square p-value of five laws, times five",
                P_VALUE,
                Estimate::exact(smallest),
            )
            .cases(tests)
            .unit("laws"),
        );
        for (curve, law) in seen.curves.iter().zip(&seen.laws) {
            let label = format!("log-log slope, α = {}", law.alpha());
            evidence =
                evidence.and(Finding::equals(label, -law.alpha(), SLOPE, curve.slope(&mut boot)?).unit("data sets"));
        }
        let scattered =
            |label: &str, quotients: Estimate| Finding::equals(label, 1.0, SCATTER, quotients).unit("counts");
        let label = "variance of counts over T p(1 − p), mean of ranks 1 to 20 and four laws";
        let evidence = evidence.and(scattered(label, scatter(&seen, self.samples, |count, _| count)?));
        let labels = target()?.labels(1000);
        let off = (1..=1000).zip(&labels).filter(|(x, y)| x % CLASSES != **y).count();
        let evidence = evidence
            .and(
                Finding::identity(
                    "normaliser against tabulated ζ(α), and N = 10⁹ plus the tail against it",
                    normaliser()?,
                    ROUNDING,
                )
                .cases(6),
            )
            .and(none("labels that differ from x mod 5, x up to 1000", off, 1000, "labels"))
            .twin(
                Finding::at_least(
                    "exponent 3 % too small: largest chi-square p-value",
                    P_VALUE,
                    Estimate::exact(largest_wrong),
                )
                .cases(tests)
                .unit("laws"),
            )
            .twin(scattered(
                "every other sample put where the law says: variance of counts over T p(1 − p)",
                scatter(&seen, self.samples, |count, expected| 0.5 * (count + expected).round())?,
            ))
            .twin(
                Finding::equals(
                    "ranks counted from zero, (x + 1)^-2: log-log slope",
                    -2.0,
                    SLOPE,
                    seen.shifted.slope(&mut boot)?,
                )
                .unit("data sets"),
            )
            .note("α > 1 is needed for N = ∞ only; at α ≤ 1 the law has a finite N");
        Ok(Checked::from(evidence).figure(self.figure(&seen)))
    }
}
