//! Figure 16: seven layers in ten dimensions.
//!
//! **Claim** (`memformer/fig-16`, Appendix C). d = 10, seven layers: conjugate gradients do not converge until beyond seven steps; the
//! memformer matches them for six steps and is comparable at seven.
//!
//! The spectrum for d = 10 is not given; Section 3.3's, taken twice, is what a reader would try, and the best shared numbers in closed form
//! say for several spectra and numbers of examples how far any training could come. Section 3.3 gives a layer one number Gamma_j for all
//! later layers; the caption's A_l and Gamma_l leave open whether these models do, so both forms are tried, and tied Gamma with entries of
//! its own for the query, which Eq. 3.4 has too. In coordinates in which covariates are white all laws are one, so tied numbers are searched
//! there once and carried to every law.

use std::sync::Arc;

use workbench_display::{Table, columns};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{Architecture, ConjugateGradient, Curve, Parameters, TaskLaw, TestSet, Trainer};

use super::figure_15::{SOLVED, worst};
use super::section_3_3::EXAMPLES;
use super::section_3_3_optimum::{best_rates, optimal};
use super::section_3_3_query_weights::{on_laws, white_with_query};
use super::section_3_3_training::{
    BEHIND, FREE_SCALARS, Group, RUNS, Reading, ahead, ahead_of_logs, both_averages, budget, colour, curve_of, fresh,
    rotations, schedule,
};

/// Dimension.
const DIM: usize = 10;
/// Layers.
const LAYERS: usize = 7;
/// Depths that are trained: those at which the claim is hardest.
const TRAINED: [usize; 2] = [6, 7];

/// Seven layers, several spectra.
#[derive(Clone, Debug, Default)]
pub struct SevenLayers;

/// Trained models, the best there is and conjugate gradients for one spectrum.
pub struct Ten {
    /// Free Gamma, trained with six and with seven layers.
    trained: [Curve; 2],
    /// The same with Gamma tied over layers, searched in white coordinates.
    tied: [Curve; 2],
    /// Tied Gamma with entries of its own for the query.
    with_query: [Curve; 2],
    best: Curve,
    cgd: Curve,
}

fn twice(reading: Reading) -> Vec<f64> {
    [reading.spectrum(), reading.spectrum()].concat()
}

fn best_of(
    own: &Setting,
    laws: &[TaskLaw],
    tests: &[TestSet],
    n: usize,
    size: usize,
    name: &str,
) -> Result<Curve, Failure> {
    let rates = best_rates(own, (DIM, n), LAYERS, size, name)?;
    Ok(Curve::of_models(&optimal(&rates, laws)?, tests)?)
}

/// Steps for A, then for the registers; fewer at quick scale but for seven layers with free Gamma.
fn steps(own: &Setting, most: bool) -> (usize, usize) {
    match most {
        true => budget(own),
        false => own.scale().pick((1500, 500), budget(own)),
    }
}

/// Tied numbers, trained in coordinates in which covariates are white, on the given laws, and the same with entries for the query.
fn tied(own: &Setting, laws: &[TaskLaw], tests: &[TestSet], layers: usize) -> Result<[Curve; 2], Failure> {
    let mut stream = own.streams().replicate("d = 10, tied", layers)?;
    let model = white_with_query((DIM, layers, EXAMPLES), steps(own, false), &mut stream)?;
    on_laws(&model, (laws, tests))
}

/// The spectrum of the public code twice, trained.
pub fn ten(setting: &Setting) -> Result<Arc<Ten>, Failure> {
    setting.shared("d = 10, seven layers", |own| {
        let laws = rotations(own, &twice(Reading::Deviations), "rotation, d = 10", RUNS)?;
        let tests = fresh(own, &laws, EXAMPLES, own.scale().pick(500, 2000), "test prompts, d = 10")?;
        let mut runs = Vec::new();
        for (run, law) in laws.iter().enumerate() {
            for layers in TRAINED {
                let (first, second) = steps(own, layers == LAYERS);
                let protocol = schedule(first, second);
                let mut stream = own.streams().replicate("d = 10", run * LAYERS + layers)?;
                let form = Architecture::new(layers, DIM)?.with_registers(FREE_SCALARS);
                let model = Parameters::random(form, protocol.initial_scale, &mut stream)?;
                runs.push(Trainer::from_parameters(model, law.clone(), protocol, &mut stream)?);
            }
        }
        let trained = Group::train(&TRAINED, runs)?;
        let [six, six_query] = tied(own, &laws, &tests, TRAINED[0])?;
        let [seven, seven_query] = tied(own, &laws, &tests, TRAINED[1])?;
        Ok(Ten {
            trained: [
                curve_of(&trained.of_depth(TRAINED[0]), &tests)?,
                curve_of(&trained.of_depth(TRAINED[1]), &tests)?,
            ],
            tied: [six, seven],
            with_query: [six_query, seven_query],
            best: best_of(own, &laws, &tests, EXAMPLES, own.scale().pick(4000, 20_000), "optimum, d = 10")?,
            cgd: Curve::of_method(&ConjugateGradient, &tests, DIM)?,
        })
    })
}

