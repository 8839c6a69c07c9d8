//! Saved outputs under a name that is nearly that of a case: what is one letter off is judged by nobody.

use std::collections::BTreeSet;

use super::suites::LoadedSuite;
use crate::{
    evidence::CollectiveEvidence,
    plan::{Case, IgnoredTests, Selection, plan},
    run::Machine,
    spec::{Kind, Level, nearest},
};

/// So many names are compared: in a larger matrix the reports say what was not measured.
const MOST: usize = 1000;

/// A warning for every output whose name is no case's, and nearly that of a collective without one. Others may be for
/// other specs.
pub(super) fn strangers(suites: &[LoadedSuite], machine: &Machine) -> Vec<String> {
    let measured = machine.measured();
    if measured.is_empty() {
        return Vec::new();
    }
    let everything = Selection { level: Some(Level::Soak), ignored: IgnoredTests::Run, ..Selection::default() };
    let plans = suites.iter().filter_map(|loaded| plan(&loaded.suite, &everything).ok());
    let collectives = plans.flat_map(|plan| plan.cases).filter(|case| matches!(*case.kind, Kind::Collective(_)));
    let names: BTreeSet<String> = collectives.map(|case: Case| case.short_name()).collect();
    let without: Vec<&str> = names.iter().filter(|name| !measured.contains_key(*name)).map(String::as_str).collect();
    if without.len() > MOST {
        return Vec::new();
    }
    let unknown = measured.iter().filter(|(name, _)| !names.contains(*name));
    unknown.filter_map(|(name, evidence)| stranger(name, evidence, &without)).collect()
}

fn stranger(name: &str, evidence: &CollectiveEvidence, names: &[&str]) -> Option<String> {
    let near = nearest(name, names.iter().copied())?;
    let files = evidence.files().join(", ");
    Some(format!("{files}: no case is named {name:?}, so nothing is judged by it; did you mean {near:?}?"))
}
