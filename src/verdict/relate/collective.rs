//! What explains a slow collective, and a transport that should not carry it.

use super::Circumstances;
use crate::{
    facts::Facts,
    verdict::{Finding, FindingCode as Code},
};

/// Whether a finding explains one of a collective's figures or transports. `case` is that of the effect, and
/// `same_case` says that the cause is of it too.
pub(super) fn explains(
    cause: &Finding,
    effect: &Finding,
    same_case: bool,
    case: Option<&Circumstances>,
    facts: &Facts,
) -> bool {
    match effect.code {
        Code::BusBandwidth if is_too_fast(effect) => false,
        Code::BusBandwidth | Code::Latency | Code::BandwidthDrop if cause.code == Code::Transport => same_case,
        Code::BusBandwidth | Code::Latency | Code::BandwidthDrop => slows(cause, case, facts),
        Code::Transport => diverts(cause, effect, case, facts),
        code if is_hang(code) => stops(cause, case, facts),
        _ => false,
    }
}

/// Whether a code says that a collective did not end in time.
pub(super) const fn is_hang(code: Code) -> bool {
    matches!(code, Code::HangInit | Code::HangFirstCollective | Code::HangMidRun)
}

/// Whether a finding keeps collectives from their end: what loses the writes between GPUs, or a GPU.
fn stops(cause: &Finding, case: Option<&Circumstances>, facts: &Facts) -> bool {
    let stops = match cause.code {
        Code::AcsRedirect | Code::Iommu => facts.host.virtual_machine.value() != Some(&true),
        Code::Xid | Code::GpuLost | Code::FabricState | Code::FabricManager | Code::NvlinkCount => true,
        _ => false,
    };
    stops && case.is_none_or(|case| case.involves(cause.device.as_deref()))
}

/// Whether a finding makes collectives slow.
fn slows(cause: &Finding, case: Option<&Circumstances>, facts: &Facts) -> bool {
    if is_port(cause.code) {
        return !case.is_some_and(|case| case.stays_on_host);
    }
    let is_link = matches!(cause.code, Code::NvlinkSpeed | Code::PcieGeneration | Code::Throttled);
    (is_link || breaks_path(cause, facts)) && case.is_none_or(|case| case.involves(cause.device.as_deref()))
}

/// Whether a finding makes the library take another way between two GPUs.
fn diverts(cause: &Finding, effect: &Finding, case: Option<&Circumstances>, facts: &Facts) -> bool {
    if cause.code == Code::NcclEnvironment {
        return true;
    }
    // Trouble of links explains what is farther than the fabric, never the fabric itself.
    if matches!(effect.actual.as_deref(), Some("NVLink" | "XGMI" | "NVLS" | "P2P")) {
        return false;
    }
    if is_port(cause.code) {
        return !case.is_some_and(|case| case.stays_on_host);
    }
    breaks_path(cause, facts)
        && case.is_none_or(|case| case.involves(cause.device.as_deref()))
        && touches(cause.device.as_deref(), effect.device.as_deref())
}

/// Whether a finding takes away a path between GPUs, or leaves a narrower one.
fn breaks_path(cause: &Finding, facts: &Facts) -> bool {
    match cause.code {
        Code::NvlinkCount
        | Code::FabricState
        | Code::PcieWidth
        | Code::PcieUplink
        | Code::GpuLost
        | Code::NcclEnvironment => true,
        Code::LinkClass => {
            cause.expected.as_deref().is_some_and(|expected| expected.starts_with("NV") || expected == "XGMI")
        }
        Code::P2p => cause.expected.as_deref() == Some("ok"),
        // In a virtual machine it is on, and no fault.
        Code::AcsRedirect => facts.host.virtual_machine.value() != Some(&true),
        _ => false,
    }
}

const fn is_port(code: Code) -> bool {
    matches!(
        code,
        Code::PortState | Code::PortPhysicalState | Code::PortRate | Code::PortWidth | Code::PortMtu | Code::Counter
    )
}

/// Whether two GPUs or pairs of GPUs have a GPU in common, or one of the two is no GPU: a lost one has an address only.
/// Two pairs are one or have nothing to do with each other.
fn touches(cause: Option<&str>, effect: Option<&str>) -> bool {
    let ends = |device: Option<&str>| -> Vec<String> {
        let device = device.filter(|device| device.starts_with("GPU")).unwrap_or_default();
        device.split('-').filter(|end| !end.is_empty()).map(str::to_owned).collect()
    };
    let (cause, effect) = (ends(cause), ends(effect));
    cause.is_empty() || effect.is_empty() || cause.iter().all(|end| effect.contains(end))
}

/// Whether a bandwidth is above its ceiling: links that are down do not explain that. Expectations are written as
/// `at most 60 GB/s` and `15 GB/s to 60 GB/s`.
fn is_too_fast(effect: &Finding) -> bool {
    let number = |text: &str| {
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        digits.split(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse::<f64>().ok()
    };
    let expected = effect.expected.as_deref().unwrap_or_default();
    let ceiling = expected.strip_prefix("at most").or_else(|| Some(expected.split_once(" to ")?.1)).and_then(number);
    let actual = effect.actual.as_deref().and_then(number);
    matches!((actual, ceiling), (Some(actual), Some(ceiling)) if actual > ceiling)
}
