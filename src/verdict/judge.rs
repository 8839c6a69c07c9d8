use super::{
    Evidence, FindingCode, Verdict, collective, command, compare, conditional, gpu, guard, host, ledger::Ledger,
    machine, p2p, rdma_ports, topology,
};
use crate::{plan::Case, spec::Kind};

/// Judges one case by what is known of the machine.
///
/// The guard of the suite and `skip_when` come first; [`super::ruled_out`] tells the same without a command's output.
pub fn judge(case: &Case, evidence: &Evidence<'_>) -> Verdict {
    if let Some(verdict) = guard::ruled_out(case, evidence.before, evidence.live) {
        return verdict;
    }
    conditional::judge(case, evidence, |case| judge_kind(case, evidence))
}

/// Judges what the case checks, its overrides applied.
fn judge_kind(case: &Case, evidence: &Evidence<'_>) -> Verdict {
    let test = case.test.as_deref();
    let mut ledger = Ledger::new(test.and_then(|test| test.hint.as_deref())).on(evidence.live);
    let facts = evidence.before;
    let gpus = case.gpus();
    match &*case.kind {
        Kind::Machine(expect) => machine::judge(expect, facts, &mut ledger),
        Kind::Topology(topology) => topology::judge(topology, facts, &gpus, &mut ledger),
        Kind::P2p(p2p) => p2p::judge(p2p, facts, &gpus, &mut ledger),
        Kind::RdmaPorts(ports) => rdma_ports::judge(ports, evidence, &mut ledger),
        Kind::Gpu(expect) => gpu::judge(expect, facts, &gpus, &mut ledger),
        Kind::Host(expect) => host::judge(expect, facts, &mut ledger),
        Kind::Command(expect) => command::judge(expect, evidence, &mut ledger),
        Kind::Collective(expect) => collective::judge(case, expect, evidence, &mut ledger),
        Kind::Compare(expect) => compare::judge(case, expect, evidence, &mut ledger),
        Kind::Copy(_) => {
            let message = format!("this version has no judge for {}", case.kind.name());
            ledger.error(FindingCode::NotJudged, test.map(|test| &test.place), message);
        }
    }
    ledger.verdict()
}
