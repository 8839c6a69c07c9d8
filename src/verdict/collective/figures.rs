//! What was measured against what is asked.

use super::{View, data, falls, ranks, sizes, standing};
use crate::{
    plan::Case,
    spec::Collective,
    verdict::{Evidence, FindingCode, ledger::Ledger},
};

/// Judges the measurement of a case.
pub(super) fn judge(case: &Case, collective: &Collective, evidence: &Evidence<'_>, ledger: &mut Ledger<'_>) {
    let place = &collective.sizes.place;
    let measured = evidence.collectives.get(&case.short_name());
    let Some(measurement) = measured.and_then(|measured| measured.measurement.as_ref()) else {
        let name = case.short_name();
        let message = match evidence.live {
            true => {
                "nothing was measured: this version starts no collective, and judges saved outputs (--host)".to_owned()
            }
            false => format!("nothing was measured: neither nccl-tests/{name}.txt nor nccl-tests/{name}.json is there"),
        };
        ledger.error(FindingCode::Unknown, Some(place), message);
        return;
    };
    let view = View::new(case, collective, measurement);
    standing::remarks(measurement, ledger);
    if standing::is_of_another(&view) {
        for problem in super::operation::problems(&view) {
            ledger.error(problem.code, Some(&collective.operation.place), problem.message);
        }
        return;
    }
    for problem in standing::problems(&view, evidence.before) {
        ledger.error(problem.code, Some(place), problem.message);
    }
    standing::unproved(&view, ledger);
    data::judge(&view, ledger);
    sizes::judge(&view, evidence, ledger);
    if !ranks::measures_one_rank(measurement) {
        falls::judge(&view, ledger);
    }
}
