use std::path::PathBuf;

use super::answer::Library;
use crate::{
    facts::{Fact, Vendor},
    probe::live::Site,
    sys::collective::collective_version,
};

/// A collective library.
struct Collective {
    name: &'static str,
    vendor: Vendor,
    /// Its file, as the loader finds it.
    file: &'static str,
}

const NCCL: Collective = Collective { name: "NCCL", vendor: Vendor::Nvidia, file: "libnccl.so.2" };
const RCCL: Collective = Collective { name: "RCCL", vendor: Vendor::Amd, file: "librccl.so.1" };

/// The names of the libraries.
pub(super) const NAMES: [&str; 2] = [NCCL.name, RCCL.name];

/// The version of NCCL as a measurement on this machine loads it.
pub(super) fn nccl(site: &Site) -> Library {
    NCCL.load(site, site.libraries.nccl.as_ref())
}

/// The version of RCCL.
pub(super) fn rccl(site: &Site) -> Library {
    RCCL.load(site, site.libraries.rccl.as_ref())
}

impl Collective {
    fn load(&self, site: &Site, named: Option<&PathBuf>) -> Library {
        let told = site.library(named, self.file);
        match told.and_then(|_| collective_version(self.vendor, named.map(PathBuf::as_path))) {
            Ok(told) => self.told(Fact::known(told.version, told.file.display().to_string()), told.fake),
            Err(reason) => self.told(Fact::unknown(reason), false),
        }
    }

    fn told(&self, version: Fact<String>, fake: bool) -> Library {
        Library { name: self.name.to_owned(), version, fake }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::testing::site, *};

    #[test]
    fn a_rebuilt_machine_has_none_of_this_machines_libraries() {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path());
        assert_eq!(nccl(&site).version.reason(), Some("libnccl.so.2 is not there"));
        assert_eq!(rccl(&site).version.reason(), Some("librccl.so.1 is not there"));
    }

    #[test]
    fn a_library_that_was_named_is_the_only_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut site = site(folder.path());
        site.libraries.nccl = Some("/no/such/libnccl.so".into());
        assert_eq!(nccl(&site).version.reason(), Some("/no/such/libnccl.so cannot be loaded"));
    }
}
