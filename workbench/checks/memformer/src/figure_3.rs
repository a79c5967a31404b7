//! Figure 3: separate registers with trained weights.
//!
//! **Claim** (`memformer/fig-3`). The memformer of Eq. 3.4, with and without preconditioners, beside conjugate gradients, Nesterov's method
//! and momentum; the layer weights Gamma act as preconditioners and in practice improve performance further.
//!
//! In the experiments Gamma_j^l = Gamma_j for all l. Then w_{l+1} - w_l = (w_l - w_{l-1}) - Gamma_l A_l^T grad R(w_l): momentum with the
//! coefficient one, and a scalar Gamma_j stands only beside A_j. The sentence stands after Figure 2, so the model with one register is the
//! first rival, and the same model without registers the second. Beside them Gamma are trained or held at one, with A = I and with trained
//! A, each at one budget of steps. Eq. 3.4 prints more than numbers:
//! Gamma_j may hold entries of its own for the query, and with A = I a Gamma_j that is a matrix acts as a trained A_j does. Both are asked
//! too, the first on trained models and on models of short steps.

use ndarray::Array2;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{Architecture, Curve, Family, Parameters};

use super::query_weights::{fitted_to, in_reverse, tied as aligned_models, trained_first};
use super::shared_optimum::optimum;
use super::task_law::DIM;
use super::trained_memformers::{
    FREE, HELD, LAYERS, LINEAR, ONE, Reading, TIED, TIED_AT_IDENTITY, TIED_SCALARS, TWICE, ahead, both_averages,
    colour, curve, curve_of, field, gap_table, group,
};
use super::tuned_rivals::{as_printed, best_descent};

