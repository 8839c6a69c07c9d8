//! The host: kernel, PCI, memory, services, and what they say.

mod acs;
mod kernel_log;
mod settings;
mod software;

use super::ledger::Ledger;
use crate::{facts::Facts, spec::HostExpect};

/// Judges what holds of the host.
pub(super) fn judge(expect: &HostExpect, facts: &Facts, ledger: &mut Ledger<'_>) {
    settings::judge(expect, &facts.host, ledger);
    software::judge(expect, facts, ledger);
    if let Some(wanted) = &expect.acs_redirect {
        acs::judge(wanted, facts, ledger);
    }
    if let Some(wanted) = &expect.kernel_log {
        kernel_log::judge(wanted, facts, ledger);
    }
}
