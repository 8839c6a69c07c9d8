//! From the files and outputs of a server to its facts.

use super::{
    answer::Subject,
    machine::{Machine, address},
};
use crate::{
    facts::{Fact, Facts, LinkClass, Origin, Vendor},
    units::Size,
};

/// Eight GPUs, each one xGMI hop from each, but for GPU2 and GPU5, which are joined over PCIe.
fn mesh() -> Machine {
    Machine::new(8, |a, b| Some(if (a.min(b), a.max(b)) == (2, 5) { (2, 40) } else { (11, 15) }))
}

fn class(facts: &Facts, a: u32, b: u32) -> (Option<LinkClass>, Option<u32>) {
    let pair = facts.pair(a, b).unwrap();
    (pair.class.value().copied(), pair.weight.value().copied())
}

const STATIC: &str = r#"{"gpu_data": [
  {"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X"}, "bus": {"bdf": "0000:0c:00.0"}},
  {"gpu": 1, "asic": {"market_name": "AMD Instinct MI300X"}, "bus": {"bdf": "0000:1c:00.0"}}]}"#;
const METRIC: &str = r#"[{"gpu": 0, "ecc": {"total_correctable_count": 1, "total_uncorrectable_count": 0}}]"#;

#[test]
fn without_amd_smi_the_kernel_tells_what_it_can() {
    let (facts, silence) = mesh().without_amd_smi().facts();
    assert_eq!((facts.vendor.value(), facts.gpu_count.value()), (Some(&Vendor::Amd), Some(&8)));
    assert_eq!(facts.gpus.len(), 8);
    assert_eq!(class(&facts, 0, 7), (Some(LinkClass::Xgmi), Some(15)));
    assert_eq!(class(&facts, 2, 5), (Some(LinkClass::Pcie), Some(40)));
    let gpu = facts.gpu(5).unwrap();
    assert_eq!(gpu.pci_address.value(), Some(&address(5)));
    assert_eq!(gpu.memory.value(), Some(&Size(206_141_652_992)));
    assert_eq!(gpu.numa_nodes.value(), Some(&[1].into_iter().collect()));
    assert_eq!((gpu.pcie.generation.value(), gpu.pcie.width_max.value()), (Some(&5), Some(&16)));
    assert_eq!(gpu.pcie.under_load.value(), Some(&false));
    assert_eq!(gpu.name.reason(), Some("amd-smi is not there"));
    assert_eq!(facts.driver.value().map(String::as_str), Some("6.12.12"));
    assert_eq!(facts.sources["AMD GPUs"], "8 from KFD; amd-smi is not there");
    assert_eq!(silence.why("GPU0"), "neither amd-smi nor KFD says");
}

#[test]
fn a_route_over_a_third_gpu_has_twice_the_weight() {
    let machine = Machine::new(3, |a, b| Some(if a.abs_diff(b) == 2 { (11, 30) } else { (11, 15) }));
    let (facts, _) = machine.without_amd_smi().facts();
    assert_eq!(class(&facts, 0, 2), (Some(LinkClass::Xgmi), Some(30)));
    assert_eq!(facts.pair(0, 2).unwrap().hops.value(), None);
}

#[test]
fn gpus_that_nothing_joins() {
    let (facts, _) = Machine::new(2, |_, _| None).without_amd_smi().facts();
    let pair = facts.pair(0, 1).unwrap();
    assert_eq!(pair.class.reason(), Some("KFD lists no link between GPU 0 and GPU 1"));
}

/// A folder that is there and cannot be read may hold the link.
#[test]
fn links_that_cannot_be_read_are_not_links_that_are_not_there() {
    let machine = Machine::new(2, |_, _| Some((11, 15)));
    for node in [1, 2] {
        machine.file(&format!("sys/class/kfd/kfd/topology/nodes/{node}/p2p_links"), "no folder");
    }
    let (facts, _) = machine.without_amd_smi().facts();
    assert!(facts.pair(0, 1).unwrap().class.reason().unwrap().contains("p2p_links"));
}

