//! B.1: the expert as a cell, for the case in which nothing is left to imitate.

use workbench_ground::stats::Stream;
use workbench_optimizer::cell::{Cell, Downward, Window};
use workbench_optimizer::classical::AdamSettings;
use workbench_optimizer::meta::Tapes;
use workbench_optimizer::number::CellNumber;
use workbench_optimizer::{Error, Layout, Precision, Runner};

/// A cell whose update is that of Adam; its one weight plays no part.
#[derive(Clone, Debug)]
pub struct AdamCell {
    settings: AdamSettings,
    layout: Layout,
}

impl AdamCell {
    /// Adam at this rate, the other settings as usual.
    pub fn new(rate: f64) -> Result<AdamCell, Error> {
        Ok(AdamCell {
            settings: AdamSettings { rate, ..AdamSettings::default() },
            layout: Layout::of(&[("none", &[1])])?,
        })
    }
}

impl Cell for AdamCell {
    fn name(&self) -> &'static str {
        "adam as a cell"
    }
    fn settings(&self) -> Vec<f64> {
        vec![self.settings.rate]
    }
    fn weights(&self) -> &Layout {
        &self.layout
    }
    fn trained(&self) -> usize {
        1
    }
    fn start(&self, _: &mut Stream) -> Result<Vec<f64>, Error> {
        Ok(vec![0.0])
    }
    fn state_len(&self) -> usize {
        2
    }
    fn tape_len(&self) -> usize {
        1
    }
    fn carry_len(&self, _: usize) -> usize {
        0
    }
    fn scratch_len(&self) -> usize {
        0
    }
    fn runner(&self, weights: &[f64], layout: &Layout, precision: Precision) -> Runner {
        Runner::of(self, weights, layout, precision)
    }
    fn tapes(&self, weights: &[f64], layout: &Layout, precision: Precision) -> Tapes {
        Tapes::of(self, weights, layout, precision)
    }

    fn step<N: CellNumber>(
        &self,
        _: &[N::Shared],
        time: u64,
        gradient: &[N],
        state: &mut [N],
        _: &mut [N],
        update: &mut [N],
    ) {
        let (s, t, g) = (self.settings, (time + 1) as f64, gradient[0]);
        state[0] = state[0] * N::of(s.beta1) + g * N::of(1.0 - s.beta1);
        state[1] = state[1] * N::of(s.beta2) + g * g * N::of(1.0 - s.beta2);
        let mean = state[0] * N::of(1.0 / (1.0 - s.beta1.powf(t)));
        let root = (state[1] * N::of(1.0 / (1.0 - s.beta2.powf(t)))).sqrt();
        update[0] = -(mean / (root + N::of(s.epsilon))) * N::of(s.rate);
    }

    fn adjoint<N: CellNumber>(&self, _: &[N::Shared], _: Window<'_, N>, _: usize, down: Downward<'_, N>) {
        down.gradient.fill(N::zero());
    }
}
