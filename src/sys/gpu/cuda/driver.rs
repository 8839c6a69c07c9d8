use std::{
    ffi::{c_char, c_int},
    path::Path,
    sync::Arc,
};

use super::{api::CudaApi, runtime::CudaRuntime};
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

/// `cuDriverGetVersion` of the driver 535, the oldest that is served: CUDA 12.2.
const OLDEST: c_int = 12_020;

/// `libcuda.so.1`, initialized.
#[derive(Debug)]
pub(crate) struct Cuda {
    api: CudaApi,
    library: LoadedLibrary,
}

impl Driver for Cuda {
    fn load(named: Option<&Path>) -> Result<Self, DeviceError> {
        let loaded = dl::load(&Places::of_driver(Vendor::Nvidia, named))?;
        let api = CudaApi::of(&loaded)?;
        let mut code = 0;
        // SAFETY: it writes one int, and may be called before `cuInit`.
        api.check("cuDriverGetVersion", unsafe { (api.driver_version)(&raw mut code) })?;
        let library = loaded.described("CUDA driver", version(code), api.init as usize);
        if code < OLDEST {
            return Err(DeviceError::OldDriver { file: library.path, version: library.version });
        }
        // SAFETY: its only flag is 0; other threads may call it at the same time.
        api.check("cuInit", unsafe { (api.init)(0) })?;
        Ok(Self { api, library })
    }

    fn library(&self) -> &LoadedLibrary {
        &self.library
    }

    fn count(&self) -> Result<u32, DeviceError> {
        let mut count = 0;
        // SAFETY: it writes one int.
        self.api.check("cuDeviceGetCount", unsafe { (self.api.device_count)(&raw mut count) })?;
        Ok(u32::try_from(count).unwrap_or_default())
    }

    fn address(&self, device: u32) -> Result<String, DeviceError> {
        let handle = self.handle(device)?;
        self.text("cuDeviceGetPCIBusId", self.api.device_address, handle)
    }

    fn name(&self, device: u32) -> Result<String, DeviceError> {
        let handle = self.handle(device)?;
        self.text("cuDeviceGetName", self.api.device_name, handle)
    }

    fn open(self, device: u32) -> Result<Arc<dyn Runtime>, DeviceError> {
        let handle = self.handle(device)?;
        let runtime = CudaRuntime::retain(self.api, handle)?;
        runtime.attach()?;
        Ok(Arc::new(runtime))
    }
}

impl Cuda {
    /// The driver's handle of a device.
    fn handle(&self, device: u32) -> Result<c_int, DeviceError> {
        let mut handle = 0;
        // SAFETY: it writes one int.
        self.api.check("cuDeviceGet", unsafe { (self.api.device)(&raw mut handle, ordinal(device)) })?;
        Ok(handle)
    }

    fn text(
        &self,
        call: &'static str,
        function: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int,
        handle: c_int,
    ) -> Result<String, DeviceError> {
        // SAFETY: both functions of this type write at most as many bytes as they are told.
        let (code, text) = unsafe { text(function, handle) };
        self.api.check(call, code)?;
        Ok(text)
    }
}

/// `major*1000 + minor*10` (cuda.h: `CUDA_VERSION`).
fn version(code: c_int) -> String {
    format!("{}.{}", code / 1000, code % 1000 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::TroubleKind;

    #[test]
    fn versions_of_cuda() {
        assert_eq!(version(OLDEST), "12.2");
        assert_eq!(version(13_000), "13.0");
        assert_eq!(version(11_080), "11.8");
    }

    #[test]
    fn no_library_and_one_without_the_functions() {
        let error = Cuda::load(Some(Path::new("/no/such/libcuda.so"))).unwrap_err();
        assert_eq!(error.to_string(), "/no/such/libcuda.so cannot be loaded");
        assert_eq!(error.kind(), TroubleKind::Library);
        let error = Cuda::load(Some(Path::new("libc.so.6"))).unwrap_err();
        assert_eq!(error.to_string(), "libc.so.6 has no cuInit");
    }
}
