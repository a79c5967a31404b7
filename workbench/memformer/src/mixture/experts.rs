//! Heads that were trained alone, joined by gates.

use crate::{Architecture, Error, Parameters, Part, RegisterKind, RegisterWeight};
use ndarray::Array2;
use workbench_ground::check::{finite, positive, same_shape};

/// Heads of one architecture and a gate for each: layer $\ell$ adds $\sum_h\alpha_h\sum_{j\le\ell}\Gamma_j^hR_j^h$.
///
/// All heads read the same state $Z_\ell$, and each has registers of its own. This is a linear transformer if the heads have no registers
/// (then layer l adds $\sum_h\alpha_hR_\ell^h$), and a memformer if they have tied ones.
///
/// **Source**: Section 4.2. **Units and ranges**: gates are any real numbers, as printed; [`crate::GateKind`] restricts them.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Architecture, Gated, Parameters};
/// let mut stream = Streams::new(1).stream("heads")?;
/// let head = |stream: &mut _| Parameters::random(Architecture::new(4, 5)?, 0.1, stream);
/// let heads = vec![head(&mut stream)?, head(&mut stream)?, head(&mut stream)?];
/// let one_hot = Gated::new(heads.clone(), vec![0.0, 1.0, 0.0])?;
/// assert_eq!(one_hot.merged(), heads[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "mixture of experts")]
#[doc(alias = "MoE")]
pub struct Gated {
    heads: Vec<Parameters>,
    gates: Vec<f64>,
}

impl Gated {
    /// `heads` with their gates.
    ///
    /// **Errors**: no head, another number of gates, gates that are not finite, several architectures, heads with trained B or with
    /// registers other than none or tied ones.
    pub fn new(heads: Vec<Parameters>, gates: Vec<f64>) -> Result<Gated, Error> {
        const OP: &str = "Gated::new";
        positive(OP, "the number of heads (H)", heads.len())?;
        same_shape(OP, "gates", &[gates.len()], &[heads.len()])?;
        finite(OP, "gates", &gates)?;
        let architecture = heads[0].architecture();
        let tied = matches!(architecture.registers(), RegisterKind::None | RegisterKind::Separate { tied: true, .. });
        if architecture.upper_block() || !tied {
            let instead = "use heads without registers, or with tied separate registers";
            let what = "a gate over heads with upper blocks, with one register or with untied ones";
            return Err(Error::unavailable(OP, what, instead));
        }
        for head in &heads {
            let other = head.architecture();
            same_shape(
                OP,
                "a head (L, d)",
                &[other.depth(), other.dim()],
                &[architecture.depth(), architecture.dim()],
            )?;
            if other != architecture {
                let instead = "give all heads the same architecture, for example with `Gated::with_weights`";
                let what = "a gate over heads with different registers";
                return Err(Error::unavailable(OP, what, instead));
            }
        }
        Ok(Gated { heads, gates })
    }

    /// Every gate the same, 1/H: the mean of the heads.
    ///
    /// **Errors**: as [`Gated::new`].
    pub fn uniform(heads: Vec<Parameters>) -> Result<Gated, Error> {
        let gate = 1.0 / heads.len().max(1) as f64;
        let gates = vec![gate; heads.len()];
        Gated::new(heads, gates)
    }

    /// Heads added up, every gate 1.
    ///
    /// **Source**: Section 4.1, one register for all heads. **Errors**: as [`Gated::new`].
    pub fn summed(heads: Vec<Parameters>) -> Result<Gated, Error> {
        let gates = vec![1.0; heads.len()];
        Gated::new(heads, gates)
    }

    /// The heads.
    pub fn heads(&self) -> &[Parameters] {
        &self.heads
    }

    /// The gates.
    pub fn gates(&self) -> &[f64] {
        &self.gates
    }

    /// The architecture of the heads.
    pub fn architecture(&self) -> Architecture {
        self.heads[0].architecture()
    }

    /// The same heads with other gates. **Errors**: as [`Gated::new`].
    pub fn with_gates(&self, gates: &[f64]) -> Result<Gated, Error> {
        Gated::new(self.heads.clone(), gates.to_vec())
    }

