//! Every model against PyTorch's autograd, whose numbers `testdata/outside.py` wrote.

use super::*;

include!("testdata/models.in");

fn waves(count: usize, factor: f64, step: f64, shift: f64, add: f64) -> Vec<f64> {
    (0..count).map(|i| add + factor * libm::sin(step * i as f64 + shift)).collect()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The batch that the script makes: five examples; texts ask for every third place.
fn batch(form: &BatchShape) -> Examples {
    let (count, text) = (5, form.symbols > 0);
    let rows = (0..count * form.rows).step_by(if text { 3 } else { 1 });
    let targets = rows.enumerate().map(|(at, row)| ClassLabel { row, class: at % form.classes });
    Examples {
        count,
        inputs: waves(count * form.inputs, 0.5, 0.37, 0.0, 0.5),
        symbols: (0..count * form.symbols).map(|i| i % form.vocabulary.max(1)).collect(),
        targets: targets.collect(),
    }
}

fn network(name: &str) -> Network {
    let sizes = Sizes { layers: 2, heads: 3, width: 6, head_width: 4, mlp_width: 5 };
    match name.strip_prefix("text-") {
        Some(_) => Network::Language(Language::new(11, 8, sizes).unwrap()),
        None => NetworkShape::parse(name).unwrap().build([7, 7], 10).unwrap(),
    }
}

#[test]
fn losses_gradients_and_products_are_those_of_pytorch() {
    for (name, count, [loss, size, along, product_size, product_along]) in OUTSIDE {
        let model = network(name);
        assert_eq!(model.layout().len(), count, "{name}");
        let batch = batch(&model.batch_shape());
        batch.check("test", &model.batch_shape()).unwrap();
        let theta = waves(count, 0.5, 1.7, 0.3, 0.0);
        let (w, u): (Vec<f64>, _) =
            ((0..count).map(|i| libm::cos(0.9 * i as f64)).collect(), waves(count, 1.0, 0.6, 1.0, 0.0));
        let dual: Vec<Dual<f64>> = theta.iter().zip(&w).map(|(&value, &slope)| Dual { value, slope }).collect();
        let mut gradient = vec![Dual::default(); count];
        let got = model.gradient(&dual, &batch, 1.0 / batch.targets.len() as f64, &mut gradient);
        let (slope, product): (Vec<f64>, Vec<f64>) = gradient.iter().map(|x| (x.value, x.slope)).unzip();
        for (what, got, expected, scale) in [
            ("loss", got.value, loss, loss),
            ("size of the gradient", norm(&slope), size, size),
            ("gradient along w", dot(&slope, &w), along, size * norm(&w)),
            ("size of the product", norm(&product), product_size, product_size),
            ("product along u", dot(&product, &u), product_along, product_size * norm(&u)),
        ] {
            assert!((got - expected).abs() < 1e-12 * scale, "{name}, {what}: {got} for {expected}");
        }
    }
}
