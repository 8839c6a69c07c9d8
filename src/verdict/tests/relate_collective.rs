use std::collections::BTreeMap;

use crate::{
    evidence::{Carrier, CollectiveEvidence, Edge, LibraryLog, LogRank},
    facts::{Facts, IommuMode, PciBridge},
    spec::{Collective, CollectiveExpect, EnvironmentValue, Kind, Operation, Sizes},
    units::Size,
    verdict::{
        Circumstances, Finding, FindingCode as Code, Outcome, Severity, Verdict, relate,
        testing::{case_with, known, placed, server},
        testing_engine, testing_measured,
    },
};

fn finding(code: Code, device: &str, expected: &str, actual: &str) -> Finding {
    let mut finding = Finding::new(code, Severity::Failure, format!("{device} is wrong"));
    finding.device = Some(device.into());
    finding.expected = Some(expected.into());
    finding.actual = Some(actual.into());
    finding
}

fn case(name: &str, findings: Vec<Finding>) -> (String, Verdict) {
    (name.into(), Verdict::from_findings(findings, Vec::new()))
}

fn on_host() -> Circumstances {
    let operation = Some(Operation::AllReduce);
    Circumstances { operation, stays_on_host: true, gpus: Some([0, 1, 2, 3].into()), ..Circumstances::default() }
}

/// What explains the first finding of the case `s::slow`.
fn because(effect: Finding, circumstances: Option<Circumstances>, causes: &[Finding], facts: &Facts) -> Vec<Code> {
    let mut cases = vec![case("s::slow", vec![effect]), case("s::other", causes.to_vec())];
    let circumstances = circumstances.into_iter().map(|known| ("s::slow".to_owned(), known)).collect();
    relate(&mut cases, facts, &circumstances);
    let once = cases.clone();
    relate(&mut cases, facts, &circumstances);
    assert_eq!(once, cases, "relating twice changes nothing");
    cases[0].1.findings[0].because.iter().map(|cause| cause.code).collect()
}

fn slow() -> Finding {
    finding(Code::BusBandwidth, "1G out of place", "at least 440.00 GB/s", "210.00 GB/s")
}

fn shared_memory() -> Finding {
    finding(Code::Transport, "GPU0-GPU1", "NVLink", "SHM")
}

#[test]
fn ports_explain_only_what_may_have_crossed_the_network() {
    let causes =
        [finding(Code::PortRate, "mlx5_0/1", "400 Gb/s", "200 Gb/s"), finding(Code::NvlinkCount, "GPU1", "18", "17")];
    let facts = server(4);
    assert_eq!(because(slow(), Some(on_host()), &causes, &facts), [Code::NvlinkCount]);
    let both = [Code::NvlinkCount, Code::PortRate];
    assert_eq!(because(slow(), None, &causes, &facts), both);
    let crossing = Circumstances { stays_on_host: false, ..on_host() };
    assert_eq!(because(slow(), Some(crossing), &causes, &facts), both);
    for code in [Code::Latency, Code::BandwidthDrop] {
        let effect = finding(code, "1G", "at most 20.00 us", "40.00 us");
        assert_eq!(because(effect, Some(on_host()), &causes, &facts), [Code::NvlinkCount], "{code}");
    }
}

#[test]
fn gpus_that_took_no_part_explain_nothing() {
    let facts = server(8);
    let of = |gpu: &str| because(slow(), Some(on_host()), &[finding(Code::NvlinkSpeed, gpu, "26", "13")], &facts);
    assert_eq!(of("GPU3"), [Code::NvlinkSpeed]);
    assert_eq!(of("GPU5"), []);
    let class = |pair: &str| because(slow(), Some(on_host()), &[finding(Code::LinkClass, pair, "NV18", "SYS")], &facts);
    assert_eq!((class("GPU3-GPU5"), class("GPU4-GPU5")), (vec![Code::LinkClass], vec![]));
}

#[test]
fn a_wrong_transport_is_explained_by_its_own_gpus() {
    let facts = server(4);
    let of = |cause: Finding| because(shared_memory(), Some(on_host()), &[cause], &facts);
    assert_eq!(of(finding(Code::FabricState, "GPU1", "completed", "in-progress")), [Code::FabricState]);
    assert_eq!(of(finding(Code::FabricState, "GPU2", "completed", "in-progress")), []);
    assert_eq!(of(finding(Code::P2p, "GPU0-GPU1", "ok", "CNS")), [Code::P2p]);
    assert_eq!(of(finding(Code::P2p, "GPU0-GPU2", "ok", "CNS")), []);
    assert_eq!(of(finding(Code::P2p, "GPU0-GPU1", "not-supported", "OK")), []);
    assert_eq!(of(finding(Code::NcclEnvironment, "NCCL_P2P_LEVEL", "clean", "LOC")), [Code::NcclEnvironment]);
    assert_eq!(of(finding(Code::Throttled, "GPU1", "off", "power-cap")), []);
}

