use super::{
    CommandOutput, Evidence, Finding, FindingCode, Severity, Verdict, command, gpu, guard, host, p2p, rdma_ports,
    sheet::Sheet, skip, topology,
};
use crate::{facts::Facts, plan::Case, spec::Kind};

/// Judges one case by what is known.
pub fn judge(case: &Case, evidence: &Evidence<'_>) -> Verdict {
    if let Some(verdict) = ruled_out(case, evidence.before, evidence.live) {
        return verdict;
    }
    let hint = case.test.as_ref().and_then(|test| test.hint.as_deref());
    let mut sheet = Sheet::new(hint);
    let facts = evidence.before;
    match &*case.kind {
        Kind::Machine(expect) => guard::machine(expect, facts, &mut sheet),
        Kind::Topology(expect) => topology::judge(case, expect, facts, &mut sheet),
        Kind::P2p(expect) => p2p::judge(case, expect, facts, &mut sheet),
        Kind::Gpu(expect) => gpu::judge(case, expect, facts, &mut sheet),
        Kind::Host(expect) => host::judge(expect, facts, &mut sheet),
        Kind::RdmaPorts(expect) => rdma_ports::judge(expect, evidence, &mut sheet),
        Kind::Command(expect) => {
            let nothing = CommandOutput { problem: Some("it was not run".to_owned()), ..CommandOutput::default() };
            command::judge(expect, evidence.command.unwrap_or(&nothing), &mut sheet);
        }
        Kind::Collective(_) | Kind::Copy(_) | Kind::Compare(_) => not_judged(case, &mut sheet),
    }
    sheet.verdict()
}

/// What decides a case before its own check: a machine that the suite is not for, or the spec's own `skip_when`.
pub fn ruled_out(case: &Case, facts: &Facts, live: bool) -> Option<Verdict> {
    let findings = guard::findings(case, facts, live);
    if !findings.is_empty() {
        return Some(Verdict::from_findings(findings, Vec::new()));
    }
    let skip_when = case.test.as_ref().and_then(|test| test.skip_when.as_ref());
    skip_when.and_then(|skip_when| skip::verdict(skip_when, facts))
}

fn not_judged(case: &Case, sheet: &mut Sheet<'_>) {
    let message = format!("this version has no judge for `{}`: the case was planned and not judged", case.kind.name());
    let mut finding = Finding::new(FindingCode::NotJudged, Severity::Error, message);
    finding.place = case.test.as_ref().map(|test| test.place.clone());
    sheet.add(finding);
}
