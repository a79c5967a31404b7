//! Reproducibility statement.
//!
//! **Claim** (`memformer/reproducibility`). Seeds were fixed; set-up, initialisation and optimisation are described in Sections 2 and 3.3, the
//! code is available; everything ran on T4 GPUs.
//!
//! Runs repeat bit for bit from their seeds here. What a run of Section 3.3 needs is listed and looked up in the text: learning rate, steps,
//! size of the start, the moments of Adam and what is clipped together are not in it. Each of these is varied, and what is asked of
//! memformers in the figures must come out alike; leads of a tenth of a decade, as those of Figure 2, are asked as well as larger ones.
//! Refuted by a constant that is not there, and by one that turns a comparison.

use workbench_display::{Table, columns};
use workbench_ledger::{Check, Done, Failure, Says, Setting, Sheet};
use workbench_memformer::{
    Architecture, Averaging, Clip, ConjugateGradient, Curve, Family, Parameters, RegisterKind, Score, Trainer,
    TrainingProtocol,
};

use super::section_3_3_setup::repeats;
use super::task_law::DIM;
use super::trained_memformers::{Group, LAYERS, Reading, TIED_SCALARS, TWICE, curve_of, field, schedule};
use super::tuned_rivals::{best, printed};
use crate::vocabulary::{EXACT, largest_of, least_of};

/// What the constants left open change.
pub const CHECK: Check = Check {
    claim: "memformer/reproducibility",
    metric: "constants that the text leaves open, looked up by hand; numbers that differ when a run is repeated; comparisons whose winner a setting turns",
    against: "a constant that a run needs and Sections 2 and 3.3 do not have; a run that its seed does not determine",
    protocol: &["set-up of Section 3.3"],
    choices: &[
        "tied Gamma with two and four layers, one register with one and two; twelve settings on three rotations, on one at quick scale",
        "2700 steps at quick scale and 30,000 at paper scale",
    ],
    departures: &["the authors' seeds, their code and their T4 GPUs are not tested"],
    rivals: &["conjugate gradients; Nesterov's method with the printed and with the best constants after four steps"],
    run,
    ..Check::DEFAULT
};

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

fn run(s: &Sheet) -> Done {
    s.weaker(
        "a seed fixes a run, and comparisons that are far from even come out alike; rate, steps, size of the start, moments and what is clipped together are not in the text and left to the code, which the statement says is available",
    );
    for (_, given) in s.each("constants", NEEDED) {
        s.printed(EXACT).never("constants that a run needs and the text does not have", !given);
    }
    let frame = columns(vec![
        ("a run needs", NEEDED.map(|(name, _)| name).into()),
        ("Sections 2 and 3.3", NEEDED.map(|(_, given)| if given { "given" } else { "not given" }).into()),
    ])?;
    s.table(Table::new(frame).title("What the text says of a run"));
    let repeats = repeats(s)?;
    let label = "numbers of a model that differ when a run is repeated from its seed";
    s.changed(EXACT).over(repeats.of, "numbers").same(label, repeats.same as f64);
    s.twin(EXACT).over(repeats.of, "numbers").same("numbers that differ from another seed", repeats.other as f64);
    open_constants(s)
}

/// Decades below the rivals, setting by setting.
fn open_constants(s: &Sheet) -> Done {
    let field = field(s, Reading::Variances)?;
    let rotations = s.knob("rotations on which each setting is trained", s.scale().pick(1, 3), 1..=field.laws.len())?;
    let tests = &field.tests[..rotations];
    let cgd = Curve::of_method(&ConjugateGradient, tests, LAYERS)?;
    let nesterov = |(rate, beta): (f64, f64)| -> Result<Curve, Failure> {
        Ok(Curve::of_method(&Family::Nesterov.method(rate, beta, LAYERS)?, tests, LAYERS)?)
    };
    let tuned = best(s, Family::Nesterov, LAYERS)?;
    let (tuned, nesterov) = (nesterov((tuned.rate, tuned.beta))?, nesterov(printed(Family::Nesterov))?);
    let settings = settings(s);
    let tied = trained(s, &settings, rotations, (TIED_SCALARS, [2, LAYERS], 0))?;
    let one = trained(s, &settings, rotations, (RegisterKind::Single, [1, 2], 1200))?;
    let below = |models: &[[Curve; 2]], which: usize, rival: &Curve, layer: usize| -> Vec<f64> {
        let loss = |curve: &Curve| curve.line(Score::Query, Averaging::LogOfMeans)[layer];
        models.iter().map(|depths| loss(rival) - loss(&depths[which])).collect()
    };
    // The first three are far from even.
    let comparisons = [
        ("tied, 2 layers, below CGD", below(&tied, 0, &cgd, 2)),
        ("tied, 4 layers, below CGD", below(&tied, 1, &cgd, LAYERS)),
        ("tied, 4 layers, below printed Nesterov", below(&tied, 1, &nesterov, LAYERS)),
        ("tied, 4 layers, below best Nesterov", below(&tied, 1, &tuned, LAYERS)),
        ("one register, 1 layer, below CGD", below(&one, 0, &cgd, 1)),
        ("one register, 2 layers, below CGD", below(&one, 1, &cgd, 2)),
    ];
    // Comparisons whose winner is another than with the first setting.
    let turned = |says: Says, label: &str, which: &[(&str, Vec<f64>)]| {
        for (_, decades) in which {
            for changed in s.each("comparisons", &decades[1..]) {
                says.never(label, changed.signum() != decades[0].signum());
            }
        }
    };
    let (far, close) = comparisons.split_at(3);
    turned(s.both_forms(EXACT), "comparisons whose winner an open constant changes", far);
    turned(s.aside(EXACT), "leads of a tenth of a decade that an open constant turns", close);
    let decades = &comparisons[1].1;
    let label = "range of the decades below conjugate gradients at 4 layers over open constants";
    let range = largest_of(decades) - least_of(decades);
    s.aside(TWICE).over(settings.len(), "settings").at_most(label, range);

    let names: Vec<String> = settings.into_iter().map(|(name, _)| name).collect();
    let mut list = vec![("setting", names.into())];
    list.extend(comparisons.map(|(name, decades)| (name, decades.into())));
    let table = Table::new(columns(list)?).title("What the constants left open change").digits(3);
    s.table(table.caption("Decades, means over rotations. CGD: conjugate gradients."));
    Ok(())
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

/// For each setting the losses of models of the two depths; their random streams are numbered from `places`.
fn trained(
    s: &Sheet,
    settings: &[(String, TrainingProtocol)],
    rotations: usize,
    (registers, depths, places): (RegisterKind, [usize; 2], usize),
) -> Result<Vec<[Curve; 2]>, Failure> {
    let field = field(s, Reading::Variances)?;
    let mut runs = Vec::new();
    for (k, (_, protocol)) in settings.iter().enumerate() {
        for (i, law) in field.laws[..rotations].iter().enumerate() {
            for layers in depths {
                let place = places + k * 100 + i * 10 + layers;
                let mut stream = s.streams().replicate("open constants", place)?;
                let form = Architecture::new(layers, DIM)?.with_registers(registers);
                runs.push(Trainer::new(form, law.clone(), protocol.clone(), &mut stream)?);
            }
        }
    }
    let group = Group::train(&depths, runs)?;
    let [few, many] = depths.map(|depth| group.of_depth(depth));
    let curve = |models: &[Parameters]| curve_of(models, &field.tests[..rotations]);
    let of_settings = few.chunks(rotations).zip(many.chunks(rotations));
    of_settings.map(|(few, many)| Ok([curve(few)?, curve(many)?])).collect()
}
