//! Reads a whole suite, once its files are one tree.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    MachineExpect, NodeValue, Placed, SpecError, Suite, decode_defaults,
    decode_test::{self, DecodedTest},
    decoder::{Errors, MapReader},
    machine, parameters,
    references::{self, Sources},
    resolve::Resolved,
    shape::{Key, Shape, key, required},
    values,
};

const VERSION: Key = required("linkspec", Shape::Words(&["1"]), "the version of the language: 1");
const INCLUDE: Key =
    key("include", Shape::List(&Shape::Text), "fragments that are read first: paths from this file, or pack:NAME");
const PARAMS: Key =
    key("params", Shape::MapOf(&parameters::SHAPE), "parameters, which stand as $NAME for a whole value");
const DEFAULTS: Key =
    key("defaults", Shape::Map(decode_defaults::KEYS), "what holds for the tests of this file that do not say");
const TESTS: Shape = Shape::List(&decode_test::SHAPE);
const SOURCES: Key =
    key("sources", Shape::MapOf(&Shape::MapOf(&Shape::Text)), "where figures are from, by the name that bounds use");
const TITLE: Key = key("title", Shape::Text, "a title for people");
const MACHINE: Key = key("machine", Shape::NotEmpty(machine::KEYS), "what the suite is for");

/// The keys of a suite.
pub(super) const SUITE: &[Key] = &[
    VERSION,
    required("suite", decode_test::NAME, "the name: a-z, 0-9 and -"),
    TITLE,
    INCLUDE,
    PARAMS,
    MACHINE,
    DEFAULTS,
    key("tests", TESTS, "what is tested"),
    SOURCES,
];

/// The keys of a fragment, which is made to be included.
pub(super) const FRAGMENT: &[Key] =
    &[VERSION, INCLUDE, PARAMS, DEFAULTS, key("tests", TESTS, "what is tested where this is included"), SOURCES];

/// The keys of a root file. Its version, and what a fragment cannot have, are checked where the files are gathered.
const ROOT: &[Key] = &[
    Key { required: false, ..VERSION },
    key("suite", decode_test::NAME, "the name: a-z, 0-9 and -"),
    TITLE,
    INCLUDE,
    PARAMS,
    MACHINE,
    DEFAULTS,
    key("tests", TESTS, "what is tested"),
    SOURCES,
];

impl Suite {
    /// Reads a suite. A fragment is checked in the same way, and there is none then.
    pub(super) fn decode(resolved: &Resolved, file: &Arc<str>, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let what = if resolved.is_fragment { "a fragment" } else { "a suite" };
        let reader = MapReader::open(&resolved.root, what, ROOT, errors)?;
        let name = reader.read("suite", errors, decode_test::name);
        let title = reader.read("title", errors, values::text);
        let machine = reader.placed("machine", errors, MachineExpect::decode);
        let sources = sources(resolved, errors);
        let before_tests = errors.0.len();
        let tests: Vec<DecodedTest> =
            resolved.tests.iter().filter_map(|test| decode_test::decode(test, errors)).collect();
        if resolved.tests.is_empty() && !resolved.is_fragment && before_tests == before {
            errors.at_with_help(&resolved.root, "the suite has no test", "tests stand under `tests`, in a list");
        }
        // With a test or a source missing for another error, a name could be wrong for that only.
        if errors.0.len() == before && !resolved.is_fragment {
            references::check(&tests, &sources, errors);
        }
        if errors.0.len() > before || resolved.is_fragment {
            return None;
        }
        let tests = tests.into_iter().map(|decoded| Arc::new(decoded.test)).collect();
        Some(Self { name: name?, title, file: Arc::clone(file), machine, tests, sources })
    }
}

