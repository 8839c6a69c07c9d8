use std::sync::Arc;

use crate::{
    evidence::LibraryLog,
    plan::{Case, EnvironmentOrigin, OperatorEnvironment, ResolvedVariable, environment},
    spec::{Collective, CollectiveExpect, EnvironmentValue, Kind, Unchecked},
};

/// What a case needs of its measurement beside the figures: by its expectations as they stand, and by those that an
/// override adds of which only machine and run tell whether it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::run) struct Wanted {
    /// What the library chooses: it is judged, or it was asked for and must have taken effect.
    pub(super) choices: bool,
    /// What carried the traffic. The log of a session tells it of all its tests together, so that such a test has a
    /// session of its own.
    pub(super) traffic: bool,
    /// A log of this test alone, for warnings.
    quiet: bool,
    /// Whether the data is right.
    pub(super) checked: bool,
}

impl Wanted {
    /// What a case needs.
    pub(super) fn of(case: &Case, collective: &Collective, operator: &OperatorEnvironment) -> Self {
        let mut wanted = Self { choices: forces_choice(&environment(case, operator)), ..Self::default() };
        wanted.add(&collective.expect);
        for kind in expected(case) {
            if let Kind::Collective(collective) = &*kind {
                wanted.add(&collective.expect);
            }
        }
        wanted
    }

    fn add(&mut self, expect: &CollectiveExpect) {
        let transports =
            expect.transport.iter().flat_map(|transport| transport.require.iter().chain(&transport.forbid));
        let by_nvls = transports.into_iter().any(|name| name.value == "NVLS");
        self.choices |= expect.algorithm.is_some() || expect.protocol.is_some() || by_nvls;
        self.traffic |= expect.transport.is_some() || expect.nics_used.is_some();
        self.quiet |= expect.no_warnings.as_ref().is_some_and(|none| none.value);
        self.checked |= expect.wrong.as_ref().is_none_or(|wrong| wrong.value == Unchecked::No);
    }

    /// Whether its timed run has to be the first of a session.
    pub(super) const fn own_session(self) -> bool {
        self.choices || self.traffic || self.quiet
    }

    /// Whether only the library's choices tell what carried the traffic: where NVLink SHARP does, no connection shows it.
    pub(super) fn choices_after(self, log: Option<&LibraryLog>) -> bool {
        self.traffic && !self.choices && log.is_some_and(|log| log.nvls_used)
    }
}

/// What a case may be judged by: as it stands in its cell, and with each override of which only machine and run tell
/// whether it holds.
pub(super) fn expected(case: &Case) -> Vec<Arc<Kind>> {
    let mut kinds = vec![Arc::clone(&case.kind)];
    let Some(test) = &case.test else { return kinds };
    let decided = |at: &usize| {
        test.overrides.get(*at).is_some_and(|entry| entry.machine.is_empty() && entry.matches_cell(&case.cell))
    };
    for at in &case.conditional {
        let overrides: Vec<usize> = (0..test.overrides.len()).filter(decided).chain([*at]).collect();
        kinds.extend(test.kind_for_cell(&case.cell, &overrides));
    }
    kinds
}

/// Whether the environment asks for an algorithm or a protocol, and not by what was merely inherited.
fn forces_choice(environment: &[ResolvedVariable]) -> bool {
    environment.iter().any(|variable| {
        ["NCCL_ALGO", "NCCL_PROTO"].contains(&variable.name.as_str())
            && variable.origin != EnvironmentOrigin::Inherited
            && variable.value != EnvironmentValue::Removed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_looked_for_after_the_run_where_no_connection_shows_what_carried_it() {
        let traffic = Wanted { traffic: true, ..Wanted::default() };
        let log = |nvls_used| LibraryLog { nvls_used, ..LibraryLog::default() };
        assert!(traffic.choices_after(Some(&log(true))));
        assert!(!traffic.choices_after(Some(&log(false))) && !traffic.choices_after(None));
        assert!(!Wanted { choices: true, ..traffic }.choices_after(Some(&log(true))));
        assert!(!Wanted::default().choices_after(Some(&log(true))));
    }
}
