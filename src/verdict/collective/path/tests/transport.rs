use std::collections::BTreeSet;

use super::support::{
    SIZE, bus, choice, collective, decided, judged, judged_case, log, network, of_log, p2p, path, test_case, transport,
    unjoined,
};
use crate::{
    evidence::{Carrier, CollectiveEvidence, Edge, LibraryLog, Measurement, Rank},
    facts::{Damage, Facts},
    spec::Operation,
    verdict::{
        FindingCode as Code, Outcome,
        testing::{class, known, placed, server},
    },
};

/// The outcome of a case that requires some transports and forbids others.
fn outcome(require: &[&str], forbid: &[&str], log: LibraryLog, facts: &Facts) -> Outcome {
    judged(transport(require, forbid), log, facts).outcome
}

/// A log with the connection from one rank to another replaced.
fn with_edge(mut log: LibraryLog, from: u32, to: u32, carrier: Carrier) -> LibraryLog {
    log.edges.retain(|edge| (edge.from, edge.to) != (from, to));
    log.edges.insert(Edge { from, to, carrier });
    log
}

fn without(mut log: LibraryLog, is_gone: impl Fn(&Edge) -> bool) -> LibraryLog {
    log.edges.retain(|edge| !is_gone(edge));
    log
}

#[test]
fn the_word_p2p_does_not_prove_nvlink() {
    let facts = unjoined(2);
    let log = || log(2, &p2p());
    for name in ["NVLink", "PCIe", "XGMI"] {
        assert_eq!(outcome(&[name], &[], log(), &facts), Outcome::Error, "{name}");
        assert_eq!(outcome(&[], &[name], log(), &facts), Outcome::Error, "{name}");
    }
    assert_eq!(outcome(&["P2P"], &["SHM", "NET"], log(), &facts), Outcome::Pass);
    assert_eq!(outcome(&[], &["P2P"], log(), &facts), Outcome::Fail);
}

#[test]
fn what_carried_the_traffic_is_said_where_nothing_is_asked_of_it() {
    let case = test_case(collective(Default::default()), |_| {});
    let told = judged_case(&case, Some(of_log(log(2, &p2p()))), &server(2), false);
    let carried: Vec<(&str, &str)> =
        told.measured.iter().map(|measured| (measured.subject.as_str(), measured.actual.as_str())).collect();
    assert_eq!((told.outcome, carried), (Outcome::Pass, vec![("GPU0-GPU1 transport", "NVLink")]));
}

#[test]
fn the_logs_own_matrix_or_the_topology_tells_the_link() {
    let with_path = |name| LibraryLog { paths: [path(0, 1, name)].into(), ..log(2, &p2p()) };
    let unknown = unjoined(2);
    assert_eq!(outcome(&["NVLink"], &[], with_path("NVL"), &unknown), Outcome::Pass);
    assert_eq!(outcome(&["NVLink"], &[], with_path("PHB"), &unknown), Outcome::Fail);
    assert_eq!(outcome(&["PCIe"], &["NVLink"], with_path("SYS"), &unknown), Outcome::Pass);
    assert_eq!(outcome(&["NVLink"], &[], with_path("DIS"), &unknown), Outcome::Error);
    assert_eq!(outcome(&["NVLink"], &[], log(2, &p2p()), &server(2)), Outcome::Pass);
    let mut pcie = server(2);
    pcie.pair_mut(0, 1).class = known(class("SYS"));
    let verdict = judged(transport(&["NVLink"], &[]), log(2, &p2p()), &pcie);
    assert_eq!(decided(&verdict), (Outcome::Fail, vec![Code::Transport], vec!["GPU0-GPU1"]));
    assert_eq!(verdict.findings[0].message, "GPU0-GPU1 uses PCIe, expected NVLink");
    // The two disagree: neither is believed.
    assert_eq!(outcome(&["NVLink"], &[], with_path("NVL"), &pcie), Outcome::Error);
    assert_eq!(outcome(&["P2P"], &[], with_path("NVL"), &pcie), Outcome::Pass);
}

