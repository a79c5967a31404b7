//! Draws three figures, each as SVG and PNG, into the folder given as argument, and prints their sizes and times.
//!
//! Run with `cargo run --example display_figure -- FOLDER`.

use std::time::Instant;

use ndarray::Array2;
use workbench::display::{Error, Figure, Panel};

/// A log-log scaling plot: measured points with a band, a rival, and the predicted power law.
fn scaling() -> Figure {
    let d: Vec<f64> = (5..=12).map(|k| f64::from(1 << k)).collect();
    let law = |c: f64, power: f64| -> Vec<f64> { d.iter().map(|d| c * d.powf(power)).collect() };
    let wobble = |values: Vec<f64>, size: f64| -> Vec<f64> {
        values.iter().enumerate().map(|(i, v)| v * (1.0 + size * (2.3 * i as f64).sin())).collect()
    };
    let mean = wobble(law(2.0, -0.5), 0.06);
    let low: Vec<f64> = mean.iter().map(|v| v * 0.82).collect();
    let high: Vec<f64> = mean.iter().map(|v| v * 1.22).collect();
    let panel = Panel::new("")
        .x_label("number of stored patterns n")
        .y_label("retrieval error (relative)")
        .log_x()
        .log_y()
        .band("measured, 99.9 % interval", &d, &low, &high)
        .line("measured, 99.9 % interval", &d, &mean)
        .points("measured, 99.9 % interval", &d, &mean)
        .points("without whitening", &d, &wobble(law(3.1, -0.3), 0.04))
        .theory("theory: 2 n^{−1/2} ∝ √(1/n)", &d, &law(2.0, -0.5))
        .hline("noise floor", 0.05);
    Figure::new("Error falls as the square root of the number of patterns").panel(panel).caption(
        "Both axes are logarithmic, so a power law is a straight line. The band is the 99.9 % interval over 20 runs; \
         the dashed line is the prediction with no free constant.",
    )
}

/// Four small panels: a decaying loss, a crowded cloud of points, a histogram, error bars.
fn panels() -> Figure {
    let steps: Vec<f64> = (0..400).map(f64::from).collect();
    let loss = |rate: f64| -> Vec<f64> {
        steps.iter().map(|t| (-rate * t).exp() + 1e-4 * (1.0 + 0.5 * (0.9 * t).sin())).collect()
    };
    let decay = Panel::new("Loss against steps")
        .x_label("step")
        .y_label("loss")
        .log_y()
        .line("heavy ball", &steps, &loss(0.05))
        .line("gradient descent", &steps, &loss(0.02))
        .theory("exp(−t/50)", &steps, &steps.iter().map(|t| (-t / 50.0).exp()).collect::<Vec<_>>())
        .y_limits(2e-5, 2.0);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for i in 0..1500 {
        let angle = 2.399_963 * f64::from(i);
        let radius = f64::from(i).sqrt() * 0.1;
        x.push(radius * angle.cos());
        y.push(radius * angle.sin());
    }
    let cloud =
        Panel::new("Points everywhere").x_label("first feature").y_label("second feature").points("samples", &x, &y);
    let bins: Vec<f64> = (-10..=10).map(|i| f64::from(i) * 0.3).collect();
    let counts: Vec<f64> = bins.iter().map(|x| (1e5 * (-x * x / 2.0).exp()).round()).collect();
    let histogram =
        Panel::new("Histogram").x_label("z-score").y_label("count").bars("draws", &bins, &counts).vline("mean", 0.0);
    let d = [64, 128, 256, 512, 1024];
    let y = [0.91, 0.62, 0.47, 0.30, 0.24];
    let low = [0.85, 0.55, 0.40, 0.22, 0.12];
    let high = [0.97, 0.70, 0.55, 0.39, 0.37];
    let other: Vec<f64> = y.iter().map(|v| v * 0.6).collect();
    let bars = Panel::new("Accuracy at five sizes")
        .x_label("dimension d")
        .y_label("share recalled")
        .log_x()
        .error_bars("softmax", &d, &y, &low, &high)
        .points("linear", &d, &other)
        .line("linear", &d, &other);
    Figure::new("Four panels").panel(decay).panel(cloud).panel(histogram).panel(bars).columns(2)
}

/// A phase diagram with a predicted boundary on logarithmic axes, and a signed matrix.
fn heat() -> Figure {
    let n: Vec<f64> = (0..24).map(|i| 10f64.powf(1.0 + f64::from(i) * 0.125)).collect();
    let m: Vec<f64> = (0..18).map(|i| 10f64.powf(f64::from(i) * 0.15)).collect();
    let phase = Array2::from_shape_fn((18, 24), |(i, j)| 1.0 / (1.0 + (m[i] / n[j].powf(0.7)).powi(3)));
    let edge: Vec<f64> = n.iter().map(|n| n.powf(0.7)).collect();
    let left = Panel::new("Share of patterns recalled")
        .x_label("dimension d")
        .y_label("stored patterns")
        .log_x()
        .log_y()
        .heatmap(&phase, &n, &m, "share recalled")
        .theory("capacity ∝ d^{0.7}", &n, &edge);
    let matrix = Array2::from_shape_fn((8, 8), |(i, j)| (i as f64 - j as f64) * (-((i + j) as f64) / 9.0).exp());
    let none: [f64; 0] = [];
    let right = Panel::new("Learned matrix")
        .x_label("column")
        .y_label("row")
        .heatmap(&matrix, &none, &none, "entry")
        .signed_colour();
    let fine =
        Array2::from_shape_fn((120, 160), |(i, j)| (i as f64 / 15.0).sin() * (j as f64 / 20.0).cos() * 1e-6 + 1.2e-6);
    let third =
        Panel::new("19 200 cells").x_label("x").y_label("y").heatmap(&fine, &none, &none, "energy").log_colour();
    Figure::new("Heat maps")
        .panel(left)
        .panel(right)
        .panel(third)
        .columns(2)
        .caption("The dashed line is the predicted capacity.")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("give the folder to write to as the argument")?;
    for (name, figure) in [("scaling", scaling()), ("panels", panels()), ("heat", heat())] {
        let start = Instant::now();
        let svg = figure.svg()?;
        let middle = Instant::now();
        let png = figure.png()?;
        println!(
            "{name}: SVG {:.1} KB in {:.1} ms, PNG {:.1} KB in {:.1} ms",
            svg.len() as f64 / 1e3,
            (middle - start).as_secs_f64() * 1e3,
            png.len() as f64 / 1e3,
            middle.elapsed().as_secs_f64() * 1e3
        );
        let save = |ending: &str| -> Result<(), Error> { figure.save(format!("{folder}/{name}.{ending}")) };
        save("svg")?;
        save("png")?;
    }
    println!("{}", heat().text()?);
    Ok(())
}
