//! How many NVLinks join two GPUs.

use super::{
    answer::{Answer, Fabric, Link, Part},
    fill::fill_from,
    gathered::Gathered,
    testing::*,
};
use crate::{
    facts::{Facts, LinkClass, Origin},
    probe::live::Silence,
};

fn filled(count: u32, answers: impl IntoIterator<Item = Answer>) -> Facts {
    let mut all = driver(count);
    all.extend((0..count).map(identity));
    all.extend(answers);
    let mut facts = Facts::new(Origin::Live);
    fill_from(Gathered::of(all), Silence::all("NVML does not say"), &mut facts);
    facts
}

fn class(facts: &Facts, a: u32, b: u32) -> Option<LinkClass> {
    facts.pair(a, b).unwrap().class.value().copied()
}

fn reason(facts: &Facts) -> String {
    facts.pair(0, 1).unwrap().class.reason().unwrap().to_owned()
}

/// Links to GPUs, numbered in order.
fn to_gpus(gpus: &[u32]) -> Vec<Link> {
    (0..).zip(gpus).map(|(index, gpu)| link(index, GPU, &address(*gpu))).collect()
}

#[test]
fn direct_links_are_counted_for_each_pair() {
    // As in the first DGX: one link to some neighbours, two to another, none across.
    let facts = filled(
        4,
        [
            links(0, to_gpus(&[1, 2, 3, 3])),
            links(1, to_gpus(&[0, 2, 2])),
            links(2, to_gpus(&[0, 1, 1])),
            links(3, to_gpus(&[0, 0])),
            pair_with(0, 1, 10, 0),
            pair_with(0, 2, 30, 0),
            pair_with(0, 3, 50, 0),
            pair_with(1, 2, 30, 0),
            pair_with(1, 3, 50, 5),
            pair_with(2, 3, 50, 5),
        ],
    );
    let nv = |count| Some(LinkClass::NvLink(count));
    assert_eq!((class(&facts, 0, 1), class(&facts, 0, 2), class(&facts, 0, 3)), (nv(1), nv(1), nv(2)));
    assert_eq!((class(&facts, 1, 2), class(&facts, 1, 3)), (nv(2), Some(LinkClass::Sys)));
    let across = facts.pair(2, 3).unwrap();
    assert_eq!((across.nvlinks.value(), across.ancestor.value()), (Some(&0), Some(&LinkClass::Sys)));
}

#[test]
fn one_link_down_on_either_side_is_one_less() {
    for broken in [0, 1] {
        let mut some = switched(18);
        some[7].active = false;
        let facts = filled(2, [links(broken, some), links(1 - broken, switched(18)), pair(0, 1)]);
        assert_eq!(class(&facts, 0, 1), Some(LinkClass::NvLink(17)));
    }
}

#[test]
fn slots_without_a_link_do_not_count() {
    // A GPU that numbers 36 slots, of which every other is real.
    let some = || (0..36).step_by(2).map(|index| link(index, SWITCH, "00000000:C0:00.0")).collect();
    let facts = filled(2, [links(0, some()), links(1, some()), pair(0, 1)]);
    assert_eq!(class(&facts, 0, 1), Some(LinkClass::NvLink(18)));
}

#[test]
fn a_bridge_over_twelve_of_eighteen_slots() {
    let some = |other| {
        let mut links = to_gpus(&[other; 18]);
        links[12..].iter_mut().for_each(|link| link.active = false);
        links
    };
    let facts = filled(2, [links(0, some(1)), links(1, some(0)), pair_with(0, 1, 40, 0)]);
    assert_eq!(class(&facts, 0, 1), Some(LinkClass::NvLink(12)));
}

#[test]
fn what_is_unknown_at_the_other_end_is_a_switch_only_where_the_peers_reach_each_other() {
    let some = || (0..6).map(|index| link(index, UNKNOWN, HIDDEN)).collect();
    let facts = filled(2, [links(0, some()), links(1, some()), pair_with(0, 1, 30, 0)]);
    assert_eq!(class(&facts, 0, 1), Some(LinkClass::NvLink(6)));
    for nvlink in [5, 6] {
        let facts = filled(2, [links(0, some()), links(1, some()), pair_with(0, 1, 30, nvlink)]);
        assert_eq!(reason(&facts), "what is at the other end of NVLink 0 of GPU0 is unknown");
    }
    // Without an answer for the pair nothing says that they do.
    let facts = filled(2, [links(0, some()), links(1, some())]);
    assert!(reason(&facts).starts_with("what is at the other end"));
}

