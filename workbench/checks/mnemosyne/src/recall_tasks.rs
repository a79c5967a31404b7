//! Appendix A.1, first sentence: maps and recall tasks, their errors, and what variance does to attention.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_features::{
    Direction, Ensemble, FeatureMap, MapKind, RecallErrors, RecallMap, RecallTask, a_hat, attention_error_constants,
    estimated_attention, gamma, kendall, mean_squared_distance, rho_star, unscaled_attention,
};
use workbench_ground::stats::{Estimate, mean, normal_array2};
use workbench_ledger::{Failure, Setting};

use super::term_constants::middle;

/// Maps of the document: FAVOR+, hyperbolic, FAVOR++ at several parameters, and its hyperbolic variant.
const OF_DOCUMENT: [MapKind; 7] = [
    MapKind::FavorPlus,
    MapKind::Hyperbolic,
    MapKind::FavorPlusPlus { a_hat: 0.02 },
    MapKind::FavorPlusPlus { a_hat: 0.1 },
    MapKind::FavorPlusPlus { a_hat: 0.5 },
    MapKind::FavorPlusPlus { a_hat: 3.0 },
    MapKind::HyperbolicPlusPlus { a_hat: 0.1 },
];

/// How many maps are the document's; they come first.
pub const DOCUMENT: usize = OF_DOCUMENT.len();
/// How many there are in all.
pub const MAPS: usize = DOCUMENT + 3;
/// Position of the trigonometric map.
pub const TRIGONOMETRIC: usize = DOCUMENT;

/// Lengths of keys: standard deviation of their entries.
pub const LENGTHS: [f64; 3] = [0.25, 0.5, 0.75];
/// Features of every map.
const FEATURES: usize = 64;

/// The maps: those of the document, then three others.
pub fn maps() -> Vec<RecallMap> {
    let others = [RecallMap::Trigonometric, RecallMap::Relu, RecallMap::BareExponential];
    OF_DOCUMENT.map(RecallMap::Positive).into_iter().chain(others).collect()
}

/// Errors of every map on every draw of every task.
pub struct Recall {
    /// `[task][draw][map]`.
    runs: Vec<Vec<Vec<RecallErrors>>>,
}

/// One of the three errors.
pub type Pick = fn(&RecallErrors) -> f64;
/// Of a row of the kernel, of the answer from the softmax memory and from the stored value.
pub const KERNEL: Pick = |errors| errors.kernel;
/// Distance to softmax attention.
pub const TO_SOFTMAX: Pick = |errors| errors.to_softmax;
/// Distance to the stored value.
pub const TO_VALUE: Pick = |errors| errors.to_value;