#[test]
fn a_fabric_in_use_against_the_spec_is_not_explained_by_broken_links() {
    let facts = server(4);
    let too_near = || finding(Code::Transport, "GPU0-GPU1", "not P2P", "NVLink");
    let of = |cause: Finding| because(too_near(), Some(on_host()), &[cause], &facts);
    assert_eq!(of(finding(Code::NvlinkCount, "GPU1", "18", "17")), []);
    assert_eq!(of(finding(Code::NcclEnvironment, "NCCL_P2P_DISABLE", "clean", "0")), [Code::NcclEnvironment]);
    let link = [finding(Code::NvlinkCount, "GPU1", "18", "17")];
    for expected in ["15.00 GB/s to 60.00 GB/s", "at most 60.00 GB/s"] {
        let too_fast = finding(Code::BusBandwidth, "1G", expected, "320.00 GB/s");
        assert_eq!(because(too_fast, Some(on_host()), &link, &facts), [], "{expected}");
    }
    let too_slow = finding(Code::BusBandwidth, "1G", "15.00 GB/s to 60.00 GB/s", "9.00 GB/s");
    assert_eq!(because(too_slow, Some(on_host()), &link, &facts), [Code::NvlinkCount]);
}

#[test]
fn acs_of_a_virtual_machine_slows_nothing() {
    let acs = [finding(Code::AcsRedirect, "bridge 0000:00:01.0", "off", "on")];
    let mut facts = server(4);
    assert_eq!(because(slow(), Some(on_host()), &acs, &facts), [Code::AcsRedirect]);
    facts.host.virtual_machine = known(true);
    assert_eq!(because(slow(), Some(on_host()), &acs, &facts), []);
}

#[test]
fn a_wrong_transport_explains_its_own_case_and_comes_after_what_explains_it() {
    let mut cases = vec![
        case("s::slow", vec![slow(), shared_memory()]),
        case("s::elsewhere", vec![slow()]),
        case("s::links", vec![finding(Code::NvlinkCount, "GPU1", "18", "0")]),
    ];
    relate(&mut cases, &server(4), &BTreeMap::new());
    let codes = |at: usize, finding: usize| -> Vec<Code> {
        cases[at].1.findings[finding].because.iter().map(|cause| cause.code).collect()
    };
    assert_eq!(codes(0, 0), [Code::NvlinkCount, Code::Transport]);
    assert_eq!(codes(0, 1), [Code::NvlinkCount]);
    assert_eq!(codes(1, 0), [Code::NvlinkCount]);
}

#[test]
fn a_hang_that_goes_away_without_p2p_is_the_p2p_path() {
    let hint = |operation: Operation, healthy: bool, code: Code| {
        let without = if healthy { Vec::new() } else { vec![slow()] };
        let mut cases = vec![case("s::on", vec![finding(code, "1G", "", "")]), case("s::off", without)];
        let off = Circumstances { operation: Some(operation), p2p_is_off: true, ..Circumstances::default() };
        let circumstances = BTreeMap::from([("s::on".to_owned(), on_host()), ("s::off".to_owned(), off)]);
        relate(&mut cases, &server(4), &circumstances);
        relate(&mut cases, &server(4), &circumstances);
        cases[0].1.findings[0].hint.clone().unwrap_or_default()
    };
    for code in [Code::WrongData, Code::Unfinished, Code::HangInit, Code::HangFirstCollective, Code::HangMidRun] {
        let told = hint(Operation::AllReduce, true, code);
        assert_eq!(told.matches("s::off passes without P2P").count(), 1, "{told}");
    }
    assert_eq!(hint(Operation::AllReduce, false, Code::WrongData), "");
    assert_eq!(hint(Operation::AllGather, true, Code::WrongData), "");
    assert_eq!(hint(Operation::AllReduce, true, Code::BusBandwidth), "");
}

