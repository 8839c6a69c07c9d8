//! What linkspec's own engine says beside its figures: what kept it from its end, where its ranks ran, which elements
//! arrived wrong, and that nothing was measured at all because a library was a stand-in.

mod checked;
mod marginal;
mod pins;
mod spread;
#[cfg(test)]
mod tests;
mod trouble;
mod wrong;

pub(super) use pins::is_unproved;
pub(super) use trouble::is_told_by;
pub(super) use wrong::{elements, is_told, tells_all};

use crate::{
    evidence::EngineRun,
    plan::Case,
    spec::Collective,
    verdict::{Evidence, FindingCode, ledger::Ledger},
};

/// Judges what the engine says, apart from what is wrong with the data.
pub(super) fn judge(
    case: &Case,
    collective: &Collective,
    engine: &EngineRun,
    evidence: &Evidence<'_>,
    ledger: &mut Ledger<'_>,
) {
    if let Some(trouble) = &engine.trouble {
        trouble::tell(engine, trouble, &collective.sizes.place, ledger);
    }
    if engine.is_stand_in() {
        let message = "a library was a stand-in: these figures are no measurement of any machine".to_owned();
        ledger.warning(FindingCode::StandIn, None, message);
    }
    pins::judge(case, engine, evidence.before, ledger);
    checked::tell(collective, engine, ledger);
    spread::tell(engine, ledger);
    marginal::tell(collective, engine, ledger);
}

/// Why no figure of the engine can be relied on, as a sentence: trouble, or a rank in another place than it was to be.
pub(super) fn unsound(engine: &EngineRun) -> Option<String> {
    let trouble = engine.trouble.as_ref().map(|trouble| trouble.message.clone());
    trouble.or_else(|| pins::first_deviation(engine))
}
