//! Every model: its gradient against differences and complex steps, its Hessian-vector product against both and its symmetry.

use workbench_ground::stats::{Stream, Streams};

use super::*;
use crate::Error;
use crate::data::{Images, Names, Speeches, Surnames, Vocabulary, folder};
use crate::task::{Split, Task};

fn normals(stream: &mut Stream, count: usize) -> Vec<f64> {
    (0..count).map(|_| stream.normal()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

/// What has to hold for every model whose loss is smooth where the start stands.
fn conforms<M: Model>(task: &Supervised<M>) {
    let streams = Streams::new(7);
    let mut stream = streams.stream("all").unwrap();
    let theta = task.start(&mut stream);
    let p = task.len();
    let (u, v) = (normals(&mut stream, p), normals(&mut stream, p));
    let batch = task.batch(Split::Training, &mut stream);
    let mut gradient = vec![f64::NAN; p];
    let loss = task.gradient(&theta, &batch, &mut gradient).unwrap();
    assert!((task.loss(&theta, &batch).unwrap() - loss).abs() < 1e-14 * loss);

    // Tensors stand in order and without gaps.
    let mut end = 0;
    for tensor in task.tensors() {
        assert_eq!(tensor.range, end..end + tensor.shape.iter().product::<usize>(), "{}", tensor.name);
        end = tensor.range.end;
    }
    assert_eq!(end, p);

    // Along u: the derivative of the loss by dual and by complex steps, and by central differences.
    let dual: Vec<Dual<f64>> = theta.iter().zip(&u).map(|(&value, &slope)| Dual { value, slope }).collect();
    let mut dual_gradient = vec![Dual::default(); p];
    let slope = task.gradient_in(&dual, &batch, &mut dual_gradient).unwrap().slope;
    let step = 1e-30;
    let complex = |along: &[f64]| -> Vec<Complex> {
        theta.iter().zip(along).map(|(&re, &u)| Complex { re, im: step * u }).collect()
    };
    let mut complex_gradient = vec![Complex::default(); p];
    let along = task.gradient_in(&complex(&u), &batch, &mut complex_gradient).unwrap().im / step;
    let scale = norm(&gradient) * norm(&u);
    assert!((dot(&gradient, &u) - slope).abs() < 1e-13 * scale, "dual {slope}");
    assert!((dot(&gradient, &u) - along).abs() < 1e-13 * scale, "complex {along}");
    let moved = |by: f64, along: &[f64]| -> Vec<f64> { theta.iter().zip(along).map(|(t, u)| t + by * u).collect() };
    let small = 1e-4 / norm(&u);
    let difference = (task.loss(&moved(small, &u), &batch).unwrap() - task.loss(&moved(-small, &u), &batch).unwrap())
        / (2.0 * small);
    assert!((dot(&gradient, &u) - difference).abs() < 1e-6 * scale, "differences {difference}");

    // Every tensor has its part: one unit direction in each.
    for tensor in task.tensors() {
        let mut unit = vec![0.0; p];
        unit[tensor.range.start + tensor.range.len() / 2] = 1.0;
        let along = task.gradient_in(&complex(&unit), &batch, &mut complex_gradient).unwrap().im / step;
        assert!((dot(&gradient, &unit) - along).abs() < 1e-13 * (1.0 + norm(&gradient)), "{}", tensor.name);
    }

    // The Hessian-vector product: complex steps of the gradient, differences of gradients, symmetry.
    let mut products = [vec![0.0; p], vec![0.0; p]];
    task.hessian_product(&theta, &batch, &u, &mut products[0]).unwrap();
    task.hessian_product(&theta, &batch, &v, &mut products[1]).unwrap();
    task.gradient_in(&complex(&u), &batch, &mut complex_gradient).unwrap();
    let imaginary: Vec<f64> = complex_gradient.iter().map(|x| x.im / step).collect();
    let [hu, hv] = products;
    assert!(apart(&hu, &imaginary) < 1e-12 * norm(&hu), "{:e}", apart(&hu, &imaginary) / norm(&hu));
    assert!((dot(&v, &hu) - dot(&u, &hv)).abs() < 1e-12 * norm(&v) * norm(&hu));
    let mut sides = [vec![0.0; p], vec![0.0; p]];
    task.gradient(&moved(small, &u), &batch, &mut sides[0]).unwrap();
    task.gradient(&moved(-small, &u), &batch, &mut sides[1]).unwrap();
    let difference: Vec<f64> = sides[0].iter().zip(&sides[1]).map(|(a, b)| (a - b) / (2.0 * small)).collect();
    assert!(apart(&hu, &difference) < 1e-4 * norm(&hu), "{:e}", apart(&hu, &difference) / norm(&hu));

    // Single precision agrees to its own rounding.
    let single: Vec<f32> = theta.iter().map(|&x| x as f32).collect();
    let mut single_gradient = vec![0.0f32; p];
    let single_loss = task.gradient_in(&single, &batch, &mut single_gradient).unwrap();
    let wide: Vec<f64> = single_gradient.iter().map(|&x| x.into()).collect();
    assert!((f64::from(single_loss) - loss).abs() < 1e-5 * loss && apart(&wide, &gradient) < 1e-4 * norm(&gradient));

    // Wrong lengths and wrong batches are refused.
    assert!(matches!(task.gradient(&theta[1..], &batch, &mut gradient), Err(Error::Shape { .. })));
    assert!(matches!(task.gradient(&theta, &batch, &mut [0.0]), Err(Error::Shape { .. })));
    assert!(matches!(task.hessian_product(&theta, &batch, &u[1..], &mut gradient), Err(Error::Shape { .. })));
    assert!(task.loss(&theta, &Examples::default()).is_err());
    let mut beyond = batch.clone();
    beyond.targets[0].class = task.model().batch_shape().classes;
    assert!(matches!(task.loss(&theta, &beyond), Err(Error::NoSuch { .. })));
    beyond.targets[0] = ClassLabel { row: usize::MAX, class: 0 };
    assert!(matches!(task.accuracy(&theta, &beyond), Err(Error::NoSuch { .. })));
}

/// Plain gradient descent lowers the loss on one batch.
fn learns<M: Model>(task: &Supervised<M>, rate: f64, steps: usize, share: f64) {
    let streams = Streams::new(3);
    let mut stream = streams.stream("learns").unwrap();
    let mut theta = task.start(&mut stream);
    let batch = task.batch(Split::Training, &mut stream);
    let mut gradient = vec![0.0; task.len()];
    let first = task.loss(&theta, &batch).unwrap();
    for _ in 0..steps {
        task.gradient(&theta, &batch, &mut gradient).unwrap();
        theta.iter_mut().zip(&gradient).for_each(|(t, g)| *t -= rate * g);
    }
    let last = task.loss(&theta, &batch).unwrap();
    assert!(last < share * first, "{first} to {last}");
}

fn small_images() -> ImageSource {
    ImageSource::new(Images::mnist(folder()).unwrap().pooled(2).unwrap()).unwrap()
}

const TINY: Sizes = Sizes { width: 6, layers: 2, heads: 3, head_width: 4, mlp_width: 5 };

#[test]
fn mlps() {
    for activation in [Activation::Relu, Activation::Sigmoid, Activation::Tanh] {
        let model = Mlp::new(&[49, 20, 7, 10], activation).unwrap();
        assert_eq!(model.layout().len(), 20 * 50 + 7 * 21 + 10 * 8);
        conforms(&Supervised::new("mlp", model, small_images(), 16).unwrap());
    }
    let line = Mlp::new(&[49, 10], Activation::Relu).unwrap();
    let task = Supervised::new("line", line, small_images(), 64).unwrap();
    conforms(&task);
    learns(&task, 1.0, 100, 0.4);
    assert!(Mlp::new(&[4], Activation::Relu).is_err() && Mlp::new(&[4, 0, 2], Activation::Relu).is_err());
}

#[test]
fn convolutions() {
    let task = |model| Supervised::new("conv", model, small_images(), 8).unwrap();
    conforms(&task(Convolution::new([7, 7], &[3, 4], 10).unwrap()));
    conforms(&task(Convolution::new([7, 7], &[2], 11).unwrap()));
    learns(&task(Convolution::new([7, 7], &[4, 8], 10).unwrap()), 0.5, 150, 0.8);
    assert!(Convolution::new([7, 7], &[1, 1, 1], 10).is_err());
    assert!(Convolution::new([7, 7], &[], 10).is_err() && Convolution::new([7, 7], &[0], 10).is_err());
}

/// The convolution of the definition, pixel by pixel: one stage and the head.
#[test]
fn a_convolution_is_the_sum_of_its_definition() {
    let model = Convolution::new([3, 4], &[2], 2).unwrap();
    let mut stream = Streams::new(1).stream("conv").unwrap();
    let (theta, image) = (normals(&mut stream, model.layout().len()), normals(&mut stream, 12));
    let batch =
        Examples { count: 1, inputs: image.clone(), symbols: vec![], targets: vec![ClassLabel { row: 0, class: 0 }] };
    let pixel = |y: usize, x: usize, channel: usize| -> f64 {
        let mut sum = theta[18 + channel];
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            if (1..=3).contains(&(y + i)) && (1..=4).contains(&(x + j)) {
                sum += theta[channel * 9 + i * 3 + j] * image[(y + i - 1) * 4 + x + j - 1];
            }
        }
        sum.max(0.0)
    };
    let mut expected = vec![theta[20 + 8], theta[20 + 9]];
    for (at, (column, channel)) in (0..2).flat_map(|x| (0..2).map(move |c| (x, c))).enumerate() {
        let mean: f64 = (0..4).map(|k| pixel(k / 2, 2 * column + k % 2, channel)).sum::<f64>() / 4.0;
        (0..2).for_each(|class| expected[class] += theta[20 + class * 4 + at] * mean);
    }
    let scores = model.scores(&theta, &batch);
    assert!(apart(&scores, &expected) < 1e-13, "{scores:?} {expected:?}");
}

#[test]
fn vision_transformers() {
    let task = |patch| {
        let model = Vit::new([7, 7], patch, TINY, 10).unwrap();
        Supervised::new("vit", model, small_images(), 8).unwrap()
    };
    for patch in [2, 3, 7] {
        conforms(&task(patch));
    }
    learns(&task(3), 0.5, 100, 0.7);
    assert!(Vit::new([7, 7], 8, TINY, 10).is_err() && Vit::new([7, 7], 0, TINY, 10).is_err());
    assert!(Vit::new([7, 7], 1, Sizes { heads: 0, ..TINY }, 10).is_err());
    // What comes before the last layer.
    let model = Vit::new([7, 7], 3, TINY, 10).unwrap();
    let mut stream = Streams::new(1).stream("features").unwrap();
    let theta = model.layout().start(&mut stream);
    let batch = small_images().draw(Split::Training, 5, &mut stream);
    assert_eq!(model.features(&theta, &batch).len(), 5 * TINY.width);
}

#[test]
fn languages() {
    let speeches = Speeches::kept(folder()).unwrap();
    let texts: Vec<&str> = speeches.all().iter().map(|speech| speech.text.as_str()).collect();
    let letters = Vocabulary::characters(texts.iter().copied(), 100).unwrap();
    let model = Language::new(letters.len(), 9, TINY).unwrap();
    let source = GapSource::pieces("speeches", &texts, &letters, 9).unwrap();
    let task = Supervised::new("letters", model, source, 8).unwrap();
    conforms(&task);
    learns(&task, 0.2, 100, 0.5);
    let words = Vocabulary::words(texts.iter().copied(), 50).unwrap();
    let source = GapSource::pieces("speeches", &texts, &words, 6).unwrap();
    conforms(&Supervised::new("words", Language::new(words.len(), 6, TINY).unwrap(), source, 4).unwrap());
    assert!(Language::new(0, 1, TINY).is_err() && Language::new(1, 0, TINY).is_err());
}

#[test]
fn gaps_are_asked_for_as_the_rule_says() {
    let surnames = Surnames::kept(folder()).unwrap();
    let texts = surnames.texts();
    let letters = Vocabulary::characters(texts.iter().copied(), 1).unwrap();
    let source = GapSource::whole("surnames", &texts, &letters, 12).unwrap();
    let mut stream = Streams::new(1).stream("gaps").unwrap();
    let batch = source.draw(Split::Training, 4000, &mut stream);
    batch.check("test", &source.batch_shape()).unwrap();
    let (mut masked, mut kept) = (0.0, 0.0);
    for target in &batch.targets {
        assert!(target.class >= Vocabulary::FIRST, "padding is never asked for");
        masked += f64::from(batch.symbols[target.row] == Vocabulary::MASK);
        kept += f64::from(batch.symbols[target.row] == target.class);
    }
    let count = batch.targets.len() as f64;
    // 5 standard errors; of the random symbols one in 26 is the right one.
    let close = |got: f64, expected: f64| (got / count - expected).abs() < 5.0 * (expected / count).sqrt();
    assert!(close(masked, 0.8) && close(kept, 0.1 + 0.1 / 26.0), "{masked} {kept} of {count}");
}

#[test]
fn prompts_move_nothing_but_themselves() {
    let names = Names::kept(folder()).unwrap();
    let (texts, labels) = names.labelled();
    let letters = Vocabulary::characters(texts.iter().copied(), 1).unwrap();
    let model = Language::new(letters.len(), 10, TINY).unwrap();
    let weights = model.layout().start(&mut Streams::new(5).stream("frozen").unwrap());
    let symbols = [letters.number("f").unwrap(), letters.number("m").unwrap()];
    let prompt = Prompt::new(model.clone(), weights.clone(), 4, &symbols).unwrap();
    assert_eq!(prompt.layout().len(), 4 * TINY.width);
    let source = TextSource::new("names", (&texts, &labels), &letters, 10).unwrap();
    let task = Supervised::new("prompt", prompt, source, 16).unwrap();
    conforms(&task);
    learns(&task, 1.0, 100, 1.0);
    assert_eq!(task.model().frozen(), weights);
    assert!(Prompt::new(model.clone(), weights[1..].to_vec(), 4, &symbols).is_err());
    assert!(Prompt::new(model.clone(), weights.clone(), 0, &symbols).is_err());
    assert!(Prompt::new(model, weights, 4, &[1000]).is_err());
}

#[test]
fn data_of_another_form_are_refused() {
    let task = |widths: &[usize]| {
        let model = Mlp::new(widths, Activation::Relu).unwrap();
        Supervised::new("x", model, small_images(), 4).map_err(|error| error.to_string())
    };
    assert!(task(&[49, 10]).is_ok() && task(&[49, 12]).is_ok());
    assert!(task(&[50, 10]).unwrap_err().contains("form of the data"));
    assert!(task(&[49, 9]).unwrap_err().contains("classes and vocabulary"));
    let model = Mlp::new(&[49, 10], Activation::Relu).unwrap();
    assert!(Supervised::new("x", model, small_images(), 0).is_err());
}

#[test]
fn batches_come_from_their_part_and_their_stream() {
    let source = small_images();
    let streams = Streams::new(1);
    let draw = |split| source.draw(split, 50, &mut streams.restart("batch").unwrap());
    assert_eq!(draw(Split::Training), draw(Split::Training));
    assert_ne!(draw(Split::Training), draw(Split::Validation));
    let validation = source.all(Split::Validation).unwrap();
    assert_eq!((validation.count, source.all(Split::Training).unwrap().count), (2_000, 8_000));
    let images: std::collections::HashSet<Vec<u64>> =
        validation.inputs.chunks_exact(49).map(|image| image.iter().map(|x| x.to_bits()).collect()).collect();
    let drawn = draw(Split::Validation);
    assert!(drawn.inputs.chunks_exact(49).all(|i| images.contains(&i.iter().map(|x| x.to_bits()).collect::<Vec<_>>())));
}
