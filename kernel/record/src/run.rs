//! One line of `runs.csv`: who computed, from which source, where, when.

use serde::{Deserialize, Serialize};

use super::Scale;
use super::number;
use super::table::{Key, Line};

/// One run: the notebooks, from first cell to last, at one scale with one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its identity, which its rows carry.
    pub run: String,
    /// Commit of the source; empty outside version control.
    pub commit: String,
    /// Whether source files differed from the commit.
    pub dirty: bool,
    /// Digest of `Cargo.lock`.
    pub lock: String,
    /// Digest of the code of the crate that cells call, comments left out.
    pub source: String,
    /// `rustc --version`.
    pub compiler: String,
    /// Model of the processor.
    pub processor: String,
    /// Processor cores that the run could use.
    pub cores: u64,
    /// Name, version and kernel of the BLAS.
    pub blas: String,
    /// `cpu`, or the accelerator that the run asked for.
    pub device: String,
    /// Start in universal time, as `2026-01-31T12:00:00Z`.
    pub start: String,
    /// Wall-clock seconds; a run that was resumed counts both parts.
    #[serde(with = "number::exact")]
    pub seconds: f64,
    /// Scale.
    pub scale: Scale,
    /// Seed.
    pub seed: u64,
}

impl Line for Run {
    const FILE: &'static str = "runs.csv";
    const COLUMNS: &'static [&'static str] = &[
        "run",
        "commit",
        "dirty",
        "lock",
        "source",
        "compiler",
        "processor",
        "cores",
        "blas",
        "device",
        "start",
        "seconds",
        "scale",
        "seed",
    ];
    const SINGLE: bool = true;

    fn key(&self) -> Key {
        Key::new(&self.run, self.scale, self.seed)
    }

    fn check(&self) -> Result<(), String> {
        if self.run.is_empty() {
            return Err("column `run` is empty".to_string());
        }
        // Sorted and shown as text, so that the form is all that counts.
        let fits = |(letter, form): (char, char)| if form == '0' { letter.is_ascii_digit() } else { letter == form };
        let form = "0000-00-00T00:00:00Z";
        if !self.start.is_empty() && (self.start.len() != form.len() || !self.start.chars().zip(form.chars()).all(fits))
        {
            return Err(format!("column `start` has {:?}, and a time is written as 2026-01-31T12:00:00Z", self.start));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;
    use std::path::Path;

    #[test]
    fn a_start_that_is_no_time_is_refused() {
        let read = |start: &str| {
            let text = format!("{}\nr,c,false,l,s,rustc,cpu,2,b,d,{start},1,quick,1\n", Run::COLUMNS.join(","));
            table::parse::<Run>(text.as_bytes(), Path::new(Run::FILE)).map_err(|error| error.to_string())
        };
        assert_eq!(read("2026-01-31T12:00:00Z").unwrap()[0].start, "2026-01-31T12:00:00Z");
        for start in ["<script>alert(1)</script>", "2026-01-31", "2026-01-31T12:00:00Z<b>"] {
            let refused = read(start).unwrap_err();
            assert!(refused.contains(&format!("column `start` has {start:?}")), "{refused}");
        }
    }
}
