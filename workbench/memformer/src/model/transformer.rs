//! Layers with a residual connection and with memory registers.

use super::forward::{ByMoments, RegisterRun, forward};
use super::memory::LayerMemory;
use crate::arithmetic::number::Number;
use crate::{Error, Head, Prompts};
use ndarray::{Array1, Array2};
use workbench_ground::check::{positive, same_shape};
use workbench_ground::work;

/// A linear transformer, with memory or without, in floats or in exact fractions.
///
/// **Source**: Section 2.1, Eqs. 2.4 to 2.7; Section 3, Eqs. 3.1 to 3.4. Heads of a layer are added up in its register (Section 4.1)
/// unless each has its own (Section 4.2).
///
/// ```
/// use ndarray::Array2;
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Head, LayerMemory, LinearTransformer, Prompts, TaskLaw};
/// let prompts = Prompts::draw(&TaskLaw::isotropic(2)?, 20, 3, &mut Streams::new(1).stream("p")?)?;
/// let head = Head::restricted(&(0.7 * Array2::eye(2)))?;
/// let model = LinearTransformer::new(vec![vec![head]; 30], LayerMemory::None)?;
/// // Thirty gradient steps answer the query.
/// assert!((model.predict(&prompts.tokens(0)?)? - prompts.answers()[0]).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "Memformer")]
pub struct LinearTransformer<T = f64> {
    layers: Vec<Vec<Head<T>>>,
    memory: LayerMemory<T>,
}

impl<T: Number> LinearTransformer<T> {
    /// A transformer of the given heads, layer by layer.
    ///
    /// **Errors**: no layer, a layer without heads, heads of several dimensions, memory weights of another number of layers or another
    /// shape.
    pub fn new(layers: Vec<Vec<Head<T>>>, memory: LayerMemory<T>) -> Result<LinearTransformer<T>, Error> {
        const OP: &str = "LinearTransformer::new";
        positive(OP, "the number of layers (L)", layers.len())?;
        let d = layers[0].first().map_or(0, Head::dim);
        for layer in &layers {
            positive(OP, "the number of heads", layer.len())?;
            for head in layer {
                same_shape(OP, "P of a head", head.p().shape(), &[d + 1, d + 1])?;
                same_shape(OP, "Q of a head", head.q().shape(), &[d + 1, d + 1])?;
            }
        }
        let heads: Vec<usize> = layers.iter().map(Vec::len).collect();
        memory.fits(OP, &heads, d)?;
        Ok(LinearTransformer { layers, memory })
    }

    /// Number of layers L.
    pub fn depth(&self) -> usize {
        self.layers.len()
    }

    /// Dimension d of the covariates.
    pub fn dim(&self) -> usize {
        self.layers[0][0].dim()
    }

    /// Heads, layer by layer.
    pub fn layers(&self) -> &[Vec<Head<T>>] {
        &self.layers
    }

    /// The memory.
    pub fn memory(&self) -> &LayerMemory<T> {
        &self.memory
    }

    /// $Z_0$ to $Z_L$ and what the registers held.
    ///
    /// **Source**: Eqs. 2.5 and 3.1 to 3.4. **Shapes**: `z0` (d + 1, n + 1). **Errors**: $Z_0$ of another height, fewer than one
    /// example, $\Gamma$ of another width. Cost: L n d^2 for each head, and n d for each pair of a layer and a register.
    pub fn run(&self, z0: &Array2<T>) -> Result<RegisterRun<T>, Error> {
        const OP: &str = "LinearTransformer::run";
        same_shape(OP, "Z_0", z0.shape(), &[self.dim() + 1, z0.ncols()])?;
        forward(OP, self.layers.iter().map(Vec::as_slice), &self.memory, z0, &ByMoments)
    }

    /// $Z_0$ to $Z_L$.
    ///
    /// **Source**: Eqs. 2.5, 3.2 and 3.4. **Shapes**: L + 1 matrices `(d + 1, n + 1)`. **Errors**: as [`LinearTransformer::run`].
    pub fn forward(&self, z0: &Array2<T>) -> Result<Vec<Array2<T>>, Error> {
        Ok(self.run(z0)?.states)
    }

