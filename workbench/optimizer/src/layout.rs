//! The layout of flat parameters, and what every optimizer refuses.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Error, Tensor};

/// Numbers that are looked at together when a gradient is checked.
const CHUNK: usize = 64;

/// The tensors of flat parameters $\theta\in\mathbb R^p$, in order and without gaps.
///
/// **Source**: ours; every optimizer of this room is built for one layout and refuses another one later.
///
/// ```
/// use workbench_optimizer::Layout;
/// let layout = Layout::of(&[("weight", &[2, 3]), ("bias", &[2])])?;
/// assert_eq!((layout.len(), layout.tensors()[1].range.clone()), (8, 6..8));
/// assert_eq!(layout.place(4), "weight[1, 1]");
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    tensors: Vec<Tensor>,
}

impl Layout {
    /// The layout of these tensors.
    ///
    /// **Errors**: a gap or an overlap of ranges, a shape that does not fill its range, a name that is empty or occurs twice.
    pub fn new(tensors: &[Tensor]) -> Result<Layout, Error> {
        const OP: &str = "Layout::new";
        let (mut next, mut names) = (0, BTreeSet::new());
        for tensor in tensors {
            let (name, range) = (&tensor.name, &tensor.range);
            if name.is_empty() || !names.insert(name) {
                let problem = format!("the name {name:?} is empty or occurs twice");
                return Err(Error::refused(OP, problem, "give each tensor a name of its own"));
            }
            let numbers: usize = tensor.shape.iter().product();
            if range.start != next || range.end.checked_sub(range.start) != Some(numbers) {
                let problem = format!("{name} stands at {range:?}, but {numbers} numbers from {next} on are its place");
                return Err(Error::refused(OP, problem, "let tensors follow each other without gaps"));
            }
            next = range.end;
        }
        Ok(Layout { tensors: tensors.to_vec() })
    }

    /// The layout of tensors with these names and shapes, one after the other.
    ///
    /// **Errors**: as [`Layout::new`].
    pub fn of(tensors: &[(&str, &[usize])]) -> Result<Layout, Error> {
        let mut start = 0;
        let mut all = Vec::with_capacity(tensors.len());
        for (name, shape) in tensors {
            let end = start + shape.iter().product::<usize>();
            all.push(Tensor { name: (*name).to_string(), shape: shape.to_vec(), range: start..end });
            start = end;
        }
        Layout::new(&all)
    }

    /// The tensors.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// How many numbers they hold, $p$.
    pub fn len(&self) -> usize {
        self.tensors.last().map_or(0, |tensor| tensor.range.end)
    }

    /// Whether they hold none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a number stands, as `weight[1, 2]`.
    pub fn place(&self, index: usize) -> String {
        let Some(tensor) = self.tensors.iter().find(|tensor| tensor.range.contains(&index)) else {
            return format!("number {index}");
        };
        let (mut rest, mut at) = (index - tensor.range.start, Vec::new());
        for size in tensor.shape.iter().rev() {
            at.push((rest % size).to_string());
            rest /= size;
        }
        at.reverse();
        format!("{}[{}]", tensor.name, at.join(", "))
    }

    /// Refuses another layout.
    ///
    /// **Errors**: the first tensor that differs, by name.
    pub fn expect(&self, op: &'static str, tensors: &[Tensor]) -> Result<(), Error> {
        let differs = self.tensors.iter().zip(tensors).find(|(own, other)| own != other);
        let problem = match differs {
            Some((own, other)) => format!(
                "the layout changed: {} of shape {:?} was {} of shape {:?}",
                other.name, other.shape, own.name, own.shape
            ),
            None if self.tensors.len() == tensors.len() => return Ok(()),
            None => format!("the layout changed: {} tensors were {}", tensors.len(), self.tensors.len()),
        };
        Err(Error::refused(op, problem, "start a new optimizer for the new layout"))
    }

