//! What is said where no case is selected.

use std::{collections::BTreeMap, io::Write};

use anyhow::Result;

use super::{
    arguments::CaseArguments,
    suites::{LoadedSuite, plan_suite, selection},
};
use crate::{
    plan::{IgnoredTests, Selection, plan},
    spec::{Level, nearest},
};

/// Says on standard error how many cases there are, which filter is in the name of none, and what else left them out.
pub(super) fn tell_nothing_selected(suites: &[LoadedSuite], arguments: &CaseArguments) -> Result<()> {
    let everything = Selection { level: Some(Level::Soak), ignored: IgnoredTests::Run, ..Selection::default() };
    let plans = suites.iter().filter_map(|loaded| plan(&loaded.suite, &everything).ok());
    let cases = plans.flat_map(|plan| plan.cases);
    // A suite's name is seldom typed, and by it all names would be alike.
    let names: Vec<(String, String)> = cases.map(|case| (case.short_name(), case.name())).collect();
    let mut stderr = anstream::stderr().lock();
    writeln!(stderr, "nothing is selected of {}", counted(names.len()))?;
    let Selection { filters, exact, .. } = selection(arguments);
    for filter in &filters {
        if let Some(line) = without_case(filter, exact, &names) {
            writeln!(stderr, "  {line}")?;
        }
    }
    for loaded in suites {
        let left_out = plan_suite(&loaded.suite, arguments)?.left_out.to_string();
        if !left_out.is_empty() {
            writeln!(stderr, "  left out of {}: {left_out}", loaded.suite.name)?;
        }
    }
    Ok(())
}

fn counted(cases: usize) -> String {
    if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") }
}

/// A filter that no case has, and the nearest that one has. `names` are short and whole names.
fn without_case(filter: &str, exact: bool, names: &[(String, String)]) -> Option<String> {
    if names.iter().any(|(_, name)| if exact { name == filter } else { name.contains(filter) }) {
        return None;
    }
    let short = filter.split_once("::").map_or(filter, |(_, short)| short);
    let known: BTreeMap<&str, &str> = names.iter().map(|(short, name)| (short.as_str(), name.as_str())).collect();
    let near = nearest(short, known.keys().copied()).and_then(|near| known.get(near));
    let near = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
    let has = if exact { "is named" } else { "has a name with" };
    Some(format!("no case {has} {filter:?}{near}"))
}
