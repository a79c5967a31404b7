//! Compute capability of a device, as a number that kernels are compiled for.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The compute capability of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Capability {
    major: u32,
    minor: u32,
}

impl Capability {
    /// The capability `major.minor`.
    pub fn new(major: u32, minor: u32) -> Capability {
        Capability { major, minor }
    }

    /// As compilers write it: 90 for 9.0.
    pub fn in_digits(self) -> String {
        format!("{}{}", self.major, self.minor)
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Capability {
    type Err = String;

    /// Reads `9.0`, `90` and `sm_90`.
    fn from_str(text: &str) -> Result<Capability, String> {
        let wrong = || {
            format!(
                "{text:?} is no compute capability: give one such as 9.0 (`nvidia-smi --query-gpu=compute_cap` tells it)"
            )
        };
        let digits = text.trim().trim_start_matches("sm_");
        let (major, minor) = match digits.split_once('.') {
            Some(parts) => parts,
            None if digits.is_ascii() && digits.len() >= 2 => digits.split_at(digits.len() - 1),
            None => return Err(wrong()),
        };
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        let (major, minor) = (number(major)?, number(minor)?);
        // Nothing older has been compiled for in years, and a slip of the finger is told at once.
        if !(3..100).contains(&major) || minor > 9 {
            return Err(wrong());
        }
        Ok(Capability { major, minor })
    }
}

impl From<Capability> for String {
    fn from(capability: Capability) -> String {
        capability.to_string()
    }
}

impl TryFrom<String> for Capability {
    type Error = String;

    fn try_from(text: String) -> Result<Capability, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_spellings_are_read() {
        for (text, read) in [("9.0", "9.0"), ("90", "9.0"), ("sm_86", "8.6"), ("120", "12.0"), (" 7.5 ", "7.5")] {
            assert_eq!(text.parse::<Capability>().unwrap().to_string(), read);
        }
        assert_eq!("12.1".parse::<Capability>().unwrap().in_digits(), "121");
        for text in ["", "9", "nine", "9.x", "1.0", "9.12", "-9.0"] {
            let error = text.parse::<Capability>().unwrap_err();
            assert!(error.contains("9.0"), "{error}");
        }
    }
}
