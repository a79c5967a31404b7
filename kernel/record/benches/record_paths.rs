//! Hot paths of the record: numbers typeset, tables read.

use std::path::Path;

use divan::{Bencher, counter::ItemsCount};
use workbench_record::number::{rounded, typeset};
use workbench_record::{Row, Scale, table};

fn main() {
    divan::main();
}

/// A sentence with four numbers, as on a card.
#[divan::bench]
fn number_typesetting() -> String {
    typeset(divan::black_box("-0.25 [-0.26, -0.24], expected -0.25 ± 1e-2"))
}

#[divan::bench(args = [1.0 / 3.0, 6.02e23])]
fn number_rounding(x: f64) -> String {
    rounded(divan::black_box(x), 6)
}

/// A ledger of a thousand rows.
#[divan::bench]
fn table_reading(bencher: Bencher) {
    let rows: Vec<Row> = (0..1000).map(|seed| Row::blank("paper/claim", Scale::Quick, seed)).collect();
    let bytes = table::to_csv(&rows);
    bencher.counter(ItemsCount::new(rows.len())).bench(|| table::parse::<Row>(&bytes, Path::new("ledger.csv")));
}
