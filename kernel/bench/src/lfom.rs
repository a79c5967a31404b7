//! `cargo workbench bench lfom`: training steps of memformers in this crate and in PyTorch, in turn.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use workbench_base::error::{Error, Result};
use workbench_base::progress::{self, table};
use workbench_base::text::tail;
use workbench_setup::Ready;
use workbench_setup::paths::build_folder;

use super::args::{BenchLfomArgs, at_least_one};
use super::machine;

/// The public code of preconditioned gradient descent, at a fixed commit.
const PUBLIC: &str = "https://raw.githubusercontent.com/chengxiang/LinearTransformer/b6ddc35f0f83e3f8f26e45548e94bac2adafdd50/linear_transformer.py";
/// The checksum of that file.
const SHA256: &str = "0a609838a62c7d15a9fa9fdf8d967a1cdee83bdde2cf83567808a1f2bb625d4c";
/// Downloads a file if its checksum is right: `FETCH URL SHA256 FILE`.
const FETCH: &str = "import hashlib, sys, urllib.request
url, sha, path = sys.argv[1:]
data = urllib.request.urlopen(url, timeout=20).read()
found = hashlib.sha256(data).hexdigest()
if found != sha:
    sys.exit(f'the file at {url} has checksum {found}')
open(path, 'wb').write(data)
";
/// Models, their prompts (of free P and Q their d) and the least speed relative to PyTorch; the first match counts.
const LIMITS: [(&str, u64, f64); 8] = [
    ("gd", 1000, 400.0),
    ("gd", 20_000, 1000.0),
    ("upper", 20_000, 40.0),
    ("upper", 0, 1.0),
    ("full", 64, 2.5),
    ("full", 32, 4.0),
    ("full", 20, 4.0),
    ("full", 0, 1.0),
];

/// Runs the benchmark; returns the exit status.
pub fn command(args: &BenchLfomArgs) -> Result<i32> {
    at_least_one(&[("--threads", args.threads)])?;
    let ready = workbench_setup::for_notebooks()?;
    for example in ["bench_lfom", "bench_full"] {
        machine::build(&ready, example)?;
    }
    let venv = machine::torch(&ready)?;
    let public = match &args.public {
        Some(file) => Some(file.clone()),
        None => fetch(&ready, &venv)?,
    };
    machine::warn_if_busy();
    let mut rows = Vec::new();
    for (script, program) in [("lfom.py", "bench_lfom"), ("full.py", "bench_full")] {
        progress::step(&format!(
            "{program} and PyTorch in turn, {} threads: {}",
            args.threads,
            if program == "bench_lfom" { "restricted P and Q" } else { "free P and Q" }
        ));
        for result in run(&ready, &venv, script, program, public.as_deref(), args)? {
            rows.extend(table_rows(&result));
        }
    }
    let header =
        ["model", "prompts", "PyTorch", "its ms a step", "ours, ms", "of the floor", "ratio", "limit", "", "loss gap"];
    println!("\n{}", table(&header, &rows, &[1, 3, 4, 5, 6, 7, 9]));
    println!(
        "\nfloor: the multiply-adds of a step alone, at the peak that this processor was seen to reach in that turn"
    );
    Ok(0)
}

/// The public file, downloaded once; `None`, with a note, when it cannot be.
fn fetch(ready: &Ready, venv: &Path) -> Result<Option<PathBuf>> {
    let folder = ready.workspace.state().join("bench/lfom");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    let file = folder.join("linear_transformer.py");
    if file.exists() {
        return Ok(Some(file));
    }
    progress::step("downloading the public code of preconditioned gradient descent (10 KB)");
    let output = Command::new(venv.join("bin/python"))
        .args(["-c", FETCH, PUBLIC, SHA256])
        .arg(&file)
        .output()
        .map_err(|source| start("python", source))?;
    if output.status.success() {
        return Ok(Some(file));
    }
    progress::note(&format!(
        "it cannot be had, so only the same loops written for this comparison are timed; give a copy with `--public FILE`{}",
        tail(&String::from_utf8_lossy(&output.stderr), 1)
    ));
    Ok(None)
}

