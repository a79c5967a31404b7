//! Several heads, experts and gates, and what is tuned at test time.
//!
//! **Source**: Section 4 and Appendix A.4. A layer with gated heads moves the error $u=w^\ast-w$ by
//!
//! $$ u_{\ell+1}=u_\ell-\sum_h\alpha_h\sum_{j\le\ell}\Lambda_j^h(A_j^h)^\top Hu_j, $$
//!
//! so that gates shared by all layers make one head with the preconditioners $\sum_h\alpha_hA_j^h(\Lambda_j^h)^\top$ ([`Gated::merged`]):
//! every question about gated heads is a question about a linear family of single heads, and the passes for one head serve.
//!
//! | file | idea |
//! | --- | --- |
//! | `law` | mixtures of task laws, mixed by prompt or by token |
//! | `experts` | heads that were trained alone, and gates over them |
//! | `answers` | answers and in-context losses of each head on each prompt |
//! | `gates` | the best gates: of outputs by least squares, of layers by Newton steps |
//! | `tuner` | Adam on gates, registers or everything, for several heads at once |
//! | `training` | training of experts side by side, and on mixtures |
//! | `tokens` | gated heads on tokens, in any arithmetic |

pub(super) mod answers;
pub(super) mod experts;
pub(super) mod gates;
pub(super) mod law;
pub(super) mod tokens;
pub(super) mod training;
pub(super) mod tuner;
