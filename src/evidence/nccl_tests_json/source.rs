use serde::Deserialize;
use serde_json::value::RawValue;

use crate::facts::Damage;

/// The text that is read, and the places of its parts in it.
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    start: usize,
    line_ends: Vec<usize>,
}

/// Longer messages of the JSON reader are cut here: they quote values.
const LONGEST_CAUSE: usize = 120;

impl<'a> Source<'a> {
    pub(super) fn new(text: &str, file: &'a str) -> Self {
        let line_ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
        Self { file, start: text.as_ptr().addr(), line_ends }
    }

    /// The line on which a part of the text starts, from 1.
    pub(super) fn line(&self, part: &RawValue) -> usize {
        let offset = part.get().as_ptr().addr().saturating_sub(self.start);
        self.line_ends.partition_point(|end| *end < offset) + 1
    }

    /// A part as the type that it should have, or the damage that says why not.
    pub(super) fn part<T: Deserialize<'a>>(&self, part: &'a RawValue, path: &str) -> Result<T, Damage> {
        serde_json::from_str(part.get()).map_err(|error| self.damage(part, format!("{path}: {}", cause(&error))))
    }

    /// As [`Source::part`], of what has to be an object. What is none is not quoted: it may stand in the wrong place.
    pub(super) fn object<T: Deserialize<'a>>(&self, part: &'a RawValue, path: &str) -> Result<T, Damage> {
        if part.get().starts_with('{') {
            return self.part(part, path);
        }
        Err(Damage::new(self.file, self.line(part), "", format!("{path}: it is no object")))
    }

    /// Damage of a part, which is quoted.
    pub(super) fn damage(&self, part: &RawValue, reason: impl Into<String>) -> Damage {
        let quote: String = part.get().split_whitespace().collect::<Vec<_>>().join(" ");
        Damage::new(self.file, self.line(part), &quote, reason)
    }
}

/// What a JSON error says, without its place, which counts within a part.
pub(super) fn cause(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.rfind(" at line ").and_then(|at| message.get(..at)).unwrap_or(&message);
    message.chars().take(LONGEST_CAUSE).collect()
}
