use crate::{
    facts::{FabricState, Fact, Facts, Gpu, LogEvent, LogEventKind, PcieUplink, Switch},
    spec::{EccErrorsExpect, GpuExpect, Kind, RemappedRowsExpect, ThrottleExpect, XidExpect},
    units::{Bandwidth, Size},
    verdict::{
        FindingCode, Outcome, Severity,
        testing::{
            at_least, exact, failures, glob, known, links, machine, on_second, outcome, placed, server, verdict,
        },
    },
};

type Set = fn(&mut Gpu, bool);

fn expect(change: impl FnOnce(&mut GpuExpect)) -> Kind {
    let mut expect = GpuExpect::default();
    change(&mut expect);
    Kind::Gpu(expect)
}

/// A link that reaches generation 4 with 16 lanes.
fn uplink(generation: u32, width: u32) -> PcieUplink {
    PcieUplink {
        address: "0000:41:00.0".into(),
        generation: Some(generation),
        generation_max: Some(4),
        width: Some(width),
        width_max: Some(16),
    }
}

/// Each key with what sets a right value (`true`) and a wrong one.
fn keys() -> Vec<(Kind, FindingCode, Set)> {
    vec![
        (expect(|e| e.name = exact(glob("NVIDIA H*"))), FindingCode::GpuName, |gpu, right| {
            gpu.name = known(if right { "NVIDIA H200" } else { "NVIDIA A100" }.into());
        }),
        (expect(|e| e.vbios = exact(glob("96.00.A5.*"))), FindingCode::Vbios, |gpu, right| {
            gpu.vbios = known(if right { "96.00.A5.00.1A" } else { "96.00.74.00.1C" }.into());
        }),
        (expect(|e| e.nvlinks_active = exact(18)), FindingCode::NvlinkCount, |gpu, right| {
            gpu.nvlinks = known(links(if right { 18 } else { 17 }, 18));
        }),
        (expect(|e| e.nvlink_speed = exact(Bandwidth(26.562))), FindingCode::NvlinkSpeed, |gpu, right| {
            let mut links = links(2, 2);
            links[1].speed = Some(Bandwidth(if right { 26.562 } else { 25.0 }));
            gpu.nvlinks = known(links);
        }),
        (expect(|e| e.pcie_generation = exact(5)), FindingCode::PcieGeneration, |gpu, right| {
            gpu.pcie.generation = known(if right { 5 } else { 4 });
            gpu.pcie.under_load = known(true);
        }),
        (expect(|e| e.pcie_width = exact(16)), FindingCode::PcieWidth, |gpu, right| {
            gpu.pcie.width = known(if right { 16 } else { 8 });
        }),
        (expect(|e| e.pcie_uplinks = Some(placed(()))), FindingCode::PcieUplink, |gpu, right| {
            gpu.pcie_uplinks = known(vec![uplink(4, 16), uplink(if right { 4 } else { 2 }, 16)]);
        }),
        (expect(|e| e.ecc = Some(placed(Switch::On))), FindingCode::EccMode, |gpu, right| {
            gpu.ecc = known(if right { Switch::On } else { Switch::Off });
        }),
        (
            expect(|e| {
                e.ecc_errors = Some(placed(EccErrorsExpect { uncorrected: exact(0), ..EccErrorsExpect::default() }));
            }),
            FindingCode::EccErrors,
            |gpu, right| gpu.ecc_volatile.uncorrected = known(u64::from(!right)),
        ),
        (
            expect(|e| {
                let rows = RemappedRowsExpect { failure: Some(placed(false)), ..RemappedRowsExpect::default() };
                e.remapped_rows = Some(placed(rows));
            }),
            FindingCode::RemappedRows,
            |gpu, right| gpu.remapped_rows.failure = known(!right),
        ),
        (expect(|e| e.fabric_state = exact(FabricState::Completed)), FindingCode::FabricState, |gpu, right| {
            gpu.fabric_state = known(if right { FabricState::Completed } else { FabricState::InProgress });
        }),
        (expect(|e| e.persistence = Some(placed(Switch::On))), FindingCode::Persistence, |gpu, right| {
            gpu.persistence = known(if right { Switch::On } else { Switch::Off });
        }),
        (expect(|e| e.mig = Some(placed(Switch::Off))), FindingCode::Mig, |gpu, right| {
            gpu.mig = known(if right { Switch::Off } else { Switch::On });
        }),
        (expect(|e| e.memory = at_least(Size(140 << 30))), FindingCode::GpuMemory, |gpu, right| {
            gpu.memory = known(Size(if right { 143_771 << 20 } else { 80 << 30 }));
        }),
        (
            expect(|e| e.throttled = Some(placed(ThrottleExpect::Off { allow: vec!["power-cap".into()] }))),
            FindingCode::Throttled,
            |gpu, right| {
                let reason = if right { "power-cap" } else { "hw-slowdown" };
                gpu.throttle_reasons = known(vec!["idle".into(), reason.into()]);
            },
        ),
    ]
}