#[test]
fn the_matrix_of_another_host_or_of_rccl_is_read_as_such() {
    let mut rccl = LibraryLog { paths: [path(0, 1, "NVL")].into(), ..log(2, &p2p()) };
    rccl.libraries.insert("RCCL 2.21.5".into());
    assert_eq!(outcome(&["XGMI"], &[], rccl.clone(), &unjoined(2)), Outcome::Pass);
    assert_eq!(outcome(&["NVLink"], &[], rccl, &unjoined(2)), Outcome::Fail);
    let mut other = path(0, 1, "NVL");
    other.host = Some("elsewhere".into());
    let log = LibraryLog { paths: [other].into(), ..log(2, &p2p()) };
    assert_eq!(outcome(&["NVLink"], &[], log, &unjoined(2)), Outcome::Error);
}

#[test]
fn this_machines_topology_does_not_speak_of_other_nodes() {
    let mut two_nodes = log(2, &p2p());
    two_nodes.nodes = [2].into();
    let verdict = judged(transport(&["NVLink"], &[]), two_nodes, &server(2));
    assert_eq!(decided(&verdict), (Outcome::Error, vec![Code::Unknown], vec!["rank 0-rank 1"]));
    // One host name is not enough where two ranks are on a GPU of the same address.
    let mut alike = log(2, &p2p());
    alike.nodes.clear();
    assert_eq!(outcome(&["NVLink"], &[], alike.clone(), &server(2)), Outcome::Pass);
    alike.ranks.get_mut(&1).unwrap().bus = Some(bus(0));
    assert_eq!(outcome(&["NVLink"], &[], alike, &server(2)), Outcome::Error);
}

#[test]
fn ranks_are_found_by_address_before_index() {
    let mut facts = server(4);
    facts.pair_mut(2, 3).class = known(class("SYS"));
    // CUDA_VISIBLE_DEVICES=2,3 in a container: the indices are 0 and 1, the addresses those of GPU2 and GPU3.
    let mut log = log(2, &p2p());
    for (rank, gpu) in [(0, 2), (1, 3)] {
        log.ranks.get_mut(&rank).unwrap().bus = Some(bus(gpu));
    }
    let verdict = judged(transport(&["NVLink"], &[]), log.clone(), &facts);
    assert_eq!(decided(&verdict), (Outcome::Fail, vec![Code::Transport], vec!["GPU2-GPU3"]));
    // Addresses that the machine does not have are of another machine, whatever the indices say.
    log.ranks.get_mut(&0).unwrap().bus = Some("f1000".into());
    assert_eq!(outcome(&["NVLink"], &[], log, &facts), Outcome::Error);
}

#[test]
fn one_connection_by_shared_memory_fails_a_ring_of_nvlink() {
    let log = with_edge(log(4, &p2p()), 2, 3, Carrier::SharedMemory);
    let verdict = judged(transport(&["NVLink"], &["SHM"]), log, &server(4));
    let right = (Outcome::Fail, vec![Code::Transport, Code::Transport], vec!["GPU2-GPU3", "GPU2-GPU3"]);
    assert_eq!(decided(&verdict), right);
    let subjects: Vec<&str> = verdict.measured.iter().map(|measured| measured.subject.as_str()).collect();
    let once = ["3 GPU pairs transport", "GPU2-GPU3 transport"];
    assert_eq!(subjects, [once, once].concat());
}

#[test]
fn a_connection_that_is_not_seen_may_be_of_another_kind() {
    let gone = |log| without(log, |edge| (edge.from, edge.to) == (3, 0));
    let verdict = judged(transport(&["NVLink"], &[]), gone(log(4, &p2p())), &server(4));
    assert_eq!(verdict.outcome, Outcome::Error);
    assert!(verdict.findings[0].message.ends_with("the log shows no connection from rank 3 to rank 0"));
    // What is seen can fail it all the same.
    assert_eq!(outcome(&["SHM"], &[], gone(log(4, &p2p())), &server(4)), Outcome::Fail);
    // Without rings every rank needs one way out and one in.
    let ringless = |log| LibraryLog { rings: BTreeSet::new(), ..log };
    assert_eq!(outcome(&["NVLink"], &[], ringless(log(4, &p2p())), &server(4)), Outcome::Pass);
    let verdict = judged(transport(&["NVLink"], &[]), ringless(gone(log(4, &p2p()))), &server(4));
    assert!(verdict.findings[0].message.ends_with("the log shows no connection from rank 3"));
}

