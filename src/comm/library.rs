use std::{path::Path, sync::Arc};

use super::{CommError, Identity};
use crate::{evidence::LoadedLibrary, facts::Vendor, sys::collective::Collective};

/// NCCL or RCCL, loaded for the rest of the process's life.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    pub(super) collective: Arc<Collective>,
}

impl Library {
    /// Loads a vendor's library; a path that is named is the only one that is tried.
    pub(crate) fn load(vendor: Vendor, named: Option<&Path>) -> Result<Self, CommError> {
        Ok(Self { collective: Arc::new(Collective::load(vendor, named)?) })
    }

    /// What was loaded.
    pub(crate) fn loaded(&self) -> &LoadedLibrary {
        self.collective.library()
    }

    /// The identity of a new communicator, for rank 0 to ask once and all ranks to join with.
    pub(crate) fn identity(&self) -> Result<Identity, CommError> {
        Ok(Identity(Box::new(self.collective.identity()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::TroubleKind;

    #[test]
    fn no_library_and_one_without_the_functions() {
        for vendor in [Vendor::Nvidia, Vendor::Amd] {
            let error = Library::load(vendor, Some(Path::new("/no/such/library.so"))).unwrap_err();
            assert_eq!(error.to_string(), "/no/such/library.so cannot be loaded");
            assert_eq!(error.kind(), TroubleKind::Library);
            let error = Library::load(vendor, Some(Path::new("libc.so.6"))).unwrap_err();
            assert_eq!(error.to_string(), "libc.so.6 has no ncclGetVersion");
        }
    }
}
