//! The remark after Eq. 33: the term that the lower bound has dropped.
//!
//! **Claim** (`heavy-tailed/dropped-term-remark`). The lower bound drops the eta^2 ||q||^2 of the upper one; a tighter characterisation is
//! expected to have it, because random embeddings fill the sphere, so that most <u_k, u_y - u_f>^2 behave like eta^2 most of the time.
//!
//! For independent unit vectors the mean of <u_k, u_y - u_y'>^2 is 2/d exactly, so the noise energy of a comparison is on average g^2
//! (Q_y + Q_f) + (2/d)(||q||^2 - Q_y - Q_f). Measured is how large d q^2 must be for a probe to be recalled half of the time, with K
//! classes of energy one stored, K held fixed and d varying: more classes are more rivals too, so only a fixed K tells the term apart.
//! Refuted by a threshold that does not rise with ||q||^2/d = K/d, or squared pulls that leave eta^2 behind as d grows.
//!
//! The document gives no number to "behave like": along d it is a fixed ratio, of the mean, and of the median for "most of them most of the
//! time". How near to eta^2 they are in one dimension stands beside it: eta^2 is the largest of more pairs with more classes, and the ratio falls
//! like 1/ln M.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, mean, median, normal_array2, normal_cdf, normal_quantile, proportion};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{GivenOutputs, ProbeDraws};

use super::exponents::{FLAT, spread};

const PRESENT: Margin = Margin::statistical(
    "half of the term",
    0.5,
    "a set d q² ≤ Q∞ + ‖q‖²/d, without any logarithm, rises by one for each unit of ‖q‖²/d, and without the term by nothing; half of that",
);
const MOST: Margin = Margin::ours("most", 0.5, "more than half, of those that are near in our sense");
const NEAR: Margin =
    Margin::ours("near", 10.0, "within one order of magnitude to either side; the document gives no number");
const A_TWENTIETH: Margin = Margin::ours(
    "a twentieth",
    0.05,
    "a twentieth of the triples; twice the η² would change their share by three times as much",
);

/// Thresholds and pulls.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/dropped-term-remark",
    metric: "slope of the threshold d q^2 in ||q||^2/d at Q_inf = 1 and fixed K; mean and median squared pull of third classes over eta^2, along d",
    against: "a threshold that does not rise with ||q||^2/d; squared pulls that fall or rise beside eta^2 along d",
    protocol: &["random outputs"],
    choices: &[
        "equal energies; M = 48, d = 32 to 512 for the thresholds: the term is as large as Q_inf where d is near K",
        "K = 6 is drawn only: its loads end at 0.19, too near to each other for a coefficient to one",
        "pulls with M = 5, as in the document's experiments, and 48, d = 2^6 to 2^15; lost half of the time is the threshold",
    ],
    run,
    ..Check::DEFAULT
};

/// Classes; K of them have energy one.
const CLASSES: usize = 48;
/// Numbers K of stored classes.
const STORED: [usize; 3] = [6, 16, 48];
/// Classes of the document's experiments.
const FEW: usize = 5;
/// Dimension in which the pulls are looked at.
const PULLS_DIM: usize = 512;
/// A dimension in which third classes do not pull.
const NO_PULLS: usize = 1 << 40;

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("dropped term")?;
    let rows = thresholds(s, &mut stream)?;
    let (families, of_few) = s.scale().pick((240, 2000), (600, 8000));
    let pulls = Pulls::new(CLASSES, PULLS_DIM, families, &mut stream)?;
    let mut stream = s.stream("pulls, M = 5")?;
    let few = Pulls::new(FEW, PULLS_DIM, of_few, &mut stream)?;

    for (stored, rows) in STORED.iter().zip(&rows).skip(1) {
        let label = format!("coefficient of ‖q‖²/d in the threshold, K = {stored}, d varying");
        s.printed(PRESENT).of("parts").at_least(label, coefficient(rows)?);
    }
    let by_few = along(FEW, of_few, &mut stream)?;
    let by_many = along(CLASSES, families, &mut s.stream("pulls along d, M = 48")?)?;
    let (flat, twin) = (s.printed(FLAT).over(ALONG.len(), "dimensions"), s.twin(FLAT).over(ALONG.len(), "dimensions"));
    for (m, [of_mean, of_median, not_squared]) in [(FEW, by_few), (CLASSES, by_many)] {
        let ratio = |what: &str| format!("{what} along d = 2^6 to 2^15, M = {m}: largest over smallest");
        flat.at_most(ratio("mean squared pull over mean η²"), of_mean);
        flat.at_most(ratio("median of the squared pull over its family's η²"), of_median);
        twin.at_most(ratio("η in place of η²: mean squared pull over mean η"), not_squared);
    }

    let most = s.aside(MOST).of("triples");
    most.at_least("share of the squared pulls within a factor 10 of η², M = 5", share_near(&few.over_coherence, 1.0)?);
    most.at_least("share of the squared pulls within a factor 10 of 2/d", share_near(&pulls.scaled, 2.0)?);
    let share = share_near(&pulls.over_coherence, 1.0)?;
    most.at_least("share of the squared pulls within a factor 10 of η², M = 48", share);
    let label = "the same share, M = 48, against (2/d) χ²₁ beside that η²: what ln M does";
    s.aside(A_TWENTIETH).of("triples").equals(label, pulls.normal_share(), share);
    let scaled = mean(&pulls.scaled)?;
    s.support(Margin::ZERO).of("triples").near("mean of <u_k, u_y - u_f>² times d", 2.0, scaled);

    let without = without_pulls(s, &mut s.stream("without pulls")?)?;
    let label = "no pulls of third classes: the same coefficient, K = 48";
    s.twin(PRESENT).of("parts").at_least(label, coefficient(&without)?);
    s.note(format!(
        "(2η)² with the coherence η of the family is {:.0} times the mean 2/d here, and the median \
         is {:.2} of the mean",
        2.0 * mean(&pulls.coherences)?.value,
        median(&pulls.scaled)?.value / 2.0
    ));
    s.figure(figure(&rows, &pulls)?);
    Ok(())
}

