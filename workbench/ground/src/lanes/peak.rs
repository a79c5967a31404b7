//! Peak speed of the machine: the floor beside which benchmarks are read.

use std::hint::black_box;
use std::time::Instant;

use super::{Instructions, Lanes, PortableSingle};
#[cfg(target_arch = "x86_64")]
use super::{S8, S16};

/// Sums that are added to in turn: more than an addition takes cycles, times the units that do it.
const SUMS: usize = 12;
const ROUNDS: usize = 20_000;

/// Multiply-adds of single numbers that all threads together do in a second, in the widest registers, as a mean over `seconds`.
///
/// In double precision there are half as many. The threads are asked at once, since they share what the processor may consume. Nothing is
/// read from memory: a program whose numbers do not stay in registers reaches less.
pub fn multiply_adds_a_second(seconds: f64) -> f64 {
    rayon::broadcast(|_| of_one_thread(seconds)).iter().sum()
}

fn of_one_thread(seconds: f64) -> f64 {
    macro_rules! of {
        ($registers:ident) => {
            rate::<$registers>(seconds)
        };
    }
    crate::by_registers!(Single, Instructions::here(), of)
}

fn rate<V: Lanes<Scalar = f32>>(seconds: f64) -> f64 {
    V::vectorize(
        #[inline(always)]
        || {
            let (half, one) = (V::splat(black_box(0.5)), V::splat(black_box(1.0)));
            // Sums that were the same would be calculated once.
            let (mut sums, mut rounds) = ([one; SUMS], 0);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = V::splat(black_box(i as f32));
            }
            let begun = Instant::now();
            while rounds == 0 || begun.elapsed().as_secs_f64() < seconds {
                for _ in 0..ROUNDS {
                    for sum in &mut sums {
                        *sum = one.plus(half, *sum);
                    }
                }
                rounds += ROUNDS;
            }
            let elapsed = begun.elapsed().as_secs_f64();
            for sum in sums {
                black_box(sum.total());
            }
            (SUMS * rounds * V::N) as f64 / elapsed
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_a_number_however_short_it_is_asked_for() {
        let rate = multiply_adds_a_second(0.0);
        assert!(rate.is_finite() && rate > 0.0, "{rate:e}");
    }
}
