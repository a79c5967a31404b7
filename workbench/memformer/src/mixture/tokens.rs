//! Gated heads on tokens, in any arithmetic: the definition against which the merged head is checked.

use crate::arithmetic::algebra::{rank, step_matrix};
use crate::arithmetic::number::Number;
use crate::{Error, Head, LayerMemory, LinearTransformer, Mask, literal_attention};
use ndarray::{Array1, Array2};
use workbench_ground::check::{positive, same_shape};

/// One model of several experts on a shared state: layer l adds $\frac1n\sum_h\alpha^h\odot\sum_j\Gamma_j^{h,\ell}\odot R_j^h$.
///
/// `gates[h]` has one number for each of the d + 1 coordinates of a token ("per head coordinate-wise"). With the parameters of Eq. 2.8
/// and $B=0$ only the last coordinate of a register is not zero, so that its gate alone acts: the scalar gate of the next sentence.
///
/// **Source**: Section 4.2 with Eq. 3.4. **Shapes**: experts of one depth and width with one head per layer; gates (d + 1).
/// **Errors**: no expert, experts whose memory is not [`LayerMemory::Separate`], shapes.
///
/// ```
/// use ndarray::{Array1, Array2};
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Fraction, Head, Instance, LinearTransformer, Number, gated_registers, identity};
/// let prompt = Instance::draw(&mut Streams::new(1).stream("prompt")?, 2, 3)?;
/// let ones = Array1::from_elem(4, Fraction::one());
/// let expert = LinearTransformer::with_rows(vec![Head::restricted(&identity(2))?], &[vec![ones]])?;
/// let gate = |g: i64| Array1::from_elem(3, Fraction::whole(g));
/// let both = gated_registers(&[expert.clone(), expert.clone()], &[gate(3), gate(-2)])?;
/// assert_eq!(both.run(&prompt.tokens)?.states, expert.run(&prompt.tokens)?.states);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gated_registers<T: Number>(
    experts: &[LinearTransformer<T>],
    gates: &[Array1<T>],
) -> Result<LinearTransformer<T>, Error> {
    const OP: &str = "gated_registers";
    positive(OP, "the number of heads (H)", experts.len())?;
    same_shape(OP, "gates", &[gates.len()], &[experts.len()])?;
    let depth = experts[0].depth();
    let mut layers = vec![Vec::new(); depth];
    let mut joined: Vec<Vec<Vec<Array2<T>>>> = (0..depth).map(|l| vec![Vec::new(); l + 1]).collect();
    for (expert, gate) in experts.iter().zip(gates) {
        let LayerMemory::Separate { gamma } = expert.memory() else {
            let instead = "use experts with `LayerMemory::Separate`, such as those of `LinearTransformer::with_rows`";
            return Err(Error::unavailable(OP, "gates on other registers", instead));
        };
        same_shape(OP, "layers of an expert", &[expert.depth()], &[depth])?;
        for (l, heads) in expert.layers().iter().enumerate() {
            same_shape(OP, "heads of an expert's layer", &[heads.len()], &[1])?;
            layers[l].push(heads[0].clone());
            for (joined, weight) in joined[l].iter_mut().zip(&gamma[l]) {
                same_shape(OP, "a gate", gate.shape(), &[weight.nrows()])?;
                joined.push(Array2::from_shape_fn(weight.dim(), |(i, k)| gate[i].times(&weight[[i, k]])));
            }
        }
    }
    LinearTransformer::new(layers, LayerMemory::PerHead { gamma: joined })
}

