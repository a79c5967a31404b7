//! Calls of training to a device, counted by a driver that has none (`null_driver/`): launches, copies, modules, handles; the same numbers
//! as on the machine's own cores; too little memory, a lost device, several threads.
//!
//! `cargo workbench test` builds the driver and runs this. By hand, with the driver's libraries in DIR and a stand-in for nvcc (and a
//! capability that no device has, so that its empty kernels are never taken for real ones):
//!
//! ```console
//! $ NVCC=... CUDA_HOME=... CUDARC_CUDA_VERSION=13000 CUDA_COMPUTE_CAP=99 LD_LIBRARY_PATH=DIR \
//!     cargo test -p workbench-tensors --features cuda --test null_driver -- --nocapture
//! ```

#[path = "../examples/gpu_agreement/ended.rs"]
mod ended;
#[path = "null_driver/tiles.rs"]
mod tiles;

use ended::{Fault, distance, ended};
use std::sync::{Mutex, MutexGuard, PoisonError};
use workbench_ground::stats::Streams;
use workbench_memformer::{Clip, Part, Phase, Precision, Prompts, TaskLaw, TrainingProtocol};
use workbench_tensors::{
    AttentionKind, Cost, Entries, FullArchitecture, FullParameters, HadamardWeight, Multiplication, Processor,
    TokenBatch, TokenRegisters,
};

unsafe extern "C" {
    safe fn null_driver_computes(yes: i32);
    safe fn null_driver_devices(count: i32);
    safe fn null_driver_memory(bytes: usize);
    safe fn null_driver_taken() -> usize;
    safe fn null_driver_fails(after: i64, code: i32);
    fn null_driver_counts(out: *mut u64);
}

/// Launches of kernels and products, products alone, copies to, from and within the device, memsets, allocations, frees, modules,
/// handles, contexts, streams, events, waits, kernels that the driver does not know: as `cuda.c` counts them.
#[derive(Clone, Copy, Debug)]
struct Counts([u64; 15]);

impl Counts {
    fn now() -> Counts {
        let mut counts = [0; 15];
        // SAFETY: the driver writes fifteen numbers.
        unsafe { null_driver_counts(counts.as_mut_ptr()) };
        Counts(counts)
    }

    fn since(before: Counts) -> Counts {
        let now = Counts::now();
        Counts(std::array::from_fn(|i| now.0[i] - before.0[i]))
    }

    fn launches(&self) -> u64 {
        self.0[0]
    }
}

const DEVICE: Processor = Processor::Cuda(0);
const ALL: [Part; 3] = [Part::UpperBlocks, Part::Preconditioners, Part::Registers];
const LAUNCH_FAILED: i32 = 719;

/// The driver is one for all tests of this process.
fn driver() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    null_driver_computes(1);
    null_driver_devices(1);
    null_driver_memory(1 << 36);
    null_driver_fails(-1, 0);
    Multiplication::Library.choose();
    // What went wrong while memory was given back is told at the next call.
    let _ = DEVICE.synchronize();
    guard
}

/// Every kind of register, then heads and held entries.
fn kinds(depth: usize, d: usize, n: usize) -> Vec<(&'static str, FullArchitecture)> {
    let plain = FullArchitecture::new(depth, d).unwrap();
    let separate = |weight, tied| plain.with_registers(TokenRegisters::Separate { weight, tied }).unwrap();
    let full = HadamardWeight::Full { examples: n };
    vec![
        ("no registers", plain),
        ("one register", plain.with_registers(TokenRegisters::Single).unwrap()),
        ("tied numbers", separate(HadamardWeight::Scalar, true)),
        ("untied numbers", separate(HadamardWeight::Scalar, false)),
        ("tied rows", separate(HadamardWeight::Rows, true)),
        ("untied rows", separate(HadamardWeight::Rows, false)),
        ("tied entries", separate(full, true)),
        ("untied entries", separate(full, false)),
        ("three heads", plain.with_heads(3).unwrap()),
        ("three heads, untied entries", separate(full, false).with_heads(3).unwrap()),
        ("blocks only", separate(HadamardWeight::Scalar, false).with_entries(Entries::Held, Entries::Block)),
        ("softmax", plain.with_attention(AttentionKind::Softmax)),
        ("softmax, untied entries", separate(full, false).with_attention(AttentionKind::Softmax)),
        ("softmax, three heads", plain.with_heads(3).unwrap().with_attention(AttentionKind::Softmax)),
    ]
}

