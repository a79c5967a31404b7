//! Reproducibility statement.
//!
//! **Claim** (`memformer/reproducibility`). Seeds were fixed; set-up, initialisation and optimisation are described in Sections 2 and 3.3, the
//! code is available; everything ran on T4 GPUs.
//!
//! Runs repeat bit for bit from their seeds here. What a run of Section 3.3 needs is listed and looked up in the text: learning rate, steps,
//! size of the start, the moments of Adam and what is clipped together are not in it. Each of these is varied, and what is asked of
//! memformers in the figures must come out alike; leads of a tenth of a decade, as those of Figure 2, are asked as well as larger ones.
//! Against the claim speaks a constant that is not there, and one that turns a comparison.

use workbench_display::{Table, columns};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Architecture, Averaging, Clip, ConjugateGradient, Curve, Family, Parameters, RegisterKind, Score, Trainer,
    TrainingProtocol,
};

use super::appendix_b::{best, printed};
use super::section_3_3::DIM;
use super::section_3_3_setup::repeats;
use super::section_3_3_training::{Field, Group, LAYERS, Reading, TIED_SCALARS, TWICE, curve_of, field, schedule};
use crate::vocabulary::{EXACT, by_scale, largest_of, least_of};

/// Kinds of models with the depths at which the settings are compared.
const MODELS: [(RegisterKind, [usize; 2]); 2] = [(TIED_SCALARS, [2, LAYERS]), (RegisterKind::Single, [1, 2])];
/// What is compared; the first so many are far from even.
const COMPARISONS: [&str; 6] = [
    "tied, 2 layers, below CGD",
    "tied, 4 layers, below CGD",
    "tied, 4 layers, below printed Nesterov",
    "tied, 4 layers, below best Nesterov",
    "one register, 1 layer, below CGD",
    "one register, 2 layers, below CGD",
];
const FAR: usize = 3;
/// What a run of Section 3.3 needs, and whether Sections 2 and 3.3 have it.
const NEEDED: [(&str, bool); 16] = [
    ("dimension d", true),
    ("examples n", true),
    ("spectrum D", true),
    ("law of U", true),
    ("law of the targets", true),
    ("loss", true),
    ("layers", true),
    ("optimiser", true),
    ("batch size", true),
    ("how often batches are renewed", true),
    ("bound of the clipping", true),
    ("learning rate", false),
    ("number of steps", false),
    ("size of the Gaussian start", false),
    ("moments of Adam", false),
    ("whether each matrix is clipped or all together", false),
];

/// What the constants left open change.
#[derive(Clone, Debug, Default)]
pub struct OpenConstants {
    /// Rotations on which each setting is trained; by scale if 0.
    pub rotations: usize,
}

/// Settings, the first of them that of all other checks.
fn settings(setting: &Setting) -> Vec<(String, TrainingProtocol)> {
    let (first, second) = setting.scale().pick((2000, 700), (20_000, 10_000));
    let base = schedule(first, second);
    let mut all = vec![("as elsewhere".to_string(), base.clone())];
    let mut add = |name: String, change: &dyn Fn(&mut TrainingProtocol)| {
        let mut protocol = base.clone();
        change(&mut protocol);
        all.push((name, protocol));
    };
    for rate in [0.001, 0.005, 0.1] {
        add(format!("learning rate {rate}"), &|p| p.phases[0].rate = rate);
    }
    add("rate never halved".to_string(), &|p| {
        p.phases.iter_mut().for_each(|phase| phase.halve_every = None);
    });
    for part in [10, 3] {
        add(format!("1/{part} of the steps"), &|p| *p = schedule(first / part, second / part));
    }
    for size in [0.01, 0.1, 0.5] {
        add(format!("start of size {size}"), &|p| p.initial_scale = size);
    }
    add("Adam's usual moments".to_string(), &|p| p.betas = (0.9, 0.999));
    add("all gradients clipped together".to_string(), &|p| p.clip = Clip::Global(0.01));
    all
}

struct Seen {
    names: Vec<String>,
    /// Decades below the rival, setting by setting, for each of [`COMPARISONS`].
    comparisons: [Vec<f64>; 6],
}