/// Spectra, with the number of examples; those after the third are only shown.
fn spectra(setting: &Setting) -> Vec<(&'static str, Vec<f64>, usize)> {
    let mut all = vec![
        ("variances twice, n = 20", twice(Reading::Variances), 20),
        ("variances twice, n = 40", twice(Reading::Variances), 40),
        ("white, n = 40", vec![1.0; DIM], 40),
        ("standard deviations twice, n = 20", twice(Reading::Deviations), 20),
        ("0.7^i, n = 20", (0..10).map(|i| 0.7f64.powi(i)).collect(), 20),
        ("white, n = 20", vec![1.0; DIM], 20),
    ];
    all.truncate(setting.scale().pick(3, all.len()));
    all
}

/// The best shared numbers and conjugate gradients for one spectrum.
fn closed_form(setting: &Setting, (name, spectrum, n): &(&str, Vec<f64>, usize)) -> Result<(Curve, Curve), Failure> {
    let laws = rotations(setting, spectrum, &format!("rotation, {name}"), RUNS)?;
    let tests = fresh(setting, &laws, *n, setting.scale().pick(300, 1000), &format!("test, {name}"))?;
    let best = best_of(setting, &laws, &tests, *n, setting.scale().pick(3000, 10_000), &format!("optimum, {name}"))?;
    let cgd = Curve::of_method(&ConjugateGradient, &tests, LAYERS)?;
    Ok((best, cgd))
}

fn table(rows: &[(String, Vec<f64>)]) -> Result<Table, Failure> {
    let names: Vec<String> = rows.iter().map(|(name, _)| name.clone()).collect();
    let heads: Vec<String> = (1..=LAYERS).map(|l| format!("after {l}")).collect();
    let mut list = vec![("the best shared numbers, decades below", names.into())];
    for (l, head) in heads.iter().enumerate() {
        list.push((head.as_str(), rows.iter().map(|(_, gaps)| gaps[l]).collect::<Vec<f64>>().into()));
    }
    Ok(Table::new(columns(list)?)
        .title("How far any training could come")
        .caption("Log of the mean loss; d = 10.")
        .digits(2))
}

