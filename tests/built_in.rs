//! Every spec in `specs/` is built in under its name, and says the same there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::{fs, path::Path};

use linkspec::{
    plan::{Selection, plan},
    spec::{Level, load},
};

/// The names of the cases of a spec; none of a fragment.
fn cases(spec: &str) -> Vec<String> {
    let loaded = load(Path::new(spec), &[]).map_err(|error| error.render(false)).unwrap();
    assert!(loaded.warnings.is_empty(), "{spec}: {:?}", loaded.warnings);
    let all = Selection { level: Some(Level::Soak), ..Selection::default() };
    let plans = loaded.suite.iter().map(|suite| plan(suite, &all).unwrap());
    plans.flat_map(|plan| plan.cases).map(|case| case.name()).collect()
}

#[test]
fn every_spec_is_built_in() {
    let mut count = 0;
    for folder in ["", "common/"] {
        for entry in fs::read_dir(format!("specs/{folder}")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some(name) = name.strip_suffix(".yaml") else { continue };
            assert_eq!(cases(&format!("pack:{folder}{name}")), cases(&format!("specs/{folder}{name}.yaml")), "{name}");
            count += 1;
        }
    }
    assert!(count > 3, "only {count} specs were found");
}
