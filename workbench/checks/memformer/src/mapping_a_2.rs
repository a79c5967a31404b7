//! Appendix A.2, Steps 1 to 4: what in the network is what in the method.
//!
//! **Claim** (`memformer/a2-mapping`). R_l corresponds to s_l and Z_l to w_l; the Attn term parallels -(1/n) A grad R(w).
//!
//! In the column of a token x the last row of R_l should be a fixed multiple of <x, s_l>. Labels are y - <x, w>, so -n is expected, and
//! for Attn itself -n <x, -A grad R>: the same constant in all columns and layers. The 1/n before A grad R is that of Eq. A.10, which repeats
//! A.6 and is charged there, and the transpose of A is charged in Lemma 2.1; both are mended. For A other than I the register mixes
//! preconditioned gradients; nobody says that the plain coefficients would solve then, and they are a wrong form: they must be those of
//! preconditioned conjugate gradients.

use ndarray::Array2;
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memformer::{
    Fraction, Instance, LinearTransformer, Mask, Number, SingleMemory, conjugate_gradient, fraction_matrix, identity,
    literal_attention, literal_forward, matrix_vector, preconditioned_conjugate_gradient, preconditioned_descent,
    product,
};

use super::exact::{dot, labels, part, stack, token, whole};
use super::exact_layers::{general, layers_of, symmetric, transposes};
use crate::vocabulary::EXACT;

/// Registers, attention and preconditioners on random prompts in fractions.
pub const CHECK: Check = Check {
    claim: "memformer/a2-mapping",
    metric: "columns of registers that differ, and prompts not solved after d layers, in fractions",
    against: "a column, of a register or of Attn, that is not the same multiple as the others; a label that is not that of the iterate",
    choices: &["d = 2 or 3, n = 4", "Attn itself: two layers, each with a general A of its own, then with A + Aᵀ"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.see("memformer/eq-A5-A6");
    s.note(
        "the constant is -n for Attn and for R: the 1/n belongs to the layer, and labels carry minus the prediction",
    );
    let (mut stream, mut blocks) = (s.stream("mapping")?, s.stream("mapping: A of each layer")?);
    let n = s.knob("examples n", 4, 4..=12)?;
    for case in s.cases("prompts", 12, 12)? {
        let d = 2 + case % 2;
        let prompt = Instance::draw(&mut stream, d, n)?;
        let a = general(&mut blocks, 2, d);
        attention(s, &prompt, &a, false)?;
        attention(s, &prompt, &symmetric(&a), true)?;

        let f = prompt.quadratic();
        let run = conjugate_gradient(&f, &f.origin(), d)?;
        let model = LinearTransformer::with_one_register(stack(&identity(d), d)?, &run.coefficients)?;
        let held = model.run(&prompt.tokens)?;
        let label = "labels of Z that are not y - <x, w>, with w of conjugate gradients";
        labels(s.printed(EXACT), label, &prompt, &held.states, &run.iterates)?;
        for i in 0..=n {
            for l in 0..d {
                let far = whole(n as i64).times(&dot(&token(&prompt.tokens, i), &run.directions[l])?);
                let register = &held.registers[l][0][[d, i]];
                let label = "columns with R ≠ -n <x, s>, one constant for all columns and layers";
                s.printed(EXACT).of("columns").never(label, *register != far.negated());
                s.twin(EXACT).of("columns").never("columns with R ≠ +n <x, s>", *register != far);
            }
        }

        // A preconditioner, symmetric and positive definite.
        let m = fraction_matrix(&mut stream, d, d + 1);
        let a = product(&m, &m.t().to_owned())?;
        let layers = stack(&a, d)?;
        let solved = |c: &SingleMemory<Fraction>| -> Result<bool, Failure> {
            let states = LinearTransformer::with_one_register(layers.clone(), c)?.forward(&prompt.tokens)?;
            Ok(states[d].row(d).iter().take(n).all(|y| *y == whole(0)))
        };
        let of_a = preconditioned_conjugate_gradient(&f, &a, &f.origin(), d)?;
        let label = "A ≠ I, preconditioned coefficients: prompts not solved after d layers";
        s.support(EXACT).never(label, !solved(&of_a.coefficients)?);
        let label = "A ≠ I, plain coefficients: prompts not solved after d layers";
        s.twin(EXACT).never(label, !solved(&run.coefficients)?);
    }
    Ok(())
}

/// Attn itself against <x, -A grad R>, one layer for each A; `even` if they are symmetric.
fn attention(s: &Sheet, prompt: &Instance<Fraction>, a: &[Array2<Fraction>], even: bool) -> Done {
    let (d, n) = (prompt.dim(), prompt.examples());
    let (printed, twin) = (s.printed(EXACT).of("columns"), s.twin(EXACT).of("columns"));
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
            let unmended = *entry != part(1, n as i64).times(&down);
            let not_minus_n = *entry != whole(-(n as i64)).times(&down);
            if even {
                twin.never("symmetric A, with the 1/n of A.10: columns with Attn ≠ <x, -A∇R>/n", unmended);
                printed.never("symmetric A: columns with Attn ≠ -n <x, -A∇R>", not_minus_n);
            } else {
                let differs = *entry != whole(-(n as i64)).times(&with_transpose);
                printed.never("general A: columns with Attn ≠ -n <x, -Aᵀ∇R>", differs);
                twin.never("general A, without its transpose: columns with Attn ≠ -n <x, -A∇R>", not_minus_n);
            }
        }
    }
    Ok(())
}
