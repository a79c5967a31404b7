//! Results as named columns: a room says once what its result consists of, and whatever shows, draws or writes it reads that.
//!
//! ```
//! use workbench_ground::{Columns, Error, Tabulated};
//! struct Decay { step: Vec<usize>, loss: Vec<f64> }
//! impl Tabulated for Decay {
//!     fn columns(&self) -> Result<Columns, Error> {
//!         Ok(Columns::new("Decay").x("step", &self.step).with("loss", &self.loss).log_y())
//!     }
//! }
//! let decay = Decay { step: vec![0, 10, 20], loss: vec![1.0, 0.1, 0.01] };
//! let columns = decay.columns()?;
//! assert_eq!((columns.list.len(), columns.x, columns.log_y), (2, Some(0), true));
//! # Ok::<(), Error>(())
//! ```

use ndarray::{ArrayBase, Data, Ix1};

use crate::Error;
use crate::estimate::Estimate;

/// The values of one column, with their type.
///
/// Made with `.into()` from vectors, slices and arrays of floats, integers, `bool`, strings and [`Estimate`]s; a vector of `Option`
/// gives nulls.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// 64-bit floats, `None` is null.
    Floats(Vec<Option<f64>>),
    /// 64-bit integers, `None` is null.
    Integers(Vec<Option<i64>>),
    /// Strings, `None` is null.
    Strings(Vec<Option<String>>),
    /// Booleans, `None` is null.
    Booleans(Vec<Option<bool>>),
    /// Estimates, `None` is null. A frame has three columns for them: the value and both ends of its interval.
    Estimates(Vec<Option<Estimate>>),
}

impl Values {
    /// Number of values, nulls included.
    pub fn len(&self) -> usize {
        match self {
            Values::Floats(v) => v.len(),
            Values::Integers(v) => v.len(),
            Values::Strings(v) => v.len(),
            Values::Booleans(v) => v.len(),
            Values::Estimates(v) => v.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What an entry of a column can be.
pub trait ColumnEntry: Sized {
    /// The column of these entries; `None` is null.
    fn values<'a>(entries: impl Iterator<Item = Option<&'a Self>>) -> Values
    where
        Self: 'a;
}

macro_rules! entries {
    ($variant:ident, $($entry:ty),+: $convert:expr) => {$(
        impl ColumnEntry for $entry {
            fn values<'a>(entries: impl Iterator<Item = Option<&'a Self>>) -> Values
            where
                Self: 'a,
            {
                Values::$variant(entries.map(|entry| entry.and_then($convert)).collect())
            }
        }
    )+};
}

entries!(Floats, f64: |&x| Some(x));
entries!(Floats, f32: |&x| Some(f64::from(x)));
entries!(Integers, i64: |&n| Some(n));
entries!(Integers, i8, i16, i32, u8, u16, u32: |&n| Some(i64::from(n)));
// Counts beyond `i64::MAX` become null.
entries!(Integers, u64, usize, isize: |&n| i64::try_from(n).ok());
entries!(Strings, String: |text| Some(text.clone()));
entries!(Strings, &str: |text| Some((*text).to_string()));
entries!(Booleans, bool: |&truth| Some(truth));
entries!(Estimates, Estimate: |&estimate| Some(estimate));

impl<T: ColumnEntry> ColumnEntry for Option<T> {
    fn values<'a>(entries: impl Iterator<Item = Option<&'a Self>>) -> Values
    where
        Self: 'a,
    {
        T::values(entries.map(|entry| entry.and_then(Option::as_ref)))
    }
}

/// From a list by reference, and from a reference to that, as a macro makes it that takes lists and references alike.
macro_rules! lists {
    ($([$($parameter:tt)*] $list:ty),+) => {$(
        impl<T: ColumnEntry, $($parameter)*> From<&$list> for Values {
            fn from(entries: &$list) -> Values {
                T::values(entries.iter().map(Some))
            }
        }

        impl<T: ColumnEntry, $($parameter)*> From<&&$list> for Values {
            fn from(entries: &&$list) -> Values {
                T::values(entries.iter().map(Some))
            }
        }
    )+};
}

