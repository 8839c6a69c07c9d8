//! Reads a test: its common keys, the defaults of its file, and its one kind.

use std::sync::Arc;

use super::{
    AxisKey, Kind, Level, Matrix, Node, NodeValue, Override, Placed, SkipWhen, Test,
    cell_kinds::add_new,
    decode_defaults::{self as defaults, Common},
    decode_matrix,
    decoder::{Errors, MapReader, listed},
    kind::KINDS,
    resolve::ResolvedTest,
    rule::Rule,
    shape::{Key, Shape, key, names, required},
    values,
};
use crate::units::Span;

/// The guard of every suite has this name.
const RESERVED: &str = "machine";

/// The form of the names of suites and tests.
pub(super) const NAME: Shape = Shape::Pattern("^[a-z0-9-]+$", "all-reduce");

/// The keys that every kind of test can have.
const COMMON: &[Key] = &[
    required("name", NAME, "the name: a-z, 0-9 and -; unique in the suite"),
    key("title", Shape::Text, "a title for people"),
    defaults::LEVEL,
    defaults::TAGS,
    defaults::ENV,
    defaults::PIN,
    defaults::GPUS,
    defaults::TIMEOUT,
    key("duration", Shape::Duration, "how long a test of level soak goes on"),
    defaults::RETRIES_KEY,
    key("skip_when", super::skip::SHAPE, "facts of machines on which the test is skipped, and the reason"),
    key("ignore", Shape::Text, "why the test is left out unless it is asked for"),
    key("matrix", Shape::NotEmpty(decode_matrix::KEYS), "what is crossed: every cell is a case"),
    key("hint", Shape::Text, "what to look at when it fails"),
    key("extends", Shape::Boolean, "the test changes the included test of its name"),
];

/// The keys of a test.
pub(super) const KEYS: &[Key] = &joined();

/// What a test can be. One that changes an included test says only what changes, and nothing of this holds for it.
pub(super) const SHAPE: Shape = Shape::Ruled(KEYS, RULES);

/// The kinds' names.
pub(super) const KIND_NAMES: &[&str] = &key_names();

const RULES: &[Rule] = &[
    Rule::OneOf(KIND_NAMES),
    Rule::NeverIs("name", RESERVED),
    Rule::Partner { key: "duration", of: "level", word: "soak", words: &names(&Level::NAMES) },
    Rule::Needs { map: "matrix", keys: decode_matrix::COLLECTIVE_AXES, needs: &["collective"] },
    Rule::Needs { map: "matrix", keys: &["override"], needs: EXPECTING },
];

/// The kinds that have `expect`.
pub(super) const EXPECTING: &[&str] = &["collective", "copy"];

const fn key_names() -> [&'static str; KINDS.len()] {
    let mut names = [""; KINDS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = KINDS[at].name;
        at += 1;
    }
    names
}

const fn joined() -> [Key; COMMON.len() + KINDS.len()] {
    let mut keys = [const { key("", Shape::Null, "") }; COMMON.len() + KINDS.len()];
    let mut at = 0;
    while at < keys.len() {
        keys[at] = if at < COMMON.len() { COMMON[at] } else { KINDS[at - COMMON.len()] };
        at += 1;
    }
    keys
}

/// A test, and every kind that its cells come to.
pub(super) struct DecodedTest {
    /// The test.
    pub(super) test: Test,
    /// What is checked in its cells.
    pub(super) kinds: Vec<Arc<Kind>>,
}

/// Reads a test. Errors of `defaults`, which many tests share, are added once.
pub(super) fn decode(resolved: &ResolvedTest, errors: &mut Errors) -> Option<DecodedTest> {
    let before = errors.0.len();
    let reader = MapReader::open(&resolved.node, "a test", KEYS, errors)?;
    // A key that is unknown may be a misspelt kind: that none is there would only follow from it.
    let keys_known = errors.0.len() == before;
    let name = reader.read("name", errors, test_name);
    let common = Common::read(&reader, errors);
    let shared = shared(resolved, errors);
    let level = common.level.or(shared.level).unwrap_or_default();
    let duration = duration(&reader, level, errors);
    let skip_when = reader.placed("skip_when", errors, SkipWhen::decode);
    let [title, ignore, hint] = ["title", "ignore", "hint"].map(|key| reader.read(key, errors, values::text));
    let kind = one_kind(&reader, keys_known, errors);
    let (matrix, overrides) = matrix(&reader, kind.map(|(name, _)| name), errors);
    let (kind_name, kind_node) = kind?;
    let kind = base_kind(kind_name, kind_node, &reader, matrix.as_ref(), errors);
    if errors.0.len() > before {
        return None;
    }
    let test = Test {
        name: name?,
        title,
        level,
        tags: common.tags.or(shared.tags).unwrap_or_default(),
        environment: common.environment,
        default_environment: shared.environment,
        pin: common.pin.or(shared.pin).unwrap_or_default(),
        gpus: common.gpus.or(shared.gpus).unwrap_or_default(),
        timeout: common.timeout.or(shared.timeout),
        duration,
        retries: common.retries.or(shared.retries),
        skip_when,
        ignore,
        hint,
        matrix,
        overrides,
        kind: Arc::new(kind?),
        place: resolved.node.place.clone(),
        kind_node: kind_node.clone(),
    };
    let kinds = test.every_kind(errors);
    (errors.0.len() == before).then_some(DecodedTest { test, kinds })
}

