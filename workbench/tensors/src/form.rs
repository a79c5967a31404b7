//! Part of free matrices that is of the form of Lemma 2.1.

use super::parameters::FullParameters;
use ndarray::{ArrayView2, s};
use workbench_ground::Error;

/// What of a head is of the form (2.8), layer by layer: each vector has L entries.
#[derive(Clone, Debug, PartialEq)]
pub struct LemmaForm {
    /// Share of the squared size of Q that lies in its upper left d x d block.
    pub q_in_block: Vec<f64>,
    /// Share of the squared size of P that lies in its upper left d x d block and in its lower right corner.
    pub p_in_block_and_corner: Vec<f64>,
    /// The corner of P, which the form has at one.
    pub corner: Vec<f64>,
}

impl FullParameters {
    /// How much of head `head` is of the form (2.8), for each layer, with the sum of squares as $\lVert\cdot\rVert^2$.
    ///
    /// $$ \frac{\lVert Q_{..d,..d}\rVert^2}{\lVert Q\rVert^2},\qquad
    /// \frac{\lVert P_{..d,..d}\rVert^2+P_{d+1,d+1}^2}{\lVert P\rVert^2},\qquad P_{d+1,d+1} $$
    ///
    /// A share is one exactly where the head has the form, up to the corner's value; it is one for a matrix of zeros, which has nothing
    /// outside. Where all $d^2+2d+1$ entries are of one size, it is $d^2/(d+1)^2$ for Q: what a share is to be compared with.
    ///
    /// **Source**: Lemma 2.1, Eq. 2.8. **Errors**: no such head. Cost: 4 L (d + 1)^2 multiplications.
    ///
    /// ```
    /// use workbench_tensors::{FullArchitecture, FullParameters};
    /// use workbench_ground::stats::Streams;
    /// let model = FullArchitecture::new(3, 2)?;
    /// let start = FullParameters::random(model, 0.1, &mut Streams::new(1).stream("start")?)?;
    /// let form = start.lemma_form(0)?;
    /// assert!(form.q_in_block.iter().all(|share| *share < 1.0));
    /// assert_eq!(FullParameters::neutral(model).lemma_form(0)?.corner, [1.0; 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lemma_form(&self, head: usize) -> Result<LemmaForm, Error> {
        let (depth, d) = (self.architecture().depth(), self.architecture().dim());
        let mut form = LemmaForm {
            q_in_block: Vec::with_capacity(depth),
            p_in_block_and_corner: Vec::with_capacity(depth),
            corner: Vec::with_capacity(depth),
        };
        for layer in 0..depth {
            let head = self.head(layer, head)?;
            let (p, q) = (head.p(), head.q());
            let (block, corner) = (s![..d, ..d], p[[d, d]]);
            form.q_in_block.push(share(size(q.slice(block)), size(q.view())));
            let inside = size(p.slice(block)) + corner * corner;
            form.p_in_block_and_corner.push(share(inside, size(p.view())));
            form.corner.push(corner);
        }
        Ok(form)
    }
}

/// Sum of squares.
fn size(matrix: ArrayView2<'_, f64>) -> f64 {
    matrix.iter().map(|entry| entry * entry).sum()
}

fn share(inside: f64, all: f64) -> f64 {
    if all == 0.0 { 1.0 } else { inside / all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::{Entries, FullArchitecture};
    use ndarray::{Array2, array};
    use workbench_ground::stats::Streams;
    use workbench_memformer::Head;

    #[test]
    fn the_lemma_has_its_own_form_and_equal_entries_have_less() {
        let model = FullArchitecture::new(3, 2).unwrap();
        let mut parameters = FullParameters::neutral(model);
        let (a, b) = (array![[0.5, 0.4], [-1.0, 2.0]], array![[0.0, 0.3], [0.1, 0.0]]);
        parameters.set_head(0, 0, &Head::with_block(&a, &b).unwrap()).unwrap();
        let ones = Array2::from_elem((3, 3), -2.0);
        parameters.set_head(1, 0, &Head::new(ones.clone(), ones).unwrap()).unwrap();
        let form = parameters.lemma_form(0).unwrap();
        assert_eq!(form.q_in_block, [1.0, 4.0 / 9.0, 1.0]);
        assert_eq!(form.p_in_block_and_corner, [1.0, 5.0 / 9.0, 1.0]);
        assert_eq!(form.corner, [1.0, -2.0, 1.0]);
        assert!(parameters.lemma_form(1).is_err());
    }

    #[test]
    fn each_head_is_asked_for_itself() {
        let model = FullArchitecture::new(1, 3).unwrap().with_heads(2).unwrap();
        let mut draws = Streams::new(5).stream("start").unwrap();
        let free = FullParameters::random(model, 0.3, &mut draws).unwrap();
        assert_ne!(free.lemma_form(0).unwrap(), free.lemma_form(1).unwrap());
        let held = model.with_entries(Entries::Block, Entries::Block);
        let block = FullParameters::random(held, 0.3, &mut draws).unwrap();
        assert_eq!(block.lemma_form(1).unwrap().q_in_block, [1.0]);
    }
}
