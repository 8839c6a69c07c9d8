use crate::probe::tree::Tree;

const CLASS: &str = "sys/class/infiniband_verbs";

/// What there is of the file in /dev/infiniband that a device is opened through: part of the reason of a refusal.
pub(super) fn explain(tree: &Tree, device: &str) -> String {
    let Ok(names) = tree.names(CLASS) else {
        return format!("/{CLASS} is not there: the module ib_uverbs is not loaded");
    };
    let of_device = |name: &&String| tree.read(&format!("{CLASS}/{name}/ibdev")).is_ok_and(|text| text == device);
    let Some(name) = names.iter().find(of_device) else {
        return format!("/{CLASS} has no entry for {device}");
    };
    let path = format!("dev/infiniband/{name}");
    if tree.has(&path) {
        format!("it needs read and write access to /{path}")
    } else {
        format!("/{path} is not there: a container needs it passed in")
    }
}
