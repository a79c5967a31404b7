//! B.7 to B.11: several rules on one model, and what can be checked where the document describes a set-up and prints no result.
//!
//! A rule is right about its tensors if it does to them, bit for bit, what it would do alone on the same gradients; a frozen tensor keeps its
//! bits. Wrong dispatches are run beside it.

use workbench_display::{Table, columns};
use workbench_ground::stats::Stream;
use workbench_ledger::{Failure, Finding, Ledger, Outcome, Setting};
use workbench_optimizer::task::{Split, Task};
use workbench_optimizer::{Error, Groups, Layout, Optimizer, Rule, Tensor};

/// Makes a rule for a layout.
pub type Make<'a> = dyn Fn(Layout) -> Result<Box<dyn Optimizer>, Error> + 'a;

/// Tensors with the rule that steps them; without one they are frozen.
pub struct Part<'a> {
    /// What they are.
    pub name: &'static str,
    /// The rule.
    pub rule: Option<&'a Make<'a>>,
}

/// A model shared out among rules.
pub struct Shares<'a> {
    /// All tensors.
    pub layout: Layout,
    /// The parts.
    pub parts: Vec<Part<'a>>,
    /// To which of them a tensor belongs.
    pub which: &'a dyn Fn(&Tensor) -> usize,
}

/// The parameters after steps along given gradients.
///
/// **Errors**: those of the rule.
pub fn walk(rule: &mut dyn Optimizer, start: &[f64], gradients: &[Vec<f64>]) -> Result<Vec<f64>, Failure> {
    let mut theta = start.to_vec();
    for gradient in gradients {
        rule.step(&mut theta, gradient)?;
    }
    Ok(theta)
}

/// Gradients of a task at points around its start, each on a batch of its own.
///
/// **Errors**: those of the task.
pub fn gradients<T: Task>(
    task: &T,
    start: &[f64],
    steps: usize,
    stream: &mut Stream,
) -> Result<Vec<Vec<f64>>, Failure> {
    let mut one = || -> Result<Vec<f64>, Failure> {
        let theta: Vec<f64> = start.iter().map(|x| x + 0.01 * stream.normal()).collect();
        let batch = task.batch(Split::Training, stream);
        let mut gradient = vec![0.0; task.len()];
        task.gradient(&theta, &batch, &mut gradient)?;
        Ok(gradient)
    };
    (0..steps).map(|_| one()).collect()
}

/// The numbers of some tensors, one after the other.
fn numbers_of(values: &[f64], tensors: &[&Tensor]) -> Vec<f64> {
    tensors.iter().flat_map(|t| values[t.range.clone()].to_vec()).collect()
}

fn rule_of<'a>(part: &Part<'a>) -> Rule<'a> {
    match part.rule {
        None => Rule::Frozen,
        Some(make) => Rule::By(Box::new(make)),
    }
}

impl Shares<'_> {
    /// The tensors of a part.
    fn tensors(&self, part: usize) -> Vec<&Tensor> {
        let all = self.layout.tensors().iter();
        all.filter(|tensor| (self.which)(tensor) == part).collect()
    }

    /// The layout of a part.
    ///
    /// **Errors**: none, of a layout that is one.
    pub fn layout_of(&self, part: usize) -> Result<Layout, Error> {
        let named: Vec<(&str, &[usize])> = self.tensors(part).iter().map(|t| (t.name.as_str(), &t.shape[..])).collect();
        Layout::of(&named)
    }

    /// All rules together.
    ///
    /// **Errors**: those of the rules.
    pub fn groups(&self) -> Result<Groups, Error> {
        let rules = self.parts.iter().map(rule_of).collect();
        Groups::choose(self.layout.clone(), rules, self.which)
    }

    /// For each part, its numbers that are not as its rule alone, or as freezing, would leave them.
    ///
    /// **Errors**: those of the rules.
    pub fn differing(&self, moved: &[f64], start: &[f64], gradients: &[Vec<f64>]) -> Result<Vec<f64>, Failure> {
        let mut counts = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let tensors = self.tensors(at);
            let (found, own) = (numbers_of(moved, &tensors), numbers_of(start, &tensors));
            let right = match part.rule {
                None => own,
                Some(make) => {
                    let seen: Vec<Vec<f64>> = gradients.iter().map(|g| numbers_of(g, &tensors)).collect();
                    walk(&mut make(self.layout_of(at)?)?, &own, &seen)?
                }
            };
            let pairs = found.iter().zip(&right);
            counts.push(pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count() as f64);
        }
        Ok(counts)
    }

    /// Counts that have to be 0, of so many: that each tensor belongs to one part, and that each part is left as its own rule leaves it.
    ///
    /// **Errors**: those of the rules.
    pub fn counts(
        &self,
        start: &[f64],
        gradients: &[Vec<f64>],
    ) -> Result<Vec<(String, f64, usize, &'static str)>, Failure> {
        let mut groups = self.groups()?;
        let moved = walk(&mut groups, start, gradients)?;
        let (members, tensors) = (groups.members().concat(), self.layout.tensors());
        let once = |tensor: &&Tensor| members.iter().filter(|name| **name == tensor.name).count() == 1;
        let astray = tensors.len() - tensors.iter().filter(once).count();
        let mut counts = vec![("tensors in no group or in two".into(), astray as f64, tensors.len(), "tensors")];
        for (at, count) in self.differing(&moved, start, gradients)?.into_iter().enumerate() {
            let part = &self.parts[at];
            let wrong =
                if part.rule.is_some() { "moved otherwise than by its rule" } else { "frozen numbers that change" };
            counts.push((format!("{}: {wrong}", part.name), count, self.layout_of(at)?.len(), "numbers"));
        }
        Ok(counts)
    }

    /// The same as findings.
    ///
    /// **Errors**: those of the rules.
    pub fn findings(&self, start: &[f64], gradients: &[Vec<f64>]) -> Result<Vec<Finding>, Failure> {
        let counts = self.counts(start, gradients)?.into_iter();
        Ok(counts.map(|(label, count, of, unit)| exact(&label, count, of, unit)).collect())
    }
}