#[test]
fn every_key_passes_fails_and_is_unknown() {
    for (kind, code, set) in keys() {
        let machine = |first: Option<bool>, second: Option<bool>| {
            let mut facts = server(2);
            for (index, right) in [(0, first), (1, second)] {
                let gpu = facts.gpu_mut(index);
                *gpu = Gpu::new(index);
                if let Some(right) = right {
                    set(gpu, right);
                }
            }
            facts
        };
        let right = verdict(kind.clone(), &machine(Some(true), Some(true)));
        assert_eq!((right.outcome, right.findings.as_slice()), (Outcome::Pass, [].as_slice()), "{code}");
        assert!(right.measured[0].subject.starts_with("2 GPUs "), "{code}: {:?}", right.measured);
        assert_eq!(outcome(kind.clone(), &machine(Some(true), None)), Outcome::Error, "{code}");
        let wrong = verdict(kind.clone(), &machine(None, Some(false)));
        assert_eq!((wrong.outcome, failures(&wrong)), (Outcome::Fail, vec![code]), "{code}");
        assert_eq!(wrong.findings[0].device.as_deref(), Some("GPU1"), "{code}");
        let other = Facts { gpu_count: Fact::default(), ..machine(Some(true), Some(true)) };
        assert_eq!(outcome(kind, &other), Outcome::Error, "{code}: further GPUs may be there");
    }
}

#[test]
fn twelve_of_eighteen_links_are_right_where_the_spec_says_so() {
    let facts = on_second(|gpu| gpu.nvlinks = known(links(12, 18)), server(2));
    let mut facts = facts;
    facts.gpu_mut(0).nvlinks = known(links(12, 18));
    assert_eq!(outcome(expect(|e| e.nvlinks_active = exact(12)), &facts), Outcome::Pass);
    assert_eq!(outcome(expect(|e| e.nvlink_speed = exact(Bandwidth(26.562))), &facts), Outcome::Pass);
}

#[test]
fn a_gpu_whose_links_are_all_down_has_no_speed_to_pass_with() {
    let facts = on_second(|gpu| gpu.nvlinks = known(links(0, 18)), server(2));
    assert_eq!(outcome(expect(|e| e.nvlink_speed = exact(Bandwidth(26.562))), &facts), Outcome::Fail);
    let mut silent = links(18, 18);
    silent[3].speed = None;
    let facts = on_second(|gpu| gpu.nvlinks = known(silent), server(2));
    assert_eq!(outcome(expect(|e| e.nvlink_speed = exact(Bandwidth(26.562))), &facts), Outcome::Error);
}

#[test]
fn a_link_at_rest_is_no_fault_and_no_proof() {
    let kind = || expect(|e| e.pcie_generation = exact(5));
    let at = |now: u32, most: Option<u32>| {
        let mut facts = server(1);
        let pcie = &mut facts.gpu_mut(0).pcie;
        pcie.generation = known(now);
        pcie.generation_max = most.map_or_else(Fact::default, known);
        facts
    };
    assert_eq!(outcome(kind(), &at(5, None)), Outcome::Pass);
    assert_eq!(outcome(kind(), &at(1, None)), Outcome::Error);
    assert_eq!(outcome(kind(), &at(1, Some(5))), Outcome::Error);
    assert_eq!(outcome(kind(), &at(1, Some(4))), Outcome::Fail);
}

#[test]
fn a_gpu_at_rest_is_not_throttled() {
    let facts = on_second(|gpu| gpu.throttle_reasons = known(vec!["idle".into()]), server(2));
    let mut facts = facts;
    facts.gpu_mut(0).throttle_reasons = known(Vec::new());
    let kind = expect(|e| e.throttled = Some(placed(ThrottleExpect::Off { allow: Vec::new() })));
    assert_eq!(outcome(kind, &facts), Outcome::Pass);
}

#[test]
fn the_driver_is_compared_by_version_order_and_needs_one() {
    let range = || expect(|e| e.driver_range = Some(placed((Some("535.54.03".parse().unwrap()), None))));
    let mut facts = server(1);
    assert_eq!(outcome(range(), &facts), Outcome::Error);
    for (driver, right) in [("580.95.05", Outcome::Pass), ("535.54.02", Outcome::Fail), ("580.x-dev", Outcome::Error)] {
        facts.driver = known(driver.into());
        assert_eq!(outcome(range(), &facts), right, "{driver}");
    }
    facts.driver = known("580.95.05".into());
    assert_eq!(outcome(expect(|e| e.driver = exact(glob("580.*"))), &facts), Outcome::Pass);
    assert_eq!(outcome(expect(|e| e.driver = exact(glob("570.*"))), &facts), Outcome::Fail);
}

