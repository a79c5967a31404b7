//! Hot paths of memories on heavy-tailed data: data drawn, errors of recall, steps of descent.

use divan::{Bencher, counter::ItemsCount};
use workbench_ground::stats::{Stream, Streams};
use workbench_memory::{AssociativeMemory, Embeddings, Method, Scheme, Target, TrainingRun, TrainingTask, Zipf};

fn main() {
    divan::main();
}

fn stream(name: &str) -> Stream {
    Streams::new(1).stream(name).unwrap()
}

/// A data set from an infinite law.
#[divan::bench(args = [1_000, 1_000_000])]
fn zipf_draw(bencher: Bencher, samples: usize) {
    let (law, mut stream) = (Zipf::infinite(2.0).unwrap(), stream("data"));
    bencher.counter(ItemsCount::new(samples)).bench_local(|| law.sample_counts(samples, &mut stream));
}

/// A thousand pairs stored, and the error of their recall.
#[divan::bench(args = [64, 512])]
fn recall_error(bencher: Bencher, dim: usize) {
    const N: usize = 1000;
    let (law, target) = (Zipf::new(2.0, N).unwrap(), Target::modulo(5).unwrap());
    let embeddings = Embeddings::draw(N, 5, dim, &mut stream("embeddings")).unwrap();
    let weights = Scheme::uniform().population_weights(&law, dim).unwrap();
    let (labels, p) = (target.labels(N), law.probabilities(N));
    bencher.counter(ItemsCount::new(N)).bench(|| {
        AssociativeMemory::store(&embeddings, &weights, &labels)?.generalization_error(&embeddings, &labels, &p)
    });
}

/// A hundred steps of stochastic descent on the cross-entropy loss, each an outer product.
#[divan::bench]
fn sgd_outer_products(bencher: Bencher) {
    const STEPS: usize = 100;
    let (law, target) = (Zipf::new(2.0, 100).unwrap(), Target::modulo(5).unwrap());
    let embeddings = Embeddings::draw(100, 5, 64, &mut stream("embeddings")).unwrap();
    let task = TrainingTask::new(embeddings, &target.labels(100), &law.probabilities(100)).unwrap();
    let mut descent = TrainingRun::new(&task, &Method::sgd(0.1).unwrap()).unwrap();
    let mut stream = stream("samples");
    bencher.counter(ItemsCount::new(STEPS)).bench_local(|| descent.advance(STEPS, &mut stream));
}
