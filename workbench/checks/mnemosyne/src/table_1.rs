//! Table 1: the four vision transformers.
//!
//! **Claim** (`mnemosyne/table-1`). Heads, layers, hidden dimension, MLP dimension, parameters and patch size: ViT-Base 12, 12, 768, 3072,
//! 86M, 16; ViT-Large (16) 24, 16, 1024, 4096, 307M, 16; ViT-Large (32) the same with 32; ViT-Huge 32, 16, 1280, 5120, 632M, 32.
//!
//! The columns have to fit each other: heads share the hidden dimension, and the other columns give the number of parameters. The table
//! does not say whether biases, norms, class token, position embeddings or a head are counted, so all 32 readings are. Against it: heads
//! that do not divide, a number that no reading comes near.

use workbench_display::{Table, columns};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_optimizer::Layout;
use workbench_optimizer::counts::{VitReading, VitShape, numbers_in};

use super::section_b::{MILLION, Row, TABLE_1, counted, millions, parameters};
use crate::vocabulary::{Largest, Least};

const LAYER: Margin = Margin::new(
    "half a layer",
    0.015,
    "a layer is at least 3.1 % of its model in all four rows, so less than half of that tells the number of layers from its neighbours",
);
const ALIKE: Margin =
    Margin::new("round alike", 1.0, "two numbers that round to the same million lie within one million");

/// The four rows.
#[derive(Clone, Debug)]
pub struct FourSizes {
    /// Side of the images.
    pub side: usize,
    /// Classes of the head, in the readings that have one.
    pub classes: usize,
}

impl Default for FourSizes {
    fn default() -> FourSizes {
        FourSizes { side: 224, classes: 1000 }
    }
}

/// Share by which counts miss the Params column.
struct Gaps {
    /// Over all rows and readings.
    largest: f64,
    /// The row that is farthest off, each under the reading that fits it best.
    best_of_worst: f64,
    /// The row that is nearest, each under the reading that fits it best.
    least: f64,
}

impl FourSizes {
    fn rows(&self, exchanged: bool) -> Vec<Row> {
        let shaped = |row: &Row| {
            let printed = VitShape { side: self.side, ..row.shape };
            // Exchanging the equal numbers of ViT-Base changes nothing.
            let shape = if exchanged { printed.exchanged() } else { printed };
            Row { shape, ..*row }
        };
        TABLE_1.iter().map(shaped).collect()
    }

    fn gaps(&self, rows: &[Row], count: impl Fn(&Layout) -> usize) -> Result<Gaps, Failure> {
        let (mut largest, mut best_of_worst, mut least) = (Largest::default(), Largest::default(), Least::default());
        for row in rows {
            let mut best = Least::default();
            for reading in VitReading::all(self.classes) {
                let gap = (millions(count(&row.shape.layout(&reading)?)) / row.millions - 1.0).abs();
                largest.see(gap);
                best.see(gap);
            }
            best_of_worst.see(best.0);
            least.see(best.0);
        }
        Ok(Gaps { largest: largest.0, best_of_worst: best_of_worst.0, least: least.0 })
    }

    /// Wrong ways to count, each at its best: the least gap over all rows and readings.
    fn twins(&self, rows: &[Row]) -> Result<Vec<Finding>, Failure> {
        let shorter: Vec<Row> = rows
            .iter()
            .map(|row| Row { shape: VitShape { layers: row.shape.layers - 1, ..row.shape }, ..*row })
            .collect();
        let without = |part: &'static str| self.gaps(rows, |layout| numbers_in(layout, |name| !name.contains(part)));
        let ways = [
            ("one layer forgotten", self.gaps(&shorter, Layout::len)?.least),
            ("attention without its last matrix", without("attention/out")?.least),
            ("an MLP of one matrix", without("mlp/out")?.least),
        ];
        let finding = |(way, gap): (&str, f64)| {
            let label = format!("{way}: share off the Params column, at its best");
            Finding::at_most(label, LAYER, Estimate::exact(gap))
        };
        Ok(ways.into_iter().map(finding).collect())
    }

