//! Batches drawn without their prompts: X X^T / n has a Wishart law, which takes d (d + 1) / 2 draws instead of n d.

use super::batch::Batch;
use super::ops::triangle;
use super::vector::stride;
use crate::{Error, TaskLaw};
use ndarray::{Array1, Array2};
use rand::RngCore;
use rand_distr::{ChiSquared, Distribution};
use workbench_ground::check::{positive, same_shape};
use workbench_ground::lanes::{Instructions, Precision};
use workbench_ground::stats::{Stream, Streams};

impl Batch {
    /// A batch with the law of [`crate::Prompts::draw`], drawn without the examples themselves.
    ///
    /// With covariates $\mathcal N(\mathrm{mean},LL^\top)$, $XX^\top=LTT^\top L^\top+gg^\top$: T is lower triangular with normals below the
    /// diagonal and roots of chi-squares on it (Bartlett), and g carries the mean, $g\sim\mathcal N(\sqrt n\,\mathrm{mean},\Sigma)$ with
    /// one degree of freedom. Without a mean g is not needed. The stream is advanced by one number, so a batch is the same on any number of
    /// threads.
    ///
    /// **Errors**: n or B zero, a stop request. Cost: about d^2 / 2 + 3 d draws and d^3 / 3 multiplications a prompt, whatever n is.
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memformer::{Batch, Precision, TaskLaw};
    /// let law = TaskLaw::isotropic(5)?;
    /// let batch = Batch::draw(&law, 20, 1000, Precision::Single, &mut Streams::new(1).stream("batch")?)?;
    /// assert_eq!(batch.prompts(), 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw(
        law: &TaskLaw,
        n: usize,
        prompts: usize,
        precision: Precision,
        stream: &mut Stream,
    ) -> Result<Batch, Error> {
        let mut batch = Batch::empty(prompts, law.dim(), precision, Instructions::here())?;
        batch.redraw(law, n, stream)?;
        Ok(batch)
    }

    /// Draws every prompt anew, in the same memory.
    ///
    /// **Errors**: n zero, a law of another dimension, a stop request.
    pub fn redraw(&mut self, law: &TaskLaw, n: usize, stream: &mut Stream) -> Result<(), Error> {
        const OP: &str = "Batch::draw";
        positive(OP, "the number of examples (n)", n)?;
        same_shape(OP, "the law's covariance", &[law.dim()], &[self.dim()])?;
        let source = Source::new(law, n);
        let streams = Streams::new(stream.next_u64());
        let source = &source;
        self.fill(OP, &|chunk| {
            let mut stream = streams.restart_replicate("chunk", chunk)?;
            let mut room = Room::new(law.dim());
            Ok(Box::new(move |values: &mut [f64]| {
                source.prompt(&mut stream, &mut room, values);
            }))
        })
    }
}

/// What is the same for every prompt.
struct Source<'a> {
    law: &'a TaskLaw,
    n: f64,
    /// sqrt(n) mean, if there is one.
    centre: Option<Array1<f64>>,
    /// Laws of the squared diagonal of T; fewer than d of them if there are fewer examples.
    squares: Vec<ChiSquared<f64>>,
}

/// Arrays that a thread uses over and over.
struct Room {
    normals: Vec<f64>,
    /// T, by columns.
    triangle: Array2<f64>,
    columns: Array2<f64>,
}

impl Room {
    fn new(d: usize) -> Room {
        Room { normals: vec![0.0; d], triangle: Array2::zeros((d, d)), columns: Array2::zeros((d, d + 1)) }
    }
}

