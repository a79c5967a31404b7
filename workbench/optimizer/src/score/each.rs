//! The same optimizer from many seeds, side by side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use workbench_ground::stats::Streams;

use super::{Protocol, Purpose, Run, run_with};
use crate::task::Task;
use crate::{Error, Optimizer};

/// [`run_with`] for each seed with a fresh optimizer of its own, in the order of the seeds.
///
/// As many runs go side by side as the pool in use has threads; each of them stays on one thread, so that its CPU times are all of its
/// work.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_optimizer::classical::{Adam, AdamSettings};
/// use workbench_optimizer::score::{Protocol, Purpose, run_each};
/// use workbench_optimizer::{Layout, task::Task, tasks::NoisyQuadratic};
/// let task = NoisyQuadratic::new(4, 2.0, 0.0, 1)?;
/// let protocol = Protocol { steps: 200, every: 50, batches: 1 };
/// let adam = |_: u64| -> Result<_, workbench_optimizer::Error> {
///     Ok(Box::new(Adam::new(Layout::new(task.tensors())?, AdamSettings { rate: 0.1, ..AdamSettings::default() })?) as _)
/// };
/// let runs = run_each(&task, &protocol, (&Streams::new(1), Purpose::Evaluation), &[0, 1, 2], adam)?;
/// assert!(runs.iter().all(|run| run.last() < 0.1 * run.validation[0]));
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
///
/// **Errors**: those of `make` and of [`run_with`].
pub fn run_each<T: Task + ?Sized>(
    task: &T,
    protocol: &Protocol,
    (streams, purpose): (&Streams, Purpose),
    seeds: &[u64],
    make: impl Fn(u64) -> Result<Box<dyn Optimizer>, Error> + Sync,
) -> Result<Vec<Run>, Error> {
    let one =
        |seed: u64| -> Result<Run, Error> { run_with(task, protocol, (streams, purpose, seed), &mut *make(seed)?) };
    let next = AtomicUsize::new(0);
    let work = || -> Vec<(usize, Result<Run, Error>)> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let each = || {
            let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
            let mine = numbers.take_while(|at| *at < seeds.len());
            mine.map(|at| (at, one(seeds[at]))).collect()
        };
        match pool {
            Ok(pool) => pool.install(each),
            Err(_) => each(),
        }
    };
    let side_by_side = rayon::current_num_threads().min(seeds.len()).max(1);
    let mut done: Vec<(usize, Result<Run, Error>)> = thread::scope(|scope| {
        let threads: Vec<_> = (1..side_by_side).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for thread in threads {
            match thread.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, run)| run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;
    use crate::classical::{Sgd, SgdSettings};
    use crate::score::run;
    use crate::tasks::NoisyQuadratic;

    #[test]
    fn runs_are_those_of_one_after_the_other() {
        let task = NoisyQuadratic::new(5, 3.0, 0.1, 1).unwrap();
        let protocol = Protocol { steps: 20, every: 5, batches: 1 };
        let make = |_: u64| -> Result<Box<dyn Optimizer>, Error> {
            let settings = SgdSettings { rate: 0.3, ..SgdSettings::default() };
            Ok(Box::new(Sgd::new(Layout::new(task.tensors())?, settings)?))
        };
        let (streams, seeds) = (Streams::new(2), [4, 0, 9]);
        let runs = run_each(&task, &protocol, (&streams, Purpose::Evaluation), &seeds, make).unwrap();
        for (one, seed) in runs.iter().zip(seeds) {
            let mut alone = make(seed).unwrap();
            let step = |_: usize, theta: &mut [f64], gradient: &[f64]| alone.step(theta, gradient);
            let alone = run(&task, &protocol, (&streams, Purpose::Evaluation, seed), step).unwrap();
            assert_eq!((one.seed, &one.theta, &one.validation), (seed, &alone.theta, &alone.validation));
        }
        let broken = |_: u64| Err(Error::refused("make", "broken", "mend it"));
        assert!(run_each(&task, &protocol, (&streams, Purpose::Evaluation), &seeds, broken).is_err());
    }
}