    /// The prediction $\mathrm{TF}_L(Z_0)=-(Z_L)_{d+1,n+1}$ of $\langle w^*,x^{(n+1)}\rangle$.
    ///
    /// **Source**: Eq. 2.6. **Errors**: as [`LinearTransformer::run`]. Cost: as there, L n d^2 for each head.
    pub fn predict(&self, z0: &Array2<T>) -> Result<T, Error> {
        let states = self.forward(z0)?;
        Ok(answer(&states[self.depth()]))
    }

    /// Predictions after 0, 1, ..., L layers.
    ///
    /// **Shapes**: `(L + 1)`. **Errors**: as [`LinearTransformer::run`].
    pub fn predictions(&self, z0: &Array2<T>) -> Result<Array1<T>, Error> {
        Ok(self.forward(z0)?.iter().map(answer).collect())
    }
}

impl LinearTransformer {
    /// Mean over the batch of $(\langle w^*,x^{(n+1)}\rangle-\mathrm{TF}_L(Z_0))^2$.
    ///
    /// **Source**: Eq. 2.7 with the sign that fits Eqs. 2.6 and 2.9. As printed, $\mathrm{TF}_L+\langle w^\ast,x\rangle$, the loss of a
    /// model that solves every prompt would be $4\,\mathbb E\langle w^\ast,x\rangle^2$.
    ///
    /// **Errors**: as [`LinearTransformer::run`], a stop request.
    pub fn loss(&self, prompts: &Prompts) -> Result<f64, Error> {
        let losses = self.losses(prompts)?;
        Ok(losses.row(self.depth()).sum() / prompts.batch() as f64)
    }

    /// Squared errors after each layer for each prompt.
    ///
    /// **Shapes**: `(L + 1, B)`. **Errors**: as [`LinearTransformer::loss`].
    pub fn losses(&self, prompts: &Prompts) -> Result<Array2<f64>, Error> {
        let answers = prompts.answers();
        let batch = prompts.batch();
        let mut losses = Array2::zeros((self.depth() + 1, batch));
        for b in 0..batch {
            if b % 64 == 0 {
                work::check("LinearTransformer::losses", b, batch)?;
            }
            let predictions = self.predictions(&prompts.tokens(b)?)?;
            losses.column_mut(b).assign(&predictions.mapv(|p| (answers[b] - p).powi(2)));
        }
        Ok(losses)
    }
}

