use std::collections::BTreeMap;

use crate::{
    facts::{Fact, Facts, PortState},
    spec::{GidExpect, Kind, NearGpu, RdmaPorts, Wanted},
    units::Rate,
    verdict::{
        Evidence, FindingCode, Outcome, judge,
        testing::{
            case, class, exact, failures, glob, globs, known, outcome, placed, saved, server, verdict, with_nics,
        },
    },
};

fn machine(states: &[PortState]) -> Facts {
    let mut facts = server(1);
    facts.rdma_count = known(u32::try_from(states.len()).unwrap());
    for (at, state) in states.iter().enumerate() {
        let device = facts.rdma_mut(&format!("mlx5_{at}"));
        device.firmware = known("28.39.1002".into());
        let port = device.port_mut(1);
        port.state = known(*state);
        port.physical_state = known(if *state == PortState::Down { "Polling" } else { "LinkUp" }.into());
        port.rate = known(Rate(if *state == PortState::Down { 10.0 } else { 400.0 }));
        port.width = known("4X".into());
        port.link_layer = known("InfiniBand".into());
        port.active_mtu = known(4096);
    }
    facts
}

fn ports() -> RdmaPorts {
    RdmaPorts { state: exact(PortState::Active), rate: exact(Rate(400.0)), ..RdmaPorts::default() }
}

#[test]
fn a_down_port_is_a_state_and_not_a_rate() {
    let facts = machine(&[PortState::Active, PortState::Down]);
    let failed = verdict(Kind::RdmaPorts(ports()), &facts);
    assert_eq!(failures(&failed), [FindingCode::PortState]);
    assert_eq!(failed.findings.len(), 1);
    assert_eq!(failed.findings[0].message, "mlx5_1/1 is Down, expected Active");
    let rate_only = RdmaPorts { state: None, active_mtu: exact(4096), ..ports() };
    assert_eq!(failures(&verdict(Kind::RdmaPorts(rate_only), &facts)), [FindingCode::PortState]);
}

#[test]
fn a_placeholder_never_passes() {
    let facts = machine(&[PortState::Down]);
    let placeholder = RdmaPorts { state: None, rate: exact(Rate(10.0)), ..ports() };
    assert_eq!(outcome(Kind::RdmaPorts(placeholder), &facts), Outcome::Fail);
    let wanted = RdmaPorts { state: exact(PortState::Down), rate: exact(Rate(10.0)), ..ports() };
    assert_eq!(outcome(Kind::RdmaPorts(wanted), &facts), Outcome::Error);
}

#[test]
fn another_rate_does_not_do_slower_or_faster() {
    for (rate, right) in [(200.0, Outcome::Fail), (400.0, Outcome::Pass), (800.0, Outcome::Fail)] {
        let mut facts = machine(&[PortState::Active]);
        facts.rdma_mut("mlx5_0").port_mut(1).rate = known(Rate(rate));
        assert_eq!(outcome(Kind::RdmaPorts(ports()), &facts), right, "{rate}");
        facts.rdma_mut("mlx5_0").port_mut(1).state = Fact::unknown("cut");
        let right = if rate == 400.0 { Outcome::Error } else { Outcome::Fail };
        assert_eq!(outcome(Kind::RdmaPorts(RdmaPorts { state: None, ..ports() }), &facts), right, "{rate}");
    }
}

#[test]
fn every_key_of_a_port() {
    let facts = machine(&[PortState::Active]);
    let none = RdmaPorts::default;
    for (right, wrong, code) in [
        (
            RdmaPorts { physical_state: exact("LinkUp".into()), ..none() },
            RdmaPorts { physical_state: exact("Sleep".into()), ..none() },
            FindingCode::PortPhysicalState,
        ),
        (
            RdmaPorts { width: exact(glob("4X")), ..none() },
            RdmaPorts { width: exact(glob("2X")), ..none() },
            FindingCode::PortWidth,
        ),
        (
            RdmaPorts { link_layer: exact("InfiniBand".into()), ..none() },
            RdmaPorts { link_layer: exact("Ethernet".into()), ..none() },
            FindingCode::PortLinkLayer,
        ),
        (
            RdmaPorts { active_mtu: exact(4096), ..none() },
            RdmaPorts { active_mtu: exact(1024), ..none() },
            FindingCode::PortMtu,
        ),
        (
            RdmaPorts { firmware: exact(glob("28.*")), ..none() },
            RdmaPorts { firmware: exact(glob("20.*")), ..none() },
            FindingCode::Firmware,
        ),
    ] {
        assert_eq!(outcome(Kind::RdmaPorts(right.clone()), &facts), Outcome::Pass, "{code}");
        assert_eq!(failures(&verdict(Kind::RdmaPorts(wrong), &facts)), [code]);
        let mut blank = machine(&[PortState::Active]);
        blank.rdma_mut("mlx5_0").firmware = Fact::default();
        *blank.rdma_mut("mlx5_0").port_mut(1) = crate::facts::RdmaPort::new(1);
        assert_eq!(outcome(Kind::RdmaPorts(right), &blank), Outcome::Error, "{code}");
    }
}

