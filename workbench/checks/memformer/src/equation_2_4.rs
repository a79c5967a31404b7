//! Eq. 2.4: linear attention.
//!
//! **Claim** (`memformer/eq-2-4`). Without the softmax attention is Attn(Z) = P Z M (Z^T Q Z), P = W_v, Q = W_k^T W_q; it can implement
//! preconditioned gradient descent (Lemma 2.1).
//!
//! A layer with P = W_v and Q = W_k^T W_q is compared with Eq. 2.2 without its softmax, W_k and W_q apart; and with Q = -[[A^T, 0], [0, 0]]
//! two layers must be two steps of gradient descent preconditioned by A. Both in fractions. What the check stands on: the product may be
//! taken through all pairs of tokens or through the second moments Z M Z^T, with 2(d+1)n(n+1) + (d+1)^2(2n+1) multiplications or
//! (d+1)^2(2n+1) + 2(d+1)^3, and is homogeneous of degree three. Refuted by an entry or an answer that differs.

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memformer::{
    Fraction, Instance, Layer, Mask, Number, associations, attention, fraction_matrix, identity, largest_difference,
    literal_attention, literal_forward, product, unmasked_attention,
};

use super::exact::part;
use super::exact_layers::{answers, general, layers_of, transposes};
use super::prompts_and_heads::WIDTH;
use crate::vocabulary::{EXACT, ROUNDING, largest};

const GROWTH: Margin = Margin::statistical(
    "growth exponent",
    0.05,
    "whole numbers in the limit; at these sizes lower terms move them by a hundredth",
);

/// The printed product, two steps of descent; both orders over a range of sizes, and the degree.
pub const CHECK: Check = Check {
    claim: "memformer/eq-2-4",
    metric: "layers and answers that differ, in fractions; largest difference of two orders beside the largest entry; multiplications",
    against: "a layer that is not the printed product; an answer that is not that of preconditioned gradient descent",
    departures: &["fractions have d = 3 and n = 4, so that equal means equal"],
    run,
    ..Check::DEFAULT
};

/// Examples n, doubling.
const SIZES: [usize; 9] = [5, 10, 20, 40, 80, 160, 320, 640, 1280];

fn run(s: &Sheet) -> Done {
    as_printed(s)?;
    descent(s)?;
    let mut stream = s.stream("linear attention")?;
    let p = normal_array2(&mut stream, WIDTH, WIDTH);
    let layer = Layer::new(p, normal_array2(&mut stream, WIDTH, WIDTH))?;
    let (mut pairs, mut moments) = (Vec::new(), Vec::new());
    for n in s.each("sizes", SIZES) {
        let z = normal_array2(&mut stream, WIDTH, n + 1);
        let both = associations(&layer, &z)?;
        let size = largest(&both.by_scores);
        let gap = largest_difference(&both.by_scores, &both.by_moments) / size;
        s.support(ROUNDING).same("difference of the two orders, relative", gap);
        let open = literal_attention(&layer, &z, Mask::Absent)?;
        let label = "moments with the query among them, least of the sizes";
        s.twin(ROUNDING).same(label, largest_difference(&open, &both.by_moments) / size);
        let linear = WIDTH * WIDTH * (2 * n + 1);
        let formula = (2 * WIDTH * n * (n + 1) + linear, linear + 2 * WIDTH * WIDTH * WIDTH);
        let counted = (both.score_products, both.moment_products);
        s.support(EXACT).never("sizes whose multiplications are not the formula's", counted != formula);
        pairs.push(both.score_products as f64);
        moments.push(both.moment_products as f64);
    }
    let last = SIZES.len() - 1;
    let growth = |counts: &[f64]| (counts[last] / counts[last - 1]).log2();
    s.support(GROWTH).equals("growth exponent of the multiplications, pairs", 2.0, growth(&pairs));
    s.support(GROWTH).equals("growth exponent of the multiplications, moments", 1.0, growth(&moments));
    degree(s, &mut stream)?;
    s.figure(figure(&pairs, &moments));
    Ok(())
}

/// Layers and prompts that are looked at in fractions.
const CASES: usize = 20;

