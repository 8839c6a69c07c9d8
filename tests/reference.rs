//! `docs/spec-reference.md` is what the tables of the language say. Renew it with `ci/reference`.

use std::fs;

use linkspec::spec::spec_reference;

const PAGE: &str = "docs/spec-reference.md";

#[test]
fn the_reference_is_up_to_date() {
    let fresh = spec_reference();
    if std::env::var("LINKSPEC_GOLDEN").is_ok_and(|value| value == "overwrite") {
        fs::write(PAGE, &fresh).unwrap();
    }
    assert!(fs::read_to_string(PAGE).unwrap_or_default() == fresh, "{PAGE} is stale: run ci/reference");
}
