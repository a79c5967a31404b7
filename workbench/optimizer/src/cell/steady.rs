//! A rule that stands still where the gradient does: running means of the gradient, mixed by what a memory of the past says of them.
//!
//! The document's cell is given a gradient and answers with an update, whatever the gradient. Where the gradient is zero from the start,
//! all its inputs are alike, so that every memory reads the one pattern that it holds, and the update is a constant from the first step on:
//! 0.0024 for the first training of `default`, half the root mean square of its updates under noise, and 0.0080 for that of `task-only`. A
//! thousand of them move a parameter by 2.4 and 8.0. The bias of the head gives 2 and 7 % of it; the rest is the even part of the whole map.
//! Here the cell only chooses among directions that vanish with the gradient.
//!
//! | what is taken from the field | where from |
//! | --- | --- |
//! | directions are running means over the root of the running mean square | RNNprop (Lv et al. 2017), VeLO (Metz et al. 2022) |
//! | coefficients follow from features that no change of scale alters | VeLO, Celo (2025) |
//! | each tensor's update is normed to its root mean square: [`StepLaw`] | Celo2 (2026) |
//! | the law of the step is chosen apart from the rest of the rule | Celo |

use workbench_ground::check::positive;
use workbench_ground::lanes::Precision;
use workbench_ground::stats::Stream;

use super::layers::Linear;
use super::places::{Places, uniform};
use super::stack::Stack;
use super::tensor_scale::StepLaw;
use super::{Cell, Downward, Form, Gathered, Memory, Runner, Tapes, Window};
use crate::number::CellNumber;
use crate::{Error, Layout};

/// Decays of the running means.
const MEANS: [f64; 2] = [0.9, 0.98];
/// Decays of the running mean squares: that which gradients are divided by, and a quicker one that tells whether there still are any.
const SQUARES: [f64; 2] = [0.999, 0.9];
/// Numbers of a coordinate's state before those of the memory.
const OWN: usize = MEANS.len() + SQUARES.len();
/// What the encoders see.
const INPUTS: usize = 9;
/// What is mixed.
const DIRECTIONS: usize = 1 + MEANS.len();
/// Mean squares below this, of gradients whose tensor's mean square is one, count as none.
const NONE: f64 = 1e-20;
/// The same for what enters a logarithm.
const FAINT: f64 = 1e-12;

/// The form of a [`Steady`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyForm {
    /// Width of encoders.
    pub hidden: usize,
    /// How many there are.
    pub encoders: usize,
    /// What each of them remembers.
    pub memory: Memory,
    /// The width inside the feed-forward part; 0 for none.
    pub feed_forward: usize,
    /// How long the steps are.
    pub law: StepLaw,
}

impl Default for SteadyForm {
    /// One encoder of width 8 around the memory of B.1.
    fn default() -> SteadyForm {
        SteadyForm {
            hidden: 8,
            encoders: 1,
            memory: Memory::default_compact(),
            feed_forward: 16,
            law: StepLaw::default(),
        }
    }
}

impl SteadyForm {
    fn encoders(&self) -> Form {
        let SteadyForm { hidden, encoders, memory, feed_forward, .. } = *self;
        Form { hidden, encoders, memory, feed_forward, ..Form::default() }
    }
}

/// Running means $m^{(1)},m^{(2)}$ and mean squares $v,w$ of a coordinate's gradient give three directions,
///
/// $$ b_0=\frac{g\gamma}{\sqrt{\hat v}},\quad b_k=\frac{\hat m^{(k)}\gamma}{\sqrt{\hat v}},\quad
/// \gamma=\min\Bigl(1,\sqrt{\hat w/\hat v}\Bigr),\qquad d=\sum_kc_k\,b_k,\quad c=W\operatorname{encoder}(x)+b $$
///
/// and the update is what [`StepLaw`] makes of the directions of a tensor. $x$ are features that no change of sign or scale of the
/// gradient alters: sizes and agreements of the directions, the sizes of $v$ within its tensor and of $w$ beside $v$, the time. So the
/// rule is odd: a parameter with its sign turned is moved the other way by as much.
///
/// **Zero gradient, zero update**: where a coordinate never had a gradient, all $b_k$ are zero. Where it has none any more, $\gamma$ ends
/// its movement: $\gamma_t\approx0.95^t$, some twenty steps in all, where Adam takes ten.
///
/// **Start**: $c=(0,1,0)$, the direction of Adam, whatever the features. **State** of one coordinate: 4 numbers and those of the encoders.
/// **Cost** that of the encoders, as at [`Mnemosyne`](super::Mnemosyne).
///
/// ```
/// use workbench_optimizer::cell::{Cell, Steady, SteadyForm};
/// use workbench_optimizer::{Layout, Learned, Optimizer};
/// use workbench_ground::stats::Streams;
/// let cell = Steady::new(SteadyForm::default())?;
/// let weights = cell.start(&mut Streams::new(1).stream("weights")?)?;
/// let mut rule = Learned::plain(cell, weights, Layout::of(&[("x", &[2])])?)?;
/// let mut theta = [1.0, 1.0];
/// for _ in 0..100 {
///     rule.step(&mut theta, &[0.3, 0.0])?;
/// }
/// assert!(theta[0] < 1.0 && theta[1] == 1.0);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Steady {
    form: SteadyForm,
    layout: Layout,
    trained: usize,
    input: Linear,
    stack: Stack,
    head: Linear,
}

