//! Shapes of networks: their names, and the distribution that the document draws them from.

use std::fmt;

use workbench_ground::stats::Stream;

use super::{Activation, Convolution, Mlp, Network, Sizes, Vit};
use crate::Error;

/// The shape of a network for images. It is written as a name, and read from one:
///
/// | name | network |
/// | --- | --- |
/// | `linear` | one fully connected layer |
/// | `mlp-20-20-sigmoid` | hidden layers of these widths; `relu`, `sigmoid` or `tanh` |
/// | `conv-4-8` | stages with so many channels |
/// | `vit-l1-h2-d16-k8-m32-p3` | layers, heads, width, head width, mlp width, side of a patch |
///
/// ```
/// use workbench_optimizer::tasks::{Model, NetworkShape};
/// let shape = NetworkShape::parse("mlp-20-sigmoid")?;
/// assert_eq!(shape.build([28, 28], 10)?.layout().len(), 15_910);
/// assert_eq!(shape.to_string(), "mlp-20-sigmoid");
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NetworkShape {
    /// [`Mlp`]; without hidden layers the activation plays no part.
    Mlp {
        /// Widths of the hidden layers.
        hidden: Vec<usize>,
        /// Between layers.
        activation: Activation,
    },
    /// [`Convolution`].
    Convolution {
        /// Channels of the stages.
        channels: Vec<usize>,
    },
    /// [`Vit`].
    Vit {
        /// Sizes of the blocks.
        sizes: Sizes,
        /// Side of a patch.
        patch: usize,
    },
}

impl NetworkShape {
    /// An MLP of B.1: one or two hidden layers, each of a width from 20 to 40, sigmoid or relu. Each number is drawn uniformly and apart
    /// from the others; the document gives ranges only.
    pub fn draw_mlp(stream: &mut Stream) -> NetworkShape {
        let hidden = (0..between(stream, 1, 2)).map(|_| between(stream, 20, 40)).collect();
        let activation = [Activation::Sigmoid, Activation::Relu][between(stream, 0, 1)];
        NetworkShape::Mlp { hidden, activation }
    }

    /// A ViT of B.1: one to three layers, one to three heads, width and mlp width from 16 to 64, head width from 8 to 16; uniform as
    /// above. The document gives no patches; they are an argument.
    pub fn draw_vit(stream: &mut Stream, patch: usize) -> NetworkShape {
        let sizes = Sizes {
            layers: between(stream, 1, 3),
            heads: between(stream, 1, 3),
            width: between(stream, 16, 64),
            mlp_width: between(stream, 16, 64),
            head_width: between(stream, 8, 16),
        };
        NetworkShape::Vit { sizes, patch }
    }

    /// From a name.
    ///
    /// **Errors**: [`Error::Refused`]: a name of another form.
    pub fn parse(name: &str) -> Result<NetworkShape, Error> {
        let found = match name.split_once('-') {
            None if name == "linear" => Some(NetworkShape::Mlp { hidden: vec![], activation: Activation::Relu }),
            Some(("mlp", rest)) => rest.rsplit_once('-').and_then(|(hidden, activation)| {
                Some(NetworkShape::Mlp { hidden: numbers(hidden)?, activation: activation_of(activation)? })
            }),
            Some(("conv", rest)) => numbers(rest).map(|channels| NetworkShape::Convolution { channels }),
            Some(("vit", rest)) => vit(rest),
            _ => None,
        };
        found.ok_or_else(|| {
            let next = "write linear, mlp-20-relu, conv-4-8 or vit-l1-h2-d16-k8-m32-p3";
            Error::refused("NetworkShape::parse", format!("`{name}` names no network"), next)
        })
    }

    /// The network for images of these sides.
    ///
    /// **Errors**: sizes that [`Mlp::new`], [`Convolution::new`] or [`Vit::new`] refuse.
    pub fn build(&self, sides: [usize; 2], classes: usize) -> Result<Network, Error> {
        Ok(match self {
            NetworkShape::Mlp { hidden, activation } => {
                let widths = [&[sides[0] * sides[1]], &hidden[..], &[classes]].concat();
                Network::Mlp(Mlp::new(&widths, *activation)?)
            }
            NetworkShape::Convolution { channels } => Network::Convolution(Convolution::new(sides, channels, classes)?),
            NetworkShape::Vit { sizes, patch } => Network::Vit(Vit::new(sides, *patch, *sizes, classes)?),
        })
    }

    /// How many parameters that network has, from a formula: $\sum_i n_i(n_{i-1}+1)$ for an MLP; for the others, the formulas at
    /// [`Convolution`] and [`Vit`].
    pub fn parameters(&self, sides: [usize; 2], classes: usize) -> usize {
        match self {
            NetworkShape::Mlp { hidden, .. } => {
                let widths = [&[sides[0] * sides[1]], &hidden[..], &[classes]].concat();
                widths.windows(2).map(|pair| pair[1] * (pair[0] + 1)).sum()
            }
            NetworkShape::Convolution { channels } => {
                let depths = [&[1], &channels[..]].concat();
                let kernels: usize = depths.windows(2).map(|pair| pair[1] * (9 * pair[0] + 1)).sum();
                let left = sides.map(|side| side >> channels.len());
                kernels + classes * (left[0] * left[1] * depths[channels.len()] + 1)
            }
            NetworkShape::Vit { sizes, patch } => {
                let (d, count) = (sizes.width, sides[0].div_ceil(*patch) * sides[1].div_ceil(*patch));
                d * (patch * patch + 1) + d + (count + 1) * d + sizes.parameters() + classes * (d + 1)
            }
        }
    }
}

