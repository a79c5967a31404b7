//! Properties of any law of the inputs: sums against sums term by term, samples against their law.

use proptest::prelude::*;
use workbench_ground::stats::Streams;

use crate::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// A range of powers is the sum of its terms, and splits anywhere.
    #[test]
    fn power_sums_are_sums(s in 0.0f64..6.0, shift in -0.9f64..10.0, from in 1usize..50, length in 0usize..300, far in 0usize..1_000_000) {
        let to = from + length;
        let slow: f64 = (from..=to).rev().map(|x| (x as f64 + shift).powf(-s)).sum();
        prop_assert!((power_sum(s, shift, from, Some(to))? / slow - 1.0).abs() < 1e-12);
        let end = to + 1 + far;
        let parts = power_sum(s, shift, from, Some(to))? + power_sum(s, shift, to + 1, Some(end))?;
        prop_assert!((power_sum(s, shift, from, Some(end))? / parts - 1.0).abs() < 1e-12);
    }

    /// Masses add up to one; what t samples leave unseen is the sum over the inputs, and falls with t.
    #[test]
    fn laws_are_laws(alpha in 0.2f64..4.0, n in 1usize..400, shift in 0.0f64..4.0, t in 1usize..100_000, cut in 0usize..400) {
        let law = Zipf::new(alpha, n)?.with_shift(shift)?;
        let p = law.probabilities(n);
        prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        prop_assert!(p.windows(2).all(|pair| pair[0] >= pair[1]));
        prop_assert!((law.mass(1, Some(cut)) + law.tail(cut) - 1.0).abs() < 1e-12);
        let slow: f64 = p.iter().map(|p| if *p >= 1.0 { 0.0 } else { p * (t as f64 * (-p).ln_1p()).exp() }).sum();
        let unseen = law.unseen_mass(t);
        prop_assert!((unseen - slow).abs() <= 1e-11 * slow + 1e-15, "{unseen:e} against {slow:e}");
        prop_assert!(law.unseen_mass(t + 1) <= unseen * (1.0 + 1e-12));
    }

    /// The ranks of all residues together are all ranks.
    #[test]
    fn residues_share_the_mass(alpha in 1.05f64..4.0, shift in 0.0f64..3.0, from in 1usize..60, period in 1usize..12, finite: bool) {
        let law = if finite { Zipf::new(alpha, 200)? } else { Zipf::infinite(alpha)? }.with_shift(shift)?;
        let parts: f64 = (0..period).map(|r| law.moment_of_residue(1.0, from, None, period, r)).sum();
        prop_assert!((parts / law.mass(from, None) - 1.0).abs() < 1e-11, "{parts}");
    }

    /// Counts are of ranks of the law, ascending, and as many as were asked for; two data sets put together keep every sample.
    #[test]
    fn samples_are_counted(seed: u64, alpha in 0.3f64..3.0, n in 1usize..5000, t in 1usize..3000, infinite: bool) {
        let law = if infinite { Zipf::infinite(1.0 + alpha)? } else { Zipf::new(alpha, n)? };
        let streams = Streams::new(seed);
        let mut stream = streams.stream("samples")?;
        let (one, other) = (law.sample_counts(t, &mut stream)?, law.sample_counts(t, &mut stream)?);
        let both = one.merge(&other);
        for counts in [&one, &other, &both] {
            prop_assert_eq!(counts.seen.iter().map(|seen| seen.1).sum::<usize>(), counts.total);
            prop_assert!(counts.seen.windows(2).all(|pair| pair[0].0 < pair[1].0));
            prop_assert!(counts.seen.iter().all(|seen| seen.1 > 0 && law.probability(seen.0) > 0.0));
        }
        prop_assert_eq!(both.total, 2 * t);
        prop_assert!(both.unseen_mass(&law) <= one.unseen_mass(&law) + 1e-12);
    }

    /// Chances are chances, and a wider cap is likelier.
    #[test]
    fn caps_shrink(d in 2usize..5000, eta in 0.0f64..0.99) {
        let (wide, narrow) = (cap_probability(d, eta)?, cap_probability(d, eta + 0.01)?);
        prop_assert!((0.0..=1.0).contains(&narrow) && narrow <= wide && wide <= 1.0, "{narrow} {wide}");
    }
}
