//! Appendix A.2, Steps 1 to 4: what in the network is what in the method.
//!
//! **Claim** (`memformer/a2-mapping`). R_l corresponds to s_l and Z_l to w_l; the Attn term parallels -(1/n) A grad R(w).
//!
//! In the column of a token x the last row of R_l should be a fixed multiple of <x, s_l>. Labels are y - <x, w>, so -n is expected, and
//! for Attn itself -n <x, -A grad R>: one constant in all columns and layers, and with any A, which the lemma transposes. For A other than
//! I the register mixes preconditioned gradients; nobody says that the plain coefficients would solve then, and they are a wrong form: they
//! must be those of preconditioned conjugate gradients.

use ndarray::Array2;
use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, LinearTransformer, Mask, Number, SingleMemory, conjugate_gradient, fraction_matrix, identity,
    literal_attention, literal_forward, matrix_vector, preconditioned_conjugate_gradient, preconditioned_descent,
    product,
};

use super::appendix_a_1::{general, layers_of, symmetric, transposes};
use super::exact::{Tally, dot, part, stack, token, whole};
use crate::vocabulary::EXACT;

/// Registers, attention and preconditioners on random prompts in fractions.
#[derive(Clone, Debug)]
pub struct Correspondence {
    /// Prompts.
    pub prompts: usize,
    /// Examples in each.
    pub examples: usize,
}

impl Default for Correspondence {
    fn default() -> Correspondence {
        Correspondence { prompts: 12, examples: 4 }
    }
}

/// Columns in which Attn is not a multiple of <x, -A grad R>: of 1/n as printed, of -n, of -n with A^T.
#[derive(Default)]
struct Parallel {
    printed: Tally,
    minus_n: Tally,
    transposed: Tally,
}

impl Parallel {
    /// One layer for each A.
    fn see(&mut self, prompt: &Instance<Fraction>, a: &[Array2<Fraction>]) -> Result<(), Failure> {
        let (d, n) = (prompt.dim(), prompt.examples());
        let (f, layers) = (prompt.quadratic(), layers_of(a)?);
        let states = literal_forward(&layers, &prompt.tokens, Mask::Printed)?;
        let gradients = preconditioned_descent(&f, &f.origin(), &transposes(a))?.gradients;
        for (l, layer) in layers.iter().enumerate() {
            let attention = literal_attention(layer, &states[l], Mask::Printed)?;
            let step = matrix_vector(&a[l], &gradients[l])?;
            let transposed = matrix_vector(&a[l].t().to_owned(), &gradients[l])?;
            for i in 0..=n {
                let (x, entry) = (token(&prompt.tokens, i), &attention[[d, i]]);
                let (down, with_transpose) = (dot(&x, &step)?.negated(), dot(&x, &transposed)?.negated());
                self.printed.see(*entry != part(1, n as i64).times(&down));
                self.minus_n.see(*entry != whole(-(n as i64)).times(&down));
                self.transposed.see(*entry != whole(-(n as i64)).times(&with_transpose));
            }
        }
        Ok(())
    }
}

impl TypedCheck for Correspondence {
    const CLAIM: &'static str = "memformer/a2-mapping";
    const PLAN: Plan = Plan::new(
        "columns of registers that differ, and prompts not solved after d layers, in fractions",
        "a column that is not the same multiple as the others; an Attn that is not the printed one",
        &[EXACT],
    )
    .protocol(&["Attn itself: two layers, each with a general A of its own, then with A + Aᵀ"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("mapping")?;
        let n = self.examples;
        let scale = whole(n as i64);
        let mut blocks = setting.stream("mapping: A of each layer")?;
        let [mut minus, mut plus, mut plain, mut proper] = [Tally::default(); 4];
        let [mut any, mut even] = [Parallel::default(), Parallel::default()];
        for case in 0..self.prompts {
            let d = 2 + case % 2;
            let prompt = Instance::draw(&mut stream, d, n)?;
            let f = prompt.quadratic();
            let run = conjugate_gradient(&f, &f.origin(), d)?;
            let model = LinearTransformer::with_one_register(stack(&identity(d), d)?, &run.coefficients)?;
            let held = model.run(&prompt.tokens)?;
            for i in 0..=n {
                let x = token(&prompt.tokens, i);
                for l in 0..d {
                    let far = scale.times(&dot(&x, &run.directions[l])?);
                    let register = &held.registers[l][0][[d, i]];
                    minus.see(*register != far.negated());
                    plus.see(*register != far);
                }
            }
            let a = general(&mut blocks, 2, d);
            any.see(&prompt, &a)?;
            even.see(&prompt, &symmetric(&a))?;
            // A preconditioner, symmetric and positive definite.
            let m = fraction_matrix(&mut stream, d, d + 1);
            let a = product(&m, &m.t().to_owned())?;
            let layers = stack(&a, d)?;
            let solved = |c: &SingleMemory<Fraction>| -> Result<bool, Failure> {
                let states = LinearTransformer::with_one_register(layers.clone(), c)?.forward(&prompt.tokens)?;
                Ok(states[d].row(d).iter().take(n).all(|y| *y == whole(0)))
            };
            let of_a = preconditioned_conjugate_gradient(&f, &a, &f.origin(), d)?;
            plain.see(!solved(&run.coefficients)?);
            proper.see(!solved(&of_a.coefficients)?);
        }
        let evidence = Evidence::of(any.printed.none("general A: columns with Attn ≠ <x, -A∇R>/n, as printed", "columns"))
            .and(even.printed.none("symmetric A: columns with Attn ≠ <x, -A∇R>/n, as printed", "columns"))
            .and(minus.none("columns with R ≠ -n <x, s>, one constant for all columns and layers", "columns"))
            .misprint(
                "the 1/n of A.10 is that of the layer, and A is transposed: Attn itself is -n <x, -Aᵀ∇R>, as R is -n <x, s>",
                vec![
                    any.transposed.none("general A: columns with Attn ≠ -n <x, -Aᵀ∇R>", "columns"),
                    even.minus_n.none("symmetric A: columns with Attn ≠ -n <x, -A∇R>", "columns"),
                ],
            )
            .support(proper.none("A ≠ I, preconditioned coefficients: prompts not solved after d layers", "prompts"))
            .twin(plus.none("columns with R ≠ +n <x, s>", "columns"))
            .twin(any.minus_n.none("general A, without its transpose: columns with Attn ≠ -n <x, -A∇R>", "columns"))
            .twin(plain.none("A ≠ I, plain coefficients: prompts not solved after d layers", "prompts"))
            .note("the printed parallel is off by the factor -n²: the 1/n belongs to the layer, and labels carry minus the prediction");
        Ok(evidence.into())
    }
}