/// Uniform among `low` to `high`, both included.
fn between(stream: &mut Stream, low: usize, high: usize) -> usize {
    low + stream.below((high - low + 1) as u64) as usize
}

fn numbers(text: &str) -> Option<Vec<usize>> {
    text.split('-').map(|part| part.parse().ok()).collect()
}

fn activation_of(name: &str) -> Option<Activation> {
    match name {
        "relu" => Some(Activation::Relu),
        "sigmoid" => Some(Activation::Sigmoid),
        "tanh" => Some(Activation::Tanh),
        _ => None,
    }
}

/// The numbers after these letters, in this order.
fn lettered<const K: usize>(text: &str, letters: [char; K]) -> Option<[usize; K]> {
    let mut found = [0; K];
    let mut parts = text.split('-');
    for (value, letter) in found.iter_mut().zip(letters) {
        *value = parts.next()?.strip_prefix(letter)?.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

fn vit(text: &str) -> Option<NetworkShape> {
    let (sizes, patch) = text.rsplit_once('-')?;
    let [patch] = lettered(patch, ['p'])?;
    let sizes = Sizes::parse(sizes)?;
    Some(NetworkShape::Vit { sizes, patch })
}

impl Sizes {
    /// From `l1-h2-d16-k8-m32`.
    pub(super) fn parse(text: &str) -> Option<Sizes> {
        let [layers, heads, width, head_width, mlp_width] = lettered(text, ['l', 'h', 'd', 'k', 'm'])?;
        Some(Sizes { width, layers, heads, head_width, mlp_width })
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sizes { width, layers, heads, head_width, mlp_width } = self;
        write!(f, "l{layers}-h{heads}-d{width}-k{head_width}-m{mlp_width}")
    }
}

impl fmt::Display for NetworkShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkShape::Mlp { hidden, .. } if hidden.is_empty() => f.write_str("linear"),
            NetworkShape::Mlp { hidden, activation } => {
                f.write_str("mlp")?;
                hidden.iter().try_for_each(|width| write!(f, "-{width}"))?;
                f.write_str(match activation {
                    Activation::Relu => "-relu",
                    Activation::Sigmoid => "-sigmoid",
                    Activation::Tanh => "-tanh",
                })
            }
            NetworkShape::Convolution { channels } => {
                f.write_str("conv")?;
                channels.iter().try_for_each(|count| write!(f, "-{count}"))
            }
            NetworkShape::Vit { sizes, patch } => write!(f, "vit-{sizes}-p{patch}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::Model;
    use workbench_ground::stats::Streams;

    #[test]
    fn drawn_architectures_have_their_names_and_counts() {
        let mut stream = Streams::new(1).stream("architectures").unwrap();
        for _ in 0..200 {
            for shape in [NetworkShape::draw_mlp(&mut stream), NetworkShape::draw_vit(&mut stream, 3)] {
                assert_eq!(NetworkShape::parse(&shape.to_string()).unwrap(), shape);
                let network = shape.build([7, 7], 10).unwrap();
                assert_eq!(network.layout().len(), shape.parameters([7, 7], 10), "{shape}");
            }
        }
        for name in ["linear", "conv-4-8", "conv-3", "mlp-5-6-7-tanh"] {
            let shape = NetworkShape::parse(name).unwrap();
            assert_eq!(shape.to_string(), name);
            assert_eq!(shape.build([14, 9], 3).unwrap().layout().len(), shape.parameters([14, 9], 3), "{name}");
        }
    }

    #[test]
    fn the_draw_covers_its_ranges_evenly() {
        let mut stream = Streams::new(2).stream("ranges").unwrap();
        let draws = 20_000;
        let mut widths = [0u32; 65];
        let (mut two, mut relu) = (0.0, 0.0);
        for _ in 0..draws {
            if let NetworkShape::Vit { sizes, .. } = NetworkShape::draw_vit(&mut stream, 3) {
                assert!((1..=3).contains(&sizes.layers) && (1..=3).contains(&sizes.heads));
                assert!((8..=16).contains(&sizes.head_width) && (16..=64).contains(&sizes.mlp_width));
                widths[sizes.width] += 1;
            }
            if let NetworkShape::Mlp { hidden, activation } = NetworkShape::draw_mlp(&mut stream) {
                assert!(hidden.iter().all(|width| (20..=40).contains(width)));
                two += f64::from(hidden.len() == 2);
                relu += f64::from(activation == Activation::Relu);
            }
        }
        assert_eq!(widths[..16], [0; 16]);
        // Chi-square with 48 degrees of freedom: 0.9999 of its law lies below 99.
        let expected = f64::from(draws) / 49.0;
        let chi: f64 = widths[16..].iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        assert!(chi < 99.0, "{chi}");
        let half = |count: f64| (count / f64::from(draws) - 0.5).abs() < 5.0 * 0.5 / f64::from(draws).sqrt();
        assert!(half(two) && half(relu));
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["", "mlp", "mlp-relu", "mlp-20", "mlp-x-relu", "mlp-20-gelu", "conv", "conv-", "linear-3"] {
            assert!(NetworkShape::parse(name).is_err(), "{name}");
        }
        for name in ["vit", "vit-l1-h2-d16-k8-m32", "vit-l1-h2-d16-k8-m32-p3-x1", "vit-h2-l1-d16-k8-m32-p3"] {
            assert!(NetworkShape::parse(name).unwrap_err().to_string().contains("names no network"), "{name}");
        }
        assert!(NetworkShape::parse("mlp-0-relu").unwrap().build([2, 2], 2).is_err());
    }
}
