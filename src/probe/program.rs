use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use nix::unistd::{AccessFlags, access};

use super::tree::Tree;

/// Where a program of a rebuilt machine is: this machine's programs do not speak of it.
const FOLDER: &str = "usr/bin";

/// A program of the machine: on this one by PATH, on a rebuilt one in /usr/bin; else where its package puts it beside
/// those, as a path below the root.
pub(super) fn find(tree: &Tree, name: &str, installed: Option<&str>) -> Option<PathBuf> {
    let found =
        if tree.is_this_machine() { on_path(env::var_os("PATH"), name) } else { program(tree.path(FOLDER).join(name)) };
    found.or_else(|| program(tree.path(installed?)))
}

/// The first of PATH. Folders that are relative to the one that linkspec runs in are passed over.
fn on_path(path: Option<OsString>, name: &str) -> Option<PathBuf> {
    let path = path?;
    env::split_paths(&path).filter(|folder| folder.is_absolute()).find_map(|folder| program(folder.join(name)))
}

fn program(file: PathBuf) -> Option<PathBuf> {
    is_program(&file).then_some(file)
}

fn is_program(file: &Path) -> bool {
    file.is_file() && access(file, AccessFlags::X_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn this_machine_is_searched() {
        assert!(find(&Tree::new("/"), "sh", None).is_some());
    }

    #[test]
    fn a_rebuilt_machine_has_its_own_programs_only_and_a_file_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::new(folder.path());
        let (file, rights) = (folder.path().join("opt/x/tool"), |mode| fs::Permissions::from_mode(mode));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, rights(0o644)).unwrap();
        assert_eq!(find(&tree, "tool", Some("opt/x/tool")), None);
        fs::set_permissions(&file, rights(0o755)).unwrap();
        assert_eq!(find(&tree, "tool", Some("opt/x/tool")), Some(file.clone()));
        assert_eq!((find(&tree, "tool", None), find(&tree, "sh", None)), (None, None));
        let path = |folders: &[&Path]| Some(env::join_paths(folders).unwrap());
        assert_eq!(on_path(path(&[Path::new("bin"), file.parent().unwrap()]), "tool"), Some(file));
        assert_eq!(on_path(path(&[Path::new("opt/x")]), "tool"), None);
    }
}
