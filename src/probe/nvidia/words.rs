//! NVML's numbers in words.

use crate::facts::{FabricState, LinkClass, NvLinkRemoteKind, P2pStatus};

/// `nvmlClocksEventReason*` by bit, named as the reader of `nvidia-smi -q` names them.
const THROTTLE_REASONS: [(u64, &str); 9] = [
    (0x1, "idle"),
    (0x2, "applications-clocks-setting"),
    (0x4, "power-cap"),
    (0x8, "hw-slowdown"),
    (0x10, "sync-boost"),
    (0x20, "sw-thermal-slowdown"),
    (0x40, "hw-thermal-slowdown"),
    (0x80, "hw-power-brake-slowdown"),
    (0x100, "display-clock-setting"),
];

/// The reasons for a lowered clock. A bit that is not known here is a reason all the same.
pub(super) fn throttle_reasons(bits: u64) -> Vec<String> {
    let mut reasons: Vec<String> =
        THROTTLE_REASONS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| (*name).to_owned()).collect();
    let unknown = THROTTLE_REASONS.iter().fold(bits, |bits, (bit, _)| bits & !bit);
    if unknown != 0 {
        reasons.push(format!("unknown-0x{unknown:x}"));
    }
    reasons.sort_unstable();
    reasons
}

/// `nvmlGpuTopologyLevel_t`. Two GPUs on one board are nearer than a switch: nvidia-smi prints PIX for both.
pub(super) fn ancestor(level: u32) -> Option<LinkClass> {
    match level {
        0 | 10 => Some(LinkClass::Pix),
        20 => Some(LinkClass::Pxb),
        30 => Some(LinkClass::Phb),
        40 => Some(LinkClass::Node),
        50 => Some(LinkClass::Sys),
        _ => None,
    }
}

/// `nvmlGpuP2PStatus_t`; 6 is NVML's own word for unknown.
pub(super) fn p2p(status: u32) -> Option<P2pStatus> {
    match status {
        0 => Some(P2pStatus::Ok),
        1 => Some(P2pStatus::Cns),
        2 => Some(P2pStatus::Gns),
        3 => Some(P2pStatus::Tns),
        4 => Some(P2pStatus::Dr),
        5 => Some(P2pStatus::Ns),
        _ => None,
    }
}

/// `NVML_GPU_FABRIC_STATE_*` together with what the registration ended with.
pub(super) fn fabric_state(state: u32, status: u32) -> Option<FabricState> {
    match (state, status) {
        (0, _) => Some(FabricState::NotSupported),
        (1, _) => Some(FabricState::NotStarted),
        (2, _) => Some(FabricState::InProgress),
        (3, 0) => Some(FabricState::Completed),
        (3, _) => Some(FabricState::Failed),
        _ => None,
    }
}

/// Parts of `NVML_GPU_FABRIC_HEALTH_MASK_*` that are 1 where something is wrong: their shift and name. Each has two bits.
const FABRIC_PROBLEMS: [(u32, &str); 4] =
    [(0, "degraded-bandwidth"), (2, "route-recovery"), (4, "route-unhealthy"), (6, "access-timeout-recovery")];
/// The shift of `NVML_GPU_FABRIC_HEALTH_MASK_*_INCORRECT_CONFIGURATION`, which has four bits.
const CONFIGURATION: u32 = 8;
/// By the value of that part, from 2; 0 is not supported and 1 is correct.
const CONFIGURATION_PROBLEMS: [&str; 6] = [
    "incorrect-system-guid",
    "incorrect-chassis-serial-number",
    "no-partition",
    "insufficient-nvlinks",
    "incompatible-gpu-firmware",
    "invalid-location",
];