#[test]
fn a_device_that_is_not_there_fails_only_where_the_listing_is_complete() {
    let named = || RdmaPorts { devices: globs(&["mlx5_0", "mlx5_9"]), ..ports() };
    let mut facts = machine(&[PortState::Active]);
    assert_eq!(failures(&verdict(Kind::RdmaPorts(named()), &facts)), [FindingCode::RdmaMissing]);
    facts.rdma_count = Fact::unknown("ibstat.txt ends in an error");
    assert_eq!(outcome(Kind::RdmaPorts(named()), &facts), Outcome::Error);
    let one = RdmaPorts { devices: globs(&["mlx5_0"]), ..ports() };
    assert_eq!(outcome(Kind::RdmaPorts(one), &facts), Outcome::Pass, "what is whole is judged");
    assert_eq!(outcome(Kind::RdmaPorts(ports()), &facts), Outcome::Error, "others may be there");
}

#[test]
fn a_listing_that_says_more_than_it_shows_is_incomplete() {
    let mut facts = machine(&[PortState::Active]);
    facts.rdma_count = known(2);
    assert_eq!(outcome(Kind::RdmaPorts(ports()), &facts), Outcome::Error);
    let mut facts = machine(&[PortState::Active]);
    facts.rdma_mut("mlx5_0").port_count = known(2);
    assert_eq!(outcome(Kind::RdmaPorts(ports()), &facts), Outcome::Error);
}

#[test]
fn no_device_never_passes_and_the_count_is_exact() {
    let facts = machine(&[]);
    assert_eq!(outcome(Kind::RdmaPorts(ports()), &facts), Outcome::Error);
    let pattern = RdmaPorts { devices: globs(&["mlx5_*"]), ..ports() };
    assert_eq!(outcome(Kind::RdmaPorts(pattern), &facts), Outcome::Error);
    let count = |count| RdmaPorts { count: exact(count), ..RdmaPorts::default() };
    let two = machine(&[PortState::Active, PortState::Active]);
    assert_eq!(outcome(Kind::RdmaPorts(count(2)), &two), Outcome::Pass);
    assert_eq!(failures(&verdict(Kind::RdmaPorts(count(8)), &two)), [FindingCode::RdmaCount]);
}

/// Plain names leave nothing open, but where no list of devices was read they may be there.
#[test]
fn a_count_of_named_devices_is_unknown_without_a_list_of_devices() {
    let named =
        |names: &[&str]| Kind::RdmaPorts(RdmaPorts { count: exact(2), devices: globs(names), ..RdmaPorts::default() });
    let mut facts = server(1);
    facts.rdma_count = Fact::unknown("no RDMA driver is loaded");
    assert_eq!(outcome(named(&["mlx5_0", "mlx5_1"]), &facts), Outcome::Error);
    let mut facts = machine(&[PortState::Active, PortState::Active]);
    facts.rdma_count = Fact::unknown("ibstat.txt was cut");
    assert_eq!(outcome(named(&["mlx5_0", "mlx5_1"]), &facts), Outcome::Pass);
    assert_eq!(outcome(named(&["mlx5_0", "mlx5_7"]), &facts), Outcome::Error);
    facts.rdma_count = known(2);
    assert_eq!(failures(&verdict(named(&["mlx5_0", "mlx5_7"]), &facts)).len(), 2);
}

