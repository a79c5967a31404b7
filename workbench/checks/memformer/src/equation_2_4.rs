//! Eq. 2.4: linear attention.
//!
//! **Claim** (`memformer/eq-2-4`). Without the softmax attention is Attn(Z) = P Z M (Z^T Q Z), P = W_v, Q = W_k^T W_q; it can implement
//! preconditioned gradient descent (Lemma 2.1).
//!
//! The product may be taken in two orders: through all pairs of tokens, or through the second moments Z M Z^T. Both must agree. The first
//! makes 2(d+1)n(n+1) + (d+1)^2(2n+1) multiplications, the second (d+1)^2(2n+1) + 2(d+1)^3. The map is homogeneous of degree three, which
//! fractions confirm or refute. Refuted if an entry or a count differs.

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memformer::{
    Fraction, Layer, Mask, Number, associations, fraction_matrix, largest_difference, literal_attention,
};

use super::exact::part;
use super::prompts_and_heads::WIDTH;
use crate::vocabulary::{EXACT, ROUNDING, largest};

const GROWTH: Margin = Margin::statistical(
    "growth exponent",
    0.05,
    "whole numbers in the limit; at these sizes lower terms move them by a hundredth",
);

/// Both orders over a range of sizes, and the degree.
pub const CHECK: Check = Check {
    claim: "memformer/eq-2-4",
    metric: "largest difference of the two orders beside the largest entry; multiplications; layers that differ, in fractions",
    against: "an entry of the two orders that differs, a count that is not the formula's, another degree than three",
    departures: &["fractions have d = 3 and n = 4, so that equal means equal"],
    run,
    ..Check::DEFAULT
};

/// Examples n, doubling.
const SIZES: [usize; 9] = [5, 10, 20, 40, 80, 160, 320, 640, 1280];

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("linear attention")?;
    let p = normal_array2(&mut stream, WIDTH, WIDTH);
    let layer = Layer::new(p, normal_array2(&mut stream, WIDTH, WIDTH))?;
    let (mut pairs, mut moments) = (Vec::new(), Vec::new());
    for n in s.each("sizes", SIZES) {
        let z = normal_array2(&mut stream, WIDTH, n + 1);
        let both = associations(&layer, &z)?;
        let size = largest(&both.by_scores);
        let gap = largest_difference(&both.by_scores, &both.by_moments) / size;
        s.printed(ROUNDING).same("difference of the two orders, relative", gap);
        let open = literal_attention(&layer, &z, Mask::Absent)?;
        let label = "moments with the query among them, least of the sizes";
        s.twin(ROUNDING).same(label, largest_difference(&open, &both.by_moments) / size);
        let linear = WIDTH * WIDTH * (2 * n + 1);
        let formula = (2 * WIDTH * n * (n + 1) + linear, linear + 2 * WIDTH * WIDTH * WIDTH);
        let counted = (both.score_products, both.moment_products);
        s.printed(EXACT).never("sizes whose multiplications are not the formula's", counted != formula);
        pairs.push(both.score_products as f64);
        moments.push(both.moment_products as f64);
    }
    let last = SIZES.len() - 1;
    let growth = |counts: &[f64]| (counts[last] / counts[last - 1]).log2();
    s.printed(GROWTH).equals("growth exponent of the multiplications, pairs", 2.0, growth(&pairs));
    s.printed(GROWTH).equals("growth exponent of the multiplications, moments", 1.0, growth(&moments));
    degree(s, &mut stream)?;
    s.figure(figure(&pairs, &moments));
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
            (s.printed(EXACT), "fractions: layers with Attn(cZ) ≠ c³ Attn(Z)"),
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
