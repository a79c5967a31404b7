//! The row about GPUs.

use workbench_machine::Check;

use workbench_setup::cuda::{Setting, TURN_ON};
use workbench_setup::features;
use workbench_setup::paths::Workspace;
use workbench_setup::system::System;

/// The GPU setting, the driver and its devices, the toolkit, and whether the crate is built for them.
pub(super) fn check(workspace: &Workspace, system: &dyn System) -> Check {
    let state = workspace.state();
    let driver = system.driver();
    let machine = driver.as_ref().map_or("no NVIDIA driver".to_owned(), |driver| driver.describe());
    let setting = match Setting::read(&state) {
        Ok(setting) => setting,
        Err(error) => return Check::new("GPU", true, false, machine, &error.to_string()),
    };
    let Some(setting) = setting else {
        // Nothing is missing where nothing was asked for; a device that lies idle is worth a word.
        let idle = driver.is_some_and(|driver| driver.devices.is_ok_and(|devices| !devices.is_empty()));
        let remedy = format!("`{TURN_ON}` puts it under the notebooks");
        return Check::new("GPU", false, !idle, format!("setting off; {machine}"), &remedy);
    };
    let built = std::fs::read_to_string(state.join(features::BUILT)).is_ok_and(|text| text == setting.describe());
    let found = format!("setting on: {}; {machine}; {}", setting.describe(), if built { "built" } else { "not built" });
    if !setting.toolkit.nvcc().is_file() {
        let remedy = format!("the toolkit is gone: `{TURN_ON}` finds or installs one");
        return Check::new("GPU", true, false, found, &remedy);
    }
    if !built {
        return Check::new("GPU", true, false, found, "`cargo workbench setup` builds the crate for it (minutes)");
    }
    let complaint = setting.complaint(driver.as_ref());
    Check::new("GPU", false, complaint.is_none(), found, &complaint.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    #[test]
    fn the_gpus_row_says_what_to_do_next() {
        use workbench_setup::cuda::capability::Capability;
        use workbench_setup::cuda::driver::{Device, Driver};
        use workbench_setup::cuda::toolkit::Toolkit;
        use workbench_setup::cuda::version::Version;
        let folder = tempfile::tempdir().unwrap();
        for part in ["workbench", "kernel"] {
            std::fs::create_dir_all(folder.path().join(part)).unwrap();
            std::fs::write(folder.path().join(part).join("Cargo.toml"), "").unwrap();
        }
        let workspace = Workspace::at(folder.path()).unwrap();
        let device = Device { name: "NVIDIA H100".into(), capability: Capability::new(9, 0) };
        let with_device =
            Fake { driver: Some(Driver { version: Version(13, 0), devices: Ok(vec![device]) }), ..Fake::default() };
        let bare = Fake::default();
        let row = check(&workspace, &bare);
        assert!(row.ok && row.found == "setting off; no NVIDIA driver", "{row:?}");
        let row = check(&workspace, &with_device);
        assert!(!row.ok && !row.needed && row.remedy.contains(TURN_ON), "{row:?}");

        let root = folder.path().join("toolkit");
        let setting = Setting {
            toolkit: Toolkit { root: root.clone(), version: Version(13, 0) },
            capability: Capability::new(9, 0),
        };
        setting.write(&workspace.state()).unwrap();
        let row = check(&workspace, &with_device);
        assert!(row.needed && !row.ok && row.remedy.contains("toolkit is gone"), "{row:?}");
        std::fs::create_dir_all(root.join("bin")).unwrap();
        std::fs::write(root.join("bin/nvcc"), "").unwrap();
        let row = check(&workspace, &with_device);
        assert!(row.needed && !row.ok && row.remedy.contains("cargo workbench setup"), "{row:?}");
        std::fs::write(workspace.state().join(features::BUILT), setting.describe()).unwrap();
        let row = check(&workspace, &with_device);
        assert!(row.ok && row.found.contains("H100") && row.found.ends_with("built"), "{row:?}");
        let row = check(&workspace, &bare);
        assert!(!row.ok && !row.needed && row.remedy.contains("machine's own cores"), "{row:?}");
    }
}
