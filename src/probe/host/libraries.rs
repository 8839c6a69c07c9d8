use std::path::PathBuf;

use super::answer::Library;
use crate::{facts::Fact, probe::live::Site, sys::collective_version};

/// A collective library, and where it is looked for.
struct Collective {
    name: &'static str,
    /// What the loader is asked for, in this order.
    files: &'static [&'static str],
}

const NCCL: Collective = Collective { name: "NCCL", files: &["libnccl.so.2", "libnccl.so"] };
const RCCL: Collective =
    Collective { name: "RCCL", files: &["librccl.so.1", "librccl.so", "/opt/rocm/lib/librccl.so.1"] };

/// The names of the libraries.
pub(super) const NAMES: [&str; 2] = [NCCL.name, RCCL.name];

/// The version of NCCL as a process on this machine loads it.
pub(super) fn nccl(site: &Site) -> Library {
    NCCL.load(site, site.libraries.nccl.as_ref())
}

/// The version of RCCL.
pub(super) fn rccl(site: &Site) -> Library {
    RCCL.load(site, site.libraries.rccl.as_ref())
}

impl Collective {
    fn load(&self, site: &Site, named: Option<&PathBuf>) -> Library {
        let mut reasons = Vec::new();
        for file in self.files {
            let told = site.library(named, file).and_then(collective_version);
            match told {
                Ok(told) => {
                    let file = told.file.display().to_string();
                    return self.told(Fact::known(told.version, file), told.fake);
                }
                Err(reason) => reasons.push(reason),
            }
            if named.is_some() {
                break;
            }
        }
        self.told(Fact::unknown(best(reasons)), false)
    }

    fn told(&self, version: Fact<String>, fake: bool) -> Library {
        Library { name: self.name.to_owned(), version, fake }
    }
}

/// The reason that says more than that a file is not there, else the first.
fn best(reasons: Vec<String>) -> String {
    let bare = |reason: &str| reason.ends_with(" cannot be loaded") || reason.ends_with(" is not there");
    let telling = reasons.iter().find(|reason| !bare(reason)).cloned();
    telling.or_else(|| reasons.into_iter().next()).unwrap_or_default()
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

    #[test]
    fn the_reason_that_says_most() {
        let reasons = [
            "librccl.so.1 cannot be loaded",
            "/opt/rocm/lib/librccl.so.1 cannot be loaded: libamdhip64.so.6: not found",
        ];
        assert_eq!(best(reasons.map(str::to_owned).to_vec()), reasons[1]);
        assert_eq!(best(vec![reasons[0].to_owned(); 2]), reasons[0]);
    }
}
