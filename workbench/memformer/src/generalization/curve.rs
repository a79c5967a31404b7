//! Learning curves of classes that are linear in their parameters: how fast N prompts determine a method.

use super::class::LinearClass;
use super::faces;
use super::sample::Sample;
use crate::Error;
use ndarray::Array2;
use rayon::prelude::*;
use workbench_ground::check::positive;
use workbench_ground::stats::{Estimate, Label, Runs, Stream, Streams, mean};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work::{Finished, Observer, Unwatched};

/// Suprema are taken for classes of at most this many parameters.
const SUPREMA: usize = 3;

/// Independent runs of learning from $N_1< N_2<\dots$ prompts.
///
/// Within a run the larger samples contain the smaller ones; runs are independent. **Shapes**: all tables `(runs, sizes)`.
#[derive(Clone, Debug, PartialEq)]
pub struct LearningCurve {
    /// N.
    pub sizes: Vec<f64>,
    /// R(theta_hat) - min over the box of R.
    pub excess: Array2<f64>,
    /// $\sup\lvert R_N-R\rvert$ over the box; no columns for classes of more than 3 parameters.
    pub supremum: Array2<f64>,
    /// $R_N(\theta^\ast)+\sup-R(\hat\theta)$, which the first inequality of the chain of Appendix A.5 says is not negative; shape of
    /// `supremum`.
    pub first_slack: Array2<f64>,
}

/// How learning curves are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveSettings<'a> {
    /// $N_1< N_2<\dots$, the prompts that are learned from.
    pub sizes: &'a [usize],
    /// Independent runs.
    pub runs: usize,
    /// low and high: each parameter is sought between them.
    pub bounds: (f64, f64),
}

impl LearningCurve {
    /// Draws `runs` samples of a class, growing through `sizes`, and minimises over the box $[\mathrm{low},\mathrm{high}]^p$ each time.
    ///
    /// **Errors**: no size, sizes that do not ascend, no run, an empty box, a stream name already used, a stop request. Runs go in
    /// parallel; the result does not depend on the number of threads.
    ///
    /// ```
    /// use workbench_ground::stats::{Streams, power_fit_runs};
    /// use workbench_memformer::{CurveSettings, LearningCurve, LinearClass};
    /// let (streams, class) = (Streams::new(1), LinearClass::one_step(20, 5, 1)?);
    /// let settings = CurveSettings { sizes: &[256, 1024, 4096], runs: 60, bounds: (0.0, 1.0) };
    /// let curve = LearningCurve::run(&class, settings, &streams, "curve")?;
    /// let fit = power_fit_runs(&curve.sizes, &curve.excess, (200.0, 5000.0), 2000, &mut streams.stream("bootstrap")?)?;
    /// assert!(fit.slope.contains(-1.0)); // and not -1/2
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(
        class: &LinearClass,
        settings: CurveSettings,
        streams: &Streams,
        name: &str,
    ) -> Result<LearningCurve, Error> {
        LearningCurve::run_watched(class, settings, streams, name, &mut Unwatched)
    }

    /// [`LearningCurve::run`], telling `observer` after each finished run.
    ///
    /// **Errors**: as there.
    pub fn run_watched(
        class: &LinearClass,
        settings: CurveSettings,
        streams: &Streams,
        name: &str,
        observer: &mut (dyn Observer + Send),
    ) -> Result<LearningCurve, Error> {
        const OP: &str = "LearningCurve::run";
        let CurveSettings { sizes, runs, bounds } = settings;
        let (low, high) = bounds;
        positive(OP, "the number of sizes", sizes.len())?;
        positive(OP, "the number of runs", runs)?;
        positive(OP, "the smallest size", sizes[0])?;
        faces::check_box(OP, low, high)?;
        if let Some(pair) = sizes.windows(2).find(|pair| pair[0] >= pair[1]) {
            let name = "a sample size after a larger one";
            return Err(Error::parameter(OP, name, pair[1] as f64, "sizes that ascend"));
        }
        let best = faces::minimiser(OP, class.moments(), low, high)?;
        let jobs = (0..runs).map(|i| streams.replicate(name, i)).collect::<Result<Vec<Stream>, Error>>()?;
        let finished = Finished::new(OP, runs, observer);
        let rows = jobs
            .into_par_iter()
            .map(|mut stream| {
                finished.go_on()?;
                let row = one_run(class, sizes, bounds, &best, &mut stream)?;
                finished.one();
                Ok(row)
            })
            .collect::<Result<Vec<Vec<[f64; 3]>>, Error>>()?;
        let suprema = if class.parameters() <= SUPREMA { sizes.len() } else { 0 };
        let table = |k: usize, columns: usize| Array2::from_shape_fn((runs, columns), |(r, c)| rows[r][c][k]);
        Ok(LearningCurve {
            sizes: sizes.iter().map(|n| *n as f64).collect(),
            excess: table(0, sizes.len()),
            supremum: table(1, suprema),
            first_slack: table(2, suprema),
        })
    }

