//! The whole model and its adjoint in one pass over prompts on the machine's cores: the definition's numbers, faster.
//!
//! $\operatorname{Attn}(Z)/n=RZ$ with $R=\sum_hP_hSQ_h$ and the moments $S=ZMZ^\top/n$, so a layer costs products of `(d + 1, d + 1)`
//! matrices and of one of them with the tokens. A pass keeps the states of one group of prompts in the cache and goes back through them at
//! once.
//!
//! | file | idea |
//! | --- | --- |
//! | `products` | products of matrices of lanes (small d) or of numbers (large d) |
//! | `pass` | forward and back through all layers for one group of prompts |
//! | `pack` | prompts in groups, chunks and threads |
//! | `operation` | the mean squared error as one operation of candle |

pub(crate) mod operation;
pub(crate) mod pack;
mod pass;
mod products;
