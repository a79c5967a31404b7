//! Section 3.3: the special case in which all layers share the weights of registers.
//!
//! **Claim** (`memformer/gamma-shared`). In the experiments Gamma_j^l = Gamma_j for all l, each layer j having a Gamma_j of its own.
//!
//! What it computes follows: register j enters once in every later layer, so that the weights of Eq. 1.1 are -(k + 1 - j) Gamma_j, and the
//! labels are those of one memory with alpha_l = Gamma_l and gamma_l = Gamma_{l-1} / Gamma_l, which for equal Gamma is momentum with the
//! coefficient one. Exact, in fractions, and with another A_j in each layer too, where the weights are -(k + 1 - j) Gamma_j A_j^T: the
//! matrix is that of the layer whose gradient it is, not that of the layer that adds it. What sharing costs is measured on trained models.
//!
//! Gamma_j is a matrix, and its last column is the query's own: with the numbers q_j there the answer is sum_j (L - j) q_j <x, A_j grad R(w_j)>
//! up to its sign, where the w_j follow from the entries of the examples alone.

use ndarray::{Array1, Array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, Layer, Lfom, LinearTransformer, Number, SingleMemory, Weight, fraction_matrix, identity,
};

use super::exact::{Tally, dot, part, whole};
use super::section_3_3_training::{FREE, LAYERS, Reading, TIED, TWICE, ahead, curve, gap_table};
use crate::vocabulary::{EXACT, by_scale};

/// The special case in fractions, and its cost.
#[derive(Clone, Debug, Default)]
pub struct SharedGamma {
    /// Prompts; by scale if 0.
    pub prompts: usize,
}

#[derive(Default)]
struct Seen {
    sums: Tally,
    once: Tally,
    late: Tally,
    memory: Tally,
    forgetful: Tally,
    /// With another full A_j in each layer: its own transpose, that of the later layer, and not transposed.
    own: Tally,
    later: Tally,
    untransposed: Tally,
    /// Entries of its own for the query: these, and those of the examples in their place.
    query: Tally,
    of_examples: Tally,
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

impl SharedGamma {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("shared Γ")?;
        let mut seen = Seen::default();
        let gamma = [part(1, 7), part(1, 5), part(2, 5), part(1, 3)];
        let query = [part(1, 2), part(-1, 3), part(3, 4), part(2, 7)];
        for case in 0..by_scale(self.prompts, setting.scale().pick(6, 20)) {
            let prompt = Instance::draw(&mut stream, 2 + case % 2, 4)?;
            let d = prompt.dim();
            let (f, found) = (prompt.quadratic(), label(&prompt, (&gamma, &gamma), &vec![identity(d); LAYERS])?);
            let weights = |count: fn(usize, usize) -> usize| -> Result<bool, Failure> {
                let weight = |k, j: usize| gamma[j].times(&whole(-(count(k, j) as i64)));
                let rows = (0..LAYERS).map(|k| (0..=k).map(|j| weight(k, j)).collect());
                let run = Lfom::scalars(rows.collect())?.run(&f, &f.origin())?;
                Ok(found != dot(&prompt.query(), &run.iterates[LAYERS])?)
            };
            seen.sums.see(weights(|k, j| k + 1 - j)?);
            seen.once.see(weights(|_, _| 1)?);
            seen.late.see(weights(|k, j| k + 2 - j)?);
            let memories = |kept: bool| -> Result<bool, Failure> {
                let ratio = |l: usize| match kept && l > 0 {
                    true => gamma[l - 1].over(&gamma[l]),
                    false => Some(whole(0)),
                };
                let ratios: Option<Vec<Fraction>> = (0..LAYERS).map(ratio).collect();
                let ratios = ratios.ok_or("a weight of zero")?;
                let run = SingleMemory::new(gamma.to_vec(), ratios)?.run(&f, &f.origin())?;
                Ok(found != dot(&prompt.query(), &run.iterates[LAYERS])?)
            };
            let a: Vec<Array2<Fraction>> = (0..LAYERS).map(|_| fraction_matrix(&mut stream, d, d)).collect();
            let found_full = label(&prompt, (&gamma, &gamma), &a)?;
            let full = |matrix: &dyn Fn(usize, usize) -> Array2<Fraction>| -> Result<bool, Failure> {
                let weight = |k: usize, j: usize| {
                    let factor = gamma[j].times(&whole(-((k + 1 - j) as i64)));
                    Weight::Full(matrix(k, j).mapv(|v| v.times(&factor)))
                };
                let rows = (0..LAYERS).map(|k| (0..=k).map(|j| weight(k, j)).collect());
                let run = Lfom::new(rows.collect())?.run(&f, &f.origin())?;
                Ok(found_full != dot(&prompt.query(), &run.iterates[LAYERS])?)
            };
            seen.own.see(full(&|_, j| a[j].t().to_owned())?);
            seen.later.see(full(&|k, _| a[k].t().to_owned())?);
            seen.untransposed.see(full(&|_, j| a[j].clone())?);
            let found_query = label(&prompt, (&gamma, &query), &a)?;
            // The iterates of the examples, then one last sum with the query's own numbers.
            let last = |entries: &[Fraction]| -> Result<bool, Failure> {
                let weight = |k: usize, j: usize| {
                    let number = if k + 1 == LAYERS { &entries[j] } else { &gamma[j] };
                    let factor = number.times(&whole(-((k + 1 - j) as i64)));
                    Weight::Full(a[j].t().mapv(|v| v.times(&factor)))
                };
                let rows = (0..LAYERS).map(|k| (0..=k).map(|j| weight(k, j)).collect());
                let run = Lfom::new(rows.collect())?.run(&f, &f.origin())?;
                Ok(found_query != dot(&prompt.query(), &run.iterates[LAYERS])?)
            };
            seen.query.see(last(&query)?);
            seen.of_examples.see(last(&gamma)?);
            seen.memory.see(memories(true)?);
            seen.forgetful.see(memories(false)?);
        }
        Ok(seen)
    }
}

