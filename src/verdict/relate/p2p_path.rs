//! Wrong data or a hang that goes away without P2P: then the path from GPU to GPU is what is broken.

use std::collections::BTreeMap;

use super::Circumstances;
use crate::verdict::{FindingCode, Outcome, Verdict};

/// Says so in the hint of each such finding. No outcome changes.
pub(super) fn tell(results: &mut [(String, Verdict)], circumstances: &BTreeMap<String, Circumstances>) {
    let healthy: Vec<(String, &Circumstances)> = results
        .iter()
        .filter(|(_, verdict)| verdict.outcome == Outcome::Pass)
        .filter_map(|(name, _)| Some((name.clone(), circumstances.get(name)?)))
        .filter(|(_, case)| case.p2p_is_off && case.operation.is_some())
        .collect();
    for (name, verdict) in results {
        let Some(case) = circumstances.get(name).filter(|case| !case.p2p_is_off) else { continue };
        let Some((other, _)) = healthy.iter().find(|(_, other)| other.operation == case.operation) else { continue };
        let told = format!(
            "{other} passes without P2P: look at the path between the GPUs, at ACS and IOMMU first, then at the links"
        );
        let troubles = [FindingCode::WrongData, FindingCode::Unfinished];
        for finding in verdict.findings.iter_mut().filter(|finding| troubles.contains(&finding.code)) {
            match &mut finding.hint {
                Some(hint) if hint.contains(&told) => {}
                Some(hint) => *hint = format!("{told}; {hint}"),
                None => finding.hint = Some(told.clone()),
            }
        }
    }
}
