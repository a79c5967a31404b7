//! Theorem A.1, second part: six terms of the variance, and Eq. 32 behind them.
//!
//! **Claims** (`mnemosyne/eq-12-13`, `mnemosyne/eq-32`). r Var(Delta) = V1 + V2 - 2 V3 - V4 - V5 + 2 V6, with the sums of Eq. 13. Eq. 32
//! expands the same variance and ends with minus 2 sum E[W] E[Z], which is -2 V6; and in Eq. 13 V4 and V6 are the same double sum, although
//! V4 stands where Eq. 32 has sum E[W] E[W].
//!
//! The reference knows neither expansion nor closed form: first and second moment of Z = sum (W - Z), Eq. 18 itself on a Gauss-Hermite grid
//! over all coordinates of the projection. A plain sample variance would miss where the moment arises (see Eqs. 30 and 31). Refuted by a set
//! of patterns and a flip whose variance it does not give.

use workbench_features::compact::{FlipVariance, Patterns, combination, joint_moments, log_psi_by_quadrature};
use workbench_ground::stats::log_sum_exp;
use workbench_ledger::{Check, Done, Failure, Setting, Sheet};

use super::energy_terms::{VARIANCE, edge_input};

/// A difference of ln V1 and ln V2 that rounding leaves where a symmetry of the set makes them one number.
const SYMMETRIC: f64 = 1e-9;

const METRIC: &str = "variance over that by integration, minus 1";
const EQ_12: [f64; 6] = [1.0, 1.0, -2.0, -1.0, -1.0, 2.0];
/// With V3 once instead of twice.
const CROSS_ONCE: [f64; 6] = [1.0, 1.0, -1.0, -1.0, -1.0, 2.0];

/// Eqs. 12 and 13.
pub const SIX_TERMS: Check = Check {
    claim: "mnemosyne/eq-12-13",
    metric: METRIC,
    against: "a set and a flip whose variance the six terms do not give",
    choices: &[
        "r = 1; r enters as 1/r, see Eqs. 30 and 31",
        "N = 2 and 3, M up to 4 on the full grid of the projection, the input the memory and for N = 3 also one flip away; at N = 8 and M = 16 each product is integrated on its own",
    ],
    departures: &["Ψ with 1 + 8Â in its exponent; that misprint is charged in the row of Eqs. 14 and 37"],
    run: six_terms,
    ..Check::DEFAULT
};

fn six_terms(s: &Sheet) -> Done {
    s.misprint("V₄ has the input, not the flipped input, in its first factor");
    s.see("mnemosyne/eq-14-37");
    for flip in s.each("flips", flips(s)?) {
        let terms @ [v1, v2, v3, v4, v5, v6] = flip.at_input.log_terms();
        let printed_v4 = flip.off(EQ_12, [v1, v2, v3, flip.at_input.log_v4_as_printed(), v5, v6]);
        s.printed(VARIANCE).same("V₄ as printed: variance over that by integration, minus 1, largest", printed_v4);
        let [psi1, psi2, psi3] = flip.at_input.log_psi_terms_as_printed()?;
        let label = "Ψ as printed in Eq. 14: variance over that by integration, minus 1, largest";
        s.twin(VARIANCE).largest().same(label, flip.off(EQ_12, [psi1, psi2, psi3, v4, v5, v6]));
        let label = "V₄ mended: variance over that by integration, minus 1, largest";
        s.changed(VARIANCE).same(label, flip.off(EQ_12, terms));
        s.twin(VARIANCE).same("V₃ once instead of twice, least", flip.off(CROSS_ONCE, terms));
        if flip.moved() {
            let label = "V₁ in place of V₂, where they are not one number, least";
            s.twin(VARIANCE).same(label, flip.off(EQ_12, [v1, v1, v3, v4, v5, v6]));
        }
        flip.grounds(s);
    }
    for i in s.each("flips", [0, 7]) {
        let label = "N = 8, M = 16: each product integrated on its own, over the mended form, minus 1";
        s.support(VARIANCE).same(label, by_products(i)?);
    }
    Ok(())
}

/// Eq. 32.
pub const EXPANSION: Check = Check {
    claim: "mnemosyne/eq-32",
    metric: METRIC,
    against: "a set and a flip whose variance the expansion does not give",
    choices: &[
        "r = 1; N = 2 and 3, M up to 4; the input is the memory, and for N = 3 also the memory with its second entry flipped",
    ],
    departures: &[
        "the expectations are in closed form, with 1 + 8 A-hat; Eqs. 14, 19, 34 and 35 have rows of their own",
    ],
    run: expansion,
    ..Check::DEFAULT
};

