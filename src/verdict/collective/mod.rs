//! The judge of collectives: what was measured (here), and what carried it (`path`).

mod path;

use super::{Evidence, ledger::Ledger};
use crate::{plan::Case, spec::Collective};

/// Judges a collective case by its measurement and its log.
pub(super) fn judge(case: &Case, collective: &Collective, evidence: &Evidence<'_>, ledger: &mut Ledger<'_>) {
    path::judge(case, collective, evidence, ledger);
}
