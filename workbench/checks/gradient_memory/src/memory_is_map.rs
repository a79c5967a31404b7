//! Memory means map: the paragraph after Definition 1.
//!
//! **Claim** (`gradient-memory/memory-is-map`). A weight matrix is a special case; the definition is more general because objective
//! and operator class may carry regularisation and non-linearities.
//!
//! Three fillings of one routine: squared error; with a ridge; and XOR, where no linear map helps, a non-linearity after mixing does,
//! and one applied to each coordinate alone cannot.

use ndarray::{Array1, Array2, Axis, array, concatenate};
use workbench_gradient_memory::{InnerObjective, Loss, descend, ridge_memory};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use crate::vocabulary::{ROUNDING, apart};

const DESCENT: Margin = Margin::statistical(
    "descent",
    1e-11,
    "descent stops at a gradient of 1e-12, and the ridge keeps the least curvature above 2",
);
const LEAST_LOSS: Margin = Margin::statistical("least loss", 1e-9, "descent stops at a gradient of 1e-12");
const SOLVED: Margin = Margin::rounding("solved", 1e-12, "all four corners right, to rounding");

/// One routine, three kinds of map.
pub const CHECK: Check = Check {
    claim: "gradient-memory/memory-is-map",
    metric: "largest entry of a difference, absolute; total squared error, halved, over the four corners",
    against: "a ridge that changes nothing or misses its closed form; a non-linearity that does not lower the loss of XOR",
    choices: &["thirty random pairs, a ridge of 2, and the corners of a square"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    ridge(s)?;
    xor(s)
}

/// The ridge memory, from its closed form, by descent and by conjugate gradients.
fn ridge(s: &Sheet) -> Done {
    let (n, d_k, d_v) = (30, 6, 4);
    let lambda = s.knob("ridge λ", 2.0, 0.0..)?;
    let mut draws = s.stream("memory is map")?;
    let (keys, values) = (normal_array2(&mut draws, n, d_k), normal_array2(&mut draws, n, d_v));
    let formula = ridge_memory(&keys, &values, lambda)?;
    let ridged = descend(Loss::Squared, &keys, &values, lambda, 1e-12, 100_000)?.weights;
    s.printed(DESCENT).same("ridge: closed form against descent", apart(&ridged, &formula));

    let by_conjugate_gradients = |keys: &Array2<f64>| {
        let fit = InnerObjective::new("W").fit(1.0, keys.clone(), values.clone());
        fit.anchor(lambda, Array2::zeros((d_v, d_k))).minimise()
    };
    let solved = by_conjugate_gradients(&keys)?;
    s.support(ROUNDING).same("ridge: closed form against conjugate gradients", apart(&solved, &formula));
    // Entries of a key from one to three hundred: a search that forgets its directions does not end.
    let uneven = &keys * &Array1::from_shape_fn(d_k, |i| 10f64.powf(0.5 * i as f64));
    let missed = apart(&by_conjugate_gradients(&uneven)?, &ridge_memory(&uneven, &values, lambda)?);
    s.support(DESCENT).same("ridge, inputs of sizes from 1 to 300: closed form against conjugate gradients", missed);

    let linear = descend(Loss::Squared, &keys, &values, 0.0, 1e-11, 100_000)?.weights;
    s.printed(DESCENT).at_least("ridge: distance from the memory without it", apart(&linear, &formula));
    let half = ridge_memory(&keys, &values, lambda / 2.0)?;
    s.twin(DESCENT).same("ridge of half its size: closed form against descent", apart(&ridged, &half));
    Ok(())
}

/// XOR of the coordinates alone, with their exponentials beside them, and of `relu(x1 + x2)`, `relu(-x1 - x2)`.
fn xor(s: &Sheet) -> Done {
    let corners = array![[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let product = array![[1.0], [-1.0], [-1.0], [1.0]];
    let ones = Array2::ones((4, 1));
    let least_loss = |features: &Array2<f64>| -> Result<f64, Failure> {
        Ok(descend(Loss::Squared, features, &product, 0.0, 1e-12, 100_000)?.value)
    };
    s.printed(LEAST_LOSS).equals("XOR, linear: least loss", 2.0, least_loss(&corners)?);
    let mixed = corners.dot(&array![[1.0, -1.0], [1.0, -1.0]]).mapv(|h: f64| h.max(0.0));
    let mixed = concatenate(Axis(1), &[mixed.view(), ones.view()])?;
    s.printed(SOLVED).at_most("XOR, relu of mixed coordinates: least loss", least_loss(&mixed)?);
    let alone = concatenate(Axis(1), &[corners.view(), corners.mapv(f64::exp).view(), ones.view()])?;
    s.twin(SOLVED).at_most("XOR, each coordinate alone through exp: least loss", least_loss(&alone)?);
    Ok(())
}
