use std::collections::BTreeMap;

use crate::{
    facts::{Fact, Facts, Host, IommuMode, LogEvent, LogEventKind, NumaNode, PciBridge, Switch},
    spec::{
        GpuDirect, HostExpect, KernelArguments, KernelLogExpect, Kind, LogPattern, MemoryLimit, NcclEnvironmentExpect,
        Wanted,
    },
    units::Size,
    verdict::{
        FindingCode, Outcome,
        testing::{at_least, exact, failures, known, outcome, placed, server, verdict},
    },
};

type Set = fn(&mut Host, bool);

fn expect(change: impl FnOnce(&mut HostExpect)) -> Kind {
    let mut expect = HostExpect::default();
    change(&mut expect);
    Kind::Host(expect)
}

/// The kernel takes quotes off around an argument or its value.
#[test]
fn a_quoted_argument_is_the_argument() {
    let judged = |require: &[&str], forbid: &[&str], argument: &str| {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let arguments = KernelArguments { require: texts(require), forbid: texts(forbid) };
        let mut facts = server(1);
        facts.host.kernel_arguments = known(vec![argument.into()]);
        outcome(expect(|e| e.kernel_arguments = Some(placed(arguments))), &facts)
    };
    for argument in ["iommu=pt", "\"iommu=pt\"", "iommu=\"pt\""] {
        assert_eq!(judged(&["iommu=pt"], &[], argument), Outcome::Pass, "{argument}");
        assert_eq!(judged(&[], &["iommu=pt"], argument), Outcome::Fail, "{argument}");
        // A name alone is forbidden with any value; asked for, it is an argument without one.
        assert_eq!(judged(&[], &["iommu"], argument), Outcome::Fail, "{argument}");
        assert_eq!(judged(&[], &["iommu=off"], argument), Outcome::Pass, "{argument}");
        assert_eq!(judged(&[], &["iom"], argument), Outcome::Pass, "{argument}");
        assert_eq!(judged(&["iommu"], &[], argument), Outcome::Fail, "{argument}");
    }
    assert_eq!(judged(&[], &["iommu"], "dyndbg=\"file a iommu=pt\""), Outcome::Pass);
    assert_eq!(judged(&["iommu=pt"], &[], "dyndbg=\"file a iommu=pt\""), Outcome::Fail);
}

fn keys() -> Vec<(Kind, FindingCode, Set)> {
    let arguments = KernelArguments { require: vec!["iommu=pt".into()], forbid: vec![] };
    let services = BTreeMap::from([("nvidia-fabricmanager".to_owned(), placed("active".to_owned()))]);
    let size = || at_least(MemoryLimit::Size(Size(1 << 36)));
    vec![
        (expect(|e| e.kernel_arguments = Some(placed(arguments))), FindingCode::KernelArgument, |host, right| {
            host.kernel_arguments = known(vec![if right { "iommu=pt" } else { "iommu=ptx" }.into()]);
        }),
        (expect(|e| e.iommu = exact(IommuMode::Passthrough)), FindingCode::Iommu, |host, right| {
            host.iommu = known(if right { IommuMode::Passthrough } else { IommuMode::Translating });
        }),
        (expect(|e| e.numa_balancing = Some(placed(Switch::Off))), FindingCode::NumaBalancing, |host, right| {
            host.numa_balancing = known(if right { Switch::Off } else { Switch::On });
        }),
        (expect(|e| e.numa_nodes = exact(2)), FindingCode::NumaNodes, |host, right| {
            let node = |index| NumaNode::new(index, "0-3".parse().unwrap());
            host.numa_nodes = known((0..if right { 2 } else { 1 }).map(node).collect());
        }),
        (expect(|e| e.memlock = size()), FindingCode::Memlock, |host, right| {
            host.memlock = known(if right { None } else { Some(Size(65536)) });
        }),
        (expect(|e| e.shm_size = size()), FindingCode::ShmSize, |host, right| {
            host.shm_size = known(Size(if right { 1 << 36 } else { 64 << 20 }));
        }),
        (expect(|e| e.services = Some(placed(services))), FindingCode::Service, |host, right| {
            let state = if right { "active" } else { "failed" };
            host.services.insert("nvidia-fabricmanager.service".into(), known(state.into()));
        }),
        (
            expect(|e| e.fabric_manager_matches_driver = Some(placed(true))),
            FindingCode::FabricManager,
            |host, right| {
                host.fabric_manager = known(if right { "580.95.05" } else { "570.1" }.into());
            },
        ),
        (expect(|e| e.gpudirect = Some(placed(GpuDirect::Any))), FindingCode::GpuDirect, |host, right| {
            host.gpudirect = known(if right { vec!["dmabuf".into()] } else { vec![] });
        }),
        (
            expect(|e| e.nccl_environment = Some(placed(NcclEnvironmentExpect { allow: vec!["NCCL_DEBUG".into()] }))),
            FindingCode::NcclEnvironment,
            |host, right| {
                let name = if right { "NCCL_DEBUG" } else { "NCCL_P2P_LEVEL" };
                host.nccl_environment = known(BTreeMap::from([(name.into(), "LOC".into())]));
            },
        ),
    ]
}

