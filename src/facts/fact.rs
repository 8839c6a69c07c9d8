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

/// What a source is called behind its name where `linkspec capture` put stand-ins in its value.
const REPLACED: &str = " (identifiers replaced)";

/// Whether the identifiers in two values can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identifiers {
    /// Both values are as the machine told them.
    Own,
    /// Those of the second value are stand-ins, those of the first are the machine's own.
    Replaced,
}

/// What two sources contradict each other in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What the first says, as it follows `says`.
    pub first: String,
    /// What the second says.
    pub second: String,
}

impl Difference {
    /// A difference, in the words of each.
    pub fn new(first: impl fmt::Display, second: impl fmt::Display) -> Self {
        Self { first: first.to_string(), second: second.to_string() }
    }

    fn swapped(self) -> Self {
        Self { first: self.second, second: self.first }
    }
}

impl<T: Clone + PartialEq + fmt::Display> Fact<T> {
    /// Joins what another source says to this: agreement adds the source, disagreement is a conflict that stays. A
    /// value that stands in for an identifier gives way.
    pub fn merge(&mut self, other: Self) {
        self.merge_shown(other, T::to_string);
    }
}

impl<T: Clone + PartialEq> Fact<T> {
    /// [`Fact::merge`] for values that cannot print themselves: `show` writes one for the conflict's message.
    pub fn merge_shown(&mut self, other: Self, show: impl Fn(&T) -> String) {
        self.merge_by(other, |first, second, identifiers| {
            let same = identifiers == Identifiers::Replaced || first == second;
            if same { Ok(first.clone()) } else { Err(Difference::new(show(first), show(second))) }
        });
    }
}

impl<T> Fact<T> {
    /// [`Fact::merge`] for values that may agree without being equal: `agree` gives what both tell together.
    pub fn merge_by(&mut self, other: Self, agree: impl Fn(&T, &T, Identifiers) -> Result<T, Difference>) {
        let joined = match (&*self, other) {
            (Self::Unknown { reason }, other @ Self::Unknown { .. }) if reason == UNTOLD => other,
            (Self::Conflict { .. }, _) | (_, Self::Unknown { .. }) => return,
            (Self::Unknown { .. }, other) | (Self::Known { .. }, other @ Self::Conflict { .. }) => other,
            (Self::Known { value, source }, Self::Known { value: theirs, source: their_source }) => {
                let agreed = match (is_replaced(source), is_replaced(&their_source)) {
                    (true, false) => agree(&theirs, value, Identifiers::Replaced).map_err(Difference::swapped),
                    (false, true) => agree(value, &theirs, Identifiers::Replaced),
                    (false, false) | (true, true) => agree(value, &theirs, Identifiers::Own),
                };
                match agreed {
                    Ok(value) => Self::Known { value, source: both(source, &their_source) },
                    Err(Difference { first, second }) => {
                        Self::Conflict { reason: format!("{source} says {first}, {their_source} says {second}") }
                    }
                }
            }
        };
        *self = joined;
    }

    /// Says of every source that told the value that its identifiers are stand-ins.
    pub fn mark_replaced(&mut self) {
        if let Self::Known { source, .. } = self {
            let marked = source.split(", ").map(|one| one.strip_suffix(REPLACED).unwrap_or(one).to_owned() + REPLACED);
            *source = marked.collect::<Vec<_>>().join(", ");
        }
    }
}

/// Whether nobody told the value with its identifiers.
fn is_replaced(source: &str) -> bool {
    source.split(", ").all(|one| one.ends_with(REPLACED))
}

/// Both sources, each once.
fn both(one: &str, other: &str) -> String {
    if one.split(", ").any(|known| known == other) { one.to_owned() } else { format!("{one}, {other}") }
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

    #[test]
    fn a_stand_in_for_an_identifier_gives_way_in_either_order() {
        let stand_in = || {
            let mut fact = Fact::known("GPU-01".to_owned(), "NVML, /proc/driver");
            fact.mark_replaced();
            fact
        };
        assert_eq!(stand_in().source(), Some("NVML (identifiers replaced), /proc/driver (identifiers replaced)"));
        let own = || Fact::known("GPU-5e1f".to_owned(), "q.xml");
        let (mut first, mut second) = (stand_in(), own());
        first.merge(own());
        second.merge(stand_in());
        for mut fact in [first, second] {
            assert_eq!(fact.value().map(String::as_str), Some("GPU-5e1f"));
            // What one source told with its identifiers is the machine's own from there on.
            fact.merge(Fact::known("GPU-c80b".to_owned(), "nvlink.txt"));
            assert!(fact.reason().unwrap().ends_with("says GPU-5e1f, nvlink.txt says GPU-c80b"), "{fact:?}");
        }
    }

    #[test]
    fn two_different_stand_ins_contradict_each_other() {
        let stand_in = |value: &str, source: &str| {
            let mut fact = Fact::known(value.to_owned(), source);
            fact.mark_replaced();
            fact
        };
        let mut fact = stand_in("a", "one");
        fact.merge(stand_in("b", "two"));
        assert_eq!(fact.value(), None);
    }
}
