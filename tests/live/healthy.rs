//! Machines as they should be: what linkspec computes of them, and that a capture says the same as the machine.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    machines::{gb200_tray, guest_h200, hgx_h100, mi300x, pcie_l40s},
    seat::Seat,
};

/// A known fact's value.
fn value(fact: &Value) -> &Value {
    fact.pointer("/known/value").unwrap_or_else(|| panic!("not known: {fact}"))
}

/// The class of each pair of GPUs.
fn gpu_classes(facts: &Value) -> Vec<&str> {
    facts["gpu_pairs"].as_array().unwrap().iter().map(|pair| value(&pair["class"]).as_str().unwrap()).collect()
}

/// The class of each GPU and NIC, by the NIC's device.
fn nic_classes(facts: &Value) -> BTreeMap<(u64, String), String> {
    let nics = value(&facts["nics"]).as_array().unwrap();
    let device = |label: &Value| {
        let nic = nics.iter().find(|nic| nic["label"] == *label).unwrap();
        nic["device"].as_str().unwrap().to_owned()
    };
    let cells = facts["gpu_nics"].as_array().unwrap().iter();
    cells
        .map(|cell| {
            let class = value(&cell["class"]).as_str().unwrap().to_owned();
            ((cell["gpu"].as_u64().unwrap(), device(&cell["nic"])), class)
        })
        .collect()
}

#[test]
fn the_pack_of_the_hgx_h100_passes_on_one() {
    let seat = Seat::new(&hgx_h100());
    let run = seat.live(&["pack:hgx-h100", "--level", "quick"]);
    let run = run.expect(0, &["8 x NVIDIA H100 80GB HBM3", "no measurement of any machine"]);
    assert!(run.text.contains("13 passed"), "{}", run.text);
}

/// As the public matrices of HGX H100 servers: NV18 among all GPUs, one compute NIC at PIX to each and its peers of the
/// socket at NODE, the NICs of the other socket and the front-end card at SYS.
#[test]
fn the_matrix_of_an_hgx_h100_has_a_rail_for_each_gpu() {
    let facts = Seat::new(&hgx_h100()).facts();
    assert_eq!(gpu_classes(&facts), ["NV18"; 28]);
    let cells = nic_classes(&facts);
    assert_eq!(cells.len(), 8 * 12);
    let rails: BTreeMap<u64, &str> =
        cells.iter().filter(|(_, class)| *class == "PIX").map(|((gpu, nic), _)| (*gpu, nic.as_str())).collect();
    let compute = ["mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"];
    let mut nics: Vec<&str> = rails.values().copied().collect();
    nics.sort_by_key(|nic| nic[5..].parse::<u32>().unwrap());
    assert_eq!(nics, compute);
    assert_eq!(cells.values().filter(|class| *class == "PIX").count(), 8);
    for ((gpu, nic), class) in &cells {
        let own = rails[gpu] == nic;
        let rail_of = rails.iter().find(|(_, rail)| *rail == nic).map(|(gpu, _)| *gpu);
        match (own, rail_of) {
            (true, _) => assert_eq!(class, "PIX"),
            // Each socket has four GPUs.
            (false, Some(other)) => assert_eq!(class, if other / 4 == gpu / 4 { "NODE" } else { "SYS" }),
            (false, None) => assert!(class == "SYS" || class == "NODE", "{nic} is {class} to GPU{gpu}"),
        }
    }
    for front_end in ["mlx5_1", "mlx5_2"] {
        assert!((0..8).all(|gpu| cells[&(gpu, front_end.to_owned())] == "SYS"));
    }
    // The two ports of a card are at PIX to each other.
    let nics = value(&facts["nics"]).as_array().unwrap();
    let label = |name: &str| nics.iter().find(|nic| nic["device"] == name).unwrap()["label"].clone();
    let pairs = facts["nic_pairs"].as_array().unwrap();
    let pair = pairs.iter().find(|pair| pair["a"] == label("mlx5_1") && pair["b"] == label("mlx5_2")).unwrap();
    assert_eq!(value(&pair["class"]), "PIX");
}

#[test]
fn the_pack_of_the_guest_passes_on_one() {
    Seat::new(&guest_h200()).live(&["pack:h200-x2", "--level", "quick"]).expect(0, &["2 x NVIDIA H200"]);
}

#[test]
fn a_guest_hides_what_is_above_its_bridges() {
    let seat = Seat::new(&guest_h200());
    let spec = seat.spec("  - { name: acs, level: quick, host: { acs_redirect: off } }\n");
    seat.live(&[spec]).expect(3, &["a virtual machine does not show the bridges of its host"]);
}

/// GPUs and NICs hang on Grace by ways of their own, and the memory of the GPUs is NUMA nodes without CPUs.
#[test]
fn a_gb200_tray_has_no_rail_at_pix() {
    let facts = Seat::new(&gb200_tray()).facts();
    assert_eq!(gpu_classes(&facts), ["NV18"; 6]);
    let cells = nic_classes(&facts);
    assert_eq!(cells.len(), 16);
    assert!(cells.values().all(|class| class == "NODE" || class == "SYS"), "{cells:?}");
    let ids: Vec<u64> =
        facts["gpus"].as_array().unwrap().iter().map(|gpu| value(&gpu["numa_id"]).as_u64().unwrap()).collect();
    assert_eq!(ids, [2, 10, 18, 26]);
}

#[test]
fn an_mi300x_is_joined_by_xgmi() {
    let facts = Seat::new(&mi300x()).facts();
    assert_eq!(value(&facts["vendor"]), "amd");
    assert_eq!(gpu_classes(&facts), ["XGMI"; 28]);
    assert!(facts["gpu_pairs"].as_array().unwrap().iter().all(|pair| *value(&pair["weight"]) == 15));
    let cells = nic_classes(&facts);
    assert_eq!(cells.values().filter(|class| *class == "PIX").count(), 8);
}

