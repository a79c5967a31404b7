//! Fixed features: what a frozen network makes of images, for tuning a last layer on them.

use workbench_ground::stats::Streams;
use workbench_ground::{check, work};

use super::layers::Linear;
use super::layout::InitialLayout;
use super::model::Model;
use super::{Activation, ClassLabel, Examples, Mlp, Vit};
use crate::Error;
use crate::data::Images;

/// Images that are computed at once.
const AT_ONCE: usize = 256;

/// $\max(Wx+b,0)$ of each image $x$ with a random layer of `width` units, started as PyTorch's `Linear` and then frozen, over the
/// root of the mean square of all these numbers. The images that come out have one row of `width` "pixels"; a network without hidden
/// layers on them is a last layer on fixed features.
///
/// **Source**: B.7.1 tunes the last layer of ViTs of width 768, 1024 and 1280; no such weights are within reach, random ones keep the
/// shape of the problem at these widths. The scale keeps features of different widths alike. Cost: pixels x width multiplications for
/// each image.
///
/// ```
/// use workbench_optimizer::data::Images;
/// use workbench_optimizer::tasks::random_features;
/// let images = Images::new("x", [2, 2], (0..12).map(f64::from).collect(), vec![0, 1, 0], 2)?;
/// let features = random_features(&images, 768, 1)?;
/// assert_eq!((features.sides(), features.len()), ([1, 768], 3));
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
///
/// The layer comes from the stream `"random features"`, replicate `width`, of `seed`.
///
/// **Errors**: a width of zero, features that are all zero, [`Error::Stopped`].
pub fn random_features(images: &Images, width: usize, seed: u64) -> Result<Images, Error> {
    const OP: &str = "random_features";
    check::positive(OP, "width", width)?;
    let pixels = images.sides().iter().product();
    let mut layout = InitialLayout::default();
    let layer = Linear::new(&mut layout, "frozen", pixels, width);
    let weights = layout.start(&mut Streams::new(seed).restart_replicate("random features", width)?);
    let mut features = Vec::with_capacity(images.len() * width);
    for (chunk, rows) in images.pixels().chunks(AT_ONCE * pixels).enumerate() {
        work::check(OP, chunk * AT_ONCE, images.len())?;
        let mut active = layer.forward(&weights, rows);
        Activation::Relu.forward(&mut active);
        features.extend(active);
    }
    let size = (features.iter().map(|x| x * x).sum::<f64>() / features.len() as f64).sqrt();
    check::above_zero(OP, "size of the features", size)?;
    features.iter_mut().for_each(|x| *x /= size);
    row(images, width, features)
}

/// What a vision transformer with frozen weights holds in its class position before the last layer, for each image.
///
/// **Source**: B.7.1; the transformer is one of this room, trained before on other images. **Errors**: images of other sides, weights of
/// another number or not finite, [`Error::Stopped`].
pub fn vit_features(vit: &Vit, weights: &[f64], images: &Images) -> Result<Images, Error> {
    const OP: &str = "vit_features";
    frozen(OP, weights, vit.layout().len(), images, vit.batch_shape().inputs)?;
    let features = of_all(OP, images, vit.at_once().max(1), |batch| vit.features(weights, batch))?;
    row(images, vit.sizes().width, features)
}

/// What a fully connected network with frozen weights holds before its last layer, for each image.
///
/// **Source**: B.7.1; the network is one of this room, trained before on other images. A network without hidden layers gives the images
/// back. **Errors**: images of other sides, weights of another number or not finite, [`Error::Stopped`].
pub fn mlp_features(mlp: &Mlp, weights: &[f64], images: &Images) -> Result<Images, Error> {
    const OP: &str = "mlp_features";
    frozen(OP, weights, mlp.layout().len(), images, mlp.batch_shape().inputs)?;
    let features = of_all(OP, images, AT_ONCE, |batch| mlp.features(weights, batch))?;
    row(images, mlp.feature_width(), features)
}

/// Refuses weights and images that are not those of a model with so many parameters and inputs.
fn frozen(op: &'static str, weights: &[f64], parameters: usize, images: &Images, inputs: usize) -> Result<(), Error> {
    check::same(op, ("frozen weights", weights.len()), ("parameters of the model", parameters))?;
    check::finite(op, "frozen weights", weights)?;
    let pixels = images.sides().iter().product::<usize>();
    check::same(op, ("pixels of an image", pixels), ("inputs of the model", inputs))
}

