//! A server with everything that a report can show: links, NICs, ports, a sweep that passes and one that fails.

use linkspec::{
    evidence::{CollectiveEvidence, Figure, Measurement, Rank, Row, Sample, Wrong},
    facts::{Damage, Fact, Facts, GpuNic, LinkClass, Nic, PortState, RdmaDevice},
    record::{CaseRecord, RunRecord},
    units::Rate,
    verdict::{Cause, Finding, FindingCode, Severity, Verdict},
};

use crate::{
    machine,
    records::{self, case, ended, measured, place},
};

const NICS: u32 = 4;

/// Every way in which a case can end, on a machine whose GPU5 has lost its links.
pub fn whole() -> RunRecord {
    let mut cases = records::mixed().cases;
    let stale = cases.iter_mut().flat_map(|case| &mut case.verdict.findings);
    for finding in stale.filter(|finding| !finding.because.is_empty()) {
        finding.because = vec![fabric_cause()];
    }
    cases.push(gpus_fail());
    cases.push(sweep_fails());
    cases.push(sweep_passes("NCCL_ALGO=Ring"));
    cases.push(sweep_passes("NCCL_ALGO=Tree"));
    let mut record = ended(facts(), cases);
    record.header.warnings = vec!["specs/hgx-h100.yaml:61:9: the floor of 440 GB/s names no source".into()];
    record
}

fn facts() -> Facts {
    let mut facts = machine::live();
    for b in 1..8 {
        for a in 0..b {
            let class = if a == 5 || b == 5 { LinkClass::Sys } else { LinkClass::NvLink(18) };
            facts.pair_mut(a, b).class = Fact::known(class, "NVML");
        }
    }
    facts.pair_mut(6, 7).class = Fact::unknown("the row of GPU7 is cut");
    let nic = |index: u32| Nic { label: format!("NIC{index}"), device: Some(format!("mlx5_{index}")) };
    facts.nics = Fact::known((0..NICS).map(nic).collect(), "nvidia-smi-topo-m.txt");
    let classes = [LinkClass::Pix, LinkClass::Pxb, LinkClass::Node, LinkClass::Sys];
    for gpu in 0_u32..8 {
        for index in 0..NICS {
            let class = classes[usize::try_from((gpu / 2).abs_diff(index)).unwrap_or_default()];
            let class = Fact::known(class, "nvidia-smi-topo-m.txt");
            facts.gpu_nics.push(GpuNic { gpu, nic: format!("NIC{index}"), class });
        }
    }
    facts.rdma_devices = (0..NICS).map(device).collect();
    facts.damage = vec![Damage::new("ibstat.txt", 40, "\tRate: ", "the line has no value")];
    facts.sources.insert("ibstat.txt".into(), "read".into());
    facts.sources.insert("dmesg.txt".into(), "not there".into());
    facts
}

fn device(index: u32) -> RdmaDevice {
    let mut device = RdmaDevice::new(&format!("mlx5_{index}"));
    device.firmware = Fact::known("28.39.1002".into(), "ibstat.txt");
    let port = device.port_mut(1);
    let up = index != 2;
    port.state = Fact::known(if up { PortState::Active } else { PortState::Down }, "ibstat.txt");
    port.physical_state = Fact::known(if up { "LinkUp" } else { "Polling" }.into(), "ibstat.txt");
    port.rate = if index == 3 {
        Fact::unknown("ibstat.txt:40: the line has no value")
    } else {
        Fact::known("400 Gb/s".parse::<Rate>().unwrap(), "ibstat.txt")
    };
    port.link_layer = Fact::known("InfiniBand".into(), "ibstat.txt");
    device
}

fn fabric_cause() -> Cause {
    Cause {
        case: "hgx-h100::gpus".into(),
        code: FindingCode::NvlinkCount,
        device: Some("GPU5".into()),
        message: "GPU5 has 0 active NVLinks, expected 18".into(),
    }
}