/// $-[Z]_{d+1,n+1}$.
fn answer<T: Number>(z: &Array2<T>) -> T {
    z[[z.nrows() - 1, z.ncols() - 1]].negated()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskLaw;
    use workbench_ground::stats::{Streams, normal_array2};

    fn prompts(d: usize, n: usize, batch: usize) -> Prompts {
        let mut stream = Streams::new(5).stream("prompts").unwrap();
        Prompts::draw(&TaskLaw::isotropic(d).unwrap(), n, batch, &mut stream).unwrap()
    }

    fn heads(d: usize, depth: usize, blocks: f64) -> Vec<Vec<Head>> {
        let mut stream = Streams::new(6).stream("heads").unwrap();
        (0..depth)
            .map(|_| {
                let a = normal_array2(&mut stream, d, d) * 0.2;
                let b = normal_array2(&mut stream, d, d) * blocks;
                vec![Head::with_block(&a, &b).unwrap()]
            })
            .collect()
    }

    #[test]
    fn a_layer_takes_a_gradient_step_with_the_transposed_matrix() {
        let (d, depth) = (3, 4);
        let prompts = prompts(d, 12, 5);
        let statistics = prompts.statistics().unwrap();
        let layers = heads(d, depth, 0.0);
        let model = LinearTransformer::new(layers.clone(), LayerMemory::None).unwrap();
        for b in 0..5 {
            let h = statistics.gram().index_axis(ndarray::Axis(0), b);
            let predictions = model.predictions(&prompts.tokens(b).unwrap()).unwrap();
            let mut w = Array1::<f64>::zeros(d);
            for (l, layer) in layers.iter().enumerate() {
                assert!((predictions[l] - w.dot(&prompts.query().row(b))).abs() < 1e-12);
                let gradient = h.dot(&(&w - &prompts.truth().row(b)));
                let a = -&layer[0].q().slice(ndarray::s![..d, ..d]);
                w = w - a.t().dot(&gradient);
            }
            assert!((predictions[depth] - w.dot(&prompts.query().row(b))).abs() < 1e-12);
        }
    }

    #[test]
    fn memories_that_do_nothing_are_no_memory() {
        let (d, n, depth) = (3, 8, 3);
        let z = prompts(d, n, 1).tokens(0).unwrap();
        let layers = heads(d, depth, 0.3);
        let plain = LinearTransformer::new(layers.clone(), LayerMemory::None).unwrap();
        let single = LayerMemory::Single { alpha: vec![1.0; depth], gamma: vec![0.0; depth] };
        let gamma = (0..depth)
            .map(|l| (0..=l).map(|j| Array2::from_elem((d + 1, n + 1), f64::from(u8::from(j == l)))).collect())
            .collect();
        for memory in [single, LayerMemory::Separate { gamma }] {
            let model = LinearTransformer::new(layers.clone(), memory).unwrap();
            let gap = model.predictions(&z).unwrap() - plain.predictions(&z).unwrap();
            assert!(gap.iter().all(|v| v.abs() < 1e-14));
        }
    }

    #[test]
    fn one_register_is_a_sum_of_separate_ones() {
        // R_l = sum_j (prod_{j < i <= l} gamma_i) Attn_j, so Gamma_j^l is alpha_l times that product.
        let (d, n, depth) = (2, 6, 4);
        let z = prompts(d, n, 1).tokens(0).unwrap();
        let layers = heads(d, depth, 0.2);
        let (alpha, gamma) = (vec![0.9, 1.1, 0.7, 1.3], vec![5.0, 0.4, -0.3, 0.6]);
        let weights = (0..depth)
            .map(|l| {
                (0..=l)
                    .map(|j| Array2::from_elem((d + 1, n + 1), alpha[l] * gamma[j + 1..=l].iter().product::<f64>()))
                    .collect()
            })
            .collect();
        let single = LinearTransformer::new(layers.clone(), LayerMemory::Single { alpha, gamma }).unwrap();
        let separate = LinearTransformer::new(layers, LayerMemory::Separate { gamma: weights }).unwrap();
        let gap = single.predictions(&z).unwrap() - separate.predictions(&z).unwrap();
        assert!(gap.iter().all(|v| v.abs() < 1e-13), "{gap}");
    }

    #[test]
    fn the_loss_is_that_of_the_last_layer_and_starts_at_the_answers() {
        let prompts = prompts(2, 5, 7);
        let model = LinearTransformer::new(heads(2, 2, 0.1), LayerMemory::None).unwrap();
        let losses = model.losses(&prompts).unwrap();
        assert_eq!(losses.dim(), (3, 7));
        let answers = prompts.answers();
        assert!((0..7).all(|b| (losses[[0, b]] - answers[b].powi(2)).abs() < 1e-15));
        assert!((model.loss(&prompts).unwrap() - losses.row(2).mean().unwrap()).abs() < 1e-12);
    }

    #[test]
    fn shapes_are_named() {
        assert!(LinearTransformer::<f64>::new(vec![], LayerMemory::None).unwrap_err().to_string().contains("(L)"));
        assert!(LinearTransformer::<f64>::new(vec![vec![]], LayerMemory::None).is_err());
        let memory = LayerMemory::Single { alpha: vec![1.0], gamma: vec![0.0; 2] };
        let error = LinearTransformer::new(heads(2, 2, 0.0), memory).unwrap_err();
        assert!(error.to_string().contains("= 1 does not match the shape needed = 2;"), "{error}");
        let model = LinearTransformer::new(heads(2, 1, 0.0), LayerMemory::None).unwrap();
        assert!(
            model
                .forward(&Array2::zeros((4, 5)))
                .unwrap_err()
                .to_string()
                .contains("(4, 5) does not match the shape needed = (3, 5)")
        );
        assert!(model.forward(&Array2::zeros((3, 1))).is_err());
    }
}