fn shared(resolved: &ResolvedTest, errors: &mut Errors) -> Common {
    let Some(node) = &resolved.defaults else { return Common::default() };
    let mut found = Errors::default();
    let shared = Common::decode(node, &mut found);
    add_new(errors, found.0);
    shared.unwrap_or_default()
}

/// A name of a suite or a test.
pub(super) fn name(node: &Node, errors: &mut Errors) -> Option<String> {
    let text = values::text(node, errors)?;
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if text.is_empty() || !text.bytes().all(plain) {
        errors.at_with_help(node, format!("`{text}` cannot be a name"), "names have a-z, 0-9 and - only");
        return None;
    }
    Some(text)
}

fn test_name(node: &Node, errors: &mut Errors) -> Option<String> {
    let name = name(node, errors)?;
    if name == RESERVED {
        errors.at(node, format!("the name `{RESERVED}` is taken by the guard that every suite has"));
        return None;
    }
    Some(name)
}

fn duration(reader: &MapReader<'_>, level: Level, errors: &mut Errors) -> Option<Placed<Span>> {
    match (level, reader.get("duration")) {
        (Level::Soak, None) => {
            errors.at_with_help(reader.node(), "a test of level soak needs `duration`", "such as duration: 12h");
        }
        (Level::Quick | Level::Standard | Level::Full, Some(node)) => {
            errors.at(node, format!("`duration` is for tests of level soak, and this one is {level}"));
        }
        _ => {}
    }
    reader.placed("duration", errors, defaults::span)
}

/// The one key that says what kind of test it is, and its value.
fn one_kind<'a>(reader: &MapReader<'a>, keys_known: bool, errors: &mut Errors) -> Option<(&'static str, &'a Node)> {
    let found: Vec<(&'static str, &'a Node)> =
        KINDS.iter().filter_map(|kind| reader.get(kind.name).map(|node| (kind.name, node))).collect();
    match &found[..] {
        [kind] => Some(*kind),
        [] if !keys_known => None,
        [] => {
            let help = format!("a test has {}", listed(&KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>()));
            errors.at_with_help(reader.node(), "the test says nothing to check", help);
            None
        }
        _ => {
            let names: Vec<String> = found.iter().map(|(name, _)| format!("`{name}`")).collect();
            let message = format!("a test has one kind, and this one has {}", names.join(" and "));
            errors.at_with_help(reader.node(), message, "make a test of each");
            None
        }
    }
}

fn matrix(reader: &MapReader<'_>, kind: Option<&str>, errors: &mut Errors) -> (Option<Matrix>, Vec<Override>) {
    // Without a kind, what only some kinds have is let through: the missing kind is the error.
    let kind = kind.unwrap_or("collective");
    match reader.read("matrix", errors, |node, errors| decode_matrix::decode(node, kind, errors)) {
        Some((matrix, overrides)) => (Some(matrix), overrides),
        None => (None, Vec::new()),
    }
}

/// The kind before any override. Where the cells alone say the operation, the first of them stands for it.
fn base_kind(
    name: &str,
    node: &Node,
    reader: &MapReader<'_>,
    matrix: Option<&Matrix>,
    errors: &mut Errors,
) -> Option<Kind> {
    let operation = AxisKey::Operation;
    let crossed = reader.get("matrix").and_then(|matrix| set_entry(matrix, operation.name()));
    let (Some(crossed), NodeValue::Map(entries)) = (crossed, &node.value) else {
        return Kind::decode(name, node, errors);
    };
    if name != "collective" || set_entry(node, operation.name()).is_some() {
        return Kind::decode(name, node, errors);
    }
    let axis = matrix.and_then(|matrix| matrix.axes.iter().find(|axis| axis.key == operation));
    let first = axis.and_then(|axis| axis.values.iter().flatten().next());
    let value = crossed.replaced_by(first.map_or("all_reduce", String::as_str));
    let mut entries = entries.clone();
    entries.retain(|(key, _, _)| key != operation.name());
    entries.push((operation.name().to_owned(), crossed.place.clone(), value));
    Kind::decode(name, &Node { value: NodeValue::Map(entries), ..node.clone() }, errors)
}

/// The value of a key of a map; `~` counts as not there.
fn set_entry<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    node.entry(name).filter(|node| node.value != NodeValue::Null)
}
