//! Every crate that is linked comes from the registry or stands in the project, under a licence that `deny.toml` allows.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The licences that `deny.toml` allows.
fn allowed(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("deny.toml")).unwrap();
    let file: toml::Table = text.parse().unwrap();
    let list = file["licenses"]["allow"].as_array().unwrap();
    list.iter().map(|name| name.as_str().unwrap().to_string()).collect()
}

/// Whether an expression of SPDX can be met with these licences; `/` is the old way to write OR.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.replace('/', " OR ");
    // The expressions of today are sums of one level: (A OR B) AND C.
    let met = |names: &str| {
        let names = names.trim().trim_start_matches('(').trim_end_matches(')');
        names.split(" OR ").any(|name| allowed.iter().any(|allowed| allowed == name.trim()))
    };
    match expression.contains(" AND ") {
        true => expression.split(" AND ").all(met),
        false => met(&expression),
    }
}

/// The target that this test was built for.
fn host() -> String {
    let told = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(told.stdout).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.unwrap().to_string()
}

#[test]
fn crates_have_an_allowed_licence_and_a_known_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let told = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform"])
        .arg(host())
        .current_dir(root)
        .output()
        .unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let metadata: Value = serde_json::from_slice(&told.stdout).unwrap();
    let (packages, allowed) = (metadata["packages"].as_array().unwrap(), allowed(root));
    assert!(packages.len() > 100);
    let mut wrong = Vec::new();
    for package in packages {
        let (name, licence) = (package["name"].as_str().unwrap(), package["license"].as_str().unwrap_or_default());
        if !is_met(licence, &allowed) {
            wrong.push(format!("{name}: `{licence}`"));
        }
        match package["source"].as_str() {
            Some(source) if !source.starts_with("registry+https://github.com/rust-lang/crates.io-index") => {
                wrong.push(format!("{name}: from {source}"));
            }
            None if !package["manifest_path"].as_str().is_some_and(|path| Path::new(path).starts_with(root)) => {
                wrong.push(format!("{name}: outside the project"));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn expressions_are_read() {
    let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"].map(String::from);
    for met in ["MIT", "GPL-3.0 OR MIT", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
        assert!(is_met(met, &allowed), "{met}");
    }
    for not_met in ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0 WITH LLVM-exception", "(MIT OR GPL-3.0) AND BSL-1.0"]
    {
        assert!(!is_met(not_met, &allowed), "{not_met}");
    }
}
