//! Appendix C.1, initialisations: every vector starts with norm about one.
//!
//! **Claim** (`heavy-tailed/c1-initialisation`). W has entries N(0, 1/d); e_x and u_y are uniform on the unit sphere or have entries
//! N(0, 1/d), of norm about one in both cases. For the updates to work the norm of W e_x has to be of order one too.
//!
//! The powers of d in means and deviations are the asymptotic statement. Beside it stands the exact one: |W e| on the sphere is a chi
//! variable over sqrt(d), so its mean is known at every d, and every measured mean is compared with it. A power that is not zero, or a
//! mean off by more than its interval, counts against it.

use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, normal_array2, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{EmbeddingStart, ErrorCurve, initial_norms};

use super::appendix_c_1::{POWER, at_power};
use crate::vocabulary::{Largest, ROUNDING, by_scale};

const HALF_WIDTHS: Margin = Margin::new(
    "half-widths",
    1.5,
    "one and a half half-widths at 99.9 % are nearly five standard errors; twenty comparisons pass that once in 1e5",
);

/// Norms of embeddings and of their images under W, before the first update.
#[derive(Clone, Debug, Default)]
pub struct Initialisations {
    /// Dimensions; by scale if empty.
    pub dims: Vec<usize>,
    /// Draws in each dimension; by scale if 0.
    pub runs: usize,
}

/// Mean of a chi variable with d degrees of freedom over sqrt(d).
fn chi_over_root(d: usize) -> f64 {
    let first = if d % 2 == 1 { 1 } else { 2 };
    let start = if first == 1 { 2.0 / std::f64::consts::PI } else { std::f64::consts::FRAC_PI_2 };
    let steps = (first..d).step_by(2);
    steps.fold(start.sqrt(), |mean, k| mean * (k + 1) as f64 / k as f64) / (d as f64).sqrt()
}

/// `|W e|` for W drawn in full with entries of variance `d^power`, e on the sphere.
fn drawn_in_full(setting: &Setting, power: f64) -> Result<ErrorCurve, Failure> {
    let dims = [8usize, 32, 128];
    let mut columns = Vec::new();
    for d in dims {
        let mut stream = setting.stream(&format!("W in full, variance d^{power}, d = {d}"))?;
        let norm = |_| {
            let e = unit_sphere(&mut stream, 1, d);
            let image = e.dot(&normal_array2(&mut stream, d, d)) * (d as f64).powf(power / 2.0);
            (&image * &image).sum().sqrt()
        };
        columns.push((0..50).map(norm).collect());
    }
    Ok(ErrorCurve::from_columns(dims.iter().map(|d| *d as f64).collect(), &columns)?)
}

struct Named<'a> {
    name: &'a str,
    curve: &'a ErrorCurve,
    exact: fn(usize) -> f64,
}

/// Largest distance of a mean from its exact value, in half-widths of its interval.
fn farthest(curves: &[Named], dims: &[usize]) -> Result<Largest, Failure> {
    let mut farthest = Largest::default();
    for Named { curve, exact, .. } in curves {
        for (k, d) in dims.iter().enumerate() {
            let found = curve.at(k)?;
            farthest.see((found.value - exact(*d)).abs() / found.half_width());
        }
    }
    Ok(farthest)
}

fn table(dims: &[usize], hidden: &ErrorCurve) -> Result<Table, Failure> {
    let means: Vec<f64> = hidden.means();
    let exact: Vec<f64> = dims.iter().map(|d| chi_over_root(*d)).collect();
    let widths: Vec<i64> = dims.iter().map(|d| *d as i64).collect();
    let frame = columns(vec![
        ("d", widths.into()),
        ("mean |We|", means.into()),
        ("exact", exact.into()),
        ("deviation", hidden.deviations().into()),
    ])?;
    Ok(Table::new(frame).title("Norm of We for embeddings on the sphere").digits(3))
}

impl TypedCheck for Initialisations {
    const CLAIM: &'static str = "heavy-tailed/c1-initialisation";
    const PLAN: Plan = Plan::new(
        "power of d in mean norms and in their deviations; distance of mean norms from exact ones, in half-widths",
        "a norm that a power of d moves; a mean that is not the exact one",
        &[POWER, HALF_WIDTHS, ROUNDING],
    )
    .protocol(&["both starts of Appendix C.1; W drawn entry by entry"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let dims = match self.dims.is_empty() {
            true => setting.scale().pick(vec![8, 32, 128, 256], vec![8, 32, 128, 512, 2048]),
            false => self.dims.clone(),
        };
        let runs = by_scale(self.runs, setting.scale().pick(400, 200));
        let mut boot = setting.stream("bootstrap, C.1")?;
        let sphere = initial_norms(EmbeddingStart::Sphere, &dims, runs, setting.streams(), "sphere")?;
        let gauss = initial_norms(EmbeddingStart::Gaussian, &dims, runs, setting.streams(), "gauss")?;
        let named = [
            Named { name: "|e|", curve: &gauss[0], exact: chi_over_root },
            Named { name: "|u|", curve: &gauss[1], exact: chi_over_root },
            Named { name: "|We|", curve: &gauss[2], exact: |d| chi_over_root(d).powi(2) },
        ];
        let mut evidence =
            Evidence::of(at_power("power of d in |We|, embeddings on the sphere", 0.0, sphere[2].slope(&mut boot)?));
        for Named { name, curve, .. } in &named {
            evidence = evidence
                .and(at_power(format!("power of d in {name}, Gaussian entries"), 0.0, curve.slope(&mut boot)?))
                .and(at_power(
                    format!("power of d in the deviation of {name}, Gaussian entries"),
                    -0.5,
                    curve.deviation_slope(&mut boot)?,
                ));
        }
        let on_sphere = [Named { name: "|We|", curve: &sphere[2], exact: chi_over_root }];
        let mut off = farthest(&named, &dims)?;
        off.see(farthest(&on_sphere, &dims)?.0);
        let mut unit = Largest::default();
        sphere[0].runs().iter().chain(sphere[1].runs()).for_each(|norm| unit.see((norm - 1.0).abs()));
        evidence = evidence
            .and(
                Finding::at_most(
                    "largest distance of a mean norm from its exact value, in half-widths of its interval",
                    HALF_WIDTHS,
                    Estimate::exact(off.0),
                )
                .cases(4 * dims.len())
                .unit("means"),
            )
            .and(Finding::identity("distance of |e|, |u| from one on the sphere", unit.0, ROUNDING));
        for (power, said) in [(0.0, "one"), (-2.0, "1/d²")] {
            let curve = drawn_in_full(setting, power)?;
            evidence = evidence.twin(at_power(
                format!("entries of W of variance {said}, drawn in full: power of d in |We|"),
                0.0,
                curve.slope(&mut boot)?,
            ));
        }
        Ok(Checked::from(evidence).table(table(&dims, &sphere[2])?))
    }
}