#[test]
fn every_key_passes_fails_and_is_unknown() {
    for (kind, code, set) in keys() {
        let machine = |right: Option<bool>| {
            let mut facts = server(1);
            facts.driver = known("580.95.05".into());
            if let Some(right) = right {
                set(&mut facts.host, right);
            }
            facts
        };
        assert_eq!(outcome(kind.clone(), &machine(Some(true))), Outcome::Pass, "{code}");
        assert_eq!(failures(&verdict(kind.clone(), &machine(Some(false)))), [code]);
        assert_eq!(outcome(kind, &machine(None)), Outcome::Error, "{code}");
    }
}

#[test]
fn a_service_that_a_complete_listing_lacks_is_inactive() {
    let wants = |state: &str| {
        let services = BTreeMap::from([("nvidia-fabricmanager".to_owned(), placed(state.to_owned()))]);
        expect(|e| e.services = Some(placed(services)))
    };
    let mut facts = server(1);
    facts.host.services.insert("ssh".into(), known("active".into()));
    assert_eq!(outcome(wants("active"), &facts), Outcome::Error);
    assert_eq!(outcome(wants("inactive"), &facts), Outcome::Error);
    facts.host.service_count = known(1);
    assert_eq!(failures(&verdict(wants("active"), &facts)), [FindingCode::Service]);
    assert_eq!(outcome(wants("inactive"), &facts), Outcome::Pass);
}

#[test]
fn a_fault_in_one_key_fails_although_another_is_unknown() {
    let mut facts = server(1);
    facts.host.iommu = known(IommuMode::Translating);
    let both = expect(|e| {
        e.iommu = exact(IommuMode::Off);
        e.numa_nodes = Some(placed(Wanted::Exact(2)));
    });
    assert_eq!(outcome(both, &facts), Outcome::Fail);
}

fn bridge(address: &str, below: Option<(u32, u32)>, bits: Option<&[&str]>) -> PciBridge {
    let bits = bits.map(|bits| bits.iter().map(|bit| (*bit).to_owned()).collect());
    PciBridge { address: address.into(), buses_below: below, acs_redirect: bits, acs_unread: None }
}

/// A GPU at 0000:10:00.0 and bridges, on a machine that is not virtual.
fn bridges(bridges: Vec<PciBridge>) -> Facts {
    let mut facts = server(1);
    facts.host.virtual_machine = known(false);
    facts.host.bridges = known(bridges);
    facts
}

#[test]
fn acs_counts_above_a_gpu_and_nowhere_else() {
    let off = || expect(|e| e.acs_redirect = Some(placed(Switch::Off)));
    let on = || expect(|e| e.acs_redirect = Some(placed(Switch::On)));
    let above = Some((0x0f, 0x12));
    let elsewhere = Some((0x80, 0x82));
    let set: Option<&[&str]> = Some(&["ReqRedir"]);
    let clear: Option<&[&str]> = Some(&[]);
    for (list, if_off, if_on) in [
        (vec![bridge("0000:00:01.0", above, set)], Outcome::Fail, Outcome::Pass),
        (vec![bridge("0000:00:01.0", above, clear)], Outcome::Pass, Outcome::Fail),
        (vec![bridge("0000:00:01.0", elsewhere, set)], Outcome::Pass, Outcome::Fail),
        (vec![bridge("0000:00:01.0", above, None)], Outcome::Error, Outcome::Error),
        (vec![bridge("0000:00:01.0", None, set)], Outcome::Error, Outcome::Error),
        (vec![bridge("0000:00:01.0", above, set), bridge("0000:0f:00.0", above, None)], Outcome::Fail, Outcome::Pass),
    ] {
        assert_eq!(outcome(off(), &bridges(list.clone())), if_off, "{list:?}");
        assert_eq!(outcome(on(), &bridges(list.clone())), if_on, "{list:?}");
    }
    assert_eq!(outcome(off(), &server(1)), Outcome::Error);
}

