use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::facts::Vendor;

/// Where a library may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// What the loader is asked for, in this order.
    pub(crate) files: Vec<PathBuf>,
    /// Folders below which Python packages were looked through, and none has it.
    pub(crate) folders: Vec<PathBuf>,
}

const CUDA: &[&str] = &["libcuda.so.1"];
/// The number is ROCm's major version. Distributions leave `/opt/rocm/lib` out of the loader's folders.
const HIP: &[&str] =
    &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"];
const NCCL: &[&str] = &["libnccl.so.2", "libnccl.so"];
const RCCL: &[&str] = &["librccl.so.1", "librccl.so", "/opt/rocm/lib/librccl.so.1", "/opt/rocm/lib/librccl.so"];

/// NCCL below a folder of Python packages: the wheel that PyTorch's depends on.
const WHEEL: &str = "nvidia/nccl/lib/libnccl.so.2";
/// Variables that name the Python environment in use.
const ENVIRONMENTS: [&str; 2] = ["VIRTUAL_ENV", "CONDA_PREFIX"];
/// Where distributions and images have Python.
const PREFIXES: [&str; 5] = ["/opt/venv", "/opt/conda", "/opt/pytorch", "/usr/local", "/usr"];

impl Places {
    /// The driver's library of a vendor; the one that was named is the only one.
    pub(crate) fn of_driver(vendor: Vendor, named: Option<&Path>) -> Self {
        match vendor {
            Vendor::Nvidia => Self::of(named, CUDA),
            Vendor::Amd => Self::of(named, HIP),
        }
    }

    /// The collective library of a vendor; the one that was named is the only one.
    pub(crate) fn of_collective(vendor: Vendor, named: Option<&Path>) -> Self {
        match vendor {
            Vendor::Nvidia if named.is_none() => Self::of(None, NCCL).with_wheels(&prefixes()),
            Vendor::Nvidia => Self::of(named, NCCL),
            Vendor::Amd => Self::of(named, RCCL),
        }
    }

    fn of(named: Option<&Path>, files: &[&str]) -> Self {
        let files = named.map_or_else(|| files.iter().map(PathBuf::from).collect(), |named| vec![named.to_owned()]);
        Self { files, folders: Vec::new() }
    }

    /// With NCCL of Python packages below these prefixes.
    fn with_wheels(mut self, prefixes: &[PathBuf]) -> Self {
        let found: Vec<_> = prefixes.iter().flat_map(|prefix| wheels(prefix)).collect();
        if found.is_empty() {
            self.folders = prefixes.to_vec();
        }
        self.files.extend(found);
        self
    }
}

/// The Python environment in use comes first.
fn prefixes() -> Vec<PathBuf> {
    let in_use = ENVIRONMENTS.iter().filter_map(env::var_os).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    in_use.chain(PREFIXES.iter().map(PathBuf::from)).collect()
}

/// `PREFIX/lib/python3.12/site-packages/...`; Debian's own Python says `dist-packages`.
fn wheels(prefix: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(prefix.join("lib")) else { return Vec::new() };
    let mut pythons: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| is_python(path)).collect();
    // A folder's order is chance, and the same library must be found every time.
    pythons.sort();
    let packages = pythons.iter().flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.join(name)));
    packages.map(|folder| folder.join(WHEEL)).filter(|file| file.is_file()).collect()
}

fn is_python(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python3"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_named_is_the_only_place() {
        let named = Path::new("/opt/nccl/libnccl.so");
        for vendor in [Vendor::Nvidia, Vendor::Amd] {
            for places in [Places::of_driver(vendor, Some(named)), Places::of_collective(vendor, Some(named))] {
                assert_eq!(places, Places { files: vec![named.into()], folders: vec![] });
            }
        }
    }

    #[test]
    fn the_loaders_own_come_before_folders_and_the_newest_before_the_older() {
        let first = |places: Places| places.files[0].display().to_string();
        assert_eq!(first(Places::of_driver(Vendor::Nvidia, None)), "libcuda.so.1");
        assert_eq!(first(Places::of_driver(Vendor::Amd, None)), "libamdhip64.so.7");
        assert_eq!(first(Places::of_collective(Vendor::Nvidia, None)), "libnccl.so.2");
        assert_eq!(first(Places::of_collective(Vendor::Amd, None)), "librccl.so.1");
        for list in [HIP, RCCL] {
            assert!(list.is_sorted_by_key(|file| file.starts_with('/')), "{list:?}");
        }
    }

    #[test]
    fn wheels_of_every_python_below_a_prefix() {
        let folder = tempfile::tempdir().unwrap();
        let prefix = folder.path().to_owned();
        let nothing = Places::of(None, NCCL).with_wheels(std::slice::from_ref(&prefix));
        assert_eq!((nothing.files.len(), nothing.folders), (NCCL.len(), vec![prefix.clone()]));
        let at = |packages: &str| prefix.join("lib").join(packages).join(WHEEL);
        for file in [at("python3.12/site-packages"), at("python3/dist-packages"), at("perl5/site-packages")] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let places = Places::of(None, NCCL).with_wheels(&[prefix.clone(), "/no/such/prefix".into()]);
        assert_eq!(places.files[NCCL.len()..], [at("python3/dist-packages"), at("python3.12/site-packages")]);
        assert!(places.folders.is_empty());
    }
}
