//! An optimizer for each variable of a model, stepped together.

use candle_core::backprop::GradStore;
use candle_core::{Tensor, Var};
use workbench_ground::check::same;
use workbench_optimizer::{Error, Layout, Optimizer, Saved};

use crate::Each;
use crate::variable::{Variable, layout, numbers, sorted};

/// The name in saved states.
const NAME: &str = "model";
/// The settings of a state that is no longer whole.
const BROKEN: [f64; 1] = [1.0];

/// A variable and what steps it; none while it is frozen.
#[derive(Debug)]
struct Driven {
    variable: Variable,
    optimizer: Option<Box<dyn Optimizer>>,
    /// Whether the last step found no gradient.
    left_alone: bool,
}

/// A variable that is about to be stepped.
struct Given {
    at: usize,
    theta: Vec<f64>,
    gradient: Vec<f64>,
}

/// Optimizers on the named variables of a candle model: $\theta_v\leftarrow\theta_v+u_v(g_v)$ for each variable $v$ that has a gradient.
///
/// Each variable has an optimizer and a state of its own, so one without a gradient in some step is left alone altogether: neither it nor
/// its state changes, and its own count of steps stands still, as for PyTorch's parameters. Rules that work coordinate by coordinate give
/// the numbers that they give on one long slice.
///
/// The variables are kept in the order of their names, not in that of a hash map, which changes between processes. A learned rule may look
/// at them in any order; what it does to each is the same.
///
/// **Shapes** any; numbers of type F32 or F64. Steps are computed by the rules from numbers in double precision; a variable in single
/// precision is rounded once, when its new numbers are written. **State** that of the rules. **Cost** that of the rules, and copies of
/// each variable and its gradient; on a GPU they go through the memory of the host.
///
/// The variables of candle-nn's `VarMap` go in as they are:
///
/// ```
/// use candle_core::{DType, Device, Module, Tensor};
/// use candle_nn::{VarBuilder, VarMap, linear};
/// use workbench_optimizer::classical::{Adam, AdamSettings, Sgd, SgdSettings};
/// use workbench_variables::{Each, ModelOptimizer};
///
/// let map = VarMap::new();
/// let builder = VarBuilder::from_varmap(&map, DType::F32, &Device::Cpu);
/// let (body, head) = (linear(3, 8, builder.pp("body"))?, linear(8, 1, builder.pp("head"))?);
/// let (x, y) = (Tensor::ones((5, 3), DType::F32, &Device::Cpu)?, Tensor::zeros((5, 1), DType::F32, &Device::Cpu)?);
/// let named = map.data().lock().unwrap().clone();
/// let mut rule = ModelOptimizer::new(named, &[
///     ("body.*", Each::Frozen),
///     ("head.bias", Each::by(|layout| Sgd::new(layout, SgdSettings::default()))),
///     ("head.weight", Each::by(|layout| Adam::new(layout, AdamSettings::default()))),
/// ])?;
/// for _ in 0..10 {
///     let loss = head.forward(&body.forward(&x)?.relu()?)?.sub(&y)?.sqr()?.mean_all()?;
///     rule.backward_step(&loss)?;
/// }
/// let bytes = rule.save().to_bytes(); // a file; restore goes on from it to the same bits
/// assert_eq!((rule.steps(), rule.state_len()), (10, 16));
/// # assert!(!bytes.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ModelOptimizer {
    layout: Layout,
    driven: Vec<Driven>,
    steps: u64,
    /// A step broke off after some rule had taken it in.
    broken: bool,
}