/// Runs the maps on the tasks.
pub fn recall(setting: &Setting, draws: usize) -> Result<Recall, Failure> {
    let (maps, mut runs) = (maps(), Vec::new());
    for (i, key_scale) in LENGTHS.into_iter().enumerate() {
        let task =
            RecallTask { dim: 8, pairs: 32, value_dim: 4, key_scale, length_spread: 0.2, noise: 0.2, discount: 0.97 };
        let mut stream = setting.streams().replicate("recall", i)?;
        let run = (0..draws).map(|_| task.run(&maps, FEATURES, &mut stream));
        runs.push(run.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(Recall { runs })
}

impl Recall {
    /// Median error of the first `maps` maps on a task, over the chosen draws.
    pub fn medians(&self, task: usize, maps: usize, chosen: &[usize], pick: Pick) -> Vec<f64> {
        let run = &self.runs[task];
        let of = |map: usize| middle(&chosen.iter().map(|i| pick(&run[*i][map])).collect::<Vec<f64>>());
        (0..maps).map(of).collect()
    }

    /// The same over all draws.
    pub fn of_all(&self, task: usize, maps: usize, pick: Pick) -> Vec<f64> {
        let everything: Vec<usize> = (0..self.runs[task].len()).collect();
        self.medians(task, maps, &everything, pick)
    }

    /// Kendall's rank correlation of kernel error and another error over the first `maps` maps, mean of the tasks from `first` on; zero
    /// where ties leave no order.
    pub fn correlation(&self, first: usize, maps: usize, chosen: &[usize], pick: Pick) -> f64 {
        let tau = |task| {
            let kernel = self.medians(task, maps, chosen, KERNEL);
            kendall(&kernel, &self.medians(task, maps, chosen, pick)).unwrap_or(0.0)
        };
        let tasks = first..self.runs.len();
        let count = tasks.len() as f64;
        tasks.map(tau).sum::<f64>() / count
    }

    /// The table of median errors.
    pub fn table(&self) -> Result<Table, Failure> {
        let names: Vec<String> = maps().into_iter().map(RecallMap::name).collect();
        let mut list = vec![("map", names.into())];
        let kernel = ["kernel, s = 0.25", "kernel, s = 0.5", "kernel, s = 0.75"];
        let memory = ["memory, s = 0.25", "memory, s = 0.5", "memory, s = 0.75"];
        for (pick, names) in [(KERNEL, kernel), (TO_SOFTMAX, memory)] {
            list.extend((0..3).map(|task| (names[task], self.of_all(task, MAPS, pick).into())));
        }
        Ok(Table::new(columns(list)?)
            .title("Errors of ten maps")
            .digits(3)
            .caption(
                "Kernel: expected squared error of a row of the kernel at its best scale, between 0 and 1. Memory: squared distance of the \
                 answer from that of the softmax memory. Medians over draws; s is the size of a key's entries.",
            ))
    }

    /// Memory error over kernel error.
    pub fn figure(&self) -> Figure {
        // Spreads out errors near one.
        let odds = |errors: Vec<f64>| errors.iter().map(|e| e / (1.0 - e)).collect::<Vec<f64>>();
        let kernel = [0, 1, 2].map(|task| odds(self.of_all(task, MAPS, KERNEL)));
        let memory = [0, 1, 2].map(|task| self.of_all(task, MAPS, TO_SOFTMAX));
        let (x, y) = ("kernel error e, as e / (1 − e)", "distance from the softmax memory");
        let mut panel = Panel::new("r = 64, three lengths of keys").x_label(x).y_label(y).log_x().log_y();
        for (task, length) in LENGTHS.into_iter().enumerate() {
            let name = format!("maps of the document, s = {length}");
            panel = panel.points(&name, &kernel[task][..DOCUMENT], &memory[task][..DOCUMENT]);
        }
        for (i, name) in ["trigonometric", "ReLU", "bare exponential"].into_iter().enumerate() {
            let of = |errors: &[Vec<f64>; 3]| [0, 1, 2].map(|task| errors[task][DOCUMENT + i]);
            panel = panel.points(name, &of(&kernel), &of(&memory));
        }
        Figure::new("Maps of the document that estimate the kernel better are better memories")
            .panel(panel.legend_below())
            .caption(
                "Medians over draws; s is the size of a key's entries. Trigonometric features change sign: where keys are long their \
                 normaliser comes near zero, and the memory is lost.",
            )
    }
}

/// Measured error of linear attention beside its first-order prediction from the cross moments of the map.
pub fn attention_figure(setting: &Setting) -> Result<Figure, Failure> {
    let mut stream = setting.stream("attention")?;
    let (q, k) = (normal_array2(&mut stream, 24, 8) * 0.2, normal_array2(&mut stream, 48, 8) * 0.2);
    let values = normal_array2(&mut stream, 48, 4);
    let exact = unscaled_attention(&q, &k, &values, Direction::Bidirectional)?;
    let a_hat = a_hat(rho_star(gamma(&q, &k)?, 8)?)?;
    let kinds = [
        ("FAVOR+", MapKind::FavorPlus),
        ("hyperbolic", MapKind::Hyperbolic),
        ("FAVOR++ at ρ*", MapKind::FavorPlusPlus { a_hat }),
    ];
    let features = [8usize, 16, 32, 64, 128, 256, 512];
    let r = features.map(|r| r as f64);
    let (x, y) = ("features r", "mean squared error of the output");
    let mut panel = Panel::new("24 queries, 48 keys, N = 8").x_label(x).y_label(y).log_x().log_y();
    for (colour, (name, kind)) in kinds.into_iter().enumerate() {
        let constants = attention_error_constants(kind, &q, &k, &values)?;
        let constant = constants.sum() / constants.len() as f64;
        let (mut predicted, mut seen) = (Vec::new(), Vec::new());
        for r in features {
            predicted.push(constant / kind.projections(r)? as f64);
            let mut errors = Vec::new();
            for _ in 0..setting.scale().pick(20, 200) {
                let map = FeatureMap::draw(kind, Ensemble::Independent, r, 8, &mut stream)?;
                let out = estimated_attention(&map, &q, &k, &values, Direction::Bidirectional)?;
                errors.push(mean_squared_distance(&out, &exact)?);
            }
            let error = mean(&errors)?;
            seen.push(Estimate { low: error.low.max(0.3 * error.value), ..error });
        }
        panel = panel.estimates(name, &r, &seen).colour(colour);
        panel = panel.theory(&format!("{name}, predicted"), &r, &predicted).colour(colour);
    }
    Ok(Figure::new("The error of linear attention follows from the variance of the map")
        .panel(panel.legend_below())
        .caption(
            "Dots: measured with 99.9 % intervals. Dashed: the first-order prediction, no free constant, slope −1. For few features the \
             quotient is no longer near its linearisation. Vectors are short here; for long ones a measured mean would lie.",
        ))
}
