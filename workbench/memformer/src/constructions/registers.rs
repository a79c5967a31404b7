//! The weights with which memory registers run given methods.

use ndarray::{Array1, Array2};

use crate::arithmetic::algebra::identity;
use crate::arithmetic::number::Number;
use crate::methods::lfom::{Lfom, Weight};
use crate::methods::single_memory::SingleMemory;
use crate::{Error, Head, LayerMemory, LinearTransformer};
use workbench_ground::check::{positive, same_shape};

impl<T: Number> LinearTransformer<T> {
    /// The construction that runs a linear first-order method exactly, for every prompt with n examples.
    ///
    /// Scalar weights: one head with $A=I$ and constant $\Gamma_j^\ell=-(\Lambda_j^\ell-\Lambda_j^{\ell-1})$. Diagonal weights: one head
    /// for each coordinate, $A^h=e_he_h^\top$, with constant $\Gamma$ from the h-th entries. Full weights: $d^2$ heads, $A=e_ce_r^\top$.
    ///
    /// The minus is because $\operatorname{Attn}(Z)/n$ moves the label of a token by $+\langle x,\nabla R\rangle$, and labels are
    /// $y-\langle x,w\rangle$.
    ///
    /// **Source**: Theorem 3.2 for scalars; the heads are ours, and are what diagonal weights need if a step is one layer
    /// ([`LinearTransformer::one_head`] takes more layers). **Errors**: d or n of 0, weights of another dimension.
    pub fn of_method(method: &Lfom<T>, d: usize, n: usize) -> Result<LinearTransformer<T>, Error> {
        const OP: &str = "LinearTransformer::of_method";
        positive(OP, "d", d)?;
        positive(OP, "the number of examples (n)", n)?;
        let kind = method.rows().iter().flatten().map(Weight::numbers).max().unwrap_or(1);
        let unit = |r: usize, c: usize| {
            Array2::from_shape_fn((d, d), |(i, j)| if (i, j) == (r, c) { T::one() } else { T::zero() })
        };
        // The entries of a weight that need a head of their own; a head with A = e_c e_r^T moves w by e_r <e_c, grad>.
        let entries: Vec<(usize, usize)> = match kind {
            1 => Vec::new(),
            k if k == d => (0..d).map(|i| (i, i)).collect(),
            _ => (0..d * d).map(|i| (i / d, i % d)).collect(),
        };
        let heads: Vec<Head<T>> = if entries.is_empty() {
            vec![Head::restricted(&identity(d))?]
        } else {
            entries.iter().map(|&(r, c)| Head::restricted(&unit(c, r))).collect::<Result<_, Error>>()?
        };
        let mut gamma: Vec<Vec<Vec<Array2<T>>>> = Vec::with_capacity(method.steps());
        for step in method.increments() {
            let mut of_layer = Vec::with_capacity(step.len());
            for weight in step {
                match &weight {
                    Weight::Scalar(_) => {}
                    Weight::Diagonal(c) => same_shape(OP, "a weight", c.shape(), &[d])?,
                    Weight::Full(c) => same_shape(OP, "a weight", c.shape(), &[d, d])?,
                }
                let matrix = weight.matrix(d);
                let constant = |(r, c): (usize, usize)| Array2::from_elem((d + 1, n + 1), matrix[[r, c]].negated());
                of_layer.push(if entries.is_empty() {
                    vec![constant((0, 0))]
                } else {
                    entries.iter().map(|&at| constant(at)).collect()
                });
            }
            gamma.push(of_layer);
        }
        let memory = match entries.is_empty() {
            true => LayerMemory::Separate {
                gamma: gamma.into_iter().map(|row| row.into_iter().flatten().collect()).collect(),
            },
            false => LayerMemory::PerHead { gamma },
        };
        LinearTransformer::new(vec![heads; method.steps()], memory)
    }

