//! What the command line says of a claim that is begun.

use clap::Args;
use clap::builder::PossibleValuesParser;
use workbench_record::Claim;

/// What is said of a claim for its row of the registry; what is not given is left for somebody to write there.
#[derive(Args, Clone, Debug, Default)]
pub struct ClaimText {
    /// Where the claim stands in the document
    #[arg(long = "where", value_name = "PLACE")]
    pub place: Option<String>,
    /// What the document says there, restated
    #[arg(long, value_name = "TEXT")]
    pub says: Option<String>,
    /// The parameters that the document gives
    #[arg(long, value_name = "TEXT")]
    pub setup: Option<String>,
    /// What the check compares, and which wrong form it tells apart
    #[arg(long, value_name = "TEXT")]
    pub check: Option<String>,
    /// What it is
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(Claim::KINDS))]
    pub kind: Option<String>,
}

impl ClaimText {
    /// Which fields are left for somebody to write.
    pub fn missing(&self) -> Vec<&'static str> {
        let fields = [
            (&self.place, "where it stands"),
            (&self.says, "what the document says"),
            (&self.check, "what the check compares"),
        ];
        fields.into_iter().filter(|(given, _)| said(given).is_none()).map(|(_, what)| what).collect()
    }

    /// A field with what was given, or what asks for it. A row of the registry is one paragraph.
    pub fn or(given: &Option<String>, asks: &str) -> String {
        said(given).unwrap_or(asks).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// What was given; a blank says nothing, and a row of the registry has no empty field.
fn said(given: &Option<String>) -> Option<&str> {
    given.as_deref().filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_is_as_good_as_nothing() {
        let blank = ClaimText { place: Some(" ".into()), says: Some(String::new()), ..ClaimText::default() };
        assert_eq!(blank.missing(), ["where it stands", "what the document says", "what the check compares"]);
        assert_eq!(ClaimText::or(&blank.place, "PLACE"), "PLACE");
    }
}
