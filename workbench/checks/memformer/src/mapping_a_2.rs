//! Appendix A.2, Steps 1 to 4: what in the network is what in the method.
//!
//! **Claim** (`memformer/a2-mapping`). R_l corresponds to s_l and Z_l to w_l; the Attn term parallels -(1/n) A grad R(w).
//!
//! In the column of a token x the last row of R_l should be a fixed multiple of <x, s_l>. Labels are y - <x, w>, so -n is expected, and
//! for Attn itself -n <x, -A grad R>: one constant in all columns and layers. For A other than I the register mixes preconditioned
//! gradients; nobody says that the plain coefficients would solve then, and they are a wrong form: they must be those of preconditioned
//! conjugate gradients.

use workbench_ledger::{Check, Checked, Evidence, Failure, Plan, Setting};
use workbench_memformer::{
    Fraction, Instance, Mask, Number, SingleMemory, conjugate_gradient, fraction_matrix, identity, literal_attention,
    preconditioned_conjugate_gradient, product, single_register,
};

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
        Correspondence {
            prompts: 12,
            examples: 4,
        }
    }
}

impl Check for Correspondence {
    const CLAIM: &'static str = "memformer/a2-mapping";
    const PLAN: Plan = Plan::new(
        "columns of registers that differ, and prompts not solved after d layers, in fractions",
        "a column that is not the same multiple as the others; an Attn that is not the printed one",
        &[EXACT],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("mapping")?;
        let n = self.examples;
        let scale = whole(n as i64);
        let [mut minus, mut plus, mut printed, mut attn, mut plain, mut proper] = [Tally::default(); 6];
        for case in 0..self.prompts {
            let d = 2 + case % 2;
            let prompt = Instance::draw(&mut stream, d, n)?;
            let f = prompt.quadratic();
            let run = conjugate_gradient(&f, &f.origin(), d)?;
            let held = single_register(&stack(&identity(d), d)?, &prompt.tokens, &run.coefficients)?;
            let first = literal_attention(&stack(&identity(d), 1)?[0], &held.states[0], Mask::Printed)?;
            for i in 0..=n {
                let x = token(&prompt.tokens, i);
                for l in 0..d {
                    let far = scale.times(&dot(&x, &run.directions[l])?);
                    let register = &held.registers[l][0][[d, i]];
                    minus.see(*register != far.negated());
                    plus.see(*register != far);
                }
                attn.see(first[[d, i]] != scale.times(&dot(&x, &run.residuals[0])?).negated());
                printed.see(first[[d, i]] != part(1, n as i64).times(&dot(&x, &run.residuals[0])?));
            }
            // A preconditioner, symmetric and positive definite.
            let m = fraction_matrix(&mut stream, d, d + 1);
            let a = product(&m, &m.t().to_owned())?;
            let layers = stack(&a, d)?;
            let solved = |c: &SingleMemory<Fraction>| -> Result<bool, Failure> {
                let states = single_register(&layers, &prompt.tokens, c)?.states;
                Ok(states[d].row(d).iter().take(n).all(|y| *y == whole(0)))
            };
            let of_a = preconditioned_conjugate_gradient(&f, &a, &f.origin(), d)?;
            plain.see(!solved(&run.coefficients)?);
            proper.see(!solved(&of_a.coefficients)?);
        }
        let evidence = Evidence::of(printed.none("columns with Attn ≠ <x, -A∇R>/n, as printed", "columns"))
            .and(minus.none("columns with R ≠ -n <x, s>, one constant for all columns and layers", "columns"))
            .misprint(
                "the 1/n of A.10 is that of the layer: Attn itself is -n <x, -A∇R>, as R is -n <x, s>",
                vec![attn.none("columns with Attn ≠ -n <x, -A∇R>", "columns")],
            )
            .support(proper.none("A ≠ I, preconditioned coefficients: prompts not solved after d layers", "prompts"))
            .twin(plus.none("columns with R ≠ +n <x, s>", "columns"))
            .twin(plain.none("A ≠ I, plain coefficients: prompts not solved after d layers", "prompts"))
            .note("the printed parallel is off by the factor -n²: the 1/n belongs to the layer, and labels carry minus the prediction");
        Ok(evidence.into())
    }
}
