//! The paragraph after Definition 1: memory means map.
//!
//! **Claim** (`gradient-memory/memory-is-map`). A weight matrix is a special case; the definition is more general because objective
//! and operator class may carry regularisation and non-linearities.
//!
//! Three fillings of one routine: squared error; with a ridge; and XOR, where no linear map helps, a non-linearity after mixing does,
//! and one applied to each coordinate alone cannot.

use ndarray::{Array1, Array2, Axis, array};
use workbench_gradient_memory::{InnerObjective, Loss, descend, ridge_memory};
use workbench_ground::stats::{Estimate, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{ROUNDING, apart};

const DESCENT: Margin = Margin::new(
    "descent",
    1e-11,
    "descent stops at a gradient of 1e-12, and the ridge keeps the least curvature above 2",
);
const ANOTHER: Margin = Margin::new("another memory", 1e-3, "far above what rounding or descent leave");
const LEAST_LOSS: Margin = Margin::new("least loss", 1e-9, "descent stops at a gradient of 1e-12");
const SOLVED: Margin = Margin::new("solved", 1e-12, "all four corners right, to rounding");
const HELPED: Margin = Margin::new("helped", 1.9, "anything clearly below the 2 of the linear map");

/// One routine, three kinds of map.
#[derive(Clone, Debug)]
pub struct MemoryIsMap {
    /// Pairs, dimension of keys, dimension of values.
    pub size: (usize, usize, usize),
    /// The ridge lambda.
    pub ridge: f64,
}

impl Default for MemoryIsMap {
    fn default() -> MemoryIsMap {
        MemoryIsMap { size: (30, 6, 4), ridge: 2.0 }
    }
}

impl TypedCheck for MemoryIsMap {
    const CLAIM: &'static str = "gradient-memory/memory-is-map";
    const PLAN: Plan = Plan::new(
        "largest entry of a difference, absolute; total squared error, halved, over the four corners",
        "a ridge that changes nothing or misses its closed form; a non-linearity that does not lower the loss of XOR",
        &[DESCENT, ROUNDING, ANOTHER, LEAST_LOSS, SOLVED, HELPED],
    )
    .departures(&["the document names no data; random pairs and the corners of a square are ours"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (n, d_k, d_v) = self.size;
        let mut draws = setting.stream("memory is map")?;
        let (keys, values) = (normal_array2(&mut draws, n, d_k), normal_array2(&mut draws, n, d_v));
        let linear = descend(Loss::Squared, &keys, &values, 0.0, 1e-11, 100_000)?.weights;
        let ridged = descend(Loss::Squared, &keys, &values, self.ridge, 1e-12, 100_000)?.weights;
        let formula = ridge_memory(&keys, &values, self.ridge)?;
        let solved = InnerObjective::new("W")
            .fit(1.0, keys.clone(), values.clone())
            .anchor(self.ridge, Array2::zeros((d_v, d_k)))
            .minimise()?;
        // Entries of a key from one to three hundred: a search that forgets its directions does not end.
        let sizes = Array1::from_shape_fn(d_k, |i| 10f64.powf(0.5 * i as f64));
        let uneven = &keys * &sizes;
        let searched = InnerObjective::new("W")
            .fit(1.0, uneven.clone(), values.clone())
            .anchor(self.ridge, Array2::zeros((d_v, d_k)))
            .minimise()?;
        let [linear_loss, alone_loss, mixed_loss] = xor_losses()?;
        let unchanged = apart(&linear, &formula);
        let evidence =
            Evidence::of(Finding::identity("ridge: closed form against descent", apart(&ridged, &formula), DESCENT))
                .and(Finding::identity(
                    "ridge: closed form against conjugate gradients",
                    apart(&solved, &formula),
                    ROUNDING,
                ))
                .and(Finding::identity(
                    "ridge, inputs of sizes from 1 to 300: closed form against conjugate gradients",
                    apart(&searched, &ridge_memory(&uneven, &values, self.ridge)?),
                    DESCENT,
                ))
                .and(Finding::at_least(
                    "ridge: distance from the memory without it",
                    ANOTHER,
                    Estimate::exact(unchanged),
                ))
                .and(Finding::equals("XOR, linear: least loss", 2.0, LEAST_LOSS, Estimate::exact(linear_loss)))
                .and(Finding::at_most(
                    "XOR, relu of mixed coordinates: least loss",
                    SOLVED,
                    Estimate::exact(mixed_loss),
                ))
                .twin(Finding::at_most(
                    "XOR, each coordinate alone through exp: least loss",
                    HELPED,
                    Estimate::exact(alone_loss),
                ))
                .twin(Finding::identity(
                    "ridge of half its size: closed form against descent",
                    apart(&ridged, &ridge_memory(&keys, &values, self.ridge / 2.0)?),
                    DESCENT,
                ));
        Ok(evidence.into())
    }
}

/// Least losses on XOR: of the coordinates, with their exponentials beside them, and of `relu(x1 + x2)`, `relu(-x1 - x2)`.
fn xor_losses() -> Result<[f64; 3], Failure> {
    let corners = array![[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let product = array![[1.0], [-1.0], [-1.0], [1.0]];
    let ones = Array2::ones((4, 1));
    let beside = |parts: &[&Array2<f64>]| {
        let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
        ndarray::concatenate(Axis(1), &views)
    };
    let alone = beside(&[&corners, &corners.mapv(f64::exp), &ones])?;
    let mixed = corners.dot(&array![[1.0, -1.0], [1.0, -1.0]]).mapv(|h: f64| h.max(0.0));
    let mixed = beside(&[&mixed, &ones])?;
    let mut losses = [0.0; 3];
    for (loss, features) in losses.iter_mut().zip([&corners, &alone, &mixed]) {
        *loss = descend(Loss::Squared, features, &product, 0.0, 1e-12, 100_000)?.value;
    }
    Ok(losses)
}
