//! Exponents of what was measured, and their figure.

use std::io::Read;
use std::path::Path;

use workbench::display::{Figure, Panel};
use workbench::stats::power_fit;

use crate::Outcome;

/// Panels of the figure side by side.
const COLUMNS: usize = 2;
/// Pixels of the figure: a legend of a dozen curves stands below each panel.
const WIDTH: u32 = 1200;
/// See [`WIDTH`].
const HEIGHT: u32 = 2100;

/// What was measured of one row along its sizes.
struct Measured {
    room: String,
    row: String,
    quantity: String,
    sizes: Vec<f64>,
    values: Vec<f64>,
}

/// Lines `room,row,quantity,size,value`, those of one curve together.
fn read() -> Outcome<Vec<Measured>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut all: Vec<Measured> = Vec::new();
    for line in text.lines() {
        let [room, row, quantity, size, value] = line.split(',').collect::<Vec<_>>()[..] else {
            return Err(format!("{line:?} is no line room,row,quantity,size,value").into());
        };
        if all.last().is_none_or(|last| (&last.row[..], &last.quantity[..]) != (row, quantity)) {
            let (room, row, quantity) = (room.into(), row.into(), quantity.into());
            all.push(Measured { room, row, quantity, sizes: Vec::new(), values: Vec::new() });
        }
        if let Some(last) = all.last_mut() {
            last.sizes.push(size.parse()?);
            last.values.push(value.parse()?);
        }
    }
    Ok(all)
}

/// Answers each curve with its exponent, and draws the seconds of all of them.
pub fn read_and_draw(folder: &Path) -> Outcome<()> {
    let all = read()?;
    for curve in &all {
        // Sizes rise from the first to the last.
        let window = (curve.sizes[0], curve.sizes[curve.sizes.len() - 1]);
        let fit = power_fit(&curve.sizes, &curve.values, window)?;
        let local: Vec<String> = fit.local_slopes.iter().map(|(_, slope)| format!("{slope:.2}")).collect();
        let slope = fit.slope;
        println!(
            "{},{},{:.4},{:.4},{:.4},{}",
            curve.row,
            curve.quantity,
            slope.value,
            slope.low,
            slope.high,
            local.join(" ")
        );
    }
    figure(&all).save(folder.join("growth.svg"))?;
    Ok(())
}

/// Seconds of each row in units of those at its least size, against the size in the same units: a panel for each room.
fn figure(all: &[Measured]) -> Figure {
    let mut rooms: Vec<&str> = all.iter().map(|curve| &curve.room[..]).collect();
    rooms.dedup();
    let mut figure = Figure::new("How time grows with each size").columns(COLUMNS).size(WIDTH, HEIGHT).caption(
        "Both axes are logarithmic and in units of the least size: a cost of exponent 1 is the dashed diagonal, and of exponent 2 twice as \
         steep.",
    );
    for room in rooms {
        let mut panel =
            Panel::new(room).x_label("size / least size").y_label("seconds / at the least size").log_x().log_y();
        for curve in all.iter().filter(|curve| curve.room == room && curve.quantity == "seconds") {
            let relative = |values: &[f64]| values.iter().map(|value| value / values[0]).collect::<Vec<f64>>();
            let (x, y) = (relative(&curve.sizes), relative(&curve.values));
            panel = panel.line(&curve.row, &x, &y).points(&curve.row, &x, &y);
        }
        panel = panel.theory("exponent 1", &[1.0, 256.0], &[1.0, 256.0]).legend_below();
        figure = figure.panel(panel);
    }
    figure
}
