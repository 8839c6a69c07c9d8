//! The judge of collectives: what was measured (here), and what carried it (`path`).
//!
//! A `View` is a measurement as one case sees it. `standing` says what keeps it from passing as a whole, `data` whether
//! anything arrived wrong, `sizes` holds every named size against its bounds, `falls` looks at the curve. What keeps a
//! measurement from passing is an error beside the rows: they are judged all the same, because they can fail the case.

mod data;
mod engine;
mod falls;
mod figures;
mod gaps;
mod gpus;
mod limits;
mod operation;
mod path;
mod payload;
mod placement;
mod problem;
mod quantity;
mod ranks;
mod reference;
mod sizes;
mod standing;
mod view;

pub(super) use placement::Placement;
pub(super) use problem::Problem;
pub(super) use quantity::Quantity;
pub(super) use reference::Reference;
use view::View;

use super::{Evidence, ledger::Ledger};
use crate::{plan::Case, spec::Collective};

/// Judges a collective case by what its engine says, its measurement and its log.
pub(super) fn judge(case: &Case, collective: &Collective, evidence: &Evidence<'_>, ledger: &mut Ledger<'_>) {
    let known = evidence.collectives.get(&case.short_name());
    let engine = known.and_then(|known| known.engine.as_ref());
    if let Some(engine) = engine {
        engine::judge(case, collective, engine, evidence, ledger);
    }
    let before = ledger.mark();
    figures::judge(case, collective, evidence, ledger);
    path::judge(case, collective, evidence, ledger);
    if let Some(trouble) = engine.and_then(|engine| engine.trouble.as_ref()) {
        ledger.drop_since(before, |finding| engine::is_told_by(trouble, finding));
    }
}
