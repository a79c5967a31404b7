//! Writes a table as HTML, CSV, Parquet, Markdown and LaTeX into the folder given as argument, and prints its text form.
//!
//! Run with `cargo run --example display_table -- FOLDER`.

use workbench::display::{ShowTable, Table, columns, describe};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("give the folder to write to as the argument")?;
    let n: Vec<i64> = (0..1000).collect();
    let error: Vec<Option<f64>> = n.iter().map(|&i| (i % 7 != 3).then(|| 2.0 / (1.0 + i as f64).sqrt())).collect();
    let seconds: Vec<f64> = n.iter().map(|&i| 1e-7 * (1.0 + i as f64).powi(2)).collect();
    let method: Vec<String> = n.iter().map(|i| format!("sketch <{i}> & \"exact\"")).collect();
    let kept: Vec<bool> = n.iter().map(|i| i % 2 == 0).collect();
    let frame = columns(vec![
        ("n", n.into()),
        ("method", method.into()),
        ("error", error.into()),
        ("seconds", seconds.into()),
        ("kept", kept.into()),
    ])?;
    let table = Table::new(frame.clone())
        .title("Errors of the sketch")
        .caption("One row per size; nulls are sizes that were skipped.")
        .rows(8)
        .units(&[("seconds", "s")]);
    println!("{}", table.to_text()?);
    println!("\n{}", describe(&frame)?.table()?.to_text()?);
    let page = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><body style=\"font:14px sans-serif\">{}{}<div style=\"background:#111;color:#eee\">{}</div></body>",
        table.to_html()?,
        describe(&frame)?.table()?.to_html()?,
        table.to_html()?
    );
    std::fs::create_dir_all(&folder)?;
    std::fs::write(format!("{folder}/table.html"), page)?;
    for ending in ["csv", "parquet", "md", "tex"] {
        table.save(format!("{folder}/table.{ending}"))?;
    }
    Ok(())
}