#[test]
fn both_witnesses_are_named_where_they_agree() {
    let machine = mesh();
    let topology = machine.topology(|a, b| {
        if (a.min(b), a.max(b)) == (2, 5) { ("PCIE", "ENABLED", 40) } else { ("XGMI", "ENABLED", 15) }
    });
    let (facts, _) = machine.says(Subject::Topology, Ok(&topology)).facts();
    assert_eq!(facts.gpu_count, Fact::known(8, "amd-smi topology --json, KFD"));
    let pair = facts.pair(2, 5).unwrap();
    assert_eq!(pair.class, Fact::known(LinkClass::Pcie, "amd-smi topology --json, KFD"));
    assert_eq!(pair.hops.source(), Some("amd-smi topology --json"));
    assert_eq!(facts.damage, []);
}

#[test]
fn witnesses_that_disagree_are_a_conflict() {
    let machine = mesh();
    let topology = machine.topology(|_, _| ("XGMI", "ENABLED", 15));
    let (facts, _) = machine.says(Subject::Topology, Ok(&topology)).facts();
    let reason = "amd-smi topology --json says 15, KFD says 40";
    assert_eq!(facts.pair(2, 5).unwrap().weight, Fact::Conflict { reason: reason.to_owned() });
    assert!(matches!(facts.pair(2, 5).unwrap().class, Fact::Conflict { .. }));
    assert_eq!(class(&facts, 0, 1), (Some(LinkClass::Xgmi), Some(15)));
}

#[test]
fn a_link_that_amd_smi_calls_disabled_is_not_made_whole_by_the_kernel() {
    for (kind, status) in [("XGMI", "DISABLED"), ("N/A", "N/A"), ("XGMI", "N/A")] {
        let machine = mesh();
        let topology = machine.topology(|_, _| (kind, status, 15));
        let (facts, _) = machine.says(Subject::Topology, Ok(&topology)).facts();
        assert_eq!(facts.pair(0, 1).unwrap().class.value(), None, "{kind} {status}");
        assert!(matches!(facts.pair(0, 1).unwrap().class, Fact::Unknown { .. }), "a guest is not at fault");
    }
}

#[test]
fn a_gpu_that_only_the_kernel_lists_makes_the_count_doubtful() {
    let machine = Machine::new(3, |_, _| Some((11, 15))).says(Subject::Static, Ok(STATIC));
    let (facts, _) = machine.facts();
    assert!(matches!(facts.gpu_count, Fact::Conflict { .. }));
    assert_eq!(facts.gpus.len(), 2);
    assert_eq!(facts.gpu(1).unwrap().pci_address.source(), Some("amd-smi static --json, KFD"));
}

#[test]
fn partitions_of_one_gpu_are_not_told_apart_by_their_address() {
    let machine = Machine::new(2, |_, _| Some((11, 15)));
    let second = machine.path("sys/class/kfd/kfd/topology/nodes/1/properties");
    std::fs::write(second, "simd_count 152\nlocation_id 3072\ndomain 0\n").unwrap();
    let text = STATIC.replace("0000:1c:00.0", "0000:0c:00.0");
    let (facts, _) = machine.says(Subject::Static, Ok(&text)).facts();
    assert_eq!(facts.gpu_count.value(), Some(&2));
    assert_eq!(facts.gpu(1).unwrap().pci_address.source(), Some("amd-smi static --json"));
    assert_eq!(facts.gpu(1).unwrap().memory.value(), None);
}

