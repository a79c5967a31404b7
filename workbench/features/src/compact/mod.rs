//! Compact associative memories: a Hopfield energy of exponential kernels, kept in r random features whatever the number of patterns.
//!
//! Source: appendix A.2 of "Mnemosyne" (Jain et al.), Theorem A.1 and its proof.
//!
//! | in the paper | here | shape | meaning |
//! | --- | --- | --- | --- |
//! | $\xi^\mu$, $M$, $N$ | [`Patterns`], `len`, `dim` | `(M, N)` signs | memories |
//! | $\hat\xi$, $\mathrm{neg}(\hat\xi,i)$ | [`Signs`], [`Signs::flipped`] | `(N)` signs | input, and the input with entry i negated |
//! | $E_\mathrm{reg}$ | [`DenseMemory`] with [`Interaction::Exponential`] | | minus the sum of exponential kernels |
//! | $E_\mathrm{rand}$ | [`CompactMemory`] | `(r)` numbers | its estimate by random features |
//! | $\Delta(E)$ | `flip_change` | [`SignedLog`] | energy change of a flip |
//! | $E_\mathrm{signal}$, $E_\mathrm{noise}$ | `signal_and_noise` | [`SignedLog`] | its parts |
//! | $\tau$, $\rho$ | [`Guarantee`] | fractions of N | distance of memories, radius of the ball |
//! | Eqs. 22 to 29 | [`scan`] | | every line, every input of every ball, every flip |
//! | $V_1,\dots,V_6$, $\Psi$ | [`FlipVariance`], [`log_psi`] | | exact variance of the energy change |
//! | Eqs. 30, 31 | [`joint_moments`], [`orthogonal_pair_covariance`] | | the same by integration over the projections |
//!
//! In the document the letter $\rho$ is both the radius of the ball and the parameter of FAVOR++; here the latter is always given as
//! `a_hat`. Everything is kept as logarithms, so that N in the thousands works.

mod capacity;
mod dynamics;
mod energy;
mod guarantee;
mod integral;
mod memory;
mod patterns;
mod scan;
mod sign_rate;
mod signed_log;
mod signs;
mod trials;
mod variance;

pub use capacity::{
    FlipTrials, binary_rate, exponential_capacity_exponent, gaussian_capacity, measured_capacity,
    measured_capacity_watched, predicted_capacity, proved_capacity_exponent, single_rival_capacity, wrong_flip_rate,
};
pub use dynamics::{Dynamics, Retrieval};
pub use energy::{DenseMemory, Interaction};
pub use guarantee::{Guarantee, log_most_words};
pub use integral::{JointMoments, joint_moments, log_psi_by_quadrature, orthogonal_pair_covariance};
pub use memory::CompactMemory;
pub use patterns::Patterns;
pub use scan::{Scan, ball, ball_size, scan, scan_of};
pub use sign_rate::{Flip, SignRuns, SignTrials, naive_relative_second_moment, sign_runs, squared_deviations};
pub use signed_log::SignedLog;
pub use signs::Signs;
pub use trials::{RandomFeatures, RetrievalTrials, compact_retrieval_rate, dense_retrieval_rate};
pub use variance::{FlipVariance, combination, log_draws_for_mean, log_psi, log_psi_as_printed};
pub use workbench_ground::Error;