impl OpenConstants {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let field = field(setting, Reading::Variances)?;
        let Field { laws, tests, .. } = &*field;
        let rotations = by_scale(self.rotations, setting.scale().pick(1, 3));
        let (laws, tests) = (&laws[..rotations], &tests[..rotations]);
        let cgd = Curve::of_method(&ConjugateGradient, tests, LAYERS)?;
        let (rate, beta) = printed(Family::Nesterov);
        let nesterov = Curve::of_method(&Family::Nesterov.method(rate, beta, LAYERS)?, tests, LAYERS)?;
        let (rate, beta) = best(setting, Family::Nesterov, LAYERS).map(|rival| (rival.rate, rival.beta))?;
        let best = Curve::of_method(&Family::Nesterov.method(rate, beta, LAYERS)?, tests, LAYERS)?;
        let settings = settings(setting);
        let mut comparisons: [Vec<f64>; 6] = Default::default();
        for (m, (registers, depths)) in MODELS.into_iter().enumerate() {
            let mut runs = Vec::new();
            for (k, (_, protocol)) in settings.iter().enumerate() {
                for (i, law) in laws.iter().enumerate() {
                    for layers in depths {
                        let place = 1200 * m + k * 100 + i * 10 + layers;
                        let mut stream = setting.streams().replicate("open constants", place)?;
                        let form = Architecture::new(layers, DIM)?.with_registers(registers);
                        runs.push(Trainer::new(form, law.clone(), protocol.clone(), &mut stream)?);
                    }
                }
            }
            let group = Group::train(&depths, runs)?;
            let (few, many) = (group.of_depth(depths[0]), group.of_depth(depths[1]));
            let after = |models: &[Parameters]| curve_of(models, tests);
            for (few, many) in few.chunks(laws.len()).zip(many.chunks(laws.len())) {
                let (few, many) = (after(few)?, after(many)?);
                if m == 0 {
                    comparisons[0].push(below(&few, &cgd, depths[0]));
                    for (list, rival) in comparisons[1..].iter_mut().zip([&cgd, &nesterov, &best]) {
                        list.push(below(&many, rival, LAYERS));
                    }
                } else {
                    comparisons[4].push(below(&few, &cgd, depths[0]));
                    comparisons[5].push(below(&many, &cgd, depths[1]));
                }
            }
        }
        Ok(Seen { names: settings.into_iter().map(|(name, _)| name).collect(), comparisons })
    }
}

/// Decades by which the loss of `a` is below that of `b` after `layer` layers, mean over rotations.
fn below(a: &Curve, b: &Curve, layer: usize) -> f64 {
    let mean = |curve: &Curve| curve.line(Score::Query, Averaging::LogOfMeans)[layer];
    mean(b) - mean(a)
}

fn range(values: &[f64]) -> f64 {
    largest_of(values) - least_of(values)
}

impl Seen {
    /// Comparisons whose winner is another than with the first setting.
    fn turned(which: &[Vec<f64>]) -> usize {
        let turned = |values: &Vec<f64>| values.iter().filter(|v| v.signum() != values[0].signum()).count();
        which.iter().map(turned).sum()
    }

    fn table(&self) -> Result<Table, Failure> {
        let mut list = vec![("setting", self.names.clone().into())];
        for (name, values) in COMPARISONS.into_iter().zip(&self.comparisons) {
            list.push((name, values.clone().into()));
        }
        Ok(Table::new(columns(list)?)
            .title("What the constants left open change")
            .caption("Decades, means over rotations. CGD: conjugate gradients.")
            .digits(3))
    }
}

/// What is needed, and whether it is in the text.
fn needed() -> Result<Table, Failure> {
    let there = |(_, given): (&str, bool)| if given { "given" } else { "not given" };
    Ok(Table::new(columns(vec![
        ("a run needs", NEEDED.map(|(name, _)| name).to_vec().into()),
        ("Sections 2 and 3.3", NEEDED.map(there).to_vec().into()),
    ])?)
    .title("What the text says of a run"))
}

impl TypedCheck for OpenConstants {
    const CLAIM: &'static str = "memformer/reproducibility";
    const PLAN: Plan = Plan::new(
        "constants that the text leaves open; numbers that differ when a run is repeated; comparisons whose winner a setting turns",
        "a constant that a run needs and Sections 2 and 3.3 do not have; a run that its seed does not determine",
        &[EXACT, TWICE],
    )
    .protocol(&[
        "set-up of Section 3.3, tied Gamma with two and four layers, one register with one and two; twelve settings on three rotations, on one at quick scale",
        "2700 steps at quick scale and 30,000 at paper scale",
    ])
    .departures(&["the authors' seeds, their code and their T4 GPUs are not tested"])
    .rivals(&["conjugate gradients; Nesterov's method with the printed and with the best constants after four steps"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (repeats, seen) = (repeats(setting)?, self.see(setting)?);
        let differ =
            |label: &str, count: usize| Finding::identity(label, count as f64, EXACT).cases(repeats.of).unit("numbers");
        let changes = seen.names.len() - 1;
        let (far, close) = seen.comparisons.split_at(FAR);
        let turned = |label: &str, which: &[Vec<f64>]| {
            Finding::identity(label, Seen::turned(which) as f64, EXACT).cases(which.len() * changes).unit("comparisons")
        };
        let missing = NEEDED.iter().filter(|(_, given)| !given).count();
        let evidence = Evidence::of(
            Finding::identity("constants that a run needs and the text does not have", missing as f64, EXACT)
                .cases(NEEDED.len())
                .unit("constants"),
        )
        .and(turned("comparisons whose winner an open constant changes", far))
        .and(turned("leads of a tenth of a decade that an open constant turns", close))
        .weaker(
            "a seed fixes a run, and comparisons that are a factor of two apart come out alike; rate, steps, size of the start, moments and what is clipped together are not in the text",
            vec![
                differ("numbers of a model that differ when a run is repeated from its seed", repeats.same),
                turned("leads of a factor of two: comparisons that change their winner", far),
                Finding::at_most(
                    "range of the decades below conjugate gradients at 4 layers over open constants",
                    TWICE,
                    Estimate::exact(range(&seen.comparisons[1])),
                )
                .cases(changes + 1)
                .unit("settings"),
            ],
        )
        .twin(differ("numbers that differ from another seed", repeats.other));
        Ok(Checked::from(evidence).table(needed()?).table(seen.table()?))
    }
}
