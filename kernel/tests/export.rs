//! A notebook with a card and equations as a page that needs no network, and printed. Where the Python environment of
//! `cargo workbench lab` is not installed, nothing is tested.

use std::path::Path;

use workbench_kernel::export::{browser, pages, print};
use workbench_kernel::setup::paths::Workspace;
use workbench_kernel::setup::system::Machine;

const CARD: &str =
    "<div><span>holds</span> <code>memory/rate</code><p>The rate is $\\\\frac{1}{2}$ for $|x|<1$.</p></div>";

fn notebook() -> String {
    let card = CARD.replace("\\\\", "\\");
    serde_json::json!({
        "nbformat": 4, "nbformat_minor": 5, "metadata": {},
        "cells": [
            {"cell_type": "markdown", "id": "m1", "metadata": {},
             "source": "# Rates & sums\n\nWith $x_1^2$ and\n\n$$\\sum_k \\alpha_k = 1.$$\n"},
            {"cell_type": "code", "id": "c1", "metadata": {}, "execution_count": 1,
             "source": "ledger.record(\"memory/rate\", evidence)?",
             "outputs": [{"output_type": "execute_result", "execution_count": 1, "metadata": {},
                          "data": {"text/html": card, "text/plain": "holds: memory/rate"}}]}
        ]
    })
    .to_string()
}

#[test]
fn a_page_needs_nothing_from_outside_its_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let workspace = Workspace::find().or_else(|_| Workspace::at(root)).unwrap();
    if !workspace.venv_program("jupyter-nbconvert").is_file() {
        println!("skipped: no Python environment in {}", workspace.venv().display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let notebook_path = folder.path().join("rates.ipynb");
    std::fs::write(&notebook_path, notebook()).unwrap();
    let out = folder.path().join("html");
    pages::write(&workspace, &[notebook_path], &out).unwrap();

    let page = std::fs::read_to_string(out.join("rates.html")).unwrap();
    assert_eq!(pages::loaded_from_outside(&page), [""; 0]);
    assert!(
        page.contains("The rate is $\\frac{1}{2}$"),
        "the card keeps its equation"
    );
    assert!(page.contains("src=\"mathjax/tex-svg-full.js\""));
    assert!(std::fs::metadata(out.join("mathjax/tex-svg-full.js")).unwrap().len() > 1_000_000);
    let index = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(index.contains("<a href=\"rates.html\">Rates &amp; sums</a>"), "{index}");

    let Ok(browser) = browser(&Machine) else {
        println!("skipped: no browser to print with");
        return;
    };
    let pdf = folder.path().join("pdf");
    print(&browser, &[out.join("rates.html")], &pdf).unwrap();
    assert!(std::fs::metadata(pdf.join("rates.pdf")).unwrap().len() > 5_000);
}
