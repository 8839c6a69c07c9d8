//! `run.json` and `facts.json`: the record and the facts as they are, and back.

use serde::{Deserialize, Serialize};

use crate::{facts::Facts, record::RunRecord};

/// A text that is no record of a run.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not of the format.
    #[error("not the record of a run: {0}")]
    Format(serde_json::Error),
    /// A later linkspec wrote it.
    #[error(
        "written by linkspec {linkspec} in version {version} of the format; this linkspec reads up to version {known}"
    )]
    Newer {
        /// The version of its format.
        version: u32,
        /// The version that this linkspec knows.
        known: u32,
        /// The linkspec that wrote it.
        linkspec: String,
    },
}

/// What every version of the format has in the same place.
#[derive(Deserialize)]
struct Versions {
    header: HeaderVersions,
}

#[derive(Deserialize)]
struct HeaderVersions {
    version: u32,
    linkspec: String,
    facts: FactsVersion,
}

#[derive(Deserialize)]
struct FactsVersion {
    version: u32,
}

/// The record as `run.json`.
pub fn render(record: &RunRecord) -> Result<String, serde_json::Error> {
    pretty(record)
}

/// Facts as `facts.json`.
pub fn render_facts(facts: &Facts) -> Result<String, serde_json::Error> {
    pretty(facts)
}

fn pretty(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(text)
}

/// The record that a `run.json` holds.
pub fn read(text: &str) -> Result<RunRecord, ReadError> {
    if let Ok(Versions { header }) = serde_json::from_str(text) {
        for (version, known) in [(header.version, RunRecord::VERSION), (header.facts.version, Facts::VERSION)] {
            if version > known {
                return Err(ReadError::Newer { version, known, linkspec: header.linkspec });
            }
        }
    }
    serde_json::from_str(text).map_err(ReadError::Format)
}
