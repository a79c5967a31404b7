//! Values of options that several commands read alike.
//!
//! The options of each command stand beside the command; the command line puts them together.

pub use workbench_record::seconds;

/// A count or a seed.
///
/// # Errors
/// What to give instead, for the parser of the command line.
pub fn whole<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let number = text.parse::<u64>().ok().and_then(|number| T::try_from(number).ok());
    let most = u64::MAX >> (64 - 8 * size_of::<T>().min(8));
    number.ok_or_else(|| format!("give a whole number from 0 to {most}"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_refused_with_what_to_give() {
        assert_eq!((whole("7"), whole::<u16>("8888")), (Ok(7_u64), Ok(8888)));
        for text in ["x", "-1", "1.5", "", "65536"] {
            assert!(whole::<u16>(text).unwrap_err().contains("a whole number from 0 to 65535"), "{text}");
        }
        assert!(jobs("0").is_err());
    }
}
