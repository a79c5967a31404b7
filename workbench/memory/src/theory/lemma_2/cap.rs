//! Probability that two random directions are nearly parallel: exact, as printed in the proof of Lemma 2, and corrected.

use crate::Error;
use statrs::function::gamma::ln_gamma;
use std::f64::consts::PI;
use workbench_ground::check::{positive, within};
use workbench_ground::stats::{beta_tails, integrate};
use workbench_ground::tabulated::{Columns, Tabulated};

/// $\mathbb P(\lvert\langle v,f\rangle\rvert\ge\eta)$ for v uniform on the unit sphere of $\mathbb R^d$ and a fixed unit vector f.
///
/// $$ \mathbb P(\lvert\langle v,f\rangle\rvert\ge\eta)=I_{1-\eta^2}\Bigl(\frac{d-1}2,\frac12\Bigr), $$
///
/// the regularised incomplete beta function.
///
/// **Source**: the first member of the display after Eq. 19. The squared coordinate has a $\mathrm{Beta}(\tfrac12,\tfrac{d-1}2)$ law.
///
/// **Units and ranges**: `eta` from 0 to 1; in one dimension every direction is parallel, $P=1$.
///
/// **Errors**: `d = 0`, `eta` outside `[0, 1]`.
///
/// ```
/// use workbench_memory::cap_probability;
/// assert!((cap_probability(3, 0.25)? - 0.75).abs() < 1e-14); // Archimedes: 1 - eta
/// assert!((cap_probability(2, 0.5)? - 2.0 / 3.0).abs() < 1e-14); // 2 arccos(eta) / pi
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn cap_probability(d: usize, eta: f64) -> Result<f64, Error> {
    check("cap_probability", d, eta)?;
    if d == 1 || eta == 0.0 {
        return Ok(1.0);
    }
    if eta == 1.0 {
        return Ok(0.0);
    }
    if d == 2 {
        return Ok(2.0 / PI * eta.acos());
    }
    Ok(beta_tails(0.5 * (d as f64 - 1.0), 0.5, (1.0 - eta) * (1.0 + eta), eta * eta).0)
}

/// $\mathbb P(v_1\le t)$ for v uniform on the unit sphere of $\mathbb R^d$: the law of a coordinate of $u_y$.
///
/// **Source**: Eq. 1, $U\sim\mathrm{Uniform}(S^{d-1})$.
///
/// **Errors**: `d = 0`, t not a number. Values beyond 1 in size give 0 or 1.
pub fn sphere_coordinate_cdf(d: usize, t: f64) -> Result<f64, Error> {
    let outside = cap_probability(d, t.abs().min(1.0))?;
    Ok(if t >= 1.0 {
        1.0
    } else if t < 0.0 {
        0.5 * outside
    } else {
        1.0 - 0.5 * outside
    })
}

/// The bound printed at the end of the chain: $\sqrt{\tfrac2\pi}\,\frac{e^{-\eta^2d/2}}{\eta\sqrt d}$.
///
/// **Source**: last member of the display before the elementary facts, used in Eq. 18, 20 and 34. It holds for every $d\ge3$; at $d=2$ the
/// exact probability exceeds it for $\eta$ near 0.9, and at $d=1$ for every $\eta$.
///
/// **Errors**: `d = 0`, `eta` outside `(0, 1]`.
pub fn cap_bound_printed(d: usize, eta: f64) -> Result<f64, Error> {
    check_positive("cap_bound_printed", d, eta)?;
    let d = d as f64;
    Ok((2.0 / PI).sqrt() / (eta * d.sqrt()) * (-0.5 * eta * eta * d).exp())
}