#[test]
fn what_a_virtual_machine_hides_is_unknown() {
    let mut facts = bridges(vec![bridge("0000:00:01.0", Some((0x0f, 0x12)), Some(&["ReqRedir"]))]);
    facts.host.virtual_machine = known(true);
    let off = expect(|e| e.acs_redirect = Some(placed(Switch::Off)));
    assert_eq!(outcome(off, &facts), Outcome::Error);
}

/// A guest's own bridges redirect nothing, whatever its host's do.
#[test]
fn a_listing_that_may_be_a_guests_does_not_pass_for_the_hosts() {
    let mut facts = bridges(vec![bridge("0000:00:01.0", Some((0x0f, 0x12)), Some(&[]))]);
    let off = || expect(|e| e.acs_redirect = Some(placed(Switch::Off)));
    assert_eq!(outcome(off(), &facts), Outcome::Pass);
    facts.host.virtual_machine = Fact::unknown("lscpu.txt is not there");
    assert_eq!(outcome(off(), &facts), Outcome::Error);
}

#[test]
fn a_front_end_nic_below_a_bridge_with_acs_is_no_fault() {
    let mut facts = bridges(vec![bridge("0000:00:01.0", Some((0x80, 0x82)), Some(&["ReqRedir"]))]);
    facts.rdma_mut("mlx5_0").pci_address = known("0000:81:00.0".into());
    let off = || expect(|e| e.acs_redirect = Some(placed(Switch::Off)));
    let far = crate::verdict::testing::with_nics(facts.clone(), &["mlx5_0"], &[&["SYS"]]);
    assert_eq!(outcome(off(), &far), Outcome::Pass);
    let near = crate::verdict::testing::with_nics(facts, &["mlx5_0"], &[&["PIX"]]);
    assert_eq!(outcome(off(), &near), Outcome::Fail);
}

#[test]
fn a_line_in_the_log_is_proof_and_its_absence_needs_the_log() {
    let kind = || {
        let regex = regex::Regex::new("^BAR .* can't assign").unwrap();
        let forbid = vec![placed(LogPattern::Kind(LogEventKind::Sxid)), placed(LogPattern::Regex(regex))];
        expect(|e| e.kernel_log = Some(placed(KernelLogExpect { forbid })))
    };
    let mut facts = server(1);
    assert_eq!(outcome(kind(), &facts), Outcome::Error);
    facts.host.kernel_log = known(Vec::new());
    assert_eq!(outcome(kind(), &facts), Outcome::Error, "the lines are not there");
    facts.host.kernel_log_lines = known(vec!["all is well".into()]);
    assert_eq!(outcome(kind(), &facts), Outcome::Pass);
    for line in
        ["BAR 1: can't assign mem", "[    2.500000] BAR 1: can't assign mem", "May 1 n1 kernel: BAR 1: can't assign"]
    {
        facts.host.kernel_log_lines = known(vec![line.into()]);
        assert_eq!(outcome(kind(), &facts), Outcome::Fail, "{line}");
    }
    facts.host.kernel_log_lines = known(vec!["[    2.500000] pci 0000:01:00.0: BAR 1: can't assign".into()]);
    assert_eq!(outcome(kind(), &facts), Outcome::Pass, "the expression begins with ^");
    facts.host.kernel_log_lines = known(vec!["BAR 1: can't assign mem".into()]);
    assert_eq!(outcome(kind(), &facts), Outcome::Fail);
    let event =
        LogEvent { kind: LogEventKind::Sxid, code: Some(20034), device: None, line: 3, quote: "SXid 20034".into() };
    facts.host.kernel_log = known(vec![event]);
    facts.host.kernel_log_lines = Fact::default();
    assert_eq!(outcome(kind(), &facts), Outcome::Fail);
}
