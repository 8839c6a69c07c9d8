use std::collections::BTreeMap;

use crate::probe::tree::Tree;

/// Where systemd looks for units, the first that has one first.
///
/// Source: systemd.unit(5).
const FOLDERS: [&str; 5] = [
    "etc/systemd/system",
    "run/systemd/system",
    "usr/local/lib/systemd/system",
    "usr/lib/systemd/system",
    "lib/systemd/system",
];
/// An alias of an alias of .. ends somewhere.
const MOST: usize = 8;

/// Adds the other names of services: `systemctl list-units` lists each by one name only. An alias is a link among the
/// units to one of another name. A folder that cannot be read may hold some: without them a service that runs would look
/// as if it did not.
pub(super) fn add(tree: &Tree, services: &mut BTreeMap<String, String>) -> Result<(), String> {
    let aliases = aliases(tree)?;
    for (alias, of) in &aliases {
        let mut name = of;
        for _ in 0..MOST {
            name = aliases.get(name).unwrap_or(name);
        }
        if let Some(state) = services.get(name).cloned() {
            services.entry(alias.clone()).or_insert(state);
        }
    }
    Ok(())
}

/// The services that links stand for, by their other name.
fn aliases(tree: &Tree) -> Result<BTreeMap<String, String>, String> {
    let mut all = BTreeMap::new();
    for folder in FOLDERS.into_iter().filter(|folder| !tree.lacks(folder)) {
        for file in tree.names(folder)? {
            let Some(alias) = file.strip_suffix(".service") else { continue };
            let Ok(target) = tree.link(&format!("{folder}/{file}")) else { continue };
            let of = target.rsplit('/').next().and_then(|target| target.strip_suffix(".service"));
            if let Some(of) = of.filter(|of| *of != alias) {
                all.entry(alias.to_owned()).or_insert_with(|| of.to_owned());
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    #[test]
    fn a_service_has_its_other_names_too() {
        let machine = rebuilt(&[("usr/lib/systemd/system/chrony.service", "")]);
        machine.link("etc/systemd/system/chronyd.service", "/usr/lib/systemd/system/chrony.service");
        machine.link("usr/lib/systemd/system/ntp.service", "chronyd.service");
        machine.link("etc/systemd/system/masked.service", "/dev/null");
        machine.link("etc/systemd/system/linked.service", "/opt/linked.service");
        machine.link("usr/lib/systemd/system/a.service", "b.service");
        machine.link("usr/lib/systemd/system/b.service", "a.service");
        let mut services = BTreeMap::from([("chrony".to_owned(), "active".to_owned())]);
        add(&machine.tree, &mut services).unwrap();
        let names = ["chrony", "chronyd", "ntp"];
        assert_eq!(services, names.map(|name| (name.to_owned(), "active".to_owned())).into());
    }

    #[test]
    fn a_folder_that_cannot_be_read_may_hold_names() {
        let machine = rebuilt(&[("run/systemd/system", "no folder")]);
        assert!(add(&machine.tree, &mut BTreeMap::new()).unwrap_err().contains("/run/systemd/system"));
    }
}