/// Squared pulls of third classes times d, and the squared coherences of the families times d.
#[derive(Default)]
struct Pulls {
    scaled: Vec<f64>,
    /// The same over the squared coherence of their own family.
    over_coherence: Vec<f64>,
    coherences: Vec<f64>,
}

impl Pulls {
    fn new(m: usize, d: usize, families: usize, stream: &mut Stream) -> Result<Pulls, Failure> {
        let mut pulls = Pulls::default();
        for _ in 0..families {
            let u = GivenOutputs::random(m, d, stream)?;
            // Triples without a common class.
            for i in 0..m / 3 {
                let pull = u.gram()[[3 * i, 3 * i + 1]] - u.gram()[[3 * i, 3 * i + 2]];
                pulls.scaled.push(pull.powi(2) * d as f64);
                pulls.over_coherence.push((pull / u.coherence()).powi(2));
            }
            pulls.coherences.push(u.coherence().powi(2) * d as f64);
        }
        Ok(pulls)
    }

    /// The share that is within a factor ten of eta^2 when the squared pull is 2/d times a chi^2 with one degree of freedom.
    fn normal_share(&self) -> f64 {
        let below = |x: f64| 2.0 * normal_cdf(x.sqrt()) - 1.0;
        let share = |square: &f64| below(0.5 * square * NEAR.value) - below(0.5 * square / NEAR.value);
        self.coherences.iter().map(share).sum::<f64>() / self.coherences.len() as f64
    }
}

/// Dimensions along which the pulls are compared with eta^2.
const ALONG: [usize; 4] = [1 << 6, 1 << 9, 1 << 12, 1 << 15];

/// Largest over smallest along d: of the mean squared pull over mean eta^2, of the median of each over its own, of the mean over mean eta.
fn along(m: usize, families: usize, stream: &mut Stream) -> Result<[f64; 3], Failure> {
    let [mut squared, mut medians, mut not_squared] = [const { Vec::new() }; 3];
    for d in ALONG {
        let pulls = Pulls::new(m, d, families, stream)?;
        let (pull, d) = (mean(&pulls.scaled)?.value, d as f64);
        let etas: Vec<f64> = pulls.coherences.iter().map(|square| (square / d).sqrt()).collect();
        squared.push(pull / mean(&pulls.coherences)?.value);
        medians.push(median(&pulls.over_coherence)?.value);
        not_squared.push(pull / d / mean(&etas)?.value);
    }
    Ok([spread(&squared), spread(&medians), spread(&not_squared)])
}

/// The share of values within a factor ten of `of`.
fn share_near(values: &[f64], of: f64) -> Result<Estimate, Failure> {
    let near = values.iter().filter(|value| **value > of / NEAR.value && **value < of * NEAR.value).count();
    Ok(proportion(near, values.len())?)
}

/// For each K, along d: the load ||q||^2/d, and the threshold d q^2 in each part of the draws.
type Thresholds = Vec<(f64, Vec<f64>)>;
/// Dimensions of the thresholds.
const THRESHOLD_DIMS: [usize; 4] = [32, 64, 128, 512];

/// How many parts, and draws in each.
fn parts(s: &Sheet) -> (usize, usize) {
    s.scale().pick((16, 60), (20, 120))
}

