//! Appendix B.5, last sentence: exact counts.
//!
//! **Claim** (`heavy-tailed/batch-counts`). The effect of a batch can be approximated by counting how many times x was in it and setting
//! b p(x) of Eq. 45 to the exact count, which will lead to a tighter approximation.
//!
//! The distance of the printed map from the coefficients of descent, with exact minus with expected counts, paired over runs, for batches of
//! 1, 10, 100 and 1000 after 20,000 samples, at d/N = 30. With many more samples counts approach b p(x) T/b, the gain must vanish, and
//! what remains is the bias of the map; after 400,000 samples exact counts may not be looser by more than a hundredth. Expected counts that
//! are nearer at any batch size count against the claim.

use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{BatchSize, Gradient, Ideal, Method, Parametrization, TrainingTask};

use super::equation_45::{Expected, SIZES, Trial};
use super::section_3_gradient::{CLASSES, descended, drawn, over_runs, own, relative, task};
use crate::vocabulary::by_scale;

const LOOSER: Margin = Margin::new(
    "looser",
    0.01,
    "a hundredth of the coefficients: the map itself is off by a fifth, so nobody would call the fit looser",
);

const DIM: usize = 3000;
/// Samples where counts are noisy, and where they no longer are.
const FEW: usize = 20_000;
const MANY: usize = 400_000;
const MIDDLE: usize = 1;

/// Exact against expected counts.
#[derive(Clone, Debug, Default)]
pub struct ExactCounts {
    /// Runs with few samples; by scale if 0.
    pub runs: usize,
}

/// The printed map with counts that are drawn anew: distance of a map that has exact counts of other data.
fn of_other_data(task: &TrainingTask, b: usize, data: &Stream, other: &Stream) -> Result<f64, Failure> {
    let method = Method::sgd(1.0)?.batch(BatchSize::Samples(b));
    let q = descended(task, &method, FEW / b, data)?.on_stored_pairs()?.0.to_vec();
    let method = method.gradient(Gradient::Ideal(Ideal::printed(CLASSES)));
    Ok(relative(&own(&descended(task, &method, FEW / b, other)?), &q))
}

#[derive(Default)]
struct Seen {
    few: [Vec<Trial>; 4],
    many: Vec<Trial>,
    /// Distance with the counts of other data minus that with expected counts, b = 10.
    other: Vec<f64>,
}

impl ExactCounts {
    fn look(&self, setting: &Setting) -> Result<Seen, Failure> {
        let expected = |b| Expected::new(1.0, b, FEW);
        let by_size = [expected(1)?, expected(10)?, expected(100)?, expected(1000)?];
        let long = Expected::new(1.0, 10, MANY)?;
        let (runs, long_runs) =
            (by_scale(self.runs, setting.scale().pick(40, 100)), setting.scale().pick(10, 30) as usize);
        let mut seen = Seen::default();
        for i in 0..runs {
            let raw = drawn(DIM, &mut setting.streams().replicate("counts, embeddings", i)?)?;
            let data = setting.streams().replicate("counts, data", i)?;
            let other = setting.streams().replicate("counts, other data", i)?;
            let task = task(&raw, Parametrization::Unit, DIM)?;
            for (j, b) in SIZES.into_iter().enumerate() {
                seen.few[j].push(Trial::new(&task, 1.0, b, FEW, &data, &by_size[j])?);
            }
            let with_other = of_other_data(&task, SIZES[MIDDLE], &data, &other)?;
            let expected = seen.few[MIDDLE].last().map_or(0.0, |trial| trial.printed[1]);
            seen.other.push(with_other - expected);
            if i < long_runs {
                seen.many.push(Trial::new(&task, 1.0, 10, MANY, &data, &long)?);
            }
        }
        Ok(seen)
    }
}

/// Distance with exact minus with expected counts.
fn gain(trials: &[Trial], of: fn(&Trial) -> [f64; 2]) -> Result<Estimate, Failure> {
    over_runs(trials, |trial| of(trial)[0] - of(trial)[1])
}

fn table(seen: &Seen) -> Result<Table, Failure> {
    let (mut b, mut total) = (SIZES.map(|b| b as i64).to_vec(), vec![FEW as i64; 4]);
    b.push(10);
    total.push(MANY as i64);
    let (mut printed, mut changed) = (Vec::new(), Vec::new());
    for trials in seen.few.iter().chain([&seen.many]) {
        printed.push(gain(trials, |t| t.printed)?.value);
        changed.push(gain(trials, |t| t.changed)?.value);
    }
    let list =
        vec![("b", b.into()), ("T", total.into()), ("printed map", printed.into()), ("changed map", changed.into())];
    Ok(Table::new(columns(list)?)
        .title("What exact counts gain: distance with exact minus with expected counts")
        .caption("Negative: exact counts are tighter. Unit inputs, d/N = 30, γ = 1. Changed: M − 1 and M/(M − 1) for M and 1.")
        .digits(2))
}

impl TypedCheck for ExactCounts {
    const CLAIM: &'static str = "heavy-tailed/batch-counts";
    const PLAN: Plan = Plan::new(
        "relative distance from the coefficients of descent, with exact minus with expected counts, paired over runs",
        "expected counts that are nearer at a batch size; after many samples, nearer by more than a hundredth",
        &[LOOSER],
    )
    .protocol(&["N = 100, M = 5, alpha = 2, Eq. 45 as printed, batches summed as in Eq. 44"])
    .departures(&["unit inputs, d = 3000 and rate one are ours; the document names no amount of data, so two are run"])
    .rivals(&["b p(x), the expected count, on the same data"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.look(setting)?;
        let tighter = |label: String, gain: Estimate| Finding::at_most(label, 0.0, gain).unit("runs");
        let mut findings = Vec::new();
        for j in [3, 2, 1, 0] {
            let label = format!("b = {}, T = 20,000: distance with exact minus with expected counts", SIZES[j]);
            findings.push(tighter(label, gain(&seen.few[j], |t| t.printed)?));
        }
        findings.push(
            Finding::at_most(
                "b = 10, T = 400,000: distance with exact minus with expected counts",
                LOOSER,
                gain(&seen.many, |t| t.printed)?,
            )
            .unit("runs"),
        );
        let evidence = Evidence::from(findings.remove(0));
        let evidence = findings.into_iter().fold(evidence, Evidence::and).twin(tighter(
            "exact counts of other data, b = 10, T = 20,000: minus expected counts".to_string(),
            over_runs(&seen.other, |gain| *gain)?,
        ));
        Ok(Checked::from(evidence).table(table(&seen)?))
    }
}
