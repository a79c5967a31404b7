//! The proofs of Theorems 1 to 3 step by step (Appendices B.2 to B.4): every set, bound and identity of their chains as a function.
//!
//! | step of the paper | here |
//! | --- | --- |
//! | variance of the noise, class by class | [`noise`] |
//! | the set $\{x:d\,q(x)^2\le p_\ast\lVert q\rVert^2\}$, its load and the balance of B.3 | [`load`] |
//! | Chernoff, the data term, the bound with data | [`finite_data`] |
//! | all data sets of a tiny problem with their exact error | [`data_sets`] |
//! | the method of types | [`types`] |
//! | leaving the top P: exchange, information projection | [`projection`] |

pub(crate) mod data_sets;
pub(crate) mod finite_data;
pub(crate) mod load;
pub(crate) mod noise;
pub(crate) mod projection;
pub(crate) mod types;
