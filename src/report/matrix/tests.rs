use super::*;
use crate::{
    facts::{GpuNic, NicPair, Origin},
    probe::texts::read_all,
};

/// Two GPUs and two NICs, all of it known.
fn machine() -> Facts {
    let mut facts = Facts::new(Origin::Live);
    facts.gpu_count = Fact::known(2, "NVML");
    for (index, cpus) in [(0, "0-31,64-95"), (1, "32-63,96-127")] {
        let gpu = facts.gpu_mut(index);
        gpu.cpus = Fact::known(cpus.parse().unwrap(), "NVML");
        gpu.numa_nodes = Fact::known(index.to_string().parse().unwrap(), "NVML");
        gpu.numa_id = Fact::known(None, "NVML");
    }
    facts.pair_mut(0, 1).class = Fact::known(LinkClass::NvLink(18), "NVML");
    let nic = |label: &str, device: &str| Nic { label: label.to_owned(), device: Some(device.to_owned()) };
    facts.nics = Fact::known(vec![nic("NIC0", "mlx5_0"), nic("NIC1", "mlx5_1")], "sysfs");
    for (gpu, nic, class) in [
        (0, "NIC0", LinkClass::Pix),
        (0, "NIC1", LinkClass::Sys),
        (1, "NIC0", LinkClass::Sys),
        (1, "NIC1", LinkClass::Pxb),
    ] {
        facts.gpu_nics.push(GpuNic { gpu, nic: nic.to_owned(), class: Fact::known(class, "sysfs") });
    }
    let class = Fact::known(LinkClass::Sys, "sysfs");
    facts.nic_pairs.push(NicPair { a: "NIC0".to_owned(), b: "NIC1".to_owned(), class });
    facts
}

fn read_back(text: String) -> Facts {
    let files = [("nvidia-smi-topo-m.txt".to_owned(), text)].into();
    read_all(&files, Facts::new(Origin::Live))
}

fn classes(facts: &Facts) -> Vec<Option<LinkClass>> {
    let pairs = facts.gpu_pairs.iter().map(|pair| &pair.class);
    pairs.chain(facts.gpu_nics.iter().map(|pair| &pair.class)).map(|class| class.value().copied()).collect()
}

#[test]
fn the_form_of_nvidia_smi() {
    let text = render(&machine());
    let rows: Vec<&str> = text.lines().take(5).collect();
    assert_eq!(
        rows,
        [
            "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID",
            "GPU0\t X  \tNV18\tPIX \tSYS \t0-31,64-95  \t0            \tN/A",
            "GPU1\tNV18\t X  \tSYS \tPXB \t32-63,96-127\t1            \tN/A",
            "NIC0\tPIX \tSYS \t X  \tSYS",
            "NIC1\tSYS \tPXB \tSYS \t X ",
        ]
    );
    assert!(text.contains("\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n"));
    assert!(!text.contains("Unknown"), "{text}");
}

#[test]
fn what_is_written_is_read_back() {
    let machine = machine();
    let read = read_back(render(&machine));
    assert_eq!(read.damage, []);
    assert_eq!(classes(&read), classes(&machine));
    assert_eq!(read.nics.value(), machine.nics.value());
    assert_eq!(read.gpu_count.value(), Some(&2));
    for (read, gpu) in read.gpus.iter().zip(&machine.gpus) {
        assert_eq!((read.cpus.value(), read.numa_nodes.value()), (gpu.cpus.value(), gpu.numa_nodes.value()));
    }
}

#[test]
fn an_unknown_cell_says_why_and_gives_no_fact() {
    let mut machine = machine();
    machine.pair_mut(0, 1).class = Fact::unknown("NVML answers 999");
    machine.gpu_mut(1).cpus = Fact::unknown("NVML answers 999");
    machine.gpu_nics.remove(3);
    let text = render(&machine);
    assert!(text.contains("\nGPU0\t X  \t?"), "{text}");
    assert!(text.contains("\n  GPU0 and GPU1, CPU Affinity of GPU1: NVML answers 999\n"), "{text}");
    assert!(text.contains("\n  GPU1 and NIC1: no source joins the two\n"), "{text}");
    let read = read_back(text);
    assert_eq!(read.pair(0, 1).and_then(|pair| pair.class.value()), None);
    assert_eq!(read.gpu(1).and_then(|gpu| gpu.cpus.value()), None);
    assert!(
        read.gpu_nics.iter().all(|pair| (pair.gpu, pair.nic.as_str()) != (1, "NIC1") || pair.class.value().is_none())
    );
}

#[test]
fn a_machine_of_which_nothing_is_known_has_no_matrix() {
    let mut facts = Facts::new(Origin::Live);
    facts.gpu_count = Fact::unknown("libnvidia-ml.so.1 is not there");
    facts.nics = Fact::unknown("/sys/class/infiniband is not there");
    let text = "Unknown:\n  the GPUs: libnvidia-ml.so.1 is not there\n  the NICs: /sys/class/infiniband is not there\n";
    assert_eq!(render(&facts), text);
    // Where it is known that there is nothing, there is nothing to say.
    facts.gpu_count = Fact::known(0, "NVML");
    facts.nics = Fact::known(Vec::new(), "sysfs");
    assert_eq!(render(&facts), "");
}
