//! Memories of an encoder: what is kept of keys and values, and what a query reads.

mod average;
mod cache;
mod compact;

use workbench_features::{MapKind, discount_of};
use workbench_ground::check::positive;

use super::Window;
use crate::Error;
use crate::number::CellNumber;

pub(crate) use compact::Compact;

/// What an encoder remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Memory {
    /// The compact memory of A.1.1: $\mathbf N_t=\lambda\mathbf N_{t-1}+\phi(k_t)v_t^\top$, $\Psi_t=\lambda\Psi_{t-1}+\phi(k_t)$, read as
    /// $\phi(q_t)^\top\mathbf N_t/\phi(q_t)^\top\Psi_t$, with $\lambda=e^{-\tau}$ ([`discount_of`]). State $r(d+1)$; a step costs some
    /// $4rd$ multiplications, r exponentials for each of query and key, and reads and writes the state once.
    Compact {
        /// $r$.
        features: usize,
        /// $\phi$: hyperbolic by default (B.3).
        map: MapKind,
        /// $\tau$.
        tau: f64,
    },
    /// Exact softmax attention over the last $h$ steps, the present one among them (B.2). State $2hd$.
    #[doc(alias = "KV cache")]
    Cache {
        /// $h$.
        steps: usize,
    },
    /// A control: the discounted mean of all values, whatever the query. State $d+1$.
    Average {
        /// $\tau$.
        tau: f64,
    },
    /// A control: the present value alone. No state.
    None,
}

impl Memory {
    /// The memory of B.1: $r=16$ hyperbolic features, $\tau=0.1$.
    pub fn default_compact() -> Memory {
        Memory::Compact { features: 16, map: MapKind::Hyperbolic, tau: 0.1 }
    }

    /// Whether queries and keys play a part.
    pub fn has_queries(self) -> bool {
        matches!(self, Memory::Compact { .. } | Memory::Cache { .. })
    }

    /// Numbers that one encoder remembers for one coordinate, for values of `hidden` numbers.
    pub fn state_len(self, hidden: usize) -> usize {
        match self {
            Memory::Compact { features, .. } => features * (hidden + 1),
            Memory::Cache { steps } => 2 * steps * hidden,
            Memory::Average { .. } => hidden + 1,
            Memory::None => 0,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Memory::Compact { .. } => "mnemosyne",
            Memory::Cache { .. } => "attention over a cache",
            Memory::Average { .. } => "averages",
            Memory::None => "no memory",
        }
    }

    pub(crate) fn numbers(self) -> [f64; 5] {
        match self {
            Memory::Compact { features, map, tau } => {
                let kind = match map {
                    MapKind::FavorPlus => 0.0,
                    MapKind::Hyperbolic => 1.0,
                    MapKind::FavorPlusPlus { .. } => 2.0,
                    MapKind::HyperbolicPlusPlus { .. } => 3.0,
                };
                [0.0, features as f64, tau, kind, map.a_hat()]
            }
            Memory::Cache { steps } => [1.0, steps as f64, 0.0, 0.0, 0.0],
            Memory::Average { tau } => [2.0, tau, 0.0, 0.0, 0.0],
            Memory::None => [3.0, 0.0, 0.0, 0.0, 0.0],
        }
    }
}

/// A memory with what follows from its settings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kept {
    Compact(Compact),
    Cache { steps: usize },
    Average { discount: f64 },
    None,
}

/// Queries, keys and values of one step.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a, N> {
    pub query: &'a [N],
    pub key: &'a [N],
    pub value: &'a [N],
}

/// Where an encoder left its numbers on the tapes of a window.
#[derive(Clone, Copy)]
pub(crate) struct Past<'a, N> {
    /// `state` holds this encoder's part alone.
    pub window: Window<'a, N>,
    pub tape_len: usize,
    pub query: usize,
    pub key: usize,
    pub value: usize,
    pub memory: usize,
    pub read: usize,
}

impl<'a, N> Past<'a, N> {
    pub fn at(&self, step: usize, from: usize, len: usize) -> &'a [N] {
        let start = step * self.tape_len + from;
        &self.window.tapes[start..start + len]
    }
}

/// Derivatives that the adjoint of a memory is given (`read`) and leaves (the rest).
pub(crate) struct Asking<'a, N> {
    pub read: &'a [N],
    pub query: &'a mut [N],
    pub key: &'a mut [N],
    pub value: &'a mut [N],
    /// For each step of the window [`Kept::carry_len`] numbers.
    pub carry: &'a mut [N],
    pub scratch: &'a mut [N],
}

impl Kept {
    pub fn new(op: &'static str, memory: Memory, hidden: usize) -> Result<Kept, Error> {
        Ok(match memory {
            Memory::Compact { features, map, tau } => Kept::Compact(Compact::new(features, map, tau, hidden)?),
            Memory::Cache { steps } => {
                positive(op, "length of the cache h", steps)?;
                Kept::Cache { steps }
            }
            Memory::Average { tau } => Kept::Average { discount: discount_of(tau)? },
            Memory::None => Kept::None,
        })
    }

    /// Numbers on the tape of a step.
    pub fn tape_len(&self) -> usize {
        match self {
            Kept::Compact(compact) => compact.tape_len(),
            Kept::Cache { steps } => *steps,
            Kept::Average { .. } => 1,
            Kept::None => 0,
        }
    }

    /// Numbers that the adjoint hands back to one step.
    pub fn carry_len(&self, hidden: usize) -> usize {
        match self {
            Kept::Compact(compact) => compact.features + hidden,
            Kept::Cache { .. } => 2 * hidden,
            Kept::Average { .. } => hidden,
            Kept::None => 0,
        }
    }

    /// Numbers of scratch.
    pub fn scratch_len(&self) -> usize {
        match self {
            Kept::Compact(compact) => 2 * compact.features,
            Kept::Cache { steps } => *steps,
            Kept::Average { .. } | Kept::None => 0,
        }
    }

    /// Takes one pattern in and reads.
    #[inline(always)]
    pub fn forward<N: CellNumber>(
        &self,
        fixed: &[N::Shared],
        time: u64,
        asked: Asked<'_, N>,
        state: &mut [N],
        tape: &mut [N],
        read: &mut [N],
    ) {
        match self {
            Kept::Compact(compact) => compact.forward(fixed, asked, state, tape, read),
            Kept::Cache { steps } => cache::forward(*steps, time, asked, state, tape, read),
            Kept::Average { discount } => average::forward(*discount, asked.value, state, tape, read),
            Kept::None => read.copy_from_slice(asked.value),
        }
    }

    /// Derivatives of query, key and value of step `at`, complete once all later steps of the window were asked.
    #[inline(always)]
    pub fn adjoint<N: CellNumber>(&self, fixed: &[N::Shared], past: Past<'_, N>, at: usize, asking: Asking<'_, N>) {
        match self {
            Kept::Compact(compact) => compact.adjoint(fixed, past, at, asking),
            Kept::Cache { steps } => cache::adjoint(*steps, past, at, asking),
            Kept::Average { discount } => average::adjoint(*discount, past, at, asking),
            Kept::None => asking.value.copy_from_slice(asking.read),
        }
    }
}
