//! The NVIDIA driver of this machine, asked through its own library, which every machine with a device has; `nvidia-smi` is often
//! missing in containers.

use super::capability::Capability;
use super::version::Version;

/// Name under which programs load the driver's library.
pub const LIBRARY: &str = "libcuda.so.1";

/// A driver that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// The newest CUDA that it knows.
    pub version: Version,
    /// Its devices, or why it has none.
    pub devices: Result<Vec<Device>, String>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// What the driver calls it.
    pub name: String,
    /// What kernels have to be compiled for.
    pub capability: Capability,
}

impl Driver {
    /// In one line.
    pub fn describe(&self) -> String {
        let devices = match &self.devices {
            Ok(devices) if devices.is_empty() => "no device".to_owned(),
            Ok(devices) => devices
                .iter()
                .map(|device| format!("{}, capability {}", device.name, device.capability))
                .collect::<Vec<_>>()
                .join("; "),
            Err(why) => format!("no device ({why})"),
        };
        format!("{devices}; the driver knows CUDA {}", self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_is_told_in_one_line() {
        let driver = |devices| Driver { version: Version(13, 0), devices };
        let device = Device { name: "NVIDIA H100".into(), capability: Capability::new(9, 0) };
        let told = driver(Ok(vec![device])).describe();
        assert_eq!(told, "NVIDIA H100, capability 9.0; the driver knows CUDA 13.0");
        assert!(driver(Ok(Vec::new())).describe().starts_with("no device;"));
        let told = driver(Err("CUDA_ERROR_NO_DEVICE".into())).describe();
        assert!(told.contains("(CUDA_ERROR_NO_DEVICE)"), "{told}");
    }
}
