//! Figure 2: three memories in one matrix, and one overwrites another.
//!
//! **Claim** (`heavy-tailed/fig-2`). In W = sum_x u_x e_x^T three inputs with three classes can interact so that
//! u_2^T W e_1 = e_2^T e_1 + u_2^T u_3 e_3^T e_1 >= 1 + u_1^T u_3 e_3^T e_1 = u_1^T W e_1, and f_W(1) = 2.
//!
//! "Can" asks for one configuration. Vectors with rational entries are searched, where a score is an integer over 5^4 and no rounding
//! decides; ties are not counted as wins. The equal signs of the display need u_1 at a right angle to u_2 and |u_1| = |u_2| = |e_1| = 1.
//! A search without a win would count against it, and so would a win among *orthonormal* inputs, where nothing interferes.

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{self, Estimate, Stream, normal_array2, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{AssociativeMemory, Embeddings, exact_scores};

use super::section_2_model::none;
use crate::vocabulary::{Largest, ROUNDING, largest_of};

const ONE: Margin =
    Margin::new("one is enough", 1.0, "the caption says that it may happen, so one configuration decides");

/// Three inputs, three classes.
#[derive(Clone, Debug)]
pub struct Overwriting {
    /// Random configurations in four dimensions on which the display is tried.
    pub configurations: usize,
}

impl Default for Overwriting {
    fn default() -> Overwriting {
        Overwriting { configurations: 200 }
    }
}

type Vectors = [Vec<i64>; 3];

/// What the search in the plane found; scores in units of 1/625.
#[derive(Default)]
struct Search {
    tried: usize,
    wins: usize,
    /// Wins of the first two memories alone.
    wins_of_two: usize,
    margin: i128,
    outputs: Vectors,
    inputs: Vectors,
}

/// The twelve vectors of length 5 in the plane with whole entries.
fn plane() -> Vec<Vec<i64>> {
    let signs = |[a, b]: [i64; 2]| [[a, b], [a, -b], [-a, b], [-a, -b]];
    let mut all: Vec<Vec<i64>> = [[3, 4], [4, 3]].into_iter().flat_map(signs).map(Vec::from).collect();
    all.extend([[5, 0], [-5, 0], [0, 5], [0, -5]].map(Vec::from));
    all
}

/// The vectors of length 3 in space with whole entries.
fn space() -> Vec<Vec<i64>> {
    (0..343).map(|k| vec![k % 7 - 3, k / 7 % 7 - 3, k / 49 - 3]).filter(|v| inner(v, v) == 9).collect()
}

fn inner(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// u_1, u_2 and e_1 fixed at a right angle and at length one; u_3, e_2 and e_3 anywhere.
fn search() -> Result<Search, Failure> {
    let (mut found, all) = (Search::default(), plane());
    for (u3, e2, e3) in triples(&all) {
        let outputs = [vec![5, 0], vec![0, 5], u3.clone()];
        let inputs = [vec![5, 0], e2.clone(), e3.clone()];
        let scores = exact_scores(&outputs, &inputs, &[0, 1, 2], 0)?;
        let two = exact_scores(&outputs[..2], &inputs[..2], &[0, 1], 0)?;
        found.tried += 1;
        found.wins += usize::from(scores[1] > scores[0]);
        found.wins_of_two += usize::from(two[1] > two[0]);
        if scores[1] - scores[0] > found.margin && e2 != &inputs[0] {
            found.margin = scores[1] - scores[0];
            (found.outputs, found.inputs) = (outputs, inputs);
        }
    }
    Ok(found)
}

fn triples(all: &[Vec<i64>]) -> impl Iterator<Item = (&Vec<i64>, &Vec<i64>, &Vec<i64>)> {
    let pairs = move |a| all.iter().flat_map(move |b| all.iter().map(move |c| (a, b, c)));
    all.iter().flat_map(pairs)
}

/// Configurations with orthonormal inputs, and those of them that do not answer 1.
fn orthonormal() -> Result<(usize, usize), Failure> {
    let all = space();
    let (mut tried, mut overwritten) = (0, 0);
    let right =
        |(a, b, c): &(&Vec<i64>, &Vec<i64>, &Vec<i64>)| inner(a, b) == 0 && inner(a, c) == 0 && inner(b, c) == 0;
    for (e1, e2, e3) in triples(&all).filter(right) {
        let inputs = [e1.clone(), e2.clone(), e3.clone()];
        // The second class is another class than the first.
        for u2 in &all[1..] {
            for u3 in &all {
                let outputs = [all[0].clone(), u2.clone(), u3.clone()];
                let scores = exact_scores(&outputs, &inputs, &[0, 1, 2], 0)?;
                tried += 1;
                overwritten += usize::from(scores[1] >= scores[0]);
            }
        }
    }
    Ok((tried, overwritten))
}

/// Largest difference of the displayed forms and the scores.
fn off_display(e: &Array2<f64>, u: &Array2<f64>) -> Result<f64, Failure> {
    let both = Embeddings::from_parts(e.clone(), u.clone())?;
    let scores = AssociativeMemory::store(&both, &[1.0; 3], &[0, 1, 2])?.scores(e)?;
    let (uu, ee) = (u.dot(&u.t()), e.dot(&e.t()));
    let second = ee[[1, 0]] + uu[[1, 2]] * ee[[2, 0]] - scores[[0, 1]];
    let first = 1.0 + uu[[0, 2]] * ee[[2, 0]] - scores[[0, 0]];
    Ok(largest_of([second.abs(), first.abs()]))
}

/// The display with vectors of any length, with unit vectors, and with unit vectors and u_1 at a right angle to u_2.
fn displays(cases: usize, stream: &mut Stream) -> Result<[f64; 3], Failure> {
    let mut gaps = [Largest::default(); 3];
    for _ in 0..cases {
        for (k, gap) in gaps.iter_mut().enumerate() {
            let (mut u, mut e) = (normal_array2(stream, 3, 4), normal_array2(stream, 3, 4));
            if k > 0 {
                u = unit_sphere(stream, 3, 4);
                e = unit_sphere(stream, 3, 4);
            }
            if k == 2 {
                let axes = stats::orthonormal(stream, 4, 4)?;
                u.row_mut(0).assign(&axes.row(0));
                u.row_mut(1).assign(&axes.row(1));
            }
            gap.see(off_display(&e, &u)?);
        }
    }
    Ok(gaps.map(|gap| gap.0))
}

fn floats(vectors: &Vectors) -> Array2<f64> {
    Array2::from_shape_fn((3, 2), |(i, j)| vectors[i][j] as f64 / 5.0)
}

fn figure(found: &Search) -> Result<Figure, Failure> {
    let e = Embeddings::from_parts(floats(&found.inputs), floats(&found.outputs))?;
    let memory = AssociativeMemory::store(&e, &[1.0; 3], &[0, 1, 2])?;
    let (scores, places) = (memory.scores(&e.inputs)?.t().to_owned(), [1.0, 2.0, 3.0]);
    let mut panel = Panel::new("scores of the clearest win")
        .x_label("input x")
        .y_label("class y")
        .heatmap(&scores, &places, &places, "score")
        .signed_colour();
    for (x, y) in memory.predict(&e.inputs)?.iter().enumerate() {
        panel = panel.mark_cell(places[x], places[*y]);
    }
    Ok(Figure::new("One memory overwrites another").panel(panel).size(520, 400).caption(
        "Framed: the answer, the highest score of a column. Right answers lie on the diagonal; \
             input 1 is answered with class 2.",
    ))
}

impl TypedCheck for Overwriting {
    const CLAIM: &'static str = "heavy-tailed/fig-2";
    const PLAN: Plan = Plan::new(
        "scores in whole numbers; difference of the displayed forms and the scores",
        "no configuration in which class 2 wins, or one with orthonormal inputs; a display that is not the score",
        &[ONE, ROUNDING],
    )
    .protocol(&["unit vectors and u_1 at a right angle to u_2, which the equal signs of the display imply"])
    .departures(&["at equality the answer is a tie and not 2; only strict wins are counted"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let gaps = displays(self.configurations, &mut setting.stream("figure 2")?)?;
        let (found, (tried, overwritten)) = (search()?, orthonormal()?);
        let wins = |label: &str, wins: usize| {
            Finding::at_least(label, ONE, Estimate::exact(wins as f64)).cases(found.tried).unit("configurations")
        };
        let display = |label: &str, gap: f64| {
            Finding::identity(label, gap, ROUNDING).cases(self.configurations).unit("configurations")
        };
        let evidence = Evidence::of(wins("unit vectors in the plane: configurations that answer 2", found.wins))
            .and(Finding::at_least(
                "clearest win: score of class 2 minus that of class 1",
                0.0,
                Estimate::exact(found.margin as f64 / 625.0),
            ))
            .and(display("displayed forms against scores, unit vectors and u_1 ⊥ u_2", gaps[2]))
            .and(none("orthonormal inputs: configurations that do not answer 1", overwritten, tried, "configurations"))
            .twin(wins("without the third memory: configurations that answer 2", found.wins_of_two))
            .twin(display("displayed forms, u_1 and u_2 at any angle", gaps[1]))
            .twin(display("displayed forms, vectors of any length", gaps[0]));
        Ok(Checked::from(evidence).figure(figure(&found)?))
    }
}
