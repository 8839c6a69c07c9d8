//! What kept a measurement from its end: one error, whose class tells what to look at.

use crate::{
    evidence::{EngineRun, LINKSPEC, Trouble, TroubleKind},
    spec::Place,
    verdict::{Finding, FindingCode, Severity, ledger::Ledger},
};

/// Tells the trouble, of the GPU of the rank at fault, and notes what else helps.
pub(super) fn tell(engine: &EngineRun, trouble: &Trouble, place: &Place, ledger: &mut Ledger<'_>) {
    let code = code(trouble.kind);
    let finding = ledger.error(code, Some(place), trouble.message.clone());
    finding.device = trouble.rank.and_then(|rank| engine.gpu_of(rank));
    finding.source = Some(LINKSPEC.to_owned());
    for detail in &trouble.details {
        ledger.note(code, None, detail.clone()).hint = None;
    }
}

/// The code of a class.
const fn code(kind: TroubleKind) -> FindingCode {
    match kind {
        TroubleKind::Library => FindingCode::LibraryMissing,
        TroubleKind::Device => FindingCode::GpuUnusable,
        TroubleKind::Busy => FindingCode::GpuBusy,
        TroubleKind::Pin => FindingCode::Pin,
        TroubleKind::Crash => FindingCode::RankCrashed,
        TroubleKind::InitHang => FindingCode::HangInit,
        TroubleKind::FirstCollectiveHang => FindingCode::HangFirstCollective,
        TroubleKind::MidRunHang => FindingCode::HangMidRun,
        TroubleKind::LibraryError => FindingCode::LibraryError,
        TroubleKind::OutOfMemory => FindingCode::OutOfMemory,
        TroubleKind::Unsupported => FindingCode::Unsupported,
        TroubleKind::NotFree => FindingCode::GpuNotFree,
        TroubleKind::Interrupted => FindingCode::NotFinished,
        TroubleKind::Internal => FindingCode::Internal,
    }
}

/// Whether the trouble that is told tells a finding too: an error that something is missing. What is there is judged all
/// the same, and after a measurement that came to its end nothing is missing because of the trouble.
pub(in crate::verdict::collective) fn is_told_by(trouble: &Trouble, finding: &Finding) -> bool {
    let missing = matches!(
        finding.code,
        FindingCode::Unknown | FindingCode::Unfinished | FindingCode::SizeNotMeasured | FindingCode::NotJudged
    );
    // Ranks that could not be started are not there.
    let not_started = trouble.kind == TroubleKind::Internal && finding.code == FindingCode::Ranks;
    trouble.kind != TroubleKind::NotFree && finding.severity == Severity::Error && (missing || not_started)
}
