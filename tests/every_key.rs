//! Every key of `gpu`, `host` and `rdma_ports` asks something: one that is read and never judged would pass on every
//! machine. `fuzz/shared/every-kind.yaml` holds a value for each.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::collections::BTreeMap;

use linkspec::{
    facts::{Facts, Origin},
    plan::{Selection, plan},
    spec::{load_texts, spec_schema},
    verdict::{Evidence, judge},
};

/// Keys that only choose what the others are asked of.
const CHOOSE: [&str; 1] = ["devices"];

const EVERY_KIND: &str = include_str!("../fuzz/shared/every-kind.yaml");

/// The lines of a kind in `every-kind.yaml`, each by its key.
fn lines(kind: &str) -> BTreeMap<&'static str, &'static str> {
    let head = format!("    {kind}:");
    let below = EVERY_KIND.lines().skip_while(|line| *line != head).skip(1);
    let lines = below.map_while(|line| line.strip_prefix("      "));
    lines.map(|line| (line.split_once(':').unwrap().0, line)).collect()
}

/// The names of a kind's keys, as the schema has them.
fn keys(kind: &str) -> Vec<String> {
    spec_schema()["$defs"][kind]["properties"].as_object().unwrap().keys().cloned().collect()
}

/// What the judge says of one key on a machine of which nothing is known.
fn says_something(kind: &str, line: &str) -> bool {
    let spec = format!("linkspec: 1\nsuite: one-key\ntests:\n  - name: one\n    {kind}:\n      {line}\n");
    let suite = load_texts(&[("one-key.yaml", &spec)], &[]).unwrap().suite.unwrap();
    let cases = plan(&suite, &Selection::default()).unwrap().cases;
    let facts = Facts::new(Origin::Saved { path: "nothing".into() });
    let collectives = BTreeMap::new();
    let evidence =
        Evidence { before: &facts, after: None, command: None, collectives: &collectives, operator: None, live: false };
    cases.iter().any(|case| !judge(case, &evidence).findings.is_empty())
}

#[test]
fn every_key_of_the_schema_is_judged() {
    for kind in ["gpu", "host", "rdma_ports"] {
        let lines = lines(kind);
        for key in keys(kind) {
            let line = lines.get(key.as_str());
            let line = line.unwrap_or_else(|| panic!("fuzz/shared/every-kind.yaml has no `{key}` in `{kind}`"));
            assert!(
                CHOOSE.contains(&key.as_str()) || says_something(kind, line),
                "`{kind}: {{ {line} }}` asks nothing"
            );
        }
    }
}
