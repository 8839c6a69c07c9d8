//! Wrong data or a hang that goes away without P2P: then the path from GPU to GPU is what is broken.

use std::collections::BTreeMap;

use super::Circumstances;
use crate::{
    facts::{Fact, Facts, PciBridge},
    verdict::{Finding, FindingCode, Outcome, Severity, Verdict},
};

/// What a broken path between GPUs looks like.
const TROUBLES: [FindingCode; 5] = [
    FindingCode::WrongData,
    FindingCode::Unfinished,
    FindingCode::HangInit,
    FindingCode::HangFirstCollective,
    FindingCode::HangMidRun,
];

/// Says so in the hint of each such finding. No outcome changes.
pub(super) fn tell(results: &mut [(String, Verdict)], facts: &Facts, circumstances: &BTreeMap<String, Circumstances>) {
    let healthy: Vec<(String, &Circumstances)> = results
        .iter()
        .filter(|(_, verdict)| verdict.outcome == Outcome::Pass)
        .filter_map(|(name, _)| Some((name.clone(), circumstances.get(name)?)))
        .filter(|(_, case)| case.p2p_is_off && case.operation.is_some())
        .collect();
    for (name, verdict) in results {
        let Some(case) = circumstances.get(name).filter(|case| !case.p2p_is_off) else { continue };
        let other = healthy.iter().find(|(_, other)| other.operation == case.operation);
        let passes = match other {
            _ if case.ends_without_p2p => "the same comes to its end".to_owned(),
            Some((other, _)) => format!("{other} passes"),
            None => continue,
        };
        let told = format!(
            "{passes} without P2P, so the path between the GPUs is broken: look at ACS and IOMMU first ({}), \
             then at the links",
            state(facts)
        );
        let is_trouble =
            |finding: &&mut Finding| TROUBLES.contains(&finding.code) && finding.severity <= Severity::Error;
        for finding in verdict.findings.iter_mut().filter(is_trouble) {
            match &mut finding.hint {
                Some(hint) if hint.contains(&told) => {}
                Some(hint) => *hint = format!("{told}; {hint}"),
                None => finding.hint = Some(told.clone()),
            }
        }
    }
}

/// What is known of the two things that break the path most often.
fn state(facts: &Facts) -> String {
    if facts.host.virtual_machine.value() == Some(&true) {
        return "a virtual machine hides those of its host".to_owned();
    }
    let bridges = facts.host.bridges.value().unwrap_or(&facts.host.bridges_seen);
    let redirects = |bridge: &&PciBridge| bridge.acs_redirect.as_ref().is_some_and(|bits| !bits.is_empty());
    let acs = match (bridges.iter().filter(redirects).count(), facts.host.bridges.value()) {
        (0, Some(bridges)) if bridges.iter().all(|bridge| bridge.acs_redirect.is_some()) => {
            "no bridge redirects".to_owned()
        }
        (0, _) => "whether a bridge redirects is unknown".to_owned(),
        (1, _) => "1 bridge redirects".to_owned(),
        (count, _) => format!("{count} bridges redirect"),
    };
    let iommu = match &facts.host.iommu {
        Fact::Known { value, .. } => format!("the IOMMU is {value}"),
        Fact::Unknown { .. } | Fact::Conflict { .. } => "the IOMMU's mode is unknown".to_owned(),
    };
    format!("{acs}, {iommu}")
}
