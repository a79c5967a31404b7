//! Appendix A.2: how many features it takes until signs are right, by guarantees and by count.

use std::sync::Arc;

use workbench_display::{Figure, Panel, Table, frame};
use workbench_features::compact::{FlipVariance, Patterns, SignRuns, SignTrials, log_draws_for_mean, sign_runs};
use workbench_features::{MapKind, best_a_hat_for_pair};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Failure, Setting};

use super::section_a_2::edge_input;

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
    fn new(name: &'static str, code: Patterns, flips: usize) -> Edge {
        Edge { name, code, flips }
    }

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
    Ok(vec![
        Edge::new("RM(1,2)", Patterns::reed_muller(1, 2)?, 0),
        Edge::new("RM(1,3)", Patterns::reed_muller(1, 3)?, 1),
        Edge::new("BCH(15,7)", Patterns::cyclic(15, 0x1D1)?, 1),
        Edge::new("RM(1,4)", Patterns::reed_muller(1, 4)?, 2),
        Edge::new("RM(1,5)", Patterns::reed_muller(1, 5)?, 5),
        Edge::new("RM(1,6)", Patterns::reed_muller(1, 6)?, 10),
    ])
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
    let log10 = |value: fn(&Need) -> f64| {
        let logs = needs.iter().map(|need| value(need) / std::f64::consts::LN_10);
        logs.collect::<Vec<f64>>()
    };
    let n: Vec<f64> = needs.iter().map(|need| need.n).collect();
    let frame = frame(&[
        ("N", &n),
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

/// Draws of the projections for four codes, for each number of features whether all N flips have the right sign; computed once.
pub fn sign_counts(setting: &Setting) -> Result<Arc<Vec<Signs>>, Failure> {
    setting.shared("right signs by features", |own| {
        let runs = own.scale().pick(40, 200);
        let top = own.scale().pick(13, 15);
        let sizes: Vec<usize> = (1..=top).map(|j| 1usize << j).collect();
        let edges = [
            Edge::new("RM(1,2)", Patterns::reed_muller(1, 2)?, 0),
            Edge::new("RM(1,3)", Patterns::reed_muller(1, 3)?, 1),
            Edge::new("repetition", Patterns::cyclic(11, 0x7FF)?, 2),
            Edge::new("RM(1,4)", Patterns::reed_muller(1, 4)?, 2),
        ];
        let mut counts = Vec::new();
        for edge in edges {
            let input = edge_input(&edge.code, edge.flips)?;
            let best = MapKind::FavorPlusPlus { a_hat: edge.best_a_hat()? };
            let mut maps = Vec::new();
            for kind in [MapKind::FavorPlus, MapKind::Hyperbolic, best] {
                let name = format!("signs {} {}", edge.name, kind.name());
                let trials = SignTrials { pattern: 0, kind, features: sizes.clone(), runs };
                maps.push(sign_runs(&edge.code, &input, &trials, own.streams(), &name)?);
            }
            counts.push(Signs { edge, runs: maps });
        }
        Ok(counts)
    })
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
            panel = panel
                .band("", &r, &value(|e| e.low), &value(|e| e.high))
                .colour(colour)
                .line(label, &r, &value(|e| e.value))
                .colour(colour);
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
    let mut panel = Panel::new("numbers for a right sign")
        .x_label("N")
        .y_label("numbers to keep")
        .log_y()
        .y_limits(1.0, 1e40)
        .theory("FAVOR+, Chebyshev", &n, &of(|need| need.chebyshev[0]))
        .colour(0)
        .theory("FAVOR++ best Â, Chebyshev", &n, &of(|need| need.chebyshev[2]))
        .colour(2)
        .theory("FAVOR++, relative entropy", &n, &of(|need| need.entropy))
        .colour(4)
        .line("all inputs, 2^{N}", &n, &of(|need| need.inputs))
        .colour(5)
        .line("the patterns, M N", &n, &of(|need| need.patterns))
        .colour(6);
    for (map, label) in
        [(0, "FAVOR+, all signs right in half of the draws"), (2, "FAVOR++, all signs right in half of the draws")]
    {
        let crossing = |counts: &Signs| {
            let at = counts.runs[map].log_features_at(0.5).ok()?;
            Some((counts.edge.dim() as f64, at.value.exp()))
        };
        let (x, y): (Vec<f64>, Vec<f64>) = counts.iter().filter_map(crossing).unzip();
        if !x.is_empty() {
            panel = panel.points(label, &x, &y).colour(map);
        }
    }
    Figure::new("Every guarantee asks for more than the patterns themselves")
        .panel(panel.legend_below())
        .caption("Codes RM(1, m) and BCH(15, 7), inputs at the edge of the ball. Dots are counted, lines computed.")
}
