//! The table of claims through pdflatex: the registry's own statements, and texts that would break a file.

use std::path::Path;
use std::process::Command;

use workbench_ledger::{Registry, Row, Scale, Tables, Verdict, export};

const PAGE: &str = "\
\\documentclass{article}
\\usepackage{amsmath,amssymb,array,booktabs,longtable}
\\begin{document}
\\input{claims}
\\end{document}
";

/// Texts of all kinds, for labels, remarks and reasons.
const TEXTS: [&str; 8] = [
    "50 % of a_b & c # d ~ e ^ f \\ {g} \"h\" `i` <j> |k|",
    "α₁² ≤ √½ · 10⁻¹², Ȳ ≈ x̂, „so“ – “so” … ☃ 語",
    "unbalanced $x^{, }{, $, $$ and \\end{longtable}",
    "$\\frac{a}$ $x^a^b$ $\\nosuch$ $\\lambda_\\max \\le ρ$",
    "-0.5 ± 2.5e-3 -- 1e-300 --- 5 $ or $6",
    "[first] * \\\\ & \\hline",
    "a\u{7}b\tc\nd\u{202e}e",
    "",
];

#[test]
fn pdflatex_takes_the_whole_table() {
    if Command::new("pdflatex").arg("--version").output().is_err() {
        println!("skipped: no pdflatex");
        return;
    }
    let notebooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../notebooks");
    let registry = Registry::read(&notebooks.join("claims.toml")).unwrap();
    let mut tables = Tables::default();
    for (place, claim) in registry.claims().iter().enumerate() {
        let text = |shift: usize| TEXTS[(place + shift) % TEXTS.len()].to_string();
        tables.rows.push(Row {
            verdict: Verdict::ALL[place % Verdict::ALL.len()],
            expected: text(0),
            measured: Some(-1.0 / 3.0),
            low: Some(-1e-12),
            high: Some(1e300),
            finding: text(1),
            change: text(2),
            note: text(3),
            ..Row::blank(&claim.id, Scale::Paper, place as u64)
        });
    }
    let folder = tempfile::tempdir().unwrap();
    export(&tables, &registry, folder.path()).unwrap();
    std::fs::write(folder.path().join("page.tex"), PAGE).unwrap();
    let output = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "page.tex"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let tail: Vec<&str> = told.lines().rev().take(25).collect();
    assert!(output.status.success(), "{}", tail.into_iter().rev().collect::<Vec<_>>().join("\n"));
    assert!(folder.path().join("page.pdf").is_file());
}
