//! Figures 12 and 13: memformers beside Nesterov's method and momentum.
//!
//! **Claims** (Appendix B.3). `memformer/fig-12`, `memformer/fig-13`: on the same non-isotropic data the memformer of Eq. 3.4 converges faster
//! and reaches much better loss than Nesterov's method, and than momentum.
//!
//! The printed constants are far from the best, which is the fault of Appendices B.1 and B.2; so the memformer meets the printed pair, and
//! the best pair of a grid in the same metric on the same prompts. The memformer is that of Eq. 3.4 with Gamma tied, as in the experiments:
//! a number for all examples and one for the query in each layer, trained after A (Appendix D). One model of four layers is read after each
//! layer, as the rival with the pair that is best after four steps is read after each step. "Converges faster" is asked as it stands: in
//! as many layers the model's loss has to fall by more decades than the rival's, and it has to be ahead from two layers on. That it is behind the tuned rival after its first layer, which was trained for the answer after the fourth, stands beside
//! it, as do how much better, one number for all tokens, free Gamma, and D as standard deviations. Models of another rotation are the wrong
//! form.

use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{Averaging, Curve, Family, Score};

use super::other_rotations::Abroad;
use super::query_weights::{in_order, more_rotations, read_early, tied as tied_models};
use super::shared_optimum::optimum;
use super::trained_memformers::{
    FREE, LAYERS, Reading, TIED, TWICE, ahead, both_averages, colour, curve, field, gap_table, group,
};
use super::tuned_rivals::{Rival, as_printed, best, best_at, constant};

/// Figure 12.
pub const BESIDE_NESTEROV: Check =
    Check { claim: "memformer/fig-12", run: |s| beside(s, Family::Nesterov, "Nesterov", colour::NESTEROV), ..BESIDE };

/// Figure 13.
pub const BESIDE_MOMENTUM: Check =
    Check { claim: "memformer/fig-13", run: |s| beside(s, Family::Momentum, "momentum", colour::MOMENTUM), ..BESIDE };

const BESIDE: Check = Check {
    metric: "decades by which the logarithm of the mean loss on fresh prompts falls in four layers, less the rival's; decades between the two, paired run by run, layer by layer",
    against: "a rival, with the printed constants or with the best, whose loss falls by as many decades, or that is ahead after two layers or more",
    protocol: &[
        "set-up of Section 3.3, four layers",
        "Γ_j of (3.4), the same in all layers as in Section 3.3; A first, as a linear transformer, then Γ, as Appendix D has it",
    ],
    choices: &[
        "of Γ_j, which has a number for each token, those of all examples are taken as one beside that of the query",
        "a model of four layers is read after each; the rival that is read after each step has the constants that are best after four",
    ],
    departures: &[
        "20 rotations for the model that is read after each layer (10 at quick scale), five for all others",
        "Γ is fitted by least squares on prompts set aside (10,000 of each law, 2000 at quick scale), where the document trains by Adam",
        "beside the one model of four layers a model for each number of layers, with the best rival for each number of steps",
        "shown beside: one number for all tokens, trained by Adam; Γ free for each pair of layers; D as standard deviations, as in the public code, with A multiples of Σ⁻¹, trained once in white coordinates",
    ],
    rivals: &[
        "the printed pair of constants",
        "the best of 288 pairs after four steps, and at each number of steps, in the same metric on the same prompts",
    ],
    ..Check::DEFAULT
};

