use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{config, result, source::Source};
use crate::{
    evidence::{Measurement, OutOfBounds},
    facts::{Damage, is_kept_variable},
    units::Version,
};

/// The whole file of nccl-tests, in the order in which it is written.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    version: Option<&'a RawValue>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    env: Option<&'a RawValue>,
    #[serde(borrow)]
    nccl_version: Option<&'a RawValue>,
    #[serde(borrow)]
    config: Option<&'a RawValue>,
    #[serde(borrow)]
    results: Option<&'a RawValue>,
    #[serde(borrow)]
    out_of_bounds: Option<&'a RawValue>,
    #[serde(borrow)]
    end_time: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct OutOfBoundsPart {
    count: u64,
    okay: String,
}

/// The newest `version` of the file whose keys are known; the keys read here are the same since 1.
const NEWEST: u64 = 3;

pub(super) fn read<'a>(value: &'a RawValue, source: &Source<'a>) -> Result<Measurement, Damage> {
    // The damage of the whole file quotes nothing of it: the environment is in it.
    let of_file = |reason: String| Damage::of_file(source.file, reason);
    if !value.get().starts_with('{') {
        return Err(of_file("it is no object".to_owned()));
    }
    let document: Document<'a> =
        serde_json::from_str(value.get()).map_err(|error| of_file(super::source::cause(&error)))?;
    if document.config.is_none() && document.results.is_none() {
        return Err(of_file("it has neither config nor results of nccl-tests".to_owned()));
    }
    let mut measurement = Measurement { tool: Some("nccl-tests".to_owned()), ..super::nothing(source.file) };
    header(&document, source, &mut measurement);
    if let Some(part) = document.config {
        config::read(part, source, &mut measurement);
    }
    if let Some(part) = document.results {
        result::read(part, source, &mut measurement);
    }
    footer(&document, source, &mut measurement);
    Ok(measurement)
}

fn header<'a>(document: &Document<'a>, source: &Source<'a>, measurement: &mut Measurement) {
    let version = document.version.and_then(|version| version.get().parse().ok());
    measurement.rows_doubt = match version {
        Some(1..=NEWEST) => None,
        Some(version) => Some(format!("it is of version {version} of nccl-tests' JSON, known is up to {NEWEST}")),
        None => Some("it names no version of nccl-tests' JSON".to_owned()),
    };
    // Neither list is quoted: any variable or password may stand in it.
    let texts = |part: &RawValue| serde_json::from_str::<Vec<String>>(part.get()).ok();
    let unreadable = |key: &str| Damage::of_file(source.file, format!("{key}: it is no list of texts"));
    match document.args.map(texts) {
        Some(Some(arguments)) => measurement.operation = arguments.first().and_then(|program| operation(program)),
        Some(None) => measurement.damage.push(unreadable("args")),
        None => {}
    }
    measurement.library = document.nccl_version.and_then(|code| library(code.get().parse().ok()?));
    // The library's version is written right after the environment: with it, the list was not cut.
    let variables = document.env.filter(|_| document.nccl_version.is_some());
    match variables.map(texts) {
        Some(Some(variables)) => measurement.environment = Some(kept(&variables)),
        Some(None) => measurement.damage.push(unreadable("env")),
        None => {}
    }
}

fn footer<'a>(document: &Document<'a>, source: &Source<'a>, measurement: &mut Measurement) {
    match document.out_of_bounds.map(|part| (part, source.part::<OutOfBoundsPart>(part, "out_of_bounds"))) {
        Some((_, Ok(OutOfBoundsPart { count, okay }))) if matches!(okay.as_str(), "true" | "false") => {
            measurement.out_of_bounds = Some(OutOfBounds { count, ok: okay == "true" });
        }
        Some((part, Ok(_))) => {
            measurement.damage.push(source.damage(part, "out_of_bounds.okay is neither \"true\" nor \"false\""));
        }
        Some((_, Err(damage))) => measurement.damage.push(damage),
        None => {}
    }
    measurement.unfinished = if document.end_time.is_none() {
        Some("it has no end_time: the run was stopped".to_owned())
    } else if document.out_of_bounds.is_none() {
        Some("it has no out_of_bounds: the run was stopped".to_owned())
    } else {
        None
    };
}

/// `all_reduce` of `/opt/nccl-tests/build/all_reduce_perf`; `None` for a program that is none of nccl-tests.
fn operation(program: &str) -> Option<String> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let (operation, _) = name.split_once("_perf")?;
    (!operation.is_empty()).then(|| operation.to_owned())
}

/// `ncclGetVersion`'s code: major, minor, patch, with two digits for the minor number since 2.9.
fn library(code: u32) -> Option<Version> {
    let scale = if code < 10_000 { 1000 } else { 10_000 };
    let version = format!("{}.{}.{}", code / scale, code % scale / 100, code % 100);
    version.parse().ok().filter(|_| code >= 1000)
}

/// The variables that may be kept. Of one that stands twice the first counts, as for `getenv`.
fn kept(variables: &[String]) -> BTreeMap<String, String> {
    let mut kept = BTreeMap::new();
    for (name, value) in variables.iter().filter_map(|variable| variable.split_once('=')) {
        if is_kept_variable(name) {
            kept.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
    kept
}
