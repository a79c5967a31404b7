//! Figures 8 and 9 of "Associative Memories with Heavy-Tailed Data": errors over dimension and data, for three schemes.

use serde::{Deserialize, Serialize};
use workbench_ground::Error;
use workbench_memory::{Experiment, Samples, Scheme, Target, Threshold, Zipf, log_grid};
use workbench_record::Scale;

use super::CLASSES;
use crate::{Column, Draws, Kind, Rows, Sweep};

/// Errors of equal weights, of weights by frequency, of equal weights on the top d/8 and, where data are finite, of weights p in the
/// opposite order of ranks (the wrong form that the checks of the figures tell apart), on common embeddings and data.
///
/// The sizes of the document are in the grid at each scale, with its 100 runs, so that the checks of Figures 8 and 9 can take them.
#[derive(Clone, Copy, Debug)]
pub struct ErrorCurves;

/// A figure at a size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Which figure.
    pub figure: String,
    /// Inputs N.
    pub inputs: usize,
    /// Exponent of the law.
    pub alpha: f64,
    /// By how much dimensions and samples are multiplied.
    pub times: usize,
    /// Whether T runs from 10 to a million, or is infinite.
    pub finite: bool,
}

/// Dimensions of the left and middle panels of Figure 8.
const OVER_DATA: [usize; 18] = [5, 7, 10, 14, 20, 30, 40, 60, 80, 100, 140, 200, 300, 400, 600, 1000, 1400, 2000];
/// Dimensions of its right panel, and of Figure 9.
const OVER_DIMENSION: [usize; 17] = [8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048];

impl Sweep for ErrorCurves {
    type Point = Point;
    const NAME: &'static str = "error-curves";
    const TITLE: &'static str = "heavy-tailed memories, Figures 8 and 9: errors over dimension and data";
    const COLUMNS: &'static [Column] = &[
        ("samples", Kind::Number),
        ("dimension", Kind::Count),
        ("error_equal", Kind::Number),
        ("error_by_frequency", Kind::Number),
        ("error_top_eighth", Kind::Number),
        ("error_backwards", Kind::Number),
    ];

    fn grid(scale: Scale) -> Vec<Point> {
        let sizes: &[usize] = scale.pick(&[1], &[1, 10]);
        let figures = |times: &usize| {
            let point = |figure: &str, inputs: usize, alpha: f64, finite: bool| Point {
                figure: figure.into(),
                inputs: inputs * *times,
                alpha,
                times: *times,
                finite,
            };
            [
                point("figure-8-left-and-middle", 100, 0.5, true),
                point("figure-8-right", 100, 2.0, false),
                point("figure-9", 1000, 2.0, false),
            ]
        };
        sizes.iter().flat_map(figures).collect()
    }

    fn replicates(_: Scale) -> usize {
        100
    }

    fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
        let (dims, samples) = match point.finite {
            true => {
                let sizes = log_grid(10, 1_000_000, 2)?.into_iter();
                let sizes = sizes.map(|t| Samples::Draws(t * point.times));
                (&OVER_DATA[..], sizes.collect())
            }
            false => (&OVER_DIMENSION[..], vec![Samples::Population]),
        };
        let law = Zipf::new(point.alpha, point.inputs)?;
        let mut schemes =
            vec![Scheme::uniform(), Scheme::power(1.0)?, Scheme::uniform().threshold(Threshold::PerDimension(0.125))?];
        if point.finite {
            let backwards: Vec<f64> = law.probabilities(point.inputs).into_iter().rev().collect();
            schemes.push(Scheme::explicit(&backwards)?);
        }
        let errors = Experiment::new(law, Target::modulo(CLASSES)?)
            .schemes(schemes)
            .dims(dims.iter().map(|d| d * point.times).collect())
            .samples(samples)
            .runs(1)
            .run(&draws.streams("run")?, "run")?;
        let (dims, sizes, values) = (errors.dims(), errors.sizes(), errors.runs().values());
        let cells = || (0..sizes.len()).flat_map(|t| (0..dims.len()).map(move |d| (t, d)));
        let of = |scheme: usize| cells().map(move |(t, d)| values.get([0, scheme, t, d]).copied().unwrap_or(f64::NAN));
        Ok(Rows::default()
            .numbers(cells().map(|(t, _)| sizes[t]))
            .counts(cells().map(|(_, d)| dims[d] as usize))
            .numbers(of(0))
            .numbers(of(1))
            .numbers(of(2))
            .numbers(of(3)))
    }
}
