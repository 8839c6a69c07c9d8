use std::{
    ffi::c_int,
    path::{Path, PathBuf},
};

use crate::{
    facts::Vendor,
    sys::{
        dl::{self, dl_api},
        places::Places,
    },
};

dl_api! {
    /// What the version is asked with; RCCL has it by the same name.
    struct VersionApi {
        version = "ncclGetVersion": fn(*mut c_int) -> c_int;
    }
    optional {}
}

/// What a collective library says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CollectiveVersion {
    /// The version, such as `2.28.3`.
    pub(crate) version: String,
    /// The file that was loaded.
    pub(crate) file: PathBuf,
    /// Whether it is a stand-in.
    pub(crate) fake: bool,
}

/// Loads NCCL or RCCL from where a measurement loads it and asks its version, and nothing else.
pub(crate) fn collective_version(vendor: Vendor, named: Option<&Path>) -> Result<CollectiveVersion, String> {
    let loaded = dl::load(&Places::of_collective(vendor, named)).map_err(|error| error.to_string())?;
    let api = VersionApi::of(&loaded).map_err(|error| error.to_string())?;
    let mut code = 0;
    // SAFETY: the function writes one int to where the pointer points.
    let result = unsafe { (api.version)(&raw mut code) };
    let library = loaded.described(name(vendor), version(code).unwrap_or_default(), api.version as usize);
    if result != 0 {
        return Err(format!("ncclGetVersion of {}: error {result}", library.path));
    }
    if library.version.is_empty() {
        return Err(format!("ncclGetVersion of {} says {code}, which is no version", library.path));
    }
    Ok(CollectiveVersion { version: library.version, file: library.path.into(), fake: library.fake })
}

/// The name of a vendor's collective library.
pub(super) const fn name(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Nvidia => "NCCL",
        Vendor::Amd => "RCCL",
    }
}

/// `X*10000 + Y*100 + Z`, and `X*1000 + Y*100 + Z` before 2.9.
///
/// Source: `NCCL_VERSION` in nccl.h.
pub(super) fn version(code: c_int) -> Option<String> {
    let major = if code >= 10_000 { 10_000 } else { 1000 };
    let patch = code % 100;
    (code >= 1000).then(|| format!("{}.{}.{patch}", code / major, code % major / 100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_before_and_after_2_9() {
        for (code, expected) in [
            (22803, Some("2.28.3")),
            (23000, Some("2.30.0")),
            (20908, Some("2.9.8")),
            (2804, Some("2.8.4")),
            (2708, Some("2.7.8")),
            (30000, Some("3.0.0")),
            (0, None),
            (-1, None),
        ] {
            assert_eq!(version(code).as_deref(), expected, "{code}");
        }
    }

    #[test]
    fn what_is_not_there_or_no_collective_library() {
        let asked = |file: &str| collective_version(Vendor::Nvidia, Some(Path::new(file)));
        let missing = asked("libno-such-library.so.2");
        assert_eq!(missing, Err("libno-such-library.so.2 cannot be loaded".to_owned()));
        assert_eq!(asked("libc.so.6"), Err("libc.so.6 has no ncclGetVersion".to_owned()));
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("libnccl.so.2");
        std::fs::write(&text, "no library").unwrap();
        assert!(asked(&text.display().to_string()).unwrap_err().contains("cannot be loaded: "));
    }
}
