//! Eq. 2.4: linear attention.
//!
//! **Claim** (`memformer/eq-2-4`). Without the softmax attention is Attn(Z) = P Z M (Z^T Q Z), P = W_v, Q = W_k^T W_q; it can implement
//! preconditioned gradient descent (Lemma 2.1).
//!
//! The product may be taken in two orders: through all pairs of tokens, or through the second moments Z M Z^T. Both must agree. The first
//! makes 2(d+1)n(n+1) + (d+1)^2(2n+1) multiplications, the second (d+1)^2(2n+1) + 2(d+1)^3. The map is homogeneous of degree three, which
//! fractions confirm or refute. Against it counts an entry or a count that differs.

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Layer, Mask, Number, associations, fraction_matrix, largest_difference, literal_attention,
};

use super::exact::{Tally, part};
use super::section_2_1::WIDTH;
use crate::vocabulary::{EXACT, Largest, Least, ROUNDING, largest};

const GROWTH: Margin = Margin::new(
    "growth exponent",
    0.05,
    "whole numbers in the limit; at these sizes lower terms move them by a hundredth",
);

/// Both orders over a range of sizes, and the degree.
#[derive(Clone, Debug)]
pub struct TwoOrders {
    /// Examples n, doubling.
    pub examples: Vec<usize>,
    /// Layers in fractions.
    pub layers: usize,
}

impl Default for TwoOrders {
    fn default() -> TwoOrders {
        TwoOrders { examples: vec![5, 10, 20, 40, 80, 160, 320, 640, 1280], layers: 20 }
    }
}

#[derive(Default)]
struct Seen {
    tokens: Vec<f64>,
    pairs: Vec<f64>,
    moments: Vec<f64>,
    gap: Largest,
    open: Least,
    miscounted: Tally,
}

/// Multiplications of the two orders, with D = d + 1.
fn counts(n: usize, wide: usize) -> (usize, usize) {
    let linear = wide * wide * (2 * n + 1);
    (2 * wide * n * (n + 1) + linear, linear + 2 * wide * wide * wide)
}

impl TwoOrders {
    fn orders(&self, stream: &mut Stream) -> Result<Seen, Failure> {
        let p = normal_array2(stream, WIDTH, WIDTH);
        let layer = Layer::new(p, normal_array2(stream, WIDTH, WIDTH))?;
        let mut seen = Seen::default();
        for &n in &self.examples {
            let z = normal_array2(stream, WIDTH, n + 1);
            let both = associations(&layer, &z)?;
            let size = largest(&both.by_scores);
            seen.gap.see(largest_difference(&both.by_scores, &both.by_moments) / size);
            let open = literal_attention(&layer, &z, Mask::Absent)?;
            seen.open.see(largest_difference(&open, &both.by_moments) / size);
            let counted = (both.score_products, both.moment_products);
            seen.miscounted.see(counted != counts(n, WIDTH));
            seen.tokens.push(n as f64);
            seen.pairs.push(both.score_products as f64);
            seen.moments.push(both.moment_products as f64);
        }
        Ok(seen)
    }

    /// Layers with Attn(cZ) other than c^2, c^3, c^4 times Attn(Z).
    fn degrees(&self, stream: &mut Stream) -> Result<[Tally; 3], Failure> {
        let (mut seen, c) = ([Tally::default(); 3], part(3, 2));
        for _ in 0..self.layers {
            let p = fraction_matrix(stream, 4, 4);
            let layer = Layer::new(p, fraction_matrix(stream, 4, 4))?;
            let z = fraction_matrix(stream, 4, 5);
            let attention = |z: &Array2<Fraction>| literal_attention(&layer, z, Mask::Printed);
            let (large, small) = (attention(&z.mapv(|v| c.times(&v)))?, attention(&z)?);
            let mut power = c.clone();
            for tally in &mut seen {
                power = power.times(&c);
                tally.see(large != small.mapv(|v| power.times(&v)));
            }
        }
        Ok(seen)
    }
}

fn figure(seen: &Seen) -> Figure {
    let wide = WIDTH as f64;
    let leading = |of: fn(f64, f64) -> f64| seen.tokens.iter().map(|n| of(*n, wide)).collect::<Vec<f64>>();
    let panel = Panel::new("")
        .points("through pairs of tokens", &seen.tokens, &seen.pairs)
        .theory("2(d+1) n²", &seen.tokens, &leading(|n, wide| 2.0 * wide * n * n))
        .colour(0)
        .points("through second moments", &seen.tokens, &seen.moments)
        .colour(1)
        .theory("2(d+1)² n", &seen.tokens, &leading(|n, wide| 2.0 * wide * wide * n))
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

/// log2 of the last two counts' ratio; the sizes double.
fn growth(counts: &[f64]) -> Estimate {
    let last = counts.len() - 1;
    Estimate::exact((counts[last] / counts[last - 1]).log2())
}

impl TypedCheck for TwoOrders {
    const CLAIM: &'static str = "memformer/eq-2-4";
    const PLAN: Plan = Plan::new(
        "largest difference of the two orders beside the largest entry; multiplications; layers that differ, in fractions",
        "an entry of the two orders that differs, a count that is not the formula's, another degree than three",
        &[EXACT, ROUNDING, GROWTH],
    )
    .departures(&["fractions have d = 3 and n = 4, so that equal means equal"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("linear attention")?;
        let seen = self.orders(&mut stream)?;
        let [square, cube, fourth] = self.degrees(&mut stream)?;
        let sizes = self.examples.len();
        let same = |label: &str, error: f64| Finding::identity(label, error, ROUNDING).cases(sizes).unit("sizes");
        let exponent = |label: &str, expected: f64, of: &[f64]| Finding::equals(label, expected, GROWTH, growth(of));
        let evidence = Evidence::of(same("difference of the two orders, relative", seen.gap.0))
            .and(seen.miscounted.none("sizes whose multiplications are not the formula's", "sizes"))
            .and(exponent("growth exponent of the multiplications, pairs", 2.0, &seen.pairs))
            .and(exponent("growth exponent of the multiplications, moments", 1.0, &seen.moments))
            .and(cube.none("fractions: layers with Attn(cZ) ≠ c³ Attn(Z)", "layers"))
            .twin(same("moments with the query among them, least of the sizes", seen.open.0))
            .twin(square.none("fractions: layers with Attn(cZ) ≠ c² Attn(Z)", "layers"))
            .twin(fourth.none("fractions: layers with Attn(cZ) ≠ c⁴ Attn(Z)", "layers"));
        Ok(Checked::from(evidence).figure(figure(&seen)))
    }
}
