//! Summary statistics of a frame, one row per column.

use polars::prelude::{DataFrame, DataType};

use super::{Error, columns};

/// Count, nulls, NaNs, mean, standard deviation, minimum, quartiles and maximum of every column.
///
/// One row per column of `frame`. Statistics are over the values that are neither null nor NaN; the standard deviation
/// divides by n - 1 and is null for n < 2; quartiles interpolate linearly between order statistics. Columns that are not
/// numeric have nulls there. Booleans count as 0 and 1.
///
/// ```
/// let frame = workbench_display::frame(&[("x", &[1.0, 2.0, 3.0, 4.0])])?;
/// let summary = workbench_display::describe(&frame)?;
/// let mean = summary.column("mean").unwrap().f64().unwrap().get(0);
/// assert_eq!(mean, Some(2.5));
/// # Ok::<(), workbench_display::Error>(())
/// ```
pub fn describe(frame: &DataFrame) -> Result<DataFrame, Error> {
    let (mut name, mut kind) = (Vec::new(), Vec::new());
    let (mut count, mut nulls, mut nans) = (Vec::new(), Vec::new(), Vec::new());
    let mut statistics: [Vec<Option<f64>>; 7] = Default::default();
    for column in frame.columns() {
        name.push(column.name().to_string());
        kind.push(column.dtype().to_string());
        nulls.push(column.null_count() as i64);
        count.push((column.len() - column.null_count()) as i64);
        let numeric = column.dtype().is_primitive_numeric() || column.dtype().is_bool();
        let mut values = Vec::new();
        if numeric {
            let cast = column.cast(&DataType::Float64).map_err(|e| Error::polars("describe", e))?;
            let floats = cast.f64().map_err(|e| Error::polars("describe", e))?;
            values = floats.iter().flatten().collect();
        }
        let all = values.len();
        values.retain(|x| !x.is_nan());
        nans.push(numeric.then_some((all - values.len()) as i64));
        values.sort_by(f64::total_cmp);
        for (column, value) in statistics.iter_mut().zip(summary(&values)) {
            column.push(value);
        }
    }
    let [mean, std, min, q1, median, q3, max] = statistics;
    columns(vec![
        ("column", name.into()),
        ("type", kind.into()),
        ("count", count.into()),
        ("nulls", nulls.into()),
        ("NaNs", nans.into()),
        ("mean", mean.into()),
        ("std", std.into()),
        ("min", min.into()),
        ("25%", q1.into()),
        ("median", median.into()),
        ("75%", q3.into()),
        ("max", max.into()),
    ])
}

/// Mean, standard deviation, minimum, three quartiles and maximum of sorted values.
fn summary(sorted: &[f64]) -> [Option<f64>; 7] {
    let n = sorted.len();
    if n == 0 {
        return [None; 7];
    }
    let mean = sorted.iter().sum::<f64>() / n as f64;
    let squares: f64 = sorted.iter().map(|x| (x - mean) * (x - mean)).sum();
    let std = (n > 1).then(|| (squares / (n - 1) as f64).sqrt());
    let quantile = |q: f64| {
        let at = q * (n - 1) as f64;
        let (low, part) = (at.floor() as usize, at.fract());
        let next = sorted[(low + 1).min(n - 1)];
        // Without the branch an infinite neighbour with weight 0 would give NaN.
        Some(if part == 0.0 { sorted[low] } else { sorted[low] * (1.0 - part) + next * part })
    };
    [Some(mean), std, Some(sorted[0]), quantile(0.25), quantile(0.5), quantile(0.75), Some(sorted[n - 1])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_by_hand() {
        // 0..=4: quartiles 1, 2, 3; variance 2.5.
        let [mean, std, min, q1, median, q3, max] = summary(&[0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!((mean, min, max), (Some(2.0), Some(0.0), Some(4.0)));
        assert_eq!((q1, median, q3), (Some(1.0), Some(2.0), Some(3.0)));
        assert!((std.unwrap() - 2.5_f64.sqrt()).abs() < 1e-15);
        assert_eq!(summary(&[7.0])[1], None);
    }

    #[test]
    fn nulls_nans_and_strings_are_counted_apart() {
        let frame = columns(vec![
            ("x", vec![Some(1.0), None, Some(f64::NAN), Some(3.0)].into()),
            ("s", ["a", "b", "c", "d"].into()),
            ("ok", [true, true, false, false].into()),
        ])
        .unwrap();
        let summary = describe(&frame).unwrap();
        let get = |name: &str, row| summary.column(name).unwrap().f64().unwrap().get(row);
        assert_eq!(get("mean", 0), Some(2.0));
        assert_eq!(get("mean", 1), None);
        assert_eq!(get("mean", 2), Some(0.5));
        let counts = summary.column("count").unwrap().i64().unwrap();
        assert_eq!((counts.get(0), counts.get(1)), (Some(3), Some(4)));
        assert_eq!(summary.column("NaNs").unwrap().i64().unwrap().get(0), Some(1));
    }
}
