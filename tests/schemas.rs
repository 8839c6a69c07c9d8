//! The files in `schemas/` are what the types say. Renew them with `ci/schemas`.

use std::{fs, process::Command};

#[test]
fn schemas_are_up_to_date() {
    for name in ["spec", "facts", "run"] {
        let output = Command::new(env!("CARGO_BIN_EXE_linkspec")).args(["schema", name]).output().unwrap();
        assert!(output.status.success());
        let file = format!("schemas/{name}.schema.json");
        let committed = fs::read_to_string(&file).unwrap_or_default();
        let fresh = String::from_utf8(output.stdout).unwrap();
        assert!(committed == fresh, "{file} is stale: run ci/schemas");
    }
}
