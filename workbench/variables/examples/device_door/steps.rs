//! The same steps on variables of a device and on those of the machine's own cores.

use candle_core::{DType, Device, Result, Tensor, Var};
use workbench_ground::stats::Streams;
use workbench_optimizer::cell::{Cell, Form, Mnemosyne};
use workbench_optimizer::classical::{Adam, AdamSettings};
use workbench_optimizer::{Error, Layout, Learned};
use workbench_variables::ModelOptimizer;

pub fn adam(layout: Layout) -> std::result::Result<Adam, Error> {
    Adam::new(layout, AdamSettings::default())
}

pub fn learned(layout: Layout) -> std::result::Result<Learned<Mnemosyne>, Error> {
    let cell = Mnemosyne::new(Form::light())?;
    let weights = cell.start(&mut Streams::new(2).restart("weights")?)?;
    Learned::fused(cell, weights, layout)
}

/// Two variables, and the factors of a loss that is linear in them: its gradient is the same on every processor.
pub struct Model {
    pub variables: [(&'static str, Var); 2],
    factors: [Tensor; 2],
}

impl Model {
    pub fn new(device: &Device, dtype: DType) -> Result<Model> {
        let mut noise = Streams::new(4).stream("model").map_err(candle_core::Error::wrap)?;
        let mut draw = |rows: usize, columns: usize| {
            let all: Vec<f64> = (0..rows * columns).map(|_| noise.normal()).collect();
            Tensor::from_vec(all, (rows, columns), &Device::Cpu)?.to_dtype(dtype)?.to_device(device)
        };
        let variables = [("weight", Var::from_tensor(&draw(3, 5)?)?), ("bias", Var::from_tensor(&draw(1, 4)?)?)];
        let factors = [draw(3, 5)?, draw(1, 4)?];
        Ok(Model { variables, factors })
    }

    pub fn loss(&self) -> Result<Tensor> {
        let part = |i: usize| self.variables[i].1.mul(&self.factors[i])?.sum_all();
        part(0)? + part(1)?
    }

    pub fn numbers(&self) -> Result<Vec<f64>> {
        let mut all = Vec::new();
        for (_, var) in &self.variables {
            let flat = var.flatten_all()?.to_device(&Device::Cpu)?;
            all.extend(flat.to_dtype(DType::F64)?.to_vec1::<f64>()?);
        }
        Ok(all)
    }
}

/// Twenty steps of a rule.
pub struct Steps {
    pub rule: &'static str,
    pub dtype: DType,
    /// Variables that are not bit for bit those of the cores, and how far the cores have moved theirs.
    pub differ: usize,
    pub moved: f64,
}

/// Adam and a learned rule in both precisions, on `device` and on the machine's own cores.
pub fn both(device: &Device) -> std::result::Result<Vec<Steps>, Box<dyn std::error::Error>> {
    let mut out = Vec::new();
    for (dtype, rule) in [DType::F32, DType::F64].into_iter().flat_map(|dtype| [(dtype, "Adam"), (dtype, "learned")]) {
        let begin = |device: &Device| -> std::result::Result<(Model, ModelOptimizer), Box<dyn std::error::Error>> {
            let model = Model::new(device, dtype)?;
            let variables = model.variables.clone();
            let optimizer = match rule {
                "Adam" => ModelOptimizer::all(variables, adam)?,
                _ => ModelOptimizer::all(variables, learned)?,
            };
            Ok((model, optimizer))
        };
        let ((own, mut on_cores), (there, mut on_device)) = (begin(&Device::Cpu)?, begin(device)?);
        let start = own.numbers()?;
        for _ in 0..20 {
            on_cores.backward_step(&own.loss()?)?;
            on_device.backward_step(&there.loss()?)?;
        }
        let (own, there) = (own.numbers()?, there.numbers()?);
        let moved = own.iter().zip(&start).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        let differ = own.iter().zip(&there).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        out.push(Steps { rule, dtype, differ, moved });
    }
    Ok(out)
}