fn expansion(s: &Sheet) -> Done {
    s.misprint("the last group has a plus sign");
    for flip in s.each("flips", flips(s)?) {
        let terms = flip.at_input.log_terms();
        let minus = flip.off([1.0, 1.0, -2.0, -1.0, -1.0, -2.0], terms);
        s.printed(VARIANCE).same("as printed: variance over that by integration, minus 1, largest", minus);
        let label = "with plus: variance over that by integration, minus 1, largest";
        s.changed(VARIANCE).same(label, flip.off(EQ_12, terms));
        if flip.moved() {
            let label = "without the three groups of means, where the mean is not zero, least";
            s.twin(VARIANCE).same(label, flip.off([1.0, 1.0, -2.0, 0.0, 0.0, 0.0], terms));
        }
        s.twin(VARIANCE).same("the cross moments once instead of twice, least", flip.off(CROSS_ONCE, terms));
        flip.grounds(s);
    }
    Ok(())
}

/// A flip of a small random set: the closed form at the input and at the memory, the variance by integration with 44 and 38 nodes.
struct Flip {
    at_input: FlipVariance,
    at_memory: FlipVariance,
    reference: f64,
    fewer_nodes: f64,
    /// Whether the input is not the memory; at some of these flips, such as the one back, a symmetry gives the memory's variance.
    noisy: bool,
}

impl Flip {
    /// How far a combination of six terms is from the variance by integration.
    fn off(&self, coefficients: [f64; 6], terms: [f64; 6]) -> f64 {
        (combination(coefficients, terms).value() / self.reference - 1.0).abs()
    }

    /// Whether no symmetry of the set turns the flip into nothing; else V1 is V2 and the mean is zero, and forms without them are right.
    fn moved(&self) -> bool {
        let [v1, v2, ..] = self.at_input.log_terms();
        (v1 - v2).abs() > SYMMETRIC
    }

    /// What both checks stand on: the integral, and that it tells the memory from a noisy input.
    fn grounds(&self, s: &Sheet) {
        let apart = (self.fewer_nodes / self.reference - 1.0).abs();
        s.support(VARIANCE).same("the integral, 44 against 38 nodes", apart);
        if self.noisy {
            let of_memory = self.off(EQ_12, self.at_memory.log_terms());
            s.twin(VARIANCE).largest().same("the memory in place of a noisy input, largest", of_memory);
        }
    }
}

/// All flips of small random sets.
fn flips(setting: &Setting) -> Result<Vec<Flip>, Failure> {
    let (mut stream, mut list) = (setting.stream("joint")?, Vec::new());
    for (n, m, a_hat) in [(2, 1, 0.05), (2, 2, 0.3), (2, 4, 1.0), (3, 2, 0.05), (3, 4, 0.3), (3, 1, 1.0)] {
        let set = Patterns::random(m, n, &mut stream)?;
        let memory = set.pattern(0)?;
        for i in 0..n {
            for noisy in [false, true].into_iter().take(n - 1) {
                let input = if noisy { memory.flipped(1)? } else { memory.clone() };
                let variance = |nodes| -> Result<f64, Failure> {
                    let moments = joint_moments(&set, &input, i, a_hat, nodes)?;
                    Ok(moments.second - moments.mean * moments.mean)
                };
                list.push(Flip {
                    at_input: FlipVariance::new(&set, &input, i, a_hat)?,
                    at_memory: FlipVariance::new(&set, &memory, i, a_hat)?,
                    reference: variance(44)?,
                    fewer_nodes: variance(38)?,
                    noisy,
                });
            }
        }
    }
    Ok(list)
}

/// The relative difference between Eq. 12 with every product integrated on its own and with the closed form, for RM(1,3), an input
/// one flip away and the flip of entry i: 256 pairs and three products.
fn by_products(i: usize) -> Result<f64, Failure> {
    let a_hat = 0.4;
    let code = Patterns::reed_muller(1, 3)?;
    let input = edge_input(&code, 1)?;
    let (near, far) = (input.to_array(), input.flipped(i)?.to_array());
    let patterns = code.to_array();
    let mut logs = [Vec::new(), Vec::new(), Vec::new()];
    for x1 in patterns.rows() {
        for x2 in patterns.rows() {
            for (logs, (u, v)) in logs.iter_mut().zip([(&near, &near), (&far, &far), (&near, &far)]) {
                logs.push(log_psi_by_quadrature(&(&x1 + &x2 + u + v).to_vec(), a_hat)?);
            }
        }
    }
    let closed @ [.., v4, v5, v6] = FlipVariance::new(&code, &input, i, a_hat)?.log_terms();
    let [v1, v2, v3] = logs.map(|logs| log_sum_exp(&logs));
    let integrated = combination(EQ_12, [v1, v2, v3, v4, v5, v6]);
    Ok((integrated.value() / combination(EQ_12, closed).value() - 1.0).abs())
}