/// What is wrong with the fabric; `None` where the driver assesses nothing of it.
pub(super) fn fabric_problems(mask: u32, summary: Option<u32>) -> Option<Vec<String>> {
    let mut problems = Vec::new();
    for (shift, name) in FABRIC_PROBLEMS {
        match mask >> shift & 3 {
            0 | 2 => {}
            1 => problems.push(name.to_owned()),
            other => problems.push(format!("{name}-{other}")),
        }
    }
    match mask >> CONFIGURATION & 0xf {
        0 | 1 => {}
        number => {
            let index = usize::try_from(number).unwrap_or_default().saturating_sub(2);
            let name = CONFIGURATION_PROBLEMS.get(index).map(|name| (*name).to_owned());
            problems.push(name.unwrap_or_else(|| format!("incorrect-configuration-{number}")));
        }
    }
    match summary {
        Some(2) if problems.is_empty() => problems.push("unhealthy".to_owned()),
        Some(3) => problems.push("limited-capacity".to_owned()),
        Some(0..=2) | None => {}
        Some(other) => problems.push(format!("health-summary-{other}")),
    }
    let assessed = mask != 0 || summary.is_some_and(|summary| summary != 0);
    assessed.then_some(problems)
}

/// `nvmlIntNvLinkDeviceType_t`.
pub(super) const fn remote_kind(number: u32) -> NvLinkRemoteKind {
    match number {
        0 => NvLinkRemoteKind::Gpu,
        1 => NvLinkRemoteKind::Cpu,
        2 => NvLinkRemoteKind::Switch,
        _ => NvLinkRemoteKind::Unknown,
    }
}

/// A UUID of 16 bytes, as nvidia-smi writes that of a cluster.
pub(super) fn uuid(bytes: [u8; 16]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// A version of CUDA as nvidia-smi prints it: `13.0` for 13000.
pub(super) fn cuda(number: i32) -> Option<String> {
    (number >= 1000).then(|| format!("{}.{}", number / 1000, number % 1000 / 10))
}

/// The numbers of the bits that are set, the lowest first.
pub(super) fn bits(words: &[u64]) -> impl Iterator<Item = u32> {
    let word = |(at, word): (u32, u64)| {
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at.saturating_mul(64).saturating_add(bit))
    };
    (0_u32..).zip(words.iter().copied()).flat_map(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_for_a_lowered_clock() {
        assert_eq!(throttle_reasons(0), Vec::<String>::new());
        assert_eq!(throttle_reasons(0x1 | 0x40 | 0x8), ["hw-slowdown", "hw-thermal-slowdown", "idle"]);
        assert_eq!(throttle_reasons(0x4 | 0x400), ["power-cap", "unknown-0x400"]);
    }

    #[test]
    fn the_fabric() {
        assert_eq!(fabric_state(3, 0), Some(FabricState::Completed));
        assert_eq!(fabric_state(3, 999), Some(FabricState::Failed));
        assert_eq!(fabric_state(2, 0), Some(FabricState::InProgress));
        assert_eq!(fabric_state(9, 0), None);
    }

    #[test]
    fn the_health_of_the_fabric_by_its_mask() {
        assert_eq!(fabric_problems(0, None), None);
        assert_eq!(fabric_problems(0, Some(0)), None);
        let healthy = 2 | 2 << 2 | 2 << 4 | 2 << 6 | 1 << 8;
        assert_eq!(fabric_problems(healthy, Some(1)), Some(vec![]));
        let degraded = 1 | 2 << 2 | 1 << 4 | 5 << 8;
        let problems = ["degraded-bandwidth", "route-unhealthy", "insufficient-nvlinks"];
        assert_eq!(fabric_problems(degraded, Some(2)).unwrap(), problems);
        assert_eq!(fabric_problems(2, Some(2)).unwrap(), ["unhealthy"]);
    }

    #[test]
    fn bits_and_versions() {
        assert_eq!(bits(&[0b101, 1]).collect::<Vec<_>>(), [0, 2, 64]);
        assert_eq!(cuda(12080).as_deref(), Some("12.8"));
        assert_eq!(cuda(0), None);
        let bytes = [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0, 1, 2, 3, 4, 5, 6, 7];
        assert_eq!(uuid(bytes), "12345678-9abc-def0-0001-020304050607");
    }
}
