//! Calls into the driver's library.

#[cfg(target_os = "linux")]
pub use linux::{is_there, look};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::super::driver::Driver;

    /// Elsewhere there is none.
    pub fn is_there() -> bool {
        false
    }

    /// Elsewhere there is none.
    pub fn look() -> Option<Driver> {
        None
    }
}

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{is_there, look};

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

    use super::super::capability::Capability;
    use super::super::driver::{Device, Driver, LIBRARY};
    use super::super::version::Version;

    /// What a library that stands in for a driver answers (`CUDA_ERROR_STUB_LIBRARY`).
    const STANDS_IN: c_int = 34;
    /// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`.
    const ATTRIBUTES: [c_int; 2] = [75, 76];

    /// The driver's library, open.
    struct Library(*mut c_void);

    impl Library {
        fn open() -> Option<Library> {
            let name = CString::new(LIBRARY).ok()?;
            // SAFETY: `name` ends in a zero byte; the driver's library is made to be loaded by any program.
            let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
            // Made only where there is one: what is dropped is closed.
            (!handle.is_null()).then(|| Library(handle))
        }

        /// A function of the library. The caller names its type as the driver's interface documents it.
        unsafe fn function<F: Copy>(&self, name: &CStr) -> Option<F> {
            // SAFETY: the handle is open and the name ends in a zero byte.
            let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
            if address.is_null() || size_of::<F>() != size_of::<*mut c_void>() {
                return None;
            }
            // SAFETY: `F` is a pointer to a function, of the size of an address, and the caller answers for its type.
            Some(unsafe { std::mem::transmute_copy(&address) })
        }

        fn version(&self) -> Option<Version> {
            // SAFETY: `CUresult cuDriverGetVersion(int *)`.
            let ask: extern "C" fn(*mut c_int) -> c_int = unsafe { self.function(c"cuDriverGetVersion") }?;
            let mut version = 0;
            (ask(&mut version) == 0).then(|| Version::of_driver(version.unsigned_abs()))
        }

        /// What the driver calls an outcome.
        fn name_of(&self, outcome: c_int) -> String {
            // SAFETY: `CUresult cuGetErrorName(CUresult, const char **)`.
            let ask: Option<extern "C" fn(c_int, *mut *const c_char) -> c_int> =
                unsafe { self.function(c"cuGetErrorName") };
            let mut text = std::ptr::null();
            match ask {
                // SAFETY: the driver's texts end in a zero byte and live as long as its library.
                Some(ask) if ask(outcome, &mut text) == 0 && !text.is_null() => {
                    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
                }
                _ => format!("error {outcome}"),
            }
        }

        fn devices(&self) -> Result<Vec<Device>, String> {
            let missing = || format!("{LIBRARY} lacks a function of the driver's interface");
            let check = |outcome: c_int| match outcome {
                0 => Ok(()),
                outcome => Err(self.name_of(outcome)),
            };
            // SAFETY: `CUresult cuInit(unsigned)`, `cuDeviceGetCount(int *)`, `cuDeviceGet(CUdevice *, int)`,
            // `cuDeviceGetName(char *, int, CUdevice)`, `cuDeviceGetAttribute(int *, CUdevice_attribute, CUdevice)`.
            let (start, count, get, name, attribute) = unsafe {
                let start: Option<extern "C" fn(c_uint) -> c_int> = self.function(c"cuInit");
                let count: Option<extern "C" fn(*mut c_int) -> c_int> = self.function(c"cuDeviceGetCount");
                let get: Option<extern "C" fn(*mut c_int, c_int) -> c_int> = self.function(c"cuDeviceGet");
                let name: Option<extern "C" fn(*mut c_char, c_int, c_int) -> c_int> = self.function(c"cuDeviceGetName");
                let attribute: Option<extern "C" fn(*mut c_int, c_int, c_int) -> c_int> =
                    self.function(c"cuDeviceGetAttribute");
                let all = start.zip(count).zip(get).zip(name).zip(attribute);
                let ((((start, count), get), name), attribute) = all.ok_or_else(missing)?;
                (start, count, get, name, attribute)
            };
            check(start(0))?;
            let mut devices = 0;
            check(count(&mut devices))?;
            let mut found = Vec::new();
            for index in 0..devices {
                let mut device = 0;
                check(get(&mut device, index))?;
                let mut text: [c_char; 256] = [0; 256];
                check(name(text.as_mut_ptr(), 255, device))?;
                let mut numbers = [0; 2];
                for (number, which) in numbers.iter_mut().zip(ATTRIBUTES) {
                    check(attribute(number, which, device))?;
                }
                // SAFETY: the driver wrote at most 255 bytes into an array of zeros.
                let name = unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned();
                let capability = Capability::new(numbers[0].unsigned_abs(), numbers[1].unsigned_abs());
                found.push(Device { name, capability });
            }
            Ok(found)
        }
    }

    impl Drop for Library {
        fn drop(&mut self) {
            // SAFETY: the handle is open, and nothing of the library is used after this.
            unsafe { libc::dlclose(self.0) };
        }
    }

    /// Whether this machine has a driver; what stands in for one is none.
    pub fn is_there() -> bool {
        Library::open().is_some_and(|library| library.is_real())
    }

    /// The driver and its devices.
    pub fn look() -> Option<Driver> {
        let library = Library::open().filter(Library::is_real)?;
        let version = library.version();
        Some(Driver {
            version: version.unwrap_or(Version(0, 0)),
            devices: match version {
                Some(_) => library.devices(),
                None => Err(format!("{LIBRARY} does not tell its version")),
            },
        })
    }

    impl Library {
        fn is_real(&self) -> bool {
            // SAFETY: `CUresult cuDriverGetVersion(int *)`.
            let ask: Option<extern "C" fn(*mut c_int) -> c_int> = unsafe { self.function(c"cuDriverGetVersion") };
            let mut version = 0;
            ask.is_some_and(|ask| ask(&mut version) != STANDS_IN)
        }
    }
}
