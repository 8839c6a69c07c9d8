use std::collections::BTreeMap;

use crate::{
    facts::Facts,
    verdict::{
        Finding, FindingCode, Severity, Verdict, relate,
        testing::{known, server},
    },
};

fn case(name: &str, code: FindingCode, device: &str, expected: &str) -> (String, Verdict) {
    let mut finding = Finding::new(code, Severity::Failure, format!("{device} is wrong"));
    finding.device = Some(device.into());
    finding.expected = Some(expected.into());
    (name.into(), Verdict::from_findings(vec![finding], Vec::new()))
}

/// The codes that explain each case's finding.
fn related(mut cases: Vec<(String, Verdict)>, facts: &Facts) -> Vec<Vec<FindingCode>> {
    relate(&mut cases, facts, &BTreeMap::new());
    let once = cases.clone();
    relate(&mut cases, facts, &BTreeMap::new());
    assert_eq!(once, cases, "relating twice changes nothing");
    let because = |finding: &Finding| finding.because.iter().map(|cause| cause.code).collect();
    cases.iter().map(|(_, verdict)| because(&verdict.findings[0])).collect()
}

#[test]
fn links_that_are_down_explain_the_class_of_their_pairs_only() {
    let cases = vec![
        case("s::mesh", FindingCode::LinkClass, "GPU0-GPU3", "NV18"),
        case("s::far", FindingCode::LinkClass, "GPU1-GPU2", "NV18"),
        case("s::pix", FindingCode::LinkClass, "GPU0-GPU3", "PIX"),
        case("s::links", FindingCode::NvlinkCount, "GPU3", "18"),
    ];
    assert_eq!(related(cases, &server(4)), [vec![FindingCode::NvlinkCount], vec![], vec![], vec![]]);
}

#[test]
fn gpu1_does_not_explain_gpu10() {
    let cases = vec![
        case("s::mesh", FindingCode::LinkClass, "GPU10-GPU11", "NV18"),
        case("s::links", FindingCode::NvlinkCount, "GPU1", "18"),
    ];
    assert_eq!(related(cases, &server(1)), [vec![], vec![]]);
}

#[test]
fn causes_never_form_a_cycle() {
    let cases = vec![
        case("s::a", FindingCode::PortState, "mlx5_0/1", "Active"),
        case("s::b", FindingCode::PortState, "mlx5_0/1", "400 Gb/s"),
        case("s::c", FindingCode::PortPhysicalState, "mlx5_0/1", "LinkUp"),
        case("s::d", FindingCode::PortMtu, "mlx5_0/1", "4096"),
        case("s::e", FindingCode::PortRate, "mlx5_1/1", "400 Gb/s"),
    ];
    let physical = FindingCode::PortPhysicalState;
    let state = FindingCode::PortState;
    let right = [vec![physical], vec![physical], vec![], vec![physical, state, state], vec![]];
    assert_eq!(related(cases, &server(1)), right);
}

#[test]
fn acs_explains_p2p_but_not_in_a_virtual_machine() {
    let cases = || {
        vec![
            case("s::p2p", FindingCode::P2p, "GPU0-GPU1", "ok"),
            case("s::blocked", FindingCode::P2p, "GPU0-GPU1", "not-supported"),
            case("s::acs", FindingCode::AcsRedirect, "bridge 0000:00:01.0", "off"),
        ]
    };
    let mut facts = server(2);
    assert_eq!(related(cases(), &facts), [vec![FindingCode::AcsRedirect], vec![], vec![]]);
    facts.host.virtual_machine = known(true);
    assert_eq!(related(cases(), &facts), [vec![], vec![], vec![]]);
}

#[test]
fn a_lost_gpu_explains_the_count_and_a_fabric_that_is_not_ready_the_links() {
    let cases = vec![
        case("s::count", FindingCode::GpuCount, "machine", "8"),
        case("s::lost", FindingCode::GpuLost, "0000:07:00.0", "8"),
        case("s::mesh", FindingCode::LinkClass, "GPU0-GPU1", "NVLink"),
        case("s::fabric", FindingCode::FabricState, "GPU1", "completed"),
        case("s::service", FindingCode::Service, "nvidia-fabricmanager", "active"),
    ];
    let right =
        [vec![FindingCode::GpuLost], vec![], vec![FindingCode::FabricState], vec![FindingCode::Service], vec![]];
    assert_eq!(related(cases, &server(2)), right);
}
