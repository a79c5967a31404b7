//! Products in tiles, by the kernel's own text: against plain loops, and in the pass of softmax attention.

use super::{Counts, DEVICE, driver, prompts, start};
use crate::ended::distance;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{from_mut, null_mut};
use workbench_memformer::Precision;
use workbench_tensors::{
    AttentionKind, FullArchitecture, HadamardWeight, Multiplication, Processor, TokenBatch, TokenRegisters,
};

unsafe extern "C" {
    /// Name, blocks, threads of a block, shared memory, stream, arguments, and what nobody gives.
    fn cuLaunchKernel(
        name: *const c_char,
        x: u32,
        y: u32,
        z: u32,
        threads_x: u32,
        threads_y: u32,
        threads_z: u32,
        shared: u32,
        stream: *mut c_void,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> i32;
}

/// Rows, columns and terms: those of softmax attention at d = 64 and n = 256, then less than a tile, as much and more.
const SIDES: [[usize; 3]; 10] = [
    [257, 65, 65],
    [257, 257, 65],
    [257, 65, 257],
    [65, 257, 257],
    [1, 1, 1],
    [3, 5, 7],
    [7, 130, 9],
    [136, 65, 8],
    [137, 66, 16],
    [140, 70, 17],
];

/// Matrices: the distance from one to the next, of their rows and of their columns.
type Steps = [usize; 3];

/// Two products c = 0.7 a b + beta c, by the kernel and in plain loops.
struct Products {
    sides: [usize; 3],
    steps: [Steps; 3],
    beta: f64,
}

impl Products {
    /// Numbers from the first to the last of both matrices.
    fn len(&self, which: usize) -> usize {
        let [m, n, k] = self.sides;
        let [rows, columns] = [[m, n], [m, k], [k, n]][which];
        let [each, down, across] = self.steps[which];
        each + (rows - 1) * down + (columns - 1) * across + 1
    }

    fn plain(&self, c: &mut [f64], a: &[f64], b: &[f64]) {
        let ([m, n, k], [of_c, of_a, of_b]) = (self.sides, self.steps);
        let at = |[each, down, across]: Steps, which: usize, i: usize, j: usize| which * each + i * down + j * across;
        for (which, i, j) in (0..2 * m * n).map(|e| (e / n / m, e / n % m, e % n)) {
            let sum: f64 = (0..k).map(|p| a[at(of_a, which, i, p)] * b[at(of_b, which, p, j)]).sum();
            let to = &mut c[at(of_c, which, i, j)];
            *to = 0.7 * sum + if self.beta == 0.0 { 0.0 } else { self.beta * *to };
        }
    }

    /// By the kernel of this name, in numbers T and blocks of so many threads.
    fn tiled<T: Copy>(&self, name: &CStr, threads: u32, [alpha, beta]: [T; 2], c: &mut [T], a: &[T], b: &[T]) {
        let ([m, n, k], [of_c, of_a, of_b]) = (self.sides, self.steps);
        let sizes = [&[m, n, k][..], &of_c[..2], &of_a, &of_b].concat();
        let mut sizes: Vec<u32> = sizes.into_iter().map(|size| u32::try_from(size).unwrap()).collect();
        let (mut alpha, mut beta) = (alpha, beta);
        let (mut a, mut b, mut c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
        let mut arguments: Vec<*mut c_void> = sizes.iter_mut().map(|size| from_mut(size).cast()).collect();
        arguments.extend([from_mut(&mut alpha).cast(), from_mut(&mut beta).cast()]);
        arguments.extend([from_mut(&mut a).cast(), from_mut(&mut b).cast(), from_mut(&mut c).cast()]);
        let tiles = u32::try_from(2 * m.div_ceil(136) * n.div_ceil(65)).unwrap();
        // SAFETY: the arguments are those of the text, in its order, and the slices are as long as the sizes say.
        let said = unsafe {
            cuLaunchKernel(name.as_ptr(), tiles, 1, 1, threads, 1, 1, 0, null_mut(), arguments.as_mut_ptr(), null_mut())
        };
        assert_eq!(said, 0);
    }
}

/// Every side with factors as they are, transposed, with rows that lie apart, shared by both products; results set and added to.
fn all() -> Vec<Products> {
    let mut all = Vec::new();
    for (sides, form) in SIDES.into_iter().flat_map(|sides| (0..16).map(move |form| (sides, form))) {
        let ([m, n, k], has) = (sides, |bit: usize| form & bit != 0);
        let down = n + 3;
        let mut of_a = if has(1) { [k * (m + 2) + 5, 1, m + 2] } else { [m * (k + 3) + 5, k + 3, 1] };
        let of_b = if has(2) { [n * (k + 1) + 7, 1, k + 1] } else { [k * n, n, 1] };
        if has(4) {
            of_a[0] = 0;
        }
        all.push(Products { sides, steps: [[m * down, down, 1], of_a, of_b], beta: if has(8) { -0.3 } else { 0.0 } });
    }
    all
}

#[test]
fn tiles_are_plain_loops() {
    let _driver = driver();
    let before = Counts::now();
    let numbers = |from: usize, count: usize| (0..count).map(|i| (0.37 * (i + from) as f64).sin()).collect();
    let single = |v: &[f64]| v.iter().map(|x| *x as f32).collect::<Vec<f32>>();
    let all = all();
    for products in &all {
        let [mut c, a, b]: [Vec<f64>; 3] = [0, 1, 2].map(|which| numbers(3 * which, products.len(which)));
        if products.beta == 0.0 {
            c.fill(f64::NAN); // What is set is not read.
        }
        let (mut want, mut short) = (c.clone(), single(&c));
        products.plain(&mut want, &a, &b);
        products.tiled(c"tiled_f64", 224, [0.7, products.beta], &mut c, &a, &b);
        products.tiled(c"tiled_f32", 224, [0.7, products.beta as f32], &mut short, &single(&a), &single(&b));
        let near = |got: f64, want: f64, gap: f64| got.is_nan() && want.is_nan() || (got - want).abs() < gap;
        let close = c.iter().zip(&short).zip(&want);
        let wrong = close.filter(|((c, short), w)| !near(**c, **w, 1e-12) || !near(f64::from(**short), **w, 1e-3));
        assert_eq!(wrong.count(), 0, "{:?} {:?} {}", products.sides, products.steps, products.beta);
    }
    let counts = Counts::since(before);
    assert_eq!((counts.launches(), counts.0[14]), (2 * all.len() as u64, 0));
    // Blocks of another size are not the kernel's.
    all[0].tiled(c"tiled_f32", 32, [1.0, 0.0], &mut [0.0], &[0.0], &[0.0]);
    assert_eq!(Counts::since(before).0[14], 1);
}

#[test]
fn softmax_attention_is_the_same_in_tiles() {
    let _driver = driver();
    let entries = |n| TokenRegisters::Separate { weight: HadamardWeight::Full { examples: n }, tied: false };
    let model =
        |depth: usize, d: usize| FullArchitecture::new(depth, d).unwrap().with_attention(AttentionKind::Softmax);
    let heads = model(2, 64).with_heads(2).unwrap().with_registers(entries(128)).unwrap();
    let precisions = [(Precision::Double, 1e-11), (Precision::Single, 1e-4)];
    // Sizes, and products that are left to the library: those of narrow results, and sums.
    for (name, architecture, n, batch, left, precisions) in [
        ("d = 64, n = 256", model(1, 64), 256, 16, 3, &precisions[..]),
        ("d = 64, n = 128", model(2, 64), 128, 34, 3, &precisions[..1]),
        ("two heads with registers", heads, 128, 34, 5, &precisions[..1]),
        ("d = 63, n = 127, where distances are multiples of four", model(1, 63), 127, 34, 9, &precisions[..1]),
    ] {
        let data = prompts(architecture.dim(), n, batch);
        let model = start(architecture);
        let own = TokenBatch::new(&data, Precision::Double, Processor::Cpu).unwrap();
        let (loss, slopes) = own.loss_and_gradient(&model).unwrap();
        for &(precision, tolerance) in precisions {
            let device = TokenBatch::new(&data, precision, DEVICE).unwrap();
            let counted = |how: Multiplication| {
                how.choose();
                let before = Counts::now();
                let (other, gradient) = device.loss_and_gradient(&model).unwrap();
                let apart = distance(gradient.values(), slopes.values()).max((other / loss - 1.0).abs());
                assert!(apart < tolerance, "{name}, {precision:?}, {how:?}: {apart:e}");
                Counts::since(before)
            };
            device.loss(&model).unwrap();
            let [library, tiles] = [Multiplication::Library, Multiplication::Tiles].map(counted);
            println!("{name}, {precision:?}: {} launches, {} products, {}", tiles.launches(), library.0[1], tiles.0[1]);
            assert_eq!((tiles.launches(), tiles.0[1], tiles.0[14]), (library.launches(), left, 0), "{name}");
        }
    }
}
