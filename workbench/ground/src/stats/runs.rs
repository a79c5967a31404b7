//! Numbers of independent runs over axes whose places have names.

use std::fmt;

use ndarray::{Array2, ArrayD, Axis, Ix2};

use super::{Error, Estimate, mean, paired_difference};
use crate::check;
use crate::tabulated::{Columns, Tabulated};

const OP: &str = "Runs";
/// Columns of the table beside the axes.
const COLUMNS: [&str; 3] = ["mean", "deviation", "runs"];

/// What a place on an axis is called.
#[derive(Clone, Debug, PartialEq)]
pub enum Label {
    /// A name, as of a method.
    Text(String),
    /// A number, as a dimension.
    Number(f64),
}

impl From<&str> for Label {
    fn from(text: &str) -> Label {
        Label::Text(text.to_string())
    }
}

impl From<f64> for Label {
    fn from(number: f64) -> Label {
        Label::Number(number)
    }
}

impl From<usize> for Label {
    fn from(number: usize) -> Label {
        Label::Number(number as f64)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Text(text) => write!(f, "\"{text}\""),
            Label::Number(number) => write!(f, "{number}"),
        }
    }
}

impl Label {
    /// How far another label is from this one: single edits between texts, the difference of numbers; infinite between the kinds.
    fn distance(&self, other: &Label) -> f64 {
        match (self, other) {
            (Label::Text(a), Label::Text(b)) => strsim::levenshtein(a, b) as f64,
            (Label::Number(a), Label::Number(b)) if a != b => (a - b).abs(),
            (a, b) => {
                if a == b {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
        }
    }
}

/// Numbers of independent runs on a grid of labelled axes, as method, dimension and data size.
///
/// Runs are the units of every interval, and what two cells of one run share cancels in their paired difference. Cells are selected by
/// label, never by position.
///
/// **Shapes**: values `(run, axis 1, ..., axis k)`.
///
/// ```
/// use workbench_ground::stats::{Label, Runs};
/// use ndarray::array;
/// let methods = ("method", vec![Label::from("descent"), Label::from("Adam")]);
/// let runs = Runs::new(vec![methods], array![[0.5, 0.1], [0.7, 0.3]].into_dyn())?;
/// assert_eq!(runs.select("method", "Adam")?.cell()?, [0.1, 0.3]);
/// assert!((runs.paired_difference("method", "descent", "Adam")?.value - 0.4).abs() < 1e-15);
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    axes: Vec<(&'static str, Vec<Label>)>,
    values: ArrayD<f64>,
}

impl Runs {
    /// Values with the name and the labels of each axis after the first, which is that of the runs.
    ///
    /// Two places of an axis may have one label, but then neither can be selected.
    ///
    /// **Errors**: [`Error::Shape`] for another number of axes or of labels, [`Error::Refused`] for two axes of one name or one called as a
    /// column of the table.
    pub fn new(axes: Vec<(&'static str, Vec<Label>)>, values: ArrayD<f64>) -> Result<Runs, Error> {
        let given = ("axes of the values", values.ndim());
        check::same("Runs::new", ("named axes with that of the runs", 1 + axes.len()), given)?;
        for ((_, labels), &length) in axes.iter().zip(&values.shape()[1..]) {
            check::same("Runs::new", ("labels of an axis", labels.len()), ("its length", length))?;
        }
        for (i, (name, _)) in axes.iter().enumerate() {
            if COLUMNS.contains(name) || axes[..i].iter().any(|(other, _)| other == name) {
                let problem = format!("an axis is called \"{name}\", as another column of the table");
                return Err(Error::refused("Runs::new", problem, "give each axis a name of its own"));
            }
        }
        Ok(Runs { axes, values })
    }

    /// All values, `(run, axis 1, ..., axis k)`.
    pub fn values(&self) -> &ArrayD<f64> {
        &self.values
    }

    /// The labels of an axis.
    ///
    /// **Errors**: [`Error::Refused`] if there is no such axis.
    pub fn labels(&self, axis: &str) -> Result<&[Label], Error> {
        Ok(&self.axes[self.axis(axis)?].1)
    }

    /// The position of a label on its axis, for what is kept beside the values.
    ///
    /// **Errors**: [`Error::Refused`] if there is no such axis, no such label (the message lists those there are, nearest first) or more
    /// than one place with it.
    pub fn place(&self, axis: &str, label: impl Into<Label>) -> Result<usize, Error> {
        let (labels, label) = (self.labels(axis)?, label.into());
        let mut places = (0..labels.len()).filter(|&i| labels[i] == label);
        match (places.next(), places.next()) {
            (Some(place), None) => Ok(place),
            (Some(_), Some(_)) => Err(Error::refused(
                OP,
                format!("{label} is the label of more than one {axis}"),
                "give each a label of its own",
            )),
            (None, _) => Err(Error::refused(
                OP,
                format!("no {axis} {label}; there are {}", nearest_first(&label, labels.to_vec())),
                "select one of these",
            )),
        }
    }

    /// What belongs to one label of an axis; the axis is gone.
    ///
    /// **Errors**: as [`Runs::place`].
    pub fn select(&self, axis: &str, label: impl Into<Label>) -> Result<Runs, Error> {
        let (at, place) = (self.axis(axis)?, self.place(axis, label)?);
        let mut axes = self.axes.clone();
        axes.remove(at);
        let values = self.values.index_axis(Axis(at + 1), place).to_owned();
        Ok(Runs { axes, values })
    }

    /// The values of the one cell that is left when every axis has been selected from, run by run.
    ///
    /// **Errors**: [`Error::Refused`] while axes are left.
    pub fn cell(&self) -> Result<Vec<f64>, Error> {
        match self.axes.is_empty() {
            true => Ok(self.values.iter().copied().collect()),
            false => Err(self.left_over("a cell")),
        }
    }

    /// The values along the one axis that is left, `(run, label)`.
    ///
    /// **Errors**: [`Error::Refused`] unless one axis is left.
    pub fn along(&self) -> Result<Array2<f64>, Error> {
        let values = self.values.as_standard_layout().into_owned();
        let table = values.into_dimensionality::<Ix2>();
        table.map_err(|_| self.left_over("the values along one axis"))
    }

    /// Mean over runs of the one cell that is left, with the house interval.
    ///
    /// **Errors**: as [`Runs::cell`] and [`mean`].
    pub fn mean(&self) -> Result<Estimate, Error> {
        mean(&self.cell()?)
    }

    /// The value at label `a` of the one axis that is left minus that at label `b`, paired by run, with the house interval.
    ///
    /// **Errors**: as [`Runs::select`], [`Runs::cell`] and [`paired_difference`].
    pub fn paired_difference(&self, axis: &str, a: impl Into<Label>, b: impl Into<Label>) -> Result<Estimate, Error> {
        paired_difference(&self.select(axis, a)?.cell()?, &self.select(axis, b)?.cell()?)
    }

    fn axis(&self, axis: &str) -> Result<usize, Error> {
        self.axes.iter().position(|(name, _)| *name == axis).ok_or_else(|| {
            let names = self.axes.iter().map(|(name, _)| Label::from(*name)).collect();
            let there = nearest_first(&axis.into(), names);
            Error::refused(OP, format!("no axis \"{axis}\"; there are {there}"), "select from one of these")
        })
    }

    fn left_over(&self, wanted: &str) -> Error {
        let axes: Vec<&str> = self.axes.iter().map(|(name, _)| *name).collect();
        let problem = format!("{wanted} needs other axes than the {} left ({})", axes.len(), axes.join(", "));
        Error::refused(OP, problem, "select a label of each of the others")
    }
}

/// A row for each cell: its labels under the names of the axes, then the `mean`, the `deviation` between runs and the number of `runs`.
/// Later axes vary faster.
///
/// **Errors**: as [`mean`], which needs two runs.
impl Tabulated for Runs {
    fn columns(&self) -> Result<Columns, Error> {
        let cells: Vec<Vec<f64>> = self.values.lanes(Axis(0)).into_iter().map(|cell| cell.to_vec()).collect();
        let (mut columns, mut period) = (Columns::new("Runs"), cells.len());
        for (name, labels) in &self.axes {
            period /= labels.len().max(1);
            let places: Vec<&Label> = (0..cells.len()).map(|row| &labels[row / period % labels.len()]).collect();
            let numbers = places.iter().map(|label| match label {
                Label::Number(number) => Some(*number),
                Label::Text(_) => None,
            });
            columns = match numbers.collect::<Option<Vec<f64>>>() {
                Some(numbers) => columns.with(name, numbers),
                None => columns.with(name, places.into_iter().map(plain).collect::<Vec<String>>()),
            };
        }
        let means = cells.iter().map(|cell| mean(cell)).collect::<Result<Vec<Estimate>, Error>>()?;
        let deviations: Vec<f64> = self.values.lanes(Axis(0)).into_iter().map(|cell| cell.std(1.0)).collect();
        Ok(columns
            .with(COLUMNS[0], means)
            .with(COLUMNS[1], deviations)
            .with(COLUMNS[2], cells.iter().map(Vec::len).collect::<Vec<usize>>()))
    }
}

fn plain(label: &Label) -> String {
    match label {
        Label::Text(text) => text.clone(),
        Label::Number(number) => number.to_string(),
    }
}

fn nearest_first(label: &Label, mut labels: Vec<Label>) -> String {
    labels.sort_by(|a, b| label.distance(a).total_cmp(&label.distance(b)));
    let words: Vec<String> = labels.iter().map(Label::to_string).collect();
    match words.is_empty() {
        true => "none".to_string(),
        false => words.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabulated::Values;
    use ndarray::ArrayD;

    /// Three runs, two methods, three dimensions; a value says where it stands.
    fn grid() -> Runs {
        let values = ArrayD::from_shape_fn(vec![3, 2, 3], |at| (100 * at[1] + 10 * at[2]) as f64 + at[0] as f64);
        let methods = ["descent", "Adam"].map(Label::from).to_vec();
        let dims = [4usize, 16, 64].map(Label::from).to_vec();
        Runs::new(vec![("method", methods), ("d", dims)], values).unwrap()
    }

    #[test]
    fn cells_are_found_by_their_labels_in_any_order() {
        let runs = grid();
        let one = runs.select("method", "Adam").unwrap().select("d", 16usize).unwrap();
        assert_eq!(one.cell().unwrap(), [110.0, 111.0, 112.0]);
        assert_eq!(one, runs.select("d", 16.0).unwrap().select("method", "Adam").unwrap());
        assert_eq!(one.mean().unwrap(), mean(&[110.0, 111.0, 112.0]).unwrap());
        let wide = runs.select("d", 64usize).unwrap();
        let gap = wide.paired_difference("method", "Adam", "descent").unwrap();
        assert_eq!((gap.value, gap.half_width(), gap.n), (100.0, 0.0, 3));
        let along = runs.select("method", "descent").unwrap().along().unwrap();
        assert_eq!(along, ndarray::array![[0.0, 10.0, 20.0], [1.0, 11.0, 21.0], [2.0, 12.0, 22.0]]);
        assert!(along.is_standard_layout());
    }

    #[test]
    fn the_table_has_a_row_for_each_cell() {
        let columns = grid().columns().unwrap().list;
        let names: Vec<&str> = columns.iter().map(|c| c.0.as_str()).collect();
        assert_eq!(names, ["method", "d", "mean", "deviation", "runs"]);
        let methods = ["descent", "descent", "descent", "Adam", "Adam", "Adam"];
        assert_eq!(columns[0].1, methods.into());
        assert_eq!(columns[1].1, [4.0, 16.0, 64.0, 4.0, 16.0, 64.0].into());
        let Values::Estimates(means) = &columns[2].1 else { panic!("{:?}", columns[2].1) };
        let means: Vec<f64> = means.iter().flatten().map(|mean| mean.value).collect();
        assert_eq!(means, [1.0, 11.0, 21.0, 101.0, 111.0, 121.0]);
        assert_eq!(columns[3].1, [1.0; 6].into());
        assert_eq!(columns[4].1, [3_usize; 6].into());
    }

    #[test]
    fn axes_have_names_of_their_own() {
        for names in [["d", "d"], ["d", "mean"]] {
            let axes = names.map(|name| (name, vec![Label::from(1.0)])).to_vec();
            let error = Runs::new(axes, ArrayD::zeros(vec![2, 1, 1])).unwrap_err().to_string();
            assert!(error.contains(names[1]), "{error}");
        }
    }

    #[test]
    fn what_is_not_there_is_refused_with_the_nearest_first() {
        let said = |refused: Result<Runs, Error>| refused.unwrap_err().to_string();
        let runs = grid();
        assert_eq!(said(runs.select("d", 17usize)), "Runs: no d 17; there are 16, 4, 64; select one of these");
        assert_eq!(
            said(runs.select("method", "Adm")),
            "Runs: no method \"Adm\"; there are \"Adam\", \"descent\"; select one of these"
        );
        assert!(said(runs.select("method", 0usize)).contains("no method 0; there are \"descent\""));
        assert!(said(runs.select("methods", "Adam")).contains("no axis \"methods\"; there are \"method\", \"d\""));
        let left = runs.select("d", 4usize).unwrap().cell().unwrap_err().to_string();
        assert!(left.contains("1 left (method)"), "{left}");
        assert!(runs.along().is_err() && runs.mean().is_err());
        let twins = vec![("method", vec![Label::from("a"), Label::from("a")])];
        let twins = Runs::new(twins, ArrayD::zeros(vec![2, 2])).unwrap();
        assert!(said(twins.select("method", "a")).contains("more than one method"));
        let short = Runs::new(vec![("d", vec![Label::from(4.0)])], ArrayD::zeros(vec![3, 2]));
        assert!(matches!(short, Err(Error::Shape { .. })));
        assert!(matches!(Runs::new(vec![], ArrayD::zeros(vec![3, 2])), Err(Error::Shape { .. })));
    }

    #[test]
    fn distances_between_labels() {
        let apart = |a: &str, b: &str| Label::from(a).distance(&Label::from(b));
        assert_eq!((apart("kitten", "sitting"), apart("", "abc"), apart("abc", "abc")), (3.0, 3.0, 0.0));
        let (all, ten) = (Label::from(f64::INFINITY), Label::from(10.0));
        assert_eq!((all.distance(&all), ten.distance(&all)), (0.0, f64::INFINITY));
    }
}
