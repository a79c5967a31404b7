//! Tensors chosen by their names.

use super::{Error, Layout};

/// Whether `name` has the form of `pattern`, in which `*` stands for any text.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(head) else {
        return false;
    };
    while let Some((part, tail)) = rest.split_once('*') {
        let Some(at) = name.find(part) else {
            return false;
        };
        (name, rest) = (&name[at + part.len()..], tail);
    }
    name.ends_with(rest)
}

impl Layout {
    /// For each tensor, which of the patterns its name has: a name, in which `*` stands for any text.
    ///
    /// **Errors**: a pattern that matches no tensor, a tensor that two patterns match or none.
    ///
    /// ```
    /// use workbench_optimizer::Layout;
    /// let layout = Layout::of(&[("body.weight", &[4]), ("head.weight", &[2]), ("head.bias", &[1])])?;
    /// assert_eq!(layout.by_pattern("example", &["*.bias", "*.weight"])?, [1, 1, 0]);
    /// assert!(layout.by_pattern("example", &["head*"]).unwrap_err().to_string().contains("body.weight"));
    /// # Ok::<(), workbench_optimizer::Error>(())
    /// ```
    pub fn by_pattern(&self, op: &'static str, patterns: &[&str]) -> Result<Vec<usize>, Error> {
        let (mut groups, mut met) = (Vec::with_capacity(self.tensors().len()), vec![false; patterns.len()]);
        for tensor in self.tensors() {
            let mut matching = (0..patterns.len()).filter(|i| matches(patterns[*i], &tensor.name));
            let (problem, next) = match (matching.next(), matching.next()) {
                (Some(i), None) => {
                    met[i] = true;
                    groups.push(i);
                    continue;
                }
                (Some(i), Some(j)) => (
                    format!("{} is in the groups {:?} and {:?}", tensor.name, patterns[i], patterns[j]),
                    "let the patterns of groups exclude each other",
                ),
                (None, _) => {
                    (format!("{} is in no group", tensor.name), "add a group for it; a frozen one leaves it as it is")
                }
            };
            return Err(Error::refused(op, problem, next));
        }
        if let Some(unmet) = met.iter().position(|met| !met) {
            let names: Vec<&str> = self.tensors().iter().map(|t| t.name.as_str()).collect();
            let problem = format!("the pattern {:?} matches none of {}", patterns[unmet], names.join(", "));
            return Err(Error::refused(op, problem, "write a name, with * for any text"));
        }
        Ok(groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("*", "", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
            ("a*a", "a", false),
            ("*.bias", "x.bias.y", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
