//! A run on disk: JSON with every number as the bits of its double, so that nothing is lost, and a checksum over them.

use super::adam::Adam;
use super::protocol::TrainingProtocol;
use super::trainable::Trainable;
use super::trainer::{FreshLoss, Trainer};
use crate::{Error, TaskLaw};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// Version of the format.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct File<A> {
    format: String,
    version: u32,
    architecture: A,
    protocol: TrainingProtocol,
    seed: u64,
    step: u64,
    adam_steps: u64,
    /// Mean, covariance, truth's mean and covariance; values, first and second moments; steps and losses on fresh batches.
    numbers: Vec<Vec<u64>>,
    checksum: u64,
}

impl<M: Trainable> Trainer<M> {
    /// Writes the run to `path`: under another name first, then renamed, so that a crash leaves the old file or the new one.
    ///
    /// **Errors**: a folder that cannot be written to, a run on given prompts.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        const OP: &str = "Trainer::save";
        let path = path.as_ref();
        if self.is_held() {
            let instead = "keep its parameters with `parameters()`, and the prompts";
            let what = "a checkpoint of a run on given prompts";
            return Err(Error::unavailable(OP, what, instead));
        }
        let numbers = vec![
            bits(self.law.mean()),
            bits(self.law.covariance()),
            bits(self.law.truth_mean()),
            bits(self.law.truth_covariance()),
            bits(self.parameters.values()),
            bits(&self.adam.first),
            bits(&self.adam.second),
            self.fresh.iter().map(|f| f.step as u64).collect(),
            self.fresh.iter().map(|f| f.loss.to_bits()).collect(),
        ];
        let file = File {
            format: M::FORMAT.into(),
            version: VERSION,
            architecture: self.parameters.architecture(),
            protocol: self.protocol.clone(),
            seed: self.seed,
            step: self.step as u64,
            adam_steps: self.adam.steps as u64,
            checksum: checksum(self.step as u64, &numbers),
            numbers,
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let write = || -> std::io::Result<()> {
            let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
            serde_json::to_writer(&mut temporary, &file)?;
            temporary.flush()?;
            temporary.as_file().sync_all()?;
            temporary.persist(path).map_err(|e| e.error)?;
            Ok(())
        };
        write().map_err(|e| problem(OP, path, e))
    }

    /// The run that was written, for batches kept at `processor`.
    ///
    /// **Errors**: as [`Trainer::load`].
    pub fn read(path: &Path, processor: M::Processor) -> Result<Trainer<M>, Error> {
        const OP: &str = "Trainer::load";
        let text = std::fs::read_to_string(path).map_err(|e| problem(OP, path, e))?;
        let whole = serde_json::from_str::<serde_json::Value>(&text)
            .map_err(|e| problem(OP, path, format!("truncated or no checkpoint ({e})")))?;
        let version = whole.get("version").and_then(serde_json::Value::as_u64);
        if version != Some(u64::from(VERSION)) {
            let version = version.map_or_else(|| "none".into(), |v| v.to_string());
            return Err(problem(OP, path, format!("version {version}, this program reads version {VERSION}")));
        }
        let format = whole.get("format").and_then(serde_json::Value::as_str);
        if format != Some(M::FORMAT) {
            let format = format.unwrap_or("no name");
            return Err(problem(OP, path, format!("a {format:?}, where a {:?} is needed", M::FORMAT)));
        }
        let file: File<M::Architecture> = serde_json::from_str(&text).map_err(|e| problem(OP, path, e))?;
        let damaged = |what: &str| problem(OP, path, format!("damaged: {what}"));
        if file.checksum != checksum(file.step, &file.numbers) {
            return Err(damaged("the checksum does not fit"));
        }
        let [mean, covariance, truth_mean, truth_covariance, values, first, second, steps, losses] = &file.numbers[..]
        else {
            return Err(damaged("arrays are missing"));
        };
        let parameters = M::from_values(file.architecture, floats(values))?;
        let d = parameters.dim();
        let matrix = |bits: &Vec<u64>| {
            Array2::from_shape_vec((d, d), floats(bits)).map_err(|_| damaged("a covariance of another shape"))
        };
        let law = TaskLaw::new(matrix(covariance)?)?
            .with_means(Array1::from(floats(mean)), Array1::from(floats(truth_mean)))?
            .with_truth_covariance(matrix(truth_covariance)?)?;
        let count = parameters.values().len();
        if first.len() != count || second.len() != count || steps.len() != losses.len() {
            return Err(damaged("moments of another length"));
        }
        let mut trainer = Trainer::from_parts(law, file.protocol, file.seed, parameters, processor)?;
        trainer.adam = Adam { first: floats(first), second: floats(second), steps: file.adam_steps as usize };
        trainer.step = file.step as usize;
        let losses = losses.iter().map(|b| f64::from_bits(*b));
        trainer.fresh = steps.iter().zip(losses).map(|(step, loss)| FreshLoss { step: *step as usize, loss }).collect();
        Ok(trainer)
    }
}

