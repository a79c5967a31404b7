//! Draws, dimensions, margins and exponents with which the proofs of Theorems 1 to 3 (Appendices B.2 to B.4) are checked.

use std::sync::Arc;

use workbench_ledger::{Failure, Margin, Setting};
use workbench_memory::{ConditionalDraws, ErrorCurve, Profile, Scheme, Target, Threshold, Zipf, powers_of_two};

use crate::vocabulary::{largest_of, least_of};

/// Classes M.
pub const CLASSES: usize = 5;

/// An exponent of an exact sum, read off far out.
pub const EXACT_EXPONENT: Margin = Margin::statistical(
    "exponent of an exact sum",
    1e-3,
    "three digits; the sums have no other error than the distance from their limit",
);
/// An exponent of the expected error in d.
pub const EXPONENT_IN_D: Margin = Margin::statistical(
    "exponent in d",
    0.02,
    "two thirds or less of what one power of ln d, which the document hides, would add on the ranges asked: 0.03 to 0.08, from 2^32 to 2^60 and from 2^10 to 2^30",
);
/// An exponent of the expected error in T.
pub const EXPONENT_IN_T: Margin = Margin::statistical(
    "exponent in T",
    0.05,
    "half or less of what one power of ln T, which the document hides, would add on the ranges asked: 0.10 to 0.14, from 2^8 to 2^22 and from 2^6 to 2^16",
);
/// Constant up to less than a logarithm.
pub const FLAT: Margin =
    Margin::statistical("flat", 1.5, "half a power of the logarithm would change the ratio by more over these ranges");
/// A limit with a known constant.
pub const LIMIT: Margin =
    Margin::statistical("limit", 1e-3, "three digits at the far end of the range, where the next term is smaller");
/// A mean over draws against its closed form.
pub const DRAWN: Margin = Margin::statistical(
    "drawn",
    0.08,
    "a wrong form is off by a third or more; a mean over the draws keeps within a twentieth",
);
/// One, where a ratio must not pass it.
pub const ONE: Margin = Margin::printed("one", 1.0, "the statement is that one side is at most the other");
/// Sums over all data sets: a bound may be missed by rounding only.
pub const SUM_ROUNDING: Margin =
    Margin::rounding("rounding of a sum", 1e-13, "sums of some thousand probabilities in double precision");

/// The classes `f_*(x) = x mod 5`.
pub fn target() -> Result<Target, Failure> {
    Ok(Target::modulo(CLASSES)?)
}

/// Draws of everything random but the input embeddings, common to the checks.
pub fn draws(setting: &Setting) -> Result<Arc<ConditionalDraws>, Failure> {
    setting.shared("proofs: draws, M = 5", |own| {
        let n = own.scale().pick(300, 2000);
        Ok(ConditionalDraws::new(CLASSES, n, &mut own.stream("draws")?)?)
    })
}

/// `2^20` to `2^60`, as whole numbers and as floats.
pub fn far() -> Result<(Vec<usize>, Vec<f64>), Failure> {
    let dims = powers_of_two(20, 60, 4)?;
    let x = floats(&dims);
    Ok((dims, x))
}

/// Whole numbers as floats.
pub fn floats(values: &[usize]) -> Vec<f64> {
    values.iter().map(|v| *v as f64).collect()
}

/// `Q_inf / ||q||^2` of `p^rho`.
pub fn energy_share(law: &Zipf, target: &Target, rho: f64) -> Result<f64, Failure> {
    let profile = Profile::population(law, target, &Scheme::power(rho)?, 2)?;
    Ok(profile.largest_energy() / profile.total_energy())
}

/// `p_* = max_y p(y)`: at `rho = 1/2` the squared weights are p itself.
pub fn p_star(law: &Zipf) -> Result<f64, Failure> {
    energy_share(law, &target()?, 0.5)
}

/// `p^rho` on the top `d^exponent`.
pub fn truncated(rho: f64, exponent: f64) -> Result<Scheme, Failure> {
    let scale = 1.0;
    Ok(Scheme::power(rho)?.threshold(Threshold::PowerOfDimension { scale, exponent })?)
}

/// Equal weights on the top d / ln d of infinitely many inputs, alpha = 2, as in Theorem 3.
pub fn theorem_3_curve(setting: &Setting) -> Result<ErrorCurve, Failure> {
    let scheme = Scheme::uniform().threshold(Threshold::PerLogDimension(1.0))?;
    Ok(draws(setting)?.curve(&Zipf::infinite(2.0)?, &target()?, &scheme, &far()?.0)?)
}

/// One over the logarithm of each.
pub fn over_log(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| 1.0 / x.ln()).collect()
}

/// The exponent between the last two points.
pub fn last_exponent(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    (y[n - 1] / y[n - 2]).ln() / (x[n - 1] / x[n - 2]).ln()
}

/// Largest over smallest.
pub fn spread(values: &[f64]) -> f64 {
    largest_of(values) / least_of(values)
}
