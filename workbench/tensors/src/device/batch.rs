//! A batch of prompts on a device, in chunks that fit.

use super::faults::fault;
use super::open::{Opened, opened};
use super::pass::{Chunk, Room};
use super::plan::{self, Sizes};
use super::prompts;
use super::weights::Places;
use crate::architecture::FullArchitecture;
use crate::device::processor::{Processor, numbers};
use crate::fused::pack::Fused;
use crate::parameters::FullParameters;
use candle_core::Tensor;
use ndarray::Array2;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use workbench_ground::{Error, work};
use workbench_memformer::{Precision, Prompts};

const OP: &str = "TokenBatch::loss";

/// Prompts for the pass of `pass`; they reach the device when they are first used.
pub(crate) struct OnDevice {
    prompts: Prompts,
    precision: Precision,
    opened: Arc<Opened>,
    /// Made with the batch, so that a batch drawn ahead is ready.
    short: Vec<f64>,
    /// Bytes that may be used at most; 0 for what the device has.
    limit: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Prompts at a time, for models that were seen.
    planned: Vec<(FullArchitecture, usize)>,
    /// Of short prompts and of whole ones.
    forms: [Option<Form>; 2],
}

struct Form {
    per: usize,
    chunks: Vec<Chunk>,
}

impl OnDevice {
    /// These prompts. **Errors**: no such device, entries that are not finite in the chosen precision, a stop request.
    pub(crate) fn new(prompts: &Prompts, precision: Precision, processor: Processor) -> Result<OnDevice, Error> {
        const OP: &str = "TokenBatch::new";
        let opened = opened(processor)?;
        for b in 0..prompts.batch() {
            if b % 256 == 0 {
                work::check(OP, b, prompts.batch())?;
            }
            for (i, v) in prompts.tokens(b)?.iter().enumerate() {
                let rounded = round(precision, *v);
                if !rounded.is_finite() {
                    return Err(Error::not_finite(OP, "prompts in the chosen precision", &[b, i], rounded));
                }
            }
        }
        Ok(OnDevice {
            short: prompts::short(OP, prompts)?,
            prompts: prompts.clone(),
            precision,
            opened,
            limit: AtomicUsize::new(0),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `with` on room and chunks that fit, alone on the device.
    fn alone<T>(
        &self,
        architecture: &FullArchitecture,
        with: impl FnOnce(&mut Room, &[Chunk]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut room = self.opened.turn();
        let mut state = self.state();
        let which = usize::from(plan::tells_tokens_apart(architecture));
        let known = state.planned.iter().find(|(a, _)| a == architecture).map(|(_, per)| *per);
        let per = match known {
            Some(per) => per,
            None => {
                // What is kept for other models would count as taken.
                (*room, state.forms[which]) = (None, None);
                let limit = Some(self.limit.load(Ordering::Relaxed)).filter(|limit| *limit > 0);
                let free = self.opened.free(OP)?.into_iter().chain(limit).min();
                let sizes = (self.prompts.examples(), self.prompts.batch());
                let per = plan::chunk(OP, architecture, sizes, self.precision, free)?;
                state.planned.push((*architecture, per));
                per
            }
        };
        let sizes = Sizes::new(architecture, self.prompts.examples(), per, self.precision);
        if state.forms[which].as_ref().is_none_or(|form| form.per != per) {
            state.forms[which] = None;
            state.forms[which] = Some(self.form(which == 1, per, &sizes)?);
        }
        let chunks = state.forms[which].as_ref().map_or(&[][..], |form| &form.chunks);
        let fits = matches!(&*room, Some(room) if room.sizes == sizes);
        if !fits {
            *room = None;
            *room = Some(Room::new(sizes, &self.opened.device).map_err(fault(OP))?);
        }
        let Some(held) = room.as_mut() else {
            return Err(Error::zero(OP, "the batch size (B)"));
        };
        let result = with(held, chunks);
        if matches!(&result, Err(error) if !matches!(error, Error::Stopped(_))) {
            // Nothing is known of what a failed device holds.
            (*room, *state) = (None, State::default());
        }
        result
    }

    /// The prompts on the device, `per` at a time.
    fn form(&self, whole: bool, per: usize, sizes: &Sizes) -> Result<Form, Error> {
        /// The number of the next chunk of this process.
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let made;
        let rows = match whole {
            true => {
                made = prompts::whole(OP, &self.prompts)?;
                &made
            }
            false => &self.short,
        };
        let answers = self.prompts.answers();
        let answers = answers.as_slice().unwrap_or_default();
        let fill = |values: &[f64], each: usize| -> Result<Tensor, Error> {
            let mut filled = values.to_vec();
            filled.resize(sizes.prompts * each, 0.0);
            self.send(filled)
        };
        let chunks = rows.chunks(per * sizes.state()).zip(answers.chunks(per));
        let chunks = chunks.map(|(rows, answers)| {
            work::check(OP, 0, 1)?;
            Ok(Chunk {
                id: NEXT.fetch_add(1, Ordering::Relaxed),
                tokens: fill(rows, sizes.state())?,
                answers: fill(answers, 1)?,
                prompts: answers.len(),
                share: 1.0 / self.prompts.examples() as f64,
            })
        });
        Ok(Form { per, chunks: chunks.collect::<Result<_, Error>>()? })
    }

    /// Numbers on the device in the batch's precision.
    fn send(&self, values: Vec<f64>) -> Result<Tensor, Error> {
        let (len, device) = (values.len(), &self.opened.device);
        match self.precision {
            Precision::Single => Tensor::from_vec(values.iter().map(|v| *v as f32).collect(), len, device),
            Precision::Double => Tensor::from_vec(values, len, device),
        }
        .map_err(fault(OP))
    }
}

impl Fused for OnDevice {
    fn loss(&self, parameters: &FullParameters, wanted: bool) -> Result<(f64, Vec<f64>), Error> {
        self.alone(&parameters.architecture(), |room, chunks| {
            let places = Places::new(room.sizes);
            let weights = self.send(places.arrange(parameters))?;
            for (i, chunk) in chunks.iter().enumerate() {
                work::check(OP, i, chunks.len())?;
                room.run(chunk, &weights, i == 0, wanted).map_err(fault(OP))?;
            }
            let prompts = self.prompts.batch();
            let sums = match wanted {
                false => numbers(&room.sums.narrow(0, 0, 1).map_err(fault(OP))?),
                true => room.add_up().and_then(|()| numbers(&room.sums)),
            }
            .map_err(fault(OP))?;
            let gradient = match wanted {
                false => Vec::new(),
                true => places.gradient(parameters, &sums, prompts),
            };
            Ok((sums[0] / prompts as f64, gradient))
        })
    }

    fn responses(&self, parameters: &FullParameters) -> Result<Array2<f64>, Error> {
        const OP: &str = "TokenBatch::losses";
        self.alone(&parameters.architecture(), |room, chunks| {
            let weights = self.send(Places::new(room.sizes).arrange(parameters))?;
            let mut out = Array2::zeros((parameters.architecture().depth() + 1, self.prompts.batch()));
            let mut from = 0;
            for chunk in chunks {
                work::check(OP, from, self.prompts.batch())?;
                let layers = room.responses(chunk, &weights).map_err(fault(OP))?;
                for (mut row, layer) in out.rows_mut().into_iter().zip(layers) {
                    let layer = numbers(&layer).map_err(fault(OP))?;
                    for (to, from) in row.iter_mut().skip(from).take(chunk.prompts).zip(layer) {
                        *to = from;
                    }
                }
                from += chunk.prompts;
            }
            Ok(out)
        })
    }

    fn tokens(&self, b: usize) -> Vec<f64> {
        let tokens = self.prompts.tokens(b).map(|z| z.into_iter().map(|v| round(self.precision, v)).collect());
        tokens.unwrap_or_default()
    }

    fn limit(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
        *self.state() = State::default();
    }
}

fn round(precision: Precision, value: f64) -> f64 {
    match precision {
        Precision::Single => f64::from(value as f32),
        Precision::Double => value,
    }
}
