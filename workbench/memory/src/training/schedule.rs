//! Learning rates over the steps of a descent.

use workbench_ground::Error;
use workbench_ground::check::{above_zero, positive};

const OP: &str = "Schedule";

/// The learning rate of each step.
///
/// **Source**: Section 3 and Fig. 7: a fixed rate, or one that falls in steps ("StepLR").
///
/// ```
/// use workbench_memory::Schedule;
/// let schedule = Schedule::steps(10.0, 0.1, 100)?;
/// assert_eq!((schedule.rate(0), schedule.rate(99), schedule.rate(100)), (10.0, 10.0, 1.0));
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Constant(f64),
    Steps { rate: f64, factor: f64, every: usize },
    List(Vec<f64>),
}

impl Schedule {
    /// The same rate at every step.
    ///
    /// **Errors**: a rate that is not finite or not positive.
    pub fn constant(rate: f64) -> Result<Schedule, Error> {
        Ok(Schedule(Kind::Constant(above_zero(OP, "rate", rate)?)))
    }

    /// Step decay: `rate` times `factor` to the number of whole periods of `every` steps that have passed.
    ///
    /// **Errors**: a rate or factor that is not finite or not positive, a period of zero.
    pub fn steps(rate: f64, factor: f64, every: usize) -> Result<Schedule, Error> {
        positive(OP, "every (steps)", every)?;
        Ok(Schedule(Kind::Steps {
            rate: above_zero(OP, "rate", rate)?,
            factor: above_zero(OP, "factor", factor)?,
            every,
        }))
    }

    /// One rate for each step; the last one holds on.
    ///
    /// **Errors**: an empty list, a rate that is not finite or not positive.
    pub fn list(rates: Vec<f64>) -> Result<Schedule, Error> {
        positive(OP, "rates", rates.len())?;
        for &rate in &rates {
            above_zero(OP, "rate", rate)?;
        }
        Ok(Schedule(Kind::List(rates)))
    }

    /// The same schedule with all rates multiplied.
    ///
    /// **Errors**: a factor that is not finite or not positive, a rate that overflows.
    pub fn times(&self, factor: f64) -> Result<Schedule, Error> {
        above_zero(OP, "factor", factor)?;
        match &self.0 {
            Kind::Constant(rate) => Schedule::constant(rate * factor),
            Kind::Steps { rate, factor: drop, every } => Schedule::steps(rate * factor, *drop, *every),
            Kind::List(rates) => Schedule::list(rates.iter().map(|rate| rate * factor).collect()),
        }
    }

    /// The rate of the step after `step` finished ones.
    pub fn rate(&self, step: usize) -> f64 {
        match &self.0 {
            Kind::Constant(rate) => *rate,
            // A double power: the number of drops may exceed i32, the rate is zero long before.
            Kind::Steps { rate, factor, every } => rate * factor.powf((step / every) as f64),
            Kind::List(rates) => rates[step.min(rates.len() - 1)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_by_hand() {
        let list = Schedule::list(vec![3.0, 2.0]).unwrap();
        assert_eq!((list.rate(0), list.rate(1), list.rate(7)), (3.0, 2.0, 2.0));
        assert_eq!(list.times(2.0).unwrap().rate(0), 6.0);
        let steps = Schedule::steps(8.0, 0.5, 10).unwrap();
        assert_eq!((steps.rate(9), steps.rate(10), steps.rate(39)), (8.0, 4.0, 1.0));
        assert_eq!(steps.times(0.5).unwrap().rate(10), 2.0);
        assert_eq!(steps.rate(usize::MAX), 0.0);
        assert_eq!(Schedule::constant(1.5).unwrap().times(2.0).unwrap().rate(usize::MAX), 3.0);
    }

    #[test]
    fn refuses_bad_rates() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Schedule::constant(bad), Err(Error::Parameter { .. })));
            assert!(matches!(Schedule::steps(1.0, bad, 5), Err(Error::Parameter { .. })));
            assert!(matches!(Schedule::list(vec![1.0, bad]), Err(Error::Parameter { .. })));
            assert!(Schedule::constant(1.0).unwrap().times(bad).is_err());
        }
        assert!(matches!(Schedule::steps(1.0, 0.5, 0), Err(Error::Zero { .. })));
        assert!(matches!(Schedule::list(vec![]), Err(Error::Zero { .. })));
        assert!(Schedule::constant(1e300).unwrap().times(1e300).is_err());
    }
}