#[test]
fn a_way_to_a_network_that_reduces_is_none_to_another_rank() {
    let mut only_collnet = LibraryLog { rings: BTreeSet::new(), ..log(2, &p2p()) };
    only_collnet.edges =
        [0, 1].map(|rank| Edge { from: rank, to: rank, carrier: Carrier::CollNet("SHARP".into()) }).into();
    assert_eq!(outcome(&["CollNet"], &[], only_collnet.clone(), &server(2)), Outcome::Error);
    let verdict = judged(transport(&[], &["CollNet"]), only_collnet, &server(2));
    assert_eq!(decided(&verdict).2, ["GPU0", "GPU1", "other connections"]);
}

#[test]
fn the_number_of_ranks_must_be_known_and_more_than_one() {
    for of in [None, Some(1)] {
        let mut log = log(2, &p2p());
        log.ranks.values_mut().for_each(|rank| rank.of = of);
        assert_eq!(outcome(&["NVLink"], &[], log, &server(2)), Outcome::Error, "{of:?}");
    }
    let mut log = log(2, &p2p());
    log.ranks.get_mut(&1).unwrap().of = Some(3);
    assert_eq!(outcome(&["NVLink"], &[], log, &server(2)), Outcome::Error);
    assert_eq!(outcome(&["NVLink"], &[], LibraryLog::default(), &server(2)), Outcome::Error);
}

#[test]
fn a_damaged_line_may_have_been_a_connection() {
    let mut log = log(2, &p2p());
    log.damage.push(Damage::new("nccl-log/test.txt", 9, "Channel 03 : 0[", "the line is cut"));
    assert_eq!(outcome(&["NVLink"], &[], log, &server(2)), Outcome::Error);
}

#[test]
fn without_a_log_nothing_is_proved_and_the_file_is_named() {
    let case = test_case(collective(transport(&["NVLink"], &[])), |_| {});
    let verdict = judged_case(&case, None, &server(2), false);
    assert_eq!(verdict.outcome, Outcome::Error);
    assert!(verdict.findings[0].message.ends_with("nccl-log/test.txt is not there"));
    let silent = test_case(collective(Default::default()), |_| {});
    assert_eq!(judged_case(&silent, None, &server(2), false).findings, []);
}

#[test]
fn connections_of_several_communicators_are_not_told_apart() {
    let several = |log: LibraryLog| LibraryLog { communicators: ["0xa".into(), "0xb".into()].into(), ..log };
    let mixed = with_edge(log(4, &p2p()), 2, 3, Carrier::SharedMemory);
    assert_eq!(outcome(&[], &["SHM"], several(mixed), &server(4)), Outcome::Error);
    assert_eq!(outcome(&["NVLink"], &[], several(log(4, &p2p())), &server(4)), Outcome::Pass);
}

#[test]
fn trees_stand_for_rings_that_were_never_connected() {
    let chain = [(0, 1), (1, 2), (2, 3)];
    let mut log = without(log(4, &p2p()), |edge| (edge.from, edge.to) == (3, 0));
    log.edges.extend(chain.map(|(to, from)| Edge { from, to, carrier: p2p() }));
    assert_eq!(outcome(&["NVLink"], &[], log.clone(), &server(4)), Outcome::Error);
    log.trees = chain.map(|(parent, child)| (child, parent)).into();
    assert_eq!(outcome(&["NVLink"], &[], log.clone(), &server(4)), Outcome::Pass);
    log.choices.insert(choice(SIZE, "Ring", "Simple"));
    assert_eq!(outcome(&["NVLink"], &[], log.clone(), &server(4)), Outcome::Error);
    log.choices = [choice(SIZE, "Tree", "Simple")].into();
    let log = without(log, |edge| (edge.from, edge.to) == (3, 2));
    assert_eq!(outcome(&["NVLink"], &[], log, &server(4)), Outcome::Error);
}