fn start(architecture: FullArchitecture) -> FullParameters {
    let mut stream = Streams::new(5).stream("start").unwrap();
    let scale = 0.3 / (architecture.dim() + 1) as f64;
    let mut model = FullParameters::random(architecture, scale, &mut stream).unwrap();
    model.registers_mut().iter_mut().for_each(|v| *v = 0.8 * *v + 0.1);
    model
}

fn prompts(d: usize, n: usize, batch: usize) -> Prompts {
    let law = TaskLaw::isotropic(d).unwrap();
    Prompts::draw(&law, n, batch, &mut Streams::new(6).stream("prompts").unwrap()).unwrap()
}

fn protocol(n: usize, batch: usize, steps: usize) -> TrainingProtocol {
    let mut protocol = TrainingProtocol::document()
        .with_examples(n)
        .with_batch(batch)
        .with_phases(vec![Phase::new(&ALL, steps, 0.002)]);
    protocol.clip = Clip::PerMatrix(0.05);
    protocol.resample_every = 10;
    protocol
}

#[test]
fn a_step_is_few_launches_and_opens_nothing() {
    let _driver = driver();
    println!(
        "launches, products, copies to, from and within the device, memsets, allocations of a training step; what was counted before"
    );
    // The documents' size, where launches are what a step costs, wide matrices, whose heads are apart, and a large model, whose numbers
    // take too long here.
    for (d, n, batch, depth, most) in [
        (5, 20, 600, 3, 40),
        (5, 20, 600, 8, 120),
        (20, 30, 4, 3, 40),
        (20, 30, 4, 8, 120),
        (64, 256, 2, 3, 40),
        (64, 256, 2, 8, 120),
    ] {
        null_driver_computes(i32::from(d < 64));
        let data = prompts(d, n, batch);
        for (name, architecture) in kinds(depth, d, n) {
            let mut stream = Streams::new(7).stream("run").unwrap();
            let law = TaskLaw::isotropic(d).unwrap();
            // Near zero, and in small steps: eight cubic layers leave single precision, on the machine's own cores too.
            let start = FullParameters::random(architecture, 1e-4, &mut stream).unwrap();
            let calm = protocol(n, batch, 100).with_phases(vec![Phase::new(&ALL, 100, 1e-6)]);
            let mut run = start.trainer(law, calm, DEVICE, &mut stream).unwrap();
            run.hold(TokenBatch::new(&data, Precision::Single, DEVICE).unwrap()).unwrap();
            run.run_for(1).unwrap();
            let before = Counts::now();
            run.run_for(5).unwrap();
            let Counts(
                [
                    launches,
                    products,
                    to,
                    from,
                    within,
                    memsets,
                    allocations,
                    _,
                    modules,
                    handles,
                    contexts,
                    streams,
                    events,
                    _,
                    unknown,
                ],
            ) = Counts::since(before);
            let each = [launches, products, to, from, within, memsets, allocations].map(|count| count as f64 / 5.0);
            let cost = Cost::of(&architecture, n, batch, Precision::Single);
            println!("L = {depth}, d = {d}, B = {batch}, {name}: {each:?}; {}", cost.launches);
            assert!(each[0] <= f64::from(most), "{name}: {launches}");
            assert_eq!(each[0], cost.launches as f64, "{name}: what was counted before");
            assert_eq!([modules, handles, contexts, streams, events, unknown], [0; 6], "{name}");
            assert!(each[2] <= 1.0 + launches as f64 / 5.0 && each[3] <= 1.0, "{name}: a word there, a word back");
        }
    }
    assert_eq!(Counts::now().0[10], 1, "one context in this process");
    assert_eq!(Counts::now().0[9], 2, "one handle of each library");
}

