//! A.1.1, before Eq. 11: the best rho depends on the inputs.
//!
//! **Claim** (`mnemosyne/rho-depends-on-inputs`). The best rho depends on the kernel's inputs; the one that minimises the variance of the
//! whole estimated kernel matrix has no tractable formula; choosing it by a certain derivative of the objective works well in several
//! applications.
//!
//! Entry variances are exact, so the objective can be minimised by search (a formula is intractable, a one-dimensional search is not); that
//! there is no formula is not tested. What stands in for it is Eq. 11; its regret is the total variance over the least possible one. "Works
//! well in several applications" is reported from another paper, whose applications are not named here, and says that there are such inputs,
//! not that all are: it is asked of Gaussian and of clustered vectors together, with a median regret below that of the best fixed rho. How
//! near to the optimum that is, and that long Gaussian vectors and lengths with a heavy tail are no such inputs, is shown beside it. Which
//! derivative is meant the document does not say; that Eq. 11 is the minimiser of the mean over pairs of the *logarithm* of the second moment
//! is ours, and a footing. Refuted by a best rho that stays where it is, or a fixed rho that does as well on these two kinds. (That Eq. 11
//! needs A-hat = (1/rho - 1) / 8 is charged in its row; here the printed reading is a wrong twin.)

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_features::moments::{log_relative_term_moment, log_relative_variance};
use workbench_features::{
    Ensemble, MapKind, PairNorms, a_hat, best_a_hat, best_a_hat_for_pair, log_total_variance_of, printed_a_hat,
    rho_star,
};
use workbench_ground::stats::{Stream, normal_array2, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};

use super::term_constants::middle;
use crate::vocabulary::{EVEN, largest_of, least_of};

const WELL: Margin = Margin::ours("well", 1.2, "a fifth more variance costs a fifth more features");
const MOVES: Margin = Margin::rounding(
    "a best ρ that moves",
    1.0 + 1e-5,
    "a best ρ that stays where it is has a quotient of one, to the millionth or so that a search leaves",
);
const SLOPE: Margin = Margin::rounding(
    "slope",
    1e-6,
    "a difference over steps of 1e-4 leaves their square and rounding over the step, together some 1e-8",
);

/// Dimension N and vectors on each side.
const DIM: usize = 16;
const VECTORS: usize = 24;
const KINDS: [&str; 3] = ["Gaussian", "heavy-tailed", "clustered"];
const GAUSSIAN: usize = 0;
const HEAVY_TAILED: usize = 1;
const CLUSTERED: usize = 2;
const LENGTHS: [f64; 5] = [0.25, 0.5, 1.0, 1.5, 2.0];

