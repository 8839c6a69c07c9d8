//! Records built by hand, one for each way in which a case or a run can end.

use linkspec::{
    facts::Facts,
    record::{CaseRecord, EnvironmentEntry, Event, Flaky, RunHeader, RunRecord},
    spec::Place,
    verdict::{Cause, Finding, FindingCode, Measured, Severity, Verdict},
};

use crate::{engine, machine};

const SPEC: &str = "specs/hgx-h100.yaml";

/// Every record, by the name of its golden files.
pub fn all() -> Vec<(&'static str, RunRecord)> {
    vec![
        ("pass", pass()),
        ("fail", fail()),
        ("error", error()),
        ("skip", skip()),
        ("flaky", flaky()),
        ("not-finished", not_finished()),
        ("interrupted", interrupted()),
        ("mixed", mixed()),
        ("engine", engine::run()),
    ]
}

pub fn mixed() -> RunRecord {
    let cases = vec![host_passes(), all_reduce("LL128", 461.3), numa_skipped(), mesh_fails(), ring_fails(), ports()];
    ended(machine::live(), cases)
}

fn pass() -> RunRecord {
    let mut record = ended(machine::live(), vec![mesh_passes(), all_reduce("Simple", 468.214), host_passes()]);
    record.header.warnings = vec![
        "specs/hgx-h100.yaml:61:9: the floor of 440 GB/s names no source, so no one can tell where the figure is from"
            .into(),
    ];
    record
}

fn fail() -> RunRecord {
    ended(machine::live(), vec![mesh_fails(), ring_fails()])
}

fn error() -> RunRecord {
    let mut record = ended(machine::ticket(), vec![mesh_unknown(), ports()]);
    record.header.hostname = "ticket-4711".into();
    record
}

fn skip() -> RunRecord {
    let mut long = numa_skipped();
    long.name = "hgx-h100::all-reduce-across-nodes[NCCL_ALGO=Tree,pin=gpu-remote]".into();
    ended(machine::live(), vec![numa_skipped(), long])
}

fn flaky() -> RunRecord {
    let mut passed = all_reduce("Simple", 441.0);
    passed.flaky = Some(Flaky { tries: 2, passed: true });
    let warning = Finding::new(FindingCode::Flaky, Severity::Warning, "passed on try 2 of 3: try 1 was out of spec");
    passed.verdict = Verdict::from_findings(vec![warning], passed.verdict.measured);
    let mut failed = ring_fails();
    failed.flaky = Some(Flaky { tries: 3, passed: false });
    ended(machine::live(), vec![passed, failed])
}

fn not_finished() -> RunRecord {
    let names = [mesh_passes().name, ring_fails().name, ports().name];
    let events = vec![
        Event::RunStarted(Box::new(header(machine::live(), names.to_vec()))),
        Event::CaseStarted { name: names[0].clone() },
        Event::CaseFinished(Box::new(mesh_passes())),
        Event::CaseStarted { name: names[1].clone() },
    ];
    RunRecord::from_events(events).expect("the first event is the start")
}

fn interrupted() -> RunRecord {
    let names = vec![mesh_passes().name, ports().name];
    let events = vec![
        Event::RunStarted(Box::new(header(machine::live(), names))),
        Event::CaseFinished(Box::new(mesh_passes())),
        Event::RunFinished { seconds: 0.5, interrupted: true, facts_after: None },
    ];
    RunRecord::from_events(events).expect("the first event is the start")
}

/// A run that ended with these cases.
pub fn ended(facts: Facts, cases: Vec<CaseRecord>) -> RunRecord {
    let names = cases.iter().map(|case| case.name.clone()).collect();
    let mut record = RunRecord::planned(header(facts, names));
    record.seconds = Some(cases.iter().map(|case| case.seconds).sum::<f64>() + 0.25);
    record.cases = cases;
    record
}

fn header(facts: Facts, planned: Vec<String>) -> RunHeader {
    RunHeader {
        version: RunRecord::VERSION,
        linkspec: "0.1.0".into(),
        suite: "hgx-h100".into(),
        title: Some("NVIDIA HGX H100, 8 GPUs, 8 x NDR 400".into()),
        spec: SPEC.into(),
        command: vec!["linkspec".into(), SPEC.into()],
        hostname: "gpu-node-17".into(),
        started: "2026-05-04T10:00:00+02:00".into(),
        facts,
        warnings: vec![],
        planned,
    }
}

pub fn case(test: &str, kind: &str, seconds: f64, verdict: Verdict) -> CaseRecord {
    let name = format!("hgx-h100::{test}");
    CaseRecord {
        test: test.split('[').next().unwrap_or_default().into(),
        kind: kind.into(),
        pin: "gpu-local".into(),
        gpus: "0-7".into(),
        seconds,
        verdict,
        repeat: format!("linkspec {SPEC} --exact '{name}'"),
        place: Some(place(28, 5, "  - name: the-test")),
        ..CaseRecord::unfinished(&name, "2026-05-04T10:00:01+02:00")
    }
}

pub fn place(line: u32, column: u32, text: &str) -> Place {
    Place { file: SPEC.into(), line, column, text: text.into() }
}

pub fn measured(subject: &str, actual: &str, expected: &str, margin: Option<f64>) -> Measured {
    Measured { subject: subject.into(), actual: actual.into(), expected: expected.into(), margin }
}

fn mesh(verdict: Verdict) -> CaseRecord {
    let mut case = case("nvlink-mesh", "topology", 0.012, verdict);
    case.title = Some("every GPU reaches every other over 18 NVLinks".into());
    case
}

fn pairs() -> impl Iterator<Item = String> {
    (0..8).flat_map(|a| (a + 1..8).map(move |b| format!("GPU{a}-GPU{b}")))
}