/// A count that has to be 0, of so many.
pub fn exact(label: &str, count: f64, of: usize, unit: &str) -> Finding {
    Finding::identity(label, count, 0.0).cases(of as u64).unit(unit)
}

/// What was checked of a row whose result is not printed: not enough for a verdict on it.
#[derive(Clone, Debug)]
pub struct Mechanism {
    reason: String,
    findings: Vec<Finding>,
    twins: Vec<Finding>,
    remarks: Vec<String>,
}

impl Mechanism {
    /// Why the row is not tested, and what its mechanism was found to do.
    pub fn new(reason: &str, findings: Vec<Finding>) -> Mechanism {
        Mechanism { reason: reason.into(), findings, twins: Vec::new(), remarks: Vec::new() }
    }

    /// Adds a wrong form, which must not pass.
    pub fn twin(mut self, finding: Finding) -> Mechanism {
        self.twins.push(finding);
        self
    }

    /// Adds a remark.
    pub fn remark(mut self, text: impl Into<String>) -> Mechanism {
        self.remarks.push(text.into());
        self
    }

    /// The reason with all that was found, for the row.
    ///
    /// **Errors**: a finding that does not hold, or a wrong form that passes: the mechanism is then not the document's.
    pub fn note(&self) -> Result<String, Failure> {
        let mut parts = Vec::new();
        for (finding, wanted) in self.all() {
            if (finding.outcome()? == Outcome::Supports) != wanted {
                let measured = finding.measured_text();
                return Err(format!("{}: {measured}, which must not be", finding.label()).into());
            }
            let twin = if wanted { "" } else { "wrong form, " };
            let of = match finding.measured().n {
                n if wanted && n > 1 => format!(" of {n}"),
                _ => String::new(),
            };
            parts.push(format!("{twin}{} {}{of}", finding.label(), finding.measured_text()));
        }
        parts.extend(self.remarks.iter().cloned());
        Ok(format!("{}; checked instead: {}", self.reason, parts.join("; ")))
    }

    fn all(&self) -> impl Iterator<Item = (&Finding, bool)> {
        let twins = self.twins.iter().map(|finding| (finding, false));
        self.findings.iter().map(|finding| (finding, true)).chain(twins)
    }

    /// What was found, line by line.
    ///
    /// **Errors**: none, of columns of one length.
    pub fn table(&self) -> Result<Table, Failure> {
        let label = |(finding, wanted): (&Finding, bool)| match wanted {
            true => finding.label().to_string(),
            false => format!("wrong form: {}", finding.label()),
        };
        let frame = columns(vec![
            ("what", self.all().map(label).collect::<Vec<String>>().into()),
            ("found", self.all().map(|(f, _)| f.measured().value).collect::<Vec<f64>>().into()),
            ("of", self.all().map(|(f, _)| f.measured().n as f64).collect::<Vec<f64>>().into()),
            (
                "must be",
                self.all()
                    .map(|(f, wanted)| if wanted { f.expected_text() } else { "another".into() })
                    .collect::<Vec<String>>()
                    .into(),
            ),
        ])?;
        Ok(Table::new(frame).title("What of the mechanism was checked").rows(40))
    }
}

/// The setting of a session.
pub fn setting_of(ledger: &Ledger) -> Setting {
    Setting::new(ledger.scale(), ledger.seed())
}
