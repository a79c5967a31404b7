//! Figure 14: numbers of temporal encoders.
//!
//! **Claims.** `mnemosyne/fig-14-left`: a modest increase of the number k of encoders improves the meta-training loss, and several
//! variants perform similarly. `mnemosyne/fig-14-right`: the two best variants, shown by themselves.
//!
//! Against the first: two or three encoders that end no lower than one; neighbours more than a tenth apart. Against the second: the two
//! that are best on one half of the trainings are not the best on the other half.

use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::curves::SEEDS;

use super::section_b_1::{SIMILAR, lower, scaled_down};
use super::section_b_2_to_b_5::{
    AGAIN, DATA, OPEN, PICTURE, Part, SCALED, between, figure, late, levels, table, with_again,
};
use crate::vocabulary::largest_of;

/// One encoder to twelve.
pub const DEPTHS: [&str; 6] = ["k-1", "k-2", "k-3", "k-4", "k-6", "k-12"];

/// Two encoders that remember nothing.
pub const FORGETFUL: &str = "no-memory";

const SHOWN: [(&str, &str); 6] =
    [("k-1", "k = 1"), ("k-2", "k = 2"), ("k-3", "k = 3"), ("k-4", "k = 4"), ("k-6", "k = 6"), ("k-12", "k = 12")];

/// Figure 14, left.
#[derive(Clone, Debug, Default)]
pub struct Left;

impl TypedCheck for Left {
    const CLAIM: &'static str = "mnemosyne/fig-14-left";
    const PLAN: Plan = Plan::new(
        "late log meta-loss, two and three encoders minus one; neighbours among two, three, four and six",
        "two or three encoders that end no lower than one; neighbours more than a tenth apart",
        &[SIMILAR, AGAIN],
    )
    .protocol(&["k = 1, 2, 3, 4, 6, 12 with the same number of meta-steps", DATA])
    .departures(&[SCALED, OPEN, PICTURE, "the values of k are ours"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let gain = |label: &str, name| -> Result<Finding, Failure> {
            Ok(lower(label, late(setting, name, "k-1")?, "trainings"))
        };
        let alike = |label: &str, estimate| Finding::equals(label, 0.0, SIMILAR, estimate).unit("trainings");
        let evidence = scaled_down(vec![
            gain("log meta-loss, two encoders minus one, late", "k-2")?,
            gain("log meta-loss, three encoders minus one, late", "k-3")?,
            alike("log meta-loss, three encoders minus two, late", late(setting, "k-3", "k-2")?),
            alike("log meta-loss, four encoders minus three, late", late(setting, "k-4", "k-3")?),
            alike("log meta-loss, six encoders minus four, late", late(setting, "k-6", "k-4")?),
        ])?
        .twin(lower(
            "two encoders in the first roll-out minus one, late",
            between(setting, ("k-2", Part::First), ("k-1", Part::Late))?,
            "trainings",
        ))
        .twin(alike(
            "three encoders late minus two in their first roll-out",
            between(setting, ("k-3", Part::Late), ("k-2", Part::First))?,
        ))
        .twin(gain("a cell without memory in the place of two encoders, minus one, late", FORGETFUL)?)
        .twin(alike(
            "a cell without memory in the place of three encoders, minus two, late",
            late(setting, FORGETFUL, "k-2")?,
        ));
        Ok(Checked::from(with_again(setting, evidence, &DEPTHS)?)
            .table(table(setting, "Numbers of encoders, late in training", &SHOWN)?)
            .figure(figure(setting, "One encoder starts late, and all depths end alike", &SHOWN)?))
    }
}

/// Figure 14, right.
#[derive(Clone, Debug, Default)]
pub struct Right;

/// The variants from the lowest mean loss to the highest, on some of the trainings.
fn order(setting: &Setting, seeds: std::ops::Range<usize>) -> Result<Vec<&'static str>, Failure> {
    let mut all = Vec::new();
    for name in DEPTHS {
        let level = levels(setting, name, Part::Late)?[seeds.clone()].iter().sum::<f64>();
        all.push((level, name));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(all.into_iter().map(|(_, name)| name).collect())
}

/// On the second half: each of the chosen minus each other variant, the largest of these differences with the largest ends of their
/// intervals, so that none of them is picked by its value.
fn ahead(setting: &Setting, chosen: &[&'static str]) -> Result<Estimate, Failure> {
    let half = SEEDS as usize / 2..SEEDS as usize;
    let of =
        |name: &str| -> Result<Vec<f64>, Failure> { Ok(levels(setting, name, Part::Late)?[half.clone()].to_vec()) };
    let mut pairs = Vec::new();
    for one in chosen {
        for other in DEPTHS.iter().filter(|name| !chosen.contains(name)) {
            pairs.push(paired_difference(&of(one)?, &of(other)?)?);
        }
    }
    let first = *pairs.first().ok_or("nothing chosen, or everything")?;
    let most = |of: fn(&Estimate) -> f64| largest_of(pairs.iter().map(of));
    Ok(Estimate::new(
        most(|pair| pair.value),
        most(|pair| pair.low),
        most(|pair| pair.high),
        first.n,
        first.confidence,
    )?)
}

impl TypedCheck for Right {
    const CLAIM: &'static str = "mnemosyne/fig-14-right";
    const PLAN: Plan = Plan::new(
        "two numbers of encoders chosen on six trainings; on the other six, late log meta-loss of each of them minus that of each other number, the largest difference and the largest ends of the intervals",
        "a variant that was not chosen and ends lower on the trainings that did not choose",
        &[AGAIN],
    )
    .protocol(&["k = 1, 2, 3, 4, 6, 12; trainings 1 to 6 choose, 7 to 12 test", DATA])
    .departures(&[SCALED, OPEN, PICTURE, "the text does not say which two are the best"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let ranks = order(setting, 0..SEEDS as usize / 2)?;
        let finding = |label: &str, chosen: &[&'static str]| -> Result<Finding, Failure> {
            Ok(lower(label, ahead(setting, chosen)?, "trainings"))
        };
        let evidence = scaled_down(vec![finding(
            "log meta-loss on the other trainings, worse of the chosen two minus best of the rest",
            &ranks[..2],
        )?])?
        .twin(finding(
            "a cell without memory as one of the two: the worse of them minus the best of the rest",
            &[ranks[0], FORGETFUL],
        )?)
        .note(format!(
            "chosen: {} and {}; the order on the first half is {}",
            ranks[0],
            ranks[1],
            ranks.join(", ")
        ));
        let best: Vec<(&str, &str)> =
            ranks[..2].iter().filter_map(|name| SHOWN.into_iter().find(|(shown, _)| shown == name)).collect();
        Ok(Checked::from(with_again(setting, evidence, &DEPTHS)?).figure(figure(
            setting,
            "The two numbers of encoders that are best on half of the trainings",
            &best,
        )?))
    }
}
