use std::collections::BTreeMap;

use super::support::{SIZE, choice, collective, decided, judged_case, log, network, p2p, test_case, unjoined};
use crate::{
    evidence::{Carrier, Choice, CollectiveEvidence, LibraryLog, Measurement},
    facts::{Facts, NumaNode},
    plan::Case,
    spec::{Collective, EnvironmentMap, EnvironmentValue, Operation, Pin, Test},
    units::Size,
    verdict::{
        FindingCode as Code, Outcome, Severity, Verdict,
        testing::{known, placed},
    },
};

fn set(name: &str, value: &str) -> EnvironmentMap {
    [(name.to_owned(), placed(EnvironmentValue::Set(value.into())))].into()
}

fn asking(environment: EnvironmentMap) -> Case {
    test_case(collective(Default::default()), |test| test.environment = environment)
}

fn echo(name: &str, values: &[&str], log: LibraryLog) -> LibraryLog {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    LibraryLog { environment: [(name.to_owned(), values)].into(), ..log }
}

/// The log, and the environment of the measuring process where it is shown.
fn evidence(log: LibraryLog, process: Option<&[(&str, &str)]>) -> CollectiveEvidence {
    let variables = |process: &[(&str, &str)]| -> BTreeMap<String, String> {
        process.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let measurement = Measurement { environment: process.map(variables), ..Measurement::default() };
    CollectiveEvidence { measurement: Some(measurement), log: Some(log), ..CollectiveEvidence::default() }
}

fn verdict(environment: EnvironmentMap, known: CollectiveEvidence) -> Verdict {
    judged_case(&asking(environment), Some(known), &unjoined(2), false)
}

/// `shown`, `contradicted` or `unproved`.
fn proof(verdict: &Verdict) -> &'static str {
    match decided(verdict) {
        (Outcome::Error, codes, _) if codes == [Code::Setting] => "contradicted",
        (Outcome::Pass, _, _) => match &verdict.findings[..] {
            [] => "shown",
            [note] if (note.code, note.severity) == (Code::Unproved, Severity::Note) => "unproved",
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_librarys_echo_proves_a_value_and_contradicts_another() {
    let proof = |values: &[&str]| {
        let log = echo("NCCL_BUFFSIZE", values, log(2, &p2p()));
        proof(&verdict(set("NCCL_BUFFSIZE", "4194304"), evidence(log, None)))
    };
    assert_eq!(proof(&["4194304"]), "shown");
    assert_eq!(proof(&["0x400000."]), "shown");
    assert_eq!(proof(&["8388608"]), "contradicted");
    // One rank has another value.
    assert_eq!(proof(&["4194304", "8388608"]), "contradicted");
    assert_eq!(proof(&[]), "unproved");
}

#[test]
fn the_process_alone_proves_nothing_and_contradicts() {
    let proof = |value: &str, process: &[(&str, &str)], carrier: Carrier| {
        proof(&verdict(set("NCCL_P2P_DISABLE", value), evidence(log(2, &carrier), Some(process))))
    };
    let on = &[("NCCL_P2P_DISABLE", "1")][..];
    assert_eq!(proof("1", on, Carrier::SharedMemory), "shown");
    assert_eq!(proof("1", &[], Carrier::SharedMemory), "unproved");
    assert_eq!(proof("1", &[("NCCL_P2P_DISABLE", "0")], Carrier::SharedMemory), "contradicted");
    assert_eq!(proof("0", &[("NCCL_P2P_DISABLE", "0")], p2p()), "unproved");
}

#[test]
fn a_path_that_is_off_and_carries_traffic_is_an_error_whatever_is_echoed() {
    for (name, carrier) in [
        ("NCCL_P2P_DISABLE", p2p()),
        ("NCCL_P2P_DISABLE", Carrier::Indirect("indirect".into())),
        ("NCCL_SHM_DISABLE", Carrier::SharedMemory),
        ("NCCL_IB_DISABLE", network("IB", 0, false)),
    ] {
        let proof = |value: &str| {
            let log = echo(name, &[value], log(2, &carrier));
            proof(&verdict(set(name, value), evidence(log, None)))
        };
        assert_eq!((proof("1"), proof("0")), ("contradicted", "shown"), "{name}");
        assert_eq!(proof("2"), "contradicted", "{name}");
    }
    let nvls = |nvls_used| LibraryLog { nvls_used, ..echo("NCCL_NVLS_ENABLE", &["0"], log(2, &p2p())) };
    let proof = |nvls_used| proof(&verdict(set("NCCL_NVLS_ENABLE", "0"), evidence(nvls(nvls_used), None)));
    assert_eq!((proof(true), proof(false)), ("contradicted", "shown"));
}

#[test]
fn an_algorithm_that_was_asked_for_and_not_chosen_is_an_error() {
    let proof = |name: &str, value: &str| {
        let log = LibraryLog { choices: [choice(SIZE, "Tree", "LL128")].into(), ..log(2, &p2p()) };
        proof(&verdict(set(name, value), evidence(log, Some(&[(name, value)]))))
    };
    assert_eq!(proof("NCCL_ALGO", "Ring"), "contradicted");
    assert_eq!(proof("NCCL_ALGO", "tree"), "shown");
    assert_eq!(proof("NCCL_PROTO", "Simple"), "contradicted");
    for open in ["Ring,Tree", "^Ring", "allreduce:tree"] {
        assert_eq!(proof("NCCL_ALGO", open), "unproved", "{open}");
    }
}

#[test]
fn words_of_the_library_are_alike_in_capitals() {
    let proof = |name: &str, asked: &str, seen: &str| {
        proof(&verdict(set(name, asked), evidence(echo(name, &[seen], log(2, &p2p())), None)))
    };
    assert_eq!(proof("NCCL_PROTO", "Simple", "SIMPLE"), "shown");
    assert_eq!(proof("NCCL_ALGO", "Ring,Tree", "ring,tree"), "shown");
    assert_eq!(proof("NCCL_ALGO", "Ring", "tree"), "contradicted");
    assert_eq!(proof("NCCL_SOCKET_IFNAME", "eth0", "ETH0"), "contradicted");
}

#[test]
fn a_limit_that_the_log_oversteps_is_an_error_whatever_is_echoed() {
    let proof = |name: &str, value: &str, log: LibraryLog| {
        proof(&verdict(set(name, value), evidence(echo(name, &[value], log), None)))
    };
    let over = |name: &str, gpudirect| log(2, &network(name, 0, gpudirect));
    for (name, value, wrong, right) in [
        ("NCCL_P2P_LEVEL", "LOC", log(2, &p2p()), log(2, &Carrier::SharedMemory)),
        ("NCCL_NET_GDR_LEVEL", "LOC", over("IB", true), over("IB", false)),
        ("NCCL_NET", "Socket", over("IB", true), over("Socket", false)),
        ("NCCL_NET", "ib", over("IBext_v8", true), over("IB", true)),
    ] {
        assert_eq!(proof(name, value, wrong), "contradicted", "{name}={value}");
        assert_eq!(proof(name, value, right), "shown", "{name}={value}");
    }
    let channels = |count| LibraryLog { channels: [count].into(), ..log(2, &p2p()) };
    assert_eq!(proof("NCCL_MAX_NCHANNELS", "2", channels(4)), "contradicted");
    assert_eq!(proof("NCCL_MAX_NCHANNELS", "2", channels(2)), "shown");
    assert_eq!(proof("NCCL_P2P_LEVEL", "NVL", log(2, &p2p())), "shown");
}

#[test]
fn the_choice_for_a_trimmed_size_is_the_sizes() {
    // 1 GiB over 6 ranks: a share is a multiple of 16 bytes, and the library sees 64 bytes less.
    let trimmed = Choice { operation: Some("AllGather".into()), ..choice(Size(SIZE.0 / 96 * 96), "Tree", "Simple") };
    let with = |algorithm: &str, choice: &Choice| {
        let case = test_case(
            Collective { operation: placed(Operation::AllGather), ..collective(Default::default()) },
            |test| test.environment = set("NCCL_ALGO", algorithm),
        );
        let log = LibraryLog { choices: [choice.clone()].into(), ..log(6, &p2p()) };
        proof(&judged_case(&case, Some(evidence(log, Some(&[("NCCL_ALGO", algorithm)]))), &unjoined(6), false))
    };
    assert_eq!(with("Tree", &trimmed), "shown");
    assert_eq!(with("Ring", &trimmed), "contradicted");
    // A size that is a step away is another.
    assert_eq!(with("Ring", &Choice { bytes: trimmed.bytes - 96, ..trimmed.clone() }), "unproved");
    assert_eq!(with("Ring", &Choice { bytes: trimmed.bytes + 96, ..trimmed.clone() }), "unproved");
}

#[test]
fn a_variable_to_be_removed_must_not_be_there() {
    let removed = || [("NCCL_ALGO".to_owned(), placed(EnvironmentValue::Removed))].into();
    let with = |values: &[&str], process| {
        let log = LibraryLog { ..log(2, &p2p()) };
        let log = if values.is_empty() { log } else { echo("NCCL_ALGO", values, log) };
        proof(&verdict(removed(), evidence(log, process)))
    };
    assert_eq!(with(&["Ring"], None), "contradicted");
    assert_eq!(with(&[], Some(&[("NCCL_ALGO", "Ring")])), "contradicted");
    assert_eq!(with(&[], Some(&[])), "shown");
    assert_eq!(with(&[], None), "unproved");
}

#[test]
fn values_by_rank_are_all_to_be_seen_and_no_other() {
    let hosts = || {
        let values = EnvironmentValue::PerRank(vec!["node0".into(), "node1".into()]);
        [("NCCL_HOSTID".to_owned(), placed(values))].into()
    };
    let apart = || LibraryLog { nodes: [2].into(), ..log(2, &network("Socket", 0, false)) };
    let with = |values: &[&str]| proof(&verdict(hosts(), evidence(echo("NCCL_HOSTID", values, apart()), None)));
    assert_eq!(with(&["node0", "node1"]), "shown");
    assert_eq!(with(&["node0"]), "unproved");
    assert_eq!(with(&["node0", "other"]), "contradicted");
    // Two identities are two nodes to the library: one that counts one node has not taken them.
    let together = echo("NCCL_HOSTID", &["node0", "node1"], log(2, &p2p()));
    assert_eq!(proof(&verdict(hosts(), evidence(together, None))), "contradicted");
}

#[test]
fn what_is_unproved_is_one_note_and_none_in_a_live_run() {
    let two = || {
        let mut environment = set("NCCL_BUFFSIZE", "1");
        environment.extend(set("NCCL_NTHREADS", "256"));
        environment
    };
    let change = |test: &mut Test| {
        test.environment = two();
        test.pin = Pin::GpuRemote;
    };
    let case = test_case(collective(Default::default()), change);
    let verdict = |facts: &Facts, live| judged_case(&case, Some(evidence(log(2, &p2p()), None)), facts, live);
    let mut facts = unjoined(2);
    let noted = verdict(&facts, false);
    assert_eq!((noted.outcome, noted.findings.len()), (Outcome::Pass, 1));
    assert!(noted.findings[0].message.ends_with("NCCL_BUFFSIZE=1, NCCL_NTHREADS=256, pin gpu-remote"));
    assert_eq!(verdict(&facts, true).findings, []);
    // On one node every pin is that node.
    facts.host.numa_nodes = known(vec![NumaNode::new(0, "0-3".parse().unwrap())]);
    assert!(verdict(&facts, false).findings[0].message.ends_with("NCCL_BUFFSIZE=1, NCCL_NTHREADS=256"));
}
