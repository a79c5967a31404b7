//! Appendix A.2: how many features it takes until signs are right, by guarantees and by count.

use std::f64::consts::LN_10;

use workbench_display::{Figure, Panel, Table, frame};
use workbench_features::compact::{FlipVariance, Patterns, SignRuns, SignTrials, log_draws_for_mean, sign_runs};
use workbench_features::{MapKind, best_a_hat_for_pair};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Failure, Setting};

use super::energy_terms::edge_input;

/// Probability of a wrong sign that a guarantee may leave.
const WRONG: f64 = 0.05;

/// A code with an input at the edge of its ball.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The code's name.
    pub name: &'static str,
    /// The code.
    pub code: Patterns,
    /// Flips between pattern and input.
    pub flips: usize,
}

impl Edge {
    /// Dimension N.
    pub fn dim(&self) -> usize {
        self.code.dim()
    }

    /// $\lVert\xi+\hat\xi\rVert^2$ of pattern and input.
    pub fn norm2(&self) -> f64 {
        4.0 * (self.dim() - self.flips) as f64
    }

    /// The parameter of FAVOR++ that is best for pattern and input.
    pub fn best_a_hat(&self) -> Result<f64, Failure> {
        Ok(best_a_hat_for_pair(self.dim(), self.norm2())?)
    }

    /// Exact moments of a flip that leads away from the pattern; 0 is FAVOR+.
    pub fn moments(&self, a_hat: f64) -> Result<FlipVariance, Failure> {
        let input = edge_input(&self.code, self.flips)?;
        Ok(FlipVariance::new(&self.code, &input, self.dim() - 1, a_hat)?)
    }
}

/// The codes whose exact variances are compared.
pub fn edges() -> Result<Vec<Edge>, Failure> {
    let codes = [
        ("RM(1,2)", Patterns::reed_muller(1, 2)?, 0),
        ("RM(1,3)", Patterns::reed_muller(1, 3)?, 1),
        ("BCH(15,7)", Patterns::cyclic(15, 0x1D1)?, 1),
        ("RM(1,4)", Patterns::reed_muller(1, 4)?, 2),
        ("RM(1,5)", Patterns::reed_muller(1, 5)?, 5),
        ("RM(1,6)", Patterns::reed_muller(1, 6)?, 10),
    ];
    Ok(codes.into_iter().map(|(name, code, flips)| Edge { name, code, flips }).collect())
}

/// What has to be kept for one code, as natural logarithms.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// Dimension N.
    pub n: f64,
    /// Numbers in the patterns themselves, M N.
    pub patterns: f64,
    /// Energies of all inputs, 2^N.
    pub inputs: f64,
    /// Features by Chebyshev: FAVOR+, hyperbolic, FAVOR++ with the best parameter.
    pub chebyshev: [f64; 3],
    /// Features by Hoeffding, FAVOR++ only.
    pub hoeffding: f64,
    /// Features by relative entropy, FAVOR++.
    pub entropy: f64,
}

impl Need {
    /// For one code.
    pub fn of(edge: &Edge) -> Result<Need, Failure> {
        let n = edge.dim() as f64;
        let (plus, tuned) = (edge.moments(0.0)?, edge.moments(edge.best_a_hat()?)?);
        // The parameter at which the relative entropy is least.
        let kind = MapKind::FavorPlusPlus { a_hat: 1.0 - edge.flips as f64 / n };
        Ok(Need {
            n,
            patterns: (n * edge.code.len() as f64).ln(),
            inputs: n * 2f64.ln(),
            chebyshev: [
                plus.log_features_by_chebyshev(false, WRONG)?,
                plus.log_features_by_chebyshev(true, WRONG)?,
                tuned.log_features_by_chebyshev(false, WRONG)?,
            ],
            hoeffding: tuned.log_features_by_hoeffding(WRONG)?,
            entropy: log_draws_for_mean(kind, edge.dim(), edge.norm2())?,
        })
    }
}

/// The table of numbers to keep.
pub fn need_table(needs: &[Need]) -> Result<Table, Failure> {
    let log10 = |value: fn(&Need) -> f64| needs.iter().map(|need| value(need) / LN_10).collect::<Vec<f64>>();
    let frame = frame(&[
        ("N", &needs.iter().map(|need| need.n).collect::<Vec<f64>>()),
        ("patterns", &log10(|need| need.patterns)),
        ("inputs", &log10(|need| need.inputs)),
        ("FAVOR+", &log10(|need| need.chebyshev[0])),
        ("hyperbolic", &log10(|need| need.chebyshev[1])),
        ("FAVOR++", &log10(|need| need.chebyshev[2])),
        ("FAVOR++, Hoeffding", &log10(|need| need.hoeffding)),
        ("FAVOR++, entropy", &log10(|need| need.entropy)),
    ])?;
    Ok(Table::new(frame).title("log₁₀ of the numbers to keep").digits(3).caption(
        "patterns: the M N signs themselves. inputs: a table of the energies of all of them. Then features for a right sign with 95 % at the \
         edge of the ball, by Chebyshev, by Hoeffding, and by relative entropy.",
    ))
}

/// The maps whose signs are counted, with the colour of each.
const MAPS: [(&str, usize); 3] = [("FAVOR+", 0), ("hyperbolic", 1), ("FAVOR++, best Â", 2)];

