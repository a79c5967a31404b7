//! Figure 14: numbers of temporal encoders.
//!
//! **Claims.** `mnemosyne/fig-14-left`: a modest increase of the number k of encoders improves the meta-training loss, and several
//! variants perform similarly. `mnemosyne/fig-14-right`, not tested: the two best variants, shown by themselves.
//!
//! The first is refuted if two or three encoders end no lower than one. How near is similar, the text does not say; by half of what a wrong
//! discount changes even one encoder is alike two, so that neighbours, and the early roll-outs, stand beside it. The second says which curves
//! are drawn, and nothing of them.

use std::ops::Range;

use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::curves::SEEDS;

use super::meta_curves::{
    ALIKE, DATA, OPEN, PICTURE, Part, SCALED, again, between, figure, further, late, levels, table,
};

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
    against: "two or three encoders that end no lower than one",
    protocol: &["MLPs on MNIST; one number of encoders beside the other"],
    choices: &[
        "k = 1, 2, 3, 4, 6, 12 with the same number of meta-steps",
        DATA,
        "one, two and three encoders have ninety-six trainings more, as many as the variances of the twelve ask for; these alone decide",
    ],
    departures: &[SCALED, OPEN, PICTURE, "the values of k are ours"],
    run: left,
    ..Check::DEFAULT
};

fn left(s: &Sheet) -> Done {
    let lower = s.printed(Margin::ZERO).of("trainings").scaled_down();
    lower.at_most("log meta-loss, two encoders minus one, late", further(s, "k-2", "k-1", Part::Late)?);
    lower.at_most("log meta-loss, three encoders minus one, late", further(s, "k-3", "k-1", Part::Late)?);
    let aside = s.aside(Margin::ZERO).of("trainings").scaled_down();
    let label = "log meta-loss, two encoders minus one, first five roll-outs";
    aside.at_most(label, further(s, "k-2", "k-1", Part::Early)?);
    aside.at_most("the first twelve trainings alone, late: two encoders minus one", late(s, "k-2", "k-1")?);
    let alike = s.aside(ALIKE).of("trainings").scaled_down();
    alike.equals("log meta-loss, three encoders minus two, late", 0.0, further(s, "k-3", "k-2", Part::Late)?);
    alike.equals("log meta-loss, four encoders minus three, late", 0.0, late(s, "k-4", "k-3")?);
    alike.equals("log meta-loss, six encoders minus four, late", 0.0, late(s, "k-6", "k-4")?);

    let lower = s.twin(Margin::ZERO).of("trainings");
    let untrained = between(s, ("k-2", Part::First), ("k-1", Part::Late))?;
    lower.at_most("two encoders in the first roll-out minus one, late", untrained);
    let label = "a cell without memory in the place of two encoders, minus one, late";
    lower.at_most(label, late(s, FORGETFUL, "k-1")?);
    again(s, &DEPTHS)?;
    s.table(table(s, "Numbers of encoders, late in training", &SHOWN)?);
    s.figure(figure(s, "One encoder to twelve in meta-training", &SHOWN)?);
    Ok(())
}

/// Figure 14, right.
pub const RIGHT: Check = Check {
    claim: "mnemosyne/fig-14-right",
    metric: "late log meta-loss by the number of encoders, on six trainings and on the other six",
    against: "nothing that is printed",
    choices: &["k = 1, 2, 3, 4, 6, 12; trainings 1 to 6, and 7 to 12", DATA],
    departures: &[SCALED, OPEN, PICTURE, "the text does not say which two are shown"],
    run: right,
    ..Check::DEFAULT
};

fn right(s: &Sheet) -> Done {
    let half = SEEDS as usize / 2;
    let order = |part: Range<usize>| -> Result<Vec<&str>, Failure> {
        let mut ranks = Vec::new();
        for (name, label) in SHOWN {
            ranks.push((levels(s, name, Part::Late)?[part.clone()].iter().sum::<f64>(), label));
        }
        ranks.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(ranks.into_iter().map(|(_, label)| label).collect())
    };
    let (first, second) = (order(0..half)?, order(half..SEEDS as usize)?);
    s.not_tested(format!(
        "the panel shows two curves of the left one again, since several are similar, and nothing more is said of them, nor which they are; shown instead, scaled down, from the lowest late loss on: trainings 1 to 6 {}; 7 to 12 {}",
        first.join(", "),
        second.join(", ")
    ));
    let two: Vec<(&str, &str)> = SHOWN.into_iter().filter(|(_, label)| first[..2].contains(label)).collect();
    s.figure(figure(s, "The two numbers of encoders that are lowest on half of the trainings", &two)?);
    Ok(())
}