/// The bound that the same steps give from the right density: $\sqrt{\tfrac2\pi}\,\frac{(1-\eta^2)^{(d-1)/2}}{\eta\sqrt{d-1}}$.
///
/// The density of a coordinate is proportional to $(1-t^2)^{(d-3)/2}$; with $1\le t/\eta$, and
/// $\Gamma(\tfrac d2)/\Gamma(\tfrac{d-1}2)\le\sqrt{\tfrac{d-1}2}$,
/// the bound follows for every $d\ge2$. It is at most the printed one with $d-1$ in the place of d.
///
/// **Source**: our correction of the display after Eq. 19.
///
/// **Errors**: `d < 2`, `eta` outside `(0, 1]`.
///
/// ```
/// use workbench_memory::{cap_bound, cap_bound_printed, cap_probability};
/// let exact = cap_probability(2, 0.9)?;
/// assert!(cap_bound_printed(2, 0.9)? < exact && exact < cap_bound(2, 0.9)?);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn cap_bound(d: usize, eta: f64) -> Result<f64, Error> {
    check_positive("cap_bound", d, eta)?;
    within("cap_bound", "dim (d)", d as f64, d >= 2, "d >= 2")?;
    let k = d as f64 - 1.0;
    Ok((2.0 / PI).sqrt() / (eta * k.sqrt()) * (0.5 * k * (-eta * eta).ln_1p()).exp())
}

/// Every member of the printed derivation of the cap probability at one `(d, eta)`, and the right forms beside them.
///
/// **Source**: the two displays after Eq. 19.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapChain {
    /// The probability itself, by the incomplete beta function.
    pub exact: f64,
    /// First display, second member, upper limit read as 1:
    /// $\frac2{\operatorname{Vol}(S^{d-1})}\int_\eta^1\operatorname{Vol}(\sqrt{1-t^2}\,S^{d-2})\,dt$.
    pub slices: f64,
    /// First display, third member: $\frac{2\operatorname{Vol}(S^{d-2})}{\operatorname{Vol}(S^{d-1})}\int_\eta^1(1-t^2)^{(d-1)/2}\,dt$.
    pub integral: f64,
    /// First display, last member:
    /// $\frac{2\,\Gamma(d/2+1)}{\sqrt\pi\,\Gamma(d/2+1/2)}\int_\eta^1(1-t^2)^{(d-1)/2}\,dt$.
    pub gammas: f64,
    /// Second display, first member as printed, with equal Gamma functions above and below the bar.
    pub cancelled: f64,
    /// Second display, second member: $\frac{2\sqrt{d/2+1}}{\sqrt\pi}\int_\eta^1\frac t\eta(1-t^2)^{(d-1)/2}\,dt$.
    pub stretched: f64,
    /// Second display, third member: $\frac{2\sqrt{d/2+1}}{\sqrt\pi}\,\frac{(1-\eta^2)^{(d+1)/2}}{\eta\,(d+1)}$.
    pub closed: f64,
    /// Second display, last member, [`cap_bound_printed`].
    pub bound: f64,
    /// The right density integrated: $\frac{2\,\Gamma(d/2)}{\sqrt\pi\,\Gamma((d-1)/2)}\int_\eta^1(1-t^2)^{(d-3)/2}\,dt$.
    pub density: f64,
    /// The bound from the right density, [`cap_bound`].
    pub corrected: f64,
}

/// All members of the derivation, integrals by adaptive quadrature.
///
/// **Source**: the proof of Lemma 2, its first and second display.
///
/// **Errors**: `d < 2`, `eta` outside `(0, 1)`; use [`CapChain::at_zero`] for the value at `eta = 0`.
pub fn cap_chain(d: usize, eta: f64) -> Result<CapChain, Error> {
    let corrected = cap_bound(d, eta)?;
    let at = members(d, eta)?;
    let k = d as f64;
    let front = 2.0 * (0.5 * k + 1.0).sqrt() / PI.sqrt();
    // t (1 - t^2)^((d-1)/2) with t = sin(s).
    let stretched = integral(&|s: f64| s.sin() * s.cos().powf(k), eta)? / eta;
    Ok(CapChain {
        exact: cap_probability(d, eta)?,
        slices: at[0],
        integral: at[1],
        gammas: at[2],
        cancelled: 2.0 / PI.sqrt() * integral(&|s: f64| s.cos().powf(k), eta)?,
        stretched: front * stretched,
        closed: front / (eta * (k + 1.0)) * (0.5 * (k + 1.0) * (-eta * eta).ln_1p()).exp(),
        bound: cap_bound_printed(d, eta)?,
        density: at[3],
        corrected,
    })
}

