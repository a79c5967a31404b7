//! The table of claims as a `longtable` that breaks over pages, for `\input`.

use super::claims::{ClaimLine, Claims, counts};
use super::markdown::{number, run};
use super::prose::latex;

/// Columns with their shares of the line, in percent.
const COLUMNS: [(&str, u32); 5] = [("Claim", 17), ("Statement", 39), ("Verdict", 10), ("Number", 17), ("Reason", 17)];

/// The table with a comment on top that says what it needs.
pub(super) fn longtable(claims: &Claims) -> String {
    let mut out = format!(
        "% {}.\n\
         % \\input this file where the text has one column. The table is as wide as a line, and its formulas are long: a landscape\n\
         % page (\\usepackage[landscape]{{geometry}}) holds all of them.\n\
         % Needs \\usepackage{{amsmath,amssymb,array,booktabs,longtable}}; pdflatex, xelatex and lualatex take it.\n\
         \\begingroup\n\\footnotesize\\setlength{{\\tabcolsep}}{{3pt}}\\setlength{{\\emergencystretch}}{{2em}}\n\
         \\begin{{longtable}}{{",
        counts(claims.lines())
    );
    for (_, share) in COLUMNS {
        out +=
            &format!("\n  >{{\\raggedright\\arraybackslash}}p{{\\dimexpr 0.{share}\\linewidth-2\\tabcolsep\\relax}}");
    }
    let heads: Vec<&str> = COLUMNS.iter().map(|(head, _)| *head).collect();
    out += &format!("}}\n\\toprule\n{} \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n", heads.join(" & "));
    for (place, section) in claims.sections.iter().enumerate() {
        if place > 0 {
            out += "\\midrule\n";
        }
        out += &format!(
            "\\multicolumn{{{}}}{{p{{\\dimexpr \\linewidth-2\\tabcolsep\\relax}}}}{{\\textbf{{{}}} ({})}} \\\\*\n\\addlinespace\n",
            COLUMNS.len(),
            latex(&section.title),
            counts(section.lines.iter())
        );
        for line in &section.lines {
            out += &format!("{} \\\\\n\\addlinespace\n", cells(line).join(" &\n  "));
        }
    }
    out + "\\end{longtable}\n\\endgroup\n"
}

fn cells(line: &ClaimLine) -> [String; 5] {
    let mut claim = format!("{{{}}}", identity(&line.id));
    if !line.place.is_empty() {
        claim += &format!("\\newline {}", latex(&line.place));
    }
    if !line.kind.is_empty() {
        claim += &format!(" ({})", latex(&line.kind));
    }
    let mut verdict = line.said.to_string();
    if line.seed.is_some() {
        verdict += &format!("\\newline ({})", run(line));
    }
    [claim, latex(&line.statement), verdict, latex(&number(line)), latex(&line.reason)]
}

/// An id, which may break after its slash and its hyphens.
fn identity(id: &str) -> String {
    latex(id).replace('/', "/\\allowbreak{}").replace('-', "-\\allowbreak{}")
}

#[cfg(test)]
mod tests {
    use super::super::claims::tests::{registry, table};
    use super::*;
    use workbench_record::{Registry, Row, Scale, Tables};

    /// What would stop an engine: anything but ASCII, unbalanced environments, braces and formulas, a wrong number of cells.
    fn check(text: &str) {
        assert!(text.is_ascii());
        assert_eq!(text.matches("\\begin{longtable}").count(), 1);
        assert_eq!(text.matches("\\end{longtable}").count(), 1);
        let body = text.split("\\endfoot\n").nth(1).unwrap().split("\\end{longtable}").next().unwrap();
        for row in
            body.split_inclusive(" \\\\\n").filter(|row| row.ends_with(" \\\\\n") && !row.contains("\\multicolumn"))
        {
            assert_eq!(row.matches(" &\n").count(), COLUMNS.len() - 1, "{row}");
            let bare = row.trim_end_matches(" \\\\\n").replace("\\\\", "").replace(" &\n", " ");
            let bare = ["\\&", "\\%", "\\$", "\\#", "\\_", "\\{", "\\}"]
                .iter()
                .fold(bare, |text, sign| text.replace(sign, ""));
            assert_eq!(bare.matches('$').count() % 2, 0, "{row}");
            assert_eq!(bare.matches('{').count(), bare.matches('}').count(), "{row}");
            for (place, piece) in bare.split('$').enumerate().filter(|(place, _)| place % 2 == 0) {
                assert!(!piece.contains(['%', '#', '_', '^', '~', '&', '<', '>', '|', '"']), "{place}: {piece}");
            }
        }
    }

    #[test]
    fn texts_of_all_kinds_stay_in_their_cells() {
        let text = longtable(&table());
        check(&text);
        assert!(text.contains("% 4 claims: 1 holds, 1 not tested, 2 open.\n"), "{text}");
        assert!(
            text.contains("{m/\\allowbreak{}rate\\_1}\\newline Theorem 2 \\& 3 (theorem) &\n  For $|x|<1$ the rate is"),
            "{text}"
        );
        assert!(
            text.contains("holds\\newline (paper, seed 2) &\n  slope of the error: $-0.5123$ [$-0.53$, $-0.49$], "),
            "{text}"
        );
        assert!(text.contains("needs $10^{9}$ steps $|$ an $\\alpha$-stable law"), "{text}");
        assert!(text.contains("\\textbf{A memory: 100 \\% of $E_0$} (3 claims"), "{text}");
    }

    #[test]
    fn our_own_claims_fit_whatever_is_said_of_them() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../notebooks/claims.toml");
        let registry = Registry::read(&path).unwrap();
        let nasty =
            ["$", "}{", "\\end{longtable}", "a & b \\\\", "x $^ y$", "☃ α₁²√½ „q“", "%", "$\\frac{a$", "~#_^|<>\"`"];
        let rows = registry.claims().iter().zip(nasty.iter().cycle()).map(|(claim, text)| Row {
            note: text.to_string(),
            change: text.to_string(),
            finding: text.to_string(),
            expected: text.to_string(),
            ..Row::blank(&claim.id, Scale::Quick, 1)
        });
        let tables = Tables { rows: rows.collect(), ..Tables::default() };
        check(&longtable(&Claims::of(&tables, &registry)));
    }

    #[test]
    fn no_rows_is_a_table_too() {
        check(&longtable(&Claims { sections: Vec::new() }));
        check(&longtable(&Claims::of(&Tables::default(), &registry())));
    }
}
