//! The keys that a test and the `defaults` of its file share, and how they are read.

use super::{
    EnvironmentMap, GpuSelection, Level, Node, ParameterKind, Pin, Placed, Retries,
    decoder::{Errors, MapReader},
    environment, pin, selection,
    shape::{Key, Shape, key, names, required},
    values,
};
use crate::units::Span;

const FLAKY: [(&str, bool); 2] = [("fail", false), ("pass", true)];

const RETRIES: &[Key] = &[
    required("count", Shape::AtLeast(1), "how many more tries there are, 1 at least"),
    key("flaky", Shape::Words(&names(&FLAKY)), "whether a later success passes; fail"),
];

/// `env`.
pub(super) const ENV: Key =
    key("env", environment::SHAPE, "environment variables; ~ removes one, { per_rank: [...] } differs by rank");
/// `pin`.
pub(super) const PIN: Key =
    key("pin", pin::SHAPE, "where ranks are placed: gpu-local (default), gpu-remote, node:N, cpus:LIST, none");
/// `gpus`.
pub(super) const GPUS: Key =
    key("gpus", selection::SHAPE, "which GPUs are used: all (default), a count, a list, a range such as \"4-7\"");
/// `timeout`.
pub(super) const TIMEOUT: Key = key("timeout", Shape::Duration, "the longest that a case may take");
/// `retries`.
pub(super) const RETRIES_KEY: Key = key("retries", Shape::Map(RETRIES), "whether a failed case is tried again");
/// `level`.
pub(super) const LEVEL: Key =
    key("level", Shape::Words(&names(&Level::NAMES)), "how much it costs: quick, standard (default), full, soak");
/// `tags`.
pub(super) const TAGS: Key = key("tags", Shape::List(&Shape::Text), "words to select by");

/// The keys of `defaults`.
pub(super) const KEYS: &[Key] = &[ENV, PIN, GPUS, TIMEOUT, RETRIES_KEY, LEVEL, TAGS];

/// What a test, or the defaults for those that do not say, can set.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// `env`.
    pub(super) environment: EnvironmentMap,
    /// `pin`.
    pub(super) pin: Option<Pin>,
    /// `gpus`.
    pub(super) gpus: Option<GpuSelection>,
    /// `timeout`.
    pub(super) timeout: Option<Placed<Span>>,
    /// `retries`.
    pub(super) retries: Option<Placed<Retries>>,
    /// `level`.
    pub(super) level: Option<Level>,
    /// `tags`.
    pub(super) tags: Option<Vec<String>>,
}

impl Common {
    /// Reads `defaults`.
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        MapReader::open(node, "`defaults`", KEYS, errors).map(|reader| Self::read(&reader, errors))
    }

    /// Reads the shared keys of an open map.
    pub(super) fn read(reader: &MapReader<'_>, errors: &mut Errors) -> Self {
        Self {
            environment: reader.read(ENV.name, errors, environment::environment).unwrap_or_default(),
            pin: reader.read(PIN.name, errors, Pin::decode),
            gpus: reader.read(GPUS.name, errors, GpuSelection::decode),
            timeout: reader.placed(TIMEOUT.name, errors, span),
            retries: reader.placed(RETRIES_KEY.name, errors, retries),
            level: reader.read(LEVEL.name, errors, |node, errors| values::word(node, "level", &Level::NAMES, errors)),
            tags: reader.read(TAGS.name, errors, |node, errors| values::list(node, "tags", errors, values::text)),
        }
    }
}

/// A time that is not zero.
pub(super) fn span(node: &Node, errors: &mut Errors) -> Option<Span> {
    let span: Span = values::unit(node, ParameterKind::Duration, "a time such as 30s or 5m", errors)?;
    if span.0.is_zero() {
        errors.at(node, "the time is 0, so that nothing could run");
        return None;
    }
    Some(span)
}

fn retries(node: &Node, errors: &mut Errors) -> Option<Retries> {
    let reader = MapReader::open(node, "`retries`", RETRIES, errors)?;
    let count = reader.read("count", errors, |node, errors| {
        let count: u32 = values::integer(node, errors)?;
        if count == 0 {
            errors.at(node, "`retries` needs 1 more try at least");
        }
        (count > 0).then_some(count)
    });
    let flaky = reader.read("flaky", errors, |node, errors| values::word(node, "value", &FLAKY, errors));
    count.map(|count| Retries { count, flaky_passes: flaky.unwrap_or(false) })
}