#[test]
fn the_device_computes_what_the_cores_compute() {
    let _driver = driver();
    let before = Counts::now();
    for (depth, d, n, batch) in [(3, 5, 20, 700), (2, 3, 2, 5), (2, 17, 20, 3)] {
        let data = prompts(d, n, batch);
        for (name, architecture) in kinds(depth, d, n) {
            let model = start(architecture);
            let own = TokenBatch::new(&data, Precision::Double, Processor::Cpu).unwrap();
            let (loss, slopes) = own.loss_and_gradient(&model).unwrap();
            for (precision, tolerance) in [(Precision::Double, 1e-11), (Precision::Single, 1e-4)] {
                let device = TokenBatch::new(&data, precision, DEVICE).unwrap();
                let (other, gradient) = device.loss_and_gradient(&model).unwrap();
                let apart = distance(gradient.values(), slopes.values()).max((other / loss - 1.0).abs());
                assert!(apart < tolerance, "{name} {depth} {d} {n} {batch} {precision:?}: {apart:e}");
                let answers = own.predictions(&model).unwrap();
                let apart =
                    distance(device.predictions(&model).unwrap().as_slice().unwrap(), answers.as_slice().unwrap());
                assert!(apart < tolerance, "{name} {precision:?}: {apart:e}");
            }
        }
    }
    assert_eq!(Counts::since(before).0[14], 0, "every kernel of the pass is one that the driver computes");
}

