//! Settings of a ledger: where it reads and writes, at which scale and seed: from the environment, or stated.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use workbench_record::Scale;

use super::Error;

/// Everything outside a notebook that its ledger depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The folder that holds `claims.toml` and the notebooks.
    pub notebooks: PathBuf,
    /// The folder that `ledger.csv` and its companions are written to.
    pub results: PathBuf,
    /// The run that this session belongs to; none where a person runs cells.
    pub run: Option<String>,
    /// How much a run computes.
    pub scale: Scale,
    /// The seed that all random streams derive from.
    pub seed: u64,
    /// The file in which the kernel names the running cell; none under stock evcxr.
    pub cell_file: Option<PathBuf>,
}

impl Settings {
    /// Settings for a notebooks folder as for a person who runs cells: results in `results/lab`, apart from the record, quick
    /// scale, seed 1, no run, no cell file.
    pub fn new(notebooks: impl Into<PathBuf>) -> Settings {
        let notebooks = notebooks.into();
        Settings {
            results: notebooks.join("results").join("lab"),
            notebooks,
            run: None,
            scale: Scale::Quick,
            seed: 1,
            cell_file: None,
        }
    }

    /// Settings of this process.
    ///
    /// | variable | meaning | if not set |
    /// | --- | --- | --- |
    /// | `WORKBENCH_NOTEBOOKS` | folder of `claims.toml` | found from the working folder upward |
    /// | `WORKBENCH_RESULTS` | folder of `ledger.csv` | `results/lab` in that folder |
    /// | `WORKBENCH_RUN` | the run that the session belongs to, set by the runner | no run |
    /// | `WORKBENCH_SCALE` | `quick` or `paper` | `quick` |
    /// | `WORKBENCH_SEED` | a whole number | 1 |
    /// | `WORKBENCH_CELL_FILE` | written by the kernel before each cell | no cell names |
    /// | `WORKBENCH_VERDICTS` | `collect`: differences from the committed verdicts are told by the run, not by the cell | told by the cell |
    ///
    /// # Errors
    /// [`Error::NoRegistry`] or [`Error::Setting`].
    pub fn from_env() -> Result<Settings, Error> {
        let notebooks = match variable("WORKBENCH_NOTEBOOKS")? {
            Some(folder) => PathBuf::from(folder),
            None => notebooks_above(&here()?)?,
        };
        Settings::in_env(notebooks)
    }

    /// As [`Settings::from_env`]; where there is no project at all, in the working folder, with results in `workbench-results`.
    ///
    /// # Errors
    /// [`Error::Setting`], or the working folder cannot be found.
    pub(crate) fn anywhere() -> Result<Settings, Error> {
        let here = here()?;
        match variable("WORKBENCH_NOTEBOOKS")? {
            Some(folder) => return Settings::in_env(PathBuf::from(folder)),
            None => {
                if let Ok(notebooks) = notebooks_above(&here) {
                    return Settings::in_env(notebooks);
                }
            }
        }
        let results = here.join("workbench-results");
        let mut settings = Settings::in_env(here)?;
        if variable("WORKBENCH_RESULTS")?.is_none() {
            settings.results = results;
        }
        Ok(settings)
    }

    /// Settings of this process for a notebooks folder.
    fn in_env(notebooks: PathBuf) -> Result<Settings, Error> {
        let mut settings = Settings::new(notebooks);
        if let Some(folder) = variable("WORKBENCH_RESULTS")? {
            settings.results = PathBuf::from(folder);
        }
        if let Some(seed) = variable("WORKBENCH_SEED")? {
            settings.seed = seed.trim().parse().map_err(|_| Error::Setting {
                name: "WORKBENCH_SEED",
                value: seed.clone(),
                problem: "a seed is a whole number from 0 to 18446744073709551615".to_string(),
            })?;
        }
        if let Some(scale) = variable("WORKBENCH_SCALE")? {
            settings.scale = scale.parse().map_err(|problem| Error::Setting {
                name: "WORKBENCH_SCALE",
                value: scale.clone(),
                problem,
            })?;
        }
        settings.run = variable("WORKBENCH_RUN")?;
        settings.cell_file = variable("WORKBENCH_CELL_FILE")?.map(PathBuf::from);
        Ok(settings)
    }