/// Runs a script beside its program and reads the objects it prints.
fn run(
    ready: &Ready,
    venv: &Path,
    script: &str,
    program: &str,
    public: Option<&Path>,
    args: &BenchLfomArgs,
) -> Result<Vec<Value>> {
    let threads = args.threads.to_string();
    let mut command = Command::new(venv.join("bin/python"));
    command
        .arg(ready.workspace.root().join("workbench/benches").join(script))
        .arg(build_folder()?.join("examples").join(program))
        .args(["--seconds", &args.seconds.to_string()])
        .env("OMP_NUM_THREADS", &threads)
        .env("MKL_NUM_THREADS", &threads)
        .env("RAYON_NUM_THREADS", &threads)
        .envs(ready.environment.iter().cloned())
        .stdin(Stdio::null());
    if let Some(file) = public {
        command.arg("--public").arg(file);
    }
    let output = command.output().map_err(|source| start("python", source))?;
    let failed = |status: String| Error::Failed {
        what: format!("{script} in the benchmark"),
        status,
        hint: "run it by hand to see its message".into(),
        tail: tail(&String::from_utf8_lossy(&output.stderr), 8),
    };
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .collect::<std::result::Result<Vec<Value>, _>>()
        .map_err(|error| failed(error.to_string()))
}

fn start(program: &str, source: std::io::Error) -> Error {
    Error::Start { program: program.into(), source, hint: "run `cargo workbench doctor`".into() }
}

/// One row for each way of PyTorch in a result.
fn table_rows(result: &Value) -> Vec<Vec<String>> {
    let number = |name: &str| result.get(name).and_then(Value::as_f64);
    let prompts = result.get("batch").and_then(Value::as_u64).unwrap_or(0);
    let restricted = result.get("kind").and_then(Value::as_str);
    let sizes = ["d", "n", "layers"].map(|name| result.get(name).and_then(Value::as_u64).unwrap_or(0));
    let (model, kind) = match restricted {
        Some("gd") => ("A, d 5, L 3".to_string(), "gd"),
        Some(_) => ("A and B, d 5, L 3".to_string(), "upper"),
        None => (format!("P and Q, d {}, n {}, L {}", sizes[0], sizes[1], sizes[2]), "full"),
    };
    let size = if restricted.is_some() { prompts } else { sizes[0] };
    let limit =
        LIMITS.iter().find(|(of, least, _)| *of == kind && (*least == 0 || *least == size)).map(|(_, _, limit)| *limit);
    let mut rows = Vec::new();
    for (way, what, own) in [
        ("public", "public code", "block_single_median_ms"),
        ("plain", "plain loop", "single_median_ms"),
        ("scores", "scores", "full_single_median_ms"),
        ("moments", "moments", "full_single_median_ms"),
        ("folded", "our own form", "full_single_median_ms"),
    ] {
        let own = if restricted.is_some() { "single_median_ms" } else { own };
        let floor = match own {
            "single_median_ms" => "floor_median_ms",
            "full_single_median_ms" => "full_floor_median_ms",
            _ => "",
        };
        let (Some(theirs), Some(ours)) = (number(&format!("{way}_median_ms")), number(own)) else {
            continue;
        };
        let ratio = theirs / ours;
        let met = limit.map_or("", |limit| if ratio >= limit { "met" } else { "MISSED" });
        rows.push(vec![
            model.clone(),
            prompts.to_string(),
            what.to_string(),
            format!("{theirs:.3}"),
            format!("{ours:.4}"),
            number(floor).map_or_else(String::new, |floor| format!("{:.0} %", 100.0 * floor / ours)),
            format!("{ratio:.1}"),
            limit.map_or_else(String::new, |limit| limit.to_string()),
            met.to_string(),
            number(&format!("{way}_largest_relative_loss_gap")).map_or_else(String::new, |gap| format!("{gap:.0e}")),
        ]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_ratios_and_limits() {
        let text = r#"{"kind": "gd", "batch": 1000, "public_median_ms": 8.0, "plain_median_ms": 4.0, "single_median_ms": 0.016, "floor_median_ms": 0.004,
            "public_largest_relative_loss_gap": 2e-6}"#;
        let rows = table_rows(&serde_json::from_str(text).unwrap());
        assert_eq!(rows[0][1..], ["1000", "public code", "8.000", "0.0160", "25 %", "500.0", "400", "met", "2e-6"]);
        assert_eq!(rows[1][6..9], ["250.0", "400", "MISSED"]);
        let text = r#"{"d": 64, "n": 256, "layers": 8, "batch": 16, "scores_median_ms": 90.0, "public_median_ms": 50.0,
            "moments_median_ms": 30.0, "full_single_median_ms": 20.0, "block_single_median_ms": 25.0}"#;
        let rows = table_rows(&serde_json::from_str(text).unwrap());
        let ratios: Vec<&str> = rows.iter().map(|row| row[6].as_str()).collect();
        assert_eq!(ratios, ["2.0", "4.5", "1.5"]);
        let limits: Vec<[&str; 2]> = rows.iter().map(|row| [&row[7][..], &row[8]]).collect();
        assert_eq!(limits, [["2.5", "MISSED"], ["2.5", "met"], ["2.5", "MISSED"]]);
        assert!(table_rows(&Value::Null).is_empty());
    }
}
