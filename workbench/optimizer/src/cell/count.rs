//! Exact counts of parameters and state, under every reading of what the document leaves open.

use workbench_ground::check::positive;

use super::{Form, Memory};
use crate::{Error, Layout};

/// How many numbers a form has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Weights that are trained.
    pub trained: usize,
    /// Projections and their offsets, drawn and kept.
    pub fixed: usize,
    /// Numbers remembered for one coordinate.
    pub state: usize,
}

/// The counts of a form, from formulas.
///
/// With $d$ hidden, $E$ encoders, $f$ the width of the feed-forward part, $i$ inputs, $m$ projections:
/// trained $d(i+1)+d+1+E\,(\nu d^2+\nu db+2d[\text{norm}]+1_{f>0}(2df+f+d+2d[\text{norm}]))$ with $\nu=4$, or 2 without queries, and
/// $b=1$ with biases; fixed $E\,m(d+1)$; state $E\,r(d+1)$ for the compact memory.
///
/// **Source**: B.1 and B.7.2. **Errors**: an odd number of hyperbolic features.
///
/// ```
/// use workbench_optimizer::cell::{Form, count::count};
/// let (whole, light) = (count(&Form::default())?, count(&Form::light())?);
/// assert_eq!((whole.state, light.state), (544, 144));
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
pub fn count(form: &Form) -> Result<Count, Error> {
    let (d, f, flag) = (form.hidden, form.feed_forward, |on: bool| usize::from(on));
    let matrices = if form.memory.has_queries() { 4 } else { 2 };
    let attention = matrices * (d * d + d * flag(form.attention_bias)) + 2 * d * flag(form.norm);
    let fed = if f > 0 { 2 * d * f + f + d + 2 * d * flag(form.norm) } else { 0 };
    let projections = match form.memory {
        Memory::Compact { features, map, .. } => map.projections(features)?,
        _ => 0,
    };
    Ok(Count {
        trained: d * (form.preprocess.inputs() + 1) + d + 1 + form.encoders * (attention + fed),
        fixed: form.encoders * projections * (d + 1),
        state: form.encoders * form.memory.state_len(d),
    })
}

/// The form with each combination of what is open: norms or none, biases in the attention or none, feed-forward parts of 0, d, 2d, 4d.
///
/// All of them have the same state: what is open does not touch it.
pub fn readings(form: &Form) -> Vec<Form> {
    let mut all = Vec::new();
    for norm in [false, true] {
        for attention_bias in [false, true] {
            for ratio in [0, 1, 2, 4] {
                all.push(Form { norm, attention_bias, feed_forward: ratio * form.hidden, ..*form });
            }
        }
    }
    all
}

/// Numbers that attention over a cache of `steps` keeps for one coordinate and encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheCount {
    /// Keys and values: linear in the length.
    pub cache: usize,
    /// The weights of one step on all the cache: linear.
    pub row: usize,
    /// The map of a whole history of that length on itself: quadratic; what a meta-gradient through all of it keeps.
    pub map: usize,
}

/// The counts behind "the memory requirement scales quadratically" (B.2): cache and one row are linear in the length, only the map of a
/// history on itself is quadratic.
///
/// **Errors**: a length of zero.
#[doc(alias = "KV cache")]
pub fn cache_count(steps: usize, hidden: usize) -> Result<CacheCount, Error> {
    positive("cache_count", "length of the cache h", steps)?;
    Ok(CacheCount { cache: 2 * steps * hidden, row: steps, map: steps * (steps + 1) / 2 })
}

/// Numbers remembered for all of a layout, and how many for each parameter on average.
pub fn state_of(form: &Form, layout: &Layout) -> usize {
    layout.len() * form.encoders * form.memory.state_len(form.hidden)
}
