//! What carried the traffic: transports, the library's choices, settings that took effect, the library's own complaints.

use crate::{
    plan::Case,
    spec::Collective,
    verdict::{Evidence, ledger::Ledger},
};

/// Judges what the log, the RAS answer and the settings say.
pub(super) fn judge(_case: &Case, _collective: &Collective, _evidence: &Evidence<'_>, _ledger: &mut Ledger<'_>) {}