    /// Refuses what no optimizer can take a step with, before it has changed anything.
    ///
    /// **Errors**: parameters or gradient of another length than the layout; a gradient with a NaN or an infinity, whose parameter is
    /// named. **Cost** O(p).
    pub fn check(&self, op: &'static str, theta: &[f64], gradient: &[f64]) -> Result<(), Error> {
        for (name, len) in [("parameters", theta.len()), ("gradient", gradient.len())] {
            if len != self.len() {
                let next = "the layout is fixed when the optimizer is made; start a new one for other parameters";
                return Err(Error::shape(op, (name, len), ("the layout", self.len()), next));
            }
        }
        self.check_part(op, gradient, 0..gradient.len())
    }

    /// The gradient at these positions alone.
    pub(crate) fn check_part(&self, op: &'static str, gradient: &[f64], part: Range<usize>) -> Result<(), Error> {
        let start = part.start;
        let Some(inside) = gradient.get(part).and_then(first_not_finite) else {
            return Ok(());
        };
        let index = start + inside;
        let problem = format!("the gradient of {} is {}", self.place(index), gradient[index]);
        let next = "nothing was changed: leave this step out, clip the gradient or lower the rate";
        Err(Error::refused(op, problem, next))
    }
}

/// The first number that is NaN or infinite. Chunks are looked at without branches, so that the search runs as fast as memory.
pub(crate) fn first_not_finite(values: &[f64]) -> Option<usize> {
    for (i, chunk) in values.chunks(CHUNK).enumerate() {
        if !chunk.iter().fold(true, |all, value| all & value.is_finite()) {
            let inside = chunk.iter().position(|value| !value.is_finite());
            return inside.map(|inside| i * CHUNK + inside);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_and_layouts_compared() {
        let layout = Layout::of(&[("a", &[2, 3]), ("b", &[4])]).unwrap();
        assert_eq!((layout.place(5), layout.place(9)), ("a[1, 2]".into(), "b[3]".into()));
        assert_eq!(layout.place(10), "number 10");
        assert!(layout.expect("op", layout.tensors()).is_ok());
        let other = Layout::of(&[("a", &[3, 2]), ("b", &[4])]).unwrap();
        let error = layout.expect("op", other.tensors()).unwrap_err().to_string();
        assert!(error.contains("a of shape [3, 2] was a of shape [2, 3]"), "{error}");
        assert!(layout.expect("op", &layout.tensors()[..1]).is_err());
        assert!(Layout::of(&[]).unwrap().is_empty());
    }

    #[test]
    fn gaps_wrong_shapes_and_double_names_are_refused() {
        let tensor = |name: &str, shape: &[usize], range| Tensor { name: name.into(), shape: shape.to_vec(), range };
        assert!(Layout::new(&[tensor("a", &[2], 1..3)]).is_err());
        assert!(Layout::new(&[tensor("a", &[2], 0..3)]).is_err());
        assert!(Layout::new(&[tensor("a", &[2], 0..2), tensor("a", &[1], 2..3)]).is_err());
        assert!(Layout::new(&[tensor("", &[2], 0..2)]).is_err());
        assert!(Layout::new(&[tensor("a", &[2], 0..2), tensor("b", &[1], 2..3)]).is_ok());
    }

    #[test]
    fn the_parameter_of_a_bad_gradient_is_named() {
        let layout = Layout::of(&[("a", &[100]), ("b", &[2, 2])]).unwrap();
        let (theta, mut gradient) = (vec![0.0; 104], vec![0.0; 104]);
        assert!(layout.check("op", &theta, &gradient).is_ok());
        gradient[103] = f64::NEG_INFINITY;
        let error = layout.check("op", &theta, &gradient).unwrap_err().to_string();
        assert!(error.contains("gradient of b[1, 1] is -inf"), "{error}");
        assert!(matches!(layout.check("op", &theta[1..], &gradient), Err(Error::Shape { .. })));
    }
}