impl Trainer {
    /// The run that [`Trainer::save`] wrote; it goes on as if it had never ended.
    ///
    /// **Errors**: a file that is missing, truncated, damaged, of another version or kind of model, or whose numbers do not fit its
    /// sizes.
    pub fn load(path: impl AsRef<Path>) -> Result<Trainer, Error> {
        Trainer::read(path.as_ref(), ())
    }
}

fn problem(op: &'static str, path: &Path, problem: impl ToString) -> Error {
    Error::file(op, path, problem, "delete the file to start anew, or give another path")
}

fn bits<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    values.into_iter().map(|v| v.to_bits()).collect()
}

fn floats(bits: &[u64]) -> Vec<f64> {
    bits.iter().map(|b| f64::from_bits(*b)).collect()
}

/// FNV-1a over the numbers.
fn checksum(step: u64, numbers: &[Vec<u64>]) -> u64 {
    let all = numbers.iter().flat_map(|row| row.iter().chain(std::iter::once(&u64::MAX)));
    std::iter::once(&step).chain(all).fold(0xcbf2_9ce4_8422_2325, |hash, v| {
        v.to_le_bytes().iter().fold(hash, |h: u64, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Part, Phase, RegisterKind};
    use workbench_ground::stats::Streams;

    fn trainer() -> Trainer {
        let protocol = TrainingProtocol::document().with_batch(100).with_phases(vec![
            Phase::new(&[Part::Preconditioners], 150, 0.03),
            Phase::new(&[Part::Registers], 100, 0.01),
        ]);
        let streams = Streams::new(41);
        let law = TaskLaw::rotated(&[1.0, 0.3], &mut streams.stream("u").unwrap()).unwrap();
        let architecture = Architecture::new(2, 2).unwrap().with_registers(RegisterKind::Single);
        Trainer::new(architecture, law, protocol, &mut streams.stream("run").unwrap()).unwrap()
    }

    #[test]
    fn a_resumed_run_is_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let mut whole = trainer();
        whole.run().unwrap();
        for cut in [1, 100, 149, 150, 180, 250] {
            let mut first = trainer();
            first.keep(&path, 1000);
            first.run_for(cut).unwrap();
            drop(first);
            let mut second = Trainer::load(&path).unwrap();
            assert_eq!(second.steps_taken(), cut);
            second.run().unwrap();
            assert_eq!(second.parameters(), whole.parameters(), "{cut}");
            assert_eq!(second.fresh_losses(), whole.fresh_losses());
            assert_eq!(second.adam, whole.adam);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn bad_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        assert!(Trainer::load(&path).unwrap_err().to_string().contains("run.json"));
        let mut run = trainer();
        run.run_for(10).unwrap();
        run.save(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let say = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Trainer::load(&path).unwrap_err().to_string()
        };
        assert!(say(&text[..text.len() / 2]).contains("truncated"));
        assert!(say(&text.replace("\"version\":1", "\"version\":7")).contains("version 7"));
        assert!(say("{}").contains("version none"));
        assert!(say(&text.replace("\"step\":10", "\"step\":11")).contains("checksum"));
        assert!(say(&text.replace("\"depth\":2", "\"depth\":3")).contains("= 12 does"), "another shape");
        assert!(run.save(folder.path().join("no/such/run.json")).is_err());
    }
}
