//! Figure 2: three memories in one matrix, and one overwrites another.
//!
//! **Claim** (`heavy-tailed/fig-2`). In W = sum_x u_x e_x^T three inputs with three classes can interact so that
//! u_2^T W e_1 = e_2^T e_1 + u_2^T u_3 e_3^T e_1 >= 1 + u_1^T u_3 e_3^T e_1 = u_1^T W e_1, and f_W(1) = 2.
//!
//! "Can" asks for one configuration. Vectors with rational entries are searched, where a score is an integer over 5^4 and no rounding
//! decides; ties are not counted as wins. The equal signs of the display need u_1 at a right angle to u_2 and |u_1| = |u_2| = |e_1| = 1.
//! Refuted by a search without a win, and by a display that is not the score. The check stands on the absence of wins among *orthonormal*
//! inputs, where nothing interferes.

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{normal_array2, orthonormal, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{AssociativeMemory, Embeddings, exact_scores};

use crate::vocabulary::ROUNDING;

const ONE: Margin =
    Margin::printed("one is enough", 1.0, "the caption says that it may happen, so one configuration decides");

/// Three inputs, three classes.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/fig-2",
    metric: "scores in whole numbers; difference of the displayed forms and the scores",
    against: "no configuration in which class 2 wins; a display that is not the score",
    protocol: &[
        "u_1 at a right angle to u_2, and u_1, u_2 and e_1 of length one, which the equal signs of the display imply",
    ],
    choices: &[
        "entries that are whole numbers over 5 in the plane, over 3 in space; u_3, e_2 and e_3 of length one too",
    ],
    departures: &["at equality, which the sign ≥ allows, the answer is a tie and not 2; only strict wins are counted"],
    run,
    ..Check::DEFAULT
};

type Vectors = [Vec<i64>; 3];

fn run(s: &Sheet) -> Done {
    search(s)?;
    orthonormal_inputs(s)?;
    let mut stream = s.stream("figure 2")?;
    let forms = [
        (false, false, s.twin(ROUNDING).largest(), "displayed forms, vectors of any length"),
        (true, false, s.twin(ROUNDING).largest(), "displayed forms, u_1 and u_2 at any angle"),
        (true, true, s.printed(ROUNDING), "displayed forms against scores, unit vectors and u_1 ⊥ u_2"),
    ];
    for _ in s.cases("configurations", 200, 200)? {
        for (unit, right_angle, says, label) in forms {
            let (mut u, mut e) = (normal_array2(&mut stream, 3, 4), normal_array2(&mut stream, 3, 4));
            if unit {
                (u, e) = (unit_sphere(&mut stream, 3, 4), unit_sphere(&mut stream, 3, 4));
            }
            if right_angle {
                let axes = orthonormal(&mut stream, 4, 4)?;
                u.row_mut(0).assign(&axes.row(0));
                u.row_mut(1).assign(&axes.row(1));
            }
            let (first, second) = off_display(&e, &u)?;
            says.same(label, first);
            says.same(label, second);
        }
    }
    Ok(())
}

/// u_1, u_2 and e_1 fixed at a right angle and at length one; u_3, e_2 and e_3 anywhere else in the plane. Scores are in units of 1/625.
fn search(s: &Sheet) -> Done {
    let (mut tried, mut wins, mut wins_of_two) = (0, 0, 0);
    let (mut clearest, mut winner) = (0, [Vectors::default(), Vectors::default()]);
    let all = plane();
    for [u3, e2, e3] in triples(&all) {
        let outputs = [vec![5, 0], vec![0, 5], u3.clone()];
        let inputs = [vec![5, 0], e2.clone(), e3.clone()];
        // Three different inputs, three different outputs.
        if outputs[..2].contains(u3) || inputs[..2].contains(e3) || *e2 == inputs[0] {
            continue;
        }
        let scores = exact_scores(&outputs, &inputs, &[0, 1, 2], 0)?;
        let two = exact_scores(&outputs[..2], &inputs[..2], &[0, 1], 0)?;
        tried += 1;
        wins += usize::from(scores[1] > scores[0]);
        wins_of_two += usize::from(two[1] > two[0]);
        if scores[1] - scores[0] > clearest {
            clearest = scores[1] - scores[0];
            winner = [inputs, outputs];
        }
    }
    let label = "unit vectors in the plane: configurations that answer 2";
    s.printed(ONE).over(tried, "configurations").at_least(label, wins as f64);
    let label = "clearest win: score of class 2 minus that of class 1";
    s.aside(Margin::ZERO).at_least(label, clearest as f64 / 625.0);
    let label = "without the third memory: configurations that answer 2";
    s.twin(ONE).over(tried, "configurations").at_least(label, wins_of_two as f64);
    s.figure(figure(&winner)?);
    Ok(())
}

/// No configuration with orthonormal inputs in space answers another class than 1.
fn orthonormal_inputs(s: &Sheet) -> Done {
    let all = space();
    let right = |e: &[&Vec<i64>; 3]| inner(e[0], e[1]) == 0 && inner(e[0], e[2]) == 0 && inner(e[1], e[2]) == 0;
    for inputs in triples(&all).filter(right) {
        let inputs = inputs.map(Vec::clone);
        // The second class is another class than the first.
        for u2 in &all[1..] {
            for u3 in &all {
                let outputs = [all[0].clone(), u2.clone(), u3.clone()];
                let scores = exact_scores(&outputs, &inputs, &[0, 1, 2], 0)?;
                let label = "orthonormal inputs: configurations that do not answer 1";
                s.support(Margin::ZERO).of("configurations").never(label, scores[1] >= scores[0]);
            }
        }
    }
    Ok(())
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

fn triples(all: &[Vec<i64>]) -> impl Iterator<Item = [&Vec<i64>; 3]> {
    let pairs = move |a| all.iter().flat_map(move |b| all.iter().map(move |c| [a, b, c]));
    all.iter().flat_map(pairs)
}

/// The two displayed forms minus the scores.
fn off_display(e: &Array2<f64>, u: &Array2<f64>) -> Result<(f64, f64), Failure> {
    let both = Embeddings::from_parts(e.clone(), u.clone())?;
    let scores = AssociativeMemory::store(&both, &[1.0; 3], &[0, 1, 2])?.scores(e)?;
    let (uu, ee) = (u.dot(&u.t()), e.dot(&e.t()));
    let second = ee[[1, 0]] + uu[[1, 2]] * ee[[2, 0]] - scores[[0, 1]];
    let first = 1.0 + uu[[0, 2]] * ee[[2, 0]] - scores[[0, 0]];
    Ok((first.abs(), second.abs()))
}

fn floats(vectors: &Vectors) -> Array2<f64> {
    Array2::from_shape_fn((3, 2), |(i, j)| vectors[i][j] as f64 / 5.0)
}

fn figure([inputs, outputs]: &[Vectors; 2]) -> Result<Figure, Failure> {
    let e = Embeddings::from_parts(floats(inputs), floats(outputs))?;
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