lists!([] [T], [] Vec<T>, [const N: usize] [T; N], [S: Data<Elem = T>] ArrayBase<S, Ix1>);

impl<T: ColumnEntry> From<Vec<T>> for Values {
    fn from(entries: Vec<T>) -> Values {
        Values::from(&entries)
    }
}

impl<T: ColumnEntry, const N: usize> From<[T; N]> for Values {
    fn from(entries: [T; N]) -> Values {
        Values::from(&entries)
    }
}

/// Named columns of one length, and which of them is the horizontal axis if the others are curves over it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// What the whole is, for the title of a table or figure.
    pub title: String,
    /// Names and values, in order.
    pub list: Vec<(String, Values)>,
    /// Position of the column that the others are curves over.
    pub x: Option<usize>,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
}

impl Columns {
    /// No columns yet.
    pub fn new(title: &str) -> Columns {
        Columns { title: title.to_string(), ..Columns::default() }
    }

    /// Adds a column: numbers, strings, truth values or estimates.
    pub fn with(mut self, name: &str, values: impl Into<Values>) -> Columns {
        self.list.push((name.to_string(), values.into()));
        self
    }

    /// Adds the column that the others are curves over.
    pub fn x(mut self, name: &str, values: impl Into<Values>) -> Columns {
        self.x = Some(self.list.len());
        self.with(name, values)
    }

    /// Makes the horizontal axis of the curves logarithmic.
    pub fn log_x(mut self) -> Columns {
        self.log_x = true;
        self
    }

    /// Makes the vertical axis of the curves logarithmic.
    pub fn log_y(mut self) -> Columns {
        self.log_y = true;
        self
    }
}

/// A result that can be written as named columns.
pub trait Tabulated {
    /// The columns.
    ///
    /// **Errors**: what keeps them from being computed, such as too few runs for an interval.
    fn columns(&self) -> Result<Columns, Error>;
}

impl Tabulated for Columns {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    #[test]
    fn every_kind_of_entry_has_its_type_and_its_nulls() {
        assert_eq!(Values::from([0.5_f32, 2.0]), Values::from(&array![0.5, 2.0]));
        assert_eq!(Values::from(vec![3_u8]), Values::Integers(vec![Some(3)]));
        assert_eq!(Values::from(&[7_usize, 8][..]), Values::from([7_i32, 8]));
        assert_eq!(Values::from([u64::MAX]), Values::Integers(vec![None]));
        assert_eq!(Values::from(&["a", "b"]), Values::from(vec!["a".to_string(), "b".to_string()]));
        assert_eq!(Values::from(&vec![true]), Values::Booleans(vec![Some(true)]));
        assert_eq!(Values::from([Some(1.5), None]), Values::Floats(vec![Some(1.5), None]));
        let estimate = Estimate::exact(2.0);
        assert_eq!(Values::from([estimate]), Values::Estimates(vec![Some(estimate)]));
        let twice = &Array1::from(vec![1_i64]);
        assert_eq!(Values::from(&twice).len(), 1);
        assert!(Values::from(Vec::<bool>::new()).is_empty());
    }

    #[test]
    fn columns_stand_in_order_and_know_their_axis() {
        let columns = Columns::new("error").with("name", ["a"]).x("d", [64]).with("error", [0.5]).log_x();
        assert_eq!((columns.x, columns.log_x, columns.log_y), (Some(1), true, false));
        let names: Vec<&str> = columns.list.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["name", "d", "error"]);
    }

    #[test]
    fn an_integral_is_one_row() {
        let integral = crate::stats::integrate(&|x| x * x, 0.0, 1.0, 1e-9).unwrap().columns().unwrap();
        assert!(integral.x.is_none() && integral.list.iter().all(|(_, values)| values.len() == 1));
    }
}
