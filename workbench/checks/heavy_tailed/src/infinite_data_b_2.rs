//! Forgotten set in ranks, and the norm of q: B.2, infinite data.
//!
//! **Claims.** (`heavy-tailed/b2-set-probability`) p{d q(x)^2 <= p_* ||q||^2} is p{x <= (d/||q||^2)^(1/2 rho alpha)} up to constants, and
//! that is (d/||q||^2)^(-(alpha-1)/2 rho alpha). (`heavy-tailed/b2-phi`) phi(N) = ||q||^2 is the integral of x^(-2 rho alpha) from 1 to N,
//! which for 2 rho alpha > 1 reads 1 - N^(1 - 2 rho alpha) and is bounded by one.
//!
//! All members are exact sums. The first is refuted by a member with another exponent in d; weights fall with the rank, so few are kept out
//! by a small d, not many. The second is refuted by an integral, by quadrature, that is not the expression.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::integrate;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{
    Zipf, critical_rank, forgotten_set, load_integral, load_integral_printed, memory_load, power_sum, tail_constant,
    untruncated_exponent,
};

use super::exponents::{EXACT_EXPONENT, FLAT, LIMIT, ONE, last_exponent, p_star, spread};

const QUADRATURE: Margin =
    Margin::rounding("quadrature", 1e-9, "the quadrature is asked for ten digits; nine are compared");

/// The three members of the display along d.
pub const SET_IN_RANKS: Check = Check {
    claim: "heavy-tailed/b2-set-probability",
    metric: "exponent in d between the last two points; ratio of two members at the largest d",
    against: "a member with another exponent than −(α − 1)/2ρα",
    protocol: &["Zipf laws, q = p^ρ"],
    choices: &["N = ∞; d so large that the critical rank runs from 10 to 10^12"],
    run: set_in_ranks,
    ..Check::DEFAULT
};

/// `(alpha, rho)`, with infinitely many inputs.
const LAWS: [(f64, f64); 4] = [(2.0, 1.0), (1.5, 1.0), (3.0, 0.5), (2.0, 0.5)];

fn set_in_ranks(s: &Sheet) -> Done {
    s.misprint("the second set is {x ≥ (d/‖q‖²)^{1/2ρα}}");
    for (k, (alpha, rho)) in s.each("laws", LAWS.into_iter().enumerate()) {
        let (law, name, two_rho_alpha) = (Zipf::infinite(alpha)?, format!("α = {alpha}, ρ = {rho}"), 2.0 * rho * alpha);
        let (share, load) = (p_star(&law)?, power_sum(two_rho_alpha, 0.0, 1, None)?);
        let exponent = untruncated_exponent(alpha, rho)?;
        let half_decades = (2..=24).map(|k| 0.5 * f64::from(k));
        let d: Vec<f64> = half_decades.map(|k| load * 10f64.powf(k * two_rho_alpha)).collect();
        let sets = |d: &[f64], rho: f64| -> Result<Vec<f64>, Failure> {
            d.iter().map(|d| Ok(forgotten_set(&law, rho, None, *d, share)?.mass())).collect()
        };
        let rank = |d: &f64| critical_rank(alpha, rho, load, *d).round() as usize;
        let set = sets(&d, rho)?;
        let large_ranks: Vec<f64> = d.iter().map(|d| law.tail(rank(d) - 1)).collect();
        let third: Vec<f64> = d.iter().map(|d| (d / load).powf(-exponent)).collect();

        let exact = s.changed(EXACT_EXPONENT);
        exact.equals(format!("exponent of the first member, {name}"), -exponent, last_exponent(&d, &set));
        let label = format!("exponent of the second member with ≥, {name}");
        exact.equals(label, -exponent, last_exponent(&d, &large_ranks));
        let (last, tail) = (d.len() - 1, tail_constant(&law)?);
        let label = "first over third member over its constant, largest d: distance from one, worst case";
        let constant = tail * share.powf(exponent);
        s.changed(LIMIT).same(label, (set[last] / third[last] / constant - 1.0).abs());
        let label = "second (≥) over third member over its constant, largest d: distance from one, worst case";
        s.changed(LIMIT).same(label, (large_ranks[last] / third[last] / tail - 1.0).abs());
        if k > 0 {
            continue;
        }
        let small_ranks: Vec<f64> = d.iter().map(|d| 1.0 - law.tail(rank(d))).collect();
        let label = format!("exponent of the second member as printed, {name}");
        s.printed(EXACT_EXPONENT).equals(label, -exponent, last_exponent(&d, &small_ranks));
        // In the nearer half, as its ranks are the squares.
        let near = &d[..d.len() / 2];
        let label = "the set with q in place of q²: its exponent";
        s.twin(EXACT_EXPONENT).equals(label, -exponent, last_exponent(near, &sets(near, 0.5 * rho)?));
        let panel = Panel::new(&format!("{name}, N = ∞"))
            .x_label("d")
            .y_label("probability")
            .log_x()
            .log_y()
            .y_limits(1e-14, 2.0)
            .line("p{d q² ≤ p_*‖q‖²}", &d, &set)
            .line("p{x ≤ …} as printed", &d, &small_ranks)
            .line("p{x ≥ …}", &d, &large_ranks)
            .theory("third member", &d, &third);
        s.figure(Figure::new("Large ranks fall as the set does, small ranks do not").panel(panel).caption(
            "The set of large ranks runs parallel to the first and third member; the set of small ranks tends to one.",
        ));
    }
    Ok(())
}

