//! Versions of CUDA, as driver, compiler and bindings tell them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A version of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version(pub u32, pub u32);

impl Version {
    /// As the driver tells it: 13000 for 13.0, 12040 for 12.4.
    pub fn of_driver(number: u32) -> Version {
        Version(number / 1000, number % 1000 / 10)
    }

    /// As the bindings want it: 13000 for 13.0.
    pub fn in_digits(self) -> String {
        format!("{}0{}0", self.0, self.1)
    }

    /// The version in `nvcc --version`.
    pub fn of_compiler(text: &str) -> Option<Version> {
        let (_, rest) = text.split_once("release ")?;
        let (major, rest) = rest.split_once('.')?;
        let minor: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some(Version(major.parse().ok()?, minor.parse().ok()?))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}