#[test]
fn a_log_of_other_gpus_than_the_measurements_proves_nothing() {
    // GPU0 is at 10000, GPU1 at 20000 in the log.
    let on = |addresses: [&str; 2]| {
        let rank = |(rank, address): (u32, &str)| Rank {
            rank,
            host: None,
            device: None,
            pci: Some(address.to_owned()),
            name: None,
        };
        let ranks = (0..).zip(addresses).map(rank).collect();
        let measurement = Measurement { ranks, sources: vec!["nccl-tests/test.txt".into()], ..Measurement::default() };
        let known = CollectiveEvidence { measurement: Some(measurement), ..of_log(log(2, &p2p())) };
        judged_case(&test_case(collective(transport(&["NVLink"], &[])), |_| {}), Some(known), &server(2), false)
    };
    assert_eq!(on(["0000:10:00", "0000:20:00"]).outcome, Outcome::Pass);
    assert_eq!(on(["0000:10:00.0", "0x20"]).outcome, Outcome::Pass);
    let other = on(["0000:10:00", "0000:30:00"]);
    assert_eq!(other.outcome, Outcome::Error);
    let reason = "rank 1 is on the GPU 20000 in nccl-log/test.txt and on 0000:30:00 in nccl-tests/test.txt";
    assert!(other.findings[0].message.contains(reason), "{}", other.findings[0].message);
}

#[test]
fn rings_that_were_connected_are_shown_in_full() {
    let chain = [(0, 1), (1, 2), (2, 3)];
    let mut log = without(log(4, &p2p()), |edge| (edge.from, edge.to) == (3, 0));
    log.edges.extend(chain.map(|(to, from)| Edge { from, to, carrier: p2p() }));
    log.trees = chain.map(|(parent, child)| (child, parent)).into();
    log.rings_connected = true;
    // Nothing tells that the trees alone carry the traffic, and one connection of the ring is not to be seen.
    assert_eq!(outcome(&["NVLink"], &[], log, &server(4)), Outcome::Error);
}

#[test]
fn trees_that_are_used_are_shown_in_full() {
    // The ring is whole; of the tree's connections only those that the ring has too are there.
    let trees: BTreeSet<(u32, u32)> = [(1, 0), (2, 1), (3, 2)].into();
    let plain = LibraryLog { trees, ..log(4, &p2p()) };
    assert_eq!(outcome(&["NVLink"], &[], plain.clone(), &server(4)), Outcome::Pass);
    let connected = LibraryLog { trees_connected: true, ..plain.clone() };
    let ringless = LibraryLog { rings: BTreeSet::new(), ..connected.clone() };
    let chosen = LibraryLog { choices: [choice(SIZE, "Tree", "Simple")].into(), ..plain };
    for mut log in [connected, ringless, chosen] {
        assert_eq!(outcome(&["NVLink"], &[], log.clone(), &server(4)), Outcome::Error);
        log.edges.extend([(1, 0), (2, 1), (3, 2)].map(|(from, to)| Edge { from, to, carrier: p2p() }));
        assert_eq!(outcome(&["NVLink"], &[], log, &server(4)), Outcome::Pass);
    }
}

#[test]
fn every_pair_of_an_alltoall_must_be_seen() {
    let case = |operation| {
        let mut collective = collective(transport(&["NVLink"], &[]));
        collective.operation = placed(operation);
        test_case(collective, |_| {})
    };
    let outcome = |operation, log| judged_case(&case(operation), Some(of_log(log)), &server(3), false).outcome;
    assert_eq!(outcome(Operation::AllToAll, log(3, &p2p())), Outcome::Error);
    assert_eq!(outcome(Operation::SendRecv, log(3, &p2p())), Outcome::Pass);
    let mut all = log(3, &p2p());
    all.edges.extend([(1, 0), (2, 1), (0, 2)].map(|(from, to)| Edge { from, to, carrier: p2p() }));
    assert_eq!(outcome(Operation::AllToAll, all.clone()), Outcome::Pass);
    assert_eq!(outcome(Operation::Gather, all.clone()), Outcome::Pass);
    let to_root = without(all, |edge| edge.from == 0);
    assert_eq!(outcome(Operation::Gather, to_root.clone()), Outcome::Pass);
    assert_eq!(outcome(Operation::Scatter, to_root), Outcome::Error);
}

