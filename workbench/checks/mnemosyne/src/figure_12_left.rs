//! Figure 12, left: the compact memory against attention over caches of several lengths.
//!
//! **Claim** (`mnemosyne/fig-12-left`). Meta-training curves of optimizers with regular attention improve as the cache grows; the linear
//! compact memory outperforms them.
//!
//! Against it: a loss that does not fall with the length of the cache, or a cache that ends as low as the compact memory. The cache that
//! is compared is the one that does best in these very trainings.

use workbench_ledger::{Check, Checked, Failure, Finding, Plan, Setting};

use super::section_b_1::{SIMILAR, lower, scaled_down};
use super::section_b_2_to_b_5::{
    AGAIN, DATA, OPEN, PICTURE, Part, SCALED, all_seeds, best, between, figure, late, table, trend, with_again,
};

/// The lengths of the cache.
const CACHES: [(f64, &str); 5] = [
    (1.0, "h-1"),
    (5.0, "h-5"),
    (20.0, "h-20"),
    (50.0, "h-50"),
    (100.0, "h-100"),
];

const SHOWN: [(&str, &str); 6] = [
    ("k-2", "compact memory"),
    ("h-1", "cache, h = 1"),
    ("h-5", "cache, h = 5"),
    ("h-20", "cache, h = 20"),
    ("h-50", "cache, h = 50"),
    ("h-100", "cache, h = 100"),
];

/// Five lengths, and the compact memory.
#[derive(Clone, Debug, Default)]
pub struct CacheLengths;

impl Check for CacheLengths {
    const CLAIM: &'static str = "mnemosyne/fig-12-left";
    const PLAN: Plan = Plan::new(
        "slope of the late log meta-loss in ln h, of each training; compact memory minus the best cache, late; cache of 100 minus cache of 20",
        "a loss that does not fall with h, or rises again by more than a tenth; a cache that ends as low as the compact memory",
        &[SIMILAR, AGAIN],
    )
    .protocol(&["h = 1, 5, 20, 50, 100 in a roll-out of 100 steps; two encoders", DATA])
    .departures(&[SCALED, OPEN, PICTURE])
    .rivals(&["exact softmax attention over the last h steps in the same cell; the best length by the loss that is tested, on the same trainings"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let names = CACHES.map(|(_, name)| name);
        let best = best(setting, &names, all_seeds())?;
        let mut sizes = CACHES.map(|(h, _)| h);
        sizes.rotate_right(1);
        let mixed: Vec<(f64, &str)> = sizes.into_iter().zip(names).collect();
        let slope = |label: &str, estimate| lower(label, estimate, "trainings");
        let untrained = between(setting, ("k-2", Part::First), (best, Part::Late))?;
        let findings: Vec<Finding> = vec![
            slope("slope of the log meta-loss in ln h, late", trend(setting, &CACHES)?),
            lower(
                "log meta-loss, compact memory minus the best cache, late",
                late(setting, "k-2", best)?,
                "trainings",
            ),
            Finding::at_most(
                "log meta-loss, cache of 100 minus cache of 20, late",
                SIMILAR,
                late(setting, "h-100", "h-20")?,
            )
            .unit("trainings"),
        ];
        let evidence = scaled_down(findings)?
            .twin(slope(
                "each length one place too far in the list: slope in ln h",
                trend(setting, &mixed)?,
            ))
            .twin(lower(
                "compact memory in its first roll-out minus the best cache, late",
                untrained,
                "trainings",
            ))
            .note(format!("the best cache is {best}"));
        let all = SHOWN.map(|(name, _)| name);
        Ok(Checked::from(with_again(setting, evidence, &all)?)
            .table(table(
                setting,
                "Caches and the compact memory, late in training",
                &SHOWN,
            )?)
            .figure(figure(
                setting,
                "Meta-training with a compact memory and with caches",
                &SHOWN,
            )?))
    }
}