fn mesh_passes() -> CaseRecord {
    mesh(Verdict::from_findings(vec![], pairs().map(|pair| measured(&pair, "NV18", "NV18", None)).collect()))
}

fn mesh_place() -> Place {
    place(32, 16, "      require: NV18              # exact; `NVLink` alone accepts any width")
}

fn mesh_fails() -> CaseRecord {
    let findings = pairs()
        .filter(|pair| pair.contains("GPU5"))
        .map(|pair| {
            let message = format!("{pair} is joined by SYS, not by NV18");
            let mut finding = Finding::new(FindingCode::LinkClass, Severity::Failure, message);
            finding.device = Some(pair);
            finding.expected = Some("NV18".into());
            finding.actual = Some("SYS".into());
            finding.place = Some(mesh_place());
            finding.source = Some("NVML".into());
            finding.hint = Some(
                "look at the links of the GPU that the pairs have in common with `nvidia-smi nvlink -s`, and in the \
                 kernel log for Xid 74"
                    .into(),
            );
            finding.because = vec![Cause {
                case: "hgx-h100::gpus".into(),
                code: FindingCode::FabricState,
                device: Some("GPU5".into()),
                message: "GPU5's fabric state is in-progress, not completed".into(),
            }];
            finding
        })
        .collect();
    mesh(Verdict::from_findings(findings, vec![]))
}

fn mesh_unknown() -> CaseRecord {
    let findings = pairs()
        .map(|pair| {
            let message = format!("{pair}: link unknown: nvidia-smi-topo-m.txt ends within its table");
            let mut finding = Finding::new(FindingCode::Unknown, Severity::Error, message);
            finding.device = Some(pair);
            finding.expected = Some("NV18".into());
            finding.place = Some(mesh_place());
            finding.hint = Some("save the output of `nvidia-smi topo -m` again, whole".into());
            finding
        })
        .collect();
    mesh(Verdict::from_findings(findings, vec![]))
}

fn all_reduce(protocol: &str, busbw: f64) -> CaseRecord {
    let values = vec![
        measured("busbw at 8G out of place", "476.50 GB/s", ">= 460 GB/s", Some(0.035_869)),
        measured("busbw at 1G out of place", &format!("{busbw:.2} GB/s"), ">= 440 GB/s", Some(busbw / 440.0 - 1.0)),
    ];
    let note = Finding::new(FindingCode::Unproved, Severity::Note, "no file shows whether the pin took effect");
    let cell = format!("all-reduce[NCCL_PROTO={protocol}]");
    let mut case = case(&cell, "collective", 12.4, Verdict::from_findings(vec![note], values));
    case.cell = vec![("NCCL_PROTO".into(), protocol.into())];
    case.environment = vec![
        EnvironmentEntry { name: "NCCL_PROTO".into(), value: Some(protocol.into()), origin: "cell".into() },
        EnvironmentEntry { name: "NCCL_DEBUG".into(), value: None, origin: "pin".into() },
    ];
    case
}

fn ring_fails() -> CaseRecord {
    let message = "all_reduce at 1G out of place: busbw 312.37 GB/s, below the floor of 330 GB/s by 5.34 %; rank 5 on \
                   GPU5 is the slowest";
    let mut finding = Finding::new(FindingCode::Counter, Severity::Failure, message);
    finding.device = Some("GPU5".into());
    finding.expected = Some(">= 330 GB/s".into());
    finding.actual = Some("312.37 GB/s".into());
    finding.unit = Some("GB/s".into());
    finding.margin = Some(-0.053_424);
    finding.place = Some(place(55, 33, "          expect: { busbw: { 1G: 330 GB/s, 8G: 340 GB/s } }"));
    finding.hint = Some("compare the ranks' clocks and the NVLink error counters of GPU5".into());
    let mut warning =
        Finding::new(FindingCode::Throttled, Severity::Warning, "GPU5's clock was lowered while it ran: hw-slowdown");
    warning.device = Some("GPU5".into());
    warning.source = Some("NVML".into());
    let values = vec![measured("busbw at 1G out of place", "312.37 GB/s", ">= 330 GB/s", Some(-0.053_424))];
    let mut case = case(
        "all-reduce[NCCL_ALGO=Ring,NCCL_PROTO=LL128]",
        "collective",
        18.75,
        Verdict::from_findings(vec![warning, finding], values),
    );
    case.output = Some("#  size  time\n\t8\t\u{1b}[31m12.5\u{1b}[0m\n".into());
    case
}

fn ports() -> CaseRecord {
    let reasons = ["ibstat.txt and ibv_devinfo.txt are not there", "no port of it is listed"];
    let findings = reasons
        .iter()
        .enumerate()
        .map(|(at, reason)| {
            let device = format!("mlx5_{at}/1");
            let mut finding =
                Finding::new(FindingCode::Unknown, Severity::Error, format!("{device}: rate unknown: {reason}"));
            finding.device = Some(device);
            finding.expected = Some("400 Gb/s".into());
            finding.place = Some(place(44, 13, "      rate: $ib_rate             # a parameter stands for a scalar"));
            finding
        })
        .collect();
    case("ib-ports", "rdma_ports", 0.003, Verdict::from_findings(findings, vec![]))
}

fn numa_skipped() -> CaseRecord {
    case("numa-matters[pin=gpu-remote]", "collective", 0.0, Verdict::skipped("one NUMA node only"))
}

fn host_passes() -> CaseRecord {
    let values = vec![
        measured("iommu", "passthrough", "passthrough", None),
        measured("numa_balancing", "off", "off", None),
        measured("memlock", "unlimited", "at least 64G", None),
    ];
    case("host", "host", 0.004, Verdict::from_findings(vec![], values))
}