fn beside(s: &Sheet, family: Family, name: &str, colour_of_rival: usize) -> Done {
    s.see(match family {
        Family::Nesterov => "memformer/nag",
        Family::Momentum => "memformer/mgd",
    });
    let (at, wide) = (Reading::Variances, Reading::Deviations);
    let (free, tied, wide_tied) = (curve(s, at, &FREE)?, curve(s, at, &TIED)?, tied_models(s, wide)?);
    let rows = (1..=LAYERS).map(|layers| in_order(s, layers)).collect::<Result<Vec<_>, Failure>>()?;
    // At each number of steps.
    let tuned = (1..=LAYERS).map(|steps| best(s, family, steps)).collect::<Result<Vec<_>, Failure>>()?;
    let below_tuned = |of: &Curve, layer: usize| ahead(of, &tuned[layer - 1].curve, layer);
    let printed = as_printed(s, family, LAYERS)?;
    let (four, last) = (&rows[LAYERS - 1], &tuned[LAYERS - 1].curve);
    // Read after each of its layers, on more rotations.
    let (many, early) = (more_rotations(s)?, read_early(s, LAYERS)?);
    let on_many = |(rate, beta)| -> Result<Curve, Failure> { Ok(constant(&many, family, (rate, beta), LAYERS)?.curve) };
    let pair = |rival: &Rival| (rival.rate, rival.beta);
    let last_on_many = on_many(pair(&tuned[LAYERS - 1]))?;
    let (says, shown) = (s.printed(Margin::ZERO).of("runs"), s.aside(Margin::ZERO).of("runs"));
    let from_two_on = |layer: usize| if layer == 1 { shown } else { says };

    let label = format!("4 layers: tied Γ below {name} with the best constants, decades");
    says.at_least(label, ahead(four, last, LAYERS)?);
    let label = format!("in 4 layers: decades by which the loss falls, less those of {name} with the best constants");
    says.at_least(label, falls_faster(&early, &last_on_many)?);
    for layer in (1..LAYERS).rev() {
        let layers = after(layer);
        let label = format!("after {layer} of 4 layers: tied Γ below {name} with the constants that are best after 4");
        from_two_on(layer).at_least(label, ahead(&early, &last_on_many, layer)?);
        let label = format!("a model of {layers}: tied Γ below {name} with the best constants, decades");
        shown.at_least(label, below_tuned(&rows[layer - 1], layer)?);
        let label = format!("after {layer} of 4 layers: tied Γ below {name} with the best constants for so many steps");
        shown.at_least(label, ahead(&early, &on_many(pair(&tuned[layer - 1]))?, layer)?);
    }
    for (rival, along) in [(&printed[0], ""), (&printed[1], " along the gradient of the sum")] {
        let rival_on_many = on_many(pair(rival))?;
        let label = format!("in 4 layers: decades by which the loss falls, less those of {name} as printed{along}");
        says.at_least(label, falls_faster(&early, &rival_on_many)?);
        for layer in (1..=LAYERS).rev() {
            let label =
                format!("after {layer} of 4 layers: tied Γ below {name} with the printed constants{along}, decades");
            from_two_on(layer).at_least(label, ahead(&early, &rival_on_many, layer)?);
        }
    }
    // How much better: a factor of two is ours.
    let much = s.aside(TWICE).of("runs");
    let label = format!("4 layers, much better: tied Γ below {name} with the best constants");
    much.at_least(label, ahead(four, last, LAYERS)?);
    let label =
        format!("4 layers: the best shared numbers in place of Γ below {name} with the best constants, decades");
    much.at_least(label, below_tuned(&*optimum(s, at)?, LAYERS)?);
    for layer in (1..=LAYERS).rev() {
        let layers = after(layer);
        let label = format!("{layers}, one number for all tokens: below {name} with the best constants, decades");
        shown.at_least(label, below_tuned(&tied, layer)?);
        let label = format!("{layers}: free Γ below {name} with the best constants, decades");
        shown.at_least(label, below_tuned(&free, layer)?);
        let wide_best = best_at(s, wide, family, layer)?;
        let label = format!("D as standard deviations, {layers}: tied Γ below {name} at its best, decades");
        shown.at_least(label, ahead(wide_tied.row(layer), &wide_best.curve, layer)?);
        let label =
            format!("D as standard deviations, {layers}, one number for all tokens: below {name} at its best, decades");
        shown.at_least(label, ahead(wide_tied.numbers(layer), &wide_best.curve, layer)?);
    }

    let abroad = Abroad::of(group(s, at, &FREE)?.of_depth(LAYERS), &field(s, at)?.tests)?;
    let decades = last.decades(Score::Query, Averaging::LogOfMeans);
    let label = format!("4 layers, trained for another rotation: free Γ below {name} at its best");
    s.twin(Margin::ZERO).of("pairs").at_least(label, abroad.over_pairs(|law, loss| decades[[law, LAYERS]] - loss)?);

    let list: [(&str, &Curve, &Curve); 6] = [
        ("tied Γ, printed constants", four, &printed[0].curve),
        ("tied Γ, gradient of the sum", four, &printed[1].curve),
        ("tied Γ, best constants after 4", four, last),
        ("one number for all tokens, best constants after 4", &tied, last),
        ("free Γ, printed constants", &free, &printed[0].curve),
        ("free Γ, best constants after 4", &free, last),
    ];
    s.table(gap_table(&format!("Memformers, decades below {name}"), &list, LAYERS)?);
    let (as_printed, at_best) = (format!("{name}, printed"), format!("{name}, best after 4"));
    let series = [
        ("tied Γ, four layers", &**four, colour::ROW),
        ("one number for all tokens", &*tied, colour::TIED),
        ("free Γ", &*free, colour::FREE),
        (&as_printed, &printed[0].curve, colour_of_rival),
        (&at_best, last, colour::CONJUGATE),
    ];
    let title = "With the printed constants the rival has hardly begun";
    s.figure(both_averages(title, &series, LAYERS, "Fresh prompts."));
    Ok(())
}

/// Decades by which one loss falls from the start to the last layer, less those of the other, paired run by run.
fn falls_faster(model: &Curve, rival: &Curve) -> Result<Estimate, Failure> {
    let falls = |of: &Curve| {
        let decades = of.decades(Score::Query, Averaging::LogOfMeans);
        (&decades.column(0) - &decades.column(LAYERS)).to_vec()
    };
    Ok(paired_difference(&falls(model), &falls(rival))?)
}

fn after(layers: usize) -> String {
    format!("{layers} layer{}", if layers == 1 { "" } else { "s" })
}