    /// The folder of the record: committed tables, and the verdicts that runs are compared with.
    pub fn record(&self) -> PathBuf {
        self.notebooks.join("results")
    }

    /// The running cell as the kernel names it.
    ///
    /// # Errors
    /// [`Error::Setting`] if the file is named but does not read.
    pub(crate) fn cell(&self) -> Result<Option<Cell>, Error> {
        let Some(path) = &self.cell_file else {
            return Ok(None);
        };
        let bad = |problem: String| Error::Setting {
            name: "WORKBENCH_CELL_FILE",
            value: path.display().to_string(),
            problem: format!("{problem}; restart the kernel, or unset the variable under another one"),
        };
        let text = std::fs::read_to_string(path).map_err(|cause| bad(cause.to_string()))?;
        let cell = serde_json::from_str(&text).map_err(|cause| bad(cause.to_string()))?;
        Ok(Some(cell))
    }
}

/// The cell that runs now.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Cell {
    pub(crate) cell_id: String,
    pub(crate) execution_count: u64,
    pub(crate) started_unix_ms: u64,
}

impl Cell {
    /// Seconds since the cell began; 0 if the clock was set back.
    pub(crate) fn seconds(&self) -> f64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64);
        now.saturating_sub(self.started_unix_ms) as f64 / 1000.0
    }
}

/// The value of an environment variable; empty counts as not set.
pub(crate) fn variable(name: &'static str) -> Result<Option<String>, Error> {
    match std::env::var(name) {
        Ok(value) if value.trim().is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(raw)) => Err(Error::Setting {
            name,
            value: raw.to_string_lossy().into_owned(),
            problem: "the value must be valid UTF-8".to_string(),
        }),
    }
}

fn here() -> Result<PathBuf, Error> {
    let found = std::env::current_dir();
    Ok(found.map_err(|cause| workbench_record::Error::io("finding the working folder", ".", cause))?)
}

/// The folder of `claims.toml`: `start`, `start/notebooks`, or the same in a folder above.
pub(crate) fn notebooks_above(start: &Path) -> Result<PathBuf, Error> {
    start
        .ancestors()
        .flat_map(|folder| [folder.to_path_buf(), folder.join("notebooks")])
        .find(|folder| folder.join("claims.toml").is_file())
        .ok_or_else(|| Error::NoRegistry { start: start.to_path_buf() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_registry_from_below_and_from_beside() {
        let root = tempfile::tempdir().unwrap();
        let notebooks = root.path().join("notebooks");
        let below = notebooks.join("results/deep");
        let beside = root.path().join("workbench/src");
        std::fs::create_dir_all(&below).unwrap();
        std::fs::create_dir_all(&beside).unwrap();
        let error = notebooks_above(&below).unwrap_err();
        assert!(error.to_string().contains("WORKBENCH_NOTEBOOKS"), "{error}");
        std::fs::write(notebooks.join("claims.toml"), "").unwrap();
        for start in [&below, &beside, &notebooks] {
            assert_eq!(notebooks_above(start).unwrap(), notebooks);
        }
    }

    #[test]
    fn the_cell_file_is_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cell.json");
        let mut settings = Settings::new(folder.path());
        assert_eq!(settings.cell().unwrap(), None);
        settings.cell_file = Some(file.clone());
        assert!(matches!(settings.cell(), Err(Error::Setting { .. })));
        std::fs::write(&file, "{\"cell_id\": 3}").unwrap();
        assert!(matches!(settings.cell(), Err(Error::Setting { .. })));
        let text = r#"{"cell_id": "c1", "execution_count": 7, "started_unix_ms": 1234}"#;
        std::fs::write(&file, text).unwrap();
        let cell = settings.cell().unwrap().unwrap();
        assert_eq!((cell.cell_id.as_str(), cell.execution_count), ("c1", 7));
        assert!(cell.seconds() > 1e9, "1234 ms after 1970 is long ago");
        let future = Cell { started_unix_ms: u64::MAX, ..cell };
        assert_eq!(future.seconds(), 0.0);
    }
}
