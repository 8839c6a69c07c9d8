use std::{
    ffi::{c_char, c_int},
    path::Path,
    sync::Arc,
};

use super::{api::HipApi, runtime::HipRuntime};
use crate::{
    evidence::LoadedLibrary,
    facts::Vendor,
    sys::{
        dl,
        gpu::{
            DeviceError, Driver, Runtime,
            text::{ordinal, text},
        },
        places::Places,
    },
};

/// `libamdhip64.so`, initialized.
#[derive(Debug)]
pub(crate) struct Hip {
    api: HipApi,
    library: LoadedLibrary,
}

impl Driver for Hip {
    fn load(named: Option<&Path>) -> Result<Self, DeviceError> {
        let loaded = dl::load(&Places::of_driver(Vendor::Amd, named))?;
        let api = HipApi::of(&loaded)?;
        // SAFETY: its only flag is 0.
        api.check("hipInit", unsafe { (api.init)(0) })?;
        let mut code = 0;
        // SAFETY: it writes one int.
        api.check("hipRuntimeGetVersion", unsafe { (api.runtime_version)(&raw mut code) })?;
        let library = loaded.described("HIP", version(code), api.init as usize);
        Ok(Self { api, library })
    }

    fn library(&self) -> &LoadedLibrary {
        &self.library
    }

    fn count(&self) -> Result<u32, DeviceError> {
        let mut count = 0;
        // SAFETY: it writes one int.
        self.api.check("hipGetDeviceCount", unsafe { (self.api.device_count)(&raw mut count) })?;
        Ok(u32::try_from(count).unwrap_or_default())
    }

    fn address(&self, device: u32) -> Result<String, DeviceError> {
        self.text("hipDeviceGetPCIBusId", self.api.device_address, ordinal(device))
    }

    fn name(&self, device: u32) -> Result<String, DeviceError> {
        let mut handle = 0;
        // SAFETY: it writes one int.
        self.api.check("hipDeviceGet", unsafe { (self.api.device)(&raw mut handle, ordinal(device)) })?;
        self.text("hipDeviceGetName", self.api.device_name, handle)
    }

    fn open(self, device: u32) -> Result<Arc<dyn Runtime>, DeviceError> {
        let runtime = HipRuntime::new(self.api, ordinal(device));
        runtime.attach()?;
        Ok(Arc::new(runtime))
    }
}

impl Hip {
    fn text(
        &self,
        call: &'static str,
        function: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int,
        device: c_int,
    ) -> Result<String, DeviceError> {
        // SAFETY: both functions of this type write at most as many bytes as they are told.
        let (code, text) = unsafe { text(function, device) };
        self.api.check(call, code)?;
        Ok(text)
    }
}

/// `major*10000000 + minor*100000 + patch` (hip_version.h: `HIP_VERSION`).
fn version(code: c_int) -> String {
    format!("{}.{}.{}", code / 10_000_000, code / 100_000 % 100, code % 100_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_hip() {
        assert_eq!(version(60_443_483), "6.4.43483");
        assert_eq!(version(70_051_831), "7.0.51831");
    }

    #[test]
    fn no_library_and_one_without_the_functions() {
        let error = Hip::load(Some(Path::new("/no/such/libamdhip64.so"))).unwrap_err();
        assert_eq!(error.to_string(), "/no/such/libamdhip64.so cannot be loaded");
        let error = Hip::load(Some(Path::new("libc.so.6"))).unwrap_err();
        assert_eq!(error.to_string(), "libc.so.6 has no hipInit");
    }
}