fn sources(resolved: &Resolved, errors: &mut Errors) -> Sources {
    let mut sources = Sources::new();
    for (name, place, node) in &resolved.sources {
        let NodeValue::Map(entries) = &node.value else {
            let message = format!("expected a source, which is a map of texts, found {}", node.kind());
            let error = SpecError::new(place, name.chars().count(), message);
            errors.0.push(error.with_help("such as { url: \"https://...\", date: 2026-05 }"));
            continue;
        };
        let mut source = BTreeMap::new();
        for (key, _, value) in entries.iter().filter(|(_, _, value)| value.value != NodeValue::Null) {
            values::text(value, errors).map(|text| source.insert(key.clone(), text));
        }
        sources.insert(name.clone(), Placed { value: source, place: place.clone() });
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{AxisKey, BoundValue, Kind, Level, Operation, Place, Test, resolve::ResolvedTest, testing::flow};
    use crate::units::{Bandwidth, Size};

    /// A suite of tests in flow form, with defaults for all of them.
    fn resolved(tests: &[&str], defaults: Option<&str>) -> Resolved {
        let test = |text: &&str| ResolvedTest { node: flow(text), defaults: defaults.map(flow) };
        let source = flow("{ url: \"https://example.org\", date: 2026-05 }");
        let place = Place { file: "t.yaml".into(), line: 9, column: 3, text: "".into() };
        Resolved {
            root: flow("{ linkspec: 1, suite: s, title: T }"),
            tests: tests.iter().map(test).collect(),
            sources: vec![("azure".to_owned(), place, source)],
            is_fragment: false,
            unreadable: Vec::new(),
        }
    }

    fn read(tests: &[&str], defaults: Option<&str>) -> Result<Suite, Vec<String>> {
        let mut errors = Errors::default();
        let suite = Suite::decode(&resolved(tests, defaults), &"t.yaml".into(), &mut errors);
        let show = |error: SpecError| match error.help {
            Some(help) => format!("{} | {help}", error.message),
            None => error.message,
        };
        suite.ok_or_else(|| errors.0.into_iter().map(show).collect())
    }

    fn one_error(test: &str) -> String {
        let errors = read(&[test], None).expect_err(test);
        assert_eq!(errors.len(), 1, "{errors:?}");
        errors[0].clone()
    }

    fn collective(rest: &str) -> String {
        format!("{{ name: t, collective: {{ op: all_reduce, sizes: [1M, 1G] }}{rest} }}")
    }

    #[test]
    fn defaults_apply_where_the_test_says_nothing() {
        let defaults = "{ level: full, pin: none, tags: [a], env: { A: 1 }, timeout: 5m }";
        let suite = read(&[&collective(", pin: node:1, env: { A: 2 }")], Some(defaults)).unwrap();
        let test = &suite.tests[0];
        assert_eq!((test.level, test.pin.to_string().as_str()), (Level::Full, "node:1"));
        assert_eq!(test.tags, ["a"]);
        assert_eq!(
            (test.environment["A"].to_string(), test.default_environment["A"].to_string()),
            ("2".into(), "1".into())
        );
        assert!(test.timeout.is_some());
        assert_eq!(suite.sources["azure"].value["date"], "2026-05");
    }

    #[test]
    fn an_error_of_defaults_is_reported_once() {
        let errors = read(&[&collective(""), &collective("")], Some("{ pin: here }")).expect_err("a wrong pin");
        assert_eq!(errors.len(), 1, "{errors:?}");
    }

    #[test]
    fn wrong_tests_are_one_error_each() {
        assert!(one_error("{ name: t }").starts_with("the test says nothing to check | a test has one of `topology`"));
        assert!(one_error("{ name: t, colective: {} }").ends_with("did you mean `collective`?"));
        let two = one_error("{ name: t, collective: { op: reduce, sizes: [1] }, p2p: { read: ok } }");
        assert_eq!(two, "a test has one kind, and this one has `p2p` and `collective` | make a test of each");
        assert!(one_error("{ name: machine, p2p: { read: ok } }").contains("`machine` is taken"));
        assert!(one_error("{ name: T, p2p: { read: ok } }").starts_with("`T` cannot be a name"));
        assert!(one_error("{ p2p: { read: ok } }").starts_with("a test lacks the key `name`"));
        assert!(one_error(&collective(", level: soak")).starts_with("a test of level soak needs `duration`"));
        assert!(one_error(&collective(", duration: 1h")).contains("this one is standard"));
        assert!(one_error(&collective(", retries: { count: 0 }")).contains("1 more try"));
        assert!(one_error(&collective(", timeout: 0s")).contains("the time is 0"));
    }

    fn kind_of(test: &Test, cell: &[(&str, &str)], overrides: &[usize]) -> Result<Arc<Kind>, Vec<SpecError>> {
        let cell: Vec<(Arc<str>, Arc<str>)> =
            cell.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        test.kind_for_cell(&cell, overrides)
    }

    #[test]
    fn overrides_merge_in_their_order() {
        let suite = read(
            &["{ name: t, collective: { op: all_reduce, sizes: [1M, 1G], expect: { busbw: { 1M: 1 GB/s, 1G: 2 GB/s } } }, \
               matrix: { env: { A: [~, x] }, override: [ \
               { when: { A: x }, expect: { busbw: { 1M: ~, 1G: 3 GB/s } } }, \
               { when: { nvls: off }, expect: { busbw: { 1G: 4 GB/s } } } ] } }"],
            None,
        )
        .unwrap();
        let test = &suite.tests[0];
        assert!(Arc::ptr_eq(&kind_of(test, &[], &[]).unwrap(), &test.kind));
        for (overrides, at_1m, at_1g) in [(vec![0], None, 3.0), (vec![1, 0], None, 4.0), (vec![1], Some(1.0), 4.0)] {
            let kind = kind_of(test, &[("A", "x")], &overrides).unwrap();
            let Kind::Collective(found) = &*kind else { panic!("a collective") };
            let floor = |size: u64| match found.expect.busbw.get(&Size(size))?.value {
                BoundValue::Limits { min: Some(Bandwidth(floor)), max: None } => Some(floor),
                _ => panic!("a floor"),
            };
            assert_eq!((floor(1 << 20), floor(1 << 30)), (at_1m, Some(at_1g)), "{overrides:?}");
        }
    }

    #[test]
    fn the_cell_says_the_operation() {
        let suite =
            read(&["{ name: t, collective: { sizes: [1M] }, matrix: { op: [broadcast, reduce] } }"], None).unwrap();
        let test = &suite.tests[0];
        let kind = kind_of(test, &[(AxisKey::Operation.name(), "reduce")], &[]).unwrap();
        let Kind::Collective(found) = &*kind else { panic!("a collective") };
        assert_eq!(found.operation.value, Operation::Reduce);
        let error = one_error("{ name: t, collective: { sizes: [1M] }, matrix: { op: [~, reduce] } }");
        assert!(error.starts_with("a collective lacks the key `op`"), "{error}");
    }

    #[test]
    fn an_error_in_an_override_shows_when_the_suite_is_read() {
        let over = |expect: &str| {
            collective(&format!(
                ", matrix: {{ env: {{ A: [1, 2] }}, override: [{{ when: {{ nvls: on }}, expect: {expect} }}] }}"
            ))
        };
        assert!(one_error(&over("{ busbw: { 2M: 1 GB/s } }")).starts_with("the test does not visit the size 2M"));
        assert!(one_error(&over("{ busbv: ~ , wrong: 7 }")).starts_with("unknown value `7`"));
    }

    #[test]
    fn names_that_nothing_has_are_errors() {
        let bound = |bound: &str| {
            format!("{{ name: t, collective: {{ op: reduce, sizes: [1M], expect: {{ busbw: {{ 1M: {bound} }} }} }} }}")
        };
        assert_eq!(
            one_error(&bound("{ min: 1 GB/s, source: azur }")),
            "no source is named `azur` | did you mean `azure`?"
        );
        let share = bound("{ at_least: 80%, of: { test: other } }");
        assert_eq!(one_error(&share), "no test of the suite is named `other`");
        assert!(read(&[&bound("{ at_least: 80%, of: { test: t } }")], None).is_ok());
    }

    #[test]
    fn a_suite_needs_a_test_and_a_fragment_is_none() {
        let errors = read(&[], None).expect_err("no test");
        assert!(errors[0].starts_with("the suite has no test"), "{errors:?}");
        let mut fragment = resolved(&[], None);
        fragment.is_fragment = true;
        fragment.root = flow("{ linkspec: 1 }");
        let mut errors = Errors::default();
        assert!(Suite::decode(&fragment, &"t.yaml".into(), &mut errors).is_none());
        assert!(errors.0.is_empty());
    }
}