#[test]
fn an_xid_is_proof_and_its_absence_needs_a_log() {
    let kind = |allow: &[u32]| expect(|e| e.xid = Some(placed(XidExpect { allow: allow.to_vec() })));
    let event =
        |kind, code| LogEvent { kind, code, device: Some("0000:20:00".into()), line: 9, quote: "NVRM: Xid".into() };
    let mut facts = server(2);
    assert_eq!(outcome(kind(&[]), &facts), Outcome::Error);
    facts.host.kernel_log = known(Vec::new());
    assert_eq!(outcome(kind(&[]), &facts), Outcome::Pass);
    facts.host.kernel_log = known(vec![event(LogEventKind::Xid, Some(43))]);
    assert_eq!(outcome(kind(&[43, 45]), &facts), Outcome::Pass);
    let failed = verdict(kind(&[]), &facts);
    assert_eq!(failures(&failed), [FindingCode::Xid]);
    assert_eq!(failed.findings[0].device.as_deref(), Some("GPU1"));
    facts.host.kernel_log = known(vec![event(LogEventKind::FallenOffBus, None)]);
    assert_eq!(outcome(kind(&[43]), &facts), Outcome::Fail, "the report at boot has no number");
}

#[test]
fn more_gpus_than_wanted_fail_although_the_listing_is_cut() {
    let facts = Facts { gpu_count: Fact::default(), ..server(4) };
    assert_eq!(outcome(expect(|e| e.count = exact(2)), &facts), Outcome::Fail);
    assert_eq!(outcome(expect(|e| e.count = exact(8)), &facts), Outcome::Error);
}

#[test]
fn a_quantity_that_misses_its_bound_is_the_worst_margin() {
    let kind = expect(|e| (e.count, e.memory) = (exact(8), at_least(Size(100))));
    let mut facts = server(2);
    facts.gpus.iter_mut().for_each(|gpu| gpu.memory = known(Size(150)));
    let verdict = verdict(kind, &facts);
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert_eq!(verdict.worst_margin(), Some(-0.75));
    assert_eq!(verdict.worst().unwrap().subject, "machine number of GPUs");
}

#[test]
fn facts_of_two_gpus_under_one_index_never_pass_and_can_fail() {
    let mut facts = server(8);
    facts.gpu_mut(1).uuid = Fact::Conflict { reason: "a.txt says GPU-1, b.txt says GPU-2".into() };
    assert_eq!(outcome(expect(|e| e.nvlinks_active = exact(18)), &facts), Outcome::Error);
    assert_eq!(outcome(expect(|e| e.nvlinks_active = exact(17)), &facts), Outcome::Fail);
    assert_eq!(outcome(Kind::Machine(machine()), &facts), Outcome::Error);
}

#[test]
fn uplinks_that_are_narrow_fail_and_those_that_show_nothing_are_unknown() {
    let kind = || expect(|e| e.pcie_uplinks = Some(placed(())));
    let with = |links: Vec<PcieUplink>| {
        let mut facts = server(1);
        facts.gpu_mut(0).pcie_uplinks = known(links);
        facts
    };
    let narrow = verdict(kind(), &with(vec![uplink(4, 8)]));
    assert_eq!(narrow.outcome, Outcome::Fail);
    let message =
        "GPU0 is below a PCIe link, 0000:41:00.0, that runs at generation 4 x8; its ends reach generation 4 x16";
    assert_eq!(narrow.findings[0].message, message);
    let silent = PcieUplink { generation: None, ..uplink(4, 16) };
    assert_eq!(outcome(kind(), &with(vec![silent.clone()])), Outcome::Error);
    // A fault that is known beside one that is not.
    assert_eq!(outcome(kind(), &with(vec![silent, uplink(2, 16)])), Outcome::Fail);
    assert_eq!(outcome(kind(), &with(Vec::new())), Outcome::Pass);
}

#[test]
fn a_completed_fabric_with_problems_does_not_pass_in_silence() {
    let completed = || expect(|e| e.fabric_state = exact(FabricState::Completed));
    let machine = |problems: Fact<Vec<String>>| {
        let mut facts = server(2);
        facts.gpus.iter_mut().for_each(|gpu| gpu.fabric_state = known(FabricState::Completed));
        on_second(|gpu| gpu.fabric_problems = problems, facts)
    };
    let found = verdict(completed(), &machine(known(vec!["degraded-bandwidth".into(), "no-partition".into()])));
    assert_eq!((found.outcome, found.findings.len()), (Outcome::Pass, 1));
    assert_eq!((found.findings[0].severity, found.findings[0].code), (Severity::Warning, FindingCode::FabricState));
    let told = "GPU1 has problems with the fabric, says tool.txt: degraded-bandwidth, no-partition";
    assert_eq!(found.findings[0].message, told);
    for silent in [known(Vec::new()), Fact::unknown("the driver does not assess the fabric's health")] {
        assert_eq!(verdict(completed(), &machine(silent)).findings, []);
    }
}
