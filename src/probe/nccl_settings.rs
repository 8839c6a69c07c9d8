//! What the shell and the configuration files set for NCCL and RCCL.

use std::{collections::BTreeMap, fs, io, path::Path};

use crate::facts::{Fact, Host};

/// The file of the whole machine, below the root.
const MACHINE_FILE: &str = "etc/nccl.conf";
/// The file of a user, below the home folder.
const USER_FILE: &str = ".nccl.conf";

/// The variable that names a file to read in place of the user's, since NCCL 2.23.
///
/// Source: NCCL, src/misc/param.cc.
const FILE_VARIABLE: &str = "NCCL_CONF_FILE";

/// Reads `/etc/nccl.conf`, `~/.nccl.conf` or the file that `NCCL_CONF_FILE` names in its place, and the environment. In
/// NCCL the later of these wins over the earlier.
pub(super) fn read(root: &Path, home: Option<&Path>, environment: &BTreeMap<String, String>, host: &mut Host) {
    let machine = configured(&root.join(MACHINE_FILE));
    let named = environment.get(FILE_VARIABLE).map(String::as_str).filter(|path| !path.is_empty());
    let user = match named {
        Some(path) => named_file(root, path),
        None => home.map_or_else(|| Ok(BTreeMap::new()), |home| configured(&home.join(USER_FILE))),
    };
    let sources = format!("/etc/nccl.conf, {}", named.unwrap_or("~/.nccl.conf"));
    match machine.and_then(|machine| Ok((machine, user?))) {
        Ok((machine, user)) => {
            let configured: BTreeMap<String, String> = machine.into_iter().chain(user).collect();
            let mut all = configured.clone();
            all.extend(of_a_library(environment));
            host.nccl_configured = Fact::known(configured, &sources);
            host.nccl_environment = Fact::known(all, format!("the environment, {sources}"));
        }
        Err(reason) => {
            host.nccl_configured = Fact::unknown(&reason);
            host.nccl_environment = Fact::unknown(reason);
        }
    }
}

fn named_file(root: &Path, path: &str) -> Result<BTreeMap<String, String>, String> {
    match path.strip_prefix('/') {
        Some(below) => configured(&root.join(below)),
        None => Err(format!("{FILE_VARIABLE} names {path:?}, which depends on the folder that a rank runs in")),
    }
}

/// The `NAME=VALUE` lines of a file; a file that is not there sets nothing.
fn configured(path: &Path) -> Result<BTreeMap<String, String>, String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(assignments(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Of several lines for one variable the first stands: NCCL sets none that is set already.
fn assignments(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once('='));
    pairs.rev().map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

fn of_a_library(environment: &BTreeMap<String, String>) -> impl Iterator<Item = (String, String)> {
    let of_a_library = |name: &str| name.starts_with("NCCL_") || name.starts_with("RCCL_");
    let kept = environment.iter().filter(move |(name, _)| of_a_library(name));
    kept.map(|(name, value)| (name.clone(), value.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(root: &Path, home: &Path, environment: &[(&str, &str)]) -> Host {
        let mut host = Host::default();
        let environment = environment.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        read(root, Some(home), &environment, &mut host);
        host
    }

    #[test]
    fn files_and_shell_are_joined_and_the_shell_wins() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(root.path().join("etc")).unwrap();
        fs::write(root.path().join(MACHINE_FILE), "# site\nNCCL_ALGO=Ring\nNCCL_IB_HCA = mlx5\n").unwrap();
        fs::write(home.path().join(USER_FILE), "NCCL_ALGO=Tree\n").unwrap();
        let host = host(root.path(), home.path(), &[("NCCL_ALGO", "NVLS"), ("CUDA_VISIBLE_DEVICES", "0")]);
        let all = host.nccl_environment.value().unwrap();
        assert_eq!(all["NCCL_ALGO"], "NVLS");
        assert_eq!(all["NCCL_IB_HCA"], "mlx5");
        assert_eq!(all.len(), 2);
        assert_eq!(host.nccl_configured.value().unwrap()["NCCL_ALGO"], "Tree");
    }

    #[test]
    fn a_file_that_a_variable_names_is_read_in_place_of_the_users() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(root.path().join("site.conf"), "NCCL_P2P_DISABLE=1\nNCCL_P2P_DISABLE=0\n").unwrap();
        fs::write(home.path().join(USER_FILE), "NCCL_P2P_DISABLE=0\nNCCL_ALGO=Tree\n").unwrap();
        let told = host(root.path(), home.path(), &[("NCCL_CONF_FILE", "/site.conf")]);
        assert_eq!(told.nccl_environment.value().unwrap()["NCCL_P2P_DISABLE"], "1");
        assert_eq!(told.nccl_configured.value().unwrap()["NCCL_P2P_DISABLE"], "1");
        assert!(!told.nccl_configured.value().unwrap().contains_key("NCCL_ALGO"));
        assert_eq!(told.nccl_configured.source(), Some("/etc/nccl.conf, /site.conf"));
        let relative = host(root.path(), home.path(), &[("NCCL_CONF_FILE", "site.conf")]);
        assert!(relative.nccl_environment.reason().unwrap().contains("site.conf"));
    }

    #[test]
    fn no_file_sets_nothing_and_an_unreadable_one_is_unknown() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert_eq!(host(root.path(), home.path(), &[]).nccl_environment.value().unwrap().len(), 0);
        fs::create_dir_all(root.path().join(MACHINE_FILE)).unwrap();
        let host = host(root.path(), home.path(), &[]);
        assert!(host.nccl_environment.reason().unwrap().contains("nccl.conf"));
    }
}
