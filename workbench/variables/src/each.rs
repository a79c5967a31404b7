//! Updates of the variables of a group.

use std::fmt;

use workbench_optimizer::{Error, Layout, Optimizer};

/// Makes an optimizer for one variable.
type Make<'a> = dyn Fn(Layout) -> Result<Box<dyn Optimizer>, Error> + 'a;

/// What happens to each variable of a group.
///
/// Where [`workbench_optimizer::Rule`] makes one optimizer for all tensors of a group, this makes one for each variable, so that a variable
/// without a gradient can be left alone together with its state.
///
/// ```
/// use workbench_optimizer::classical::{Sgd, SgdSettings};
/// use workbench_variables::Each;
/// let each = Each::by(|layout| Sgd::new(layout, SgdSettings::default()));
/// assert!(matches!(each, Each::By(_)));
/// ```
pub enum Each<'a> {
    /// It stays as it is, bit for bit; its gradient is not even looked at.
    Frozen,
    /// An optimizer of its own, made for the layout of this variable alone: its name, its shape, numbers from 0 on.
    By(Box<Make<'a>>),
}

impl<'a> Each<'a> {
    /// A rule from what makes it; called once for each variable.
    pub fn by<O: Optimizer + 'static>(make: impl Fn(Layout) -> Result<O, Error> + 'a) -> Each<'a> {
        Each::By(Box::new(move |layout| Ok(Box::new(make(layout)?))))
    }

    /// The optimizer for this layout; none if it is frozen.
    pub(crate) fn make(&self, layout: Layout) -> Result<Option<Box<dyn Optimizer>>, Error> {
        match self {
            Each::Frozen => Ok(None),
            Each::By(make) => make(layout).map(Some),
        }
    }
}

impl fmt::Debug for Each<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Each::Frozen => "Frozen",
            Each::By(_) => "By(..)",
        })
    }
}
