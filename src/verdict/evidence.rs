use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{evidence::CollectiveEvidence, facts::Facts, plan::OperatorEnvironment};

/// What a case is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The machine before the first case.
    pub before: &'a Facts,
    /// The machine after the last case, where it was read: counters are judged by their growth.
    pub after: Option<&'a Facts>,
    /// What the program of a `command` test gave.
    pub command: Option<&'a CommandOutput>,
    /// What was measured for the collective cases of this run that have ended, by their short names.
    pub collectives: &'a BTreeMap<String, CollectiveEvidence>,
    /// What the operator and the shell gave the measuring processes, where this run started them.
    pub operator: Option<&'a OperatorEnvironment>,
    /// Whether this is the machine that linkspec runs on. What can't be identified there is not judged.
    pub live: bool,
}

/// What a program gave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandOutput {
    /// The exit code; `None` where a signal ended it or a saved output does not show it.
    pub exit: Option<i32>,
    /// Standard output, shortened.
    pub stdout: String,
    /// Standard error, shortened.
    pub stderr: String,
    /// Why it was not run, or did not end, as a fragment.
    pub problem: Option<String>,
}
