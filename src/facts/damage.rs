use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of a tool's output that could not be relied on and therefore gave no facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Damage {
    /// The file, as named in the folder of saved outputs.
    pub file: String,
    /// The line in it, from 1; 0 where the damage is that something is missing from the whole file.
    pub line: u32,
    /// The line as it stands, without control characters, shortened.
    pub quote: String,
    /// What is wrong with it, as a fragment.
    pub reason: String,
}

/// Longer quotes are cut here, so that a damaged binary does not flood a report.
const LONGEST_QUOTE: usize = 160;

impl Damage {
    /// Damage on one line of a file.
    pub fn new(file: &str, line: usize, quote: &str, reason: impl Into<String>) -> Self {
        let quote: String = quote.chars().filter(|c| !c.is_control() || *c == '\t').take(LONGEST_QUOTE).collect();
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        Self { file: file.to_owned(), line, quote: quote.replace('\t', " ").trim().to_owned(), reason: reason.into() }
    }

    /// Something that the whole file lacks.
    pub fn of_file(file: &str, reason: impl Into<String>) -> Self {
        Self::new(file, 0, "", reason)
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.reason),
            line => write!(f, "{}:{line}: {}: {:?}", self.file, self.reason, self.quote),
        }
    }
}
