//! Pairing of knobs and outputs in JupyterLab: a script that writes a slider's value into its line and puts outputs where they belong, also
//! after a reload, and a step before each save that makes sure of it.

use std::path::Path;

use workbench_base::error::{Error, Result};

/// Where they go in Jupyter's folders.
const SAVE: &str = "config/jupyter_server_config.py";
const EXTENSION: &str = "data/labextensions/workbench-knobs";

/// Puts both into the folders of the Jupyter that `lab` starts.
pub fn install(jupyter: &Path) -> Result<()> {
    let extension = serde_json::json!({
        "name": "workbench-knobs",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Writes the value of a slider into its line.",
        "license": "MIT OR Apache-2.0",
        "jupyterlab": {"extension": true, "_build": {"load": "static/lines.js", "extension": "./extension"}}
    });
    for (place, text) in [
        (SAVE.to_owned(), include_str!("../../../assets/lab/save.py").to_owned()),
        (format!("{EXTENSION}/static/lines.js"), include_str!("../../../assets/lab/lines.js").to_owned()),
        (format!("{EXTENSION}/package.json"), format!("{extension:#}\n")),
    ] {
        let path = jupyter.join(place);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|source| Error::io("make", folder, source))?;
        }
        workbench_record::atomic::write(&path, text.as_bytes()).map_err(|source| Error::io("write", &path, source))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn jupyterlab_finds_the_script_and_the_server_its_step() {
        let jupyter = tempfile::tempdir().unwrap();
        install(jupyter.path()).unwrap();
        let read = |place: &str| std::fs::read_to_string(jupyter.path().join(place)).unwrap();
        let package: serde_json::Value = serde_json::from_str(&read(&format!("{EXTENSION}/package.json"))).unwrap();
        let load = package["jupyterlab"]["_build"]["load"].as_str().unwrap();
        let script = read(&format!("{EXTENSION}/{load}"));
        // What the page looks for under the extension's name, and what the kernel answers to.
        assert!(script.contains("window._JUPYTERLAB['workbench-knobs']") && script.contains("'workbench.lines'"));
        assert!(read(SAVE).contains("ContentsManager.pre_save_hook = keep_pairs"));
    }

    #[test]
    fn a_notebook_is_true_before_it_is_saved() {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/save.py");
        let ran = Command::new("python3").arg("-B").arg(tests).output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && told.contains("OK"), "{told}");
    }
}