/// Sum, integral and expression.
pub const NORM_OF_Q: Check = Check {
    claim: "heavy-tailed/b2-phi",
    metric: "relative difference of expression and quadrature; spread over N of the sum over φ(N)",
    against: "an integral that is not the expression, or is above one; a sum that leaves the regimes of Theorem 1",
    choices: &["s = 2ρα from 0.2 to 4, N from 10 to 10^6"],
    run: norm_of_q,
    ..Check::DEFAULT
};

fn norm_of_q(sheet: &Sheet) -> Done {
    sheet.misprint(
        "the integral is (1 − N^(1−s))/(s − 1), bounded by 1/(s − 1); the regimes 1, ln N, N^(1−s) of Theorem 1 are right up to constants",
    );
    for s in sheet.each("exponents s", [0.2, 0.5, 1.0, 1.5, 2.0, 4.0]) {
        let (mut over_phi, mut over_other) = (Vec::new(), Vec::new());
        for n in sheet.each("cases", (1..=6).map(|k| 10f64.powi(k))) {
            let area = integrate(&|t: f64| ((1.0 - s) * t).exp(), 0.0, n.ln(), 1e-10)?.value; // x = e^t
            let label = "relative error of (1 − N^(1−s))/(s − 1), and its forms for s ≤ 1";
            sheet.changed(QUADRATURE).same(label, (load_integral(s, n)? / area - 1.0).abs());
            if s > 1.0 {
                let printed = load_integral_printed(s, n);
                let label = "relative error of 1 − N^(1−s), worst s > 1";
                sheet.printed(QUADRATURE).same(label, (printed / area - 1.0).abs());
                sheet.printed(ONE).at_most("largest integral with s > 1", area);
                let label = "(1 − N^(1−s))/s: its best relative error";
                sheet.twin(QUADRATURE).same(label, (printed / s / area - 1.0).abs());
            }
            let sum = power_sum(s, 0.0, 1, Some(n as usize))?;
            let (least, most) = (area * (1.0 - 1e-12), area + 1.0 + 1e-12);
            let label = "integral ≤ sum ≤ integral + 1: cases that break it";
            sheet.changed(Margin::ZERO).never(label, sum < least || sum > most);
            over_phi.push(sum / memory_load(s, 0.5, n)); // 2 rho alpha = s at rho = 1/2
            over_other.push(sum / n.powf(1.0 - 0.5 * s));
        }
        let label = "sum over φ(N) of Theorem 1: largest over smallest, worst s";
        sheet.changed(FLAT).at_most(label, spread(&over_phi));
        if s < 1.0 {
            let label = "N^(1−s/2), q in place of q²: largest over smallest, best s";
            sheet.twin(FLAT).at_most(label, spread(&over_other));
        }
    }
    sheet.figure(norm_figure()?);
    Ok(())
}

fn norm_figure() -> Result<Figure, Failure> {
    let s: Vec<f64> = (0..=60).map(|i| 1.1 + 0.05 * f64::from(i)).collect();
    let n = 1e6;
    let area = s.iter().map(|s| load_integral(*s, n)).collect::<Result<Vec<f64>, _>>()?;
    let sum = s.iter().map(|s| power_sum(*s, 0.0, 1, Some(n as usize))).collect::<Result<Vec<f64>, _>>()?;
    let printed: Vec<f64> = s.iter().map(|s| load_integral_printed(*s, n)).collect();
    let panel = Panel::new("N = 10^{6}")
        .x_label("s = 2ρα")
        .y_label("integral or sum of x⁻ˢ")
        .log_y()
        .line("integral", &s, &area)
        .line("sum, x = 1 … N", &s, &sum)
        .theory("1 − N^{1−s}, printed", &s, &printed);
    Ok(Figure::new("The printed norm is right at s = 2 only").panel(panel).caption(
        "The printed expression meets the integral at s = 2. The sum lies between the integral and the integral plus one.",
    ))
}