/// Layers with P = W_v and Q = W_k^T W_q against Eq. 2.2 without its softmax.
fn as_printed(s: &Sheet) -> Done {
    let mut stream = s.stream("attention as printed")?;
    for _ in s.each("layers", 0..CASES) {
        let [w_v, w_k, w_q] = [(); 3].map(|()| fraction_matrix(&mut stream, 4, 4));
        let z = fraction_matrix(&mut stream, 4, 5);
        let values = product(&product(&w_v, &z)?, &Mask::Printed.matrix::<Fraction>(4))?;
        let scores = product(&product(&w_k, &z)?.t().to_owned(), &product(&w_q, &z)?)?;
        let layer = Layer::new(w_v, product(&w_k.t().to_owned(), &w_q)?)?;
        let (room, printed) = (attention(&layer, &z)?, product(&values, &scores)?);
        let label = "fractions: layers with P = W_v, Q = W_kᵀ W_q that are not (2.2) without its softmax";
        s.printed(EXACT).never(label, room != printed);
        let label = "fractions, W_qᵀ W_k for W_kᵀ W_q: layers that differ";
        s.twin(EXACT).never(label, room != product(&values, &scores.t().to_owned())?);
        let label = "fractions, without the mask: layers that differ";
        s.twin(EXACT).never(label, unmasked_attention(&layer, &z)? != printed);
    }
    Ok(())
}

/// Two layers with Q = -[[A^T, 0], [0, 0]] against gradient descent preconditioned by A.
fn descent(s: &Sheet) -> Done {
    let mut stream = s.stream("preconditioned descent")?;
    for _ in s.each("prompts", 0..CASES) {
        let prompt = Instance::draw(&mut stream, 3, 4)?;
        let a = general(&mut stream, 2, 3);
        let states = literal_forward(&layers_of(&transposes(&a))?, &prompt.tokens, Mask::Printed)?;
        let label = "fractions: answers of two layers that are not those of gradient descent preconditioned by A";
        answers(s.printed(EXACT), label, &prompt, &states, &a)?;
        let label = "fractions, gradient descent without A: answers that differ";
        answers(s.twin(EXACT), label, &prompt, &states, &[identity(3), identity(3)])?;
    }
    Ok(())
}

/// Attn(cZ) against c^2, c^3 and c^4 times Attn(Z).
fn degree(s: &Sheet, stream: &mut Stream) -> Done {
    let c = part(3, 2);
    for _ in s.cases("layers", 20, 20)? {
        let p = fraction_matrix(stream, 4, 4);
        let layer = Layer::new(p, fraction_matrix(stream, 4, 4))?;
        let z = fraction_matrix(stream, 4, 5);
        let attention = |z: &Array2<Fraction>| literal_attention(&layer, z, Mask::Printed);
        let (large, small) = (attention(&z.mapv(|v| c.times(&v)))?, attention(&z)?);
        let mut power = c.clone();
        for (says, label) in [
            (s.twin(EXACT), "fractions: layers with Attn(cZ) ≠ c² Attn(Z)"),
            (s.support(EXACT), "fractions: layers with Attn(cZ) ≠ c³ Attn(Z)"),
            (s.twin(EXACT), "fractions: layers with Attn(cZ) ≠ c⁴ Attn(Z)"),
        ] {
            power = power.times(&c);
            says.never(label, large != small.mapv(|v| power.times(&v)));
        }
    }
    Ok(())
}

fn figure(pairs: &[f64], moments: &[f64]) -> Figure {
    let (wide, tokens) = (WIDTH as f64, SIZES.map(|n| n as f64));
    let panel = Panel::new("")
        .points("through pairs of tokens", &tokens, pairs)
        .theory("2(d+1) n²", &tokens, &tokens.map(|n| 2.0 * wide * n * n))
        .colour(0)
        .points("through second moments", &tokens, moments)
        .colour(1)
        .theory("2(d+1)² n", &tokens, &tokens.map(|n| 2.0 * wide * wide * n))
        .colour(1)
        .x_label("examples n")
        .y_label("multiplications")
        .log_x()
        .log_y()
        .legend_below();
    Figure::new("One product, two orders: quadratic or linear in the number of examples").panel(panel).caption(
        "d = 5. Counted while the products are taken; both give the same matrix. Dashed lines are the leading terms.",
    )
}