#[test]
fn counters_are_judged_by_their_growth() {
    let bound = BTreeMap::from([("symbol_error".to_owned(), placed(Wanted::Exact(0)))]);
    let kind = case(Kind::RdmaPorts(RdmaPorts { counters: Some(placed(bound)), ..RdmaPorts::default() }));
    let at = |value: u64| {
        let mut facts = machine(&[PortState::Active]);
        facts.rdma_mut("mlx5_0").port_mut(1).counters.insert("symbol_error".into(), known(value));
        facts
    };
    let before = at(7);
    let outcome = |after: Option<&Facts>| judge(&kind, &Evidence { after, ..saved(&before) }).outcome;
    assert_eq!(outcome(None), Outcome::Error);
    assert_eq!(outcome(Some(&at(7))), Outcome::Pass);
    assert_eq!(outcome(Some(&at(8))), Outcome::Fail);
    assert_eq!(outcome(Some(&at(0))), Outcome::Error);
    assert_eq!(outcome(Some(&machine(&[PortState::Active]))), Outcome::Error);
    let mut newcomer = at(7);
    newcomer.rdma_mut("mlx5_1").port_mut(1).counters.insert("symbol_error".into(), known(90));
    assert_eq!(outcome(Some(&newcomer)), Outcome::Error, "a device that appeared in the run");
}

/// The counters of InfiniBand's port management stop at their highest value: 8 bits of it for `link_downed`.
#[test]
fn a_counter_that_stands_at_its_highest_proves_no_rest() {
    let at = |name: &str, value: u64| {
        let mut facts = machine(&[PortState::Active]);
        facts.rdma_mut("mlx5_0").port_mut(1).counters.insert(name.into(), known(value));
        facts
    };
    for (name, before, after, most, right) in [
        ("link_downed", 255, 255, 0, Outcome::Error),
        ("link_downed", 254, 254, 0, Outcome::Pass),
        ("link_downed", 250, 255, 0, Outcome::Fail),
        ("link_downed", 250, 255, 10, Outcome::Error),
        ("local_link_integrity_errors", 15, 15, 0, Outcome::Error),
        ("symbol_error", 65_535, 65_535, 0, Outcome::Error),
        ("port_xmit_wait", 4_294_967_295, 4_294_967_295, 0, Outcome::Error),
        ("out_of_sequence", 255, 255, 0, Outcome::Pass),
    ] {
        let bound = BTreeMap::from([(name.to_owned(), placed(Wanted::Range { min: None, max: Some(most) }))]);
        let kind = case(Kind::RdmaPorts(RdmaPorts { counters: Some(placed(bound)), ..RdmaPorts::default() }));
        let (first, second) = (at(name, before), at(name, after));
        let judged = judge(&kind, &Evidence { after: Some(&second), ..saved(&first) });
        assert_eq!(judged.outcome, right, "{name} {before} {after}");
        if right == Outcome::Error {
            assert!(judged.findings[0].message.contains("highest"), "{}", judged.findings[0].message);
        }
    }
}

#[test]
fn a_gid_with_the_properties_asked() {
    let wanted = GidExpect { kind: Some("RoCE v2".into()), routable: Some(true) };
    let kind = || Kind::RdmaPorts(RdmaPorts { gid: Some(placed(wanted.clone())), ..RdmaPorts::default() });
    let mut facts = machine(&[PortState::Active]);
    assert_eq!(outcome(kind(), &facts), Outcome::Error);
    for (address, kind_of, right) in [
        ("::ffff:10.0.0.1", Some("RoCE v2"), Outcome::Pass),
        ("fe80::1", Some("RoCE v2"), Outcome::Fail),
        ("::ffff:10.0.0.1", Some("IB/RoCE v1"), Outcome::Fail),
        ("::ffff:10.0.0.1", None, Outcome::Error),
    ] {
        let gid =
            crate::facts::Gid { index: 3, address: address.into(), kind: kind_of.map(str::to_owned), netdev: None };
        facts.rdma_mut("mlx5_0").port_mut(1).gids = known(vec![gid]);
        assert_eq!(outcome(kind(), &facts), right, "{address} {kind_of:?}");
    }
}

#[test]
fn the_nearest_gpu_of_a_device() {
    let near = NearGpu { at_most: class("PXB") };
    let kind = || Kind::RdmaPorts(RdmaPorts { near_gpu: Some(placed(near)), ..RdmaPorts::default() });
    for (cell, right) in [("PIX", Outcome::Pass), ("NODE", Outcome::Fail), ("?", Outcome::Error)] {
        let facts = with_nics(machine(&[PortState::Active]), &["mlx5_0"], &[&[cell]]);
        assert_eq!(outcome(kind(), &facts), right, "{cell}");
    }
    assert_eq!(outcome(kind(), &machine(&[PortState::Active])), Outcome::Error);
}
