//! Trained models beside the classical methods: the same prompts, the same losses, the same number of layers.
//!
//! | file | idea |
//! | --- | --- |
//! | `losses` | what a method leaves on a set of prompts, measured in three ways |
//! | `curve` | loss against layers over several runs, and differences run by run |
//! | `tuning` | the constants of momentum and Nesterov's method on a grid |

pub(super) mod curve;
pub(super) mod losses;
pub(super) mod tuning;
