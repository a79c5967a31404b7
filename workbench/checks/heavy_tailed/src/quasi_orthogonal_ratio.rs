//! Quasi-orthogonal outputs: the signal-to-noise ratio from below, and the families that the checks of Eqs. 31 to 40 share.
//!
//! **Claim** (`heavy-tailed/quasi-orthogonal-ratio`, before Eq. 30). For eta-quasi orthogonal u, <u_f, u_y - u_f>^2 >= (1-eta)^2,
//! <u_y, u_y - u_f>^2 <= (1+eta)^2 and <u_k, u_y - u_f>^2 <= (2 eta)^2 for third classes, so R_y is at least a chain of four lines that
//! ends in 1/4 q^2 (1-eta)^2 / (eta^2 ||q||^2 + (1-eta^2)(Q_y + Q_f) - q^2).
//!
//! Random families with their exact coherence, equal angles of both signs, and extremal families in which each elementary inequality is an
//! equality. Against it would count one broken inequality, a line above the one before it, or two lines that differ where the document
//! writes an equality.

use std::sync::Arc;

use ndarray::array;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{Elementary, GivenOutputs, Profile, RatioChain};

use super::proof_of_lemma_3::{BOUND, Broken, below, even, exceeds};
use crate::vocabulary::{Largest, Least, ROUNDING, largest_of};

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

/// Both chains around the ratio over all certified families, crowds of inputs, inputs and rivals.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Largest violation of an elementary inequality: signal, rival, third classes.
    pub violated: [Largest; 3],
    /// Distance of each from equality, where it comes nearest.
    pub touched: [Least; 3],
    /// The same three with half of the coherence.
    pub half_coherence: Largest,
    /// Line 1 above the ratio, line 2 above line 1.
    pub lower: [Broken; 2],
    /// Relative difference of lines 2, 3 and 4.
    pub equalities: Largest,
    /// Last line without its 1/4, over the ratio.
    pub no_quarter: Largest,
    /// Ratio above the upper chain's first line; ratio above its shorter form, or that above the printed last line.
    pub upper: [Broken; 2],
    /// First line of the upper chain over the second as printed.
    pub upper_printed: Largest,
    /// The same with the fraction squared: relative difference.
    pub upper_squared: Largest,
    /// The ratio over that of Eq. 36, smallest.
    pub cruder: Least,
    /// Cells.
    pub cells: usize,
}

fn slacks(e: Elementary) -> [f64; 3] {
    [e.signal, e.rival, e.others]
}

impl Links {
    fn elementary(&mut self, given: &GivenOutputs, class: usize, rival: usize, eta: f64) -> Result<(), Failure> {
        for (k, slack) in slacks(given.elementary(class, rival, eta)?).into_iter().enumerate() {
            self.violated[k].see(-slack);
            self.touched[k].see(slack.abs());
        }
        for slack in slacks(given.elementary(class, rival, 0.5 * eta)?) {
            self.half_coherence.see(-slack);
        }
        Ok(())
    }

    fn chain(&mut self, c: &RatioChain) {
        self.lower[0].see(exceeds(c.lower_first, c.ratio));
        self.lower[1].see(exceeds(c.lower_fours, c.lower_first));
        self.equalities.see((c.lower_collected / c.lower_fours - 1.0).abs());
        self.equalities.see((c.lower_last / c.lower_fours - 1.0).abs());
        self.no_quarter.see(4.0 * c.lower_last / c.ratio);
        self.upper[0].see(exceeds(c.ratio, c.upper_first));
        self.upper[1].see(exceeds(c.ratio, c.upper_direct) || exceeds(c.upper_direct, c.upper_printed));
        self.upper_printed.see(c.upper_first / c.upper_printed);
        self.upper_squared.see((c.upper_first / c.upper_squared - 1.0).abs());
        self.cells += 1;
    }
}

/// The chains over all certified families; computed once.
pub fn links(setting: &Setting) -> Result<Arc<Links>, Failure> {
    setting.shared("lemma 3: links of the ratio", |own| {
        let mut links = Links::default();
        for given in certified(own)?.iter() {
            let (m, eta) = (given.n_classes(), given.coherence());
            for crowd in [1usize, 4, 30] {
                let profile = crowded(m, crowd)?;
                for g in profile.groups() {
                    for y in (0..m).filter(|&y| y != g.class) {
                        let chain = given.ratio_chain(&profile, g, y, eta)?;
                        links.elementary(given, g.class, y, eta)?;
                        links.chain(&chain);
                        let of_36 = 0.25 * (1.0 - eta).powi(2) * g.weight * g.weight / profile.total_energy();
                        links.cruder.see(chain.ratio / of_36);
                    }
                }
            }
        }
        Ok(links)
    })
}

/// `crowd` inputs of each class and two more, of various weights.
fn crowded(m: usize, crowd: usize) -> Result<Profile, Failure> {
    let labels: Vec<usize> = (0..m * crowd + 2).map(|x| if x < 2 { x } else { x % m }).collect();
    let weight = |x: usize| if x == 0 { 0.8 } else { 1.0 / (1 + x % 5) as f64 };
    let weights: Vec<f64> = (0..labels.len()).map(weight).collect();
    even(&weights, &labels, m)
}

/// The three inequalities and the four lines.
#[derive(Clone, Debug, Default)]
pub struct RatioFromBelow;

impl TypedCheck for RatioFromBelow {
    const CLAIM: &'static str = "heavy-tailed/quasi-orthogonal-ratio";
    const PLAN: Plan = Plan::new(
        "violations in absolute numbers; cells in which a line exceeds the one before it; relative differences of equal lines",
        "one violated inequality, one line above the one before it, two lines that should be equal and are not",
        &[BOUND, ROUNDING],
    )
    .departures(&["families, crowds and weights are ours: the document leaves them open"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let links = links(setting)?;
        let identity = |label: &str, off: f64| Finding::identity(label, off, ROUNDING).cases(links.cells).unit("cells");
        let farthest = largest_of(links.touched.iter().map(|touched| touched.0.abs()));
        let evidence = Evidence::of(identity("largest (1-η)² - <u_f, u_y - u_f>²", links.violated[0].0))
            .and(identity("largest <u_y, u_y - u_f>² - (1+η)²", links.violated[1].0))
            .and(identity("largest <u_k, u_y - u_f>² - (2η)²", links.violated[2].0))
            .and(identity("each of the three is met with equality somewhere", farthest))
            .and(links.lower[0].none("line 1 ≤ ratio"))
            .and(links.lower[1].none("line 2 ≤ line 1"))
            .and(identity("lines 2, 3 and 4 equal, relative", links.equalities.0))
            .twin(below(
                "last line without the factor 1/4 over the ratio, largest",
                links.no_quarter.0,
                links.cells,
            ))
            .twin(identity(
                "half of the coherence: largest violation of the three",
                links.half_coherence.0,
            ))
            .note(
                "for unit vectors <u_y, u_y - u_f>² = <u_f, u_y - u_f>², so rival and own class weigh the same and the factor 1/4 is needed \
                 for third classes only",
            );
        Ok(evidence.into())
    }
}
