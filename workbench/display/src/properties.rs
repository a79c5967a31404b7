//! Properties of any number, table and text that is shown.

use ndarray::Array2;
use proptest::prelude::*;

use crate::escape;
use crate::{columns, matrix_frame, significant};

proptest! {
    /// As many digits as asked for, right to half a unit of the last; integer digits are never rounded away.
    #[test]
    fn numbers_keep_their_digits(x in any::<f64>().prop_filter("finite", |x| x.is_finite()), digits in 1usize..18) {
        let text = significant(x, digits);
        let back: f64 = text.parse()?;
        let unit = x.abs() * 10f64.powi(1 - digits as i32);
        prop_assert!((back - x).abs() <= 0.5 * unit * (1.0 + 1e-12) + 1e-15 * x.abs(), "{text}");
        prop_assert_eq!(significant(back, 17.max(digits)).parse::<f64>()?, back);
        let other = significant(-x, digits);
        prop_assert_eq!(other.trim_start_matches('-'), text.trim_start_matches('-'));
    }

    /// From ndarray to polars and back, bit for bit.
    #[test]
    fn matrices_survive_a_frame(rows in 0usize..8, cols in 1usize..6, values in prop::collection::vec(any::<f64>(), 48)) {
        let matrix = Array2::from_shape_fn((rows, cols), |(i, j)| values[i * cols + j]);
        let names: Vec<String> = (0..cols).map(|j| format!("c{j}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let frame = matrix_frame(&matrix, &names)?;
        prop_assert_eq!(frame.shape(), (rows, cols));
        for (column, name) in matrix.columns().into_iter().zip(names) {
            let back = frame.column(name)?.f64()?;
            let same = column.iter().zip(back.iter()).all(|(x, y)| Some(x.to_bits()) == y.map(f64::to_bits));
            prop_assert!(same && back.null_count() == 0);
        }
    }

    /// Every kind of column keeps its values and its nulls.
    #[test]
    fn columns_keep_values_and_nulls(list in prop::collection::vec((any::<Option<i64>>(), any::<Option<String>>(), any::<Option<bool>>()), 0..20)) {
        let integers: Vec<Option<i64>> = list.iter().map(|line| line.0).collect();
        let texts: Vec<Option<String>> = list.iter().map(|line| line.1.clone()).collect();
        let flags: Vec<Option<bool>> = list.iter().map(|line| line.2).collect();
        let frame = columns(vec![("i", integers.clone().into()), ("s", texts.clone().into()), ("b", flags.clone().into())])?;
        prop_assert!(frame.column("i")?.i64()?.iter().eq(integers));
        prop_assert!(frame.column("s")?.str()?.iter().eq(texts.iter().map(Option::as_deref)));
        prop_assert!(frame.column("b")?.bool()?.iter().eq(flags));
    }

    /// Escaped text holds nothing that HTML reads as a tag, and says the same when it is read.
    #[test]
    fn escaped_text_is_text(text in "\\PC{0,40}") {
        let escaped = escape::html(&text);
        prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
        let read = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&");
        prop_assert_eq!(read, text);
    }
}
