use super::program;
use crate::{facts::Fact, probe::tree::Tree, units::Version};

const NAME: &str = "nv-fabricmanager";
/// The command whose output is read.
pub(super) const COMMAND: &str = "nv-fabricmanager --version";

/// The version of the fabric manager that is installed.
pub(super) fn version(tree: &Tree) -> Fact<String> {
    let text = program::find(tree, NAME).and_then(|program| program::output(&program, &["--version"]));
    Fact::told(text.and_then(|text| read(&text)), COMMAND)
}

/// `Fabric Manager version is : 550.54.15`.
fn read(text: &str) -> Result<String, String> {
    let versions = text.lines().filter_map(|line| line.split_once("version is")?.1.trim_start().strip_prefix(':'));
    let version = versions.map(str::trim).find(|version| version.parse::<Version>().is_ok());
    version.map(str::to_owned).ok_or_else(|| format!("{COMMAND} prints no version"))
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    #[test]
    fn installed_or_not() {
        let machine = rebuilt(&[]);
        assert_eq!(version(&machine.tree).reason(), Some("nv-fabricmanager is not there"));
        machine.program("usr/bin/nv-fabricmanager", "echo 'Fabric Manager version is : 550.54.15'");
        assert_eq!(version(&machine.tree), Fact::known("550.54.15".to_owned(), COMMAND));
        machine.program("usr/bin/nv-fabricmanager", "echo 'Fabric Manager version is : '");
        assert_eq!(version(&machine.tree).reason(), Some("nv-fabricmanager --version prints no version"));
    }
}
