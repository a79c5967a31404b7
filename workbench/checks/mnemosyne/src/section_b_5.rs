//! B.5: deep temporal modules.
//!
//! **Claim** (`mnemosyne/depth-is-hard`). Very deep temporal modules are particularly hard to meta-train, as they need much more data;
//! more encoders bring no substantial gain under simple meta-training; so shallow ones were chosen.
//!
//! Against it: six or twelve encoders that end as low as two; a second half of the training that helps twelve encoders no more than
//! two; a depth that ends more than a tenth below two encoders.

use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};

use super::figure_14::{DEPTHS, FORGETFUL};
use super::section_b_1::{SIMILAR, lower, scaled_down};
use super::section_b_2_to_b_5::{
    AGAIN, DATA, OPEN, PICTURE, Part, SCALED, all_seeds, best, between, kept, late, levels, with_again,
};

/// Shallow and deep, halfway and at the end.
#[derive(Clone, Debug, Default)]
pub struct Deep;

/// What the second half of each training changes.
fn gains(setting: &Setting, name: &str, before: Part) -> Result<Vec<f64>, Failure> {
    let (late, early) = (levels(setting, name, Part::Late)?, levels(setting, name, before)?);
    Ok(late.iter().zip(&early).map(|(late, early)| late - early).collect())
}

fn interaction(setting: &Setting) -> Result<Estimate, Failure> {
    Ok(paired_difference(&gains(setting, "k-12", Part::Half)?, &gains(setting, "k-2", Part::Half)?)?)
}

/// By depth: the loss, trainings that end no lower than their first roll-out, roll-outs given up.
fn failures(setting: &Setting) -> Result<Table, Failure> {
    let kept = kept(setting)?;
    let (mut loss, mut failed, mut lost) = (Vec::new(), Vec::new(), Vec::new());
    for name in DEPTHS {
        let (first, last) = (levels(setting, name, Part::First)?, levels(setting, name, Part::Late)?);
        loss.push(mean(&last)?.value);
        failed.push(first.iter().zip(&last).filter(|(first, last)| last >= first).count() as f64);
        lost.push(kept.get(name)?.iter().map(|curve| f64::from(curve.lost)).sum::<f64>());
    }
    Ok(Table::new(columns(vec![
        ("encoders", DEPTHS.map(|name| name.replace("k-", "")).to_vec().into()),
        ("log meta-loss, late", loss.into()),
        ("trainings that learn nothing", failed.into()),
        ("roll-outs given up", lost.into()),
    ])?)
    .title("Trainings by depth")
    .caption("Twelve trainings each; one that learns nothing ends no lower than its first roll-out.")
    .digits(3))
}

impl TypedCheck for Deep {
    const CLAIM: &'static str = "mnemosyne/depth-is-hard";
    const PLAN: Plan = Plan::new(
        "late log meta-loss: six and twelve encoders minus two; what the second half of the meta-steps changes, twelve minus two; two minus the best depth",
        "deep modules that end as low; more meta-steps that help them no more; a depth more than a tenth below two encoders",
        &[SIMILAR, AGAIN],
    )
    .protocol(&["more data as more meta-steps: after 300, by the roll-outs 11 to 15, and after all 600", DATA])
    .departures(&[SCALED, OPEN, PICTURE]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let harder = |label: &str, name| -> Result<Finding, Failure> {
            Ok(Finding::at_least(label, 0.0, late(setting, name, "k-2")?).unit("trainings"))
        };
        let deeper = best(setting, &["k-3", "k-4", "k-6", "k-12"], all_seeds())?;
        let from_start = gains(setting, "k-2", Part::First)?;
        let wrong = paired_difference(&gains(setting, "k-12", Part::Half)?, &from_start)?;
        let evidence = scaled_down(vec![
            harder("log meta-loss, six encoders minus two, late", "k-6")?,
            harder("log meta-loss, twelve encoders minus two, late", "k-12")?,
            lower(
                "change of the log meta-loss in the second half, twelve encoders minus two",
                interaction(setting)?,
                "trainings",
            ),
            Finding::at_most(
                "log meta-loss, two encoders minus the best deeper module, late",
                SIMILAR,
                late(setting, "k-2", deeper)?,
            )
            .unit("trainings"),
        ])?
        .twin(lower("two encoders counted from their first roll-out: change, twelve minus two", wrong, "trainings"))
        .twin(
            Finding::at_most(
                "two encoders in their first roll-out minus the best deeper module, late",
                SIMILAR,
                between(setting, ("k-2", Part::First), (deeper, Part::Late))?,
            )
            .unit("trainings"),
        )
        .twin(
            Finding::at_least(
                "a cell without memory in the place of two encoders: six encoders minus it, late",
                0.0,
                late(setting, "k-6", FORGETFUL)?,
            )
            .unit("trainings"),
        )
        .twin(
            Finding::at_most(
                "a cell without memory in the place of two encoders, minus the best deeper module, late",
                SIMILAR,
                late(setting, FORGETFUL, deeper)?,
            )
            .unit("trainings"),
        )
        .note(format!("the best module deeper than two is {deeper}"));
        Ok(Checked::from(with_again(setting, evidence, &["k-2", "k-6", "k-12"])?).table(failures(setting)?))
    }
}
