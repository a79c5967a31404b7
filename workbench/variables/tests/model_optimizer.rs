//! Optimizers on the variables of a model: the numbers of the optimizer room, what is left alone, what is refused, states.

use candle_core::{DType, Device::Cpu, Tensor, Var};
use candle_nn::{Module, VarBuilder, VarMap};
use workbench_ground::stats::{Stream, Streams};
use workbench_optimizer::cell::{Cell, Form, Mnemosyne};
use workbench_optimizer::classical::{Adam, AdamSettings, Sgd, SgdSettings};
use workbench_optimizer::{Error, Layout, Learned, Optimizer, Saved};
use workbench_variables::{Each, ModelOptimizer};

const FAST: AdamSettings = AdamSettings { rate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.01 };

fn stream() -> Stream {
    Streams::new(3).stream("model").unwrap()
}

fn normal(noise: &mut Stream, shape: (usize, usize), dtype: DType) -> Tensor {
    let all: Vec<f64> = (0..shape.0 * shape.1).map(|_| noise.normal()).collect();
    Tensor::from_vec(all, shape, &Cpu).unwrap().to_dtype(dtype).unwrap()
}

/// `tanh(x up + bias) down` against `y`.
struct Net {
    up: Var,
    bias: Var,
    down: Var,
    x: Tensor,
    y: Tensor,
}

impl Net {
    fn new(dtype: DType) -> Net {
        let mut noise = stream();
        let mut draw = |rows, columns| normal(&mut noise, (rows, columns), dtype);
        let var = |tensor: Tensor| Var::from_tensor(&tensor).unwrap();
        Net { up: var(draw(3, 5)), bias: var(draw(1, 5)), down: var(draw(5, 1)), x: draw(20, 3), y: draw(20, 1) }
    }

