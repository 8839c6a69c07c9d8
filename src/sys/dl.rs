use std::{
    ffi::{CStr, c_void},
    fmt,
    mem::ManuallyDrop,
    path::{Path, PathBuf},
};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::{mapped::file_at, places::Places};
use crate::evidence::LoadedLibrary;

/// The mark of a stand-in.
const FAKE: &CStr = c"linkspec_fake";

/// A library that was loaded. It stays so until the process ends: a call that hangs may still be inside.
#[derive(Debug)]
pub(crate) struct Loaded {
    library: ManuallyDrop<Library>,
    /// What the loader was asked for.
    asked: PathBuf,
}

/// Loads the first of these files that can be loaded: that one is *the* library, whatever it may lack.
pub(crate) fn load(places: &Places) -> Result<Loaded, LoadError> {
    let mut tried = Vec::new();
    for file in &places.files {
        // SAFETY: loading runs the library's initializers. It is a vendor's library that every GPU program on this
        // machine loads as well, or one that the user named; this process is a child that may crash.
        match unsafe { Library::open(Some(file), RTLD_NOW | RTLD_LOCAL) } {
            Ok(library) => return Ok(Loaded { library: ManuallyDrop::new(library), asked: file.clone() }),
            Err(error) => tried.push(Attempt { file: file.clone(), said: loaders_words(file, &error) }),
        }
    }
    Err(LoadError::NoneLoads { tried, folders: places.folders.clone() })
}

impl Loaded {
    /// The first of these symbols that the library has.
    ///
    /// # Safety
    ///
    /// `T` is a function pointer of the type that the library's header gives every one of these symbols.
    pub(super) unsafe fn symbol<T: Copy>(&self, names: &'static [&'static str]) -> Result<T, LoadError> {
        let found = names.iter().find_map(|name| {
            // SAFETY: as the caller promises; the library is never unloaded.
            unsafe { self.library.get::<T>(name.as_bytes()) }.ok().map(|symbol| *symbol)
        });
        found.ok_or_else(|| LoadError::NoSymbol { file: self.asked.clone(), names })
    }

    /// What this library is, by the address of one of its functions.
    pub(super) fn described(&self, name: &str, version: String, function: usize) -> LoadedLibrary {
        let file = file_at(function).unwrap_or_else(|| self.asked.clone());
        LoadedLibrary { name: name.to_owned(), path: file.display().to_string(), version, fake: self.is_fake() }
    }

    /// Whether this is a stand-in of linkspec's own tests.
    fn is_fake(&self) -> bool {
        // SAFETY: only asked whether it is there, never used.
        unsafe { self.library.get::<*const c_void>(FAKE.to_bytes_with_nul()) }.is_ok()
    }
}

/// Why there is no library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LoadError {
    /// No file of those that it may be can be loaded.
    #[error("{}", NotLoaded(tried, folders))]
    NoneLoads {
        /// What was asked for, in this order.
        tried: Vec<Attempt>,
        /// Folders below which a Python package would have it, and none has.
        folders: Vec<PathBuf>,
    },
    /// It is loaded and has none of the names that a function may have.
    #[error("{} has no {}", file.display(), names.join(" or "))]
    NoSymbol {
        /// What was loaded.
        file: PathBuf,
        /// The names.
        names: &'static [&'static str],
    },
}

/// A file that was asked for in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    file: PathBuf,
    /// The loader's own words, where they say more than that there is no such file.
    said: Option<String>,
}

struct NotLoaded<'a>(&'a [Attempt], &'a [PathBuf]);

impl fmt::Display for NotLoaded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(tried, folders) = self;
        let files: Vec<_> = tried.iter().map(|attempt| attempt.file.display().to_string()).collect();
        write!(f, "{} cannot be loaded", files.join(", "))?;
        for attempt in *tried {
            match &attempt.said {
                Some(said) if tried.len() == 1 => write!(f, ": {said}")?,
                Some(said) => write!(f, "; {}: {said}", attempt.file.display())?,
                None => {}
            }
        }
        if !folders.is_empty() {
            let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
            write!(f, "; no Python package below {} has it", folders.join(", "))?;
        }
        Ok(())
    }
}