impl TypedCheck for SharedGamma {
    const CLAIM: &'static str = "memformer/gamma-shared";
    const PLAN: Plan = Plan::new(
        "prompts whose answer differs, in fractions; decades between trained models on fresh prompts",
        "one prompt whose answer is not that of the weights worked out; a sharing that costs nothing would make the case no special one",
        &[EXACT, TWICE],
    )
    .protocol(&["trained models: set-up of Section 3.3, four layers, five rotations"])
    .departures(&["prompts in fractions have d = 2 or 3 and n = 4, so that equal means equal", "Gamma of the trained models are one number for all tokens; entries of its own for the query are in the fractions"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let at = Reading::Variances;
        let (free, tied) = (curve(setting, at, &FREE)?, curve(setting, at, &TIED)?);
        let evidence =
            Evidence::of(seen.sums.none("prompts whose answer is not that of the weights -(k + 1 - j) Γⱼ", "prompts"))
                .and(
                    seen.own
                        .none("another Aⱼ in each layer, weights with Γⱼ Aⱼᵀ: prompts whose answer differs", "prompts"),
                )
                .and(seen.query.none(
                    "entries of its own for the query: prompts whose answer is not the sum of (L - j) of them",
                    "prompts",
                ))
                .and(seen.memory.none(
                    "prompts whose answer is not that of one memory with Γ of the layer before over Γ of the layer",
                    "prompts",
                ))
                .and(
                    Finding::at_least("4 layers: free Γ below shared Γ, decades", TWICE, ahead(&free, &tied, LAYERS)?)
                        .unit("runs"),
                )
                .twin(seen.once.none("each register once: prompts whose answer differs", "prompts"))
                .twin(seen.late.none("each register once more: prompts whose answer differs", "prompts"))
                .twin(seen.later.none("Aₖ of the later layer for Aⱼ: prompts whose answer differs", "prompts"))
                .twin(seen.untransposed.none("Aⱼ not transposed: prompts whose answer differs", "prompts"))
                .twin(
                    seen.of_examples
                        .none("the examples' entries for the query's: prompts whose answer differs", "prompts"),
                )
                .twin(seen.forgetful.none("no memory: prompts whose answer differs", "prompts"));
        let rows: [(&str, &workbench_memformer::Curve, &workbench_memformer::Curve); 1] =
            [("free Γ below shared Γ", &free, &tied)];
        Ok(Checked::from(evidence).table(gap_table("What sharing costs", &rows, LAYERS)?))
    }
}
