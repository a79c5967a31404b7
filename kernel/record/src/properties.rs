//! Round trips of tables, registries and numbers: what is written is read as the same, and the rest is refused with a reason.

use std::path::Path;

use proptest::prelude::*;

use crate::number::{in_groups, power_of_ten, raised, rounded, shortest, typeset};
use crate::words::{Piece, markdown, pieces};
use crate::{Kind, Registry, Row, Scale, Verdict, seeds, table};

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |x| x.is_finite())
}

fn row() -> impl Strategy<Value = Row> {
    let text = || "\\PC{0,12}|[a,\"\n\r]{0,6}";
    let verdict = prop_oneof![
        Just(Verdict::Holds),
        Just(Verdict::HoldsWithChange),
        Just(Verdict::Fails),
        Just(Verdict::Inconclusive),
        Just(Verdict::NotTested)
    ];
    let kind = prop_oneof![Just(None), Just(Some(Kind::Misprint)), Just(Some(Kind::Condition))];
    let numbers =
        (prop::option::of(finite()), prop::option::of(finite()), any::<Option<u64>>(), any::<u64>(), finite());
    (verdict, kind, numbers, text(), text(), text(), "[a-z/]{1,8}").prop_map(
        |(verdict, kind, (measured, low, n, seed, seconds), expected, change, note, claim)| Row {
            verdict,
            kind,
            measured,
            low,
            n,
            seconds,
            expected,
            change,
            note,
            ..Row::blank(&claim, Scale::Quick, seed)
        },
    )
}

proptest! {
    /// Rows of any texts and numbers are read as they were written; a cut file is refused or has fewer rows.
    #[test]
    fn tables_come_back(rows in prop::collection::vec(row(), 0..4), cut in 0.0f64..1.0) {
        let mut rows = rows;
        rows.iter_mut().zip(0..).for_each(|(row, seed)| row.seed = seed);
        let bytes = table::to_csv(&rows);
        let path = Path::new("ledger.csv");
        prop_assert_eq!(table::parse::<Row>(&bytes, path)?, rows.clone());
        let part = &bytes[..(cut * bytes.len() as f64) as usize];
        if let Ok(fewer) = table::parse::<Row>(part, path) {
            prop_assert!(fewer.len() <= rows.len());
        }
    }

    /// A registry says what it was written with, whatever the words; a name twice is refused.
    #[test]
    fn registries_are_read(says in "\\PC{1,40}", names in prop::collection::hash_set("[a-z0-9-]{1,6}", 1..5)) {
        prop_assume!(!says.trim().is_empty());
        let mut text = String::from("[[paper]]\nid = \"p\"\ntitle = \"T\"\n");
        let quoted = toml::Value::String(says.clone()).to_string();
        for name in &names {
            text += &format!(
                "[[claim]]\nid = \"p/{name}\"\npaper = \"p\"\nwhere = \"w\"\nkind = \"lemma\"\nsays = {quoted}\nsetup = \"s\"\ncheck = \"c\"\nreach = \"gpu\"\nnotebook = \"n\"\n"
            );
        }
        let path = Path::new("claims.toml");
        let registry = Registry::parse(&text, path)?;
        prop_assert_eq!(registry.claims().len(), names.len());
        prop_assert!(registry.claims().iter().all(|claim| claim.says == says && names.contains(&claim.id[2..])));
        let last = text.rfind("[[claim]]").unwrap_or(0);
        let twice = format!("{text}{}", &text[last..]);
        prop_assert!(Registry::parse(&twice, path).unwrap_err().to_string().contains("p/"));
    }

    /// The shortest form is exact, a rounded one has its digits, exponents are raised and read back.
    #[test]
    fn numbers_read_back(x in finite(), digits in 1usize..18, exponent: i32) {
        prop_assert_eq!(shortest(x).parse::<f64>()?.to_bits(), x.to_bits());
        let back: f64 = rounded(x, digits).parse()?;
        let nearest: f64 = format!("{x:.*e}", digits - 1).parse()?;
        prop_assert_eq!(back, nearest);
        let text = power_of_ten(exponent);
        prop_assert_eq!(raised(text.strip_prefix("10").unwrap_or_default()), Some(exponent));
    }

    /// Typesetting changes how numbers look and no word; what is typeset stays as it is.
    #[test]
    fn typesetting_keeps_words(x in finite(), text in "[a-z_ ()]{0,12}", any in "\\PC{0,30}") {
        let plain = format!("{text} {} {text}", shortest(x));
        let set = typeset(&plain);
        let read = set.replace('−', "-");
        let number = read[text.len()..read.len() - text.len()].trim();
        let number = match number.rsplit_once("10").filter(|(_, power)| power.starts_with(|c: char| raised(&c.to_string()).is_some() || c == '⁻')) {
            Some((front, power)) => {
                let front = front.strip_suffix('×').unwrap_or(if front == "-" { "-1" } else { "1" });
                format!("{front}e{}", raised(power).unwrap_or_default())
            }
            None => number.to_string(),
        };
        prop_assert_eq!(number.parse::<f64>()?.to_bits(), x.to_bits(), "{} is {}", plain, set);
        prop_assert_eq!(typeset(&typeset(&any)), typeset(&any));
    }

    #[test]
    fn groups_hold_the_same_digits(front in 0u64.., fraction in "|\\.[0-9]{1,8}", sign in "|-|−") {
        let text = format!("{sign}{front}{fraction}");
        let grouped = in_groups(&text);
        prop_assert_eq!(grouped.replace(',', ""), text);
        let whole = grouped.split('.').next().unwrap_or_default();
        prop_assert!(whole.rsplit(',').skip(1).all(|_| true) && whole.rsplit(',').take(whole.matches(',').count()).all(|group| group.len() == 3));
    }

    /// Pieces of a text are the text, and only its words are escaped.
    #[test]
    fn pieces_are_the_text(text in "[a-z$ *_\\\\]{0,30}|\\PC{0,30}") {
        let whole: String = pieces(&text).into_iter().map(|piece| match piece { Piece::Words(part) | Piece::Math(part) => part }).collect();
        prop_assert_eq!(&whole, &text);
        let escaped = markdown(&text);
        prop_assert!(pieces(&text).iter().all(|piece| !matches!(piece, Piece::Math(math) if !escaped.contains(math))));
    }

    #[test]
    fn seeds_are_what_was_typed(from in 0u64..10_000, length in 1u64..1000, text in "[0-9.,= -]{0,12}") {
        let to = from + length;
        prop_assert_eq!(seeds(&format!("{from}..{to}")).unwrap(), (from..to).collect::<Vec<_>>());
        prop_assert_eq!(seeds(&format!("{from}..={}", to - 1)).unwrap(), (from..to).collect::<Vec<_>>());
        if let Ok(found) = seeds(&text) {
            prop_assert!(!found.is_empty());
        }
    }
}
