//! Section 4.1: several heads in one register.
//!
//! **Claim** (`memformer/multi-head-register`). At every layer the attention outputs of all heads are summed in the one register R_l of Eq.
//! 3.1; heads with different preconditioners give several views of the data and help to adapt to varying covariance structure.
//!
//! With P and Q as in Eq. 2.8 and B = 0 a sum of heads is P Z M Z^T (sum_h Q^h) Z: one head with sum_h A^h. It is compared in fractions,
//! entry by entry. What a sum is worth otherwise follows from a rank: given a single example z a head moves the tokens by P z z^T Q, a
//! matrix of rank one, so a sum of rank r needs r heads.

use ndarray::{Array1, Array2};
use workbench_display::{Table, columns};
use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    Fraction, Instance, Layer, LayerMemory, LinearTransformer, Number, fraction_matrix, fraction_vector, rank,
    update_rank,
};

use super::exact::{part, whole};
use super::independent_runs::entries;
use crate::vocabulary::EXACT;

const TWO: Margin = Margin::printed("two heads", 2.0, "\"multiple views\": the sum is worth at least two heads");

/// Layers of the exact networks.
const LAYERS: usize = 2;
/// What heads may have of their own beside A, in the order of the ranks.
const KINDS: [&str; 6] =
    ["nothing (Eq. 2.8, B = 0)", "the corner of P", "B", "all of P and Q", "a tied Γ", "an untied Γ"];