fn loaders_words(file: &Path, error: &libloading::Error) -> Option<String> {
    let said = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    let own = said.strip_prefix(&format!("{}: ", file.display())).unwrap_or(&said);
    (!own.starts_with("cannot open shared object file: No such file")).then(|| own.to_owned())
}

/// The functions of a C library as a structure of pointers, with `Self::of(&Loaded)`. A function that only some
/// versions have is an option, and may have several names.
macro_rules! dl_api {
    (
        $(#[$about:meta])*
        struct $api:ident {
            $($field:ident = $symbol:literal: fn($($argument:ty),*) -> $result:ty;)*
        }
        optional {
            $($maybe:ident = [$($name:literal),+]: fn($($its:ty),*) -> $gives:ty;)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug)]
        pub(super) struct $api {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> $result,)*
            $(pub(super) $maybe: Option<unsafe extern "C" fn($($its),*) -> $gives>,)*
        }

        impl $api {
            /// Its functions, or the name of one that the library must have and has not.
            pub(super) fn of(library: &$crate::sys::dl::Loaded) -> Result<Self, $crate::sys::dl::LoadError> {
                Ok(Self {
                    // SAFETY: the types are those of the vendor's header.
                    $($field: unsafe { library.symbol(&[$symbol]) }?,)*
                    // SAFETY: the types are those of the vendor's header.
                    $($maybe: unsafe { library.symbol(&[$($name),+]) }.ok(),)*
                })
            }
        }
    };
}
pub(super) use dl_api;

#[cfg(test)]
mod tests {
    use std::ffi::c_int;

    use super::*;

    dl_api! {
        struct Libc {
            abs = "abs": fn(c_int) -> c_int;
        }
        optional {
            other_name = ["no_such_symbol", "labs"]: fn(i64) -> i64;
            newer = ["no_such_symbol"]: fn() -> c_int;
        }
    }

    dl_api! {
        #[expect(dead_code, reason = "it is never there")]
        struct Missing {
            gone = "no_such_symbol": fn() -> c_int;
        }
        optional {}
    }

    fn places(files: &[&str]) -> Places {
        Places { files: files.iter().map(PathBuf::from).collect(), folders: vec![] }
    }

    #[test]
    fn the_first_that_loads_with_what_it_has() {
        let library = load(&places(&["libno-such-library.so.2", "libc.so.6"])).unwrap();
        let libc = Libc::of(&library).unwrap();
        // SAFETY: functions of any C library, on plain numbers.
        assert_eq!(unsafe { (libc.abs)(-3) }, 3);
        // SAFETY: as above.
        assert_eq!(libc.other_name.map(|labs| unsafe { labs(-4) }), Some(4));
        assert!(libc.newer.is_none());
        let described = library.described("C", "1".into(), libc.abs as usize);
        assert!(described.path.starts_with('/') && !described.fake, "{described:?}");
        assert_eq!(Missing::of(&library).unwrap_err().to_string(), "libc.so.6 has no no_such_symbol");
    }

    #[test]
    fn all_that_was_tried_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("libnccl.so.2");
        std::fs::write(&text, "no library").unwrap();
        let text = text.display().to_string();
        let error = load(&places(&["libno-such-library.so.2"])).unwrap_err();
        assert_eq!(error.to_string(), "libno-such-library.so.2 cannot be loaded");
        let wanted =
            Places { folders: vec!["/usr".into(), "/venv".into()], ..places(&["libno-such-library.so.2", &text]) };
        let error = load(&wanted).unwrap_err().to_string();
        let start = format!("libno-such-library.so.2, {text} cannot be loaded; {text}: ");
        assert!(error.starts_with(&start), "{error}");
        assert!(error.ends_with("; no Python package below /usr, /venv has it"), "{error}");
    }
}