impl TypedCheck for SevenLayers {
    const CLAIM: &'static str = "memformer/fig-16";
    const PLAN: Plan = Plan::new(
        "decades below conjugate gradients, the logarithm of the mean loss on fresh prompts, paired run by run",
        "a gap of more than a factor of two after at most seven layers; conjugate gradients that are done after seven steps",
        &[SOLVED, BEHIND],
    )
    .protocol(&["d = 10, n = 20, seven layers, A first, then Gamma, free for each pair of layers or tied as in Section 3.3; five rotations"])
    .departures(&[
        "the spectrum is not given: that of Section 3.3 is taken twice, its squares are trained, where conjugate gradients need more steps",
        "n for d = 10 is not given either: 20, as in Section 3.3, and 40, twice as many for twice the dimensions",
        "tied Gamma is trained in coordinates in which covariates are white, and carried to the laws; entries for the query are the best ones on 10,000 prompts set aside",
    ])
    .rivals(&["conjugate gradients on each prompt"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let ten = ten(setting)?;
        let mut curves = Vec::new();
        for spectrum in spectra(setting) {
            curves.push((spectrum.0, closed_form(setting, &spectrum)?));
        }
        let keeps = |label: &str, gap: Estimate| Finding::at_least(label, BEHIND, gap).unit("runs");
        let trained = |layers: usize| -> Result<Finding, Failure> {
            let label = format!("{layers} layers, the squares taken twice: free Γ below conjugate gradients, decades");
            Ok(keeps(&label, ahead(&ten.trained[layers - TRAINED[0]], &ten.cgd, layers)?))
        };
        let (own, own_cgd) = &curves[0].1;
        let (wide, wide_cgd) = (&ten.best, &ten.cgd);
        let after = |steps: usize| worst(&ten.cgd, steps);
        let (forty, forty_cgd) = &curves[1].1;
        let tied = |layers: usize| -> Result<Finding, Failure> {
            let label = format!("{layers} layers, the squares taken twice: tied Γ below conjugate gradients, decades");
            Ok(keeps(&label, ahead(&ten.tied[layers - TRAINED[0]], &ten.cgd, layers)?))
        };
        let with_query = |layers: usize| -> Result<Finding, Failure> {
            let label = format!(
                "{layers} layers, tied Γ with entries for the query, the squares taken twice: below conjugate gradients"
            );
            let curve = &ten.with_query[layers - TRAINED[0]];
            Ok(keeps(&label, ahead(curve, &ten.cgd, layers)?))
        };
        let evidence = Evidence::of(keeps(
            "7 layers, Section 3.3's spectrum taken twice: the best there is below conjugate gradients, decades",
            ahead(own, own_cgd, 7)?,
        ))
        .and(keeps(
            "6 layers, Section 3.3's spectrum taken twice: the best there is below conjugate gradients, decades",
            ahead(own, own_cgd, 6)?,
        ))
        .and(keeps(
            "7 layers, Section 3.3's spectrum taken twice, mean of the logs: the best there is below conjugate gradients",
            ahead_of_logs(own, own_cgd, 7)?,
        ))
        .and(keeps(
            "7 layers, Section 3.3's spectrum taken twice, n = 40: the best there is below conjugate gradients",
            ahead(forty, forty_cgd, 7)?,
        ))
        .and(keeps(
            "6 layers, Section 3.3's spectrum taken twice, n = 40: the best there is below conjugate gradients",
            ahead(forty, forty_cgd, 6)?,
        ))
        .and(tied(6)?)
        .and(tied(7)?)
        .and(Finding::at_least("conjugate gradients after 7 steps: log10 of the loss", SOLVED, after(7)).unit("runs"))
        .condition(
            "with Γ free for each pair of layers or tied with entries of its own for the query, and for a spectrum spread as the squares of Section \
             3.3's, the standard deviations of the public code",
            vec![
                trained(6)?,
                trained(7)?,
                with_query(6)?,
                with_query(7)?,
                keeps(
                    "7 layers, the squares taken twice, mean of the logs: the best there is below conjugate gradients",
                    ahead_of_logs(wide, wide_cgd, 7)?,
                ),
                keeps("7 layers, the squares taken twice: the best there is below conjugate gradients", ahead(wide, wide_cgd, 7)?),
                Finding::at_most("conjugate gradients after 10 steps: log10 of the loss", SOLVED, after(10)).unit("runs"),
            ],
        )
        .twin(keeps(
            "white covariates, n = 40, 7 layers: the best there is below conjugate gradients",
            ahead(&curves[2].1.0, &curves[2].1.1, 7)?,
        ));
        let mut rows = Vec::new();
        for (name, (best, cgd)) in &curves {
            let gaps = (1..=LAYERS).map(|l| Ok(ahead(best, cgd, l)?.value));
            rows.push((name.to_string(), gaps.collect::<Result<Vec<f64>, Failure>>()?));
        }
        let series = [
            ("free Γ, trained with 7 layers", &ten.trained[1], colour::FREE),
            ("tied Γ, trained with 7 layers", &ten.tied[1], colour::TIED),
            ("the best there is", &ten.best, colour::LINEAR),
            ("CGD", &ten.cgd, colour::CONJUGATE),
        ];
        let title = "For a wide spectrum free Γ stay ahead over seven layers";
        Ok(Checked::from(evidence)
            .table(table(&rows)?)
            .figure(both_averages(title, &series, LAYERS, "The squares of D taken twice; between its ends the curve of the trained model is that of its inner layers.")))
    }
}
