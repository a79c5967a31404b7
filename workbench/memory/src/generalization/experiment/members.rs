//! Memories of a run: weights for every scheme, dimension and data set, and each set of them once.

use super::{Experiment, OP};
use crate::data::samples::Samples;
use crate::data::zipf::Counts;
use workbench_ground::Error;
use workbench_ground::stats::Stream;
use workbench_ground::work::{self, Finished};

impl Experiment {
    /// Population weights by scheme and dimension.
    pub(super) fn population_weights(&self) -> Result<Vec<Vec<Vec<f64>>>, Error> {
        self.schemes
            .iter()
            .map(|scheme| {
                self.dims
                    .iter()
                    .map(|&d| {
                        work::check(OP, 0, self.runs)?;
                        scheme.population_weights(&self.law, d)
                    })
                    .collect()
            })
            .collect()
    }

    /// One data set per entry of `samples`, nested.
    fn data(&self, stream: &mut Stream) -> Result<Vec<Option<Counts>>, Error> {
        let mut order: Vec<usize> = (0..self.samples.len()).collect();
        order.sort_by(|&a, &b| self.samples[a].size().total_cmp(&self.samples[b].size()));
        let mut data: Vec<Option<Counts>> = vec![None; self.samples.len()];
        let mut last: Option<Counts> = None;
        for i in order {
            if let Samples::Draws(t) = self.samples[i] {
                let merged = match last {
                    None => self.law.sample_counts(t, stream)?,
                    Some(old) if old.total == t => old,
                    Some(old) => old.merge(&self.law.sample_counts(t - old.total, stream)?),
                };
                data[i] = Some(merged.clone());
                last = Some(merged);
            }
        }
        Ok(data)
    }

    /// The distinct stored sets of a run; cells that store the same share one.
    pub(super) fn members(
        &self,
        n: usize,
        population: &[Vec<Vec<f64>>],
        data: &mut Stream,
        finished: &Finished,
    ) -> Result<Vec<Member>, Error> {
        let mut members: Vec<Member> = Vec::new();
        let data = self.data(data)?;
        for (si, scheme) in self.schemes.iter().enumerate() {
            for (ti, counts) in data.iter().enumerate() {
                let cell = si * self.samples.len() + ti;
                let mut current: Option<Member> = None;
                for (di, &d) in self.dims.iter().enumerate() {
                    finished.go_on()?;
                    if di > 0 && !scheme.depends_on_dimension() {
                        current.iter_mut().for_each(|member| member.dims.push(di));
                        continue;
                    }
                    let stored = match counts {
                        None => nonzero(&population[si][di]),
                        Some(counts) => nonzero(&scheme.empirical_weights(counts, n, d)?),
                    };
                    match &mut current {
                        Some(member) if member.stored == stored => member.dims.push(di),
                        _ => members.extend(current.replace(Member { stored, cells: vec![cell], dims: vec![di] })),
                    }
                }
                members.extend(current);
            }
        }
        members.sort_by_key(|member| std::cmp::Reverse(member.last()));
        Ok(members)
    }
}

/// A stored set and where in the grid it is needed.
pub(super) struct Member {
    pub(super) stored: Vec<(usize, f64)>,
    pub(super) cells: Vec<usize>,
    pub(super) dims: Vec<usize>,
}

impl Member {
    pub(super) fn last(&self) -> usize {
        self.dims.last().copied().unwrap_or(0)
    }
}

fn nonzero(weights: &[f64]) -> Vec<(usize, f64)> {
    weights.iter().copied().enumerate().filter(|w| w.1 != 0.0).collect()
}
