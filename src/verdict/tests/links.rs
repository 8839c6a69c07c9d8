use crate::{
    facts::{Fact, Facts, Nic, P2pStatus},
    spec::{Between, EachGpuHas, GpuSelection, Kind, LinkWanted, P2p, P2pWanted, Topology, Wanted},
    verdict::{
        FindingCode, Outcome, Verdict, judge,
        testing::{case_with, class, failures, globs, outcome, placed, saved, server, verdict, with_nics},
    },
};

fn blank(between: Between) -> Topology {
    Topology {
        between: placed(between),
        pairs: None,
        nics: None,
        require: None,
        forbid: None,
        at_most: None,
        each_gpu_has: None,
    }
}

fn mesh(wanted: &str) -> Topology {
    let wanted = if wanted == "NVLink" { LinkWanted::AnyNvLink } else { LinkWanted::Class(class(wanted)) };
    Topology { require: Some(placed(vec![wanted])), ..blank(Between::GpuGpu) }
}

fn on(facts: &Facts, wanted: &str) -> Verdict {
    verdict(Kind::Topology(mesh(wanted)), facts)
}

#[test]
fn a_mesh_as_bought_passes_in_one_line() {
    let verdict = on(&server(8), "NV18");
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!(verdict.measured.len(), 1);
    assert_eq!(verdict.measured[0].subject, "28 GPU pairs link class");
    assert_eq!(verdict.measured[0].actual, "NV18");
}

#[test]
fn fewer_links_fail_and_are_named() {
    let mut facts = server(4);
    facts.pair_mut(0, 1).class = Fact::known(class("NV12"), "nvidia-smi-topo-m.txt");
    let failed = on(&facts, "NV18");
    assert_eq!(failures(&failed), [FindingCode::LinkClass]);
    let finding = &failed.findings[0];
    assert_eq!(finding.message, "GPU0-GPU1 is NV12, expected NV18");
    assert_eq!(finding.source.as_deref(), Some("nvidia-smi-topo-m.txt"));
    assert_eq!(on(&facts, "NVLink").outcome, Outcome::Pass);
}

#[test]
fn a_missing_pair_never_passes_and_a_proved_violation_fails_whatever_is_missing() {
    let mut facts = server(4);
    facts.gpu_pairs.retain(|pair| (pair.a, pair.b) != (2, 3));
    assert_eq!(on(&facts, "NV18").outcome, Outcome::Error);
    facts.pair_mut(0, 1).class = Fact::known(class("SYS"), "tool.txt");
    assert_eq!(on(&facts, "NV18").outcome, Outcome::Fail);
}

#[test]
fn an_incomplete_matrix_fails_by_what_it_shows_and_never_passes() {
    let mut facts = server(4);
    facts.gpu_count = Fact::unknown("nvidia-smi-topo-m.txt is cut");
    assert_eq!(on(&facts, "NV18").outcome, Outcome::Error);
    facts.pair_mut(0, 1).class = Fact::known(class("PHB"), "tool.txt");
    assert_eq!(on(&facts, "NV18").outcome, Outcome::Fail);
}

#[test]
fn nothing_to_check_is_an_error() {
    let verdict = on(&server(1), "NV18");
    assert_eq!((verdict.outcome, verdict.findings[0].code), (Outcome::Error, FindingCode::NothingSelected));
    assert_eq!(on(&server(0), "NV18").outcome, Outcome::Error);
}

#[test]
fn a_pair_that_a_complete_matrix_lacks_fails() {
    let listed = |pairs| Kind::Topology(Topology { pairs: Some(placed(pairs)), ..mesh("NV18") });
    let facts = server(4);
    assert_eq!(outcome(listed(vec![(0, 1), (2, 3)]), &facts), Outcome::Pass);
    assert_eq!(failures(&verdict(listed(vec![(0, 7)]), &facts)), [FindingCode::DeviceMissing]);
    let unknown = Facts { gpu_count: Fact::default(), ..facts };
    assert_eq!(outcome(listed(vec![(0, 7)]), &unknown), Outcome::Error);
}

#[test]
fn a_selection_of_gpus_leaves_out_the_other_tenants() {
    let mut facts = server(8);
    facts.pair_mut(0, 1).class = Fact::known(class("SYS"), "tool.txt");
    let list = GpuSelection::List("4-7".parse().unwrap());
    let case = case_with(Kind::Topology(mesh("NV18")), None, |test| test.gpus = list);
    assert_eq!(judge(&case, &saved(&facts)).outcome, Outcome::Pass);
    assert_eq!(judge(&case, &saved(&server(6))).outcome, Outcome::Fail);
}

#[test]
fn forbid_and_at_most() {
    let mut facts = server(2);
    facts.pair_mut(0, 1).class = Fact::known(class("PHB"), "tool.txt");
    let limit = |text| Kind::Topology(Topology { at_most: Some(placed(class(text))), ..blank(Between::GpuGpu) });
    assert_eq!(outcome(limit("PHB"), &facts), Outcome::Pass);
    assert_eq!(outcome(limit("PXB"), &facts), Outcome::Fail);
    let forbid = |text| {
        let list = vec![LinkWanted::Class(class(text))];
        Kind::Topology(Topology { forbid: Some(placed(list)), ..blank(Between::GpuGpu) })
    };
    assert_eq!(outcome(forbid("PHB"), &facts), Outcome::Fail);
    assert_eq!(outcome(forbid("SYS"), &facts), Outcome::Pass);
    facts.pair_mut(0, 1).class = Fact::known(class("PCIe"), "rocm-smi-showtopo.txt");
    assert_eq!(outcome(limit("PHB"), &facts), Outcome::Error);
    assert_eq!(outcome(forbid("PHB"), &facts), Outcome::Error);
    assert_eq!(on(&facts, "XGMI").outcome, Outcome::Fail);
}

