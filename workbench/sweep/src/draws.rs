//! The random numbers of one task.

use std::path::{Path, PathBuf};

use rand::RngCore;
use serde_json::{Map, Value};
use workbench_ground::Error;
use workbench_ground::stats::{Stream, Streams};

/// The random streams of one task, named by seed, sweep, grid point and replicate, and the folder of its data.
///
/// A point is named by its parameters, so that a grid with more points, or in another order, leaves the draws of the others as they are.
#[derive(Clone, Debug)]
pub struct Draws {
    streams: Streams,
    name: String,
    replicate: u64,
    data: PathBuf,
}

impl Draws {
    /// The draws of a task.
    pub fn new(seed: u64, sweep: &str, point: &Map<String, Value>, replicate: u64, data: &Path) -> Draws {
        Draws {
            streams: Streams::new(seed),
            name: format!("{sweep}: {}", name_of(point)),
            replicate,
            data: data.to_path_buf(),
        }
    }

    /// The stream called `name`, once.
    ///
    /// # Errors
    /// A name that was taken before in this task, or an empty one.
    pub fn stream(&self, name: &str) -> Result<Stream, Error> {
        if name.is_empty() {
            return Err(Error::empty("Draws::stream", "the name of a stream", "name what it draws"));
        }
        self.streams.replicate(&format!("{}: {name}", self.name), self.replicate as usize)
    }

    /// A seed for a method that makes its streams itself.
    ///
    /// # Errors
    /// As [`Draws::stream`].
    pub fn seed(&self, name: &str) -> Result<u64, Error> {
        Ok(self.stream(name)?.next_u64())
    }

    /// Streams for a method that names its own.
    ///
    /// # Errors
    /// As [`Draws::stream`].
    pub fn streams(&self, name: &str) -> Result<Streams, Error> {
        Ok(Streams::new(self.seed(name)?))
    }

    /// The folder with the files of [`crate::Sweep::FILES`].
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The replicate, from 0: for what has numbered repetitions of its own.
    pub fn replicate(&self) -> u64 {
        self.replicate
    }

    /// A folder for what a task keeps of its own on the way: beside the data, so that whoever computes the task again finds it.
    ///
    /// # Errors
    /// A folder that cannot be made.
    pub fn checkpoints(&self) -> Result<PathBuf, Error> {
        let folder = self.data.parent().unwrap_or(&self.data).join("checkpoints");
        std::fs::create_dir_all(&folder).map_err(|error| {
            Error::file("Draws::checkpoints", &folder, error, "plan in a folder that can be written to")
        })?;
        Ok(folder)
    }
}

/// The name of a point: its parameters in the order of the alphabet.
pub fn name_of(point: &Map<String, Value>) -> String {
    let mut parameters: Vec<String> = point.iter().map(|(name, value)| format!("{name}={value}")).collect();
    parameters.sort();
    parameters.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn point(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn every_part_of_the_name_makes_other_draws_and_nothing_else_does() {
        let d = point(json!({"d": 5, "alpha": 0.5}));
        let first = |seed, sweep: &str, point: &Map<String, Value>, replicate, name: &str| {
            let draws = Draws::new(seed, sweep, point, replicate, Path::new("/nowhere"));
            draws.seed(name).unwrap()
        };
        let own = first(1, "s", &d, 0, "x");
        assert_eq!(own, first(1, "s", &point(json!({"alpha": 0.5, "d": 5})), 0, "x"));
        for other in [
            first(2, "s", &d, 0, "x"),
            first(1, "t", &d, 0, "x"),
            first(1, "s", &point(json!({"d": 6, "alpha": 0.5})), 0, "x"),
            first(1, "s", &d, 1, "x"),
            first(1, "s", &d, 0, "y"),
        ] {
            assert_ne!(own, other);
        }
        let draws = Draws::new(1, "s", &d, 0, Path::new("/nowhere"));
        assert!(draws.stream("x").is_ok() && draws.stream("x").is_err() && draws.stream("").is_err());
    }
}