    /// The same model with register weights of a wider kind, ready to be tuned: a number becomes a diagonal or a full matrix.
    ///
    /// Heads without registers, whose layers weigh only their own output, cannot be widened: $\Gamma$ of Eq. 3.4 is what they lack.
    ///
    /// **Errors**: heads without registers, a narrower kind than the present one.
    pub fn with_weights(&self, weight: RegisterWeight) -> Result<Gated, Error> {
        const OP: &str = "Gated::with_weights";
        let architecture = self.architecture();
        let RegisterKind::Separate { weight: before, .. } = architecture.registers() else {
            let instead = "train heads with `RegisterKind::Separate`";
            let what = "a register weight of heads without registers";
            return Err(Error::unavailable(OP, what, instead));
        };
        let d = architecture.dim();
        if weight.width(d) < before.width(d) {
            let instead = "widen from scalar to diagonal to full";
            return Err(Error::unavailable(OP, "a narrower register weight", instead));
        }
        let wider = architecture.with_registers(RegisterKind::Separate { weight, tied: true });
        let heads = self.heads.iter().map(|head| {
            let mut wide = Parameters::neutral(wider);
            let matrices = architecture.range(Part::Preconditioners);
            wide.values_mut()[matrices.clone()].copy_from_slice(&head.values()[matrices]);
            for l in 0..architecture.depth() {
                let full = register(head, l);
                let width = weight.width(d);
                let to = &mut wide.registers_mut()[l * width..(l + 1) * width];
                match weight {
                    RegisterWeight::Scalar => to[0] = full[[0, 0]],
                    RegisterWeight::Diagonal => to.iter_mut().enumerate().for_each(|(i, v)| *v = full[[i, i]]),
                    RegisterWeight::Full => to.iter_mut().zip(&full).for_each(|(v, f)| *v = *f),
                }
            }
            wide
        });
        Gated::new(heads.collect(), self.gates.clone())
    }

    /// The single head that computes the same: $A_j=\sum_h\alpha_hA_j^h(\Lambda_j^h)^\top$ with every register weight 1.
    ///
    /// One gate of 1 beside zeros gives back that head's steps exactly; a head without registers comes back bit for bit.
    pub fn merged(&self) -> Parameters {
        let architecture = self.architecture();
        let registers = match architecture.registers() {
            RegisterKind::None => RegisterKind::None,
            _ => RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: true },
        };
        let mut merged = Parameters::neutral(architecture.with_registers(registers));
        let d = architecture.dim();
        for l in 0..architecture.depth() {
            let mut sum = Array2::zeros((d, d));
            for (head, gate) in self.heads.iter().zip(&self.gates) {
                if *gate != 0.0 {
                    sum.scaled_add(*gate, &weighted(head, l));
                }
            }
            merged.values_mut()[l * d * d..(l + 1) * d * d].iter_mut().zip(&sum).for_each(|(to, from)| *to = *from);
        }
        merged
    }
}

/// A_l of a head whose layers were checked.
pub(super) fn preconditioner(head: &Parameters, l: usize) -> Array2<f64> {
    let d = head.architecture().dim();
    // The first L d^2 numbers are the preconditioners, layer by layer.
    Array2::from_shape_fn((d, d), |(i, j)| head.values()[(l * d + i) * d + j])
}

/// Lambda_l of a head with tied registers as a matrix; the identity without registers.
pub(super) fn register(head: &Parameters, l: usize) -> Array2<f64> {
    let d = head.architecture().dim();
    let RegisterKind::Separate { weight, .. } = head.architecture().registers() else {
        return Array2::eye(d);
    };
    let width = weight.width(d);
    let values = &head.registers()[l * width..(l + 1) * width];
    Array2::from_shape_fn((d, d), |(i, j)| match weight {
        RegisterWeight::Scalar if i == j => values[0],
        RegisterWeight::Diagonal if i == j => values[i],
        RegisterWeight::Full => values[i * d + j],
        _ => 0.0,
    })
}

