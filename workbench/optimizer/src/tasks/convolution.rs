//! Small convolutional networks.

use workbench_ground::check;

use super::layers::{Linear, cross_entropy};
use super::layout::InitialLayout;
use super::mlp::rows;
use super::model::{BatchShape, Model};
use super::vit::add;
use super::{Activation, Examples, ModelNumber};
use crate::Error;

/// Side of the kernels; the border is filled up with zeros, so that sides stay.
const KERNEL: usize = 3;
/// Pixels that are computed at once.
const PIXELS: usize = 1_600;

/// Stages of a 3 x 3 convolution, relu and means over 2 x 2 (an odd row or column is left out), then one fully connected layer and
/// softmax cross entropy.
///
/// **Source**: not in the document; its peers test learned optimizers on such a network (Open-L2O), and our suite does as unseen task.
/// **Shapes**: images of $h\times w$ in one shade; the kernels of stage $i$ are `convolutions.i.weight` ($c_i$, 3, 3, $c_{i-1}$), channels
/// last. **Start**: PyTorch's `Conv2d` and `Linear`, uniform in $\pm1/\sqrt{9c_{i-1}}$, biases too. **Cost** of a gradient: about
/// $27bhw\sum_ic_ic_{i-1}4^{-i}$ multiplications.
///
/// ```
/// use workbench_optimizer::tasks::{Convolution, Model};
/// let model = Convolution::new([14, 14], &[4, 8], 10)?;
/// // 4 (9 + 1) + 8 (36 + 1) + 10 (3 * 3 * 8 + 1)
/// assert_eq!(model.layout().len(), 40 + 296 + 730);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    layout: InitialLayout,
    stages: Vec<Stage>,
    head: Linear,
    pixels: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Stage {
    kernel: Linear,
    sides: [usize; 2],
    channels: usize,
}

/// What a stage keeps for its gradient: the patches, and what the relu gave.
struct Kept<N> {
    patches: Vec<N>,
    active: Vec<N>,
}

impl Convolution {
    /// Stages with so many `channels` each, on images of these `sides`.
    ///
    /// **Errors**: sides, channels or classes of zero, no stages, more stages than the sides can be halved.
    pub fn new(sides: [usize; 2], channels: &[usize], classes: usize) -> Result<Convolution, Error> {
        const OP: &str = "Convolution::new";
        check::positive(OP, "number of classes", classes)?;
        check::positive(OP, "number of stages", channels.len())?;
        let mut layout = InitialLayout::default();
        let (mut now, mut depth) = (sides, 1);
        let mut stages = Vec::new();
        for (at, &count) in channels.iter().enumerate() {
            check::positive(OP, "number of channels", count)?;
            let allowed = "at least 2 in each stage; use fewer stages or larger images";
            let side = now[0].min(now[1]);
            check::within(OP, "side", side as f64, side >= 2, allowed)?;
            let axes = [KERNEL, KERNEL, depth];
            stages.push(Stage {
                kernel: Linear::shaped(&mut layout, &format!("convolutions.{at}"), &axes, count),
                sides: now,
                channels: depth,
            });
            (now, depth) = (now.map(|side| side / 2), count);
        }
        let head = Linear::new(&mut layout, "head", now[0] * now[1] * depth, classes);
        Ok(Convolution { layout, stages, head, pixels: sides[0] * sides[1] })
    }

    fn forward<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> (Vec<Kept<N>>, Vec<N>) {
        let mut x: Vec<N> = rows(batch, self.pixels);
        let mut kept = Vec::with_capacity(self.stages.len());
        for stage in &self.stages {
            let patches = stage.patches(&x);
            let mut active = stage.kernel.forward(theta, &patches);
            Activation::Relu.forward(&mut active);
            x = stage.pooled(&active);
            kept.push(Kept { patches, active });
        }
        (kept, x)
    }
}

impl Stage {
    /// Calls `visit` for each run of neighbouring pixels that a row of a patch sees: (place in the patches, place in the images, length).
    fn each(&self, images: usize, mut visit: impl FnMut(usize, usize, usize)) {
        let [height, width] = self.sides;
        let c = self.channels;
        for (image, y) in (0..images).flat_map(|image| (0..height).map(move |y| (image, y))) {
            for (x, i) in (0..width).flat_map(|x| (0..KERNEL).map(move |i| (x, i))) {
                if (1..=height).contains(&(y + i)) {
                    let (first, end) = (x.max(1) - 1, (x + 2).min(width));
                    let row = ((image * height + y) * width + x) * KERNEL + i;
                    let place = (row * KERNEL + first + 1 - x) * c;
                    visit(place, ((image * height + y + i - 1) * width + first) * c, (end - first) * c);
                }
            }
        }
    }

