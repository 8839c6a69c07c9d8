use std::{path::Path, sync::Arc};

use super::{DeviceError, Runtime};
use crate::evidence::LoadedLibrary;

/// A vendor's driver library, before one of its GPUs is opened.
pub(crate) trait Driver: Sized {
    /// Loads and initializes it; a path that is named is the only one.
    fn load(named: Option<&Path>) -> Result<Self, DeviceError>;
    fn library(&self) -> &LoadedLibrary;
    /// How many GPUs it shows to this process.
    fn count(&self) -> Result<u32, DeviceError>;
    /// The PCI address of one, as the driver spells it.
    fn address(&self, device: u32) -> Result<String, DeviceError>;
    /// The product name of one.
    fn name(&self, device: u32) -> Result<String, DeviceError>;
    /// Opens one and makes it the current one of the calling thread.
    fn open(self, device: u32) -> Result<Arc<dyn Runtime>, DeviceError>;
}