/// One row for each member, in the order of the fields.
impl Tabulated for CapChain {
    fn columns(&self) -> Result<Columns, Error> {
        let (members, values): (Vec<&str>, Vec<f64>) = [
            ("exact", self.exact),
            ("slices", self.slices),
            ("integral", self.integral),
            ("gammas", self.gammas),
            ("cancelled", self.cancelled),
            ("stretched", self.stretched),
            ("closed", self.closed),
            ("bound", self.bound),
            ("density", self.density),
            ("corrected", self.corrected),
        ]
        .into_iter()
        .unzip();
        Ok(Columns::new("Members of the derivation of the cap probability")
            .with("member", members)
            .with("probability", values))
    }
}

impl CapChain {
    /// The members of the first display at `eta = 0`, where the probability is one: slices, integral, gammas, density.
    ///
    /// **Errors**: `d < 2`.
    pub fn at_zero(d: usize) -> Result<[f64; 4], Error> {
        within("CapChain::at_zero", "dim (d)", d as f64, d >= 2, "d >= 2")?;
        members(d, 0.0)
    }
}

/// Slices, integral, gammas and density at `eta`; with t = sin s the density's end singularity at d = 2 disappears.
fn members(d: usize, eta: f64) -> Result<[f64; 4], Error> {
    let k = d as f64;
    let spheres = 2.0 / PI.sqrt() * (ln_gamma(0.5 * k) - ln_gamma(0.5 * (k - 1.0))).exp();
    let gammas = 2.0 / PI.sqrt() * (ln_gamma(0.5 * k + 1.0) - ln_gamma(0.5 * k + 0.5)).exp();
    let powers = [k - 2.0, k - 1.0, k - 1.0, k - 3.0]; // exponents of cos in (1 - t^2)^(power/2)
    let mut out = [0.0; 4];
    for (slot, (power, front)) in out.iter_mut().zip(powers.into_iter().zip([spheres, spheres, gammas, spheres])) {
        *slot = front * integral(&|s: f64| s.cos().powf(power + 1.0), eta)?;
    }
    Ok(out)
}

/// `int_{arcsin eta}^{pi/2} f(s) ds`, cut into pieces that find a narrow peak at the lower end.
fn integral(f: &dyn Fn(f64) -> f64, eta: f64) -> Result<f64, Error> {
    Ok(integrate(f, eta.asin(), 0.5 * PI, 1e-13)?.value)
}

fn check(op: &'static str, d: usize, eta: f64) -> Result<(), Error> {
    positive(op, "dim (d)", d)?;
    within(op, "eta", eta, (0.0..=1.0).contains(&eta), "a number from 0 to 1")
}

