//! The files of a spec to one tree: includes, parameters and `extends` are gone from it.

use super::{
    Node, NodeValue, Place, SpecError,
    decoder::Errors,
    extends::{FileTests, combine},
    gather::gather,
    parameters::Parameters,
};

pub(super) use super::gather::{Include, SourceFile};

/// A test and the `defaults` that reach it.
#[derive(Clone, Debug)]
pub(super) struct ResolvedTest {
    /// The test, without `extends`.
    pub(super) node: Node,
    /// The `defaults` of its file.
    pub(super) defaults: Option<Node>,
}

/// A spec in one piece.
#[derive(Debug)]
pub(super) struct Resolved {
    /// The root file without `include`, `params`, `defaults`, `tests` and `sources`.
    pub(super) root: Node,
    /// The tests of all files, included ones first.
    pub(super) tests: Vec<ResolvedTest>,
    /// The sources of all files; the includer's win.
    pub(super) sources: Vec<(String, Place, Node)>,
    /// Whether the root file is a fragment, which has no name and runs only where it is included.
    pub(super) is_fragment: bool,
    /// Where a parameter stands whose value is not known, and the root if its tests are lost: an error there only
    /// follows from one that is told.
    pub(super) unreadable: Vec<Place>,
}

/// Combines a root file and what it includes. None where a file, or the tests of one, are missing: what is told then
/// of names that are not known could follow from that only.
pub(super) fn resolve(
    root: SourceFile,
    include: &Include<'_>,
    arguments: &[(String, String)],
    errors: &mut Errors,
) -> Option<Resolved> {
    let mut files = gather(root, include, errors)?;
    let tables: Vec<Node> = files.iter_mut().filter_map(|file| take(file, "params")).collect();
    let mut parameters = Parameters::read(&tables, arguments, errors);
    for file in &mut files {
        parameters.substitute(file, errors);
    }
    parameters.check_used(errors);
    let sources = sources(&mut files, errors);
    let tests: Vec<Option<FileTests>> = files.iter_mut().map(|file| file_tests(file, errors)).collect();
    let files_tests = tests.into_iter().collect::<Option<Vec<_>>>()?;
    let has_tests = files_tests.iter().any(|file| !file.tests.is_empty());
    let tests = combine(files_tests, errors);
    let root = files.pop()?;
    let mut unreadable = parameters.into_unreadable();
    if has_tests && tests.is_empty() {
        unreadable.push(root.place.clone());
    }
    let is_fragment = root.entry("suite").is_none_or(|suite| suite.value == NodeValue::Null);
    if is_fragment && let Some(entries) = root.entries() {
        refuse_suite_keys(entries, errors);
    }
    Some(Resolved { root, tests, sources, is_fragment, unreadable })
}

fn take(file: &mut Node, key: &str) -> Option<Node> {
    file.take(key).map(|(_, node)| node)
}

/// What belongs to a suite has no meaning in a root file that is none.
fn refuse_suite_keys(entries: &[(String, Place, Node)], errors: &mut Errors) {
    for (name, place, _) in entries.iter().filter(|(name, ..)| matches!(name.as_str(), "machine" | "title")) {
        let error = SpecError::new(place, name.chars().count(), format!("`{name}` stands in a suite only"));
        errors.0.push(error.with_help("name the suite with `suite: NAME`"));
    }
}

fn sources(files: &mut [Node], errors: &mut Errors) -> Vec<(String, Place, Node)> {
    let mut sources: Vec<(String, Place, Node)> = Vec::new();
    for node in files.iter_mut().filter_map(|file| take(file, "sources")) {
        let kind = node.kind();
        let NodeValue::Map(entries) = node.value else {
            errors.0.push(SpecError::new(&node.place, 1, format!("expected a map of sources, found {kind}")));
            continue;
        };
        for source in entries {
            match sources.iter_mut().find(|(name, ..)| *name == source.0) {
                Some(known) => *known = source,
                None => sources.push(source),
            }
        }
    }
    sources
}