#[test]
fn less_memory_means_chunks_and_too_little_is_named() {
    let _driver = driver();
    let (d, n, batch) = (5, 20, 900);
    let data = prompts(d, n, batch);
    let model = start(kinds(4, d, n)[7].1);
    let own = TokenBatch::new(&data, Precision::Double, Processor::Cpu).unwrap();
    let (loss, slopes) = own.loss_and_gradient(&model).unwrap();
    let mut launches = Vec::new();
    for free in [1 << 30, 8 << 20, 5 << 20] {
        // What is kept for the batch before would count as taken.
        let small = TokenBatch::new(&prompts(d, n, 1), Precision::Double, DEVICE).unwrap();
        small.loss(&model).unwrap();
        null_driver_memory(null_driver_taken() + free);
        let device = TokenBatch::new(&data, Precision::Double, DEVICE).unwrap();
        let (other, gradient) = device.loss_and_gradient(&model).unwrap();
        assert!(distance(gradient.values(), slopes.values()).max((other / loss - 1.0).abs()) < 1e-11, "{free}");
        let counts = Counts::now();
        device.loss(&model).unwrap();
        launches.push(Counts::since(counts).launches());
    }
    assert!(launches.is_sorted_by(|a, b| a < b), "{launches:?}");
    let device = TokenBatch::new(&data, Precision::Double, DEVICE).unwrap().within(1 << 20);
    let error = device.loss(&model).unwrap_err().to_string();
    for part in ["B = 900", "d = 5", "n = 20", "L = 4", "double", "MB free", "take B = ", "Processor::Cpu"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    null_driver_memory(1 << 36);
    assert!(device.within(1 << 30).loss(&model).unwrap().is_finite());
}

/// The error of a run in which something happens; one of these words is in it.
fn fails(how: impl FnOnce(), words: &[&str]) -> String {
    let ended = ended(DEVICE, || {
        how();
        Ok(())
    });
    let Fault { what, said, holds } = Fault::end("a run", ended.unwrap(), words);
    assert!(holds, "{what}: {said}");
    said
}

#[test]
fn a_lost_device_ends_a_run_that_goes_on_elsewhere() {
    let _driver = driver();
    let said = fails(|| null_driver_fails(200, LAUNCH_FAILED), &["the device was lost"]);
    assert!(said.contains("restart") && said.contains("load_trainer"), "{said}");
    assert!(!said.contains("DriverError") && !said.contains("CublasError"), "{said}");
}

#[test]
fn memory_that_others_take_ends_a_run_that_goes_on_elsewhere() {
    let _driver = driver();
    // The next batch, at step 10, finds no room for its tokens.
    fails(|| null_driver_memory(null_driver_taken() + 2000), &["memory", "MB free"]);
}

#[test]
fn devices_that_are_not_there_are_named() {
    let _driver = driver();
    let say = |processor: Processor| processor.open().map(|_| ()).unwrap_err().to_string();
    let absent = Fault::refusal("absent", say(Processor::Cuda(7)), "no CUDA device 7, this machine has 1");
    assert!(absent.holds, "{absent:?}");
    null_driver_devices(0);
    let error = say(Processor::Cuda(3));
    assert!(error.contains("no such NVIDIA device") && error.contains("Processor::Cpu"), "{error}");
    assert!(!error.contains("DriverError"), "{error}");
}

#[test]
fn the_best_processor_is_the_device_where_it_pays() {
    let _driver = driver();
    let model = |depth, d| FullArchitecture::new(depth, d).unwrap();
    let best = |a: &FullArchitecture, n, b| Processor::best(a, n, b, Precision::Single);
    assert_eq!(best(&model(3, 5), 20, 50).processor, Processor::Cpu);
    let choice = best(&model(8, 64), 256, 4096);
    assert_eq!(choice.processor, DEVICE);
    assert!(choice.to_string().contains("on CUDA device 0: a step is expected to take"), "{choice}");
}

#[test]
fn threads_share_the_device_in_turn() {
    let _driver = driver();
    let (d, n) = (5, 20);
    let data = prompts(d, n, 300);
    let batch = std::thread::scope(|scope| {
        scope.spawn(|| TokenBatch::new(&data, Precision::Double, DEVICE).unwrap()).join().unwrap()
    });
    let models: Vec<_> = kinds(3, d, n).into_iter().map(|(_, a)| start(a)).collect();
    let want: Vec<_> = models.iter().map(|m| batch.loss_and_gradient(m).unwrap()).collect();
    std::thread::scope(|scope| {
        for (model, want) in models.iter().zip(&want) {
            let batch = &batch;
            scope.spawn(move || assert_eq!(batch.loss_and_gradient(model).unwrap(), *want));
        }
    });
    let streams = Counts::now().0[11];
    assert_eq!(streams, 1, "one stream for all of them");
    DEVICE.synchronize().unwrap();
    assert_eq!(Counts::now().0[9..12], [2, 1, 1], "and waiting opens nothing");
}

#[test]
fn softmax_goes_through_in_chunks_too() {
    let _driver = driver();
    let (d, n, batch) = (3, 8, 40);
    let data = prompts(d, n, batch);
    let soft = FullArchitecture::new(2, d).unwrap().with_attention(AttentionKind::Softmax);
    let model = start(soft);
    let own = TokenBatch::new(&data, Precision::Double, Processor::Cpu).unwrap();
    let (loss, slopes) = own.loss_and_gradient(&model).unwrap();
    let launches = |bytes: usize| {
        let batch = TokenBatch::new(&data, Precision::Double, DEVICE).unwrap().within(bytes);
        let (other, gradient) = batch.loss_and_gradient(&model).unwrap();
        let apart = distance(gradient.values(), slopes.values()).max((other / loss - 1.0).abs());
        assert!(apart < 1e-11, "{bytes}: {apart:e}");
        let before = Counts::now();
        batch.loss_and_gradient(&model).unwrap();
        Counts::since(before).launches()
    };
    let (one, parts) = (launches(1 << 30), launches(100_000));
    println!("softmax, L = 2: {one} launches a step, {parts} in chunks");
    assert!(one > 0 && parts >= 2 * one - 4);
    let batch = TokenBatch::new(&data, Precision::Single, DEVICE).unwrap().within(10_000);
    let error = batch.loss(&model).unwrap_err().to_string();
    assert!(error.contains("B = 40 prompts of d = 3 and n = 8") && error.contains("take B = "), "{error}");
}
