//! Products in tiles, by a kernel of our own: which ones, and what the kernel is told. Its text for devices is `tiled.cu`.

use super::product::{Block, Product};

/// Rows and columns of a tile, and threads that make it: as in the text.
const ROWS: usize = 136;
const COLUMNS: usize = 65;
pub(super) const THREADS: u32 = 224;
/// What the library reads at once, where all distances are multiples of it.
const AT_ONCE: usize = 4;
/// Fewer terms, or tiles, are left to the library: with few terms a tile begins and ends and does little else, and few tiles leave most of a
/// device idle, where the library deals the terms of one number to several threads.
const TERMS: usize = 32;
const TILES: usize = 32;

/// What the kernel `tiled` is told, in the order of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tiled {
    pub(super) sizes: [u32; 11],
    pub(super) tiles: u32,
}

/// Whether four numbers cannot be read at once: rows, columns or matrices lie some other number of numbers apart.
fn is_ragged(block: &Block) -> bool {
    let [down, across] = block.steps;
    !down.max(across).is_multiple_of(AT_ONCE) || !block.batch.is_multiple_of(AT_ONCE)
}

/// For products that the library reads one number at a time and whose tiles are filled; `None` for what is left to the library.
pub(super) fn tiled(product: &Product) -> Option<Tiled> {
    let ([m, n], k) = (product.c.size, product.a.size[1]);
    let tiles = product.batches * m.div_ceil(ROWS) * n.div_ceil(COLUMNS);
    let is_filled = 4 * product.batches * m * n >= 3 * tiles * ROWS * COLUMNS;
    let is_ragged = is_ragged(&product.a) || is_ragged(&product.b);
    if product.c.steps[1] != 1 || k < TERMS || tiles < TILES || !is_filled || !is_ragged {
        return None;
    }
    let Product { c, a, b, .. } = product;
    let [of_c, of_a, of_b] = [c, a, b].map(|block| [block.batch, block.steps[0], block.steps[1]]);
    let all = [&[m, n, k][..], &of_c[..2], &of_a, &of_b].concat();
    let mut sizes = [0; 11];
    for (to, size) in sizes.iter_mut().zip(all) {
        *to = u32::try_from(size).ok()?;
    }
    // The kernel counts rows of a result and tiles in 31 bits.
    let fits = i32::try_from(tiles.max(m).max(n)).is_ok();
    fits.then_some(Tiled { sizes, tiles: tiles as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::product::{cases, plain};

    /// What the kernel does with its arguments, number by number.
    fn kernel(told: &Tiled, product: &Product, c: &mut [f64], a: &[f64], b: &[f64]) {
        let [m, n, k, each_c, down_c, each_a, down_a, across_a, each_b, down_b, across_b] =
            told.sizes.map(|size| size as usize);
        let (across, down) = (n.div_ceil(COLUMNS), m.div_ceil(ROWS));
        for block in 0..told.tiles as usize {
            let (column, row, which) = (block % across * COLUMNS, block / across % down * ROWS, block / across / down);
            for (i, j) in (row..m.min(row + ROWS)).flat_map(|i| (column..n.min(column + COLUMNS)).map(move |j| (i, j)))
            {
                let left = |p: usize| a[product.a.from + which * each_a + i * down_a + p * across_a];
                let right = |p: usize| b[product.b.from + which * each_b + p * down_b + j * across_b];
                let sum: f64 = (0..k).map(|p| left(p) * right(p)).sum();
                let to = &mut c[product.c.from + which * each_c + i * down_c + j];
                *to = product.alpha * sum + if product.beta == 0.0 { 0.0 } else { product.beta * *to };
            }
        }
    }

    /// Products of a layer of softmax attention: t tokens of w numbers, scores t x t.
    fn layer(t: usize, w: usize, batches: usize) -> Vec<Product> {
        let states = Block::new(t, w).every(t * w);
        let reads = Block::new(t, w).rows_every(2 * w).every(2 * t * w);
        let scores = Block::new(t, t).every(t * t);
        vec![
            Product::new(batches, scores, states, reads.transposed()),
            Product::new(batches, states, scores.transposed(), reads).times(0.25).adding(true),
            Product::new(batches, reads, scores, states),
            Product::new(batches, states.at(w), scores, reads).adding(true),
            Product::new(batches, scores, reads.at(w), states.every(0).transposed()),
        ]
    }

    #[test]
    fn what_the_kernel_is_told_are_plain_loops() {
        let numbers = |from: usize, count: usize| (0..count).map(|i| (0.37 * (i + from) as f64).sin()).collect();
        let (t, w, batches) = (129, 65, 32);
        for product in layer(t, w, batches) {
            let len = |block: &Block| block.last(batches) + 1;
            let (a, b): (Vec<f64>, Vec<f64>) = (numbers(0, len(&product.a)), numbers(7, len(&product.b)));
            let mut want: Vec<f64> = numbers(3, len(&product.c));
            let mut got = want.clone();
            plain(&product, &mut want, &a, &b);
            kernel(&tiled(&product).unwrap(), &product, &mut got, &a, &b);
            assert!(got.iter().zip(&want).all(|(g, w)| (g - w).abs() < 1e-11), "{product:?}");
        }
    }

    #[test]
    fn large_products_with_odd_distances_are_the_kernel_s() {
        let of = |t: usize, w: usize, batches: usize| layer(t, w, batches).iter().filter_map(tiled).count();
        assert_eq!(of(257, 65, 1024), 5);
        // Distances that are multiples of four, tiles that are half empty, few terms, few tiles.
        assert_eq!((of(256, 64, 1024), of(66, 65, 1024), of(257, 21, 1024), of(129, 65, 15)), (0, 0, 0, 0));
        assert_eq!(cases().iter().filter_map(tiled).count(), 0);
        let tall = |rows: usize| Product::new(1, Block::new(rows, 130), Block::new(rows, 65), Block::new(65, 130));
        let told = tiled(&tall(1024 * 257)).unwrap();
        assert_eq!((told.tiles, told.sizes), (2 * 1936, [263_168, 130, 65, 0, 130, 0, 65, 1, 0, 130, 1]));
        // A result whose rows lie together is transposed before.
        let scattered = Product { c: Block::new(130, 263_168).transposed(), ..tall(263_168) };
        assert_eq!((tiled(&scattered), tiled(&tall(1 << 33))), (None, None));
    }

    #[test]
    fn tiles_are_those_of_the_text() {
        let text = include_str!("tiled.cu");
        for (name, size) in [("ROWS", ROWS), ("COLUMNS", COLUMNS), ("THREADS", THREADS as usize)] {
            assert!(text.contains(&format!("#define TILE_{name} {size}\n")), "{name}");
        }
    }
}
