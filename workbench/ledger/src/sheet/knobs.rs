//! Knobs of a check: numbers with a name, a default and a range, which a reader may turn.

use std::fmt;
use std::ops::{Bound, RangeBounds};

use workbench_record::number::shortest;

use super::super::{Error, check::Failure};
use super::Sheet;

/// What a knob stands at: a number or a list of numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A list.
    List(Vec<f64>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(x) => f.write_str(&shortest(*x)),
            Value::List(list) => write!(f, "[{}]", list.iter().map(|x| shortest(*x)).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// A knob that a check asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub value: Value,
    /// Where it stands if nobody turns it.
    pub default: Value,
}

/// A type of number that a knob can have.
pub trait Turn: Copy + PartialOrd + fmt::Display {
    /// The number as it is kept.
    fn number(self) -> f64;
    /// The number of this type; none for one that is not of it.
    fn of(number: f64) -> Option<Self>;
}

impl Turn for f64 {
    fn number(self) -> f64 {
        self
    }
    fn of(number: f64) -> Option<f64> {
        number.is_finite().then_some(number)
    }
}

macro_rules! whole {
    ($($kind:ty),*) => {$(
        impl Turn for $kind {
            fn number(self) -> f64 {
                self as f64
            }
            fn of(number: f64) -> Option<$kind> {
                let whole = number.fract() == 0.0 && number >= 0.0 && number <= 2f64.powi(53).min(<$kind>::MAX as f64);
                whole.then_some(number as $kind)
            }
        }
        impl From<$kind> for Value {
            fn from(number: $kind) -> Value {
                Value::Number(number as f64)
            }
        }
    )*};
}
whole!(usize, u64, u32, i32);

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}
impl<T: Turn, const N: usize> From<[T; N]> for Value {
    fn from(list: [T; N]) -> Value {
        Value::List(list.map(Turn::number).to_vec())
    }
}
impl<T: Turn> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Value {
        Value::List(list.into_iter().map(Turn::number).collect())
    }
}

impl Sheet {
    /// A number that a reader may turn, within the range; `default` is what is recorded.
    ///
    /// # Errors
    /// A reader's number that is outside of the range, or not of this type.
    pub fn knob<T: Turn>(&self, name: &str, default: T, range: impl RangeBounds<T>) -> Result<T, Failure> {
        let mut value = default;
        if !range.contains(&default) {
            return Err(outside(
                name,
                &Value::Number(default.number()),
                &range,
                "in its own range: its default has to be a number",
            ));
        }
        if let Some(given) = self.turned_to(name) {
            let found = match given {
                Value::Number(x) => T::of(x).filter(|x| range.contains(x)),
                Value::List(_) => None,
            };
            value = found.ok_or_else(|| outside(name, &given, &range, "a number"))?;
        }
        self.asked(name, Value::Number(value.number()), Value::Number(default.number()));
        Ok(value)
    }

    /// A list of numbers that a reader may turn, each within the range; `default` is what is recorded.
    ///
    /// # Errors
    /// As [`Sheet::knob`], and an empty list.
    pub fn knobs<T: Turn>(&self, name: &str, default: &[T], range: impl RangeBounds<T>) -> Result<Vec<T>, Failure> {
        let mut values = default.to_vec();
        if !default.iter().all(|x| range.contains(x)) {
            return Err(outside(
                name,
                &default.to_vec().into(),
                &range,
                "in its own range: its default has to be a list of numbers, each",
            ));
        }
        if let Some(given) = self.turned_to(name) {
            let list = match &given {
                Value::Number(_) => &[],
                Value::List(list) => list.as_slice(),
            };
            let found: Option<Vec<T>> = list.iter().map(|x| T::of(*x).filter(|x| range.contains(x))).collect();
            values = found
                .filter(|found| !found.is_empty())
                .ok_or_else(|| outside(name, &given, &range, "a list of at least one number, each"))?;
        }
        self.asked(name, values.clone().into(), default.to_vec().into());
        Ok(values)
    }

    fn turned_to(&self, name: &str) -> Option<Value> {
        self.turned.iter().rev().find(|(turned, _)| turned == name).map(|(_, value)| value.clone())
    }

    fn asked(&self, name: &str, value: Value, default: Value) {
        let knobs = &mut self.state.borrow_mut().knobs;
        if !knobs.iter().any(|knob| knob.name == name) {
            knobs.push(Knob { name: name.to_string(), value, default });
        }
    }
}

fn outside<T: Turn>(name: &str, given: &Value, range: &impl RangeBounds<T>, what: &str) -> Failure {
    let low = match range.start_bound() {
        Bound::Included(low) => format!(" of at least {low}"),
        Bound::Excluded(low) => format!(" above {low}"),
        Bound::Unbounded => String::new(),
    };
    let high = match range.end_bound() {
        Bound::Included(high) => format!(" and at most {high}"),
        Bound::Excluded(high) => format!(" and below {high}"),
        Bound::Unbounded => String::new(),
    };
    Box::new(Error::Knob { name: name.to_string(), problem: format!("{given} is not {what}{low}{high}") })
}

/// Refuses a knob that was turned and that the check never asked for.
pub(super) fn all_known(turned: &[(String, Value)], knobs: &[Knob]) -> Result<(), Error> {
    let known = |name: &str| knobs.iter().any(|knob| knob.name == name);
    let Some((name, _)) = turned.iter().find(|(name, _)| !known(name)) else {
        return Ok(());
    };
    let has: Vec<String> = knobs.iter().map(|knob| format!("{:?} = {}", knob.name, knob.default)).collect();
    let problem = match has.is_empty() {
        true => "this check has no knobs".to_string(),
        false => format!("this check has no such knob; it has {}", has.join(", ")),
    };
    Err(Error::Knob { name: name.clone(), problem })
}
