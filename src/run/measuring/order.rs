use std::collections::BTreeMap;

use super::wanted::{Wanted, expected};
use crate::{
    plan::{Case, OperatorEnvironment, ResolvedVariable, environment},
    spec::{BoundBase, CompareSide, GpuSelection, Kind, Pin},
};

/// A case's turn in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::run) struct Turn {
    /// Its place in the plan.
    pub(in crate::run) at: usize,
    /// Whether no other case of its session follows.
    pub(in crate::run) last: bool,
}

/// When a case runs: cases of one turn share a session where they can.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Stage {
    /// 0 for what only reads, then one more than those by whose figures the case is judged.
    depth: usize,
    /// The session; 0 where nothing is run.
    session: usize,
}

/// In which order cases run on a live machine: what only reads comes first, then collectives, those of one session after
/// one another, and each case after those by whose figures it is judged. `is_measured` says of a collective whether
/// anything is run for it: what is not has no part in a session.
pub(in crate::run) fn order(
    cases: &[(usize, &Case)],
    operator: &OperatorEnvironment,
    is_measured: &dyn Fn(&Case) -> bool,
) -> Vec<Turn> {
    let mut sessions: Vec<(GpuSelection, Pin, Vec<ResolvedVariable>)> = Vec::new();
    let mut session = |case: &Case| {
        if !is_measured(case) {
            return 0;
        }
        let session = (case.gpus(), case.pin(), environment(case, operator));
        let number = sessions.iter().position(|known| *known == session).unwrap_or_else(|| {
            sessions.push(session);
            sessions.len() - 1
        });
        number + 1
    };
    let depths = depths(cases);
    let mut staged: Vec<(Stage, usize, bool)> = cases
        .iter()
        .zip(depths)
        .map(|((at, case), depth)| (Stage { depth, session: session(case) }, *at, starts_session(case, operator)))
        .collect();
    staged.sort_unstable();
    let next = staged.iter().skip(1).map(Some).chain([None]);
    let is_last =
        |stage, next: Option<&(Stage, usize, bool)>| next.is_none_or(|(other, _, starts)| *other != stage || *starts);
    staged.iter().zip(next).map(|((stage, at, _), next)| Turn { at: *at, last: is_last(*stage, next) }).collect()
}

fn starts_session(case: &Case, operator: &OperatorEnvironment) -> bool {
    let Kind::Collective(collective) = &*case.kind else { return false };
    Wanted::of(case, collective, operator).own_session()
}

/// The depth of each case's stage. Cases that refer to each other in a circle have no order; they end somewhere.
fn depths(cases: &[(usize, &Case)]) -> Vec<usize> {
    let names: BTreeMap<String, usize> =
        cases.iter().enumerate().map(|(at, (_, case))| (case.short_name(), at)).collect();
    let references: Vec<Vec<usize>> = cases
        .iter()
        .map(|(_, case)| references(case).iter().filter_map(|name| names.get(name).copied()).collect())
        .collect();
    let is_read = |case: &Case| !matches!(&*case.kind, Kind::Collective(_) | Kind::Compare(_));
    let mut depths: Vec<usize> = cases.iter().map(|(_, case)| usize::from(!is_read(case))).collect();
    for _ in cases {
        let before = depths.clone();
        for (at, others) in references.iter().enumerate() {
            let deepest = others.iter().map(|other| before[*other] + 1).max();
            depths[at] = depths[at].max(deepest.unwrap_or(0));
        }
        if depths == before {
            break;
        }
    }
    depths
}

/// The cases by whose figures a case is judged, by their short names.
fn references(case: &Case) -> Vec<String> {
    if let Kind::Compare(compare) = &*case.kind {
        let side = |side: &CompareSide| match side {
            CompareSide::Case(name) => vec![name.clone()],
            CompareSide::BestOf(names) => names.clone(),
        };
        return [side(&compare.left.value), side(&compare.right.value)].concat();
    }
    let mut names = Vec::new();
    for kind in expected(case) {
        let Kind::Collective(collective) = &*kind else { continue };
        let busbw = collective.expect.busbw.values().filter_map(|bound| bound.base());
        let bases = busbw.chain(collective.expect.latency.values().filter_map(|bound| bound.base()));
        names.extend(bases.filter_map(BoundBase::case));
    }
    names
}
