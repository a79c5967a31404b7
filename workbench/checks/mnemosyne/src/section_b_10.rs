//! B.10: the two groups of BERT-Base.
//!
//! **Claim** (`mnemosyne/b10-parameter-split`). Everything except the token embedding, about 86M parameters, is trained by tensor-wise
//! Mnemosyne.
//!
//! With the reading of Table 2 (the head of a masked language model, 30,522 tokens) one count must give 110M and 86M at once. The two
//! printed numbers also imply a vocabulary by themselves. Against it: a count that does not round to 86M, a vocabulary that is not implied.

use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_optimizer::Layout;
use workbench_optimizer::counts::{BertHead, BertShape, numbers_in};

use super::section_b::{MILLION, counted, millions};

const TOKENS: Margin = Margin::new(
    "implied tokens",
    1_303.0,
    "two numbers rounded to a million leave a million between them, divided by 768 numbers for a token",
);

/// The split of BERT-Base.
#[derive(Clone, Debug)]
pub struct Split {
    /// Its shape.
    pub shape: BertShape,
}

impl Default for Split {
    fn default() -> Split {
        Split { shape: BertShape::base() }
    }
}

fn not_tokens(layout: &Layout) -> usize {
    numbers_in(layout, |name| name != "tokens")
}

impl Split {
    fn twins(&self) -> Result<Vec<Finding>, Failure> {
        let layout = self.shape.layout(BertHead::Masked)?;
        let tall = self.shape.vocabulary * self.shape.mlp;
        let without = |part: &str| numbers_in(&layout, |name| name != "tokens" && !name.contains(part));
        let untied = not_tokens(&layout) + numbers_in(&layout, |name| name == "tokens");
        let ways = [
            ("token vectors as wide as the MLP", layout.len().abs_diff(tall)),
            ("scores with a table of their own", untied),
            ("one layer forgotten", without("encoder/11/")),
        ];
        let finding = |(way, count)| counted(format!("{way}: millions"), 86.0, MILLION, millions(count));
        Ok(ways.into_iter().map(finding).collect())
    }
}

impl TypedCheck for Split {
    const CLAIM: &'static str = "mnemosyne/b10-parameter-split";
    const PLAN: Plan = Plan::new(
        "millions of parameters outside the table of tokens, exact; tokens",
        "a count that does not round to 86M; a vocabulary that 110M and 86M do not allow",
        &[MILLION, TOKENS],
    )
    .protocol(&["BERT-Base of Table 2 with the head of a masked language model, as its loss asks"])
    .departures(&["no vocabulary is given; it touches this count through one bias for each token only"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let masked = self.shape.layout(BertHead::Masked)?;
        let implied = (110.0 - 86.0) * 1e6 / self.shape.hidden as f64;
        let mut evidence = Evidence::of(counted(
            "everything but the table of tokens, masked language model: millions",
            86.0,
            MILLION,
            millions(not_tokens(&masked)),
        ))
        .and(counted(
            "tokens that 110M less 86M imply, beside those of the public model",
            self.shape.vocabulary as f64,
            TOKENS,
            implied,
        ))
        .note("other readings: 85.5M for the bare encoder, 86.0M with a pooler, 86.7M with every head of the public model");
        for twin in self.twins()? {
            evidence = evidence.twin(twin);
        }
        Ok(evidence.into())
    }
}
