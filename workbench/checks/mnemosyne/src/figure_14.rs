//! Figure 14: numbers of temporal encoders.
//!
//! **Claims.** `mnemosyne/fig-14-left`: a modest increase of the number k of encoders improves the meta-training loss, and several
//! variants perform similarly. `mnemosyne/fig-14-right`: the two best variants, shown by themselves.
//!
//! The first is refuted if two or three encoders end no lower than one, or neighbours are apart by half of what a wrong discount changes; the
//! early roll-outs stand beside it. The second, if the two
//! that are best on one half of the trainings are not the best on the other half.

use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_optimizer::curves::SEEDS;

use super::meta_curves::{ALIKE, DATA, OPEN, PICTURE, Part, SCALED, again, between, figure, late, levels, table};
use crate::vocabulary::largest_of;

/// One encoder to twelve.
pub const DEPTHS: [&str; 6] = ["k-1", "k-2", "k-3", "k-4", "k-6", "k-12"];

/// Two encoders that remember nothing.
pub const FORGETFUL: &str = "no-memory";

const SHOWN: [(&str, &str); 6] =
    [("k-1", "k = 1"), ("k-2", "k = 2"), ("k-3", "k = 3"), ("k-4", "k = 4"), ("k-6", "k = 6"), ("k-12", "k = 12")];

/// Figure 14, left.
pub const LEFT: Check = Check {
    claim: "mnemosyne/fig-14-left",
    metric: "late log meta-loss, two and three encoders minus one; neighbours among two, three, four and six",
    against: "two or three encoders that end no lower than one; neighbours apart by half of what a wrong discount changes",
    protocol: &["MLPs on MNIST; one number of encoders beside the other, trained alike"],
    choices: &["k = 1, 2, 3, 4, 6, 12 with the same number of meta-steps", DATA],
    departures: &[SCALED, OPEN, PICTURE, "the values of k are ours"],
    settled: "two and three encoders minus one, late: some sixty trainings in place of twelve, by their own variances",
    run: left,
    ..Check::DEFAULT
};

fn left(s: &Sheet) -> Done {
    let lower = s.printed(Margin::ZERO).of("trainings").scaled_down();
    lower.at_most("log meta-loss, two encoders minus one, late", late(s, "k-2", "k-1")?);
    lower.at_most("log meta-loss, three encoders minus one, late", late(s, "k-3", "k-1")?);
    let early = between(s, ("k-2", Part::Early), ("k-1", Part::Early))?;
    let label = "log meta-loss, two encoders minus one, first five roll-outs";
    s.aside(Margin::ZERO).of("trainings").scaled_down().at_most(label, early);
    let alike = s.printed(ALIKE).of("trainings").scaled_down();
    alike.equals("log meta-loss, three encoders minus two, late", 0.0, late(s, "k-3", "k-2")?);
    alike.equals("log meta-loss, four encoders minus three, late", 0.0, late(s, "k-4", "k-3")?);
    alike.equals("log meta-loss, six encoders minus four, late", 0.0, late(s, "k-6", "k-4")?);

    let (lower, alike) = (s.twin(Margin::ZERO).of("trainings"), s.twin(ALIKE).of("trainings"));
    let untrained = between(s, ("k-2", Part::First), ("k-1", Part::Late))?;
    lower.at_most("two encoders in the first roll-out minus one, late", untrained);
    let label = "a cell without memory in the place of two encoders, minus one, late";
    lower.at_most(label, late(s, FORGETFUL, "k-1")?);
    let untrained = between(s, ("k-3", Part::Late), ("k-2", Part::First))?;
    alike.equals("three encoders late minus two in their first roll-out", 0.0, untrained);
    let label = "a cell without memory in the place of three encoders, minus two, late";
    alike.equals(label, 0.0, late(s, FORGETFUL, "k-2")?);
    again(s, &DEPTHS)?;
    s.table(table(s, "Numbers of encoders, late in training", &SHOWN)?);
    s.figure(figure(s, "One encoder starts late, and all depths end alike", &SHOWN)?);
    Ok(())
}

/// Figure 14, right.
pub const RIGHT: Check = Check {
    claim: "mnemosyne/fig-14-right",
    metric: "two numbers of encoders chosen on six trainings; on the other six, late log meta-loss of each of them minus that of each other number, the largest difference and the largest ends of the intervals",
    against: "a variant that was not chosen and ends lower on the trainings that did not choose",
    choices: &["k = 1, 2, 3, 4, 6, 12; trainings 1 to 6 choose, 7 to 12 test", DATA],
    departures: &[SCALED, OPEN, PICTURE, "the text does not say which two are the best"],
    settled: "which two the figure shows, which the text does not say; where all variants lie within two hundredths of each other, some hundred trainings to name the best two",
    run: right,
    ..Check::DEFAULT
};

fn right(s: &Sheet) -> Done {
    let mut ranks = Vec::new();
    for name in DEPTHS {
        let chooses = levels(s, name, Part::Late)?[..SEEDS as usize / 2].iter().sum::<f64>();
        ranks.push((chooses, name));
    }
    ranks.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ranks: Vec<&str> = ranks.into_iter().map(|(_, name)| name).collect();
    let label = "log meta-loss on the other trainings, worse of the chosen two minus best of the rest";
    s.printed(Margin::ZERO).of("trainings").scaled_down().at_most(label, ahead(s, &ranks[..2])?);
    let label = "a cell without memory as one of the two: the worse of them minus the best of the rest";
    s.twin(Margin::ZERO).of("trainings").at_most(label, ahead(s, &[ranks[0], FORGETFUL])?);
    let (one, two, all) = (ranks[0], ranks[1], ranks.join(", "));
    s.note(format!("chosen: {one} and {two}; the order on the first half is {all}"));
    again(s, &DEPTHS)?;
    let best: Vec<(&str, &str)> =
        ranks[..2].iter().filter_map(|name| SHOWN.into_iter().find(|(shown, _)| shown == name)).collect();
    s.figure(figure(s, "The two numbers of encoders that are best on half of the trainings", &best)?);
    Ok(())
}

/// On the second half: each of the chosen minus each other variant, the largest of these differences with the largest ends of their
/// intervals, so that none of them is picked by its value.
fn ahead(setting: &Setting, chosen: &[&str]) -> Result<Estimate, Failure> {
    let of =
        |name| -> Result<Vec<f64>, Failure> { Ok(levels(setting, name, Part::Late)?.split_off(SEEDS as usize / 2)) };
    let mut pairs = Vec::new();
    for one in chosen {
        for other in DEPTHS.iter().filter(|name| !chosen.contains(name)) {
            pairs.push(paired_difference(&of(one)?, &of(other)?)?);
        }
    }
    let first = pairs.first().ok_or("nothing chosen, or everything")?;
    let most = |of: fn(&Estimate) -> f64| largest_of(pairs.iter().map(of));
    Ok(Estimate::new(most(|p| p.value), most(|p| p.low), most(|p| p.high), first.n, first.confidence)?)
}
