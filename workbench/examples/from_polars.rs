//! First lines of polars in Python, and what is written here for them. Each line is computed and asserted.
//!
//! Run with `cargo run --example from_polars`.
//!
//! | polars in Python | here |
//! | --- | --- |
//! | `df = pl.DataFrame({"d": d, "loss": loss})` | `let df = frame!("d" => d, "loss" => loss)?;` |
//! | `df.shape`, `df.columns` | `df.shape()`, `df.get_column_names()` |
//! | `df.head(2)`, `df.select("d", "loss")` | `df.head(Some(2))`, `df.select(["d", "loss"])?` |
//! | `df["loss"]`, `df["loss"].mean()` | `df.column("loss")?`, `df.column("loss")?.f64()?.mean()` |
//! | `df["loss"].to_list()` | `df.column("loss")?.f64()?.into_no_null_iter().collect::<Vec<f64>>()` |
//! | `df.lazy()`, which leaves `df` as it is | `df.clone().lazy()`: a clone shares the columns and costs nothing; `df.lazy()` takes `df` |
//! | `df.filter(pl.col("loss") < 0.25)` | `df.clone().lazy().filter(col("loss").lt(0.25)).collect()?` |
//! | `(pl.col("d") > 64) & (pl.col("method") == "exact")` | `col("d").gt(64).and(col("method").eq(lit("exact")))` |
//! | `df.with_columns((pl.col("loss") * 2).alias("twice"))` | `df.clone().lazy().with_column((col("loss") * lit(2.0)).alias("twice")).collect()?` |
//! | `df.group_by("method").agg(pl.col("loss").mean())` | `df.clone().lazy().group_by([col("method")]).agg([col("loss").mean()]).collect()?` |
//! | `df.sort("loss")` | `df.sort(["loss"], Default::default())?` |
//! | `df.describe()` | `describe(&df)?` |
//! | `df.write_csv("loss.csv")` | `Table::new(df.clone()).save("loss.csv")?`, also `.parquet`, `.md`, `.tex` |
//! | the last line of a cell, `df` | the same, `df`; with title, digits and units: `Table::new(df.clone()).title("Losses").digits(3)` |
//!
//! In Rust `<` compares and gives a `bool`, so that a comparison of columns is a method: `lt`, `lt_eq`, `gt`, `gt_eq`, `eq`, `neq`. A text
//! in a comparison is a value as `lit("exact")` and a column as `col("exact")`.

use workbench::prelude::*;

/// All lines of the table.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let d = vec![64_usize, 64, 256, 256];
    let loss = [0.5, 0.375, 0.25, 0.125];
    let df = frame!("d" => d, "method" => ["exact", "sketch", "exact", "sketch"], "loss" => loss)?;
    assert_eq!((df.shape(), d.len()), ((4, 3), 4)); // the macro takes nothing away
    assert_eq!(df.get_column_names(), ["d", "method", "loss"]);
    assert_eq!((df.head(Some(2)).height(), df.select(["d", "loss"])?.width()), (2, 2));

    // A column, as numbers.
    let column = df.column("loss")?.f64()?;
    assert_eq!(column.mean(), Some(0.3125));
    assert_eq!(column.into_no_null_iter().collect::<Vec<f64>>(), loss);

    // Rows by a condition. The frame is still there, because a clone of it went into the query.
    let low = df.clone().lazy().filter(col("loss").lt(0.25)).collect()?;
    let both = col("d").gt(64).and(col("method").eq(lit("exact")));
    assert_eq!((low.height(), df.clone().lazy().filter(both).collect()?.height()), (1, 1));

    // New columns, groups, order.
    let twice = (col("loss") * lit(2.0)).alias("twice");
    let wider = df.clone().lazy().with_column(twice).collect()?;
    assert_eq!(wider.column("twice")?.f64()?.get(0), Some(1.0));
    let query = df.clone().lazy().group_by([col("method")]).agg([col("loss").mean()]);
    let means = query.collect()?.sort(["loss"], Default::default())?;
    assert_eq!(means.column("method")?.str()?.get(0), Some("sketch"));
    assert_eq!(means.column("loss")?.f64()?.get(1), Some(0.375));

    // Estimates are columns, too: the value and both ends of its interval.
    let errors = [Estimate::new(0.5, 0.4, 0.6, 20, 0.999)?, Estimate::exact(0.25)];
    let table = Table::new(frame!("d" => [64, 256], "error" => errors)?).title("Errors").digits(3);
    assert_eq!(table.frame().get_column_names(), ["d", "error", "error_low", "error_high"]);

    // Summaries and files.
    assert_eq!(describe(&df)?.height(), df.width());
    let file = std::env::temp_dir().join(format!("from-polars-{}.csv", std::process::id()));
    table.save(&file)?;
    assert!(std::fs::read_to_string(&file)?.starts_with("d,error,error_low,error_high\n64,0.5,"));
    std::fs::remove_file(&file)?;
    println!("{}", table.to_text()?);
    Ok(())
}
