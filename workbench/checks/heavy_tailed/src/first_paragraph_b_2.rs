//! B.2, first paragraph: what decides an input, and where the further term comes from.
//!
//! **Claim** (`heavy-tailed/b2-signal-noise-reading`). Lemma 3 compares the signal d q(x) of a stored pair with the noise Q_inf of the most
//! competitive class, up to a term in ||q||^2/d, which is the class y = f_*(x) competing against itself.
//!
//! The variance of the noise splits into what the rival class, the own class and all other classes contribute, with exact means over
//! random outputs. Against the claim speaks an own class whose part does not fall like 1/d, and a comparison that changes when every
//! weight is doubled, since no prediction does.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{
    ConditionalDraws, NoiseSplit, Profile, mean_noise_split, noise_split, power_law, powers_of_two, two_class_failure,
};

use super::sections_b_2_to_b_4::{DRAWN, EXACT_EXPONENT, draws, floats, last_exponent};
use crate::vocabulary::{ROUNDING, largest_of};

/// The same energy in every class.
const EQUAL: [f64; 5] = [1.0; 5];
/// Weight of the input that is asked for.
const OWN: f64 = 0.5;

/// The split of the noise, exactly and from drawn outputs.
#[derive(Clone, Debug)]
pub struct SignalAndNoise {
    /// Dimension of the drawn outputs.
    pub dim: usize,
    /// Draws of outputs.
    pub outputs: usize,
    /// Energy beside an input of weight one, when there are two classes.
    pub energy: f64,
}

impl Default for SignalAndNoise {
    fn default() -> SignalAndNoise {
        SignalAndNoise { dim: 64, outputs: 4000, energy: 30.0 }
    }
}

/// Drawn parts over their closed form.
struct Drawn {
    own: Estimate,
    others: Estimate,
    /// With `G_ky` in place of `G_ky - G_kf`.
    one_sided: Estimate,
}

impl SignalAndNoise {
    fn drawn(&self, setting: &Setting) -> Result<Drawn, Failure> {
        let mut stream = setting.stream("output embeddings")?;
        let exact = mean_noise_split(&EQUAL, 0, 1, OWN, self.dim)?;
        let (mut own, mut others, mut one_sided) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.outputs {
            let u = unit_sphere(&mut stream, EQUAL.len(), self.dim);
            let gram = u.dot(&u.t());
            let split = noise_split(&gram, &EQUAL, 0, 1, OWN)?;
            own.push(split.own / exact.own);
            others.push(split.others / exact.others);
            one_sided.push((2..EQUAL.len()).map(|k| gram[[k, 1]].powi(2)).sum::<f64>() / exact.others);
        }
        Ok(Drawn { own: mean(&own)?, others: mean(&others)?, one_sided: mean(&one_sided)? })
    }

    /// Failures with the energy in the own class over those with it in the rival class.
    fn own_over_rival(&self, setting: &Setting) -> Result<Estimate, Failure> {
        let in_rival = two_class_failure(1.0, 1.0 + self.energy, self.dim)?;
        let own_only = Profile::from_weights(&[1.0, 0.0], &[1.0, self.energy.sqrt()], &[0, 0], 2)?;
        let two = ConditionalDraws::new(2, 4000, &mut setting.stream("own class")?)?;
        let in_own = mean(&two.expected_error(&own_only, self.dim)?.to_vec())?;
        Ok(in_own.affine(1.0 / in_rival, 0.0)?)
    }
}

/// Changes when every weight doubles: of `d q / Q_inf`, of `d q^2 / Q_inf`, of the error in the worst draw.
fn doubled(setting: &Setting, dim: usize) -> Result<[f64; 3], Failure> {
    let profile = |scale: f64| {
        let weights = [scale, 2.0 * scale, 3.0 * scale];
        Profile::from_weights(&[0.5, 0.3, 0.2], &weights, &[0, 1, 2], 5)
    };
    let (once, twice) = (profile(1.0)?, profile(2.0)?);
    let level = |profile: &Profile, power: i32| profile.groups()[0].weight.powi(power) / profile.largest_energy();
    let change = |power| (level(&twice, power) / level(&once, power) - 1.0).abs();
    let draws = draws(setting)?;
    let gaps = draws.expected_error(&once, dim)? - draws.expected_error(&twice, dim)?;
    Ok([change(1), change(2), largest_of(gaps.mapv(f64::abs))])
}

