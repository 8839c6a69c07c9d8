use std::{
    ffi::{CStr, c_char, c_int, c_void},
    path::Path,
    ptr,
};

use super::{
    api::{CollectiveApi, UniqueId},
    version,
};
use crate::{
    evidence::LoadedLibrary,
    facts::Vendor,
    sys::{
        dl::{self, LoadError},
        places::Places,
    },
};

/// Bytes of `ncclUniqueId`: what makes ranks members of one communicator.
pub(crate) const IDENTITY: usize = 128;
/// `ncclInProgress`: a call on a communicator that does not block goes on by itself.
pub(crate) const IN_PROGRESS: c_int = 7;

/// A call that returned an error, with the library's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallFailed {
    /// The function.
    pub(crate) call: &'static str,
    /// What it returned.
    pub(crate) code: c_int,
    /// What the library calls that.
    pub(crate) text: String,
    /// What it says of its last error, where it says anything.
    pub(crate) last: Option<String>,
}

/// NCCL or RCCL, loaded.
#[derive(Debug)]
pub(crate) struct Collective {
    pub(super) api: CollectiveApi,
    library: LoadedLibrary,
    version: c_int,
}

/// Why there is no library to work with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoCollective {
    Load(LoadError),
    Call(CallFailed),
    /// The file, and the code that is no version.
    Version(String, c_int),
}

impl Collective {
    /// Loads a vendor's library; a path that is named is the only one.
    pub(crate) fn load(vendor: Vendor, named: Option<&Path>) -> Result<Self, NoCollective> {
        let loaded = dl::load(&Places::of_collective(vendor, named)).map_err(NoCollective::Load)?;
        let api = CollectiveApi::of(&loaded).map_err(NoCollective::Load)?;
        let mut code = 0;
        // SAFETY: it writes one int.
        let result = unsafe { (api.version)(&raw mut code) };
        let words = version::version(code).unwrap_or_default();
        let library = loaded.described(version::name(vendor), words, api.version as usize);
        let collective = Self { api, library, version: code };
        collective.check("ncclGetVersion", result).map_err(NoCollective::Call)?;
        if collective.library.version.is_empty() {
            return Err(NoCollective::Version(collective.library.path, code));
        }
        Ok(collective)
    }

    pub(crate) const fn library(&self) -> &LoadedLibrary {
        &self.library
    }

    /// The version as `ncclGetVersion` has it.
    pub(crate) const fn version(&self) -> c_int {
        self.version
    }

    /// A new identity for a communicator. The library listens for its ranks from now on.
    pub(crate) fn identity(&self) -> Result<[u8; IDENTITY], CallFailed> {
        let mut id = UniqueId([0; IDENTITY]);
        // SAFETY: it fills the structure.
        self.check("ncclGetUniqueId", unsafe { (self.api.unique_id)(&raw mut id) })?;
        Ok(id.0)
    }

    /// What a call returned. That it goes on by itself is no error.
    pub(crate) fn check(&self, call: &'static str, code: c_int) -> Result<(), CallFailed> {
        if code == 0 || code == IN_PROGRESS { Ok(()) } else { Err(self.failed(call, code)) }
    }

    #[cold]
    fn failed(&self, call: &'static str, code: c_int) -> CallFailed {
        // SAFETY: it takes any code, and its texts are never freed.
        let text = unsafe { words((self.api.error_string)(code)) };
        // SAFETY: its communicator may be null; the text is the library's own and is copied at once.
        let last = self.api.last_error.and_then(|last| unsafe { words(last(ptr::null_mut::<c_void>())) });
        let text = text.unwrap_or_else(|| "a code without a name".to_owned());
        CallFailed { call, code, text, last: last.map(|last| last.trim().to_owned()).filter(|last| !last.is_empty()) }
    }
}

/// # Safety
///
/// The text is null, or ends with a zero and does not change during the call.
unsafe fn words(text: *const c_char) -> Option<String> {
    // SAFETY: as the caller promises.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