impl<'a> Source<'a> {
    fn new(law: &'a TaskLaw, n: usize) -> Source<'a> {
        let centred = law.mean().iter().all(|m| *m == 0.0);
        let freedom = if centred { n } else { n - 1 };
        let squares = (0..freedom.min(law.dim()))
            // Degrees of freedom from 1 on, which is what the constructor asks for.
            .filter_map(|i| ChiSquared::new((freedom - i) as f64).ok())
            .collect();
        Source { law, n: n as f64, centre: (!centred).then(|| law.mean() * (n as f64).sqrt()), squares }
    }

    /// Triangle of H, H w*, w*, query.
    fn prompt(&self, stream: &mut Stream, room: &mut Room, values: &mut [f64]) {
        let d = self.law.dim();
        let (h, rest) = values[..stride(d)].split_at_mut(triangle(d));
        let (cross, rest) = rest.split_at_mut(d);
        let (truth, query) = rest.split_at_mut(d);
        let Room { normals, triangle, columns } = room;
        let mut normal = |stream: &mut Stream, mean: &Array1<f64>, factor: &Array2<f64>, out: &mut [f64]| {
            normals.iter_mut().for_each(|v| *v = stream.normal());
            for (i, out) in out.iter_mut().enumerate() {
                *out = mean[i] + (0..=i).map(|k| factor[[i, k]] * normals[k]).sum::<f64>();
            }
        };
        normal(stream, self.law.truth_mean(), self.law.truth_factor(), truth);
        normal(stream, self.law.mean(), self.law.factor(), query);
        let rank = self.squares.len();
        for (k, square) in self.squares.iter().enumerate() {
            triangle[[k, k]] = square.sample(stream).sqrt();
            for i in k + 1..d {
                triangle[[k, i]] = stream.normal();
            }
        }
        // Columns of L T, and g behind them.
        let factor = self.law.factor();
        for i in 0..d {
            for k in 0..rank {
                columns[[i, k]] = (k..=i).map(|j| factor[[i, j]] * triangle[[k, j]]).sum();
            }
        }
        let mut count = rank;
        if let Some(centre) = &self.centre {
            // The cross is not yet in use.
            normal(stream, centre, factor, cross);
            for i in 0..d {
                columns[[i, count]] = cross[i];
            }
            count += 1;
        }
        let mut at = 0;
        for i in 0..d {
            for j in 0..=i {
                // Without a mean, column k of L T begins at row k.
                let last = if self.centre.is_some() { count } else { count.min(j + 1) };
                h[at] = (0..last).map(|k| columns[[i, k]] * columns[[j, k]]).sum::<f64>() / self.n;
                at += 1;
            }
        }
        for (i, cross) in cross.iter_mut().enumerate() {
            let entry = |j: usize| {
                if j <= i { h[i * (i + 1) / 2 + j] } else { h[j * (j + 1) / 2 + i] }
            };
            *cross = (0..d).map(|j| entry(j) * truth[j]).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Parameters, Prompts};
    use ndarray::array;
    use workbench_ground::stats::paired_difference;

    fn law(mean: f64) -> TaskLaw {
        let law = TaskLaw::new(array![[1.0, 0.3, 0.0], [0.3, 0.5, 0.1], [0.0, 0.1, 0.8]]).unwrap();
        law.with_means(Array1::from_elem(3, mean), Array1::from_elem(3, mean / 2.0)).unwrap()
    }

    /// Mean and spread of what a model makes of prompts.
    fn losses(batch: &Batch) -> Vec<f64> {
        let mut model = Parameters::neutral(Architecture::new(2, 3).unwrap());
        for l in 0..2 {
            model.set_a(l, &array![[0.5, 0.1, 0.0], [0.0, 0.4, -0.1], [0.1, 0.0, 0.3]]).unwrap();
        }
        batch.losses(&model).unwrap().row(2).to_vec()
    }

    #[test]
    fn the_short_cut_has_the_law_of_the_prompts() {
        let streams = Streams::new(21);
        for (name, mean, n) in
            [("centred", 0.0, 9), ("moved", 0.7, 9), ("few", 0.0, 2), ("few moved", -0.4, 2), ("one", 0.3, 1)]
        {
            let size = 40_000;
            let law = law(mean);
            let prompts = Prompts::draw(&law, n, size, &mut streams.stream(&format!("{name} a")).unwrap()).unwrap();
            let want = losses(&Batch::new(&prompts.statistics().unwrap(), Precision::Double).unwrap());
            let mut stream = streams.stream(&format!("{name} b")).unwrap();
            let got = losses(&Batch::draw(&law, n, size, Precision::Double, &mut stream).unwrap());
            // Independent samples of equal size: the order of pairs does not matter.
            for power in [0.5, 0.25] {
                let of = |v: &[f64]| -> Vec<f64> { v.iter().map(|v| v.powf(power)).collect() };
                let mean = paired_difference(&of(&got), &of(&want)).unwrap();
                assert!(mean.contains(0.0), "{name} {power}: {mean:?}");
            }
        }
    }

    #[test]
    fn draws_repeat_and_do_not_depend_on_threads() {
        let law = TaskLaw::isotropic(5).unwrap();
        let model = Parameters::neutral(Architecture::new(1, 5).unwrap());
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut stream = Streams::new(2).stream("batch").unwrap();
                let mut batch = Batch::draw(&law, 20, 3000, Precision::Single, &mut stream).unwrap();
                let first = batch.loss(&model).unwrap();
                batch.redraw(&law, 20, &mut stream).unwrap();
                (first, batch.loss(&model).unwrap())
            })
        };
        let (first, second) = run(1);
        assert_eq!(run(3), (first, second));
        assert_ne!(first, second);
        let error = Batch::draw(&law, 0, 1, Precision::Single, &mut Streams::new(2).stream("b").unwrap()).unwrap_err();
        assert!(error.to_string().contains("(n)"));
    }
}