fn near(count: Wanted<u32>, nics: Option<&[&str]>) -> Kind {
    let each = EachGpuHas { at_most: class("PXB"), count };
    Kind::Topology(Topology { each_gpu_has: Some(placed(each)), nics: nics.and_then(globs), ..blank(Between::GpuNic) })
}

fn from(min: u32) -> Wanted<u32> {
    Wanted::Range { min: Some(min), max: None }
}

#[test]
fn a_front_end_nic_far_from_every_gpu_is_no_fault() {
    let facts =
        with_nics(server(2), &["mlx5_0", "mlx5_1", "mlx5_2"], &[&["SYS", "NODE", "PIX"], &["SYS", "PXB", "NODE"]]);
    assert_eq!(outcome(near(from(1), None), &facts), Outcome::Pass);
}

#[test]
fn a_gpu_without_a_near_nic_fails_and_is_named() {
    let facts = with_nics(server(2), &["mlx5_0"], &[&["PIX"], &["NODE"]]);
    let verdict = verdict(near(from(1), None), &facts);
    assert_eq!(failures(&verdict), [FindingCode::NearNics]);
    assert_eq!(verdict.findings[0].device.as_deref(), Some("GPU1"));
    assert_eq!(outcome(near(from(1), None), &with_nics(server(2), &[], &[])), Outcome::Fail);
}

#[test]
fn a_cut_cell_decides_neither_way_unless_it_cannot_matter() {
    let row = |row: &[&str]| with_nics(server(1), &["mlx5_0", "mlx5_1"], &[row]);
    let two = Wanted::Range { min: Some(1), max: Some(1) };
    for (cells, wanted, right) in [
        (["PIX", "?"], from(1), Outcome::Pass),
        (["SYS", "?"], from(1), Outcome::Error),
        (["SYS", "?"], from(2), Outcome::Fail),
        (["PIX", "?"], two.clone(), Outcome::Error),
        (["PIX", "PIX"], two, Outcome::Fail),
    ] {
        assert_eq!(outcome(near(wanted.clone(), None), &row(&cells)), right, "{cells:?} {wanted}");
    }
}

#[test]
fn nics_are_chosen_by_device_and_no_match_is_an_error() {
    let facts = with_nics(server(1), &["mlx5_0", "bond0"], &[&["SYS", "PIX"]]);
    assert_eq!(outcome(near(from(1), Some(&["bond*"])), &facts), Outcome::Pass);
    assert_eq!(outcome(near(from(1), Some(&["mlx5_*"])), &facts), Outcome::Fail);
    let require = vec![LinkWanted::Class(class("PIX"))];
    let nothing = Topology { require: Some(placed(require)), nics: globs(&["eth*"]), ..blank(Between::GpuNic) };
    assert_eq!(outcome(Kind::Topology(nothing), &facts), Outcome::Error);
    let unknown = Facts { nics: Fact::unknown("cut"), ..facts };
    assert_eq!(outcome(near(from(1), None), &unknown), Outcome::Pass);
    assert_eq!(outcome(near(from(2), None), &unknown), Outcome::Error);
}

#[test]
fn a_pair_that_nics_does_not_choose_is_never_another_pair() {
    let facts = with_nics(server(1), &["mlx5_0", "mlx5_1"], &[&["SYS", "PIX"]]);
    let pair = |number| Topology {
        require: Some(placed(vec![LinkWanted::Class(class("PIX"))])),
        pairs: Some(placed(vec![(0, number)])),
        nics: globs(&["mlx5_1"]),
        ..blank(Between::GpuNic)
    };
    assert_eq!(outcome(Kind::Topology(pair(1)), &facts), Outcome::Pass);
    assert_eq!(outcome(Kind::Topology(pair(0)), &facts), Outcome::Error);
}

#[test]
fn devices_that_no_legend_names_are_unknown_and_not_absent() {
    let mut facts = with_nics(server(1), &["mlx5_0"], &[&["PIX"]]);
    facts.nics = facts.nics.map(|nics| nics.into_iter().map(|nic| Nic { device: None, ..nic }).collect());
    assert_eq!(outcome(near(from(1), Some(&["mlx5_*"])), &facts), Outcome::Error);
    assert_eq!(outcome(near(from(1), Some(&["NIC0"])), &facts), Outcome::Pass);
}

#[test]
fn p2p_status_is_ok_or_not_or_unknown() {
    let kind =
        |wanted| Kind::P2p(P2p { pairs: None, read: Some(placed(wanted)), write: None, nvlink: None, atomics: None });
    let mut facts = server(2);
    assert_eq!(outcome(kind(P2pWanted::Ok), &facts), Outcome::Error);
    facts.pair_mut(0, 1).p2p_read = Fact::known(P2pStatus::Gns, "tool.txt");
    assert_eq!(outcome(kind(P2pWanted::Ok), &facts), Outcome::Fail);
    assert_eq!(outcome(kind(P2pWanted::NotSupported), &facts), Outcome::Pass);
    facts.pair_mut(0, 1).p2p_read = Fact::known(P2pStatus::Ok, "tool.txt");
    assert_eq!(outcome(kind(P2pWanted::Ok), &facts), Outcome::Pass);
    assert_eq!(outcome(kind(P2pWanted::NotSupported), &facts), Outcome::Fail);
}
