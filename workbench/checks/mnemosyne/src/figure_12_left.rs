//! Figure 12, left: the compact memory against attention over caches of several lengths.
//!
//! **Claim** (`mnemosyne/fig-12-left`). Meta-training curves of optimizers with regular attention improve as the cache grows; the linear
//! compact memory outperforms them.
//!
//! Refuted by a length that is no better than the one before it, or a cache that ends as low as the compact memory. A slope over all
//! lengths would be won by the shortest alone, a cache of one being no memory, so neighbours are compared, and the slope stands beside
//! them. Each of the two encoders has a cache of its own keys and values, and those of the upper one were made from what the lower one had
//! read, so that an update feels 2h - 1 gradients: in a roll-out of 100 steps h = 50 and h = 100 see 99 of them and all, and are not told
//! apart. The cache that is compared with the compact memory is the one that does best in these very trainings; as a cache forgets nothing
//! before it overflows, the compact memory stands beside it without its discount too, which the document does not ask.

use workbench_ledger::{Check, Done, Margin, Sheet};

use super::meta_curves::{DATA, OPEN, PICTURE, Part, SCALED, again, best, between, figure, late, table, trend};

/// The lengths of the cache of each encoder: 1, 9, 39, 99 and all of 100 gradients.
const CACHES: [(f64, &str); 5] = [(1.0, "h-1"), (5.0, "h-5"), (20.0, "h-20"), (50.0, "h-50"), (100.0, "h-100")];

/// Those of them that do not see nearly the whole roll-out already.
const APART: usize = 4;

/// That two caches, one above the other, reach further than one.
const REACH: &str = "the cache holds the last h keys and values of each encoder, the document's the last h gradients: with two encoders an update feels 2h - 1 of them, that is 1, 9, 39, 99 and all of 100, so that h = 100 is not compared with h = 50";

const SHOWN: [(&str, &str); 6] = [
    ("k-2", "compact memory"),
    ("h-1", "cache, h = 1"),
    ("h-5", "cache, h = 5"),
    ("h-20", "cache, h = 20"),
    ("h-50", "cache, h = 50"),
    ("h-100", "cache, h = 100"),
];

/// Five lengths, and the compact memory.
pub const CHECK: Check = Check {
    claim: "mnemosyne/fig-12-left",
    metric: "late log meta-loss, each cache minus the next shorter one; compact memory minus the best cache; beside them the slope in ln h, of each training",
    against: "a cache that ends no lower than the next shorter one; a cache that ends as low as the compact memory",
    protocol: &["two encoders, roll-outs of 100 steps, caches up to h = 100"],
    choices: &[
        "h = 1, 5, 20, 50, 100, for each encoder a cache of its own",
        DATA,
        "every scale and seed reads the same kept curves: what is repeated are the twelve trainings",
    ],
    departures: &[SCALED, OPEN, PICTURE, REACH],
    settled: "caches of 20 and 50 gradients, both encoders worked out anew from the last h: the one undecided comparison is of 39 with 99 gradients, by a departure of ours; some fifty trainings of it, by their own variances, or roll-outs of 1,000 steps, where more than 39 gradients bind",
    rivals: &[
        "exact softmax attention of each encoder over its last h keys and values in the same cell; the best length by the loss that is tested, on the same trainings; it has no discount, so the compact memory runs with tau = 0.1 and with none",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let best = best(s, &CACHES.map(|(_, name)| name))?;
    let lower = s.printed(Margin::ZERO).of("trainings").scaled_down();
    for pair in CACHES[..APART].windows(2) {
        let [(short, before), (long, after)] = [pair[0], pair[1]];
        let label = format!("log meta-loss, cache of {long} minus cache of {short}, late");
        lower.at_most(label, late(s, after, before)?);
    }
    lower.at_most("log meta-loss, compact memory minus the best cache, late", late(s, "k-2", best)?);
    let label = "log meta-loss, compact memory without discount minus the best cache, late";
    let beside = s.aside(Margin::ZERO).of("trainings").scaled_down();
    beside.at_most(label, late(s, "tau-0", best)?);
    beside.at_most("slope of the log meta-loss in ln h, late", trend(s, &CACHES)?);

    let twin = s.twin(Margin::ZERO).of("trainings");
    let mut mixed = CACHES;
    (0..CACHES.len()).for_each(|i| mixed[(i + 1) % CACHES.len()].0 = CACHES[i].0);
    twin.at_most("each length one place too far in the list: slope in ln h", trend(s, &mixed)?);
    let label = "no memory in the place of the compact one: minus the best cache, late";
    twin.at_most(label, late(s, "no-memory", best)?);
    let untrained = between(s, ("k-2", Part::First), (best, Part::Late))?;
    twin.at_most("compact memory in its first roll-out minus the best cache, late", untrained);
    s.note(format!("the best cache is {best}"));
    again(s, &SHOWN.map(|(name, _)| name))?;
    s.table(table(s, "Caches and the compact memory, late in training", &SHOWN)?);
    s.figure(figure(s, "Caches of five lengths and the compact memory in meta-training", &SHOWN)?);
    Ok(())
}
