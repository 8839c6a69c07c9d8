use std::{env, path::Path, sync::Arc};

use super::{DeviceBuffer, DeviceError, Memory, PinnedBuffer, Stream};
use crate::{
    evidence::LoadedLibrary,
    facts::Vendor,
    sys::gpu::{Cuda, Driver, Hip, Runtime},
};

/// Variables that hide GPUs from a process.
const HIDING: [&str; 3] = ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"];

/// A GPU that is open. It is closed when the last of its clones, streams and buffers ends.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    runtime: Arc<dyn Runtime>,
    library: LoadedLibrary,
    name: String,
    device: u32,
}

impl Gpu {
    /// Opens the GPU of a PCI address, and makes it the current one of the calling thread. A library that is named is
    /// the only one that is tried.
    pub(crate) fn open(vendor: Vendor, named: Option<&Path>, pci: &str) -> Result<Self, DeviceError> {
        match vendor {
            Vendor::Nvidia => Self::find(Cuda::load(named)?, pci),
            Vendor::Amd => Self::find(Hip::load(named)?, pci),
        }
    }

    fn find(driver: impl Driver, pci: &str) -> Result<Self, DeviceError> {
        let addresses = (0..driver.count()?).map(|device| driver.address(device)).collect::<Result<Vec<_>, _>>()?;
        let found = (0..).zip(&addresses).find(|(_, address)| is_same(address, pci));
        let Some((device, _)) = found else { return Err(not_found(driver.library(), pci, &addresses)) };
        let (library, name) = (driver.library().clone(), driver.name(device)?);
        Ok(Self { inner: Arc::new(Inner { runtime: driver.open(device)?, library, name, device }) })
    }

    /// Makes it the current GPU of the calling thread: every thread that uses it does this first.
    pub(crate) fn attach(&self) -> Result<(), DeviceError> {
        self.inner.runtime.attach()
    }

    /// The driver's library.
    pub(crate) fn library(&self) -> &LoadedLibrary {
        &self.inner.library
    }

    /// The product name.
    pub(crate) fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its number in the driver's own order, among those that this process sees.
    pub(crate) fn device(&self) -> u32 {
        self.inner.device
    }

    /// Its memory, free and total.
    pub(crate) fn memory(&self) -> Result<Memory, DeviceError> {
        self.inner.runtime.memory()
    }

    /// A new stream.
    pub(crate) fn stream(&self) -> Result<Stream, DeviceError> {
        Stream::new(&self.inner.runtime)
    }

    /// Memory on the GPU, of the driver.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<DeviceBuffer, DeviceError> {
        DeviceBuffer::allocate(&self.inner.runtime, bytes)
    }

    /// Memory of the host for transfers.
    pub(crate) fn pinned(&self, bytes: usize) -> Result<PinnedBuffer, DeviceError> {
        PinnedBuffer::allocate(&self.inner.runtime, bytes)
    }

    /// What the collective library's memory is freed with.
    pub(crate) fn runtime(&self) -> &Arc<dyn Runtime> {
        &self.inner.runtime
    }
}

/// Whether two texts are one address: drivers write 4 or 8 digits of the domain, in either case.
fn is_same(one: &str, other: &str) -> bool {
    numbers(one).is_some_and(|one| Some(one) == numbers(other))
}

/// Domain, bus, device and function.
fn numbers(address: &str) -> Option<[u32; 4]> {
    let parts = address.split([':', '.']).map(|part| u32::from_str_radix(part, 16).ok());
    parts.collect::<Option<Vec<_>>>()?.try_into().ok()
}

fn not_found(library: &LoadedLibrary, pci: &str, addresses: &[String]) -> DeviceError {
    let hiding = HIDING.iter().filter_map(|name| Some(format!("{name}={}", env::var_os(name)?.display())));
    let hiding: Vec<_> = hiding.collect();
    DeviceError::NotFound {
        driver: library.name.clone(),
        pci: pci.to_owned(),
        shown: if addresses.is_empty() { "none at all".to_owned() } else { addresses.join(", ") },
        hidden: if hiding.is_empty() { String::new() } else { format!("; {} hides GPUs", hiding.join(", ")) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::TroubleKind;

    #[test]
    fn one_address_in_many_spellings() {
        assert!(is_same("0000:C3:00.0", "0000:c3:00.0"));
        assert!(is_same("00000000:c3:00.0", "0000:c3:00.0"));
        assert!(!is_same("0001:c3:00.0", "0000:c3:00.0"));
        assert!(!is_same("", ""));
    }

    #[test]
    fn a_gpu_that_the_driver_does_not_show() {
        let library = LoadedLibrary { name: "HIP".into(), path: "/x".into(), version: "6.4.1".into(), fake: false };
        let error = not_found(&library, "0000:c3:00.0", &["0000:05:00.0".into(), "0000:26:00.0".into()]);
        let start = "HIP shows no GPU at 0000:c3:00.0, but 0000:05:00.0, 0000:26:00.0";
        assert!(error.to_string().starts_with(start), "{error}");
        assert_eq!(error.kind(), TroubleKind::Device);
        assert!(not_found(&library, "0000:c3:00.0", &[]).to_string().contains("but none at all"));
    }

    #[test]
    fn classes_of_trouble() {
        let call = |code| DeviceError::Call { call: "cuMemAlloc", code, text: String::new() }.kind();
        assert_eq!([call(2), call(46), call(700)], [TroubleKind::OutOfMemory, TroubleKind::Busy, TroubleKind::Device]);
    }
}
