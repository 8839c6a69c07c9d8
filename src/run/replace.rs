use std::{
    fs::Permissions,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

/// What the names of unfinished files begin with, so that the leftovers of a killed run can be told and removed.
pub(super) const UNFINISHED: &str = ".linkspec-unfinished-";

/// Writes a file whole: readers see what was there before or all of `text`, never a part.
///
/// A symbolic link at `path` is replaced, not followed.
pub fn replace_atomically(path: &Path, text: &str) -> io::Result<()> {
    unfinished(path, text)?.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a file whole where nothing is there yet; what another process put there meanwhile stays too.
pub fn create_atomically(path: &Path, text: &str) -> io::Result<()> {
    unfinished(path, text)?.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

/// The text in a file beside `path`, which goes when it is dropped.
fn unfinished(path: &Path, text: &str) -> io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A CI agent reads the reports as another user: they get the permissions of any new file, not a temporary one's.
    let mut file =
        tempfile::Builder::new().prefix(UNFINISHED).permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn replaces_and_leaves_nothing_beside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        replace_atomically(&path, "one").unwrap();
        replace_atomically(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o600, 0o600);
    }

    #[test]
    fn creates_only_what_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("facts");
        create_atomically(&path, "one").unwrap();
        assert_eq!(create_atomically(&path, "two").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_is_replaced_and_a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "kept").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        replace_atomically(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
        assert_eq!(fs::read_to_string(&link).unwrap(), "new");

        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        assert!(replace_atomically(&inner, "x").is_err());
    }
}
