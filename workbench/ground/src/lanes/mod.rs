//! Vectors of one number per prompt, as wide as the processor's registers.
//!
//! Kernels are written once against [`Lanes`] and compiled for AVX-512, for AVX2 with FMA and for any machine; the processor is asked
//! at run time which of them it can run. Plain loops that the compiler turns into vector code are defined with
//! [`vectorized!`](crate::vectorized).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod choice;
mod compiled;
mod exponential;
mod peak;
mod portable;
mod precision;
mod single;
mod tile;
mod turn;

#[cfg(target_arch = "x86_64")]
pub use avx2::{D4, S8};
#[cfg(target_arch = "x86_64")]
pub use avx512::{D8, S16};
pub use choice::wide;
pub use compiled::Instructions;
pub use exponential::{exp64, two_to_32, two_to_less_32};
pub use peak::multiply_adds_a_second;
pub use portable::{PortableDouble, PortableSingle};
pub use precision::Precision;
pub use tile::{TileNumber, multiply, product_in};
pub use turn::transpose;

/// A number that lanes are made of.
pub trait Real: Copy + Send + Sync + 'static {
    /// Rounds.
    fn of(value: f64) -> Self;
    /// Exact.
    fn wide(self) -> f64;
}

impl Real for f32 {
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    fn of(value: f64) -> f64 {
        value
    }
    fn wide(self) -> f64 {
        self
    }
}

/// One register: the same quantity of `N` prompts.
///
/// Values exist only on processors that have the instructions: [`Lanes::available`] is asked before a batch is packed.
pub trait Lanes: Copy + Send + Sync + 'static {
    /// What a lane holds.
    type Scalar: Real;
    /// Number of lanes.
    const N: usize;
    /// Rows of an outer product whose accumulators fit the registers, five columns wide.
    const ROWS: usize;

    /// Whether this processor has the instructions.
    fn available() -> bool;
    /// Runs `work` compiled for these instructions, as far as it is inlined.
    fn vectorize<R>(work: impl FnOnce() -> R) -> R;
    /// The same number in every lane.
    fn splat(value: Self::Scalar) -> Self;
    /// From `N` numbers.
    fn from_slice(values: &[Self::Scalar]) -> Self;
    /// Writes the `N` lanes.
    fn write(self, out: &mut [Self::Scalar]);
    /// self + other.
    fn add(self, other: Self) -> Self;
    /// self - other.
    fn sub(self, other: Self) -> Self;
    /// self other.
    fn mul(self, other: Self) -> Self;
    /// self + a b.
    fn plus(self, a: Self, b: Self) -> Self;
    /// self - a b.
    fn minus(self, a: Self, b: Self) -> Self;

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Scalar::of(0.0))
    }

    /// Sum over the lanes, in double precision and in a fixed order.
    fn total(self) -> f64 {
        const MOST: usize = 16;
        let mut lanes = [Self::Scalar::of(0.0); MOST];
        self.write(&mut lanes[..Self::N]);
        lanes[..Self::N].iter().map(|v| v.wide()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arithmetic<V: Lanes>() {
        if !V::available() {
            return;
        }
        let numbers = |f: fn(f64) -> f64| -> Vec<V::Scalar> { (0..V::N).map(|i| V::Scalar::of(f(i as f64))).collect() };
        let (x, y) = (V::from_slice(&numbers(|i| 1.0 + i)), V::from_slice(&numbers(|i| 0.5 - 2.0 * i)));
        let check = |v: V, f: &dyn Fn(f64, f64) -> f64| {
            let mut out = numbers(|_| 0.0);
            v.write(&mut out);
            for (i, got) in out.iter().enumerate() {
                let i = i as f64;
                assert_eq!(got.wide(), f(1.0 + i, 0.5 - 2.0 * i));
            }
        };
        V::vectorize(|| {
            check(x.add(y), &|x, y| x + y);
            check(x.sub(y), &|x, y| x - y);
            check(x.mul(y), &|x, y| x * y);
            check(x.plus(x, y), &|x, y| x + x * y);
            check(x.minus(x, y), &|x, y| x - x * y);
            check(V::splat(V::Scalar::of(3.0)), &|_, _| 3.0);
            check(V::zero(), &|_, _| 0.0);
        });
        let n = V::N as f64;
        assert_eq!(x.total(), n * (n + 1.0) / 2.0);
    }

    #[test]
    fn every_kind_of_register_calculates() {
        arithmetic::<PortableSingle>();
        arithmetic::<PortableDouble>();
        #[cfg(target_arch = "x86_64")]
        {
            arithmetic::<S8>();
            arithmetic::<D4>();
            arithmetic::<S16>();
            arithmetic::<D8>();
        }
    }
}
