//! Hot paths of feature maps, linear attention and compact memories.

use divan::{Bencher, counter::ItemsCount};
use ndarray::Array2;
use workbench_features::compact::{CompactMemory, Guarantee, Patterns, scan};
use workbench_features::{Direction, Ensemble, FeatureMap, LinearAttention, MapKind};
use workbench_ground::stats::{Stream, Streams, normal_array2};

fn main() {
    divan::main();
}

fn stream(name: &str) -> Stream {
    Streams::new(1).stream(name).unwrap()
}

fn map(r: usize, dim: usize) -> FeatureMap {
    FeatureMap::draw(MapKind::FavorPlus, Ensemble::BlockOrthogonal, r, dim, &mut stream("map")).unwrap()
}

/// Logarithms of the features of 1024 vectors.
#[divan::bench(args = [64, 256])]
fn feature_map(bencher: Bencher, r: usize) {
    let (map, rows) = (map(r, 64), normal_array2(&mut stream("rows"), 1024, 64));
    bencher.counter(ItemsCount::new(rows.nrows())).bench(|| map.log_features_of_rows(&rows));
}

/// Tokens of the causal form, 64 dimensions and values, 256 features.
#[divan::bench(args = [1024, 8192])]
fn linear_attention_causal(bencher: Bencher, n: usize) {
    let attention = LinearAttention::new(&map(256, 64)).unwrap();
    let mut stream = stream("tokens");
    let mut tokens = || -> Array2<f32> { normal_array2(&mut stream, n, 64).mapv(|x| x as f32) };
    let (q, k, v) = (tokens(), tokens(), tokens());
    bencher.counter(ItemsCount::new(n)).bench(|| attention.forward(&q, &k, &v, Direction::Causal));
}

/// Every memory, input of its ball and flip of a code with 128 words of 64 entries.
#[divan::bench]
fn compact_scan(bencher: Bencher) {
    let code = Patterns::reed_muller(1, 6).unwrap();
    let guarantee = Guarantee::of(&code, 1).unwrap();
    let flips = scan(&code, &guarantee).unwrap().flips();
    bencher.counter(ItemsCount::new(flips)).bench(|| scan(&code, &guarantee));
}

/// One flip of a compact memory with 4096 features.
#[divan::bench]
fn compact_flip(bencher: Bencher) {
    let patterns = Patterns::random(20, 32, &mut stream("patterns")).unwrap();
    let memory = CompactMemory::of(map(4096, 32), &patterns).unwrap();
    let state = patterns.pattern(0).unwrap();
    bencher.bench(|| memory.flip_change(&state, 3));
}
