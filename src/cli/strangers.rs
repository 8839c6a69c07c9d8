//! Saved outputs that no case is judged by: most often a file under a name that is nearly right.

use std::collections::BTreeSet;

use super::suites::LoadedSuite;
use crate::{
    plan::{Case, IgnoredTests, Selection, plan},
    run::Machine,
    spec::{Level, nearest},
};

/// A warning for every measured output whose name is that of no case of any suite.
pub(super) fn strangers(suites: &[LoadedSuite], machine: &Machine) -> Vec<String> {
    let measured = machine.measured();
    if measured.is_empty() {
        return Vec::new();
    }
    let everything = Selection { level: Some(Level::Soak), ignored: IgnoredTests::Run, ..Selection::default() };
    let names: BTreeSet<String> = suites
        .iter()
        .filter_map(|loaded| plan(&loaded.suite, &everything).ok())
        .flat_map(|plan| plan.cases.iter().map(Case::short_name).collect::<Vec<_>>())
        .collect();
    let unknown = measured.iter().filter(|(name, _)| !names.contains(*name));
    unknown.map(|(name, evidence)| stranger(&evidence.files().join(", "), name, &names)).collect()
}

fn stranger(files: &str, name: &str, names: &BTreeSet<String>) -> String {
    let near = nearest(name, names.iter().map(String::as_str));
    let help = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
    format!("{files}: no case is named {name:?}, so nothing is judged by it{help}")
}