/// A_l Lambda_l^T, whose transpose acts on the gradient.
pub(super) fn weighted(head: &Parameters, l: usize) -> Array2<f64> {
    let a = preconditioner(head, l);
    match head.architecture().registers() {
        RegisterKind::None => a,
        RegisterKind::Separate { weight: RegisterWeight::Scalar, .. } => a.mapv(|v| v * head.registers()[l]),
        _ => a.dot(&register(head, l).t()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Precision, TaskLaw};
    use workbench_ground::stats::{Stream, Streams};

    fn tied(weight: RegisterWeight) -> Architecture {
        let kind = RegisterKind::Separate { weight, tied: true };
        Architecture::new(3, 2).unwrap().with_registers(kind)
    }

    fn head(architecture: Architecture, stream: &mut Stream) -> Parameters {
        let mut head = Parameters::random(architecture, 0.3, stream).unwrap();
        head.registers_mut().iter_mut().for_each(|v| *v += 0.2 * stream.normal());
        head
    }

    fn setup() -> (Batch, Stream) {
        let mut stream = Streams::new(3).stream("gated").unwrap();
        let law = TaskLaw::isotropic(2).unwrap();
        (Batch::draw(&law, 6, 50, Precision::Double, &mut stream).unwrap(), stream)
    }

    #[test]
    fn merging_a_single_head_changes_nothing_for_every_kind() {
        let (batch, mut stream) = setup();
        for weight in [RegisterWeight::Scalar, RegisterWeight::Diagonal, RegisterWeight::Full] {
            let head = head(tied(weight), &mut stream);
            let merged = Gated::new(vec![head.clone(), head.clone()], vec![0.25, 0.75]).unwrap().merged();
            let (want, got) = (batch.losses(&head).unwrap(), batch.losses(&merged).unwrap());
            assert!((&want - &got).iter().all(|v| v.abs() < 1e-12), "{weight:?}");
        }
        let plain = head(Architecture::new(3, 2).unwrap(), &mut stream);
        let other = head(Architecture::new(3, 2).unwrap(), &mut stream);
        assert_eq!(Gated::new(vec![other, plain.clone()], vec![0.0, 1.0]).unwrap().merged(), plain);
    }

    #[test]
    fn widening_keeps_the_model() {
        let (batch, mut stream) = setup();
        let heads =
            vec![head(tied(RegisterWeight::Scalar), &mut stream), head(tied(RegisterWeight::Scalar), &mut stream)];
        let model = Gated::new(heads, vec![0.4, -0.9]).unwrap();
        let want = batch.loss(&model.merged()).unwrap();
        for weight in [RegisterWeight::Scalar, RegisterWeight::Diagonal, RegisterWeight::Full] {
            let wide = model.with_weights(weight).unwrap();
            assert!((batch.loss(&wide.merged()).unwrap() / want - 1.0).abs() < 1e-13);
            assert_eq!(wide.heads()[0].registers().len(), 3 * weight.width(2));
        }
        let wide = model.with_weights(RegisterWeight::Full).unwrap();
        assert!(wide.with_weights(RegisterWeight::Diagonal).is_err());
    }

    #[test]
    fn bad_heads_are_named() {
        let (_, mut stream) = setup();
        let plain = || Parameters::neutral(Architecture::new(3, 2).unwrap());
        let say = |heads: Vec<Parameters>, gates: Vec<f64>| Gated::new(heads, gates).unwrap_err().to_string();
        assert!(say(vec![], vec![]).contains("(H)"));
        assert!(say(vec![plain()], vec![1.0, 2.0]).contains("= 2 does"));
        assert!(say(vec![plain()], vec![f64::INFINITY]).contains("inf"));
        let deeper = Parameters::neutral(Architecture::new(4, 2).unwrap());
        assert!(say(vec![plain(), deeper], vec![1.0; 2]).contains("(4, 2)"));
        let other = head(tied(RegisterWeight::Scalar), &mut stream);
        assert!(say(vec![plain(), other], vec![1.0; 2]).contains("different registers"));
        let single = Architecture::new(3, 2).unwrap().with_registers(RegisterKind::Single);
        assert!(say(vec![Parameters::neutral(single)], vec![1.0]).contains("one register"));
        assert!(Gated::uniform(vec![plain()]).unwrap().with_weights(RegisterWeight::Full).is_err());
        assert!(Gated::uniform(vec![]).is_err() && Gated::summed(vec![]).is_err());
    }
}