    fn patches<N: ModelNumber>(&self, x: &[N]) -> Vec<N> {
        let mut patches = vec![N::default(); x.len() * KERNEL * KERNEL];
        self.each(x.len() / (self.sides[0] * self.sides[1] * self.channels), |to, from, length| {
            let run = patches[to..to + length].iter_mut();
            run.zip(&x[from..from + length]).for_each(|(pixel, &value)| *pixel = value);
        });
        patches
    }

    fn patches_backward<N: ModelNumber>(&self, dpatches: &[N]) -> Vec<N> {
        let mut dx = vec![N::default(); dpatches.len() / (KERNEL * KERNEL)];
        self.each(dx.len() / (self.sides[0] * self.sides[1] * self.channels), |from, to, length| {
            add(&mut dx[to..to + length], &dpatches[from..from + length]);
        });
        dx
    }

    /// Calls `visit` with the place of each pixel that is not left out: (place before, place after the means over 2 x 2).
    fn each_pooled(&self, images: usize, mut visit: impl FnMut(usize, usize)) {
        let ([height, width], c) = (self.sides, self.kernel.outputs);
        let (h, w) = (height / 2, width / 2);
        for image in 0..images {
            for (y, x) in (0..2 * h).flat_map(|y| (0..2 * w).map(move |x| (y, x))) {
                visit(((image * height + y) * width + x) * c, ((image * h + y / 2) * w + x / 2) * c);
            }
        }
    }

    fn pooled<N: ModelNumber>(&self, active: &[N]) -> Vec<N> {
        let ([height, width], c) = (self.sides, self.kernel.outputs);
        let images = active.len() / (height * width * c);
        let mut out = vec![N::default(); images * (height / 2) * (width / 2) * c];
        self.each_pooled(images, |from, to| {
            let means = out[to..to + c].iter_mut();
            means.zip(&active[from..from + c]).for_each(|(mean, &value)| *mean += value);
        });
        out.iter_mut().for_each(|mean| *mean *= N::of(0.25));
        out
    }

    fn pooled_backward<N: ModelNumber>(&self, dy: &[N], length: usize) -> Vec<N> {
        let ([height, width], c) = (self.sides, self.kernel.outputs);
        let mut dx = vec![N::default(); length];
        self.each_pooled(length / (height * width * c), |to, from| {
            let pixel = dx[to..to + c].iter_mut();
            pixel.zip(&dy[from..from + c]).for_each(|(d, &value)| *d = N::of(0.25) * value);
        });
        dx
    }
}

impl Model for Convolution {
    fn layout(&self) -> &InitialLayout {
        &self.layout
    }

    fn batch_shape(&self) -> BatchShape {
        BatchShape { inputs: self.pixels, symbols: 0, vocabulary: 0, rows: 1, classes: self.head.outputs }
    }

    fn scores<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Vec<N> {
        let (_, x) = self.forward(theta, batch);
        self.head.forward(theta, &x)
    }

    fn gradient<N: ModelNumber>(&self, theta: &[N], batch: &Examples, share: f64, gradient: &mut [N]) -> N {
        let (kept, x) = self.forward(theta, batch);
        let mut dy = self.head.forward(theta, &x);
        let loss = cross_entropy(&mut dy, self.head.outputs, &batch.targets, share);
        let mut dx = self.head.backward(theta, &x, &dy, Some(&mut *gradient));
        for (at, (stage, kept)) in self.stages.iter().zip(&kept).enumerate().rev() {
            let mut dy = stage.pooled_backward(&dx, kept.active.len());
            Activation::Relu.backward(&kept.active, &mut dy);
            stage.kernel.weights_backward(&kept.patches, &dy, gradient);
            if at > 0 {
                dx = stage.patches_backward(&stage.kernel.inputs_backward(theta, &dy));
            }
        }
        loss
    }

    fn at_once(&self) -> usize {
        PIXELS / self.pixels
    }
}
