//! Super: large tensors coordinate by coordinate, the rest tensor-wise.

use super::cell::{Mnemosyne, TensorWise};
use super::patterns::matches;
use super::{Error, Groups, Layout, Learned, Rule, Tensor};

/// Which tensors count as large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Large<'a> {
    /// From so many numbers on.
    pub numbers: usize,
    /// Or by name; `*` stands for any text.
    pub named: Vec<&'a str>,
}

impl Large<'_> {
    /// Whether this tensor is one.
    pub fn holds(&self, tensor: &Tensor) -> bool {
        tensor.range.len() >= self.numbers || self.named.iter().any(|pattern| matches(pattern, &tensor.name))
    }
}

/// The super form: large tensors by a coordinate-wise cell (the light one in B.9), the others by a tensor-wise one.
///
/// The first group holds the large tensors, the second the others; either may be empty.
///
/// **Source**: B.9: "large tensors such as the MLP block within each layer, the head layer" by the light coordinate-wise form, "rest of the
/// tensors" tensor-wise. From which size on a tensor is large is not said. **Errors**: those of the rules, a pattern of `large` that
/// matches no tensor.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_optimizer::cell::{Cell, Form, Mnemosyne, TensorWise};
/// use workbench_optimizer::{Large, Layout, Optimizer, super_groups};
/// let streams = Streams::new(1);
/// let (light, whole) = (Mnemosyne::new(Form::light())?, TensorWise::new(Form::default(), 64)?);
/// let weights = (light.start(&mut streams.stream("a")?)?, whole.start(&mut streams.stream("b")?)?);
/// let layout = Layout::of(&[("mlp.up", &[8, 32]), ("norm.gain", &[8]), ("head", &[8, 2])])?;
/// let large = Large { numbers: 256, named: vec!["head*"] };
/// let groups = super_groups(layout, &large, (light, weights.0), (whole, weights.1))?;
/// assert_eq!(groups.members(), [vec!["mlp.up", "head"], vec!["norm.gain"]]);
/// assert_eq!(groups.state_lens(), [272 * 144, 544]);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
pub fn super_groups(
    layout: Layout,
    large: &Large<'_>,
    (light, light_weights): (Mnemosyne, Vec<f64>),
    (whole, whole_weights): (TensorWise, Vec<f64>),
) -> Result<Groups, Error> {
    for pattern in &large.named {
        if !layout.tensors().iter().any(|tensor| matches(pattern, &tensor.name)) {
            let problem = format!("the pattern {pattern:?} matches no tensor");
            return Err(Error::refused("super_groups", problem, "write a name, with * for any text"));
        }
    }
    let rules = vec![
        Rule::by(move |layout| Learned::fused(light, light_weights, layout)),
        Rule::by(move |layout| Learned::plain(whole, whole_weights, layout)),
    ];
    Groups::choose(layout, rules, |tensor| usize::from(!large.holds(tensor)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Cell, Form};
    use crate::classical::conformance::conforms;
    use workbench_ground::stats::Streams;

    fn cells() -> ((Mnemosyne, Vec<f64>), (TensorWise, Vec<f64>)) {
        let streams = Streams::new(8);
        let (light, whole) = (Mnemosyne::new(Form::light()).unwrap(), TensorWise::new(Form::light(), 4).unwrap());
        let weights = light.start(&mut streams.stream("light").unwrap()).unwrap();
        let others = whole.start(&mut streams.stream("whole").unwrap()).unwrap();
        ((light, weights), (whole, others))
    }

    #[test]
    fn super_conforms() {
        let (light, whole) = cells();
        let large = Large { numbers: 20, named: Vec::new() };
        conforms(&|layout| Ok(Box::new(super_groups(layout, &large, light.clone(), whole.clone())?)));
    }

    #[test]
    fn state_is_the_sum_of_both_formulas() {
        let (light, whole) = cells();
        let layout = Layout::of(&[("w", &[5, 5]), ("b", &[5]), ("head", &[3])]).unwrap();
        let large = |named| Large { numbers: 20, named };
        let groups = super_groups(layout.clone(), &large(vec!["head"]), light.clone(), whole.clone()).unwrap();
        assert_eq!(groups.members(), [vec!["w", "head"], vec!["b"]]);
        assert_eq!(groups.state_lens(), [28 * light.0.state_len(), 2 * whole.0.state_len()]);
        let error = super_groups(layout, &large(vec!["tail"]), light, whole).unwrap_err();
        assert!(error.to_string().contains("\"tail\" matches no tensor"));
    }
}