/// Sums of two or three heads on prompts in fractions.
pub const CHECK: Check = Check {
    claim: "memformer/multi-head-register",
    metric: "entries of the states that differ, in fractions; rank of the update that one example causes",
    against: "heads that add up to something else than one head with the sum of their A; a sum of different A that is worth one head only",
    protocol: &["heads of Eq. 2.8 with B = 0 in one register, different A in each head"],
    choices: &["two layers, d = 2 or 3, n = 3, two or three heads, so that fractions stay short"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.condition(
        "summed heads are one head unless each has its own B, its own free P, or its own Γ that changes between layers",
    );
    let mut stream = s.stream("heads")?;
    // The most heads that a sum was worth, by kind; draws that happen to vanish are worth less.
    let mut most = [0.0f64; 6];
    for case in s.cases("prompts", 8, 24)? {
        let heads = 2 + case % 2;
        let case = Case::draw(&mut stream, heads, 3, heads)?;
        let mut corner = case.heads()?;
        for (l, of) in corner.iter_mut().enumerate() {
            for (h, head) in of.iter_mut().enumerate() {
                head.p_mut()[[case.dim(), case.dim()]] = case.own[l][h].clone();
            }
        }
        let worth = [
            update_rank(&case.heads()?[0], &case.z)?,
            update_rank(&corner[0], &case.z)?,
            update_rank(&case.blocks, &case.z)?,
            update_rank(&case.free, &case.z)?,
            case.directions(&case.own[0], &case.own[0]),
            case.directions(&case.own[0], &case.other),
        ];
        let worth = worth.map(|worth| worth as f64);
        most.iter_mut().zip(worth).for_each(|(most, worth)| *most = most.max(worth));
        let label = "heads of Eq. 2.8 with B = 0: heads that the sum is worth";
        s.printed(TWO).largest().at_least(label, worth[0]);
        let at_least_two = s.changed(TWO).largest();
        at_least_two.at_least("own B: heads that the sum is worth", worth[2]);
        at_least_two.at_least("free P and Q: heads that the sum is worth", worth[3]);
        at_least_two.at_least("own untied Γ: directions that register 0 adds at two layers", worth[5]);

        let constant = |c: Fraction| vec![vec![c; heads]; LAYERS];
        let shared = |l: usize, j: usize, _: usize| case.shared(l, j);
        let states = case.states(case.heads()?, shared)?;
        let label = "H heads against one with the sum of their A: entries of the states that differ";
        entries(s.printed(EXACT), label, &states, &case.states(case.one_head(&constant(whole(1)))?, shared)?);
        let averaged = case.states(case.one_head(&constant(part(1, heads as i64)))?, shared)?;
        s.twin(EXACT).never("the mean of A in place of the sum: prompts whose states differ", states != averaged);

        let one = case.one_head(&case.own)?;
        let states = case.states(case.heads()?, |_, j, h| case.own[j][h].clone())?;
        let label = "own tied Γ: entries that differ from one head with Σ Γ_j^h A_j^h";
        entries(s.changed(EXACT), label, &states, &case.states(one.clone(), |_, _, _| whole(1))?);
        let label = "own corners of P: entries that differ from one head with Σ p^h A^h";
        entries(s.changed(EXACT), label, &case.states(corner, shared)?, &case.states(one, shared)?);
    }
    let table = Table::new(columns(vec![
        ("what each head has of its own, beside A", KINDS.to_vec().into()),
        ("heads that a sum of three is worth", most.to_vec().into()),
    ])?);
    let caption = "For Γ: directions that the first register adds in two layers, two at most.";
    s.table(table.title("What summed heads are worth").caption(caption).digits(1));
    Ok(())
}

/// Numbers of one case.
struct Case {
    prompt: Instance<Fraction>,
    /// A of each layer and head.
    a: Vec<Vec<Array2<Fraction>>>,
    /// Gamma_0^0, Gamma_0^1, Gamma_1^1, shared by the heads.
    gamma: Vec<Fraction>,
    /// A number for each layer and head: a corner of P, or a Gamma.
    own: Vec<Vec<Fraction>>,
    z: Array1<Fraction>,
    blocks: Vec<Layer<Fraction>>,
    free: Vec<Layer<Fraction>>,
    /// A second number for each head of the first layer.
    other: Vec<Fraction>,
}

impl Case {
    fn draw(stream: &mut Stream, d: usize, n: usize, heads: usize) -> Result<Case, Failure> {
        let prompt = Instance::draw(stream, d, n)?;
        let a: Vec<Vec<_>> = (0..LAYERS).map(|_| (0..heads).map(|_| fraction_matrix(stream, d, d)).collect()).collect();
        let numbers = |stream: &mut Stream, count: usize| (0..count).map(|_| Fraction::draw(stream)).collect();
        let gamma = numbers(stream, 3);
        let own = (0..LAYERS).map(|_| numbers(stream, heads)).collect();
        let z = fraction_vector(stream, d + 1);
        let mut blocks = Vec::new();
        for a in &a[0] {
            blocks.push(Layer::with_block(a, &fraction_matrix(stream, d, d))?);
        }
        let mut free = Vec::new();
        for _ in 0..heads {
            let p = fraction_matrix(stream, d + 1, d + 1);
            free.push(Layer::new(p, fraction_matrix(stream, d + 1, d + 1))?);
        }
        Ok(Case { other: numbers(stream, heads), prompt, a, gamma, own, z, blocks, free })
    }

    fn dim(&self) -> usize {
        self.prompt.dim()
    }

    /// sum_h c_h A^h of a layer.
    fn sum(&self, layer: usize, weights: &[Fraction]) -> Array2<Fraction> {
        let zero = Array2::from_elem((self.dim(), self.dim()), whole(0));
        let heads = self.a[layer].iter().zip(weights);
        heads.fold(zero, |sum, (a, c)| Array2::from_shape_fn(sum.dim(), |at| sum[at].plus(&c.times(&a[at]))))
    }

    /// All heads as in Eq. 2.8.
    fn heads(&self) -> Result<Vec<Vec<Layer<Fraction>>>, Failure> {
        let mut layers = Vec::new();
        for of in &self.a {
            layers.push(of.iter().map(Layer::restricted).collect::<Result<Vec<_>, _>>()?);
        }
        Ok(layers)
    }

    /// One head with the sums of A, weighted by layer.
    fn one_head(&self, weights: &[Vec<Fraction>]) -> Result<Vec<Vec<Layer<Fraction>>>, Failure> {
        let layer = |l: usize| -> Result<_, Failure> { Ok(vec![Layer::restricted(&self.sum(l, &weights[l]))?]) };
        (0..LAYERS).map(layer).collect()
    }

    /// States of a network whose register j of head h has the constant weight `gamma(l, j, h)` in layer l.
    fn states(
        &self,
        layers: Vec<Vec<Layer<Fraction>>>,
        gamma: impl Fn(usize, usize, usize) -> Fraction,
    ) -> Result<Vec<Array2<Fraction>>, Failure> {
        let (d, n) = (self.dim(), self.prompt.examples());
        let full = |c: Fraction| Array2::from_elem((d + 1, n + 1), c);
        let of_register = |l: usize, j: usize| (0..layers[j].len()).map(|h| full(gamma(l, j, h))).collect();
        let gamma = (0..LAYERS).map(|l| (0..=l).map(|j| of_register(l, j)).collect()).collect();
        Ok(LinearTransformer::new(layers, LayerMemory::PerHead { gamma })?.forward(&self.prompt.tokens)?)
    }

    fn shared(&self, l: usize, j: usize) -> Fraction {
        self.gamma[l * (l + 1) / 2 + j].clone()
    }

    /// Directions that register 0 adds at layers 0 and 1 with these weights of its heads: one for any single head.
    fn directions(&self, first: &[Fraction], second: &[Fraction]) -> usize {
        let (d, sums) = (self.dim(), [self.sum(0, first), self.sum(0, second)]);
        rank(&Array2::from_shape_fn((2, d * d), |(r, k)| sums[r][[k / d, k % d]].clone()))
    }
}
