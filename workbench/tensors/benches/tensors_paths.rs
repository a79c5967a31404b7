//! Hot paths of memformers with free matrices: the fused pass over prompts, and what a device computes, on the machine's own cores.

use divan::{Bencher, counter::ItemsCount};
use workbench_ground::stats::{Stream, Streams};
use workbench_memformer::{Precision, TaskLaw};
use workbench_tensors::{AttentionKind, FullArchitecture, FullParameters, Processor, TokenBatch};

fn main() {
    divan::main();
}

fn stream(name: &str) -> Stream {
    Streams::new(1).stream(name).unwrap()
}

/// Loss and gradient over 1024 prompts of 20 examples in five dimensions, three layers.
fn pass(bencher: Bencher, attention: AttentionKind, processor: Processor) {
    let law = TaskLaw::isotropic(5).unwrap();
    let batch = TokenBatch::draw(&law, 20, 1024, Precision::Single, processor, &mut stream("prompts")).unwrap();
    let architecture = FullArchitecture::new(3, 5).unwrap().with_attention(attention);
    let model = FullParameters::random(architecture, 0.1, &mut stream("model")).unwrap();
    bencher.counter(ItemsCount::new(batch.prompts())).bench(|| batch.loss_and_gradient(&model));
}

#[divan::bench]
fn linear(bencher: Bencher) {
    pass(bencher, AttentionKind::Linear, Processor::Cpu);
}

#[divan::bench]
fn softmax(bencher: Bencher) {
    pass(bencher, AttentionKind::Softmax, Processor::Cpu);
}

/// As on a device, by the machine's own cores.
#[divan::bench]
fn linear_as_on_a_device(bencher: Bencher) {
    pass(bencher, AttentionKind::Linear, Processor::Rehearsal);
}