/// Sets of queries and keys of three kinds and five lengths.
pub const CHECK: Check = Check {
    claim: "mnemosyne/rho-depends-on-inputs",
    metric: "best ρ by search; regret, the total variance of the kernel matrix over the least possible, median over the sets of a kind",
    against: "a best ρ that is no smaller for long inputs than for short ones; a fixed ρ whose regret on Gaussian and clustered inputs is no larger than that of Eq. 11",
    choices: &[
        "24 queries and keys in 16 dimensions, three kinds and five lengths from 0.25 to 2; the document names no applications",
    ],
    departures: &[
        "ρ is read with Â = (1/ρ-1)/8, under which Eq. 11 is an optimum; that misprint is charged in its row",
        "that no tractable formula exists is not tested",
        "the applications are those of the document's reference [39], and are not run: random vectors stand for them",
    ],
    rivals: &["ρ fixed for all inputs, the best of 0.05, 0.1, ..., 0.95 in the regret that scores it"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let each = s.knob("sets of each kind and length", s.scale().pick(4, 20), 1..)?;
    let sets = inputs(s, each)?;
    let best: Vec<f64> = sets.iter().map(|set| 1.0 / (1.0 + 8.0 * set.best)).collect();
    s.see("mnemosyne/eq-11");
    depends(s, &sets, &best)?;
    let moves = s.aside(EVEN).over(sets.len(), "sets");
    moves.at_least("largest best ρ over the least", largest_of(&best) / least_of(&best));

    let eq_11 = Choice::new("Eq. 11, Â = (1/ρ-1)/8", &sets, &|set| Ok(a_hat(set.star)?))?;
    let printed = Choice::new("Eq. 11, Â = 1/ρ-1", &sets, &|set| Ok(printed_a_hat(set.star)?))?;
    let mut fixed = Vec::new();
    for rho in (1..20).map(|i| 0.05 * f64::from(i)) {
        fixed.push(Choice::new(&format!("ρ = {rho:.2}"), &sets, &|_| Ok(a_hat(rho)?))?);
    }
    // The largest median over some lengths of a kind.
    let regret = |says: Says, label: &str, choice: &Choice, kind: usize, lengths: std::ops::Range<usize>| {
        let says = says.over(each * lengths.len(), "sets");
        let medians = lengths.map(|length| choice.median(|set| set.kind == kind && set.length == length));
        says.at_most(label, largest_of(medians));
    };
    let comparable = |choice: &Choice| largest_of([choice.of_kind(GAUSSIAN), choice.of_kind(CLUSTERED)]);
    let best_fixed = least_of(fixed.iter().map(comparable));
    let label = "Eq. 11, Gaussian or clustered inputs: median regret over that of the best fixed ρ";
    let n = 2 * each * LENGTHS.len();
    s.printed(EVEN).over(n, "sets").at_most(label, comparable(&eq_11) / best_fixed);
    let label = "the printed Â, Gaussian or clustered inputs: median regret over the best fixed one";
    s.twin(EVEN).over(n, "sets").at_most(label, comparable(&printed) / best_fixed);
    for set in s.each("sets", sets.iter().step_by((sets.len() / 15).max(1))) {
        s.support(SLOPE).same("slope of the mean log second moment at Eq. 11, relative", set.slope()?.abs());
    }

    let well = s.aside(WELL);
    regret(well, "Eq. 11, clustered inputs up to length 1.5: median regret", &eq_11, CLUSTERED, 0..4);
    regret(well, "Eq. 11, Gaussian inputs up to length one: median regret", &eq_11, GAUSSIAN, 0..3);
    regret(well, "Eq. 11, Gaussian inputs of length two: median regret", &eq_11, GAUSSIAN, 4..5);
    let label = "Eq. 11, heavy-tailed inputs of typical length one: median regret";
    regret(well, label, &eq_11, HEAVY_TAILED, 2..3);
    let label = "Eq. 11 with Â = 1/ρ-1, clustered inputs up to length 1.5: median regret";
    regret(well, label, &printed, CLUSTERED, 0..4);

    // Of the fixed values every fourth is shown.
    s.table(table([&eq_11, &printed].into_iter().chain(fixed.iter().skip(1).step_by(4)))?);
    s.figure(plane_figure()?);
    Ok(())
}

/// Short inputs against long ones of one kind, every set against every other.
fn depends(s: &Sheet, sets: &[Inputs], best: &[f64]) -> Done {
    let of = |kind: usize, length: usize| -> Vec<f64> {
        let sets = sets.iter().zip(best);
        sets.filter(|(set, _)| set.kind == kind && set.length == length).map(|(_, rho)| *rho).collect()
    };
    let apart = |short: &[f64], long: &[f64]| least_of(short) / largest_of(long);
    let last = LENGTHS.len() - 1;
    for kind in s.each("kinds", 0..KINDS.len()) {
        let label = "least best ρ at length 0.25 over the largest at length 2, least over kinds";
        s.printed(MOVES).at_least(label, apart(&of(kind, 0), &of(kind, last)));
    }
    // What inputs of one length make.
    let (mut some, mut others) = (Vec::new(), Vec::new());
    for kind in 0..KINDS.len() {
        let all = of(kind, last / 2);
        let (first, second) = all.split_at(all.len() / 2);
        some.extend_from_slice(first);
        others.extend_from_slice(second);
    }
    let label = "half of the sets of length one in place of short ones, the other half for long ones: the same";
    s.twin(MOVES).over(some.len() + others.len(), "sets").at_least(label, apart(&some, &others));
    Ok(())
}

/// Queries and keys with what is known of their optimum.
struct Inputs {
    kind: usize,
    /// Place in [`LENGTHS`].
    length: usize,
    pairs: PairNorms,
    /// The best parameter of FAVOR++ by search, and ln of the total variance there.
    best: f64,
    floor: f64,
    /// That of Eq. 11, as ρ.
    star: f64,
}

impl Inputs {
    /// Relative slope of the mean log second moment over the pairs at Eq. 11.
    fn slope(&self) -> Result<f64, Failure> {
        let mean_log = |rho: f64| -> Result<f64, Failure> {
            let kind = MapKind::FavorPlusPlus { a_hat: a_hat(rho)? };
            let mut sum = 0.0;
            for v in &self.pairs.v {
                sum += log_relative_term_moment(kind, 2, DIM, *v)?;
            }
            Ok(sum / self.pairs.v.len() as f64)
        };
        Ok((mean_log(self.star * 1.0001)? - mean_log(self.star / 1.0001)?) / (2e-4 * mean_log(self.star)?))
    }
}

/// So many sets of each kind and length.
fn inputs(s: &Sheet, sets: usize) -> Result<Vec<Inputs>, Failure> {
    let (mut stream, mut list) = (s.stream("inputs")?, Vec::new());
    for kind in 0..KINDS.len() {
        for (length, typical) in LENGTHS.into_iter().enumerate() {
            for _ in 0..sets {
                let [q, k] = vectors(kind, typical, &mut stream);
                let pairs = PairNorms::of(&q, &k)?;
                let best = best_a_hat(&pairs)?;
                let floor = log_total_variance_of(best, &pairs)?;
                list.push(Inputs { kind, length, best, floor, star: rho_star(pairs.gamma(), DIM)?, pairs });
            }
        }
    }
    Ok(list)
}

/// 24 vectors on each side; `length` is their typical length.
fn vectors(kind: usize, length: f64, stream: &mut Stream) -> [Array2<f64>; 2] {
    let centre = unit_sphere(stream, 1, DIM);
    [0, 1].map(|_| {
        let mut x = normal_array2(stream, VECTORS, DIM) / (DIM as f64).sqrt();
        for mut row in x.rows_mut() {
            if kind == HEAVY_TAILED {
                row *= (0.5 * stream.normal()).exp();
            }
            if kind == CLUSTERED {
                let near = &row * 0.5 + &centre.row(0) * 0.8;
                row.assign(&near);
            }
        }
        x * length
    })
}

type Choose<'c> = &'c dyn Fn(&Inputs) -> Result<f64, Failure>;

/// One way to choose the parameter, and its regret on every set: the total variance over the least possible.
struct Choice<'a> {
    name: String,
    regrets: Vec<(&'a Inputs, f64)>,
}

impl<'a> Choice<'a> {
    fn new(name: &str, sets: &'a [Inputs], choose: Choose) -> Result<Choice<'a>, Failure> {
        let regret = |set| Ok((set, (log_total_variance_of(choose(set)?, &set.pairs)? - set.floor).exp()));
        let regrets = sets.iter().map(regret).collect::<Result<_, Failure>>()?;
        Ok(Choice { name: name.to_string(), regrets })
    }

    fn median(&self, of: impl Fn(&Inputs) -> bool) -> f64 {
        middle(&self.regrets.iter().filter(|(set, _)| of(set)).map(|(_, regret)| *regret).collect::<Vec<f64>>())
    }

    fn of_kind(&self, kind: usize) -> f64 {
        self.median(|set| set.kind == kind)
    }
}

fn table<'a>(shown: impl Iterator<Item = &'a Choice<'a>>) -> Result<Table, Failure> {
    let shown: Vec<&Choice> = shown.collect();
    let column = |of: &dyn Fn(&Choice) -> f64| shown.iter().map(|choice| of(choice)).collect::<Vec<f64>>().into();
    let names: Vec<String> = shown.iter().map(|choice| choice.name.clone()).collect();
    let mut list = vec![("parameter", names.into())];
    for (kind, name) in KINDS.into_iter().enumerate() {
        list.push((name, column(&|choice| choice.of_kind(kind))));
    }
    list.push(("all", column(&|choice| choice.median(|_| true))));
    list.push(("worst", column(&|choice| largest_of(choice.regrets.iter().map(|(_, regret)| regret)))));
    Ok(Table::new(columns(list)?)
        .title("Regret: total variance over the least possible")
        .caption("Medians over input sets of all lengths, then the worst set; 1 is best. Fixed ρ with Â = (1/ρ-1)/8.")
        .digits(4))
}

/// $\log_{10}$ of the variance over the squared kernel, over angle and length, N = 16, r = 2.
fn plane(map: impl Fn(f64) -> Result<MapKind, Failure>, norms: &[f64], angles: &[f64]) -> Result<Array2<f64>, Failure> {
    let mut values = Array2::zeros((angles.len(), norms.len()));
    for ((i, j), value) in values.indexed_iter_mut() {
        let v = 2.0 * norms[j] * norms[j] * (1.0 + angles[i].to_radians().cos());
        let log = log_relative_variance(map(v)?, Ensemble::Independent, 2, DIM, v)?;
        *value = log / std::f64::consts::LN_10;
    }
    Ok(values)
}

fn plane_figure() -> Result<Figure, Failure> {
    let norms: Vec<f64> = (1..=40).map(|i| 0.1 * f64::from(i)).collect();
    let angles: Vec<f64> = (0..=35).map(|i| 5.0 * f64::from(i)).collect();
    let blank = |title: &str| Panel::new(title).x_label("‖x‖ = ‖y‖").y_label("angle (degrees)");
    let tuned = |v| -> Result<MapKind, Failure> { Ok(MapKind::FavorPlusPlus { a_hat: best_a_hat_for_pair(DIM, v)? }) };
    let planes = [
        ("FAVOR+", plane(|_| Ok(MapKind::FavorPlus), &norms, &angles)?),
        ("hyperbolic", plane(|_| Ok(MapKind::Hyperbolic), &norms, &angles)?),
        ("FAVOR++, best for each pair", plane(tuned, &norms, &angles)?),
    ];
    let mut figure = Figure::new("Which map has the least variance depends on the pair").columns(2);
    for (title, values) in &planes {
        let panel = blank(title).heatmap(values, &norms, &angles, "log₁₀ variance / K², r = 2");
        figure = figure.panel(panel.colour_limits(-6.0, 12.0));
    }
    let ratio = &planes[2].1 - &planes[1].1;
    let panel = blank("FAVOR++ over hyperbolic").heatmap(&ratio, &norms, &angles, "log₁₀ ratio of variances");
    Ok(figure.panel(panel.signed_colour().colour_limits(-4.0, 4.0)).caption(
        "Exact, N = 16. Last panel: vermilion where hyperbolic features are better, short or opposite vectors; blue where FAVOR++ is, long \
         aligned ones.",
    ))
}
