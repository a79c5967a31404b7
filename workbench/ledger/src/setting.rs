//! Setting of a check: scale, random streams, what checks share, and results of sweeps that it may take in place of computing.

use std::any::Any;
use std::sync::Arc;

use workbench_ground::stats::{Stream, Streams};
use workbench_record::Scale;

use super::check::Failure;
use super::shared::shared;
use super::swept::{Sourced, Sweeps, Swept};

/// Where a check runs: how much it computes, its random streams, and the results of sweeps that it may take in place of computing.
#[derive(Clone, Debug)]
pub struct Setting {
    scale: Scale,
    streams: Streams,
    sweeps: Option<Arc<dyn Sweeps>>,
}

impl Setting {
    /// A setting of its own: a check that runs twice draws the same numbers twice.
    pub fn new(scale: Scale, seed: u64) -> Setting {
        Setting { scale, streams: Streams::new(seed), sweeps: None }
    }

    /// The same with results of sweeps, which checks may take in place of computing.
    #[must_use]
    pub fn with_sweeps(self, sweeps: Arc<dyn Sweeps>) -> Setting {
        Setting { sweeps: Some(sweeps), ..self }
    }

    /// How much is computed.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The random streams.
    pub fn streams(&self) -> &Streams {
        &self.streams
    }

    /// The random stream of this name.
    ///
    /// # Errors
    /// As [`Streams::stream`]: a name used twice.
    pub fn stream(&self, name: &str) -> Result<Stream, Failure> {
        Ok(self.streams.stream(name)?)
    }

    /// What several checks compute alike: the first that asks computes it, with streams of its own, and it is kept as long as the
    /// process lives. The name tells it from others of its type, so it holds whatever parameters a reader may turn.
    ///
    /// # Errors
    /// Whatever the computation returns; it is then not kept.
    pub fn shared<T: Any + Send + Sync>(
        &self,
        name: &str,
        compute: impl FnOnce(&Setting) -> Result<T, Failure>,
    ) -> Result<Arc<T>, Failure> {
        let seed = self.streams.seed();
        let mut own = Setting::new(self.scale, seed);
        own.sweeps.clone_from(&self.sweeps);
        let sweeps = self.sweeps.as_ref().map_or(String::new(), |sweeps| format!(", {sweeps:?}"));
        shared(self.scale, seed, format!("{name}{sweeps}"), || compute(&own))
    }

    /// As [`Setting::shared`], of what a sweep may have computed: `take` finds it in the sweep's rows, or says what is not there. Without
    /// sweeps, or where this one is missing, stale or holds less, it is computed, and [`Sourced::on`] says so.
    ///
    /// # Errors
    /// Whatever the computation returns; it is then not kept.
    pub fn swept<T: Any + Send + Sync>(
        &self,
        name: &str,
        sweep: &str,
        take: impl FnOnce(&Swept) -> Result<T, String>,
        compute: impl FnOnce(&Setting) -> Result<T, Failure>,
    ) -> Result<Arc<Sourced<T>>, Failure> {
        self.shared(name, |own| {
            let Some(sweeps) = &own.sweeps else {
                return Ok(Sourced::computed(compute(own)?));
            };
            let why = match sweeps.result(sweep, own.scale, own.streams.seed()) {
                Ok(rows) => match take(&rows) {
                    Ok(value) => return Ok(Sourced::taken(value, &rows)),
                    Err(why) => format!("sweep missing: {why}"),
                },
                Err(sentence) => sentence,
            };
            Ok(Sourced::in_spite_of(compute(own)?, why))
        })
    }
}
