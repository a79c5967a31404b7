//! Computations of minutes end soon after a stop is requested from another thread. One test in a program of its own, because the request
//! is for the process: whatever else computes in it would stop, too.

use std::time::{Duration, Instant};

use ndarray::Array2;
use workbench::ledger::{Error as LedgerError, Evidence, Ledger, Settings};
use workbench::memory::{self, ConditionalDraws, Experiment, Samples, Scheme, Target, ThresholdProfile, Zipf};
use workbench::stats::{self, Streams};
use workbench::work;

/// Runs `job`, asks it to stop after a while, and returns how long it went on.
fn reaction<T>(name: &str, job: impl FnOnce() -> Result<T, Box<dyn std::error::Error>>) -> Duration {
    let asked = std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(150));
        work::request_stop();
        Instant::now()
    });
    let result = job();
    let ended = Instant::now();
    let asked = asked.join().unwrap();
    work::clear_stop();
    let error = result.err().unwrap_or_else(|| panic!("{name} came to its end"));
    assert!(error.to_string().contains("stopped as you asked"), "{name}: {error}");
    let took = ended.saturating_duration_since(asked);
    println!("{name}: ended {:.1} ms after the request; {error}", took.as_secs_f64() * 1e3);
    took
}

#[test]
fn long_computations_end_soon() {
    let streams = Streams::new(1);
    let mut took = Vec::new();
    let (law, target) = (Zipf::new(1.2, 20_000).unwrap(), Target::modulo(50).unwrap());
    let experiment = Experiment::new(law, target.clone())
        .dims(vec![1000, 20_000])
        .samples(vec![Samples::Population, Samples::Draws(100_000)])
        .runs(1000);
    took.push(reaction("experiment", || Ok(experiment.run(&streams, "long")?)));
    let draws = ConditionalDraws::new(60, 20_000, &mut streams.stream("draws").unwrap()).unwrap();
    let target = Target::modulo(60).unwrap();
    let law = Zipf::infinite(1.5).unwrap();
    let thresholds: Vec<usize> = (1..1000).collect();
    took.push(reaction("thresholds", || {
        let scheme = Scheme::power(1.0)?;
        Ok(ThresholdProfile::compute(&draws, &law, &target, &scheme, 256, &thresholds)?)
    }));
    took.push(reaction("sample curve", || {
        let mut stream = streams.stream("sets")?;
        Ok(draws.sample_curve(&law, &target, &Scheme::uniform(), 64, &[1_000_000, 100_000_000], &mut stream)?)
    }));
    took.push(reaction("draws", || Ok(ConditionalDraws::new(500, 10_000_000, &mut streams.stream("many")?)?)));
    let x: Vec<f64> = (0..1000).map(f64::from).collect();
    took.push(reaction("bootstrap", || {
        let mut mean = |i: &[usize]| i.iter().map(|&k| x[k]).sum::<f64>() / i.len() as f64;
        Ok(stats::bootstrap(1000, 100_000_000, &mut streams.stream("b")?, &mut mean)?)
    }));
    let embeddings = memory::Embeddings::draw(4000, 200, 1500, &mut streams.stream("e").unwrap()).unwrap();
    let labels: Vec<usize> = (0..4000).map(|x| x % 200).collect();
    let p = vec![1.0 / 4000.0; 4000];
    took.push(reaction::<()>("gradient steps", || {
        let mut w = Array2::zeros((1500, 1500));
        loop {
            w -= &memory::cross_entropy_gradient(&w, &embeddings, &labels, &p)?;
        }
    }));
    took.push(reaction("integral", || {
        // Never smooth enough: refused at last, after many slow evaluations.
        let rough = |x: f64| {
            std::thread::sleep(Duration::from_micros(200));
            (1e9 * x).sin().abs()
        };
        Ok(stats::integrate(&rough, 0.0, 1.0, 1e-12)?)
    }));
    took.push(reaction::<()>("embeddings", || {
        loop {
            memory::Embeddings::draw(100_000, 10, 50, &mut streams.restart("e")?)?;
        }
    }));
    // The limit of the kernel is a second; other tests may be running beside this one.
    assert!(took.iter().all(|t| *t < Duration::from_secs(1)), "{took:?}");

    // Nothing is recorded while a stop is requested, and the ledger works again afterwards.
    let folder = tempfile::tempdir().unwrap();
    let registry = "[[paper]]\nid = \"p\"\ntitle = \"t\"\n\n[[claim]]\nid = \"p/one\"\npaper = \"p\"\nwhere = \"1\"\n\
        kind = \"theorem\"\nsays = \"s\"\nsetup = \"s\"\ncheck = \"c\"\nreach = \"cpu-seconds\"\nnotebook = \"one\"\n";
    std::fs::write(folder.path().join("claims.toml"), registry).unwrap();
    let ledger = Ledger::with("one", Settings::new(folder.path())).unwrap();
    let evidence = || {
        let measured = stats::Estimate::new(0.5, 0.4, 0.6, 9, 0.999).unwrap();
        Evidence::of(workbench::ledger::Finding::near("half", 0.5, 0.2, measured))
    };
    work::request_stop();
    let refused = ledger.record("p/one", evidence());
    let not_tested = ledger.not_tested("p/one", "no data");
    work::clear_stop();
    for error in [refused.unwrap_err(), not_tested.unwrap_err()] {
        assert!(matches!(&error, LedgerError::StopRequested { id } if id == "p/one"), "{error}");
        assert!(error.to_string().contains("nothing recorded for claim `p/one`"));
    }
    assert!(!ledger.settings().results.join("ledger.csv").exists(), "no file was made");
    ledger.record("p/one", evidence()).unwrap();
}
