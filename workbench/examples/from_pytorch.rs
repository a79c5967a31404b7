//! PyTorch's first lines, and what is written here for them: a model with a loss of one's own, trained. Each line is computed and
//! asserted.
//!
//! Run with `cargo run --example from_pytorch`.
//!
//! | PyTorch | here |
//! | --- | --- |
//! | `torch.manual_seed(1)`, `x = torch.randn(200, 2)` | `let x = normal_array2(&mut Streams::new(1).stream("inputs")?, 200, 2);` |
//! | `w = torch.zeros(2, requires_grad=True)` | `let mut w = vec![0.0; 2];` |
//! | a loss of one's own, `def loss(w): ...` | `fn loss<S: Scalar>(w: &[S], ..) -> Option<S>`, in floats or in dual numbers |
//! | `loss(w).backward()`, `w.grad` | `loss` of `Dual { value, slope }` for each number of `w`, or a gradient written by hand |
//! | `with torch.no_grad():`, `w.detach()` | nothing: floats remember no graph |
//! | `opt = torch.optim.Adam([w], lr=0.1)` | `Adam::new(Layout::of(&[("w", &[2])])?, AdamSettings { rate: 0.1, ..AdamSettings::default() })?` |
//! | `opt.zero_grad()`, `opt.step()` | nothing to clear; `adam.step(&mut w, &gradient)?` |
//! | `for step in tqdm(range(200)):` | `for _ in progress.over(0..200)`, with `progress.value("loss", loss)` and a curve if asked |
//! | `torch.save(opt.state_dict(), "adam.pt")` | `std::fs::write("adam.bin", adam.save().to_bytes())?` |
//! | `opt.load_state_dict(torch.load("adam.pt"))` | `adam.restore(&Saved::from_bytes(&std::fs::read("adam.bin")?)?)?` |
//! | `x.float()`, `x.double()` | `x.mapv(\|x\| x as f32)`, `x.mapv(f64::from)` |
//! | `model.to("cuda")` | the features `tensors` and `cuda`; `workbench::variables` steps the variables of a candle model |
//!
//! Dual numbers take a pass for each number of `w`; past some hundred of them a gradient by hand is cheaper. The trainers of
//! `workbench::memformer` and `workbench::optimizer` follow their own losses: `run_watched`, with `&mut progress` as its last argument,
//! shows them as they go.

use workbench::gradient_memory::{Dual, Scalar};
use workbench::optimizer::classical::{Adam, AdamSettings};
use workbench::optimizer::{Layout, Optimizer, Saved};
use workbench::prelude::*;

/// The logistic loss with a square penalty, mean of ln(1 + exp(-y x.w)) + |w|^2 / 200, for labels of -1 and 1.
fn loss<S: Scalar>(w: &[S], x: &Array2<f64>, y: &[f64]) -> Option<S> {
    let mut sum = S::zero();
    for (row, label) in x.rows().into_iter().zip(y) {
        let mut margin = S::zero();
        for (x, w) in row.iter().zip(w) {
            margin = margin + S::from_f64(*x)? * w.clone();
        }
        sum = sum + (S::one() + (-S::from_f64(*label)? * margin).exp()?).ln()?;
    }
    let penalty = w.iter().fold(S::zero(), |sum, w| sum + w.clone() * w.clone());
    Some(sum / S::whole(y.len() as i64) + penalty / S::whole(200))
}

/// Its gradient: a pass in dual numbers for each number of `w`.
fn gradient(w: &[f64], x: &Array2<f64>, y: &[f64]) -> Option<Vec<f64>> {
    let along = |k: usize| {
        let slope = |i: usize| if i == k { 1.0 } else { 0.0 };
        let dual: Vec<Dual<f64>> = (0..w.len()).map(|i| Dual { value: w[i], slope: slope(i) }).collect();
        Some(loss(&dual, x, y)?.slope)
    };
    (0..w.len()).map(along).collect()
}

/// The model is trained, its gradient is compared with differences, and the optimizer goes on from a saved state.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let streams = Streams::new(1);
    let x = normal_array2(&mut streams.stream("inputs")?, 200, 2);
    let noise = normal_array2(&mut streams.stream("noise")?, 200, 1);
    let y: Vec<f64> = (0..200).map(|i| (x[[i, 0]] - 0.5 * x[[i, 1]] + 0.3 * noise[[i, 0]]).signum()).collect();
    let no_float = "a loss of floats is a float";

    // The derivative is exact; a central difference is near it.
    let step = 1e-5;
    let difference =
        (loss(&[step, 0.0], &x, &y).ok_or(no_float)? - loss(&[-step, 0.0], &x, &y).ok_or(no_float)?) / (2.0 * step);
    let slopes = gradient(&[0.0, 0.0], &x, &y).ok_or(no_float)?;
    assert!((slopes[0] - difference).abs() < 1e-9);

    let settings = AdamSettings { rate: 0.1, ..AdamSettings::default() };
    let mut adam = Adam::new(Layout::of(&[("w", &[2])])?, settings)?;
    let mut w = vec![0.0; 2];
    let progress = Progress::new("training").log_curve();
    for _ in progress.over(0..200) {
        let slopes = gradient(&w, &x, &y).ok_or(no_float)?;
        adam.step(&mut w, &slopes)?;
        progress.value("loss", loss(&w, &x, &y).ok_or(no_float)?);
    }
    let right = (0..200).filter(|&i| y[i] * (x[[i, 0]] * w[0] + x[[i, 1]] * w[1]) > 0.0).count();
    assert!(right > 170 && w[0] > 0.0 && w[1] < 0.0);
    assert!(gradient(&w, &x, &y).ok_or(no_float)?.iter().all(|slope| slope.abs() < 1e-3));

    // The same bits follow from a saved state.
    let saved = adam.save().to_bytes();
    let mut again = Adam::new(Layout::of(&[("w", &[2])])?, settings)?;
    again.restore(&Saved::from_bytes(&saved)?)?;
    let (slopes, mut copy) = (gradient(&w, &x, &y).ok_or(no_float)?, w.clone());
    adam.step(&mut w, &slopes)?;
    again.step(&mut copy, &slopes)?;
    assert_eq!(w, copy);
    println!("{right} of 200 right, w = {w:.3?}");
    Ok(())
}