/// Counts of right signs for one code.
#[derive(Clone, Debug)]
pub struct Signs {
    edge: Edge,
    /// For the maps in the order of [`MAPS`].
    runs: Vec<SignRuns>,
}

/// Draws of the projections for four codes, for each number of features whether all N flips have the right sign.
pub fn sign_counts(setting: &Setting) -> Result<Vec<Signs>, Failure> {
    let runs = setting.scale().pick(40, 200);
    let sizes: Vec<usize> = (1..=setting.scale().pick(13, 15)).map(|j| 1usize << j).collect();
    let mut counts = Vec::new();
    for (name, code, flips) in [
        ("RM(1,2)", Patterns::reed_muller(1, 2)?, 0),
        ("RM(1,3)", Patterns::reed_muller(1, 3)?, 1),
        ("repetition", Patterns::cyclic(11, 0x7FF)?, 2),
        ("RM(1,4)", Patterns::reed_muller(1, 4)?, 2),
    ] {
        let edge = Edge { name, code, flips };
        let input = edge_input(&edge.code, flips)?;
        let best = MapKind::FavorPlusPlus { a_hat: edge.best_a_hat()? };
        let mut runs_of = Vec::new();
        for kind in [MapKind::FavorPlus, MapKind::Hyperbolic, best] {
            let trials = SignTrials { pattern: 0, kind, features: sizes.clone(), runs };
            let name = format!("signs {name} {}", kind.name());
            runs_of.push(sign_runs(&edge.code, &input, &trials, setting.streams(), &name)?);
        }
        counts.push(Signs { edge, runs: runs_of });
    }
    Ok(counts)
}

/// Share of draws in which every sign is right.
pub fn sign_figure(counts: &[Signs]) -> Result<Figure, Failure> {
    let mut figure = Figure::new("FAVOR++ has the signs right with fewer features");
    for Signs { edge, runs } in counts.iter().filter(|counts| counts.edge.name != "repetition") {
        let title = format!("{}: N = {}, M = {}, {} flips away", edge.name, edge.dim(), edge.code.len(), edge.flips);
        let mut panel =
            Panel::new(&title).x_label("features r").y_label("all N signs right").log_x().y_limits(0.0, 1.0);
        for ((label, colour), runs) in MAPS.into_iter().zip(runs) {
            let (r, rates) = (runs.features(), runs.all_right()?);
            let value = |f: fn(&Estimate) -> f64| rates.iter().map(f).collect::<Vec<f64>>();
            panel = panel.band("", &r, &value(|e| e.low), &value(|e| e.high)).colour(colour);
            panel = panel.line(label, &r, &value(|e| e.value)).colour(colour);
        }
        figure = figure.panel(panel.vline("2^{N}", 2f64.powi(edge.dim() as i32)).legend_below());
    }
    Ok(figure.columns(3).size(1150, 480).caption(
        "Share of draws of the projections for which every flip of the input has the right sign; 99.9 % bands. The vertical line marks as \
         many features as there are inputs at all.",
    ))
}

/// Guarantees, counts, the patterns and a table of all inputs over N.
pub fn need_figure(needs: &[Need], counts: &[Signs]) -> Figure {
    let needs = &needs[..needs.len() - 1];
    let n: Vec<f64> = needs.iter().map(|need| need.n).collect();
    let of = |value: fn(&Need) -> f64| needs.iter().map(|need| value(need).exp()).collect::<Vec<f64>>();
    let title = "numbers for a right sign";
    let mut panel = Panel::new(title).x_label("N").y_label("numbers to keep").log_y().y_limits(1.0, 1e40);
    type Guarantee = fn(&Need) -> f64;
    let guarantees: [(&str, usize, Guarantee); 3] = [
        ("FAVOR+, Chebyshev", 0, |need| need.chebyshev[0]),
        ("FAVOR++ best Â, Chebyshev", 2, |need| need.chebyshev[2]),
        ("FAVOR++, relative entropy", 4, |need| need.entropy),
    ];
    for (label, colour, value) in guarantees {
        panel = panel.theory(label, &n, &of(value)).colour(colour);
    }
    panel = panel.line("all inputs, 2^{N}", &n, &of(|need| need.inputs)).colour(5);
    panel = panel.line("the patterns, M N", &n, &of(|need| need.patterns)).colour(6);
    for (map, name) in [(0, "FAVOR+"), (2, "FAVOR++")] {
        let crossing = |counts: &Signs| {
            let at = counts.runs[map].log_features_at(0.5).ok()?;
            Some((counts.edge.dim() as f64, at.value.exp()))
        };
        let (x, y): (Vec<f64>, Vec<f64>) = counts.iter().filter_map(crossing).unzip();
        if !x.is_empty() {
            panel = panel.points(&format!("{name}, all signs right in half of the draws"), &x, &y).colour(map);
        }
    }
    Figure::new("Every guarantee asks for more than the patterns themselves").panel(panel.legend_below()).caption(
        "Codes RM(1, m), BCH(15, 7) and, at N = 11, two words that differ everywhere; inputs at the edge of \
             the ball. Dots are counted, lines computed.",
    )
}