impl Steady {
    /// A cell of this form.
    ///
    /// **Errors**: no hidden numbers or encoders, a law of steps that [`StepLaw::check`] refuses, a memory as at
    /// [`Mnemosyne::new`](super::Mnemosyne::new).
    pub fn new(form: SteadyForm) -> Result<Steady, Error> {
        const OP: &str = "Steady::new";
        positive(OP, "hidden", form.hidden)?;
        positive(OP, "encoders", form.encoders)?;
        form.law.check()?;
        let mut places = Places::default();
        let input = places.linear("input", form.hidden, INPUTS, true);
        let mut stack = Stack::new(OP, &form.encoders(), &mut places)?;
        let head = places.linear("head", DIRECTIONS, form.hidden, true);
        let trained = places.len();
        stack.fix(&mut places);
        Ok(Steady { form, layout: places.layout()?, trained, input, stack, head })
    }

    /// Its form.
    pub fn form(&self) -> &SteadyForm {
        &self.form
    }

    /// Takes a gradient in and writes features and directions.
    #[inline(always)]
    fn look<N: CellNumber>(&self, time: u64, g: N, own: &mut [N], tape: &mut [N]) {
        let t = (time + 1) as f64;
        let whole = |beta: f64| N::of(1.0 / (1.0 - beta.powf(t)));
        let (means, squares) = own.split_at_mut(MEANS.len());
        for (m, beta) in means.iter_mut().zip(MEANS) {
            *m = (*m * N::of(beta)).plus(g, N::of(1.0 - beta));
        }
        for (v, beta) in squares.iter_mut().zip(SQUARES) {
            *v = (*v * N::of(beta)).plus(g * g, N::of(1.0 - beta));
        }
        let (v, w) = (squares[0] * whole(SQUARES[0]), squares[1] * whole(SQUARES[1]));
        let share = w / (v + N::of(NONE));
        let gate = share.at_least(N::one(), N::one(), share.sqrt());
        let over = gate / (v + N::of(NONE)).sqrt();
        let (x, b) = tape.split_at_mut(INPUTS);
        b[0] = g * over;
        b[1] = means[0] * whole(MEANS[0]) * over;
        b[2] = means[1] * whole(MEANS[1]) * over;
        for (x, b) in x.iter_mut().zip(b.iter()) {
            let square = *b * *b;
            *x = square / (N::one() + square);
        }
        for (x, [i, j]) in x[3..5].iter_mut().zip([[0, 1], [1, 2]]) {
            let both = b[i] * b[j];
            *x = both / (N::one() + both.magnitude());
        }
        x[5] = (v + N::of(FAINT)).ln() * N::of(0.1);
        x[6] = ((w + N::of(FAINT)) / (v + N::of(FAINT))).ln() * N::of(0.25);
        x[7] = N::of(t / (t + 30.0));
        x[8] = N::of(t / (t + 1000.0));
    }
}

/// Where the encoders' numbers begin on the tape.
const FRONT: usize = INPUTS + DIRECTIONS;

