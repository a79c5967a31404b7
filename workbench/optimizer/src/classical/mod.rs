//! The classical rules, as PyTorch 2 defines them (`torch.optim`).
//!
//! | rule | here |
//! | --- | --- |
//! | gradient descent, with momentum, Nesterov's form | [`Sgd`] |
//! | RMSprop, plain or centered, with momentum | [`RmsProp`] |
//! | Adam, AdamW | [`Adam`], [`AdamW`] |

mod adam;
#[cfg(test)]
pub(crate) mod conformance;
mod rmsprop;
mod sgd;

pub use adam::{Adam, AdamSettings, AdamW};
pub use rmsprop::{RmsProp, RmsPropSettings};
pub use sgd::{Sgd, SgdSettings};

#[cfg(test)]
mod tests;
