//! B.9: what is fine-tuned of ViT-Base.
//!
//! **Claim** (`mnemosyne/b9-parameter-count`). The top 8 layers of ViT-Base with head, cls and embedding hold about 50M parameters; the
//! bottom 4 layers stay fixed.
//!
//! Counted from Table 1 under every reading of what belongs to a layer, to the embedding and to the head. That the memory ran out there is
//! a statement about a machine, and no count speaks about it. Against it: no reading that comes near 50M, or 8 + 4 layers that are not all.

use workbench_display::{Table, columns};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::Layout;
use workbench_optimizer::counts::{VitReading, VitShape, numbers_in};

use super::section_b::{MILLION, TABLE_1, TEN_MILLIONS, counted, millions};
use crate::vocabulary::{Largest, Least};

/// The upper layers of ViT-Base, and what is not in a layer.
#[derive(Clone, Debug)]
pub struct UpperLayers {
    /// Layers that are tuned.
    pub tuned: usize,
    /// Layers that stay as they are.
    pub fixed: usize,
    /// Classes of the head.
    pub classes: usize,
}

impl Default for UpperLayers {
    fn default() -> UpperLayers {
        UpperLayers { tuned: 8, fixed: 4, classes: 1000 }
    }
}

/// A name in one of these layers, or in none.
fn tuned(name: &str, layers: std::ops::Range<usize>) -> bool {
    let mut parts = name.split('/');
    match (parts.next(), parts.next().map(str::parse::<usize>)) {
        (Some("encoder"), Some(Ok(layer))) => layers.contains(&layer),
        _ => true,
    }
}

impl UpperLayers {
    fn base(&self) -> VitShape {
        TABLE_1[0].shape
    }

    /// Least and largest millions over the readings, with the `top` layers.
    fn span(&self, top: usize) -> Result<[f64; 2], Failure> {
        let (mut least, mut most) = (Least::default(), Largest::default());
        let layers = self.base().layers;
        for reading in VitReading::all(self.classes).iter().filter(|reading| reading.class_token) {
            let layout = self.base().layout(reading)?;
            let count = millions(numbers_in(&layout, |name| tuned(name, layers.saturating_sub(top)..layers)));
            least.see(count);
            most.see(count);
        }
        Ok([least.0, most.0])
    }

    fn whole(&self) -> Result<Layout, Failure> {
        Ok(self.base().layout(&VitReading::whole(self.classes))?)
    }

    /// Wrong ways to count, everything else in.
    fn twins(&self) -> Result<Vec<Finding>, Failure> {
        let (layout, top) = (self.whole()?, self.fixed..self.base().layers);
        let without = |part: &str| numbers_in(&layout, |name| tuned(name, top.clone()) && !name.contains(part));
        let ways = [
            ("the bottom layers for the top ones", numbers_in(&layout, |name| tuned(name, 0..self.fixed))),
            ("one layer forgotten", numbers_in(&layout, |name| tuned(name, self.fixed + 1..self.base().layers))),
            ("keys and values of one matrix", without("attention/value")),
            ("all layers", numbers_in(&layout, |_| true)),
        ];
        let finding = |(way, count)| counted(format!("{way}: millions, all counted"), 58.0, MILLION, millions(count));
        Ok(ways.into_iter().map(finding).collect())
    }
}

impl TypedCheck for UpperLayers {
    const CLAIM: &'static str = "mnemosyne/b9-parameter-count";
    const PLAN: Plan = Plan::new(
        "millions of parameters in the named tensors, exact",
        "no reading within five million of 50M; 8 + 4 layers that are not all of Table 1",
        &[TEN_MILLIONS, MILLION],
    )
    .protocol(&["ViT-Base of Table 1, patches of side 16, colour images of side 224"])
    .departures(&["the data set of B.9 is not named; the head has 1000 classes or is left out, 0.8M at most"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let [least, most] = self.span(self.tuned)?;
        let [_, seven] = self.span(self.tuned.saturating_sub(1))?;
        let whole = (self.tuned + self.fixed).abs_diff(self.base().layers) as f64;
        let together = || Finding::identity("tuned and fixed layers less the printed number of layers", whole, 0.0);
        let readings =
            |label: &str, millions, margin, count| counted(label, millions, margin, count).cases(16).unit("readings");
        let mut evidence = Evidence::of(readings(
            "top 8 layers, cls and embedding, least over the readings: millions",
            50.0,
            TEN_MILLIONS,
            least,
        ))
        .and(together())
        .misprint(
            "the number is 57 to 58 million; 50 million are the top seven layers",
            vec![
                readings("top 8 layers and what is not in a layer, least reading: millions", 57.0, MILLION, least),
                readings("top 8 layers and what is not in a layer, everything counted: millions", 58.0, MILLION, most),
                readings(
                    "top 7 layers and what is not in a layer, everything counted: millions",
                    50.0,
                    TEN_MILLIONS,
                    seven,
                ),
                together(),
            ],
        );
        for twin in self.twins()? {
            evidence = evidence.twin(twin);
        }
        let tops: Vec<usize> = (self.tuned.saturating_sub(2)..=self.tuned + 1).collect();
        let spans = tops.iter().map(|&top| self.span(top)).collect::<Result<Vec<_>, _>>()?;
        let frame = columns(vec![
            ("top layers", tops.iter().map(|&top| top as f64).collect::<Vec<f64>>().into()),
            ("least reading", spans.iter().map(|span| span[0]).collect::<Vec<f64>>().into()),
            ("everything counted", spans.iter().map(|span| span[1]).collect::<Vec<f64>>().into()),
        ])?;
        let table = Table::new(frame)
            .title("Millions of parameters in the top layers of ViT-Base, with head, cls and embedding")
            .digits(4);
        let note = "that the memory ran out at this size is not tested: it speaks of a machine and not of a count";
        Ok(Checked::from(evidence.note(note)).table(table))
    }
}
