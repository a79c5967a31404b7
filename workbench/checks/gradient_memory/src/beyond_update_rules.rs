//! Beyond the document: every update rule is an argmin, and some of them are the same rule.
//!
//! Ours, in the style of the reformulation. Each memory of a rule has an objective: what is asked of the new pair, and what holds the
//! old state in place. The rule takes its step by a recursion; the objective is minimised by conjugate gradients, which know nothing
//! of the recursion.

use ndarray::{Array2, array};
use workbench_display::{Table, columns};
use workbench_gradient_memory::{
    Adam, AdamSettings, DeltaRule, GradientStep, HeavyBall, Hebbian, ImplicitStep, InnerObjective, Loss, Nlms,
    Preconditioned, RecursiveLeastSquares, UpdateRule, WeightDecay,
};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use crate::vocabulary::{apart, largest};

const ARGMIN: Margin =
    Margin::statistical("argmin", 1e-9, "conjugate gradients stop at a relative residual of 1e-12; curvatures from 1");
const SLOPE: Margin =
    Margin::rounding("slope", 1e-8, "differences at a step of 0.01 of quadratics, in double precision");
const CONVEX: Margin = Margin::rounding("convex", 1e-3, "a curvature that is no rounding: the argmin is unique");
const SAME: Margin = Margin::rounding("same", 1e-13, "one step on entries of order one, by two formulas");

/// Ten rules against the objectives that are said to be theirs.
pub const EVERY_RULE: Check = Check {
    claim: "every-rule-is-an-argmin",
    says: "Ten update rules take the step that minimises an objective for each of their memories.",
    metric: "largest entry of a difference or a slope, relative to 1 and the largest entry of the memory",
    against: "a step that is not the argmin, a slope there, or an objective with more than one argmin",
    run: every_rule,
    ..Check::DEFAULT
};

/// Dimension of the values, of the keys.
const DIM: (usize, usize) = (4, 6);

fn every_rule(s: &Sheet) -> Done {
    let mut draws = s.stream("argmins")?;
    let steps = s.knob("steps", 20, 1..)?;
    let (mut names, mut memories, mut worst) = (Vec::new(), Vec::new(), Vec::new());
    for mut rule in rules(&mut draws)? {
        rule.restart(&normal_array2(&mut draws, DIM.0, DIM.1))?;
        let first = names.len();
        for (memory, _) in rule.memories() {
            names.push(rule.name());
            memories.push(memory.to_string());
            worst.push([0.0f64, 0.0, f64::INFINITY]);
        }
        for _ in 0..steps {
            let (x, v) = (normal_array2(&mut draws, 1, DIM.1), normal_array2(&mut draws, 1, DIM.0));
            let (objectives, before) = (rule.objectives(&x, &v)?, rule.memories());
            rule.step(&x, &v)?;
            let states = rule.memories();
            for k in s.each("steps of a memory", 0..states.len()) {
                let (problem, state, old) = (&objectives[k], &states[k].1, &before[k].1);
                let (size, best) = (1.0 + largest(state), problem.minimise()?);
                let off = apart(&best, state) / size;
                s.printed(ARGMIN).same("distance of the step from the argmin", off);
                let slope = largest(&problem.gradient_by_differences(state, 1e-2)?) / size;
                s.printed(SLOPE).same("slope of the objective at the step", slope);
                let curvature = problem.curvature()?.0;
                s.printed(CONVEX).at_least("least curvature", curvature);
                let label = "the memory before the step in its place: least distance from the argmin";
                s.twin(ARGMIN).same(label, apart(&best, old) / size);
                let shown = &mut worst[first + k];
                *shown = [shown[0].max(off), shown[1].max(slope), shown[2].min(curvature)];
            }
        }
    }
    let of = |what: usize| worst.iter().map(|shown| shown[what]).collect::<Vec<f64>>();
    let frame = columns(vec![
        ("rule", names.into()),
        ("memory", memories.into()),
        ("step − argmin", of(0).into()),
        ("slope there", of(1).into()),
        ("least curvature", of(2).into()),
    ])?;
    s.table(Table::new(frame).title("Each rule, each of its memories").digits(2).caption(
        "Largest over all steps; distance and slope relative. A curvature above zero makes the argmin unique.",
    ));
    Ok(())
}