/// What each machine is asked: every kind that reads state.
const STATE: &str = r#"
  - { name: mesh, level: quick, topology: { between: [gpu, gpu], require: [NV18, XGMI] } }
  - { name: rails, level: quick, topology: { between: [gpu, nic], each_gpu_has: { at_most: PXB, count: 1 } } }
  - { name: peers, level: quick, p2p: { read: ok, write: ok, nvlink: ok, atomics: ok } }
  - name: gpus
    level: quick
    gpu:
      count: { min: 2 }
      nvlinks_active: 18
      pcie_width: 16
      pcie_uplinks: full
      ecc: on
      ecc_errors: { uncorrected: 0, aggregate: { uncorrected: 0 } }
      remapped_rows: { uncorrectable: 0, pending: no, failure: no }
      persistence: on
      mig: off
      memory: { min: 40G }
      throttled: off
      xid: none
  - { name: fabric, level: quick, gpu: { fabric_state: completed } }
  - name: ports
    level: quick
    rdma_ports: { state: Active, physical_state: LinkUp, rate: 400 Gb/s, active_mtu: 4096, near_gpu: { at_most: PIX } }
  - { name: gids, level: quick, rdma_ports: { gid: { type: "RoCE v2", routable: yes } } }
  - { name: counters, level: quick, rdma_ports: { counters: { symbol_error: 0, "*": { max: 5 } } } }
  - { name: nodes, level: quick, host: { numa_nodes: 2 } }
  - name: host
    level: quick
    host:
      kernel_arguments: { forbid: [pci=noacs] }
      iommu: passthrough
      acs_redirect: off
      numa_balancing: off
      memlock: unlimited
      shm_size: { min: 64G }
      services: { nvidia-fabricmanager: active, absent-service: active }
      fabric_manager_matches_driver: yes
      gpudirect: any
      kernel_log: { forbid: [xid, sxid, fallen-off-bus, aer-fatal, nvlink-error, "regex:BUG"] }
      nccl_environment: clean
"#;

#[test]
fn a_capture_is_judged_as_its_machine_is() {
    let mut faulty = hgx_h100();
    faulty.nvlink_down(3, 7);
    faulty.fabric_in_progress(2);
    faulty.port_down("mlx5_4");
    faulty.pci("0000:15:01.0").config.acs = Some(0x1d);
    faulty.gpu_gone_from_nvml(6);
    let machines = [hgx_h100(), faulty, guest_h200(), gb200_tray(), mi300x(), pcie_l40s()];
    for (number, machine) in machines.iter().enumerate() {
        let seat = Seat::new(machine);
        let spec = seat.spec(STATE);
        let live = seat.live(&[spec, "--format", "pretty"]);
        seat.live(&["capture", "saved"]).expect(0, &[]);
        seat.live(&["capture", "saved", "--after"]).expect(0, &[]);
        let saved = seat.saved(&[spec, "--format", "pretty", "--host", "saved"]);
        assert_eq!(live.cases().len(), 10, "{}", live.text);
        assert_eq!(live.cases(), saved.cases(), "machine {number}");
        assert_eq!(live.code, saved.code);
    }
}

/// Reading leaves no trace: not on the machine, and beside the folder of results not where linkspec is run.
#[test]
fn nothing_is_written_but_results() {
    let seat = Seat::new(&hgx_h100());
    let before = listing(seat.root());
    seat.live(&["pack:hgx-h100", "--level", "quick", "--out", "results"]).expect(0, &[]);
    assert_eq!(listing(seat.root()), before);
    let names = ["", "/junit.xml", "/report.html", "/run.json", "/run.jsonl", "/summary.md"];
    let results = names.map(|name| format!("results/hgx-h100{name}"));
    let expected: Vec<String> = ["results".to_owned()].into_iter().chain(results).collect();
    assert_eq!(listing(&seat.path("")), expected);
}

/// Of the programs that a server has, those that docs/live-machine.md names are run, and no others.
#[test]
fn nothing_is_run_but_what_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let seat = Seat::new(&guest_h200());
    let tools = seat.path("tools");
    std::fs::create_dir(&tools).unwrap();
    let named = ["amd-smi", "nv-fabricmanager", "systemctl"];
    let others = [
        "dmesg",
        "dmidecode",
        "hostname",
        "ibstat",
        "ibstatus",
        "ibv_devinfo",
        "journalctl",
        "ldconfig",
        "lscpu",
        "lspci",
        "modinfo",
        "nvidia-smi",
        "numactl",
        "rocm-smi",
        "setpci",
        "sh",
        "sysctl",
        "uname",
    ];
    for name in named.iter().chain(&others) {
        let script = format!("#!/bin/sh\necho {name} >> {}\nexit 1\n", seat.path("ran").display());
        std::fs::write(tools.join(name), script).unwrap();
        std::fs::set_permissions(tools.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // On this machine itself: a rebuilt one has only the programs of its own tree.
    let output = seat.command(&["capture", "here"]).env("PATH", &tools).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let ran = std::fs::read_to_string(seat.path("ran")).unwrap_or_default();
    assert!(ran.lines().any(|name| name == "systemctl"), "{ran}");
    assert!(ran.lines().all(|name| named.contains(&name)), "{ran}");
}

/// Every file and folder below a folder, in order.
fn listing(folder: &std::path::Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(&inner).unwrap() {
            let entry = entry.unwrap();
            names.push(entry.path().strip_prefix(folder).unwrap().display().to_string());
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    names.sort();
    names
}