/// None where the tests are no list.
fn file_tests(file: &mut Node, errors: &mut Errors) -> Option<FileTests> {
    let defaults = take(file, "defaults");
    match take(file, "tests") {
        None => Some(FileTests { tests: Vec::new(), defaults }),
        Some(Node { value: NodeValue::List(tests), .. }) => Some(FileTests { tests, defaults }),
        Some(other) => {
            errors.at(&other, format!("expected a list of tests, found {}", other.kind()));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::tree::shown;

    /// Resolves files held in memory; the first is the root. A name with `./` in front is the same file.
    fn resolved(files: &[(&str, &str)], arguments: &[(&str, &str)]) -> (Option<Resolved>, Vec<String>) {
        let read = |name: &str| {
            let identity = name.trim_start_matches("./");
            let found = files.iter().find(|(known, _)| *known == identity);
            found.map(|(_, text)| SourceFile {
                identity: identity.to_owned(),
                name: name.into(),
                text: (*text).to_owned(),
            })
        };
        let include = |_: &SourceFile, name: &str| read(name).ok_or((format!("no file {name}"), None));
        let arguments: Vec<(String, String)> =
            arguments.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let mut errors = Errors::default();
        let resolved = resolve(read(files[0].0).expect("a root"), &include, &arguments, &mut errors);
        let messages = errors.0.iter().map(|error| format!("{}: {}", error.place, error.message));
        (resolved, messages.collect())
    }

    fn good(files: &[(&str, &str)]) -> Resolved {
        let (resolved, errors) = resolved(files, &[]);
        assert_eq!(errors, [""; 0]);
        resolved.expect("a spec")
    }

    fn bad(files: &[(&str, &str)]) -> Vec<String> {
        resolved(files, &[]).1
    }

    fn tests_of(resolved: &Resolved) -> Vec<String> {
        resolved.tests.iter().map(|test| shown(&test.node)).collect()
    }

    #[test]
    fn includes_come_first_in_order_and_depth_first() {
        let spec = good(&[
            ("r", "linkspec: 1\nsuite: s\ninclude: [a, b]\ntests: [{ name: r }]"),
            ("a", "linkspec: 1\ninclude: [c]\ntests: [{ name: a }]"),
            ("b", "linkspec: 1\ntests: [{ name: b }]"),
            ("c", "linkspec: 1\ntests: [{ name: c }]"),
        ]);
        assert_eq!(tests_of(&spec), ["{name: c}", "{name: a}", "{name: b}", "{name: r}"]);
        assert_eq!(shown(&spec.root), "{linkspec: 1, suite: s}");
        assert!(!spec.is_fragment);
    }

    #[test]
    fn a_file_is_read_once_however_it_is_named() {
        let spec = good(&[
            ("r", "linkspec: 1\nsuite: s\ninclude: [a, ./a, b]"),
            ("a", "linkspec: 1\ntests: [{ name: a }]"),
            ("b", "linkspec: 1\ninclude: [./a]"),
        ]);
        assert_eq!(tests_of(&spec), ["{name: a}"]);
    }

    #[test]
    fn a_circle_is_an_error_that_names_the_chain() {
        let errors = bad(&[
            ("r", "linkspec: 1\nsuite: s\ninclude: [a]"),
            ("a", "linkspec: 1\ninclude: [b]"),
            ("b", "linkspec: 1\ninclude: [./a]"),
        ]);
        assert_eq!(errors, ["b:2:11: the files include each other in a circle: a -> b -> ./a"]);
        let errors = bad(&[("r", "linkspec: 1\nsuite: s\ninclude: [r]")]);
        assert_eq!(errors, ["r:3:11: the files include each other in a circle: r -> r"]);
    }

    #[test]
    fn a_long_chain_of_includes_ends_in_an_error() {
        let names: Vec<String> = (0..100).map(|n| format!("f{n}")).collect();
        let texts: Vec<String> = (1..=100).map(|n| format!("linkspec: 1\ninclude: [f{n}]")).collect();
        let files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
        assert_eq!(bad(&files), ["f31:2:11: includes nest deeper than 32 files"]);
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error_where_it_is_included() {
        assert_eq!(bad(&[("r", "linkspec: 1\nsuite: s\ninclude: [x]")]), ["r:3:11: no file x"]);
        assert_eq!(
            bad(&[("r", "linkspec: 1\nsuite: s\ninclude: x")]),
            ["r:3:10: expected a list of files, found a plain value"]
        );
    }

    #[test]
    fn an_included_file_is_a_fragment() {
        let errors = bad(&[
            ("r", "linkspec: 1\nsuite: s\ninclude: [a, b, c]"),
            ("a", "linkspec: 1\nsuite: a\nmachine: {}\ntest: []"),
            ("b", "linkspec: 2"),
            ("c", "[]"),
        ]);
        assert_eq!(
            errors,
            [
                "a:2:1: an included file is a fragment and has no `suite`",
                "a:3:1: an included file is a fragment and has no `machine`",
                "a:4:1: unknown key `test` in a fragment",
                "b:1:11: this linkspec reads version 1 of the language, the file is of version 2",
                "c:1:1: expected a spec, which is a map, found a list",
            ]
        );
    }

    #[test]
    fn errors_of_every_included_file_are_told_at_once() {
        let errors = bad(&[
            ("r", "linkspec: 1\nsuite: s\ninclude: [a, b, c]"),
            ("a", "linkspec: 1\nlinkspec: 1"),
            ("b", "a: [1"),
            ("c", "tests: []"),
        ]);
        assert_eq!(errors.len(), 3, "{errors:?}");
    }

    #[test]
    fn without_one_of_its_files_or_lists_of_tests_a_spec_is_not_resolved() {
        let (spec, errors) = resolved(&[("r", "linkspec: 1\nsuite: s\ninclude: [x]\ntests: [{ name: $of_x }]")], &[]);
        assert_eq!((spec.is_none(), errors.len()), (true, 1));
        let (spec, errors) = resolved(&[("r", "linkspec: 1\nsuite: s\ntests: 1")], &[]);
        assert!(spec.is_none());
        assert_eq!(errors, ["r:3:8: expected a list of tests, found a plain value"]);
    }

    #[test]
    fn the_includer_wins_for_params_and_sources_and_the_command_line_over_both() {
        let files = [
            (
                "r",
                "linkspec: 1\nsuite: s\ninclude: [a]\nparams: { n: { type: integer, default: 2 } }\nsources: { x: { url: r } }",
            ),
            (
                "a",
                "linkspec: 1\nparams: { n: { type: integer, default: 1 }, m: { type: integer, default: 1 } }\nsources: { x: { url: a }, y: { url: a } }\ntests: [{ name: a, n: $n, m: $m }]",
            ),
        ];
        let spec = good(&files);
        assert_eq!(tests_of(&spec), ["{name: a, n: 2, m: 1}"]);
        let sources: Vec<String> =
            spec.sources.iter().map(|(name, _, node)| format!("{name} {}", shown(node))).collect();
        assert_eq!(sources, ["x {url: r}", "y {url: a}"]);
        let (spec, errors) = resolved(&files, &[("n", "3")]);
        assert_eq!((tests_of(&spec.expect("a spec")), errors), (vec!["{name: a, n: 3, m: 1}".to_owned()], vec![]));
    }

    #[test]
    fn defaults_reach_only_the_tests_of_their_file() {
        let spec = good(&[
            ("r", "linkspec: 1\nsuite: s\ninclude: [a]\ntests: [{ name: r }]\ndefaults: { pin: none }"),
            ("a", "linkspec: 1\ntests: [{ name: a }]"),
        ]);
        let defaults: Vec<Option<String>> = spec.tests.iter().map(|test| test.defaults.as_ref().map(shown)).collect();
        assert_eq!(defaults, [None, Some("{pin: none}".to_owned())]);
    }

    #[test]
    fn a_root_file_without_a_name_is_a_fragment() {
        assert!(good(&[("r", "linkspec: 1\ntests: [{ name: r }]")]).is_fragment);
        assert_eq!(bad(&[("r", "linkspec: 1\nmachine: {}")]), ["r:2:1: `machine` stands in a suite only"]);
    }

    #[test]
    fn every_file_says_the_version() {
        let errors = bad(&[("r", "suite: s\ninclude: [a]"), ("a", "tests: []")]);
        let message = "the file lacks the key `linkspec`, the version of the language";
        assert_eq!(errors, [format!("r:1:1: {message}"), format!("a:1:1: {message}")]);
    }

    #[test]
    fn places_of_unknown_values_are_kept() {
        let (spec, errors) = resolved(&[("r", "linkspec: 1\nsuite: s\ntests: [{ name: $x }]")], &[]);
        assert_eq!(errors, ["r:3:17: the parameter `$x` is not defined"]);
        assert_eq!(spec.expect("a spec").unreadable.len(), 1);
    }
}
