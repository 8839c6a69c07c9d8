use std::{
    ffi::{c_int, c_void},
    mem::ManuallyDrop,
    path::{Path, PathBuf},
};

use libloading::Library;

use super::mapped::file_at;

/// `ncclResult_t ncclGetVersion(int *version)`; RCCL has it by the same name.
type GetVersion = unsafe extern "C" fn(*mut c_int) -> c_int;

const GET_VERSION: &[u8] = b"ncclGetVersion\0";
/// The mark of a stand-in.
const FAKE: &[u8] = b"linkspec_fake\0";

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

/// Loads NCCL or RCCL and asks its version, and nothing else. The library stays loaded: what its end would run is
/// nothing that this process needs.
pub(crate) fn collective_version(library: &Path) -> Result<CollectiveVersion, String> {
    let named = library.display();
    // SAFETY: loading runs the library's initialisers. It is the collective library that ranks on this machine load as
    // well, or one that the user named, and this process is a child that may crash.
    let loaded = unsafe { Library::new(library) }.map_err(|error| not_loaded(library, &error))?;
    let loaded = ManuallyDrop::new(loaded);
    // SAFETY: the type is that of nccl.h in every version, and the library is never unloaded.
    let symbol = unsafe { loaded.get::<GetVersion>(GET_VERSION) };
    let get_version = *symbol.map_err(|_| format!("{named} has no ncclGetVersion"))?;
    let mut code = 0;
    // SAFETY: the function writes one int to where the pointer points.
    let result = unsafe { get_version(&raw mut code) };
    if result != 0 {
        return Err(format!("ncclGetVersion of {named}: error {result}"));
    }
    let version = version(code).ok_or_else(|| format!("ncclGetVersion of {named} says {code}, which is no version"))?;
    // SAFETY: the symbol is looked up and its address not used.
    let fake = unsafe { loaded.get::<*const c_void>(FAKE) }.is_ok();
    Ok(CollectiveVersion { version, file: file_at(get_version as usize).unwrap_or_else(|| library.to_owned()), fake })
}

/// `X*10000 + Y*100 + Z`, and `X*1000 + Y*100 + Z` before 2.9.
///
/// Source: `NCCL_VERSION` in nccl.h.
fn version(code: c_int) -> Option<String> {
    let major = if code >= 10_000 { 10_000 } else { 1000 };
    let patch = code % 100;
    (code >= 1000).then(|| format!("{}.{}.{patch}", code / major, code % major / 100))
}

/// The loader's own words, where they say more than that there is no such file.
fn not_loaded(library: &Path, error: &libloading::Error) -> String {
    let named = library.display();
    let said = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    let own = said.strip_prefix(&format!("{named}: ")).unwrap_or(&said);
    if own.starts_with("cannot open shared object file: No such file") {
        format!("{named} cannot be loaded")
    } else {
        format!("{named} cannot be loaded: {own}")
    }
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
        let missing = collective_version(Path::new("libno-such-library.so.2"));
        assert_eq!(missing, Err("libno-such-library.so.2 cannot be loaded".to_owned()));
        assert_eq!(collective_version(Path::new("libc.so.6")), Err("libc.so.6 has no ncclGetVersion".to_owned()));
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("libnccl.so.2");
        std::fs::write(&text, "no library").unwrap();
        assert!(collective_version(&text).unwrap_err().contains("cannot be loaded: "));
    }
}