/// Rows of features of all images, so many at once.
fn of_all(
    op: &'static str,
    images: &Images,
    at_once: usize,
    mut features: impl FnMut(&Examples) -> Vec<f64>,
) -> Result<Vec<f64>, Error> {
    let pixels = images.sides().iter().product::<usize>();
    let mut all = Vec::new();
    for (chunk, rows) in images.pixels().chunks(at_once * pixels).enumerate() {
        work::check(op, chunk * at_once, images.len())?;
        let count = rows.len() / pixels;
        let batch = Examples {
            count,
            inputs: rows.to_vec(),
            symbols: vec![],
            targets: (0..count).map(|row| ClassLabel { row, class: 0 }).collect(),
        };
        all.extend(features(&batch));
    }
    Ok(all)
}

fn row(images: &Images, width: usize, features: Vec<f64>) -> Result<Images, Error> {
    // The name stays, so that an image is for training or for validation whatever is made of it.
    Images::new(images.name(), [1, width], features, images.labels().to_vec(), images.classes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::folder;
    use crate::tasks::Sizes;

    #[test]
    fn random_features_are_those_of_their_formula() {
        let images = Images::digits(folder()).unwrap().part(0..300).unwrap();
        let features = random_features(&images, 20, 3).unwrap();
        assert_eq!(features, random_features(&images, 20, 3).unwrap());
        assert_ne!(features, random_features(&images, 20, 4).unwrap());
        let square: f64 = features.pixels().iter().map(|x| x * x).sum();
        assert!((square / features.pixels().len() as f64 - 1.0).abs() < 1e-12);
        let weights: Vec<f64> = {
            let mut stream = Streams::new(3).restart_replicate("random features", 20).unwrap();
            (0..20 * 65).map(|_| (2.0 * stream.uniform() - 1.0) / 8.0).collect()
        };
        let unit = |image: usize, unit: usize| {
            let inner: f64 = images.image(image).iter().zip(&weights[unit * 64..]).map(|(x, w)| x * w).sum();
            (inner + weights[20 * 64 + unit]).max(0.0)
        };
        // Up to the common scale.
        let first = (0..20).find(|&at| unit(0, at) > 0.0).unwrap();
        let scale = features.image(0)[first] / unit(0, first);
        for (image, at) in [(0, 3), (7, 11), (299, 19)] {
            assert!((features.image(image)[at] - scale * unit(image, at)).abs() < 1e-12);
        }
        assert!(random_features(&images, 0, 3).is_err());
    }

    #[test]
    fn features_of_an_mlp_are_its_last_hidden_layer() {
        let images = Images::digits(folder()).unwrap().part(0..40).unwrap();
        let mlp = Mlp::new(&[64, 9, 10], Activation::Relu).unwrap();
        let weights = mlp.layout().start(&mut Streams::new(2).stream("frozen").unwrap());
        let features = mlp_features(&mlp, &weights, &images).unwrap();
        assert_eq!((features.sides(), features.len()), ([1, 9], 40));
        let unit = |image: usize, at: usize| {
            let rows = images.image(image).iter().zip(&weights[at * 64..]);
            (rows.map(|(x, w)| x * w).sum::<f64>() + weights[9 * 64 + at]).max(0.0)
        };
        for (image, at) in [(0, 0), (17, 8), (39, 4)] {
            assert!((features.image(image)[at] - unit(image, at)).abs() < 1e-12);
        }
        let plain = Mlp::new(&[64, 10], Activation::Relu).unwrap();
        let none = vec![0.0; plain.layout().len()];
        assert_eq!(mlp_features(&plain, &none, &images).unwrap().pixels(), images.pixels());
        assert!(mlp_features(&mlp, &weights[1..], &images).is_err());
        assert!(mlp_features(&mlp, &weights, &images.pooled(2).unwrap()).is_err());
    }

    #[test]
    fn features_of_a_transformer_have_its_width() {
        let images = Images::digits(folder()).unwrap().part(0..50).unwrap();
        let sizes = Sizes { width: 6, layers: 1, heads: 1, head_width: 4, mlp_width: 5 };
        let vit = Vit::new([8, 8], 4, sizes, 10).unwrap();
        let weights = vit.layout().start(&mut Streams::new(1).stream("frozen").unwrap());
        let features = vit_features(&vit, &weights, &images).unwrap();
        assert_eq!((features.sides(), features.len(), features.labels()), ([1, 6], 50, images.labels()));
        // One image alone gives the same.
        let one = vit_features(&vit, &weights, &images.part(33..34).unwrap()).unwrap();
        assert_eq!(one.image(0), features.image(33));
        assert!(vit_features(&vit, &weights[1..], &images).is_err());
        assert!(vit_features(&vit, &weights, &images.pooled(2).unwrap()).is_err());
    }
}
