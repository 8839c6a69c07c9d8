use std::collections::BTreeMap;

use super::{Circumstances, collective, p2p_path};
use crate::{
    facts::Facts,
    verdict::{Cause, Finding, FindingCode, Severity, Verdict},
};

/// Links failures to the failures that explain them. A cause is always of an earlier layer than its effect, so there
/// are no cycles; the deepest causes come first, and those of one layer in the order of the cases. No outcome changes.
/// `circumstances` are those of the cases by their whole names; of a case that is not there nothing is known.
pub fn relate(results: &mut [(String, Verdict)], facts: &Facts, circumstances: &BTreeMap<String, Circumstances>) {
    let mut causes: Vec<(String, Finding)> = results
        .iter()
        .flat_map(|(case, verdict)| verdict.findings.iter().map(move |finding| (case, finding)))
        .filter(|(_, finding)| finding.severity == Severity::Failure && layer(finding.code).is_some())
        .map(|(case, finding)| (case.clone(), finding.clone()))
        .collect();
    causes.sort_by_key(|(_, finding)| layer(finding.code));
    for (name, verdict) in results.iter_mut() {
        let of_effect = circumstances.get(name);
        let is_effect = |finding: &&mut Finding| match finding.severity {
            Severity::Failure => true,
            // A hang is no proof against the spec, and mostly has a cause that is.
            Severity::Error => collective::is_hang(finding.code),
            Severity::Warning | Severity::Note => false,
        };
        for finding in verdict.findings.iter_mut().filter(is_effect) {
            for (case, cause) in &causes {
                let lies_deeper = layer(finding.code).is_none_or(|effect| layer(cause.code) < Some(effect));
                let by_collective = || collective::explains(cause, finding, case == name, of_effect, facts);
                if lies_deeper && (explains(cause, finding, facts) || by_collective()) {
                    add(finding, case, cause);
                }
            }
        }
    }
    p2p_path::tell(results, facts, circumstances);
}

fn add(effect: &mut Finding, case: &str, cause: &Finding) {
    let cause =
        Cause { case: case.to_owned(), code: cause.code, device: cause.device.clone(), message: cause.message.clone() };
    if !effect.because.contains(&cause) {
        effect.because.push(cause);
    }
}

/// The layer of a cause: what lies deeper explains what lies above it, never the other way round.
const fn layer(code: FindingCode) -> Option<u8> {
    match code {
        FindingCode::KernelArgument | FindingCode::Xid | FindingCode::KernelLog => Some(0),
        FindingCode::GpuLost | FindingCode::FabricManager | FindingCode::Iommu | FindingCode::AcsRedirect => Some(1),
        FindingCode::Service | FindingCode::PortPhysicalState => Some(1),
        FindingCode::FabricState | FindingCode::PortState => Some(2),
        FindingCode::NvlinkCount => Some(3),
        FindingCode::NvlinkSpeed | FindingCode::LinkClass | FindingCode::P2p => Some(4),
        FindingCode::PcieWidth | FindingCode::PcieUplink | FindingCode::PcieGeneration | FindingCode::Throttled => {
            Some(4)
        }
        FindingCode::PortRate | FindingCode::PortWidth | FindingCode::PortMtu | FindingCode::Counter => Some(4),
        FindingCode::NcclEnvironment => Some(4),
        FindingCode::Transport => Some(5),
        _ => None,
    }
}

fn explains(cause: &Finding, effect: &Finding, facts: &Facts) -> bool {
    use FindingCode as Code;
    let same = cause.device.is_some() && cause.device == effect.device;
    let shared = same || is_end(cause.device.as_deref(), effect.device.as_deref());
    match (cause.code, effect.code) {
        (
            Code::PortPhysicalState | Code::PortState,
            Code::PortState | Code::PortRate | Code::PortWidth | Code::PortMtu | Code::PortGid | Code::Counter,
        ) => same,
        (Code::GpuLost, Code::GpuCount) => true,
        (Code::Xid | Code::KernelLog, Code::GpuLost) => same_bus(cause, effect),
        (Code::Xid | Code::KernelLog, Code::GpuCount) => is_lost(cause),
        (Code::Xid | Code::KernelLog, Code::NvlinkCount | Code::PcieWidth | Code::PcieGeneration) => same,
        (Code::Service, Code::FabricState) => is_fabric_manager(cause),
        (Code::FabricManager, Code::FabricState) => true,
        (Code::FabricState, Code::NvlinkCount) => same,
        (Code::FabricState | Code::NvlinkCount, Code::LinkClass) => shared && wants_nvlink(effect),
        (Code::FabricState | Code::NvlinkCount, Code::P2p) => shared && wants_ok(effect),
        // In a virtual machine both are on, and no fault.
        (Code::AcsRedirect | Code::Iommu, Code::P2p) => {
            wants_ok(effect) && facts.host.virtual_machine.value() != Some(&true)
        }
        (Code::KernelArgument, Code::Iommu) => names(cause, "iommu"),
        (Code::KernelArgument, Code::NumaBalancing) => names(cause, "numa_balancing"),
        _ => false,
    }
}

/// Whether a device is one end of a pair `GPU0-GPU2`.
fn is_end(device: Option<&str>, pair: Option<&str>) -> bool {
    let (Some(device), Some((first, second))) = (device, pair.and_then(|pair| pair.split_once('-'))) else {
        return false;
    };
    device == first || device == second
}

fn wants_nvlink(effect: &Finding) -> bool {
    effect.expected.as_deref().is_some_and(|expected| expected.starts_with("NV"))
}

fn wants_ok(effect: &Finding) -> bool {
    effect.expected.as_deref() == Some("ok")
}

fn is_fabric_manager(cause: &Finding) -> bool {
    cause.device.as_deref().is_some_and(|service| service.contains("fabricmanager"))
}

fn names(cause: &Finding, part: &str) -> bool {
    cause.device.as_deref().is_some_and(|argument| argument.contains(part))
}

fn is_lost(cause: &Finding) -> bool {
    matches!(cause.actual.as_deref(), Some("79" | "fallen-off-bus")) || cause.message.contains("fallen off the bus")
}

/// Whether two PCI addresses are of one device, whatever digits of the domain and function are written.
fn same_bus(cause: &Finding, effect: &Finding) -> bool {
    let bus = |device: &Option<String>| {
        let device = device.as_ref()?.to_ascii_lowercase();
        let device = device.split('.').next()?.trim_start_matches(['0', ':']).to_owned();
        (!device.is_empty()).then_some(device)
    };
    let (Some(ours), Some(theirs)) = (bus(&cause.device), bus(&effect.device)) else { return false };
    ours == theirs || ours.starts_with(&format!("{theirs}:")) || theirs.starts_with(&format!("{ours}:"))
}