#[test]
fn a_command_that_hangs_costs_its_own_facts() {
    let machine = Machine::new(2, |_, _| Some((11, 15)));
    let topology = machine.topology(|_, _| ("XGMI", "ENABLED", 15));
    let mut machine = machine.says(Subject::Topology, Ok(&topology)).says(Subject::Metric, Ok(METRIC));
    machine.hanging = Some(Subject::Static);
    let (facts, _) = machine.facts();
    let reason = "amd-smi static --json: gave no answer within 3 s";
    assert_eq!(facts.gpu(0).unwrap().name.reason(), Some(reason));
    assert_eq!(facts.gpu(0).unwrap().ecc_volatile.uncorrected.value(), Some(&0));
    let untold = "amd-smi metric --json does not say";
    assert_eq!(facts.gpu(1).unwrap().ecc_volatile.uncorrected.reason(), Some(untold));
    assert_eq!(class(&facts, 0, 1), (Some(LinkClass::Xgmi), Some(15)));
    assert!(facts.sources["AMD GPUs"].ends_with(reason), "{}", facts.sources["AMD GPUs"]);
}

#[test]
fn an_output_that_is_none_is_damage_and_gives_its_reason() {
    let machine = Machine::new(2, |_, _| Some((11, 15)));
    let (facts, _) = machine.says(Subject::Static, Ok("Segmentation fault\n")).says(Subject::Metric, Ok("")).facts();
    assert_eq!((facts.damage.len(), facts.damage[0].file.as_str()), (1, "amd-smi static --json"));
    assert_eq!(facts.gpu(0).unwrap().name.reason(), Some("amd-smi static --json printed no list of GPUs"));
    assert_eq!(facts.gpu(1).unwrap().pcie.replays.reason(), Some("amd-smi metric --json printed no list of GPUs"));
}

#[test]
fn beside_gpus_of_nvidia_a_processors_graphics_are_left_out() {
    let mut facts = Facts::new(Origin::Fake);
    facts.vendor = Fact::known(Vendor::Nvidia, "NVML");
    Machine::new(1, |_, _| None).without_amd_smi().fill(&mut facts);
    assert_eq!((facts.vendor.value(), facts.gpus.len()), (Some(&Vendor::Nvidia), 0));
    assert!(facts.sources["AMD GPUs"].starts_with("1 left out"));
}

#[test]
fn a_processors_graphics_alone_are_gpus() {
    let (facts, _) = Machine::new(1, |_, _| None).without_amd_smi().facts();
    assert_eq!((facts.gpu_count.value(), facts.gpus.len()), (Some(&1), 1));
}

#[test]
fn a_gpu_that_may_not_be_read_leaves_the_count_unknown() {
    let machine = Machine::new(2, |_, _| Some((11, 15)));
    std::fs::remove_file(machine.path("sys/class/kfd/kfd/topology/nodes/1/gpu_id")).unwrap();
    let (facts, _) = machine.without_amd_smi().facts();
    assert_eq!(facts.gpus.len(), 1);
    assert!(facts.gpu_count.reason().unwrap().contains("node 1 of KFD"));
    assert!(facts.sources["AMD GPUs"].contains("node 1 of KFD"), "{}", facts.sources["AMD GPUs"]);
}

/// Properties that end early: a node with the id of a GPU is never left out of the count for that.
#[test]
fn a_node_that_does_not_say_what_computes_leaves_the_count_unknown() {
    let machine = Machine::new(2, |_, _| Some((11, 15)));
    machine.file("sys/class/kfd/kfd/topology/nodes/1/properties", "cpu_cores_count 0");
    let (facts, _) = machine.without_amd_smi().facts();
    assert_eq!(facts.gpu_count.value(), None);
    assert!(facts.gpu_count.reason().unwrap().contains("lack simd_count"));
}

#[test]
fn no_driver_is_one_clear_line() {
    let machine = Machine::new(0, |_, _| None);
    std::fs::remove_dir_all(machine.path("sys/class/kfd")).unwrap();
    let (facts, silence) = machine.facts();
    let line = "no AMD driver is loaded (/sys/class/kfd is not there)";
    assert_eq!((facts.sources["AMD GPUs"].as_str(), silence.why("GPU0").as_str()), (line, line));
    assert_eq!((facts.vendor.value(), facts.gpus.len()), (None, 0));
}
