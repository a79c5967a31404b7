//! Turning the setting on: driver, capability, toolkit, and what stands in for a driver, in this order.

use super::capability::Capability;
use super::toolkit::find;
use super::{Setting, stand_in, wheels};
use crate::paths::Workspace;
use crate::system::System;
use workbench_base::error::{Error, Result};

/// Finds what the setting needs and installs what is missing; nothing is built or recorded yet.
///
/// # Errors
/// [`Error::Cuda`] with what is missing or does not fit, and what to do.
pub fn on(
    workspace: &Workspace,
    asked: Option<Capability>,
    system: &dyn System,
    say: &mut dyn FnMut(&str),
) -> Result<Setting> {
    let driver = system.driver();
    say(&match &driver {
        Some(driver) => format!("driver: {}", driver.describe()),
        None => "driver: none on this machine (libcuda.so.1 is not found)".to_owned(),
    });
    let failed = |(why, hint): (String, String)| Error::Cuda { what: "turn the GPU setting on".into(), why, hint };
    let first = driver
        .as_ref()
        .and_then(|driver| driver.devices.as_ref().ok())
        .and_then(|devices| devices.first())
        .map(|device| device.capability);
    let capability = match (asked, system.var("CUDA_COMPUTE_CAP")) {
        (Some(asked), _) => Some(asked),
        (None, Some(text)) => {
            Some(text.parse().map_err(|why| Error::Option { option: "CUDA_COMPUTE_CAP", value: text, why })?)
        }
        (None, None) => first,
    };
    let Some(capability) = capability else {
        return Err(failed((
            "this machine has no device to ask for its compute capability".to_owned(),
            "name the one to build for, as in `cargo workbench setup --cuda --capability 9.0` (H100: 9.0, A100: 8.0, RTX 4090: 8.9)"
                .to_owned(),
        )));
    };
    let toolkit = match find(system).map_err(failed)? {
        Some(toolkit) => toolkit,
        None => {
            if let Some(driver) = driver.as_ref().filter(|driver| driver.version < wheels::VERSION) {
                return Err(failed((
                    format!(
                        "this machine has no CUDA toolkit, and its driver knows CUDA {}, older than the {} that could be installed here",
                        driver.version,
                        wheels::VERSION
                    ),
                    format!(
                        "update the driver, or install a toolkit of CUDA {} or older and name its folder in CUDA_HOME",
                        driver.version
                    ),
                )));
            }
            wheels::ensure(&workspace.state(), system, say)?
        }
    };
    toolkit.check(driver.as_ref(), capability, system).map_err(failed)?;
    let of_ours = toolkit.root.starts_with(super::folder(&workspace.state()));
    let stubs = of_ours.then(|| wheels::stubs(&toolkit));
    stand_in::make(workspace, stubs.as_deref(), system)?;
    Ok(Setting { toolkit, capability })
}

#[cfg(test)]
mod tests {
    use super::super::super::system::fake::Fake;
    use super::super::driver::{Device, Driver};
    use super::super::version::Version;
    use super::*;

    fn refused(asked: Option<Capability>, machine: &Fake) -> String {
        let folder = tempfile::tempdir().unwrap();
        for part in ["workbench", "kernel"] {
            std::fs::create_dir_all(folder.path().join(part)).unwrap();
            std::fs::write(folder.path().join(part).join("Cargo.toml"), "").unwrap();
        }
        let workspace = Workspace::at(folder.path()).unwrap();
        let error = on(&workspace, asked, machine, &mut |_| ()).unwrap_err().to_string();
        assert_eq!(Setting::read(&workspace.state()).unwrap(), None);
        error
    }

    fn device(version: Version) -> Driver {
        Driver { version, devices: Ok(vec![Device { name: "a device".into(), capability: Capability::new(9, 0) }]) }
    }

    #[test]
    fn without_a_device_the_capability_has_to_be_named() {
        let error = refused(None, &Fake::default());
        assert!(error.contains("no device") && error.contains("--capability 9.0"), "{error}");
        let mut machine = Fake::default();
        machine.vars.insert("CUDA_COMPUTE_CAP".into(), "new".into());
        let error = refused(None, &machine);
        assert!(error.contains("CUDA_COMPUTE_CAP = \"new\""), "{error}");
    }

    #[test]
    fn a_driver_that_is_too_old_for_what_could_be_installed_is_told_before_the_download() {
        let machine = Fake { driver: Some(device(Version(12, 4))), ..Fake::default() };
        let error = refused(None, &machine);
        assert!(error.contains("knows CUDA 12.4") && error.contains("update the driver"), "{error}");
        assert!(machine.calls.borrow().iter().all(|call| !call.contains("pip")));
    }

    #[test]
    fn a_toolkit_that_the_driver_cannot_load_is_refused() {
        let machine = Fake {
            driver: Some(device(Version(12, 4))),
            files: vec!["/usr/local/cuda/bin/nvcc".into()],
            ..Fake::default()
        };
        let tells = "Cuda compilation tools, release 13.0, V13.0.88\n";
        let machine = machine.answer("/usr/local/cuda/bin/nvcc --version", true, tells);
        let error = refused(None, &machine);
        assert!(error.contains("12.4") && error.contains("13.0"), "{error}");
    }
}