    /// The excess risk by its number of prompts: an axis "prompts" beside the runs.
    ///
    /// **Errors**: those of [`Runs::new`].
    pub fn labelled(&self) -> Result<Runs, Error> {
        let sizes = self.sizes.iter().copied().map(Label::from).collect();
        Runs::new(vec![("prompts", sizes)], self.excess.clone().into_dyn())
    }
}

/// Excess, supremum and slack at each size.
fn one_run(
    class: &LinearClass,
    sizes: &[usize],
    (low, high): (f64, f64),
    best: &[f64],
    stream: &mut Stream,
) -> Result<Vec<[f64; 3]>, Error> {
    let mut sample: Sample = class.empty();
    let least = class.risk(best)?;
    sizes
        .iter()
        .map(|size| {
            let more = size - sample.count();
            class.extend(&mut sample, more, stream)?;
            let learned = sample.minimiser(low, high)?;
            let risk = class.risk(&learned)?;
            let (mut supremum, mut slack) = (0.0, 0.0);
            if class.parameters() <= SUPREMA {
                supremum = sample.supremum(class, low, high)?;
                slack = sample.risk(best)? + supremum - risk;
            }
            Ok([risk - least, supremum, slack])
        })
        .collect()
}

impl Tabulated for LearningCurve {
    fn columns(&self) -> Result<Columns, Error> {
        let excess = self.excess.columns().into_iter().map(|runs| mean(&runs.to_vec()));
        let excess = excess.collect::<Result<Vec<Estimate>, Error>>()?;
        let columns = Columns::new("Excess risk").x("prompts", &self.sizes);
        Ok(columns.with("excess risk", excess).log_x().log_y())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::work::Seen;

    #[test]
    fn more_prompts_leave_less_excess_and_the_chain_holds() {
        let class = LinearClass::one_step(10, 4, 2).unwrap();
        let sizes = [16, 256, 4096];
        let curve = LearningCurve::run(
            &class,
            CurveSettings { sizes: &sizes, runs: 40, bounds: (0.0, 1.0) },
            &Streams::new(2),
            "curve",
        )
        .unwrap();
        let mean = |table: &Array2<f64>, c: usize| table.column(c).mean().unwrap();
        assert!(mean(&curve.excess, 2) < 0.1 * mean(&curve.excess, 0));
        assert!(mean(&curve.supremum, 2) < 0.3 * mean(&curve.supremum, 0));
        assert!(curve.first_slack.iter().all(|s| *s >= -1e-12) && curve.excess.iter().all(|e| *e >= -1e-12));
        assert!(curve.excess.iter().zip(&curve.supremum).all(|(e, s)| *e <= 2.0 * s + 1e-12));
        // N E excess tends to its constant; 40 runs leave it to about half.
        let constant = class.excess_constant().unwrap();
        let seen = 4096.0 * mean(&curve.excess, 2);
        assert!(seen > 0.4 * constant && seen < 2.0 * constant, "{seen} {constant}");
    }

    #[test]
    fn runs_do_not_depend_on_threads() {
        let class = LinearClass::polynomial(10, 4, 2).unwrap();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                LearningCurve::run(
                    &class,
                    CurveSettings { sizes: &[8, 64], runs: 6, bounds: (-3.0, 3.0) },
                    &Streams::new(2),
                    "curve",
                )
                .unwrap()
            })
        };
        assert_eq!(run(1), run(3));
        let (mut seen, bounds) = (Seen::default(), (-3.0, 3.0));
        let settings = CurveSettings { sizes: &[8, 64], runs: 6, bounds };
        let watched = LearningCurve::run_watched(&class, settings, &Streams::new(2), "curve", &mut seen).unwrap();
        assert_eq!(watched, run(1));
        let most = watched.labelled().unwrap().select("prompts", 64usize).unwrap();
        assert_eq!(most.cell().unwrap(), watched.excess.column(1).to_vec());
        assert!(seen.0.len() == 6 && seen.0[5].done == 6 && seen.0[5].of == 6);
    }

    #[test]
    fn bad_requests_are_named() {
        let class = LinearClass::one_step(10, 4, 4).unwrap();
        let run = |sizes: &[usize], runs: usize| {
            let bounds = (0.0, 1.0);
            let settings = CurveSettings { sizes, runs, bounds };
            LearningCurve::run(&class, settings, &Streams::new(2), "curve")
        };
        assert!(run(&[], 2).is_err() && run(&[4], 0).is_err() && run(&[0, 4], 1).is_err());
        assert!(run(&[4, 4], 1).unwrap_err().to_string().contains("ascend"));
        assert_eq!(run(&[4, 8], 2).unwrap().supremum.ncols(), 0);
    }
}