impl Cell for Steady {
    fn name(&self) -> &'static str {
        match self.form.memory {
            Memory::Compact { .. } => "steady",
            Memory::Cache { .. } => "steady, attention over a cache",
            Memory::Average { .. } => "steady, averages",
            Memory::None => "steady, no memory",
        }
    }

    fn settings(&self) -> Vec<f64> {
        let f = &self.form;
        let mut all = [f.hidden, f.encoders, f.feed_forward].map(|size| size as f64).to_vec();
        all.extend(f.memory.numbers());
        all.extend(f.law.numbers());
        all
    }

    fn weights(&self) -> &Layout {
        &self.layout
    }

    fn trained(&self) -> usize {
        self.trained
    }

    /// As those of [`Mnemosyne`](super::Mnemosyne), but for the head.
    fn start(&self, stream: &mut Stream) -> Result<Vec<f64>, Error> {
        let mut weights = uniform(&self.layout, stream);
        weights[self.head.weight.clone()].fill(0.0);
        if let Some(bias) = &self.head.bias {
            weights[bias.start + 1] = 1.0;
        }
        self.stack.redraw(&mut weights, stream)?;
        Ok(weights)
    }

    fn step_law(&self) -> Option<StepLaw> {
        Some(self.form.law)
    }

    fn state_len(&self) -> usize {
        OWN + self.stack.state_len()
    }

    fn tape_len(&self) -> usize {
        FRONT + self.stack.tape_len()
    }

    fn carry_len(&self, steps: usize) -> usize {
        self.stack.carry_len(steps)
    }

    fn scratch_len(&self) -> usize {
        self.form.hidden + self.stack.scratch_len()
    }

    fn derived_len(&self) -> usize {
        self.stack.derived_len()
    }

    fn runner(&self, weights: &[f64], layout: &Layout, precision: Precision) -> Runner {
        Runner::of(self, weights, layout, precision)
    }

    fn tapes(&self, weights: &[f64], layout: &Layout, precision: Precision) -> Tapes {
        Tapes::of(self, weights, layout, precision)
    }

    #[inline(always)]
    fn step<N: CellNumber>(
        &self,
        weights: &[N::Shared],
        time: u64,
        gradient: &[N],
        state: &mut [N],
        tape: &mut [N],
        update: &mut [N],
    ) {
        let d = self.form.hidden;
        let (own, remembered) = state.split_at_mut(OWN);
        let (front, rest) = tape.split_at_mut(FRONT);
        self.look(time, gradient[0], own, front);
        self.input.forward(weights, &front[..INPUTS], &mut rest[..d]);
        self.stack.forward(weights, time, remembered, rest);
        let mut coefficients = [N::zero(); DIRECTIONS];
        self.head.forward(weights, &rest[rest.len() - d..], &mut coefficients);
        update[0] = N::zero();
        for (c, b) in coefficients.iter().zip(&front[INPUTS..]) {
            update[0] = update[0].plus(*c, *b);
        }
    }

    /// Gradients count as given: what is written of $\partial L/\partial g$ is zero.
    #[inline(always)]
    fn adjoint<N: CellNumber>(&self, weights: &[N::Shared], window: Window<'_, N>, at: usize, down: Downward<'_, N>) {
        let (d, len) = (self.form.hidden, self.tape_len());
        let tape = window.tape(at, len);
        let (d_hidden, scratch) = down.scratch.split_at_mut(d);
        let mut d_head = [N::zero(); DIRECTIONS];
        for (d, b) in d_head.iter_mut().zip(&tape[INPUTS..FRONT]) {
            *d = down.update[0] * *b;
        }
        d_hidden.fill(N::zero());
        self.head.adjoint(weights, &tape[len - d..], &d_head, Some(&mut *d_hidden), down.weights);
        let below = Downward {
            update: &[],
            gradient: &mut [],
            weights: &mut *down.weights,
            carry: down.carry,
            scratch,
            derived: down.derived,
        };
        let own = Window { state: &window.state[OWN..], ..window };
        self.stack.adjoint(weights, (own, at, FRONT), len, d_hidden, below);
        self.input.adjoint(weights, &tape[..INPUTS], d_hidden, None, down.weights);
        down.gradient[0] = N::zero();
    }

    #[inline(always)]
    fn gather<N: CellNumber>(&self, from: Gathered<'_, N>, d_weights: &mut [N]) {
        self.stack.gather(from, FRONT, d_weights);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classical::conformance::conforms;
    use crate::meta::{Derivative, LossScale, Precision as Numbers, Rollout, RolloutObjective, ScaledProblem};
    use crate::task::{Split, Task, Tensor};
    use crate::{Learned, Optimizer};
    use workbench_ground::stats::Streams;

    fn stream(name: &str) -> Stream {
        Streams::new(6).stream(name).unwrap()
    }

    fn cell(memory: Memory) -> (Steady, Vec<f64>) {
        let law = StepLaw { rate: 0.1, ..StepLaw::default() };
        let cell =
            Steady::new(SteadyForm { memory, law, hidden: 4, feed_forward: 5, ..SteadyForm::default() }).unwrap();
        let mut weights = cell.start(&mut stream("weights")).unwrap();
        let mut noise = stream("noise");
        weights[..cell.trained()].iter_mut().for_each(|w| *w += 0.2 * noise.normal());
        (cell, weights)
    }

    const MEMORIES: [Memory; 2] =
        [Memory::Compact { features: 6, map: workbench_features::MapKind::Hyperbolic, tau: 0.1 }, Memory::None];

    /// A slope that does not depend on where one stands, so that gradients are constants of the weights; two tensors.
    #[derive(Debug)]
    struct Slope(Layout);

    impl Task for Slope {
        type Batch = Vec<f64>;
        fn tensors(&self) -> &[Tensor] {
            self.0.tensors()
        }
        fn start(&self, _: &mut Stream) -> Vec<f64> {
            vec![0.0; self.len()]
        }
        fn batch(&self, _: Split, stream: &mut Stream) -> Vec<f64> {
            (0..self.len()).map(|i| (0.3 + stream.normal()) * (i as f64 - 2.0)).collect()
        }
        fn gradient(&self, theta: &[f64], slope: &Vec<f64>, gradient: &mut [f64]) -> Result<f64, Error> {
            gradient.copy_from_slice(slope);
            Ok(40.0 + theta.iter().zip(slope).map(|(x, b)| x * b).sum::<f64>())
        }
        fn hessian_product(&self, _: &[f64], _: &Vec<f64>, _: &[f64], product: &mut [f64]) -> Result<(), Error> {
            product.fill(0.0);
            Ok(())
        }
    }

    #[test]
    fn gradients_of_windows_are_differences() {
        let task = Slope(Layout::of(&[("x", &[4]), ("y", &[3])]).unwrap());
        for memory in MEMORIES {
            let (cell, weights) = cell(memory);
            let objective = RolloutObjective { measure: LossScale::Log, imitation: 0.7, ..RolloutObjective::default() };
            let window = |weights: &[f64]| {
                let (theta, expert) = (task.start(&mut stream("start")), objective.expert);
                let mut rollout = Rollout::new(&cell, weights, &task.0, theta, expert, Numbers::Double).unwrap();
                rollout.window(&ScaledProblem::plain(&task), &objective, 6, true, &mut stream("batches")).unwrap()
            };
            let ours = window(&weights).gradient;
            let largest = ours.iter().fold(0.0f64, |most, g| most.max(g.abs()));
            for (i, ours) in ours.iter().enumerate() {
                const H: f64 = 1e-5;
                let moved = |by: f64| {
                    let mut weights = weights.clone();
                    weights[i] += by;
                    window(&weights).loss
                };
                let right = (moved(H) - moved(-H)) / (2.0 * H);
                let name = cell.weights().place(i);
                assert!((ours - right).abs() < 1e-6 * (right.abs() + largest), "{name}: {ours} {right}");
            }
        }
        let (cell, weights) = cell(Memory::None);
        let exact = RolloutObjective { derivative: Derivative::Exact, ..RolloutObjective::default() };
        let mut rollout = Rollout::new(&cell, &weights, &task.0, vec![0.0; 7], exact.expert, Numbers::Double).unwrap();
        let refused = rollout.window(&ScaledProblem::plain(&task), &exact, 2, true, &mut stream("x")).unwrap_err();
        assert!(refused.to_string().contains("Stopped"));
    }

    #[test]
    fn the_rule_conforms_and_registers_follow_its_definition() {
        for memory in MEMORIES {
            let (cell, weights) = cell(memory);
            conforms(&|layout| Ok(Box::new(Learned::plain(cell.clone(), weights.clone(), layout)?)));
            conforms(&|layout| Ok(Box::new(Learned::fused(cell.clone(), weights.clone(), layout)?)));
            crate::learned::tests::follows_its_definition(&cell, &weights);
        }
    }

    #[test]
    fn it_stands_still_where_the_gradient_does_and_turns_with_its_sign() {
        for memory in MEMORIES {
            let (cell, weights) = cell(memory);
            let rule = || Learned::fused(cell.clone(), weights.clone(), Layout::of(&[("x", &[3])]).unwrap()).unwrap();
            let (mut rule, mut theta, mut noise) = (rule(), [0.5, -0.5, 0.25], stream("gradients"));
            for _ in 0..1000 {
                rule.step(&mut theta, &[0.0; 3]).unwrap();
            }
            assert_eq!(theta, [0.5, -0.5, 0.25]);
            for _ in 0..200 {
                let g = 0.2 + noise.normal();
                rule.step(&mut theta, &[g, -g, 0.0]).unwrap();
            }
            // The first two began apart from zero alike, with signs turned.
            assert!((theta[0] + theta[1]).abs() < 1e-6 && theta[2] == 0.25 && theta[0] != 0.5);
            let before = theta[0];
            for _ in 0..1000 {
                rule.step(&mut theta, &[0.0; 3]).unwrap();
            }
            // A rate of 0.1 at most, over some twenty steps.
            assert!((theta[0] - before).abs() < 40.0 * cell.form().law.rate);
            let rest = theta[0];
            rule.step(&mut theta, &[0.0; 3]).unwrap();
            assert_eq!(theta[0], rest);
        }
    }
}
