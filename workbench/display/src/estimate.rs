//! Estimates and fits shown as tables.

use polars::prelude::DataFrame;

use super::{Error, Tabular, Values, columns};
use workbench_ground::stats::{Estimate, PowerFit};

/// A row for each estimate, with its name where there are names.
fn rows(names: &[&str], estimates: &[Estimate]) -> Result<DataFrame, Error> {
    let values = |f: fn(&Estimate) -> f64| Values::from(estimates.iter().map(f).collect::<Vec<f64>>());
    let mut list = vec![
        ("estimate", values(|e| e.value)),
        ("low", values(|e| e.low)),
        ("high", values(|e| e.high)),
        ("confidence", values(|e| e.confidence)),
        ("n", Values::from(estimates.iter().map(|e| e.n as i64).collect::<Vec<i64>>())),
    ];
    if !names.is_empty() {
        list.insert(0, ("quantity", Values::from(names.to_vec())));
    }
    columns(list)
}

impl Tabular for Estimate {
    fn to_frame(&self) -> Result<DataFrame, Error> {
        rows(&[], &[*self])
    }
}

/// A row for each.
impl Tabular for [Estimate] {
    fn to_frame(&self) -> Result<DataFrame, Error> {
        rows(&[], self)
    }
}

impl Tabular for Vec<Estimate> {
    fn to_frame(&self) -> Result<DataFrame, Error> {
        self.as_slice().to_frame()
    }
}

impl Tabular for PowerFit {
    fn to_frame(&self) -> Result<DataFrame, Error> {
        rows(&["slope", "ln y at x = 1"], &[self.slope, self.intercept])
    }

    fn table_title(&self) -> String {
        let (low, high) = self.window;
        format!("ln y against ln x, {low} ≤ x ≤ {high}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_one_row_with_its_interval() {
        let estimate = Estimate::new(1.0, 0.5, 1.5, 12, 0.999).unwrap();
        let frame = estimate.to_frame().unwrap();
        assert_eq!(frame.shape(), (1, 5));
        assert_eq!(frame.column("n").unwrap().i64().unwrap().get(0), Some(12));
        let several = vec![estimate, Estimate::exact(2.0), estimate];
        assert_eq!(several.to_frame().unwrap().shape(), (3, 5));
        assert_eq!(several[1..].to_frame().unwrap().shape(), (2, 5));
        assert_eq!(Vec::<Estimate>::new().to_frame().unwrap().shape(), (0, 5));
    }

    #[test]
    fn a_fit_names_its_two_numbers_and_its_window() {
        let x = [1.0, 2.0, 4.0, 8.0];
        let fit = workbench_ground::stats::power_fit(&x, &x.map(|v: f64| 3.0 / v), (1.0, 8.0)).unwrap();
        let frame = fit.to_frame().unwrap();
        assert_eq!(frame.shape(), (2, 6));
        assert!(fit.table_title().contains("≤ 8"));
    }
}
