use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::Facts;

/// What a case is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The facts before the first case.
    pub before: &'a Facts,
    /// The facts after the others, where they were read.
    pub after: Option<&'a Facts>,
    /// What the program of a `command` test did.
    pub command: Option<&'a CommandOutput>,
    /// Whether the machine itself is judged, not what was saved of one.
    pub live: bool,
}

/// What a program did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandOutput {
    /// The exit code; `None` where it is not known, or a signal ended it.
    pub exit: Option<i32>,
    /// Standard output, capped.
    pub stdout: String,
    /// Standard error, capped.
    pub stderr: String,
    /// Why it did not run or did not end, as a fragment.
    pub problem: Option<String>,
}