#[test]
fn the_hint_of_a_broken_p2p_path_has_acs_and_iommu() {
    let hint = |facts: &Facts| {
        let mut hang = finding(Code::HangFirstCollective, "GPU1", "", "");
        hang.severity = Severity::Error;
        let mut cases = vec![case("s::on", vec![hang]), case("s::off", Vec::new())];
        let off = Circumstances { p2p_is_off: true, ..on_host() };
        relate(&mut cases, facts, &BTreeMap::from([("s::on".to_owned(), on_host()), ("s::off".to_owned(), off)]));
        assert_eq!(cases[0].1.outcome, Outcome::Error);
        cases[0].1.findings[0].hint.clone().unwrap()
    };
    let mut facts = server(4);
    assert!(hint(&facts).contains("whether a bridge redirects is unknown, the IOMMU's mode is unknown"));
    let bridge = |bits: &[&str]| PciBridge {
        address: "0000:00:01.0".into(),
        buses_below: None,
        acs_redirect: Some(bits.iter().map(|bit| (*bit).to_owned()).collect()),
        acs_unread: None,
    };
    facts.host.iommu = known(IommuMode::Translating);
    facts.host.bridges = known(vec![bridge(&["ReqRedir"]), bridge(&[]), bridge(&["CmpltRedir"])]);
    assert!(hint(&facts).contains(&format!("2 bridges redirect, the IOMMU is {}", IommuMode::Translating)));
    facts.host.bridges = known(vec![bridge(&[])]);
    assert!(hint(&facts).contains("no bridge redirects"));
    facts.host.virtual_machine = known(true);
    assert!(hint(&facts).contains("a virtual machine hides those of its host"));
}

#[test]
fn a_hang_is_explained_by_what_loses_writes_between_its_gpus() {
    let hang = || {
        let mut hang = finding(Code::HangFirstCollective, "GPU1", "", "");
        hang.severity = Severity::Error;
        hang
    };
    let mut facts = server(8);
    let of = |cause: Finding, facts: &Facts| because(hang(), Some(on_host()), &[cause], facts);
    let acs = || finding(Code::AcsRedirect, "bridge 0000:00:01.0", "off", "on");
    assert_eq!(of(acs(), &facts), [Code::AcsRedirect]);
    assert_eq!(of(finding(Code::Iommu, "host", "off", "translating"), &facts), [Code::Iommu]);
    assert_eq!(of(finding(Code::Xid, "GPU2", "none", "79"), &facts), [Code::Xid]);
    assert_eq!(of(finding(Code::Xid, "GPU6", "none", "79"), &facts), []);
    assert_eq!(of(finding(Code::Throttled, "GPU2", "off", "power-cap"), &facts), []);
    facts.host.virtual_machine = known(true);
    assert_eq!(of(acs(), &facts), []);
}

#[test]
fn the_own_engine_tells_the_gpus_and_whether_p2p_was_off() {
    let case = testing_measured::case_among(Kind::Collective(testing_measured::all_reduce(&[("1G", 1.0)])), &[]);
    let mut known = testing_engine::evidence(&testing_engine::sweep(&["1G"]), testing_engine::run(2, &[("1G", 9.0)]));
    assert_eq!(Circumstances::of(&case, Some(&known)).gpus, Some([0, 1].into()));
    assert!(!Circumstances::of(&case, Some(&known)).p2p_is_off);
    let measurement = known.measurement.as_mut().unwrap();
    measurement.environment = Some([("NCCL_P2P_DISABLE".to_owned(), "1".to_owned())].into());
    assert!(Circumstances::of(&case, Some(&known)).p2p_is_off);
}

#[test]
fn circumstances_are_read_from_the_case_and_its_log() {
    let collective = Collective {
        operation: placed(Operation::AllGather),
        datatype: None,
        redop: None,
        root: None,
        sizes: placed(Sizes::List(vec![Size(8)])),
        iterations: None,
        warmup: None,
        in_place: None,
        engine: None,
        expect: CollectiveExpect::default(),
    };
    let case = case_with(Kind::Collective(collective), None, |test| {
        let off = placed(EnvironmentValue::Set("1".into()));
        test.environment.insert("NCCL_P2P_DISABLE".into(), off);
    });
    let edge = |carrier| Edge { from: 0, to: 1, carrier };
    let rank = |device| LogRank { device: Some(device), ..LogRank::default() };
    let log = |carrier| LibraryLog {
        nodes: [1].into(),
        ranks: [(0, rank(4)), (1, rank(5))].into(),
        edges: [edge(Carrier::SharedMemory), edge(carrier)].into(),
        ..LibraryLog::default()
    };
    let of = |log| {
        let known = CollectiveEvidence { log, ..CollectiveEvidence::default() };
        Circumstances::of(&case, Some(&known))
    };
    let right = Circumstances {
        operation: Some(Operation::AllGather),
        ends_without_p2p: false,
        p2p_is_off: true,
        stays_on_host: true,
        gpus: Some([4, 5].into()),
    };
    assert_eq!(of(Some(log(Carrier::SharedMemory))), right);
    let crosses = Circumstances { stays_on_host: false, ..right.clone() };
    assert_eq!(of(Some(log(Carrier::CollNet("SHARP".into())))), crosses);
    assert_eq!(of(None), Circumstances { gpus: None, ..crosses });
}
