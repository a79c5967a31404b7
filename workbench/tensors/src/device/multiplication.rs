//! The setting of what multiplies matrices on devices.

use std::sync::atomic::{AtomicBool, Ordering};

/// What multiplies matrices on devices, for all passes of this process.
///
/// The machine's own cores, and [`Processor::Rehearsal`](crate::Processor::Rehearsal), do not heed it. Both answers are the same product,
/// with sums in another order: losses and gradients differ by rounding. Which one is faster depends on the device; the program
/// `gpu_agreement` times both in turns.
///
/// ```
/// use workbench_tensors::Multiplication;
/// assert_eq!(Multiplication::chosen(), Multiplication::Library);
/// Multiplication::Tiles.choose();
/// assert_eq!(Multiplication::chosen(), Multiplication::Tiles);
/// Multiplication::default().choose();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Multiplication {
    /// The device's library, unless the matrices are small and many.
    #[default]
    Library,
    /// A kernel of our own, for large products whose rows, or whose matrices, lie a number of entries apart that is no multiple of four, so
    /// that the library cannot read four at once, and whose results fill its tiles of 136 x 65 numbers to three quarters or more: with
    /// softmax attention at d = 64 and n = 256 all products of a layer. The library multiplies all others.
    Tiles,
}

static TILES: AtomicBool = AtomicBool::new(false);

impl Multiplication {
    /// Makes this the setting. What a pass asks for from now on obeys it, also one that another thread has begun.
    pub fn choose(self) {
        TILES.store(self == Multiplication::Tiles, Ordering::Relaxed);
    }

    /// The setting: [`Multiplication::Library`], if nothing was chosen.
    pub fn chosen() -> Multiplication {
        if TILES.load(Ordering::Relaxed) { Multiplication::Tiles } else { Multiplication::Library }
    }
}