#[test]
fn gpudirect_is_a_matter_of_the_connection() {
    let over = |name: &str, gpudirect| log(2, &network(name, 0, gpudirect));
    let facts = server(2);
    assert_eq!(outcome(&["IB/GDRDMA"], &[], over("IB", true), &facts), Outcome::Pass);
    assert_eq!(outcome(&["IB"], &["Socket"], over("IB", true), &facts), Outcome::Pass);
    assert_eq!(outcome(&["IB/GDRDMA"], &[], over("IB", false), &facts), Outcome::Fail);
    assert_eq!(outcome(&["IB"], &[], over("Socket", false), &facts), Outcome::Fail);
    assert_eq!(outcome(&["NET"], &["P2P"], over("AWS Libfabric", false), &facts), Outcome::Pass);
    assert_eq!(outcome(&["IB"], &[], over("AWS Libfabric", false), &facts), Outcome::Error);
}

/// A log with NVLS set up and a choice for the size.
fn with_nvls(algorithm: &str) -> LibraryLog {
    LibraryLog { nvls_used: true, choices: [choice(SIZE, algorithm, "Simple")].into(), ..log(2, &p2p()) }
}

#[test]
fn nvls_is_in_use_where_it_is_set_up_and_chosen() {
    let facts = unjoined(2);
    assert_eq!(outcome(&["NVLS"], &[], with_nvls("NVLS"), &facts), Outcome::Pass);
    assert_eq!(outcome(&["NVLink"], &[], with_nvls("NVLSTree"), &facts), Outcome::Pass);
    assert_eq!(outcome(&[], &["NVLS"], with_nvls("NVLS"), &facts), Outcome::Fail);
    assert_eq!(outcome(&[], &["P2P"], with_nvls("NVLS"), &facts), Outcome::Fail);
    assert_eq!(outcome(&["NVLS"], &[], with_nvls("Ring"), &facts), Outcome::Fail);
    assert_eq!(outcome(&[], &["NVLS"], with_nvls("Ring"), &facts), Outcome::Pass);
    assert_eq!(outcome(&["NVLink"], &[], with_nvls("Ring"), &facts), Outcome::Error);
    // Newer versions connect only what they use: no ring is to be seen then.
    let unconnected = LibraryLog { edges: BTreeSet::new(), ..with_nvls("NVLS") };
    assert_eq!(outcome(&["NVLink"], &["SHM"], unconnected.clone(), &facts), Outcome::Pass);
    assert_eq!(outcome(&["SHM"], &[], unconnected, &facts), Outcome::Fail);
}

#[test]
fn nvls_stands_for_the_connections_of_one_host_of_known_ranks_only() {
    let unconnected = || LibraryLog { edges: BTreeSet::new(), ..with_nvls("NVLSTree") };
    let mut two_nodes = unconnected();
    two_nodes.nodes = [2].into();
    assert_eq!(outcome(&["NVLink"], &[], two_nodes, &unjoined(2)), Outcome::Error);
    let mut uncounted = unconnected();
    uncounted.ranks.values_mut().for_each(|rank| rank.of = None);
    assert_eq!(outcome(&["NVLink"], &[], uncounted, &unjoined(2)), Outcome::Error);
}

#[test]
fn nvls_that_is_set_up_and_may_be_unused_proves_nothing() {
    let untold = LibraryLog { choices: BTreeSet::new(), ..with_nvls("NVLS") };
    for (require, forbid) in [(&["NVLS"][..], &[][..]), (&["NVLink"], &[]), (&[], &["NVLS"])] {
        assert_eq!(outcome(require, forbid, untold.clone(), &unjoined(2)), Outcome::Error, "{require:?} {forbid:?}");
    }
    // Chosen, and no communicator that uses it: the log does not fit together.
    let unset = LibraryLog { nvls_used: false, ..with_nvls("NVLS") };
    assert_eq!(outcome(&["NVLS"], &[], unset, &unjoined(2)), Outcome::Error);
    assert_eq!(outcome(&[], &["NVLS"], log(2, &p2p()), &unjoined(2)), Outcome::Pass);
    assert_eq!(outcome(&["NVLS"], &[], log(2, &p2p()), &unjoined(2)), Outcome::Fail);
}
