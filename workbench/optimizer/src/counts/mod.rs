//! Standard transformers by the shapes of their tensors: exact counts of parameters, under every reading of what a table leaves open.
//!
//! | item | what it is |
//! | --- | --- |
//! | [`VitShape`], [`VitReading`] | a vision transformer from the columns of a table, and which of its small tensors are counted |
//! | [`BertShape`], [`BertHead`] | BERT, and what stands on its encoder |
//! | [`T5Shape`], [`T5Reading`] | T5: encoder and decoder, gated or not, tied or not |
//! | [`numbers_in`] | the numbers in the tensors of a layout whose name is chosen |
//!
//! Nothing is allocated: a [`Layout`] holds names and shapes, so a model of eleven billion parameters costs a few kilobytes.
//!
//! **Source**: B.7 to B.11, tables 1, 2 and 4. The models themselves are public, and their counts are what the tests hold these to.

#[cfg(test)]
mod tests;
mod text;
mod vit;

pub use text::{BertHead, BertShape, T5Reading, T5Shape};
pub use vit::{VitReading, VitShape};

use crate::{Error, Layout, Tensor};

/// The numbers in those tensors of a layout whose name is chosen.
///
/// ```
/// use workbench_optimizer::{Layout, counts::numbers_in};
/// let layout = Layout::of(&[("encoder/0/kernel", &[2, 3]), ("head/kernel", &[3, 5])])?;
/// assert_eq!(numbers_in(&layout, |name| name.starts_with("head/")), 15);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
pub fn numbers_in(layout: &Layout, chosen: impl Fn(&str) -> bool) -> usize {
    let tensors = layout.tensors().iter();
    tensors.filter(|tensor| chosen(&tensor.name)).map(|tensor| tensor.range.len()).sum()
}

/// Tensors with names and shapes, one after the other.
#[derive(Default)]
struct Shapes {
    tensors: Vec<Tensor>,
    next: usize,
}

impl Shapes {
    fn add(&mut self, name: impl Into<String>, shape: &[usize]) {
        let end = self.next + shape.iter().product::<usize>();
        self.tensors.push(Tensor { name: name.into(), shape: shape.to_vec(), range: self.next..end });
        self.next = end;
    }

    /// A matrix, and a bias if asked for.
    fn linear(&mut self, name: &str, [inputs, outputs]: [usize; 2], bias: bool) {
        self.add(format!("{name}/kernel"), &[inputs, outputs]);
        if bias {
            self.add(format!("{name}/bias"), &[outputs]);
        }
    }

    /// Scale and offset of a layer norm.
    fn norm(&mut self, name: &str, width: usize) {
        self.add(format!("{name}/scale"), &[width]);
        self.add(format!("{name}/offset"), &[width]);
    }

    /// The four matrices of attention; all heads together are `inner` wide.
    fn attention(&mut self, name: &str, width: usize, inner: usize, bias: bool) {
        for part in ["query", "key", "value"] {
            self.linear(&format!("{name}/{part}"), [width, inner], bias);
        }
        self.linear(&format!("{name}/out"), [inner, width], bias);
    }

    /// A layer of an encoder: attention, two matrices with something between, two norms.
    fn layer(&mut self, name: &str, width: usize, mlp: usize, bias: bool, norms: bool) {
        self.attention(&format!("{name}/attention"), width, width, bias);
        self.linear(&format!("{name}/mlp/in"), [width, mlp], bias);
        self.linear(&format!("{name}/mlp/out"), [mlp, width], bias);
        if norms {
            self.norm(&format!("{name}/norm 1"), width);
            self.norm(&format!("{name}/norm 2"), width);
        }
    }

    fn layout(self) -> Result<Layout, Error> {
        Layout::new(&self.tensors)
    }
}
