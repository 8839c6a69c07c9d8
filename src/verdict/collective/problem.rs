use crate::verdict::FindingCode;

/// Why a measurement cannot pass, whatever its rows say; they can fail a case all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::verdict) struct Problem {
    /// The code of the error.
    pub code: FindingCode,
    /// The problem as a sentence.
    pub message: String,
}

impl Problem {
    /// A problem.
    pub fn new(code: FindingCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