fn rules(draws: &mut Stream) -> Result<Vec<Box<dyn UpdateRule>>, Failure> {
    let (d_v, d_k) = DIM;
    let root = normal_array2(draws, 2 * d_k, d_k);
    let loss = Loss::Huber { delta: 0.5 };
    let adam = AdamSettings { rate: 0.05, beta1: 0.9, beta2: 0.99, epsilon: 1e-3 };
    Ok(vec![
        Box::new(GradientStep::new(d_v, d_k, 0.1, Loss::TanhSquared)?),
        Box::new(Hebbian::new(d_v, d_k, 0.1)?),
        Box::new(DeltaRule::new(d_v, d_k, 0.1)?),
        Box::new(ImplicitStep::new(d_v, d_k, 0.1)?),
        Box::new(Nlms::new(d_v, d_k, 0.5, 0.1)?),
        Box::new(WeightDecay::new(d_v, d_k, 0.1, 0.2, loss)?),
        Box::new(HeavyBall::new(d_v, d_k, 0.1, 0.7, loss)?),
        Box::new(Preconditioned::new(d_v, root.t().dot(&root), 0.1, loss)?),
        Box::new(Adam::new(d_v, d_k, adam, loss)?),
        Box::new(RecursiveLeastSquares::new(d_v, d_k, 0.95, 0.5)?),
    ])
}

/// Rules with two names.
pub const RULES_THAT_ARE_ONE: Check = Check {
    claim: "rules-that-are-one",
    says: "NLMS is the implicit step at one setting and the delta rule at another, and the delta rule is the squared error held in \
           place by a metric.",
    metric: "largest entry of a difference after one step from one memory",
    against: "an entry that differs",
    run: rules_that_are_one,
    ..Check::DEFAULT
};

fn rules_that_are_one(s: &Sheet) -> Done {
    let eta = s.knob("step size η of the delta rule", 0.25, 0.01..1.0)?;
    let start = normal_array2(&mut s.stream("identities")?, 2, 3);
    // A key of length 1.
    let (x, v) = (array![[0.6, -0.8, 0.0]], array![[1.0, 2.0]]);
    let stepped = |rule: &mut dyn UpdateRule| -> Result<Array2<f64>, Failure> {
        rule.restart(&start)?;
        rule.step(&x, &v)?;
        Ok(rule.weights().clone())
    };
    let delta = stepped(&mut DeltaRule::new(2, 3, eta)?)?;
    let implicit = stepped(&mut ImplicitStep::new(2, 3, 1.0 / eta)?)?;

    let nlms = stepped(&mut Nlms::new(2, 3, 1.0, eta)?)?;
    let label = "NLMS with μ = 1, ε = η against the implicit step of rate 1/η";
    s.printed(SAME).same(label, apart(&nlms, &implicit));
    let nlms = stepped(&mut Nlms::new(2, 3, eta, 0.0)?)?;
    s.printed(SAME).same("NLMS with μ = η, ε = 0 against the delta rule, key of length 1", apart(&nlms, &delta));
    s.printed(SAME).at_least("implicit step against the delta rule", apart(&implicit, &delta));

    let fit = InnerObjective::new("W").fit(1.0, x.clone(), v.clone());
    let metric = Array2::<f64>::eye(3) / eta - x.t().dot(&x);
    let held = fit.clone().metric(metric, start.clone()).minimise()?;
    s.printed(SAME).same("½‖Wx − v‖² held by the metric I/η − xxᵀ against the delta rule", apart(&held, &delta));
    let held = fit.anchor(1.0 / eta, start.clone()).minimise()?;
    s.twin(SAME).same("½‖Wx − v‖² held by I/η alone against the delta rule", apart(&held, &delta));
    Ok(())
}