fn gpus_fail() -> CaseRecord {
    let mut links = Finding::new(FindingCode::NvlinkCount, Severity::Failure, fabric_cause().message);
    links.device = Some("GPU5".into());
    links.expected = Some("18".into());
    links.actual = Some("0".into());
    links.because = vec![Cause {
        case: "hgx-h100::gpus".into(),
        code: FindingCode::FabricState,
        device: Some("GPU5".into()),
        message: "GPU5's fabric state is in-progress, expected completed".into(),
    }];
    let mut fabric = Finding::new(
        FindingCode::FabricState,
        Severity::Failure,
        "GPU5's fabric state is in-progress, expected completed",
    );
    fabric.device = Some("GPU5".into());
    fabric.place = Some(place(21, 18, "      fabric: completed"));
    fabric.hint = Some("look at `systemctl status nvidia-fabricmanager` and its log".into());
    case("gpus", "gpu", 0.02, Verdict::from_findings(vec![links, fabric], vec![]))
}

fn sweep_fails() -> CaseRecord {
    let mut finding = Finding::new(
        FindingCode::BusBandwidth,
        Severity::Failure,
        "busbw at 1G in place is 312.37 GB/s, expected at least 330 GB/s, missed by 5.34 %",
    );
    finding.expected = Some("at least 330 GB/s".into());
    finding.actual = Some("312.37 GB/s".into());
    finding.margin = Some(-0.053_424);
    finding.because = vec![Cause {
        case: "hgx-h100::nvlink-mesh".into(),
        code: FindingCode::LinkClass,
        device: Some("GPU0-GPU5".into()),
        message: "GPU0-GPU5 is joined by SYS, not by NV18".into(),
    }];
    let values = vec![
        measured("busbw at 64M in place", "205.00 GB/s", "at least 200 GB/s", Some(0.025)),
        measured("busbw at 1G in place", "312.37 GB/s", "at least 330 GB/s", Some(-0.053_424)),
        measured("busbw at 1K out of place", "0.20 GB/s", "at most 20 GB/s", Some(0.99)),
    ];
    let mut case = case("reduce-scatter", "collective", 14.5, Verdict::from_findings(vec![finding], values));
    case.collective = Some(Box::new(sweep(330.0, Some(312.37))));
    case
}

fn sweep_passes(cell: &str) -> CaseRecord {
    let floors = [("64M", 200.0), ("1G", 330.0)];
    let values = floors.map(|(size, floor)| {
        let margin = Some(350.0 / floor - 1.0);
        measured(&format!("busbw at {size} out of place"), "350.00 GB/s", &format!("at least {floor} GB/s"), margin)
    });
    let verdict = Verdict::from_findings(vec![], values.to_vec());
    let mut case = case(&format!("all-gather[{cell}]"), "collective", 14.5, verdict);
    case.collective = Some(Box::new(sweep(350.0, None)));
    case
}

/// A sweep that comes near `peak`; `last` is what was measured at 1G in place.
fn sweep(peak: f64, last: Option<f64>) -> CollectiveEvidence {
    let rows = (3..=30).map(|power| {
        let size = 1_u64 << power;
        let busbw = peak * size as f64 / (size as f64 + 4e7);
        let in_place = last.filter(|_| power == 30).unwrap_or(busbw * 0.98);
        Row {
            size,
            count: Some(size / 4),
            datatype: Some("float".into()),
            redop: Some("sum".into()),
            root: Some(-1),
            out_of_place: Some(sample(size, busbw)),
            in_place: (power != 12).then(|| sample(size, in_place)),
            doubt: None,
            source: "nccl-tests/x.txt".into(),
            line: power,
        }
    });
    let rank = |rank| Rank { rank, host: None, device: Some(rank), pci: None, name: None };
    let measurement = Measurement {
        sources: vec!["nccl-tests/x.txt".into()],
        tool: Some("nccl-tests 2.19.6".into()),
        operation: Some("all_gather".into()),
        ranks: (0..8).map(rank).collect(),
        rows: rows.collect(),
        ..Measurement::default()
    };
    CollectiveEvidence { measurement: Some(measurement), ..CollectiveEvidence::default() }
}

fn sample(size: u64, busbw: f64) -> Sample {
    let figure = |value: f64| Figure::printed(&format!("{value:.2}")).unwrap();
    let algbw = busbw / 0.875;
    let time = figure(size as f64 / algbw / 1e3);
    Sample { time, algbw: figure(algbw), busbw: figure(busbw), wrong: Wrong::Elements(0) }
}
