//! Pages of rustdoc with their equations set, as `cargo workbench doc` does it.

use std::path::Path;
use std::process::Command;

use workbench_pages::rustdoc::{Formulas, checkout_sources, typeset_checkout};

const SOURCE: &str = r"//! Two lines of $\mathbf x_i\,y$ and $\mathbf x_{ij}$, and code `$HOME`.

/// The mean, $\bar x=\frac1n\sum_{i=1}^n x_i$.
///
/// $$ \bar x_{n+1}=\bar x_n+\frac{x_{n+1}-\bar x_n}{n+1},\qquad n<\infty $$
///
/// ```text
/// $c$
/// ```
pub fn mean() {}
";

#[test]
fn a_page_comes_out_with_mathml_and_no_dollar_left() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("workbench/src/lib.rs");
    std::fs::create_dir_all(source.parent().unwrap()).unwrap();
    std::fs::create_dir_all(root.path().join("kernel")).unwrap();
    std::fs::write(&source, SOURCE).unwrap();
    let pages = root.path().join("doc");
    let rustdoc = Command::new("rustdoc")
        .args(["--crate-name", "workbench_small", "--edition", "2024", "-o"])
        .args([&pages, &source])
        .output()
        .unwrap();
    assert!(rustdoc.status.success(), "{}", String::from_utf8_lossy(&rustdoc.stderr));

    let set = typeset_checkout(root.path(), &pages).unwrap();
    assert!(set.wrong.is_empty(), "{set:?}");
    // The front page has the first sentence of the function too.
    assert_eq!(set.formulas, 2 + 1 + 2, "{set:?}");
    let page = std::fs::read_to_string(pages.join("workbench_small/fn.mean.html")).unwrap();
    let body = &page[page.find("<body").unwrap()..];
    assert_eq!(body.matches("<math").count(), 2, "{body}");
    assert!(body.contains("display=\"block\"") && body.contains("<mfrac>"), "{body}");
    assert!(!body.replace("$c$", "").contains('$'), "{body}");
    let front = std::fs::read_to_string(pages.join("workbench_small/index.html")).unwrap();
    assert!(front.contains("<code>$HOME</code>") && !front.contains("<em>"), "{front}");

    assert_eq!(typeset_checkout(root.path(), &pages).unwrap().formulas, 0, "a second time");
}

#[test]
fn every_formula_of_the_project_s_comments_can_be_set() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let formulas = Formulas::read(&checkout_sources(&root)).unwrap();
    assert_eq!(formulas.wrong(), &[] as &[String]);
}
