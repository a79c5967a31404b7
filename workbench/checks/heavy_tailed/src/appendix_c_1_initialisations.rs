//! Appendix C.1, initialisations: norms of embeddings and of their images at the start.
//!
//! **Claim** (`heavy-tailed/c1-initialisation`). W has entries N(0, 1/d); e_x and u_y are uniform on the unit sphere or have entries
//! N(0, 1/d), of norm about one in both cases.
//!
//! "About one" is asked of the norms of e_x and u_y with Gaussian entries: their mean at the largest d, its power of d, and that of their
//! deviation, since every embedding is to have it. On the sphere they are drawn so. That |W e_x| is of order one as well, as the updates
//! need it, is a footing, and so is the exact statement: |W e| on the sphere is a chi variable over sqrt(d), so its mean is known at every
//! d, and every measured mean is compared with it. Refuted by a norm of e_x or u_y that a power of d moves, or that is not about one.

use workbench_display::{Table, frame};
use workbench_ground::stats::{normal_array2, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{EmbeddingStart, ErrorCurve, initial_norms};

use super::powers_of_width::POWER;
use crate::vocabulary::{ROUNDING, largest_of};

const HALF_WIDTHS: Margin = Margin::statistical(
    "half-widths",
    1.5,
    "one and a half half-widths at 99.9 % are nearly five standard errors; twenty comparisons pass that once in 1e5",
);

const ABOUT_ONE: Margin = Margin::statistical(
    "about one",
    0.05,
    "a mean norm at the largest d is known to a hundredth; entries of half or twice the variance are off by 0.29 and 0.41",
);

/// Norms of embeddings and of their images under W, before the first update.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/c1-initialisation",
    metric: "mean norm of e and u at the largest d; power of d in mean norms and in their deviations",
    against: "a norm of e or u that a power of d moves, or that is not about one",
    protocol: &["both starts of Appendix C.1"],
    choices: &["d from 8 to 2048; W drawn entry by entry"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let dims = s.knobs("dimensions", s.scale().pick(&[8, 32, 128, 256][..], &[8, 32, 128, 512, 2048]), 1..)?;
    let runs = s.knob("draws", s.scale().pick(400, 200), 2..)?;
    let mut boot = s.stream("bootstrap, C.1")?;
    let sphere = initial_norms(EmbeddingStart::Sphere, &dims, runs, s.streams(), "sphere")?;
    let gauss = initial_norms(EmbeddingStart::Gaussian, &dims, runs, s.streams(), "gauss")?;
    // The statement is about embeddings; what W makes of them is what the updates need.
    let (printed, footing) = (s.printed(POWER), s.support(POWER));
    footing.equals("power of d in |We|, embeddings on the sphere", 0.0, sphere[2].slope(&mut boot)?);
    for (name, says, curve) in [("|e|", printed, &gauss[0]), ("|u|", printed, &gauss[1]), ("|We|", footing, &gauss[2])]
    {
        says.equals(format!("power of d in {name}, Gaussian entries"), 0.0, curve.slope(&mut boot)?);
        let label = format!("power of d in the deviation of {name}, Gaussian entries");
        says.equals(label, -0.5, curve.deviation_slope(&mut boot)?);
    }
    for (name, curve) in [("|e|", &gauss[0]), ("|u|", &gauss[1])] {
        let label = format!("mean of {name} at the largest d, Gaussian entries");
        s.printed(ABOUT_ONE).of("draws").equals(label, 1.0, curve.at(dims.len() - 1)?);
    }
    let squared: fn(usize) -> f64 = |d| chi_over_root(d).powi(2);
    for (curve, exact) in [
        (&gauss[0], chi_over_root as fn(usize) -> f64),
        (&gauss[1], chi_over_root),
        (&gauss[2], squared),
        (&sphere[2], chi_over_root),
    ] {
        for (k, d) in s.each("means", dims.iter().enumerate()) {
            let found = curve.at(k)?;
            let label = "largest distance of a mean norm from its exact value, in half-widths of its interval";
            s.support(HALF_WIDTHS).at_most(label, (found.value - exact(*d)).abs() / found.half_width());
        }
    }
    let norms = sphere[0].runs().iter().chain(sphere[1].runs());
    let from_one: Vec<f64> = norms.map(|norm| (norm - 1.0).abs()).collect();
    // So are they drawn.
    let unit = s.support(ROUNDING).over(from_one.len(), "norms");
    unit.same("distance of |e|, |u| from one on the sphere", largest_of(from_one));
    for (power, said) in [(0.0, "one"), (-2.0, "1/d²")] {
        let label = format!("entries of W of variance {said}, drawn in full: power of d in |We|");
        s.twin(POWER).equals(label, 0.0, drawn_in_full(s, power)?.slope(&mut boot)?);
    }
    let label = "entries of variance one, as Eq. 1 has them: power of d in |e|";
    s.twin(POWER).equals(label, 0.0, of_equation_1(s)?.slope(&mut boot)?);
    let frame = frame!(
        "d" => dims,
        "mean |We|" => sphere[2].means(),
        "exact" => dims.iter().map(|d| chi_over_root(*d)).collect::<Vec<f64>>(),
        "deviation" => sphere[2].deviations(),
    )?;
    s.table(Table::new(frame).title("Norm of We for embeddings on the sphere").digits(3));
    Ok(())
}

/// Mean of a chi variable with d degrees of freedom over sqrt(d).
fn chi_over_root(d: usize) -> f64 {
    let first = if d % 2 == 1 { 1 } else { 2 };
    let start = if first == 1 { 2.0 / std::f64::consts::PI } else { std::f64::consts::FRAC_PI_2 };
    let steps = (first..d).step_by(2);
    steps.fold(start.sqrt(), |mean, k| mean * (k + 1) as f64 / k as f64) / (d as f64).sqrt()
}

/// `|e|` for entries of variance one.
fn of_equation_1(setting: &Setting) -> Result<ErrorCurve, Failure> {
    let dims = [8usize, 32, 128];
    let mut columns = Vec::new();
    for d in dims {
        let mut stream = setting.stream(&format!("entries of variance one, d = {d}"))?;
        let norm = |_| {
            let e = normal_array2(&mut stream, 1, d);
            (&e * &e).sum().sqrt()
        };
        columns.push((0..50).map(norm).collect());
    }
    Ok(ErrorCurve::from_columns(dims.iter().map(|d| *d as f64).collect(), &columns)?)
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
