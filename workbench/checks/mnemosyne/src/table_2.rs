//! Table 2: BERT-Base.
//!
//! **Claim** (`mnemosyne/table-2`). 12 heads, 12 layers, hidden dimension 768, MLP dimension 3072, 110M parameters, trained on 4x2 TPUv3
//! with the loss of masked language modelling.
//!
//! The table gives no vocabulary; the public model of this name has 30,522 tokens, 512 positions and two segments. Its loss column says what
//! stands on the encoder: the head of a masked language model. Against it: heads that do not divide, or a count that does not round to
//! 110M. The machine is no count and is not tested.

use workbench_display::{Table, columns};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::Layout;
use workbench_optimizer::counts::{BertHead, BertShape, numbers_in};

use super::section_b::{MILLION, counted, millions};

/// BERT-Base as printed.
#[derive(Clone, Debug)]
pub struct BertBase {
    /// Its shape.
    pub shape: BertShape,
    /// Heads of the attention.
    pub heads: usize,
}

impl Default for BertBase {
    fn default() -> BertBase {
        BertBase { shape: BertShape::base(), heads: 12 }
    }
}

/// What may stand on the encoder, in words.
pub(super) const HEADS: [(&str, BertHead); 4] = [
    ("nothing", BertHead::None),
    ("pooler", BertHead::Pooler),
    ("masked language model", BertHead::Masked),
    ("pooler, masked language model, next sentence", BertHead::All),
];

impl BertBase {
    fn masked(&self) -> Result<Layout, Failure> {
        Ok(self.shape.layout(BertHead::Masked)?)
    }

    /// Least and largest vocabulary with which the count rounds to 110M: each token brings a vector and a bias.
    fn vocabularies(&self) -> Result<[usize; 2], Failure> {
        let each = self.shape.hidden + 1;
        let rest = self.masked()?.len() - each * self.shape.vocabulary;
        Ok([(109_500_000 - rest).div_ceil(each), (110_500_000 - rest) / each])
    }

    fn twins(&self) -> Result<Vec<Finding>, Failure> {
        let layout = self.masked()?;
        let without = |part: &str| numbers_in(&layout, |name| !name.contains(part));
        let ways = [
            ("no position embeddings", without("positions")),
            ("one layer forgotten", without("encoder/11/")),
            ("a second table of tokens for the scores", layout.len() + numbers_in(&layout, |name| name == "tokens")),
            ("attention without its last matrix", without("attention/out")),
        ];
        let finding = |(way, count)| counted(format!("{way}: millions"), 110.0, MILLION, millions(count));
        Ok(ways.into_iter().map(finding).collect())
    }
}

impl TypedCheck for BertBase {
    const CLAIM: &'static str = "mnemosyne/table-2";
    const PLAN: Plan = Plan::new(
        "millions of parameters, exact; what heads leave of the hidden dimension",
        "heads that do not divide 768; a count that does not round to 110M",
        &[MILLION],
    )
    .protocol(&["12 layers, 768, 3072; the head of a masked language model, whose scores use the table of tokens again"])
    .departures(&["the table gives no vocabulary: that of the public model, 30,522 tokens, 512 positions and two segments; what other vocabularies do is reported"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let [least, most] = self.vocabularies()?;
        let left_over = self.shape.hidden.checked_rem(self.heads).unwrap_or(self.shape.hidden);
        let mut evidence = Evidence::of(counted(
            "BERT-Base with the head of a masked language model: millions",
            110.0,
            MILLION,
            millions(self.masked()?.len()),
        ))
        .and(Finding::identity("what 12 heads leave of the hidden dimension", left_over as f64, 0.0))
        .note(format!("the count rounds to 110M for vocabularies from {least} to {most} tokens; the cased one of 28,996 is outside"));
        for twin in self.twins()? {
            evidence = evidence.twin(twin);
        }
        let counts = HEADS
            .iter()
            .map(|(_, head)| Ok(self.shape.layout(*head)?.len() as f64))
            .collect::<Result<Vec<f64>, Failure>>()?;
        let rest = counts.iter().map(|count| count - (self.shape.vocabulary * self.shape.hidden) as f64);
        let frame = columns(vec![
            ("on the encoder", HEADS.iter().map(|(name, _)| *name).collect::<Vec<&str>>().into()),
            ("all", counts.clone().into()),
            ("all but the table of tokens", rest.collect::<Vec<f64>>().into()),
        ])?;
        let table = Table::new(frame).title("Parameters of BERT-Base under four readings").digits(9);
        Ok(Checked::from(evidence).table(table))
    }
}