    fn named(&self) -> [(&'static str, Var); 3] {
        // Not in the order of their names.
        [("up.weight", self.up.clone()), ("down.weight", self.down.clone()), ("up.bias", self.bias.clone())]
    }

    fn output(&self) -> candle_core::Result<Tensor> {
        self.x.matmul(&self.up)?.broadcast_add(&self.bias)?.tanh()?.matmul(&self.down)
    }

    fn loss(&self) -> Tensor {
        self.output().and_then(|out| out.sub(&self.y)?.sqr()?.mean_all()).unwrap()
    }

    /// All numbers, in the order of the names.
    fn numbers(&self) -> Vec<f64> {
        [&self.down, &self.bias, &self.up].into_iter().flat_map(|var| flat(var)).collect()
    }
}

fn flat(tensor: &Tensor) -> Vec<f64> {
    let flat = tensor.flatten_all().unwrap().to_dtype(DType::F64).unwrap();
    flat.to_vec1().unwrap()
}

fn adam(layout: Layout) -> Result<Adam, Error> {
    Adam::new(layout, FAST)
}

fn learned(layout: Layout) -> Result<Learned<Mnemosyne>, Error> {
    let cell = Mnemosyne::new(Form::light())?;
    let weights = cell.start(&mut Streams::new(2).restart("weights")?)?;
    Learned::fused(cell, weights, layout)
}

/// One optimizer of the optimizer room over all numbers as one slice, rounded to the model's precision after each step.
fn on_slices(optimizer: &mut dyn Optimizer, dtype: DType, steps: usize) -> Vec<f64> {
    let net = Net::new(dtype);
    for _ in 0..steps {
        let gradients = net.loss().backward().unwrap();
        let of = |var: &Var| flat(gradients.get(var).unwrap());
        let gradient = [of(&net.down), of(&net.bias), of(&net.up)].concat();
        let mut theta = net.numbers();
        optimizer.step(&mut theta, &gradient).unwrap();
        let mut start = 0;
        for var in [&net.down, &net.bias, &net.up] {
            let end = start + var.elem_count();
            let new = Tensor::from_slice(&theta[start..end], var.shape(), &Cpu).unwrap();
            var.set(&new.to_dtype(dtype).unwrap()).unwrap();
            start = end;
        }
    }
    net.numbers()
}

#[test]
fn variables_get_the_numbers_of_the_same_rule_on_slices() {
    let layout = || Layout::of(&[("all", &[25])]).unwrap();
    for dtype in [DType::F64, DType::F32] {
        let mut rules: Vec<(Box<dyn Optimizer>, ModelOptimizer, Net)> = Vec::new();
        let net = Net::new(dtype);
        rules.push((Box::new(adam(layout()).unwrap()), ModelOptimizer::all(net.named(), adam).unwrap(), net));
        let net = Net::new(dtype);
        rules.push((Box::new(learned(layout()).unwrap()), ModelOptimizer::all(net.named(), learned).unwrap(), net));
        for (mut one, mut many, net) in rules {
            for _ in 0..40 {
                many.backward_step(&net.loss()).unwrap();
            }
            let (ours, theirs) = (net.numbers(), on_slices(&mut one, dtype, 40));
            assert_ne!(ours, Net::new(dtype).numbers());
            for (a, b) in ours.iter().zip(&theirs) {
                assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{} {dtype:?}: {a} {b}", one.name());
            }
        }
    }
}

#[test]
fn the_order_is_that_of_the_names_whatever_the_map() {
    let orders: Vec<Vec<String>> = (0..5)
        .map(|_| {
            // Each map has a hash of its own.
            let map = VarMap::new();
            let builder = VarBuilder::from_varmap(&map, DType::F32, &Cpu);
            for i in 0..12 {
                candle_nn::linear(2, 2, builder.pp(format!("layer{i}"))).unwrap();
            }
            let rule = ModelOptimizer::all(map.data().lock().unwrap().clone(), adam).unwrap();
            rule.layout().tensors().iter().map(|tensor| tensor.name.clone()).collect()
        })
        .collect();
    assert!(orders[0].is_sorted() && orders[0].len() == 24);
    assert!(orders.iter().all(|order| order == &orders[0]));
}

#[test]
fn a_variable_without_a_gradient_is_left_alone_with_its_state() {
    let net = Net::new(DType::F64);
    let mut rule = ModelOptimizer::all(net.named(), adam).unwrap();
    rule.backward_step(&net.loss()).unwrap();
    assert!(rule.left_alone().is_empty());
    let (before, state) = (flat(&net.up), rule.optimizer("up.weight").unwrap().save());
    // Weight decay and the running mean would move it.
    let without_up = || net.bias.broadcast_matmul(&net.down).unwrap().sqr().unwrap().mean_all().unwrap();
    for _ in 0..3 {
        rule.backward_step(&without_up()).unwrap();
    }
    assert_eq!((flat(&net.up), rule.left_alone()), (before, vec!["up.weight"]));
    assert_eq!(rule.optimizer("up.weight").unwrap().save(), state);
    let steps = ["up.weight", "up.bias"].map(|name| rule.optimizer(name).unwrap().steps());
    assert_eq!((rule.steps(), steps), (4, [1, 4]));
    let constant = Tensor::new(1.0, &Cpu).unwrap();
    let error = rule.backward_step(&constant).unwrap_err().to_string();
    assert!(error.contains("none of the 3 variables") && rule.steps() == 4, "{error}");
}

#[test]
fn groups_are_chosen_by_name_and_frozen_bits_stay() {
    let net = Net::new(DType::F32);
    let sgd = |layout| Sgd::new(layout, SgdSettings::default());
    let rules = [("up.*", Each::Frozen), ("down*", Each::by(sgd))];
    let (frozen, before) = ((flat(&net.up), flat(&net.bias)), flat(&net.down));
    let mut rule = ModelOptimizer::new(net.named(), &rules).unwrap();
    rule.backward_step(&net.loss()).unwrap();
    assert_eq!((flat(&net.up), flat(&net.bias)), frozen);
    assert!(flat(&net.down) != before && rule.left_alone().is_empty());
    assert!(rule.optimizer("up.bias").is_none() && rule.optimizer("down.weight").is_some());
    let refused = |rules: &[(&str, Each<'_>)]| ModelOptimizer::new(net.named(), rules).unwrap_err().to_string();
    assert!(refused(&[("up.*", Each::Frozen)]).contains("down.weight is in no group"));
    assert!(refused(&[("*", Each::by(adam)), ("head", Each::Frozen)]).contains("\"head\" matches none of"));
    assert!(refused(&[("*", Each::by(adam)), ("*.bias", Each::Frozen)]).contains("up.bias is in the groups"));
}

#[test]
fn gradients_that_are_not_finite_are_refused_with_the_variable_named() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for dtype in [DType::F32, DType::F64] {
            let net = Net::new(dtype);
            let mut rule = ModelOptimizer::all(net.named(), adam).unwrap();
            rule.backward_step(&net.loss()).unwrap();
            let (before, state) = (net.numbers(), rule.save());
            let mut gradients = net.loss().backward().unwrap();
            // The last in the order of names, so that the others have been looked at before.
            let mut spoiled = flat(gradients.get(&net.up).unwrap());
            spoiled[7] = bad;
            let spoiled = Tensor::from_vec(spoiled, (3, 5), &Cpu).unwrap().to_dtype(dtype).unwrap();
            gradients.insert(&net.up, spoiled);
            let error = rule.step(&gradients).unwrap_err().to_string();
            assert!(error.contains("ModelOptimizer::step: the gradient of up.weight[1, 2] is"), "{error}");
            assert_eq!((net.numbers(), rule.save()), (before, state));
            rule.backward_step(&net.loss()).unwrap();
        }
    }
}

#[test]
fn an_update_that_is_not_finite_moves_nothing_and_stops_the_rules() {
    let net = Net::new(DType::F32);
    let wild = |layout: Layout| {
        let cell = Mnemosyne::new(Form::light())?;
        let mut weights = cell.start(&mut Streams::new(2).restart("weights")?)?;
        let last = cell.trained() - 1;
        (weights[last], weights[last - 1]) = (f64::MAX, f64::MAX);
        Learned::fused(cell, weights, layout)
    };
    let rules = [("down.*", Each::by(adam)), ("up.*", Each::by(wild))];
    let mut rule = ModelOptimizer::new(net.named(), &rules).unwrap();
    let (before, state) = (net.numbers(), rule.save());
    let error = rule.backward_step(&net.loss()).unwrap_err().to_string();
    assert!(error.contains("the update of up.bias[0, 0]"), "{error}");
    assert_eq!(net.numbers(), before);
    assert!(rule.backward_step(&net.loss()).unwrap_err().to_string().contains("broke off"));
    let broken = rule.save();
    assert!(rule.restore(&broken).unwrap_err().to_string().contains("broke off"));
    rule.restore(&state).unwrap();
    assert_eq!(rule.save(), state);
}

#[test]
fn a_saved_state_goes_on_to_the_same_bits_and_another_is_refused() {
    for dtype in [DType::F32, DType::F64] {
        let net = Net::new(dtype);
        let rules = || [("up.weight", Each::by(learned)), ("*.bias", Each::Frozen), ("down*", Each::by(adam))];
        let mut rule = ModelOptimizer::new(net.named(), &rules()).unwrap();
        for _ in 0..6 {
            rule.backward_step(&net.loss()).unwrap();
        }
        let (bytes, middle) = (rule.save().to_bytes(), net.named().map(|(_, var)| var.copy().unwrap()));
        for _ in 0..6 {
            rule.backward_step(&net.loss()).unwrap();
        }
        let other = Net::new(dtype);
        for ((_, var), value) in other.named().iter().zip(&middle) {
            var.set(value).unwrap();
        }
        let mut again = ModelOptimizer::new(other.named(), &rules()).unwrap();
        again.restore(&Saved::from_bytes(&bytes).unwrap()).unwrap();
        assert_eq!(again.steps(), 6);
        for _ in 0..6 {
            again.backward_step(&other.loss()).unwrap();
        }
        assert_eq!((other.numbers(), again.save()), (net.numbers(), rule.save()));
    }
    let net = Net::new(DType::F32);
    let saved = ModelOptimizer::all(net.named(), adam).unwrap().save();
    let refused = |named: Vec<(&str, Var)>, rate| {
        let make = |layout| Adam::new(layout, AdamSettings { rate, ..FAST });
        let mut rule = ModelOptimizer::all(named, make).unwrap();
        let before = rule.save();
        let error = rule.restore(&saved).unwrap_err().to_string();
        assert_eq!(rule.save(), before);
        error
    };
    let [up, down, bias] = net.named();
    assert!(refused(vec![up.clone(), down.clone()], 0.01).contains("up.bias of shape [1, 5]"));
    let renamed = ("up.offset", bias.1.clone());
    assert!(refused(vec![up.clone(), down.clone(), renamed], 0.01).contains("up.bias of shape [1, 5]"));
    let wider = ("up.bias", Var::zeros((1, 6), DType::F32, &Cpu).unwrap());
    assert!(refused(vec![up.clone(), down.clone(), wider], 0.01).contains("[1, 6]"));
    assert!(refused(vec![up, down, bias], 0.02).contains("settings"));
}

#[test]
fn a_model_that_changed_is_refused() {
    let map = VarMap::new();
    let builder = VarBuilder::from_varmap(&map, DType::F32, &Cpu);
    let named = || map.data().lock().unwrap().clone();
    assert!(ModelOptimizer::all(named(), adam).unwrap_err().to_string().contains("VarMap is empty"));
    let layer = candle_nn::linear(3, 1, builder.pp("first")).unwrap();
    let rule = ModelOptimizer::all(named(), adam).unwrap();
    assert!(layer.forward(&Tensor::ones((1, 3), DType::F32, &Cpu).unwrap()).is_ok());
    rule.expect(named()).unwrap();
    let anew = Var::zeros((1, 3), DType::F32, &Cpu).unwrap();
    let mut replaced = named();
    replaced.insert("first.weight".into(), anew);
    let error = rule.expect(replaced).unwrap_err().to_string();
    assert!(error.contains("first.weight is another variable"), "{error}");
    candle_nn::linear(1, 1, builder.pp("second")).unwrap();
    let error = rule.expect(named()).unwrap_err().to_string();
    assert!(error.contains("the layout changed: 4 tensors were 2"), "{error}");
}

#[test]
fn what_cannot_be_driven_is_refused() {
    let var = |dtype| Var::zeros((2, 1), dtype, &Cpu).unwrap();
    let all = |named: Vec<(&str, Var)>| ModelOptimizer::all(named, adam).map(|_| ()).unwrap_err().to_string();
    assert!(all(vec![("ids", var(DType::U32))]).contains("ids holds numbers of type U32"));
    let tied = var(DType::F32);
    assert!(all(vec![("in", tied.clone()), ("out", tied)]).contains("in and out are one variable"));
    assert!(all(vec![("a", var(DType::F32)), ("a", var(DType::F64))]).contains("occurs twice"));
    let net = Net::new(DType::F32);
    let mut rule = ModelOptimizer::all(net.named(), adam).unwrap();
    let error = rule.backward_step(&net.output().unwrap()).unwrap_err().to_string();
    assert!(error.contains("the loss has the shape [20, 1]"), "{error}");
    let mut gradients = net.loss().backward().unwrap();
    gradients.insert(&net.bias, Tensor::zeros(5, DType::F32, &Cpu).unwrap());
    let error = rule.step(&gradients).unwrap_err().to_string();
    assert!(error.contains("the gradient of up.bias has the shape [5], not [1, 5]"), "{error}");
    assert_eq!(rule.save().steps, 0);
}
