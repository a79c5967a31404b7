//! Hot paths of what a cell shows: a figure's text and pixels, a table's page.

use divan::{Bencher, counter::ItemsCount};
use ndarray::Array2;
use polars::prelude::{Column, DataFrame};
use workbench_display::{Figure, Panel, Table};

fn main() {
    divan::main();
}

/// Three lines of a thousand points.
fn lines() -> Figure {
    let x: Vec<f64> = (1..=1000).map(f64::from).collect();
    let panel = (1..=3).fold(Panel::new("three lines"), |panel, k| {
        let y: Vec<f64> = x.iter().map(|x| (x * 0.01 * f64::from(k)).sin()).collect();
        panel.line(&format!("k = {k}"), &x, &y)
    });
    Figure::new("lines").panel(panel)
}

#[divan::bench]
fn lines_as_svg(bencher: Bencher) {
    let figure = lines();
    bencher.bench(|| figure.svg());
}

#[divan::bench]
fn lines_as_png(bencher: Bencher) {
    let figure = lines();
    bencher.bench(|| figure.png());
}

/// A heatmap of 100 x 100 cells.
#[divan::bench]
fn heatmap_as_svg(bencher: Bencher) {
    let axis: Vec<f64> = (0..100).map(f64::from).collect();
    let values = Array2::from_shape_fn((100, 100), |(i, j)| (0.1 * i as f64).sin() * (0.1 * j as f64).cos());
    let figure = Figure::new("plane").panel(Panel::new("").heatmap(&values, &axis, &axis, "value"));
    bencher.bench(|| figure.svg());
}

/// All rows of a frame as a page.
#[divan::bench(args = [20, 1000])]
fn table_as_html(bencher: Bencher, rows: usize) {
    let column = |name: &str, by: f64| Column::new(name.into(), (0..rows).map(|i| by * i as f64).collect::<Vec<_>>());
    let columns = ["a", "b", "c", "d"].map(|name| column(name, 0.37));
    let table = Table::new(DataFrame::new(rows, columns.to_vec()).unwrap()).rows(rows);
    bencher.counter(ItemsCount::new(rows)).bench(|| table.to_html());
}
