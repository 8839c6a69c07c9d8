//! The GPUs that the ranks of a collective ran on, against the machine's.

use crate::{
    evidence::Measurement,
    facts::{Facts, Vendor},
    spec::{Glob, Kind, MachineExpect},
    verdict::{
        FindingCode, Outcome,
        testing::{known, placed, server},
        testing_measured::{all_reduce, case_among, judged_among, measured, nothing_known},
    },
};

/// Two ranks on the GPUs of `server(2)`.
fn good() -> Measurement {
    let mut measurement = measured(2, &[("1G", 460.0, 460.0)]);
    for rank in &mut measurement.ranks {
        rank.pci = Some(format!("0000:{:02x}:00", 0x10 * (rank.rank + 1)));
    }
    measurement
}

fn verdict(measurement: &Measurement, facts: &Facts) -> (Outcome, Option<FindingCode>) {
    let case = case_among(Kind::Collective(all_reduce(&[("1G", 440.0)])), &[]);
    let verdict = judged_among(&case, facts, &[("all-reduce", measurement.clone())]);
    (verdict.outcome, verdict.findings.first().map(|finding| finding.code))
}

const WRONG: (Outcome, Option<FindingCode>) = (Outcome::Error, Some(FindingCode::WrongMachine));
const RANKS: (Outcome, Option<FindingCode>) = (Outcome::Error, Some(FindingCode::Ranks));
const RIGHT: (Outcome, Option<FindingCode>) = (Outcome::Pass, None);

#[test]
fn ranks_on_gpus_of_another_product_are_of_another_machine() {
    let mut measurement = good();
    assert_eq!(verdict(&measurement, &server(2)), RIGHT);
    // Drivers of old leave the vendor out.
    measurement.ranks[1].name = Some("H200".into());
    assert_eq!(verdict(&measurement, &server(2)), RIGHT);
    measurement.ranks[1].name = Some("NVIDIA H100 80GB HBM3".into());
    assert_eq!(verdict(&measurement, &server(2)), WRONG);
    assert_eq!(verdict(&measurement, &nothing_known()), RIGHT);
    // AMD's tools have several names for a product.
    let mut amd = server(2);
    amd.vendor = known(Vendor::Amd);
    assert_eq!(verdict(&measurement, &amd), RIGHT);
}

#[test]
fn where_nothing_is_known_of_the_machine_the_suite_says_which_product() {
    let judge = |glob: &str| {
        let mut case = case_among(Kind::Collective(all_reduce(&[("1G", 440.0)])), &[]);
        let gpu = Some(placed(Glob::new(glob).unwrap()));
        let mut suite = (*case.suite).clone();
        let vendor = Some(placed(Vendor::Nvidia));
        suite.machine = Some(placed(MachineExpect { vendor, gpu, gpus: None }));
        case.suite = suite.into();
        judged_among(&case, &nothing_known(), &[("all-reduce", good())]).outcome
    };
    assert_eq!(judge("NVIDIA H200*"), Outcome::Pass);
    assert_eq!(judge("NVIDIA H100*"), Outcome::Error);
}

#[test]
fn an_address_that_the_machine_does_not_have_is_of_another_one() {
    let mut measurement = good();
    measurement.ranks[1].pci = Some("0000:C1:00".into());
    assert_eq!(verdict(&measurement, &server(2)), WRONG);
    // On another host it may be any, and a bus alone tells nothing.
    measurement.ranks[1].host = Some("node1".into());
    assert_eq!(verdict(&measurement, &server(2)), RIGHT);
    let mut old = good();
    old.ranks[1].pci = Some("0xc1".into());
    assert_eq!(verdict(&old, &server(2)), RIGHT);
}

#[test]
fn two_ranks_of_one_host_need_two_gpus() {
    let mut measurement = good();
    measurement.ranks[1].pci = Some("0000:10:00".into());
    assert_eq!(verdict(&measurement, &server(2)), RANKS);
    assert_eq!(verdict(&measurement, &nothing_known()), RANKS);
    // The partitions of one of AMD's GPUs share its address.
    let mut amd = server(2);
    amd.vendor = known(Vendor::Amd);
    measurement.ranks.iter_mut().for_each(|rank| rank.name = Some("AMD Instinct MI300X".into()));
    assert_eq!(verdict(&measurement, &amd), RIGHT);
}

#[test]
fn ranks_on_several_hosts_do_not_leave_out_gpus_of_the_machine() {
    let mut measurement = good();
    measurement.ranks[1].host = Some("node1".into());
    // Containers of one machine have names of their own, and each its GPU.
    assert_eq!(verdict(&measurement, &server(2)), RIGHT);
    assert_eq!(verdict(&measurement, &server(4)), RANKS);
    measurement.ranks[1].pci = Some("0000:10:00".into());
    assert_eq!(verdict(&measurement, &server(2)), RANKS);
    assert_eq!(verdict(&measurement, &server(1)), RIGHT);
}
