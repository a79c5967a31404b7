//! Hot paths of training: prompts drawn, and the fused pass over them.

use divan::{Bencher, counter::ItemsCount};
use workbench_ground::stats::{Stream, Streams};
use workbench_memformer::{Architecture, Batch, Parameters, Precision, Prompts, RegisterKind, RegisterWeight, TaskLaw};

const PROMPTS: usize = 4096;

fn main() {
    divan::main();
}

fn stream(name: &str) -> Stream {
    Streams::new(1).stream(name).unwrap()
}

/// Loss and gradient over 4096 prompts in five dimensions, four layers: without registers, with numbers, with full matrices.
#[divan::bench(args = ["plain", "scalar", "full"])]
fn fused_pass(bencher: Bencher, registers: &str) {
    let separate = |weight| RegisterKind::Separate { weight, tied: false };
    let registers = match registers {
        "plain" => RegisterKind::None,
        "scalar" => separate(RegisterWeight::Scalar),
        _ => separate(RegisterWeight::Full),
    };
    let law = TaskLaw::isotropic(5).unwrap();
    let statistics = Prompts::draw(&law, 20, PROMPTS, &mut stream("prompts")).unwrap().statistics().unwrap();
    let batch = Batch::new(&statistics, Precision::Single).unwrap();
    let architecture = Architecture::new(4, 5).unwrap().with_registers(registers);
    let model = Parameters::random(architecture, 0.1, &mut stream("model")).unwrap();
    bencher.counter(ItemsCount::new(PROMPTS)).bench(|| batch.loss_and_gradient(&model));
}

/// 4096 prompts of 20 examples, packed as they are drawn.
#[divan::bench]
fn prompt_draw(bencher: Bencher) {
    let (law, mut stream) = (TaskLaw::isotropic(5).unwrap(), stream("prompts"));
    let mut batch = Batch::draw(&law, 20, PROMPTS, Precision::Single, &mut stream).unwrap();
    bencher.counter(ItemsCount::new(PROMPTS)).bench_local(|| batch.redraw(&law, 20, &mut stream));
}
