//! Section 3.3: the special case in which all layers share the weights of registers.
//!
//! **Claim** (`memformer/gamma-shared`). In the experiments Gamma_j^l = Gamma_j for all l, each layer j having a Gamma_j of its own.
//!
//! A model that the experiments have trained is compared with Eq. 3.4, the Gamma_j of layer j in all later layers. What the special case
//! computes follows: register j enters once in every later layer, so that the weights of Eq. 1.1 are -(k + 1 - j) Gamma_j. The check stands
//! on it that the labels are those of one memory with alpha_l = Gamma_l and gamma_l = Gamma_{l-1} / Gamma_l, which for equal Gamma is
//! momentum with the coefficient one. Exact, in fractions, and with another A_j in each layer too, where the weights are -(k + 1 - j)
//! Gamma_j A_j^T: the matrix is that of the layer whose gradient it is, not that of the layer that adds it. What sharing costs trained
//! models is not claimed, and stands beside it.
//!
//! Gamma_j is a matrix, and its last column is the query's own: with the numbers q_j there the answer is sum_j (L - j) q_j <x, A_j grad
//! R(w_j)> up to its sign, where the w_j follow from the entries of the examples alone.

use ndarray::{Array1, Array2};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memformer::{
    Curve, Fraction, Instance, Layer, Lfom, LinearTransformer, Number, Prompts, SingleMemory, Weight, fraction_matrix,
    identity,
};

use super::exact::{dot, part, whole};
use super::task_law::EXAMPLES;
use super::trained_memformers::{FREE, LAYERS, Reading, TIED, TWICE, ahead, curve, field, gap_table, group};
use crate::vocabulary::{EXACT, ROUNDING};