/// What the weights of separate registers bring.
pub const CHECK: Check = Check {
    claim: "memformer/fig-3",
    metric: "decades between logarithms of the mean loss on fresh prompts after four layers, paired run by run",
    against: "weights that make the trained model worse, or leave it as it is",
    protocol: &["set-up of Section 3.3, A first, then the weights; the same Γ_j in all layers; five rotations"],
    choices: &[
        "every model is trained for the same number of steps, in A alone, in the weights alone, or one after the other",
    ],
    departures: &[
        "Gamma are numbers, as Section 3.4 says of Figures 5 to 7, where nothing else is named; entries for the query, and matrices, are what Eq. 3.4 has beyond them",
        "entries for the query are the best ones on prompts set aside (1000 of each law, 10,000 in white coordinates), where the document trains by Adam: after A was trained beside Γ = 1, and \
         with A that are multiples of Σ⁻¹, trained once in white coordinates",
    ],
    rivals: &[
        "the model of Figure 2, with one register; the same model without registers, trained and at its best in closed form; with its weights held at one",
        "with A = I gradient descent with the best constant step, in the same metric on the same prompts",
        "Nesterov's method and momentum with the printed constants; with the best ones see Figures 12 and 13",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.condition(
        "trained Γ improve on Γ = 1 with A = I, and entries of its own for the query on one number where A was trained or is a multiple of \
         the inverse covariance; with one number for all tokens and trained A the model stays behind that of Figure 2, and behind itself \
         without registers",
    );
    let at = Reading::Variances;
    let prompts = field(s, at)?;
    let (linear, one, tied) = (curve(s, at, &LINEAR)?, curve(s, at, &ONE)?, curve(s, at, &TIED)?);
    let (held, free) = (curve(s, at, &HELD)?, curve(s, at, &FREE)?);
    let (plain, best) = (curve(s, at, &TIED_AT_IDENTITY)?, optimum(s, at)?);
    let [nag, mgd] = [as_printed(s, Family::Nesterov, LAYERS)?, as_printed(s, Family::Momentum, LAYERS)?];
    let [nag, mgd] = [&nag[0].curve, &mgd[0].curve];
    let step = &best_descent(s, at, LAYERS)?.curve;
    let gap = |a: &Curve, b: &Curve| ahead(a, b, LAYERS);
    let (improves, mended) = (s.printed(Margin::ZERO).of("runs"), s.changed(Margin::ZERO).of("runs"));
    let twice = s.aside(TWICE).of("runs");

    // One number for all tokens.
    improves.at_least("4 layers: tied Γ below the model of Figure 2, one register, decades", gap(&tied, &one)?);
    improves.at_least("4 layers: tied Γ below the same model without registers, decades", gap(&tied, &linear)?);
    improves.at_least("4 layers: tied Γ below printed Nesterov", gap(&tied, nag)?);
    let against_a_step = gap(&plain, step)?;
    let label = "4 layers, A = I: tied Γ below gradient descent with the best constant step, decades";
    improves.at_least(label, against_a_step);
    improves.at_least("4 layers: tied Γ below printed momentum", gap(&tied, mgd)?);
    let ones = vec![constant(&Array2::eye(DIM))?; prompts.laws.len()];
    let ones = curve_of(&ones, &prompts.tests)?;
    mended.at_least("4 layers, A = I: Γ trained below Γ = 1", gap(&plain, &ones)?);
    twice.equals("4 layers, A trained: Γ trained below Γ held at one", 0.0, gap(&tied, &held)?);
    twice.at_most("4 layers: free Γ below the best model without registers", gap(&free, &best)?);
    let mut turned = group(s, at, &TIED)?.of_depth(LAYERS);
    for model in &mut turned {
        model.registers_mut().iter_mut().for_each(|gamma| *gamma = -*gamma);
    }
    let label = "every Γ with the other sign: decades below printed Nesterov";
    s.twin(Margin::ZERO).of("runs").at_least(label, gap(&curve_of(&turned, &prompts.tests)?, nag)?);

    // Entries of its own for the query, and matrices.
    let entries = gap(&*trained_first(s, &HELD)?, &held)?;
    mended.at_least("4 layers, A trained first: entries of its own for the query below Γ = 1, decades", entries);
    twice.equals("4 layers, A trained first: what entries for the query then bring over Γ = 1", 0.0, entries);
    let label = "4 layers, A = I, tied Γ a matrix for each layer: below the best constant step";
    improves.at_least(label, gap(&held, step)?);
    let short_step = s.knob("short step, in multiples of the inverse covariance", 0.1, 0.0..=1.0)?;
    let short = prompts.laws.iter().map(|law| constant(&(short_step * law.truth_covariance())));
    let short = fitted_to(s, &prompts, &short.collect::<Result<Vec<_>, _>>()?)?;
    let label = "4 layers: short steps and weights for the query below the best model without registers";
    twice.equals(label, 0.0, gap(&short, &best)?);
    let aligned = aligned_models(s, at)?;
    let (query, numbers) = (aligned.query(LAYERS), aligned.numbers(LAYERS));
    let label = "4 layers, A multiples of Σ⁻¹: entries of its own for the query below one number, decades";
    mended.at_least(label, gap(query, numbers)?);
    let label = "4 layers, A multiples of Σ⁻¹, entries for the query: below the model of Figure 2, decades";
    s.aside(Margin::ZERO).of("runs").at_least(label, gap(query, &one)?);
    let label = "4 layers, A multiples of Σ⁻¹: with entries for the query below the best model without registers";
    twice.equals(label, 0.0, gap(query, &best)?);
    let label = "4 layers, A multiples of Σ⁻¹: entries for the query in reverse order, below one number";
    s.twin(Margin::ZERO).of("runs").at_least(label, gap(&in_reverse(s, &prompts)?, numbers)?);

    let cgd = &prompts.cgd;
    let rows: [(&str, &Curve, &Curve); 5] = [
        ("no registers, below conjugate gradients", &linear, cgd),
        ("one register, below conjugate gradients", &one, cgd),
        ("free Γ, below conjugate gradients", &free, cgd),
        ("tied Γ, below conjugate gradients", &tied, cgd),
        ("tied Γ, below printed Nesterov", &tied, nag),
    ];
    s.table(gap_table("Trained A, decades below", &rows, LAYERS)?);
    let series = [
        ("no registers", &*linear, colour::LINEAR),
        ("free Γ", &*free, colour::FREE),
        ("tied Γ", &*tied, colour::TIED),
        ("CGD", cgd, colour::CONJUGATE),
        ("Nesterov, printed", nag, colour::NESTEROV),
        ("momentum, printed", mgd, colour::MOMENTUM),
    ];
    let caption = "Trained A; free Γ and no registers lie on each other.";
    s.figure(both_averages("Free Γ change nothing, tied Γ cost", &series, LAYERS, caption));
    Ok(())
}

/// The tied model with A_j the same for all layers and Gamma = 1.
fn constant(a: &Array2<f64>) -> Result<Parameters, Failure> {
    let mut model = Parameters::neutral(Architecture::new(LAYERS, DIM)?.with_registers(TIED_SCALARS));
    for l in 0..LAYERS {
        model.set_a(l, a)?;
    }
    Ok(model)
}
