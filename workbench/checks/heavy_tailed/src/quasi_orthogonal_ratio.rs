//! Quasi-orthogonal outputs: the signal-to-noise ratio from below, and the families that the checks of Eqs. 31 to 40 share.
//!
//! **Claim** (`heavy-tailed/quasi-orthogonal-ratio`, before Eq. 30). For eta-quasi orthogonal u, <u_f, u_y - u_f>^2 >= (1-eta)^2,
//! <u_y, u_y - u_f>^2 <= (1+eta)^2 and <u_k, u_y - u_f>^2 <= (2 eta)^2 for third classes, so R_y is at least a chain of five lines that
//! ends in 1/4 q^2 (1-eta)^2 / (eta^2 ||q||^2 + (1-eta^2)(Q_y + Q_f) - q^2).
//!
//! Random families with their exact coherence, equal angles of both signs, and extremal families in which each elementary inequality is an
//! equality. The last two lines differ by the definition of Q_y alone and are one here. Refuted by one broken inequality, a line above the
//! one before it, or two lines that differ where the document writes an equality.

use std::sync::Arc;

use ndarray::array;
use workbench_ledger::{Check, Done, Failure, Setting, Sheet};
use workbench_memory::{Elementary, GivenOutputs, Profile, RatioChain};

use super::profiles::{BOUND, even, exceeds};
use crate::vocabulary::{EXACT, ROUNDING, largest_of, least_of};

/// The three inequalities and the lines.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/quasi-orthogonal-ratio",
    metric: "violations in absolute numbers; cells in which a line exceeds the one before it; relative differences of equal lines",
    against: "one violated inequality, one line above the one before it, two lines that should be equal and are not",
    choices: &["families, crowds and weights"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let links = links(s)?;
    let (identity, twin, order) = (s.printed(ROUNDING), s.twin(ROUNDING).largest(), s.printed(EXACT).of("cases"));
    for link in s.each("cells", &links) {
        let ([signal, rival, others], c) = (link.slacks, &link.chain);
        identity.at_most("largest (1-η)² - <u_f, u_y - u_f>²", 0.0 - signal); // no negative zero
        identity.at_most("largest <u_y, u_y - u_f>² - (1+η)²", 0.0 - rival);
        identity.at_most("largest <u_k, u_y - u_f>² - (2η)²", 0.0 - others);
        let violation = largest_of(link.half_coherence.iter().map(|slack| -slack));
        twin.at_most("half of the coherence: largest violation of the three", violation);
        order.never("line 1 ≤ ratio: cases that break it", exceeds(c.lower_first, c.ratio));
        order.never("line 2 ≤ line 1: cases that break it", exceeds(c.lower_fours, c.lower_first));
        for line in [c.lower_collected, c.lower_last] {
            identity.same("lines 2, 3 and 4 equal, relative", (line / c.lower_fours - 1.0).abs());
        }
        let without = 4.0 * c.lower_last / c.ratio;
        s.twin(BOUND).largest().at_most("last line without the factor 1/4 over the ratio, largest", without);
    }
    let nearest = |k: usize| least_of(links.iter().map(|link| link.slacks[k].abs()));
    let farthest = largest_of((0..3).map(nearest));
    s.support(ROUNDING).over(links.len(), "cells").same("each of the three is met with equality somewhere", farthest);
    s.note(
        "for unit vectors <u_y, u_y - u_f>² = <u_f, u_y - u_f>², so rival and own class weigh the same and the factor 1/4 is needed \
         for third classes only",
    );
    Ok(())
}

/// Families whose coherence is known exactly, each in some dimension.
pub fn certified(setting: &Setting) -> Result<Arc<Vec<GivenOutputs>>, Failure> {
    setting.shared("lemma 3: certified families", |own| {
        let mut stream = own.stream("certified")?;
        let mut families = Vec::new();
        for (m, d) in [(3usize, 6usize), (4, 12), (5, 40), (8, 200), (16, 1000)] {
            for _ in 0..6 {
                families.push(GivenOutputs::random(m, d, &mut stream)?);
            }
        }
        for c in [-0.25, 0.0, 0.1, 0.45, 0.9] {
            families.push(GivenOutputs::equiangular(5, c, 30)?);
        }
        // Signs chosen so that the pulls are as large as eta allows.
        for h in [0.05, 0.2, 0.45] {
            let one = array![[1.0, h, -h], [h, 1.0, h], [-h, h, 1.0]];
            let other = array![[1.0, -h, -h], [-h, 1.0, h], [-h, h, 1.0]];
            families.push(GivenOutputs::from_gram(one, 20)?);
            families.push(GivenOutputs::from_gram(other, 20)?);
        }
        Ok(families)
    })
}

/// One input of one crowd beside one rival class, outputs of a certified family.
pub struct Link {
    /// What each elementary inequality leaves: signal, rival, third classes.
    slacks: [f64; 3],
    /// The same with half of the coherence.
    half_coherence: [f64; 3],
    /// Both chains around the ratio.
    pub chain: RatioChain,
    /// The ratio of Eq. 36.
    pub of_36: f64,
}

/// The links of all certified families.
pub fn links(setting: &Setting) -> Result<Vec<Link>, Failure> {
    let slacks = |e: Elementary| [e.signal, e.rival, e.others];
    let mut links = Vec::new();
    for given in certified(setting)?.iter() {
        let (m, eta) = (given.n_classes(), given.coherence());
        for crowd in [1usize, 4, 30] {
            let profile = crowded(m, crowd)?;
            for g in profile.groups() {
                for y in (0..m).filter(|&y| y != g.class) {
                    links.push(Link {
                        slacks: slacks(given.elementary(g.class, y, eta)?),
                        half_coherence: slacks(given.elementary(g.class, y, 0.5 * eta)?),
                        chain: given.ratio_chain(&profile, g, y, eta)?,
                        of_36: 0.25 * (1.0 - eta).powi(2) * g.weight * g.weight / profile.total_energy(),
                    });
                }
            }
        }
    }
    Ok(links)
}

/// `crowd` inputs of each class and two more, of various weights.
fn crowded(m: usize, crowd: usize) -> Result<Profile, Failure> {
    let labels: Vec<usize> = (0..m * crowd + 2).map(|x| if x < 2 { x } else { x % m }).collect();
    let weight = |x: usize| if x == 0 { 0.8 } else { 1.0 / (1 + x % 5) as f64 };
    let weights: Vec<f64> = (0..labels.len()).map(weight).collect();
    even(&weights, &labels, m)
}
