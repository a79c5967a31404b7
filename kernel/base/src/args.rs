//! Values of options that several commands read alike.
//!
//! The options of each command stand beside the command; the command line puts them together.

/// A time in seconds.
///
/// # Errors
/// What to give instead, for the parser of the command line.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && (0.0..=1e9).contains(&value) => Ok(value),
        _ => Err("give a number of seconds from 0 to 1e9".into()),
    }
}

/// A number of things to do side by side.
///
/// # Errors
/// What to give instead, for the parser of the command line.
pub fn jobs(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(jobs) if (1..=1024).contains(&jobs) => Ok(jobs),
        _ => Err("give a whole number from 1 to 1024".into()),
    }
}