fn figure(x: &[f64], parts: &[Vec<f64>; 3]) -> Figure {
    let panel = Panel::new("five classes of equal energy")
        .x_label("d")
        .y_label("mean variance / |e_x|²")
        .log_x()
        .log_y()
        .line("rival class", x, &parts[0])
        .line("own class", x, &parts[1])
        .line("all other classes", x, &parts[2])
        .colour(2)
        .theory("3 · 2/d", x, &power_law(x, 6.0, -1.0))
        .colour(2);
    Figure::new("The own class is as loud as a rival; all others fade as 1/d").panel(panel).caption(
        "Exact means over random outputs. Rival and own class contribute at one order, whatever d is; dashed is 2/d times the energy of \
         the other classes.",
    )
}

impl TypedCheck for SignalAndNoise {
    const CLAIM: &'static str = "heavy-tailed/b2-signal-noise-reading";
    const PLAN: Plan = Plan::new(
        "local exponent in d of each part of the noise; relative change of signal over noise when q is doubled",
        "an own class whose part does not fall like 1/d; a comparison that sees a rescaling of q",
        &[EXACT_EXPONENT, ROUNDING, DRAWN],
    )
    .protocol(&["outputs uniform on the sphere, inputs Gaussian, as in Section 2; five classes of equal energy"])
    .departures(&["the energies are ours, the paragraph has none"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let x = floats(&powers_of_two(3, 13, 1)?);
        let splits: Vec<NoiseSplit> =
            x.iter().map(|d| mean_noise_split(&EQUAL, 0, 1, OWN, *d as usize)).collect::<Result<_, _>>()?;
        let part = |of: fn(&NoiseSplit) -> f64| splits.iter().map(of).collect::<Vec<f64>>();
        let parts = [part(|s| s.rival), part(|s| s.own), part(|s| s.others)];
        let exponent = |k: usize| Estimate::exact(last_exponent(&x, &parts[k]));
        let (drawn, doubled) = (self.drawn(setting)?, doubled(setting, self.dim)?);
        let evidence = Evidence::of(Finding::equals(
            "exponent in d of the own class's part, if the further term were its own",
            -1.0,
            EXACT_EXPONENT,
            exponent(1),
        ))
        .and(Finding::identity(
            "change of d q / Q∞ when every weight doubles, relative",
            doubled[0],
            ROUNDING,
        ))
        .weaker(
            "d q² for d q, a misprint; and the attribution falls: the term in ‖q‖²/d is not the own class, which is as loud as a rival, \
             but all other classes, through outputs that are not orthogonal",
            vec![
                Finding::equals("exponent of the own class's part: that of a rival", 0.0, EXACT_EXPONENT, exponent(1)),
                Finding::equals("exponent of the other classes' part", -1.0, EXACT_EXPONENT, exponent(2)),
                Finding::identity("change of d q² / Q∞ when every weight doubles", doubled[1], ROUNDING),
                Finding::identity("change of the error when every weight doubles, worst draw", doubled[2], ROUNDING),
                Finding::equals("own class: drawn over closed form, d = 64", 1.0, DRAWN, drawn.own),
                Finding::equals("other classes: drawn over closed form, d = 64", 1.0, DRAWN, drawn.others),
                Finding::equals(
                    "failures with the same energy in the own class over those with it in the rival class",
                    1.0,
                    DRAWN,
                    self.own_over_rival(setting)?,
                ),
            ],
        )
        .twin(Finding::equals(
            "G_ky in place of G_ky − G_kf, drawn over closed form",
            1.0,
            DRAWN,
            drawn.one_sided,
        ));
        Ok(Checked::from(evidence).figure(figure(&x, &parts)))
    }
}
