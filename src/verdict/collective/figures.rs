//! What was measured against what is asked.

use super::{View, data, falls, ranks, sizes, standing};
use crate::{
    evidence::CollectiveEvidence,
    plan::Case,
    spec::{Collective, Engine, Operation},
    verdict::{Evidence, FindingCode, ledger::Ledger},
};

/// Judges the measurement of a case.
pub(super) fn judge(case: &Case, collective: &Collective, evidence: &Evidence<'_>, ledger: &mut Ledger<'_>) {
    let place = &collective.sizes.place;
    let known = evidence.collectives.get(&case.short_name());
    let engine = known.and_then(|known| known.engine.as_ref());
    let Some(measurement) = known.and_then(|known| known.measurement.as_ref()) else {
        let (code, reason) = nothing(case, collective, evidence, known);
        ledger.error(code, Some(place), format!("nothing was measured: {reason}"));
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
    data::judge(&view, engine, ledger);
    sizes::judge(&view, evidence, ledger);
    if !ranks::measures_one_rank(measurement) {
        falls::judge(&view, ledger);
    }
}

/// Why there is no measurement.
fn nothing(
    case: &Case,
    collective: &Collective,
    evidence: &Evidence<'_>,
    known: Option<&CollectiveEvidence>,
) -> (FindingCode, String) {
    let (name, operation) = (case.short_name(), collective.operation.value);
    let elsewhere = "measure it with nccl-tests and judge its output with --host";
    if known.is_some_and(|known| known.engine.is_some()) {
        return (FindingCode::Unknown, "no rank measured a size".to_owned());
    }
    if !evidence.live {
        let reason = format!("neither nccl-tests/{name}.txt nor nccl-tests/{name}.json is there");
        return (FindingCode::Unknown, reason);
    }
    if collective.engine.as_ref().is_some_and(|engine| engine.value == Engine::NcclTests) {
        let reason = format!("this version does not start nccl-tests itself; {elsewhere}");
        return (FindingCode::NotJudged, reason);
    }
    if operation != Operation::AllReduce {
        return (FindingCode::NotJudged, format!("this version measures all_reduce only; {elsewhere}"));
    }
    (FindingCode::Unknown, "the run measured nothing of this case".to_owned())
}
