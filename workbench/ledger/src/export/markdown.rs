//! The table of claims as a page for code hosts: one line for each claim, by document.

use super::claims::{ClaimLine, Claims, counts};
use super::prose::markdown;

/// The page.
pub(super) fn page(claims: &Claims) -> String {
    let mut out = format!(
        "# Claims\n\n{}.\n\nA number is what was measured, with its interval, beside what was expected; where the printed form fails, \
         the number of what is right behind it.\n",
        counts(claims.lines())
    );
    for section in &claims.sections {
        out += &format!("\n## {}\n\n{}.\n\n", markdown(&section.title), counts(section.lines.iter()));
        out += "| claim | place | statement | verdict | number | run | reason |\n";
        out += "| :--- | :--- | :--- | :--- | :--- | :--- | :--- |\n";
        for line in &section.lines {
            out += &format!("| {} |\n", cells(line).join(" | "));
        }
    }
    out
}

fn cells(line: &ClaimLine) -> [String; 7] {
    let place = match (line.place.as_str(), line.kind.as_str()) {
        (place, "") => place.to_string(),
        (place, kind) => format!("{place} ({kind})"),
    };
    [
        markdown(&line.id),
        markdown(&place),
        markdown(&line.statement),
        line.said.to_string(),
        markdown(&number(line)),
        run(line),
        markdown(&line.reason),
    ]
}

/// `slope of the error: -0.51 [-0.53, -0.49], expected -0.5 ± 0.05`; where that is of a printed form that is wrong, what is right behind it.
pub(super) fn number(line: &ClaimLine) -> String {
    let printed = match (line.finding.as_str(), line.number.as_str()) {
        (_, "") => String::new(),
        ("", number) => number.to_string(),
        (finding, number) => format!("{finding}: {number}"),
    };
    match line.right.as_str() {
        "" => printed,
        right => format!("{printed}; right: {right}"),
    }
}

/// `paper, seed 1`, or nothing.
pub(super) fn run(line: &ClaimLine) -> String {
    line.seed.map_or(String::new(), |seed| format!("{}, seed {seed}", line.scale))
}

#[cfg(test)]
mod tests {
    use super::super::claims::tests::table;
    use super::*;

    #[test]
    fn one_line_for_each_claim_under_its_document() {
        let page = page(&table());
        let lines: Vec<&str> = page.lines().collect();
        assert_eq!(lines[2], "4 claims: 1 holds, 1 not tested, 2 open.");
        assert!(lines.contains(&"## A memory: 100 % of $E_0$") && lines.contains(&"## Claims outside the registry"));
        assert!(lines.contains(&"3 claims: 1 holds, 2 open."));
        let rows: Vec<&&str> = lines.iter().filter(|line| line.starts_with("| ")).collect();
        assert_eq!(rows.len(), 4 + 2 * 2);
        for row in &rows {
            assert_eq!(row.replace("\\|", "").matches('|').count(), 8, "{row}");
        }
        assert_eq!(
            **rows[2],
            *"| m/rate\\_1 | Theorem 2 & 3 (theorem) | For $\\vert x\\vert\\lt1$ the rate is $\\frac{1}{2}$. | holds | slope of the \
              error: -0.5123 \\[-0.53, -0.49\\], expected -0.5 ± 0.05 | paper, seed 2 | differs between seeds: holds with 2, fails \
              with 3 |"
                .replace("2 & 3", "2 &amp; 3")
        );
        assert!(rows[3].contains("| It costs \\$5, or \\#6. | open |  |  | not computed yet"));
        assert!(rows[4].contains("needs 1e9 steps \\| an α-stable law"));
    }

    #[test]
    fn without_a_claim_there_is_a_page_that_says_so() {
        let none = Claims { sections: Vec::new() };
        assert!(page(&none).starts_with("# Claims\n\nNo claims.\n"));
    }
}