fn check_positive(op: &'static str, d: usize, eta: f64) -> Result<(), Error> {
    check(op, d, eta)?;
    within(op, "eta", eta, eta > 0.0, "a number above 0, at most 1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::{Streams, proportion, unit_sphere};

    #[test]
    fn elementary_dimensions() {
        for eta in [0.0, 0.1, 0.5, 0.9, 0.999, 1.0] {
            assert_eq!(cap_probability(1, eta).unwrap(), 1.0);
            assert!((cap_probability(2, eta).unwrap() - 2.0 / PI * eta.acos()).abs() < 1e-14);
            assert!((cap_probability(3, eta).unwrap() - (1.0 - eta)).abs() < 1e-14);
            // d = 5: the density 3/4 (1 - t^2).
            let five = 1.0 - 1.5 * (eta - eta.powi(3) / 3.0);
            assert!((cap_probability(5, eta).unwrap() - five).abs() < 1e-14);
        }
    }

    /// SciPy 1.17.1, `scipy.special.betainc((d - 1)/2, 0.5, 1 - eta**2)`; from d = 10,000 on the density integrated by mpmath 1.3 with
    /// 40 digits.
    #[test]
    fn matches_outside_values() {
        for (d, eta, want) in OUTSIDE {
            let got = cap_probability(d, eta).unwrap();
            assert!((got / want - 1.0).abs() < 1e-11, "{d} {eta}: {got:e} {want:e}");
        }
    }

    const OUTSIDE: [(usize, f64, f64); 13] = [
        (2, 0.9, 0.287_132_586_257_412_5),
        (4, 0.3, 0.623_837_664_781_073),
        (10, 0.5, 0.117_306_803_014_238_17),
        (50, 0.2, 0.159_386_051_974_616_1),
        (50, 0.9, 2.678_373_274_069_761e-19),
        (300, 0.1, 0.083_262_786_285_610_93),
        (1000, 0.3, 2.896_152_476_956_430_3e-22),
        (2000, 0.05, 0.025_310_643_609_526_864),
        (10_000, 0.02, 0.045_494_862_301_980_8),
        (1 << 20, 0.001, 0.305_835_499_936_356_7),
        (1 << 20, 0.004, 4.203_255_130_003_495e-5),
        (1 << 24, 0.0002, 0.412_672_331_133_615_6),
        (1 << 24, 0.001, 4.203_484_026_135_262e-5),
    ];

    #[test]
    fn the_density_integrates_to_the_probability_and_the_printed_one_does_not() {
        for d in [2, 3, 10, 50, 300] {
            for eta in [0.05, 0.3, 0.7] {
                let chain = cap_chain(d, eta).unwrap();
                assert!((chain.density / chain.exact - 1.0).abs() < 1e-10, "{d} {eta} {chain:?}");
                assert!(chain.gammas < 0.9995 * chain.exact, "{d} {eta} {chain:?}");
                assert!((chain.stretched / chain.closed - 1.0).abs() < 1e-10);
                assert!(chain.exact <= chain.corrected * (1.0 + 1e-12));
                assert_eq!(chain.columns().unwrap().list[1].1.len(), 10);
            }
            let [slices, integral, gammas, density] = CapChain::at_zero(d).unwrap();
            assert!((gammas - 1.0).abs() < 1e-12 && (density - 1.0).abs() < 1e-12);
            assert!(slices < 0.999 && integral < slices);
        }
    }

    #[test]
    fn sampled_directions_agree() {
        let mut stream = Streams::new(3).stream("cap").unwrap();
        for (d, eta) in [(2, 0.7), (4, 0.5), (30, 0.2)] {
            let v = unit_sphere(&mut stream, 20_000, d);
            let hits = v.column(0).iter().filter(|t| t.abs() >= eta).count();
            assert!(proportion(hits, 20_000).unwrap().contains(cap_probability(d, eta).unwrap()));
        }
    }

    #[test]
    fn coordinate_law() {
        assert_eq!(sphere_coordinate_cdf(4, -1.5).unwrap(), 0.0);
        assert_eq!(sphere_coordinate_cdf(4, 1.0).unwrap(), 1.0);
        assert_eq!(sphere_coordinate_cdf(4, 0.0).unwrap(), 0.5);
        let both = sphere_coordinate_cdf(7, 0.3).unwrap() + sphere_coordinate_cdf(7, -0.3).unwrap();
        assert!((both - 1.0).abs() < 1e-15);
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(cap_probability(0, 0.5), Err(Error::Zero { .. })));
        for eta in [-0.1, 1.1, f64::NAN] {
            assert!(matches!(cap_probability(3, eta), Err(Error::Parameter { name: "eta", .. })));
        }
        assert!(matches!(cap_bound_printed(3, 0.0), Err(Error::Parameter { .. })));
        assert!(matches!(cap_bound(1, 0.5), Err(Error::Parameter { name: "dim (d)", .. })));
        assert!(CapChain::at_zero(1).is_err());
    }
}