/// The special case in fractions, and its cost.
pub const CHECK: Check = Check {
    claim: "memformer/gamma-shared",
    metric: "difference of two answers of a trained model, beside the larger of the answer and one; prompts whose answer differs, in fractions; decades between trained models on fresh prompts",
    against: "one prompt whose answer is not that of Eq. 3.4, or of the weights worked out",
    protocol: &["trained models: set-up of Section 3.3, four layers, five rotations"],
    departures: &[
        "prompts in fractions have d = 2 or 3 and n = 4, so that equal means equal",
        "Gamma of the trained models are one number for all tokens; entries of its own for the query are in the fractions",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    as_printed(s)?;
    in_fractions(s)?;
    let at = Reading::Variances;
    let (free, tied) = (curve(s, at, &FREE)?, curve(s, at, &TIED)?);
    s.aside(TWICE).of("runs").at_least("4 layers: free Γ below shared Γ, decades", ahead(&free, &tied, LAYERS)?);
    let rows: [(&str, &Curve, &Curve); 1] = [("free Γ below shared Γ", &free, &tied)];
    s.table(gap_table("What sharing costs", &rows, LAYERS)?);
    Ok(())
}

/// A tied model of the experiments against Eq. 3.4 with its Gamma_j in all layers; and with the newest Gamma for all registers.
fn as_printed(s: &Sheet) -> Done {
    let at = Reading::Variances;
    let model = &group(s, at, &TIED)?.of_depth(LAYERS)[0];
    let stack = (0..LAYERS).map(|l| Ok(Layer::restricted(&model.a(l)?.to_owned())?));
    let stack = stack.collect::<Result<Vec<_>, Failure>>()?;
    let row = |j: usize| Array1::from_elem(EXAMPLES + 1, model.registers()[j]);
    let own: Vec<Vec<_>> = (0..LAYERS).map(|l| (0..=l).map(row).collect()).collect();
    let newest: Vec<Vec<_>> = (0..LAYERS).map(|l| vec![row(l); l + 1]).collect();
    let own = LinearTransformer::with_rows(stack.clone(), &own)?;
    let newest = LinearTransformer::with_rows(stack, &newest)?;
    let mut stream = s.stream("tied model as printed")?;
    let prompts = Prompts::draw(&field(s, at)?.laws[0], EXAMPLES, 20, &mut stream)?;
    for b in s.each("prompts", 0..prompts.batch()) {
        let prompt = Instance::of_prompts(&prompts, b)?;
        let answer = prompt.query().dot(&model.run(&prompt.quadratic())?.iterates[LAYERS]);
        let off = |network: &LinearTransformer| -> Result<f64, Failure> {
            Ok((network.predict(&prompt.tokens)? - answer).abs() / answer.abs().max(1.0))
        };
        let label = "tied model of the experiments against (3.4) with Γⱼ in all layers, relative";
        s.printed(ROUNDING).same(label, off(&own)?);
        s.twin(ROUNDING).same("the newest Γ for all registers of a layer: difference, relative", off(&newest)?);
    }
    Ok(())
}

fn in_fractions(s: &Sheet) -> Done {
    let (printed, twin) = (s.printed(EXACT), s.twin(EXACT));
    let mut stream = s.stream("shared Γ")?;
    let gamma = [part(1, 7), part(1, 5), part(2, 5), part(1, 3)];
    let query = [part(1, 2), part(-1, 3), part(3, 4), part(2, 7)];
    for case in s.cases("prompts", 6, 20)? {
        let prompt = Instance::draw(&mut stream, 2 + case % 2, 4)?;
        let (d, f) = (prompt.dim(), prompt.quadratic());
        // The answer of Eq. 1.1 with these weights of gradient j in step k.
        let answer = |weight: &dyn Fn(usize, usize) -> Array2<Fraction>| -> Result<Fraction, Failure> {
            let rows = (0..LAYERS).map(|k| (0..=k).map(|j| Weight::Full(weight(k, j))).collect());
            dot(&prompt.query(), &Lfom::new(rows.collect())?.run(&f, &f.origin())?.iterates[LAYERS])
        };
        let times = |a: &Array2<Fraction>, number: &Fraction, count: usize| {
            let factor = number.times(&whole(-(count as i64)));
            a.mapv(|entry| entry.times(&factor))
        };

        // A = I.
        let eye = identity(d);
        let found = label(&prompt, (&gamma, &gamma), &vec![eye.clone(); LAYERS])?;
        let counted = |count: fn(usize, usize) -> usize| -> Result<bool, Failure> {
            Ok(found != answer(&|k, j| times(&eye, &gamma[j], count(k, j)))?)
        };
        printed.never("prompts whose answer is not that of the weights -(k + 1 - j) Γⱼ", counted(|k, j| k + 1 - j)?);
        twin.never("each register once: prompts whose answer differs", counted(|_, _| 1)?);
        twin.never("each register once more: prompts whose answer differs", counted(|k, j| k + 2 - j)?);
        let memory = |kept: bool| -> Result<bool, Failure> {
            let ratio = |l: usize| match kept && l > 0 {
                true => gamma[l - 1].over(&gamma[l]),
                false => Some(whole(0)),
            };
            let ratios = (0..LAYERS).map(ratio).collect::<Option<Vec<_>>>().ok_or("a weight of zero")?;
            let run = SingleMemory::new(gamma.to_vec(), ratios)?.run(&f, &f.origin())?;
            Ok(found != dot(&prompt.query(), &run.iterates[LAYERS])?)
        };
        let differs = "prompts whose answer is not that of one memory with Γ of the layer before over Γ of the layer";
        s.support(EXACT).never(differs, memory(true)?);
        twin.never("no memory: prompts whose answer differs", memory(false)?);

        // Another full A_j in each layer.
        let a: Vec<Array2<Fraction>> = (0..LAYERS).map(|_| fraction_matrix(&mut stream, d, d)).collect();
        let transposed: Vec<Array2<Fraction>> = a.iter().map(|a| a.t().to_owned()).collect();
        let found = label(&prompt, (&gamma, &gamma), &a)?;
        let own = answer(&|k, j| times(&transposed[j], &gamma[j], k + 1 - j))?;
        let later = answer(&|k, j| times(&transposed[k], &gamma[j], k + 1 - j))?;
        let untransposed = answer(&|k, j| times(&a[j], &gamma[j], k + 1 - j))?;
        printed.never("another Aⱼ in each layer, weights with Γⱼ Aⱼᵀ: prompts whose answer differs", found != own);
        twin.never("Aₖ of the later layer for Aⱼ: prompts whose answer differs", found != later);
        twin.never("Aⱼ not transposed: prompts whose answer differs", found != untransposed);

        // The iterates of the examples, then one last sum with the query's own numbers.
        let found = label(&prompt, (&gamma, &query), &a)?;
        let last = |entries: &[Fraction]| -> Result<bool, Failure> {
            let number = |k: usize, j: usize| if k + 1 == LAYERS { &entries[j] } else { &gamma[j] };
            Ok(found != answer(&|k, j| times(&transposed[j], number(k, j), k + 1 - j))?)
        };
        let differs = "entries of its own for the query: prompts whose answer is not the sum of (L - j) of them";
        printed.never(differs, last(&query)?);
        twin.never("the examples' entries for the query's: prompts whose answer differs", last(&gamma)?);
    }
    Ok(())
}

/// The label of the query after all layers, with the same weights in all of them and these A; `query` are the query's own entries.
fn label(
    prompt: &Instance<Fraction>,
    (gamma, query): (&[Fraction], &[Fraction]),
    a: &[Array2<Fraction>],
) -> Result<Fraction, Failure> {
    let (n, layers) = (prompt.tokens.ncols() - 1, gamma.len());
    let row = |j: usize| {
        let mut row = Array1::from_elem(n + 1, gamma[j].clone());
        row[n] = query[j].clone();
        row
    };
    let rows: Vec<Vec<_>> = (0..layers).map(|l| (0..=l).map(row).collect()).collect();
    let stack = a.iter().map(Layer::restricted).collect::<Result<Vec<_>, _>>()?;
    let network = LinearTransformer::with_rows(stack, &rows)?;
    Ok(network.predict(&prompt.tokens)?)
}