#[test]
fn a_driver_that_does_not_tell_the_kind_but_the_address_of_a_gpu() {
    let some = |other: u32| (0..2).map(|index| link(index, UNKNOWN, &address(other))).collect();
    let facts = filled(2, [links(0, some(1)), links(1, some(0)), pair_with(0, 1, 30, 5)]);
    assert_eq!(class(&facts, 0, 1), Some(LinkClass::NvLink(2)));
}

#[test]
fn a_gpu_whose_address_is_hidden_may_be_any() {
    let some = || vec![link(0, GPU, HIDDEN)];
    let facts = filled(2, [links(0, some()), links(1, some()), pair(0, 1)]);
    assert_eq!(reason(&facts), "NVLink 0 of GPU0 goes to a GPU whose PCI address is hidden");
}

#[test]
fn no_links_at_all_is_the_pcie_class_and_a_known_empty_list() {
    let facts = filled(2, [links(0, vec![]), links(1, vec![]), pair_with(0, 1, 20, 5)]);
    assert_eq!(class(&facts, 0, 1), Some(LinkClass::Pxb));
    assert_eq!(facts.gpu(0).unwrap().nvlinks.value().map(Vec::len), Some(0));
}

#[test]
fn links_that_could_not_be_read_are_never_the_pcie_class() {
    let why = "NVLink 3: nvmlDeviceGetNvLinkState: unknown error".to_owned();
    let part = Box::new(Part::Links(Err(why.clone())));
    let facts = filled(2, [links(0, switched(18)), Answer::Gpu { index: 1, part }, pair(0, 1)]);
    assert_eq!(reason(&facts), format!("the NVLinks of GPU1 are unknown: {why}"));
    assert_eq!(facts.pair(0, 1).unwrap().nvlinks.value(), None);
    let facts = filled(2, [links(0, switched(18)), pair(0, 1)]);
    assert_eq!(reason(&facts), "the NVLinks of GPU1 are unknown: NVML does not say");
}

/// A GPU that has joined a clique of a cluster.
fn joined(index: u32, cluster: u8, clique: u32) -> Answer {
    let health_mask = Err("this driver has no health mask".to_owned());
    let cluster = [cluster; 16];
    let fabric = Fabric { state: 3, status: 0, cluster, clique, health_mask, health_summary: None };
    Answer::Gpu { index, part: Box::new(Part::Fabric(Ok(fabric))) }
}

#[test]
fn switches_do_not_join_gpus_of_different_cliques_or_clusters() {
    let with = |second: Answer, nvlink| {
        filled(
            2,
            [links(0, switched(18)), links(1, switched(18)), joined(0, 7, 1), second, pair_with(0, 1, 40, nvlink)],
        )
    };
    for status in [1, 5, 6] {
        assert_eq!(reason(&with(joined(1, 7, 2), status)), "the fabric has GPU0 in clique 1 and GPU1 in clique 2");
        assert_eq!(reason(&with(joined(1, 8, 1), status)), "GPU0 and GPU1 are in different clusters of the fabric");
        assert_eq!(class(&with(joined(1, 7, 1), status), 0, 1), Some(LinkClass::NvLink(18)));
    }
    // The driver's word on the pair itself is nearer than what follows from the cliques.
    assert_eq!(class(&with(joined(1, 7, 2), 0), 0, 1), Some(LinkClass::NvLink(18)));
    // Links that go straight need no switch.
    let straight = [
        links(0, to_gpus(&[1, 1])),
        links(1, to_gpus(&[0, 0])),
        joined(0, 7, 1),
        joined(1, 7, 2),
        pair_with(0, 1, 40, 5),
    ];
    assert_eq!(class(&filled(2, straight), 0, 1), Some(LinkClass::NvLink(2)));
}

#[test]
fn a_link_to_a_processor_leads_to_no_gpu() {
    const CPU: u32 = 1;
    let to_cpus = || vec![link(0, CPU, HIDDEN), link(1, CPU, HIDDEN)];
    let facts = filled(2, [links(0, to_cpus()), links(1, to_cpus()), pair(0, 1)]);
    assert_eq!(class(&facts, 0, 1), Some(LinkClass::Phb));
}
