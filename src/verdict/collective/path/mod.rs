//! What carried the traffic: transports, the library's choices, settings that took effect, the library's own complaints.
//!
//! All of it is read from the library's log. What the log shows can fail a case; a case passes only where the log shows
//! every connection, because one that is not seen may be of another kind.

mod choices;
mod complaints;
mod complete;
mod counts;
mod effect;
mod nvls;
mod ranks;
mod same_run;
mod settings;
#[cfg(test)]
mod tests;
mod traffic;
mod transport;
mod used;

use traffic::Traffic;

use crate::{
    plan::Case,
    spec::Collective,
    verdict::{Evidence, ledger::Ledger},
};

/// Judges what the log, the RAS answer and the settings say.
pub(super) fn judge(case: &Case, collective: &Collective, evidence: &Evidence<'_>, ledger: &mut Ledger<'_>) {
    let name = case.short_name();
    let known = evidence.collectives.get(&name);
    let measurement = known.and_then(|known| known.measurement.as_ref());
    let log = same_run::log(known, &name);
    let log = log.as_ref().map(|log| *log).map_err(String::as_str);
    let traffic = match log {
        Ok(log) => Traffic::of(log, collective, measurement, evidence.before),
        Err(reason) => Err(reason.to_owned()),
    };
    let traffic = traffic.as_ref().map_err(String::as_str);
    let expect = &collective.expect;
    match (&expect.transport, traffic) {
        (Some(asked), _) => transport::judge(asked, traffic, ledger),
        (None, Ok(traffic)) => transport::tell(traffic, &collective.sizes.place, ledger),
        (None, Err(_)) => {}
    }
    choices::judge(collective, log, ledger);
    if let Some(wanted) = &expect.channels {
        counts::channels(wanted, log, ledger);
    }
    if let Some(wanted) = &expect.nics_used {
        counts::nics_used(wanted, traffic, ledger);
    }
    complaints::warnings(expect.no_warnings.as_ref(), log, measurement, ledger);
    if let (Some(answer), Some(test)) = (known.and_then(|known| known.ras.as_ref()), &case.test) {
        let troubled = known.and_then(|known| known.engine.as_ref()).is_some_and(|engine| engine.trouble.is_some());
        complaints::ras(answer, &test.place, troubled, ledger);
    }
    settings::judge(case, collective, evidence, traffic, ledger);
}
