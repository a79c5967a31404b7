//! Table 4: T5XXL.
//!
//! **Claim** (`mnemosyne/table-4`). 24 encoder and 24 decoder layers, 64 heads of dimension 64, embedding dimension 4096, MLP dimension
//! 10240, 11B parameters, on 2x2x4 TPUv3.
//!
//! The public model with these columns has 32,128 tokens, a gate in its MLP and scores of their own; the table says nothing of the three.
//! Against it: heads that are together not as wide as the embedding, or a count that does not round to 11B. The machine is not tested.

use workbench_display::{Table, columns};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::counts::{T5Reading, T5Shape, numbers_in};

use super::section_b::{BILLION, counted};

/// T5XXL as printed.
#[derive(Clone, Debug)]
pub struct T5Xxl {
    /// Its shape.
    pub shape: T5Shape,
}

impl Default for T5Xxl {
    fn default() -> T5Xxl {
        T5Xxl { shape: T5Shape::xxl() }
    }
}

const READINGS: [(&str, T5Reading); 4] = [
    ("gate, scores of their own", reading(true, false)),
    ("gate, scores from the table", reading(true, true)),
    ("no gate, scores of their own", reading(false, false)),
    ("no gate, scores from the table", reading(false, true)),
];

const fn reading(gated: bool, tied: bool) -> T5Reading {
    T5Reading { gated, tied }
}

impl T5Xxl {
    fn billions(&self, reading: T5Reading) -> Result<f64, Failure> {
        Ok(self.shape.layout(reading)?.len() as f64 / 1e9)
    }

    fn twins(&self) -> Result<Vec<Finding>, Failure> {
        let layout = self.shape.layout(reading(true, false))?;
        let without = |part: &str| numbers_in(&layout, |name| !name.contains(part)) as f64 / 1e9;
        let wide = T5Xxl { shape: T5Shape { head_width: 2 * self.shape.head_width, ..self.shape } };
        let ways = [
            ("a decoder that does not look at the encoder", without("/cross/")),
            ("an MLP without its gate", self.billions(reading(false, false))?),
            ("heads twice as wide", wide.billions(reading(true, false))?),
            ("attention without its last matrix", without("/out/kernel")),
        ];
        let finding = |(way, count)| counted(format!("{way}: billions"), 11.0, BILLION, count);
        Ok(ways.into_iter().map(finding).collect())
    }
}

impl TypedCheck for T5Xxl {
    const CLAIM: &'static str = "mnemosyne/table-4";
    const PLAN: Plan = Plan::new(
        "billions of parameters, exact; width of all heads less the embedding dimension",
        "a count with a gate that does not round to 11B; heads that do not make up the embedding",
        &[BILLION],
    )
    .protocol(&["24 and 24 layers, 64 heads of 64, 4096, 10240; no biases, norms with a scale only"])
    .departures(&["vocabulary, gate and scores are not printed: those of the public model of this name, with scores of their own and from the table; a model without the gate is run as a twin"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let shape = &self.shape;
        let apart = (shape.heads * shape.head_width).abs_diff(shape.width);
        let of = |label: &str, which| -> Result<Finding, Failure> {
            Ok(counted(label, 11.0, BILLION, self.billions(which)?))
        };
        let mut evidence = Evidence::of(of("T5XXL with scores of their own: billions", reading(true, false))?)
            .and(of("T5XXL with scores from the table of tokens: billions", reading(true, true))?)
            .and(Finding::identity("width of all heads less the embedding dimension", apart as f64, 0.0));
        for twin in self.twins()? {
            evidence = evidence.twin(twin);
        }
        let counts = READINGS.iter().map(|(_, which)| self.billions(*which)).collect::<Result<Vec<f64>, Failure>>()?;
        let frame = columns(vec![
            ("reading", READINGS.iter().map(|(name, _)| *name).collect::<Vec<&str>>().into()),
            ("billions", counts.into()),
        ])?;
        Ok(Checked::from(evidence).table(Table::new(frame).title("Parameters of T5XXL under four readings").digits(5)))
    }
}
