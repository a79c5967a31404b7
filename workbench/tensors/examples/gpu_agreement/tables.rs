//! The results as tables, on the screen and as CSV.

use super::agreement::{Agreement, Sizes};
use super::ended::Fault;
use super::timings::{Floor, Timing};
use std::fs;
use std::path::Path;

/// Writes a table into `folder`, if there is one, and says so.
fn write(folder: Option<&Path>, name: &str, header: &str, rows: &[String]) -> std::io::Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    fs::create_dir_all(folder)?;
    let path = folder.join(name);
    fs::write(&path, format!("{header}\n{}\n", rows.join("\n")))?;
    println!("{}: {} rows", path.display(), rows.len());
    Ok(())
}

/// The comparisons: those that fail are also shown.
pub fn agreements(folder: Option<&Path>, all: &[Agreement]) -> std::io::Result<()> {
    let row = |a: &Agreement| {
        let (Sizes(d, n, layers, prompts), precision) = (a.sizes, format!("{:?}", a.precision).to_lowercase());
        let (name, what, gap, granted, holds) = (a.model, a.what, a.difference, a.tolerance, a.holds());
        let how = format!("{:?}", a.multiplication).to_lowercase();
        format!("{name},{d},{n},{layers},{prompts},{precision},{how},{what},{gap:e},{granted:e},{holds}")
    };
    for agreement in all.iter().filter(|a| !a.holds()) {
        println!("DIFFERS: {agreement:?}");
    }
    let rows: Vec<String> = all.iter().map(row).collect();
    let header = "model,d,n,layers,prompts,precision,multiplication,what,difference,tolerance,holds";
    write(folder, "agreement.csv", header, &rows)
}

/// The faults, each as it is told.
pub fn faults(folder: Option<&Path>, all: &[Fault]) -> std::io::Result<()> {
    let row = |fault: &Fault| {
        let said = fault.said.replace('"', "\"\"");
        println!("{}: {said}", fault.what);
        format!("{},{},\"{said}\"", fault.what, fault.holds)
    };
    let rows: Vec<String> = all.iter().map(row).collect();
    write(folder, "faults.csv", "what,holds,said", &rows)
}

/// Times beside the floor.
pub fn timings(folder: Option<&Path>, on: &str, floor: &Floor, all: &[Timing]) -> std::io::Result<()> {
    let row = |t: &Timing| {
        let Sizes(d, n, layers, prompts) = t.sizes;
        let ms = [t.median, t.least, t.launches, t.multiplications, t.bytes].map(|s| (1e3 * s).to_string()).join(",");
        let [attention, how] =
            [format!("{:?}", t.attention), format!("{:?}", t.multiplication)].map(|name| name.to_lowercase());
        format!("{on},{attention},{d},{n},{layers},{prompts},{how},{ms},{}", t.share())
    };
    let rows: Vec<String> = all.iter().map(row).collect();
    let header = "on,attention,d,n,layers,prompts,multiplication,median_ms,least_ms,launches_ms,multiplications_ms,\
        bytes_ms,floor_share";
    write(folder, "timings.csv", header, &rows)?;
    let Floor { launch, round, multiplications, bytes } = floor;
    let row = format!("{on},{},{},{multiplications:e},{bytes:e}", 1e6 * launch, 1e6 * round);
    write(folder, "floor.csv", "on,launch_us,round_us,multiplications_per_second,bytes_per_second", &[row])
}
