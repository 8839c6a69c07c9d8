use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason of a fact that nothing spoke of; any other reason replaces it.
const UNTOLD: &str = "no source told it";

/// One thing about a machine: known, with the source that said it, or unknown, with the reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fact<T> {
    /// A source said so.
    Known {
        /// The value.
        value: T,
        /// The file or interface that said it, such as `nvidia-smi-topo-m.txt`; several are joined by `, `.
        source: String,
    },
    /// Nothing that could be relied on said it.
    Unknown {
        /// Why, as a fragment: `nvidia-smi-topo-m.txt is not there`.
        reason: String,
    },
    /// Two sources disagree: as good as unknown, and no third source repairs it.
    Conflict {
        /// Both sources with what each says.
        reason: String,
    },
}

impl<T> Fact<T> {
    /// A value and the source that said it.
    pub fn known(value: T, source: impl Into<String>) -> Self {
        Self::Known { value, source: source.into() }
    }

    /// A value that was read and the source that said it, or why it was not read.
    pub fn told(told: Result<T, String>, source: impl Into<String>) -> Self {
        match told {
            Ok(value) => Self::known(value, source),
            Err(reason) => Self::unknown(reason),
        }
    }

    /// No value, and why.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown { reason: reason.into() }
    }

    /// The value, if it is known.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Known { value, .. } => Some(value),
            Self::Unknown { .. } | Self::Conflict { .. } => None,
        }
    }

    /// Why it is unknown, if it is.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Known { .. } => None,
            Self::Unknown { reason } | Self::Conflict { reason } => Some(reason),
        }
    }

    /// The source, if it is known.
    pub fn source(&self) -> Option<&str> {
        match self {
            Self::Known { source, .. } => Some(source),
            Self::Unknown { .. } | Self::Conflict { .. } => None,
        }
    }

    /// The value, or the reason why there is none.
    pub fn require(&self) -> Result<&T, &str> {
        match self {
            Self::Known { value, .. } => Ok(value),
            Self::Unknown { reason } | Self::Conflict { reason } => Err(reason),
        }
    }

    /// Gives the reason to a fact that nothing spoke of; others keep theirs.
    pub fn explain(&mut self, why: &str) {
        if let Self::Unknown { reason } = self
            && reason == UNTOLD
        {
            why.clone_into(reason);
        }
    }

    /// The same fact with its value changed.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Fact<U> {
        match self {
            Self::Known { value, source } => Fact::Known { value: change(value), source },
            Self::Unknown { reason } => Fact::Unknown { reason },
            Self::Conflict { reason } => Fact::Conflict { reason },
        }
    }
}

impl<T: PartialEq + fmt::Display> Fact<T> {
    /// Joins what another source says to this: agreement adds the source, disagreement is a conflict that stays.
    pub fn merge(&mut self, other: Self) {
        self.merge_shown(other, T::to_string);
    }
}

impl<T: PartialEq> Fact<T> {
    /// [`Fact::merge`] for values that cannot print themselves: `show` writes one for the conflict's message.
    pub fn merge_shown(&mut self, other: Self, show: impl Fn(&T) -> String) {
        let joined = match (&*self, other) {
            (Self::Unknown { reason }, other @ Self::Unknown { .. }) if reason == UNTOLD => other,
            (Self::Conflict { .. }, _) | (_, Self::Unknown { .. }) => return,
            (Self::Unknown { .. }, other) | (Self::Known { .. }, other @ Self::Conflict { .. }) => other,
            (Self::Known { value, source }, Self::Known { value: theirs, source: their_source }) => {
                if *value != theirs {
                    let (ours, theirs) = (show(value), show(&theirs));
                    Self::Conflict { reason: format!("{source} says {ours}, {their_source} says {theirs}") }
                } else if source.split(", ").any(|known| known == their_source) {
                    return;
                } else {
                    Self::Known { value: theirs, source: format!("{source}, {their_source}") }
                }
            }
        };
        *self = joined;
    }
}

impl<T> Default for Fact<T> {
    fn default() -> Self {
        Self::unknown(UNTOLD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_that_agree_are_both_named() {
        let mut fact = Fact::known(5, "nvidia-smi-q.xml");
        fact.merge(Fact::known(5, "lspci-vvv.txt"));
        assert_eq!(fact, Fact::known(5, "nvidia-smi-q.xml, lspci-vvv.txt"));
    }

    #[test]
    fn a_third_source_does_not_repair_a_conflict() {
        let mut fact = Fact::known(5, "a");
        fact.merge(Fact::known(4, "b"));
        fact.merge(Fact::known(5, "c"));
        assert_eq!(fact.value(), None);
        assert_eq!(fact.reason(), Some("a says 5, b says 4"));
    }

    #[test]
    fn what_is_unknown_to_one_source_is_known_from_the_other() {
        let mut fact = Fact::unknown("row cut");
        fact.merge(Fact::known(5, "b"));
        fact.merge(Fact::unknown("also cut"));
        assert_eq!(fact, Fact::known(5, "b"));
    }
}