/// Rank of the matrix by which a sum of heads moves all tokens, given one example z: $\sum_hP_hzz^\top Q_h$.
///
/// One head gives rank one at most, whatever its P and Q; so does any sum of heads of Eq. 2.8 with $B=0$. A sum of rank r is none that
/// fewer than r heads could give.
///
/// **Source**: ours, for Section 4.1.
/// **Shapes**: heads of width d + 1, `z` (d + 1). **Errors**: no head, shapes.
///
/// ```
/// use ndarray::array;
/// use workbench_memformer::{Head, update_rank};
/// let head = |a: f64, b: f64| Head::with_block(&array![[a, 0.0], [0.0, 1.0]], &array![[b, 0.0], [0.0, 1.0]]);
/// let z = array![1.0, 2.0, 3.0];
/// assert_eq!(update_rank(&[head(1.0, 0.0)?, head(2.0, 5.0)?], &z)?, 2);
/// // With one B for both there is one head.
/// assert_eq!(update_rank(&[head(1.0, 5.0)?, head(2.0, 5.0)?], &z)?, 1);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn update_rank<T: Number>(heads: &[Head<T>], z: &Array1<T>) -> Result<usize, Error> {
    const OP: &str = "update_rank";
    positive(OP, "the number of heads (H)", heads.len())?;
    let width = heads[0].p.nrows();
    same_shape(OP, "z", z.shape(), &[width])?;
    // Tokens of the identity: the update of every possible token, beside the example, which comes first and is the only key.
    let mut sum = Array2::from_elem((width, width), T::zero());
    for head in heads {
        for i in 0..width {
            let tokens = Array2::from_shape_fn((width, 2), |(r, c)| match c {
                0 => z[r].clone(),
                _ if r == i => T::one(),
                _ => T::zero(),
            });
            let update = literal_attention(head, &tokens, Mask::Printed)?;
            let column =
                Array2::from_shape_fn((width, width), |(r, c)| if c == i { update[[r, 1]].clone() } else { T::zero() });
            sum = step_matrix(&sum, &T::one(), &column);
        }
    }
    Ok(rank(&sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Architecture, Fraction, Gated, Instance, Parameters, Prompts, RegisterKind, RegisterWeight, TaskLaw,
        fraction_matrix, fraction_vector,
    };
    use workbench_ground::stats::{Stream, Streams};

    fn stream() -> Stream {
        Streams::new(2).stream("tokens").unwrap()
    }

    fn expert(stream: &mut Stream, d: usize, n: usize, depth: usize) -> LinearTransformer<Fraction> {
        let layers = (0..depth).map(|_| Head::restricted(&fraction_matrix(stream, d, d)).unwrap()).collect();
        let mut rows = || Array1::from_elem(n + 1, Fraction::draw(stream));
        let rows: Vec<Vec<Array1<Fraction>>> = (0..depth).map(|l| (0..=l).map(|_| rows()).collect()).collect();
        LinearTransformer::with_rows(layers, &rows).unwrap()
    }

    #[test]
    fn one_hot_gates_are_the_expert_and_upper_gates_do_nothing() {
        let mut stream = stream();
        let (d, n) = (2, 3);
        let prompt = Instance::draw(&mut stream, d, n).unwrap();
        let experts = [expert(&mut stream, d, n, 2), expert(&mut stream, d, n, 2)];
        let off = Array1::from_elem(d + 1, Fraction::zero());
        let mut on = fraction_vector(&mut stream, d + 1);
        on[d] = Fraction::one();
        let gated = gated_registers(&experts, &[off, on]).unwrap().run(&prompt.tokens).unwrap();
        assert_eq!(gated.states, experts[1].run(&prompt.tokens).unwrap().states);
    }

    #[test]
    fn the_merged_head_is_the_gated_model_on_tokens() {
        let mut stream = stream();
        let (d, n, depth) = (2, 5, 3);
        let kind = RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: true };
        let architecture = Architecture::new(depth, d).unwrap().with_registers(kind);
        let heads: Vec<Parameters> = (0..3)
            .map(|_| {
                let mut head = Parameters::random(architecture, 0.3, &mut stream).unwrap();
                head.registers_mut().iter_mut().for_each(|v| *v = stream.normal());
                head
            })
            .collect();
        let gates = [0.7, -0.2, 0.4];
        let experts: Vec<LinearTransformer<f64>> = heads
            .iter()
            .map(|head| {
                let layers = (0..depth).map(|l| Head::restricted(&head.a(l).unwrap().to_owned()).unwrap()).collect();
                let row = |j: usize| Array1::from_elem(n + 1, head.registers()[j]);
                let rows: Vec<Vec<_>> = (0..depth).map(|l| (0..=l).map(row).collect()).collect();
                LinearTransformer::with_rows(layers, &rows).unwrap()
            })
            .collect();
        let spread: Vec<Array1<f64>> = gates.iter().map(|g| Array1::from_elem(d + 1, *g)).collect();
        let tokens = gated_registers(&experts, &spread).unwrap();
        let merged = Gated::new(heads, gates.to_vec()).unwrap().merged().transformer(n).unwrap();
        let prompts = Prompts::draw(&TaskLaw::isotropic(d).unwrap(), n, 4, &mut stream).unwrap();
        for b in 0..4 {
            let z = prompts.tokens(b).unwrap();
            let states = tokens.run(&z).unwrap().states;
            for (l, want) in merged.predictions(&z).unwrap().iter().enumerate() {
                assert!((-states[l][[d, n]] - want).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn ranks_count_heads_that_add_something() {
        let mut stream = stream();
        let d = 3;
        let z = fraction_vector(&mut stream, d + 1);
        let mut head = |blocks: bool| {
            let a = fraction_matrix(&mut stream, d, d);
            let b = fraction_matrix(&mut stream, d, d);
            if blocks { Head::with_block(&a, &b) } else { Head::restricted(&a) }.unwrap()
        };
        let (plain, full) = ([head(false), head(false), head(false)], [head(true), head(true), head(true)]);
        assert_eq!(update_rank(&plain, &z).unwrap(), 1);
        assert_eq!(update_rank(&full, &z).unwrap(), 3);
        assert_eq!(update_rank(&full[..1], &z).unwrap(), 1);
        assert!(update_rank::<f64>(&[], &Array1::zeros(2)).is_err());
        assert!(update_rank(&plain, &fraction_vector(&mut Streams::new(1).stream("z").unwrap(), 3)).is_err());
    }

    #[test]
    fn shapes_are_named() {
        let mut stream = stream();
        let (one, deep) = (expert(&mut stream, 2, 3, 1), expert(&mut stream, 2, 3, 2));
        let gate = |len: usize| Array1::from_elem(len, Fraction::one());
        assert!(gated_registers::<f64>(&[], &[]).unwrap_err().to_string().contains("(H)"));
        assert!(
            gated_registers(std::slice::from_ref(&one), &[gate(2)])
                .unwrap_err()
                .to_string()
                .contains("= 2 does not match the shape needed = 3;")
        );
        assert!(gated_registers(&[one.clone(), deep], &[gate(3), gate(3)]).is_err());
        let gated = gated_registers(&[one.clone(), one], &[gate(3), gate(3)]).unwrap();
        let again = gated_registers(&[gated], &[gate(3)]).unwrap_err().to_string();
        assert!(again.contains("LayerMemory::Separate"), "{again}");
    }
}