    /// Millions that lie between the two Large rows, whose Params are equal: the least over all readings.
    fn between(&self, rows: &[Row]) -> Result<f64, Failure> {
        let mut least = Least::default();
        for reading in VitReading::all(self.classes) {
            let of = |row: &Row| parameters(&row.shape, &reading);
            least.see((of(&rows[2])? - of(&rows[1])?).abs());
        }
        Ok(least.0)
    }

    fn table(&self, printed: &[Row], exchanged: &[Row]) -> Result<Table, Failure> {
        let whole = VitReading::whole(self.classes);
        let headless = VitReading { classes: 0, ..whole };
        let count = |rows: &[Row], reading: &VitReading| -> Result<Vec<f64>, Failure> {
            rows.iter().map(|row| parameters(&row.shape, reading)).collect()
        };
        let frame = columns(vec![
            ("model", printed.iter().map(|row| row.name).collect::<Vec<&str>>().into()),
            ("Params", printed.iter().map(|row| row.millions).collect::<Vec<f64>>().into()),
            ("as labelled", count(printed, &whole)?.into()),
            ("exchanged, with a head", count(exchanged, &whole)?.into()),
            ("exchanged, no head", count(exchanged, &headless)?.into()),
        ])?;
        let title = "Millions of parameters: printed, and counted from the other columns";
        Ok(Table::new(frame).title(title).digits(5))
    }
}

fn left_over(label: &str, rows: &[Row]) -> Finding {
    let most = rows.iter().map(|row| row.shape.left_over()).max().unwrap_or(0);
    Finding::identity(label, most as f64, 0.0).cases(rows.len() as u64).unit("rows")
}

impl TypedCheck for FourSizes {
    const CLAIM: &'static str = "mnemosyne/table-1";
    const PLAN: Plan = Plan::new(
        "what heads leave of the hidden dimension; share by which the count misses the Params column",
        "heads that do not divide the hidden dimension; a printed number that no reading comes near",
        &[LAYER, ALIKE, MILLION],
    )
    .protocol(&["colour images of side 224, as these models are usually trained; 32 readings: biases, norms, class token, positions, head of 1000 classes, each counted or not"])
    .departures(&["the table gives no image side and says of no part whether it is counted; every reading is run, and those that change a verdict are named"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let (printed, exchanged) = (self.rows(false), self.rows(true));
        let labelled = self.gaps(&printed, Layout::len)?;
        let mended = self.gaps(&exchanged, Layout::len)?;
        let cases = (printed.len() * 32) as u64;
        let finer = VitShape { patch: 14, ..exchanged[3].shape };
        let mut evidence = Evidence::of(left_over(
            "columns as labelled: what the heads leave of the hidden dimension, largest",
            &printed,
        ))
        .and(Finding::at_most(
            "columns as labelled: share off the Params column, worst row under its best reading",
            LAYER,
            Estimate::exact(labelled.best_of_worst),
        ))
        .and(Finding::at_most(
            "millions between ViT-Large (32) and (16), both printed as 307M, least over the readings",
            ALIKE,
            Estimate::exact(self.between(&exchanged)?),
        ))
        .misprint(
            "heads and layers are exchanged in the rows of Large and Huge; Params is one number for a model with any patch, met within 1.5 %",
            vec![
                left_over("exchanged: what the heads leave of the hidden dimension, largest", &exchanged),
                Finding::at_most(
                    "exchanged: share off the Params column, largest over rows and readings",
                    LAYER,
                    Estimate::exact(mended.largest),
                )
                .cases(cases)
                .unit("rows and readings"),
                counted(
                    "ViT-Huge exchanged and with patches of side 14, everything counted: millions",
                    632.0,
                    MILLION,
                    parameters(&finer, &VitReading::whole(self.classes))?,
                ),
            ],
        );
        for twin in self.twins(&exchanged)? {
            evidence = evidence.twin(twin);
        }
        Ok(Checked::from(evidence).table(self.table(&printed, &exchanged)?))
    }
}
