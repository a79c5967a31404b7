//! The two bounds of Lemma 3 on the error of given output embeddings.

use crate::store::profile::Profile;
use workbench_ground::Error;
use workbench_ground::check::within;

/// The upper bound of Lemma 3, minimised over $\gamma$.
///
/// $$ \inf_\gamma\;2d^{-\gamma}+p\Bigl(\Bigl\{x:d\,q(x)^2\le
/// 16\,c_\gamma\Bigl(Q_\infty+\frac{8c_\gamma\lVert q\rVert^2}d\Bigr)\Bigr\}\Bigr),
/// \qquad c_\gamma=\ln M+\gamma\ln d $$
///
/// **Source**: Eq. 21. The set shrinks as $\gamma$ falls, so the infimum is found on a grid of $\gamma$ and at the points where a group of
/// inputs leaves the set.
///
/// **Units and ranges**: the lemma asks for $M\ge4$ and $d>8\ln M$; natural logarithms.
///
/// **Errors**: parameters outside that range.
pub fn lemma3_upper(profile: &Profile, dim: usize) -> Result<f64, Error> {
    lemma3_range("lemma3_upper", profile, dim)?;
    let d = dim as f64;
    let (log_m, log_d) = ((profile.n_classes() as f64).ln(), d.ln());
    let (top, norm) = (profile.largest_energy(), profile.total_energy());
    // A group leaves the set when 16 c (top + 8 c norm / d) < d q^2: solve the quadratic for c.
    let critical = |q2: f64| {
        let (a, b) = (128.0 * norm / d, 16.0 * top);
        (-b + (b * b + 4.0 * a * d * q2).sqrt()) / (2.0 * a)
    };
    let mut points: Vec<(f64, f64)> =
        profile.groups().iter().map(|g| ((critical(g.weight * g.weight) - log_m) / log_d, g.mass)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Just below a group's critical gamma the group is outside the set; all groups with a smaller one are inside.
    let mut inside = 0.0;
    let mut best: f64 = 1.0;
    for (gamma, mass) in points {
        if gamma > 0.0 {
            best = best.min(2.0 * d.powf(-gamma) + inside);
        }
        inside += mass;
    }
    Ok(best)
}

/// The lower bound $\frac1{20}\,p(\{x:3(d+1)\,q(x)^2\le Q_\infty\})$ of Lemma 3.
///
/// **Source**: Eq. 22, for $M\ge4$ and $d>8\ln M$.
///
/// **Errors**: parameters outside that range.
pub fn lemma3_lower(profile: &Profile, dim: usize) -> Result<f64, Error> {
    lemma3_range("lemma3_lower", profile, dim)?;
    let limit = profile.largest_energy();
    let inside = |w: f64| 3.0 * (dim as f64 + 1.0) * w * w <= limit;
    Ok(profile.groups().iter().filter(|g| inside(g.weight)).map(|g| g.mass).sum::<f64>() / 20.0)
}

fn lemma3_range(op: &'static str, profile: &Profile, dim: usize) -> Result<(), Error> {
    let m = profile.n_classes();
    within(op, "n_classes (M)", m as f64, m >= 4, "M >= 4, as Lemma 3 asks")?;
    let allowed = "d > 8 ln M, as Lemma 3 asks";
    within(op, "dim (d)", dim as f64, dim as f64 > 8.0 * (m as f64).ln(), allowed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::data::zipf::Zipf;
    use crate::generalization::expected_error::ConditionalDraws;
    use crate::store::scheme::Scheme;
    use workbench_ground::stats::{Streams, mean};

    #[test]
    fn lemma_bounds_hold_the_error_between_them() {
        let law = Zipf::infinite(2.0).unwrap();
        let target = Target::modulo(5).unwrap();
        let draws = ConditionalDraws::new(5, 500, &mut Streams::new(1).stream("d").unwrap()).unwrap();
        for (scheme, d) in [(Scheme::power(1.0).unwrap(), 1 << 30), (Scheme::uniform().top(10).unwrap(), 1 << 13)] {
            let profile = Profile::population(&law, &target, &scheme, d).unwrap();
            let error = mean(draws.expected_error(&profile, d).unwrap().as_slice().unwrap()).unwrap();
            let (low, high) = (lemma3_lower(&profile, d).unwrap(), lemma3_upper(&profile, d).unwrap());
            assert!(low < error.low && error.high < high && high < 1.0, "{low} {error:?} {high}");
        }
    }

    #[test]
    fn upper_bound_is_the_minimum_over_gamma() {
        let law = Zipf::infinite(2.0).unwrap();
        let profile =
            Profile::population(&law, &Target::modulo(5).unwrap(), &Scheme::power(0.5).unwrap(), 1 << 30).unwrap();
        let d = (1usize << 30) as f64;
        let bound = |gamma: f64| {
            let c = 5f64.ln() + gamma * d.ln();
            let limit = 16.0 * c * (profile.largest_energy() + 8.0 * c * profile.total_energy() / d);
            2.0 * d.powf(-gamma)
                + profile.groups().iter().filter(|g| d * g.weight * g.weight <= limit).map(|g| g.mass).sum::<f64>()
        };
        let scanned = (1..4000).map(|i| bound(i as f64 / 1000.0)).fold(1.0, f64::min);
        let exact = lemma3_upper(&profile, 1 << 30).unwrap();
        assert!(exact <= scanned + 1e-12 && exact > 0.99 * scanned, "{exact} {scanned}");
    }

    #[test]
    fn refuses_bad_input() {
        let profile = Profile::from_weights(&[1.0], &[1.0], &[0], 3).unwrap();
        assert!(matches!(lemma3_upper(&profile, 100), Err(Error::Parameter { name: "n_classes (M)", .. })));
        let profile = Profile::from_weights(&[1.0], &[1.0], &[0], 4).unwrap();
        assert!(matches!(lemma3_lower(&profile, 11), Err(Error::Parameter { name: "dim (d)", .. })));
    }
}
