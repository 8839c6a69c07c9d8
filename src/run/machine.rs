use std::collections::BTreeMap;

use crate::{
    evidence::CollectiveEvidence,
    facts::{Facts, Origin},
    probe::{self, Saved, Site},
};

/// What is judged: this machine, or what was saved of another.
#[derive(Clone, Debug)]
pub enum Machine {
    /// A machine that is read where it stands.
    Live(Box<Site>),
    /// A folder or file.
    Saved(Box<Saved>),
}

impl Machine {
    /// Whether programs may be run and facts read again.
    pub const fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// The facts before the first case.
    pub fn before(&self) -> Facts {
        match self {
            Self::Live(site) => probe::live(site),
            Self::Saved(saved) => saved.before.clone(),
        }
    }

    /// The facts after the last case.
    pub fn after(&self) -> Option<Facts> {
        match self {
            Self::Live(_) => Some(self.before()),
            Self::Saved(saved) => saved.after.clone(),
        }
    }

    /// The facts after the run that were saved.
    pub const fn saved_after(&self) -> Option<&Facts> {
        match self {
            Self::Live(_) => None,
            Self::Saved(saved) => saved.after.as_ref(),
        }
    }

    /// What was measured for collective cases, by their short names.
    pub const fn measured(&self) -> &BTreeMap<String, CollectiveEvidence> {
        static NOTHING: BTreeMap<String, CollectiveEvidence> = BTreeMap::new();
        match self {
            Self::Live(_) => &NOTHING,
            Self::Saved(saved) => &saved.collectives,
        }
    }

    /// A warning of the saved files that nothing reads.
    pub fn unread(&self) -> Option<&str> {
        match self {
            Self::Live(_) => None,
            Self::Saved(saved) => saved.unread.as_deref(),
        }
    }

    /// The name of the machine for the reports.
    pub fn name(&self, facts: &Facts) -> String {
        match (facts.host.name.value(), &facts.origin) {
            (Some(name), _) => name.clone(),
            // What is built in says so itself.
            (None, Origin::Captured { path } | Origin::Saved { path }) if path.ends_with(')') => path.clone(),
            (None, Origin::Captured { path } | Origin::Saved { path }) => format!("{path} (recorded)"),
            (None, _) => "unknown".to_owned(),
        }
    }
}