    /// The same updates with one head: the heads of each layer become layers one after another.
    ///
    /// $\Gamma$ is zero in all but the last of them, so that Z stands still until each head has read it. With
    /// [`LinearTransformer::of_method`] a step of a diagonal method takes d layers.
    ///
    /// A model with one head in each layer is its own answer.
    ///
    /// **Source**: Eqs. 3.3 and 3.4, which ask for no number of layers. **Errors**: several heads that share a register.
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memformer::{Instance, Lfom, LinearTransformer, fraction_vector};
    /// let mut stream = Streams::new(1).stream("one head")?;
    /// let prompt = Instance::draw(&mut stream, 2, 4)?;
    /// let mut lambda = || fraction_vector(&mut stream, 2);
    /// let method = Lfom::diagonals(vec![vec![lambda()], vec![lambda(), lambda()]])?;
    /// let heads = LinearTransformer::of_method(&method, 2, 4)?;
    /// let states = heads.one_head()?.run(&prompt.tokens)?.states;
    /// assert_eq!(states[4], heads.run(&prompt.tokens)?.states[2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn one_head(&self) -> Result<LinearTransformer<T>, Error> {
        const OP: &str = "LinearTransformer::one_head";
        if self.layers().iter().all(|heads| heads.len() == 1) {
            return Ok(self.clone());
        }
        let LayerMemory::PerHead { gamma } = self.memory() else {
            let instead = "use a model whose heads have registers of their own: `LayerMemory::PerHead`";
            return Err(Error::unavailable(OP, "one head for heads that share a register", instead));
        };
        let (mut layers, mut rows) = (Vec::new(), Vec::new());
        for (heads, of_layer) in self.layers().iter().zip(gamma) {
            let weights: Vec<Array2<T>> = of_layer.iter().flatten().cloned().collect();
            let still = Array2::from_elem(weights[0].dim(), T::zero());
            for head in heads {
                layers.push(vec![head.clone()]);
                rows.push(match layers.len() == weights.len() {
                    true => weights.clone(),
                    false => vec![still.clone(); layers.len()],
                });
            }
        }
        LinearTransformer::new(layers, LayerMemory::Separate { gamma: rows })
    }

    /// One head per layer, with $\Gamma$ whose last rows are given: `rows[l][j]` (n + 1); the other rows are ones, and act on zeros.
    ///
    /// **Errors**: another number of rows than Eq. 3.4 needs, shapes.
    pub fn with_rows(layers: Vec<Head<T>>, rows: &[Vec<Array1<T>>]) -> Result<LinearTransformer<T>, Error> {
        const OP: &str = "LinearTransformer::with_rows";
        positive(OP, "the number of layers (L)", layers.len())?;
        same_shape(OP, "Gamma", &[rows.len()], &[layers.len()])?;
        let width = layers[0].p.nrows();
        let gamma =
            rows.iter().map(|of_layer| {
                let spread =
                    |row: &Array1<T>| {
                        Array2::from_shape_fn((width, row.len()), |(i, j)| {
                            if i + 1 == width { row[j].clone() } else { T::one() }
                        })
                    };
                of_layer.iter().map(spread).collect()
            });
        let memory = LayerMemory::Separate { gamma: gamma.collect() };
        LinearTransformer::new(layers.into_iter().map(|head| vec![head]).collect(), memory)
    }

    /// One head for each layer and one register for all of them: the layers run a method with one memory.
    ///
    /// $$ R_\ell=\operatorname{Attn}(Z_\ell)+\gamma_\ell R_{\ell-1},\qquad Z_{\ell+1}=Z_\ell+\tfrac1n\alpha_\ell R_\ell,\qquad R_{-1}=0 $$
    ///
    /// With $A_\ell=I$ and the coefficients that conjugate gradients compute for a prompt it runs conjugate gradients on that prompt: the
    /// last row of $R_\ell$ is $-n\langle x,s_\ell\rangle$ in every column.
    ///
    /// **Source**: Eqs. 3.1 and 3.2. **Errors**: another number of layers than of coefficients, shapes.
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memformer::{Head, Instance, LinearTransformer, conjugate_gradient, identity, inner_product};
    /// let prompt = Instance::draw(&mut Streams::new(1).stream("prompt")?, 2, 4)?;
    /// let f = prompt.quadratic();
    /// let run = conjugate_gradient(&f, &f.origin(), 2)?;
    /// let model = LinearTransformer::with_one_register(vec![Head::restricted(&identity(2))?; 2], &run.coefficients)?;
    /// // After d layers the answer is exact.
    /// assert_eq!(model.predict(&prompt.tokens)?, inner_product(&prompt.query(), &prompt.target)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_one_register(
        layers: Vec<Head<T>>,
        coefficients: &SingleMemory<T>,
    ) -> Result<LinearTransformer<T>, Error> {
        let memory = LayerMemory::Single { alpha: coefficients.alpha.clone(), gamma: coefficients.gamma.clone() };
        LinearTransformer::new(layers.into_iter().map(|head| vec![head]).collect(), memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::algebra::inner;
    use crate::arithmetic::number::{Fraction, fraction_matrix, fraction_vector};
    use crate::constructions::instance::Instance;
    use crate::methods::conjugate::conjugate_gradient;
    use workbench_ground::stats::{Stream, Streams};

    fn setup() -> (Instance<Fraction>, Stream) {
        let mut stream = Streams::new(7).stream("registers").unwrap();
        (Instance::draw(&mut stream, 2, 4).unwrap(), stream)
    }

    fn draw(kind: usize, stream: &mut Stream) -> Lfom<Fraction> {
        let mut weight = || match kind {
            0 => Weight::Scalar(Fraction::draw(stream)),
            1 => Weight::Diagonal(fraction_vector(stream, 2)),
            _ => Weight::Full(fraction_matrix(stream, 2, 2)),
        };
        Lfom::new((0..3).map(|k| (0..=k).map(|_| weight()).collect()).collect()).unwrap()
    }

    #[test]
    fn every_kind_of_method_is_run_exactly() {
        let (prompt, mut stream) = setup();
        let f = prompt.quadratic();
        for kind in 0..3 {
            let method = draw(kind, &mut stream);
            let built = LinearTransformer::of_method(&method, 2, 4).unwrap();
            assert_eq!(built.layers()[0].len(), [1, 2, 4][kind]);
            let states = built.run(&prompt.tokens).unwrap().states;
            let run = method.run(&f, &f.origin()).unwrap();
            for (z, w) in states.iter().zip(&run.iterates) {
                for i in 0..5 {
                    let x = prompt.tokens.slice(ndarray::s![..2, i]).to_owned();
                    assert_eq!(z[[2, i]], prompt.tokens[[2, i]].minus(&inner(&x, w)));
                }
            }
        }
    }

    #[test]
    fn heads_can_stand_in_layers_one_after_another() {
        let (prompt, mut stream) = setup();
        for kind in 0..3 {
            let heads = LinearTransformer::of_method(&draw(kind, &mut stream), 2, 4).unwrap();
            let one = heads.one_head().unwrap();
            let width = heads.layers()[0].len();
            assert_eq!(one.depth(), 3 * width);
            let states = one.run(&prompt.tokens).unwrap().states;
            let expected = heads.run(&prompt.tokens).unwrap().states;
            assert!(states.iter().step_by(width).eq(&expected));
        }
    }

    #[test]
    fn one_register_runs_conjugate_gradients() {
        let (prompt, _) = setup();
        let f = prompt.quadratic();
        let method = conjugate_gradient(&f, &f.origin(), 2).unwrap();
        let layers = vec![Head::restricted(&identity(2)).unwrap(); 2];
        let model = LinearTransformer::with_one_register(layers.clone(), &method.coefficients).unwrap();
        let run = model.run(&prompt.tokens).unwrap();
        for l in 0..2 {
            let expected = inner(&prompt.query(), &method.directions[l]).times(&Fraction::whole(-4));
            assert_eq!(run.registers[l][0][[2, 4]], expected);
        }
        assert_eq!(model.predict(&prompt.tokens).unwrap(), inner(&prompt.query(), &prompt.target));
        assert!(LinearTransformer::with_one_register(layers[..1].to_vec(), &method.coefficients).is_err());
    }

    #[test]
    fn shapes_are_checked() {
        let (prompt, mut stream) = setup();
        let method = draw(1, &mut stream);
        assert!(
            LinearTransformer::of_method(&method, 3, 4).is_err()
                && LinearTransformer::of_method(&method, 2, 0).is_err()
        );
        assert!(LinearTransformer::of_method(&method, 2, 3).unwrap().run(&prompt.tokens).is_err());
        let layer = Head::restricted(&identity::<Fraction>(2)).unwrap();
        assert!(LinearTransformer::with_rows(vec![layer], &[]).is_err());
        let heads = LinearTransformer::of_method(&method, 2, 4).unwrap();
        let one = heads.one_head().unwrap();
        assert_eq!(one.one_head().unwrap(), one);
        let shared = LinearTransformer::new(heads.layers().to_vec(), LayerMemory::None).unwrap();
        assert!(shared.one_head().is_err());
        let LayerMemory::PerHead { mut gamma } = heads.memory().clone() else {
            panic!("heads without registers of their own");
        };
        gamma[1][0].pop();
        assert!(LinearTransformer::new(heads.layers().to_vec(), LayerMemory::PerHead { gamma }).is_err());
    }
}
