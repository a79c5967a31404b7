//! The whole model and its adjoint in one pass over prompts on the machine's cores: the definition's numbers, faster.
//!
//! $\operatorname{Attn}(Z)/n=RZ$ with $R=\sum_hP_hSQ_h$ and the moments $S=ZMZ^\top/n$, so a layer costs products of `(d + 1, d + 1)`
//! matrices and of one of them with the tokens. A pass keeps the states of one group of prompts in the cache and goes back through them at
//! once. Without registers the moments of a layer follow from those before it, and with more tokens than rows that costs least: then only
//! the first moments are of the tokens, once for each batch.
//!
//! | file | idea |
//! | --- | --- |
//! | `products` | products of matrices of lanes (small d) or of numbers (large d) |
//! | `pass` | forward and back through all layers for one group of prompts |
//! | `moments` | the same in moments alone, where every column goes the same way |
//! | `folded` | first moments of prompts, and the pass over them |
//! | `pack` | prompts in groups, chunks and threads |
//! | `operation` | the mean squared error as one operation of candle |

mod folded;
mod moments;
pub(crate) mod operation;
pub(crate) mod pack;
mod pass;
mod products;