impl ModelOptimizer {
    /// Rules for groups of variables; a pattern is a name, in which `*` stands for any text, and each variable belongs to exactly one.
    ///
    /// **Errors**: no variables, a name that is empty or occurs twice, one variable under two names, numbers that are neither F32 nor F64;
    /// a pattern that matches no variable, a variable that two patterns match or none; the errors of the rules.
    pub fn new<N: Into<String>>(
        variables: impl IntoIterator<Item = (N, Var)>,
        rules: &[(&str, Each<'_>)],
    ) -> Result<ModelOptimizer, Error> {
        const OP: &str = "ModelOptimizer::new";
        let variables = sorted(OP, variables)?;
        let layout = layout(&variables).map_err(Error::during(OP))?;
        let patterns: Vec<&str> = rules.iter().map(|(pattern, _)| *pattern).collect();
        let groups = layout.by_pattern(OP, &patterns)?;
        let drive = |(variable, group): (Variable, usize)| {
            Ok(Driven { optimizer: rules[group].1.make(variable.layout()?)?, variable, left_alone: false })
        };
        Ok(ModelOptimizer {
            driven: variables.into_iter().zip(groups).map(drive).collect::<Result<_, Error>>()?,
            layout,
            steps: 0,
            broken: false,
        })
    }

    /// One kind of optimizer for all variables; `make` is called once for each.
    ///
    /// **Errors**: as [`ModelOptimizer::new`].
    pub fn all<N: Into<String>, O: Optimizer + 'static>(
        variables: impl IntoIterator<Item = (N, Var)>,
        make: impl Fn(Layout) -> Result<O, Error>,
    ) -> Result<ModelOptimizer, Error> {
        ModelOptimizer::new(variables, &[("*", Each::by(make))])
    }

    /// The gradients of a loss by candle, and a step with them.
    ///
    /// **Shapes**: a loss of one number. **Errors**: a loss of several numbers; those of [`ModelOptimizer::step`].
    pub fn backward_step(&mut self, loss: &Tensor) -> Result<(), Error> {
        const OP: &str = "ModelOptimizer::backward_step";
        if loss.elem_count() != 1 {
            let problem = format!("the loss has the shape {:?}", loss.dims());
            return Err(Error::refused(OP, problem, "make it one number, as by mean_all()"));
        }
        let next = "check the shapes and types of the model's tensors";
        let gradients = loss.backward().map_err(Error::outside(OP, next))?;
        self.step(&gradients)
    }

    /// A step with these gradients. Variables without one are left alone; [`ModelOptimizer::left_alone`] names them.
    ///
    /// **Errors**: a gradient with a NaN or an infinity, whose variable and place are named; a gradient of another shape than its variable;
    /// no gradient for any variable. No variable and no state has changed then. A learned rule may also refuse an update that is not
    /// finite: the variables are as they were, and no further step is taken before [`ModelOptimizer::restore`].
    pub fn step(&mut self, gradients: &GradStore) -> Result<(), Error> {
        const OP: &str = "ModelOptimizer::step";
        if self.broken {
            let next = "restore a state from before it, and the variables if the device failed";
            return Err(Error::refused(OP, "an earlier step broke off", next));
        }
        let mut given = self.given(OP, gradients)?;
        // From here on states change; variables do so after all rules have made their update.
        self.broken = true;
        for one in &mut given {
            if let Some(optimizer) = &mut self.driven[one.at].optimizer {
                optimizer.step(&mut one.theta, &one.gradient).map_err(Error::during(OP))?;
            }
        }
        let tensor = |one: &Given| self.driven[one.at].variable.tensor(OP, &one.theta);
        let tensors: Vec<Tensor> = given.iter().map(tensor).collect::<Result<_, Error>>()?;
        for (one, tensor) in given.iter().zip(&tensors) {
            self.driven[one.at].variable.set(OP, tensor)?;
        }
        self.broken = false;
        for (at, driven) in self.driven.iter_mut().enumerate() {
            let stepped = given.binary_search_by_key(&at, |one| one.at).is_ok();
            driven.left_alone = driven.optimizer.is_some() && !stepped;
        }
        self.steps += 1;
        Ok(())
    }

    /// What a step will work on, all of it looked at.
    fn given(&self, op: &'static str, gradients: &GradStore) -> Result<Vec<Given>, Error> {
        let mut given = Vec::new();
        for (at, Driven { variable, optimizer, .. }) in self.driven.iter().enumerate() {
            let Some((optimizer, gradient)) = optimizer.as_ref().zip(gradients.get(&variable.var)) else {
                continue;
            };
            if gradient.dims() != variable.var.dims() {
                let shapes = (gradient.dims(), variable.var.dims());
                let problem =
                    format!("the gradient of {} has the shape {:?}, not {:?}", variable.name, shapes.0, shapes.1);
                return Err(Error::refused(op, problem, "pass the gradients that backward() gave"));
            }
            let (theta, gradient) = (variable.numbers(op)?, numbers(op, gradient)?);
            optimizer.layout().check(op, &theta, &gradient)?;
            given.push(Given { at, theta, gradient });
        }
        if given.is_empty() {
            let trained = self.driven.iter().filter(|one| one.optimizer.is_some()).count();
            let problem = format!("none of the {trained} variables that are not frozen has a gradient");
            let next =
                "compute the loss from these variables; a detach(), or a model built anew, cuts it off from them";
            return Err(Error::refused(op, problem, next));
        }
        Ok(given)
    }

    /// Refuses a model that is no longer the one it was made for: layers added, left out or built anew, which would go untrained in
    /// silence.
    ///
    /// **Errors**: the first variable that differs, by name and shape, or that is another one of the same name and shape.
    pub fn expect<N: Into<String>>(&self, variables: impl IntoIterator<Item = (N, Var)>) -> Result<(), Error> {
        const OP: &str = "ModelOptimizer::expect";
        let now = sorted(OP, variables)?;
        self.layout.expect(OP, layout(&now)?.tensors())?;
        let mut pairs = self.driven.iter().map(|own| &own.variable).zip(&now);
        match pairs.find(|(own, now)| own.var.id() != now.var.id()) {
            None => Ok(()),
            Some((own, _)) => {
                let problem = format!("{} is another variable than at the start", own.name);
                let next = "write new values into the old variable with Var::set, or start a new optimizer";
                Err(Error::refused(OP, problem, next))
            }
        }
    }

    /// The variables, in the order of their names, as one layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Steps taken. A variable that was left alone in some of them has taken fewer.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The variables that the last step left alone for want of a gradient; frozen ones are not among them.
    pub fn left_alone(&self) -> Vec<&str> {
        let alone = self.driven.iter().filter(|driven| driven.left_alone);
        alone.map(|driven| driven.variable.name.as_str()).collect()
    }

    /// The optimizer of a variable; none for one that is frozen or not there.
    pub fn optimizer(&self, name: &str) -> Option<&dyn Optimizer> {
        let found = self.driven.iter().find(|driven| driven.variable.name == name)?;
        found.optimizer.as_deref()
    }

    /// How many numbers are remembered from one step to the next, all variables together.
    pub fn state_len(&self) -> usize {
        let optimizers = self.driven.iter().filter_map(|driven| driven.optimizer.as_ref());
        optimizers.map(|optimizer| optimizer.state_len()).sum()
    }

    /// The state of all rules, with the names and shapes of the variables, in the form of all optimizers; [`Saved::to_bytes`] makes a file
    /// of it. The variables' own numbers are the model's to save.
    pub fn save(&self) -> Saved {
        let optimizers = self.driven.iter().filter_map(|driven| driven.optimizer.as_ref());
        Saved {
            name: NAME.into(),
            settings: if self.broken { BROKEN.to_vec() } else { Vec::new() },
            steps: self.steps,
            tensors: self.layout.tensors().to_vec(),
            numbers: Vec::new(),
            parts: optimizers.map(|optimizer| optimizer.save()).collect(),
        }
    }

    /// Goes back to a saved state; with the variables of that time, steps after it give the same bits.
    ///
    /// **Errors**: variables of other names or shapes, other rules or settings, other variables frozen; nothing has changed then. A state
    /// that was saved after a step broke off.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        const OP: &str = "ModelOptimizer::restore";
        if saved.name == NAME && saved.settings == BROKEN {
            let next = "restore one from before that step";
            return Err(Error::refused(OP, "the state was saved after a step broke off", next));
        }
        saved.expect(OP, NAME, &[], &self.layout, 0)?;
        let optimizers = self.driven.iter_mut().filter_map(|driven| driven.optimizer.as_mut());
        let mut optimizers: Vec<_> = optimizers.collect();
        let sizes = (("saved rules", saved.parts.len()), ("variables that are not frozen", optimizers.len()));
        same(OP, sizes.0, sizes.1)?;
        let before: Vec<Saved> = optimizers.iter().map(|optimizer| optimizer.save()).collect();
        let mut parts = optimizers.iter_mut().zip(&saved.parts);
        if let Err(error) = parts.try_for_each(|(optimizer, part)| optimizer.restore(part)) {
            for (optimizer, own) in optimizers.iter_mut().zip(&before) {
                optimizer.restore(own).map_err(Error::during(OP))?;
            }
            return Err(Error::during(OP)(error));
        }
        (self.steps, self.broken) = (saved.steps, false);
        self.driven.iter_mut().for_each(|driven| driven.left_alone = false);
        Ok(())
    }
}
