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
use workbench_ground::stats::{Estimate, Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{Largest, Least, apart, largest, largest_of, least_of};

const ARGMIN: Margin =
    Margin::new("argmin", 1e-9, "conjugate gradients stop at a relative residual of 1e-12; curvatures from 1");
const SLOPE: Margin = Margin::new("slope", 1e-8, "differences at a step of 0.01 of quadratics, in double precision");
const CONVEX: Margin = Margin::new("convex", 1e-3, "a curvature that is no rounding: the argmin is unique");
const SAME: Margin = Margin::new("same", 1e-13, "one step on entries of order one, by two formulas");
const OTHER: Margin = Margin::new("other", 0.01, "a hundredth of an entry of order one, far above rounding");

/// Ten rules against the objectives that are said to be theirs.
#[derive(Clone, Debug)]
pub struct EveryRule {
    /// Dimension of the values.
    pub d_v: usize,
    /// Dimension of the keys.
    pub d_k: usize,
    /// Steps of each rule.
    pub steps: usize,
}

impl Default for EveryRule {
    fn default() -> EveryRule {
        EveryRule { d_v: 4, d_k: 6, steps: 20 }
    }
}

/// What one memory of one rule showed over its steps.
struct Memory {
    rule: String,
    memory: &'static str,
    apart: Largest,
    slope: Largest,
    curvature: Least,
    stale: Least,
}

impl EveryRule {
    fn rules(&self, draws: &mut Stream) -> Result<Vec<Box<dyn UpdateRule>>, Failure> {
        let &EveryRule { d_v, d_k, .. } = self;
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

    fn watch(&self, mut rule: Box<dyn UpdateRule>, draws: &mut Stream) -> Result<Vec<Memory>, Failure> {
        rule.restart(&normal_array2(draws, self.d_v, self.d_k))?;
        let name = rule.name();
        let mut seen: Vec<Memory> = rule
            .memories()
            .into_iter()
            .map(|(memory, _)| Memory {
                rule: name.clone(),
                memory,
                apart: Largest::default(),
                slope: Largest::default(),
                curvature: Least::default(),
                stale: Least::default(),
            })
            .collect();
        for _ in 0..self.steps {
            let (x, v) = (normal_array2(draws, 1, self.d_k), normal_array2(draws, 1, self.d_v));
            let (objectives, before) = (rule.objectives(&x, &v)?, rule.memories());
            rule.step(&x, &v)?;
            for (((problem, (_, state)), (_, old)), memory) in
                objectives.iter().zip(rule.memories()).zip(before).zip(&mut seen)
            {
                let size = 1.0 + largest(&state);
                let best = problem.minimise()?;
                memory.apart.see(apart(&best, &state) / size);
                memory.stale.see(apart(&best, &old) / size);
                memory.slope.see(largest(&problem.gradient_by_differences(&state, 1e-2)?) / size);
                memory.curvature.see(problem.curvature()?.0);
            }
        }
        Ok(seen)
    }
}

impl TypedCheck for EveryRule {
    const CLAIM: &'static str = "every-rule-is-an-argmin";
    const SAYS: &'static str = "Ten update rules take the step that minimises an objective for each of their memories.";
    const PLAN: Plan = Plan::new(
        "largest entry of a difference or a slope, relative to 1 and the largest entry of the memory",
        "a step that is not the argmin, a slope there, or an objective with more than one argmin",
        &[ARGMIN, SLOPE, CONVEX],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut draws = setting.stream("argmins")?;
        let mut all = Vec::new();
        for rule in self.rules(&mut draws)? {
            all.extend(self.watch(rule, &mut draws)?);
        }
        let most = |of: fn(&Memory) -> f64| largest_of(all.iter().map(of));
        let least = |of: fn(&Memory) -> f64| least_of(all.iter().map(of));
        let cases = all.len() * self.steps;
        let evidence = Evidence::of(
            Finding::identity("distance of the step from the argmin", most(|m| m.apart.0), ARGMIN).cases(cases),
        )
        .and(Finding::identity("slope of the objective at the step", most(|m| m.slope.0), SLOPE).cases(cases))
        .and(Finding::at_least("least curvature", CONVEX, Estimate::exact(least(|m| m.curvature.0))))
        .twin(Finding::identity(
            "the memory before the step in its place: least distance from the argmin",
            least(|m| m.stale.0),
            ARGMIN,
        ));
        let frame = columns(vec![
            ("rule", all.iter().map(|m| m.rule.clone()).collect::<Vec<_>>().into()),
            ("memory", all.iter().map(|m| m.memory.to_string()).collect::<Vec<_>>().into()),
            ("step − argmin", all.iter().map(|m| m.apart.0).collect::<Vec<_>>().into()),
            ("slope there", all.iter().map(|m| m.slope.0).collect::<Vec<_>>().into()),
            ("least curvature", all.iter().map(|m| m.curvature.0).collect::<Vec<_>>().into()),
        ])?;
        let table = Table::new(frame).title("Each rule, each of its memories").digits(2).caption(
            "Largest over all steps; distance and slope relative. A curvature above zero makes the argmin unique.",
        );
        Ok(Checked::from(evidence).table(table))
    }
}

/// Rules with two names.
#[derive(Clone, Debug)]
pub struct RulesThatAreOne {
    /// Step size of the delta rule; the implicit step has its inverse.
    pub eta: f64,
}

impl Default for RulesThatAreOne {
    fn default() -> RulesThatAreOne {
        RulesThatAreOne { eta: 0.25 }
    }
}

/// One step on one pair whose key has length 1.
fn stepped(mut rule: Box<dyn UpdateRule>, start: &Array2<f64>) -> Result<Array2<f64>, Failure> {
    rule.restart(start)?;
    rule.step(&array![[0.6, -0.8, 0.0]], &array![[1.0, 2.0]])?;
    Ok(rule.weights().clone())
}

impl TypedCheck for RulesThatAreOne {
    const CLAIM: &'static str = "rules-that-are-one";
    const SAYS: &'static str = "NLMS is the implicit step at one setting and the delta rule at another, and the delta rule is \
                                the squared error held in place by a metric.";
    const PLAN: Plan = Plan::new(
        "largest entry of a difference after one step from one memory",
        "an entry that differs",
        &[SAME, OTHER],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let eta = self.eta;
        let start = normal_array2(&mut setting.stream("identities")?, 2, 3);
        let delta = stepped(Box::new(DeltaRule::new(2, 3, eta)?), &start)?;
        let implicit = stepped(Box::new(ImplicitStep::new(2, 3, 1.0 / eta)?), &start)?;
        let nlms_as_implicit = stepped(Box::new(Nlms::new(2, 3, 1.0, eta)?), &start)?;
        let nlms_as_delta = stepped(Box::new(Nlms::new(2, 3, eta, 0.0)?), &start)?;
        let (key, value) = (array![[0.6, -0.8, 0.0]], array![[1.0, 2.0]]);
        let metric = Array2::<f64>::eye(3) / eta - key.t().dot(&key);
        let held = InnerObjective::new("W").fit(1.0, key.clone(), value.clone()).metric(metric, start.clone());
        let unheld = InnerObjective::new("W").fit(1.0, key, value).anchor(1.0 / eta, start);
        let evidence = Evidence::of(Finding::identity(
            "NLMS with μ = 1, ε = η against the implicit step of rate 1/η",
            apart(&nlms_as_implicit, &implicit),
            SAME,
        ))
        .and(Finding::identity(
            "NLMS with μ = η, ε = 0 against the delta rule, key of length 1",
            apart(&nlms_as_delta, &delta),
            SAME,
        ))
        .and(Finding::identity(
            "½‖Wx − v‖² held by the metric I/η − xxᵀ against the delta rule",
            apart(&held.minimise()?, &delta),
            SAME,
        ))
        .and(Finding::at_least(
            "implicit step against the delta rule",
            OTHER,
            Estimate::exact(apart(&implicit, &delta)),
        ))
        .twin(Finding::identity(
            "½‖Wx − v‖² held by I/η alone against the delta rule",
            apart(&unheld.minimise()?, &delta),
            SAME,
        ));
        Ok(evidence.into())
    }
}
