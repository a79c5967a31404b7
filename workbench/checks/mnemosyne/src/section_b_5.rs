//! B.5: deep temporal modules.
//!
//! **Claim** (`mnemosyne/depth-is-hard`). Very deep temporal modules are particularly hard to meta-train, as they need much more data;
//! more encoders bring no substantial gain under simple meta-training; so shallow ones were chosen.
//!
//! Very deep are twelve encoders; six stand beside them. Refuted by twelve that end as low as two; a second half of the training that helps
//! twelve encoders no more than two. What gain is substantial, the text does not say: half of what a wrong discount changes stands beside the
//! best deeper module.

use workbench_display::Table;
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};

use super::figure_14::{DEPTHS, FORGETFUL};
use super::meta_curves::{ALIKE, DATA, OPEN, PICTURE, Part, SCALED, again, best, kept, late, levels};
use super::optimizer_laboratory::table_of;

/// Shallow and deep, halfway and at the end.
pub const CHECK: Check = Check {
    claim: "mnemosyne/depth-is-hard",
    metric: "late log meta-loss: twelve encoders minus two; what the second half of the meta-steps changes, twelve minus two; two minus the best depth",
    against: "a deep module that ends as low; more meta-steps that help it no more",
    choices: &[
        "very deep is twelve encoders; more data as more meta-steps: after 300, by the roll-outs 11 to 15, and after all 600",
        DATA,
    ],
    departures: &[SCALED, OPEN, PICTURE],
    settled: "twelve, 24 and 48 encoders minus two, late, in cells without the norms and residuals that are our reading, and with them: twelve trainings",
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (printed, twin) = (s.printed(Margin::ZERO).of("trainings").scaled_down(), s.twin(Margin::ZERO).of("trainings"));
    printed.at_least("log meta-loss, twelve encoders minus two, late", late(s, "k-12", "k-2")?);
    let label = "log meta-loss, six encoders minus two, late";
    s.aside(Margin::ZERO).of("trainings").scaled_down().at_least(label, late(s, "k-6", "k-2")?);
    let label = "a cell without memory in the place of two encoders: twelve encoders minus it, late";
    twin.at_least(label, late(s, "k-12", FORGETFUL)?);

    let second_half = |before| -> Result<Estimate, Failure> {
        Ok(paired_difference(&gains(s, "k-12", Part::Half)?, &gains(s, "k-2", before)?)?)
    };
    let label = "change of the log meta-loss in the second half, twelve encoders minus two";
    printed.at_most(label, second_half(Part::Half)?);
    let label = "two encoders counted from their first roll-out: change, twelve minus two";
    twin.at_most(label, second_half(Part::First)?);

    let deeper = best(s, &["k-3", "k-4", "k-6", "k-12"])?;
    let label = "log meta-loss, two encoders minus the best deeper module, late";
    s.aside(ALIKE).of("trainings").scaled_down().at_most(label, late(s, "k-2", deeper)?);
    s.note(format!("the best module deeper than two is {deeper}"));
    again(s, &["k-2", "k-6", "k-12"])?;
    s.table(failures(s)?);
    Ok(())
}

/// What each training changes after a part of it.
fn gains(setting: &Setting, name: &str, before: Part) -> Result<Vec<f64>, Failure> {
    let (late, early) = (levels(setting, name, Part::Late)?, levels(setting, name, before)?);
    Ok(late.iter().zip(&early).map(|(late, early)| late - early).collect())
}

/// By depth: the loss, trainings that end no lower than their first roll-out, roll-outs given up.
fn failures(setting: &Setting) -> Result<Table, Failure> {
    let (kept, mut rows) = (kept(setting)?, Vec::new());
    for name in DEPTHS {
        let failed = gains(setting, name, Part::First)?.iter().filter(|gain| **gain >= 0.0).count() as f64;
        let lost = kept.get(name)?.iter().map(|curve| f64::from(curve.lost)).sum::<f64>();
        rows.push((name.replace("k-", ""), vec![mean(&levels(setting, name, Part::Late)?)?.value, failed, lost]));
    }
    Ok(table_of(&["encoders", "log meta-loss, late", "trainings that learn nothing", "roll-outs given up"], &rows)?
        .title("Trainings by depth")
        .caption("Twelve trainings each; one that learns nothing ends no lower than its first roll-out.")
        .digits(3))
}