fn thresholds(s: &Sheet, stream: &mut Stream) -> Result<[Thresholds; 3], Failure> {
    let (parts, draws_each) = parts(s);
    let mut rows = [const { Vec::new() }; 3];
    for (stored, rows) in STORED.into_iter().zip(&mut rows) {
        let energy: Vec<f64> = (0..CLASSES).map(|y| if y < stored { 1.0 } else { 0.0 }).collect();
        for d in THRESHOLD_DIMS {
            let draws = ProbeDraws::new(&energy, 0, d, parts * draws_each, stream)?.split(parts)?;
            let threshold = |part: &ProbeDraws| Ok::<_, Failure>(d as f64 * part.weight_at(0.5)?.powi(2));
            rows.push((stored as f64 / d as f64, draws.iter().map(threshold).collect::<Result<_, _>>()?));
        }
    }
    Ok(rows)
}

/// The same for 48 stored classes whose outputs are those of a dimension without pulls, while the probe is as long as in d dimensions.
fn without_pulls(s: &Sheet, stream: &mut Stream) -> Result<Thresholds, Failure> {
    const LENGTHS: usize = 20;
    let (parts, draws_each) = parts(s);
    let mut rows = Vec::new();
    for d in THRESHOLD_DIMS {
        let draws = ProbeDraws::new(&[1.0; CLASSES], 0, NO_PULLS, parts * draws_each, stream)?.split(parts)?;
        let mut thresholds = Vec::new();
        for part in &draws {
            let probes = normal_array2(stream, LENGTHS, d);
            let lengths: Vec<f64> = probes.outer_iter().map(|e| (e.dot(&e) / NO_PULLS as f64).sqrt()).collect();
            let lost = |q: f64| lengths.iter().map(|length| part.failure(q * length)).sum::<f64>() / LENGTHS as f64;
            let (mut low, mut high) = (0.0, 100.0 / (d as f64).sqrt());
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                if lost(middle) > 0.5 { low = middle } else { high = middle }
            }
            thresholds.push(d as f64 * low * low);
        }
        rows.push((CLASSES as f64 / d as f64, thresholds));
    }
    Ok(rows)
}

/// By how much the threshold rises for each unit of ||q||^2/d: one slope of least squares, with an intercept, for each part of the draws.
fn coefficient(rows: &Thresholds) -> Result<Estimate, Failure> {
    let n = rows.len() as f64;
    let x = rows.iter().map(|(load, _)| load).sum::<f64>() / n;
    let square = rows.iter().map(|(load, _)| (load - x).powi(2)).sum::<f64>();
    let slope = |part: usize| {
        let y = rows.iter().map(|(_, thresholds)| thresholds[part]).sum::<f64>() / n;
        rows.iter().map(|(load, thresholds)| (load - x) * (thresholds[part] - y)).sum::<f64>() / square
    };
    Ok(mean(&(0..rows[0].1.len()).map(slope).collect::<Vec<f64>>())?)
}

fn figure(rows: &[Thresholds], pulls: &Pulls) -> Result<Figure, Failure> {
    let mut left =
        Panel::new("half of the probes are lost at").x_label("‖q‖² / d, with Q∞ = 1").y_label("threshold d q²");
    for (k, rows) in rows.iter().enumerate() {
        let x: Vec<f64> = rows.iter().map(|(load, _)| *load).collect();
        let found = rows.iter().map(|(_, thresholds)| mean(thresholds)).collect::<Result<Vec<Estimate>, _>>()?;
        let of = |end: fn(&Estimate) -> f64| found.iter().map(end).collect::<Vec<f64>>();
        left = left
            .line(&format!("K = {} stored classes", STORED[k]), &x, &of(|e| e.value))
            .colour(k)
            .band(&format!("99.9 % band, K = {}", STORED[k]), &x, &of(|e| e.low), &of(|e| e.high))
            .colour(k);
    }
    let mut sorted = pulls.scaled.clone();
    sorted.sort_by(f64::total_cmp);
    let share: Vec<f64> = (0..30).map(|i| (f64::from(i) + 0.5) / 30.0).collect();
    let quantiles: Vec<f64> = share.iter().map(|s| sorted[(s * sorted.len() as f64) as usize]).collect();
    let normal: Vec<f64> = share.iter().map(|s| 2.0 * normal_quantile(0.5 + 0.5 * s).powi(2)).collect();
    let right = Panel::new(&format!("squared pulls, d = {PULLS_DIM}, M = {CLASSES}"))
        .x_label("share of the triples")
        .y_label("squared pull, times d")
        .log_y()
        .y_limits(1e-4, 100.0)
        .points("seen", &share, &quantiles)
        .theory("2 χ²₁", &share, &normal)
        .hline("mean 2", 2.0)
        .hline("(2η)² d of the upper bound", 4.0 * mean(&pulls.coherences)?.value);
    Ok(Figure::new("The term that the lower bound dropped is there")
        .panel(left.legend_below())
        .panel(right.legend_below())
        .columns(2)
        .caption(
            "Left: the threshold rises with ‖q‖²/d at fixed Q∞, for each number of stored classes. Right: the squared pulls of third \
             classes have mean 2/d; the upper bound replaces them by (2η)², which is larger by a factor of the order of ln M.",
        ))
}
