//! Methods whose parameters are learned from prompts: what is known exactly of their risk, how far N prompts determine them, and what
//! the matrices of a trained model converge to.
//!
//! **Source**: Section 5, Appendix A.5 and Appendix D of the document.
//!
//! | file | idea |
//! | --- | --- |
//! | `chi` | quadrature that is exact for polynomials in chi-squared variables |
//! | `krylov` | a Wishart matrix seen from one vector: a tridiagonal matrix of independent chi variables |
//! | `whitened` | exact risk and moments of the loss on $A_\ell=a_\ell\Sigma^{-1}$, and the best a |
//! | `class` | classes that are linear in their parameters, with exact population moments |
//! | `fourth` | their moments of fourth order: the scatter of empirical risk, and its price |
//! | `source` | draws the features of prompts from their exact law |
//! | `sample` | N prompts of such a class: empirical risk, its minimiser, the largest deviation |
//! | `faces` | extremes of a quadratic form over a box |
//! | `curve` | independent runs of learning from more and more prompts |
//! | `bounds` | finite-sample bounds with their constants |
//! | `distance` | Dist(M, I) of Appendix D |
//! | `symmetry` | prompts closed under signed permutations of whitened coordinates |
//! | `alignment` | distances of a model in training to multiples of $\Sigma^{-1}$ |
//! | `learned` | training on N prompts, trying on others |

pub(super) mod alignment;
pub(super) mod bounds;
mod chi;
pub(super) mod class;
pub(super) mod curve;
pub(super) mod distance;
mod faces;
mod fourth;
mod krylov;
pub(super) mod learned;
pub(super) mod sample;
mod source;
pub(super) mod symmetry;
pub(super) mod whitened;
