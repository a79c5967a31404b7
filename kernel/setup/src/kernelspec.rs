//! The kernelspec: how JupyterLab starts our kernel and what it looks like there.

use std::path::{Path, PathBuf};

use serde_json::json;

use workbench_base::error::{Error, Result};
use workbench_base::names::{DISPLAY_NAME, KERNEL_NAME};

// They lie where the wheel has them.
const LOGO_SVG: &[u8] = include_bytes!("../../wheel/data/share/jupyter/kernels/workbench/logo-svg.svg");
const LOGO_32: &[u8] = include_bytes!("../../wheel/data/share/jupyter/kernels/workbench/logo-32x32.png");
const LOGO_64: &[u8] = include_bytes!("../../wheel/data/share/jupyter/kernels/workbench/logo-64x64.png");

/// Text of `kernel.json` for a kernel started by `binary`.
pub fn kernel_json(binary: &Path, environment: &[(String, String)]) -> String {
    let env: serde_json::Map<String, serde_json::Value> =
        environment.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let spec = json!({
        "argv": [binary.display().to_string(), "kernel", "-f", "{connection_file}"],
        "display_name": DISPLAY_NAME,
        "language": "rust",
        "interrupt_mode": "message",
        "env": env,
        "metadata": {},
    });
    format!("{spec:#}\n")
}

/// Writes the kernelspec into `folder`; files that are right already are left alone.
pub fn install(folder: &Path, binary: &Path, environment: &[(String, String)]) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|source| Error::io("make", folder, source))?;
    let json = kernel_json(binary, environment);
    let files: [(&str, &[u8]); 4] = [
        ("kernel.json", json.as_bytes()),
        ("logo-svg.svg", LOGO_SVG),
        ("logo-32x32.png", LOGO_32),
        ("logo-64x64.png", LOGO_64),
    ];
    for (name, bytes) in files {
        let path = folder.join(name);
        if std::fs::read(&path).is_ok_and(|old| old == bytes) {
            continue;
        }
        std::fs::write(&path, bytes).map_err(|source| Error::io("write", &path, source))?;
    }
    Ok(())
}

/// Folder of the user's own kernelspecs, used only when asked for.
pub fn user_folder() -> Option<PathBuf> {
    let data = match std::env::var_os("JUPYTER_DATA_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => {
            let home = PathBuf::from(std::env::var_os("HOME")?);
            if cfg!(target_os = "macos") {
                home.join("Library/Jupyter")
            } else {
                match std::env::var_os("XDG_DATA_HOME") {
                    Some(data) => PathBuf::from(data).join("jupyter"),
                    None => home.join(".local/share/jupyter"),
                }
            }
        }
    };
    Some(data.join("kernels").join(KERNEL_NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheel_s_spec_is_the_same_but_for_the_program_s_place() {
        let wheel = include_str!("../../wheel/data/share/jupyter/kernels/workbench/kernel.json");
        let ours = kernel_json(Path::new("{resource_dir}/../../../../bin/workbench"), &[]);
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(wheel), value(&ours));
    }

    #[test]
    fn the_spec_says_how_to_start_and_interrupt() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("kernels/workbench");
        let environment = [("LD_LIBRARY_PATH".to_string(), "/conda/lib".to_string())];
        install(&place, Path::new("/x/workbench"), &environment).unwrap();
        let text = std::fs::read_to_string(place.join("kernel.json")).unwrap();
        let spec: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(spec["argv"], json!(["/x/workbench", "kernel", "-f", "{connection_file}"]));
        assert_eq!(spec["display_name"], "Rust (Workbench)");
        assert_eq!(spec["language"], "rust");
        assert_eq!(spec["interrupt_mode"], "message");
        assert_eq!(spec["env"]["LD_LIBRARY_PATH"], "/conda/lib");
        let png = std::fs::read(place.join("logo-64x64.png")).unwrap();
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&png[16..24], &[0, 0, 0, 64, 0, 0, 0, 64]);
        let small = std::fs::read(place.join("logo-32x32.png")).unwrap();
        assert_eq!(&small[16..24], &[0, 0, 0, 32, 0, 0, 0, 32]);
        assert!(place.join("logo-svg.svg").is_file());
    }

    #[test]
    fn installing_again_follows_a_moved_binary() {
        let folder = tempfile::tempdir().unwrap();
        install(folder.path(), Path::new("/old"), &[]).unwrap();
        install(folder.path(), Path::new("/new"), &[]).unwrap();
        let text = std::fs::read_to_string(folder.path().join("kernel.json")).unwrap();
        assert!(text.contains("/new") && !text.contains("/old"), "{text}");
    }
}
